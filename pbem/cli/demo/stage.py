"""Run a demo: the mail server here, the daemon and each player in processes.

They only exchange letters. The processes end with the stage. A demo with new letters may take any time; one without
a new letter for some time is given up. `GameProgress` prints the progress.
"""

from __future__ import annotations

import email.policy
import json
import os
import re
import secrets
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from email.message import Message
from email.parser import BytesHeaderParser
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

from pbem.cli.assembly import load_settings, open_server
from pbem.cli.demo.player import refused_order_lines
from pbem.cli.exit_codes import FINDING, CommandError
from pbem.cli.output import letter_text
from pbem.cli.rulebooks import game_by_name
from pbem.cli.setting_files import write_key
from pbem.engine.data.messages import Msg
from pbem.engine.war.chain import open_war
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.outbound import read_message_id
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import Transaction, UserError
from pbem.wars.declaring import NewWar, new_war

DOMAIN = "demo.test"
SERVER, OPERATOR = f"pbem@{DOMAIN}", f"operator@{DOMAIN}"
NAME = "demo-1"
PLAYER = Path(__file__).with_name("player.py")
CASTS = Path(__file__).with_name("casts")
SCORE = re.compile(r"^  (?:Points|The game is over: [^:]*):\s+([^.]*)\.", re.MULTILINE)
RESULT = re.compile(r"^#\d+ The game is over: (.*)\. \[", re.MULTILINE)
"""Patterns of the score of a turn and of the result, in an English report."""
GLANCE = 0.05
"""Seconds between two looks at the players and the daemon. A choice: shorter than a letter takes, and cheap."""


class CastMember(NamedTuple):
    """A player of the demo, by its cast file.

    The fields after the zone are passed to the player's program unchanged.
    """

    seat: str
    name: str
    language: str
    zone: str
    think: float = 0.0
    slips: tuple[str, ...] = ()
    go: bool = False

    @property
    def address(self) -> str:
        """Return the player's mailbox."""
        return f"{self.name.lower()}@{DOMAIN}"


class DemoGame(NamedTuple):
    """The game to play: a scenario, by default that of the demo, or a `war`.

    Without `turns` all turns are played.
    """

    game: str
    scenario: str = ""
    turns: int | None = None
    war: str = ""


class ChildProcess(NamedTuple):
    """A process of the demo, and the file of its output."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path


class LetterWatcher(Protocol):
    """A follower of a demo's letters."""

    def letter(self, path: Path) -> None:
        """Read a letter's file; called once for each, in the order of arrival."""

    def progress_text(self) -> str:
        """Return how far the game has come."""


