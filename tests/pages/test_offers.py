"""Every order that the desk offers, with every word on how, in positions that bots came to: written as the rules write
it, and legal."""

import json
from collections import Counter
from itertools import islice

import pytest

from tests.games.forms import moments
from tests.pages.desks import Reader, desk_of, written

pytestmark = pytest.mark.full

AFRICAN = {"MOVE", "ASSAULT", "CHARGE", "FIRE", "CARACOLE", "RETIRE", "leader", "joined"}
AFRICAN |= {"VANGUARD", "SCREEN", "SUPPORT", "LOSSES", "DETACH", "VIA", "BACK TO"}
PENINSULAN = {"ORDER", "MOVE", "ASSAULT", "CHARGE", "FIRE", "FORM", "FACE", "LIMBER", "UNLIMBER", "leader", "after"}
GAMES = [("africa1860", 10, 29, AFRICAN), ("peninsular", 10, 9, PENINSULAN)]

BLOCKS = """async ([data, most]) => {
  await begin(data);
  const block = (act, tongue) => {
    desk.groups = [];
    language = tongue;
    for (const one of [...act.before, act]) addOrder(orderOf(one.line, one.head, one.who, one.to, one.hostile));
    return blockText();
  };
  const alike = new Map();
  const found = [];
  const keep = (act, traits, kind) => {
    const key = [kind, ...traits].join();
    alike.set(key, (alike.get(key) ?? 0) + 1);
    if (alike.get(key) <= most) found.push([kind, traits, block(act, "en"), block(act, "es")]);
  };
  const hows = function* (act) {
    const said = (parts) => ({ ...act, parts, line: lineOf(parts) });
    const field = (parts, name) => fieldsOf(parts).find((one) => one.name === name);
    if (!act.parts) return;
    const all = ownParts(act.parts);
    for (const { name, may, many } of fieldsOf(act.parts)) {
      const picks = many === "one" || many === "flag" || may.length < 2 ? [] : [may, [...may].reverse()];
      for (const names of [...may.map((one) => [one]), ...picks]) {
        const parts = ownParts(act.parts);
        field(parts, name).set(names);
        yield [said(parts), [name]];
      }
      field(all, name)?.set(field(all, name).may.slice(-1));
    }
    yield [said(all), fieldsOf(all).filter((one) => one.now.length).map((one) => one.name)];
  };
  const each = (acts, kind) => acts.forEach((act) => {
    const traits = [act.verb?.verb ?? act.parts?.verb.verb ?? "line", ...(act.before.length ? ["after"] : [])];
    keep(act, traits, kind);
    for (const [how, more] of hows(act)) keep(how, [...traits, ...more], kind);
  });
  const own = desk.units.filter((unit) => unit.own).map((unit) => unit.id);
  const stacks = [...new Set(own.map(placeOf))].map(ownIn).filter((ids) => ids.length > 1);
  const pairs = stacks.flatMap((ids) => ids.map((id, at) => [id, ids[(at + 1) % ids.length]]));
  each(own.flatMap((id) => [...actsOf([id]), ...helpedActs([id])]), "alone");
  each(desk.wholes.map((whole) => ({ ...whole, before: [], parts: partsFrom(whole.line.en) })), "alone");
  each([...stacks, ...pairs].flatMap(actsOf), "together");
  return found;
}"""


def body(block):
    return "".join(line + "\n" for line in block.rstrip("\n").split("\n")[1:-1])


def hold(tab, moment, most):
    """Hold the orders of a position, at most so many alike, against reading and rules.

    Counts what they are made of, orders of several units, and how many of these the rules refuse: each alone is legal.
    """
    counts: Counter[str] = Counter()
    together = refused = 0
    data = desk_of(moment.game.name, moment.state, moment.seat, begun=moment.begun)
    for kind, traits, english, spanish in tab.evaluate(BLOCKS, [json.loads(json.dumps(data)), most]):
        read = moment.game.parse(body(english), moment.view, moment.seat)
        assert read.rejected == (), english
        assert moment.game.canon(read.orders) == body(english)
        assert moment.game.canon(moment.game.parse(body(spanish), moment.view, moment.seat).orders) == body(english)
        against = moment.game.check(moment.view, moment.seat, read.orders, moment.begun)
        assert not against or kind == "together", (english, against)
        together, refused = together + (kind == "together"), refused + bool(against)
        counts.update(traits)
    return counts, together, refused


def held(tab, game, positions, apart, most):
    """What the orders of so many positions are made of, each so many from the one before."""
    all_found: Counter[str] = Counter()
    all_together = all_refused = 0
    for moment in islice(moments(game, iter(range(1000))), 0, positions * apart, apart):
        counts, together, refused = hold(tab, moment, most)
        all_found += counts
        all_together, all_refused = all_together + together, all_refused + refused
    assert all_refused <= all_together / 4
    return {*all_found}


@pytest.fixture
def tab(browser, tmp_path):
    reader = Reader(browser, written(tmp_path, None))
    yield reader.tab
    reader.close()


@pytest.mark.parametrize(("game", "positions", "apart", "kinds"), GAMES)
def test_every_kind_of_order_is_canonical_and_legal(tab, game, positions, apart, kinds):
    assert held(tab, game, positions, apart, 3) >= kinds


@pytest.mark.long
@pytest.mark.parametrize(("game", "apart", "kinds"), [("africa1860", 7, AFRICAN), ("peninsular", 5, PENINSULAN)])
def test_every_order_of_fifty_positions(tab, game, apart, kinds):
    assert held(tab, game, 50, apart, 10**6) >= kinds
