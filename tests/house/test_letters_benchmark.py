"""The workload of letters is what it says it is."""

import pytest

from benchmarks import letters


def test_every_letter_is_answered_by_a_receipt():
    units, seconds = letters.take_letters(2)(0.01)
    assert units >= letters.POLL
    assert units % letters.POLL == 0
    assert seconds > 0


def test_a_refused_letter_is_noticed(monkeypatch):
    monkeypatch.setattr(letters, "LETTER", letters.LETTER.replace("Orozco", "Nobody"))
    with pytest.raises(letters.Unanswered, match="seat: refusal"):
        letters.take_letters(1)(0.01)
