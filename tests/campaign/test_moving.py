"""ADDRESS: a player's letters go elsewhere once both mailboxes have confirmed it, and not before."""

import re

import pytest

from pbem.store import tables
from tests.harness.game import ANN, BOB
from tests.harness.letters import text_of

NEW = "ann@new.example"


def asked(house, text=f"ADDRESS {NEW}"):
    """The line of the first code and the second code, each as its mailbox got it."""
    house.write("north", text)
    second, first = house.sent()
    assert (second.recipient, first.recipient) == (NEW, ANN)
    assert (second.reply_to, second.seat_id, second.game_id) == ("", None, None)
    match = re.search(r"^((?:ADDRESS|DIRECCION) .*) \.{8}$", text_of(first), re.MULTILINE)
    code = re.search(r"second code: ([a-z2-7]{8})\.", text_of(second))
    assert match
    assert code
    assert code[1] not in text_of(first)
    return match[1], code[1]


@pytest.mark.parametrize("word", ["ADDRESS", "Dirección"])
def test_with_both_codes_letters_go_to_the_new_address(house, word):
    line, code = asked(house, f"{word} Ann@New.example")
    assert [row.email for row in house.all(tables.Address)] == [ANN, BOB]
    house.write("north", f"{line} {code}")
    welcome, farewell = house.sent()
    assert (welcome.recipient, welcome.reply_to) == (NEW, house.addresses["north"])
    assert farewell.recipient == ANN
    assert f"From now on my letters go to {NEW}; this is the last one to {ANN}." in text_of(farewell)
    assert "tell the operator at once: op@games.example." in text_of(farewell)
    house.write("north", "STATUS")
    assert [row.recipient for row in house.sent()] == [NEW]


def test_one_code_alone_moves_nothing(house):
    line, code = asked(house)
    first = line.split()[-1]
    for codes in (f"{first} {first}", f"{code} {code}", f"{code} {first}"):
        house.write("north", f"ADDRESS {NEW} CODE {codes}")
        assert "This code is not valid for that, or has expired." in house.answer()
    assert [row.email for row in house.all(tables.Address)] == [ANN, BOB]


def test_codes_are_good_for_one_address_and_some_days(house):
    line, code = asked(house)
    house.write("north", f"{line.replace(NEW, 'eve@x.example')} {code}")
    assert "This code is not valid" in house.answer()
    house.clock.forward(days=8)
    house.write("north", f"{line} {code}")
    assert "This code is not valid" in house.answer()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (ANN, "You are registered with that address already."),
        (BOB, "That address cannot be used."),
        ("ann@-x-", "No mail can be sent to ann@-x-."),
        ("pbem+g1-north-x@games.example", "That is an address of this server."),
    ],
)
def test_where_letters_cannot_go(house, address, why):
    house.write("north", f"ADDRESS {address}")
    assert why in house.answer()


def test_an_address_is_moved_for_all_seats_of_a_person(house):
    house.invite("south", ANN)
    house.sent()
    line, code = asked(house)
    house.write("north", f"{line} {code}")
    house.sent()
    house.clock.forward(days=3)
    house.tick()
    assert {row.recipient for row in house.sent() if row.seat_id} == {NEW}


def test_one_letter_at_a_time_goes_to_an_address_that_somebody_names(house):
    line, code = asked(house)
    for text in (f"ADDRESS {NEW}", f"address {NEW.upper()}"):
        house.clock.forward(days=1)
        house.write("north", text)
        (answer,) = house.sent()
        assert answer.recipient == ANN
        assert "A letter with the second code is under way to that address; I send no other." in text_of(answer)
    again = re.search(r"^(ADDRESS .*) \.{8}$", text_of(answer), re.MULTILINE)
    assert again
    assert again[1] != line
    house.write("north", f"{again[1]} {code}")
    assert {row.recipient for row in house.sent()} == {NEW, ANN}
    assert NEW in [row.email for row in house.all(tables.Address)]


def test_nor_does_another_writing_of_it_bring_a_second_one(house):
    asked(house)
    for other in ("ann+war@new.example", "ANN+2@new.example"):
        assert house.write("north", f"ADDRESS {other}").outcome == "refusal"
        (answer,) = house.sent()
        assert answer.recipient == ANN
        assert f"I have written to {NEW} for you within 7 days" in text_of(answer)


def test_when_its_codes_are_good_no_more_another_letter_may_go(house):
    asked(house)
    house.clock.forward(days=7, seconds=1)
    asked(house)
