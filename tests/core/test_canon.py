"""Canonical JSON: one text for one value."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.canon import digest, dumps, loads

SCALARS = st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
)


def test_keys_are_sorted_and_nothing_is_blank():
    assert dumps({"b": 1, "a": [True, None, "x y"]}) == '{"a":[true,null,"x y"],"b":1}'


def test_text_is_ascii_whatever_it_says():
    assert dumps("León\u2028\U0001f600") == r'"Le\u00f3n\u2028\ud83d\ude00"'


def test_a_tuple_is_written_like_a_list():
    assert dumps(("a", ("b", 1))) == dumps(["a", ["b", 1]]) == '["a",["b",1]]'


@given(VALUES)
def test_what_is_written_is_read_back(value):
    text = dumps(value)
    assert loads(text) == value
    assert dumps(loads(text)) == text
    assert text.isascii()
    assert "\n" not in text


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), SCALARS))
def test_the_order_of_making_does_not_matter(value):
    backwards = dict(reversed(value.items()))
    assert dumps(backwards) == dumps(value)


@pytest.mark.parametrize(
    "value",
    [1.0, [1.5], {"a": {"b": [0, float("nan")]}}, ("x", float("inf")), {"a": (1, [2.0])}, [[[[-0.0]]]]],
    ids=repr,
)
def test_floats_are_refused_wherever_they_stand(value):
    with pytest.raises(TypeError, match="no floats"):
        dumps(value)


@pytest.mark.parametrize("value", [{1: "a"}, [{"a": {None: 1}}], {"a": [{True: 1}]}, {("a",): 1}], ids=repr)
def test_keys_are_strings(value):
    with pytest.raises(TypeError, match="string keys"):
        dumps(value)


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes"])
def test_what_json_does_not_know_is_refused(value):
    with pytest.raises(TypeError):
        dumps({"a": value})


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul"])
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"(Expecting|Illegal)"):
        loads(text)


def test_digest_is_the_sha256_of_the_text():
    assert digest({"b": 1, "a": 2}) == "sha256:" + hashlib.sha256(b'{"a":2,"b":1}').hexdigest()
    assert digest([]) != digest({})
