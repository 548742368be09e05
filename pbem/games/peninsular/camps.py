"""S3 Camps: who of each camp stands where, and where the zones of control of a camp reach.

What is known of a camp is handed on from position to position and changed only where its counters went or turned:
while one side moves, nothing that was found out about the other has to be found out again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.units import Unit

__all__ = ["CAMPS", "Camp", "Camps", "encamped", "redeployed"]

CAMPS = ("allied", "french")
Change = tuple[Unit | None, Unit | None]
"""A counter before and after; None if it was not, or is not any more, in play."""


class Camp(NamedTuple):
    """The counters of a camp.

    `ids` are theirs, in order; `hexes` the same by hex; `zones`: by hex the hexes from which a counter reaches it with
    its zone, in order, one for each such counter.
    """

    ids: tuple[str, ...]
    hexes: Mapping[str, tuple[str, ...]]
    zones: Mapping[str, tuple[str, ...]]


Camps = Mapping[str, Camp]
"""Both camps by name."""


def encamped(units: Mapping[str, Unit]) -> Camps:
    """Return who is where."""
    nobody = {name: Camp((), {}, {}) for name in CAMPS}
    return redeployed(nobody, ((None, unit) for _, unit in sorted(units.items())))


def redeployed(camps: Camps, changes: Iterable[Change]) -> Camps:
    """Return the camps after changes of counters; those that nobody moved or turned in are the same as before."""
    found: dict[str, _Draft] = {}
    for before, after in changes:
        if before is not None and after is not None and _alike(before, after):
            continue
        unit = after or before
        if unit is None:
            continue
        name = camp(unit.side)
        draft = found.get(name)
        if draft is None:
            draft = found[name] = _Draft(camps[name])
        if before is not None:
            draft.leave(before)
        else:
            draft.ids = tuple(sorted((*draft.ids, unit.id)))
        if after is not None:
            draft.stand(after)
        else:
            draft.ids = tuple([ident for ident in draft.ids if ident != unit.id])
    return (
        {**camps, **{name: Camp(draft.ids, draft.hexes, draft.zones) for name, draft in found.items()}}
        if found
        else camps
    )


def _alike(before: Unit, after: Unit) -> bool:
    """Whether a counter stands where it stood and reaches as far."""
    return (
        before.at == after.at
        and before.facing == after.facing
        and before.formation == after.formation
        and before.state == after.state
    )


class _Draft:
    """A camp that is being changed."""

    def __init__(self, before: Camp) -> None:
        self.ids, self.hexes, self.zones = before.ids, dict(before.hexes), dict(before.zones)

    def stand(self, unit: Unit) -> None:
        _add(self.hexes, unit.at, unit.id)
        for at in unit.zone:
            _add(self.zones, at, unit.at)

    def leave(self, unit: Unit) -> None:
        _take(self.hexes, unit.at, unit.id)
        for at in unit.zone:
            _take(self.zones, at, unit.at)


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
