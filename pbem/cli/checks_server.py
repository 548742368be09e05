"""Check this machine for `pbem doctor`.

It checks key, folder, disk, database, clock, heartbeat and drawing; then all that `pbem serve` needs
to begin: files, templates, languages, extras, and so on.
"""

from __future__ import annotations

import os
import re
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
from pbem.cli.alerts import HEARTBEAT, SCARCE, read_heartbeat
from pbem.cli.assembly import (
    NEWER,
    OTHER_KEYS,
    can_see,
    engine_of,
    external_record_of,
    refuse_unfinished_restore,
    server_on_engine,
)
from pbem.cli.exit_codes import CommandError
from pbem.cli.rulebooks import GameNotInstalled, GameUnplayable, game_by_name, unplayable_lines
from pbem.cli.serve import daemon_settings, refuse_movable_clock
from pbem.cli.setting_files import Misconfigured, read_key
from pbem.cli.settings import Settings, clock_of
from pbem.engine.data.languages import Language, language_of, set_languages
from pbem.engine.data.messages import plain_english
from pbem.installed import packaged_games
from pbem.lazy import lazily
from pbem.letters.own_languages import (
    UnusableFile,
    read_languages,
    read_own_templates,
    translated_percentage,
    unused_lines,
)
from pbem.log import log_health, sequencer, witnesses
from pbem.server.health import read_health
from pbem.store import queries
from pbem.store.engine import check_condition, database_file, open_engine
from pbem.store.external_record import SameDatabase
from pbem.store.migrations import versions
from pbem.store.upkeep import SIDE_FILE_ENDINGS

with lazily():
    from pbem.maps import png
    from pbem.pages import printed


if TYPE_CHECKING:
    from sqlalchemy import Engine

    from pbem.runtime.transaction import Server
    from pbem.server.health import Health

_EXAMPLE = re.compile(r"(^|[@.])example(\.(com|net|org))?$")
TIGHT = 2_000_000_000
"""Octets of free disk space below which the operator is reminded: ten times `SCARCE`, so that there is time to make
room."""
SILENT = timedelta(minutes=2)
"""Age from which on a heartbeat is reported. A daemon writes one every ten seconds (`daemon.BEAT`), so that a dozen
are missing."""


class CheckResult(NamedTuple):
    """The result of one check: verdict, area, what was found, and what to do."""

    verdict: Literal["ok", "WRONG", "mind", "not checked"]
    area: str
    found: str
    todo: str | None = None


def examples(settings: Settings, source: str) -> CheckResult:
    """Report settings that still name the domains for examples (RFC 2606)."""
    named = {
        "server.address": settings.server.address,
        "server.operator": settings.server.operator,
        "imap.host": settings.imap.host if settings.mail.way_in == "imap" else "",
        "smtp.host": settings.smtp.host,
    }
    left = [name for name, value in named.items() if _EXAMPLE.search(value)]
    if left:
        problem = f"examples stand in {source}: {', '.join(left)}"
        return CheckResult("mind", "settings", problem, "write your own addresses and mail servers in their place")
    return CheckResult("ok", "settings", f"{source} is complete")


def check_secret(settings: Settings) -> Iterator[CheckResult]:
    """Check that the secret exists, is complete, and is readable only for its owner."""
    path = settings.server.keys
    yield key_fault(path, "key") or CheckResult("ok", "key", f"{path}, for its owner alone")


def key_fault(path: Path, area: str) -> CheckResult | None:
    """Return the fault of a key and what to do; None if it can be used."""
    try:
        read_key(path)
    except Misconfigured as wrong:
        mend = (
            f"chmod 600 {path}" if "others may" in str(wrong) else "put the copy that you keep of it back in its place"
        )
        if not can_see(path):
            mend = "`pbem init` in an empty folder writes one; a server that has games needs its own old one back"
        return CheckResult("WRONG", area, str(wrong), mend)
    return None


def check_data_folder(settings: Settings) -> Iterator[CheckResult]:
    """Check that the data folder can be written to and the disk has room."""
    data = settings.server.data
    existing = data
    while not can_see(existing) and existing != existing.parent:
        existing = existing.parent
    if not os.access(existing, os.W_OK | os.X_OK):
        yield CheckResult(
            "WRONG",
            "disk",
            f"{existing} cannot be written to",
            f"give it to the server's user: chown -R pbem {existing}",
        )
        return
    free = shutil.disk_usage(existing).free
    room = f"{data}: {free / 1e9:.1f} GB free"
    if free < SCARCE:
        yield CheckResult("WRONG", "disk", room, "make room: a letter that cannot be stored stays in the mailbox")
    elif free < TIGHT:
        yield CheckResult("mind", "disk", room, "make room soon")
    else:
        yield CheckResult("ok", "disk", room)


