"""What each counter could be ordered to do, now and after its moves: for a page, for MOVES, for forms and bots."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.engine.commanders.holding import anothers
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.hexes import DIRECTIONS, direction, distance, neighbours, within
from pbem.engine.orders.choices import LED, PLAIN, Choices, Clause, Verb
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Rules, World
from pbem.games.peninsular.check import problem
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.fire import may_fire, reach
from pbem.games.peninsular.morale import ROUT, way_back
from pbem.games.peninsular.movement import March, finish
from pbem.games.peninsular.orders import FORMATIONS, GRAMMAR, Assault, Face, Form, Limber, Move, Order
from pbem.games.peninsular.paths import Walk, left, paths, reachable, walk
from pbem.games.peninsular.sequence import task_of
from pbem.games.peninsular.shock import too_weak
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits
from pbem.games.peninsular.units import NORMAL, ORDERS, Unit, best, grade

_NEAR = 3
"""Hexes from the enemy within which it is asked how one stands at the end of a move."""
_MOST = 3
"""Ways to the same attack that are offered."""
KINDS: Mapping[str, tuple[str, ...]] = {"ASSAULT": ("inf", "cav"), "CHARGE": ("cav",)}


class Ends(NamedTuple):
    """Where a counter could end a move near the enemy, each with its way, and how it may face and form there."""

    ways: Mapping[str, March]
    facings: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, tuple[str, ...]]


def ends(state: State, unit: Unit, hexes: Sequence[str]) -> Ends:
    """S3, S4a, T8 Return how a counter could stand at the end of its moves to those hexes that lie near the enemy."""
    foes = {foe.at for foe in state.enemies(unit.side) if foe.is_combat}
    found, ways, facings, forms = paths(state, [unit]), dict[str, March](), {}, {}
    for to in hexes if state.edition.reread and unit.faces else ():
        if to == unit.at or min((distance(to, foe) for foe in foes), default=99) > _NEAR:
            continue
        walked = walk(state, [unit], found[to]) if to in found else None
        if not isinstance(walked, Walk):
            continue
        way = ways[to] = March([unit], found[to], walked)
        plain = Move(0, (unit.id,), to=to)
        facings[to] = tuple(one for one in DIRECTIONS if finish(state, plain._replace(face=one), way) is None)
        wanted = (one for one in FORMATIONS if one.lower() != unit.formation and unit.kind != "art")
        forms[to] = tuple(one for one in wanted if finish(state, plain._replace(form=one), way) is None)
    return Ends(ways, facings, forms)


def attacks_alone(state: State, unit: Unit) -> Iterator[tuple[str, str]]:
    """S5, T6 What a counter could assault or charge by itself: the verb, and the hex."""
    for verb, kinds in KINDS.items():
        for target in neighbours(unit.at) if unit.kind in kinds else ():
            order = Assault(0, verb, target, (unit.id,))
            if problem(state, order) is None and too_weak(state, target, [unit]) is None:
                yield verb, target


def attacks_later(rules: Rules[State], state: State, own: Sequence[Unit], come: Mapping[str, Ends]) -> Later:
    """S4, S5 Return what counters could attack once they have moved, S2 or their division has the order to attack.

    What they could as things stand is not among it.
    """
    found = Later({})
    ordered = dict(_ordered(rules, state))
    for unit in own:
        if unit.kind not in KINDS["ASSAULT"]:
            continue
        known = {*attacks_alone(state, unit)}
        found.note(unit, _coming(state, unit, come[unit.id]), known)
        if unit.division in ordered:
            first, there = ordered[unit.division]
            at_once = ((verb, target, "") for verb, target in attacks_alone(there, unit))
            # Another order is another allowance (T7).
            moved = (*at_once, *_coming(there, unit, ends(there, unit, sorted(come[unit.id].ways))))
            lines = ((verb, target, f"{first}\n{line}".strip()) for verb, target, line in moved)
            found.note(unit, lines, known | {*found.of(unit)})
    return found


class Later(NamedTuple):
    """By counter, verb and hex, the lines after which it could be attacked."""

    after: dict[str, dict[str, dict[str, tuple[str, ...]]]]

    def of(self, unit: Unit) -> Iterator[tuple[str, str]]:
        """What is noted of a counter."""
        for verb, targets in self.after.get(unit.id, {}).items():
            yield from ((verb, target) for target in targets)

    def note(self, unit: Unit, attacks: Iterator[tuple[str, str, str]], known: set[tuple[str, str]]) -> None:
        """Note attacks that are not known yet, each with what goes before it."""
        for verb, target, line in attacks:
            if (verb, target) in known:
                continue
            lines = self.after.setdefault(unit.id, {}).setdefault(verb, {})
            if len(lines.get(target, ())) < _MOST:
                lines[target] = (*lines.get(target, ()), line)


def _ordered(rules: Rules[State], state: State) -> Iterator[tuple[str, tuple[str, State]]]:
    """S2 Divisions that would have the order to attack at once if they got it: the line, and the position then."""
    for name, division in sorted(state.divisions.items()):
        if camp(division.side) != camp(state.phase) or division.order == "ATTACK":
            continue
        task = task_of(Order(0, name, "ATTACK"))
        there = foresee(rules, World(state, (task,)), Doctrine({}), ()).state
        if there.divisions[name].order == "ATTACK":
            yield name, (f"ORDER {name} ATTACK", there)


def _coming(state: State, unit: Unit, come: Ends) -> Iterator[tuple[str, str, str]]:
    """What a counter could attack where its moves end, as it comes or turned there; the shortest move first."""
    foes = {foe.at for foe in state.enemies(unit.side) if foe.is_combat}
    close = [to for to in come.ways if not foes.isdisjoint(neighbours(to))]
    for to in sorted(close, key=lambda to: (len(come.ways[to].path), to)):
        ahead = direction((unit.at, *come.ways[to].path)[-2], to)
        open_to: set[tuple[str, str]] = set()
        for facing in (ahead, *(one for one in come.facings[to] if one != ahead)):
            there = unit.but(at=to, facing=facing)
            turned = "" if facing == ahead else f" FACE {facing}"
            for verb, target in attacks_alone(state.with_units({unit.id: there}), there):
                if (verb, target) not in open_to:
                    open_to.add((verb, target))
                    yield verb, target, f"MOVE {{units}} TO {to}{turned}"


# Where counters may want to go: of all hexes in their reach the few that matter, and why.


MOST = 4
"""Hexes that a line of a form offers."""
_THREAT = 4
"""Hexes from which on the enemy is too far away to go back from."""


class Goal(NamedTuple):
    """A hex worth going to, and why: points, exit, contact with the enemy, nearer to him, back, troops; or nothing."""

    at: str
    why: str


def in_reach(state: State, units: Sequence[Unit]) -> frozenset[str]:
    """S4, T3 Return the hexes in which counters that go together could end a move."""
    return frozenset(at for at in reachable(state, units) if fits(state, at, units))


def way_out(state: State, unit: Unit) -> Collection[str]:
    """S14 Return the hexes of the exit, for a battalion of the side that has one."""
    found = state.edition.scenario.get("victory", {}).get("exit", {})
    theirs = found and unit.kind == "inf" and camp(found["side"]) == unit.camp
    hexes: Collection[str] = found["hexes"] if theirs else ()
    return hexes


def matters(state: State, unit: Unit, hexes: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which of some hexes count points, and which lie next to the enemy."""
    points = state.edition.scenario.get("victory", {}).get("hexes", {})
    there = {near for foe in _foes(state, unit) for near in neighbours(foe)}
    return tuple(sorted(at for at in hexes if at in points)), tuple(sorted(at for at in hexes if at in there))


