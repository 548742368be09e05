"""The rule numbers are one spine: the list of rules, what events and refusals cite, the charts and the cases agree."""

import re
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path

import pytest

import pbem.games.peninsular
from pbem.engine.testing.checks import cases_in, cited_in_code, rule_list, uncovered_rules, unlisted_numbers
from pbem.games.peninsular import GAME
from pbem.games.peninsular.cavalry import CONTROL_MODIFIERS
from pbem.games.peninsular.edition import GAME_FILES
from pbem.games.peninsular.end_phase import DIVISION_MODIFIERS
from pbem.games.peninsular.fire import FIRE_MODIFIERS
from pbem.games.peninsular.morale import WILL_MODIFIERS
from pbem.games.peninsular.orders import SHARED_PHRASES, VOCABULARY
from pbem.games.peninsular.shock import SHOCK_MODIFIERS

CASES = Path(__file__).parent / "cases"
CODE = resources.files("pbem.games.peninsular")
FILES = sorted(Path(pbem.games.peninsular.__file__).parent.rglob("*.py"))
NUMBER = re.compile(r"[STKMR]\d+(?:\.\d+)*[a-z]?")
MODIFIERS = {item.rule for chart in GAME_FILES.charts({}).values() for item in chart.modifiers}


@cache
def rules() -> dict[str, str]:
    return rule_list(GAME_FILES)


@cache
def named() -> set[str]:
    """Every number that the title of a case or a look-up names."""
    texts: list[str] = []
    for path in sorted(CASES.glob("*.toml")):
        file = tomllib.loads(path.read_text("utf-8"))
        texts += [case["title"] for case in file["case"]] + list(file.get("lookup", ()))
    return {number for text in texts for number in NUMBER.findall(text)}


@cache
def in_code() -> frozenset[str]:
    """Rule numbers that stand as whole string literals in the code, which comments and docstrings do not."""
    return frozenset(number for number in cited_in_code(GAME_FILES.folder) if NUMBER.fullmatch(number))


RULINGS = ("S3a", "S4a", "S4b", "S7a", "S9a", "S11a", "T1a", "T2a", "T2b", "T4a")
"""Numbers of the rulings after a reading, each below the rule it is of."""


@pytest.mark.parametrize("file", ["rules.txt", "rules.es.txt"])
def test_the_list_of_rules_is_a_line_a_rule_and_holds_every_rule(file):
    lines = CODE.joinpath(file).read_text("utf-8").splitlines()
    form = r"[STKMR]\d+(\.\d+)*[a-z]?  \S.{8,}\."
    assert [line for line in lines if not re.fullmatch(form, line) or len(line) > 120] == []
    heads = [
        *(f"S{n}" for n in range(1, 15)),
        *(f"T{n}" for n in range(1, 11)),
        "K6",
        *(f"M{n}" for n in range(1, 6)),
        *(f"R{n}" for n in range(1, 8)),
    ]
    below = [*RULINGS, "T10.1", "K6.1", "M2.1", "M2.2", *MODIFIERS]
    numbers_listed = [line.split()[0] for line in lines]
    assert sorted(numbers_listed) == sorted([*heads, *below])
    assert [number for number in numbers_listed if number in heads] == heads
    above = {number: re.sub(r"\.\d+$|[a-z]$", "", number) for number in below}
    assert all(above[number] in numbers_listed[: numbers_listed.index(number)] for number in below)


def test_the_rules_stand_in_spanish_too_number_by_number():
    english, spanish = (CODE.joinpath(file).read_text("utf-8").splitlines() for file in ("rules.txt", "rules.es.txt"))
    assert [line.split()[0] for line in english] == [line.split()[0] for line in spanish]
    assert set(english).isdisjoint(spanish)
    assert GAME.rulebook.rule("t2.4", "es") == ("T2.4  Ya desordenada: 1 menos.",)


def test_every_number_of_a_chart_a_refusal_or_a_report_is_found():
    for number in {*in_code(), *MODIFIERS}:
        for language in ("en", "es"):
            assert GAME.rulebook.rule(number, language), number


def test_every_rule_has_a_case(subtests):
    for number in sorted(rules()):
        with subtests.test(number):
            assert number in named()


def test_every_modifier_of_every_chart_has_a_case(subtests):
    for number in sorted(MODIFIERS):
        with subtests.test(number):
            assert number in named()


def test_list_charts_code_and_cases_have_the_same_numbers():
    assert uncovered_rules(GAME_FILES, cases_in(CASES)) == unlisted_numbers(GAME_FILES, cases_in(CASES)) == ()


def test_every_case_is_of_a_rule_or_of_a_modifier():
    assert named() <= {*rules(), *MODIFIERS}


def test_charts_and_code_hold_the_same_modifiers():
    tables = (CONTROL_MODIFIERS, DIVISION_MODIFIERS, FIRE_MODIFIERS, SHOCK_MODIFIERS, WILL_MODIFIERS)
    assert {number for table in tables for number in table} == MODIFIERS


def test_every_chart_is_headed_by_a_rule_and_what_the_code_cites_is_one():
    assert {chart.rule for chart in GAME_FILES.charts({}).values()} <= set(rules())
    assert in_code() <= {*rules(), *MODIFIERS}


def test_doubt_is_marked_in_the_text_of_the_charts():
    doubts = {name: chart.text.count("[Q") for name, chart in GAME_FILES.charts({}).items()}
    assert doubts == {
        "terrain": 12,
        "will": 1,
        "stacking": 4,
        "division": 2,
        "fire": 4,
        "shock": 2,
        "allowance": 2,
        "formation": 1,
        "control": 1,
        "range": 0,
        "factor": 0,
    }


EDGES = {"N": "northern", "S": "southern", "W": "western", "E": "eastern"}


def test_the_rule_of_retreats_names_the_edges_of_every_battle():
    text = " ".join(line for _, line in GAME.rulebook.full_text("S12"))
    default, special = text.split("unless the scenario says otherwise")
    for scenario in GAME.editions():
        edition = GAME.edition(scenario, {}, {})
        sides = {unit.split()[0] for unit in edition.scenario["units"]}
        (allied,) = {edition.edges[side] for side in sides - {"french"}}
        battle = GAME.editions()[scenario].text.split(",")[0]
        sentences = [sentence for sentence in special.split(". ") if battle in sentence] or [default]
        assert any(EDGES[allied] in sentence.split("edge is")[0] for sentence in sentences), scenario
        assert any(EDGES[edition.edges["french"]] in sentence for sentence in sentences), scenario


def test_every_doubt_is_explained():
    text = CODE.joinpath("errata.txt").read_text("utf-8")
    explained = set(re.findall(r"^[\d-]+  (\S+)  \[Q\] ", text, re.MULTILINE))
    for chart in GAME_FILES.charts({}).values():
        doubtful = [line.strip() for line in chart.text.splitlines()[1:] if "[Q" in line]
        numbers = {match[0] if (match := NUMBER.match(line)) else chart.rule for line in doubtful}
        assert numbers <= explained


def test_a_rule_is_found_with_those_below_it():
    assert [line.split()[0] for line in GAME_FILES.rule("t10")] == ["T10", "T10.1"]
    assert GAME_FILES.rule("X1") == ()


def test_words_are_shared_only_on_purpose():
    assert VOCABULARY.collisions() == {phrase: keywords for phrase, keywords in SHARED_PHRASES.items()}
