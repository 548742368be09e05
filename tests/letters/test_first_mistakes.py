"""The first mistakes of a new player, in both games and languages: each is answered with what to send instead."""

import email.policy
import re
from email.message import EmailMessage

import pytest
from sqlmodel import select

from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable

AFRICA, PENINSULAR = "africa1860", "peninsular"
BOTH = [(game, language) for game in (AFRICA, PENINSULAR) for language in ("en", "es")]
READY = {"en": "Ready to send back as it stands\n", "es": "Listo para devolverlo tal como está\n"}
GOOD = {
    (AFRICA, "en"): "ACTIVATE Nudos\nMOVE Cuenca TO Playa",
    (AFRICA, "es"): "ACTIVAR Nudos\nMOVER Cuenca A Playa",
    (PENINSULAR, "en"): "ORDER Dilkes ATTACK\nMOVE 2/3Guards TO 1313",
    (PENINSULAR, "es"): "ORDEN Dilkes ATAQUE\nMOVER 2/3Guards A 1313",
}
ENDS = {"en": ("ORDERS T1", "END"), "es": ("ORDENES T1", "FIN")}


@pytest.fixture
def tables_of(tmp_path):
    made = []

    def begin(game, language):
        """A table whose first side to move reads a language, and that side."""
        active, other, scenario = (
            ("spain", "morocco", "castillejos") if game == AFRICA else ("british", "french", "barrosa")
        )
        seats = (active, other) if language == "es" else (other, active)
        made.append(PlayedBattle(tmp_path / f"{game}-{language}", scenario=scenario, game=game, seats=seats))
        return made[-1], active

    tmp_path.mkdir(exist_ok=True)
    yield begin
    for table in made:
        table.server.engine.dispose()


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
    told = {"en": "is a command: put it above ORDERS or below END", "es": "es un comando: póngalo encima de ORDENES"}
    assert f"{word} {told[language]}" in " ".join(answer.split())
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
        said = {
            "en": f"ACTIVATE {space} was missing above this line; I have put it in",
            "es": f"faltaba ACTIVAR {space} encima de esta línea; lo he puesto",
        }
        assert said[language] in answer


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


PROSE = [
    (AFRICA, "en", "I would like the Cuenca battalion to attack Cresta.", "ASSAULT Cresta WITH Cuenca LED BY Orozco"),
    (AFRICA, "es", "Quiero que Cuenca y Vergara ataquen Loma, por favor.", "ASSAULT Loma WITH Cuenca, Vergara"),
    (AFRICA, "es", "Que los Húsares 1 carguen contra Cresta", "CHARGE Husares1 AT Cresta"),
    (PENINSULAR, "en", "My 2/3 Guards should go to 1313.", "MOVE 2/3Guards TO 1313"),
    (PENINSULAR, "es", "Me gustaría mover Coldstream al hexágono 1313", "MOVE Coldstream TO 1313"),
]


@pytest.mark.parametrize(("game", "language", "prose", "order"), PROSE)
def test_prose_is_matched_with_the_form_and_counts_once_it_is_confirmed(
    tables_of, tmp_path, game, language, prose, order
):
    table, seat = begun(tables_of, tmp_path, game, language)
    before = table.kept()
    question = table.answer(seat, prose)
    assert table.kept() == before
    title = {"en": "What I think you mean\n", "es": "Lo que creo que quiere decir\n"}[language]
    shown = block_after(title, question)
    line = re.search(r"^CONFIRM(?:AR)? [a-z2-7]{8}$", question, re.MULTILINE)
    assert line is not None
    receipt = table.answer(seat, line[0])
    (text,) = queued(table)
    assert order in text
    assert shown in receipt, "the receipt shows the block that was asked about"
    again = table.answer(seat, line[0])
    assert {"en": "not good any more", "es": "ya no vale"}[language] in " ".join(again.split())
    assert queued(table) == [text]


