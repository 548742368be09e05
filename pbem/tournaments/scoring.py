"""What came of a table: points and margin of its game, of a game ended before its time, of what was decided instead.

A game that is opened again by a ruling is scored again when it is over; what was drawn from its first result stands.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.game import find_lead
from pbem.play.positions import position
from pbem.runtime.transaction import Act, Kind, Work
from pbem.store import queries, tables
from pbem.tournaments import founding, leaves, record, round_states
from pbem.tournaments.founding import Played

FORFEIT = "forfeit"
"""How the word begins by which a game ends that its player lost by silence or by leaving; his side follows, and none
where both were silent."""
ADJUDICATED = "adjudicated"
"""The word by which a game ends that the rules or a ruling decide."""


class Score(NamedTuple):
    """What a table counts: halves of both, how far the first was ahead, how it came."""

    halves: tuple[int, int]
    margin: int
    how: str = "played"


def note_act(work: Work, act: Act) -> None:
    """Have a tournament look at its table: a game that is over, opened again or without a player at a seat, or a phase
    whose last one somebody missed."""
    if act.kind is Kind.OPENED and not _is_missed(work, act):
        return
    table = record.table_of(work, act.game.id)
    if table is None or table.event.state not in ("playing", "held"):
        return
    board = table.board
    if act.kind is Kind.OVER:
        board.ended = act.cause
    if board.state in round_states.DECIDED and (
        act.kind is Kind.OVER or (act.kind is Kind.RULED and act.game.state != "over")
    ):
        round_states.reopen_table(board)
    work.session.add(board)
    record.wake(work, table)


def _is_missed(work: Work, act: Act) -> bool:
    return any(seat.missed for seat in queries.games.seats(work.session, act.game.id))


def score_all(work: Work, event: tables.Tournament, round_: tables.Round) -> list[tables.Board]:
    """Score the tables of a round whose games are over; return those boards."""
    found = queries.tournaments.table_games(work.session, round_.id)
    here, done = founding.at_tables(work, event), []
    for board in queries.tournaments.boards(work.session, round_.id):
        game = found.get(board.game_id or "")
        if board.state != "playing" or game is None or game.state != "over":
            continue
        outcome = outcome_of(work, here, game, board)
        round_states.score_table(board, *outcome)
        board.turns = queries.tournaments.last_turn(work.session, game.id)
        work.session.add(board)
        work.session.flush()
        leaves.note_score(work, event, round_, board)
        done.append(board)
    return done


def outcome_of(work: Work, here: Played, game: tables.Game, board: tables.Board) -> Score:
    """What a game that is over counts, by the word that it ended by, by what was decided, or by its last position."""
    first, second = here.sides
    margin, winner = standing_now(work, here, game)
    word, _, side = board.ended.partition(" ")
    if board.adjudged:
        one, other = (int(part) for part in board.adjudged.split())
        return Score((one, other), margin, ADJUDICATED)
    if board.ended == FORFEIT:
        return Score((0, 0), 0, FORFEIT)
    if word in ("concede", FORFEIT):
        halves = (0, 2) if side == first else (2, 0)
        return Score(halves, _not_against(margin, halves), FORFEIT if word == FORFEIT else "played")
    if word == "claim":
        halves = (2, 0) if side == first else (0, 2)
        return Score(halves, _not_against(margin, halves), FORFEIT)
    if word == "draw":
        return Score((1, 1), 0)
    if board.price:
        # E5.5 What was paid for a side is taken off, and what is left decides.
        margin -= board.price
        winner = first if margin > 0 else second if margin < 0 else ""
    return Score((2, 0) if winner == first else (0, 2) if winner == second else (1, 1), margin)


def _not_against(margin: int, halves: tuple[int, int]) -> int:
    """Who is given a game is not behind in it."""
    return max(margin, 0) if halves[0] > halves[1] else min(margin, 0)


def standing_now(work: Work, here: Played, game: tables.Game) -> tuple[int, str]:
    """How far the first side is ahead in a game by now, in whole points, and which side has won by its rules."""
    try:
        state = position(work, game).state
    except LookupError:
        return 0, ""
    return find_lead(here.rules, state, here.sides)


def open_boards(work: Work, round_: tables.Round) -> list[tables.Board]:
    """The boards of a round that nothing is decided of."""
    return [
        board
        for board in queries.tournaments.boards(work.session, round_.id)
        if board.state not in round_states.DECIDED
    ]
