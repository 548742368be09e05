"""What a moderator may do to a game: one line a ruling, each numbered, with its reason, and told to all players.

Example::

    PROCESS T3.spain BECAUSE both sides asked for it

    PROCESS T3.spain               the open phase closes now with the orders that are in
    HOLD, RESUME                   no deadline runs; it goes on, with a new deadline if the old one is past
    DEADLINE 2031-05-04 20:00      the deadline of the open phase, in the zone of the game
    WARN spain ...                 a word to one seat, seen by all
    SUBSTITUTE spain BY a@b.c      another player for a seat, with a new address
    ADJUDICATE ...                 the game ends with this result
    RULING A2 ...                  the answer to an appeal
    ANNOUNCE ...                   a word to all

PREDICT and EXPORT only look, and are no rulings. A ruling may be made from the command line or by letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, func, select

from pbem.campaign import (
    appeals,
    deadlines,
    ending,
    holding,
    letters,
    letterwise,
    outgoing,
    past,
    phases,
    service,
    takeover,
)
from pbem.campaign.confirming import Asker
from pbem.campaign.office import Broken, Office
from pbem.campaign.positions import position
from pbem.core.canon import Json, loads
from pbem.core.messages import Msg, msg
from pbem.mail.address import check_address
from pbem.store import queries, tables, writes

__all__ = ["LOOKS", "Order", "Ruled", "export", "look", "read", "rule"]


class Order(NamedTuple):
    """A line of a moderator's: its word, what follows, and the reason; empty where none is needed."""

    word: str
    rest: str
    because: str


class Ruled(NamedTuple):
    """A ruling that was made: its number, ``M4``, and what everybody was told."""

    name: str
    sentences: tuple[Msg, ...]


class Bench(NamedTuple):
    """The game before the moderator: its row, its open phase if one is open, and the moment."""

    session: Session
    office: Office
    game: tables.Game
    phase: tables.Phase | None
    now: datetime


LOOKS = ("PREDICT", "EXPORT")
"""What only looks: no ruling, no reason, and nobody is told."""

_LINE = re.compile(r"\s*([A-Za-z]+)\b\s*(.*?)\s*(?:\bBECAUSE\b\s*(.*\S))?\s*", re.IGNORECASE | re.DOTALL)
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")
_NO_REASON = (*LOOKS, "ANNOUNCE", "RULING")


def read(line: str) -> Order:
    """Read a moderator's line; Broken with the way out if it is none or lacks its reason."""
    found = _LINE.fullmatch(line)
    word = found[1].upper() if found else ""
    if found is None or word not in (*_RULINGS, *LOOKS):
        known = (*_RULINGS, *LOOKS)
        raise Broken(msg("{line} is no moderator's line; there are: {words}.", line=repr(line[:60]), words=known))
    order = Order(word, found[2].strip(), (found[3] or "").strip())
    if not order.because and word not in _NO_REASON:
        raise Broken(msg("A ruling has a reason: {word} ... BECAUSE and why.", word=word))
    return order


def rule(session: Session, office: Office, name: str, order: Order, now: datetime) -> Ruled:
    """Make a ruling on a game, number and keep it, and tell everybody; Broken if it cannot be, and nothing is changed.

    The numbers of a game's rulings count from 1 and are never given twice.
    """
    bench = _bench(session, office, name, now)
    happened = _RULINGS[order.word](bench, order)
    number = 1 + (session.exec(select(func.max(tables.Ruling.number)).where(tables.Ruling.game_id == name)).one() or 0)
    phase = str(outgoing.phase_of(bench.phase)) if bench.phase else ""
    # Nobody's address is told to the table, nor kept where an export shows it.
    text = _ADDRESS.sub("...", f"{order.word} {order.rest}".strip())
    reason = _ADDRESS.sub("...", order.because)
    writes.add(session, "ruling", game_id=name, number=number, at=now, phase=phase, line=text, reason=reason)
    said: list[Msg] = [msg("Ruling {number} of the moderator: {text}", number=f"M{number}", text=text), *happened]
    if reason:
        said.append(msg("Reason: {reason}", reason=reason))

    def told(zone: str) -> Sequence[Msg]:
        return said

    outgoing.to_all(session, office, bench.game, bench.phase, told, cause=f"ruling {number}", now=now)
    return Ruled(f"M{number}", tuple(said))


