"""The machine that changes rules, on a game of two functions and a chart; whether a real game's rewrites still fit."""

import sys
from collections.abc import Callable
from contextlib import contextmanager
from types import MappingProxyType, ModuleType
from typing import NamedTuple

import pytest

from pbem.engine.map.charts import read_chart
from pbem.engine.testing.mutants import Mutant, Rewrite, Stale, Workshop, apply_rewrite, hunt, mutants, stale, swap
from tests.mutation.__main__ import find_cases, find_workshop
from tests.tournament.runner import CASES

SOURCE = '''
def best(numbers):
    """The highest, ties by place."""
    return max(numbers, key=lambda n: (n, -numbers.index(n)))


class Table:
    def half(self, n):
        return n // 2


STEPS = {"best": best}
'''
CHART = read_chart(
    "X1  Toy\n\n  die | effect\n  ----+-------\n   1  | none\n   2  | some\n   3  | all\n\n"
    "  none  nothing\n  some  something\n  all   everything\n\n  X1.1  +1  uphill\n",
    "toy.txt",
)
NUMBERS = read_chart("X2  Toy\n\n  die | n\n  ----+---\n   1  | 0\n   2  | 2\n\n  0  nothing\n  2  two\n", "n.txt")


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A package of one module, and a game whose cases ask it questions."""
    (tmp_path / "toyrules.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    package = ModuleType("toy")
    module = ModuleType("toy.rules")
    module.__file__ = str(tmp_path / "toyrules.py")
    exec(compile(SOURCE, module.__file__, "exec"), vars(module))  # noqa: S102 - the source above
    vars(module)["Table"].__module__ = "toy.rules"
    monkeypatch.setitem(sys.modules, "toy", package)
    monkeypatch.setitem(sys.modules, "toy.rules", module)
    return module


class Game:
    """Cases are look-ups: ``best 3 1 = 3``, ``half 5 = 2``, ``X1 1 = none``, ``X1.1 = 1``."""

    keys = None

    def __init__(self, module, charts):
        self.module, self.charts = module, charts

    @property
    def cased(self):
        return self

    def lookup(self, phrase):
        asked, _, wanted = phrase.partition(" = ")
        name, *values = asked.split()
        if name == "best":
            return self.module.STEPS["best"]([int(value) for value in values]) == int(wanted)
        if name == "half":
            return self.module.Table().half(int(values[0])) == int(wanted)
        if name == "X1.1":
            return self.charts["toy"].modifier(name).value == int(wanted)
        return self.charts["toy"].cell(values[0], "effect") == wanted


def workshop(module, *rewrites, others=(), equal=None, charts=None):
    game = Game(module, charts or {"toy": CHART})

    @contextmanager
    def with_charts(changed):
        with swap(game, "charts", changed):
            yield

    return Workshop("toy", game, game.charts, with_charts, rewrites, others, equal or {})  # type: ignore[arg-type]


def cases(*phrases):
    return [(phrase, {}, {"lookup": (phrase,)}) for phrase in phrases]


ALL = cases("best 1 3 2 = 3", "half 5 = 2", "X1 1 = none", "X1 2 = some", "X1 3 = all", "X1.1 = 1")


def test_charts_are_changed_cell_by_cell_and_each_change_is_caught(toy):
    caught = {result.mutant: result.caught_by for result in hunt(workshop(toy), ALL)}
    assert caught == {
        "X1 1 effect: none -> some": "X1 1 = none",
        "X1 2 effect: some -> none": "X1 2 = some",
        "X1 2 effect: some -> all": "X1 2 = some",
        "X1 3 effect: all -> some": "X1 3 = all",
        "X1.1: +1 -> +0": "X1.1 = 1",
        "X1.1: +1 -> +2": "X1.1 = 1",
    }


def test_numbers_of_a_chart_go_up_and_down_by_one_but_not_below_nothing(toy):
    names = [mutant.name for mutant in mutants(workshop(toy, charts={"toy": NUMBERS}))]
    assert names == ["X2 1 n: 0 -> 1", "X2 2 n: 2 -> 1", "X2 2 n: 2 -> 3"]


def test_rulings_are_turned_round_in_tables_and_classes_and_come_back(toy):
    rewrites = (
        Rewrite("X3", "rules.best", "max(", "min(", "the lowest is best"),
        Rewrite("X4", "rules.Table.half", "n // 2", "-(-n // 2)", "rounded up"),
        Rewrite("X3", "rules.best", "-numbers.index(n)", "numbers.index(n)", "ties do not show"),
    )
    before = (toy.best, toy.STEPS["best"], toy.Table.half)
    results = [result for result in hunt(workshop(toy, *rewrites), ALL) if not result.mutant.startswith("X1")]
    assert [result.caught_by for result in results] == ["best 1 3 2 = 3", "half 5 = 2", ""]
    assert (toy.best, toy.STEPS["best"], toy.Table.half) == before


def test_a_rule_that_breaks_under_a_case_is_caught(toy):
    broken = Rewrite("X4", "rules.Table.half", "n // 2", "n // 0", "nonsense")
    results = [result for result in hunt(workshop(toy, broken), ALL) if result.mutant.startswith("X4")]
    assert [result.caught_by for result in results] == ["half 5 = 2"]


def test_a_mutant_that_changes_nothing_is_left_out_with_its_reason(toy):
    same = Rewrite("X3", "rules.best", "-numbers.index(n)", "numbers.index(n)", "ties do not show")
    name = "X3 rules.best: ties do not show"
    assert name in [mutant.name for mutant in mutants(workshop(toy, same))]
    assert name not in [mutant.name for mutant in mutants(workshop(toy, same, equal={name: "values are equal"}))]


@pytest.mark.parametrize(
    ("rewrite", "why"),
    [
        (Rewrite("X3", "rules.best", "sum(", "max(", "x"), "X3 rules.best: x: its source holds 'sum.' 0 times"),
        (Rewrite("X3", "rules.best", "numbers", "n", "x"), "holds 'numbers' 3 times, not once"),
        (Rewrite("X3", "rules.worst", "a", "b", "x"), "X3 rules.worst: x: there is no such function"),
        (Rewrite("X3", "rules.best", "max(", "max((", "x"), "'max..' makes no sense there"),
    ],
)
def test_rewrites_that_no_longer_fit_are_all_listed(toy, rewrite, why):
    with pytest.raises(Stale, match=why):
        list(mutants(workshop(toy, rewrite)))
    assert len(list(stale("toy", (rewrite, rewrite)))) == 2


def test_names_are_one_each_and_those_that_change_nothing_exist(toy):
    twice = (Mutant("same", lambda: swap({}, "a", 1)), Mutant("same", lambda: swap({}, "a", 1)))
    with pytest.raises(Stale, match="two mutants are called 'same'"):
        list(mutants(workshop(toy, others=twice)))
    with pytest.raises(Stale, match="'X9 none' is said to change nothing, and is no mutant"):
        list(mutants(workshop(toy, equal={"X9 none": "why"})))


def test_cases_must_hold_before_anything_is_changed(toy):
    with pytest.raises(ValueError, match="cases fail before anything is changed: half 5 = 3"):
        list(hunt(workshop(toy), cases("half 5 = 3")))


def test_a_change_is_undone_even_if_something_breaks(toy):
    before = toy.best
    with (
        pytest.raises(ZeroDivisionError),
        apply_rewrite("toy", Rewrite("X4", "rules.Table.half", "n // 2", "n // 0", "x")),
    ):
        toy.Table().half(4)
    assert toy.Table().half(4) == 2
    with apply_rewrite("toy", Rewrite("X3", "rules.best", "max(", "min(", "x")):
        assert toy.STEPS["best"]([1, 2]) == toy.best([1, 2]) == 1
    assert toy.best is before
    assert toy.STEPS["best"] is before


def test_cases_are_read_with_their_look_ups(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('game = "x"\nlookup = ["one"]\n[[case]]\ntitle = "two"\nphase = "end"\n')
    assert [(title, file["game"]) for title, file, _ in find_cases([path])] == [("one", "x"), ("two", "x")]


@pytest.mark.full
@pytest.mark.parametrize(("game", "count"), [("africa1860", 400), ("peninsular", 400), ("tournament", 190)])
def test_every_rewrite_of_a_game_fits_its_source(game, count):
    assert len(list(mutants(find_workshop(game)))) > count


@pytest.mark.long
def test_no_rule_of_tournaments_changes_unseen():
    titles = find_cases(sorted(CASES.glob("*.toml")), "tournament")
    assert [result.mutant for result in hunt(find_workshop("tournament"), titles) if not result.caught_by] == []


def test_a_function_in_a_closed_table_is_turned_round_too(toy):
    class Named(NamedTuple):
        rule: str
        does: Callable[[int], int]

    closed = MappingProxyType({"best": toy.best, "named": Named("X3", toy.best), "other": 7})
    toy.CLOSED = closed
    with apply_rewrite("toy", Rewrite("X3", "rules.best", "max(", "min(", "x")):
        assert toy.CLOSED["best"]([1, 2]) == toy.CLOSED["named"].does([1, 2]) == 1
        assert (type(toy.CLOSED["named"]), toy.CLOSED["other"]) == (Named, 7)
    assert toy.CLOSED is closed
