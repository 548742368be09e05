"""Area maps: spaces, edges, ways, and every fault of the two files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.sources import SourceError
from pbem.engine.map.areas import AreaMap, Edge, Legend, Space, read_map

SPACES = """\
id,en,es,terrain,flags,x,y
B,Bridge,Puente,clear,,10,20
A,Abbey,Abadía,heights,rear:spain entry,30,40
C,Creek,"Arroyo, el",clear,,5,6
D,Dale,Valle,clear,,7,8
"""
EDGES = """\
a,b,kind
B,A,slope
B,C,open

C,D,open
"""


def read(spaces=SPACES, edges=EDGES):
    return read_map("drill", spaces, edges, Legend(("clear", "heights"), ("open", "slope"), ("rear:spain", "entry")))


def refused(spaces=SPACES, edges=EDGES):
    with pytest.raises(SourceError) as error:
        read(spaces, edges)
    return str(error.value)


def test_spaces_are_read_with_their_names_and_flags():
    area = read()
    assert area.spaces["A"] == Space("A", "Abbey", "Abadía", "heights", ("rear:spain", "entry"), 30, 40)
    assert area.spaces["C"].es == "Arroyo, el"
    assert area.name == "drill"


def test_an_edge_leads_both_ways_and_keeps_its_direction():
    area = read()
    assert area.adjacent("A", "B")
    assert area.adjacent("B", "A")
    assert not area.adjacent("A", "C")
    assert not area.adjacent("A", "A")
    assert not area.adjacent("nowhere", "A")
    assert area.edge("A", "B") == area.edge("B", "A") == Edge("B", "A", "slope")
    with pytest.raises(KeyError):
        area.edge("A", "C")


def test_neighbours_come_in_id_order():
    assert read().neighbours("B") == ("A", "C")
    assert read().neighbours("D") == ("C",)


def test_distances():
    area = read()
    assert area.distances(("A",)) == {"A": 0, "B": 1, "C": 2, "D": 3}
    assert area.distances(("A", "D")) == {"A": 0, "D": 0, "B": 1, "C": 1}
    assert area.distances(()) == {}
    assert area.distances(("A",)) is area.distances(("A",))


def test_a_spread_asks_for_each_step_on_the_way_to_the_goal():
    asked = []

    def passable(a, b):
        asked.append((a, b))
        return (a, b) != ("C", "B")

    assert read().spread(["A"], passable) == {"A": 0, "B": 1}
    assert asked == [("B", "A"), ("C", "B")]


def test_stored_and_read_back():
    area = read()
    again = AreaMap.from_json(loads(dumps(area.to_json())))
    assert again.to_json() == area.to_json()
    assert again.spaces == dict(area.spaces)
    assert sorted(again.edges) == sorted(area.edges)


def test_the_order_of_the_lines_does_not_matter_to_what_is_stored():
    head, *rows = SPACES.splitlines(keepends=True)
    assert read("".join([head, *reversed(rows)])).to_json() == read().to_json()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("id,en,es", "id,es,en", "drill.spaces.csv:1: the first line reads id,en,es,terrain,flags,x,y"),
        (SPACES, "", "drill.spaces.csv:1: the first line reads id,en,es,terrain,flags,x,y"),
        (SPACES, SPACES.split("\n")[0], "drill.spaces.csv: the map has no spaces"),
        ("D,Dale", "B,Dale", "drill.spaces.csv:5: space B stands twice"),
        ("Dale,Valle,clear", "Dale,Valle,swamp", "drill.spaces.csv:5: unknown terrain 'swamp'; one of clear, heights"),
        ("rear:spain entry", "rear:spain exit", "drill.spaces.csv:3: unknown flag 'exit'; one of rear:spain, entry"),
        (",10,20", ",ten,20", "drill.spaces.csv:2: x and y are whole numbers"),
        (",10,20", ",10,-20", "drill.spaces.csv:2: x and y are whole numbers"),
        (",10,20", ",10,²", "drill.spaces.csv:2: x and y are whole numbers"),
        (",10,20", ",10", "drill.spaces.csv:2: 6 values, there are 7 columns"),
        (",10,20", ",10,20,30", "drill.spaces.csv:2: 8 values, there are 7 columns"),
        ("B,Bridge", "B C,Bridge", "drill.spaces.csv:2: 'B C' is no id: letters, digits, _ and -"),
        ("B,Bridge", "B/C,Bridge", "drill.spaces.csv:2: 'B/C' is no id: letters, digits, _ and -"),
        ("B,Bridge", "B.2,Bridge", "drill.spaces.csv:2: 'B.2' is no id: letters, digits, _ and -"),
        ("B,Bridge", ",Bridge", "drill.spaces.csv:2: '' is no id: letters, digits, _ and -"),
        ("Bridge,Puente", "Bridge,", "drill.spaces.csv:2: space B has no name in each language"),
        ("Bridge,Puente", " ,Puente", "drill.spaces.csv:2: space B has no name in each language"),
        ("D,Dale,Valle,clear,,7,8\n", "", "drill.edges.csv:5: edge C-D names the unknown space D"),
    ],
)
def test_faults_of_spaces(old, new, why):
    assert SPACES.count(old) == 1
    assert refused(spaces=SPACES.replace(old, new)) == why


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("a,b,kind", "a,b", "drill.edges.csv:1: the first line reads a,b,kind"),
        ("C,D,open", "C,D", "drill.edges.csv:5: 2 values, there are 3 columns"),
        ("C,D,open", "C,D,river", "drill.edges.csv:5: unknown kind of edge 'river'; one of open, slope"),
        ("C,D,open", "C,E,open", "drill.edges.csv:5: edge C-E names the unknown space E"),
        ("C,D,open", "E,C,open", "drill.edges.csv:5: edge E-C names the unknown space E"),
        ("C,D,open", "C,C,open", "drill.edges.csv:5: edge C-C joins a space to itself"),
        ("C,D,open", "A,B,open", "drill.edges.csv:5: edge A-B stands twice"),
        ("C,D,open\n", "", "drill.edges.csv: no way leads to D"),
        ("B,C,open\n", "", "drill.edges.csv: no way leads to C, D"),
    ],
)
def test_faults_of_edges(old, new, why):
    assert EDGES.count(old) == 1
    assert refused(edges=EDGES.replace(old, new)) == why


def test_words_of_the_game_may_come_from_anywhere():
    words = Legend(iter(("clear", "heights")), iter(("open", "slope")), iter(("rear:spain", "entry")))
    area = read_map("drill", SPACES, EDGES, words)
    assert area.to_json() == read().to_json()


GRAPHS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16).map(
    lambda pairs: {(min(p), max(p)) for p in pairs if p[0] != p[1]}
)


@given(GRAPHS)
def test_distances_are_those_of_the_shortest_way(pairs):
    names = "ABCDEFGH"
    area = AreaMap(
        "any", [Space(n, n, n, "clear") for n in names], [Edge(names[a], names[b], "open") for a, b in pairs]
    )
    distances = area.distances(("A",))
    for space in names:
        steps = [distances[near] + 1 for near in area.neighbours(space) if near in distances]
        assert distances.get(space) == (0 if space == "A" else min(steps, default=None))
