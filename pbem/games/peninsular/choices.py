"""List the possible orders of each counter: for the page, MOVES, forms and bots."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.engine.commanders.holding import other_owner
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.hexes import DIRECTIONS, direction, distance, neighbours, within
from pbem.engine.orders.choices import LED, PLAIN, Choices, Clause, Verb
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Rules, World
from pbem.games.peninsular.check import refuse_action
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.fire import fire_range, may_fire
from pbem.games.peninsular.morale import ROUT_HEXES, retreat_path
from pbem.games.peninsular.movement import LegalMove, refuse_end_action
from pbem.games.peninsular.orders import FORMATIONS, GRAMMAR, Assault, Face, Form, Limber, Move, Order
from pbem.games.peninsular.paths import PathCost, cheapest_paths, path_cost, reachable_hexes, remaining_mp
from pbem.games.peninsular.sequence import task_of
from pbem.games.peninsular.shock import strengths_if_weak
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import has_room
from pbem.games.peninsular.units import DIVISION_ORDERS, NORMAL, Unit, best_unit, will_rank

_NEAR = 3
"""Hexes from the enemy within which the facing and formation at the end of a move are offered. A choice: farther
off they can be left to a later move."""
_MOST_WAYS = 3
"""Ways to one attack that are offered. A choice: the form stays short."""
ATTACKING_BRANCHES: Mapping[str, tuple[str, ...]] = {"ASSAULT": ("inf", "cav"), "CHARGE": ("cav",)}


class MoveEnds(NamedTuple):
    """The hexes near the enemy where a move can end.

    Each has its way, and the possible facings and formations.
    """

    ways: Mapping[str, LegalMove]
    facings: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, tuple[str, ...]]


def move_ends(state: State, unit: Unit, hexes: Sequence[str]) -> MoveEnds:
    """Return how a counter could end its move near the enemy (S3, S4a, T8)."""
    foes = {foe.at for foe in state.enemies(unit.side) if foe.is_combat}
    routes, ways, facings, forms = cheapest_paths(state, [unit]), dict[str, LegalMove](), {}, {}
    for destination in hexes if state.edition.reread and unit.faces else ():
        if destination == unit.at or min((distance(destination, foe) for foe in foes), default=99) > _NEAR:
            continue
        walk_result = path_cost(state, [unit], routes[destination]) if destination in routes else None
        if not isinstance(walk_result, PathCost):
            continue
        way = ways[destination] = LegalMove([unit], routes[destination], walk_result)
        plain = Move(0, (unit.id,), to=destination)
        facings[destination] = tuple(
            facing for facing in DIRECTIONS if refuse_end_action(state, plain._replace(face=facing), way) is None
        )
        wanted = (formation for formation in FORMATIONS if formation.lower() != unit.formation and unit.kind != "art")
        forms[destination] = tuple(
            formation_name
            for formation_name in wanted
            if refuse_end_action(state, plain._replace(form=formation_name), way) is None
        )
    return MoveEnds(ways, facings, forms)


def attacks_alone(state: State, unit: Unit) -> Iterator[tuple[str, str]]:
    """Yield the verb and hex of each attack a counter could make alone (S5, T6)."""
    for verb, kinds in ATTACKING_BRANCHES.items():
        for target in neighbours(unit.at) if unit.kind in kinds else ():
            order = Assault(0, verb, target, (unit.id,))
            if refuse_action(state, order) is None and strengths_if_weak(state, target, [unit]) is None:
                yield verb, target


def attacks_later(
    rules: Rules[State], state: State, own_units: Sequence[Unit], come: Mapping[str, MoveEnds]
) -> LaterAttacks:
    """Return attacks possible after a move or a new Attack order (S4, S5, S2).

    Attacks that are possible already are left out.
    """
    result = LaterAttacks({})
    ordered = dict(_attack_orders(rules, state))
    for unit in own_units:
        if unit.kind not in ATTACKING_BRANCHES["ASSAULT"]:
            continue
        known = {*attacks_alone(state, unit)}
        result.note(unit, _attacks_at_ends(state, unit, come[unit.id]), known)
        if unit.division in ordered:
            first, there = ordered[unit.division]
            at_once = ((verb, target, "") for verb, target in attacks_alone(there, unit))
            # Another order is another allowance (T7).
            moved_attacks = (
                *at_once,
                *_attacks_at_ends(there, unit, move_ends(there, unit, sorted(come[unit.id].ways))),
            )
            lines = ((verb, target, f"{first}\n{line}".strip()) for verb, target, line in moved_attacks)
            result.note(unit, lines, known | {*result.of(unit)})
    return result


class LaterAttacks(NamedTuple):
    """The orders that make attacks possible, by counter, verb and hex of the attack."""

    after: dict[str, dict[str, dict[str, tuple[str, ...]]]]

    def of(self, unit: Unit) -> Iterator[tuple[str, str]]:
        """Yield the attacks noted for a counter."""
        for verb, targets in self.after.get(unit.id, {}).items():
            yield from ((verb, target) for target in targets)

    def note(self, unit: Unit, attacks: Iterator[tuple[str, str, str]], known: set[tuple[str, str]]) -> None:
        """Store new attacks, each with the order that must come before it."""
        for verb, target, line in attacks:
            if (verb, target) in known:
                continue
            lines = self.after.setdefault(unit.id, {}).setdefault(verb, {})
            if len(lines.get(target, ())) < _MOST_WAYS:
                lines[target] = (*lines.get(target, ()), line)


def _attack_orders(rules: Rules[State], state: State) -> Iterator[tuple[str, tuple[str, State]]]:
    """Yield divisions that could get an Attack order at once.

    Each comes with the line and the position after it. Rule: S2.
    """
    for name, division in sorted(state.divisions.items()):
        if alliance_of(division.side) != alliance_of(state.phase) or division.order == "ATTACK":
            continue
        task = task_of(Order(0, name, "ATTACK"))
        there = foresee(rules, World(state, (task,)), Doctrine({}), ()).state
        if there.divisions[name].order == "ATTACK":
            yield name, (f"ORDER {name} ATTACK", there)


def _attacks_at_ends(state: State, unit: Unit, come: MoveEnds) -> Iterator[tuple[str, str, str]]:
    """Yield the attacks possible where the moves end, the shortest move first.

    The caller keeps only the first `_MOST_WAYS` to a target.
    """
    foes = {foe.at for foe in state.enemies(unit.side) if foe.is_combat}
    close = [destination for destination in come.ways if not foes.isdisjoint(neighbours(destination))]
    for destination in sorted(close, key=lambda to: (len(come.ways[to].path), to)):
        ahead = direction((unit.at, *come.ways[destination].path)[-2], destination)
        open_to: set[tuple[str, str]] = set()
        for facing in (ahead, *(side for side in come.facings[destination] if side != ahead)):
            there = unit.but(at=destination, facing=facing)
            facing_clause = "" if facing == ahead else f" FACE {facing}"
            for verb, target in attacks_alone(state.with_units({unit.id: there}), there):
                if (verb, target) not in open_to:
                    open_to.add((verb, target))
                    yield verb, target, f"MOVE {{units}} TO {destination}{facing_clause}"


# Where counters may want to go: of all hexes in their reach the few that matter, and why.


MOST_HEXES = 4
"""Hexes that a line of a form offers. A choice: a line of a letter has room for so many."""
_THREAT = 4
"""Hexes beyond which an enemy is too far away to retreat from. A choice, one hex beyond `_NEAR`."""


class HexGoal(NamedTuple):
    """A hex worth going to, and the reason.

    `why` is points, exit, contact, nearer, back, troops or empty.
    """

    at: str
    why: str


def hexes_in_reach(state: State, units: Sequence[Unit]) -> frozenset[str]:
    """Return the hexes where counters moving together could end (S4, T3)."""
    return frozenset(hex_id for hex_id in reachable_hexes(state, units) if has_room(state, hex_id, units))


def exit_hexes(state: State, unit: Unit) -> Collection[str]:
    """Return the exit hexes, for a battalion of the side that has an exit (S14)."""
    exit_rules = state.edition.scenario.get("victory", {}).get("exit", {})
    theirs = exit_rules and unit.kind == "inf" and alliance_of(exit_rules["side"]) == unit.camp
    hexes: Collection[str] = exit_rules["hexes"] if theirs else ()
    return hexes


def hexes_that_count(state: State, unit: Unit, hexes: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the hexes that count points, and those next to the enemy."""
    points = state.edition.scenario.get("victory", {}).get("hexes", {})
    there = {near for foe in _foes(state, unit) for near in neighbours(foe)}
    return tuple(sorted(hex_id for hex_id in hexes if hex_id in points)), tuple(
        sorted(hex_id for hex_id in hexes if hex_id in there)
    )


