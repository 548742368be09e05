"""What units may choose from, in positions that bots came to: written by its patterns it is canonical, and legal."""

from collections import Counter
from itertools import islice

import pytest

from pbem.engine.data.messages import plain
from pbem.games.africa1860 import GAME as AFRICA
from pbem.games.peninsular import GAME as PENINSULAR
from pbem.games.peninsular.edition import camp
from tests.games.africa1860.test_fog import pairs
from tests.games.blocks import Table, acts, block
from tests.games.forms import moments

AFRICAN = {"MOVE", "ASSAULT", "CHARGE", "FIRE", "CARACOLE", "RETIRE"}
AFRICAN |= {"VANGUARD", "SCREEN", "SUPPORT", "LOSSES", "DETACH", "VIA", "BACK TO", "joined", "several"}
PENINSULAN = {"ORDER", "MOVE", "ASSAULT", "CHARGE", "FIRE", "FORM", "FACE", "LIMBER", "UNLIMBER", "after", "several"}


def table_of(at):
    choices = at.game.aids.choices(at.view, at.seat, at.begun)
    scene = at.game.pictured.picture(at.view, at.seat, ())
    chiefs = frozenset(piece.id for piece in scene.pieces if piece.branch == "leader")
    return Table(choices, {ident: unit.at for ident, unit in at.view.units.items()}, chiefs)


def traits(act):
    """The verb, the clauses, and what else there is to an act."""
    more = {"after": act.before, "joined": act.joined, "several": len(act.clauses) > 1 or len(act.units) > 1}
    return (act.verb.verb, *act.clauses, *(trait for trait, has in more.items() if has))


def hold(at, most):
    """Hold acts of a position, at most so many alike, against the reading and the rules; count them by their traits."""
    table = table_of(at)
    alike: Counter[tuple[str, ...]] = Counter()
    found: Counter[str] = Counter()
    for act in acts(table):
        alike[traits(act)] += 1
        if alike[traits(act)] > most:
            continue
        said = block(table, act)
        read = at.game.parse(said, at.view, at.seat)
        assert read.rejected == (), said
        assert at.game.canon(read.orders) == said
        assert at.game.check(at.view, at.seat, read.orders, at.begun) == (), said
        spanish = at.game.parse(at.game.telling.spoken(said, "es"), at.view, at.seat)
        assert at.game.canon(spanish.orders) == said
        found.update(traits(act))
    return found


def held(name, positions, apart, most=10**6):
    """The traits of acts in so many positions of bots' games, each so far from the one before."""
    found: Counter[str] = Counter()
    for at in islice(moments(name, iter(range(1000))), 0, positions * apart, apart):
        found += hold(at, most)
    return {*found}


@pytest.mark.full
def test_every_kind_of_act_of_africa_is_canonical_and_legal():
    assert held("africa1860", 25, 11, 4) >= AFRICAN


@pytest.mark.full
def test_every_kind_of_act_of_the_peninsula_is_canonical_and_legal():
    assert held("peninsular", 12, 7, 3) >= PENINSULAN


@pytest.mark.long
@pytest.mark.parametrize(("game", "apart", "kinds"), [("africa1860", 7, AFRICAN), ("peninsular", 5, PENINSULAN)])
def test_every_act_of_fifty_positions(game, apart, kinds):
    assert held(game, 50, apart) >= kinds


def told(at, place):
    """What MOVES tells of a place: by unit and verb where to."""
    lines = at.game.aids.moves(at.view, at.seat, place, at.begun)
    pairs = ((plain(line).replace(":", "").split(), dict(line.args)) for line in lines)
    return {(words[0], words[1]): args.get("spaces", args.get("hexes")) for words, args in pairs if len(words) > 1}


BLOWS = {"FIRE", "ASSAULT", "CHARGE"}
VERBS = {"MOVE", "ASSAULT", "CHARGE", "FIRE", "CARACOLE", "RETIRE", "SUPPORT"}


@pytest.mark.parametrize(
    ("game", "verbs", "apart"),
    [
        ("africa1860", VERBS, 6),
        ("peninsular", BLOWS, 30),
        pytest.param("peninsular", BLOWS, 16, marks=pytest.mark.full),
    ],
)
def test_moves_tells_in_words_what_there_is_to_choose_from(game, verbs, apart):
    held = 0
    for at in islice(moments(game, iter(range(9))), 10, 60, apart):
        choices, stands, _ = table_of(at)
        said = {place: told(at, place) for place in {stands[unit] for unit in choices.offers}}
        for unit, offers in choices.offers.items():
            more = choices.helps.get(unit, {})
            for verb in verbs & {*offers}:
                held += 1
                assert {*said[stands[unit]][unit, verb]} == {*offers[verb], *more.get(verb, ())}
    assert held


@pytest.mark.parametrize("seeds", [10, pytest.param(30, marks=pytest.mark.full)])
def test_what_fog_hides_changes_nothing_to_choose_from(seeds):
    for seat, here, there, _ in pairs(seeds):
        gone = there.change(units={i: u for i, u in there.units.items() if i in AFRICA.view(there, seat).units})
        one, *others = (AFRICA.aids.choices(AFRICA.view(state, seat), seat) for state in (here, there, gone))
        assert one.offers
        assert all(one == other for other in others)


@pytest.mark.parametrize("apart", [8, pytest.param(4, marks=pytest.mark.full)])
def test_nor_do_the_orders_of_enemy_divisions(apart):
    found = 0
    for at in islice(moments("peninsular", iter(range(9))), 0, 24, apart):
        ours = camp(at.state.edition.seats[at.seat])
        told = {
            name: division if camp(division.side) == ours else division._replace(order="HOLD", pending="ATTACK")
            for name, division in at.state.divisions.items()
        }
        twin = at.state.change(divisions=told, uses={"other": 3})
        found += told != at.state.divisions
        assert PENINSULAR.aids.choices(PENINSULAR.view(twin, at.seat), at.seat) == table_of(at).choices
    assert found
