"""Verifiable dice: bytes in, bytes out, with no table, clock or network.

`blocks` writes the texts that are hashed, `sealing` seals orders and states by secrets that the key of the dice
gives, `dice` turns such a secret into values found by label. `leaves` defines the entries of the log, `bundle` the
attachment of a letter. `merkle`, `note` and `checkpoint` make the log: tree, signatures, signed tree heads. Only
`vrf` and `signing` use secret keys and need PyNaCl. The verifier shares no code with this package: see
`pbem.verifier`.
"""
