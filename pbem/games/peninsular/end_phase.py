"""Resolve the end of half and turn.

Steps: rally, division morale, rest, commanders, reinforcements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.charts import EditionModifiers
from pbem.engine.map.hexes import distance, within
from pbem.engine.reasons import Teller, fill_gaps, sentence_teller
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.morale import ROUT_HEXES, MoraleTest, read_roll, result_of_test, roll_teller
from pbem.games.peninsular.movement import commander_in_chief
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import has_room, in_zone, stacking_row
from pbem.games.peninsular.units import (
    DISORDERED,
    NORMAL,
    ROUTED,
    STATE_NAMES,
    Division,
    Unit,
    read_unit,
    reinforcement_groups,
)

ROUT_RANGE = 2
"""T4.4 Hexes within which the rout of another division counts."""


def queue_rallies(state: State, task: Task) -> Outcome:
    """Queue the rally tests of the side's routed and disordered counters, by id.

    Rule: S10.
    """
    shaken_ids = [unit.id for unit in state.counters(state.phase) if unit.state != NORMAL]
    return Did((), tuple(Task("rally", (ident,)) for ident in shaken_ids))


def try_rally(state: State, task: Task) -> Outcome:
    """Test whether a counter rallies (S10, T2).

    A result of SE improves it by one state, D leaves it, DE routs a disordered counter. Argument: the counter.
    Disordered counters need not test; by default those in an enemy zone do not.
    """
    (ident,) = task.args
    unit = state.units.get(ident)
    if unit is None or unit.state == NORMAL:
        return Did()
    is_optional = unit.state == DISORDERED
    if is_optional and not task.got:
        options = ("NO", "YES") if in_zone(state, unit.at, unit) else ("YES", "NO")
        return Ask(Window(unit.at, "rally", state.answerer(unit), ident, options))
    if is_optional and choice(task, 0).value[0] == "NO":
        return Did()
    if len(task.got) == is_optional:
        return Roll(unit.at, f"rally {ident}", 1, 6)
    test_event, cell = result_of_test(MoraleTest(state, unit, "", "rally"), task, int(is_optional))
    by = {"by": choice(task, 0).by} if is_optional else {}
    test_event = test_event._replace(kind="rally", cite="S10", data={**test_event.data, **by})
    if cell == "SE":
        better_state = NORMAL if unit.state == DISORDERED else DISORDERED
        return Did((test_event, event("rallies", "R2", side=unit.side, unit=ident, state=better_state)))
    if cell == "DE" and unit.state == DISORDERED:
        routed_event = event("routed", "S6", side=unit.side, unit=ident)
        return Did((test_event, routed_event), (Task("retreat", (unit.at, ident, ROUT_HEXES, "", "S6")),))
    return Did((test_event,))


class DivisionFacts(NamedTuple):
    """The facts of a division's test: its counters and the position."""

    state: State
    division: Division
    units: tuple[Unit, ...]


def _commander_modifier(muster: DivisionFacts, leader: Unit | None) -> int:
    if leader is None or not muster.units:
        return 0
    return all(distance(leader.at, unit.at) <= leader.range for unit in muster.units)


def _neighbours_routed(muster: DivisionFacts) -> int:
    ours = alliance_of(muster.division.side)
    return sum(
        unit.camp == ours
        and unit.is_combat
        and unit.state == ROUTED
        and bool(unit.division)
        and unit.division != muster.division.name
        and any(distance(unit.at, mate.at) <= ROUT_RANGE for mate in muster.units)
        for unit in muster.state.units.values()
    )


DIVISION_MODIFIERS: Mapping[str, Callable[[DivisionFacts], int]] = {
    "T4.1": lambda muster: _commander_modifier(muster, muster.state.units.get(muster.division.commander)),
    "T4.2": lambda muster: _commander_modifier(muster, commander_in_chief(muster.state, muster.division.side)),
    "T4.3": lambda muster: sum(unit.state == ROUTED for unit in muster.units),
    "T4.4": _neighbours_routed,
}
_modifiers = EditionModifiers("division", DIVISION_MODIFIERS)


def _muster(state: State, division: Division) -> DivisionFacts:
    units = [unit for unit in state.counters(division.side) if unit.division == division.name and unit.is_combat]
    return DivisionFacts(state, division, tuple(units))