def goals(state: State, units: Sequence[Unit], hexes: Collection[str]) -> tuple[Goal, ...]:
    """Return those of the hexes in reach that matter most, at most `MOST` of them, the first of each kind first."""
    found: dict[str, str] = {}
    hexes = _open(state, units, hexes)
    for _, goal in sorted(_worth(state, units, hexes)):
        if goal.why or not found:
            found.setdefault(goal.at, goal.why)
    return tuple(Goal(at, why) for at, why in list(found.items())[:MOST])


def _open(state: State, units: Sequence[Unit], hexes: Collection[str]) -> Collection[str]:
    """S12 Of some hexes those from which counters that are shaken would find a way to retreat, if any."""
    shaken = [unit for unit in units if unit.is_combat and unit.state != NORMAL]
    ways = (
        [at for at in hexes if all(way_back(state, unit.but(at=at), ROUT, "") for unit in shaken)] if shaken else hexes
    )
    return ways or hexes


def _worth(state: State, units: Sequence[Unit], hexes: Collection[str]) -> Iterator[tuple[int, Goal]]:
    """Hexes that matter, the best of each kind with the lowest number; if none does the nearest."""
    first = units[0]
    start, foes = first.at, _foes(state, first)

    def gap(at: str) -> int:
        return min((distance(at, foe) for foe in foes), default=0)

    if hexes:
        yield 10**6, Goal(min(hexes, key=lambda at: (distance(start, at), at)), "")
    if not any(unit.is_combat for unit in units):
        mates = [at for at in hexes if any(u.is_combat and _of(state, first, u) for u in state.own(at, first.side))]
        ordered = sorted(mates, key=lambda at: (gap(at), at))
        yield from ((number, Goal(at, "troops")) for number, at in enumerate(ordered))
        return
    points = state.edition.scenario.get("victory", {}).get("hexes", {})
    for number, at in enumerate(sorted((at for at in hexes if at in points), key=lambda at: (-points[at], at))):
        yield 5 * number, Goal(at, "points")
    exits = {at for unit in units for at in way_out(state, unit)}
    for number, at in enumerate(sorted(exits.intersection(hexes))):
        yield 5 * number + 1, Goal(at, "exit")
    contact = sorted((at for at in hexes if gap(at) == 1), key=lambda at: (distance(start, at), at))
    for number, at in enumerate(contact):
        yield 5 * number + 2, Goal(at, "contact")
    for there, number in ((foes, 3), ([at for at in points if at != start], 4)):
        near = _nearest(start, there, [at for at in hexes if at not in contact])
        if near:
            yield number, Goal(near, "nearer")
    away = [at for at in hexes if gap(at) > gap(start)] if foes and gap(start) <= _THREAT else []
    if away:
        yield 4, Goal(max(away, key=lambda at: (gap(at), -distance(start, at), at)), "back")


