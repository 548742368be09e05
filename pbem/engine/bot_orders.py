"""What every bot of a game is put through: no line of its orders is one that the game's check refuses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from pbem.engine.bots import Bot, Pick
from pbem.engine.orders.actions import If
from pbem.engine.terms import Orders, Reading, Rejected, Seat


class Desk(NamedTuple):
    """How a game takes orders: it reads a side's text, puts its lines in the order in which they are carried out, holds
    them against what the side sees, and writes them."""

    parse: Callable[[str, Any, str], Reading]
    in_order: Callable[[Orders], Orders]
    check: Callable[[Any, str, Orders], Iterable[Rejected]]
    canon: Callable[[Orders], str]


def checked(bot: Bot, desk: Desk) -> Bot:
    """Return a bot that leaves out of its orders what is refused, until nothing is; what is sound it leaves alone."""

    def careful(view: Any, seat: Seat, pick: Pick) -> str:
        text, side = bot(view, seat, pick), view.edition.seats[seat]
        while (orders := desk.parse(text, view, side).orders).actions:
            refused = {bad.line for bad in desk.check(view, side, desk.in_order(orders))}
            if not refused:
                break
            left = tuple(without(orders.actions, refused))
            text = desk.canon(orders._replace(actions=left if left != orders.actions else ()))
        return text

    return careful


def without(actions: Iterable[Any], lines: Collection[int]) -> Iterator[Any]:
    """Yield actions but for those of some lines, which fall with all that stands under them; so does an empty IF."""
    for action in actions:
        if action.line in lines:
            continue
        if isinstance(action, If):
            then, otherwise = (tuple(without(some, lines)) for some in (action.then, action.otherwise))
            if then:
                yield action._replace(then=then, otherwise=otherwise)
        elif under := getattr(action, "actions", ()):
            yield action._replace(actions=tuple(without(under, lines)))
        else:
            yield action
