"""Exim hands letters over, by LMTP and by a pipe: each is answered once, whatever is stopped or killed meanwhile."""

from __future__ import annotations

import smtplib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from pbem.cli.exit_codes import TEMPORARY
from tests.harness.processes import ServerFolder
from tests.servers.conftest import ANA, USERS, need_real_servers
from tests.servers.real import RealMail, until

pytestmark = pytest.mark.full

LONG = 240
"""Seconds: each step waits for what it needs, and a busy machine may take so long to start a process."""

_PIPE = """#!/usr/bin/perl
use IO::Socket::UNIX;
my $way = IO::Socket::UNIX->new(Peer => '{0}/pipe.sock') or exit 75;
local $/;
print $way <STDIN>;
$way->flush;
shutdown($way, 1);
exit(<$way>);
"""


@pytest.fixture(params=["lmtp", "pipe"])
def office(request, tmp_path) -> Iterator[ServerFolder]:
    """A server that Exim hands letters to; it does not run yet."""
    need_real_servers()
    real = RealMail(USERS)
    real.handed_over = request.param
    way_in = {"lmtp": "lmtp", "pipe": "none"}[request.param]
    mail = f'in = "{way_in}"\nlisten = "{real.folder}/lmtp.sock"\nmode = "0666"\n'
    with real, ServerFolder(tmp_path / "one", real, {"mail": mail}) as folder, pipe(real, folder):
        folder.play()
        yield folder


@contextmanager
def pipe(real: RealMail, folder: ServerFolder) -> Iterator[None]:
    """The command at the end of the pipe, which runs as the user of the test; Exim runs as another."""
    script = real.folder / "pipe"
    script.write_text(_PIPE.format(real.folder))
    script.chmod(0o755)
    way = socket.socket(socket.AF_UNIX)
    way.bind(str(real.folder / "pipe.sock"))
    (real.folder / "pipe.sock").chmod(0o666)
    way.listen()
    command = [sys.executable, "-m", "pbem.cli", "mail", "deliver", "-", "--pipe", "--config", str(folder.config)]

    def serve() -> None:
        with suppress(OSError):
            while True:
                line, _ = way.accept()
                with line, line.makefile("rb") as stream:
                    ended = subprocess.run(command, input=stream.read(), capture_output=True, check=False)
                    folder.log.open("ab").write(ended.stderr)
                    assert ended.stdout == b""
                    line.sendall(str(ended.returncode).encode())

    threading.Thread(target=serve, daemon=True).start()
    yield
    way.shutdown(socket.SHUT_RDWR)
    way.close()


def send(folder: ServerFolder, count: int = 1, head: str = "") -> None:
    """Let Ana send letters to her seat by way of Exim."""
    with smtplib.SMTP("127.0.0.1", folder.mail.smtp_port) as line:
        for _ in range(count):
            folder.written += 1
            fields = f"From: {ANA}\r\nTo: {folder.seats['spain']}\r\nMessage-ID: {folder.name(folder.written)}\r\n"
            line.sendmail(ANA, [folder.seats["spain"]], f"{fields}{head}\r\nHELP\r\n".encode())


def hears(folder: ServerFolder, words: str, times: int = 1) -> None:
    """Wait until the servers of a folder have said words."""
    assert until(lambda: folder.said().count(words) >= times, LONG), folder.said()


def test_letters_are_answered_once_though_the_server_is_stopped_and_killed(office):
    real = office.mail
    assert isinstance(real, RealMail)
    by_lmtp = real.handed_over == "lmtp"
    send(office, 2)
    if by_lmtp:
        assert until(lambda: real.queued() == 2, LONG), real.log()
    first = office.serve()
    if by_lmtp:
        hears(office, "letters are taken by LMTP")
        real.run_queue()
    send(office, 2, f"Delivered-To: {office.seats['morocco']}\r\nEnvelope-To: {office.seats['morocco']}\r\n")
    assert until(office.all_answered, LONG), office.said() + real.log()
    first.kill()
    send(office, 2)
    if by_lmtp:
        # The socket is still there, and nobody listens on it.
        assert until(lambda: real.queued() == 2, LONG), real.log()
    second = office.serve()
    if by_lmtp:
        hears(office, "letters are taken by LMTP", 2)
        real.run_queue()
    assert until(office.all_answered, LONG), office.said() + real.log()
    assert {len(names) for names in office.answers().values()} == {1}
    assert real.queued() == 0
    second.stop()
    assert until(lambda: not second.runs(), LONG)
    assert not (real.folder / "lmtp.sock").exists()


def test_the_doctor_sends_a_letter_and_finds_it_taken(office):
    real = office.mail
    assert isinstance(real, RealMail)
    office.serve()
    hears(office, '"serving"')
    if real.handed_over == "lmtp":
        hears(office, "letters are taken by LMTP")
    _, output = office.command("doctor", "--letter")
    checks = {line[14:25].strip(): line for line in output.splitlines() if line[:1] != " "}
    assert checks["mailbox"].startswith("ok"), output
    assert "there is none: letters come by" in checks["mailbox"]
    assert checks["letter"].startswith("ok"), output
    assert "came after" in checks["letter"]
    assert "Delivered-To" in checks["letter"]
    assert "mailbox" not in checks["daemon"]


def test_a_letter_that_the_pipe_cannot_store_stays_in_the_queue(office):
    """Whatever is wrong: a mistake in the settings can be mended, a letter that was sent back is lost."""
    real = office.mail
    assert isinstance(real, RealMail)
    if real.handed_over == "lmtp":
        assert office.command("mail", "deliver", str(office.folder / "none"), "--pipe")[0] == TEMPORARY
        return
    settings = office.config.read_text()
    office.config.write_text(f"{settings}[nothing]\n")
    send(office)
    assert until(lambda: "the letter is not stored" in office.said(), LONG), real.log()
    assert until(lambda: real.queued() == 1, LONG)
    office.config.write_text(settings)
    real.run_queue()
    assert until(lambda: real.queued() == 0, LONG), real.log()
    office.serve()
    assert until(office.all_answered, LONG), office.said()
    assert len(office.got(ANA)) == len({letter["Message-ID"] for letter in office.got(ANA)})
