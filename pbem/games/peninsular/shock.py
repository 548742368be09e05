"""Resolve the shock: units, odds, results, and its calculation in words (T6, S5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.map.charts import EditionModifiers
from pbem.engine.map.hexes import FLANK, REAR, distance, sector
from pbem.engine.reasons import Teller, fill_gaps, sentence_teller
from pbem.engine.run.questions import Option
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Rolled, Rules, Task, Window, choice, die
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import OVERLAY_FACTS, SIDE_NAMES, alliance_of
from pbem.games.peninsular.morale import loss_effects, morale_tasks, read_roll, total_modifier
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import LETTER_DIVISORS, shock_grounds, shock_letter
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, best_unit, is_square, will_rank
from pbem.games.peninsular.victory import Seen, scoring_side

ROUTED_RETREAT_HEXES = 2
"""S6 Hexes that routed counters retreat without a fight."""
Strength = int | Fraction
"""PF as they count in a shock: a whole number unless something divides them."""
# A cell of the shock chart: two letters for the result, and a number for some results.
_RESULT = re.compile(r"(?P<kind>AB|AR|BM|DR|DB|SE)(?P<n>\d?)")


class ShockFacts(NamedTuple):
    """A shock: the attackers, each side's leading unit, the defenders and the hex.

    `squared` says whether the defence counts as a square (S6).
    """

    state: State
    attackers: tuple[Unit, ...]
    attacker: Unit
    defenders: tuple[Unit, ...]
    defender: Unit
    target: str
    squared: bool


def _commander(clash: ShockFacts) -> int:
    ours = clash.state.commanders(clash.attacker.at, clash.attacker.side)
    theirs = clash.state.commanders(clash.target, clash.defender.side)
    best_of = max((unit.shock for unit in ours), default=0), max((unit.shock for unit in theirs), default=0)
    return best_of[0] - best_of[1]


def _heavy_modifier(clash: ShockFacts) -> int:
    heavy = [unit for unit in clash.attackers if unit.kind == "cav" and unit.size == "heavy"]
    meets_heavy = any(unit.kind == "cav" and unit.size == "heavy" for unit in clash.defenders)
    return bool(heavy) and not clash.squared and not meets_heavy


def _attacked_sectors(clash: ShockFacts) -> set[str]:
    """Return the sectors of the leading defender that are attacked."""
    facing = clash.defender
    if not facing.faces or clash.squared:
        return set()
    return {sector(clash.target, facing.facing, unit.at) for unit in clash.attackers}


def _is_formed(unit: Unit) -> bool:
    return unit.kind == "inf" and unit.formation == "formed"


SHOCK_MODIFIERS: Mapping[str, Callable[[ShockFacts], int]] = {
    "T6.1": _commander,
    "T6.2": lambda clash: will_rank(clash.defender.will) - will_rank(clash.attacker.will),
    "T6.3": lambda clash: clash.state.order_of(clash.attacker) == "ATTACK",
    "T6.4": lambda clash: clash.attacker.kind == "cav" and clash.squared,
    "T6.5": _heavy_modifier,
    "T6.6": lambda clash: _is_formed(clash.attacker) and clash.defender.kind == "inf" and clash.defender.skirmishing,
    "T6.7": lambda clash: _is_formed(clash.attacker) and clash.squared,
    "T6.8": lambda clash: FLANK in _attacked_sectors(clash),
    "T6.9": lambda clash: REAR in _attacked_sectors(clash),
}
_modifiers = EditionModifiers("shock", SHOCK_MODIFIERS, facts=OVERLAY_FACTS["shock"])


def queue_shocks(state: State, task: Task) -> Outcome:
    """Queue the assaults of the half in the order given (S5)."""
    return Did((), tuple(Task("shock", (target, lead, (), 0)) for target, lead in state.assaults))


def remaining_attackers(state: State, target: str, ids: tuple[str, ...]) -> tuple[Unit, ...]:
    """Return the remaining attackers of a hex: marked, steady, not halted, adjacent.

    Rule: S5.
    """
    chosen = [state.units[ident] for ident in sorted(ids) if ident in state.units] if ids else state.assaulters(target)
    return tuple(u for u in chosen if u.state == NORMAL and not u.halted and distance(u.at, target) == 1)


class AttackingStack(NamedTuple):
    """The attackers of one hex: combat points, divisor, and whether from the rear.

    `pf` is their sum; `divisor` follows from their worst letter, and is 1 without one.
    """

    at: str
    pf: int
    divisor: Fraction
    rear: bool

    @property
    def strength(self) -> Strength:
        """Return the strength: divided, doubled from the rear, fractions kept.

        Rules: S5, T1, T6.9.
        """
        strength: Strength = self.pf if self.divisor == 1 else self.pf / self.divisor
        return strength * 2 if self.rear else strength


def attacking_stacks(clash: ShockFacts) -> tuple[AttackingStack, ...]:
    """S5 Return the attackers hex by hex."""
    return tuple([_stack(clash, hex_id) for hex_id in sorted({unit.at for unit in clash.attackers})])


def _stack(clash: ShockFacts, hex_id: str) -> AttackingStack:
    facing = clash.defender
    rear = facing.faces and not clash.squared and sector(clash.target, facing.facing, hex_id) == REAR
    divisor = LETTER_DIVISORS.get(shock_letter(clash.state.edition, hex_id, clash.target), Fraction(1))
    return AttackingStack(hex_id, sum([unit.pf for unit in clash.attackers if unit.at == hex_id]), divisor, rear)


def shock_strengths(clash: ShockFacts) -> tuple[Strength, Strength]:
    """S5, T1 Return both sides' PF; disordered defenders count half (S6)."""
    attack: Strength = sum([stack.strength for stack in attacking_stacks(clash)])
    defence: Strength = sum([Fraction(u.pf, 2) if u.state == DISORDERED else u.pf for u in clash.defenders])
    return attack, defence


