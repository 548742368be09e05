"""The report of a seat, and the order lines prepared for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.core.data.events import Event
from pbem.core.data.messages import Msg, msg
from pbem.core.data.report import Block, Entry, Report
from pbem.core.data.stakes_told import situation, uneventful
from pbem.core.game import ONLOOKER
from pbem.games.africa1860.orders.actions import Retire
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.orders.vocabulary import VOCABULARY
from pbem.games.africa1860.state import SIDES, State, Unit
from pbem.games.africa1860.telling.fights import came_of
from pbem.games.africa1860.telling.stakes import stakes, wording
from pbem.games.africa1860.telling.tell import SIDE_NAMES, entries

__all__ = ["report", "standing_at", "template"]

Seen = Sequence[tuple[Event, State]]


def report(view: State, seat: str, seen: Seen) -> Report:
    """Return the report on what a seat saw, and on the position after it; the onlooker sees two sides and no chores."""
    told = entries(seen)
    title = Msg(view.edition.scenario.get("title", "Africa 1859-60"))
    blocks = (
        _losses(seen, view),
        *(_of_all(view) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat])),
    )
    head = situation(stakes(view, seat, seen), wording(view))
    return Report(title, _summary(view, seen, told), told, tuple(block for block in blocks if block.lines), (head,))


def _of_side(view: State, side: str) -> tuple[Block, ...]:
    mine, enemy = msg("Your forces"), msg("The enemy")
    return _forces(view, side, mine), _forces(view, _enemy(side), enemy), _warnings(view, side)


def _of_all(view: State) -> tuple[Block, ...]:
    return tuple(_forces(view, side, msg("Forces: {side}", side=SIDE_NAMES[side])) for side in SIDES)


def _enemy(side: str) -> str:
    return SIDES[1 - SIDES.index(side)]


def _summary(view: State, seen: Seen, told: Sequence[Entry]) -> tuple[Msg, ...]:
    """Fights with winner and losses, who fell, what was taken."""
    quiet = () if told else uneventful(seen, first=view.turn == 1 and view.phase == SIDES[0])
    return (*came_of(seen), *quiet)


def _losses(seen: Seen, view: State) -> Block:
    lost: dict[str, int] = dict.fromkeys(SIDES, 0)
    gone: dict[str, dict[str, None]] = {side: {} for side in SIDES}
    for happened, before in seen:
        data = happened.data
        if happened.kind == "loses":
            lost[data["side"]] += data["steps"]
        for ident in data.get("units", [data.get("unit", "")]):
            if ident in before.units and ident in view.gone and happened.kind in _FATAL:
                # A unit may be hit more than once before it goes.
                gone[before.units[ident].side].setdefault(ident)
    lines = [
        (
            0,
            msg(
                "{side}: {steps} {steps:|step|steps}; out of play: {units}",
                side=SIDE_NAMES[s],
                steps=lost[s],
                units=_some(gone[s]),
            ),
        )
        for s in SIDES
        if lost[s] or gone[s]
    ]
    return Block(msg("Losses"), tuple(lines))


_FATAL = ("loses", "casualty", "captured", "eliminated")


_LOST = msg("{side}: {steps} {steps:|step|steps}; out of play: {units}")


def _some(ids: Iterable[str]) -> Msg | tuple[str, ...]:
    return tuple(ids) or msg("none")


def _forces(view: State, side: str, title: Msg) -> Block:
    lines: list[tuple[int, Msg]] = []
    for ident, space in sorted(view.edition.map.spaces.items()):
        here = view.own(ident, side)
        if here:
            lines.append((0, msg("{space} ({terrain})", space=ident, terrain=Msg(space.terrain))))
            lines += [(1, _unit_line(unit)) for unit in here]
    return Block(title, tuple(lines))


def standing_at(view: State, space: str) -> tuple[tuple[int, Msg], ...]:
    """Who stands in a space, of both sides: what a question about it is decided by."""
    here = [unit for side in SIDES for unit in view.own(space, side)]
    if not here:
        return ()
    head = msg("{space} ({terrain})", space=space, terrain=Msg(view.edition.map.spaces[space].terrain))
    return ((0, head), *((1, _unit_line(unit)) for unit in here))


def _unit_line(unit: Unit) -> Msg:
    marks = [
        word
        for word, on in (
            (msg("demoralised"), unit.demoralised),
            (msg("has been activated") if unit.is_leader else msg("activated"), unit.activated),
            (msg("fired"), unit.fired),
        )
        if on
    ]
    state = msg(", {marks}", marks=tuple(marks)) if marks else ""
    if unit.is_leader:
        return msg("{unit} leader {a}/{m}{state}", unit=unit.id, a=unit.assault, m=unit.bonus, state=state)
    return msg(
        "{unit} {code} fire {f} assault {a} morale {m}, {steps}/{full}{state}",
        unit=unit.id,
        code=unit.code,
        f=unit.fire,
        a=unit.assault,
        m=unit.morale,
        steps=unit.steps,
        full=unit.full,
        state=state,
    )


def _warnings(view: State, side: str) -> Block:
    """What a player may want to look after: demoralised units, and leaders missing beside infantry."""
    lines: list[tuple[int, Msg]] = []
    if side in view.broken:
        lines.append((0, msg("your side is broken: it neither assaults nor charges")))
    for _, unit in sorted(view.units.items()):
        if unit.side == side and _may_retire(view, side, unit):
            lines.append((0, msg("{unit} is demoralised: RETIRE brings it to the rear", unit=unit.id)))
    for space in sorted(view.edition.map.spaces):
        here = view.own(space, side)
        if any(u.is_combat and u.code != "CAB" for u in here) and not any(u.is_leader for u in here):
            lines.append((0, msg("no leader in {space}: its infantry cannot assault", space=space)))
    return Block(msg("To look after"), tuple(lines))


def template(view: State, seat: str, language: str) -> tuple[str, ...]:
    """Return order lines to be edited: each space that can be activated, who stands there, where the ways lead.

    All of them are comments, so that a template sent back as it came orders nothing.
    When the game is over there are none.
    """
    if view.phase == "over":
        return ()
    side = view.edition.seats[seat]
    say = {verb: VOCABULARY.word(verb, language) for verb in ("ACTIVATE", "MOVE", "RETIRE", "TO")}
    lines: list[str] = []
    for space in sorted(view.edition.map.spaces):
        own = view.own(space, side)
        if not own or not _may_activate(view, side, space, own):
            continue
        able = [unit.id for unit in own if not unit.demoralised]
        ways = [_way(view, side, space, near) for near in view.edition.map.neighbours(space)]
        if able:
            lines.append(f"# {say['ACTIVATE']} {space}")
            lines.append(f"# {say['MOVE']} {', '.join(able)} {say['TO']} {' | '.join(ways)}")
        lines += [f"# {say['RETIRE']} {unit.id}" for unit in own if _may_retire(view, side, unit)]
    # Who can do nothing is still waited for.
    return tuple(lines) or (f"# {VOCABULARY.word('PASS', language)}",)


def _may_activate(view: State, side: str, space: str, own: Sequence[Unit]) -> bool:
    """O5 The Moroccan activates spaces with a locality, a camp or a leader."""
    if side == "spain" or any(unit.is_leader or unit.demoralised for unit in own):
        return True
    return view.flagged(space, "locality") or view.terrain(space) == "camp"


def _may_retire(view: State, side: str, unit: Unit) -> bool:
    """R8 A demoralised unit that finds a way; at a rear town it stays."""
    return unit.demoralised and problem(view.change(phase=side), Retire(0, (unit.id,)), unit.at) is None


def _way(view: State, side: str, start: str, near: str) -> str:
    """A neighbouring space, with ``!`` if the enemy holds it."""
    return near + ("!" if view.holder(near) == _enemy(side) else "")
