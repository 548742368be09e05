"""What is decided about a tournament by somebody: lines of its docket, numbered, with reasons, each with its leaf.

A docket has the director's rulings, the verdicts of juries, and what the rules decided in the place of either.
"""

from __future__ import annotations

from pbem.campaign.base.server import Work
from pbem.campaign.contest import event_leaves
from pbem.store import queries, tables

__all__ = ["note_verdict"]


def note_verdict(work: Work, event: tables.Tournament, line: str, reason: str) -> int:
    """Write the next line of the docket, and its leaf, and return its number."""
    number = 1 + max((row.number for row in queries.tournaments.docket(work.session, event.id)), default=0)
    row = tables.Docket(tournament_id=event.id, number=number, at=work.now, line=line, reason=reason)
    work.session.add(row)
    work.session.flush()
    text = f"{number}. {line} BECAUSE {reason}"
    says = (("number", str(number)), ("text", event_leaves.sha256_of(text)))
    event_leaves.note(work, event, "verdict", says, text)
    return number
