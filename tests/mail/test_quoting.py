"""What counts of a letter's text: blocks of orders, quotes, signatures, templates that come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.lines import split_quote_marks
from pbem.mail.mime import join_flowed
from pbem.mail.quoting import block_fingerprint, cut_quotes

TEMPLATE = "ORDERS T3 #k7q2\n# write here\n# MOVE Leon TO Sierra\nEND"
FILLED = "ORDERS T3 #k7q2\nMOVE Leon TO Sierra\nEND"
OTHER = "ORDERS T3 #m4x5\nPASS\nEND"
TEMPLATES = {"k7q2": block_fingerprint(TEMPLATE), "m4x5": block_fingerprint(TEMPLATE.replace("k7q2", "m4x5"))}
OWN = "ORDERS T3\nPASS\nEND"


def quoted(text, mark="> "):
    return "\n".join(mark + line for line in text.split("\n"))


def test_an_untouched_template_never_counts_wherever_it_stands():
    for text in (TEMPLATE, quoted(TEMPLATE), f"STATUS\n{TEMPLATE}", f"STATUS\n\n{quoted(TEMPLATE, '>> ')}"):
        result = cut_quotes(text, TEMPLATES)
        assert result.text in ("", "STATUS")
        assert (result.untouched, result.quoted_block, result.ambiguous, result.orders_only_quoted) == (1, 0, 0, 0)


@pytest.mark.parametrize(
    "returned",
    [
        TEMPLATE.upper(),
        TEMPLATE.replace(" ", "\u00a0"),
        TEMPLATE.replace("# write here\n", "\n\n"),
        TEMPLATE.replace("write here", "write\n> here"),
        TEMPLATE.replace("\n", "  \n\n"),
        TEMPLATE.replace("END", "FIN") + "\n",
        TEMPLATE.replace("ORDERS", "ÓRDENES"),
        TEMPLATE.replace("# MOVE", "// MOVE"),
    ],
)
def test_a_template_stays_untouched_through_what_clients_do_to_it(returned):
    assert cut_quotes(returned, TEMPLATES).text == ""


def test_one_edited_block_counts_even_when_quoted():
    for mark in ("> ", ">", "> > ", " > "):
        result = cut_quotes("Here:\n" + quoted(FILLED, mark), TEMPLATES)
        assert result.text == f"Here:\n\n{FILLED}"
        assert result.quoted_block
        assert not result.ambiguous


def test_the_same_edited_block_twice_is_one():
    result = cut_quotes(quoted(FILLED) + "\n" + quoted(FILLED, ">> "), TEMPLATES)
    assert result.text == FILLED
    assert result.quoted_block


def test_two_different_edited_blocks_are_a_question():
    result = cut_quotes("Hello\n" + quoted(FILLED) + "\n" + quoted(OTHER, ">> "), TEMPLATES)
    assert (result.text, result.ambiguous, result.quoted_block) == ("Hello", True, False)
    own = cut_quotes(f"{OWN}\nORDERS T3\nMOVE Leon TO Otero\nEND", {})
    assert own.ambiguous
    assert not cut_quotes(f"{OWN}\n\n{OWN}", {}).ambiguous
    assert not cut_quotes(f"VERIFY T3\nMOVE Leon TO Otero\nEND\n{OWN}", {}).ambiguous


def test_an_unquoted_block_wins_over_all():
    result = cut_quotes(f"{OWN}\n\n{quoted(FILLED)}\n{quoted(OTHER)}", TEMPLATES)
    assert result.text == OWN
    assert (result.quoted_block, result.ambiguous, result.orders_only_quoted) == (False, False, False)


def test_an_unfinished_block_wins_too_but_a_greeting_does_not():
    assert cut_quotes(f"ORDERS T3\nPASS\n\n{quoted(FILLED)}", TEMPLATES).text == "ORDERS T3\nPASS"
    assert cut_quotes(f"Orders:\n\n{quoted(FILLED)}", TEMPLATES).text == f"Orders:\n\n{FILLED}"


@pytest.mark.parametrize("mark", ["> ", ">>", ""])
def test_orders_that_were_only_quoted_are_told(mark):
    head = "" if mark else "##- please write above this line -##\n"
    result = cut_quotes(f"Again please.\n{head}{quoted(OWN, mark)}", TEMPLATES)
    assert (result.text, result.orders_only_quoted) == ("Again please.", True)


def test_a_quoted_block_without_orders_is_nothing_to_ask_about():
    assert not cut_quotes("STATUS\n> ORDERS T2 #zzzz\n> # nothing\n> END", TEMPLATES).orders_only_quoted


@pytest.mark.parametrize(
    "mark",
    [
        "##- please write above this line -##",
        "##- por favor, escriba encima de esta línea -##",
        "-----Original Message-----",
        "----- Mensaje original -----",
        "From: Judge <judge@war.test>\nSent: Monday\nTo: Ana",
        "*Von:* Richter\n*Gesendet:* Montag, 21. November 2026 10:00\n*An:* Ana",
        "发件人: Judge <judge@war.test>\n日期: 2026\n收件人: Ana",
        "________________________________\nDe: Juez\nEnviado: 21/11/2026 10:00\nPara: Ana",
        "Begin forwarded message:\n\nFrom: Judge\nDate: 21 Nov 2026\nTo: Ana",
        "On 21 Nov 2026, at 10:00, Judge <judge@war.test> wrote:",
        "Le 21/11/2026 à 10:00, Juge <judge@war.test> a écrit :",
        "El sáb, 21 nov 2026 a las 10:00, Juez\n(<judge@war.test>)\nescribió:",
    ],
)
def test_all_below_a_mark_is_cut(mark):
    result = cut_quotes(f"STATUS\nIF ODDS 2:1 THEN\n\n{mark}\nMOVE Leon TO Sierra\n{OWN}", {})
    assert result.text == "STATUS\nIF ODDS 2:1 THEN"
    assert result.orders_only_quoted


def test_below_a_mark_an_edited_template_counts_and_an_untouched_one_does_not():
    mark = "##- please write above this line -##"
    assert cut_quotes(f"{mark}\nreport\n{FILLED}\nfooter", TEMPLATES).text == FILLED
    assert cut_quotes(f"{mark}\nreport\n{TEMPLATE}\nfooter", TEMPLATES).text == ""


@pytest.mark.parametrize(
    "introduction", ["On 21 Nov 2026, Judge wrote:", "Judge wrote:", "El 21/11/26 a las 10:00, Juez escribió:"]
)
def test_below_a_marked_quote_the_author_goes_on(introduction):
    assert cut_quotes(f"{introduction}\n> a report\n> of lines\n\nSTATUS\n{OWN}", {}).text == f"STATUS\n{OWN}"


def test_signatures_and_footers_go_but_no_block():
    text = f"STATUS\n-- \nAna\nPASS\n\n{OWN}\nSent from my iPhone\nEnviado desde mi Samsung Galaxy\n--\nAna"
    assert cut_quotes(text, {}).text == f"STATUS\n{OWN}"
    kept = "ORDERS T3\nMOVE Leon TO Otero\n-- \nMOVE Saboya TO Otero\nSent from the front\nEND"
    assert cut_quotes(kept, {}).text == kept.replace("-- ", "--")


FOOTERS = """
Sent from my iPhone
Sent from my Android device with K-9 Mail. Please excuse my brevity.
Sent from Yahoo Mail on Android
Sent via the Samsung Galaxy S24
Get Outlook for Android
Enviado desde mi iPhone
Enviado desde mi dispositivo Android con K-9 Mail. Por favor, disculpa mi brevedad.
Enviado desde Yahoo Mail para Android
Obtener Outlook para iOS
Descargar Outlook para Android
Envoyé de mon iPhone
Envoyé de mon appareil Android avec Courriel K-9 Mail. Veuillez excuser ma brièveté.
Envoyé à partir de Outlook pour Android
Télécharger Outlook pour iOS
Von meinem iPhone gesendet
Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.
Gesendet von Yahoo Mail auf Android
Outlook für Android beziehen
Inviato da iPhone
Inviato dal mio dispositivo Android con K-9 Mail. Perdonate la brevità.
Scarica Outlook per Android
Enviado do meu iPhone
Enviado do meu dispositivo Android com K-9 mail. Desculpe-me pela brevidade.
Obter o Outlook para iOS
""".strip().split("\n")


@pytest.mark.parametrize("footer", FOOTERS)
def test_what_telephones_add_is_no_line_of_the_author(footer):
    assert cut_quotes(f"STATUS\n\n{footer}\n", {}).text == "STATUS"
    assert cut_quotes(f"{OWN}\n\n{footer}<https://aka.ms/o0ukef>\n", {}).text.startswith(OWN)
    inside = OWN.replace("PASS", f"PASS\n{footer}")
    assert cut_quotes(inside, {}).text == inside


@pytest.mark.parametrize(
    "line",
    [
        "MOVE Saboya, Leon WITH Prim TO Serrallo",
        "1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Saboya / INF.STRONGEST ; SCREEN Cazadores",
        "PRESS TO morocco",
        "EXTEND 48h",
        "VACATION 2026-12-01 TO 2026-12-08",
        "SET TZ Europe/Madrid",
        "1A 2D",
        "--- my plan ---",
        "Note: attack at dawn",
    ],
)
def test_a_line_of_the_author_is_not_cut(line):
    text = f"{line}\n{line}\n{OWN}\n{line}"
    assert cut_quotes(text, TEMPLATES).text == text


def test_two_blocks_do_not_run_together():
    result = cut_quotes(f"> ORDERS T2\n> MOVE\nORDERS T3\nPASS\nEND\n> END\n{quoted(TEMPLATE)}", TEMPLATES)
    assert result.text == OWN
    assert result.untouched


def test_quote_marks_in_every_fashion():
    for line, depth in ((">x", 1), ("> x", 1), ("> > x", 2), (">>> x", 3), (" > x", 1), ("x > y", 0), ("    > x", 0)):
        assert split_quote_marks(line).depth == depth
    assert split_quote_marks(">   IF").text == "  IF"


def test_fingerprints_tell_orders_from_comments():
    assert block_fingerprint(TEMPLATE) == block_fingerprint(quoted(TEMPLATE))
    assert block_fingerprint(TEMPLATE) != block_fingerprint(FILLED)
    same_orders = block_fingerprint(FILLED.replace("MOVE", "# now\nMOVE"))
    assert same_orders.split(".")[1] == block_fingerprint(FILLED).split(".")[1]
    assert same_orders.split(".")[0] != block_fingerprint(FILLED).split(".")[0]


@pytest.mark.parametrize(
    ("flowed", "fixed"),
    [
        ("MOVE Leon \nTO Sierra\nPASS", "MOVE Leon TO Sierra\nPASS"),
        ("> a \n> b\n>> c \n> d", "> a b\n> > c \n> d"),
        ("a \n> b", "a \n> b"),
        ("text \n-- \nAna", "text \n-- \nAna"),
        ("  stuffed\n >no quote", " stuffed\n>no quote"),
        ("end ", "end "),
    ],
)
def test_flowed_lines_are_joined(flowed, fixed):
    assert join_flowed(flowed) == fixed


def test_delsp_takes_the_space_of_the_break():
    assert join_flowed("MOVE Le \non TO Sierra", delsp=True) == "MOVE Leon TO Sierra"


SENTINEL = "##- please write above this line -##\n"
WRITTEN = [
    "STATUS",
    "WAIT",
    OWN,
    "Hello!\n\nORDENES T3\nMOVER Leon A Otero\nFIN",
    "PRESS TO morocco\nSee: you\nENDPRESS",
]
INTRODUCED = [
    "El sáb, 21 nov 2026 a las 10:00, Juez (<judge@war.test>) escribió:\n",
    "On 21/11/2026 10:00, Judge wrote:\n",
    "Am 21.11.2026 um 10:00 schrieb Richter <judge@war.test>:\n",
    "De: Juez\nEnviado: 21/11/2026 10:00\nPara: Ana\nAsunto: Castillejos\n\n",
    "-----Original Message-----\n",
]


@given(
    st.sampled_from(WRITTEN),
    st.sampled_from(INTRODUCED),
    st.sampled_from(["> ", ">", ">> ", ""]),
    st.lists(
        st.sampled_from(["ORDERS T2\nMOVE Old TO Sierra\nEND", "MOVE Old TO Sierra", TEMPLATE, "-- ", "END"]),
        max_size=6,
    ),
)
def test_no_old_order_leaks_out_of_any_quote(written, introduced, mark, old):
    text = f"{written}\n\n{introduced}{quoted(SENTINEL + chr(10).join(old), mark)}"
    result = cut_quotes(text, TEMPLATES)
    assert result.text == written
    assert not result.quoted_block


LATER = "LATER T5\nPASS\nEND"


@pytest.mark.parametrize("head", ["LATER T5", "despues t5:", "Más  tarde T 5", "*LATER T5*"])
def test_a_block_for_a_turn_to_come_stays_whole_when_it_was_not_quoted(head):
    block = f"{head}\nSent from my phone\n--\nPASS\nEND"
    assert cut_quotes(block, TEMPLATES).text == block


def test_a_quoted_block_for_a_turn_to_come_never_counts_whatever_mark_it_bears():
    for block in (LATER, FILLED.replace("ORDERS T3", "LATER T5")):
        result = cut_quotes(quoted(block), TEMPLATES)
        assert (result.text, result.quoted_block, result.orders_only_quoted) == ("", False, True)


def test_it_does_not_silence_the_form_that_was_edited_in_the_quote():
    result = cut_quotes(f"{LATER}\n\n{quoted(FILLED)}", TEMPLATES)
    assert result.text == f"{LATER}\n\n{FILLED}"
    assert result.quoted_block


def test_several_of_them_beside_orders_are_no_question():
    result = cut_quotes(f"{OWN}\n{LATER}\n{LATER.replace('T5', 'T6')}", TEMPLATES)
    assert not result.ambiguous


def test_the_form_under_another_header_is_not_untouched():
    result = cut_quotes(TEMPLATE.replace("ORDERS T3", "LATER T5").replace("# MOVE", "MOVE"), TEMPLATES)
    assert result.text.startswith("LATER T5 #k7q2")
