"""E6.1 E6.2 Two who both stay silent: 0:0, both out until they return, no winner where nobody came."""

import pytest

from pbem.store import tables
from tests.harness.teams import TEAMS, form
from tests.harness.tournament import CUP, DIRECTOR, PlayedTournament, with_values
from tests.tournaments.test_absentees import WAITS, active, stay_there, write_orders
from tests.tournaments.test_event_letters import render, verdict
from tests.tournaments.test_event_rulings import rule

SWISS = 'format = "swiss"\nrounds = 3'


def of(stage):
    return CUP.replace(SWISS, stage)


FORMATS = {
    "swiss": (6, CUP),
    "knockout": (6, of('format = "knockout"')),
    "robin": (6, of('format = "robin"')),
    "robin twice": (4, of('format = "robin"\ndouble = true')),
    "double": (6, of('format = "double"')),
    "ladder": (6, of('format = "ladder"\nrounds = 3')),
    "league": (8, of('format = "league"\ndivisions = 2')),
    "mirrored swiss": (6, of(f'{SWISS}\nsides = "mirror"')),
    "mirrored knockout": (6, of('format = "knockout"\nsides = "mirror"')),
    "ties": (6, of('format = "knockout"\nbest = 3\nreplays = 1')),
    "duplicate": (6, of(f'{SWISS}\nsides = "duplicate"')),
    "lots": (6, of(f'{SWISS}\nsides = "lot"')),
    "stages": (8, of('format = "swiss"\nrounds = 1\n[[stage]]\nformat = "knockout"\ntake = 4')),
    "short rounds": (6, with_values(CUP, days="3")),
}
SMALL = ("swiss", "knockout")
EVERY = [pytest.param(format_, marks=() if format_ in SMALL else pytest.mark.full) for format_ in FORMATS]


def entered(halls, name):
    count, rules = FORMATS[name]
    hall = halls(rules)
    return hall, hall.fill(count)


def sit(hall, number):
    """The boards of a round at which two sit, by their numbers."""
    by_board: dict[int, list[tables.Board]] = {}
    for board in hall.boards(number):
        if board.game_id:
            by_board.setdefault(board.board, []).append(board)
    return [legs for _, legs in sorted(by_board.items())]


def let_come(hall, people, number, legs):
    """Both of a board write to their games, and the second concedes."""
    for board in legs:
        for entrant in (board.first, board.second):
            write_orders(hall, people[entrant - 1], number=number)
        hall.end(board.game_id, "concede morocco" if board.leg != "b" else "concede spain")


def rounds_of(hall, first=1):
    """Each round from one on once it is played, until the tournament is over."""
    for number in range(first, 12):
        while not any(round_.number == number and round_.state == "playing" for round_ in hall.rounds()):
            if hall.event.state != "playing" and hall.event.state != "open":
                return
            hall.forward(hours=12)
        yield number


def points_of(hall, number):
    """The halves of an entrant, but for byes that were drawn."""
    boards = [board for board in hall.boards() if board.second and number in (board.first, board.second)]
    return sum(board.first_halves if board.first == number else board.second_halves for board in boards)


def proven(hall, who):
    render(hall)
    result, came = verdict(hall, who)
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is False] == []


@pytest.mark.parametrize("name", EVERY)
def test_in_every_round_a_pair_is_silent_and_the_others_play_on(halls, name):
    hall, people = entered(halls, name)
    gone = set[int]()
    for number in rounds_of(hall):
        quiet, *others = sit(hall, number) or [[]]
        sitting = {number for board in hall.boards(number) for number in (board.first, board.second)}
        assert not sitting & gone
        for legs in others:
            let_come(hall, people, number, legs)
        render(hall)
        hall.until("closed", number)
        render(hall)
        for board in hall.boards(number):
            if board.board in {quiet_board.board for quiet_board in quiet}:
                assert (board.how, board.first_halves, board.second_halves) == ("forfeit", 0, 0)
                gone |= {board.first, board.second}
    assert gone
    assert {hall.entrant(people[number - 1]).state for number in gone} == {"left"}
    there = next(number for number in range(1, len(people) + 1) if number not in gone or points_of(hall, number))
    proven(hall, people[there - 1])