class ShockPreview(NamedTuple):
    """A previewed shock: both strengths, the column, the die modifier (T6)."""

    attack: Strength
    defence: Strength
    column: str
    modifier: int


def modifier_sum(clash: ShockFacts) -> int:
    """Return the sum of all modifiers of a shock's die (T6)."""
    return total_modifier(_modifiers(clash.state.edition).holding(clash))


def preview_shock(state: State, target: str, units: Sequence[Unit], leader: str) -> ShockPreview | None:
    """Return the shock if `leader` leads the defence; None if there is none (T6)."""
    foes = [foe for foe in state.foes(target, state.phase) if foe.state != ROUTED]
    marked = next((lead for hex_id, lead in state.assaults if hex_id == target), "")
    lead = next((unit for unit in units if unit.id == marked), None) or best_unit(list(units))
    led = next((foe for foe in foes if foe.id == leader), None)
    if lead is None or led is None:
        return None
    clash = ShockFacts(state, tuple(units), lead, tuple(foes), led, target, is_square(foes))
    attack, defence = shock_strengths(clash)
    try:
        column = state.edition.chart("shock").odds(attack, defence)
    except KeyError:
        # Below the first column of the chart no shock takes place.
        return None
    return ShockPreview(attack, defence, column, modifier_sum(clash))


def with_shock_strengths(view: State, target: str, bold: Sequence[Unit], option: Option) -> Option:
    """Add the shock's strengths, column and modifier to a leader option (T6)."""
    preview = preview_shock(view, target, bold, option.value[0]) if option.value else None
    if preview is None:
        return option
    sentence = msg(
        "{name}: {a} PF to {b}, column {column}, {n} to the die",
        name=option.value[0],
        a=mixed_number(preview.attack),
        b=mixed_number(preview.defence),
        column=preview.column,
        n=f"{preview.modifier:+d}",
    )
    return option._replace(text=sentence)


def strengths_if_weak(state: State, target: str, units: Sequence[Unit]) -> tuple[Strength, Strength] | None:
    """Return the strengths if these attackers are below 1:4 under any defender.

    Rule: T6.

    None if a shock would happen, or a side has no counters left to fight.
    """
    foes = [foe for foe in state.foes(target, state.phase) if foe.state != ROUTED]
    lead = best_unit(list(units))
    if lead is None or not foes:
        return None
    clashes = (ShockFacts(state, tuple(units), lead, tuple(foes), foe, target, is_square(foes)) for foe in foes)
    attack, defence = max((shock_strengths(clash) for clash in clashes), key=lambda points: points[0])
    try:
        state.edition.chart("shock").odds(attack, defence)
    except KeyError:
        # Below the first column even against the defender with whom they are strongest.
        return attack, defence
    return None


def weak_assault_text(attack: Strength, defence: Strength) -> Msg:
    """Return the text on a weak assault: strengths and the limit they miss (T6)."""
    return msg("{a} PF against {b}, below 1:4: no shock takes place", a=mixed_number(attack), b=mixed_number(defence))


