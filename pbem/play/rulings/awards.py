"""AWARD: victory points that a moderator gives to a side, or takes from it, told to everybody in full.

    AWARD spain 2 BECAUSE the convoy was misplaced by a fault of the server

A game says whether it has such points; they count like all others from then on. It is a correction of the position
(corrections.py), and is stored, replayed and taken back as one.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine import edits
from pbem.engine.data.messages import Msg, msg
from pbem.play import corrected, positions
from pbem.play.rulings import corrections
from pbem.play.rulings.context import Order, RulingContext, open_phase
from pbem.runtime.transaction import Broken


def award_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    """Return what all are told: the points given now, and in all with these; Broken if the game has no such points."""
    open_phase(context)
    here = positions.before(context, context.game)
    rules, found = here.rules, edits.award(order.rest)
    if rules.awarding is None:
        raise Broken(msg("{game} has no points that a moderator could give.", game=rules.title))
    had = rules.awarding.awards(here.state)
    if found is None or found[0] not in had:
        raise Broken(
            msg("Say which side, and how many points: AWARD spain 2, or -2. The sides are: {sides}.", sides=tuple(had))
        )
    side, points = found
    told = msg(
        "Victory points awarded to {side}: {points}; by awards it then has {now}.",
        side=side,
        points=points,
        now=had[side] + points,
    )
    return told, *corrections.edit_told(context, _as_correction(order))


def award(context: RulingContext, order: Order) -> None:
    """Give a side points, or take some from it."""
    corrections.edit(context, _as_correction(order))


def _as_correction(order: Order) -> Order:
    return order._replace(rest=corrected.text_of(order.word, order.rest))
