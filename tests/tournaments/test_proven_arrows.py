"""Whatever happens in a tournament, the letters of who stayed prove it: nothing in them is false."""

import pytest

from pbem.log import sequencer
from pbem.play.positions import lock_game
from tests.harness.tournament import CUP, with_values
from tests.tournaments.test_absentees import active, stay_there, write_orders
from tests.tournaments.test_event_letters import render, verdict
from tests.tournaments.test_event_rulings import rule

WAITS = "waits@players.example"


def fill(hall, count):
    people = [f"p{number}@players.example" for number in range(1, count + 1)]
    for who in people:
        hall.enter(who)
        render(hall)
    return people


def until(hall, state, number):
    hall.until(state, number)
    render(hall)


def play(hall, number):
    hall.play(number)
    render(hall)


def proven(hall, who):
    render(hall)
    result, came = verdict(hall, who)
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is False] == []


@pytest.mark.full
def test_a_substitute_a_bye_of_one_who_never_came_and_a_return(halls):
    hall = halls(with_values(CUP, places="4", late_rounds="2"))
    people = fill(hall, 4)
    hall.enter(WAITS)
    until(hall, "playing", 1)
    rule(hall, "SUBSTITUTE 2 BY 5 BECAUSE he asked for it")
    render(hall)
    there = [who for who in [*people, WAITS] if who != people[1] and who not in active(hall, [people[0], *people[2:]])]
    for who in there:
        write_orders(hall, who)
    stay_there(hall, there, days=9)
    until(hall, "closed", 1)
    for who in people[1:]:
        hall.say(who, "RETURN")
        render(hall)
    until(hall, "playing", 2)
    play(hall, 2)
    proven(hall, people[0])


@pytest.mark.full
def test_a_round_drawn_again_and_a_game_opened_again(halls):
    hall = halls()
    people = fill(hall, 5)
    until(hall, "playing", 1)
    hall.confirm(people[4], "WITHDRAW")
    render(hall)
    rule(hall, "REDRAW R1 BECAUSE e5 had withdrawn in time")
    render(hall)
    until(hall, "playing", 1)
    play(hall, 1)
    until(hall, "playing", 2)
    name = next(board.game_id for board in hall.boards(1) if board.game_id)
    with hall.server.work() as work:
        game = lock_game(work.session, name)
        game.state = "running"
        work.session.add(game)
        says = (("phase", "T1.spain~1"), ("number", "1"), ("text", f"sha256:{'0' * 64}"))
        sequencer.append(work, sequencer.Note("ruling", says, name))
    rule(hall, "BAR 1 2 BECAUSE they are brothers")
    hall.end(name, "concede spain")
    hall.run()
    render(hall)
    play(hall, 2)
    proven(hall, people[0])


def test_a_round_drawn_again_before_its_games_began_opens_nothing(hall):
    people = fill(hall, 4)
    until(hall, "drawn", 1)
    hall.run()
    assert all(board.game_id for board in hall.boards(1))
    rule(hall, "REDRAW R1 BECAUSE the lots were drawn too early")
    render(hall)
    assert {row.state for row in hall.sent() if row.body is None} == set()
    until(hall, "playing", 1)
    play(hall, 1)
    proven(hall, people[0])


@pytest.mark.full
def test_rests_a_late_entrant_and_who_leaves_after_a_round(halls):
    hall = halls()
    people = fill(hall, 5)
    hall.say(people[1], "REST R1")
    hall.say(people[2], "REST R2")
    hall.say(people[2], "RETURN R2")
    hall.confirm(people[3], "WITHDRAW AFTER R1")
    render(hall)
    until(hall, "playing", 1)
    play(hall, 1)
    hall.enter("late@players.example")
    for number in (2, 3):
        until(hall, "playing", number)
        play(hall, number)
    hall.run()
    proven(hall, people[0])


@pytest.mark.full
@pytest.mark.parametrize("sides", ["bid", "lot"])
def test_sides_that_are_bid_for_or_drawn_by_lot(halls, sides):
    hall = halls(CUP.replace("rounds = 3", f'rounds = 2\nsides = "{sides}"'))
    people = fill(hall, 4)
    until(hall, "drawn", 1)
    if sides == "bid":
        for number, who in enumerate(people):
            hall.say(who, f"BID {number} FOR morocco")
            render(hall)
    for number in (1, 2):
        until(hall, "playing", number)
        play(hall, number)
    proven(hall, people[0])


@pytest.mark.full
def test_what_the_end_of_a_round_cuts_off(halls):
    hall = halls(with_values(CUP, days="3", rounds="2", order='["points:4", "continue:10:60%", "draw"]'))
    people = fill(hall, 4)
    for number in (1, 2):
        until(hall, "playing", number)
        for who in people:
            write_orders(hall, who, number=number)
        until(hall, "closed", number)
    proven(hall, people[0])
