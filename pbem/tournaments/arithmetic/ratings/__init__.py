"""E9 Ratings by months: Glicko-2 in decimal, so that whoever counts from the log has the same digits.

`period` rates a month, `glicko` holds the arithmetic, `book` what is written down. May import core alone.
"""
