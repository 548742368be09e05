"""The bots: legal in any position, the same for the same picks; the one that plays to win does so sensibly."""

import hashlib
import random
from typing import Any

import pytest

from pbem.engine.bots import DiceFromSeed, seeded_pick
from pbem.engine.map.hexes import distance
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders
from pbem.games.peninsular import GAME
from pbem.games.peninsular.bots.forward import (
    FireEffect,
    HalfPlan,
    PlayStyle,
    StyledHalfPlan,
    fire_effect,
    forward_orders,
    shock_value,
)
from pbem.games.peninsular.bots.marshal import UNREACHED_GAIN, LookAhead, marshal_orders, styles
from pbem.games.peninsular.orders import Assault, Move
from pbem.games.peninsular.scenario import case_state
from pbem.games.peninsular.state import State


def position(*units: str, phase: str = "british", **case: Any) -> State:
    """A position on open ground."""
    return case_state({}, {"phase": phase, "units": list(units), "turns": 9, **case})


def lines(state: State, seat: str = "british") -> list[str]:
    """What the bot orders, without its standing orders."""
    text = forward_orders(GAME.view(state, seat), seat, lambda n: 0)
    return text.partition("STANDING")[0].splitlines()


GUARDS = "british inf Guards pf 6 will A facing N at {}"
LIGNE = "french inf 1/8 pf 6 will C facing S at {}"


@pytest.mark.parametrize("name", sorted(GAME.bots))
@pytest.mark.parametrize("scenario", sorted(GAME.editions()))
def test_a_bot_is_read_without_a_word_refused_and_says_the_same_again(name, scenario):
    state = GAME.start(GAME.edition(scenario, {}, {}))
    for phase in state.edition.phases:
        for seat in GAME.seats(state):
            view = GAME.view(state.change(phase=phase), seat)
            first, again = (GAME.bots[name](view, seat, random.Random(3).randrange) for _ in range(2))
            assert first == again
            reading = GAME.parse(first, view, seat)
            assert reading.rejected == ()
            assert bool(reading.orders.actions) == (phase == seat)
            assert GAME.check(view, seat, GAME.aids.in_order(reading.orders)) == ()


def test_s1_nobody_marches_up_to_one_who_is_to_assault_and_turns_him_away():
    state = position(GUARDS.format("0505"), "british inf B pf 5 will B facing S at 0506", LIGNE.format("0504"))
    half = HalfPlan(state, "british")
    assert half.do(Assault(0, "ASSAULT", "0504", ("Guards",)))
    assert not half.do(Move(0, ("B",), to="0505", face="S"))
    assert half.state.units["B"].at == "0506"
    assert half.do(Move(0, ("B",), to="0505", face="N"))


def test_a_bot_knows_no_more_than_its_seat_sees():
    state = position(GUARDS.format("0509"), LIGNE.format("0503"), divisions=["french Leval morale 4 order attack"])
    hidden = position(GUARDS.format("0509"), LIGNE.format("0503"), divisions=["french Leval morale 4 order hold"])
    for name, bot in GAME.bots.items():
        texts = {bot(GAME.view(state, "british"), "british", random.Random(1).randrange) for state in (state, hidden)}
        assert len(texts) == 1, name


def test_it_marches_on_what_counts():
    state = position(
        GUARDS.format("0510").replace("will", "division Dilkes will"),
        LIGNE.format("1201"),
        divisions=["british Dilkes morale 4"],
        victory={"hexes": {"0504": 3}},
    )
    assert "MOVE Guards TO 0506" in lines(state)


def test_who_holds_what_counts_stays_there():
    state = position(GUARDS.format("0506"), LIGNE.format("1201"), victory={"hexes": {"0506": 3}})
    assert not any(line.startswith("MOVE") for line in lines(state))


def test_it_goes_in_from_two_sides_where_that_pays():
    state = position(
        "british inf A pf 3 will A facing N at 0505",
        "british inf B pf 3 will A facing NW at 0604",
        "french inf 1/8 pf 6 will D facing S at 0504",
    )
    ordered = lines(state)
    assert any(line.startswith("ASSAULT 0504 WITH A, B LED BY") for line in ordered), ordered


def test_it_does_not_assault_at_odds_that_cannot_pay():
    strong = [f"french inf N{n} pf 7 will A facing S at 0504" for n in range(3)]
    state = position("british inf A pf 2 will D facing N at 0505", *strong)
    assert not any("ASSAULT" in line for line in lines(state))


def test_foot_keeps_its_fire_for_assaulters_and_guns_do_not():
    state = position(
        "british inf A pf 2 will D facing N at 0505",
        "british art Guns pf 2 fire 6 size medium facing N at 0507",
        *(f"french inf N{n} pf 7 will A facing S at 0504" for n in range(3)),
    )
    ordered = lines(state)
    assert "FIRE Guns AT 0504" in ordered
    assert not any(line.startswith("FIRE A ") for line in ordered)
    text = forward_orders(GAME.view(state, "british"), "british", lambda n: 0)
    assert "2. FIRE AT WILL" in text
    assert "1. WHEN CHARGED THEN SQUARE" in text