def resolve_shock(state: State, task: Task) -> Outcome:
    """Resolve one shock (T6, S5).

    Arguments: hex, leading unit, attackers (empty: all marked), attacks out of control. Routed counters of the hex
    first retreat without a fight (S6).
    """
    target, lead, ids, wild = task.args
    units = remaining_attackers(state, target, ids)
    if not units:
        return Did()
    head = next((unit for unit in units if unit.id == lead), None) or best_unit(list(units))
    assert head is not None  # noqa: S101 - there are units
    address = f"{head.at}>{target}"
    foes = state.foes(target, head.side)
    routed_ids = [unit.id for unit in foes if unit.state == ROUTED]
    if routed_ids:
        flee = tuple(Task("retreat", (address, ident, ROUTED_RETREAT_HEXES, head.at, "S6")) for ident in routed_ids)
        return Did((), (*flee, Task("shock", task.args)))
    stack = tuple(unit.id for unit in units)
    if not foes:
        return Did((), (Task("advance", (target, head.id, stack, wild)),))
    if len(foes) > 1 and not task.got:
        # The best leader first: he is the answer of a seat that gives none.
        ranked = sorted(foes, key=lambda u: (-u.pf, will_rank(u.will), u.id))
        return Ask(Window(address, "defence", state.answering_for(foes), "", tuple(u.id for u in ranked)))
    answer = choice(task, 0) if len(foes) > 1 else None
    leader = state.units[answer.value[0]] if answer is not None else foes[0]
    clash = ShockFacts(state, units, head, tuple(foes), leader, target, is_square(foes))
    attack, defence = shock_strengths(clash)
    try:
        column = state.edition.chart("shock").odds(attack, defence)
    except KeyError:
        # Below the first column.
        return _refuse_shock(clash, attack, defence, wild)
    if len(task.got) == (0 if answer is None else 1):
        return Roll(address, f"shock {head.id} > {leader.id}", 1, 6)
    modifiers = _modifiers(state.edition).holding(clash)
    roll = read_roll(state.edition, "shock", column, modifiers, die(task, len(task.got) - 1))
    shock_event = event(
        "shock",
        "T6",
        side=head.side,
        attackers=list(stack),
        defenders=[unit.id for unit in foes],
        unit=head.id,
        target=leader.id,
        at=target,
        strengths=[_strength_text(attack), _strength_text(defence)],
        **roll,
    )
    leader_event = event("leads", "S5", side=leader.side, unit=leader.id, by=answer.by) if answer is not None else None
    events, next_tasks = _result(clash, roll["cell"], address, wild)
    return Did((*((leader_event,) if leader_event else ()), shock_event, *events), next_tasks)


def _refuse_shock(clash: ShockFacts, attack: Strength, defence: Strength, wild: int) -> Outcome:
    """Skip a shock below 1:4; uncontrolled cavalry is spent (T6, S8)."""
    head, stack, odds = (
        clash.attacker,
        [unit.id for unit in clash.attackers],
        [_strength_text(attack), _strength_text(defence)],
    )
    no_shock_event = event("no shock", "S5", side=head.side, attackers=stack, at=clash.target, strengths=odds)
    return Did((no_shock_event,), (Task("spent", (head.id, clash.target)),) if wild else ())


def _strength_text(value: Strength) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def mixed_number(strength: str | int | Fraction) -> str:
    """Return a strength as a mixed number: ``12 1/2`` for 25/2."""
    value = Fraction(strength)
    whole, rest = divmod(value.numerator, value.denominator)
    if not rest:
        return str(whole)
    fraction = f"{rest}/{value.denominator}"
    return f"{whole} {fraction}" if whole else fraction


def _result(clash: ShockFacts, cell: str, address: str, wild: int) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """Apply a cell; a square withstands DR1, and DR2 costs it a point (T6)."""
    match = _RESULT.fullmatch(cell)
    assert match is not None  # noqa: S101 - the chart's legend holds nothing else
    kind, n = match["kind"], int(match["n"] or 1)
    if kind == "DR" and clash.squared:
        kind, n = ("SE", 0) if n == 1 else ("DB", 1)
    onward = Task("advance", (clash.target, clash.attacker.id, tuple(u.id for u in clash.attackers), wild))
    why = "after charge" if any(unit.charge for unit in clash.attackers) and not wild else ""
    if kind == "AB":
        return (), (Task("bleed", (address, clash.attacker.id, 1)),)
    if kind == "BM":
        ours, theirs = clash.attacker.id, clash.defender.id
        return (), (Task("bleed", (address, ours, 1)), Task("bleed", (address, theirs, 1)))
    if kind == "DB":
        return (), (Task("bleed", (address, clash.defender.id, n)), onward)
    if kind == "AR":
        return _drive_back_attackers(clash, address, n, why)
    if kind == "DR":
        events, next_tasks = _drive_back_defenders(clash, address, n, why)
        return events, (*next_tasks, onward)
    return (), ()


