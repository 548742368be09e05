"""Games at the pace of activations: each letter is carried out at once and reported; DONE or the deadline ends it."""

import json
import os
from itertools import pairwise

import pytest

from pbem.audit.blocks import sha256_hex
from pbem.engine.data.messages import plain_english
from pbem.log.grades import GRADE
from pbem.play import holds
from pbem.play.positions import read_position
from pbem.play.replay import replay
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables
from tests.campaign.test_asking import asks, child, orders
from tests.harness.clock import START
from tests.harness.game import Begun, Plan, PlayedGame
from tests.harness.letters import text_of
from tests.harness.toygame import Telling, Toy

TERMS = Terms(reminder_hours=0, pace="activation")


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path, terms=TERMS, undo_minutes=30)
    yield made
    made.server.engine.dispose()


def write(house, seat, text):
    """A letter, what it is answered, and the letters that follow from it."""
    house.sent()
    house.write(seat, text)
    answer = house.answer()
    house.tick()
    return answer, [text_of(row) for row in house.sent()]


def phases(house):
    return [(row.turn, row.name, row.state) for row in house.all(tables.Phase)]


def kinds(house):
    return [json.loads(row.body)["kind"] for row in house.all(tables.Event)]


def places(house):
    with house.server.work() as work:
        game = queries.games.game(work.session, "g1")
        assert game is not None
        return {name: space for name, _, space in read_position(work, game).state.units}


def same_again(house):
    with house.server.work() as work:
        replayed = replay(work, "g1")
    assert replayed.difference is None
    return replayed.phases


def test_a_letter_is_carried_out_at_once_and_both_are_told(house):
    answer, (north, south) = write(house, "north", orders(1, "CREEP Bee TO s3"))
    assert "They are carried out now, and cannot be taken back. The report follows." in answer
    assert north.startswith(
        "kind: report (en)\n"
        "Your letter is carried out. Another may follow until Tuesday 5 May 2026, 20:00 UTC; DONE ends your phase.\n"
        f"#1 A counter moved. [T1]\n{plain_english(GRADE)}\nORDERS T1 #"
    )
    assert south == (
        "kind: report (en)\n"
        "A letter of the other side is carried out. Others may follow until Tuesday 5 May 2026, 20:00 UTC.\n"
        f"#1 A counter moved. [T1]\n{plain_english(GRADE)}\n"
    )
    assert phases(house) == [(1, "north", "open")]
    assert (places(house)["Bee"], kinds(house)) == (3, [])


def test_the_next_letter_goes_on_from_the_new_position(house):
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    answer, _ = write(house, "north", orders(1, "CREEP Bee TO s3"))
    assert "Bee moves one space at a time." in answer
    _, (north, _) = write(house, "north", orders(1, "CREEP Bee TO s4"))
    assert north.count("A counter moved.") == 2
    assert places(house)["Bee"] == 4
    assert [row.state for row in house.all(tables.QueuedOrders)] == ["carried", "carried"]


def test_what_is_carried_out_cannot_be_cancelled(house):
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    answer, after = write(house, "north", "CANCEL")
    assert "there was nothing to cancel" in answer
    assert (after, places(house)["Bee"]) == ([], 3)


@pytest.mark.parametrize("word", ["DONE", "LISTO"])
def test_done_ends_the_phase(house, word):
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    answer, reports = write(house, "north", word)
    assert "You give no more orders in this phase" in answer
    assert len(reports) == 2
    assert phases(house) == [(1, "north", "resolved"), (1, "south", "open")]
    assert kinds(house) == ["moved", "ended"]
    assert [row.strikes for row in house.all(tables.Seat)] == [0, 0]
    assert same_again(house) == 1


def test_done_may_stand_above_the_last_letter(house):
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    _, reports = write(house, "north", "DONE\n" + orders(1, "MOVE Bee TO s4"))
    assert len(reports) == 2
    assert phases(house) == [(1, "north", "resolved"), (1, "south", "open")]
    assert same_again(house) == 1


def test_done_without_a_letter_is_no_missed_deadline(house):
    write(house, "north", "DONE")
    assert phases(house) == [(1, "north", "resolved"), (1, "south", "open")]
    assert [row.strikes for row in house.all(tables.Seat)] == [0, 0]
    assert same_again(house) == 1


@pytest.mark.parametrize("lines", [(), ("CREEP Bee TO s3",)])
def test_the_deadline_ends_the_phase(house, lines):
    if lines:
        write(house, "north", orders(1, *lines))
    house.clock.set(house.all(tables.Phase)[0].deadline)
    assert house.tick() == 1
    assert phases(house) == [(1, "north", "resolved"), (1, "south", "open")]
    assert house.all(tables.Seat)[0].strikes == (0 if lines else 1)
    assert same_again(house) == 1


