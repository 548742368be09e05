"""Every rule case of every chapter: a paragraph of the rules as position, letters, dice and what must come of it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.cases import run_case
from pbem.games.peninsular import GAME

PENINSULAR = GAME
CHAPTERS = {path.stem: path for path in sorted((Path(__file__).parent / "cases").glob("*.toml"))}


@cache
def read(chapter: str) -> dict[str, Any]:
    return tomllib.loads(CHAPTERS[chapter].read_text("utf-8"))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_cases_of_a_chapter(chapter, subtests):
    file = read(chapter)
    assert file["case"] or file.get("lookup")
    for case in file["case"]:
        with subtests.test(case["title"]):
            assert run_case(PENINSULAR, file, case) == ()


def test_what_is_looked_up_in_charts():
    phrases = [phrase for chapter in CHAPTERS for phrase in read(chapter).get("lookup", ())]
    assert len(phrases) > 600
    results = {phrase: run_case(PENINSULAR, {}, {"lookup": [phrase]}) for phrase in phrases}
    assert {phrase: wrong for phrase, wrong in results.items() if wrong} == {}


def test_every_file_is_for_this_game_and_its_titles_tell_its_cases_apart():
    files = [read(chapter) for chapter in CHAPTERS]
    titles = [case["title"] for file in files for case in file["case"]]
    assert {file["game"] for file in files} == {GAME.name}
    assert len(titles) == len(set(titles))
    assert all(case["expect"] for file in files for case in file["case"])


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"dice": []}, "no dice are given for 'fire A > B' (1 of 6 sides)"),
        ({"dice": ["fire A > B: 1", "morale B: 1"]}, "dice given for 'morale B' were not used"),
        ({"expect": ["B pf 5"]}, "not so: B pf 5"),
        ({"expect": ["B is tired"]}, "'B is tired' is no expectation"),
        ({"expect": ["cited S9"]}, "not so: cited S9"),
        ({"terrain": ["0504 swamp"]}, "unknown terrain 'swamp'"),
        ({"terrain": ["0504-0506 stream"]}, "0504 and 0506 are no neighbours"),
        ({"phase": "dutch"}, "a phase is one of british, spanish, portuguese, french, deployment or end, not 'dutch'"),
        ({"units": ["spanish inf A pf 6 will D at 1301"]}, "A is in '1301', which is no hex of the map"),
    ],
)
def test_a_wrong_case_fails_and_says_why(change, wrong):
    right = {
        "title": "a shot without effect",
        "phase": "spanish",
        "units": ["spanish inf A pf 6 will D facing N at 0505", "french inf B pf 6 will B facing S at 0504"],
        "orders": {"spanish": "FIRE A AT 0504\nEND\n"},
        "dice": ["fire A > B: 1"],
        "expect": ["B pf 6", "A fired"],
    }
    assert run_case(PENINSULAR, {}, right) == ()
    assert any(wrong in fault for fault in run_case(PENINSULAR, {}, right | change))


def test_looking_up_reads_numbers_odds_and_words():
    for phrase in ("T5 die 9 column 1 = M", "T6 die 0 column 7:2 = AR1", "T6 die 4 column 12:1 = DB5"):
        assert run_case(PENINSULAR, {}, {"lookup": [phrase]}) == ()
    assert run_case(PENINSULAR, {}, {"lookup": ["T5 die 2 column 1 = P"]}) == ("not so: T5 die 2 column 1 = P",)
