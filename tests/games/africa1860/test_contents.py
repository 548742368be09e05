"""The rule numbers are one spine: the list of rules, what events and refusals cite, the charts and the cases agree."""

import re
import tomllib
from collections import Counter
from functools import cache
from importlib import resources
from pathlib import Path

import pytest

import pbem.games.africa1860
from pbem.engine.testing.checks import cases_in, cited_in_code, named_by, rule_list, uncovered_rules, unlisted_numbers
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.edition import GAME_FILES
from pbem.games.africa1860.end_phase import RECOVERY_MODIFIERS
from pbem.games.africa1860.fire import FIRE_MODIFIERS
from pbem.games.africa1860.scenario import RULE_CASES
from pbem.games.africa1860.shock import SHOCK_MODIFIERS

CASES = Path(__file__).parent / "cases"
CODE = resources.files("pbem.games.africa1860")
FILES = sorted(Path(pbem.games.africa1860.__file__).parent.rglob("*.py"))
NUMBER = re.compile(r"[OCKMR]\d+(?:\.\d+)*[a-z]?")
UNCITED = {
    "O7": "the head of a chapter: every shot cites the number below it",
    "O7.1.3": "only ever refuses",
    "C5": "refuses, and makes reinforcements wait",
    "C11": "only ever refuses",
    "C11.1": "only ever refuses",
    "R1": "refuses, or takes a choice away",
    "R2": "only ever refuses",
    "R6": "only ever refuses",
    "R13": "only ever refuses",
    "R21": "only ever refuses",
    "M1": "only ever refuses",
    "M2.1": "what it comes to the order of the sets tells (M2)",
    "M3": "what it comes to is whose answer is told",
}
"""Rules that no event of a case tells of, and why."""


def numbers(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match[0] for match in pattern.finditer(text)]


@cache
def rules() -> dict[str, str]:
    return rule_list(GAME_FILES)


@cache
def titles() -> Counter[str]:
    """How many case titles name each number; O8.8.2-3 names two."""
    counts: Counter[str] = Counter()
    for path in sorted(CASES.glob("*.toml")):
        for case in tomllib.loads(path.read_text("utf-8"))["case"]:
            counts.update(number for number in named_by(case["title"]) if NUMBER.fullmatch(number))
    return counts


@cache
def in_code() -> frozenset[str]:
    """Rule numbers that stand as whole string literals in the code, which comments and docstrings do not."""
    return frozenset(number for number in cited_in_code(GAME_FILES.folder) if NUMBER.fullmatch(number))


@cache
def cited_numbers() -> set[str]:
    """Numbers that docstrings and comments of the code name."""
    texts = [file.read_text("utf-8") for file in FILES]
    return {number for text in texts for number in numbers(re.compile(r"\b[OCKMR]\d+(?:\.\d+)*[a-z]?\b"), text)}


def expected(word: str) -> set[str]:
    """Numbers that cases expect as ``cited`` or ``rejected``."""
    cited = set()
    for path in CASES.glob("*.toml"):
        for case in tomllib.loads(path.read_text("utf-8"))["case"]:
            cited |= {phrase.split()[-1] for phrase in case["expect"] if phrase.startswith(f"{word} ")}
    return cited


MODIFIERS = {item.rule: (name, item) for name, chart in GAME_FILES.charts({}).items() for item in chart.modifiers}


@pytest.mark.parametrize("file", ["rules.txt", "rules.es.txt"])
def test_the_list_of_rules_is_a_line_a_rule_in_order_and_none_twice(file):
    lines = CODE.joinpath(file).read_text("utf-8").splitlines()
    assert [
        line for line in lines if not re.fullmatch(r"[OCKMR]\d+(\.\d+)*[a-z]?  \S.{8,}\.", line) or len(line) > 120
    ] == []
    heads = [line.split()[0] for line in lines]
    order = ["OCKMR".index(n[0]) * 1000 + int(re.findall(r"\d+", n)[0]) for n in heads]
    assert order == sorted(order)
    assert len(heads) == len(set(heads))


def test_the_list_holds_every_rule():
    wanted = [f"O{n}" for n in range(1, 10)] + [f"O3.{n}" for n in range(1, 5)] + [f"O7.1.{n}" for n in range(1, 8)]
    wanted += [f"O8.{n}" for n in range(1, 9)] + [f"O8.4.{n}" for n in range(1, 5)]
    wanted += [f"O8.6.{n}" for n in range(1, 4)] + [f"O8.8.{n}" for n in range(1, 9)]
    wanted += ["C0", *(f"C{n}" for n in range(4, 13)), "C8.1", "C11.1", "C11.2", *(f"R{n}" for n in range(1, 25))]
    wanted += ["O4a", "O4b", "O9a", "C10a", "R8a", "R22a", "K6", "K6.1", "K7.2"]
    wanted += ["M1", "M2", "M2.1", "M2.2", "M3", "M4", "M5", "M6", "M7"]
    assert sorted(rules()) == sorted([*wanted, *MODIFIERS])


