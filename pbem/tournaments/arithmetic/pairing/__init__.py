"""Who meets whom, on which side, and why: `draw` for every format, costs and lots for who checks it.

May import entrants, tally and rules of the tournament.
"""
