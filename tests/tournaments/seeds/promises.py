"""What a tournament promises, held against what became of some: `stuck` meanwhile, `broken` at their end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser, BytesParser
from typing import Any

from sqlmodel import col, select

from pbem.audit import draws
from pbem.log import log_check
from pbem.log.sequencer import Noted
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import record
from pbem.tournaments.arithmetic.pairing.robin import round_robin_length
from pbem.tournaments.rerun import RedrawResult, redraw_all
from pbem.verifier.record import Findings
from pbem.verifier.verification import verdict_of, verify_epochs
from tests.audit.checked import QUICK, items, reader
from tests.tournaments.seeds.people import text_of
from tests.tournaments.seeds.town import DIRECTOR, Town

_ALL_MEET = ("swiss", "robin", "ladder")
"""Formats in which whoever is in the list and not away is paired, or has a bye."""
_GRACE = timedelta(minutes=5)
"""How long after its moment something may still wait: games that others have are looked at again after a minute."""
_OPEN = ("asked", "director", "open", "offered", "accepted")


def stuck(town: Town) -> Iterator[str]:
    """What waits beyond its moment, now that everything has come to rest."""
    past = town.clock.at - _GRACE
    with town.server.reading() as tx:
        for cup in town.cups:
            event = queries.tournaments.tournament(tx.session, cup.name)
            if event is not None and event.state == "held" and event.held_why:
                yield f"{cup.name} is held: {event.held_why}"
            if event is not None and event.wake is not None and event.wake < past:
                yield f"nobody has looked at {cup.name} since {event.wake:%Y-%m-%d %H:%M}"
            for row in queries.tournaments.entrants(tx.session, cup.name):
                if row.state == "offered" and row.offered_until is not None and row.offered_until < past:
                    yield f"an offer to e{row.number} is open since {row.offered_until:%Y-%m-%d %H:%M}"
        for game in queries.games.all_games(tx.session):
            if game.state == "held":
                yield f"{game.id} is held"


def broken(town: Town) -> Iterator[str]:
    """What is not as it was promised, of tournaments in which nothing more happens."""
    yield from (f"the log: {wrong}" for wrong in log_check.check(town.server).wrong)
    with town.server.reading() as tx:
        for game in queries.games.all_games(tx.session):
            if game.state != "over":
                yield f"{game.id} is {game.state}"
        for cup in town.cups:
            yield from _unfinished(tx, cup.name)
            yield from _pairings(tx, cup.name)
            yield from _absences(town, tx, cup.name)
            yield from _told(town, tx, cup.name)
        yield from _letters(town, tx)


def false_proofs(town: Town, cup: str, who: str) -> Iterator[str]:
    """What the verifiers find false in all the letters to somebody: the plain one, and that which draws again."""
    chain = f"\ngame event/{cup}\n".encode()
    letters = [letter for raw in town.boxes[who] for letter in items("mailbox", raw)]
    letters = [letter for letter in letters if not letter.trouble and chain in letter.data]
    redrawn = list[RedrawResult]()

    def draws_again(course: Any, keys: Any) -> frozenset[Any]:
        redrawn.extend(redraw_all(course, keys))
        return frozenset(result.draw for result in redrawn if result.draw[1])

    findings = Findings()
    verdict = verdict_of(findings, *verify_epochs(findings, letters, reader(), QUICK, draws_again))
    yield from (f"{line.check}: {line.why}" for line in verdict.lines if line.status == "FALSE")
    yield from (result.why for result in redrawn if result.truth is False)
    if not letters or not redrawn:
        yield f"no letter proves anything of {cup}"


def silent_pairs(town: Town, cup: str) -> int:
    """How many boards of a tournament had two who both wrote nothing."""
    with town.server.reading() as tx:
        return sum(len(sat) > 1 and not wrote for _, _, sat, wrote in _boards(town, tx, cup))


def _unfinished(tx: Transaction, cup: str) -> Iterator[str]:
    """What of a tournament has not come to its end."""
    event = tx.session.get_one(tables.Tournament, cup)
    if event.state not in ("over", "cancelled"):
        yield f"{cup} is {event.state}, and nothing more will happen"
    for row in queries.tournaments.entrants(tx.session, cup):
        if row.state == "offered":
            yield f"e{row.number} has an offer that nobody ends"
    if event.state != "over":
        return
    for dispute in queries.tournaments.disputes(tx.session, cup):
        if dispute.state not in ("final", "withdrawn"):
            yield f"D{dispute.number} is {dispute.state}"
    for silence in queries.tournaments.silences(tx.session, cup, *_OPEN):
        yield f"a silence of e{silence.entrant} is {silence.state}"


def _pairings(tx: Transaction, cup: str) -> Iterator[str]:
    """Each round's pairing as the log has it: nobody twice, and nobody forgotten whom its list has."""
    event = tx.session.get_one(tables.Tournament, cup)
    for round_ in queries.tournaments.rounds(tx.session, cup):
        counts = Counter(
            number
            for board in queries.tournaments.boards(tx.session, round_.id)
            if board.leg != "b"
            for number in {board.first, board.second} - {0}
        )
        yield from (f"e{number} is at {count} boards of {round_.name}" for number, count in counts.items() if count > 1)
        if not round_.drawn or record.boards_per_match(event):
            # Lists are of teams, and pairs of their members.
            continue
        listed = draws.parse_draw(round_.slate.encode())
        wanted = {entrant.number for entrant in listed.entrants} - set(listed.away)
        paired = Counter(number for pair in _drawn(tx, cup, round_).values() for number in pair if number)
        yield from (
            f"e{number} is paired {count} times in {round_.name}" for number, count in paired.items() if count > 1
        )
        if _all_meet(event, round_) and wanted - paired.keys():
            yield f"nobody was found in {round_.name} for {sorted(wanted - paired.keys())}"
        if away := paired.keys() & set(listed.away):
            yield from (
                f"e{number} is away and was paired in {round_.name}"
                for number in away
                if not _rests(tx, round_, number)
            )


