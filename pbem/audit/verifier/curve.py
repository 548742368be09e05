"""The curve edwards25519 (RFC 8032 5.1) in plain integers: points read strictly, added and multiplied.

A point is (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z. Nothing here is secret, and nothing runs in constant time: this
is for checking what others have signed.
"""

from __future__ import annotations

__all__ = ["BASE", "NEUTRAL", "ORDER", "Point", "add", "decode", "double", "encode", "equal", "in_group", "multiply"]

Point = tuple[int, int, int, int]

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the group that BASE makes: a prime."""

_ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
_D2 = 2 * D % P
NEUTRAL: Point = (0, 1, 1, 0)


def decode(data: bytes) -> Point | None:
    """RFC 8032 5.1.3: the point of 32 bytes; None if there is none or it is written in another way than `encode`'s."""
    if len(data) != 32:
        return None
    number = int.from_bytes(data, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    if y >= P:
        return None
    above, below = (y * y - 1) % P, (D * y * y + 1) % P
    x = above * pow(below, 3, P) * pow(above * pow(below, 7, P), (P - 5) // 8, P) % P
    if (below * x * x - above) % P:
        x = x * _ROOT_OF_MINUS_ONE % P
        if (below * x * x - above) % P:
            return None
    if x == 0 and odd:
        return None
    if x & 1 != odd:
        x = P - x
    return x, y, 1, x * y % P


def encode(point: Point) -> bytes:
    """RFC 8032 5.1.2: the 32 bytes of a point."""
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


def add(one: Point, other: Point) -> Point:
    """RFC 8032 5.1.4: the sum of two points, also of a point with itself."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = t1 * _D2 * t2 % P, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def double(point: Point) -> Point:
    """The sum of a point with itself."""
    x, y, z, _ = point
    a, b = x * x, y * y
    h = a + b
    e, g = h - (x + y) ** 2, a - b
    f = 2 * z * z + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(*terms: tuple[int, Point]) -> Point:
    """The sum of `number` times `point` over the terms; numbers are 0 or more."""
    tables = []
    longest = 0
    for number, point in terms:
        table = [NEUTRAL, point]
        for _ in range(14):
            table.append(add(table[-1], point))
        tables.append((number, table))
        longest = max(longest, (number.bit_length() + 3) // 4)
    out = NEUTRAL
    for digit in range(longest - 1, -1, -1):
        out = double(double(double(double(out))))
        for number, table in tables:
            if nibble := number >> 4 * digit & 15:
                out = add(out, table[nibble])
    return out


def equal(one: Point, other: Point) -> bool:
    """Whether two points are the same, however their coordinates are scaled."""
    x1, y1, z1, _ = one
    x2, y2, z2, _ = other
    return (x1 * z2 - x2 * z1) % P == 0 and (y1 * z2 - y2 * z1) % P == 0


def in_group(point: Point) -> bool:
    """Whether a point is one of the ORDER - 1 multiples of BASE that are not neutral.

    The curve has eight times as many points; a key or a proof among the others could stand for several outputs.
    """
    return not equal(point, NEUTRAL) and equal(multiply((ORDER, point)), NEUTRAL)


def _base() -> Point:
    point = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    if point is None:
        raise ArithmeticError("the curve has no base point")
    return point


BASE = _base()
