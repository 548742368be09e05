"""Games of bots that were played are kept with their leads, are not played again, and are reckoned by other terms."""

import pytest

from benchmarks.balance import played_or_kept
from benchmarks.battles import Battle, Played, play_out
from benchmarks.kept import keep, read
from benchmarks.terms import by_terms, points_by_kind, scan
from pbem.games.africa1860 import GAME

DRILL = Battle("africa1860", "drill", {"spain": "forward", "morocco": "recruit"})


def test_a_game_comes_back_as_it_was_played(tmp_path):
    game = play_out("africa1860", "castillejos", {}, 2)
    key = Battle("africa1860", "castillejos").key
    keep(tmp_path / "games", key, 2, game)
    assert read(tmp_path / "games") == {key: {2: game}}


def test_games_that_are_kept_are_not_played_again(tmp_path, monkeypatch):
    file = tmp_path / "games"
    first = played_or_kept(DRILL, range(3), 1, file)
    asked: list[int] = []

    def noted(self, numbers, workers):
        asked.extend(numbers)
        return iter(())

    monkeypatch.setattr(Battle, "each", noted)
    assert played_or_kept(DRILL, range(3), 1, file) == first
    assert asked == []
    with pytest.raises(KeyError):
        played_or_kept(DRILL._replace(players={}), range(3), 1, file)
    assert asked == [0, 1, 2]


def test_games_of_other_terms_are_another_kind():
    kinds = [DRILL, DRILL._replace(players={}), DRILL._replace(options={"loss_basis": "defender-stack"})]
    assert len({battle.key for battle in kinds}) == 3


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    file = tmp_path / "games"
    keep(file, DRILL.key, 0, Played("spain", 12, 0.1))
    file.write_text(file.read_text("utf-8") + '{"game":"afri', "utf-8")
    assert list(read(file)[DRILL.key]) == [0]


def test_what_the_games_own_terms_make_of_them_is_what_happened():
    games = [play_out("africa1860", "castillejos", {}, number) for number in range(6)]
    edition = GAME.edition("castillejos", {}, {})
    rules = edition.scenario["victory"]
    again = list(by_terms(games, rules["spain_needs"], rules["morocco_needs"]))
    assert [(game.winner, game.ahead) for game in again] == [(game.winner, game.ahead) for game in games]


def test_other_leads_make_other_winners():
    points = ({"spain": 1, "morocco": 4}, {"spain": 6, "morocco": 3})
    game = Played("spain", 4, 0.1, ahead=("morocco", "spain"), points=points)
    results = {needs: next(by_terms([game], *needs)) for needs in ((3, 0), (4, 2), (5, 3))}
    assert [result.winner for result in results.values()] == ["spain", "draw", "morocco"]
    assert results[3, 0].ahead == ("morocco", "spain")


def test_leads_and_what_points_are_made_of_are_told():
    counted = ("spain", "place", "Aldea", 2, 0), ("morocco", "place", "Lomas", 1, 0), ("spain", "steps", "spain", 3, 12)
    other = ("morocco", "place", "Aldea", 2, 0), ("morocco", "place", "Lomas", 1, 0), ("spain", "steps", "spain", 4, 16)
    games = [
        Played("spain", 4, 0.1, points=({"spain": 5, "morocco": 1},), counted=counted),
        Played("spain", 4, 0.1, points=({"spain": 4, "morocco": 3},), counted=other),
    ]
    assert list(scan(games)) == [
        "  lead of spain at the end (10, 30, 50, 70, 90 %): 1, 1, 4, 4, 4",
        "  +1 and more in 100.0% of 2, 34.2% to 100.0%",
        "  +2 and more in 50.0% of 2, 9.5% to 90.5%",
        "  +3 and more in 50.0% of 2, 9.5% to 90.5%",
        "  +4 and more in 50.0% of 2, 9.5% to 90.5%",
    ]
    assert list(points_by_kind(games)) == [
        "  place morocco 2.00 points a game",
        "  place spain 1.00 points a game",
        "  steps spain 3.50 points a game",
        "  spain holds at the end: Aldea 50%, Lomas 0%",
    ]