def _absences(town: Town, tx: Transaction, cup: str) -> Iterator[str]:
    """E6.1 Nobody has points of a game to which nobody wrote, and E6.2 nobody a prize where nobody came at all.

    Rulings that give points hold all the same, so that a tournament with some is left out.
    """
    ruled = [row.line for row in queries.tournaments.docket(tx.session, cup)]
    if any(line.startswith(("EXPEL", "FORFEIT", "ADJUDICATE")) for line in ruled):
        return
    anybody = False
    for round_, board, sat, wrote in _boards(town, tx, cup):
        anybody |= wrote and len(sat) > 1
        if len(sat) > 1 and not wrote and board.first_halves + board.second_halves:
            yield f"somebody has points of board {board.board} of {round_.name}, to which nobody wrote"
    letters = (message_from_bytes(raw, _class=EmailMessage, policy=policy.default) for raw in town.boxes[DIRECTOR])
    over = next((text for text in map(text_of, letters) if cup in text and "is over." in text), "")
    if over and not anybody and ("Nobody came" not in over or "Prizes" in over):
        yield f"nobody came to {cup}, and somebody has won"


def _boards(town: Town, tx: Transaction, cup: str) -> Iterator[tuple[tables.Round, tables.Board, set[int], bool]]:
    """Each board with those who sat at it, and whether any of them wrote to the tournament while it was open."""
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, cup)}
    emails = {number: queries.persons.email_of(tx.session, row.person_id) for number, row in rows.items()}
    scored = {(score("round"), score("board"), score("table")): index for score, index in _leaves(tx, cup, "score")}
    for round_ in queries.tournaments.rounds(tx.session, cup):
        drawn = _drawn(tx, cup, round_)
        for board in queries.tournaments.boards(tx.session, round_.id):
            sat = {*drawn.get(board.board, ()), board.first, board.second} - {0}
            until = scored[round_.name, str(board.board), board.game_id or "-"]
            mine = {emails.get(number) for number in sat}
            wrote = any(
                letter.sender in mine and round_.opens < letter.at <= until and f"+{cup}-" in letter.to
                for letter in town.taken
            )
            yield round_, board, sat, wrote


