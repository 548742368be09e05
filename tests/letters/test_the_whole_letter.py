"""What a letter says holds for all of its answer, and refusals give the reason that helps to mend them."""

import pytest

from tests.harness.battle import PlayedBattle


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def british(tmp_path):
    made = PlayedBattle(tmp_path, scenario="barrosa", game="peninsular", seats=("french", "british"))
    made.answer("french", "ORDENES T1\nPASAR\nFIN")
    yield made
    made.server.engine.dispose()


def flat(letter: str) -> str:
    return " ".join(letter.split())


BLOCK = "ORDENES T1\nACTIVAR Tarajal\nDOCTRINA PARA ESPACIO Nudos\n1. CUANDO ASALTADO ENTONCES CABALLERIA CONTRACARGA\n"
BLOCK += "FINDOCTRINA\nFIN\n"


@pytest.mark.parametrize("letter", [f"{BLOCK}DOCTRINA PRUDENTE", f"DOCTRINA PRUDENTE\n{BLOCK}"])
def test_the_doctrine_in_force_is_told_as_it_is_after_the_whole_letter(table, letter):
    answer = table.answer("spain", letter)
    assert answer.count("Su doctrina en vigor") == 1
    doctrine = answer.split("Su doctrina en vigor")[1].split("\n\n")[0]
    assert doctrine.count("FINDOCTRINA") == 2


def test_settings_hold_for_the_whole_letter(table):
    assert "(" in (answer := table.answer("spain", "ESTADO\nFIJAR ZONA Asia/Tokyo"))
    assert "Asia/Tokyo (" in answer.split("UTC")[0] or "Asia/Tokyo" in answer
    assert "Asia/Tokyo (" in table.answer("morocco", "STATUS\nSET TZ Asia/Tokyo")


def test_odds_repeat_the_question(table):
    answer = flat(table.answer("spain", "PROBABILIDAD ASALTAR Cresta CON Cuenca AL MANDO DE Prim DESDE Nudos"))
    assert "Probabilidades de este ataque: DESDE Nudos ASALTAR Cresta CON Cuenca AL MANDO DE Prim" in answer


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("Orozco", "Orozco está en "),
        ("Tarajl", "Tarajl se lee como Tarajal"),
        ("Zzz", "Zzz no es un lugar de este mapa"),
    ],
)
def test_moves_of_a_counter_are_those_of_its_place_and_it_is_said_how_a_name_was_read(table, asked, sentence):
    assert sentence in flat(table.answer("spain", f"MOVIMIENTOS {asked}"))


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (
            "MOVE 2/1Guards WITH Dilkes TO 1413 FACE SE",
            "2/1Guards has 4 MP, and needs 5, with the turn, FACE SE at the end",
        ),
        ("MOVE 1/28 TO 1207", "beside 2/47: light wood takes one battalion"),
    ],
)
def test_a_refusal_tells_what_there_is_too_little_of(british, order, why):
    assert why in flat(british.answer("british", f"VERIFY T1\n{order}\nEND"))


def test_an_order_that_counts_late_names_the_commander_who_is_out_of_reach(british):
    late = flat(british.answer("british", "VERIFY T1\nMOVE Graham TO 1412\nORDER Wheatley HOLD\nEND"))
    assert "at this line Graham (1412, range 5) does not reach Wheatley (1008)" in late
    assert "does not reach" not in british.answer("british", "VERIFY T1\nORDER Wheatley HOLD\nEND")
