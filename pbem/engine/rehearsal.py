"""Test standing orders: all windows of an attack, and their answers.

The attack is run over all its dice (`pbem.engine.run.odds`), so windows that open on some paths only are
included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders.canonical import canon_standing
from pbem.engine.orders.doctrine import name_of, without_owner
from pbem.engine.orders.speech import Speaks, order_text
from pbem.engine.orders.standing import Rule
from pbem.engine.run.odds import Experiment, Reckoning, free, spread
from pbem.engine.run.questions import Asks
from pbem.engine.run.steps import Choice, Window
from pbem.engine.terms import AttackSetup, Orders


class WindowAnswer(NamedTuple):
    """Question, answer, reason, and whether the owner is asked by letter first."""

    question: Msg
    answer: Msg
    by: str
    asked: bool


class _Listener:
    """Decisions that record each different answer to a seat's windows once.

    They are in the order in which the windows open.
    """

    def __init__(self, game: AnyGame, seat: str, standing: Sequence[object], state: object) -> None:
        orders = {seat: Orders((), tuple(standing))}
        self._game, self._seat = game, seat
        self._plain: Any = game.decisions(state, orders, {})
        self._asking: Any = game.decisions(state, orders, {}, Asks())
        self.heard: dict[tuple[str, str, Choice, bool], WindowAnswer] = {}

    def answer(self, state: object, window: Window) -> Choice:
        """Return the choice without an answer by letter; it is never None."""
        choice: Choice = self._plain.silence(state, window)
        if window.seat == self._seat:
            asked = self._asking.answer(state, window) is None
            key = (window.what, window.subject, choice, asked)
            if key not in self.heard:
                view = self._game.view(state, self._seat)
                question = self._game.telling.question(view, window, choice)
                answer_text = next(option.text for option in question.options if option.value == choice.value)
                self.heard[key] = WindowAnswer(question.text, answer_text, choice.by, asked)
        return choice


def rehearse_attack(
    game: AnyGame, seat: str, trial: AttackSetup, standing: Sequence[object], step: Callable[[], None] = free
) -> tuple[WindowAnswer, ...]:
    """Return every window of the seat with its answers, in order.

    The order is that in which they open. `step` is called before each step of the rules. The trial's world
    holds only what the seat sees; the other side keeps to the default.
    """
    if trial.world is None:
        raise ValueError("a refused trial cannot be rehearsed")
    listener = _Listener(game, seat, standing, trial.world.state)
    spread(game.rules, Experiment(trial.world, trial.key, trial.over), listener, Reckoning(step=step))
    return tuple(listener.heard.values())


def window_sentences(
    window_answers: Sequence[WindowAnswer], standing: Sequence[object], speak: Speaks
) -> list[tuple[int, Msg]]:
    """Return windows as sentences with their depth.

    Below each question come its answers and their reasons; `speak` puts orders in the reader's language.
    """
    lines: list[tuple[int, Msg]] = []
    by_question: dict[Msg, list[WindowAnswer]] = {}
    for answer in window_answers:
        by_question.setdefault(answer.question, []).append(answer)
    for question, answers in by_question.items():
        lines.append((0, question))
        for answer in answers:
            if answer.asked:
                lines.append((1, msg("you are asked by letter; if you do not answer:")))
            lines.append(
                (1, msg("{answer} - {reason}", answer=answer.answer, reason=_reason(answer.by, standing, speak)))
            )
    return lines


def _reason(by: str, standing: Sequence[object], speak: Speaks) -> Msg:
    for rule in standing:
        if isinstance(rule, Rule) and without_owner(by) == name_of(rule):
            header, line, _ = canon_standing((rule,))
            text = f"{header}: {rule.number}. {line.partition('. ')[2]}"
            return msg("your order {order}", order=order_text(text, speak))
    if by.startswith("standing "):
        return msg("your order {order}", order=by.removeprefix("standing "))
    return msg("the default of the rules")