class DemoProcesses:
    """The mail server, daemon and players, ended with the block.

    `patience` is the number of seconds on `clock` without a new letter after which the demo is given up.
    """

    def __init__(
        self,
        folder: Path,
        battle: DemoGame,
        patience: float,
        watcher: LetterWatcher,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        game, scenario, turns, self.war = battle
        cast = _cast(game)
        self.folder = folder
        self.game = game
        self.scenario: str = scenario or cast["scenario"]
        if self.war:
            self.title, self.scenario, last, self.games = _war(game, self.war)
        else:
            (self.title, last), self.games = _scenario(game, self.scenario), 1
        self.turns = min(turns or last, last)
        self.patience = patience
        self.clock = clock
        self.moved = clock()
        self.watcher = watcher
        table = cast.get("wars", {}).get(self.war, cast)
        self.options: dict[str, str] = table.get("options", {})
        self.parts = tuple(CastMember(**player) for player in table["player"])
        addresses = (SERVER, OPERATOR, *(part.address for part in self.parts))
        self.passwords = {address: secrets.token_urlsafe(12) for address in addresses}
        self.mail = EmbeddedMail(self.passwords, keep=folder / "letters")
        self.config = folder / "pbem.toml"
        self.children: list[ChildProcess] = []
        self.shown: set[Path] = set()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback_: TracebackType | None
    ) -> None:
        for child in reversed(self.children):
            _end_process(child.process)
        self._open.close()

    def open(self) -> None:
        """Start the mail server, set the game up, and start the daemon and the players."""
        self._open.enter_context(self.mail)
        write_server_files(self.folder, self.mail, self.passwords)
        self._set_up()
        self.start("serve", [sys.executable, "-m", "pbem.cli", "serve", "--config", str(self.config)], self.folder)
        for part in self.parts:
            self._start_player(part)

    def play(self) -> None:
        """Wait until the players have their last reports."""
        for part in self.parts:
            child = next(child for child in self.children if child.name == part.seat)
            self.wait(partial(_has_ended, child), f"{part.name}'s last report")

    def wait(self, condition: Callable[[], bool], purpose: str) -> None:
        """Watch the letters until a condition holds.

        Raise CommandError if the daemon ends or no letter comes for too long.
        """
        while True:
            done = condition()
            self._watch_letters()
            self._check_children()
            if done:
                return
            if self.clock() - self.moved > self.patience:
                raise CommandError(
                    f"the demo failed: no letter for {self.patience:.0f} seconds while it waited for {purpose}, "
                    f"{self.watcher.progress_text()} (see {self.folder})",
                    FINDING,
                )
            time.sleep(GLANCE)

    def _check_children(self) -> None:
        """Raise CommandError if a player gave up or the daemon ended."""
        for child in self.children:
            code = child.process.poll()
            if code is not None and (code or child.name == "serve"):
                name = next((part.name for part in self.parts if part.seat == child.name), "the daemon")
                raise CommandError(f"the demo failed: {name} ended: {_last_line(child.log)} (see {child.log})", FINDING)

    def start(self, name: str, command: list[str], folder: Path) -> ChildProcess:
        """Start a process in a folder, its output in a file of its own."""
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - our own programs, no shell
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
        child = ChildProcess(name, process, log)
        self.children.append(child)
        return child

    def letters(self, part: CastMember) -> list[Path]:
        """Return the letters that a player got, oldest first."""
        return sorted((self.folder / "letters" / part.address).glob("*.eml"))

    def _set_up(self) -> None:
        server = open_server(load_settings(self.config))
        try:
            with server.work() as tx:
                name = self._create_game(tx)
                for part in self.parts:
                    invite_seat(
                        tx,
                        Invitation(
                            game=name,
                            seat=part.seat,
                            email=part.address,
                            person=part.name,
                            language=part.language,
                            zone=part.zone,
                        ),
                    )
                start_game(tx, name)
        except UserError as wrong:
            raise CommandError(f"the demo failed: {wrong}", FINDING) from None
        finally:
            server.engine.dispose()

    def _create_game(self, tx: Transaction) -> str:
        """Create the game or the war; return the name of its first game."""
        pace = Pace(undo_minutes=0)
        if self.war:
            return new_war(tx, NewWar(NAME, self.game, self.war, self.options, pace))
        new_game(tx, NewGame(name=NAME, game=self.game, scenario=self.scenario, pace=pace))
        return NAME

    def _start_player(self, part: CastMember) -> None:
        settings_ = {
            "host": self.mail.host,
            "imap_port": self.mail.imap_port,
            "smtp_port": self.mail.smtp_port,
            "address": part.address,
            "password": self.passwords[part.address],
            "parent": os.getpid(),
            "turns": self.turns,
            "language": part.language,
            "think": part.think,
            "slips": part.slips,
            "go": part.go,
        }
        paper = self.folder / f"{part.seat}.json"
        paper.write_text(json.dumps(settings_, indent=1), "utf-8")
        empty = self.folder / f"{part.seat}-works-here"
        empty.mkdir()
        self.start(part.seat, [sys.executable, "-I", str(PLAYER), str(paper)], empty)

    def _watch_letters(self) -> None:
        files = (self.folder / "letters").glob("*/*.eml")
        new = {path for path in files if path not in self.shown and path.stat().st_size}
        # In the order in which they came, through all mailboxes.
        for path in sorted(new, key=lambda path: path.stat().st_mtime_ns):
            self.shown.add(path)
            self.moved = self.clock()
            self.watcher.letter(path)


def write_server_files(folder: Path, mail: EmbeddedMail, passwords: Mapping[str, str]) -> None:
    """Write settings and keys of a server into a folder; `mail` has its mailbox."""
    way = f'host = "{mail.host}"\nsecurity = "none"\n'
    text = (
        f'[server]\naddress = "{SERVER}"\noperator = "{OPERATOR}"\nletters_an_hour = 10000\n\n'
        f"[imap]\n{way}port = {mail.imap_port}\npoll = 0.5\n"
        f'user = "{SERVER}"\npassword = "{passwords[SERVER]}"\n\n'
        f"[smtp]\n{way}port = {mail.smtp_port}\n"
    )
    (folder / "pbem.toml").write_text(text, "utf-8")
    for name in ("pbem.key", "log.key", "dice.key"):
        write_key(folder / name)


def first_game_with_demo() -> str:
    """Return the first game, by name, with a demo."""
    return min(path.stem for path in CASTS.glob("*.toml"))


def _cast(game: str) -> dict[str, Any]:
    """Return the cast of a game's demo; raise CommandError if there is none."""
    path = CASTS / f"{game}.toml"
    if not path.is_file():
        raise CommandError(
            f"there is no demo of {game}; there is one of: {', '.join(sorted(p.stem for p in CASTS.iterdir()))}"
        )
    return tomllib.loads(path.read_text("utf-8"))


def _scenario(game: str, scenario: str) -> tuple[Msg, int]:
    """Return a scenario's title and number of turns; raise CommandError if unknown."""
    rules = game_by_name(game)
    title = rules.editions().get(scenario)
    if title is None:
        raise CommandError(f"{game} has no scenario {scenario}; there are: {', '.join(rules.editions())}")
    state = rules.start(rules.edition(scenario, {}, {}))
    seat = next(iter(rules.seats(state)))
    return title, rules.telling.stakes(rules.view(state, seat), seat, ()).turns


