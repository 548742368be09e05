"""E6 Create and begin the tables of a round, which are ordinary games.

Their first letters say whom each player meets, and why.

The name of a game follows from its round and board alone, so that after an interruption no game is created twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import msg
from pbem.letters.content import moment_in_words
from pbem.play.commands.table import founding as games
from pbem.play.commands.table.founding import NewGame
from pbem.play.seating import KEEP_ADDRESS, Invitation, give_seat
from pbem.runtime.stopped_time import deadline_of, read_spans
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import (
    bidding,
    calendars,
    choosing,
    founding,
    post,
    record,
    round_states,
    sheets,
    standings,
    teams,
)
from pbem.tournaments.arithmetic.entrants import BYE
from pbem.tournaments.arithmetic.rules.records import TournamentRules
from pbem.tournaments.draw import has_questions, shared_dice_name, table_name
from pbem.tournaments.founding import DUPLICATE, TableGame

BOARDS_AT_ONCE = 20
"""Boards whose games are created, or begun, in one transaction: a round of a thousand would hold up all other
writers."""


class _RoundSetup(NamedTuple):
    """A round whose games are created: game, rules, entrants, names and boards.

    `finalists` are the numbers of those who play for the first place of a knockout.
    """

    event: tables.Tournament
    round: tables.Round
    rules: TournamentRules
    here: TableGame
    rows: dict[int, tables.Entrant]
    names: dict[int, str]
    boards: Sequence[tables.Board]
    finalists: tuple[int, ...]


def create_games(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    """Create the next boards' games and write to their players; return if any."""
    boards = queries.tournaments.boards(tx.session, round_.id)
    waiting = [board for board in boards if _needs_game(board)]
    if _has_questions(event, round_):
        settled = {board.board for board in waiting if bidding.can_settle_sides(tx, round_, board)}
        waiting = [board for board in waiting if board.board in settled]
    if not waiting:
        return False
    opening = _setup(tx, event, round_, boards)
    for index, (_, legs) in enumerate(groupby(waiting, key=attrgetter("board"))):
        if index == BOARDS_AT_ONCE:
            break
        _create_board_games(tx, opening, list(legs))
    return True


def _setup(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, boards: Sequence[tables.Board]
) -> _RoundSetup:
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    names = record.names_by_number(tx.session, event)
    setup = founding.table_game(tx, event, record.battle_of(event, round_))
    levels = standings.knockout_levels(tx, event, round_.stage, round_.within - 1)
    ties = [tie for tie in levels[-1].ties if tie.rule == "E3.3"] if levels else []
    finalists = ties[0].couple if len(ties) == 1 and not record.boards_per_match(event) else ()
    return _RoundSetup(event, round_, record.rules_of(event), setup, rows, names, boards, finalists)


def _needs_game(board: tables.Board) -> bool:
    return board.state == "due" and board.game_id is None and bool(board.second)


def _create_board_games(tx: Transaction, opening: _RoundSetup, legs: Sequence[tables.Board]) -> None:
    """Create the game or the two games of a board."""
    event, round_ = opening.event, opening.round
    scenario = record.battle_of(event, round_)
    settled_lines = bidding.award_board_sides(tx, event, round_, legs[0]) if _is_bid_for(opening) else ()
    if choosing.is_asked(opening.rules.stage[round_.stage - 1], round_):
        scenario, settled_lines = choosing.settle_battle(tx, event, round_, legs)
        opening = opening._replace(here=founding.table_game(tx, event, scenario))
    for board in legs:
        name = table_name(event.id, round_, board.board, board.leg)
        terms = founding.terms_of(opening.rules, event.phases, name)
        stage = opening.rules.stage[round_.stage - 1]
        if founding.has_shared_dice(stage):
            is_duplicate = stage.sides == DUPLICATE
            dice_name = (
                shared_dice_name(event.id, round_) if is_duplicate else table_name(event.id, round_, board.board)
            )
            terms = founding.board_terms(terms, dice_name)
        pace = founding.pace_of(opening.rules)
        new_game = NewGame(name, event.system, scenario, pace=pace, terms=terms, edition=opening.here.edition)
        games.new_game(tx, new_game)
        tx.session.get_one(tables.Game, name).stopped = event.stopped
        board.game_id = name
        tx.session.add(board)
        tx.session.flush()
        for side, number in enumerate((board.first, board.second)):
            _invite(tx, name, opening.here.seat_of(side), opening.rows[number])
    if not _has_questions(event, round_):
        return
    for number in (legs[0].first, legs[0].second):
        letter = _letter(tx, opening, legs, number)
        letter = letter._replace(opening=(*letter.opening, *settled_lines))
        post.mail_entrant(tx, event, opening.rows[number], letter, _pairing_cause(round_))


