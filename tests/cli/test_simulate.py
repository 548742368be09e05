"""Simulated games: who is asked how much in each mode, and that all of it follows from the seed."""

import sqlite3
from contextlib import closing
from functools import cache

import pytest

from pbem.cli import simulate
from pbem.cli.exit_codes import CommandError
from pbem.cli.main import main
from tests.harness.server import empty_database

ONLY, SOME, ALL = simulate.MODES
made_by_the_series = simulate.fresh_database


@pytest.fixture(autouse=True, scope="module")
def one_empty_database():
    """Make the empty database once for all series of games."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(simulate, "fresh_database", empty_database)
        yield


@cache
def played(mode, numbers):
    """Games of two turns."""
    fresh = empty_database()
    return [simulate.play_simulated_game(fresh, simulate.simulation_of(), mode, f"9 {number}", 2) for number in numbers]


FEW, MORE = (4,), (4, 41)
"""Games in which half the choices are asked about, and with them one in which some question is left to silence."""


@pytest.fixture(params=[FEW, pytest.param(MORE, marks=pytest.mark.full)], ids=str)
def numbers(request):
    """Which games are played."""
    return request.param


def total(games, what):
    return sum(getattr(game, what) for game in games)


def test_standing_orders_alone_ask_nothing_whatever_there_is_to_choose(numbers):
    games = played(ONLY, numbers)
    assert total(games, "choices") > 0
    assert total(games, "questions") == total(games, "silent") == 0


@pytest.mark.full
def test_interrupt_asks_about_every_choice_and_takes_longer_for_it():
    games, quick = played(ALL, MORE), played(ONLY, MORE)
    assert [game.questions for game in games] == [game.choices for game in games]
    assert 0 < total(games, "silent") < total(games, "questions")
    assert total(games, "days") > total(quick, "days")
    for seat in ("spain", "morocco"):
        assert sum(game.letters[seat] for game in games) > sum(game.letters[seat] for game in quick)


def test_a_share_asks_about_some(numbers):
    games = played(SOME._replace(share=0.5), numbers)
    assert 0 < total(games, "questions") < total(games, "choices")


@pytest.mark.full
def test_the_same_seed_gives_the_same_table(capsys):
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main(["simulate", "--games", "1", "--turns", "1", "--seed", "5"])
        assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == lines[5:]
    assert [line.split(" | ")[0] for line in lines[:5]] == [
        *("| mode", "| ---", "| standing orders only", "| ASK for 15 %", "| interrupt"),
    ]
    assert len({line.count("|") for line in lines}) == 1
    other = simulate.mode_table(simulate.simulation_of(), 1, 6, 1)
    assert any(line not in lines for line in other), "another seed"


def test_a_game_without_a_plan_is_refused_with_those_that_have_one(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "--game", "chess"])
    assert ended.value.code == 2
    assert "chess cannot be simulated; these can: africa1860, peninsular\n" in capsys.readouterr().err


def test_a_series_begins_with_an_empty_database_of_its_own(tmp_path):
    (tmp_path / "pbem.db").write_bytes(made_by_the_series())
    with closing(sqlite3.connect(tmp_path / "pbem.db")) as opened:
        assert opened.execute("SELECT count(*) FROM game").fetchone() == (0,)


@pytest.mark.parametrize(("seed", "questions"), [("3", 1), pytest.param("1", 19, marks=pytest.mark.full)])
def test_any_battle_can_be_simulated(seed, questions):
    tetuan = simulate.simulation_of("africa1860", "tetuan")
    assert {"TrinNorte", "Huertas"} <= set(tetuan.places)
    game = simulate.play_simulated_game(empty_database(), tetuan, ALL, seed, 2)
    assert game.questions == game.choices == questions
    with pytest.raises(
        CommandError, match="africa1860 has no scenario waterloo; there are: brigades, castillejos, drill, tetuan"
    ):
        simulate.simulation_of("africa1860", "waterloo")


def test_the_table_tells_who_won_with_intervals():
    played = [
        simulate.SimulatedGame({}, 0, 0, 0, 1.0, side) for side in ("spain", "morocco", "morocco", "morocco", "draw")
    ]
    assert [*simulate._winners(("spain", "morocco"), played)] == ["25% (5% to 70%)", "75% (30% to 95%)", "1"]
    assert [*simulate._winners(("spain", "morocco"), played[-1:])] == ["-", "-", "1"]


@pytest.mark.parametrize(
    ("scenario", "places"), [("training", {"0604", "0806", "0905"}), ("barrosa", {"1514", "1613"})]
)
def test_hexes_that_count_are_asked_about_and_the_bot_is_one_of_the_game(scenario, places):
    battle = simulate.simulation_of("peninsular", scenario, "marshal")
    assert (battle.bot, battle.sides) == ("marshal", ("british", "french"))
    assert places <= set(battle.places)
    with pytest.raises(CommandError, match="peninsular has no bot genius; there are: forward, marshal, random"):
        simulate.simulation_of("peninsular", "", "genius")


def test_a_game_of_hexes_is_simulated_and_has_a_winner():
    game = simulate.play_simulated_game(empty_database(), simulate.simulation_of("peninsular"), ALL, "3", 2)
    assert game.winner in ("british", "french", "draw")
    assert game.questions == game.choices > 0
