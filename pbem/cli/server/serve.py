"""`pbem serve`: the daemon with what the settings say, until it is told to stop."""

from __future__ import annotations

import asyncio
import imaplib
import logging
import signal
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config
from pbem.cli.rulebooks import unplayable

if TYPE_CHECKING:
    from pbem.cli.server.daemon import Duties
    from pbem.cli.server.settings import Settings

app = typer.Typer()

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
    from pbem.cli.server.assembly import alone_here, open_server, settings
    from pbem.cli.server.daemon import ANOTHER, Daemon
    from pbem.cli.server.database import check_whole
    from pbem.cli.server.log_output import open_log

    read = settings(config)
    log = open_log(read.log.format, logging.INFO)
    for line in unplayable():
        log.warning(line)
    refuse_a_moved_clock(read)
    if worker:
        _work(read)
        return
    with alone_here(read, ANOTHER, "daemon") as lock:
        check_whole(read)
        server = open_server(read)
        try:
            asyncio.run(Daemon(server, duties(read), log, lock).run())
        finally:
            server.close()


def _work(read: Settings) -> None:
    """Work beside the server until it is told to stop."""
    from pbem.cli.server.assembly import alone_here, open_server
    from pbem.cli.server.mail_servers import smtp_settings
    from pbem.mail.smtp import send_all
    from pbem.runtime.transaction import WORKER
    from pbem.server.worker import Tools, labour
    from pbem.store.engine import file_of
    from pbem.store.hints import Hints
    from pbem.store.lock import Taken
    from pbem.store.migrations import Newer, refuse_newer

    if file_of(read.database.url) is not None:
        raise Stop("workers need a database that several can write to: set database.url to one of PostgreSQL")
    smtp = smtp_settings(read)
    with alone_here(read, part="worker") as lock:
        plain = open_server(read)
        server = replace(plain, owner=f"{WORKER}{plain.owner}")

        def may() -> None:
            lock.take()
            refuse_newer(server.engine)

        async def work() -> None:
            stopped, loop = asyncio.Event(), asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stopped.set)
            hints = Hints(server.engine, server.owner)
            tools = Tools(
                lambda letters, told: send_all(smtp, letters, told=told), asyncio.to_thread, may=may, hints=hints
            )
            await labour(server, tools, stopped)

        try:
            asyncio.run(work())
        except (Newer, Taken) as other:
            raise Stop(f"this worker has to leave the database: {other}") from None
        finally:
            server.close()


def duties(read: Settings) -> Duties:
    """What the daemon is told to do by the settings; Misconfigured or Stop for what it cannot."""
    from pbem.audit import bls
    from pbem.cli.server.assembly import site_of
    from pbem.cli.server.clocks import Chore
    from pbem.cli.server.daemon import Duties
    from pbem.cli.server.heartbeat import HEARTBEAT
    from pbem.cli.server.mail_servers import imap_settings, smtp_settings
    from pbem.cli.server.relays import Cosigners, http, network
    from pbem.cli.sites import keep_site
    from pbem.log import published
    from pbem.server import retention

    out = read.log.tiles
    tiles = Chore("tiles", PUBLISHED, lambda server, goes_on: published.publish(server, out, goes_on)) if out else None
    named = list(zip(read.witness.urls, read.witness.keys, strict=True))
    chores = [*([tiles] if tiles else []), *([Chore("witnesses", ASKED, Cosigners(named))] if named else [])]
    if days := read.keep.letters:
        chores.append(Chore("keep", EMPTIED, lambda server, goes_on: retention.empty(server, days, goes_on)))
    if age := read.keep.pictures:
        chores.append(
            Chore("pictures", EMPTIED, lambda server, goes_on: retention.forget_pictures(server, age, goes_on))
        )
    if read.site.folder is not None:
        chores.append(Chore("site", SHOWN, partial(keep_site, read.site.folder, site_of(read))))
    return Duties(
        imap_settings(read),
        smtp_settings(read),
        read.imap.poll,
        heartbeat=read.server.data / HEARTBEAT,
        metrics=read.metrics.port,
        alerts=read.alerts.command,
        chores=chores,
        claim=read.server.claim,
        network=network(read.beacon.relays, http, bls.check) if read.beacon.relays else None,
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
