"""T6, S5 The shock: who fights, at what odds, what comes of it; its sum in words."""

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
from pbem.engine.reasons import Teller, fill_gaps, says
from pbem.engine.run.questions import Option
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Rolled, Rules, Task, Window, choice, die
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import SIDE_NAMES, camp
from pbem.games.peninsular.morale import lose, read_roll, summed, try_each
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import DIVISORS, shock_letter
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, best, grade, squares
from pbem.games.peninsular.victory import Seen, party

ROUTED_GIVE_WAY = 2
"""S6 Hexes that routed counters retreat without a fight."""
Strength = int | Fraction
"""PF as they count in a shock: whole as long as nothing divides them."""
_RESULT = re.compile(r"(?P<kind>AB|AR|BM|DR|DB|SE)(?P<n>\d?)")


class Clash(NamedTuple):
    """A shock: the attackers, the leading unit of either side, the defenders, the hex they stand in, and whether the
    defence counts as a square (S6)."""

    state: State
    attackers: tuple[Unit, ...]
    attacker: Unit
    defenders: tuple[Unit, ...]
    defender: Unit
    target: str
    squared: bool


def _commander(clash: Clash) -> int:
    ours = clash.state.commanders(clash.attacker.at, clash.attacker.side)
    theirs = clash.state.commanders(clash.target, clash.defender.side)
    best_of = max((unit.shock for unit in ours), default=0), max((unit.shock for unit in theirs), default=0)
    return best_of[0] - best_of[1]


def _heavy(clash: Clash) -> int:
    heavy = [unit for unit in clash.attackers if unit.kind == "cav" and unit.size == "heavy"]
    met = any(unit.kind == "cav" and unit.size == "heavy" for unit in clash.defenders)
    return bool(heavy) and not clash.squared and not met


def _sides(clash: Clash) -> set[str]:
    """The sectors of the leading defender that attackers come from."""
    facing = clash.defender
    if not facing.faces or clash.squared:
        return set()
    return {sector(clash.target, facing.facing, unit.at) for unit in clash.attackers}


def _formed(unit: Unit) -> bool:
    return unit.kind == "inf" and unit.formation == "formed"


SHOCK_MODIFIERS: Mapping[str, Callable[[Clash], int]] = {
    "T6.1": _commander,
    "T6.2": lambda clash: grade(clash.defender.will) - grade(clash.attacker.will),
    "T6.3": lambda clash: clash.state.order_of(clash.attacker) == "ATTACK",
    "T6.4": lambda clash: clash.attacker.kind == "cav" and clash.squared,
    "T6.5": _heavy,
    "T6.6": lambda clash: _formed(clash.attacker) and clash.defender.kind == "inf" and clash.defender.skirmishing,
    "T6.7": lambda clash: _formed(clash.attacker) and clash.squared,
    "T6.8": lambda clash: FLANK in _sides(clash),
    "T6.9": lambda clash: REAR in _sides(clash),
}
_modifiers = EditionModifiers("shock", SHOCK_MODIFIERS)


def shocks(state: State, task: Task) -> Outcome:
    """S5 The assaults of the half, in the order they were told."""
    return Did((), tuple(Task("shock", (target, lead, (), 0)) for target, lead in state.assaults))


def attackers(state: State, target: str, ids: tuple[str, ...]) -> tuple[Unit, ...]:
    """S5 Return who still assaults a hex: marked, steady, not halted, next to it; or those of `ids` that are left."""
    chosen = [state.units[ident] for ident in sorted(ids) if ident in state.units] if ids else state.marked(target)
    return tuple(u for u in chosen if u.state == NORMAL and not u.halted and distance(u.at, target) == 1)


class Stack(NamedTuple):
    """The attackers of one hex: their PF, what their worst letter divides them by (1 for nothing), and whether they
    come from the rear."""

    at: str
    pf: int
    divisor: Fraction
    rear: bool

    @property
    def strength(self) -> Strength:
        """S5, T1, T6.9 What they count: divided, and doubled from the rear; fractions are kept."""
        divided: Strength = self.pf if self.divisor == 1 else self.pf / self.divisor
        return divided * 2 if self.rear else divided


