"""Counters lie open; orders of divisions, fire that is ordered, and what follows a standing order do not: the map of a
seat is the same whatever they are."""

import random
from itertools import islice

import pytest

from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders
from pbem.engine.testing.laws import SeededDice
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.units import DIVISION_ORDERS
from tests.pictures.unseen import looked, picture, pixels

SEATS = ("british", "french")


def orders_of(state, seat, pick):
    view = GAME.view(state, seat)
    return GAME.parse(GAME.bots["forward"](view, seat, pick), view, seat).orders


def played(seed, phases):
    """A position some phases into a game of bots."""
    chance = random.Random(seed)
    state = GAME.start(GAME.edition("barrosa" if seed % 2 else "training", {}, {}))
    for number in range(phases):
        orders = {seat: orders_of(state, seat, chance.randrange) for seat in GAME.active(state)}
        dice = SeededDice(bytes([seed, number]) * 32)
        result = play(GAME.rules, GAME.world(state, orders), dice, GAME.decisions(state, orders, {}))
        assert isinstance(result, Done)
        state = result.state
    return state


def twin(state, seat, chance):
    """The position with what the seat cannot know of it in another shape."""
    ours = alliance_of(state.edition.seats[seat])
    divisions = {
        name: division
        if alliance_of(division.side) == ours
        else division._replace(order=chance.choice(DIVISION_ORDERS), pending=chance.choice(["", *DIVISION_ORDERS]))
        for name, division in state.divisions.items()
    }
    enemy = next(other for other in SEATS if other != seat)
    shots, stopped = state.shots, state.stopped
    if alliance_of(state.phase) != ours:
        guns = sorted(i for i, unit in state.units.items() if alliance_of(unit.side) != ours and unit.is_combat)
        aims = sorted(unit.at for unit in state.units.values() if alliance_of(unit.side) == ours)
        shots, stopped = (((guns[0],), chance.choice(aims), 1),), True
    return state.change(divisions=divisions, shots=shots, stopped=stopped, uses={f"{enemy} standing ALL 1 fire": 2})


def pairs(seeds=8):
    for seed in range(seeds):
        chance = random.Random(seed)
        state = played(seed, chance.randrange(4))
        for seat in SEATS:
            there = twin(state, seat, chance)
            assert GAME.encode(state) != GAME.encode(there)
            yield seat, state, there, chance


@pytest.mark.parametrize("seeds", [3, pytest.param(8, marks=pytest.mark.full)])
def test_sealed_orders_and_fire_that_is_ordered_change_nothing(seeds):
    for seat, position, twin, _ in pairs(seeds):
        assert picture(GAME, position, seat, ()) == picture(GAME, twin, seat, ())


@pytest.mark.full
@pytest.mark.parametrize("seeds", [3, pytest.param(8, marks=pytest.mark.full)])
def test_orders_that_have_not_shown_yet_change_nothing(seeds):
    """A phase of the enemy's, whose orders differ from some point on: until then every map is the same."""
    count_told = 0
    for seat, position, _, chance in pairs(seeds):
        enemy = next(other for other in SEATS if other != seat)
        state = position.change(phase=position.edition.seats[enemy])
        given = [orders_of(state, enemy, chance.randrange) for _ in range(2)]
        # The second goes on otherwise, and has a standing order besides.
        actions = given[0].actions[: len(given[0].actions) // 2] + given[1].actions[len(given[1].actions) // 2 :]
        other = Orders(actions, given[1].standing)
        both = looked(GAME, (state, state), seat, ({enemy: given[0]}, {enemy: other}))
        *_, last = [None, *islice(both, 60)]
        if last is not None:
            (shown_here, seen), (two, seen_there) = last
            assert picture(GAME, shown_here, seat, seen) == picture(GAME, two, seat, seen_there)
            count_told += bool(seen)
    assert count_told > 5 * seeds // 8


@pytest.mark.full
def test_nor_do_they_change_a_pixel():
    for seat, position, twin, _ in islice(pairs(), 2):
        assert pixels(GAME, position, seat, ()) == pixels(GAME, twin, seat, ())


def test_what_lies_open_does_change_it():
    state = played(1, 0)
    unit = next(
        candidate for _, candidate in sorted(state.units.items()) if candidate.side == "french" and candidate.is_combat
    )
    moved = state.with_units({unit.id: unit._replace(pf=unit.pf - 1)})
    assert picture(GAME, state, "british", ())[0] != picture(GAME, moved, "british", ())[0]
