"""When a phase closes, in the log: said when it is opened, and said again whenever something moves it.

What counts is what was said last before the close. A moment is a unix second; a letter that came in it was in time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon, blocks, boards, rolls, vrf
from pbem.audit.blocks import sha256_hex
from pbem.audit.boards import Board, Name
from pbem.audit.sealing import Secret
from pbem.audit.tournament_leaves import CHAIN, DEAL
from pbem.letters import outbox
from pbem.log import keyring, sequencer, witnesses
from pbem.log.sequencer import AtHand, Noted
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables

_CAUSES = {
    "held": "moderator",
    "mass": "outage",
    "bounces": "bounce",
    "unreachable": "bounce",
}
"""Causes of delays that the log calls otherwise: our word and the log's."""


class Closing(NamedTuple):
    """In which second a phase closes from now on, and why."""

    phase: str
    to: int
    cause: str


def note(work: Work, game: tables.Game, phase: tables.Phase, to: datetime, cause: str) -> None:
    """Log that the phase closes at another moment, and why; nothing if the log already says that moment."""
    name = str(outbox.phase_of(phase))
    note_moved(work, sequencer.at_hand(work.session, game.id, name), game.id, Closing(name, second(to), cause))


def note_moved(work: Work, known: AtHand, game: str, closing: Closing) -> AtHand:
    """Do what `note` does with the leaves that the caller has looked up; return them with the new one, if any."""
    phase, to, cause = closing
    said = known.newest("open", "deadline")
    if said is None or said.number("D") == to:
        return known
    opened = known.newest("open")
    number = round_of(opened("chain"), to + opened.number("delta")) if opened else 0
    says = (("phase", phase), ("D", str(to)), ("round", str(number)), ("cause", _CAUSES.get(cause, cause)))
    last = known.newest("open", "deadline", "roll")
    if number and to > said.number("D") and last == said:
        witnesses.ask_later(work, work.session.get_one(tables.Game, game), f"{phase} closes at {to}")
    return known.and_then(sequencer.append(work, sequencer.Note("deadline", says, game), after=known.rows[-1]))


def round_of(chain: str, since: int) -> int:
    """The number of a chain's first round at or after a second; 0 without a chain."""
    return 0 if chain == "none" else beacon.at_or_after(beacon.KNOWN[chain], since)


def second(moment: datetime) -> int:
    """A moment as the log has it."""
    return int(moment.timestamp())


# E8 Boards: tables of a round of a tournament that have one luck, which nobody may know before the last has closed.
#
# A table's closed list names its board (``dice board cup60-r2/T3.spain~1/1``) and waits. Whoever closes last binds the
# board: a leaf of the tournament says the hash of all lists, and which round of the beacon they wait for. When that is
# out the board is dealt, and every table rolls by the same secret. A table that is over or held, or plays a phase
# again, is no longer one of the board: it rolls its own dice from then on.


OWN = "own"
_EVENT = re.compile(r"(.+)-r[1-9][0-9]*[a-z]?(?:-[0-9]+)?")


class Bound(NamedTuple):
    """A board that was bound, by its leaf: its block, and the chain and the round that its dice wait for.

    ``none`` and 0 where they wait for none.
    """

    block: bytes
    chain: str
    round: int
    leaf: tables.Leaf

    @property
    def number(self) -> int | None:
        """The number of its leaf in the log; None before it has one."""
        return self.leaf.number


def _told(row: tables.Leaf) -> Noted:
    return Noted(row.seq, row.kind, row.phase, row.body, row.says)


def _event_of(name: str) -> str:
    """The tournament that a board's tables are named after; LookupError if they are not."""
    found = _EVENT.fullmatch(name)
    if found is None:
        raise LookupError(f"no table of a tournament is called {name}")
    return found[1]


def chain_of(name: str) -> str:
    """The chain of the tournament that a board's tables are named after."""
    return CHAIN + _event_of(name)


def board_in(slate: bytes) -> str:
    """The board that a closed list names; empty if its dice are its own."""
    return rolls.parse_slate(slate).dice.partition(" ")[2] if b"\ndice board " in slate else ""


def dice_for(work: Work, game: tables.Game, phase: str) -> str:
    """What the list of a phase says of its dice: ``own``, or the board that the table is one of."""
    name = Terms.read(game.terms).board
    if not name or _has_left(work.session, game.id):
        return OWN
    called = boards.name_of(Name(name, phase, 1))
    return OWN if bound_board(work.session, called) is not None else f"board {called}"


def _has_left(session: Session, game: str) -> bool:
    """Whether a table has played a phase again: it rolls its own dice for good."""
    return any(not row.phase.endswith("~1") for row in queries.log.leaves(session, game, "open"))


def bound_board(session: Session, called: str) -> Bound | None:
    """A board that was bound; None if it was not yet."""
    event = CHAIN + _event_of(boards.parse_name(called).tables)
    for row in queries.log.leaves(session, event, "bind"):
        told = _told(row)
        if told("board") == called:
            return Bound(row.opens.encode("utf-8"), told("chain"), told.number("beacon"), row)
    return None


