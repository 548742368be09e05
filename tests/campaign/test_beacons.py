"""Games whose dice wait for a beacon: closed and told to all, then the round, then the dice, and never another."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache

import pytest
from sqlmodel import select

from pbem.audit import beacon, leaves, rolls
from pbem.audit.beacon import QUICKNET
from pbem.play import beacons, holds
from pbem.play.replay import replay
from pbem.play.rulings import appointment, ruling_lines
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import UserError
from pbem.server.health import read_health
from pbem.store import tables
from pbem.store.tables import log as t
from tests.audit import standalone
from tests.audit.checked import items, verify
from tests.audit.small_server import ROUNDS
from tests.campaign.test_recorded import ASK, Recorded, acts, wrong
from tests.harness.clock import Clock
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import text_of
from tests.harness.server import make_once, open_server

DELTA = 600
TERMS = Terms(reminder_hours=0, beacon="quicknet", delta=DELTA)
check = lru_cache(beacon.verify_round)
MONTH = {"undo_minutes": 0, "grace_hours": 24 * 40}


def moment(number):
    return datetime.fromtimestamp(beacon.round_time(QUICKNET, number), UTC)


def closing(number):
    """When a phase has to close so that its dice wait for this round."""
    return moment(number) - timedelta(seconds=DELTA + 1)


class Waiting(Recorded):
    """A house in the year of the rounds that are known, whose letters say when a mailbox took them."""

    def __init__(self, folder, **more):
        Clock(path=folder / "clock").set(closing(123) - timedelta(hours=1))
        super().__init__(folder, **{"terms": TERMS} | MONTH | more)

    def sent(self):
        counts = {who: len(kept) for who, kept in self.kept.items()}
        rows = super().sent()
        took = f"Received: by mail.example; {format_datetime(self.clock.now())}\r\n".encode()
        for who, kept in self.kept.items():
            kept[counts[who] :] = [took + raw for raw in kept[counts[who] :]]
        return rows

    def all_true(self, *addresses):
        for who in addresses or (ANN, BOB):
            items_shown = [item for index, raw in enumerate(self.kept[who]) for item in items(f"{who}{index}", raw)]
            verdict = verify(items_shown)
            assert wrong(verdict) == []
            assert standalone.statuses(items_shown) == {line.check: line.status for line in verdict.lines}


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Waiting)
    yield house
    house.server.engine.dispose()


def shut(house, seat, turn, number, *lines):
    """Orders that close a phase in time for a round; the letters that were sent about it."""
    house.clock.set(closing(number))
    assert house.write(seat, "\n".join([f"ORDERS T{turn}", *(lines or ["PASS"]), "END", ""])).outcome == "receipt"
    house.sent()
    house.poll()
    ticked(house)
    return house.sent()


def ticked(house):
    from pbem.server.scheduler import run_due_jobs

    return run_due_jobs(house.server)


def out(house, number, relay=ROUNDS.get):
    """The round is out, and the network is asked; the letters of what follows."""
    house.clock.set(moment(number))
    beacons.fetch_rounds(house.server, lambda chain, wanted: relay(wanted), check)
    house.poll()
    ticked(house)
    return house.sent()


def dues(house):
    return [(row.kind, row.cause, row.at) for row in house.all(tables.Due) if row.kind == beacons.ROUND]


def phases(house):
    return [(row.name, row.state) for row in house.all(tables.Phase)]


def test_the_list_is_closed_and_told_to_all_before_the_round_is_out(house):
    mails = shut(house, "north", 1, 123, "CREEP Bee TO s3")
    assert [(row.kind, row.recipient) for row in mails] == [("sealed", ANN), ("sealed", BOB)]
    assert "round 123 of the public beacon, which comes out at Wednesday 23 August 2023, 15:15 UTC" in text_of(mails[0])
    assert acts(house)[-1] == "close"
    assert dues(house) == [(beacons.ROUND, f"{QUICKNET.hash} 123", moment(123))]
    for who in (ANN, BOB):
        letter = house.shown(who)[-1]
        assert (letter.letter, letter.grade) == ("closed", "-")
        (slate,) = map(rolls.parse_closed_orders, letter.slates)
        assert (slate.chain, slate.beacon_round) == (QUICKNET.hash, 123)
    house.clock.set(moment(123) - timedelta(seconds=1))
    assert beacons.fetch_rounds(house.server, lambda chain, number: ROUNDS[number], check) == 0
    assert ticked(house) == 0


def test_where_a_bot_may_write_the_dice_are_claimed_to_be_no_more_than_grade_c(house):
    shut(house, "north", 1, 123, "CREEP Bee TO s3")
    with house.server.work() as work:
        (seat,) = [seat for seat in work.session.exec(select(tables.Seat)).all() if seat.name == "north"]
        seat.bot = "careful"
        work.session.add(seat)
    out(house, 123)
    shut(house, "south", 1, 1000, "MOVE Dog TO s7")
    reports = [row for row in out(house, 1000) if row.kind == "report"]
    assert "grade C this time; a bot could write in this phase" in text_of(reports[0])
    assert "a bot could write in this phase: north careful" in text_of(reports[0])
    house.all_true()
    assert {read.grade for read in house.shown(ANN)} == {"-", "B", "C"}


def test_a_round_brings_the_dice_and_the_report_says_what_they_are_worth(house):
    shut(house, "north", 1, 123, "CREEP Bee TO s3")
    mails = out(house, 123)
    assert [row.kind for row in mails if row.kind != "announcement"] == ["report", "report"]
    assert "grade B, from round 123 of the beacon" in text_of(mails[0])
    assert phases(house) == [("north", "resolved"), ("south", "open")]
    assert dues(house) == []
    house.all_true()
    shut(house, "south", 1, 1000, "MOVE Dog TO s7")
    assert out(house, 1000)
    house.all_true()
    assert {read.grade for read in house.shown(ANN)} == {"-", "B"}
    with house.server.work() as work:
        assert replay(work, "g1") == (2, None)


def test_the_server_names_the_beacon_once(house):
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    out(house, 123)
    leaves_read = [leaves.parse(row.body, row.says) for row in house.all(t.Leaf) if row.game == "-"]
    assert [(leaf.kind, leaf("chain")) for leaf in leaves_read] == [("genesis", "none"), ("beacon", QUICKNET.hash)]


RELAYS = {
    "gone": lambda number: None,
    "another round": lambda number: ROUNDS[1000],
    "a bit flipped": lambda number: ROUNDS[number][:-1] + bytes([ROUNDS[number][-1] ^ 1]),
    "nothing at all": lambda number: bytes(48),
    "the point at infinity": lambda number: b"\xc0" + bytes(47),
    "too short": lambda number: ROUNDS[number][:47],
}


@pytest.mark.parametrize("relay", RELAYS)
def test_a_round_is_waited_for_and_never_replaced(house, relay):
    shut(house, "north", 1, 123, "CREEP Bee TO s3")
    assert out(house, 123, RELAYS[relay]) == []
    house.clock.forward(days=2)
    assert ticked(house) == 1
    assert {row.kind for row in house.sent()} == {"announcement", "fault"}
    assert ticked(house) == 0
    assert acts(house)[-1] == "close"
    assert house.server.caches.rounds == {}
    beacons.fetch_rounds(house.server, lambda chain, number: ROUNDS[number], check)
    ticked(house)
    assert "result" in acts(house)
    assert [leaf("sig") for leaf in _leaves(house, "roll")] == [ROUNDS[123].hex()]


def test_a_round_that_is_hours_late_is_told_of_and_again_each_day(house):
    with house.server.work() as work:
        appointment.appoint(work, appointment.Appointment(game="g1", email="mo@bench.example"))
    house.sent()
    shut(house, "north", 1, 123, "CREEP Bee TO s3")
    house.clock.set(moment(123) + house.server.settings.late - timedelta(seconds=1))
    assert ticked(house) == 0
    house.clock.forward(seconds=1)
    assert ticked(house) == 1
    mails = house.sent()
    assert {row.recipient for row in mails} == {ANN, BOB, "mo@bench.example", "op@games.example"}
    (ann,) = [text_of(row) for row in mails if row.recipient == ANN]
    assert "round 123 of the public beacon, which should have come out at Wednesday 23 August 2023, 15:15 UTC" in ann
    assert "Nothing is lost, and nothing takes its place" in ann
    assert "pbem doctor" in next(text_of(row) for row in mails if row.recipient == "mo@bench.example")
    with house.server.session() as session:
        health = read_health(session, house.clock.now())
    assert (health.rounds, health.waited) == (1, moment(123))
    house.clock.forward(hours=23)
    assert ticked(house) == 0
    house.clock.forward(hours=1)
    assert ticked(house) == 1
    assert {row.recipient for row in house.sent()} == {"mo@bench.example", "op@games.example"}
    beacons.fetch_rounds(house.server, lambda chain, number: ROUNDS[number], check)
    ticked(house)
    assert "result" in acts(house)
    assert not [row for row in house.all(tables.Due) if row.kind in (beacons.ROUND, beacons.LATE)]
    house.sent()
    house.all_true()


def _leaves(house, kind):
    return [leaves.parse(row.body, row.says) for row in house.all(t.Leaf) if row.kind == kind]


def test_killed_between_close_and_roll_the_same_dice_follow(house):
    shut(house, "north", 1, 123, "CREEP Bee TO s3", "CREEP Bee TO s4")
    closed = [row.body for row in house.all(t.Leaf) if row.kind == "close"]
    beacons.fetch_rounds(house.server, lambda chain, number: ROUNDS[number], check)
    house.server.engine.dispose()
    house.server = open_server(house.folder)
    assert house.server.caches.rounds == {}
    assert ticked(house) == 0
    out(house, 123)
    assert [row.body for row in house.all(t.Leaf) if row.kind == "close"] == closed
    house.all_true()
    house.server.engine.dispose()
    house.server = open_server(house.folder)
    with house.server.work() as work:
        assert replay(work, "g1") == (1, None)


def test_letters_while_the_dice_are_waited_for(house):
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    for text, answer in (
        ("ORDERS T1\nMOVE Ant TO s3\nEND\n", "The dice wait for a round of the public beacon"),
        ("STATUS\n", "The dice wait for a round of the public beacon"),
    ):
        house.write("north", text)
        assert answer in text_of(house.sent()[-1])
    out(house, 123)
    assert phases(house)[0] == ("north", "resolved")
    house.all_true()


def test_why_says_what_the_dice_waited_for(house):
    """And the line that throws a die again is by the key of that round."""
    shut(house, "north", 1, 123, "MOVE Bee TO s3")
    out(house, 123)
    house.write("north", "WHY #1\n")
    letter_text = text_of(house.sent()[-1])
    assert "openssl dgst" in letter_text
    assert "before that round nobody could know it" in letter_text


def test_held_and_resumed_it_waits_again(house):
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    with house.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line("HOLD BECAUSE of a doubt"))
    assert dues(house) == []
    house.clock.set(moment(123))
    assert ticked(house) == 0
    with house.server.work() as work:
        holds.resume_game(work, "g1")
    assert len(dues(house)) == 1
    out(house, 123)
    assert "result" in acts(house)


def test_answers_by_letter_meet_dice_of_a_later_round(house):
    """The round of the next segment is in the log before anybody answers."""
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    shut(house, "north", 1, 123, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    mails = out(house, 123)
    assert {row.kind for row in mails} == {"question", "waiting"}
    fixed = _leaves(house, "deadline")[-1]
    assert fixed.number("round") == beacon.first_round_from(QUICKNET, fixed.number("D") + DELTA)
    house.clock.set(closing(1000))
    house.write("south", "1A\n")
    house.poll()
    ticked(house)
    assert [row.kind for row in house.sent()] == ["answered", "sealed", "sealed"]
    assert acts(house).count("close") == 2
    assert out(house, 1000)
    assert acts(house).count("roll") == 2
    house.all_true()
    with house.server.work() as work:
        assert replay(work, "g1") == (1, None)


def test_closed_after_its_round_was_out_the_grade_is_c(house):
    """The server was down: the round stays the one that was fixed, and the report says what that is worth."""
    house.clock.set(closing(123))
    house.write("north", "ORDERS T1\nCREEP Bee TO s3\nEND\n")
    house.sent()
    house.clock.set(moment(123) + timedelta(minutes=1))
    house.poll()
    ticked(house)
    assert acts(house)[-1] == "close"
    beacons.fetch_rounds(house.server, lambda chain, number: ROUNDS[number], check)
    ticked(house)
    letter = house.sent()[-1]
    assert "grade C this time; " in text_of(letter)
    assert house.shown(ANN)[-1].grade == "C"
    house.all_true()


def refused(tmp_path, terms=TERMS):
    with pytest.raises(UserError) as why:
        PlayedGame(tmp_path, terms=terms)
    return str(why.value)


def test_games_that_cannot_have_a_beacon(tmp_path, monkeypatch):
    assert "cannot wait for a beacon" in refused(tmp_path, TERMS._replace(pace=ACTIVATION_PACE))
    monkeypatch.setattr(beacon, "is_library_installed", lambda: False)
    assert 'install "pbem[beacon]"' in refused(tmp_path)


def test_orders_written_before_their_phase_wait_for_its_round_and_verify(house):
    house.write("south", "LATER T1\nMOVE Dog TO s9\nEND\n")
    house.sent()
    shut(house, "north", 1, 123, "@ CREEP Bee TO s3")
    out(house, 123)
    house.clock.set(closing(1000))
    house.write("south", "GO")
    house.sent()
    house.poll()
    ticked(house)
    house.sent()
    out(house, 1000)
    assert [row.origin for row in house.all(tables.QueuedOrders)] == ["letter", "later", "repeated"]
    house.all_true()
    with house.server.work() as work:
        assert replay(work, "g1") == (2, None)
