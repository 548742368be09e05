"""Standing orders of a game whose reactions are its windows' options: who is meant by a line, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.engine.orders.doctrine import Doctrine
from pbem.engine.orders.standing import Reaction, Rule
from pbem.engine.run.questions import Value
from pbem.engine.run.steps import Window


class Plain(Doctrine[Any, None]):
    """A rule speaks for all, for the unit that a window asks or for the place after ``>`` where it opens.

    A reaction answers with its keyword, where that is among the options; of those the first is the default.
    """

    def scene(self, state: Any, window: Window) -> None:
        """Nothing but the window counts."""
        return None

    def reactions(self, state: Any, window: Window, rule: Rule, scene: None) -> Sequence[Reaction]:
        """The reactions of a rule for this unit or place."""
        return rule.reactions if rule.scope.id in ("", window.subject, window.where.partition(">")[2]) else ()

    def value(self, state: Any, window: Window, reaction: Reaction) -> Value:
        """The keyword, if it is offered."""
        return (reaction.keyword,) if reaction.keyword in window.options else ()

    def default(self, state: Any, window: Window) -> Value:
        """The first option."""
        return (window.options[0],)
