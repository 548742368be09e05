"""What wargames of the house are made of besides their rules: sources, editions, the members of a game, orders.

A game takes from here what it would else repeat, and nothing here names a game. It stands on `pbem.core` alone.
"""
