"""Order forms in positions of bots' games: what is offered may be done, and what may be done is offered."""

import random
import re
from collections import Counter

import pytest

from pbem.engine.orders.wrapped import FORM_WIDTH, BlockReader, fold_form, whole
from pbem.engine.parts import FormTerms
from pbem.engine.run.odds import StepBudget
from pbem.engine.terms import Orders
from pbem.games.africa1860 import form
from pbem.games.africa1860.orders import Activate, Fire
from pbem.games.africa1860.refusals import refuse_action
from pbem.games.peninsular.choices import possible_hexes as whole_hex
from tests.fuzz.__main__ import find_laws
from tests.games.forms import Found, Moment, check_alone, check_named, examine, first_moments, form_of, refused

FEW = {"africa1860": 70, "peninsular": 14}
POSITIONS = {"africa1860": 210, "peninsular": 70}
COUNTS = (
    *FEW.items(),
    *(pytest.param(*position, marks=pytest.mark.full) for position in POSITIONS.items()),
    pytest.param("peninsular", 210, marks=pytest.mark.long),
)
SHARE = {"africa1860": 1.0, "peninsular": 0.5}


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_each_line_of_a_form_alone_and_all_without_conflict_may_be_sent(name, count):
    tally: Counter[str] = Counter()
    for number, index in enumerate(first_moments(name, count)):
        tally += examine(index, random.Random(number), SHARE[name])
    assert tally["alone"] > 10 * count
    assert tally["named"] > 10 * count
    assert tally["together"] > 10 * tally["excluded"] > 0
    # Few are shaken in the first games.
    assert count < 70 or tally["shaken"] > (20 if count > 100 else 2)
    if name == "africa1860":
        assert min(tally["begun"], tally["activated"], tally["fog"]) > count // 7


