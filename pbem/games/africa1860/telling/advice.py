"""What a set of orders comes to, in some sentences: the main assault with its odds, the reserve, what is guarded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine import advice
from pbem.engine.advice import Blow, Weighed
from pbem.engine.couriers.telling import rests_on
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.orders.actions import If
from pbem.engine.run.odds import Purse
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders
from pbem.games.africa1860.battle.ahead import Ordered
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.battle.forecast import FOG
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Fire, Move, Retire
from pbem.games.africa1860.setup.units import other
from pbem.games.africa1860.sight import dated
from pbem.games.africa1860.state import State
from pbem.games.africa1860.telling.scales import Found, Scales, who


def plan(rules: Rules[State], view: State, seat: str, orders: Orders, purse: Purse) -> tuple[Msg, ...]:
    """Return what a seat's orders come to; of a second wave what it does if the first has not won.

    Where there is fog a fourth sentence says what the odds leave out.
    """
    done = tuple(_done(orders.actions))
    scales = Scales(rules, view, Ordered(view, orders), Doctrine({seat: orders.standing}), purse)
    weighed = scales.in_turn()
    assaulting = [one for one in done if isinstance(one.action, Assault)]
    blows = [_blow(view, one, weighed.get(one.action.line)) for one in assaulting]
    if blows:
        main = advice.main_first(blows)[0]
        at = blows.index(main)
        blows[at] = scales.closer(main, assaulting[at].action, assaulting[at].space)
    side = view.edition.seats[seat]
    said = advice.told(blows, _fire(done), _moves(view, done), _posts(view, side, done))
    told = (*said, *_alone(view, side, done))
    return told if view.edition.options["fog"] == "off" else (*told, FOG, *rests_on(dated(view, seat)))


class _Done(NamedTuple):
    """An order, and the space that is activated for it."""

    space: str
    action: Action


def _done(actions: Iterable[Action], space: str = "") -> Iterator[_Done]:
    """What is done as long as all goes as it stands: of an IF the first part."""
    for action in actions:
        if isinstance(action, If):
            yield from _done(action.then, space)
        elif isinstance(action, Activate):
            yield from _done(action.actions, action.space)
        else:
            yield _Done(space, action)


def _blow(view: State, one: _Done, weighed: Found | None) -> Blow:
    order = one.action
    if not isinstance(order, Assault):
        raise TypeError(f"no assault: {order}")
    return Blow(order.target, who(order, one.space), _steps(view, order.units), _weighed(view, weighed))


def _weighed(view: State, found: Found | None) -> Weighed | None:
    if found is None or found.one.odds is None:
        return None
    one, odds = found.one, found.one.odds
    own, enemy = (_in_steps(odds.losses[side]) for side in (view.phase, other(view.phase)))
    return Weighed(odds.hold, own, enemy, one.share, found.about)


def _in_steps(number: float) -> Msg:
    return msg("{number} steps", number=decimal(number))


def _steps(view: State, ids: Iterable[str]) -> int:
    return sum(view.units[ident].steps for ident in ids if view.units[ident].is_combat)


def _fire(done: Sequence[_Done]) -> Msg | None:
    shots = [one.action for one in done if isinstance(one.action, Fire)]
    if not shots:
        return None
    guns = tuple(gun for shot in shots for group in shot.shots for gun in group)
    targets = tuple(dict.fromkeys(shot.at for shot in shots))
    return msg("{guns} {guns:|fires|fire} at {targets}", guns=guns, targets=targets)


def _moves(view: State, done: Sequence[_Done]) -> list[Msg]:
    """Who goes where, all that go to one space together, the strongest first; who falls back comes last."""
    going: dict[str, list[str]] = {}
    back: list[str] = []
    for one in done:
        if isinstance(one.action, Move):
            going.setdefault(one.action.to, []).extend((*one.action.units, *one.action.leaders))
        elif isinstance(one.action, Retire):
            back.extend(one.action.units)
    ranked = sorted(going.items(), key=lambda each: (-_steps(view, each[1]), each[0]))
    falling = [msg("the rear ({units})", units=advice.named(back))] if back else []
    return [*(msg("{space} ({units})", units=advice.named(ids), space=to) for to, ids in ranked), *falling]


def _posts(view: State, side: str, done: Sequence[_Done]) -> list[Msg]:
    """Where those stand at the end who attack nobody: in what counts, the most points first, and beside the enemy."""
    points: Mapping[str, int] = view.edition.scenario.get("victory", {}).get("spaces", {})
    there = _standing(view, side, done)
    held = [space for space in there if space in points or _beside_the_enemy(view, space, side)]
    held.sort(key=lambda space: (-points.get(space, 0), -_steps(view, there[space]), space))
    return [msg("{space} ({units})", space=space, units=advice.named(there[space])) for space in held]


def _alone(view: State, side: str, done: Sequence[_Done]) -> Iterator[Msg]:
    """O8.8.6 What would be taken where nobody guards it and the enemy is near; who attacks from there may come back."""
    guarded = {*_standing(view, side, done), *(one.space for one in done if isinstance(one.action, Assault))}
    left = tuple(
        msg("{unit} in {space}", unit=ident, space=space)
        for ident, space in sorted(_ends(view, side, done).items())
        if view.units[ident].code in ("ART", "CNV") and space not in guarded and _beside_the_enemy(view, space, side)
    )
    if left:
        yield msg("Left alone beside the enemy, who takes guns and trains that nobody guards: {units}.", units=left)


def _standing(view: State, side: str, done: Sequence[_Done]) -> dict[str, list[str]]:
    """The steady combat units that attack nobody, by where they end."""
    there: dict[str, list[str]] = {}
    for ident, space in sorted(_ends(view, side, done).items()):
        if view.units[ident].is_combat and not view.units[ident].demoralised:
            there.setdefault(space, []).append(ident)
    return there


def _ends(view: State, side: str, done: Sequence[_Done]) -> dict[str, str]:
    """Where the units of a side end, without those that attack or fall back."""
    at = {unit.id: unit.at for unit in view.units.values() if unit.side == side}
    for one in done:
        if isinstance(one.action, Move):
            at |= dict.fromkeys((*one.action.units, *one.action.leaders), one.action.to)
        elif isinstance(one.action, Assault | Retire):
            for ident in one.action.units:
                at.pop(ident, None)
    return at


def _beside_the_enemy(view: State, space: str, side: str) -> bool:
    return any(view.holder(near) == other(side) for near in view.edition.map.neighbours(space))
