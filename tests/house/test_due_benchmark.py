"""The workload of phases that fall due is what it says it is."""

import pytest

from benchmarks import due


@pytest.fixture(autouse=True)
def one_game(monkeypatch):
    monkeypatch.setattr(due, "TOGETHER", 1)


@pytest.mark.full
@pytest.mark.parametrize("drawn", [False, True])
def test_every_game_is_closed_and_tells_both_sides(drawn):
    measured = due.phases(drawn)(0.01)
    assert measured is not None
    assert measured.units == 1
    assert measured.seconds > 0


def test_a_map_that_is_missing_is_noticed(monkeypatch):
    monkeypatch.setattr(due, "draw_picture_as_png", _unable)
    with pytest.raises(due.Undrawn, match="no ink"):
        due.phases(True)(0.01)


def _unable(folder, subject, edition):
    raise LookupError("no ink")
