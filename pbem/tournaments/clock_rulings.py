"""Make rulings about clocks: PAUSE stops them until a day, RESUME starts them.

::

    PAUSE UNTIL 2031-01-06 BECAUSE the holidays             all that has a deadline
    PAUSE R3 UNTIL 2031-01-06 20:00 BECAUSE ...             round 3
    PAUSE cup60-r3-02 UNTIL 2031-01-06 BECAUSE ...          one table
    RESUME cup60-r3-02 BECAUSE ...                          before its time; without a name also after HOLD

A day without an hour means the end of that day, in the zone of the tournament.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine
from pbem.play.rulings.ruling_context import parse_moment
from pbem.runtime import stopped_time
from pbem.runtime.transaction import UserError
from pbem.store import queries
from pbem.tournaments import clocks, entrant_rulings, round_states
from pbem.tournaments.clocks import Change, ClockScope
from pbem.tournaments.entrant_rulings import DirectorContext, require_unlocked


def _pause(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "playing", "held")
    scope, until = _scope(tx, line["scope"]), _end_of_pause(tx, line["day"], line["hour"])
    change = clocks.stop_until(until, tx.now)
    if change(scope.stopped_spans) == scope.stopped_spans:
        last = stopped_time.end_of_stop(tx.now, scope.stopped_spans)
        raise UserError(msg("No deadline runs until {when} as it is.", when=moment_in_words(last, tx.event.zone)))
    yield (
        msg("No deadline of {what} runs until {when}.", what=_name(scope), when=moment_in_words(until, tx.event.zone)),
        msg("Each that runs now is put off by as long. What you send counts as always, and nobody has to send it."),
        *_end_lines(tx, scope, change),
    )
    require_unlocked(clocks.lock_games(tx, scope))
    clocks.change_clocks(tx, scope, change)


def _resume(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Let a held tournament go on, or clocks run again before their time."""
    event = tx.event
    if event.state == "held" and not line["scope"]:
        yield (msg("{event} goes on.", event=event.id),)
        round_states.resume(event)
        return
    yield from _run_again(tx, line)


def _run_again(tx: DirectorContext, line: RulingLine, until: datetime | None = None) -> RulingInProgress:
    """Let clocks run again now, or at the end of another pause that still stands."""
    event = tx.event
    entrant_rulings.require_state(event, "playing", "held")
    scope, change = _scope(tx, line["scope"]), clocks.end_stop_now(tx.now)
    if not clocks.is_stopped(scope, tx.now):
        raise UserError(msg("The deadlines of {what} run: there is nothing to resume.", what=_name(scope)))
    sentence = msg("The deadlines of {what} run again.", what=_name(scope))
    if until is not None:
        change = clocks.end_stop_at(until, tx.now)
        sentence = msg(
            "No deadline of {what} runs until {when}: another pause stands.",
            what=_name(scope),
            when=moment_in_words(until, event.zone),
        )
    yield sentence, *_end_lines(tx, scope, change)
    require_unlocked(clocks.lock_games(tx, scope))
    clocks.change_clocks(tx, scope, change)
    clocks.resume_held_games(tx, scope)


