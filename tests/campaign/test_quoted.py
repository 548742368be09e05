"""Orders in quotes: an old one is never carried out again, and what was left out is told."""

import pytest

from pbem.store import tables
from tests.harness.game import PlayedGame

FIRST = "MOVE Ant TO s2"
SECOND = "MOVE Bee TO s3"
ASKED = "The orders were only in the quoted part. If you want them, send them unquoted.\n"
BEFORE = (
    "Your letter quotes orders that you sent before (revision 1); I did not read them again. "
    "If you want them now, send them with the line REPLACE above.\n"
)
GIVEN_UP = (
    "You sent these orders before (revision 1) and then replaced or cancelled them; "
    "I did not read them again. If you want them now, send them with the line REPLACE above.\n"
)


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path)
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
    assert "Your orders are in (revision 2).\n" in answer
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
    third = form(house, FIRST).replace("> ", "").replace(FIRST, f"{FIRST}\n{SECOND}")
    assert "revision 3" in answer_to(house, third)
    assert [state for _, state, _ in sets(house)] == ["replaced", "replaced", "queued"]


def first_and_second(house):
    answer_to(house, f"ORDERS T1\n{FIRST}\nEND\n")
    answer_to(house, f"ORDERS T1\n{SECOND}\nEND\n")


@pytest.mark.parametrize("same", [FIRST, "MOVER Ant A s2", f"  {FIRST.lower()}   # again", f"@ {FIRST}"])
def test_orders_that_were_replaced_are_asked_about_when_they_come_again_unquoted(house, same):
    first_and_second(house)
    before = sets(house)
    mail_text = answer_to(house, f"ORDERS T1\n{same}\nEND\n")
    assert mail_text.startswith("kind: refusal")
    assert GIVEN_UP in mail_text
    assert "The orders you sent before still stand (revision 2).\n" in mail_text
    assert sets(house) == before


def test_they_are_taken_with_replace(house):
    first_and_second(house)
    assert "revision 3" in answer_to(house, f"REPLACE\nORDERS T1\n{FIRST}\nEND\n")
    assert "revision 4" in answer_to(house, f"REEMPLAZAR\nORDERS T1\n{SECOND}\nEND\n")
    assert "revision 5" in answer_to(house, "REPLACE\n" + form(house, FIRST))


def test_what_else_the_letter_asks_is_answered(house):
    first_and_second(house)
    mail_text = answer_to(house, f"STATUS\n\nORDERS T1\n{FIRST}\nEND\n")
    assert mail_text.startswith("kind: status")
    assert GIVEN_UP in mail_text
    assert [state for _, state, _ in sets(house)] == ["replaced", "queued"]


def test_orders_that_stand_may_be_sent_again_and_so_may_those_that_were_taken_back(house):
    first_and_second(house)
    assert "revision 3" in answer_to(house, f"ORDERS T1\n{SECOND}\nEND\n")
    answer_to(house, "CANCEL")
    assert "revision 4" in answer_to(house, f"ORDERS T1\n{SECOND}\nEND\n".replace(SECOND, f"{SECOND}\n{FIRST}"))
    answer_to(house, "CANCEL")
    again = f"ORDERS T1\n{SECOND}\n{FIRST}\nEND\n"
    assert "(revision 4) and then replaced or cancelled them" in answer_to(house, again, In_Reply_To="<x@y.example>")
    assert "revision 5" in answer_to(house, again)


def test_a_block_that_is_only_to_be_looked_at_is_never_asked_about(house):
    first_and_second(house)
    assert answer_to(house, f"VERIFY T1\n{FIRST}\nEND\n").startswith("kind: verified")


@pytest.mark.parametrize(
    "above", ["As I wrote on 4 May 2026:", "Como escribí el 4/5/2026:", "So said the judge of old:"]
)
def test_an_older_block_below_words_of_any_kind_is_asked_about_and_a_new_one_is_taken(house, above):
    first_and_second(house)
    assert GIVEN_UP in answer_to(house, f"Hello,\n\n{above}\nORDERS T1\n{FIRST}\nEND\n")
    assert "revision 3" in answer_to(house, f"Hello,\n\n{above}\nORDERS T1\n{FIRST}\n{SECOND}\nEND\n")


def test_orders_that_stood_only_in_a_quote_are_asked_for_whatever_else_was_done(house):
    answer_to(house, f"ORDERS T1\n{FIRST}\nEND\n")
    mail_text = answer_to(house, f"STATUS\n\n> ORDERS T1\n> {SECOND}\n> END\n")
    assert mail_text.startswith("kind: status")
    assert ASKED in mail_text
    # The receipt's own echo says nothing new.
    assert ASKED not in answer_to(house, f"STATUS\n\n> ORDERS T1\n> {FIRST}\n> END\n")
    assert ASKED in answer_to(house, f"STATUS\n\n> ORDERS T1\n> {FIRST}\n> END\n> ORDERS T1\n> {SECOND}\n> END\n")


def test_a_receipt_that_comes_back_without_any_mark_is_no_order(house):
    house.write("north", f"ORDERS T1\n{FIRST}\nEND\n")
    (receipt,) = house.sent()
    answer_to(house, f"ORDERS T1\n{SECOND}\nEND\n")
    before = sets(house)
    quoted = (
        "Your orders are in: revision 1.\nAll orders are in. You may change yours until Monday 4 May 2026, 12:30 UTC; "
        "then they are carried out.\nYour orders as I understand them:\n"
        f"ORDERS T1\n{FIRST}\nEND\n"
        "VERIFY in place of ORDERS tells what will happen and what your attacks are worth.\n"
    )
    mail_text = answer_to(house, f"STATUS\n\n{quoted}", In_Reply_To=receipt.message_id)
    assert mail_text.startswith("kind: status")
    assert ASKED in mail_text
    assert sets(house) == before


@pytest.mark.parametrize(
    "broken", ["MOVE Ant\nTO s2", "MOVE Ant TO\n  s2", "@ MOVE\nAnt\nTO s2", "MOVE Ant TO s2\n# that\n"]
)
def test_a_line_that_a_mail_program_broke_is_read_as_it_was_written(house, broken):
    mail_text = answer_to(house, f"ORDERS T1\n{broken}\nEND\n")
    assert "Your orders are in: revision 1.\n" in mail_text
    assert sets(house) == [(1, "queued", f"{FIRST}\n")]
    assert ("Repeated each turn" in mail_text) == broken.startswith("@")


def test_so_is_one_for_a_turn_to_come_and_one_that_is_only_looked_at(house):
    assert "LATER T2\nMOVE Ant TO s2\nEND\n" in answer_to(house, "LATER T2\nMOVE Ant\nTO s2\nEND\n")
    assert answer_to(house, "VERIFY T1\nMOVE Ant\nTO s2\nEND\n").startswith("kind: verified")


def test_a_line_that_is_wrong_by_itself_is_shown_by_itself(house):
    mail_text = answer_to(house, "ORDERS T1\nMOVE Ant TO s2\nthank you\nEND\n")
    assert "line 3: thank you" in mail_text
    assert sets(house) == []
