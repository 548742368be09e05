"""`pbem try`: a game on this machine, against a bot or somebody beside you, with a mailbox in the browser."""

from __future__ import annotations

import os
import signal
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import find_game, game_of, playable, scenarios_of
from pbem.engine.data.languages import known
from pbem.engine.data.messages import Msg, msg, plain
from pbem.lazy import lazily, load

with lazily():
    from pbem.cli import log_output, pages, try_table, webmail, webmail_server


if TYPE_CHECKING:
    from pbem.cli.try_table import Table

app = typer.Typer()
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::", "*")  # noqa: S104 - they are refused
SCENARIO = "drill"
BOTS = ("recruit", "forward")
"""The opponent of a beginner: the first of these that the game has."""


class _Command(TyperCommand):
    """A command whose help names what there is to play: that is read from the games when it is asked for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        parts = []
        for _, game in playable():
            sides: dict[str, list[str]] = {}
            for scenario in scenarios_of(game):
                sides.setdefault(" or ".join(game.seats(game.start(game.edition(scenario, {}, {})))), []).append(
                    scenario
                )
            parts += [f"{', '.join(names)}: {both}." for both, names in sides.items()]
            parts.append("Bots there: " + "; ".join(f"{bot} ({plain(how)})" for bot, how in game.levels.items()) + ".")
        self.epilog = "\n\n".join(parts)
        super().format_help(ctx, formatter)


@app.command("try", cls=_Command)
def try_(
    scenario: Annotated[str, typer.Argument(help="What to play, one of those below; drill without it.")] = "",
    seat: Annotated[str, typer.Option(metavar="SIDE", help="Which side is yours; the first without this.")] = "",
    against: Annotated[
        str, typer.Option(metavar="BOT", help="The bot on the other side; an easy one without this.")
    ] = "",
    two: Annotated[bool, typer.Option("--two", help="Two people play, each with a mailbox, and no bot.")] = False,
    language: Annotated[
        str, typer.Option(metavar="LANG", help="Language of letters and page, en or es; English without this.")
    ] = "",
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where it is kept; it goes on from there.")] = Path(
        "pbem-try"
    ),
    listen: Annotated[str, typer.Option(metavar="ADDRESS", help="Serve a home network, on this address.")] = LOOPBACK,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Play on this machine, against a bot: a mail server, the judge, and your mailbox in the browser.

    The same command goes on with the game: one of that scenario and side that is not over, else a new one begins.
    """
    _need_libraries()
    log_output.open_log()
    # Passwords and letters are in the folder: nobody else is to read them.
    os.umask(0o077)
    if listen in EVERYWHERE:
        raise Stop("--listen takes one address of this machine, such as 192.168.1.5: the page answers to no other")
    if language and language not in known():
        raise Stop(f"there are no letters in {language}; --language takes: {', '.join(known())}")
    is_named = bool(scenario or seat or against or two)
    wish = wish_for(scenario, seat, against, two) if is_named or not (folder / "try.json").is_file() else None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise Stop(f"cannot write to {folder}: {wrong.strerror}") from None
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    table = try_table.Table(folder.resolve(), listen)
    speak = partial(pages.says, "", language or table.language)
    try:
        with table:
            print(speak(msg("Everything is kept in {folder}", folder=str(folder.resolve()))), flush=True)
            game, is_new = table.open_game(wish, language)
            goes_on = msg("Game {game}: a new one", game=game) if is_new else msg("Game {game}: it goes on", game=game)
            print(speak(goes_on), flush=True)
            table.serve()
            imap, smtp = ((LOOPBACK, port) for port in table.ports[:2])
            boxes = {one.secret: webmail.MailClient(one.address, one.password, imap, smtp) for one in table.accounts}
            app = webmail.Webmail(boxes, try_table.JUDGE, table.language, game).app(
                [listen, f"[{listen}]", "localhost"]
            )
            with webmail_server.WebServer(app, listen, table.ports[2]):
                _tell(table, speak)
                if browser:
                    webbrowser.open(way_in(folder.resolve(), table.pages[0]).as_uri())
                while not stop.wait(1):
                    table.check()
    except try_table.AlreadyRunning as other:
        print(speak(msg("It is already running: {address}", address=str(other))))
        if browser:
            webbrowser.open((folder.resolve() / "mailbox.html").as_uri())
        return
    print(speak(msg("Stopped. The same command goes on from here.")))


def _need_libraries() -> None:
    """Stop if a library is missing that this command alone needs."""
    try:
        load(try_table, webmail, webmail_server)
    except ModuleNotFoundError as missing:
        if str(missing.name).startswith("pbem"):
            raise
        raise Stop(f"pbem try needs {str(missing.name).partition('.')[0]}: pip install 'pbem[try]'") from None


def wish_for(scenario: str, seat: str, against: str, two: bool) -> try_table.Wish:
    """Return the game that is asked for, by its options; Stop, with what there is, if one of them is wrong."""
    scenario = scenario or SCENARIO
    game = game_of(scenario)
    rules = find_game(game)
    seats = try_table.seats_of(game, scenario)
    if seat and seat not in seats:
        raise Stop(f"{scenario} has no seat {seat}; its seats are: {', '.join(seats)}")
    if two and against:
        raise Stop("--two is without a bot, --against with one: leave one of them out")
    if against and against not in rules.bots:
        levels = "".join(f"\n  {bot}: {plain(how)}" for bot, how in rules.levels.items())
        raise Stop(f"there is no bot {against}; there are: {levels or ', '.join(rules.bots)}")
    easy = next((bot for bot in BOTS if bot in rules.bots), next(iter(rules.bots), ""))
    return try_table.Wish(game, scenario, seat or seats[0], "" if two else against or easy, bool(against))


def way_in(folder: Path, address: str) -> Path:
    """Write a page that leads to a mailbox, for this user alone: others can see what a browser is called with."""
    page = folder / "mailbox.html"
    page.touch(0o600)
    page.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={escape(address)}">\n', "utf-8")
    return page


def _tell(table: Table, speak: Callable[[Msg], str]) -> None:
    """Print where the mailboxes are, and how other mail programs reach them."""
    for account, page in zip(table.accounts, table.pages, strict=False):
        print(f"\n{account.address}")
        print("  " + speak(msg("in the browser: {address}", address=page)))
        print(
            "  "
            + speak(
                msg(
                    "in a mail program: {imap}, {smtp}, no encryption, user {user}, password {password}",
                    imap=f"IMAP {table.listen}:{table.ports[0]}",
                    smtp=f"SMTP {table.listen}:{table.ports[1]}",
                    user=account.address,
                    password=account.password,
                )
            )
        )
    if table.listen != LOOPBACK:
        print(
            "\n"
            + speak(
                msg(
                    "WARNING: everybody who reaches {host} can try these passwords, and letters go unencrypted.",
                    host=table.listen,
                )
            )
        )
    print(
        "\n" + speak(msg("The first letter is there in some seconds. {keys} stops; nothing is lost.", keys="Ctrl-C")),
        flush=True,
    )