def tables_of_board(session: Session, name: str) -> list[str]:
    """The tables of a board, by the pairs of their round's last draw."""
    newest: dict[str, int] = {}
    named: list[tuple[str, int, str]] = []
    for row in queries.log.leaves(session, CHAIN + _event_of(name), "pair"):
        told = _told(row)
        round_, attempt = told("round"), told.number("attempt")
        newest[round_] = max(attempt, newest.get(round_, 0))
        named += [(round_, attempt, table) for table in told("table").split(" ") if table != "-"]
    return sorted(
        {table for round_, attempt, table in named if newest[round_] == attempt and boards.belongs(table, name)}
    )


def bind_board(work: Work, called: str) -> list[str]:
    """Bind a board if every table of it has closed, or is none of it any more; the tables in it, none if not yet."""
    name = boards.parse_name(called)
    queries.tournaments.tournament(work.session, _event_of(name.tables))
    done = bound_board(work.session, called)
    if done is not None:
        return [table for table, digest in boards.parse_board(done.block).tables if digest != "-"]
    lists: dict[str, bytes | None] = {}
    for table in tables_of_board(work.session, name.tables):
        slate = _closed(work.session, table, name.phase)
        if slate is None and _is_awaited(work.session, table):
            return []
        lists[table] = slate if slate is not None and board_in(slate) == called else None
    waits = _wait(work, [slate for slate in lists.values() if slate is not None])
    listed = tuple((table, sha256_hex(slate) if slate else "-") for table, slate in sorted(lists.items()))
    made = boards.board(Board(CHAIN + _event_of(name.tables), name, listed, waits))
    chain, _, number = waits.partition(" ")
    says = (("board", called), ("slate", sha256_hex(made)), ("chain", chain), ("beacon", number or "0"))
    sequencer.append(work, sequencer.Note("bind", says, CHAIN + _event_of(name.tables), made.decode("utf-8")))
    return [table for table, slate in lists.items() if slate is not None]


def _closed(session: Session, table: str, phase: str) -> bytes | None:
    """The list that a table has closed a phase with."""
    rows = queries.log.leaves(session, table, "close", phase=phase)
    return rows[0].opens.encode("utf-8") if rows else None


def _is_awaited(session: Session, table: str) -> bool:
    """Whether a table that has not closed a phase is still to do so."""
    game = session.get(tables.Game, table)
    return game is not None and game.state in ("forming", "running") and not _has_left(session, table)


def _wait(work: Work, slates: Sequence[bytes]) -> str:
    """What a board waits for: the latest round of its tables, or one that is still to come if that is out."""
    read = [rolls.parse_slate(slate) for slate in slates]
    chain, latest = read[0].chain, max(one.round for one in read)
    if chain == "none":
        return "none"
    if beacon.moment(beacon.KNOWN[chain], latest) <= second(work.now):
        game = work.session.get_one(tables.Game, read[0].game)
        latest = round_of(chain, second(work.now) + Terms.read(game.terms).delta)
    return f"{chain} {latest}"


def deal_board(work: Work, called: str, value: bytes | None) -> bytes:
    """The proof of the secret of a board, by what the beacon said; the log says it the first time that it is asked."""
    done = bound_board(work.session, called)
    if done is None:
        raise LookupError(f"the board {called} was not bound")
    event = _event_of(boards.parse_name(called).tables)
    proof = keyring.in_force(work, done.number).prove(blocks.alpha(done.block, value, DEAL))
    queries.tournaments.tournament(work.session, event)
    if all(_told(row)("board") != called for row in queries.log.leaves(work.session, CHAIN + event, "deal")):
        says = (("board", called), ("sig", value.hex() if value else "none"), ("group", f"{DEAL} {proof.hex()}"))
        sequencer.append(work, sequencer.Note("deal", says, CHAIN + event))
    return proof


def secret_with(work: Work, of: Secret, slates: Sequence[bytes], values: Sequence[bytes | None]) -> Secret:
    """Secrets as the rules ask for them: of a list that names a board that of the board, else its own."""
    dealt: dict[bytes, bytes] = {}
    for slate, value in zip(slates, values, strict=False):
        done = bound_board(work.session, called) if (called := board_in(slate)) else None
        if done is not None:
            proof = keyring.in_force(work, done.number).prove(blocks.alpha(done.block, value, DEAL))
            dealt[blocks.alpha(slate, value)] = vrf.output_of(proof)
    return (lambda block: dealt.get(block) or of(block)) if dealt else of


def closes_on_board(session: Session, block: bytes) -> Iterator[tables.Leaf]:
    """The leaves that closed the lists of a board's tables."""
    made = boards.parse_board(block)
    for table, digest in made.tables:
        if digest != "-":
            yield from queries.log.leaves(session, table, "close", phase=made.name.phase)[:1]
