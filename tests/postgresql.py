"""A PostgreSQL of its own on a socket in a fresh folder, run by the user `postgres` where we are root.

Where it is not installed the tests that want it are skipped and say so; with CI=true they fail.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import text

from pbem.store.engine import open_engine


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
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found or shutil.which("psql") is None:
        _missing("PostgreSQL is not installed")
    bin_, user = found[-1].parent, None
    if os.geteuid() == 0:
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            _missing("initdb refuses root and there is no user postgres")
    folder = Path(mkdtemp())
    if user:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(*command: str | Path) -> None:
        subprocess.run(
            command, user=user, cwd="/", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120
        )

    try:
        run(bin_ / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
        run(
            bin_ / "pg_ctl",
            "-D",
            data,
            "-w",
            "-l",
            folder / "log",
            "-o",
            f"-F -k {folder} -c listen_addresses=''",
            "start",
        )
        try:
            yield folder
        finally:
            run(bin_ / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _missing(why: str) -> None:
    told = f"nothing was run on PostgreSQL: {why}"
    if os.environ.get("CI") == "true":
        pytest.fail(told)
    pytest.skip(told)
