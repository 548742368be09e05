"""What is refused of a bot's orders is left out of them, and nothing else."""

from functools import partial

from pbem.engine.bots import OrderFunctions, drop_refused_lines
from pbem.engine.data.messages import msg
from pbem.engine.terms import RejectedLine
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.check import check_orders
from pbem.games.africa1860.orders import canon, parse
from pbem.games.africa1860.sequence import RULES

DESK = OrderFunctions(parse, lambda orders: orders, partial(check_orders, RULES), canon)
FIRST = "ACTIVATE A\nMOVE Vergara TO B\n"
STANDING = "STANDING FOR ALL\n1. WHEN SHELLED THEN COUNTERBATTERY YES\nENDSTANDING\n"


def left(text, desk=DESK):
    """What is left of a bot's orders in the first phase of the drill."""
    view = GAME.start(GAME.edition("drill", {}, {}))
    bot = drop_refused_lines(lambda view, seat, pick: text, desk)
    return bot(view, "spain", lambda n: 0)


def test_what_is_sound_is_left_as_it_was_written():
    for text in (f" {FIRST}{STANDING}", STANDING, ""):
        assert left(text) == text


def test_a_refused_line_falls_and_the_others_stay():
    assert left(f"{FIRST}MOVE Cordoba TO E\n{STANDING}") == left(FIRST + STANDING)


def test_under_a_refused_activation_all_falls():
    assert left(f"{FIRST}ACTIVATE C\nMOVE Haus TO B\n") == left(FIRST)


def test_what_is_refused_behind_an_if_falls_and_the_if_with_its_last_order():
    orders = left("IF SPACE B EMPTY\nACTIVATE A\nMOVE Vergara TO B\nMOVE Cordoba TO E\nENDIF\n")
    assert "Vergara" in orders
    assert "Cordoba" not in orders
    assert left("IF SPACE B EMPTY\nACTIVATE E\nPASS\nENDIF\n") == ""


def test_a_check_that_names_no_line_of_them_leaves_none():
    refusing = DESK._replace(check=lambda view, side, orders: [RejectedLine(99, 0, "", msg("no"), "O2", ())])
    assert left(FIRST, refusing) == ""
