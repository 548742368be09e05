"""A stored game told by its turning points: whose orders, which dice, how sure; and none of it while it goes on."""

from functools import cache

import pytest

from pbem.cli.pages import say_in_language
from pbem.cli.simulate import QuestionMode, SimulatedMatch, Simulation
from pbem.engine.review import PlayCounts
from pbem.play.commands.questions import review
from pbem.play.positions import lock_game
from pbem.store import migrations, tables
from pbem.store.engine import open_engine
from tests.harness.battle import PlayedBattle

PLAYS = PlayCounts(20, 40)
FEW = PlayCounts(4, 8)
GAMES = {"africa1860": ("drill", "marshal"), "peninsular": ("training", "random")}


@cache
def over(game):
    """A server with a game of bots that is over."""
    engine = open_engine("sqlite://")
    migrations.upgrade(engine)
    scenario, bot = GAMES[game]
    match = SimulatedMatch(engine, Simulation(game, scenario, bot, (), ()), QuestionMode("plain"), "review", None)
    match.play()
    return match.server


def review_lines(game, plays=PLAYS):
    server = over(game)
    with server.work() as work:
        asked = review.gather_review(work, lock_game(work.session, "simulated"))
    computed = review.compute_review(asked, plays, lambda done, total: None)
    return review.review_lines(server, asked, computed, plays)


def in_words(game, lines, language):
    return ["  " * depth + say_in_language(game, language, sentence) for depth, sentence in lines]


@pytest.mark.full
@pytest.mark.parametrize("plays", [FEW, pytest.param(PLAYS, marks=pytest.mark.full)])
def test_it_tells_when_by_what_and_how_sure_in_both_languages(plays):
    lines = review_lines("africa1860", plays)
    english, spanish = (in_words("africa1860", lines, language) for language in ("en", "es"))
    points = [line for line in english if line[:1].isdigit()]
    assert points
    for line in points:
        assert "points of a hundred (±" in line
        assert "the dice gave" in line or "the orders gave" in line
        assert "Turn " in line
    assert any(line.startswith("  ordered: ") or line == "  nothing was ordered" for line in english)
    assert sum("puntos porcentuales" in line for line in spanish) >= len(points)
    assert any("se ordenó: " in line or "no se ordenó nada" in line for line in spanish)
    assert "in 95 of 100 cases" in " ".join(english)


@pytest.mark.parametrize("plays", [PlayCounts(1, 2), pytest.param(PLAYS, marks=pytest.mark.full)])
def test_the_same_review_gives_the_same_words(plays):
    assert review_lines("africa1860", plays) == review_lines("africa1860", plays)


@pytest.mark.full
def test_another_game_is_told_as_well():
    lines = in_words("peninsular", review_lines("peninsular", PlayCounts(2, 2, looked_at=1)), "en")
    assert "when the bot forward plays on" in lines[0]
    assert any("the British" in line for line in lines)


def test_a_game_that_goes_on_is_not_told(tmp_path):
    table = PlayedBattle(tmp_path)
    with table.server.work() as work, pytest.raises(review.ReviewRefused) as wrong:
        review.gather_review(work, lock_game(work.session, "g1"))
    assert "not over" in wrong.value.why.text
    table.server.engine.dispose()


def test_a_game_without_bots_is_not_told(monkeypatch):
    server = over("africa1860")
    with server.work() as work:
        game = work.session.get_one(tables.Game, "simulated")
        monkeypatch.setitem(vars(server.rules_of(game)), "bots", {})
        with pytest.raises(review.ReviewRefused):
            review.gather_review(work, game)
