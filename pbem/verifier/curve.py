"""Verify Ed25519 signatures (RFC 8032) and VRF proofs (RFC 9381, suite 03).

Both use the curve edwards25519. A point is (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z. Nothing here is
secret, and nothing runs in constant time.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

Point = tuple[int, int, int, int]

FIELD = 2**255 - 19
"""The prime of the field of edwards25519 (RFC 8032, 5.1: p)."""
D = -121665 * pow(121666, -1, FIELD) % FIELD
"""The number of its curve -x² + y² = 1 + d x² y² (RFC 8032, 5.1: d)."""
ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the group that BASE makes: a prime."""

TWICE_D = 2 * D % FIELD
"""Twice `D`, as the sum of two points needs it (RFC 8032, 5.1.4)."""
NEUTRAL: Point = (0, 1, 1, 0)


@lru_cache(maxsize=4096)
def decode(data: bytes) -> Point | None:
    """RFC 8032 5.1.3: Decode a point of 32 bytes; return None unless canonical.

    Canonical is what `encode` writes.
    """
    if len(data) != 32:
        return None
    number = int.from_bytes(data, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    if y >= FIELD:
        return None
    above, below = (y * y - 1) % FIELD, (D * y * y + 1) % FIELD
    x = above * pow(below, 3, FIELD) * pow(above * pow(below, 7, FIELD), (FIELD - 5) // 8, FIELD) % FIELD
    if (below * x * x - above) % FIELD:
        x = x * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
        if (below * x * x - above) % FIELD:
            return None
    if x == 0 and odd:
        return None
    if x & 1 != odd:
        x = FIELD - x
    return x, y, 1, x * y % FIELD


def encode(point: Point) -> bytes:
    """RFC 8032 5.1.2: Encode a point in 32 bytes."""
    x, y, z, _ = point
    inverse = pow(z, -1, FIELD)
    return (y * inverse % FIELD | (x * inverse % FIELD & 1) << 255).to_bytes(32, "little")


def add(left: Point, right: Point) -> Point:
    """RFC 8032 5.1.4: Add two points; they may be the same."""
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = t1 * TWICE_D * t2 % FIELD, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def double(point: Point) -> Point:
    """Add a point to itself."""
    x, y, z, _ = point
    a, b = x * x, y * y
    h = a + b
    e, g = h - (x + y) ** 2, a - b
    f = 2 * z * z + g
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def multiply(*terms: tuple[int, Point]) -> Point:
    """Return the sum of `number` times `point` over the terms; numbers are 0 or more."""
    tables, longest = [], 0
    for number, point in terms:
        tables.append((number, multiples_of(point)))
        longest = max(longest, (number.bit_length() + 3) // 4)
    total = NEUTRAL
    for digit in range(longest - 1, -1, -1):
        total = double(double(double(double(total))))
        for number, table in tables:
            if nibble := number >> 4 * digit & 15:
                total = add(total, table[nibble])
    return total


@lru_cache(maxsize=64)
def multiples_of(point: Point) -> tuple[Point, ...]:
    """Return a point times 0 to 15."""
    table = [NEUTRAL, point]
    for _ in range(14):
        table.append(add(table[-1], point))
    return tuple(table)


def negative(point: Point) -> Point:
    x, y, z, t = point
    return -x, y, z, -t


def equal(left: Point, right: Point) -> bool:
    """Return whether two points are the same, whatever their scale."""
    x1, y1, z1, _ = left
    x2, y2, z2, _ = right
    return (x1 * z2 - x2 * z1) % FIELD == 0 and (y1 * z2 - y2 * z1) % FIELD == 0


def in_group(point: Point) -> bool:
    """Return whether a point is a multiple of BASE and not neutral.

    The curve has eight times as many points; a key or a proof among the others could stand for several outputs.
    """
    return not equal(point, NEUTRAL) and equal(multiply((ORDER, point)), NEUTRAL)


def base_point() -> Point:
    point = decode((4 * pow(5, -1, FIELD) % FIELD).to_bytes(32, "little"))
    if point is None:
        raise ArithmeticError("the curve has no base point")
    return point


BASE = base_point()


@lru_cache(maxsize=4096)
def ed25519(public: bytes, message: bytes, signed: bytes) -> bool:
    """RFC 8032 5.1.7: Verify a signature without the cofactor, as libsodium does.

    A key or a point of small order is refused.
    """
    key, point = decode(public), decode(signed[:32])
    if len(signed) != 64 or key is None or point is None:
        return False
    s = int.from_bytes(signed[32:], "little")
    small = any(equal(multiply((8, tested)), NEUTRAL) for tested in (key, point))
    if s >= ORDER or small:
        return False
    challenge = int.from_bytes(hashlib.sha512(signed[:32] + public + message).digest(), "little") % ORDER
    return equal(multiply((s, BASE), (challenge, negative(key))), point)


@lru_cache(maxsize=64)
def vrf_key(public: bytes) -> Point | None:
    """RFC 9381 5.4.5: Return the point of a VRF key.

    None if it is not canonical, or of another order.
    """
    point = decode(public)
    return point if point is not None and in_group(point) else None


@lru_cache(maxsize=4096)
def vrf_output(public: bytes, alpha: bytes, proof: bytes) -> bytes | None:
    """RFC 9381 5.3: Return the 64 bytes proven for `alpha`, or None.

    The suite is ECVRF-EDWARDS25519-SHA512-TAI. A proof is a point Gamma (32 bytes), a challenge c (16,
    little-endian) and a scalar s (32, little-endian). That Gamma must be of the group of prime order is more
    than the RFC asks, and refuses nothing that is made by its rules.
    """
    key, gamma = vrf_key(public), decode(proof[:32])
    c, s = int.from_bytes(proof[32:48], "little"), int.from_bytes(proof[48:], "little")
    if len(proof) != 80 or key is None or gamma is None or s >= ORDER or not in_group(gamma):
        return None
    h = hash_to_point(public, alpha)
    u, v = multiply((s, BASE), (c, negative(key))), multiply((s, h), (c, negative(gamma)))
    points = public + encode(h) + proof[:32] + encode(u) + encode(v)
    if hashlib.sha512(b"\3\2" + points + b"\0").digest()[:16] != proof[32:48]:
        return None
    return hashlib.sha512(b"\3\3" + encode(multiply((8, gamma))) + b"\0").digest()


def hash_to_point(public: bytes, alpha: bytes) -> Point:
    """RFC 9381 5.4.1.1: Return the first of 256 hashes that is a point, times eight."""
    for count in range(256):
        point = decode(hashlib.sha512(b"\3\1" + public + alpha + bytes([count, 0])).digest()[:32])
        if point is not None:
            eight = multiply((8, point))
            if not equal(eight, NEUTRAL):
                return eight
    raise ArithmeticError("no point in 256 hashes: as likely as guessing a key")
