"""WAIT, GO, EXTEND, VACATION, late letters, reminders, the ladder of missed deadlines, clocks."""

from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from pbem.engine.data.canon import loads
from pbem.play import deadlines, holds, seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import UserError
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import text_of

PASS = "ORDERS T{}\nPASS\nEND\n"


def house_of(folder, scenario="turns", terms=CALM, **pace):
    return PlayedGame(folder, scenario, terms=terms, **pace)


def open_phase(house):
    (phase,) = [row for row in house.all(tables.Phase) if row.state == "open"]
    return phase


def parse_utc(text):
    return datetime.fromisoformat(text + "+00:00")


def closings(house):
    return sorted((row.cause, row.at) for row in house.all(tables.Due) if row.kind == "close")


def new_letters(house):
    """Who was written to since the last call, and what."""
    with house.server.session() as session:
        names = {row.id: row.name for row in session.exec(select(tables.Seat))}
    return {(names.get(row.seat_id, ""), row.kind): text_of(row) for row in house.sent()}


def test_wait_keeps_a_phase_open_until_its_deadline_though_all_is_in(tmp_path):
    house = house_of(tmp_path)
    house.write("south", "WAIT")
    assert "does not close before its deadline" in house.answer()
    house.write("north", PASS.format(1))
    assert "You may change yours until Tuesday 5 May 2026, 20:00 UTC;" in house.answer()
    house.clock.forward(hours=2)
    assert house.tick() == 0
    house.write("south", "NOWAIT")
    assert "I do not wait for you any more" in house.answer()
    house.clock.forward(minutes=30)
    assert house.tick() == 1
    assert open_phase(house).name == "south"


def test_a_wish_ends_with_its_phase(tmp_path):
    house = house_of(tmp_path)
    house.write("south", "WAIT")
    house.write("north", PASS.format(1))
    house.clock.set(open_phase(house).deadline)
    assert house.tick() == 1
    house.write("south", PASS.format(1))
    house.clock.forward(minutes=30)
    assert house.tick() == 1


def test_go_leaves_no_time_for_second_thoughts(tmp_path):
    house = house_of(tmp_path)
    house.write("north", "GO\n" + PASS.format(1))
    assert "All orders are in; they are carried out now." in house.answer()
    assert house.tick() == 1
    assert open_phase(house).name == "south"


def test_go_of_one_of_two_who_are_asked_does_not_hurry_the_other(tmp_path):
    house = house_of(tmp_path, "both")
    house.write("north", "GO\n" + PASS.format(1))
    house.write("south", PASS.format(1))
    assert house.tick() == 0
    house.write("south", "GO")
    assert house.tick() == 1


def test_other_orders_take_back_the_go(tmp_path):
    house = house_of(tmp_path, "both")
    house.write("north", "GO\n" + PASS.format(1))
    house.write("north", PASS.format(1))
    house.write("south", "GO\n" + PASS.format(1))
    assert house.tick() == 0
    house.clock.forward(minutes=30)
    assert house.tick() == 1


def test_wait_is_stronger_than_go(tmp_path):
    house = house_of(tmp_path)
    house.write("south", "WAIT")
    house.write("north", "GO\n" + PASS.format(1))
    assert house.tick() == 0


def test_a_wish_after_the_deadline_is_refused_with_its_line(tmp_path):
    house = house_of(tmp_path)
    house.clock.set(open_phase(house).deadline + timedelta(seconds=1))
    for word in ("WAIT", "GO", "NOWAIT", "EXTEND 5h"):
        house.write("north", word)
        answer = house.answer()
        assert f"line 1: {word}\n" in answer
        assert "Your letter came after the deadline, Tuesday 5 May 2026, 20:00 UTC." in answer


