"""Every order that the desk offers, in positions that bots came to: written as the rules write it, and legal."""

import json

import pytest

from pbem.cli.rulebooks import registry
from tests.pages.desks import Reader, desk_of, written
from tests.pictures.drawn import turns

pytestmark = pytest.mark.integration
GAMES = [("africa1860", "castillejos", {}), ("peninsular", "barrosa", {}), ("africa1860", "castillejos", {"fog": "on"})]

BLOCKS = """async (data) => {
  await begin(data);
  const block = (act, tongue) => {
    desk.groups = [];
    language = tongue;
    addOrder(orderOf(act.line, act.head, act.who, act.to, act.hostile));
    return blockText();
  };
  const both = (act) => [block(act, "en"), block(act, "es")];
  const own = desk.units.filter((unit) => unit.own);
  const alone = own.flatMap((unit) => actsOf([unit.id])).concat(desk.wholes);
  const stacks = [...new Set(own.map((unit) => unit.place))].map(ownIn).filter((ids) => ids.length > 1);
  const together = stacks.flatMap(actsOf);
  return { alone: alone.map(both), together: together.map(both) };
}"""


def body(block):
    return "".join(line + "\n" for line in block.rstrip("\n").split("\n")[1:-1])


def hold(tab, game, state, seat):
    """How many blocks a position has of one unit or of the form, how many of stacks, how many of those are refused."""
    rules = registry(game)
    view, data = rules.view(state, seat), desk_of(game, state, seat)
    found = tab.evaluate(BLOCKS, json.loads(json.dumps(data)))
    refused = 0
    for english, spanish in (*found["alone"], *found["together"]):
        read = rules.parse(body(english), view, seat)
        assert read.rejected == ()
        assert rules.canon(read.orders) == body(english)
        assert rules.canon(rules.parse(body(spanish), view, seat).orders) == body(english)
        against = rules.check(view, seat, read.orders)
        if [english, spanish] in found["alone"]:
            assert against == (), english
        refused += bool(against)
    return len(found["alone"]), len(found["together"]), refused


def positions(game, scenario, options, many):
    """Positions in which some seat is to move, and that seat."""
    rules = registry(game)
    for state, _, _ in turns(rules, scenario, options, many):
        for seat in rules.active(state):
            yield state, seat


@pytest.fixture
def tab(browser, tmp_path):
    reader = Reader(browser, written(tmp_path, None))
    yield reader.tab
    reader.close()


@pytest.mark.parametrize(("game", "scenario", "options"), GAMES)
def test_every_offer_is_canonical_and_legal(tab, game, scenario, options):
    told = [hold(tab, game, state, seat) for state, seat in list(positions(game, scenario, options, 6))[1::2]]
    assert sum(alone for alone, _, _ in told) > 50
    assert sum(refused for *_, refused in told) <= sum(together for _, together, _ in told) / 4


@pytest.mark.long
@pytest.mark.parametrize(("game", "scenario", "options"), GAMES)
def test_every_offer_of_many_positions(tab, game, scenario, options):
    told = [hold(tab, game, state, seat) for state, seat in positions(game, scenario, options, 50)]
    assert len(told) > 10
    assert sum(alone for alone, _, _ in told) > 500
