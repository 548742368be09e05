"""The lines that a block of orders begins and ends with: one grammar, whoever reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.cli import adjudication
from pbem.engine.orders import block
from pbem.engine.orders.block import Header
from pbem.letters import command_lines
from pbem.mail import quoting
from pbem.runtime import tokens
from pbem.server.catalogue import COMMAND_FORMS

ORDERS = Header("ORDERS", 3)


def header(line):
    return block.header(block.bare(line))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ORDERS T3", ORDERS),
        ("  orders  t3:", ORDERS),
        ("Order T 3", ORDERS),
        ("*ORDERS T3*", ORDERS),
        ("ÓRDENES\u00a0T3.", Header("ORDENES", 3)),
        ("ORDERS", Header("ORDERS")),
        ("ORDERS T1234", Header("ORDERS", 1234)),
        ("VERIFY T3", Header("VERIFY", 3)),
        ("Verificar t3", Header("VERIFICAR", 3)),
        ("LATER T5", Header("LATER", 5)),
        ("Después T5:", Header("DESPUES", 5)),
        ("más  tarde t5", Header("MAS TARDE", 5)),
    ],
)
def test_a_header_is_a_word_in_either_language_and_a_turn(line, expected):
    assert header(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "ORDERS T3 #k7q2",
        "orders t3: #K7Q2",
        "ORDERS T3#k7q2.",
        "*ORDERS T3 #k7q2*",
        "ORDERS T3 \uff03k7q2",
        "ORDERS T3 #k7q2 # final",
        "ORDERS T3 #k7q2 #final",
        "ORDERS T3 #k7q2 // mine",
        "ORDERS T3 #k7q2// mine",
    ],
)
def test_a_mark_as_the_server_issues_them_is_the_nonce(line):
    assert header(line) == Header("ORDERS", 3, "k7q2")


@pytest.mark.parametrize(
    "comment",
    [
        "# final",
        "# my plan",
        "# k7q2",
        "#final",
        "#1",
        "#k7q",
        "#k7q2a",
        "#k8q9",
        "#plan for the hill",
        "#",
        "##",
        "# plan #b",
        "// final",
        "//final",
        "#!",
        "# [second] - try, at last",
    ],
)
def test_all_else_after_the_sign_is_a_comment(comment):
    assert header(f"ORDERS T3 {comment}") == ORDERS
    assert header(f"ORDERS T3 #k7q2 {comment}") == Header("ORDERS", 3, "k7q2")
    assert header(f"VERIFY T3 {comment}") == Header("VERIFY", 3)
    assert header(f"LATER T3 {comment}") == Header("LATER", 3)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# ORDERS T3",
        "ORDERS of the day",
        "My orders T3",
        "ORDERS T3 are below",
        "ORDERS T12345",
        "ORDERS 3",
        "LATER",
        "Later.",
        "LATER # T5",
        "Más tarde",
        "ORDER Dilkes ATTACK",
        "STANDING FOR ALL",
        "END",
        "HELP orders",
    ],
)
def test_no_other_line_is_a_header(line):
    assert header(line) is None


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("ORDERS 3", "ORDERS"),
        ("órdenes para el 3", "ORDERS"),
        ("verify 3", "ORDERS"),
        ("LATER 5", "LATER"),
        ("mas tarde t5 o t6", "LATER"),
        ("Later", ""),
        ("ordered", ""),
        ("my orders", ""),
    ],
)
def test_a_line_that_was_meant_for_one_is_told(line, word):
    assert block.intended_block(block.bare(line)) == word


@pytest.mark.parametrize("line", ["END", "fin", " *End* ", "END.", "END # of it", "Fin//ya"])
def test_a_block_ends_with_a_word_in_either_language(line):
    assert block.ends(block.bare(line))


@pytest.mark.parametrize("line", ["", "THE END", "END T3", "# END", "ENDSTANDING", "finca"])
def test_no_other_line_ends_it(line):
    assert not block.ends(block.bare(line))


def test_standing_orders_have_words_of_their_own():
    assert block.after_standing("standing") == ""
    assert block.after_standing(block.bare("Doctrina para todos")) == " para todos"
    assert block.after_standing("orders t3") is block.after_standing("standings") is None
    for line in ("ENDSTANDING", "findoctrina.", "EndStanding # all"):
        assert block.ends_standing(block.bare(line))
    assert not block.ends_standing("end")


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("ORDERS T3", "ORDERS T3"),
        ("Órdenes T3 #K7q2", "Órdenes T3"),
        ("*ORDERS T3 #k7q2*", "*ORDERS T3*"),
        ("ORDERS T3 # my plan", "ORDERS T3 # my plan"),
        ("ORDERS T3 #k7q2 # final", "ORDERS T3 # final"),
        ("ORDERS T3 \uff03k7q2", "ORDERS T3"),
        ("ORDERS T3 #final", "ORDERS T3 #final"),
    ],
)
def test_a_header_is_written_without_its_nonce(line, without):
    assert block.without_nonce(line) == without


@given(st.binary(min_size=32, max_size=32), st.sampled_from(["castillejos", "g1"]), st.integers(1, 99))
def test_every_nonce_that_is_issued_is_one(key, game, turn):
    issued = tokens.form_mark(key, game, f"T{turn}.spain", "spain")
    assert header(f"ORDERS T{turn} #{issued}") == Header("ORDERS", turn, issued)


WORDS = [
    "orders",
    "order",
    "ordenes",
    "verify",
    "LATER",
    "mas tarde",
    "end",
    "T3",
    "t1234",
    ":",
    "#",
    "//",
    "#k7q2",
    "#final",
    "# k7q2",
    "*",
    "plan",
    ".",
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join))
def test_who_reads_a_letter_and_who_cuts_it_agree_on_what_a_block_is(line):
    parsed_header = header(line)
    text = f"{line}\nMOVE Leon TO C\nEND"
    parsed = command_lines.parse_letter(text, COMMAND_FORMS)
    all_blocks = [*parsed.later, *([parsed.block] if parsed.block else [])]
    assert [(block.word, block.turn, block.nonce) for block in all_blocks] == (
        [tuple(parsed_header)] if parsed_header else []
    )
    assert quoting.cut_quotes(f"> {text}".replace("\n", "\n> "), {}).orders_only_quoted is (parsed_header is not None)
    if parsed_header and parsed_header.turn:
        body = adjudication._body(text, "spain", parsed_header.turn)
        assert body.split("\n")[:2] == ["", "MOVE Leon TO C"]
