"""M6 Couriers: what a command may not know yet changes nothing that it gets, be it the enemy's or its own side's."""

import random
import re
from itertools import islice

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.commanders.holding import seat_of_unit
from pbem.engine.couriers import CourierReport
from pbem.engine.data.canon import dumps, loads
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import ONLOOKER, Orders
from pbem.engine.testing.checks import check_same_view
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots import BOTS
from pbem.games.africa1860.view import seen_spaces
from tests.games.africa1860.test_fog import everything, orders_of, seen_alike, throws_seen
from tests.pictures.unseen import looked, picture, pixels

OPTIONS = {"fog": "on", "commands": "split", "couriers": "on"}
BATTLES = ("castillejos", "tetuan", "wadras")


def start(scenario, **options):
    return GAME.start(GAME.edition(scenario, {**OPTIONS, **options}, {}))


def played(scenario, seed, phases):
    """A position some phases into a game of bots, and the phases by which it came about."""
    chance, state, past = random.Random(seed), start(scenario), []
    for number in range(phases):
        orders = {seat: orders_of(state, seat, chance.randrange) for seat in GAME.active(state)}
        dice = DiceStream(bytes([seed, number]) * 32)
        result = play(GAME.rules, GAME.world(state, orders), dice, GAME.decisions(state, orders, {}))
        assert isinstance(result, Done)
        past.append((state, result.events))
        state = result.state
    return state, past


def twin(state, seat, chance):
    """The position with all that a command does not see elsewhere, in another shape or gone, and others' letters away;
    None if nothing is hidden from it."""
    seen = seen_spaces(state, seat)
    out = sorted(set(state.edition.map.spaces) - seen)
    hidden = {i: u for i, u in state.units.items() if u.at not in seen}
    if not hidden or not out:
        return None
    changed = {
        i: u._replace(at=chance.choice(out), steps=chance.randint(1, u.full), demoralised=chance.random() < 0.5)
        for i, u in hidden.items()
    }
    dead = [i for i in sorted(changed) if chance.random() < 0.2]
    units = {i: changed.get(i, u) for i, u in state.units.items() if i not in dead}
    known = state.known._replace(
        seen=tuple(sighting for sighting in state.known.seen if sighting.seat == seat),
        letters=(
            *(letter for letter in state.known.letters if letter.reader == seat),
            CourierReport("a", "b", 1, 99, (), (), ()),
        ),
        news=(),
        gone=tuple(row for row in state.known.gone if row[0] == seat),
        given=tuple(row for row in state.known.given if row[0] == seat),
        march=(
            (
                "spain",
                tuple(seat_id for seat_id, command in state.edition.commands.items() if command.side == "spain")[1:],
            ),
        ),
    )
    if seen_spaces(state.change(units=units), seat) != seen:
        # With its leader gone a command may write from next to this one.
        return None
    side, other_seat = state.edition.seats[seat], next(command for command in state.edition.commands if command != seat)
    away = {i: other_seat for i, u in hidden.items() if i not in dead and u.side == side}
    return state.change(
        units=units,
        gone={**state.gone, **dict.fromkeys(dead, "captured")},
        known=known,
        assigned={**state.assigned, **away},
        transfers={**state.transfers, **dict.fromkeys(away, other_seat)},
        silent=(
            *(seat_id for seat_id in state.silent if seat_id == seat),
            *(command for command in state.edition.commands if command != seat),
        ),
        dead={"spain": 11, "morocco": 7},
        captures={"spain": 3},
        taken={"morocco": 5},
        lost=(
            *(row for row in state.lost if seat_of_unit(state, row[1]) == seat),
            *((u.side, i, state.turn) for i, u in sorted(hidden.items()) if u.is_leader),
        ),
        waiting=tuple(text for text in state.waiting if seat_of_unit(state, text.split()[2]) == seat),
        points={"spain": 40},
        bouts={"A>B": 3},
        uses={**state.uses, "spain standing ALL 1 @nobody vanguard": 3},
    )


def pairs(scenario, seeds):
    """Positions and their twins for every command in its turn."""
    count_found = 0
    for seed in range(seeds):
        chance = random.Random(seed)
        state, _ = played(scenario, seed, chance.randrange(7))
        for seat in state.edition.commands:
            other_world = twin(state, seat, chance)
            # Of few hidden units all may come to stand by chance where they stood.
            if other_world is not None and other_world.units != state.units:
                count_found += 1
                yield seat, state, other_world, chance
    assert count_found > seeds


