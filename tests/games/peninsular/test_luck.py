"""The luck of shots, shocks and tests against every path that the dice could have taken, in exact fractions."""

from fractions import Fraction

import pytest

from pbem.engine.luck import FULL_KNOWLEDGE, UNSEEN, LuckOptions, PlayedPhase, evaluate_phase
from pbem.engine.map.hexes import front, neighbours
from pbem.engine.run.steps import Task, World
from pbem.games.peninsular import GAME
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.units import ROUTED
from pbem.games.peninsular.victory import POSITION_VALUES
from tests.core.bruteforce import First, all_paths

START = GAME.start(GAME.edition("training", {}, {}))
FIRST, SECOND = POSITION_VALUES.worth(START)
ONE = Fraction(1)


def facing():
    """An infantry of each side alone, the first's in front of the second's and marked to assault it."""
    own, foe = (
        next(u for u in START.units.values() if u.kind == "inf" and (u.camp == alliance_of(START.phase)) is ours)
        for ours in (True, False)
    )
    target = next(
        hex_id
        for hex_id in neighbours(foe.at)
        if not START.at(hex_id) and foe.at in front(hex_id, "N") + front(hex_id, "S")
    )
    way = "N" if foe.at in front(target, "N") else "S"
    marked, foe = own._replace(at=target, facing=way, assault=foe.at, pf=6, will="D"), foe._replace(pf=6, will="D")
    return START.change(units={own.id: marked, foe.id: foe}, assaults=((foe.at, own.id),)), own, foe


def lead(state):
    points = POSITION_VALUES.worth(state)
    return points[FIRST] - points[SECOND]


def weighed(world, rolls, eyes=FULL_KNOWLEDGE):
    return evaluate_phase(
        POSITION_VALUES,
        PlayedPhase(GAME.rules, world, First(rolls), Doctrine({})),
        LuckOptions(eyes, Doctrine({}), one=ONE),
    )


def test_the_luck_of_a_shock_is_what_came_of_it_less_what_was_to_be_expected():
    state, _, _ = facing()
    world = World(state, (Task("shocks"), Task("half over")))
    paths = list(all_paths(GAME.rules, world, Doctrine({})))
    assert len(paths) > 6
    mean = sum(weight * (lead(end) - lead(state)) for _, weight, end in paths)
    square = sum(weight * (lead(end) - lead(state) - mean) ** 2 for _, weight, end in paths)
    variances = Fraction(0)
    for rolls, weight, end in paths:
        (combat,) = weighed(world, rolls).combats
        assert [roll.values for roll in combat.rolls] == list(rolls)
        assert combat.expected[0] - combat.expected[1] == mean
        assert sum(roll.luck[0] for roll in combat.rolls) == lead(end) - lead(state) - mean
        variances += weight * sum(roll.variance[0] for roll in combat.rolls)
    assert variances == square > 0


class Seat:
    """A seat's eyes, with hindsight or without."""

    def __init__(self, seat, hindsight=True):
        self.seat, self.hindsight = seat, hindsight

    def know(self, state, happened=()):
        return POSITION_VALUES.hindsight(GAME.view(state, self.seat), happened if self.hindsight else ())

    def see(self, happened, before):
        return [shown for event in happened if (shown := GAME.see(event, self.seat, before)) is not None]


def test_an_order_of_the_enemy_is_known_once_its_modifier_was_told():
    state, own, foe = facing()
    division = state.divisions[own.division]._replace(order="ATTACK")
    ordered = state.change(divisions={**state.divisions, division.name: division})
    world, rolls = World(ordered, (Task("shocks"), Task("half over"))), ((4,),)
    other = next(seat for seat, side in GAME.seats(state).items() if alliance_of(side) == foe.camp)
    (known,) = weighed(world, rolls).combats
    (seen,) = weighed(world, rolls, Seat(other)).combats
    (blind,) = weighed(world, rolls, Seat(other, hindsight=False)).combats
    assert seen.rolls[0] == known.rolls[0]
    assert known.rolls[0].left == ""
    assert blind.rolls[0].left == UNSEEN


def test_a_rally_is_worth_the_point_of_a_routed_counter():
    state, own, _ = facing()
    routed = state.units[own.id]._replace(state=ROUTED, assault="", will="A")
    world = World(state.change(units={**state.units, own.id: routed}, assaults=()), (Task("rallies"),))
    (combat,) = weighed(world, ((6,),)).combats
    (roll,) = combat.rolls
    assert combat.came[1] == -1
    assert roll.luck == (-roll.luck[1], roll.luck[1])
    assert roll.luck[0] > 0
    assert roll.luck[0] == (combat.came[0] - combat.came[1]) - (combat.expected[0] - combat.expected[1])


def test_friends_fight_for_the_side_that_leads_them():
    barrosa = GAME.start(GAME.edition("barrosa", {}, {}))
    assert list(POSITION_VALUES.worth(barrosa)) == ["british", "french"]
    assert [POSITION_VALUES.party(barrosa, side) for side in ("british", "portuguese", "french", "")] == [
        "british",
        "british",
        "french",
        "",
    ]


@pytest.mark.parametrize(("lost", "points"), [(1, Fraction(1, 3)), (3, 1), (5, Fraction(5, 3))])
def test_pf_lost_count_in_fractions_of_the_scenario_s_point(lost, points):
    worth = POSITION_VALUES.worth(START.change(dead={SECOND: lost}))
    assert worth[FIRST] - POSITION_VALUES.worth(START)[FIRST] == points