def test_extend_moves_the_deadline_within_the_allowance_and_tells_everybody(tmp_path):
    house = house_of(tmp_path)
    house.write("north", "EXTEND 2 days")
    letters = new_letters(house)
    assert "put off by 48 hours, to Thursday 7 May 2026, 20:00 UTC" in letters["north", "settings"]
    assert "You have 24 hours left." in letters["north", "settings"]
    assert letters["south", "announcement"] == (
        "kind: announcement (en)\nnorth has put the deadline off by 48 hours.\n"
        "Turn 1: it is now Thursday 7 May 2026, 20:00 UTC.\n"
    )
    assert closings(house) == [("deadline", parse_utc("2026-05-07T20:00"))]
    house.write("north", "EXTEND 25h")
    assert "by 24 hours more in this game (72 in all); a deadline by 1 at least. [] ['EXTEND 24h']" in house.answer()
    house.write("north", "EXTEND 0")
    assert "a deadline by 1 at least" in house.answer()
    assert open_phase(house).deadline == parse_utc("2026-05-07T20:00")
    assert [(row.cause, row.seconds) for row in house.all(tables.Delay)] == [("extend", 48 * 3600)]


def test_the_deadline_of_another_cannot_be_put_off(tmp_path):
    house = house_of(tmp_path)
    house.write("south", "EXTEND 5h")
    assert "The deadline is not yours" in house.answer()
    assert house.all(tables.Delay) == []


def test_an_absence_moves_the_deadlines_that_fall_on_it(tmp_path):
    house = house_of(tmp_path)
    house.write("north", "VACATION 2026-05-05 TO 2026-05-08")
    letters = new_letters(house)
    assert "You are away from 5 May 2026 to 8 May 2026" in letters["north", "settings"]
    assert "You have 17 days left." in letters["north", "settings"]
    assert "The deadline of this turn is now Saturday 9 May 2026, 20:00 UTC." in letters["north", "settings"]
    assert "north is away from 5 May 2026 to 8 May 2026." in letters["south", "announcement"]
    house.write("south", "VACACIONES 2026-05-10 A 2026-05-10")
    house.sent()
    house.clock.set(parse_utc("2026-05-09T20:00"))
    house.tick()
    # South is asked on Saturday evening; a day later it is away.
    assert open_phase(house).deadline == parse_utc("2026-05-11T20:00")


def test_an_absence_that_touches_no_deadline_moves_none(tmp_path):
    house = house_of(tmp_path)
    house.write("north", "VACATION 2026-06-01 TO 2026-06-02")
    assert "The deadline" not in new_letters(house)["south", "announcement"]
    assert open_phase(house).deadline == parse_utc("2026-05-05T20:00")


def test_days_are_those_of_the_seat_over_the_night_the_clocks_change(tmp_path):
    """In Madrid the day after the absence begins at 22:00 UTC on the evening before."""
    house = house_of(tmp_path, zone="Europe/Madrid", hour=0)
    house.write("north", "SET TZ Europe/Madrid")
    house.clock.set(parse_utc("2026-10-23T12:00"))
    house.write("north", "VACATION 2026-10-24 TO 2026-10-25")
    # Midnight after the 25th is already in winter time, an hour behind UTC's eleven in the evening.
    with house.server.session() as session:
        seat, _ = session.exec(select(tables.Seat))
        assert deadlines.end_of_absence(session, seat, parse_utc("2026-10-24T12:00")) == parse_utc("2026-10-25T23:00")
        assert deadlines.end_of_absence(session, seat, parse_utc("2026-10-23T21:59")) == parse_utc("2026-10-23T21:59")
        assert deadlines.end_of_absence(session, seat, parse_utc("2026-10-23T22:00")) == parse_utc("2026-10-25T23:00")


@pytest.mark.parametrize(
    ("dates", "why"),
    [
        ("2026-05-08 TO 2026-05-05", "These are not two days in their order, such as VACATION 2031-08-01 TO"),
        ("2026-02-30 TO 2026-05-05", "These are not two days in their order"),
        ("2026-05-01 TO 2026-05-03", "These days are past."),
        ("2026-06-01 TO 2026-06-30", "That would be 30 days; you have 21 days left in this game."),
    ],
)
def test_days_that_cannot_be_are_refused(tmp_path, dates, why):
    house = house_of(tmp_path)
    house.write("north", f"VACATION {dates}")
    assert why in house.answer()
    assert house.all(tables.Absence) == []


def test_the_same_days_are_not_announced_twice(tmp_path):
    house = house_of(tmp_path)
    house.write("north", "VACATION 2026-06-01 TO 2026-06-03")
    house.sent()
    house.write("north", "VACATION 2026-06-03 TO 2026-06-04")
    assert "You have announced some of these days already." in house.answer()


