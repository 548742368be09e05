"""Make a director's rulings, each with its reason, docket number and leaf.

::

    read("EXTEND R2 48h BECAUSE the server was away")     a line, or UserError
    make(tx, event, order)                                the ruling as announced, or UserError

English and Spanish words are read alike; the docket has the English ones.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import moment_in_words
from pbem.letters.ruling_records import (
    Ruling,
    RulingInProgress,
    RulingLine,
    UndoableRuling,
    finish_ruling,
    with_reason,
)
from pbem.letters.rulings import MadeRuling, Rulings, reason_sentence
from pbem.mail.address import GAME_ID, SEAT_ID
from pbem.play.rulings import ruling_lines
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import (
    appointments,
    clock_rulings,
    closing,
    corrections,
    disputes,
    entrant_rulings,
    founding,
    office_rulings,
    record,
    round_states,
    ruling_disputes,
    running,
    scoring,
    seeding,
    substitution,
    unfinished_tables,
)
from pbem.tournaments.entrant_rulings import ONE, DirectorContext, entrants_by_number, require_unlocked
from pbem.tournaments.verdicts import (
    DISPUTED,
    HOURS,
    WARN,
    WORDS,
    outcome_word,
    record_verdict,
    vote_in_language,
    votes_on,
    wrong_vote_text,
)


def _close_entries(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "open")
    yield (msg("The list of entrants is shut now."),)
    running.begin_tournament(tx, tx.event)


def _hold(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "playing")
    yield (msg("{event} is held: nothing is drawn or closed until it goes on. Games go on.", event=tx.event.id),)
    round_states.hold(tx.event, "by its director")


def _cancel(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "open", "playing", "held")
    yield (msg("{event} is cancelled; games that are played go on by themselves.", event=tx.event.id),)
    closing.cancel_tournament(tx, tx.event, msg("Its director has cancelled {event}.", event=tx.event.id))


def _forfeit(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Forfeit an entrant's or team's open games of a round; raise UserError if none."""
    event = tx.event
    entrant_rulings.require_state(event, "playing", "held")
    name, rows = entrants_by_number(tx, event, line["one"])
    round_ = entrant_rulings.round_by_number(tx, event, line["round"])
    mine = [
        (row.number, board)
        for board in scoring.open_boards(tx, round_)
        for row in rows
        if row.number in (board.first, board.second) and board.game_id
    ]
    if not mine:
        raise UserError(msg("{who} has no game in round {number} that is not over.", who=name, number=round_.number))
    yield (msg("{who} loses his games of round {number} by forfeit.", who=name, number=round_.number),)
    sides, names = founding.table_game(tx, event).sides, record.names_by_number(tx.session, event)
    for number, board in mine:
        cause = msg("{who} has lost the game by forfeit.", who=names[number])
        side = sides[0 if board.first == number else 1]
        require_unlocked(substitution.end_game_of_board(tx, board, cause, f"{scoring.FORFEIT} {side}"))


def _extend(tx: DirectorContext, line: RulingLine) -> UndoableRuling:
    entrant_rulings.require_state(tx.event, "playing", "held")
    round_ = entrant_rulings.round_by_number(tx, tx.event, line["round"])
    if round_.ends is None or round_.state not in ("drawn", "playing"):
        raise UserError(entrant_rulings.not_played_text(tx, tx.event, round_))
    before, end = round_.ends, record.later_on_tournament_clock(tx.event, round_.ends, _hours(line))
    yield (_end_text(tx, round_, end),)
    round_.ends = end
    tx.session.add(round_)
    return dumps(int((end - before).total_seconds()))


