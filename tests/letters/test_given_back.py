"""What comes back of a refused letter: an IF is whole or a comment, and orders above it are held to the position."""

import pytest

from tests.harness.battle import PlayedBattle

TITLES = (
    "Your orders with what I could fix. Correct the rest and send them again\n",
    "Ready to send as it is\n",
)


@pytest.fixture
def british(tmp_path):
    table = PlayedBattle(tmp_path, scenario="barrosa", game="peninsular", seats=("french", "british"))

    def answer(*lines):
        answer = table.answer("british", "\n".join(["VERIFY T1", *lines, "END", ""]))
        before, _, after = answer.partition(next((title for title in TITLES if title in answer), TITLES[0]))
        return before, after.partition("\n\n")[0].splitlines()[1:-1]

    yield answer
    table.server.engine.dispose()


def test_an_endif_that_is_missing_is_put_in(british):
    answer, back = british("IF HEX 1514 MINE", "UNLIMBER DuncanB")
    assert "this IF has no ENDIF" in answer
    assert back == ["IF HEX 1514 MINE", "UNLIMBER DuncanB", "ENDIF"]


def test_no_endif_is_put_in_below_an_if_that_becomes_a_comment(british):
    answer, back = british("IF HEX 9999 ENEMY", "UNLIMBER DuncanB")
    assert "this IF has no ENDIF" in answer
    assert back == ["# IF HEX 9999 ENEMY", "# UNLIMBER DuncanB"]


def test_a_condition_that_begins_with_a_hex_is_given_the_word_for_it(british):
    _, back = british("IF 1514 ENEMY", "UNLIMBER DuncanB", "ENDIF")
    assert back == ["IF HEX 1514 ENEMY  # you wrote 1514", "UNLIMBER DuncanB", "ENDIF"]


def test_an_enemy_named_in_full_is_not_corrected_to_one_of_ones_own(british):
    answer, back = british("MOVE 1/24 TO 1312", "MOVE 1/24, Graham TO 1312", "MOVE 1/82 TO 1312")
    assert answer.count("1/24 is not yours [S4]") == 2
    assert "Perhaps you mean: 1/28" in answer.partition("1/82")[2]
    assert "1/28" not in answer.partition("1/82")[0]
    assert back[:2] == ["# MOVE 1/24 TO 1312", "# MOVE 1/24, Graham TO 1312"]


def test_of_an_if_that_cannot_be_read_nothing_would_be_done_without_its_condition(british):
    answer, back = british(
        "IF HEX 9999 MINE",
        "  IF HEX 1514 MINE",
        "  UNLIMBER DuncanB",
        "  ENDIF",
        "ELSE",
        "PASS",
        "ENDIF",
        "MOVE Graham TO 1312",
    )
    assert answer.count("\n  9999 is not a place on this map") == 1
    assert "no IF for this" not in answer
    assert back == [
        "# IF HEX 9999 MINE",
        "#   IF HEX 1514 MINE",
        "#   UNLIMBER DuncanB",
        "#   ENDIF",
        "# ELSE",
        "# PASS",
        "# ENDIF",
        "MOVE Graham TO 1312",
    ]


def test_an_if_that_is_mended_keeps_what_belongs_to_it(british):
    _, back = british("IF HEX 1514 MIEN", "UNLIMBER DuncanB", "ELSE", "PASS", "ENDIF")
    assert back == ["IF HEX 1514 MINE  # you wrote MIEN", "UNLIMBER DuncanB", "ELSE", "PASS", "ENDIF"]


def test_what_stands_above_an_if_without_end_is_held_against_the_position(british):
    answer, _ = british("FORM KGL SQUARE", "MOVR BrowneBn TO 1614", "FIRE DuncanA AT 1715", "IF HEX 1514 MINE", "PASS")
    assert "KGL has no such formation (cavalry forms no square) [T8]" in answer
    assert "DuncanA is limbered: it takes UNLIMBER DuncanA [S7]" in " ".join(answer.split())


def test_a_name_that_was_read_for_another_is_told_and_written_out(british):
    answer, back = british("ORDER Dilks ATTACK", "MOVE Nobody TO 1312")
    assert "line 2: Dilks was read as Dilkes [S1]" in answer
    assert back == ["ORDER Dilkes ATTACK", "# MOVE Nobody TO 1312"]


def test_an_empty_block_comes_back_with_pass_to_be_opened(british):
    answer, back = british()
    assert "write PASS there" in " ".join(answer.split())
    assert back == ["# PASS"]


def test_ready_made_standing_orders_within_a_block_are_put_outside(british):
    answer, back = british("STANDING AGGRESSIVE", "MOVE Graham TO 1312")
    assert "is a command: put it above ORDERS or below END" in " ".join(answer.split())
    assert "STANDING AGGRESSIVE" not in back


def test_a_reason_that_no_order_above_makes_is_told_alone(british):
    answer, _ = british("MOVE KGL TO 0101", "FORM KGL SQUARE")
    assert "KGL has no such formation (cavalry forms no square) [T8]" in answer
    assert "an order above for KGL" not in answer


def test_standing_orders_closed_by_end_come_back_closed_by_their_own_word(tmp_path):
    table = PlayedBattle(tmp_path)
    answer = table.answer("morocco", "STANDING FOR ALL\nWHEN SHELLED THEN COUNTERBATTERY NO\nEND\n")
    assert "ENDSTANDING is missing on a line of its own" in answer
    assert "\nWHEN SHELLED THEN COUNTERBATTERY NO\nENDSTANDING\n\n" in answer
    table.server.engine.dispose()
