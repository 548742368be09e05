"""The luck of throws against every path that the dice could have taken, in exact fractions."""

from fractions import Fraction
from math import exp

import pytest

from pbem.engine.luck import (
    FULL_KNOWLEDGE,
    TOO_LONG,
    UNSEEN,
    LuckOptions,
    PlayedPhase,
    StepLimits,
    evaluate_phase,
    log_e_of_luck,
    luck_and_deviation,
)
from pbem.engine.run.steps import Task, World
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.orders import Assault
from pbem.games.africa1860.scenario import RULE_CASES
from pbem.games.africa1860.sequence import task_of
from pbem.games.africa1860.victory import POSITION_VALUES
from tests.core.bruteforce import First, Path, all_paths

UNITS = (
    "spain OF Ros 1/1 at B",
    "spain IR Leon fire 0 assault 1 steps 3 morale 4 at B",
    "morocco NZ Nizam fire 1 assault 2 steps 3 morale 4 at C",
)
ONE = Fraction(1)


def assault(fire=1):
    units = [text.replace("Nizam fire 1", f"Nizam fire {fire}") for text in UNITS]
    state = RULE_CASES.state({}, {"phase": "spain", "units": units}).change(used=("B",))
    return World(state, (task_of(Assault(1, "ASSAULT", "C", ("Leon",), "Ros"), "B"), Task("close phase")))


def over(world):
    return world.state.fight is None and bool(world.state.bouts)


def weighed(world, rolls, eyes=FULL_KNOWLEDGE, **more):
    played = PlayedPhase(GAME.rules, world, First(rolls), Doctrine({}))
    return evaluate_phase(POSITION_VALUES, played, LuckOptions(eyes, Doctrine({}), **({"one": ONE} | more)))


def lead(state):
    points = POSITION_VALUES.worth(state)
    return points["spain"] - points["morocco"]


def test_luck_is_what_came_less_what_was_to_be_expected_on_every_path():
    world = assault(fire=0)
    paths = list(all_paths(GAME.rules, world, Doctrine({}), over))
    assert (len(paths), sum(weight for _, weight, _ in paths)) == (36, 1)
    start = lead(world.state)
    mean = sum(weight * (lead(state) - start) for _, weight, state in paths)
    mean_square = sum(weight * (lead(state) - start - mean) ** 2 for _, weight, state in paths)
    variances = Fraction(0)
    for rolls, weight, state in paths:
        luck_report = weighed(world, rolls)
        assert luck_report.sides == ("spain", "morocco")
        combat = luck_report.combats[0]
        luck = sum(roll.luck[0] for roll in combat.rolls)
        assert [roll.values for roll in combat.rolls] == list(rolls)
        assert combat.expected[0] - combat.expected[1] == mean
        assert combat.came[0] - combat.came[1] == lead(state) - start
        assert luck == lead(state) - start - mean
        assert all(roll.luck[1] == -roll.luck[0] for roll in combat.rolls)
        assert all(roll.least[0] <= roll.luck[0] <= roll.most[0] for roll in combat.rolls)
        variances += weight * sum(roll.variance[0] for roll in combat.rolls)
    assert variances == mean_square
    # So with fair dice a bet on luck is worth 1 on the average, whatever it is bet on.
    bets = [exp(log_e_of_luck(bounds(weighed(world, rolls)))) for rolls, _, _ in paths]
    assert sum(bets) / len(bets) == pytest.approx(1, abs=1e-12)


def bounds(luck):
    return [(float(roll.luck[0]), float(roll.least[0]), float(roll.most[0])) for roll in luck.combats[0].rolls]


def test_so_it_is_where_fire_and_a_check_come_before_the_shock():
    world = assault()
    paths = list(all_paths(GAME.rules, world, Doctrine({}), over))
    mean = sum(weight * lead(state) for _, weight, state in paths)
    for rolls, _, state in paths[::31]:
        combat = weighed(world, rolls).combats[0]
        assert sum(roll.luck[0] for roll in combat.rolls) == lead(state) - mean
    assert {len(rolls) for rolls, _, _ in paths} == {3, 4}


