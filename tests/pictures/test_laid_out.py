"""What stands on the map covers nothing that matters: stacks, arrows, signs; and what part of the map is shown."""

import re
from collections import Counter
from itertools import pairwise, product
from math import dist

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.messages import msg, plain_english
from pbem.engine.data.scene import Mark, Nation, Piece, Scene, SceneGoal
from pbem.engine.map.hexes import TALL, centre
from pbem.engine.map.plane import Box
from pbem.letters.catalogue import load_catalogue
from pbem.maps.counters import GRAVE, LOSS, LOSS_HALF, SLAT, WIDE, counter, figure_box, loss_middle, slat, texts
from pbem.maps.drawing import draw, draw_marks, fronts, spotlights
from pbem.maps.drawn_on import WINDS, Style, is_within
from pbem.maps.ends import name_ends
from pbem.maps.goals import goals_on_hexes, place_names
from pbem.maps.grounds import LEAST, prepare_ground
from pbem.maps.layout import SIZES, body, counters_of, is_whole, lay_piles, lay_stacks
from pbem.maps.legend import NARROW_LINE, unnamed_ends
from pbem.maps.marks import Border, Pen, entry_route, mark
from pbem.maps.palette import DARK, LIGHT
from pbem.maps.svg import width
from tests.pictures.drawn import is_named
from tests.pictures.shown import POSITIONS, Position, painted

STYLE = Style(plain_english, lambda name: name)
CAMPS = (Nation("british", msg("British"), msg("B"), "light"), Nation("french", msg("French"), msg("F"), "dark"))
PEN = Pen(LIGHT, "#112233")


def ground_of(game, scenario):
    rules = game_by_name(game)
    assert rules.pictured is not None
    return rules.pictured.ground(rules.edition(scenario, {}, {}))


def barrosa(pieces, marks=(), stakes=()):
    scene = Scene(msg("Barrosa"), msg("Turn 1"), CAMPS, tuple(pieces), tuple(marks), tuple(stakes))
    return scene, prepare_ground(ground_of("peninsular", "barrosa"), scene)


def battalion(name, place, side="british", **more):
    return Piece(name, name, place, side, "infantry", 5, 6, "B", form="formed", **more)


def overlap(first, other):
    return (
        min(first[2], other[2]) - max(first[0], other[0]) > 1 and min(first[3], other[3]) - max(first[1], other[1]) > 1
    )


def castillejos(many):
    return Scene(
        msg("Castillejos"),
        msg("Turn 1"),
        (Nation("spain", msg("Spain"), msg("S"), "dark"),),
        tuple(
            Piece(f"U{place}{index}", f"U{place}{index}", place, "spain", "infantry", 2, 4)
            for place, number in many.items()
            for index in range(number)
        ),
    )


@pytest.mark.parametrize(
    ("many", "size"), [({"Playa": 1, "Sur": 1}, SIZES[0]), ({"Cresta": 6, "Morabito": 6, "Mochilas": 6}, None)]
)
def test_counters_are_as_large_as_leaves_room_and_cover_no_others(many, size):
    scene = castillejos(many)
    ground = prepare_ground(ground_of("africa1860", "castillejos"), scene)
    stacks = lay_stacks(scene, ground)
    assert {len(stacks[place].counters) for place in many} == set(many.values())
    if size is not None:
        assert {stack.size for stack in stacks.values()} == {size}
    boxes = [stack.box for _, stack in sorted(stacks.items())]
    assert not any(overlap(box, other) for index, box in enumerate(boxes) for other in boxes[:index])
    left, top, right, bottom = ground.box
    assert all(box[0] >= left and box[1] >= top and box[2] <= right and box[3] <= bottom for box in boxes)


@pytest.mark.parametrize("name", ["castillejos", "wadras", "tetuan-es"])
def test_no_counter_is_much_larger_than_another(name):
    scene, ground, _ = painted(POSITIONS[name])
    sizes = {stack.size for stack in lay_stacks(scene, ground).values() if stack.counters}
    assert len(sizes) > 1
    assert max(sizes) < 1.6 * min(sizes)


def test_a_head_of_a_pile_says_what_state_its_counter_is_in():
    scene, ground = barrosa(
        [battalion("1/9", "1212", states=(msg("ROUTED"),)), battalion("2/9", "1212"), battalion("3/9", "1212")]
    )
    stack = lay_piles(scene, ground)["1212"]
    ys = [y for _, (_, y) in (*stack.slats, *stack.counters)]
    assert ys[1] - ys[0] > ys[2] - ys[1]
    assert ">ROUTED<" in draw(scene, ground, STYLE)


def test_a_loss_is_drawn_last_at_the_right_upper_corner_of_its_counter():
    scene, ground = barrosa([battalion("1/9", "1212", lost=2, facing="S"), battalion("2/9", "1212")])
    svg = draw(scene, ground, STYLE)
    plates = re.findall(rf'<rect x="([0-9.]+)" y="([0-9.]+)" width="{2 * LOSS}" height="{2 * LOSS_HALF}"', svg)
    (x, y), *_ = [point for piece, point in lay_piles(scene, ground)["1212"].slats if piece.lost]
    left, top = map(float, plates[0])
    assert (left + LOSS, top + LOSS_HALF) == pytest.approx(loss_middle((x, y), 1.0), abs=0.1)
    assert x + WIDE - 2 * LOSS < left + LOSS < x + WIDE
    above = svg[svg.index(">\u20132<") : svg.index(LIGHT.paper)]
    assert re.findall("<path|<rect", above) == ["<path"]


