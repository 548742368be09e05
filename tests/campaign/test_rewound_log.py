"""Rulings that change what has happened, in recorded games: what letters carry is true, before and after."""

import pytest

from pbem.audit import leaves
from pbem.play.replay import replay
from pbem.play.rulings import ruling_lines
from pbem.store import tables
from pbem.store.tables import log as t
from pbem.verifier.record import FALSE, NOT_CHECKED, OK
from tests.campaign.test_beacons import Waiting, dues, out, shut
from tests.campaign.test_disclosing import alone, conceded, disclosure
from tests.campaign.test_recorded import ASK, Recorded, both_ways, left
from tests.campaign.test_rerun import full, kept
from tests.campaign.test_rewinding import otherwise
from tests.harness.game import ANN, BOB
from tests.harness.server import make_once

WHY = " BECAUSE it was read wrongly"


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Recorded)
    yield house
    house.server.engine.dispose()


def rule(house, line):
    with house.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(line + WHY))
    house.tick()


def all_true(house, *changed):
    """What each kept verifies, and so does what both kept; the game replays.

    `changed` are the attempts that did not begin where the first did: whether the rulings made that, full mode says.
    """
    for together in ((ANN,), (BOB,), (ANN, BOB)):
        verdict = house.judge(*together)
        assert [(line.check, line.why) for line in verdict.lines if line.status == FALSE] == []
    for who in (ANN, BOB):
        assert_attempts(house.judge(who), changed)
    with house.server.work() as work:
        assert replay(work, "g1").difference is None


def assert_attempts(verdict, changed):
    """Nothing is wrong, and of these attempts alone the beginning is left to full mode."""
    why = "it did not begin in the position in which the first attempt began: whether rulings made that, full mode says"
    results = {line.check: (line.status, sorted(line.why)) for line in left(verdict)}
    assert results == (
        {"attempts": (NOT_CHECKED, [f"g1 {name}: {why}" for name in sorted(changed)])} if changed else {}
    )


def closes(house):
    return [row.phase for row in house.all(t.Leaf) if row.kind == "close"]


def test_a_phase_played_again_is_two_closes_of_two_attempts(house):
    both_ways(house, ["MOVE Bee TO s3"], ["MOVE Dog TO s7"])
    rule(house, "REOPEN T1.north")
    both_ways(house, ["MOVE Bee TO s3"], ["MOVE Dog TO s7"])
    assert closes(house) == ["T1.north~1", "T1.south~1", "T1.north~2", "T1.south~2"]
    first, again = (row.rolls for row in house.all(tables.Phase) if row.name == "north" and row.rolls)
    assert first != again
    all_true(house, "T1.south~2", "T2.north~2")


