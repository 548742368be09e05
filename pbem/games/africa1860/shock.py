"""Resolve the shock, its modifiers, losses and retreats, and an assault's odds.

Rules: O8.8, C8.1.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.memory import cache_last
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.sums import sum_in_order
from pbem.engine.map.charts import AppliedModifier, EditionModifiers
from pbem.engine.reasons import ChartRead, Reads, Teller
from pbem.engine.run.odds import FLOATS, Ending, Experiment, Reckoning, StepBudget, changes, spread
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Rolled, Rules, Task, Window, World, choice, die, fold_of
from pbem.games.africa1860.assault import break_off, units_in_fight
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.edition import GAME_FILES
from pbem.games.africa1860.legality import crosses_parapet
from pbem.games.africa1860.orders import Assault
from pbem.games.africa1860.state import (
    CAVALRY,
    COMBAT_CODES,
    SIDE_NAMES,
    Fight,
    State,
    Unit,
    best_leader,
    enemy_of,
    of_side,
)

TWICE, THRICE = 2, 3
"""C8.1.2, C8.1.3 How many times the enemy's steps a side needs."""


class ShockFacts(NamedTuple):
    """The facts of C8.1's modifiers on one side: vanguard, strengths, ground.

    `slope` is whether the attackers come up a slope, `parapet` whether they cross a parapet from outside (C11.2);
    `edge` is the kind of the last edge.
    """

    attacks: bool
    vanguard: Unit
    steps: int
    enemy_steps: int
    terrain: str
    edge: str
    slope: bool
    parapet: bool

    @property
    def rides(self) -> bool:
        """Return whether cavalry leads the attack."""
        return self.attacks and self.vanguard.code == CAVALRY


def _defends(terrain: str) -> Callable[[ShockFacts], bool]:
    return lambda clash: not clash.attacks and clash.terrain == terrain


def _crosses(edge: str) -> Callable[[ShockFacts], bool]:
    return lambda clash: not clash.attacks and clash.edge == edge


def _rides_into(terrain: str) -> Callable[[ShockFacts], bool]:
    return lambda clash: clash.rides and clash.terrain == terrain


SHOCK_MODIFIERS: Mapping[str, Callable[[ShockFacts], bool]] = {
    "C8.1.1": lambda clash: clash.vanguard.demoralised,
    "C8.1.2": lambda clash: TWICE * clash.enemy_steps <= clash.steps < THRICE * clash.enemy_steps,
    "C8.1.3": lambda clash: clash.steps >= THRICE * clash.enemy_steps,
    "C8.1.4": _defends("town"),
    "C8.1.5": _defends("fortified"),
    "C8.1.6": _defends("heights"),
    "C8.1.7": lambda clash: not clash.attacks and clash.slope and clash.terrain != "heights",
    "C8.1.8": _crosses("ford"),
    "C8.1.9": _crosses("bridge"),
    "C8.1.10": _defends("woods"),
    "C8.1.11": _rides_into("town"),
    "C8.1.12": _rides_into("fortified"),
    "C8.1.13": _rides_into("marsh"),
    "C8.1.14": _rides_into("woods"),
    "C8.1.15": _rides_into("heights"),
    "C8.1.16": _rides_into("clear"),
    "C8.1.17": _rides_into("beach"),
    "C8.1.18": lambda clash: not clash.attacks and clash.parapet,
    "C8.1.19": lambda clash: clash.rides and clash.parapet,
}
_modifiers = EditionModifiers("shock", SHOCK_MODIFIERS, ("C8.1.18", "C8.1.19"), GAME_FILES.facts["shock"])


