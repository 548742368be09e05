"""The summary at the top of a report: each fight has its line, also one that no shock decided."""

import pytest

from pbem.engine.data.events import event
from pbem.engine.data.messages import plain_english
from pbem.engine.terms import Orders
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


def test_arrivals_at_one_space_are_one_line():
    state = case_state(FIELD, POSITION)
    arrivals = [("Leon", "A"), ("Toledo", "A"), ("RifTres", "B")]
    seen = [
        (event("enters", "O6", side="spain", unit=f"spain IR {ident} at {space}", id=ident, space=space), state)
        for ident, space in arrivals
    ]
    entries = GAME.telling.report(state, "spain", seen).entries
    assert [plain_english(entry.text) for entry in entries] == ["Enter at A: Leon, Toledo.", "Enters at B: RifTres."]


def test_tries_to_recover_are_one_line_and_their_dice_stand_below_it():
    state = case_state(FIELD, POSITION)

    def tried(unit, die, passed):
        return event(
            "recovery",
            "C7",
            **{"side": "spain", "unit": unit, "label": f"end/recover {unit}", "die": die, "morale": 4},
            **{"bonus": 0, "modifiers": [], "cell": "test", "passed": passed},
        )

    def entries(*tries):
        return GAME.telling.report(state, "spain", [(event, state) for event in tries]).entries

    (alone,) = entries(tried("Leon", 3, True))
    assert plain_english(alone.text) == "Leon tries to recover: 3 against 4+0, recovers."
    recovered = event("recovers", "O6", unit="Leon", side="spain")
    (both,) = entries(tried("Leon", 3, True), recovered, tried("Toledo", 5, False))
    assert plain_english(both.text) == "Recovered: Leon. Still demoralised: Toledo."
    assert [plain_english(line) for line in both.details] == [
        "Leon tries to recover: 3 against 4+0, recovers.",
        "Toledo tries to recover: 5 against 4+0, stays demoralised.",
    ]
    assert both.outcomes == (both.text,)
    because = GAME.telling.why(
        state, "spain", [(tried("Leon", 3, True), state), (tried("Toledo", 5, False), state)], 1, Orders()
    )
    assert because is not None
    assert because.labels == ("end/recover Leon", "end/recover Toledo")


@pytest.mark.parametrize(("rule", "stays"), [("O7.1.7", True), ("O7.1.4", False)])
def test_fire_in_answer_to_guns_stays_in_a_short_report(rule, stays):
    """A gun that has answered cannot fire by an order: a report that leaves it out cannot be followed."""
    state = case_state(FIELD, POSITION)
    seen = [(event("fires", rule, side="spain", firers=["Horse"], target="Nizam"), state)]
    (entry,) = GAME.telling.report(state, "spain", seen).entries
    assert bool(entry.outcomes) is stays


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
