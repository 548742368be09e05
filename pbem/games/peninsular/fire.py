"""T5, S7 Fire: who may fire at what, with how many points, what it does, and the odds of it."""

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
from pbem.engine.reasons import Teller, says
from pbem.engine.run.odds import FLOATS, Course, Reckoning, StepBudget, changes, spread
from pbem.engine.run.questions import Option, letter_of
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Rules, Task, Window, World, choice, die
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.morale import lose, read_roll, tell_roll, try_each
from pbem.games.peninsular.orders import Fire, not_carried_out, refuse_actors, tell_nobody_there
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import DIVISORS, blockers, cover_of_fire, dismounted, rounded, sees
from pbem.games.peninsular.units import DISORDERED, ROUTED, Unit, grade

TOP = 12
"""T5 The last column: what is above fires again."""
CLOSE = 2
"""S7 Hexes beyond which artillery fires at each counter of a hex."""

EACH_SIDE, ONE_SIDE = 4, 2
"""S7 The part of its PF that a square fires: at each side it is assaulted from, and at one by order."""
_RESULT = re.compile(r"(?P<lost>\d?)(?P<effect>[PMR]?)")


class Aim(NamedTuple):
    """A shot: firer and target, and which counter of the hex the target is for artillery at more than 2 hexes (from
    0; always 0 nearer by)."""

    firer: Unit
    target: Unit
    nth: int = 0


def _flank(aim: Aim) -> bool:
    return aim.target.faces and sector(aim.target.at, aim.target.facing, aim.firer.at) != FRONT


FIRE_MODIFIERS: Mapping[str, Callable[[Aim], int]] = {
    "T5.1": lambda aim: aim.target.square,
    "T5.2": lambda aim: aim.target.skirmishing,
    "T5.3": lambda aim: aim.target.unlimbered,
    "T5.4": lambda aim: aim.firer.kind == "art" and aim.firer.size == "light",
    "T5.5": lambda aim: aim.firer.kind == "art" and aim.firer.size == "heavy",
    "T5.6": lambda aim: grade(aim.firer.will) <= grade("B"),
    "T5.7": lambda aim: grade(aim.firer.will) >= grade("E"),
    "T5.8": lambda aim: (
        aim.firer.kind == "inf" and aim.firer.nation == "british" and grade(aim.firer.will) <= grade("C")
    ),
    "T5.9": lambda aim: aim.firer.fatigue if aim.firer.kind == "cav" else 0,
    "T5.10": _flank,
    "T5.11": lambda aim: aim.nth == 1,
    "T5.12": lambda aim: aim.nth >= 2,
}
_modifiers = EditionModifiers("fire", FIRE_MODIFIERS)


def reach(state: State, unit: Unit) -> int:
    """T10, S7 Return how many hexes a counter fires; 1 for infantry and dismounted cavalry."""
    if unit.kind != "art":
        return 1
    return unit.range or int(state.edition.chart("range").cell(unit.size, "range"))


def may_fire(state: State, unit: Unit, at: str) -> Refusal | None:
    """S7 Return why a counter may not fire at a hex as things stand, None if it may."""
    return able(state, unit) or _aims(state, unit, at)


def _aims(state: State, unit: Unit, at: str) -> Refusal | None:
    """Whether a counter that could fire has a target in a hex."""
    found = _bears(state, unit, at)
    if found is None and not state.foes(at, unit.side):
        return Refusal(("S7",), tell_nobody_there(state, at, unit.side), at)
    return found


def _bears(state: State, unit: Unit, at: str) -> Refusal | None:
    """Whether a counter that could fire reaches a hex, whoever is there."""
    if distance(unit.at, at) > reach(state, unit) or unit.at == at:
        why = msg("{hex} is out of range of {unit}", hex=at, unit=unit.id)
        return Refusal(("T10", "S7") if unit.kind == "art" else ("S7", "T10"), why, at)
    if unit.faces and sector(unit.at, unit.facing, at) != FRONT:
        return Refusal(("S7", "S3"), msg("{hex} is not in front of {unit}", hex=at, unit=unit.id), at)
    if not sees(state, unit.at, at):
        return Refusal(("S7",), _barred(state, unit, at), at)
    return None


def _barred(state: State, unit: Unit, at: str) -> Msg:
    """S7 What is in the way of the fire of a counter: wood or buildings, or ground that is higher than both ends."""
    ground = state.edition.map
    first = blockers(ground, unit.at, at)[0]
    if ground.level(first) > max(ground.level(unit.at), ground.level(at)):
        why = msg(
            "{unit} has no line of fire to {hex}: {blocker} is higher than both", unit=unit.id, hex=at, blocker=first
        )
        return why
    kind = Msg(ground.terrain(first))
    return msg(
        "{unit} has no line of fire to {hex}: {blocker} is in the way ({terrain})",
        unit=unit.id,
        hex=at,
        blocker=first,
        terrain=kind,
    )