def test_late_letters_count_as_long_as_the_terms_say(tmp_path):
    house = house_of(tmp_path, terms=CALM._replace(late_minutes=120))
    house.clock.set(open_phase(house).deadline + timedelta(minutes=120))
    assert house.write("north", PASS.format(1)).outcome == "receipt"
    assert house.tick() == 1
    assert house.all(tables.Seat)[0].strikes == 0
    house.clock.set(open_phase(house).deadline + timedelta(minutes=121))
    assert house.write("south", PASS.format(1)).outcome == "closed"


def test_deadlines_fall_at_the_minute_that_was_agreed_and_letters_tell_it(tmp_path):
    house = house_of(tmp_path, terms=CALM._replace(minute=17))
    assert open_phase(house).deadline == parse_utc("2026-05-05T20:17")
    house.write("north", "STATUS")
    assert "Tuesday 5 May 2026, 20:17 UTC" in house.answer()
    house.clock.set(parse_utc("2026-05-05T20:17"))
    assert house.tick() == 1
    assert open_phase(house).deadline == parse_utc("2026-05-07T20:17")


def test_who_is_awaited_is_reminded_once_and_who_has_written_is_not(tmp_path):
    house = house_of(tmp_path, "both", terms=Terms(reminder_hours=6))
    house.write("north", PASS.format(1))
    house.sent()
    house.clock.set(parse_utc("2026-05-05T14:00"))
    assert house.tick() == 1
    ((who, letter),) = new_letters(house).items()
    assert who == ("south", "reminder")
    assert "You have no orders in for turn 1.\nThey are wanted by Tuesday 5 May 2026, 20:00 UTC.\n" in letter
    assert "ORDERS T1 #" in letter
    assert house.tick() == 0


def test_a_reminder_moves_with_its_deadline(tmp_path):
    house = house_of(tmp_path, terms=Terms(reminder_hours=6))
    house.write("north", "EXTEND 24h")
    (due,) = [row for row in house.all(tables.Due) if row.kind == "remind"]
    assert due.at == parse_utc("2026-05-06T14:00")


LADDER = CALM._replace(ladder=("standing", "standby", "moderator"))


def missing(house, times):
    """Let so many deadlines of north pass; south passes its turns."""
    for _ in range(times):
        house.clock.set(open_phase(house).deadline)
        house.tick()
        if open_phase(house).name == "south":
            house.write("south", "GO\n" + PASS.format(open_phase(house).turn))
            house.tick()


def test_each_step_of_the_ladder_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.harness.toygame.Toy.phase", lambda self, state: (state.moving, state.turn))
    house = house_of(tmp_path, terms=LADDER)
    house.clock.set(open_phase(house).deadline)
    house.tick()
    first = new_letters(house)["north", "report"]
    assert "Deadlines missed so far: 1." in first
    assert "If none come next time either, others may take your seat over." in first
    house.write("south", "GO\n" + PASS.format(1))
    house.tick()
    house.sent()
    house.clock.set(open_phase(house).deadline)
    house.tick()
    second = new_letters(house)["north", "report"]
    assert "Are you there? HERE is enough, or any other letter. If none comes by " in second
    assert "If none come next time either, the game is held and its moderator decides." in second
    house.write("south", "GO\n" + PASS.format(2))
    house.tick()
    house.sent()
    house.clock.set(open_phase(house).deadline)
    house.tick()
    held = new_letters(house)
    assert (
        "No orders came from north again; by the terms of this game its moderator decides now."
        in (held["south", "announcement"])
    )
    assert ("", "fault") in held
    assert house.game().state == "held"
    assert open_phase(house).turn == 3
    assert house.all(tables.Due) == []


