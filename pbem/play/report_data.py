"""A report as data, for programs: what the letter tells its seat, before it is put into words (docs/report-json.md).

It goes with a report to a seat that asked for it (`FORMAT JSON`), and holds nothing that `view` and `see` would keep
from that seat.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import msg, percent
from pbem.engine.data.situation import Situation, by_name
from pbem.engine.game import Game
from pbem.engine.parts import FormTerms
from pbem.engine.terms import Orders
from pbem.letters import content
from pbem.play.positions import Position
from pbem.store import tables

FILE = "report.json"
"""The name of the file."""

FORMAT = "pbem-report/1"
"""What the data says of itself. Keys may be added to version 1; what stands in it keeps its meaning."""


GROUND, GROUND_FORMAT = "ground.json", "pbem-ground/1"
"""The file with the map, and what it says of itself. An edition has one map: it is sent once, not with each report."""


class Wanted(NamedTuple):
    """What the open phase wants of the seat: the lines of its order form as they stand, and until when.

    There is no form if nothing is wanted now, and no moment if no phase is open.
    """

    form: Sequence[str] = ()
    until: datetime | None = None


def data(here: Position, seat: tables.Seat, seen: Sequence[tuple[Event, Any]], wanted: Wanted) -> Json:
    """What a seat is told: the position now, what it saw happen before it, and what is wanted of it."""
    rules = here.rules
    now, view = rules.phase(here.state), rules.view(here.state, seat.name)
    return {
        "format": FORMAT,
        "game": here.game.id,
        "rules": here.game.system,
        "scenario": here.game.scenario,
        "edition": here.edition.digest,
        "seat": seat.name,
        "seats": dict(rules.seats(here.state)),
        "resolved": here.number,
        "phase": None if now is None else {"name": now[0], "turn": now[1]},
        "active": [] if now is None else list(here.active),
        "deadline": None if wanted.until is None else _moment(wanted.until),
        "form": list(wanted.form),
        "offers": offers(rules, view, seat.name, FormTerms(here.begun)) if wanted.form else [],
        "events": [{"kind": one.kind, "rule": one.cite, "data": dict(one.data)} for one, _ in seen],
        "stakes": rules.telling.stakes(view, seat.name, seen).to_json(),
        "position": by_name(view) if isinstance(view, Situation) else rules.encode(view),
    }


def offers(rules: Game, view: Any, seat: str, terms: FormTerms, *, attacks: bool = False) -> Json:
    """What the order form offers: canonical lines that can be sent alone, and how often the attack in them wins.

    With `attacks` only those whose chance is known.
    """
    found = []
    for text, chance in rules.aids.offers(view, seat, terms):
        if attacks and chance is None:
            continue
        lines = rules.canon(Orders(rules.parse(text, view, seat).orders.actions)).splitlines()
        found.append({"orders": lines, "wins": None if chance is None else int(percent(chance))})
    return found


def ground(here: Position) -> Json | None:
    """A block of a letter that brings the map as a file; None if the game shows none."""
    drawn = here.rules.rulebook.ground(here.edition)
    if drawn is None:
        return None
    made = {"format": GROUND_FORMAT, "rules": here.game.system, "edition": here.edition.digest, "map": drawn}
    block = content.block(msg("The map for programs"), [GROUND])
    return {**block, "file": GROUND, "text": text(made)}


def text(stored: Json) -> str:
    """The file: JSON in ASCII (RFC 8259), keys sorted, a line a value, the same for the same data."""
    return json.dumps(stored, indent=1, sort_keys=True) + "\n"


def _moment(at: datetime) -> str:
    """RFC 3339, in UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
