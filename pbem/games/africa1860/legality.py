"""Check every order: units (R1-R3, O5), ways (C11, R4, R5, R8, C9) and room (C5).

Each order's checks are in its chapter. They serve before the first die (known position), after it (only types,
owners and map), and when carrying out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.commanders.holding import other_owner, seats_to_notify
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import refusals
from pbem.engine.orders.refusals import Giver, Refusal
from pbem.games.africa1860.orders import Action, line_of
from pbem.games.africa1860.state import CAVALRY, State, Unit, best_leader, count_crowd, enemy_of, read_unit, roster
from pbem.games.africa1860.view import seen_spaces

ANY_SPACE = "*"
"""In place of a space: units that need not be in the activated space act where they stand (R22a)."""
MOVE_RULE = {"ART": "O3.1", "CAB": "O3.3", "OF": "O3.4", "CNV": "O3"}


class IntendedAction(NamedTuple):
    """R1-R3, O5 The action that units want: space, movement, rules of the order.

    `lasting_only`: refuse only for reasons that no event can change. `besides`: the commands of a joint assault (M2.2).
    """

    space: str
    lasting_only: bool = False
    moving: bool = False
    extra: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()


def refuse_units(state: State, ids: Iterable[str], acting: IntendedAction) -> Refusal | None:
    """Return why units may not act now (R1-R3, O5)."""
    extra = acting.extra
    seen: set[str] = set()
    for ident in ids:
        if ident in seen:
            return Refusal(("R3", *extra), msg("{unit} is named twice", unit=ident), ident)
        seen.add(ident)
        refusal = refuse_unit(state, ident, acting)
        if refusal is not None:
            return refusal
    return None


def refuse_unit(state: State, ident: str, acting: IntendedAction) -> Refusal | None:
    space, lasting_only, moving, extra, besides = acting
    unit = state.units.get(ident)
    if unit is None:
        return None if lasting_only else Refusal(("O3", *extra), msg(_ABSENT.text, unit=ident), ident)
    if unit.side != state.phase:
        return Refusal(("R2",), msg("{unit} is not yours", unit=ident), ident)
    holder = other_owner(state, ident, besides)
    if holder:
        return Refusal(("M1",), msg("{unit} is under {command}", unit=ident, command=holder), ident)
    if lasting_only:
        return None
    if unit.acted:
        spent = ("O3.1",) if unit.code == "ART" else ()
        rules = ("R3", "R2", "O2", "O3", *spent, *(("O5",) if state.phase == "morocco" else ()), *extra)
        return Refusal(rules, msg("{unit} has acted already in this phase", unit=ident), ident)
    if unit.at != space != ANY_SPACE:
        why = msg("{unit} is in {at}, not in {space}", unit=ident, at=unit.at, space=space or "-")
        return Refusal(("O3", "O2", *(("R13",) if "O8" in extra else ()), *extra), why, ident)
    if unit.demoralised:
        why = msg("{unit} is demoralised: it may only RETIRE", unit=ident)
        return Refusal(("R1", *extra), why, ident)
    if unit.activated and state.phase == "morocco" and not moving:
        return Refusal(("O5", *extra), msg("{unit} was activated by a reaction: it may only move", unit=ident), ident)
    if unit.activated and state.phase != "morocco":
        return Refusal(("R2", "O2", "O3", *extra), msg("{unit} is activated already", unit=ident), ident)
    return None


def explain_absence(state: State, why: Msg) -> Msg:
    """O6 Return a refusal's sentence, with the arrival of an own unit yet to come.

    Events keep the sentence without this, so that replays of games under way are equal to the byte.
    """
    ident = str(dict(why.args).get("unit", ""))
    unit = roster(state).get(ident) if why.text == _ABSENT.text else None
    if unit is None or unit.side != state.phase or ident in state.gone:
        return why
    for row in state.edition.scenario.get("reinforcements", ()):
        if read_unit(row["unit"]).id == ident and row["turn"] >= state.turn:
            sentence = msg("{unit} has not come yet ({space}, at the end of turn {turn})")
            return msg(sentence.text, unit=ident, space=unit.at, turn=row["turn"])
    return msg("{unit} has not come yet", unit=ident)


_ABSENT = msg("{unit} is no longer in play")


def bars_to_gun(state: State, gun: Unit, space: str) -> tuple[str, ...]:
    """Return the rules that keep a gun from acting, other than having fired."""
    refusal = refuse_unit(state, gun.id, IntendedAction(space))
    return () if refusal is None else refusal.rules


def no_enemy_text(state: State, space: str) -> Msg:
    """Return the text that no enemy is visible in a space."""
    if space in seen_spaces(state, state.commanding or state.phase) or state.edition.options["fog"] == "off":
        return msg("there is no enemy in {to}", to=space)
    return msg("you see no enemy in {to}: fog hides it", to=space)


def not_carried_out(state: State, action: Action, refusal: Refusal) -> Event:
    """Return the event that an order was not carried out."""
    seats = tuple(seat for seat, side in state.edition.seats.items() if side == state.phase)
    notified = seats_to_notify(state, seats, getattr(action, "jointly", ()))
    return refusals.not_carried_out(action.line, line_of(action), refusal, Giver(state.phase, notified))


# Ways over the map.

RIVERS = ("ford", "bridge")
"""C11.1 Edges that cavalry stops behind."""


def stops_after_edge(state: State, code: str, start: str, destination: str) -> bool:
    """C11.1 Return whether an edge ends the move: cavalry at a ford or bridge."""
    edition = state.edition
    return edition.reread and code == CAVALRY and edition.map.edge(start, destination).kind in RIVERS


def crosses_parapet(state: State, start: str, destination: str) -> bool:
    """C11.2 Return whether an attack crosses a parapet from outside."""
    area = state.edition.map
    if not area.adjacent(start, destination):
        return False
    edge = area.edge(start, destination)
    return edge.kind == "parapet" and edge.b == destination


def space_between(state: State, start: str, goal: str, units: Iterable[Unit], via: str = "") -> str:
    """O3.3 Return the free space between two spaces; "" if there is none.

    Units may pass it and no enemy holds it. Of several it is the first by id.

    C11.1 Cavalry does not pass one that lies behind a ford or bridge.
    """
    area, passes = state.edition.map, state.edition.passes
    group = list(units)
    side = group[0].side if group else state.phase
    for way in area.neighbours(start):
        if not area.adjacent(way, goal) or way == goal or (via and way != via):
            continue
        if any(stops_after_edge(state, unit.code, start, way) for unit in group):
            continue
        kinds = (area.edge(start, way).kind, area.edge(way, goal).kind)
        if state.holder(way) != enemy_of(side) and all((k, u.code) in passes for k in kinds for u in group):
            return way
    return ""


def spaces_between(state: State, space: str, destination: str, via: str) -> list[str]:
    """O3.3 Return the spaces between two, or `via` alone if it is given and is one."""
    area = state.edition.map
    return [
        way
        for way in area.neighbours(space)
        if area.adjacent(way, destination) and way != destination and (not via or way == via)
    ]


def steps_of_ways(state: State, space: str, destination: str, via: str) -> list[tuple[tuple[str, str], ...]]:
    """O3.3 Return the steps of each way to a space two off, by `via` if it is given."""
    return (
        [((space, way), (way, destination)) for way in spaces_between(state, space, destination, via)]
        if destination != space
        else []
    )


def is_passable(state: State, unit: Unit, over: Iterable[Iterable[tuple[str, str]]]) -> bool:
    """C11 Return whether a unit may use every edge of one of the ways."""
    area, passes = state.edition.map, state.edition.passes
    for way in over:
        for a, b in way:
            if (area.edge(a, b).kind, unit.code) not in passes:
                break
        else:
            return True
    return False


def fallback_spaces(state: State, unit: Unit, start: str) -> tuple[str, ...]:
    """R4 Return the spaces that a caracoling unit may fall back to, by id.

    See `may_fall_back`.
    """
    return tuple([space for space in state.camping(unit.side) if may_fall_back(state, unit, start, space)])


def may_fall_back(state: State, unit: Unit, space: str, destination: str) -> bool:
    """R4 Return whether a caracoling unit may fall back from `at` to a space.

    Friends must be there, and no enemies on the way.

    The space is adjacent to `at`, or two spaces away with no enemy between, and has room for one more (C5). O4b
    Units that charge through a space hold not that space but the one they come from.
    """
    if (
        destination == space
        or not _friends(state, unit, destination)
        or not (destination == unit.at or has_room(state, destination, [unit]))
    ):
        return False
    area, enemy = state.edition.map, enemy_of(unit.side)
    return any(
        (near == destination or area.adjacent(near, destination)) and not _bars_fallback(state, near, enemy)
        for near in area.neighbours(space)
    )


def _bars_fallback(state: State, space: str, enemy: str) -> bool:
    """O4b Return whether the enemy bars a fall-back in a space.

    Until the charge is over, chargers count as being in their origin.
    """
    fight = state.fight
    if fight is None or not fight.between or fight.side != enemy or not state.edition.reread:
        return state.holder(space) == enemy
    there = {*state.camp(space, enemy)} - {*fight.stack}
    return bool(there) or (space == fight.origin and any(ident in state.units for ident in fight.stack))


def _friends(state: State, unit: Unit, space: str) -> bool:
    return len(state.camp(space, unit.side)) > (unit.at == space)


def retire_path(state: State, unit: Unit, destination: str = "") -> tuple[str, ...]:
    """R8 Return the path to the nearest rear town; () if there is none.

    Each step shortens the way, by edges the unit may use and never into an enemy-held space; ties go by space id, so
    there is one way. With `destination` it must end there, unless that is the town itself, which may be farther off
    than the allowance reaches; without it the unit goes as far as it may. R8a Of towns equally near it goes towards
    the one that is named; C11.1 cavalry stops behind a ford or bridge.
    """
    area, passes = state.edition.map, state.edition.passes

    def usable(a: str, b: str) -> bool:
        return (area.edge(a, b).kind, unit.code) in passes

    far = area.spread(state.rear_towns(unit.side), usable)
    named = area.spread((destination,), usable) if destination in state.rear_towns(unit.side) else {}
    town = destination in named and named.get(unit.at) == far.get(unit.at)
    if town and state.edition.reread:
        far = named
    path: tuple[str, ...] = ()
    for _ in range(state.edition.allowance[unit.code]):
        current = path[-1] if path else unit.at
        nearer = [
            near
            for near in area.neighbours(current)
            if usable(current, near)
            and far.get(near, 999) < far.get(current, 999)
            and state.holder(near) != enemy_of(unit.side)
        ]
        if not nearer or current == destination:
            break
        path = (*path, nearer[0])
        if stops_after_edge(state, unit.code, current, nearer[0]):
            break
    if destination in ("", *path[-1:]):
        return path
    return path if town else ()


COVER_TERRAINS = frozenset({"town", "fortified", "heights", "woods"})
"""C9 Ground that an overlay may prefer for a retreat, because it helps the defender (C8.1)."""


def retreat_spaces(
    state: State, side: str, space: str, barred: Iterable[str], units: Iterable[Unit]
) -> tuple[str, ...]:
    """C9 Return the spaces to retreat to, the best first.

    They are the spaces of the first class that is not empty.

    Class 1: adjacent with friends and no enemy; class 2: adjacent and empty. Within a class the nearest to a rear
    town of its side, then by id. Never into `barred` spaces nor past the stacking limit. An overlay may order these
    criteria otherwise; the first makes the classes, unless it is the way to the rear.
    """
    area = state.edition.map
    forbidden = set(barred)
    group = list(units)
    far = area.distances(state.rear_towns(side))
    open_to = [s for s in area.neighbours(space) if s not in forbidden and has_room(state, s, group)]
    ranks: Mapping[str, Callable[[str], int]] = {
        "friends": lambda s: state.holder(s) != side,
        "rear": lambda s: far.get(s, 999),
        "leader": lambda s: best_leader(state.own(s, side)) is None,
        "cover": lambda s: state.terrain(s) not in COVER_TERRAINS,
    }
    by = state.edition.retreat_by
    ranked = sorted([(tuple([ranks[name](s) for name in by]), s) for s in open_to if state.holder(s) in (side, "")])
    first = ranked[0][0][:1] if ranked and by[:1] != ("rear",) else ()
    return tuple([s for key, s in ranked if key[: len(first)] == first])


def has_room(state: State, space: str, group: Sequence[Unit]) -> bool:
    """Return whether units may enter a space, given their side's units there (C5)."""
    return lacking_room(state, space, group) == ""