def _pairing_cause(round_: tables.Round) -> str:
    return f"{round_.name} {round_.attempt} pairing"


def _tell_pairing(tx: Transaction, opening: _RoundSetup, board: tables.Board) -> None:
    """Write to the players of a game that begins whom they meet, in its first letter.

    Where they bid for sides or choose battles, and in rounds drawn by 1.0.0, they were told before. On a mirrored
    board the letter of the first game tells of both.
    """
    legs = [other for other in opening.boards if other.board == board.board]
    if legs[0].id != board.id or _has_questions(opening.event, opening.round):
        return
    cause = _pairing_cause(opening.round)
    for side, number in enumerate((board.first, board.second)):
        row, seat = opening.rows[number], queries.games.seat(tx.session, str(board.game_id), opening.here.seat_of(side))
        letter = _letter(tx, opening, legs, number)
        # Who has the seat in place of an entrant who left has a letter of his own.
        is_his = seat is not None and seat.person_id == row.person_id
        if is_his and not post.was_mailed(tx, opening.event, row, letter, cause):
            joined = letter._replace(opening=(msg("{title}.", title=letter.about), *letter.opening))
            post.join_or_mail(tx, opening.event, row, joined, cause, str(board.game_id))


def _has_questions(event: tables.Tournament, round_: tables.Round) -> bool:
    """Return whether players bid for sides or choose battles after the draw."""
    return has_questions(record.stage_of(event, round_.stage), round_.within)


def _is_bid_for(opening: _RoundSetup) -> bool:
    return record.stage_of(opening.event, opening.round.stage).sides == "bid"


def _invite(tx: Transaction, game: str, seat: str, row: tables.Entrant) -> None:
    email = queries.persons.email_of(tx.session, row.person_id)
    if email is not None:
        give_seat(tx, Invitation(game, seat, email, language=row.language, zone=row.zone))


def _letter(tx: Transaction, opening: _RoundSetup, legs: Sequence[tables.Board], number: int) -> post.LetterContent:
    """Return an entrant's letter of the round, with games, deadline and reasons."""
    round_, setup, names = opening.round, opening.here, opening.names
    row, board = opening.rows[number], legs[0]
    opponent = board.second if number == board.first else board.first
    of_teams = bool(record.boards_per_match(opening.event))
    sentences = teams.match_text(opening.event, round_, board, names) if of_teams else []
    if number in opening.finalists:
        sentences.append(msg("This is the final."))
    sentences.append(msg("Your opponent is {who}.", who=names[opponent]))
    for leg in legs:
        own_side = setup.sides[0 if number == leg.first else 1]
        seat = queries.games.seat(tx.session, str(leg.game_id), setup.seat_of(0 if number == leg.first else 1))
        sentences.append(
            msg(
                "At {game} you play {side}. Its letters go to {address}.",
                game=leg.game_id,
                side=setup.rules.telling.side(own_side),
                address=tx.server.seat_address(seat) if seat is not None else "-",
            )
        )
    sentences += record.battle_lines(opening.event, round_)
    sentences.append(KEEP_ADDRESS)
    if round_.starts is not None and round_.ends is not None:
        pace = founding.pace_of(opening.rules)
        pace = pace.past(founding.deadline_minute_of_table(str(board.game_id)))
        first = deadline_of(pace, round_.starts, read_spans(opening.event.stopped))
        sentences.append(
            msg(
                "The first orders are wanted by {when}; the round ends at {end} at the latest.",
                when=moment_in_words(first, row.zone),
                end=moment_in_words(round_.ends, row.zone),
            )
        )
    side = setup.rules.telling.side(setup.sides[0 if number == board.first else 1])
    about = msg("Round {number}: you play {side}", number=round_.number, side=side)
    if len(legs) > 1:
        about = msg("Round {number}: you play both sides", number=round_.number)
    dates = calendars.calendar_block(tx, opening.event, round_, row.language)
    if of_teams:
        match = teams.MatchView(opening.event, round_, opening.boards, names)
        return post.LetterContent(about, sentences, (*match.blocks(board, row.language), dates))
    reasons = teams.match_reasons_block(round_, board.board, names, row.language)
    return post.LetterContent(about, sentences, (reasons, dates))