def check_database(settings: Settings) -> Iterator[CheckResult]:
    """Check that the database opens, has current tables, and can be written."""
    file = database_file(settings.database.url)
    if file is not None and not can_see(file):
        if can_see(file.parent) and not os.access(file.parent, os.X_OK):
            todo = f"give it to the server's user: chown -R pbem {file.parent}"
            yield CheckResult("WRONG", "database", f"{file.parent} is closed to us", todo)
        elif can_see(file.parent) or file.parent == settings.server.data:
            yield CheckResult("mind", "database", f"{file} is not there yet", "nothing: the first command makes it")
        else:
            yield CheckResult("WRONG", "database", f"there is no folder {file.parent}", "make it, or mend database.url")
        return
    try:
        engine = engine_of("database.url", settings.database.url)
    except Misconfigured as wrong:
        yield CheckResult("WRONG", "database", str(wrong), "leave it empty for a file in the data folder")
        return
    try:
        yield from _tables(engine)
    except SQLAlchemyError as wrong:
        # The driver's own words, without the statement that SQLAlchemy adds.
        why = str(getattr(wrong, "orig", None) or wrong)
        yield CheckResult(
            "WRONG", "database", why, "look at database.url, who owns the file, and whether the database runs"
        )
    finally:
        engine.dispose()


def _tables(engine: Engine) -> Iterator[CheckResult]:
    version, wanted = versions(engine)
    shown = engine.url.render_as_string(hide_password=True)
    if version is None:
        yield CheckResult("mind", "database", f"{shown} is empty", "nothing: the first command makes the tables")
        return
    if version != wanted:
        old = "of an older version" if version < wanted else "of a newer version than this program"
        mend = "back it up; then start `pbem serve`, which brings it up to date"
        if version > wanted:
            mend = NEWER
        yield CheckResult("WRONG", "database", f"{shown} is {old} ({version}, wanted {wanted})", mend)
        return
    state = check_condition(engine)
    if state is None:
        yield CheckResult("ok", "database", f"{shown}, tables {version}")
    elif state.whole != "ok":
        problem = f"{shown} is damaged: {state.whole}"
        yield CheckResult(
            "WRONG", "database", problem, "stop the server and put the last backup back: pbem restore FILE"
        )
    elif state.mode != "wal":
        todo = "copy it to a disk of this machine: shared folders cannot keep a write-ahead log"
        yield CheckResult("WRONG", "database", f"{shown} has journal_mode {state.mode}, not wal", todo)
    else:
        yield CheckResult("ok", "database", f"{shown}, tables {version}, journal_mode wal, can be written to")


def read_clock(settings: Settings) -> datetime | None:
    """Return the present time; None if the clock cannot be read."""
    with suppress(Misconfigured):
        return clock_of(settings).now()
    return None


def check_clock(settings: Settings, numbers: Health | None) -> Iterator[CheckResult]:
    """Check that the time is not before recorded moments, by `health_of`."""
    try:
        now = clock_of(settings).now()
    except Misconfigured as wrong:
        yield CheckResult("WRONG", "clock", str(wrong), 'set clock.source to "system"')
        return
    newest = numbers.newest if numbers else None
    if newest is not None and newest > now + timedelta(minutes=1):
        problem = f"it is {now:%Y-%m-%d %H:%M:%S} UTC here, and something was noted at {newest:%Y-%m-%d %H:%M:%S} UTC"
        yield CheckResult("WRONG", "clock", problem, "set the clock (timedatectl set-ntp true): deadlines go by it")
    else:
        yield CheckResult("ok", "clock", f"it is {now:%Y-%m-%d %H:%M:%S} UTC")


