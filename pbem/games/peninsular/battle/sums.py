"""T6 The sum of a shock before it comes: strengths, column, what the die gets and what each face of it brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from pbem.engine.data.messages import Msg, msg
from pbem.engine.run.steps import Did, Outcome, Roll, Rolled, Rules, Task
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.shock import mixed
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.strengths import clash_of, made_of, worded

_FACES = range(1, 7)


def sums(rules: Rules[State], state: State, target: str, own: Doctrine) -> Iterator[Msg]:
    """Yield how the assault on a hex that stands marked would be reckoned if it came to the shock as all stand now.

    Charge tests and fire come before it, and may change all of that; the odds count them.
    """
    lead = next((lead for at, lead in state.assaults if at == target), "")
    data = _shock(rules, state, Task("shock", (target, lead, (), 0)), own)
    if data is None:
        return
    attack, defence = (mixed(strength) for strength in data["strengths"])
    yield msg(
        "as all stand now: {a} to {b}, column {column}, {total} on the die: {cells}",
        a=attack,
        b=defence,
        column=data["column"],
        total=f"{data['total'] - data['die']:+d}",
        cells=", ".join(_by_face(state, data)),
    )
    clash = clash_of(data, state)
    if clash is not None:
        yield from made_of(clash)
    for rule, n, words in worded(data["modifiers"]):
        yield msg("{n}: {why} [{rule}]", n=f"{n:+d}", why=Msg(words), rule=rule)


def _shock(rules: Rules[State], state: State, task: Task, own: Doctrine) -> Mapping[str, Any] | None:
    """What the step of the shock tells, by some die; None if it comes to none."""
    while not isinstance(outcome := rules.step(state, task), Did):
        answer = _answer(state, outcome, own)
        if answer is None:
            return None
        task = Task(task.name, task.args, (*task.got, answer))
    return next((happened.data for happened in outcome.events if happened.kind == "shock"), None)


def _answer(state: State, outcome: Outcome, own: Doctrine) -> Any:
    if isinstance(outcome, Roll):
        return Rolled("", outcome.n, outcome.sides, (1,) * outcome.n)
    return None if isinstance(outcome, Did) else own.answer(state, outcome.window)


def _by_face(state: State, data: Mapping[str, Any]) -> Iterator[str]:
    """What the faces of the die bring, those that bring the same together: ``1-4 DR1``."""
    chart, more = state.edition.chart("shock"), data["total"] - data["die"]
    for cell, some in groupby(_FACES, lambda face: chart.cell(face + more, data["column"])):
        faces = list(some)
        yield f"{faces[0]}-{faces[-1]} {cell}" if len(faces) > 1 else f"{faces[0]} {cell}"
