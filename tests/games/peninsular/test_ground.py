"""Maps and scenarios: what is broken is refused with file and line; what is read can be stored and read back."""

import pytest

from pbem.engine.data.sources import SourceError
from pbem.engine.scenarios import ScenarioFile
from pbem.games.peninsular.edition import GAME_FILES, Edition, shipped_ground
from pbem.games.peninsular.hexmap import TerrainMap, make_open_ground, read_ground
from pbem.games.peninsular.scenario import check_scenario, read_edition, starting_position
from pbem.games.peninsular.units import read_division, read_unit

MAP = """\
Three by two  3 x 2   (a drill)
      01 02 03
  01   .  w  .
  02   .  .  ~
  .  clear
  w  light wood
  ~  sea

  # what stands on it
  0101-0102 stream
  0102-0202 slope
  0102 level 1
"""


def test_a_map_reads_as_it_is_drawn():
    ground = read_ground(MAP, "drill.txt")
    assert (ground.name, len(ground.hexes)) == ("Three by two", 6)
    assert [ground.terrain(hex_id) for hex_id in ("0101", "0201", "0302")] == ["clear", "light wood", "sea"]
    assert ground.sides("0102", "0101") == ("stream",)
    assert (ground.sides("0102", "0202"), ground.sides("0202", "0102")) == (("slope up",), ("slope down",))
    assert ground.level("0102") == 1
    again = TerrainMap.from_json(ground.to_json())
    assert again.to_json() == ground.to_json()


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("3 x 2 ", "3 by 2", 1, "the first line reads NAME"),
        ("01 02 03\n", "01 02\n", 2, "the second line holds the columns"),
        ("  02   .  .  ~", "  02   .  .", 4, "row 02 begins with its number and holds 3 signs"),
        ("  ~  sea", "  ~  ocean", 7, "unknown terrain 'ocean'"),
        ("  w  light wood\n", "", 3, "0201 is 'w', which the legend does not explain"),
        ("0101-0102 stream", "0101-0103 stream", 10, "'0103' is no hex of the map"),
        ("0101-0102 stream", "0101-0302 stream", 10, "0101 and 0302 are no neighbours"),
        ("0101-0102 stream", "0101-0102 brook", 10, "unknown side 'brook'"),
        ("0102-0202 slope", "0101-0102 stream", 11, "0101-0102 stream stands twice"),
        ("0102 level 1", "0502 level 1", 12, "'0502' is no hex of the map"),
    ],
)
def test_a_broken_map_is_refused_with_its_line(old, new, line, why):
    assert old in MAP
    with pytest.raises(SourceError, match=why) as wrong:
        read_ground(MAP.replace(old, new, 1), "drill.txt")
    assert (wrong.value.file, wrong.value.line) == ("drill.txt", line)


def test_a_bridge_takes_the_place_of_the_river():
    ground = make_open_ground(["0504-0505 river", "0505-0504 bridge", "0304-0305 road"])
    assert ground.sides("0504", "0505") == ("bridge",)
    assert ("0305", "0304") in ground.roads


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("dutch inf A pf 3 at 0101", "unknown side 'dutch'; one of british, spanish, portuguese, french, in"),
        ("french foot A pf 3 at 0101", "unknown kind 'foot'; one of inf, cav, art, cmd, in"),
        ("french inf 0101 pf 3 at 0101", "'0101' is no id"),
        ("french inf A at 0101", "pf is missing"),
        ("french inf A pf 3", "at is missing"),
        ("french inf A pf 3 at A1", "'A1' is no hex"),
        ("french inf A pf 7/6 at 0101", "pf are at least 1"),
        ("french inf A pf 3 will G at 0101", "will is one of A, B, C, D, E, F, not 'G'"),
        ("french cav A pf 3 formation square at 0101", "cavalry forms no square"),
        ("french inf A pf 3 brave at 0101", r"'brave' is not understood \(known are will, .* at\)"),
    ],
)
def test_a_broken_counter_is_refused(text, why):
    with pytest.raises(SourceError, match=why):
        read_unit(text)


def test_counters_and_divisions_read_as_written():
    unit = read_unit("french inf 1/54 pf 4/6 will B division Leval formation column facing NE at 0303")
    assert (unit.pf, unit.full, unit.will, unit.formation, unit.facing) == (4, 6, "B", "formed", "NE")
    assert read_unit("british art H fire 4 size horse at 0101").horse
    division = read_division("french Leval morale 5 commander Leval order hold")
    assert (division.morale, division.commander, division.order) == (5, "Leval", "HOLD")
    with pytest.raises(SourceError, match="morale 9 is not understood"):
        read_division("french Leval morale 9")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"units": ["french inf A pf 3 at 1301"]}, "'1301' is no hex of the map"),
        ({"units": ["french inf A pf 3 at 0101", "french inf A pf 3 at 0102"]}, "A stands twice"),
        ({"units": ["french inf A pf 20 at 0101", "french inf B pf 5 at 0101"]}, "0101 is over-stacked"),
        ({"divisions": ["french Leval commander Nobody"]}, "Nobody is no counter"),
        ({"names": {"Nobody": "Nobody"}}, "names Nobody"),
        ({"sides": ["british", "dutch"]}, "unknown side 'dutch'"),
        ({"victory": {"hexes": {"1301": 3}}}, "'1301' is no hex of the map"),
    ],
)
def test_a_broken_scenario_is_refused(change, why):
    data, text = GAME_FILES.scenario("training")
    left = {key: value for key, value in data.items() if key not in ("divisions", "names")} | change
    edition = Edition(shipped_ground("training"), GAME_FILES.charts({}), left)
    with pytest.raises(SourceError, match=why):
        check_scenario(edition, ScenarioFile(edition.scenario, text, "training.toml"))


def test_the_training_ground_is_stored_and_read_back():
    edition = read_edition("training", {})
    again = Edition.from_json(edition.to_json())
    assert again.digest == edition.digest
    assert starting_position(again).encode() == starting_position(edition).encode()
    with pytest.raises(ValueError, match="'waterloo'; there are barrosa, rolica, training, usagre"):
        read_edition("waterloo", {})
    with pytest.raises(ValueError, match="unknown option 'speed'"):
        read_edition("training", {"speed": "fast"})
