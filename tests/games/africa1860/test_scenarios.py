"""Scenarios, maps and charts: what is shipped loads, what is broken is refused with file, line and reason."""

import tomllib
import unicodedata
from pathlib import Path

import pytest

from pbem.engine.data.languages import read_display_names
from pbem.engine.data.sources import SourceError
from pbem.engine.map.areas import read_map
from pbem.engine.map.charts import read_chart
from pbem.engine.run.steps import Did, Task
from pbem.engine.scenarios import ScenarioFile
from pbem.games import africa1860
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.edition import GAME_FILES, LAST_ERRATUM_DATE, LEGEND, SIDES, Edition, shipped_map
from pbem.games.africa1860.scenario import check_scenario, read_edition, starting_position
from pbem.games.africa1860.state import State, read_unit
from pbem.games.africa1860.victory import count_points

GAME_FOLDER = Path(africa1860.__file__).parent
SOUND = """\
title = "Two sides"
map = "drill"
turns = 3
units = [
  "spain OF Prim 3/3 at A",
  "spain IR Cordoba fire 3 assault 3 steps 4 morale 5 at A",
  "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at E",
]
reinforcements = [
  { turn = 2, unit = "morocco IL Haus fire 1 assault 1 steps 2 morale 3 at E" },
]

[seats]
spain = "spain"
morocco = "morocco"

[names]
Prim = "Juan Prim"

[victory]
spain_needs = 2
morocco_needs = -2

[victory.spaces]
C = 2

[victory.owner]
C = "morocco"
"""
NIZAM = "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at E"
CROWD = "".join(f'  "spain IR F{n} fire 2 assault 2 steps 4 morale 4 at A",\n' for n in range(8))
BATTERY = "".join(f'  "spain ART G{n} fire 2 assault 0 steps 2 morale 4 at A",\n' for n in range(5))


def checked(text: str) -> None:
    check_scenario(ScenarioFile(tomllib.loads(text), text, "two.toml"), shipped_map("drill"))


def test_castillejos_and_drill_are_shipped():
    assert {"castillejos", "drill"} <= set(GAME_FILES.scenarios())


@pytest.mark.parametrize("name", GAME_FILES.scenarios())
def test_a_shipped_scenario_loads_and_its_start_is_in_order(name):
    edition = read_edition(name, {})
    state = starting_position(edition)
    assert GAME.invariants(state) == ()
    assert GAME.phase(state) == ("spain", 1)
    assert set(GAME.seats(state).values()) == set(SIDES)
    assert {unit.side for unit in state.units.values()} == set(SIDES)
    for side in SIDES:
        assert state.rear_towns(side)
        # Whoever is beaten finds a way home, and every entry of a reinforcement is on the map.
        assert set(edition.map.distances(state.rear_towns(side))) == set(edition.map.spaces)


@pytest.mark.parametrize("name", GAME_FILES.scenarios())
def test_a_stored_edition_is_the_same_edition(name):
    edition = read_edition(name, {})
    again = Edition.from_json(edition.to_json())
    assert again.digest == edition.digest
    assert starting_position(again).encode() == starting_position(edition).encode()


def test_castillejos_is_the_battle_of_the_printed_sources():
    state = starting_position(read_edition("castillejos", {}))
    assert state.edition.scenario["turns"] == 14
    assert len(state.edition.map.spaces) == 14
    assert len(state.edition.map.edges) == 30
    assert state.units["Prim"].at == "Tarajal"
    assert state.rear_towns("spain") == ("Tarajal",)
    assert sorted(state.edition.scenario["victory"]["spaces"]) == ["Condesa", "Garganta", "Mochilas", "Morabito"]


def test_tetuan_is_fought_for_a_trench_that_has_a_front():
    state = starting_position(read_edition("tetuan", {}))
    area, rules = state.edition.map, state.edition.scenario["victory"]
    trench = {"TrinSur", "TrinCentro", "TrinNorte"}
    parapets = [edge for edge in area.edges if edge.kind == "parapet"]
    assert {edge.b for edge in parapets} == trench
    # Spain comes at it from outside, what lies behind it is Morocco's.
    outside = {edge.a for edge in parapets}
    assert not outside & {unit.at for unit in state.units.values() if unit.side == "morocco"}
    assert all(trench & set(area.neighbours(space)) for space in outside)
    assert trench | {"CampoAhmed", "CampoAbbas", "Geleli", "Tetuan"} == set(rules["spaces"]) == set(rules["owner"])
    assert state.edition.options["loss_basis"] == "defender-vanguard"


