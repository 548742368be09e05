"""The long run of tournaments by seeds, in small: it goes well, and notices what is put in to be noticed."""

import pytest

from tests.tournaments.seeds.play import SILENT_PAIRS, play, play_season
from tests.tournaments.seeds.settings import FORMATS, setting

SMALL = 3


def test_seeds_play_every_format_with_every_way_to_give_sides():
    names = {setting(seed).name for seed in range(45)}
    assert len(names) == 45
    assert {name.rpartition(", ")[0] for name in names} == set(FORMATS)


@pytest.mark.full
def test_a_seed_goes_from_join_to_its_prizes():
    result = play(SMALL)
    assert result.wrong == ()
    assert result.letters > 100


@pytest.mark.full
def test_a_season_goes_from_join_to_its_prizes_with_silent_pairs_and_an_outage():
    played = play_season(1)
    assert played.wrong == ()
    assert played.letters > 1000
    assert played.pairs >= SILENT_PAIRS


@pytest.mark.long
def test_a_season_notices_two_who_are_silent_and_one_who_wins():
    assert any("to which nobody wrote" in line for line in play_season(1, "one-seat").wrong)


@pytest.mark.long
@pytest.mark.parametrize(
    ("plant", "seed", "fault"),
    [
        ("lost-letter", SMALL, "a letter did not arrive"),
        ("paired-twice", SMALL, "e1 is paired 2 times in r1"),
        ("stuck-offer", 342, "an offer to e11 is open"),
        ("one-seat", 6, "somebody has points of board 1 of r1, to which nobody wrote"),
    ],
)
def test_what_is_wrong_is_found(plant, seed, fault):
    assert any(fault in line for line in play(seed, plant).wrong)
