"""What `pbem doctor` checks on this machine.

Key, folder, disk, database, clock, heartbeat, and whether it draws; then what `pbem serve` refuses to begin with:
files, templates, languages, extras, and all the rest.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlmodel import Session

from pbem.audit import beacon
from pbem.cli.alerts import HEARTBEAT, SCARCE, read_beat
from pbem.cli.assembly import NEWER, OTHER_KEYS, beside_of, engine_of, is_there, refuse_unfinished, server_over
from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import Absent, Unplayable, registry, unplayable
from pbem.cli.serve import duties, refuse_a_moved_clock
from pbem.cli.setting_files import Misconfigured, read_key
from pbem.cli.settings import Settings, clock_of
from pbem.engine.data.languages import language_of, lay
from pbem.engine.data.messages import plain
from pbem.installed import brought
from pbem.lazy import lazily
from pbem.letters.own_languages import Unfit, idle, read_languages, read_own_templates, share
from pbem.log import log_health, sequencer, witnesses
from pbem.server.health import health
from pbem.store import queries
from pbem.store.engine import condition, file_of, open_engine
from pbem.store.external_record import Within
from pbem.store.migrations import versions
from pbem.store.upkeep import BESIDE

with lazily():
    from pbem.maps import png
    from pbem.pages import printed


if TYPE_CHECKING:
    from sqlalchemy import Engine

    from pbem.runtime.transaction import Server
    from pbem.server.health import Health

TIGHT = 2_000_000_000
SILENT = timedelta(minutes=2)
"""A daemon writes its heartbeat every few seconds."""


class Found(NamedTuple):
    """One thing looked at: how it is, what there is, and what to do if it is not as it should be."""

    verdict: Literal["ok", "WRONG", "mind", "not checked"]
    area: str
    found: str
    todo: str | None = None


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
    if gone := png.missing():
        what = f"maps as PNG cannot be made: {', '.join(gone)} cannot be loaded; games go on without"
        yield Found("mind", "pictures", what, "if you want them: pip install 'pbem[pictures]'")
    else:
        yield Found("ok", "pictures", f"maps can be made as PNG, with {len(png.faces())} fonts of our own")


def paper() -> Iterator[Found]:
    """Turns and games can be printed; nobody but who prints needs the library."""
    if printed.missing():
        what = "PDF cannot be made: typst cannot be loaded; nothing else needs it"
        yield Found("mind", "paper", what, "if you want them: pip install 'pbem[pdf]'")
    else:
        yield Found("ok", "paper", "PDF can be made by `pbem print`")


def health_of(read: Settings, now: datetime) -> Health | None:
    """The server's numbers; None if there is no database of this version."""
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


_MEND = "mend the file, or take its folder out of the settings: nothing is served before"


def wording(read: Settings) -> Iterator[Found]:
    """Templates and languages can be read; without any of a server's own there is nothing to look at."""
    try:
        if own := read_own_templates(read.games.folder, read.letters.templates):
            yield Found("ok", "templates", f"of the server's own: {', '.join(sorted(own))}")
    except Unfit as wrong:
        yield Found("WRONG", "templates", str(wrong), _MEND)
    try:
        found = read_languages(read.letters.locale)
    except Unfit as wrong:
        yield Found("WRONG", "languages", str(wrong), _MEND)
        return
    lay(found)
    try:
        language_of(read.server.language)
    except ValueError as wrong:
        yield Found("WRONG", "languages", f"server.language: {wrong}", "name one of these")
        return
    added = (f"{one.name} ({share(one)} % of the house's sentences)" for one in found if one.code not in ("en", "es"))
    yield Found("ok", "languages", f"letters are written in {', '.join(('English', 'Español', *added))}")
    for language in found:
        if odd := idle(language):
            what = f"{language.code}/house.po has {len(odd)} that the house does not say, such as {odd[0]!r}"
            yield Found(
                "mind", "languages", what, "hold them against pbem/letters/locale/es.po: each is as it is there"
            )


def outside() -> Iterator[Found]:
    """Games that installed packages bring, and what of them cannot be played."""
    for one in brought().values():
        if not one.fault:
            try:
                registry(one.name)
            except Unplayable as wrong:
                yield Found("mind", "games", str(wrong), f"mend or take away the package {one.package}")
            else:
                yield Found("ok", "games", f"{one.name}, by {one.package} {one.version}")
    for line in unplayable():
        yield Found("mind", "games", line, "mend or take away the package")


def deserted(read: Settings) -> Iterator[Found]:
    """Games that go on here, and whose rules no package brings any more."""
    file, gone = file_of(read.database.url), dict[str, list[str]]()
    if file is not None and not is_there(file):
        return
    with suppress(SQLAlchemyError, Misconfigured, Stop):
        engine = engine_of("database.url", read.database.url)
        try:
            with Session(engine) as session:
                for game in queries.games.unfinished(session):
                    gone.setdefault(game.system, []).append(game.id)
        finally:
            engine.dispose()
    for system, names in sorted(gone.items()):
        try:
            registry(system)
        except Unplayable:
            pass  # `outside` tells of it.
        except Absent as wrong:
            todo = "install the package; until then nothing of these is played, the others are"
            yield Found("WRONG", "games", f"{wrong}. It is played in {', '.join(names)}", todo)