@pytest.mark.parametrize("size", [0.8, 1.0, 1.4])
@pytest.mark.parametrize("face", [counter, slat])
@pytest.mark.parametrize("name", ["1/9", "Husares1", "GuardiaNegra"])
def test_a_loss_leaves_the_end_of_a_name_free(name, face, size):
    svg = face(battalion(name, "1212", lost=1), CAMPS[0], (0.0, 0.0), LIGHT, plain_english)
    # The longest is abbreviated.
    name = {"GuardiaNegra": r"G[a-z]*\.Negra"}.get(name, name)
    shown = re.search(rf'<text x="([0-9.]+)" y="[0-9.]+" font-size="([0-9.]+)"([^>]*)>({name})<', svg)
    assert shown
    condensed = re.search(r'textLength="([0-9.]+)"', shown[3])
    end = float(shown[1]) + (float(condensed[1]) if condensed else width(shown[4], float(shown[2])))
    assert "text-anchor" not in shown[3]
    assert end * size < loss_middle((0.0, 0.0), size)[0] - LOSS


@pytest.mark.parametrize("scenario", ["brigades", "castillejos", "drill", "tetuan", "wadras"])
@pytest.mark.parametrize("many", [4, 10, 12])
def test_no_frame_cuts_a_stack_or_the_name_above_it(scenario, many):
    ground = prepare_ground(ground_of("africa1860", scenario), castillejos({}))
    left, top, right, bottom = ground.box
    for place in ground.sites:
        scene = castillejos({place: many})
        stack = lay_stacks(scene, ground)[place]
        assert left <= stack.box[0] < stack.box[2] <= right, place
        assert top <= stack.box[1] < stack.box[3] <= bottom, place


def test_a_loss_at_the_edge_of_a_phone_is_moved_into_its_picture():
    scene, _ = barrosa([battalion(f"{number}/9", "2312", lost=1) for number in range(2)])
    ground = prepare_ground(ground_of("peninsular", "barrosa"), scene, narrow=True)
    shown = re.findall(rf'<rect x="([0-9.]+)" y="[0-9.]+" width="{2 * LOSS}"', draw(scene, ground, STYLE))
    assert len(shown) > 2
    assert all(float(x) + 2 * LOSS < ground.box[2] for x in shown[:2])


@pytest.mark.parametrize("facing", ["N", "NE", "SE", "S", "SW", "NW"])
@pytest.mark.parametrize("many", [1, 3])
def test_a_pile_has_an_arrow_head_outside_at_the_side_that_it_faces(facing, many):
    pieces = [battalion(f"{number}/9", "1212", facing=facing) for number in range(many)]
    scene, ground = barrosa([*pieces, Piece("Graham", "Graham", "1212", "british", "leader", factors="2/1")])
    stack = lay_piles(scene, ground)["1212"]
    left, top, right, bottom = body(stack)
    _, head = re.findall(r'<path d="M([^"]+)Z"', fronts(stack, ground, LIGHT))
    (x, y), *barbs = [tuple(map(float, point.split())) for point in head.split("L")]
    tail_x, tail_y = (sum(point[axis] for point in barbs) / len(barbs) for axis in (0, 1))
    assert (y < top) == (y < tail_y - 1) == facing.startswith("N")
    assert (y > bottom) == (y > tail_y + 1) == facing.startswith("S")
    assert (x > right) == (x > tail_x + 1) == ("E" in facing)
    assert (x < left) == (x < tail_x - 1) == ("W" in facing)
    # The pile has room for it, so that no pile below covers it.
    assert y < stack.box[3] + 3


def test_the_edge_of_the_map_cuts_no_front():
    scene, ground = barrosa([battalion("1/9", "1212", facing="NW"), battalion("1/54", "1412", "french", facing="NE")])
    stacks, (x, _) = lay_piles(scene, ground), ground.sites["1212"]
    ground = ground._replace(box=(x - WIDE / 2 - 1, *ground.box[1:]))
    starts = re.findall(r"[ML]([0-9.]+) ", fronts(stacks["1212"], ground, LIGHT))
    assert starts
    assert all(float(start) > ground.box[0] for start in starts)


def points_of(svg):
    """The points on and in the shapes of a drawing, about a unit apart, with how far its lines reach to each side."""
    for x, y, radius in re.findall(r'cx="([-0-9.]+)" cy="([-0-9.]+)" r="([0-9.]+)"', svg):
        yield float(x), float(y), float(radius)
    for way, wide in re.findall(r'<path d="([^"]+)"[^>]*?(?:stroke-width="([0-9.]+)"|/>)', svg):
        for part in way.split("M")[1:]:
            numbers = [float(figure) for figure in re.findall(r"-?[0-9.]+", part)]
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            for (a, b), (c, d) in pairwise([*points, *(points[:1] if "Z" in part else ())]):
                steps = int(dist((a, b), (c, d))) + 1
                for step in range(steps + 1):
                    yield a + (c - a) * step / steps, b + (d - b) * step / steps, float(wide or 0) / 2


def figure_boxes(stacks):
    return [
        tuple(edge * stack.size + start for edge, start in zip(figure_box(piece, in_pile), (x, y, x, y), strict=True))
        for stack in stacks.values()
        for in_pile, placed in ((True, stack.slats), (False, stack.counters))
        for piece, (x, y) in placed
    ]


def is_entered(boxes, points):
    return any(
        left - reach < x < right + reach and top - reach < y < bottom + reach
        for x, y, reach in points
        for left, top, right, bottom in boxes
    )


