"""What is looked up in the files of every game."""

import pytest

from pbem.engine.data.sources import read_rules, rule_lines

RULES = "S4  Moves.\nS4.1  Roads.\nS4a  Paths.\n\nT4  A chart.\nS40  Night.\nS14.4  Rain.\n"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("S4", ["S4", "S4.1", "S4a"]),
        ("s4.", ["S4", "S4.1", "S4a"]),
        ("4", ["S4", "S4.1", "S4a", "T4"]),
        ("4.1", ["S4.1"]),
        ("S4A", ["S4a"]),
        ("4a", ["S4a"]),
        ("S", []),
        ("X4", []),
        ("", []),
        (".", []),
    ],
)
def test_a_rule_is_found_with_those_below_it_and_without_its_letter(number, expected):
    assert [line.split()[0] for line in rule_lines(RULES, number)] == expected


def test_the_rules_are_read_in_a_language_where_they_stand_in_it(tmp_path):
    (tmp_path / "rules.txt").write_text(RULES, "utf-8")
    assert read_rules(tmp_path, "es") == RULES
    (tmp_path / "rules.es.txt").write_text("S4  Movimiento.\n", "utf-8")
    assert read_rules(tmp_path, "es") == "S4  Movimiento.\n"
    assert read_rules(tmp_path, "en") == RULES
