"""Orders as plain data: what a line of a letter says once it is understood.

`line` counts in the text the order was read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from pbem.engine.commanders.orders import Assign, Cover, March, Relieve, Show, Wait
from pbem.engine.deployment import Deploy
from pbem.engine.orders.grammar import Ids
from pbem.engine.orders.standing import If, Pass, Stop, flat
from pbem.games.africa1860.state import State


class Activate(NamedTuple):
    """O2 A space and what its units do, in order."""

    line: int
    space: str
    actions: tuple[Action, ...] = ()


class Move(NamedTuple):
    """O3 Units and leaders to a space, by `via` if two spaces off and more than one way leads there."""

    line: int
    units: Ids
    leaders: Ids
    to: str
    via: str = ""


class Fire(NamedTuple):
    """O7 Shots in the order written, each a group of guns, at a space."""

    line: int
    shots: tuple[Ids, ...]
    at: str


class Assault(NamedTuple):
    """O8 An assault (`verb` ASSAULT) or a charge (CHARGE).

    Vanguard and screen left open are empty; the screen NONE says that there is to be none. M2.2 `joint` is the
    command in whose set the other line of a joint assault stands, `jointly` are both once two lines are one.
    """

    line: int
    verb: str
    target: str
    units: Ids
    leader: str = ""
    vanguard: str = ""
    screen: str = ""
    support: tuple[Ids, ...] = ()
    detach: Ids = ()
    losses: Ids = ()
    via: str = ""
    joint: str = ""
    jointly: Ids = ()


class Caracole(NamedTuple):
    """O3.3 Cavalry at an adjacent space and back to friends; several units caracole one after another."""

    line: int
    units: Ids
    at: str
    back: str = ""


class Retire(NamedTuple):
    """O5, R8 Demoralised units towards their nearest rear town; without a space as far as they may."""

    line: int
    units: Ids
    to: str = ""


Orders = Activate | Move | Fire | Assault | Caracole | Retire | Deploy | Pass | Stop
Action = Orders | March | Wait | Show | Assign | Relieve | Cover | If["Action"]


def under(action: Action) -> tuple[Action, ...]:
    """O2 Return what the units of an activated space do."""
    return action.actions if isinstance(action, Activate) else ()


def placed(actions: Iterable[Action], space: str = "") -> Iterator[tuple[str, Action]]:
    """Yield every order that might be carried out with the space that is activated for it; `space` if none is yet."""
    for action in flat(actions):
        if isinstance(action, Activate):
            yield from placed(action.actions, action.space)
        else:
            yield space, action


def spaces_of(state: State, action: Action) -> tuple[str, ...]:
    """Return where the units of an order stand, which is where they act."""
    units = chain.from_iterable(action.shots) if isinstance(action, Fire) else getattr(action, "units", ())
    named = (*units, *getattr(action, "leaders", ()))
    return tuple(sorted({state.units[ident].at for ident in named if ident in state.units}))
