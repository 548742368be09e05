"""M1, M3 Command of units: owner, answers, knowledge of commanders.

A scenario assigns the units of a side to commands::

    [commands.prim]
    side = "spain"
    name = "II Corps"
    leader = "Prim"
    rank = 2
    units = ["Cordoba", "Castilla"]

The table's name is the seat. Its leader is one of its units, although `units` does not list him.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.sources import SourceError, line_number_of
from pbem.engine.orders.doctrine import owner_of, without_owner
from pbem.engine.reasons import OTHERS_ORDER_PREFIX
from pbem.engine.run.steps import BROKEN_OFF

COMMANDS_KEY = "commands"
"""The name of the scenario's table of commands, and of the option that uses it."""
COMMANDS_VALUES = ("one", "split")
"""The values of an edition's option `commands`, the default first."""
_FIELDS = {"side": str, "name": str, "leader": str, "rank": int, "units": list}


class RuleNumbers(NamedTuple):
    """The numbers of a game's rules on commanders.

    In order, the rules are about: command of units, sets, waiting, joint assaults, answers, transfers of units,
    showing orders to the side, couriers, and reports.
    """

    own: str = ""
    sets: str = ""
    waits: str = ""
    joint: str = ""
    answers: str = ""
    gives: str = ""
    together: str = ""
    couriers: str = ""
    reports: str = ""


class Command(NamedTuple):
    """Units of a side under one seat; rank 1 is the commander-in-chief."""

    seat: str
    side: str
    name: str
    leader: str
    rank: int
    units: tuple[str, ...]


def commands_of(scenario: Mapping[str, Json]) -> Mapping[str, Command]:
    """Return the commands of a scenario by seat, in the order of side and rank."""
    commands = [
        Command(seat, row["side"], row["name"], row["leader"], row["rank"], _units(row))
        for seat, row in scenario.get(COMMANDS_KEY, {}).items()
    ]
    return {
        command.seat: command
        for command in sorted(commands, key=lambda command: (command.side, command.rank, command.seat))
    }


def _units(row: Mapping[str, Json]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((row["leader"], *row["units"])))


def with_command_seats(scenario: Mapping[str, Json], options: Mapping[str, str]) -> Mapping[str, Json]:
    """M1 Return a scenario with a seat for each command, or without commands.

    Without the option, an edition is the same as before its scenario had commands. Raise ValueError if the
    option is on and there are none.
    """
    rest = {key: value for key, value in scenario.items() if key != COMMANDS_KEY}
    if options.get(COMMANDS_KEY, COMMANDS_VALUES[0]) == COMMANDS_VALUES[0]:
        return rest
    commands = commands_of(scenario)
    if not commands:
        raise ValueError("commands = split: the scenario names no commands, so that there is nothing to split")
    split = {command.side for command in commands.values()}
    sides: Mapping[str, str] = scenario.get("seats", {})
    seats = {seat: side for seat, side in sides.items() if side not in split}
    return {**scenario, "seats": {**seats, **{command.seat: command.side for command in commands.values()}}}


def check_commands(
    data: Mapping[str, Any], units: Mapping[str, str], party: Callable[[str], str], source: tuple[str, str]
) -> None:
    """M1 Raise SourceError for invalid commands of a scenario.

    Each unit of a side with commands is under exactly one of them, including those that enter later; ranks count
    from 1. `units` maps all units to their sides, `party` returns the party that orders the units of a side,
    `source` is the text of the file and its name.
    """
    text, file = source
    for seat, row in data.get(COMMANDS_KEY, {}).items():
        _check_row(seat, row, source)
    seats: Mapping[str, str] = data.get("seats", {})
    for seat, command in commands_of(data).items():
        _check_seat(seat, command.side, seats, source)
    owner: dict[str, str] = {}
    ranks: dict[str, list[int]] = {}
    for seat, command in commands_of(data).items():
        line = line_number_of(text, f"[{COMMANDS_KEY}.{seat}]")
        ranks.setdefault(party(command.side), []).append(command.rank)
        for unit in command.units:
            if unit not in units or party(units[unit]) != party(command.side):
                raise SourceError(file, line, f"{unit} is no unit of {command.side}")
            if owner.setdefault(unit, seat) != seat:
                raise SourceError(file, line, f"{unit} is under {owner[unit]} already")
    for side, numbers in ranks.items():
        if sorted(numbers) != [*range(1, len(numbers) + 1)]:
            raise SourceError(
                file, line_number_of(text, f"[{COMMANDS_KEY}."), f"the ranks of {side} are not 1 to {len(numbers)}"
            )
    unassigned = [unit for unit, side in units.items() if party(side) in ranks and unit not in owner]
    if unassigned:
        raise SourceError(file, line_number_of(text, f" {unassigned[0]} "), f"{unassigned[0]} is under no command")