def resolve_shock(state: State, task: Task) -> Outcome:
    """Throw for both sides; the higher total wins, a tie is the defender's.

    Rules: O8.8, O8.8.1.
    """
    fight = state.fight
    if fight is None:
        return Did()
    if not fight.enemy_vanguard:
        if not units_in_fight(state, fight, fight.side):
            return Did(break_off(state, fight, "R16"))
        return Did((), (Task("give way", (enemy_of(fight.side), "falls")),))
    if len(task.got) < 2:
        return Roll(fight.address, ("shock attacker", "shock defender")[len(task.got)], 1, 6)
    enemy = enemy_of(fight.side)
    faces = (die(task, 0)[1], die(task, 1)[1])
    own, theirs, wall = _clash(state)
    sides = (own(die(task, 0)), theirs(die(task, 1)))
    totals = (sides[0].data["total"], sides[1].data["total"])
    winner, loser = (fight.side, enemy) if totals[0] > totals[1] else (enemy, fight.side)
    shock_event = event(
        "shock", "O8.8.1", totals=list(totals), dice=list(faces), winner=winner, loser=loser, side=winner
    )
    thrown = event("dice", "O8.8", side=fight.side, dice=list(faces))
    return Did((thrown, *wall, *sides, shock_event), (Task("losses", (loser, abs(faces[0] - faces[1]))),))


