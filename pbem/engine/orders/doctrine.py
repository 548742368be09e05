"""Answer windows: by letter, then standing orders, then defaults.

A game names its windows and how a line of standing orders answers one; the order of asking, and when an
owner is asked by letter, is the same in every game.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from pbem.engine.orders.standing import ASK, HOURS, Reaction, Rule
from pbem.engine.run.questions import Asks, Value
from pbem.engine.run.steps import LETTER, Choice, Window

S = TypeVar("S")
C = TypeVar("C")
# The end of a name by `name_of`, where a side has several commanders.
_OWNED = re.compile(r" @(?P<seat>\S+)")
_BREADTH = {"UNIT": 0, "LEADER": 1, "SPACE": 2, "ALL": 3}


def name_of(rule: Rule, seat: str = "") -> str:
    """Return a rule's name as the reason of an act: ``standing SPACE Sierra 2``.

    If the side has several commanders, the name ends with the `seat`: ``standing ALL 1 @prim``.
    """
    name = f"standing {rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " ")
    return f"{name} @{seat}" if seat else name


def owner_of(by: str) -> str:
    """Return the seat in the name of a rule; empty if its side has one commander."""
    match = _OWNED.search(by)
    return match["seat"] if match else ""


def without_owner(by: str) -> str:
    """Return the name of a rule as its own commander reads it."""
    return _OWNED.sub("", by)


class Doctrine(ABC, Generic[S, C]):
    """Decisions of a game (see `runners.Decisions`).

    `standing` holds each seat's rules, `answers` those given by letter by window id, where an empty one is silence.
    Without `asks` nobody is ever asked. `unasked` collects, by seat, the ids of the windows that were not asked
    because the seat had used up its questions.
    """

    def __init__(
        self,
        standing: Mapping[str, Sequence[Rule]],
        answers: Mapping[str, Sequence[str]] | None = None,
        asks: Asks | None = None,
    ) -> None:
        self.standing = {
            # The narrowest rule first, since the first that fits decides; rules of one scope by their numbers.
            seat: sorted(rules, key=lambda rule: (_BREADTH[rule.scope.kind], rule.scope.id, rule.number))
            for seat, rules in standing.items()
        }
        self.unasked: dict[str, set[str]] = {}
        self._answers = answers or {}
        self._asks = asks
        self._always = asks.always if asks is not None else frozenset()

    def answer(self, state: S, window: Window) -> Choice | None:
        """Return the choice for a window; None if its owner is to be asked by letter."""
        words = tuple(self._answers.get(window.id, ())) if self._answers else ()
        if window.what == LETTER:
            return Choice(words, "answer") if words else None
        if words and self.fits(state, window, words):
            return Choice(words, "answer")
        if window.seat in self._always and self._may_ask(window):
            return None
        for rule, value in self._values(state, window):
            if value is not None:
                return Choice(value, name_of(rule, self.apart(state, window)))
            if self._may_ask(window):
                return None
        return Choice(self.default(state, window))

    def silence(self, state: S, window: Window) -> Choice:
        """Return the choice if the owner is not asked, or does not answer."""
        for rule, value in self._values(state, window):
            if value is not None:
                return Choice(value, name_of(rule, self.apart(state, window)))
        return Choice(self.default(state, window))

    def hours(self, state: S, window: Window) -> int:
        """Return the hours to answer, by the first matching rule that says ASK."""
        for rule, value in self._values(state, window):
            if value is None:
                reaction = next(item for item in (*rule.reactions, *rule.otherwise) if item.keyword == ASK)
                return int(reaction.words[0])
        return HOURS

    def _may_ask(self, window: Window) -> bool:
        if self._asks is None or window.id in self._answers or not self.open(window) or window.id in self._asks.idle:
            return False
        if window.seat in self._asks.mute:
            self.unasked.setdefault(window.seat, set()).add(window.id)
            return False
        return True

    def _values(self, state: S, window: Window) -> Iterable[tuple[Rule, Value | None]]:
        """Yield the choices of standing orders at a window in order; None asks the owner."""
        rules = self.rules(window)
        return self._try_rules(state, window, rules) if rules else ()

    def _try_rules(self, state: S, window: Window, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Value | None]]:
        scene = self.scene(state, window)
        for rule in rules:
            for reaction in self.reactions(state, window, rule, scene):
                if reaction.keyword == ASK:
                    yield rule, None
                elif value := self.value(state, window, reaction):
                    yield rule, value

    def rules(self, window: Window) -> Sequence[Rule]:
        """Return the seat's standing orders for a window, the narrowest scope first."""
        return self.standing.get(window.seat, ())

    def apart(self, state: S, window: Window) -> str:
        """Return the window's seat if its side has several commanders, else empty."""
        return ""

    def open(self, window: Window) -> bool:
        """Return whether there is anything to choose."""
        return len(window.options) > 1

    def fits(self, state: S, window: Window, given: Value) -> bool:
        """Return whether an answer can be carried out now."""
        return given[0] in window.options

    @abstractmethod
    def scene(self, state: S, window: Window) -> C:
        """Return the owner's view of the window, once for all rules."""

    @abstractmethod
    def reactions(self, state: S, window: Window, rule: Rule, scene: C) -> Sequence[Reaction]:
        """Return the reactions of a rule that matches, else none."""

    @abstractmethod
    def value(self, state: S, window: Window, reaction: Reaction) -> Value:
        """Return a reaction's answer to the window; empty if it does not apply."""

    @abstractmethod
    def default(self, state: S, window: Window) -> Value:
        """Return the default of the rules."""


# Standing orders of a game whose reactions are its windows' options: who is meant by a line, and what it answers.


class Plain(Doctrine[Any, None]):
    """Doctrine whose reactions are options of windows.

    A rule applies to all windows, to those that ask its unit, or to those at its place, which stands after ``>`` in
    their address. A reaction answers with its keyword, if that is an option; the first option is the default.
    """

    def scene(self, state: object, window: Window) -> None:
        """Return None: only the window counts."""
        return None

    def reactions(self, state: object, window: Window, rule: Rule, scene: None) -> Sequence[Reaction]:
        """Return the reactions of a rule for this unit or place."""
        return rule.reactions if rule.scope.id in ("", window.subject, window.where.partition(">")[2]) else ()

    def value(self, state: object, window: Window, reaction: Reaction) -> Value:
        """Return the keyword, if it is offered."""
        return (reaction.keyword,) if reaction.keyword in window.options else ()

    def default(self, state: object, window: Window) -> Value:
        """Return the first option."""
        return (window.options[0],)
