"""The bytes that are hashed, letter by letter."""

import base64
import hashlib
import hmac
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit import blocks, merkle, sealing
from pbem.audit.blocks import ClosedOrders, Commitment, block, closed_orders_block, stream_block, vrf_input

KEY = bytes(range(32))
COMMITS = {"spain": Commitment(2, b"s" * 32, b"t" * 32), "morocco": Commitment(0, b"m" * 32, b"n" * 32)}
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
    "dice own\n"
    "groups all\n"
    "beacon none\n"
    f"seat morocco 0 {base64.b64encode(b'm' * 32).decode()} {base64.b64encode(b'n' * 32).decode()}\n"
    f"seat spain 2 {base64.b64encode(b's' * 32).decode()} {base64.b64encode(b't' * 32).decode()}\n"
).encode()


def test_a_die_block():
    assert stream_block("B>C/shock attacker", 0) == b"pbemdice/v1/die\nlabel B>C/shock attacker\nblock 0\n"


def test_a_slate_whatever_the_order_of_its_seats():
    assert closed_orders_block(ClosedOrders(**FACTS, seats=COMMITS)) == SLATE
    assert closed_orders_block(ClosedOrders(**FACTS, seats=dict(reversed(COMMITS.items())))) == SLATE


def test_groups_of_a_slate_stand_in_the_order_of_their_bytes():
    assert closed_orders_block(ClosedOrders(**FACTS, seats=COMMITS, groups=("unit-7", "all"))) == SLATE.replace(
        b"all", b"all unit-7"
    )


def test_the_slate_of_a_board():
    assert closed_orders_block(ClosedOrders(**FACTS, seats=COMMITS, dice="board e1/r2/b3")) == SLATE.replace(
        b"own", b"board e1/r2/b3"
    )


def test_answers_have_one_commitment():
    answered = {seat: commitment._replace(standing=b"") for seat, commitment in COMMITS.items()}
    lines = closed_orders_block(ClosedOrders(**{**FACTS, "segment": 2}, seats=answered)).splitlines()
    assert lines[-1] == b"seat spain 2 " + base64.b64encode(b"s" * 32) + b" -"


def test_an_alpha_with_and_without_a_beacon():
    head = b"pbemdice/v1/alpha\ngroup all\nslate " + hashlib.sha256(SLATE).hexdigest().encode()
    assert vrf_input(SLATE) == head + b"\nbeacon none\n"
    assert (
        vrf_input(SLATE, b"signature")
        == head + b"\nbeacon " + hashlib.sha256(b"signature").hexdigest().encode() + b"\n"
    )


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
        closed_orders_block(ClosedOrders(**{**FACTS, fact: value}, seats=COMMITS))


def of_key(key):
    """Secrets that a test can reckon; those of a server come with proofs."""
    return lambda of: hmac.new(key, of, hashlib.sha512).digest()


def test_a_commitment_by_hand():
    seat = b"pbemdice/v1/salt\ngame wt-042\nphase T3.spain~1\nseat spain\n"
    inner = hmac.new(KEY, seat, hashlib.sha512).digest()
    salt = hmac.new(inner, b"pbemdice/v1/ordersalt\nrev 2\n", hashlib.sha256).digest()
    assert of_key(KEY)(sealing.salt_block(game="wt-042", phase="T3.spain~1", seat="spain")) == inner
    assert sealing.order_salt(inner, 2) == salt
    text = "MOVE Leon TO C\n"
    assert (
        sealing.order_commitment(salt, text) == hashlib.sha256(b"pbemdice/v1/order\n" + salt + text.encode()).digest()
    )