@pytest.mark.parametrize("facing", ["N", "NE", "SE", "S", "SW", "NW"])
@pytest.mark.parametrize("many", [1, 3])
def test_no_front_and_no_loss_enters_the_box_of_a_strength(facing, many):
    states = ((), (msg("ROUTED"),))
    for strength, state in product((1, 7, 12), states):
        pieces = [
            battalion(f"{index}/9", "1212", facing=facing, lost=index + 1, states=state)._replace(strength=strength)
            for index in range(many)
        ]
        scene, ground = barrosa([*pieces, Piece("Graham", "Graham", "1212", "british", "leader", factors="2/1")])
        stacks = lay_piles(scene, ground)
        boxes = figure_boxes(stacks)
        assert not is_entered(boxes, points_of(fronts(stacks["1212"], ground, LIGHT)))
        for piece, point in counters_of(stacks["1212"]):
            x, y = loss_middle(point, 1.0)
            plate = (x - LOSS, y - LOSS_HALF, x + LOSS, y + LOSS_HALF)
            assert not piece.lost or not any(overlap(plate, box) for box in boxes)


@pytest.mark.parametrize("strength", [1, 12])
@pytest.mark.parametrize(("factors", "form"), [("(6)", "limbered"), ("(4)", "unlimbered"), ("B", "skirmish")])
def test_nothing_of_its_own_counter_enters_the_box_of_a_strength_in_a_pile(factors, form, strength):
    piece = battalion("1/9", "1212")._replace(strength=strength, factors=factors, form=form)
    svg = slat(piece, CAMPS[0], (0.0, 0.0), LIGHT, plain_english)
    left, *_ = figure_box(piece, True)
    start, size = re.findall(rf'<text x="([0-9.]+)"[^>]*font-size="([0-9.]+)"[^>]*>{re.escape(factors)}<', svg)[0]
    sign, scale = re.findall(r'transform="translate\(([0-9.]+) [0-9.]+\) scale\(([0-9.]+)\)"/>', svg)[-1]
    assert float(start) + width(factors, float(size)) < float(sign)
    ends = {"limbered": 8.6, "unlimbered": 8.0, "skirmish": 8.8}
    assert float(sign) + ends[form] * float(scale) < left


@pytest.mark.parametrize("name", [name for name, position in POSITIONS.items() if not position.narrow])
@pytest.mark.parametrize("narrow", [False, True])
def test_no_mark_enters_the_box_of_a_strength(name, narrow):
    scene, ground, _ = painted(POSITIONS[name]._replace(narrow=narrow))
    stacks = (lay_piles if ground.piles else lay_stacks)(scene, ground)
    boxes = figure_boxes(stacks)
    assert boxes
    for sign in draw_marks(scene, ground, stacks, LIGHT):
        assert not is_entered(boxes, points_of(sign.above))


def test_a_mark_without_room_beside_figures_lies_below_the_counters():
    boxes = {"A": (80.0, 40.0, 120.0, 100.0), "B": (80.0, 101.0, 120.0, 160.0)}
    everywhere = Border([(80.0, 100.5), (120.0, 100.5)], figures=[(60.0, 60.0, 140.0, 140.0)])
    drawn = mark(Mark("assault", "spain", ("A", "B")), [(100.0, 70.0), (100.0, 130.0)], boxes, PEN, everywhere)
    assert drawn.below
    assert not drawn.above


@pytest.mark.parametrize("words", [("DESMORALIZADA", "T12"), ("EN DESBANDADA",), ("DISORD.",)])
def test_a_state_is_never_cut_short(words):
    shown = battalion("1/9", "1212", states=tuple(map(msg, words)))
    for face in (counter, slat):
        assert f">{', '.join(words)}<" in face(shown, CAMPS[0], (0.0, 0.0), LIGHT, plain_english)


@pytest.mark.parametrize(
    ("game", "place", "aside"), [("peninsular", "1212", WIDE / 2), ("africa1860", "Mochilas", -3.0)]
)
def test_the_worth_of_a_goal_leaves_the_place_of_an_order_number_free(game, place, aside):
    scene = castillejos({place: 1})._replace(stakes=(SceneGoal(place, 3, ""),))
    ground = prepare_ground(ground_of(game, {"peninsular": "barrosa"}.get(game, "castillejos")), scene)
    stacks = (lay_piles if ground.piles else lay_stacks)(scene, ground)
    if ground.piles:
        look, (x, y) = goals_on_hexes(scene, ground, stacks, STYLE)[1][place]
    else:
        look, (x, y) = next(named[1:] for named in place_names(scene, ground, stacks, STYLE) if named[0] == place)
    ring = re.search(r'<circle cx="([-0-9.]+)" cy="([-0-9.]+)" r="([0-9.]+)"', look)
    assert ring
    left, top, _, _ = stacks[place].box
    number_at = left + aside, top + 3
    assert dist((x + float(ring[1]), y + float(ring[2])), number_at) > float(ring[3]) + 6


@pytest.mark.parametrize("target", ["1213", "1216"])
def test_fire_begins_at_who_fires_and_points_at_the_target(target):
    places = "1212", target
    for firer, aim in (places, places[::-1]):
        fire = Mark("fire", "british", (firer, aim))
        scene, ground = barrosa([battalion("1/9", "1212"), battalion("1/54", target, "french")], [fire])
        (drawn,) = draw_marks(scene, ground, lay_piles(scene, ground), LIGHT)
        (dot,) = set(re.findall(r'<circle cx="[0-9.]+" cy="([0-9.]+)"', drawn.above))
        # The point of its head comes first in the path.
        (tip,) = set(re.findall(r'<path d="M[0-9.]+ ([0-9.]+)L', drawn.above)) - {dot}
        assert (float(tip) > float(dot)) == (aim == target)
        assert abs(float(dot) - ground.sites[firer][1]) < abs(float(tip) - ground.sites[firer][1])


