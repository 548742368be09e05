"""Verifiable dice: bytes in, bytes out, with no table, clock or network.

`blocks` writes the texts that are hashed, `keys` turns a server key into the secret of a roll and the seals of orders,
`dice` turns that secret into values found by label. `leaves` are what the log holds, `bundle` is what a letter carries.
`merkle`, `note` and `checkpoint` are the log: tree, signatures, signed tree heads. `vrf` and `signing` alone hold
secrets of their own and need PyNaCl. Who verifies shares no code with this: see `pbem.verifier`.
"""
