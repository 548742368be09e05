"""Every rule case of every chapter: a paragraph of the rulebook as position, letters, dice and what must come of it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.cases import run_case
from pbem.games.africa1860 import GAME

AFRICA = GAME
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
            assert run_case(AFRICA, file, case) == ()


def test_every_file_is_for_this_game_and_its_titles_tell_its_cases_apart():
    files = [read(chapter) for chapter in CHAPTERS]
    titles = [case["title"] for file in files for case in file["case"]]
    assert {file["game"] for file in files} == {GAME.name}
    assert len(titles) == len(set(titles))
    assert all(case["expect"] for file in files for case in file["case"])


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (
            {"dice": ["target C: 1", "fire Bateria > Kabila: 1 0"]},
            "no dice are given for 'morale Kabila' (1 of 6 sides)",
        ),
        ({"dice": ["target C: 2", "fire Bateria > Kabila: 0 0"]}, "'target C' wants 1 of 1 sides, the case gives (2,)"),
        ({"dice": ["target C: 1"]}, "no dice are given for 'fire Bateria > Kabila' (2 of 2 sides)"),
        (
            {"dice": ["target C: 1", "fire Bateria > Kabila: 0 0", "morale Kabila: 1"]},
            "dice given for 'morale Kabila' were not used",
        ),
        ({"expect": ["Kabila steps 2"]}, "not so: Kabila steps 2"),
        ({"expect": ["rejected 2 O7.1.1"]}, "not so: rejected 2 O7.1.1"),
        ({"expect": ["cited R10"]}, "not so: cited R10"),
        ({"expect": ["Kabila is tired"]}, "'Kabila is tired' is no expectation"),
        (
            {"units": ["spain IR Leon fire 2 assault 2 steps 4 morale 4 at Q"]},
            "Leon is in 'Q', which is no space of the map",
        ),
    ],
)
def test_a_wrong_case_fails_and_says_why(change, wrong):
    right = {
        "title": "a shot without effect",
        "phase": "spain",
        "units": [
            "spain ART Bateria fire 2 assault 0 steps 2 morale 4 at B",
            "morocco IL Kabila fire 2 assault 2 steps 3 morale 3 at C",
        ],
        "orders": {"spain": "ACTIVATE B\nFIRE Bateria AT C\nEND\n"},
        "dice": ["target C: 1", "fire Bateria > Kabila: 0 0"],
        "expect": ["Kabila steps 3", "Bateria fired"],
    }
    assert run_case(AFRICA, {}, right) == ()
    assert wrong in run_case(AFRICA, {}, right | change)
