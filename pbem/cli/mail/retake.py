"""`pbem mail retake`: letters that a database put back does not know, or that were refused when they came too early."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config

if TYPE_CHECKING:
    from pbem.cli.server.settings import Settings
    from pbem.runtime.transaction import Server

app = typer.Typer()

MARGIN = timedelta(days=2)
"""Letters of so long before the newest one that is known are looked at too: clocks and zones differ."""


@app.command()
def retake(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Read anew the refused orders of its open turn.")] = "",
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Of this seat alone.")] = "",
    since: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="Look at letters that came from this day on.")] = "",
    config: Config = HERE,
) -> None:
    """After a restore: move letters that the database does not know back into the inbox, for `pbem serve` to take.

    With GAME: read anew what was refused because its turn was not open yet, and is now.
    """
    from pbem.cli.server.assembly import opened, settings

    if game and since:
        raise Stop("--since is about the mailbox, GAME about letters that are in the database: one of them")
    read = settings(config)
    with opened(read) as server:
        if game:
            _read_anew(server, game, seat)
        else:
            _move_back(server, read, since)


def _read_anew(server: Server, game: str, seat: str) -> None:
    from pbem.server.retake import retake as read_anew
    from pbem.server.worker import run

    done = read_anew(server, game, seat)
    run(server)
    for one in done:
        print(f"letter {one.number} of {one.seat}: {one.outcome}")
    print(f"read anew: {len(done)}")


def _move_back(server: Server, read: Settings, since: str) -> None:
    from pbem.cli.server.mail_servers import imap_settings
    from pbem.mail.imap import ImapMailbox, MailboxDown
    from pbem.server.retake import unknown

    day, way = _day(server, since), imap_settings(read)
    back = []
    for folder in (way.processed, way.poison):
        with closing(ImapMailbox(replace(way, folder=folder, processed=way.folder))) as mailbox:
            try:
                mailbox.connect()
                found = sorted(unknown(server, folder, mailbox.fetch_since(day)), key=lambda one: one.internaldate)
                for letter in found:
                    # One by one: they are to lie in the inbox in the order in which they came.
                    mailbox.move([letter.uid], way.folder)
            except MailboxDown as down:
                raise Stop(f"the mailbox is away: {down}. Run it again: what was moved is not moved twice") from None
        back += found
    print(f"letters since {day} that the database does not know, moved back into {way.folder}: {len(back)}")
    if back:
        print("`pbem serve` takes them in. Orders for turns that are not open by then are refused; when they are:")
        print("pbem mail retake GAME")


def _day(server: Server, since: str) -> date:
    from pbem.store import queries

    if since:
        try:
            return date.fromisoformat(since)
        except ValueError:
            raise Stop(f"--since is a day such as 2031-05-04, got {since!r}") from None
    with server.reading() as work:
        last = queries.inbox.newest_letter(work.session)
    return (last.date() if last is not None else date(1970, 1, 1) + MARGIN) - MARGIN
