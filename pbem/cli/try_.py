"""Play a game on this machine, against a bot or a neighbour: `pbem try`."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, NamedTuple, Self

import typer
from typer.core import TyperCommand

from pbem.cli.exit_codes import FINDING, CommandError
from pbem.cli.rulebooks import find_game, game_of_scenario, playable_rulebooks, scenarios_of, use_folder
from pbem.cli.setting_files import write_key
from pbem.engine.data.languages import supported_languages
from pbem.engine.data.messages import Msg, msg, plain_english
from pbem.lazy import lazily, load

with lazily():
    from pbem.cli import assembly, log_output, pages, webmail, webmail_server
    from pbem.mail import embedded, trace
    from pbem.play import seating
    from pbem.play.commands.table import founding
    from pbem.runtime import clock, terms, transaction
    from pbem.store import queries, tables


app = typer.Typer()
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::", "*")  # noqa: S104 - they are refused
SCENARIO = "drill"
BOTS = ("recruit", "forward")
"""The opponents for a beginner, the first of these that the game has."""


class _Command(TyperCommand):
    """A command whose help lists the games, read when help is asked for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        parts = []
        for _, game in playable_rulebooks():
            sides: dict[str, list[str]] = {}
            for scenario in scenarios_of(game):
                sides.setdefault(" or ".join(game.seats(game.start(game.edition(scenario, {}, {})))), []).append(
                    scenario
                )
            parts += [f"{', '.join(names)}: {both}." for both, names in sides.items()]
            levels = {bot: f"{bot} ({plain_english(how)})" for bot, how in game.levels.items()}
            bots = "; ".join((*levels.values(), *(bot for bot in game.bots if bot not in levels)))
            parts.append(f"Bots there: {bots}." if bots else "No bots there: two people play.")
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
    battles: Annotated[Path, typer.Option(metavar="DIR", help="Where battles of your own are.")] = Path("battles"),
    listen: Annotated[str, typer.Option(metavar="ADDRESS", help="Serve a home network, on this address.")] = LOOPBACK,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Play on this machine, against a bot.

    Starts a mail server, the judge, and your mailbox in the browser.

    The same command goes on with the game: one of that scenario and side that is not over, else a new one begins.
    """
    _need_libraries()
    log_output.open_log()
    # Passwords and letters are in the folder: nobody else is to read them.
    os.umask(0o077)
    if listen in EVERYWHERE:
        raise CommandError(
            "--listen takes one address of this machine, such as 192.168.1.5: the page answers to no other"
        )
    if language and language not in supported_languages():
        raise CommandError(f"there are no letters in {language}; --language takes: {', '.join(supported_languages())}")
    own = battles.resolve() if battles.is_dir() else None
    use_folder(own)
    is_named = bool(scenario or seat or against or two)
    wish = wanted_game(scenario, seat, against, two) if is_named or not (folder / "try.json").is_file() else None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise CommandError(f"cannot write to {folder}: {wrong.strerror}") from None
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    table = LocalServers(folder.resolve(), listen, own)
    speak = partial(pages.say_in_language, "", language or table.language)
    try:
        with table:
            print(speak(msg("Everything is kept in {folder}", folder=str(folder.resolve()))), flush=True)
            game, is_new = table.open_game(wish, language)
            goes_on = msg("New game: {game}", game=game) if is_new else msg("Game {game}: it goes on", game=game)
            print(speak(goes_on), flush=True)
            table.serve()
            imap, smtp = ((LOOPBACK, port) for port in table.ports[:2])
            boxes = {
                account.secret: webmail.MailClient(account.address, account.password, imap, smtp)
                for account in table.accounts
            }
            app = webmail.Webmail(boxes, JUDGE, table.language, game).app([listen, f"[{listen}]", "localhost"])
            with webmail_server.WebServer(app, listen, table.ports[2]):
                _print_addresses(table, speak)
                if browser:
                    webbrowser.open(write_entry_page(folder.resolve(), table.pages[0]).as_uri())
                while not stop.wait(1):
                    table.check()
    except AlreadyRunning as other:
        print(speak(msg("It is already running: {address}", address=str(other))))
        if browser:
            webbrowser.open((folder.resolve() / "mailbox.html").as_uri())
        return
    print(speak(msg("Stopped. The same command goes on from here.")))


def _need_libraries() -> None:
    """Raise CommandError if a library is missing that this command alone needs."""
    try:
        load(embedded, webmail, webmail_server)
    except ModuleNotFoundError as missing:
        # A part of this program that is missing is a bug, and nothing to install.
        if str(missing.name).startswith("pbem"):
            raise
        raise CommandError(f"pbem try needs {str(missing.name).partition('.')[0]}: pip install 'pbem[try]'") from None


def wanted_game(scenario: str, seat: str, against: str, two: bool) -> WantedGame:
    """Return the game that the options ask for.

    Raise CommandError, with what there is, if one of them is wrong.
    """
    scenario = scenario or SCENARIO
    game = game_of_scenario(scenario)
    rules = find_game(game)
    seats = seats_of(game, scenario)
    if seat and seat not in seats:
        raise CommandError(f"{scenario} has no seat {seat}; its seats are: {', '.join(seats)}")
    if two and against:
        raise CommandError("--two is without a bot, --against with one: leave one of them out")
    if against and against not in rules.bots:
        if not rules.bots:
            raise CommandError(f"no bots play {scenario}, so two people do: leave --against out")
        levels = "".join(f"\n  {bot}: {plain_english(how)}" for bot, how in rules.levels.items())
        raise CommandError(f"there is no bot {against}; there are: {levels or ', '.join(rules.bots)}")
    easy = next((bot for bot in BOTS if bot in rules.bots), next(iter(rules.bots), ""))
    return WantedGame(game, scenario, seat or seats[0], "" if two else against or easy, bool(against))


def write_entry_page(folder: Path, address: str) -> Path:
    """Write a page that leads to a mailbox, readable for this user alone.

    Others can see the arguments that a browser is started with.
    """
    page = folder / "mailbox.html"
    page.touch(0o600)
    page.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={escape(address)}">\n', "utf-8")
    return page


def _print_addresses(table: LocalServers, speak: Callable[[Msg], str]) -> None:
    """Print the mailboxes' addresses, and how mail programs reach them."""
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


