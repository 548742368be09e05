"""S3 Camps: who of each camp stands where, and where the zones of control of a camp reach.

What is known of a camp is kept from position to position and changed only where its counters went or turned: while one
side moves, nothing that was found out about the other has to be found out again.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.games.peninsular.setup.units import Unit

CAMPS = ("allied", "french")


class Camp:
    """The counters of a camp, written by the position that owns it and read by all others.

    `ids` are theirs, in order; `hexes` the same by hex; `zones`: by hex the hexes from which a counter reaches it with
    its zone, in order, one for each such counter.
    """

    __slots__ = ("hexes", "ids", "zones")

    def __init__(
        self, ids: tuple[str, ...], hexes: dict[str, tuple[str, ...]], zones: dict[str, tuple[str, ...]]
    ) -> None:
        self.ids, self.hexes, self.zones = ids, hexes, zones

    def __eq__(self, other: object) -> bool:
        """Equal camps know the same."""
        return isinstance(other, Camp) and (self.ids, self.hexes, self.zones) == (other.ids, other.hexes, other.zones)

    def copy(self) -> Camp:
        """Return a camp of one's own to be written."""
        return Camp(self.ids, dict(self.hexes), dict(self.zones))

    def redeploy(self, before: Unit | None, after: Unit | None) -> None:
        """Enter what became of a counter: None if it was not, or is not any more, in play."""
        if before is not None:
            _take(self.hexes, before.at, before.id)
            for at in before.zone:
                _take(self.zones, at, before.at)
        elif after is not None:
            self.ids = tuple(sorted((*self.ids, after.id)))
        if after is not None:
            _add(self.hexes, after.at, after.id)
            for at in after.zone:
                _add(self.zones, at, after.at)
        elif before is not None:
            self.ids = tuple([ident for ident in self.ids if ident != before.id])


Camps = dict[str, Camp]
"""Both camps by name."""


def nobody() -> Camp:
    """Return a camp without counters."""
    return Camp((), {}, {})


def encamped(units: Mapping[str, Unit]) -> Camps:
    """Return who is where."""
    camps = {name: nobody() for name in CAMPS}
    for _, unit in sorted(units.items()):
        camps[unit.camp].redeploy(None, unit)
    return camps


def _add(table: dict[str, tuple[str, ...]], key: str, word: str) -> None:
    """Add a word to an entry, in order."""
    here = table.get(key)
    table[key] = tuple(sorted((*here, word))) if here else (word,)


def _take(table: dict[str, tuple[str, ...]], key: str, word: str) -> None:
    """Take one word out of an entry, and the entry if it was the last."""
    left = list(table[key])
    left.remove(word)
    if left:
        table[key] = tuple(left)
    else:
        del table[key]
