"""Copy a server's database, check the copy, and put it back.

`pbem backup`, `pbem restore`. A PostgreSQL database is dumped and put back by its own programs; they are handed lists
of arguments, and no shell.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from sqlalchemy import make_url

from pbem.cli.exit_codes import FINDING, CommandError, escape_unprintable
from pbem.cli.options import HERE, Config, confirm_by_typing
from pbem.cli.output import moment_as_cell
from pbem.cli.setting_files import Misconfigured
from pbem.lazy import lazily

with lazily():
    from pbem.cli import alerts, assembly, settings
    from pbem.log import log_check, log_health, sequencer
    from pbem.store import engine, migrations, queries, upkeep

if TYPE_CHECKING:
    from pbem.cli.settings import Settings

app = typer.Typer()


def dump_postgresql(url: str, file: Path) -> None:
    """Write all of a database into one file (pg_dump).

    Raise CommandError with the reason if that fails; no file is left then.
    """
    part = file.with_name(f"{file.name}.part")
    try:
        _run_postgresql(url, "pg_dump", "--format=custom", "--no-owner", f"--file={part.absolute()}")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def restore_postgresql(url: str, file: Path, aside: Path) -> Path:
    """Restore a dump in one transaction.

    Before that, the present database is dumped to `aside`.
    """
    dump_postgresql(url, aside)
    _run_postgresql(
        url, "pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error", str(file)
    )
    return aside


def _run_postgresql(url: str, program: str, *arguments: str) -> None:
    read = make_url(url)
    if read.get_backend_name() != "postgresql":
        raise CommandError(f"pbem cannot copy a database of {read.get_backend_name()}: use what comes with it")
    # Arguments can be read by everybody on the machine; the password goes another way.
    address = read.set(drivername="postgresql", password=None).render_as_string()
    executable = shutil.which(program)
    if executable is None:
        raise CommandError(
            f"{program} is not installed here. Where it is: {program} --dbname={address} {' '.join(arguments)}"
        )
    secret = {} if read.password is None else {"PGPASSWORD": str(read.password)}
    finished = subprocess.run(  # noqa: S603 - a list of our own words, and what the settings say
        [executable, f"--dbname={address}", *arguments],
        env={**os.environ, **secret},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if finished.returncode != 0:
        raise CommandError(f"{program} ended with {finished.returncode}: {finished.stderr.strip()[-500:]}")


@app.command()
def backup(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A new file, or a folder that gets one named by date.", show_default=False),
    ] = None,
    keep: Annotated[
        int, typer.Option(min=0, metavar="DAYS", help="Delete backups of that folder that are older. 0: none.")
    ] = 0,
    check: Annotated[
        bool, typer.Option("--check", help="Make none; check FILE, the newest of that folder, or the last one made.")
    ] = False,
    config: Config = HERE,
) -> None:
    """Copy the database as it is now into one file.

    Only its owner can read it; the server may run. The keys are not in it.
    """
    assembly.make_files_private()
    server_settings = assembly.load_settings(config)
    if check:
        print(_check(server_settings, file or _last_made(server_settings)))
        return
    if file is None:
        raise CommandError("name the new file, or a folder")
    folder = file if file.is_dir() else None
    if keep and folder is None:
        raise CommandError("--keep goes with a folder, in which backups are named by their date")
    now = settings.clock_of(server_settings).now()
    if folder is not None:
        ending = "dump" if engine.database_file(server_settings.database.url) is None else "sqlite3"
        file = folder / f"pbem-{now:%Y-%m-%dT%H%M%SZ}.{ending}"
    _copy(server_settings, file)
    stamp = server_settings.server.data / alerts.LAST_BACKUP
    stamp.write_text(f"{file.absolute()}\n", "utf-8")
    os.utime(stamp, (now.timestamp(), now.timestamp()))
    print(f"{file}: {file.stat().st_size} bytes, whole")
    if keep and folder is not None:
        for old in _old_backups(folder, now - timedelta(days=keep)):
            old.unlink()
            print(f"{old}: deleted")
    print("Keep it where the keys are not: pbem.key, log.key and dice.key are no part of it, nor is log.signed.")


def _copy(server_settings: Settings, file: Path) -> None:
    """Copy the database into a new file; raise CommandError with the reason."""
    if file.exists():
        raise CommandError(f"{file} exists already, and is left as it is")
    path = engine.database_file(server_settings.database.url)
    if path is None:
        dump_postgresql(server_settings.database.url, file)
        return
    if not path.exists():
        raise CommandError(f"there is no database {path} yet")
    try:
        upkeep.copy_database(path, file)
    except upkeep.UnusableDatabase as wrong:
        raise CommandError(
            f"nothing was written. {assembly.damaged_database_text(server_settings, str(wrong))}", FINDING
        ) from None
    except OSError as wrong:
        raise CommandError(f"{file} cannot be written: {wrong.strerror}") from None


def _old_backups(folder: Path, before: datetime) -> Iterator[Path]:
    """Yield backups with an earlier moment in their names, the oldest first."""
    yield from (file for moment, file in _backups_of(folder) if moment < before)


def _backups_of(folder: Path) -> list[tuple[datetime, Path]]:
    """Return a folder's backups with the moments in their names, oldest first."""
    backups = []
    for file in (*folder.glob("pbem-*.sqlite3"), *folder.glob("pbem-*.dump")):
        with suppress(ValueError):
            backups.append((datetime.strptime(file.stem, "pbem-%Y-%m-%dT%H%M%SZ").replace(tzinfo=UTC), file))
    return sorted(backups)


