"""What a set of orders comes to, in some sentences, and what of a bot's plan is advised to a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine import advice, parts
from pbem.engine.advice import EVEN, AttackOdds, Blow
from pbem.engine.couriers import rests_on
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.orders.standing import If
from pbem.engine.run.odds import PLAYS, Reckoning, StepBudget
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders
from pbem.games.africa1860.check import problem
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.forecast import FOG, InTurn, Ordered, in_turn
from pbem.games.africa1860.form import about_to_order, of_space
from pbem.games.africa1860.orders import Action, Activate, Assault, Fire, Move, Retire, placed
from pbem.games.africa1860.sequence import RULES
from pbem.games.africa1860.shock import Attack, assault_odds, chance_alone
from pbem.games.africa1860.state import INFANTRY, State, other
from pbem.games.africa1860.view import dated

FEWER = 100
"""Plays of what is only compared."""
CLEARLY = 0.05
"""By how much another attack must be likelier to be named."""
TRIED = 2
"""How many that look likelier by few plays are reckoned closely."""


class Found(NamedTuple):
    """An assault of the orders weighed when its turn comes; `about` where it was played."""

    one: InTurn
    about: bool


def who(order: Assault, space: str) -> Msg:
    """Return who attacks, from where, under whom."""
    if order.leader:
        return msg("{units} from {space} led by {leader}", units=order.units, space=space, leader=order.leader)
    return msg("{units} from {space}", units=order.units, space=space)


class Scales(NamedTuple):
    """What a side's orders are weighed by: rules, what it sees, its orders, who answers, how much may be counted."""

    rules: Rules[State]
    view: State
    ordered: Ordered
    own: Doctrine
    purse: StepBudget

    def in_turn(self) -> dict[int, Found]:
        """Return the assaults by their lines, each when its turn comes; what is too much to count is played."""
        counted, whole = in_turn(self.rules, self.ordered, self.own, self.purse)
        found = {one.line: Found(one, about=False) for one in counted}
        if not whole:
            played, _ = in_turn(self.rules, self.ordered, self.own, _enough(), PLAYS)
            found |= {one.line: Found(one, about=True) for one in played if one.line not in found}
        return found

    def closer(self, blow: Blow, order: Action, space: str) -> Blow:
        """Return the main blow with its chance by itself, as things stand, and with a likelier one where it fails more
        often than not."""
        if blow.odds is None or not isinstance(order, Assault):
            return blow
        now = about_to_order(self.view, self.view.phase, self.ordered.begun)
        alone = self._alone(now, order, space)
        if alone is not None and f"{alone:.2f}" != f"{blow.odds.win:.2f}" and not blow.odds.about:
            blow = blow._replace(odds=blow.odds._replace(alone=alone))
        if blow.odds is None or blow.odds.win >= EVEN:
            return blow
        rivals = [one for one in self._offered(now, order.target) if _of(*one) != _of(order, space)]
        ranked = sorted(((self._about(now, *one), one) for one in rivals), key=lambda each: -each[0])
        for few, rival in ranked[:TRIED]:
            clearly = blow.odds.win + CLEARLY
            if few >= clearly and (chance := self._closely(now, *rival)) >= clearly:
                return blow._replace(better=(_with_guns(*rival), chance))
        return blow

    def _offered(self, now: State, target: str) -> Iterator[tuple[Assault, str]]:
        """What the form offers against a space."""
        for space in now.camping(now.phase):
            for offer in of_space(now, space)[0]:
                if isinstance(offer.action, Assault) and offer.action.target == target:
                    yield offer.action, space

    def _alone(self, now: State, order: Assault, space: str) -> float | None:
        """How often an assault wins as it stands and on its own, as the form reckons it."""
        state = now.change(used=(*now.used, space))
        if problem(state, order, space) is not None:
            return None
        return chance_alone(self.rules, now, Attack(order, space), self.own, self.purse)

    def _about(self, now: State, order: Assault, space: str, plays: int = FEWER) -> float:
        """The same by few plays: good enough to compare, but the best of several then looks better than it is."""
        state = now.change(used=(*now.used, space))
        return float(assault_odds(self.rules, state, Attack(order, space), self.own, Reckoning(plays=plays)).hold)

    def _closely(self, now: State, order: Assault, space: str) -> float:
        """The same as the form has it, or by as many plays as are told to anybody."""
        alone = self._alone(now, order, space)
        return self._about(now, order, space, PLAYS) if alone is None else alone


