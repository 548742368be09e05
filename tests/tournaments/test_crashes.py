"""The process ends at any moment: nothing is lost, nothing happens twice, the same round is drawn."""

import pytest

from pbem.store import queries
from pbem.tournaments import draw, rounds
from pbem.tournaments.running import advance_tournaments
from tests.harness.tournament import names


class Killed(BaseException):
    """The process ends here."""


def kill(point):
    if point == "stepping":
        raise Killed


def play(hall, *, killed):
    """Two rounds of four; with `killed` every step is cut off once before its transaction ends."""
    people = names(4)
    for who in people:
        hall.enter(who)
    for number in (1, 2):
        for _ in range(400):
            if killed:
                before = len(hall.leaves())
                try:
                    advance_tournaments(hall.server, kill)
                except Killed:
                    assert len(hall.leaves()) == before
            if any(round_.number == number and round_.state == "playing" for round_ in hall.rounds()):
                break
            hall.forward(hours=6)
        hall.play(number)
        hall.run()
    return [(leaf.kind, leaf.says) for leaf in hall.leaves()], [
        (board.board, board.first, board.second, board.game_id, board.first_halves) for board in hall.boards()
    ]


@pytest.mark.full
def test_a_tournament_whose_every_step_is_cut_off_once_is_the_same(halls):
    whole, cut = play(halls(), killed=False), play(halls(), killed=True)
    assert whole[1] == cut[1]
    assert [kind for kind, _ in whole[0]] == [kind for kind, _ in cut[0]]


@pytest.mark.parametrize("done", [0, 1])
def test_between_lots_and_games_no_table_is_founded_twice(hall, monkeypatch, done):
    hall.fill(4)
    hall.until("shut", 1)
    count = 0
    create_games = rounds._create_board_games

    def once(*args):
        nonlocal count
        if count == done:
            count += 1
            raise Killed
        count += 1
        create_games(*args)

    monkeypatch.setattr(rounds, "_create_board_games", once)
    with pytest.raises(Killed):
        hall.until("playing", 1)
    with hall.opened.session() as session:
        assert [game.id for game in queries.games.all_games(session)] == []
    hall.until("playing", 1)
    assert sorted(board.game_id for board in hall.boards(1)) == ["cup60-r1-01", "cup60-r1-02"]
    assert len(hall.leaves("lot")) == 1


def test_a_fault_of_ours_holds_the_tournament_and_tells_the_operator(hall, monkeypatch):
    hall.fill(4)
    hall.until("shut", 1)

    def broken(*args):
        raise ArithmeticError("an even field can always be paired")

    monkeypatch.setattr(draw, "draw_round", broken)
    hall.forward(days=3)
    assert hall.event.state == "held"
    assert "is held: its next step failed" in hall.told("op@games.example")
    assert hall.rounds()[0].state == "shut"