def _last_made(server_settings: Settings) -> Path:
    with suppress(OSError):
        if path := (server_settings.server.data / alerts.LAST_BACKUP).read_text("utf-8").strip():
            return Path(path)
    raise CommandError("no backup was made here: name its file, or its folder")


def _check(server_settings: Settings, file: Path) -> str:
    """Check a backup, or the newest of a folder, and return what it is.

    Raise CommandError if it is no whole backup of this server, or older than the settings allow.
    """
    if file.is_dir():
        in_folder = _backups_of(file)
        if not in_folder:
            raise CommandError(f"there is no backup in {file}", FINDING)
        file = in_folder[-1][1]
    try:
        with file.open("rb") as opened:
            is_dump = opened.read(5) == b"PGDMP"
        made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except OSError as wrong:
        raise CommandError(f"{file} cannot be read: {wrong.strerror}", FINDING) from None
    made = {path: moment for moment, path in _backups_of(file.parent)}.get(file, made)
    age = settings.clock_of(server_settings).now() - made
    checked = _check_dump(file) if is_dump else _check_sqlite(server_settings, file)
    result = f"{file}: {checked}, {int(age.total_seconds()) // 60} minutes old"
    hours = server_settings.alerts.backup_hours
    if hours and age > timedelta(hours=hours):
        raise CommandError(f"{result}: alerts.backup_hours allows {hours} hours", FINDING)
    return result