def _nearest(start: str, goals: Collection[str], hexes: Collection[str]) -> str:
    """Of some hexes the one that brings a counter nearest to the nearest of its goals; empty if none does."""
    if not goals:
        return ""
    goal = min(goals, key=lambda at: (distance(start, at), at))
    best = min(hexes, key=lambda at: (distance(at, goal), distance(start, at), at), default=start)
    return best if distance(best, goal) < distance(start, goal) else ""


def _of(state: State, chief: Unit, unit: Unit) -> bool:
    """Whether a commander has anything to say to a counter: one of his division; who has none goes to any."""
    own = next((name for name, division in state.divisions.items() if division.commander == chief.id), "")
    return unit.at != chief.at and own in ("", unit.division)


def _foes(state: State, unit: Unit) -> list[str]:
    return sorted({foe.at for foe in state.enemies(unit.side) if foe.is_combat})


# What the counters of a hex could be ordered to do now: where they can go, whom they can assault, charge or shoot.


def fresh(view: State, side: str) -> State:
    """Return the position as the side's half begins."""
    begun = {
        i: u._replace(
            used=0, offroad=False, zoned=False, base=u.formation, start=u.at, assault="", charge=0, halted=False
        )
        for i, u in view.units.items()
    }
    return view.change(phase=side, units=begun, assaults=(), shots=(), stopped=False)


def moves(view: State, seat: str, at: str, begun: bool = False) -> tuple[Msg, ...]:
    """Return, for each counter of the side in the hex, its MP, where it can end a move, and whom it can attack.

    Each counter is looked at by itself, as it stands and faces; then all who can move as they would go together (S4a).
    """
    side = view.edition.seats[seat]
    state = fresh(view, side)
    own = [unit for unit in state.at(at) if unit.camp == camp(side)]
    possible = attacks(state, [unit for _, unit in sorted(state.units.items()) if unit.camp == camp(side)])
    lines = [line for unit in own for line in _of_unit(state, unit, possible)] + _of_all(state, own)
    return tuple(lines) or (msg("you have no unit in {hex}", hex=at),)


def places(view: State, seat: str) -> tuple[Msg, ...]:
    """Return, for each hex where a side and its friends have counters, which they are."""
    side = view.edition.seats[seat]
    found: dict[str, list[str]] = {}
    for unit in view.counters(side):
        found.setdefault(unit.at, []).append(unit.id)
    return tuple(msg("{hex}: {units}", hex=at, units=tuple(ids)) for at, ids in sorted(found.items()))


def mobile(state: State, units: Sequence[Unit]) -> list[Unit]:
    """S4 Return those of some counters that could be ordered to go anywhere."""
    return [unit for unit in units if problem(state, Move(0, (unit.id,), face=unit.facing)) is None]


