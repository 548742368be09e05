"""What witnesses have seen, in time, of the lists that a phase was closed with and of when it was to be closed.

It counts if its tree holds the leaf, if it says a moment before the beacon's round came out and not before the leaf was
written, and if its letter was here when the dice were rolled: what a report says of its dice never changes. That a tree
holds a list, a cosignature says; that there is no other list of that segment, only a witness who was shown the leaf
(`audit.sees`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon, note, rolls, sees
from pbem.audit.checkpoint import Cosigned
from pbem.audit.merkle import leaf_hash
from pbem.log import boards, sequencer
from pbem.log.closing_times import second
from pbem.store import queries
from pbem.store.logrows import LeafRow
from pbem.store.tables import log as t

SLACK = 120
"""Seconds by which the clocks of server and witness may differ."""


class Sight(NamedTuple):
    """A cosignature of the tree of `size` leaves, `by` its line, or what a witness `said` of lists in it, as a block.

    `key` is the witness's, as one word; `at` the second that it says, `came` when it was taken in.
    """

    key: str
    size: int
    at: int
    came: datetime
    by: str = ""
    said: bytes = b""


class Witnessed(NamedTuple):
    """A leaf that is to be seen before a round of a chain comes out, and what counts of those who have seen it.

    `seen` are cosignatures of trees that hold it; `said`, of a closed list, is by witnesses who were shown the leaf,
    and who have cosigned the tree as well.
    """

    leaf: t.Leaf
    chain: str
    round: int
    seen: tuple[Sight, ...]
    said: tuple[Sight, ...] = ()

    @property
    def is_late(self) -> bool:
        """Whether it was written when the round was out."""
        return second(self.leaf.written) >= beacon.moment(beacon.KNOWN[self.chain], self.round)


class _Sights(NamedTuple):
    """All that came of a game's witnesses, and of those who are asked by HTTP in that time."""

    signed: tuple[Sight, ...]
    said: tuple[Sight, ...]

    @classmethod
    def of(cls, session: Session, game: str) -> _Sights:
        signed = queries.log.cosignatures(session, game)
        said = queries.log.statements(session, game)
        return cls(
            tuple(Sight(who.key, one.size, one.at, one.came, by=one.by) for one, who in signed),
            tuple(Sight(who.key, one.size, one.at, one.came, said=one.said) for one, who in said),
        )

    def of_leaf(self, session: Session, row: t.Leaf, out: int, rolled: datetime | None) -> _Sights:
        """Those that count for a leaf, which is to be seen before the second `out`."""
        since, number = second(row.written) - SLACK, row.number
        if number is None:
            return _Sights((), ())
        asked = queries.log.web_cosignatures(session, since, out)
        web = (Sight(one.key, one.size, one.at, one.came, by=one.by) for one in asked)
        signed, said = (
            tuple(
                one
                for one in found
                if one.size > number and since <= one.at < out and (rolled is None or one.came <= rolled)
            )
            for found in ((*self.signed, *web), self.said)
        )
        trees = {(one.key, one.size) for one in signed}
        digest = leaf_hash(row.body).hex()
        return _Sights(signed, tuple(one for one in said if (one.key, one.size) in trees and digest in _lists(one)))


def _lists(one: Sight) -> set[str]:
    return {each.leaf for each in sees.read(one.said).said.closes}


def closed_lists(session: Session, game: str, phase: str) -> tuple[Witnessed, ...]:
    """The lists of a phase whose dice wait for a beacon, in order, and what witnesses have seen of each."""
    rows = queries.log.leaves(session, game, "close", "roll", phase=phase)
    closes = [row for row in rows if row.kind == "close"]
    rolled = {_segment(row): row.written for row in reversed(rows) if row.kind == "roll"}
    sights = _Sights.of(session, game) if closes else _Sights((), ())
    out = []
    for row in closes:
        slate, fixed = rolls.parse_slate(row.opens.encode("utf-8")), row
        chain, number = slate.chain, slate.round
        if chain == "none":
            continue
        if called := boards.board_in(row.opens.encode("utf-8")):
            # Where tables have one luck it is the board that waits, by a leaf of its own.
            done = boards.bound(session, called)
            if done is None:
                continue
            fixed, chain, number = done.leaf, done.chain, done.round
        ends = beacon.moment(beacon.KNOWN[chain], number)
        found = sights.of_leaf(session, fixed, ends, rolled.get(_segment(row)))
        out.append(Witnessed(fixed, chain, number, *found))
    return tuple(out)


def _segment(row: t.Leaf) -> int:
    return int(sequencer.read_leaf(_row(row))("segment"))


def _row(row: t.Leaf) -> LeafRow:
    return LeafRow(**row.model_dump(exclude={"written"}))


def moves(session: Session, game: str, phase: str) -> tuple[Witnessed, ...]:
    """The leaves that moved the closing of a phase to later, each with the round that would have been next before it.

    Who looks at that round first, and then moves the closing, has seen dice that he does not want. The first such leaf
    after a roll says when the next segment closes, and moves nothing.
    """
    rows = queries.log.leaves(session, game, "open", "deadline", "roll", phase=phase)
    told = [sequencer.read_leaf(_row(row)) for row in rows]
    opened = next((one for one in told if one.kind == "open"), None)
    if opened is None or opened("chain") == "none":
        return ()
    sights, out = _Sights.of(session, game), []
    for before, row, one in zip(told, rows[1:], told[1:], strict=False):
        if one.kind == "deadline" and before.kind != "roll" and one.number("D") > before.number("D"):
            ends = beacon.moment(beacon.KNOWN[opened("chain")], before.number("round"))
            found = sights.of_leaf(session, row, ends, None)
            out.append(Witnessed(row, opened("chain"), before.number("round"), found.signed))
    return tuple(out)


def names(lists: Sequence[Witnessed]) -> tuple[str, ...]:
    """Who was shown these lists and says so, as the verifiers name them: name and id of the key."""
    return tuple(dict.fromkeys(note.parse_key(who.key).label for one in lists for who in one.said))


def cosigned_for(session: Session, leaves: Iterable[Witnessed], size: int) -> tuple[Cosigned, ...]:
    """What a letter on the tree of `size` leaves shows of them: for each leaf the cosigned trees that are worth it."""
    out = []
    for one in leaves:
        for old in sorted(_worth(one, size)):
            lines = [seen.by for seen in one.seen if seen.size == old]
            signed = note.signed_by(session.get_one(t.Checkpoint, old).note, *map(note.signature, lines))
            (placed,) = sequencer.place(session, [_row(one.leaf)], old)
            grown = sequencer.grown(session, old, size)
            out.append(Cosigned(placed.at, placed.path, grown.path if grown else (), signed))
    return tuple(out)


def _worth(one: Witnessed, size: int) -> set[int]:
    """Of each witness the first tree that he says something of, or else that he has cosigned."""
    found: dict[str, int] = {}
    for seen in (*one.said, *one.seen):
        if seen.size <= size:
            found.setdefault(seen.key, seen.size)
    return set(found.values())


def statements(lists: Iterable[Witnessed], size: int) -> tuple[bytes, ...]:
    """What witnesses say of these lists, as blocks for the same letter: of each the first, once."""
    found: dict[tuple[str, int], bytes] = {}
    for one in lists:
        trees = _worth(one, size)
        for said in one.said:
            if said.size in trees:
                found.setdefault((said.key, one.leaf.id or 0), said.said)
    return tuple(dict.fromkeys(found.values()))
