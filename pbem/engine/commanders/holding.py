"""M1, M3 Whose a unit is, who answers for the units of a place, and what a commander may know.

A scenario says who orders which units of a side::

    [commands.prim]
    side = "spain"
    name = "II Corps"
    leader = "Prim"
    rank = 2
    units = ["Cordoba", "Castilla"]

The table's name is the seat; its leader is one of its units though he is not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.orders.doctrine import owner_of, without_owner
from pbem.engine.reasons import ANOTHERS
from pbem.engine.run.steps import BROKEN_OFF

COMMANDS = "commands"
"""The table of a scenario, and the option that has it played."""
OPTION = ("one", "split")
"""The values of an edition's option `commands`, the default first."""
_FIELDS = {"side": str, "name": str, "leader": str, "rank": int, "units": list}


class Numbers(NamedTuple):
    """The numbers of a game's rules on commanders: whose a unit is, the sets, who waits, joint assaults, who answers,
    who is given to whom, how a side orders together, what couriers bring, and whose
    report tells what."""

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
    """Units of a side under one seat; of rank 1 is the commander-in-chief."""

    seat: str
    side: str
    name: str
    leader: str
    rank: int
    units: tuple[str, ...]


def commands_of(scenario: Mapping[str, Json]) -> Mapping[str, Command]:
    """Return the commands of a scenario's data by seat, none where there are none, in the order of side and rank."""
    found = [
        Command(seat, row["side"], row["name"], row["leader"], row["rank"], _units(row))
        for seat, row in scenario.get(COMMANDS, {}).items()
    ]
    return {one.seat: one for one in sorted(found, key=lambda one: (one.side, one.rank, one.seat))}


def _units(row: Mapping[str, Json]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((row["leader"], *row["units"])))


def as_commanded(scenario: Mapping[str, Json], options: Mapping[str, str]) -> Mapping[str, Json]:
    """M1 Return a scenario's data with a seat for each command, or without commands if one seat has all units.

    So an edition of one commander a side is what it was before its scenario named any. ValueError if there are none to
    be played.
    """
    rest = {key: value for key, value in scenario.items() if key != COMMANDS}
    if options.get(COMMANDS, OPTION[0]) == OPTION[0]:
        return rest
    found = commands_of(scenario)
    if not found:
        raise ValueError("commands = split: the scenario names no commands, so that there is nothing to split")
    split = {one.side for one in found.values()}
    sides: Mapping[str, str] = scenario.get("seats", {})
    seats = {seat: side for seat, side in sides.items() if side not in split}
    return {**scenario, "seats": {**seats, **{one.seat: one.side for one in found.values()}}}


def check_commands(
    data: Mapping[str, Any], units: Mapping[str, str], party: Callable[[str], str], source: tuple[str, str]
) -> None:
    """M1 SourceError for what cannot be among a scenario's commands; `units` are the sides of all units by id.

    Each unit of a side with commands is under exactly one of them, those that enter later too; ranks count from 1.
    `party` says who orders the units of a side, `source` is the text of the file and its name.
    """
    text, file = source
    for seat, row in data.get(COMMANDS, {}).items():
        _check_row(seat, row, source)
    seats: Mapping[str, str] = data.get("seats", {})
    for seat, one in commands_of(data).items():
        _check_seat(seat, one.side, seats, source)
    owner: dict[str, str] = {}
    ranks: dict[str, list[int]] = {}
    for seat, one in commands_of(data).items():
        line = line_of(text, f"[{COMMANDS}.{seat}]")
        ranks.setdefault(party(one.side), []).append(one.rank)
        for unit in one.units:
            if unit not in units or party(units[unit]) != party(one.side):
                raise SourceError(file, line, f"{unit} is no unit of {one.side}")
            if owner.setdefault(unit, seat) != seat:
                raise SourceError(file, line, f"{unit} is under {owner[unit]} already")
    for side, found in ranks.items():
        if sorted(found) != [*range(1, len(found) + 1)]:
            raise SourceError(file, line_of(text, f"[{COMMANDS}."), f"the ranks of {side} are not 1 to {len(found)}")
    lost = [unit for unit, side in units.items() if party(side) in ranks and unit not in owner]
    if lost:
        raise SourceError(file, line_of(text, f" {lost[0]} "), f"{lost[0]} is under no command")


def _check_seat(seat: str, side: str, seats: Mapping[str, str], source: tuple[str, str]) -> None:
    text, file = source
    line = line_of(text, f"[{COMMANDS}.{seat}]")
    if side not in seats.values():
        raise SourceError(file, line, f"nobody plays {side}, of which {seat} is to have a command")
    if seats.get(seat, side) != side:
        raise SourceError(file, line, f"{seat} is a seat of {seats[seat]} already")


def _check_row(seat: str, row: object, source: tuple[str, str]) -> None:
    text, file = source
    line = line_of(text, f"[{COMMANDS}.{seat}]")
    if not isinstance(row, Mapping) or {*row} != {*_FIELDS}:
        raise SourceError(file, line, f"a command has {', '.join(_FIELDS)}")
    for key, kind in _FIELDS.items():
        if not isinstance(row[key], kind) or isinstance(row[key], bool):
            raise SourceError(file, line, f"the {key} of {seat} cannot be {row[key]!r}")
    names: Sequence[Any] = row["units"]
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise SourceError(file, line, f"{wrong[0]!r} is no unit")


# M1, M3 Whose a unit is, and who answers for the units of a place.


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

    `commanding` is the seat whose set is carried out, or who looks. `assigned` are the units that were given to another
    command than that of the scenario, with its seat, `transfers` those that will be from the next turn on. `joining`
    are lines that wait for another command's. `silent` are seats whose last set was empty, `covered` those of them
    whose units the set orders as well. The edition's `commands` are by seat.
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


# M2, M3 What a commander may know of the others of his side, and the enemy of any: part of each game's gate.


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
