"""ODDS and VERIFY show the sum of an assault: strengths, column, modifiers, what each face of the die brings."""

from pbem.engine.data.messages import plain_english
from pbem.engine.run.odds import StepBudget
from pbem.games.peninsular import GAME
from pbem.games.peninsular.forecast import FORECAST
from tests.games.peninsular.test_turns import start


def odds_sentences(text, *units):
    state = start(*units)
    orders = GAME.parse(text, state, "british").orders
    assert GAME.check(state, "british", orders) == ()
    return [plain_english(sentence) for _, sentence in FORECAST.odds(state, "british", orders, StepBudget(20_000)).said]


def test_the_sum_is_that_of_the_chart_with_what_doubles_and_what_the_die_gets():
    lines = odds_sentences(
        "ASSAULT 0504 WITH A, B LED BY A",
        "british inf A pf 7 will B facing N at 0505",
        "british inf B pf 4 will B facing S at 0503",
        "french inf F pf 6 will D facing S at 0504",
    )
    (total,) = (line for line in lines if line.startswith("if fire and charge tests change nothing"))
    # B comes from the rear and counts double: 7 + 8 to 6, which is 2:1 rounded down; +2 by the will (T6).
    assert (
        total
        == "if fire and charge tests change nothing: 15 to 6, column 2:1, +2 on the die: 1 SE, 2 BM, 3-4 DR1, 5-6 DR2"
    )
    assert any("(the rear), doubled to 8" in line for line in lines)
    assert any(line.endswith("[T6.2]") and line.startswith("+2: ") for line in lines)
