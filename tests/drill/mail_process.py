"""The mail server of the drill and the bad lines to it, in a process of their own that outlives every daemon."""

from __future__ import annotations

import json
import os
import random
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pbem.mail.embedded import EmbeddedMail
from tests.harness.clock import Clock
from tests.servers.faults import IMAP_FAULTS, SMTP_FAULTS, ImapProxy, SmtpProxy
from tests.servers.real import RealMail, closing_imap

CALM = "calm"
"""While a file of this name lies in the folder, the lines are good."""
STRANGERS = "strangers.example"
"""Where nobody plays: only letters to these are refused for good, for a seat must not lose its player by a drill."""
IMAP_SHARE, SMTP_SHARE = 0.12, 0.12


class Ports(NamedTuple):
    """Where the server is itself, and where the bad lines to it begin."""

    imap: int
    smtp: int
    bad_imap: int
    bad_smtp: int


class MailProcess:
    """The process; what befell the lines is counted in `faults` once it has ended."""

    def __init__(self, folder: Path, users: Mapping[str, str], seed: int, real: bool = False) -> None:
        self.folder = folder
        self.real = real
        self.users = users
        self.seed = seed
        self.faults: Counter[str] = Counter()

    def __enter__(self) -> MailProcess:
        read_end, tell = os.pipe()
        hold, self._check_tree = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            code = 70
            try:
                os.close(self._check_tree)
                os.close(read_end)
                # What a mail server says of clients that are killed is of no interest here.
                os.dup2(os.open(self.folder / "mail.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
                self._serve(tell, hold)
                code = 0
            finally:
                os._exit(code)
        os.close(tell)
        os.close(hold)
        with os.fdopen(read_end) as stream:
            self.ports = Ports(*json.loads(stream.readline()))
        return self

    def __exit__(self, *error: object) -> None:
        # The other end of the pipe is the process's leave to go.
        os.close(self._check_tree)
        os.waitpid(self._pid, 0)
        self.faults.update(json.loads((self.folder / "faults.json").read_text()))

    def calm(self) -> None:
        """From now on the lines are good."""
        (self.folder / CALM).touch()

    def letters_in(self, address: str, folder: str = "INBOX") -> tuple[bytes, ...]:
        """The letters of a folder, oldest first."""
        with closing_imap("127.0.0.1", self.ports.imap) as reader:
            reader.login(address, self.users[address])
            reader.select(folder, readonly=True)
            fetched = reader.uid("FETCH", "1:*", "(BODY.PEEK[])")[1]
            return tuple(part[1] for part in fetched if isinstance(part, tuple))

    def waiting(self, address: str) -> int:
        """How many letters lie in the inbox."""
        with closing_imap("127.0.0.1", self.ports.imap) as reader:
            reader.login(address, self.users[address])
            return int(reader.select(readonly=True)[1][0] or b"0")

    def _server(self) -> EmbeddedMail | RealMail:
        """Ours in memory, by the drill's clock, or Dovecot and Exim, which go by their own."""
        if self.real:
            return RealMail(self.users)
        return EmbeddedMail(self.users, clock=Clock(path=self.folder / "clock").now)

    def _serve(self, tell: int, hold: int) -> None:
        luck, lock = random.Random(self.seed), threading.Lock()

        def chance(share: float) -> bool:
            return luck.random() < share and not (self.folder / CALM).exists()

        def imap() -> tuple[str, int] | None:
            with lock:
                return (luck.choice(IMAP_FAULTS), luck.randrange(3, 16)) if chance(IMAP_SHARE) else None

        def smtp(recipient: str) -> str | None:
            final = recipient.endswith(STRANGERS)
            with lock:
                if not chance(0.4 if final else SMTP_SHARE):
                    return None
                return "550" if final else luck.choice([fault for fault in SMTP_FAULTS if fault != "550"])

        with (
            self._server() as server,
            ImapProxy(server.imap_port, imap) as bad_imap,
            SmtpProxy(server.smtp_port, smtp) as bad_smtp,
        ):
            ports = Ports(server.imap_port, server.smtp_port, bad_imap.port, bad_smtp.port)
            os.write(tell, json.dumps(ports).encode() + b"\n")
            os.close(tell)
            os.read(hold, 1)
            befell = Counter(f"IMAP {fault}" for fault in bad_imap.befell)
            befell += Counter(f"SMTP {fault}" for fault, _ in bad_smtp.befell)
        (self.folder / "faults.json").write_text(json.dumps(befell))
