"""Play to win: advance on spaces that count, with leaders, at good odds.

Each phase it fires guns, then assaults where the shock's 36 throws gain more than they cost, then marches on its
goals and withdraws shaken units. It uses the rules' own shock, so the edition's charts and options apply.
``recruit``, ``veteran`` and ``marshal`` march as it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbem.engine.autoplay import PlanTrial, TrialCounts, best_plan
from pbem.engine.bots import DiceFromSeed, Luck, Planner
from pbem.engine.orders.standing import If, Reaction, Rule, Scope
from pbem.engine.run.runners import play
from pbem.engine.run.steps import Did, Rolled, Task
from pbem.engine.terms import Orders
from pbem.games.africa1860.bots.at_random import after_certain_effects
from pbem.games.africa1860.doctrine import Doctrine, default_screen, default_vanguard
from pbem.games.africa1860.orders import Action, Activate, Assault, Fire, Move, Retire, canon
from pbem.games.africa1860.refusals import refuse_action
from pbem.games.africa1860.sequence import RULES, phase_world
from pbem.games.africa1860.shock import halves_of_basis, resolve_shock
from pbem.games.africa1860.state import CAVALRY, INFANTRY, Fight, State, Unit, best_leader, best_unit, enemy_of
from pbem.games.africa1860.victory import exact_points

TWO_DICE_THROWS = 36
"""Throws of two dice: chances are counted in these."""
NOT_REACHED = 99
"""The distance of a space that is not reached: farther than any map is wide."""


class ShockProspects(NamedTuple):
    """The expected shock in 36ths: wins, own steps lost, enemy steps lost."""

    wins: int
    cost: int
    harm: int


STANDING_ORDERS = (
    Rule(Scope(), 1, "ASSAULTED", ("count", "MY", "INF", "AT LEAST", 2), (Reaction("CAVALRY", ("COUNTERCHARGE",)),)),
    Rule(Scope(), 2, "SHELLED", (), (Reaction("COUNTERBATTERY", ("YES",)),)),
    Rule(Scope(), 3, "APPROACHED", ("odds", "LESS THAN", 1, 2), (Reaction("APPROACH", ("CHARGE",)),)),
)
"""Cavalry counter-charges if there is enough infantry to hold without it, and attacks what is weak."""
PLANNER: Planner[State] = Planner(lambda view, side: view.phase == side, STANDING_ORDERS, canon)


def prospects(view: State, fight: Fight) -> ShockProspects:
    """Return the expected shock of `fight` as things stand, before any fire."""
    foes = [unit for unit in view.own(fight.target, enemy_of(fight.side)) if unit.is_combat]
    if not foes:
        return ShockProspects(TWO_DICE_THROWS, 0, 0)
    fight = fight._replace(enemy_vanguard=default_vanguard(foes, frozenset()))
    even = Rolled("", 1, 6, (1,))
    outcome = resolve_shock(view.change(fight=fight), Task("shock", (), (even, even)))
    totals = next(e.data["totals"] for e in (outcome.events if isinstance(outcome, Did) else ()) if e.kind == "shock")
    half = halves_of_basis(view, fight)
    steps = {fight.side: sum(view.units[ident].steps for ident in fight.stack if view.units[ident].is_combat)}
    steps[enemy_of(fight.side)] = sum(unit.steps for unit in foes)
    edge = totals[0] - totals[1]
    return _over_throws(
        edge, (half[fight.side], steps[fight.side]), (half[enemy_of(fight.side)], steps[enemy_of(fight.side)])
    )


@lru_cache(maxsize=4096)
def _over_throws(edge: int, mine: tuple[int, int], theirs: tuple[int, int]) -> ShockProspects:
    """Return the result of the 36 throws for an edge.

    `mine` and `theirs` are half of each side's basis of losses, and its steps.
    """
    (half, steps), (half_of_theirs, steps_of_theirs) = mine, theirs
    wins = cost = harm = 0
    for my_die in range(1, 7):
        for their_die in range(1, 7):
            apart, won = abs(my_die - their_die), my_die + edge > their_die
            wins += won
            cost += min(steps, half + (apart // 2 if won else apart))
            harm += min(steps_of_theirs, half_of_theirs + (apart if won else apart // 2))
    return ShockProspects(wins, cost, harm)


class _Plan(NamedTuple):
    """A profitable assault: its order, space and value."""

    worth: int
    space: str
    order: Assault


class PhasePlanner:
    """One phase of a seat.

    In the `last_turns` spaces count fully and losses hardly.
    """

    last_turns = 3

    def __init__(self, view: State, side: str, luck: Luck) -> None:
        units = {ident: unit._replace(acted=False) for ident, unit in view.units.items()}
        self.state = view.change(units=units, used=(), phase=side)
        self.side = side
        self.enemy = enemy_of(side)
        self.luck = luck
        self.area = view.edition.map
        self.rules = view.edition.scenario.get("victory", {})
        self.late = view.turn + self.last_turns > view.edition.scenario.get("turns", 0)
        self.goals = self._goals()

    # What is wanted

    def _value(self, space: str) -> int:
        """Return a space's victory points, in enemy steps of equal value."""
        points: int = self.rules.get("spaces", {}).get(space, 0)
        return points * (self.rules.get("steps_per_point", 0) or 4) // (1 if self.late else 2)

    def _goals(self) -> dict[str, int]:
        """Return goals with weights: spaces to take, spaces threatened, the enemy."""
        pull: dict[str, int] = {}
        for space in sorted(self.area.spaces):
            holder = self.state.holder(space)
            value = self._value(space)
            ours = (holder or self.rules.get("owner", {}).get(space, "")) == self.side
            if holder == self.enemy:
                pull[space] = 4 * value + 6
            elif value and not ours:
                pull[space] = 4 * value
            elif value:
                threat = self._around(space, self.enemy) - self._steps(self.state.own(space, self.side))
                # Nothing if its garrison is stronger, and never more than for a space that is still to be taken.
                pull[space] = max(0, min(4 * value, threat))
        return {space: weight for space, weight in pull.items() if weight}

    def _around(self, space: str, side: str) -> int:
        """Return the steps of a side's combat units next to a space."""
        return sum(self._steps(self.state.own(near, side)) for near in self.area.neighbours(space))

    @staticmethod
    def _steps(units: Iterable[Unit]) -> int:
        return sum(unit.steps for unit in units if unit.is_combat and not unit.demoralised)

    # The phase

    def phase(self) -> tuple[Action, ...]:
        actions = self._retire()
        plans = self._plans()
        assaulting = {plan.space for plan in plans}
        for space in self._spaces():
            if space not in assaulting and self._guns_bear(space):
                actions += self._activation(space, self._fire(space))
        seen: set[str] = set()
        for plan in plans:
            actions += self._assault(plan, again=plan.order.target in seen)
            seen.add(plan.order.target)
        # From the front back: who stands behind finds the room that others have left.
        for space in sorted(self._spaces(), key=self._from_the_front):
            actions += self._activation(space, [])
        return tuple(actions)

    def _spaces(self) -> list[str]:
        """Return the spaces that can still be activated."""
        held = sorted({unit.at for unit in self.state.units.values() if unit.side == self.side})
        return [space for space in held if refuse_action(self.state, Activate(0, space), "") is None]

    def _from_the_front(self, space: str) -> tuple[int, str]:
        foes = tuple(sorted(s for s in self.area.spaces if self.state.holder(s) == self.enemy))
        return self.area.distances(foes).get(space, NOT_REACHED), space

    def _ready(self, space: str) -> list[Unit]:
        units = self.state.own(space, self.side)
        moving = self.side == "morocco"
        return [unit for unit in units if not (unit.acted or unit.demoralised or (unit.activated and not moving))]

    def _do(self, action: Action, space: str) -> list[Action]:
        """Return the action if it is legal, and apply it to the plan."""
        if refuse_action(self.state, action, space) is not None:
            return []
        self.state = after_certain_effects(self.state, action)
        return [action]

    def _activation(self, space: str, first: Sequence[Action]) -> list[Action]:
        """Activate a space: first actions, then the others' march."""
        self.state = after_certain_effects(self.state, Activate(0, space))
        actions = [done for action in first for done in self._do(action, space)]
        actions += self._march(space)
        return [Activate(0, space, tuple(actions))] if actions else []

    def _retire(self) -> list[Action]:
        """Withdraw shaken units near the enemy; others wait to recover."""
        actions: list[Action] = []
        for _, unit in sorted(self.state.units.items()):
            if unit.side == self.side and unit.demoralised and self._around(unit.at, self.enemy):
                actions += self._do(Retire(0, (unit.id,)), "")
        return actions

    # Fire and assault

    def _guns(self, space: str) -> list[Unit]:
        return [unit for unit in self._ready(space) if unit.code == "ART" and not (unit.fired or unit.activated)]

    def _targets(self, space: str) -> list[str]:
        return [near for near in self.area.neighbours(space) if self.state.holder(near) == self.enemy]

    def _guns_bear(self, space: str) -> bool:
        return bool(self._guns(space) and self._targets(space))

    def _fire(self, space: str) -> list[Action]:
        """Fire all guns of a space at the strongest adjacent enemy."""
        strongest = max(self._targets(space), key=lambda near: (self._steps(self.state.own(near, self.enemy)), near))
        return [Fire(0, (tuple(gun.id for gun in self._guns(space)),), strongest)]

    def _plans(self) -> list[_Plan]:
        """Return the best profitable assault out of each space, best first."""
        plans = [plan for space in self._spaces() if (plan := self._best_plan(space)) is not None]
        return sorted(plans, key=lambda plan: (-plan.worth, plan.space))

    def _best_plan(self, space: str) -> _Plan | None:
        plans = [plan for target in self._reach(space) if (plan := self._plan(space, target)) is not None]
        best = max(plans, key=lambda plan: (plan.worth, plan.order.target), default=None)
        return best if best is not None and best.worth > 0 else None

    def _reach(self, space: str) -> list[str]:
        """Return adjacent enemy spaces, and for cavalry those a space farther."""
        near = self._targets(space)
        if not any(unit.code == CAVALRY for unit in self._ready(space)):
            return near
        far = {s for n in self.area.neighbours(space) if not self.state.holder(n) for s in self.area.neighbours(n)}
        return sorted({*near, *(s for s in far if self.state.holder(s) == self.enemy)})

    def _plan(self, space: str, target: str) -> _Plan | None:
        near = self.area.adjacent(space, target)
        ready = [unit for unit in self._ready(space) if not unit.activated]
        leader = best_leader(ready)
        kinds = (INFANTRY | {CAVALRY}) if leader is not None and near else {CAVALRY}
        stack = self._all_but_a_garrison(space, [unit for unit in ready if unit.code in kinds])
        if not stack:
            return None
        vanguard = best_unit(stack, lambda unit: unit.code in INFANTRY) or best_unit(stack)
        foot = any(unit.code in INFANTRY for unit in stack)
        order = Assault(
            0,
            "ASSAULT" if foot else "CHARGE",
            target,
            tuple(unit.id for unit in stack),
            leader.id if leader is not None and near else "",
            vanguard.id if vanguard is not None else "",
            default_screen(stack, vanguard.id if vanguard is not None else ""),
            self._support(space) if near else (),
        )
        if refuse_action(self.state, order, space) is not None:
            return None
        return _Plan(self._assault_value(order, space), space, order)

    def _support(self, space: str) -> tuple[tuple[str, ...], ...]:
        guns = tuple(gun.id for gun in self._guns(space))
        return (guns,) if guns else ()

    def _all_but_a_garrison(self, space: str, units: list[Unit]) -> list[Unit]:
        """Leave the weakest unit in a space that would otherwise be lost."""
        owned = self.rules.get("owner", {}).get(space, "") == self.side
        stays = [unit for unit in self.state.own(space, self.side) if unit.id not in {u.id for u in units}]
        if owned or not self._value(space) or any(unit.is_combat for unit in stays):
            return units
        weakest = min(units, key=lambda unit: (unit.steps, unit.assault, unit.id), default=None)
        return [unit for unit in units if unit is not weakest]

    def _assault_value(self, order: Assault, space: str) -> int:
        """Return the assault's value in 36ths of a step: gains less losses and risk."""
        stack = tuple(sorted({*order.units, *((order.leader,) if order.leader else ())}))
        fight = Fight("", "assault", self.side, space, order.target, stack, order.leader, vanguard=order.vanguard)
        if not self.area.adjacent(space, order.target):
            fight = fight._replace(between=self.area.neighbours(order.target)[0])
        chances = prospects(self.state, fight)
        captures = sum(2 for unit in self.state.own(order.target, self.enemy) if unit.code in ("ART", "CNV"))
        prize = chances.wins * (1 + captures + self._value(order.target))
        shaken_loss = (TWO_DICE_THROWS - chances.wins) * len(stack) // 2
        help_from_guns = 12 * len(order.support)
        return prize + chances.harm - chances.cost - shaken_loss + help_from_guns - TWO_DICE_THROWS // 2

    def _assault(self, plan: _Plan, again: bool) -> list[Action]:
        """Order the assault; a second wave waits for the first and follows a win."""
        if plan.space not in self._spaces():
            return []
        self.state = after_certain_effects(self.state, Activate(0, plan.space))
        wave = Activate(0, plan.space, tuple(self._do(plan.order, plan.space)))
        if not wave.actions:
            return []
        if not again:
            return [wave]
        leaders = (plan.order.leader,) if plan.order.leader else ()
        follow = Move(0, tuple(sorted(plan.order.units)), leaders, plan.order.target)
        condition = ("space", plan.order.target, "ENEMY")
        return [If(0, condition, (wave,), (Activate(0, plan.space, (follow,)),))]

    # The march

    def _march(self, space: str) -> list[Action]:
        """Move infantry and cavalry with their best leader; guns and leaders follow."""
        ready = self._ready(space)
        leaders = [unit for unit in ready if unit.is_leader]
        foot = self._all_but_a_garrison(space, [unit for unit in ready if unit.code in INFANTRY])
        group = [*foot, *(unit for unit in ready if unit.code == CAVALRY)]
        actions: list[Action] = []
        destination = self._next(space, group) if group else ""
        if destination:
            leader = best_leader(leaders)
            went = self._do(Move(0, _ids(group), (leader.id,) if leader is not None else (), destination), space)
            went = went or [done for unit in group for done in self._do(Move(0, (unit.id,), (), destination), space)]
            actions += went
        if not self._targets(space):
            for gun in (unit for unit in self._ready(space) if unit.code in ("ART", "CNV")):
                actions += self._follow(space, gun)
        for leader in (unit for unit in self._ready(space) if unit.is_leader):
            actions += self._seek_troops(space, leader)
        return actions

    def _next(self, space: str, group: list[Unit]) -> str:
        """Return the adjacent space nearest to the strongest goal, or "" to stay."""
        pull = {goal: self._pull(goal, space) for goal in self.goals if goal != space}
        if not pull or self.goals.get(space, 0) >= max(pull.values()):
            return ""
        most = max(pull.values())
        goal = self.luck.one(sorted(goal for goal, weight in pull.items() if weight == most))
        away = self.area.distances((goal,))
        best = min(
            (near for near in self.area.neighbours(space) if self._safe(near, group)),
            key=lambda near: (away.get(near, NOT_REACHED), near),
            default="",
        )
        return best if best and away.get(best, NOT_REACHED) < away.get(space, NOT_REACHED) else ""

    def _pull(self, goal: str, space: str) -> int:
        return 100 * self.goals[goal] // (1 + self.area.distances((goal,)).get(space, NOT_REACHED))

    def _safe(self, space: str, group: list[Unit]) -> bool:
        """Return whether a group is safe in a space.

        The enemy does not hold it and does not outnumber us there two to one; late in a game the odds do not
        count.
        """
        if self.state.holder(space) == self.enemy:
            return False
        ours = self._steps(self.state.own(space, self.side)) + self._steps(group)
        return self.late or self._around(space, self.enemy) <= 2 * ours

    def _follow(self, space: str, gun: Unit) -> list[Action]:
        """Move guns to infantry nearer to the enemy."""
        distance_now = self._from_the_front(space)[0]
        for near in self.area.neighbours(space):
            has_infantry = any(unit.code in INFANTRY for unit in self.state.own(near, self.side))
            if has_infantry and self._from_the_front(near)[0] < distance_now:
                went = self._do(Move(0, (gun.id,), (), near), space)
                if went:
                    return went
        return []

    def _seek_troops(self, space: str, leader: Unit) -> list[Action]:
        """Move a spare leader to infantry without one."""
        mine = self.state.own(space, self.side)
        is_needed = any(unit.code in INFANTRY for unit in mine)
        if is_needed and best_leader([unit for unit in mine if unit.is_leader]) == leader:
            return []
        near = self.area.neighbours(space)
        reach = sorted({*near, *(far for n in near for far in self.area.neighbours(n))} - {space})
        # Infantry near the enemy needs him most.
        for destination in sorted(reach, key=self._from_the_front):
            own_units = self.state.own(destination, self.side)
            if any(unit.code in INFANTRY for unit in own_units) and not any(unit.is_leader for unit in own_units):
                went = self._do(Move(0, (), (leader.id,), destination), space)
                if went:
                    return went
        return []


