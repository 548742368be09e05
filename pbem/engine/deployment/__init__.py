"""Deployment: a phase before turn 1 in which both sides say at once, sealed, where their units stand.

A scenario names zones, by an option of the edition they are played::

    deployment = [{ zone = ["Tarajal", "Playa"] }, { zone = ["Valle"], units = ["Nizam", "Bujari"] }]

`zones` reads them, `rules` has what an order does and what is against it, `aids` what helps to write one, `telling` its
words. A game brings its rule numbers, who may stand together, and how far it is from place to place (`Ways`).
"""
