"""Run a mail server and the judge in a folder, found games in it, and go on with them after a restart.

pbem-try/
  pbem.toml, pbem.key, log.key, dice.key   a server's settings and keys, as `pbem init` makes them
  try.json                                 ports, accounts and passwords
  letters/ADDRESS/000001.eml               every letter that was delivered; they fill the mailboxes at a restart
  serve.log                                what the judge writes
"""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pbem.campaign.base.clock import Pace
from pbem.campaign.base.server import DESK, HTML, Broken, Work
from pbem.campaign.base.terms import Terms
from pbem.campaign.commands.table.founding import NewGame, new_game, start_game
from pbem.campaign.people.seating import Invitation, invite_seat
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.rulebooks import find_game
from pbem.cli.server.assembly import open_server, settings
from pbem.cli.server.key_files import write_key
from pbem.mail import trace
from pbem.mail.embedded import EmbeddedMail
from pbem.store import queries

DOMAIN = "try.test"
JUDGE, OPERATOR = f"pbem@{DOMAIN}", f"operator@{DOMAIN}"
LOOPBACK = EmbeddedMail.host
NAMES = ("ana", "ben")
YEAR = 365 * 24
"""Hours: nobody is hurried in a game that stands still while the machine is off."""


class Account(NamedTuple):
    """A mailbox, its password for mail programs, and the secret in the address of its page."""

    address: str
    password: str
    secret: str


class Wish(NamedTuple):
    """A game that is asked for: `seat` of the first player (the first one without), `bot` unless two people play."""

    game: str
    scenario: str
    seat: str = ""
    bot: str = ""
    language: str = "en"


class Table:
    """The mail server in this process and the judge in another, ended with the block.

    The ports are open on the loopback address, and on `listen` if that is another.
    """

    def __init__(self, folder: Path, listen: str = LOOPBACK) -> None:
        self.folder = folder
        self.hosts = sorted({LOOPBACK, listen})
        self.state = folder / "try.json"
        kept = json.loads(self.state.read_text("utf-8")) if self.state.is_file() else {}
        self.ports: list[int] = kept.get("ports") or [free_port() for _ in range(3)]
        self.players: int = kept.get("players", 1)
        self.language: str = kept.get("language", "en")
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
        }
        self.state.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")

    def found(self, wish: Wish | None) -> str:
        """Found the game that is wished for and return its name; without a wish the last one goes on.

        Return an empty name if there is none. Stop if the game cannot be founded.
        """
        server = open_server(settings(self.config))
        try:
            with server.work() as work:
                names = [row.id for row in queries.games.every(work.session)]
                if wish is None:
                    return max(names, key=_number, default="")
                return self._found(work, wish, f"try-{max(map(_number, names), default=0) + 1}")
        except Broken as wrong:
            raise Stop(str(wrong)) from None
        finally:
            server.close()

    def _found(self, work: Work, wish: Wish, name: str) -> str:
        rules = find_game(wish.game)
        seats = list(rules.seats(rules.start(rules.edition(wish.scenario, {}, {}))))
        first = wish.seat or seats[0]
        if first not in seats:
            raise Stop(f"{wish.scenario} has no seat {first}; its seats are: {', '.join(seats)}")
        if wish.bot and wish.bot not in rules.bots:
            raise Stop(f"there is no bot {wish.bot}; there are: {', '.join(rules.bots)}")
        others = [seat for seat in seats if seat != first]
        bots = [f"{seat}={wish.bot}" for seat in others] if wish.bot else []
        pace = Pace(grace_hours=YEAR, undo_minutes=0)
        terms = Terms(hints="on")
        new_game(work, NewGame(name=name, game=wish.game, scenario=wish.scenario, pace=pace, terms=terms, bots=bots))
        for seat, account in zip([first] if bots else [first, *others], self.accounts, strict=False):
            invite_seat(work, Invitation(game=name, seat=seat, email=account.address, language=wish.language))
            place = queries.games.seat(work.session, name, seat)
            if place is not None:
                place.format = HTML + DESK
                work.session.add(place)
        start_game(work, name)
        self.players = 1 if bots else min(len(seats), len(self.accounts))
        self.language = wish.language
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


def free_port() -> int:
    """Return the number of a port that is free now on the loopback address."""
    with socket.create_server((LOOPBACK, 0)) as bound:
        return int(bound.getsockname()[1])


def _number(name: str) -> int:
    """Return the number at the end of a game's name; 0 if it has none."""
    return int(name.rpartition("-")[2]) if name.rpartition("-")[2].isdigit() else 0
