"""C0 `fog`: what a seat cannot see changes no byte of its map, neither where counters stand nor what happens there."""

from itertools import islice

from pbem.games.africa1860 import GAME
from tests.games.africa1860.test_fog import SEATS, orders_of, pairs, start
from tests.pictures.unseen import looked, picture, pixels


def played_on():
    """Positions that a seat cannot tell apart, in the midst of phases in which the enemy orders what he likes."""
    for seat, here, there, chance in pairs():
        enemy = next(name for name in SEATS if name != seat)
        for mover in SEATS:
            one, other = (state.change(phase=state.edition.seats[mover]) for state in (here, there))
            own = {seat: orders_of(one, seat, chance.randrange)}
            first, second = (own | {enemy: orders_of(state, enemy, chance.randrange)} for state in (one, other))
            yield from ((seat, *both) for both in looked(GAME, (one, other), seat, (first, second)))


def test_counters_that_are_moved_changed_or_gone_out_of_sight_change_nothing():
    for seat, here, there, _ in pairs():
        gone = there.change(units={i: u for i, u in there.units.items() if i in GAME.view(there, seat).units})
        assert len(gone.units) < len(here.units)
        assert picture(GAME, here, seat, ()) == picture(GAME, there, seat, ()) == picture(GAME, gone, seat, ())


def test_what_happens_out_of_sight_changes_nothing():
    found, told = 0, 0
    for seat, (here, seen), (there, seen_there) in played_on():
        if here.units != there.units and found < 80:
            assert picture(GAME, here, seat, seen) == picture(GAME, there, seat, seen_there)
            found, told = found + 1, told + bool(seen)
    assert found == 80
    assert told > 25


def test_nor_does_it_change_a_pixel():
    for seat, here, there, _ in islice(pairs(), 2):
        assert pixels(GAME, here, seat, ()) == pixels(GAME, there, seat, ())


def test_what_is_in_sight_does_change_it():
    state = start()
    moved = state.with_units({"Luchana": state.units["Luchana"]._replace(steps=1)})
    assert picture(GAME, state, "spain", ())[0] != picture(GAME, moved, "spain", ())[0]
