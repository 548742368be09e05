"""M2, M3 What a commander may know of the others of his side, and the enemy of any: part of each game's gate."""

from __future__ import annotations

from typing import Any, TypeVar

from pbem.engine.commanders.holding import commands_beside
from pbem.engine.data.events import Event
from pbem.engine.orders.doctrine import owner_of, without_owner
from pbem.engine.reasons import ANOTHERS
from pbem.engine.run.followed import BROKEN_OFF

P = TypeVar("P")


def closed_to(state: P, seat: str) -> P:
    """Return a position as a seat sees it: the commanding one is itself, the enemy's commands are nobody's.

    Who has been given whose unit, whose set is carried out and which joint lines wait only the side knows.
    """
    position: Any = state
    if not position.edition.commands:
        return state
    own = {one.seat for one in commands_beside(position, seat)}

    def ours(held: Any) -> Any:
        return {unit: holder for unit, holder in held.items() if holder in own}

    view: P = position.change(
        commanding=seat if own else "",
        assigned=ours(position.assigned),
        transfers=ours(position.transfers),
        joining=(),
        covered=(),
        silent=tuple(one for one in position.silent if one in own),
    )
    return view


def used_by(key: str, seat: str) -> bool:
    """Whether a count of standing orders (side, order, kind) is of this seat, or of a side with one commander."""
    order, _, _ = key.partition(" ")[2].rpartition(" ")
    return owner_of(key) in ("", seat) if order else True


def among_commands(happened: Event, seat: str, commanding: str) -> Event | None:
    """Return what a seat may know of an event of its own side, None if it is another commander's secret.

    That his STOP IF struck only he knows. Whose standing order decided the side knows, which line of them he alone.
    """
    if happened.kind == BROKEN_OFF and commanding not in ("", seat):
        return None
    by = happened.data.get("by", "")
    holder = owner_of(by) if isinstance(by, str) else ""
    if not holder:
        return happened
    told = without_owner(by) if holder == seat else f"{ANOTHERS}{holder}"
    return happened._replace(data={**happened.data, "by": told})
