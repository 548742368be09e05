"""The page of the status: what everybody may read of a server, and nothing of anybody."""

import re
from datetime import timedelta
from itertools import pairwise

import pytest
from sqlmodel import select

from pbem import __version__
from pbem.cli import status_page
from pbem.cli.alerts import SENTENCES
from pbem.cli.daemon import Daemon, DaemonSettings
from pbem.cli.log_output import open_log
from pbem.cli.metrics import ServerFigures
from pbem.cli.status_page import make_status_page
from pbem.engine.data.messages import msg
from pbem.mail.imap import ImapSettings
from pbem.mail.smtp import SmtpSettings
from pbem.pages.site import Site
from pbem.play import phase_states
from pbem.server.health import read_health
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame

SITE = Site("Ana's games", "games.example", "https://games.example/")


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path)
    yield made
    made.server.engine.dispose()


def figures(house, **more):
    with house.server.session() as session:
        health = read_health(session, house.clock.now())
    now = house.clock.now()
    return ServerFigures(now, now - timedelta(days=3), health, **more)


def shown(page):
    """What a reader sees, one line for each cell or sentence."""
    text = re.sub(r"<style>.*?</style>|<title>.*?</title>", "", page, flags=re.DOTALL)
    return [line.strip() for line in re.sub(r"<[^>]+>", "\n", text).split("\n") if line.strip()]


def publish(house):
    for seat in ("north", "south"):
        house.write(seat, "PUBLISH ON")


def test_a_game_is_named_only_if_its_players_let_it_be_shown(house):
    lines = shown(make_status_page(house.server, figures(house), SITE))
    assert "All is well." in lines
    assert not any("g1" in line for line in lines)
    assert lines[lines.index("Games") + 1] == "1 running"
    publish(house)
    lines = shown(make_status_page(house.server, figures(house), SITE))
    (heading,) = [line for line in lines if "(g1)" in line]
    standing = lines[lines.index(heading) + 1]
    assert re.fullmatch(r"turn 1, awaited: north, until \d{4}-\d\d-\d\d \d\d:\d\d UTC", standing)
    house.write("north", "ORDERS T1\nPASS\nEND\n")
    assert "turn 1, all orders are in" in "".join(shown(make_status_page(house.server, figures(house), SITE)))


def test_the_figures_of_a_server_are_shown(house):
    house.write("north", "STATUS")
    house.clock.forward(hours=3)
    now = house.clock.now()
    more = {"last_backup": now - timedelta(minutes=59), "last_letter": now - timedelta(hours=3), "waiting": 7}
    lines = shown(make_status_page(house.server, figures(house, troubles=("queue", "disk"), **more), SITE))
    rows = dict(pairwise(lines))
    assert rows["Running for"] == "3 days"
    assert rows["Letters to send"] == "1, the oldest for 3 h"
    assert rows["Letters to take in"] == "7"
    assert rows["Last letter taken in"] == "3 h ago"
    assert rows["Last backup"] == "59 min ago"
    assert f"{now:%Y-%m-%d %H:%M} UTC, pbem {__version__}" in lines
    for word, sentence in SENTENCES.items():
        assert (sentence.replace("'", "&#x27;") in lines) == (word in ("queue", "disk"))
    assert "All is well." not in lines


def test_nothing_of_anybody_is_on_the_page(house, monkeypatch):
    """Names, addresses, tokens, reasons and letters lie in the database; titles are what operators write."""
    publish(house)
    house.write("north", "MESSAGE\n<script>alert(1)</script> meet me at ann@players.example\nEND\n")
    token = house.addresses["north"]
    title = f'<script>alert("x")</script> {token} \u202e\x1b[2J'
    monkeypatch.setattr(status_page, "game_titles", lambda server, game: (msg("{name}", name=title), "<img src=x>"))
    site = Site('"><script>alert(2)</script>', "games.example", 'https://x/"><script>alert(3)</script>')
    with house.server.session() as session:
        game = session.get_one(tables.Game, "g1")
        phase_states.hold_game(session, game, f"<b>{ANN} wrote {token}")
        for row in session.exec(select(tables.Outbox)):
            row.state, row.last_text = "failed", f"550 no {ANN} here"
        session.commit()
    page = make_status_page(house.server, figures(house, troubles=("<i>games</i>",)), site)
    assert page.count("<script>") == 1, "its own, which is empty"
    assert "<script></script>" in page
    assert "<img" not in page
    assert "<b><" not in page
    assert "held" in shown(page)
    for secret in (ANN, BOB, "ann@", "meet me", "550", "wrote", house.server.settings.operator, house.server.address):
        assert secret not in page, secret
    with house.server.session() as session:
        names = {person.name for person in session.exec(select(tables.Person))} - {""}
    tokens = {address.partition("@")[0].rpartition("-")[2] for address in house.addresses.values()}
    assert len(tokens) == 2
    for secret in (*names, *tokens):
        assert secret not in page, secret
    assert all(character.isprintable() or character == "\n" for character in page)
    assert "default-src 'none'" in page
    (link,) = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert link.startswith("https://x/&quot;&gt;&lt;script")


@pytest.mark.parametrize(
    ("status", "asker", "seen"),
    [
        ("off", "127.0.0.1", False),
        ("local", "127.0.0.1", True),
        ("local", "192.0.2.7", False),
        ("any", "192.0.2.7", True),
        ("any", "127.0.0.1", True),
    ],
)
async def test_only_those_see_it_whom_the_settings_name(house, tmp_path, status, asker, seen):
    duties = DaemonSettings(
        ImapSettings(host="mail.example", port=1, user="pbem", password="x"),
        SmtpSettings(host="mail.example", port=1),
        1.0,
        heartbeat=tmp_path / "heartbeat.json",
        status=status,
    )
    daemon = Daemon(house.server, duties, open_log())
    answers = [await daemon.pages()[path](asker) for path in ("/status", "/status", "/metrics", "/healthz")]
    daemon.watcher.shutdown()
    assert [answer.status[:3] for answer in answers] == ["200" if seen else "404"] * 2 + ["200", "200"]
    assert ("All is well." in answers[0].body) == seen
