"""Orders in quotes: an old one is never carried out again, and what was left out is told."""

import pytest

from pbem.store import tables
from tests.campaign.house import House

FIRST = "MOVE Ant TO s2"
SECOND = "MOVE Bee TO s3"
ASKED = "Orders stood only in the quoted part; if they are to count, send them unquoted.\n"
BEFORE = (
    "The block quoted in your letter is the one you sent before (revision 1), and was not read again. "
    "If it is the one that counts now, send it unquoted.\n"
)


@pytest.fixture
def house(tmp_path):
    made = House(tmp_path)
    yield made
    made.server.engine.dispose()


def form(house, order):
    """The seat's order form with an order in it, as a quote."""
    (seat,) = [row for row in house.all(tables.Seat) if row.name == "north"]
    return f"> ORDERS T1 #{seat.nonce}\n> {order}\n> END\n"


def sets(house):
    return [(row.revision, row.state, row.text) for row in house.all(tables.QueuedOrders)]


def answer_to(house, text, **headers):
    house.write("north", text, **headers)
    return house.answer()


def test_who_answers_a_letter_of_his_own_does_not_send_its_orders_again(house):
    assert "Your orders are in: revision 1.\n" in answer_to(house, form(house, FIRST))
    assert "They replace revision 1.\n" in answer_to(house, f"ORDERS T1\n{SECOND}\nEND\n")
    before = sets(house)
    answer = answer_to(house, f"STATUS\n\n{form(house, FIRST)}")
    assert BEFORE in answer
    assert "I hold revision 2 of your orders.\n" in answer
    assert BEFORE in answer_to(house, f"Hello again\n\n{form(house, FIRST)}")
    assert sets(house) == before


def test_neither_cancelled_orders_nor_those_that_stand_come_back_with_a_quote(house):
    answer_to(house, form(house, FIRST))
    assert BEFORE in answer_to(house, f"STATUS\n\n{form(house, FIRST)}")
    answer_to(house, "CANCEL\n")
    assert BEFORE in answer_to(house, f"Sorry.\n\n{form(house, FIRST)}")
    assert sets(house) == [(1, "cancelled", f"{FIRST}\n")]


def test_the_form_filled_in_otherwise_counts_and_so_does_an_unquoted_one(house):
    answer_to(house, form(house, FIRST))
    assert "revision 2" in answer_to(house, form(house, SECOND))
    assert "revision 3" in answer_to(house, form(house, FIRST).replace("> ", ""))
    assert [state for _, state, _ in sets(house)] == ["replaced", "replaced", "queued"]


def test_orders_that_stood_only_in_a_quote_are_asked_for_whatever_else_was_done(house):
    answer_to(house, f"ORDERS T1\n{FIRST}\nEND\n")
    told = answer_to(house, f"STATUS\n\n> ORDERS T1\n> {SECOND}\n> END\n")
    assert told.startswith("kind: status")
    assert ASKED in told
    # The receipt's own echo says nothing new.
    assert ASKED not in answer_to(house, f"STATUS\n\n> ORDERS T1\n> {FIRST}\n> END\n")
    assert ASKED in answer_to(house, f"STATUS\n\n> ORDERS T1\n> {FIRST}\n> END\n> ORDERS T1\n> {SECOND}\n> END\n")


def test_a_receipt_that_comes_back_without_any_mark_is_no_order(house):
    house.write("north", f"ORDERS T1\n{FIRST}\nEND\n")
    (receipt,) = house.sent()
    answer_to(house, f"ORDERS T1\n{SECOND}\nEND\n")
    before = sets(house)
    quoted = (
        "Your orders are in: revision 1.\nAll orders are in. You may change yours until Monday 2026-05-04, 12:30 UTC; "
        "then the dice are rolled.\nYour orders as I understand them:\n"
        f"ORDERS T1\n{FIRST}\nEND\n"
        "VERIFY in place of ORDERS tells what will happen and what your attacks are worth.\n"
    )
    told = answer_to(house, f"STATUS\n\n{quoted}", In_Reply_To=receipt.message_id)
    assert told.startswith("kind: status")
    assert ASKED in told
    assert sets(house) == before
