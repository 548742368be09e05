"""What a game lacks: the members of `Game` that it has to bring and does not."""

from __future__ import annotations

from typing import Any

from pbem.engine.game import Game
from pbem.engine.parts import Telling

_DATA = ("name", "title", "rules", "telling")
_MAY_STAY = frozenset({"invariants", "rides"})
"""What does as it stands in `Game`."""
_RULES = ("step", "apply")
_TOLD = ("report", "happenings", "question")


def missing(game: Any) -> tuple[str, ...]:
    """Return the names of what the house asks of a game and it has not: ``parse``, ``telling.report``, ``rules.step``.

    A function that a class leaves as `Game` words it does nothing, and is missing as well.
    """
    lacking = [name for name in _DATA if getattr(game, name, None) is None]
    asked = [name for name, value in vars(Game).items() if callable(value) and not name.startswith("_")]
    lacking += [name for name in asked if name not in _MAY_STAY and not _has(game, name, Game)]
    rules, telling = getattr(game, "rules", None), getattr(game, "telling", None)
    lacking += [f"rules.{name}" for name in _RULES if rules is not None and not callable(getattr(rules, name, None))]
    lacking += [f"telling.{name}" for name in _TOLD if telling is not None and not _has(telling, name, Telling)]
    return tuple(lacking)


def _has(holder: Any, name: str, protocol: type) -> bool:
    """Whether a member is there, and not the one that the protocol only words."""
    found = getattr(holder, name, None)
    return callable(found) and getattr(type(holder), name, found) is not vars(protocol)[name]
