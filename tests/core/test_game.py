"""Phases as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.terms import Phase


@given(st.integers(0, 999), st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), st.integers(1, 99))
def test_a_phase_is_written_and_read(turn, name, attempt):
    phase = Phase(turn, name, attempt)
    assert str(phase) == f"T{turn}.{name}~{attempt}"
    assert Phase.parse(str(phase)) == phase


@pytest.mark.parametrize("text", ["", "T3.spain", "3.spain~1", "T3.Spain~1", "T3.spain~", "T3.spain~1 ", "Tx.spain~1"])
def test_what_is_no_phase(text):
    with pytest.raises(ValueError, match=r"T3\.spain~1"):
        Phase.parse(text)
