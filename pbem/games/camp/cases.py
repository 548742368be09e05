"""Read rule cases of wars and camps: ledgers and expectations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from pbem.engine.data.canon import Json
from pbem.engine.parts import RuleCases
from pbem.engine.run.steps import World
from pbem.engine.terms import Orders
from pbem.engine.war.chain import DRAW, CampData, Changes, Outcome, Part, Verdict, blocks, changes, peace, verdict
from pbem.engine.war.file import Leg, War, read_war
from pbem.engine.war.ledger import (
    AWAY,
    BROKEN,
    COMBAT,
    GUN,
    LEADER,
    READY,
    TRAIN,
    Ledger,
    LegResult,
    ListedUnit,
    after_leg,
    whole,
)
from pbem.games.camp.order_help import form_lines, review_orders
from pbem.games.camp.orders import parse
from pbem.games.camp.state import CAMP_PHASE, State, camp_edition, starting_position
from pbem.games.camp.steps import camp_world

Table = Mapping[str, Json]
_ROLES = {"ART": GUN, "CNV": TRAIN, "OF": LEADER}
_LEDGER = "ledger"
"""The phase of a case without orders, which shows the ledger as the camp begins."""


def case_state(file: Table, case: Table) -> State:
    """Return a case's camp at its beginning; raise ValueError for a fault."""
    war_table = {**_table_at(file, "war"), **case.get("war", {})}
    legs = tuple(_leg(name, _table_at(file, "legs", name)) for name in war_table.get("legs", ()))
    war = read_war(war_table, "", "the war", legs)
    number = case.get("camp", 1)
    before = _with_initial_steps(
        whole(war.opening(), (unit.id for unit in legs[number - 1].listed)), case.get("began", {})
    )
    steps = {ident: entry.now for ident, entry in before.items() if entry.standing == READY}
    remaining, taken = case.get("left", {}), case.get("taken", ())
    for ident in (*remaining, *taken):
        if ident not in steps:
            raise ValueError(f"{ident} does not fight in {legs[number - 1].scenario}")
    after = after_leg(before, LegResult({**steps, **remaining, **dict.fromkeys(taken, 0)}, frozenset(taken)))
    sides = dict.fromkeys(formation.side for formation in war.formations.values())
    ended = [list(_outcome(row)) for row in case.get("fought", ())]
    terms = {"seats": dict(zip(sides, sides, strict=True)), "taken": sorted(taken), "fought": ended}
    terms["sued"] = list(case.get("sued", ()))
    terms["course"] = [list(_read_part(index, row)) for index, row in enumerate(case.get("course", ()))]
    return starting_position(
        camp_edition(CampData(war_table, legs, number, before, after, terms | case.get("terms", {})))
    )


def case_world(state: State, orders: Mapping[str, Orders], phase: str) -> World[State]:
    """Return the camp, or an empty world."""
    if phase not in (CAMP_PHASE, _LEDGER):
        raise ValueError(f"a phase is {CAMP_PHASE} or {_LEDGER}, not {phase!r}")
    return camp_world(state, orders) if phase == CAMP_PHASE else World(state, ())


def phrase_holds(phrase: str, state: State) -> bool:
    """Return whether a phrase on ledger, next leg or war is true.

    Raise ValueError if unknown.
    """
    for known in (_of_ledger, _of_camp, _of_next_leg, _of_course, _of_war):
        if (result := known(phrase.split(), state)) is not None:
            return result
    raise ValueError(f"{phrase!r} is no expectation")


def case_lookup(phrase: str) -> NoReturn:
    """Raise ValueError: a camp has no charts."""
    raise ValueError(f"a camp has no charts to look up {phrase!r} in")


RULE_CASES = RuleCases(
    keys=frozenset(["war", "legs", "camp", "began", "left", "taken", "fought", "sued", "course", "terms"]),
    state=case_state,
    world=case_world,
    holds=phrase_holds,
    lookup=case_lookup,
)
"""Cases begin with the end of a leg, and end after the camp."""


def _table_at(file: Table, *path: str) -> Table:
    """Return a table of a case file."""
    for key in path:
        if key not in file:
            raise ValueError(f"the file of a camp's cases has no [{'.'.join(path)}]")
        file = file[key]
    return file


def _leg(name: str, row: Table) -> Leg:
    edges = dict(edge.split() for edge in row.get("edges", ()))
    return Leg(name, tuple(map(_read_unit, row.get("units", ()))), tuple(row.get("spaces", ())), edges)


def _read_unit(text: str) -> ListedUnit:
    """Read a unit: ``spain IR Cuenca steps 4 at Nudos``.

    ``spain OF Prim at Nudos turn 2``.
    """
    side, code, ident, *rest = text.split()
    words = dict(zip(rest[::2], rest[1::2], strict=False))
    if len(rest) % 2 or not {"at"} <= {*words} <= {"steps", "at", "turn"}:
        raise ValueError(f"a unit reads SIDE TYPE ID steps N at SPACE turn N, got {text!r}")
    full, turn = int(words.get("steps", 1)), int(words.get("turn", 0))
    return ListedUnit(ident, side, code, _ROLES.get(code, COMBAT), full, words["at"], turn)


def _with_initial_steps(ledger: Ledger, began: Mapping[str, int]) -> Ledger:
    """Return the ledger with units that began the leg with fewer steps."""
    return {**ledger, **{ident: ledger[ident].left_with(steps) for ident, steps in began.items()}}