def test_a_phone_says_where_fights_lie_beyond_its_picture():
    scene, ground, style = painted(POSITIONS["rolica"]._replace(narrow=True))
    fought = {mark.places[-1] for mark in scene.marks if mark.kind in ("assault", "fire")}
    fought |= {piece.place for piece in scene.pieces if piece.lost}
    beyond = [place for place in sorted(fought) if not is_within(place, ground)]
    assert 0 < len(beyond) < len(fought)
    named = re.search(r">beyond the picture: ([^<]+)<", draw(scene, ground, style))
    assert named
    assert re.findall(r"(\d{4}) \([NSEW]+\)", named[1]) == beyond


@pytest.mark.parametrize("kind", ["move", "retreat", "ride"])
def test_a_phone_names_where_a_way_beyond_its_picture_comes_from_and_leads_to(kind):
    ways = [Mark(kind, "british", ("0812", "1212")), Mark(kind, "british", ("1212", "1208"))]
    scene, ground = barrosa([battalion("1/9", "1212")], ways)
    x, y = ground.sites["1212"]
    ground = ground._replace(box=(x - 100, y - 100, x + 100, y + 100), narrow=True)
    svg = draw(scene, ground, STYLE)
    assert ">from 0812 (W)<" in svg
    assert ">to 1208 (N)<" in svg
    came, left = draw_marks(scene, ground, lay_piles(scene, ground), LIGHT)
    assert came.line[0][0] == pytest.approx(x - 97)
    assert left.line[-1][1] == pytest.approx(y - 97)
    # With its head, if it has one.
    assert ("Z" in left.below) == (kind != "ride")


PHONES = [("peninsular", "barrosa"), ("peninsular", "rolica"), ("peninsular", "usagre"), ("africa1860", "castillejos")]
END = re.compile(
    r'<rect x="([-0-9.]+)" y="([-0-9.]+)" width="([0-9.]+)" height="([0-9.]+)" rx="2" '
    r'fill="[^"]+" fill-opacity="0.9"/>'
    r"<text[^>]*>((?:from|to) [^<]+)<"
)


@pytest.mark.parametrize(("game", "scenario"), PHONES)
def test_a_name_beyond_the_picture_of_a_phone_covers_nothing_and_lies_at_a_visible_end(game, scenario):
    for phases in range(1, 12):
        scene, ground, style = painted(Position(game, scenario, phases, narrow=True))
        stacks = (lay_piles if ground.piles else lay_stacks)(scene, ground)
        stacks = {place: stack for place, stack in stacks.items() if is_whole(stack, ground.box)}
        drawn = list(draw_marks(scene, ground, stacks, LIGHT))
        visible = [mark.line[-end] for mark in drawn if mark.below for end in (0, 1) if mark.cut[end] is not None]
        plates: list[Box] = []
        for left, top, wide, high, words in END.findall(draw(scene, ground, style)):
            box = (float(left), float(top), float(left) + float(wide), float(top) + float(high))
            standing = [body(stack) for stack in stacks.values() if counters_of(stack)]
            assert not any(overlap(box, other) for other in (*plates, *standing)), (phases, words)
            near = [(x, y) for x, y in visible if max(box[0] - x, x - box[2], box[1] - y, y - box[3]) <= 16]
            assert [point for point in near if not is_entered(standing, [(*point, 0.0)])], (phases, words)
            plates.append(box)


def test_a_direction_in_spanish_is_not_the_letter_of_the_spaniards():
    for game in ("africa1860", "peninsular"):
        words = load_catalogue("es", game)
        winds = [words.say(direction) for direction in WINDS.values()]
        assert winds == ["(N)", "(NE)", "(E)", "(SE)", "(S)", "(SO)", "(O)", "(NO)"]


def test_ends_without_room_share_a_plate_or_are_named_in_the_legend():
    # All come in at one point.
    beyond = [f"120{number}" for number in range(1, 9)]
    ways = [Mark("move", "british", (place, "1210", "1211", "1212")) for place in beyond]
    scene, ground = barrosa([battalion("1/9", "1212")], ways)
    x, y = ground.sites["1212"]
    shown = ground._replace(box=(x - 150, y - 90, x + 150, y + 60), narrow=True)
    named = [words for *_, words in END.findall(draw(scene, shown, STYLE))]
    listed = [words for words in legend_words(scene, shown) if words.startswith("beyond the picture: from ")]
    places = re.findall("[0-9]{4}", " ".join([*named, *listed]))
    assert sorted(places) == beyond
    assert any("," in words for words in named)
    # Where both sides of that point are taken none has a plate.
    top, marks = shown.box[1], list(draw_marks(scene, shown, lay_piles(scene, shown), LIGHT))
    none, unnamed = name_ends(scene, shown, marks, [(x - 90, top, x - 7, y), (x + 7, top, x + 90, y)], STYLE)
    assert none == []
    signs = [plain_english(words) for _, _, words in unnamed_ends(unnamed, LIGHT)]
    assert sorted(re.findall("[0-9]{4}", " ".join(signs))) == beyond
    assert all(len(re.findall("[0-9]{4}", sign)) <= 3 for sign in signs)


