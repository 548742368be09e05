"""Relays on the loopback address: late, wrong, of another chain, gone. The round is waited for, never replaced."""

import asyncio
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.audit import beacon
from pbem.audit.beacon import QUICKNET
from pbem.cli import checks_network
from pbem.cli.daemon import Daemon, DaemonSettings
from pbem.cli.log_output import open_log
from pbem.cli.metrics import ServerFigures, Timings, metrics_text
from pbem.cli.web import fetch_round_from_relays, get_round, make_relay_fetcher
from pbem.mail.imap import ImapSettings
from pbem.mail.smtp import SmtpSettings
from pbem.play import beacons
from pbem.server.health import read_health
from tests.campaign.test_beacons import Waiting, check, moment, phases, shut
from tests.harness.server import make_once

VECTORS = json.loads((Path(__file__).parents[1] / "audit" / "vectors.json").read_text("utf-8"))["drand_quicknet"]
ROUNDS = {vector["round"]: vector["signature"] for vector in VECTORS["rounds"]}
RIGHT = bytes.fromhex(ROUNDS[1000])
OTHER_CHAIN = "ab" * 32


def relay_answer(number: int, signature: str) -> bytes:
    return json.dumps({"round": number, "signature": signature}).encode()


INFO = {
    "public_key": QUICKNET.public.hex(),
    "period": QUICKNET.period,
    "genesis_time": QUICKNET.genesis,
    "hash": QUICKNET.hash,
    "groupHash": QUICKNET.seed.hex(),
    "schemeID": "bls-unchained-g1-rfc9380",
    "metadata": {"beaconID": "quicknet"},
}
ANSWERS = {
    "good": (200, relay_answer(1000, ROUNDS[1000])),
    "early": (404, b"not found"),
    "too-early": (425, b"too early"),
    "broken": (500, b""),
    "another-round": (200, relay_answer(123, ROUNDS[123])),
    "renumbered": (200, relay_answer(1000, ROUNDS[123])),
    "another-chain": (200, relay_answer(1000, "8" + ROUNDS[1000][1:])),
    "prose": (200, b"<html>maintenance</html>"),
    "endless": (200, b" " * 70_000 + relay_answer(1000, ROUNDS[1000])),
    "empty": (200, b""),
}


class Relay(BaseHTTPRequestHandler):
    """Answers for the chain quicknet under /WHAT/, and for no other."""

    def do_GET(self) -> None:
        _, what, chain, public, number = (*self.path.split("/"), "", "", "", "")[:5]
        known = (chain, public, number) == (QUICKNET.hash, "public", "1000")
        code, body = ANSWERS[what] if known else (404, b"no such chain")
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def relay() -> Iterator[str]:
    relay = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    thread = threading.Thread(target=relay.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{relay.server_port}"
    relay.shutdown()
    relay.server_close()
    thread.join()


@pytest.mark.full
def test_a_round_is_fetched(relay):
    assert fetch_round_from_relays([f"{relay}/good"], QUICKNET, 1000, get_round, beacon.verify_round) == (RIGHT, ())
    assert (
        fetch_round_from_relays([f"{relay}/good/"], QUICKNET, 1000, get_round, beacon.verify_round).signature == RIGHT
    )


@pytest.mark.full
@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("early", "not yet there: HTTP 404"),
        ("too-early", "not yet there: HTTP 425"),
        ("broken", "HTTP 500"),
        ("another-round", "round 123, not 1000"),
        ("renumbered", "the signature is false"),
        ("another-chain", "the signature is false"),
        ("prose", "JSON"),
        ("endless", "too long"),
        ("empty", "JSON"),
    ],
)
def test_a_relay_that_does_not_help_is_passed_over(relay, what, why):
    alone = fetch_round_from_relays([f"{relay}/{what}"], QUICKNET, 1000, get_round, beacon.verify_round)
    assert alone.signature is None
    assert len(alone.reasons) == 1
    assert why in alone.reasons[0]
    helped = fetch_round_from_relays(
        [f"{relay}/{what}", f"{relay}/good"], QUICKNET, 1000, get_round, beacon.verify_round
    )
    assert helped.signature == RIGHT
    assert helped.reasons == alone.reasons


@pytest.mark.full
def test_a_relay_that_is_gone(relay):
    gone = "http://127.0.0.1:1"
    assert (
        fetch_round_from_relays([gone, f"{relay}/good"], QUICKNET, 1000, get_round, beacon.verify_round).signature
        == RIGHT
    )
    assert fetch_round_from_relays([gone], QUICKNET, 1000, get_round, beacon.verify_round).signature is None


@pytest.mark.full
def test_another_chain_is_never_asked_for_in_its_place(relay):
    other = QUICKNET._replace(name="another")
    alone = fetch_round_from_relays([f"{relay}/good"], other, 1000, get_round, beacon.verify_round)
    assert alone.signature is None
    assert "404" in alone.reasons[0]


def test_what_cannot_be_checked_is_not_taken():
    result = fetch_round_from_relays(
        ["https://relay.example.com"], QUICKNET, 1000, lambda _: relay_answer(1000, ROUNDS[1000]), lambda *_: None
    )
    assert result.signature is None
    assert result.reasons == ("https://relay.example.com: no library to check with",)