def _outcome(text: str) -> Outcome:
    """Read a leg's end: ``spain 3``, ``morocco 0 conceded``, ``draw``."""
    match text.split():
        case ["draw"]:
            return Outcome(DRAW)
        case [side, margin]:
            return Outcome(side, int(margin))
        case [side, margin, "conceded"]:
            return Outcome(side, int(margin), conceded=True)
    raise ValueError(f"a leg ended SIDE MARGIN, SIDE MARGIN conceded or draw, got {text!r}")


def _read_part(index: int, text: str) -> Part:
    """Read a game of a war, every second one a camp.

    ``over``, ``open`` or ``turn 2``.
    """
    match text.split():
        case ["over" | "open" as word]:
            return Part(bool(index % 2), word == "over", False)
        case ["turn", number]:
            return Part(bool(index % 2), False, int(number) > 1)
    raise ValueError(f"a part of a war is over, open or at turn N, got {text!r}")


def _of_ledger(words: list[str], state: State) -> bool | None:
    match words:
        case [ident, "steps", number] if ident in state.units:
            return state.units[ident].now == int(number)
        case [ident, "back", number] if ident in state.units:
            return state.fed.get(ident, 0) == int(number)
        case [ident, "ready" | "broken" | "away" as standing] if ident in state.units:
            return state.units[ident].standing == {"ready": READY, "broken": BROKEN, "away": AWAY}[standing]
    return None


def _of_camp(words: list[str], state: State) -> bool | None:
    match words:
        case [side, "points", number] if side in state.points:
            return state.points[side] == int(number)
        case [side, "sees"] if side in state.points:
            return state.scouted.get(side, False)
        case [side, "not", "sees"] if side in state.points:
            return not state.scouted.get(side, False)
        case [side, "form", *line] if side in state.points:
            return " ".join(line) in form_lines(state, side)
        case [side, "pays", cost, "of", points, *line] if side in state.points:
            orders = parse(" ".join(line).replace(" ; ", "\n"), state, side).orders
            gaps = dict(review_orders(state, side, orders)[0].why.args)
            return (gaps["cost"], gaps["points"]) == (int(cost), int(points))
    return None


def _of_next_leg(words: list[str], state: State) -> bool | None:
    """Return whether a phrase is true of the next leg as its game receives it."""
    leg_changes = _next(state)
    match words:
        case [ident, "comes"]:
            return _takes_part(state, leg_changes, ident)
        case [ident, "not", "comes"]:
            return not _takes_part(state, leg_changes, ident)
        case [ident, "for", old]:
            successors = {
                **leg_changes.replaced,
                **{leader: new.split()[0] for leader, new in leg_changes.successors.items()},
            }
            return successors.get(old) == ident
        case [ident, "enters", space, "turn", number]:
            return leg_changes.brought.get(ident) == (space, int(number))
        case [space, "entrenched"]:
            return space in leg_changes.trenches
        case [edge, "road"]:
            return edge in leg_changes.roads
        case [side, "led", "by", ident]:
            return leg_changes.chiefs.get(side, state.edition.war.chiefs[side][0]) == ident
        case ["turns", number]:
            return leg_changes.turns == int(number)
        case [side, "needs", number]:
            return leg_changes.needs.get(side) == int(number)
    return None


def _next(state: State) -> Changes:
    war: War = state.edition.war
    return changes(war, state.edition.number + 1, state.edition.listed_units, state.units, state.works)


def _takes_part(state: State, leg_changes: Changes, ident: str) -> bool:
    units = {unit.id for unit in state.edition.listed_units} | {*leg_changes.brought} | {*leg_changes.replaced.values()}
    gone = {*leg_changes.replaced, *leg_changes.absent, *leg_changes.successors}
    successors = {new.split()[0] for new in leg_changes.successors.values()}
    return ident in (units - gone) | successors


def _of_course(words: list[str], state: State) -> bool | None:
    """Return whether a phrase about resuming a part of the war is true.

    Parts count from 1; the phrase may also name the parts that become void.
    """
    parts = [Part(*row) for row in state.edition.scenario.get("course", ())]
    match words:
        case ["part", number, "voids", *others]:
            later = [*range(int(number) + 1, len(parts) + 1)]
            return not blocks(parts[int(number) :]) and [*map(int, others)] == later
        case ["part", number, "stays"]:
            return bool(blocks(parts[int(number) :]))
    return None


def _of_war(words: list[str], state: State) -> bool | None:
    verdict = _verdict(state)
    match words:
        case [side, "legs", number] if side in verdict.legs:
            return verdict.legs[side] == int(number)
        case [side, "margins", number] if side in verdict.legs:
            return verdict.margins[side] == int(number)
        case ["nobody", "leads"]:
            return verdict.winner == DRAW
        case [side, "leads"] if side in verdict.legs:
            return verdict.winner == side and not verdict.decisive
        case [side, "leads", "decisively"] if side in verdict.legs:
            return verdict.winner == side and verdict.decisive
    return None


def _verdict(state: State) -> Verdict:
    scenario, sides = state.edition.scenario, state.edition.sides
    outcomes = [Outcome(*row) for row in scenario.get("fought", ())]
    return peace(sides, outcomes, scenario["sued"]) if scenario.get("sued") else verdict(sides, outcomes)
