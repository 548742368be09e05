"""What is compared at the end: letters with answers, games with their log, the last weeks with the first."""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter
from collections.abc import Iterator

from sqlmodel import col, select

from pbem.cli import letter_checks, verify
from pbem.cli.rulebooks import game_by_name, games
from pbem.log import log_check
from pbem.play.replay import replay
from pbem.runtime.transaction import Server
from pbem.store import queries, tables
from pbem.verifier.record import FALSE
from pbem.verifier.verification import Reader
from pbem.wars.replay import replay_war
from tests.audit import standalone
from tests.audit.checked import items
from tests.soak.service import opened
from tests.soak.year import SHORT, Measured, Year
from tests.tournaments.seeds.promises import false_proofs

_SILENT = frozenset({"silent", "over-budget", "automatic"})
"""Outcomes of letters that need no answer: copies, strangers above the day's limit, what a machine wrote."""
_GROWS = 1.2
_FLAT, _EACH_LETTER = 0.05, 0.25
"""What memory may grow by in the last third: a share, and, of one type, objects for each letter."""
_OF_LETTERS = re.compile(r"pbem\.(?!games|engine|maps)")
_REPLAYED, _VERIFIED = 40, 8


def compare(year: Year) -> Iterator[str]:
    """What is wrong; nothing if all is well."""
    yield from year.troubles
    with opened(year.config) as (_, server, _):
        yield from _letters(year, server)
        yield from _games(server)
        yield from (f"the log: {wrong}" for wrong in log_check.check(server).wrong)
        yield from _replayed(server)
        yield from _proofs(year, server)
    yield from _queries(year.measured)
    yield from _said(year)
    yield from _memory(year.measured, year.plan.weeks < SHORT)


def _letters(year: Year, server: Server) -> Iterator[str]:
    """Every letter was taken in and answered, every answer sent and delivered, and nothing waits."""
    with server.session() as session:
        inbox = {
            row.message_id: row for row in session.exec(select(tables.Inbox).where(col(tables.Inbox.copy_of).is_(None)))
        }
        outbox = list(session.exec(select(tables.Outbox)))
    answered = {row.in_reply_to for row in outbox if row.in_reply_to}
    for name, kind in year.town.written.items():
        row = inbox.get(name)
        if row is None:
            yield f"lost: {name} was never taken in"
        elif name not in answered and kind != "dsn" and row.outcome not in _SILENT:
            yield f"{name} ({row.verdict}, {row.outcome}) was never answered"
    for letter in outbox:
        if letter.state == "queued":
            yield f"{letter.message_id} to {letter.recipient} still waits"
        ours = letter.message_id not in year.sent_before and letter.recipient in year.delivers_to
        if letter.state == "sent" and ours and not year.town.delivered[letter.message_id]:
            yield f"lost: {letter.message_id} to {letter.recipient} did not arrive"
    if year.mailbox["INBOX"] or year.mailbox["Poison"]:
        yield f"letters lie in the mailbox: {year.mailbox}"
    twice = sum(number > 1 for number in year.town.delivered.values())
    if twice > 5 * year.happened["kills"]:
        yield f"{twice} letters came more than once, after {year.happened['kills']} kills"


def _games(server: Server) -> Iterator[str]:
    """A game is over, or waits for a moment that is to come, or for its moderator."""
    with server.reading() as tx:
        due = {row.game_id for row in tx.session.exec(select(tables.Due).where(col(tables.Due.at) > tx.now))}
        for game in queries.games.all_games(tx.session):
            if game.state == "running" and game.id not in due:
                yield f"{game.id} runs, and nothing will happen in it"
            # Whom else a game waits for says so in words; a fault is told by the name of its exception.
            if game.state == "held" and "Error" in game.held_why:
                yield f"{game.id} is held: {game.held_why}"
        for event in tx.session.exec(select(tables.Tournament)):
            if event.held_why or (event.wake is not None and event.wake < tx.now):
                yield f"{event.id} is {event.state} and stands still: {event.held_why}"


