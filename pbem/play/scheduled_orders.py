"""What a seat wrote before its phase opened: orders kept for this turn (LATER), lines repeated each turn (@).

They become its orders when the phase opens, and are held against the position of then. What the position does not
allow is told, and tried all the same when the phase is resolved, as any order is that has become impossible; only what
cannot be read any more is left out. Orders kept for the turn count as sent. Repeated lines are carried out, but whoever
sends nothing else, not even GO, has missed the deadline: else nobody would notice a player who is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import luck, speech
from pbem.engine.terms import Orders, Rejected
from pbem.letters import content
from pbem.play import adjudication, deadlines, log_entries
from pbem.play.positions import Position
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

_SHOWN = 12
"""Lines that cannot be as things stand of which a report tells one by one."""


class EarlyReport(NamedTuple):
    """What a seat's report says of orders that it wrote before; `firm` if they count as sent and nothing is wanted."""

    notes: tuple[Msg, ...] = ()
    blocks: tuple[Json, ...] = ()
    firm: bool = False


class _EarlyOrders(NamedTuple):
    """Orders written before their phase: where they are from, their canonical text, the letter, its moments, LUCK."""

    origin: str
    text: str
    repeated: str | None
    inbox_id: int
    dated: datetime | None
    received: datetime
    luck: str = ""


def become(work: Transaction, here: Position, phase: tables.Phase) -> dict[str, EarlyReport]:
    """Make what was written before the orders of the phase that opens now, and say of each seat what it is told."""
    told: dict[str, EarlyReport] = {}
    early: list[tables.Seat] = []
    seats, brought = queries.games.seats(work.session, here.game.id), queries.orders.queued_by_seat(work.session, phase)
    for seat in seats:
        passed = drop_unused(work.session, here.rules, seat, phase.turn)
        told[seat.name] = passed
        # Nobody's orders are carried out for a seat that its player has given up; whoever takes it over has them.
        if seat.name not in here.active or seat.person_id is None or here.letters or seat.id in brought:
            continue
        if queries.orders.queued(work.session, phase, seat) is not None:
            # The phase is opened anew, and what was sent for it still stands.
            continue
        wrote = _take(work, seat, phase)
        if wrote is not None:
            came, queued = _come(work.session, here, phase, seat, wrote)
            early += [seat] if queued else []
            told[seat.name] = EarlyReport((*passed.notes, *came.notes), (*passed.blocks, *came.blocks), came.firm)
    if any(came.firm for came in told.values()) and here.game.state == "running":
        heard = queries.seats.heard(work.session, phase)
        missing = deadlines.not_in(here, heard)
        at = deadlines.await_close(work, here, phase, heard)
        for seat in seats:
            if told[seat.name].firm and not missing:
                told[seat.name] = _with(told[seat.name], _closes(at, work.now, seat.zone))
    if early:
        log_entries.note_early_orders(work, here, phase, early)
    return told


def _closes(at: datetime, now: datetime, zone: str) -> Msg:
    if at <= now:
        return msg("All orders are in; they are carried out now.")
    return msg(
        "All orders are in. You may change yours until {when}; then they are carried out.", when=content.when(at, zone)
    )


def _with(came: EarlyReport, note: Msg) -> EarlyReport:
    return came._replace(notes=(*came.notes, note))


def _take(work: Transaction, seat: tables.Seat, phase: tables.Phase) -> _EarlyOrders | None:
    """What a seat wrote for this phase: kept orders, which are kept no longer, before repeated lines."""
    row = queries.orders.later_of_turn(work.session, seat, phase.turn)
    if row is not None:
        work.session.delete(row)
        work.session.flush()
        return _EarlyOrders("later", row.text, row.repeated, row.inbox_id, row.dated, row.received, row.luck)
    if not seat.repeats or seat.repeats_from is None:
        return None
    return _EarlyOrders("repeated", seat.repeats, None, seat.repeats_from, None, work.now)


def _come(
    session: Session, here: Position, phase: tables.Phase, seat: tables.Seat, wrote: _EarlyOrders
) -> tuple[EarlyReport, bool]:
    """Queue what was written as a seat's orders, or tell it why they cannot be read any more; whether it is queued."""
    view = here.rules.view(here.state, seat.name)
    reading = here.rules.parse(wrote.text, view, seat.name)
    by = content.when(phase.deadline, seat.zone)
    if reading.rejected:
        lines = _lines(wrote.text, reading.rejected, here.rules.telling.spoken)
        told = (_unread(wrote.origin), *lines, msg("Send others by {when}.", when=by))
        return EarlyReport(told, (_block(here.rules, seat, phase, wrote),)), False
    orders = Orders(here.rules.aids.in_order(reading.orders).actions)
    refused = here.rules.check(view, seat.name, orders, False)
    text = here.rules.canon(orders)
    if here.rules.canon(adjudication.parse_closed(here.rules, here.state, seat.name, text)) != text:
        raise adjudication.Unsound(f"orders of {seat.name} that were kept read back as others:\n{text}")
    row = tables.QueuedOrders(
        phase_id=phase.id or 0,
        seat_id=seat.id or 0,
        revision=1,
        text=text,
        inbox_id=wrote.inbox_id,
        dated=wrote.dated,
        received=wrote.received,
        origin=wrote.origin,
        waits=wrote.origin == "repeated" or bool(refused),
        repeated=wrote.repeated,
        luck=wrote.luck,
    )
    session.add(row)
    session.flush()
    notes = (
        _KEPT if wrote.origin == "later" else _REPEATED,
        *_lines(text, refused, here.rules.telling.spoken),
        *_way_out(row, phase, by),
    )
    return EarlyReport(notes, (_block(here.rules, seat, phase, wrote._replace(text=text)),), not row.waits), True


