"""M1 Commands: the part of a scenario that says who orders which units of a side.

::

    [commands.prim]
    side = "spain"
    name = "II Corps"
    leader = "Prim"
    rank = 2
    units = ["Cordoba", "Castilla"]

The table's name is the seat; its leader is one of its units though he is not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.sources import SourceError, line_of

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


def commands_of(scenario: Mapping[str, Any]) -> Mapping[str, Command]:
    """Return the commands of a scenario's data by seat, none where there are none, in the order of side and rank."""
    found = [
        Command(seat, row["side"], row["name"], row["leader"], row["rank"], _units(row))
        for seat, row in scenario.get(COMMANDS, {}).items()
    ]
    return {one.seat: one for one in sorted(found, key=lambda one: (one.side, one.rank, one.seat))}


def _units(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((row["leader"], *row["units"])))


def as_commanded(scenario: Mapping[str, Any], options: Mapping[str, str]) -> Mapping[str, Any]:
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
    owner: dict[str, str] = {}
    ranks: dict[str, list[int]] = {}
    seats: Mapping[str, str] = data.get("seats", {})
    for seat, one in commands_of(data).items():
        line = line_of(text, f"[{COMMANDS}.{seat}]")
        if one.side not in seats.values():
            raise SourceError(file, line, f"nobody plays {one.side}, of which {seat} is to have a command")
        if seats.get(seat, one.side) != one.side:
            raise SourceError(file, line, f"{seat} is a seat of {seats[seat]} already")
        ranks.setdefault(party(one.side), []).append(one.rank)
        for unit in one.units:
            if unit not in units or party(units[unit]) != party(one.side):
                raise SourceError(file, line, f"{unit} is no unit of {one.side}")
            if owner.setdefault(unit, seat) != seat:
                raise SourceError(file, line, f"{unit} is under {owner[unit]} already")
    for side, found in ranks.items():
        if sorted(found) != [*range(1, len(found) + 1)]:
            raise SourceError(file, line_of(text, f"[{COMMANDS}."), f"the ranks of {side} are not 1 to {len(found)}")
    for unit, side in units.items():
        if party(side) in ranks and unit not in owner:
            raise SourceError(file, line_of(text, f" {unit} "), f"{unit} is under no command")


def _check_row(seat: str, row: Any, source: tuple[str, str]) -> None:
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
