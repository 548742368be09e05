"""Grade dice A, B or C: how well it is proven that nobody chose or foresaw them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon, note, rolls, witness_statement
from pbem.audit.checkpoint import CosignedLeaf
from pbem.audit.merkle import leaf_hash
from pbem.engine.data.messages import Msg, msg
from pbem.log import closing_times, sequencer
from pbem.log.closing_times import second
from pbem.runtime.bot_versions import bots_of_opening
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
"""Seconds by which the clocks of server and witness may differ. A choice: clocks set by the network differ by less
than one; this tolerates others. `verifier.timing_checks` has the same number."""


class Sight(NamedTuple):
    """A witness's cosignature of the tree of `size` leaves, or his statement in it.

    `by` is the line of the cosignature, `said` the block of the statement. `key` is the witness's, as one word; `at`
    the second that it states, `came` when it arrived.
    """

    key: str
    size: int
    at: int
    came: datetime
    by: str = ""
    said: bytes = b""


class Witnessed(NamedTuple):
    """A leaf to be seen before a beacon's round, and the sights that count for it.

    `seen` are cosignatures of trees that contain it; `said`, for closed orders, are statements of witnesses who
    were shown the leaf and cosigned the tree too.
    """

    leaf: t.Leaf
    chain: str
    round: int
    seen: tuple[Sight, ...]
    said: tuple[Sight, ...] = ()

    @property
    def is_late(self) -> bool:
        """Return whether the leaf was written after the round was out."""
        return second(self.leaf.written) >= beacon.round_time(beacon.KNOWN_CHAINS[self.chain], self.round)


class _Sights(NamedTuple):
    """All sights by a game's witnesses, and by HTTP witnesses in that time."""

    signed: tuple[Sight, ...]
    said: tuple[Sight, ...]

    @classmethod
    def of(cls, session: Session, game: str) -> _Sights:
        signed = queries.log.cosignatures(session, game)
        statements = queries.log.statements(session, game)
        return cls(
            tuple(Sight(witness.key, row.size, row.at, row.came, by=row.by) for row, witness in signed),
            tuple(Sight(witness.key, row.size, row.at, row.came, said=row.said) for row, witness in statements),
        )

    def of_leaf(self, session: Session, row: t.Leaf, out: int, rolled: datetime | None) -> _Sights:
        """Return the sights that count for a leaf to be seen before the second `out`."""
        since, number = second(row.written) - SLACK, row.number
        if number is None:
            return _Sights((), ())
        asked = queries.log.web_cosignatures(session, since, out)
        web = (Sight(row.key, row.size, row.at, row.came, by=row.by) for row in asked)
        signed, statements = (
            tuple(
                sight
                for sight in sights
                if sight.size > number and since <= sight.at < out and (rolled is None or sight.came <= rolled)
            )
            for sights in ((*self.signed, *web), self.said)
        )
        trees = {(sight.key, sight.size) for sight in signed}
        digest = leaf_hash(row.body).hex()
        return _Sights(
            signed, tuple(sight for sight in statements if (sight.key, sight.size) in trees and digest in _lists(sight))
        )


def _lists(sight: Sight) -> set[str]:
    return {closed.leaf for closed in witness_statement.read(sight.said).said.closes}


def closed_lists(session: Session, game: str, phase: str) -> tuple[Witnessed, ...]:
    """Return a phase's closed orders that wait for a beacon, in order, with sights."""
    rows = queries.log.leaves(session, game, "close", "roll", phase=phase)
    closes = [row for row in rows if row.kind == "close"]
    rolled = {_segment(row): row.written for row in reversed(rows) if row.kind == "roll"}
    sights = _Sights.of(session, game) if closes else _Sights((), ())
    witnessed = []
    for row in closes:
        slate, fixed = rolls.parse_closed_orders(row.opens.encode("utf-8")), row
        chain, number = slate.chain, slate.beacon_round
        if chain == "none":
            continue
        if called := closing_times.board_of_closed_orders(row.opens.encode("utf-8")):
            # Where tables have one luck it is the board that waits, by a leaf of its own.
            bound = closing_times.find_board_binding(session, called)
            if bound is None:
                continue
            fixed, chain, number = bound.leaf, bound.chain, bound.round
        ends = beacon.round_time(beacon.KNOWN_CHAINS[chain], number)
        seen = sights.of_leaf(session, fixed, ends, rolled.get(_segment(row)))
        witnessed.append(Witnessed(fixed, chain, number, *seen))
    return tuple(witnessed)


def _segment(row: t.Leaf) -> int:
    return int(sequencer.read_leaf(_row(row))("segment"))


def _row(row: t.Leaf) -> LeafRow:
    return LeafRow(**row.model_dump(exclude={"written"}))


def closing_moves(session: Session, game: str, phase: str) -> tuple[Witnessed, ...]:
    """Return the leaves that moved a phase's closing to later.

    Each has the round that would have been next before it. A server that looks at that round and then moves the
    closing has seen dice that it does not want. The first such leaf after a roll only says when the next segment
    closes, and is left out.
    """
    rows = queries.log.leaves(session, game, "open", "deadline", "roll", phase=phase)
    read = [sequencer.read_leaf(_row(row)) for row in rows]
    opened = next((leaf for leaf in read if leaf.kind == "open"), None)
    if opened is None or opened("chain") == "none":
        return ()
    sights, moves = _Sights.of(session, game), []
    for before, row, leaf in zip(read, rows[1:], read[1:], strict=False):
        if leaf.kind == "deadline" and before.kind != "roll" and leaf.number("D") > before.number("D"):
            ends = beacon.round_time(beacon.KNOWN_CHAINS[opened("chain")], before.number("round"))
            seen = sights.of_leaf(session, row, ends, None)
            moves.append(Witnessed(row, opened("chain"), before.number("round"), seen.signed))
    return tuple(moves)


