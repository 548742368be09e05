"""The VRF by the RFC's vectors, prover and verifier apart from each other, and what both must refuse."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.audit import vrf
from pbem.verifier import curve

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["ecvrf_edwards25519_sha512_tai"]
REFUSED = VECTORS["must_be_refused"]
CHECKERS = [pytest.param(vrf.verify_proof, id="libsodium"), pytest.param(curve.vrf_output, id="plain")]
KEY = vrf.expand_key(bytes(range(32)))
ALPHA = b"pbemdice/v1/alpha\n"
PROOF = vrf.prove(KEY, ALPHA)
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]
TORSION = curve.decode_point(bytes.fromhex(SMALL[4]))


@pytest.mark.parametrize("case", VECTORS["cases"], ids=["16", "17", "18"])
def test_the_examples_of_the_rfc(case: Any):
    key, alpha = vrf.expand_key(bytes.fromhex(case["sk"])), bytes.fromhex(case["alpha"])
    proof = vrf.prove(key, alpha)
    assert (proof.hex(), vrf.output_of(proof).hex()) == (case["pi"], case["beta"])
    assert (
        vrf.verify_proof(key.public, alpha, proof) == curve.vrf_output(key.public, alpha, proof) == vrf.output_of(proof)
    )


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_what_is_proven_is_believed_by_both(secret, alpha):
    key = vrf.expand_key(secret)
    proof = vrf.prove(key, alpha)
    assert proof == vrf.prove(key, alpha)
    assert curve.decode_vrf_key(key.public) is not None
    assert (
        vrf.verify_proof(key.public, alpha, proof) == curve.vrf_output(key.public, alpha, proof) == vrf.output_of(proof)
    )


@pytest.mark.parametrize("check", CHECKERS)
def test_a_proof_of_an_old_draft_is_refused_though_its_output_is_right(check):
    """The drafts left the key out of the challenge."""
    key = vrf.expand_key(bytes.fromhex(VECTORS["cases"][0]["sk"]))
    old = bytes.fromhex(REFUSED["pi_of_an_old_draft_for_example_16_same_beta"])
    assert vrf.output_of(old).hex() == VECTORS["cases"][0]["beta"]
    assert check(key.public, b"", old) is None


@pytest.mark.parametrize("check", CHECKERS)
@pytest.mark.parametrize("number", [*SMALL, REFUSED["small_order_key"]])
def test_a_key_of_small_order_is_refused(check, number):
    public = bytes.fromhex(number)
    assert curve.decode_vrf_key(public) is None
    assert check(public, ALPHA, PROOF) is None
    # Under the neutral key the challenge drops out, and anybody could make this proof.
    assert check(public, ALPHA, _forged(public)) is None


def _forged(public: bytes) -> bytes:
    """A proof without a secret: Gamma of small order, so that U = s B and V = s H whatever the challenge."""
    gamma = bytes.fromhex(SMALL[0])
    h = _hashed(public)
    u, v = curve.encode_point(curve.multiply_points((5, curve.BASE))), curve.encode_point(curve.multiply_points((5, h)))
    c = hashlib.sha512(b"\x03\x02" + public + curve.encode_point(h) + gamma + u + v + b"\x00").digest()[:16]
    return gamma + c + (5).to_bytes(32, "little")


def _hashed(public: bytes) -> curve.Point:
    for count in range(256):
        point = curve.decode_point(hashlib.sha512(b"\x03\x01" + public + ALPHA + bytes((count, 0))).digest()[:32])
        if point is not None:
            return curve.multiply_points((8, point))
    raise AssertionError


@pytest.mark.parametrize("check", CHECKERS)
def test_a_proof_written_in_another_way_is_refused(check):
    gamma, c, s = PROOF[:32], PROOF[32:48], int.from_bytes(PROOF[48:], "little")
    assert check(KEY.public, ALPHA, PROOF) == vrf.output_of(PROOF)
    larger = (s + curve.ORDER).to_bytes(32, "little")
    assert check(KEY.public, ALPHA, gamma + c + larger) is None
    wrapped = (2**255 - 19 + 1).to_bytes(32, "little")
    assert check(KEY.public, ALPHA, wrapped + PROOF[32:]) is None
    for bad in (b"", PROOF[:-1], PROOF + b"\0", bytes(80)):
        assert check(KEY.public, ALPHA, bad) is None


@pytest.mark.parametrize("check", CHECKERS)
def test_a_second_proof_of_the_same_output_is_refused(check):
    """Gamma plus a point of order eight has the same eightfold; the challenge is ground until it is a multiple of 8."""
    assert TORSION is not None
    gamma = curve.encode_point(curve.add_points(_point(PROOF[:32]), TORSION))
    h = _hashed(KEY.public)
    for nonce in range(1, 200):
        u, v = (curve.encode_point(curve.multiply_points((nonce, point))) for point in (curve.BASE, h))
        c = hashlib.sha512(b"\x03\x02" + KEY.public + curve.encode_point(h) + gamma + u + v + b"\x00").digest()[:16]
        if c[0] % 8 == 0:
            break
    secret = int.from_bytes(KEY.scalar, "little")
    s = (nonce + int.from_bytes(c, "little") * secret) % curve.ORDER
    second = gamma + c + s.to_bytes(32, "little")
    assert vrf.output_of(second) == vrf.output_of(PROOF)
    assert check(KEY.public, ALPHA, second) is None


def _point(data: bytes) -> curve.Point:
    point = curve.decode_point(data)
    assert point is not None
    return point


@pytest.mark.parametrize("check", CHECKERS)
def test_every_flipped_byte_is_noticed(check):
    for index in range(80):
        flipped = bytearray(PROOF)
        flipped[index] ^= 1
        assert check(KEY.public, ALPHA, bytes(flipped)) is None
    assert check(KEY.public, ALPHA + b" ", PROOF) is None
    assert check(vrf.expand_key(bytes(32)).public, ALPHA, PROOF) is None


def test_keys_are_32_bytes():
    with pytest.raises(ValueError, match="32 bytes"):
        vrf.expand_key(bytes(31))
    assert curve.decode_vrf_key(KEY.public + b"\0") is None
    assert curve.vrf_output(KEY.public[:31], ALPHA, PROOF) is None
    assert vrf.verify_proof(KEY.public[:31], ALPHA, PROOF) is None


def test_a_key_that_is_not_of_the_prime_order_group_is_refused():
    assert TORSION is not None
    mixed = curve.encode_point(curve.add_points(_point(KEY.public), TORSION))
    assert curve.decode_vrf_key(mixed) is None
    assert vrf.verify_proof(mixed, ALPHA, PROOF) is None
