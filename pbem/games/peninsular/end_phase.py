"""S10 Rally, S11 and T4 division morale, S9 rest, S13 new commanders, S1 reinforcements: the end of half and turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.charts import EditionModifiers
from pbem.engine.map.hexes import distance, within
from pbem.engine.reasons import Teller, fill_gaps, says
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.morale import ROUT, Trial, read_roll, tell_roll, told_test
from pbem.games.peninsular.movement import chief
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits, in_zone, row_of
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, STATE_NAMES, Division, Unit, groups, read_unit

NEAR = 2
"""T4.4 Hexes within which the rout of another division is felt."""


def rallies(state: State, task: Task) -> Outcome:
    """S10 The routed counters of the side test, its disordered ones may; in id order."""
    shaken = [unit.id for unit in state.counters(state.phase) if unit.state != NORMAL]
    return Did((), tuple(Task("rally", (ident,)) for ident in shaken))


def rally(state: State, task: Task) -> Outcome:
    """S10, T2 A counter tries to rally: SE mends by one state, D leaves it, DE routs the disordered. Argument: it.

    The disordered need not; by default those in an enemy zone do not.
    """
    (ident,) = task.args
    unit = state.units.get(ident)
    if unit is None or unit.state == NORMAL:
        return Did()
    free = unit.state == DISORDERED
    if free and not task.got:
        options = ("NO", "YES") if in_zone(state, unit.at, unit) else ("YES", "NO")
        return Ask(Window(unit.at, "rally", state.answerer(unit), ident, options))
    if free and choice(task, 0).value[0] == "NO":
        return Did()
    if len(task.got) == free:
        return Roll(unit.at, f"rally {ident}", 1, 6)
    told, cell = told_test(Trial(state, unit, "", "rally"), task, int(free))
    by = {"by": choice(task, 0).by} if free else {}
    told = told._replace(kind="rally", cite="S10", data={**told.data, **by})
    if cell == "SE":
        better = NORMAL if unit.state == DISORDERED else DISORDERED
        return Did((told, event("rallies", "R2", side=unit.side, unit=ident, state=better)))
    if cell == "DE" and unit.state == DISORDERED:
        routed = event("routed", "S6", side=unit.side, unit=ident)
        return Did((told, routed), (Task("retreat", (unit.at, ident, ROUT, "", "S6")),))
    return Did((told,))


class Muster(NamedTuple):
    """A division that tests: its counters, and where it stands in the position."""

    state: State
    division: Division
    units: tuple[Unit, ...]


def _commanded(muster: Muster, leader: Unit | None) -> int:
    if leader is None or not muster.units:
        return 0
    return all(distance(leader.at, unit.at) <= leader.range for unit in muster.units)


def _neighbours_routed(muster: Muster) -> int:
    ours = camp(muster.division.side)
    return sum(
        unit.camp == ours
        and unit.is_combat
        and unit.state == ROUTED
        and bool(unit.division)
        and unit.division != muster.division.name
        and any(distance(unit.at, mate.at) <= NEAR for mate in muster.units)
        for unit in muster.state.units.values()
    )


DIVISION_MODIFIERS: Mapping[str, Callable[[Muster], int]] = {
    "T4.1": lambda muster: _commanded(muster, muster.state.units.get(muster.division.commander)),
    "T4.2": lambda muster: _commanded(muster, chief(muster.state, muster.division.side)),
    "T4.3": lambda muster: sum(unit.state == ROUTED for unit in muster.units),
    "T4.4": _neighbours_routed,
}
_modifiers = EditionModifiers("division", DIVISION_MODIFIERS)


def _muster(state: State, division: Division) -> Muster:
    units = [u for u in state.counters(division.side) if u.division == division.name and u.is_combat]
    return Muster(state, division, tuple(units))


def division_morale(state: State, task: Task) -> Outcome:
    """S11 After a turn in which a counter was routed or eliminated, each division with a routed counter, or with half
    its PF gone, tests. S11a Counters that have not come yet are neither present nor gone."""
    if not state.shaken:
        return Did()
    later = _on_the_way(state) if state.edition.reread else {}
    wanted = []
    for name, division in sorted(state.divisions.items()):
        units = _muster(state, division).units
        worn = 2 * sum(unit.pf for unit in units) <= division.full - later.get(name, 0)
        if units and (worn or any(unit.state == ROUTED for unit in units)):
            wanted.append(name)
    return Did((), tuple(Task("division", (name,)) for name in wanted))


def _on_the_way(state: State) -> dict[str, int]:
    """The PF of counters that have not come yet, by division."""
    found: dict[str, int] = {}
    for text in (text for group in awaited(state) for text in group["units"]):
        unit = read_unit(text)
        if unit.is_combat:
            found[unit.division] = found.get(unit.division, 0) + unit.full
    return found


def try_division(state: State, task: Task) -> Outcome:
    """T4, S11 A division tests: RE it holds and falls back a hex, H it is routed. Argument: the division."""
    (name,) = task.args
    division = state.divisions[name]
    muster = _muster(state, division)
    if not task.got:
        return Roll("end", f"division {name}", 1, 6)
    modifiers = _modifiers(state.edition).holding(muster)
    roll = read_roll(state.edition, "division", division.morale, modifiers, die(task, 0))
    told = event("division", "T4", side=division.side, division=name, **roll)
    if roll["cell"] == "RE":
        back = tuple(Task("retreat", ("end", unit.id, 1, "", "S11")) for unit in muster.units)
        return Did((told, event("falls back", "S11", side=division.side, division=name)), back)
    if roll["cell"] == "H":
        steady = [unit for unit in muster.units if unit.state != ROUTED]
        routed = [event("routed", "S11", side=unit.side, unit=unit.id) for unit in steady]
        flight = tuple(Task("retreat", ("end", unit.id, ROUT, "", "S6")) for unit in steady)
        return Did((told, *routed), flight)
    return Did((told,))


def turn_end(state: State, task: Task) -> Outcome:
    """S1, S9, S13 The turn ends: idle cavalry rests, commanders who fell are replaced, markers come off."""
    events = []
    for ident, unit in sorted(state.units.items()):
        if unit.kind == "cav" and unit.fatigue and not unit.stirred and not in_zone(state, unit.at, unit):
            events.append(event("rested", "S9", side=unit.side, unit=ident, level=unit.fatigue - 1))
    for row in state.fallen:
        old = Unit(*row)
        at = _post(state, old)
        if at:
            events.append(event("replaced", "S13", side=old.side, unit=old.id, at=at))
    return Did((*events, event("turn over", "S1", turn=state.turn)))


def _post(state: State, old: Unit) -> str:
    """Where a new commander takes over: with his division's strongest counter, else with the nearest friends."""
    names = {d.name for d in state.divisions.values() if d.commander == old.id} | {old.division} - {""}
    friends = [unit for unit in state.units.values() if unit.camp == old.camp and unit.is_combat]
    own = [unit for unit in friends if unit.division in names]
    if own:
        return min(own, key=lambda unit: (-unit.pf, unit.id)).at
    return min(friends, key=lambda unit: (distance(old.at, unit.at), unit.at)).at if friends else ""


