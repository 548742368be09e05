"""What a tournament is: its rows as the arithmetic of `pbem.tournament` wants them, its leaves, its letters, its lots.

Commands of letters and what happens by itself stand above, and meet here.

May import: base, people, chain, turn, proofs.
"""
