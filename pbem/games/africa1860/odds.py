"""The odds of an assault, of each assault in a set of orders, and of the answers to a question: exact, over all dice.

What the asking side cannot know, the enemy's standing orders, is taken to be the default doctrine (C10).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from pbem.engine.commanders.sequence import alone
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import parts_of
from pbem.engine.data.sums import in_order
from pbem.engine.orders.standing import Rule
from pbem.engine.run.odds import FLOATS, Course, Ending, Purse, Reckoning, apart, changes, onward, spread
from pbem.engine.run.questions import Asked, weigh_answers
from pbem.engine.run.steps import Did, Roll, Rolled, Rules, Task, World, folding
from pbem.engine.terms import Orders
from pbem.games.africa1860.doctrine import Doctrine, default_screen, default_vanguard
from pbem.games.africa1860.grammar import Action, Assault, placed
from pbem.games.africa1860.sequence import AFTER_ORDERS, ORDER_TASKS, SETS, problem, task_of
from pbem.games.africa1860.state import Fight, State, other

# One assault: the rules run over all dice, from the order to the last throw after the shock.


class Odds(NamedTuple):
    """What an assault is worth, as probabilities and mean numbers of steps.

    `win`: the space is the attackers' when the shock is over; `hold`: it is theirs after the throws that follow as well
    (O8.8.7, O8.8.8); `losses`: mean steps lost by side, to the end; `shaken`: for each unit, the chance to end
    demoralised, poorer by a step or lost by those throws, all outcomes taken together.
    """

    win: Any
    hold: Any
    losses: Mapping[str, Any]
    shaken: Mapping[str, Any]


def since(start: State) -> Callable[[State], Hashable]:
    """Return what tells positions that came of `start` apart, in all that an assault can still change or ask."""
    changed = changes(start.units)
    return lambda state: (changed(state.units), state.fight, tuple(state.uses.items()) if state.uses else ())


class Attack(NamedTuple):
    """O8 An assault or charge as it was ordered, out of an activated space."""

    order: Assault
    space: str

    @property
    def pair(self) -> str:
        """The spaces between which it is, as assaults are counted by."""
        return f"{self.space}>{self.order.target}"


def assault_odds(
    rules: Rules[State], state: State, attack: Attack, own: Doctrine, reckoning: Reckoning = FLOATS
) -> Odds:
    """Return the odds of an order that is legal in `state`.

    `own` answers for the attacker's side (and C10 for the enemy).
    """
    start, (order, space) = state.change(fight=None), attack
    before = start.bouts.get(attack.pair, 0)

    def over(world: World[State]) -> bool:
        return world.state.fight is None and world.state.bouts.get(attack.pair, 0) > before

    world = World(start, (task_of(order, space),))
    ends = spread(rules, Course(world, since(start), over), own, reckoning)
    return gather(rules, (Ending(world, reckoning.one),), ends, attack)


def gather(rules: Rules[State], begins: Sequence[Ending], ends: Sequence[Ending], attack: Attack) -> Odds:
    """Return what an assault is worth by the worlds before it and those after its shock, both of weight one in all.

    The throws that follow the shock are of one unit each and do not hang together: leaders throw last (R20).
    """
    side = begins[0].world.state.phase
    sides = (side, other(side))
    zero = begins[0].weight - begins[0].weight
    one = in_order(weight for _, weight in begins)
    win, hold, losses = zero, zero, dict.fromkeys(sides, zero)
    shaken: dict[str, Any] = {}
    known: dict[Hashable, _Fate] = {}
    for world, weight in begins:
        for each in sides:
            losses[each] += weight * _combat_steps(world.state, each)
    for world, weight in ends:
        state = world.state
        gone: dict[str, Any] = {}
        for each in sides:
            losses[each] -= weight * _combat_steps(state, each)
        for ident, task in _throws(world):
            unit = state.units[ident]
            alike = (task.name, unit, state.leader_bonus(unit))
            if alike not in known:
                known[alike] = _fate(rules, state, task, one)
            fate = known[alike]
            shaken[ident] = shaken.get(ident, zero) + weight * fate.bad
            losses[unit.side] += zero if unit.is_leader else weight * fate.steps
            gone[ident] = fate.gone
        if state.holder(attack.order.target) == side:
            win += weight
            none_left = one
            for unit in state.own(attack.order.target, side):
                none_left *= gone.get(unit.id, zero)
            hold += weight * (one - none_left)
    return Odds(win, hold, losses, shaken)


def _combat_steps(state: State, side: str) -> int:
    return sum(unit.steps for unit in state.units.values() if unit.side == side and not unit.is_leader)


def _throws(world: World[State]) -> Iterator[tuple[str, Task]]:
    """The throws that follow the shock, each with its unit."""
    for task in world.agenda:
        ident = task.args[1] if task.name in ("check", "victorious leader") else ""
        if ident in world.state.units:
            yield ident, task


class _Fate(NamedTuple):
    """What a throw does to its unit: the chance that it is the worse for it, the mean steps, the chance to be lost."""

    bad: Any
    steps: Any
    gone: Any


def _fate(rules: Rules[State], state: State, task: Task, one: Any) -> _Fate:
    """What a throw does, over all faces."""
    before = state.units[task.args[1]]
    fold, asked = folding(rules), rules.step(state, task)
    bad = steps = gone = one - one
    if not isinstance(asked, Roll):
        return _Fate(bad, steps, gone)
    face_share = one / asked.sides
    for face in range(1, asked.sides + 1):
        told = rules.step(state, task._replace(got=(Rolled("", 1, asked.sides, (face,)),)))
        after = fold(state, told.events).units.get(before.id) if isinstance(told, Did) else before
        bad += face_share * (after != before)
        steps += face_share * (before.steps - (0 if after is None else after.steps))
        gone += face_share * (after is None)
    return _Fate(bad, steps, gone)


# The assaults of a set of orders, each weighed when its turn comes: over all dice of what is ordered before it.
#
# The orders are run as the phase will run them, on what their seat sees; the other side keeps to the default doctrine.


_MARK = Task("assault is over")
"""Stands behind an assault in the agenda of a world in which it is weighed; no rule knows it."""


class Ordered(NamedTuple):
    """Orders of the side whose phase it is, and the position that it sees; `begun` if letters of the phase came before.

    The position is that before the phase, or after those letters.
    """

    view: State
    orders: Orders
    begun: bool = False


class InTurn(NamedTuple):
    """An assault of the orders: its line, out of which space, how likely it is that it begins, and its odds if it does.

    `odds` is None if it never begins.
    """

    line: int
    attack: Attack
    share: Any
    odds: Odds | None


def assaults(actions: Iterable[Action]) -> Iterator[tuple[str, Assault]]:
    """The assaults and charges in orders, each with the space out of which it is made, as they are written."""
    for space, action in placed(actions):
        if isinstance(action, Assault):
            yield space, action


class _Phase(NamedTuple):
    """What stays the same while the orders are run: rules, the position before them, decisions, how states differ.

    With `plays` they are played so many times, not over all dice.
    """

    rules: Rules[State]
    start: State
    own: Doctrine
    key: Callable[[State], Hashable]
    plays: int = 0

    def run(self, starts: Sequence[Ending], until: Callable[[World[State]], bool], step: Callable[[], None]) -> Any:
        """Run worlds over all dice until each is at its end."""
        course = Course(starts[0].world, self.key, until)
        return onward(self.rules, starts, course, self.own, Reckoning(step=step, plays=self.plays))


def in_turn(
    rules: Rules[State], ordered: Ordered, own: Doctrine, purse: Purse, plays: int = 0
) -> tuple[list[InTurn], bool]:
    """Return the assaults in the order in which they come, and whether they are all; the purse may not do for all.

    With `plays` the orders are played so many times, which costs less where much leads to much, and is about right.
    """
    view, orders, begun = ordered
    tasks = SETS.own(alone(orders.actions))
    world = World(view.change(stopped=False), tasks) if begun else World(view, (Task("begin phase"), *tasks))
    phase = _Phase(rules, world.state, own, apart(world.state, parts_of(State)), plays)
    name = (view.edition.digest, view.key(), orders.actions, orders.standing, begun, plays)
    found: list[InTurn] = []
    waiting: tuple[Ending, ...] = (Ending(world, 1.0),)
    passed: frozenset[int] = frozenset()
    wanted = {order.line for _, order in assaults(orders.actions)}
    while waiting and not wanted <= passed:
        there = purse.pay((*name, "reach", passed), partial(_reach, phase, waiting, passed))
        if there is None:
            return found, False
        lines = sorted({world.agenda[0].args[0].line for world, _ in there})
        if not lines:
            break
        weighed = purse.pay((*name, "weigh", passed), partial(_weigh, phase, there, lines[0]))
        if weighed is None:
            return found, False
        one, waiting = weighed
        found.append(one)
        passed |= {lines[0]}
    return found, True


def _reach(
    phase: _Phase, starts: Sequence[Ending], passed: frozenset[int], step: Callable[[], None]
) -> tuple[Ending, ...]:
    """The worlds in which another assault is about to begin; where STOP IF has struck none does."""

    def at_one(world: World[State]) -> bool:
        return (
            not world.state.stopped
            and world.agenda[0].name == "assault order"
            and world.agenda[0].args[0].line not in passed
        )

    return tuple(end for end in phase.run(starts, at_one, step) if end.world.agenda)


def _weigh(
    phase: _Phase, there: Sequence[Ending], line: int, step: Callable[[], None]
) -> tuple[InTurn, tuple[Ending, ...]]:
    """The assault of a line where it is about to begin, and all worlds after it; the others go on as they are."""
    begins: list[Ending] = []
    others: list[Ending] = []
    (attack,) = {Attack(*end.world.agenda[0].args) for end in there if end.world.agenda[0].args[0].line == line}
    for end in there:
        task = end.world.agenda[0]
        legal = task.args[0].line == line and problem(end.world.state, *task.args) is None
        (begins if legal else others).append(end)
    if not begins:
        return InTurn(line, attack, 0.0, None), tuple(others)
    share = in_order(end.weight for end in begins)
    ends = [after for some in _alike(begins, attack) for after in _fought(phase, some, attack, step)]
    odds = gather(
        phase.rules, [Ending(w, p / share) for w, p in begins], [Ending(w, p / share) for w, p in ends], attack
    )
    after = (
        Ending(World(world.state, tuple(t for t in world.agenda if t != _MARK), world.used), weight)
        for world, weight in ends
    )
    return InTurn(line, attack, share, odds), (*others, *after)


def _alike(begins: Sequence[Ending], attack: Attack) -> list[list[Ending]]:
    """The worlds before an assault by how many there were between the same spaces before."""
    groups: dict[int, list[Ending]] = {}
    for end in begins:
        groups.setdefault(end.world.state.bouts.get(attack.pair, 0), []).append(end)
    return list(groups.values())


def _fought(phase: _Phase, begins: Sequence[Ending], attack: Attack, step: Callable[[], None]) -> tuple[Ending, ...]:
    """The worlds after the shock, with what follows it still to be done."""
    before = begins[0].world.state.bouts.get(attack.pair, 0)

    def over(world: World[State]) -> bool:
        state = world.state
        return world.agenda[0] == _MARK or (state.fight is None and state.bouts.get(attack.pair, 0) > before)

    marked = [
        Ending(World(world.state, (world.agenda[0], _MARK, *world.agenda[1:]), world.used), weight)
        for world, weight in begins
    ]
    ends: tuple[Ending, ...] = phase.run(marked, over, step)
    return ends


# C10 What each answer to a question is worth: the fight that it belongs to, run to its end over all dice.


def answer_stakes(
    rules: Rules[State], world: World[State], asked: Sequence[Asked], standing: Sequence[Rule], purse: Purse
) -> tuple[tuple[Msg | None, ...], ...]:
    """Return a sentence for each answer to each question, None where the purse does not do.

    `world` is what the seat that is asked sees; the orders that are still to come are nobody's business yet, and what
    the enemy keeps sealed is taken to be the default (C10a).
    """
    if not asked or not world.agenda:
        return ()
    seat = asked[0].window.seat
    side, own = world.state.edition.seats[seat], Doctrine({seat: standing})
    later = (*ORDER_TASKS, *AFTER_ORDERS)
    fight = tuple(takewhile(lambda task: task.name not in later, world.agenda))
    if not fight:
        return ()

    def weigh(there: World[State], doctrine: Doctrine = own) -> Msg | None:
        name = (there.state.edition.digest, there.state.key(), there.agenda, doctrine, side)
        ends = purse.pay(name, partial(_run, rules, there, doctrine))
        return None if ends is None else _told(world.state, ends, side)

    begin = _sealed(World(world.state, fight, world.used), side)
    rows = weigh_answers(rules, begin, asked, own, weigh)
    for one in asked[len(rows) :]:
        # It comes up after dice, so that the answer is given beforehand.
        answers = ({one.window.id: option.value} for option in one.question.options)
        rows.append([weigh(begin, Doctrine(own.standing, given)) for given in answers])
    return tuple(tuple(row) for row in rows)


def _sealed(world: World[State], side: str) -> World[State]:
    """O8.2, O8.3, R17, O8.4.4 The world with what the enemy's order of assault says by the default in its place."""
    state = world.state
    if state.fight is not None:
        state = state.change(fight=_by_default(state, state.fight, side))
    agenda = tuple(
        task._replace(args=(_by_default(state, Fight(*task.args[0]), side),)) if task.name == "begin" else task
        for task in world.agenda
    )
    return World(state, agenda, world.used)


