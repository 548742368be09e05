"""Orders as all games of the house give them: declared once, read by one parser, written in one way.

A game brings its words, its orders (`grammar`), what its conditions ask of a position, and what an order may not do.
"""