def _check_dump(file: Path) -> str:
    """Have a dump read from end to end; raise CommandError if it is damaged."""
    if (program := shutil.which("pg_restore")) is None:
        raise CommandError(f"pg_restore is not installed here: {file} cannot be checked")
    finished = subprocess.run(  # noqa: S603 - a list of our own words, and a path
        [program, "--file=/dev/null", str(file.absolute())],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if finished.returncode:
        raise CommandError(f"{file} is no whole backup: {finished.stderr.strip()[-300:]}", FINDING)
    return "whole; its log is NOT CHECKED, which takes a PostgreSQL to restore it into"


def _check_sqlite(server_settings: Settings, file: Path) -> str:
    """Check that a database is whole, ours, and has the log as it was signed."""
    if (condition := upkeep.check_file(file)) != "ok":
        raise CommandError(f"{file} is no whole backup: {condition}", FINDING)
    version = upkeep.table_version(file)
    if version is None:
        raise CommandError(f"{file} is no database of pbem", FINDING)
    if version > migrations.newest_version():
        raise CommandError(f"{file} is newer than this program (tables {version}): {assembly.NEWER}", FINDING)
    if version < migrations.newest_version():
        return f"whole, tables {version}, which `pbem restore` brings up to date; its log is NOT CHECKED"
    try:
        server = assembly.server_on_engine(engine.open_engine(f"sqlite:///{file.absolute()}"), server_settings)
    except Misconfigured as wrong:
        raise CommandError(str(wrong)) from None
    try:
        with server.reading() as tx:
            if sequencer.has_foreign_keys(tx):
                keys = server_settings.server
                raise CommandError(f"{file}: {assembly.OTHER_KEYS.format(keys.log_key, keys.dice_key)}", FINDING)
        log = log_check.check(server)
    finally:
        server.close()
    if log.wrong:
        raise CommandError(f"{file}: its log is not as it was signed: {escape_unprintable(log.wrong[0])}", FINDING)
    return f"whole, tables {version}, {log.leaves} leaves of the log as they were signed"


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="What `pbem backup` made.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Replace the database by a backup.

    The replaced database is kept beside it. The server must not run.
    """
    server_settings = assembly.load_settings(config)
    path, now = engine.database_file(server_settings.database.url), settings.clock_of(server_settings).now()
    kept: Path | None
    with assembly.hold_database_lock(server_settings):
        if path is None:
            _ask_first(yes, "the database that database.url names")
            kept = restore_postgresql(
                server_settings.database.url, file, server_settings.server.data / f"replaced-{now:%Y%m%dT%H%M%SZ}.dump"
            )
        else:
            _refuse_unfit(path, file)
            _ask_first(yes, str(path))
            kept = _restore_sqlite(path, file, now)
    if kept is not None:
        print(f"What was replaced is kept as {kept}; delete it when all is well.")
    _print_next_steps(server_settings)


def _ask_first(yes: bool, target: str) -> None:
    if not yes and not confirm_by_typing(f"Type RESTORE to replace {target}", "RESTORE"):
        raise CommandError("nothing was done")


def _refuse_unfit(path: Path, file: Path) -> None:
    """Raise CommandError for a backup that cannot be restored.

    It must be undamaged and have tables that this program knows, and nobody may have the database open.
    """
    if path.exists() and path.samefile(file):
        raise CommandError(f"{file} is the database itself")
    if (condition := upkeep.check_file(file)) != "ok":
        raise CommandError(f"nothing was done: {file} is no whole database: {condition}")
    version = upkeep.table_version(file)
    if version is None:
        raise CommandError(f"nothing was done: {file} is no database of pbem")
    if version > migrations.newest_version():
        raise CommandError(
            f"nothing was done: {file} is newer than this program: "
            f"{migrations.NewerDatabase(version, migrations.newest_version())}. {assembly.NEWER}"
        )
    if upkeep.is_in_use(path):
        raise CommandError(f"nothing was done: another program has {path} open; end it first")


def _restore_sqlite(path: Path, file: Path, now: datetime) -> Path | None:
    aside = path.with_name(f"{path.name}.replaced-{now:%Y%m%dT%H%M%SZ}")
    existed, number = path.exists(), 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.replaced-{now:%Y%m%dT%H%M%SZ}-{number}")
    try:
        upkeep.replace_database(file, path, aside)
    except upkeep.UnusableDatabase as wrong:
        raise CommandError(f"nothing was done: {file} is no whole database: {wrong}") from None
    except OSError as wrong:
        raise CommandError(f"{path} is not replaced: {wrong.strerror}. Mend that, and run it again") from None
    return aside if existed else None


def _print_next_steps(server_settings: Settings) -> None:
    with assembly.open_for_command(server_settings) as server, server.work() as tx:
        last, stopped = queries.counts.newest_moment(tx.session), log_health.look(tx)
    when = f"at {moment_as_cell(last)}" if last is not None else "before anything had come"
    print(f"The database is back as it was {when}. Before `pbem serve`:")
    if stopped is not None:
        print("  pbem log recover    begins the log anew, and writes to all players that letters may be lost")
    print("  pbem mail retake    moves the letters that have come since back into the inbox")