def test_no_guns_go_over_the_soft_ground_before_tetuan():
    edition = read_edition("tetuan", {})
    soft = {ident for ident, space in edition.map.spaces.items() if space.terrain == "marsh"}
    assert soft == {"Lagunas", "Falda", "Pantano"}
    ways = [edge for edge in edition.map.edges if {edge.a, edge.b} & soft and edge.kind not in ("parapet", "slope")]
    assert ways
    assert not any((edge.kind, "ART") in edition.passes for edge in ways)


@pytest.mark.parametrize("name", ["castillejos", "tetuan", "wadras", "drill"])
def test_what_has_an_accent_in_spanish_has_it_in_letters(name):
    called = read_display_names(GAME_FOLDER / "locale" / "names.toml")["es"].names
    edition = GAME.edition(name, {}, {})
    full = {**edition.scenario.get("names", {}), **{ident: space.es for ident, space in edition.map.spaces.items()}}
    bare = [
        ident
        for ident, words in full.items()
        for word in words.split()
        if word != plain(word) and plain(word) in ident and ident not in called
    ]
    assert bare == []


def plain(word: str) -> str:
    """A word without its accents."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


def test_wadras_is_fought_over_a_river_with_one_bridge():
    state = starting_position(read_edition("wadras", {}))
    area, rules = state.edition.map, state.edition.scenario["victory"]
    river = [edge for edge in area.edges if edge.kind in ("ford", "bridge")]
    assert [(edge.a, edge.b) for edge in river if edge.kind == "bridge"] == [("Puente", "Lomas")]
    assert len(river) == 5
    # But for a path over the hills nobody gets across without the river, and each army stands on its own side.
    spanish = {"Camino", "Samsa", "Ribera", "Puente", "Vado"}
    across = [edge for edge in area.edges if (edge.a in spanish) != (edge.b in spanish)]
    assert {edge.kind for edge in across if edge not in river} == {"path"}
    assert {unit.at for unit in state.units.values() if unit.side == "spain"} <= spanish
    assert not spanish & {unit.at for unit in state.units.values() if unit.side == "morocco"}
    assert not spanish & set(rules["spaces"])
    assert set(rules["spaces"]) == set(rules["owner"])
    assert state.edition.options["loss_basis"] == "defender-vanguard"


@pytest.mark.parametrize("scenario", ["tetuan", "wadras"])
def test_batteries_of_the_later_battles_have_the_steps_that_their_fire_needs(scenario):
    state = starting_position(read_edition(scenario, {}))
    later = [read_unit(row["unit"]) for row in state.edition.scenario["reinforcements"]]
    guns = [unit for unit in (*state.units.values(), *later) if unit.code == "ART"]
    assert {unit.side for unit in guns} == set(SIDES)
    assert [unit.id for unit in guns if unit.fire > unit.steps] == []


def test_an_option_makes_another_edition_and_an_overlay_too():
    plain = read_edition("drill", {})
    assert read_edition("drill", {"loss_basis": "defender-stack"}).digest == plain.digest
    assert read_edition("drill", {"loss_basis": "opponent-stack"}).digest != plain.digest
    text = GAME_FILES.charts({})["shock"].text
    assert read_edition("drill", {}, {"shock": text}).digest == plain.digest
    assert read_edition("drill", {}, {"shock": text.replace("C8.1.4   +2", "C8.1.4   +3")}).digest != plain.digest


def test_the_sound_scenario_is_taken():
    checked(SOUND)


@pytest.mark.parametrize(
    ("was", "now", "line", "reason"),
    [
        ('title = "Two sides"\n', "", 0, "title is missing"),
        ("turns = 3", "turns = 0", 3, "turns is a whole number from 1, not 0"),
        ("turns = 3", 'turns = "3"', 3, "turns is a whole number from 1, not '3'"),
        ("at A", "at Z", 5, "'Z' is no space of the map drill"),
        ("spain OF", "france OF", 5, "unknown side 'france'; one of spain, morocco, in"),
        ("spain IR", "spain XX", 6, "unknown type 'XX'; one of IR, NZ, IL, CAB, ART, CNV, OF, in"),
        ("OF Prim 3/3", "OF Prim 3", 5, "'3' is not understood (write SIDE OF NAME 3/2 at SPACE)"),
        ("OF Prim 3/3", "OF Prim", 5, "assault is missing (write SIDE OF NAME 3/2 at SPACE)"),
        ("OF Prim 3/3", "OF Pr!m 3/3", 5, "'Pr!m' is no id"),
        (" steps 4 morale 5", " morale 5", 6, "steps is missing (write SIDE TYPE NAME fire 3"),
        ("steps 4 morale 5", "steps 5/4 morale 5", 6, "steps are at least 1 and at most the full number"),
        ("fire 3 assault 3 steps 4 morale 5", "fire 3/4 assault 3 steps 4 morale 5", 6, "fire is one number"),
        ("NZ Nizam", "NZ Prim", 7, "Prim stands twice"),
        ("morale 4 at E", "morale 4 at A", 7, "Nizam stands with the enemy in A"),
        (f'  "{NIZAM}",\n', f'{CROWD}  "{NIZAM}",\n', 14, "F7 finds no room in A"),
        (f'  "{NIZAM}",\n', f'{BATTERY}  "{NIZAM}",\n', 11, "G4 finds no room in A"),
        ("turn = 2", "turn = 4", 10, "a reinforcement reads { turn = 3, unit = "),
        ("turn = 2, unit", "when = 2, unit", 10, "with a turn from 1 to 3"),
        ("turn = 2, unit", 'turn = 2, at = "E", unit', 10, "a reinforcement reads { turn = 3, unit = "),
        ("IL Haus", "IL Nizam", 10, "Nizam stands twice"),
        ('morocco = "morocco"', 'morocco = "france"', 13, "unknown side 'france'"),
        ('morocco = "morocco"', 'second = "spain"', 13, "nobody plays morocco"),
        ('Prim = "Juan Prim"', 'Prin = "Juan Prim"', 18, "names Prin, which is no unit"),
        ("spain_needs = 2\n", "", 20, "spain_needs is a whole number"),
        ("C = 2", "Z = 2", 24, "'Z' is no space of the map"),
        ("C = 2", 'C = "two"', 24, "C is worth a whole number of points"),
        ('C = "morocco"', 'C = "france"', 27, "C is owned by the unknown side 'france'"),
    ],
)
def test_a_broken_scenario_is_refused_with_its_line(was, now, line, reason):
    assert SOUND.count(was) >= 1
    with pytest.raises(SourceError) as error:
        checked(SOUND.replace(was, now, 1))
    assert (error.value.file, error.value.line) == ("two.toml", line)
    assert reason in error.value.reason


SPACES = """\
id,en,es,terrain,flags,x,y
A,Alpha,Alfa,clear,rear:spain entry:spain,100,500
B,Bravo,Bravo,heights,,250,400
C,Charlie,Carlos,town,locality rear:morocco,400,300
"""
WAYS = "a,b,kind\nA,B,slope\nB,C,road\n"


def area(spaces: str, ways: str):
    return read_map("two", spaces, ways, LEGEND)


def test_the_sound_map_is_taken():
    assert area(SPACES, WAYS).neighbours("B") == ("A", "C")


@pytest.mark.parametrize(
    ("was", "now", "where", "reason"),
    [
        ("heights", "hills", "two.spaces.csv:3", "unknown terrain 'hills'"),
        ("rear:spain", "rear:france", "two.spaces.csv:2", "unknown flag 'rear:france'"),
        ("C,Charlie", "A,Charlie", "two.spaces.csv:4", "space A stands twice"),
        ("250,400", "250,north", "two.spaces.csv:3", "x and y are whole numbers"),
        ("B,Bravo,Bravo,", "B,Bravo,", "two.spaces.csv:3", "6 values, there are 7 columns"),
        ("id,en,es", "id,es,en", "two.spaces.csv:1", "the first line reads id,en,es,terrain,flags,x,y"),
        ("B,C,road", "B,C,rail", "two.edges.csv:3", "unknown kind of edge 'rail'"),
        ("B,C,road", "B,D,road", "two.edges.csv:3", "edge B-D names the unknown space D"),
        ("B,C,road", "B,B,road", "two.edges.csv:3", "edge B-B joins a space to itself"),
        ("B,C,road", "B,A,road", "two.edges.csv:3", "edge B-A stands twice"),
        ("B,C,road\n", "", "two.edges.csv", "no way leads to C"),
    ],
)
def test_a_broken_map_is_refused_with_its_line(was, now, where, reason):
    assert was in SPACES + WAYS
    with pytest.raises(SourceError) as error:
        area(SPACES.replace(was, now, 1), WAYS.replace(was, now, 1))
    assert str(error.value).startswith(f"{where}: ")
    assert reason in error.value.reason


@pytest.mark.parametrize(
    ("chart", "was", "now", "line", "reason"),
    [
        ("fire", "C6  Fire action", "Fire action", 1, "the first line reads"),
        ("fire", "  2M\n", "\n", 6, "row effect has 5 cells, there are 6 columns"),
        ("fire", "5+", "4", 4, "a column stands twice"),
        ("fire", "5+", "6+", 4, "between 4 and 6+ there is a gap"),
        ("fire", "  M     morale check\n", "", 6, "code M has no line of legend"),
        ("fire", "C6.2  -1", "C6.1  -1", 16, "modifier C6.1 stands twice"),
        ("fire", "C6.2  -1", "C6.2  minus", 16, "neither a modifier"),
        ("charge", "3+", "4+", 9, "between 2 and 4+ there is a gap"),
        ("charge", "  2  two steps", "  9  two steps", 9, "code 2 has no line of legend"),
        ("morale", "----+------", "     |", 5, "a line of dashes"),
        ("morale", "   5  | test\n", "", 10, "between 4 and 6 there is a gap"),
        ("leader", "  lost  he", "  safe  he", 14, "legend safe stands twice"),
        ("stacking", "  4  at most four\n", "", 6, "code 4 has no line of legend"),
        (
            "edges",
            "  no   may not pass\n",
            "  no   may not pass\n  half  sometimes\n",
            16,
            "legend half is used by no cell",
        ),
    ],
)
def test_a_broken_chart_is_refused_with_its_line(chart, was, now, line, reason):
    text = GAME_FILES.charts({})[chart].text
    assert was in text
    with pytest.raises(SourceError) as error:
        read_chart(text.replace(was, now, 1), f"{chart}.txt")
    assert (error.value.file, error.value.line) == (f"{chart}.txt", line)
    assert reason in error.value.reason


def test_an_overlay_changes_numbers_but_not_the_list_of_modifiers():
    text = GAME_FILES.charts({})["shock"].text
    beach = "  C8.1.17  +1  cavalry leads the attack over a beach\n"
    assert beach in text
    read_edition("drill", {}, {"shock": text.replace(beach, beach.replace("+1", " 0"))})
    for rule, broken in (
        ("C8.1.20", text.rstrip() + "\n  C8.1.20  +1  attacked at night\n"),
        ("C8.1.17", text.replace(beach, "")),
    ):
        with pytest.raises(SourceError, match=rule) as error:
            read_edition("drill", {}, {"shock": broken})
        assert error.value.file == "shock.txt"


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="there is no scenario 'waterloo'"):
        read_edition("waterloo", {})
    with pytest.raises(ValueError, match="unknown chart 'weather'"):
        read_edition("drill", {}, {"weather": ""})
    with pytest.raises(ValueError, match="unknown option 'weather'"):
        read_edition("drill", {"weather": "rain"})
    with pytest.raises(ValueError, match="loss_basis is one of"):
        read_edition("drill", {"loss_basis": "half"})
    with pytest.raises(KeyError):
        shipped_map("waterloo")
    with pytest.raises(KeyError):
        GAME_FILES.scenario("waterloo")


def test_a_roster_line_may_carry_marks_and_losses():
    unit = read_unit("spain CAB Husares fire 2 assault 3 steps 1/2 morale 5 at A demoralised activated")
    assert (unit.steps, unit.full, unit.demoralised, unit.activated, unit.fired) == (1, 2, True, True, False)


OPTIONS = '[options]\nloss_basis = "defender-vanguard"\n\n'


def test_a_scenario_sets_options_of_its_edition_and_a_moderator_others():
    checked(SOUND.replace("[seats]", f"{OPTIONS}[seats]"))
    assert read_edition("castillejos", {}).options["loss_basis"] == "defender-vanguard"
    assert read_edition("castillejos", {"loss_basis": "opponent-stack"}).options["loss_basis"] == "opponent-stack"
    assert read_edition("castillejos", {"fog": "on"}).options["loss_basis"] == "defender-vanguard"
    assert Edition(shipped_map("drill"), GAME_FILES.charts({})).options["loss_basis"] == "defender-stack"


@pytest.mark.parametrize(
    ("was", "now", "reason"),
    [
        ("loss_basis", "weather", "unknown option 'weather'"),
        ("defender-vanguard", "half", "loss_basis is one of defender-stack, defender-vanguard, opponent-stack"),
    ],
)
def test_an_option_of_a_scenario_that_there_is_not_is_refused_with_its_line(was, now, reason):
    with pytest.raises(SourceError) as error:
        checked(SOUND.replace("[seats]", f"{OPTIONS.replace(was, now)}[seats]"))
    assert (error.value.file, error.value.line) == ("two.toml", 14)
    assert reason in error.value.reason


@pytest.mark.parametrize(
    ("table", "line", "reason"),
    [
        ('[options]\nloss_basis="half"\n', 14, "loss_basis is one of defender-stack"),
        ('[options]\nfog = "off"\n"loss_basis" = "half"\n', 15, "loss_basis is one of defender-stack"),
        ("# breaking = 101\n[options]\n  breaking = 101\n", 15, "breaking is off or a number of percent from 1 to 100"),
        ("[options]\nbreaking = 0\n", 14, "not 0"),
        ("[options]\nbreaking = 33.3\n", 14, "not 33.3"),
        ("[options]\nbreaking = true\n", 14, "not True"),
        ('[options]\nloss_basis = ["defender-stack"]\n', 14, "loss_basis is one of"),
        ('[options]\nDrill = "on"\n', 14, "unknown option 'Drill'; there are loss_basis, fog, breaking"),
        ("[options.loss_basis]\nhalf = 1\n", 13, "loss_basis is one of"),
        ("[[options]]\nbreaking = 40\n", 13, "[options] holds names and values"),
    ],
)
def test_whatever_is_wrong_with_options_is_refused_with_its_line(table, line, reason):
    with pytest.raises(SourceError) as error:
        checked(SOUND.replace("[seats]", f"{table}\n[seats]"))
    assert (error.value.file, error.value.line) == ("two.toml", line)
    assert reason in error.value.reason


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("options = 3\n", "[options] holds names and values, not 3"),
        ('options = { fog = "no" }\n', "fog is one of"),
        ('options.fog = "no"\n', "fog is one of"),
    ],
)
def test_options_on_one_line_are_held_against_the_same(head, reason):
    with pytest.raises(SourceError) as error:
        checked(head + SOUND)
    assert error.value.line == 1
    assert reason in error.value.reason


def test_an_edition_made_before_the_errata_has_none_and_keeps_its_name():
    made = read_edition("castillejos", {})
    stored = made.to_json()
    assert stored.pop("errata") == made.errata == LAST_ERRATUM_DATE
    old = Edition.from_json(stored)
    assert (old.errata, old.reread) == ("", False)
    assert old.to_json() == stored
    assert old.digest != made.digest
    assert made.reread
    with pytest.raises(ValueError, match="errata of 9999-01-01 cannot be played here"):
        Edition.from_json({**stored, "errata": "9999-01-01"})


def test_breaking_is_off_or_a_share_and_off_is_not_told():
    plain = read_edition("drill", {})
    assert plain.breaking == 0
    assert "breaking" not in plain.to_json()["options"]
    half = read_edition("drill", {"breaking": "50"})
    assert (half.breaking, Edition.from_json(half.to_json()).digest) == (50, half.digest)
    with pytest.raises(ValueError, match="breaking is off or a number of percent from 1 to 100, not '101'"):
        read_edition("drill", {"breaking": "101"})
    checked(SOUND.replace("[seats]", "[options]\nbreaking = 40\n\n[seats]"))


def broken(*sides: str, loses: bool) -> State:
    """The end of the first of three turns, with sides that are broken."""
    scenario = tomllib.loads(SOUND)
    scenario["victory"]["broken_loses"] = loses
    edition = Edition(shipped_map("drill"), GAME_FILES.charts({}), scenario, {"breaking": "50"})
    return starting_position(edition).change(phase="morocco", broken=dict.fromkeys(sides, 2))


@pytest.mark.parametrize(
    ("sides", "loses", "winner"),
    [
        (("spain",), True, "morocco"),
        (("morocco",), True, "spain"),
        (("spain", "morocco"), True, "morocco"),
        (("spain",), False, ""),
        ((), True, ""),
    ],
)
def test_a_scenario_may_count_a_broken_side_as_lost(sides, loses, winner):
    done = count_points(broken(*sides, loses=loses), Task("victory"))
    assert isinstance(done, Did)
    assert [happened.data.get("winner") for happened in done.events[1:]] == ([winner] if winner else [])
    assert State.decode(state := broken(*sides, loses=loses).encode(), broken(loses=loses).edition).encode() == state


def test_whether_a_broken_side_has_lost_is_yes_or_no():
    with pytest.raises(SourceError, match="broken_loses is true or false"):
        checked(SOUND.replace("[victory]", '[victory]\nbroken_loses = "yes"'))
