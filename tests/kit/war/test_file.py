"""What is wrong with a war's file is told with the file, the line and the reason, whatever stands in it."""

import tomllib
from contextlib import suppress
from copy import deepcopy
from typing import Any, cast

import pytest

from pbem.engine.data.sources import SourceError
from pbem.engine.war.chain import Works, changes, open_war
from pbem.engine.war.file import Leg, read_war
from tests.kit.war.small_war import FILE, FIRST, SECOND, war

TEXT = """\
title = "A small war"
legs = ["one", "two"]
points = { blue = 6, red = 6 }
fleet = { blue = 2 }

[formations.Guards]
side = "blue"
units = ["Ash", "Elm", "Fir"]
sickness = "cholera"

[formations.Line]
side = "blue"
units = ["Oak"]
price = 2
camps = { 1 = { at = "Ford", turn = 2 } }

[formations.Birds]
side = "red"
units = ["Hawk", "Kite", "Wren", "Rook"]

[successors]
Duke = "Earl 1/0"

[[camps]]
sick = 2
entrench = { side = "red", spaces = ["Hill"], most = 1 }
roads = { side = "blue", edges = ["Ford-Hill"] }
"""
LEGS = {"one": FIRST, "two": SECOND._replace(turns=8)}


class Little:
    """The two legs, and a file of them."""

    def __init__(self, text):
        self.text = text

    def war(self, name):
        return tomllib.loads(self.text), self.text

    def leg(self, scenario):
        if scenario not in LEGS:
            raise ValueError(f"there is no scenario {scenario!r}")
        return LEGS[scenario]


def wrong(old, new):
    assert TEXT.count(old) == 1, old
    with pytest.raises(SourceError) as error:
        open_war(cast(Any, Little(TEXT.replace(old, new))), "small", {})
    return str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ('title = "A small war"\n', "", "", "title is missing"),
        ('"A small war"', "7", ":1", "title holds words in quotes, not 7"),
        ('"one", "two"', '"one", "three"', ":2", "there is no scenario 'three'"),
        ('["one", "two"]', "[]", ":2", "a war has a leg at least"),
        ('["one", "two"]', '"one"', ":2", "legs is a list, not 'one'"),
        ('["one", "two"]', '["one"]', ":24", "between 1 legs there are 0 camps"),
        ('["one", "two"]', '["one", "two", "two"]', ":24", "between 3 legs there are 2 camps"),
        ("fleet =", "couriers =", ":4", "couriers is nothing that a war has"),
        ("{ blue = 6, red = 6 }", "{ green = 6 }", ":3", "'green' is no side; there are blue, red"),
        ("{ blue = 6, red = 6 }", "{ blue = -1 }", ":3", "points is a whole number from 0, not -1"),
        ("{ blue = 2 }", "{ blue = true }", ":4", "fleet is a whole number from 0, not True"),
        ("{ blue = 2 }", "2", ":4", "fleet is a table of names and values, not 2"),
        ("{ blue = 2 }", '{ blue = 2 }\nback = "3:4"', ":5", "back is a share such as 3/4, not '3:4'"),
        ("{ blue = 2 }", '{ blue = 2 }\nfloor = "5/4"', ":5", "floor is a share such as 3/4, not '5/4'"),
        ("{ blue = 2 }", "{ blue = 2 }\nprices = { REFIT = 0 }", ":5", "REFIT = is a whole number from 1, not 0"),
        ("{ blue = 2 }", "{ blue = 2 }\nprices = { FEAST = 1 }", ":5", "FEAST is nothing that prices has"),
        ("{ blue = 2 }", "{ blue = 2 }\nturns = { three = 1 }", ":5", "three is nothing that turns has"),
        ("{ blue = 2 }", "{ blue = 2 }\nturns = { two = 0 }", ":5", "turns is a whole number from 1, not 0"),
        ("{ blue = 2 }", "{ blue = 2 }\nneeds = { three = {} }", ":5", "three is nothing that needs has"),
        ("{ blue = 2 }", "{ blue = 2 }\nneeds = { two = { blue = 2 } }", ":5", "red of needs is missing"),
        ("{ blue = 2 }", "{ blue = 2 }\nneeds = { two = { blue = 2, red = true } }", ":5", "from -99, not True"),
        ("{ blue = 2 }", "{ blue = 2 }\nneeds = { two = { blue = 2, red = -2 } }", ":5", "both would win two at once"),
        ('"cholera"', '"gout"', ":6", "'gout' is no sickness; there are cholera, harvest"),
        ('"Ash", ', '"Ash", "Beech", ', ":6", "Guards has Beech, which no leg lists"),
        ('"Ash", ', '"Ash", "Hawk", ', ":6", "Guards has Hawk, which is of red"),
        ('"Ash", ', '"Ash", "Ash", ', ":6", "Ash is of Guards already"),
        ('"Oak"', '"Oak", "Ash"', ":11", "Ash is of Guards already"),
        ('"Ash", ', "", ":6", "Ash belongs to no formation"),
        ('side = "blue"\nunits = ["Oak"]', 'units = ["Oak"]', ":11", "side of [formations.Line] is missing"),
        ("price = 2", "pay = 2", ":11", "pay is nothing that [formations.Line] has"),
        ("price = 2\n", "", ":11", "Line can be brought, and has no price"),
        ('camps = { 1 = { at = "Ford", turn = 2 } }\n', "", ":11", "Line has a price, and no camp"),
        ("1 = {", "2 = {", ":11", "'2' is no camp of the war, which has 1"),
        ("1 = {", "first = {", ":11", "'first' is no camp of the war, which has 1"),
        ('at = "Ford"', 'at = "Gate"', ":11", "Gate is no space of two"),
        ("turn = 2", "turn = 9", ":11", "two has no turn 9: its last is 8"),
        ("turn = 2", "when = 2", ":11", "turn of [formations.Line] is missing"),
        ('Duke = "Earl', 'Ash = "Earl', ":22", "Ash leads in no leg"),
        ("Earl 1/0", "Oak 1/0", ":22", "'Oak 1/0' names somebody who stands in a leg himself"),
        ("Earl 1/0", " ", ":22", "holds words in quotes, not ' '"),
        ("sick = 2", "sick = -2", ":25", "sick = is a whole number from 0, not -2"),
        ("sick = 2", "ill = 2", ":24", "ill is nothing that [[camps]] has"),
        ('["Hill"]', '["Gate"]', ":26", "Gate is no space of two"),
        ('side = "red", spaces', 'side = "green", spaces', ":26", "'green' is no side; there are blue, red"),
        ('side = "red", spaces', "spaces", ":26", "'' is no side; there are blue, red"),
        ('"Ford-Hill"', '"Hill-Pass"', ":27", "Hill-Pass is no path of two"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old, new, line, why):
    message = wrong(old, new)
    assert message.startswith(f"small.toml{line}: "), message
    assert why in message


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ('green = ["Duke"]', ":25: 'green' is no side; there are blue, red"),
        ('blue = ["Ash"]', ":25: Ash leads for blue in no leg"),
        ('red = ["Duke"]', ":22: Duke leads for red in no leg"),
    ],
)
def test_a_chief_leads_for_his_side(row, why):
    message = wrong("[[camps]]", f"[chiefs]\n{row}\n\n[[camps]]")
    assert why.split(": ")[1] in message