def test_a_confirmation_dies_with_the_revision_and_with_the_phase(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    prose = "Cuenca should attack Cresta"
    line = re.search(r"^CONFIRM [a-z2-7]{8}$", table.answer(seat, prose), re.MULTILINE)
    assert line is not None
    table.answer(seat, "ORDERS T1\nPASS\nEND")
    assert "not good any more" in " ".join(table.answer(seat, line[0]).split())
    assert queued(table) == ["PASS\n"]
    line = re.search(r"^CONFIRM [a-z2-7]{8}$", table.answer(seat, prose), re.MULTILINE)
    assert line is not None
    table.wait(31)
    assert "not good any more" in " ".join(table.answer(seat, line[0]).split())


@pytest.mark.parametrize("code", ["aaaaaaaa", "abcd2345"])
def test_no_code_of_ones_own_confirms_anything(tables_of, tmp_path, code):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    table.answer(seat, "Cuenca should attack Cresta")
    assert "not good any more" in " ".join(table.answer(seat, f"CONFIRM {code}").split())
    assert queued(table) == []


def test_a_code_of_one_seat_is_good_for_no_other(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    line = re.search(r"^CONFIRM [a-z2-7]{8}$", table.answer(seat, "Cuenca should attack Cresta"), re.MULTILINE)
    assert line is not None
    assert "ya no vale" in " ".join(table.answer("morocco", line[0]).split())


def test_prose_that_may_mean_several_orders_shows_them(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    answer = table.answer(seat, "please move Luchana")
    assert "# MOVE Luchana TO Nudos" in answer
    assert "# MOVE Luchana TO Playa" in answer
    assert queued(table) == []


@pytest.mark.parametrize(
    ("game", "written", "meant"),
    [
        (AFRICA, "Cuenca attacks Cresta", "ACTIVATE Nudos; ASSAULT Cresta WITH Cuenca LED BY Orozco"),
        (AFRICA, "Move: Cuenca -> Playa", "ACTIVATE Nudos; MOVE Cuenca TO Playa"),
        (AFRICA, "ACTIVATE Nudos\nFIRE Montana1 Cresta", "FIRE Montana1 AT Cresta"),
        (PENINSULAR, "move the Coldstream to 1313", "MOVE Coldstream TO 1313"),
    ],
)
def test_a_line_in_prose_within_the_block_comes_back_as_the_order_with_a_mark(
    tables_of, tmp_path, game, written, meant
):
    table, seat = begun(tables_of, tmp_path, game, "en")
    block = block_after(READY["en"], table.answer(seat, f"ORDERS T1\n{written}\nEND"))
    assert meant in block
    assert f"# you wrote {written.splitlines()[-1]}" in block
    assert queued(table) == []
    table.answer(seat, block)
    assert len(queued(table)) == 1


@pytest.mark.parametrize(
    ("game", "written"),
    [
        (AFRICA, "ACTIVATE Tarajal\nMOVE Nizam TO Nudos"),
        (AFRICA, "ACTIVATE Nudos\nMOVE Cuenca, Nobody TO Playa"),
        (AFRICA, "ACTIVATE Nudos\nASSAULT Cresta WITH Cuenca VANGUARD Cuenca"),
        (AFRICA, "STANDING FOR SPACE Cresta\n1. WHEN ASSAULTED THEN VANGARD Cuenca AT Cresta\nENDSTANDING"),
        (PENINSULAR, "MOVE Coldstream, Nobody TO 1313"),
    ],
)
def test_no_order_is_suggested_that_leaves_out_a_word_or_adds_a_unit(tables_of, tmp_path, game, written):
    table, seat = begun(tables_of, tmp_path, game, "en")
    answer = table.answer(seat, f"ORDERS T1\n{written}\nEND")
    assert "NOT" in answer or "Nothing in your letter was carried out" in answer
    assert not re.search(r"Perhaps you mean: (?:ACTIVATE|MOVE|ASSAULT) ", answer)


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
    one, other, place = ("Cuenca", "Vergara", "Playa") if game == AFRICA else ("2/3Guards", "DuncanA", "1412")
    head = "ACTIVATE Nudos\n" if game == AFRICA else ""
    answer = table.answer(seat, f"{first}\n{head}MOVE {one} {other} TO {place}\n{last}")
    told = {"en": f"a comma is missing between {one} and {other}", "es": f"falta una coma entre {one} y {other}"}
    assert told[language] in " ".join(answer.split())
    assert f"{one}, {other}" in block_after(READY[language], answer)


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
        said = subject(table, seat, table.letter(seat, text))
        assert said.endswith({"en": "T1 no orders found", "es": "T1 sin órdenes"}[language]), text
    said = subject(table, seat, table.letter(seat, {"en": "HELP", "es": "AYUDA"}[language]))
    assert said.endswith("] T1")


@pytest.mark.parametrize(("game", "language"), BOTH)
@pytest.mark.parametrize("body", ["Orders attached.", "ORDERS T1\nPASS\nEND"])
def test_attached_files_are_named(tables_of, tmp_path, game, language, body):
    table, seat = begun(tables_of, tmp_path, game, language)
    letter = email.message_from_bytes(table.letter(seat, body), policy=email.policy.SMTP)
    assert isinstance(letter, EmailMessage)
    letter.add_attachment("ORDERS T1\nPASS\nEND\n", filename="my orders.txt")
    letter.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    answer = " ".join(readable(table.deliver(letter.as_bytes()).answers[0]).split())
    told = {
        "en": "not read: my orders.txt (text/plain, attached), plan.pdf (application/pdf, no text).",
        "es": "no leo: my orders.txt (text/plain, adjunto), plan.pdf (application/pdf, no es texto).",
    }
    assert told[language] in answer
