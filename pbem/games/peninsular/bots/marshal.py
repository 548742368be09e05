"""``marshal``: try several plans for a half against ``forward``.

Plans are what ``forward`` would order if it left out one of its assaults or all of them, demanded more gain from
them, let its infantry fire, did not move, or moved to one hex that counts. They are first compared by their results
in the half itself, since playing the enemy's half takes ten times as long. The value of a position is the lead in
points, with what the troops may still gain. Its dice follow from the view: the same view gives the same orders.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.autoplay import PlanTrial, TrialCounts, best_plan
from pbem.engine.bots import DiceFromSeed
from pbem.engine.run.runners import play
from pbem.engine.terms import Orders
from pbem.games.peninsular.bots.forward import PLANNER, STANDING, PlayStyle, StyledHalfPlan
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.orders import Action, canon
from pbem.games.peninsular.sequence import RULES, phase_world
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import ROUTED
from pbem.games.peninsular.victory import exact_points

SIFTED, LEFT = 4, 2
"""Trials of a plan in its own half alone, and the number of plans that stay after them, besides that of ``forward``."""
TRIALS = TrialCounts(first=3, left=2, last=5)
"""Plays for each plan, then for the best ones. A choice between a strong bot and the time that a turn takes."""
UNREACHED_GAIN = 99.0
"""A gain that no assault promises."""
COUNTER, POINT = 1.0, 0.75
"""The points that a counter, and a PF of a counter that is not routed, may still gain while all turns are to come."""


marshal_orders = PLANNER.bot(lambda view, side, luck: _choose(view, side))


def _choose(view: State, side: str) -> tuple[Action, ...]:
    base = StyledHalfPlan(view, side)
    plans = {canon(Orders(actions)): actions for actions in (base.orders(),)}
    for style in tuple(styles(base)):
        actions = StyledHalfPlan(view, side, style).orders() if style.aim else base.orders(style)
        plans.setdefault(canon(Orders(actions)), actions)
    first, *others = plans.values()
    at_once = LookAhead(view, side, halves=1).weigh
    promised = [sum(at_once(plan, number) for number in range(SIFTED)) for plan in others]
    # By promise alone: of equal plans the first stays first, as in `best_plan`.
    ranked = sorted(range(len(others)), key=lambda index: -promised[index])[:LEFT]
    return best_plan((first, *(others[index] for index in ranked)), LookAhead(view, side, halves=2).weigh, TRIALS)


def styles(base: StyledHalfPlan) -> Iterator[PlayStyle]:
    """Yield the styles of play to try in addition to `base`."""
    for target, _ in base.state.assaults:
        yield PlayStyle(spared=frozenset({target}))
    yield from (
        PlayStyle(pays=UNREACHED_GAIN),
        PlayStyle(pays=1.2),
        PlayStyle(fires=True),
        PlayStyle(pays=UNREACHED_GAIN, stay=True),
    )
    for prize in sorted(base.prizes):
        if not base.state.own(prize, base.side):
            yield PlayStyle(aim=prize)


class LookAhead(PlanTrial[State]):
    """A half, played on by ``forward`` for both sides, for `halves` in all."""

    def __init__(self, view: State, side: str, halves: int) -> None:
        super().__init__(view, side)
        self.halves = halves

    def play(self, state: State, actions: tuple[Action, ...], seed: str) -> State:
        doctrine = Doctrine(dict.fromkeys(state.edition.seats, STANDING))
        orders = {state.commanding or state.edition.seat_of(state.phase): Orders(actions, STANDING)}
        return play(RULES, phase_world(state, orders), DiceFromSeed(seed), doctrine).state

    def goes_on(self, state: State, phases: int) -> bool:
        return state.phase != "over" and phases < self.halves

    def orders(self, state: State) -> tuple[Action, ...]:
        return StyledHalfPlan(state, state.phase).orders()

    def value(self, state: State) -> float:
        lead = 0.0
        for side, points in exact_points(state).items():
            lead += float(points if alliance_of(side) == alliance_of(self.side) else -points)
        turns: int = state.edition.scenario.get("turns", 0)
        if state.phase == "over" or not turns:
            return lead
        good = 0.0
        for unit in state.units.values():
            if unit.is_combat:
                still = COUNTER + POINT * unit.pf * (unit.state != ROUTED)
                good += still if unit.camp == alliance_of(self.side) else -still
        return lead + good * (turns - state.turn + 1) / turns