def _ids(units: Iterable[Unit]) -> tuple[str, ...]:
    return tuple(sorted(unit.id for unit in units))


forward_orders = PLANNER.bot(lambda view, side, luck: PhasePlanner(view, side, luck).phase())


# Bots that march as ``forward`` does and choose better what to attack.
#
# ``recruit`` goes for whomever it can reach, ``veteran`` only for whom it is worth it. Both never leave guns alone that
# the enemy might reach, and think sooner of how the battle ends.


UNREACHED_CAUTION = 10**6
"""A caution, in 36ths of a step, that no assault's gain exceeds."""
ENEMY_REACH = 2
"""Spaces within which an enemy can attack guns within a turn."""
PRIORITY_WEIGHT = 1000
"""A weight that makes one space attract units more than all others."""


class PlayStyle(NamedTuple):
    """A level's style of play.

    `caution`: the gain an assault needs beyond that of ``forward``, in 36ths of a step; if negative, it needs less.
    `aim`: a space that attracts most. Units in `stay` do not march. With `bold` every turn is played like one of
    the last.
    """

    caution: int = 0
    aim: str = ""
    stay: bool = False
    bold: bool = False


RECRUIT, VETERAN = PlayStyle(-400), PlayStyle(42)


recruit_orders = PLANNER.bot(lambda view, side, luck: StyledPhasePlanner(view, side, luck, RECRUIT).phase())
veteran_orders = PLANNER.bot(lambda view, side, luck: StyledPhasePlanner(view, side, luck, VETERAN).phase())


