"""The summary at the top of a report: each fight has its line, also one that no shock decided."""

import pytest

from pbem.engine.data.events import event
from pbem.engine.data.messages import plain_english
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.scenario import case_state
from pbem.games.africa1860.state import Fight
from tests import golden

FIELD = {"map": {"spaces": ["A clear", "B heights"], "edges": ["A-B open"]}}
POSITION = {
    "phase": "spain",
    "units": [
        "spain CAB Horse fire 2 assault 3 steps 2 morale 5 at A",
        "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at B",
    ],
}


@pytest.mark.parametrize(
    ("kind", "winner", "summary"),
    [
        ("assault", "spain", "B was assaulted from A: Spain won. Lost: Spain 2 steps (out of play: Horse)."),
        ("charge", "morocco", "B was charged from A: Morocco won. Lost: Spain 2 steps (out of play: Horse)."),
        ("assault", "", "B was assaulted from A: it came to no shock. Lost: Spain 2 steps (out of play: Horse)."),
        ("charge", "", "B was charged from A: it came to no shock. Lost: Spain 2 steps (out of play: Horse)."),
        ("interception", "", "B was charged from A: it came to no shock. Lost: Spain 2 steps (out of play: Horse)."),
    ],
)
def test_a_fight_has_its_line_however_it_ends(kind, winner, summary):
    state = case_state(FIELD, POSITION)
    fight = Fight("A>B", kind, "spain", "A", "B", ("Horse",))
    there = state.change(fight=fight)
    seen = [
        (event("assault", "O8", side="spain", fight=list(fight)), state),
        (event("loses", "C6", side="spain", unit="Horse", steps=2, left=0), there),
        (event("assault over", "R16", side="spain", winner=winner), there),
    ]
    assert [plain_english(line) for line in GAME.telling.report(state, "spain", seen).summary] == [summary]


AFRICA = [folder for folder in golden.folders() if folder.parent.parent.name == "africa1860"]


@pytest.mark.parametrize("folder", AFRICA, ids=lambda folder: folder.name)
def test_the_summary_of_a_golden_turn_has_a_line_for_each_fight(folder):
    done = golden.resolved(folder)
    seen = done.seen("spain")
    begun = sum(shown.kind == "assault" for shown, _ in seen)
    lines = [
        plain_english(line)
        for line in GAME.telling.report(done.game.view(done.states[-1], "spain"), "spain", seen).summary
    ]
    assert sum(" was assaulted from " in line or " was charged from " in line for line in lines) == begun
