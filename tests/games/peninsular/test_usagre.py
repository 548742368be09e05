"""Usagre: the order of battle follows from sabres and guns, and the ground teaches what the briefs say of it."""

import pytest

from pbem.engine.map.hexes import neighbours
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import Edition
from pbem.games.peninsular.scenario import read_edition, starting_position
from pbem.games.peninsular.terrain import Step, has_line_of_fire, is_higher, is_prohibited, may_stand, step_cost
from pbem.games.peninsular.victory import points_by_side, verdict

STATE = starting_position(read_edition("usagre", {}))
GROUND = STATE.edition.map
LAST_ROWS = (8, 8, 8, 8, 8, 7, 8, 7, 7, 7, 7, 6, 7)
"""Of each column the last row north of the stream."""
NORTH_OF_THE_STREAM = {hex_id for hex_id in GROUND.hexes if int(hex_id[2:]) <= LAST_ROWS[int(hex_id[:2]) - 1]}


def points(*units):
    return [STATE.units[unit].pf for unit in units]


def refused(text, seat, state=STATE):
    reading = GAME.parse(text, state, seat)
    assert reading.rejected == ()
    return [item.rule for item in GAME.check(state, seat, reading.orders)]


def test_a_counter_has_a_point_for_fifty_sabres():
    thirteenth = 980 * 403 / (403 + 761)
    assert points("13LD") == [round(thirteenth / 50)]
    assert points("3DG", "4D") == [round((980 - thirteenth) / 2 / 50)] * 2
    assert points("1Port", "7Port", "5Port", "8Port") == [1000 // 4 // 50] * 4
    assert points("Borbon") == [300 // 50]
    dragoons = [unit for unit in STATE.units.values() if unit.kind == "cav" and unit.side == "french"]
    (briche,) = STATE.edition.scenario["reinforcements"]
    light = [text for text in briche["units"] if " cav " in text]
    assert [unit.pf for unit in dragoons] == [3000 // 10 // 50] * 6
    assert [" pf 6 " in text for text in light] == [True] * 4
    guns = {unit.id: unit.fire for unit in STATE.units.values() if unit.kind == "art"}
    assert guns == {"Lefebure": 6, "LatourArt": 6}


def test_horse_crosses_the_stream_by_the_bridge_and_two_fords_alone():
    ways = {
        (hex_id, near)
        for hex_id in NORTH_OF_THE_STREAM
        for near in neighbours(hex_id)
        if near in GROUND.hexes - NORTH_OF_THE_STREAM
        and not is_prohibited(STATE.edition, STATE.units["4Drag"], hex_id, near)
    }
    assert ways == {("0708", "0709"), ("0408", "0409"), ("1007", "1008")}


def test_slopes_lie_wherever_the_level_changes():
    for hex_id in GROUND.hexes:
        for near in GROUND.hexes.intersection(neighbours(hex_id)):
            slopes = [side for side in GROUND.sides(hex_id, near) if side.startswith("slope")]
            assert slopes == {1: ["slope up"], 0: [], -1: ["slope down"]}[GROUND.level(near) - GROUND.level(hex_id)]


@pytest.mark.parametrize("unit", ["3DG", "4D", "Borbon"])
def test_guns_beyond_the_stream_do_not_see_who_waits_behind_the_crest(unit):
    south = GROUND.hexes - NORTH_OF_THE_STREAM
    assert [
        hex_id
        for hex_id in south
        if abs(int(hex_id[:2]) - 7) <= 2 and has_line_of_fire(STATE, hex_id, STATE.units[unit].at)
    ] == []


def test_an_order_to_manoeuvre_takes_a_regiment_over_the_bridge_at_no_cost():
    regiment = STATE.units["4Drag"]
    costs = [step_cost(STATE.edition, regiment, Step("0709", "0708", manoeuvre)) for manoeuvre in (False, True)]
    assert costs == [3, 1]


def test_one_regiment_has_room_in_a_hex_of_the_village():
    two = [STATE.units[unit] for unit in ("4Drag", "20Drag")]
    for hex_id, fits in (("0709", False), ("0710", False), ("0708", True)):
        assert may_stand(STATE.edition, hex_id, two) is fits


def test_horse_charges_down_from_the_crest_and_not_up_to_it():
    foe = STATE.units["20Drag"].but(at="0706", facing="N")
    state = STATE.change(phase="british").with_units({"20Drag": foe, "3DG": STATE.units["3DG"].but(at="0605")})
    assert is_higher(state, "0605", "0706")
    assert refused("FACE 3DG SE\nCHARGE 3DG AT 0706", "british", state) == []
    assert refused("ORDER Bron ATTACK\nCHARGE 20Drag AT 0705", "french", state.change(phase="french")) == ["S5"]


def test_lumley_leads_by_two_points_at_first_and_needs_seven():
    before = points_by_side(STATE)
    assert before["british"] - before["french"] == 2
    for lead, winner in ((-8, "british"), (-7, "british"), (-6, "french"), (-2, "french"), (1, "french")):
        assert verdict(STATE, {"french": 10 + lead, "british": 10}) == winner


def test_usagre_is_stored_and_read_back():
    again = Edition.from_json(STATE.edition.to_json())
    assert again.digest == STATE.edition.digest
    assert starting_position(again).encode() == STATE.encode()