class StyledPhasePlanner(PhasePlanner):
    """One phase of a seat in a style of play."""

    last_turns = 5

    def __init__(self, view: State, side: str, luck: Luck, style: PlayStyle = VETERAN) -> None:
        self.style = style
        if style.bold:
            self.last_turns = view.edition.scenario.get("turns", 0) + 1
        super().__init__(view, side, luck)

    def _goals(self) -> dict[str, int]:
        if self.style.stay:
            return {}
        return {**super()._goals(), **({self.style.aim: PRIORITY_WEIGHT} if self.style.aim else {})}

    def _assault_value(self, order: Assault, space: str) -> int:
        return super()._assault_value(order, space) - self.style.caution

    def _all_but_a_garrison(self, space: str, units: list[Unit]) -> list[Unit]:
        """Leave a guard with guns and trains alone near the enemy."""
        units_here, going = self.state.own(space, self.side), {unit.id for unit in units}
        alone = not any(unit.is_combat and unit.id not in going for unit in units_here)
        if (
            alone
            and any(unit.code in ("ART", "CNV") for unit in units_here)
            and self._from_the_front(space)[0] <= ENEMY_REACH
        ):
            guard = min(units, key=lambda unit: (unit.steps, unit.assault, unit.id), default=None)
            units = [unit for unit in units if unit is not guard]
        return super()._all_but_a_garrison(space, units)


