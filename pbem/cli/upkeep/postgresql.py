"""A PostgreSQL database dumped and put back by its own programs; they are handed lists of arguments, and no shell."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from pbem.cli.exit_codes import Stop


def dump(url: str, file: Path) -> None:
    """Write all of a database into one file (pg_dump); Stop says what is in the way, and then there is no file."""
    part = file.with_name(f"{file.name}.part")
    try:
        _run(url, "pg_dump", "--format=custom", "--no-owner", f"--file={part.absolute()}")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def put_back(url: str, file: Path, aside: Path) -> Path:
    """Put a dump in the place of a database, in one transaction; what was there is dumped `aside` first."""
    dump(url, aside)
    _run(
        url, "pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error", str(file)
    )
    return aside


def _run(url: str, program: str, *arguments: str) -> None:
    from sqlalchemy import make_url

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
