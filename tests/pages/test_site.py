"""The site of a server: what is on it, what is not, and when it is written."""

from xml.etree import ElementTree as Xml

import pytest
from sqlmodel import select

from pbem.cli.sites import STATE_FILE, write_site
from pbem.engine.data.languages import SHIPPED_LANGUAGES as LANGUAGES
from pbem.pages.site import Site, feed_file, index_file
from pbem.store import queries, tables
from tests.harness.battle import ANA, IDRIS, PlayedBattle
from tests.hostile import PAGE, VALUES, objections
from tests.pages.archives import held

SITE = Site("", "games.example", "https://www.games.example/play")
ATOM = "{http://www.w3.org/2005/Atom}"
ORDERS = """ORDERS T1
ACTIVATE Tarajal
MOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos
END
"""


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def out(tmp_path):
    return tmp_path / "www"


def agree(table, **names):
    for seat in ("spain", "morocco"):
        name = names.get(seat)
        table.answer(seat, f"PUBLISH ON AS {name}" if name else "PUBLISH ON")


def play(table):
    table.answer("spain", ORDERS)
    table.wait(31)


def files(out):
    return sorted(path.name for path in out.iterdir() if not path.name.startswith("rules-"))


def everything(out):
    return b"".join(path.read_bytes() for path in sorted(out.iterdir()) if not path.name.startswith("rules-"))


def parsed(path):
    return Xml.fromstring(path.read_text("utf-8"))  # noqa: S314  # it was made here


def entries(out, name="feed.xml"):
    return parsed(out / name).findall(f"{ATOM}entry")


def test_nothing_is_shown_that_nobody_agreed_to(table, out):
    play(table)
    table.answer("spain", "PUBLISH ON")
    done = write_site(table.server, out, SITE)
    assert (done.shown, done.fresh) == (0, ())
    assert files(out) == ["feed.es.xml", "feed.xml", "index.es.html", "index.html", STATE_FILE]
    assert b"g1" not in everything(out)


def test_the_rulebooks_are_there_in_every_language(table, out):
    write_site(table.server, out, SITE)
    for index, page, title in (
        ("index.html", "rules-africa1860.html", "Africa 1859-60: the rules"),
        ("index.es.html", "rules-africa1860.es.html", "África 1859-60: las reglas"),
    ):
        assert f'<a href="{page}">{title}</a>' in (out / index).read_text("utf-8")
        assert '<h4 id="C6.1">' in (out / page).read_text("utf-8")


def test_a_game_that_goes_on_has_its_page_and_its_reports_in_the_feed(table, out):
    play(table)
    agree(table, spain="Ana de Ceuta")
    assert write_site(table.server, out, SITE).fresh == ("g1",)
    page = held((out / "g1.html").read_text("utf-8"))
    assert not page["over"]
    assert any(step["at"].startswith("T1.spain") for step in page["steps"])
    listed = (out / "index.html").read_text("utf-8")
    assert '<a href="g1.html">Castillejos, 1 January 1860 (g1)</a>' in listed
    assert "Spain: Ana de Ceuta – Morocco: player " in listed
    assert "España: Ana de Ceuta" in (out / "index.es.html").read_text("utf-8")
    (entry,) = entries(out)
    assert entry.findtext(f"{ATOM}title") == "Castillejos, 1 January 1860 (g1): Turn 1, Spanish phase"
    assert entry.find(f"{ATOM}link").get("href") == "https://www.games.example/play/g1.html#T1.spain"
    assert "#1 " in entry.findtext(f"{ATOM}content")
    assert "Turno 1, fase española" in entries(out, "feed.es.xml")[0].findtext(f"{ATOM}title")


def test_a_page_of_a_game_leads_to_the_paragraphs_of_its_rules(table, out):
    play(table)
    agree(table)
    write_site(table.server, out, SITE)
    page = held((out / "g1.html").read_text("utf-8"))
    assert page["rulebook"] == ["rules-africa1860.html", "rules-africa1860.es.html"]
    cited = {rule for step in page["steps"] for rule in step.get("rules", ())}
    assert cited
    for file in page["rulebook"]:
        text = (out / file).read_text("utf-8")
        assert [rule for rule in cited if f'id="{rule}"' not in text] == []


