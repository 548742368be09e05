"""What orders are worth, in words: the exact odds of every assault in them, as things stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pbem.core.data.messages import Msg, decimal, msg
from pbem.core.game import Orders, Reading, Rejected, Warned, Worth
from pbem.core.run.odds import Purse, Reckoning
from pbem.core.run.steps import Rules
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.battle.odds import Attack, Odds, assault_odds
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, If
from pbem.games.africa1860.orders.canonical import line_of
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.orders.reading import parse_attack
from pbem.games.africa1860.state import SIDES, State

__all__ = ["attack", "worth"]

SHOWN = 3
"""Units whose chance to be shaken is told, the likeliest first."""


def worth(rules: Rules[State], view: State, seat: str, orders: Orders, purse: Purse) -> Worth:
    """Return for each assault and charge of the orders its line and what it is worth.

    The position is the one the seat sees, now or as far as it can be foreseen: units of an assault that has begun in
    it are taken back to where they set out from. An assault that is not legal in it is told so. The enemy is taken to
    follow the default doctrine.
    """
    side = view.edition.seats[seat]
    own = Doctrine({seat: orders.standing})
    said: list[tuple[int, Msg]] = []
    left: list[str] = []
    for space, order in _assaults(orders.actions, ""):
        state = _as_ordered(view, side, order, space)
        if problem(state, order, space) is not None:
            where = f"{space}>{order.target}"
            said.append((order.line, msg("{where}: no odds as things stand", where=where)))
            continue
        key = (view.edition.digest, state.key(), order._replace(line=0), space, orders.standing)
        odds = purse.pay(key, partial(_weigh, rules, state, Attack(order, space), own))
        if odds is None:
            left.append(f"FROM {space} {line_of(order)}")
        else:
            said += [(order.line, line) for line in _lines(odds, state, order, space)]
    return Worth(tuple(said), tuple(left))


def attack(text: str, view: State, side: str) -> Reading:
    """Read an attack that is only to be weighed, and hold it against the position with its units where it starts.

    Units that stand elsewhere are taken to have come there, and it warns of that.
    """
    reading = parse_attack(text, view, side)
    refused: list[Rejected] = []
    told: list[Warned] = []
    for space, order in _assaults(reading.orders.actions, ""):
        found = problem(_as_ordered(view, side, order, space), order, space)
        if found is not None:
            refused.append(Rejected(order.line, -1, found.word, found.why, found.rules[0]))
        places = _places(view, order, space)
        away = tuple(i for i in sorted(places) if i in view.units and view.units[i].at != places[i])
        if away and not refused:
            told.append(Warned(order.line, msg("as if {units} were in {space}", units=away, space=space), "O8"))
    return Reading(reading.orders, (*reading.rejected, *refused), (*reading.warned, *told))


def _assaults(actions: Iterable[Action], space: str) -> Iterator[tuple[str, Assault]]:
    for action in actions:
        if isinstance(action, Activate):
            yield from _assaults(action.actions, action.space)
        elif isinstance(action, If):
            yield from _assaults((*action.then, *action.otherwise), space)
        elif isinstance(action, Assault):
            yield space, action


def _weigh(rules: Rules[State], state: State, attack: Attack, own: Doctrine, step: Callable[[], None]) -> Odds:
    return assault_odds(rules, state, attack, own, Reckoning(step=step))


def _lines(odds: Odds, state: State, order: Assault, space: str) -> Iterator[Msg]:
    enemy = SIDES[1 - SIDES.index(state.phase)]
    yield msg(
        "{where}: wins {win} %, loses {loss} %; steps lost on average: you {own}, the enemy {enemy}",
        where=f"{space}>{order.target}",
        win=f"{100 * odds.win:.0f}",
        loss=f"{100 * odds.loss:.0f}",
        own=decimal(odds.losses[state.phase]),
        enemy=decimal(odds.losses[enemy]),
    )
    shaken = _shaken(odds, state)
    if shaken:
        yield msg("demoralised or lost after it: {units}", units=shaken)


def _as_ordered(view: State, side: str, order: Assault, space: str) -> State:
    """The position with the order's units as they are when it is their turn: in their places, without markers."""
    state, places = view.change(phase=side, used=(space,), fight=None), _places(view, order, space)
    units = {i: u for i, u in state.units.items() if i in places and u.side == side}
    fresh = {i: u._replace(at=places[i], acted=False, activated=False, fired=False) for i, u in units.items()}
    return state.with_units(fresh)


def _places(view: State, order: Assault, space: str) -> dict[str, str]:
    """Where the units that an order names act: in its space, R22a guns that bear on the target where they stand."""
    places = dict.fromkeys((*order.units, order.leader), space)
    for gun in (gun for group in order.support for gun in group):
        unit = view.units.get(gun)
        bears = unit is not None and view.edition.reread and view.edition.map.adjacent(unit.at, order.target)
        places[gun] = unit.at if unit is not None and bears else space
    return places


def _shaken(odds: Odds, state: State) -> tuple[str, ...]:
    likely = sorted(((-chance, ident) for ident, chance in odds.shaken.items() if chance >= 0.005))
    own = [(chance, ident) for chance, ident in likely if state.units[ident].side == state.phase]
    return tuple(f"{ident} {-100 * chance:.0f} %" for chance, ident in own[:SHOWN])
