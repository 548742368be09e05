"""The daemon seen from outside: its heartbeat and its numbers."""

import asyncio
import json
import signal
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest

from pbem import __version__
from pbem.cli.alerts import Heartbeat, read_heartbeat, write_heartbeat
from pbem.cli.daemon import metrics_text, serve_metrics
from pbem.cli.try_ import free_ports
from pbem.server.health import read_health
from pbem.store import tables
from tests.cli import test_serve
from tests.cli.test_serve import JUDGE
from tests.harness.game import BOB, PlayedGame
from tests.harness.letters import mail

host, log, serve = test_serve.mail, test_serve.log, test_serve.serve

NOW = datetime(2030, 1, 7, 12, tzinfo=UTC)


async def no_numbers() -> str:
    return ""


def test_a_sign_of_life_is_read_back(tmp_path):
    path = tmp_path / "heartbeat.json"
    assert read_heartbeat(path) is None
    for beat in (Heartbeat(NOW, 7, None), Heartbeat(NOW, 7, NOW - timedelta(seconds=29))):
        write_heartbeat(path, beat)
        assert read_heartbeat(path) == beat
    assert [entry.name for entry in tmp_path.iterdir()] == ["heartbeat.json"]
    path.write_text('{"at": "now"}')
    assert read_heartbeat(path) is None


def test_the_numbers_of_a_house(tmp_path):
    house = PlayedGame(tmp_path)
    with house.server.session() as session:
        for row in house.all(tables.Outbox):
            session.add(tables.Attempt(outbox_id=row.id, at=house.clock.now(), code=250, text="taken"))
    house.write("north", "ORDERS T1\nPASS\nEND\n")
    house.receive(mail(BOB, house.addresses["south"], "I am away.", Precedence="bulk"))
    house.poll()
    house.clock.forward(seconds=90)
    with house.server.session() as session:
        health = read_health(session, house.clock.now())
    text = metrics_text(health, house.clock.now(), ("queue",))
    for line in (
        'pbem_letters_in_total{verdict="auto"} 1.0',
        'pbem_letters_in_total{verdict="seat"} 1.0',
        'pbem_letters_out_total{kind="report"} 2.0',
        'pbem_games{state="running"} 1.0',
        'pbem_trouble{trouble="queue"} 1.0',
        'pbem_trouble{trouble="disk"} 0.0',
        f'pbem_build_info{{version="{__version__}"}} 1.0',
        "pbem_queue_letters 1.0",
        "pbem_queue_oldest_seconds 90.0",
        "pbem_letters_given_up 0.0",
        "pbem_poll_age_seconds 90.0",
        f"pbem_dues {float(len(house.all(tables.Due)))}",
        "pbem_dues_overdue 0.0",
    ):
        assert f"\n{line}\n" in f"\n{text}"
    assert "\nprocess_resident_memory_bytes " in text
    assert health.newest == house.clock.now() - timedelta(seconds=90)
    house.server.engine.dispose()


async def test_health_is_asked_by_http():
    troubles: list[str] = []
    serving = await serve_metrics("127.0.0.1", 0, no_numbers, lambda: troubles)
    port = serving.sockets[0].getsockname()[1]

    async def ask():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
        answer = (await reader.read()).decode()
        writer.close()
        return answer.split()[1], answer.rpartition("\r\n\r\n")[2]

    assert await ask() == ("200", "ok\n")
    troubles += ["disk", "queue"]
    assert await ask() == ("503", "disk queue\n")
    serving.close()


@pytest.mark.full
def test_a_daemon_shows_its_numbers_and_its_heart_beats(host, serve, log, tmp_path):
    port = free_ports(1)[0]
    host.deliver(JUDGE, b"From: ana@war.test\r\nTo: pbem@war.test\r\nMessage-ID: <1@war.test>\r\n\r\nHELLO\r\n")
    process = serve(host.imap_port, host.smtp_port, f"[metrics]\nport = {port}\n")
    log(process, '"letters moved"')
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=")
        text = answer.read().decode()
    assert 'pbem_letters_in_total{verdict="' in text
    assert "pbem_poll_age_seconds NaN" not in text
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
        assert (answer.status, answer.read()) == (200, b"ok\n")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    beat = json.loads((tmp_path / "data" / "heartbeat.json").read_text())
    assert beat["pid"] == process.pid
