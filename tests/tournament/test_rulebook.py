"""The rules in both languages, and what code and cases cite of them."""

import re
from pathlib import Path

import pytest

import pbem.tournaments.arithmetic
from pbem.tournaments.arithmetic.rulebook import rules_below
from tests.tournament.runner import CASES

PACKAGE = Path(pbem.tournaments.arithmetic.__file__).parent
CITED = re.compile(r"\bE\d+(?:\.\d+)?\b(?!-)")


NUMBERS = [line.split()[0] for line in (PACKAGE / "rules.txt").read_text("utf-8").splitlines()]


def test_a_rule_is_looked_up_with_those_below_it_in_either_language():
    assert rules_below("E6", "en")[1:] == (*rules_below("e6.1", "en"), *rules_below("6.2", "en"))
    assert rules_below("E6.2", "en")[0].startswith("E6.2  A prize goes to ")
    assert rules_below("E6.2", "es")[0].startswith("E6.2  Un premio es para ")
    assert rules_below("E6.2", "fr") == rules_below("E6.2", "en")
    assert rules_below("E99", "en") == ()
    assert [line.split()[0] for line in rules_below("", "es")] == [f"E{number}" for number in range(1, 12)]


def test_both_languages_have_the_same_numbers_in_the_same_order():
    english, spanish = ((PACKAGE / name).read_text("utf-8").splitlines() for name in ("rules.txt", "rules.es.txt"))
    assert [line.split()[0] for line in english] == [line.split()[0] for line in spanish] == NUMBERS
    assert all(re.fullmatch(r"E\d+(\.\d+)?  \S.*\.", line) for line in (*english, *spanish))
    assert not {line.split(maxsplit=1)[1] for line in english} & {line.split(maxsplit=1)[1] for line in spanish}


def test_numbers_stand_in_order():
    keys = [tuple(map(int, number[1:].split("."))) for number in NUMBERS]
    assert keys == sorted(keys)


@pytest.mark.parametrize("path", [*PACKAGE.rglob("*.py"), *CASES.glob("*.toml")], ids=lambda path: path.name)
def test_what_is_cited_is_a_rule(path):
    source_text = path.read_text("utf-8").replace("noqa: E731", "")
    assert set(CITED.findall(source_text)) <= set(NUMBERS)
