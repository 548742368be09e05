"""PNG for letters: short enough, and the same bytes again."""

import io
import sys
from functools import cache
from pathlib import Path

import pytest
from PIL import Image

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import Nation, Piece, Scene
from pbem.letters.catalogue import load_catalogue
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import DARK, LIGHT
from pbem.maps.png import EXACT, MANY, MOST_BYTES, TooLong, Unavailable, encode_few_colours, encode_png
from tests.pictures.drawn import turns

ROOT = Path(__file__).resolve().parents[2]
CORNERS = [(40, 40), (40, 500), (500, 40), (500, 500)]
BATTLES = [("africa1860", "castillejos"), ("peninsular", "barrosa")]


@cache
def position(game, scenario, phases=3):
    """A scene of a game between bots, and the ground it is drawn on."""
    rules = game_by_name(game)
    assert rules.pictured is not None
    *_, (state, seat, seen) = turns(rules, scenario, {}, phases)
    scene = rules.pictured.picture(rules.view(state, seat), seat, seen)
    return scene, prepare_ground(rules.pictured.ground(state.edition), scene, state.edition.digest)


def style(game, language="en", palette=LIGHT):
    words = load_catalogue(language, game)
    return Style(words.say, words.called.with_names, palette)


@cache
def fitted_once(game, scenario):
    """The picture of a battle as it is drawn first, for whoever looks at it again."""
    scene, ground = position(game, scenario)
    return encode_png(scene, ground, style(game, *LOOKS[scenario]))


def opened(data):
    return Image.open(io.BytesIO(data))


LOOKS = {"castillejos": ("en", LIGHT), "barrosa": ("es", DARK)}
"""In which language and colours each battle is drawn first."""
FULL = pytest.mark.full
LOOKED_AT = [
    # The first tier draws one of these; the hexes of a small battle are drawn by tests below.
    pytest.param(battle, *look, id=f"{battle[1]}-{look[0]}", marks=[] if name == battle[1] == "castillejos" else [FULL])
    for battle in BATTLES
    for name, look in LOOKS.items()
]


@pytest.fixture(scope="module")
def battle(request):
    game, scenario = request.param
    return game, scenario, *position(game, scenario)


@pytest.mark.parametrize(("battle", "language", "palette"), LOOKED_AT, indirect=["battle"])
def test_a_picture_is_short_enough_and_the_same_bytes_again(battle, language, palette):
    game, scenario, scene, ground = battle
    data = encode_png(scene, ground, style(game, language, palette))
    assert len(data) <= MOST_BYTES
    assert len(opened(data).getcolors()) <= MANY
    assert opened(data).width >= ground.box[2] - ground.box[0]
    if (language, palette) == LOOKS[scenario]:
        assert fitted_once(game, scenario) == data
    else:
        assert encode_png(scene, ground, style(game, language, palette)) == data


@pytest.mark.full
def test_a_lower_limit_makes_a_smaller_picture_and_none_below_the_smallest():
    scene, ground = position("africa1860", "drill", 1)
    plain = style("africa1860")
    sizes = [opened(encode_png(scene, ground, plain, limit)).width for limit in (MOST_BYTES, 40_000, 25_000)]
    assert sizes == sorted(set(sizes), reverse=True)
    with pytest.raises(TooLong, match="100 are allowed"):
        encode_png(scene, ground, plain, 100)


