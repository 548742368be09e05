"""Every client, language, form and habit of answering: the orders that were meant are found, no old one ever is."""

from itertools import product
from typing import NamedTuple

import pytest

from pbem.letters import command_lines
from pbem.mail.address import OwnAddresses
from pbem.mail.inbound import IncomingLetter, OwnWords, read_body, read_header, read_letter
from pbem.mail.quoting import block_fingerprint, phrases_of
from pbem.server import catalogue
from tests.mail.envelopes import FORMS, written
from tests.mail.replies import CLIENTS, LANGUAGES, PLAYER, SEAT, Mark, Reply

OWN = OwnAddresses("judge", "war.test")
SENTINELS = {"es": "##- por favor, escriba encima de esta línea -##"}
SENTINEL = "##- please write above this line -##"
FORM = "ORDERS T3 #k7q2\n# One action a line.\n# ACTIVATE Ceuta\n# MOVE Saboya, Leon WITH Prim TO Serrallo\nEND"
SPANISH = "ORDENES T3 #k7q2\n# Una acción por línea.\n# ACTIVAR Ceuta\n# MOVER Saboya, Leon CON Prim A Serrallo\nFIN"

NEW = "ORDERS T3\nACTIVATE Ceuta\nMOVE Cordoba TO Otero\nASSAULT Sierra WITH Cordoba, Vergara LED BY Prim\nEND"
NUEVO = "ORDENES T3\nACTIVAR Ceuta\nMOVER Cordoba A Otero\nASALTAR Sierra CON Cordoba, Vergara AL MANDO DE Prim\nFIN"


def report(language: str) -> str:
    """A report: what happened, then the form."""
    if language == "es":
        return (
            f"{SENTINELS['es']}\n\nÁfrica 1859-60 - wt-042 - T3.spain\n\nSe esperan sus órdenes hasta el lunes "
            f"2026-11-23, 20:00 UTC.\n\n#1 Nizam fue asaltado. [O8]\n    Prim manda [O8.1]\n\n{SPANISH}\n\n"
            "judge@war.test - AYUDA enumera los mandatos."
        )
    return (
        f"{SENTINEL}\n\nAfrica 1859-60 - wt-042 - T3.spain\n\nSend your orders by Monday 2026-11-23, "
        f"20:00 UTC.\n\n#1 Nizam was assaulted. [O8]\n    Prim leads [O8.1]\n\n{FORM}\n\n"
        "judge@war.test - HELP lists the commands."
    )


def receipt(language: str) -> str:
    """An answer with the orders as they were understood: old ones by the time somebody answers it."""
    head = SENTINELS.get(language, SENTINEL)
    begin, move, end = (
        ("ORDENES", "MOVER Old A Valle", "FIN") if language == "es" else ("ORDERS", "MOVE Old TO Valle", "END")
    )
    return (
        f"{head}\n\nAfrica 1859-60 - wt-042 - T3.spain\n\nYour orders are in: revision 1.\n\n"
        f"Your orders as I understand them\n{begin} T3\nACTIVATE Old\n{move}\n{end}\n\n"
        "judge@war.test - HELP lists the commands."
    )


def thread(language: str) -> str:
    """A letter of the author's own, with an older form that he filled in, quoted by ours."""
    return (
        f"{receipt(language)}\n\n> On 20 Nov 2026, at 10:00, Ana <ana@players.test> wrote:\n> \n> Here they are.\n>\n"
        "> ORDERS T3 #a2a2\n> MOVE Old TO Sierra\n> END\nCANCEL\n"
    )


def trimmed(original):
    """The same letter without its sentinel, which somebody took out of the quote."""
    return lambda language: original(language).split("\n", 2)[2]


ORIGINALS = {"report": report, "receipt": receipt, "thread": thread}
ORIGINALS |= {f"{name} trimmed": trimmed(made) for name, made in ORIGINALS.items()}


class Case(NamedTuple):
    """How somebody answers: which letter, what he writes above and below, what he changes, what is to come of it."""

    name: str
    original: str
    top: str = ""
    bottom: str = ""
    edit: bool = False
    between: bool = False
    commands: tuple[str, ...] = ()
    block: str = ""


def cases(language: str) -> list[Case]:
    es = language == "es"
    new = NUEVO if es else NEW
    hello = {"en": "Hello,", "es": "Hola:", "fr": "Bonjour,", "de": "Hallo,"}[language]
    status, name = ("ESTADO", "Ana") if es else ("STATUS", "Ana")
    return [
        Case("top", "report", top=f"{hello}\n\n{new}\n\n{name}", block=new),
        Case("top over receipt", "receipt", top=f"{new}", block=new),
        Case("top over thread", "thread", top=f"{new}", block=new),
        Case("command", "receipt", top=status, commands=(status,)),
        Case("command over thread", "thread", top=status, commands=(status,)),
        Case("bottom", "report", bottom=f"{hello}\n\n{new}\n\n{name}", block=new),
        Case("bottom over receipt", "receipt", bottom=new, block=new),
        Case("edited", "report", top=hello, edit=True, block="edit"),
        Case("trimmed", "receipt trimmed", top=f"{hello}\n\n{new}\n\n{name}", block=new),
        Case("trimmed thread", "thread trimmed", top=status, commands=(status,)),
        Case("trimmed bottom", "receipt trimmed", bottom=new, block=new),
        Case("trimmed, edited", "report trimmed", top=hello, edit=True, block="edit"),
        Case("between", "report", top=hello, between=True, block="edit"),
    ]


