"""C6, C7 The sums behind what is thrown: how many coins, and what a die has to stay under."""

import pytest

from pbem.engine.data.events import event
from pbem.engine.data.messages import plain_english
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.scenario import case_state

HEIGHTS = ["C6.3", -1, "target on heights"]
FIELD = {"map": {"spaces": ["A clear", "B heights"], "edges": ["A-B open"]}}
POSITION = {
    "phase": "spain",
    "units": [
        "spain ART Mountain fire 3 assault 0 steps 2 morale 4 at A",
        "spain ART Field fire 4 assault 0 steps 2 morale 4 at A",
        "spain IL Foot fire 3 assault 2 steps 1/3 morale 4 at A",
        "spain IR Fresh fire 3 assault 2 steps 4 morale 4 at A",
        "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at B",
    ],
}


@pytest.mark.parametrize(
    ("firers", "modifiers", "expected"),
    [
        ("Mountain", [HEIGHTS], "coins: Mountain 2 by its steps (fire 3); with -1 it is 1"),
        (
            "Field+Mountain",
            [HEIGHTS],
            "coins: Field 2 by its steps (fire 4), Mountain 2 by its steps (fire 3); with -1 it is 3",
        ),
        ("Foot", [HEIGHTS], "coins: Foot 1 by its steps (fire 3); with -1 one at least"),
        ("Mountain", [], "coins: Mountain 2 by its steps (fire 3)"),
        ("Fresh", [HEIGHTS], ""),
        ("Fresh", [], ""),
    ],
)
def test_where_fewer_coins_fall_than_the_fire_the_report_says_why(firers, modifiers, expected):
    state = case_state(FIELD, POSITION)
    data = {"side": "spain", "target": "Nizam", "coins": [1], "heads": 1, "cell": "M", "modifiers": modifiers}
    fires = event("fires", "O7.1.4", side="spain", firers=firers.split("+"), target="Nizam", where="A>B")
    volley = event("volley", "C6", label=f"A>B/fire {firers} > Nizam", **data)
    (entry,) = GAME.telling.happenings([(fires, state), (volley, state)])
    lines = [plain_english(line) for line in entry.details]
    assert [line for line in lines if line.startswith("coins:")] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("modifiers", "sum_"), [([["C7.1", 1, "in a town"], ["C7.3", -1, "next"]], "+1-1 = 6"), ([], "")]
)
def test_the_die_of_a_recovery_is_told_against_the_whole_sum(modifiers, sum_):
    data = {"unit": "Nizam", "label": "end/recover Nizam", "die": 5, "morale": 4, "bonus": 2, "modifiers": modifiers}
    tried = event("recovery", "C7", side="morocco", passed=True, **data)
    (entry,) = GAME.telling.happenings([(tried, case_state(FIELD, POSITION))])
    assert plain_english(entry.text) == f"Nizam tries to recover: 5 against 4+2{sum_}, recovers."
