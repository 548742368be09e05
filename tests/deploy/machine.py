"""A Debian machine with systemd, Exim, Dovecot and PostgreSQL, started in a container on this one.

    with Machine.make(folder) as machine:
        machine.run("systemctl start pbem")

Its files lie in a folder; what is done before `boot` is done there with the network of this machine, so that packages
can be installed. Booted, it has a loopback device alone and host names of its own: ``imap.example.org`` is itself.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from typing import Self

from tests.servers.authority import Authority
from tests.servers.real import program

PACKAGES = (
    *("systemd-sysv", "dbus", "ca-certificates", "openssl", "procps", "curl"),
    *("python3", "python3-venv", "make", "dovecot-imapd", "dovecot-lmtpd", "exim4-daemon-light", "postgresql"),
)
"""What is on the machine before anybody follows a guide: an init, a mail server, a database, and what they need."""
TOOLS = ("debootstrap", "systemd-nspawn", "openssl")
"""What this machine needs to make and start the other one."""
ROOM = 4_000_000_000
"""Octets that the machine, its base and what is installed on it take, twice over."""
PATIENCE = 180.0
"""Seconds after which a machine that has not done what was waited for is taken to have failed. Far more than it takes,
so that a busy machine passes."""
HOSTS = ("imap.example.org", "smtp.example.org", "mx.example.org")
_FILES = Path(__file__).parent
_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
_ENVIRONMENT |= {"LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
_UP = {"running", "degraded"}
"""What systemd says once all is started; degraded if some unit, such as one for a device, could not be."""
_HOW_TO_REACH_PACKAGES = re.compile(r".*_proxy|(PIP|UV)_(DEFAULT_)?INDEX(_URL)?", re.IGNORECASE)
_OUR_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")


class CommandFailed(AssertionError):
    """A command on the machine ended with another code than 0; the text says what it printed."""


def missing(folder: Path) -> list[str]:
    """Say what this machine lacks to make another one in a folder; empty if nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    lacking = [name for name in TOOLS if program(name) is None]
    lacking += [] if os.geteuid() == 0 else ["the rights of root"]
    return lacking if shutil.disk_usage(folder).free > ROOM else [*lacking, f"{ROOM:,} octets of disk"]


