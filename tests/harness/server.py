"""Make the server of a test: a database in a folder, a clock, keys and games."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar

from sqlalchemy import Engine

from pbem.audit.signing import secrets_of
from pbem.engine.game import AnyGame
from pbem.engine.run.odds import Memory
from pbem.runtime.transaction import Caches, Plugins, Server, ServerKeys, ServerSettings
from pbem.server.listeners import LISTENERS
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
STORIES = secrets_of("games.example/pbem", LOG, b"dice of tests 104".ljust(32, b"."))
"""The same for stories of Castillejos, in which the assault on Cresta leaves somebody to retreat.

A test that needs such an outcome seeks a key of its own (`tests.harness.battle.seek_dice`).
"""
DRAWS = secrets_of("games.example/pbem", LOG, b"dice of tests 115".ljust(32, b"."))
"""The same for stories of tournaments, whose draws follow from it."""


def registry(name: str) -> AnyGame:
    if name == "beacon":
        # The template of a game lies on the path of pytest alone; benches and drills, which come here too, play none.
        from beacon_game import GAME

        return GAME
    return toygame.registry(name)


def open_server(
    folder: Path, renderer: Any = None, engine: Engine | None = None, clock: Clock | None = None, **parts: Any
) -> Server:
    """Open the server over the database in a folder, which is made if there is none, or over another one.

    Its clock is kept in the folder unless one is given. `parts` are those of `changed`.
    """
    usual = Server(
        ServerSettings("pbem", "games.example", "op@games.example"),
        engine or _open_database(folder),
        clock or Clock(path=folder / "clock"),
        ServerKeys(KEY, SECRETS),
        Plugins(registry, renderer or PlainLetters(), LISTENERS.__getitem__),
    )
    return changed(usual, **parts)


def changed(server: Server, **parts: Any) -> Server:
    """Return a server with other parts: fields of it, of its settings, keys and plug-ins, or of its caches."""
    for name in ("settings", "keys", "plugins", "caches"):
        part: Any = getattr(server, name)
        if own := {field.name: parts.pop(field.name) for field in dataclasses.fields(part) if field.name in parts}:
            parts[name] = dataclasses.replace(part, **own)
    return dataclasses.replace(server, **parts)


def _open_database(folder: Path) -> Engine:
    database = folder / "pbem.db"
    if not database.exists():
        database.write_bytes(empty_database())
    return open_engine(f"sqlite:///{database}")


@cache
def empty_database() -> bytes:
    """A database fresh from the migrations, which are run once for all tests."""
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{folder}/pbem.db")
        migrations.upgrade(engine)
        engine.dispose()
        return Path(folder, "pbem.db").read_bytes()


class Served(Protocol):
    """Whatever a test plays with on a server."""

    server: Server


S = TypeVar("S", bound=Served)


def make_once(folder: Path, make: Callable[..., S], *how: object) -> S:
    """Return what ``make(folder, *how)`` makes; what is made alike is made once, and then copied with all its files.

    What was made may know the folder itself and its clock, but no path below.
    """
    key = (make, SECRETS, *how)
    if key not in _MADE:
        with TemporaryDirectory() as first:
            there = Path(first)
            made = make(there, *how)
            made.server.engine.dispose()
            _MADE[key] = made, there, {path.name: path.read_bytes() for path in there.iterdir()}
    made, there, files = _MADE[key]
    for name, content in files.items():
        (folder / name).write_bytes(content)
    server = _reopened(made.server, folder)
    # Paths are compared, not looked for: a copy of the folder's would lead back to the folder that is gone.
    memo: dict[int, Any] = {id(made.server): server, id(made.server.clock): server.clock}
    memo |= {id(value): folder for value in vars(made).values() if value == there}
    return copy.deepcopy(made, memo)


_WEIGHED = Memory(4096)
_MADE: dict[tuple[object, ...], tuple[Any, Path, dict[str, bytes]]] = {}


def _reopened(server: Server, folder: Path) -> Server:
    """The same server over the database of another folder, as if it had just begun.

    Real editions take long to read, and real attacks long to weigh: what is known of these all servers share. Answers
    depend on neither (`pbem.engine.run.odds.Purse`).
    """
    clock = server.clock
    assert isinstance(clock, Clock)
    known: dict[str, Any] = (
        {} if server.plugins.games is registry else {"editions": dict(server.caches.editions), "weighed": _WEIGHED}
    )
    moved = Clock(clock.at, None) if clock.path is None else Clock(path=folder / clock.path.name)
    return dataclasses.replace(server, engine=_open_database(folder), clock=moved, caches=Caches(**known))
