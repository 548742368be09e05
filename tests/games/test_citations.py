"""Every rule number that a player can come upon is found by RULES, in both languages.

Numbers stand in strings of the code (refusals, events, help), in charts, rules, errata, scenarios and translations, and
in what happened in the golden turns.
"""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

import pbem
from pbem.cli.rulebooks import game_by_name
from pbem.installed import playable_games
from pbem.letters import command_lines
from pbem.server.catalogue import COMMAND_FORMS

GAMES = Path(pbem.__file__).parent / "games"
NAMES = [*playable_games()]
GOLDEN = Path(__file__).parent
TEXTS = ("*.txt", "*.po", "*.toml", "*.csv")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


@cache
def pattern(game: str) -> re.Pattern[str]:
    """The numbers of a game: one of the letters of its rules, figures, perhaps a small letter."""
    heads = (GAMES / game / "rules.txt").read_text("utf-8").split("\n")
    letters = "".join(sorted({line[0] for line in heads if line}))
    return re.compile(rf"(?<![\w.])[{letters}]\d+(?:\.\d+)*[a-z]?(?![\w])")


def spoken(source: str) -> list[str]:
    """The strings of a program without its docstrings; names of fields and of files are among them."""
    tree = ast.parse(source)
    docstrings = {
        id(body.body[0].value)
        for body in ast.walk(tree)
        if isinstance(body, DOCUMENTED) and body.body and isinstance(body.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]


@cache
def cited(game: str) -> dict[str, str]:
    """Every number, with one place where it stands."""
    rules_cited: dict[str, str] = {}
    folder = GAMES / game
    for path in sorted(folder.rglob("*.py")):
        for text in spoken(path.read_text("utf-8")):
            rules_cited |= dict.fromkeys(pattern(game).findall(text), path.name)
    for kind in TEXTS:
        for path in sorted(folder.rglob(kind)):
            rules_cited |= dict.fromkeys(pattern(game).findall(path.read_text("utf-8")), path.name)
    for path in sorted((GOLDEN / game / "golden").glob("*/events.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            happened = json.loads(line)
            rules = (happened["cite"], *happened["data"].get("rules", ()))
            rules_cited |= dict.fromkeys(filter(None, rules), f"{path.parent.name}/{path.name}")
    return rules_cited


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("name", NAMES)
def test_every_number_that_is_cited_anywhere_is_found_by_rules(name, language):
    rulebook, numbers = game_by_name(name).rulebook, cited(name)
    assert len(numbers) > 60
    assert {number: place for number, place in numbers.items() if not rulebook.rule(number, language)} == {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("word", ["RULES", "regla"])
def test_every_number_can_be_asked_for_in_a_letter(name, word):
    for number in cited(name):
        parsed = command_lines.parse_letter(f"{word} {number}\n", COMMAND_FORMS)
        assert [(line.name, line.rest.casefold()) for line in parsed.commands] == [("rule", number.casefold())], number
        assert parsed.wrong == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_number_is_answered_by_its_own_line_first(name):
    for number in cited(name):
        for language in ("en", "es"):
            lines = game_by_name(name).rulebook.rule(number, language)
            assert lines[0].split()[0] == number, (number, language)


@pytest.mark.parametrize("name", NAMES)
def test_the_guides_for_players_cite_rules_of_their_game_alone(name):
    assert NAMES == ["africa1860", "peninsular"]
    known = {
        game_name: {line.split()[0] for line in (GAMES / game_name / "rules.txt").read_text("utf-8").splitlines()}
        for game_name in NAMES
    }
    docs = Path(pbem.__file__).parents[1] / "docs"
    guides = [*docs.glob("*.en.md"), *docs.glob("*.es.md")]
    assert len(guides) > 15
    for file in guides:
        text = file.read_text("utf-8")
        brackets = {number for bracket in re.findall(r"\[([A-Z]\d[\w. ,]*)\]", text) for number in bracket.split(", ")}
        assert brackets <= known["africa1860"] | known["peninsular"], file.name


def test_this_test_sees_what_is_no_rule():
    assert spoken('"""O99"""\ndef f():\n    """R88"""\n    return Refusal(("R22a", "C77"), f"as {x} [O8.1]")\n') == [
        "R22a",
        "C77",
        "as ",
        " [O8.1]",
    ]
    assert pattern("africa1860").findall("R22a, (C77) [O8.1] O8.8.2-3 xO9 T1") == ["R22a", "C77", "O8.1", "O8.8.2"]
    assert game_by_name("africa1860").rulebook.rule("C77", "es") == ()
