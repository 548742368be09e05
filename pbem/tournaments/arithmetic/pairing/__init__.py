"""Pair entrants: opponents, sides and reasons; `draw` works for every format.

A format a file: `swiss`, `knockout` (double too), `robin` (leagues too), `ladder`.
"""
