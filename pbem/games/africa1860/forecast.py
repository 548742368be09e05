"""What orders are worth, in words: the exact odds of every assault in them, as things stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.core.game import Orders
from pbem.core.messages import Msg, msg
from pbem.core.steps import Rules
from pbem.games.africa1860.actions import Action, Activate, Assault, If
from pbem.games.africa1860.canonical import line_of
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.legality import problem
from pbem.games.africa1860.odds import Odds, assault_odds
from pbem.games.africa1860.state import SIDES, State

__all__ = ["odds_lines"]

SHOWN = 3
"""Units whose chance to be shaken is told, the likeliest first."""


def odds_lines(rules: Rules[State], view: State, seat: str, orders: Orders) -> tuple[tuple[int, Msg], ...]:
    """Return for each assault and charge of the orders its line and what it is worth.

    The position is the one the seat sees, now or as far as it can be foreseen: units of an assault that has begun in
    it are taken back to where they set out from. An assault that is not legal in it is told so. The enemy is taken to
    follow the default doctrine.
    """
    side = view.edition.seats[seat]
    own = Doctrine({seat: orders.standing})
    return tuple(
        (order.line, said)
        for space, order in _assaults(orders.actions, "")
        for said in _lines(rules, view.change(phase=side, used=(space,), fight=None), order, space, own)
    )


def _assaults(actions: Iterable[Action], space: str) -> Iterator[tuple[str, Assault]]:
    for action in actions:
        if isinstance(action, Activate):
            yield from _assaults(action.actions, action.space)
        elif isinstance(action, If):
            yield from _assaults((*action.then, *action.otherwise), space)
        elif isinstance(action, Assault):
            yield space, action


def _lines(rules: Rules[State], state: State, order: Assault, space: str, own: Doctrine) -> Iterator[Msg]:
    state = _as_ordered(state, order, space)
    if problem(state, order, space) is not None:
        yield msg("{order}: no odds as things stand", order=line_of(order))
        return
    odds = assault_odds(rules, state, order, space, own)
    enemy = SIDES[1 - SIDES.index(state.phase)]
    yield msg(
        "{order}: wins {win} %; steps lost on average: you {own}, the enemy {enemy}",
        order=line_of(order),
        win=f"{100 * odds.win:.0f}",
        own=f"{odds.losses[state.phase]:.1f}",
        enemy=f"{odds.losses[enemy]:.1f}",
    )
    shaken = _shaken(odds, state)
    if shaken:
        yield msg("demoralised or lost after it: {units}", units=shaken)


def _as_ordered(state: State, order: Assault, space: str) -> State:
    """The position with the order's units as they were when it was their turn: in the space, without its markers."""
    named = {*order.units, order.leader, *(gun for group in order.support for gun in group)}
    units = {i: u for i, u in state.units.items() if i in named and u.side == state.phase}
    fresh = {i: u._replace(at=space, acted=False, activated=False, fired=False) for i, u in units.items()}
    return state.with_units(fresh)


def _shaken(odds: Odds, state: State) -> tuple[str, ...]:
    likely = sorted(((-chance, ident) for ident, chance in odds.shaken.items() if chance >= 0.005))
    own = [(chance, ident) for chance, ident in likely if state.units[ident].side == state.phase]
    return tuple(f"{ident} {-100 * chance:.0f} %" for chance, ident in own[:SHOWN])
