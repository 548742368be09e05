"""M6 Orders of the commander-in-chief that ride: ASSIGN, RELIEVE, ORDER OF MARCH, in force once they have arrived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.engine.commanders.holding import command_of
from pbem.engine.couriers.routes import AT_ONCE, delay
from pbem.engine.data.events import Event


def under_couriers(state: Any) -> bool:
    """Whether couriers ride in a game; positions of some games know nothing of them."""
    return getattr(state, "known", None) is not None


def in_force(state: Any, seats: Sequence[str], ordered: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """M2, M6 Return the order of march that is in force in a side's phase, and the one that has to ride first.

    `seats` are those of the side by rank. Without couriers, and where it reaches at once all whom it names, what is
    ordered is in force; else what has arrived by now.
    """
    if not under_couriers(state):
        return ordered, ()
    if ordered and all(delay(state, seats[0], seat) == AT_ONCE for seat in ordered):
        return ordered, ()
    side = state.edition.commands[seats[0]].side
    return next((march for of, march in state.known.march if of == side), ()), ordered


def known_under(state: Any, chief: str, command: str) -> tuple[str, ...]:
    """M4 Return the units that a commander-in-chief takes to be under a command, by what he has heard."""
    heard = {unit: holder for seat, unit, holder in state.known.given if seat == chief}
    lost = {unit for seat, unit in state.known.gone if seat == chief}
    homes = {**state.edition.homes, **heard}
    return tuple(sorted(unit for unit, holder in homes.items() if holder == command and unit not in lost))


def riding(state: Any, chief: str, kind: str, units: Sequence[str], seats: Sequence[str]) -> Event:
    """Return the event by which an errand leaves, or is done where it reaches at once all whom it is for.

    Those are the commands that `seats` names, and those under which `units` are.
    """
    numbers, side = state.edition.ON_COMMANDERS, state.edition.commands[chief].side
    readers = sorted({*seats, *(command_of(state, unit) for unit in units)} - {""})
    late = max(delay(state, chief, reader) for reader in readers)
    rule = numbers.gives if kind == "assign" else numbers.sets
    data = {"side": side, "kind": kind, "units": [*units], "seats": [*seats], "readers": readers}
    if late == AT_ONCE:
        every = tuple(dict.fromkeys((chief, *readers)))
        return Event("errand done", rule, {**data, "readers": [*every]}, every)
    return Event("errand rides", rule, {**data, "seat": chief, "late": late}, (chief,))