class Machine:
    """The machine in a folder: `run` gives it commands, `send` and `letters` use its mail server."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._leader = 0

    @classmethod
    def make(cls, folder: Path, name: str = "machine") -> Machine:
        """Make the machine in `folder`, from a base that is kept beside it for the next time."""
        base, root = folder / "base", folder / name
        if not (base / "complete").exists():
            shutil.rmtree(base, ignore_errors=True)
            _install_base(base)
            (base / "complete").touch()
        _remove(root)
        subprocess.run(["cp", "--archive", "--reflink=auto", str(base), str(root)], check=True)
        machine = cls(root)
        machine._set_up_mail()
        return machine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    # Commands and files.

    def run(self, command: str, *, user: str = "", folder: str = "/", patience: float = PATIENCE) -> str:
        """Run a command in a shell of the machine and give what it printed.

        Raises `CommandFailed` if it ends with another code than 0.
        """
        code, output = self.try_run(command, user=user, folder=folder, patience=patience)
        if code:
            raise CommandFailed(f"{command}\nended with {code} and printed\n{output}")
        return output

    def try_run(
        self, command: str, *, user: str = "", folder: str = "/", patience: float = PATIENCE
    ) -> tuple[int, str]:
        """Run a command as `run` does, and give its code with what it printed."""
        inside = ["/usr/sbin/runuser", "-u", user, "--"] if user else []
        words = [
            *self._enter(),
            "/usr/bin/env",
            "-i",
            *(f"{name}={value}" for name, value in self._variables().items()),
        ]
        words += [*inside, "/bin/sh", "-e", "-c", f"cd {folder}\n{command}"]
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=patience,
            check=False,
        )
        return done.returncode, done.stdout.decode(errors="replace")

    def write(self, path: str, text: str, owner: str = "root", mode: int = 0o644) -> None:
        """Write a file of the machine."""
        file = self.path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        self.run(f"chown {owner}: {path}")

    def path(self, path: str) -> Path:
        """Where a file of the machine lies on this one."""
        return self.root / path.lstrip("/")

    def wait_until(self, holds: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
        """Wait until something holds; fail with what the unit has written if it does not in time."""
        end = time.monotonic() + patience
        while not holds():
            if time.monotonic() > end:
                journal = self.try_run("journalctl --unit pbem --no-pager --lines 60")[1]
                raise AssertionError(
                    f"{what} did not come to pass in {patience:.0f} seconds; the unit wrote\n{journal}"
                )
            time.sleep(0.5)

    # Mail.

    def send(self, sender: str, recipient: str, text: str, subject: str = "orders") -> None:
        """Send a letter as a player's mail server would."""
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"] = sender, recipient, subject
        letter["Message-ID"] = f"<{time.time_ns()}@players.example>"
        letter.set_content(text)
        self.path("/root/letter").write_bytes(letter.as_bytes())
        self.run(f"exim4 -f {sender} -oi {recipient} < /root/letter")

    def letters(self, address: str) -> list[EmailMessage]:
        """The letters in a mailbox, the oldest first."""
        folder = self.path(f"/var/vmail/{address}/Maildir")
        files = [*folder.glob("new/*"), *folder.glob("cur/*")]
        parser = BytesParser(policy=default)
        # The name of a file in a Maildir begins with the second and the microsecond of its arrival.
        return [parser.parsebytes(file.read_bytes()) for file in sorted(files, key=_arrival)]

    # Start and stop.

    def boot(self) -> bool:
        """Start the machine with systemd as its first process; say whether it came up."""
        log = (self.root.parent / "console.log").open("wb")
        words = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--boot"]
        self._nspawn = subprocess.Popen(
            [*words, "--machine=pbem-test", f"--directory={self.root}"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._nspawn.poll() is None:
            if self._find_leader() and self.try_run("systemctl is-system-running")[1].strip() in {
                "running",
                "degraded",
            }:
                return True
            time.sleep(0.5)
        self.stop()
        return False

    def stop(self) -> None:
        """Stop the machine; its files stay."""
        if self._nspawn is None:
            return
        if self._leader:
            with suppress(ProcessLookupError):
                # What systemd as the first process takes for an order to halt.
                os.kill(self._leader, signal.SIGRTMIN + 3)
            with suppress(subprocess.TimeoutExpired):
                self._nspawn.wait(timeout=30)
        self._nspawn.kill()
        self._nspawn.wait()
        self._nspawn, self._leader = None, 0

    def _find_leader(self) -> int:
        if self._nspawn is not None and not self._leader:
            pid = self._nspawn.pid
            with suppress(OSError):
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
                if children and Path(f"/proc/{children[0]}/comm").read_text("ascii").strip() == "systemd":
                    self._leader = int(children[0])
        return self._leader

    def _enter(self) -> list[str]:
        if self._leader:
            return ["nsenter", f"--target={self._leader}", "--mount", "--uts", "--ipc", "--net", "--pid"]
        return ["chroot", str(self.root)]

    def _variables(self) -> Mapping[str, str]:
        # Not booted it uses this machine's network, perhaps through a proxy that this machine alone trusts.
        if self._leader or not self.path("/root/authorities.pem").exists():
            return _ENVIRONMENT
        trusted = dict.fromkeys(("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE"), "/root/authorities.pem")
        kept = {name: value for name, value in os.environ.items() if _HOW_TO_REACH_PACKAGES.fullmatch(name)}
        return _ENVIRONMENT | trusted | kept

    def _set_up_mail(self) -> None:
        """Give it names, certificates of an authority that it trusts, and mailboxes."""
        with self.path("/etc/hosts").open("a") as hosts:
            hosts.write(f"127.0.0.1 localhost {' '.join(HOSTS)}\n")
        self.path("/etc/resolv.conf").unlink(missing_ok=True)
        shutil.copy("/etc/resolv.conf", self.path("/etc/resolv.conf"))
        shutil.copy(_OUR_AUTHORITIES, self.path("/root/authorities.pem"))
        authority = Authority.make(self.root.parent / "authority", ",".join(f"DNS:{name}" for name in HOSTS))
        for file, path, mode in (
            (authority.root, "/usr/local/share/ca-certificates/test.crt", 0o644),
            (authority.certificate, "/etc/mail.pem", 0o644),
            (authority.key, "/etc/mail.key", 0o644),
            (_FILES / "dovecot.conf", "/etc/dovecot/dovecot.conf", 0o644),
            (_FILES / "exim.conf", "/etc/exim4/exim4.conf", 0o640),
        ):
            self.write(path, file.read_text("utf-8"), mode=mode)
        self.run("update-ca-certificates; chgrp Debian-exim /etc/exim4/exim4.conf")
        self.run("useradd --system --create-home --home-dir /var/vmail vmail")


def _install_base(base: Path) -> None:
    """Install Debian with the packages into a folder."""
    base.parent.mkdir(parents=True, exist_ok=True)
    mirror = _mirror()
    _check(["debootstrap", "--variant=minbase", "bookworm", str(base), mirror])
    for file in Path("/etc/apt/apt.conf.d").glob("*"):
        # Settings of how this machine reaches a mirror, such as a proxy or dates that it does not look at.
        if "docker" not in file.name and "packagekit" not in file.name and "appstream" not in file.name:
            shutil.copy(file, base / "etc/apt/apt.conf.d")
    shutil.copy("/etc/resolv.conf", base / "etc/resolv.conf")
    install = ["chroot", str(base), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    _check([*install, "update"])
    _check([*install, "install", "-y", "--no-install-recommends", *PACKAGES])
    _check([*install, "clean"])


def _mirror() -> str:
    """Find the mirror that this machine installs packages from."""
    for file in (*Path("/etc/apt").glob("sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))):
        for line in file.read_text("utf-8").splitlines():
            words = line.split()
            if words[:1] in (["deb"], ["URIs:"]):
                return next(word for word in words[1:] if ":/" in word)
    raise AssertionError("no mirror of Debian is named under /etc/apt")


def _check(words: list[str]) -> None:
    code, output = _try(words)
    if code:
        raise CommandFailed(f"{' '.join(words)}\nended with {code} and printed\n{output}")


def _try(words: list[str], patience: float | None = None) -> tuple[int, str]:
    """Run a command with nothing to read, and give its code with what it printed."""
    output = subprocess.PIPE
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, timeout=patience, check=False
    )
    return done.returncode, done.stdout.decode(errors="replace")


def _remove(folder: Path) -> None:
    # systemd makes some folders that nobody may change.
    _try(["chattr", "-R", "-i", str(folder)])
    shutil.rmtree(folder, ignore_errors=True)


def _arrival(file: Path) -> tuple[int, str]:
    return int(file.name.split(".")[0]), file.name
