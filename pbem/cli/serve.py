"""Set up, run and keep a server.

`pbem init`, `pbem serve`, `pbem doctor`.

The doctor looks at everything that a server needs, and says what to do about what is wrong::

    ok            key        /srv/pbem/pbem.key, for its owner alone
    WRONG         mailbox    LoginError: authentication failed
                             to do: look at imap.user and imap.password; many providers want a password for programs
    not checked   DKIM       no selector named
                             to do: pbem doctor --dkim SELECTOR; s= in a DKIM-Signature of yours says which

It ends with 0 if nothing is wrong, 1 if something is, 2 if the settings cannot be read and so nothing could be looked
at.
"""

from __future__ import annotations

import asyncio
import imaplib
import signal
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, TEMPORARY, USAGE, CommandError, Unavailable
from pbem.cli.options import FILE_NAME, HERE, Config
from pbem.cli.output import AsJson, print_json
from pbem.cli.rulebooks import unplayable_lines
from pbem.cli.setting_files import Misconfigured, write_key, write_new
from pbem.cli.settings import load
from pbem.data import data
from pbem.lazy import lazily, load_all

with lazily():
    from pbem.audit import beacon
    from pbem.cli import (
        alerts,
        assembly,
        checks_network,
        checks_server,
        daemon,
        local_intake,
        log_output,
        mail_servers,
        sites,
        web,
    )
    from pbem.log import published
    from pbem.mail import lmtp
    from pbem.mail import smtp as smtp_client
    from pbem.play import privacy
    from pbem.runtime import transaction
    from pbem.server import worker as workers
    from pbem.store import coordination, engine, migrations

if TYPE_CHECKING:
    from pbem.cli.checks_server import CheckResult
    from pbem.cli.settings import Settings


app = typer.Typer()


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the server is to live; made if missing.")] = Path(),
) -> None:
    """Write pbem.toml, to be filled in, and the server's secret key.

    Nothing that exists is overwritten.
    """
    assembly.make_files_private()
    settings, key = folder / FILE_NAME, folder / "pbem.key"
    log, dice = folder / "log.key", folder / "dice.key"
    for path in (settings, key, log, dice):
        if path.exists():
            raise CommandError(f"{path} exists already, and is left as it is")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The settings will hold passwords: both files are their owner's alone from the first byte.
        write_new(settings, data("config", FILE_NAME).read_text("utf-8"))
        for path in (key, log, dice):
            write_key(path)
    except OSError as wrong:
        raise CommandError(f"cannot write in {folder}: {wrong.strerror}") from None
    print(f"{settings}  settings: fill in the address, the mailbox and the passwords")
    print(f"{key}   the server's secret: keep a copy of it in a safe place")
    print(f"{log}    the log's key: what the server says is signed with it")
    print(f"{dice}   the key of the dice: keep copies of both in safe places, not together")
    print(f"Next: pbem scenarios, and then: pbem game new NAME --scenario SCENARIO --config {settings}")


WITNESS_SECONDS = 3
"""Seconds between two checks whether witnesses have to see the log: they must see a closed list before the beacon's
round comes."""

TILES_SECONDS = 2
"""Seconds between two checks whether the log has grown since it was written as files: one short query each."""


SITE_SECONDS = 60
"""Seconds between two checks whether anything has happened in published games."""


KEEP_SECONDS = 3600
"""Seconds between two searches for games whose letters need not be kept any longer. A choice: they are kept for days,
so an hour more does not matter."""


@app.command()
def serve(
    config: Config = HERE,
    worker: Annotated[bool, typer.Option("--worker", help="Resolve and send beside a server on PostgreSQL.")] = False,
) -> None:
    """Run the server.

    It takes letters in, keeps the deadlines and sends the answers. Ends cleanly on Ctrl-C or SIGTERM.
    """
    try:
        _serve_until_stopped(config, worker)
    except Unavailable as away:
        raise CommandError(str(away), TEMPORARY) from None


def _serve_until_stopped(config: Path, worker: bool) -> None:
    server_settings = assembly.load_settings(config)
    log = log_output.open_log(server_settings.log.format, server_settings.log.level)
    for line in unplayable_lines():
        log.warning(line)
    refuse_movable_clock(server_settings)
    if worker:
        _run_worker(server_settings)
        return
    with assembly.hold_database_lock(server_settings, daemon.ANOTHER, "daemon") as lock:
        assembly.check_database(server_settings)
        server = assembly.open_server(server_settings)
        try:
            asyncio.run(daemon.Daemon(server, daemon_settings(server_settings), log, lock).run())
        finally:
            server.close()


def _run_worker(server_settings: Settings) -> None:
    """Work beside the server until told to stop."""
    if engine.database_file(server_settings.database.url) is not None:
        raise CommandError("workers need a database that several can write to: set database.url to one of PostgreSQL")
    smtp = mail_servers.smtp_settings(server_settings)
    load_all()
    with assembly.hold_database_lock(server_settings, part="worker") as lock:
        plain = assembly.open_server(server_settings)
        server = replace(
            plain, settings=replace(plain.settings, owner=f"{transaction.WORKER_PREFIX}{plain.settings.owner}")
        )

        def may() -> None:
            lock.take()
            migrations.refuse_newer(server.engine)

        async def work() -> None:
            stopped, loop = asyncio.Event(), asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stopped.set)
            wake_ups = coordination.WakeUps(server.engine, server.settings.owner)
            tools = workers.WorkerTools(
                lambda letters, on_reply: smtp_client.send_all(smtp, letters, on_reply=on_reply),
                asyncio.to_thread,
                may=may,
                wake_ups=wake_ups,
            )
            await workers.work_until(server, tools, stopped)

        try:
            asyncio.run(work())
        except (migrations.NewerDatabase, coordination.LockTaken) as other:
            raise CommandError(f"this worker has to leave the database: {other}") from None
        finally:
            server.close()