def witness_names(lists: Sequence[Witnessed]) -> tuple[str, ...]:
    """Return name and key id of the witnesses who state that they saw these lists."""
    return tuple(dict.fromkeys(note.parse_key(sight.key).label for closed in lists for sight in closed.said))


def cosigned_for(session: Session, leaves: Iterable[Witnessed], size: int) -> tuple[CosignedLeaf, ...]:
    """Return the cosigned trees, by leaf, that a letter on the tree of `size` shows."""
    blocks = []
    for leaf in leaves:
        for old in sorted(_first_trees(leaf, size)):
            lines = [sight.by for sight in leaf.seen if sight.size == old]
            signed = note.add_signatures(session.get_one(t.Checkpoint, old).note, *map(note.parse_signature, lines))
            (placed,) = sequencer.place(session, [_row(leaf.leaf)], old)
            grown = sequencer.consistency_with(session, old, size)
            blocks.append(CosignedLeaf(placed.at, placed.path, grown.path if grown else (), signed))
    return tuple(blocks)


def _first_trees(leaf: Witnessed, size: int) -> set[int]:
    """Return each witness's first tree with the statement on it.

    If a witness made no statement, it is the first tree with his cosignature.
    """
    trees: dict[str, int] = {}
    for sight in (*leaf.said, *leaf.seen):
        if sight.size <= size:
            trees.setdefault(sight.key, sight.size)
    return set(trees.values())


def witness_statements(lists: Iterable[Witnessed], size: int) -> tuple[bytes, ...]:
    """Return each witness's first statement about these lists, as blocks, once each."""
    statements: dict[tuple[str, int], bytes] = {}
    for closed in lists:
        trees = _first_trees(closed, size)
        for sight in closed.said:
            if sight.size in trees:
                statements.setdefault((sight.key, closed.leaf.id or 0), sight.said)
    return tuple(dict.fromkeys(statements.values()))


GRADE = msg("Dice: grade C, thrown by this server alone (HELP DICE).")
"""The sentence on dice of grade C, which the operator of the server could foresee."""


class Grade(NamedTuple):
    """The grade a letter claims, its sentence, and the grade once the game is over."""

    claim: str
    told: Msg
    later: str


def grade(session: Session, game: tables.Game, phase: str) -> Grade:
    """Return the grade of the dice of a phase that was rolled."""
    waits = Terms.read(game.terms).beacon != "none"
    closes = closed_lists(session, game.id, phase) if waits else ()
    if not closes:
        return Grade("C", GRADE, "C")
    moved = closing_moves(session, game.id, phase)
    if (sentence := _why_foreseeable(session, game, phase, closes, moved)) is not None:
        return Grade("C", sentence, "C")
    seen = all(closed.said for closed in closes) and all(move.seen for move in moved)
    if len(closes) > 1:
        return Grade("C", _paused_sentence(closes, seen), "A" if seen else "B")
    if seen:
        sentence = msg(
            "Dice: grade A, from round {round} of the beacon; witness: {witnesses} (HELP DICE).",
            round=closes[-1].round,
            witnesses=witness_names(closes),
        )
        return Grade("A", sentence, "A")
    sentence = msg("Dice: grade B, from round {round} of the beacon (HELP DICE).", round=closes[-1].round)
    return Grade("B", sentence, "B")


def _paused_sentence(closes: Sequence[Witnessed], seen: bool) -> Msg:
    """Return the sentence on the dice of a phase with pauses.

    Only the rules can show whether the pauses were necessary.
    """
    return msg(
        "Dice: grade C until the game is over, then {grade}; last round {round} (HELP DICE).",
        grade="A" if seen else "B",
        round=closes[-1].round,
    )


def _why_foreseeable(
    session: Session, game: tables.Game, phase: str, closes: Sequence[Witnessed], moved: Sequence[Witnessed]
) -> Msg | None:
    """Return why dice that waited for a beacon could be foreseen, or None."""
    known = sequencer.phase_leaves(session, game.id, phase).rows
    bots = next((leaf("bots") for leaf in known if (leaf.kind, leaf.phase) == ("open", phase)), "-")
    if bots != "-":
        return msg(
            "Dice: grade C this time; a bot could write in this phase: {bots} (HELP DICE).",
            bots=", ".join(f"{seat} {bot.name}" for seat, bot in bots_of_opening(bots).items()),
        )
    if queries.log.leaves(session, game.id, "beacon-change", phase=phase):
        return msg("Dice: grade C this time; by a ruling they did not wait for the beacon (HELP DICE).")
    if late := [closed for closed in closes if closed.is_late]:
        return msg(
            "Dice: grade C this time; round {round} was out when orders closed (HELP DICE).", round=late[0].round
        )
    if after := [move for move in moved if move.is_late]:
        return msg(
            "Dice: grade C this time; round {round} was out when the closing moved (HELP DICE).", round=after[0].round
        )
    return None
