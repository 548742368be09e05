"""Barrosa: the map holds together, the order of battle follows from men and guns, reinforcements are checked."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.engine.data.report import DRAWING_DEPTH
from pbem.engine.data.sources import SourceError
from pbem.engine.map.hexes import neighbours
from pbem.engine.run.runners import play
from pbem.engine.scenarios import ScenarioFile
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import GAME_FILES, Edition, shipped_ground
from pbem.games.peninsular.hexmap import make_open_ground
from pbem.games.peninsular.picture import map_rows
from pbem.games.peninsular.scenario import check_scenario, read_edition, starting_position
from pbem.games.peninsular.sequence import RULES
from pbem.games.peninsular.units import read_unit
from pbem.games.peninsular.victory import points_by_side
from pbem.letters.catalogue import load_catalogue

GROUND = shipped_ground("barrosa")
STATE = starting_position(read_edition("barrosa", {}))
MEN = {
    "2/1Guards": 24 + 587,
    "Coldstream": 7 + 204,
    "2/3Guards": 8 + 314,
    "2/95": 11 + 206,
    "1/28": 20 + 437,
    "2/87": 32 + 664,
    "BrowneBn": 22 + 514,
    "20Port": 10 + 316,
}
"""Officers and men of the battalions that fought as one counter each."""


def test_slopes_lie_wherever_the_level_changes_and_nowhere_else():
    for hex_id in GROUND.hexes:
        for near in neighbours(hex_id):
            if near in GROUND.hexes:
                rise = GROUND.level(near) - GROUND.level(hex_id)
                wanted = {1: "slope up", 0: "", -1: "slope down"}[rise]
                slopes = [side for side in GROUND.sides(hex_id, near) if side.startswith("slope")]
                assert slopes == ([wanted] if wanted else []), (hex_id, near)


def test_roads_lead_over_dry_land_from_edge_to_edge():
    dry = {hex_id for hex_id in GROUND.hexes if GROUND.terrain(hex_id) != "sea"}
    assert {hex_id for pair in GROUND.roads for hex_id in pair} <= dry
    ends = {hex_id for hex_id in dry if len([b for a, b in GROUND.roads if a == hex_id]) == 1}
    assert ends == {"0101", "2201", "1412"}


def test_all_dry_land_hangs_together_but_what_the_creek_cuts_off():
    reached, waiting = {"2001"}, ["2001"]
    while waiting:
        for near in neighbours(waiting.pop()):
            if near in GROUND.hexes and near not in reached and GROUND.terrain(near) != "sea":
                reached.add(near)
                waiting.append(near)
    assert {hex_id for hex_id in GROUND.hexes if GROUND.terrain(hex_id) != "sea"} == reached


@pytest.mark.parametrize("unit", sorted(MEN))
def test_a_counter_has_a_point_for_a_hundred_men(unit):
    assert STATE.units[unit].pf == (MEN[unit] + 50) // 100


def test_armies_are_as_strong_as_the_sources_say():
    units = [unit for unit in STATE.units.values() if unit.is_combat]
    foot = [unit for unit in units if unit.kind == "inf"]
    assert sum(unit.pf for unit in foot if unit.side in ("british", "portuguese")) == (4533 + 50) // 100
    ruffin = [unit for unit in foot if unit.division == "Ruffin"]
    leval = [unit for unit in foot if unit.division == "Leval"]
    assert (len(ruffin), len(leval)) == (6, 6)
    assert sum(unit.pf for unit in ruffin) == 6 * 500 // 100
    assert sum(unit.pf for unit in leval) == 6 * 640 // 100
    guns = {unit.side: 0 for unit in units}
    for unit in units:
        guns[unit.side] += unit.fire
    assert (guns["british"], guns["french"]) == (10, 12)
    assert STATE.units["KGL"].pf == (206 + 25) // 50


def test_the_8th_of_the_line_is_shared_out_by_its_returns():
    assert {STATE.units[ident].pf for ident in ("1/8", "2/8")} == {(1468 // 2 + 50) // 100}


def test_the_whole_map_is_drawn_in_72_columns_as_it_lies():
    drawn = [plain_english(line) for _, line in map_rows(STATE)]
    assert max(len(line) for line in drawn) <= 72
    assert len(drawn) == 2 + 2 * 16
    assert drawn[2].split()[:3] == ["01", "m", "~"]
    assert "T1*" in "\n".join(drawn)
    # 1312 stands in the upper line of its row, 1012 in the lower one, between 0912 and 1112.
    upper, lower = drawn[2 + 2 * 11], drawn[3 + 2 * 11]
    assert (upper[33:35], lower[26:28]) == ("B5", "S8")
    assert (upper[23:25], upper[28]) == ("S5", "w")


def test_a_map_around_units_has_a_line_for_each_row_up_to_the_hexes_that_count():
    head, *drawn = [plain_english(line) for _, line in map_rows(STATE, ["1312"])]
    assert head.split() == ["13", "14", "15", "16", "17"]
    assert [line.split()[0] for line in drawn] == ["12", "13", "14"]
    assert drawn[0].split()[1] == "B5"
    assert [line.count("*") for line in drawn] == [0, 2, 2]
    far_apart = [plain_english(line).split()[0] for _, line in map_rows(STATE, ["1301", "1312"])]
    assert far_apart[1:] == ["01", "12", "13", "14"]
    whole = [plain_english(line) for _, line in map_rows(STATE, STATE.edition.map.hexes)]
    assert max(map(len, whole)) <= 72


def test_the_map_is_explained_in_the_readers_language():
    map_lines = [line for depth, line in GAME.telling.text_map(STATE, "french") if depth != DRAWING_DEPTH]
    for language, words in (("en", ("~ sea", "ravine: 1311-1411")), ("es", ("~ mar", "barranco: 1311-1411"))):
        map_text = "\n".join(load_catalogue(language, "peninsular").say(line) for line in map_lines)
        assert [word for word in words if word not in map_text] == []


def test_a_chain_of_hexes_is_as_good_as_its_sides():
    chain, single = make_open_ground(["0101-0102-0103 road"]), make_open_ground(["0101-0102 road", "0102-0103 road"])
    assert chain.roads == single.roads
    assert make_open_ground(["0101 0102 level 2"]).level("0102") == 2
    with pytest.raises(ValueError, match="0101 and 0103 are no neighbours"):
        make_open_ground(["0102-0101-0103 road"])
    with pytest.raises(ValueError, match="says nothing of a hex"):
        make_open_ground(["0102"])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"turn": 1}, "a turn from 2 to 8"),
        ({"turn": 9}, "a turn from 2 to 8"),
        ({"needs": 7}, "needs is what a die shows, not 7"),
        ({"name": ""}, "reinforcements have a name"),
        ({"units": []}, "reinforcements have a name"),
        ({"units": ["spanish inf Walonas pf 6 at 2501"]}, "'2501' is no hex of the map"),
        ({"units": ["spanish inf 2/87 pf 6 at 0102"]}, "2/87 stands twice"),
    ],
)
def test_broken_reinforcements_are_refused(change, why):
    data, text = GAME_FILES.scenario("barrosa")
    group = {**data["reinforcements"][0], **change}
    left = {**data, "reinforcements": [group], "divisions": [], "names": {}}
    with pytest.raises(SourceError, match=why):
        check_scenario(Edition(GROUND, GAME_FILES.charts({}), left), ScenarioFile(left, text, "barrosa.toml"))


def test_barrosa_is_stored_and_read_back():
    again = Edition.from_json(STATE.edition.to_json())
    assert again.digest == STATE.edition.digest
    assert starting_position(again).encode() == STATE.encode()


def test_divisions_count_those_who_are_still_to_come():
    assert STATE.divisions["Cruz"].full == sum(
        read_unit(text).full for text in STATE.edition.scenario["reinforcements"][0]["units"] if " inf " in text
    )
    assert "Walonas" not in STATE.units
    reading = GAME.parse("MOVE Walonas TO 0103", GAME.view(STATE, "british"), "british")
    assert reading.rejected == ()
    refused = GAME.check(GAME.view(STATE, "british"), "british", reading.orders)
    assert [item.rule for item in refused] == ["S1"]


def test_barrosa_counts_colours_guns_and_the_french_exit():
    before = points_by_side(STATE)
    lost = STATE.change(gone={"1/8": "eliminated", "2/8": "eliminated", "LevalArt": "eliminated", "2/87": "eliminated"})
    assert points_by_side(lost) == {"british": before["british"] + 3 + 2, "french": before["french"] + 3}
    steady = {name: STATE.units[name].but(at="0103") for name in ("2/8", "1/45", "2/54")}
    assert points_by_side(STATE.with_units(steady)) == {**before, "french": before["french"] + 5}
    two = {**steady, "2/8": steady["2/8"].but(state="D")}
    assert points_by_side(STATE.with_units(two)) == before


def test_the_first_report_the_form_and_later_reports_say_what_barrosa_counts():
    def text_in(state, language):
        catalogue = load_catalogue(language, "peninsular")
        report = GAME.telling.report(state, "french", [])
        blocks = (GAME.telling.winning(state, "french"), *report.blocks)
        return [catalogue.say(line) for block in blocks for _, line in block.lines]

    (first,) = [line for line in text_in(STATE, "en") if line.startswith("Other points: ")]
    assert "each colour or eagle of an eliminated battalion 3 (BRIEF);" in first
    assert any(line.startswith("Battalions with a colour or eagle: 2/1Guards, ") for line in text_in(STATE, "en"))
    assert "the guns of each battery eliminated 2 more;" in first
    assert "for the French 3 or more of their battalions steady in 0101, 0102, 0103 at the end, 5." in first
    taken = STATE.change(gone={"1/8": "eliminated", "LevalArt": "eliminated"}, turn=2)
    later = text_in(taken.with_units({"2/8": STATE.units["2/8"].but(at="0103")}), "es")
    wanted = [
        "los británicos han tomado banderas y águilas, 3 puntos: 1/8",
        "los británicos han tomado cañones, 2 puntos: LevalArt",
        "los franceses, en la salida, 0 puntos, hacen falta 3 batallones: 2/8",
    ]
    assert [line for line in wanted if line not in later] == []


class Thrown:
    """Fire without effect, a shock as good as it can be, and else a five."""

    def roll(self, label, n, sides):
        return (1 if "fire" in label else 6 if "shock" in label else 5,) * n


def played(state, text):
    """The position after a half, and what was seen of it."""
    given = {state.phase: GAME.parse(text, state, state.phase).orders}
    done = play(GAME.rules, GAME.world(state, given), Thrown(), GAME.decisions(state, given, {}))
    seen, now = [], state
    for happened in done.events:
        seen.append((happened, now))
        now = RULES.apply(now, happened)
    return done.state, seen


def report_lines(state, seat, seen, language):
    """The lines of a report about what was seen: happenings with what stands below them, then the blocks."""
    say = load_catalogue(language, "peninsular").say
    report = GAME.telling.report(state, seat, seen)
    lines = [say(line) for entry in report.entries for line in (entry.text, *entry.details)]
    return lines, [say(line) for block in report.blocks for _, line in block.lines]


def test_a_report_tells_of_an_eagle_of_guns_and_of_the_exit_line_by_line_and_in_sum():
    units = dict(STATE.units)
    for ident, hex_id in (
        ("1/8", "1409"),
        ("LevalArt", "1506"),
        ("2/87", "1309"),
        ("2/1Guards", "1406"),
        ("2/8", "0101"),
        ("1/45", "0102"),
        ("2/54", "0103"),
    ):
        units[ident] = units[ident].but(
            at=hex_id, facing="SE" if units[ident].side == "british" else "NW", limbered=False
        )
    units["1/8"] = units["1/8"].but(pf=1)
    units["LevalArt"] = units["LevalArt"].but(facing="S")
    orders = {name: division._replace(order="ATTACK") for name, division in STATE.divisions.items()}
    state = STATE.change(units=units, divisions=orders, turn=8)
    assert points_by_side(state)["french"] == 5
    state, seen = played(state, "ASSAULT 1409 WITH 2/87\nASSAULT 1506 WITH 2/1Guards")
    assert {"1/8", "LevalArt"} <= state.gone.keys()
    wanted = {
        "en": [
            "1/8 has lost its colour or eagle: 3 points for the British [S14]",
            "the guns of LevalArt are taken: 2 points for the British [S14]",
        ],
        "es": [
            "1/8 ha perdido su bandera o águila: 3 puntos para los británicos [S14]",
            "los cañones de LevalArt, tomados: 2 puntos para los británicos [S14]",
        ],
    }
    sums = {
        "en": [
            "the British have taken colours and eagles, 3 points: 1/8",
            "the British have taken guns, 2 points: LevalArt",
            "the French at the exit, 5 points, 3 battalions are needed: 2/8, 1/45, 2/54",
        ],
        "es": [
            "los británicos han tomado banderas y águilas, 3 puntos: 1/8",
            "los británicos han tomado cañones, 2 puntos: LevalArt",
            "los franceses, en la salida, 5 puntos, hacen falta 3 batallones: 2/8, 1/45, 2/54",
        ],
    }
    for language in ("en", "es"):
        happened, _ = report_lines(state, "french", seen, language)
        assert [line for line in wanted[language] if line not in happened] == []
    state, seen = played(state, "PASS")
    points = points_by_side(state)
    assert (points["british"], points["french"]) == (2 * 2 + 3 + 2 + 3 // 4, 5)
    for language in ("en", "es"):
        happened, summed = report_lines(state, "british", seen, language)
        assert [line for line in sums[language] if f"{line} [S14]" not in happened] == []
        assert not {*sums[language]} & {*summed}, "the points are told once"


@pytest.mark.parametrize("change", [{"colours": ["Nobody"]}, {"exit": {"hexes": ["2501"]}}])
def test_colours_and_exits_that_are_not_there_are_refused(change):
    data, text = GAME_FILES.scenario("barrosa")
    wrong = {**data, "victory": {**data["victory"], **change}}
    with pytest.raises(SourceError, match="is no"):
        check_scenario(Edition(GROUND, GAME_FILES.charts({}), wrong), ScenarioFile(wrong, text, "barrosa.toml"))
