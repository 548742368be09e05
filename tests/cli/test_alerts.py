"""What needs a person is told by a way that needs no mailbox, and nothing of any letter goes that way."""

import asyncio
import json
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.cli import daemon
from pbem.cli.alerts import AGAIN, SENTENCES, Alarms, tell_supervisor, trouble_letter, troubles_in
from pbem.cli.daemon import Daemon, DaemonSettings
from pbem.cli.log_output import open_log
from pbem.mail.smtp import SmtpSettings
from pbem.play import phase_states
from pbem.server.health import read_health
from pbem.store import tables
from tests.cli import test_serve
from tests.harness.game import PlayedGame
from tests.needed import need

ROOT = Path(__file__).resolve().parents[2]
host, log, serve = test_serve.mail, test_serve.log, test_serve.serve

NOW = datetime(2030, 1, 7, 12, tzinfo=UTC)


def test_each_trouble_is_told_of_when_it_begins_daily_and_when_it_is_over():
    calls: list[list[str]] = []
    alerts = Alarms(("page", "me"), open_log(), lambda words: calls.append(list(words)))
    assert alerts.look({"disk"}, NOW) == ("disk",)
    assert alerts.look({"disk"}, NOW + timedelta(hours=1)) == ()
    assert alerts.look({"disk", "games"}, NOW + timedelta(hours=2)) == ("games",)
    assert alerts.look({"disk", "games"}, NOW + AGAIN) == ("disk",)
    assert alerts.look(set(), NOW + AGAIN) == ()
    assert [words[:3] for words in calls] == [
        ["page", "me", word] for word in ("begun", "begun", "begun", "over", "over")
    ]
    assert [words[3] for words in calls] == ["disk", "games", "disk", "disk", "games"]
    assert all(words[4] == SENTENCES[words[3]] for words in calls)


def test_a_program_that_is_not_there_stops_nothing():
    def start(words):
        raise FileNotFoundError(words[0])

    assert Alarms(("gone",), open_log(), start).look({"log"}, NOW) == ("log",)


def test_what_is_wrong_by_the_numbers_of_a_house(tmp_path):
    house = PlayedGame(tmp_path)
    house.write("north", "STATUS\n")

    def seen():
        with house.server.session() as session:
            return troubles_in(read_health(session, house.clock.now()), house.clock.now())

    assert seen() == set()
    house.clock.forward(hours=3)
    assert seen() == {"queue"}
    letters = house.all(tables.Outbox)
    with house.server.session() as session:
        phase_states.hold_game(session, session.get_one(tables.Game, "g1"), "<script>`reboot`")
        for row in letters:
            row.state = "failed"
            session.merge(row)
    assert seen() == {"games", "letters"}
    house.server.engine.dispose()


def test_a_letter_past_the_outbox_goes_to_the_operator_and_says_what_to_do(tmp_path):
    house = PlayedGame(tmp_path)
    envelope = trouble_letter(house.server, "disk", NOW)
    assert envelope.recipient == house.server.settings.operator
    assert b"pbem needs you: disk" in envelope.raw
    assert b"Auto-Submitted: auto-generated" in envelope.raw
    house.server.engine.dispose()


MAINTENANCE = (ROOT / "docs" / "maintenance.md").read_text("utf-8").partition("## Status and alerts")[2]


@pytest.mark.parametrize("number", [0, 1], ids=["ntfy", "matrix"])
def test_the_programs_of_the_guide_send_each_trouble(tmp_path, number):
    """As the server calls them; curl is a program that writes down how it was called."""
    script = re.findall(r"^```\n(#!/bin/sh\n.*?)^```$", MAINTENANCE, re.MULTILINE | re.DOTALL)[number]
    (tmp_path / "pbem-alert").write_text(script)
    (tmp_path / "curl").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    for word, sentence in SENTENCES.items():
        command = [str(tmp_path / "pbem-alert"), "begun", word, sentence]
        done = subprocess.run(command, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, check=True)
        arguments = done.stdout.decode().splitlines()
        data = arguments[arguments.index("--data") + 1]
        if number == 0:
            assert (f"Title: pbem: {word} begun" in arguments, data) == (True, sentence)
        else:
            assert json.loads(data) == {"msgtype": "m.text", "body": f"pbem: {word} begun: {sentence}"}
            assert re.fullmatch(rf"https://\S+/send/m\.room\.message/pbem-{word}-begun-\d+", arguments[-1])
            assert "Bearer" not in " ".join(arguments), "others see the arguments of a program"


