"""What a letter says that is no order and no command is named, and a question never becomes an order."""

import re

import pytest

from tests.letters.test_first_mistakes import AFRICA, ENDS, GOOD, PENINSULAR, begun, queued, unwrap

BELOW = {"en": "Below END I read only commands", "es": "Debajo de FIN solo leo comandos"}
STANDING = "STANDING FOR ALL\n1. WHEN ASSAULTED THEN {does}\nENDSTANDING"
DOES = {AFRICA: "VANGUARD INF.STRONGEST", PENINSULAR: "ADVANCE NO"}


@pytest.mark.parametrize(("game", "language"), [(AFRICA, "es"), (PENINSULAR, "en")])
@pytest.mark.parametrize(
    "below",
    [
        ["FLUJO"],
        ["Please tell Orozco to keep back"],
        ["Esto es todo por hoy, ya veremos qué hace el moro"],
        ["one more thing: keep the guns safe", "and hold", "and hold on", "and on"],
    ],
)
def test_lines_below_the_end_are_named_in_the_receipt(tables_of, tmp_path, game, language, below):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    answer = " ".join(table.answer(seat, "\n".join([first, GOOD[game, language], last, "", *below])).split())
    assert len(queued(table)) == 1
    named = answer.partition(BELOW[language])[2]
    assert all(line in named for line in below[:3])
    assert ("..." in named.partition(". ")[0]) is (len(below) > 3)


@pytest.mark.parametrize("word", ["PROBABILIDAES", "EXTNED", "STATSU"])
def test_a_misspelt_command_below_the_end_is_named_as_one(tables_of, tmp_path, word):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    answer = " ".join(table.answer(seat, f"ORDERS T1\n{GOOD[AFRICA, 'en']}\nEND\n{word} 24h").split())
    assert f"{word} 24h. If it is meant as a command" in answer
    assert len(queued(table)) == 1


@pytest.mark.parametrize(
    "below", ["Ana", "Un abrazo,\nAna", "Buena suerte, Ana", "-- \nAna\nC/ Mayor 1", "Virus-free. www.avast.com", ""]
)
def test_a_farewell_a_name_and_an_advertisement_are_not_named(tables_of, tmp_path, below):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    answer = " ".join(table.answer(seat, f"ORDENES T1\n{GOOD[AFRICA, 'es']}\nFIN\n{below}").split())
    assert BELOW["es"] not in answer
    assert len(queued(table)) == 1


