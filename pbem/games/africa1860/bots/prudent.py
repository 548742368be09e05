"""What of a bot's plan is advised to a person: all of it, but for trains that go towards the enemy and guns left alone.

Bots move what they can; a train near the enemy is only there to be captured (O8.6), and a gun without foot with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.engine.orders.actions import If
from pbem.engine.terms import Orders
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Move, placed
from pbem.games.africa1860.setup.units import INFANTRY
from pbem.games.africa1860.state import State

FAR = 99


def prudent(view: State, side: str, orders: Orders) -> Orders:
    """Return the orders without moves of trains nearer to the enemy, and of guns to where no foot will stand."""
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