def _undo_extension(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Undo an extension: the round ends earlier by the hours it was given."""
    round_ = entrant_rulings.round_by_number(tx, tx.event, line["round"])
    if round_.ends is None or round_.state not in ("drawn", "playing"):
        raise UserError(entrant_rulings.not_played_text(tx, tx.event, round_))
    end = round_.ends - timedelta(seconds=loads(before) if before else 3600 * _hours(line))
    if end <= tx.now:
        raise UserError(msg("Round {number} would be over already: ADJUDICATE ends its games.", number=round_.number))
    yield (_end_text(tx, round_, end),)
    round_.ends = end
    tx.session.add(round_)


def _hours(line: RulingLine) -> int:
    return int(line["hours"]) if line["hours"] else 24 * int(line["days"])


def _end_text(tx: DirectorContext, round_: tables.Round, end: datetime) -> Msg:
    end_text = moment_in_words(end, tx.event.zone)
    return msg("Round {number} ends at {when} at the latest.", number=round_.number, when=end_text)


def _adjudicate(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "playing", "held")
    _, board = entrant_rulings.table_by_game(tx, tx.event, line["game"])
    halves, game = (
        corrections.half_points_of_outcome(tx, tx.event, line["side"]),
        queries.games.game(tx.session, line["game"]),
    )
    if board.state == "due":
        raise UserError(msg("{game} has not begun: it can be adjudicated once it is played.", game=line["game"]))
    if game is None or game.state == "over" or board.state not in ("playing", "disputed"):
        raise UserError(msg("{game} is over: what it counts is decided.", game=line["game"]))
    if halves == (1, 1):
        yield (msg("{game} is adjudicated as a draw.", game=line["game"]),)
    else:
        yield (msg("{game} is adjudicated to {side}.", game=line["game"], side=line["side"]),)
    require_unlocked(
        unfinished_tables.end_with_adjudication(tx, board, halves, msg("The director has adjudicated the game."))
    )


def _judge(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Decide a dispute.

    Raise UserError if there is no undecided dispute of that number.
    """
    entrant_rulings.require_state(tx.event, "playing", "held")
    row = _require_undecided(tx, int(line["number"]))
    word = outcome_word(line["word"], line["hours"])
    if row.docket is not None:
        raise UserError(
            msg(
                "D{number} is about your ruling {ruling}: a jury decides it, or UNDO {ruling} settles it.",
                number=row.number,
                ruling=row.docket,
            )
        )
    if word not in votes_on(row) and not (word.startswith(HOURS) and WARN in votes_on(row)):
        raise UserError(wrong_vote_text(row))
    if word.startswith(HOURS) and not disputes.is_game_running(tx, row):
        raise UserError(msg("The game of D{number} is over: hours of a clock count no more.", number=row.number))
    yield (disputes.outcome_text(tx, tx.event, row, word),)
    disputes.decide_dispute(tx, tx.event, row, (word, ""))


def _require_undecided(tx: DirectorContext, number: int) -> tables.Dispute:
    """Return a dispute that the director may decide, or raise UserError."""
    known = queries.tournaments.disputes(tx.session, tx.event.id)
    row = next((dispute for dispute in known if dispute.number == number), None)
    if row is not None and row.state == "final":
        raise UserError(msg("D{number} is final: CORRECT gives the game another result.", number=number))
    if row is not None and row.state == "ruled":
        raise UserError(msg("D{number} is decided: UNDO takes your ruling back until it is final.", number=number))
    if row is None:
        waiting = tuple(f"D{other.number}" for other in known if other.state in ("director", "jury"))
        raise UserError(
            msg(
                "There is no dispute D{number} to be ruled on now; there are: {disputes}.",
                number=number,
                disputes=waiting or ("-",),
            )
        )
    _require_no_appeal(row)
    return row


def _require_no_appeal(row: tables.Dispute) -> None:
    if row.appealed and row.state == "jury":
        raise UserError(msg("D{number} lies with a jury, on appeal: it decides, and finally.", number=row.number))


def _undo_judgement(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Reopen a dispute for the director, while its decision has had no effect yet."""
    known = queries.tournaments.disputes(tx.session, tx.event.id, "ruled", "jury")
    row = next((dispute for dispute in known if dispute.number == int(line["number"])), None)
    if row is not None:
        _require_no_appeal(row)
    if row is None or row.state != "ruled":
        raise UserError(msg("D{number} is final: CORRECT gives the game another result.", number=int(line["number"])))
    yield (msg("D{number} is open again, and lies with the director.", number=row.number),)
    disputes.return_to_director(tx, tx.event, row)


def _undo_hold(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "held")
    yield (msg("{event} goes on.", event=tx.event.id),)
    round_states.resume(tx.event)


def _undo(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Undo an earlier ruling.

    If that is impossible, the UserError names another way.
    """
    rows = queries.tournaments.docket(tx.session, tx.event.id)
    row = next((ruling_row for ruling_row in rows if ruling_row.number == int(line["number"])), None)
    if row is None:
        raise UserError(
            msg("There is no ruling {number}; the last is {last}.", number=int(line["number"]), last=len(rows))
        )
    ruling = LINES.ruling_of(row.line.partition(" ")[0])
    if ruling is None:
        raise UserError(msg("{line} was not ruled by the director.", line=row.line))
    if any(ruling_row.line == f"UNDO {row.number}" for ruling_row in rows):
        raise UserError(msg("Ruling {number} is taken back already.", number=row.number))
    if ruling.undo is None or isinstance(ruling.undo, Msg):
        way = ruling.undo or msg("Rule otherwise.")
        raise UserError(msg("{line} cannot be taken back. {way}", line=LINES.message_of(row.line), way=way))
    ruling_disputes.require_newest(tx, tx.event, row, ruling)
    making = ruling.undo(tx, read(f"{row.line} BECAUSE {row.reason}"), row.before)
    yield (
        msg("Ruling {number} is taken back: {text}", number=row.number, text=LINES.message_of(row.line)),
        *next(making),
    )
    finish_ruling(making)


def _redraw(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "playing", "held")
    round_ = entrant_rulings.round_by_number(tx, tx.event, line["round"])
    if round_ != queries.tournaments.rounds(tx.session, tx.event.id)[-1] or round_.state not in (
        "drawn",
        "playing",
    ):
        raise UserError(entrant_rulings.not_played_text(tx, tx.event, round_))
    boards = queries.tournaments.boards(tx.session, round_.id)
    if any(board.second and board.state not in ("due", "playing") for board in boards):
        raise UserError(msg("A game of round {number} is over: it cannot be drawn again.", number=round_.number))
    yield (msg("Round {number} is void, its games end, and it is drawn again from a new list.", number=round_.number),)
    require_unlocked(closing.void_round(tx, tx.event, round_))


_ROUND = r"r ?(?P<round>\d{1,3})"
# The words after a ruling's verb: nothing; a round and hours; a game and its winner; a dispute and its end.
# Numbers are bounded well above those of any tournament, so that their columns hold them. A choice.
_NOTHING = re.compile("")
_LATER = re.compile(rf"{_ROUND} (?:(?P<hours>\d{{1,4}}) ?h(?:ours?|oras?)?|(?P<days>\d{{1,3}}) ?d(?:ays?|ias?)?)")
_GIVEN = re.compile(rf"(?P<game>{GAME_ID}) (?P<side>{SEAT_ID})")
_JUDGED = re.compile(rf"d ?(?P<number>\d{{1,4}}) (?:(?P<word>{'|'.join(WORDS)})|(?:hours|horas) (?P<hours>\d{{1,3}}))")
_VOTES = tuple((vote, vote_in_language(vote, "es")) for vote in (*DISPUTED, HOURS))

_GAME_OVER = msg("The game is over: CORRECT gives it another result, REOPEN has it played on.")
_SHUT = msg("ADMIT lets in who comes later.")
_CANCELLED = msg("What is cancelled does not go on.")
_REDRAWN = msg("Its games are over: REDRAW draws the round once more.")
_AGAIN = msg("The line itself makes it so once more.")

RULINGS = (
    Ruling("SHUT", "CERRAR", _close_entries, "", _NOTHING, "capitals", moves=True, undo=_SHUT),
    Ruling("HOLD", "SUSPENDER", _hold, "", _NOTHING, "capitals", undo=_undo_hold, last_counts=True),
    *clock_rulings.RULINGS,
    Ruling("CANCEL", "ANULAR", _cancel, "", _NOTHING, "capitals", moves=True, undo=_CANCELLED),
    *entrant_rulings.RULINGS,
    Ruling("FORFEIT", "PERDER", _forfeit, "9 R2", re.compile(rf"{ONE} {_ROUND}"), "capitals", often=0, undo=_GAME_OVER),
    Ruling("EXTEND", "PRORROGAR", _extend, "R2 48h", _LATER, "capitals", often=0, undo=_undo_extension),
    Ruling("ADJUDICATE", "ADJUDICAR", _adjudicate, "cup60-r2-05 spain", _GIVEN, "small", often=0, undo=_GAME_OVER),
    Ruling("RULING", "FALLO", _judge, "D4 UPHOLD", _JUDGED, "capitals", within=_VOTES, often=0, undo=_undo_judgement),
    Ruling("REDRAW", "SORTEAR", _redraw, "R3", re.compile(_ROUND), "capitals", moves=True, undo=_REDRAWN),
    *corrections.RULINGS,
    *office_rulings.RULINGS,
    *appointments.RULINGS,
    *seeding.RULINGS,
    Ruling("UNDO", "DESHACER", _undo, "7", re.compile(r"(?P<number>\d{1,5})"), "capitals", often=0, undo=_AGAIN),
)
"""All rulings of a director; a new one is a record beside its functions."""

LINES: Rulings[DirectorContext] = Rulings(RULINGS)
"""The reader of ruling lines."""
read = LINES.read_line


def docket_line(row: tables.Docket, language: str) -> str:
    """Return a docket row for directors, with its reason and what is private.

    An announcement is shown in both languages. An answer to a dispute has only the digest of its text, which says
    nothing to a reader.
    """
    word, _, rest = row.line.partition(" ")
    ruling = LINES.by_word.get(word)
    if ruling is None:
        line = row.line
    elif ruling.bilingual:
        line = f"{pick_phrase(language, word, ruling.spanish)} {rest}"
    else:
        line = RulingLine(ruling, rest).line_in(language)
    if row.reason and not row.reason.startswith("sha256:"):
        line = with_reason(line, row.reason, language)
    return line + (f" {pick_phrase(language, 'PRIVATELY', 'EN PRIVADO')} {row.private}" if row.private else "")


def read_ruling_line(tx: Transaction, event: tables.Tournament, line: str) -> RulingLine:
    """Read a line as somebody writes it, with names or numbers of players."""
    return LINES.read_written(line, partial(entrant_rulings.with_numbers, tx, event))


def make_ruling(
    tx: Transaction,
    event: tables.Tournament,
    order: RulingLine,
    by: str = "",
    notices: list[office_rulings.RulingNotice] | None = None,
    *,
    is_last: bool = True,
) -> MadeRuling:
    """Record, announce and apply a ruling; raise UserError if it is impossible.

    Its notice is added to the `notices` of its letter, which the last ruling of the letter mails before its effect:
    everybody gets one letter.

    The docket and the log have it before it is applied. In tournaments with co-directors the reason ends there with
    the author of the ruling, in brackets; `by` is the name of a co-director.
    """
    context = DirectorContext(**tx.context_fields, event=event, by=by)
    making = order.ruling.make(context, order)
    effects = next(making)
    because, private = office_rulings.public_and_private_reason(order)
    if private:
        office_rulings.require_concerned(context, order)
    concerned = office_rulings.numbers_concerned(context, order)
    author = appointments.ruling_author(tx, event, by)
    signed = f"{because} ({author})".strip() if author else because
    row = record_verdict(tx, event, ruling_lines.hide_addresses(order.text), signed)
    row.private = private
    head = msg("Ruling {number} of the director: {text}", number=row.number, text=LINES.message_of(row.line))
    sentences = (head, *effects, *([reason_sentence(signed)] if signed else []))
    notices = notices if notices is not None else []
    notices.append(office_rulings.RulingNotice(row, sentences, concerned, order.word == "RULING"))
    if is_last:
        office_rulings.mail_rulings(context, notices)
    row.before = finish_ruling(making)
    tx.session.add(row)
    if event.state in round_states.LIVE:
        event.wake = tx.now
    tx.session.add(event)
    tx.session.flush()
    return MadeRuling(str(row.number), sentences)
