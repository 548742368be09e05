"""Schedule orders before their phase: for a turn (LATER), or repeated (@).

They become the seat's orders when the phase opens, and are checked against that position. Lines that the
position forbids are reported, and tried all the same when the phase is resolved, as any order that has become
impossible; only unreadable lines are left out. Orders kept for the turn count as sent. Repeated lines are
executed, but a seat that sends nothing else, not even GO, has missed the deadline: otherwise nobody would
notice a player who is gone.
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
from pbem.engine.terms import Orders, RejectedLine
from pbem.letters import content
from pbem.play import adjudication, deadlines, log_entries
from pbem.play.positions import Position
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

_SHOWN = 12
"""Impossible lines named one by one in a report: with more the plan no longer fits the position, and the number says
so."""


class ScheduledOrdersReport(NamedTuple):
    """A report's part on scheduled orders; with `firm` they count as sent."""

    notes: tuple[Msg, ...] = ()
    blocks: tuple[Json, ...] = ()
    firm: bool = False


class _EarlyOrders(NamedTuple):
    """Scheduled orders: origin, canonical text, repeated lines, letter, times, LUCK."""

    origin: str
    text: str
    repeated: str | None
    inbox_id: int
    dated: datetime | None
    received: datetime
    luck: str = ""


def enter_scheduled_orders(
    tx: Transaction, position: Position, phase: tables.Phase
) -> dict[str, ScheduledOrdersReport]:
    """Enter scheduled orders for the phase that opens now.

    Returns each seat's report on it.
    """
    reports: dict[str, ScheduledOrdersReport] = {}
    early: list[tables.Seat] = []
    seats, brought = (
        queries.games.seats(tx.session, position.game.id),
        queries.orders.queued_by_seat(tx.session, phase),
    )
    for seat in seats:
        dropped = drop_past_orders(tx.session, position.rules, seat, phase.turn)
        reports[seat.name] = dropped
        # For a seat without a player orders are not executed; its next player keeps them. Where the phase is opened
        # anew, its orders still count.
        if seat.name not in position.active or seat.person_id is None or position.letters or seat.id in brought:
            continue
        orders = _take_orders(tx, seat, phase)
        if orders is not None:
            entered, queued = _queue_orders(tx.session, position, phase, seat, orders)
            early += [seat] if queued else []
            reports[seat.name] = ScheduledOrdersReport(
                (*dropped.notes, *entered.notes), (*dropped.blocks, *entered.blocks), entered.firm
            )
    if any(seat_report.firm for seat_report in reports.values()) and position.game.state == "running":
        heard = queries.seats.phase_status(tx.session, phase)
        missing = deadlines.seats_without_orders(position, heard)
        closing = deadlines.plan_closing(tx, position, phase, heard)
        for seat in seats:
            if reports[seat.name].firm and not missing:
                reports[seat.name] = _add_note(reports[seat.name], _closing_sentence(closing, tx.now, seat.zone))
    if early:
        log_entries.record_early_orders(tx, position, phase, early)
    return reports


def _closing_sentence(closing: datetime, now: datetime, zone: str) -> Msg:
    if closing <= now:
        return msg("All orders are in; they are carried out now.")
    return msg(
        "All orders are in. You may change yours until {when}; then they are carried out.",
        when=content.moment_in_words(closing, zone),
    )


def _add_note(early_report: ScheduledOrdersReport, note: Msg) -> ScheduledOrdersReport:
    return early_report._replace(notes=(*early_report.notes, note))


def _take_orders(tx: Transaction, seat: tables.Seat, phase: tables.Phase) -> _EarlyOrders | None:
    """Return a seat's orders for this phase: kept ones, or else repeated ones.

    Kept orders are deleted.
    """
    row = queries.orders.scheduled_for_turn(tx.session, seat, phase.turn)
    if row is not None:
        tx.session.delete(row)
        tx.session.flush()
        return _EarlyOrders("later", row.text, row.repeated, row.inbox_id, row.dated, row.received, row.luck)
    if not seat.repeats or seat.repeats_from is None:
        return None
    return _EarlyOrders("repeated", seat.repeats, None, seat.repeats_from, None, tx.now)


def _queue_orders(
    session: Session, position: Position, phase: tables.Phase, seat: tables.Seat, scheduled: _EarlyOrders
) -> tuple[ScheduledOrdersReport, bool]:
    """Queue a seat's scheduled orders, or report that they are unreadable.

    Returns also whether they are queued.
    """
    view = position.rules.view(position.state, seat.name)
    reading = position.rules.parse(scheduled.text, view, seat.name)
    limit = content.moment_in_words(phase.deadline, seat.zone)
    if reading.rejected:
        refused_lines = _refusals(scheduled.text, reading.rejected, position.rules.telling.spoken)
        failure_notes = (
            _unreadable_sentence(scheduled.origin),
            *refused_lines,
            msg("Send others by {when}.", when=limit),
        )
        return ScheduledOrdersReport(failure_notes, (_order_block(position.rules, seat, phase, scheduled),)), False
    orders = Orders(position.rules.aids.in_order(reading.orders).actions)
    refused = position.rules.check(view, seat.name, orders, False)
    text = position.rules.canon(orders)
    if position.rules.canon(adjudication.parse_closed_orders(position.rules, position.state, seat.name, text)) != text:
        raise adjudication.InvalidResult(f"orders of {seat.name} that were kept read back as others:\n{text}")
    row = tables.QueuedOrders(
        phase_id=phase.id or 0,
        seat_id=seat.id or 0,
        revision=1,
        text=text,
        inbox_id=scheduled.inbox_id,
        dated=scheduled.dated,
        received=scheduled.received,
        origin=scheduled.origin,
        waits=scheduled.origin == "repeated" or bool(refused),
        repeated=scheduled.repeated,
        luck=scheduled.luck,
    )
    session.add(row)
    session.flush()
    notes = (
        _KEPT if scheduled.origin == "later" else _REPEATED,
        *_refusals(text, refused, position.rules.telling.spoken),
        *_options(row, phase, limit),
    )
    return ScheduledOrdersReport(
        notes, (_order_block(position.rules, seat, phase, scheduled._replace(text=text)),), not row.waits
    ), True


