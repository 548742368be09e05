"""BEACON CHANGE: what the dice of a closed list follow from if the beacon's round does not come.

    BEACON CHANGE T3.spain none BECAUSE ...
    BEACON CHANGE T3.spain quicknet BECAUSE ...

It can be ruled only once the round is hours late, so that no game waits for ever; with quicknet they wait for a round
of that chain that is still to come. The orders stay closed as they are, and the dice of that phase have grade C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from pbem.audit import beacon
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.play import beacons, log_entries, phases, rollback
from pbem.play.positions import position
from pbem.play.rulings.context import Order, RulingContext, name_of, playing
from pbem.runtime.terms import BEACONS
from pbem.runtime.transaction import Broken
from pbem.store import queries, tables

_REST = re.compile(r"(?:CHANGE|CAMBIAR)\s+(\S+)\s+(\S+)", re.IGNORECASE)
_NONE = ("ninguno",)
"""What ``none`` is called in Spanish."""


def change_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    """What the dice follow from then; Broken if no round is late enough for that."""
    playing(context, "running")
    phase, wanted = _phase_and_beacon(context, order)
    number, out = _waited_for(context, phase)
    if context.now < out + context.server.late:
        raise Broken(
            msg(
                "Round {round} of the beacon should come out at {when}; only {late} after that can another take its "
                "place.",
                round=number,
                when=content.when(out, context.game.zone),
                late=content.hours(int(context.server.late.total_seconds()) // 3600),
            )
        )
    what = msg(
        "The dice of {phase} wait for round {round} of the beacon no longer, which has not come. They follow "
        "from the closed orders and a key of this server alone.",
        phase=name_of(phase),
        round=number,
    )
    if wanted != "none":
        what = msg(
            "The dice of {phase} wait for round {round} of the beacon no longer, which has not come, but for a "
            "later one.",
            phase=name_of(phase),
            round=number,
        )
    return (
        what,
        msg(
            "The orders stay closed as they are. These dice are of grade C: whoever runs this server could foresee "
            "them, or choose when this was ruled."
        ),
    )


def change(context: RulingContext, order: Order) -> None:
    """Note it, and go on with the phase if it waits for no round any more."""
    phase, wanted = _phase_and_beacon(context, order)
    beacons.wait_for_another(context, context.game, phase, log_entries.CHAINS[wanted], rollback.number(context))
    if wanted == "none":
        phases.carry_on(context, position(context, context.game), phase)


def _phase_and_beacon(context: RulingContext, order: Order) -> tuple[tables.Phase, str]:
    """The phase that a line names, which waits for a round, and what its dice are to wait for."""
    found = _REST.fullmatch(order.rest)
    if found is None:
        raise Broken(msg("It reads BEACON CHANGE T3.spain none, or quicknet in the place of none."))
    word = "none" if found[2].casefold() in _NONE else found[2].casefold()
    if word not in BEACONS:
        raise Broken(msg("A beacon is one of {beacons}, not {word}.", beacons=BEACONS, word=found[2]))
    phase = queries.phases.closed_phase(context.session, context.game.id)
    if phase is None or beacons.so_far(context, phase).waits_for is None:
        raise Broken(msg("No dice of {game} wait for a beacon.", game=context.game.id))
    if beacons.board_of(context, phase):
        raise Broken(
            msg(
                "The dice of {phase} are those of other tables too; REOPEN gives this one its own.",
                phase=name_of(phase),
            )
        )
    if found[1].casefold() not in (name_of(phase).casefold(), str(outbox.phase_of(phase)).casefold()):
        raise Broken(msg("The dice of {phase} wait for a beacon; name that phase.", phase=name_of(phase)))
    return phase, word


def _waited_for(context: RulingContext, phase: tables.Phase) -> tuple[int, datetime]:
    """The number of the round that is waited for, and when it should have come out."""
    held = beacons.so_far(context, phase).waits_for
    if held is None:
        raise LookupError(f"no list of {phase.game_id} waits for a round")
    chain, number = held
    return number, datetime.fromtimestamp(beacon.moment(beacon.KNOWN[chain], number), UTC)
