"""`pbem rating` and `pbem event archive`: a pool on the command line, counted again, and a tournament as a page."""

import copy
import json
import shutil
from types import SimpleNamespace

import pytest
from sqlmodel import select

from pbem.cli.assembly import open_for_command
from pbem.store import queries, tables
from tests.cli.test_json import held
from tests.harness.clock import Clock
from tests.harness.letters import PlainLetters
from tests.harness.server import changed
from tests.harness.tournament import CUP, START, PlayedTournament, names
from tests.tournaments.test_event_ratings import month_passes, rewrite_log

PEOPLE = names(4)


@pytest.fixture(scope="module")
def played(initialised, tmp_path_factory):
    """The folder of a server on which a round of a rated tournament was played, and who did so."""
    folder = shutil.copytree(initialised, tmp_path_factory.mktemp("played"), dirs_exist_ok=True)
    with open_for_command(folder / "pbem.toml") as server:
        clock = Clock(START)
        there = changed(server, clock=clock, renderer=PlainLetters())
        # One round is enough to be rated by, and costs a third.
        rules = CUP.replace("rounds = 3", "rounds = 1").replace("[prizes]", '[rating]\npool = "main"\n[prizes]')
        made = PlayedTournament.beside(SimpleNamespace(server=there, clock=clock, folder=folder), rules, "cup60")
        for number, who in enumerate(PEOPLE):
            made.enter(who, f"NAME Name{number}")
        made.until("playing", 1)
        made.play(1)
        made.until("closed", 1)
        month_passes(made)
    return folder, made


@pytest.fixture
def hall(played, hand):
    """The tournament on a copy of that server."""
    folder, made = played
    shutil.copytree(folder, hand.folder, dirs_exist_ok=True)
    with open_for_command(hand.folder / "pbem.toml") as server:
        copied, copied_clock = copy.copy(made), copy.copy(made.clock)
        copied.clock, copied.server = copied_clock, changed(server, clock=copied_clock, renderer=PlainLetters())
        yield copied


def test_a_tournament_that_was_played_is_told_as_json(hand, hall):
    (tournament,) = held("tournaments/1", hand.fine("event", "list", "--json"))["tournaments"]
    shown = held("tournament/1", hand.fine("event", "show", "cup60", "--json"))
    playing = sum(entrant["state"] == "in" for entrant in shown["entrants"])
    assert (tournament["name"], tournament["state"], tournament["entrants"]) == ("cup60", shown["state"], playing)
    assert len(shown["entrants"]) == 4
    assert [board["state"] for board in shown["rounds"][0]["boards"]] == ["final"] * 2
    ranks = held("standings/1", hand.fine("event", "standings", "cup60", "--json"))["table"]
    assert [row["rank"] for row in ranks] == [1, 2, 3, 4]
    assert {row["name"] for row in ranks} == {f"Name{number}" for number in range(4)}


def test_ratings_are_listed_counted_again_and_a_change_is_a_finding(hand, hall):
    assert hand.fine("rating", "list").startswith("Nobody is listed.")
    assert held("ratings/1", hand.fine("rating", "list", "--json"))["ratings"] == []
    hall.say(PEOPLE[1], "SET RATING PUBLIC")
    (mine,) = held("ratings/1", hand.fine("rating", "list", "main", "--json"))["ratings"]
    assert (mine["name"], mine["public"], mine["pool"]) == ("Name1", True, "main")
    everybody = hand.fine("rating", "list", "--all")
    assert all(f"Name{number}" in everybody for number in range(4))
    assert "@" not in everybody
    assert "Nobody is rated in a pool other; there are: main." in hand("rating", "list", "other")[2]

    assert "the same" in hand.fine("rating", "replay")
    (month,) = held("recounted/1", hand.fine("rating", "replay", "--json"))["periods"]
    assert (month["same"], month["games"], month["people"], month["wrong"]) == (True, 2, 4, [])
    with hall.server.session() as session:
        session.get_one(tables.Rating, 1).mu = "0.000000001"
    code, out, _ = hand("rating", "replay")
    assert (code, "DIFFERS" in out) == (1, True)
    rewrite_log(hall, "UPDATE leaf SET opens = '' WHERE kind = 'rated'")
    code, out, _ = hand("rating", "replay", "--json")
    assert (code, held("recounted/1", out)["periods"][0]["same"]) == (2, None)


def test_a_tournament_is_written_as_a_page_that_leads_to_pages_beside_it(hand, hall):
    out = hand.folder / "www"
    out.mkdir()
    (out / "cup60-r1-01.html").write_text("a page")
    assert hand.fine("event", "archive", "cup60", "--out", out).splitlines()[0] == str(out / "cup60.html")
    page = (out / "cup60.html").read_text("utf-8")
    assert 'href="cup60-r1-01.html"' in page
    assert 'href="cup60-r1-02.html"' not in page
    assert "Name0" not in page
    assert (out / "cup60.es.html").is_file()
    assert "There is no tournament cup99; there are: cup60." in hand("event", "archive", "cup99", "--out", out)[2]


def test_who_plays_in_a_tournament_is_not_erased_and_of_who_did_no_name_is_left(hand, hall):
    number = hall.number(PEOPLE[0])
    with hall.server.session() as session:
        session.get_one(tables.Tournament, "cup60").state = "held"
        for entrant in queries.tournaments.entrants(session, "cup60"):
            entrant.state = "in"
    code, _, why = hand("person", "erase", PEOPLE[0], "--yes")
    assert code == 2
    assert f'`pbem event rule cup60 "EXPEL {number} BECAUSE ..."`' in why
    hall.say(PEOPLE[0], "SET RATING PUBLIC")
    hall.write(PEOPLE[0], "OBSERVE cup60")
    mail_text = hall.told(PEOPLE[0])
    hall.write(
        PEOPLE[0], next(line for line in mail_text.splitlines() if line.strip().startswith("OBSERVE cup60 CODE"))
    )
    kept = json.loads(hand.fine("person", "export", PEOPLE[0]))["kept"]
    assert {len(kept[name]) for name in ("entrant", "rating", "follower")} == {1}
    with hall.server.session() as session:
        session.get_one(tables.Tournament, "cup60").state = "over"
        for game in session.exec(select(tables.Game)):
            game.state = "over"
    hand.fine("person", "erase", PEOPLE[0], "--yes")
    with hall.server.reading() as work:
        row = queries.tournaments.entrant(work.session, "cup60", number)
        assert row is not None
        assert row.name == ""
        assert queries.tournaments.followed_by(work.session, row.person_id) == []
        assert not work.session.get_one(tables.Person, row.person_id).rating_public
    assert "the same" in hand.fine("rating", "replay")
