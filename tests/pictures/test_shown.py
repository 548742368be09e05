"""Pictures of golden turns are short enough for letters, and those that are kept for eyes are what is drawn now."""

import io

import pytest
from PIL import Image

from pbem.cli.rulebooks import game_by_name, games
from pbem.letters.catalogue import load_catalogue
from pbem.maps import png
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import DARK
from pbem.maps.png import MOST_BYTES, encode_png
from tests.golden import LANGUAGES, folders, resolved
from tests.pictures.shown import FOLDER, POSITIONS, digest, kept

SCENARIOS = {(game, scenario) for game in games() for scenario in game_by_name(game).editions()}


@pytest.mark.parametrize("name", POSITIONS)
def test_pictures_kept_for_eyes_are_of_what_is_drawn_now(name):
    assert kept()[name] == digest(POSITIONS[name]), "the map looks otherwise; `make golden` makes it anew"


def test_pictures_kept_for_eyes_follow_the_width_of_a_phone(monkeypatch):
    narrow, wide = POSITIONS["castillejos-phone"], POSITIONS["castillejos"]
    before = digest(narrow), digest(wide)
    monkeypatch.setattr(png, "PHONE", png.PHONE + 10)
    assert digest(narrow) != before[0]
    assert digest(wide) == before[1]


def test_every_scenario_is_shown_and_one_under_fog_and_some_for_a_dark_page_and_for_a_phone():
    assert {(position.game, position.scenario) for position in POSITIONS.values()} == SCENARIOS
    assert any(position.fog for position in POSITIONS.values())
    assert {position.game for position in POSITIONS.values() if position.narrow} == {game for game, _ in SCENARIOS}
    assert {position.palette is DARK for position in POSITIONS.values()} == {True, False}


def test_pictures_kept_for_eyes_are_few_and_short():
    pngs = {path.stem: path.read_bytes() for path in FOLDER.glob("*.png")}
    assert set(pngs) == set(POSITIONS) == set(kept())
    assert all(len(data) <= MOST_BYTES and Image.open(io.BytesIO(data)).format == "PNG" for data in pngs.values())
    assert sum(map(len, pngs.values())) < 1_500_000


FIRST = ("charge", "wadras-river")
"""The golden turns that the first tier draws: one of each game, in both languages."""
TURNS = [
    pytest.param(number, folder, id=folder.name, marks=[] if folder.name in FIRST else [pytest.mark.full])
    for number, folder in enumerate(folders())
]


@pytest.mark.full
@pytest.mark.parametrize(("number", "folder"), TURNS)
def test_the_picture_of_a_golden_turn_is_short_enough_for_a_letter(number, folder):
    """Of one seat a turn, the first and the second in turn."""
    done = resolved(folder)
    game, state = done.game, done.states[-1]
    assert game.pictured is not None
    seat, language = list(zip(game.seats(state), LANGUAGES, strict=False))[number % 2]
    scene = game.pictured.picture(game.view(state, seat), seat, done.seen(seat))
    words = load_catalogue(language, game.name)
    ground = prepare_ground(game.pictured.ground(state.edition), scene, state.edition.digest)
    assert len(encode_png(scene, ground, Style(words.say, words.called.with_names))) <= MOST_BYTES
