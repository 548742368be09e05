"""Beacon rounds: the recorded ones of quicknet, which round belongs to which moment, and what is refused."""

import hashlib
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit import beacon
from pbem.audit.beacon import (
    KNOWN_CHAINS,
    QUICKNET,
    Beacon,
    BeaconRound,
    first_round_from,
    parse_info,
    parse_round,
    round_time,
)
from pbem.audit.blocks import Malformed

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["drand_quicknet"]
ROUNDS = {vector["round"]: bytes.fromhex(vector["signature"]) for vector in VECTORS["rounds"]}
INFO = {
    "public_key": QUICKNET.public.hex(),
    "period": 3,
    "genesis_time": 1692803367,
    "hash": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "groupHash": "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    "schemeID": "bls-unchained-g1-rfc9380",
    "metadata": {"beaconID": "quicknet"},
}


def test_quicknet_is_the_published_one():
    assert QUICKNET.public.hex() == VECTORS["public_key"]
    assert (QUICKNET.genesis, QUICKNET.period) == (VECTORS["genesis"], VECTORS["period"])
    assert parse_info(json.dumps(INFO).encode()) == QUICKNET
    assert list(KNOWN_CHAINS) == [INFO["hash"]]


@pytest.mark.parametrize("number", ROUNDS)
def test_the_recorded_rounds(number):
    assert beacon.verify_round(QUICKNET, number, ROUNDS[number]) is True
    assert beacon.verify_round(QUICKNET, number + 1, ROUNDS[number]) is False
    assert beacon.verify_round(QUICKNET, number - 1, ROUNDS[number]) is False


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS["rounds"] if vector["randomness"]], ids=lambda vector: vector["round"]
)
def test_the_randomness_of_a_round(vector):
    assert hashlib.sha256(ROUNDS[vector["round"]]).hexdigest() == vector["randomness"]
    answer = {key: vector[key] for key in ("round", "randomness", "signature")}
    assert parse_round(json.dumps(answer).encode()) == BeaconRound(vector["round"], ROUNDS[vector["round"]])


@pytest.mark.parametrize(
    "signature",
    [b"", bytes(48), b"\xc0" + bytes(47), ROUNDS[1000][:-1], ROUNDS[1000] + b"\0", bytes([ROUNDS[1000][0] ^ 32])],
    ids=["none", "zeros", "infinity", "short", "long", "one byte"],
)
def test_what_is_no_signature(signature):
    assert beacon.verify_round(QUICKNET, 1000, signature) is False


def test_a_round_of_another_chain():
    mirrored = bytes([ROUNDS[1000][0] ^ 32]) + ROUNDS[1000][1:]
    assert beacon.verify_round(QUICKNET, 1000, mirrored) is False
    other = QUICKNET._replace(public=bytes([QUICKNET.public[0] ^ 32]) + QUICKNET.public[1:])
    assert beacon.verify_round(other, 1000, ROUNDS[1000]) is False
    assert beacon.verify_round(QUICKNET._replace(public=b"\xc0" + bytes(95)), 1000, ROUNDS[1000]) is False
    assert beacon.verify_round(QUICKNET._replace(public=bytes(96)), 1000, ROUNDS[1000]) is False
    assert other.hash != QUICKNET.hash


def test_without_the_library_nothing_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "py_arkworks_bls12381", None)
    beacon.is_library_installed.cache_clear()
    try:
        assert beacon.verify_round(QUICKNET, 1000, ROUNDS[1000]) is None
        assert beacon.verify_round(QUICKNET, 1000, bytes(48)) is None
    finally:
        beacon.is_library_installed.cache_clear()


@pytest.mark.parametrize(
    ("second", "number"),
    [
        (QUICKNET.genesis, 1),
        (QUICKNET.genesis - 1, 1),
        (0, 1),
        (QUICKNET.genesis + 1, 2),
        (QUICKNET.genesis + 3, 2),
        (QUICKNET.genesis + 4, 3),
        (1692806364, 1000),
    ],
)
def test_the_round_at_a_moment(second, number):
    assert first_round_from(QUICKNET, second) == number


@given(st.integers(1, 10**10), st.integers(1, 60), st.integers(0, 10**9))
def test_the_first_round_at_or_after(second, period, genesis):
    chain = Beacon(period, genesis, b"", b"", "")
    number = first_round_from(chain, second)
    assert round_time(chain, number) >= second
    assert number == 1 or round_time(chain, number - 1) < second


def test_there_is_no_round_0():
    with pytest.raises(ValueError, match="no round 0"):
        round_time(QUICKNET, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"period": 30},
        {"genesis_time": 1692803368},
        {"public_key": "00" * 96},
        {"groupHash": "00" * 32},
        {"metadata": {}},
        {"metadata": {"beaconID": "quicknet2"}},
        {"hash": "00" * 32},
        {"period": "3"},
        {"period": True},
        {"public_key": "xyz"},
    ],
)
def test_a_chain_is_bound_by_its_hash(change):
    with pytest.raises(Malformed):
        parse_info(json.dumps({**INFO, **change}).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"round": 1000}',
        b'{"round": "1000", "signature": "%s"}' % ROUNDS[1000].hex().encode(),
        b'{"round": 1000, "signature": "abcd"}',
        b'{"round": -1, "signature": "%s"}' % ROUNDS[1000].hex().encode(),
        b'{"round": 1000, "randomness": "00", "signature": "%s"}' % ROUNDS[1000].hex().encode(),
    ],
)
def test_what_is_no_round(data):
    with pytest.raises(Malformed):
        parse_round(data)