def stacks(clash: Clash) -> tuple[Stack, ...]:
    """S5 Return the attackers hex by hex."""
    return tuple([_stack(clash, at) for at in sorted({unit.at for unit in clash.attackers})])


def _stack(clash: Clash, at: str) -> Stack:
    facing = clash.defender
    rear = facing.faces and not clash.squared and sector(clash.target, facing.facing, at) == REAR
    divisor = DIVISORS.get(shock_letter(clash.state.edition, at, clash.target), Fraction(1))
    return Stack(at, sum([unit.pf for unit in clash.attackers if unit.at == at]), divisor, rear)


def strengths(clash: Clash) -> tuple[Strength, Strength]:
    """S5, T1 Return both sides' PF; disordered defenders count half (S6)."""
    attack: Strength = sum([stack.strength for stack in stacks(clash)])
    defence: Strength = sum([Fraction(u.pf, 2) if u.state == DISORDERED else u.pf for u in clash.defenders])
    return attack, defence


class Outlook(NamedTuple):
    """T6 A shock as it would be: both strengths, the column, what is added to the die."""

    attack: Strength
    defence: Strength
    column: str
    modifier: int


def foreseen(state: State, target: str, units: Sequence[Unit], leader: str) -> Outlook | None:
    """T6 Return the shock of these attackers as it would be with that leader of the defence; None if there is none."""
    foes = [foe for foe in state.foes(target, state.phase) if foe.state != ROUTED]
    marked = next((lead for at, lead in state.assaults if at == target), "")
    lead = next((unit for unit in units if unit.id == marked), None) or best(list(units))
    led = next((foe for foe in foes if foe.id == leader), None)
    if lead is None or led is None:
        return None
    clash = Clash(state, tuple(units), lead, tuple(foes), led, target, squares(foes))
    attack, defence = strengths(clash)
    try:
        column = state.edition.chart("shock").odds(attack, defence)
    except KeyError:
        return None
    return Outlook(attack, defence, column, summed(_modifiers(state.edition).holding(clash)))


def tell_leader(view: State, target: str, bold: Sequence[Unit], option: Option) -> Option:
    """T6 What the shock would be under a leader of the defence: strengths, column, what is added to the die."""
    found = foreseen(view, target, bold, option.value[0]) if option.value else None
    if found is None:
        return option
    told = msg(
        "{name}: {a} PF to {b}, column {column}, {n} to the die",
        name=option.value[0],
        a=mixed(found.attack),
        b=mixed(found.defence),
        column=found.column,
        n=f"{found.modifier:+d}",
    )
    return option._replace(text=told)


def too_weak(state: State, target: str, units: Sequence[Unit]) -> tuple[Strength, Strength] | None:
    """T6 Return the strengths by which these attackers would be below 1:4 as things stand, whoever leads the defence;
    None if there would be a shock, or nobody left to fight."""
    foes = [foe for foe in state.foes(target, state.phase) if foe.state != ROUTED]
    lead = best(list(units))
    if lead is None or not foes:
        return None
    clashes = (Clash(state, tuple(units), lead, tuple(foes), foe, target, squares(foes)) for foe in foes)
    attack, defence = max((strengths(clash) for clash in clashes), key=lambda found: found[0])
    try:
        state.edition.chart("shock").odds(attack, defence)
    except KeyError:
        return attack, defence
    return None


def no_shock(attack: Strength, defence: Strength) -> Msg:
    """T6 Return what is said of an assault that is too weak: the strengths, and the proportion they are below."""
    return msg("{a} PF against {b}, below 1:4: no shock takes place", a=mixed(attack), b=mixed(defence))


