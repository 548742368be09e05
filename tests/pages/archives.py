"""Games that bots have played, by letter and on a clock that is moved, and their pages."""

from __future__ import annotations

import base64
import gzip
import json
import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from pbem.cli.pages import archive_page_of, say_in_language
from pbem.cli.rulebooks import game_by_name
from pbem.cli.simulate import NAME, QuestionMode, SimulatedMatch, Simulation
from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chronicle
from pbem.maps.frames import LAYERS, common_counter_size, frame
from pbem.pages.archive.data import ground_and_style, scenes_of
from pbem.pages.archive.moments import moments
from pbem.server.archive_attachments import gather_archive_input, make_archive_chronicle
from pbem.store import migrations
from pbem.store.engine import open_engine

SCENARIOS = {"africa1860": "drill", "peninsular": "training"}


@cache
def match(game: str, scenario: str, turns: int | None = None) -> SimulatedMatch:
    """A game that was played to its end, or to that of a turn."""
    engine = open_engine("sqlite://")
    migrations.upgrade(engine)
    match_played = SimulatedMatch(
        engine, Simulation(game, scenario, "forward", (), ()), QuestionMode("plain"), "archive", turns
    )
    match_played.play()
    return match_played


@cache
def chronicle_of(game: str, turns: int | None = None, seat: str = "") -> Chronicle:
    """How a short game went, to its end or to that of a turn."""
    return chronicled(game, SCENARIOS[game], turns, seat)


def chronicled(game: str, scenario: str, turns: int | None = None, seat: str = "") -> Chronicle:
    """How a game of any scenario went."""
    server = match(game, scenario, turns).server
    with server.work() as work:
        story = gather_archive_input(work, NAME, seat)
    return make_archive_chronicle(server, story)


@cache
def page(game: str, turns: int | None = None, language: str = "en") -> str:
    """Its page."""
    return archive_page_of(chronicle_of(game, turns), language)


def held(text: str) -> Any:
    """What a page holds."""
    match_texts = re.findall(r'<script type="application/json" id="archive">"([^"]*)"</script>', text)
    assert len(match_texts) == 1
    return json.loads(gzip.decompress(base64.b64decode(match_texts[0])))


def written(folder: Path, text: str) -> str:
    """A page as a file, and its address."""
    path = folder / "game.html"
    path.write_text(text, "utf-8")
    return path.as_uri()


def drawn(about: Chronicle) -> list[list[Json]]:
    """What lies on the map at each moment, as Python draws it: the layer, the look, and where it lies."""
    rules = game_by_name(about.rules)
    scenes = scenes_of(about, rules, moments(about, rules))
    ground, style = ground_and_style(about, rules, scenes, partial(say_in_language, about.rules), "en")
    size = common_counter_size(scenes, ground)
    ghosts = []
    for scene in scenes:
        parts = frame(scene, ground, style, size)
        ghosts.append(sorted([LAYERS.index(p.layer), p.look, round(p.at[0], 1), round(p.at[1], 1)] for p in parts))
    return ghosts
