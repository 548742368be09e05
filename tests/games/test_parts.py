"""The parts that a game may have or not: both games have all of them, the others are told by None."""

import beacon_game as beacon
import pytest

from pbem.engine.game import Game
from pbem.games import africa1860, peninsular
from tests.harness import toygame

PARTS = ("forecast", "scored", "editing", "awarding", "cased")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_found_where_it_is(part):
    assert getattr(africa1860.GAME, part) is not None
    assert getattr(peninsular.GAME, part) is not None
    assert (getattr(toygame.Toy(), part) is not None) == (part in ("forecast", "editing"))
    assert (getattr(beacon.GAME, part) is not None) == (part == "cased")


def test_bots_come_with_the_games_alone():
    assert africa1860.GAME.bots.keys() == {"forward", "random", "recruit", "veteran", "marshal"}
    assert peninsular.GAME.bots.keys() == {"forward", "random"}
    assert not toygame.Toy().bots


def test_a_game_of_which_nothing_more_is_said_has_no_book_and_gives_no_help():
    class Bare(Game):
        pass

    assert Bare.rulebook.chart("x") is None
    assert (Bare.rulebook.charts(), Bare.rulebook.rule("1"), Bare.rulebook.help("orders")) == ((), (), ())
    assert Bare.rulebook.preset("cautious") is None
    assert (Bare.aids.template(None, "a", "en"), Bare.aids.moves(None, "a", "B")) == ((), ())
    assert Bare.by_letter is False
