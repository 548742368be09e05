"""S5, S6 The assault: who may be ordered to, the charge tests before it, and the odds of the whole of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.commanders.sequence import join_lines, joined_event, waits
from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import parts_of
from pbem.engine.map.hexes import FRONT, direction, distance, sector
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import Teller, says
from pbem.engine.run.odds import FLOATS, Course, Ending, Reckoning, apart, changes, spread
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Rules, Task, Window, World, choice
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.morale import Trial, suffer, told_test
from pbem.games.peninsular.orders import Assault, not_carried_out, refuse_actors, tell_nobody_there
from pbem.games.peninsular.shock import no_shock, too_weak
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits, shock_letter
from pbem.games.peninsular.units import NORMAL, ROUTED, Unit, best, squares

NO_CHARGE = frozenset({"village", "city", "strong buildings", "light wood", "dense wood", "marsh"})
NO_CHARGE_ACROSS = frozenset({"stream", "ravine", "slope up"})
NO_SHOCK = ("MANOEUVRE", "REORGANISE")


def refuse_assault(state: State, order: Assault, fixed: bool) -> Refusal | None:
    """S5 Return what stands against an assault or a charge; with `fixed` only what no event can mend."""
    found = refuse_actors(state, order.units, fixed, "S5", order.jointly)
    if found is not None:
        return found
    units = [state.units[ident] for ident in order.units if ident in state.units]
    for unit in units:
        found = _kind_assaults(unit, order.verb)
        if found is not None:
            return found
    if order.leader and order.leader not in order.units:
        why = msg("{unit} leads and is not among those who assault", unit=order.leader)
        return Refusal(("S5",), why, order.leader)
    if fixed:
        return None
    if not state.foes(order.target, state.phase):
        return Refusal(("S5",), tell_nobody_there(state, order.target), order.target)
    joined = order.verb == "CHARGE" and all(unit.assault == order.target and not unit.charge for unit in units)
    if any(target == order.target for target, _ in state.assaults) and not joined:
        return Refusal(("S5",), msg("{hex} is assaulted already in this half", hex=order.target), order.target)
    for unit in units:
        found = _assailant(state, unit, order, joined)
        if found is not None:
            return found
    return None


def _kind_assaults(unit: Unit, verb: str) -> Refusal | None:
    """S5, S6, T6 Whether counters of this kind assault, or charge."""
    if unit.kind not in ("inf", "cav"):
        return Refusal(("S5", "T6"), msg("{unit} never assaults", unit=unit.id), unit.id)
    if verb == "CHARGE" and unit.kind != "cav":
        return Refusal(("S5", "S6"), msg("only cavalry charges, {unit} is none", unit=unit.id), unit.id)
    return None


def _assailant(state: State, unit: Unit, order: Assault, joined: bool) -> Refusal | None:
    """S5, S2, T1 Whether one counter may assault the hex."""
    target = order.target
    if unit.state != NORMAL:
        return Refusal(("S5",), msg("{unit} is disordered or routed", unit=unit.id), unit.id)
    if unit.assault and not joined:
        return Refusal(("S5",), msg("{unit} assaults already", unit=unit.id), unit.id)
    if unit.square:
        return Refusal(("S3", "S5"), msg("{unit} is in square", unit=unit.id), unit.id)
    if distance(unit.at, target) != 1:
        return Refusal(("S5",), msg("{unit} is not next to {hex}", unit=unit.id, hex=target), target)
    if unit.faces and sector(unit.at, unit.facing, target) != FRONT:
        return Refusal(("S5", "S3"), msg("{hex} is not in front of {unit}", hex=target, unit=unit.id), target)
    if shock_letter(state.edition, unit.at, target) == "P":
        return Refusal(("T1", "S5"), msg("{hex} cannot be assaulted from {at}", hex=target, at=unit.at), target)
    order_in_force = state.order_of(unit)
    if order_in_force in NO_SHOCK:
        return Refusal(("S2", "S5"), msg("the orders of {unit} forbid a shock", unit=unit.id), unit.id)
    if order_in_force == "HOLD" and not _met(state, unit, target):
        why = msg("{unit} has orders to hold: it assaults only who was next to it when the half began", unit=unit.id)
        return Refusal(("S2", "S5"), why, unit.id)
    return _chargeable(state, unit, target) if order.verb == "CHARGE" else None


def _met(state: State, unit: Unit, target: str) -> bool:
    foes = state.foes(target, unit.side)
    return any(distance(unit.start or unit.at, foe.start or foe.at) == 1 for foe in foes)


def _chargeable(state: State, unit: Unit, target: str) -> Refusal | None:
    """S5 Ground that no charge goes into or across."""
    ground = state.edition.map
    rough = ground.terrain(target) in NO_CHARGE
    if rough or any(row in NO_CHARGE_ACROSS for row in ground.sides(unit.at, target)):
        return Refusal(("S5", "S6"), msg("{hex} cannot be charged from {at}", hex=target, at=unit.at), target)
    return None


def tell_ground_of_charge(state: State, at: str, start: str) -> Msg:
    """S5 What ground keeps cavalry from a charge."""
    ground = state.edition.map
    why = msg("{hex} cannot be charged from {at}", hex=at, at=start)
    terrain = ground.terrain(at)
    if terrain in NO_CHARGE:
        return msg("{why}: no charge goes into {terrain}", why=why, terrain=Msg(terrain))
    sides = [SIDE_WORDS[row] for row in ground.sides(start, at) if row in NO_CHARGE_ACROSS]
    return msg("{why}: no charge goes {sides}", why=why, sides=tuple(sides)) if sides else why


SIDE_WORDS = {"stream": msg("across a stream"), "ravine": msg("across a ravine"), "slope up": msg("up a slope")}


def assault_order(state: State, task: Task) -> Outcome:
    """S5 ASSAULT, CHARGE: those named get markers against the hex."""
    order: Assault = task.args[0]
    refused = refuse_assault(state, order, False)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    if order.joint:
        both = join_lines(state, order, "")
        if both is None:
            return Did((waits(state, order, ""),))
        return Did((joined_event(state, both),), (Task("assault order", (both,)),))
    units = [state.units[ident] for ident in order.units]
    first = best(units)
    lead = order.leader or (first.id if first is not None else "")
    charges = {unit.id: run(unit, order.target) for unit in units} if order.verb == "CHARGE" else {}
    told = event(
        "charge" if charges else "assault",
        "S5",
        side=state.phase,
        units=list(order.units),
        at=order.target,
        unit=lead,
        charges=charges,
    )
    return Did((told,))


def run(unit: Unit, target: str) -> int:
    """S5 Return the length of a charge: the hexes at the end of the way ridden in line with the target, at least 1."""
    facing, hexes = unit.run
    return hexes if facing == direction(unit.at, target) else 1


def in_square(state: State, at: str, side: str) -> bool:
    """S6 Whether the enemies of a side in a hex stand in square."""
    return squares(state.foes(at, side))


def _chargers(state: State, at: str) -> list[Unit]:
    return [unit for unit in state.marked(at) if unit.charge]


def charges(state: State, task: Task) -> Outcome:
    """S6 Each charged hex in the order of the assaults: its infantry not in square tests, then the cavalry."""
    then: list[Task] = []
    for target, _ in state.assaults:
        riders = _chargers(state, target)
        foot = [unit.id for unit in state.foes(target, state.phase) if unit.kind == "inf" and not unit.square]
        if riders:
            then += [Task("charged", (target, ident)) for ident in foot]
            then += [Task("charging", (target, unit.id)) for unit in riders]
    return Did((), tuple(then))


def charged(state: State, task: Task) -> Outcome:
    """S6 Infantry receives a charge: it tests and, unshaken, may form square. Arguments: hex, counter."""
    target, ident = task.args
    unit = state.units.get(ident)
    riders = _chargers(state, target)
    if unit is None or unit.at != target or unit.state == ROUTED or not riders:
        return Did()
    where = f"{riders[0].at}>{target}"
    if not task.got:
        return Roll(where, f"morale {ident}", 1, 6)
    short = all(rider.charge <= 1 for rider in riders)
    told, cell = told_test(Trial(state, unit, riders[0].at, "receives", short=short), task)
    if cell != "SE":
        events, then = suffer(unit, cell, where, riders[0].at)
        return Did((told, *events), then)
    if not fits(state, target, [unit.but(formation="square")]):
        return Did((told,))
    if len(task.got) == 1:
        return Ask(Window(where, "square", state.answerer(unit), ident, ("SQUARE", "STAND")))
    chosen = choice(task, 1)
    formed = event("forms", "S6", side=unit.side, unit=ident, formation="square", cost=0, by=chosen.by)
    return Did((told, formed) if chosen.value[0] == "SQUARE" else (told,))


def charging(state: State, task: Task) -> Outcome:
    """S6 The charging cavalry tests; shaken, it takes the result and does not charge. Arguments: hex, counter."""
    target, ident = task.args
    unit = state.units.get(ident)
    if unit is None or unit.assault != target or not unit.charge:
        return Did()
    where = f"{unit.at}>{target}"
    if not task.got:
        return Roll(where, f"morale {ident}", 1, 6)
    told, cell = told_test(Trial(state, unit, target, "charges", square=_no_prey(state, target)), task)
    events, then = suffer(unit, cell, where, target)
    return Did((told, *events), then)


def _no_prey(state: State, target: str) -> bool:
    """T2.7 Whether there is no infantry to be caught out of square: all in square, or the charge meets none."""
    foes = state.foes(target, state.phase)
    return in_square(state, target, state.phase) or (bool(foes) and not any(unit.kind == "inf" for unit in foes))


def does_not_charge(head: Event, test: Event, then: State) -> bool:
    """S6 Whether a test was failed before a charge, which so is off; `head` is the happening that it follows."""
    unit = then.units.get(test.data["unit"])
    return test.data["cell"] != "SE" and unit is not None and bool(unit.charge) and head.kind not in _FOUGHT


_FOUGHT = frozenset(("fires", "shock", "no shock", "rally", "division"))
"""Happenings that come after the tests before a charge (S1)."""


# What an assault is worth, from the first charge test to the advance: for ODDS, VERIFY and the order form.


SHOWN = 3
"""Counters whose chance to be routed or lost is told, the likeliest first."""


class Odds(NamedTuple):
    """What an assault is worth, as probabilities and mean numbers of PF.

    `win`: at its end no enemy stands in the hex; `losses`: mean PF lost by camp, of those who fight for the hex and of
    all who stand with them; `shaken`: for each attacker that may end so, the chance to be disordered, routed or lost;
    `gone`: by camp the chance to be out of play of each of all those, guns and commanders among them.
    """

    win: Any
    losses: Mapping[str, Any]
    shaken: Mapping[str, Any]
    gone: Mapping[str, Mapping[str, Any]]


def _since(start: State) -> Callable[[State], Hashable]:
    """What tells positions that came of `start` apart, in all that an assault can still change or ask."""
    changed = changes(start.units)
    return lambda state: (
        changed(state.units),
        tuple(state.uses.items()),
        state.assaults,
        tuple(state.dead.items()),
    )


def only_assault(state: State, target: str, shots: tuple[tuple[tuple[str, ...], str, int], ...]) -> State:
    """Return the position as if the assault on a hex were the only one of the half, and this all the fire ordered."""
    units = {i: u if u.assault in ("", target) else u._replace(assault="", charge=0) for i, u in state.units.items()}
    assaults = tuple(item for item in state.assaults if item[0] == target)
    return state.change(units=units, assaults=assaults, shots=shots)


def assault_odds(rules: Rules[State], state: State, target: str, own: Doctrine, reckoning: Reckoning = FLOATS) -> Odds:
    """Return the odds of the assault on a hex that stands marked in `state`, as if it were the only one of the half.

    The enemy is taken to follow the defaults, and only those in the hex to fire; of the fire that is ordered that at
    the hex counts.
    """
    start = only_assault(state, target, tuple(shot for shot in state.shots if shot[1] == target))
    fire = tuple(Task("defend", (unit.id,)) for unit in start.foes(target, state.phase))
    world = World(start, (Task("charges"), *fire, Task("offensive fire"), Task("shocks")))
    ends = spread(rules, Course(world, _since(start)), own, reckoning)
    return _gathered(start, target, ends, reckoning.one - reckoning.one)


def half_odds(
    rules: Rules[State], half: World[State], marked: State, own: Doctrine, reckoning: Reckoning = FLOATS
) -> dict[str, Odds]:
    """Return the odds of every assault of a half by its hex: all charges, all fire of both sides, all shocks counted.

    `half` is what is left of it up to the shocks, `marked` the position in which the assaults stand marked.
    """
    key = apart(half.state, parts_of(State))
    ends = spread(rules, Course(half, key), own, reckoning)
    return {target: _gathered(marked, target, ends, reckoning.one - reckoning.one) for target, _ in marked.assaults}


def concerned(start: State, target: str) -> dict[str, list[Unit]]:
    """S5, S13, T6 Return by camp whose lot hangs on an assault: all who stand in the hex and in those it comes from.

    Guns and commanders that stand by are lost with their stack.
    """
    ours = [unit for at in sorted({unit.at for unit in start.marked(target)}) for unit in start.at(at)]
    theirs = [unit for unit in start.at(target) if unit.camp != camp(start.phase)]
    return {camp(start.phase): ours, ("allied" if camp(start.phase) == "french" else "french"): theirs}


def _gathered(start: State, target: str, ends: Sequence[Ending], zero: object) -> Odds:
    """What the worlds at the end of a half mean for an assault: for the hex, and for all who stand in it or attack."""
    ours, sides = start.marked(target), concerned(start, target)
    win, losses = zero, {"allied": zero, "french": zero}
    shaken: dict[str, Any] = {}
    gone: dict[str, dict[str, Any]] = {"allied": {}, "french": {}}
    for world, weight in ends:
        units = world.state.units
        if not world.state.foes(target, start.phase):
            win += weight
        for side, those in sides.items():
            for unit in those:
                now = units.get(unit.id)
                if unit.is_combat:
                    losses[side] += weight * (unit.pf - (now.pf if now is not None else 0))
                if now is None:
                    gone[side][unit.id] = gone[side].get(unit.id, zero) + weight
        for unit in ours:
            if is_worse(unit, world.state):
                shaken[unit.id] = shaken.get(unit.id, zero) + weight
    return Odds(win, losses, shaken, gone)


def odds_in_words(odds: Odds, state: State, order: Assault, about: bool = False) -> Iterator[Msg]:
    ours = camp(state.phase)
    enemy = "allied" if ours == "french" else "french"
    weak = too_weak(state, order.target, state.marked(order.target))
    if weak is not None:
        why = no_shock(*weak)
        yield msg("{target}: as things stand before the fire {why}", target=order.target, why=why)
    said = msg("{target}: taken {win} %, not taken {loss} %; PF lost on average: you {own}, the enemy {enemy}")
    if about:
        said = msg(
            "{target}: taken about {win} %, not taken about {loss} %; PF lost on average: you {own}, the enemy {enemy}"
        )
    yield msg(
        said.text,
        target=order.target,
        win=percent(odds.win),
        loss=percent(1 - odds.win),
        own=decimal(odds.losses[ours]),
        enemy=decimal(odds.losses[enemy]),
    )
    for said, chances in (
        (msg("disordered, routed or lost after it: {units}"), odds.shaken),
        (msg("out of play after it: {units}"), odds.gone[ours]),
        (msg("of the enemy out of play after it: {units}"), odds.gone[enemy]),
    ):
        units = _likeliest(chances)
        if units:
            yield msg(said.text, units=units)


def _likeliest(chances: Mapping[str, Any]) -> tuple[Msg, ...]:
    """Those to whom it may well happen, the likeliest first, each with its chance."""
    likely = sorted((-chance, ident) for ident, chance in chances.items() if chance >= 0.005)
    return tuple(msg("{unit} {share} %", unit=ident, share=percent(-chance)) for chance, ident in likely[:SHOWN])


def is_worse(unit: Unit, after: State) -> bool:
    """Whether a counter is lost by then, or not in order and worse than before."""
    now = after.units.get(unit.id)
    return now is None or now.state not in (NORMAL, unit.state)


HEADS: Mapping[str, Teller] = {
    "assault": says(msg("{units} will assault {hex}, led by {unit}.")),
    "charge": says(msg("{units} will charge {hex}, led by {unit}.")),
}
ASKED = {"square": msg("{unit} in {hex} is charged by {units}. What does it do?")}
