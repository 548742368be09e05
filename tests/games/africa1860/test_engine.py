"""What rule cases cannot say: reinforcements that find no room, names of windows, memory."""

import gc
import weakref
from dataclasses import replace

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.data.events import event
from pbem.engine.run.runners import Done, Paused, play, resume
from pbem.engine.run.steps import Did, Task
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.edition import LAST_ERRATUM_DATE, Edition
from pbem.games.africa1860.end_phase import bring_reinforcements
from pbem.games.africa1860.legality import fallback_spaces, has_room
from pbem.games.africa1860.state import State, read_unit

DICE = DiceStream(bytes(range(64)))
FOOT = "spain IR {} fire 3 assault 2 steps 4 morale 4 at {}"


def position(*units: str, turn: int = 1, scenario: str = "castillejos") -> State:
    made = GAME.start(GAME.edition(scenario, {}, {}))
    return made.change(units={unit.id: unit for unit in map(read_unit, units)}, turn=turn)


def full(space: str, count: int = 8) -> list[str]:
    return [FOOT.format(f"F{n}", space) for n in range(count)]


def kinds(outcome):
    return [(happened.kind, happened.cite, happened.data.get("id")) for happened in outcome.events]


def test_o6_reinforcements_wait_where_there_is_no_room_and_enter_when_there_is():
    state = position(*full("Tarajal", 7), turn=3)
    reinforced = bring_reinforcements(state, Task("reinforcements"))
    assert isinstance(reinforced, Did)
    # In turn 3 come Saboya and Leon for Tarajal, and the Moroccan horse for Condesa.
    assert kinds(reinforced) == [("enters", "O6", "Saboya"), ("waits", "C5", None), ("enters", "O6", "Jinetes")]
    for happened in reinforced.events:
        state = GAME.rules.apply(state, happened)
    assert GAME.invariants(state) == ()
    assert state.waiting[0].split()[2] == "Leon"
    later = state.change(turn=20, units={i: u for i, u in state.units.items() if i != "F0"})
    assert kinds(bring_reinforcements(later, Task("reinforcements"))) == [("enters", "O6", "Leon")]


def test_o6_a_leader_enters_a_full_space():
    state = position(*full("Tarajal"), turn=7)
    assert kinds(bring_reinforcements(state, Task("reinforcements")))[0] == ("enters", "O6", "Quesada")


def test_c5_room_is_counted_by_kind_and_only_for_those_who_come():
    guns = [f"spain ART G{n} fire 2 assault 0 steps 2 morale 4 at Playa" for n in range(4)]
    state = position(*full("Playa"), *guns)
    more = {unit.code: unit for unit in map(read_unit, (FOOT.format("More", "Nudos"), "spain OF Prim 3/3 at Nudos"))}
    assert not has_room(state, "Playa", [more["IR"]])
    assert has_room(state, "Playa", [more["OF"]])
    assert not has_room(state, "Playa", [read_unit(guns[0].replace("G0", "G9"))])
    assert has_room(state, "Nudos", [more["IR"]])


def test_r4_nobody_falls_back_on_a_full_space_except_to_his_own():
    rider = "spain CAB Husares fire 2 assault 3 steps 2 morale 5 at {}"
    foe = "morocco IL Kabila fire 2 assault 2 steps 3 morale 3 at Cresta"
    outside = position(rider.format("Nudos"), FOOT.format("Mate", "Nudos"), *full("Playa"), foe)
    assert fallback_spaces(outside, outside.units["Husares"], "Cresta") == ("Nudos",)
    inside = position(rider.format("Playa"), *full("Playa", 7), foe)
    assert fallback_spaces(inside, inside.units["Husares"], "Cresta") == ("Playa",)


@pytest.mark.parametrize("nth", [1, 2])
def test_o4_the_same_question_asked_again_has_its_own_answer(nth):
    state = position(
        "spain OF Prim 3/3 at Nudos",
        "spain OF Orozco 1/1 at Nudos",
        "morocco CAB Bujari fire 2 assault 3 steps 2 morale 4 at Valle",
        "morocco IL Kabila fire 2 assault 2 steps 3 morale 3 at Valle",
    )
    # Prim passes through the first ridge to the marabout; then Orozco enters the same ridge, empty again.
    text = "ACTIVATE Nudos\nMOVE Prim TO Morabito VIA Cresta\nMOVE Orozco TO Cresta\n"
    orders = {"spain": GAME.parse(text, state, "spain").orders, "morocco": Orders()}
    name = "Valle>Cresta/approach Bujari" + ("" if nth == 1 else "#2")

    class Waiting:
        def answer(self, position, window):
            return None if window.id == name else GAME.decisions(state, orders, {}).answer(position, window)

    paused = play(GAME.rules, GAME.world(state, orders), DICE, Waiting())
    assert isinstance(paused, Paused)
    assert [window.id for window in paused.windows] == [name]
    answered = GAME.decisions(state, orders, {name: ("CARACOLE",)})
    done = resume(GAME.rules, GAME.world(state, orders), DICE, answered, paused.events)
    met = [happened.data["firers"] for happened in done.events if happened.kind == "fires"]
    target = [happened.data["target"] for happened in done.events if happened.kind == "fires"]
    assert met == [["Bujari"]]
    assert target == [["Prim", "Orozco"][nth - 1]]


