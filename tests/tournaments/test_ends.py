"""A round ends for certain: what is unfinished is decided by points, by bots, by a jury or as a draw."""

import pytest

from pbem.play.positions import lock_game, read_position
from pbem.runtime.transaction import UserError
from pbem.server import game_cards
from pbem.store import tables
from pbem.tournaments import founding, scoring, unfinished_tables
from tests.harness.tournament import CUP, with_values
from tests.tournaments.test_absentees import write_orders

SOON = with_values(CUP, days="3")


def decided(hall, number=1):
    return [(board.how, board.first_halves, board.second_halves) for board in hall.boards(number) if board.second]


@pytest.mark.parametrize("order", ['["draw"]', '["points:1000", "draw"]'])
def test_what_nothing_decides_is_drawn(halls, order):
    hall = halls(with_values(SOON, order=order))
    who, _ = hall.fill(2)
    hall.until("playing", 1)
    write_orders(hall, who)
    hall.until("closed", 1)
    assert decided(hall) == [("adjudicated", 1, 1)]


@pytest.mark.parametrize("side", ["spain", "morocco"])
def test_the_margin_of_a_conceded_game_is_how_it_stood_whoever_conceded(halls, monkeypatch, side):
    """In a tournament of 1.0.0 it is 0 where the loser was ahead."""
    hall = halls(SOON)
    hall.fill(2)
    hall.until("playing", 1)
    monkeypatch.setattr("pbem.tournaments.scoring.find_lead", lambda *_: (5, ""))
    game = hall.boards(1)[0].game_id
    hall.end(game, f"concede {side}")
    with hall.server.work() as work:
        setup = founding.table_game(work, hall.event)
        board, over = hall.boards(1)[0], lock_game(work.session, game)
        margins = [scoring.score_of_game(work, setup, over, board, clamped=clamped).margin for clamped in (False, True)]
    assert margins == [5, 5 if side == "morocco" else 0]


def test_points_decide(halls, monkeypatch):
    hall = halls(SOON)
    who, _ = hall.fill(2)
    hall.until("playing", 1)
    write_orders(hall, who)
    monkeypatch.setattr("pbem.tournaments.scoring.find_lead", lambda *_: (-5, ""))
    hall.until("closed", 1)
    assert decided(hall) == [("adjudicated", 0, 2)]
    assert [board.margin for board in hall.boards(1)] == [-5]


@pytest.mark.full
def test_bots_play_it_on_with_dice_of_the_draw_and_always_alike(halls):
    hall = halls(with_values(SOON, order='["continue:10:60%", "draw"]'))
    who, _ = hall.fill(2)
    hall.until("playing", 1)
    write_orders(hall, who)
    with hall.opened.reading() as work:
        game = lock_game(work.session, hall.boards(1)[0].game_id)
        state, rules = read_position(work, game).state, work.server.rules_of(game)
    beta = bytes(range(64))
    first_end = unfinished_tables.playout_wins(rules, state, beta, 10, "a")
    assert first_end == unfinished_tables.playout_wins(rules, state, beta, 10, "a")
    assert sum(first_end) == 10
    hall.until("closed", 1)
    assert decided(hall)[0][0] == "adjudicated"


def test_where_nobody_can_sit_on_a_jury_it_is_drawn(halls):
    hall = halls(with_values(SOON, order='["jury"]'))
    who, _ = hall.fill(2)
    hall.until("playing", 1)
    write_orders(hall, who)
    hall.until("closed", 1)
    assert decided(hall) == [("adjudicated", 1, 1)]


def test_a_game_that_its_players_end_counts_as_they_ended_it(hall):
    hall.fill(4)
    hall.until("playing", 1)
    first, other = (board.game_id for board in hall.boards(1))
    hall.end(first, "concede spain")
    hall.end(other, "draw")
    hall.run()
    assert sorted(decided(hall)) == [("played", 0, 2), ("played", 1, 1)]


def test_a_game_opened_again_after_the_next_draw_is_counted_anew_and_the_draw_stands(hall):
    hall.fill(4, rounds=1)
    hall.until("playing", 2)
    board = hall.boards(1)[0]
    drawn = [(board.first, board.second) for board in hall.boards(2)]
    with hall.server.work() as work:
        game = lock_game(work.session, board.game_id)
        game.state = "running"
        work.session.add(game)
    hall.sent()
    hall.end(board.game_id, "concede spain")
    hall.run()
    again = hall.boards(1)[0]
    assert (board.first_halves, again.first_halves) == (2, 0)
    assert [(board.first, board.second) for board in hall.boards(2)] == drawn
    assert "A game of round 1 was opened again" in hall.told("p1@players.example")
    assert len(hall.leaves("score")) == 3
    assert len(hall.leaves("standing")) == 2
    hall.play(2)
    assert hall.rounds()[1].state == "closed"


def test_a_game_of_a_tournament_cannot_be_deleted(hall):
    hall.fill(2, rounds=0)
    hall.until("playing", 1)
    hall.play(1)
    with hall.server.work() as work, pytest.raises(UserError):
        game_cards.delete_game(work, hall.boards(1)[0].game_id)
    with hall.opened.session() as session:
        assert session.get(tables.Game, hall.boards(1)[0].game_id) is not None