def lacking_room(state: State, space: str, group: Sequence[Unit]) -> str:
    """C5 Return ``combat`` or ``ART`` if a space lacks room for it, else "".

    A leader may join a full space: he takes no room.
    """
    combat, guns = count_crowd(group)
    if not (combat or guns):
        return ""
    limits, units_here = state.edition.stacking, state.camp(space, group[0].side)
    # Only where it might get tight is it asked what those are that are there.
    if combat + len(units_here) < limits[0] and not guns:
        return ""
    there = count_crowd([state.units[ident] for ident in units_here])
    if combat and combat + there[0] > limits[0]:
        return "combat"
    return "ART" if guns and guns + there[1] > limits[1] else ""


def refuse_river(state: State, units: Iterable[Unit], ends: tuple[str, str], via: str) -> Refusal | None:
    """Refuse cavalry crossing a ford or bridge and going on (C11.1)."""
    space, to = ends
    between = spaces_between(state, space, to, via)
    for unit in units:
        if between and all(stops_after_edge(state, unit.code, space, way) for way in between):
            why = msg("{unit} stops behind the ford or bridge: {to} is a space too far", unit=unit.id, to=to)
            return Refusal(("C11.1", "C11", MOVE_RULE.get(unit.code, "O3.2")), why, to)
    return None
