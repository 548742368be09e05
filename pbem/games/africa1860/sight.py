"""C0 `fog`, M6 What a side or a command sees of the map: its units, the spaces next to them, what fights there."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.commanders.holding import command_of
from pbem.engine.couriers.known import Hearsay, Sighting
from pbem.engine.couriers.riding import Couriers
from pbem.engine.couriers.routes import AT_ONCE, delay, others
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.state import Fight, State

UNSEEN = "?"
"""What stands for a space or a unit out of sight in an event that is seen in part."""


def by_couriers(state: State, seat: str) -> bool:
    """M6 Whether a seat is that of a command which hears of the others of its side by couriers."""
    return state.known is not None and seat in state.edition.commands


def sight(state: State, seat: str) -> frozenset[str]:
    """Return the spaces a seat sees under fog, or a side: those of its units, and those next to them.

    K6 While a side deploys whose scouts saw how the enemy did, it sees all of them. M6 Under couriers a command sees
    what its own units do, with what those do whose leader is in the next space; of a fight of which it sees anything it
    sees the whole field.
    """
    side = state.edition.seats.get(seat, seat)
    if state.second and side == state.edition.sees:
        return frozenset(state.edition.map.spaces)
    if not by_couriers(state, seat):
        return _around(state, (unit.at for unit in state.units.values() if unit.side == side))
    seen = watched(state, seat).union(_through_others(state, seat))
    field = field_of(state, state.fight)
    return seen | field if field & seen else seen


def watched(state: State, seat: str) -> frozenset[str]:
    """M6 Return the spaces that a command's own units see."""
    side = state.edition.seats[seat]
    return _around(state, (u.at for u in state.units.values() if u.side == side and command_of(state, u.id) == seat))


def _around(state: State, places: Iterable[str]) -> frozenset[str]:
    own = frozenset(places)
    return own.union(*map(state.edition.map.neighbours, own))


def _through_others(state: State, seat: str) -> Iterable[str]:
    """M6 What those see whose leader is next to this one's; in a view it is what they saw as it was taken."""
    if state.known is not None and state.known.eyes is not None:
        return state.known.eyes if state.commanding == seat else ()
    near = (other for other in others(state, seat) if delay(state, seat, other) == AT_ONCE)
    return frozenset().union(*(watched(state, other) for other in near))


def field_of(state: State, fight: Fight | None) -> frozenset[str]:
    """Return the spaces that a fight is fought in, those of its guns among them."""
    if fight is None:
        return frozenset()
    guns = (state.units[gun].at for group in fight.support for gun in group if gun in state.units)
    return frozenset({fight.origin, fight.target, fight.between or fight.target, *guns})


def dated(view: State, seat: str) -> dict[str, Sighting]:
    """M6 Return what a seat last heard of spaces out of its sight, by space; nothing without couriers."""
    if not by_couriers(view, seat) or view.known is None or view.phase == "over":
        return {}
    seen = sight(view, seat)
    return {one.place: one for one in view.known.seen if one.seat == seat and one.place not in seen}


COURIERS = Couriers(SIDES, watched, sight)
"""M6 The couriers of this game."""


def councilled(state: State) -> State:
    """M6 Return a position in which every command knows where its side stands, and what each of it sees."""
    bare = state.change(known=Hearsay())
    return bare.change(known=COURIERS.council(bare))