def test_without_relays_there_is_nothing():
    assert fetch_round_from_relays([], QUICKNET, 1000, get_round, beacon.verify_round) == (None, ())


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://relay.example.com/", "relay.example.com", "http://["])
def test_an_address_is_http(address):
    with pytest.raises(OSError, match=r"no address|http://\["):
        get_round(address)


@pytest.fixture
def house(tmp_path):
    """A game whose first phase is closed and waits for round 1000, which is out."""
    house = make_once(tmp_path, Waiting)
    shut(house, "north", 1, 1000, "CREEP Bee TO s3")
    house.clock.set(moment(1000))
    yield house
    house.server.engine.dispose()


@pytest.mark.full
def test_a_game_waits_until_one_relay_has_its_round(relay, house):
    for what in ("early", "another-round", "renumbered", "another-chain", "prose"):
        asked = make_relay_fetcher(["http://127.0.0.1:1", f"{relay}/{what}"], get_round, check)
        assert beacons.fetch_rounds(house.server, asked, check) == 0
        house.tick()
        assert phases(house) == [("north", "closed")]
    asked = make_relay_fetcher([f"{relay}/renumbered", f"{relay}/good"], get_round, check)
    assert beacons.fetch_rounds(house.server, asked, check) == 1
    house.tick()
    assert phases(house)[0] == ("north", "resolved")


@pytest.mark.full
def test_the_daemon_asks_and_goes_on(relay, house):
    imap = ImapSettings(host="127.0.0.1", port=1, security="none", user="pbem", password="x")
    way_out = SmtpSettings(host="127.0.0.1", port=1, security="none")
    relays = [f"{relay}/early"]
    asked = lambda chain, number: make_relay_fetcher(relays, get_round, check)(chain, number)  # noqa: E731
    daemon = Daemon(house.server, DaemonSettings(imap, way_out, 60, network=asked), open_log("json"))
    asyncio.run(daemon.ask_for_rounds())
    assert phases(house) == [("north", "closed")]
    relays.append(f"{relay}/good")
    asyncio.run(daemon.ask_for_rounds())
    assert phases(house)[0] == ("north", "resolved")
    for pool in (daemon.worker, daemon.reader, daemon.relays):
        pool.shutdown()


def looked_at(*answers, check=check):
    """What the doctor says of relays, one for each of (what it tells of its chain, what of round 1000)."""
    read: Any = SimpleNamespace(
        beacon=SimpleNamespace(relays=[f"http://{number}.test" for number in range(len(answers))])
    )

    def get(address: str) -> bytes:
        info, round_answer = answers[int(address.removeprefix("http://").partition(".")[0])]
        assert address.partition(".test/")[2] in (f"{QUICKNET.hash}/info", f"{QUICKNET.hash}/public/1000")
        answer = info if address.endswith("/info") else round_answer
        if not isinstance(answer, bytes):
            raise answer
        return answer

    now = moment(1000) + timedelta(seconds=checks_network.ROUND_AGO)
    return [
        (relay.verdict, relay.found, relay.todo or "") for relay in checks_network.check_relays(read, now, get, check)
    ]


CHAIN, GOOD = json.dumps(INFO).encode(), relay_answer(1000, ROUNDS[1000])


def test_the_doctor_tries_each_relay():
    ((verdict, what, _),) = looked_at((CHAIN, GOOD))
    assert (verdict, what) == ("ok", "http://0.test: round 1000, signed by the chain 52db9ba7")
    gone = OSError("not yet there: HTTP 503")
    other = json.dumps(INFO | {"period": 30}).encode()
    verdicts = [
        check[:2]
        for check in looked_at((gone, GOOD), (CHAIN, gone), (other, GOOD), (CHAIN, relay_answer(1000, ROUNDS[123])))
    ]
    assert [verdict for verdict, _ in verdicts] == ["WRONG"] * 4
    assert [what.partition(": ")[2] for _, what in verdicts] == [
        "it does not tell the chain 52db9ba7: not yet there: HTTP 503",
        "not yet there: HTTP 503",
        f"it does not tell the chain 52db9ba7: a chain with the hash {QUICKNET.hash} has other parameters",
        "the signature is false",
    ]
    bad, good = looked_at((CHAIN, gone), (CHAIN, GOOD))
    assert (bad[0], good[0]) == ("mind", "ok")
    assert bad[2].startswith("name other relays under [beacon]")
    ((verdict, what, todo),) = looked_at((CHAIN, GOOD), check=lambda *_: None)
    assert (verdict, "no library to check with" in what) == ("WRONG", True)
    assert "pbem[beacon]" in todo
    assert looked_at() == [("ok", "no relay is named: no game waits for the beacon", "")]


def test_the_doctor_says_what_is_late(tmp_path):
    house = make_once(tmp_path, Waiting)
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    verdicts = []
    for late in (timedelta(0), timedelta(minutes=5), timedelta(hours=3)):
        now = moment(123) + late - timedelta(seconds=1)
        with house.server.session() as session:
            health = read_health(session, now)
        verdicts += [[check.verdict for check in checks_network.check_late_rounds(health, 2, now)]]
    assert verdicts == [[], ["mind"], ["WRONG"]]
    assert "\npbem_rounds_late 1.0\n" in metrics_text(ServerFigures(now, now, health), Timings())
    house.server.engine.dispose()