_KEPT = msg("Your orders for this turn are those that you kept for it with LATER (revision 1).")
_REPEATED = msg("So far your orders for this turn are the lines that you repeat (revision 1).")


def _unreadable_sentence(origin: str) -> Msg:
    if origin == "later":
        return msg("The orders that you kept for this turn with LATER cannot be read any more, and none of them count.")
    return msg("The lines that you repeat cannot be read any more, and none of them count in this turn.")


def _options(row: tables.QueuedOrders, phase: tables.Phase, limit: Msg) -> list[Msg]:
    """Return what a seat may do about scheduled orders, and the default."""
    if row.origin == "repeated":
        return [
            msg(
                "ORDERS T{turn} gives others, GO says that these are all you want. Without a letter of yours by {when} "
                "they are carried out, but the deadline counts as missed.",
                turn=phase.turn,
                when=limit,
            )
        ]
    if row.waits:
        return [
            msg(
                "The phase waits for you until {when}: ORDERS T{turn} gives others, GO leaves it at these. What cannot "
                "be when it is to be carried out is left out and told. No deadline is missed.",
                turn=phase.turn,
                when=limit,
            )
        ]
    return [msg("They count as sent. ORDERS T{turn} replaces them, CANCEL takes them back.", turn=phase.turn)]


def _refusals(text: str, refused: Sequence[RejectedLine], speak: speech.Speaks) -> list[Msg]:
    """Return a sentence for each impossible line: which, why, by what rule."""
    sentences = [
        msg(
            "Line {line}, {text}: as things stand it cannot be carried out: {why}",
            line=rejected.line,
            text=speech.order_text(content.refused_line(rejected, text), speak),
            why=content.reason_with_rule(rejected),
        )
        for rejected in refused[:_SHOWN]
    ]
    if len(refused) > _SHOWN:
        sentences.append(msg("and {n} more", n=len(refused) - _SHOWN))
    return sentences


def _order_block(rules: AnyGame, seat: tables.Seat, phase: tables.Phase, scheduled: _EarlyOrders) -> Json:
    lines = [f"ORDERS T{phase.turn}", *luck.above(scheduled.luck, scheduled.text).splitlines(), "END"]
    return content.titled_block(
        msg("Your orders as I understand them"), speech.echo_lines(lines, rules.telling.spoken, seat.language)
    )


def drop_past_orders(session: Session, rules: AnyGame, seat: tables.Seat, turn: int | None) -> ScheduledOrdersReport:
    """Drop and report orders kept for past turns, or for all if the game is over."""
    rows = [row for row in queries.orders.scheduled_orders(session, seat) if turn is None or row.turn < turn]
    notes, blocks = [], []
    for row in rows:
        notes.append(
            msg("The orders that you kept for turn {turn} were not needed: no phase of it asked you.", turn=row.turn)
        )
        lines = [f"LATER T{row.turn}", *row.sealed_text.splitlines(), "END"]
        echoed = speech.echo_lines(lines, rules.telling.spoken, seat.language)
        blocks.append(content.titled_block(msg("What was kept for turn {turn}", turn=row.turn), echoed))
        session.delete(row)
    return ScheduledOrdersReport(tuple(notes), tuple(blocks))


def store_repeats(session: Session, seat: tables.Seat, closed: tables.QueuedOrders | None) -> None:
    """Store a closing phase's marked lines: they are repeated from now on."""
    if closed is None or closed.repeated is None:
        return
    seat.repeats, seat.repeats_from = closed.repeated, closed.inbox_id
    session.add(seat)


def template_lines(session: Session, rules: AnyGame, seat: tables.Seat, phase: tables.Phase) -> list[str]:
    """Return an order template's first lines: scheduled and repeated orders.

    Those that are not among the orders now are comments.
    """
    queued, repeats = queries.orders.queued_orders(session, phase, seat), seat.repeats
    if queued is None or queued.origin == "letter":
        lines = [f"# @ {line}" for line in repeats.splitlines()]
    else:
        lines = mark_repeated(queued.sealed_text, repeats if queued.repeated is None else queued.repeated)
    return speech.echo_lines(lines, rules.telling.spoken, seat.language)


def mark_repeated(text: str, repeats: str) -> list[str]:
    """Return the lines of orders, with the repeated ones marked.

    Repeated lines that are not among them become comments.
    """
    unmatched, marked = repeats.splitlines(), []
    for line in text.splitlines():
        if unmatched and line == unmatched[0]:
            unmatched.pop(0)
            marked.append(f"@ {line}")
        else:
            marked.append(line)
    return [*marked, *(f"# @ {line}" for line in unmatched)]
