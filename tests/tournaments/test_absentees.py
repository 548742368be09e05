"""Who is silent: asked for a word, offered to those who wait, out of the game; and who comes back in time."""

import pytest

from pbem.play.positions import lock_game, read_position
from pbem.store import queries
from tests.harness.tournament import CUP, DIRECTOR, PlayedTournament, names, with_values
from tests.tournaments.test_event_letters import render, verdict

WAITS = "waits@players.example"


@pytest.fixture
def playing(tmp_path):
    """Four who play round 1, and one who waits."""
    hall = begun(tmp_path)
    yield hall, names(4)
    hall.server.engine.dispose()


def begun(folder):
    hall = PlayedTournament(folder, with_values(CUP, places="4", late_rounds="0"))
    hall.fill(4)
    hall.enter(WAITS)
    hall.until("playing", 1)
    opponents_write(hall, names(4))
    hall.sent()
    return hall


def opponents_write(hall, people):
    """Those who wait for a first move write a word: only who is to move is silent."""
    for who in [person for person in people if person not in active(hall, people)]:
        write_orders(hall, who)


def stay_there(hall, people, **much):
    """The clock goes on, and these say that they are there whenever they are asked."""
    for _ in hall.meanwhile(**much):
        for who in people:
            if "are you there?" in hall.told(who):
                hall.say(who, "HERE")


def silences(hall):
    with hall.opened.session() as session:
        silences_found = queries.tournaments.silences(
            session, hall.name, "asked", "director", "open", "offered", "accepted", "closed"
        )
        return [(silence.entrant, silence.state, silence.never) for silence in silences_found]


def write_orders(hall, who, text="STATUS", number=1):
    """Somebody writes to his game of a round."""
    _, address = hall.seat(who, number)
    hall.write(who, text, address)


def active(hall, people):
    """Those who are to move in the games of round 1, and those who are not."""
    moving = []
    for who in people:
        game, _ = hall.seat(who, 1)
        with hall.opened.reading() as work:
            position = read_position(work, lock_game(work.session, game))
            seats = {seat.name: seat.person_id for seat in queries.games.seats(work.session, game)}
            if any(seats[name] == hall.entrant(who).person_id for name in position.active):
                moving.append(who)
    return moving


@pytest.mark.full
def test_who_never_wrote_is_asked_after_one_phase_and_keeps_his_seat_by_a_word(playing):
    hall, people = playing
    who = active(hall, people)[0]
    hall.forward(hours=60)
    assert (hall.number(who), "asked", True) in silences(hall)
    assert "[[cup60] are you there?]" in hall.told(who)
    assert "You are there: your seats are kept." in hall.say(who, "PRESENTE")
    hall.run()
    assert (hall.number(who), "closed", True) in silences(hall)


def test_any_letter_to_the_game_is_a_word(playing):
    hall, people = playing
    who = active(hall, people)[0]
    hall.forward(hours=60)
    write_orders(hall, who)
    hall.forward(hours=80)
    mine = [silence for silence in silences(hall) if silence[0] == hall.number(who)]
    assert mine[0][1] == "closed"


def test_nobodys_word_the_seat_is_offered_and_a_substitute_plays_on(playing):
    hall, people = playing
    hall.forward(hours=97)
    assert "A seat needs somebody: cup60-r1-0" in hall.told(WAITS)
    offered_for = hall.entrant(WAITS).offered_for
    silent = people[offered_for - 1]
    game, before = hall.seat(silent, 1)
    assert "The seat is yours." in hall.say(WAITS, "ACEPTAR")
    hall.run()
    assert hall.seat(WAITS, 1)[0] == game
    assert hall.seat(WAITS, 1)[1] != before
    row = hall.entrant(WAITS)
    assert (row.state, row.since) == ("in", 1)
    assert hall.entrant(silent).state == "left"
    mine = next(board for board in hall.boards(1) if board.game_id == game)
    assert row.number in (mine.first, mine.second)
    away = [board for board in hall.boards(1) if board.how == "absent"]
    assert offered_for in [board.first for board in away]
    # The old address is worthless.
    hall.write(silent, "STATUS", before)
    assert "it has been replaced" in hall.told(silent)


@pytest.mark.full
def test_the_table_of_a_round_in_which_a_substitute_came_is_proven(tmp_path):
    """He is in no list before the next one."""
    hall = PlayedTournament(tmp_path, with_values(CUP, places="4", late_rounds="2"))
    people = hall.fill(4)
    hall.until("playing", 1)
    hall.enter(WAITS)
    for who in people:
        if hall.number(who) != hall.boards(1)[0].first:
            write_orders(hall, who)
    hall.forward(hours=97)
    assert "The seat is yours." in hall.say(WAITS, "ACCEPT")
    hall.run()
    hall.play(1)
    hall.until("closed", 1)
    render(hall)
    letter_verdict, came = verdict(hall, people[1])
    assert {line.check: line.why for line in letter_verdict.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is not True] == []
    hall.server.engine.dispose()