_KEPT = msg("Your orders for this turn are those that you kept for it with LATER (revision 1).")
_REPEATED = msg("So far your orders for this turn are the lines that you repeat (revision 1).")


def _unread(origin: str) -> Msg:
    if origin == "later":
        return msg("The orders that you kept for this turn with LATER cannot be read any more, and none of them count.")
    return msg("The lines that you repeat cannot be read any more, and none of them count in this turn.")


def _way_out(row: tables.QueuedOrders, phase: tables.Phase, by: Msg) -> list[Msg]:
    """What may be done about orders that came of themselves, and what happens if nothing is."""
    if row.origin == "repeated":
        return [
            msg(
                "ORDERS T{turn} gives others, GO says that these are all you want. Without a letter of yours by {when} "
                "they are carried out, but the deadline counts as missed.",
                turn=phase.turn,
                when=by,
            )
        ]
    if row.waits:
        return [
            msg(
                "The phase waits for you until {when}: ORDERS T{turn} gives others, GO leaves it at these. What cannot "
                "be when it is to be carried out is left out and told. No deadline is missed.",
                turn=phase.turn,
                when=by,
            )
        ]
    return [msg("They count as sent. ORDERS T{turn} replaces them, CANCEL takes them back.", turn=phase.turn)]


def _lines(text: str, refused: Sequence[Rejected], speak: speech.Speaks) -> list[Msg]:
    """A sentence for each line that cannot be: which, why, by what rule."""
    told = [
        msg(
            "Line {line}, {text}: as things stand it cannot be carried out: {why}",
            line=bad.line,
            text=speech.told(content.line_of(bad, text), speak),
            why=content.why(bad),
        )
        for bad in refused[:_SHOWN]
    ]
    if len(refused) > _SHOWN:
        told.append(msg("and {n} more", n=len(refused) - _SHOWN))
    return told


def _block(rules: AnyGame, seat: tables.Seat, phase: tables.Phase, wrote: _EarlyOrders) -> Json:
    lines = [f"ORDERS T{phase.turn}", *luck.above(wrote.luck, wrote.text).splitlines(), "END"]
    return content.block(
        msg("Your orders as I understand them"), speech.echoed(lines, rules.telling.spoken, seat.language)
    )


def drop_unused(session: Session, rules: AnyGame, seat: tables.Seat, turn: int | None) -> EarlyReport:
    """Drop the orders that were kept for turns before this one, or for any if the game is over, and tell of them."""
    rows = [row for row in queries.orders.later(session, seat) if turn is None or row.turn < turn]
    notes, blocks = [], []
    for row in rows:
        notes.append(
            msg("The orders that you kept for turn {turn} were not needed: no phase of it asked you.", turn=row.turn)
        )
        lines = [f"LATER T{row.turn}", *row.sealed.splitlines(), "END"]
        echoed = speech.echoed(lines, rules.telling.spoken, seat.language)
        blocks.append(content.block(msg("What was kept for turn {turn}", turn=row.turn), echoed))
        session.delete(row)
    return EarlyReport(tuple(notes), tuple(blocks))


def settle(session: Session, seat: tables.Seat, closed: tables.QueuedOrders | None) -> None:
    """The phase closes with these orders: from now on the lines are repeated that were marked in them."""
    if closed is None or closed.repeated is None:
        return
    seat.repeats, seat.repeats_from = closed.repeated, closed.inbox_id
    session.add(seat)


def template_lines(session: Session, rules: AnyGame, seat: tables.Seat, phase: tables.Phase) -> list[str]:
    """The lines that an order template begins with: orders that were written before, and what is repeated.

    Those that are not among the orders now are comments.
    """
    queued, again = queries.orders.queued(session, phase, seat), seat.repeats
    if queued is None or queued.origin == "letter":
        lines = [f"# @ {line}" for line in again.splitlines()]
    else:
        lines = mark_repeated(queued.sealed, again if queued.repeated is None else queued.repeated)
    return speech.echoed(lines, rules.telling.spoken, seat.language)


def mark_repeated(text: str, again: str) -> list[str]:
    """The lines of orders, those that are repeated with their mark; what of these is not among them is a comment."""
    wanted, out = again.splitlines(), []
    for line in text.splitlines():
        if wanted and line == wanted[0]:
            wanted.pop(0)
            out.append(f"@ {line}")
        else:
            out.append(line)
    return [*out, *(f"# @ {line}" for line in wanted)]
