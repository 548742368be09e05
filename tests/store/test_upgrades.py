"""Databases that releases left behind are brought up to date, and go on."""

import sqlite3
from pathlib import Path

import pytest

from pbem.campaign.proofs import log_check
from pbem.campaign.turn.replay import replay
from pbem.store import migrations, queries
from pbem.store.engine import open_engine
from tests.campaign.house import open_server
from tests.store.played import KEPT, play

RELEASED = sorted(KEPT.glob("*.sql"))


def test_every_release_left_a_database():
    assert [path.stem for path in RELEASED][:1] == ["1.0.0"]


@pytest.mark.parametrize("kept", RELEASED, ids=lambda path: path.stem)
def test_the_database_of_a_release_is_brought_up_goes_on_and_its_log_is_as_it_was_signed(tmp_path, kept):
    database = tmp_path / "pbem.db"
    with sqlite3.connect(database) as opened:
        opened.executescript(kept.read_text("utf-8"))
    opened.close()
    engine = open_engine(f"sqlite:///{database}")
    migrations.upgrade(engine)
    migrations.check(engine)
    server = open_server(Path(tmp_path), engine=engine)
    with server.reading() as work:
        game = queries.games.game(work.session, "g1")
        assert game is not None
        assert game.state == "running"
        assert replay(work, "g1").difference is None
    assert log_check.check(server).wrong == ()
    engine.dispose()


def test_what_is_kept_is_a_game_that_went_on(tmp_path):
    house = play(tmp_path)
    with house.server.reading() as work:
        assert replay(work, "g1").phases >= 2
    house.server.engine.dispose()
