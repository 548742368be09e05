"""The first mistakes of a new player, in both games and languages: each is answered with what to send instead."""

import email.policy
import re
from email.message import EmailMessage

import pytest
from sqlmodel import select

from pbem.store import tables
from tests.harness.battle import readable

AFRICA, PENINSULAR = "africa1860", "peninsular"
BOTH = [(game, language) for game in (AFRICA, PENINSULAR) for language in ("en", "es")]
READY = {"en": "Ready to send as it is\n", "es": "Listo para reenviar tal cual\n"}
GOOD = {
    (AFRICA, "en"): "ACTIVATE Nudos\nMOVE Cuenca TO Playa",
    (AFRICA, "es"): "ACTIVAR Nudos\nMOVER Cuenca A Playa",
    (PENINSULAR, "en"): "ORDER Dilkes ATTACK\nMOVE 2/3Guards TO 1313",
    (PENINSULAR, "es"): "ORDEN Dilkes ATAQUE\nMOVER 2/3Guards A 1313",
}
ENDS = {"en": ("ORDERS T1", "END"), "es": ("ORDENES T1", "FIN")}


def begun(begin, tmp_path, game, language):
    (tmp_path / f"{game}-{language}").mkdir()
    return begin(game, language)


def block_after(title, letter):
    return letter.partition(title)[2].partition("\n\n")[0]


def queued(table):
    with table.server.session() as session:
        return [row.text for row in session.exec(select(tables.QueuedOrders)) if row.state == "queued"]


def subject(table, seat, raw):
    made = EmailMessage(policy=email.policy.SMTP)
    delivered = table.deliver(raw)
    made = email.message_from_bytes(delivered.answers[0], policy=email.policy.default)
    return str(made["Subject"])


@pytest.mark.parametrize(("game", "language"), BOTH)
@pytest.mark.parametrize("command", ["HELP orders", "AYUDA", "RULES S2", "SUE FOR PEACE", "STATUS", "CANCEL", "UNDO"])
def test_a_command_within_the_block_is_moved_out_of_it(tables_of, tmp_path, game, language, command):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    before = table.kept()
    answer = table.answer(seat, f"{first}\n{GOOD[game, language]}\n{command}\n{last}")
    assert table.kept() == before
    word = command.partition(" ")[0] if command != "SUE FOR PEACE" else command
    advice = {"en": "is a command: put it above ORDERS or below END", "es": "es un comando: póngalo encima de ORDENES"}
    assert f"{word} {advice[language]}" in " ".join(answer.split())
    assert block_after(READY[language], answer).splitlines() == [
        command,
        first,
        *GOOD[game, language].splitlines(),
        last,
    ]


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_orders_without_header_or_end_come_back_as_a_block(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    orders, farewell = GOOD[game, language], {"en": "Regards,\nAna", "es": "Saludos,\nAna"}[language]
    wanted = f"{first}\n{orders}\n{last}"
    for letter in (
        orders,
        f"{orders}\n{last}",
        f"{first}\n{orders}",
        f"{first}\n{orders}\n\n{farewell}",
        f"Hola.\n\n{orders}\n\n{farewell}\nSTATUS",
    ):
        answer = table.answer(seat, letter)
        assert queued(table) == [], letter
        assert block_after(READY[language], answer) == wanted, letter
    table.answer(seat, wanted)
    assert len(queued(table)) == 1


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    ("orders", "spaces"),
    [
        ("ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco", ["Nudos"]),
        ("# ACTIVATE Nudos\nFIRE Montana1 AT Cresta", ["Nudos"]),
        ("ASSAULT Cresta WITH Cuenca LED BY Orozco\nCHARGE Husares1 AT Loma", ["Nudos", "Tarajal"]),
        ("FIRE Montana1 AT Cresta\nASSAULT Cresta WITH Cuenca LED BY Orozco", ["Nudos"]),
    ],
)
def test_a_missing_activate_is_supplied_where_it_can_mean_one_space(tables_of, tmp_path, language, orders, spaces):
    table, seat = begun(tables_of, tmp_path, AFRICA, language)
    first, last = ENDS[language]
    answer = " ".join(table.answer(seat, f"{first}\n{orders}\n{last}").split())
    (text,) = queued(table)
    assert re.findall("^ACTIVATE (.*)$", text, re.MULTILINE) == spaces
    for space in spaces:
        expected = {
            "en": f"ACTIVATE {space} was missing above this line; I have put it in",
            "es": f"faltaba ACTIVAR {space} encima de esta línea; la he puesto yo",
        }
        assert expected[language] in answer


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_missing_activate_is_offered_where_the_block_activates_another_space(tables_of, tmp_path, language):
    table, seat = begun(tables_of, tmp_path, AFRICA, language)
    first, last = ENDS[language]
    letter = f"{first}\nACTIVATE Nudos\nMOVE Cuenca TO Playa\n# ACTIVATE Tarajal\nCHARGE Husares1 AT Loma\n{last}"
    answer = table.answer(seat, letter)
    assert queued(table) == []
    word = {"en": "ACTIVATE", "es": "ACTIVAR"}[language]
    assert f"{word} Tarajal; " in block_after(READY[language], answer)


