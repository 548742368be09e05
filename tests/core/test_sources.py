"""What is looked up in the files of every game."""

import pytest

from pbem.core.data.sources import rules_of

RULES = "S4  Moves.\nS4.1  Roads.\n\nT4  A chart.\nS40  Night.\nS14.4  Rain.\n"


@pytest.mark.parametrize(
    ("number", "found"),
    [
        ("S4", ["S4", "S4.1"]),
        ("s4.", ["S4", "S4.1"]),
        ("4", ["S4", "S4.1", "T4"]),
        ("4.1", ["S4.1"]),
        ("S", []),
        ("X4", []),
        ("", []),
        (".", []),
    ],
)
def test_a_rule_is_found_with_those_below_it_and_without_its_letter(number, found):
    assert [line.split()[0] for line in rules_of(RULES, number)] == found
