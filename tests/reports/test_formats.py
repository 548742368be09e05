"""A letter as a page of HTML, and as it is read aloud: the words of its text, and nothing that is not theirs."""

import re
from html.parser import HTMLParser

import pytest

from pbem.engine.data.messages import msg
from pbem.engine.data.report import DRAWING_DEPTH, Block, Entry, Report, Table
from pbem.letters.catalogue import load_catalogue
from pbem.letters.text import MOST_PAGE_OCTETS, TextLetters
from pbem.mail.html import SENTINEL
from tests.reports.test_text import REPORT, TEMPLATE, error, letter

LETTERS = TextLetters(SENTINEL)
HOSTILE = "<script>alert(1)</script><img src=x onerror=y> & \"q\" 'a' </pre></td></table> {{ 7*7 }} {% raw %}"
DRAWN = ((DRAWING_DEPTH, msg("  {sign}  w", sign="Ceuta [S 2]")), (DRAWING_DEPTH, msg("   \\")))
MAP = Block(msg("The map"), (*DRAWN, (0, msg("w woods"))))
ATTRIBUTES = {
    *("style", "class", "cellpadding", "cellspacing", "border", "width", "height", "align", "valign", "role", "lang"),
    *("charset", "name", "content", "scope", "colspan", "href", "src", "alt"),
}


class Seen(HTMLParser):
    """The words of a page, the tags and the attributes in it; the tags must close in order."""

    def __init__(self, page):
        super().__init__()
        self.words: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words += data.split()

    def values(self, *names):
        """The values of attributes of these names."""
        return [value for name, value in self.attributes if name in names]


def whole(text):
    """A letter that has every part, each with `text` in it."""
    text_json = msg("{text}", text=text).to_json()
    entries = (Entry(text, msg("{text}", text=text), (msg("{text}", text=text),)), *REPORT.entries)
    table = Table((msg("{text}", text=text),) * 2, ((msg("{text}", text=text), ((text, text, (text,)),)),))
    forces = REPORT.blocks[1]._replace(title=msg("{text}", text=text), lines=((0, msg("{x}", x=text)),), table=table)
    report = REPORT._replace(entries=entries, summary=(msg("{text}", text=text),), blocks=(*REPORT.blocks, MAP, forces))
    return letter(
        wanted=1,
        title=text_json,
        opening=[text_json],
        report=report.to_json(),
        errors=[error(text=text, why=text_json, rule=text, suggestions=[text])],
        warnings=[{"line": 3, "why": text_json, "rule": text}],
        blocks=[
            {"title": text_json, "lines": [text, [1, text_json], [DRAWING_DEPTH, text_json]]},
            {
                "title": text_json,
                "lines": [text],
                "picture": {"cid": "map1@x.test", "wide": 720, "high": 500, "alt": text_json},
            },
        ],
        closing=[text_json],
        template=["ORDERS T3 #k7q2", f"# {text}", "END"],
        address=f"{text}@example.org",
    )


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_page_shows_the_words_of_the_text(monkeypatch, language):
    # A page has no lines to count: what a long text leaves to WHY stays in it.
    monkeypatch.setattr("pbem.letters.text.READABLE_LINES", 100)
    parts = whole("Saboya")
    page, text = LETTERS.page(parts, language), LETTERS.letter(parts, language)
    assert f'<html lang="{language}">' in page
    marks = re.compile(r"[-\[\]#^]|^\.\.\.$")
    words = load_catalogue(language)
    below = "It opens a letter that has the form below in it."
    button = " ".join(words.word(word) for word in ("Write the orders", below))
    shown, written = (
        {marks.sub("", word) for word in words} for words in (Seen(page).words, f"{text} {button}".split())
    )
    assert shown == written
    assert page.index(LETTERS.letter(parts, language).split("\n")[0]) < page.index("<h1")


