"""What a tournament promises, held against what became of one: `stuck` meanwhile, `broken` at its end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser

from sqlmodel import col, select

from pbem.audit import draws
from pbem.log import log_check
from pbem.log.sequencer import Noted
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import record
from pbem.tournaments.arithmetic.pairing.robin import circle_rounds
from tests.tournaments.seeds.people import text_of
from tests.tournaments.seeds.town import DIRECTOR, NAME, Town

_ALL_MEET = ("swiss", "robin", "ladder")
"""Formats in which whoever is in the list and not away is paired, or has a bye."""
_GRACE = timedelta(minutes=5)
"""How long after its moment something may still wait: games that others have are looked at again after a minute."""
_OPEN = ("asked", "director", "open", "offered", "accepted")


def stuck(town: Town) -> Iterator[str]:
    """What waits beyond its moment, now that everything has come to rest."""
    past = town.clock.at - _GRACE
    with town.server.reading() as work:
        event = queries.tournaments.tournament(work.session, NAME)
        if event is not None and event.state == "held" and event.held_why:
            yield f"it is held: {event.held_why}"
        if event is not None and event.wake is not None and event.wake < past:
            yield f"nobody has looked at it since {event.wake:%Y-%m-%d %H:%M}"
        for row in queries.tournaments.entrants(work.session, NAME):
            if row.state == "offered" and row.offered_until is not None and row.offered_until < past:
                yield f"an offer to e{row.number} is open since {row.offered_until:%Y-%m-%d %H:%M}"
        for game in queries.games.all_games(work.session):
            if game.state == "held":
                yield f"{game.id} is held"


def broken(town: Town) -> Iterator[str]:
    """What is not as it was promised, of a tournament in which nothing more happens."""
    yield from (f"the log: {wrong}" for wrong in log_check.check(town.server).wrong)
    with town.server.reading() as work:
        event = work.session.get_one(tables.Tournament, NAME)
        if event.state not in ("over", "cancelled"):
            yield f"it is {event.state}, and nothing more will happen"
        for game in queries.games.all_games(work.session):
            if game.state != "over":
                yield f"{game.id} is {game.state}"
        for row in queries.tournaments.entrants(work.session, NAME):
            if row.state == "offered":
                yield f"e{row.number} has an offer that nobody ends"
        for case in queries.tournaments.disputes(work.session, NAME):
            if case.state not in ("final", "withdrawn") and event.state == "over":
                yield f"D{case.number} is {case.state}"
        if event.state == "over":
            yield from (
                f"a silence of e{one.entrant} is {one.state}"
                for one in queries.tournaments.silences(work.session, NAME, *_OPEN)
            )
        yield from _pairings(work)
        yield from _absences(town, work)
        yield from _letters(town, work)


def _pairings(work: Transaction) -> Iterator[str]:
    """Each round's pairing as the log has it: nobody twice, and nobody forgotten whom its list has."""
    event = work.session.get_one(tables.Tournament, NAME)
    for round_ in queries.tournaments.rounds(work.session, NAME):
        at = Counter(
            number
            for board in queries.tournaments.boards(work.session, round_.id)
            if board.leg != "b"
            for number in {board.first, board.second} - {0}
        )
        yield from (f"e{number} is at {count} boards of {round_.name}" for number, count in at.items() if count > 1)
        if not round_.drawn or record.boards_per_match(event):
            # Lists are of teams, and pairs of their members.
            continue
        listed = draws.parse_draw(round_.slate.encode())
        wanted = {one.number for one in listed.entrants} - set(listed.away)
        paired = Counter(number for one in _drawn(work, round_).values() for number in one if number)
        yield from (
            f"e{number} is paired {count} times in {round_.name}" for number, count in paired.items() if count > 1
        )
        if _all_meet(event, round_) and wanted - paired.keys():
            yield f"nobody was found in {round_.name} for {sorted(wanted - paired.keys())}"
        if away := paired.keys() & set(listed.away):
            yield from (
                f"e{number} is away and was paired in {round_.name}"
                for number in away
                if not _rests(work, round_, number)
            )


