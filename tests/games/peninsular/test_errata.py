"""Rulings that change an outcome hold for editions of their date: an older game is played as it always was."""

from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from pbem.engine.cases import run_case
from pbem.engine.map.hexes import DIRECTIONS, neighbours
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import REREADING_DATE
from tests.games.peninsular.test_turns import half, refused, start, unit

BEFORE = ("", "2026-11-21")
"""Dates of editions from before the rulings after a reading."""


def _dated(state, errata):
    return state.change(edition=replace(state.edition, errata=errata))


class Reading(NamedTuple):
    """One position and its orders; what comes of it now, and what came of it before."""

    case: dict[str, Any]
    now: list[str]
    before: list[str]
    dice_before: list[str] | None = None


FOOT_AND_HORSE_GUNS = [
    "british inf A pf 5 will B facing S at 0505",
    "british art Horse pf 2 fire 4 size horse limbered facing S at 0505",
]
READINGS = {
    "S3a a commander comes in": Reading(
        {
            "units": ["british inf A pf 5 will B facing S at 0505", "british cmd G morale 1 shock 1 range 3 at 0507"],
            "orders": {"british": "MOVE G 0506 0505\nEND\n"},
        },
        ["A facing S"],
        ["A facing N"],
    ),
    "S3a a skirmisher comes in": Reading(
        {
            "units": [
                "british inf A pf 5 will B facing S at 0505",
                "british inf L pf 2 will B formation skirmish facing S at 0507",
            ],
            "orders": {"british": "MOVE L 0506 0505\nEND\n"},
        },
        ["A facing S"],
        ["A facing N"],
    ),
    "S3a a skirmisher forms up": Reading(
        {
            "units": [
                "british inf A pf 5 will B facing N at 0505",
                "british inf L pf 2 will B formation skirmish facing S at 0505",
            ],
            "orders": {"british": "FORM L FORMED\nEND\n"},
        },
        ["L facing N", "A facing N"],
        ["L facing S", "A facing N"],
    ),
    "S3a a skirmisher comes in and forms up": Reading(
        {
            "units": [
                "british inf A pf 5 will B facing N at 0505",
                "british inf L pf 2 will B formation skirmish facing S at 0507",
            ],
            "orders": {"british": "MOVE L 0506 0505 FORM FORMED\nEND\n"},
        },
        ["L facing N", "A facing N"],
        ["L facing N", "A facing N"],
    ),
    "S3a reinforcements come in": Reading(
        {
            "phase": "end",
            "turns": 9,
            "dice": [],
            "turn": 3,
            "reinforcements": [{"name": "W", "turn": 4, "units": ["spanish inf W pf 6 will C facing SE at 0103"]}],
            "units": ["spanish inf A pf 6 will C facing N at 0103", "french inf F pf 6 will C facing S at 1209"],
        },
        ["W at 0103", "W facing SE", "A facing SE"],
        ["W at 0103", "W facing SE", "A facing N"],
    ),
    "S4a mixed arms": Reading(
        {
            "terrain": ["0505-0506 bridge", "0606-0605 slope", "0607 light wood"],
            "units": FOOT_AND_HORSE_GUNS,
            "orders": {"british": "MOVE A, Horse TO 0607\nEND\n"},
        },
        ["A at 0607", "Horse at 0607"],
        ["A at 0505", "rejected 1 T7"],
    ),
    "S4a a turn at the end": Reading(
        {
            "units": ["british inf A pf 5 will B state D facing S at 0505"],
            "standing": {"british": "RALLY NO"},
            "orders": {"british": "MOVE A TO 0606 FACE S\nEND\n"},
        },
        ["A at 0606", "A facing S"],
        ["A at 0505", "rejected 1 T7"],
    ),
    "S4b a skirmisher beside the battalion of a wood": Reading(
        {
            "terrain": ["0505 light wood"],
            "units": [
                "british inf A pf 3 will B facing N at 0505",
                "british inf L pf 3 will B formation skirmish at 0506",
            ],
            "orders": {"british": "MOVE L 0505\nEND\n"},
        },
        ["L at 0505"],
        ["L at 0506", "rejected 1 T3"],
    ),
    "S4b horse beside the battalion of a city": Reading(
        {
            "terrain": ["0505 city"],
            "units": ["british inf A pf 3 will B facing N at 0505", "british cav H pf 3 will B facing N at 0506"],
            "orders": {"british": "MOVE H 0505\nEND\n"},
        },
        ["H at 0505"],
        ["H at 0506", "rejected 1 T3"],
    ),
    "T3 a dismounted regiment takes the place of one": Reading(
        {
            "terrain": ["0505 village"],
            "units": [
                "british cav R pf 3 will B formation skirmish at 0505",
                "british cav H pf 3 will B facing N at 0506",
            ],
            "orders": {"british": "MOVE H 0505\nEND\n"},
        },
        ["H at 0506", "rejected 1 T3"],
        ["H at 0506", "rejected 1 T3"],
    ),
    "S7a rounded once": Reading(
        {
            "phase": "french",
            "terrain": ["0503 village"],
            "units": ["french art M pf 2 fire 3 will C facing S at 0501", "spanish inf B pf 6 will C facing N at 0503"],
            "orders": {"french": "FIRE M AT 0503\nEND\n"},
            "dice": ["fire M > B: 5"],
        },
        ["M fired", "not cited T2"],
        ["M fired", "cited T2"],
        ["fire M > B: 5", "morale B: 6"],
    ),
    "S7a halted guns fire in this turn still": Reading(
        {
            "units": [
                "british art G pf 2 fire 6 will C facing N at 0505",
                "french inf F pf 10 will C facing S at 0504",
            ],
            "standing": {"french": "FIRE AT WILL"},
            "orders": {"british": "FIRE G AT 0504\nEND\n"},
            "dice": ["fire F > G: 3", "morale G: 6", "fire G > F: 1"],
        },
        ["G fired"],
        ["G not fired", "rejected 1 T5"],
        ["fire F > G: 3", "morale G: 6"],
    ),
    "T2a in front of siege lines": Reading(
        {
            "phase": "spanish",
            "terrain": ["0504-0503 siege lines"],
            "units": ["spanish inf A pf 7 will D facing N at 0505", "french inf 1/8 pf 6 will D facing S at 0504"],
            "orders": {"spanish": "FIRE A AT 0504\nEND\n"},
            "dice": ["fire A > 1/8: 4", "morale 1/8: 3"],
        },
        ["1/8 state D"],
        ["1/8 state normal"],
    ),
    "S11a who has not come": Reading(
        {
            "phase": "end",
            "turns": 9,
            "dice": [],
            "reinforcements": [
                {
                    "name": "Walonas",
                    "turn": 4,
                    "units": ["spanish inf Walonas pf 8 will D division Cruz facing S at 0101"],
                }
            ],
            "units": [
                "spanish inf Ciudad pf 6 will D division Cruz facing N at 0910",
                "french inf 1/8 pf 6 will B facing S at 0905",
            ],
        },
        ["not cited T4"],
        ["cited T4"],
        ["division Cruz: 6"],
    ),
}


