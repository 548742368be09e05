"""BEACON CHANGE: a round that does not come holds no game for ever; past its closing time a phase can only close."""

from datetime import timedelta

import pytest

from pbem.audit.beacon import QUICKNET
from pbem.play import holds
from pbem.play.replay import replay
from pbem.play.rulings import ruling_lines
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.campaign.test_beacons import Waiting, _leaves, closing, moment, out, phases, shut, ticked
from tests.harness.game import ANN, BOB
from tests.harness.letters import text_of
from tests.harness.server import make_once


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Waiting)
    yield house
    house.server.engine.dispose()


def rule(house, line):
    with house.server.work() as work:
        ruled = ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(f"{line} BECAUSE it is gone"))
    return [text_of(row) for row in house.sent()], ruled


def late(house):
    shut(house, "north", 1, 123, "CREEP Bee TO s3")
    house.clock.set(moment(123) + house.server.settings.late)


def test_it_can_be_ruled_only_once_the_round_is_hours_late(house):
    with pytest.raises(UserError, match="No dice of"):
        rule(house, "BEACON CHANGE T1.north none")
    late(house)
    house.clock.forward(seconds=-1)
    with pytest.raises(UserError, match="can another take its place"):
        rule(house, "BEACON CHANGE T1.north none")
    assert phases(house)[-1] == ("north", "closed")


@pytest.mark.parametrize("line", ["BEACON T1.north none", "BEACON CHANGE T1.north moon", "BEACON CHANGE T1.south none"])
def test_a_line_that_says_something_else_is_refused(house, line):
    late(house)
    with pytest.raises(UserError):
        rule(house, line)


@pytest.mark.parametrize("line", ["BEACON CHANGE T1.north none", "FARO CAMBIAR T1.north ninguno"])
def test_with_none_the_dice_follow_from_the_closed_list_alone_and_all_are_told(house, line):
    late(house)
    letters, _ = rule(house, line)
    assert "wait for round 123 of the beacon no longer, which has not come" in letters[0]
    assert "grade C: whoever runs this server could foresee them, or choose when this was ruled." in letters[0]
    assert phases(house)[:2] == [("north", "resolved"), ("south", "open")]
    report = next(text for text in letters if "kind: report" in text)
    assert "grade C this time; by a ruling they did not wait for the beacon" in report
    (change,) = _leaves(house, "beacon-change")
    assert [change(key) for key in ("phase", "segment", "ruling", "chain", "round")] == [
        "T1.north~1",
        "1",
        "1",
        "none",
        "0",
    ]
    assert [leaf("sig") for leaf in _leaves(house, "roll")] == ["none"]
    assert {made.grade for made in house.shown(ANN)} == {"-", "C"}
    assert not [row for row in house.all(tables.Due) if row.kind in ("round", "late")]
    with house.server.work() as work:
        assert replay(work, "g1") == (1, None)


def test_with_a_chain_they_wait_for_a_round_that_is_still_to_come(house):
    shut(house, "north", 1, 123, "CREEP Bee TO s3")
    house.clock.set(closing(657413))
    rule(house, "BEACON CHANGE T1.north quicknet")
    assert [row.cause for row in house.all(tables.Due) if row.kind == "round"] == [f"{QUICKNET.hash} 657413"]
    assert out(house, 123) == []
    assert phases(house)[-1] == ("north", "closed")
    mails = out(house, 657413)
    assert "grade C this time" in next(text_of(row) for row in mails if row.recipient == BOB and row.kind == "report")
    assert [leaf.number("round") for leaf in _leaves(house, "beacon-change")] == [657413]


def test_the_phase_after_it_waits_for_the_beacon_again(house):
    late(house)
    rule(house, "BEACON CHANGE T1.north none")
    shut(house, "south", 1, 657413, "MOVE Dog TO s7")
    mails = out(house, 657413)
    assert "grade B, from round" in next(text_of(row) for row in mails if row.kind == "report")


def test_a_closing_that_was_moved_when_its_round_was_out_is_told_with_grade_c(house):
    (deadline,) = [row.deadline for row in house.all(tables.Phase)]
    with house.server.session() as session:
        phase = session.get_one(tables.Phase, 1)
        phase.deadline = closing(123)
        session.add(phase)
    with house.server.work() as work:
        from pbem.play import deadlines
        from pbem.play.positions import lock_game, read_position

        position = read_position(work, lock_game(work.session, "g1"))
        phase = work.session.get_one(tables.Phase, 1)
        deadlines.move_deadline(work, position, phase, deadlines.DeadlineMove(closing(123), "moderator"))
    house.sent()
    rule(house, "HOLD")
    house.clock.set(moment(123) + timedelta(seconds=5))
    with house.server.work() as work:
        holds.resume_game(work, "g1")
    house.sent()
    shut(house, "north", 1, 657413, "CREEP Bee TO s3")
    mails = out(house, 657413)
    report = next(text_of(row) for row in mails if row.kind == "report")
    assert "round 123 was out when the closing moved" in report
    assert deadline


def test_past_its_closing_time_a_moderator_moves_no_deadline(house):
    (row,) = house.all(tables.Phase)
    house.clock.set(row.deadline)
    with pytest.raises(UserError, match="it can only be closed now"):
        rule(house, "EXTEND 48h")


def test_past_its_closing_time_a_player_moves_no_deadline(house):
    with house.server.session() as session:
        game = session.get_one(tables.Game, "g1")
        game.undo_minutes = 30
        session.add(game)
    house.orders("north", 1, "MOVE Ant TO s2")
    house.clock.forward(minutes=31)
    for line in ("EXTEND 48h", "WAIT"):
        house.write("north", f"{line}\n")
        assert "the time to change them is over: the phase closes now." in house.answer()
    first = house.clock.now().date()
    house.write("north", f"VACATION {first} TO {first + timedelta(days=3)}\n")
    assert not any("The deadline of this turn is now" in text_of(row) for row in house.sent())
    house.poll()
    assert ticked(house) == 1