def daemon_settings(server_settings: Settings) -> daemon.DaemonSettings:
    """Return the daemon's duties by the settings.

    Raises Misconfigured or CommandError if a setting cannot be used.
    """
    tiles_folder = server_settings.log.tiles
    tiles = (
        daemon.PeriodicJob(
            "tiles", TILES_SECONDS, lambda server, goes_on: published.publish(server, tiles_folder, goes_on)
        )
        if tiles_folder
        else None
    )
    named = list(zip(server_settings.witness.urls, server_settings.witness.keys, strict=True))
    chores = [
        *([tiles] if tiles else []),
        *([daemon.PeriodicJob("witnesses", WITNESS_SECONDS, web.HttpCosigners(named))] if named else []),
    ]
    if days := server_settings.keep.letters:
        chores.append(
            daemon.PeriodicJob(
                "keep", KEEP_SECONDS, lambda server, goes_on: privacy.delete_letter_texts(server, days, goes_on)
            )
        )
    if age := server_settings.keep.pictures:
        chores.append(
            daemon.PeriodicJob(
                "pictures", KEEP_SECONDS, lambda server, goes_on: privacy.delete_pictures(server, age, goes_on)
            )
        )
    if server_settings.site.folder is not None:
        chores.append(
            daemon.PeriodicJob(
                "site",
                SITE_SECONDS,
                partial(
                    sites.update_site_beside_server, server_settings.site.folder, assembly.site_of(server_settings)
                ),
            )
        )
    mail = server_settings.mail
    listen = lmtp.LmtpSettings(mail.listen, int(mail.mode, 8), mail.group) if mail.way_in == "lmtp" else None
    return daemon.DaemonSettings(
        mail_servers.imap_settings(server_settings) if mail.way_in == "imap" else None,
        mail_servers.smtp_settings(server_settings),
        server_settings.imap.poll,
        heartbeat=server_settings.server.data / alerts.HEARTBEAT,
        metrics=(server_settings.metrics.address, server_settings.metrics.port),
        status=server_settings.metrics.status,
        site=assembly.site_of(server_settings),
        alerts=server_settings.alerts.command,
        backup_hours=server_settings.alerts.backup_hours,
        chores=chores,
        claim=server_settings.server.claim_file,
        local=local_intake.LocalWay(listen),
        network=web.make_relay_fetcher(server_settings.beacon.relays, web.get_round, beacon.verify_round)
        if server_settings.beacon.relays
        else None,
    )


def refuse_movable_clock(server_settings: Settings) -> None:
    """Raise CommandError for a clock in a file, unless the mail server is our own.

    Real people must not play by a clock that somebody can move.
    """
    if server_settings.clock.source == "system":
        return
    welcome = b""
    if server_settings.imap.security == "none" and server_settings.mail.way_in == "imap":
        try:
            server = imaplib.IMAP4(server_settings.imap.host, server_settings.imap.port, timeout=10)
        except (OSError, imaplib.IMAP4.error) as wrong:
            raise CommandError(
                f"clock.source is a file, and {server_settings.imap.host} does not say whose server it is: {wrong}"
            ) from None
        welcome = server.welcome
        server.shutdown()
    if b"pbem ready" not in welcome:
        raise CommandError(
            'clock.source is a file, which only the mail server of pbem itself may go with; set it to "system"'
        )


@app.command()
def doctor(
    resolver: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT",
            help="Whom to ask for SPF, DKIM and DMARC; else as this machine does.",
            show_default=False,
        ),
    ] = "",
    dkim: Annotated[str, typer.Option(metavar="SELECTOR", help="The selector your mail server signs with.")] = "",
    letter: Annotated[bool, typer.Option("--letter", help="Send a letter to the server itself and await it.")] = False,
    alive: Annotated[
        bool, typer.Option("--alive", help="Look at the heartbeat of `pbem serve` alone, for health checks.")
    ] = False,
    as_json: AsJson = False,
    config: Config = HERE,
) -> None:
    """Check everything a server needs, and say what to do.

    Ends with 1 if something is wrong.
    """
    dns_resolver = checks_network.resolver_of(resolver)
    try:
        server_settings = load(config)
    except Misconfigured as wrong:
        _print_findings([checks_server.CheckResult("WRONG", "settings", str(wrong))], as_json)
        raise CommandError("nothing else can be looked at before the settings are mended", USAGE) from None
    if wrong_count := _print_findings(
        checks_network.check_heartbeat(server_settings)
        if alive
        else checks_network.run_all_checks(config, server_settings, dns_resolver, dkim, letter),
        as_json,
    ):
        raise CommandError(f"things to mend: {wrong_count}", FINDING)


def _print_findings(results: Iterable[CheckResult], as_json: bool) -> int:
    """Print findings, each at once or all as JSON; return how many are wrong."""
    shown = []
    for result in results:
        shown.append(result)
        if not as_json:
            _print_finding(result)
    wrong_count = sum(printed.verdict == "WRONG" for printed in shown)
    if as_json:
        print_json("doctor/1", to_mend=wrong_count, checks=shown)
    return wrong_count


def _print_finding(result: CheckResult) -> None:
    first, *more = result.found.split("\n")
    print(f"{result.verdict:<13} {result.area:<10} {first}")
    for line in more:
        print(f"{'':<24} {line}")
    if result.todo:
        print(f"{'':<24} to do: {result.todo}")
