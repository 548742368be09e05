"""Letters between players: passed on to whom they are for, and to nobody else, without an address."""

import pytest
from sqlmodel import select

from pbem.play.commands.table.press import LONGEST_LINE, MOST_A_DAY
from pbem.store import tables
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import text_of

PASS = "ORDERS T1\nPASS\nEND\n"
NOTE = "PRESS TO south\nShall we meet at s3?\nORDERS T1\nMOVE Ant TO s2\nEND\nENDPRESS\n"


@pytest.fixture
def house(tmp_path):
    return PlayedGame(tmp_path)


def new_letters(house):
    return {(row.recipient, row.kind): text_of(row) for row in house.sent()}


def test_a_letter_is_passed_on_behind_bars(house):
    assert house.write("north", NOTE).outcome == "answer"
    letters = new_letters(house)
    assert "Your letter is passed on to south." in letters[ANN, "answer"]
    assert letters[BOB, "press"] == (
        "kind: press (en)\nnorth to south:\n| Shall we meet at s3?\n| ORDERS T1\n| MOVE Ant TO s2\n| END\n"
        "To answer, write PRESS TO north, your lines below it, and ENDPRESS.\n"
    )
    assert house.all(tables.QueuedOrders) == []


def test_its_author_is_shown_every_line_and_none_of_them_is_lost(house):
    lines = "Enviado con mi mejor jinete\n> as you said\n\n\n--\nSent from my tent\nOn 21 Nov 2026, a@b.c wrote:\nno"
    house.write("north", f"PRESS TO south\n{lines}\nENDPRESS\n{PASS}")
    letters = new_letters(house)
    shown = "".join(f"| {line}".rstrip() + "\n" for line in lines.split("\n"))
    assert f"north to south:\n{shown}" in letters[BOB, "press"]
    assert f"north to south:\n{shown}" in letters[ANN, "receipt"]


def test_its_author_is_shown_what_waits_for_the_report(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(press="with-report"))
    house.write("north", NOTE)
    assert "north to south:\n| Shall we meet at s3?\n" in house.answer()


def test_neither_address_nor_token_is_passed_on(house):
    secret = house.addresses["north"]
    house.write("north", f"PRESS TO south\nWrite to {secret}!\nENDPRESS")
    letters = new_letters(house)
    assert secret.split("-")[-1].split("@")[0] not in letters[BOB, "press"]
    assert ANN not in letters[BOB, "press"]
    with house.server.session() as session:
        (row,) = [r for r in session.exec(select(tables.Outbox)) if r.kind == "press"]
    assert row.reply_to == house.addresses["south"]


@pytest.mark.parametrize("other", [("+", "%2B"), ("+", "\uff0b"), ("-north-", "-north-\n")])
def test_a_token_written_in_another_way_is_not_passed_on_either(house, other):
    secret = house.addresses["north"]
    house.write("north", f"PRESS TO south\nWrite to {secret.replace(*other)}!\nENDPRESS")
    assert secret.split("-")[-1].split("@")[0] not in new_letters(house)[BOB, "press"]


@pytest.mark.parametrize("hidden", ["\u00ad", "\u061c", "\u180e", "\u200b", "\u3164", "\U000e0020", "\U000e0101"])
def test_nor_one_with_something_unseen_in_it(house, hidden):
    """Whoever copies it has the token: what is not seen is lost on the way, or does not matter."""
    address = house.addresses["north"].replace("-north-", f"-north-{hidden}")
    house.write("north", f"SAY write to {address}")
    letters = new_letters(house)
    assert "| write to pbem+g1-north-...@games.example" in letters[BOB, "press"]


def test_nor_the_beginning_of_one_that_is_cut(house):
    """With one of its sixteen letters missing a token is known in thirty-two letters."""
    address = house.addresses["north"]
    name, token = address.partition("@")[0], address.partition("@")[0][-16:]
    for form in ("SAY {}", "PRESS TO south\n{}\nENDPRESS"):
        house.write("north", form.format("x" * (401 - len(name)) + address))
        assert token[:8] not in new_letters(house)[BOB, "press"]


def test_orders_and_press_in_one_letter(house):
    assert house.write("north", NOTE + PASS + "PRENSA A todos\n¡Suerte!\nFINPRENSA").outcome == "receipt"
    assert len(house.all(tables.QueuedOrders)) == 1
    assert [row.to for row in house.all(tables.Press)] == ["south", "*"]


def test_say_is_prose_to_all(house):
    house.write("north", "SAY Good game; #1 of many // cheers")
    letters = new_letters(house)
    assert "Your letter is passed on to all." in letters[ANN, "answer"]
    assert "north to all:\n| Good game; #1 of many // cheers\n" in letters[BOB, "press"]


