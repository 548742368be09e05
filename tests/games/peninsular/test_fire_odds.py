"""What a FIRE does: the odds that are told, held against every face of its dice."""

import itertools

import pytest

from pbem.engine.cases import ScriptedDice
from pbem.engine.data.messages import plain_english
from pbem.engine.parts import OddsLimits
from pbem.engine.run.odds import StepBudget
from pbem.engine.run.runners import play
from pbem.engine.terms import Orders
from pbem.games.peninsular import GAME
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.fire import fire_odds
from pbem.games.peninsular.forecast import FORECAST
from pbem.games.peninsular.orders import Fire
from pbem.games.peninsular.scenario import RULE_CASES
from tests.games.peninsular.test_turns import start

FOE = "french inf F pf 6 will C facing S at 0504"
FIRERS = [
    "british inf A pf 10 will B facing N at 0505",
    "british inf A pf 5 will D formation skirmish at 0505",
    "british art A pf 2 fire 10 will C facing N at 0505",
]


@pytest.mark.parametrize("firer", FIRERS)
def test_the_odds_are_those_of_all_faces(firer):
    state = start(firer, FOE)
    odds = fire_odds(GAME.rules, state, Fire(1, ("A",), "0504"), Doctrine({}))
    ends = []
    given = {"british": GAME.parse("FIRE A AT 0504", state, "british").orders}
    for shot, morale in itertools.product(range(1, 7), repeat=2):
        dice = ScriptedDice((f"fire A > F: {shot}", f"morale F: {morale}"), RULE_CASES.coins)
        done = play(GAME.rules, GAME.world(state, given), dice, GAME.decisions(state, given, {}))
        ends.append(done.state.units.get("F"))
    lost = [6 - (now.pf if now else 0) for now in ends]
    assert odds.lost == pytest.approx(sum(lost) / 36)
    assert odds.chances["disordered"] == pytest.approx(sum(now is not None and now.state == "D" for now in ends) / 36)
    assert odds.chances["driven back"] == pytest.approx(sum(now is not None and now.at != "0504" for now in ends) / 36)
    assert 0 < odds.nothing < 1


def sentences_of(worth):
    return [plain_english(sentence) for _, sentence in worth.said]


def test_verify_and_receipts_tell_what_fire_does():
    state = start(FIRERS[0], FOE)
    orders = GAME.parse("FIRE A AT 0504", state, "british").orders
    lines = sentences_of(FORECAST.odds(state, "british", orders, StepBudget(10_000)))
    assert lines[0].startswith("Fire at 0504, points: A 10; PF that the enemy loses on average: ")
    assert "without effect" in lines[0]
    assert lines[1].startswith("of who stands there, one or more (these overlap): ")


def test_odds_of_a_fire_can_be_asked_for_as_if_from_elsewhere():
    state = start("british inf A pf 10 will B facing N at 0509", FOE)
    text = "FROM 0505 FIRE A AT 0504"
    assert FORECAST.attack(text, state, "british").rejected == ()
    by = OddsLimits(StepBudget(10_000), (), False)
    assert sentences_of(FORECAST.attack_odds(text, state, "british", by))[0].startswith("Fire at 0504, points: A 10")
    refused = FORECAST.attack("FROM 0507 FIRE A AT 0504", state, "british").rejected
    assert [plain_english(bad.why) for bad in refused] == [
        "0504 is out of range of A: it is 3 hexes away, and the range is 1"
    ]


def test_fire_that_could_not_be_given_as_things_stand_says_why_and_has_no_odds():
    state = start("british inf A pf 5 will B facing N at 0505", "french inf F pf 6 will C facing S at 0801")
    orders = Orders((Fire(1, ("A",), "0801"),))
    assert sentences_of(FORECAST.odds(state, "british", orders, StepBudget(10_000))) == [
        "Fire at 0801: no odds as things stand (0801 is out of range of A)"
    ]


BARROSA = GAME.start(GAME.edition("barrosa", {}, {}))


def refusals(text, seat="british", state=BARROSA):
    reading = FORECAST.attack(text, state, seat)
    return [plain_english(bad.why) for bad in reading.rejected]


def test_what_is_weighed_from_elsewhere_is_refused_for_that_place_its_room_and_with_a_way_out():
    assert refusals("FROM 1713 ASSAULT 1815 WITH BrowneBn")[0] == "1713 is not next to 1815"
    (shock,) = refusals("FROM 1614 ASSAULT 1715 WITH BrowneBn")
    assert shock == (
        "the orders of BrowneBn forbid a shock: it takes ORDER Dilkes ATTACK. "
        "Send VERIFY with the orders that change this above the attack"
    )
    (room,) = refusals(
        "FROM 1714 ASSAULT 1614 WITH 1/24, 2/24, 1/96",
        "french",
        BARROSA.with_units({"KGL": BARROSA.units["KGL"]._replace(at="1614")}).change(
            phase="french",
            divisions={name: division._replace(order="ATTACK") for name, division in BARROSA.divisions.items()},
        ),
    )
    assert room.startswith("there is no room for 1/24, ")


def test_the_commander_who_stands_with_a_counter_goes_with_it():
    (warned,) = FORECAST.attack("FROM 1516 CHARGE KGL AT 1616", BARROSA, "british").warned
    assert plain_english(warned.why) == "as if KGL, Whittingham were in 1516"
