"""How often a phase was opened, and what of it a ruling made void: counted, told, never thrown away.

A phase is opened anew with the next attempt whenever a ruling changes what it began from or takes its orders back. What
was void stays stored: its reports, its closed orders and its events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.game import Game
from pbem.engine.terms import Phase
from pbem.letters import outbox
from pbem.play import history
from pbem.store import queries, tables


def name_of(row: tables.Phase) -> str:
    """``T3.spain``; of a later attempt ``T3.spain~2``."""
    return str(outbox.phase_of(row)).removesuffix("~1")


def voided_by(session: Session, phase: tables.Phase) -> list[Msg]:
    """That a phase is not the first attempt, and by which rulings those before it are void; nothing of a first one."""
    if phase.attempt == 1:
        return []
    before = queries.phases.before(session, phase)
    rulings = tuple(dict.fromkeys(f"M{row.void_by}" for row in before if row.void_by))
    first = str(Phase(phase.turn, phase.name)).removesuffix("~1")
    return [
        msg(
            "{phase} is at attempt {attempt}; what was before is void by ruling: {rulings}.",
            attempt=phase.attempt,
            phase=first,
            rulings=rulings,
        )
    ]


def corrections(rules: Game, seat: str, state: Any, events: Sequence[Event]) -> tuple[Entry, ...]:
    """Corrections as a seat saw them."""
    happened = []
    for one in events:
        happened.append((one, state))
        state = rules.rules.apply(state, one)
    return rules.telling.happenings(history.view_events(rules, seat, happened))


def slates(session: Session, phase: tables.Phase) -> tuple[bytes, ...]:
    """The slates that a phase was closed with, segment by segment."""
    later = [segment.slate for segment in queries.phases.segments(session, phase)]
    return tuple(slate.encode("utf-8") for slate in later or [phase.slate or ""])
