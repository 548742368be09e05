"""Games looked at again: what bots make of each position, by orders and by dice, and how far that can be trusted."""

import pytest

from pbem.engine.bots import DiceFromSeed, seeded_pick
from pbem.engine.review import DICE, ORDERS, PlayCounts, ReviewedPhase, mean_with_error, review_game
from pbem.engine.run.runners import play
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.victory import POSITION_VALUES

FEW, SOME = PlayCounts(12, 12, looked_at=2), PlayCounts(12, 24, looked_at=3)


def bot_orders(state, seat):
    view = GAME.view(state, seat)
    return GAME.parse(GAME.bots["forward"](view, seat, seeded_pick(seat.encode())), view, seat).orders


def played(seed, silent=""):
    """The drill between two bots; a seat that is `silent` orders nothing."""
    state, turning_points = GAME.start(GAME.edition("drill", {}, {})), []
    while (phase := GAME.phase(state)) is not None:
        orders = {seat: bot_orders(state, seat) if seat != silent else Orders() for seat in GAME.seats(state)}
        world, decisions = GAME.world(state, orders), GAME.decisions(state, orders, {})
        after = play(GAME.rules, world, DiceFromSeed(f"{seed} {phase}"), decisions).state
        turning_points.append(
            ReviewedPhase(f"T{phase[1]}.{phase[0]}", phase[1], phase[0], phase[0], state, world, decisions, after)
        )
        state = after
    return turning_points


def look(phases, plays=FEW, progress=lambda done, total: None):
    return review_game(GAME, POSITION_VALUES, phases, plays, progress)


@pytest.fixture(scope="module")
def game():
    return played("one")


@pytest.fixture(scope="module")
def progress():
    """What was told of how far it is while `review` came about."""
    return []


@pytest.fixture(scope="module")
def review(game, progress):
    return look(game, progress=lambda done, total: progress.append((done, total)))


@pytest.mark.full
def test_the_same_game_gives_the_same_figures(review):
    assert review == look(played("one"))


def test_what_was_expected_begins_open_and_ends_with_the_result(game, review):
    assert review.sides == ("spain", "morocco")
    assert len(review.course) == 1 + len(game)
    assert 0 < review.course[0] < 1
    assert review.course[-1] == {"spain": 1.0, "morocco": 0.0}.get(game[-1].after.winner, 0.5)


def test_luck_and_choice_add_up_to_what_changed(review):
    assert review.luck.value + sum(turning_point.value for turning_point in review.choice) == pytest.approx(
        review.course[-1] - review.course[0]
    )


def test_who_orders_what_the_bot_would_gains_and_loses_nothing_by_it(review):
    assert [turning_point.value for turning_point in review.choice] == [0.0, 0.0]
    assert all(turning_point.cause == DICE for turning_point in review.turned)


@pytest.mark.full
@pytest.mark.parametrize("plays", [SOME, pytest.param(PlayCounts(40, 80), marks=pytest.mark.full)])
def test_who_orders_nothing_all_game_long_loses_by_his_orders(plays):
    phases = played("one", silent="spain")
    report = look(phases, plays)
    assert report.choice[0].certain
    assert report.choice[0].value < 0
    assert report.choice[1].value == 0
    worst = next(turning_point for turning_point in report.turned if turning_point.cause == ORDERS)
    assert phases[worst.place].phase == "spain"
    assert worst.gain.value < 0


@pytest.mark.parametrize(
    "plays", [FEW, *(pytest.param(PlayCounts(*plays), marks=pytest.mark.full) for plays in (SOME, (6, 6), (30, 10)))]
)
def test_no_turning_point_is_told_that_its_error_covers(game, review, plays):
    if plays != FEW:
        review = look(game, plays)
    assert all(abs(turning_point.gain.value) > turning_point.gain.error for turning_point in review.turned)
    assert [abs(turning_point.gain.value) for turning_point in review.turned] == sorted(
        (abs(turning_point.gain.value) for turning_point in review.turned), reverse=True
    )
    assert len(review.turned) <= min(plays.told, plays.looked_at)


def test_a_phase_in_which_no_die_is_thrown_has_no_luck(game):
    quiet = [phase for phase in game if phase.turn == 1 and not _rolls(phase)]
    assert quiet
    report = look(quiet, PlayCounts(12, 12, looked_at=4))
    assert report.luck.value == 0
    assert not [turning_point for turning_point in report.turned if turning_point.cause == DICE]


def _rolls(phase):
    return play(GAME.rules, phase.world, DiceFromSeed("any"), phase.decisions).rolls


def test_it_tells_how_far_it_is(review, progress):
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    assert progress[-1][0] == progress[-1][1]
    assert review.plays <= progress[-1][1]


def test_an_error_shrinks_with_the_plays_and_never_vanishes():
    assert mean_with_error([0.0, 1.0] * 50).value == 0.5
    assert mean_with_error([0.0, 1.0] * 50).error == pytest.approx(0.098, abs=0.002)
    assert mean_with_error([0.0, 1.0] * 200).error < mean_with_error([0.0, 1.0] * 50).error
    assert mean_with_error([0.0] * 20) == (0.0, 0.1)
    assert not mean_with_error([0.1, -0.1, 0.05, 0.0]).certain
    assert mean_with_error([1.0] * 30).certain
