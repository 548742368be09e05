"""Odds and what they cost: steps are counted, bounded, and paid once."""

from fractions import Fraction

import pytest

from pbem.engine.data.events import event
from pbem.engine.run.odds import Experiment, Memory, Reckoning, StepBudget, TooMuch, Unanswered, changes, spread
from pbem.engine.run.steps import Ask, Choice, Did, Roll, Task, Window, World


class Walk:
    """A step to the right on 4 or more, else one to the left; `ask` leaves it to somebody."""

    def step(self, state, task):
        if task.name == "ask" and not task.got:
            return Ask(Window("here", "way", "north", "", ("left", "right")))
        if task.name == "ask":
            return Did((event("goes", "X1", by=1 if task.got[0].value == ("right",) else -1),))
        if not task.got:
            return Roll("here", "way", 1, 6)
        return Did((event("told", "X1"), event("goes", "X1", by=1 if task.got[0].values[0] > 3 else -1)))

    def apply(self, state, happened):
        return state + happened.data["by"] if happened.kind == "goes" else state


class Answers:
    def __init__(self, choice):
        self.choice = choice

    def answer(self, state, window):
        return self.choice


def walk(*tasks, choice=None, **more):
    odds = spread(
        Walk(),
        Experiment(World(0, tuple(map(Task, tasks))), lambda state: state, lambda world: False),
        Answers(choice),
        Reckoning(Fraction(1), **more),
    )
    places: dict[int, Fraction] = {}
    for world, weight in odds:
        places[world.state] = places.get(world.state, Fraction(0)) + weight
    return places


def test_a_walk_of_three_is_spread_as_by_hand():
    assert walk("go", "go", "go") == {-3: Fraction(1, 8), -1: Fraction(3, 8), 1: Fraction(3, 8), 3: Fraction(1, 8)}


def test_steps_are_counted_and_equal_worlds_are_run_once():
    # A roll is asked for once in each place and answered by six faces: 1, 2 and 3 places, 7 steps each.
    taken = []
    walk("go", "go", "go", step=lambda: taken.append(1))
    assert len(taken) == 7 * (1 + 2 + 3)


def test_an_answer_is_taken_and_its_lack_stands_in_the_way():
    assert walk("ask", "go", choice=Choice(("right",))) == {0: Fraction(1, 2), 2: Fraction(1, 2)}
    with pytest.raises(Unanswered, match="here/way north"):
        walk("ask")


def costing(steps, value="found"):
    def weigh(step):
        for _ in range(steps):
            step()
        return value

    return weigh


def test_a_purse_pays_until_it_is_empty():
    purse = StepBudget(10)
    assert purse.pay("a", costing(6)) == "found"
    assert purse.left == 4
    assert purse.pay("b", costing(5)) is None
    assert purse.left == 4
    assert purse.pay("c", costing(4)) == "found"
    assert purse.left == 0


def test_what_takes_too_long_is_stopped():
    taken = []

    def endless(step):
        while True:
            step()
            taken.append(1)

    assert StepBudget(100).pay("a", endless) is None
    assert len(taken) == 100


def test_a_single_thing_may_be_bounded_further():
    assert StepBudget(10, each=5).pay("a", costing(6)) is None
    assert StepBudget(10, each=5).pay("a", costing(5)) == "found"


def test_what_is_remembered_is_not_done_again_and_costs_the_same():
    memory = Memory()
    assert StepBudget(10, memory).pay("a", costing(6, "once")) == "once"
    purse = StepBudget(10, memory)
    assert purse.pay("a", costing(6, "twice")) == "once"
    assert purse.left == 4
    assert purse.pay("a", costing(1, "thrice")) is None


def test_the_oldest_is_forgotten():
    memory = Memory(2)
    for key in ("a", "b"):
        StepBudget(9, memory).pay(key, costing(1, key))
    memory.find("a")
    memory.keep("c", "c", 1)
    assert [memory.find(key) for key in "abc"] == [("a", 1), None, ("c", 1)]


def test_another_fault_is_not_taken_for_too_much():
    def broken(step):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        StepBudget(9).pay("a", broken)
    assert issubclass(TooMuch, Exception)


def test_changes_tell_what_is_new_and_what_is_gone():
    before = {"a": (1,), "b": (2,)}
    key = changes(before)
    assert key(before) == key(dict(before)) == ((), ())
    assert key({**before, "a": (3,)}) == key({**before, "a": (3,)}) != key(before)
    assert key({"a": (1,)}) != key({"b": (2,)})
    assert key({"a": (1,), "c": (2,)}) != key({"a": (1,), "b": (2,), "c": (2,)})
