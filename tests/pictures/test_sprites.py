"""Pictures laid together from kept pixels: the same bytes in any order, and the same look as one drawing."""

import io
import re
from itertools import permutations

import pytest
from PIL import Image, ImageChops, ImageStat

from pbem.engine.data.memory import LruCache
from pbem.maps import png
from pbem.maps.drawing import draw, lay_out
from pbem.maps.extents import anchor, extent, split
from pbem.maps.png import encode_png, paint, to_png
from pbem.maps.svg import Drawn
from tests.pictures.shown import POSITIONS, painted

FULL = pytest.mark.full
SMALL = ["castillejos-phone", "barrosa-phone"]
SHAPES = '<rect x="1" y="2" width="3" height="4" fill="#000000"/>'
WORDS = '<text x="5" y="9" font-size="10" font-family="Pbem Sans">Sierra Bermeja</text>'


def forget(monkeypatch, most=png.KEPT):
    """Begin with nothing kept."""
    monkeypatch.setattr(png, "_SPRITES", LruCache(most, png._Sprite.weigh))


def test_a_picture_has_the_same_bytes_whatever_was_drawn_before_it(monkeypatch):
    subjects = [painted(POSITIONS[name]._replace(phases=phases)) for name, phases in zip(SMALL, (1, 1), strict=True)]
    subjects.append(painted(POSITIONS[SMALL[0]]._replace(phases=2)))
    made = set()
    for order in (*list(permutations(range(3)))[::2], (0, 0, 1, 1, 2, 2)):
        forget(monkeypatch)
        made.add(frozenset((index, encode_png(*subjects[index])) for index in order))
    # Nothing is kept longer than it is laid on.
    forget(monkeypatch, 1)
    made.add(frozenset((index, encode_png(*subjects[index])) for index in range(3)))
    assert len(made) == 1


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SMALL else [FULL]) for name in POSITIONS if "dark" not in name]
)
def test_it_looks_like_one_drawing_of_all(name):
    (scene, ground, style), zoom = painted(POSITIONS[name]), 1.5
    picture = lay_out(scene, ground, style, is_loose=True)
    laid = paint(picture, ground, style.palette, zoom)
    # One drawing on the same pixels of the map.
    shift = [round(x * zoom) - round(edge * zoom) for x, edge in zip(picture.corner, ground.box, strict=False)]
    moved = f'<g transform="translate({shift[0] / zoom} {shift[1] / zoom})">'
    svg = re.sub(r'<g transform="translate\([^)]*\)">', moved, draw(scene, ground, style), count=1)
    svg = re.sub(
        "<svg[^>]*>",
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{laid.width}" height="{laid.height}">'
        f'<g transform="scale({zoom})">',
        svg,
        count=1,
    ).replace("</svg>", "</g></svg>")
    whole = Image.open(io.BytesIO(to_png(svg, 1.0))).convert("RGB")
    apart = ImageChops.difference(laid, whole)
    # Edges are drawn at another part of a pixel; nothing is missing, and nothing lies above another.
    assert max(ImageStat.Stat(apart).mean) < 6
    softened = [
        ImageStat.Stat(ImageChops.difference(laid.reduce(12), whole.reduce(12))).extrema[band] for band in range(3)
    ]
    assert max(most for _, most in softened) < 64


@pytest.mark.parametrize("name", SMALL)
def test_the_box_of_each_part_holds_it(name):
    picture, far = lay_out(*painted(POSITIONS[name]), is_loose=True), 30
    for look in {part.look for part in (*picture.above_land, *picture.around) if part.box is None}:
        left, top, right, bottom = extent(look)
        size = f'width="{right - left + 2 * far:.0f}" height="{bottom - top + 2 * far:.0f}"'
        group = f'<g transform="translate({far - left} {far - top})">{look}</g>'
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{group}</svg>'
        seen = Image.open(io.BytesIO(to_png(svg, 1.0))).getbbox()
        assert seen is not None
        assert seen[0] >= far - 1
        assert seen[1] >= far - 1
        assert seen[2] <= far + right - left + 1
        assert seen[3] <= far + bottom - top + 1


def test_words_and_groups_of_a_part_are_told_apart():
    group = f'<g transform="translate(10 20) scale(2)">{SHAPES}{WORDS}</g>'
    words = WORDS.replace('x="5" y="9"', 'x="0" y="0"')
    assert split(f"<g>{SHAPES}{WORDS}</g>") == [Drawn(SHAPES), Drawn(words, (5.0, 9.0))]
    assert split(SHAPES + group) == [Drawn(SHAPES), Drawn(SHAPES, (10.0, 20.0), 2.0), Drawn(words, (20.0, 38.0), 2.0)]
    turned = f'<g transform="rotate(90)">{WORDS}</g>'
    assert split(turned + SHAPES) == [Drawn(turned + SHAPES)]
    with pytest.raises(ValueError, match="not measured"):
        extent(turned)


def test_lines_are_around_the_origin_wherever_they_are():
    path = '<path d="{}" fill="none"/>'
    first, second = (
        path.format("M10 20L15 22H8v3A4 4 0 0 1 12 30Z"),
        path.format("M110 60L115 62H108v3A4 4 0 0 1 112 70Z"),
    )
    assert anchor(first).look == anchor(second).look == path.format("M0 0L5 2H-2v3A4 4 0 0 1 2 10Z")
    assert (anchor(first).at, anchor(second).at) == ((10.0, 20.0), (110.0, 60.0))
    assert anchor(first + WORDS) == Drawn(first + WORDS)
