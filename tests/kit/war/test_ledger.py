"""K1, K2, K5.1: what is left of an army between two legs."""

from fractions import Fraction

from pbem.engine.war.chain import Works, changes
from pbem.engine.war.ledger import (
    AWAY,
    BROKEN,
    READY,
    LegResult,
    after_leg,
    floor_of,
    read,
    returning_steps,
    rows,
    whole,
)
from tests.kit.war.small_war import SECOND, WHOLE, war


def after(left, taken=(), ledger=None):
    ledger = ledger or whole(war().opening(), WHOLE)
    return after_leg(
        ledger, LegResult({unit: steps for unit, steps in {**WHOLE, **left}.items() if steps}, frozenset(taken))
    )


def stands(ledger, *units):
    return [(ledger[unit].now, ledger[unit].standing) for unit in units]


def test_before_the_first_leg_all_are_whole_and_who_is_not_listed_is_away():
    assert stands(whole(war().opening(), WHOLE), "Ash", "Fir", "Duke") == [(4, READY), (4, AWAY), (1, READY)]


def test_steps_are_those_of_the_leg_s_end_and_who_has_none_is_broken():
    assert stands(after({"Ash": 1, "Elm": 0}), "Ash", "Elm", "Oak", "Fir") == [
        (1, READY),
        (0, BROKEN),
        (4, READY),
        (4, AWAY),
    ]


def test_whom_the_next_leg_does_not_list_is_away_and_whole_again_however_it_fared():
    ledger = whole(after({"Oak": 0, "Elm": 0}), (unit.id for unit in SECOND.listed))
    assert stands(ledger, "Oak", "Elm", "Fir") == [(4, AWAY), (0, BROKEN), (4, READY)]


def test_a_leader_who_was_lost_misses_one_leg():
    lost = after({"Duke": 0})
    assert stands(lost, "Duke") == [(0, BROKEN)]
    wanted = changes(war(), 2, SECOND.listed, lost, Works())
    assert wanted.successors == {"Duke": "Earl 1/0"}
    assert stands(after_leg(lost, LegResult({})), "Duke") == [(1, READY)]


def test_a_leader_without_a_successor_in_the_file_has_one_without_gifts():
    assert changes(war(successors={}), 2, SECOND.listed, after({"Duke": 0}), Works()).successors == {
        "Duke": "Duke-2 0/0"
    }


def test_three_in_four_come_back_rounded_down_to_those_who_lack_most_and_of_equals_to_the_last():
    before, now = whole(war().opening(), WHOLE), after({"Ash": 2, "Elm": 2, "Oak": 1})
    back = returning_steps(before, now, (), Fraction(3, 4))
    assert back.lost["blue"] == 7
    # Oak lacks three and is fed; all lack two: Oak, Elm, Ash; all lack one: Oak.
    assert back.steps == {"Oak": 3, "Elm": 1, "Ash": 1}


def test_nobody_gets_more_than_he_had_when_the_leg_began():
    ledger = whole(war().opening(), WHOLE)
    ledger = {**ledger, "Ash": ledger["Ash"].left_with(2)}
    back = returning_steps(ledger, after({"Ash": 1, "Elm": 3}, ledger=ledger), (), Fraction(1))
    assert back.steps == {"Ash": 1, "Elm": 1}


def test_guns_that_were_taken_neither_count_nor_come_back():
    before = whole(war().opening(), WHOLE)
    lost = after({"Bombard": 0, "Ash": 2})
    assert returning_steps(before, lost, ("Bombard",), Fraction(1)).steps == {"Ash": 2}
    assert returning_steps(before, lost, (), Fraction(1)).steps == {"Bombard": 2, "Ash": 2}


def test_each_side_is_fed_for_its_own_losses():
    back = returning_steps(whole(war().opening(), WHOLE), after({"Ash": 0, "Hawk": 2}), (), Fraction(3, 4))
    assert (back.lost, back.steps) == ({"blue": 4, "red": 1}, {"Ash": 3})


def test_a_side_with_less_than_seven_in_ten_of_its_steps_is_fed_up_to_them():
    ledger = whole(after({"Ash": 1, "Elm": 1, "Bombard": 1}), (unit.id for unit in SECOND.listed))
    # Listed: Ash, Elm, Fir of 4, Bombard of 2: 14 steps, of which 10 are wanted and 7 are there.
    assert floor_of(ledger, "blue", Fraction(7, 10)) == ("Elm", "Ash", "Elm")
    assert floor_of(ledger, "red", Fraction(7, 10)) == ()


def test_a_ledger_is_stored_and_read_as_it_was():
    ledger = after({"Ash": 0, "Elm": 3})
    assert read(rows(ledger)) == ledger


def test_what_is_changed_of_a_leg_by_the_ledger_and_the_camp():
    ledger = whole(after({"Ash": 3, "Hawk": 0}), (unit.id for unit in SECOND.listed))
    works = Works(replaced={"Elm": "Oak"}, brought=("Line",), trenches=("Hill",), roads=("Ford-Hill",))
    wanted = changes(war(), 2, SECOND.listed, ledger, works)
    assert wanted.steps == {"Ash": 3}
    assert wanted.absent == {"Hawk"}
    assert (wanted.replaced, wanted.brought) == ({"Elm": "Oak"}, {"Oak": ("Ford", 2)})
    assert (wanted.trenches, wanted.roads) == (("Hill",), ("Ford-Hill",))
