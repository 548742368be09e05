"""When a phase closes, in the log: said when it is opened, and said again whenever something moves it.

What counts is what was said last before the close. A moment is a unix second; a letter that came in it was in time.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pbem.audit import beacon
from pbem.letters import outbox
from pbem.log import sequencer, witnesses
from pbem.log.sequencer import AtHand
from pbem.runtime.transaction import Work
from pbem.store import tables

_CAUSES = {
    "held": "moderator",
    "mass": "outage",
    "bounces": "bounce",
    "unreachable": "bounce",
}
"""Causes of delays that the log calls otherwise: our word and the log's."""


class Closing(NamedTuple):
    """In which second a phase closes from now on, and why."""

    phase: str
    to: int
    cause: str


def note(work: Work, game: tables.Game, phase: tables.Phase, to: datetime, cause: str) -> None:
    """Log that the phase closes at another moment, and why; nothing if the log already says that moment."""
    name = str(outbox.phase_of(phase))
    note_moved(work, sequencer.at_hand(work.session, game.id, name), game.id, Closing(name, second(to), cause))


def note_moved(work: Work, known: AtHand, game: str, closing: Closing) -> AtHand:
    """Do what `note` does with the leaves that the caller has looked up; return them with the new one, if any."""
    phase, to, cause = closing
    said = known.newest("open", "deadline")
    if said is None or said.number("D") == to:
        return known
    opened = known.newest("open")
    number = round_of(opened("chain"), to + opened.number("delta")) if opened else 0
    says = (("phase", phase), ("D", str(to)), ("round", str(number)), ("cause", _CAUSES.get(cause, cause)))
    last = known.newest("open", "deadline", "roll")
    if number and to > said.number("D") and last == said:
        witnesses.ask_later(work, work.session.get_one(tables.Game, game), f"{phase} closes at {to}")
    return known.and_then(sequencer.append(work, sequencer.Note("deadline", says, game), after=known.rows[-1]))


def round_of(chain: str, since: int) -> int:
    """The number of a chain's first round at or after a second; 0 without a chain."""
    return 0 if chain == "none" else beacon.at_or_after(beacon.KNOWN[chain], since)


def second(moment: datetime) -> int:
    """A moment as the log has it."""
    return int(moment.timestamp())
