"""What orders are worth, in words: the exact odds of each assault, from the first charge test to the advance."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pbem.core.foresight import foresee
from pbem.core.game import Orders, Reading, Rejected
from pbem.core.messages import Msg, msg
from pbem.core.odds import spread
from pbem.core.steps import Rules, Task, World
from pbem.games.peninsular.actions import Action, Assault, If
from pbem.games.peninsular.canonical import line_of
from pbem.games.peninsular.checking import check
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.orders import parse
from pbem.games.peninsular.sequence import task_of
from pbem.games.peninsular.state import State

__all__ = ["Odds", "assault_odds", "attack", "odds_lines"]


class Odds(NamedTuple):
    """What an assault is worth: the chance that the attackers stand in the hex at the end or that it is empty of the
    enemy, and mean PF lost by camp."""

    win: Any
    losses: Mapping[str, Any]


def _key(state: State) -> Hashable:
    return tuple(state.units.values()), tuple(state.uses.items()), state.assaults, tuple(state.dead.items())


def assault_odds(rules: Rules[State], state: State, target: str, own: Doctrine, one: Any = 1.0) -> Odds:
    """Return the odds of the assault on a hex that stands marked in `state`, as if it were the only one of the half.

    The enemy is taken to follow the defaults, and only those in the hex to fire. `one` sets the arithmetic.
    """
    units = {i: u if u.assault in ("", target) else u._replace(assault="", charge=0) for i, u in state.units.items()}
    alone = tuple(item for item in state.assaults if item[0] == target)
    start = state.change(units=units, assaults=alone)
    fire = tuple(Task("defend", (unit.id,)) for unit in start.foes(target, state.phase))
    tasks = (Task("charges"), *fire, Task("shocks"))
    ends = spread(rules, World(start, tasks), own, _key, lambda _world: False, one)
    zero = one - one
    win, losses = zero, {"allied": zero, "french": zero}
    for world, weight in ends:
        if not world.state.foes(target, state.phase):
            win += weight
        for side, lost in world.state.dead.items():
            losses[camp(side)] += weight * (lost - state.dead.get(side, 0))
    return Odds(win, losses)


def odds_lines(rules: Rules[State], view: State, seat: str, orders: Orders) -> tuple[tuple[int, Msg], ...]:
    """Return for each assault and charge of the orders its line and what it is worth.

    The orders are carried out in the position the seat sees now up to the first die; an assault that is not legal
    then is told so.
    """
    side = view.edition.seats[seat]
    own = Doctrine({seat: orders.standing})
    start = view if camp(view.phase) == camp(side) else view.change(phase=side)
    tasks = (Task("half begins"), *(task_of(action) for action in orders.actions))
    seen = foresee(rules, World(start, tasks), own, start.edition.seats_of(side))
    marked = {target for target, _ in seen.state.assaults}
    return tuple(
        (order.line, _said(rules, seen.state, order, own) if order.target in marked else _none(order))
        for order in _assaults(orders.actions)
    )


def attack(rules: Rules[State], text: str, view: State, side: str) -> Reading:
    """Read an assault or a charge that is only to be weighed, and hold it against the position."""
    reading = parse(text, view, side)
    if reading.rejected:
        return reading
    if not (reading.orders.actions and all(isinstance(action, Assault) for action in reading.orders.actions)):
        word = (text.split() or [""])[0]
        why = msg("expected {words} here", words=("ASSAULT", "CHARGE"))
        return reading._replace(rejected=(Rejected(1, max(text.find(word), 0), word, why, "S5"),))
    return reading._replace(rejected=check(rules, view, side, reading.orders))


def _assaults(actions: Iterable[Action]) -> Iterator[Assault]:
    for action in actions:
        if isinstance(action, If):
            yield from _assaults((*action.then, *action.otherwise))
        elif isinstance(action, Assault):
            yield action


def _none(order: Assault) -> Msg:
    return msg("{order}: no odds as things stand", order=line_of(order))


def _said(rules: Rules[State], state: State, order: Assault, own: Doctrine) -> Msg:
    odds = assault_odds(rules, state, order.target, own)
    ours = camp(state.phase)
    enemy = "allied" if ours == "french" else "french"
    return msg(
        "{order}: takes the hex {win} %; PF lost on average: you {own}, the enemy {enemy}",
        order=line_of(order),
        win=f"{100 * odds.win:.0f}",
        own=f"{odds.losses[ours]:.1f}",
        enemy=f"{odds.losses[enemy]:.1f}",
    )
