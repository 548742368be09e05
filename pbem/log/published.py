"""Write the log as static files for everybody (`audit.tiles`).

Every leaf in them shows only its game, its place, and digests. A tile is written as a whole, and before the
checkpoint that needs it, so that a reader of the checkpoint always finds the tiles. Each piece has a transaction of
its own, so that a log of years can be written while the server works.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from pbem.audit import checkpoint, note, tiles
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.tiles import CHECKPOINT_FILE, TILE_HEIGHT, TILE_WIDTH, Tile
from pbem.engine.data.messages import msg
from pbem.log import keyring, log_health, sequencer
from pbem.runtime.transaction import Server, UserError
from pbem.store import durable, queries
from pbem.store.tables import log as t


def _always() -> bool:
    return True


def publish(server: Server, folder: Path, goes_on: Callable[[], bool] = _always) -> int:
    """Bring the files up to the newest signed tree; return the number of new leaves.

    Stops once `goes_on` returns False; the next call continues. Raise UserError, and write nothing, if the folder
    holds another log, or more of this one than the database. Write nothing while the log is stopped.
    """
    with server.reading() as tx:
        head = sequencer.head(tx.session)
        if head is None or log_health.trouble(tx) is not None:
            return 0
    tree = checkpoint.parse_checkpoint(note.parse(head.note))
    before = _read_checkpoint(folder / CHECKPOINT_FILE)
    if before is not None and not _is_part(server, before, tree):
        if before.origin == tree.origin:
            raise UserError(
                msg("{folder} holds another log than the database: it is left as it is.", folder=str(folder))
            )
        # Begun anew: what was published under the other name holds leaves that this log has not.
        (folder / CHECKPOINT_FILE).unlink()
        shutil.rmtree(folder / "tile", ignore_errors=True)
        before = None
    old = before.size if before else 0
    if old == tree.size:
        return 0
    for tile in tiles.new_tiles(tree.size, old):
        if not goes_on():
            return 0
        _put(folder / tile.name, _content(server, tile))
        if tile.width == TILE_WIDTH:
            shutil.rmtree(folder / f"{tile.name}.p", ignore_errors=True)
    for index, confirmation in _confirmations(server, old, tree.size):
        _put(folder / tiles.rotate_name(index), confirmation)
    _put(folder / CHECKPOINT_FILE, head.note)
    return tree.size - old


def _read_checkpoint(path: Path) -> Checkpoint | None:
    try:
        return checkpoint.parse_checkpoint(note.parse(path.read_bytes()))
    # Nothing has been published yet.
    except FileNotFoundError:
        return None
    # Somebody else's file, or a damaged one: it is left, since nobody knows what was published.
    except Malformed as wrong:
        raise UserError(msg("{file} is no checkpoint: {why}.", file=str(path), why=str(wrong))) from None


def _is_part(server: Server, before: Checkpoint, tree: Checkpoint) -> bool:
    if before.size > tree.size:
        return False
    with server.reading() as tx:
        return before.size == 0 or sequencer.root(tx.session, before.size) == before.root


def _confirmations(server: Server, old: int, size: int) -> list[tuple[int, bytes]]:
    """Return the leaves that changed the keys, with the notes that confirm them."""
    with server.reading() as tx:
        numbers = [number for number in keyring.key_changes(tx) if old <= number < size]
        return [(number, tx.session.get_one(t.Checkpoint, number + 1).note) for number in numbers]


def _content(server: Server, tile: Tile) -> bytes:
    with server.reading() as tx:
        if tile.level is None:
            parts = queries.log.leaf_bodies(tx.session, tile.first, tile.width)
        else:
            parts = queries.log.node_digests(tx.session, tile.level * TILE_HEIGHT, tile.first, tile.width)
    if len(parts) != tile.width:
        raise LookupError(f"the log has not all of {tile.name}: `pbem log check` says more")
    return tiles.leaf_bundle(parts) if tile.level is None else b"".join(parts)


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    durable.replace_file(path, content, _everybody_reads)


def _everybody_reads(descriptor: int) -> None:
    os.fchmod(descriptor, 0o644)
