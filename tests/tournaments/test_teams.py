"""E3.8 A tournament of teams, by letters from the first captain to the prizes, and proven by what its members keep."""

import pytest

from pbem.log import log_check, log_health
from tests.harness.teams import TEAMS, form, member
from tests.harness.tournament import PlayedTournament
from tests.tournaments.test_event_letters import render, verdict
from tests.tournaments.test_event_rulings import rule


def in_rounds(hall, rounds, lost="morocco"):
    for number in range(1, rounds + 1):
        hall.until("playing", number)
        render(hall)
        hall.play(number, lost)
        render(hall)
    hall.run()
    render(hall)


def proven(hall, who, rounds):
    result, came = verdict(hall, who)
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is not True] == []
    assert {finding.draw[1] for finding in came} >= {f"r{number}~1" for number in range(1, rounds + 1)}


@pytest.mark.full
def test_four_teams_of_two_play_three_rounds_and_their_letters_prove_it(tmp_path):
    hall = PlayedTournament(tmp_path, TEAMS)
    teams = form(hall, "Lions", "Bears", "Foxes", "Crows")
    hall.say(teams["Lions"][0], f"LINEUP {hall.number(teams['Lions'][1])}, {hall.number(teams['Lions'][0])}")
    in_rounds(hall, 3)
    assert hall.event.state == "over"
    kinds = [leaf.kind for leaf in hall.leaves()]
    assert (kinds.count("team"), kinds.count("member"), kinds.count("pair"), kinds.count("standing")) == (4, 8, 12, 3)
    mail_text = hall.told(teams["Lions"][0])
    assert "Book: " in mail_text
    log_health.sign(hall.server)
    assert log_check.check(hall.server).wrong == ()
    proven(hall, teams["Bears"][1], 3)
    hall.server.engine.dispose()


@pytest.mark.full
@pytest.mark.parametrize(
    "stages",
    [
        pytest.param('[[stage]]\nformat = "robin"\n', marks=pytest.mark.full),
        pytest.param('[[stage]]\nformat = "knockout"\n', marks=pytest.mark.full),
        pytest.param('[[stage]]\nformat = "double"\n', marks=pytest.mark.full),
        pytest.param(
            '[[stage]]\nformat = "swiss"\nrounds = 2\nsides = "lot"\n[[stage]]\nformat = "knockout"\ntake = 2\n',
            marks=pytest.mark.full,
        ),
        pytest.param('[[stage]]\nformat = "league"\ndivisions = 2\n', marks=pytest.mark.full),
    ],
    ids=["robin", "knockout", "double", "stages", "league"],
)
def test_every_format_that_teams_may_play_is_proven(tmp_path, stages):
    head, _, tail = TEAMS.partition("[[stage]]")
    hall = PlayedTournament(tmp_path, head + stages + tail[tail.index("[teams]") :])
    teams = form(hall, "Lions", "Bears", "Foxes", "Crows", Moles=1)
    render(hall)
    last = 0
    while hall.event.state != "over":
        last += 1
        hall.until("playing", last)
        render(hall)
        hall.play(last)
        render(hall)
    render(hall)
    proven(hall, teams["Lions"][0], last)
    hall.server.engine.dispose()


def test_a_captain_is_told_who_asks_and_silence_leaves_him_out(halls):
    hall = halls(TEAMS)
    form(hall, "Lions", "Bears")
    who = "late@players.example"
    row = hall.enter(who, "TEAM lions NAME Luis")
    assert row.state == "asks"
    mail_text = hall.told(member("Lions", 1))
    assert f"Luis (e{row.number}) asks to play for Lions" in mail_text
    assert f"ADMIT {row.number} lets him in. If nothing comes" in mail_text
    hall.until("shut", 1)
    assert hall.entrant(who).state == "left"
    assert "did not let you in before the list shut" in hall.told(who)
    assert "asks to play" not in hall.say(who, "RETURN")
    assert hall.entrant(who).state == "asks"
    hall.say(member("Lions", 1), f"ADMIT {row.number}")
    assert hall.entrant(who).state == "in"


@pytest.mark.full
def test_an_empty_board_is_lost_and_a_team_over_rests(halls):
    hall = halls(TEAMS)
    teams = form(hall, "Lions", "Bears", Foxes=1)
    hall.until("playing", 1)
    boards = hall.boards(1)
    byes = [board for board in boards if board.how == "bye"]
    empty = [board for board in boards if board.how == "forfeit"]
    assert len(byes) == 1
    assert len(empty) <= 1
    for number in (1, 2, 3):
        hall.until("playing", number)
        hall.play(number)
    hall.run()
    empty = [board for board in hall.boards() if board.how == "forfeit"]
    assert len(empty) == 2
    assert {board.first_halves for board in empty} == {2}
    assert "with nobody opposite: 1" in hall.told(teams["Lions"][0])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("LINEUP 99", "e99 does not play for Lions"),
        ("LINEUP 4", "e4 does not play for Lions (e2); these do: L1 (e1), L2 (e3)."),
        ("LINEUP 1, 1", "e1 stands there twice"),
        ("LINEUP 1, 3, 3", "e3 stands there twice"),
        ("ADMIT 4", "e4 does not ask to play for your team"),
    ],
)
def test_what_a_captain_cannot_say(halls, line, why):
    hall = halls(TEAMS)
    form(hall, "Lions", "Bears")
    assert why in hall.say(member("Lions", 1), line)


