"""The map as text: each hex with its terrain and who stands in it, in 72 columns.

::

      01    03    05          odd columns lie half a hex higher: their hexes stand in the upper line of a row,
         02    04             those of even columns in the lower one
    01 .     w     B12
          .     F7
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import PLAIN, Line
from pbem.engine.map.hexes import hex_id, place
from pbem.games.peninsular.ground.hexmap import Ground
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State

WIDTH = 72
TERRAIN: Mapping[str, str] = {
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
SIDES: Mapping[str, Msg] = {
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


def text_map(view: State, seat: str) -> tuple[Line, ...]:
    """Return the whole map, and below it what its signs mean and the sides that are more than open ground.

    ``B12`` is held by the British with 12 PF, ``Fg`` by French guns alone, ``Bo`` by a commander alone; a level above
    the plain stands after the terrain, ``.1``; ``*`` marks a hex that counts for victory.
    """
    ground = view.edition.map
    who = msg("B British, P Portuguese, S Spanish, F French: PF, g guns, o commander")
    return (*rows(view), (0, msg("{signs}", signs=(*signs(ground), who))), *((0, line) for line in _features(ground)))


def signs(ground: Ground) -> tuple[Msg, ...]:
    """Return what the signs of a map mean, but those of who stands there."""
    present = {ground.terrain(ident) for ident in ground.hexes}
    found = [msg("{sign} {word}", sign=sign, word=Msg(name)) for name, sign in TERRAIN.items() if name in present]
    return (*found, msg(".1 level 1"), msg("* counts for victory"))


def rows(view: State, around: Iterable[str] = ()) -> tuple[Line, ...]:
    """Return the map with its columns and rows numbered; with `around`, only the rows of those hexes and one beyond."""
    ground = view.edition.map
    pitch = min(8, (WIDTH - _LABEL) // ((ground.columns + 1) // 2))
    found = [place(ident)[1] for ident in around] or [1, ground.rows]
    first, last = max(1, min(found) - 1), min(ground.rows, max(found) + 1)
    lines = [_line("", _heads(ground, odd), pitch, odd) for odd in (1, 0)]
    for row in range(first, last + 1):
        for odd in (1, 0):
            columns = range(2 - odd, ground.columns + 1, 2)
            cells = [_cell(view, hex_id(column, row)) for column in columns]
            lines.append(_line(f"{row:02}" if odd else "", cells, pitch, odd))
    return tuple((PLAIN, msg("{line}", line=line)) for line in lines)


def _heads(ground: Ground, odd: int) -> list[str]:
    return [f"{column:02}" for column in range(2 - odd, ground.columns + 1, 2)]


def _line(label: str, cells: Sequence[str], pitch: int, odd: int) -> str:
    shift = 0 if odd else (pitch + 1) // 2
    return f"{label:<{_LABEL + shift}}" + "".join(f"{cell:<{pitch}}" for cell in cells).rstrip()


def _cell(view: State, ident: str) -> str:
    here = view.at(ident)
    ground = view.edition.map
    level = ground.level(ident)
    text = _force(here) if here else TERRAIN[ground.terrain(ident)] + (str(level) if level else "")
    return text + ("*" if ident in view.edition.scenario.get("victory", {}).get("hexes", {}) else "")


def _force(here: list[Unit]) -> str:
    sign = _SIGN[here[0].side]
    pf = sum(unit.pf for unit in here if unit.kind in ("inf", "cav"))
    if pf:
        return f"{sign}{pf}"
    return f"{sign}g" if any(unit.kind == "art" for unit in here) else f"{sign}o"


def _features(ground: Ground) -> list[Msg]:
    """Sides by kind; slopes that a change of level explains are told in one sentence, roads as chains of hexes."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for a, b, feature in ground.features:
        kinds.setdefault(feature, []).append((a, b))
    lines: list[Msg] = []
    for kind, pairs in kinds.items():
        odd = [(a, b) for a, b in pairs if kind != "slope" or ground.level(a) >= ground.level(b)]
        if len(odd) < len(pairs):
            lines.append(msg("slope: wherever the level changes"))
        chains = _chains(odd) if kind == "road" else ["-".join(pair) for pair in odd]
        if chains:
            lines.append(msg("{kind}: {sides}", kind=SIDES[kind], sides=tuple(chains)))
    return lines


def _chains(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Sides that follow one another, as one chain."""
    chains: list[list[str]] = []
    for a, b in pairs:
        if chains and chains[-1][-1] == a:
            chains[-1].append(b)
        else:
            chains.append([a, b])
    return ["-".join(chain) for chain in chains]