@pytest.mark.parametrize(
    "changed",
    [{"full": 3}, {"code": "IL"}, {"side": "red"}, {"factors": "fire 2"}],
)
def test_one_id_is_one_unit_with_equal_numbers_in_all_legs(changed):
    other = SECOND._replace(listed=(SECOND.listed[0]._replace(**changed), *SECOND.listed[1:]))
    with pytest.raises(SourceError, match=r"^small.toml:2: Ash is not the same in one and in two: blue IR of 4 steps"):
        read_war(FILE, TEXT, "small.toml", (FIRST, other))


def test_a_third_side_is_none_of_a_war():
    other = Leg("two", (*SECOND.listed, SECOND.listed[0]._replace(id="Owl", side="green")), SECOND.spaces, SECOND.edges)
    more = {**FILE["formations"], "Owls": {"side": "green", "units": ["Owl"]}}
    with pytest.raises(SourceError, match="a war has two sides, not 3: blue, green, red"):
        read_war({**FILE, "formations": more}, TEXT, "small.toml", (FIRST, other))


def paths(value, prefix=()):
    """Every place in a file, the file itself apart."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*prefix, key)
        yield from paths(part, (*prefix, key))


JUNK: tuple[Any, ...] = (3, -1, True, 1.5, "", "x", [], ["x"], [3], {}, {"x": 1}, [[]])


def test_whatever_stands_anywhere_is_read_or_told_and_never_trips_us(subtests):
    for path in paths(FILE):
        with subtests.test(".".join(map(str, path))):
            for junk in JUNK:
                data = deepcopy(FILE)
                part = data
                for key in path[:-1]:
                    part = part[key]
                part[path[-1]] = junk
                with suppress(SourceError):
                    loaded = read_war(data, TEXT, "small.toml", (FIRST, SECOND))
                    changes(loaded, 2, SECOND.listed, loaded.opening(), Works())


def test_a_leg_may_end_before_its_scenario_does():
    loaded = war(turns={"two": 3})
    assert changes(loaded, 2, SECOND.listed, loaded.opening(), Works()).turns == 3
    assert changes(loaded, 1, FIRST.listed, loaded.opening(), Works()).turns == 0