def _absences(town: Town, work: Transaction) -> Iterator[str]:
    """E6.1 Nobody has points of a game to which nobody wrote, and E6.2 nobody a prize where nobody came at all.

    Rulings hold all the same, so that a tournament with some is left out.
    """
    ruled = [row.line for row in queries.tournaments.docket(work.session, NAME)]
    if any(line.startswith(("EXPEL", "FORFEIT", "ADJUDICATE", "RULING")) for line in ruled):
        return
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, NAME)}
    emails = {number: queries.persons.email_of(work.session, row.person_id) for number, row in rows.items()}
    scored = {(score("round"), score("board"), score("table")): at for score, at in _leaves(work, "score")}
    anybody = False
    for round_ in queries.tournaments.rounds(work.session, NAME):
        drawn = _drawn(work, round_)
        for board in queries.tournaments.boards(work.session, round_.id):
            sat = {*drawn.get(board.board, ()), board.first, board.second} - {0}
            until = scored[round_.name, str(board.board), board.game_id or "-"]
            mine = {emails.get(number) for number in sat}
            wrote = any(one.sender in mine and round_.opens < one.at <= until for one in town.taken)
            anybody |= wrote and len(sat) > 1
            if len(sat) > 1 and not wrote and board.first_halves + board.second_halves:
                yield f"somebody has points of board {board.board} of {round_.name}, to which nobody wrote"
    told = (message_from_bytes(raw, _class=EmailMessage, policy=policy.default) for raw in town.boxes[DIRECTOR])
    over = next((text for text in map(text_of, told) if "is over." in text), "")
    if over and not anybody and ("Nobody came" not in over or "Prizes" in over):
        yield "nobody came, and somebody has won"


def _leaves(work: Transaction, kind: str) -> Iterator[tuple[Noted, datetime]]:
    for row in queries.log.leaves(work.session, f"event/{NAME}", kind):
        yield Noted(row.seq, row.kind, row.phase, row.body, row.says), row.written


def _all_meet(event: tables.Tournament, round_: tables.Round) -> bool:
    """Whether everybody is paired or has a bye; of a league only until its smallest division has met."""
    stage = record.stage_of(event, round_.stage)
    if stage.format != "league":
        return stage.format in _ALL_MEET
    least = len(record.order_of(event, round_.stage)) // stage.divisions
    return round_.within <= circle_rounds(least, stage.double)


def _drawn(work: Transaction, round_: tables.Round) -> dict[int, tuple[int, int]]:
    """The pairs of a round by their boards as they were drawn: the first leaf of each."""
    found: dict[int, tuple[int, int]] = {}
    for leaf, _ in _leaves(work, "pair"):
        if (leaf("round"), leaf.number("attempt")) == (round_.name, round_.attempt):
            pair = tuple(int(leaf(key).removeprefix("e").replace("-", "0")) for key in ("first", "second"))
            found.setdefault(leaf.number("board"), (pair[0], pair[1]))
    boards = {one.board: one for one in queries.tournaments.boards(work.session, round_.id)}
    # Rounds that somebody was away in are rows of their own, written when another took his seat.
    return {number: pair for number, pair in found.items() if boards[number].how != "absent"}


def _rests(work: Transaction, round_: tables.Round, number: int) -> bool:
    rows = queries.tournaments.boards(work.session, round_.id)
    return any(row.first == number and not row.second for row in rows)


def _letters(town: Town, work: Transaction) -> Iterator[str]:
    """Every letter went out and arrived once; and whoever plays a round was told so."""
    rows = work.session.exec(select(tables.Outbox).order_by(col(tables.Outbox.id))).all()
    for row in rows:
        if row.state != "sent" and not row.last_text.startswith(queries.outbox.OVERTAKEN):
            yield f"a letter to {row.recipient} is {row.state}: {row.last_text}"
    sent = Counter(row.message_id.encode() for row in rows if row.state == "sent")
    came = Counter(_id_of(raw) for box in town.boxes.values() for raw in box)
    yield from (f"a letter did not arrive: {name.decode()}" for name in sent - came)
    yield from (f"a letter arrived twice: {name.decode()}" for name in came - sent)
    yield from _told(town, work)


def _told(town: Town, work: Transaction) -> Iterator[str]:
    """A letter of its round to each who was paired in it and sat at a table of it or passed it."""
    told = {who: "\n".join(map(_subject_of, box)) for who, box in town.boxes.items()}
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, NAME)}
    for round_ in queries.tournaments.rounds(work.session, NAME):
        for number in (one for pair in _drawn(work, round_).values() for one in pair if one in rows):
            who = queries.persons.email_of(work.session, rows[number].person_id) or ""
            if not re.search(rf"^\[\w+\] (?:Round|Ronda) {round_.number}:", told.get(who, ""), re.MULTILINE):
                yield f"e{number} was not told of {round_.name}"


def _subject_of(raw: bytes) -> str:
    return str(BytesHeaderParser(policy=policy.default).parsebytes(raw)["Subject"])


def _id_of(raw: bytes) -> bytes:
    found = re.search(rb"^Message-ID:\s*(\S+)", raw, re.MULTILINE | re.IGNORECASE)
    return found[1] if found else b""
