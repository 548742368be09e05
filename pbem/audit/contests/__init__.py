"""What a log says of tournaments: the kinds of their leaves, the list of a draw, the board of duplicate dice.

Bytes in, bytes out, as in `audit` itself, of which this room may import blocks alone.
"""
