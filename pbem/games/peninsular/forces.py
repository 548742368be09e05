"""Write the forces of a report.

At first all counters by division, later those that changed, moved or turned.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import Block, Table
from pbem.engine.data.score_sheet import join_parts
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import NORMAL, ORDER_NAMES, STATE_NAMES, Unit


def forces_block(
    view: State, ours: str, title: Msg, before: State | None, orders: bool = False, known_ids: Collection[str] = ()
) -> Block:
    """Return the counters by division and hex, as lines and as a table.

    `orders` adds the orders in force; `known_ids` are counters whose moves the reader knows. With `before` the lines
    have only counters that differ from it, by hex alone.
    """
    chiefs = {division.commander: name for name, division in view.divisions.items()}
    groups: dict[str, list[Unit]] = {}
    for ident, unit in sorted(view.units.items()):
        if unit.camp == ours:
            groups.setdefault(unit.division or chiefs.get(ident, ""), []).append(unit)
    was = {} if before is None else before.units
    changed = [unit for units in groups.values() for unit in units if _condition(was.get(unit.id)) != _condition(unit)]
    lines, rows = [(0, _hex_lines(view, changed))] if changed and before is not None else [], []
    # Counters without a division come last, and in each division its commander first.
    for name, units in sorted(groups.items(), key=lambda group: (not group[0], group[0])):
        units.sort(key=lambda unit: unit.is_combat)
        division = _division_line(view, name, orders)
        rows.append((division, tuple(_row(view, unit) for unit in units)))
        if before is None:
            lines.append((0, _division_hexes(view, division, units)))
    moved = [
        unit
        for units in groups.values()
        for unit in units
        if unit not in changed and unit.id not in known_ids and _place(unit) != _place(was.get(unit.id, unit))
    ]
    lines += [(0, msg("Moved or turned (front): {stacks}", stacks=join_parts(_stack_names(moved))))] if moved else []
    if before is not None:
        title = msg("{forces}, what has changed (MAP lists all)", forces=title)
    return Block(title, tuple(lines), whole=True, table=Table(_COLUMNS, tuple(rows)) if rows else None)


def _division_hexes(view: State, division: Msg, units: Sequence[Unit]) -> Msg:
    """Return a division's counters by hex; a front that all have is told once."""
    fronts = [unit.facing for unit in units if unit.is_combat and unit.faces]
    if len(fronts) < 2 or len({*fronts}) > 1:
        return msg("{division}: {units}", division=division, units=_hex_lines(view, units))
    stacks = _hex_lines(view, [unit._replace(facing="") for unit in units])
    return msg("{division}, facing {facing}: {units}", division=division, facing=fronts[0], units=stacks)


def _hex_lines(view: State, units: Sequence[Unit]) -> Msg:
    """Return counters by hex, in one line."""
    hexes = sorted({unit.at for unit in units})
    return join_parts([_hex_line(view, [unit for unit in units if unit.at == hex_id]) for hex_id in hexes])


def _stack_names(units: Sequence[Unit]) -> list[Msg]:
    """Return each hex of counters with their names."""
    stacks = {hex_id: [unit for unit in units if unit.at == hex_id] for hex_id in sorted({unit.at for unit in units})}
    fronts = {hex_id: _common_front(stack) for hex_id, stack in stacks.items()}
    return [
        msg(
            "{at} ({facing}) {units}" if fronts[hex_id] else "{at} {units}",
            at=hex_id,
            facing=fronts[hex_id],
            units=tuple(unit.id for unit in stack),
        )
        for hex_id, stack in stacks.items()
    ]


def _place(unit: Unit) -> tuple[str, str]:
    """Return the hex of a counter, and its front if it has one."""
    return unit.at, unit.facing if unit.faces else ""


def _condition(unit: Unit | None) -> tuple[object, ...] | None:
    """Return a counter's PF, formation and state; None for an unseen one."""
    return None if unit is None else (unit.pf, unit.formation, unit.limbered, unit.state, unit.fatigue)


_COLUMNS = (msg("Unit"), msg("Arm"), msg("PF"), msg("Will"), msg("Hex"), msg("Front"))


def units_in_hex(view: State, ident: str) -> tuple[tuple[int, Msg], ...]:
    """Return the units of both camps in a hex, for a question about it."""
    units = view.at(ident)
    return ((0, _hex_line(view, units)),) if units else ()


