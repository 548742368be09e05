"""Reading what a task got: dice, coins and choices, in the order it asked for them."""

from __future__ import annotations

from pbem.engine.run.steps import Choice, Rolled, Task


def die(task: Task, index: int) -> tuple[str, int]:
    """Return label and value of the single die that is the task's answer number `index`."""
    rolled = _rolled(task, index)
    return rolled.label, rolled.values[0]


def total(task: Task, index: int) -> tuple[str, int]:
    """Return label and sum of the dice that are the task's answer number `index`."""
    rolled = _rolled(task, index)
    return rolled.label, sum(rolled.values)


def coins(task: Task, index: int) -> tuple[str, list[int]]:
    """Return label and coins (1 = heads, 0 = tails) of the throw that is the task's answer number `index`."""
    rolled = _rolled(task, index)
    return rolled.label, [value - 1 for value in rolled.values]


def choice(task: Task, index: int) -> Choice:
    """Return the choice that is the task's answer number `index`."""
    chosen = task.got[index]
    assert isinstance(chosen, Choice)  # noqa: S101 - a step reads back what it asked for
    return chosen


def _rolled(task: Task, index: int) -> Rolled:
    rolled = task.got[index]
    assert isinstance(rolled, Rolled)  # noqa: S101 - a step reads back what it asked for
    return rolled