def important_goals(state: State, units: Sequence[Unit], hexes: Collection[str]) -> tuple[HexGoal, ...]:
    """Return at most `MOST_HEXES` of the most important hexes in reach.

    The best of each kind comes before the second of any kind.
    """
    reasons: dict[str, str] = {}
    hexes = _with_retreat(state, units, hexes)
    for _, goal in sorted(_rank_goals(state, units, hexes)):
        if goal.why or not reasons:
            reasons.setdefault(goal.at, goal.why)
    return tuple(HexGoal(hex_id, why) for hex_id, why in list(reasons.items())[:MOST_HEXES])


def _with_retreat(state: State, units: Sequence[Unit], hexes: Collection[str]) -> Collection[str]:
    """Return the hexes from which shaken counters could retreat; if none, all (S12)."""
    shaken_units = [unit for unit in units if unit.is_combat and unit.state != NORMAL]
    ways = (
        [
            hex_id
            for hex_id in hexes
            if all(retreat_path(state, unit.but(at=hex_id), ROUT_HEXES, "") for unit in shaken_units)
        ]
        if shaken_units
        else hexes
    )
    return ways or hexes


def _rank_goals(state: State, units: Sequence[Unit], hexes: Collection[str]) -> Iterator[tuple[int, HexGoal]]:
    """Yield numbered goals, the best of each kind lowest; else the nearest hex.

    Five kinds share the numbers: 5 n + k is the n-th of kind k, so that sorting takes the first of each kind before
    the second of any.
    """
    first = units[0]
    start, foes = first.at, _foes(state, first)

    def gap(hex_id: str) -> int:
        return min((distance(hex_id, foe) for foe in foes), default=0)

    if hexes:
        # Never more than one goal of this worth: it comes before all others.
        yield 10**6, HexGoal(min(hexes, key=lambda hex_id: (distance(start, hex_id), hex_id)), "")
    if not any(unit.is_combat for unit in units):
        mates = [
            hex_id
            for hex_id in hexes
            if any(u.is_combat and _belongs_to(state, first, u) for u in state.own(hex_id, first.side))
        ]
        # Troops nearest to the enemy need a commander first.
        ordered = sorted(mates, key=lambda hex_id: (gap(hex_id), hex_id))
        yield from ((number, HexGoal(index, "troops")) for number, index in enumerate(ordered))
        return
    points = state.edition.scenario.get("victory", {}).get("hexes", {})
    for number, index in enumerate(
        sorted((hex_id for hex_id in hexes if hex_id in points), key=lambda hex_id: (-points[hex_id], hex_id))
    ):
        yield 5 * number, HexGoal(index, "points")
    exits = {hex_id for unit in units for hex_id in exit_hexes(state, unit)}
    for number, index in enumerate(sorted(exits.intersection(hexes))):
        yield 5 * number + 1, HexGoal(index, "exit")
    contact = sorted(
        (hex_id for hex_id in hexes if gap(hex_id) == 1), key=lambda hex_id: (distance(start, hex_id), hex_id)
    )
    for number, index in enumerate(contact):
        yield 5 * number + 2, HexGoal(index, "contact")
    for there, number in ((foes, 3), ([hex_id for hex_id in points if hex_id != start], 4)):
        near = _nearest(start, there, [hex_id for hex_id in hexes if hex_id not in contact])
        if near:
            yield number, HexGoal(near, "nearer")
    away = [hex_id for hex_id in hexes if gap(hex_id) > gap(start)] if foes and gap(start) <= _THREAT else []
    if away:
        yield 4, HexGoal(max(away, key=lambda hex_id: (gap(hex_id), -distance(start, hex_id), hex_id)), "back")


