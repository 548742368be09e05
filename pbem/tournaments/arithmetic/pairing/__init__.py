"""Who meets whom, on which side, and why: `draw` for every format, costs and lots for who checks it.

A format a file: `swiss`, `knockout` (double too), `robin` (leagues too), `ladder`.
"""
