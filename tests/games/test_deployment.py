"""K6 in both games: deployments at random break no law, forms can be sent as they stand, zones fit the map."""

import random
from dataclasses import replace

import pytest

from pbem.engine.bots import seeded_pick
from pbem.engine.data.sources import SourceError
from pbem.engine.deployment import DEPLOYMENT_PHASE, check_zones
from pbem.engine.game import AnyGame
from pbem.engine.run.runners import play
from pbem.engine.terms import Orders
from pbem.engine.testing.laws import Lab, SeededDice
from pbem.games.africa1860 import GAME as AFRICA
from pbem.games.peninsular import GAME as PENINSULAR
from pbem.games.peninsular.edition import alliance_of
from tests.fuzz.__main__ import find_laws

PLAYED: list[tuple[AnyGame, str]] = [
    (AFRICA, "castillejos"),
    (AFRICA, "tetuan"),
    (AFRICA, "wadras"),
    (PENINSULAR, "barrosa"),
    (PENINSULAR, "rolica"),
]
BY_SCENARIO = pytest.mark.parametrize(
    ("game", "scenario"), PLAYED, ids=lambda game_named: getattr(game_named, "name", game_named)
)


def deploying(game, scenario, **options):
    edition = game.edition(scenario, {"deploy": "on", **options}, {})
    return edition, game.start(edition)


def written(game, state, seat, seed):
    return game.bots["random"](game.view(state, seat), seat, seeded_pick(f"{seat} {seed}".encode()))


@pytest.mark.parametrize("seeds", [4, pytest.param(12, marks=pytest.mark.full)])
@BY_SCENARIO
def test_whatever_is_deployed_breaks_no_law_and_turn_1_follows(game, scenario, seeds):
    edition, start = deploying(game, scenario)
    moved = 0
    for seed in range(seeds):
        lab = Lab(find_laws(game.name), edition, random.Random(seed))
        orders = {seat: lab.read(start, seat, written(game, start, seat, seed), True) for seat in game.seats(start)}
        done = lab.resolve(start, orders, b"d" * 64)
        after = done.states[-1]
        assert game.phase(after) == (game.phase(game.start(game.edition(scenario, {}, {}))))
        assert (done.rolls, done.windows, game.invariants(after), after.deployed) == (0, 0, (), ())
        moved += sum(unit.at != after.units[i].at for i, unit in start.units.items())
    assert moved > 2 * seeds


@BY_SCENARIO
def test_the_form_says_where_everybody_stands_and_can_be_sent_as_it_is(game, scenario):
    _, start = deploying(game, scenario)
    for seat, language in zip(game.seats(start), ("en", "es"), strict=True):
        view = game.view(start, seat)
        form = game.aids.template(view, seat, language)
        lines = [line.removeprefix("# ") for line in form if not line.startswith("##")]
        read = game.parse("\n".join(lines), view, seat)
        assert (read.rejected, game.check(view, seat, read.orders)) == ((), ())
        stand = {i: start.units[i].at for zone in start.edition.zones for i in zone.units}
        put = {unit: action.to for action in read.orders.actions for unit in action.units}
        assert put == {i: zone for i, zone in stand.items() if i in put}
        assert len(put) == sum(i in stand for i in put) > 5
        if language == "en":
            assert [offer.text for offer in game.aids.offers(view, seat)] == lines


@BY_SCENARIO
def test_each_unit_may_be_put_where_the_desk_and_moves_offer_it(game, scenario):
    _, start = deploying(game, scenario)
    seat = next(iter(game.seats(start)))
    choices = game.aids.choices(start, seat)
    assert choices.verbs[0].verb == "DEPLOY"
    assert choices.offers
    for unit, verbs in choices.offers.items():
        for place in verbs["DEPLOY"]:
            read = game.parse(choices.verbs[0].lines[""].format(units=unit, to=place), start, seat)
            assert (read.rejected, game.check(start, seat, read.orders)) == ((), ())


@BY_SCENARIO
def test_without_the_option_a_scenario_is_what_it_was_before_it_had_zones(game, scenario):
    plain = game.edition(scenario, {}, {})
    assert "deployment" not in plain.scenario
    assert "deploy" not in plain.stored_options()
    assert plain.digest == game.edition(scenario, {"deploy": "off"}, {}).digest
    on = game.edition(scenario, {"deploy": "on"}, {})
    assert on.digest != plain.digest
    assert game.edition_from_json(on.to_json()).digest == on.digest
    start = game.start(plain)
    assert (game.phase(start)[1], game.together(start), len(game.active(start))) == (1, False, 1)


