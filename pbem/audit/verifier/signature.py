"""Ed25519 signatures checked (RFC 8032 5.1.7), without the cofactor, as strictly as libsodium does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from pbem.audit.verifier import curve

__all__ = ["Verify", "verify"]

Verify = Callable[[bytes, bytes, bytes], bool]
"""(public key, message, signature of 64 bytes) -> whether it is one."""


def verify(public: bytes, message: bytes, signed: bytes) -> bool:
    """Whether `signed` is the signature of `message` under `public`; never with a key or a point of small order."""
    key, point = curve.decode(public), curve.decode(signed[:32])
    if len(signed) != 64 or key is None or point is None:
        return False
    s = int.from_bytes(signed[32:], "little")
    if s >= curve.ORDER or _small(key) or _small(point):
        return False
    challenge = int.from_bytes(hashlib.sha512(signed[:32] + public + message).digest(), "little") % curve.ORDER
    x, y, z, t = key
    return curve.equal(curve.multiply((s, curve.BASE), (challenge, (-x, y, z, -t))), point)


def _small(point: curve.Point) -> bool:
    return curve.equal(curve.multiply((8, point)), curve.NEUTRAL)
