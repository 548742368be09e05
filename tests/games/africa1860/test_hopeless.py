"""What no outcome of the dice can make possible is warned of, and nothing else is."""

import random

import pytest

from pbem.engine.bots import DiceFromSeed
from pbem.engine.data.messages import Msg, plain_english
from pbem.engine.run.odds import StepBudget
from pbem.engine.run.runners import advance
from pbem.engine.run.steps import Did
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots.at_random import random_orders
from pbem.games.africa1860.check import certain_effects, impossible_lines
from pbem.games.africa1860.orders import Activate, orders_by_space
from pbem.games.africa1860.sequence import RULES

STATE = GAME.start(GAME.edition("wadras", {}, {}))
FIRE = "ACTIVATE Puente\nFIRE Caballo AT Lomas\n"
NEVER = "whatever the dice bring, this cannot be carried out: "
NEITHER = "whatever the dice bring, neither this nor what stands under it can be carried out: "


def hopeless_warnings(text, seat="spain", state=STATE):
    read = GAME.parse(text, state, seat)
    assert read.rejected == ()
    assert GAME.check(state, seat, read.orders) == ()
    warnings = GAME.aids.review(state, seat, read.orders)
    return [
        (warning.line, plain_english(warning.why), warning.rule)
        for warning in warnings
        if "whatever the dice" in warning.why.text
    ]


def refused(text, seat="spain", state=STATE):
    read = GAME.parse(text, state, seat)
    assert read.rejected == ()
    return [
        (warning.line, plain_english(warning.why), warning.rule) for warning in GAME.check(state, seat, read.orders)
    ]


def test_a_unit_that_stands_elsewhere_behind_the_first_die():
    assert hopeless_warnings(FIRE + "ACTIVATE Camino\nMOVE Borbon TO Puente") == [
        (4, NEVER + "Borbon is in Vado, not in Camino; order it below ACTIVATE Vado, or leave it out", "O3")
    ]


def test_a_unit_that_a_line_above_brings_there_has_acted():
    # It is told as R3, in the words for who acts twice, and not a second time.
    orders = FIRE + "ACTIVATE Ribera\nMOVE Husares1 TO Puente\nACTIVATE Samsa\nMOVE Husares1 TO Puente"
    assert hopeless_warnings(orders) == []
    read = GAME.parse(orders, STATE, "spain")
    assert [warning.rule for warning in GAME.aids.review(STATE, "spain", read.orders)] == ["R3"]


def test_a_space_that_nobody_stands_in_and_no_line_above_leads_to():
    assert hopeless_warnings(FIRE + "ACTIVATE Lomas\nMOVE Granada TO Llano") == [
        (3, NEITHER + "you have no unit in Lomas; lead somebody there in a line above, or leave it out", "O2")
    ]
    stormed = "ASSAULT Lomas WITH Granada, Cataluna LED BY Echague VANGUARD Granada SCREEN NONE\n"
    # Who has not come yet comes as a turn ends, whatever the dice: that is refused, and not only warned of.
    assert refused(FIRE + stormed + "ACTIVATE Lomas\nMOVE Prim TO Llano") == [
        (5, "Prim has not come yet (Camino, at the end of turn 1)", "O3")
    ]


def test_beside_a_refused_line_what_no_dice_make_possible_is_refused_too():
    wrong = "ACTIVATE Camino\nMOVE Borbon TO Puente\nMOVE Prim TO Llano"
    assert refused(FIRE + wrong) == [
        (4, "Borbon is in Vado, not in Camino; order it below ACTIVATE Vado, or leave it out", "O3"),
        (5, "Prim has not come yet (Camino, at the end of turn 1)", "O3"),
    ]


def test_a_gun_that_fires_and_then_supports_is_told_with_what_comes_of_it():
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    text = "ACTIVATE Nudos\nFIRE Montana1 AT Loma\nASSAULT Cresta WITH Cuenca LED BY Orozco SUPPORT Montana1"
    orders = GAME.parse(text, state, "spain").orders
    assert GAME.forecast is not None
    (sentence,) = [
        plain_english(text) for _, text in GAME.forecast.odds(state, "spain", orders, StepBudget(10_000)).said
    ]
    assert sentence == "Nudos>Cresta: is not carried out as things stand: Montana1 has fired already in this turn"


