"""Verify the beacon's BLS signatures on BLS12-381 (signatures in G1, keys in G2).

Suite BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_, RFC 9380 for the hash to the curve. A signature is right
if e(signature, G2's generator) = e(H(message), public key). Nothing here is secret, and nothing runs in
constant time.

A number modulo P is an int; of its square extension a pair (a, b) = a + bi with i^2 = -1; of the extension
of degree twelve a list of six such pairs, the coefficients of 1, w, w^2, ... with w^6 = 1 + i. Points are
(x, y), None is zero.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
"""The prime of the field of BLS12-381 (RFC 9380, 8.8.1: p)."""
R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
"""The prime order of its groups."""
X = 0xD201000000010000
"""The parameter of the curves, which is negative: P and the order R are polynomials in it."""

BLS_SUITE = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"

Pair = tuple[int, int]
Twelve = list[Pair]
G1 = tuple[int, int] | None
G2 = tuple[Pair, Pair] | None

ONE: Twelve = [(1, 0), *[(0, 0)] * 5]
GENERATOR: G2 = (
    (
        0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
        0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
    ),
    (
        0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
        0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
    ),
)


# The extensions of the field


def multiply_in_fp2(left: Pair, right: Pair) -> Pair:
    (a, b), (c, d) = left, right
    low, high = a * c, b * d
    return (low - high) % P, ((a + b) * (c + d) - low - high) % P


def add_in_fp2(left: Pair, right: Pair) -> Pair:
    return (left[0] + right[0]) % P, (left[1] + right[1]) % P


def subtract_in_fp2(left: Pair, right: Pair) -> Pair:
    return (left[0] - right[0]) % P, (left[1] - right[1]) % P


def divide_in_fp2(left: Pair, right: Pair) -> Pair:
    a, b = right
    inverse = pow(a * a + b * b, -1, P)
    return multiply_in_fp2(left, (a * inverse % P, -b * inverse % P))


def multiply_in_fp12(left: Twelve, right: Twelve) -> Twelve:
    """Return the product; zeros in `right`, which lines have, are skipped."""
    low, high = [0] * 11, [0] * 11
    for n, (c, d) in enumerate(right):
        if c or d:
            for m, (a, b) in enumerate(left, n):
                low[m] += a * c - b * d
                high[m] += a * d + b * c
    for n in range(5):  # w^6 = 1 + i
        low[n], high[n] = low[n] + low[n + 6] - high[n + 6], high[n] + high[n + 6] + low[n + 6]
    return [(low[n] % P, high[n] % P) for n in range(6)]


def power_in_fp12(base: Twelve, exponent: int) -> Twelve:
    """Return a power, taking four bits of the exponent at a time."""
    powers = [ONE, base]
    for _ in range(14):
        powers.append(multiply_in_fp12(powers[-1], base))
    product = ONE
    for place in range((exponent.bit_length() + 3) // 4 - 1, -1, -1):
        for _ in range(4):
            product = multiply_in_fp12(product, product)
        if digit := exponent >> 4 * place & 15:
            product = multiply_in_fp12(product, powers[digit])
    return product


# Points


def slope_in_g1(left: tuple[int, int], right: tuple[int, int]) -> int | None:
    """Return the slope through two points of G1, or of the tangent; None if vertical."""
    if left[0] != right[0]:
        return (right[1] - left[1]) * pow(right[0] - left[0], -1, P) % P
    return 3 * left[0] * left[0] * pow(2 * left[1], -1, P) % P if (left[1] + right[1]) % P else None


def add_in_g1(left: G1, right: G1) -> G1:
    """Return the sum of two points of G1."""
    if left is None or right is None:
        return left or right
    slope = slope_in_g1(left, right)
    if slope is None:
        return None
    x = (slope * slope - left[0] - right[0]) % P
    return x, (slope * (left[0] - x) - left[1]) % P


def multiple_in_g1(number: int, point: G1) -> G1:
    total: G1 = None
    for bit in bin(number)[2:]:
        total = add_in_g1(total, total)
        if bit == "1":
            total = add_in_g1(total, point)
    return total


def slope_in_g2(left: tuple[Pair, Pair], right: tuple[Pair, Pair]) -> Pair | None:
    if left[0] != right[0]:
        return divide_in_fp2(subtract_in_fp2(right[1], left[1]), subtract_in_fp2(right[0], left[0]))
    square = multiply_in_fp2(left[0], left[0])
    return None if left[1] != right[1] else divide_in_fp2(multiply_in_fp2((3, 0), square), add_in_fp2(left[1], left[1]))


def add_in_g2(left: G2, right: G2) -> G2:
    """Return the sum of two points of G2."""
    if left is None or right is None:
        return left or right
    slope = slope_in_g2(left, right)
    if slope is None:
        return None
    x = subtract_in_fp2(subtract_in_fp2(multiply_in_fp2(slope, slope), left[0]), right[0])
    return x, subtract_in_fp2(multiply_in_fp2(slope, subtract_in_fp2(left[0], x)), left[1])


def square_root_in_fp(square: int) -> int | None:
    """Return a square root modulo P, or None."""
    candidate = pow(square, (P + 1) // 4, P)
    return candidate if candidate * candidate % P == square % P else None


def square_root_in_fp2(square: Pair) -> Pair | None:
    a, b = square
    norm = square_root_in_fp(a * a + b * b)
    for sign in (1, -1) if norm is not None and b else ():
        half = square_root_in_fp((a + sign * (norm or 0)) * pow(2, -1, P))
        if half:
            return half, b * pow(2 * half, -1, P) % P
    return None


@lru_cache(maxsize=64)
def read_g1(data: bytes) -> G1:
    """Return the point encoded in 48 bytes.

    None unless it is on the curve, in the group and not zero.
    """
    number = int.from_bytes(data, "big")
    x, flags = number & (1 << 381) - 1, number >> 381
    y = square_root_in_fp(x**3 + 4)
    if len(data) != 48 or x >= P or flags not in (0b100, 0b101) or y is None:
        return None
    point = (x, y if (y > P // 2) == bool(flags & 1) else P - y)
    return point if multiple_in_g1(R, point) is None else None


@lru_cache(maxsize=8)
def read_g2(data: bytes) -> G2:
    """Return the point encoded in 96 bytes.

    None unless it is on the curve, in the group and not zero.
    """
    # The two coordinates of x have 48 octets each; the first three bits are flags.
    number = int.from_bytes(data[:48], "big")
    x = int.from_bytes(data[48:], "big"), number & (1 << 381) - 1
    flags = number >> 381
    y = square_root_in_fp2(add_in_fp2(multiply_in_fp2(multiply_in_fp2(x, x), x), (4, 4)))
    if len(data) != 96 or max(x) >= P or flags not in (0b100, 0b101) or y is None:
        return None
    if ((y[1] or y[0]) > P // 2) != bool(flags & 1):
        y = -y[0] % P, -y[1] % P
    point: G2 = (x, y)
    total: G2 = None
    for bit in bin(R)[2:]:
        total = add_in_g2(total, total)
        if bit == "1":
            total = add_in_g2(total, point)
    return point if total is None else None


# From a message to a point, RFC 9380: to two numbers, from each to a point of another curve (ISO), by an isogeny of
# degree 11 to the curve of G1, their sum, and that into the group.

ISO_A = 0x144698A3B8E9433D693A02C96D4982B0EA985383EE66A8D8E8981AEFD881AC98936F8DA0E0F97F5CF428082D584C1D
"""The curve isogenous to G1 is y² = x³ + A x + B (RFC 9380, 8.8.1: A')."""
ISO_B = 0x12E2908D11688030018B12E8753EEE3B2016C1F0F24F4070A0B9C14FCEF35EF55A23215A316CEAA5D1CC48E98E172BE0
"""The other coefficient of that curve (RFC 9380, 8.8.1: B')."""
ISO_Z = 11
"""The constant Z of the map to that curve, which has no square root modulo P (RFC 9380, 8.8.1)."""
KERNEL = (
    0x133341FB0962A34CB0504A9C4FADA0A5090D38679B4C040D5D1C3AFB023A3409FCC0815FEA66D8B02BBEF9C8B5A66E07,
    0x0264908AF037BCEDE00D054CF5D4775E83EB6CF63C76B969F8ED174FB59FCFF78D201F46F6CFC4ED6552E59CE75177B0,
    0x1335C502C1F54C49ACEEA65E87FD7203BA0F626F305FC0CFD606A5DAE9F3C8E81A4B3B69600129FABD307C69BF319D39,
    0x094440F65F408A6E930E16E3E92DD17BF60D6E9679A8D3D58593DE55AC23703042D609537EB3549AAC234D896CA82944,
    0x04AFE09D5CF4956A23B6B71F59D2B3407B415A774B7BE81BBB6FA99CBC798E0AC98BA725A5BC328016B1C268B4766E85,
    1,
)
"""The polynomial, constant first, whose five roots are the x of the points that the isogeny sends to zero."""


def hash_to_field(message: bytes, suite: bytes = BLS_SUITE) -> list[int]:
    """Hash a message to two numbers modulo P (RFC 9380 5.2, 5.3.1).

    This is hash_to_field with expand_message_xmd and SHA-256.
    """
    tail = suite + bytes([len(suite)])
    first = hashlib.sha256(bytes(64) + message + (128).to_bytes(2, "big") + b"\0" + tail).digest()
    blocks = [hashlib.sha256(first + b"\1" + tail).digest()]
    for n in range(2, 5):
        mixed = bytes(a ^ b for a, b in zip(first, blocks[-1], strict=True))
        blocks.append(hashlib.sha256(mixed + bytes([n]) + tail).digest())
    wide = b"".join(blocks)
    # 64 octets for each number: so many more than a number has make the remainder even (RFC 9380, 5.2: L).
    return [int.from_bytes(wide[:64], "big") % P, int.from_bytes(wide[64:], "big") % P]


def map_to_curve(u: int) -> tuple[int, int]:
    """Map a number to y^2 = x^3 + ISO_A x + ISO_B (simplified SWU, RFC 9380 6.6.2)."""
    below = (ISO_Z * ISO_Z * pow(u, 4, P) + ISO_Z * u * u) % P
    x = -ISO_B * pow(ISO_A, -1, P) * (1 + pow(below, -1, P)) if below else ISO_B * pow(ISO_Z * ISO_A, -1, P)
    y = square_root_in_fp(x**3 + ISO_A * x + ISO_B)
    if y is None:
        x = ISO_Z * u * u * x
        y = square_root_in_fp(x**3 + ISO_A * x + ISO_B) or 0
    return x % P, y if y % 2 == u % 2 else P - y


def apply_isogeny(point: tuple[int, int]) -> G1:
    """Apply the isogeny, by Kohel's formula from its kernel, and divide by 11.

    The result is a point of the curve of G1.
    """
    x, y = point
    h, *derived = (0, 0, 0, 0)
    for coefficient in reversed(KERNEL):  # h, h', h''/2, h'''/6 at x
        derived[2] = (derived[2] * x + derived[1]) % P
        derived[1] = (derived[1] * x + derived[0]) % P
        derived[0] = (derived[0] * x + h) % P
        h = (h * x + coefficient) % P
    if h == 0:
        return None
    inverse = pow(h, -1, P)
    g, second, third = derived[0] * inverse % P, 2 * derived[1] * inverse % P, 6 * derived[2] * inverse % P
    g1 = (second - g * g) % P
    g2 = (third - second * g - 2 * g * g1) % P
    f, f1, f2 = x**3 + ISO_A * x + ISO_B, 3 * x * x + ISO_A, 6 * x
    numerator = 11 * x + 2 * KERNEL[4] - 4 * f * g1 - 2 * f1 * g
    slope = 11 - 6 * f1 * g1 - 4 * f * g2 - 2 * f2 * g
    return numerator * pow(121, -1, P) % P, y * slope * pow(1331, -1, P) % P


def hash_to_curve(message: bytes, suite: bytes = BLS_SUITE) -> G1:
    """Hash a message to a point of G1 (hash_to_curve, RFC 9380 3)."""
    first, second = (apply_isogeny(map_to_curve(u)) for u in hash_to_field(message, suite))
    return multiple_in_g1(1 + X, add_in_g1(first, second))


# The pairing


def miller_product(pairs: list[tuple[tuple[int, int], tuple[Pair, Pair]]]) -> Twelve:
    """Return the product of the pairings of these points, before the last power.

    This is Miller's loop over the bits of X. A line through points of the twisted curve, at (x, y) of G1, is
    y w^3 - slope x w^2 + (slope x' - y').
    """
    product, points = ONE, [q for _, q in pairs]
    for bit in bin(X)[3:]:
        product = multiply_in_fp12(product, product)
        for step in ("double", "add") if bit == "1" else ("double",):
            for n, ((x, y), q) in enumerate(pairs):
                current = points[n]
                addend = current if step == "double" else q
                slope, following = slope_in_g2(current, addend), add_in_g2(current, addend)
                if slope is None or following is None:
                    raise ArithmeticError("a point of another order")
                points[n] = following
                rest = subtract_in_fp2(multiply_in_fp2(slope, current[0]), current[1])
                line: Twelve = [rest, (0, 0), multiply_in_fp2(slope, (-x % P, 0)), (y, 0), (0, 0), (0, 0)]
                product = multiply_in_fp12(product, line)
    return product


def is_pairing_one(product: Twelve) -> bool:
    """Return whether product^((P^12 - 1) / R) is 1.

    (P^12 - 1) / R = (P^6 - 1)(P^2 + 1)(P^4 - P^2 + 1) / R. The power P^2 multiplies w by a root of unity, P^6 by -1.
    """
    turn = pow(2, (P - 1) // 6, P)  # that root: (1 + i)^((P^2 - 1) / 6), where (1 + i)^(P + 1) = 2
    turned = [(a * pow(turn, n, P) % P, b * pow(turn, n, P) % P) for n, (a, b) in enumerate(product)]
    power = power_in_fp12(multiply_in_fp12(turned, product), (P**4 - P**2 + 1) // R)
    conjugate = [pair if n % 2 == 0 else (-pair[0] % P, -pair[1] % P) for n, pair in enumerate(power)]
    return power == conjugate and any(map(any, power))


# A signature of a beacon is in many letters, and its check takes long.
@lru_cache(maxsize=4096)
def is_bls_signature_valid(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a 48-byte signature verifies under a 96-byte key."""
    signed, key, point = read_g1(signature), read_g2(public), hash_to_curve(message)
    if signed is None or key is None or point is None or GENERATOR is None:
        return False
    return is_pairing_one(miller_product([((signed[0], -signed[1] % P), GENERATOR), (point, key)]))