def test_a_legend_says_what_an_empty_outline_is():
    fire, gone = Mark("fire", "british", ("1212", "1214")), Mark("retreat", "french", ("1214", "1215"))
    for marks, is_shown in (((fire, gone), True), ((gone,), False)):
        scene, ground = barrosa([battalion("1/9", "1212")], marks)
        assert (">was fired at here, and left<" in draw(scene, ground, STYLE)) == is_shown


def test_a_phone_says_on_whose_side_a_nation_fights_where_a_side_has_several_colours():
    for camps, many in (
        (CAMPS, 0),
        ((*CAMPS, Nation("spanish", msg("Spanish"), msg("S"), "light 2", ally="british")), 1),
    ):
        scene, ground = barrosa([battalion("1/9", "1212"), *([battalion("1/8", "1213", "spanish")] * many)])
        svg = draw(scene._replace(camps=camps), ground._replace(narrow=True), STYLE)
        assert svg.count(">Spanish, with British<") == many


def drawn_marks(pieces, marks):
    scene, ground = barrosa(pieces, marks)
    return [*draw_marks(scene, ground, lay_piles(scene, ground), LIGHT)], ground


@pytest.mark.parametrize(
    ("way", "alone"),
    [
        (("1009", "1010", "1111", "1211"), ("1009", "1010")),
        (("1010", "1111", "1112"), ("1111", "1112")),
        (("1010", "1111"), ()),
        (("1009", "1110", "1211"), ("1009", "1110", "1211")),
    ],
)
def test_a_leader_has_a_line_only_where_he_rides_without_troops(way, alone):
    march = Mark("move", "british", ("1010", "1111", "1211"))
    pieces = [battalion("1/9", "1211")]
    (_, ride), ground = drawn_marks(pieces, [march, Mark("ride", "british", way)])
    places = [place for place in alone if place != "1211"]
    assert [*ride.line[: len(places)]] == [ground.sites[place] for place in places]
    assert bool(ride.line) == bool(alone)


def test_who_was_fired_at_and_has_left_is_an_outline_where_he_was():
    fire, flight = Mark("fire", "british", ("1212", "1214")), Mark("retreat", "french", ("1214", "1215", "1216"))
    pieces = [battalion("1/9", "1212"), battalion("1/54", "1216", "french")]
    (fired, fled), ground = drawn_marks(pieces, [fire, flight])
    assert f'stroke="{LIGHT.liveries["dark"].arrow}"' in fired.below
    assert "stroke-dasharray" in fired.below
    y = ground.sites["1214"][1]
    assert fired.line[-1][1] < y < fled.line[0][1]
    (still,), _ = drawn_marks([*pieces, battalion("2/54", "1214", "french")], [fire])
    assert "<rect" not in still.below


def test_fire_passes_round_who_stands_between():
    fire, ends = (
        Mark("fire", "british", ("1212", "1216")),
        [battalion("1/9", "1212"), battalion("1/54", "1216", "french")],
    )
    (straight,), _ = drawn_marks(ends, [fire])
    assert len(straight.line) == 2
    (bent,), ground = drawn_marks([*ends, battalion("2/9", "1214")], [fire])
    assert abs(bent.line[1][0] - ground.sites["1214"][0]) > WIDE / 2


@pytest.mark.parametrize("origin", [("1212",), ("1111", "1212")])
def test_a_move_goes_on_to_where_its_assault_took_it(origin):
    marks = [
        Mark("move", "british", ("1111", "1212")),
        Mark("assault", "british", (*origin, "1213")),
        Mark("move", "british", ("1212", "1213")),
    ]
    (moved, assaulted, advanced), ground = drawn_marks([battalion("1/9", "1213")], marks)
    assert moved.line[-2] == ground.sites["1212"]
    assert moved.line[-1][1] > ground.sites["1212"][1]
    assert not advanced.line
    # A head is a closed line: one for both.
    assert len(re.findall(r"\dZ", moved.below + moved.above + assaulted.below + assaulted.above)) == 1


FIGHTS = [
    (
        Mark("fire", "british", ("1212", hex_id)),
        Mark("fire", "french", (hex_id, "1212")),
        Mark("assault", "french", (hex_id, "1212")),
    )
    for hex_id in ("1211", "1213", "1112", "1312", "1113", "1313")
]


@pytest.mark.parametrize("marks", FIGHTS, ids=lambda marks: marks[1].places[0])
@pytest.mark.parametrize("many", [1, 2, 3])
def test_signs_of_a_fight_cover_neither_names_nor_strengths_nor_numbers_of_hexes(marks, many):
    place = marks[1].places[0]
    sides = [("1212", "british"), (place, "french")]
    pieces = [battalion(f"{side[0]}{number}/9", where, side) for where, side in sides for number in range(many)]
    scene, ground = barrosa(pieces, marks)
    stacks = lay_piles(scene, ground)
    kept_free = [
        box
        for stack in stacks.values()
        for in_pile, placed in ((True, stack.slats), (False, stack.counters))
        for piece, point in placed
        for box in texts(piece, point, 1.0, in_pile)
    ]
    spots = [sign.spot for sign in draw_marks(scene, ground, stacks, LIGHT)]
    assert len(set(spots)) == 3
    for spot in spots:
        assert spot is not None
        assert not any(left < spot[0] < right and top < spot[1] < bottom for left, top, right, bottom in kept_free)