def test_odds_of_units_that_have_not_come_are_refused():
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    assert GAME.forecast is not None
    for units in ("Saboya", "Saboya, Cuenca"):
        read = GAME.forecast.attack(f"ASSAULT Cresta WITH {units} LED BY Orozco", state, "spain", False)
        assert [plain_english(rejected_line.why) for rejected_line in read.rejected] == [
            "Saboya has not come yet (Tarajal, at the end of turn 3)"
        ]


def test_the_event_of_a_unit_that_has_not_come_is_that_of_1_0_and_its_report_is_right():
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    orders = Orders(GAME.parse("ACTIVATE Nudos\nMOVE Saboya TO Playa", state, "spain").orders.actions)
    happened = certain_effects(RULES, state, "spain", orders).known.events
    ((event, before),) = [happening for happening in happened if happening[0].kind == "not carried out"]
    assert plain_english(Msg.from_json(event.data["why"])) == "Saboya is no longer in play"
    (entry,) = GAME.telling.happenings([(event, before)])
    assert "Saboya has not come yet (Tarajal, at the end of turn 3)" in plain_english(entry.text)


def test_a_moroccan_space_without_a_leader():
    # Izquierda has neither locality nor camp; the guns of Lomas fire first.
    why = "Izquierda holds no Moroccan locality, camp or leader: a leader must come first"
    fire = "ACTIVATE Lomas\nFIRE Bronces AT Puente\n"
    orders = "ACTIVATE Izquierda\nMOVE WadRas TO Lomas"
    assert hopeless_warnings(fire + orders, "morocco") == [
        (3, NEITHER + f"{why}; bring a leader there in a line above, or leave it out", "O5")
    ]
    assert hopeless_warnings(f"{fire}MOVE Caid TO Izquierda\n{orders}", "morocco") == []
    assert hopeless_warnings(f"{fire}MOVE Caid TO Llano\n{orders}", "morocco")[0][2] == "O5"


def test_a_move_into_foot_at_which_no_line_above_is_aimed():
    move = "ACTIVATE Vado\nMOVE Borbon TO {to}"
    assert hopeless_warnings(FIRE + move.format(to="Izquierda")) == [
        (
            4,
            NEVER + "Izquierda is held by the enemy: a move never enters it; "
            "assault Izquierda in a line above, or leave this out",
            "R2",
        )
    ]
    assert hopeless_warnings(FIRE + move.format(to="Lomas")) == []


def test_a_caracole_back_into_foot_at_which_no_line_above_is_aimed():
    caracole = "ACTIVATE Ribera\nCARACOLE Lanceros AT Izquierda BACK TO Lomas"
    near = STATE.change(units={**STATE.units, "Lanceros": STATE.units["Lanceros"]._replace(at="Vado")})
    orders = FIRE.replace("Lomas", "Aldea") + caracole.replace("Ribera", "Vado")
    why = "Lanceros has no friends to fall back on in Lomas; assault Lomas in a line above, or leave this out"
    assert hopeless_warnings(orders, state=near) == [(4, NEVER + why, "R4")]
    # Fire above it may empty the space, but brings no friends there; a line that may go there does.
    why = "Lanceros has no friends to fall back on in Lomas; lead somebody there in a line above, or leave it out"
    back = caracole.replace("Ribera", "Vado")
    assert hopeless_warnings(FIRE + back, state=near) == [(4, NEVER + why, "R4")]
    storm = "ASSAULT Lomas WITH Granada, Cataluna LED BY Echague VANGUARD Granada SCREEN NONE\n"
    assert hopeless_warnings(FIRE + storm + back, state=near) == []


def test_a_move_that_goes_too_far_says_where_it_can_go():
    assert refused("ACTIVATE Vado\nMOVE Madrid TO Camino\nMOVE Lasaussaye TO Ladera") == [
        (2, "Madrid cannot reach Camino from Vado in one move; it can go to Puente, Ribera", "O3.2"),
        (3, "Lasaussaye cannot reach Ladera from Vado in one move; it can go to Camino, Puente, Ribera, Samsa", "O3.4"),
    ]


