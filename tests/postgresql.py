"""A PostgreSQL of its own on a socket in a fresh folder, run by the user `postgres` where we are root.

The programs of the package are enough: no cluster of the machine need run. Where they are not installed the tests that
want them are left out and the summary says so, or they fail if ``TESTS_REQUIRE`` names `postgresql`.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from sqlalchemy import text

from pbem.store.engine import open_engine
from tests.needed import need


def url(folder: Path) -> str:
    """The database of a cluster as SQLAlchemy names it."""
    return f"postgresql+psycopg://postgres@/postgres?host={folder}"


def other(folder: Path, name: str) -> str:
    """Another database of a cluster, which is made."""
    engine = open_engine(url(folder))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return url(folder).replace("/postgres?", f"/{name}?")


@contextmanager
def cluster() -> Iterator[Path]:
    """Start one and give the folder of its socket; stop it and remove everything at the end."""
    need(missing())
    folder = _folder()
    data = folder / "data"
    options = f"-F -k {folder} -c listen_addresses=''"
    try:
        _run("cp", "-r", _fresh_data(), data)
        _run(_programs() / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield folder
        finally:
            _run(_programs() / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def missing() -> list[str]:
    """The name by which ``TESTS_REQUIRE`` asks for it, if it cannot be started here."""
    there = _programs().is_dir() and shutil.which("psql") is not None
    return [] if there and (os.geteuid() != 0 or _user() is not None) else ["postgresql"]


def _programs() -> Path:
    """The folder of the newest server's programs, where Debian has them."""
    return max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=Path("/nowhere/initdb")).parent


def _user() -> str | None:
    """The user who runs it: initdb refuses root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return None


@cache
def _fresh_data() -> Path:
    """The data of an empty cluster, made once a process and copied, which takes a tenth of the time."""
    folder = _folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _run(_programs() / "initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "--no-sync")
    return folder / "data"


def _folder() -> Path:
    folder = Path(mkdtemp(prefix="pbem-postgresql-"))
    if user := _user():
        shutil.chown(folder, user)
    return folder


def _run(*command: str | Path) -> None:
    subprocess.run(
        command, user=_user(), cwd="/", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120
    )
