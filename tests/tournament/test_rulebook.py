"""The rules in both languages, and what code and cases cite of them."""

import re
from pathlib import Path

import pytest

import pbem.tournaments.arithmetic
from pbem.tournaments.arithmetic.rulebook import rule_numbers, rule_text, rules_below
from tests.tournament.runner import CASES

PACKAGE = Path(pbem.tournaments.arithmetic.__file__).parent
CITED = re.compile(r"\bE\d+(?:\.\d+)?\b(?!-)")


def test_a_rule_is_looked_up_in_either_language():
    assert rule_text("E4.3", "en") == "Points apart count by their square, in halves."
    assert rule_text("E4.3", "es") == "La diferencia de puntos cuenta por su cuadrado, en medios."
    assert rule_text("E4.3", "fr") == rule_text("E4.3", "en")
    with pytest.raises(KeyError):
        rule_text("E99", "en")


def test_what_stands_below_a_number_comes_with_it():
    assert [line.split()[0] for line in rules_below("E2", "es")] == ["E2", "E2.1", "E2.2", "E2.3", "E2.4"]
    assert rules_below("E99", "en") == ()


def test_both_languages_have_the_same_numbers_in_the_same_order():
    english, spanish = ((PACKAGE / name).read_text("utf-8").splitlines() for name in ("rules.txt", "rules.es.txt"))
    assert [line.split()[0] for line in english] == [line.split()[0] for line in spanish] == [*rule_numbers()]
    assert all(re.fullmatch(r"E\d+(\.\d+)?  \S.*\.", line) for line in (*english, *spanish))
    assert not {line.split(maxsplit=1)[1] for line in english} & {line.split(maxsplit=1)[1] for line in spanish}


def test_numbers_stand_in_order():
    keys = [tuple(map(int, number[1:].split("."))) for number in rule_numbers()]
    assert keys == sorted(keys)


@pytest.mark.parametrize("path", [*PACKAGE.rglob("*.py"), *CASES.glob("*.toml")], ids=lambda path: path.name)
def test_what_is_cited_is_a_rule(path):
    source_text = path.read_text("utf-8").replace("noqa: E731", "")
    assert set(CITED.findall(source_text)) <= set(rule_numbers())