@pytest.mark.full
def test_who_never_came_is_no_opponent_if_nobody_takes_the_seat(halls):
    hall = halls(with_values(CUP, places="4"))
    people = hall.fill(4)
    hall.until("playing", 1)
    opponents_write(hall, people)
    hall.forward(hours=60 + 73)
    byes = [board for board in hall.boards(1) if board.how == "bye"]
    assert byes
    assert all(board.first_halves == 2 and board.second == 0 for board in byes)
    gone = [who for who in people if hall.entrant(who).state == "left"]
    assert len(gone) == len(byes)
    assert {board.first for board in hall.boards(1) if board.how == "absent"} == {hall.number(who) for who in gone}


@pytest.mark.full
def test_who_wrote_and_falls_silent_loses_after_so_many_phases(halls):
    hall = halls(with_values(CUP, places="4"))
    people = hall.fill(4)
    hall.until("playing", 1)
    for who in people:
        write_orders(hall, who)
    there = [who for who in people if who not in active(hall, people)]
    stay_there(hall, there, days=14)
    lost = [board for board in hall.boards(1) if board.how == "forfeit"]
    assert len(lost) == 2
    assert all({board.first_halves, board.second_halves} == {0, 2} for board in lost)
    assert [hall.entrant(who).state for who in there] == ["in", "in"]


def test_a_seat_given_up_is_offered_at_once_and_to_nobody_else(playing):
    hall, people = playing
    who = people[0]
    game, address = hall.seat(who, 1)
    hall.write(who, "RESIGN", address)
    line = next(line for line in hall.told(who).splitlines() if line.startswith("RESIGN CODE"))
    hall.write(who, line, address)
    hall.run()
    assert hall.entrant(WAITS).offered_for == hall.number(who)
    hall.write("eve@players.example", f"TAKEOVER {game}")
    assert "No such seat" in hall.told("eve@players.example")
    hall.sent()
    hall.say(WAITS, "ACCEPT")
    hall.run()
    assert f"You are out of cup60, because you gave up your seat at {game}." in hall.told(who)


def test_a_word_in_time_takes_the_offer_back(playing):
    hall, people = playing
    hall.forward(hours=97)
    number = hall.entrant(WAITS).offered_for
    hall.sent()
    hall.say(people[number - 1], "HERE")
    hall.run()
    assert hall.entrant(WAITS).state == "waiting"
    assert "Nothing is offered to you" in hall.say(WAITS, "ACCEPT")


@pytest.mark.full
def test_a_silent_director_is_asked_first_and_holds_nothing_up(halls):
    hall = halls(with_values(CUP, places="4") + '[left]\nask = "director"\nask_hours = 24\n')
    people = hall.fill(4)
    hall.enter(WAITS)
    hall.until("playing", 1)
    opponents_write(hall, people)
    there = [who for who in people if who not in active(hall, people)]
    stay_there(hall, there, hours=60 + 73)
    assert "By itself at" in hall.told(DIRECTOR)
    stay_there(hall, there, hours=25)
    assert hall.entrant(WAITS).state == "offered"


def accepted(playing):
    """A seat that one who waits has accepted, and that he is about to get: who was silent, and its game."""
    hall, _ = playing
    hall.forward(hours=97)
    silent = playing[1][hall.entrant(WAITS).offered_for - 1]
    game, _ = hall.seat(silent, 1)
    assert "The seat is yours." in hall.say(WAITS, "ACCEPT")
    return silent, game


def test_here_after_another_has_accepted_is_too_late_and_told_so(playing):
    hall, _ = playing
    silent, game = accepted(playing)
    assert "Your answer came too late for one of your seats" in hall.say(silent, "HERE")
    hall.run()
    assert hall.seat(WAITS, 1)[0] == game


def test_a_letter_to_the_game_after_another_has_accepted_keeps_no_seat(playing):
    hall, _ = playing
    silent, game = accepted(playing)
    write_orders(hall, silent)
    hall.run()
    assert hall.seat(WAITS, 1)[0] == game
    assert "is not free any more" not in hall.told(WAITS)


@pytest.mark.full
def test_who_has_said_a_word_is_asked_again_only_when_he_misses_another_phase(playing):
    hall, people = playing
    asked = "are you there?"
    who = None
    for _ in hall.meanwhile(hours=200):
        if who := next((person for person in people if asked in hall.told(person)), None):
            break
    assert who is not None
    assert "your seats are kept" in hall.say(who, "HERE")
    game, _ = hall.seat(who, 1)
    with hall.opened.session() as session:
        phase = queries.phases.present_phase(session, game)
        assert phase is not None
        left = phase.deadline - hall.clock.at
    hall.forward(seconds=left.total_seconds() - 60)
    assert asked not in hall.told(who)
    hall.forward(days=8)
    assert asked in hall.told(who)
