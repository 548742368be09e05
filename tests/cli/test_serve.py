"""The daemon as a process: it serves, it outlives a mailbox that is away, it stops when told."""

import json
import signal
import socket
import subprocess
import sys
import time

import pytest

from pbem.cli.exit_codes import TEMPORARY
from pbem.cli.options import FILE_NAME
from pbem.cli.setting_files import write_key
from pbem.cli.try_ import free_ports
from pbem.mail.embedded import EmbeddedMail
from tests.harness.server import empty_database

pytestmark = pytest.mark.full

LIMIT = 30
JUDGE = "pbem@war.test"


@pytest.fixture
def mail():
    with EmbeddedMail({JUDGE: "judge", "ana@war.test": "ana"}) as server:
        yield server


@pytest.fixture
def serve(tmp_path):
    """Start the daemon on a mail server's ports; what it wrote is read by `lines`."""
    started = []

    def start(imap_port, smtp_port, more=""):
        way = 'host = "127.0.0.1"\nsecurity = "none"\n'
        (tmp_path / FILE_NAME).write_text(
            f'[server]\naddress = "{JUDGE}"\noperator = "ana@war.test"\n'
            f'[imap]\n{way}port = {imap_port}\npoll = 1\nuser = "{JUDGE}"\npassword = "judge"\n'
            f'[smtp]\n{way}port = {smtp_port}\n[log]\nformat = "json"\n{more}'
        )
        database = tmp_path / "data" / "pbem.sqlite3"
        if not database.exists():
            database.parent.mkdir(mode=0o700, exist_ok=True)
            database.write_bytes(empty_database())
        for name in ("pbem.key", "log.key", "dice.key"):
            if not (tmp_path / name).exists():
                write_key(tmp_path / name)
        with (tmp_path / "log").open("w") as log:
            command = [sys.executable, "-m", "pbem.cli", "serve", "--config", str(tmp_path / FILE_NAME)]
            started.append(subprocess.Popen(command, stdout=log, stderr=log))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def log(tmp_path):
    """Wait until the daemon has written a line that holds some words."""

    def wait(process, words):
        limit = time.monotonic() + LIMIT
        while words not in (text := (tmp_path / "log").read_text()):
            assert process.poll() is None, text
            assert time.monotonic() < limit, text
            time.sleep(0.02)

    return wait


def test_it_answers_a_stranger_and_stops_when_told(mail, serve, log, tmp_path):
    process = serve(mail.imap_port, mail.smtp_port)
    log(process, "mailbox connected")
    mail.deliver(
        JUDGE, b"From: ana@war.test\r\nTo: pbem@war.test\r\nMessage-ID: <1@war.test>\r\n\r\nHELLO\r\n", "ana@war.test"
    )
    log(process, '"letter tried"')
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT) == 0
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert lines[-1]["event"] == "stopped"
    (tried,) = [line for line in lines if line["event"] == "letter tried"]
    assert tried["code"] == 250
    (moved,) = [line for line in lines if line["event"] == "letters moved"]
    assert len(moved["uids"]) == 1
    assert len(mail.letters_in("ana@war.test")) == 1
    assert len(mail.letters_in(JUDGE, "Processed")) == 1


def test_it_waits_for_a_mailbox_that_is_not_there_and_still_stops(serve, log):
    process = serve(*free_ports(2))
    log(process, "poll failed")
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT) == 0


def test_a_clock_in_a_file_is_refused_with_any_other_mail_server(serve, tmp_path):
    (tmp_path / "now").write_text("2030-01-01T12:00:00Z")
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(LIMIT)
        process = serve(other.getsockname()[1], free_ports(1)[0], '[clock]\nsource = "file:now"\n')
        talk, _ = other.accept()
        with talk:
            talk.sendall(b"* OK Dovecot ready.\r\n")
            # The client asks for the server's capabilities and logs out; any server would answer.
            while data := talk.recv(1000):
                tag = data.split()[0].decode()
                talk.sendall(f"* CAPABILITY IMAP4rev1\r\n{tag} OK done\r\n".encode())
        assert process.wait(LIMIT) == 2
    assert "clock.source is a file, which only the mail server of pbem itself" in (tmp_path / "log").read_text()


def test_a_clock_in_a_file_goes_with_our_own_mail_server(mail, serve, log, tmp_path):
    (tmp_path / "now").write_text("2030-01-01T12:00:00Z")
    process = serve(mail.imap_port, mail.smtp_port, '[clock]\nsource = "file:now"\n')
    log(process, "mailbox connected")
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT) == 0


def test_a_second_one_on_the_same_database_is_refused_and_the_first_goes_on(mail, serve, log, tmp_path):
    first = serve(mail.imap_port, mail.smtp_port)
    log(first, "mailbox connected")
    second = serve(mail.imap_port, mail.smtp_port)
    assert second.wait(LIMIT) == TEMPORARY
    log_text = (tmp_path / "log").read_text()
    assert f":{first.pid} (since " in log_text
    assert "another `pbem serve` works on this database and its mailbox" in log_text
    assert "mailbox connected" not in log_text
    assert first.poll() is None
    first.kill()
    first.wait()
    third = serve(mail.imap_port, mail.smtp_port)
    log(third, "mailbox connected")
    third.send_signal(signal.SIGTERM)
    assert third.wait(LIMIT) == 0
