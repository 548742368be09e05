"""Read and write the orders of all games.

A game supplies its words, its orders (`grammar`), the tests of its conditions, and the limits of its orders.
"""
