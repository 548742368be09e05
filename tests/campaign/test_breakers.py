"""Trouble of the server's own is not counted as the players'."""

from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from pbem.play import holds, seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.server.mailbox_poller import MailboxPoller, PollOptions
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.mailbox import FolderMailbox

pytestmark = pytest.mark.filterwarnings("error::sqlalchemy.exc.SAWarning")
"""Rows that are struck out and planned anew may get their old numbers: the session must not hold on to those."""

PASS = "ORDERS T1\nPASS\nEND\n"


@pytest.fixture
def house(tmp_path):
    return PlayedGame(tmp_path)


@pytest.fixture
def pump(house, tmp_path):
    made = MailboxPoller(house.server, FolderMailbox(tmp_path / "mail"), polling=PollOptions(guarded=True))
    made.step()
    return made


def parse_utc(text):
    return datetime.fromisoformat(text + "+00:00")


def open_phase(house, game="g1"):
    (phase,) = [row for row in house.all(tables.Phase) if row.state == "open" and row.game_id == game]
    return phase


def polled_until(house, pump, moment):
    while house.clock.now() < moment:
        house.clock.forward(hours=1)
        pump.step()


def new_letters(house):
    return {(row.recipient, row.kind): text_of(row) for row in house.sent()}


def test_an_outage_over_a_deadline_puts_it_off_by_its_length(house, pump):
    """The deadline is on Tuesday at eight in the evening; the mailbox is away from Tuesday noon to Wednesday noon."""
    polled_until(house, pump, parse_utc("2026-05-05T12:00"))
    house.clock.set(parse_utc("2026-05-05T21:00"))
    assert run_due_jobs(house.server) == 0
    house.clock.set(parse_utc("2026-05-06T12:00"))
    pump.step()
    assert run_due_jobs(house.server) == 0
    assert open_phase(house).deadline == parse_utc("2026-05-06T20:00")
    letters = new_letters(house)
    for who in (ANN, BOB):
        assert letters[who, "announcement"] == (
            "kind: announcement (en)\nFor 24 hours letters did not reach this server.\n"
            "The deadline of turn 1 is put off to Wednesday 6 May 2026, 20:00 UTC.\n"
        )
    assert "For 24 hours letters did not reach this server." in letters["op@games.example", "fault"]


def test_letters_that_lay_in_the_mailbox_meanwhile_count(house, pump):
    polled_until(house, pump, parse_utc("2026-05-05T12:00"))
    pump.mailbox.put(mail(ANN, house.addresses["north"], PASS))
    house.clock.set(parse_utc("2026-05-06T12:00"))
    pump.step()
    assert len(house.all(tables.QueuedOrders)) == 1


def test_a_crash_in_the_poll_after_an_outage_does_not_put_deadlines_off_twice(house, pump, tmp_path):
    polled_until(house, pump, parse_utc("2026-05-05T12:00"))
    pump.mailbox.put(mail(ANN, house.addresses["north"], PASS))
    house.clock.set(parse_utc("2026-05-06T12:00"))

    class Killed(BaseException):
        pass

    def kill(point):
        if point == "committed":
            raise Killed

    with pytest.raises(Killed):
        MailboxPoller(house.server, pump.mailbox, kill, polling=PollOptions(guarded=True)).step()
    house.clock.forward(minutes=1)
    pump.step()
    assert [row.seconds for row in house.all(tables.Delay)] == [24 * 3600]


def test_a_deadline_far_behind_the_outage_stands(house, pump):
    house.write("north", "EXTEND 48h")
    house.clock.forward(hours=12)
    pump.step()
    assert open_phase(house).deadline == parse_utc("2026-05-07T20:00")


@pytest.mark.parametrize(("minutes", "moved"), [(119, 0), (120, 2), (121, 3)])
def test_from_two_hours_on_it_is_an_outage_counted_in_begun_hours(house, pump, minutes, moved):
    polled_until(house, pump, parse_utc("2026-05-05T19:00"))
    house.clock.forward(minutes=minutes)
    pump.step()
    assert open_phase(house).deadline == parse_utc("2026-05-05T20:00") + timedelta(hours=moved)


def test_a_clock_that_jumps_a_week_holds_every_game_and_resolves_none(house, pump):
    house.clock.forward(days=7)
    pump.step()
    assert run_due_jobs(house.server) == 0
    assert house.game().state == "held"
    assert [row.state for row in house.all(tables.Phase)] == ["open"]
    letters = new_letters(house)
    assert "For 168 hours this server could not be reached, or its clock is wrong." in letters[ANN, "announcement"]
    with house.server.work() as work:
        holds.resume_game(work, "g1")
    assert open_phase(house).deadline > house.clock.now()


def test_a_clock_that_goes_back_is_told_to_the_operator(house, pump):
    house.clock.forward(hours=1)
    pump.step()
    house.clock.forward(minutes=-30)
    pump.step()
    assert "The clock of this server went back by 30 minutes." in new_letters(house)["op@games.example", "fault"]
    assert open_phase(house).deadline == parse_utc("2026-05-05T20:00")


def test_polls_in_time_put_nothing_off(house, pump):
    for _ in range(40):
        house.clock.forward(hours=1)
        pump.step()
        house.tick()
    assert house.all(tables.Delay) == []
    assert house.all(tables.Phase)[0].state == "resolved"


def many(house, count):
    for number in range(2, count + 1):
        with house.server.work() as work:
            founding.new_game(
                work, founding.NewGame(name=f"g{number}", game="toy", scenario="turns", pace=Pace(hour=20), terms=CALM)
            )
            for seat, who in (("north", ANN), ("south", BOB)):
                seating.invite_seat(work, seating.Invitation(game=f"g{number}", seat=seat, email=who))
            founding.start_game(work, f"g{number}")
    house.sent()


