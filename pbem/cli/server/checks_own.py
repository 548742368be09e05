"""What `pbem doctor` looks at as `pbem serve` does: files, templates, languages, extras, and all that it refuses."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import Absent, Unplayable, registry, unplayable
from pbem.cli.server.checks_home import Found, unusable_key
from pbem.cli.server.database import is_there
from pbem.cli.server.settings import Settings
from pbem.cli.sources import Misconfigured
from pbem.engine.data.messages import plain
from pbem.installed import brought

if TYPE_CHECKING:
    from pbem.runtime.transaction import Server

_MEND = "mend the file, or take its folder out of the settings: nothing is served before"


def wording(read: Settings) -> Iterator[Found]:
    """Templates and languages can be read; without any of a server's own there is nothing to look at."""
    from pbem.engine.data.languages import language_of, lay
    from pbem.letters.own_languages import idle, read_languages, share
    from pbem.letters.own_templates import Unfit, read_own

    try:
        if own := read_own(read.games.folder, read.letters.templates):
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
    from sqlalchemy.exc import SQLAlchemyError
    from sqlmodel import Session

    from pbem.cli.server.assembly import engine_of
    from pbem.store import queries
    from pbem.store.engine import file_of

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
    from sqlalchemy.exc import SQLAlchemyError

    from pbem.cli.server.assembly import engine_of, server_over
    from pbem.store.engine import file_of

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
    from pbem.cli.server.assembly import OTHER_KEYS
    from pbem.log import log_health, sequencer, witnesses

    with server.reading() as work:
        if sequencer.others(work):
            what = OTHER_KEYS.format(read.server.log_key, read.server.dice_key)
            yield Found("WRONG", "log", what, "put the copies that you keep of both back in their place")
            return
        found, tree, silent = log_health.look(work), log_health.here(work), witnesses.silent(work)
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
    from sqlalchemy.exc import DBAPIError

    from pbem.cli.server.assembly import beside_of
    from pbem.store.beside import Within

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
    from pbem.audit import bls

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
    if read.beacon.relays and not bls.available():
        what = "beacon.relays needs py_arkworks_bls12381, which cannot be loaded: new games wait for no beacon"
        yield Found("WRONG", "extras", what, "pip install 'pbem[beacon]'")


def start(read: Settings) -> Iterator[Found]:
    """`pbem serve` would begin: everything is made that it makes of the settings, but for the database."""
    from pbem.cli.server.assembly import server_over
    from pbem.cli.server.database import refuse_unfinished
    from pbem.cli.server.serve import duties, refuse_a_moved_clock
    from pbem.store.engine import open_engine

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
    from pbem.store.engine import file_of
    from pbem.store.upkeep import BESIDE

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
