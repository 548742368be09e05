"""What a moderator may look at: PREDICT, how a phase will close, EXPORT, all of a game, and what was ruled on it."""

from __future__ import annotations

import re

from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.play import deadlines, history
from pbem.play.positions import game_named, position
from pbem.play.rulings import ruling_context
from pbem.play.rulings.ruling_context import PRIVATE, context_of, name_of
from pbem.runtime.transaction import Work
from pbem.store import queries, tables

EVER = 10_000
"""A turn later than any that a game reaches: the open end of a range."""


def look(work: Work, name: str) -> tuple[Msg, ...]:
    """PREDICT: when the open phase closes as things stand, and who is awaited."""
    context = context_of(work, name)
    if context.phase is None:
        return (msg("No phase of {game} is open.", game=name),)
    here = position(work, context.game)
    zone, at = context.game.zone, queries.dues.closing(work.session, context.game.id)
    missing = deadlines.waiting(work.session, here, context.phase)
    known = msg("Orders are in from all who are asked.")
    if missing:
        known = msg("Orders are still awaited from: {seats}.", seats=missing)
    closes = msg("Nothing is planned: the game is {state}.", state=context.game.state)
    if at is not None:
        closes = msg("The phase {phase} closes on {when}.", phase=name_of(context.phase), when=content.when(at, zone))
    return closes, known


def export(session: Session, name: str) -> Json:
    """EXPORT: all that a game is made of and that its players may know once it is over, as plain JSON.

    Edition, resolved phases with their closed orders, slates, rolls and events, void ones too, rulings. Nobody's
    address, no token and no key.
    """
    game = game_named(session, name)
    rows = queries.phases.every(session, name)
    return {
        "game": {"id": game.id, "system": game.system, "scenario": game.scenario, "scheme": game.scheme},
        "state": game.state,
        "terms": loads(game.terms),
        "result": loads(game.result) if game.result else None,
        "edition": loads(session.get_one(tables.Edition, game.edition_digest).text),
        "seats": {seat.name: seat.side for seat in queries.games.seats(session, name)},
        "phases": [_export_phase(session, row) for row in rows if row.events_digest is not None],
        "rulings": [
            {"number": r.number, "at": r.at.isoformat(), "phase": r.phase, "line": r.line, "reason": r.reason}
            for r in queries.rulings.rulings(session, game.id)
        ],
    }


def rulings(session: Session, game: tables.Game, first: int, last: int) -> list[tuple[int, Msg]]:
    """What was ruled in the turns from `first` to `last`, 0 being before the game, each line with its depth."""
    lines: list[tuple[int, Msg]] = []
    for row in queries.rulings.rulings(session, game.id):
        turn = _TURN.match(row.phase)
        if first <= (int(turn[1]) if turn else 0) <= last:
            lines.append((0, sentence(row)))
            lines += [(1, reason(row.reason))] if row.reason else []
    return lines


def sentence(row: tables.Ruling) -> Msg:
    """A ruling as everybody is told it."""
    return msg(
        "Ruling {number} of the moderator: {text}",
        number=f"M{row.number}",
        text=ruling_context.ruling_line(text_of(row)),
    )


def text_of(row: tables.Ruling) -> str:
    """The line of a ruling, as far as everybody may know it."""
    word = row.line.partition(" ")[0]
    return word if word in PRIVATE else row.line


def reason(text: str) -> Msg:
    """Why it was made."""
    return msg("Reason: {reason}", reason=text)


_TURN = re.compile(r"T(\d+)\.")


def _export_phase(session: Session, row: tables.Phase) -> Json:
    return {
        "phase": str(outbox.phase_of(row)),
        "run": row.run,
        "void": f"M{row.void_by}" if row.void_by else None,
        "opened": row.opened.isoformat(),
        "closed": row.closed.isoformat() if row.closed else None,
        "orders": loads(row.orders or "{}"),
        "slate": row.slate,
        "rolls": loads(row.rolls or "[]"),
        "events": [happened.to_json() for happened in history.events_of(session, row)],
        "state": row.state_digest,
    }
