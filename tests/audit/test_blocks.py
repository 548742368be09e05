"""The bytes that are hashed, letter by letter."""

import base64
import hashlib
import hmac
from typing import Any

import pytest

from pbem.audit import keys
from pbem.audit.blocks import Commitment, Slate, alpha, block, die, slate

KEY = bytes(range(32))
COMMITS = {"spain": Commitment(2, b"s" * 32), "morocco": Commitment(0, b"m" * 32)}
FACTS: dict[str, Any] = {
    "game": "wt-042",
    "phase": "T3.spain~1",
    "segment": 1,
    "previous": "-",
    "edition": "sha256:" + "0" * 64,
    "state": "hmac:" + "f" * 64,
    "beacon": "none",
}
SLATE = (
    "pbemdice/v1/slate\n"
    "game wt-042\n"
    "phase T3.spain~1\n"
    "segment 1\n"
    "previous -\n"
    f"edition sha256:{'0' * 64}\n"
    f"state hmac:{'f' * 64}\n"
    "beacon none\n"
    f"seat morocco 0 {base64.b64encode(b'm' * 32).decode()}\n"
    f"seat spain 2 {base64.b64encode(b's' * 32).decode()}\n"
).encode()


def test_a_die_block():
    assert die("B>C/shock attacker", 0) == b"pbemdice/v1/die\nlabel B>C/shock attacker\nblock 0\n"


def test_a_slate_whatever_the_order_of_its_seats():
    assert slate(Slate(**FACTS, seats=COMMITS)) == SLATE
    assert slate(Slate(**FACTS, seats=dict(reversed(COMMITS.items())))) == SLATE


def test_an_alpha_with_and_without_a_beacon():
    head = b"pbemdice/v1/alpha\ngroup all\nslate " + hashlib.sha256(SLATE).hexdigest().encode()
    assert alpha(SLATE) == head + b"\nbeacon none\n"
    assert alpha(SLATE, b"signature") == head + b"\nbeacon " + hashlib.sha256(b"signature").hexdigest().encode() + b"\n"


@pytest.mark.parametrize("value", ["two\nlines", "two\rlines", "", "para\u2029graph"])
def test_a_value_is_one_line(value):
    with pytest.raises(ValueError, match="one line"):
        block("die", (("label", value),))


@pytest.mark.parametrize("word", ["", "Label", "a b", "a\n"])
def test_a_key_and_a_kind_are_words(word):
    with pytest.raises(ValueError, match="lower-case word"):
        block("die", ((word, "x"),))
    with pytest.raises(ValueError, match="lower-case word"):
        block(word, ())


@pytest.mark.parametrize(
    ("fact", "value"),
    [("game", "wt 042"), ("game", "w" * 65), ("edition", "f" * 64), ("state", "sha256:" + "0" * 64), ("previous", "")],
)
def test_a_slate_refuses_what_it_could_not_be_read_back_from(fact, value):
    with pytest.raises(ValueError, match=r"id holds|digest reads"):
        slate(Slate(**{**FACTS, fact: value}, seats=COMMITS))


def of_key(key):
    """Secrets that a test can reckon; those of a server come with proofs."""
    return lambda of: hmac.new(key, of, hashlib.sha512).digest()


def test_a_commitment_by_hand():
    seat = b"pbemdice/v1/salt\ngame wt-042\nphase T3.spain~1\nseat spain\n"
    inner = hmac.new(KEY, seat, hashlib.sha512).digest()
    salt = hmac.new(inner, b"pbemdice/v1/ordersalt\nrev 2\n", hashlib.sha256).digest()
    assert keys.order_salt(of_key(KEY), game="wt-042", phase="T3.spain~1", seat="spain", revision=2) == salt
    text = "MOVE Leon TO C\n"
    assert keys.commit(salt, text) == hashlib.sha256(b"pbemdice/v1/order\n" + salt + text.encode()).digest()


def test_a_salt_belongs_to_one_revision_of_one_seat_of_one_phase():
    facts: dict[str, Any] = {"game": "wt-042", "phase": "T3.spain~1", "seat": "spain", "revision": 2}
    others: list[dict[str, Any]] = [
        {"game": "wt-043"},
        {"phase": "T3.spain~2"},
        {"seat": "morocco"},
        {"revision": 3},
        {},
    ]
    assert len({keys.order_salt(of_key(KEY), **{**facts, **other}) for other in others}) == len(others)


def test_a_blinded_digest_needs_the_key():
    state = '{"turn":3}'
    blind = keys.blinded(of_key(KEY), game="wt-042", phase="T3.spain~1", text=state)
    inner = hmac.new(KEY, b"pbemdice/v1/blind\ngame wt-042\nphase T3.spain~1\n", hashlib.sha512).digest()
    assert blind == "hmac:" + hmac.new(inner, state.encode(), hashlib.sha256).hexdigest()
    assert blind != keys.blinded(of_key(KEY[::-1]), game="wt-042", phase="T3.spain~1", text=state)
