"""Where a tournament of teams is shown: pages, ratings of its members, the week of those who watch."""

import pytest

from pbem.cli.sites import tournament_page_file, write_tournament
from pbem.tournaments import ratings
from pbem.tournaments.ratings import replay_ratings
from tests.harness.teams import TEAMS, form, number_of
from tests.harness.tournament import PlayedTournament
from tests.tournaments.test_event_page import text


def played(folder, rules=TEAMS, rounds=1):
    hall = PlayedTournament(folder, rules.replace("rounds = 3", f"rounds = {rounds}"))
    teams = form(hall, "Lions", "Bears", Foxes=1)
    for number in range(1, rounds + 1):
        hall.until("playing", number)
        hall.play(number)
    hall.run()
    return hall, teams


@pytest.mark.full
def test_a_page_names_teams_and_nobody_in_them(tmp_path):
    hall, _ = played(tmp_path)
    out = tmp_path / "www"
    out.mkdir()
    assert write_tournament(hall.server, "cup60", out, ("en", (), "")) is not None
    english, spanish = (text(out / tournament_page_file("cup60", language, "en")) for language in ("en", "es"))
    assert f"Lions (e{number_of(hall, 'Lions')})" in english
    assert "L1" not in english
    assert "Members, by points at the boards" in english
    assert "Miembros, por puntos en los tableros" in spanish
    hall.server.engine.dispose()


@pytest.mark.full
def test_members_are_rated_and_not_their_teams(tmp_path):
    rules = TEAMS.replace("[prizes]", '[rating]\npool = "main"\n[prizes]')
    hall, teams = played(tmp_path, rules, rounds=2)
    hall.until_moment(ratings.end_of_month(ratings.month_of(hall.clock.at)))
    with hall.opened.reading() as work:
        (counted,) = replay_ratings(work)
    assert counted.wrong == ()
    sat = {number for board in hall.boards() if board.game_id for number in (board.first, board.second)}
    assert counted.people == len(sat)
    who = next(member for some in teams.values() for member in some if hall.number(member) in sat)
    assert "Your rating by the month" in hall.say(who, "RATING")
    hall.server.engine.dispose()


@pytest.mark.full
def test_who_watches_is_told_of_matches_and_members(tmp_path):
    hall = PlayedTournament(tmp_path, TEAMS)
    form(hall, "Lions", "Bears")
    who = "watches@players.example"
    hall.write(who, "OBSERVE cup60")
    (line,) = [line for line in hall.told(who).splitlines() if line.strip().startswith("OBSERVE cup60 CODE")]
    hall.write(who, line)
    hall.until("playing", 1)
    hall.play(1)
    hall.sent()
    hall.forward(days=8)
    mail_text = hall.told(who)
    assert "at the boards" in mail_text
    assert "Members, by points at the boards" in mail_text
    hall.server.engine.dispose()


def test_the_list_of_tournaments_says_that_teams_play(tmp_path):
    hall = PlayedTournament(tmp_path, TEAMS)
    form(hall, "Lions")
    hall.write("x@players.example", "LIST")
    assert 'for teams. Open: 1 of 16 places are taken; JOIN cup60 TEAM "name".' in hall.told("x@players.example")
    hall.write("x@players.example", "JOIN cup60")
    assert 'JOIN cup60 TEAM "name". There are: Lions.' in hall.told("x@players.example")
    hall.server.engine.dispose()
