"""What orders are worth, in words: the exact odds of each assault, from the first charge test to the advance."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from pbem.core.data.messages import Msg, decimal, msg
from pbem.core.game import Orders, Reading, Rejected, Trial, Worth
from pbem.core.run.foresight import foresee
from pbem.core.run.odds import FLOATS, Course, Purse, Reckoning, changes, spread
from pbem.core.run.steps import Rules, Task, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.orders.actions import Action, Assault, If
from pbem.games.peninsular.orders.canonical import line_of
from pbem.games.peninsular.orders.check import check
from pbem.games.peninsular.orders.reading import parse
from pbem.games.peninsular.orders.vocabulary import VOCABULARY
from pbem.games.peninsular.phase.sequence import task_of
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import NORMAL, State

__all__ = ["Odds", "assault_odds", "attack", "trial", "worth"]


SHOWN = 3
"""Counters whose chance to be routed or lost is told, the likeliest first."""


class Odds(NamedTuple):
    """What an assault is worth, as probabilities and mean numbers of PF.

    `win`: at its end no enemy stands in the hex; `losses`: mean PF lost by camp; `shaken`: for each counter of the
    attackers' camp that may end so, the chance to be disordered, routed or lost by the assault.
    """

    win: Any
    losses: Mapping[str, Any]
    shaken: Mapping[str, Any]


def _since(start: State) -> Callable[[State], Hashable]:
    """What tells positions that came of `start` apart, in all that an assault can still change or ask."""
    changed = changes(start.units)
    return lambda state: (
        changed(state.units),
        tuple(state.uses.items()),
        state.assaults,
        tuple(state.dead.items()),
    )


def assault_odds(rules: Rules[State], state: State, target: str, own: Doctrine, reckoning: Reckoning = FLOATS) -> Odds:
    """Return the odds of the assault on a hex that stands marked in `state`, as if it were the only one of the half.

    The enemy is taken to follow the defaults, and only those in the hex to fire.
    """
    units = {i: u if u.assault in ("", target) else u._replace(assault="", charge=0) for i, u in state.units.items()}
    alone = tuple(item for item in state.assaults if item[0] == target)
    start = state.change(units=units, assaults=alone)
    fire = tuple(Task("defend", (unit.id,)) for unit in start.foes(target, state.phase))
    tasks = (Task("charges"), *fire, Task("shocks"))
    ends = spread(rules, Course(World(start, tasks), _since(start)), own, reckoning)
    zero = reckoning.one - reckoning.one
    win, losses = zero, {"allied": zero, "french": zero}
    shaken: dict[str, Any] = {}
    for world, weight in ends:
        if not world.state.foes(target, state.phase):
            win += weight
        for side, lost in world.state.dead.items():
            losses[camp(side)] += weight * (lost - state.dead.get(side, 0))
        for ident in _worse(start, world.state):
            shaken[ident] = shaken.get(ident, zero) + weight
    return Odds(win, losses, shaken)


def _worse(before: State, after: State) -> Iterator[str]:
    """Counters of the side that attacks which are lost by then, or not in order any more."""
    for ident, unit in before.units.items():
        now = after.units.get(ident)
        if (
            now is not unit
            and unit.camp == camp(before.phase)
            and (now is None or now.state not in (NORMAL, unit.state))
        ):
            yield ident


def worth(rules: Rules[State], view: State, seat: str, orders: Orders, purse: Purse) -> Worth:
    """Return for each assault and charge of the orders its line and what it is worth.

    The orders are carried out in the position the seat sees now up to the first die; an assault that is not legal
    then is told so.
    """
    side = view.edition.seats[seat]
    own = Doctrine({seat: orders.standing})
    start = view if camp(view.phase) == camp(side) else view.change(phase=side)
    tasks = (Task("half begins"), *(task_of(action) for action in orders.actions))
    seen = foresee(rules, World(start, tasks), own, start.edition.seats_of(side))
    state, marked = seen.state, {target for target, _ in seen.state.assaults}
    said: list[tuple[int, Msg]] = []
    left: list[str] = []
    for order in _assaults(orders.actions):
        if order.target not in marked:
            said.append((order.line, msg("{target}: no odds as things stand", target=order.target)))
            continue
        key = (view.edition.digest, state.key(), order.target, orders.standing)
        odds = purse.pay(key, partial(_weigh, rules, state, order.target, own))
        if odds is None:
            left.append(line_of(order))
        else:
            said += [(order.line, line) for line in _lines(odds, state, order)]
    return Worth(tuple(said), tuple(left))


def _weigh(rules: Rules[State], state: State, target: str, own: Doctrine, step: Callable[[], None]) -> Odds:
    return assault_odds(rules, state, target, own, Reckoning(step=step))


def attack(rules: Rules[State], text: str, view: State, side: str) -> Reading:
    """Read an assault or a charge that is only to be weighed, and hold it against the position."""
    reading = parse(text, view, side)
    if reading.rejected:
        return reading
    if not (reading.orders.actions and all(isinstance(action, Assault) for action in reading.orders.actions)):
        word = (text.split() or [""])[0]
        why = VOCABULARY.one_of(("ASSAULT", "CHARGE"))
        return reading._replace(rejected=(Rejected(1, max(text.find(word), 0), word, why, "S5"),))
    return reading._replace(rejected=check(rules, view, side, reading.orders))


def trial(text: str) -> Trial:
    """S5 What comes at a hex depends on arcs, squares and charges of the moment: no attack can be made up for it."""
    why = msg("in this game standing orders cannot be put to the test; WHY tells after a fight which line answered")
    return Trial(None, rejected=(Rejected(1, 0, text.split()[0], why, "S5"),))


def _assaults(actions: Iterable[Action]) -> Iterator[Assault]:
    for action in actions:
        if isinstance(action, If):
            yield from _assaults((*action.then, *action.otherwise))
        elif isinstance(action, Assault):
            yield action


def _lines(odds: Odds, state: State, order: Assault) -> Iterator[Msg]:
    ours = camp(state.phase)
    enemy = "allied" if ours == "french" else "french"
    yield msg(
        "{target}: taken {win} %, not taken {loss} %; PF lost on average: you {own}, the enemy {enemy}",
        target=order.target,
        win=f"{100 * odds.win:.0f}",
        loss=f"{100 * (1 - odds.win):.0f}",
        own=decimal(odds.losses[ours]),
        enemy=decimal(odds.losses[enemy]),
    )
    likely = sorted((-chance, ident) for ident, chance in odds.shaken.items() if chance >= 0.005)
    if likely:
        units = tuple(f"{ident} {-100 * chance:.0f} %" for chance, ident in likely[:SHOWN])
        yield msg("disordered, routed or lost after it: {units}", units=units)
