"""What a set of orders comes to, in some sentences: the main assault with its odds, the reserve, what is guarded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from pbem.engine import advice, parts
from pbem.engine.advice import Blow, Weighed
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.map.hexes import distance
from pbem.engine.orders.standing import flat
from pbem.engine.run.odds import Purse
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders
from pbem.games.peninsular.actions import Action, Assault, Fire, Move
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.forecast import Half
from pbem.games.peninsular.state import State
from pbem.games.peninsular.steps import RULES
from pbem.games.peninsular.units import NORMAL, Unit

NEAR = 2
"""Hexes from the enemy within which who stands still is a guard."""


def plan(rules: Rules[State], view: State, seat: str, orders: Orders, purse: Purse) -> tuple[Msg, ...]:
    """Return what a seat's orders come to."""
    actions = tuple(flat(orders.actions))
    half = Half(rules, view, seat, orders, purse)
    going: dict[str, list[str]] = {}
    for action in actions:
        if isinstance(action, Assault):
            going.setdefault(action.target, []).extend(action.units)
    blows = [_blow(view, half, target, tuple(ids)) for target, ids in going.items()]
    attacking = {ident for ids in going.values() for ident in ids}
    moves = _moves(view, [one for one in actions if isinstance(one, Move)], attacking)
    return advice.told(blows, _fire(actions), moves, _posts(half.state, camp(view.edition.seats[seat]), attacking))


def _blow(view: State, half: Half, target: str, ids: tuple[str, ...]) -> Blow:
    odds, about = (half.odds(target), False) if target in half.marked else (None, False)
    if odds is None and target in half.marked:
        odds, about = half.about(target), True
    weighed = None
    if odds is not None:
        ours = camp(view.phase)
        own, enemy = (_in_pf(odds.losses[side]) for side in (ours, "allied" if ours == "french" else "french"))
        weighed = Weighed(odds.win, own, enemy, about=about)
    return Blow(target, msg("{units}", units=ids), _pf(view.units[ident] for ident in ids), weighed)


def _in_pf(number: float) -> Msg:
    return msg("{number} PF", number=decimal(number))


def _pf(units: Iterable[Unit]) -> int:
    return sum(unit.pf for unit in units if unit.is_combat)


def _fire(actions: Sequence[Action]) -> Msg | None:
    shots = [one for one in actions if isinstance(one, Fire)]
    if not shots:
        return None
    guns = tuple(ident for shot in shots for ident in shot.units)
    targets = tuple(dict.fromkeys(shot.at for shot in shots))
    return msg("{guns} {guns:|fires|fire} at {targets}", guns=guns, targets=targets)


def _moves(view: State, moves: Sequence[Move], attacking: set[str]) -> list[Msg]:
    """Where those go who attack nobody, division by division, the strongest first: to the hex of most of each."""
    to = {ident: one.to or one.path[-1] for one in moves for ident in one.units if ident not in attacking}
    divisions: dict[str, list[Unit]] = {}
    for ident in to:
        unit = view.units[ident]
        if unit.is_combat:
            divisions.setdefault(unit.division or ident, []).append(unit)
    ranked = sorted(divisions.items(), key=lambda each: (-_pf(each[1]), each[0]))
    return [_towards(name, units, to) for name, units in ranked]


def _towards(name: str, units: Sequence[Unit], to: Mapping[str, str]) -> Msg:
    hexes = {to[unit.id] for unit in units}
    most = min(hexes, key=lambda at: (-_pf(unit for unit in units if to[unit.id] == at), at))
    ids = tuple(unit.id for unit in units)
    if len(units) == 1:
        return msg("{hex} ({units})", units=ids, hex=most)
    return msg("{hex} or near ({count} of {division})", count=len(units), division=name, hex=most)


def _posts(after: State, ours: str, attacking: set[str]) -> list[Msg]:
    """Where those stand after the marches who attack nobody: in what counts, the most points first, and near the
    enemy."""
    points: Mapping[str, int] = after.edition.scenario.get("victory", {}).get("hexes", {})
    foes = [unit.at for unit in after.units.values() if unit.camp != ours and unit.is_combat]
    there: dict[str, list[Unit]] = {}
    for ident, unit in sorted(after.units.items()):
        if unit.camp == ours and unit.is_combat and unit.state == NORMAL and ident not in attacking:
            there.setdefault(unit.at, []).append(unit)
    held = [at for at in there if at in points or any(distance(at, foe) <= NEAR for foe in foes)]
    held.sort(key=lambda at: (-points.get(at, 0), -_pf(there[at]), at))
    return [msg("{hex} ({units})", hex=at, units=advice.named([unit.id for unit in there[at]])) for at in held]


ADVICE = parts.Advice(bot="forward", plan=partial(plan, RULES))
"""Advised by that bot which plays best of those that think no longer than a letter may cost."""
