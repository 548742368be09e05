"""What a rule case cannot say, because it is one phase: what lasts from half to half and from turn to turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pbem.engine.cases import ScriptedDice
from pbem.engine.data.events import Event
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders
from pbem.games.peninsular import GAME
from pbem.games.peninsular.scenario import RULE_CASES, case_state
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import Unit

FIRER = "french inf F pf 10 will C facing S at 0504"
ENEMY = "french inf F pf 6 will C facing S at 1201"


def start(*units: str, phase: str = "british", divisions: Sequence[str] = (), **more: Any) -> State:
    return case_state({}, {"phase": phase, "units": units, "divisions": list(divisions), **more})


def half(state: State, text: str = "PASS", *dice: str) -> tuple[State, list[Event]]:
    """Play the half that waits, its orders as written; every die must be given and used."""
    seat = state.phase
    reading = GAME.parse(text, state, seat)
    assert reading.rejected == ()
    thrown = ScriptedDice(dice, RULE_CASES.coins)
    given = {seat: reading.orders}
    done = play(GAME.rules, GAME.world(state, given), thrown, GAME.decisions(state, given, {}))
    assert isinstance(done, Done)
    assert thrown.unused_labels == ()
    return done.state, list(done.events)


def refused(events: Sequence[Event]) -> list[str]:
    return [happened.cite for happened in events if happened.kind == "not carried out"]


def unit(state: State, ident: str) -> Unit:
    return state.units[ident]


def test_s4_mp_are_given_anew_each_half_and_a_zone_lets_go():
    state = start("british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0505")
    state, events = half(state, "MOVE A 0507 0506")
    assert refused(events) == []
    state, _ = half(state)
    state, events = half(state, "MOVE A 0507 0508 0509")
    assert refused(events) == []
    assert unit(state, "A").at == "0509"


def test_s7_who_fired_fires_again_in_the_next_turn_not_in_this():
    state = start("british inf A pf 4 will D facing N at 0505", "french inf F pf 6 will B facing S at 0504")
    state, _ = half(state, "FIRE A AT 0504", "fire A > F: 1")
    assert unit(state, "A").fired
    state, _ = half(state, "ASSAULT 0505 WITH F", "shock F > A: 1", "morale F: 6")
    assert not unit(state, "A").fired


def test_t5_halted_guns_are_silent_until_the_next_turn_has_ended_by_the_rules_as_they_were():
    guns = "british art G pf 2 fire 6 will C facing N at 0505"
    state = start(guns, "french inf F pf 10 will C facing S at 0504", phase="french")
    state = state.change(turn=1, edition=replace(state.edition, errata=""))
    state, _ = half(state, "FIRE F AT 0505", "fire F > G: 3", "morale G: 6")
    assert unit(state, "G").nofire == 2
    shots = []
    for _ in range(3):
        state, events = half(state, "FIRE G AT 0504", *(["fire G > F: 1"] if state.turn == 3 else []))
        shots.append((state.turn, refused(events)))
        state, _ = half(state) if state.phase == "french" else (state, None)
    assert [cites for _, cites in shots] == [["T5"], ["T5"], []]


def test_s7a_halted_guns_are_silent_in_the_next_turn_alone():
    state = start("british art G pf 2 fire 6 will C facing N at 0505", FIRER, phase="french")
    state, _ = half(state, "FIRE F AT 0505", "fire F > G: 3", "morale G: 6")
    shots = []
    for _ in range(3):
        state, events = half(state, "FIRE G AT 0504", *([] if state.turn == 2 else ["fire G > F: 1"]))
        shots.append((state.turn, refused(events)))
        state, _ = half(state) if state.phase == "french" else (state, None)
    assert [cites for _, cites in shots] == [[], ["T5"], []]


def test_s7a_guns_that_are_barred_and_halted_again_are_barred_in_this_turn_and_the_next():
    state = start("british art G pf 2 fire 6 will C facing N at 0505", FIRER, phase="french")
    cites = []
    for turn in (1, 2, 3, 4):
        shot = ("FIRE F AT 0505", "fire F > G: 3", "morale G: 6") if turn < 3 else ("PASS",)
        state, _ = half(state, *shot)
        state, events = half(state, "FIRE G AT 0504", *(["fire G > F: 1"] if turn in (1, 4) else []))
        cites.append(refused(events))
    assert cites == [[], ["T5"], ["T5"], []]


def test_s2_an_order_that_waits_is_in_force_from_the_next_turn_and_a_new_one_takes_its_place():
    far = ("british cmd Graham morale 2 shock 1 range 4 at 0101", "british cmd Dilkes morale 1 shock 1 range 3 at 0510")
    foot = "british inf A pf 5 will B division Dilkes facing N at 0510"
    state = start(*far, foot, ENEMY, divisions=["british Dilkes morale 4 commander Dilkes"])
    state, _ = half(state, "ORDER Dilkes HOLD")
    assert (state.divisions["Dilkes"].order, state.divisions["Dilkes"].pending) == ("", "HOLD")
    state, _ = half(state)
    assert (state.divisions["Dilkes"].order, state.divisions["Dilkes"].pending) == ("HOLD", "")
    state, _ = half(state, "ORDER Dilkes NONE")
    assert state.divisions["Dilkes"].order == "HOLD"
    state, _ = half(state)
    assert state.divisions["Dilkes"].order == ""


def test_s2_an_order_in_force_at_once_takes_back_one_that_waits():
    units = (
        "british cmd Graham morale 2 shock 1 range 4 at 0101",
        "british cmd Dilkes morale 1 shock 1 range 3 at 0107",
    )
    state = start(
        *units,
        "british inf A pf 5 will B division Dilkes facing N at 0107",
        ENEMY,
        divisions=["british Dilkes morale 4 commander Dilkes"],
    )
    state, _ = half(state, "ORDER Dilkes HOLD\nMOVE Graham TO 0105\nORDER Dilkes ATTACK")
    state, _ = half(state)
    assert (state.divisions["Dilkes"].order, state.divisions["Dilkes"].pending) == ("ATTACK", "")


def test_s9_cavalry_that_marched_does_not_rest():
    state = start(
        "british cav K pf 4 will B fatigue 2 facing N at 0510", "british cav L pf 4 will B fatigue 2 at 0310", ENEMY
    )
    state, _ = half(state, "MOVE K 0509")
    state, _ = half(state)
    assert (unit(state, "K").fatigue, unit(state, "L").fatigue) == (2, 1)


def test_s8_attacks_out_of_control_are_counted_anew_in_each_half_and_markers_are_gone():
    state = start(
        "british cav K pf 8 will C facing N at 0505",
        "french inf E pf 1 will C facing S at 0504",
        "french inf G pf 6 will C formation skirmish facing S at 0501",
    )
    state, _ = half(state, "ASSAULT 0504 WITH K", "fire E > K: 1", "shock K > E: 4", "control K: 1", "shock K > G: 4")
    assert (unit(state, "K").pursuits, unit(state, "K").assault) == (1, "")
    state, _ = half(state)
    state, _ = half(state)
    assert unit(state, "K").pursuits == 0


def test_s11_without_a_rout_in_the_turn_no_division_tests():
    state = start(
        "british inf A pf 5 will B facing N at 0510",
        "french inf F pf 2/6 will C division Leval at 0501",
        divisions=["french Leval morale 4"],
    )
    state, _ = half(state)
    state, events = half(state)
    assert not any(happened.kind == "division" for happened in events)


def test_s13_the_new_commander_has_no_factors_and_the_old_range():
    state = start(
        "spanish inf S pf 6 will D facing N at 0505",
        "french inf F pf 6 will B facing S at 0504",
        "french cmd Leval morale 2 shock 2 range 3 at 0504",
        phase="spanish",
    )
    state, _ = half(state, "FIRE S AT 0504", "fire S > F: 6", "commander Leval: 1 1")
    assert "Leval" not in state.units
    state, _ = half(state)
    new = unit(state, "Leval")
    assert (new.morale, new.shock, new.range, new.at) == (0, 0, 3, "0504")


def test_s5_an_order_for_a_counter_that_is_gone_is_not_carried_out():
    state = start("british inf A pf 5 will B facing N at 0510", ENEMY)
    (action,) = GAME.parse("FACE A S", state, "british").orders.actions
    state = state.change(units={"F": state.units["F"]}, gone={"A": "eliminated"})
    given = {"british": Orders((action,))}
    done = play(
        GAME.rules, GAME.world(state, given), ScriptedDice((), RULE_CASES.coins), GAME.decisions(state, given, {})
    )
    assert isinstance(done, Done)
    assert refused(done.events) == ["S3"]


def test_s14_the_margin_decides_after_the_last_turn_exactly_the_margin_included():
    for held, winner in (("0510", "british"), ("1201", "french"), ("0909", "draw")):
        victory = {"hexes": {held: 3}, "first_needs": 3, "second_needs": -3}
        state = start("british inf A pf 5 will B facing N at 0510", ENEMY, victory=victory, turns=2)
        for _ in range(3):
            state, _ = half(state)
            assert state.winner == ""
        state, _ = half(state)
        assert (state.winner, state.phase) == (winner, "over")