def shock(state: State, task: Task) -> Outcome:
    """T6, S5 One shock. Arguments: hex, leading unit, attackers (empty: all who are marked), attacks out of control.

    Routed counters of the hex first retreat without a fight (S6).
    """
    target, lead, ids, wild = task.args
    units = attackers(state, target, ids)
    if not units:
        return Did()
    head = next((unit for unit in units if unit.id == lead), None) or best(list(units))
    assert head is not None  # noqa: S101 - there are units
    where = f"{head.at}>{target}"
    foes = state.foes(target, head.side)
    routed = [unit.id for unit in foes if unit.state == ROUTED]
    if routed:
        flee = tuple(Task("retreat", (where, ident, ROUTED_GIVE_WAY, head.at, "S6")) for ident in routed)
        return Did((), (*flee, Task("shock", task.args)))
    stack = tuple(unit.id for unit in units)
    if not foes:
        return Did((), (Task("advance", (target, head.id, stack, wild)),))
    if len(foes) > 1 and not task.got:
        ranked = sorted(foes, key=lambda u: (-u.pf, grade(u.will), u.id))
        return Ask(Window(where, "defence", state.answering_for(foes), "", tuple(u.id for u in ranked)))
    chosen = choice(task, 0) if len(foes) > 1 else None
    leader = state.units[chosen.value[0]] if chosen is not None else foes[0]
    clash = Clash(state, units, head, tuple(foes), leader, target, squares(foes))
    attack, defence = strengths(clash)
    try:
        column = state.edition.chart("shock").odds(attack, defence)
    except KeyError:
        return _forbidden(clash, attack, defence, wild)
    if len(task.got) == (0 if chosen is None else 1):
        return Roll(where, f"shock {head.id} > {leader.id}", 1, 6)
    modifiers = _modifiers(state.edition).holding(clash)
    roll = read_roll(state.edition, "shock", column, modifiers, die(task, len(task.got) - 1))
    told = event(
        "shock",
        "T6",
        side=head.side,
        attackers=list(stack),
        defenders=[unit.id for unit in foes],
        unit=head.id,
        target=leader.id,
        at=target,
        strengths=[_written(attack), _written(defence)],
        **roll,
    )
    named = event("leads", "S5", side=leader.side, unit=leader.id, by=chosen.by) if chosen is not None else None
    events, then = _result(clash, roll["cell"], where, wild)
    return Did((*((named,) if named else ()), told, *events), then)


def _forbidden(clash: Clash, attack: Strength, defence: Strength, wild: int) -> Outcome:
    """T6 Below 1:4 there is no shock; cavalry out of control is spent (S8)."""
    head, stack, odds = clash.attacker, [unit.id for unit in clash.attackers], [_written(attack), _written(defence)]
    told = event("no shock", "S5", side=head.side, attackers=stack, at=clash.target, strengths=odds)
    return Did((told,), (Task("spent", (head.id, clash.target)),) if wild else ())


def _written(value: Strength) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def mixed(strength: str | int | Fraction) -> str:
    """Return a strength as people write it, a fraction behind the whole: ``12 1/2`` for 25/2."""
    value = Fraction(strength)
    whole, rest = divmod(value.numerator, value.denominator)
    if not rest:
        return str(whole)
    part = f"{rest}/{value.denominator}"
    return f"{whole} {part}" if whole else part


def _result(clash: Clash, cell: str, where: str, wild: int) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """T6 What a cell does. A square stands against DR1, and DR2 costs it a point."""
    found = _RESULT.fullmatch(cell)
    assert found is not None  # noqa: S101 - the chart's legend holds nothing else
    kind, n = found["kind"], int(found["n"] or 1)
    if kind == "DR" and clash.squared:
        kind, n = ("SE", 0) if n == 1 else ("DB", 1)
    onward = Task("advance", (clash.target, clash.attacker.id, tuple(u.id for u in clash.attackers), wild))
    why = "after charge" if any(unit.charge for unit in clash.attackers) and not wild else ""
    if kind == "AB":
        return (), (Task("bleed", (where, clash.attacker.id, 1)),)
    if kind == "BM":
        ours, theirs = clash.attacker.id, clash.defender.id
        return (), (Task("bleed", (where, ours, 1)), Task("bleed", (where, theirs, 1)))
    if kind == "DB":
        return (), (Task("bleed", (where, clash.defender.id, n)), onward)
    if kind == "AR":
        return _repulsed(clash, where, n, why)
    if kind == "DR":
        events, then = _driven(clash, where, n, why)
        return events, (*then, onward)
    return (), ()


