"""The report of a seat: what came of the phase in a few lines, the map as text, the units."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pbem.engine.commanders.telling import block as commands
from pbem.engine.couriers import as_of, short
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Arg, Msg, by_number, msg, plain
from pbem.engine.data.report import PLAIN, Block, Entry, Line, Report, Table
from pbem.engine.data.stakes import situation, uneventful
from pbem.engine.deployment import DEPLOYMENT, on_map
from pbem.engine.deployment import blocks as zones
from pbem.engine.terms import ONLOOKER
from pbem.games.africa1860.choices import about_to_order, leaderless
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.grammar import Retire
from pbem.games.africa1860.sequence import DEPLOYING, problem
from pbem.games.africa1860.stakes import Seen, stakes, wording
from pbem.games.africa1860.state import SIDE_NAMES, State, Unit
from pbem.games.africa1860.tell import entries, over
from pbem.games.africa1860.view import dated


@dataclass
class _Fight:
    """A fight as it goes: steps lost and units gone by side, the dice of the shock and what they came to."""

    lost: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    gone: dict[str, list[str]] = field(default_factory=lambda: {side: [] for side in SIDES})
    dice: Sequence[int] = ()
    totals: Sequence[int] = ()


def came_of(seen: Sequence[tuple[Event, State]]) -> list[Msg]:
    """Return a line for each fight, each capture, each leader who fell and each side that broke, in their order."""
    lines: list[Msg] = []
    fights: list[_Fight] = []
    for happened, before in seen:
        data = happened.data
        if happened.kind == "assault":
            fights.append(_Fight())
        elif happened.kind == "assault over":
            fight = fights.pop() if fights else _Fight()
            if before.fight is not None and data["winner"]:
                lines.append(_told(fight, data, before))
        elif happened.kind == "captured":
            lines.append(msg("{side} took {units}.", side=SIDE_NAMES[data["side"]], units=tuple(data["units"])))
        elif happened.kind == "casualty":
            lines.append(msg("{side} lost the leader {unit}.", side=SIDE_NAMES[data["side"]], unit=data["unit"]))
        elif happened.kind == "breaks":
            lines.append(msg("{side} breaks.", side=SIDE_NAMES[data["side"]]))
        elif happened.kind == "game over":
            lines.append(over(data, before))
        if fights:
            _note(fights[-1], happened, before)
    return lines


def _note(fight: _Fight, happened: Event, before: State) -> None:
    """Add to a fight what an event in it tells."""
    data = happened.data
    if happened.kind == "loses":
        fight.lost[data["side"]] += data["steps"]
        if not data["left"]:
            fight.gone[data["side"]].append(data["unit"])
    elif happened.kind in ("casualty", "eliminated", "captured"):
        for ident in data.get("units") or [data["unit"]]:
            if ident in before.units:
                fight.gone[before.units[ident].side].append(ident)
    elif happened.kind == "dice":
        fight.dice = data["dice"]
    elif happened.kind == "shock":
        fight.totals = data["totals"]


def _told(fight: _Fight, data: Data, before: State) -> Msg:
    won = msg(
        "{space} was assaulted from {origin}: {side} won.",
        space=before.fight.target if before.fight else "",
        origin=before.fight.origin if before.fight else "",
        side=SIDE_NAMES[data["winner"]],
    )
    lost = tuple(_lost(fight, side) for side in SIDES if fight.lost[side] or fight.gone[side])
    told = msg("{fight} Lost: {lost}.", fight=won, lost=lost or msg("nothing"))
    if not (fight.totals and fight.dice):
        return told
    (a, b), (x, y) = fight.totals, fight.dice
    return msg("{fight} Shock {a} to {b} (dice {x} and {y}).", fight=told, a=a, b=b, x=x, y=y)


def _lost(fight: _Fight, side: str) -> Msg:
    steps = fight.lost[side]
    many = msg("{side} {steps} steps", side=SIDE_NAMES[side], steps=steps)
    told = by_number(steps, msg("{side} 1 step", side=SIDE_NAMES[side]), many)
    gone = tuple(dict.fromkeys(fight.gone[side]))
    if not steps:
        told = msg("{side}", side=SIDE_NAMES[side])
    return msg("{lost} (out of play: {units})", lost=told, units=gone) if gone else told


# The map as text: spaces where they lie, who holds them, and where the ways lead.


WIDTH = 72
ROWS = 20
_SIGN: Mapping[str, str] = {"spain": "S", "morocco": "M", "": "-"}
_TERRAIN: Mapping[str, str] = {
    "clear": "",
    "beach": "b",
    "heights": "^",
    "woods": "w",
    "marsh": "~",
    "town": "#",
    "camp": "c",
    "fortified": "F",
}


EDGES: Mapping[str, Msg] = {
    "road": msg("road"),
    "path": msg("path"),
    "ford": msg("ford"),
    "bridge": msg("bridge"),
    "parapet from outside": msg("parapet from outside"),
    "parapet from inside": msg("parapet from inside"),
    "slope up": msg("slope up"),
    "slope down": msg("slope down"),
}

_SIDES_OF = {"slope": (" up", " down"), "parapet": (" from outside", " from inside")}
"""What an edge that has two sides is called from its first space, and from its second."""


def text_map(view: State, seat: str) -> tuple[Line, ...]:
    """Return the map, about 72 columns: each space with its holder, combat units/steps, guns and leaders; the ways.

    Example: ``Nudos [S 2/8 a1 o1]`` is held by Spain with two combat units of eight steps, one battery and a leader;
    ``Cresta [M 1/3]^`` are heights held by Morocco, ``Playa [-]b`` an empty beach.
    """
    signs = tuple(msg("{sign} {word}", sign=sign, word=Msg(name)) for name, sign in _TERRAIN.items() if sign)
    older = ((0, _OLDER),) if dated(view, view.commanding) else ()
    signed = (*_canvas(view), (0, _FORCE), *older, (0, msg("{signs}", signs=signs)))
    return (*signed, *((0, line) for line in ways(view)), *on_map(view, SIDE_NAMES, DEPLOYING.rule))


def drawn(view: State) -> tuple[Line, ...]:
    """Return the map as `text_map` draws it without its empty rows, and what is in it; no ways."""
    present = {space.terrain for space in view.edition.map.spaces.values()}
    signs = [
        msg("{sign} {word}", sign=sign, word=Msg(name)) for name, sign in _TERRAIN.items() if name in present and sign
    ]
    older = (_OLDER,) if dated(view, view.commanding) else ()
    return (
        *(line for line in _canvas(view) if plain(line[1]).strip()),
        (0, msg("{signs}", signs=(_FORCE, *older, *signs))),
    )


def _canvas(view: State) -> tuple[Line, ...]:
    spaces = view.edition.map.spaces
    width = max((space.x for space in spaces.values()), default=0) or 1
    height = max((space.y for space in spaces.values()), default=0) or 1
    older = dated(view, view.commanding)
    rows: dict[int, list[tuple[int, str]]] = {}
    for ident, space in spaces.items():
        label = f"{ident} {_force(view.at(ident))}{_TERRAIN[space.terrain]}"
        label += f"'{short(older[ident])}" if ident in older else ""
        rows.setdefault(space.y * (ROWS - 1) // height, []).append((space.x * (WIDTH - 18) // width, label))
    canvas = [_labels_in_line(sorted(rows.get(number, ()))) for number in range(ROWS)]
    while canvas and not canvas[0]:
        canvas.pop(0)
    return tuple((PLAIN, msg("{line}", line=line)) for line in canvas)


_FORCE = msg("[S 4/12 a1 v1 o2] Spain (M Morocco), combat units/steps, a guns, v convoys, o leaders; [-] nobody seen")

_OLDER = msg("'T5 out of your sight, as of turn 5")


def _force(units: list[Unit]) -> str:
    if not units:
        return "[-]"
    combat = [unit for unit in units if unit.is_combat]
    parts = [_SIGN[units[0].side], f"{len(combat)}/{sum(unit.steps for unit in combat)}"]
    for sign, codes in (("a", ("ART",)), ("v", ("CNV",)), ("o", ("OF",))):
        count = sum(unit.code in codes for unit in units)
        parts += [f"{sign}{count}"] if count else []
    return f"[{' '.join(parts)}]"


def _labels_in_line(labels: list[tuple[int, str]]) -> str:
    """Labels side by side, each at its column or as near to the right of it as there is room."""
    line = ""
    for column, label in labels:
        line += " " * max(column - len(line), 2 if line else 0) + label
    return line


def ways(view: State, places: Collection[str] = ()) -> list[Msg]:
    """Return where the ways of these spaces lead, without any of all spaces, each with what kind of way it is."""
    area = view.edition.map
    lines = []
    for ident in sorted(places or area.spaces):
        leading: list[str | Msg] = []
        for near in area.neighbours(ident):
            edge = area.edge(ident, near)
            up = _SIDES_OF.get(edge.kind, ("", ""))[edge.b != near]
            open_to = edge.kind == "open"
            leading.append(near if open_to else msg("{space} ({edge})", space=near, edge=EDGES[edge.kind + up]))
        lines.append(msg("{space}: {ways}", space=ident, ways=tuple(leading)))
    return lines


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
