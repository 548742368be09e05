"""Order assaults, run charge tests before them, and compute the odds (S5, S6)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.commanders.sequence import join_lines, joined_event, waiting_event
from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import field_names
from pbem.engine.map.hexes import FRONT, direction, distance, sector
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import Teller, sentence_teller
from pbem.engine.run.odds import FLOATS, Ending, Experiment, Reckoning, apart, changes, spread
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Rules, Task, Window, World, choice
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.morale import MoraleTest, apply_test_result, result_of_test
from pbem.games.peninsular.orders import Assault, nobody_there_text, not_carried_out, refuse_actors
from pbem.games.peninsular.shock import strengths_if_weak, weak_assault_text
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import has_room, shock_letter
from pbem.games.peninsular.units import NORMAL, ROUTED, Unit, best_unit, is_square

NO_CHARGE_TERRAIN = frozenset({"village", "city", "strong buildings", "light wood", "dense wood", "marsh"})
NO_CHARGE_HEXSIDES = frozenset({"stream", "ravine", "slope up"})
ORDERS_WITHOUT_SHOCK = ("MANOEUVRE", "REORGANISE")


def refuse_assault(state: State, order: Assault, lasting_only: bool) -> Refusal | None:
    """Return why an assault or charge is refused, or only a lasting reason.

    Rule: S5.
    """
    refusal = refuse_actors(state, order.units, lasting_only, "S5", order.jointly)
    if refusal is not None:
        return refusal
    units = [state.units[ident] for ident in order.units if ident in state.units]
    for unit in units:
        refusal = _kind_assaults(unit, order.verb)
        if refusal is not None:
            return refusal
    if order.leader and order.leader not in order.units:
        why = msg(
            "LED BY names a counter that assaults, and {unit} is none; a commander counts by himself in the hex of the "
            "leading one",
            unit=order.leader,
        )
        return Refusal(("S5",), why, order.leader)
    if lasting_only:
        return None
    if not state.foes(order.target, state.phase):
        return Refusal(("S5",), nobody_there_text(state, order.target), order.target)
    joined = order.verb == "CHARGE" and all(unit.assault == order.target and not unit.charge for unit in units)
    if any(target == order.target for target, _ in state.assaults) and not joined:
        return Refusal(("S5",), msg("{hex} is assaulted already in this half", hex=order.target), order.target)
    for unit in units:
        refusal = _assailant(state, unit, order, joined)
        if refusal is not None:
            return refusal
    return None


def _kind_assaults(unit: Unit, verb: str) -> Refusal | None:
    """Return a refusal if counters of this kind cannot assault or charge.

    Rules: S5, S6, T6.
    """
    if unit.kind not in ("inf", "cav"):
        return Refusal(("S5", "T6"), msg("{unit} never assaults", unit=unit.id), unit.id)
    if verb == "CHARGE" and unit.kind != "cav":
        return Refusal(("S5", "S6"), msg("only cavalry charges, {unit} is none", unit=unit.id), unit.id)
    return None


def _assailant(state: State, unit: Unit, order: Assault, joins_earlier: bool) -> Refusal | None:
    """Return a refusal if one counter may not assault the hex (S5, S2, T1)."""
    target = order.target
    if unit.state != NORMAL:
        return Refusal(("S5",), msg("{unit} is disordered or routed", unit=unit.id), unit.id)
    if unit.assault and not joins_earlier:
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
    if order_in_force in ORDERS_WITHOUT_SHOCK:
        return Refusal(("S2", "S5"), msg("the orders of {unit} forbid a shock", unit=unit.id), unit.id)
    if order_in_force == "HOLD" and not _meets_target(state, unit, target):
        why = msg("{unit} has orders to hold: it assaults only who was next to it when the half began", unit=unit.id)
        return Refusal(("S2", "S5"), why, unit.id)
    return _refuse_charge_ground(state, unit, target) if order.verb == "CHARGE" else None


def _meets_target(state: State, unit: Unit, target: str) -> bool:
    foes = state.foes(target, unit.side)
    return any(distance(unit.start or unit.at, foe.start or foe.at) == 1 for foe in foes)


def _refuse_charge_ground(state: State, unit: Unit, target: str) -> Refusal | None:
    """Return a refusal for terrain that cavalry cannot charge into or across (S5)."""
    ground = state.edition.map
    rough = ground.terrain(target) in NO_CHARGE_TERRAIN
    if rough or any(row in NO_CHARGE_HEXSIDES for row in ground.sides(unit.at, target)):
        return Refusal(("S5", "S6"), msg("{hex} cannot be charged from {at}", hex=target, at=unit.at), target)
    return None


def ground_of_charge_text(state: State, hex_id: str, start: str) -> Msg:
    """Return the terrain that prevents a charge of cavalry, in words (S5)."""
    ground = state.edition.map
    why = msg("{hex} cannot be charged from {at}", hex=hex_id, at=start)
    terrain = ground.terrain(hex_id)
    if terrain in NO_CHARGE_TERRAIN:
        return msg("{why}: no charge goes into {terrain}", why=why, terrain=Msg(terrain))
    sides = [HEXSIDE_WORDS[row] for row in ground.sides(start, hex_id) if row in NO_CHARGE_HEXSIDES]
    return msg("{why}: no charge goes {sides}", why=why, sides=tuple(sides)) if sides else why


HEXSIDE_WORDS = {"stream": msg("across a stream"), "ravine": msg("across a ravine"), "slope up": msg("up a slope")}


def assault_order(state: State, task: Task) -> Outcome:
    """Mark the named counters as assaulting or charging the hex (S5)."""
    order: Assault = task.args[0]
    refusal = refuse_assault(state, order, False)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    if order.joint:
        both = join_lines(state, order, "")
        if both is None:
            return Did((waiting_event(state, order, ""),))
        return Did((joined_event(state, both),), (Task("assault order", (both,)),))
    units = [state.units[ident] for ident in order.units]
    leader = best_unit(units)
    lead = order.leader or (leader.id if leader is not None else "")
    charges = {unit.id: charge_length(unit, order.target) for unit in units} if order.verb == "CHARGE" else {}
    order_event = event(
        "charge" if charges else "assault",
        "S5",
        side=state.phase,
        units=list(order.units),
        at=order.target,
        unit=lead,
        charges=charges,
    )
    return Did((order_event,))


def charge_length(unit: Unit, target: str) -> int:
    """Return a charge's length in hexes: the straight end of the ride, at least 1.

    Rule: S5.
    """
    facing, hexes = unit.run
    return hexes if facing == direction(unit.at, target) else 1


def enemies_in_square(state: State, hex_id: str, side: str) -> bool:
    """Return whether the enemies of a side in a hex are in square (S6)."""
    return is_square(state.foes(hex_id, side))


def _chargers(state: State, hex_id: str) -> list[Unit]:
    return [unit for unit in state.assaulters(hex_id) if unit.charge]


def queue_charge_tests(state: State, task: Task) -> Outcome:
    """Queue the charge tests of each charged hex, in the order of the assaults (S6).

    In each hex infantry not in square tests first, then the cavalry.
    """
    next_tasks: list[Task] = []
    for target, _ in state.assaults:
        riders = _chargers(state, target)
        foot = [unit.id for unit in state.foes(target, state.phase) if unit.kind == "inf" and not unit.square]
        if riders:
            next_tasks += [Task("charged", (target, ident)) for ident in foot]
            next_tasks += [Task("charging", (target, unit.id)) for unit in riders]
    return Did((), tuple(next_tasks))


def try_receivers(state: State, task: Task) -> Outcome:
    """Test infantry that receives a charge; if unshaken it may form square (S6).

    Arguments: hex, counter.
    """
    target, ident = task.args
    unit = state.units.get(ident)
    riders = _chargers(state, target)
    if unit is None or unit.at != target or unit.state == ROUTED or not riders:
        return Did()
    address = f"{riders[0].at}>{target}"
    if not task.got:
        return Roll(address, f"morale {ident}", 1, 6)
    short = all(rider.charge <= 1 for rider in riders)
    test_event, cell = result_of_test(MoraleTest(state, unit, riders[0].at, "receives", short=short), task)
    if cell != "SE":
        events, next_tasks = apply_test_result(unit, cell, address, riders[0].at)
        return Did((test_event, *events), next_tasks)
    if not has_room(state, target, [unit.but(formation="square")]):
        return Did((test_event,))
    if len(task.got) == 1:
        return Ask(Window(address, "square", state.answerer(unit), ident, ("SQUARE", "STAND")))
    answer = choice(task, 1)
    formed = event("forms", "S6", side=unit.side, unit=ident, formation="square", cost=0, by=answer.by)
    return Did((test_event, formed) if answer.value[0] == "SQUARE" else (test_event,))


def try_charge(state: State, task: Task) -> Outcome:
    """Test the charging cavalry; if shaken it takes the result and does not charge.

    Rule: S6.

    Arguments: hex, counter.
    """
    target, ident = task.args
    unit = state.units.get(ident)
    if unit is None or unit.assault != target or not unit.charge:
        return Did()
    address = f"{unit.at}>{target}"
    if not task.got:
        return Roll(address, f"morale {ident}", 1, 6)
    test_event, cell = result_of_test(MoraleTest(state, unit, target, "charges", square=_no_prey(state, target)), task)
    events, next_tasks = apply_test_result(unit, cell, address, target)
    return Did((test_event, *events), next_tasks)


def _no_prey(state: State, target: str) -> bool:
    """Return whether the charge meets no infantry out of square (T2.7)."""
    foes = state.foes(target, state.phase)
    no_infantry = bool(foes) and not any(unit.kind == "inf" for unit in foes)
    return enemies_in_square(state, target, state.phase) or no_infantry


def does_not_charge(head: Event, test: Event, state_after: State) -> bool:
    """Return whether a failed test cancels the charge; `head` is the event before it.

    Rule: S6.
    """
    unit = state_after.units.get(test.data["unit"])
    return test.data["cell"] != "SE" and unit is not None and bool(unit.charge) and head.kind not in _FOUGHT


_FOUGHT = frozenset(("fires", "shock", "no shock", "rally", "division"))
"""Kinds of event that come after the tests before a charge (S1)."""


# What an assault is worth, from the first charge test to the advance: for ODDS, VERIFY and the order form.


MOST_AT_RISK_SHOWN = 3
"""Counters whose chance to be routed or lost is shown, the likeliest first. A choice: the sentence stays short."""


class Odds(NamedTuple):
    """The odds of an assault, as probabilities and mean numbers of PF.

    `win`: no enemy is in the hex at its end. `losses`: mean PF lost by camp, of the units fighting for the hex and
    all that stand with them. `shaken`: for each attacker at risk, the chance to be disordered, routed or lost.
    `gone`: by camp, the chance of each unit at stake, guns and commanders included, to be lost.
    """

    win: Any
    losses: Mapping[str, Any]
    shaken: Mapping[str, Any]
    gone: Mapping[str, Mapping[str, Any]]


def _position_key(start: State) -> Callable[[State], Hashable]:
    """Return a function that keys positions by all an assault can change or ask.

    The positions come after `start`.
    """
    changed = changes(start.units)
    return lambda state: (
        changed(state.units),
        tuple(state.uses.items()),
        state.assaults,
        tuple(state.dead.items()),
    )


def with_only_assault(state: State, target: str, shots: tuple[tuple[tuple[str, ...], str, int], ...]) -> State:
    """Return the position with an assault and its fire as a half's only orders.

    `shots` is the fire at its hex.
    """
    units = {
        ident: unit if unit.assault in ("", target) else unit._replace(assault="", charge=0)
        for ident, unit in state.units.items()
    }
    assaults = tuple(item for item in state.assaults if item[0] == target)
    return state.change(units=units, assaults=assaults, shots=shots)


def assault_odds(
    rules: Rules[State], state: State, target: str, doctrine: Doctrine, reckoning: Reckoning = FLOATS
) -> Odds:
    """Return the odds of the marked assault on a hex, as the only one of its half.

    The enemy is assumed to follow the defaults, and only the enemies in the hex fire. Of the ordered fire only the
    fire at the hex counts.
    """
    start = with_only_assault(state, target, tuple(shot for shot in state.shots if shot[1] == target))
    fire = tuple(Task("defend", (unit.id,)) for unit in start.foes(target, state.phase))
    world = World(start, (Task("charges"), *fire, Task("offensive fire"), Task("shocks")))
    ends = spread(rules, Experiment(world, _position_key(start)), doctrine, reckoning)
    return _gather_odds(start, target, ends, reckoning.one - reckoning.one)


def odds_of_half(
    rules: Rules[State], half: World[State], marked: State, doctrine: Doctrine, reckoning: Reckoning = FLOATS
) -> dict[str, Odds]:
    """Return the odds of every assault of a half by hex.

    All charges, fire and shocks count. `half` holds the remaining tasks up to the shocks, `marked` is the position
    with the assaults marked.
    """
    key = apart(half.state, field_names(State))
    ends = spread(rules, Experiment(half, key), doctrine, reckoning)
    return {target: _gather_odds(marked, target, ends, reckoning.one - reckoning.one) for target, _ in marked.assaults}


def units_at_stake(start: State, target: str) -> dict[str, list[Unit]]:
    """Return by camp the units whose fate depends on an assault (S5, S13, T6).

    These are all units in the hex, and in the hexes from which the assault comes. Guns and commanders are lost with
    their stack.
    """
    ours = [unit for hex_id in sorted({unit.at for unit in start.assaulters(target)}) for unit in start.at(hex_id)]
    theirs = [unit for unit in start.at(target) if unit.camp != alliance_of(start.phase)]
    return {alliance_of(start.phase): ours, ("allied" if alliance_of(start.phase) == "french" else "french"): theirs}


def _gather_odds(start: State, target: str, ends: Sequence[Ending], zero: object) -> Odds:
    """Compute an assault's odds from the worlds at the end of a half."""
    ours, sides = start.assaulters(target), units_at_stake(start, target)
    win, losses = zero, {"allied": zero, "french": zero}
    shaken_chances: dict[str, Any] = {}
    gone_chances: dict[str, dict[str, Any]] = {"allied": {}, "french": {}}
    for world, weight in ends:
        units = world.state.units
        if not world.state.foes(target, start.phase):
            win += weight
        for side, side_units in sides.items():
            for unit in side_units:
                unit_now = units.get(unit.id)
                if unit.is_combat:
                    losses[side] += weight * (unit.pf - (unit_now.pf if unit_now is not None else 0))
                if unit_now is None:
                    gone_chances[side][unit.id] = gone_chances[side].get(unit.id, zero) + weight
        for unit in ours:
            if is_worse(unit, world.state):
                shaken_chances[unit.id] = shaken_chances.get(unit.id, zero) + weight
    return Odds(win, losses, shaken_chances, gone_chances)


