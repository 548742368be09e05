"""A correction of a position as its ruling says it: pure, so that whoever has the letters makes the same of it."""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine import edits
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame
from pbem.engine.terms import Rejected


class Corrected(NamedTuple):
    """What comes of a correction: its events, the state after them, what is refused, and what would be wrong."""

    events: tuple[Event, ...]
    state: object
    rejected: tuple[Rejected, ...] = ()
    wrong: tuple[str, ...] = ()


def text_of(word: str, rest: str) -> str:
    """What a game is given to read of a ruling that corrects the position."""
    found = edits.award(rest) if word == edits.AWARD else None
    return f"SIDE {found[0]} {edits.AWARD} {found[1]}" if found else rest


def apply_correction(rules: AnyGame, state: object, text: str, cite: str = "") -> Corrected:
    """The events of a correction, citing its ruling, and the state after them, for rules that can be edited."""
    if rules.edit is None:
        return Corrected((), state, (), ("positions of this game cannot be corrected",))
    found = rules.edit(state, text)
    if found.rejected:
        return Corrected((), state, tuple(found.rejected))
    events = tuple(happened._replace(cite=cite) for happened in found.events)
    for happened in events:
        state = rules.rules.apply(state, happened)
    return Corrected(events, state, (), tuple(rules.invariants(state)))
