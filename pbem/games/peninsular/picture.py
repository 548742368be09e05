"""Draw a seat's map as a scene with counters and marks, and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import DRAWING_DEPTH, Line
from pbem.engine.data.scene import Mark, Nation, Piece, Scene, SceneGoal, moment_in_words, removed_units
from pbem.engine.data.score_sheet import ScoreSheet
from pbem.engine.deployment import zone_lines
from pbem.engine.map.hexes import hex_id, place, within
from pbem.engine.map.sheets import HexGround
from pbem.engine.parts import Pictures
from pbem.games.peninsular.edition import SIDE_NAMES, SIDES, Edition, alliance_of
from pbem.games.peninsular.hexmap import TerrainMap
from pbem.games.peninsular.sequence import DEPLOYMENT
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import DISORDERED, ROUTED, Unit
from pbem.games.peninsular.victory import Seen, score_sheet

HEX_METRES = 200
"""The width of a hex in metres."""
_LETTERS = {"british": msg("B"), "spanish": msg("S"), "portuguese": msg("P"), "french": msg("F")}
_STATES = {DISORDERED: msg("DISORD."), ROUTED: msg("ROUTED")}
_MOVES = ("moves", "advances", "pursues")
_RETREATS = ("retreats", "withdraws", "follows")


def map_ground(edition: Edition) -> HexGround:
    """Return the map of hexes."""
    return HexGround(edition.map, HEX_METRES)


def draw_scene(view: State, seat: str, seen: Seen) -> Scene:
    """Return the scene after a seat's events, each with its view before it."""
    score = score_sheet(view, seat, seen)
    losses = Counter[str]()
    for event, _ in seen:
        if event.kind == "loses":
            losses[event.data["unit"]] += event.data["pf"]
    removed_pieces = tuple(
        _piece(before.units[i], 0) for event, before in seen for i in removed_units(event) if i in before.units
    )
    nations = {_nation(unit) for unit in view.units.values()} | {piece.side for piece in removed_pieces}
    return Scene(
        Msg(view.edition.scenario.get("title", "Peninsular")),
        moment_in_words(score, SIDE_NAMES.get(view.phase)),
        tuple(_camps(view, score, nations)),
        tuple(
            _piece(unit, losses[ident], is_new=any(piece.id == ident for piece in removed_pieces))
            for ident, unit in sorted(view.units.items(), key=_stack_order)
        ),
        _first_marks(mark for pair in seen for mark in _marks(*pair)),
        tuple(SceneGoal(place, goal.worth, goal.holder) for goal in score.goals for place in goal.places),
        (),
        removed_pieces,
        tuple(_counter_key(view)),
    )


def _counter_key(view: State) -> Iterator[tuple[str, Msg]]:
    """Yield the meaning of the numbers and letters on the counters shown."""
    units = view.units.values()
    if any(unit.is_combat for unit in units):
        yield "B", msg("will")
    if any(unit.kind == "art" for unit in units):
        yield "(4)", msg("fire of guns")
    if any(unit.is_combat and 0 < unit.pf < unit.full for unit in units):
        yield "/6", msg("full strength")
    if any(unit.kind == "cmd" for unit in units):
        yield "1/0", msg("commander: morale, shock")


