"""Resolve fire: legality, points, effects and odds (T5, S7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from pbem.engine.commanders.holding import seats_to_notify
from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.map.charts import EditionModifiers
from pbem.engine.map.hexes import FRONT, distance, sector, within
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import Teller, sentence_teller
from pbem.engine.run.odds import FLOATS, Experiment, Reckoning, StepBudget, changes, spread
from pbem.engine.run.questions import Option, sign_of
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Rules, Task, Window, World, choice, die
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import OVERLAY_FACTS
from pbem.games.peninsular.morale import loss_effects, morale_tasks, read_roll, roll_teller
from pbem.games.peninsular.orders import Fire, nobody_there_text, not_carried_out, refuse_actors
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import (
    LETTER_DIVISORS,
    cover_of_fire,
    has_line_of_fire,
    is_dismounted,
    line_blockers,
    rounded_quotient,
)
from pbem.games.peninsular.units import DISORDERED, ROUTED, Unit, will_rank

CLOSE_RANGE = 2
"""S7 Hexes beyond which artillery fires at each counter of a hex."""

EACH_SIDE, ONE_SIDE = 4, 2
"""S7 The divisor of a square's PF when it fires: at each side from which it is assaulted, and at one side by order."""
# A cell of the fire chart: steps lost, then one letter for the effect on morale.
_RESULT = re.compile(r"(?P<lost>\d?)(?P<effect>[PMR]?)")


class FireFacts(NamedTuple):
    """A shot: firer, target and the target's place in the hex.

    The place, from 0, matters for artillery at more than 2 hexes; for nearer fire it is always 0.
    """

    firer: Unit
    target: Unit
    nth: int = 0


def _flank(aim: FireFacts) -> bool:
    return aim.target.faces and sector(aim.target.at, aim.target.facing, aim.firer.at) != FRONT


FIRE_MODIFIERS: Mapping[str, Callable[[FireFacts], int]] = {
    "T5.1": lambda aim: aim.target.square,
    "T5.2": lambda aim: aim.target.skirmishing,
    "T5.3": lambda aim: aim.target.is_unlimbered,
    "T5.4": lambda aim: aim.firer.kind == "art" and aim.firer.size == "light",
    "T5.5": lambda aim: aim.firer.kind == "art" and aim.firer.size == "heavy",
    "T5.6": lambda aim: will_rank(aim.firer.will) <= will_rank("B"),
    "T5.7": lambda aim: will_rank(aim.firer.will) >= will_rank("E"),
    "T5.8": lambda aim: (
        aim.firer.kind == "inf" and aim.firer.nation == "british" and will_rank(aim.firer.will) <= will_rank("C")
    ),
    "T5.9": lambda aim: aim.firer.fatigue if aim.firer.kind == "cav" else 0,
    "T5.10": _flank,
    "T5.11": lambda aim: aim.nth == 1,
    "T5.12": lambda aim: aim.nth >= 2,
}
_modifiers = EditionModifiers("fire", FIRE_MODIFIERS, facts=OVERLAY_FACTS["fire"])


def fire_range(state: State, unit: Unit) -> int:
    """Return a counter's range in hexes; 1 for infantry and dismounted cavalry.

    Rules: T10, S7.
    """
    if unit.kind != "art":
        return 1
    return unit.range or int(state.edition.chart("range").cell(unit.size, "range"))


def may_fire(state: State, unit: Unit, hex_id: str) -> Refusal | None:
    """Return why a counter may not fire at a hex now, None if it may (S7)."""
    return refuse_any_fire(state, unit) or _refuse_target(state, unit, hex_id)


def _refuse_target(state: State, unit: Unit, hex_id: str) -> Refusal | None:
    """Return a refusal if a counter that could fire has no target in a hex."""
    refusal = _refuse_reach(state, unit, hex_id)
    if refusal is None and not state.foes(hex_id, unit.side):
        return Refusal(("S7",), nobody_there_text(state, hex_id, unit.side), hex_id)
    return refusal


