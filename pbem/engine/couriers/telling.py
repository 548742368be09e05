"""M6 The sentences in which couriers are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.engine.couriers.known import Errand, Hearsay, Sighting
from pbem.engine.couriers.routes import AT_ONCE, LATER, NEXT, delay, turn_of
from pbem.engine.data.messages import Msg, msg

Data = Mapping[str, Any]


def _arrives(data: Data, before: Any) -> Msg:
    turn, seat = turn_of(data["when"]), data["from"]
    if not turn:
        return msg("As the battle began: {seat} reports.", seat=seat)
    return msg("As of turn {turn}: {seat} reports.", turn=turn, seat=seat)


def _rides(data: Data, before: Any) -> Msg:
    if data["kind"] == "assign":
        return msg(
            "Riders bring the order: under {seat}, from the turn on that follows it: {units}.",
            seat=data["seats"][0],
            units=tuple(data["units"]),
        )
    return msg(
        "Riders bring the order of march {seats}: it is for the first phase of your side after it has reached all.",
        seats=tuple(data["seats"]),
    )


def _done(data: Data, before: Any) -> Msg:
    units = tuple(data["units"])
    return msg("From the next turn on under {seat}: {units}.", seat=data["seats"][0], units=units)


HEADS: Mapping[str, Callable[[Data, Any], Msg]] = {
    "report arrives": _arrives,
    "errand rides": _rides,
    "errand done": _done,
}
"""Kinds of event that are told as a numbered happening."""


def agreed(rule: str) -> Msg:
    """Return what the option means."""
    return msg(
        "Couriers: a commander sees what is near his own units; what others of his side see reaches him by the spaces "
        "between the leaders: from the next space at once, from up to four a report late, from farther a turn late. "
        "Nobody is asked by letter while dice are rolled [{rule}].",
        rule=rule,
    )


def as_of(place: Msg, one: Sighting) -> Msg:
    """Return a place with the turn of which it is told, and whose report tells it."""
    turn = turn_of(one.when)
    if not turn:
        return msg("{place}, as the battle began", place=place)
    if one.by == one.seat:
        return msg("{place}, as you saw it on turn {turn}", place=place, turn=turn)
    return msg("{place}, as of turn {turn} ({seat})", place=place, turn=turn, seat=one.by)


def short(one: Sighting) -> str:
    """Return the turn that a place is told of, for a map: ``T5``."""
    return f"T{turn_of(one.when)}"


def rests_on(dated: Mapping[str, Sighting]) -> tuple[Msg, ...]:
    """Return that a forecast or odds rest on older reports, of which places where somebody was; nothing if none do."""
    older = sorted(place for place, one in dated.items() if one.units)
    if not older:
        return ()
    told = tuple(msg("{place} (turn {turn})", place=place, turn=turn_of(dated[place].when)) for place in older)
    return (msg("Out of your sight only what was last reported is counted: {places}.", places=told),)


def lasts(view: Any, seat: str) -> tuple[Msg, ...]:
    """M6 Return how late a seat hears of each other command of its side, by where it takes the leaders to be."""
    found = []
    for one in view.edition.commands.values():
        if one.seat != seat and one.side == view.edition.commands[seat].side:
            found.append(msg(_LATE[delay(view, one.seat, seat)].text, seat=one.seat))
    return tuple(found)


def riding(known: Hearsay) -> tuple[Msg, ...]:
    """Return what is on its way: who wrote to whom what he saw, and the orders of the commanders-in-chief."""
    letters = tuple(
        msg(
            "{sender} to {reader}: what he saw on turn {turn}, there on turn {due}",
            sender=one.sender,
            reader=one.reader,
            turn=turn_of(one.when),
            due=turn_of(one.due),
        )
        for one in known.letters
    )
    return (*letters, *map(_errand, known.errands))


def _errand(one: Errand) -> Msg:
    due, readers = turn_of(one.due), one.readers
    if one.kind == "assign":
        return msg(
            "to {readers}: {units} under {seat}, there on turn {due}",
            readers=readers,
            units=one.units,
            seat=one.seats[0],
            due=due,
        )
    return msg("to {readers}: order of march {seats}, there on turn {due}", readers=readers, seats=one.seats, due=due)


_LATE: Mapping[int, Msg] = {
    AT_ONCE: msg("what {seat} sees you see too: his leader is next to yours"),
    NEXT: msg("what {seat} sees reaches you with the report after, by where you take his leader to be"),
    LATER: msg("what {seat} sees reaches you a turn late, by where you take his leader to be"),
}
