"""The parts that a game may have or not: both games have all of them, the others are told by None."""

from dataclasses import replace

import beacon_game as beacon
import pytest

from pbem.engine import parts
from pbem.games import africa1860, peninsular
from tests.harness import toygame

PARTS = ("forecast", "scored", "edit", "awards", "cased")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_found_where_it_is(part):
    assert getattr(africa1860.GAME, part) is not None
    assert getattr(peninsular.GAME, part) is not None
    assert (getattr(toygame.registry("toy"), part) is not None) == (part in ("forecast", "edit"))
    assert (getattr(beacon.GAME, part) is not None) == (part == "cased")


def test_bots_come_with_the_games_alone():
    assert africa1860.GAME.bots.keys() == {"forward", "random", "recruit", "veteran", "marshal"}
    assert peninsular.GAME.bots.keys() == {"forward", "marshal", "random"}
    assert not toygame.registry("toy").bots


def test_a_game_of_which_nothing_more_is_said_has_no_book_and_gives_no_help():
    bare = replace(africa1860.GAME, rulebook=parts.Rulebook(), aids=parts.OrderHelp())
    assert bare.rulebook.chart("x") is None
    assert (bare.rulebook.charts(), bare.rulebook.rule("1"), bare.rulebook.help("orders")) == ((), (), ())
    assert bare.rulebook.preset("cautious") is None
    start = bare.start(bare.edition("drill", {}, {}))
    assert (bare.aids.template(start, "spain", "en"), bare.aids.moves(start, "spain", "B")) == ((), ())