def _field(state: State, unit: Unit) -> tuple[str, ...]:
    """The hexes a counter reaches with its fire: the same for whoever stands there, faces so and fires so far."""
    far, known = reach(state, unit), state.edition.remembered
    key = ("field of fire", unit.at, unit.facing if unit.faces else "", far)
    found: tuple[str, ...] | None = known.get(key)
    if found is None:
        found = known[key] = tuple([at for at in within(unit.at, far) if _bears(state, unit, at) is None])
    return found


def in_sight(state: State, unit: Unit) -> list[Unit]:
    """S7 Return the enemies that a counter may fire at as things stand."""
    if able(state, unit) is not None:
        return []
    there = state.enemy(unit.side).hexes
    return [foe for at in _field(state, unit) if at in there for foe in state.foes(at, unit.side)]


def able(state: State, unit: Unit) -> Refusal | None:
    """S7 Return why a counter may not fire at all as things stand, None if it may; no die before the fire mends it."""
    if unit.kind == "cmd" or (unit.kind == "cav" and not dismounted(state, unit)):
        return Refusal(("S7",), msg("{unit} does not fire", unit=unit.id), unit.id)
    if unit.fired:
        return Refusal(("S7",), msg("{unit} has fired already in this turn", unit=unit.id), unit.id)
    if unit.state == ROUTED:
        return Refusal(("S7",), msg("{unit} is routed", unit=unit.id), unit.id)
    if unit.limbered:
        return Refusal(("S7", "T8"), msg("{unit} is limbered", unit=unit.id), unit.id)
    if unit.kind == "art" and _silenced(state, unit):
        why = msg("{unit} was halted: it may not fire in this turn", unit=unit.id)
        return Refusal(("T5", "S7", "S1"), why, unit.id)
    if unit.assault:
        return Refusal(("S7", "S5"), msg("{unit} is to assault and does not fire", unit=unit.id), unit.id)
    return None


def _silenced(state: State, unit: Unit) -> bool:
    """T5 Whether a P result bars a battery in this turn: S7a the one after it, before that ruling from then on."""
    if state.edition.reread:
        return unit.nofire < 0 or unit.nofire == state.turn
    return unit.nofire >= state.turn


