"""Ed25519 in plain integers beside libsodium's: they agree on what is signed, and on what is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from pbem.verifier import curve
from pbem.verifier.curve import is_ed25519_signature_valid as verify

KEY = SigningKey(bytes(range(32)))
PUBLIC = bytes(KEY.verify_key)
TEXT = b"example.com/log\n5\n"
SIGNED = KEY.sign(TEXT).signature
SMALL = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"


def libsodium(public: bytes, message: bytes, signed: bytes) -> bool:
    try:
        VerifyKey(public).verify(message, signed)
    except (BadSignatureError, ValueError):
        return False
    return True


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=100), st.integers(0, 63))
def test_both_agree(seed, message, index):
    key = SigningKey(seed)
    public, signed = bytes(key.verify_key), key.sign(message).signature
    assert verify(public, message, signed)
    flipped = bytearray(signed)
    flipped[index] ^= 1
    assert verify(public, message, bytes(flipped)) is libsodium(public, message, bytes(flipped)) is False
    assert not verify(public, message + b"x", signed)


def test_every_flipped_byte_of_key_and_signature():
    for index in range(64):
        assert not verify(PUBLIC, TEXT, SIGNED[:index] + bytes([SIGNED[index] ^ 128]) + SIGNED[index + 1 :])
    for index in range(32):
        assert not verify(PUBLIC[:index] + bytes([PUBLIC[index] ^ 1]) + PUBLIC[index + 1 :], TEXT, SIGNED)


@pytest.mark.parametrize("signed", [b"", SIGNED[:63], SIGNED + b"\0"])
def test_a_signature_has_64_bytes(signed):
    assert not verify(PUBLIC, TEXT, signed)
    assert not verify(PUBLIC[:31], TEXT, SIGNED)


def test_a_scalar_is_written_in_one_way():
    larger = int.from_bytes(SIGNED[32:], "little") + curve.ORDER
    again = SIGNED[:32] + larger.to_bytes(32, "little")
    assert not verify(PUBLIC, TEXT, again)
    assert not libsodium(PUBLIC, TEXT, again)


def test_keys_and_points_of_small_order_sign_nothing():
    """Under the neutral key every message would have the signature (B, 1)."""
    neutral = curve.encode_point(curve.NEUTRAL)
    base = curve.encode_point(curve.BASE) + (1).to_bytes(32, "little")
    for public in (neutral, bytes.fromhex(SMALL)):
        assert not verify(public, TEXT, base)
        assert not libsodium(public, TEXT, base)
    zero = neutral + bytes(32)
    assert not verify(neutral, TEXT, zero)
    assert not libsodium(neutral, TEXT, zero)


def test_the_curve_is_the_one_of_the_rfc():
    assert curve.encode_point(curve.BASE).hex() == "58" + "66" * 31
    assert curve.is_same_point(curve.multiply_points((curve.ORDER, curve.BASE)), curve.NEUTRAL)
    assert curve.is_in_prime_subgroup(curve.BASE)
    assert not curve.is_in_prime_subgroup(curve.NEUTRAL)
    torsion = curve.decode_point(bytes.fromhex(SMALL))
    assert torsion is not None
    assert not curve.is_in_prime_subgroup(torsion)
    assert not curve.is_in_prime_subgroup(curve.add_points(torsion, curve.BASE))


@pytest.mark.parametrize(
    "data",
    [
        bytes(31),
        (2**255 - 19).to_bytes(32, "little"),
        (2**255 - 18).to_bytes(32, "little"),
        bytes([1]) + bytes(30) + bytes([128]),
        bytes([2]) + bytes(31),
    ],
    ids=["short", "p", "p+1", "minus zero", "no point"],
)
def test_what_is_no_point(data):
    assert curve.decode_point(data) is None


@settings(max_examples=20, deadline=None)
@given(st.integers(0, curve.ORDER - 1), st.integers(0, curve.ORDER - 1))
def test_points_add_up(scalar, other):
    both = curve.multiply_points((scalar, curve.BASE), (other, curve.BASE))
    assert curve.is_same_point(both, curve.multiply_points(((scalar + other) % curve.ORDER, curve.BASE)))
    assert curve.is_same_point(curve.double_point(both), curve.add_points(both, both))
    again = curve.decode_point(curve.encode_point(both))
    assert again is not None
    assert curve.is_same_point(both, again)
