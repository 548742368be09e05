"""Every sentence the house can say is in the Spanish catalogues, with the same gaps."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from jinja2 import nodes

from pbem.data import data
from pbem.engine.data.languages import SHIPPED_LANGUAGES as LANGUAGES
from pbem.letters.catalogue import gap_names, load_catalogue, read_po_file
from pbem.letters.text import template_environment
from pbem.mail.html import SENTINEL

ROOT = Path(__file__).resolve().parents[2]
PBEM = ROOT / "pbem"
HOUSE = PBEM / "letters" / "locale" / "es.po"
GAMES = sorted(p.parent.parent for p in (PBEM / "games").glob("*/locale/es.po"))


def said_in_code(path: Path) -> Iterator[tuple[str, str]]:
    """Where and what: the first argument of every call of `msg` that is written out."""
    source = path.read_text("utf-8")
    if not re.search(r"\b[mM]sg\(", source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            if name in {"msg", "Msg"} and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", first.value


def said_in_templates() -> Iterator[tuple[str, str]]:
    """Where and what: the first argument of every `_(...)` of the templates."""
    for path in sorted(data("templates").rglob("*.j2")):
        tree = template_environment(load_catalogue("en")).parse(path.read_text("utf-8"))
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "_":
                assert isinstance(call.args[0], nodes.Const), f"{path.name}:{call.lineno}: not a plain sentence"
                yield f"{path.name}:{call.lineno}", call.args[0].value


@cache
def house() -> list[tuple[str, str]]:
    files = (p for p in PBEM.rglob("*.py") if p.relative_to(PBEM).parts[0] != "games")
    texts = [text for path in sorted(files) for text in said_in_code(path)]
    return [*texts, *said_in_templates(), ("pbem/mail/inbound.py", SENTINEL)]


@cache
def of_game(folder: Path) -> list[tuple[str, str]]:
    return [text for path in sorted(folder.rglob("*.py")) for text in said_in_code(path)]


def lacking(texts: list[tuple[str, str]], words: dict[str, str]) -> list[str]:
    return [
        f"{where}: {text}" for where, text in texts if any(c.isalpha() for c in gapless(text)) and text not in words
    ]


def gapless(text: str) -> str:
    """What is left of a sentence without its gaps: "{a}: {b}" needs no translation."""
    return re.sub(r"\{\w+\}", "", text)


def crooked(words: dict[str, str]) -> list[str]:
    """Sentences with other gaps than their twins; a gap called as a language is said in that language alone."""
    return [english for english, other in words.items() if (gap_names(english) ^ gap_names(other)) - set(LANGUAGES)]


def test_the_house_says_everything_in_spanish():
    assert lacking(house(), read_po_file(HOUSE, "es")) == []


def test_the_spanish_of_the_house_fills_the_same_gaps():
    assert crooked(read_po_file(HOUSE, "es")) == []


def test_the_catalogue_of_the_house_holds_nothing_that_nobody_says():
    texts = {text for _, text in house()}
    assert [text for text in read_po_file(HOUSE, "es") if text not in texts] == []


@pytest.mark.parametrize("folder", GAMES, ids=lambda folder: folder.name)
def test_a_game_says_everything_in_spanish(folder):
    words = read_po_file(folder / "locale" / "es.po", "es")
    assert lacking(of_game(folder), read_po_file(HOUSE, "es") | words) == []
    assert crooked(words) == []


def test_every_game_has_a_catalogue():
    folders = {p.parent for p in (PBEM / "games").glob("*/__init__.py")}
    assert {p for p in folders if of_game(p)} <= set(GAMES)


def test_this_test_finds_sentences(tmp_path):
    path = PBEM / "letters" / "layout.py"
    assert "line {line}: {why}" in [text for _, text in said_in_code(path)]
    assert "Line {line}:" in [text for _, text in said_in_templates()]
    assert lacking([("here", "Good day, {name}."), ("there", "{a}: {b}")], {}) == ["here: Good day, {name}."]
    assert crooked({"Good day, {name}.": "Buenos días, {nombre}.", "{n} more": "{n} más"}) == ["Good day, {name}."]


FORMER = sorted(PBEM.rglob("locale/former/*.po"))


@pytest.mark.parametrize("path", FORMER, ids=lambda path: str(path.relative_to(PBEM)))
def test_what_letters_of_earlier_versions_say_is_said_no_more_and_has_words(path):
    """A sentence in the place of another has no gap that the other lacks; Spanish has each that nothing took over."""
    texts = {text for _, text in house()} | {text for folder in GAMES for _, text in of_game(folder)}
    words = read_po_file(path, path.stem)
    assert words
    assert words.keys() & texts == set()
    assert [old for old, new in words.items() if gap_names(new) - gap_names(old)] == []
    if path.stem == "en":
        assert set(words.values()) - texts == set()
    else:
        assert (
            not path.with_name("en.po").exists()
            or not words.keys() & read_po_file(path.with_name("en.po"), "en").keys()
        )
