"""Seats that a bot holds: it writes as soon as its phase is open, from what its seat sees and nothing else.

Where a game has agreed on it a bot also writes for whoever is away, at the deadline and if he has sent nothing.

What it writes is read and checked like a letter's, and sealed like it, without a letter. Its chance is drawn from the
view itself, so that whoever has the view and the same version of the bot gets the same orders. A bot whose orders could
not be carried out sends none, and the operator hears of it.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine import autoplay
from pbem.engine.data.messages import msg
from pbem.engine.game import AnyGame
from pbem.engine.terms import Orders
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.play import deadlines, log_entries
from pbem.play.positions import Position
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import hot_statements, queries, tables

log = Logger(__name__)

DUE = "bot"
"""The kind of a row that is due when bots are to write."""


def hold_seat(work: Transaction, game: tables.Game, seat: tables.Seat, bot: str) -> None:
    """Let a bot have a seat that nobody has; Broken if there is none of that name, or somebody sits there."""
    known(work.server.rules_of(game), bot)
    if seat.person_id is not None:
        raise UserError(msg("Somebody sits at {seat}.", seat=seat.name))
    seat.bot = bot
    work.session.add(seat)


def known(rules: AnyGame, bot: str) -> None:
    """Broken if a game has no bot of that name."""
    bots = tuple(sorted(rules.bots))
    if bot not in bots:
        raise UserError(msg("There is no bot {bot} for this game; there are: {bots}.", bot=bot, bots=bots))


def give(work: Transaction, game: tables.Game, said: str) -> None:
    """Let bots have seats, said as ``morocco=forward``; Broken if that cannot be."""
    name, parted, bot = said.partition("=")
    seat = queries.games.seat(work.session, game.id, name)
    if not parted or seat is None:
        names = tuple(other.name for other in queries.games.seats(work.session, game.id))
        raise UserError(
            msg("A bot is given a seat as SEAT=BOT, got {said}; the seats are: {seats}.", said=said, seats=names)
        )
    hold_seat(work, game, seat, bot)


def plan(work: Transaction, here: Position) -> None:
    """Have the bots of a phase write that is opened now."""
    seats = queries.games.seats(work.session, here.game.id)
    if any(seat.bot and seat.name in here.active for seat in seats):
        hot_statements.plan(work.session, here.game.id, DUE, DUE, work.now)


class _Written(NamedTuple):
    """What a bot wrote, as canonical text, and what is against it."""

    text: str
    against: str = ""


def play(work: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """Queue what the bots of a phase write, and plan its closing anew."""
    work.session.delete(due)
    work.session.flush()
    if phase.state != "open":
        return True
    queued = queries.orders.queued_by_seat(work.session, phase)
    wrote = []
    for seat in queries.games.seats(work.session, here.game.id):
        if seat.bot and seat.name in here.active and seat.id not in queued:
            _have_written(work, here, phase, seat, seat.bot)
            wrote.append(seat)
    if wrote:
        work.session.flush()
        deadlines.await_close(work, here, phase)
        log_entries.note_early_orders(work, here, phase, wrote)
    return True


def stand_in(work: Transaction, here: Position, phase: tables.Phase) -> None:
    """The deadline is there: let the bot that the terms name write for those who are away and have sent nothing.

    It does where the opening of the phase says so, so that nobody is found to be away afterwards.
    """
    named = deadlines.stood_in(work.session, here.game, here.active, phase.deadline)
    if not named:
        return
    named = {seat: bot for seat, bot in log_entries.bots_of(work, phase).items() if named.get(seat) == bot}
    missing = deadlines.absent(here, queries.seats.heard(work.session, phase))
    queued = queries.orders.queued_by_seat(work.session, phase)
    away = [seat for seat in queries.games.seats(work.session, here.game.id) if seat.name in named]
    wrote = [seat for seat in away if seat.name in missing and seat.id not in queued]
    for seat in wrote:
        _have_written(work, here, phase, seat, named[seat.name])
    if wrote:
        work.session.flush()
        log_entries.note_early_orders(work, here, phase, wrote)


def _have_written(work: Transaction, here: Position, phase: tables.Phase, seat: tables.Seat, bot: str) -> None:
    made = _write(here, seat, bot)
    if made.against:
        _complain(work, here, seat, bot, made.against)
    _queue(work, phase, seat, made)


def _write(here: Position, seat: tables.Seat, bot: str) -> _Written:
    made = autoplay.given(here.rules, bot, seat.name, here.rules.view(here.state, seat.name))
    return _Written("", made.against) if made.against else _Written(here.rules.canon(Orders(made.orders.actions)))


def _queue(work: Transaction, phase: tables.Phase, seat: tables.Seat, made: _Written) -> None:
    row = tables.QueuedOrders(
        phase_id=phase.id or 0,
        seat_id=seat.id or 0,
        revision=1 + queries.orders.last_revision(work.session, phase, seat),
        text=made.text,
        received=work.now,
        origin="bot",
    )
    work.session.add(row)


def _complain(work: Transaction, here: Position, seat: tables.Seat, bot: str, why: str) -> None:
    log.error("a bot wrote what cannot be", game=here.game.id, seat=seat.name, bot=bot, why=why)
    what = msg("The bot {bot} wrote orders that cannot be, and none of them count.", bot=bot)
    cause = f"bot {here.game.id} {here.number} {seat.name}"
    outbox.to_operator(work, outbox.Notice(what, why, cause=cause, game=here.game.id))