def check_daemon(settings: Settings, state: Health | None) -> Iterator[CheckResult]:
    """Check that `pbem serve` is alive, and report its work and letters."""
    with suppress(Misconfigured):
        now = clock_of(settings).now()
        beat = read_heartbeat(settings.server.data / HEARTBEAT)
        if beat is None or now - beat.at > SILENT:
            last = "was never seen" if beat is None else f"was last seen at {beat.at:%Y-%m-%d %H:%M:%S} UTC"
            yield CheckResult("mind", "daemon", f"pbem serve {last}", "start it, if it is to run: pbem serve")
        elif "database" in beat.troubles:
            yield CheckResult("WRONG", "daemon", "it runs, and cannot use the database", "see above, and its log")
        elif beat.waiting and beat.taken is not None and now - beat.taken <= SILENT:
            problem = f"takes in what waits in the mailbox: {beat.waiting} letters left, the last taken"
            yield CheckResult("ok", "daemon", f"runs as process {beat.pid}, {problem} {_ago(now - beat.taken)} ago")
        elif settings.mail.way_in != "imap" and "mailbox" not in beat.troubles:
            last = "none since it was started" if beat.taken is None else f"the last {_ago(now - beat.taken)} ago"
            yield CheckResult("ok", "daemon", f"runs as process {beat.pid}, takes letters that are handed over, {last}")
        elif beat.polled is None and "mailbox" not in beat.troubles:
            yield CheckResult("ok", "daemon", f"runs as process {beat.pid}, looks into the mailbox for the first time")
        elif beat.polled is None or now - beat.polled > timedelta(seconds=settings.imap.poll) + SILENT:
            yield CheckResult("WRONG", "daemon", "it runs, and cannot look into the mailbox", "see below, and its log")
        else:
            yield CheckResult(
                "ok", "daemon", f"runs as process {beat.pid}, looked into the mailbox {_ago(now - beat.polled)} ago"
            )
        if beat is not None and beat.unmoved:
            problem = f"{beat.unmoved} letters are taken in, and its server will not move them: {beat.refused}"
            todo = (
                f"make room in the mailbox; {settings.imap.processed} and {settings.imap.poison} are to be written to"
            )
            yield CheckResult("WRONG", "mailbox", problem, todo)
    if state is not None:
        yield from _letters_and_games(settings, state)


def _letters_and_games(settings: Settings, state: Health) -> Iterator[CheckResult]:
    if state.refused is not None:
        since = f"since {state.refused.since:%Y-%m-%d %H:%M:%S} UTC"
        problem = f"the mail server refuses what we send, {since}: {state.refused.code} {state.refused.text}"
        own = settings.server
        todo = f"ask it to let smtp.user send as {own.address}, and as {own.local}+...; letters wait"
        yield CheckResult("WRONG", "letters", problem, todo)
    if state.failed:
        # A choice: a line of the report; the whole reply is in the database.
        why = f"; the last: {state.why_failed[:120]}" if state.why_failed else ""
        problem = f"{state.failed} letters were given up, {state.queued} wait{why}"
        todo = "`pbem mail queue` lists them, `pbem mail resend --failed` has them tried again"
        yield CheckResult("mind", "letters", problem, todo)
    else:
        yield CheckResult("ok", "letters", f"{state.queued} wait to be sent, none was given up")
    if state.games.get("held"):
        yield CheckResult(
            "mind", "games", f"{state.games['held']} held", "`pbem game list`, then `pbem game show NAME`"
        )


def check_pictures() -> Iterator[CheckResult]:
    """Check that maps as PNG can be made; letters without them are complete too."""
    if missing := png.missing_libraries():
        problem = f"maps as PNG cannot be made: {', '.join(missing)} cannot be loaded; games go on without"
        yield CheckResult("mind", "pictures", problem, "if you want them: pip install 'pbem[pictures]'")
    else:
        yield CheckResult("ok", "pictures", f"maps can be made as PNG, with {len(png.font_files())} fonts of our own")


def check_printing() -> Iterator[CheckResult]:
    """Check that turns and games can be printed; only printing needs the library."""
    if printed.is_missing():
        problem = "PDF cannot be made: typst cannot be loaded; nothing else needs it"
        yield CheckResult("mind", "paper", problem, "if you want them: pip install 'pbem[pdf]'")
    else:
        yield CheckResult("ok", "paper", "PDF can be made by `pbem print`")


def health_of(settings: Settings, now: datetime) -> Health | None:
    """Return the server's numbers; None without a database of this version."""
    with suppress(SQLAlchemyError, Misconfigured, CommandError):
        file = database_file(settings.database.url)
        if file is not None and not can_see(file):
            return None
        engine = engine_of("database.url", settings.database.url)
        try:
            with Session(engine) as session:
                return read_health(session, now)
        finally:
            engine.dispose()
    return None


def _ago(span: timedelta) -> str:
    return f"{int(span.total_seconds())} s"


_MEND = "mend the file, or take its folder out of the settings: nothing is served before"


_SHIPPED_WORDING = (
    "write them as the game's own locale/es.po and rules.txt do, letter by letter",
    "write them as pbem/letters/locale/es.po does, letter by letter",
)