def test_nothing_but_the_british_is_red():
    scene, ground, style = painted(POSITIONS["barrosa"])
    assert {"fire", "assault", "retreat"} <= {mark.kind for mark in scene.marks}
    assert any(piece.lost for piece in scene.pieces)
    assert LIGHT.alarm not in draw(scene, ground, style)


def test_a_rim_follows_the_counters_and_leaves_the_land_between_free():
    scene = castillejos({"Cresta": 4})
    scene = scene._replace(marks=(Mark("move", "spain", ("Nudos", "Cresta")),))
    ground = prepare_ground(ground_of("africa1860", "castillejos"), scene)
    stacks = lay_stacks(scene, ground)
    rim = spotlights(scene, stacks, LIGHT)["Cresta"]
    assert rim.count("M") == len(stacks["Cresta"].counters) == 4


def test_who_has_lost_strength_shows_the_whole_of_it():
    scene, ground = barrosa([battalion("1/9", "1212"), battalion("2/9", "1412")._replace(strength=6)])
    assert draw(scene, ground, STYLE).count(">/6<") == 1


def test_an_arrow_ends_before_what_stands_there():
    boxes = {"B": (90.0, 90.0, 130.0, 130.0)}
    drawn = mark(Mark("move", "spain", ("A", "B")), [(0.0, 110.0), (110.0, 110.0)], boxes, PEN)
    assert drawn.above == ""
    tips = [float(x) for x in re.findall(r'd="M(\S+) 110L', drawn.below)]
    assert max(tips) == 87


@pytest.mark.parametrize("kind", ["fire", "assault", "move"])
def test_signs_between_piles_that_touch_lie_beside_them(kind):
    boxes = {"A": (80.0, 40.0, 120.0, 100.0), "B": (80.0, 101.0, 120.0, 160.0)}
    drawn = mark(Mark(kind, "spain", ("A", "B")), [(100.0, 70.0), (100.0, 130.0)], boxes, PEN)
    assert drawn.above
    assert drawn.spot is not None
    x, _ = drawn.spot
    assert not 78 < x < 122


ROUND = [(40.0, 60.0, 76.0, 90.0), (124.0, 60.0, 160.0, 90.0), (80.0, 104.0, 120.0, 140.0)]


@pytest.mark.parametrize(
    ("frame", "others", "start"),
    [
        ((0, 0, 500, 500), [], (54, 70)),
        ((70, 0, 500, 500), [], (146, 70)),
        ((0, 0, 500, 500), ROUND[:1], (146, 70)),
        ((0, 0, 500, 500), ROUND[:2], (100, 126)),
        ((0, 0, 500, 500), ROUND, (100, 14)),
        # Who comes in where there is room on no side is shown all the same.
        ((70, 39, 130, 101), ROUND, (54, 70)),
    ],
)
def test_who_comes_in_has_an_arrow_of_two_heads_beside_him(frame, others, start):
    box = (80.0, 40.0, 120.0, 100.0)
    way = entry_route(box, frame, [box, *others])
    assert way[0] == start
    drawn = mark(Mark("arrive", "spain", ("A",)), way, {"A": box}, PEN)
    assert drawn.below == ""
    assert drawn.above.count("Z") == 2


def test_a_second_sign_keeps_off_the_first():
    boxes = {"A": (80.0, 40.0, 120.0, 100.0), "B": (80.0, 101.0, 120.0, 160.0)}
    way = [(100.0, 70.0), (100.0, 130.0)]
    first = mark(Mark("fire", "spain", ("A", "B")), way, boxes, PEN).spot
    assert first is not None
    taken = {**boxes, "first": (first[0] - 6, first[1] - 6, first[0] + 6, first[1] + 6)}
    second = mark(Mark("fire", "morocco", ("B", "A")), way[::-1], taken, PEN).spot
    assert second is not None
    assert abs(first[0] - second[0]) > 12


def test_a_map_is_cut_to_where_somebody_is_and_its_whole_is_in_a_corner():
    scene, ground = barrosa(
        [battalion("1/9", "1409"), battalion("1/8", "1610", "french")],
        stakes=[SceneGoal("0101", 5, ""), SceneGoal("1713", 3, "")],
    )
    left, top, right, bottom = ground.box
    whole = ground.whole
    assert whole is not None
    assert LEAST[0] <= right - left < LEAST[0] + 40
    assert bottom - top < (whole[3] - whole[1]) * 0.6
    assert all(left < centre(hex_id)[0] < right for hex_id in ("1409", "1610"))
    svg = draw(scene, ground, STYLE)
    assert ">beyond the picture: 0101 (NW)<" in svg
    assert re.search(r"scale\(0\.\d{4}\)", svg)
    # One is outlined and worth 3; the legend has two rings, and the corner both.
    assert svg.count(f'stroke="{LIGHT.gold}"') == 2 + 2 + 2


def test_a_map_on_which_they_stand_far_apart_is_shown_whole_without_a_corner():
    scene, ground = barrosa([battalion("1/9", "0101"), battalion("1/8", "2316", "french")])
    assert ground.box == ground.whole
    assert not re.search(r"scale\(0\.\d{4}\)", draw(scene, ground, STYLE))


SCREEN = 390
"""The width of a phone, in its own pixels."""


