"""O8.8 The shock: two dice, the modifiers of C8.1, losses by both, and who gives way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.memory import lately
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.charts import Applied, Bound
from pbem.engine.reasons import ChartRead, Teller
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.africa1860.assault import break_off, fighters
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.legality import over_parapet
from pbem.games.africa1860.state import CAVALRY, COMBAT, SIDE_NAMES, Fight, State, Unit, best_leader, of_side, other

TWICE, THRICE = 2, 3
"""C8.1.2, C8.1.3 Times the enemy's steps that a side needs."""


class Clash(NamedTuple):
    """What the modifiers of C8.1 look at, from one side: its vanguard, both strengths in steps, the ground.

    `slope` is true when the attackers come up one, `parapet` when they come over one from outside (C11.2); `edge` is
    the kind of the last edge.
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
        """Cavalry leads the attack."""
        return self.attacks and self.vanguard.code == CAVALRY


def _defends(terrain: str) -> Callable[[Clash], bool]:
    return lambda clash: not clash.attacks and clash.terrain == terrain


def _crossed(edge: str) -> Callable[[Clash], bool]:
    return lambda clash: not clash.attacks and clash.edge == edge


def _rides_into(terrain: str) -> Callable[[Clash], bool]:
    return lambda clash: clash.rides and clash.terrain == terrain


SHOCK_MODIFIERS: Mapping[str, Callable[[Clash], bool]] = {
    "C8.1.1": lambda clash: clash.vanguard.demoralised,
    "C8.1.2": lambda clash: TWICE * clash.enemy_steps <= clash.steps < THRICE * clash.enemy_steps,
    "C8.1.3": lambda clash: clash.steps >= THRICE * clash.enemy_steps,
    "C8.1.4": _defends("town"),
    "C8.1.5": _defends("fortified"),
    "C8.1.6": _defends("heights"),
    "C8.1.7": lambda clash: not clash.attacks and clash.slope and clash.terrain != "heights",
    "C8.1.8": _crossed("ford"),
    "C8.1.9": _crossed("bridge"),
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
_modifiers = Bound("shock", SHOCK_MODIFIERS, later=("C8.1.18", "C8.1.19"))


def shock(state: State, task: Task) -> Outcome:
    """O8.8 Both throw; the higher total wins, a tie is the defender's (O8.8.1); losses follow."""
    fight = state.fight
    if fight is None:
        return Did()
    if not fight.enemy_vanguard:
        if not fighters(state, fight, fight.side):
            return Did(break_off(state, fight, "R16"))
        return Did((), (Task("give way", (other(fight.side), "falls")),))
    if len(task.got) < 2:
        return Roll(fight.address, ("shock attacker", "shock defender")[len(task.got)], 1, 6)
    enemy = other(fight.side)
    faces = (die(task, 0)[1], die(task, 1)[1])
    own, theirs = _footings(state)
    sides = (_strength(own, die(task, 0)), _strength(theirs, die(task, 1)))
    totals = (sides[0].data["total"], sides[1].data["total"])
    winner, loser = (fight.side, enemy) if totals[0] > totals[1] else (enemy, fight.side)
    told = event("shock", "O8.8.1", totals=list(totals), dice=list(faces), winner=winner, loser=loser, side=winner)
    thrown = event("dice", "O8.8", side=fight.side, dice=list(faces))
    climbed = over_parapet(state, fight.last_from, fight.target)
    wall = (event("parapet", "C11.2", side=enemy, space=fight.target),) if climbed else ()
    return Did((thrown, *wall, *sides, told), (Task("losses", (loser, abs(faces[0] - faces[1]))),))