def _drive_back_attackers(
    clash: ShockFacts, address: str, hexes: int, why: str
) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """Apply AR: attackers retreat and test, cavalry by S9; unlimbered guns are lost.

    Rule: T6.
    """
    stacks = sorted({unit.at for unit in clash.attackers})
    side = clash.attacker.side
    guns = [unit for hex_id in stacks for unit in clash.state.fighting(hex_id, side) if unit.is_unlimbered]
    events = tuple(event("eliminated", "T6", side=gun.side, units=[gun.id], at=gun.at) for gun in guns)
    foot = [unit.id for unit in clash.attackers if unit.kind != "cav"]
    next_tasks = [Task("retreat", (address, ident, hexes, clash.target, "T6")) for ident in foot]
    riders = [unit.id for unit in clash.attackers if unit.kind == "cav"]
    back = [Task("withdraw", (address, ident, clash.target, "-")) for ident in riders]
    ids = tuple(unit.id for unit in clash.attackers)
    remaining = tuple(Task("bereft", (hex_id, side)) for hex_id in stacks)
    return events, (*next_tasks, *back, *remaining, *morale_tasks(address, ids, clash.target, why))


def _drive_back_defenders(
    clash: ShockFacts, address: str, hexes: int, why: str
) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """Apply DR: defenders retreat and test; their unlimbered guns are lost (T6)."""
    guns = [unit.id for unit in clash.defenders if unit.is_unlimbered]
    side = clash.defender.side
    events = (event("eliminated", "T6", side=side, units=guns, at=clash.target),) if guns else ()
    rest = tuple(unit.id for unit in clash.defenders if unit.id not in guns)
    next_tasks = tuple(Task("retreat", (address, ident, hexes, clash.attacker.at, "T6")) for ident in rest)
    return events, (
        *next_tasks,
        Task("bereft", (clash.target, side)),
        *morale_tasks(address, rest, clash.attacker.at, why),
    )


def lose_from_stack(state: State, task: Task) -> Outcome:
    """Take PF from a leading unit, the excess from the next counters of its hex.

    Rules: T6, R6.

    Arguments: address, counter, PF.
    """
    address, ident, pf = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    events, next_tasks = loss_effects(state, unit, pf, "shock", address)
    if pf > unit.pf:
        mates = [mate for mate in state.fighting(unit.at, unit.side) if mate.id != ident]
        heir = best_unit(mates)
        if heir is not None:
            next_tasks = (*next_tasks, Task("bleed", (address, heir.id, pf - unit.pf)))
    return Did(events, next_tasks)


# S5, T6 How the strengths of a shock came about, hex by hex: what was divided, doubled, halved; and its modifiers.


def shock_from_event(data: Data, before: State) -> ShockFacts | None:
    """Return an event's shock from the position before it; None if units are missing."""
    named_ids = (*data["attackers"], *data["defenders"], data["unit"], data["target"])
    if not all(ident in before.units for ident in named_ids):
        return None
    ours = tuple(before.units[ident] for ident in data["attackers"])
    theirs = tuple(before.units[ident] for ident in data["defenders"])
    lead, defender = before.units[data["unit"]], before.units[data["target"]]
    return ShockFacts(before, ours, lead, theirs, defender, data["at"], is_square(list(theirs)))


def strength_lines(clash: ShockFacts) -> Iterator[Msg]:
    """Yield a line for each side whose strength is not a plain sum of PF."""
    attack = attacking_stacks(clash)
    if len(attack) > 1 or any(stack.strength != stack.pf for stack in attack):
        yield msg("attack: {parts}", parts=_row([_stack_line(clash, stack) for stack in attack]))
    if any(unit.state == DISORDERED for unit in clash.defenders):
        yield msg("defence: {parts}", parts=_row(list(map(_defender, clash.defenders))))


def _row(parts: Sequence[Msg]) -> Msg:
    text, *rest = parts
    for part in rest:
        text = msg("{a}; {b}", a=text, b=part)
    return text


