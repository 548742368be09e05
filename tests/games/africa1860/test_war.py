"""K0, K1: two battles of this game as legs of a war, played by bots, with a camp between them."""

from dataclasses import replace

import pytest

from benchmarks.battles import play_on
from pbem.engine.data.sources import SourceError
from pbem.engine.run.runners import play
from pbem.engine.war.chain import (
    Changes,
    End,
    Outcome,
    Works,
    chain_from_json,
    chain_to_json,
    changes,
    finish_camp,
    finish_leg,
    leg_of,
    open_war,
    present_verdict,
)
from pbem.engine.war.ledger import AWAY, whole
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.edition import GAME_FILES, Edition
from pbem.games.africa1860.state import State
from pbem.games.africa1860.victory import leads_of, needed_leads, points_by_side
from pbem.games.africa1860.war import WAR_PARTS, leg_outcome, next_leg_edition, read_leg, remaining_units
from pbem.games.camp import GAME as CAMP
from pbem.games.camp.state import camp_edition

FILE = {
    "title": "Two battles",
    "legs": ["tetuan", "wadras"],
    "points": {"spain": 6, "morocco": 6},
    "fleet": {"spain": 2},
    "formations": {
        side: {
            "side": side,
            "sickness": "cholera" if side == "spain" else "harvest",
            "units": sorted(
                {
                    listed.id
                    for name in ("tetuan", "wadras")
                    for listed in read_leg(name).listed
                    if listed.role == "combat" and listed.side == side
                }
            ),
        }
        for side in ("spain", "morocco")
    },
    "successors": {"Prim": "Paredes 1/1"},
    "camps": [
        {
            "entrench": {"side": "morocco", "spaces": ["Lomas", "Amsal"]},
            "roads": {"side": "spain", "edges": ["Samsa-Ladera"]},
        }
    ],
}
NOTHING = Changes({}, frozenset(), {}, {}, {}, (), ())
NOTHING_YET = next_leg_edition(["tetuan", "wadras"], "tetuan", NOTHING, {})


TWO = replace(WAR_PARTS, war=lambda name: (FILE, ""))
"""A war of two battles."""


def ended(game, state, number, bot):
    """The game played on to its end by a bot on both sides; nothing that it orders is refused."""
    for _, done in play_on(game, state, dict.fromkeys(game.seats(state), bot), number, {}):
        state = done.state
    return state


def played(number):
    """A war of two battles: how each leg began, and the war at its end."""
    linked, begun = TWO, []
    chain = open_war(linked, "two", {})
    while not chain.over:
        edition = leg_of(linked, chain)
        begun.append(edition)
        end = End(ended(GAME, GAME.start(edition), number, "forward"))
        chain, between = finish_leg(linked, chain, end, edition.seats)
        if between is not None:
            camp = ended(CAMP, CAMP.start(camp_edition(between)), number, "thrifty")
            chain = finish_camp(chain, camp.units, camp.works)
    return begun, chain


def units(edition):
    later = [row["unit"] for row in edition.scenario.get("reinforcements", ())]
    return {row.split()[2]: row for row in (*edition.scenario["units"], *later)}


@pytest.mark.parametrize("number", range(3))
def test_a_war_is_played_to_its_end_and_the_second_leg_begins_with_what_the_first_left(number):
    (first, second), chain = played(number)
    assert first.digest == NOTHING_YET.digest
    assert second.digest != GAME.edition("wadras", {}, {}).digest
    assert Edition.from_json(second.to_json()).digest == second.digest
    assert len(chain.outcomes) == 2
    assert present_verdict(chain).winner in ("spain", "morocco", "draw")
    worn = [row for row in units(second).values() if "/" in row and " OF " not in row]
    assert worn
    assert not GAME.invariants(GAME.start(second))


def test_the_same_war_comes_out_the_same():
    (_, war_part), chain = played(7)
    (_, other), again = played(7)
    assert (war_part.digest, chain.outcomes, chain.ledger) == (other.digest, again.outcomes, again.ledger)


def test_who_has_yet_to_enter_at_the_end_keeps_his_steps():
    state = GAME.start(GAME.edition("tetuan", {}, {}))
    steps = remaining_units(state).steps
    assert steps["RifDos"] == 3
    assert steps["Cordoba"] == 4


