"""Letters in prose: matched with the order form clause by clause, offered for confirmation, what is left named."""

import re

import pytest

from tests.letters.test_first_mistakes import AFRICA, LISTED, PENINSULAR, READY, begun, block_after, queued, unwrap

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
    title = {"en": "What I think you mean\n", "es": "Lo que creo que quiere ordenar\n"}[language]
    shown = block_after(title, question)
    line = re.search(r"^CONFIRM(?:AR)? [a-z2-7]{8}$", question, re.MULTILINE)
    assert line is not None
    receipt = table.answer(seat, line[0])
    (text,) = queued(table)
    assert order in text
    assert shown in receipt, "the receipt shows the block that was asked about"
    again = table.answer(seat, line[0])
    assert {"en": "not good now", "es": "Este código no vale"}[language] in " ".join(again.split())
    assert queued(table) == [text]


def test_a_confirmation_dies_with_the_revision_and_with_the_phase(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    prose = "Cuenca should attack Cresta"
    line = re.search(r"^CONFIRM [a-z2-7]{8}$", table.answer(seat, prose), re.MULTILINE)
    assert line is not None
    table.answer(seat, "ORDERS T1\nPASS\nEND")
    assert "not good now" in " ".join(table.answer(seat, line[0]).split())
    assert queued(table) == ["PASS\n"]
    line = re.search(r"^CONFIRM [a-z2-7]{8}$", table.answer(seat, prose), re.MULTILINE)
    assert line is not None
    table.wait(31)
    assert "not good now" in " ".join(table.answer(seat, line[0]).split())


@pytest.mark.parametrize("code", ["aaaaaaaa", "abcd2345"])
def test_no_code_of_ones_own_confirms_anything(tables_of, tmp_path, code):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    table.answer(seat, "Cuenca should attack Cresta")
    assert "not good now" in " ".join(table.answer(seat, f"CONFIRM {code}").split())
    assert queued(table) == []


def test_a_code_of_one_seat_is_good_for_no_other(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, AFRICA, "en")
    line = re.search(r"^CONFIRM [a-z2-7]{8}$", table.answer(seat, "Cuenca should attack Cresta"), re.MULTILINE)
    assert line is not None
    assert "Este código no vale" in " ".join(table.answer("morocco", line[0]).split())


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
    assert "NOT" in answer or "I did nothing with your letter" in answer
    assert not re.search(r"Perhaps you mean: (?:ACTIVATE|MOVE|ASSAULT) ", answer)


def test_no_order_is_suggested_that_the_rest_of_the_block_rules_out(tables_of, tmp_path):
    table, seat = begun(tables_of, tmp_path, PENINSULAR, "en")
    written, meant = "move the 2/95 to 1514", "Perhaps you mean: MOVE 2/95 TO 1514"
    assert meant not in table.answer(seat, f"ORDERS T1\nORDER Dilkes ATTACK\n{written}\nEND")
    assert meant in table.answer(seat, f"ORDERS T1\n{written}\nEND")


UNUSED = {"en": "Parts of your letter that I did not use\n", "es": "Lo que no he usado de su carta\n"}
MEANT = {"en": "What I think you mean\n", "es": "Lo que creo que quiere ordenar\n"}
LED = [
    # Parts that are left out are named.
    (
        AFRICA,
        "en",
        "Hello,\n\nplease attack Cresta with Cuenca and Vergara under General Orozco, the mountain guns supporting.",
        ["ACTIVATE Nudos", "ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco"],
        ["the mountain guns supporting."],
    ),
    (
        AFRICA,
        "en",
        "Cuenca should go to Playa. Bring the artillery up to Cresta.",
        ["ACTIVATE Nudos", "MOVE Cuenca TO Playa"],
        ["Bring the artillery up to Cresta."],
    ),
    # So is whoever a sentence calls by a word that is no unit's name, even if the rest of it makes an order.
    (
        AFRICA,
        "en",
        "Cuenca and the dragoons attack Cresta with the artillery. The hussars charge Loma.",
        [
            "ACTIVATE Nudos",
            "ASSAULT Cresta WITH Cuenca LED BY Orozco",
            "ACTIVATE Tarajal",
            "CHARGE Husares1, Husares4 AT Loma",
        ],
        ["dragoons", "artillery"],
    ),
    (
        AFRICA,
        "es",
        "Que el batallón Cuenca y la caballería ataquen Cresta.",
        ["ACTIVAR Nudos", "ASALTAR Cresta CON Cuenca AL MANDO DE Orozco"],
        ["caballeria"],
    ),
    # Troops that no unit is called by forbid nothing to others, and are named.
    (
        AFRICA,
        "en",
        "Do not move the train. Orozco assaults Cresta with Cuenca. Prim moves to Nudos.",
        ["ACTIVATE Nudos", "ASSAULT Cresta WITH Cuenca LED BY Orozco", "ACTIVATE Tarajal", "MOVE Prim TO Nudos"],
        ["Do not move the train."],
    ),
    (
        AFRICA,
        "es",
        "Orozco asalta Cresta con Cuenca. Que los carros no se muevan.",
        ["ACTIVAR Nudos", "ASALTAR Cresta CON Cuenca AL MANDO DE Orozco"],
        ["Que los carros no se muevan."],
    ),
    # A negated sentence is no order, and takes its unit out of one.
    (
        AFRICA,
        "es",
        "Orozco asalta Cresta con Vergara y Cuenca. Cuenca que se quede. No ataques Loma.",
        ["ACTIVAR Nudos", "ASALTAR Cresta CON Vergara AL MANDO DE Orozco"],
        ["No ataques Loma."],
    ),
    (
        AFRICA,
        "en",
        "Do not attack Cresta. Cuenca and Vergara go to Playa with Orozco, the hussars stay at Tarajal.",
        ["ACTIVATE Nudos", "MOVE Cuenca, Vergara WITH Orozco TO Playa"],
        ["Do not attack Cresta.", "the hussars stay at Tarajal."],
    ),
    (
        AFRICA,
        "en",
        "Cuenca attacks Loma without Vergara",
        ["ACTIVATE Nudos", "ASSAULT Loma WITH Cuenca LED BY Orozco"],
        [],
    ),
    (
        PENINSULAR,
        "en",
        "Move Coldstream to 1313, 2/95 must not move.",
        ["MOVE Coldstream TO 1313"],
        ["2/95 must not move."],
    ),
    (
        PENINSULAR,
        "es",
        "Coldstream va a 1313. El 2/95 que se quede.",
        ["MOVER Coldstream A 1313"],
        ["El 2/95 que se quede."],
    ),
    # Several orders of one sentence; no greeting is in the way.
    (
        AFRICA,
        "es",
        "Hola:\n\nQue Orozco ataque la Loma con Cuenca y Vergara, y que Prim lleve a Luchana y al Príncipe a Nudos.",
        [
            "ACTIVAR Nudos",
            "ASALTAR Loma CON Cuenca, Vergara AL MANDO DE Orozco",
            "ACTIVAR Tarajal",
            "MOVER Luchana, Príncipe CON Prim A Nudos",
        ],
        [],
    ),
    (
        AFRICA,
        "en",
        "Luchana and Principe march to Nudos, Cuenca to Playa, then Orozco to Condesa",
        [
            "ACTIVATE Tarajal",
            "MOVE Luchana, Principe TO Nudos",
            "ACTIVATE Nudos",
            "MOVE Cuenca TO Playa",
            "MOVE Orozco TO Condesa",
        ],
        [],
    ),
    (
        PENINSULAR,
        "en",
        "General, let Browne's battalion storm the hill at 1514, with Browne. Wheatley attack Leval.",
        ["MOVE Browne, BrowneBn TO 1514", "ORDER Wheatley ATTACK"],
        [],
    ),
    # The hex that is written is kept, offered by the form or not; who is not named does not come along.
    (
        PENINSULAR,
        "es",
        "El 2/95 va a 1513. Browne y BrowneBn van a 1512. El 1/28 va de 1007 a 1105. Wheatley va a 1105.",
        ["MOVER 2/95 A 1513", "MOVER Browne, BrowneBn A 1512", "MOVER 1/28 A 1105", "MOVER Wheatley A 1105"],
        [],
    ),
    (
        PENINSULAR,
        "en",
        "Graham and DuncanB go to 1110. Dilkes goes to 1209",
        ["MOVE DuncanB, Graham TO 1110", "MOVE Dilkes TO 1209"],
        [],
    ),
    # One who cannot be part of an order is named, and the order is offered without him.
    (
        AFRICA,
        "es",
        "Cuenca asalta Cresta con Prim al mando.",
        ["ACTIVAR Nudos", "ASALTAR Cresta CON Cuenca AL MANDO DE Orozco"],
        ["Prim"],
    ),
]


@pytest.mark.parametrize(
    ("language", "reason"),
    [("en", "1613 is out of reach of Coldstream."), ("es", "1613 queda fuera del alcance de Coldstream.")],
)
def test_a_place_out_of_reach_is_named_and_no_other_is_put_in_its_stead(tables_of, tmp_path, language, reason):
    table, seat = begun(tables_of, tmp_path, PENINSULAR, language)
    prose = {"en": "Please send Coldstream to 1613.", "es": "Coldstream va a 1613."}[language]
    answer = table.answer(seat, prose)
    assert f'"{prose}": {reason}' in " ".join(block_after(UNUSED[language], answer).split())
    assert "CONFIRM" not in answer


@pytest.mark.parametrize(("game", "language", "prose", "lines", "unused"), LED)
def test_prose_is_read_clause_by_clause_and_what_is_not_used_is_named(
    tables_of, tmp_path, game, language, prose, lines, unused
):
    table, seat = begun(tables_of, tmp_path, game, language)
    answer = table.answer(seat, prose)
    assert block_after(MEANT[language], answer).splitlines()[1:-1] == lines
    named = re.findall('^"(.*)"$', block_after(UNUSED[language], answer), re.MULTILINE)
    assert named == unused
    confirm = re.search(r"^CONFIRM(?:AR)? [a-z2-7]{8}$", answer, re.MULTILINE)
    assert confirm is not None
    table.answer(seat, confirm[0])
    assert len(queued(table)) == 1


@pytest.mark.parametrize(
    ("game", "language", "prose"),
    [
        (AFRICA, "en", "Do not attack Cresta with Cuenca."),
        (AFRICA, "en", "Cuenca attacks Cresta. Don't attack."),
        (AFRICA, "es", "No ataques Cresta con Cuenca ni con Vergara."),
        (AFRICA, "es", "Que Cuenca se quede."),
        (PENINSULAR, "en", "Coldstream never moves to 1313."),
        (PENINSULAR, "es", "Coldstream no va a 1313."),
    ],
)
def test_what_is_negated_is_never_offered(tables_of, tmp_path, game, language, prose):
    table, seat = begun(tables_of, tmp_path, game, language)
    answer = table.answer(seat, f"Hola:\n\n{prose}")
    named = re.findall('^"(.*)"$', block_after(UNUSED[language], answer), re.MULTILINE)
    assert named
    assert prose.startswith(unwrap(" ".join(named)))
    assert "CONFIRM" not in answer
    assert '"Hola' not in answer
    assert not LISTED.search(answer)