def test_the_rules_stand_in_spanish_too_number_by_number():
    english, spanish = (CODE.joinpath(file).read_text("utf-8").splitlines() for file in ("rules.txt", "rules.es.txt"))
    assert [line.split()[0] for line in english] == [line.split()[0] for line in spanish]
    assert set(english).isdisjoint(spanish)
    assert GAME_FILES.rule("R22", "es") == tuple(line for line in spanish if re.match("R22[a ]", line))
    assert GAME.rulebook.rule("c6.1", "es") == ("C6.1  Blanco en una población: una moneda menos.",)


def test_every_number_of_a_chart_or_a_refusal_or_a_report_is_found():
    for number in {*in_code(), *MODIFIERS, *expected("cited"), *expected("rejected")}:
        for language in ("en", "es"):
            assert GAME.rulebook.rule(number, language), number


def test_every_rule_has_a_case_and_every_rule_of_the_assault_three(subtests):
    for number in sorted(rules()):
        with subtests.test(number):
            assert titles()[number] >= (3 if re.match(r"O8(\.|$)", number) else 1)


def test_list_charts_code_and_cases_have_the_same_numbers():
    assert uncovered_rules(GAME_FILES, cases_in(CASES)) == unlisted_numbers(GAME_FILES, cases_in(CASES)) == ()


def test_every_case_is_of_a_rule_or_of_a_modifier():
    assert set(titles()) <= set(rules()) | set(MODIFIERS)


def test_every_modifier_of_every_chart_has_a_case(subtests):
    for number in sorted(MODIFIERS):
        with subtests.test(number):
            assert titles()[number] >= 1


def test_charts_and_code_hold_the_same_modifiers():
    assert {**FIRE_MODIFIERS, **RECOVERY_MODIFIERS, **SHOCK_MODIFIERS}.keys() == MODIFIERS.keys()


def test_every_chart_is_headed_by_a_rule():
    assert {chart.rule for chart in GAME_FILES.charts({}).values()} <= set(rules())


def test_what_the_code_cites_is_a_rule():
    assert in_code() <= set(rules()) | set(MODIFIERS)


def test_every_rule_is_cited_by_the_code_and_not_in_comments_alone():
    assert set(rules()) - in_code() == {"O7"}  # the head of a chapter


def test_comments_name_rules_that_exist():
    assert cited_numbers() - set(rules()) - set(MODIFIERS) == set()


def test_cases_expect_every_rule_to_be_told_by_an_event_unless_it_cannot_be():
    assert set(rules()) - set(MODIFIERS) - expected("cited") == UNCITED.keys()


def test_the_rules_that_only_refuse_are_seen_refusing():
    assert {number for number, why in UNCITED.items() if why == "only ever refuses"} <= expected("rejected")


def test_the_rules_that_cases_expect_exist():
    assert expected("cited") | expected("rejected") <= set(rules())


def test_a_number_is_found_with_those_below_it():
    assert [line.split()[0] for line in GAME_FILES.rule("o8.6")] == ["O8.6", "O8.6.1", "O8.6.2", "O8.6.3"]
    assert GAME_FILES.rule("O1") == (f"O1  {rules()['O1']}",)
    assert GAME_FILES.rule("O77") == ()


@pytest.mark.parametrize(
    "look",
    [
        "C6 die effect column 0 = none",
        "C6 die effect column 1 = M",
        "C6 die effect column 2 = 1",
        "C6 die effect column 3 = 1M",
        "C6 die effect column 4 = 2",
        "C6 die effect column 5 = 2M",
        "C6 die effect column 9 = 2M",
        "C8 die 0 column loser = 1",
        "C8 die 0 column winner = 1",
        "C8 die 1 column winner = 1",
        "C8 die 2 column winner = 0",
        "C8 die 2 column loser = 1",
        "C8 die 3 column loser = 2",
        "C8 die 7 column loser = 2",
        "C4 die 1 column check = pass",
        "C4 die 6 column check = fail",
        "C7 die 1 column try = test",
        "C7 die 6 column try = fail",
        "O8.8.8 die 5 column fate = safe",
        "O8.8.8 die 6 column fate = lost",
        "C11 die path column ART = no",
        "C11 die path column CNV = no",
        "C11 die path column CAB = yes",
        "C11 die ford column ART = yes",
        "C5 die limit column combat = 8",
        "C5 die limit column ART = 4",
        "O3 die CAB column spaces = 2",
        "O3 die OF column spaces = 2",
        "O3 die CNV column spaces = 1",
    ],
)
def test_the_charts_read_as_printed(look):
    assert RULE_CASES.lookup(look)
