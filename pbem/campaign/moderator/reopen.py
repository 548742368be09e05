"""REOPEN: the players of a phase write again, for its next attempt, with a new deadline and new dice.

    REOPEN T3.spain BECAUSE ...

What the phase had led to, and all that came after it, is void. A phase that waits for answers may be reopened too; what
was asked is dropped. How often a phase was opened stands in every report of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.campaign.base import history, positions
from pbem.campaign.base.server import Broken
from pbem.campaign.moderator import corrections
from pbem.campaign.turn import attempts, rewind
from pbem.campaign.turn.ruling_context import Bench, Order
from pbem.core.data.messages import Msg, msg
from pbem.store import queries

__all__ = ["reopen", "reopen_told"]


def reopen_told(bench: Bench, order: Order) -> Sequence[Msg]:
    """What is played again and what is void; Broken if there is no such phase, or its players may write anyway."""
    row = rewind.named(bench, order, order.rest)
    here = positions.before(bench, bench.game)
    if row.state == "open" and not (here.by_letter and queries.phases.midway(bench.session, bench.game.id)):
        raise Broken(
            msg("{phase} is open: its players may write until its deadline, which DEADLINE moves.",
                phase=attempts.named(row))
        )  # fmt: skip
    attempt = 1 + queries.phases.last_attempt(bench.session, bench.game.id, row.turn, row.name)
    again = msg("{phase} is played again, attempt {attempt}: with new orders, a new deadline and new dice.",
                phase=attempts.named(row), attempt=attempt)  # fmt: skip
    dropped = tuple(corrections.since(bench, row))
    told = [msg("Corrections that hold no longer: {rulings}.", rulings=dropped)] if dropped else []
    return [again, *told, *rewind.void_told(bench, row)]


def reopen(bench: Bench, order: Order) -> None:
    """Open the phase again from the position that it began with."""
    ruling, row = rewind.number(bench), rewind.named(bench, order, order.rest)
    state = history.state_after(bench, bench.game, row.number - 1)
    voided = rewind.make_void(bench, row, ruling)
    here = rewind.begin_from(bench, row.number - 1, (), state, ruling)
    notes = {seat.name: [rewind.by(ruling, order)] for seat in queries.games.seats(bench.session, bench.game.id)}
    rewind.go_on(bench, here, voided, rewind.Start(notes=notes))
