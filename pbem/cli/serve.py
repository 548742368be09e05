"""Set up and run a server: `pbem init`, `pbem serve`, `pbem doctor`.

The doctor looks at everything that a server needs, and says what to do about what is wrong::

    ok            key        /srv/pbem/pbem.key, for its owner alone
    WRONG         mailbox    LoginError: authentication failed
                             to do: look at imap.user and imap.password; many providers want a password for programs
    not checked   DNS        no resolver named: pbem doctor --resolver 9.9.9.9

It ends with 0 if nothing is wrong, 1 if something is, 2 if the settings cannot be read and so nothing could be looked
at.
"""

from __future__ import annotations

import asyncio
import imaplib
import logging
import signal
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, USAGE, Stop
from pbem.cli.options import FILE_NAME, HERE, Config
from pbem.cli.output import AsJson, print_json
from pbem.cli.rulebooks import unplayable
from pbem.cli.setting_files import Misconfigured, write_key, write_new
from pbem.cli.settings import load
from pbem.data import data
from pbem.lazy import lazily, load_all

with lazily():
    from pbem.audit import beacon
    from pbem.cli import (
        alerts,
        assembly,
        checks_server,
        clocks,
        daemon,
        database,
        examination,
        log_output,
        mail_servers,
        relays,
        sites,
    )
    from pbem.log import published
    from pbem.mail import smtp as smtp_client
    from pbem.play import privacy
    from pbem.runtime import transaction
    from pbem.server import worker as workers
    from pbem.store import engine, migrations
    from pbem.store import hints as store_hints
    from pbem.store import lock as locks


if TYPE_CHECKING:
    from pbem.cli.checks_server import Found
    from pbem.cli.settings import Settings

app = typer.Typer()


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the server is to live; made if missing.")] = Path(),
) -> None:
    """Write pbem.toml, to be filled in, and the server's secret key. Nothing that exists is overwritten."""
    database.private()
    settings, key = folder / FILE_NAME, folder / "pbem.key"
    log, dice = folder / "log.key", folder / "dice.key"
    for path in (settings, key, log, dice):
        if path.exists():
            raise Stop(f"{path} exists already, and is left as it is")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The settings will hold passwords: both files are their owner's alone from the first byte.
        write_new(settings, data("config", FILE_NAME).read_text("utf-8"))
        for path in (key, log, dice):
            write_key(path)
    except OSError as wrong:
        raise Stop(f"cannot write in {folder}: {wrong.strerror}") from None
    print(f"{settings}  settings: fill in the address, the mailbox and the passwords")
    print(f"{key}   the server's secret: keep a copy of it in a safe place")
    print(f"{log}    the log's key: what the server says is signed with it")
    print(f"{dice}   the key of the dice: keep copies of both in safe places, not together")
    print(f"Next: pbem scenarios, and then: pbem game new NAME --scenario SCENARIO --config {settings}")


ASKED = 3
"""Seconds between two looks whether witnesses have to see the log."""

PUBLISHED = 2
"""Seconds between two looks whether the log has grown since it was written as files."""


SHOWN = 60
"""Seconds between two looks whether anything has happened in games that everybody may look at."""


EMPTIED = 3600
"""Seconds between two looks for games whose letters are not kept any longer."""


@app.command()
def serve(
    config: Config = HERE,
    worker: Annotated[bool, typer.Option("--worker", help="Resolve and send beside a server on PostgreSQL.")] = False,
) -> None:
    """Run the server: take letters in, keep the deadlines, send the answers. Ends cleanly on Ctrl-C or SIGTERM."""
    read = assembly.settings(config)
    log = log_output.open_log(read.log.format, logging.INFO)
    for line in unplayable():
        log.warning(line)
    refuse_a_moved_clock(read)
    if worker:
        _work_beside(read)
        return
    with assembly.alone_here(read, daemon.ANOTHER, "daemon") as lock:
        database.check_whole(read)
        server = assembly.open_server(read)
        try:
            asyncio.run(daemon.Daemon(server, duties(read), log, lock).run())
        finally:
            server.close()


def _work_beside(read: Settings) -> None:
    """Work beside the server until it is told to stop."""
    if engine.file_of(read.database.url) is not None:
        raise Stop("workers need a database that several can write to: set database.url to one of PostgreSQL")
    smtp = mail_servers.smtp_settings(read)
    load_all()
    with assembly.alone_here(read, part="worker") as lock:
        plain = assembly.open_server(read)
        server = replace(plain, settings=replace(plain.settings, owner=f"{transaction.WORKER}{plain.settings.owner}"))

        def may() -> None:
            lock.take()
            migrations.refuse_newer(server.engine)

        async def work() -> None:
            stopped, loop = asyncio.Event(), asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stopped.set)
            hints = store_hints.Hints(server.engine, server.settings.owner)
            tools = workers.Tools(
                lambda letters, told: smtp_client.send_all(smtp, letters, told=told),
                asyncio.to_thread,
                may=may,
                hints=hints,
            )
            await workers.labour(server, tools, stopped)

        try:
            asyncio.run(work())
        except (migrations.Newer, locks.Taken) as other:
            raise Stop(f"this worker has to leave the database: {other}") from None
        finally:
            server.close()


