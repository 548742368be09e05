"""What letters tell of the attacks in an order set, held against the dice; and that a bias would be noticed."""

from collections import Counter
from functools import cache
from itertools import islice

import pytest

from pbem.engine.orders.standing import Stop
from pbem.engine.run.odds import StepBudget
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.forecast import FORECAST, PhaseOrders, odds_in_turn
from pbem.games.africa1860.orders import Activate, Fire
from pbem.games.peninsular import GAME as HEXES
from pbem.games.peninsular.scenario import case_state
from tests.games.odds import Depth, hold
from tests.games.odds_held import plays, wrong_by_plays
from tests.games.odds_sets import KINDS, OrderSet, order_sets
from tests.games.odds_told import africa_course, africa_told

FEW, SOME, MANY = 6, 12, 40
QUICK = Depth(paths=500, plays=150)
DEPTH = Depth(paths=2_000, plays=300)
AT_DEPTH = pytest.param(DEPTH, marks=pytest.mark.full)
COUNTS = (
    (FEW, QUICK),
    pytest.param(SOME, DEPTH, marks=pytest.mark.full),
    pytest.param(MANY, DEPTH, marks=pytest.mark.long),
)


@cache
def first_set(name: str) -> OrderSet:
    return next(order_sets(name))


@pytest.mark.parametrize(("count", "depth"), COUNTS)
@pytest.mark.parametrize("name", ["africa1860", "peninsular"])
def test_odds_of_order_sets_are_what_the_dice_make_of_them(name, count, depth):
    # How many paths a set has depends on the game that it comes from: it goes on until both ways were gone.
    def is_enough(tally: Counter[str]) -> bool:
        both_ways = min(tally["by paths"], tally["by plays"]) >= count // 5
        return both_ways and tally["sets"] >= count and all(tally[kind] for kind in KINDS)

    result = hold(name, islice(order_sets(name), 6 * count), depth, is_enough=is_enough)
    assert result.wrong == []
    assert abs(result.z) < 4
    assert is_enough(result.tally)


def without(order_set: OrderSet, kind: type) -> OrderSet:
    """The set without its orders of a kind."""
    kept = [
        action._replace(actions=tuple(each for each in action.actions if not isinstance(each, kind)))
        if isinstance(action, Activate)
        else action
        for action in order_set.orders.actions
        if not isinstance(action, kind)
    ]
    return order_set._replace(orders=order_set.orders._replace(actions=tuple(kept)))


def noticed(chosen: list[OrderSet], kind: type, depth: Depth = DEPTH) -> list[str]:
    """What is found wrong where orders of a kind are left out of what is told; nothing is where they are not."""
    assert hold("africa1860", chosen, depth).wrong == []
    return hold("africa1860", chosen, depth, lambda order_set: without(order_set, kind)).wrong


@pytest.mark.full
@pytest.mark.parametrize("count", [SOME // 2, pytest.param(MANY // 2, marks=pytest.mark.long)])
def test_fire_that_is_left_out_is_noticed(count):
    with_fire = (order_set for order_set in order_sets("africa1860", 300) if without(order_set, Fire) != order_set)
    chosen = [*islice(with_fire, count)]
    assert len(noticed(chosen, Fire)) > 1


@pytest.mark.parametrize("depth", [QUICK, AT_DEPTH])
def test_a_stop_that_is_left_out_is_noticed(depth):
    assert len(noticed([asked(ASKED.format(line)) for line in CONDITIONS], Stop, depth)) == len(CONDITIONS)


@pytest.mark.parametrize("depth", [QUICK, AT_DEPTH])
def test_fire_that_is_left_out_is_noticed_on_hexes(depth):
    def bare(order_set: OrderSet) -> OrderSet:
        rest = [action for action in order_set.orders.actions if type(action).__name__ != "Fire"]
        return order_set._replace(orders=order_set.orders._replace(actions=tuple(rest)))

    units = [f"british inf A{column} pf 6 will A facing N at 0{column}06" for column in (4, 6)]
    foes = [f"french inf F{column} pf 5 will D facing S at 0{column}05" for column in (4, 6)]
    state = case_state({}, {"phase": "british", "units": [*units, *foes], "turns": 9})
    chosen = []
    for column in (4, 6):
        text = f"FIRE A{column} AT 0{column}05\nASSAULT 0{column}05 WITH A{column}\n"
        moment = first_set("peninsular").at._replace(state=state, seat="british", begun=False)
        chosen.append(OrderSet(moment, HEXES.parse(text, state, "british").orders, tuple(text.split("\n")), "fire"))
    assert hold("peninsular", chosen, depth).wrong == []
    assert len(hold("peninsular", chosen, depth, bare).wrong) == len(chosen)


ASKED = """ACTIVATE Nudos
FIRE Montana1+Rodada5 AT Cresta
{}
ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco
"""


CONDITIONS = ("STOP IF ENEMY STEPS AT MOST 23", "STOP IF ENEMY STEPS AT LEAST 24")


@pytest.mark.parametrize("line", CONDITIONS)
def test_a_condition_is_looked_at_behind_the_fire(line):
    order_set = asked(ASKED.format(line))
    figures, whole = africa_told(order_set)
    assert whole
    assert 0.05 < figures[4].share < 0.95
    assert wrong_by_plays(figures, plays(africa_course(order_set), 1000, 1)) == []


def asked(text: str) -> OrderSet:
    """An order set of Spain at the beginning of Castillejos, with both batteries in Nudos."""
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    state = state.with_units({"Rodada5": state.units["Rodada5"].gone_to("Nudos")})
    reading = GAME.parse(text, state, "spain")
    assert not reading.rejected
    moment = first_set("africa1860").at._replace(state=state, seat="spain", begun=False)
    return OrderSet(moment, reading.orders, tuple(text.split("\n")), "fire")


NEVER = """IF ENEMY STEPS AT MOST 0
  ACTIVATE Tarajal
  CHARGE Husares1 AT Cresta
ENDIF
ACTIVATE Nudos
ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco
ACTIVATE Tarajal
CHARGE Husares1, Husares4 AT Loma
"""


@pytest.mark.parametrize(
    "purses", [(0, 1_500, 2_000), pytest.param((0, 500, 1_000, 1_500, 2_000, 100_000), marks=pytest.mark.full)]
)
def test_each_attack_is_told_of_once_whatever_the_purse_does_for(purses):
    orders = asked(NEVER).orders
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    for steps in purses:
        worth = FORECAST.odds(state, "spain", orders, StepBudget(steps))
        told_lines = [line for line, sentence in worth.said if "{where}" in sentence.text]
        assert len(told_lines) + len(worth.left) == 3
        assert len(set(told_lines)) == len(told_lines)
        assert worth.rough is any("not counted" in sentence.text for _, sentence in worth.said)


def test_what_takes_too_long_names_the_lines_that_it_left_out():
    text = ASKED.format("")
    orders = asked(text).orders
    state = asked(text).at.view
    (assault,), whole = odds_in_turn(GAME.rules, PhaseOrders(state, orders), Doctrine({}), StepBudget(100_000))
    assert whole
    alone = StepBudget(100_000)
    FORECAST.odds(state, "spain", GAME.parse(text.replace("FIRE", "# FIRE"), state, "spain").orders, alone)
    worth = FORECAST.odds(state, "spain", orders, StepBudget((100_000 - alone.left) * 3 // 2))
    assert worth.rough
    (left,) = [sentence for _, sentence in worth.said if "not counted" in sentence.text]
    # With ORDERS above them, as the letter shows them.
    assert dict(left.args)["lines"] == (3,)
    assert assault.line == 4