def _by_default(state: State, fight: Fight, side: str) -> Fight:
    """A fight of the enemy's as one knows it; vanguards are open once the defender has named his."""
    if fight.side == side:
        return fight
    fight = fight._replace(losses=(), detach=())
    if fight.enemy_vanguard:
        return fight
    units = [state.units[ident] for ident in fight.stack if ident in state.units]
    vanguard = default_vanguard([unit for unit in units if unit.is_combat], frozenset())
    screen = default_screen(units, vanguard)
    return fight._replace(vanguard=vanguard, screen="" if screen == "NONE" else screen)


def _run(rules: Rules[State], there: World[State], own: Doctrine, step: Callable[[], None]) -> tuple[Ending, ...]:
    course = Course(there, apart(there.state, parts_of(State)))
    return spread(rules, course, own, Reckoning(step=step))


def _told(before: State, ends: Sequence[Ending], side: str) -> Msg:
    """Who has the space at the end, and what it costs both."""
    lost = {
        each: decimal(_steps(before, each) - in_order(weight * _steps(world.state, each) for world, weight in ends))
        for each in (side, other(side))
    }
    shaken = in_order(weight * _shaken(before, world.state, side) for world, weight in ends)
    gaps = {"own": lost[side], "enemy": lost[other(side)], "shaken": decimal(shaken)}
    if before.fight is None:
        return msg("steps lost: you {own}, the enemy {enemy}; shaken or lost: {shaken}", **gaps)
    target = before.fight.target
    ours = in_order(weight for world, weight in ends if world.state.holder(target) == side)
    return msg(
        "{space} yours {share} %; steps lost: you {own}, the enemy {enemy}; shaken or lost: {shaken}",
        space=target,
        share=percent(ours),
        **gaps,
    )


def _shaken(before: State, after: State, side: str) -> int:
    """How many units of a side are demoralised by then and were not, or are lost."""
    mine = [unit for unit in before.units.values() if unit.side == side and not unit.demoralised]
    return sum((now := after.units.get(unit.id)) is None or now.demoralised for unit in mine)


def _steps(state: State, side: str) -> int:
    return sum(unit.steps for unit in state.units.values() if unit.side == side)
