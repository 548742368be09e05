"""The grade of dice: how well it is proven, and to whom, that nobody chose or foresaw them; A, B or C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon, note, rolls, sees
from pbem.audit.checkpoint import Cosigned
from pbem.audit.merkle import leaf_hash
from pbem.engine.data.messages import Msg, msg
from pbem.log import closing_times, sequencer
from pbem.log.closing_times import second
from pbem.runtime.bot_versions import bots_in
from pbem.runtime.terms import Terms
from pbem.store import queries, tables
from pbem.store.queries.log import LeafRow
from pbem.store.tables import log as t

# What witnesses have seen, in time, of the lists that a phase was closed with and of when it was to be closed.
#
# It counts if its tree holds the leaf, if it says a moment before the beacon's round came out and not before the leaf
# was written, and if its letter was here when the dice were rolled: what a report says of its dice never changes. That
# a tree holds a list, a cosignature says; that there is no other list of that segment, only a witness who was shown the
# leaf (`audit.sees`).


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
        if called := closing_times.board_in(row.opens.encode("utf-8")):
            # Where tables have one luck it is the board that waits, by a leaf of its own.
            done = closing_times.bound_board(session, called)
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


def closing_moves(session: Session, game: str, phase: str) -> tuple[Witnessed, ...]:
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


def witness_names(lists: Sequence[Witnessed]) -> tuple[str, ...]:
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


def witness_statements(lists: Iterable[Witnessed], size: int) -> tuple[bytes, ...]:
    """What witnesses say of these lists, as blocks for the same letter: of each the first, once."""
    found: dict[tuple[str, int], bytes] = {}
    for one in lists:
        trees = _worth(one, size)
        for said in one.said:
            if said.size in trees:
                found.setdefault((said.key, one.leaf.id or 0), said.said)
    return tuple(dict.fromkeys(found.values()))


GRADE = msg("Dice: grade C, thrown by this server alone (HELP DICE).")
"""What letters say of dice of grade C, which the operator of the server could foresee."""


class Grade(NamedTuple):
    """What a letter claims of dice, what that proves in words, and what they will be worth once the game is over."""

    claim: str
    told: Msg
    later: str


def grade(session: Session, game: tables.Game, phase: str) -> Grade:
    """The grade of the dice of a phase that was rolled."""
    waits = Terms.read(game.terms).beacon != "none"
    closes = closed_lists(session, game.id, phase) if waits else ()
    if not closes:
        return Grade("C", GRADE, "C")
    moved = closing_moves(session, game.id, phase)
    if (told := _foreseen(session, game, phase, closes, moved)) is not None:
        return Grade("C", told, "C")
    seen = all(one.said for one in closes) and all(one.seen for one in moved)
    if len(closes) > 1:
        return Grade("C", _stopped(closes, seen), "A" if seen else "B")
    if seen:
        told = msg(
            "Dice: grade A, from round {round} of the beacon; witness: {witnesses} (HELP DICE).",
            round=closes[-1].round,
            witnesses=witness_names(closes),
        )
        return Grade("A", told, "A")
    told = msg("Dice: grade B, from round {round} of the beacon (HELP DICE).", round=closes[-1].round)
    return Grade("B", told, "B")


def _stopped(closes: Sequence[Witnessed], seen: bool) -> Msg:
    """Say what a phase is worth that stopped on its way: whether it had to stop there only its rules can tell."""
    return msg(
        "Dice: grade C until the game is over, then {grade}; last round {round} (HELP DICE).",
        grade="A" if seen else "B",
        round=closes[-1].round,
    )


def _foreseen(
    session: Session, game: tables.Game, phase: str, closes: Sequence[Witnessed], moved: Sequence[Witnessed]
) -> Msg | None:
    """Why dice that were to wait for a beacon could be foreseen all the same; None if they could not."""
    known = sequencer.at_hand(session, game.id, phase).rows
    bots = next((leaf("bots") for leaf in known if (leaf.kind, leaf.phase) == ("open", phase)), "-")
    if bots != "-":
        return msg(
            "Dice: grade C this time; a bot could write in this phase: {bots} (HELP DICE).",
            bots=", ".join(f"{seat} {bot.name}" for seat, bot in bots_in(bots).items()),
        )
    if queries.log.leaves(session, game.id, "beacon-change", phase=phase):
        return msg("Dice: grade C this time; by a ruling they did not wait for the beacon (HELP DICE).")
    if late := [one for one in closes if one.is_late]:
        return msg(
            "Dice: grade C this time; round {round} was out when orders closed (HELP DICE).", round=late[0].round
        )
    if after := [one for one in moved if one.is_late]:
        return msg(
            "Dice: grade C this time; round {round} was out when the closing moved (HELP DICE).", round=after[0].round
        )
    return None
