"""C0 `fog`: what a seat cannot see changes no byte of its map, neither where counters stand nor what happens there."""

from itertools import islice

import pytest

from pbem.games.africa1860 import GAME
from tests.games.africa1860.test_fog import SEATS, orders_of, pairs, start
from tests.pictures.unseen import looked, picture, pixels


def played_on(seeds):
    """Positions that a seat cannot tell apart, in the midst of phases in which the enemy orders what he likes."""
    for seat, position, twin, chance in pairs(seeds):
        enemy = next(name for name in SEATS if name != seat)
        for mover in SEATS:
            state_here, other = (state.change(phase=state.edition.seats[mover]) for state in (position, twin))
            own = {seat: orders_of(state_here, seat, chance.randrange)}
            first, second = (own | {enemy: orders_of(state, enemy, chance.randrange)} for state in (state_here, other))
            yield from ((seat, *both) for both in looked(GAME, (state_here, other), seat, (first, second)))


@pytest.mark.parametrize("seeds", [8, pytest.param(30, marks=pytest.mark.full)])
def test_counters_that_are_moved_changed_or_gone_out_of_sight_change_nothing(seeds):
    for seat, position, twin, _ in pairs(seeds):
        gone = twin.change(units={i: u for i, u in twin.units.items() if i in GAME.view(twin, seat).units})
        assert len(gone.units) < len(position.units)
        assert picture(GAME, position, seat, ()) == picture(GAME, twin, seat, ()) == picture(GAME, gone, seat, ())


@pytest.mark.parametrize(("seeds", "many"), [(10, 24), pytest.param(30, 80, marks=pytest.mark.full)])
def test_what_happens_out_of_sight_changes_nothing(seeds, many):
    count_found, count_told = 0, 0
    for seat, (position, seen), (twin, seen_there) in played_on(seeds):
        if position.units != twin.units and count_found < many:
            assert picture(GAME, position, seat, seen) == picture(GAME, twin, seat, seen_there)
            count_found, count_told = count_found + 1, count_told + bool(seen)
    assert count_found == many
    assert count_told > many * 5 // 16


@pytest.mark.full
@pytest.mark.parametrize("many", [1, pytest.param(2, marks=pytest.mark.full)])
def test_nor_does_it_change_a_pixel(many):
    for seat, position, twin, _ in islice(pairs(), many):
        assert pixels(GAME, position, seat, ()) == pixels(GAME, twin, seat, ())


def test_what_is_in_sight_does_change_it():
    state = start()
    moved = state.with_units({"Luchana": state.units["Luchana"]._replace(steps=1)})
    assert picture(GAME, state, "spain", ())[0] != picture(GAME, moved, "spain", ())[0]
