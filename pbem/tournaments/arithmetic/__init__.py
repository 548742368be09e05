"""Tournaments as arithmetic: rules, pairings, standings and ratings, each a function of what it is given.

Clock, dice, letters and store are the caller's: lots come in as a function of their labels, results as a list.
`rules.txt` numbers what holds; letters cite it as ``[E4.3]``. May import the engine alone.
"""
