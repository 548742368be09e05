"""The odds runner against counting by hand, against exact fractions, and against playing."""

import hashlib
from fractions import Fraction
from math import sqrt

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.commanders.sequence import split_joint_lines
from pbem.engine.data.messages import plain_english
from pbem.engine.parts import OddsLimits
from pbem.engine.run.odds import PLAYS, Reckoning, StepBudget, faces
from pbem.engine.run.runners import Done, play
from pbem.engine.run.steps import World
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.edition import LAST_ERRATUM_DATE
from pbem.games.africa1860.forecast import FORECAST
from pbem.games.africa1860.orders import Assault
from pbem.games.africa1860.scenario import RULE_CASES
from pbem.games.africa1860.sequence import task_of
from pbem.games.africa1860.shock import Attack, assault_odds

BARE = (
    "spain OF Ros 1/1 at B",
    "spain IR Leon fire 2 assault 1 steps 4 morale 4 at B",
    "morocco NZ Nizam fire 0 assault 2 steps 4 morale 4 at C",
)
FULL = (
    "spain OF Prim 3/3 at B",
    "spain IR Cordoba fire 3 assault 3 steps 4 morale 5 at B",
    "spain IL Vergara fire 3 assault 2 steps 3 morale 5 at B",
    "spain ART Bateria fire 3 assault 0 steps 2 morale 4 at B",
    "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at C",
    "morocco IL Kabila fire 2 assault 1 steps 3 morale 3 at C",
    "morocco OF Muley 2/2 at C",
)

EXACT = Reckoning(Fraction(1))


def position(units):
    return RULE_CASES.state({}, {"phase": "spain", "units": list(units)}).change(used=("B",))


def order(*units, leader, **more):
    return Assault(1, "ASSAULT", "C", units, leader, **more)


def test_faces_count_every_order_of_the_dice():
    assert faces(2, 2) == (((1, 1), 1), ((1, 2), 2), ((2, 2), 1))
    assert sum(ways for _, ways in faces(3, 6)) == 6**3
    assert dict(faces(3, 6))[1, 2, 3] == 6


def test_a_bare_shock_is_as_counted_by_hand():
    # 1+1+die against 2+die: the attacker needs the higher die, 15 of 36. D = 2 for both.
    # He wins by 1..5 in 5, 4, 3, 2, 1 ways: the enemy loses 3, 4, 4, 4, 4 and he 2, 3, 3, 4, 4.
    # He does not by 0..5 in 6, 5, 4, 3, 2, 1 ways: he loses 2, 3, 4, 4, 4, 4 and the enemy 2, 2, 3, 3, 4, 4.
    odds = assault_odds(GAME.rules, position(BARE), Attack(order("Leon", leader="Ros"), "B"), Doctrine({}), EXACT)
    assert odds.win == Fraction(15, 36)
    # By 4 and 5, in 3 ways, Leon falls too: Ros has the space alone, unless he is lost with a 6.
    assert odds.hold == Fraction(15, 36) - Fraction(3, 36) * Fraction(1, 6)
    assert odds.losses == {"morocco": Fraction(110, 36), "spain": Fraction(110, 36)}


def test_the_checks_after_the_shock_are_as_counted_by_hand():
    # Ros goes back in 21 of 36 and fails with a 6 (4+1); or he wins (15 of 36) and is lost with a 6.
    # Leon goes back alive in 6+5 ways (losing 2 or 3) and fails with a 6 alone: morale 4 + 1.
    # Nizam gives way alive only when beaten by 1 (5 ways), fails with 5 and 6: morale 4.
    odds = assault_odds(GAME.rules, position(BARE), Attack(order("Leon", leader="Ros"), "B"), Doctrine({}), EXACT)
    assert odds.shaken == {
        "Ros": Fraction(1, 6),
        "Leon": Fraction(11, 36) * Fraction(1, 6),
        "Nizam": Fraction(5, 36) * Fraction(2, 6),
    }


def test_floats_and_fractions_agree():
    want = order("Cordoba", "Vergara", leader="Prim", support=(("Bateria",),))
    exact = assault_odds(GAME.rules, position(FULL), Attack(want, "B"), Doctrine({}), EXACT)
    quick = assault_odds(GAME.rules, position(FULL), Attack(want, "B"), Doctrine({}))
    assert quick.hold == pytest.approx(float(exact.hold), abs=1e-12)
    assert quick.win == pytest.approx(float(exact.win), abs=1e-12)
    assert quick.losses == pytest.approx({side: float(mean) for side, mean in exact.losses.items()}, abs=1e-9)
    assert quick.shaken == pytest.approx({unit: float(chance) for unit, chance in exact.shaken.items()}, abs=1e-12)


