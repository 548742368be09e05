"""The daemon seen from outside: its heartbeat and its numbers."""

import asyncio
import json
import re
import signal
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.utils import floatToGoString
from sqlalchemy.exc import OperationalError

from pbem import __version__
from pbem.cli.alerts import Heartbeat, read_heartbeat, write_heartbeat
from pbem.cli.metrics import ServerFigures, Timings, health_answer, is_this_machine, metrics_text, serve_pages
from pbem.cli.try_ import free_ports
from pbem.server.health import read_health
from pbem.store import tables
from pbem.store.engine import database_size
from tests.cli import test_serve
from tests.cli.test_serve import JUDGE
from tests.harness.game import BOB, PlayedGame
from tests.harness.letters import mail

host, log, serve = test_serve.mail, test_serve.log, test_serve.serve

NOW = datetime(2030, 1, 7, 12, tzinfo=UTC)


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
    figures = ServerFigures(
        house.clock.now(),
        house.clock.now() - timedelta(hours=1),
        health,
        ("queue",),
        {"site": 2},
        used=0.5,
        last_backup=house.clock.now() - timedelta(hours=2),
        database_size=database_size(house.server.engine),
        disk_size=10**9,
        disk_free=10**8,
    )
    timings = Timings()
    timings.turn.observe(3)
    text = metrics_text(figures, timings)
    started = house.clock.now().timestamp() - 3600
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
        'pbem_chore_failures{chore="site"} 2.0',
        f"pbem_start_timestamp_seconds {floatToGoString(started)}",
        f"pbem_last_backup_timestamp_seconds {floatToGoString(started - 3600)}",
        "pbem_disk_size_bytes 1e+09",
        "pbem_disk_free_bytes 1e+08",
        "pbem_mailbox_letters 0.0",
        "pbem_mailbox_unmoved_letters 0.0",
        "pbem_mailbox_used_ratio 0.5",
        'pbem_turn_seconds_bucket{le="2.0"} 0.0',
        'pbem_turn_seconds_bucket{le="5.0"} 1.0',
        "pbem_turn_seconds_sum 3.0",
        "pbem_poll_seconds_count 0.0",
        "pbem_send_seconds_count 0.0",
    ):
        assert f"\n{line}\n" in f"\n{text}"
    for name in ("process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds"):
        (value,) = re.findall(rf"^{name} (\S+)$", text, re.MULTILINE)
        assert float(value) > 0, name
    (size,) = re.findall(r"^pbem_database_bytes (\S+)$", text, re.MULTILINE)
    assert float(size) > 100_000
    # Never backed up, and a mail server that does not tell its quota.
    text = metrics_text(ServerFigures(house.clock.now(), house.clock.now(), health), timings)
    assert "\npbem_last_backup_timestamp_seconds 0.0\n" in text
    assert "\npbem_mailbox_used_ratio NaN\n" in text
    assert health.newest == house.clock.now() - timedelta(seconds=90)
    house.server.engine.dispose()


async def ask(port, request="GET /healthz"):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{request} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    return answer.split()[1], answer.rpartition("\r\n\r\n")[2]


async def test_health_is_asked_by_http():
    troubles: list[str] = []

    async def health(asker):
        assert asker == "127.0.0.1"
        return health_answer(troubles)

    async def away(asker):
        raise OperationalError("SELECT", {}, ValueError("secret"))

    async def broken(asker):
        raise ValueError("secret")

    serving = await serve_pages("127.0.0.1", 0, {"/healthz": health, "/away": away, "/broken": broken})
    port = serving.sockets[0].getsockname()[1]
    assert await ask(port) == ("200", "ok\n")
    troubles += ["disk", "queue"]
    assert await ask(port) == ("503", "disk queue\n")
    assert await ask(port, "GET /healthz?verbose") == ("503", "disk queue\n")
    assert await ask(port, "GET /away") == ("503", "database\n")
    assert await ask(port, "GET /broken") == ("500", "the log says why\n")
    for request in ("POST /healthz", "GET /healthz/", "GET /..", "GET \xff", "GET"):
        assert (await ask(port, request))[0] == "404"
    serving.close()


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        *((address, True) for address in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1")),
        *((address, False) for address in ("172.17.0.1", "::ffff:10.0.0.1", "2001:db8::1", "")),
    ],
)
def test_what_asks_from_this_machine(address, is_here):
    assert is_this_machine(address) == is_here


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
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=10) as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "All is well." in answer.read().decode()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    beat = json.loads((tmp_path / "data" / "heartbeat.json").read_text())
    assert beat["pid"] == process.pid