def able(state: State, unit: Unit, verb: str) -> tuple[str, ...]:
    """Return the hexes a counter could be ordered to with MOVE, ASSAULT, CHARGE or FIRE."""
    if verb == "FIRE":
        near = within(unit.at, reach(state, unit)) if unit.is_combat else ()
        return tuple(at for at in near if at in state.edition.map and may_fire(state, unit, at) is None)
    if verb == "MOVE":
        return tuple(sorted(in_reach(state, [unit]))) if mobile(state, [unit]) else ()
    near = neighbours(unit.at)
    return tuple(sorted(at for at in near if problem(state, Assault(0, verb, at, (unit.id,))) is None))


def attacks(state: State, own: Sequence[Unit]) -> list[Assault]:
    """Return the assault on each hex with all of these counters who could, under the strongest, then the charges.

    T6 Where all of them together are too weak for a shock there is none.
    """
    found: list[Assault] = []
    for verb, kinds in (("ASSAULT", ("inf", "cav")), ("CHARGE", ("cav",))):
        against: dict[str, list[Unit]] = {}
        for unit in own:
            for at in able(state, unit, verb) if unit.kind in kinds else ():
                against.setdefault(at, []).append(unit)
        for at, units in sorted(against.items()):
            lead = best(units)
            leader = lead.id if lead is not None and len(units) > 1 else ""
            if too_weak(state, at, units) is None:
                found.append(Assault(0, verb, at, tuple(unit.id for unit in units), leader))
    return found


def may(state: State, unit: Unit, possible: Sequence[Assault]) -> dict[str, tuple[str, ...]]:
    """Return, by verb, the hexes that an order could name for a counter; what it cannot do is not there.

    What it could assault and charge is what it could in one of the attacks that are `possible`.
    """
    found = {verb: able(state, unit, verb) for verb in ("MOVE", "FIRE")}
    for verb in ("ASSAULT", "CHARGE"):
        found[verb] = tuple(sorted(one.target for one in possible if one.verb == verb and unit.id in one.units))
    return {verb: hexes for verb, hexes in found.items() if hexes}


def _of_unit(state: State, unit: Unit, possible: Sequence[Assault]) -> list[Msg]:
    lines, found = [msg("{unit}: {mp} MP", unit=unit.id, mp=left(state, unit))], may(state, unit, possible)
    for verb, said in _SAID.items():
        hexes = found.get(verb, ())
        if hexes:
            lines.append(msg(said.text, unit=unit.id, hexes=_runs(hexes) if verb == "MOVE" else hexes))
        if hexes and verb == "MOVE":
            lines += _what_matters(state, unit, hexes)
    return lines


def _what_matters(state: State, unit: Unit, hexes: Collection[str]) -> list[Msg]:
    """S14 Of the hexes in reach those that count, and those next to the enemy."""
    points, enemy = matters(state, unit, hexes)
    exits = tuple(at for at in hexes if at in way_out(state, unit))
    lines = [msg("{unit}: hexes with points in reach: {hexes}", unit=unit.id, hexes=points)] if points else []
    lines += [msg("{unit}: next to the enemy: {hexes}", unit=unit.id, hexes=_runs(enemy))] if enemy else []
    if exits:
        lines.append(msg("{unit}: the exit is in reach, {hexes} (S14)", unit=unit.id, hexes=exits))
    return lines


def _runs(hexes: Collection[str]) -> tuple[str, ...]:
    """Hexes in their order; three or more below each other as the first and the last of them: ``0905-0911``."""
    found: list[str] = []
    for _, group in groupby(enumerate(sorted(hexes)), key=lambda item: (item[1][:2], int(item[1][2:]) - item[0])):
        run = [at for _, at in group]
        found += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else run
    return tuple(found)


def _of_all(state: State, units: Sequence[Unit]) -> list[Msg]:
    """S4a Where all counters of a hex that can move could go together."""
    going = mobile(state, units)
    if len(going) < 2 or not state.edition.reread:
        return []
    hexes, ids = _runs(in_reach(state, going)), tuple(unit.id for unit in going)
    return [msg("together, {units}: MOVE to {hexes}", units=ids, hexes=hexes)] if hexes else []


_SAID = {
    "MOVE": msg("{unit}: MOVE to {hexes}"),
    "ASSAULT": msg("{unit}: ASSAULT {hexes}"),
    "CHARGE": msg("{unit}: CHARGE at {hexes}"),
    "FIRE": msg("{unit}: FIRE at {hexes}"),
}


