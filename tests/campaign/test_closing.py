"""What moves the closing of a phase is in the log when it happens, and told to all whom it concerns."""

from datetime import timedelta

import pytest

from pbem.audit import leaves
from pbem.log import closing_times
from pbem.play import deadlines, outage_guard
from pbem.play.positions import read_position
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.server import bounces
from pbem.store import queries, tables
from pbem.store.tables import log as t
from tests.campaign.test_recorded import ASK, Recorded, acts, wrong
from tests.harness.game import ANN, BOB
from tests.harness.letters import mail
from tests.harness.server import make_once

CANCEL, PASS = "CANCEL\n", "ORDERS T{}\nPASS\nEND\n"


@pytest.fixture
def house(tmp_path):
    house = Recorded(tmp_path, undo_minutes=30)
    yield house
    house.server.engine.dispose()


def list_closings(house):
    """What the log says of closing times: the cause and the time from now, in minutes."""
    leaves_read = [
        leaves.parse(row.body, row.says)
        for row in sorted(house.all(t.Leaf), key=lambda row: row.seq)
        if row.game == "g1"
    ]
    now = closing_times.second(house.clock.now())
    return [(leaf("cause"), (leaf.number("D") - now) // 60) for leaf in leaves_read if leaf.kind == "deadline"]


def planned(house):
    """Minutes until the phase closes as things stand."""
    closes = min(row.at for row in house.all(tables.Due) if row.kind == "close")
    return (closing_times.second(closes) - closing_times.second(house.clock.now())) // 60


def letter(house, seat, text):
    house.write(seat, text)
    house.sent()
    return list_closings(house)[-1]


def rule(house, line):
    with house.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(line))
    house.sent()


TOOK = "g1 T1.north~1: leaf 5 says that a letter of yours took your orders back: whether you sent it you alone know"
"""What a verifier tells of CANCEL."""


def all_true(house):
    for who in (ANN, BOB):
        verdict = house.judge(who)
        assert [wrong_check for wrong_check in wrong(verdict) if wrong_check != ("own", (TOOK,))] == []


def test_what_players_move(house):
    day = planned(house)
    assert letter(house, "north", PASS.format(1)) == ("all-in", 30)
    assert letter(house, "south", "WAIT\n") == ("all-in", day)
    assert letter(house, "south", "NOWAIT\n") == ("all-in", 30)
    assert letter(house, "north", CANCEL) == ("all-in", day)
    assert letter(house, "north", "EXTEND 2h\n") == ("extend", day + 120)
    away = house.clock.now().date() + timedelta(days=1)
    assert letter(house, "north", f"VACATION {away} TO {away}\n")[0] == "vacation"
    assert letter(house, "north", PASS.format(1)) == ("all-in", 30)
    assert letter(house, "north", "GO\n") == ("go", 0)
    assert planned(house) == 0
    count = len(list_closings(house))
    house.tick()
    assert len(list_closings(house)) == count
    assert "result" in acts(house)
    all_true(house)


def test_who_moved_it_has_a_receipt_and_the_others_hear_of_it(house):
    letter(house, "north", "EXTEND 2h\n")
    for who in (ANN, BOB):
        shown = house.shown(who)[-1]
        assert leaves.parse(shown.leaves[-1].data).kind == "deadline"
        assert shown.letter == "receipt"


def test_a_letter_that_moves_nothing_says_nothing(house):
    house.write("north", "HELP\n")
    house.write("south", ASK.format(unit="Cat"))
    assert list_closings(house) == []
    assert acts(house) == ["open", "order"]


def test_what_the_moderator_moves(house):
    rule(house, "DEADLINE 2026-05-09 18:30 BECAUSE of the holiday")
    assert list_closings(house)[-1] == ("moderator", planned(house))
    rule(house, "HOLD BECAUSE of a doubt")
    house.clock.forward(days=9)
    rule(house, "RESUME BECAUSE it is gone")
    assert list_closings(house)[-1] == ("moderator", planned(house))
    rule(house, "PROCESS T1.north BECAUSE both asked for it")
    assert list_closings(house)[-1] == ("moderator", 0)
    assert acts(house).count("ruling") == 4
    texts = [ruling.text for read in house.shown(ANN) for ruling in read.rulings]
    assert '"line":"PROCESS T1.north","number":4,"reason":"both asked for it"' in "".join(texts)
    all_true(house)


def test_what_trouble_moves(house):
    house.clock.forward(hours=12)
    now = house.clock.now()
    with house.server.work() as work:
        outage_guard.handle_polling_gap(work, now - timedelta(hours=30), now)
    house.sent()
    assert list_closings(house)[-1] == ("outage", planned(house))
    with house.server.session() as session:
        game = queries.games.game(session, "g1")
        assert game is not None
        position, phase = (
            read_position(Transaction(session, house.server, house.server.clock.now()), game),
            queries.phases.open_phase(session, "g1"),
        )
        assert phase is not None
        to = phase.deadline + timedelta(days=1)
        deadlines.move_deadline(
            Transaction(session, house.server, now),
            position,
            phase,
            deadlines.DeadlineMove(to, cause=bounces.UNREACHABLE_CAUSE),
        )
    assert list_closings(house)[-1] == ("bounce", planned(house))
    house.clock.set(to)
    house.tick()
    all_true(house)


def test_late_letters_count_until_the_log_says(tmp_path):
    """By terms that give late letters an hour, the closing time in the log is after it."""
    house = Recorded(tmp_path, terms=Terms(reminder_hours=0, late_minutes=60), undo_minutes=30)
    house.clock.forward(minutes=planned(house) - 5)
    assert house.write("north", PASS.format(1)).outcome == "receipt"
    house.sent()
    assert list_closings(house) == []
    house.clock.forward(minutes=5)
    house.tick()
    all_true(house)
    house.server.engine.dispose()


def test_a_letter_by_a_clock_that_is_ahead_of_ours_was_in_time(tmp_path):
    """The mailbox says when a letter came, and what it says is in the log: the closing time is not before it."""
    house = make_once(tmp_path, Recorded)
    ahead = house.clock.now() + timedelta(seconds=90)
    house.receive(mail(ANN, house.addresses["north"], PASS.format(1)), moment=ahead)
    house.sent()
    assert list_closings(house) == [("all-in", 1)]
    house.tick()
    assert "result" in acts(house)
    all_true(house)
    house.server.engine.dispose()
