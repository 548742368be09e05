"""``recruit`` and ``veteran``: they march as ``forward`` does; the one goes for whomever it can reach, the other only
for whom it is worth it.

Both never leave guns alone that the enemy might reach, and think sooner of how the battle ends.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.bots import Luck, Pick
from pbem.engine.terms import Orders
from pbem.games.africa1860.bots.forward import STANDING, Commander
from pbem.games.africa1860.orders.actions import Action, Assault
from pbem.games.africa1860.orders.grammar import canon
from pbem.games.africa1860.setup.units import Unit
from pbem.games.africa1860.state import State

NEVER = 10**6
"""More caution than any assault is worth."""
IN_REACH = 2
"""Spaces from which the enemy comes at guns in a turn."""
HERE_FIRST = 1000
"""What pulls more than any other space."""


class Style(NamedTuple):
    """How a captain plays.

    `caution` is what an assault must promise beyond what ``forward`` wants, in 36ths of a step, below nothing less.
    `aim` is a space that pulls more than all others; who is to `stay` marches nowhere; who is `bold` plays each turn as
    if it were one of the last.
    """

    caution: int = 0
    aim: str = ""
    stay: bool = False
    bold: bool = False


RECRUIT, VETERAN = Style(-400), Style(42)


def recruit_orders(view: State, seat: str, pick: Pick) -> str:
    """Return canonical text: orders if the phase is the seat's, and its standing orders."""
    return _written(view, seat, pick, RECRUIT)


def veteran_orders(view: State, seat: str, pick: Pick) -> str:
    """Return canonical text: orders if the phase is the seat's, and its standing orders."""
    return _written(view, seat, pick, VETERAN)


def _written(view: State, seat: str, pick: Pick, style: Style) -> str:
    side = view.edition.seats[seat]
    actions: tuple[Action, ...] = Captain(view, side, Luck(pick), style).phase() if view.phase == side else ()
    return canon(Orders(actions, STANDING))


class Captain(Commander):
    """One phase of a seat, played in a style."""

    last_turns = 5

    def __init__(self, view: State, side: str, luck: Luck, style: Style = VETERAN) -> None:
        self.style = style
        if style.bold:
            self.last_turns = view.edition.scenario.get("turns", 0) + 1
        super().__init__(view, side, luck)

    def _goals(self) -> dict[str, int]:
        if self.style.stay:
            return {}
        return {**super()._goals(), **({self.style.aim: HERE_FIRST} if self.style.aim else {})}

    def _worth(self, order: Assault, space: str) -> int:
        return super()._worth(order, space) - self.style.caution

    def _all_but_a_garrison(self, space: str, units: list[Unit]) -> list[Unit]:
        """A guard stays with guns and trains that nobody else is with and that the enemy is near."""
        here, going = self.state.own(space, self.side), {unit.id for unit in units}
        alone = not any(unit.is_combat and unit.id not in going for unit in here)
        if alone and any(unit.code in ("ART", "CNV") for unit in here) and self._from_the_front(space)[0] <= IN_REACH:
            guard = min(units, key=lambda unit: (unit.steps, unit.assault, unit.id), default=None)
            units = [unit for unit in units if unit is not guard]
        return super()._all_but_a_garrison(space, units)
