"""The report of a seat."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.commanders.telling import block as commands
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import Block, Entry, Report, Table
from pbem.engine.data.stakes_told import situation, uneventful
from pbem.engine.deployment.rules import DEPLOYMENT
from pbem.engine.deployment.telling import blocks as zones
from pbem.engine.terms import ONLOOKER
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import DISORDERED, NORMAL, ROUTED, Unit
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.fights import came_of
from pbem.games.peninsular.telling.prizes import SIDE_NAMES, won
from pbem.games.peninsular.telling.stakes import stakes, wording
from pbem.games.peninsular.telling.tell import ORDER_NAMES, STATE_NAMES, entries
from pbem.games.peninsular.telling.textmap import rows, signs

Seen = Sequence[tuple[Event, State]]


def report(view: State, seat: str, seen: Seen) -> Report:
    """Return the report on what a seat saw, and on the position after it; the onlooker sees two camps and no chores."""
    told = entries(seen)
    title = Msg(view.edition.scenario.get("title", "Peninsular"))
    blocks = (
        *zones(view, SIDE_NAMES, "K6"),
        *commands(view, seat),
        _losses(seen, view),
        _taken(view),
        _map(view),
        *(_of_all(view) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat])),
    )
    head = situation(stakes(view, seat, seen), wording(view))
    return Report(title, _summary(view, seen, told), told, tuple(block for block in blocks if block.lines), (head,))


def _of_side(view: State, side: str) -> tuple[Block, ...]:
    enemy = "allied" if camp(side) == "french" else "french"
    return (
        _forces(view, camp(side), msg("Your forces"), orders=True),
        _forces(view, enemy, msg("The enemy")),
        _warnings(view, side),
    )


def _of_all(view: State) -> tuple[Block, ...]:
    return _forces(view, "allied", msg("The allied forces")), _forces(view, "french", msg("The French forces"))


def _summary(view: State, seen: Seen, told: Sequence[Entry]) -> tuple[Msg, ...]:
    """Fights with what came of them, who fell or was routed."""
    quiet = (
        () if told else uneventful(seen, first=view.turn <= 1 and view.phase in (view.edition.phases[0], DEPLOYMENT))
    )
    return (*came_of(seen), *quiet)


def _map(view: State) -> Block:
    """The rows of the map that anybody stands in, as they are drawn, and what is in them."""
    drawn = rows(view, (unit.at for unit in view.units.values()))
    who = msg("B British, P Portuguese, S Spanish, F French: PF, g guns, o commander")
    legend = msg("{signs}", signs=(*signs(view.edition.map), who))
    return Block(
        msg("The map (MAP sends all of it, with streams, slopes and roads)"),
        (*drawn, (0, legend)),
        whole=view.phase == DEPLOYMENT,
    )


def _taken(view: State) -> Block:
    """S14 Colours and guns that are lost so far, who stands at the exit, and the points for them."""
    return Block(msg("Colours, guns, the exit"), tuple((0, line) for line in won(view)))


def _losses(seen: Seen, view: State) -> Block:
    """What each side lost, counted as the points count it (S14): guns and counters eliminated with all their PF."""
    before = seen[0][1] if seen else view
    gone: dict[str, dict[str, None]] = {}
    for happened, then in seen:
        data = happened.data
        for ident in data.get("units", [data.get("unit", "")]) if happened.kind in _FATAL else ():
            # Another takes over from a commander under the same name: he who fell is lost all the same (S13).
            if ident in then.units and (ident in view.gone or happened.kind == "commander lost"):
                gone.setdefault(then.units[ident].camp, {})[ident] = None
    lines = []
    for side in view.edition.phases:
        pf, lost = _dead(view, side) - _dead(before, side), tuple(gone.get(camp(side), ()))
        if pf or lost:
            told = msg("{side}: {pf} PF; out of play: {units}", side=SIDE_NAMES[side], pf=pf, units=lost or msg("none"))
            lines.append((0, told))
    return Block(msg("Losses"), tuple(lines), whole=True)


def _dead(state: State, side: str) -> int:
    return sum(pf for one, pf in state.dead.items() if camp(one) == camp(side))


_FATAL = ("loses", "commander lost", "captured", "eliminated")


def _forces(view: State, ours: str, title: Msg, orders: bool = False) -> Block:
    """A paragraph a division, then those without one; `orders` tells the orders in force as well."""
    chiefs = {division.commander: name for name, division in view.divisions.items()}
    groups: dict[str, list[Unit]] = {}
    for ident, unit in sorted(view.units.items()):
        if unit.camp == ours:
            groups.setdefault(unit.division or chiefs.get(ident, ""), []).append(unit)
    lines, rows = [], []
    for name, units in sorted(groups.items(), key=lambda group: (not group[0], group[0])):
        units.sort(key=lambda unit: unit.is_combat)
        division, told = _division(view, name, orders), tuple(_unit_line(view, unit) for unit in units)
        lines.append((0, msg("{division}: {units}", division=division, units=told)))
        rows.append((division, tuple(_row(view, unit) for unit in units)))
    return Block(title, tuple(lines), whole=True, table=Table(_HEADS, tuple(rows)))


_HEADS = (msg("Unit"), msg("Arm"), msg("PF"), msg("Will"), msg("Hex"), msg("Front"))


def standing_at(view: State, ident: str) -> tuple[tuple[int, Msg], ...]:
    """Who stands in a hex, of both camps: what a question about it is decided by."""
    return tuple((0, _unit_line(view, unit)) for unit in view.at(ident))


def _division(view: State, name: str, orders: bool) -> Msg:
    """A division's name and, for its owner, its morale and orders."""
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


