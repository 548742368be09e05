"""Who stands where and why: criteria as data, the table, crosstables.

May import entrants and tally of the tournament.
"""