def queue_division_tests(state: State, task: Task) -> Outcome:
    """Queue division tests after a turn with routs or eliminations (S11).

    A division tests if it has a routed counter, or has lost half its PF. S11a Counters still to arrive count
    neither as present nor as lost.
    """
    if not state.shaken:
        return Did()
    later = _on_the_way(state) if state.edition.reread else {}
    division_tests = []
    # By name, so that every replay tests in the same order.
    for name, division in sorted(state.divisions.items()):
        units = _muster(state, division).units
        worn = 2 * sum(unit.pf for unit in units) <= division.full - later.get(name, 0)
        if units and (worn or any(unit.state == ROUTED for unit in units)):
            division_tests.append(name)
    return Did((), tuple(Task("division", (name,)) for name in division_tests))


def _on_the_way(state: State) -> dict[str, int]:
    """Return the PF of reinforcements still to arrive, by division."""
    result: dict[str, int] = {}
    for text in (text for group in waiting_reinforcements(state) for text in group["units"]):
        unit = read_unit(text)
        if unit.is_combat:
            result[unit.division] = result.get(unit.division, 0) + unit.full
    return result


def test_division(state: State, task: Task) -> Outcome:
    """Test a division: on RE it holds and falls back a hex, on H it is routed.

    Rules: T4, S11.

    Argument: the division.
    """
    (name,) = task.args
    division = state.divisions[name]
    muster = _muster(state, division)
    if not task.got:
        return Roll("end", f"division {name}", 1, 6)
    modifiers = _modifiers(state.edition).holding(muster)
    roll = read_roll(state.edition, "division", division.morale, modifiers, die(task, 0))
    division_event = event("division", "T4", side=division.side, division=name, **roll)
    if roll["cell"] == "RE":
        back = tuple(Task("retreat", ("end", unit.id, 1, "", "S11")) for unit in muster.units)
        return Did((division_event, event("falls back", "S11", side=division.side, division=name)), back)
    if roll["cell"] == "H":
        steady = [unit for unit in muster.units if unit.state != ROUTED]
        routed_events = [event("routed", "S11", side=unit.side, unit=unit.id) for unit in steady]
        flight = tuple(Task("retreat", ("end", unit.id, ROUT_HEXES, "", "S6")) for unit in steady)
        return Did((division_event, *routed_events), flight)
    return Did((division_event,))


def end_turn(state: State, task: Task) -> Outcome:
    """End the turn: rest idle cavalry, replace commanders, remove markers.

    Rules: S1, S9, S13.
    """
    events = []
    for ident, unit in sorted(state.units.items()):
        if unit.kind == "cav" and unit.fatigue and not unit.stirred and not in_zone(state, unit.at, unit):
            events.append(event("rested", "S9", side=unit.side, unit=ident, level=unit.fatigue - 1))
    for row in state.fallen:
        old = Unit(*row)
        hex_id = _post(state, old)
        if hex_id:
            events.append(event("replaced", "S13", side=old.side, unit=old.id, at=hex_id))
    return Did((*events, event("turn over", "S1", turn=state.turn)))


def _post(state: State, old: Unit) -> str:
    """Return a new commander's hex.

    It is the hex of his strongest counter, else of the nearest friends.
    """
    names = {d.name for d in state.divisions.values() if d.commander == old.id} | {old.division} - {""}
    friends = [unit for unit in state.units.values() if unit.camp == old.camp and unit.is_combat]
    own_units = [unit for unit in friends if unit.division in names]
    if own_units:
        return min(own_units, key=lambda unit: (-unit.pf, unit.id)).at
    return min(friends, key=lambda unit: (distance(old.at, unit.at), unit.at)).at if friends else ""


# S1 Reinforcements: whom a scenario brings later, when, and where there is room for them.


ARRIVAL_RANGE = 3
"""Hexes from the named hex within which reinforcements may be placed."""


def waiting_reinforcements(state: State) -> Iterator[Mapping[str, Json]]:
    """Yield the reinforcements that have not arrived."""
    for group in reinforcement_groups(state.edition.scenario):
        first = read_unit(group["units"][0]).id
        if first not in state.units and first not in state.gone:
            yield group


def queue_arrivals(state: State, task: Task) -> Outcome:
    """Queue the reinforcements that may arrive for the next turn (S1)."""
    if state.phase == "over":
        return Did()
    due = [group["name"] for group in waiting_reinforcements(state) if group["turn"] <= state.turn + 1]
    return Did((), tuple(Task("arrival", (name,)) for name in due))


