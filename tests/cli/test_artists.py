"""Whoever draws for letters: by processes of their own as in the thread that asks, and what cannot be drawn is told."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from pbem.cli.assembly import PictureRenderer, draw_picture_as_png, picture_renderer
from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import picture_to_json
from pbem.maps.worker_pool import InlineRenderer
from pbem.runtime.page_makers import PictureRequest

NOON = datetime(1860, 1, 1, 12, tzinfo=UTC)
SOON = NOON + timedelta(minutes=1)


def commission(rules="africa1860", language="es"):
    game = game_by_name("africa1860")
    state = game.start(game.edition("drill", {}, {}))
    assert game.pictured is not None
    scene = game.pictured.picture(game.view(state, "spain"), "spain", ())
    return PictureRequest(picture_to_json(scene, state.edition.digest, msg("the map")), language, rules, state.edition)


@pytest.mark.full
def test_a_process_draws_what_the_thread_that_asks_would_draw():
    there = picture_renderer(lambda: NOON)
    assert there is not None
    inline = PictureRenderer(InlineRenderer(partial(draw_picture_as_png, None), lambda: NOON, pytest.fail))
    wanted = [commission(), commission(language="en")]
    drawn = there.draw(wanted, SOON)
    assert drawn == inline.draw(wanted, SOON)
    assert len({picture[:8] for picture in drawn if picture}) == 1
    assert drawn[0] != drawn[1]
    there.close()


def test_what_cannot_be_drawn_is_told_with_the_reason():
    logged: list[str] = []
    inline = PictureRenderer(InlineRenderer(partial(draw_picture_as_png, None), lambda: NOON, logged.append))
    assert inline.draw([commission(rules="chess"), commission()], SOON)[0] is None
    assert len(logged) == 1
    assert "no game chess is installed here" in logged[0]


def test_without_the_libraries_nobody_draws(monkeypatch):
    monkeypatch.setattr("pbem.maps.worker_pool.NEEDED", ("resvg_py", "a_library_that_nobody_has"))
    assert picture_renderer(lambda: NOON) is None
