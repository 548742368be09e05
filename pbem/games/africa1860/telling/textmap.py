"""The map as text: spaces where they lie, who holds them, and where the ways lead."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pbem.engine.couriers.telling import short
from pbem.engine.data.messages import Msg, msg, plain
from pbem.engine.data.report import PLAIN, Line
from pbem.games.africa1860.setup.units import Unit
from pbem.games.africa1860.sight import dated
from pbem.games.africa1860.state import State

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
    return (*_canvas(view), (0, _FORCE), *older, (0, msg("{signs}", signs=signs)), *((0, line) for line in ways(view)))


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
    canvas = [_row(sorted(rows.get(number, ()))) for number in range(ROWS)]
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


def _row(labels: list[tuple[int, str]]) -> str:
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