@pytest.mark.parametrize("name", READINGS)
def test_a_ruling_after_a_reading_holds_from_its_date_on(name):
    reading = READINGS[name]
    case = {"title": name, "phase": "british", **reading.case, "expect": reading.now}
    assert run_case(GAME, {}, case) == ()
    old = {**case, "expect": reading.before}
    old["dice"] = case.get("dice", []) if reading.dice_before is None else reading.dice_before
    for errata in BEFORE:
        assert errata < REREADING_DATE
        assert run_case(GAME, {}, {**old, "errata": errata}) == ()


def test_guns_that_are_barred_and_halted_again_are_silent_for_two_turns_by_the_rules_as_they_were():
    state = start(
        "british art G pf 2 fire 6 will C facing N at 0505",
        "french inf F pf 10 will C facing S at 0504",
        phase="french",
    )
    state, cites = _dated(state, ""), []
    for turn in (1, 2, 3, 4):
        shot = ("FIRE F AT 0505", "fire F > G: 3", "morale G: 6") if turn < 3 else ("PASS",)
        state, _ = half(state, *shot)
        state, events = half(state, "FIRE G AT 0504", *(["fire G > F: 1"] if turn == 4 else []))
        cites.append(refused(events))
    assert cites == [["T5"], ["T5"], ["T5"], []]


S3A_WHO_COMES_INTO_A_HEX_TURNS_THOSE_THERE_ONLY_IF_HE_HAS_A_FRONT = [
    ("british cmd C morale 1 shock 1 range 3 at {at}", False),
    ("british inf C pf 2 will B formation skirmish facing N at {at}", False),
    ("british cav C pf 2 will B formation skirmish facing N at {at}", False),
    ("british inf C pf 2 will B facing N at {at}", True),
    ("british cav C pf 2 will B facing N at {at}", True),
    ("british art C pf 2 fire 4 limbered facing N at {at}", True),
]


def test_s3a_who_comes_into_a_hex_turns_those_there_only_if_he_has_a_front(subtests):
    for stands in DIRECTIONS:
        for comer, turns in S3A_WHO_COMES_INTO_A_HEX_TURNS_THOSE_THERE_ONLY_IF_HE_HAS_A_FRONT:
            with subtests.test(f"{stands!r} {comer!r} {turns!r}"):
                for way, origin in zip((*DIRECTIONS[3:], *DIRECTIONS[:3]), neighbours("0505"), strict=True):
                    state = start(
                        f"british inf A pf 5 will B facing {stands} at 0505",
                        comer.format(at=origin),
                        "british inf L pf 2 will B formation skirmish facing N at 0505",
                    )
                    state, _ = half(state, "MOVE C 0505")
                    assert unit(state, "C").at == "0505"
                    assert unit(state, "A").facing == (way if turns else stands)