def test_horse_leaves_foot_in_good_order_alone_and_rides_down_the_shaken():
    steady = position("british cav KGL nation kgl pf 8 will B facing N at 0507", LIGNE.format("0504"))
    assert not any("CHARGE" in line for line in lines(steady))
    shaken = position(
        "british cav KGL nation kgl pf 8 will B facing N at 0507", LIGNE.format("0504").replace("will", "state D will")
    )
    assert "CHARGE KGL AT 0504 LED BY KGL" in lines(shaken)


def test_the_shaken_go_out_of_reach():
    state = position("british inf A pf 5/6 will C state D facing N at 0505", LIGNE.format("0504"))
    ordered = lines(state)
    assert len(ordered) == 1
    verb, unit, _, to = ordered[0].split()
    assert (verb, unit) == ("MOVE", "A")
    assert distance(to, "0504") > 1


def test_a_commander_goes_where_his_men_assault():
    state = position(
        "british cmd Dilkes morale 1 shock 1 range 3 at 0508",
        "british inf A pf 7 will A division Dilkes facing N at 0505",
        "british inf B pf 7 will A division Dilkes facing N at 0505",
        "french inf 1/8 pf 3 will D facing S at 0504",
        divisions=["british Dilkes morale 4 commander Dilkes order attack"],
    )
    ordered = lines(state)
    assault = next(line for line in ordered if line.startswith("ASSAULT 0504"))
    leader = assault.rpartition(" ")[2]
    to = next((line.split()[3] for line in ordered if line.startswith(f"MOVE {leader} TO")), "0505")
    assert f"MOVE Dilkes TO {to}" in ordered


WAY_OUT: dict[str, Any] = {"exit": {"side": "french", "hexes": ["0101", "0102"], "battalions": 2, "points": 5}}
GOING = (
    "french inf A pf 6 will B facing N at 0105",
    "french inf B pf 6 will B facing N at 0204",
    "french inf C pf 6 will B facing S at 0706",
    "british inf G pf 6 will B facing N at 0810",
)


def ends(*units: str, turn: int = 7) -> set[str]:
    """Who is sent where in the last but one turn, or a turn before that."""
    state = position(*units, phase="french", victory=WAY_OUT, turns=8, turn=turn)
    moves = [line.split() for line in lines(state, "french") if line.startswith("MOVE")]
    return {f"{words[1]} {words[3]}" for words in moves if words[3] in WAY_OUT["exit"]["hexes"]}


def test_s14_as_many_battalions_as_count_make_for_the_exit_when_they_can_be_there_in_time():
    assert ends(*GOING) == {"A 0102", "B 0102"}
    assert ends(*GOING, turn=8) == set()
    assert ends(GOING[0].replace("0105", "0109"), *GOING[1:]) == set()
    assert ends(GOING[0].replace("facing", "state D facing"), *GOING[1:]) == set()
    assert ends(*(text.replace("french", "portuguese") for text in GOING[:3]), GOING[3]) == set()


def test_s14_who_stands_at_the_exit_stays_there_to_the_end():
    there = (GOING[0].replace("0105", "0101"), GOING[1].replace("0204", "0102"), *GOING[2:])
    state = position(*there, phase="french", victory=WAY_OUT, turns=8, turn=8)
    assert not [line for line in lines(state, "french") if line.startswith(("MOVE A", "MOVE B"))]


def test_a_division_far_from_the_enemy_manoeuvres_and_near_to_him_attacks():
    division: dict[str, Any] = {"divisions": ["british Dilkes morale 4"]}
    far = position(GUARDS.format("0510").replace("will", "division Dilkes will"), LIGNE.format("1201"), **division)
    near = position(GUARDS.format("0507").replace("will", "division Dilkes will"), LIGNE.format("0504"), **division)
    assert "ORDER Dilkes MANOEUVRE" in lines(far)
    assert "ORDER Dilkes ATTACK" in lines(near)


def test_what_fire_promises_is_what_the_chart_holds():
    state = position(GUARDS.format("0505"), LIGNE.format("0504"))
    # Column 6, die +2: SE, P, R, 1, 1M, 2P.
    mean_volley = fire_effect(state, state.units["Guards"], "0504")
    assert mean_volley.harm == pytest.approx((0 + 0.4 + 1 + 1 + 1.5 + 2.4) / 6)
    assert mean_volley.stops == pytest.approx((0 + 1 + 1 + 0 + 0.4 + 1) / 6)
    assert fire_effect(state, state.units["Guards"], "0404") == FireEffect()