@pytest.mark.parametrize("name", EVERY)
def test_where_nobody_comes_nobody_wins(halls, name):
    hall, _ = entered(halls, name)
    assert list(rounds_of(hall)) == [1]
    assert hall.event.state == "over"
    assert {(board.how, board.first_halves, board.second_halves) for board in hall.boards() if board.second} == {
        ("forfeit", 0, 0)
    }
    mail_text = hall.told(DIRECTOR)
    assert "Nobody came: there is no winner, and no prize [E6.2]." in mail_text
    assert "Prizes" not in mail_text


@pytest.mark.full
def test_where_no_team_comes_no_team_wins(halls):
    hall = halls(TEAMS)
    teams = form(hall, "Lions", "Bears", "Foxes", "Hares")
    for _ in rounds_of(hall):
        pass
    assert hall.event.state == "over"
    assert {(board.how, board.first_halves, board.second_halves) for board in hall.boards() if board.second} == {
        ("forfeit", 0, 0)
    }
    assert "Nobody came" in hall.told(DIRECTOR)
    proven(hall, teams["Lions"][0])


@pytest.mark.full
def test_of_a_match_a_silent_board_counts_for_neither_team(halls):
    hall = halls(TEAMS)
    teams = form(hall, "Lions", "Bears")
    people = {hall.number(who): who for some in teams.values() for who in some}
    hall.until("playing", 1)
    quiet, legs = sit(hall, 1)
    let_come(hall, [people.get(number, "") for number in range(1, max(people) + 1)], 1, legs)
    hall.until("closed", 1)
    assert [(board.how, board.first_halves, board.second_halves) for board in hall.boards(1)] == [
        ("forfeit", 0, 0),
        ("played", 2, 0),
    ]
    assert {hall.entrant(people[number]).state for number in (quiet[0].first, quiet[0].second)} == {"left"}
    proven(hall, people[legs[0].first])


def two(halls, rules=CUP, waits=False, **values):
    """Two at their table in round 1: a hall, who is to move first, and his opponent."""
    hall = halls(with_values(rules, places="2", rounds="1", late_rounds="0", **values))
    people = hall.fill(2)
    if waits:
        hall.enter(WAITS)
    hall.until("playing", 1)
    (mover,) = active(hall, people)
    hall.sent()
    return hall, mover, next(who for who in people if who != mover)


def result(hall, number=1):
    """How a round's boards came about, each with the halves of both."""
    return [
        (board.how, board.first_halves + board.second_halves) for board in hall.boards(number) if board.how != "absent"
    ]


def test_both_are_told_why_and_how_they_come_back(halls):
    hall, mover, other = two(halls)
    hall.forward(days=6)
    for who, his in ((mover, other), (other, mover)):
        mail_text = hall.told(who)
        assert "If your opponent is silent as well, the game counts 0:0 [E6.1]." in mail_text
        assert f"Neither you nor e{hall.number(his)} sent a word at cup60-r1-01: it counts 0:0 [E6.1]." in mail_text
        assert "RETURN brings you back" in mail_text


@pytest.mark.full
def test_the_director_reads_of_a_silent_pair_on_one_day_alone(halls):
    hall, people = entered(halls, "swiss")
    hall.until("playing", 1)
    _, *others = sit(hall, 1)
    for legs in others:
        let_come(hall, people, 1, legs)
    # Nothing is to be decided, so it stands in the letter of a Monday; STATUS tells it before.
    text = ""
    for _ in range(20):
        hall.forward(hours=12)
        hall.write(DIRECTOR, "STATUS", hall.opened.director_address(hall.event))
        text += hall.told(DIRECTOR)
    assert "the game counts 0:0 if his opponent stays silent as well [E6.1]." in text
    hall.until("closed", 1)
    hall.forward(days=7)
    assert (text + hall.told(DIRECTOR)).count("sent a word at cup60-r1-01: it counts 0:0 [E6.1].") == 1


def test_one_who_is_there_has_what_the_rules_give_him(halls):
    hall, mover, other = two(halls)
    write_orders(hall, other)
    hall.forward(hours=60 + 73)
    assert result(hall) == [("bye", 2)]
    assert hall.entrant(other).state == "in"
    assert hall.entrant(mover).state == "left"


