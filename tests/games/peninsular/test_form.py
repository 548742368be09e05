"""The order form: comments to be edited, as long as there is something to order."""

import pytest

from pbem.games.peninsular import GAME

START = GAME.start(GAME.edition(next(iter(GAME.editions())), {}, {}))
SEATS = tuple(GAME.seats(START))


@pytest.mark.parametrize("seat", SEATS)
def test_every_line_offered_is_only_for_reading(seat):
    form = GAME.aids.template(START, seat, "es")
    assert form
    assert GAME.parse("\n".join(form), START, seat).orders == ((), ())


@pytest.mark.parametrize("seat", SEATS)
def test_a_game_that_is_over_wants_no_orders(seat):
    assert GAME.aids.template(START.change(phase="over"), seat, "en") == ()
