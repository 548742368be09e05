"""What a letter of a game carries to be checked by: `pbemdice.txt`, made when the letter is rendered.

It shows the leaves that the seat has not been shown yet, and that the log goes on from what it was shown last. A report
shows its whole phase and the log's keys again, so that it can be checked alone; when the game is over a disclosure
shows and opens all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import boards as written
from pbem.audit import bundle, checkpoint, leaves, note, sealing
from pbem.audit.bundle import Bundle
from pbem.audit.bundle_parts import OpenedOrders, Ruling
from pbem.log import closing_times, grades, keyring, log_health, sequencer
from pbem.log.keyring import Prove
from pbem.mail.seen import Seen
from pbem.play import log_entries, revealed_orders
from pbem.play.adjudication import ClosedOrders
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.log import Addressee, LeafRow, Mark

# What a seat may not know yet of what the log says: the head of such a leaf is shown, and its body in a later letter.
#
# What others have sent is told once the list is closed that holds it. While a phase waits for answers nobody learns who
# was asked, or until when: he is told when the list of answers is closed.


_SENT = ("order", "answer")


def without_withheld(session: Session, shown: Sequence[LeafRow], seat: str) -> list[LeafRow]:
    """The leaves of a letter to a seat without what it may not know yet."""
    closed, waits = _closed(shown), _waits_since(session, shown)
    return [row._replace(says=b"") if _is_hidden(row, seat, closed, waits) else row for row in shown]


def withheld_before(session: Session, fresh: Sequence[LeafRow], seat: str, size: int) -> list[LeafRow]:
    """The leaves from before these whose bodies the seat is told now, for their lists are closed among these."""
    found = []
    for phase, segment in sorted(_closed(fresh)):
        rows = queries.log.again(session, fresh[0].game, phase, fresh[0].seq, size)
        before = [row for row in rows if row.phase == phase and row.seq < fresh[0].seq]
        rolls = [row.seq for row in before if row.kind == "roll"]
        found += [
            row
            for row in before
            if (_is_sent(row, segment) and not _is_own(row, seat))
            or (row.kind == "deadline" and rolls and row.seq > rolls[-1])
        ]
    return found


def _closed(rows: Sequence[LeafRow]) -> set[tuple[str, int]]:
    """The phases and segments whose lists are closed among these leaves."""
    return {(row.phase, sequencer.read_leaf(row).number("segment")) for row in rows if row.kind == "close"}


def _waits_since(session: Session, shown: Sequence[LeafRow]) -> int | None:
    """The place of the roll after which a phase waits for answers; None if none does, or nothing is said of when."""
    moved = [row for row in shown if row.kind == "deadline"]
    step = queries.log.newest_of_kinds(session, moved[0].game, ("open", "close", "roll", "result")) if moved else None
    return step.seq if step is not None and step.kind == "roll" else None


def _is_hidden(row: LeafRow, seat: str, closed: set[tuple[str, int]], waits: int | None) -> bool:
    if row.kind == "deadline":
        return waits is not None and row.seq > waits
    if row.kind not in _SENT or _is_own(row, seat):
        return False
    return (row.phase, _segment(row)) not in closed


def _is_sent(row: LeafRow, segment: int) -> bool:
    return row.kind in _SENT and _segment(row) == segment


def _segment(row: LeafRow) -> int:
    return sequencer.read_leaf(row).number("segment") if row.kind == "answer" else 1


def _is_own(row: LeafRow, seat: str) -> bool:
    return f"\nseat {seat}\n".encode() in row.says


# What letters of a table show besides its own leaves where it has one luck with others: that all of them had closed.
#
# That is the chain of the tournament, which says which tables a board has, that it was bound before its round, and how
# it was dealt; and of the other tables the leaf alone by which each closed its list.


_OF_BOARD = ("bind", "deal")


class BoardProofs(NamedTuple):
    """Leaves of other chains, and the boards and lists of draws that they name."""

    leaves: Sequence[LeafRow] = ()
    boards: tuple[bytes, ...] = ()
    draws: tuple[bytes, ...] = ()


def board_proofs(work: Transaction, game: tables.Game, before: Mark | None, size: int, phase: str = "") -> BoardProofs:
    """What a letter on the tree of `size` shows that the one before, whose mark is told, did not.

    What belongs to the board of a `phase` is shown again, so that a report can be checked alone.
    """
    name = Terms.read(game.terms).board
    if not name:
        return BoardProofs()
    chain = closing_times.chain_of(name)
    seen = before.size if before is not None else 0
    rows = hot_statements.leaves_after(work.session, {chain: -1}, size).get(chain, ())
    mine = [row for row in rows if (row.number or 0) >= seen or (phase and _is_of(row, name, phase))]
    binds = [row.opens.encode("utf-8") for row in mine if row.kind == "bind" and _has(row, game.id)]
    others = [
        close
        for block in binds
        for close in closing_times.closes_on_board(work.session, block)
        if close.game != game.id
    ]
    closed = [LeafRow(**close.model_dump(exclude={"written"})) for close in others]
    return BoardProofs(
        [*mine, *(row for row in closed if row.number is not None and row.number < size)],
        tuple(dict.fromkeys(row.opens.encode("utf-8") for row in mine if row.kind == "bind")),
        tuple(row.opens.encode("utf-8") for row in mine if row.kind == "shut"),
    )


def _is_of(row: LeafRow, name: str, phase: str) -> bool:
    """Whether a leaf binds or deals the board of a phase."""
    if row.kind not in _OF_BOARD:
        return False
    called = written.parse_name(sequencer.read_leaf(row)("board"))
    return (called.tables, called.phase) == (name, phase)


def _has(row: LeafRow, table: str) -> bool:
    """Whether a table is one of the board that was bound."""
    return any(one == table for one, _ in written.parse_board(row.opens.encode("utf-8")).tables)


_KINDS = (
    *("report", "receipt", "cancelled", "question", "waiting", "answered", "settings", "announcement", "over"),
    *("sealed", "disclosure"),
)
PROVABLE = _KINDS
"""The kinds of letters that may carry proofs, which the outbox leaves out as long as the log stands still."""


_BY_ITSELF = ("sealed", "disclosure")
"""Kinds of letters whose proofs no other letter carries for them: the hour of the first counts, the other opens all."""


class Made(NamedTuple):
    """The text of the attachment, what its seat has been shown once the letter is kept, and the tree it is shown."""

    text: bytes
    seat: int
    shown: Mark
    tree: sequencer.SignedTree


def carries(row: tables.Outbox) -> bool:
    """Whether a letter carries proofs, however it is."""
    return row.seat_id is not None and row.kind in _KINDS


class Batch:
    """The letters of one rendering: what their proofs are made from is looked up for all of them together.

    `put_off` are those whose proofs a later report carries.
    """

    def __init__(self, work: Transaction, rows: Iterable[tables.Outbox]) -> None:
        self._work = work
        self._head = sequencer.head(work.session)
        self._to: dict[int, Addressee] = {}
        self._fresh: dict[str, tuple[LeafRow, ...]] = {}
        self.put_off: set[int | None] = set()
        rows = list(rows)
        seats = {row.seat_id for row in rows if row.seat_id is not None and row.kind in _KINDS}
        self._reports = queries.outbox.unwritten_reports(work.session, seats) if seats else {}
        if self._head is not None and seats:
            self._look_up(work.session, self._head.size, seats)

    def _look_up(self, session: Session, size: int, seats: Collection[int]) -> None:
        self._to = hot_statements.addressees(session, seats)
        seen: dict[str, int] = {}
        for to in self._to.values():
            seq = to.shown.seq if to.shown else -1
            seen[to.game.id] = min(seq, seen.get(to.game.id, seq))
        self._fresh = hot_statements.leaves_after(session, seen, size)
        numbers = [row.number for rows in self._fresh.values() for row in rows if row.number is not None]
        sequencer.prefetch_proofs(session, numbers, {to.shown.size for to in self._to.values() if to.shown}, size)

    def make(self, row: tables.Outbox) -> Made | None:
        """The proofs of the next letter, told on from what those before it showed its seat; None if it carries none.

        What was written before a report that is still to be rendered leaves its proofs to the last such report, whose
        text speaks of them: also if letters are rendered one at a time.
        """
        to = self._to.get(row.seat_id or 0)
        if to is None or self._head is None or row.kind not in _KINDS:
            return None
        if row.kind not in _BY_ITSELF and (row.id or 0) < self._reports.get(row.seat_id or 0, 0):
            self.put_off.add(row.id)
            return None
        made = _proofs(self._work, row.kind, to, self._head, self._fresh.get(to.game.id, ()))
        if made is not None:
            self._to[row.seat_id or 0] = to._replace(shown=made.shown)
        return made


def _proofs(
    work: Transaction, kind: str, to: Addressee, head: sequencer.SignedTree, newest: Sequence[LeafRow]
) -> Made | None:
    """The proofs of a letter of some kind; `newest` are the last leaves of its game, all that its seat was not shown
    among them.
    """
    game, before = to.game, to.shown
    prove = keyring.prove_of(work, game.id)
    if kind == "disclosure":
        return _all(work, prove, to, head)
    fresh = [row for row in newest if before is None or row.seq > before.seq]
    anew = _new_beginnings(work, head, before)
    if not fresh and not anew:
        return None
    results = [row.phase for row in fresh if row.kind == "result"]
    letter = "report" if results else "welcome" if before is None else _letter(fresh)
    phase = results[-1] if results else (fresh and fresh[-1].phase) or "-"
    shown: Sequence[LeafRow] = [*anew, *withheld_before(work.session, fresh, to.name, head.size), *fresh]
    if results:
        shown = [
            *_keys(work.session, head.size),
            *queries.log.again(work.session, game.id, phase, fresh[0].seq, head.size),
        ]
    if letter == "welcome":
        shown = [*_keys(work.session, head.size), *shown]
    worth = grades.grade(work.session, game, phase) if results else None
    grade = "-" if worth is None else worth.claim
    proven = worth is not None and worth.later in ("A", "B")
    seen = grades.closed_lists(work.session, game.id, phase) if proven else ()
    moved = grades.closing_moves(work.session, game.id, phase) if seen else ()
    shown = without_withheld(work.session, shown, to.name)
    if len(shown) > len(fresh):
        sequencer.prefetch_proofs(work.session, [row.number for row in shown if row.number is not None], (), head.size)
    opened = [row for row in shown if row.kind == "result"]
    others = board_proofs(work, game, before, head.size, phase if results else "")
    made = Bundle(
        game.id,
        to.name,
        letter,
        phase,
        grade,
        sequencer.place(work.session, [*shown, *others.leaves], head.size),
        head.note,
        slates=tuple(one.opens.encode("utf-8") for one in shown if one.kind == "close"),
        draws=others.draws,
        boards=others.boards,
        manifests=revealed_orders.manifests([one for one in shown if _is_open(one)]),
        orders=_own(prove, game, to.name, shown),
        played=tuple(revealed_orders.opened_sets(work, game, opened)),
        fired=tuple(revealed_orders.opened_rules(work, game, opened)),
        rulings=_rulings(shown),
        grown=sequencer.consistency_with(work.session, before.size, head.size) if before else None,
        witnessed=grades.cosigned_for(work.session, [*seen, *moved], head.size),
        sees=grades.witness_statements(seen, head.size),
    )
    upto = max([before.seq if before else -1, *(row.seq for row in fresh)])
    return Made(bundle.write(made), to.id, Mark(head.size, upto), head)


def _all(work: Transaction, prove: Prove, to: Addressee, head: sequencer.SignedTree) -> Made:
    """The whole record of a game that is over, all of it opened."""
    game, before = to.game, to.shown
    whole = _chain(work.session, game.id, head.size)
    closes, rolled = ([row for row in whole if row.kind == kind] for kind in ("close", "roll"))
    shown = [*_keys(work.session, head.size), *whole]
    others = board_proofs(work, game, None, head.size)
    sequencer.prefetch_proofs(work.session, [row.number for row in shown if row.number is not None], (), head.size)
    made = Bundle(
        game.id,
        to.name,
        "disclosure",
        "-",
        "-",
        sequencer.place(work.session, [*shown, *others.leaves], head.size),
        head.note,
        slates=tuple(row.opens.encode("utf-8") for row in closes),
        draws=others.draws,
        boards=others.boards,
        manifests=revealed_orders.manifests(whole),
        orders=revealed_orders.orders_in_clear(work.session, prove, game, closes),
        groups=revealed_orders.dice_groups(prove, closes, rolled),
        reveals=revealed_orders.reveals(prove, whole),
        rulings=(*_rulings(whole), *revealed_orders.whole_rulings(work.session, whole)),
        edition=revealed_orders.played_by(work, prove, game),
        grown=sequencer.consistency_with(work.session, before.size, head.size) if before else None,
    )
    return Made(bundle.write(made), to.id, Mark(head.size, whole[-1].seq), head)


def seen_of(server: Server, shown: sequencer.SignedTree) -> Seen:
    """What a player sends back in the order form, that tells which tree he was shown."""
    tree = checkpoint.body(note.parse(shown.note))
    return Seen(tree.size, tree.root, log_health.mark(server, tree))


def _new_beginnings(work: Transaction, head: sequencer.SignedTree, before: Mark | None) -> list[LeafRow]:
    """The leaves by which the log was begun anew since a seat was shown it last."""
    if before is None or head.log == work.server.keys.secrets.first.log.name:
        return []
    rotates = (row for row in _keys(work.session, head.size) if row.kind == "rotate")
    return [row for row in rotates if row.number is not None and row.number >= before.size]


def keep(session: Session, made: Iterable[Made]) -> None:
    """Note what the seats of these letters have been shown, once the letters are stored."""
    hot_statements.show(session, [(one.seat, one.shown) for one in made])


def _chain(session: Session, game: str, size: int) -> tuple[LeafRow, ...]:
    """All leaves of a game that are signed for."""
    return hot_statements.leaves_after(session, {game: -1}, size).get(game, ())


def _keys(session: Session, size: int) -> tuple[LeafRow, ...]:
    return _chain(session, leaves.SERVER, size)


def _letter(told: Sequence[LeafRow]) -> str:
    return "closed" if any(row.kind == "close" for row in told) else "receipt"


def _is_open(row: LeafRow) -> bool:
    """Whether what was rolled by a leaf may be told to everybody."""
    if row.kind not in ("roll", "again"):
        return False
    leaf = leaves.parse(row.body, row.says)
    if row.kind == "again":
        return leaf("manifest").startswith("sha256:")
    return all(len(proof) == 80 for _, proof in leaf.groups)


def _rulings(shown: Sequence[LeafRow]) -> tuple[Ruling, ...]:
    return tuple(Ruling(sequencer.read_leaf(row).number("number"), row.opens) for row in shown if row.kind == "ruling")


def _own(prove: Prove, game: tables.Game, seat: str, shown: Sequence[LeafRow]) -> tuple[OpenedOrders, ...]:
    """What the seat has sent, and what it is played by where it was silent, in clear, with the proof of its salts."""
    out = []
    for row in shown:
        if row.kind not in ("order", "answer") or not row.says or (leaf := sequencer.read_leaf(row))("seat") != seat:
            continue
        segment = 1 if row.kind == "order" else leaf.number("segment")
        revision = leaf.number("rev")
        orders = (
            log_entries.orders_of(revision, row.opens) if row.kind == "order" else ClosedOrders(revision, row.opens)
        )
        where = row.phase if segment == 1 else f"{row.phase}/{segment}"
        proof = prove(sealing.salt(game=game.id, phase=where, seat=seat))
        out.append(OpenedOrders(row.phase, segment, seat, revision, proof, orders.text, orders.standing))
    return tuple(dict.fromkeys(out))