@pytest.mark.full
@pytest.mark.parametrize(
    ("scenario", "seeds"),
    [
        *((scenario, 1) for scenario in BATTLES[:2]),
        *(pytest.param(scenario, 2, marks=pytest.mark.full) for scenario in BATTLES),
        *(pytest.param(scenario, 16, marks=pytest.mark.long) for scenario in BATTLES),
    ],
)
def test_what_a_command_does_not_see_changes_nothing_that_it_gets(scenario, seeds):
    for seat, position, twin, chance in pairs(scenario, seeds):
        twin = twin.change(known=twin.known._replace(letters=(), errands=()))
        assert everything(position, seat, chance) == everything(twin, seat, chance)
        choices_here, other = (GAME.aids.choices(GAME.view(state, seat), seat) for state in (position, twin))
        assert choices_here == other


def wider(before, after, seat):
    """Only a look at new ground may show a difference that no event told of."""
    return not seen_spaces(after, seat) <= seen_spaces(before, seat)


@pytest.mark.parametrize("scenario", BATTLES)
@pytest.mark.parametrize("seeds", [3, pytest.param(8, marks=pytest.mark.full)])
def test_while_a_command_sees_the_same_happen_it_goes_on_knowing_the_same(scenario, seeds):
    same = 0
    for seat, position, twin, chance in pairs(scenario, seeds):
        side = position.edition.seats[seat]
        orders = {seat: orders_of(position.change(phase=side), seat, chance.randrange)}
        same += check_same_view(GAME, (position.change(phase=side), twin.change(phase=side)), seat, orders, wider)
    assert same > 60 * seeds / 8


NAME = re.compile(r"[^\s>+/.,:]+")
OF_COURIERS = ("report arrives", "errand rides", "errand done", "shows", "set begins", "sets over", "enters", "waits")


def named(event):
    """Every word of an event."""
    if isinstance(event, dict):
        return {word for value in event.values() for word in named(value)}
    if isinstance(event, list | tuple):
        return {word for value in event for word in named(value)}
    return set(NAME.findall(event)) if isinstance(event, str) else set()


@pytest.mark.parametrize("scenario", BATTLES)
@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=pytest.mark.full)])
def test_an_event_names_nobody_and_no_place_out_of_sight(scenario, seeds):
    count_told = 0
    for seed in range(seeds):
        _, past = played(scenario, seed, 7)
        for state, events in past:
            for happened in events:
                after = GAME.rules.apply(state, happened)
                for seat in state.edition.commands:
                    seen = GAME.see(happened, seat, state)
                    if seen is not None and happened.kind not in OF_COURIERS and happened.seen_by != (seat,):
                        near = seen_spaces(state, seat) | seen_spaces(after, seat)
                        stands = [position.units for position in (state, after)]
                        words = named(seen.data)
                        places = {word for word in words if word in state.edition.map.spaces}
                        if not any(seat_of_unit(state, word) == seat for word in words & set(state.units)):
                            assert places <= near, (seat, happened, seen)
                        for word in words & (set(stands[0]) | set(stands[1])):
                            assert near & {units[word].at for units in stands if word in units}, (seat, happened, seen)
                        count_told += 1
                state = after
    assert count_told > 200 * seeds / 3


@pytest.mark.parametrize("scenario", BATTLES)
@pytest.mark.parametrize("seeds", [1, pytest.param(2, marks=pytest.mark.full)])
def test_what_comes_into_sight_or_goes_is_told(scenario, seeds):
    """Who is in a command's sight before and after an event is changed by none that the command is not told of."""
    for seed in range(seeds):
        _, past = played(scenario, seed, 7)
        for state, events in past:
            for happened in events:
                after = GAME.rules.apply(state, happened)
                for seat in state.edition.commands:
                    both = seen_spaces(state, seat) & seen_spaces(after, seat)
                    units_here, there = (
                        {u for u in position.units.values() if u.at in both} for position in (state, after)
                    )
                    if units_here != there:
                        assert GAME.see(happened, seat, state) is not None, (seat, happened)
                state = after


@pytest.mark.parametrize("seeds", [1, pytest.param(4, marks=pytest.mark.full)])
def test_nor_does_it_change_a_byte_of_its_map(seeds):
    for seat, position, twin, _ in islice(pairs("tetuan", seeds), 0, None, 3):
        assert picture(GAME, position, seat, ()) == picture(GAME, twin, seat, ())


@pytest.mark.full
def test_nor_does_it_change_a_pixel_of_it():
    for seat, position, twin, _ in islice(pairs("tetuan", 1), 1):
        assert pixels(GAME, position, seat, ()) == pixels(GAME, twin, seat, ())


