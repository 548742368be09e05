"""What `pbem doctor` looks at on this machine: key, folder, disk, database, clock, heartbeat, and whether it draws."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pbem.cli.exit_codes import Stop
from pbem.cli.server.alerts import SCARCE
from pbem.cli.server.clocks import clock_of
from pbem.cli.server.database import NEWER, is_there
from pbem.cli.server.heartbeat import HEARTBEAT, read_beat
from pbem.cli.server.key_files import read_key
from pbem.cli.server.settings import Settings
from pbem.cli.sources import Misconfigured

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from pbem.server.health import Health

TIGHT = 2_000_000_000
SILENT = timedelta(minutes=2)
"""A daemon writes its heartbeat every few seconds."""


class Found(NamedTuple):
    """One thing looked at: how it is, what there is, and what to do if it is not as it should be."""

    verdict: Literal["ok", "WRONG", "mind", "not checked"]
    area: str
    what: str
    todo: str = ""


def key(read: Settings) -> Iterator[Found]:
    """The secret is there, whole, and its owner's alone."""
    path = read.server.keys
    yield unusable_key(path, "key") or Found("ok", "key", f"{path}, for its owner alone")


def unusable_key(path: Path, area: str) -> Found | None:
    """Why a key cannot be used, and what to do about it; None if it can."""
    try:
        read_key(path)
    except Misconfigured as wrong:
        mend = (
            f"chmod 600 {path}" if "others may" in str(wrong) else "put the copy that you keep of it back in its place"
        )
        if not is_there(path):
            mend = "`pbem init` in an empty folder writes one; a server that has games needs its own old one back"
        return Found("WRONG", area, str(wrong), mend)
    return None


def folder(read: Settings) -> Iterator[Found]:
    """The data folder can be written to and the disk has room."""
    data = read.server.data
    there = data
    while not is_there(there) and there != there.parent:
        there = there.parent
    if not os.access(there, os.W_OK | os.X_OK):
        yield Found(
            "WRONG", "disk", f"{there} cannot be written to", f"give it to the server's user: chown -R pbem {there}"
        )
        return
    free = shutil.disk_usage(there).free
    room = f"{data}: {free / 1e9:.1f} GB free"
    if free < SCARCE:
        yield Found("WRONG", "disk", room, "make room: a letter that cannot be stored stays in the mailbox")
    elif free < TIGHT:
        yield Found("mind", "disk", room, "make room soon")
    else:
        yield Found("ok", "disk", room)


def database(read: Settings) -> Iterator[Found]:
    """The database opens, has the tables of this version, and can be written to."""
    from sqlalchemy.exc import SQLAlchemyError

    from pbem.cli.server.assembly import engine_of
    from pbem.store.engine import file_of

    file = file_of(read.database.url)
    if file is not None and not is_there(file):
        if is_there(file.parent) and not os.access(file.parent, os.X_OK):
            todo = f"give it to the server's user: chown -R pbem {file.parent}"
            yield Found("WRONG", "database", f"{file.parent} is closed to us", todo)
        elif is_there(file.parent) or file.parent == read.server.data:
            yield Found("mind", "database", f"{file} is not there yet", "nothing: the first command makes it")
        else:
            yield Found("WRONG", "database", f"there is no folder {file.parent}", "make it, or mend database.url")
        return
    try:
        engine = engine_of("database.url", read.database.url)
    except Misconfigured as wrong:
        yield Found("WRONG", "database", str(wrong), "leave it empty for a file in the data folder")
        return
    try:
        yield from _tables(engine)
    except SQLAlchemyError as wrong:
        why = str(getattr(wrong, "orig", None) or wrong)
        yield Found("WRONG", "database", why, "look at database.url, who owns the file, and whether the database runs")
    finally:
        engine.dispose()


def _tables(engine: Engine) -> Iterator[Found]:
    from pbem.store.engine import condition
    from pbem.store.migrations import versions

    is_, wanted = versions(engine)
    shown = engine.url.render_as_string(hide_password=True)
    if is_ != wanted:
        old = "of an older version" if is_ is None or is_ < wanted else "of a newer version than this program"
        mend = "back it up; then start `pbem serve`, which brings it up to date"
        if is_ is not None and is_ > wanted:
            mend = NEWER
        yield Found("WRONG", "database", f"{shown} is {old} ({is_ or 'empty'}, wanted {wanted})", mend)
        return
    found = condition(engine)
    if found is None:
        yield Found("ok", "database", f"{shown}, tables {is_}")
    elif found.whole != "ok":
        what = f"{shown} is damaged: {found.whole}"
        yield Found("WRONG", "database", what, "stop the server and put the last backup back: pbem restore FILE")
    elif found.mode != "wal":
        todo = "copy it to a disk of this machine: shared folders cannot keep a write-ahead log"
        yield Found("WRONG", "database", f"{shown} has journal_mode {found.mode}, not wal", todo)
    else:
        yield Found("ok", "database", f"{shown}, tables {is_}, journal_mode wal, can be written to")


def moment(read: Settings) -> datetime | None:
    """What time it is here; None if the clock cannot be read."""
    with suppress(Misconfigured):
        return clock_of(read).now()
    return None


