"""The page of a tournament: how all stand and who met whom, under names that say nothing of anybody who did not ask."""

import re
from functools import partial

import pytest

from pbem.cli.sites import tournament_page_file, write_site, write_tournament
from pbem.pages.site import Site
from pbem.play import publicity
from pbem.store import queries, tables
from tests.harness.tournament import CUP, PlayedTournament, names

PEOPLE = names(5)
SITE = Site("", "games.example")


@pytest.fixture
def hall(tmp_path):
    made = PlayedTournament(tmp_path, CUP)
    for number, who in enumerate(PEOPLE):
        made.enter(who, f"NAME Name{number}")
    made.until("playing", 1)
    made.play(1)
    made.until("closed", 1)
    yield made
    made.server.engine.dispose()


def agree(hall, game, pen="", who=None):
    """All who play a game let it be shown; one of them by a name."""
    with hall.server.work() as work:
        for seat in queries.games.seats(work.session, game):
            seat.published = publicity.GAME
            seat.pen_name = pen if who is None or seat.person_id == who else ""
            work.session.add(seat)


def text(path):
    body = path.read_text("utf-8").partition("<body>")[2]
    return re.sub(r"<[^>]*>", " ", body)


def test_a_page_in_each_language_names_nobody(hall, tmp_path):
    out = tmp_path / "www"
    out.mkdir()
    assert write_tournament(hall.server, "cup60", out, ("en", (), "")) is not None
    english, spanish = (text(out / tournament_page_file("cup60", language, "en")) for language in ("en", "es"))
    assert "Castillejos Cup (cup60)" in english
    for word in ("Standing", "Crosstable", "Round 1: over", "cup60-r1-01"):
        assert word in english
    for word in ("Clasificación", "Cuadro", "Ronda 1: acabada", "e1"):
        assert word in spanish
    for page in (english, spanish):
        assert "Name0" not in page
        assert "@" not in page
        assert {f"e{number}" for number in range(1, 6)} <= set(page.split())


def test_a_page_is_written_again_only_when_something_changed(hall, tmp_path):
    out = tmp_path / "www"
    out.mkdir()
    write = partial(write_tournament, hall.server, "cup60", out, ("en", (), ""))
    first = write()
    assert first is not None
    assert write(first.mark) is None
    hall.until("playing", 2)
    second = write(first.mark)
    assert second is not None
    assert "Round 2: being played" in text(out / "cup60.html")


def test_the_site_lists_it_and_leads_to_games_that_are_shown(hall, tmp_path):
    out = tmp_path / "www"
    shown, other = (board.game_id for board in hall.boards(1) if board.game_id)
    with hall.opened.reading() as work:
        someone = work.session.get_one(tables.Person, queries.games.seats(work.session, shown)[0].person_id).id
    agree(hall, shown, "Rocinante", someone)
    write_site(hall.server, out, SITE)
    page = (out / "cup60.html").read_text("utf-8")
    assert f'href="{shown}.html"' in page
    assert f'href="{other}.html"' not in page
    assert "Rocinante (e" in page
    assert 'href="index.html"' in page
    assert 'href="cup60.html"' in (out / "index.html").read_text("utf-8")
    assert 'href="cup60.es.html"' in (out / "index.es.html").read_text("utf-8")
    before = (out / "cup60.html").stat().st_mtime_ns
    write_site(hall.server, out, SITE)
    assert (out / "cup60.html").stat().st_mtime_ns == before


def test_nothing_is_written_while_the_server_stops(hall, tmp_path):
    write_site(hall.server, tmp_path / "www", SITE, may_continue=lambda: False)
    assert not (tmp_path / "www" / "cup60.html").exists()
