"""Convert letters to text and back, and receive (IMAP) and send (SMTP).

Nothing here knows a table or a game. `inbound`, `outbound` and `address` are pure; `imap` and `smtp` talk to
servers, and `embedded` is a server of our own on the loopback address.
"""

RAW_OCTETS = 1_000_000
"""Octets of a letter, above which its text is not read. The cost of reading grows with it (docs/limits.md); orders
with a quoted report have some ten thousand."""
TEXT_OCTETS = 262_144
"""Octets of a letter's text: the costliest texts of this size take a second (docs/limits.md)."""
TEXT_LINES = 4_000
"""Lines of a letter's text: a whole thread with reports has fewer."""
CODE_PATTERN = "[a-z2-7]{8}"
"""A code that is mailed and comes back to confirm a request: eight characters of base32
(`runtime.tokens.confirmation_code`)."""
