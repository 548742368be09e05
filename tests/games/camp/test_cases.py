"""Every rule case of wars and camps; every number of their rules has one, and is found in both languages."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from pbem.engine.cases import run_case
from pbem.engine.testing.checks import cases_in, cited_in_code, named_by, rule_list, uncovered_rules, unlisted_numbers
from pbem.games.camp import GAME
from pbem.games.camp.game import GAME_FILES

FOLDER = Path(__file__).parent / "cases"


@cache
def files():
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))}


def test_the_cases_of_every_chapter(subtests):
    for name, file in files().items():
        assert file["case"], name
        for case in file["case"]:
            with subtests.test(f"{name}: {case['title']}"):
                assert run_case(GAME, file, case) == ()


def test_every_number_has_a_case_and_nothing_is_spoken_of_that_has_no_number():
    assert uncovered_rules(GAME_FILES, cases_in(FOLDER)) == unlisted_numbers(GAME_FILES, cases_in(FOLDER)) == ()


def test_titles_tell_cases_apart_and_each_begins_with_its_rule():
    titles = [case["title"] for file in files().values() for case in file["case"]]
    assert len(titles) == len(set(titles))
    assert [title for title in titles if named_by(title.split()[0]) != {title.split()[0]}] == []
    assert {file["game"] for file in files().values()} == {"camp"}


def test_rules_stand_in_both_languages_a_line_each_and_not_too_long():
    english, spanish = rule_list(GAME_FILES), rule_list(GAME_FILES, "es")
    assert [*english] == [*spanish]
    for number, sentence in (*english.items(), *spanish.items()):
        assert re.fullmatch(r"\S.{8,}\.", sentence), number
        assert len(number) + 2 + len(sentence) <= 120, number


def test_whatever_the_code_cites_is_answered_by_rules():
    for number in cited_in_code(GAME_FILES.folder):
        for language in ("en", "es"):
            assert GAME.rulebook.rule(number, language), number


BAD = {"title": "K2 nothing", "phase": "ledger", "expect": ["Cuenca steps 4"]}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"expect": ["Cuenca steps 3"]}, "not so: Cuenca steps 3"),
        ({"expect": ["Cuenca is tired"]}, "'Cuenca is tired' is no expectation"),
        ({"expect": ["Nobody steps 3"]}, "'Nobody steps 3' is no expectation"),
        ({"phase": "spain"}, "a phase is camp or ledger, not 'spain'"),
        ({"left": {"Nobody": 1}}, "Nobody does not fight in uno"),
        ({"war": {"couriers": 1}}, "couriers is nothing that a war has"),
        ({"war": {"legs": ["uno", "tres"]}}, "the file of a camp's cases has no [legs.tres]"),
        ({"fought": ["spain"]}, "a leg ended SIDE MARGIN, SIDE MARGIN conceded or draw, got 'spain'"),
        ({"lookup": ["K2 die 1 column 1 = 1"]}, "a camp has no charts"),
        ({"phase": "camp"}, "no dice are given for 'fleet'"),
    ],
)
def test_a_wrong_case_fails_and_says_why(change, wrong):
    assert run_case(GAME, files()["ledger"], BAD) == ()
    assert wrong in " ".join(run_case(GAME, files()["ledger"], BAD | change))