def clock(read: Settings, found: Health | None) -> Iterator[Found]:
    """The time is not behind what was noted already, by the numbers of `health_of`."""
    try:
        now = clock_of(read).now()
    except Misconfigured as wrong:
        yield Found("WRONG", "clock", str(wrong), 'set clock.source to "system"')
        return
    newest = found.newest if found else None
    if newest is not None and newest > now + timedelta(minutes=1):
        what = f"it is {now:%Y-%m-%d %H:%M:%S} UTC here, and something was noted at {newest:%Y-%m-%d %H:%M:%S} UTC"
        yield Found("WRONG", "clock", what, "set the clock (timedatectl set-ntp true): deadlines go by it")
    else:
        yield Found("ok", "clock", f"it is {now:%Y-%m-%d %H:%M:%S} UTC")


def daemon(read: Settings, found: Health | None) -> Iterator[Found]:
    """`pbem serve` is alive, and what it says of its work; the letters by the numbers of `health_of`."""
    with suppress(Misconfigured):
        now = clock_of(read).now()
        beat = read_beat(read.server.data / HEARTBEAT)
        if beat is None or now - beat.at > SILENT:
            last = "was never seen" if beat is None else f"was last seen at {beat.at:%Y-%m-%d %H:%M:%S} UTC"
            yield Found("mind", "daemon", f"pbem serve {last}", "start it, if it is to run: pbem serve")
        elif "database" in beat.troubles:
            yield Found("WRONG", "daemon", "it runs, and cannot use the database", "see above, and its log")
        elif beat.waiting and beat.taken is not None and now - beat.taken <= SILENT:
            what = f"takes in what waits in the mailbox: {beat.waiting} letters left, the last taken"
            yield Found("ok", "daemon", f"runs as process {beat.pid}, {what} {_ago(now - beat.taken)} ago")
        elif beat.polled is None or now - beat.polled > timedelta(seconds=read.imap.poll) + SILENT:
            yield Found("WRONG", "daemon", "it runs, and cannot look into the mailbox", "see below, and its log")
        else:
            yield Found(
                "ok", "daemon", f"runs as process {beat.pid}, looked into the mailbox {_ago(now - beat.polled)} ago"
            )
        if beat is not None and beat.unmoved:
            what = f"{beat.unmoved} letters are taken in, and its server will not move them: {beat.refused}"
            todo = f"make room in the mailbox; {read.imap.processed} and {read.imap.poison} are to be written to"
            yield Found("WRONG", "mailbox", what, todo)
        if found is not None and found.refused is not None:
            since = f"since {found.refused.since:%Y-%m-%d %H:%M:%S} UTC"
            what = f"the mail server refuses what we send, {since}: {found.refused.code} {found.refused.text}"
            todo = (
                f"ask it to let smtp.user send as {read.server.address}, and as {read.server.local}+...; letters wait"
            )
            yield Found("WRONG", "letters", what, todo)
        if found is not None and found.failed:
            why = f"; the last: {found.why_failed[:120]}" if found.why_failed else ""
            what = f"{found.failed} letters were given up, {found.queued} wait{why}"
            todo = "`pbem mail queue` lists them, `pbem mail resend --failed` has them tried again"
            yield Found("mind", "letters", what, todo)
        elif found is not None:
            yield Found("ok", "letters", f"{found.queued} wait to be sent, none was given up")
        if found is not None and found.games.get("held"):
            yield Found("mind", "games", f"{found.games['held']} held", "`pbem game list`, then `pbem game show NAME`")


def pictures() -> Iterator[Found]:
    """Maps as PNG can be made; without their libraries letters are as complete, and have no picture."""
    from pbem.maps.png import faces, missing

    if gone := missing():
        what = f"maps as PNG cannot be made: {', '.join(gone)} cannot be loaded; games go on without"
        yield Found("mind", "pictures", what, "if you want them: pip install 'pbem[pictures]'")
    else:
        yield Found("ok", "pictures", f"maps can be made as PNG, with {len(faces())} fonts of our own")


def paper() -> Iterator[Found]:
    """Turns and games can be printed; nobody but who prints needs the library."""
    from pbem.pages.printed.pdf import missing

    if missing():
        what = "PDF cannot be made: typst cannot be loaded; nothing else needs it"
        yield Found("mind", "paper", what, "if you want them: pip install 'pbem[pdf]'")
    else:
        yield Found("ok", "paper", "PDF can be made by `pbem print`")


def health_of(read: Settings, now: datetime) -> Health | None:
    """The server's numbers; None if there is no database of this version."""
    from sqlalchemy.exc import SQLAlchemyError
    from sqlmodel import Session

    from pbem.cli.server.assembly import engine_of
    from pbem.server.health import health
    from pbem.store.engine import file_of

    with suppress(SQLAlchemyError, Misconfigured, Stop):
        file = file_of(read.database.url)
        if file is not None and not is_there(file):
            return None
        engine = engine_of("database.url", read.database.url)
        try:
            with Session(engine) as session:
                return health(session, now)
        finally:
            engine.dispose()
    return None


def _ago(span: timedelta) -> str:
    return f"{int(span.total_seconds())} s"