def played(state, want, plays):
    """How often the space is held after so many plays, and the mean steps that Morocco loses."""
    held = lost = 0
    world = World(state, (task_of(want, "B"),))
    for number in range(plays):
        result = play(GAME.rules, world, DiceStream(hashlib.sha512(b"%d" % number).digest()), Doctrine({}))
        assert isinstance(result, Done)
        held += result.state.holder("C") == "spain"
        losses = [e.data for e in result.events if e.kind == "loses"]
        lost += sum(data["steps"] for data in losses if data["side"] == "morocco")
    return held / plays, lost / plays


PLAYS_OF = [500, pytest.param(2_000, marks=pytest.mark.full), pytest.param(20_000, marks=pytest.mark.long)]


@pytest.mark.parametrize("plays", PLAYS_OF)
def test_some_thousand_plays_come_out_as_the_odds_say(plays):
    state = position(FULL)
    want = order("Cordoba", "Vergara", leader="Prim", support=(("Bateria",),))
    odds = assault_odds(GAME.rules, state, Attack(want, "B"), Doctrine({}))
    held, lost = played(state, want, plays)
    start = sum(unit.steps for unit in state.units.values() if unit.side == "morocco")
    assert abs(held - odds.hold) < 4 * sqrt(odds.hold * (1 - odds.hold) / plays)
    assert abs(lost - odds.losses["morocco"]) < 4 * start / sqrt(plays)


@pytest.mark.parametrize("plays", PLAYS_OF)
def test_a_shock_that_is_won_by_nobody_left_but_a_leader_is_not_the_space_held(plays):
    state, want = (
        position([unit.replace("assault 1 steps 4", "assault 3 steps 2/4") for unit in BARE]),
        order("Leon", leader="Ros"),
    )
    odds = assault_odds(GAME.rules, state, Attack(want, "B"), Doctrine({}), EXACT)
    assert odds.hold < odds.win
    held, _ = played(state, want, plays)
    spread = sqrt(odds.hold * (1 - odds.hold) / plays)
    assert abs(held - odds.hold) < 4 * spread
    assert abs(held - odds.win) > 4 * spread


WALLED = {
    "map": {
        "spaces": ["A clear rear:spain", "B clear", "C clear", "D clear", "E clear rear:morocco"],
        "edges": ["A-B open", "A-D open", "B-C open", "D-C parapet", "C-E open"],
    }
}
ATTACK = "FROM B ASSAULT C WITH Leon LED BY Ros SUPPORT {}"


def walled(space, errata=LAST_ERRATUM_DATE, more=()):
    gun = f"spain ART Bateria fire 4 assault 0 steps 4 morale 4 at {space}"
    return RULE_CASES.state(WALLED, {"phase": "spain", "units": [*BARE, gun, *more], "errata": errata})


def weighed(state):
    reading = FORECAST.attack(ATTACK.format("Bateria"), state, "spain")
    return [wrong.rule for wrong in reading.rejected], [dict(warned.why.args)["units"] for warned in reading.warned]


def test_a_joint_line_is_weighed_without_the_units_that_only_the_other_brings():
    own = {"screen": "NONE", "vanguard": "Cordoba", "losses": ("Cordoba",)}
    both = {"losses": ("Leon", "Cordoba"), "detach": ("Rey",)}
    assert split_joint_lines([order("Cordoba", leader="Prim", joint="ros", **own)]) == (
        order("Cordoba", leader="Prim", **own),
    )
    for named in ({"vanguard": "Leon"}, {"screen": "Leon"}):
        (left,) = split_joint_lines([order("Cordoba", leader="Prim", joint="ros", **both, **named)])
        assert left == order("Cordoba", leader="Prim", losses=("Cordoba",))


def test_guns_beside_the_target_are_weighed_where_they_stand():
    worth = {}
    for space in "BDA":
        state = walled(space)
        assert weighed(state) == ([], [("Bateria",)] if space == "A" else [])
        attack = ATTACK.format("Bateria")
        worth[space] = FORECAST.attack_odds(attack, state, "spain", OddsLimits(StepBudget(100_000))).said
    # From D a coin is lost over the parapet; one that is in A is taken to come to B.
    assert worth["D"] != worth["B"] == worth["A"]
    assert weighed(walled("D", errata="")) == ([], [("Bateria",)])


