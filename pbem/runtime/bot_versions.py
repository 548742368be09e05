"""Bots as the opening of a phase names them: ``morocco:forward/5e0c1d2f7a9b``, seat, bot and version of the program.

Whoever has that program and what a seat saw gets the same orders from its bot, in full mode too (`proofs.rerun`).
Openings of 1.0.0 name no version.
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
_NAMED = re.compile(r"(.+?)(?:/([0-9a-f]{12}))?")


class NamedBot(NamedTuple):
    """A bot and the version of the program that it writes by; that is empty if it is not told."""

    name: str
    version: str = ""


def bots_in(said: str) -> dict[str, NamedBot]:
    """Return the bots of an opening by their seats."""
    bots = {}
    for seat, _, bot in (one.partition(":") for one in said.split(" ") if said != "-"):
        named = _NAMED.fullmatch(bot)
        bots[seat] = NamedBot(*named.groups(default="")) if named is not None else NamedBot(bot)
    return bots


def bot_version(rules: AnyGame) -> str:
    """Return a digest of all that a game's bots go by, besides the edition: the code of engine and game.

    It is empty if that code was changed since this program began: then it is not what is run.
    """
    # A record is of the engine; how a game begins is its own.
    start = rules.start.func if isinstance(rules.start, partial) else rules.start
    module = sys.modules[start.__module__]
    own = sys.modules[module.__package__] if module.__package__ else module
    return code_digest(tuple(Path(str(one.__file__)) for one in (pbem.engine, own)))


@cache
def code_digest(modules: tuple[Path, ...]) -> str:
    """Return a digest of the code of packages, each told by its ``__init__.py``, and of single modules."""
    found = hashlib.sha256()
    for module in modules:
        for path in sorted(module.parent.rglob("*.py")) if module.name == "__init__.py" else [module]:
            if path.stat().st_mtime > _BEGAN:
                return ""
            found.update(f"{path.relative_to(module.parent).as_posix()}\n".encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]