def begin_games(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    """Begin the next created games; return whether there were any."""
    boards = queries.tournaments.boards(tx.session, round_.id)
    waiting = [board for board in boards if board.state == "due" and board.game_id is not None][:BOARDS_AT_ONCE]
    if not waiting:
        return False
    opening = _setup(tx, event, round_, boards)
    for board in waiting:
        game = queries.games.game(tx.session, str(board.game_id))
        if game is not None and game.state == "forming":
            games.begin_game(tx, game, ())
            _tell_pairing(tx, opening, board)
        round_states.start_table(board)
        tx.session.add(board)
    tx.session.flush()
    return True


def notify_without_game(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Write to entrants with a bye or rest, and to those without a board."""
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    if record.boards_per_match(event):
        teams.notify_members(tx, event, round_)
        return
    names, boards = record.names_by_number(tx.session, event), queries.tournaments.boards(tx.session, round_.id)
    cause = _pairing_cause(round_)
    for board in boards:
        if board.second:
            continue
        row = rows[board.first]
        points = sheets.points_text(board.first_halves, row.language)
        sentence, blocks = msg("You rest this round: it is worth {points}.", points=points), list[Json]()
        if board.how == BYE:
            sentence = msg("You have a bye in this round: it counts as won.")
            blocks = [teams.match_reasons_block(round_, board.board, names, row.language)]
        about = msg("Round {number}: you have no game", number=round_.number)
        post.mail_entrant(tx, event, row, post.LetterContent(about, (sentence,), blocks), cause)
    seated = {number for board in boards for number in (board.first, board.second)}
    sentence = msg("You have no game in round {number}.", number=round_.number)
    if record.stage_of(event, round_.stage).format in record.BRACKETS:
        sentence = msg("You have no game in round {number}: you are out of the bracket.", number=round_.number)
    level = standings.present_level(tx, event, round_.stage, round_.within - 1) if round_.within > 1 else None
    # E3.17 Where all ties were over before, the round is of the next level, and nobody waits.
    through = {tie.winner for tie in level.ties} if level is not None and not level.is_over else set()
    waits = msg(
        "You have no game in round {number}: you have won your tie, and wait for the others.", number=round_.number
    )
    for seed in record.stage_seeds(event, round_.stage):
        row = rows[seed.number]
        if seed.number not in seated and row.state == "in" and row.since <= round_.number and _has_games(boards):
            about = msg("Round {number}: no game", number=round_.number)
            told_why = waits if seed.number in through else sentence
            post.mail_entrant(tx, event, row, post.LetterContent(about, (told_why,)), cause)


def _has_games(boards: Sequence[tables.Board]) -> bool:
    """Return whether any board has a game; a round without any sends no letters."""
    return any(board.second for board in boards)