def changed(**what):
    return next_leg_edition(["tetuan", "wadras"], "tetuan", NOTHING._replace(**what), {})


def test_steps_absences_successors_and_places_stand_in_the_next_leg():
    survivors = units(
        changed(
            steps={"Cordoba": 2, "Navarra": 3},
            absent=frozenset({"Alba"}),
            successors={"Prim": "Paredes 1/1"},
            replaced={"Leon": "Navarra"},
        )
    )
    assert "steps 2/4" in survivors["Cordoba"]
    assert not {"Alba", "Leon", "Prim"} & survivors.keys()
    assert survivors["Navarra"] == "spain IR Navarra fire 3 assault 2 steps 3/4 morale 4 at Aduana"
    assert survivors["Paredes"] == "spain OF Paredes 1/1 at LlanoEste"


def test_who_is_brought_enters_where_and_when_the_file_says_and_keeps_his_name():
    edition = changed(brought={"Toledo": ("Aduana", 5)})
    (row,) = [row for row in edition.scenario["reinforcements"] if row["unit"].split()[2] == "Toledo"]
    assert row == {"turn": 5, "unit": "spain IR Toledo fire 3 assault 2 steps 4 morale 4 at Aduana"}
    assert edition.names.keys() <= units(edition).keys()


def test_what_was_built_is_on_the_map_and_in_the_digest():
    edition = changed(trenches=("Geleli",), roads=("LlanoEste-Lagunas",))
    assert edition.map.spaces["Geleli"].terrain == "fortified"
    assert edition.map.edge("LlanoEste", "Lagunas").kind == "road"
    assert edition.digest != changed().digest
    plain = GAME.edition("tetuan", {}, {}).scenario
    # K7.2 Only in a war is a side lost that is destroyed.
    assert changed().scenario == {**plain, "victory": {**plain["victory"], "destroyed_loses": True}}


@pytest.mark.parametrize("name", GAME_FILES.wars())
def test_every_war_that_is_shipped_is_sound_and_its_successors_lead(name):
    chain = open_war(WAR_PARTS, name, {})
    leaders = {unit.id for unit in chain.war.units.values() if unit.role == "leader"}
    lost = {ident: listed.left_with(0) if ident in leaders else listed for ident, listed in chain.ledger.items()}
    for number, chain_leg in enumerate(chain.legs, start=1):
        leg_found = leg_of(WAR_PARTS, chain._replace(ledger=lost, outcomes=(Outcome("draw"),) * (number - 1)))
        there = {row.split()[2] for row in units(leg_found).values() if " OF " in row}
        assert there
        assert not there & leaders
        assert leg_found.scenario["turns"] == chain.war.turns.get(chain_leg.scenario, chain_leg.turns)


@pytest.mark.parametrize("name", GAME_FILES.wars())
def test_whatever_can_be_brought_or_built_makes_a_leg(name):
    chain = open_war(WAR_PARTS, name, {})
    for number, camp in enumerate(chain.war.camps, start=1):
        ledger = whole(chain.ledger, (listed.id for listed in chain.legs[number].listed))
        brought = tuple(formation.id for formation in chain.war.formations.values() if number in formation.enters)
        works = Works(brought=brought, trenches=camp.spaces[: camp.most], roads=camp.edges)
        for formation in brought:
            assert all(ledger[unit].standing == AWAY for unit in chain.war.formations[formation].units), formation
        after = chain._replace(ledger=ledger, outcomes=(Outcome("draw"),) * number, works=works)
        edition = leg_of(WAR_PARTS, after)
        assert not GAME.invariants(GAME.start(edition))
        assert {row["turn"] for row in edition.scenario["reinforcements"]} <= {*range(edition.scenario["turns"] + 1)}


def test_a_leg_that_ends_early_keeps_the_rows_of_those_who_have_yet_to_come():
    edition = changed(turns=3)
    state = GAME.start(edition)
    assert edition.scenario["turns"] == 3
    assert remaining_units(state).steps["JebalaDos"] == 3


