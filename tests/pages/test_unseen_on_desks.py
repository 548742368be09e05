"""C0 `fog`: what a seat cannot see changes no byte of its order desk: neither map, nor what is offered, nor odds."""

from itertools import islice

import pytest

from tests.games.africa1860 import test_fog as africa
from tests.games.peninsular import test_unseen_on_maps as peninsular
from tests.pages.desks import desk_of

ODDS = 20_000


@pytest.mark.full
@pytest.mark.parametrize("many", [3, pytest.param(8, marks=pytest.mark.full)])
@pytest.mark.parametrize(("game", "pairs"), [("africa1860", africa.pairs), ("peninsular", peninsular.pairs)])
def test_what_is_out_of_sight_changes_nothing(game, pairs, many):
    weighed = offered = 0
    for seat, position, twin, _ in islice(pairs(), many):
        desk_here = desk_of(game, position, seat, odds=ODDS)
        assert desk_here == desk_of(game, twin, seat, odds=ODDS)
        weighed += any(whole["chance"] is not None for whole in desk_here["wholes"])
        offered += bool(desk_here["offers"])
    assert offered == many
    assert weighed or game == "peninsular"


def test_what_is_in_sight_does_change_it():
    state = africa.start()
    moved = state.with_units({"Luchana": state.units["Luchana"]._replace(steps=1)})
    assert desk_of("africa1860", state, "spain") != desk_of("africa1860", moved, "spain")
