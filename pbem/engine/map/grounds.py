"""Grounds: what a picture is drawn on, a map of areas with its sheet, or a map of hexes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol

from pbem.engine.map.areas import AreaMap
from pbem.engine.map.sheets import Sheet


class HexMap(Protocol):
    """A map of hexes as it can be drawn; features of sides are (hex, next hex, what)."""

    @property
    def hexes(self) -> Collection[str]:
        """All ids."""
        ...

    @property
    def features(self) -> Iterable[tuple[str, str, str]]:
        """What runs between hexes, or from one to the next."""
        ...

    def terrain(self, ident: str) -> str:
        """The terrain of a hex."""
        ...

    def level(self, ident: str) -> int:
        """Its height; 0 is the plain."""
        ...


class AreaGround(NamedTuple):
    """Spaces, and how they are drawn."""

    area: AreaMap
    sheet: Sheet


class HexGround(NamedTuple):
    """Hexes, each so many metres wide; 0 where nobody knows."""

    area: HexMap
    metres: int = 0


Grounds = AreaGround | HexGround
