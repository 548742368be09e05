"""The report of a seat, and the order lines prepared for it."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.core.events import Event
from pbem.core.game import ONLOOKER
from pbem.core.messages import Msg, msg
from pbem.core.report import Block, Entry, Report
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.paths import left
from pbem.games.peninsular.state import DISORDERED, NORMAL, ROUTED, State, Unit
from pbem.games.peninsular.tell import ORDER_NAMES, SIDE_NAMES, STATE_NAMES, entries
from pbem.games.peninsular.victory import count
from pbem.games.peninsular.vocabulary import word

__all__ = ["report", "template"]

Seen = Sequence[tuple[Event, State]]


def report(view: State, seat: str, seen: Seen) -> Report:
    """Return the report on what a seat saw, and on the position after it; the onlooker sees two camps and no chores."""
    told = entries(seen)
    title = Msg(view.edition.scenario.get("title", "Peninsular"))
    blocks = (
        _losses(seen, view),
        *(_of_all(view) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat])),
    )
    return Report(title, _summary(view, seen, told), told, tuple(block for block in blocks if block.lines))


def _of_side(view: State, side: str) -> tuple[Block, ...]:
    enemy = "allied" if camp(side) == "french" else "french"
    return (
        _divisions(view, side),
        _forces(view, camp(side), msg("Your forces")),
        _forces(view, enemy, msg("The enemy")),
        _warnings(view, side),
    )


def _of_all(view: State) -> tuple[Block, ...]:
    return _forces(view, "allied", msg("The allied forces")), _forces(view, "french", msg("The French forces"))


def _summary(view: State, seen: Seen, told: Sequence[Entry]) -> tuple[Msg, ...]:
    """Turn, shocks and their outcome, who fell, the points."""
    lines = [msg("Turn {turn} of {turns}.", turn=view.turn, turns=view.edition.scenario.get("turns", "-"))]
    for happened, _ in seen:
        data = happened.data
        if happened.kind == "shock":
            legend = view.edition.chart("shock").legend[data["cell"]]
            lines.append(msg("{hex} was assaulted: {effect}.", hex=data["at"], effect=Msg(legend)))
        elif happened.kind == "routed":
            lines.append(msg("{unit} was routed.", unit=data["unit"]))
        elif happened.kind == "commander lost":
            lines.append(msg("The commander {unit} fell.", unit=data["unit"]))
        elif happened.kind == "game over":
            lines.append(msg("The game is over."))
    if not told:
        lines.append(msg("Nothing has happened yet."))
    (first, one), (second, two) = count(view).items()
    now = msg("Victory points now: {one} {a}, {two} {b}.", one=SIDE_NAMES[first], a=one, two=SIDE_NAMES[second], b=two)
    return (*lines[:7], now)


def _losses(seen: Seen, view: State) -> Block:
    lost: dict[str, int] = {}
    gone: dict[str, dict[str, None]] = {}
    for happened, before in seen:
        data = happened.data
        if happened.kind == "loses":
            lost[data["side"]] = lost.get(data["side"], 0) + data["pf"]
        for ident in data.get("units", [data.get("unit", "")]) if happened.kind in _FATAL else ():
            if ident in before.units and ident in view.gone:
                gone.setdefault(before.units[ident].side, {})[ident] = None
    lines = [
        (
            0,
            msg(
                "{side}: {pf} PF; out of play: {units}",
                side=SIDE_NAMES[side],
                pf=lost.get(side, 0),
                units=tuple(gone.get(side, ())) or msg("none"),
            ),
        )
        for side in SIDE_NAMES
        if side in lost or side in gone
    ]
    return Block(msg("Losses"), tuple(lines))


_FATAL = ("loses", "commander lost", "captured", "eliminated")


def _divisions(view: State, side: str) -> Block:
    lines: list[tuple[int, Msg]] = []
    for name, division in sorted(view.divisions.items()):
        if camp(division.side) != camp(side):
            continue
        order = ORDER_NAMES[division.order]
        line = msg("{division}: morale {morale}, {order}", division=name, morale=division.morale, order=order)
        lines.append((0, line))
        if division.pending:
            lines.append((1, msg("from next turn: {order}", order=ORDER_NAMES[division.pending])))
    return Block(msg("Your divisions"), tuple(lines))


def _forces(view: State, ours: str, title: Msg) -> Block:
    lines: list[tuple[int, Msg]] = []
    for at in sorted(view.by_hex):
        here = [unit for unit in view.at(at) if unit.camp == ours]
        if here:
            lines.append((0, msg("{hex} ({terrain})", hex=at, terrain=Msg(view.edition.ground.terrain(at)))))
            lines += [(1, _unit_line(unit)) for unit in here]
    return Block(title, tuple(lines))


_KINDS = {"inf": msg("infantry"), "cav": msg("cavalry"), "art": msg("artillery"), "cmd": msg("commander")}


def _unit_line(unit: Unit) -> Msg:
    if unit.kind == "cmd":
        return msg("{unit} commander {m}/{s}, range {r}", unit=unit.id, m=unit.morale, s=unit.shock, r=unit.range)
    marks: list[Msg] = []
    if unit.state != NORMAL:
        marks.append(STATE_NAMES[unit.state])
    if unit.square:
        marks.append(msg("in square"))
    elif unit.skirmishing:
        marks.append(msg("in skirmish order"))
    elif unit.limbered:
        marks.append(msg("limbered"))
    if unit.faces:
        marks.append(msg("facing {facing}", facing=unit.facing))
    if unit.fatigue:
        marks.append(msg("fatigue {level}", level=unit.fatigue))
    if unit.fired:
        marks.append(msg("fired"))
    kind, state = _KINDS[unit.kind], tuple(marks)
    if unit.kind == "art":
        return msg(
            "{unit} {kind} factor {f}, will {will}, {state}",
            unit=unit.id,
            kind=kind,
            f=unit.fire,
            will=unit.will,
            state=state,
        )
    return msg(
        "{unit} {kind} {pf}/{full} PF, will {will}, {state}",
        unit=unit.id,
        kind=kind,
        pf=unit.pf,
        full=unit.full,
        will=unit.will,
        state=state,
    )


def _warnings(view: State, side: str) -> Block:
    """What a player may want to look after: shaken counters, and divisions without a commander."""
    lines: list[tuple[int, Msg]] = []
    for _, unit in sorted(view.units.items()):
        if unit.camp == camp(side) and unit.state == ROUTED:
            lines.append((0, msg("{unit} is routed: it tries to rally at the end of your half", unit=unit.id)))
        elif unit.camp == camp(side) and unit.state == DISORDERED:
            lines.append((0, msg("{unit} is disordered: away from the enemy it tries to rally", unit=unit.id)))
    for name, division in sorted(view.divisions.items()):
        if camp(division.side) == camp(side) and division.commander not in view.units:
            lines.append((0, msg("division {division} has no commander: its orders wait a turn", division=name)))
    return Block(msg("To look after"), tuple(lines))


def template(view: State, seat: str, language: str) -> tuple[str, ...]:
    """Return order lines to be edited: each division and its counters, where they stand and what MP they have.

    All of them are comments, so that a template sent back as it came orders nothing.
    When the game is over there are none.
    """
    if view.phase == "over":
        return ()
    side = view.edition.seats[seat]
    say = {verb: word(verb, language) for verb in ("ORDER", "MOVE", "ATTACK", "MANOEUVRE", "HOLD", "REORGANISE")}
    orders = " | ".join(say[name] for name in ("ATTACK", "MANOEUVRE", "HOLD", "REORGANISE"))
    lines: list[str] = []
    for name, division in sorted(view.divisions.items()):
        if camp(division.side) == camp(side):
            lines.append(f"# {say['ORDER']} {name} {orders}")
    own = [unit for _, unit in sorted(view.units.items()) if unit.camp == camp(side)]
    for unit in sorted(own, key=lambda unit: (unit.division, unit.at, unit.id)):
        mp = left(view, unit._replace(used=0, base=unit.formation))
        lines.append(f"# {say['MOVE']} {unit.id} {unit.at} ...   ({mp} {'PM' if language == 'es' else 'MP'})")
    return tuple(lines)
