"""Compute tournaments: rules, pairings, standings and ratings as pure functions.

Clock, dice, letters and store are the caller's: lots come in as a function of their labels, results as a
list. `rules.txt` numbers the rules; letters cite them as ``[E4.3]``. May import the engine alone.
"""
