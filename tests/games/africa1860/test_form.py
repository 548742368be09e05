"""The order form: what is offered can be done, and there always is something."""

import pytest

from pbem.games.africa1860 import GAME

START = GAME.start(GAME.edition("castillejos", {}, {}))


def shaken(*units: str):
    return START.change(units={i: u._replace(demoralised=u.demoralised or i in units) for i, u in START.units.items()})


@pytest.mark.parametrize(("language", "line"), [("en", "# PASS"), ("es", "# PASAR")])
def test_who_can_do_nothing_is_offered_to_pass(language, line):
    alone = START.change(units={i: u for i, u in START.units.items() if u.side == "spain"}, phase="morocco")
    assert GAME.aids.template(alone, "morocco", language) == (line,)


def test_retiring_is_offered_to_whoever_finds_a_way():
    form = GAME.aids.template(shaken("Vergara", "Luchana"), "spain", "en")
    assert "# RETIRE Vergara" in form
    # Luchana is at the rear already.
    assert "# RETIRE Luchana" not in form
    assert not any("Luchana" in line or "Vergara" in line for line in form if line.startswith("# MOVE"))


def test_every_line_offered_is_only_for_reading():
    for seat in ("spain", "morocco"):
        state = START.change(phase=seat)
        text = "\n".join(GAME.aids.template(state, seat, "es"))
        assert GAME.parse(text, state, seat).orders == ((), ())


@pytest.mark.parametrize("seat", ["spain", "morocco"])
def test_a_game_that_is_over_wants_no_orders(seat):
    assert GAME.aids.template(START.change(phase="over"), seat, "en") == ()