@pytest.mark.parametrize("form", ["SAY {}", "PRESS TO south\n{}\nENDPRESS"])
@pytest.mark.parametrize(
    "paragraph", ["We meet at the river, as was agreed. " * 60 + "END", "x" * 3_000], ids=["words", "one word"]
)
def test_a_long_paragraph_is_passed_on_whole(house, form, paragraph):
    """Telephones write a paragraph as one line: nothing of it is cut."""
    house.write("north", form.format(paragraph))
    letters = new_letters(house)
    for letter in (letters[BOB, "press"], letters[ANN, "answer"]):
        shown = [line[2:] for line in letter.split("\n") if line.startswith("| ")]
        assert max(map(len, shown)) <= LONGEST_LINE
        assert " ".join(shown).replace(" ", "") == paragraph.replace(" ", "")


def test_a_letter_longer_than_one_may_be_is_refused_and_not_cut(house):
    assert house.write("north", "SAY " + "word " * 8_000).outcome == "refusal"
    assert "80 lines at most. A line of more than 400 characters counts as several." in house.answer()
    assert house.all(tables.Press) == []


def test_a_side_is_written_to_by_its_name(house):
    house.write("south", "PRESS TO red\nhello\nENDPRESS")
    assert "south to north:\n| hello\n" in new_letters(house)[ANN, "press"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("PRESS TO west\nhello\nENDPRESS", "Nobody here is called west; there are: north, red, south, blue, ALL."),
        ("PRESS TO\nhello\nENDPRESS", "Nobody here is called -"),
        ("PRESS TO north\nhello\nENDPRESS", "Nobody here is called north"),
        ("PRESS TO south\n\nENDPRESS", "There is nothing between PRESS and ENDPRESS to pass on."),
        ("PRESS TO south\n" + "x\n" * 81 + "ENDPRESS", "A letter that is passed on has 80 lines at most."),
        ("PRESS TO south\nhello\n", "This letter to others has no ENDPRESS"),
    ],
)
def test_what_cannot_be_passed_on_is_refused_by_its_line(house, text, why):
    assert house.write("north", text).outcome == "refusal"
    answer = house.answer()
    assert "line 1: PRESS TO" in answer
    assert why in answer
    assert house.all(tables.Press) == []


def test_an_unclosed_letter_to_others_holds_the_orders_back_too(house):
    assert house.write("north", "PRESS TO south\nhello\n" + PASS).outcome == "refusal"
    assert house.all(tables.QueuedOrders) == []


def test_a_day_has_room_for_so_many_letters(house):
    for _ in range(MOST_A_DAY):
        assert house.write("north", "SAY hello").outcome == "answer"
    assert house.write("north", "SAY hello").outcome == "refusal"
    house.clock.forward(days=1, seconds=1)
    assert house.write("north", "SAY hello").outcome == "answer"


def test_by_the_terms_letters_wait_for_the_report(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(press="with-report"))
    house.write("north", NOTE)
    letters = new_letters(house)
    assert "Your letter will be passed on with the next report." in letters[ANN, "answer"]
    assert (BOB, "press") not in letters
    house.write("north", "GO\n" + PASS)
    house.tick()
    assert "| Shall we meet at s3?" in new_letters(house)[BOB, "press"]
    house.write("south", "GO\n" + PASS)
    house.tick()
    assert (BOB, "press") not in new_letters(house)


def test_by_the_terms_there_are_none(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(press="none"))
    house.write("north", NOTE)
    assert "In this game no letters are passed on between players." in house.answer()


def test_history_tells_each_reader_his_own_letters(house):
    house.write("north", NOTE)
    house.write("south", "PRESS TO north\nNo.\nENDPRESS")
    house.write("north", "GO\n" + PASS)
    house.tick()
    house.sent()
    for seat in ("north", "south"):
        house.write(seat, "HISTORY T1")
        answer = house.answer()
        assert "north to south:\n| Shall we meet at s3?\n" in answer
        assert "south to north:\n| No.\n" in answer


def test_what_is_kept_is_no_history_of_the_reader_yet(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(press="with-report"))
    house.write("north", "GO\n" + PASS)
    house.tick()
    house.write("north", NOTE)
    house.sent()
    house.write("south", "HISTORY T1")
    assert "Shall we meet" not in house.answer()
    house.write("north", "HISTORY T1")
    assert "Shall we meet" in house.answer()


def test_what_a_muted_seat_wrote_is_in_no_history_until_it_is_heard_again(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(press="with-report"))
    house.write("south", "MUTE north")
    house.write("north", NOTE)
    house.sent()
    house.write("north", "GO\n" + PASS)
    house.tick()
    assert not [row for row in house.sent() if row.kind == "press"]
    house.write("south", "HISTORY T1")
    assert "Shall we meet" not in house.answer()
    house.write("south", "UNMUTE north\nHISTORY T1")
    assert house.answer().count("| Shall we meet at s3?") == 2
    house.write("south", "UNMUTE north")
    assert "Shall we meet" not in house.answer()


@pytest.mark.parametrize(
    "line", ["MUTE south", "UNMUTE south", "REPORT PRESS south", "REPORT PRESS north", "MUTE nobody"]
)
def test_only_others_are_muted_and_only_who_wrote_is_reported(house, line):
    assert house.write("south", line).outcome == "refusal"
