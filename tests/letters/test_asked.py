"""Castillejos with questions by letter: what the other side can tell, and dice of a later segment taken apart."""

import re

import pytest
from sqlmodel import col, select

from pbem.play.replay import replay
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.letters.stories import masked

ORDERS = """ORDERS T1
ACTIVATE Tarajal
MOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos
ACTIVATE Nudos
FIRE Montana1 AT Cresta
ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco
END
"""
ASKS = "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN {hours}\nENDSTANDING\n"


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def asked(table, standing):
    """Morocco is asked; Spain's orders are closed."""
    table.answer("morocco", standing)
    table.answer("spain", ORDERS)
    table.wait(30)


def test_the_dice_of_every_segment_are_taken_apart(table):
    asked(table, ASKS.format(hours=12))
    table.answer("morocco", "1B")
    table.wait(31)
    with table.server.work() as work:
        assert len(work.session.exec(select(tables.Segment)).all()) == 2
        assert replay(work, "g1").difference is None
    whole = table.answer("morocco", "HISTORY T1")
    numbers = [line.split()[0] for line in whole.splitlines() if re.match(r" *#\d", line)]
    assert numbers[9] == "#10"
    for index in range(0, len(numbers), 3):
        answer = table.answer("morocco", "; ".join(f"WHY {number}" for number in numbers[index : index + 3]))
        assert "Cause" in answer
    # The retreat was answered, and what was rolled after it can be thrown again by hand.
    answer = table.answer("morocco", f"WHY {numbers[9]}")
    assert "by your answer" in answer
    assert "openssl" in answer


def others_letters(folder, standing):
    """All that Spain gets while Morocco is asked, and the question that it is asked."""
    folder.mkdir()
    table = PlayedBattle(folder)
    asked(table, standing)
    got = [masked(table, table.last_to("spain"))]
    got += [masked(table, table.answer("spain", text)) for text in ("STATUS", "MAP; HISTORY", "1A", ORDERS, "CANCEL")]
    with table.server.session() as session:
        windows = session.exec(select(tables.Question.window).order_by(col(tables.Question.id))).all()
    table.server.engine.dispose()
    return got, list(windows)


def test_the_other_side_cannot_tell_what_is_asked_nor_how_long(tmp_path):
    letters, first = others_letters(tmp_path / "short", ASKS.format(hours=12))
    other, second = others_letters(
        tmp_path / "long",
        "STANDING FOR SPACE Cresta\nWHEN ASSAULTED THEN ASK WITHIN 98\nENDSTANDING\n",
    )
    assert first == second == ["Nudos>Cresta/fallback morocco"]
    assert letters == other


def test_why_during_a_question_explains_no_earlier_phase_unasked(table):
    asked(table, ASKS.format(hours=12))
    table.answer("morocco", "1B")
    table.wait(31)
    table.answer("spain", "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING")
    table.answer("morocco", "ORDERS T1\nACTIVATE Morabito\nASSAULT Cresta WITH AngheraDos, GaixTetuan LED BY Caid\nEND")
    table.wait(31)
    question = table.last_to("spain")
    assert "Tiene una pregunta por responder" in question
    assert "PORQUE y un número mostrará uno cuando acabe la fase." in " ".join(question.split())
    refused = " ".join(table.answer("spain", "PORQUE 2").split())
    assert "La fase de su consulta no ha acabado" in refused
    assert "Quizá quiso decir: PORQUE #2 T1.spain" in refused
    assert "Origen" in table.answer("spain", "PORQUE #2 T1.spain")
    # What is neither a command nor an answer gets the question again, and how to answer it.
    reminded = table.answer("spain", "Que Cuenca sea la vanguardia")
    assert "Responda con una sola línea" in reminded
    assert "1. " in reminded
    assert len(reminded.splitlines()) < 40


def test_how_to_throw_a_die_again_is_told_once_a_letter(table):
    table.answer("spain", ORDERS)
    table.wait(31)
    answer = " ".join(table.answer("spain", "PORQUE 4; PORQUE 5; PORQUE 6").split())
    assert answer.count("openssl") > 2
    assert answer.count("Para tirar otra vez un dado") == 1


def test_a_question_names_who_attacks_and_through_what(tmp_path):
    table = PlayedBattle(tmp_path, undo=0)
    table.answer("spain", "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING")
    for seat, orders in (
        ("spain", "ORDERS T1\nACTIVATE Tarajal\nMOVE Husares1, Husares4 TO Playa\nEND"),
        ("morocco", "ORDERS T1\nACTIVATE Campamento\nMOVE Bujari WITH MuleyAbbas TO Garganta\nEND"),
        ("spain", "ORDERS T2\nPASS\nEND"),
        ("morocco", "ORDERS T2\nACTIVATE Garganta\nCHARGE Bujari, GuardiaNegra AT Playa\nEND"),
    ):
        table.answer(seat, orders)
        table.wait(31)
    question = table.last_to("spain")
    assert "1. Cargan por Condesa: Bujari, GuardiaNegra. Atacan Playa desde Garganta." in " ".join(question.split())
    where = question.partition("Dónde ocurre\n")[2]
    assert re.search(r"Condesa \(despejado\)\n +Bujari CAB 2-3-4 2/2.*\n +GuardiaNegra CAB", where)
    table.server.engine.dispose()
