"""Whether a beacon's signature is one: BLS on BLS12-381, signatures in G1, by the optional extra `beacon`.

A round is right if ``e(signature, g2) == e(H(SHA-256(round as 8 bytes, big-endian)), public key)``.
"""

from __future__ import annotations

import hashlib
from functools import cache

from pbem.audit.beacon import Beacon

_DST = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"


@cache
def available() -> bool:
    """Whether the library of the extra `beacon` is installed."""
    try:
        import py_arkworks_bls12381  # noqa: F401
    except ImportError:
        return False
    return True


def check(chain: Beacon, number: int, signature: bytes) -> bool | None:
    """Whether `signature` is the one of round `number`; None without the library."""
    return signed(chain.public, hashlib.sha256(number.to_bytes(8, "big")).digest(), signature)


def signed(public: bytes, message: bytes, signature: bytes) -> bool | None:
    """Whether `signature` (48 bytes) is that of `message` under `public` (96 bytes); None without the library."""
    if not available():
        return None
    from py_arkworks_bls12381 import GT, G1Point, G2Point

    try:
        # Both readers hold the point against curve and subgroup.
        point, key = G1Point.from_compressed_bytes(signature), G2Point.from_compressed_bytes(public)
    except ValueError:
        return False
    if point == G1Point.identity() or key == G2Point.identity():
        return False
    left = GT.pairing(point, G2Point())
    return bool(left == GT.pairing(G1Point.hash_to_curve(message, _DST), key))