def _stack_line(clash: ShockFacts, stack: AttackingStack) -> Msg:
    gaps: dict[str, Any] = {"at": stack.at, "pf": stack.pf}
    if stack.strength == stack.pf and not stack.rear:
        return msg("{pf} PF from {at}", **gaps)
    sentence = msg("{pf} PF from {at} (the rear), doubled to {a}")
    if stack.divisor != 1:
        gaps["by"] = decimal(float(stack.divisor)) if stack.divisor.denominator > 1 else int(stack.divisor)
        gaps["ground"] = tuple(map(Msg, shock_grounds(clash.state.edition, stack.at, clash.target)))
        sentence = msg("{pf} PF from {at}, divided by {by} ({ground}) to {a}")
        if stack.rear:
            sentence = msg("{pf} PF from {at} (the rear), divided by {by} ({ground}) and doubled to {a}")
    return msg(sentence.text, a=mixed_number(stack.strength), **gaps)


def _defender(unit: Unit) -> Msg:
    if unit.state == DISORDERED:
        return msg("{unit} {pf} PF, disordered, counts half", unit=unit.id, pf=unit.pf)
    return msg("{unit} {pf} PF", unit=unit.id, pf=unit.pf)


_WORSE: Mapping[str, Msg] = {
    "T6.1": msg("each point by which the defender's commander has the better shock factor"),
    "T6.2": msg("each grade of will by which the defender's leading unit is better"),
}
"""How modifiers are worded when they turn against the attacker, to whom they belong."""