# ``marshal``: several plans for the phase, each played on for two turns against ``forward``; it takes the best.
#
# Plans are what a captain would order who plays carefully, boldly, without assaults, without marches, or with an eye on
# one space above all. What a position is worth is the lead in points, with what the troops are still good for. It
# throws dice of its own and has no other chance: the same view gives the same orders.


LEAST_PHASES_AHEAD = 4
"""Phases for which a plan is played on at least, two turns; then it is played to the end of that turn."""
TRIALS = TrialCounts(first=3, left=3, last=9)
"""Plays for each plan, then for the best ones. A choice between a strong bot and the time that a turn takes."""
VICTORY_VALUE = 6.0
"""The value of winning the game, in points. A choice: more than most spaces count, so that it is not risked for one."""
STEADY, SHAKEN = 0.03, -0.15
"""The value, in points, of a remaining step, and of a demoralised unit. A choice: among plans with equal points the one
that spares troops is better."""


DEFAULT_STYLE = PlayStyle()
"""The default style: plans vary it, and the play after a plan uses it."""


marshal_orders = PLANNER.bot(lambda view, side, luck: _best_trial(view, side))


def _first() -> Luck:
    """Return luck that takes the first of equally good choices."""
    return Luck(lambda below: 0)


def _best_trial(view: State, side: str) -> tuple[Action, ...]:
    plans: dict[str, tuple[Action, ...]] = {}
    for style in styles(view, side):
        actions = StyledPhasePlanner(view, side, _first(), style).phase()
        plans.setdefault(canon(Orders(actions)), actions)
    return best_plan(tuple(plans.values()), PhaseTrial(view, side).weigh, TRIALS)


