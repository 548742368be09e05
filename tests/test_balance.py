"""Bots against bots: games end as they should, the better one wins, and the scenario favours nobody by much.

`make balance` plays thousands of games and says who wins how often; `make test-long` plays a hundred, which tell a
lopsided scenario, and in every run of the tests there are a few.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.balance import rule_lines, table
from benchmarks.battles import Played, longest, play_out
from benchmarks.levels import DOCUMENT, PRACTICE, Bout, Series, battles, bout, bouts_of, rows, with_table
from pbem.engine.data.sums import share_with_interval
from pbem.games import africa1860, peninsular

GAMES: tuple[Any, ...] = (africa1860.GAME, peninsular.GAME)


def test_a_game_lasts_all_its_turns_and_follows_from_its_number():
    first, again = (play_out("africa1860", "castillejos", {}, 5)[:2] for _ in range(2))
    assert first == again
    assert first[1] == 28
    assert first[0] in ("spain", "morocco", "draw")


def bots_of(game: Any, *, slow: bool = False) -> Iterator[tuple[str, str]]:
    """Scenarios and bots, or those pairs that take several seconds a game."""
    for scenario in game.editions():
        for bot in game.bots:
            if (bot == "marshal" and scenario not in PRACTICE) == slow:
                yield scenario, bot


def plays_out(game: Any, scenario: str, bot: str) -> None:
    """Play a game of a bot with itself: none of its orders is refused."""
    edition = game.edition(scenario, {}, {})
    players = dict.fromkeys(game.seats(game.start(edition)), bot)
    assert play_out(game.name, scenario, players, 1).phases == 2 * edition.scenario["turns"]


@pytest.mark.full
def test_every_bot_plays_a_small_scenario():
    small = {"africa1860": "drill", "peninsular": "training"}
    for game in GAMES:
        for scenario, bot in bots_of(game):
            if scenario == small[game.name]:
                plays_out(game, scenario, bot)


@pytest.mark.full
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_bot_plays_every_scenario(game):
    for scenario, bot in bots_of(game):
        plays_out(game, scenario, bot)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_bots_that_think_longest_do_so_too(game):
    for scenario, bot in bots_of(game, slow=True):
        plays_out(game, scenario, bot)


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "scenario", "seats"),
    [
        ("africa1860", "castillejos", ("spain", "morocco")),
        ("peninsular", "training", ("british", "french")),
        ("peninsular", "barrosa", ("british", "french")),
    ],
)
def test_the_best_bot_beats_the_yardstick_in_either_seat(game, scenario, seats):
    for seat in seats:
        won = [play_out(game, scenario, {seat: "marshal"}, number).winner for number in range(12)]
        assert won.count(seat) > 6, seat


def test_levels_are_shown_seat_by_seat_beside_the_yardstick():
    bouts_by_level = {
        "veteran": [Bout("spain", 3, 4, 0.5), Bout("morocco", 2, 4, 0.25)],
        "forward": [Bout("spain", 1, 4, 0.0), Bout("morocco", 3, 4, 0.0)],
    }
    assert [cells[1:] for cells in rows("castillejos", bouts_by_level)] == [
        ("`forward`", "spain 25 % of 4 (5 to 70)", "morocco 75 % of 4 (30 to 95)", "", "", "0.00"),
        (
            "`veteran`",
            "spain 75 % of 4 (30 to 95)",
            "morocco 50 % of 4 (15 to 85)",
            "62 % of 8 (31 to 86)",
            "+50, -25",
            "0.50",
        ),
    ]
    games = [Played("spain", 28, 0.1, slowest={"spain": 0.2}), Played("draw", 28, 0.1), Played("morocco", 28, 0.1)]
    assert bout("spain", games) == ("spain", 1, 2, 0.2)


def test_the_table_takes_the_place_of_the_one_before():
    text = DOCUMENT.read_text("utf-8")
    assert with_table(with_table(text, ["a"]), ["b", "c"]) == with_table(text, ["b", "c"])
    assert "\nb\nc\n" in with_table(text, ["b", "c"])
    with pytest.raises(ValueError, match="nothing between"):
        with_table("none", ["a"])


@pytest.mark.full
def test_slow_bots_play_fewer_games_and_none_that_is_kept_is_played_again(tmp_path):
    series = Series(first=3, games=2, slow=1, workers=1, keep=tmp_path / "games")
    bouts_by_level = bouts_of(africa1860.GAME, "drill", ["marshal"], series)
    assert [len(bouts) for bouts in bouts_by_level.values()] == [2, 2]
    kept = (tmp_path / "games").read_text("utf-8")
    assert len(kept.splitlines()) == 2 + 1 + 1
    assert bouts_of(africa1860.GAME, "drill", ["marshal"], series) == bouts_by_level
    assert (tmp_path / "games").read_text("utf-8") == kept


def test_battles_are_weighed_and_practice_is_not():
    assert [scenario for _, scenario in battles()] == ["castillejos", "tetuan", "wadras", "barrosa", "rolica", "usagre"]


def test_the_scenario_that_is_weighed_is_the_longest():
    assert [longest(game.name) for game in GAMES] == ["tetuan", "rolica"]


def test_the_table_has_every_battle_by_its_needs_and_names_whatever_is_uneven():
    text = DOCUMENT.read_text("utf-8")
    lines = [line for line in text.partition("\n## Bots")[0].splitlines() if line.startswith("| ")]
    measured: dict[str, dict[str, Any]] = {}
    for line in lines[1:]:
        battle, bot, _, *shares, _, needs, _ = (cell.strip() for cell in line.split("|")[1:-1])
        measured.setdefault(battle, {})[bot] = needs, [int(re.findall(r"(\d+) %", part)[0]) for part in shares]
    for game in GAMES:
        for scenario in game.editions():
            victory = game.edition(scenario, {}, {}).scenario["victory"]
            first, second = (
                victory[next(key for key in keys if key in victory)]
                for keys in (("spain_needs", "first_needs"), ("morocco_needs", "second_needs"))
            )
            by_bot = measured.pop(scenario)
            assert "`marshal`" in by_bot
            assert {needs for needs, _ in by_bot.values()} == {f"{first:+d}/{second:+d}".replace("+0", "0")}
            assert all(99 <= sum(parts) <= 101 for _, parts in by_bot.values())
            for bot, (_, parts) in by_bot.items():
                is_even = all(42 <= part <= 58 for part in parts)
                assert is_even != (f"{scenario} by {bot}" in text), (scenario, bot)
    assert measured == {}


@pytest.mark.long
def test_the_bot_that_plays_to_win_beats_the_one_that_does_not():
    for seat, winner in (("spain", "morocco"), ("morocco", "spain")):
        won = [play_out("africa1860", "castillejos", {seat: "random"}, number).winner for number in range(20)]
        assert won.count(winner) > 12, seat


@pytest.mark.long
def test_at_barrosa_too_the_bot_that_plays_to_win_does():
    for seat, winner in (("british", "french"), ("french", "british")):
        won = [play_out("peninsular", "barrosa", {seat: "random"}, number).winner for number in range(5)]
        assert won.count(winner) > 3, seat


@pytest.mark.long
def test_barrosa_is_a_battle_that_either_side_may_win():
    played = [play_out("peninsular", "barrosa", {}, number).winner for number in range(12)]
    decided = [winner for winner in played if winner != "draw"]
    for side in ("british", "french"):
        interval = share_with_interval(decided.count(side), len(decided))
        assert interval.low < 0.6, side
        assert interval.high > 0.4, side


@pytest.mark.long
@pytest.mark.parametrize("scenario", ["castillejos", "tetuan", "wadras"])
def test_battles_of_africa_are_such_that_either_side_may_win(scenario):
    played = [play_out("africa1860", scenario, {}, number).winner for number in range(60)]
    decided = [winner for winner in played if winner != "draw"]
    for side in ("spain", "morocco"):
        interval = share_with_interval(decided.count(side), len(decided))
        assert interval.low < 0.6, side
        assert interval.high > 0.4, side


def test_shares_have_their_interval():
    assert share_with_interval(0, 0) == (0.0, 0.0, 1.0)
    half = share_with_interval(50, 100)
    assert (round(half.low, 3), round(half.high, 3)) == (0.404, 0.596)
    none = share_with_interval(0, 10)
    assert none.low == pytest.approx(0)
    assert round(none.high, 3) == 0.278


def test_figures_are_told_a_line_each():
    games = [
        Played("spain", 28, 0.05),
        Played("draw", 28, 0.03),
        Played("morocco", 26, 0.04),
        Played("spain", 28, 0.07),
    ]
    assert table(games) == [
        "4 games, 3 decided, 1 drawn",
        "  morocco        1    33.3% of decided, 6.1% to 79.2%",
        "  spain          2    66.7% of decided, 20.8% to 93.9%",
        "  phases a game 26 to 28",
        "  CPU seconds a game 0.050 (median), 0.070 (slowest)",
    ]


@pytest.mark.parametrize(
    ("winner", "ahead", "turn"),
    [
        ("spain", ("morocco", "spain", "draw", "spain"), 4),
        ("spain", ("morocco", "spain", "spain", "spain"), 2),
        ("morocco", ("morocco",) * 4, 1),
        ("draw", ("morocco", "morocco", "morocco", "draw"), 0),
    ],
)
def test_a_game_is_settled_when_its_winner_is_ahead_for_good(winner, ahead, turn):
    assert Played(winner, 8, 0.1, ahead=ahead).settled_turn == turn


def test_who_leads_is_told_turn_by_turn_as_the_game_itself_reckons():
    game = play_out("africa1860", "wadras", {}, 3)
    assert len(game.ahead) == len(game.points) == 15
    assert game.ahead[-1] == game.winner
    assert game.ahead[0] == "morocco"
    assert game.points[0]["spain"] < game.points[0]["morocco"]


def test_when_games_are_settled_and_what_rules_they_cite_is_told():
    def game(winner: str, ahead: str, spain: tuple[int, int, int], **cited: int) -> Played:
        points = tuple({"spain": lead, "morocco": 5} for lead in spain)
        return Played(winner, 6, 0.1, ahead=tuple(ahead.split()), points=points, cited=cited)

    games = [
        game("spain", "draw spain spain", (5, 8, 9), O4=3),
        game("morocco", "spain draw morocco", (7, 6, 4)),
        game("morocco", "morocco morocco morocco", (5, 2, 1)),
    ]
    assert "  settled at turn 1, 2, 3 of 3 (10, 50, 90 %), 33% in the last third" in table(games)
    assert "  who wins, told by the lead at the end of turn 1: 67%" in table(games)
    assert "  who wins, told by the lead at the end of turn 3: 100%" in table(games)
    assert rule_lines(games, ["O4", "O7.1.7"]) == ["  O4 in 1 games, 1.0 a game", "  O7.1.7 in 0 games, 0.0 a game"]


def test_guns_and_trains_of_wadras_bring_their_rules_into_play():
    for number in range(3):
        cited_in_game = play_out("africa1860", "wadras", {}, number).cited
        assert [rule for rule in ("O7.1.7", "O8.8.6") if not cited_in_game.get(rule)] == []
