"""The booklet of rules: contents, charts, examples, index, in both languages, on paper and as a page."""

import re

import pytest

from pbem.cli.printing import PrintedGame, rules_document
from pbem.cli.rulebooks import game_by_name
from pbem.engine.testing.checks import rule_list
from pbem.letters.catalogue import load_catalogue
from pbem.pages.printed import Document, Grid, Heading, Picture, Plain
from pbem.pages.printed.web import to_html
from tests.games.rule_examples import LANGUAGES, SHELVES
from tests.games.test_rulebook import BOOKS

GAMES = [name for name in BOOKS if name != "camp"]


def made(name: str, language: str) -> Document:
    return rules_document(PrintedGame(game_by_name(name), load_catalogue(language, name)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_booklet_has_every_rule_with_its_text_and_example(name, language):
    document = made(name, language)
    heads = [part.text.split()[0] for part in document.parts if isinstance(part, Heading) and part.level > 1]
    assert heads[: len(rule_list(SHELVES[name]))] == [*rule_list(SHELVES[name])]
    page = to_html(document)
    rulebook = game_by_name(name).rulebook
    for number in rule_list(SHELVES[name]):
        _, _, after = page.partition(f'id="{number}">')
        own = re.sub(r"<[^>]+>", "", re.split(r'<h\d id="', after)[0])
        example = rulebook.example(number, language)[0][1]
        for line in (rulebook.full_text(number, language)[0][1], example):
            assert line.replace("'", "&#x27;").replace('"', "&quot;").replace("<", "&lt;") in own, number


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_booklet_has_all_charts_and_an_index_without_a_blank(name, language):
    document = made(name, language)
    charts = [part.text for part in document.parts if isinstance(part, Plain)]
    assert len(charts) >= 2 * len(game_by_name(name).rulebook.charts())
    (index,) = [part for part in document.parts if isinstance(part, Grid)]
    books = [name, "camp"] if SHELVES[name].wars() else [name]
    words = {word for book in books for word in SHELVES[book].index(language)}
    assert {row[0] for _, rows in index.groups for row in rows} == words
    assert document.to_json()["contents"]


@pytest.mark.parametrize("name", GAMES)
def test_a_page_of_rules_leads_only_where_there_is_something(name):
    for language in LANGUAGES:
        page = to_html(made(name, language))
        anchors = re.findall(r' id="([^"]+)"', page)
        assert len(anchors) == len({*anchors})
        assert {*re.findall(r'href="#([^"]+)"', page)} <= {*anchors}


def test_a_picture_is_for_paper_alone():
    with pytest.raises(ValueError, match="Picture"):
        to_html(Document("t", "en", "f", (Picture("<svg/>", "a map"),)))