def styles(view: State, side: str) -> Iterator[PlayStyle]:
    """Yield the styles to try in the phase."""
    yield from (
        DEFAULT_STYLE,
        VETERAN,
        PlayStyle(UNREACHED_CAUTION),
        PlayStyle(DEFAULT_STYLE.caution, stay=True),
        PlayStyle(DEFAULT_STYLE.caution, bold=True),
    )
    enemy_spaces = {unit.at for unit in view.units.values() if unit.side != side}
    for space in sorted({*view.edition.scenario.get("victory", {}).get("spaces", ()), *enemy_spaces}):
        yield PlayStyle(DEFAULT_STYLE.caution, aim=space)


class PhaseTrial(PlanTrial[State]):
    """A simulated phase: its plan, then play against ``forward``."""

    def play(self, state: State, actions: tuple[Action, ...], seed: str) -> State:
        doctrine = Doctrine(dict.fromkeys(state.edition.seats, STANDING_ORDERS))
        orders = {state.commanding or state.edition.seat_of(state.phase): Orders(actions, STANDING_ORDERS)}
        return play(RULES, phase_world(state, orders), DiceFromSeed(seed), doctrine).state

    def goes_on(self, state: State, phases: int) -> bool:
        return state.phase != "over" and (phases < LEAST_PHASES_AHEAD or state.phase != "spain")

    def orders(self, state: State) -> tuple[Action, ...]:
        if state.phase == self.side:
            return StyledPhasePlanner(state, state.phase, _first(), DEFAULT_STYLE).phase()
        return PhasePlanner(state, state.phase, _first()).phase()

    def value(self, state: State) -> float:
        points = exact_points(state)
        lead = float(points[self.side] - points[enemy_of(self.side)])
        if state.phase == "over":
            return lead + VICTORY_VALUE * ((state.winner == self.side) - (state.winner == enemy_of(self.side)))
        for unit in state.units.values():
            if unit.is_combat:
                share = SHAKEN if unit.demoralised else STEADY * unit.steps
                lead += share if unit.side == self.side else -share
        return lead