def _replayed(server: Server) -> Iterator[str]:
    """Every event of a sample comes out by its letters as it did."""
    with server.reading() as tx:
        phases = tx.session.exec(select(tables.Phase.game_id).where(col(tables.Phase.state) == "resolved"))
        played = sorted(set(phases))
        for name in played[:: max(1, len(played) // _REPLAYED)]:
            if (difference := replay(tx, name).difference) is not None:
                yield f"{name} replays otherwise: {difference}"
        for war in sorted(tx.session.exec(select(tables.War.id))):
            yield from (
                f"{name} replays otherwise" for name, done in replay_war(tx, war) if done.difference is not None
            )


def _proofs(year: Year, server: Server) -> Iterator[str]:
    """Letters of finished games and tournaments prove what they say, by the program and by verify.py."""
    with server.reading() as tx:
        over = {game.id for game in queries.games.all_games(tx.session) if game.state == "over"}
        cups = set(tx.session.exec(select(tables.Tournament.id).where(tables.Tournament.state == "over")))
    kept = [letters for (game, _), letters in sorted(year.town.kept.items()) if game in over]
    year.happened["games verified"] = len(kept[:_VERIFIED])
    for letters in kept[:_VERIFIED]:
        read = [item for number, raw in enumerate(letters) for item in items(str(number), raw)]
        books = letter_checks.Rulebooks(game_by_name, games())
        verdict = letter_checks.verify_items(read, Reader(None, (), 1), verify.FAST, books)
        yield from (f"{line.check}: {line.why}" for line in verdict.lines if line.status == FALSE)
        yield from (f"verify.py: {check}" for check, status in standalone.statuses(read).items() if status == FALSE)

    # Of the cup of 1.0.0 the first letters are not here.
    for cup in sorted(cups & year.town.cups.keys() - {"cup60"}):
        writers = (writer.part.address for writer in year.town.cups[cup].writers)
        who = max(writers, key=lambda address: len(year.town.boxes[address]))
        yield from (f"{who}, {cup}: {fault}" for fault in false_proofs(year.town, cup, who))  # type: ignore[arg-type]
        year.happened["tournaments verified"] += 1


def _memory(rows: list[Measured], short: bool) -> Iterator[str]:
    """The last third is flat: what the process holds, its objects by their types, its descriptors.

    Bounded caches are emptied before each of its measurements. In a short run memory still fills with what rules and
    libraries keep: only what letters leave is looked at.
    """
    before, after = rows[-max(3, len(rows) // 3)], rows[-1]
    letters = after.letters[0] - before.letters[0]
    if after.rss > before.rss * (1 + _FLAT) and not short:
        yield f"memory grew from {before.rss >> 10} to {after.rss >> 10} MB in the last third"
    for name, number in after.types.items():
        if short and not _OF_LETTERS.match(name):
            continue
        grown = number - before.types[name]
        if grown > max(_FLAT * before.types[name], _EACH_LETTER * letters, 20):
            yield f"objects of {name} grew from {before.types[name]} to {number} with {letters} letters"
    if after.descriptors > before.descriptors + 4:
        yield f"descriptors grew from {before.descriptors} to {after.descriptors}"


def _queries(rows: list[Measured]) -> Iterator[str]:
    """A letter, a closing, its letters and an idle turn cost what they did at first."""
    for act in rows[0].costs:
        for place, what in enumerate(("statements", "steps of SQLite")):
            first, last = (statistics.median(row.costs[act][place] for row in part) for part in (rows[:3], rows[-3:]))
            if last > _GROWS * first + 5:
                yield f"{what} of {act} grew from {first:.0f} to {last:.0f}"


def _said(year: Year) -> Iterator[str]:
    """What the server wrote into its own log that is worse than a warning."""
    seen = Counter[str]()
    for line in year.log.read_text("utf-8").splitlines():
        entry = json.loads(line) if line.startswith("{") else {"event": line, "level": "critical"}
        if entry.get("level") in ("error", "critical") and entry["event"] != "trouble begun":
            seen[str(entry["event"])] += 1
    yield from (f"the server said {times} times: {event}" for event, times in seen.items())