def test_a_commitment_to_standing_orders_by_hand():
    inner = hmac.new(KEY, b"pbemdice/v1/salt\ngame wt-042\nphase T3.spain~1\nseat spain\n", hashlib.sha512).digest()
    t = hmac.new(inner, b"pbemdice/v1/standingsalt\nrev 2\n", hashlib.sha256).digest()
    assert sealing.standing_salt(inner, 2) == t
    whole, *own = (
        hmac.new(t, f"pbemdice/v1/rule\nnumber {number}\n".encode(), hashlib.sha256).digest() for number in range(3)
    )
    first = f"pbemdice/v1/rule\nnumber 1\nsalt {own[0].hex()}\ntext WHEN A\ntext THEN B\n".encode()
    second = f"pbemdice/v1/rule\nnumber 2\nsalt {own[1].hex()}\ntext STAND\n".encode()
    hashed = [hashlib.sha256(b"\0" + leaf).digest() for leaf in (first, second)]
    root = hashlib.sha256(b"\1" + hashed[0] + hashed[1]).digest()
    wanted = hashlib.sha256(b"pbemdice/v1/standing\n" + whole + b"2\n" + root).digest()
    rules = ("WHEN A\nTHEN B\n", "STAND\n")
    assert sealing.standing_commitment(t, rules) == wanted
    assert sealing.seat_commitment(inner, 2, "", rules) == (
        Commitment(2, sealing.order_commitment(sealing.order_salt(inner, 2), ""), wanted)
    )
    assert sealing.rule_path(t, rules, 2) == (hashed[0],)
    assert sealing.standing_from_path(whole, second, (2, 2), hashed[:1]) == wanted


def test_no_standing_orders_are_sealed_too():
    none = sealing.standing_commitment(b"t" * 32, ())
    whole = sealing.rule_salt(b"t" * 32, 0)
    assert none == hashlib.sha256(b"pbemdice/v1/standing\n" + whole + b"0\n" + hashlib.sha256().digest()).digest()
    assert none != sealing.standing_commitment(b"u" * 32, ())


@given(st.integers(1, 40), st.data())
def test_every_rule_is_proven_to_be_in_force(size, data):
    salted, rules = b"t" * 32, tuple(f"RULE {number}\n" for number in range(size))
    number = data.draw(st.integers(1, size))
    whole, own = (sealing.rule_salt(salted, rule) for rule in (0, number))
    path = sealing.rule_path(salted, rules, number)
    leaf, sealed = sealing.rule_leaf(own, number, rules[number - 1]), sealing.standing_commitment(salted, rules)
    assert sealing.standing_from_path(whole, leaf, (number, size), path) == sealed
    other = sealing.rule_leaf(own, number, "RULE -1\n")
    assert sealing.standing_from_path(whole, other, (number, size), path) != sealed
    for wrong in ((number, size + 1), (number % size + 1, size)):
        try:
            assert (sealing.standing_from_path(whole, leaf, wrong, path) == sealed) is (wrong == (number, size))
        except blocks.Malformed:
            continue


def test_a_rule_that_is_shown_tells_nothing_to_guess_the_others_by():
    """What is shown of rule 1 of two: its own salt and that of the whole. The other's leaf stands in the path."""
    salted, rules = b"t" * 32, ("STAND\n", "RETREAT\n")
    shown = [sealing.rule_salt(salted, rule) for rule in (0, 1)]
    (other,) = sealing.rule_path(salted, rules, 1)
    guesses = [own for key in shown for own in (key, *(sealing.rule_salt(key, number) for number in range(3)))]
    assert other not in {merkle.leaf_hash(sealing.rule_leaf(own, 2, rules[1])) for own in guesses}


def test_a_salt_belongs_to_one_revision_of_one_seat_of_one_phase():
    facts = {"game": "wt-042", "phase": "T3.spain~1", "seat": "spain"}
    others = [{"game": "wt-043"}, {"phase": "T3.spain~2"}, {"seat": "morocco"}, {}]
    secrets = [of_key(KEY)(sealing.salt_block(**{**facts, **other})) for other in others]
    assert len({sealing.order_salt(secret, revision) for secret in secrets for revision in (2, 3)}) == 2 * len(others)


def test_a_blinded_digest_needs_the_key_and_is_that_of_all_attempts():
    state = '{"turn":3}'
    again = sealing.blind_in_phase(of_key(KEY), game="wt-042", phase="T3.spain~2", text=state)
    blind = sealing.blind_in_phase(of_key(KEY), game="wt-042", phase="T3.spain~1", text=state)
    assert again == blind
    inner = hmac.new(KEY, b"pbemdice/v1/blind\ngame wt-042\nphase T3.spain\n", hashlib.sha512).digest()
    assert blind == "hmac:" + hmac.new(inner, state.encode(), hashlib.sha256).hexdigest()
    assert blind != sealing.blind_in_phase(of_key(KEY[::-1]), game="wt-042", phase="T3.spain~1", text=state)
