"""REOPEN: the players of a phase write again, for its next attempt, with a new deadline and new dice.

    REOPEN T3.spain BECAUSE ...

What the phase had led to, and all that came after it, is void. A phase that waits for answers may be reopened too; what
was asked is dropped. How often a phase was opened stands in every report of it.

K8 A battle or a camp of a war that is over may be taken up again so, as long as turn 1 of the next battle has not
closed: what has followed from its end is void as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.play import history, phase_states, positions, rollback, war_progress
from pbem.play.rulings import corrections
from pbem.play.rulings.context import Order, RulingContext
from pbem.runtime.acts import Act, Kind
from pbem.runtime.transaction import Broken
from pbem.store import queries


def reopen_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    """What is played again and what is void; Broken if there is no such phase, or its players may write anyway."""
    void = war_progress.followers(context, context.game) if context.game.state == "over" else ()
    row = rollback.phase_named(context, order, order.rest, over=True)
    here = positions.before(context, context.game)
    if row.state == "open" and not (here.by_letter and queries.phases.midway(context.session, context.game.id)):
        raise Broken(
            msg(
                "{phase} is open: its players may write until its deadline, which DEADLINE moves.",
                phase=history.name_of(row),
            )
        )
    attempt = 1 + queries.phases.last_attempt(context.session, context.game.id, row.turn, row.name)
    again = msg(
        "{phase} is played again, attempt {attempt}: with new orders, a new deadline and new dice.",
        phase=history.name_of(row),
        attempt=attempt,
    )
    dropped = tuple(corrections.since(context, row))
    told = [msg("Corrections that hold no longer: {rulings}.", rulings=dropped)] if dropped else []
    parts = [msg("The war is taken up again here. Void, and kept: {games}.", games=tuple(one.id for one in void))]
    return [again, *told, *(parts if void else []), *rollback.void_told(context, row)]


def reopen(context: RulingContext, order: Order) -> None:
    """Open the phase again from the position that it began with."""
    ruling, row = rollback.number(context), rollback.phase_named(context, order, order.rest, over=True)
    if context.game.state == "over":
        context.tell(Act(Kind.TAKEN_UP, context.game, row, cause=order.because))
    state = history.state_after(context, context.game, row.number - 1)
    voided = phase_states.make_void(context.session, row, ruling)
    here = rollback.begin_from(context, row.number - 1, (), state, ruling)
    notes = {seat.name: [rollback.by(ruling, order)] for seat in queries.games.seats(context.session, context.game.id)}
    rollback.go_on(context, here, voided, rollback.Start(notes=notes))