def test_there_is_nothing_to_deploy_where_a_scenario_names_no_zones():
    with pytest.raises(ValueError, match="names no zones"):
        AFRICA.edition("drill", {"deploy": "on"}, {})
    with pytest.raises(ValueError, match="unknown option 'fog'; there are deploy, commands"):
        PENINSULAR.edition("barrosa", {"fog": "on"}, {})
    with pytest.raises(ValueError, match="deploy is one of off, on, not 'maybe'"):
        PENINSULAR.edition("barrosa", {"deploy": "maybe"}, {})


def test_both_sides_are_active_and_bots_may_leave_all_as_it_is():
    for game, scenario in PLAYED:
        _, start = deploying(game, scenario)
        assert game.phase(start) == (DEPLOYMENT_PHASE, 0)
        assert game.active(start) == tuple(game.seats(start))
        assert game.together(start)
        for name, bot in game.bots.items():
            for seat in game.active(start):
                read = game.parse(bot(game.view(start, seat), seat, seeded_pick(b"x")), game.view(start, seat), seat)
                assert (name, read.rejected) == (name, ())
                assert (name, game.check(game.view(start, seat), seat, Orders(read.orders.actions))) == (name, ())


STAND = {"Leon": ("british", "0101"), "Rey": ("spanish", "0102"), "Ney": ("french", "0105")}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"zone": []}], "has a zone, which is a list of places"),
        ([{"zone": ["0101"], "side": "british"}], "has a zone, which is a list of places"),
        ([{"zone": ["0199"]}], "'0199' is no place of the map"),
        ([{"zone": ["0101"], "units": ["Cid"]}], "'Cid' is no unit at the start"),
        ([{"zone": ["0103"]}], "units of one side, and has at least one"),
        ([{"zone": ["0101", "0105"]}], "units of one side, and has at least one"),
        ([{"zone": ["0101"]}, {"zone": ["0103"], "units": ["Leon"]}], "Leon is in two zones"),
        ([{"zone": ["0101", "0103"]}, {"zone": ["0105", "0103"]}], "0103 is in zones of both sides"),
        ([{"zone": ["0101", "0105"], "units": ["Leon"]}], "Ney stands in a zone of the enemy"),
    ],
)
def test_zones_are_held_against_map_and_units(rows, why):
    text = 'units = []\ndeployment = [\n  { zone = ["0101"] },\n]\n'
    units = [f"{side} inf {ident} at {zone}" for ident, (side, zone) in STAND.items()]
    data = {"units": units, "deployment": rows}
    with pytest.raises(SourceError, match=why):
        check_zones(data, STAND, ("0101", "0102", "0103", "0105"), alliance_of, (text, "x.toml"))


def test_friends_may_share_a_zone():
    units = [f"{side} inf {ident} at {zone}" for ident, (side, zone) in STAND.items()]
    data = {"units": units, "deployment": [{"zone": ["0101", "0102"]}, {"zone": ["0105"]}]}
    check_zones(data, STAND, ("0101", "0102", "0105"), alliance_of, ("", "x.toml"))


def test_two_seats_of_a_side_deploy_one_after_the_other_and_both_hear_what_cannot_be():
    edition, _ = deploying(AFRICA, "castillejos")
    seats = {"prim": "spain", "zabala": "spain", "morocco": "morocco"}
    start = AFRICA.start(replace(edition, scenario={**edition.scenario, "seats": seats}))
    assert AFRICA.active(start) == ("prim", "zabala", "morocco")
    texts = {"prim": "DEPLOY Prim TO Nudos", "zabala": "DEPLOY Prim, Luchana TO Tarajal\nDEPLOY Luchana TO Nudos"}
    orders = {seat: AFRICA.parse(text, start, seat).orders for seat, text in texts.items()}
    assert all(AFRICA.check(start, seat, given) == () for seat, given in orders.items() if seat == "prim")
    done = play(AFRICA.rules, AFRICA.world(start, orders), SeededDice(b"d" * 64), AFRICA.decisions(start, orders, {}))
    assert {i: done.state.units[i].at for i in ("Prim", "Luchana")} == {"Prim": "Nudos", "Luchana": "Nudos"}
    (refused,) = [event for event in done.events if event.kind == "not carried out"]
    assert (refused.data["order"], refused.cite) == ("DEPLOY Luchana, Prim TO Tarajal", "K6")
    assert refused.seen_by == ("prim", "zabala")