def signed_modifiers(modifiers: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return an event's nonzero modifiers, worded by their sign."""
    signed = [item for item in modifiers if item[1]]
    return [[rule, n, _WORSE[rule].text if n < 0 and rule in _WORSE else words] for rule, n, words in signed]


# T6 The sum of a shock before it comes: strengths, column, what the die gets and what each face of it brings.


_FACES = range(1, 7)
"""The faces of a die."""


def calculation_lines(rules: Rules[State], state: State, target: str, doctrine: Doctrine) -> Iterator[Msg]:
    """Yield the calculation of a marked assault's shock in the present position.

    Charge tests and fire come first and may change it; the odds include them.
    """
    lead = next((lead for hex_id, lead in state.assaults if hex_id == target), "")
    data = _shock(rules, state, Task("shock", (target, lead, (), 0)), doctrine)
    if data is None:
        return
    attack, defence = (mixed_number(strength) for strength in data["strengths"])
    yield msg(
        "if fire and charge tests change nothing: {a} to {b}, column {column}, {total} on the die: {cells}",
        a=attack,
        b=defence,
        column=data["column"],
        total=f"{data['total'] - data['die']:+d}",
        cells=", ".join(_results_by_face(state, data)),
    )
    clash = shock_from_event(data, state)
    if clash is not None:
        yield from strength_lines(clash)
    for rule, n, words in signed_modifiers(data["modifiers"]):
        yield msg("{n}: {why} [{rule}]", n=f"{n:+d}", why=Msg(words), rule=rule)


def _shock(rules: Rules[State], state: State, task: Task, doctrine: Doctrine) -> Mapping[str, Json] | None:
    """Return a shock event's data, whatever the die; None if there is no shock."""
    while not isinstance(outcome := rules.step(state, task), Did):
        answer = _answer(state, outcome, doctrine)
        if answer is None:
            return None
        task = Task(task.name, task.args, (*task.got, answer))
    return next((happened.data for happened in outcome.events if happened.kind == "shock"), None)


def _answer(state: State, outcome: Outcome, doctrine: Doctrine) -> Any:
    if isinstance(outcome, Roll):
        return Rolled("", outcome.n, outcome.sides, (1,) * outcome.n)
    return None if isinstance(outcome, Did) else doctrine.answer(state, outcome.window)


def _results_by_face(state: State, data: Data) -> Iterator[str]:
    """Yield results by die face, equal ones together: ``1-4 DR1``."""
    chart, more = state.edition.chart("shock"), data["total"] - data["die"]
    for cell, some in groupby(_FACES, lambda face: chart.cell(face + more, data["column"])):
        faces = list(some)
        yield f"{faces[0]}-{faces[-1]} {cell}" if len(faces) > 1 else f"{faces[0]} {cell}"


# What a report says of a shock, and its summary of it.


def strengths_in_words(shock: Event, before: State) -> tuple[Msg, ...]:
    """Return the calculation of a shock's strengths in words."""
    clash = shock_from_event(shock.data, before)
    return tuple(strength_lines(clash)) if clash is not None else ()


def _shock_text(data: Data, before: State) -> Msg:
    attack, defence = data["strengths"]
    sentence = msg("Shock at {hex}, {units} against {foes}: {a} to {b} ({column}), die {die}, total {total}: {cell}.")
    units, foes = tuple(data["attackers"]), tuple(data["defenders"])
    return fill_gaps(sentence, data, units=units, foes=foes, a=mixed_number(attack), b=mixed_number(defence))


def _no_shock_text(data: Data, before: State) -> Msg:
    attack, defence = data["strengths"]
    sentence = msg("{units} {units:|does|do} not assault {hex}: {a} to {b} is below 1 to 4.")
    return fill_gaps(sentence, data, units=tuple(data["attackers"]), a=mixed_number(attack), b=mixed_number(defence))


_YIELDS = ("retreats", "withdraws", "routed", "eliminated")
_TAKES = ("advances", "pursues")
"""Kinds of event that show that one side did not stand in a shock, and that the other took its hex."""


def shock_summary(shock: Event, before: State, seen: Seen) -> tuple[Msg, Msg, tuple[Msg, ...]]:
    """Return the attacking side, who won, and each side's losses."""
    data = shock.data
    ours, sides = data["side"], [before.units[ident].side for ident in data["defenders"] if ident in before.units]
    theirs = sides[0] if sides else ""
    gave = {alliance_of(happened.data["side"]) for happened, _ in seen if _gives_way(happened)}
    is_taken = any(happened.kind in _TAKES and happened.data["to"] == data["at"] for happened, _ in seen)
    winner = (
        ours
        if is_taken or alliance_of(theirs or ours) in gave - {alliance_of(ours)}
        else theirs
        if alliance_of(ours) in gave
        else ""
    )
    end = msg("undecided")
    if winner:
        end = msg("won") if winner == ours else msg("repulsed")
    losses = tuple(
        _loss_text(side, seen, before) for side in dict.fromkeys((ours, theirs)) if side and _has_losses(side, seen)
    )
    return _side_name(before, ours), end, losses


def _side_name(state: State, side: str) -> Msg:
    """Return the common name of a side and its friends, as in the points (S14)."""
    return SIDE_NAMES[scoring_side(state, side) or side]


def _gives_way(happened: Event) -> bool:
    return happened.kind in _YIELDS or (happened.kind == "loses" and not happened.data["left"])


def _has_losses(side: str, seen: Seen) -> bool:
    return bool(_pf_lost(side, seen) or losses_of_camp(side, seen))


def _pf_lost(side: str, seen: Seen) -> int:
    """Return a camp's PF lost, with counters eliminated or captured (S14)."""
    pf = 0
    for happened, before in seen:
        if happened.kind == "loses" and alliance_of(happened.data["side"]) == alliance_of(side):
            pf += happened.data["pf"]
        elif happened.kind == "eliminated" and alliance_of(happened.data["side"]) == alliance_of(side):
            pf += sum(before.units[ident].pf for ident in happened.data["units"] if ident in before.units)
    return pf


def all_losses(seen: Seen) -> tuple[str, ...]:
    return tuple(ident for side in ("british", "french") for ident in losses_of_camp(side, seen))


def losses_of_camp(side: str, seen: Seen) -> tuple[str, ...]:
    """Return a camp's counters lost in these events."""
    lost: dict[str, None] = {}
    for happened, before in seen:
        data = happened.data
        fatal = happened.kind in ("eliminated", "captured") or (happened.kind == "loses" and not data["left"])
        for ident in (data.get("units") or [data["unit"]]) if fatal else ():
            if ident in before.units and alliance_of(before.units[ident].side) == alliance_of(side):
                lost[ident] = None
    return tuple(lost)


def _loss_text(side: str, seen: Seen, before: State) -> Msg:
    pf, gone, name = _pf_lost(side, seen), losses_of_camp(side, seen), _side_name(before, side)
    lost = msg("{side} {pf} PF", side=name, pf=pf) if pf else msg("{side}", side=name)
    return msg("{lost} (out of play: {units})", lost=lost, units=gone) if gone else lost


ENTRY_SENTENCES: Mapping[str, Teller] = {"shock": _shock_text, "no shock": _no_shock_text}
EFFECT_SENTENCES: Mapping[str, Teller] = {"leads": sentence_teller(msg("{unit} leads the defence"))}
CHART_READS = {"shock": "shock"}
QUESTION_SENTENCES = {"defence": msg("{hex} is assaulted by {units}. Which counter of yours leads the defence?")}
