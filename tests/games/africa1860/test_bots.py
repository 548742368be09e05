"""The bots: legal in any position, the same for the same picks; the one that plays to win does so sensibly."""

import hashlib
import random

import pytest

from pbem.engine.bots import Bot, DiceFromSeed, Luck, seeded_pick
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots.forward import (
    VETERAN,
    PhaseTrial,
    PlayStyle,
    StyledPhasePlanner,
    forward_orders,
    marshal_orders,
    prospects,
    recruit_orders,
    veteran_orders,
)
from pbem.games.africa1860.orders import canon
from pbem.games.africa1860.state import Fight, State, read_unit


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
LEON = "spain IR Leon fire 2 assault 1 steps 2 morale 4 at {}"
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
    fight_prospects = prospects(state, fight)
    assert fight_prospects.wins == 36 - 3
    assert fight_prospects.harm == sum(
        min(3, 1 + (abs(a - b) if a + 4 > b else abs(a - b) // 2)) for a in range(1, 7) for b in range(1, 7)
    )
    assert prospects(position(PRIM.format("B"), CORDOBA.format("B")), fight) == (36, 0, 0)


def test_luck_is_what_the_picks_make_of_it():
    assert Luck(lambda n: 0).some("abc") == tuple("abc")
    assert Luck(lambda n: n - 1).some("abc") == ("c",)
    assert Luck(lambda n: n - 1).shuffle("abc") == ["c", "b", "a"]
    assert Luck(lambda n: n - 1).one("abc") == "c"
    assert Luck(lambda n: 0).chance(9)
    assert not Luck(lambda n: 1).chance(9)


def ordered(bot: Bot, state: State, seat: str) -> list[str]:
    """What a bot orders, without its standing orders."""
    return bot(GAME.view(state, seat), seat, lambda n: 0).partition("STANDING")[0].splitlines()


def test_a_captain_leaves_no_guns_alone_where_the_enemy_is_near():
    state = position(PRIM.format("B"), CORDOBA.format("B"), LEON.format("B"), BATERIA.format("B"), NIZAM.format("E"))
    assert lines(state, "spain")[1] == "MOVE Cordoba, Leon WITH Prim TO C"
    assert ordered(veteran_orders, state, "spain")[1] == "MOVE Cordoba WITH Prim TO C"


def test_levels_differ_in_what_an_assault_must_promise():
    good = position(PRIM.format("B"), CORDOBA.format("B"), NIZAM.format("C"))
    doubtful = position("spain OF Ros 1/1 at F", CORDOBA.format("F"), NIZAM.format("G"))
    bad = position("spain OF Ros 0/1 at F", LEON.format("F"), NIZAM.format("G"))
    assaults = [
        [any("ASSAULT" in line for line in ordered(bot, state, "spain")) for state in (good, doubtful, bad)]
        for bot in (forward_orders, veteran_orders, recruit_orders)
    ]
    assert assaults == [[True, True, False], [True, False, False], [True, True, True]]


def test_a_style_aims_at_a_space_or_stays():
    state = position(PRIM.format("A"), CORDOBA.format("A"), KABILA.format("C"), NIZAM.format("E"))
    orders_by_style = {}
    for style in (VETERAN, PlayStyle(stay=True), PlayStyle(aim="H")):
        actions = StyledPhasePlanner(state, "spain", Luck(lambda n: 0), style).phase()
        orders_by_style[style] = canon(Orders(actions)).splitlines()[1:]
    assert orders_by_style == {
        VETERAN: ["MOVE Cordoba WITH Prim TO B"],
        PlayStyle(stay=True): [],
        PlayStyle(aim="H"): orders_by_style[VETERAN],
    }


def test_a_marshal_plays_plans_on_and_takes_what_does_best():
    state = position(PRIM.format("B"), CORDOBA.format("B"), NIZAM.format("C"))
    trial = PhaseTrial(state, "spain")
    assault = StyledPhasePlanner(state, "spain", Luck(lambda n: 0), PlayStyle()).phase()
    means = [sum(trial.weigh(plan, number) for number in range(9)) for plan in (assault, ())]
    assert means[0] > means[1]
    assert any("ASSAULT C" in line for line in ordered(marshal_orders, state, "spain"))
    assert trial.weigh(assault, 3) == PhaseTrial(state, "spain").weigh(assault, 3)


def test_what_a_position_is_worth_counts_points_troops_and_the_game_itself():
    state = position(CORDOBA.format("A"), NIZAM.format("E"))
    trial = PhaseTrial(state, "spain")
    assert trial.value(state) == -6.0
    shaken = position(CORDOBA.format("A") + " demoralised", NIZAM.format("E"))
    assert trial.value(shaken) == pytest.approx(-6.0 - 0.15 - 0.12)
    assert trial.value(state.change(phase="over", winner="spain")) == 0.0
    assert trial.value(state.change(phase="over", winner="draw")) == -6.0


def test_marshal_needs_no_chance():
    state = GAME.start(GAME.edition("drill", {}, {}))
    texts = {GAME.bots["marshal"](state, "spain", random.Random(seed).randrange) for seed in range(3)}
    assert len(texts) == 1


def test_a_bot_is_a_version_and_never_orders_anything_else():
    """Who plays otherwise gets a name of his own: stored games name the bot that played in them."""
    orders_by_bot = {}
    for name in ("forward", "recruit", "veteran", "marshal"):
        state, written_texts = GAME.start(GAME.edition("drill", {}, {})), b""
        while (phase := GAME.phase(state)) is not None:
            (seat,) = GAME.active(state)
            text = GAME.bots[name](GAME.view(state, seat), seat, seeded_pick(written_texts))
            written_texts += text.encode()
            orders = {seat: GAME.parse(text, GAME.view(state, seat), seat).orders}
            dice = DiceFromSeed(f"{phase}")
            done = play(GAME.rules, GAME.world(state, orders), dice, GAME.decisions(state, orders, {}))
            assert isinstance(done, Done)
            state = done.state
        orders_by_bot[name] = hashlib.sha256(written_texts).hexdigest()[:16]
    assert orders_by_bot == ORDERED


ORDERED = {
    "forward": "11349acf277a3792",
    "recruit": "f9321f4c5fab9c00",
    "veteran": "c3349f83c2439959",
    "marshal": "c70deb7074106931",
}
