"""The segments of a phase: which dice an answer by letter can still change.

A pause ends a segment. What is rolled after it comes from dice of its own, which follow from the answers too, so that
nobody can answer a question with dice in view. A label belongs to the segment that first rolled it and stays there: a
run that meets the question again meets it after the same rolls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pbem.audit import blocks
from pbem.audit.dice import Stream
from pbem.audit.keys import Secret
from pbem.engine.orders.doctrine import without_owner
from pbem.engine.run.questions import Asking, Value
from pbem.engine.run.steps import Choice, Rolled, Window
from pbem.engine.terms import Seat


class SeatAnswers(NamedTuple):
    """What a seat was asked at a pause and what it said: how many letters came, and each window's answer.

    An empty answer is silence. The windows stand in the order in which they were asked. `orders` is the canonical text
    of the letter, where what was awaited was one of orders.
    """

    revision: int = 0
    answers: tuple[tuple[str, Value], ...] = ()
    orders: str | None = None

    @property
    def text(self) -> str:
        """The canonical text that the next slate commits to: ``B>C/vanguard morocco = Leon``, a line a window."""
        answers = "".join(f"{window} = {' '.join(value)}".rstrip() + "\n" for window, value in self.answers)
        return answers + (self.orders or "")


Pause = Mapping[Seat, SeatAnswers]
"""What came of a pause, by seat; whoever was not asked said nothing."""


def answers_of(pauses: Sequence[Pause]) -> dict[str, Value]:
    """All answers by window id."""
    return {window: value for pause in pauses for one in pause.values() for window, value in one.answers}


def beta(secret: Secret, slate: bytes, value: bytes | None = None) -> bytes:
    """The 64 secret bytes that the dice of a segment follow from, by the beacon's value if it waited for one."""
    return secret(blocks.alpha(slate, value))


class Dice:
    """The dice of a phase's segments and its decisions, which know where one segment ends.

    To be used for one run: a window that was asked at a pause turns to the dice of the segment after it. `segment_of`
    says of each label rolled which segment it belongs to, counted from 0; `segment_rolls` are the rolls in order, each
    with its segment, counted from 1 as in slates. `fired` are the names of the standing orders that decided, by seat,
    `answered` the windows that letters did.
    """

    def __init__(self, betas: Sequence[bytes], pauses: Sequence[Pause], decisions: Asking[Any]) -> None:
        self.segment_of: dict[str, int] = {}
        self.segment_rolls: list[tuple[int, Rolled]] = []
        self.fired: dict[Seat, set[str]] = {}
        self.answered: set[str] = set()
        self._streams = [Stream(one) for one in betas]
        self._after = {window: number for number, pause in enumerate(pauses, 1) for window in answers_of((pause,))}
        self._decisions = decisions
        self._now = 0

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the values of a label, from the segment it belongs to."""
        self.segment_of[label] = self._now
        values = self._streams[self._now].roll(label, n, sides)
        self.segment_rolls.append((self._now + 1, Rolled(label, n, sides, values)))
        return values

    def answer(self, state: Any, window: Window) -> Choice | None:
        """Return the choice for a window; from one that was asked on, the dice are those after its answer."""
        self._now = max(self._now, self._after.get(window.id, 0))
        choice = self._decisions.answer(state, window)
        if choice is not None and choice.by != "default":
            if choice.by == "answer":
                self.answered.add(window.id)
            else:
                self.fired.setdefault(window.seat, set()).add(without_owner(choice.by))
        return choice