def take_losses(state: State, task: Task) -> Outcome:
    """O8.8.2-3 Take both sides' losses, then let the loser give way.

    Arguments: the side that lost, and the difference of the two dice as thrown.
    """
    fight = state.fight
    loser, apart = task.args
    if fight is None:
        return Did()
    enemy, winner = enemy_of(fight.side), enemy_of(loser)
    if not task.got:
        options = [unit.id for unit in units_in_fight(state, fight, enemy)]
        return Ask(Window(fight.address, "losses", state.answering(fight.target, enemy), "", tuple(options)))
    losses_answer = choice(task, 0)
    halves = halves_of_basis(state, fight)
    events: list[Event] = [_basis(state, fight, halves)]
    for side, cite, extra in ((loser, "O8.8.2", apart), (winner, "O8.8.3", apart // 2)):
        preferred = fight.losses if side == fight.side else losses_answer.value
        by = "" if side == fight.side or not losses_answer.value else losses_answer.by
        events += _losses(state, fight, _Loss(side, cite, halves[side], extra, preferred, by))
    leader = _leading(state, fight, winner)
    next_tasks: tuple[Task, ...] = (Task("give way", (loser, "loses")),)
    if leader is not None:
        events.append(event("victor", "R19", side=winner, unit=leader.id))
        next_tasks += (Task("victorious leader", (fight.address, leader.id)),)
    return Did(tuple(events), next_tasks)


def _basis(state: State, fight: Fight, halves: Mapping[str, int]) -> Event:
    """R24, C0 Return the event naming the units from whose steps losses are counted.

    They are the defender's combat units and guns, unless the option says otherwise.
    """
    basis = state.edition.options["loss_basis"]
    cite = "R24" if basis == "defender-stack" else "C0"
    return event("basis", cite, side=fight.side, basis=basis, halves=list(halves.values()))


class _Footing(NamedTuple):
    """C8.1 What is added to a side's die: vanguard, leader, modifiers."""

    side: str
    vanguard: Unit
    leader: Unit | None
    modifiers: tuple[AppliedModifier, ...]
    total: int


class _Clash(NamedTuple):
    """The part of a shock that no die changes: strengths by die, and the wall."""

    own: Callable[[tuple[str, int]], Event]
    theirs: Callable[[tuple[str, int]], Event]
    wall: tuple[Event, ...]


@cache_last("edition", "units", "fight")
def _clash(state: State) -> _Clash:
    """C8.1 Return how both sides' dice count, each face counted once."""
    fight = state.fight
    if fight is None:
        raise ValueError("no assault is in progress")
    enemy = enemy_of(fight.side)
    steps = {side: sum([unit.steps for unit in units_in_fight(state, fight, side)]) for side in (fight.side, enemy)}
    own, theirs = (cache(partial(_strength, _footing(state, fight, side, steps))) for side in steps)
    climbed = crosses_parapet(state, fight.last_from, fight.target)
    return _Clash(own, theirs, (event("parapet", "C11.2", side=enemy, space=fight.target),) if climbed else ())


def _footing(state: State, fight: Fight, side: str, steps: Mapping[str, int]) -> _Footing:
    attacks = side == fight.side
    vanguard = state.units[fight.vanguard if attacks else fight.enemy_vanguard]
    leader = _leading(state, fight, side)
    edge = state.edition.map.edge(fight.last_from, fight.target)
    clash = ShockFacts(
        attacks,
        vanguard,
        steps[side],
        steps[enemy_of(side)],
        state.terrain(fight.target),
        edge.kind,
        edge.kind == "slope" and edge.b == fight.target,
        crosses_parapet(state, fight.last_from, fight.target),
    )
    applied = _modifiers(state.edition).of(clash)
    bonus = 0 if leader is None else leader.assault
    return _Footing(side, vanguard, leader, applied, vanguard.assault + bonus + sum([item.value for item in applied]))


def _strength(footing: _Footing, thrown: tuple[str, int]) -> Event:
    """C8.1 Return one side's die with everything added to it."""
    side, vanguard, leader, modifiers, total = footing
    label, value = thrown
    return event(
        "strength",
        "C8.1",
        side=side,
        unit=vanguard.id,
        label=label,
        die=value,
        factor=vanguard.assault,
        leader="" if leader is None else leader.id,
        bonus=0 if leader is None else leader.assault,
        modifiers=[*map(list, modifiers)],
        total=value + total,
    )


def _leading(state: State, fight: Fight, side: str) -> Unit | None:
    """C8.1, R19 Return the attacker's leading leader, or the defender's best leader."""
    if side == fight.side:
        return state.units.get(fight.leader)
    return best_leader(state.own(fight.target, side))


def halves_of_basis(state: State, fight: Fight) -> dict[str, int]:
    """O8.8.2-3, R24 Return by side half of the steps that its losses come from.

    The attacker comes first. The option `loss_basis` says which steps these are: those of the defender in the
    space, those of his vanguard alone, or those that each side faces.
    """
    defender, units = enemy_of(fight.side), state.units
    basis = state.edition.options["loss_basis"]
    if basis == "defender-vanguard":
        half = units[fight.enemy_vanguard].steps // 2
    else:
        units_here = state.own(fight.target, defender)
        half = sum([u.steps for u in units_here if u.code in COMBAT_CODES or u.code == "ART"]) // 2
    if basis != "opponent-stack":
        return {fight.side: half, defender: half}
    return {fight.side: half, defender: sum([u.steps for u in units_in_fight(state, fight, fight.side)]) // 2}


class _Loss(NamedTuple):
    """O8.8.2, O8.8.3 A side's loss: half the basis and what the dice add.

    It also has the units that the owner wants to take it, and the source of that wish.
    """

    side: str
    cite: str
    half: int
    dice: int
    wanted: Sequence[str]
    by: str

    @property
    def steps(self) -> int:
        """Return all steps to be lost."""
        return self.half + self.dice


def _losses(state: State, fight: Fight, loss: _Loss) -> list[Event]:
    """O8.8.2, O8.8.3 Spread a side's loss over its units (R17).

    It is half the basis and what the dice add.
    """
    side = loss.side
    vanguard = fight.vanguard if side == fight.side else fight.enemy_vanguard
    units = units_in_fight(state, fight, side)
    more = {"by": loss.by} if loss.by else {}
    events = [event("losses", loss.cite, side=side, half=loss.half, dice=loss.dice, steps=loss.steps, **more)]
    for ident, taken in apportion_losses(
        {unit.id: unit.steps for unit in units}, vanguard, loss.wanted, loss.steps
    ).items():
        remaining = state.units[ident].steps - taken
        rule = loss.cite if ident == vanguard else "R17"
        events.append(event("loses", rule, unit=ident, side=side, steps=taken, left=remaining))
    return events


def apportion_losses(steps: Mapping[str, int], vanguard: str, wanted: Sequence[str], total: int) -> dict[str, int]:
    """R17 Return the steps each unit loses out of `total`.

    The first falls on the vanguard; each further one on the first unit of `wanted` that has any left, then on the
    unit with the most, the vanguard last among equals, then by id. Steps that the stack does not have are not lost.
    """
    remaining = dict(steps)
    total = min(total, sum(steps.values()))
    if total > 0:
        remaining[vanguard] -= 1
        total -= 1
    for ident in wanted:
        if taken := min(total, remaining.get(ident, 0)):
            remaining[ident] -= taken
            total -= taken
    for _ in range(total):
        hit = min([(-n, i == vanguard, i) for i, n in remaining.items() if n > 0])[-1]
        remaining[hit] -= 1
    return {ident: steps[ident] - remaining[ident] for ident in sorted(steps) if remaining[ident] < steps[ident]}


# What reports say of it, and the chart that WHY shows.


def _shock_text(data: Data, before: State) -> Msg:
    (a, b), side = data["totals"], SIDE_NAMES[data["side"]]
    return msg("attacker {a}, defender {b}: {side} wins", a=a, b=b, side=side)


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "dice": lambda data, before: msg("Shock: {a} against {b}.", a=data["dice"][0], b=data["dice"][1]),
}
DETAIL_SENTENCES: Mapping[str, Teller] = {
    "strength": of_side(msg("{side}: die {die}, {unit} {factor}, leader {bonus}, in all {total}")),
    "shock": _shock_text,
    "losses": of_side(msg("{side} loses steps: {half} (half the steps) + {dice} (dice) = {steps}")),
}
OUTCOME_KINDS = frozenset({"shock"})
CHART_READS: Mapping[str, Reads] = {
    "strength": lambda edition, data: ChartRead("shock", (), data["modifiers"]),
}


# The odds of one assault: the rules run over all dice, from the order to the last throw after the shock.


class Odds(NamedTuple):
    """The odds of an assault, as probabilities and mean numbers of steps.

    `win`: the attackers hold the space after the shock; `hold`: they also hold it after the throws that follow
    (O8.8.7, O8.8.8); `take_losses`: mean steps lost by side, to the end; `shaken`: for each unit, the chance to end
    demoralised, to lose a step in those throws, or to be lost.
    """

    win: Any
    hold: Any
    losses: Mapping[str, Any]
    shaken: Mapping[str, Any]


def position_key(start: State) -> Callable[[State], Hashable]:
    """Return a function that keys positions by all an assault can change or ask.

    The positions come after `start`.
    """
    changed = changes(start.units)
    return lambda state: (changed(state.units), state.fight, tuple(state.uses.items()) if state.uses else ())


class Attack(NamedTuple):
    """O8 An assault or charge as ordered, from an activated space."""

    order: Assault
    space: str

    @property
    def pair(self) -> str:
        """Return the two spaces by which an assault is named."""
        return f"{self.space}>{self.order.target}"


def is_over(start: State, pair: str) -> Callable[[World[State]], bool]:
    """Return whether the first assault between two spaces since `start` is over."""
    before = start.bouts.get(pair, 0)
    return lambda world: world.state.fight is None and world.state.bouts.get(pair, 0) > before


def assault_odds(
    rules: Rules[State], state: State, attack: Attack, doctrine: Doctrine, reckoning: Reckoning = FLOATS
) -> Odds:
    """Return the odds of an order that is legal in `state`.

    `doctrine` answers for the attacker's side, the default (C10) for the enemy.
    """
    start = state.change(fight=None)
    world = World(start, (Task("assault order", (attack.order, attack.space)),))
    ends = spread(rules, Experiment(world, position_key(start), is_over(start, attack.pair)), doctrine, reckoning)
    return gather_odds(rules, (Ending(world, reckoning.one),), ends, attack)


def chance_alone(
    rules: Rules[State], state: State, attack: Attack, doctrine: Doctrine, purse: StepBudget
) -> float | None:
    """Return how often an assault alone holds its space; None without budget.

    The space counts as activated.
    """
    activated = state.change(used=(*state.used, attack.space))
    key = (
        "alone",
        state.edition.digest,
        activated.key(),
        attack,
        tuple((seat, *rules) for seat, rules in doctrine.standing.items()),
    )

    def weigh(step: Callable[[], None]) -> float:
        return float(assault_odds(rules, activated, attack, doctrine, Reckoning(step=step)).hold)

    return purse.pay(key, weigh)


def gather_odds(rules: Rules[State], begins: Sequence[Ending], ends: Sequence[Ending], attack: Attack) -> Odds:
    """Return an assault's odds by the worlds before it and after its shock.

    The worlds of each have a total weight of one.

    The throws that follow the shock concern one unit each and are independent, because leaders throw last (R20).
    """
    side = begins[0].world.state.phase
    sides = (side, enemy_of(side))
    zero = begins[0].weight - begins[0].weight
    total = sum_in_order(weight for _, weight in begins)
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
        for ident, task in _later_throws(world):
            unit = state.units[ident]
            alike = (task.name, unit, state.leader_bonus(unit))
            if alike not in known:
                known[alike] = _fate(rules, state, task, total)
            fate = known[alike]
            shaken[ident] = shaken.get(ident, zero) + weight * fate.bad
            losses[unit.side] += zero if unit.is_leader else weight * fate.steps
            gone[ident] = fate.gone
        if state.holder(attack.order.target) == side:
            win += weight
            none_left = total
            for unit in state.own(attack.order.target, side):
                none_left *= gone.get(unit.id, zero)
            hold += weight * (total - none_left)
    return Odds(win, hold, losses, shaken)


def _combat_steps(state: State, side: str) -> int:
    return sum(unit.steps for unit in state.units.values() if unit.side == side and not unit.is_leader)


def _later_throws(world: World[State]) -> Iterator[tuple[str, Task]]:
    """Return the throws that follow the shock, each with its unit."""
    for task in world.agenda:
        ident = task.args[1] if task.name in ("check", "victorious leader") else ""
        if ident in world.state.units:
            yield ident, task


class _Fate(NamedTuple):
    """The effect of a throw on a unit: chance of harm, mean steps, chance of loss."""

    bad: Any
    steps: Any
    gone: Any


def _fate(rules: Rules[State], state: State, task: Task, certainty: Any) -> _Fate:
    """Return a throw's effect over all faces."""
    before = state.units[task.args[1]]
    fold, asked = fold_of(rules), rules.step(state, task)
    bad = steps = gone = certainty - certainty
    if not isinstance(asked, Roll):
        return _Fate(bad, steps, gone)
    face_share = certainty / asked.sides
    for face in range(1, asked.sides + 1):
        outcome = rules.step(state, task._replace(got=(Rolled("", 1, asked.sides, (face,)),)))
        after = fold(state, outcome.events).units.get(before.id) if isinstance(outcome, Did) else before
        bad += face_share * (after != before)
        steps += face_share * (before.steps - (0 if after is None else after.steps))
        gone += face_share * (after is None)
    return _Fate(bad, steps, gone)


MOST_UNITS_SHOWN = 3
"""Units whose chance to be shaken is shown, the likeliest first. A choice: the sentence stays short."""


def odds_texts(odds: Odds, state: State, attack: Attack, about: bool = False) -> Iterator[Msg]:
    sentence = msg(
        "{where}: wins the shock {win} %, holds {space} {hold} %; steps lost on average: you {own}, the enemy {enemy}"
    )
    if about:
        sentence = msg(
            "{where}: wins the shock about {win} %, holds {space} about {hold} %; steps lost on average: you {own}, "
            "the enemy {enemy}"
        )
    yield msg(
        sentence.text,
        where=attack.pair,
        win=percent(odds.win),
        space=attack.order.target,
        hold=percent(odds.hold),
        own=decimal(odds.losses[state.phase]),
        enemy=decimal(odds.losses[enemy_of(state.phase)]),
    )
    shaken = _likeliest(odds, state)
    if shaken:
        yield msg("demoralised or lost after it: {units}", units=shaken)


def _likeliest(odds: Odds, state: State) -> tuple[Msg, ...]:
    likely = sorted(((-chance, ident) for ident, chance in odds.shaken.items() if chance >= 0.005))
    own_units = [(chance, ident) for chance, ident in likely if state.units[ident].side == state.phase]
    share, of_leader = msg("{unit} {share} %"), msg("{unit} {share} % (a leader may fall though he wins [O8.8.8])")
    texts = ((of_leader if state.units[ident].is_leader else share).text for _, ident in own_units)
    return tuple(
        msg(text, unit=ident, share=percent(-chance))
        for text, (chance, ident) in zip(texts, own_units[:MOST_UNITS_SHOWN], strict=False)
    )
