"""What the assaults of a plan are worth, for who is advised: always told, by playing where counting is too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pbem.engine.advice import EVEN, Blow
from pbem.engine.data.messages import Msg, msg
from pbem.engine.run.odds import PLAYS, Purse, Reckoning
from pbem.engine.run.steps import Rules
from pbem.games.africa1860.battle.ahead import InTurn, Ordered, in_turn
from pbem.games.africa1860.battle.doctrine import Doctrine
from pbem.games.africa1860.battle.odds import Attack, assault_odds
from pbem.games.africa1860.orders.actions import Action, Assault
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.orders.offers import about_to_order, of_space
from pbem.games.africa1860.state import State

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
    purse: Purse

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
        key = ("form", now.edition.digest, now.key(), order, space, self.ordered.orders.standing)

        def weigh(step: Callable[[], None]) -> float:
            return float(assault_odds(self.rules, state, Attack(order, space), self.own, Reckoning(step=step)).hold)

        return self.purse.pay(key, weigh)

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


def _enough() -> Purse:
    """What so many plays of a phase never take."""
    return Purse(10**9)