def _refuse_reach(state: State, unit: Unit, hex_id: str) -> Refusal | None:
    """Return a refusal if a counter's fire cannot reach a hex, whatever is in it."""
    if distance(unit.at, hex_id) > fire_range(state, unit) or unit.at == hex_id:
        why = msg("{hex} is out of range of {unit}", hex=hex_id, unit=unit.id)
        return Refusal(("T10", "S7") if unit.kind == "art" else ("S7", "T10"), why, hex_id)
    if unit.faces and sector(unit.at, unit.facing, hex_id) != FRONT:
        return Refusal(("S7", "S3"), msg("{hex} is not in front of {unit}", hex=hex_id, unit=unit.id), hex_id)
    if not has_line_of_fire(state, unit.at, hex_id):
        return Refusal(("S7",), _blocked_reason(state, unit, hex_id), hex_id)
    return None


def _blocked_reason(state: State, unit: Unit, hex_id: str) -> Msg:
    """Name the obstacle to fire: wood, buildings, or terrain higher than both ends.

    Rule: S7.
    """
    ground = state.edition.map
    first = line_blockers(ground, unit.at, hex_id)[0]
    if ground.level(first) > max(ground.level(unit.at), ground.level(hex_id)):
        why = msg(
            "{unit} has no line of fire to {hex}: {blocker} is higher than both",
            unit=unit.id,
            hex=hex_id,
            blocker=first,
        )
        return why
    kind = Msg(ground.terrain(first))
    return msg(
        "{unit} has no line of fire to {hex}: {blocker} is in the way ({terrain})",
        unit=unit.id,
        hex=hex_id,
        blocker=first,
        terrain=kind,
    )


def _field_of_fire(state: State, unit: Unit) -> tuple[str, ...]:
    """Return the hexes in a counter's field of fire, cached by hex, facing and range."""
    far, known = fire_range(state, unit), state.edition.cache
    key = ("field of fire", unit.at, unit.facing if unit.faces else "", far)
    result: tuple[str, ...] | None = known.get(key)
    if result is None:
        result = known[key] = tuple(
            [hex_id for hex_id in within(unit.at, far) if _refuse_reach(state, unit, hex_id) is None]
        )
    return result


def fire_targets(state: State, unit: Unit) -> list[Unit]:
    """Return the enemies that a counter may fire at now (S7)."""
    if refuse_any_fire(state, unit) is not None:
        return []
    there = state.enemy(unit.side).hexes
    return [foe for hex_id in _field_of_fire(state, unit) if hex_id in there for foe in state.foes(hex_id, unit.side)]


def refuse_any_fire(state: State, unit: Unit) -> Refusal | None:
    """Return why a counter cannot fire at all now; no die before the fire changes it.

    Rule: S7.
    """
    if unit.kind == "cmd":
        return Refusal(("S7",), msg("{unit} does not fire: a commander has no fire", unit=unit.id), unit.id)
    if unit.kind == "cav" and not is_dismounted(state, unit):
        return Refusal(("S7",), msg("{unit} does not fire: mounted cavalry has no fire", unit=unit.id), unit.id)
    if unit.fired:
        return Refusal(("S7",), msg("{unit} has fired already in this turn", unit=unit.id), unit.id)
    if unit.state == ROUTED:
        return Refusal(("S7",), msg("{unit} is routed", unit=unit.id), unit.id)
    if unit.limbered:
        return Refusal(("S7", "T8"), msg("{unit} is limbered", unit=unit.id), unit.id)
    if unit.kind == "art" and _is_silenced(state, unit):
        why = msg("{unit} was halted: it may not fire in this turn", unit=unit.id)
        return Refusal(("T5", "S7", "S1"), why, unit.id)
    if unit.assault:
        return Refusal(("S7", "S5"), msg("{unit} is to assault and does not fire", unit=unit.id), unit.id)
    return None


def _is_silenced(state: State, unit: Unit) -> bool:
    """Return whether a P result bars a battery this turn (T5, S7a)."""
    if state.edition.reread:
        return unit.nofire < 0 or unit.nofire == state.turn
    return unit.nofire >= state.turn


