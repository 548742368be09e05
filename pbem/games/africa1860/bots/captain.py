"""``recruit``, ``veteran`` and ``marshal``: bots that march as ``forward`` does and choose better what to attack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pbem.engine.autoplay import Trials, best_of
from pbem.engine.bots import Luck, OwnDice
from pbem.engine.run.runners import play
from pbem.engine.terms import Orders
from pbem.games.africa1860.bots.forward import PLANNER, STANDING, Commander
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.grammar import Action, Assault, canon
from pbem.games.africa1860.sequence import RULES, phase_world
from pbem.games.africa1860.state import State, Unit, other
from pbem.games.africa1860.victory import worth

# ``recruit`` goes for whomever it can reach, ``veteran`` only for whom it is worth it. Both never leave guns alone that
# the enemy might reach, and think sooner of how the battle ends.


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


recruit_orders = PLANNER.bot(lambda view, side, luck: Captain(view, side, luck, RECRUIT).phase())
veteran_orders = PLANNER.bot(lambda view, side, luck: Captain(view, side, luck, VETERAN).phase())


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


# ``marshal``: several plans for the phase, each played on for two turns against ``forward``; it takes the best.
#
# Plans are what a captain would order who plays carefully, boldly, without assaults, without marches, or with an eye on
# one space above all. What a position is worth is the lead in points, with what the troops are still good for. It
# throws dice of its own and has no other chance: the same view gives the same orders.


AHEAD = 4
"""Phases that a plan is played on for at least; then to the end of that turn."""
TRIALS = Trials(first=3, left=3, last=9)
WON = 6.0
"""What the game itself is worth, in points."""
STEADY, SHAKEN = 0.03, -0.15
"""What a step that is left is worth, in points, and a unit that is demoralised."""


BASE = Style()
"""How it is played on, and what the plans that are no captain's vary."""


marshal_orders = PLANNER.bot(lambda view, side, luck: _chosen(view, side))


def _first() -> Luck:
    """No luck: of all that is as good the first."""
    return Luck(lambda below: 0)


def _chosen(view: State, side: str) -> tuple[Action, ...]:
    plans: dict[str, tuple[Action, ...]] = {}
    for style in styles(view, side):
        actions = Captain(view, side, _first(), style).phase()
        plans.setdefault(canon(Orders(actions)), actions)
    return best_of(tuple(plans.values()), Trial(view, side).weigh, TRIALS)


def styles(view: State, side: str) -> Iterator[Style]:
    """Yield the ways to play the phase that are tried."""
    yield from (BASE, VETERAN, Style(NEVER), Style(BASE.caution, stay=True), Style(BASE.caution, bold=True))
    held = {unit.at for unit in view.units.values() if unit.side != side}
    for space in sorted({*view.edition.scenario.get("victory", {}).get("spaces", ()), *held}):
        yield Style(BASE.caution, aim=space)


class Trial:
    """A phase of a side played on: by its plan, then against ``forward``, itself playing as a captain does."""

    def __init__(self, view: State, side: str) -> None:
        self.view, self.side = view, side
        self.doctrine = Doctrine(dict.fromkeys(view.edition.seats, STANDING))

    def weigh(self, plan: tuple[Action, ...], number: int) -> float:
        """Return what comes of a plan, in points, in the trial of that number."""
        state, phases = self._played(self.view, plan, f"{number} 0"), 1
        while state.phase != "over" and (phases < AHEAD or state.phase != "spain"):
            if state.phase == self.side:
                actions = Captain(state, state.phase, _first(), BASE).phase()
            else:
                actions = Commander(state, state.phase, _first()).phase()
            state, phases = self._played(state, actions, f"{number} {phases}"), phases + 1
        return self.value(state)

    def _played(self, state: State, actions: tuple[Action, ...], seed: str) -> State:
        orders = {state.commanding or state.edition.seat_of(state.phase): Orders(actions, STANDING)}
        return play(RULES, phase_world(state, orders), OwnDice(seed), self.doctrine).state

    def value(self, state: State) -> float:
        """Return what a position is worth to the side."""
        points = worth(state)
        lead = float(points[self.side] - points[other(self.side)])
        if state.phase == "over":
            return lead + WON * ((state.winner == self.side) - (state.winner == other(self.side)))
        for unit in state.units.values():
            if unit.is_combat:
                good = SHAKEN if unit.demoralised else STEADY * unit.steps
                lead += good if unit.side == self.side else -good
        return lead
