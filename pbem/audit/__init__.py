"""Verifiable dice: bytes in, bytes out, with no table, clock or network.

`blocks` writes the texts that are hashed, `sealing` seals orders and states by secrets that the key of the dice gives,
`dice` turns such a secret into values found by label. `leaves` are what the log holds, `bundle` what a letter carries.
`merkle`, `note` and `checkpoint` are the log: tree, signatures, signed tree heads. `vrf` and `signing` alone hold
secrets of their own and need PyNaCl. Who verifies shares no code with this: see `pbem.verifier`.
"""