def _of(order: Assault, space: str) -> tuple[object, ...]:
    """What makes an attack another one to who reads of it: who comes from where, under whom, with which guns."""
    return space, frozenset(order.units), order.leader, frozenset(gun for group in order.support for gun in group)


def _with_guns(order: Assault, space: str) -> Msg:
    guns = tuple(gun for group in order.support for gun in group)
    if not guns:
        return who(order, space)
    return msg("{who}, supported by {guns}", who=who(order, space), guns=guns)


def _enough() -> StepBudget:
    """What so many plays of a phase never take."""
    return StepBudget(10**9)


# The sentences: the main assault with its odds, the reserve, what is guarded.


def plan(rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget) -> tuple[Msg, ...]:
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
    said = advice.plan_sentences(blows, _fire(done), _moves(view, done), _posts(view, side, done))
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


def _weighed(view: State, found: Found | None) -> AttackOdds | None:
    if found is None or found.one.odds is None:
        return None
    one, odds = found.one, found.one.odds
    own, enemy = (_in_steps(odds.losses[side]) for side in (view.phase, other(view.phase)))
    return AttackOdds(odds.hold, own, enemy, one.share, found.about)


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
    falling = [msg("the rear ({units})", units=advice.unit_list(back))] if back else []
    return [*(msg("{space} ({units})", units=advice.unit_list(ids), space=to) for to, ids in ranked), *falling]


def _posts(view: State, side: str, done: Sequence[_Done]) -> list[Msg]:
    """Where those stand at the end who attack nobody: in what counts, the most points first, and beside the enemy."""
    points: Mapping[str, int] = view.edition.scenario.get("victory", {}).get("spaces", {})
    there = _standing(view, side, done)
    held = [space for space in there if space in points or _beside_the_enemy(view, space, side)]
    held.sort(key=lambda space: (-points.get(space, 0), -_steps(view, there[space]), space))
    return [msg("{space} ({units})", space=space, units=advice.unit_list(there[space])) for space in held]


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


# What of a bot's plan is advised to a person: all of it, but for trains that go towards the enemy and guns left alone.
#
# Bots move what they can; a train near the enemy is only there to be captured (O8.6), and a gun without foot with it.


FAR = 99


def prudent(view: State, seat: str, orders: Orders) -> Orders:
    """Return the orders without moves of trains nearer to the enemy, and of guns to where no foot will stand."""
    side = view.edition.seats[seat]
    return orders._replace(actions=tuple(_Prudent(view, side, orders).kept(orders.actions)))


class _Prudent:
    def __init__(self, view: State, side: str, orders: Orders) -> None:
        self.units = view.units
        foes = tuple(space for space in sorted(view.edition.map.spaces) if view.holder(space) not in ("", side))
        self.away = view.edition.map.distances(foes)
        done = [action for _, action in placed(orders.actions)]
        going = {ident: one.to for one in done if isinstance(one, Move) for ident in one.units}
        fighting = {ident for one in done if isinstance(one, Assault) for ident in one.units}
        self.foot = {
            going.get(unit.id, unit.at)
            for unit in view.units.values()
            if unit.side == side and unit.code in INFANTRY and not unit.demoralised and unit.id not in fighting
        }

    def kept(self, actions: Iterable[Action]) -> Iterator[Action]:
        """The actions that are left, without those that nobody is left for."""
        for action in actions:
            if isinstance(action, If):
                yield action._replace(then=tuple(self.kept(action.then)), otherwise=tuple(self.kept(action.otherwise)))
            elif isinstance(action, Activate):
                under = tuple(self.kept(action.actions))
                if under or not action.actions:
                    yield action._replace(actions=under)
            elif isinstance(action, Move):
                units = tuple(ident for ident in action.units if self.may(ident, action.to))
                if units or action.leaders:
                    yield action._replace(units=units)
            else:
                yield action

    def may(self, ident: str, to: str) -> bool:
        """Whether a unit is advised to go there."""
        unit = self.units[ident]
        if unit.code == "CNV":
            return self.away.get(to, FAR) >= self.away.get(unit.at, FAR)
        return unit.code != "ART" or to in self.foot


ADVICE = parts.Advice(bot="marshal", advised=prudent, plan=partial(plan, RULES))
"""Advised by that bot which plays best of those that think no longer than a letter may cost."""