def _undo_pause(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Let clocks run again that a pause stopped, unless another stops them."""
    yield from _run_again(tx, line, _end_of_other_pauses(tx, line))


def _end_of_other_pauses(tx: DirectorContext, line: RulingLine) -> datetime | None:
    """Return until when pauses other than one stop its clocks; None if none does.

    Those count that were neither taken back nor resumed, and are about the same clocks or more.
    """
    rows = queries.tournaments.docket(tx.session, tx.event.id)
    undone, own, ends = {row.line for row in rows}, _scope_word(line["scope"]), dict[int, tuple[str, datetime]]()
    is_left_out = False
    for row in rows:
        word, _, rest = row.line.lower().partition(" ")
        pause = _UNTIL.fullmatch(rest) if word == "pause" and f"UNDO {row.number}" not in undone else None
        if word == "resume":
            ends = {number: other for number, other in ends.items() if not _covers(_scope_word(rest), other[0])}
        elif row.line == line.text and not is_left_out:
            is_left_out = True
        elif pause is not None:
            ends[row.number] = _scope_word(pause["scope"]), _moment(tx, pause["day"], pause["hour"])
    return max((end for scope, end in ends.values() if _covers(scope, own) and end > tx.now), default=None)


def _scope_word(word: str | None) -> str:
    """Return a word of a scope in one form: empty for all, ``r3``, a table."""
    plain = (word or "").replace(" ", "").lower()
    return "" if plain in ("all", "todas") else plain


def _covers(scope: str, part: str) -> bool:
    return scope in ("", part) or f"-{scope}-" in part


def _scope(tx: DirectorContext, word: str) -> ClockScope:
    """Return the clocks that a word names: all, those of a round, or of a table."""
    if word in ("", "all"):
        return clocks.scope_of_all(tx, tx.event)
    number = re.fullmatch(r"r ?(\d+)", word)
    if number is not None:
        round_ = entrant_rulings.round_by_number(tx, tx.event, number[1])
        if round_.state != "playing":
            raise UserError(entrant_rulings.not_played_text(tx, tx.event, round_))
        return ClockScope(tx.event, [round_], clocks.boards_in_play(tx, round_))
    round_, board = entrant_rulings.table_by_game(tx, tx.event, word)
    game = queries.games.game(tx.session, word)
    if game is None or game.state == "over":
        raise UserError(msg("{game} is over: it has no deadline any more.", game=word))
    return ClockScope(tx.event, [round_], [(board, game)], table=True)


def _name(scope: ClockScope) -> Msg:
    if scope.everything:
        return msg("{event}", event=scope.event.id)
    if scope.table:
        return msg("{game}", game=scope.boards[0][1].id)
    return msg("round {number}", number=scope.rounds[0].number)


def moment_named_in_ruling(tx: DirectorContext, day: str, hour: str) -> datetime:
    """Return the moment that a ruling names; a day means the end of the day.

    Raise UserError if it is past.
    """
    until = _moment(tx, day, hour)
    if until <= tx.now:
        raise UserError(msg("{when} is past.", when=moment_in_words(until, tx.event.zone)))
    return until


def _moment(tx: DirectorContext, day: str, hour: str | None) -> datetime:
    zone = tx.event.zone
    try:
        until = parse_moment(f"{day} {hour or '00:00'}", zone)
    except ValueError as fault:
        raise UserError(msg("Name one day, as {line}.", line="UNTIL 2031-01-06")) from fault
    return until if hour else (until.astimezone(ZoneInfo(zone)) + timedelta(days=1)).astimezone(UTC)


def _end_of_pause(tx: DirectorContext, day: str, hour: str) -> datetime:
    """Return the end of a pause; raise UserError if it would be too long."""
    until, zone, limits = moment_named_in_ruling(tx, day, hour), tx.event.zone, tx.server.settings.limits
    if until > tx.now + timedelta(days=limits.deadline_days):
        latest = moment_in_words(tx.now + timedelta(days=limits.deadline_days), zone)
        raise UserError(
            msg(
                "A pause is of {days} at most, until {when} now.",
                days=content.days_in_words(limits.deadline_days),
                when=latest,
            )
        )
    return until


def _end_lines(tx: DirectorContext, scope: ClockScope, change: Change) -> list[Msg]:
    """Return the new latest ends of rounds."""
    lines = []
    for round_ in scope.rounds:
        end = clocks.end_after(scope, round_, change, tx.now)
        if end is not None and end != round_.ends:
            end_text = moment_in_words(end, tx.event.zone)
            lines.append(msg("Round {number} ends at {when} at the latest.", number=round_.number, when=end_text))
    return lines


_SCOPE = r"(?P<scope>all|todas|r ?\d{1,3}|[a-z0-9-]{4,20})"
"""All, a round, or a table; a ruling without it is about all. A word of fewer than four characters names no table: it
is a slip of ALL or R3, which is answered with the form."""
_UNTIL = re.compile(rf"(?:{_SCOPE} )?(?:until|hasta) (?P<day>{content.DAY_PATTERN})(?: (?P<hour>\d{{1,2}}:\d\d))?")
_WORDS = (("UNTIL", "HASTA"), ("ALL", "TODAS"))

RULINGS = (
    Ruling("PAUSE", "PAUSAR", _pause, "R3 UNTIL 2031-01-06", _UNTIL, "small", within=_WORDS, often=0, undo=_undo_pause),
    Ruling(
        "RESUME",
        "REANUDAR",
        _resume,
        "R3",
        re.compile(rf"{_SCOPE}?"),
        "small",
        within=_WORDS[1:],
        often=0,
        undo=msg("PAUSE stops the clocks again, HOLD draws and closings."),
    ),
)
