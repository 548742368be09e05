"""ODDS: an assault on a hex weighed exactly, and refused as the order would be."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.engine.map.hexes import front, neighbours
from pbem.engine.run.odds import StepBudget
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.fire import may_fire
from pbem.games.peninsular.forecast import FORECAST
from tests.games.peninsular.test_turns import start

START = GAME.start(GAME.edition("training", {}, {}))
SEAT = next(seat for seat, side in GAME.seats(START).items() if alliance_of(side) == alliance_of(START.phase))


@pytest.fixture
def facing():
    """The first infantry of the side that moves, put before the first of the other; the orders of its assault."""
    own, foe = (
        next(u for u in START.units.values() if u.kind == "inf" and (u.camp == alliance_of(START.phase)) is ours)
        for ours in (True, False)
    )
    for hex_id in neighbours(foe.at):
        for way in ("N", "NE", "SE", "S", "SW", "NW"):
            there = START.change(units={**START.units, own.id: own._replace(at=hex_id, facing=way)})
            text = f"ORDER {own.division} ATTACK\nASSAULT {foe.at} WITH {own.id}"
            reading = GAME.parse(text, there, SEAT)
            if foe.at in front(hex_id, way) and not GAME.check(there, SEAT, reading.orders):
                return there, reading.orders, foe.at
    raise LookupError("nobody can be assaulted")


def test_an_assault_is_weighed_with_what_it_costs(facing):
    state, orders, target = facing
    worth = FORECAST.odds(state, SEAT, orders, StepBudget(1_000))
    (line, sentence), *_ = worth.said
    gaps = dict(sentence.args)
    assert (line, gaps["target"], worth.left) == (2, target, ())
    assert int(gaps["win"]) + int(gaps["loss"]) in (99, 100, 101)
    assert 0 < int(gaps["win"]) < 100


def test_what_takes_too_long_is_named(facing):
    state, orders, target = facing
    worth = FORECAST.odds(state, SEAT, orders, StepBudget(5))
    assert worth.said == ()
    (left,) = worth.left
    assert left.startswith(f"ASSAULT {target} WITH ")


def test_an_assault_that_cannot_be_has_no_odds(facing):
    _, orders, target = facing
    worth = FORECAST.odds(START, SEAT, orders, StepBudget(1_000))
    assert [(line, sentence.text) for line, sentence in worth.said] == [(2, "{target}: no odds as things stand")]
    assert dict(worth.said[0][1].args) == {"target": target}


GUNS = (
    "british inf A pf 4 will C facing N at 0505",
    "british art Guns pf 2 fire 4 facing N at 0505",
    "british cmd Bold morale 0 range 2 at 0505",
    "french inf F pf 4 will B facing S at 0504",
)


def odds_sentences(state, text):
    """What the orders of a letter are told to be worth."""
    reading = GAME.parse(text, state, "british")
    assert reading.rejected == ()
    assert GAME.check(state, "british", reading.orders) == ()
    return [
        plain_english(line) for _, line in FORECAST.odds(state, "british", reading.orders, StepBudget(100_000)).said
    ]


def test_guns_beside_the_attackers_count_in_what_an_assault_is_worth():
    odds_told = odds_sentences(start(*GUNS), "ASSAULT 0504 WITH A")
    alone = odds_sentences(start(GUNS[0], *GUNS[2:]), "ASSAULT 0504 WITH A")
    (lost,) = (line for line in odds_told if line.startswith("out of play after it"))
    assert "Guns" in lost
    assert not any("Guns" in line for line in alone)
    own = [float(lines[0].partition("you ")[2].partition(",")[0]) for lines in (odds_told, alone)]
    chance = int(lost.partition("Guns ")[2].partition(" %")[0]) / 100
    assert own[0] - own[1] == pytest.approx(2 * chance, abs=0.11)


def test_a_commander_beside_the_attackers_counts_too():
    weak = (GUNS[0].replace("pf 4", "pf 1/4"), *GUNS[2:])
    assert any(
        "Bold" in line for line in odds_sentences(start(*weak), "ASSAULT 0504 WITH A") if line.startswith("out of play")
    )


WEAK = (
    "british inf A pf 3 will C facing N at 0505",
    "british inf B pf 4 will C facing N at 0604",
    "british art Guns pf 2 fire 4 facing N at 0506",
    "french inf F pf 20 will B facing S at 0504",
)


def test_an_assault_that_is_too_weak_is_refused_with_the_strengths_and_never_offered():
    state = start(*WEAK)
    (refused,) = GAME.check(state, "british", GAME.parse("ASSAULT 0504 WITH A", state, "british").orders)
    assert (refused.line, refused.word, refused.rule) == (1, "0504", "T6")
    assert plain_english(refused.why) == "3 PF against 20, below 1:4: no shock takes place"
    lone = start(WEAK[0], *WEAK[2:])
    assert not [line for line in GAME.aids.template(lone, "british", "en") if "ASSAULT" in line]
    assert not [line for line in GAME.aids.moves(lone, "british", "0505") if "ASSAULT" in plain_english(line)]
    offered = [line for line in GAME.aids.template(state, "british", "en") if "ASSAULT" in line]
    assert [line.partition("  #")[0] for line in offered] == ["# ASSAULT 0504 WITH A, B LED BY B"]


def test_an_assault_that_fire_may_still_make_possible_is_accepted_and_said_in_words():
    state = start(*WEAK)
    odds_told = odds_sentences(state, "FIRE Guns AT 0504\nASSAULT 0504 WITH A")
    assert odds_told[0] == "0504: as things stand before the fire 3 PF against 20, below 1:4: no shock takes place"


def test_a_commander_alone_is_named_where_nobody_can_be_assaulted_or_fired_at():
    state = start(*WEAK[:3], "french cmd Bold morale 0 range 2 at 0504", "french inf F pf 4 at 1201")
    why = "only a commander stands in 0504, and nobody fights a commander alone"
    (refused,) = GAME.check(state, "british", GAME.parse("ASSAULT 0504 WITH A", state, "british").orders)
    assert plain_english(refused.why) == why
    refusal = may_fire(state, state.units["Guns"], "0504")
    assert refusal is not None
    assert plain_english(refusal.why) == why
    (refused,) = GAME.check(state, "british", GAME.parse("ASSAULT 0405 WITH A", state, "british").orders)
    assert plain_english(refused.why) == "there is no enemy in 0405: to occupy it, MOVE A TO 0405"


def test_an_assault_and_a_charge_on_one_hex_are_weighed_once():
    state = start(
        "british inf A pf 6 will C facing N at 0505",
        "british cav H pf 5 will C size light facing NW at 0604",
        "french inf F pf 6 will C facing S at 0504",
    )
    orders = GAME.parse("ASSAULT 0504 WITH A\nCHARGE 0504 WITH H", state, "british").orders
    worth = FORECAST.odds(state, "british", orders, StepBudget(100_000))
    taken = [line for line, sentence in worth.said if sentence.text.startswith("{target}: taken")]
    assert len(taken) == 1
    assert worth.left == ()