def test_a_live_game_always_has_something_due(house):
    for text in (orders(1, "CREEP Bee TO s3"), orders(1, "CREEP Bee TO s4"), "STATUS"):
        write(house, "north", text)
        assert [(row.kind, row.cause) for row in house.all(tables.Due)] == [("close", "deadline")]
        assert house.tick() == 0


def test_each_letter_is_a_segment_with_dice_of_its_own(house):
    write(house, "north", orders(1, "MOVE Bee TO s3"))
    write(house, "north", orders(1, "CREEP Ant TO s2", "MOVE Ant TO s3"))
    write(house, "north", "DONE")
    slates = [row.slate for row in house.all(tables.Segment)]
    assert [slate.split("\n")[3] for slate in slates] == ["segment 1", "segment 2", "segment 3"]
    for before, after in pairwise(slates):
        assert f"\nprevious {sha256_hex(before.encode())}\n" in after
    assert house.all(tables.Phase)[0].slate == slates[0]
    # The revision of the second letter is sealed in the second slate.
    assert "\nseat north 2 " in slates[1]
    assert same_again(house) == 1


def test_a_reaction_may_be_asked_for_in_between(house):
    write(house, "south", asks("Cat", "FLEE"))
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    _, (waits, asked) = write(house, "north", orders(1, "CREEP Bee TO s4", "CREEP Bee TO s5"))
    assert waits.startswith("kind: waiting")
    assert "1. Somebody comes to Cat." in asked
    assert phases(house) == [(1, "north", "closed")]
    answer, _ = write(house, "north", orders(1, "PASS"))
    assert "Orders for turn 1 are closed" in answer
    house.write("south", "1A")
    house.clock.forward(minutes=30)
    house.tick()
    assert phases(house) == [(1, "north", "open")]
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    write(house, "north", "DONE")
    assert phases(house)[0] == (1, "north", "resolved")
    assert kinds(house) == ["moved", "moved", "met", "moved", "ended"]
    assert same_again(house) == 1


def test_a_deadline_that_passes_while_somebody_is_asked_ends_the_phase_after_it(house):
    write(house, "south", asks("Cat"))
    write(house, "north", orders(1, "CREEP Bee TO s3", "CREEP Bee TO s5"))
    house.clock.forward(hours=40)
    house.tick()
    assert phases(house) == [(1, "north", "resolved"), (1, "south", "open")]
    assert same_again(house) == 1


def test_done_is_for_whoever_moves(house):
    answer, _ = write(house, "south", "DONE")
    assert "It is not your phase, or its deadline is past." in answer


def test_done_means_nothing_where_orders_are_carried_out_together(tmp_path):
    house = PlayedGame(tmp_path)
    house.write("north", "DONE")
    assert "Nothing waits for DONE: here all orders of a phase are carried out together." in house.answer()
    house.server.engine.dispose()


def test_status_tells_who_moves(house):
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    answer, _ = write(house, "south", "STATUS")
    assert "Turn 1. north to move, one letter at a time, until DONE or the deadline: Tuesday" in answer


def test_rules_that_cannot_are_told_so(tmp_path, monkeypatch):
    monkeypatch.setattr(Toy, "by_letter", False)
    with pytest.raises(UserError, match="pace=activation cannot be"):
        Begun(tmp_path, Plan("turns", True, TERMS, "toy", (), ()), unsent=True, moment=START)


@pytest.mark.parametrize("letters", [0, 1])
def test_killed_while_it_reports_nothing_is_lost_or_doubled(house, monkeypatch, letters):
    for number in range(letters):
        write(house, "north", orders(1, f"CREEP Bee TO s{3 + number}"))
    house.write("north", orders(1, f"CREEP Bee TO s{3 + letters}"))
    house.sent()
    before = len(house.all(tables.Segment)), len(house.all(tables.Outbox))

    def deadly(*args):
        os._exit(9)

    with monkeypatch.context() as patched:
        patched.setattr(Telling, "report", deadly)
        house.server.engine.dispose()
        assert child(house.tick) == 9
    assert (len(house.all(tables.Segment)), len(house.all(tables.Outbox))) == before
    house.tick()
    assert len(house.all(tables.Segment)) == letters + 1
    assert len(house.sent()) == 2
    assert house.tick() == 0
    write(house, "north", "DONE")
    assert kinds(house) == ["moved"] * (letters + 1) + ["ended"]
    assert same_again(house) == 1


def test_a_held_game_goes_on_where_it_was(house):
    write(house, "north", orders(1, "CREEP Bee TO s3"))
    with house.server.session() as session:
        row = session.get_one(tables.Game, "g1")
        row.state = "held"
    with house.server.work() as work:
        holds.resume_game(work, "g1")
    write(house, "north", orders(1, "CREEP Bee TO s4"))
    assert places(house)["Bee"] == 4
