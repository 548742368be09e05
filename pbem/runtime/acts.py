"""Acts: what happened to a game, told to the listeners in the transaction in which it happened.

Whoever does a thing writes it to the log himself, in sight. Listeners are for what follows from it: press that was
kept, reports to observers, letters to witnesses, the letters that open everything. Who listens, and in which order,
stands in one table (`door.listeners`), which the server is made with.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from pbem.engine.data.events import Event
from pbem.store import tables


class Kind(Enum):
    """The kinds of acts."""

    OPENED = "opened"
    """A phase is open, and its seats are told of what led to it."""
    CLOSED = "closed"
    """A list of orders, or of answers, is closed."""
    RESOLVED = "resolved"
    """The dice of a phase are rolled, or those of one letter of a phase that is still open."""
    RULED = "ruled"
    """A moderator has ruled, and everybody is told."""
    TAKEN_UP = "taken up"
    """K8 A part of a war that was over is about to be played on; `phase` is the one that it is taken up at."""
    VACANT = "vacant"
    """A seat of a game needs somebody."""
    OVER = "over"
    """The game is over: by its last phase, or by the will of its players or moderator."""


class Act(NamedTuple):
    """Something that happened to a game, as listeners are told it.

    `state` is the position after it and `happened` each event that led there with the state before it; without a state
    there is nothing to report. `phase` is the one that is open now, or closed, or None once the game is over; `number`
    phases are behind it. `cause` tells the act from others of the same phase.
    """

    kind: Kind
    game: tables.Game
    phase: tables.Phase | None = None
    state: Any = None
    happened: tuple[tuple[Event, Any], ...] = ()
    number: int = 0
    cause: str = ""
