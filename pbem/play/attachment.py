"""What a letter of a game carries to be checked by: `pbemdice.txt`, made when the letter is rendered.

It shows the leaves that the seat has not been shown yet, and that the log goes on from what it was shown last. A report
shows its whole phase and the log's keys again, so that it can be checked alone; when the game is over a disclosure
shows and opens all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import bundle, checkpoint, leaves, note, sealing
from pbem.audit.bundle import Bundle
from pbem.audit.bundle_parts import OpenedOrders, Ruling
from pbem.log import cosignatures, grades, keyring, log_health, sequencer, withheld
from pbem.log.keyring import Prove
from pbem.mail.seen import Seen
from pbem.play import board_proofs, commitments, reveal, revealed_bundle
from pbem.play.adjudication import ClosedOrders
from pbem.runtime.transaction import Server, Work
from pbem.store import logrows, queries, tables
from pbem.store.logrows import Addressee, LeafRow, Mark

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

    def __init__(self, work: Work, rows: Iterable[tables.Outbox]) -> None:
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
        self._to = logrows.addressees(session, seats)
        seen: dict[str, int] = {}
        for to in self._to.values():
            seq = to.shown.seq if to.shown else -1
            seen[to.game.id] = min(seq, seen.get(to.game.id, seq))
        self._fresh = logrows.after(session, seen, size)
        numbers = [row.number for rows in self._fresh.values() for row in rows if row.number is not None]
        sequencer.ahead(session, numbers, {to.shown.size for to in self._to.values() if to.shown}, size)

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


def _proofs(work: Work, kind: str, to: Addressee, head: sequencer.SignedTree, newest: Sequence[LeafRow]) -> Made | None:
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
    shown: Sequence[LeafRow] = [*anew, *withheld.owed(work.session, fresh, to.name, head.size), *fresh]
    if results:
        shown = [*_keys(work.session, head.size), *logrows.again(work.session, game.id, phase, fresh[0].seq, head.size)]
    if letter == "welcome":
        shown = [*_keys(work.session, head.size), *shown]
    worth = grades.grade(work.session, game, phase) if results else None
    grade = "-" if worth is None else worth.claim
    proven = worth is not None and worth.later in ("A", "B")
    seen = cosignatures.closed_lists(work.session, game.id, phase) if proven else ()
    moved = cosignatures.moves(work.session, game.id, phase) if seen else ()
    shown = withheld.of(work.session, shown, to.name)
    if len(shown) > len(fresh):
        sequencer.ahead(work.session, [row.number for row in shown if row.number is not None], (), head.size)
    opened = [row for row in shown if row.kind == "result"]
    others = board_proofs.besides(work, game, before, head.size, phase if results else "")
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
        manifests=reveal.manifests([one for one in shown if _is_open(one)]),
        orders=_own(prove, game, to.name, shown),
        played=tuple(revealed_bundle.sets(work, game, opened)),
        fired=tuple(revealed_bundle.rules(work, game, opened)),
        rulings=_rulings(shown),
        grown=sequencer.grown(work.session, before.size, head.size) if before else None,
        witnessed=cosignatures.cosigned_for(work.session, [*seen, *moved], head.size),
        sees=cosignatures.statements(seen, head.size),
    )
    upto = max([before.seq if before else -1, *(row.seq for row in fresh)])
    return Made(bundle.write(made), to.id, Mark(head.size, upto), head)


def _all(work: Work, prove: Prove, to: Addressee, head: sequencer.SignedTree) -> Made:
    """The whole record of a game that is over, all of it opened."""
    game, before = to.game, to.shown
    whole = _chain(work.session, game.id, head.size)
    closes, rolled = ([row for row in whole if row.kind == kind] for kind in ("close", "roll"))
    shown = [*_keys(work.session, head.size), *whole]
    others = board_proofs.besides(work, game, None, head.size)
    sequencer.ahead(work.session, [row.number for row in shown if row.number is not None], (), head.size)
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
        manifests=reveal.manifests(whole),
        orders=reveal.orders(work.session, prove, game, closes),
        groups=reveal.groups(prove, closes, rolled),
        reveals=reveal.reveals(prove, whole),
        rulings=(*_rulings(whole), *reveal.whole_rulings(work.session, whole)),
        edition=reveal.played_by(work, prove, game),
        grown=sequencer.grown(work.session, before.size, head.size) if before else None,
    )
    return Made(bundle.write(made), to.id, Mark(head.size, whole[-1].seq), head)


def seen_of(server: Server, shown: sequencer.SignedTree) -> Seen:
    """What a player sends back in the order form, that tells which tree he was shown."""
    tree = checkpoint.body(note.parse(shown.note))
    return Seen(tree.size, tree.root, log_health.mark(server, tree))


def _new_beginnings(work: Work, head: sequencer.SignedTree, before: Mark | None) -> list[LeafRow]:
    """The leaves by which the log was begun anew since a seat was shown it last."""
    if before is None or head.log == work.server.secrets.first.log.name:
        return []
    rotates = (row for row in _keys(work.session, head.size) if row.kind == "rotate")
    return [row for row in rotates if row.number is not None and row.number >= before.size]


def keep(session: Session, made: Iterable[Made]) -> None:
    """Note what the seats of these letters have been shown, once the letters are stored."""
    logrows.show(session, [(one.seat, one.shown) for one in made])


def _chain(session: Session, game: str, size: int) -> tuple[LeafRow, ...]:
    """All leaves of a game that are signed for."""
    return logrows.after(session, {game: -1}, size).get(game, ())


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
            commitments.orders_of(revision, row.opens) if row.kind == "order" else ClosedOrders(revision, row.opens)
        )
        where = row.phase if segment == 1 else f"{row.phase}/{segment}"
        proof = prove(sealing.salt(game=game.id, phase=where, seat=seat))
        out.append(OpenedOrders(row.phase, segment, seat, revision, proof, orders.text, orders.standing))
    return tuple(dict.fromkeys(out))
