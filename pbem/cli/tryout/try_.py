"""`pbem try`: a game on this machine, against a bot or somebody beside you, with a mailbox in the browser."""

from __future__ import annotations

import os
import signal
import threading
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import find_game, game_of

if TYPE_CHECKING:
    from pbem.cli.tryout.table import Table

app = typer.Typer()
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::", "*")  # noqa: S104 - they are refused
SCENARIO = "drill"
BOTS = ("recruit", "forward")
"""The opponent of a beginner: the first of these that the game has."""


@app.command("try")
def try_(
    scenario: Annotated[str, typer.Argument(help="What to play, as `pbem scenarios` lists it; drill without it.")] = "",
    seat: Annotated[str, typer.Option(metavar="SIDE", help="Which side is yours; the first without this.")] = "",
    against: Annotated[
        str, typer.Option(metavar="BOT", help="The bot on the other side; an easy one without this.")
    ] = "",
    two: Annotated[bool, typer.Option("--two", help="Two people play, each with a mailbox, and no bot.")] = False,
    language: Annotated[str, typer.Option(metavar="LANG", help="Language of the letters: en or es.")] = "en",
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where it is kept; it goes on from there.")] = Path(
        "pbem-try"
    ),
    listen: Annotated[str, typer.Option(metavar="ADDRESS", help="Serve a home network, on this address.")] = LOOPBACK,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Play on this machine, against a bot: a mail server, the judge, and your mailbox in the browser."""
    try:
        from pbem.cli.tryout.table import JUDGE, Table, Wish
        from pbem.cli.tryout.web_server import WebServer
        from pbem.cli.tryout.webmail import MailClient, Webmail
    except ModuleNotFoundError as missing:
        if str(missing.name).startswith("pbem"):
            raise
        raise Stop(f"pbem try needs {str(missing.name).partition('.')[0]}: pip install 'pbem[try]'") from None
    from pbem.cli.server.log_output import open_log

    open_log()
    # Passwords and letters are in the folder: nobody else is to read them.
    os.umask(0o077)
    if listen in EVERYWHERE:
        raise Stop("--listen takes one address of this machine, such as 192.168.1.5: the page answers to no other")
    new = not (folder / "try.json").is_file()
    wish = None
    if new or scenario:
        name = scenario or SCENARIO
        game = game_of(name)
        easy = next(bot for bot in BOTS if bot in find_game(game).bots)
        wish = Wish(game, name, seat, "" if two else against or easy, language)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise Stop(f"cannot write to {folder}: {wrong.strerror}") from None
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    print(f"A game on this machine; everything is kept in {folder.resolve()}", flush=True)
    with Table(folder.resolve(), listen) as table:
        print(f"  mail server: ready\n  game: {table.found(wish)}", flush=True)
        table.serve()
        imap, smtp = ((LOOPBACK, port) for port in table.ports[:2])
        boxes = {one.secret: MailClient(one.address, one.password, imap, smtp) for one in table.accounts}
        app = Webmail(boxes, JUDGE, table.language).app([listen, f"[{listen}]", "localhost"])
        with WebServer(app, listen, table.ports[2]):
            host = f"[{listen}]" if ":" in listen else listen
            shown = [f"http://{host}:{table.ports[2]}/{one.secret}/" for one in table.accounts[: table.players]]
            _tell(table, listen, shown)
            if browser:
                webbrowser.open(way_in(folder.resolve(), shown[0]).as_uri())
            while not stop.wait(1):
                table.check()
    print("Stopped. The same command goes on from here.")


def way_in(folder: Path, address: str) -> Path:
    """Write a page that leads to a mailbox, for this user alone: others can see what a browser is called with."""
    page = folder / "mailbox.html"
    page.touch(0o600)
    page.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={escape(address)}">\n', "utf-8")
    return page


def _tell(table: Table, listen: str, shown: list[str]) -> None:
    """Print where the mailboxes are, and how other mail programs reach them."""
    for account, address in zip(table.accounts, shown, strict=False):
        print(f"\n{account.address}\n  in the browser: {address}")
        print(
            f"  in a mail program: IMAP {listen} port {table.ports[0]}, SMTP {listen} port {table.ports[1]}, "
            f"no encryption, user {account.address}, password {account.password}"
        )
    if listen != LOOPBACK:
        print(f"\nWARNING: everybody who reaches {listen} can try these passwords, and letters go unencrypted.")
    print("\nThe first letter is there in some seconds. Ctrl-C stops; nothing is lost.", flush=True)
