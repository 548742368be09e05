"""Choose which letters come at once (SET NOTIFY), and send digests of news.

Answers, reports, questions, closings, rulings and reminders are never gathered. A digest not sent by the time
of the next is dropped, and its news are in the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.outbox import Rhythm
from pbem.play import game_standing, positions
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand
from pbem.play.positions import read_position
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

MOST_LINES = 90
"""Maximum lines of news in a digest; further ones go into another letter, so that none is cut."""

_CLOCK = r"(?: (?:at |a las )?(?P<{name}>[01]?\d|2[0-3])(?::00|h)?)?"
_RHYTHM = re.compile(
    r"(?P<all>all|todos?)"
    rf"|(?P<daily>daily|diario){_CLOCK.format(name='hour')}"
    r"|(?P<weekly>weekly|semanal)(?: (?:on |el )?(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    rf"|lunes|martes|miercoles|jueves|viernes|sabado|domingo))?{_CLOCK.format(name='at')}"
    r"|(?P<no>no |sin )?(?:con )?(?P<reminders>reminders|recordatorios)|"
)
"""Argument of SET NOTIFY: rhythm, day and hour of news; or reminders on or off; or nothing."""


def send_digest(tx: Transaction, due: tables.Due, game: tables.Game) -> None:
    """Send a seat its gathered news, and delete the due row."""
    tx.session.delete(due)
    name = due.cause.removeprefix(f"{outbox.NEWS_DUE} ")
    seat = queries.games.seat(tx.session, game.id, name)
    if seat is None:
        return
    rows = [row for row in outbox.pending_news(tx.session, seat) if not _drop_stale(tx.session, game, row)]
    waiting_letters = {row.letter for row in rows} - {""}
    parts = list(_parts(rows))
    standing = game_standing.standing_of(tx, game)
    held_notice = [game_standing.HELD] if game.state == "held" else []
    letter_name = ""
    for number, part in enumerate(parts, 1):
        head = outbox.head_of(tx.server, game, seat, queries.phases.open_phase(tx.session, game.id))
        opening = [
            *game_standing.standing_sentences(standing, tx.now, seat.zone),
            *held_notice,
            _since_sentence(part[0].at, seat.zone),
        ]
        if len(parts) > 1:
            opening.append(msg("Letter {number} of {count}.", number=number, count=len(parts)))
        blocks = [block for row in part for block in _news_blocks(row, seat.zone)]
        map_picture = _map(tx, game, seat) if number == 1 else None
        letter = content.Letter("digest", head, opening=opening, blocks=blocks, picture=map_picture).to_json()
        letter_name = outbox.write_to_seat(tx, letter, seat, game, cause=f"{tx.now.isoformat()} {number}")
        for row in part:
            row.letter = letter_name
            tx.session.add(row)
    _drop_overtaken(tx.session, waiting_letters, letter_name)
    tx.session.flush()


def _drop_stale(session: Session, game: tables.Game, row: tables.Gathered) -> bool:
    """Delete the news that a phase waits for an answer, if it no longer waits."""
    is_stale = row.kind == "waiting" and queries.phases.waiting_phase(session, game.id) is None
    if is_stale:
        session.delete(row)
    return is_stale


def _parts(rows: Sequence[tables.Gathered]) -> Iterator[list[tables.Gathered]]:
    """Yield the news in order, as many at a time as fit in one letter."""
    part: list[tables.Gathered] = []
    lines = 0
    for row in rows:
        body = loads(row.body)
        length = (
            3 + 3 * len(body["opening"] + body["closing"]) + sum(len(block["lines"]) + 2 for block in body["blocks"])
        )
        if part and lines + length > MOST_LINES:
            yield part
            part, lines = [], 0
        part.append(row)
        lines += length
    if part:
        yield part


def _news_blocks(row: tables.Gathered, zone: str) -> list[Json]:
    """Return a piece of news as blocks: its time and its content."""
    body = loads(row.body)
    time_block = {
        "title": content.moment_in_words(row.at, zone).to_json(),
        "lines": [[0, sentence] for sentence in body["opening"]],
    }
    return [time_block, *body["blocks"], *({"title": sentence, "lines": []} for sentence in body["closing"])]


def _map(tx: Transaction, game: tables.Game, seat: tables.Seat) -> Json | None:
    """Return the present map; None before the game began."""
    try:
        current = read_position(tx, game)
    except LookupError:
        return None
    return positions.scene_for_letter(tx, current, seat, current.rules.view(current.state, seat.name))


def _since_sentence(moment: datetime, zone: str) -> Msg:
    return msg(
        "What came for you since {when}, in one letter. SET NOTIFY ALL has each sent at once.",
        when=content.moment_in_words(moment, zone),
    )


def _drop_overtaken(session: Session, names: set[str], newer: str) -> None:
    """Drop the digests that still wait to be sent; the new one includes their news."""
    for row in queries.outbox.letters_by_names(session, names):
        if row.state != "queued":
            continue
        row.state, row.last_code, row.last_text = "failed", None, f"{outbox.OVERTAKEN}{newer}"
        session.add(row)


def set_notifications(answer: SeatAnswer, command: CommandLine) -> None:
    """Set which letters come at once, and show the setting."""
    match = _RHYTHM.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows SET NOTIFY: {command.rest!r}")
    if match["reminders"]:
        hot_statements.update_row(answer.session, answer.seat, reminded=match["no"] is None)
    elif command.rest:
        _set_rhythm(answer, _rhythm(match.groupdict()))
    rhythm = outbox.rhythm_of(answer.game, answer.seat)
    answer.say("settings", _rhythm_text(answer, rhythm))
    if rhythm.every != "all":
        answer.opening.append(
            msg(
                "Answers, reports, questions and rulings come at once as before; the news come on {when}.",
                when=answer.when(rhythm.next(answer.now, answer.seat.zone)),
            )
        )
    if answer.seat.reminded:
        answer.opening.append(msg("You are reminded of deadlines; SET NOTIFY NO REMINDERS ends that."))
    else:
        answer.opening.append(msg("You are not reminded of deadlines; SET NOTIFY REMINDERS changes that."))


def _rhythm(request: dict[str, str | None]) -> Rhythm:
    """Return the rhythm that a player asked for, in either language."""
    every = "daily" if request["daily"] else "weekly" if request["weekly"] else "all"
    days = [number for number, words in enumerate(_DAYS) if request["day"] in words]
    hour = request["hour"] or request["at"]
    return Rhythm(every, days[0] if days else Rhythm().day, int(hour) if hour else Rhythm().hour)


_DAYS = (
    ("monday", "lunes"),
    ("tuesday", "martes"),
    ("wednesday", "miercoles"),
    ("thursday", "jueves"),
    ("friday", "viernes"),
    ("saturday", "sabado"),
    ("sunday", "domingo"),
)


def _set_rhythm(answer: SeatAnswer, rhythm: Rhythm) -> None:
    """Set the rhythm of news, also of those gathered so far."""
    hot_statements.update_row(answer.session, answer.seat, notify=rhythm.text)
    outbox.plan_news(answer, answer.game, answer.seat)


def _rhythm_text(answer: SeatAnswer, rhythm: Rhythm) -> Msg:
    if rhythm.every == "all":
        return msg("Every letter comes at once.")
    hour, zone = f"{rhythm.hour}:00", answer.seat.zone
    if rhythm.every == "daily":
        return msg("News come in one letter a day, at {hour} of {zone}.", hour=hour, zone=zone)
    return msg(
        "News come in one letter a week, on {day} at {hour} of {zone}.",
        day=content.WEEKDAYS[rhythm.day],
        hour=hour,
        zone=zone,
    )


COMMANDS = (
    LetterCommand(
        CommandForm(
            "notify",
            ("SET NOTIFY", "NOTIFY", "FIJAR AVISOS", "AVISOS"),
            _RHYTHM,
            "SET NOTIFY DAILY 18",
            "FIJAR AVISOS DIARIO 18",
        ),
        set_notifications,
        help=(
            msg(
                "SET NOTIFY ALL, DAILY 18, WEEKLY SUNDAY 18, NO REMINDERS: which letters come at once, and when the "
                "others."
            ),
        ),
    ),
)
