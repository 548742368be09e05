"""Games at the pace of activations: each letter of orders is carried out at once, before the next is written.

A letter is one segment of the phase's dice. The phase stays open between letters; it ends when all its seats have said
DONE, or at its deadline. Standing orders are those in force when its first letter came.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.run.steps import DONE, MORE
from pbem.play import deadlines, phase_states
from pbem.play.adjudication import AfterLetter
from pbem.play.positions import Position, last_moment
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes
from pbem.store.queries.sittings import Heard


def end(session: Session, here: Position, phase: tables.Phase) -> None:
    """End the phase's letters, as if every seat that moves had said DONE."""
    for seat in queries.games.seats(session, here.game.id):
        if seat.name in here.active:
            writes.wish(session, phase, seat, "done")


def is_over(here: Position, phase: tables.Phase, heard: Heard, now: datetime) -> bool:
    """Whether no more letters come: all who move are done, or the deadline is past."""
    return now >= last_moment(here.game, phase) or deadlines.done(here, heard)


def take_letter(session: Session, here: Position, phase: tables.Phase) -> dict[str, tuple[int, str]]:
    """The orders that are queued, by seat with their revision; from now on they are carried out."""
    queued = queries.orders.queued_by_seat(session, phase)
    taken: dict[str, tuple[int, str]] = {}
    for seat in queries.games.seats(session, here.game.id):
        row = queued.get(seat.id or 0)
        if row is not None:
            taken[seat.name] = (row.revision, row.sealed)
    carry(session, phase)
    return taken


def carry(session: Session, phase: tables.Phase) -> None:
    """Mark the queued orders as carried out: nothing takes them back."""
    for row in queries.orders.queued_by_seat(session, phase).values():
        row.state = "carried"
        session.add(row)
    session.flush()


def note(session: Session, phase: tables.Phase, orders: Mapping[str, tuple[int, str]] | None, mover: str) -> None:
    """What came after the last segment: a letter, or with None that there are no more."""
    last = queries.phases.segments(session, phase)[-1]
    held = loads(last.letter or "{}")
    by_seat: Json = {mover: [0, None]} if orders is None else {seat: list(said) for seat, said in orders.items()}
    last.letter = dumps({**held, "answer": DONE if orders is None else MORE, "orders": by_seat})
    session.add(last)
    session.flush()


def store(work: Work, here: Position, phase: tables.Phase, found: AfterLetter) -> tables.Segment:
    """Keep a segment that ended with a letter carried out, and the position that the next one is written in."""
    columns = {
        "number": len(found.slates),
        "slate": found.slates[-1].decode("utf-8"),
        "events": dumps([happened.to_json() for happened in found.events]),
        "letter": dumps({"window": found.window}),
        "position": dumps(here.rules.encode(found.states[-1])),
        "opened": work.now,
    }
    return phase_states.end_segment(work.session, phase, columns)