def test_no_address_of_anybody_is_on_it(table, out):
    play(table)
    agree(table)
    table.answer("spain", "SAY Sed quiero la Cresta")
    write_site(table.server, out, SITE)
    content = everything(out).lower()
    for secret in (ANA, IDRIS, *table.addresses.values(), "op@games.example", "sed quiero"):
        assert secret.lower().encode() not in content
    with table.server.work() as work:
        codes = [row.nonce for row in work.session.exec(select(tables.Seat)) if row.nonce]
        people = [row.name for row in work.session.exec(select(tables.Person))]
    assert codes
    assert not any(f"#{code}".encode() in content for code in codes)
    assert not any(f">{name}<".lower().encode() in content for name in people)


def test_what_did_not_change_is_not_written_again(table, out):
    play(table)
    agree(table)
    write_site(table.server, out, SITE)
    (out / "mine.txt").write_text("not of the site")
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    assert write_site(table.server, out, SITE) == (1, (), (), False)
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before
    for line in ("PUBLISH ON AS Prim", "PUBLISH PRESS AS Prim"):
        table.answer("spain", line)
        assert write_site(table.server, out, SITE).fresh == ("g1",)
        assert write_site(table.server, out, SITE).fresh == ()
    assert len(entries(out)) == 1


def test_who_does_not_want_it_any_more_is_taken_away(table, out):
    play(table)
    agree(table, spain="Prim")
    write_site(table.server, out, SITE)
    table.answer("morocco", "PUBLISH OFF")
    assert write_site(table.server, out, SITE) == (0, (), ("g1",), False)
    assert "g1.html" not in files(out)
    assert b"Prim" not in everything(out)
    assert entries(out) == []


def test_under_fog_nothing_is_told_until_it_is_over(tmp_path, out):
    table = PlayedBattle(tmp_path, fog=True)
    play(table)
    agree(table)
    write_site(table.server, out, SITE)
    assert "g1.html" not in files(out)
    assert "Its positions are shown when it is over." in (out / "index.html").read_text("utf-8")
    assert entries(out) == []
    before = everything(out)
    with table.server.work() as work:
        (phase,) = queries.phases.resolved_phases(work.session, "g1")
        phase.events_digest = "sha256:another"
        work.session.add(phase)
    (out / STATE_FILE).write_text("{}")
    write_site(table.server, out, SITE)
    assert everything(out) == before
    table.server.engine.dispose()


@pytest.mark.full
@pytest.mark.parametrize("name", VALUES.values(), ids=VALUES)
def test_hostile_names_do_nothing(table, out, name):
    agree(table)
    with table.server.work() as work:
        for seat in work.session.exec(select(tables.Seat)):
            seat.pen_name = name
            work.session.add(seat)
    write_site(table.server, out, SITE)
    for language in LANGUAGES:
        listed = (out / index_file(SITE, language)).read_text("utf-8")
        assert listed.count("<script") == 1
        assert objections(PAGE, listed.replace("<script>", "")) == []
        assert parsed(out / feed_file(SITE, language)).tag == f"{ATOM}feed"


def test_the_site_has_a_name_in_each_language_or_its_own(table, out):
    agree(table)
    write_site(table.server, out, SITE)
    assert "<h1>Games by mail</h1>" in (out / "index.html").read_text("utf-8")
    assert "<h1>Partidas por correo</h1>" in (out / "index.es.html").read_text("utf-8")
    write_site(table.server, out / "own", SITE._replace(title="Club & Co", language="es"))
    assert "<h1>Club &amp; Co</h1>" in (out / "own" / "index.html").read_text("utf-8")
    assert (out / "own" / "index.en.html").is_file()


def test_some_games_at_a_time(table, out):
    agree(table)
    done = write_site(table.server, out, SITE, most=0)
    assert (done.fresh, done.left) == ((), True)
    assert write_site(table.server, out, SITE, most=1).left is False
