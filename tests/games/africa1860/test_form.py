"""The order form: what is offered can be done, and there always is something."""

import pytest

from pbem.engine.parts import FormTerms
from pbem.engine.run.odds import StepBudget
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.scenario import case_state

START = GAME.start(GAME.edition("castillejos", {}, {}))


def shaken(*units: str):
    return START.change(units={i: u._replace(demoralised=u.demoralised or i in units) for i, u in START.units.items()})


@pytest.mark.parametrize(("language", "line"), [("en", "# PASS"), ("es", "# PASAR")])
def test_who_can_do_nothing_is_offered_to_pass(language, line):
    alone = START.change(units={i: u for i, u in START.units.items() if u.side == "spain"}, phase="morocco")
    assert GAME.aids.template(alone, "morocco", language) == (line,)


def test_who_can_do_nothing_for_want_of_a_leader_may_pass_and_is_told_why():
    alone = START.change(units={"AngheraTres": START.units["AngheraTres"]}, phase="morocco")
    form = GAME.aids.template(alone, "morocco", "en")
    assert form[0] == "# PASS"
    assert form[1].startswith("## Loma: cannot be activated")
    assert [offer.text for offer in GAME.aids.offers(alone, "morocco", FormTerms())] == ["PASS"]


def test_retiring_is_offered_to_whoever_finds_a_way():
    form = GAME.aids.template(shaken("Vergara", "Luchana"), "spain", "en")
    assert "# RETIRE Vergara TO Tarajal" in form
    # Luchana is at the rear already.
    assert [line for line in form if "Luchana" in line or "Vergara" in line] == ["# RETIRE Vergara TO Tarajal"]


def test_an_assault_is_offered_under_the_best_leader_with_the_guns_that_bear_and_what_it_wins():
    form = GAME.aids.template(START, "spain", "en", FormTerms(purse=StepBudget(30_000)))
    assert form[:4] == (
        "# ACTIVATE Nudos",
        "# FIRE Montana1 AT Cresta | Loma",
        "# ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco SUPPORT Montana1  # 82 %; without support 78 %",
        "# ASSAULT Loma WITH Cuenca, Vergara LED BY Orozco SUPPORT Montana1  # 82 %; without support 78 %",
    )


def test_attacks_that_hardly_ever_win_are_left_out_and_that_is_said():
    state = GAME.start(GAME.edition("wadras", {}, {}))
    form = GAME.aids.template(state, "spain", "en", FormTerms(purse=StepBudget(3_000_000)))
    chances = [int(line.rsplit("# ")[-1].partition(" %")[0]) for line in form if line.endswith(" %")]
    assert min(chances) >= 10
    weak = state.change(units={**state.units, "Granada": state.units["Granada"]._replace(steps=1)})
    alone = weak.change(units={ident: unit for ident, unit in weak.units.items() if ident != "Cataluna"})
    form = GAME.aids.template(alone, "spain", "en", FormTerms(purse=StepBudget(3_000_000)))
    assert not any(line.startswith("# ASSAULT Aldea WITH Granada") for line in form)
    assert form[-1] == "## attacks that win less than 10 % are left out; MOVES lists them"


def test_of_a_space_that_nobody_stands_in_o5_says_that_nobody_is_there():
    alone = START.change(units={i: u for i, u in START.units.items() if u.side == "spain"}, phase="morocco")
    (bad,) = GAME.check(alone, "morocco", GAME.parse("ACTIVATE Campamento", alone, "morocco").orders)
    assert (bad.why.text, bad.rule) == ("you have no unit in {space}", "O5")


def test_every_line_offered_is_only_for_reading():
    for seat in ("spain", "morocco"):
        state = START.change(phase=seat)
        text = "\n".join(GAME.aids.template(state, seat, "es"))
        assert GAME.parse(text, state, seat).orders == ((), ())


@pytest.mark.parametrize("seat", ["spain", "morocco"])
def test_a_game_that_is_over_wants_no_orders(seat):
    assert GAME.aids.template(START.change(phase="over"), seat, "en") == ()


FOES = ("morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at C", "morocco OF Muley 1/1 at C")
FIELD = {
    "map": {
        "spaces": ["A clear rear:spain", "B clear", "C clear", "D clear", "E clear rear:morocco", "G clear", "H clear"],
        "edges": ["A-B open", "B-C open", "C-D open", "D-E open", "A-D path", "G-C open", "G-A ford", "H-G open"],
    }
}


def field(*units, **case):
    return case_state(FIELD, {"phase": "spain", "units": [*units, *FOES], **case})


GUN = "spain ART Bateria fire 2 assault 0 steps 2 morale 4 at {}"


@pytest.mark.parametrize(("space", "support"), [("B", True), ("D", True), ("G", True), ("A", False), ("H", False)])
def test_moves_offers_support_by_any_guns_next_to_the_enemy(space, support):
    state = field(GUN.format(space))
    offered = "{unit}: SUPPORT an assault on {spaces}"
    lines = GAME.aids.moves(state, "spain", space)
    assert [dict(line.args)["spaces"] for line in lines if line.text == offered] == ([("C",)] if support else [])
    old = case_state(FIELD, {"phase": "spain", "units": [GUN.format(space), *FOES], "errata": ""})
    assert offered not in [line.text for line in GAME.aids.moves(old, "spain", space)]


@pytest.mark.parametrize("marks", ["fired", "activated", "demoralised"])
def test_moves_offers_no_support_by_guns_that_are_spent_or_shaken(marks):
    lines = GAME.aids.moves(field(f"{GUN.format('B')} {marks}"), "spain", "B")
    assert not any("SUPPORT" in line.text for line in lines)


def test_moves_offers_cavalry_no_way_on_behind_a_ford():
    horse = "spain CAB Husares fire 2 assault 3 steps 2 morale 5 at A"
    offered = {line.text: dict(line.args)["spaces"] for line in GAME.aids.moves(field(horse), "spain", "A")}
    # H lies behind the ford to G; E behind D, which a path leads to.
    assert offered == {"{unit}: MOVE to {spaces}": ("B", "D", "E", "G"), "{unit}: CHARGE {spaces}": ("C",)}
    before = GAME.aids.moves(field(horse, errata=""), "spain", "A")
    assert dict(before[0].args)["spaces"] == ("B", "D", "E", "G", "H")


@pytest.mark.parametrize(
    ("phase", "broken", "attacks"),
    [
        ("spain", "spain turn 2", False),
        # Told in the Moroccan phase of turn 2, it is asked what Spain can do in turn 3.
        ("morocco", "spain turn 3", False),
        ("spain", "spain turn 3", True),
        ("spain", "morocco turn 2", True),
    ],
)
def test_moves_offers_a_broken_side_neither_assaults_nor_their_support(phase, broken, attacks):
    units = (
        "spain CAB Husares fire 2 assault 3 steps 2 morale 5 at B",
        GUN.format("B"),
        "spain OF Ros 1/1 at B",
        "spain IR Leon fire 2 assault 2 steps 4 morale 4 at B",
    )
    state = field(*units, turn=2, phase=phase, broken=[broken], options={"breaking": "50"})
    texts = {line.text.split()[1] for line in GAME.aids.moves(state, "spain", "B")}
    assert texts == {"MOVE", "FIRE", "CARACOLE", *(("ASSAULT", "CHARGE", "SUPPORT") if attacks else ())}
