"""Standing orders put to the test: every window that an attack can open for a seat, and what would answer it.

The attack is run over all its dice (`pbem.engine.run.odds`), so a window that opens on some paths alone is found too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders.canonical import canon_standing
from pbem.engine.orders.doctrine import name_of, without_owner
from pbem.engine.orders.standing import Rule
from pbem.engine.run.odds import Course, Reckoning, free, spread
from pbem.engine.run.questions import Asks
from pbem.engine.run.steps import Choice, Window
from pbem.engine.terms import Orders, Trial


class Answered(NamedTuple):
    """A window in words, the answer in words, why it is that one, and whether its owner is asked by letter first."""

    question: Msg
    answer: Msg
    by: str
    asked: bool


class _Listener:
    """Decisions that note how a seat's windows are answered, each way once, in the order in which they open."""

    def __init__(self, game: AnyGame, seat: str, standing: Sequence[object], state: object) -> None:
        orders = {seat: Orders((), tuple(standing))}
        self._game, self._seat = game, seat
        self._plain: Any = game.decisions(state, orders, {})
        self._asking: Any = game.decisions(state, orders, {}, Asks())
        self.heard: dict[tuple[str, str, Choice, bool], Answered] = {}

    def answer(self, state: object, window: Window) -> Choice:
        """What holds if nobody answers a letter; there always is something."""
        choice: Choice = self._plain.silence(state, window)
        if window.seat == self._seat:
            asked = self._asking.answer(state, window) is None
            key = (window.what, window.subject, choice, asked)
            if key not in self.heard:
                view = self._game.view(state, self._seat)
                question = self._game.telling.question(view, window, choice)
                said = next(option.text for option in question.options if option.value == choice.value)
                self.heard[key] = Answered(question.text, said, choice.by, asked)
        return choice


def rehearse(
    game: AnyGame, seat: str, trial: Trial, standing: Sequence[object], step: Callable[[], None] = free
) -> tuple[Answered, ...]:
    """Return every window of the seat, in the order in which they open; `step` is called before each step of the rules.

    The trial's world holds what the seat sees and nothing else; the other side keeps to the default.
    """
    if trial.world is None:
        raise ValueError("a refused trial cannot be rehearsed")
    listener = _Listener(game, seat, standing, trial.world.state)
    spread(game.rules, Course(trial.world, trial.key, trial.over), listener, Reckoning(step=step))
    return tuple(listener.heard.values())


def sentences(found: Sequence[Answered], standing: Sequence[object]) -> list[tuple[int, Msg]]:
    """Windows as sentences with their depth: the question, below it each answer and what it comes from."""
    lines: list[tuple[int, Msg]] = []
    asked: dict[Msg, list[Answered]] = {}
    for one in found:
        asked.setdefault(one.question, []).append(one)
    for question, answers in asked.items():
        lines.append((0, question))
        for one in answers:
            if one.asked:
                lines.append((1, msg("you are asked by letter; if you do not answer:")))
            lines.append((1, msg("{answer} - {reason}", answer=one.answer, reason=_reason(one.by, standing))))
    return lines


def _reason(by: str, standing: Sequence[object]) -> Msg:
    for rule in standing:
        if isinstance(rule, Rule) and without_owner(by) == name_of(rule):
            header, line, _ = canon_standing((rule,))
            return msg("your order {order}", order=f"{header}: {rule.number}. {line.partition('. ')[2]}")
    if by.startswith("standing "):
        return msg("your order {order}", order=by.removeprefix("standing "))
    return msg("the default of the rules")
