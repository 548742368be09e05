"""The log written as static files for everybody (`audit.tiles`), which any web server hands out.

Every leaf in them is a commitment: whose game it is, which place it has, and digests. A tile is written whole or not at
all, and before the checkpoint that needs it, so that whoever reads the checkpoint finds the tiles, whenever it is. Each
is read by a transaction of its own: the log of years is written while the server works.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from pbem.audit import checkpoint, note, tiles
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.tiles import CHECKPOINT, HEIGHT, WIDTH, Tile
from pbem.engine.data.messages import msg
from pbem.log import keyring, log_health, sequencer
from pbem.runtime.transaction import Broken, Server
from pbem.store import durable, queries
from pbem.store.tables import log as t


def _always() -> bool:
    return True


def publish(server: Server, folder: Path, goes_on: Callable[[], bool] = _always) -> int:
    """Bring the files up to the newest signed tree; how many leaves are new in them.

    It breaks off, to be gone on with another time, once `goes_on` says no. Broken if the folder holds more of this log
    than the database, or another: nothing is written then. Nor is it as long as the log stands still.
    """
    with server.reading() as work:
        head = sequencer.head(work.session)
        if head is None or log_health.trouble(work) is not None:
            return 0
    tree = checkpoint.body(note.parse(head.note))
    before = _published(folder / CHECKPOINT)
    if before is not None and not _is_part(server, before, tree):
        if before.origin == tree.origin:
            raise Broken(msg("{folder} holds another log than the database: it is left as it is.", folder=str(folder)))
        # Begun anew: what was published under the other name holds leaves that this log has not.
        (folder / CHECKPOINT).unlink()
        shutil.rmtree(folder / "tile", ignore_errors=True)
        before = None
    old = before.size if before else 0
    if old == tree.size:
        return 0
    for tile in tiles.needed(tree.size, old):
        if not goes_on():
            return 0
        _put(folder / tile.name, _content(server, tile))
        if tile.width == WIDTH:
            shutil.rmtree(folder / f"{tile.name}.p", ignore_errors=True)
    for at, vouched in _vouched(server, old, tree.size):
        _put(folder / tiles.rotate_name(at), vouched)
    _put(folder / CHECKPOINT, head.note)
    return tree.size - old


def _published(path: Path) -> Checkpoint | None:
    try:
        return checkpoint.body(note.parse(path.read_bytes()))
    except FileNotFoundError:
        return None
    except Malformed as wrong:
        raise Broken(msg("{file} is no checkpoint: {why}.", file=str(path), why=str(wrong))) from None


def _is_part(server: Server, before: Checkpoint, tree: Checkpoint) -> bool:
    if before.size > tree.size:
        return False
    with server.reading() as work:
        return before.size == 0 or sequencer.root(work.session, before.size) == before.root


def _vouched(server: Server, old: int, size: int) -> list[tuple[int, bytes]]:
    """The leaves by which the log went on with other keys, and the notes by which the key before vouched."""
    with server.reading() as work:
        found = [number for number in keyring.rekeyed(work) if old <= number < size]
        return [(number, work.session.get_one(t.Checkpoint, number + 1).note) for number in found]


def _content(server: Server, tile: Tile) -> bytes:
    with server.reading() as work:
        if tile.level is None:
            found = queries.log.bodies(work.session, tile.first, tile.width)
        else:
            found = queries.log.digests(work.session, tile.level * HEIGHT, tile.first, tile.width)
    if len(found) != tile.width:
        raise LookupError(f"the log has not all of {tile.name}: `pbem log check` says more")
    return tiles.bundle(found) if tile.level is None else b"".join(found)


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    durable.put(path, content, _everybody_reads)


def _everybody_reads(descriptor: int) -> None:
    os.fchmod(descriptor, 0o644)