def test_when_most_are_silent_at_once_deadlines_are_put_off_by_a_day_but_only_once(house):
    many(house, 5)
    house.write("north", "WAIT\n" + PASS)
    house.sent()
    house.clock.set(parse_utc("2026-05-05T20:00"))
    assert house.tick() == 5
    assert {row.deadline for row in house.all(tables.Phase)} == {parse_utc("2026-05-06T20:00")}
    assert "In many games at once no orders came" in new_letters(house)[BOB, "announcement"]
    house.clock.set(parse_utc("2026-05-06T20:00"))
    assert house.tick() == 5
    assert sorted(row.state for row in house.all(tables.Phase)) == ["open"] * 5 + ["resolved"] * 5


def test_when_most_have_written_the_silent_ones_have_missed_their_deadline(house):
    many(house, 4)
    house.write("north", "WAIT\n" + PASS)
    with house.server.session() as session:
        seats = {(row.game_id, row.name): house.server.seat_address(row) for row in session.exec(select(tables.Seat))}
    house.receive(mail(ANN, seats["g2", "north"], "WAIT\n" + PASS))
    house.clock.set(parse_utc("2026-05-05T20:00"))
    assert house.tick() == 4
    assert house.all(tables.Delay) == []


def write_in(house, games):
    """Ann writes in the seat of north in these games."""
    with house.server.session() as session:
        seats = {(row.game_id, row.name): house.server.seat_address(row) for row in session.exec(select(tables.Seat))}
    for name in games:
        house.receive(mail(ANN, seats[name, "north"], "WAIT\n" + PASS, **{"Date": house.clock.now()}))


@pytest.mark.parametrize(("wrote", "days"), [(2, 1), (4, 0)])
def test_in_a_round_of_one_deadline_the_letters_of_those_whose_phases_are_closed_already_are_a_sign_of_life(
    house, wrote, days
):
    """Games of a round have one deadline: of those who wrote at noon the phases are closed, in five nobody wrote."""
    many(house, 5 + wrote)
    house.clock.set(parse_utc("2026-05-05T12:00"))
    write_in(house, [f"g{number}" for number in range(6, 6 + wrote)])
    with house.server.session() as session:
        for row in session.exec(select(tables.Due)):
            if row.game_id in {f"g{number}" for number in range(6, 6 + wrote)}:
                session.delete(row)
    house.clock.set(parse_utc("2026-05-05T20:00"))
    assert house.tick() == 5
    assert len(house.all(tables.Delay)) == 5 * days


@pytest.mark.parametrize(("before", "days"), [(0, 5), (1, 0)])
def test_seats_that_were_silent_before_tell_nothing_new(house, before, days):
    many(house, 5)
    with house.server.session() as session:
        for row in session.exec(select(tables.Seat).where(tables.Seat.game_id != "g1", tables.Seat.name == "north")):
            row.missed = before
            session.add(row)
    house.clock.set(parse_utc("2026-05-05T20:00"))
    assert house.tick() == 5
    assert len(house.all(tables.Delay)) == days


def test_three_silent_games_are_no_sign(house):
    many(house, 3)
    house.clock.set(parse_utc("2026-05-05T20:00"))
    assert house.tick() == 3
    assert house.all(tables.Delay) == []


@pytest.mark.parametrize(("refused", "days"), [(5, 0), (6, 1)])
def test_when_most_letters_are_refused_deadlines_wait_a_day(house, refused, days):
    house.clock.set(parse_utc("2026-05-05T20:00"))
    with house.server.session() as session:
        letter = session.exec(select(tables.Outbox)).first()
        for number in range(10):
            code = 550 if number < refused else 250
            session.add(tables.Attempt(outbox_id=letter.id, at=house.clock.now(), code=code, text=""))
    assert house.tick() == 1
    assert [row.seconds for row in house.all(tables.Delay)] == [86400] * days


def test_refusals_of_yesterday_are_no_sign(house):
    with house.server.session() as session:
        letter = session.exec(select(tables.Outbox)).first()
        for _ in range(10):
            session.add(tables.Attempt(outbox_id=letter.id, at=house.clock.now(), code=550, text=""))
    house.clock.set(parse_utc("2026-05-05T20:00"))
    assert house.tick() == 1
    assert house.all(tables.Delay) == []


def test_an_outage_gives_the_time_for_answers_back(house, pump):
    """South is asked at noon on Monday and has a day; the mailbox is away from Tuesday at ten to three o'clock."""
    house.write("south", "STANDING FOR Cat\nASK\nENDSTANDING\n")
    house.write("north", "ORDERS T1\nCREEP Bee TO s3\nCREEP Bee TO s5\nEND\n")
    house.clock.forward(minutes=30)
    pump.step()
    run_due_jobs(house.server)
    (segment,) = house.all(tables.Segment)
    before = segment.deadline
    polled_until(house, pump, before - timedelta(hours=2))
    house.sent()
    since = house.clock.now()
    house.clock.set(before + timedelta(hours=3))
    assert run_due_jobs(house.server) == 0
    pump.step()
    (segment,) = house.all(tables.Segment)
    assert segment.deadline == before + (house.clock.now() - since)
    assert [who for who, kind in new_letters(house) if kind == "announcement"] == [BOB]
    pump.step()
    assert house.all(tables.Segment)[0].deadline == segment.deadline
    polled_until(house, pump, segment.deadline)
    assert run_due_jobs(house.server) == 1
    assert [row.state for row in house.all(tables.Phase)] == ["resolved", "open"]
