"""The games, one folder each, with a file for each chapter of the rulebook.

Games never import one another.
"""
