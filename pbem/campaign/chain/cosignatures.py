"""What witnesses have cosigned of the lists that a phase was closed with, in time for grade A.

It counts if its tree holds the list, if it says a moment before the beacon's round came out and not before the list was
closed, and if its letter was here when the dice were rolled: what a report says of its dice never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon, leaves, note, rolls
from pbem.audit.cosigned import Cosigned
from pbem.campaign.chain import logbook
from pbem.campaign.chain.closing_times import second
from pbem.store import queries
from pbem.store.logrows import LeafRow
from pbem.store.tables import log as t
from pbem.store.tables.witnesses import Cosignature, Witness

__all__ = ["SLACK", "CosignedList", "closed_lists", "cosigned_for", "names"]

SLACK = 120
"""Seconds by which the clocks of server and witness may differ."""


class CosignedList(NamedTuple):
    """A list that a phase was closed with: its leaf, the slate's round, and the cosignatures that count, by size."""

    leaf: t.Leaf
    chain: str
    round: int
    seen: tuple[tuple[Cosignature, Witness], ...]

    @property
    def is_late(self) -> bool:
        """Whether the list was closed when its round was out."""
        return second(self.leaf.written) >= beacon.moment(beacon.KNOWN[self.chain], self.round)


def closed_lists(session: Session, game: str, phase: str) -> tuple[CosignedList, ...]:
    """The lists of a phase whose dice wait for a beacon, in order, and what witnesses have signed of each."""
    rows = queries.log.leaves(session, game, "close", "roll", phase=phase)
    closes = [row for row in rows if row.kind == "close"]
    rolled = {_segment(row): row.written for row in reversed(rows) if row.kind == "roll"}
    found = queries.witnesses.cosignatures(session, game) if closes else ()
    return tuple(_closed_list(row, rolled.get(_segment(row)), found) for row in closes)


def _segment(row: t.Leaf) -> int:
    return leaves.parse(row.body, row.says).number("segment")


def _closed_list(row: t.Leaf, rolled: datetime | None, found: Sequence[tuple[Cosignature, Witness]]) -> CosignedList:
    slate = rolls.parse_slate(row.opens.encode("utf-8"))
    out, since, number = beacon.moment(beacon.KNOWN[slate.chain], slate.round), second(row.written) - SLACK, row.number
    seen = tuple(
        (one, who)
        for one, who in found
        if number is not None and one.size > number and since <= one.at < out
        and (rolled is None or one.came <= rolled)
    )  # fmt: skip
    return CosignedList(row, slate.chain, slate.round, seen)


def names(lists: Sequence[CosignedList]) -> tuple[str, ...]:
    """Who has seen these lists, as the verifiers name them: name and id of the key."""
    return tuple(dict.fromkeys(note.parse_key(who.key).label for one in lists for _, who in one.seen))


def cosigned_for(session: Session, lists: Sequence[CosignedList], size: int) -> tuple[Cosigned, ...]:
    """What a letter on the tree of `size` leaves shows of them: each cosigned tree once for each list."""
    out = []
    for one in lists:
        for old in sorted({seen.size for seen, _ in one.seen if seen.size <= size}):
            lines = [seen.by for seen, _ in one.seen if seen.size == old]
            signed = note.signed_by(session.get_one(t.Checkpoint, old).note, *map(note.signature, lines))
            (placed,) = logbook.place(session, [LeafRow(**one.leaf.model_dump(exclude={"written"}))], old)
            grown = logbook.grown(session, old, size)
            out.append(Cosigned(placed.at, placed.path, grown.path if grown else (), signed))
    return tuple(out)