@pytest.mark.parametrize(("game", "language"), [(AFRICA, "en"), (PENINSULAR, "es")])
def test_an_order_below_the_farewell_is_named_and_nothing_else_there(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    farewell = {"en": "Best regards,\nAna", "es": "Un saludo,\nAna"}[language]
    order = GOOD[game, language].splitlines()[1]
    letter = f"{first}\n{GOOD[game, language].splitlines()[0]}\n{last}\n\n{farewell}\nC/ Mayor 1, 28013 Madrid"
    assert " farewell" not in (plain := table.answer(seat, letter))
    assert "despedida" not in plain
    for written in (order, order.lower()):
        answer = " ".join(table.answer(seat, f"{letter}\n{written}").split())
        named = {"en": "I read nothing below your farewell", "es": "No he leído lo que hay debajo de la despedida"}
        assert f"{named[language]}: {written}." in answer
    assert len(queued(table)) == 1


def test_lines_below_standing_orders_and_of_a_refused_letter_are_named_too(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    standing = STANDING.format(does=DOES[AFRICA])
    assert BELOW["es"] in " ".join(table.answer(seat, f"{standing}\nHasta otra, que gane el mejor").split())
    refused = table.answer(seat, "ORDENES T1\nACTIVAR Nadie\nFIN\nY que Prim no se mueva de ahí")
    assert f"{BELOW['es']}, uno por línea, y no he usado: Y que Prim no se mueva" in " ".join(refused.split())
    assert queued(table) == []


QUESTIONS = [
    (AFRICA, "es", "¿Puedo asaltar Cresta con Cuenca?", "PROBABILIDAD ASALTAR Cresta CON Cuenca AL MANDO DE Orozco"),
    (AFRICA, "es", "Dime las probabilidades de que los húsares carguen a Loma", "PROBABILIDAD CARGAR Húsares1, Húsar"),
    (AFRICA, "en", "Will the hussars take Loma?", "ODDS CHARGE Husares1, Husares4 AT Loma"),
    (AFRICA, "en", "I'd like the odds of Cuenca attacking Cresta.", "MOVES"),
    (AFRICA, "en", "What if Vergara attacks Loma?", "ODDS ASSAULT Loma WITH Vergara LED BY Orozco"),
    (PENINSULAR, "en", "What can my Guards do? Please tell me the odds", "MOVES"),
]


@pytest.mark.parametrize(("game", "language", "question", "line"), QUESTIONS)
def test_a_question_is_never_offered_as_an_order(tables_of, tmp_path, game, language, question, line):
    table, seat = begun(tables_of, tmp_path, game, language)
    answer = table.answer(seat, question)
    assert "CONFIRM" not in answer
    assert re.search(f"^{line}", answer, re.MULTILINE)
    assert queued(table) == []
    sent = next(row for row in answer.splitlines() if row.startswith(line))
    assert "CONFIRM" not in table.answer(seat, sent)


def test_the_odds_may_be_asked_for_in_the_plural(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    answer = table.answer(seat, "PROBABILIDADES ASALTAR Cresta CON Cuenca, Vergara AL MANDO DE Orozco")
    assert "Nudos>Cresta: " in answer


def test_a_question_beside_orders_in_prose_is_named_and_not_ordered(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    answer = table.answer(seat, "Que Cuenca ataque Cresta. ¿Qué probabilidad tiene Vergara de tomar Loma?")
    offered = answer.partition("Lo que creo que quiere ordenar\n")[2].partition("\n\n")[0]
    assert "ASALTAR Cresta" in offered
    assert "Loma" not in offered
    assert "¿Qué probabilidad tiene Vergara de tomar Loma?" in unwrap(answer)


def test_a_polite_request_with_a_question_mark_is_an_order(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    assert "CONFIRM" in table.answer(seat, "Could you please attack Cresta with Cuenca?")


def test_units_named_together_are_all_of_them_and_those_who_hold_go_nowhere(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    answer = table.answer(seat, "Que los húsares vayan a Playa. Vergara y Cuenca aguantan en Nudos.")
    offered = answer.partition("Lo que creo que quiere ordenar\n")[2].partition("\n\n")[0]
    assert offered.splitlines()[1:-1] == ["ACTIVAR Tarajal", "MOVER Húsares1, Húsares4 A Playa"]
    assert '"Vergara y Cuenca aguantan en Nudos."' in answer


def test_a_question_in_prose_below_a_question_does_not_stop_it(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    answer = table.answer(seat, "MAPA\nOtra cosa: ¿por qué perdí a Prim?")
    assert "Tarajal [S 4/12" in answer
    assert "Otra cosa: ¿por qué perdí a Prim?" in answer


def test_the_line_of_the_log_in_a_form_is_no_order_even_without_its_mark(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    head, line, *_ = table.last_to(seat).partition("ORDENES T1 #")[2].splitlines()
    assert line.startswith("# SEEN ")
    table.answer(seat, f"ORDENES T1 #{head}\n{line.removeprefix('# ')}\n{GOOD[AFRICA, 'es']}\nFIN")
    assert len(queued(table)) == 1


def test_standing_orders_are_shown_in_the_words_of_their_reader(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "es")
    line = "1. CUANDO ASALTADO ENTONCES VANGUARDIA INF.MASFUERTE ; CABALLERIA CARACOLA AMPARARSE"
    assert line in table.answer(seat, f"DOCTRINA PARA TODOS\n{line}\nFINDOCTRINA")
    tried = " ".join(table.answer(seat, "PROBAR DOCTRINA Nudos POR AngheraUno DESDE Cresta").split())
    assert f"su orden DOCTRINA PARA TODOS: {line}" in tried


@pytest.mark.parametrize(("language", "word"), [("en", "STANDING AGGRESSIVE"), ("es", "DOCTRINA AGRESIVA")])
def test_a_ready_made_set_within_the_block_is_moved_out_of_it(tables_of, tmp_path, language, word):
    table, seat = begun(tables_of, tmp_path, AFRICA, language)
    first, last = ENDS[language]
    answer = table.answer(seat, f"{first}\n{GOOD[AFRICA, language]}\n{word}\n{last}")
    assert f"{word}\n{first}\n{GOOD[AFRICA, language]}\n{last}" in answer