def _repulsed(clash: Clash, where: str, n: int, why: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """T6 AR: the attackers retreat and test, cavalry by S9; unlimbered guns of their stacks are eliminated."""
    stacks = sorted({unit.at for unit in clash.attackers})
    side = clash.attacker.side
    guns = [unit for at in stacks for unit in clash.state.fighting(at, side) if unit.unlimbered]
    events = tuple(event("eliminated", "T6", side=gun.side, units=[gun.id], at=gun.at) for gun in guns)
    foot = [unit.id for unit in clash.attackers if unit.kind != "cav"]
    then = [Task("retreat", (where, ident, n, clash.target, "T6")) for ident in foot]
    riders = [unit.id for unit in clash.attackers if unit.kind == "cav"]
    back = [Task("withdraw", (where, ident, clash.target, "-")) for ident in riders]
    ids = tuple(unit.id for unit in clash.attackers)
    left = tuple(Task("bereft", (at, side)) for at in stacks)
    return events, (*then, *back, *left, *try_each(where, ids, clash.target, why))


def _driven(clash: Clash, where: str, n: int, why: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """T6 DR: all defenders retreat and test; their unlimbered guns are eliminated."""
    guns = [unit.id for unit in clash.defenders if unit.unlimbered]
    side = clash.defender.side
    events = (event("eliminated", "T6", side=side, units=guns, at=clash.target),) if guns else ()
    rest = tuple(unit.id for unit in clash.defenders if unit.id not in guns)
    then = tuple(Task("retreat", (where, ident, n, clash.attacker.at, "T6")) for ident in rest)
    return events, (*then, Task("bereft", (clash.target, side)), *try_each(where, rest, clash.attacker.at, why))


def bleed(state: State, task: Task) -> Outcome:
    """T6, R6 A leading unit loses PF; what is beyond its own the next counters of its hex lose. Arguments: address,
    counter, PF."""
    where, ident, pf = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    events, then = lose(state, unit, pf, "shock", where)
    if pf > unit.pf:
        mates = [mate for mate in state.fighting(unit.at, unit.side) if mate.id != ident]
        heir = best(mates)
        if heir is not None:
            then = (*then, Task("bleed", (where, heir.id, pf - unit.pf)))
    return Did(events, then)


# S5, T6 How the strengths of a shock came about, hex by hex: what was divided, doubled, halved; and its modifiers.


def clash_of(data: Data, before: State) -> Clash | None:
    """Return the shock that an event tells, of the position before it; None if not all of it stands there any more."""
    named = (*data["attackers"], *data["defenders"], data["unit"], data["target"])
    if not all(ident in before.units for ident in named):
        return None
    ours = tuple(before.units[ident] for ident in data["attackers"])
    theirs = tuple(before.units[ident] for ident in data["defenders"])
    lead, led = before.units[data["unit"]], before.units[data["target"]]
    return Clash(before, ours, lead, theirs, led, data["at"], squares(list(theirs)))


def made_of(clash: Clash) -> Iterator[Msg]:
    """Return a line for the attack and one for the defence, where it is more than a sum of PF that changes nothing."""
    attack = stacks(clash)
    if len(attack) > 1 or any(stack.strength != stack.pf for stack in attack):
        yield msg("attack: {parts}", parts=_row(list(map(_stack_line, attack))))
    if any(unit.state == DISORDERED for unit in clash.defenders):
        yield msg("defence: {parts}", parts=_row(list(map(_defender, clash.defenders))))


def _row(parts: Sequence[Msg]) -> Msg:
    said, *rest = parts
    for part in rest:
        said = msg("{a}; {b}", a=said, b=part)
    return said


def _stack_line(stack: Stack) -> Msg:
    gaps: dict[str, Any] = {"at": stack.at, "pf": stack.pf}
    if stack.strength == stack.pf and not stack.rear:
        return msg("{pf} PF from {at}", **gaps)
    said = msg("{pf} PF from {at} (the rear), doubled to {a}")
    if stack.divisor != 1:
        gaps["by"] = decimal(float(stack.divisor)) if stack.divisor.denominator > 1 else int(stack.divisor)
        said = msg("{pf} PF from {at}, divided by {by} for the ground to {a}")
        if stack.rear:
            said = msg("{pf} PF from {at} (the rear), divided by {by} for the ground and doubled to {a}")
    return msg(said.text, a=mixed(stack.strength), **gaps)


def _defender(unit: Unit) -> Msg:
    if unit.state == DISORDERED:
        return msg("{unit} {pf} PF, disordered, counts half", unit=unit.id, pf=unit.pf)
    return msg("{unit} {pf} PF", unit=unit.id, pf=unit.pf)


_WORSE: Mapping[str, Msg] = {
    "T6.1": msg("each point by which the defender's commander has the better shock factor"),
    "T6.2": msg("each grade of will by which the defender's leading unit is better"),
}
"""What modifiers are for that are told as the attacker's and turn against him."""


def worded(modifiers: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return modifiers as an event lists them, each in words that suit its sign; what adds nothing is left out."""
    told = [item for item in modifiers if item[1]]
    return [[rule, n, _WORSE[rule].text if n < 0 and rule in _WORSE else words] for rule, n, words in told]


# T6 The sum of a shock before it comes: strengths, column, what the die gets and what each face of it brings.


_FACES = range(1, 7)


def sums(rules: Rules[State], state: State, target: str, own: Doctrine) -> Iterator[Msg]:
    """Yield how the assault on a hex that stands marked would be reckoned if it came to the shock as all stand now.

    Charge tests and fire come before it, and may change all of that; the odds count them.
    """
    lead = next((lead for at, lead in state.assaults if at == target), "")
    data = _shock(rules, state, Task("shock", (target, lead, (), 0)), own)
    if data is None:
        return
    attack, defence = (mixed(strength) for strength in data["strengths"])
    yield msg(
        "as all stand now: {a} to {b}, column {column}, {total} on the die: {cells}",
        a=attack,
        b=defence,
        column=data["column"],
        total=f"{data['total'] - data['die']:+d}",
        cells=", ".join(_by_face(state, data)),
    )
    clash = clash_of(data, state)
    if clash is not None:
        yield from made_of(clash)
    for rule, n, words in worded(data["modifiers"]):
        yield msg("{n}: {why} [{rule}]", n=f"{n:+d}", why=Msg(words), rule=rule)


def _shock(rules: Rules[State], state: State, task: Task, own: Doctrine) -> Mapping[str, Json] | None:
    """What the step of the shock tells, by some die; None if it comes to none."""
    while not isinstance(outcome := rules.step(state, task), Did):
        answer = _answer(state, outcome, own)
        if answer is None:
            return None
        task = Task(task.name, task.args, (*task.got, answer))
    return next((happened.data for happened in outcome.events if happened.kind == "shock"), None)


def _answer(state: State, outcome: Outcome, own: Doctrine) -> Any:
    if isinstance(outcome, Roll):
        return Rolled("", outcome.n, outcome.sides, (1,) * outcome.n)
    return None if isinstance(outcome, Did) else own.answer(state, outcome.window)


def _by_face(state: State, data: Data) -> Iterator[str]:
    """What the faces of the die bring, those that bring the same together: ``1-4 DR1``."""
    chart, more = state.edition.chart("shock"), data["total"] - data["die"]
    for cell, some in groupby(_FACES, lambda face: chart.cell(face + more, data["column"])):
        faces = list(some)
        yield f"{faces[0]}-{faces[-1]} {cell}" if len(faces) > 1 else f"{faces[0]} {cell}"


# What a report says of a shock, and its summary of it.


def strengths_in_words(shock: Event, before: State) -> tuple[Msg, ...]:
    """How the strengths of a shock came about."""
    clash = clash_of(shock.data, before)
    return tuple(made_of(clash)) if clash is not None else ()


def _tell_shock(data: Data, before: State) -> Msg:
    attack, defence = data["strengths"]
    told = msg(
        "Shock at {hex}, {units} against {foes}: {a} to {b}, column {column}; die {die}, with modifiers {total}: "
        "{cell}, {effect}."
    )
    effect = Msg(before.edition.chart("shock").legend[data["cell"]])
    units, foes = tuple(data["attackers"]), tuple(data["defenders"])
    return fill_gaps(told, data, units=units, foes=foes, a=mixed(attack), b=mixed(defence), effect=effect)


def _tell_no_shock(data: Data, before: State) -> Msg:
    attack, defence = data["strengths"]
    told = msg("{units} {units:|does|do} not assault {hex}: {a} to {b} is below 1 to 4.")
    return fill_gaps(told, data, units=tuple(data["attackers"]), a=mixed(attack), b=mixed(defence))


_YIELDS = ("retreats", "withdraws", "routed", "eliminated")
_TAKES = ("advances", "pursues")
"""What tells that a side did not stand in a shock, and that the other side took its hex."""


def sum_up(shock: Event, before: State, told: Seen) -> Msg:
    """Who won and who lost what, then strengths, die and what the chart says."""
    data = shock.data
    ours, sides = data["side"], [before.units[ident].side for ident in data["defenders"] if ident in before.units]
    theirs = sides[0] if sides else ""
    gave = {camp(happened.data["side"]) for happened, _ in told if _yields(happened)}
    taken = any(happened.kind in _TAKES and happened.data["to"] == data["at"] for happened, _ in told)
    winner = ours if taken or camp(theirs or ours) in gave - {camp(ours)} else theirs if camp(ours) in gave else ""
    won = msg("{hex} was assaulted by {side}, without a decision.", hex=data["at"], side=_side_name(before, ours))
    if winner:
        won = msg("{hex} was assaulted: {side} won.", hex=data["at"], side=_side_name(before, winner))
    attack, defence = data["strengths"]
    dice = msg(
        "Shock {a} to {b}, die {die}: {effect}.",
        a=mixed(attack),
        b=mixed(defence),
        die=data["die"],
        effect=Msg(before.edition.chart("shock").legend[data["cell"]]),
    )
    lost = tuple(_lost(side, told, before) for side in dict.fromkeys((ours, theirs)) if side and _hurt(side, told))
    return msg("{fight} Lost in the shock: {lost}. {dice}", fight=won, lost=lost or msg("nothing"), dice=dice)


def _side_name(state: State, side: str) -> Msg:
    """What the side is called that a side counts its points for: one name for all friends (S14)."""
    return SIDE_NAMES[party(state, side) or side]


def _yields(happened: Event) -> bool:
    return happened.kind in _YIELDS or (happened.kind == "loses" and not happened.data["left"])


def _hurt(side: str, told: Seen) -> bool:
    return bool(_steps(side, told) or gone_from(side, told))


def _steps(side: str, told: Seen) -> int:
    """S14 The PF that a camp lost, those of counters eliminated or captured among them."""
    pf = 0
    for one, before in told:
        if one.kind == "loses" and camp(one.data["side"]) == camp(side):
            pf += one.data["pf"]
        elif one.kind == "eliminated" and camp(one.data["side"]) == camp(side):
            pf += sum(before.units[ident].pf for ident in one.data["units"] if ident in before.units)
    return pf


def all_gone(told: Seen) -> tuple[str, ...]:
    return tuple(ident for side in ("british", "french") for ident in gone_from(side, told))


def gone_from(side: str, told: Seen) -> tuple[str, ...]:
    """The counters of a camp that were lost in these events."""
    found: dict[str, None] = {}
    for happened, before in told:
        data = happened.data
        fatal = happened.kind in ("eliminated", "captured") or (happened.kind == "loses" and not data["left"])
        for ident in (data.get("units") or [data["unit"]]) if fatal else ():
            if ident in before.units and camp(before.units[ident].side) == camp(side):
                found[ident] = None
    return tuple(found)


def _lost(side: str, told: Seen, before: State) -> Msg:
    pf, gone, name = _steps(side, told), gone_from(side, told), _side_name(before, side)
    lost = msg("{side} {pf} PF", side=name, pf=pf) if pf else msg("{side}", side=name)
    return msg("{lost} (out of play: {units})", lost=lost, units=gone) if gone else lost


HEADS: Mapping[str, Teller] = {"shock": _tell_shock, "no shock": _tell_no_shock}
EFFECTS: Mapping[str, Teller] = {"leads": says(msg("{unit} leads the defence"))}
READ = {"shock": "shock"}
ASKED = {"defence": msg("{hex} is assaulted by {units}. Which counter of yours leads the defence?")}