EDITED = ("ACTIVATE Ceuta", "MOVE Leon WITH Prim TO Otero")


def made(language: str, case: Case) -> Reply:
    quoted = [Mark(line) for line in ORIGINALS[case.original](language).split("\n")]
    start = next((n for n, mark in enumerate(quoted) if mark.text.startswith(("# ACTIVA",))), 0)
    if case.edit:
        quoted[start : start + 2] = [Mark(EDITED[0]), Mark(EDITED[1])]
    if case.between:
        quoted[start : start + 2] = [quoted[start], Mark(EDITED[0], True), Mark(EDITED[1], True), quoted[start + 1]]
    return Reply(language, case.top, tuple(quoted), case.bottom, "El juez" if language == "es" else "The Judge")


class Settled(NamedTuple):
    """What would be done: the commands, the order lines, and what is wrong."""

    commands: tuple[str, ...]
    orders: list[str]
    wrong: list[str]


def settle(incoming: IncomingLetter) -> Settled:
    parsed = command_lines.parse_letter(incoming.text, catalogue.COMMAND_FORMS)
    orders = (
        [line.strip() for line in parsed.block.lines if line.strip() and line.strip()[0] != "#"] if parsed.block else []
    )
    return Settled(tuple(c.text.strip() for c in parsed.commands), orders, [str(w.text) for w in parsed.wrong])


MATRIX = [
    (client, form, language, case)
    for client, form, language in product(CLIENTS, FORMS, LANGUAGES)
    for case in cases(language)
]


def wanted(case: Case) -> list[str]:
    if case.block == "edit":
        return list(EDITED)
    return case.block.split("\n")[1:-1] if case.block else []


def asks(client: str, form: str, case: Case) -> bool:
    """Below a quote that has no marks nobody can say whose the orders are: they are asked for."""
    shows = CLIENTS[client].holds if form == "html" else CLIENTS[client].marks
    return bool(case.bottom) and not shows


def outcome(client: str, form: str, language: str, case: Case) -> tuple[IncomingLetter, Settled]:
    templates = {"k7q2": block_fingerprint(SPANISH if language == "es" else FORM)}
    incoming = read_letter(written(client, form, made(language, case)), OWN, templates)
    return incoming, settle(incoming)


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_meant_is_found_and_nothing_old(client, subtests):
    """One language a client and form, by turns: each client and each form is met in all of them."""
    for turn, form in enumerate(FORMS, [*CLIENTS].index(client)):
        is_found(client, form, [LANGUAGES[turn % len(LANGUAGES)]], subtests)


@pytest.mark.full
@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_meant_is_found_in_every_language(client, subtests):
    for form in FORMS:
        is_found(client, form, LANGUAGES, subtests)


def is_found(client, form, languages, subtests):
    with subtests.test(form):
        for language in languages:
            for case in cases(language):
                incoming, got = outcome(client, form, language, case)
                case_text = f"{case.name}, {language}: {incoming.text!r}"
                assert (incoming.refusal, incoming.reason) == (None, ""), case_text
                assert not any("Old" in line for line in (*got.commands, *got.orders)), case_text
                if asks(client, form, case):
                    assert (got.orders, incoming.orders_only_quoted) == ([], True), case_text
                else:
                    assert got == Settled(case.commands, wanted(case), []), case_text
                assert incoming.quoted_block == (case.block == "edit"), case_text
                assert incoming.seat is not None


def test_orders_are_asked_for_only_where_a_quote_has_no_end():
    asked = {(client, form) for client, form, _, case in MATRIX if asks(client, form, case)}
    assert {client for client, _ in asked} == {
        "outlook",
        "outlook-marked",
        "outlook-web",
        "outlook-app",
        "yahoo",
        "forward",
    }
    assert len(MATRIX) == 12 * 10 * 4 * 13


OURS = phrases_of(
    "Africa 1859-60 - wt-042 - T3.spain\n\nYour orders are in: revision 1.\n\nYour orders as I understand them\n\n"
    "judge@war.test - HELP lists the commands."
)


def answer(text: str, more: str = "In-Reply-To: <wt-042.last@war.test>\n") -> IncomingLetter:
    raw = f"From: {PLAYER}\nTo: {SEAT}\nMessage-ID: <x@players.test>\n{more}\n{text}".encode()
    return read_body(raw, read_header(raw, OWN), OwnWords(sentences=lambda: OURS))


def test_a_letter_of_ours_is_known_by_its_words_where_nothing_marks_it():
    ours = receipt("en").split("\n", 2)[2]
    incoming = answer(f"STATUS\n\n{ours}")
    assert (incoming.text, incoming.orders_only_quoted) == ("STATUS", True)
    assert answer(f"{NEW}\n\n{ours}").text == NEW
    # Of a letter that answers nothing nobody asks what it may quote.
    assert "Old" in answer(f"STATUS\n\n{ours}", "").text


def test_orders_copied_out_of_a_letter_of_ours_count():
    block = "ORDERS T3\nACTIVATE Old\nMOVE Old TO Valle\nEND"
    assert answer(block).text == block
    assert answer(f"Your orders as I understand them\n{block}").text == block
    incoming = answer(f"STATUS\njudge@war.test - HELP lists the commands.\n{block}")
    assert incoming.text == f"STATUS\n{block}"
