"""`pbem log rotate`: other keys for log and dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, typed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pbem.cli.server.settings import Settings

app = typer.Typer()


@app.command()
def rotate(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Let the log go on with new keys, after somebody may have read those it has. Stop `pbem serve` before."""
    from pbem.cli.server.assembly import alone_here, settings

    read = settings(config)
    with alone_here(read):
        if not yes and not typed("Type ROTATE to change the keys", "ROTATE"):
            raise Stop("nothing was done")
        _rotate(read)


def _rotate(read: Settings) -> None:
    from pbem.cli.server.assembly import opened
    from pbem.cli.server.key_files import write_key
    from pbem.log import rotation, sequencer

    paths = (read.server.log_key, read.server.dice_key)
    new = tuple(path.with_name(f"{path.name}.new") for path in paths)
    # A run that was cut short has left new keys, and maybe the leaf that names them.
    if not (any(path.exists() for path in new) and _is_said(read, new)):
        try:
            for path in new:
                if not path.exists():
                    write_key(path)
        except OSError as wrong:
            raise Stop(f"cannot write the new keys: {wrong.strerror}") from None
        with opened(read) as server:
            with server.work() as work:
                made = rotation.rotate(work, *_public(read, new))
            if server.signed is not None:
                server.signed.begin(made)
    kept = [_replace(path, fresh) for path, fresh in zip(paths, new, strict=True)]
    print(f"{paths[0]} and {paths[1]} are new; {kept[0].name} and {kept[1].name} open what came before: keep them.")
    print("The new key of the log, for players and witnesses, by another way than the letters of this server:")
    with opened(read) as server, server.work() as work:
        print(server.secrets.log._replace(name=sequencer.name_now(work)).text)


def _public(read: Settings, new: Sequence[Path]) -> tuple[bytes, bytes]:
    """The public halves of the keys in two files."""
    from pbem.audit import vrf
    from pbem.audit.signing import signer
    from pbem.cli.server.key_files import read_key

    return signer(read.server.origin, read_key(new[0]))[0].public, vrf.key(read_key(new[1])).public


def _is_said(read: Settings, new: Sequence[Path]) -> bool:
    """Whether the log already goes on with the new keys, some of which may be in their places."""
    from pbem.cli.server.assembly import server_over
    from pbem.log import rotation
    from pbem.store.engine import open_engine

    places = (read.server.log_key, read.server.dice_key)
    log, dice = _public(read, [path if path.exists() else place for path, place in zip(new, places, strict=True)])
    server = server_over(open_engine(read.database.url), read)
    try:
        with server.work() as work:
            return rotation.pending(work) == (log, dice.hex())
    finally:
        server.engine.dispose()


def _replace(path: Path, fresh: Path) -> Path:
    """Put a new key in the place of the old, which is kept under the next number; that one."""
    from pbem.cli.server.key_files import former

    before = former(path)
    if not fresh.exists():
        return before[-1]
    if before and before[-1].read_bytes() == path.read_bytes():
        kept = before[-1]
    else:
        kept = path.with_name(f"{path.name}.{len(before) + 1}")
        kept.hardlink_to(path)
    fresh.replace(path)
    return kept