def bring_reinforcements(state: State, task: Task) -> Outcome:
    """Bring in a group of reinforcements after its die, if there is room (S1).

    Argument: the group's name. The group arrives as a whole, or waits for the next turn and rolls again.
    """
    (name,) = task.args
    group = next(group for group in reinforcement_groups(state.edition.scenario) if group["name"] == name)
    needs, side = group.get("needs", 1), read_unit(group["units"][0]).side
    events: list[Event] = []
    if needs > 1:
        if not task.got:
            return Roll("end", f"arrival {name}", 1, 6)
        label, value = die(task, 0)
        data = {"side": side, "name": name, "label": label, "die": value, "needs": needs}
        events.append(event("arrival", "S1", **data))
        if value < needs:
            return Did(tuple(events))
    comers = _arrival_hexes(state, group["units"])
    if not comers:
        return Did((*events, event("no room", "T3", side=side, name=name)))
    counters = [[text, hex_id] for text, hex_id in zip(group["units"], comers, strict=True)]
    ids = [read_unit(text).id for text in group["units"]]
    return Did((*events, event("arrives", "S1", side=side, name=name, units=ids, counters=counters)))


def _arrival_hexes(state: State, texts: Sequence[str]) -> list[str]:
    """Return each counter's hex in order; [] if one has none."""
    result: list[str] = []
    for text in texts:
        unit = read_unit(text)
        hex_id = next((near for near in _near(unit.at) if _is_free(state, near, unit)), "")
        if not hex_id:
            return []
        result.append(hex_id)
        state = state.with_units({unit.id: unit._replace(at=hex_id)})
    return result


def _near(center: str) -> list[str]:
    """S1 Return the hexes for an arrival, the nearest and lowest first."""
    return sorted(within(center, ARRIVAL_RANGE), key=lambda hex_id: (distance(center, hex_id), hex_id))


def _is_free(state: State, hex_id: str, unit: Unit) -> bool:
    """Return whether a hex is on the map, has room, and no enemy is in or near it."""
    edition, placed_unit = state.edition, unit._replace(at=hex_id)
    if hex_id not in edition.map or stacking_row(edition, hex_id) not in edition.chart("stacking").rows:
        return False
    ours = all(other.camp == unit.camp for other in state.at(hex_id))
    return ours and not in_zone(state, hex_id, placed_unit) and has_room(state, hex_id, [placed_unit])


# What a report says of all that.


def _rally_text(data: Data, before: State) -> Msg:
    """Return the result of a rally; a T2 disorder changes nothing here (S10)."""
    state = before.units[data["unit"]].state if data["unit"] in before.units else ""
    if data["cell"] == "SE":
        result = msg("it rallies")
    elif data["cell"] == "DE" and state == "D":
        result = msg("it fails")
    else:
        result = msg("it fails, and stays {state}", state=STATE_NAMES.get(state, Msg(state)))
    sentence = msg("{unit} tries to rally: die {die}, with modifiers {total}, column {column}: {result}.")
    return fill_gaps(sentence, data, result=result)


def arrival_text(data: Data, before: State) -> Msg:
    """Return the sentence on reinforcements and their hexes (S1)."""
    places = zip(data["units"], data["counters"], strict=True)
    units = tuple(msg("{unit} in {hex}", unit=ident, hex=hex_id) for ident, (_, hex_id) in places)
    return msg("{name} arrives: {units}.", name=data["name"], units=units)


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "rally": _rally_text,
    "division": roll_teller(
        "division",
        msg("Division {division} tests its morale: die {die}, with modifiers {total}, column {column}: {effect}."),
    ),
    "rested": sentence_teller(msg("{unit} has rested.")),
    "replaced": sentence_teller(msg("A new commander, still called {unit}, takes over in {hex}.")),
    "arrival": sentence_teller(msg("{name} is awaited: die {die}, needed {needs} or more.")),
    "arrives": arrival_text,
    "no room": sentence_teller(msg("{name} finds no room and waits.")),
}
EFFECT_SENTENCES: Mapping[str, Teller] = {
    "rallies": lambda d, s: msg("{unit} is now {state}", unit=d["unit"], state=STATE_NAMES[d["state"]]),
    "falls back": sentence_teller(msg("division {division} gives ground, each of its counters a hex")),
}
CHART_READS = {"rally": "will", "division": "division"}
QUESTION_SENTENCES = {"rally": msg("{unit} in {origin} is disordered. Does it try to rally?")}
