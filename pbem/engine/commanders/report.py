"""Sentences about several commanders of a side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.engine.commanders.holding import commands_of_side, units_of_command
from pbem.engine.couriers import delay_lines
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line

ENTRY_SENTENCES: Mapping[str, Callable[[Data, Any], Msg]] = {
    "order of march": lambda d, s: msg("Sets are carried out in this order: {seats}.", seats=tuple(d["seats"])),
    "set begins": lambda d, s: msg("The set of {seat}.", seat=d["seat"]),
    "joined": lambda d, s: msg(
        "{seats} assault {at} together: {units}.", seats=tuple(sorted(d["seats"])), at=d["at"], units=tuple(d["units"])
    ),
    "covered": lambda d, s: msg(
        "{by} covers {seat}, who sent nothing: his units move and retire.", by=d["by"], seat=d["seat"]
    ),
    "assigned": lambda d, s: msg(
        "From the next turn on under {seat}: {units}.", seat=d["seat"], units=tuple(d["units"])
    ),
}
"""The sentences of the events that a report numbers, by kind."""
EVENT_KINDS = tuple(ENTRY_SENTENCES)


def option_text(rule: str) -> Msg:
    """Return a sentence that explains the option."""
    return msg("Several commanders a side: each orders his own units, in a set of his own [{rule}].", rule=rule)


def commands_block(view: Any, seat: str) -> tuple[Block, ...]:
    """M1 Return the commands of a seat's side with leaders and units; empty if none."""
    commands = commands_of_side(view, seat)
    if not commands:
        return ()
    lines: list[Line] = []
    has_couriers = getattr(view, "known", None) is not None
    nobody = msg("nobody that you know of") if has_couriers else msg("nobody is there yet")
    for command in commands:
        units = units_of_command(view, command.seat) or (nobody,)
        lines.append(
            (
                0,
                msg(
                    "{rank}. {seat} ({name}): {units}",
                    rank=command.rank,
                    seat=command.seat,
                    name=command.name,
                    units=units,
                ),
            )
        )
    lines += [
        (0, msg("{unit} is under {seat} from the next turn on", unit=unit, seat=to))
        for unit, to in sorted(view.transfers.items())
    ]
    lines += [(0, line) for line in delay_lines(view, seat)] if has_couriers else []
    return (
        Block(
            msg("The commands of your side, by rank [{rule}]", rule=view.edition.ON_COMMANDERS.own),
            tuple(lines),
            whole=True,
        ),
    )


def sort_own_first(seat: str, seen: list[tuple[Event, object]]) -> list[tuple[Event, Any]]:
    """M7 Return a seat's events in the order of its report: its own set first."""
    start = next((index for index, (happened, _) in enumerate(seen) if happened.kind == "set begins"), len(seen))
    own: list[tuple[Event, Any]] = []
    others: list[tuple[Event, Any]] = []
    is_own = False
    for item in seen[start:]:
        happened = item[0]
        if happened.kind in ("set begins", "sets over"):
            is_own = happened.data.get("seat") == seat
        (own if is_own else others).append(item)
    return [*seen[:start], *own, *others]