# S1 Reinforcements: whom a scenario brings later, when, and where there is room for them.


ASIDE = 3
"""Hexes from the one that is named within which reinforcements find room."""


def awaited(state: State) -> Iterator[Mapping[str, Json]]:
    """Return the reinforcements that have not come."""
    for group in groups(state.edition.scenario):
        first = read_unit(group["units"][0]).id
        if first not in state.units and first not in state.gone:
            yield group


def arrivals(state: State, task: Task) -> Outcome:
    """S1 At the end of a turn those may come who can be there from the next one on."""
    if state.phase == "over":
        return Did()
    due = [group["name"] for group in awaited(state) if group["turn"] <= state.turn + 1]
    return Did((), tuple(Task("arrival", (name,)) for name in due))


def arrival(state: State, task: Task) -> Outcome:
    """S1 A group of reinforcements: a die if it is not sure to come, then the room for it. Argument: its name.

    It comes whole or waits for the next turn, and then throws again.
    """
    (name,) = task.args
    group = next(group for group in groups(state.edition.scenario) if group["name"] == name)
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
    comers = _placed(state, group["units"])
    if not comers:
        return Did((*events, event("no room", "T3", side=side, name=name)))
    told = [[text, at] for text, at in zip(group["units"], comers, strict=True)]
    ids = [read_unit(text).id for text in group["units"]]
    return Did((*events, event("arrives", "S1", side=side, name=name, units=ids, counters=told)))