def test_a_leg_of_a_war_may_need_another_lead_than_the_battle_alone():
    edition = changed(needs={"spain": 3, "morocco": -1})
    assert needed_leads(GAME.start(edition)) == {"spain": 3, "morocco": -1}
    assert needed_leads(GAME.start(changed())) == needed_leads(GAME.start(GAME.edition("tetuan", {}, {})))


def test_a_war_keeps_the_leads_it_began_with_when_a_later_version_changes_a_scenario(monkeypatch):
    record = chain_to_json(open_war(WAR_PARTS, "brigades", {}))
    scenario, text = GAME_FILES.scenario("brigades")
    later = {**scenario, "victory": {**scenario["victory"], "spain_needs": 7, "morocco_needs": 6}}
    monkeypatch.setattr(GAME_FILES, "scenario", lambda name: (later, text))
    assert leads_of(GAME.edition("brigades", {}, {}).scenario) == {"spain": 7, "morocco": -6}
    assert leads_of(leg_of(WAR_PARTS, chain_from_json(record)).scenario) == leads_of(scenario)


@pytest.mark.parametrize(
    ("war", "former"), [("brigades", {"spain": 0, "morocco": 5}), ("war", {"spain": 6, "morocco": -3})]
)
def test_a_war_of_1_0_whose_record_holds_no_leads_goes_on_by_those_of_then(war, former):
    record = chain_to_json(open_war(WAR_PARTS, war, {}))
    as_then = {**record, "file": dict(GAME_FILES.war(war)[0])}
    assert leads_of(leg_of(WAR_PARTS, chain_from_json(as_then)).scenario) == former


def test_a_successor_who_is_no_leader_is_told_with_his_line(monkeypatch):
    data, text = GAME_FILES.war("war")
    broken = text.replace('"Paredes 1/1"', '"Paredes one"')
    monkeypatch.setattr(GAME_FILES, "war", lambda name: ({**data, "successors": {"Prim": "Paredes one"}}, broken))
    line = broken.split("\n").index('Prim = "Paredes one"') + 1
    with pytest.raises(SourceError, match=rf"^war.toml:{line}: 'one' is not understood"):
        open_war(WAR_PARTS, "war", {})


def test_a_unit_with_other_factors_in_another_leg_is_another():
    listed = {listed.id: listed.factors for listed in read_leg("tetuan").listed}
    assert listed["Cordoba"] == "fire 3 assault 3 morale 5"
    assert listed["Prim"] == "3/3"


@pytest.mark.parametrize(
    ("lead", "winner", "margin"),
    [(9, "spain", 3), (6, "spain", 0), (5, "draw", 0), (4, "morocco", 0), (1, "morocco", 3), (-3, "morocco", 7)],
)
def test_a_margin_is_what_the_winner_leads_beyond_his_need(lead, winner, margin):
    rules = {**NOTHING_YET.scenario["victory"], "spain_needs": 6, "morocco_needs": 4, "owner": {}}
    edition = replace(NOTHING_YET, scenario={**NOTHING_YET.scenario, "victory": rules})
    state = GAME.start(edition)
    now = points_by_side(state)
    state = state.change(awards={"spain": lead, "morocco": now["spain"] - now["morocco"]})
    assert leg_outcome(state) == Outcome(winner, margin)


def split(**what):
    wanted = NOTHING._replace(**what)
    return next_leg_edition(["castillejos", "tetuan", "wadras"], "tetuan", wanted, {"commands": "split"}).scenario[
        "commands"
    ]


def test_commands_are_of_those_who_come():
    plain = split()
    assert [plain[seat]["rank"] for seat in ("odonnell", "prim", "ros")] == [1, 2, 3]
    split_leg = split(
        absent=frozenset({"Cordoba"}),
        replaced={"Leon": "Luchana"},
        successors={"Prim": "Paredes 1/1"},
        brought={"Cuenca": ("Aduana", 5)},
    )
    assert split_leg["prim"]["leader"] == "Paredes"
    assert not {"Cordoba", "Leon"} & {*split_leg["prim"]["units"]}
    assert "Luchana" in split_leg["prim"]["units"]
    assert "Cuenca" in split_leg["odonnell"]["units"]