def test_more_than_boards_and_who_rests_cannot_be_lined_up(halls):
    hall = halls(TEAMS)
    form(hall, "Bears", Lions=3)
    mine = [hall.number(member("Lions", number)) for number in (1, 2, 3)]
    assert "A match has 2 boards, and you name 3" in hall.say(
        member("Lions", 1), f"LINEUP {mine[0]} {mine[1]} {mine[2]}"
    )
    hall.say(member("Lions", 2), "REST R1")
    assert "rests round 1: name somebody else" in hall.say(member("Lions", 1), f"LINEUP {mine[1]}, {mine[0]}")
    assert "That is for the captain to say: L1" in hall.say(member("Lions", 2), f"LINEUP {mine[0]}")


def test_who_entered_next_is_captain_when_the_captain_leaves(halls):
    hall = halls(TEAMS)
    teams = form(hall, "Lions", "Bears")
    hall.confirm(teams["Lions"][0], "WITHDRAW")
    assert "you are its captain now" in hall.told(teams["Lions"][1])
    assert "captain e3" in hall.say(teams["Lions"][1], "TEAMS")
    hall.confirm(teams["Lions"][1], "WITHDRAW")
    assert "Lions" not in hall.say(teams["Bears"][0], "TEAMS")
    hall.until_moment(hall.clock.at)
    hall.forward(days=60)
    assert hall.event.state == "cancelled"


@pytest.mark.full
def test_rests_late_teams_returns_and_a_round_drawn_again_are_proven(tmp_path):
    hall = PlayedTournament(tmp_path, TEAMS)
    teams = form(hall, "Lions", "Bears", Foxes=3)
    render(hall)
    for who in teams["Bears"]:
        hall.say(who, "REST R1")
    render(hall)
    hall.until("playing", 1)
    assert {board.how for board in hall.boards(1)} == {"pending", "half-bye"}
    render(hall)
    hall.play(1)
    render(hall)
    form(hall, "Crows")
    hall.confirm(teams["Lions"][0], "WITHDRAW")
    render(hall)
    hall.until("playing", 2)
    rule(hall, "REDRAW R2 BECAUSE a captain had left in time")
    render(hall)
    hall.until("playing", 2)
    assert hall.rounds()[1].attempt == 2
    render(hall)
    hall.play(2)
    assert "You play again" in hall.say(teams["Lions"][0], "RETURN")
    hall.until("closed", 2)
    render(hall)
    hall.until("playing", 3)
    render(hall)
    hall.play(3)
    hall.run()
    render(hall)
    assert hall.event.state == "over"
    result, came = verdict(hall, teams["Foxes"][0])
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is False] == []
    hall.server.engine.dispose()


def test_a_team_that_left_comes_back_with_who_returns_as_its_captain(halls):
    hall = halls(TEAMS)
    teams = form(hall, "Bears", "Foxes", Lions=1)
    (captain,) = teams["Lions"]
    hall.confirm(captain, "WITHDRAW")
    assert "Lions" not in hall.say(teams["Bears"][0], "TEAMS")
    hall.say(captain, "RETURN")
    assert f"captain e{hall.number(captain)}" in hall.say(captain, "TEAMS")


def test_who_asked_in_vain_may_found_a_team_of_his_own(halls):
    hall = halls(TEAMS)
    form(hall, "Lions", "Bears")
    who = "late@players.example"
    number = hall.enter(who, "TEAM Lions").number
    hall.confirm(who, "WITHDRAW")
    row = hall.enter(who, "TEAM Owls")
    assert (row.number, row.state) == (number, "in")
    assert "Owls" in hall.say(who, "TEAMS")
    assert "You are in cup60 already" in again(hall, who)


def again(hall, who):
    hall.sent()
    hall.write(who, "JOIN cup60 TEAM Lions")
    return hall.told(who)


def test_names_and_rooms_of_teams(halls):
    hall = halls(TEAMS.replace("places = 16", "places = 2").replace("rounds = 3", "rounds = 1"))
    form(hall, Lions=3, Bears=1)
    for line, why in (
        ("JOIN cup60 TEAM Lions", "have as many members as they may have"),
        ("JOIN cup60 TEAM 7", "The name of a team is at most 30 letters"),
        ('JOIN cup60 TEAM "a, b"', "The name of a team is at most 30 letters"),
        ("JOIN cup60 TEAM Owls", "cup60 takes no more teams."),
    ):
        hall.write("x@players.example", line)
        assert why in hall.told("x@players.example")
    assert hall.entrant("x@players.example") is None
