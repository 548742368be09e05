"""Name bots with their versions, as the opening of a phase does.

``morocco:forward/5e0c1d2f7a9b`` is seat, bot and version of the program. With that program and the seat's view
anybody gets the same orders from its bot; full mode checks that (`server.rerun`). Openings of 1.0.0 name no
version.
"""

from __future__ import annotations

import hashlib
import re
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pbem.engine
from pbem.engine.game import AnyGame

_BEGAN = time.time()
# A bot's name, perhaps with the first 12 digits of the digest of its code: enough to tell versions of one game apart.
_NAMED = re.compile(r"(.+?)(?:/([0-9a-f]{12}))?")


class NamedBot(NamedTuple):
    """A bot and its program's version, empty if unknown."""

    name: str
    version: str = ""


def bots_of_opening(text: str) -> dict[str, NamedBot]:
    """Return the bots of an opening by their seats."""
    bots = {}
    for seat, _, bot in (entry.partition(":") for entry in text.split(" ") if text != "-"):
        match = _NAMED.fullmatch(bot)
        bots[seat] = NamedBot(*match.groups(default="")) if match is not None else NamedBot(bot)
    return bots


def bot_version(rules: AnyGame) -> str:
    """Return a digest of the code of engine and game.

    A bot's orders depend on this code and on the edition. It is empty if the code on disk was changed since this
    program started, because it is then not the code that runs.
    """
    # A record is of the engine; how a game begins is its own.
    start = rules.start.func if isinstance(rules.start, partial) else rules.start
    module = sys.modules[start.__module__]
    package = sys.modules[module.__package__] if module.__package__ else module
    return code_digest(tuple(Path(str(loaded.__file__)) for loaded in (pbem.engine, package)))


@cache
def code_digest(modules: tuple[Path, ...]) -> str:
    """Return a digest of the code of packages and single modules.

    A package is named by its ``__init__.py``.
    """
    digest = hashlib.sha256()
    for module in modules:
        for path in sorted(module.parent.rglob("*.py")) if module.name == "__init__.py" else [module]:
            if path.stat().st_mtime > _BEGAN:
                return ""
            digest.update(f"{path.relative_to(module.parent).as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
