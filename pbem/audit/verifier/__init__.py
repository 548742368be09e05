"""What a player needs to check a server: pure Python on the standard library, without a secret, slow and plain.

`curve`, `signature` and `proof` are Ed25519 and its VRF by the RFCs, written apart from the server's own
(`pbem.audit.vrf` and PyNaCl), so that a mistake on one side is not made on the other.
"""
