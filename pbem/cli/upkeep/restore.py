"""`pbem restore`: a backup put in the place of the database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, typed

if TYPE_CHECKING:
    from datetime import datetime

    from pbem.cli.server.settings import Settings

app = typer.Typer()


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="What `pbem backup` made.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Put a backup in the place of the database, which is kept beside it. The server must not run."""
    from pbem.cli.server.assembly import alone_here, settings
    from pbem.cli.server.clocks import clock_of
    from pbem.cli.upkeep import postgresql
    from pbem.store.engine import file_of

    read = settings(config)
    path, now = file_of(read.database.url), clock_of(read).now()
    kept: Path | None
    with alone_here(read):
        if path is None:
            _agreed(yes, "the database that database.url names")
            kept = postgresql.put_back(
                read.database.url, file, read.server.data / f"replaced-{now:%Y%m%dT%H%M%SZ}.dump"
            )
        else:
            _fit(path, file)
            _agreed(yes, str(path))
            kept = _put_back(path, file, now)
    if kept is not None:
        print(f"What was replaced is kept as {kept}; delete it when all is well.")
    _tell_what_is_next(read)


def _agreed(yes: bool, what: str) -> None:
    if not yes and not typed(f"Type RESTORE to replace {what}", "RESTORE"):
        raise Stop("nothing was done")


def _fit(path: Path, file: Path) -> None:
    """Stop unless the backup is whole and of tables that this program knows, and nobody has the database open."""
    from pbem.cli.server.database import NEWER
    from pbem.store import upkeep
    from pbem.store.migrations import Newer, newest

    if path.exists() and path.samefile(file):
        raise Stop(f"{file} is the database itself")
    if (found := upkeep.look_over(file)) != "ok":
        raise Stop(f"nothing was done: {file} is no whole database: {found}")
    version = upkeep.version(file)
    if version is None:
        raise Stop(f"nothing was done: {file} is no database of pbem")
    if version > newest():
        raise Stop(f"nothing was done: {file} is newer than this program: {Newer(version, newest())}. {NEWER}")
    if upkeep.in_use(path):
        raise Stop(f"nothing was done: another program has {path} open; end it first")


def _put_back(path: Path, file: Path, now: datetime) -> Path | None:
    from pbem.store import upkeep

    aside = path.with_name(f"{path.name}.replaced-{now:%Y%m%dT%H%M%SZ}")
    there, number = path.exists(), 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.replaced-{now:%Y%m%dT%H%M%SZ}-{number}")
    try:
        upkeep.replace(file, path, aside)
    except upkeep.Unusable as wrong:
        raise Stop(f"nothing was done: {file} is no whole database: {wrong}") from None
    except OSError as wrong:
        raise Stop(f"{path} is not replaced: {wrong.strerror}. Mend that, and run it again") from None
    return aside if there else None


def _tell_what_is_next(read: Settings) -> None:
    from pbem.cli.plain_output import moment
    from pbem.cli.server.assembly import opened
    from pbem.log import log_health
    from pbem.store import queries

    with opened(read) as server, server.work() as work:
        last, stopped = queries.counts.newest(work.session), log_health.look(work)
    when = f"at {moment(last)}" if last is not None else "before anything had come"
    print(f"The database is back as it was {when}. Before `pbem serve`:")
    if stopped is not None:
        print("  pbem log recover    begins the log anew, and writes to all players that letters may be lost")
    print("  pbem mail retake    moves the letters that have come since back into the inbox")
