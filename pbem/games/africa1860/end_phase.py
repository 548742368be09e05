"""Resolve the end phase: recovery, reinforcements, leaders, markers, victory.

Rules: O6, O9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.charts import EditionModifiers
from pbem.engine.reasons import Reads, Teller, fill_gaps, sentence_teller
from pbem.engine.run.steps import Did, Outcome, Roll, Task, die
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.legality import has_room
from pbem.games.africa1860.morale import single_die_reader
from pbem.games.africa1860.state import State, Unit, enemy_of, read_unit

TURNS_TO_NEW_LEADER = 2
"""O9 Turns from a leader's loss to his replacement."""


class RecoveryFacts(NamedTuple):
    """The facts of C7's modifiers: terrain, and an adjacent enemy combat unit."""

    terrain: str
    watched: bool


RECOVERY_MODIFIERS: Mapping[str, Callable[[RecoveryFacts], bool]] = {
    "C7.1": lambda rest: rest.terrain == "town",
    "C7.2": lambda rest: rest.terrain == "camp",
    "C7.3": lambda rest: rest.watched,
}
_modifiers = EditionModifiers("recovery", RECOVERY_MODIFIERS)


def queue_recovery(state: State, task: Task) -> Outcome:
    """Queue the recovery of demoralised units, Spanish first, by id (O6)."""
    order = sorted((SIDES.index(unit.side), unit.id) for unit in state.units.values() if unit.demoralised)
    return Did((), tuple(Task("recover", (ident,)) for _, ident in order))


def recover(state: State, task: Task) -> Outcome:
    """Try to recover a unit, the argument: roll up to its modified morale (C7)."""
    (ident,) = task.args
    unit = state.units[ident]
    if not task.got:
        return Roll("end", f"recover {ident}", 1, 6)
    label, value = die(task, 0)
    bonus = state.leader_bonus(unit)
    applied = _modifiers(state.edition).of(RecoveryFacts(state.terrain(unit.at), _enemy_is_adjacent(state, unit)))
    cell = state.edition.chart("recovery").cell(value, "try")
    needed = unit.morale + bonus + sum(item.value for item in applied)
    passed = cell == "test" and value <= needed
    recovery_event = event(
        "recovery",
        "C7",
        side=unit.side,
        unit=ident,
        label=label,
        die=value,
        morale=unit.morale,
        bonus=bonus,
        modifiers=[list(item) for item in applied],
        cell=cell,
        passed=passed,
    )
    return Did((recovery_event, event("recovers", "O6", unit=ident, side=unit.side)) if passed else (recovery_event,))


def _enemy_is_adjacent(state: State, unit: Unit) -> bool:
    enemy = enemy_of(unit.side)
    return any(foe.is_combat for near in state.edition.map.neighbours(unit.at) for foe in state.own(near, enemy))


def bring_reinforcements(state: State, task: Task) -> Outcome:
    """Bring in this turn's reinforcements after those that had to wait (O6).

    They wait if the enemy holds their entry or there is no room (C5).
    """
    due = [row["unit"] for row in state.edition.scenario.get("reinforcements", ()) if row["turn"] == state.turn]
    events: list[Event] = []
    for text in (*state.waiting, *due):
        unit = read_unit(text)
        barred = (
            "O6" if state.holder(unit.at) == enemy_of(unit.side) else "" if has_room(state, unit.at, [unit]) else "C5"
        )
        if not barred:
            events.append(event("enters", "O6", side=unit.side, unit=text, id=unit.id, space=unit.at))
            state = state.with_units({unit.id: unit})
        elif text in due:
            events.append(event("waits", barred, side=unit.side, units=[text], space=unit.at))
    return Did(tuple(events))


def bring_replacements(state: State, task: Task) -> Outcome:
    """Bring in a leader 0/0 two turns after a loss, in a free rear town or entry.

    Rule: O9.

    O9a If the enemy holds all of these spaces, the leader waits for the next turn.
    """
    events: list[Event] = []
    for side, ident, turn in sorted(state.lost):
        if turn + TURNS_TO_NEW_LEADER != state.turn:
            continue
        places = (*state.rear_towns(side), *state.edition.spaces_with(f"entry:{side}"))
        space = next((place for place in places if state.holder(place) != enemy_of(side)), None)
        if space is None:
            seats = tuple(seat for seat, holds in state.edition.seats.items() if holds == side)
            events.append(Event("leader waits", "O9", {"side": side, "unit": ident}, seats))
            if state.edition.reread:
                events.append(Event("no way in", "O9a", {"side": side, "unit": ident}, seats))
            continue
        text = f"{side} OF {ident}-2 0/0 at {space}"
        events.append(event("enters", "O9", side=side, unit=text, id=f"{ident}-2", space=space, replaces=ident))
    return Did(tuple(events))


def remove_markers(state: State, task: Task) -> Outcome:
    """Remove all activation and fire markers (O6)."""
    return Did((event("markers off", "O6"),))


# What reports say of it, and the chart that WHY shows.


def _recovery_text(data: Data, before: State) -> Msg:
    """C7 Return the modifiers and the target of a roll, as `+1-1 = 6`.

    Empty without modifiers.
    """
    values = [row[1] for row in data["modifiers"]]
    needed = data["morale"] + data["bonus"] + sum(values)
    more = f"{''.join(f'{value:+d}' for value in values)} = {needed}" if values else ""
    result = msg("recovers") if data["passed"] else msg("stays demoralised")
    sentence = msg("{unit} tries to recover: {die} against {morale}+{bonus}{more}, {result}.")
    return fill_gaps(sentence, data, more=more, result=result)


def recoveries_text(tries: Sequence[Data]) -> Msg:
    """C7 Return which of several units recovered and which did not."""
    recovered, others = (tuple(data["unit"] for data in tries if data["passed"] is passed) for passed in (True, False))
    if not others:
        return msg("Recovered: {units}.", units=recovered)
    if not recovered:
        return msg("Still demoralised: {units}.", units=others)
    return msg("Recovered: {units}. Still demoralised: {others}.", units=recovered, others=others)


def _wait_text(data: Data, before: State) -> Msg:
    full, held = (
        msg("Reinforcements wait: there is no room for them in {space}."),
        msg("Reinforcements wait: {space} is held by the enemy."),
    )
    return fill_gaps(full if before.holder(data["space"]) == data["side"] else held, data)


_ENTERS = msg("{units:|Enters|Enter} at {space}: {units}.")
ENTRY_SENTENCES: Mapping[str, Teller] = {
    "recovery": _recovery_text,
    "enters": lambda data, before: fill_gaps(_ENTERS, data, units=(data["id"],)),
    "waits": _wait_text,
    "no way in": sentence_teller(msg("The successor of {unit} finds no free space and waits a turn.")),
}
OUTCOME_KINDS = frozenset({"recovery", "enters", "waits"})
CHART_READS: Mapping[str, Reads] = {"recovery": single_die_reader("recovery", "try")}
