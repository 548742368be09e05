"""Prove and check VRF outputs: ECVRF-EDWARDS25519-SHA512-TAI on libsodium.

This is RFC 9381, suite 03. A key and an input have one output: proving twice gives the same. Proving needs the
secret key, checking the public one. This code and the verifier's share nothing but the RFC, and each is tested
against the other. The key of the VRF signs nothing: an Ed25519 signature is not unique, so that dice must not
depend on it, and a key with two uses has two ways to be misused.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from nacl import bindings as sodium
from nacl.exceptions import CryptoError
from nacl.exceptions import RuntimeError as SodiumError

_Q = (1 << 252) + 27742317777372353535851937790883648493
"""The order of the prime group of edwards25519 (RFC 8032, 5.1: L)."""
_FIELD = (1 << 255) - 19
"""The prime of the field of edwards25519 (RFC 8032, 5.1: p)."""


class ExpandedKey(NamedTuple):
    """An expanded secret key: scalar (little-endian), nonce prefix, public key."""

    scalar: bytes
    prefix: bytes
    public: bytes


def expand_key(secret: bytes) -> ExpandedKey:
    """Expand 32 secret bytes (RFC 8032 5.1.5); raise ValueError for any other length."""
    if len(secret) != 32:
        raise ValueError(f"a VRF key has 32 bytes, got {len(secret)}")
    wide = hashlib.sha512(secret).digest()
    # The first half makes the scalar, the second the nonces.
    number = int.from_bytes(wide[:32], "little") & ~7 & ((1 << 254) - 1) | 1 << 254
    scalar = (number % _Q).to_bytes(32, "little")
    return ExpandedKey(scalar, wide[32:], sodium.crypto_scalarmult_ed25519_base_noclamp(scalar))


def prove(own: ExpandedKey, alpha: bytes) -> bytes:
    """Return the 80-byte proof of `alpha` under the key (RFC 9381 5.1)."""
    point = _point_of(own.public, alpha)
    gamma = sodium.crypto_scalarmult_ed25519_noclamp(own.scalar, point)
    nonce = int.from_bytes(hashlib.sha512(own.prefix + point).digest(), "little") % _Q
    k = nonce.to_bytes(32, "little")
    challenge = _challenge(
        own.public,
        point,
        gamma,
        sodium.crypto_scalarmult_ed25519_base_noclamp(k),
        sodium.crypto_scalarmult_ed25519_noclamp(k, point),
    )
    s = (nonce + int.from_bytes(challenge, "little") * int.from_bytes(own.scalar, "little")) % _Q
    return gamma + challenge + s.to_bytes(32, "little")


def output_of(proof: bytes) -> bytes:
    """Return the output, 64 bytes, of a proof of our own (RFC 9381 5.2).

    The proof is not verified.
    """
    # A proof is a point of 32 octets, a challenge of 16 and a scalar of 32 (RFC 9381, 5.5).
    return _output(proof[:32])


def verify_proof(public: bytes, alpha: bytes, proof: bytes) -> bytes | None:
    """Return the 64 bytes that a proof proves, or None (RFC 9381 5.3)."""
    # Its three parts, as in `output_of`.
    gamma, challenge, s = proof[:32], proof[32:48], proof[48:]
    if len(proof) != 80 or len(public) != 32 or int.from_bytes(s, "little") >= _Q:
        return None
    if not (sodium.crypto_core_ed25519_is_valid_point(public) and sodium.crypto_core_ed25519_is_valid_point(gamma)):
        return None
    point = _point_of(public, alpha)
    c = challenge + bytes(16)
    try:
        u = _difference(sodium.crypto_scalarmult_ed25519_base_noclamp(s), c, public)
        v = _difference(sodium.crypto_scalarmult_ed25519_noclamp(s, point), c, gamma)
    except (CryptoError, SodiumError):
        # libsodium has no neutral element: neither s nor c is ever 0 in a proof that anybody can make.
        return None
    return _output(gamma) if _challenge(public, point, gamma, u, v) == challenge else None


def _difference(left: bytes, times: bytes, point: bytes) -> bytes:
    return sodium.crypto_core_ed25519_sub(left, sodium.crypto_scalarmult_ed25519_noclamp(times, point))


def _challenge(*points: bytes) -> bytes:
    # The suite cuts a challenge to 16 octets (RFC 9381, 5.4.3 and 5.5).
    return hashlib.sha512(b"\x03\x02" + b"".join(points) + b"\x00").digest()[:16]


def _output(gamma: bytes) -> bytes:
    return hashlib.sha512(b"\x03\x03" + _eightfold(gamma) + b"\x00").digest()


def _eightfold(point: bytes) -> bytes:
    for _ in range(3):
        point = sodium.crypto_core_ed25519_add(point, point)
    return point


def _point_of(public: bytes, alpha: bytes) -> bytes:
    """Hash to a point by try and increment (RFC 9381 5.4.1.1)."""
    for count in range(256):
        candidate = hashlib.sha512(b"\x03\x01" + public + alpha + bytes((count, 0))).digest()[:32]
        if int.from_bytes(candidate, "little") % (1 << 255) >= _FIELD:
            continue
        try:
            point = _eightfold(candidate)
        # No point has this encoding: try the next counter (RFC 9381, 5.4.1.1).
        except (CryptoError, SodiumError):
            continue
        if sodium.crypto_core_ed25519_is_valid_point(point):
            return point
    raise ArithmeticError("no point in 256 hashes")