def test_the_commonest_colours_stay_as_they_are_and_all_others_come_close():
    image = Image.new("RGB", (200, 200))
    # As many as stay that are common, in runs of three pixels, and a thousand that come once.
    common = [(4 * number, 255 - 4 * number, (37 * number) % 256) for number in range(EXACT)]
    pixels = [common[number // 3 % EXACT] for number in range(40_000)]
    for index in range(0, 2_000, 2):
        pixels[index] = (index % 256, (index * 7) % 256, (index * 13) % 256)
    image.putdata(pixels)
    made = opened(encode_few_colours(image)).convert("RGB")
    kept = {colour for _, colour in made.getcolors()}
    assert set(common) <= kept
    assert len(kept) <= MANY
    for x in range(0, 200, 7):
        assert made.getpixel((x, 150)) == image.getpixel((x, 150))


def test_an_image_of_more_colours_than_are_counted_at_first_is_packed_as_any_other():
    image = Image.new("RGB", (528, 528))
    image.putdata([(x % 256, y % 256, (x // 256 + y // 256 * 3) * 16) for y in range(528) for x in range(528)])
    made = opened(encode_few_colours(image)).convert("RGB")
    assert len(made.getcolors()) <= MANY
    for corner in CORNERS:
        drawn, was = made.getpixel(corner), image.getpixel(corner)
        assert isinstance(drawn, tuple)
        assert isinstance(was, tuple)
        assert max(abs(a - b) for a, b in zip(drawn, was, strict=True)) < 128


def test_a_colour_that_says_something_stays_however_little_there_is_of_it():
    image = Image.new("RGB", (200, 200))
    image.putdata([(number % 256, number * 7 % 256, number * 13 % 256) for number in range(40_000)])
    for x in (11, 13):
        for y in (11, 13):
            image.putpixel((x, y), (179, 38, 30))
    few_colours = opened(encode_few_colours(image, ["#b3261e", "#000001"])).convert("RGB")
    assert few_colours.getpixel((11, 11)) == (179, 38, 30)
    assert opened(encode_few_colours(image)).convert("RGB").getpixel((11, 11)) != (179, 38, 30)


@pytest.mark.parametrize(("battle", "language", "palette"), LOOKED_AT, indirect=["battle"])
def test_fire_fights_and_goals_have_their_own_colours(battle, language, palette):
    game, _, scene, ground = battle
    scene = scene._replace(pieces=tuple(piece._replace(lost=1) for piece in scene.pieces[:1]) + scene.pieces[1:])
    made = opened(encode_png(scene, ground, style(game, language, palette))).convert("RGB")
    there = {colour for _, colour in made.getcolors()}
    for name in (palette.fire[2], *palette.band, palette.gold):
        assert tuple(bytes.fromhex(name[1:])) in there


def test_hostile_names_make_a_picture_that_is_as_short():
    scene, ground = position("africa1860", "drill", 1)
    names = (
        "<script>alert(1)</script>",
        'a" href="http://x',
        "&amp;&lt;",
        "\u05e9\u05dc\u05d5\u05dd",
        "\u202eevil",
        "W" * 500,
    )
    scene = Scene(
        msg("Castillejos"),
        msg("Turn {turn}", turn=1),
        (Nation("spain", msg("Spain"), msg("S"), "dark", 3),),
        tuple(
            Piece(str(index), name, place, "spain", "infantry", 2, 4)
            for index, (name, place) in enumerate(zip(names, sorted(ground.sites), strict=False))
        ),
    )
    style = Style(
        lambda sentence: sentence.text.format(**dict(sentence.args)), lambda place: names[len(place) % len(names)]
    )
    data = encode_png(scene, ground, style)
    assert len(data) <= MOST_BYTES
    assert opened(data).format == "PNG"


@pytest.mark.parametrize("library", ["resvg_py", "PIL"])
def test_without_its_libraries_there_is_no_picture_and_the_line_to_install_them(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    scene, ground = position("africa1860", "drill", 1)
    with pytest.raises(Unavailable, match=r"pip install 'pbem\[pictures\]'"):
        encode_png(scene, ground, style("africa1860"))


@pytest.mark.parametrize("name", ["castillejos", "desk", "escritorio", "letter", "partida", "replay"])
def test_pictures_in_documents_have_the_colours_of_both_sides(name):
    with Image.open(ROOT / "docs" / f"{name}.png") as shown:
        pixels = shown.convert("RGB").tobytes()
    colours = {f"#{pixels[start : start + 3].hex()}" for start in range(0, len(pixels), 3)}
    for livery in (LIGHT.liveries["spanish"], LIGHT.liveries["moroccan"]):
        assert {livery.ground, livery.ink, *livery.flag} <= colours
