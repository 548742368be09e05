"""Correct decisions: results, resumed games, the list's closing, rulings.

::

    CORRECT cup60-r1-02 spain BECAUSE ...         another result, also of a closed round
    REOPEN cup60-r1-02 T3.spain BECAUSE ...       a game is played on from a phase
    ENTRIES UNTIL 2030-03-08 BECAUSE ...          the list of entrants closes at another time
    UNDO 7 BECAUSE ...                            ruling 7 is taken back (`rulings`)

The preview of a ruling tells what changes in the standings and in rounds that are drawn already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.languages import in_each_language
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine, UndoableRuling
from pbem.mail.address import GAME_ID, SEAT_ID
from pbem.play.rulings import ruling_lines
from pbem.play.rulings.ruling_context import context_of
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import clock_rulings, entrant_rulings, founding, record, round_states, sheets, standings
from pbem.tournaments.arithmetic.standings import StandingsTable
from pbem.tournaments.entrant_rulings import DirectorContext
from pbem.tournaments.scoring import ADJUDICATED


def half_points_of_outcome(tx: Transaction, event: tables.Tournament, side: str) -> tuple[int, int]:
    """Return the half points of a side's win or a draw; raise UserError otherwise."""
    sides = founding.table_game(tx, event).sides
    if side not in (*sides, "draw", "tablas"):
        raise UserError(msg("A game is given to one of {sides}, or is a draw.", sides=sides))
    return (2, 0) if side == sides[0] else (0, 2) if side == sides[1] else (1, 1)


def _correct(tx: DirectorContext, line: RulingLine) -> UndoableRuling:
    event = tx.event
    entrant_rulings.require_state(event, "playing", "held")
    round_, board = entrant_rulings.table_by_game(tx, event, line["game"])
    halves = half_points_of_outcome(tx, event, line["side"])
    if board.state == "disputed":
        raise UserError(msg("{game} is disputed: RULING decides the dispute.", game=line["game"]))
    if board.state not in round_states.DECIDED:
        raise UserError(
            msg("{game} is not over: ADJUDICATE {game} {side} ends it.", game=line["game"], side=line["side"])
        )
    if (board.first_halves, board.second_halves) == halves:
        raise UserError(msg("{game} counts so already.", game=line["game"]))
    result = _result_text(line["game"], board, halves)
    yield result, *_consequences(tx, event, round_, board, halves)
    before = board.adjudged
    round_states.adjudge_table(board, halves)
    tx.session.add(board)
    tx.session.flush()
    return before