def odds_in_words(odds: Odds, state: State, order: Assault, about: bool = False) -> Iterator[Msg]:
    ours = alliance_of(state.phase)
    enemy = "allied" if ours == "french" else "french"
    weak = strengths_if_weak(state, order.target, state.assaulters(order.target))
    if weak is not None:
        why = weak_assault_text(*weak)
        yield msg("{target}: as things stand before the fire {why}", target=order.target, why=why)
    sentence = msg("{target}: taken {win} %, not taken {loss} %; PF lost on average: you {own}, the enemy {enemy}")
    if about:
        sentence = msg(
            "{target}: taken about {win} %, not taken about {loss} %; PF lost on average: you {own}, the enemy {enemy}"
        )
    yield msg(
        sentence.text,
        target=order.target,
        win=percent(odds.win),
        loss=percent(1 - odds.win),
        own=decimal(odds.losses[ours]),
        enemy=decimal(odds.losses[enemy]),
    )
    for sentence, chances in (
        (msg("disordered, routed or lost after it: {units}"), odds.shaken),
        (msg("out of play after it: {units}"), odds.gone[ours]),
        (msg("of the enemy out of play after it: {units}"), odds.gone[enemy]),
    ):
        units = _likeliest(chances)
        if units:
            yield msg(sentence.text, units=units)


def _likeliest(chances: Mapping[str, Any]) -> tuple[Msg, ...]:
    """Return the likeliest units with their chances, the likeliest first."""
    likely = sorted((-chance, ident) for ident, chance in chances.items() if chance >= 0.005)
    return tuple(
        msg("{unit} {share} %", unit=ident, share=percent(-chance)) for chance, ident in likely[:MOST_AT_RISK_SHOWN]
    )


def is_worse(unit: Unit, after: State) -> bool:
    """Return whether a counter is lost, or more disordered than before."""
    unit_now = after.units.get(unit.id)
    return unit_now is None or unit_now.state not in (NORMAL, unit.state)


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "assault": sentence_teller(msg("{units} will assault {hex}, led by {unit}.")),
    "charge": sentence_teller(msg("{units} will charge {hex}, led by {unit}.")),
}
QUESTION_SENTENCES = {"square": msg("{unit} in {hex} is charged by {units}. What does it do?")}
