"""C0 Under fog nothing is foretold, and no move offered, as if what is out of sight were known to be empty."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.engine.run.runners import foresee
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.view import seen_spaces


def start(fog):
    return GAME.start(GAME.edition("castillejos", {"fog": fog}, {}))


def provided(orders, fog="on"):
    state = start(fog)
    given = {"spain": GAME.parse(orders, state, "spain").orders}
    view = GAME.view(state, "spain")
    foresight = foresee(GAME.rules, GAME.world(view, given), GAME.decisions(view, given, {}), ("spain",))
    return [plain_english(line) for line in GAME.telling.provided("spain", foresight.events)]


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ("ACTIVATE Nudos\nMOVE Orozco TO Condesa", "All this only if no enemy stands out of sight in Condesa."),
        ("ACTIVATE Nudos\nMOVE Cuenca TO Playa", "An enemy out of sight may still come in the way of this."),
    ],
)
def test_a_move_is_foretold_as_far_as_one_sees(orders, expected):
    assert provided(orders) == [expected]
    assert provided(orders, "off") == []


def test_where_nobody_moves_nothing_rests_on_what_is_unseen():
    assert provided("PASS") == []


@pytest.mark.parametrize(("language", "mark"), [("en", "  # out of sight: "), ("es", "  # sin ver: ")])
def test_the_form_marks_where_a_move_leads_out_of_sight(language, mark):
    state = start("on")
    seen, marked = seen_spaces(state, "spain"), 0
    for line in GAME.aids.template(GAME.view(state, "spain"), "spain", language):
        if not line.startswith(("# MOVE", "# MOVER")):
            continue
        order, _, hidden = line.partition(mark)
        spaces = order.replace(" TO ", " A ").rpartition(" A ")[2].split(" | ")
        assert [space for space in spaces if space not in seen] == (hidden.split(", ") if hidden else [])
        marked += bool(hidden)
    assert marked
    assert not [line for line in GAME.aids.template(start("off"), "spain", language) if mark in line]
