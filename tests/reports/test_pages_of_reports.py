"""The page of a real report, by its bytes: it tells what the text tells, brings all it shows, leads to one place."""

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import DRAWING_DEPTH
from pbem.letters.catalogue import load_catalogue
from pbem.letters.layout import is_drawing
from pbem.letters.text import LONGEST_LINK, MOST_PAGE_OCTETS
from tests.reports.real_letters import ADDRESS, LETTERS, TURNS, letter_of, report_of

STYLE = 16_000
"""Octets of a style sheet that webmail takes at most."""
BOTH = [(game, language) for game in TURNS for language in ("en", "es")]


class Read(HTMLParser):
    """What is read on a page, words with single blanks between them, without what stands in its head."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.feed(page[page.index("<body") :])
        self.close()

    def handle_data(self, data: str) -> None:
        self.said += data.split()

    def __str__(self) -> str:
        return " ".join(self.said)


def flat(text: str) -> str:
    return " ".join(text.split())


def links(page: str) -> list[str]:
    """Where the links of a page lead, in order."""
    return [unescape(link) for link in re.findall(r'<a href="([^"]*)"', page)]


def button(page: str) -> str:
    """Where the one link of a page leads."""
    (link,) = links(page)
    return link


def leaves(value):
    """All numbers and words in what fills gaps."""
    if isinstance(value, Msg):
        return {leaf for _, arg in value.args for leaf in leaves(arg)}
    if isinstance(value, tuple):
        return {leaf for part in value for leaf in leaves(part)}
    return set(str(value).split())


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_each_sentence_of_the_text_stands_on_the_page(game, language):
    letter, words = letter_of(game, language), load_catalogue(language, game)
    page, text = str(Read(LETTERS.page(letter, language))), flat(LETTERS.letter(letter, language))
    # A page shows its picture in the place of what is drawn in letters.
    report = report_of(game)
    report = report._replace(blocks=tuple(block for block in report.blocks if not is_drawing(block.to_json())))
    texts = [words.say(Msg.from_json(paragraph)) for paragraph in (*letter["opening"], *letter["closing"])]
    texts += [words.say(line) for block in report.head for _, line in block.lines]
    texts += [
        words.say(line) for line in (report.title, *report.summary, *(block.title for block in report.blocks[-3:]))
    ]
    texts += [words.say(line) for entry in report.entries for line in (entry.text, *entry.details)]
    texts += [
        words.say(line)
        for block in report.blocks
        if block.table is None
        for d, line in block.lines
        if d != DRAWING_DEPTH
    ]
    texts += [*letter["template"], letter["address"], *letter["blocks"][0]["lines"]]
    assert len(texts) > 40
    missing = [sentence for sentence in texts if flat(sentence) in text and flat(sentence) not in page]
    assert missing == []


@pytest.mark.parametrize("seat", [0, 1, -1])
@pytest.mark.parametrize("game", sorted(TURNS))
def test_a_table_tells_what_its_lines_tell(game, seat):
    tables = [(block.lines, block.table) for block in report_of(game, seat).blocks if block.table is not None]
    assert len(tables) == 2
    for lines, table in tables:
        cells = {leaf for title, rows in table.groups for leaf in leaves((title, *rows))}
        texts = {leaf for _, line in lines for leaf in leaves(line)}
        # The ratings of a unit are one word in a line, and a cell each in a table.
        parts = {part for leaf in texts for part in (leaf.split("-") if re.fullmatch(r"\d-\d-\d", leaf) else [leaf])}
        assert parts <= cells
        assert all(len(row) == len(table.heads) + 1 for _, rows in table.groups for row in rows)


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_a_page_brings_all_that_it_shows(game, language):
    page = LETTERS.page(letter_of(game, language), language)
    assert len(page.encode()) < MOST_PAGE_OCTETS / 2
    assert re.findall(r"(?i)https?:|//|url\(|@import|<script|<link|<iframe|<form|\son\w+=|javascript:", page) == []
    assert re.findall(r'src="([^"]*)"', page) == ["cid:map1.1@games.example"]
    (style,) = re.findall(r"(?s)<style>(.*?)</style>", page)
    assert len(style.encode()) < STYLE
    assert page.count('style="') > 50


@pytest.mark.parametrize(("game", "language"), BOTH)
def test_the_text_is_the_same_with_and_without_what_only_a_page_shows(game, language):
    with_all = letter_of(game, language)
    bare = {name: value for name, value in with_all.items() if name not in ("wanted", "picture")}
    bare["report"] = (
        report_of(game)._replace(blocks=tuple(block._replace(table=None) for block in report_of(game).blocks)).to_json()
    )
    assert LETTERS.letter(with_all, language) == LETTERS.letter(bare, language)
    assert LETTERS.letter(with_all, language, aloud=True) == LETTERS.letter(bare, language, aloud=True)


def test_what_is_wanted_stands_in_a_box_above_all_else():
    page = LETTERS.page(letter_of("africa1860", "en"), "en")
    assert re.search(r'class="x".*?Send your orders by Monday\.', page, re.DOTALL)
    order = ("write above", 'class="x"', "Your clock", "<img", "<a href", "<ul", ">#1<")
    places = [page.index(heading) for heading in order]
    assert places == sorted(places)
    quiet = LETTERS.page(letter_of("africa1860", "en", asked=False), "en")
    assert 'class="x"' not in quiet
    assert "<a href" not in quiet
    assert re.search(r'class="k".*?Nothing is wanted of you now\.', quiet, re.DOTALL)
    old = letter_of("africa1860", "en")
    del old["wanted"]
    assert 'class="x"' not in LETTERS.page(old, "en")


def test_the_button_opens_a_letter_with_the_form_in_it():
    letter = letter_of("africa1860", "es", template=["ORDENES T4 #k7q2", "# MOVER León & Príncipe A Mochilas?", "FIN"])
    to = urlsplit(button(LETTERS.page(letter, "es")))
    assert (to.scheme, unquote(to.path)) == ("mailto", ADDRESS)
    assert parse_qs(to.query) == {
        "subject": [f"Re: {LETTERS.subject(letter, 'es')}"],
        "body": ["ORDENES T4 #k7q2\r\n# MOVER León & Príncipe A Mochilas?\r\nFIN\r\n"],
    }
    assert "%0D%0A" in to.query
    assert "+" not in to.query
    assert "%20" in to.query


def test_no_button_opens_an_empty_letter():
    form = ["ORDERS T4 #k7q2", *["# MOVE Saboya, Leon TO Mochilas"] * 60, "END"]
    attacks = [[msg("attack {n}", n=n).to_json(), f"ORDERS T4 #k7q2\nASSAULT Loma{n}\nEND"] for n in range(9)]
    long = ["too long", "x" * LONGEST_LINK]
    buttons = [*attacks, [msg("{x}", x=long[0]).to_json(), long[1]], [msg("desk").to_json(), "DESK"]]
    page = LETTERS.page(letter_of("africa1860", "en", template=form, buttons=buttons), "en")
    bodies = [parse_qs(urlsplit(to).query)["body"][0] for to in links(page)]
    assert bodies == [
        *(f"ORDERS T4 #k7q2\r\nASSAULT Loma{n}\r\nEND\r\n" for n in range(5)),
        "DESK\r\n",
    ]
    assert all(len(to) <= LONGEST_LINK for to in links(page))
    assert "The form below is too long for a button" in page
    assert form[1] in page
    whole = LETTERS.page(letter_of("africa1860", "en", template=form[:3], buttons=buttons), "en")
    assert len(links(whole)) == 1 + len(attacks) + 1
    assert LETTERS.letter(letter_of("africa1860", "en", buttons=buttons), "en") == LETTERS.letter(
        letter_of("africa1860", "en"), "en"
    )


def test_a_block_has_its_own_buttons_and_none_without_an_address():
    answer = {"title": msg("1. Who?").to_json(), "lines": [], "buttons": [[msg("A  Vanguard").to_json(), "RESPOND 1A"]]}
    asked = letter_of("africa1860", "en", kind="question", template=[], blocks=[answer])
    page = LETTERS.page(asked, "en")
    (to,) = links(page)
    assert parse_qs(urlsplit(to).query)["body"] == ["RESPOND 1A\r\n"]
    assert "A  Vanguard</a>" in page
    assert links(LETTERS.page({**asked, "address": ""}, "en")) == []
    (back,) = links(LETTERS.page({**asked, "address": "", "reply": "pbem@games.example"}, "en"))
    assert back.startswith("mailto:pbem@games.example?")


def test_a_map_that_was_drawn_stands_in_the_place_of_its_text():
    drawn = letter_of("peninsular", "en", report=report_of("peninsular", -1).to_json())
    page, plain = LETTERS.page(drawn, "en"), LETTERS.page({**drawn, "picture": None}, "en")
    assert "The map around the units" in plain
    assert "The map around the units" not in page
    lines = [[DRAWING_DEPTH, msg("/ \\").to_json()], [0, msg("w woods").to_json()]]
    asked = {"title": msg("The map now").to_json(), "lines": lines, "picture": drawn["picture"]}
    answer = {**drawn, "picture": None, "report": None, "blocks": [asked]}
    page = LETTERS.page(answer, "en")
    assert page.count("<img") == 1
    assert "/ \\" not in page
    assert "w woods" in page
    assert "/ \\" in LETTERS.page({**answer, "blocks": [{**asked, "picture": None}]}, "en")