def test_the_next_by_rank_commands_in_chief():
    split_leg = split(successors={"ODonnell": "ODonnell-2 0/0"}, chiefs={"spain": "Prim"})
    assert [split_leg[seat]["rank"] for seat in ("prim", "odonnell", "ros")] == [1, 2, 3]
    assert [split_leg[seat]["rank"] for seat in ("abbas", "ahmed", "caid")] == [1, 2, 3]


def test_a_zone_in_which_nobody_is_left_is_none():
    def zones(**what):
        edition = next_leg_edition(["tetuan", "wadras"], "tetuan", NOTHING._replace(**what), {"deploy": "on"})
        return [zone["zone"][0] for zone in edition.scenario["deployment"]]

    begin = [row.split() for row in GAME.edition("tetuan", {}, {}).scenario["units"]]
    trench = {row[2] for row in begin if row[-1].startswith("Trin")}
    assert zones() == ["Aduana", "TrinSur", "CampoAhmed"]
    assert zones(absent=frozenset(trench)) == ["Aduana", "CampoAhmed"]


def deployed(sees, fog="off"):
    """The phases before turn 1: who was asked, and what he could see of the enemy's."""
    options = {"deploy": "on", "fog": fog}
    state = GAME.start(next_leg_edition(["tetuan", "wadras"], "tetuan", NOTHING._replace(sees=sees), options))
    texts = {"spain": "DEPLOY Arapiles TO Lagunas", "morocco": "DEPLOY Nizam TO TrinCentro"}
    asked = []
    while state.turn == 0:
        seats = GAME.active(state)
        views = {seat: GAME.view(state, seat) for seat in seats}
        seen = {seat: {ident: unit.at for ident, unit in view.units.items()} for seat, view in views.items()}
        asked.append(((GAME.phase(state) or ("over", 0))[0], seen))
        orders = {seat: GAME.parse(texts[seat], views[seat], seat).orders for seat in seats}
        assert all(GAME.check(views[seat], seat, orders[seat]) == () for seat in seats)
        state = play(GAME.rules, GAME.world(state, orders), NoDice(), GAME.decisions(state, orders, {})).state
        assert State.decode(state.encode(), state.edition).encode() == state.encode()
    assert (state.units["Arapiles"].at, state.units["Nizam"].at) == ("Lagunas", "TrinCentro")
    assert (GAME.phase(state), state.second, state.deployed) == (("spain", 1), False, ())
    return asked


class NoDice:
    def roll(self, label, n, sides):
        raise AssertionError(label)


def test_both_sides_deploy_at_once_where_nobody_or_both_have_scouted():
    ((name, seen),) = deployed("")
    assert (name, [*seen]) == ("deployment", ["spain", "morocco"])
    assert seen["spain"]["Nizam"] == "TrinNorte"
    for scouted, sees in (((), ""), (("spain", "morocco"), ""), (("morocco",), "morocco")):
        chain = open_war(WAR_PARTS, "wadras", {})
        works = Works(scouted=scouted)
        assert changes(chain.war, 2, chain.legs[1].listed, whole(chain.ledger, chain.ledger), works).sees == sees


@pytest.mark.parametrize("fog", ["off", "on"])
@pytest.mark.parametrize(
    ("sees", "other", "unit", "space"),
    [
        ("spain", "morocco", "Nizam", "TrinCentro"),
        ("morocco", "spain", "Arapiles", "Lagunas"),
    ],
)
def test_whose_scouts_saw_deploys_after_the_other_and_sees_how_that_did(sees, other, unit, space, fog):
    (first, before), (second, after) = deployed(sees, fog)
    assert (first, [*before], second, [*after]) == ("deployment", [other], "deployment2", [sees])
    assert after[sees][unit] == space
    theirs = {listed.id for listed in read_leg("tetuan").listed if listed.side == other and not listed.turn}
    assert theirs <= after[sees].keys()


def test_in_fog_the_look_is_over_when_turn_1_begins():
    state = GAME.start(
        next_leg_edition(["tetuan"], "tetuan", NOTHING._replace(sees="morocco"), {"deploy": "on", "fog": "on"})
    )
    for _ in range(2):
        state = play(GAME.rules, GAME.world(state, {}), NoDice(), GAME.decisions(state, {}, {})).state
    assert GAME.phase(state) == ("spain", 1)
    assert "Galiano" not in GAME.view(state, "morocco").units
