"""Run a mail server and the judge in a folder, found games in it, and go on with them after a restart.

pbem-try/
  pbem.toml, pbem.key, log.key, dice.key   a server's settings and keys, as `pbem init` makes them
  try.json, try.lock                       ports, accounts and passwords; held while it runs
  letters/ADDRESS/000001.eml               every letter that was delivered; they fill the mailboxes at a restart
  serve.log                                what the judge writes
"""

from __future__ import annotations

import fcntl
import json
import secrets
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pbem.cli.assembly import open_server, settings
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.rulebooks import find_game
from pbem.cli.setting_files import write_key
from pbem.mail import trace
from pbem.mail.embedded import EmbeddedMail
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import DESK, HTML, Broken, Work
from pbem.store import queries, tables

DOMAIN = "try.test"
JUDGE, OPERATOR = f"pbem@{DOMAIN}", f"operator@{DOMAIN}"
LOOPBACK = EmbeddedMail.host
NAMES = ("ana", "ben")
YEAR = 365 * 24
"""Hours: nobody is hurried in a game that stands still while the machine is off."""


class AlreadyRunning(Exception):
    """Another process plays in this folder; the page of its first mailbox is there."""


class Account(NamedTuple):
    """A mailbox, its password for mail programs, and the secret in the address of its page."""

    address: str
    password: str
    secret: str


class Wish(NamedTuple):
    """A game that is asked for: `seat` of the first player, `bot` unless two people play.

    A game with another bot will do unless `only_bot`.
    """

    game: str
    scenario: str
    seat: str
    bot: str = ""
    only_bot: bool = False


