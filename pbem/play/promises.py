"""What a letter promises to tell, to be worked out when it is put into words: blocks of it that hold a key for that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.engine.data.canon import Json
from pbem.play import history
from pbem.runtime.transaction import Server


def made_in(block: Json, key: str) -> bool:
    """Whether a block of a letter promises what has this key."""
    return not isinstance(block, str) and key in block


def promised(letter: Json, key: str) -> list[Json]:
    """Return what a letter promises under a key, block by block."""
    return [block[key] for block in letter["blocks"] if made_in(block, key)]


def states(server: Server, promising: Sequence[Json], key: str) -> dict[tuple[str, int], Any]:
    """Return the positions that the promises of letters are of, by game and by the number of the phase ``after`` which
    they are; none if nothing is promised. WEATHER if the database is away."""
    wanted = {(letter["game"], one["after"]) for letter in promising for one in promised(letter, key)}
    if not wanted:
        return {}
    with server.reading() as work:
        return history.states_after(work, wanted)
