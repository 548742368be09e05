"""E3 Stages: how each format ranks its people, who goes on with what, matches of teams, and who sits at which table.

May import rules, pairing and standings.
"""