@pytest.mark.parametrize(
    "name", [name for name, position in POSITIONS.items() if position.palette is LIGHT and not position.narrow]
)
def test_a_phone_shows_every_name_at_nine_pixels_or_more_and_where_most_happened(name):
    scene, ground, style = painted(POSITIONS[name]._replace(narrow=True))
    svg = draw(scene, ground, style)
    units = re.match(r'<svg [^>]*width="([0-9.]+)"', svg)
    assert units
    names = {style.named(piece.id) for piece in (*scene.pieces, *scene.fallen)} | {
        style.named(place) for place in ground.sites
    }
    sizes = [
        float(size) * SCREEN / float(units[1])
        for size, word in re.findall(r'font-size="([0-9.]+)"[^>]*>([^<]+)</text>', svg)
        # A letter alone is a will.
        if len(word) > 1
        and not re.fullmatch(r"[0-9?/()-]+", word)
        and any(name.startswith(word.rstrip("\u2026")) for name in names)
    ]
    assert len(sizes) >= 2
    assert min(sizes) >= 9
    lost = Counter({place: 0 for mark in scene.marks if mark.kind in ("assault", "fire") for place in mark.places[-1:]})
    lost.update({piece.place: 0 for piece in scene.fallen})
    for piece in {*scene.pieces, *scene.fallen}:
        lost[piece.place] += (piece in scene.fallen) or piece.lost
    most = max(lost.values())
    assert any(is_within(place, ground) for place, steps in lost.items() if steps == most)


@pytest.mark.parametrize("kind", ["move", "retreat", "fire"])
@pytest.mark.parametrize(
    ("game", "scenario"), [("africa1860", "castillejos"), ("africa1860", "tetuan"), ("peninsular", "rolica")]
)
def test_a_phone_shows_what_happened_rather_than_a_large_stack_that_did_nothing(game, scenario, kind):
    rules = game_by_name(game)
    assert rules.pictured is not None
    state = rules.start(rules.edition(scenario, {}, {}))
    idle = rules.pictured.picture(rules.view(state, ""), "", ())._replace(marks=())
    ground = ground_of(game, scenario)
    sites, many = prepare_ground(ground, idle).sites, Counter(piece.place for piece in idle.pieces)
    for piece in sorted(idle.pieces, key=lambda piece: many[piece.place])[:4]:
        nearest = min(sites.keys() - {piece.place}, key=lambda place: (dist(sites[place], sites[piece.place]), place))
        scene = idle._replace(marks=(Mark(kind, piece.side, (piece.place, nearest)),))
        shown = prepare_ground(ground, scene, narrow=True)
        assert is_within(piece.place, shown) or is_within(nearest, shown)


@pytest.mark.parametrize("name", ["castillejos", "brigades", "usagre", "rolica", "barrosa", "wadras", "tetuan-es"])
def test_a_phone_shows_whole_stacks_and_names_those_that_its_edge_would_cut(name):
    scene, ground, style = painted(POSITIONS[name]._replace(narrow=True))
    stacks = (lay_piles if ground.piles else lay_stacks)(scene, ground)
    svg, whole = draw(scene, ground, style), 0
    for place, stack in stacks.items():
        names = [style.named(piece.name) for piece, _ in counters_of(stack)]
        if names:
            is_shown = is_whole(stack, ground.box)
            whole += is_shown
            assert all(is_named(shown, svg) for shown in names) == is_shown
            plate = f">{style.named(place)} \u00d7{len(names)}<"
            assert (plate in svg) == (not is_shown and is_within(place, ground))
    assert 2 <= whole < len({piece.place for piece in scene.pieces})


def test_a_phone_shows_a_plate_for_a_stack_at_its_edge_and_none_of_its_counters():
    scene, ground = barrosa([battalion("1/9", "1212"), battalion("2/9", "1212"), battalion("1/54", "1412", "french")])
    (_, top, _, bottom), (x, _) = ground.box, ground.sites["1212"]
    svg = draw(scene, ground._replace(box=(x + 2 - 250, top, x + 2, bottom), narrow=True), STYLE)
    assert ">1212 \u00d72<" in svg
    assert ">1/9<" not in svg
    assert ">1/54<" not in svg
    assert "1412 \u00d7" not in svg


def test_a_phone_shows_the_middle_of_a_stack_that_is_larger_than_its_picture():
    scene, _ = barrosa([battalion(f"{number}/9", "1212", lost=1) for number in range(30)])
    ground = prepare_ground(ground_of("peninsular", "barrosa"), scene, narrow=True)
    left, top, right, bottom = lay_piles(scene, ground)["1212"].box
    assert bottom - top > ground.box[3] - ground.box[1]
    assert ground.box[0] < left < right < ground.box[2]
    assert top < ground.box[1] < ground.box[3] < bottom


def test_the_legend_on_a_phone_explains_what_is_in_the_picture_and_no_more():
    scene, ground, style = painted(POSITIONS["rolica"]._replace(narrow=True))
    assert {"assault", "fire"} <= {mark.kind for mark in scene.marks}
    svg = draw(scene, ground, style)
    assert ">fire<" in svg
    assert ">lost in this phase<" in svg
    assert ">assault<" not in svg


def legend_words(scene, ground):
    """The words of a picture that stand below its map."""
    return set(re.findall(r">([^<]+)</text>", draw(scene, ground, STYLE).split(LIGHT.paper)[-1]))


def test_the_sign_of_a_front_stays_within_its_row_of_the_legend():
    scene, ground, style = painted(POSITIONS["rolica"]._replace(narrow=True))
    sign = re.search(
        r'<g transform="translate\([-0-9.]+ ([-0-9.]+)\) scale\(([0-9.]+)\)">((?:(?!<g).)*)</g></g><text[^>]*>front<',
        draw(scene, ground, style),
    )
    assert sign
    down, scale = float(sign[1]), float(sign[2])
    edges = [down + scale * (y + side * reach) for _, y, reach in points_of(sign[3]) for side in (-1, 1)]
    # Signs lie seven units above and seven below the middle of a row.
    assert min(edges) >= 0
    assert max(edges) <= NARROW_LINE


