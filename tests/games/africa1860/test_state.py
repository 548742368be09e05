"""Positions as values: what an event leaves alone, what is carried from one to the next, how counters change."""

import random
from itertools import pairwise

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.data.canon import dumps
from pbem.engine.run.runners import Done, play
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots import BOTS
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.sequence import RULES
from pbem.games.africa1860.state import Fight, State, read_unit

NIZAM = read_unit("morocco NZ Nizam fire 2 assault 2 steps 3/4 morale 4 at Valle")


def phases(seed, count=10):
    """The first phases of a game between two bots: the position before each and its events."""
    state, luck = GAME.start(GAME.edition("castillejos", {}, {})), random.Random(seed)
    for _ in range(count):
        now = GAME.phase(state)
        assert now is not None
        view = GAME.view(state, now[0])
        orders = {now[0]: GAME.parse(BOTS["random"](view, now[0], luck.randrange), view, now[0]).orders}
        done = play(
            GAME.rules, GAME.world(state, orders), DiceStream(luck.randbytes(64)), GAME.decisions(state, orders, {})
        )
        assert isinstance(done, Done)
        yield state, done.events
        state = done.state


@pytest.mark.parametrize("seed", range(4))
def test_events_folded_together_come_to_what_they_come_to_one_by_one(seed):
    for before, events in phases(seed):
        state = before
        for happened in events:
            state = GAME.rules.apply(state, happened)
        together = RULES.fold(before, events)
        assert together == state
        assert dumps(together.encode()) == dumps(state.encode())


@pytest.mark.parametrize("seed", range(2))
def test_a_phase_comes_to_what_its_events_come_to(seed):
    for (before, events), (after, _) in pairwise(phases(seed)):
        assert RULES.fold(before, events) == after


@pytest.mark.parametrize("seed", range(2))
def test_a_phase_leaves_the_position_it_begins_in_as_it_was(seed):
    for before, _ in phases(seed, 6):
        text = dumps(before.encode())
        done = play(GAME.rules, GAME.world(before, {}), DiceStream(bytes(64)), GAME.decisions(before, {}, {}))
        assert (dumps(before.encode()), done.state is before) == (text, False)


@pytest.mark.parametrize("seed", range(4))
def test_no_event_touches_the_position_it_happens_in(seed):
    for before, events in phases(seed, 6):
        state, kept = before, []
        for happened in events:
            kept.append((state, dumps(state.encode())))
            state = GAME.rules.apply(state, happened)
        assert all(dumps(position.encode()) == text for position, text in kept)


@pytest.mark.parametrize("seed", range(4))
def test_who_is_where_is_carried_on_as_it_would_be_found_out_anew(seed):
    for before, events in phases(seed):
        state = before
        assert state.holder("Ceuta") in ("", *SIDES)
        for happened in events:
            state = GAME.rules.apply(state, happened)
            anew = State.decode(state.encode(), state.edition)
            for space in state.edition.map.spaces:
                assert state.at(space) == anew.at(space)
                assert state.holder(space) == anew.holder(space)
                assert [state.camp(space, side) for side in SIDES] == [anew.camp(space, side) for side in SIDES]


def test_two_sides_in_a_space_are_told_apart():
    """In a fight they may share one; it is then said to be held by the side of the first unit by id."""
    ros = read_unit("spain OF Ros 1/1 at Valle")
    state = GAME.start(GAME.edition("castillejos", {}, {})).change(units={unit.id: unit for unit in (ros, NIZAM)})
    assert state.at("Valle") == [NIZAM, ros]
    assert (state.own("Valle", "spain"), state.own("Valle", "morocco")) == ([ros], [NIZAM])
    assert state.holder("Valle") == "morocco"
    assert state.change(units={"Ros": ros}).holder("Valle") == "spain"
    assert state.change(units={}).holder("Valle") == ""


def test_a_counter_changes_in_one_thing_alone():
    assert NIZAM.gone_to("Sur") == NIZAM._replace(at="Sur")
    assert NIZAM.left_with(1) == NIZAM._replace(steps=1)
    assert NIZAM.with_morale(True) == NIZAM._replace(demoralised=True)
    assert NIZAM.with_markers(activated=True, fired=False, acted=False) == NIZAM._replace(activated=True)
    assert NIZAM.with_markers(activated=False, fired=True, acted=False) == NIZAM._replace(fired=True)
    assert NIZAM.with_markers(activated=False, fired=False, acted=True) == NIZAM._replace(acted=True)
    assert type(NIZAM.gone_to("Sur")) is type(NIZAM)


@pytest.mark.parametrize("role", ["vanguard", "screen"])
def test_a_fight_has_the_roles_of_both_sides(role):
    fight = Fight("B>C", "assault", "spain", "B", "C", ("Leon",))
    plain = fight._asdict()
    assert fight.with_role(role, "spain", "Leon")._asdict() == {**plain, role: "Leon"}
    assert fight.with_role(role, "morocco", "Nizam")._asdict() == {**plain, f"enemy_{role}": "Nizam"}


def test_positions_are_equal_by_what_is_in_them():
    state = GAME.start(GAME.edition("drill", {}, {}))
    again = state.copy()
    assert again.holder("Ceuta") == state.holder("Ceuta")
    assert again == state
    assert state != state.change(turn=2)
    assert "turn=2" in repr(state.change(turn=2))