def test_a_die_that_decides_has_more_hanging_on_it_than_one_that_does_not():
    luck_report = weighed(assault(), ((1,), (5,), (4,)))
    fire, attacker, defender = luck_report.combats[0].rolls
    assert [roll.label for roll in (fire, attacker, defender)] == [
        "B>C/fire Nizam > Leon",
        "B>C/shock attacker",
        "B>C/shock defender",
    ]
    assert fire.variance[0] < attacker.variance[0] < defender.variance[0]
    assert attacker.luck[0] > 0
    assert defender.luck[0] > 0
    luck, deviation = luck_and_deviation(luck_report.combats[0].rolls, 0)
    assert luck == pytest.approx(float(attacker.luck[0] + defender.luck[0] + fire.luck[0]))
    assert deviation == pytest.approx(float(fire.variance[0] + attacker.variance[0] + defender.variance[0]) ** 0.5)


def test_a_check_after_the_fight_stands_for_itself():
    state = RULE_CASES.state({}, {"phase": "spain", "units": list(UNITS)})
    shaken = state.units["Leon"]._replace(demoralised=True)
    world = World(state.with_units({"Leon": shaken}), (Task("check", ("B", "Leon")), Task("close phase")))
    (combat,) = weighed(world, ((6,),)).combats
    # Morale 4 and Ros's 1: a 6 alone fails, and costs a step, which is a point where no scenario says more.
    assert combat.rolls[0].luck == (Fraction(-5, 6), Fraction(5, 6))
    assert combat.rolls[0].variance[0] == Fraction(1, 6) * Fraction(25, 36) + Fraction(5, 6) * Fraction(1, 36)
    assert combat.expected == (0, Fraction(1, 6))
    assert combat.came == (0, 1)


def test_what_takes_too_many_steps_is_not_weighed():
    free = weighed(assault(), ((1,), (6,), (1,)))
    shy = weighed(assault(), ((1,), (6,), (1,)), limits=StepLimits(20, 1_000))
    rolls = shy.combats[0].rolls
    assert [roll.left for roll in rolls] == [TOO_LONG, TOO_LONG, ""]
    assert rolls[0].luck == (0, 0)
    assert rolls[2] == free.combats[0].rolls[2]
    assert (shy.combats[0].expected, shy.combats[0].came) == ((), ())
    assert shy.steps < free.steps + 80
    assert weighed(assault(), (), limits=StepLimits(1_000, 0)).steps == 0


class Blinkers:
    """Eyes that see nothing of the units named in a space of their own, and no event of these kinds."""

    def __init__(self, missing="", kinds=()):
        self.missing, self.kinds = missing, kinds

    def know(self, state, happened=()):
        return (
            state.change(units={i: u for i, u in state.units.items() if i != self.missing}) if self.missing else state
        )

    def see(self, happened, before):
        return [event for event in happened if event.kind not in self.kinds]


def test_only_what_is_seen_is_weighed():
    luck = weighed(assault(), ((1,), (5,), (4,)), Blinkers(kinds=("strength",)))
    assert [roll.label for roll in luck.combats[0].rolls] == ["B>C/fire Nizam > Leon"]


def test_what_rests_on_something_hidden_is_not_weighed():
    # Ros leads; whoever does not know of him reckons another total than he sees.
    luck = weighed(assault(), ((1,), (5,), (4,)), Blinkers("Ros"))
    assert [roll.left for roll in luck.combats[0].rolls] == ["", UNSEEN, UNSEEN]


def test_floats_and_fractions_agree():
    world, rolls = assault(), ((2,), (3,), (5,))
    quick = weighed(world, rolls, one=1.0)
    for fast, exact in zip(quick.combats[0].rolls, weighed(world, rolls).combats[0].rolls, strict=True):
        assert fast.luck == pytest.approx([float(value) for value in exact.luck], abs=1e-12)
        assert fast.variance == pytest.approx([float(value) for value in exact.variance], abs=1e-12)


def test_steps_lost_count_in_fractions_of_the_scenario_s_point():
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    assert POSITION_VALUES.worth(state.change(dead={"morocco": 3})) == {"spain": Fraction(3, 4), "morocco": 11}
    assert POSITION_VALUES.worth(state.change(dead={"morocco": 9, "spain": 1}))["spain"] == Fraction(9, 4)


def test_the_paths_are_those_of_the_dice():
    assert Path(((3,),)).roll("x", 1, 6) == (3,)