def _nearest(start: str, goals: Collection[str], hexes: Collection[str]) -> str:
    """Return the hex nearest to the nearest goal; empty if none gets nearer."""
    if not goals:
        return ""
    goal = min(goals, key=lambda hex_id: (distance(start, hex_id), hex_id))
    best = min(hexes, key=lambda hex_id: (distance(hex_id, goal), distance(start, hex_id), hex_id), default=start)
    return best if distance(best, goal) < distance(start, goal) else ""


def _belongs_to(state: State, chief: Unit, unit: Unit) -> bool:
    """Return whether a commander commands a counter.

    A commander without a division commands all counters.
    """
    own = next((name for name, division in state.divisions.items() if division.commander == chief.id), "")
    return unit.at != chief.at and own in ("", unit.division)


def _foes(state: State, unit: Unit) -> list[str]:
    return sorted({foe.at for foe in state.enemies(unit.side) if foe.is_combat})


# What the counters of a hex could be ordered to do now: where they can go, whom they can assault, charge or shoot.


def start_of_half(view: State, side: str) -> State:
    """Return the position at the start of the side's half."""
    begun = {
        ident: unit._replace(
            used=0, offroad=False, zoned=False, base=unit.formation, start=unit.at, assault="", charge=0, halted=False
        )
        for ident, unit in view.units.items()
    }
    return view.change(phase=side, units=begun, assaults=(), shots=(), stopped=False)


