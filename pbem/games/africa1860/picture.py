"""Draw a seat's view: a scene with counters, marks and goals, and a text map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from pbem.engine.couriers import Sighting, turn_label
from pbem.engine.data.events import Data, Event
from pbem.engine.data.memory import LruCache
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import DRAWING_DEPTH, Line
from pbem.engine.data.scene import Mark, Nation, Piece, Scene, SceneGoal, moment_in_words, removed_units
from pbem.engine.data.score_sheet import ScoreSheet
from pbem.engine.deployment import zone_lines
from pbem.engine.map.sheets import AreaGround, plain, read_sheet
from pbem.engine.parts import Pictures
from pbem.games.africa1860.edition import GAME_FILES, SIDES, Edition
from pbem.games.africa1860.sequence import DEPLOYMENT
from pbem.games.africa1860.state import SIDE_NAMES, State, Unit
from pbem.games.africa1860.victory import Seen, score_sheet
from pbem.games.africa1860.view import UNSEEN_MARK, may_hide, sightings_by_space, visible_spaces

_BRANCH: Mapping[str, str] = {
    "IR": "infantry",
    "NZ": "infantry",
    "IL": "light",
    "CAB": "cavalry",
    "ART": "guns",
    "CNV": "train",
    "OF": "leader",
}
_TONES = {"spain": ("spanish", msg("S")), "morocco": ("moroccan", msg("M"))}


_GROUNDS = LruCache[str, AreaGround](16)
"""Grounds by the digests of their editions. A choice between memory and reading a sheet again."""


def map_ground(edition: Edition) -> AreaGround:
    """Return the map with its sheet.

    Without a sheet that fits, cells surround the map's own coordinates.
    """
    return _GROUNDS.get(edition.digest, lambda: _ground(edition))


def _ground(edition: Edition) -> AreaGround:
    try:
        (sheet,) = GAME_FILES.map(f"{edition.map.name}.sheet.toml")
        return AreaGround(edition.map, read_sheet(sheet, edition.map))
    # The map has no sheet, or one with other spaces than its own.
    except (KeyError, ValueError):
        return AreaGround(edition.map, plain(edition.map))


def draw_scene(view: State, seat: str, seen: Seen) -> Scene:
    """Return the scene after the events that a seat saw.

    Each event comes with the seat's view before it.
    """
    score = score_sheet(view, seat, seen)
    lost, older = Counter[str](), sightings_by_space(view, seat)
    for event, _ in seen:
        if event.kind == "loses":
            lost[event.data["unit"]] += event.data["steps"]
    return Scene(
        Msg(view.edition.scenario.get("title", "Africa 1859-60")),
        moment_in_words(score, SIDE_NAMES.get(view.phase)),
        tuple(_camps(score, may_hide(view, seat))),
        tuple(_piece(unit, lost[ident], older.get(unit.at)) for ident, unit in sorted(view.units.items(), key=_order)),
        tuple(dict.fromkeys(mark for pair in seen for mark in _marks(*pair))),
        tuple(SceneGoal(goal.places[0], goal.worth, goal.holder) for goal in score.goals),
        tuple(sorted(set(view.edition.map.spaces) - visible_spaces(view, seat))),
        tuple(_piece(before.units[i], 0) for event, before in seen for i in removed_units(event) if i in before.units),
        (("3-2", msg("fire, assault")), ("2/1", msg("leader: assault, morale"))),
    )


def _camps(sheet: ScoreSheet, foggy: bool) -> Iterator[Nation]:
    """Return both sides with the points that the seat knows of.

    If something is out of sight, there may be more points.
    """
    points = {score.side: score.points for score in sheet.scores}
    for side in SIDES:
        tone, letter = _TONES[side]
        yield Nation(side, SIDE_NAMES[side], letter, tone, points.get(side), foggy and sheet.hidden > 0)


def _order(entry: tuple[str, Unit]) -> tuple[bool, str]:
    """Return a sort key that puts leaders after other units."""
    ident, unit = entry
    return unit.is_leader, ident


def _piece(unit: Unit, lost: int, older: Sighting | None = None) -> Piece:
    """Return a unit's counter; M6 out of sight it shows the turn it was seen on."""
    leader = unit.is_leader
    states: tuple[Msg, ...] = (msg("SHAKEN"),) if unit.demoralised else ()
    states += (msg("{turn}", turn=turn_label(older)),) if older is not None else ()
    return Piece(
        unit.id,
        unit.id,
        unit.at,
        unit.side,
        _BRANCH[unit.code],
        0 if leader else unit.steps,
        0 if leader else unit.full,
        f"{unit.assault}/{unit.bonus}" if leader else f"{unit.fire}-{unit.assault}",
        states,
        lost=lost,
    )


def _marks(event: Event, before: State) -> Iterator[Mark]:
    """Yield what an event draws on the map."""
    data: Data = event.data
    if event.kind in ("moves", "occupies", "retreats", "falls back"):
        kind = "move" if event.kind in ("moves", "occupies") else "retreat"
        known = [before.units[ident] for ident in data.get("units", ()) if ident in before.units]
        if kind == "move" and known and all(unit.is_leader for unit in known):
            kind = "ride"
        if UNSEEN_MARK not in (data["from"], data["to"]) and data["from"] != data["to"]:
            yield Mark(kind, data["side"], (data["from"], data["to"]))
    elif event.kind == "deploys":
        yield Mark("arrive", data["side"], (data["to"],))
    elif event.kind == "enters":
        yield Mark("arrive", data["side"], (data["space"],))
    elif event.kind == "fires":
        target = before.units.get(data["target"])
        for place in sorted({before.units[ident].at for ident in data["firers"] if ident in before.units}):
            if target is not None and target.at != place:
                yield Mark("fire", data["side"], (place, target.at))
    elif event.kind == "assault":
        _, _, side, origin, target, _, _, between, *_ = data["fight"]
        yield Mark("assault", side, (origin, between, target) if between else (origin, target))


