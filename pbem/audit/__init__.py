"""Verifiable dice: bytes in, bytes out, on the standard library.

Nothing here knows a table, a letter or a clock. `blocks` writes the texts that are hashed, `keys` turns a server key
into the secret of a roll and the seals of orders, `dice` turns that secret into values found by label.
"""