def log(read: Settings) -> Iterator[Found]:
    """Its keys are there and its own, and the log in the database is the one that was signed last."""
    keys = (read.server.log_key, read.server.dice_key)
    lost = [no for path in keys if (no := unusable_key(path, "log")) is not None]
    lost = lost or [no for no in (_forgotten(read),) if no is not None]
    file = file_of(read.database.url)
    yield from lost
    if lost or (file is not None and not is_there(file)):
        return
    with suppress(SQLAlchemyError, Misconfigured, Stop):
        engine = engine_of("database.url", read.database.url)
        try:
            yield from _signed(server_over(engine, read), read)
        finally:
            engine.dispose()


def _signed(server: Server, read: Settings) -> Iterator[Found]:
    """The log of a server against its keys and what was signed last; witnesses who are silent."""
    with server.reading() as tx:
        if sequencer.has_foreign_keys(tx):
            what = OTHER_KEYS.format(read.server.log_key, read.server.dice_key)
            yield Found("WRONG", "log", what, "put the copies that you keep of both back in their place")
            return
        found, tree, silent = log_health.look(tx), log_health.stored_tree(tx), witnesses.silent_witnesses(tx)
    for row in silent:
        what = f"{row.email}, asked for {row.game_id}, has not answered ({row.unanswered} letters)"
        yield Found("mind", "witness", what, "ask whether `pbem witness run` still runs there")
    if found is None:
        yield Found("ok", "log", f"{tree.size} leaves, as {tree.origin}")
    else:
        what = f"it stands still: {plain(found.why)}"
        mend = "if the database was put back from a backup: pbem log recover; else put the right one back"
        yield Found("WRONG", "log", what, mend if found.known else f"{mend}, or pbem log recover --intact")


def _forgotten(read: Settings) -> Found | None:
    """Why what was signed last cannot be remembered, in a file or in another database; None if it can."""
    if not read.log.signed:
        return _unwritable(read.server.signed)
    try:
        beside = beside_of(read)
        try:
            beside.read()
        finally:
            beside.close()
    except (DBAPIError, Misconfigured, Within) as wrong:
        what = str(getattr(wrong, "orig", wrong)).strip()
        todo = "nothing is signed and no phase closes without it: see log.signed"
        return Found("WRONG", "log", f"what was signed last cannot be asked for: {what}", todo)
    return None


def _unwritable(path: Path) -> Found | None:
    """Why a file cannot be written anew, which is done beside it and under a lock; None if it can."""
    todo = f"the server's user is to own {path.parent} and what lies in it"
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return Found("WRONG", "log", f"{path} cannot be written: its folder is closed to us", todo)
    for file in (path, path.with_name(f"{path.name}.lock")):
        if is_there(file) and not (file.is_file() and os.access(file, os.R_OK | os.W_OK)):
            return Found("WRONG", "log", f"{file} cannot be written", todo)
    return None


def extras(read: Settings) -> Iterator[Found]:
    """What the settings need besides what always comes along is installed."""
    named = {"database.url": read.database.url, "log.signed": read.log.signed}
    elsewhere = [name for name, url in named.items() if url.startswith("postgresql")]
    needed = {
        "dkim": (read.imap.dkim, "imap.dkim", ("dkim", "dns.resolver")),
        "postgresql": (bool(elsewhere), " and ".join(elsewhere), ("psycopg",)),
    }
    for extra, (wanted, why, modules) in needed.items():
        gone = [module for module in modules if wanted and not _there(module)]
        if gone:
            what = f"{why} needs {', '.join(gone)}, which cannot be loaded"
            yield Found("WRONG", "extras", what, f"pip install 'pbem[{extra}]'")
    if read.beacon.relays and not beacon.available():
        what = "beacon.relays needs py_arkworks_bls12381, which cannot be loaded: new games wait for no beacon"
        yield Found("WRONG", "extras", what, "pip install 'pbem[beacon]'")


def start(read: Settings) -> Iterator[Found]:
    """`pbem serve` would begin: everything is made that it makes of the settings, but for the database."""
    try:
        refuse_a_moved_clock(read)
        refuse_unfinished(read)
        server = server_over(open_engine("sqlite://"), read)
        try:
            duties(read)
        finally:
            server.close()
    except (Misconfigured, Stop) as wrong:
        yield Found("WRONG", "start", f"pbem serve would not begin: {wrong}", "mend that; nothing is served before")
        return
    yield Found("ok", "start", "pbem serve can begin with these settings")


def _there(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def modes(config: Path, read: Settings) -> Iterator[Found]:
    """Settings hold passwords, and the database the address of every seat: none of it is anybody else's to read."""
    base = file_of(read.database.url)
    files = [config, read.server.signed]
    if base is not None:
        files += [base, *(base.with_name(base.name + ending) for ending in BESIDE)]
        files += sorted(base.parent.glob(f"{base.name}.replaced-*"))
    open_ = [path for path in files if _mode(path) & (stat.S_IRWXO | stat.S_IWGRP)]
    folders = [path for path in (read.server.data,) if _mode(path) & stat.S_IRWXO]
    if not open_ and not folders:
        yield Found("ok", "modes", "settings and database are nobody else's to read")
    for path in open_:
        yield Found("WRONG", "modes", f"{path} is open to others ({_mode(path):04o})", f"chmod 600 {path}")
    for path in folders:
        yield Found("WRONG", "modes", f"{path} is open to others ({_mode(path):04o})", f"chmod 700 {path}")


def _mode(path: Path) -> int:
    """The permissions of a file; none if there is no such file."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0