def test_a_reopened_pause_is_no_second_close_of_its_attempt(house):
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    moves = ("CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.orders("north", 1, *moves)
    house.tick()
    rule(house, "REOPEN T1.north")
    house.orders("north", 1, *moves)
    house.tick()
    house.write("south", "1A\n")
    house.sent()
    house.tick()
    assert closes(house) == ["T1.north~1", "T1.north~2", "T1.north~2"]
    all_true(house)


def test_a_phase_resolved_once_more_is_closed_once_and_the_next_opened_on_what_came_of_it(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    rule(house, "EDIT UNIT Cat AT s9")
    rule(house, "READJUDICATE T1.north")
    house.orders("south", 1, "MOVE Dog TO s7")
    house.tick()
    assert closes(house) == ["T1.north~1", "T1.south~1", "T1.south~2"]
    mine = [leaves.parse(row.body, row.says) for row in house.all(t.Leaf) if row.phase == "T1.north~1"]
    *_, result, again, last = [leaf for leaf in mine if leaf.kind in ("result", "again")]
    assert [leaf.kind for leaf in (result, again, last)] == ["result", "again", "result"]
    assert (again("run"), again("ruling")) == ("2", "2")
    assert result("state") != last("state")
    all_true(house, "T1.south~2", "T2.north~2", "T2.north~3")


def test_orders_that_still_stand_are_sealed_for_the_phase_opened_anew(house):
    house.write("north", "WAIT\nORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.sent()
    rule(house, "EDIT UNIT Cat AT s9")
    sealed = [leaves.parse(row.body, row.says) for row in house.all(t.Leaf) if row.kind == "order"]
    assert [(leaf("phase"), leaf("rev")) for leaf in sealed] == [("T1.north~1", "1"), ("T1.north~2", "1")]
    house.write("north", "GO\n")
    house.sent()
    house.tick()
    assert closes(house) == ["T1.north~2"]
    all_true(house, "T1.north~2")


def opened(house):
    """The game ends: what its last letter alone says is true, and full mode finds nothing false."""
    conceded(house)
    assert FALSE not in alone(disclosure(house)).values()
    line = full(kept(house, ANN))
    assert (line.status, line.why) == (OK, ())


def test_a_game_with_every_such_ruling_is_run_again_from_its_letters(house):
    both_ways(house, ["CREEP Ant TO s2"], ["MOVE Dog TO s7"])
    rule(house, "REOPEN T1.north")
    both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
    rule(house, "EDIT UNIT Cat AT s9")
    rule(house, "READJUDICATE T1.north")
    house.orders("south", 1, "MOVE Dog TO s7")
    house.tick()
    opened(house)


def test_corrected_rules_excuse_the_phase_that_was_resolved_once_more_and_no_other(house, monkeypatch):
    both_ways(house, ["CREEP Ant TO s2"], ["CREEP Dog TO s7"])
    otherwise(monkeypatch)
    assert full(kept(house, ANN, BOB)).status == NOT_CHECKED
    rule(house, "READJUDICATE T1.north")
    house.orders("south", 1, "CREEP Dog TO s7")
    house.tick()
    conceded(house)
    assert FALSE not in alone(disclosure(house)).values()
    line = full(kept(house, ANN))
    assert line.status == FALSE
    assert {finding.sentence for finding in line.found if finding.truth is False} == {
        "g1 T1.south~1: what happened is not as logged",
        "g1 T1.south~1: its end is not as logged",
        "g1 T2.north~1: it does not begin where it must",
    }
    mended = "g1 T1.north~1: ruling M1 had it resolved once more; before that"
    assert {finding.sentence for finding in line.found if finding.truth is None} == {
        f"{mended} what happened is not as logged",
        f"{mended} its end is not as logged",
    }
    monkeypatch.undo()
    line = full(kept(house, ANN))
    assert line.status == FALSE
    assert {why.partition(":")[0] for why in line.why} >= {"g1 T1.north~1 run 2"}


def test_a_turn_says_for_which_rules_and_which_pace_it_is_opened(house):
    (leaf,) = [leaves.parse(row.body, row.says) for row in house.all(t.Leaf) if row.kind == "open"]
    assert leaf.says[-5:] == (
        ("system", "toy"),
        ("pace", "phase"),
        ("opened", "played"),
        ("bots", "-"),
        ("ruling", "-"),
    )


def test_what_a_correction_was_about_is_not_in_the_log(house):
    rule(house, "EDIT UNIT Cat AT s9")
    (leaf,) = [row for row in house.all(t.Leaf) if row.kind == "ruling"]
    assert "Cat" not in leaf.opens
    assert "EDIT" in leaf.opens
    assert not [ruling for read in house.shown(ANN) for ruling in read.rulings if "Cat" in ruling.text]


def corrected(house):
    both_ways(house, ["CREEP Ant TO s2"], ["CREEP Dog TO s7"])
    rule(house, "EDIT UNIT Cat AT s9")
    conceded(house)
    return disclosure(house)


def test_what_a_correction_was_about_is_opened_at_the_end(house):
    made = corrected(house)
    assert [ruling.text for ruling in made.rulings if "Cat" in ruling.text] == ["EDIT UNIT Cat AT s9"]
    assert {check: result for check, result in alone(made).items() if result != OK} == {"attempts": NOT_CHECKED}


@pytest.mark.parametrize("others", [(), ("EDIT UNIT Cat AT s8",)], ids=["withheld", "other words"])
def test_a_correction_that_is_not_opened_as_it_was_made_is_found(house, others):
    made = corrected(house)
    first_ruling, whole = made.rulings
    assert whole.text == "EDIT UNIT Cat AT s9"
    lie = made._replace(rulings=(first_ruling, *(whole._replace(text=text) for text in others)))
    assert alone(lie)["opened"] == FALSE


def test_dice_that_wait_for_a_beacon_are_thrown_anew_or_again(tmp_path):
    """A phase is reopened while it waits for its round, another is resolved once more by the round it had."""
    house = make_once(tmp_path, Waiting)
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    rule(house, "REOPEN T1.north")
    assert dues(house) == []
    shut(house, "north", 1, 1000, "MOVE Ant TO s2")
    out(house, 1000)
    rolled = [row.rolls for row in house.all(tables.Phase) if row.rolls]
    rule(house, "EDIT UNIT Dog AT s9")
    rule(house, "READJUDICATE T1.north")
    assert [row.rolls for row in house.all(tables.Phase) if row.rolls] == rolled * 2
    for who in (ANN, BOB):
        assert_attempts(house.judge(who), ("T1.south~2", "T1.south~3"))
    with house.server.work() as work:
        assert replay(work, "g1") == (1, None)
    house.server.engine.dispose()