def test_a_leader_who_is_elsewhere_is_told_with_who_is_there():
    assault = "ACTIVATE Samsa\nASSAULT Aldea WITH Iberia LED BY Echague"
    assert refused(assault) == [(2, "Echague is not in Samsa to lead; leaders there: Rios", "O8.1")]
    alone = STATE.change(units={ident: unit for ident, unit in STATE.units.items() if ident != "Rios"})
    assert refused(assault, state=alone) == [
        (2, "Echague is not in Samsa to lead; no leader of yours is there", "O8.1")
    ]


def test_who_retires_without_need_is_told_to_move():
    assert refused("RETIRE Iberia TO Puente") == [(1, "Iberia is not demoralised: MOVE leads it back", "R8")]


def test_a_unit_named_under_another_space_is_told_where_it_stands():
    for orders in ("", FIRE):
        text = orders + "ACTIVATE Camino\nMOVE Borbon TO Lomas"
        read = GAME.parse(text, STATE, "spain")
        (warning,) = GAME.check(STATE, "spain", read.orders)
        assert plain_english(warning.why) == "Borbon is in Vado, not in Camino; order it below ACTIVATE Vado"


@pytest.mark.parametrize("games", [5, pytest.param(16, marks=pytest.mark.full)])
@pytest.mark.parametrize("scenario", ["castillejos", "wadras"])
def test_no_line_that_was_warned_of_is_ever_carried_out(scenario, games):
    luck, warned = random.Random(f"hopeless {scenario}"), 0
    for number in range(games):
        state = GAME.start(GAME.edition(scenario, {}, {}))
        for phase in range(6):
            if state.phase == "over":
                break
            seat = state.edition.seat_of(state.phase)
            orders = jumbled(state, seat, luck)
            lines = {mistake.line for mistake in impossible_lines(RULES, GAME.view(state, seat), state.phase, orders)}
            warned += len(lines)
            for throw in range(3):
                done, after = carried_out(state, seat, orders, DiceFromSeed(f"{number} {phase} {throw}"))
                assert not lines & done, (scenario, number, phase, throw, GAME.canon(orders), lines & done)
            state = after
    assert warned > 40 * games / 16


def jumbled(state, seat, luck):
    """Three sets of a bot's orders after one another, some activations of other spaces, some lines below another."""
    texts = [random_orders(state, seat, lambda below: luck.randrange(below)) for _ in range(3)]
    lines = [line for text in texts for line in text.split("ENDSTANDING")[-1].splitlines() if line]
    spaces = sorted(state.edition.map.spaces)
    written = []
    for line in lines:
        word = line.split()[0]
        if word in ("IF", "ELSE", "ENDIF", "STOP", "RETIRE"):
            continue
        if word == "ACTIVATE" and luck.random() < 0.3:
            line = f"ACTIVATE {luck.choice(spaces)}"
        if luck.random() < 0.2:
            written.append(f"ACTIVATE {luck.choice(spaces)}")
        written.append(line)
    read = GAME.parse("\n".join(written), GAME.view(state, seat), seat)
    return Orders(read.orders.actions)


def carried_out(state, seat, orders, dice):
    """The lines that were carried out, and the position after the phase."""
    world, decisions, done = GAME.world(state, {seat: orders}), GAME.decisions(state, {seat: orders}, {}), set()
    lines = {action.line for _, action in orders_by_space(orders.actions)}
    lines |= {action.line for action in orders.actions if isinstance(action, Activate)}
    while world.agenda:
        task = world.agenda[0]
        moment = advance(RULES, world, dice, decisions)
        events = moment.outcome.events if isinstance(moment.outcome, Did) else None
        carried = events is not None and all(event.kind != "not carried out" for event in events)
        if carried and task.name.endswith(("order", "activate")):
            done.add(task.args[0].line)
        world = moment.world
    return done & lines, world.state
