"""Copy a server's database and put it back: `pbem backup`, `pbem restore`.

A PostgreSQL database is dumped and put back by its own programs; they are handed lists of arguments, and no shell.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from sqlalchemy import make_url

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config, typed
from pbem.cli.output import moment
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly, clocks, database
    from pbem.log import log_health
    from pbem.store import engine, migrations, queries, upkeep


if TYPE_CHECKING:
    from datetime import datetime

    from pbem.cli.settings import Settings


def dump_postgresql(url: str, file: Path) -> None:
    """Write all of a database into one file (pg_dump); Stop says what is in the way, and then there is no file."""
    part = file.with_name(f"{file.name}.part")
    try:
        _run_postgresql(url, "pg_dump", "--format=custom", "--no-owner", f"--file={part.absolute()}")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def restore_postgresql(url: str, file: Path, aside: Path) -> Path:
    """Put a dump in the place of a database, in one transaction; what was there is dumped `aside` first."""
    dump_postgresql(url, aside)
    _run_postgresql(
        url, "pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error", str(file)
    )
    return aside


def _run_postgresql(url: str, program: str, *arguments: str) -> None:
    read = make_url(url)
    if read.get_backend_name() != "postgresql":
        raise Stop(f"pbem cannot copy a database of {read.get_backend_name()}: use what comes with it")
    # Arguments can be read by everybody on the machine; the password goes another way.
    where = read.set(drivername="postgresql", password=None).render_as_string()
    found = shutil.which(program)
    if found is None:
        raise Stop(f"{program} is not installed here. Where it is: {program} --dbname={where} {' '.join(arguments)}")
    secret = {} if read.password is None else {"PGPASSWORD": str(read.password)}
    done = subprocess.run(  # noqa: S603 - a list of our own words, and what the settings say
        [found, f"--dbname={where}", *arguments],
        env={**os.environ, **secret},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise Stop(f"{program} ended with {done.returncode}: {done.stderr.strip()[-500:]}")


app = typer.Typer()


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, or a folder that gets one named by date.")],
    config: Config = HERE,
) -> None:
    """Copy the database as it is now into one file of its owner's alone; the server may run. The keys are not in it."""
    database.private()
    read = assembly.settings(config)
    path = engine.file_of(read.database.url)
    if file.is_dir():
        ending = "dump" if path is None else "sqlite3"
        file = file / f"pbem-{clocks.clock_of(read).now():%Y-%m-%dT%H%M%SZ}.{ending}"
    if file.exists():
        raise Stop(f"{file} exists already, and is left as it is")
    if path is None:
        dump_postgresql(read.database.url, file)
    else:
        if not path.exists():
            raise Stop(f"there is no database {path} yet")
        try:
            upkeep.copy(path, file)
        except upkeep.Unusable as wrong:
            raise Stop(f"nothing was written. {database.damaged(read, str(wrong))}", FINDING) from None
        except OSError as wrong:
            raise Stop(f"{file} cannot be written: {wrong.strerror}") from None
    print(f"{file}: {file.stat().st_size} bytes, whole")
    print("Keep it where the keys are not: pbem.key, log.key and dice.key are no part of it, nor is log.signed.")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="What `pbem backup` made.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Put a backup in the place of the database, which is kept beside it. The server must not run."""
    read = assembly.settings(config)
    path, now = engine.file_of(read.database.url), clocks.clock_of(read).now()
    kept: Path | None
    with assembly.alone_here(read):
        if path is None:
            _ask_first(yes, "the database that database.url names")
            kept = restore_postgresql(read.database.url, file, read.server.data / f"replaced-{now:%Y%m%dT%H%M%SZ}.dump")
        else:
            _check_backup(path, file)
            _ask_first(yes, str(path))
            kept = _restore_sqlite(path, file, now)
    if kept is not None:
        print(f"What was replaced is kept as {kept}; delete it when all is well.")
    _tell_what_is_next(read)


def _ask_first(yes: bool, what: str) -> None:
    if not yes and not typed(f"Type RESTORE to replace {what}", "RESTORE"):
        raise Stop("nothing was done")


def _check_backup(path: Path, file: Path) -> None:
    """Stop unless the backup is whole and of tables that this program knows, and nobody has the database open."""
    if path.exists() and path.samefile(file):
        raise Stop(f"{file} is the database itself")
    if (found := upkeep.look_over(file)) != "ok":
        raise Stop(f"nothing was done: {file} is no whole database: {found}")
    version = upkeep.version(file)
    if version is None:
        raise Stop(f"nothing was done: {file} is no database of pbem")
    if version > migrations.newest():
        raise Stop(
            f"nothing was done: {file} is newer than this program: "
            f"{migrations.Newer(version, migrations.newest())}. {database.NEWER}"
        )
    if upkeep.in_use(path):
        raise Stop(f"nothing was done: another program has {path} open; end it first")


def _restore_sqlite(path: Path, file: Path, now: datetime) -> Path | None:
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
    with assembly.opened(read) as server, server.work() as work:
        last, stopped = queries.counts.newest(work.session), log_health.look(work)
    when = f"at {moment(last)}" if last is not None else "before anything had come"
    print(f"The database is back as it was {when}. Before `pbem serve`:")
    if stopped is not None:
        print("  pbem log recover    begins the log anew, and writes to all players that letters may be lost")
    print("  pbem mail retake    moves the letters that have come since back into the inbox")
