"""What hangs on an answer: a question that stops a phase, its answers tried one by one over all dice.

Nothing is played that comes after the matter at hand, and whoever is not asked keeps to what `decisions` say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from pbem.engine.run.foresight import foresee
from pbem.engine.run.questions import Asked
from pbem.engine.run.runners import Decisions, answer
from pbem.engine.run.steps import Ask, Choice, Rules, Window, World

S = TypeVar("S")
V = TypeVar("V")


class _But(NamedTuple, Generic[S]):
    """Decisions that leave some windows open."""

    decisions: Decisions[S]
    left: frozenset[str]

    def answer(self, state: S, window: Window) -> Choice | None:
        """What is decided, None at the windows left open."""
        return None if window.id in self.left else self.decisions.answer(state, window)


def weigh_answers(
    rules: Rules[S],
    world: World[S],
    asked: Sequence[Asked],
    decisions: Decisions[S],
    weigh: Callable[[World[S]], V | None],
) -> list[list[V | None]]:
    """Return, question by question, what `weigh` makes of the world after each answer offered.

    `world` waits at the first question; at the later ones it is weighed what holds if those before are left to
    silence. A question that does not come up then has no list.
    """
    found: list[list[V | None]] = []
    open_ = _But(decisions, frozenset(one.window.id for one in asked))
    for one in asked:
        world = foresee(rules, world, open_, (one.window.seat,)).world
        outcome = rules.step(world.state, world.agenda[0]) if world.agenda else None
        if not isinstance(outcome, Ask) or (outcome.window.what, outcome.window.where) != (
            one.window.what,
            one.window.where,
        ):
            break
        found.append(
            [weigh(answer(world, one.window, Choice(option.value, "answer"))) for option in one.question.options]
        )
        world = answer(world, one.window, one.silence)
    return found
