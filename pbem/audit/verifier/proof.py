"""VRF proofs checked: ECVRF-EDWARDS25519-SHA512-TAI, RFC 9381 5.3, suite 03.

A proof is 80 bytes: a point Gamma (32), a challenge c (16, little-endian) and a scalar s (32, little-endian). One key
and one input have one output: that is why the key is validated, and why Gamma must be of the prime order group, which
is more than the RFC asks and refuses nothing that is made by its rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache

from pbem.audit.verifier import curve
from pbem.audit.verifier.curve import Point

__all__ = ["Output", "output", "valid_key"]

Output = Callable[[bytes, bytes, bytes], bytes | None]
"""(public key, alpha, proof) -> the 64 bytes that it proves, or None."""

_SUITE = b"\x03"


@lru_cache(maxsize=64)
def _key(public: bytes) -> Point | None:
    point = curve.decode(public)
    return point if point is not None and curve.in_group(point) else None


def valid_key(public: bytes) -> bool:
    """RFC 9381 5.4.5: whether 32 bytes can be a VRF key: written canonically, and not of small order."""
    return _key(public) is not None


def output(public: bytes, alpha: bytes, proof: bytes) -> bytes | None:
    """The 64 bytes that `proof` proves to be the output of `alpha` under `public`; None if it proves nothing."""
    if len(proof) != 80 or (key := _key(public)) is None:
        return None
    gamma = curve.decode(proof[:32])
    c, s = int.from_bytes(proof[32:48], "little"), int.from_bytes(proof[48:], "little")
    if gamma is None or s >= curve.ORDER or not curve.in_group(gamma):
        return None
    h = _hash_to_curve(public, alpha)
    u = curve.multiply((s, curve.BASE), (c, _negative(key)))
    v = curve.multiply((s, h), (c, _negative(gamma)))
    points = public + curve.encode(h) + proof[:32] + curve.encode(u) + curve.encode(v)
    if hashlib.sha512(_SUITE + b"\x02" + points + b"\x00").digest()[:16] != proof[32:48]:
        return None
    eight = curve.encode(curve.multiply((8, gamma)))
    return hashlib.sha512(_SUITE + b"\x03" + eight + b"\x00").digest()


def _negative(point: Point) -> Point:
    x, y, z, t = point
    return -x, y, z, -t


def _hash_to_curve(public: bytes, alpha: bytes) -> Point:
    """RFC 9381 5.4.1.1: the first of 256 hashes that is a point, times eight."""
    for count in range(256):
        text = _SUITE + b"\x01" + public + alpha + bytes([count]) + b"\x00"
        point = curve.decode(hashlib.sha512(text).digest()[:32])
        if point is not None:
            eight = curve.multiply((8, point))
            if not curve.equal(eight, curve.NEUTRAL):
                return eight
    raise ArithmeticError("no point in 256 hashes: as likely as guessing a key")