def losses(state: State, task: Task) -> Outcome:
    """O8.8.2-3 Both sides lose steps, the loser of the shock more; then he gives way.

    Arguments: the side that lost, and the difference of the two dice as thrown.
    """
    fight = state.fight
    loser, apart = task.args
    if fight is None:
        return Did()
    enemy, winner = other(fight.side), other(loser)
    if not task.got:
        options = [unit.id for unit in fighters(state, fight, enemy)]
        return Ask(Window(fight.address, "losses", state.answering(fight.target, enemy), "", tuple(options)))
    ordered = choice(task, 0)
    halves = halves_of_basis(state, fight)
    events: list[Event] = [_basis(state, fight, halves)]
    for side, cite, extra in ((loser, "O8.8.2", apart), (winner, "O8.8.3", apart // 2)):
        wanted = fight.losses if side == fight.side else ordered.value
        by = "" if side == fight.side or not ordered.value else ordered.by
        events += _losses(state, fight, _Loss(side, cite, halves[side], extra, wanted, by))
    leader = _leading(state, fight, winner)
    then: tuple[Task, ...] = (Task("give way", (loser, "loses")),)
    if leader is not None:
        events.append(event("victor", "R19", side=winner, unit=leader.id))
        then += (Task("victorious leader", (fight.address, leader.id)),)
    return Did(tuple(events), then)


def _basis(state: State, fight: Fight, halves: Mapping[str, int]) -> Event:
    """R24, C0 Whose steps the losses are counted from: the defender's combat units and guns, or the option's."""
    basis = state.edition.options["loss_basis"]
    cite = "R24" if basis == "defender-stack" else "C0"
    return event("basis", cite, side=fight.side, basis=basis, halves=list(halves.values()))


class _Footing(NamedTuple):
    """C8.1 What a side's die is added to: its vanguard, its leader if it has one, the modifiers, and the sum of all."""

    side: str
    vanguard: Unit
    leader: Unit | None
    modifiers: tuple[Applied, ...]
    total: int


@lately("edition", "units", "fight")
def _footings(state: State) -> tuple[_Footing, _Footing]:
    """C8.1 What the attacker and the defender of the assault add to their dice."""
    fight = state.fight
    if fight is None:
        raise ValueError("no assault is in progress")
    enemy = other(fight.side)
    steps = {side: sum([unit.steps for unit in fighters(state, fight, side)]) for side in (fight.side, enemy)}
    return _footing(state, fight, fight.side, steps), _footing(state, fight, enemy, steps)


def _footing(state: State, fight: Fight, side: str, steps: Mapping[str, int]) -> _Footing:
    attacks = side == fight.side
    vanguard = state.units[fight.vanguard if attacks else fight.enemy_vanguard]
    leader = _leading(state, fight, side)
    edge = state.edition.map.edge(fight.last_from, fight.target)
    clash = Clash(
        attacks,
        vanguard,
        steps[side],
        steps[other(side)],
        state.terrain(fight.target),
        edge.kind,
        edge.kind == "slope" and edge.b == fight.target,
        over_parapet(state, fight.last_from, fight.target),
    )
    applied = _modifiers(state.edition).of(clash)
    bonus = 0 if leader is None else leader.assault
    return _Footing(side, vanguard, leader, applied, vanguard.assault + bonus + sum([item.value for item in applied]))


def _strength(footing: _Footing, thrown: tuple[str, int]) -> Event:
    """C8.1 One side's die and everything added to it."""
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
    """C8.1, R19 The attacker's leading leader; the defender's best leader in the space."""
    if side == fight.side:
        return state.units.get(fight.leader)
    return best_leader(state.own(fight.target, side))


def halves_of_basis(state: State, fight: Fight) -> dict[str, int]:
    """O8.8.2-3, R24 Return for each side half of the steps that its losses are counted from, the attacker's first.

    By the option `loss_basis`: what the defender has in the space, his vanguard alone, or what each side faces.
    """
    defender, units = other(fight.side), state.units
    basis = state.edition.options["loss_basis"]
    if basis == "defender-vanguard":
        half = units[fight.enemy_vanguard].steps // 2
    else:
        here = state.own(fight.target, defender)
        half = sum([u.steps for u in here if u.code in COMBAT or u.code == "ART"]) // 2
    if basis != "opponent-stack":
        return {fight.side: half, defender: half}
    return {fight.side: half, defender: sum([u.steps for u in fighters(state, fight, fight.side)]) // 2}


class _Loss(NamedTuple):
    """O8.8.2, O8.8.3 What a side loses: half the basis, what the dice add; whom it wants to suffer, and who says so."""

    side: str
    cite: str
    half: int
    dice: int
    wanted: Sequence[str]
    by: str

    @property
    def steps(self) -> int:
        """All that is to be lost."""
        return self.half + self.dice


def _losses(state: State, fight: Fight, loss: _Loss) -> list[Event]:
    """O8.8.2, O8.8.3 The loss of one side: half the basis and what the dice add, spread over its units (R17)."""
    side = loss.side
    vanguard = fight.vanguard if side == fight.side else fight.enemy_vanguard
    units = fighters(state, fight, side)
    more = {"by": loss.by} if loss.by else {}
    events = [event("losses", loss.cite, side=side, half=loss.half, dice=loss.dice, steps=loss.steps, **more)]
    for ident, taken in apportion({unit.id: unit.steps for unit in units}, vanguard, loss.wanted, loss.steps).items():
        left = state.units[ident].steps - taken
        rule = loss.cite if ident == vanguard else "R17"
        events.append(event("loses", rule, unit=ident, side=side, steps=taken, left=left))
    return events


def apportion(steps: Mapping[str, int], vanguard: str, wanted: Sequence[str], total: int) -> dict[str, int]:
    """R17 Return the steps each unit loses out of `total`.

    The first falls on the vanguard; each further one on the first unit of `wanted` that has any left, then on the unit
    with the most, the vanguard last among equals, then by id. What the stack does not have is not lost.
    """
    left = dict(steps)
    total = min(total, sum(steps.values()))
    if total > 0:
        left[vanguard] -= 1
        total -= 1
    for ident in wanted:
        if taken := min(total, left.get(ident, 0)):
            left[ident] -= taken
            total -= taken
    for _ in range(total):
        hit = min([(-n, i == vanguard, i) for i, n in left.items() if n > 0])[-1]
        left[hit] -= 1
    return {ident: steps[ident] - left[ident] for ident in sorted(steps) if left[ident] < steps[ident]}


# What reports say of it, and the chart that WHY shows.


def _won(data: Data, before: State) -> Msg:
    (a, b), side = data["totals"], SIDE_NAMES[data["side"]]
    return msg("attacker {a}, defender {b}: {side} wins", a=a, b=b, side=side)


HEADS: Mapping[str, Teller] = {
    "dice": lambda data, before: msg("Shock: {a} against {b}.", a=data["dice"][0], b=data["dice"][1]),
}
DETAILS: Mapping[str, Teller] = {
    "strength": of_side(msg("{side}: die {die}, {unit} {factor}, leader {bonus}, in all {total}")),
    "shock": _won,
    "losses": of_side(msg("{side} loses steps: {half} (half the steps) + {dice} (dice) = {steps}")),
}
OUTCOMES = frozenset({"shock"})
READ: Mapping[str, Callable[[Edition, Data], ChartRead]] = {
    "strength": lambda edition, data: ChartRead("shock", (), data["modifiers"]),
}
