"""Score tables from finished games, early endings and adjudications.

A game reopened by a ruling is scored again when it is over; pairings drawn from its first result stay.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.game import find_lead
from pbem.play.positions import read_position
from pbem.runtime.transaction import Act, ActKind, Transaction
from pbem.store import queries, tables
from pbem.tournaments import founding, leaves, record, round_states
from pbem.tournaments.founding import TableGame

FORFEIT = "forfeit"
"""First word of the cause of a game lost by silence or departure; the loser's side follows, unless both were silent."""
ADJUDICATED = "adjudicated"
"""Cause of a game ended by the rules or a ruling."""


class TableScore(NamedTuple):
    """The score of a table: half points of both, lead of the first, kind of result."""

    halves: tuple[int, int]
    margin: int
    how: str = "played"


def wake_for_act(tx: Transaction, act: Act) -> None:
    """Have a tournament check its table after an act in a game.

    Such an act ends or reopens the game, leaves a seat without player, or closes a phase after a missed one.
    """
    if act.kind is ActKind.OPENED and not _is_missed(tx, act):
        return
    table = record.tournament_table_of(tx, act.game.id)
    if table is None or table.event.state not in ("playing", "held"):
        return
    board = table.board
    if act.kind is ActKind.OVER:
        board.ended = act.cause
    if board.state in round_states.DECIDED and (
        act.kind is ActKind.OVER or (act.kind is ActKind.RULED and act.game.state != "over")
    ):
        round_states.reopen_table(board)
    tx.session.add(board)
    record.wake_tournament(tx, table)


def _is_missed(tx: Transaction, act: Act) -> bool:
    return any(seat.missed for seat in queries.games.seats(tx.session, act.game.id))


def score_finished_tables(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> list[tables.Board]:
    """Score the tables of a round whose games are over; return those boards."""
    games = queries.tournaments.table_games(tx.session, round_.id)
    setup, scored = founding.table_game(tx, event), []
    for board in queries.tournaments.boards(tx.session, round_.id):
        game = games.get(board.game_id or "")
        if board.state != "playing" or game is None or game.state != "over":
            continue
        outcome = score_of_game(tx, setup, game, board, clamped=event.version == 1)
        round_states.score_table(board, *outcome)
        board.turns = queries.tournaments.last_turn(tx.session, game.id)
        tx.session.add(board)
        tx.session.flush()
        leaves.record_score(tx, event, round_, board)
        scored.append(board)
    return scored


def score_of_game(
    tx: Transaction, setup: TableGame, game: tables.Game, board: tables.Board, *, clamped: bool
) -> TableScore:
    """Return the score of a finished game, by cause, adjudication or last position.

    The margin of a conceded game is that of its last position, whichever side conceded. With `clamped` a margin
    against the winner counts 0, as in tournaments founded by 1.0.0.
    """
    first, second = setup.sides
    margin, winner = current_lead(tx, setup, game)
    word, _, side = board.ended.partition(" ")
    if board.adjudged:
        first_halves, second_halves = (int(part) for part in board.adjudged.split())
        return TableScore((first_halves, second_halves), margin, ADJUDICATED)
    if board.ended == FORFEIT:
        return TableScore((0, 0), 0, FORFEIT)
    if word in ("concede", FORFEIT):
        halves = (0, 2) if side == first else (2, 0)
        return TableScore(
            halves, _clamp(margin, halves) if clamped else margin, FORFEIT if word == FORFEIT else "played"
        )
    if word == "claim":
        halves = (2, 0) if side == first else (0, 2)
        return TableScore(halves, _clamp(margin, halves) if clamped else margin, FORFEIT)
    if word == "draw":
        return TableScore((1, 1), 0)
    if board.price:
        # E5.5 The price of a side is subtracted before the winner is decided.
        margin -= board.price
        winner = first if margin > 0 else second if margin < 0 else ""
    return TableScore((2, 0) if winner == first else (0, 2) if winner == second else (1, 1), margin)


def _clamp(margin: int, halves: tuple[int, int]) -> int:
    """Return the margin, or 0 if it favours the loser."""
    # Who won by other means than points may be behind on them.
    return max(margin, 0) if halves[0] > halves[1] else min(margin, 0)


def current_lead(tx: Transaction, setup: TableGame, game: tables.Game) -> tuple[int, str]:
    """Return the first side's lead in whole points, and the winner by the rules."""
    try:
        state = read_position(tx, game).state
    except LookupError:
        # The game has not begun: nobody leads.
        return 0, ""
    return find_lead(setup.rules, state, setup.sides)


def open_boards(tx: Transaction, round_: tables.Round) -> list[tables.Board]:
    """Return the undecided boards of a round."""
    return [
        board for board in queries.tournaments.boards(tx.session, round_.id) if board.state not in round_states.DECIDED
    ]