def _first_marks(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Return the first mark of those between the same hexes."""
    return tuple(
        {(mark.kind, mark.side, mark.places[0], mark.places[-1]): mark for mark in reversed([*marks])}.values()
    )[::-1]


def _nation(unit: Unit) -> str:
    """Return the nation whose colours a unit has, if it is a side of the game."""
    return unit.nation if unit.nation in _LETTERS else unit.side


def _stack_order(entry: tuple[str, Unit]) -> tuple[bool, int, str]:
    """Sort a stack: commanders on top, then weaker units."""
    ident, unit = entry
    return unit.is_combat, unit.pf, ident


def _camps(view: State, sheet: ScoreSheet, nations: set[str]) -> Iterator[Nation]:
    """Yield the nations shown; points belong to the sides that count them."""
    points = {score.side: score.points for score in sheet.scores}
    by_alliance = {alliance_of(side): side for side in points}
    for side in SIDES:
        if side in nations or side in view.edition.phases:
            ally = "" if side in points else by_alliance.get(alliance_of(side), "")
            yield Nation(side, SIDE_NAMES[side], _LETTERS[side], side, points.get(side), ally=ally)


def _piece(unit: Unit, pf_lost: int, is_new: bool = False) -> Piece:
    """Return a unit's counter; S13 new commanders keep the name of the fallen."""
    chief = unit.kind == "cmd"
    branch = {"inf": "infantry", "cav": "heavy" if unit.size == "heavy" else "cavalry", "art": "guns"}
    form = "limbered" if unit.limbered else "unlimbered" if unit.kind == "art" else "" if chief else unit.formation
    return Piece(
        unit.id,
        unit.id,
        unit.at,
        _nation(unit),
        "leader" if chief else branch[unit.kind],
        0 if chief else unit.pf,
        0 if chief else unit.full,
        f"{unit.morale}/{unit.shock}" if chief else f"({unit.fire})" if unit.kind == "art" else unit.will,
        (*((_STATES[unit.state],) if unit.state in _STATES else ()), *((msg("SUCCESSOR"),) if is_new else ())),
        form,
        unit.facing if unit.faces else "",
        pf_lost,
    )


def _marks(event: Event, before: State) -> Iterator[Mark]:
    """Yield the marks of an event on the map."""
    data: Data = event.data
    if event.kind in (*_MOVES, *_RETREATS) and {"from", "to"} <= data.keys():
        way = (data["from"], *data.get("path", (data["to"],)))
        known = [before.units[ident] for ident in data["units"] if ident in before.units]
        alone = bool(known) and all(unit.kind == "cmd" for unit in known)
        yield Mark("retreat" if event.kind in _RETREATS else "ride" if alone else "move", data["side"], way)
    elif event.kind == "deploys":
        yield Mark("arrive", data["side"], (data["to"],))
    elif event.kind == "arrives":
        for place in sorted({hex_id for _, hex_id in data["counters"]}):
            yield Mark("arrive", data["side"], (place,))
    elif event.kind == "fires":
        unit = before.units.get(data["unit"])
        if unit is not None and unit.at != data["at"]:
            yield Mark("fire", data["side"], (unit.at, data["at"]))
    elif event.kind == "shock":
        for place in sorted({before.units[ident].at for ident in data["attackers"] if ident in before.units}):
            yield Mark("assault", data["side"], (place, data["at"]))


PICTURES = Pictures(ground=map_ground, picture=draw_scene)


# The map as text: each hex with its terrain and who stands in it, in 72 columns.
#
# ::
#
#       01    03    05          odd columns lie half a hex higher: their hexes stand in the upper line of a row,
#          02    04             those of even columns in the lower one
#     01 .     w     B12
#           .     F7


MAP_WIDTH = 72
"""Columns of the map, as many as letters have."""
TERRAIN_SIGNS: Mapping[str, str] = {
    "clear": ".",
    "beach": "b",
    "cultivated": ",",
    "village": "v",
    "city": "c",
    "strong buildings": "T",
    "pontoon bridge": "=",
    "marsh": "m",
    "light wood": "w",
    "dense wood": "W",
    "sea": "~",
}
HEXSIDE_NAMES: Mapping[str, Msg] = {
    "river": msg("river"),
    "stream": msg("stream"),
    "bridge": msg("bridge"),
    "ford": msg("ford"),
    "ravine": msg("ravine"),
    "slope": msg("slope"),
    "impassable slope": msg("impassable slope"),
    "siege lines": msg("siege lines"),
    "road": msg("road"),
}
_SIGN = {"french": "F", "british": "B", "spanish": "S", "portuguese": "P"}
_LABEL = 3
"""Columns before a row, for its number."""


def text_map(view: State, seat: str) -> tuple[Line, ...]:
    """Return the whole map, its signs, and the hexsides that are not open.

    ``B12`` is a British hex with 12 PF, ``Fg`` French guns alone, ``Bo`` a commander alone. A level above the plain
    follows the terrain, ``.1``; ``*`` marks a hex that counts for victory.
    """
    ground = view.edition.map
    who = msg("B British, P Portuguese, S Spanish, F French: PF; g guns alone, o commander alone")
    signed = (*map_rows(view), (0, msg("{signs}", signs=(*sign_lines(ground), who))))
    return (*signed, *((0, line) for line in _features(ground)), *zone_lines(view, SIDE_NAMES, DEPLOYMENT.rule))


def sign_lines(ground: TerrainMap) -> tuple[Msg, ...]:
    """Return the meaning of a map's signs, without units."""
    present = {ground.terrain(ident) for ident in ground.hexes}
    texts = [msg("{sign} {word}", sign=sign, word=Msg(name)) for name, sign in TERRAIN_SIGNS.items() if name in present]
    return (*texts, msg(".1 level 1"), msg("* goal"))


def map_rows(view: State, around: Iterable[str] = ()) -> tuple[Line, ...]:
    """Return the map with numbered columns and rows.

    If `around` has hexes, only what lies between them and the hexes that count is drawn: a row a line, if that
    fits, else only their rows.
    """
    ground = view.edition.map
    hexes = tuple(map(place, around))
    if hexes and (lines := _narrow_lines(view, hexes)):
        return tuple((DRAWING_DEPTH, msg("{line}", line=line)) for line in lines)
    # Eight signs have room for a hex's text; on wide maps columns are narrower, so that a row has one line.
    pitch = min(8, (MAP_WIDTH - _LABEL) // ((ground.columns + 1) // 2))
    shown = {(row, column % 2) for column, row in hexes}
    # The first column is an odd one: it stands half a hex higher, and left of the others.
    first = min((column - 1 | 1 for column, _ in hexes), default=1)
    last = max((column + 1 for column, _ in hexes), default=ground.columns)
    by_parity = {odd: range(first + 1 - odd, min(last, ground.columns) + 1, 2) for odd in (1, 0)}
    lines = [_line("", [f"{column:02}" for column in by_parity[odd]], pitch, odd) for odd in (1, 0)]
    for row in range(1, ground.rows + 1):
        for odd in (odd for odd in (1, 0) if not shown or (row, odd) in shown):
            cells = [_cell(view, hex_id(column, row)) for column in by_parity[odd]]
            lines.append(_line(f"{row:02}" if odd or shown else "", cells, pitch, odd))
    return tuple((DRAWING_DEPTH, msg("{line}", line=line)) for line in lines)


def _narrow_lines(view: State, hexes: Sequence[tuple[int, int]]) -> list[str]:
    """Return the map around hexes, a row a line; empty if that is too wide.

    Columns are as wide as they need. Rows and columns with nothing in them are left out unless those beside them
    have something, and so is ground far from all.
    """
    counting = tuple(map(place, view.edition.scenario.get("victory", {}).get("hexes", {})))
    columns, rows_drawn = zip(*hexes, *counting, strict=True)
    drawn_ids = set().union(*(within(hex_id(column, row), _IN_SIGHT) for column, row in (*hexes, *counting)))
    near = {column + step for column in columns for step in (-1, 0, 1)}
    drawn = [column for column in range(min(columns), max(columns) + 1) if column in near]
    table = [["", *(f"{column:02}" for column in drawn)]]
    between = {row + 1 for row in rows_drawn if row + 2 in rows_drawn}
    for row in sorted({*rows_drawn, *between}):
        idents = [hex_id(column, row) for column in drawn]
        table.append([f"{row:02}", *(_cell(view, ident) if ident in drawn_ids else "" for ident in idents)])
    widths = [max(map(len, column_cells)) for column_cells in zip(*table, strict=True)]
    if sum(widths) + len(widths) - 1 > MAP_WIDTH:
        return []
    return [" ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]


_IN_SIGHT = 1
"""Hexes around a counter or a hex that counts whose ground a report draws: where the next assault can start."""


def _line(label: str, cells: Sequence[str], pitch: int, odd: int) -> str:
    shift = 0 if odd else (pitch + 1) // 2
    return f"{label:<{_LABEL + shift}}" + "".join(f"{cell:<{pitch}}" for cell in cells).rstrip()


def _cell(view: State, ident: str) -> str:
    units_here = view.at(ident)
    ground = view.edition.map
    level = ground.level(ident)
    text = _force(units_here) if units_here else TERRAIN_SIGNS[ground.terrain(ident)] + (str(level) if level else "")
    return text + ("*" if ident in view.edition.scenario.get("victory", {}).get("hexes", {}) else "")


def _force(units_here: list[Unit]) -> str:
    sign = _SIGN[units_here[0].side]
    pf = sum(unit.pf for unit in units_here if unit.kind in ("inf", "cav"))
    if pf:
        return f"{sign}{pf}"
    return f"{sign}g" if any(unit.kind == "art" for unit in units_here) else f"{sign}o"


def crossing_lines(ground: TerrainMap) -> list[Msg]:
    """Return the bridges and fords."""
    return _features(ground, ("bridge", "ford"))


def _features(ground: TerrainMap, wanted: Collection[str] = HEXSIDE_NAMES) -> list[Msg]:
    """Return hexsides by kind, in words.

    Slopes that levels explain share one line; roads are chains.
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for a, b, feature in ground.features:
        if feature in wanted:
            kinds.setdefault(feature, []).append((a, b))
    lines: list[Msg] = []
    for kind, pairs in kinds.items():
        odd = [(a, b) for a, b in pairs if kind != "slope" or ground.level(a) >= ground.level(b)]
        if len(odd) < len(pairs):
            lines.append(msg("slope: wherever the level changes"))
        chains = _chains(odd) if kind == "road" else ["-".join(pair) for pair in odd]
        if chains:
            lines.append(msg("{kind}: {sides}", kind=HEXSIDE_NAMES[kind], sides=tuple(chains)))
    return lines


def _chains(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Join consecutive sides into chains."""
    chains: list[list[str]] = []
    for a, b in pairs:
        if chains and chains[-1][-1] == a:
            chains[-1].append(b)
        else:
            chains.append([a, b])
    return ["-".join(chain) for chain in chains]
