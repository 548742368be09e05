"""Letters without Message-ID and Date, as somebody writes into a file and hands in: equal bytes may be meant anew."""

import pytest

from pbem.runtime.terms import Terms
from pbem.server.catalogue import ANSWER_COMMANDS
from pbem.store import tables
from tests.harness.clock import START
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail, text_of

BARE = {"Message_ID": None, "Date": None}
HAD = "I have had this letter before, word for word, on Monday 4 May 2026, 12:00 UTC."


@pytest.fixture
def house(tmp_path):
    """South is to be asked for Cat; north stands next to it and has not moved in yet."""
    made = PlayedGame(tmp_path, scenario="turns", undo_minutes=0, terms=Terms(reminder_hours=0))
    made.write("south", "STANDING FOR Cat\nASK\nFLEE\nENDSTANDING\n")
    yield made
    made.server.engine.dispose()


def orders(house, seat, turn, *lines):
    assert house.write(seat, "\n".join([f"ORDERS T{turn}", *lines, "END", ""])).outcome == "receipt"
    house.tick()
    house.sent()


def answers(house):
    return [row.answer for row in house.all(tables.Question)]


@pytest.fixture
def asked_twice(house):
    """South answered the question of turn 1, and is asked again in turn 2."""
    orders(house, "north", 1, "CREEP Bee TO s3", "CREEP Bee TO s5")
    house.write("south", "1A", **BARE)
    house.tick()
    house.clock.forward(minutes=1)
    orders(house, "south", 1, "PASS")
    orders(house, "north", 2, "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.clock.forward(minutes=1)
    assert answers(house) == ['["STAND"]', None]
    return house


def test_the_same_short_answer_to_a_new_question_counts_for_that(asked_twice):
    assert asked_twice.write("south", "1A", **BARE).outcome == "answered"
    assert asked_twice.answer() == (
        "kind: answered (en)\n"
        "The same words came from you before, to an older phase or question; now they count for this one.\n"
        "Your answers are in.\n"
        "1. Somebody comes to Cat. What does it do?:\nA  it stands <- your answer\nB  it flees\n"
    )
    assert answers(asked_twice) == ['["STAND"]', '["STAND"]']
    assert [row.copy_of is not None for row in asked_twice.all(tables.Inbox)][-1]


@pytest.mark.parametrize("kept", ["Date", "Message_ID"])
def test_a_letter_that_says_when_it_was_written_answers_only_once(house, kept):
    header = {"Date": "Mon, 04 May 2026 11:59:00 +0000", "Message_ID": "<one@players.example>"}
    headers = BARE | {kept: header[kept]}
    orders(house, "north", 1, "CREEP Bee TO s3", "CREEP Bee TO s5")
    house.write("south", "1A", **headers)
    house.tick()
    house.clock.forward(minutes=1)
    orders(house, "south", 1, "PASS")
    orders(house, "north", 2, "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.clock.forward(minutes=1)
    assert house.write("south", "1A", **headers).verdict == "copy"
    assert answers(house) == ['["STAND"]', None]


def test_before_anybody_asks_again_it_is_the_old_letter(house):
    orders(house, "north", 1, "CREEP Bee TO s3", "CREEP Bee TO s5")
    house.write("south", "1A", **BARE)
    (old,) = (row.message_id for row in house.sent())
    assert house.write("south", "1A", **BARE).verdict == "copy"
    again, copy = house.sent()
    assert again.message_id == old
    assert text_of(copy) == (
        "kind: refusal (en)\n"
        f"{HAD} I do not carry it out twice; here is the answer again.\n"
        "If you want it again, add something to it, such as a line that begins with #, and send that.\n"
    )


def test_it_is_known_when_it_was_read_too_late_for_the_question(asked_twice):
    """It lay in the mailbox before the question was put: it cannot be an answer to it."""
    raw = mail(BOB, asked_twice.addresses["south"], "1A", **BARE)
    assert asked_twice.receive(raw, moment=START).verdict == "copy"
    assert answers(asked_twice) == ['["STAND"]', None]


@pytest.mark.parametrize("text", ["1A\nPASS", "1A\nPRESS south\nhello\nENDPRESS\n", "RESIGN\n"])
def test_nothing_else_in_it_is_done_twice(asked_twice, text):
    asked_twice.write("south", text, **BARE)
    before = answers(asked_twice)
    asked_twice.clock.forward(minutes=1)
    assert asked_twice.write("south", text, **BARE).verdict == "copy"
    assert answers(asked_twice) == before


def test_a_question_is_answered_by_what_is_true_now(house):
    house.sent()
    house.write("north", "STATUS", **BARE)
    before = house.answer()
    orders(house, "north", 1, "CREEP Bee TO s3")
    assert house.write("north", "STATUS", **BARE).outcome == "status"
    assert house.answer() != before


def test_orders_are_not_put_in_force_a_second_time(house):
    for lines in ("CREEP Bee TO s3", "CREEP Ant TO s2"):
        house.write("north", f"ORDERS T1\n{lines}\nEND\n", **BARE)
    house.sent()
    assert house.write("north", "ORDERS T1\nCREEP Bee TO s3\nEND\n", **BARE).verdict == "copy"
    assert [row.state for row in house.all(tables.QueuedOrders)] == ["replaced", "queued"]
    assert HAD in text_of(house.sent()[-1])


PASS_T2 = "ORDERS T2\nPASS\nEND\n"


def first_turn_over(house):
    """Both sides have ordered in turn 1; a minute later turn 2 is open for north."""
    for seat in ("north", "south"):
        house.clock.forward(minutes=1)
        orders(house, seat, 1, "PASS")
    house.clock.forward(minutes=1)


@pytest.mark.parametrize(
    ("text", "first", "then"),
    [(PASS_T2, "refusal", "receipt"), ("GO\n", "settings", "settings"), (f"WAIT\n{PASS_T2}", "refusal", "receipt")],
)
def test_what_was_written_for_another_phase_counts_in_the_one_that_is_open(house, text, first, then):
    assert house.write("north", text, **BARE).outcome == first
    first_turn_over(house)
    assert house.write("north", text, **BARE).outcome == then
    assert "to an older phase or question; now they count for this one." in text_of(house.sent()[-1])
    assert house.write("north", text, **BARE).verdict == "copy"


def test_orders_of_a_turn_that_is_over_are_told_so_and_do_nothing(house):
    orders(house, "north", 1, "PASS")
    house.write("south", "ORDERS T1\nPASS\nEND\n", **BARE)
    house.clock.forward(minutes=1)
    house.tick()
    before = len(house.all(tables.QueuedOrders))
    assert house.write("south", "ORDERS T1\nPASS\nEND\n", **BARE).outcome in ("closed", "refusal")
    assert len(house.all(tables.QueuedOrders)) == before


def test_what_lay_in_the_mailbox_before_the_phase_was_opened_is_the_old_letter(house):
    raw = mail(ANN, house.addresses["north"], PASS_T2, **BARE)
    house.receive(raw)
    first_turn_over(house)
    assert house.receive(raw, moment=START).verdict == "copy"


@pytest.mark.parametrize("text", [f"PRESS TO south\nhello\nENDPRESS\n{PASS_T2}", f"RESIGN\n{PASS_T2}", "SAY hello\n"])
def test_what_is_of_no_phase_is_done_once_whatever_opens(house, text):
    house.write("north", text, **BARE)
    first_turn_over(house)
    assert house.write("north", text, **BARE).verdict == "copy"


def test_only_respond_answers_what_is_asked():
    assert {"respond"} == ANSWER_COMMANDS
