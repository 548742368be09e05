"""Labels: the names of rolls, written and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.run.labels import Label

WORDS = st.text(st.sampled_from("ABn >.#0123456789ñ+-"), min_size=1)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("B>C/shock attacker", Label("B>C", "shock attacker")),
        ("B>C.2/fire Nizam > Leon", Label("B>C.2", "fire Nizam > Leon")),
        ("end/recover Nizam", Label("end", "recover Nizam")),
        ("B>C/target C#2", Label("B>C", "target C", 2)),
        ("B>C/target C#12", Label("B>C", "target C", 12)),
        ("B>C/morale 1/54", Label("B>C", "morale 1/54")),
    ],
)
def test_read_and_written(text, label):
    assert Label.parse(text) == label
    assert str(label) == text


def test_the_first_of_its_kind_is_not_counted():
    assert str(Label("B>C", "target C", 1)) == "B>C/target C"


@pytest.mark.parametrize("text", ["a/b#1", "a/b#0", "a/b#02", "a/b#", "a/b#x", "a/#2", "a/b#２"])
def test_what_is_no_count_belongs_to_the_roll(text):
    label = Label.parse(text)
    assert label == Label("a", text[2:], 1)
    assert str(label) == text


@pytest.mark.parametrize("text", ["", "/", "a/", "/b", "no slash at all"])
def test_a_label_holds_an_address_and_a_roll(text):
    with pytest.raises(ValueError, match="ADDRESS/ROLL"):
        Label.parse(text)


@given(WORDS, WORDS)
def test_every_text_comes_back(where, what):
    assert str(Label.parse(f"{where}/{what}")) == f"{where}/{what}"


@given(WORDS, st.text(st.sampled_from("ABn >.+-"), min_size=1), st.integers(1, 10_000))
def test_every_label_comes_back(where, what, nth):
    label = Label(where, what, nth)
    assert Label.parse(str(label)) == label
