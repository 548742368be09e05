"""What time players took, for the director: hours of their clocks and deadlines missed."""

from pbem.store import queries
from pbem.tournaments.time_report import list_times
from tests.harness.tournament import names


def times(hall):
    with hall.opened.reading(hall.clock.at) as tx:
        return {line.entrant: line for line in list_times(tx, hall.name)}


def test_hours_that_games_waited_and_deadlines_missed_are_counted_by_player(hall):
    for who in names(4):
        hall.enter(who)
    assert times(hall) == {}
    hall.until("playing", 1)
    assert {(line.hours, line.missed) for line in times(hall).values()} == {(0, 0)}
    hall.forward(hours=50)
    lines = times(hall)
    seats = {}
    with hall.opened.reading() as tx:
        for board in hall.boards(1):
            for seat in queries.games.seats(tx.session, board.game_id):
                seats[f"e{board.first if seat.name == 'spain' else board.second}"] = seat
    assert {entrant: (line.hours, line.missed, line.in_a_row) for entrant, line in lines.items()} == {
        entrant: (seat.spent // 3600, seat.strikes, seat.missed) for entrant, seat in seats.items()
    }
    assert max(line.missed for line in lines.values()) >= 1
    assert {line.allowed for line in lines.values()} == {240 + 6 * 24}
    hours = [line.hours for line in lines.values()]
    assert hours == sorted(hours, reverse=True)
