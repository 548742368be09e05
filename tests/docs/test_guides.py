"""Check how long guides are, and that a guide in two languages says the same in both."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
MOST_LINES = 400
MOST_TERMS = 120
PAIRS = {
    "africa1860.en.md": "africa1860.es.md",
    "check-dice.en.md": "comprobar-dados.es.md",
    "commands.en.md": "comandos.es.md",
    "dice.md": "dados.es.md",
    "entrants.en.md": "torneo.es.md",
    "first-game.en.md": "primera-partida.es.md",
    "moderators.en.md": "moderadores.es.md",
    "own-battle.en.md": "batalla-propia.es.md",
    "peninsular.en.md": "peninsular.es.md",
    "players.en.md": "jugadores.es.md",
    "war.en.md": "guerra.es.md",
}


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=lambda path: path.name)
def test_no_guide_is_too_long(path):
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


def test_every_guide_for_players_is_in_two_languages():
    names = {path.name for path in DOCS.glob("*.e[ns].md")}
    assert names == {*PAIRS, *PAIRS.values()} - {"dice.md"}


@pytest.mark.parametrize("english", PAIRS)
def test_a_guide_says_the_same_in_both_languages(english):
    texts = [(DOCS / name).read_text("utf-8") for name in (english, PAIRS[english])]
    for shape in (r"^#{1,4} ", r"^- ", r"^\| ", r"^\d\. ", r"^```", r"\(\w[\w./-]*\.png\)", r"\b[A-Z]\d+(?:\.\d+)*\b"):
        first, second = (re.findall(shape, text, re.MULTILINE) for text in texts)
        assert len(first) == len(second), (shape, {*first} ^ {*second})
    assert f"({PAIRS[english]})" in texts[0]
    assert f"({english})" in texts[1]


def test_the_glossary_has_few_terms_and_each_once_in_both_languages():
    rows = [
        row.strip("| ").split(" | ")
        for row in (DOCS / "glossary.md").read_text("utf-8").splitlines()
        if row[:2] == "| "
    ]
    terms = [row for row in rows if row[0] != "term"]
    assert len(terms) <= MOST_TERMS
    assert all(len(row) == 3 and all(row) for row in terms)
    assert len({row[0] for row in terms}) == len(terms)


def test_the_changelog_has_each_heading_once():
    """The headings are those of Keep a Changelog."""
    text = (DOCS.parent / "CHANGELOG.md").read_text("utf-8")
    unreleased = text.partition("\n## [Unreleased]\n")[2].partition("\n## [")[0]
    headings = re.findall(r"^### (.*)$", unreleased, re.MULTILINE)
    order = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    assert headings == [heading for heading in order if heading in headings]
    entries = re.findall(r"^- .*$", unreleased, re.MULTILINE)
    assert len(entries) == len(set(entries))
