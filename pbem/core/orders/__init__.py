"""The language of orders, as far as every game writes it alike: words, names, blocks, conditions, standing orders.

May import: core.data, core.run.
"""