def test_nothing_of_what_players_write_becomes_markup():
    page = LETTERS.page(whole(HOSTILE), "es")
    harmless, hostile = Seen(LETTERS.page(whole("Saboya"), "es")), Seen(page)
    attributes = ("href", "alt")
    plain, evil = (
        [attribute for attribute in seen.attributes if attribute[0] not in attributes] for seen in (harmless, hostile)
    )
    assert (hostile.tags, sorted(evil)) == (harmless.tags, sorted(plain))
    assert hostile.values("alt") == [HOSTILE]
    (to,) = hostile.values("href")
    assert re.fullmatch(r"mailto:[\w%@.~-]+\?subject=[\w%.~-]+&body=[\w%@.~-]+", to)
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 15
    assert "{{ 7*7 }}" in page


def test_a_page_fetches_nothing_and_leads_to_a_letter_alone():
    seen = Seen(LETTERS.page(whole("Saboya"), "en"))
    assert {name for name, _ in seen.attributes} <= ATTRIBUTES
    assert seen.tags & {"link", "script", "iframe", "form", "base"} == set()
    assert seen.values("src") == ["cid:map1@x.test"]
    assert all(to.startswith("mailto:") for to in seen.values("href"))
    assert not any("url(" in (value or "") or "://" in (value or "") for _, value in seen.attributes)


def test_a_map_keeps_its_columns_in_a_page():
    page = LETTERS.page(letter(report=Report(msg("Turn"), blocks=(MAP,)).to_json()), "en")
    assert ">  Ceuta [S 2]  w\n   \\</pre>" in page


@pytest.mark.parametrize("many", [600, pytest.param(2000, marks=pytest.mark.full)])
def test_a_long_report_is_cut_to_what_mail_programs_show(many):
    entries = [
        Entry("C6", msg("Nizam fires, {n}.", n=n), (msg("coins {n}", n=n),) * 9, outcome=n % 10 == 0)
        for n in range(many)
    ]
    page = LETTERS.page(letter(report=Report(msg("Turn"), entries=tuple(entries)).to_json()), "en")
    assert MOST_PAGE_OCTETS / 20 < len(page) < MOST_PAGE_OCTETS
    assert "(Left out: #2-#10, #12-#20, " in page


def test_read_aloud_each_fact_has_a_line_and_nothing_is_drawn():
    long = msg("On the march: {units}.", units=tuple(f"Battalion{n} of the reserve" for n in range(9)))
    parts = letter(
        report=REPORT._replace(entries=(*REPORT.entries, Entry("S4", long)), blocks=(*REPORT.blocks, MAP)).to_json(),
        errors=[error(suggestions=["ASSAULT"])],
        template=TEMPLATE,
    )
    assert (
        LETTERS.letter(parts, "en", aloud=True)
        == f"""\
##- please write above this line -##

Turn 3, Spain - ceuta - T3.spain
Send your orders by Friday.

- Two assaults, one space taken.
- Spain lost 3 steps.

{chr(10).join(TEMPLATE)}

#1 Saboya and Leon move to Serrallo. Rule O3.1.
#2 Nizam fires at Saboya. Rule C6.
coins 4
heads 3
#3 Night falls.
#4 On the march: Battalion0 of the reserve,
Battalion1 of the reserve,
Battalion2 of the reserve,
Battalion3 of the reserve,
Battalion4 of the reserve,
Battalion5 of the reserve,
Battalion6 of the reserve,
Battalion7 of the reserve,
Battalion8 of the reserve. Rule S4.

Losses:
Spain 3
Forces:
C1:
Saboya
The map:
A map is drawn here in letters of another format.
w woods

Line 2:
    ASALT Sierra
    It is about: ASALT
No such order. Rule O1.
Perhaps you mean: ASSAULT

{parts["address"]} - HELP lists the commands.
"""
    )


def test_read_aloud_long_lines_are_not_broken_and_lists_of_orders_stand_as_they_are():
    text_json = msg("{words}", words=" ".join(["word"] * 40)).to_json()
    parts = letter(
        opening=[text_json], blocks=[{"title": msg("Orders").to_json(), "lines": ["MOVE Leon  TO C3", [2, text_json]]}]
    )
    lines = LETTERS.letter(parts, "es", aloud=True).split("\n")
    assert [line for line in lines if "word" in line] == [" ".join(["word"] * 40)] * 2
    assert "MOVE Leon  TO C3" in lines
