"""M1, M3 Whose a unit is, and who answers for the units of a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pbem.engine.commanders.table import Command
from pbem.engine.data.messages import Msg, msg


class Held(Protocol):
    """A unit, as far as commands are concerned."""

    @property
    def id(self) -> str:
        """What it is called."""
        ...

    @property
    def side(self) -> str:
        """Whose it is."""
        ...


class Commanded(Protocol):
    """A position of a game in which a side may have several commanders.

    `commanding` is the seat whose set is carried out, or who looks; `assigned` are the units that were given to another
    command than that of the scenario, with its seat; `silent` are seats whose last set was empty, `covered` those of
    them whose units the set orders as well. The edition's `commands` are by seat.
    """

    edition: Any
    units: Mapping[str, Any]
    commanding: str
    assigned: Mapping[str, str]
    silent: tuple[str, ...]
    covered: tuple[str, ...]


U = TypeVar("U", bound=Held)


def commands_beside(state: Commanded, seat: str) -> tuple[Command, ...]:
    """Return the commands of a seat's side by rank, its own among them; none if it has the whole side."""
    commands: Mapping[str, Command] = state.edition.commands
    own = commands.get(seat)
    return () if own is None else tuple(one for one in commands.values() if one.side == own.side)


def command_of(state: Commanded, ident: str) -> str:
    """M1 Return the seat of the command that a unit is under, the empty string if its side has no commands.

    A leader who takes a lost one's place (``Prim-2``) is under that one's command; whom the scenario does not name is
    under the commander-in-chief.
    """
    given = state.assigned.get(ident) or state.edition.homes.get(ident, "")
    if not given and state.edition.commands:
        if ident.endswith("-2"):
            return command_of(state, ident.removesuffix("-2"))
        unit = state.units.get(ident)
        return "" if unit is None else chief(state, unit.side)
    return str(given)


def chief(state: Commanded, side: str) -> str:
    """Return the seat of a side's commander-in-chief, the empty string if it has no commands."""
    commands: Mapping[str, Command] = state.edition.commands
    return next((one.seat for one in commands.values() if one.side == side), "")


def under_others(state: Commanded) -> Mapping[str, str]:
    """M1 Return the units that the commanding seat may not order though they are of its side, with their seats."""
    seat = state.commanding
    if not seat:
        return {}
    beside = {one.seat for one in commands_beside(state, seat)}
    every = {**state.edition.homes, **{ident: command_of(state, ident) for ident in state.units}}
    held = {ident: command_of(state, ident) for ident in every}
    beside -= {seat, *state.covered}
    return {ident: holder for ident, holder in held.items() if holder in beside}


def units_of(state: Commanded, seat: str) -> tuple[str, ...]:
    """M1 Return the units in play under a command, by id."""
    return tuple(ident for ident in sorted(state.units) if command_of(state, ident) == seat)


def asked(state: Commanded, seat: str) -> bool:
    """Return whether a seat is asked for orders: not a commander without units in play, unless he is in chief.

    M6 Under couriers every commander is: who is not would tell the others how it stands with him.
    """
    return state.edition.rank(seat) == 1 or getattr(state, "known", None) is not None or bool(units_of(state, seat))


def side_and_seats(state: Commanded, seat: str) -> tuple[str, tuple[str, ...]]:
    """Return the side of a command, and the seats of all its commands by rank."""
    return state.edition.commands[seat].side, tuple(one.seat for one in commands_beside(state, seat))


def anothers(state: Commanded, ident: str, besides: Sequence[str] = ()) -> str:
    """M1 Return the seat under which a unit is whom the commanding seat may not order; empty if it may.

    `besides` are commands that take part in a joint assault (M2.2).
    """
    if not state.commanding:
        return ""
    holder = command_of(state, ident)
    return "" if holder in ("", state.commanding, *state.covered, *besides) else holder


def uncovered(state: Commanded, seat: str, command: str) -> Msg | None:
    """M4 Return why a seat may not cover a command of its side, None if it may.

    Who covers is the commander-in-chief, or the next in rank where those above are silent as well.
    """
    if getattr(state, "known", None) is not None:
        return msg("where couriers ride nobody hears in time who is silent")
    if command not in state.silent:
        return msg("{command} is not silent: who sends nothing in a phase is covered in the next", command=command)
    first = next(one.seat for one in commands_beside(state, seat) if one.seat not in state.silent or one.seat == seat)
    if first != seat:
        return msg("{seat} covers him: he is before you by rank", seat=first)
    return None


def held_by(state: Commanded, seat: str, ident: str) -> bool:
    """M1 Whether a seat may order a unit of its side; true for all of them if the side has no commands."""
    return not seat or command_of(state, ident) in ("", seat)


def apart(state: Commanded, seat: str) -> str:
    """M3 Return the seat if its standing orders are told and counted apart from those of others of its side."""
    return seat if seat in state.edition.commands else ""


def senior(state: Commanded, units: Iterable[U], *kinds: Callable[[U], bool]) -> str:
    """M3 Return the seat of the highest in rank with one of these units of a side; the empty string for no command.

    Only units of the first of `kinds` that any of them is are looked at: those who fight and are steady, then those who
    fight.
    """
    commands: Mapping[str, Command] = state.edition.commands
    if not commands:
        return ""
    here = list(units)
    for fits in (*kinds, _any):
        seats = {command_of(state, unit.id) for unit in here if fits(unit)} - {""}
        if seats:
            return min(seats, key=lambda seat: (commands[seat].rank, seat))
    return ""


def _any(unit: Held) -> bool:
    return True


def seats_told(state: Commanded, seats: tuple[str, ...], jointly: tuple[str, ...] = ()) -> tuple[str, ...]:
    """M2 Return who is told what becomes of an order: of a side's seats the one whose set is carried out, else all.

    `jointly` are those who gave it together (M2.2).
    """
    return jointly or ((state.commanding,) if state.commanding in seats else seats)