def _check_seat(seat: str, side: str, seats: Mapping[str, str], source: tuple[str, str]) -> None:
    text, file = source
    line = line_number_of(text, f"[{COMMANDS_KEY}.{seat}]")
    if side not in seats.values():
        raise SourceError(file, line, f"nobody plays {side}, of which {seat} is to have a command")
    if seats.get(seat, side) != side:
        raise SourceError(file, line, f"{seat} is a seat of {seats[seat]} already")


def _check_row(seat: str, row: object, source: tuple[str, str]) -> None:
    text, file = source
    line = line_number_of(text, f"[{COMMANDS_KEY}.{seat}]")
    if not isinstance(row, Mapping) or {*row} != {*_FIELDS}:
        raise SourceError(file, line, f"a command has {', '.join(_FIELDS)}")
    for key, kind in _FIELDS.items():
        if not isinstance(row[key], kind) or isinstance(row[key], bool):
            raise SourceError(file, line, f"the {key} of {seat} cannot be {row[key]!r}")
    names: Sequence[Any] = row["units"]
    if invalid := [name for name in names if not isinstance(name, str)]:
        raise SourceError(file, line, f"{invalid[0]!r} is no unit")


# M1, M3 The command of a unit, and who answers for the units of a place.


class OwnedUnit(Protocol):
    """A unit, as far as commands need it."""

    @property
    def id(self) -> str:
        """Return its id."""
        ...

    @property
    def side(self) -> str:
        """Return its side."""
        ...


class CommandedPosition(Protocol):
    """A position of a game in which a side may have several commanders.

    `commanding` is the seat whose set is carried out, or the seat of a view. `assigned` are the units given to
    another command than in the scenario, with its seat, `transfers` those to be given with the next turn. `joining`
    are lines that wait for another command's. `silent` are seats whose last set was empty; `covered` are those of
    them whose units the present set may order too. The edition's `commands` are by seat.
    """

    edition: Any
    turn: int
    phase: str
    units: Mapping[str, Any]
    stopped: bool
    commanding: str
    assigned: Mapping[str, str]
    transfers: Mapping[str, str]
    joining: tuple[Any, ...]
    silent: tuple[str, ...]
    covered: tuple[str, ...]


U = TypeVar("U", bound=OwnedUnit)


def commands_of_side(state: CommandedPosition, seat: str) -> tuple[Command, ...]:
    """Return the commands of a seat's side by rank, including its own; may be empty."""
    commands: Mapping[str, Command] = state.edition.commands
    own_command = commands.get(seat)
    return (
        ()
        if own_command is None
        else tuple(command for command in commands.values() if command.side == own_command.side)
    )


def seat_of_unit(state: CommandedPosition, ident: str) -> str:
    """M1 Return the seat of a unit's command; empty if its side has no commands.

    A leader who replaces a lost one (``Prim-2``) is under his command; units that the scenario does not name
    are under the commander-in-chief.
    """
    holder = state.assigned.get(ident) or state.edition.homes.get(ident, "")
    if not holder and state.edition.commands:
        if ident.endswith("-2"):
            return seat_of_unit(state, ident.removesuffix("-2"))
        unit = state.units.get(ident)
        return "" if unit is None else chief_seat(state, unit.side)
    return str(holder)


def chief_seat(state: CommandedPosition, side: str) -> str:
    """Return the seat of a side's commander-in-chief; empty without commands."""
    commands: Mapping[str, Command] = state.edition.commands
    return next((command.seat for command in commands.values() if command.side == side), "")


def units_of_others(state: CommandedPosition) -> Mapping[str, str]:
    """M1 Return units of the side that others command, with the others' seats.

    The commanding seat may not order them.
    """
    seat = state.commanding
    if not seat:
        return {}
    beside = {command.seat for command in commands_of_side(state, seat)}
    homes = {**state.edition.homes, **{ident: seat_of_unit(state, ident) for ident in state.units}}
    holders = {ident: seat_of_unit(state, ident) for ident in homes}
    beside -= {seat, *state.covered}
    return {ident: holder for ident, holder in holders.items() if holder in beside}


def units_of_command(state: CommandedPosition, seat: str) -> tuple[str, ...]:
    """M1 Return the units in play under a command, by id."""
    return tuple(ident for ident in sorted(state.units) if seat_of_unit(state, ident) == seat)


def is_asked_for_orders(state: CommandedPosition, seat: str) -> bool:
    """Return whether a seat is asked for orders.

    Commanders without units in play are not, except the commander-in-chief. M6 With couriers all are asked, because
    not asking would reveal that a command has no units left.
    """
    return (
        state.edition.rank(seat) == 1
        or getattr(state, "known", None) is not None
        or bool(units_of_command(state, seat))
    )