def _leaves(tx: Transaction, cup: str, kind: str) -> Iterator[tuple[Noted, datetime]]:
    for row in queries.log.leaves(tx.session, f"event/{cup}", kind):
        yield Noted(row.seq, row.kind, row.phase, row.body, row.says), row.written


def _all_meet(event: tables.Tournament, round_: tables.Round) -> bool:
    """Whether everybody is paired or has a bye; of a league only until its smallest division has met."""
    stage = record.stage_of(event, round_.stage)
    if stage.format != "league":
        return stage.format in _ALL_MEET
    least = len(record.stage_seeds(event, round_.stage)) // stage.divisions
    return round_.within <= round_robin_length(least, stage.double)


def _drawn(tx: Transaction, cup: str, round_: tables.Round) -> dict[int, tuple[int, int]]:
    """The pairs of a round by their boards as they were drawn: the first leaf of each."""
    pairs: dict[int, tuple[int, int]] = {}
    for leaf, _ in _leaves(tx, cup, "pair"):
        if (leaf("round"), leaf.number("attempt")) == (round_.name, round_.attempt):
            pair = tuple(int(leaf(key).removeprefix("e").replace("-", "0")) for key in ("first", "second"))
            pairs.setdefault(leaf.number("board"), (pair[0], pair[1]))
    boards = {board.board: board for board in queries.tournaments.boards(tx.session, round_.id)}
    # Rounds that somebody was away in are rows of their own, written when another took his seat.
    return {number: pair for number, pair in pairs.items() if boards[number].how != "absent"}


def _rests(tx: Transaction, round_: tables.Round, number: int) -> bool:
    rows = queries.tournaments.boards(tx.session, round_.id)
    return any(row.first == number and not row.second for row in rows)


def _letters(town: Town, tx: Transaction) -> Iterator[str]:
    """Every letter went out and arrived once."""
    rows = tx.session.exec(select(tables.Outbox).order_by(col(tables.Outbox.id))).all()
    for row in rows:
        if row.state != "sent" and not row.last_text.startswith(queries.outbox.OVERTAKEN):
            yield f"a letter to {row.recipient} is {row.state}: {row.last_text}"
    sent = Counter(row.message_id.encode() for row in rows if row.state == "sent")
    came = Counter(_id_of(raw) for box in town.boxes.values() for raw in box)
    yield from (f"a letter did not arrive: {message_id.decode()}" for message_id in sent - came)
    yield from (f"a letter arrived twice: {message_id.decode()}" for message_id in came - sent)


def _told(town: Town, tx: Transaction, cup: str) -> Iterator[str]:
    """A letter of its round, or the first of its game, to each who was paired in it and sat at a table or passed it."""
    letters = {who: "\n".join(_lines_about(raw, cup) for raw in box) for who, box in town.boxes.items()}
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, cup)}
    for round_ in queries.tournaments.rounds(tx.session, cup):
        head = re.compile(rf"^(?:\[{cup}\] )?(?:Round|Ronda) {round_.number}:", re.MULTILINE)
        for number in (entrant for pair in _drawn(tx, cup, round_).values() for entrant in pair if entrant in rows):
            who = queries.persons.email_of(tx.session, rows[number].person_id) or ""
            if not head.search(letters.get(who, "")):
                yield f"e{number} was not told of {round_.name} of {cup}"


def _lines_about(raw: bytes, cup: str) -> str:
    """Return subject and text of a letter about a tournament or a game of it; nothing of others."""
    subject = str(BytesHeaderParser(policy=policy.default).parsebytes(raw)["Subject"])
    if not re.match(rf"\[{cup}[]-]", subject):
        return ""
    text = BytesParser(policy=policy.default).parsebytes(raw).get_body(("plain",))
    return f"{subject}\n{text.get_content() if text is not None else ''}"


def _id_of(raw: bytes) -> bytes:
    header = re.search(rb"^Message-ID:\s*(\S+)", raw, re.MULTILINE | re.IGNORECASE)
    return header[1] if header else b""