def test_units_of_two_spaces_get_no_activate(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    answer = table.answer(seat, "ORDERS T1\nMOVE Cuenca, Husares1 TO Playa\nEND")
    assert "its units stand in Nudos, Tarajal" in " ".join(answer.split()).replace(
        "Nudos and Tarajal", "Nudos, Tarajal"
    )
    assert queued(table) == []


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_attack_and_undo_are_answered_with_the_right_word(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    place, unit = ("Cresta", "Cuenca") if game == AFRICA else ("1614", "BrowneBn")
    word, right = ("ATTACK", "ASSAULT") if language == "en" else ("ATACAR", "ASALTAR")
    answer = table.answer(seat, f"{first}\n{word} {place} WITH {unit}\n{last}")
    assert re.search(rf"(?:Perhaps you mean|Quizá quiso decir): {right}$", answer, re.MULTILINE)
    table.answer(seat, f"{first}\n{GOOD[game, language]}\n{last}")
    assert len(queued(table)) == 1
    table.answer(seat, {"en": "UNDO", "es": "DESHACER"}[language])
    assert queued(table) == []


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_a_missing_comma_gets_a_hint(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    counter, other, place = ("Cuenca", "Vergara", "Playa") if game == AFRICA else ("2/3Guards", "DuncanA", "1412")
    head = "ACTIVATE Nudos\n" if game == AFRICA else ""
    answer = table.answer(seat, f"{first}\n{head}MOVE {counter} {other} TO {place}\n{last}")
    hints = {
        "en": f"a comma is missing between {counter} and {other}",
        "es": f"falta una coma entre {counter} y {other}",
    }
    assert hints[language] in " ".join(answer.split())
    assert f"{counter}, {other}" in block_after(READY[language], answer)


@pytest.mark.parametrize(
    ("game", "condition"),
    [
        (AFRICA, "ESPACIO Cresta MIA"),
        (AFRICA, "ESPACIO Cresta VACIA"),
        (PENINSULAR, "HEX 1514 MIA"),
        (PENINSULAR, "HEX 1514 ENEMIGA"),
    ],
)
def test_a_place_may_be_feminine(tables_of, tmp_path, game, condition):
    table, seat = begun(tables_of, tmp_path, game, "es")
    answer = table.answer(seat, f"ORDENES T1\nSI {condition}\n  PASAR\nFINSI\nFIN")
    assert len(queued(table)) == 1, answer


@pytest.mark.parametrize(
    ("game", "line", "unit"),
    [
        (AFRICA, "ACTIVATE Tarajal\nMOVE Husares 1, Husares 4 TO Playa", "Husares1"),
        (AFRICA, "ACTIVATE Nudos\nMOVE Montana 1 TO Playa", "Montana1"),
        (PENINSULAR, "MOVE Browne Bn TO 1514", "BrowneBn"),
        (PENINSULAR, "MOVE Duncan A TO 1210", "DuncanA"),
    ],
)
def test_a_name_with_a_blank_too_many_reads_alike_in_both_games(tables_of, tmp_path, game, line, unit):
    table, seat = begun(tables_of, tmp_path, game, "en")
    answer = table.answer(seat, f"ORDERS T1\n{line}\nEND")
    assert unit in "".join(queued(table)), answer


FAR = """MOVE Graham TO 1006
MOVE 2/1Guards WITH Dilkes TO 1413
MOVE 2/95 TO 1614 FACE SE
ORDER Dilkes ATTACK
ASSAULT 1715 WITH 2/95"""


@pytest.mark.parametrize("language", ["en", "es"])
def test_an_order_that_holds_next_turn_is_why_an_assault_is_refused(tables_of, tmp_path, language):
    table, seat = begun(tables_of, tmp_path, PENINSULAR, language)
    first, last = ENDS[language]
    answer = " ".join(table.answer(seat, f"{first}\n{FAR}\n{last}").split())
    assert queued(table) == []
    assert {
        "en": "the order of division Dilkes counts from next turn: at this line Graham (1006, range",
        "es": "la orden de la división Dilkes vale desde el próximo turno: en esta línea Graham (1006, alcance",
    }[language] in answer
    assert {"en": "it takes ORDER", "es": "hace falta ORDEN"}[language] not in answer
    near = FAR.replace("MOVE Graham TO 1006\n", "").replace("MOVE 2/1Guards WITH Dilkes TO 1413\n", "")
    table.answer(seat, f"{first}\n{near}\n{last}")
    assert len(queued(table)) == 1


UNREAD = ["", "I offer a draw", "Ofrezco tablas", "Hello, how are you?", "See the attached file.", "\n\n--\nAna"]


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_the_subject_says_that_no_orders_were_found(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    for text in UNREAD:
        subject_line = subject(table, seat, table.letter(seat, text))
        assert subject_line.endswith({"en": "T1 no orders found", "es": "T1 sin órdenes"}[language]), text
    subject_line = subject(table, seat, table.letter(seat, {"en": "HELP", "es": "AYUDA"}[language]))
    assert subject_line.endswith("] T1")


@pytest.mark.parametrize(("game", "language"), BOTH)
@pytest.mark.parametrize("body", ["Orders attached.", "ORDERS T1\nPASS\nEND"])
def test_attached_files_are_named(tables_of, tmp_path, game, language, body):
    table, seat = begun(tables_of, tmp_path, game, language)
    letter = email.message_from_bytes(table.letter(seat, body), policy=email.policy.SMTP)
    assert isinstance(letter, EmailMessage)
    letter.add_attachment("ORDERS T1\nPASS\nEND\n", filename="my orders.txt")
    letter.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    answer = " ".join(readable(table.deliver(letter.as_bytes()).answers[0]).split())
    sentences = {
        "en": "not read: my orders.txt (text/plain, attached), plan.pdf (application/pdf, no text).",
        "es": "no leo: my orders.txt (text/plain, adjunto), plan.pdf (application/pdf, no es texto).",
    }
    assert sentences[language] in answer


def unwrap(answer):
    return " ".join(answer.split())


LISTED = re.compile(r"^(?:VACATION day|VACACIONES dia) ", re.MULTILINE)
"""What stands in the list of all commands alone."""


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_a_form_sent_back_unchanged_is_answered_with_what_to_change(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    form = table.last_to(seat)
    first, last = ENDS[language]
    start = form.index(f"{first} #")
    answer = table.answer(seat, form[start : form.index(f"\n{last}\n", start)] + f"\n{last}\n")
    assert {"en": "Delete the # before each line", "es": "Quite la # delante de cada línea"}[language] in unwrap(answer)
    assert f"\n{first} #" in answer
    assert not LISTED.search(answer)


PASSING = {"en": "PASS", "es": "PASAR"}


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_a_block_without_an_order_never_ends_a_phase(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    (first, last), word = ENDS[language], PASSING[language]
    for lines in ("", "# nothing chosen\n", "\n  // later\n# MOVE\n"):
        refusal = table.answer(seat, f"{first}\n{lines}{last}\n")
        assert {"en": "write PASS there", "es": "escriba ahí PASAR"}[language] in unwrap(refusal)
        assert READY[language] not in refusal
    assert f"\n{first}\n{word}\n{last}\n" in table.answer(seat, f"{first}\n{word}\n{last}\n")


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_orders_that_were_carried_out_cannot_be_cancelled(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    word = {"en": "UNDO", "es": "DESHACER"}[language]
    cancelled = {"en": "Orders cancelled", "es": "Órdenes anuladas"}[language]
    assert cancelled not in table.answer(seat, word)
    table.answer(seat, f"{first}\n{GOOD[game, language]}\n{last}")
    assert cancelled in table.answer(seat, word)
    table.answer(seat, f"{first}\n{GOOD[game, language]}\n{last}")
    table.wait(31)
    sentence = {"en": "are already carried out", "es": "ya se han ejecutado"}[language]
    answer = table.answer(seat, word)
    assert sentence in unwrap(answer)
    assert cancelled not in answer


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_a_confirmation_without_its_code_is_a_known_command(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    word = {"en": "CONFIRM", "es": "CONFIRMAR"}[language]
    sentence = {"en": "needs the code below the block", "es": "le falta el código que va debajo del bloque"}[language]
    assert sentence in unwrap(table.answer(seat, word))
    unknown = {"en": "I do not know this command", "es": "No conozco este comando"}[language]
    assert unknown not in unwrap(table.answer(seat, f"{word} abc"))


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_a_draw_is_listed_and_offered(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    assert re.search("^(?:DRAW +TABLAS|TABLAS +DRAW)$", table.answer(seat, "HELP"), re.MULTILINE)
    answer = table.answer(seat, {"en": "I offer a draw.", "es": "Ofrezco tablas."}[language])
    assert re.search("^(?:DRAW|TABLAS)$", answer, re.MULTILINE)
    assert not LISTED.search(answer)


@pytest.mark.parametrize(
    ("game", "language", "word", "lines"),
    [
        (AFRICA, "en", "assault", ["RULES assault"]),
        (AFRICA, "es", "asalto", ["REGLAS asalto"]),
        (AFRICA, "en", "shock", ["RULES shock", "CHART shock"]),
        (AFRICA, "en", "draw", ["DRAW"]),
        (PENINSULAR, "es", "tablas", ["TABLAS"]),
        (PENINSULAR, "en", "square", ["RULES square"]),
        (PENINSULAR, "es", "nonsense", []),
    ],
)
def test_help_on_a_word_that_is_no_topic_points_to_what_there_is(tables_of, tmp_path, game, language, word, lines):
    table, seat = begun(tables_of, tmp_path, game, language)
    answer = table.answer(seat, f"HELP {word}")
    assert {"en": f"HELP has no topic {word}.", "es": f"AYUDA no tiene ningún tema «{word}»."}[language] in unwrap(
        answer
    )
    assert not LISTED.search(answer)
    for line in lines:
        assert re.search(f"^{line}$", answer, re.MULTILINE), answer
        assert {"en": "with your letter: one line", "es": "carta: una línea"}[language] not in table.answer(seat, line)


@pytest.mark.parametrize(
    ("game", "language", "question", "lines"),
    [
        (AFRICA, "en", "How do I win? And what is a vanguard?", ["BRIEF", "RULES vanguard", "HELP"]),
        (AFRICA, "es", "¿Cuándo gano? ¿Qué es la vanguardia?", ["SITUACION", "REGLAS vanguardia", "AYUDA"]),
        (PENINSULAR, "en", "What happens to a square in this game?", ["BRIEF", "RULES square", "HELP"]),
        (PENINSULAR, "es", "¿Cómo se gana?", ["SITUACION", "AYUDA"]),
        (AFRICA, "en", "Hello, how are you?", ["BRIEF", "HELP"]),
    ],
)
def test_a_question_in_words_is_answered_with_the_lines_that_tell(tables_of, tmp_path, game, language, question, lines):
    table, seat = begun(tables_of, tmp_path, game, language)
    answer = table.answer(seat, question)
    title = {"en": "Send one of these lines\n", "es": "Envíe una de estas líneas\n"}[language]
    assert block_after(title, answer).splitlines() == lines
    assert not LISTED.search(answer)


@pytest.mark.parametrize("language", ["en", "es"])
def test_letters_that_look_alike_are_a_slip(tables_of, tmp_path, language):
    table, seat = begun(tables_of, tmp_path, AFRICA, language)
    first, last = ENDS[language]
    answer = table.answer(seat, f"{first}\nACTIVATE Nudos\nASSAULT Lorna WITH Cuenca LED BY Orozco\n{last}")
    assert queued(table) == []
    assert re.search("(?:Perhaps you mean|Quizá quiso decir): Loma$", answer, re.MULTILINE)


@pytest.mark.parametrize(
    ("language", "asked", "ready"),
    [
        ("en", "ODDS Cuenca attacks Loma", "ODDS ASSAULT Loma WITH Cuenca LED BY Orozco"),
        ("es", "PROBABILIDAD Cuenca ataca Loma", "PROBABILIDAD ASALTAR Loma CON Cuenca AL MANDO DE Orozco"),
    ],
)
def test_odds_in_prose_get_the_line_that_asks_for_them(tables_of, tmp_path, language, asked, ready):
    table, seat = begun(tables_of, tmp_path, AFRICA, language)
    assert ready in unwrap(table.answer(seat, asked))
    assert {"en": "holds", "es": "ocupa"}[language] in table.answer(seat, ready)


TWICE = {
    (AFRICA, "en"): ("ACTIVATE Nudos", "MOVE Cuenca TO Playa", "ACTIVATE Nudos"),
    (AFRICA, "es"): ("ACTIVAR Nudos", "MOVER Cuenca A Playa", "ACTIVAR Nudos"),
    (PENINSULAR, "en"): ("MOVE 2/67right, DuncanB, Graham TO 1412", "MOVE 2/3Guards, DuncanA TO 1412"),
    (PENINSULAR, "es"): ("MOVER 2/67right, DuncanB, Graham A 1412", "MOVER 2/3Guards, DuncanA A 1412"),
}


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_a_line_of_the_form_that_another_made_impossible_is_not_suggested_again(tables_of, tmp_path, game, language):
    table, seat = begun(tables_of, tmp_path, game, language)
    first, last = ENDS[language]
    lines = TWICE[game, language]
    answer = table.answer(seat, "\n".join([first, *lines, last]))
    assert {"en": "one line is wrong", "es": "una línea tiene errores"}[language] in answer
    assert {"en": "Perhaps you mean", "es": "Quizá quiso decir"}[language] not in answer
    assert f"# {lines[-1]}" in answer.splitlines()


@pytest.mark.parametrize(
    ("game", "language", "words", "title"),
    [
        (AFRICA, "es", "choque", "Modificadores del choque"),
        (AFRICA, "es", "chequeo de moral", "Chequeo de moral"),
        (AFRICA, "en", "modifiers", "Shock modifiers"),
        (PENINSULAR, "es", "voluntad", "Voluntad"),
        (PENINSULAR, "es", "fuego", "Fuego"),
        (PENINSULAR, "en", "Division morale", "Division morale"),
    ],
)
def test_a_chart_is_found_by_its_title_or_by_a_word_of_it(tables_of, tmp_path, game, language, words, title):
    table, seat = begun(tables_of, tmp_path, game, language)
    command = {"en": "CHART", "es": "TABLA"}[language]
    assert title in table.answer(seat, f"{command} {words}").split(f"{command.title()} ", 1)[1]
    assert f": {title}" in table.answer(seat, command)


def test_a_word_of_several_titles_names_none_and_titles_are_offered(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, PENINSULAR, "es")
    assert "No hay ninguna tabla artillería" in unwrap(table.answer(seat, "TABLA artillería"))
    assert "Quizá quiso decir: TABLA voluntad" in unwrap(table.answer(seat, "TABLA volutad"))