@pytest.mark.full
def test_of_mirrored_tables_one_who_never_came_loses_both_and_all_of_it_is_proven(halls):
    hall, people = entered(halls, "mirrored swiss")
    hall.until("playing", 1)
    (board, _), *others = sit(hall, 1)
    for legs in others:
        let_come(hall, people, 1, legs)
    there = people[board.second - 1]
    write_orders(hall, there)
    render(hall)
    stay_there(hall, [there], days=9)
    render(hall)
    assert [(board.how, board.first_halves) for board in hall.boards(1)[:2]] == [("forfeit", 0), ("forfeit", 2)]
    proven(hall, there)


def test_nothing_is_done_about_one_until_the_other_is_known(halls):
    hall, _, other = two(halls, waits=True)
    hall.forward(hours=97)
    assert hall.entrant(WAITS).state == "waiting"
    assert result(hall) == [("pending", 0)]
    hall.say(other, "HERE")
    hall.forward(hours=30)
    assert hall.entrant(WAITS).state == "offered"


def test_who_is_asked_has_no_point_of_one_who_withdraws(halls):
    hall, mover, other = two(halls)
    hall.forward(hours=60)
    assert "are you there?" in hall.told(mover)
    hall.confirm(other, "WITHDRAW")
    hall.run()
    assert result(hall) == [("pending", 0)]
    hall.forward(hours=80)
    assert result(hall) == [("forfeit", 0)]
    assert hall.entrant(other).state == "withdrawn"


def test_who_says_a_word_wins_against_one_who_withdrew(halls):
    hall, mover, other = two(halls)
    hall.forward(hours=60)
    hall.confirm(other, "WITHDRAW")
    hall.say(mover, "HERE")
    hall.run()
    hall.forward(hours=80)
    assert result(hall) == [("bye", 2)]


def test_two_who_resign_have_nothing(halls):
    hall, mover, other = two(halls)
    for who in (mover, other):
        address = hall.seat(who, 1)[1]
        hall.write(who, "RESIGN", address)
        line = next(line for line in hall.told(who).splitlines() if line.startswith("RESIGN CODE"))
        hall.write(who, line, address)
    hall.run()
    assert result(hall) == [("forfeit", 0)]


@pytest.mark.full
def test_two_who_wrote_once_and_fall_silent_have_nothing(halls):
    hall, mover, other = two(halls)
    for who in (mover, other):
        write_orders(hall, who)
    hall.forward(days=20)
    assert result(hall) == [("forfeit", 0)]
    assert {hall.entrant(who).state for who in (mover, other)} == {"left"}


def test_a_word_in_another_tournament_is_none_here(halls):
    hall, _, other = two(halls)
    elsewhere = PlayedTournament.beside(hall, with_values(CUP, closes="2030-06-01"), "cup61")
    elsewhere.enter(other)
    assert "cup61" in elsewhere.say(other, "STATUS")
    hall.forward(days=20)
    assert result(hall) == [("forfeit", 0)]
    assert hall.entrant(other).state == "left"


@pytest.mark.parametrize("way", ["game", "round"])
def test_what_ends_meanwhile_counts_nothing_for_two_who_were_silent(halls, way):
    hall, _, _ = two(halls, days="2" if way == "round" else "30")
    if way == "game":
        hall.end("cup60-r1-01", "")
        hall.run()
    hall.forward(days=2)
    assert result(hall) == [("forfeit", 0)]


def test_a_ruling_of_the_director_holds(halls):
    hall, _, _ = two(halls)
    rule(hall, "ADJUDICATE cup60-r1-01 spain BECAUSE both agreed to it")
    hall.run()
    assert result(hall) == [("adjudicated", 2)]


def test_who_conceded_and_never_wrote_again_has_no_byes(halls):
    hall = halls(CUP)
    people = hall.fill(4)
    hall.until("playing", 1)
    for legs in sit(hall, 1):
        let_come(hall, people, 1, legs)
    hall.until("closed", 1)
    assert list(rounds_of(hall, 2)) == [2]
    assert hall.event.state == "over"
    assert sorted(result(hall, 2)) == [("forfeit", 0)] * 2
    assert "Book:" in hall.told(DIRECTOR)


def test_who_returns_is_paired_again(halls):
    hall, people = entered(halls, "swiss")
    hall.until("playing", 1)
    quiet, *others = sit(hall, 1)
    for legs in others:
        let_come(hall, people, 1, legs)
    hall.until("closed", 1)
    back, away = (people[number - 1] for number in (quiet[0].first, quiet[0].second))
    assert "You play again from round 2 on." in hall.say(back, "RETURN")
    hall.until("playing", 2)
    seated = {number for board in hall.boards(2) for number in (board.first, board.second)}
    assert hall.number(back) in seated
    assert hall.number(away) not in seated


