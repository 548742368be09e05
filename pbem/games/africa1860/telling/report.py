"""The report of a seat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.engine.commanders.telling import block as commands
from pbem.engine.couriers.telling import as_of
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import Block, Entry, Report, Table
from pbem.engine.data.stakes_told import situation, uneventful
from pbem.engine.deployment.rules import DEPLOYMENT
from pbem.engine.deployment.telling import blocks as zones
from pbem.engine.terms import ONLOOKER
from pbem.games.africa1860.orders.actions import Retire
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.orders.offers import about_to_order, leaderless
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.setup.units import Unit
from pbem.games.africa1860.sight import dated
from pbem.games.africa1860.state import State
from pbem.games.africa1860.telling.fights import came_of
from pbem.games.africa1860.telling.stakes import stakes, wording
from pbem.games.africa1860.telling.tell import SIDE_NAMES, entries
from pbem.games.africa1860.telling.textmap import drawn, ways

Seen = Sequence[tuple[Event, State]]


def report(view: State, seat: str, seen: Seen) -> Report:
    """Return the report on what a seat saw, and on the position after it; the onlooker sees two sides and no chores."""
    told = entries(seen)
    title = Msg(view.edition.scenario.get("title", "Africa 1859-60"))
    blocks = (
        *zones(view, SIDE_NAMES, "K6"),
        *commands(view, seat),
        _losses(seen, view),
        Block(msg("The map (MAP sends all of it, with its ways)"), drawn(view), whole=view.phase == DEPLOYMENT),
        *_from_zones(view, seat),
        *(_of_all(view) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat])),
    )
    head = situation(stakes(view, seat, seen), wording(view))
    return Report(title, _summary(view, seen, told), told, tuple(block for block in blocks if block.lines), (head,))


def _from_zones(view: State, seat: str) -> tuple[Block, ...]:
    """K6 Where the ways of one's zones lead while units are deployed; the onlooker is told of all zones."""
    if view.phase != DEPLOYMENT:
        return ()
    side = view.edition.seats.get(seat, "")
    # Whose a zone is anybody knows, be its units in sight or not.
    whose = {words[2]: words[0] for words in map(str.split, view.edition.scenario["units"])}
    own = (zone for zone in view.edition.zones if side in ("", whose[zone.units[0]]))
    places = {place for zone in own for place in zone.places}
    return (Block(msg("Where the ways of your zones lead"), tuple((0, one) for one in ways(view, places)), whole=True),)


def _of_side(view: State, side: str) -> tuple[Block, ...]:
    mine, enemy = msg("Your forces"), msg("The enemy")
    return _forces(view, side, mine), _forces(view, _enemy(side), enemy), _warnings(view, side)


def _of_all(view: State) -> tuple[Block, ...]:
    return tuple(_forces(view, side, msg("Forces: {side}", side=SIDE_NAMES[side])) for side in SIDES)


def _enemy(side: str) -> str:
    return SIDES[1 - SIDES.index(side)]


def _summary(view: State, seen: Seen, told: Sequence[Entry]) -> tuple[Msg, ...]:
    """Fights with winner and losses, who fell, what was taken."""
    quiet = () if told else uneventful(seen, first=view.turn <= 1 and view.phase in (SIDES[0], DEPLOYMENT))
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
    return Block(msg("Losses"), tuple(lines), whole=True)


_FATAL = ("loses", "casualty", "captured", "eliminated")


_LOST = msg("{side}: {steps} {steps:|step|steps}; out of play: {units}")


def _some(ids: Iterable[str]) -> Msg | tuple[str, ...]:
    return tuple(ids) or msg("none")


def _forces(view: State, side: str, title: Msg) -> Block:
    lines: list[tuple[int, Msg]] = []
    groups = []
    older = dated(view, view.commanding)
    for ident, space in sorted(view.edition.map.spaces.items()):
        here = view.own(ident, side)
        if here:
            place = msg("{space} ({terrain})", space=ident, terrain=Msg(space.terrain))
            place = as_of(place, older[ident]) if ident in older else place
            lines.append((0, place))
            lines += [(1, _unit_line(unit)) for unit in here]
            groups.append((place, tuple(map(_row, here))))
    return Block(title, tuple(lines), whole=True, table=Table(_HEADS, tuple(groups)))


_HEADS = (msg("Unit"), msg("Type"), msg("Fire"), msg("Assault"), msg("Morale"), msg("Steps"))


def standing_at(view: State, space: str) -> tuple[tuple[int, Msg], ...]:
    """Who stands in a space, of both sides: what a question about it is decided by."""
    here = [unit for side in SIDES for unit in view.own(space, side)]
    if not here:
        return ()
    head = msg("{space} ({terrain})", space=space, terrain=Msg(view.edition.map.spaces[space].terrain))
    return ((0, head), *((1, _unit_line(unit)) for unit in here))


def _marks(unit: Unit) -> tuple[Msg, ...]:
    """What is not as usual with a unit."""
    marks = (
        (msg("demoralised"), unit.demoralised),
        (msg("has been activated") if unit.is_leader else msg("activated"), unit.activated),
        (msg("fired"), unit.fired),
    )
    return tuple(word for word, on in marks if on)


def _row(unit: Unit) -> tuple[Arg, ...]:
    """A unit in columns; a leader has no fire and no steps."""
    if unit.is_leader:
        return (unit.id, msg("Leader"), "", unit.assault, unit.bonus, "", _marks(unit))
    strength = f"{unit.steps}/{unit.full}"
    return (unit.id, msg("{code}", code=unit.code), unit.fire, unit.assault, unit.morale, strength, _marks(unit))


def _unit_line(unit: Unit) -> Msg:
    marks = _marks(unit)
    state = msg(", {marks}", marks=marks) if marks else ""
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
    shut = leaderless(about_to_order(view, side, False))
    if shut:
        why = msg(
            "{spaces}: without leader, locality or camp {spaces:|it|they} cannot be activated at all; "
            "a leader must come first [O5]",
            spaces=shut,
        )
        lines.append((0, why))
    older = dated(view, view.commanding)
    for space in sorted(set(view.edition.map.spaces) - set(older)):
        here = view.own(space, side)
        foot = any(u.is_combat and u.code != "CAB" for u in here)
        if foot and space not in shut and not any(u.is_leader for u in here):
            lines.append((0, msg("no leader in {space}: its infantry cannot assault", space=space)))
    return Block(msg("To look after"), tuple(lines))


def _may_retire(view: State, side: str, unit: Unit) -> bool:
    """R8 A demoralised unit that finds a way; at a rear town it stays."""
    return unit.demoralised and problem(view.change(phase=side), Retire(0, (unit.id,)), unit.at) is None
