"""Roliça: only the passes lead up to the heights, the order of battle follows from the sources, and who wins when."""

import pytest

from pbem.engine.data.messages import Msg
from pbem.engine.map.hexes import neighbours
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import shipped_ground
from pbem.games.peninsular.scenario import read_edition, starting_position
from pbem.games.peninsular.units import later_units
from pbem.games.peninsular.victory import points_by_side, verdict
from pbem.letters.catalogue import load_catalogue

GROUND = shipped_ground("rolica")
STATE = starting_position(read_edition("rolica", {}))
COMING = {unit.id: unit for unit in later_units(STATE.edition.scenario)}
HEADS = ("0310", "0710", "1111", "1510", "1810")
"""The hexes from which the five passes reach the heights."""
HILLSIDE = 19
"""The last column of the scarp; east of it slopes go up to the ridge."""
BRITISH = {
    "1/5": 944 + 43,
    "1/9": 761 + 56 + 12,
    "1/38": 953 + 4,
    "1/29": 616 + 118 + 38,
    "1/82": 904 + 19,
    "1/45": 915 + 10,
    "1/36": 591,
    "1/40": 923 + 2,
    "1/71": 935 + 1,
    "1/6": 943 + 3 + 1,
    "1/32": 870 + 3,
    "2/95": 456 + 28 + 7,
    "5/60": (604 + 42 + 16) * 7 // 10,
    "5/60left": (604 + 42 + 16) * 3 // 10,
}
"""Oman's state of Vimeiro, four days later, with the wounded and the missing of Roliça put back."""
WELL = 1 - 300 / 4276
FRENCH = {
    "1/70": 2358 * 8 / 9 / 2 * WELL,
    "2/70": 2358 * 8 / 9 / 2 * WELL,
    "3/2L": 1075 * 8 / 9 * WELL,
    "3/4L": 1098 * 8 / 9 * WELL,
    "4Suisse": 985 * 8 / 9 / 4 * WELL,
}
"""The state of 15 July without grenadiers, the garrison of Peniche and 300 sick of 4,276."""


def climbs():
    """Each side of two hexes that leads up, with its row of T1."""
    for hex_id in sorted(GROUND.hexes):
        for near in neighbours(hex_id):
            if near in GROUND.hexes and GROUND.level(near) == GROUND.level(hex_id) + 1:
                yield hex_id, near, GROUND.sides(hex_id, near)


def test_whatever_leads_up_or_down_is_a_slope_and_nothing_else_is():
    for _, _, sides in climbs():
        assert sides in (("slope up",), ("impassable slope up",))
    for hex_id in GROUND.hexes:
        for near in neighbours(hex_id):
            level = near in GROUND.hexes and GROUND.level(near) == GROUND.level(hex_id)
            assert not level or not any("slope" in side for side in GROUND.sides(hex_id, near)), (hex_id, near)


def test_nobody_gets_up_the_scarp_but_by_the_heads_of_the_passes():
    ways = {hex_id for hex_id, _, sides in climbs() if sides == ("slope up",) and GROUND.level(hex_id) == 0}
    assert {hex_id for hex_id in ways if int(hex_id[:2]) < HILLSIDE} == set(HEADS)
    assert all(GROUND.terrain(hex_id) == "light wood" for hex_id in HEADS)


def test_the_road_leads_from_rolica_by_a_pass_to_azambujeira_and_on():
    villages = {hex_id for hex_id in GROUND.hexes if GROUND.terrain(hex_id) == "village"}
    assert villages == {"1301", "1008", "1315"}
    reached, waiting = {"1301"}, ["1301"]
    while waiting:
        hex_now = waiting.pop()
        for near, other in GROUND.roads:
            if near == hex_now and other not in reached:
                reached.add(other)
                waiting.append(other)
    assert {*villages, "1510", "1316"} <= reached


@pytest.mark.parametrize("unit", sorted({**BRITISH, **FRENCH}))
def test_a_battalion_has_a_point_for_a_hundred_men(unit):
    men = {**BRITISH, **FRENCH}[unit]
    assert {**COMING, **STATE.units}[unit].pf == int(men + 50) // 100


def test_armies_are_as_strong_as_the_sources_say():
    def strength(side, kind):
        return sum(unit.pf for unit in {**COMING, **STATE.units}.values() if (unit.side, unit.kind) == (side, kind))

    foot = {unit.id for unit in {**COMING, **STATE.units}.values() if unit.kind == "inf"}
    assert foot == {*BRITISH, *FRENCH, "TrantA", "TrantB"}
    assert strength("french", "inf") == 4000 // 100
    assert strength("french", "cav") == 250 // 50
    assert (strength("portuguese", "inf"), strength("portuguese", "cav")) == (1200 // 100, 50 // 50)
    guns = {unit.id: unit.fire for unit in {**COMING, **STATE.units}.values() if unit.kind == "art"}
    assert guns == {"DelabordeArt": 5, "RobeA": 6, "RobeB": 3, "FergusonArt": 6}


def test_all_who_come_up_by_degrees_throw_for_it_the_flanks_last():
    expected = GAME.telling.stakes(GAME.view(STATE, "french"), "french", ()).expected
    assert [(arrival.name, arrival.turn, arrival.needs) for arrival in expected] == [
        ("Craufurd", 3, 4),
        ("Hill", 4, 4),
        ("Trant", 4, 5),
        ("Ferguson", 6, 5),
    ]


def test_the_french_hold_all_that_counts_and_win_until_wellesley_leads_clearly():
    points = points_by_side(STATE)
    assert points == {"british": 0, "french": 14}
    winners = [verdict(STATE, {"british": lead, "french": 0}) for lead in (-14, 13, 14, 15)]
    assert winners == ["french", "french", "draw", "british"]


@pytest.mark.parametrize(
    ("language", "title", "commander"),
    [("en", "Roliça, 17 August 1808", "Thomières"), ("es", "Roliça, 17 de agosto de 1808", "Thomières")],
)
def test_title_and_names_are_written_as_they_are_in_either_language(language, title, commander):
    catalogue = load_catalogue(language, "peninsular")
    assert catalogue.say(Msg(STATE.edition.scenario["title"])) == title
    assert catalogue.called.with_names("Thomieres") == commander
