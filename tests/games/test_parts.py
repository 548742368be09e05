"""The parts that a game may have or not: both games have all of them, one without them is told by `isinstance`."""

from typing import NamedTuple

import pytest

from pbem.core.bots import Playing
from pbem.core.cases import CaseGame
from pbem.core.game import Awarding, Editing, Scored
from pbem.games import africa1860, peninsular
from tests.campaign import toygame


class Parts(NamedTuple):
    """A game as each of its parts: the type checker holds their signatures, the test below what is there."""

    editing: Editing
    awarding: Awarding
    scored: Scored
    playing: Playing
    cases: CaseGame


GAMES = [Parts(*[africa1860.GAME] * 5), Parts(*[peninsular.GAME] * 5)]
PARTS = [Editing, Awarding, Scored, Playing, CaseGame]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_a_part_is_found_where_it_is(part):
    assert all(isinstance(one, part) for game in GAMES for one in game)
    assert isinstance(toygame.Toy(), part) == (part is Editing)