def test_in_a_knockout_who_was_to_meet_one_of_them_has_a_bye_and_is_told_why(halls):
    hall = halls(FORMATS["knockout"][1])
    people = hall.fill(4)
    hall.until("playing", 1)
    _, legs = sit(hall, 1)
    let_come(hall, people, 1, legs)
    hall.until("closed", 1)
    hall.forward(days=3)
    assert hall.event.state == "over"
    assert f"Book: e{legs[0].first}" in hall.told(DIRECTOR)


def final(halls):
    """Four of a knockout with prizes for two places; its final is being played."""
    hall = halls(FORMATS["knockout"][1].replace("[prizes]", '[prizes]\n2 = "Print"'))
    people = hall.fill(4)
    hall.until("playing", 1)
    for legs in sit(hall, 1):
        let_come(hall, people, 1, legs)
    hall.until("playing", 2)
    return hall, people, sit(hall, 2)[0]


def test_a_final_to_which_neither_comes_has_no_winner_and_no_second(halls):
    hall, people, (board,) = final(halls)
    assert "This is the final. Your opponent is " in " ".join(hall.told(people[board.first - 1]).split())
    hall.forward(days=30)
    assert hall.event.state == "over"
    mail_text = " ".join(hall.told(DIRECTOR).split())
    for place, prize in ((1, "Book"), (2, "Print")):
        why = f"neither player came to the table that was to decide place {place} [E6.2]."
        assert f"{prize}: nobody; {why}" in mail_text
    proven(hall, people[0])


def test_a_final_to_which_one_comes_has_a_winner_and_a_second(halls):
    hall, people, (board,) = final(halls)
    write_orders(hall, people[board.second - 1], number=2)
    stay_there(hall, [people[board.second - 1]], days=12)
    assert hall.event.state == "over"
    mail_text = hall.told(DIRECTOR)
    assert f"Book: e{board.second}" in mail_text
    assert f"Print: e{board.first}" in mail_text


def test_a_game_at_a_table_is_not_claimed_for_deadlines_missed(halls):
    """Its terms let nobody claim: the tournament deals with who is silent."""
    hall, _, other = two(halls)
    hall.forward(hours=60)
    hall.sent()
    write_orders(hall, other, "CLAIM")
    assert "can be claimed only once the others have given up; playing: " in hall.told(other)


def test_any_letter_as_an_entrant_is_a_sign_of_life(halls):
    """Prose that is not understood, and a question about the table."""
    for words in ("I am away until Monday, but I play on!", "STANDINGS"):
        hall, mover, other = two(halls)
        write_orders(hall, other)
        hall.forward(hours=60)
        assert "any letter to this address or to that of the game" in hall.told(mover)
        hall.say(mover, words)
        hall.forward(hours=73)
        assert result(hall) == [("pending", 0)]
        assert hall.entrant(mover).state == "in"


@pytest.mark.full
def test_the_bye_of_a_bracket_says_that_neither_goes_on(halls):
    hall = halls(FORMATS["knockout"][1])
    people = hall.fill(8)
    hall.until("playing", 1)
    _, *others = sit(hall, 1)
    for legs in others:
        let_come(hall, people, 1, legs)
    hall.until("closed", 1)
    hall.sent()
    hall.until("playing", 2)
    (bye,) = [board.first for board in hall.boards(2) if board.how == "bye"]
    assert "Of the two who played for the place opposite neither goes on. [E3.3]" in hall.told(people[bye - 1])


def test_a_tournament_of_the_first_release_goes_on_as_it_began(halls):
    """An upgrade in the middle of a cup: what was founded before has no version 2."""
    hall = halls(with_values(CUP, places="4"))
    people = hall.fill(4)
    hall.until("playing", 1)
    with hall.server.work() as work:
        event = work.session.get_one(tables.Tournament, hall.name)
        event.version = 1
        work.session.add(event)
    render(hall)
    hall.until("closed", 1)
    assert {board.how for board in hall.boards(1)} == {"bye", "absent"}
    hall.forward(days=60)
    assert hall.event.state == "over"
    mail_text = hall.told(DIRECTOR)
    assert "Nobody came" not in mail_text
    assert "Book:" in mail_text
    proven(hall, people[0])