# The map as text: spaces where they lie, who holds them, and where the ways lead.


MAP_WIDTH = 72
"""Columns of the map, as many as letters have."""
MAP_ROWS = 20
"""Rows of the map. A choice: it fits on a screen."""
_SIGN: Mapping[str, str] = {"spain": "S", "morocco": "M", "": "-"}
_SHAPES: Mapping[str, str] = {
    "clear": "",
    "beach": "b",
    "heights": "^",
    "woods": "w",
    "marsh": "~",
    "town": "#",
    "camp": "c",
    "fortified": "F",
}


EDGE_NAMES: Mapping[str, Msg] = {
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
"""The names of an edge with two different sides, seen from its first space and from its second."""


def text_map(view: State, seat: str) -> tuple[Line, ...]:
    """Return the map as text, about 72 columns wide.

    Each space has its holder, combat units/steps, guns and leaders; the ways follow.

    Example: ``Nudos [S 2/8 a1 o1]`` is held by Spain with two combat units of eight steps, one battery and a leader;
    ``Cresta [M 1/3]^`` are heights held by Morocco, ``Playa [-]b`` an empty beach.
    """
    signs = tuple(msg("{sign} {word}", sign=sign, word=Msg(name)) for name, sign in _SHAPES.items() if sign)
    older = ((0, _OLDER),) if sightings_by_space(view, view.commanding) else ()
    signed = (*_canvas(view), (0, _FORCE), *older, (0, msg("{signs}", signs=signs)))
    return (*signed, *((0, line) for line in way_lines(view)), *zone_lines(view, SIDE_NAMES, DEPLOYMENT.rule))


def draw_places(view: State, legend: bool) -> tuple[Line, ...]:
    """Return the map as text without ways and without empty rows.

    The first map of a letter has all rows and the legend.
    """
    present = {space.terrain for space in view.edition.map.spaces.values()}
    signs = [
        msg("{sign} {word}", sign=sign, word=Msg(name)) for name, sign in _SHAPES.items() if name in present and sign
    ]
    older = (_OLDER,) if sightings_by_space(view, view.commanding) else ()
    below = (*older, *signs) if legend else older
    return (
        *_canvas(view, view.edition.map.spaces if legend else {unit.at for unit in view.units.values()}),
        *([(0, msg("{signs}", signs=below))] if below else ()),
    )


def _canvas(view: State, around: Collection[str] = ()) -> tuple[Line, ...]:
    """Return the rows of the map.

    With `around`, only the rows with one of these spaces.
    """
    spaces = view.edition.map.spaces
    width = max((space.x for space in spaces.values()), default=0) or 1
    height = max((space.y for space in spaces.values()), default=0) or 1
    older = sightings_by_space(view, view.commanding)
    rows: dict[int, list[tuple[int, str]]] = {}
    for ident, space in spaces.items():
        label = f"{ident} {_force(view.at(ident))}{_SHAPES[space.terrain]}"
        label += f"'{turn_label(older[ident])}" if ident in older else ""
        rows.setdefault(space.y * (MAP_ROWS - 1) // height, []).append((space.x * (MAP_WIDTH - 18) // width, label))
    shown = {spaces[ident].y * (MAP_ROWS - 1) // height for ident in around} if around else range(MAP_ROWS)
    canvas = [_labels_in_line(sorted(rows.get(number, ()))) for number in range(MAP_ROWS) if number in shown]
    while canvas and not canvas[0]:
        canvas.pop(0)
    return tuple((DRAWING_DEPTH, msg("{line}", line=line)) for line in canvas)


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
    """Return labels in one line of a letter, each as near its column as it fits."""
    end, gaps = 0, list[int]()
    for column, label in labels:
        gaps.append(max(column - end, 2 if gaps else 0))
        end += gaps[-1] + len(label)
    for number, gap in enumerate(gaps):
        # As much as the line is too long, but two blanks stay between labels.
        cut = max(min(end - MAP_WIDTH, gap - (2 if number else 0)), 0)
        gaps[number], end = gap - cut, end - cut
    return "".join(" " * gap + label for gap, (_, label) in zip(gaps, labels, strict=True))


def way_lines(view: State, places: Collection[str] = ()) -> list[Msg]:
    """Return the ways from these spaces by kind, without those from all spaces."""
    area = view.edition.map
    lines = []
    for ident in sorted(places or area.spaces):
        leading: list[str | Msg] = []
        for near in area.neighbours(ident):
            edge = area.edge(ident, near)
            up = _SIDES_OF.get(edge.kind, ("", ""))[edge.b != near]
            open_to = edge.kind == "open"
            leading.append(near if open_to else msg("{space} ({edge})", space=near, edge=EDGE_NAMES[edge.kind + up]))
        lines.append(msg("{space}: {ways}", space=ident, ways=tuple(leading)))
    return lines


PICTURES = Pictures(ground=map_ground, picture=draw_scene)
