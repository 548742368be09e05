"""Answers to letters that came as pages: clients quote the page, and what they make text of it, in their own ways."""

import html
import re

import pytest

from pbem.engine.data.messages import msg
from pbem.engine.data.report import Block, Entry, Report
from pbem.engine.data.scene import PlacedPicture, with_drawn_pictures
from pbem.engine.terms import Phase
from pbem.letters import content
from pbem.letters.content import Letter, LetterHead
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL, html_to_text
from pbem.mail.inbound import read_letter
from pbem.mail.quoting import block_fingerprint
from tests.mail.envelopes import written
from tests.mail.replies import CLIENTS, Mark, Reply
from tests.mail.test_replies import EDITED, FORM, NEW, NUEVO, OWN, SPANISH, Case, asks, cases, settle, wanted

HERE = "\ue000"
"""What stands for the quoted page until a client has written around it."""
LETTERS = TextLetters(SENTINEL)


def page_of(original: str, language: str) -> str:
    """A report with its form, or an answer that shows old orders, as the page that a player gets."""
    head = LetterHead("wt-042", "africa1860", msg("Africa 1859-60"), "spain", Phase(3, "spain"), "judge@war.test")
    if original == "report":
        report = Report(
            msg("What happened"),
            (msg("Spain 3, Morocco 2."),),
            (Entry("O8", msg("#1 Nizam was assaulted."), (msg("Prim leads."),)),),
            (Block(msg("Your units"), ((0, msg("Saboya 4/4")),)),),
        )
        form = (SPANISH if language == "es" else FORM).split("\n")
        wish = (msg("Send your orders by Monday."),)
        made = Letter("report", head, opening=wish, report=report, template=form).to_json()
    else:
        begin, end = ("ORDENES", "FIN") if language == "es" else ("ORDERS", "END")
        old = content.titled_block(
            msg("Your orders as I understand them"), [f"{begin} T3", "ACTIVATE Old", "MOVE Old TO Valle", end]
        )
        made = Letter("receipt", head, opening=(msg("Your orders are in: revision 1."),), blocks=(old,)).to_json()
    picture = {"scene": {}, "edition": "", "alt": msg("Map: ORDERS T3 of Old.").to_json(), "dark": False}
    shown = with_drawn_pictures({**made, "picture": picture}, [PlacedPicture("map1.x@war.test", 720, 450)])
    return LETTERS.page(shown, language)


def inner(page: str) -> str:
    """What a client keeps of a page that it quotes: no head, no style."""
    body = re.sub(r"(?is).*<body[^>]*>|</body>.*", "", page)
    return re.sub(r"(?is)<style.*?</style>|<!--.*?-->", "", body)


def edited(text: str, language: str) -> str:
    first, second = ("# ACTIVAR Ceuta", "# MOVER Saboya") if language == "es" else ("# ACTIVATE Ceuta", "# MOVE Saboya")
    text = text.replace(first, EDITED[0], 1)
    return re.sub(rf"{second}[^\n]*", EDITED[1], text, count=1)


def given(client: str, case: Case, language: str, monkeypatch: pytest.MonkeyPatch) -> Reply:
    """What is answered to, as text; the client puts the page itself into what it writes as a page."""
    page = inner(page_of(case.original, language))
    if case.edit:
        page = edited(page, language)
    own = CLIENTS[client]

    def quoting(reply: Reply) -> str:
        return own.html(reply._replace(quoted=(Mark(HERE),))).replace(html.escape(HERE), page)

    monkeypatch.setitem(CLIENTS, client, own._replace(html=quoting))
    quoted = tuple(Mark(line) for line in html_to_text(page).text.split("\n"))
    return Reply(language, case.top, quoted, case.bottom, "El juez" if language == "es" else "The Judge")


WAYS = ("top", "top over receipt", "command", "bottom", "edited")


@pytest.mark.parametrize("form", ["html", "alternative", "related", "plain"])
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_an_answer_to_a_page_is_read_like_one_to_its_text(client, form, monkeypatch):
    """One language a client and form, by turns."""
    turn = sorted(CLIENTS).index(client) + ["html", "alternative", "related", "plain"].index(form)
    is_read(client, form, monkeypatch, [("en", "es")[turn % 2]])


@pytest.mark.full
@pytest.mark.parametrize("form", ["html", "alternative", "related", "plain"])
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_an_answer_to_a_page_is_read_like_one_to_its_text_in_both_languages(client, form, monkeypatch):
    is_read(client, form, monkeypatch, ["en", "es"])


def is_read(client, form, monkeypatch, languages):
    for language in languages:
        templates = {"k7q2": block_fingerprint(SPANISH if language == "es" else FORM)}
        for case in cases(language):
            if case.name not in WAYS:
                continue
            with monkeypatch.context() as patch:
                reply = given(client, case, language, patch)
                incoming = read_letter(written(client, form, reply), OWN, templates)
            got, case_text = settle(incoming), f"{case.name}, {language}: {incoming.text!r}"
            assert (incoming.refusal, incoming.reason) == (None, ""), case_text
            assert not any("Old" in line for line in (*got.commands, *got.orders)), case_text
            if asks(client, form, case):
                assert got.orders == [], case_text
            else:
                assert (list(got.commands), got.orders, got.wrong) == (list(case.commands), wanted(case), []), case_text


def test_both_blocks_were_tried():
    assert {NEW, NUEVO} == {case.block for language in ("en", "es") for case in cases(language) if case.name == "top"}