def _war(game: str, war: str) -> tuple[Msg, str, int, int]:
    """Return a war's title, battlefield if single, longest battle's turns, and games.

    Raise CommandError if there is no such war.
    """
    rules: Any = game_by_name(game)
    try:
        chain = open_war(rules.linked, war, {})
    # A game that has no wars lacks the attribute; a game with other wars lacks the key.
    except (AttributeError, KeyError):
        raise CommandError(f"{game} has no war {war}") from None
    fields = {leg.scenario for leg in chain.legs}
    turns = max(_scenario(game, field)[1] for field in fields)
    return Msg(chain.war.title), fields.pop() if len(fields) == 1 else "", turns, 2 * len(chain.legs) - 1


def read_headers(letter: Path) -> Message:
    """Return the header of a stored letter."""
    return BytesHeaderParser(policy=email.policy.default).parsebytes(letter.read_bytes())


def _last_line(log: Path) -> str:
    lines = log.read_text("utf-8", errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "said nothing")


def _has_ended(child: ChildProcess) -> bool:
    return child.process.poll() is not None


def _end_process(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
    if process.poll() is None:
        process.kill()
        process.wait()


class GameProgress:
    """The progress of a game, printed while its letters go by.

    `letter` gets each letter once, as a file. `over` is whether a report had the result of the game, `opened`
    counts letters that opened everything sealed.
    """

    def __init__(self, verbose: bool = False) -> None:
        self.verbose = verbose
        self.names: dict[str, str] = {}
        self.game = ""
        self.behind: set[str] = set()
        self.turn = 1
        self.said = ""
        self.counted = {"players": 0, "server": 0}
        self.refused: dict[str, list[str]] = {}
        self.mended = self.opened = 0
        self.over = False
        self.begun = time.monotonic()

    def begin(self, parts: Sequence[CastMember]) -> None:
        """Record the players."""
        self.names = {part.address: part.name for part in parts}

    def letter(self, path: Path) -> None:
        """Record a letter, and print what matters in it."""
        head, to = read_headers(path), path.parent.name
        if self.verbose:
            sender = str(head["From"]).rpartition("<")[2].rstrip(">")
            print(f"  {sender} -> {to}: {head['Subject']}", flush=True)
        name = self.names.get(to)
        self.counted["server" if name else "players"] += 1
        if name is None:
            return
        phase, kind = read_message_id(str(head["Message-ID"]))
        if kind == "refusal":
            text = letter_text(path.read_bytes())
            self.refused.setdefault(name, []).append("; ".join(mistake.why for mistake in refused_order_lines(text)))
        elif kind == "receipt":
            for why in self.refused.pop(name, ()):
                self.mended += 1
                print(f"    {name} was refused: {why}\n    - mended, sent again, accepted", flush=True)
        self.opened += b"letter disclosure" in path.read_bytes()
        if kind == "report" and self._turn_to(str(head["Message-ID"]).strip("<>").partition(".")[0]):
            self._report(phase, letter_text(path.read_bytes()))

    def progress_text(self) -> str:
        """Return how far the game has come."""
        return f"after {sum(self.counted.values())} letters, in turn {self.turn}"

    def end(self) -> None:
        """Print the result; raise CommandError if a refused letter was never corrected."""
        if self.refused:
            name, whys = next(iter(self.refused.items()))
            raise CommandError(f"the demo failed: {name} never mended a refused letter: {whys[0]}", FINDING)
        print(f"Result: {self.said}")
        players, server = self.counted["players"], self.counted["server"]
        print(f"Letters: {players} from the players, {server} from the server")
        print(f"Refused: {self.mended}, each mended from the answer alone and then accepted")

    def _turn_to(self, game: str) -> bool:
        """Count the turns of a war's next game from 1 again.

        Returns False for a report about an older game to another seat.
        """
        if game in self.behind:
            return False
        if self.game and game != self.game:
            print(f"  {game}", flush=True)
            self.behind.add(self.game)
            self.turn = 1
        self.game = game
        return True

    def _report(self, phase: str, text: str) -> None:
        score, result = SCORE.search(text), RESULT.search(text)
        self.over |= result is not None
        turn = self.turn + 1 if phase == "-" else int(phase[1:].partition(".")[0])
        if score is None or turn == self.turn:
            return
        letters, seconds = sum(self.counted.values()), time.monotonic() - self.begun
        print(
            f"  turn {self.turn:2}: {_without_parentheses(score):30}  {letters:4} letters  {seconds:5.1f} s", flush=True
        )
        self.turn = turn
        # Of the end one report is enough.
        self.behind |= {self.game} if phase == "-" else set()
        self.said = ". ".join(_without_parentheses(match) for match in (result, score) if match)


def _without_parentheses(match: re.Match[str]) -> str:
    """Return a match on one line, without its parts in parentheses."""
    return re.sub(r" \([^)]*\)", "", " ".join(match[1].split()))


def letter_kind(path: Path) -> str:
    """Return the kind of a server's letter, by its file."""
    return read_message_id(str(read_headers(path)["Message-ID"]))[1]
