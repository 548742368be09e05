"""What a game brings for a war: what its scenarios list, what a leg leaves, and the edition of a leg after a camp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pbem.engine.war.file import Leg
from pbem.engine.war.ledger import Fought
from pbem.engine.war.legs import Changes
from pbem.engine.war.verdict import Outcome


class Linked(Protocol):
    """The legs of a war, in one game."""

    def war(self, name: str) -> tuple[Mapping[str, Any], str]:
        """The file of a war as data and as text; KeyError if there is none, SourceError if it is broken."""
        ...

    def leg(self, scenario: str) -> Leg:
        """What a scenario brings to a war; ValueError if there is none, SourceError if it is broken."""
        ...

    def left(self, state: Any) -> Fought:
        """K1 What is left of everybody at the end of a leg, those who have yet to enter among them."""
        ...

    def outcome(self, state: Any) -> Outcome:
        """K7 How a leg ended."""
        ...

    def next_leg(self, legs: Sequence[str], scenario: str, wanted: Changes, options: Mapping[str, str]) -> Any:
        """K0 The edition of a leg after a camp; ValueError if none can be made."""
        ...
