"""What a receipt warns of besides: no ways, which stand in what will happen, but counters that are cut off."""

from pbem.engine.data.messages import plain_english
from pbem.games.peninsular import GAME
from pbem.games.peninsular.choices import hexes_in_reach, important_goals
from pbem.games.peninsular.state import State
from pbem.letters.catalogue import load_catalogue
from tests.games.peninsular.test_turns import start

UNITS = (
    "british inf A pf 5 will B facing S at 0507",
    "french inf F pf 6 will C facing S at 0503",
)


def reviewed(state: State, text: str) -> list[tuple[int, str, str]]:
    """Line, sentence and rule of what is said of the orders."""
    orders = GAME.parse(text, state, "british").orders
    return [(w.line, plain_english(w.why), w.rule) for w in GAME.aids.review(state, "british", orders)]


def shaken(state: State) -> State:
    return state.with_units({"A": state.units["A"].but(state="D", facing="S")})


def test_the_way_of_a_move_is_no_reason_to_look_again():
    assert reviewed(start(*UNITS), "MOVE A TO 0508") == []


def test_cavalry_that_may_run_on_and_guns_beside_the_enemy_are_warned_of():
    near = (
        "british cav A pf 5 will B facing NW at 0503",
        "british art Guns pf 2 fire 4 facing N at 0404",
        UNITS[1].replace("0503", "0403"),
    )
    state = start(*near)
    warnings = reviewed(state, "ASSAULT 0403 WITH A")
    assert [(line, rule) for line, _, rule in warnings] == [(0, "S1"), (1, "S8"), (0, "T6")]
    held = "STANDING FOR ALL\n1. ADVANCE NO\nENDSTANDING\nASSAULT 0403 WITH A"
    assert "S8" not in {rule for _, _, rule in reviewed(state, held)}


def test_a_shaken_counter_that_goes_where_no_way_leads_back_is_warned_of():
    state = shaken(start(*UNITS))
    edge = max(hexes_in_reach(state, [state.units["A"]]))
    assert [line for line in reviewed(state, f"MOVE A TO {edge}") if "no way to retreat" in line[1]] == []
    hemmed = shaken(start("british inf A pf 5 will B facing S at 0609", UNITS[1]))
    warnings = reviewed(hemmed, "MOVE A TO 0610")
    assert warnings == [(1, "A finds no way to retreat from 0610: routed there, it is eliminated", "S12")]
    spanish = load_catalogue("es", "peninsular")
    (warned,) = GAME.aids.review(hemmed, "british", GAME.parse("MOVE A TO 0610", hemmed, "british").orders)
    assert spanish.say(warned.why).startswith("A no encuentra retirada desde 0610")


def test_the_form_offers_a_shaken_counter_no_such_hex():
    state = shaken(start("british inf A pf 5 will B facing S at 0609", UNITS[1]))
    unit = state.units["A"]
    reach = hexes_in_reach(state, [unit])
    assert "0610" in reach
    assert "0610" not in {goal.at for goal in important_goals(state, [unit], reach)}


def test_squares_are_warned_of_where_no_infantry_could_form_one():
    text = "PASS\nSTANDING\n1. WHEN CHARGED THEN SQUARE\nENDSTANDING"
    warned = (0, "standing order 1: infantry alone forms a square", "T8")
    horse = "british cav H pf 5 will B facing S at 0508"
    assert reviewed(start(horse, UNITS[1]), text) == [warned]
    assert reviewed(start(horse, *UNITS), text) == []
    assert reviewed(start(horse, *UNITS), text.replace("STANDING\n1", "STANDING FOR UNIT H\n1", 1)) == [warned]
