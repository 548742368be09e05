"""Orders of all games: declared once, read by one parser, written in one way.

A game supplies its words, its orders (`grammar`), the tests of its conditions, and the limits of its orders.
"""