def resolved(state: State, **letters: str) -> State:
    orders = {seat: GAME.parse(text, state, seat).orders for seat, text in letters.items()}
    done = play(GAME.rules, GAME.world(state, orders), DICE, GAME.decisions(state, orders, {}))
    assert isinstance(done, Done)
    after: State = done.state
    return after


def test_r2_r3_a_new_phase_begins_with_nobody_having_acted_and_no_space_activated():
    state = position(FOOT.format("Leon", "Tarajal"), FOOT.format("Rey", "Tarajal"))
    state = resolved(state, spain="ACTIVATE Tarajal\nMOVE Leon TO Nudos\n")
    assert (state.used, state.units["Leon"].acted) == (("Tarajal",), True)
    state = resolved(state)
    assert state.phase == "spain"
    state = resolved(state, spain="ACTIVATE Nudos\nMOVE Leon TO Tarajal\nACTIVATE Tarajal\nMOVE Rey TO Nudos\n")
    assert {ident: unit.at for ident, unit in state.units.items() if ident in ("Leon", "Rey")} == {
        "Leon": "Tarajal",
        "Rey": "Nudos",
    }


def test_o9_a_leader_is_replaced_two_turns_after_his_loss_by_one_without_factors():
    loss = event("casualty", "O8.8.8", unit="Prim", side="spain")
    state = GAME.rules.apply(position("spain OF Prim 3/3 at Nudos", FOOT.format("Leon", "Nudos")), loss)
    assert state.lost == (("spain", "Prim", 1),)
    state = resolved(resolved(resolved(resolved(state))))
    assert (state.turn, "Prim-2" in state.units) == (3, False)
    leader = resolved(resolved(state)).units["Prim-2"]
    assert (leader.at, leader.assault, leader.bonus, leader.morale) == ("Tarajal", 0, 0, 4)


def test_seats_are_in_the_order_of_play_whatever_a_stored_edition_says():
    scenario = {"seats": {"zaragoza": "spain", "fez": "morocco", "madrid": "spain"}}
    edition = GAME.edition("drill", {}, {})
    made = Edition(edition.map, edition.charts, {**edition.scenario, **scenario})
    assert list(made.seats) == ["madrid", "zaragoza", "fez"]
    assert made.seat_of("spain") == "madrid"


def test_an_edition_that_nobody_plays_any_more_is_forgotten():
    gun = "spain ART Bateria fire 4 assault 0 steps 2 morale 4 at B"
    state = position(gun, "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at C", scenario="drill")
    orders = {"spain": GAME.parse("ACTIVATE B\nFIRE Bateria AT C\n", state, "spain").orders}
    done = play(GAME.rules, GAME.world(state, orders), DICE, GAME.decisions(state, orders, {}))
    assert [happened.cite for happened in done.events if happened.kind == "volley"] == ["C6"]
    kept = weakref.ref(state.edition)
    del state, orders, done
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize(("errata", "expected"), [(LAST_ERRATUM_DATE, ["Prim"]), ("", [])])
def test_o9a_that_a_leader_waits_is_told_to_his_side_alone(errata, expected):
    state = position("morocco IL Kabila fire 2 assault 2 steps 3 morale 3 at Tarajal", turn=3)
    state = state.change(phase="morocco", lost=(("spain", "Prim", 1),), edition=replace(state.edition, errata=errata))
    done = play(GAME.rules, GAME.world(state, {}), DICE, GAME.decisions(state, {}, {}))
    assert isinstance(done, Done)
    for seat, wanted in (("spain", expected), ("morocco", [])):
        seen = [(shown, state) for happened in done.events if (shown := GAME.see(happened, seat, state)) is not None]
        entries = [entry for entry in GAME.telling.report(GAME.view(done.state, seat), seat, seen).entries]
        assert [dict(entry.text.args)["unit"] for entry in entries if entry.rule == "O9a"] == wanted
    assert done.state.lost == (("spain", "Prim", 2),)
