"""A `pbem serve` of real processes in a folder of its own, with a game whose players write from two mailboxes.

The processes are forked from one that has imported everything and has no threads: importing takes longer than serving.
"""

from __future__ import annotations

import contextlib
import email
import io
import json
import multiprocessing
import os
import re
from collections.abc import Mapping
from email.message import Message
from pathlib import Path
from typing import Any, Self

import pytest

from pbem.cli.main import main
from pbem.cli.setting_files import write_key
from tests.servers.conftest import ANA, JOSE, JUDGE, USERS, Server
from tests.servers.real import PATIENCE, until

OPERATOR = JOSE


_START = multiprocessing.get_context("forkserver")
_START.set_forkserver_preload(
    [
        "tests.harness.processes",
        "psycopg",
        "pbem.cli.serve",
        "pbem.cli.daemon",
        "pbem.cli.assembly",
    ]
)


def _serve(config: Path, log: Path) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    main(["serve", "--config", str(config)])


class ServerProcess:
    """A process that runs `pbem serve`; what it says is added to the file `log`."""

    def __init__(self, config: Path, log: Path) -> None:
        self._process = _START.Process(target=_serve, args=(config, log), daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid or 0

    def ended(self) -> int | None:
        """How it ended; None if it has not within some seconds."""
        self._process.join(PATIENCE)
        return self._process.exitcode

    def runs(self) -> bool:
        """Whether it still runs."""
        return self._process.is_alive()

    def stop(self) -> int | None:
        """Tell it to end; how it ended."""
        self._process.terminate()
        return self.ended()

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self._process.kill()
        self._process.join()


class ServerFolder:
    """The folder of a server; `serve` starts a process, and all of them are ended with the block.

    `more` are settings by section, such as ``{"imap": 'ca = "root.pem"'}``.
    """

    def __init__(self, folder: Path, mail: Server, more: Mapping[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.mail = mail
        self.seats: dict[str, str] = {}
        self.running: list[ServerProcess] = []
        self.written = 0
        for name in ("pbem.key", "log.key", "dice.key"):
            write_key(folder / name)
        self.settle(more or {})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self.running:
            process.kill()

    def settle(self, more: Mapping[str, str], address: str = JUDGE) -> None:
        """Write the settings."""
        way = 'host = "127.0.0.1"\nsecurity = "none"\n'
        parts = {
            "server": f'address = "{address}"\noperator = "{OPERATOR}"\nletters_an_hour = 10000\n',
            "imap": f'{way}port = {self.mail.imap_port}\npoll = 0.2\nuser = "{address}"\n'
            f'password = "{USERS.get(address, "secret")}"\ntimeout = 5\n',
            "smtp": f"{way}port = {self.mail.smtp_port}\n",
            "log": 'format = "json"\n',
        }
        for section, lines in more.items():
            names = re.findall(r"^(\w+) =", lines, re.MULTILINE)
            kept = parts.get(section, "").splitlines(keepends=True)
            parts[section] = "".join(line for line in kept if line.split(" =")[0] not in names) + lines + "\n"
        self.config.touch(0o600)
        self.config.write_text("".join(f"[{name}]\n{lines}" for name, lines in parts.items()))

    @property
    def config(self) -> Path:
        """The file of the settings."""
        return self.folder / "pbem.toml"

    def command(self, *arguments: str) -> tuple[int, str]:
        """Run a command here: its exit code, and all that it prints."""
        printed = io.StringIO()
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            pytest.raises(SystemExit) as ended,
        ):
            main([*arguments, "--config", str(self.config)])
        assert isinstance(ended.value.code, int)
        return ended.value.code, printed.getvalue()

    def fine(self, *arguments: str) -> str:
        """What a command prints that goes well."""
        code, output = self.command(*arguments)
        assert code == 0, output
        return output

    def play(self) -> None:
        """Begin a game of Ana's against the operator."""
        self.fine("game", "new", "ceuta-1", "--scenario", "castillejos", "--undo", "0")
        self.seats = {
            seat: self.fine("seat", "invite", "ceuta-1", seat, player).strip()
            for seat, player in (("spain", ANA), ("morocco", JOSE))
        }
        self.fine("game", "start", "ceuta-1")

    def serve(self) -> ServerProcess:
        """Start a server; what it says is added to what was said before."""
        self.running.append(ServerProcess(self.config, self.log))
        return self.running[-1]

    @property
    def log(self) -> Path:
        """What the servers of this folder have said; it lies beside that, for a disk may be full."""
        return self.folder.with_name(f"{self.folder.name}.log")

    def said(self) -> str:
        """What the servers of this folder have said."""
        return self.log.read_text() if self.log.exists() else ""

    def hears(self, words: str, times: int = 1) -> None:
        """Wait until words were said."""
        assert until(lambda: self.said().count(words) >= times), self.said()

    def lines(self, event: str) -> list[dict[str, Any]]:
        """The lines of the log about one kind of event."""
        lines = [json.loads(line) for line in self.said().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    def write(self, count: int = 1, to: str = "", text: str = "HELP\r\n") -> None:
        """Let Ana send letters to her seat, straight into the mailbox."""
        for _ in range(count):
            self.written += 1
            seat = to or self.seats["spain"]
            head = f"From: {ANA}\r\nTo: {seat}\r\nMessage-ID: {self.name(self.written)}\r\n\r\n"
            self.mail.deliver(seat, f"{head}{text}".encode(), ANA)

    @staticmethod
    def name(number: int) -> str:
        """The Message-ID of Ana's letter of a number."""
        return f"<letter-{number}@players.test>"

    def answers(self) -> dict[str, set[str]]:
        """The Message-IDs of the answers that Ana has got, by that of her letter."""
        names_by_kind: dict[str, set[str]] = {}
        for letter in self.got(ANA):
            if str(letter["In-Reply-To"]).startswith("<letter-"):
                names_by_kind.setdefault(str(letter["In-Reply-To"]), set()).add(str(letter["Message-ID"]))
        return names_by_kind

    def all_answered(self) -> bool:
        """Whether Ana has an answer to each of her letters."""
        return len(self.answers()) == self.written

    def got(self, address: str) -> list[Message]:
        """The letters that lie in a mailbox."""
        return [email.message_from_bytes(raw) for raw in self.mail.letters_in(address)]
