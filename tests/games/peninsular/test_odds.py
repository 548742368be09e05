"""ODDS: an assault on a hex weighed exactly, and refused as the order would be."""

import pytest

from pbem.core.map.hexes import front, neighbours
from pbem.core.run.odds import Purse
from pbem.games.peninsular import GAME
from pbem.games.peninsular.state import camp

START = GAME.start(GAME.edition("training", {}, {}))
SEAT = next(seat for seat, side in GAME.seats(START).items() if camp(side) == camp(START.phase))


@pytest.fixture
def facing():
    """The first infantry of the side that moves, put before the first of the other; the orders of its assault."""
    own, foe = (
        next(u for u in START.units.values() if u.kind == "inf" and (u.camp == camp(START.phase)) is ours)
        for ours in (True, False)
    )
    for at in neighbours(foe.at):
        for way in ("N", "NE", "SE", "S", "SW", "NW"):
            there = START.change(units={**START.units, own.id: own._replace(at=at, facing=way)})
            text = f"ORDER {own.division} ATTACK\nASSAULT {foe.at} WITH {own.id}"
            reading = GAME.parse(text, there, SEAT)
            if foe.at in front(at, way) and not GAME.check(there, SEAT, reading.orders):
                return there, reading.orders, foe.at
    raise LookupError("nobody can be assaulted")


def test_an_assault_is_weighed_with_what_it_costs(facing):
    state, orders, target = facing
    worth = GAME.forecast.odds(state, SEAT, orders, Purse(1_000))
    (line, said), *_ = worth.said
    told = dict(said.args)
    assert (line, told["target"], worth.left) == (2, target, ())
    assert int(told["win"]) + int(told["loss"]) in (99, 100, 101)
    assert 0 < int(told["win"]) < 100


def test_what_takes_too_long_is_named(facing):
    state, orders, target = facing
    worth = GAME.forecast.odds(state, SEAT, orders, Purse(5))
    assert worth.said == ()
    (left,) = worth.left
    assert left.startswith(f"ASSAULT {target} WITH ")


def test_an_assault_that_cannot_be_has_no_odds(facing):
    _, orders, target = facing
    worth = GAME.forecast.odds(START, SEAT, orders, Purse(1_000))
    assert [(line, said.text) for line, said in worth.said] == [(2, "{target}: no odds as things stand")]
    assert dict(worth.said[0][1].args) == {"target": target}
