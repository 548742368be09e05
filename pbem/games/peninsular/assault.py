"""S5, S6, S7 Before the shock: charge tests, defensive fire, offensive fire."""

from __future__ import annotations

from pbem.engine.data.events import event
from pbem.engine.map.hexes import distance
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice
from pbem.games.peninsular.fire import in_sight, may_fire, targets
from pbem.games.peninsular.legality import not_carried_out
from pbem.games.peninsular.morale import Trial, suffer, told_test
from pbem.games.peninsular.orders import Fire
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits
from pbem.games.peninsular.units import ROUTED, Unit, grade

EACH_SIDE, ONE_SIDE = 4, 2
"""S7 The part of its PF that a square fires: at each side it is assaulted from, and at one by order."""


def squares(units: list[Unit]) -> bool:
    """S6 Whether a hex counts as one square: all its infantry is in square, and there is some."""
    foot = [unit for unit in units if unit.kind == "inf"]
    return bool(foot) and all(unit.square for unit in foot)


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
