"""M2.2 One assault of two commands: their lines wait for each other, and are carried out as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.engine.commanders.holding import side_and_seats
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.actions import flat


def met(state: Any, order: Any, origin: str) -> Any | None:
    """M2.2 Return one assault made of an order and of the line that waits for it; None if none does.

    It is led as the senior says: with the vanguard, screen and whatever else his line names. The junior's line
    names units, and a leader who goes along.
    """
    seat = state.commanding
    for one, other, at, row in state.joining:
        waits = type(order)(*row)
        if (one, other, at, waits.target, waits.verb) != (order.joint, seat, origin, order.target, order.verb):
            continue
        older = state.edition.rank(one) < state.edition.rank(seat)
        lead, led = (waits, order) if older else (order, waits)
        along = {led.leader} - {"", *lead.units, lead.leader}
        units = tuple(sorted({*lead.units, *led.units, *along}))
        return lead._replace(line=order.line, units=units, joint="", jointly=(seat, one))
    return None


def waits(state: Any, order: Any, origin: str) -> Event:
    """M2.2 Return the event that a line waits for the other command's, in whose set it is carried out."""
    side, _ = side_and_seats(state, state.commanding)
    data = {"side": side, "seat": state.commanding, "other": order.joint, "at": origin, "order": [*order]}
    return Event("joins", state.edition.ON_COMMANDERS.joint, data, (state.commanding,))


def joined(state: Any, order: Any) -> Event:
    """M2.2 Return the event that two lines are carried out as one."""
    side, seats = side_and_seats(state, state.commanding)
    data = {"side": side, "seats": [*order.jointly], "at": order.target, "units": [*order.units]}
    return Event("joined", state.edition.ON_COMMANDERS.joint, data, seats)


def alone(actions: Sequence[Any]) -> tuple[Any, ...]:
    """M2.2 Return orders with each joint line as if it stood by itself, to be weighed where the other is not known."""

    def one(action: Any) -> Any:
        if hasattr(action, "then"):
            return action._replace(then=alone(action.then), otherwise=alone(action.otherwise))
        if hasattr(action, "actions"):
            return action._replace(actions=alone(action.actions))
        return _by_itself(action) if getattr(action, "joint", "") else action

    return tuple(map(one, actions))


def _by_itself(order: Any) -> Any:
    """A line without the other, and without what it says of units that the other names."""
    own = {*order.units, order.leader, "NONE", ""}
    named = {name: getattr(order, name) for name in ("vanguard", "screen") if hasattr(order, name)}
    lists = {name: getattr(order, name) for name in ("losses", "detach") if hasattr(order, name)}
    kept = {name: ident if ident in own else "" for name, ident in named.items()}
    kept |= {name: tuple(ident for ident in idents if ident in own) for name, idents in lists.items()}
    return order._replace(joint="", **kept)


def notes(actions: Sequence[Any]) -> tuple[tuple[int, Msg], ...]:
    """M2.2 Return, for each joint line, that it is weighed without the other, with its line."""
    lines = flat(actions, lambda one: getattr(one, "actions", ()))
    return tuple(
        (one.line, msg("joint with {seat}: odds without his line", seat=one.joint))
        for one in lines
        if getattr(one, "joint", "")
    )
