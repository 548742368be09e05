"""Send letters again, with the same bytes and Message-ID.

A seat or the operator asks for that. Undeliverable letters stay in the outbox as failed, until the operator
sends them again.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import by_number, msg
from pbem.letters import outbox
from pbem.letters.commands import TURN_ARGUMENT, CommandForm, CommandLine
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class Undelivered(NamedTuple):
    """An undelivered letter: to be tried again, or (`given_up`) for the operator."""

    number: int
    to: str
    kind: str
    game: str | None
    given_up: bool
    tries: int
    next_try: datetime | None
    last_reply: str


def resend_reports(answer: SeatAnswer, command: CommandLine) -> None:
    """Send the seat's last report again, or those of a turn."""
    digits = "".join(letter for letter in command.rest if letter.isdigit())
    turn = int(digits) if digits else None
    count = _queue_again(answer, answer.seat, turn)
    if count:
        single = msg("Your report is on its way to you once more, as it was sent.")
        several = msg("{count} reports are on their way to you once more, as they were sent.", count=count)
        answer.say("answer", by_number(count, single, several))
    elif turn is None:
        answer.say("answer", msg("There is no report of yours yet that could be sent again."))
    else:
        answer.say("answer", msg("There is no report of yours for turn {turn} that could be sent again.", turn=turn))


def resend_to_seat(tx: Transaction, game: str, seat: str, turn: int | None = None) -> int:
    """Queue a seat's last report again, or those of a turn; return how many.

    Raise UserError if there are none.
    """
    row = queries.games.seat(tx.session, game, seat)
    if row is None:
        raise UserError(msg("There is no seat {seat} in {game}.", seat=seat, game=game))
    count = _queue_again(tx, row, turn)
    if not count:
        raise UserError(msg("There is no such report of {seat} in {game}.", seat=seat, game=game))
    return count


def retry_failed(tx: Transaction) -> int:
    """Queue all failed letters again; return how many."""
    # Letters overtaken by a newer one are not sent again.
    rows = [row for row in queries.outbox.undelivered_letters(tx.session) if row.state == "failed"]
    for row in rows:
        outbox.requeue(row, tx.now)
        tx.session.add(row)
    return len(rows)


def undelivered_letters(session: Session) -> tuple[Undelivered, ...]:
    """Return the letters that wait for their next try, and failed ones, oldest first."""
    return tuple(
        Undelivered(
            row.id or 0,
            row.recipient,
            row.kind,
            row.game_id,
            row.state == "failed",
            row.attempts,
            None if row.state == "failed" else row.next_try,
            f"{row.last_code or ''} {row.last_text}".strip(),
        )
        for row in queries.outbox.undelivered_letters(session)
    )


def _queue_again(tx: Transaction, seat: tables.Seat, turn: int | None) -> int:
    """Queue reports of a seat's present player again."""
    recipient = queries.persons.email_of(tx.session, seat.person_id)
    # A predecessor's letters show where he was written to, and end in an address that is worthless now.
    prefix = f"<{seat.game_id}.T{turn}." if turn is not None else ""
    rows = queries.outbox.reports(tx.session, seat, tx.server.seat_address(seat), prefix)
    rows = rows if turn is not None else rows[-1:]
    for row in rows:
        row.recipient = recipient or row.recipient
        outbox.requeue(row, tx.now)
        tx.session.add(row)
    return len(rows)


COMMANDS = (
    LetterCommand(
        CommandForm("resend", ("RESEND", "REENVIAR"), TURN_ARGUMENT, "RESEND T1", "REENVIAR T1"),
        resend_reports,
        help=(msg("RESEND, RESEND T3: your last report again, or that of turn 3. ADDRESS: where my letters go."),),
        often=RateLimit(day=10),
    ),
)
