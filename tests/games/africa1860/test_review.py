"""Second thoughts on legal orders: who is ordered to act again, and when nothing is worth a word."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.games.africa1860 import GAME

STATE = GAME.start(GAME.edition("castillejos", {}, {}))
ASSAULT = "ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco VANGUARD Cuenca SCREEN NONE"
TWICE = (
    "{unit} acts in an order above: if it does that, nothing of this one is carried out; leave it out of one of them"
)


def warnings_of(text, state=STATE):
    read = GAME.parse(text, state, "spain")
    assert read.rejected == ()
    assert GAME.check(state, "spain", read.orders) == ()
    return [
        (warning.line, plain_english(warning.why), warning.rule)
        for warning in GAME.aids.review(state, "spain", read.orders)
    ]


@pytest.mark.parametrize(
    ("orders", "unit", "rule"),
    [
        (f"FIRE Montana1 AT Loma\n{ASSAULT} SUPPORT Montana1", "Montana1", "O7.1.1"),
        (f"{ASSAULT} SUPPORT Montana1\nFIRE Montana1 AT Loma", "Montana1", "O7.1.1"),
        (f"{ASSAULT}\nMOVE Vergara TO Tarajal", "Vergara", "R3"),
        (f"FIRE Montana1 AT Loma\nIF SPACE Cresta ENEMY\n{ASSAULT} SUPPORT Montana1\nENDIF", "Montana1", "O7.1.1"),
    ],
)
def test_who_is_to_act_twice_is_named_once_dice_hide_it_from_refusals(orders, unit, rule):
    (warning,) = warnings_of(f"ACTIVATE Nudos\n{orders}")
    assert warning[1:] == (TWICE.replace("{unit}", unit), rule)
    assert warning[0] == 3 + ("IF" in orders)


def test_a_charge_and_then_a_move_of_the_same_horse():
    orders = "ACTIVATE Tarajal\nCHARGE Husares1, Husares4 AT Loma VANGUARD Husares1 SCREEN NONE"
    assert [warning[:2] for warning in warnings_of(f"{orders}\nMOVE Husares1 TO Valle")] == [
        (3, TWICE.replace("{unit}", "Husares1"))
    ]


@pytest.mark.parametrize(
    "orders",
    [
        f"FIRE Montana1 AT Loma\n{ASSAULT}",
        f"IF SPACE Cresta ENEMY\n{ASSAULT} SUPPORT Montana1\nELSE\nFIRE Montana1 AT Loma\nENDIF",
    ],
)
def test_who_acts_once_in_whatever_case_is_not_named(orders):
    assert warnings_of(f"ACTIVATE Nudos\n{orders}") == []
