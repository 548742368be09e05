"""Results and standings for other programs: FIDE's TRF16 by its columns, CSV and JSON."""

import csv
import io
from zoneinfo import ZoneInfo

from pbem.tournaments import exports
from tests.harness.tournament import CUP, names, with_values


def exported(hall, write):
    with hall.opened.reading() as tx:
        return write(tx, hall.name)


def fields(line):
    """What an entrant's line says, by the columns of FIDE's table."""
    assert line[:3] == "001"
    rounds = [
        (line[index : index + 4], line[index + 5], line[index + 7 : index + 8]) for index in range(91, len(line), 10)
    ]
    return line[4:8].strip(), line[14:47].strip(), line[48:52].strip(), line[80:84].strip(), line[85:89].strip(), rounds


def test_a_round_of_five_in_the_columns_of_fide(halls):
    hall = halls()
    for who in names(5):
        hall.enter(who)
    hall.until("playing", 1)
    won, drawn = [board for board in hall.boards(1) if board.game_id]
    (bye,) = [board for board in hall.boards(1) if not board.second]
    hall.end(won.game_id, "concede morocco")
    hall.end(drawn.game_id, "draw")
    hall.run()
    text = exported(hall, exports.tournament_as_trf)
    assert text.endswith("\r\n")
    head, players = text.splitlines()[:-5], [fields(line) for line in text.splitlines()[-5:]]
    assert "012 Castillejos Cup" in head
    assert "062 5" in head
    assert "092 swiss" in head
    (dates,) = [line for line in head if line.startswith("132")]
    assert dates[91:] == f"{hall.rounds()[0].starts.astimezone(ZoneInfo('Europe/Madrid')):%y/%m/%d}"
    by_rank = {number: (points, rounds) for number, _, _, points, _, rounds in players}
    assert by_rank[str(won.first)] == ("1.0", [(f"{won.second:04}", "w", "1")])
    assert by_rank[str(won.second)] == ("0.0", [(f"{won.first:04}", "b", "0")])
    assert by_rank[str(drawn.first)] == ("0.5", [(f"{drawn.second:04}", "w", "=")])
    assert by_rank[str(bye.first)] == ("1.0", [("0000", "-", "U")])
    assert {rank for *_, rank, _ in players} == {"1", "2", "3", "4", "5"}
    assert {strength for _, _, strength, *_ in players} == {"1500"}


def test_a_game_of_two_who_never_came_is_lost_by_both_and_one_that_is_played_has_no_result(halls):
    hall = halls()
    for who in names(4):
        hall.enter(who)
    hall.until("playing", 1)
    lost, played = [board for board in hall.boards(1) if board.game_id]
    hall.end(lost.game_id, "forfeit")
    hall.run()
    players = [
        fields(line) for line in exported(hall, exports.tournament_as_trf).splitlines() if line.startswith("001")
    ]
    signs = {number: rounds[0][2] for number, *_, rounds in players}
    assert [signs[str(number)] for number in (lost.first, lost.second)] == ["-", "-"]
    assert [signs[str(number)] for number in (played.first, played.second)] == ["", ""]


def test_tables_for_spreadsheets(halls):
    hall = halls()
    for who in names(5):
        hall.enter(who)
    hall.until("playing", 1)
    board = next(board for board in hall.boards(1) if board.game_id)
    hall.end(board.game_id, "draw")
    hall.run()
    rows = list(csv.DictReader(io.StringIO(exported(hall, exports.results_as_csv))))
    (drawn,) = [row for row in rows if row["how"] == "played"]
    assert (drawn["round"], drawn["table"], drawn["first_points"], drawn["second_points"]) == (
        "1",
        board.game_id,
        "0.5",
        "0.5",
    )
    (bye,) = [row for row in rows if row["how"] == "bye"]
    assert (bye["second"], bye["first_points"], bye["second_points"]) == ("", "1", "")
    ranks = list(csv.DictReader(io.StringIO(exported(hall, exports.standings_as_csv))))
    assert [row["rank"] for row in ranks][:1] == ["1"]
    assert {row["points"] for row in ranks} == {"1", "0.5", "0"}
    # What parts those level is there where it was needed.
    assert {row["buchholz"] for row in ranks} - {""} <= {"0", "0.5", "1"}


def test_both_tables_of_a_mirrored_board_are_rounds_of_their_own(halls):
    hall = halls(with_values(CUP, format='"swiss"\nsides = "mirror"'))
    for who in names(2):
        hall.enter(who)
    hall.until("playing", 1)
    first, second = [board for board in hall.boards(1) if board.game_id]
    hall.end(first.game_id, "concede spain")
    hall.end(second.game_id, "draw")
    hall.run()
    players = [
        fields(line) for line in exported(hall, exports.tournament_as_trf).splitlines() if line.startswith("001")
    ]
    assert {number: (points, len(rounds)) for number, _, _, points, _, rounds in players} == {
        str(first.first): ("0.5", 2),
        str(first.second): ("1.5", 2),
    }
