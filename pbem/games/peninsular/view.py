"""What a seat may know: the one gate before reports, templates, suggestions and bots.

Counters lie open. Hidden are the enemy's orders: those of his divisions, the fire he has ordered, his orders that came
to nothing, and whether an act of his followed a standing order.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.commanders.gate import among_commands, closed_to, used_by
from pbem.engine.data.events import Event
from pbem.engine.run.followed import BROKEN_OFF
from pbem.engine.terms import ONLOOKER
from pbem.games.peninsular.setup.edition import SIDES, camp
from pbem.games.peninsular.state import State


def view(state: State, seat: str) -> State:
    """Return what `seat` may know of the position; to the onlooker both camps are the enemy."""
    ours = "" if seat == ONLOOKER else camp(state.edition.seats[seat])
    own = {key: n for key, n in state.uses.items() if camp(key.partition(" ")[0]) == ours and used_by(key, seat)}
    divisions = {
        name: d if camp(d.side) == ours or not (d.order or d.pending) else d._replace(order="", pending="")
        for name, d in state.divisions.items()
    }
    moves = state.phase in SIDES and camp(state.phase) == ours
    shots, stopped = state.shots if moves else (), state.stopped and moves and state.commanding in ("", seat)
    return closed_to(state.change(uses=own, divisions=divisions, shots=shots, stopped=stopped), seat)


def see(happened: Event, seat: str, before: State) -> Event | None:
    """Return what `seat` may know of an event, None if it is not for its eyes."""
    if happened.seen_by is not None and seat not in happened.seen_by:
        return None
    ours = "" if seat == ONLOOKER else camp(before.edition.seats[seat])
    if happened.kind == BROKEN_OFF and camp(happened.data["side"]) != ours:
        return None
    if happened.data.get("by") and camp(happened.data.get("side", "")) != ours:
        return happened._replace(data={key: value for key, value in happened.data.items() if key != "by"})
    return among_commands(happened, seat, before.commanding)


_TELLING = {"shock": ("T6.3", "ATTACK"), "rally": ("S2", "REORGANISE")}
"""Kinds of event, the modifier that an order of the counter's division gives it, and that order."""


def hindsight(view: State, happened: Sequence[Event]) -> State:
    """Return a view with the orders of divisions that events which came of it have told by their modifiers."""
    told = {}
    for one in happened:
        rule, order = _TELLING.get(one.kind, ("", ""))
        if any(modifier[0] == rule for modifier in one.data.get("modifiers", ())):
            unit = view.units.get(one.data["unit"])
            name = unit.division if unit is not None else ""
            if name in view.divisions and not view.divisions[name].order:
                told[name] = view.divisions[name]._replace(order=order)
    return view.change(divisions={**view.divisions, **told}) if told else view