def test_what_a_shock_promises_grows_with_the_odds_and_is_nothing_below_one_to_four():
    foe = "french inf 1/8 pf 9 will C facing S at 0504"
    worth = []
    for pf in (2, 6, 12, 20):
        state = position(f"british inf A pf {pf} will C facing N at 0505", foe)
        worth.append(shock_value(state, [state.units["A"]], "0504", 2.0))
    assert worth[0] == -99.0
    assert worth == sorted(worth)
    empty = position("british inf A pf 2 will C facing N at 0505", foe.replace("0504", "0104"))
    assert shock_value(empty, [empty.units["A"]], "0504", 2.0) == 3.0


TWO_ON_ONE = (
    "british inf A pf 7 will A facing N at 0505",
    "british inf B pf 7 will A facing NW at 0604",
    "french inf 1/8 pf 4 will D facing S at 0504",
)


def test_a_style_leaves_a_hex_alone_asks_for_more_stays_or_lets_foot_fire():
    state = position(*TWO_ON_ONE)
    verbs = {}
    for style in (
        PlayStyle(),
        PlayStyle(spared=frozenset({"0504"})),
        PlayStyle(pays=UNREACHED_GAIN),
        PlayStyle(pays=UNREACHED_GAIN, stay=True),
    ):
        actions = StyledHalfPlan(state, "british", style).orders()
        verbs[style] = [GAME.canon(Orders((action,))).split()[0] for action in actions]
    assert ["ASSAULT" in words for words in verbs.values()] == [True, False, False, False]
    assert verbs[PlayStyle(pays=UNREACHED_GAIN, stay=True)] == []
    fires = StyledHalfPlan(state, "british", PlayStyle(pays=UNREACHED_GAIN, stay=True, fires=True)).orders()
    assert {GAME.canon(Orders((action,))).split()[0] for action in fires} == {"FIRE"}


def test_a_marshal_plays_plans_on_and_takes_what_does_best():
    state = position(*TWO_ON_ONE, victory={"eliminated": 2, "routed": 1, "pf_per_point": 3})
    trial = LookAhead(state, "british", halves=2)
    assault = StyledHalfPlan(state, "british").orders()
    means = [sum(trial.weigh(plan, number) for number in range(9)) for plan in (assault, ())]
    assert means[0] > means[1]
    text = marshal_orders(GAME.view(state, "british"), "british", lambda n: 0)
    assert "ASSAULT 0504" in text
    assert trial.weigh(assault, 3) == LookAhead(state, "british", halves=2).weigh(assault, 3)


def test_a_marshal_tries_every_assault_left_out_and_every_hex_that_counts_and_is_not_held():
    state = position(*TWO_ON_ONE, victory={"hexes": {"0505": 3, "0909": 2}})
    base = StyledHalfPlan(state, "british")
    base.orders()
    tried = [*styles(base)]
    assert PlayStyle(spared=frozenset({"0504"})) in tried
    assert [style.aim for style in tried if style.aim] == ["0909"]


def test_what_a_position_is_worth_counts_points_and_troops_and_these_less_towards_the_end():
    units = ("british inf A pf 4 will B facing N at 0505", "french inf 1/8 pf 2 will B facing S at 0504")
    state = position(*units, victory={"hexes": {"0505": 3}})
    trial = LookAhead(state, "british", halves=1)
    assert trial.value(state) == pytest.approx(3 + 0.75 * 2)
    assert trial.value(state.change(turn=9)) == pytest.approx(3 + 0.75 * 2 / 9)
    assert trial.value(state.change(phase="over")) == 3
    assert LookAhead(state, "french", halves=1).value(state) == pytest.approx(-3 - 0.75 * 2)


@pytest.mark.parametrize("name", ["forward", "marshal"])
def test_a_bot_is_a_version_and_never_orders_anything_else(name):
    """Who plays otherwise gets a name of his own: stored games name the bot that played in them."""
    state, written_texts = GAME.start(GAME.edition("training", {}, {})).change(turn=5), b""
    while (phase := GAME.phase(state)) is not None:
        (seat,) = GAME.active(state)
        text = GAME.bots[name](GAME.view(state, seat), seat, seeded_pick(written_texts))
        written_texts += text.encode()
        orders = {seat: GAME.parse(text, GAME.view(state, seat), seat).orders}
        orders[seat] = GAME.aids.in_order(orders[seat])
        done = play(GAME.rules, GAME.world(state, orders), DiceFromSeed(f"{phase}"), GAME.decisions(state, orders, {}))
        assert isinstance(done, Done)
        state = done.state
    assert hashlib.sha256(written_texts).hexdigest()[:16] == ORDERED[name]


ORDERED = {"forward": "7c089195a004ded3", "marshal": "9ecb7d01cb411e3d"}