def look(session: Session, office: Office, name: str, now: datetime) -> tuple[Msg, ...]:
    """PREDICT: when the open phase closes as things stand, and who is awaited."""
    bench = _bench(session, office, name, now)
    if bench.phase is None:
        return (msg("No phase of {game} is open.", game=name),)
    here = position(session, office, bench.game)
    zone, at = bench.game.zone, deadlines.closing(session, bench.game)
    missing = deadlines.waiting(session, here, bench.phase)
    known = msg("Orders are in from all who are asked.")
    if missing:
        known = msg("Orders are still awaited from: {seats}.", seats=missing)
    closes = msg("Nothing is planned: the game is {state}.", state=bench.game.state)
    if at is not None:
        closes = msg("The phase {phase} closes on {when}.", phase=_name(bench.phase), when=letters.when(at, zone))
    return closes, known


def export(session: Session, name: str) -> Json:
    """EXPORT: all that a game is made of and that its players may know once it is over, as plain JSON.

    Edition, phases with their closed orders, slates and rolls, events, rulings. Nobody's address, no token and no key.
    """
    game = queries.game(session, name)
    if game is None:
        raise Broken(msg("There is no game {game}.", game=name))
    rows = session.exec(
        select(tables.Phase).where(tables.Phase.game_id == name).order_by(col(tables.Phase.number))
    ).all()
    rulings = select(tables.Ruling).where(tables.Ruling.game_id == name).order_by(col(tables.Ruling.number))
    return {
        "game": {"id": game.id, "system": game.system, "scenario": game.scenario, "scheme": game.scheme},
        "state": game.state,
        "terms": loads(game.terms),
        "result": loads(game.result) if game.result else None,
        "edition": loads(session.get_one(tables.Edition, game.edition_digest).text),
        "seats": {seat.name: seat.side for seat in queries.seats(session, name)},
        "phases": [_exported(session, row) for row in rows if row.state == "resolved"],
        "rulings": [
            {"number": r.number, "at": r.at.isoformat(), "phase": r.phase, "line": r.line, "reason": r.reason}
            for r in session.exec(rulings).all()
        ],
    }


def _exported(session: Session, row: tables.Phase) -> Json:
    return {
        "phase": str(outgoing.phase_of(row)),
        "opened": row.opened.isoformat(),
        "closed": row.closed.isoformat() if row.closed else None,
        "orders": loads(row.orders or "{}"),
        "slate": row.slate,
        "rolls": loads(row.rolls or "[]"),
        "events": [happened.to_json() for happened in past.events_of(session, row)],
        "state": row.state_digest,
    }


def _bench(session: Session, office: Office, name: str, now: datetime) -> Bench:
    game = queries.game(session, name)
    if game is None:
        raise Broken(msg("There is no game {game}.", game=name))
    return Bench(session, office, game, queries.open_phase(session, name), now)


def _process(bench: Bench, order: Order) -> Sequence[Msg]:
    phase = _open(bench)
    if order.rest.casefold() not in (_name(phase).casefold(), str(outgoing.phase_of(phase)).casefold()):
        raise Broken(msg("The open phase is {phase}; name it: PROCESS {phase}.", phase=_name(phase)))
    if bench.game.state == "held":
        bench.game.state, bench.game.held_why = "running", ""
        bench.session.add(bench.game)
        bench.session.flush()
    here = position(bench.session, bench.office, bench.game)
    if here.by_letter:
        letterwise.end(bench.session, here, phase)
    phases.close_and_resolve(bench.session, bench.office, here, phase, bench.now)
    return (msg("The phase {phase} was closed with the orders that were in.", phase=_name(phase)),)


def _hold(bench: Bench, order: Order) -> Sequence[Msg]:
    if bench.game.state != "running":
        raise Broken(msg("The game {game} is not being played.", game=bench.game.id))
    holding.stop(bench.session, bench.game, order.because)
    return (msg("The game is held: no deadline runs until it goes on, and then everybody hears of it."),)


def _resume(bench: Bench, order: Order) -> Sequence[Msg]:
    service.resume_game(bench.session, bench.office, bench.game.id)
    if bench.phase is None:
        return (msg("The game goes on."),)
    when = letters.when(bench.phase.deadline, bench.game.zone)
    return (msg("The game goes on. The deadline of turn {turn} is {when}.", turn=bench.phase.turn, when=when),)


