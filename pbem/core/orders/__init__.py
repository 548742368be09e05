"""The language of orders, as far as every game writes it alike, and what standing orders answer.

May import: core.data, core.run, core.terms.
"""
