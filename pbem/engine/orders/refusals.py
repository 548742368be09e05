"""Why an order is not carried out: as a value, as an event of the phase, as a line of a letter that is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.terms import Rejected

NOT_CARRIED_OUT = "not carried out"
"""The kind of the event."""


class Refusal(NamedTuple):
    """Rules, foremost first; the sentence; the word at fault."""

    rules: tuple[str, ...]
    why: Msg
    word: str = ""

    def rejected(self, line: int) -> Rejected:
        """Return that a line of a letter is refused for it."""
        return Rejected(line, -1, self.word, self.why, self.rules[0], ())


class Giver(NamedTuple):
    """Who gave an order, and alone is told of it: the side, and the seats that may see it."""

    side: str
    seats: tuple[str, ...]


def not_carried_out(line: int, order: str, found: Refusal, giver: Giver) -> Event:
    """Return the event that an order, in canonical text, was not carried out."""
    data = {
        "line": line,
        "order": order,
        "rules": list(found.rules),
        "why": found.why.to_json(),
        "word": found.word,
        "side": giver.side,
    }
    return Event(NOT_CARRIED_OUT, found.rules[0], data, giver.seats)


def refused(events: Sequence[Event]) -> list[tuple[str, Rejected]]:
    """Return the orders, in canonical text, that some events say were not carried out, and the lines refused for it."""
    told = [event.data for event in events if event.kind == NOT_CARRIED_OUT]
    return [
        (data["order"], Refusal((data["rules"][0],), Msg.from_json(data["why"]), data["word"]).rejected(data["line"]))
        for data in told
    ]