def _unit_line(view: State, unit: Unit) -> Msg:
    """Id, kind, what it is worth, where it is and what is not as usual: ``2/87 inf 5/7 B 0408 facing N disordered``."""
    words: list[Msg | str] = [unit.id, _KINDS[unit.kind]]
    if unit.kind == "cmd":
        words.append(msg("{m}/{s} range {r} {at}", m=unit.morale, s=unit.shock, r=unit.range, at=unit.at))
        return _joined(words)
    if unit.kind == "art":
        words.append(msg("factor {f}", f=unit.fire))
    words.append(f"{unit.pf}/{unit.full} {unit.will} {unit.at}")
    words += _ground(view, unit)
    if unit.faces:
        words.append(msg("facing {facing}", facing=unit.facing))
    return _joined([*words, *_marks(unit)])


def _row(view: State, unit: Unit) -> tuple[Arg, ...]:
    """A unit in columns: who, what, its PF, its will, where it is, where it looks, and what is not as usual."""
    if unit.kind == "cmd":
        worth = msg("{m}/{s} range {r}", m=unit.morale, s=unit.shock, r=unit.range)
        return (unit.id, _KINDS["cmd"], "", "", unit.at, "", (worth,))
    factor = (msg("factor {f}", f=unit.fire),) if unit.kind == "art" else ()
    front = msg("{facing}", facing=unit.facing) if unit.faces else ""
    state = (*factor, *_ground(view, unit), *_marks(unit))
    return (unit.id, _KINDS[unit.kind], f"{unit.pf}/{unit.full}", unit.will, unit.at, front, state)


def _ground(view: State, unit: Unit) -> list[Msg]:
    """The terrain of its hex, if it is not clear."""
    terrain = view.edition.map.terrain(unit.at)
    return [] if terrain == "clear" else [Msg(terrain)]


def _marks(unit: Unit) -> list[Msg]:
    """What is not as usual with a unit."""
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


def _joined(words: Sequence[Msg | str]) -> Msg:
    """Words with blanks between them."""
    first, *rest = words
    said = first if isinstance(first, Msg) else msg("{word}", word=first)
    for word in rest:
        said = msg("{a} {b}", a=said, b=word)
    return said


def _warnings(view: State, side: str) -> Block:
    """What a player may want to look after: shaken counters, and divisions without a commander."""
    own = [unit for _, unit in sorted(view.units.items()) if unit.camp == camp(side)]
    routed = tuple(unit.id for unit in own if unit.state == ROUTED)
    shaken = tuple(unit.id for unit in own if unit.state == DISORDERED)
    lines: list[tuple[int, Msg]] = []
    if routed:
        lines.append((0, msg("routed, try to rally at the end of your half: {units}", units=routed)))
    if shaken:
        lines.append((0, msg("disordered, try to rally away from the enemy: {units}", units=shaken)))
    for name in sorted({unit.division for unit in own} & view.divisions.keys()):
        if view.divisions[name].commander not in view.units:
            lines.append((0, msg("division {division} has no commander: its orders wait a turn", division=name)))
    return Block(msg("To look after"), tuple(lines))