def _deadline(bench: Bench, order: Order) -> Sequence[Msg]:
    phase = _open(bench)
    try:
        wall = datetime.strptime(order.rest, "%Y-%m-%d %H:%M")  # noqa: DTZ007 - the zone of the game is put to it below
    except ValueError as wrong:
        raise Broken(
            msg("A deadline reads DEADLINE 2031-05-04 20:00, in the zone {zone}.", zone=bench.game.zone)
        ) from wrong
    to = wall.replace(tzinfo=ZoneInfo(bench.game.zone))
    if to <= bench.now:
        raise Broken(msg("That moment is past; PROCESS closes a phase at once."))
    if bench.game.state != "running":
        raise Broken(msg("The game {game} is not being played.", game=bench.game.id))
    here = position(bench.session, bench.office, bench.game)
    deadlines.put_off(bench.session, here, phase, _utc(to), cause="moderator", now=bench.now)
    when = letters.when(_utc(to), bench.game.zone)
    return (msg("The deadline of turn {turn} is now {when}.", turn=phase.turn, when=when),)


def _warn(bench: Bench, order: Order) -> Sequence[Msg]:
    _seat(bench, order.rest.split(" ")[0])
    return ()


def _substitute(bench: Bench, order: Order) -> Sequence[Msg]:
    found = re.fullmatch(r"(\S+)\s+BY\s+(\S+)", order.rest, re.IGNORECASE)
    if found is None:
        raise Broken(msg("A substitute is named by his address: SUBSTITUTE spain BY somebody@example.org."))
    seat = _seat(bench, found[1])
    try:
        check_address(found[2])
    except ValueError as wrong:
        raise Broken(msg("The seat cannot be given away: {why}", why=str(wrong))) from wrong
    if bench.game.state not in ("running", "held"):
        raise Broken(msg("The game {game} is not being played.", game=bench.game.id))
    asker = Asker(found[2], seat.language, seat.zone)
    takeover.hand_over(bench.session, bench.office, bench.game, seat, asker)
    return ()


def _adjudicate(bench: Bench, order: Order) -> Sequence[Msg]:
    if bench.game.state not in ("running", "held") or not order.rest:
        raise Broken(msg("A game that is played ends with a result that is named: ADJUDICATE Spain wins."))
    why = msg("The moderator has ended the game: {result}", result=order.rest)
    ending.end_game(bench.session, bench.office, bench.game, bench.phase, why, now=bench.now)
    return ()


def _announce(bench: Bench, order: Order) -> Sequence[Msg]:
    if not order.rest:
        raise Broken(msg("There is nothing to announce."))
    return ()


def _ruling(bench: Bench, order: Order) -> Sequence[Msg]:
    found = re.fullmatch(r"(?:A(\d{1,4})\s+)?(\S.*)", order.rest, re.DOTALL)
    if found is None:
        raise Broken(msg("A ruling says something: RULING A2 and the answer to appeal 2."))
    return appeals.answer(bench.session, bench.game, int(found[1]), found[2]) if found[1] else ()


def _open(bench: Bench) -> tables.Phase:
    if bench.phase is None or bench.game.state not in ("running", "held"):
        raise Broken(msg("No phase of {game} is open.", game=bench.game.id))
    return bench.phase


def _seat(bench: Bench, name: str) -> tables.Seat:
    seats = queries.seats(bench.session, bench.game.id)
    for seat in seats:
        if seat.name == name.casefold():
            return seat
    names = tuple(seat.name for seat in seats)
    raise Broken(
        msg("There is no seat {seat} in {game}; there are: {seats}.", seat=name, game=bench.game.id, seats=names)
    )


def _name(phase: tables.Phase) -> str:
    """``T3.spain``, without the number of the attempt."""
    return str(outgoing.phase_of(phase)).partition("~")[0]


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


_RULINGS: Mapping[str, Callable[[Bench, Order], Sequence[Msg]]] = {
    "PROCESS": _process,
    "HOLD": _hold,
    "RESUME": _resume,
    "DEADLINE": _deadline,
    "WARN": _warn,
    "SUBSTITUTE": _substitute,
    "ADJUDICATE": _adjudicate,
    "ANNOUNCE": _announce,
    "RULING": _ruling,
}
