"""Documents for paper: text is text, whatever it says; what is out of sight changes no byte; each time the same."""

import json
import re
import struct
import sys
from html import unescape
from itertools import combinations, islice, pairwise

import pytest

from pbem.cli import printing, welcome_pack
from pbem.cli.printing import PrintedGame, PrintedReport
from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.messages import msg
from pbem.letters.catalogue import load_catalogue
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import LIGHT
from pbem.maps.svg import width
from pbem.pages import printed
from pbem.pages.printed import (
    Columns,
    Counters,
    Document,
    Grid,
    Happenings,
    Heading,
    Lines,
    Pair,
    Part,
    Picture,
    Plain,
    Sheet,
    Spread,
)
from tests.games.africa1860 import test_fog as africa
from tests.games.peninsular import test_unseen_on_maps as peninsular
from tests.hostile import VALUES

MARKUP = '#panic("x") #read("/etc/passwd") *b* _i_ $x$ `c` @ref <label> = h \\ // /* [x] {y}'


def full_of(text):
    """A document that says one thing wherever it says anything."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
    parts: tuple[Part, ...] = (
        Heading(text, 1),
        Lines(((0, text), (2, text))),
        Plain(text),
        Picture(svg, text, 20),
        Grid((text, text), ((text, ((text, text),)),), (1, 1)),
        Happenings(((1, text, text, ((True, text), (False, text))),)),
        Counters(((svg, text, text),)),
    )
    columns = Columns((parts,))
    parts = (*parts, Spread(svg, text, 1.2, text, text), Sheet((Pair(parts, (Plain(text, (text,)),)), columns), True))
    return Document(text, "en", text, parts, (text,), text)


def test_markup_is_text():
    made = json.loads(printed.make_compiler(full_of(MARKUP)).query("heading.where(outlined: true)", "body"))
    assert [part["text"] for part in made] == [MARKUP] * 3
    assert printed.to_pdf(full_of(MARKUP)).startswith(b"%PDF-")


@pytest.mark.full
@pytest.mark.parametrize("kind", sorted(VALUES))
def test_whatever_it_says_it_is_laid_out_and_alike_each_time(kind):
    made = printed.to_pdf(full_of(VALUES[kind]))
    assert made.startswith(b"%PDF-")
    assert made == printed.to_pdf(full_of(VALUES[kind]))
    assert not any(word in made for word in (b"/JavaScript", b"/Launch", b"/EmbeddedFile", b"/URI"))


def test_what_cannot_be_seen_is_left_out():
    text = json.dumps(full_of("a\x00b\x1bc\u202ed\ud800e\tf").to_json(), ensure_ascii=False)
    assert "abcde f" in text
    assert text.encode("utf-8")


def test_paper_is_a4_or_letter():
    pages = [printed.to_pngs(full_of("x")._replace(paper=paper), 72)[0] for paper in printed.PAPERS]
    assert [struct.unpack(">II", page[16:24]) for page in pages] == [(595, 842), (612, 792)]
    with pytest.raises(ValueError, match="paper is a4 or letter, not 'a5'"):
        full_of("x")._replace(paper="a5").to_json()


@pytest.mark.parametrize("many", [2, pytest.param(6, marks=pytest.mark.full)])
@pytest.mark.parametrize(("game", "pairs"), [("africa1860", africa.pairs), ("peninsular", peninsular.pairs)])
def test_what_is_out_of_sight_changes_nothing(game, pairs, many):
    desk, held = PrintedGame(game_by_name(game), load_catalogue("en", game)), 0
    for seat, position, twin, *_ in islice(pairs(), many):
        sheet, other = (paper(desk, seat, state) for state in (position, twin))
        assert sheet == other
        held += 1
    assert held == many


def paper(desk, seat, state):
    report = PrintedReport(seat, desk.rules.view(state, seat))
    parts = (*printing.draw_printed_map(desk, report), *printing.report_parts(desk, report))
    return printed.to_pdf(Document("x", "en", "x", parts))


def test_what_is_in_sight_does_change_it():
    desk, state = PrintedGame(game_by_name("africa1860"), load_catalogue("en", "africa1860")), africa.start()
    moved = state.with_units({"Luchana": state.units["Luchana"]._replace(steps=1)})
    assert paper(desk, "spain", state) != paper(desk, "spain", moved)


HEADS = {
    "en": (
        "The battle",
        "How to win",
        "The counters",
        "Branches and signs",
        "The words of orders",
        "What was written",
        "What came of it",
    ),
    "es": (
        *("La batalla", "Lo que cuenta y cómo se gana", "Las fichas", "Armas y signos", "Las palabras de las órdenes"),
        *("Lo que se escribió", "Lo que resultó"),
    ),
}


SCENARIOS = [(game, edition) for game in ("africa1860", "peninsular") for edition in game_by_name(game).editions()]
PACKS = [
    # The first tier has each scenario in one language, and every game in both.
    pytest.param(*scenario, language, marks=[pytest.mark.full] if (number + index) % 2 else [])
    for number, scenario in enumerate(SCENARIOS)
    for index, language in enumerate(("en", "es"))
]


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario", "language"), PACKS)
def test_a_welcome_pack_has_what_one_has_to_know_on_four_pages(game, scenario, language):
    rules, words = game_by_name(game), load_catalogue(language, game)
    for paper in printed.PAPERS:
        made = welcome_pack.welcome_document(PrintedGame(rules, words), scenario, paper)
        assert len(printed.to_pngs(made, 20)) == 4
    battle, spread, turn = made.parts
    assert isinstance(battle, Sheet)
    assert isinstance(spread, Spread)
    assert isinstance(turn, Sheet)
    within = [*inside(made.parts)]
    assert {*HEADS[language]} <= {part.text for part in within if isinstance(part, Heading)}
    state = rules.start(rules.edition(scenario, {}, {}))
    assert rules.pictured is not None
    scene = rules.pictured.picture(rules.view(state, ""), "", ())
    pieces = scene.pieces
    assert all(f'data-unit="{piece.id}"' in spread.svg for piece in pieces)
    (counters,) = [part for part in within if isinstance(part, Counters)]
    assert len(counters.counters) == len({piece.branch for piece in pieces})
    orders = [part.text for part in within if isinstance(part, Plain) and part.is_code]
    begin, end = {"en": ("ORDERS T1\n", "\nEND"), "es": ("ORDENES T1\n", "\nFIN")}[language]
    assert orders
    for text in orders:
        assert text.startswith(begin)
        assert text.endswith(end)
    # A few orders are numbered as they stand; their numbers are on the map, and at what came of them.
    (shown,) = [part for part in inside(turn.parts) if isinstance(part, Picture)]
    written, came = [part for part in within if isinstance(part, Plain)]
    numbers = [number for number in written.numbers if number]
    assert numbers == [f"{number}" for number in range(1, len(numbers) + 1)]
    assert 1 <= len(numbers) <= 4
    assert all(f">{number}</text>" in shown.svg for number in numbers)
    assert {*came.numbers} == {"", *numbers} or {*came.numbers} == {*numbers}
    # Sent as they stand, the orders are accepted; the counters that they name are in the picture, where they start.
    (seat,) = rules.active(state)
    reading = rules.parse("\n".join(written.text.splitlines()[1:-1]), rules.view(state, seat), seat)
    ordered = rules.aids.in_order(reading.orders)
    refused = rules.check(rules.view(state, seat), seat, ordered)
    assert (reading.rejected, reading.warned, refused) == ((), (), ())
    canon = rules.canon(ordered)
    named = {piece.id for piece in pieces} & {*re.split(r"[\s,+]+", canon)}
    assert named
    assert all(f'data-unit="{unit}"' in shown.svg for unit in named)
    # The legend has the signs of what the picture shows, and no others. Nations are in it where a side has several.
    drawn, legend = re.split(r'<g transform="translate\(0 [\d.]+\) scale', shown.svg)
    shown_sides = {piece.side for piece in pieces if f'data-unit="{piece.id}"' in drawn}
    camps = [camp for camp in scene.camps if camp.points is not None or camp.id in shown_sides]
    called = {camp.id: words.say(camp.name)[:1].upper() + words.say(camp.name)[1:] for camp in camps}
    with_whom = {
        words.say(msg("{nation}, with {side}", nation=msg("{name}", name=called[camp.id]), side=ally.name))
        if ally
        else called[camp.id]
        for camp in camps
        for ally in [next((other for other in camps if other.id == camp.ally), None)]
    }
    nations = with_whom | {words.say(camp.letter) for camp in camps} if any(camp.ally for camp in camps) else set()
    signs = {unescape(sign) for sign in re.findall(r">([^<>]+)</text>", legend)}
    shows = {
        msg("move"): any(word in canon for word in ("MOVE", "CHARGE")),
        msg("fire"): LIGHT.fire[2] in drawn,
        msg("assault"): any(word in canon for word in ("ASSAULT", "CHARGE")),
        msg("front"): game == "peninsular",
        msg("worth points; the colour is its holder's"): f'stroke="{LIGHT.gold}"' in drawn,
    }
    assert signs == {words.say(sign) for sign, is_shown in shows.items() if is_shown} | nations
    # The picture of the turn has its map within it.
    for svg, map_view in ((shown.svg, 1), (spread.svg, 0)):
        left, top, wide, high = map(float, re.findall(r'viewBox="([^"]+)"', svg)[map_view].split())
        corners = [*counter_corners(svg)]
        assert corners
        assert all(left <= x <= left + wide and top <= y <= top + high for x, y in corners)
    lines = [line for part in within if isinstance(part, Lines) for _, line in part.lines]
    for topic in ("roles", "sequence"):
        assert {words.say(line) for _, line in rules.rulebook.help(topic)} <= {*lines}
    # On the large map the names of counters can be read, and in small all of the map is there.
    (whole,) = [part.svg for part in inside(battle.parts) if isinstance(part, Picture) and part.fills]
    edges = [[float(edge) for edge in re.findall(r'viewBox="([^"]+)"', svg)[0].split()] for svg in (whole, spread.svg)]
    ground = prepare_ground(rules.pictured.ground(state.edition), rules.pictured.picture(state, "", ()))
    assert ground.whole is not None
    assert edges[0][2] >= ground.whole[2] - ground.whole[0] - 0.1
    assert edges[0][3] >= ground.whole[3] - ground.whole[1] - 0.1
    assert edges[0][2] >= edges[1][2]
    for paper in printed.PAPERS:
        wide = json.loads(printed.make_compiler(made._replace(paper=paper)).query("<spread>"))[0]["value"]
        assert min(name_sizes(spread.svg)) * wide / edges[1][2] >= 6.4 - 0.01
    # What fits is set in type that can be read: tables, whose type is the smallest, in more than 6 points.
    assert min(min(printed_type(made._replace(paper=paper))) for paper in printed.PAPERS) >= 6.8
    assert printed.to_pdf(made) == printed.to_pdf(
        welcome_pack.welcome_document(PrintedGame(rules, words), scenario, paper)
    )


@pytest.mark.parametrize(
    ("game", "scenario"),
    [pytest.param(*scenario, marks=[] if scenario[1] == "drill" else [pytest.mark.full]) for scenario in SCENARIOS],
)
def test_a_pack_for_a_seat_has_the_first_turn_of_that_seat(game, scenario):
    rules = game_by_name(game)
    desk, state = PrintedGame(rules, load_catalogue("en", game)), rules.start(rules.edition(scenario, {}, {}))
    (first,) = rules.active(state)
    assert welcome_pack.welcome_document(desk, scenario, "a4", first) == welcome_pack.welcome_document(
        desk, scenario, "a4"
    )
    sides = rules.seats(state)
    second = next(seat for seat in sides if sides[seat] != sides[first])
    made = welcome_pack.welcome_document(desk, scenario, "a4", second)
    assert len(printed.to_pngs(made, 20)) == 4
    (shown,) = [part for part in inside(made.parts[-1:]) if isinstance(part, Picture)]
    written, came = [part for part in inside(made.parts[-1:]) if isinstance(part, Plain)]
    numbers = [number for number in written.numbers if number]
    assert numbers == [f"{number}" for number in range(1, len(numbers) + 1)]
    assert 1 <= len(numbers) <= 4
    assert {*came.numbers} - {""} == {*numbers}
    assert all(f">{number}</text>" in shown.svg for number in numbers)
    # Who stands in the orders is of that side, and is seen where he starts.
    assert rules.pictured is not None
    pieces = {piece.id: piece for piece in rules.pictured.picture(rules.view(state, "") or state, "", ()).pieces}
    camps = {piece.side for piece in pieces.values() if piece.id in written.text.replace(",", "").split()}
    first_sheet = welcome_pack.welcome_document(desk, scenario, "a4").parts[-1:]
    first_orders = next(part.text for part in inside(first_sheet) if isinstance(part, Plain))
    assert camps
    assert not camps & {piece.side for piece in pieces.values() if piece.id in first_orders.replace(",", "").split()}


def name_sizes(svg):
    """The sizes of the names of counters on a map, in its units."""
    for drawn in svg.split('data-unit="')[1:]:
        scaled = re.search(r'^[^>]*><g transform="[^"]*scale\(([\d.]+)\)"', drawn)
        size = re.search(r'<text[^>]*font-size="([\d.]+)"', drawn)
        assert size
        yield float(size[1]) * (float(scaled[1]) if scaled else 1.0)


def counter_corners(svg):
    """The left upper and right lower corners of the counters of a map."""
    scaled = r'(?: transform="translate\(([\d.-]+) ([\d.-]+)\) scale\(([\d.]+)\)"><g)?'
    body = r'<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)" height="([\d.]+)"'
    for drawn in re.finditer(rf'data-unit="[^"]+"><g{scaled}>.*?/>{body}', svg):
        x, y, size = (float(drawn[group] or default) for group, default in ((1, 0), (2, 0), (3, 1)))
        left, top, wide, high = (float(drawn[group]) for group in (4, 5, 6, 7))
        yield x + size * left, y + size * top
        yield x + size * (left + wide), y + size * (top + high)


@pytest.mark.parametrize(("game", "scenario"), SCENARIOS)
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_counter_is_explained_in_the_terms_of_its_game(game, scenario, language):
    rules, words = game_by_name(game), load_catalogue(language, game)
    state = rules.start(rules.edition(scenario, {}, {}))
    assert rules.pictured is not None
    scene = rules.pictured.picture(rules.view(state, ""), "", ())
    svg = welcome_pack.explained_counter(scene, PrintedGame(rules, words).style)
    notes = re.findall(r">([^<>]+)</text>", svg)
    own = {"africa1860": ("fire, assault", "steps left"), "peninsular": ("will", "formed", "full strength", "front")}
    for terms in own.values():
        assert {words.say(msg(term)) in notes for term in terms} == {terms is own[game]}
    # No line to a part crosses another.
    lines = [[tuple(map(float, point.split())) for point in path.split("L")] for path in NOTE_LINES.findall(svg)]
    assert len(lines) >= len(own[game]) + 4
    legs = [(number, *leg) for number, points in enumerate(lines) for leg in pairwise(points)]
    for (number, *leg), (other_number, *other_leg) in combinations(legs, 2):
        assert number == other_number or not touching(leg, other_leg)

    fronts = re.findall(rf'<path d="M([^"]+)Z" fill="{LIGHT.front[0]}"/>', svg)
    assert len(fronts) == (game == "peninsular")
    for front in fronts:
        head = [tuple(map(float, point.split())) for point in front.split("L")]
        (left, right), (top, bottom) = ((min(edges), max(edges)) for edges in zip(*head, strict=True))
        # Its note begins on it, and the words of no note lie on it.
        begun = re.search(rf'<path d="M([0-9. ]+)L[^>]+><text[^>]+>{words.say(msg("front"))}<', svg)
        assert begun
        x, y = map(float, begun[1].split())
        assert left < x < right
        assert top < y < bottom
        for x, y, size, anchor, note in re.findall(NOTE, svg):
            start, end = sorted((float(x), float(x) + width(note, float(size)) * (-1 if anchor == "end" else 1)))
            assert end < left or start > right or float(y) < top - 1 or float(y) - 0.75 * float(size) > bottom, note


NOTE = re.compile(
    r'"0.3"/><text x="([-0-9.]+)" y="([-0-9.]+)" font-size="([0-9.]+)"[^>]*?text-anchor="(\w+)"[^>]*>([^<]+)<'
)
NOTE_LINES = re.compile(r'<path d="M([^"Z]+)" fill="none" stroke="[^"]+" stroke-width="0.3"')


def touching(leg, other):
    """Whether two upright or level lines have a point in common."""
    return all(
        min(leg[0][axis], leg[1][axis]) <= max(other[0][axis], other[1][axis])
        and min(other[0][axis], other[1][axis]) <= max(leg[0][axis], leg[1][axis])
        for axis in (0, 1)
    )


def inside(parts):
    """All parts, those within others as well."""
    for part in parts:
        yield part
        for field in part.sections if isinstance(part, Columns) else part:
            if isinstance(field, tuple) and field and isinstance(field[0], printed.Part):
                yield from inside(field)


def printed_type(document):
    """The sizes of type, in points, that the sheets of a document are set in."""
    return [float(row["value"]) for row in json.loads(printed.make_compiler(document).query("<type>"))]


def test_a_picture_that_fills_its_sheet_takes_what_the_type_leaves():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'

    def rooms(lines, fills):
        column = Lines(((0, "The army marches along the beach."),) * lines), Picture(svg, "map", 26, fills)
        document = Document("Sheet", "en", "foot", (Sheet((Pair(column, ()),)),))
        return printed_type(document), json.loads(printed.make_compiler(document).query("<room>"))[0]["value"]

    room_by_lines = {lines: rooms(lines, True) for lines in (2, 30, 200)}
    assert all(type_sizes == rooms(lines, False)[0] for lines, (type_sizes, _) in room_by_lines.items())
    assert [room for _, room in room_by_lines.values()] == sorted((room for _, room in room_by_lines.values()))[::-1]
    assert room_by_lines[2][1] > 26 > room_by_lines[200][1]


def test_without_the_library_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    assert printed.is_missing()
    with pytest.raises(printed.Unavailable, match=r"pip install 'pbem\[pdf\]'"):
        printed.to_pdf(full_of("x"))


def test_pages_are_pictures_too():
    pages = printed.to_pngs(full_of("x")._replace(parts=(Heading("a"), Heading("b", 1, True))), 30)
    assert len(pages) == 2
    assert all(page.startswith(b"\x89PNG") for page in pages)
