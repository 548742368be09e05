"""K4 The orders of a camp as records, each with the line of the letter it stands in."""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.orders.standing import Pass


class Refit(NamedTuple):
    """Steps to a unit that is ready."""

    line: int
    unit: str
    steps: int


class Rebuild(NamedTuple):
    """A broken unit comes back at half its full."""

    line: int
    unit: str


class Replace(NamedTuple):
    """A unit that is away takes the place of another of its type."""

    line: int
    unit: str
    new: str


class Bring(NamedTuple):
    """A formation comes to the next leg."""

    line: int
    formation: str


class Hospital(NamedTuple):
    """A formation's sick are cared for."""

    line: int
    formation: str


class Entrench(NamedTuple):
    """A space of the next leg is fortified."""

    line: int
    space: str


class Road(NamedTuple):
    """A path of the next leg is a road."""

    line: int
    start: str
    end: str


class Scout(NamedTuple):
    """The enemy's deployment is seen before one's own is due."""

    line: int


Action = Refit | Rebuild | Replace | Bring | Hospital | Entrench | Road | Scout | Pass
