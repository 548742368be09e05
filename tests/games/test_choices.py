"""What units may choose from, in positions that bots came to: written by its patterns it is canonical, and legal."""

from collections import Counter
from itertools import islice

import pytest

from pbem.engine.data.messages import plain_english
from pbem.games.africa1860 import GAME as AFRICA
from pbem.games.peninsular import GAME as PENINSULAR
from pbem.games.peninsular.edition import alliance_of
from tests.games.africa1860.test_fog import pairs
from tests.games.blocks import Table, acts, block
from tests.games.forms import moments

AFRICAN = {"MOVE", "ASSAULT", "CHARGE", "FIRE", "CARACOLE", "RETIRE"}
AFRICAN |= {"VANGUARD", "SCREEN", "SUPPORT", "LOSSES", "DETACH", "VIA", "BACK TO", "joined", "several"}
PENINSULAN = {"ORDER", "MOVE", "ASSAULT", "CHARGE", "FIRE", "FORM", "FACE", "LIMBER", "UNLIMBER", "after", "several"}


def table_of(moment):
    choices = moment.game.aids.choices(moment.view, moment.seat, moment.begun)
    scene = moment.game.pictured.picture(moment.view, moment.seat, ())
    chiefs = frozenset(piece.id for piece in scene.pieces if piece.branch == "leader")
    return Table(choices, {ident: unit.at for ident, unit in moment.view.units.items()}, chiefs)


def traits(act):
    """The verb, the clauses, and what else there is to an act."""
    more = {"after": act.before, "joined": act.joined, "several": len(act.clauses) > 1 or len(act.units) > 1}
    return (act.verb.verb, *act.clauses, *(trait for trait, has in more.items() if has))


def hold(moment, most):
    """Hold acts of a position, at most so many alike, against the reading and the rules; count them by their traits."""
    table = table_of(moment)
    alike: Counter[tuple[str, ...]] = Counter()
    counts: Counter[str] = Counter()
    for act in acts(table):
        alike[traits(act)] += 1
        if alike[traits(act)] > most:
            continue
        orders_text = block(table, act)
        read = moment.game.parse(orders_text, moment.view, moment.seat)
        assert read.rejected == (), orders_text
        assert moment.game.canon(read.orders) == orders_text
        assert moment.game.check(moment.view, moment.seat, read.orders, moment.begun) == (), orders_text
        spanish = moment.game.parse(moment.game.telling.spoken(orders_text, "es"), moment.view, moment.seat)
        assert moment.game.canon(spanish.orders) == orders_text
        counts.update(traits(act))
    return counts


def held(name, positions, apart, most=10**6):
    """The traits of acts in so many positions of bots' games, each so far from the one before."""
    counts: Counter[str] = Counter()
    for moment in islice(moments(name, iter(range(1000))), 0, positions * apart, apart):
        counts += hold(moment, most)
    return {*counts}


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


def offered_moves(moment, place):
    """What MOVES tells of a place: by unit and verb where to."""
    lines = moment.game.aids.moves(moment.view, moment.seat, place, moment.begun)
    pairs = ((plain_english(line).replace(":", "").split(), dict(line.args)) for line in lines)
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
    for moment in islice(moments(game, iter(range(9))), 10, 60, apart):
        choices, stands, _ = table_of(moment)
        moves_told = {place: offered_moves(moment, place) for place in {stands[unit] for unit in choices.offers}}
        for unit, offers in choices.offers.items():
            more = choices.helps.get(unit, {})
            for verb in verbs & {*offers}:
                held += 1
                assert {*moves_told[stands[unit]][unit, verb]} == {*offers[verb], *more.get(verb, ())}
    assert held


@pytest.mark.parametrize("seeds", [10, pytest.param(30, marks=pytest.mark.full)])
def test_what_fog_hides_changes_nothing_to_choose_from(seeds):
    for seat, position, twin, _ in pairs(seeds):
        gone = twin.change(units={i: u for i, u in twin.units.items() if i in AFRICA.view(twin, seat).units})
        choices_here, *others = (
            AFRICA.aids.choices(AFRICA.view(state, seat), seat) for state in (position, twin, gone)
        )
        assert choices_here.offers
        assert all(choices_here == other for other in others)


@pytest.mark.parametrize("apart", [8, pytest.param(4, marks=pytest.mark.full)])
def test_nor_do_the_orders_of_enemy_divisions(apart):
    count_found = 0
    for moment in islice(moments("peninsular", iter(range(9))), 0, 24, apart):
        ours = alliance_of(moment.state.edition.seats[moment.seat])
        divisions = {
            name: division if alliance_of(division.side) == ours else division._replace(order="HOLD", pending="ATTACK")
            for name, division in moment.state.divisions.items()
        }
        twin = moment.state.change(divisions=divisions, uses={"other": 3})
        count_found += divisions != moment.state.divisions
        assert PENINSULAR.aids.choices(PENINSULAR.view(twin, moment.seat), moment.seat) == table_of(moment).choices
    assert count_found
