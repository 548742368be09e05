"""LUCK word in a block: sealed with the orders and echoed, and nothing that a game reads."""

from datetime import timedelta

import pytest

from pbem.engine.orders import luck
from pbem.play import adjudication
from pbem.play.replay import replay
from pbem.store import tables
from tests.harness.game import CALM, PlayedGame
from tests.harness.letters import text_of

MOVE = "ORDERS T1\n{}MOVE Ant TO s2\nEND\n"


@pytest.fixture
def house(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM)
    yield house
    house.server.engine.dispose()


def send(house, text):
    house.write("north", text)
    return house.answer()


def closed(house, index=0):
    rows = sorted((row for row in house.all(tables.Phase) if row.orders), key=lambda row: row.number)
    return adjudication.closed_orders_from_json(rows[index].orders)["north"]


def go_on(house):
    house.clock.forward(minutes=30)
    house.tick()
    return [text_of(row) for row in house.sent()]


@pytest.mark.parametrize("line", ["LUCK 7 blue herons", "suerte  7 blue   herons # mine", "luck: 7 blue herons"])
def test_the_word_is_echoed_and_sealed_above_the_orders(house, line):
    assert "ORDERS T1\nLUCK 7 blue herons\nMOVE Ant TO s2\nEND\n" in send(house, MOVE.format(line + "\n"))
    (row,) = house.all(tables.QueuedOrders)
    assert (row.text, row.luck, row.sealed_text) == (
        "MOVE Ant TO s2\n",
        "7 blue herons",
        "LUCK 7 blue herons\nMOVE Ant TO s2\n",
    )
    go_on(house)
    assert closed(house).text == "LUCK 7 blue herons\nMOVE Ant TO s2\n"
    with house.server.work() as work:
        assert replay(work, house.game().id).phases


def test_it_may_stand_below_the_orders_and_loses_its_accents(house):
    assert "LUCK corazon\nMOVE Ant" in send(house, "ORDERS T1\nMOVE Ant TO s2\nSUERTE corazón\nEND\n")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("LUCK\n", "A word belongs behind LUCK, any you like."),
        ("LUCK a ; MOVE Bee TO s3\n", "LUCK stands on a line of its own."),
        ("LUCK одно\n", "The word behind LUCK is made of the letters A to Z, figures and the signs of a keyboard."),
        (f"LUCK {'x' * 65}\n", "The word behind LUCK has 64 characters at most."),
        ("LUCK one\nLUCK two\n", "A block has one LUCK, and it stands in line 2."),
        ("@ LUCK one\n", "LUCK is for one block and is not repeated: take the @ away."),
    ],
)
def test_a_word_that_cannot_be_is_refused_with_the_reason(house, lines, why):
    assert why in send(house, MOVE.format(lines))
    assert house.all(tables.QueuedOrders) == []


def test_among_standing_orders_alone_it_is_refused(house):
    text = "STANDING FOR ALL\nWHEN ATTACKED THEN HOLD\nLUCK one\nENDSTANDING\n"
    assert "LUCK stands between ORDERS and END, not among standing orders alone." in send(house, text)


def test_a_broken_line_below_it_does_not_become_part_of_the_word(house):
    assert "kind: refusal" in send(house, "ORDERS T1\nLUCK one\nMOOVVE Ant TO s2\nEND\n")


def test_another_word_makes_other_orders_of_the_same_lines(house):
    send(house, MOVE.format("LUCK one\n"))
    send(house, MOVE.format("LUCK two\n"))
    assert "LUCK three" in send(house, MOVE.format("LUCK three\n"))
    assert [(row.luck, row.state) for row in house.all(tables.QueuedOrders)][-1] == ("three", "queued")


def test_verify_shows_it_and_keeps_nothing(house):
    block = MOVE.format("LUCK one\n").replace("ORDERS", "VERIFY")
    assert "ORDERS T1\nLUCK one\nMOVE Ant TO s2\nEND\n" in send(house, block)
    assert house.all(tables.QueuedOrders) == []


def test_with_orders_for_later_it_is_kept_until_their_turn(house):
    answer = send(house, "LATER T2\nLUCK one\nMOVE Ant TO s2\nEND\n")
    assert "LATER T2\nLUCK one\nMOVE Ant TO s2\nEND" in answer
    assert "LUCK one" in send(house, "STATUS\n")
    house.clock.set(house.all(tables.Phase)[-1].deadline + timedelta(hours=13))
    for _ in range(3):
        house.tick()
        house.clock.forward(hours=60)
    taken = [row for row in house.all(tables.QueuedOrders) if row.origin == "later"]
    assert [(row.luck, row.text) for row in taken] == [("one", "MOVE Ant TO s2\n")]


def test_dice_differ_by_the_word_alone(tmp_path):
    slates = []
    for number, line in enumerate(("LUCK one\n", "LUCK two\n", "")):
        (folder := tmp_path / str(number)).mkdir()
        house = PlayedGame(folder, terms=CALM)
        send(house, MOVE.format(line))
        go_on(house)
        slates.append(house.all(tables.Phase)[0].slate)
        house.server.engine.dispose()
    assert len(set(slates)) == 3


def test_what_is_above_canonical_text_is_taken_off_again():
    assert luck.apart(luck.above("one two", "PASS\n")) == ("one two", "PASS\n")
    assert luck.apart("PASS\n") == ("", "PASS\n")
    assert luck.above("", "PASS\n") == "PASS\n"
