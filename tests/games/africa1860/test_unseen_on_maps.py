"""C0 `fog`: what a seat cannot see changes no byte of its map, neither where counters stand nor what happens there."""

from itertools import islice

import pytest

from pbem.games.africa1860 import GAME
from tests.games.africa1860.test_fog import SEATS, orders_of, pairs, start
from tests.pictures.unseen import looked, picture, pixels


def played_on(seeds):
    """Positions that a seat cannot tell apart, in the midst of phases in which the enemy orders what he likes."""
    for seat, here, there, chance in pairs(seeds):
        enemy = next(name for name in SEATS if name != seat)
        for mover in SEATS:
            one, other = (state.change(phase=state.edition.seats[mover]) for state in (here, there))
            own = {seat: orders_of(one, seat, chance.randrange)}
            first, second = (own | {enemy: orders_of(state, enemy, chance.randrange)} for state in (one, other))
            yield from ((seat, *both) for both in looked(GAME, (one, other), seat, (first, second)))


@pytest.mark.parametrize("seeds", [8, pytest.param(30, marks=pytest.mark.full)])
def test_counters_that_are_moved_changed_or_gone_out_of_sight_change_nothing(seeds):
    for seat, here, there, _ in pairs(seeds):
        gone = there.change(units={i: u for i, u in there.units.items() if i in GAME.view(there, seat).units})
        assert len(gone.units) < len(here.units)
        assert picture(GAME, here, seat, ()) == picture(GAME, there, seat, ()) == picture(GAME, gone, seat, ())


@pytest.mark.parametrize(("seeds", "many"), [(10, 24), pytest.param(30, 80, marks=pytest.mark.full)])
def test_what_happens_out_of_sight_changes_nothing(seeds, many):
    found, told = 0, 0
    for seat, (here, seen), (there, seen_there) in played_on(seeds):
        if here.units != there.units and found < many:
            assert picture(GAME, here, seat, seen) == picture(GAME, there, seat, seen_there)
            found, told = found + 1, told + bool(seen)
    assert found == many
    assert told > many * 5 // 16


@pytest.mark.full
@pytest.mark.parametrize("many", [1, pytest.param(2, marks=pytest.mark.full)])
def test_nor_does_it_change_a_pixel(many):
    for seat, here, there, _ in islice(pairs(), many):
        assert pixels(GAME, here, seat, ()) == pixels(GAME, there, seat, ())


def test_what_is_in_sight_does_change_it():
    state = start()
    moved = state.with_units({"Luchana": state.units["Luchana"]._replace(steps=1)})
    assert picture(GAME, state, "spain", ())[0] != picture(GAME, moved, "spain", ())[0]
