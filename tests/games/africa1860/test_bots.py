"""The bots: legal in any position, the same for the same picks; the one that plays to win does so sensibly."""

import random

import pytest

from pbem.core.bots import Luck
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots.forward import forward_orders, prospects
from pbem.games.africa1860.setup.roster import read_unit
from pbem.games.africa1860.state import Fight, State


def position(*units: str, turn: int = 1, phase: str = "spain", **options: str) -> State:
    made = GAME.start(GAME.edition("drill", options, {}))
    return made.change(units={unit.id: unit for unit in map(read_unit, units)}, turn=turn, phase=phase)


def lines(state: State, seat: str) -> list[str]:
    """What the bot orders, without its standing orders."""
    text = forward_orders(GAME.view(state, seat), seat, lambda n: 0)
    return text.partition("STANDING")[0].splitlines()


PRIM, MULEY = "spain OF Prim 3/3 at {}", "morocco OF Muley 2/2 at {}"
CORDOBA = "spain IR Cordoba fire 3 assault 3 steps 4 morale 5 at {}"
BATERIA = "spain ART Bateria fire 4 assault 0 steps 2 morale 4 at {}"
KABILA = "morocco IL Kabila fire 2 assault 2 steps 3 morale 3 at {}"
NIZAM = "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at {}"


@pytest.mark.parametrize("name", sorted(GAME.bots))
@pytest.mark.parametrize("seat", ["spain", "morocco"])
def test_a_bot_is_read_without_a_word_refused_and_says_the_same_again(name, seat):
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    for phase in ("spain", "morocco"):
        view = GAME.view(state.change(phase=phase), seat)
        first, again = (GAME.bots[name](view, seat, random.Random(3).randrange) for _ in range(2))
        assert first == again
        reading = GAME.parse(first, view, seat)
        assert (reading.rejected, GAME.canon(reading.orders)) == ((), first)
        assert bool(reading.orders.actions) == (phase == seat)
        assert GAME.check(view, seat, reading.orders) == ()


def test_a_bot_knows_no_more_than_its_seat_sees():
    near, far = position(PRIM.format("A"), CORDOBA.format("A"), NIZAM.format("E"), fog="on"), NIZAM.format("D")
    moved = near.change(units={**near.units, "Nizam": read_unit(far)})
    for name, bot in GAME.bots.items():
        texts = {bot(GAME.view(state, "spain"), "spain", random.Random(1).randrange) for state in (near, moved)}
        assert len(texts) == 1, name


def test_guns_fire_before_anybody_assaults_and_support_who_assaults_from_their_space():
    state = position(PRIM.format("B"), CORDOBA.format("B"), BATERIA.format("H"), KABILA.format("C"))
    assert lines(state, "spain") == [
        "ACTIVATE H",
        "FIRE Bateria AT C",
        "ACTIVATE B",
        "ASSAULT C WITH Cordoba LED BY Prim VANGUARD Cordoba SCREEN NONE",
    ]
    beside = position(PRIM.format("B"), CORDOBA.format("B"), BATERIA.format("B"), KABILA.format("C"))
    assert lines(beside, "spain")[1].endswith("SUPPORT Bateria")


def test_it_does_not_assault_at_odds_that_cannot_pay():
    strong = [f"morocco NZ N{n} fire 3 assault 4 steps 4 morale 5 at D" for n in range(6)]
    leon = "spain IR Leon fire 2 assault 1 steps 1 morale 3 at C"
    state = position("spain OF Ros 0/0 at C", leon, MULEY.format("D"), *strong)
    assert not any("ASSAULT" in line for line in lines(state, "spain"))


def test_it_marches_on_what_counts_and_takes_its_leader_along():
    state = position(PRIM.format("A"), CORDOBA.format("A"), KABILA.format("C"), NIZAM.format("E"))
    assert lines(state, "spain") == ["ACTIVATE A", "MOVE Cordoba WITH Prim TO B"]


def test_shaken_units_leave_the_enemys_neighbourhood_and_others_stay():
    state = position(CORDOBA.format("B") + " demoralised", KABILA.format("C"))
    assert lines(state, "spain") == ["RETIRE Cordoba"]
    calm = position(CORDOBA.format("B") + " demoralised", KABILA.format("E"))
    assert lines(calm, "spain") == []


def test_a_space_that_counts_keeps_a_garrison():
    weak = "spain IR Leon fire 2 assault 1 steps 2 morale 4 at C"
    state = position(PRIM.format("C"), CORDOBA.format("C"), weak, KABILA.format("E"))
    ordered = " ".join(lines(state, "spain"))
    assert "Cordoba" in ordered
    assert "Leon" not in ordered


def test_a_leader_without_troops_rides_to_where_troops_without_a_leader_will_be():
    state = position(PRIM.format("A"), CORDOBA.format("B"), KABILA.format("E"), NIZAM.format("E"))
    assert lines(state, "spain") == ["ACTIVATE B", "MOVE Cordoba TO C", "ACTIVATE A", "MOVE Prim TO C"]


def test_a_second_wave_waits_for_the_first():
    leon = "spain IR Leon fire 3 assault 3 steps 4 morale 5 at F"
    state = position(PRIM.format("B"), CORDOBA.format("B"), "spain OF Ros 2/2 at F", leon, KABILA.format("C"), turn=6)
    ordered = lines(state, "spain")
    assert ordered[0] == "ACTIVATE B"
    assert "IF SPACE C ENEMY" in ordered
    assert "  MOVE Leon WITH Ros TO C" in ordered


def test_prospects_are_those_of_the_shock():
    state = position(PRIM.format("B"), CORDOBA.format("B"), KABILA.format("C"))
    fight = Fight("", "assault", "spain", "B", "C", ("Cordoba", "Prim"), "Prim", vanguard="Cordoba")
    # 3 + 3 + die against 2 + die: lost only by 1 against 5 or 6 and by 2 against 6. Half of Kabila's three steps is 1.
    found = prospects(state, fight)
    assert found.wins == 36 - 3
    assert found.harm == sum(
        min(3, 1 + (abs(a - b) if a + 4 > b else abs(a - b) // 2)) for a in range(1, 7) for b in range(1, 7)
    )
    assert prospects(position(PRIM.format("B"), CORDOBA.format("B")), fight) == (36, 0, 0)


def test_luck_is_what_the_picks_make_of_it():
    assert Luck(lambda n: 0).some("abc") == tuple("abc")
    assert Luck(lambda n: n - 1).some("abc") == ("c",)
    assert Luck(lambda n: n - 1).shuffled("abc") == ["c", "b", "a"]
    assert Luck(lambda n: n - 1).one("abc") == "c"
    assert Luck(lambda n: 0).chance(9)
    assert not Luck(lambda n: 1).chance(9)
