"""A turn as animated picture: its steps, one after another, as the page of the game has them."""

from io import BytesIO

import pytest
from PIL import Image, ImageSequence

from pbem.cli.game_pages import map_style
from pbem.cli.rulebooks import game_by_name
from pbem.maps.frames import LAYERS
from pbem.maps.png import END_TIME, FILM_WIDTH, STEP_TIME, encode_gif
from pbem.pages.archive.film import draw_film
from tests.pages.archives import chronicle_of, drawn, held, page

GAMES = ("africa1860", "peninsular")


def film(game, turn, phase="", language="en"):
    return draw_film(chronicle_of(game), game_by_name(game), map_style(game, language, dark=False), turn, phase)


@pytest.mark.parametrize("game", GAMES)
def test_a_film_has_the_steps_of_its_turn_after_the_position_before(game):
    steps = held(page(game))["steps"]
    chapters = held(page(game))["chapters"]
    turn = [
        index for index, step in enumerate(steps) if step["chapter"] >= 0 and chapters[step["chapter"]]["turn"] == 2
    ]
    made = film(game, 2)
    assert len(made.frames) == len(turn) + 1
    units = [sum(layer == LAYERS.index("units") for layer, *_ in parts) for parts in drawn(chronicle_of(game))]
    # Each of them has the counters of its moment: in all of them a name stands once for each.
    for svg, index in zip(made.frames, (turn[0] - 1, *turn), strict=True):
        assert svg.count('<g transform="translate(') >= units[index]
    first = chapters[steps[turn[0]]["chapter"]]["name"].partition(".")[2]
    assert len(film(game, 2, first).frames) < len(made.frames)


def test_a_film_speaks_the_language_of_its_reader_and_begins_nowhere_else():
    assert "maniobras: turno 2, fase marroquí<" in film("africa1860", 2, language="es").frames[-1]
    assert film("africa1860", 99) is None
    assert film("africa1860", 2, "nobody") is None


def test_it_is_shown_a_step_a_second_and_the_last_one_longer():
    made = film("africa1860", 2)
    data = encode_gif(made.ground, made.frames, made.width)
    assert data == encode_gif(made.ground, made.frames, made.width)
    shown = Image.open(BytesIO(data))
    assert shown.width == FILM_WIDTH
    times = [frame.info["duration"] for frame in ImageSequence.Iterator(shown)]
    # Pictures that are alike are shown as one, as long as both.
    assert sum(times) == (len(made.frames) - 1) * STEP_TIME + END_TIME
    assert times[-1] >= END_TIME
