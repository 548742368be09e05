"""Sentences apart from their language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, by_number, decimal, msg, percent, plain_english

NAMES = st.sampled_from(["unit", "to", "text", "n", "self"])


def messages():
    leaves = st.text(st.characters(exclude_categories=["Cs"])) | st.integers()
    args = st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3).map(tuple)
            | st.builds(_make, st.text("abc "), st.dictionaries(NAMES, inner, max_size=3))
        ),
        max_leaves=8,
    )
    return st.builds(_make, st.text("abc {}"), st.dictionaries(NAMES, args, max_size=4))


def _make(text, args):
    return msg(text, **args)


@pytest.mark.parametrize(("share", "text"), [(-1e-12, "0"), (1 - (1 + 1e-12), "0"), (0.996, "100"), (0.125, "12")])
def test_a_percentage_is_never_less_than_nothing(share, text):
    assert percent(share) == text


def test_gaps_are_filled():
    assert plain_english(msg("{unit} goes to {to}", unit="Leon", to="B")) == "Leon goes to B"
    assert plain_english(msg("it loses {n}", n=2)) == "it loses 2"


def test_a_gap_may_hold_a_sentence_or_several():
    inner = (msg("a {x}", x=1), "b", 3)
    assert plain_english(msg("first {inner}, then {last}", inner=inner, last=msg("c"))) == "first a 1, b, 3, then c"


def test_the_order_of_the_gaps_does_not_matter():
    assert msg("{a}{b}", b=2, a=1) == msg("{a}{b}", a=1, b=2) == Msg("{a}{b}", (("a", 1), ("b", 2)))


def test_a_gap_may_be_called_text():
    message = msg("{text}", text="x")
    assert Msg.from_json(message.to_json()) == message


def test_a_gap_without_a_value_is_a_bug():
    with pytest.raises(KeyError):
        plain_english(msg("{unit} is lost"))


def test_what_no_gap_takes_is_a_bug():
    with pytest.raises(TypeError, match="a gap takes"):
        plain_english(msg("{n}", n=1.5))


def test_a_list_comes_back_as_a_tuple():
    assert Msg.from_json(msg("{ids}", ids=["a", "b"]).to_json()) == msg("{ids}", ids=("a", "b"))


@given(messages())
def test_stored_and_read_back(message):
    assert Msg.from_json(loads(dumps(message.to_json()))) == message


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(2.44, 1, "2.4"), (0.05, 2, "0.05"), (-0.25, 2, "-0.25"), (-3, 1, "-3.0"), (0.96, 1, "1.0"), (-0.04, 1, "0.0")],
)
def test_a_decimal_has_the_places_asked_for(value, places, text):
    assert plain_english(decimal(value, places)) == text


def test_one_thing_alone_is_said_in_the_singular():
    hour_texts = [plain_english(by_number(n, msg("1 hour"), msg("{n} hours", n=n))) for n in (0, 1, 2, 21)]
    assert hour_texts == ["0 hours", "1 hour", "2 hours", "21 hours"]