class Table:
    """The mail server in this process and the judge in another, ended with the block.

    The ports are open on the loopback address, and on `listen` if that is another.
    """

    def __init__(self, folder: Path, listen: str = LOOPBACK) -> None:
        self.folder = folder
        self.hosts = sorted({LOOPBACK, listen})
        self.state = folder / "try.json"
        kept = json.loads(self.state.read_text("utf-8")) if self.state.is_file() else {}
        self.ports: list[int] = kept.get("ports") or free_ports(3)
        self.players: int = kept.get("players", 1)
        self.language: str = kept.get("language", "en")
        self.listen = listen
        self.running_at: str = kept.get("page", "")
        self.judge: str = kept.get("judge") or secrets.token_urlsafe(12)
        self.accounts = [Account(*one) for one in kept.get("accounts", ())] or [
            Account(f"{name}@{DOMAIN}", secrets.token_urlsafe(9), secrets.token_urlsafe(16)) for name in NAMES
        ]
        passwords = {JUDGE: self.judge, OPERATOR: self.judge} | {one.address: one.password for one in self.accounts}
        self.mail = EmbeddedMail(passwords, keep=folder / "letters", hosts=self.hosts, authenticate=True)
        self.mail.imap_port, self.mail.smtp_port = self.ports[:2]
        self.config = folder / "pbem.toml"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._lock()
        taken = self._taken()
        self.mail.is_done = lambda address, raw: address == JUDGE and trace.digest(raw) in taken
        try:
            self.mail.start()
        except OSError as taken:
            where = ", ".join(self.hosts)
            raise Stop(f"the mail server cannot open its ports {self.ports[:2]} on {where}: {taken.strerror}") from None
        # There is a password in it, and there may be an older file that others can read.
        self.config.touch(0o600)
        self.config.chmod(0o600)
        self.config.write_text(self._settings(), "utf-8")
        for name in ("pbem.key", "log.key", "dice.key"):
            if not (self.folder / name).is_file():
                write_key(self.folder / name)
        self.keep()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.mail.stop()
        self._locked.close()

    def _lock(self) -> None:
        """Keep the folder for this process until it ends; AlreadyRunning if another has it."""
        self._locked = (self.folder / "try.lock").open("ab")
        try:
            fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._locked.close()
            raise AlreadyRunning(self.running_at) from None

    @property
    def pages(self) -> list[str]:
        """The addresses of the mailboxes, of those who play."""
        host = f"[{self.listen}]" if ":" in self.listen else self.listen
        return [f"http://{host}:{self.ports[2]}/{one.secret}/" for one in self.accounts[: self.players]]

    def _taken(self) -> frozenset[str]:
        """Return the hashes of the letters that the judge has taken in: they are not to come again after a restart."""
        if not self.config.is_file():
            return frozenset()
        server = open_server(settings(self.config))
        try:
            with server.reading() as work:
                return queries.inbox.hashes(work.session)
        finally:
            server.close()

    def keep(self) -> None:
        """Write ports, accounts and passwords down, for this user alone."""
        self.state.touch(0o600)
        self.state.chmod(0o600)
        kept = {
            "ports": self.ports,
            "players": self.players,
            "language": self.language,
            "judge": self.judge,
            "accounts": self.accounts,
            "page": self.pages[0],
        }
        self.state.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")

    def open_game(self, wish: Wish | None, language: str = "") -> tuple[str, bool]:
        """Return the name of the game to be played, and whether it is a new one; Stop if it cannot be founded.

        A game that goes on is taken if it is what is wished for, the newest one without a wish; else one is founded.
        The name is empty if nothing is wished for and there is no game. Without `language` that stays as it was.
        """
        self.language = language or self.language
        server = open_server(settings(self.config))
        try:
            with server.work() as work:
                games = sorted(queries.games.every(work.session), key=lambda row: _number(row.id), reverse=True)
                for row in games:
                    if wish is None or (row.state != "over" and self._fits(work, row, wish)):
                        self._go_on(work, row.id, language)
                        return row.id, False
                if wish is None:
                    return "", False
                return self._found(work, wish, f"try-{max((_number(row.id) for row in games), default=0) + 1}"), True
        except Broken as wrong:
            raise Stop(str(wrong)) from None
        finally:
            server.close()

    def _fits(self, work: Work, row: tables.Game, wish: Wish) -> bool:
        """Whether a game has the scenario, seat and opponent that are wished for."""
        seats = queries.games.seats(work.session, row.id)
        first = {seat.name for seat in seats if self._is_first(work, seat)}
        bots = {seat.bot for seat in seats if seat.name not in first}
        opponents = {wish.bot} == bots if wish.only_bot or not wish.bot else "" not in bots
        return (row.system, row.scenario, {wish.seat}) == (wish.game, wish.scenario, first) and opponents

    def _is_first(self, work: Work, seat: tables.Seat) -> bool:
        first = queries.people.person_by_email(work.session, self.accounts[0].address)
        return first is not None and seat.person_id == first.id

    def _go_on(self, work: Work, name: str, language: str) -> None:
        """Go on with a game; the letters to the first player are in `language` from now on, if it is one."""
        seats = queries.games.seats(work.session, name)
        for seat in seats:
            if language and self._is_first(work, seat):
                seat.language = language
                work.session.add(seat)
        self.players = min(sum(not seat.bot for seat in seats), len(self.accounts))
        self.keep()

    def _found(self, work: Work, wish: Wish, name: str) -> str:
        others = [seat for seat in seats_of(wish.game, wish.scenario) if seat != wish.seat]
        bots = [f"{seat}={wish.bot}" for seat in others] if wish.bot else []
        pace = Pace(grace_hours=YEAR, undo_minutes=0)
        terms = Terms(hints="on")
        new_game(work, NewGame(name=name, game=wish.game, scenario=wish.scenario, pace=pace, terms=terms, bots=bots))
        players = [wish.seat] if bots else [wish.seat, *others]
        for seat, account in zip(players, self.accounts, strict=False):
            invite_seat(work, Invitation(game=name, seat=seat, email=account.address, language=self.language))
            place = queries.games.seat(work.session, name, seat)
            if place is not None:
                place.format = HTML + DESK
                work.session.add(place)
        start_game(work, name)
        self.players = min(len(players), len(self.accounts))
        self.keep()
        return name

    def serve(self) -> None:
        """Start the judge."""
        with (self.folder / "serve.log").open("ab") as log:
            command = [sys.executable, "-m", "pbem.cli", "serve", "--config", str(self.config)]
            self.process = subprocess.Popen(  # noqa: S603 - our own program, no shell
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )

    def check(self) -> None:
        """Stop with the last line of its log if the judge has ended."""
        if self.process is not None and self.process.poll() is not None:
            log = self.folder / "serve.log"
            lines = [line for line in log.read_text("utf-8", "replace").split("\n") if line.strip()]
            raise Stop(f"the judge has ended: {lines[-1] if lines else 'it said nothing'} (see {log})", FINDING)

    def _settings(self) -> str:
        way = f'host = "{LOOPBACK}"\nsecurity = "none"\nuser = "{JUDGE}"\npassword = "{self.judge}"\n'
        return (
            f'[server]\naddress = "{JUDGE}"\noperator = "{OPERATOR}"\nletters_an_hour = 10000\n\n'
            f'[open]\nplay = "any"\n\n'
            f"[imap]\n{way}port = {self.mail.imap_port}\npoll = 0.5\n\n"
            f"[smtp]\n{way}port = {self.mail.smtp_port}\n"
        )


def seats_of(game: str, scenario: str) -> list[str]:
    """Return the seats of a scenario, in the order of play."""
    rules = find_game(game)
    return list(rules.seats(rules.start(rules.edition(scenario, {}, {}))))


def free_ports(count: int) -> list[int]:
    """Return so many ports, no two alike, on which nobody listens now on the loopback address.

    They lie below those that systems give to connections that go out, so none of them is taken before it is used.
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
