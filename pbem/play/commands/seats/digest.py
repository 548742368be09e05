"""SET NOTIFY: which letters come at once; and the one letter that tells a seat the news gathered for it.

Answers, reports, questions, closings, rulings and reminders are never gathered. A digest that was not sent by the time
of the next is dropped, and what it would have told stands in the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.letters.commands import Form, Line
from pbem.letters.outbox import Rhythm
from pbem.play import game_standing, positions
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command
from pbem.play.positions import position
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

MOST_LINES = 90
"""Lines of news in a digest; what is more comes in another one, so that no letter is cut."""

_CLOCK = r"(?: (?:at |a las )?(?P<{name}>[01]?\d|2[0-3])(?::00|h)?)?"
_RHYTHM = re.compile(
    r"(?P<all>all|todos?)"
    rf"|(?P<daily>daily|diario){_CLOCK.format(name='hour')}"
    r"|(?P<weekly>weekly|semanal)(?: (?:on |el )?(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    rf"|lunes|martes|miercoles|jueves|viernes|sabado|domingo))?{_CLOCK.format(name='at')}"
    r"|(?P<no>no |sin )?(?:con )?(?P<reminders>reminders|recordatorios)|"
)
"""What follows SET NOTIFY: how news come, on which day and at which hour; whether there are reminders; or nothing."""


def send(work: Transaction, due: tables.Due, game: tables.Game) -> None:
    """Tell a seat what was gathered for it; the row that was due is gone."""
    work.session.delete(due)
    name = due.cause.removeprefix(f"{outbox.NEWS_DUE} ")
    seat = queries.games.seat(work.session, game.id, name)
    if seat is None:
        return
    rows = [row for row in outbox.pending_news(work.session, seat) if not _stale(work.session, game, row)]
    waiting = {row.letter for row in rows} - {""}
    parts = list(_parts(rows))
    standing = game_standing.standing_of(work, game)
    held = [game_standing.HELD] if game.state == "held" else []
    new = ""
    for number, part in enumerate(parts, 1):
        head = outbox.head_of(work.server, game, seat, queries.phases.open_phase(work.session, game.id))
        opening = [*game_standing.told(standing, work.now, seat.zone), *held, _since(part[0].at, seat.zone)]
        if len(parts) > 1:
            opening.append(msg("Letter {number} of {count}.", number=number, count=len(parts)))
        blocks = [block for row in part for block in _news_blocks(row, seat.zone)]
        shown = _map(work, game, seat) if number == 1 else None
        letter = content.Letter("digest", head, opening=opening, blocks=blocks, picture=shown).to_json()
        new = outbox.to_seat(work, letter, seat, game, cause=f"{work.now.isoformat()} {number}")
        for row in part:
            row.letter = new
            work.session.add(row)
    _drop(work.session, waiting, new)
    work.session.flush()


def _stale(session: Session, game: tables.Game, row: tables.Gathered) -> bool:
    """Forget that a phase waits for an answer when it does not any more."""
    stale = row.kind == "waiting" and queries.phases.closed_phase(session, game.id) is None
    if stale:
        session.delete(row)
    return stale


def _parts(rows: Sequence[tables.Gathered]) -> Iterator[list[tables.Gathered]]:
    """The news in order, as many at a time as one letter tells without being cut."""
    part: list[tables.Gathered] = []
    lines = 0
    for row in rows:
        body = loads(row.body)
        length = 3 + 3 * len(body["opening"] + body["closing"]) + sum(len(b["lines"]) + 2 for b in body["blocks"])
        if part and lines + length > MOST_LINES:
            yield part
            part, lines = [], 0
        part.append(row)
        lines += length
    if part:
        yield part


def _news_blocks(row: tables.Gathered, zone: str) -> list[Json]:
    """A piece of news as blocks: when it came and what it says."""
    body = loads(row.body)
    came = {"title": content.when(row.at, zone).to_json(), "lines": [[0, sentence] for sentence in body["opening"]]}
    return [came, *body["blocks"], *({"title": sentence, "lines": []} for sentence in body["closing"])]


def _map(work: Transaction, game: tables.Game, seat: tables.Seat) -> Json | None:
    """The map as it is now; None before the game began."""
    try:
        here = position(work, game)
    except LookupError:
        return None
    return positions.scene_for_letter(work, here, seat, here.rules.view(here.state, seat.name))


def _since(at: datetime, zone: str) -> Msg:
    return msg(
        "What came for you since {when}, in one letter. SET NOTIFY ALL has each sent at once.",
        when=content.when(at, zone),
    )


def _drop(session: Session, names: set[str], by: str) -> None:
    """Drop the digests that still wait to be sent; the new one tells what they told and more."""
    for row in queries.outbox.by_names(session, names):
        if row.state != "queued":
            continue
        row.state, row.last_code, row.last_text = "failed", None, f"{outbox.OVERTAKEN}{by}"
        session.add(row)


def notify(answer: SeatAnswer, command: Line) -> None:
    """Say which letters come at once, or tell how it is set."""
    found = _RHYTHM.fullmatch(command.rest)
    if found is None:
        raise ValueError(f"not what follows SET NOTIFY: {command.rest!r}")
    if found["reminders"]:
        hot_statements.change(answer.session, answer.seat, reminded=found["no"] is None)
    elif command.rest:
        _set(answer, _rhythm(found.groupdict()))
    rhythm = outbox.rhythm_of(answer.game, answer.seat)
    answer.say("settings", _rhythm_told(answer, rhythm))
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


def _rhythm(said: dict[str, str | None]) -> Rhythm:
    """What a player asked for, in either language."""
    every = "daily" if said["daily"] else "weekly" if said["weekly"] else "all"
    days = [at for at, words in enumerate(_DAYS) if said["day"] in words]
    hour = said["hour"] or said["at"]
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


def _set(answer: SeatAnswer, rhythm: Rhythm) -> None:
    """What was gathered so far comes by the new rhythm, or at once."""
    hot_statements.change(answer.session, answer.seat, notify=rhythm.text)
    outbox.plan_news(answer, answer.game, answer.seat)


def _rhythm_told(answer: SeatAnswer, rhythm: Rhythm) -> Msg:
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
    Command(
        Form(
            "notify",
            ("SET NOTIFY", "NOTIFY", "FIJAR AVISOS", "AVISOS"),
            _RHYTHM,
            "SET NOTIFY DAILY 18",
            "FIJAR AVISOS DIARIO 18",
        ),
        notify,
        help=(
            msg(
                "SET NOTIFY ALL, DAILY 18, WEEKLY SUNDAY 18, NO REMINDERS: which letters come at once, and when the "
                "others."
            ),
        ),
    ),
)
