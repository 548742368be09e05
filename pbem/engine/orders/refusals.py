"""Refusals of orders: as a value, as an event, as a refused line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.terms import RejectedLine

NOT_CARRIED_OUT = "not carried out"
"""The kind of the event."""


class Refusal(NamedTuple):
    """The reason of a refusal: rules, foremost first; sentence; word at fault."""

    rules: tuple[str, ...]
    why: Msg
    word: str = ""

    def to_line(self, line: int) -> RejectedLine:
        """Return the refused line of a letter."""
        return RejectedLine(line, -1, self.word, self.why, self.rules[0], ())


class Giver(NamedTuple):
    """The side and seats that gave an order; only they are notified of a refusal."""

    side: str
    seats: tuple[str, ...]


def not_carried_out(line: int, order: str, refusal: Refusal, giver: Giver) -> Event:
    """Return the event that an order, in canonical text, was not carried out."""
    data = {
        "line": line,
        "order": order,
        "rules": list(refusal.rules),
        "why": refusal.why.to_json(),
        "word": refusal.word,
        "side": giver.side,
    }
    return Event(NOT_CARRIED_OUT, refusal.rules[0], data, giver.seats)


def refused_lines(events: Sequence[Event]) -> list[tuple[str, RejectedLine]]:
    """Return the orders, in canonical text, refused in events, and the refused lines."""
    refusals_data = [event.data for event in events if event.kind == NOT_CARRIED_OUT]
    return [
        (data["order"], Refusal((data["rules"][0],), Msg.from_json(data["why"]), data["word"]).to_line(data["line"]))
        for data in refusals_data
    ]
