"""Apply a ruling's correction of a position, as a pure function."""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine import edits
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame
from pbem.engine.terms import RejectedLine


class CorrectionResult(NamedTuple):
    """A correction's events, its state, refused words, and broken invariants."""

    events: tuple[Event, ...]
    state: object
    rejected: tuple[RejectedLine, ...] = ()
    wrong: tuple[str, ...] = ()


def correction_text(word: str, rest: str) -> str:
    """Return the text of a correcting ruling that a game parses."""
    side_and_points = edits.read_award(rest) if word == edits.AWARD_WORD else None
    return f"SIDE {side_and_points[0]} {edits.AWARD_WORD} {side_and_points[1]}" if side_and_points else rest


def apply_correction(rules: AnyGame, state: object, text: str, cite: str = "") -> CorrectionResult:
    """Return the events of a correction, citing its ruling, and the state after them.

    It is for rules that can be edited.
    """
    if rules.edit is None:
        return CorrectionResult((), state, (), ("positions of this game cannot be corrected",))
    parsed = rules.edit(state, text)
    if parsed.rejected:
        return CorrectionResult((), state, tuple(parsed.rejected))
    events = tuple(event._replace(cite=cite) for event in parsed.events)
    for event in events:
        state = rules.rules.apply(state, event)
    return CorrectionResult(events, state, (), tuple(rules.invariants(state)))