def possible_moves(view: State, seat: str, hex_id: str, begun: bool = False) -> tuple[Msg, ...]:
    """Return, for each of a seat's counters in a hex, MP, moves and targets.

    Each counter is examined by itself, in its place and facing; then all that could move together (S4a).
    """
    side = view.edition.seats[seat]
    state = start_of_half(view, side)
    own_units = [unit for unit in state.at(hex_id) if unit.camp == alliance_of(side)]
    possible = possible_attacks(
        state, [unit for _, unit in sorted(state.units.items()) if unit.camp == alliance_of(side)]
    )
    lines = [line for unit in own_units for line in _unit_lines(state, unit, possible)] + _joint_move_lines(
        state, own_units
    )
    return tuple(lines) or (msg("you have no unit in {hex}", hex=hex_id),)


def unit_places(view: State, seat: str) -> tuple[Msg, ...]:
    """Return each hex with counters of a side and its friends, and the counters."""
    side = view.edition.seats[seat]
    ids: dict[str, list[str]] = {}
    for unit in view.counters(side):
        ids.setdefault(unit.at, []).append(unit.id)
    return tuple(msg("{hex}: {units}", hex=hex_id, units=tuple(ids)) for hex_id, ids in sorted(ids.items()))


def movable_units(state: State, units: Sequence[Unit]) -> list[Unit]:
    """Return the counters that could be ordered to move (S4)."""
    return [unit for unit in units if refuse_action(state, Move(0, (unit.id,), face=unit.facing)) is None]


