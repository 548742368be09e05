"""Make the server of a test: a database in a folder, a clock, keys and games."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Engine

from pbem.audit.signing import secrets_of
from pbem.campaign.base.server import Server
from pbem.campaign.door.listeners import LISTENERS
from pbem.core.game import Game
from pbem.store import migrations
from pbem.store.engine import open_engine
from tests.harness import toygame
from tests.harness.clock import Clock
from tests.harness.letters import PlainLetters

KEY = bytes(range(64))
LOG, DICE = b"l" * 32, b"dice of tests 470".ljust(32, b".")
"""Keys that nobody else has."""
SECRETS = secrets_of("games.example/pbem", LOG, DICE)
STUCK = secrets_of("games.example/pbem", LOG, b"dice of tests 728".ljust(32, b"."))
"""The same: with this key of the dice Ant is stuck at first, and Bee gets as far as Cat."""
STORIES = secrets_of("games.example/pbem", LOG, b"dice of tests 122".ljust(32, b"."))
SESSIONS = secrets_of("games.example/pbem", LOG, b"dice of tests 115".ljust(32, b"."))
"""The same for stories of Castillejos: with this key of the dice the assault on Cresta leaves somebody to retreat."""


def registry(name: str) -> Game:
    if name == "beacon":
        # The template of a game lies on the path of pytest alone; benches and drills, which come here too, play none.
        from beacon_game import GAME

        return GAME
    return toygame.registry(name)


def open_server(folder: Path, renderer: Any = None, engine: Engine | None = None) -> Server:
    """The server over the database in a folder, which is made if there is none, or over another one."""
    if engine is None:
        database = folder / "pbem.db"
        if not database.exists():
            database.write_bytes(empty_database())
        engine = open_engine(f"sqlite:///{database}")
    clock = Clock(folder / "clock")
    letters = renderer or PlainLetters()
    return Server(
        engine, registry, clock, letters, KEY, "pbem", "games.example", "op@games.example", SECRETS, LISTENERS
    )


@cache
def empty_database() -> bytes:
    """A database fresh from the migrations, which are run once for all tests."""
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{folder}/pbem.db")
        migrations.upgrade(engine)
        engine.dispose()
        return Path(folder, "pbem.db").read_bytes()