@pytest.mark.parametrize("kinds", [("move", "assault"), ("move", "ride"), ("ride",), ("move",)])
def test_the_legend_explains_only_arrows_that_are_drawn(kinds):
    marks = [Mark(kind, "british", ("1212", "1213")) for kind in kinds]
    scene, ground = barrosa([battalion("1/9", "1213"), battalion("1/54", "1214", "french")], marks)
    # The advance after an assault is listed by its sign, a leader who goes along by the arrow of the troops.
    drawn = {("move", "assault"): {"assault"}, ("move", "ride"): {"move"}}.get(kinds, {*kinds})
    words = {"move": "move", "ride": "leader alone", "assault": "assault"}
    assert legend_words(scene, ground) & {*words.values()} == {words[kind] for kind in drawn}


def test_the_legend_explains_a_path_across_a_stream():
    scene, ground, style = painted(POSITIONS["brigades"])
    assert {">path<", ">stream<"} <= set(re.findall(r">[^<]+<", draw(scene, ground, style)))


def light(colour):
    """How light a colour is, from 0 to 1: what is left of it in grey."""
    parts = [int(colour[offset : offset + 2], 16) / 255 for offset in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, other):
    low, high = sorted((light(first), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_arrows_words_and_camps_stand_out_in_grey_as_well(palette):
    for livery in palette.liveries.values():
        assert contrast(livery.ink, livery.ground) > 5.5
        for ground in (*palette.terrain.values(), *palette.levels[:2]):
            assert contrast(livery.arrow, ground) > 2.5, (livery, ground)
    by_tone = palette.liveries
    for nation, other in (("spanish", "moroccan"), ("spanish", "french"), ("portuguese", "french"), ("light", "dark")):
        assert contrast(by_tone[nation].ground, by_tone[other].ground) > 4
    # Both are as dark as uniforms were; so they differ by their flags as well.
    assert contrast(by_tone["british"].ground, by_tone["french"].ground) > 1.9
    flags = [len(livery.flag) for livery in by_tone.values() if livery.flag]
    assert len(set(flags)) == len(flags) == 5
    assert contrast(palette.ink, palette.paper) > 7
    assert contrast(palette.faint, palette.paper) > 4.5


@pytest.mark.parametrize("hex_id", ["0909", "1008", "1310", "1411", "1606"])
def test_a_number_of_a_hex_is_shown_whole_or_not_at_all(hex_id):
    _, ground = barrosa([battalion("1/9", hex_id)])
    left, top, right, bottom = ground.box
    shown = {number[1] for patch in ground.numbers(LIGHT, ground.box) if (number := re.search(r">(\d{4})<", patch.svg))}
    assert hex_id in shown
    for ident, (x, y) in ground.sites.items():
        number = y - TALL / 2 + 6
        is_inside = left < x - 9 and x + 9 < right and top < number - 4 and number + 4 < bottom
        assert ident not in shown or is_inside


@pytest.mark.parametrize("standing", [0, 2])
def test_who_fell_lies_below_who_stands_and_covers_nobody(standing):
    scene, ground = barrosa([battalion(f"{number}/9", "1212") for number in range(standing)])
    scene = scene._replace(fallen=(battalion("7/9", "1212"), battalion("8/9", "1212"), battalion("7/9", "1212")))
    stack = lay_piles(scene, ground)["1212"]
    assert [piece.id for piece, _ in stack.graves] == ["7/9", "8/9"]
    ys = [y for _, (_, y) in stack.graves]
    assert ys[0] >= max([y + SLAT for _, (_, y) in stack.slats], default=stack.box[1])
    assert ys[1] + GRAVE <= stack.box[3]
    assert all(f">{name}<" in draw(scene, ground, STYLE) for name in ("7/9", "8/9"))


def test_who_fell_is_drawn_after_all_signs_and_the_goals_of_empty_hexes_after_lines():
    marks = [Mark("fire", "british", ("1212", "1213")), Mark("move", "british", ("1210", "1211", "1212"))]
    scene, ground = barrosa([battalion("1/9", "1212")], marks, [SceneGoal("1211", 7, "")])
    svg = draw(scene._replace(fallen=(battalion("7/9", "1213", "french"),)), ground, STYLE)
    assert svg.index(f'fill="{LIGHT.fire[2]}"') < svg.index(">7/9<")
    assert svg.index(f'stroke="{LIGHT.liveries["light"].arrow}"') < svg.index(">7<") < svg.index(">1/9<")


def test_who_fell_has_room_on_a_map_of_areas():
    scene = castillejos({"Cresta": 3, "Morabito": 2})
    scene = scene._replace(
        fallen=tuple(Piece(name, name, "Cresta", "spain", "infantry") for name in ("Luchana", "Principe"))
    )
    ground = prepare_ground(ground_of("africa1860", "castillejos"), scene)
    stacks = lay_stacks(scene, ground)
    assert not overlap(stacks["Cresta"].box, stacks["Morabito"].box)
    assert len(stacks["Cresta"].graves) == 2
    assert all(stacks["Cresta"].box[1] < y < stacks["Cresta"].box[3] for _, (_, y) in stacks["Cresta"].graves)