# Counter by counter, for a page on which a player chooses.


_ENDS = (Clause("FACE", msg("turned to")), Clause("FORM", msg("into the formation"), instead=("FACE",)))
_LED = " LED BY {leader}"
VERBS = (
    Verb("ORDER", msg("Order of the division"), {PLAIN: "ORDER {units} {to}"}, single=True),
    Verb("MOVE", msg("Move to"), {PLAIN: "MOVE {units} TO {to}"}, clauses=_ENDS),
    Verb(
        "ASSAULT",
        msg("Assault"),
        {PLAIN: "ASSAULT {to} WITH {units}", LED: "ASSAULT {to} WITH {units}" + _LED},
        attack=True,
        apart=True,
    ),
    Verb(
        "CHARGE",
        msg("Charge"),
        {PLAIN: "CHARGE {units} AT {to}", LED: "CHARGE {units} AT {to}" + _LED},
        attack=True,
        apart=True,
    ),
    Verb("FIRE", msg("Fire at"), {PLAIN: "FIRE {units} AT {to}"}, attack=True, apart=True, written=True),
    Verb("FORM", msg("Form"), {PLAIN: "FORM {units} {to}"}, apart=True, written=True),
    Verb("FACE", msg("Face"), {PLAIN: "FACE {units} {to}"}, apart=True, written=True),
    Verb("LIMBER", msg("Limber"), {PLAIN: "LIMBER {units}"}, apart=True, written=True),
    Verb("UNLIMBER", msg("Unlimber"), {PLAIN: "UNLIMBER {units}"}, apart=True, written=True),
)


def choices(rules: Rules[State], view: State, seat: str, begun: bool = False) -> Choices:
    """S2-S7 Return what the counters of a side may do as its half begins, each as it stands and faces."""
    side = view.edition.seats[seat]
    state = fresh(view, side)
    mine = (unit for _, unit in sorted(state.units.items()) if unit.camp == camp(side) and unit.at)
    own = [unit for unit in mine if not anothers(state, unit.id)]
    offers, helps = dict[str, dict[str, tuple[str, ...]]](), dict[str, dict[str, tuple[str, ...]]]()
    possible, come = attacks(state, own), dict[str, Ends]()
    for unit in own:
        found = may(state, unit, possible)
        come[unit.id] = ends(state, unit, found.get("MOVE", ()))
        alone = {*attacks_alone(state, unit)}
        for verb in ("ASSAULT", "CHARGE"):
            weak = tuple(at for at in found.get(verb, ()) if (verb, at) not in alone)
            if weak:
                helps.setdefault(unit.id, {})[verb] = weak
            found[verb] = tuple(sorted(at for one, at in alone if one == verb))
        found["ORDER"] = tuple(one for one in ORDERS if _may_get(state, unit.id, one))
        found |= _turns(state, unit.id)
        if any(found.values()):
            offers[unit.id] = {verb: ways for verb, ways in found.items() if ways}
    chiefs = sorted((unit for unit in own if unit.is_combat), key=lambda unit: (-unit.pf, grade(unit.will), unit.id))
    return Choices(
        VERBS,
        offers,
        leads=tuple(unit.id for unit in chiefs),
        idiom=GRAMMAR.idiom,
        ways={"MOVE": {"FACE": _by_unit(come, "facings"), "FORM": _by_unit(come, "forms")}},
        after=attacks_later(rules, state, own, come).after,
        helps=helps,
    )


def _by_unit(come: Mapping[str, Ends], what: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """What is said of counters for whom there is any of it."""
    return {unit: found for unit, one in come.items() if any((found := getattr(one, what)).values())}


def _may_get(state: State, name: str, order: str) -> bool:
    """S2 Whether a division, which is called as its commander, may get an order that it does not have."""
    division = state.divisions.get(name)
    has = division and (division.pending or division.order)
    return division is not None and order != has and problem(state, Order(0, name, order)) is None


def _turns(state: State, ident: str) -> dict[str, tuple[str, ...]]:
    """T8, S3 What a counter may become where it stands."""
    ids = (ident,)
    return {
        "FORM": tuple(one for one in FORMATIONS if problem(state, Form(0, ids, one)) is None),
        "FACE": tuple(one for one in DIRECTIONS if problem(state, Face(0, ids, one)) is None),
        **{verb: ("",) for verb in ("LIMBER", "UNLIMBER") if problem(state, Limber(0, ids, verb)) is None},
    }
