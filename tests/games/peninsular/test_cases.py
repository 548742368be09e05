"""Every rule case of every chapter: a paragraph of the rules as position, letters, dice and what must come of it."""

import tomllib
from pathlib import Path

import pytest

from pbem.core.cases import run_case
from pbem.games.peninsular import GAME

PENINSULAR = GAME
CHAPTERS = sorted((Path(__file__).parent / "cases").glob("*.toml"))
FILES = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in CHAPTERS}
CASES = [
    pytest.param(FILES[chapter], case, id=f"{chapter}: {case['title']}")
    for chapter in FILES
    for case in FILES[chapter]["case"]
]


@pytest.mark.parametrize(("file", "case"), CASES)
def test_case(file, case):
    assert run_case(PENINSULAR, file, case) == ()


@pytest.mark.parametrize("phrase", [phrase for file in FILES.values() for phrase in file.get("lookup", ())])
def test_lookup(phrase):
    assert run_case(PENINSULAR, {}, {"lookup": [phrase]}) == ()


def test_every_file_is_for_this_game_and_its_titles_tell_its_cases_apart():
    titles = [case["title"] for file in FILES.values() for case in file["case"]]
    assert {file["game"] for file in FILES.values()} == {GAME.name}
    assert len(titles) == len(set(titles))
    assert all(case["expect"] for file in FILES.values() for case in file["case"])


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
    assert any(wrong in said for said in run_case(PENINSULAR, {}, right | change))


def test_looking_up_reads_numbers_odds_and_words():
    for phrase in ("T5 die 9 column 1 = M", "T6 die 0 column 7:2 = AR1", "T6 die 4 column 12:1 = DB5"):
        assert run_case(PENINSULAR, {}, {"lookup": [phrase]}) == ()
    assert run_case(PENINSULAR, {}, {"lookup": ["T5 die 2 column 1 = P"]}) == ("not so: T5 die 2 column 1 = P",)
