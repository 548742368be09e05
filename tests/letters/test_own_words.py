"""What is offered back to a player stands in the words of his own language, and is understood when he sends it."""

import re

import pytest

from pbem.engine.orders.block import LATER, ORDERS
from tests.harness.battle import PlayedBattle

ENGLISH_BLOCK = """ORDERS T1
# a plan WITH reserves
ACTIVATE Tarajal
MOEV Principe WITH Prim TO Nudos
  FIRE Montana1 AT Valle
STOP IF MY STEPS LESS THAN 6
END
"""
MENDED = """ORDENES T1
# a plan WITH reserves
ACTIVAR Tarajal
MOVER Príncipe CON Prim A Nudos  # usted escribió MOEV
#   FUEGO Montaña1 A Valle
PARAR SI MIS PASOS MENOS DE 6
FIN
"""


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def offered(letter: str) -> list[str]:
    """What a letter offers in the place of mistakes."""
    return re.findall(r"^ *(?:Quizá quiso decir|Perhaps you mean): (.*)$", letter, re.MULTILINE)


def block(letter: str) -> str:
    """The block that a letter shows, between its first and its last line."""
    lines = letter.split("\n")
    begins = next(index for index, line in enumerate(lines) if line.split(" ")[0] in (*ORDERS, "VERIFICAR", *LATER))
    return "\n".join(lines[begins : lines.index("FIN", begins) + 1]) + "\n"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("MOEV Leon TO Nudos", "MOVER"),
        ("MOVRE Leon A Nudos", "MOVER"),
        ("ASALT Cresta WITH Leon LED BY Prim", "ASALTAR"),
        ("ASSAULT Cresta WITH Cordoba LED BY Quesada", "DESDE Nudos ASALTAR, DESDE Tarajal ASALTAR"),
    ],
)
def test_a_spanish_letter_offers_spanish_words(table, written, meant):
    table.answer("spain", "ORDENES T1\nPASAR\nFIN")
    letter = table.answer("spain", f"ORDERS T1\nACTIVATE Tarajal\n{written}\nEND")
    if meant.startswith("DESDE"):
        letter = table.answer("spain", "ODDS ASSAULT Cresta WITH Luchana, Cuenca LED BY Prim")
    assert offered(letter) == [meant]


def test_an_english_letter_offers_english_words(table):
    assert offered(table.answer("morocco", "STANDING FOR ALL\n1. WHEN ASALTDO THEN SCREEN NONE\nENDSTANDING")) == [
        "ASSAULTED"
    ]


def test_a_corrected_block_is_in_the_words_of_its_player_and_is_understood(table):
    mended = block(table.answer("spain", ENGLISH_BLOCK))
    assert mended == MENDED
    letter = table.answer("spain", mended)
    assert "Sus órdenes están registradas" in letter
    assert "MOVER Príncipe CON Prim A Nudos" in letter


def test_a_block_that_is_only_checked_comes_back_as_one(table):
    mended = block(table.answer("spain", ENGLISH_BLOCK.replace("ORDERS", "VERIFY")))
    assert mended == MENDED.replace("ORDENES", "VERIFICAR")
    assert "Sus órdenes tal como las entiendo" in table.answer("spain", mended)


def test_a_block_for_another_turn_gets_its_header_in_spanish(table):
    letter = table.answer("spain", "ORDERS T7\nPASS\nEND")
    assert offered(letter) == ["ORDENES T1"]
    assert block(letter) == "ORDENES T1\nPASAR\nFIN\n"


def test_what_a_player_says_for_the_dice_is_left_as_he_said_it(table):
    letter = table.answer("spain", "ORDENES T1\nSUERTE NONE TO ALL\nACTIVR Nudos\nFIN")
    assert "SUERTE NONE TO ALL" in block(letter)


@pytest.mark.parametrize("word", ["CONCEDE", "RENDIRSE", "DRAW", "TABLAS", "RESIGN", "ABANDONAR"])
def test_the_line_that_confirms_is_spanish_and_is_read(table, word):
    (line,) = re.findall(r"^[A-Z]+ CODIGO [a-z2-7]{8}$", table.answer("spain", word), re.MULTILINE)
    assert line.split()[0] in ("RENDIRSE", "TABLAS", "ABANDONAR")
    answer = table.answer("spain", line)
    assert any(done in answer for done in ("ha abandonado", "se ha rendido", "transmite", "Ha dejado", "termin")), (
        answer
    )


@pytest.mark.parametrize("word", ["CONCEDE", "RENDIRSE"])
def test_the_line_that_confirms_is_english_for_who_reads_english(table, word):
    assert re.search(r"^CONCEDE CODE [a-z2-7]{8}$", table.answer("morocco", word), re.MULTILINE)
