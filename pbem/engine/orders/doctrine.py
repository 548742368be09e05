"""Who answers a window: the letter that came for it, then standing orders, then the rules' default.

A game names its windows and says what a line of standing orders makes of one; the order in which they are asked, and
when an owner is to be asked by letter, is the same in every game.
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
_OWNED = re.compile(r" @(?P<seat>\S+)")
_BREADTH = {"UNIT": 0, "LEADER": 1, "SPACE": 2, "ALL": 3}


def name_of(rule: Rule, seat: str = "") -> str:
    """The name under which a rule is told as the reason of an act: ``standing SPACE Sierra 2``.

    That of a `seat` whose side has several commanders ends with it: ``standing ALL 1 @prim``.
    """
    name = f"standing {rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " ")
    return f"{name} @{seat}" if seat else name


def owner_of(by: str) -> str:
    """The seat whose rule is named as the reason of an act, empty where its side has one commander."""
    found = _OWNED.search(by)
    return found["seat"] if found else ""


def without_owner(by: str) -> str:
    """The name of a rule as its own commander reads it."""
    return _OWNED.sub("", by)


class Doctrine(ABC, Generic[S, C]):
    """Decisions of a game (see `runners.Decisions`).

    `standing` holds each seat's rules, `answers` those given by letter by window id, where an empty one is silence.
    Without `asks` nobody is ever asked. `unasked` gathers, by seat, the ids of the windows that were not asked because
    the seat was mute.
    """

    def __init__(
        self,
        standing: Mapping[str, Sequence[Rule]],
        answers: Mapping[str, Sequence[str]] | None = None,
        asks: Asks | None = None,
    ) -> None:
        self.standing = {
            seat: sorted(rules, key=lambda rule: (_BREADTH[rule.scope.kind], rule.scope.id, rule.number))
            for seat, rules in standing.items()
        }
        self.unasked: dict[str, set[str]] = {}
        self._answers = answers or {}
        self._asks = asks
        self._always = asks.always if asks is not None else frozenset()

    def answer(self, state: S, window: Window) -> Choice | None:
        """The choice for a window, None if its owner is to be asked by letter."""
        given = tuple(self._answers.get(window.id, ())) if self._answers else ()
        if window.what == LETTER:
            return Choice(given, "answer") if given else None
        if given and self.fits(state, window, given):
            return Choice(given, "answer")
        if window.seat in self._always and self._may_ask(window):
            return None
        for rule, value in self._values(state, window):
            if value is not None:
                return Choice(value, name_of(rule, self.apart(state, window)))
            if self._may_ask(window):
                return None
        return Choice(self.default(state, window))

    def silence(self, state: S, window: Window) -> Choice:
        """What holds if the owner is not asked, or does not answer."""
        for rule, value in self._values(state, window):
            if value is not None:
                return Choice(value, name_of(rule, self.apart(state, window)))
        return Choice(self.default(state, window))

    def hours(self, state: S, window: Window) -> int:
        """How long the owner has, if he is asked: as long as the first rule that asks him says."""
        for rule, value in self._values(state, window):
            if value is None:
                asks = next(item for item in (*rule.reactions, *rule.otherwise) if item.keyword == ASK)
                return int(asks.words[0])
        return HOURS

    def _may_ask(self, window: Window) -> bool:
        if self._asks is None or window.id in self._answers or not self.open(window) or window.id in self._asks.idle:
            return False
        if window.seat in self._asks.mute:
            self.unasked.setdefault(window.seat, set()).add(window.id)
            return False
        return True

    def _values(self, state: S, window: Window) -> Iterable[tuple[Rule, Value | None]]:
        """Yield what standing orders choose at a window, in the order of the rules; None has the owner asked."""
        rules = self.rules(window)
        return self._tried(state, window, rules) if rules else ()

    def _tried(self, state: S, window: Window, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Value | None]]:
        scene = self.scene(state, window)
        for rule in rules:
            for reaction in self.reactions(state, window, rule, scene):
                if reaction.keyword == ASK:
                    yield rule, None
                elif value := self.value(state, window, reaction):
                    yield rule, value

    def rules(self, window: Window) -> Sequence[Rule]:
        """The standing orders of the window's seat that may bear on it, the narrowest scope first."""
        return self.standing.get(window.seat, ())

    def apart(self, state: S, window: Window) -> str:
        """The window's seat if its side has several commanders, whose rules are told and counted apart."""
        return ""

    def open(self, window: Window) -> bool:
        """Whether there is anything to choose."""
        return len(window.options) > 1

    def fits(self, state: S, window: Window, given: Value) -> bool:
        """Whether an answer can be carried out as things are."""
        return given[0] in window.options

    @abstractmethod
    def scene(self, state: S, window: Window) -> C:
        """What the owner of the window sees there, once for all rules."""

    @abstractmethod
    def reactions(self, state: S, window: Window, rule: Rule, scene: C) -> Sequence[Reaction]:
        """The reactions of a rule that matches, none of one that does not."""

    @abstractmethod
    def value(self, state: S, window: Window, reaction: Reaction) -> Value:
        """What a reaction makes of the window; nothing if it is about something else or cannot be."""

    @abstractmethod
    def default(self, state: S, window: Window) -> Value:
        """What the rules say if nobody does."""


# Standing orders of a game whose reactions are its windows' options: who is meant by a line, and what it answers.


class Plain(Doctrine[Any, None]):
    """A rule speaks for all, for the unit that a window asks or for the place after ``>`` where it opens.

    A reaction answers with its keyword, where that is among the options; of those the first is the default.
    """

    def scene(self, state: object, window: Window) -> None:
        """Nothing but the window counts."""
        return None

    def reactions(self, state: object, window: Window, rule: Rule, scene: None) -> Sequence[Reaction]:
        """The reactions of a rule for this unit or place."""
        return rule.reactions if rule.scope.id in ("", window.subject, window.where.partition(">")[2]) else ()

    def value(self, state: object, window: Window, reaction: Reaction) -> Value:
        """The keyword, if it is offered."""
        return (reaction.keyword,) if reaction.keyword in window.options else ()

    def default(self, state: object, window: Window) -> Value:
        """The first option."""
        return (window.options[0],)