def some_of(name: str, count: int, many: int) -> tuple[Moment, ...]:
    """About so many of the positions, a fifth of that where there are few."""
    many = many if count >= POSITIONS[name] else many // 5
    return first_moments(name, count)[:: count // many]


def planted(name: str, check) -> str:
    """What is found in a form with a fault planted."""
    for number, index in enumerate(first_moments(name, FEW[name])):
        try:
            check(index, form_of(index, "en"), random.Random(number))
        except Found as error:
            return str(error)
    return ""


def test_an_activation_of_who_may_not_act_is_found(monkeypatch):
    legal = refuse_action

    def blind(state, action, space, lasting_only=False):
        return None if isinstance(action, Activate) else legal(state, action, space, lasting_only)

    monkeypatch.setattr(form, "refuse_action", blind)
    assert "ACTIVATE" in planted("africa1860", check_alone)


def test_shaken_units_in_an_activation_are_found(monkeypatch):
    legal = refuse_action

    def blind(state, action, space, lasting_only=False):
        calm = {ident: unit.with_morale(False) for ident, unit in state.units.items()}
        return legal(state.change(units=calm), action, space, lasting_only)

    monkeypatch.setattr(form, "refuse_action", blind)
    assert "demoralised" in planted("africa1860", check_alone)


def test_a_hex_without_room_is_found(monkeypatch):
    monkeypatch.setattr("pbem.games.peninsular.choices.has_room", lambda state, hex_id, units: True)
    assert "[T3]" in planted("peninsular", check_alone)


@pytest.mark.parametrize("name", FEW)
def test_an_order_that_moves_names_and_the_form_does_not_is_found(monkeypatch, name):
    if name == "africa1860":
        whole_space = form.space_offers

        def without_fire(state, space):
            acting, retiring = whole_space(state, space)
            return tuple(offer for offer in acting if not isinstance(offer.action, Fire)), retiring

        monkeypatch.setattr("pbem.games.africa1860.form.space_offers", without_fire)
    else:
        monkeypatch.setattr(
            "pbem.games.peninsular.form.possible_hexes", lambda *of: () if of[2] == "FIRE" else whole_hex(*of)
        )
    assert "verb='FIRE'" in planted(name, lambda moment, lines, luck: check_named(moment, lines))


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_what_a_form_says_an_attack_wins_is_what_odds_says_of_that_very_order(name, count):
    count_told = begun = 0
    for moment in some_of(name, count, 35):
        lines = moment.game.aids.template(
            moment.view, moment.seat, "en", FormTerms(moment.begun, StepBudget(200_000, each=4_000))
        )
        head = ""
        for line in lines:
            order_text = line.removeprefix("# ")
            head = order_text if order_text.startswith("ACTIVATE") else head
            wins = re.search(r"  # (\d+) %(?:; without support \d+ %)?(, as far as you see)?$", order_text)
            if wins:
                count_told += 1
                begun += moment.begun
                assert weighed(moment, [head, order_text] if head else [order_text]) == wins[1], order_text
                assert bool(wins[2]) is (moment.state.edition.options.get("fog") == "on")
    assert count_told > (20 if count >= POSITIONS[name] else 4)
    assert begun > (5 if count >= POSITIONS[name] else 1) or name == "peninsular"


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_a_form_offers_as_data_what_its_lines_say(name, count):
    for moment in some_of(name, count, 14):
        offers = [offer.text for offer in moment.game.aids.offers(moment.view, moment.seat, FormTerms(moment.begun))]
        assert not any(refused(moment, text.split("\n")) for text in offers)
        shown = {way for line in form_of(moment, "en") for way in line.ways}
        last = {text.split("\n")[-1] for text in offers}
        if name == "peninsular":
            # A form moves a stack by one line and leaves out ways back; the data have each counter and each way.
            more = {way for way in shown - last if not way.startswith("MOVE ") or "," not in way}
            # Divisions share a line: to order what one of them has already changes nothing.
            assert all(way.startswith("ORDER ") and not refused(moment, [way]) for way in more)
        else:
            # Of an assault that guns support the form has one line, the data another without them.
            alone = {way.partition(" SUPPORT ")[0] for way in shown if " SUPPORT " in way}
            assert last == shown | alone


def weighed(moment: Moment, lines: list[str]) -> str:
    """How often an attack wins by the game's own odds."""
    orders = moment.game.parse("\n".join(lines), moment.view, moment.seat).orders
    assert moment.game.forecast is not None
    worth = moment.game.forecast.odds(
        moment.view, moment.seat, Orders(orders.actions), StepBudget(200_000), moment.begun
    )
    gaps = dict(worth.said[0][1].args)
    return str(gaps.get("hold", gaps["win"]))


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_a_form_costs_no_more_than_it_may_and_then_leaves_odds_out(name, count):
    for moment in some_of(name, count, 14):
        poor = moment.game.aids.template(moment.view, moment.seat, "en", FormTerms(moment.begun, StepBudget(0)))
        assert poor == moment.game.aids.template(moment.view, moment.seat, "en", FormTerms(moment.begun))


def test_a_folded_line_is_whole_again_when_its_marks_are_taken_away():
    line = "# ASSAULT Cresta WITH Cuenca, Luchana, Principe, Vergara LED BY Prim SUPPORT Montana1, Rodada5  # 75 %"
    folded = fold_form([line])
    assert folded == [
        "# ASSAULT Cresta WITH Cuenca, Luchana, Principe, Vergara LED BY Prim",
        "#     SUPPORT Montana1, Rodada5  # 75 %",
    ]
    assert fold_form([f"# MOVE {'x' * 56}  # 12 %"]) == [f"# MOVE {'x' * 56}", "##    12 %"]
    assert all(len(part) <= FORM_WIDTH for part in fold_form([f"## {'explained ' * 20}"]))
    moment = start("castillejos", "spain", "africa1860")
    reader = BlockReader(
        moment.game.aids.begins,
        lambda lines: {
            bad.line: bool(bad.suggestions)
            for bad in moment.game.parse("\n".join(lines), moment.view, moment.seat).rejected
        },
    )
    bare = ["ACTIVATE Tarajal", *(part.removeprefix("#").strip() for part in folded)]
    assert whole(bare, reader)[1] == line.removeprefix("# ")


def start(scenario: str, seat: str, name: str) -> Moment:
    game = find_laws(name).game
    return Moment(game, game.start(game.edition(scenario, {}, {})), seat)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("africa1860", "ACTIVATE Nudos\nMOVE Cuenca TO Playa | Tarajal"),
        ("peninsular", "MOVE 2/95 TO 1514 | 1614"),
        ("peninsular", "ORDER Dilkes ATTACK | HOLD"),
    ],
)
def test_alternatives_left_side_by_side_are_told_what_they_are(name, way):
    moment = start("castillejos", "spain", name) if name == "africa1860" else start("barrosa", "british", name)
    assert [bad.why.text for bad in refused(moment, way.split("\n"))] == ["keep only one of the choices separated by |"]