@pytest.mark.parametrize("many", [2, pytest.param(6, marks=pytest.mark.full)])
def test_what_happens_out_of_its_sight_changes_no_byte_of_its_map(many):
    count_found = 0
    for seat, position, twin, chance in islice(pairs("tetuan", 3), many):
        for mover in ("spain", "morocco"):
            state_here, other = (state.change(phase=mover) for state in (position, twin))
            own = {seat: orders_of(state_here, seat, chance.randrange)}
            given = [
                {name: orders_of(state, name, chance.randrange) for name in GAME.active(state) if name != seat} | own
                for state in (state_here, other)
            ]
            both = looked(GAME, (state_here, other), seat, (given[0], given[1]))
            for (state, seen), (state_there, seen_there) in islice(both, 3):
                assert picture(GAME, state, seat, seen) == picture(GAME, state_there, seat, seen_there)
                count_found += 1
    assert count_found > 2 * many


def test_a_position_is_stored_and_read_with_all_that_rides():
    state, _ = played("tetuan", 3, 5)
    assert state.known.letters
    again = GAME.decode(loads(dumps(GAME.encode(state))), state.edition)
    assert again == state
    assert dumps(GAME.encode(again)) == dumps(GAME.encode(state))


@pytest.mark.parametrize("seeds", [6, pytest.param(8, marks=pytest.mark.full)])
def test_the_luck_that_a_command_is_told_rests_on_what_it_sees(seeds):
    count_told = 0
    for seat, position, twin, chance in islice(pairs("wadras", seeds), 0, None, 2):
        side = position.edition.seats[seat]
        given = orders_of(position.change(phase=side), seat, chance.randrange)
        orders = {seat: Orders() for seat in GAME.seats(position)} | {seat: Orders(given.actions)}
        starts = [GAME.world(state.change(phase=side), orders) for state in (position, twin)]
        labels = seen_alike(starts, seat, [orders, orders])
        throws_here, two = (throws_seen(world, seat, orders) for world in starts)
        assert throws_here[: len(labels)] == two[: len(labels)]
        count_told += len(throws_here)
    assert count_told > (5 if seeds == 8 else 0)


def test_of_what_others_know_and_of_what_rides_no_view_holds_anything():
    for scenario in ("castillejos", "tetuan"):
        state, _ = played(scenario, 3, 6)
        assert state.known.letters
        for seat in GAME.seats(state):
            known = GAME.view(state, seat).known
            assert {row.seat for row in known.seen} | {row[0] for row in (*known.gone, *known.given)} <= {seat}
            assert (known.letters, known.errands, known.news, known.march) == ((), (), (), ())
        assert GAME.view(state, ONLOOKER) is None


def test_a_command_knows_its_own_units_always():
    for seat, position, _, _ in pairs("tetuan", 8):
        view = GAME.view(position, seat)
        own = {i: u for i, u in position.units.items() if seat_of_unit(position, i) == seat}
        assert {i: view.units[i] for i in own} == own


def test_what_a_command_takes_to_be_so_was_so_when_it_was_seen():
    """Whatever a command knows of a place out of its sight was there at the end of the phase that it is dated with."""
    count_told = 0
    for seed in range(3):
        state, past = played("tetuan", seed, 8)
        at_end = {turn * 2 + (phase == "morocco"): then for turn, phase, then in ends(past, state)}
        for sighting in state.known.seen:
            then = at_end.get(sighting.when)
            if then is not None:
                stood = {unit.id: unit._replace(activated=False, fired=False) for unit in then.at(sighting.place)}
                known = {row[0]: row for row in sighting.units}
                assert set(known) == set(stood), sighting
                count_told += sighting.by != sighting.seat
    assert count_told > 15


def ends(past, last):
    """Turn and phase of each phase that was played, with the position after it."""
    after = [state for state, _ in past[1:]] + [last]
    return [(state.turn, state.phase, then) for (state, _), then in zip(past, after, strict=True)]


@pytest.mark.parametrize("missing", [{"fog": "off"}, {"commands": "one"}])
def test_couriers_need_fog_and_several_commanders(missing):
    with pytest.raises(ValueError, match=r"couriers = on needs (fog = on|commands = split) as well"):
        start("tetuan", **missing)


def test_games_of_bots_keep_to_the_rules():
    for bot in ("random", "forward"):
        for seed in range(2):
            state, chance = start("wadras"), random.Random(seed)
            for number in range(10):
                orders = {}
                for seat in GAME.active(state):
                    view = GAME.view(state, seat)
                    orders[seat] = GAME.parse(BOTS[bot](view, seat, chance.randrange), view, seat).orders
                dice = DiceStream(bytes([seed, number]) * 32)
                state = play(GAME.rules, GAME.world(state, orders), dice, GAME.decisions(state, orders, {})).state
                assert GAME.invariants(state) == ()
