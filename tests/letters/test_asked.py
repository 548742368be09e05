"""Castillejos with questions by letter: what the other side can tell, and dice of a later segment taken apart."""

import re

import pytest
from sqlmodel import col, select

from pbem.play.replay import replay
from pbem.store import tables
from tests.harness.battle import PlayedBattle, seek_dice
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
LONG = "STANDING FOR SPACE Cresta\nWHEN ASSAULTED THEN ASK WITHIN 98\nENDSTANDING\n"
RETREAT = "Nudos>Cresta/fallback morocco"


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


def windows(table):
    """The questions that have been put so far."""
    with table.server.session() as session:
        return list(session.exec(select(tables.Question.window).order_by(col(tables.Question.id))).all())


def retreated(folder, secrets):
    """A table at which Morocco was asked where to retreat to from Cresta, and answered; None if it held."""
    table = PlayedBattle(folder, secrets=secrets)
    asked(table, ASKS.format(hours=12))
    if windows(table) != [RETREAT]:
        return None
    table.answer("morocco", "1B")
    table.wait(31)
    return table


def test_the_dice_of_every_segment_are_taken_apart(tmp_path):
    table = seek_dice(tmp_path, "a retreat from Cresta", retreated)
    with table.server.work() as work:
        assert len(work.session.exec(select(tables.Segment)).all()) == 2
        assert replay(work, "g1").difference is None
    whole = table.answer("morocco", "HISTORY T1")
    numbers = [line.split()[0] for line in whole.splitlines() if re.match(r" *#\d", line)]
    answers = []
    for number in numbers:
        table.clock.forward(minutes=10)
        answers.append(table.answer("morocco", f"WHY {number}"))
    assert all("Cause" in answer for answer in answers)
    # The retreat was answered, and what was rolled after it can be thrown again by hand.
    assert any("by your answer" in answer and "openssl" in answer for answer in answers)
    table.server.engine.dispose()


def others_letters(folder, secrets, standing):
    """All that Spain gets while Morocco is asked, and the question that it is asked."""
    folder.mkdir()
    table = PlayedBattle(folder, secrets=secrets)
    asked(table, standing)
    got = [masked(table, table.last_to("spain"))]
    got += [masked(table, table.answer("spain", text)) for text in ("STATUS", "MAP; HISTORY", "1A", ORDERS, "CANCEL")]
    questions = windows(table)
    table.server.engine.dispose()
    return got, questions


def test_the_other_side_cannot_tell_what_is_asked_nor_how_long(tmp_path):
    def asked_twice(folder, secrets):
        letters, first = others_letters(folder / "short", secrets, ASKS.format(hours=12))
        other, second = others_letters(folder / "long", secrets, LONG)
        return (letters, other) if first == second == [RETREAT] else None

    letters, other = seek_dice(tmp_path, "the same question by either order", asked_twice)
    assert letters == other


def test_why_during_a_question_explains_no_earlier_phase_unasked(tmp_path):
    def asked_both(folder, secrets):
        table = retreated(folder, secrets)
        if table is None:
            return None
        table.answer("spain", "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING")
        table.answer(
            "morocco", "ORDERS T1\nACTIVATE Morabito\nASSAULT Cresta WITH AngheraDos, GaixTetuan LED BY Caid\nEND"
        )
        table.wait(31)
        return table if len(windows(table)) > 1 else None

    table = seek_dice(tmp_path, "a question for either side", asked_both)
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
    table.server.engine.dispose()


def test_how_to_throw_a_die_again_is_told_once_a_letter(table):
    table.answer("spain", ORDERS)
    table.wait(31)
    numbers = re.findall(r"^ *#(\d+) ", table.answer("spain", "HISTORIA T1"), re.MULTILINE)
    answers = []
    for index in range(0, len(numbers), 3):
        asks = "; ".join(f"PORQUE {number}" for number in numbers[index : index + 3])
        answers.append(" ".join(table.answer("spain", asks).split()))
    assert max(answer.count("openssl") for answer in answers) > 1
    # A long answer may leave out the end of a command; how to use it stands where its beginning does.
    assert all(answer.count("Para tirar otra vez un dado") == ("printf" in answer) for answer in answers)


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
