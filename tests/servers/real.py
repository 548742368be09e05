"""Dovecot and Exim on the loopback address, as an ordinary user: Exim takes letters and hands them to Dovecot by LMTP.

    with RealMail({"judge@war.test": "secret"}) as server:
        print(server.imap_port, server.smtp_port)

It has the manners of `pbem.mail.embedded.EmbeddedMail`: the same ports, `deliver` and `letters_in`, outages by
`stop_imap` and `stop_smtp`. A letter to ``judge+anything@war.test`` goes to ``judge@war.test``; an unknown recipient is
refused.
"""

from __future__ import annotations

import imaplib
import os
import pwd
import shutil
import signal
import smtplib
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Self

from pbem.cli.try_ import free_ports
from tests.servers.authority import Authority

PATIENCE = 20.0
"""Seconds that a server may take to open or close its port."""
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
_CONFIGS = Path(__file__).parent


def program(name: str) -> str | None:
    """Where a program is, daemons included; None if this machine has none."""
    return shutil.which(name, path=_PATH)


def missing() -> tuple[str, ...]:
    """Which of the servers this machine lacks."""
    return tuple(name for name, file in (("dovecot", "dovecot"), ("exim", "exim4")) if program(file) is None)


class RealMail:
    """The two servers; `users` maps addresses to passwords.

    With an `authority` they also speak TLS: STARTTLS on the plain ports, TLS from the first byte on `imaps_port` and
    `smtps_port`. With `introspection` (the URL of a provider, for Dovecot) and `bearer` (the token, for Exim) they let
    people in by XOAUTH2 as well. With a `quota` such as ``64K`` no mailbox holds more; `set_quota` changes that. What
    comes to the first address of `forwarded`, or to a plus-address of it, goes to the second one.
    """

    host = "127.0.0.1"

    def __init__(
        self,
        users: Mapping[str, str],
        authority: Authority | None = None,
        introspection: str = "",
        bearer: str = "",
        quota: str = "",
        poor: bool = False,
    ) -> None:
        self.users = dict(users)
        self.authority = authority
        self.introspection = introspection
        self.bearer = bearer
        self.quota = quota
        self.poor = poor
        """Whether the server has neither MOVE nor UIDPLUS, and all folders below INBOX."""
        self.forwarded = ("", "")
        self.handed_over = ""
        """How letters to the first user are handed over, in place of a mailbox: lmtp, or pipe."""
        self.imap_port, self.imaps_port, self.lmtp_port, self.smtp_port, self.smtps_port = free_ports(5)
        # The daemons are another user than the tests if those are run by root: pytest's own folders are closed to him.
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-servers-"))
        self._user = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._emptied = 0
        self.is_used_up = False
        """Whether one of them was stopped, or for another reason no test after this one may use them."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Write the settings and open the ports."""
        who = f"{self._user.pw_uid}:{self._user.pw_gid}"
        self._write(
            "users",
            "".join(
                f"{user}:{{plain}}{word}:{who}::{self.folder}/mail/{user}::\n" for user, word in self.users.items()
            ),
        )
        self._write("addresses", "".join(f'"{address}": yes\n' for address in self.users))
        self._write("dovecot.conf", self._dovecot())
        self._write("oauth2.conf", self._oauth2())
        self._write("exim.conf", self._exim())
        (self.folder / "spool").mkdir()
        for path in (self.folder, *self.folder.iterdir()):
            os.chown(path, self._user.pw_uid, self._user.pw_gid)
        try:
            self.start_imap()
            self.start_smtp()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End both servers; the mailboxes are gone."""
        self.stop_smtp()
        self.stop_imap()
        shutil.rmtree(self.folder, ignore_errors=True)

    def empty(self) -> None:
        """Take all letters away, those on their way first; whoever looks in again finds new mailboxes."""
        if not until(lambda: not any((self.folder / "spool" / "input").glob("**/*-H"))):
            raise RuntimeError(f"letters are still on their way:\n{self.log()}")
        self._emptied += 1
        with suppress(FileNotFoundError):
            (self.folder / "mail").rename(self.folder / f"mail-{self._emptied}")

    def start_imap(self) -> None:
        """Start Dovecot, on the same ports and mailboxes as before."""
        self._start("dovecot", ["dovecot", "-F", "-c", str(self.folder / "dovecot.conf")], self.imap_port)

    def stop_imap(self) -> None:
        """End Dovecot and with it all its connections."""
        self.is_used_up = True
        self._end("dovecot", self.imap_port)

    def start_smtp(self) -> None:
        """Start Exim, on the same port as before."""
        self._start("exim", ["exim4", "-bdf", "-q1m", "-C", str(self.folder / "exim.conf")], self.smtp_port)

    def stop_smtp(self) -> None:
        """End Exim."""
        self.is_used_up = True
        self._end("exim", self.smtp_port)

    def show(self, authority: Authority) -> None:
        """Show another certificate; both servers are started anew."""
        self.stop_imap()
        self.stop_smtp()
        self.authority = authority
        for name, text in (("dovecot.conf", self._dovecot()), ("exim.conf", self._exim())):
            self._write(name, text)
        for path in self.folder.iterdir():
            os.chown(path, self._user.pw_uid, self._user.pw_gid)
        self.start_imap()
        self.start_smtp()

    def set_quota(self, quota: str) -> None:
        """Give every mailbox more room, or less; Dovecot is started anew."""
        self.stop_imap()
        self.quota = quota
        self._write("dovecot.conf", self._dovecot())
        os.chown(self.folder / "dovecot.conf", self._user.pw_uid, self._user.pw_gid)
        self.start_imap()

    def deliver(self, recipient: str, raw: bytes, sender: str = "") -> None:
        """Put a letter into a mailbox, past Exim; KeyError if there is none for `recipient`."""
        with smtplib.LMTP(self.host, self.lmtp_port) as door:
            try:
                door.sendmail(sender or "<>", [recipient], raw)
            except smtplib.SMTPRecipientsRefused:
                raise KeyError(recipient) from None

    def letters_in(self, address: str, folder: str = "INBOX") -> tuple[bytes, ...]:
        """The letters now in a folder of a mailbox, oldest first."""
        with closing_imap(self.host, self.imap_port) as reader:
            reader.login(address, self.users[address])
            if reader.select(folder, readonly=True)[0] != "OK":
                raise KeyError(folder)
            fetched = reader.uid("FETCH", "1:*", "(BODY.PEEK[])")[1]
            return tuple(part[1] for part in fetched if isinstance(part, tuple))

    def queued(self) -> int:
        """How many letters Exim could not hand on yet."""
        return sum(1 for _ in (self.folder / "spool" / "input").glob("**/*-H"))

    def run_queue(self) -> None:
        """Let Exim try all of them again at once."""
        subprocess.run(
            [program("exim4") or "exim4", "-C", str(self.folder / "exim.conf"), "-qff"], check=True, **self._as_user()
        )

    def _as_user(self) -> dict[str, Any]:
        if os.geteuid() == 0:
            return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        return {}

    def log(self) -> str:
        """What both have written down, for whoever reads a failed test."""
        logs = sorted(path for path in self.folder.glob("*log") if path.is_file())
        return "\n".join(f"{path.name}:\n{path.read_text(errors='replace')[-3000:]}" for path in logs)

    def _start(self, name: str, command: list[str], port: int) -> None:
        file = program(command[0])
        if file is None:
            raise FileNotFoundError(command[0])
        with (self.folder / f"{name}.out.log").open("ab") as output:
            running = subprocess.Popen(
                [file, *command[1:]], stdout=output, stderr=output, cwd="/", start_new_session=True, **self._as_user()
            )
        self._running[name] = running
        if not until(lambda: listens(port) or running.poll() is not None) or running.poll() is not None:
            raise RuntimeError(f"{name} does not listen:\n{self.log()}")

    def _end(self, name: str, port: int) -> None:
        running = self._running.pop(name, None)
        if running is None:
            return
        # Its helpers are in its group: with a client each, they would outlive their master by seconds.
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGTERM)
        try:
            running.wait(0.3)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        if not until(lambda: not listens(port)):
            raise RuntimeError(f"{name} still listens after its end")

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o600)

    def _dovecot(self) -> str:
        """Dovecot 2.4 has another language than 2.3: a file for each."""
        file = program("dovecot") or "dovecot"
        version = subprocess.run([file, "--version"], capture_output=True, text=True, check=True).stdout.split()[0]
        old = tuple(int(number) for number in version.split(".")[:2]) < (2, 4)
        return filled(
            (_CONFIGS / ("dovecot-2.3.conf" if old else "dovecot-2.4.conf")).read_text("utf-8"),
            {
                "tls": self.authority is not None,
                "oauth": bool(self.introspection),
                "quota": bool(self.quota),
                "poor": self.poor,
            },
            quota=self.quota,
            version=".".join(version.split(".")[:3]),
            folder=self.folder,
            user=self._user.pw_name,
            group=group_of(self._user.pw_gid),
            imap=self.imap_port,
            imaps=self.imaps_port if self.authority else 0,
            lmtp=self.lmtp_port,
            **self._certificate(),
            introspection=self.introspection,
        )

    def _oauth2(self) -> str:
        return f"introspection_url = {self.introspection}\nintrospection_mode = get\nusername_attribute = email\n"

    def _exim(self) -> str:
        return filled(
            (_CONFIGS / "exim.conf").read_text("utf-8"),
            {"tls": self.authority is not None, "plain": self.authority is None, "oauth": bool(self.bearer)}
            | {"forwarded": bool(self.forwarded[0]), "handed_over": bool(self.handed_over)}
            | {"by_lmtp": self.handed_over == "lmtp", "by_pipe": self.handed_over == "pipe"},
            judge=next(iter(self.users)).partition("@")[0],
            old=self.forwarded[0],
            new=self.forwarded[1],
            folder=self.folder,
            user=self._user.pw_name,
            group=group_of(self._user.pw_gid),
            domain=next(iter(self.users)).rpartition("@")[2],
            domains=" : ".join(sorted({address.rpartition("@")[2] for address in self.users})),
            smtp=self.smtp_port,
            smtps=self.smtps_port,
            lmtp=self.lmtp_port,
            bearer=self.bearer,
            **self._certificate(),
        )

    def _certificate(self) -> dict[str, Path]:
        if self.authority is None:
            return {"certificate": Path(), "key": Path()}
        copies = {}
        for what, path in (("certificate", self.authority.certificate), ("key", self.authority.key)):
            self._write(path.name, path.read_text())
            copies[what] = self.folder / path.name
        return copies


def filled(text: str, parts: Mapping[str, bool], **values: object) -> str:
    """A settings file: ``@name@`` is put in, lines after ``#if name`` to ``#end`` stay if that part is wanted."""
    kept, wanted = [], True
    for line in text.splitlines():
        if line.startswith("#if "):
            wanted = parts[line[4:]]
        elif line == "#end":
            wanted = True
        elif wanted:
            kept.append(line)
    made = "\n".join(kept) + "\n"
    for name, value in values.items():
        made = made.replace(f"@{name}@", str(value))
    return made


def group_of(number: int) -> str:
    """The name of a group."""
    import grp

    return grp.getgrgid(number).gr_name


def listens(port: int) -> bool:
    """Whether somebody takes connections on a port."""
    with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), timeout=5)):
        return True
    return False


def until(true: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Wait until something holds; whether it came to hold."""
    limit = time.monotonic() + patience
    while not (held := true()) and time.monotonic() < limit:
        time.sleep(0.02)
    return held


class closing_imap(imaplib.IMAP4):
    """The standard library's client, gone at the end of the block whatever the server says to LOGOUT."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext | None = None) -> None:
        super().__init__(host, port, timeout=PATIENCE)
        if context is not None:
            self.starttls(context)

    def __exit__(self, *error: object) -> None:
        with suppress(OSError, imaplib.IMAP4.error):
            self.logout()
