"""S7, T5 What a FIRE does, over all its dice: for ODDS, for VERIFY and the receipt, and for the order form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.run.odds import FLOATS, Course, Purse, Reckoning, changes, spread
from pbem.engine.run.steps import Rules, Task, World
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.fire import may_fire, points
from pbem.games.peninsular.orders.actions import Fire
from pbem.games.peninsular.setup.units import DISORDERED, ROUTED, Unit
from pbem.games.peninsular.state import State


class FireOdds(NamedTuple):
    """What a FIRE does to those in the hex: the mean number of PF that they lose, the chance that nothing happens to
    them, and of each thing that can happen the chance that it does to one of them at least."""

    lost: Any
    nothing: Any
    chances: Mapping[str, Any]


_HAPPENS: Mapping[str, Callable[[Unit, Unit | None], bool]] = {
    "eliminated": lambda was, now: now is None,
    "routed": lambda was, now: now is not None and now.state == ROUTED != was.state,
    "disordered": lambda was, now: now is not None and now.state == DISORDERED != was.state,
    "driven back": lambda was, now: now is not None and now.at != was.at,
    "halted": lambda was, now: now is not None and now.halted and not was.halted,
}
_SAID: Mapping[str, Msg] = {
    "eliminated": msg("eliminated"),
    "routed": msg("routed"),
    "disordered": msg("disordered"),
    "driven back": msg("driven back"),
    "halted": msg("halted"),
}


def fire_odds(rules: Rules[State], state: State, order: Fire, own: Doctrine, reckoning: Reckoning = FLOATS) -> FireOdds:
    """Return what a FIRE does by itself in a position, the enemy following the defaults."""
    foes = state.foes(order.at, state.phase)
    world = World(state, (Task("fire order", (order.units, order.at, order.line)),))
    changed = changes(state.units)
    ends = spread(rules, Course(world, lambda one: (changed(one.units), tuple(one.dead.items()))), own, reckoning)
    lost = nothing = reckoning.one - reckoning.one
    chances = dict.fromkeys(_HAPPENS, lost)
    for end, weight in ends:
        pairs = [(foe, end.state.units.get(foe.id)) for foe in foes]
        taken = sum(was.pf - (now.pf if now is not None else 0) for was, now in pairs)
        befell = [name for name, holds in _HAPPENS.items() if any(holds(was, now) for was, now in pairs)]
        lost += weight * taken
        for name in befell:
            chances[name] += weight
        if not (taken or befell):
            nothing += weight
    return FireOdds(lost, nothing, chances)


def pay_for_fire(rules: Rules[State], state: State, order: Fire, own: Doctrine, purse: Purse) -> FireOdds | None:
    """Return the odds of a FIRE out of a purse; None if it is too small for them."""
    standing = tuple((seat, tuple(lines)) for seat, lines in own.standing.items())
    key = ("fire", state.edition.digest, state.key(), order.units, order.at, standing)
    return purse.pay(key, partial(_weigh, rules, state, order, own))


def _weigh(rules: Rules[State], state: State, order: Fire, own: Doctrine, step: Callable[[], None]) -> FireOdds:
    return fire_odds(rules, state, order, own, Reckoning(step=step))


def _lines(state: State, order: Fire, odds: FireOdds) -> Iterator[Msg]:
    """The same in words, with the points that each fires with."""
    firers = [state.units[ident] for ident in order.units if ident in state.units]
    fires = tuple(msg("{unit} {points}", unit=unit.id, points=points(state, unit, order.at, 2)) for unit in firers)
    yield msg(
        "Fire at {at}, points: {fires}; PF that the enemy loses on average: {lost}; without effect {nothing} %",
        at=order.at,
        fires=fires,
        lost=decimal(odds.lost),
        nothing=percent(odds.nothing),
    )
    likely = [(name, chance) for name, chance in odds.chances.items() if chance >= 0.005]
    if likely:
        said = tuple(msg("{what} {percent} %", what=_SAID[name], percent=percent(chance)) for name, chance in likely)
        yield msg("at least one of them: {chances}", chances=said)


def fire_told(rules: Rules[State], state: State, order: Fire, own: Doctrine, purse: Purse) -> tuple[Msg, ...]:
    """What is told of a FIRE in the position in which orders leave it; nothing if the purse is too small."""
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        found = may_fire(state, unit, order.at)
        if found is not None:
            return (msg("Fire at {at}: no odds as things stand ({why})", at=order.at, why=found.why),)
    odds = pay_for_fire(rules, state, order, own, purse)
    return () if odds is None else tuple(_lines(state, order, odds))