def side_and_seats(state: CommandedPosition, seat: str) -> tuple[str, tuple[str, ...]]:
    """Return the side of a command, and the seats of all its commands by rank."""
    return state.edition.commands[seat].side, tuple(command.seat for command in commands_of_side(state, seat))


def other_owner(state: CommandedPosition, ident: str, besides: Sequence[str] = ()) -> str:
    """M1 Return the seat of a unit's command, if it is another's; else empty.

    The commanding seat may not order it. `besides` are commands that take part in a joint assault (M2.2).
    """
    if not state.commanding:
        return ""
    holder = seat_of_unit(state, ident)
    return "" if holder in ("", state.commanding, *state.covered, *besides) else holder


def cover_refusal(state: CommandedPosition, seat: str, command: str) -> Msg | None:
    """M4 Return why a seat may not cover a command of its side; None if it may.

    Only the commander-in-chief may cover, or the next in rank if those above are silent as well.
    """
    if getattr(state, "known", None) is not None:
        return msg("where couriers ride nobody hears in time who is silent")
    if command not in state.silent:
        return msg("{command} is not silent: who sends nothing in a phase is covered in the next", command=command)
    first = next(
        other.seat for other in commands_of_side(state, seat) if other.seat not in state.silent or other.seat == seat
    )
    if first != seat:
        return msg("{seat} covers him: he is before you by rank", seat=first)
    return None


def may_order(state: CommandedPosition, seat: str, ident: str) -> bool:
    """M1 Return whether a seat may order a unit of its side."""
    return not seat or seat_of_unit(state, ident) in ("", seat)


def seat_counted_apart(state: CommandedPosition, seat: str) -> str:
    """M3 Return the seat if its standing orders are counted apart from the side's.

    Else empty.
    """
    return seat if seat in state.edition.commands else ""


def senior_seat(state: CommandedPosition, units: Iterable[U], *kinds: Callable[[U], bool]) -> str:
    """M3 Return the seat of the highest rank among the owners of some units.

    It is empty if there is none. The units are of one side. Only units of the first kind in `kinds` that occurs
    count: steady combat units, then combat units.
    """
    commands: Mapping[str, Command] = state.edition.commands
    if not commands:
        return ""
    candidates = list(units)
    for fits in (*kinds, _any):
        seats = {seat_of_unit(state, unit.id) for unit in candidates if fits(unit)} - {""}
        if seats:
            return min(seats, key=lambda seat: (commands[seat].rank, seat))
    return ""


def _any(unit: OwnedUnit) -> bool:
    return True


def seats_to_notify(state: CommandedPosition, seats: tuple[str, ...], jointly: tuple[str, ...] = ()) -> tuple[str, ...]:
    """M2 Return the seats that are notified about an order.

    With several commanders it is the seat whose set is carried out, else all seats of the side. `jointly` are the
    seats that gave the order together (M2.2).
    """
    return jointly or ((state.commanding,) if state.commanding in seats else seats)


# M2, M3 What a commander may know of others on his side, and the enemy of all: part of each game's view.


P = TypeVar("P")


def without_enemy_commands(state: P, seat: str) -> P:
    """Return a position as a seat sees it, without the enemy's commands.

    `commanding` is the seat itself. Only the side knows transfers of units, the set that is carried out and
    waiting joint lines.
    """
    position: Any = state
    if not position.edition.commands:
        return state
    own = {command.seat for command in commands_of_side(position, seat)}

    def own_entries(holders: Any) -> Any:
        return {unit: holder for unit, holder in holders.items() if holder in own}

    view: P = position.change(
        commanding=seat if own else "",
        assigned=own_entries(position.assigned),
        transfers=own_entries(position.transfers),
        joining=(),
        covered=(),
        silent=tuple(silent_seat for silent_seat in position.silent if silent_seat in own),
    )
    return view


def is_count_of_seat(key: str, seat: str) -> bool:
    """Return whether a key of the counts of standing orders is of this seat.

    The key has side, order and kind of event.
    """
    order, _, _ = key.partition(" ")[2].rpartition(" ")
    return owner_of(key) in ("", seat) if order else True


def event_for_commander(happened: Event, seat: str, commanding: str) -> Event | None:
    """Return the part of its own side's event that a seat may know, or None.

    Only its commander knows that a STOP IF applied. The side knows whose standing order decided; only its commander
    knows the line.
    """
    if happened.kind == BROKEN_OFF and commanding not in ("", seat):
        return None
    by = happened.data.get("by", "")
    holder = owner_of(by) if isinstance(by, str) else ""
    if not holder:
        return happened
    reason = without_owner(by) if holder == seat else f"{OTHERS_ORDER_PREFIX}{holder}"
    return happened._replace(data={**happened.data, "by": reason})
