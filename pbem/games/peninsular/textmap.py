"""The map as text: each hex with its terrain and who stands in it."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.core.hexes import hex_id
from pbem.games.peninsular.state import State, Unit

__all__ = ["text_map"]

TERRAIN: Mapping[str, str] = {
    "clear": ".",
    "beach": "b",
    "cultivated": ",",
    "village": "v",
    "city": "c",
    "strong buildings": "B",
    "pontoon bridge": "=",
    "marsh": "m",
    "light wood": "w",
    "dense wood": "W",
    "sea": "~",
}
_SIGN = {"french": "F", "british": "B", "spanish": "S", "portuguese": "P"}


def text_map(view: State) -> tuple[str, ...]:
    """Return the map, a line a row, four columns a hex, odd columns meant half a hex higher.

    ``B12`` is held by the British with 12 PF, ``Fg`` by French guns alone, ``Bo`` by a commander alone; a level above
    the plain stands after the terrain, ``.1``. Below it stand the sides that are more than open ground.
    """
    ground = view.edition.ground
    lines = ["    " + "".join(f"{column:02}  " for column in range(1, ground.columns + 1)).rstrip()]
    for row in range(1, ground.rows + 1):
        cells = [_cell(view, hex_id(column, row)) for column in range(1, ground.columns + 1)]
        lines.append(f"{row:02}  {''.join(cells)}".rstrip())
    present = {ground.terrain(ident) for ident in ground.hexes}
    legend = [f"{sign} {name}" for name, sign in TERRAIN.items() if name in present]
    return (*lines, "", ", ".join(legend), *(f"{a}-{b} {feature}" for a, b, feature in ground.features))


def _cell(view: State, ident: str) -> str:
    here = view.at(ident)
    ground = view.edition.ground
    level = ground.level(ident)
    text = _force(here) if here else TERRAIN[ground.terrain(ident)] + (str(level) if level else "")
    return f"{text:<4}"


def _force(here: list[Unit]) -> str:
    sign = _SIGN[here[0].side]
    pf = sum(unit.pf for unit in here if unit.kind in ("inf", "cav"))
    if pf:
        return f"{sign}{pf}"
    return f"{sign}g" if any(unit.kind == "art" for unit in here) else f"{sign}o"
