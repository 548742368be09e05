"""Holding a letter against the position: everything up to the first die, then what no die can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.engine.data.messages import msg
from pbem.engine.deployment.rules import DEPLOYMENT
from pbem.engine.orders.actions import flat
from pbem.engine.orders.refusals import refused
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders, Rejected
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, placed, spaces_of, under
from pbem.games.africa1860.orders.foreseen import foreseen
from pbem.games.africa1860.orders.hopeless import barred
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.phase.deployment import DEPLOYING
from pbem.games.africa1860.sight import dated
from pbem.games.africa1860.state import State


def check(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
    """Return the refused lines of a side's orders.

    Until something must be rolled or somebody else asked the position is known, and every rule counts; after that
    only types, owners and the map do. Lines under a refused ACTIVATE fall with it. Where the phase has `begun`, what
    letters before did in it counts too. M6 What was only reported refuses no line.
    """
    if view.phase == DEPLOYMENT:
        return DEPLOYING.check(rules, view, side, orders)
    found = _refused(rules, view, side, orders, begun)
    older = dated(view, view.commanding)
    if not found or not older:
        return found
    seen = view.change(units={ident: unit for ident, unit in view.units.items() if unit.at not in older})
    stands = {item.line for item in _refused(rules, seen, side, orders, begun)}
    return tuple(item for item in found if item.line in stands)


def _refused(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool) -> tuple[Rejected, ...]:
    start, known, passed = foreseen(rules, view, side, orders, begun)
    told = {(line.line, order): line for order, line in refused([happened for happened, _ in known.events])}
    by_line = {action.line: action for action in orders.actions}
    told = {at: _in_full(start, by_line.get(line.line), line) for at, line in told.items()}
    later = [item for item in _fixed(start, known.state, orders.actions) if item.line not in passed]
    found = sorted([*told.values(), *later], key=lambda item: item.line)
    return tuple(_activated(start, orders.actions, found))


def _activated(start: State, actions: Sequence[Action], found: Iterable[Rejected]) -> Iterator[Rejected]:
    """O2 Offer the ACTIVATE that an order lacks whose units stand in a space that no other line activates.

    Orders for the same space that follow would do with it, and are not refused beside it.
    """
    given = tuple(flat(actions, under))
    active = {*start.used, *(action.space for action in given if isinstance(action, Activate))}
    spaces = {
        action.line: at
        for action in given
        if len(at := spaces_of(start, action)) == 1 and problem(start, action, at[0]) is None
    }
    offered = ""
    for bad in found:
        (space,) = spaces.get(bad.line, ("",))
        if bad.why.text != "{unit} is in {at}, not in {space}" or not space or space in active:
            offered = ""
            yield bad
        elif space != offered:
            offered = space
            why = msg("{why}: ACTIVATE {space} is missing above this line", why=bad.why, space=space)
            yield bad._replace(column=0, word="", why=why, suggestions=(f"ACTIVATE {space};",))


def _in_full(state: State, action: Action | None, bad: Rejected) -> Rejected:
    """A charge that is refused for the way that it names: which step of that way there is not."""
    if bad.why.text != "{to} is more than two spaces from {space}" or not isinstance(action, Assault) or not action.via:
        return bad
    area, space = state.edition.map, str(dict(bad.why.args)["space"])
    for start, end in ((space, action.via), (action.via, action.target)):
        if not area.adjacent(start, end):
            why = msg(
                "{to} is not next to {space}", to=action.via, space=space if end == action.via else action.target
            )
            return bad._replace(why=why, word=action.via, column=-1)
    return bad


def _fixed(start: State, known: State, actions: Iterable[Action]) -> Iterator[Rejected]:
    """Refusals that hold whatever the dice bring; where its units cannot be there at all, that is what is said."""
    for space, action in placed(actions):
        found = problem(start, action, space, fixed=True)
        if found is not None:
            yield (barred(known, action, space) or found).rejected(action.line)