def test_a_group_of_two_spaces_is_refused_when_it_is_weighed_too():
    state = walled("D", more=("spain ART Montana fire 2 assault 0 steps 2 morale 4 at B",))
    reading = FORECAST.attack(ATTACK.format("Bateria+Montana"), state, "spain")
    assert [wrong.rule for wrong in reading.rejected] == ["O7.1.3"]
    assert FORECAST.attack(ATTACK.format("Bateria, Montana"), state, "spain").rejected == ()


def refused(attack, state, seat, begun=False):
    return [(wrong.rule, wrong.word) for wrong in FORECAST.attack(attack, state, seat, begun).rejected]


def marked(state, **flags):
    return state.with_units({"Bujari": state.units["Bujari"]._replace(at="Loma", **flags)})


CHARGE = "CHARGE Bujari AT Nudos"


def test_who_has_acted_or_reacted_is_not_weighed_as_if_he_were_fresh():
    state = GAME.start(GAME.edition("castillejos", {}, {})).change(phase="morocco")
    state = state.with_units({"Caid": state.units["Caid"].gone_to("Loma")})
    assert refused(CHARGE, marked(state), "morocco") == []
    assert refused(CHARGE, marked(state, activated=True), "morocco") == [("O5", "Bujari")]
    # What he did in the phase before says nothing against him now (O1); what he did in this one does (R3).
    assert refused(CHARGE, marked(state, acted=True), "morocco") == []
    assert refused(CHARGE, marked(state, acted=True), "morocco", begun=True) == [("R3", "Bujari")]
    assert refused(CHARGE, marked(state).change(used=("Loma",)), "morocco", begun=True) == [("R2", "Loma")]


def test_the_markers_of_this_turn_are_off_by_the_next_phase_of_spain():
    state = GAME.start(GAME.edition("castillejos", {}, {})).change(phase="morocco")
    spent = state.units["Cuenca"]._replace(acted=True, activated=True)
    attack = "ASSAULT Cresta WITH Cuenca LED BY Orozco"
    assert refused(attack, state.with_units({"Cuenca": spent}), "spain") == []


def test_a_space_that_morocco_may_not_activate_is_not_attacked_from():
    state = GAME.start(GAME.edition("castillejos", {}, {})).change(phase="morocco")
    assert refused(CHARGE, marked(state), "morocco") == [("O5", "Loma")]


def test_what_is_played_comes_out_about_right_and_always_the_same():
    want = Attack(order("Cordoba", "Vergara", leader="Prim", support=(("Bateria",),)), "B")
    exact = assault_odds(GAME.rules, position(FULL), want, Doctrine({}))
    played = assault_odds(GAME.rules, position(FULL), want, Doctrine({}), Reckoning(plays=PLAYS))
    assert played == assault_odds(GAME.rules, position(FULL), want, Doctrine({}), Reckoning(plays=PLAYS))
    assert played != exact
    assert played.win == pytest.approx(exact.win, abs=0.05)
    assert played.losses == pytest.approx(exact.losses, abs=0.3)
    assert played.win * PLAYS == pytest.approx(round(played.win * PLAYS))


CROWDED = (
    *FULL,
    "spain IL Simancas fire 3 assault 2 steps 3 morale 5 at B",
    "spain ART Montana fire 3 assault 0 steps 3 morale 4 at B",
    "morocco IL Rif fire 2 assault 2 steps 3 morale 4 at C",
    "morocco CAB Bujari fire 2 assault 3 steps 3 morale 4 at C",
    "morocco CAB Jinetes fire 2 assault 2 steps 3 morale 3 at C",
    "morocco ART Bronces fire 3 assault 0 steps 3 morale 3 at C",
)


CROWD = "FROM B ASSAULT C WITH Cordoba, Simancas, Vergara LED BY Prim SUPPORT Bateria+Montana"


def worth_of_the_crowd(steps):
    return FORECAST.attack_odds(CROWD, position(CROWDED), "spain", OddsLimits(StepBudget(steps)))


@pytest.mark.full
def test_what_is_too_much_for_a_question_is_played():
    about, short = worth_of_the_crowd(40_000), worth_of_the_crowd(5_000)
    assert (about.played, short.played) == (PLAYS, 0)
    assert (about.left, short.left) == ((), (CROWD,))
    assert won(about) == "B>C: wins the shock about 65 %, holds C about 58 %"


@pytest.mark.full
def test_what_is_not_too_much_is_counted():
    exact = worth_of_the_crowd(10**6)
    assert (exact.played, exact.left) == (0, ())
    assert won(exact) == "B>C: wins the shock 69 %, holds C 61 %"


def won(worth):
    return plain_english(worth.said[0][1]).partition(";")[0]