def _placed(state: State, texts: Sequence[str]) -> list[str]:
    """Return the hex of each counter of a group, one after another; [] if one of them finds none."""
    found: list[str] = []
    for text in texts:
        unit = read_unit(text)
        at = next((at for at in _near(unit.at) if _free(state, at, unit)), "")
        if not at:
            return []
        found.append(at)
        state = state.with_units({unit.id: unit._replace(at=at)})
    return found


def _near(wanted: str) -> list[str]:
    return sorted(within(wanted, ASIDE), key=lambda at: (distance(wanted, at), at))


def _free(state: State, at: str, unit: Unit) -> bool:
    """Whether a hex is on the map, without an enemy in it or in reach of it, and has room."""
    edition, placed = state.edition, unit._replace(at=at)
    if at not in edition.map or row_of(edition, at) not in edition.chart("stacking").rows:
        return False
    ours = all(other.camp == unit.camp for other in state.at(at))
    return ours and not in_zone(state, at, placed) and fits(state, at, [placed])


# What a report says of all that.


def _tell_rally(data: Data, before: State) -> Msg:
    """S10 What came of it: what T2 calls a disorder leaves things as they are here."""
    state = before.units[data["unit"]].state if data["unit"] in before.units else ""
    if data["cell"] == "SE":
        result = msg("it rallies")
    elif data["cell"] == "DE" and state == "D":
        result = msg("it fails")
    else:
        result = msg("it fails, and stays {state}", state=STATE_NAMES.get(state, Msg(state)))
    told = msg("{unit} tries to rally: die {die}, with modifiers {total}, column {column}: {result}.")
    return fill_gaps(told, data, result=result)


def tell_arrival(data: Data, before: State) -> Msg:
    """S1 Who has come, and where."""
    places = zip(data["units"], data["counters"], strict=True)
    units = tuple(msg("{unit} in {hex}", unit=ident, hex=at) for ident, (_, at) in places)
    return msg("{name} arrives: {units}.", name=data["name"], units=units)


HEADS: Mapping[str, Teller] = {
    "rally": _tell_rally,
    "division": tell_roll(
        "division",
        msg("Division {division} tests its morale: die {die}, with modifiers {total}, column {column}: {effect}."),
    ),
    "rested": says(msg("{unit} has rested.")),
    "replaced": says(msg("A new commander takes over from {unit} in {hex}.")),
    "arrival": says(msg("{name} is awaited: die {die}, needed {needs} or more.")),
    "arrives": tell_arrival,
    "no room": says(msg("{name} finds no room and waits.")),
}
EFFECTS: Mapping[str, Teller] = {
    "rallies": lambda d, s: msg("{unit} is now {state}", unit=d["unit"], state=STATE_NAMES[d["state"]]),
    "falls back": says(msg("division {division} gives ground, each of its counters a hex")),
}
READ = {"rally": "will", "division": "division"}
ASKED = {"rally": msg("{unit} in {origin} is disordered. Does it try to rally?")}