def check_wording(settings: Settings) -> Iterator[CheckResult]:
    """Check that templates and languages can be read."""
    try:
        if own_templates := read_own_templates(settings.games.folder, settings.letters.templates):
            yield CheckResult("ok", "templates", f"of the server's own: {', '.join(sorted(own_templates))}")
    except UnusableFile as wrong:
        yield CheckResult("WRONG", "templates", str(wrong), _MEND)
    try:
        languages = read_languages(settings.letters.locale)
    except UnusableFile as wrong:
        yield CheckResult("WRONG", "languages", str(wrong), _MEND)
        return
    set_languages(languages)
    try:
        language_of(settings.server.language)
    except ValueError as wrong:
        yield CheckResult("WRONG", "languages", f"server.language: {wrong}", "name one of these")
        return
    added = (
        f"{language_.name} ({translated_percentage(language_)} % of the house's sentences{_of_games(language_)})"
        for language_ in languages
        if language_.code not in ("en", "es")
    )
    yield CheckResult("ok", "languages", f"letters are written in {', '.join(('English', 'Español', *added))}")
    for language in languages:
        for file, unused in unused_lines(language).items():
            said_by = "house does not say" if file.endswith(".po") else "rulebook does not have"
            problem = f"{language.code}/{file} has {len(unused)} that the {said_by}, such as {unused[0]!r}"
            yield CheckResult("mind", "languages", problem, _SHIPPED_WORDING[file.partition(".")[0] == "house"])


def _of_games(language: Language) -> str:
    """Return how much a language has of each game of which it has sentences."""
    names = (file.removesuffix(".po") for file in sorted(language.files) if file.endswith(".po") and file != "house.po")
    return "".join(f", {translated_percentage(language, name)} % of those of {name}" for name in names)


def check_installed_games() -> Iterator[CheckResult]:
    """Check the games that installed packages provide."""
    for brought_game in packaged_games().values():
        if not brought_game.fault:
            try:
                game_by_name(brought_game.name)
            except GameUnplayable as wrong:
                yield CheckResult("mind", "games", str(wrong), f"mend or take away the package {brought_game.package}")
            else:
                yield CheckResult(
                    "ok", "games", f"{brought_game.name}, by {brought_game.package} {brought_game.version}"
                )
    for line in unplayable_lines():
        yield CheckResult("mind", "games", line, "mend or take away the package")


def check_orphaned_games(settings: Settings) -> Iterator[CheckResult]:
    """Check for running games whose rules no installed package provides."""
    file, running = database_file(settings.database.url), dict[str, list[str]]()
    if file is not None and not can_see(file):
        return
    # A database that cannot be opened or read is reported by `check_database`.
    with suppress(SQLAlchemyError, Misconfigured, CommandError):
        engine = engine_of("database.url", settings.database.url)
        try:
            with Session(engine) as session:
                for game in queries.games.unfinished_games(session):
                    running.setdefault(game.system, []).append(game.id)
        finally:
            engine.dispose()
    for system, names in sorted(running.items()):
        try:
            game_by_name(system)
        except GameUnplayable:
            pass  # `check_installed_games` tells of it.
        except GameNotInstalled as wrong:
            todo = "install the package; until then nothing of these is played, the others are"
            yield CheckResult("WRONG", "games", f"{wrong}. It is played in {', '.join(names)}", todo)


def check_log(settings: Settings) -> Iterator[CheckResult]:
    """Check the keys of the log, and that its last signed tree is in the database."""
    keys = (settings.server.log_key, settings.server.dice_key)
    problems = [no for path in keys if (no := key_fault(path, "log")) is not None]
    problems = problems or [no for no in (_check_signed_record(settings),) if no is not None]
    file = database_file(settings.database.url)
    yield from problems
    if problems or (file is not None and not can_see(file)):
        return
    with suppress(SQLAlchemyError, Misconfigured, CommandError):
        engine = engine_of("database.url", settings.database.url)
        try:
            yield from _check_log(server_on_engine(engine, settings), settings)
        finally:
            engine.dispose()


def _check_log(server: Server, settings: Settings) -> Iterator[CheckResult]:
    """Check a server's log against its keys and last signature.

    Silent witnesses are reported.
    """
    with server.reading() as tx:
        if sequencer.has_foreign_keys(tx):
            problem = OTHER_KEYS.format(settings.server.log_key, settings.server.dice_key)
            yield CheckResult("WRONG", "log", problem, "put the copies that you keep of both back in their place")
            return
        trouble, tree, silent = log_health.look(tx), log_health.stored_tree(tx), witnesses.silent_witnesses(tx)
    for row in silent:
        problem = f"{row.email}, asked for {row.game_id}, has not answered ({row.unanswered} letters)"
        yield CheckResult("mind", "witness", problem, "ask whether `pbem witness run` still runs there")
    if trouble is None:
        yield CheckResult("ok", "log", f"{tree.size} leaves, as {tree.origin}")
    else:
        problem = f"it stands still: {plain_english(trouble.why)}"
        mend = "if the database was put back from a backup: pbem log recover; else put the right one back"
        yield CheckResult("WRONG", "log", problem, mend if trouble.known else f"{mend}, or pbem log recover --intact")