def points(state: State, unit: Unit, at: str, share: int = 1) -> int:
    """S7, T10, R7, R4 Return the fire points of a counter at a hex; `share` is the part a square gives to one side.

    S7a Factor and letter are reckoned exactly and rounded once.
    """
    cover = DIVISORS.get(cover_of_fire(state.edition, unit.at, at), Fraction(1))
    if unit.kind == "art":
        squares = any(mate.square for mate in state.own(unit.at, unit.side))
        row = state.edition.chart("factor").cell(distance(unit.at, at), "square" if squares else "alone")
        factor = _factor(row)
        if state.edition.reread:
            exact = unit.fire * factor / cover
            return rounded(exact.numerator, exact.denominator)
        base = rounded(unit.fire * factor.numerator, factor.denominator)
    else:
        base = -(-unit.pf // share) if unit.square else unit.pf
        if unit.skirmishing:
            base = -(-base // 2)
        if unit.state == DISORDERED:
            base = -(-base // 2)
    return rounded(base * cover.denominator, cover.numerator)


@cache
def _factor(cell: str) -> Fraction:
    """T10.1 The number in ``x3/2``."""
    return Fraction(cell.removeprefix("x"))


def targets(state: State, at: str, side: str) -> list[Unit]:
    """S7 Return a side's enemies in a hex, the first to be hit first: assaulting, most PF, weakest will, id."""
    return sorted(state.foes(at, side), key=lambda u: (not u.assault, -u.pf, -grade(u.will), u.id))


def refuse_fire(state: State, order: Fire) -> Refusal | None:
    """S7 Return what stands against an order to fire that no event can mend."""
    found = refuse_actors(state, order.units, True, "S7")
    if found is not None:
        return found
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        if unit.kind == "cmd":
            return Refusal(("S7",), msg("{unit} does not fire", unit=unit.id), unit.id)
    return None


def hold_fire(state: State, task: Task) -> Outcome:
    """S1 FIRE is kept until the fire of the half."""
    order: Fire = task.args[0]
    refused = refuse_fire(state, order)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    data = {"side": state.phase, "units": list(order.units), "at": order.at, "line": order.line}
    return Did((Event("fire ordered", "S1", data, seats_to_notify(state, state.edition.seats_of(state.phase))),))


def defensive_fire(state: State, task: Task) -> Outcome:
    """S7 The side that is not moving fires first, counter by counter in id order."""
    firers = [unit.id for unit in state.enemies(state.phase) if unit.is_combat]
    return Did((), tuple([Task("defend", (ident,)) for ident in firers]))


def defend(state: State, task: Task) -> Outcome:
    """S7 A counter of the side not moving fires, if its doctrine finds a target. Argument: the counter.

    A square gives a quarter to each side it is assaulted from.
    """
    (ident,) = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    seen = in_sight(state, unit)
    if not seen:
        return Did()
    if not task.got:
        options = ("ASSAULTERS", "NEAREST", "AT WILL", "HOLD")
        where = f"{unit.at}>{_first(seen, unit).at}"
        return Ask(Window(where, "fire", state.answerer(unit), ident, options))
    chosen = choice(task, 0)
    hexes = aimed_at(unit, chosen.value[0], seen)
    by = chosen.by if chosen.by != "default" else ""
    return Did((), tuple(Task("fire at", (ident, at, EACH_SIDE, by)) for at in hexes))


def aimed_at(unit: Unit, how: str, seen: list[Unit]) -> list[str]:
    """S7 Return the hexes that a counter fires at which answers so, `seen` being the enemies that it may fire at."""
    bold = [foe for foe in seen if foe.assault == unit.at]
    if not seen or how == "HOLD" or (how == "ASSAULTERS" and not bold):
        return []
    if how == "NEAREST" or not bold:
        return [_first(seen, unit).at]
    return sorted({foe.at for foe in bold}) if unit.square else [_likeliest(bold).at]


def _likeliest(foes: list[Unit]) -> Unit:
    """S7 The target in the order of the rules: most PF, weakest will, id."""
    return min(foes, key=lambda foe: (-foe.pf, -grade(foe.will), foe.id))


def _first(foes: list[Unit], unit: Unit) -> Unit:
    """The nearest of them; of equally near ones the one S7 prefers."""
    if len(foes) == 1:
        return foes[0]
    key = {foe.id: distance(unit.at, foe.at) for foe in foes}
    return min(foes, key=lambda foe: (key[foe.id], not foe.assault, -foe.pf, -grade(foe.will), foe.id))


def offensive_fire(state: State, task: Task) -> Outcome:
    """S7 Then the moving side fires, as it was ordered."""
    return Did((), tuple(Task("fire order", (ids, at, line)) for ids, at, line in state.shots))


def fire_order(state: State, task: Task) -> Outcome:
    """S7 FIRE: those named fire one after another; an order one of them cannot carry out is refused whole.

    Arguments: counters, hex, line of the order. A square that fires by order at one side gives half.
    """
    ids, at, line = task.args
    for ident in ids:
        unit = state.units.get(ident)
        found = may_fire(state, unit, at) if unit is not None else None
        if found is not None:
            return Did((not_carried_out(state, Fire(line, ids, at), found),))
    alive = [ident for ident in ids if ident in state.units and targets(state, at, state.phase)]
    return Did((), tuple(Task("fire at", (ident, at, ONE_SIDE, "")) for ident in alive))


def fire_at(state: State, task: Task) -> Outcome:
    """S7, T5 A counter fires at a hex. Arguments: counter, hex, share of a square's fire, and by whose choice.

    Artillery at more than 2 hexes rolls for each counter of the hex; more than 12 points roll again on the rest.
    """
    ident, at, share, by = task.args
    unit = state.units.get(ident)
    if unit is None or unit.state == ROUTED or not state.foes(at, unit.side):
        return Did()
    worth = points(state, unit, at, share)
    far = unit.kind == "art" and distance(unit.at, at) > CLOSE
    aimed = targets(state, at, unit.side)[: None if far else 1]
    more = {"by": by} if by else {}
    told = event("fires", "S7", side=unit.side, unit=ident, at=at, points=worth, **more)
    columns = _columns(worth)
    shots = [
        Task("shot", (ident, at, target.id, nth, column, far)) for nth, target in enumerate(aimed) for column in columns
    ]
    return Did((told,), tuple(shots))


def _columns(worth: int) -> list[int]:
    return [TOP] * (worth // TOP) + ([worth % TOP] if worth % TOP else [])


def shot(state: State, task: Task) -> Outcome:
    """T5 One roll. Arguments: firer, hex, target, which counter it is, column, whether the target is bound to be it.

    Nearer than 3 hexes the next counter of the hex takes the place of a target that is gone.
    """
    ident, at, name, nth, column, bound = task.args
    firer = state.units.get(ident)
    if firer is None or firer.state == ROUTED:
        return Did()
    target = state.units.get(name)
    if target is None or target.at != at:
        left = targets(state, at, firer.side)
        if bound or not left:
            return Did()
        target = left[0]
    where = f"{firer.at}>{at}"
    if not task.got:
        return Roll(where, f"fire {ident} > {target.id}", 1, 6)
    modifiers = _modifiers(state.edition).holding(Aim(firer, target, nth))
    roll = read_roll(state.edition, "fire", column, modifiers, die(task, 0))
    told = event("volley", "T5", side=firer.side, unit=ident, target=target.id, **roll)
    events, then = _effect(state, target, roll["cell"], where)
    return Did((told, *events), then)


def _effect(state: State, target: Unit, cell: str, where: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    found = _RESULT.fullmatch(cell)
    if found is None:
        return (), ()
    events, then = lose(state, target, int(found["lost"]), "fire", where) if found["lost"] else ((), ())
    if found["effect"]:
        then = (*then, Task("struck", (where, target.at, target.id, found["effect"])))
    return events, then


def struck(state: State, task: Task) -> Outcome:
    """T5 P, M or R, after losses. Arguments: address, hex, target, letter.

    A target that is eliminated feels nothing more; a P still halts the rest of its hex.
    """
    where, at, ident, letter = task.args
    target = state.units.get(ident)
    against = where.partition(">")[0]
    if letter == "P":
        return _halt(state, where, at, ident)
    if target is None or target.at != at:
        return Did()
    others = tuple(unit.id for unit in state.fighting(at, target.side) if unit.id != ident)
    if letter == "M":
        return Did((), (Task("test", (where, ident, against, "", others)),))
    if not task.got:
        return Ask(Window(where, "retreat", state.answerer(target), ident, ("1", "2")))
    chosen = choice(task, 0)
    hexes = int(chosen.value[0])
    told = event("gives way", "T5", side=target.side, unit=ident, hexes=hexes, by=chosen.by)
    guns = [u.id for u in state.fighting(at, target.side) if u.unlimbered] if hexes == 2 else []
    lost = (event("eliminated", "T5", side=target.side, units=guns, at=at),) if guns else ()
    then: tuple[Task, ...] = (Task("bereft", (at, target.side)),) if guns else ()
    if ident not in guns:
        then = (Task("retreat", (where, ident, hexes, against, "S12")), *then)
    return Did((told, *lost), (*then, *try_each(where, tuple(i for i in others if i not in guns), against)))


def _halt(state: State, where: str, at: str, ident: str) -> Outcome:
    """T5 P: the stack may not shock; a target without an assault marker tests, and so does an unlimbered battery."""
    side = next((unit.side for unit in state.at(at)), "")
    stack: Sequence[Unit] = state.fighting(at, side) if side else ()
    if not stack:
        return Did()
    events = [event("halted", "T5", side=side, units=[unit.id for unit in stack], target=ident)]
    target = state.units.get(ident)
    if target is None or target.at != at:
        return Did(tuple(events))
    if target.unlimbered:
        # S7a Who is barred already stays so, and is barred in the next turn as well: that is told by the sign.
        both = state.edition.reread and _silenced(state, target)
        until = -(state.turn + 1) if both else state.turn + 1
        events.append(event("no fire", "T5", side=side, unit=ident, until=until))
    wanted = target.unlimbered or not target.assault
    return Did(tuple(events), try_each(where, (ident,), where.partition(">")[0]) if wanted else ())


# S7, T5 What a FIRE does, over all its dice: for ODDS, for VERIFY and the receipt, and for the order form.


class FireOdds(NamedTuple):
    """What a FIRE does to those in the hex: the mean number of PF that they lose, the chance that nothing happens to
    them, and of each thing that can happen the chance that it does to one of them at least."""

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


def fire_odds(rules: Rules[State], state: State, order: Fire, own: Doctrine, reckoning: Reckoning = FLOATS) -> FireOdds:
    """Return what a FIRE does by itself in a position, the enemy following the defaults."""
    foes = state.foes(order.at, state.phase)
    world = World(state, (Task("fire order", (order.units, order.at, order.line)),))
    changed = changes(state.units)
    ends = spread(rules, Course(world, lambda one: (changed(one.units), tuple(one.dead.items()))), own, reckoning)
    lost = nothing = reckoning.one - reckoning.one
    chances = dict.fromkeys(_HAPPENS, lost)
    for end, weight in ends:
        pairs = [(foe, end.state.units.get(foe.id)) for foe in foes]
        taken = sum(was.pf - (now.pf if now is not None else 0) for was, now in pairs)
        befell = [name for name, (_, holds) in _HAPPENS.items() if any(holds(was, now) for was, now in pairs)]
        lost += weight * taken
        for name in befell:
            chances[name] += weight
        if not (taken or befell):
            nothing += weight
    return FireOdds(lost, nothing, chances)


def pay_for_fire(rules: Rules[State], state: State, order: Fire, own: Doctrine, purse: StepBudget) -> FireOdds | None:
    """Return the odds of a FIRE out of a purse; None if it is too small for them."""
    standing = tuple((seat, tuple(lines)) for seat, lines in own.standing.items())
    key = ("fire", state.edition.digest, state.key(), order.units, order.at, standing)
    return purse.pay(key, lambda step: fire_odds(rules, state, order, own, Reckoning(step=step)))


def _lines(state: State, order: Fire, odds: FireOdds) -> Iterator[Msg]:
    """The same in words, with the points that each fires with."""
    firers = [state.units[ident] for ident in order.units if ident in state.units]
    fires = tuple(msg("{unit} {points}", unit=unit.id, points=points(state, unit, order.at, 2)) for unit in firers)
    yield msg(
        "Fire at {at}, points: {fires}; PF that the enemy loses on average: {lost}; without effect {nothing} %",
        at=order.at,
        fires=fires,
        lost=decimal(odds.lost),
        nothing=percent(odds.nothing),
    )
    likely = [(name, chance) for name, chance in odds.chances.items() if chance >= 0.005]
    if likely:
        said = tuple(
            msg("{what} {percent} %", what=_HAPPENS[name][0], percent=percent(chance)) for name, chance in likely
        )
        yield msg("at least one of them: {chances}", chances=said)


def fire_told(rules: Rules[State], state: State, order: Fire, own: Doctrine, purse: StepBudget) -> tuple[Msg, ...]:
    """What is told of a FIRE in the position in which orders leave it; nothing if the purse is too small."""
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        found = may_fire(state, unit, order.at)
        if found is not None:
            return (msg("Fire at {at}: no odds as things stand ({why})", at=order.at, why=found.why),)
    odds = pay_for_fire(rules, state, order, own, purse)
    return () if odds is None else tuple(_lines(state, order, odds))


# What is asked about fire, and what a report says of it.


def tell_aims(view: State, window: Window, text: Msg, options: Sequence[Option]) -> tuple[Msg, tuple[Option, ...]]:
    """S7 What each answer comes to as things stand, and which come to the same."""
    unit = view.units[window.subject]
    seen = in_sight(view, unit)
    aims = [tuple(aimed_at(unit, option.value[0], seen)) for option in options]
    told = tuple(
        option._replace(
            text=msg("{answer} (now {hexes})", answer=option.text, hexes=hexes)
            if hexes
            else msg("{answer} (now nobody)", answer=option.text)
            if option.value[0] != "HOLD"
            else option.text
        )
        for option, hexes in zip(options, aims, strict=True)
    )
    for same in _alike(aims):
        letters = tuple(letter_of(place) for place in same)
        text = msg("{asked} {answers} come to the same now.", asked=text, answers=letters)
    return text, told


def _alike(aims: Sequence[tuple[str, ...]]) -> Iterator[list[int]]:
    """The places of the answers that come to the same, where there are several."""
    for one in dict.fromkeys(aims):
        places = [place for place, other in enumerate(aims) if other == one]
        if len(places) > 1:
            yield places


HEADS: Mapping[str, Teller] = {"fires": says(msg("{unit} fires at {hex}, fire points {points}."))}
DETAILS: Mapping[str, Teller] = {
    "volley": tell_roll(
        "fire", msg("{unit} at {target}: die {die}, with modifiers {total}, column {column}: {cell}, {effect}")
    ),
}
EFFECTS: Mapping[str, Teller] = {
    "halted": says(msg("{units} {units:|is|are} halted")),
    "no fire": says(msg("{unit} may not fire in the next turn")),
    "gives way": says(msg("{unit} gives way by {hexes}")),
}
READ = {"volley": "fire"}
ASKED = {
    "fire": msg("{unit} in {hex} can fire; the nearest enemy is in {origin}. At whom does it fire?"),
    "retreat": msg("{unit} in {hex} must give way to the fire from {origin}. How many hexes?"),
}
ASKED_ASSAULTED = msg(
    "{unit} in {hex} can fire; it is assaulted by {units}, and the nearest enemy is in {origin}. At whom does it fire?"
)
