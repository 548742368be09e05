"""Write a tournament's dates and an entrant's deadlines as calendar (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import catalogue, content
from pbem.letters.icalendar import Entry, write_calendar
from pbem.play.positions import read_position
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import founding, record

_DATES: Mapping[str, Msg] = {
    "list": msg("{event}: the list of round {number} shuts"),
    "draw": msg("{event}: round {number} is drawn"),
    "begin": msg("{event}: the games of round {number} begin"),
    "end": msg("{event}: round {number} ends at the latest"),
}

_PAST = ("closed", "void")
"""States of a round that has no dates any more."""


def calendar_of(tx: Transaction, name: str, number: int = 0) -> str:
    """Return a tournament's coming dates, with the deadlines of entrant `number`.

    Raise UserError if there is no such tournament, or no such entrant in it.
    """
    event = record.tournament_by_name(tx.session, name)
    row = queries.tournaments.entrant(tx.session, event.id, number) if number else None
    if number and row is None:
        raise UserError(msg("{event} has no entrant e{number}.", event=event.id, number=number))
    language = row.language if row is not None else event.director_language
    say = catalogue.load_catalogue(language).say
    return write_calendar(
        event.id, [Entry(key, moment, say(text)) for key, moment, text in _dates(tx, event, row)], tx.now
    )


def calendar_block(tx: Transaction, event: tables.Tournament, round_: tables.Round, language: str) -> Json:
    """Return the block of a letter that attaches a round's dates as a calendar file."""
    say, file = catalogue.load_catalogue(language).say, f"{event.id}-{round_.name}.ics"
    entries = [Entry(key, moment, say(text)) for key, moment, text in _round_dates(tx, event, round_)]
    sentence = msg("The attachment {file} puts the dates of this round into a calendar.", file=file)
    block = content.sentence_block(msg("Calendar"), [(0, sentence)])
    return {**block, "files": [[file, write_calendar(event.id, entries, tx.now)]]}


def _dates(
    tx: Transaction, event: tables.Tournament, row: tables.Entrant | None
) -> Iterator[tuple[str, datetime, Msg]]:
    """Yield names, moments and titles of what is still to come."""
    closes = record.closing_time(event)
    if event.state == "open" and closes is not None:
        yield f"{event.id}-list", closes, msg("{event}: the list of entrants shuts", event=event.id)
    # The end of a round that is closed, or void, is no date any more.
    for round_ in [row for row in queries.tournaments.rounds(tx.session, event.id)[-1:] if row.state not in _PAST]:
        yield from _round_dates(tx, event, round_)
        if row is not None:
            yield from _deadlines(tx, event, round_, row)


def _round_dates(
    tx: Transaction, event: tables.Tournament, round_: tables.Round
) -> Iterator[tuple[str, datetime, Msg]]:
    """Yield the dates of a round that are still to come."""
    moments = {"list": round_.opens, "draw": round_.draws, "begin": round_.starts, "end": round_.ends}
    for word, moment in moments.items():
        if moment is not None and moment > tx.now:
            title = msg(_DATES[word].text, event=event.id, number=round_.number)
            yield f"{event.id}-{round_.name}-{word}", moment, title


def _deadlines(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, row: tables.Entrant
) -> Iterator[tuple[str, datetime, Msg]]:
    """Yield the deadlines at an entrant's tables where his orders are wanted now."""
    setup = founding.table_game(tx, event)
    for board in queries.tournaments.boards(tx.session, round_.id):
        phase = queries.phases.present_phase(tx.session, board.game_id) if board.game_id else None
        if phase is None or row.number not in (board.first, board.second):
            continue
        seat = setup.seat_of(0 if row.number == board.first else 1)
        game = queries.games.game(tx.session, phase.game_id)
        if game is not None and seat in read_position(tx, game).active:
            title = msg("{game}: orders are wanted", game=phase.game_id)
            yield f"{phase.game_id}-deadline", phase.deadline, title