def possible_hexes(state: State, unit: Unit, verb: str) -> tuple[str, ...]:
    """Return the hexes for a counter's MOVE, ASSAULT, CHARGE or FIRE."""
    if verb == "FIRE":
        near = within(unit.at, fire_range(state, unit)) if unit.is_combat else ()
        return tuple(hex_id for hex_id in near if hex_id in state.edition.map and may_fire(state, unit, hex_id) is None)
    if verb == "MOVE":
        return tuple(sorted(hexes_in_reach(state, [unit]))) if movable_units(state, [unit]) else ()
    near = neighbours(unit.at)
    return tuple(
        sorted(hex_id for hex_id in near if refuse_action(state, Assault(0, verb, hex_id, (unit.id,))) is None)
    )


def possible_attacks(state: State, own_units: Sequence[Unit]) -> list[Assault]:
    """Return the assaults on each hex with all able counters, then the charges.

    The strongest counter leads. Groups too weak for a shock are left out (T6).
    """
    result: list[Assault] = []
    for verb, kinds in (("ASSAULT", ("inf", "cav")), ("CHARGE", ("cav",))):
        against: dict[str, list[Unit]] = {}
        for unit in own_units:
            for hex_id in possible_hexes(state, unit, verb) if unit.kind in kinds else ():
                against.setdefault(hex_id, []).append(unit)
        for hex_id, units in sorted(against.items()):
            lead = best_unit(units)
            leader = lead.id if lead is not None and len(units) > 1 else ""
            if strengths_if_weak(state, hex_id, units) is None:
                result.append(Assault(0, verb, hex_id, tuple(unit.id for unit in units), leader))
    return result


def possible_orders(state: State, unit: Unit, possible: Sequence[Assault]) -> dict[str, tuple[str, ...]]:
    """Return the hexes by verb that an order could name for a counter.

    Empty verbs are left out.

    Assaults and charges are those in the `possible` attacks.
    """
    hexes_by_verb = {verb: possible_hexes(state, unit, verb) for verb in ("MOVE", "FIRE")}
    for verb in ("ASSAULT", "CHARGE"):
        hexes_by_verb[verb] = tuple(
            sorted(assault.target for assault in possible if assault.verb == verb and unit.id in assault.units)
        )
    return {verb: hexes for verb, hexes in hexes_by_verb.items() if hexes}


def _unit_lines(state: State, unit: Unit, possible: Sequence[Assault]) -> list[Msg]:
    lines, hexes_by_verb = (
        [msg("{unit}: {mp} MP", unit=unit.id, mp=remaining_mp(state, unit))],
        possible_orders(state, unit, possible),
    )
    for verb, sentence in _SAID.items():
        hexes = hexes_by_verb.get(verb, ())
        if hexes:
            lines.append(msg(sentence.text, unit=unit.id, hexes=_merge_runs(hexes) if verb == "MOVE" else hexes))
        if hexes and verb == "MOVE":
            lines += _what_matters(state, unit, hexes)
    return lines


def _what_matters(state: State, unit: Unit, hexes: Collection[str]) -> list[Msg]:
    """Return lines on hexes in reach that count and those next to the enemy (S14)."""
    points, enemy = hexes_that_count(state, unit, hexes)
    exits = tuple(hex_id for hex_id in hexes if hex_id in exit_hexes(state, unit))
    lines = [msg("{unit}: hexes with points in reach: {hexes}", unit=unit.id, hexes=points)] if points else []
    lines += [msg("{unit}: next to the enemy: {hexes}", unit=unit.id, hexes=_merge_runs(enemy))] if enemy else []
    if exits:
        lines.append(msg("{unit}: the exit is in reach, {hexes} (S14)", unit=unit.id, hexes=exits))
    return lines


def _merge_runs(hexes: Collection[str]) -> tuple[str, ...]:
    """Return sorted hexes, with runs of three or more shortened to ``0905-0911``."""
    runs: list[str] = []
    for _, group in groupby(enumerate(sorted(hexes)), key=lambda item: (item[1][:2], int(item[1][2:]) - item[0])):
        run = [hex_id for _, hex_id in group]
        runs += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else run
    return tuple(runs)