def _undo_correction(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Restore a table's result from before a correction.

    It is the result of the game, or of the first adjudication.
    """
    entrant_rulings.require_state(tx.event, "playing", "held")
    round_, board = entrant_rulings.table_by_game(tx, tx.event, line["game"])
    if board.state not in round_states.DECIDED:
        raise UserError(msg("The result of {game} is open again: CORRECT once it is decided.", game=line["game"]))
    yield msg("{game} counts again what it did before.", game=line["game"]), *_later_rounds(tx, tx.event, round_)
    round_states.restore_result(board, before)
    tx.session.add(board)
    tx.session.flush()


def _result_text(game: str, board: tables.Board, halves: tuple[int, int]) -> Msg:
    return msg(
        "{game} counts {points} now, and not {before}.",
        game=game,
        points=_score_text(*halves),
        before=_score_text(board.first_halves, board.second_halves),
    )


def _score_text(first: int, second: int) -> Msg:
    return msg("{first}:{second}", first=_figure(first), second=_figure(second))


def _figure(halves: int) -> Msg:
    return in_each_language(partial(sheets.points_figure, halves))


def _points(halves: int) -> Msg:
    return in_each_language(partial(sheets.points_text, halves))


def _consequences(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, board: tables.Board, halves: tuple[int, int]
) -> list[Msg]:
    """Return whose rank a correction changes, and what was drawn already."""
    before, went_on = standings.current_table(tx, event, round_.stage), _winners(tx, event, round_)
    attempt = tx.session.begin_nested()
    board.first_halves, board.second_halves = halves
    board.how = ADJUDICATED
    tx.session.add(board)
    tx.session.flush()
    after, go_on = standings.current_table(tx, event, round_.stage), _winners(tx, event, round_)
    attempt.rollback()
    names = record.names_by_number(tx.session, event)
    lines = [*_rank_lines(before, after, names), *_later_rounds(tx, event, round_)]
    drawn = [later for later in _later_in_stage(tx, event, round_) if later.state in ("drawn", "playing", "closed")]
    if drawn and go_on != went_on:
        lines.append(
            msg(
                "By the new result {who} goes on, and not {other}, who was drawn in round {number}. Unless that round "
                "is drawn again nobody goes on from his game there, whoever wins it, and its place in the next round "
                "stays empty.",
                who=tuple(names[number] for number in sorted(go_on - went_on)) or "-",
                other=tuple(names[number] for number in sorted(went_on - go_on)) or "-",
                number=drawn[0].number,
            )
        )
    if board.rated:
        lines.append(msg("Ratings that were counted from the first result stay [E9]."))
    return lines


def _winners(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> frozenset[int]:
    """E3.10 Return who goes on after a round of a knockout; nobody in other formats.

    Of ties of several games those that a later draw closed are left to it.
    """
    levels = standings.knockout_levels(tx, event, round_.stage, round_.within)
    return frozenset(tie.winner for level in levels for tie in level.ties if tie.rule == "E3.3" and tie.winner)


def _later_in_stage(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> list[tables.Round]:
    rounds = queries.tournaments.rounds(tx.session, event.id)
    return [later for later in rounds if later.number > round_.number and later.stage == round_.stage]


def _rank_lines(before: StandingsTable, after: StandingsTable, names: dict[int, str]) -> Iterator[Msg]:
    earlier = {row.number: row for row in before.rows}
    for row in after.rows:
        old = earlier[row.number]
        if (old.rank, old.tally.halves) != (row.rank, row.tally.halves):
            yield msg(
                "{who}: rank {rank} with {points}, before {old} with {earlier}.",
                who=names[row.number],
                rank=row.rank,
                points=_points(row.tally.halves),
                old=old.rank,
                earlier=_points(old.tally.halves),
            )


def _later_rounds(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, *, is_open: bool = False
) -> Iterator[Msg]:
    """Yield what happens to later rounds after a changed result.

    The new one of a game that is open again may come too late for them.
    """
    for later in queries.tournaments.rounds(tx.session, event.id):
        if later.number <= round_.number or later.state == "void":
            continue
        if later.state in ("planned", "shut") and is_open:
            yield msg(
                "Round {number} is not drawn yet: it is paired by the new end if the game is over by then, else by "
                "what it counted.",
                number=later.number,
            )
        elif later.state in ("planned", "shut"):
            yield msg("Round {number} is not drawn yet: it is paired by the new result.", number=later.number)
        elif all(board.state in ("due", "playing") for board in _games_of(tx, later)):
            yield msg(
                "Round {number} was paired by the old result, and stands, unless REDRAW R{number} draws it again.",
                number=later.number,
            )
        else:
            yield msg("Round {number} was paired by the old result, and stands.", number=later.number)


def _games_of(tx: Transaction, round_: tables.Round) -> list[tables.Board]:
    return [board for board in queries.tournaments.boards(tx.session, round_.id) if board.second]


def _reopen(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Have a game of any round played on, by the moderator's ruling REOPEN."""
    entrant_rulings.require_state(tx.event, "playing", "held")
    round_, board = entrant_rulings.table_by_game(tx, tx.event, line["game"])
    if board.state == "disputed":
        raise UserError(msg("{game} is disputed: RULING decides the dispute.", game=line["game"]))
    game_line = ruling_lines.read_line(f"REOPEN {line['phase']} BECAUSE {line.because or '-'}")
    context = context_of(tx, line["game"])
    making = game_line.ruling.make(context, game_line)
    yield (
        *next(making),
        msg("What {game} counted counts no more; its new end does.", game=line["game"]),
        *_later_rounds(tx, tx.event, round_, is_open=True),
    )
    ruling_lines.make_ruling(tx, line["game"], game_line)


def _entries(tx: DirectorContext, line: RulingLine) -> UndoableRuling:
    """Close the list of entrants at another time."""
    event = tx.event
    entrant_rulings.require_state(event, "open")
    until = clock_rulings.moment_named_in_ruling(tx, line["day"], line["hour"])
    yield (msg("The list of entrants shuts on {when}, by itself.", when=moment_in_words(until, event.zone)),)
    before = event.closes.isoformat() if event.closes is not None else ""
    event.closes = until
    return dumps(before)


def _undo_entries(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    event = tx.event
    entrant_rulings.require_state(event, "open")
    text = loads(before)
    closes = datetime.fromisoformat(text) if text else None
    shuts = closes or record.closing_by_rules(record.rules_of(event))
    if shuts is not None and shuts <= tx.now:
        raise UserError(msg("The list would have shut already: SHUT closes it now."))
    manual_text = msg("The list of entrants shuts when its director says so.")
    yield (
        msg("The list of entrants shuts on {when}, by itself.", when=moment_in_words(shuts, event.zone))
        if shuts
        else manual_text,
    )
    event.closes = closes


_GAME = rf"(?P<game>{GAME_ID})"
_UNTIL = re.compile(rf"(?:until|hasta) (?P<day>{content.DAY_PATTERN})(?: (?P<hour>\d{{1,2}}:\d\d))?")

RULINGS = (
    Ruling(
        "CORRECT",
        "CORREGIR",
        _correct,
        "cup60-r1-02 spain",
        re.compile(rf"{_GAME} (?P<side>{SEAT_ID})"),
        "small",
        often=0,
        undo=_undo_correction,
        last_counts=True,
    ),
    Ruling(
        "REOPEN",
        "REABRIR",
        _reopen,
        "cup60-r1-02 T3.spain",
        # The lengths are those of games and phases; ~2 is the second attempt at a phase.
        re.compile(rf"{_GAME} (?P<phase>t\d{{1,4}}\.[a-z0-9-]{{1,20}}(?:~\d+)?)"),
        "small",
        often=0,
        moves=True,
        undo=msg("ADJUDICATE ends the game again."),
    ),
    Ruling(
        "ENTRIES",
        "INSCRIPCION",
        _entries,
        "UNTIL 2030-03-08",
        _UNTIL,
        "small",
        within=(("UNTIL", "HASTA"),),
        undo=_undo_entries,
        last_counts=True,
    ),
)