def _check_signed_record(settings: Settings) -> CheckResult | None:
    """Return why the last signature cannot be recorded, in a file or a database.

    None if it can.
    """
    if not settings.log.signed:
        return _check_writable(settings.server.signature_file)
    try:
        record = external_record_of(settings)
        try:
            record.read()
        finally:
            record.close()
    except (DBAPIError, Misconfigured, SameDatabase) as wrong:
        problem = str(getattr(wrong, "orig", wrong)).strip()
        todo = "nothing is signed and no phase closes without it: see log.signed"
        return CheckResult("WRONG", "log", f"what was signed last cannot be asked for: {problem}", todo)
    return None


def _check_writable(path: Path) -> CheckResult | None:
    """Return why a file cannot be replaced; None if it can.

    It is written beside the old one and under a lock.
    """
    todo = f"the server's user is to own {path.parent} and what lies in it"
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return CheckResult("WRONG", "log", f"{path} cannot be written: its folder is closed to us", todo)
    for file in (path, path.with_name(f"{path.name}.lock")):
        if can_see(file) and not (file.is_file() and os.access(file, os.R_OK | os.W_OK)):
            return CheckResult("WRONG", "log", f"{file} cannot be written", todo)
    return None


def check_installed_extras(settings: Settings) -> Iterator[CheckResult]:
    """Check that everything the settings need is installed."""
    named = {"database.url": settings.database.url, "log.signed": settings.log.signed}
    elsewhere = [name for name, url in named.items() if url.startswith("postgresql")]
    needed = {
        "dkim": (settings.imap.dkim, "imap.dkim", ("dkim", "dns.resolver")),
        "lmtp": (settings.mail.way_in == "lmtp", "mail.in", ("aiosmtpd",)),
        "postgresql": (bool(elsewhere), " and ".join(elsewhere), ("psycopg",)),
    }
    for extra, (wanted, why, modules) in needed.items():
        missing = [module for module in modules if wanted and not _can_import(module)]
        if missing:
            problem = f"{why} needs {', '.join(missing)}, which cannot be loaded"
            yield CheckResult("WRONG", "extras", problem, f"pip install 'pbem[{extra}]'")
    if settings.beacon.relays and not beacon.is_library_installed():
        problem = "beacon.relays needs py_arkworks_bls12381, which cannot be loaded: new games wait for no beacon"
        yield CheckResult("WRONG", "extras", problem, "pip install 'pbem[beacon]'")


def check_start(settings: Settings) -> Iterator[CheckResult]:
    """Check that `pbem serve` could begin.

    Everything that it makes from the settings is made here too, except the database.
    """
    try:
        refuse_movable_clock(settings)
        refuse_unfinished_restore(settings)
        server = server_on_engine(open_engine("sqlite://"), settings)
        try:
            daemon_settings(settings)
        finally:
            server.close()
    except (Misconfigured, CommandError) as wrong:
        yield CheckResult(
            "WRONG", "start", f"pbem serve would not begin: {wrong}", "mend that; nothing is served before"
        )
        return
    yield CheckResult("ok", "start", "pbem serve can begin with these settings")


def _can_import(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def check_file_modes(config: Path, settings: Settings) -> Iterator[CheckResult]:
    """Check that others cannot read settings and database.

    Settings hold passwords, and the database the address of every seat.
    """
    base = database_file(settings.database.url)
    files = [config, settings.server.signature_file]
    if base is not None:
        files += [base, *(base.with_name(base.name + ending) for ending in SIDE_FILE_ENDINGS)]
        files += sorted(base.parent.glob(f"{base.name}.replaced-*"))
    open_ = [path for path in files if _mode(path) & (stat.S_IRWXO | stat.S_IWGRP)]
    folders = [path for path in (settings.server.data,) if _mode(path) & stat.S_IRWXO]
    if not open_ and not folders:
        yield CheckResult("ok", "modes", "settings and database are nobody else's to read")
    for path in open_:
        yield CheckResult("WRONG", "modes", f"{path} is open to others ({_mode(path):04o})", f"chmod 600 {path}")
    for path in folders:
        yield CheckResult("WRONG", "modes", f"{path} is open to others ({_mode(path):04o})", f"chmod 700 {path}")


def _mode(path: Path) -> int:
    """Return the permissions of a file; 0 if there is no such file."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0