def _joint_move_lines(state: State, units: Sequence[Unit]) -> list[Msg]:
    """Return where all movable counters of a hex could go together (S4a)."""
    going = movable_units(state, units)
    if len(going) < 2 or not state.edition.reread:
        return []
    hexes, ids = _merge_runs(hexes_in_reach(state, going)), tuple(unit.id for unit in going)
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


def list_choices(rules: Rules[State], view: State, seat: str, begun: bool = False) -> Choices:
    """Return the possible actions of a side's counters at the start of its half.

    Rules: S2-S7.
    """
    side = view.edition.seats[seat]
    state = start_of_half(view, side)
    mine = (unit for _, unit in sorted(state.units.items()) if unit.camp == alliance_of(side) and unit.at)
    own_units = [unit for unit in mine if not other_owner(state, unit.id)]
    offers, helps = dict[str, dict[str, tuple[str, ...]]](), dict[str, dict[str, tuple[str, ...]]]()
    possible, come = possible_attacks(state, own_units), dict[str, MoveEnds]()
    for unit in own_units:
        hexes_by_verb = possible_orders(state, unit, possible)
        come[unit.id] = move_ends(state, unit, hexes_by_verb.get("MOVE", ()))
        alone = {*attacks_alone(state, unit)}
        for verb in ("ASSAULT", "CHARGE"):
            weak = tuple(hex_id for hex_id in hexes_by_verb.get(verb, ()) if (verb, hex_id) not in alone)
            if weak:
                helps.setdefault(unit.id, {})[verb] = weak
            hexes_by_verb[verb] = tuple(sorted(hex_id for attack_verb, hex_id in alone if attack_verb == verb))
        hexes_by_verb["ORDER"] = tuple(
            order_word for order_word in DIVISION_ORDERS if _may_get_order(state, unit.id, order_word)
        )
        hexes_by_verb |= _form_options(state, unit.id)
        if any(hexes_by_verb.values()):
            offers[unit.id] = {verb: ways for verb, ways in hexes_by_verb.items() if ways}
    # The best leader first, as `Choices.leads` has them.
    chiefs = sorted(
        (unit for unit in own_units if unit.is_combat), key=lambda unit: (-unit.pf, will_rank(unit.will), unit.id)
    )
    return Choices(
        VERBS,
        offers,
        leads=tuple(unit.id for unit in chiefs),
        idiom=GRAMMAR.idiom,
        ways={"MOVE": {"FACE": _values_by_unit(come, "facings"), "FORM": _values_by_unit(come, "forms")}},
        after=attacks_later(rules, state, own_units, come).after,
        helps=helps,
    )


def _values_by_unit(come: Mapping[str, MoveEnds], field: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return one kind of value for the units that have any."""
    return {unit: values for unit, unit_ends in come.items() if any((values := getattr(unit_ends, field)).values())}


def _may_get_order(state: State, name: str, order: str) -> bool:
    """Return whether a division, named by its commander, may get a new order (S2)."""
    division = state.divisions.get(name)
    has = division and (division.pending or division.order)
    return division is not None and order != has and refuse_action(state, Order(0, name, order)) is None


def _form_options(state: State, ident: str) -> dict[str, tuple[str, ...]]:
    """Return a counter's possible formations and facings in its place (T8, S3)."""
    ids = (ident,)
    return {
        "FORM": tuple(formation for formation in FORMATIONS if refuse_action(state, Form(0, ids, formation)) is None),
        "FACE": tuple(facing for facing in DIRECTIONS if refuse_action(state, Face(0, ids, facing)) is None),
        **{verb: ("",) for verb in ("LIMBER", "UNLIMBER") if refuse_action(state, Limber(0, ids, verb)) is None},
    }