# Run a mail server and the game server in a folder, create games in it, and go on with them after a restart.
#
# pbem-try/
#   pbem.toml, pbem.key, log.key, dice.key   a server's settings and keys, as `pbem init` makes them
#   try.json, try.lock                       ports, accounts and passwords; held while it runs
#   letters/ADDRESS/000001.eml               every letter that was delivered; they fill the mailboxes at a restart
#   serve.log                                what the game server writes


DOMAIN = "try.test"
JUDGE, OPERATOR = f"pbem@{DOMAIN}", f"operator@{DOMAIN}"
NAMES = ("ana", "ben")
YEAR = 365 * 24
"""The hours of a year: the deadline of a game that stands still while the machine is off must hurry nobody."""


class AlreadyRunning(Exception):
    """Raised if another process plays in this folder; the argument is its first page."""


class LocalMailbox(NamedTuple):
    """A mailbox, its password for mail programs, and the secret of its page."""

    address: str
    password: str
    secret: str


class WantedGame(NamedTuple):
    """A wanted game: `seat` of the first player, `bot` unless two people play.

    A game with another bot is accepted unless `only_bot` is set.
    """

    game: str
    scenario: str
    seat: str
    bot: str = ""
    only_bot: bool = False


class LocalServers:
    """The mail server in this process and the game server in another, for a block.

    The ports are open on the loopback address, and on `listen` if that is another.
    """

    def __init__(self, folder: Path, listen: str = LOOPBACK, battles: Path | None = None) -> None:
        self.folder = folder
        self.battles = battles
        self.hosts = sorted({LOOPBACK, listen})
        self.state = folder / "try.json"
        stored = json.loads(self.state.read_text("utf-8")) if self.state.is_file() else {}
        self.ports: list[int] = stored.get("ports") or free_ports(3)
        self.players: int = stored.get("players", 1)
        self.language: str = stored.get("language", "en")
        self.listen = listen
        self.running_at: str = stored.get("page", "")
        self.judge: str = stored.get("judge") or secrets.token_urlsafe(12)
        self.accounts = [LocalMailbox(*fields) for fields in stored.get("accounts", ())] or [
            LocalMailbox(f"{name}@{DOMAIN}", secrets.token_urlsafe(9), secrets.token_urlsafe(16)) for name in NAMES
        ]
        passwords = {JUDGE: self.judge, OPERATOR: self.judge} | {
            account.address: account.password for account in self.accounts
        }
        self.mail = embedded.EmbeddedMail(passwords, keep=folder / "letters", hosts=self.hosts, authenticate=True)
        self.mail.imap_port, self.mail.smtp_port = self.ports[:2]
        self.config = folder / "pbem.toml"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._lock()
        taken = self._received_hashes()
        self.mail.is_done = lambda address, raw: address == JUDGE and trace.content_digest(raw) in taken
        try:
            self.mail.start()
        except OSError as taken:
            where = ", ".join(self.hosts)
            raise CommandError(
                f"the mail server cannot open its ports {self.ports[:2]} on {where}: {taken.strerror}"
            ) from None
        # There is a password in it, and there may be an older file that others can read.
        self.config.touch(0o600)
        self.config.chmod(0o600)
        self.config.write_text(self._settings(), "utf-8")
        for name in ("pbem.key", "log.key", "dice.key"):
            if not (self.folder / name).is_file():
                write_key(self.folder / name)
        self.keep()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback_: TracebackType | None
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                # A choice: a server that stops still answers the letters that it has taken.
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.mail.stop()
        self._locked.close()

    def _lock(self) -> None:
        """Hold the folder for this process; raise AlreadyRunning if another has it."""
        self._locked = (self.folder / "try.lock").open("ab")
        try:
            fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._locked.close()
            raise AlreadyRunning(self.running_at) from None

    @property
    def pages(self) -> list[str]:
        """Return the addresses of the players' mailboxes."""
        host = f"[{self.listen}]" if ":" in self.listen else self.listen
        return [f"http://{host}:{self.ports[2]}/{account.secret}/" for account in self.accounts[: self.players]]

    def _received_hashes(self) -> frozenset[str]:
        """Return the hashes of the letters that the game server has received.

        They must not be delivered again after a restart.
        """
        if not self.config.is_file():
            return frozenset()
        server = assembly.open_server(assembly.load_settings(self.config))
        try:
            with server.reading() as tx:
                return queries.inbox.letter_digests(tx.session)
        finally:
            server.close()

    def keep(self) -> None:
        """Store ports, accounts and passwords, for this user alone."""
        self.state.touch(0o600)
        self.state.chmod(0o600)
        stored = {
            "ports": self.ports,
            "players": self.players,
            "language": self.language,
            "judge": self.judge,
            "accounts": self.accounts,
            "page": self.pages[0],
        }
        self.state.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")

    def open_game(self, wish: WantedGame | None, language: str = "") -> tuple[str, bool]:
        """Return the name of the game to play, and whether it is new.

        A running game is continued if it fits the wish, or without a wish if it is the newest; else a game is
        created. The name is empty if there is neither a wish nor a game. Without `language` the game keeps its
        language. Raise CommandError if no game can be created.
        """
        self.language = language or self.language
        server = assembly.open_server(assembly.load_settings(self.config))
        try:
            with server.work() as tx:
                # By the number: as a word, try-10 would come before try-9.
                games = sorted(queries.games.all_games(tx.session), key=lambda row: _number(row.id), reverse=True)
                for row in games:
                    if wish is None or (row.state != "over" and self._fits(tx, row, wish)):
                        self._go_on(tx, row.id, language)
                        return row.id, False
                if wish is None:
                    return "", False
                return self._create_game(
                    tx, wish, f"try-{max((_number(row.id) for row in games), default=0) + 1}"
                ), True
        except transaction.UserError as wrong:
            raise CommandError(str(wrong)) from None
        finally:
            server.close()

    def _fits(self, tx: transaction.Transaction, row: tables.Game, wish: WantedGame) -> bool:
        """Return whether a game has the wanted scenario, seat and opponent."""
        seats = queries.games.seats(tx.session, row.id)
        first = {seat.name for seat in seats if self._is_first(tx, seat)}
        bots = {seat.bot for seat in seats if seat.name not in first}
        opponents = {wish.bot} == bots if wish.only_bot or not wish.bot else "" not in bots
        return (row.system, row.scenario, {wish.seat}) == (wish.game, wish.scenario, first) and opponents

    def _is_first(self, tx: transaction.Transaction, seat: tables.Seat) -> bool:
        first = queries.persons.person_by_email(tx.session, self.accounts[0].address)
        return first is not None and seat.person_id == first.id

    def _go_on(self, tx: transaction.Transaction, name: str, language: str) -> None:
        """Continue a game; letters to the first player use `language`, if given."""
        seats = queries.games.seats(tx.session, name)
        for seat in seats:
            if language and self._is_first(tx, seat):
                seat.language = language
                tx.session.add(seat)
        self.players = min(sum(not seat.bot for seat in seats), len(self.accounts))
        self.keep()

    def _create_game(self, tx: transaction.Transaction, wish: WantedGame, name: str) -> str:
        others = [seat for seat in seats_of(wish.game, wish.scenario) if seat != wish.seat]
        bots = [f"{seat}={wish.bot}" for seat in others] if wish.bot else []
        pace = clock.Pace(grace_hours=YEAR, undo_minutes=0)
        agreed = terms.Terms(hints="on")
        founding.new_game(
            tx,
            founding.NewGame(name=name, game=wish.game, scenario=wish.scenario, pace=pace, terms=agreed, bots=bots),
        )
        players = [wish.seat] if bots else [wish.seat, *others]
        for seat, account in zip(players, self.accounts, strict=False):
            seating.invite_seat(
                tx, seating.Invitation(game=name, seat=seat, email=account.address, language=self.language)
            )
            place = queries.games.seat(tx.session, name, seat)
            if place is not None:
                place.format = transaction.HTML + transaction.DESK_SUFFIX
                tx.session.add(place)
        founding.start_game(tx, name)
        self.players = min(len(players), len(self.accounts))
        self.keep()
        return name

    def serve(self) -> None:
        """Start the game server."""
        with (self.folder / "serve.log").open("ab") as log:
            command = [sys.executable, "-m", "pbem.cli", "serve", "--config", str(self.config)]
            self.process = subprocess.Popen(  # noqa: S603 - our own program, no shell
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )

    def check(self) -> None:
        """Raise CommandError with the last line of the server's log if it has ended."""
        if self.process is not None and self.process.poll() is not None:
            log = self.folder / "serve.log"
            lines = [line for line in log.read_text("utf-8", "replace").split("\n") if line.strip()]
            raise CommandError(f"the judge has ended: {lines[-1] if lines else 'it said nothing'} (see {log})", FINDING)

    def _settings(self) -> str:
        way = f'host = "{LOOPBACK}"\nsecurity = "none"\nuser = "{JUDGE}"\npassword = "{self.judge}"\n'
        return (
            f'[server]\naddress = "{JUDGE}"\noperator = "{OPERATOR}"\nletters_an_hour = 10000\n\n'
            f'[open]\nplay = "any"\n\n'
            f"[imap]\n{way}port = {self.mail.imap_port}\npoll = 0.5\n\n"
            f"[smtp]\n{way}port = {self.mail.smtp_port}\n"
            + (f"\n[games]\nfolder = {json.dumps(str(self.battles))}\n" if self.battles else "")
        )


def seats_of(game: str, scenario: str) -> list[str]:
    """Return the seats of a scenario, in the order of play."""
    rules = find_game(game)
    return list(rules.seats(rules.start(rules.edition(scenario, {}, {}))))


def free_ports(count: int) -> list[int]:
    """Return so many different ports that are free on the loopback address.

    They are below the ports that systems give to outgoing connections, so that none is taken before it is used.
    """
    with ExitStack() as held:
        free: list[int] = []
        while len(free) < count:
            port = 10_000 + secrets.randbelow(22_000)
            with suppress(OSError):
                held.enter_context(socket.create_server((LOOPBACK, port)))
                free.append(port)
        return free


def _number(name: str) -> int:
    """Return the number at the end of a game's name; 0 if it has none."""
    return int(name.rpartition("-")[2]) if name.rpartition("-")[2].isdigit() else 0