def duties(read: Settings) -> daemon.Duties:
    """What the daemon is told to do by the settings; Misconfigured or Stop for what it cannot."""
    out = read.log.tiles
    tiles = (
        clocks.Chore("tiles", PUBLISHED, lambda server, goes_on: published.publish(server, out, goes_on))
        if out
        else None
    )
    named = list(zip(read.witness.urls, read.witness.keys, strict=True))
    chores = [
        *([tiles] if tiles else []),
        *([clocks.Chore("witnesses", ASKED, relays.Cosigners(named))] if named else []),
    ]
    if days := read.keep.letters:
        chores.append(
            clocks.Chore("keep", EMPTIED, lambda server, goes_on: privacy.empty_letters(server, days, goes_on))
        )
    if age := read.keep.pictures:
        chores.append(
            clocks.Chore("pictures", EMPTIED, lambda server, goes_on: privacy.forget_pictures(server, age, goes_on))
        )
    if read.site.folder is not None:
        chores.append(clocks.Chore("site", SHOWN, partial(sites.keep_site, read.site.folder, assembly.site_of(read))))
    return daemon.Duties(
        mail_servers.imap_settings(read),
        mail_servers.smtp_settings(read),
        read.imap.poll,
        heartbeat=read.server.data / alerts.HEARTBEAT,
        metrics=read.metrics.port,
        alerts=read.alerts.command,
        chores=chores,
        claim=read.server.claim,
        network=relays.network(read.beacon.relays, relays.http, beacon.check) if read.beacon.relays else None,
    )


def refuse_a_moved_clock(read: Settings) -> None:
    """A clock that somebody can turn has no place where real people play: Stop unless the mail server is our own."""
    if read.clock.source == "system":
        return
    welcome = b""
    if read.imap.security == "none":
        try:
            server = imaplib.IMAP4(read.imap.host, read.imap.port, timeout=10)
        except (OSError, imaplib.IMAP4.error) as wrong:
            raise Stop(
                f"clock.source is a file, and {read.imap.host} does not say whose server it is: {wrong}"
            ) from None
        welcome = server.welcome
        server.shutdown()
    if b"pbem ready" not in welcome:
        raise Stop('clock.source is a file, which only the mail server of pbem itself may go with; set it to "system"')


@app.command()
def doctor(
    resolver: Annotated[str, typer.Option(metavar="HOST:PORT", help="Whom to ask for SPF, DKIM and DMARC.")] = "",
    dkim: Annotated[str, typer.Option(metavar="SELECTOR", help="The selector your mail server signs with.")] = "",
    letter: Annotated[bool, typer.Option("--letter", help="Send a letter to the server itself and await it.")] = False,
    alive: Annotated[
        bool, typer.Option("--alive", help="Look at the heartbeat of `pbem serve` alone, for health checks.")
    ] = False,
    as_json: AsJson = False,
    config: Config = HERE,
) -> None:
    """Look at everything a server needs and say what to do. Ends with 1 if something is wrong."""
    asked = examination.resolver_of(resolver)
    try:
        read = load(config)
    except Misconfigured as wrong:
        _print_findings([checks_server.Found("WRONG", "settings", str(wrong))], as_json)
        raise Stop("nothing else can be looked at before the settings are mended", USAGE) from None
    if ill := _print_findings(
        examination.pulse(read) if alive else examination.examine(config, read, asked, dkim, letter), as_json
    ):
        raise Stop(f"things to mend: {ill}", FINDING)


def _print_findings(every: Iterable[Found], as_json: bool) -> int:
    """Print what is found, each as soon as it is, or all at once as JSON; return how much is wrong."""
    told = []
    for found in every:
        told.append(found)
        if not as_json:
            _print_finding(found)
    ill = sum(found.verdict == "WRONG" for found in told)
    if as_json:
        print_json("doctor/1", to_mend=ill, checks=told)
    return ill


def _print_finding(found: Found) -> None:
    first, *more = found.found.split("\n")
    print(f"{found.verdict:<13} {found.area:<10} {first}")
    for line in more:
        print(f"{'':<24} {line}")
    if found.todo:
        print(f"{'':<24} to do: {found.todo}")
