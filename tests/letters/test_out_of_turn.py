"""Orders sent in the other side's phase: what can be done with them is said, and comes back ready to be sent."""

import pytest

from tests.letters.test_first_mistakes import AFRICA, PENINSULAR, READY, begun, block_after, unwrap

OTHERS = {AFRICA: "morocco", PENINSULAR: "french"}
HEADERS = [
    ("en", "ORDERS T1", "LATER T1", "are kept"),
    ("en", "ORDERS T3", "LATER T1", "are kept"),
    ("es", "ORDENES T1", "DESPUES T1", "quedan guardadas"),
]
OTHER = {"en": "es", "es": "en"}


@pytest.mark.parametrize("game", [AFRICA, PENINSULAR])
@pytest.mark.parametrize(("language", "header", "later", "kept"), HEADERS)
def test_the_block_comes_back_as_orders_for_later(tables_of, tmp_path, game, language, header, later, kept):
    table, seat = begun(tables_of, tmp_path, game, OTHER[language])[0], OTHERS[game]
    answer = table.answer(seat, f"{header}\nPASS\nEND\n")
    assert unwrap(answer).count(f"{later} ") == 3, "in the reason, as what may be meant, and in the block"
    block = block_after(READY[language], answer)
    assert block.splitlines()[0] == later
    assert kept in unwrap(table.answer(seat, block))


def test_a_block_to_be_checked_is_not_turned_into_orders(tables_of, tmp_path):
    table, _ = begun(tables_of, tmp_path, AFRICA, "es")
    answer = unwrap(table.answer("morocco", "VERIFY T1\nPASS\nEND\n"))
    assert "not your phase" in answer
    assert "LATER" not in answer