def fire_points(state: State, unit: Unit, hex_id: str, share: int = 1) -> int:
    """Return a counter's fire points at a hex (S7, T10, R7, R4).

    `share` is the part that a square gives to one side. S7a Factor and letter are computed exactly and rounded once.
    """
    cover = LETTER_DIVISORS.get(cover_of_fire(state.edition, unit.at, hex_id), Fraction(1))
    if unit.kind == "art":
        squares = any(mate.square for mate in state.own(unit.at, unit.side))
        row = state.edition.chart("factor").cell(distance(unit.at, hex_id), "square" if squares else "alone")
        factor = _factor(row)
        if state.edition.reread:
            exact = unit.fire * factor / cover
            return rounded_quotient(exact.numerator, exact.denominator)
        base = rounded_quotient(unit.fire * factor.numerator, factor.denominator)
    else:
        base = -(-unit.pf // share) if unit.square else unit.pf
        if unit.skirmishing:
            base = -(-base // 2)
        if unit.state == DISORDERED:
            base = -(-base // 2)
    return rounded_quotient(base * cover.denominator, cover.numerator)


@cache
def _factor(cell: str) -> Fraction:
    """Return the number in ``x3/2`` (T10.1)."""
    return Fraction(cell.removeprefix("x"))


def targets_in_hex(state: State, hex_id: str, side: str) -> list[Unit]:
    """Return a side's enemies in a hex in order of being hit (S7).

    The order is: assaulting counters, then most PF, weakest will, id.
    """
    return sorted(state.foes(hex_id, side), key=lambda u: (not u.assault, -u.pf, -will_rank(u.will), u.id))


def refuse_fire(state: State, order: Fire) -> Refusal | None:
    """Return why a fire order can never be carried out, whatever happens before (S7)."""
    refusal = refuse_actors(state, order.units, True, "S7")
    if refusal is not None:
        return refusal
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        if unit.kind == "cmd":
            return Refusal(("S7",), msg("{unit} does not fire: a commander has no fire", unit=unit.id), unit.id)
    return None


def store_fire_order(state: State, task: Task) -> Outcome:
    """Store a FIRE order until the fire of the half (S1)."""
    order: Fire = task.args[0]
    refusal = refuse_fire(state, order)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    data = {"side": state.phase, "units": list(order.units), "at": order.at, "line": order.line}
    return Did((Event("fire ordered", "S1", data, seats_to_notify(state, state.edition.seats_of(state.phase))),))


def queue_defensive_fire(state: State, task: Task) -> Outcome:
    """Queue the fire of the side that is not moving, by id (S7)."""
    firers = [unit.id for unit in state.enemies(state.phase) if unit.is_combat]
    return Did((), tuple([Task("defend", (ident,)) for ident in firers]))


def fire_defensively(state: State, task: Task) -> Outcome:
    """Fire with a counter of the side not moving, if its doctrine finds a target.

    Rule: S7.

    Argument: the counter. A square gives a quarter of its fire to each side it is assaulted from.
    """
    (ident,) = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    visible_foes = fire_targets(state, unit)
    if not visible_foes:
        return Did()
    if not task.got:
        options = ("ASSAULTERS", "NEAREST", "AT WILL", "HOLD")
        address = f"{unit.at}>{_first(visible_foes, unit).at}"
        return Ask(Window(address, "fire", state.answerer(unit), ident, options))
    answer = choice(task, 0)
    hexes = hexes_of_answer(unit, answer.value[0], visible_foes)
    by = answer.by if answer.by != "default" else ""
    return Did((), tuple(Task("fire at", (ident, hex_id, EACH_SIDE, by)) for hex_id in hexes))


def hexes_of_answer(unit: Unit, how: str, seen: list[Unit]) -> list[str]:
    """Return the hexes an answer fires at; `seen` are the possible targets (S7)."""
    bold = [foe for foe in seen if foe.assault == unit.at]
    if not seen or how == "HOLD" or (how == "ASSAULTERS" and not bold):
        return []
    if how == "NEAREST" or not bold:
        return [_first(seen, unit).at]
    return sorted({foe.at for foe in bold}) if unit.square else [_likeliest(bold).at]


def _likeliest(foes: list[Unit]) -> Unit:
    """Return the target by rule order: most PF, weakest will, id (S7)."""
    return min(foes, key=lambda foe: (-foe.pf, -will_rank(foe.will), foe.id))


def _first(foes: list[Unit], unit: Unit) -> Unit:
    """Return the nearest enemy, ties by the order of S7."""
    if len(foes) == 1:
        return foes[0]
    key = {foe.id: distance(unit.at, foe.at) for foe in foes}
    return min(foes, key=lambda foe: (key[foe.id], not foe.assault, -foe.pf, -will_rank(foe.will), foe.id))


def queue_offensive_fire(state: State, task: Task) -> Outcome:
    """Queue the ordered fire of the moving side (S7)."""
    return Did((), tuple(Task("fire order", (ids, hex_id, line)) for ids, hex_id, line in state.shots))


def fire_order(state: State, task: Task) -> Outcome:
    """Fire with the named counters in turn; refuse the order whole if one cannot.

    Rule: S7.

    Arguments: counters, hex, line of the order. A square that fires by order at one side gives half.
    """
    ids, hex_id, line = task.args
    for ident in ids:
        unit = state.units.get(ident)
        refusal = may_fire(state, unit, hex_id) if unit is not None else None
        if refusal is not None:
            return Did((not_carried_out(state, Fire(line, ids, hex_id), refusal),))
    alive = [ident for ident in ids if ident in state.units and targets_in_hex(state, hex_id, state.phase)]
    return Did((), tuple(Task("fire at", (ident, hex_id, ONE_SIDE, "")) for ident in alive))


def fire_at(state: State, task: Task) -> Outcome:
    """Fire with a counter at a hex (S7, T5).

    Arguments: counter, hex, share of a square's fire, and who chose. Artillery at more than 2 hexes rolls for each
    counter of the hex. More than 12 points roll again for the rest.
    """
    ident, hex_id, share, by = task.args
    unit = state.units.get(ident)
    if unit is None or unit.state == ROUTED or not state.foes(hex_id, unit.side):
        return Did()
    total = fire_points(state, unit, hex_id, share)
    far = unit.kind == "art" and distance(unit.at, hex_id) > CLOSE_RANGE
    target_units = targets_in_hex(state, hex_id, unit.side)[: None if far else 1]
    choice_data = {"by": by} if by else {}
    fires_event = event("fires", "S7", side=unit.side, unit=ident, at=hex_id, points=total, **choice_data)
    columns = _columns(total, state.edition.most_points)
    shots = [
        Task("shot", (ident, hex_id, target.id, nth, column, far))
        for nth, target in enumerate(target_units)
        for column in columns
    ]
    return Did((fires_event,), tuple(shots))


def _columns(points: int, most: int) -> list[int]:
    """Return the points of each roll: rolls of `most` points, then the rest (S7a)."""
    return [most] * (points // most) + ([points % most] if points % most else [])


def roll_shot(state: State, task: Task) -> Outcome:
    """Roll once for fire (T5).

    Arguments: firer, hex, target, its place in the hex, column, whether the target is fixed. At less than 3 hexes,
    the next counter of the hex replaces a target that is gone.
    """
    ident, hex_id, name, nth, column, bound = task.args
    firer = state.units.get(ident)
    if firer is None or firer.state == ROUTED:
        return Did()
    target = state.units.get(name)
    if target is None or target.at != hex_id:
        remaining = targets_in_hex(state, hex_id, firer.side)
        if bound or not remaining:
            return Did()
        target = remaining[0]
    address = f"{firer.at}>{hex_id}"
    if not task.got:
        return Roll(address, f"fire {ident} > {target.id}", 1, 6)
    modifiers = _modifiers(state.edition).holding(FireFacts(firer, target, nth))
    roll = read_roll(state.edition, "fire", column, modifiers, die(task, 0))
    volley_event = event("volley", "T5", side=firer.side, unit=ident, target=target.id, **roll)
    events, next_tasks = _effect(state, target, roll["cell"], address)
    return Did((volley_event, *events), next_tasks)


def _effect(state: State, target: Unit, cell: str, address: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    match = _RESULT.fullmatch(cell)
    if match is None:
        return (), ()
    events, next_tasks = loss_effects(state, target, int(match["lost"]), "fire", address) if match["lost"] else ((), ())
    if match["effect"]:
        next_tasks = (*next_tasks, Task("struck", (address, target.at, target.id, match["effect"])))
    return events, next_tasks


def apply_fire_result(state: State, task: Task) -> Outcome:
    """Apply a P, M or R result after losses (T5).

    Arguments: address, hex, target, letter. If the target is eliminated there are no further effects, but a P still
    halts the rest of its hex.
    """
    address, hex_id, ident, letter = task.args
    target = state.units.get(ident)
    against = address.partition(">")[0]
    if letter == "P":
        return _halt(state, address, hex_id, ident)
    if target is None or target.at != hex_id:
        return Did()
    others = tuple(unit.id for unit in state.fighting(hex_id, target.side) if unit.id != ident)
    if letter == "M":
        return Did((), (Task("test", (address, ident, against, "", others)),))
    if not task.got:
        return Ask(Window(address, "retreat", state.answerer(target), ident, ("1", "2")))
    answer = choice(task, 0)
    hexes = int(answer.value[0])
    gives_way_event = event("gives way", "T5", side=target.side, unit=ident, hexes=hexes, by=answer.by)
    guns = [u.id for u in state.fighting(hex_id, target.side) if u.is_unlimbered] if hexes == 2 else []
    loss_events = (event("eliminated", "T5", side=target.side, units=guns, at=hex_id),) if guns else ()
    next_tasks: tuple[Task, ...] = (Task("bereft", (hex_id, target.side)),) if guns else ()
    if ident not in guns:
        next_tasks = (Task("retreat", (address, ident, hexes, against, "S12")), *next_tasks)
    return Did(
        (gives_way_event, *loss_events),
        (*next_tasks, *morale_tasks(address, tuple(i for i in others if i not in guns), against)),
    )


def _halt(state: State, address: str, hex_id: str, ident: str) -> Outcome:
    """Apply P: the stack may not shock (T5).

    A target without an assault marker makes a morale test, and so does an unlimbered battery.
    """
    side = next((unit.side for unit in state.at(hex_id)), "")
    stack: Sequence[Unit] = state.fighting(hex_id, side) if side else ()
    if not stack:
        return Did()
    events = [event("halted", "T5", side=side, units=[unit.id for unit in stack], target=ident)]
    target = state.units.get(ident)
    if target is None or target.at != hex_id:
        return Did(tuple(events))
    if target.is_unlimbered:
        # S7a Who is barred already stays so, and is barred in the next turn as well: that is told by the sign.
        both = state.edition.reread and _is_silenced(state, target)
        until = -(state.turn + 1) if both else state.turn + 1
        events.append(event("no fire", "T5", side=side, unit=ident, until=until))
    must_test = target.is_unlimbered or not target.assault
    return Did(tuple(events), morale_tasks(address, (ident,), address.partition(">")[0]) if must_test else ())


# S7, T5 What a FIRE does, over all its dice: for ODDS, for VERIFY and the receipt, and for the order form.


class FireOdds(NamedTuple):
    """The expected effect of a FIRE on a hex.

    It has the mean PF lost, the chance of no effect, and for each effect the chance that it happens to at least one
    unit.
    """

    lost: Any
    nothing: Any
    chances: Mapping[str, Any]


_HAPPENS: Mapping[str, tuple[Msg, Callable[[Unit, Unit | None], bool]]] = {
    "eliminated": (msg("eliminated"), lambda was, now: now is None),
    "routed": (msg("routed"), lambda was, now: now is not None and now.state == ROUTED != was.state),
    "disordered": (msg("disordered"), lambda was, now: now is not None and now.state == DISORDERED != was.state),
    "driven back": (msg("driven back"), lambda was, now: now is not None and now.at != was.at),
    "halted": (msg("halted"), lambda was, now: now is not None and now.halted and not was.halted),
}


def fire_odds(
    rules: Rules[State], state: State, order: Fire, doctrine: Doctrine, reckoning: Reckoning = FLOATS
) -> FireOdds:
    """Return the odds of a FIRE alone, if the enemy follows the defaults."""
    foes = state.foes(order.at, state.phase)
    world = World(state, (Task("fire order", (order.units, order.at, order.line)),))
    changes_key = changes(state.units)
    ends = spread(
        rules,
        Experiment(world, lambda state: (changes_key(state.units), tuple(state.dead.items()))),
        doctrine,
        reckoning,
    )
    mean_loss = no_effect = reckoning.one - reckoning.one
    chances = dict.fromkeys(_HAPPENS, mean_loss)
    for end, weight in ends:
        pairs = [(foe, end.state.units.get(foe.id)) for foe in foes]
        pf_lost = sum(was.pf - (now.pf if now is not None else 0) for was, now in pairs)
        befell = [name for name, (_, holds) in _HAPPENS.items() if any(holds(was, now) for was, now in pairs)]
        mean_loss += weight * pf_lost
        for name in befell:
            chances[name] += weight
        if not (pf_lost or befell):
            no_effect += weight
    return FireOdds(mean_loss, no_effect, chances)


def fire_odds_within(
    rules: Rules[State], state: State, order: Fire, doctrine: Doctrine, purse: StepBudget
) -> FireOdds | None:
    """Return the odds of a FIRE within the step budget; None if it is too small."""
    standing = tuple((seat, tuple(lines)) for seat, lines in doctrine.standing.items())
    key = ("fire", state.edition.digest, state.key(), order.units, order.at, standing)
    return purse.pay(key, lambda step: fire_odds(rules, state, order, doctrine, Reckoning(step=step)))


def _odds_lines(state: State, order: Fire, odds: FireOdds) -> Iterator[Msg]:
    """Yield the odds in words, with each firer's points."""
    firers = [state.units[ident] for ident in order.units if ident in state.units]
    fires = tuple(msg("{unit} {points}", unit=unit.id, points=fire_points(state, unit, order.at, 2)) for unit in firers)
    yield msg(
        "Fire at {at}, points: {fires}; PF that the enemy loses on average: {lost}; without effect {nothing} %",
        at=order.at,
        fires=fires,
        lost=decimal(odds.lost),
        nothing=percent(odds.nothing),
    )
    likely = [(name, chance) for name, chance in odds.chances.items() if chance >= 0.005]
    if likely:
        lines = tuple(
            msg("{what} {percent} %", what=_HAPPENS[name][0], percent=percent(chance)) for name, chance in likely
        )
        yield msg("of who stands there, one or more (these overlap): {chances}", chances=lines)


def fire_lines(
    rules: Rules[State], state: State, order: Fire, doctrine: Doctrine, purse: StepBudget
) -> tuple[Msg, ...]:
    """Return lines on a FIRE after all orders; empty if the budget is too small."""
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        refusal = may_fire(state, unit, order.at)
        if refusal is not None:
            return (msg("Fire at {at}: no odds as things stand ({why})", at=order.at, why=refusal.why),)
    odds = fire_odds_within(rules, state, order, doctrine, purse)
    return () if odds is None else tuple(_odds_lines(state, order, odds))


# What is asked about fire, and what a report says of it.


def with_targets(view: State, window: Window, text: Msg, options: Sequence[Option]) -> tuple[Msg, tuple[Option, ...]]:
    """Return each answer's targets now, noting answers with the same targets (S7)."""
    unit = view.units[window.subject]
    visible_foes = fire_targets(view, unit)
    aims = [tuple(hexes_of_answer(unit, option.value[0], visible_foes)) for option in options]
    texts = tuple(
        option._replace(
            text=msg("{answer} (now {hexes})", answer=option.text, hexes=hexes)
            if hexes
            else msg("{answer} (now nobody)", answer=option.text)
            if option.value[0] != "HOLD"
            else option.text
        )
        for option, hexes in zip(options, aims, strict=True)
    )
    for same in _same_answers(aims):
        letters = tuple(sign_of(place) for place in same)
        text = msg("{asked} {answers} come to the same now.", asked=text, answers=letters)
    return text, texts


def _same_answers(aims: Sequence[tuple[str, ...]]) -> Iterator[list[int]]:
    """Yield the indexes of answers with one result, if there are several."""
    for aim in dict.fromkeys(aims):
        places = [place for place, other in enumerate(aims) if other == aim]
        if len(places) > 1:
            yield places


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "fires": sentence_teller(msg("{unit} fires at {hex}, {points} {points:|point|points}."))
}
DETAIL_SENTENCES: Mapping[str, Teller] = {
    "volley": roll_teller(
        "fire", msg("{unit} at {target}: die {die}, with modifiers {total}, column {column}: {cell}, {effect}")
    ),
}
EFFECT_SENTENCES: Mapping[str, Teller] = {
    "halted": sentence_teller(msg("{units} {units:|is|are} halted")),
    "no fire": sentence_teller(msg("{unit} may not fire in the next turn")),
    "gives way": sentence_teller(msg("{unit} gives way by {hexes}")),
}
CHART_READS = {"volley": "fire"}
QUESTION_SENTENCES = {
    "fire": msg("{unit} in {hex} can fire; the nearest enemy is in {origin}. At whom does it fire?"),
    "retreat": msg("{unit} in {hex} must give way to the fire from {origin}. How many hexes?"),
}
QUESTION_IF_ASSAULTED = msg(
    "{unit} in {hex} can fire; it is assaulted by {units}, and the nearest enemy is in {origin}. At whom does it fire?"
)
