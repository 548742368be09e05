"""What a letter's header shows its owner: others who now have his seat's address, a From that is not his."""

import pytest

from tests.harness.game import ANN, BOB
from tests.harness.letters import mail, text_of
from tests.harness.server import changed

READ = "Your letter went to others beside me: all of them can read the address in it, and write in your name."
FALSE = f"Somebody else wrote this letter, in the name of {ANN}: its From is false."
ROTATE = "If it was not you, somebody knows your address here: ROTATE gives you another one."
ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"


@pytest.mark.parametrize("field", ["Cc", "To"])
@pytest.mark.parametrize("other", [BOB, "friend@elsewhere.example"])
def test_a_letter_that_others_get_too_is_carried_out_and_its_author_warned(house, field, other):
    """Whether the other one is an opponent is not told: nobody learns whose an address is."""
    own = house.addresses["north"]
    headers = {"Cc": other} if field == "Cc" else {"To": f"{own}, Some Body <{other}>"}
    assert house.write("north", ORDERS, **headers).outcome == "receipt"
    (answer,) = house.sent()
    letter_text = text_of(answer)
    assert answer.recipient == ANN
    assert f"{READ}\nROTATE, in a letter to {own} alone, gives you another address at once.\n" in letter_text
    assert other not in letter_text


def test_nobody_is_warned_of_himself_or_of_the_server(house):
    own = house.addresses["north"]
    for headers in ({}, {"Cc": ANN}, {"Cc": f"{own}, pbem@games.example"}, {"Bcc": BOB}):
        house.write("north", "STATUS", **headers)
        assert READ not in house.answer()
    house.receive(mail("ann@work.example", own, "STATUS", Cc=ANN))
    assert READ not in house.answer()


def test_who_asks_for_another_address_in_the_same_letter_is_warned_no_more(house):
    house.write("north", "ROTATE", Cc=BOB)
    assert READ not in house.answer()


def test_in_spanish(house):
    house.write("north", "SET LANGUAGE es", Cc=BOB)
    (answer,) = house.sent()
    assert answer.language == "es"
    assert READ in text_of(answer)


def vouching(house, word):
    """The provider's word on a sender."""
    house.server = changed(house.server, authserv_id="mx.games.example")
    return {"Authentication-Results": f"mx.games.example; dkim={word} header.d=players.example"}


def test_a_false_from_is_said_each_time_though_the_token_is_good(house):
    headers = vouching(house, "fail")
    for _ in range(2):
        assert house.write("north", ORDERS, **headers).outcome == "receipt"
        answer = house.answer()
        assert FALSE in answer
        assert ROTATE in answer


def test_a_good_from_is_not_spoken_of(house):
    house.write("north", ORDERS, **vouching(house, "pass"))
    assert "From" not in house.answer()


def test_the_address_of_a_fellow_player_is_said_each_time(house):
    for words in ("from where none of your seat came before", "which is not where I write to you"):
        assert house.receive(mail(BOB, house.addresses["north"], ORDERS)).outcome == "receipt"
        (answer,) = house.sent()
        assert answer.recipient == ANN
        assert f"This letter came from {BOB}, {words}." in text_of(answer)
        assert ROTATE in text_of(answer)