def test_orders_end_a_row_of_missed_deadlines(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.harness.toygame.Toy.phase", lambda self, state: (state.moving, state.turn))
    house = house_of(tmp_path, terms=LADDER)
    missing(house, 2)
    assert house.all(tables.Seat)[0].missed == 2
    house.write("north", "GO\n" + PASS.format(3))
    house.tick()
    north = house.all(tables.Seat)[0]
    assert (north.missed, north.strikes) == (0, 2)


def test_a_game_held_for_the_moderator_goes_on_with_a_new_deadline(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.harness.toygame.Toy.phase", lambda self, state: (state.moving, state.turn))
    house = house_of(tmp_path, terms=LADDER)
    missing(house, 3)
    with house.server.work() as work:
        holds.resume_game(work, "g1")
    phase = open_phase(house)
    assert phase.deadline > house.clock.now()
    assert closings(house) == [("deadline", phase.deadline)]
    assert house.write("north", PASS.format(phase.turn)).outcome == "receipt"


def test_a_clock_counts_what_the_game_waited_for(tmp_path):
    house = house_of(tmp_path, terms=CALM._replace(clock_hours=6), undo_minutes=0)
    house.clock.forward(hours=5)
    house.write("north", PASS.format(1))
    house.tick()
    house.clock.forward(hours=1)
    house.write("south", PASS.format(1))
    house.tick()
    assert "Your clock: 5 of 6 hours are used." in new_letters(house)["north", "report"]
    house.clock.forward(hours=1)
    house.write("north", PASS.format(2))
    house.tick()
    assert [(row.name, row.spent) for row in house.all(tables.Seat)] == [("north", 6 * 3600), ("south", 3600)]


def test_whose_clock_has_run_out_gets_short_phases_and_no_extension(tmp_path):
    house = house_of(tmp_path, terms=CALM._replace(clock_hours=1, short_hours=2), grace_hours=48)
    with house.server.session() as session:
        for seat in session.exec(select(tables.Seat)):
            seat.spent = 3600
    house.write("north", "GO\n" + PASS.format(1))
    house.tick()
    # It is Monday noon; 48 hours would be Wednesday evening.
    assert open_phase(house).deadline == parse_utc("2026-05-04T20:00")
    letter = new_letters(house)["south", "report"]
    assert "Your clock has run out: 1 of 1 hours are used. Your phases last 2 hours at least" in letter
    house.write("south", "EXTEND 1h")
    assert "Your clock has run out: you can put no more deadlines off." in house.answer()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"patience": "3"}, "there is no term 'patience'; there are: late_minutes,"),
        ({"extend_hours": "many"}, "extend_hours is a number from 0 up, got 'many'"),
        ({"ladder": "standing/prayer"}, "a ladder is made of standing, standby, moderator, close, parted by slashes"),
        ({"ladder": ""}, "a ladder is made of"),
        ({"minute": "60"}, "minute is a number from 0 to 59, got 60"),
    ],
)
def test_terms_that_nobody_can_agree_on(words, why):
    with pytest.raises(ValueError, match=why.replace("'", ".")):
        Terms.from_words(words)


def test_terms_are_kept_as_what_differs():
    terms = Terms.from_words({"ladder": "standing/moderator", "late_minutes": "90"})
    assert loads(terms.text()) == {"ladder": ["standing", "moderator"], "late_minutes": 90}
    assert Terms.read(terms.text()) == terms
    assert Terms().text() == "{}"
    assert [terms.step(n) for n in (1, 2, 3)] == ["standing", "moderator", "moderator"]


def test_a_running_game_is_not_resumed(tmp_path):
    house = house_of(tmp_path)
    with pytest.raises(UserError, match="is not held"), house.server.work() as work:
        holds.resume_game(work, "g1")


def test_what_is_put_off_while_other_games_run_does_not_run_before_its_time(tmp_path):
    """Reminders of three games fall due at once. While the first is written, a letter puts the last deadline off."""
    house, pace = house_of(tmp_path, terms=Terms()), Pace(hour=20)
    for name in ("g2", "g3"):
        with house.server.work() as work:
            founding.new_game(
                work, founding.NewGame(name=name, game="toy", scenario="turns", pace=pace, terms=Terms(extend_hours=24))
            )
            for seat, email in (("north", ANN), ("south", BOB)):
                house.addresses[seat] = seating.invite_seat(work, seating.Invitation(game=name, seat=seat, email=email))
            founding.start_game(work, name)
    house.clock.set(parse_utc("2026-05-04T20:00"))
    reached = []

    def on_the_way(point):
        reached.append(point)
        if reached == ["closing", "closed"]:
            house.write("north", "EXTEND 24h")

    assert run_due_jobs(house.server, on_the_way) == 2
    reminders = {row.game_id: row.at for row in house.all(tables.Due) if row.kind == "remind"}
    assert reminders == {"g3": parse_utc("2026-05-05T20:00")}
