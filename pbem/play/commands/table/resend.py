"""Letters sent once more, the same bytes under the same Message-ID: asked for by a seat, or by whoever runs the server.

What was given up lies in the outbox as failed, until somebody sends it again or leaves it there.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import by_number, msg
from pbem.letters import outbox
from pbem.letters.commands import TURN, Form, Line
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class Undelivered(NamedTuple):
    """A letter that is not delivered: it waits for its next try, or (`given_up`) for somebody to do something."""

    number: int
    to: str
    kind: str
    game: str | None
    given_up: bool
    tries: int
    next_try: datetime | None
    last_reply: str


def resend_command(answer: SeatAnswer, command: Line) -> None:
    """RESEND, RESEND T3: the last report of this seat, or those of a turn."""
    digits = "".join(letter for letter in command.rest if letter.isdigit())
    turn = int(digits) if digits else None
    found = _again(answer, answer.seat, turn)
    if found:
        one = msg("Your report is on its way to you once more, as it was sent.")
        many = msg("{count} reports are on their way to you once more, as they were sent.", count=found)
        answer.say("answer", by_number(found, one, many))
    elif turn is None:
        answer.say("answer", msg("There is no report of yours yet that could be sent again."))
    else:
        answer.say("answer", msg("There is no report of yours for turn {turn} that could be sent again.", turn=turn))


def resend(work: Transaction, game: str, seat: str, turn: int | None = None) -> int:
    """Queue a seat's last report again, or those of a turn; how many. Broken if there are none."""
    row = queries.games.seat(work.session, game, seat)
    if row is None:
        raise UserError(msg("There is no seat {seat} in {game}.", seat=seat, game=game))
    found = _again(work, row, turn)
    if not found:
        raise UserError(msg("There is no such report of {seat} in {game}.", seat=seat, game=game))
    return found


def retry(work: Transaction) -> int:
    """Queue all letters again that were given up; how many."""
    # What a newer letter has overtaken nobody misses.
    rows = [row for row in queries.outbox.undelivered(work.session) if row.state == "failed"]
    for row in rows:
        outbox.again(row, work.now)
        work.session.add(row)
    return len(rows)


def undelivered(session: Session) -> tuple[Undelivered, ...]:
    """The letters that wait for their next try and those given up, oldest first."""
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
        for row in queries.outbox.undelivered(session)
    )


def _again(work: Transaction, seat: tables.Seat, turn: int | None) -> int:
    """Queue reports of a seat's present holder again, to where he is registered now."""
    recipient = queries.persons.email_of(work.session, seat.person_id)
    # A predecessor's letters show where he was written to, and end in an address that is worthless now.
    begins = f"<{seat.game_id}.T{turn}." if turn is not None else ""
    rows = queries.outbox.reports(work.session, seat, work.server.seat_address(seat), begins)
    rows = rows if turn is not None else rows[-1:]
    for row in rows:
        row.recipient = recipient or row.recipient
        outbox.again(row, work.now)
        work.session.add(row)
    return len(rows)


COMMANDS = (
    Command(
        Form("resend", ("RESEND", "REENVIAR"), TURN, "RESEND T1", "REENVIAR T1"),
        resend_command,
        help=(msg("RESEND, RESEND T3: your last report again, or that of turn 3. ADDRESS: where my letters go."),),
        often=Often(day=10),
    ),
)