@pytest.mark.full
def test_prometheus_and_alertmanager_read_what_the_guide_shows(tmp_path):
    need([program for program in ("promtool", "amtool") if shutil.which(program) is None])
    shutil.copy(ROOT / "config" / "prometheus-rules.yml", tmp_path / "pbem-rules.yml")
    for name, command in (
        ("prometheus.yml", ["promtool", "check", "config"]),
        ("alertmanager.yml", ["amtool", "check-config"]),
    ):
        (shown,) = re.findall(rf"^```text {name}\n(.*?)^```$", MAINTENANCE, re.MULTILINE | re.DOTALL)
        (tmp_path / name).write_text(shown.replace("/etc/prometheus", str(tmp_path)))
        done = subprocess.run([*command, str(tmp_path / name)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("abstract", [False, True])
def test_the_supervisor_is_told_what_it_asked_for(tmp_path, monkeypatch, abstract):
    name = f"@pbem-{tmp_path.name}" if abstract else str(tmp_path / "notify")
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    tell_supervisor("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    # Nobody listens there yet.
    tell_supervisor("READY=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(name.replace("@", "\0", 1))
        supervisor.settimeout(5)
        tell_supervisor("WATCHDOG=1")
        assert supervisor.recv(100) == b"WATCHDOG=1"


async def test_the_supervisor_is_told_of_life_while_one_step_takes_long(tmp_path, monkeypatch):
    """As the draw of a large round, which holds the thread of transactions for longer than the supervisor waits."""
    monkeypatch.setattr(daemon, "BEAT", 0.02)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    house = PlayedGame(tmp_path)
    duties = DaemonSettings(None, SmtpSettings(host="mail.example", port=1), 1.0, look=0.05)
    served = Daemon(house.server, duties, open_log())
    ended = threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "notify"))
        supervisor.settimeout(30)
        serving = asyncio.ensure_future(served.run())
        assert await asyncio.to_thread(supervisor.recv, 100) == b"READY=1"
        step = served.worker.submit(ended.wait)
        assert [await asyncio.to_thread(supervisor.recv, 100) for _ in range(5)] == [b"WATCHDOG=1"] * 5
        assert step.running()
        ended.set()
        served.stopped.set()
        await serving


async def test_the_supervisor_is_told_no_more_where_a_turn_reaches_no_point(tmp_path, monkeypatch):
    signs: list[str] = []
    monkeypatch.setattr(daemon, "tell_supervisor", signs.append)
    house = PlayedGame(tmp_path)
    served = Daemon(house.server, DaemonSettings(None, SmtpSettings(host="mail.example", port=1), 1.0), open_log())
    async with served.turning:
        await served.tell_alive()
        served.moved -= daemon.STUCK
        await served.tell_alive()
    assert signs == ["WATCHDOG=1"]
    # A turn that has ended hangs nowhere.
    await served.tell_alive()
    assert signs == ["WATCHDOG=1"] * 2
    house.server.engine.dispose()


@pytest.mark.full
def test_a_database_that_breaks_under_the_daemon_is_told_of_without_it(host, serve, log, tmp_path):
    """The operator's program hears of it, and he gets a letter, though no letter can be stored."""
    program, heard = tmp_path / "page", tmp_path / "heard"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >> {heard}\n')
    program.chmod(0o755)
    process = serve(host.imap_port, host.smtp_port, f'[alerts]\ncommand = ["{program}", "me; reboot"]\n')
    log(process, "mailbox connected")
    with closing(sqlite3.connect(tmp_path / "data" / "pbem.sqlite3")) as opened:
        opened.execute("DROP TABLE due")
    log(process, '"trouble begun"')
    deadline = time.monotonic() + 30
    while not (host.letters_in("ana@war.test") and heard.exists()) and time.monotonic() < deadline:
        time.sleep(0.05)
    words = heard.read_text().split("|")
    assert words[:3] == ["me; reboot", "begun", "database"]
    assert words[3] == SENTENCES["database"]
    (letter,) = host.letters_in("ana@war.test")
    assert b"pbem needs you: database" in letter
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) is not None
