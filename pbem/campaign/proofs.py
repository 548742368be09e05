"""What a letter of a recorded game carries to be checked by: `pbemdice.txt`, made when the letter is rendered.

It shows the leaves that the seat has not been shown yet, and that the log goes on from what it was shown last. A report
shows its whole phase and the log's keys again, so that it can be checked alone; when the game is over a disclosure
shows and opens all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session, col, or_, select

from pbem.audit import bundle, checkpoint, leaves, note, sealing, vrf
from pbem.audit.bundle import Bundle, Opened, Ruling
from pbem.audit.leaves import Leaf
from pbem.audit.note import decode64
from pbem.campaign import disclosing, ledger, logbook
from pbem.campaign.office import Office
from pbem.mail.seen import Seen
from pbem.store import logbook as t
from pbem.store import tables

__all__ = ["Made", "keep", "make"]

_KINDS = (
    *("report", "receipt", "cancelled", "question", "waiting", "answered", "settings", "announcement", "over"),
    *("sealed", "disclosure"),
)
_MOST_REVISIONS = 1000


class Made(NamedTuple):
    """The text of the attachment, what its seat has been shown once the letter is kept, and the tree it is shown."""

    text: bytes
    shown: t.Shown
    seen: Seen


def make(session: Session, office: Office, row: tables.Outbox, before: t.Shown | None) -> Made | None:
    """The proofs of a letter of the outbox; None if it carries none. `before` is what its seat was shown so far."""
    secrets = office.secrets
    if secrets is None or row.seat_id is None or row.game_id is None or row.kind not in _KINDS:
        return None
    game, seat, head = (
        session.get(tables.Game, row.game_id),
        session.get(tables.Seat, row.seat_id),
        logbook.head(session),
    )
    if game is None or seat is None or head is None or not ledger.recorded(game):
        return None
    fresh, upto = _showable(session, _leaves(session, game, head.size, before.seq if before else -1), seat)
    if row.kind == "disclosure":
        return _all(session, office, secrets.dice, game, seat, head, before)
    if not fresh:
        return None
    told = [leaves.parse(one.body) for one in fresh]
    results = [leaf("phase") for leaf in told if leaf.kind == "result"]
    letter = "report" if results else "welcome" if before is None else _letter(told)
    phase = results[-1] if results else fresh[-1].phase or "-"
    shown = _with_phase(session, game, head.size, fresh, phase) if results else fresh
    if letter == "welcome":
        shown = [*_keys(session, head.size), *shown]
    made = Bundle(
        game.id, seat.name, letter, phase, ledger.graded(session, game, phase)[0] if results else "-",
        logbook.placed(session, shown, head.size), head.note,
        slates=tuple(one.opens.encode("utf-8") for one in shown if one.kind == "close"),
        manifests=tuple(one.opens.encode("utf-8") for one in shown if one.kind == "roll" and _is_open(one)),
        orders=_own(session, secrets.dice, game, seat, shown),
        rulings=_rulings(shown),
        grown=logbook.grown(session, before.size, head.size) if before else None,
    )  # fmt: skip
    return Made(bundle.write(made), t.Shown(seat_id=row.seat_id, size=head.size, seq=upto), _seen(head))


def _all(
    session: Session,
    office: Office,
    dice: vrf.Key,
    game: tables.Game,
    seat: tables.Seat,
    head: logbook.Head,
    before: t.Shown | None,
) -> Made:
    """The whole record of a game that is over, all of it opened."""
    whole = _leaves(session, game, head.size, -1)
    closes, rolled = ([row for row in whole if row.kind == kind] for kind in ("close", "roll"))
    made = Bundle(
        game.id, seat.name, "disclosure", "-", "-",
        logbook.placed(session, [*_keys(session, head.size), *whole], head.size), head.note,
        slates=tuple(row.opens.encode("utf-8") for row in closes),
        manifests=tuple(row.opens.encode("utf-8") for row in rolled),
        orders=disclosing.orders(session, dice, game, closes),
        groups=disclosing.groups(dice, closes, rolled),
        reveals=disclosing.reveals(dice, whole),
        rulings=_rulings(whole),
        played=disclosing.played(session, office, game),
        grown=logbook.grown(session, before.size, head.size) if before else None,
    )  # fmt: skip
    return Made(bundle.write(made), t.Shown(seat_id=seat.id or 0, size=head.size, seq=whole[-1].seq), _seen(head))


def _seen(head: logbook.Head) -> Seen:
    return Seen(head.size, checkpoint.body(note.parse(head.note)).root)


def keep(session: Session, made: Made) -> None:
    """The letter is kept: its seat has been shown this."""
    row = session.get(t.Shown, made.shown.seat_id)
    if row is None or row.seq <= made.shown.seq:
        session.merge(made.shown)


def _leaves(session: Session, game: tables.Game, size: int, after: int) -> list[t.Leaf]:
    found = select(t.Leaf).where(t.Leaf.game == game.id, col(t.Leaf.number) < size, col(t.Leaf.seq) > after)
    return list(session.exec(found.order_by(col(t.Leaf.seq))).all())


def _keys(session: Session, size: int) -> Sequence[t.Leaf]:
    found = select(t.Leaf).where(t.Leaf.game == leaves.SERVER, col(t.Leaf.number) < size)
    return session.exec(found.order_by(col(t.Leaf.seq))).all()


def _with_phase(session: Session, game: tables.Game, size: int, fresh: Sequence[t.Leaf], phase: str) -> list[t.Leaf]:
    whole = select(t.Leaf).where(
        t.Leaf.game == game.id,
        col(t.Leaf.number) < size,
        or_(col(t.Leaf.phase) == phase, col(t.Leaf.seq) >= fresh[0].seq),
    )
    return [*_keys(session, size), *session.exec(whole.order_by(col(t.Leaf.seq))).all()]


def _letter(told: Sequence[Leaf]) -> str:
    return "closed" if any(leaf.kind == "close" for leaf in told) else "receipt"


def _is_open(row: t.Leaf) -> bool:
    return all(len(proof) == 80 for _, proof in leaves.parse(row.body).groups)


def _showable(session: Session, rows: list[t.Leaf], seat: tables.Seat) -> tuple[list[t.Leaf], int]:
    """Those of a game's newest leaves that a seat may be shown now, and up to which they are all there.

    While a phase waits for answers nobody learns from the log who was asked, or until when: he is shown the rest again
    when it goes on.
    """
    if not rows:
        return [], -1
    steps = select(t.Leaf).where(t.Leaf.game == rows[0].game, col(t.Leaf.kind).in_(("open", "close", "roll", "result")))
    step = session.exec(steps.order_by(col(t.Leaf.seq).desc()).limit(1)).one()
    waits = rows if step.kind == "roll" else []
    secret = [row for row in waits if row.seq > step.seq and row.kind in ("answer", "deadline")]
    upto = secret[0].seq - 1 if secret else rows[-1].seq
    mine = f"\nseat {seat.name}\n".encode()
    return [row for row in rows if row not in secret or mine in row.body], upto


def _rulings(shown: Sequence[t.Leaf]) -> tuple[Ruling, ...]:
    return tuple(Ruling(leaves.parse(row.body).number("number"), row.opens) for row in shown if row.kind == "ruling")


def _own(
    session: Session, dice: vrf.Key, game: tables.Game, seat: tables.Seat, shown: Sequence[t.Leaf]
) -> tuple[Opened, ...]:
    """What the seat has sent, and what it was played by where that was closed, in clear, with the proof of its salt."""
    out = []
    for row in shown:
        leaf = leaves.parse(row.body)
        if row.kind not in ("order", "answer") or leaf("seat") != seat.name:
            continue
        segment = 1 if row.kind == "order" else leaf.number("segment")
        at = row.phase if segment == 1 else f"{row.phase}/{segment}"
        proof = vrf.prove(dice, sealing.salt(game=game.id, phase=at, seat=seat.name))
        revision = leaf.number("rev") if row.kind == "order" else _answered(leaf, proof, row.opens)
        out.append(Opened(row.phase, segment, seat.name, revision, proof, row.opens))
    closed = disclosing.orders(session, dice, game, [row for row in shown if row.kind == "close"], seat.name)
    return tuple(dict.fromkeys([*out, *closed]))


def _answered(answer: Leaf, proof: bytes, text: str) -> int:
    """How often a seat had answered by an answer: the leaf does not say it, but only one number opens it."""
    secret, wanted = vrf.output_of(proof), decode64(answer("commit"))
    for revision in range(_MOST_REVISIONS):
        if sealing.commit(sealing.order_salt(secret, revision), text) == wanted:
            return revision
    raise LookupError(f"leaf {answer.seq} of {answer.game} seals another answer than is kept with it")