def _hex_line(view: State, units: Sequence[Unit]) -> Msg:
    """Return the counters of a hex, commanders first; a common front is named once.

    ``0408 (N): Leval cmd 0/0 range 3, 2/87 inf 5/7 B disordered``.
    """
    front = _common_front(units)
    place = msg("{hex}", hex=units[0].at)
    place = msg("{place} ({facing})", place=place, facing=front) if front else place
    ordered = sorted(units, key=lambda unit: unit.is_combat)
    return msg("{place}: {units}", place=place, units=tuple(_unit_words(unit, facing=not front) for unit in ordered))


def _common_front(units: Sequence[Unit]) -> str:
    """Return the front of all fighting counters of a stack; "" if they differ."""
    fronts = {_place(unit)[1] for unit in units if unit.is_combat}
    return fronts.pop() if len(fronts) == 1 else ""


def _division_line(view: State, name: str, orders: bool) -> Msg:
    """Return a division's name and, for its owner, its morale and orders."""
    division = view.divisions.get(name)
    if division is None:
        return msg("{division}", division=name) if name else msg("In no division")
    if not orders:
        return msg("{division}", division=name)
    now = ORDER_NAMES[division.order]
    if division.pending:
        later = ORDER_NAMES[division.pending]
        return msg("{d} (morale {m}; {now}; from next turn {later})", d=name, m=division.morale, now=now, later=later)
    return msg("{d} (morale {m}; {now})", d=name, m=division.morale, now=now)


_KINDS = {"inf": msg("inf"), "cav": msg("cav"), "art": msg("art"), "cmd": msg("cmd")}


def _unit_words(unit: Unit, facing: bool) -> Msg:
    """Return id, arm, values and exceptions; ``2/87 inf 5/7 B disordered``."""
    words: list[Msg | str] = [unit.id, _arm(unit)]
    if unit.kind == "cmd":
        return _join_words([*words, msg("{m}/{s} range {r}", m=unit.morale, s=unit.shock, r=unit.range)])
    if unit.kind == "art":
        words.append(msg("factor {f}", f=unit.fire))
    words.append(f"{unit.pf}/{unit.full} {unit.will}")
    if facing and unit.faces and unit.facing:
        words.append(msg("facing {facing}", facing=unit.facing))
    return _join_words([*words, *_marks(unit)])


def _arm(unit: Unit) -> Msg:
    """Return the arm of a counter; of cavalry also whether it is heavy (T6)."""
    return msg("heavy cav") if unit.kind == "cav" and unit.size == "heavy" else _KINDS[unit.kind]


def _row(view: State, unit: Unit) -> tuple[Arg, ...]:
    """Return a unit's table row: id, kind, PF, will, hex, facing and exceptions."""
    if unit.kind == "cmd":
        values = msg("{m}/{s} range {r}", m=unit.morale, s=unit.shock, r=unit.range)
        return (unit.id, _KINDS["cmd"], "", "", unit.at, "", (values,))
    factor = (msg("factor {f}", f=unit.fire),) if unit.kind == "art" else ()
    front = msg("{facing}", facing=unit.facing) if unit.faces else ""
    state = (*factor, *_ground(view, unit), *_marks(unit))
    return (unit.id, _arm(unit), f"{unit.pf}/{unit.full}", unit.will, unit.at, front, state)


def _ground(view: State, unit: Unit) -> list[Msg]:
    """Return the terrain of a unit's hex, if it is not clear."""
    terrain = view.edition.map.terrain(unit.at)
    return [] if terrain == "clear" else [Msg(terrain)]


def _marks(unit: Unit) -> list[Msg]:
    """Return the exceptional states of a unit."""
    words = []
    if unit.square:
        words.append(msg("in square"))
    elif unit.skirmishing:
        words.append(msg("in skirmish order"))
    elif unit.limbered:
        words.append(msg("limbered"))
    if unit.state != NORMAL:
        words.append(STATE_NAMES[unit.state])
    if unit.fatigue:
        words.append(msg("fatigue {level}", level=unit.fatigue))
    if unit.fired:
        words.append(msg("fired"))
    return words


def _join_words(words: Sequence[Msg | str]) -> Msg:
    """Join words with spaces."""
    first, *rest = words
    text = first if isinstance(first, Msg) else msg("{word}", word=first)
    for word in rest:
        text = msg("{a} {b}", a=text, b=word)
    return text
