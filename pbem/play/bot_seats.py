"""Let bots play seats: each writes as soon as its phase is open.

It uses only its seat's view. With the game's agreement a bot also writes for an absent player, at the
deadline and if he has sent nothing. Its orders are read, checked and sealed as those of a letter, without a
letter. Its random numbers follow from the view itself, so that the same view and bot version give the same
orders. A bot with invalid orders sends none, and the operator is notified.
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


def give_seat_to_bot(tx: Transaction, game: tables.Game, seat: tables.Seat, bot: str) -> None:
    """Give a free seat to a bot.

    Raise UserError if it is unknown, or the seat is taken.
    """
    check_bot(tx.server.rules_of(game), bot)
    if seat.person_id is not None:
        raise UserError(msg("Somebody sits at {seat}.", seat=seat.name))
    seat.bot = bot
    tx.session.add(seat)


def check_bot(rules: AnyGame, bot: str) -> None:
    """Raise UserError if a game has no bot of that name."""
    bots = tuple(sorted(rules.bots))
    if bot not in bots:
        raise UserError(msg("There is no bot {bot} for this game; there are: {bots}.", bot=bot, bots=bots))


def give_seat_to_bot_by_text(tx: Transaction, game: tables.Game, text: str) -> None:
    """Give a seat to a bot, as ``morocco=forward``.

    Raise UserError if that is impossible.
    """
    name, separator, bot = text.partition("=")
    seat = queries.games.seat(tx.session, game.id, name)
    if not separator or seat is None:
        names = tuple(other_seat.name for other_seat in queries.games.seats(tx.session, game.id))
        raise UserError(
            msg("A bot is given a seat as SEAT=BOT, got {said}; the seats are: {seats}.", said=text, seats=names)
        )
    give_seat_to_bot(tx, game, seat, bot)


def plan_bots(tx: Transaction, position: Position) -> None:
    """Plan the orders of bots for a phase that is opened now."""
    seats = queries.games.seats(tx.session, position.game.id)
    if any(seat.bot and seat.name in position.active for seat in seats):
        hot_statements.schedule_job(tx.session, position.game.id, DUE, DUE, tx.now)


class _BotOrders(NamedTuple):
    """A bot's orders as canonical text, and why they were refused, if they were."""

    text: str
    against: str = ""


def queue_bot_orders(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Queue the orders of a phase's bots, and plan its closing again."""
    tx.session.delete(due)
    tx.session.flush()
    if phase.state != "open":
        return True
    queued = queries.orders.queued_by_seat(tx.session, phase)
    written_seats = []
    for seat in queries.games.seats(tx.session, position.game.id):
        if seat.bot and seat.name in position.active and seat.id not in queued:
            _queue_orders(tx, position, phase, seat, seat.bot)
            written_seats.append(seat)
    if written_seats:
        tx.session.flush()
        deadlines.plan_closing(tx, position, phase)
        log_entries.record_early_orders(tx, position, phase, written_seats)
    return True


def queue_stand_in_orders(tx: Transaction, position: Position, phase: tables.Phase) -> None:
    """Queue the bot's orders for absent, silent players at the deadline.

    Only seats in the opening of the phase get them, so that nobody is declared absent afterwards.
    """
    bots_by_seat = deadlines.seats_played_by_stand_in(tx.session, position.game, position.active, phase.deadline)
    if not bots_by_seat:
        return
    bots_by_seat = {seat: bot for seat, bot in log_entries.bots_of(tx, phase).items() if bots_by_seat.get(seat) == bot}
    missing = deadlines.no_show_seats(position, queries.seats.phase_status(tx.session, phase))
    queued = queries.orders.queued_by_seat(tx.session, phase)
    absent_seats = [seat for seat in queries.games.seats(tx.session, position.game.id) if seat.name in bots_by_seat]
    written_seats = [seat for seat in absent_seats if seat.name in missing and seat.id not in queued]
    for seat in written_seats:
        _queue_orders(tx, position, phase, seat, bots_by_seat[seat.name])
    if written_seats:
        tx.session.flush()
        log_entries.record_early_orders(tx, position, phase, written_seats)


def _queue_orders(tx: Transaction, position: Position, phase: tables.Phase, seat: tables.Seat, bot: str) -> None:
    orders = _ask_bot(position, seat, bot)
    if orders.against:
        _report_fault(tx, position, seat, bot, orders.against)
    _store_orders(tx, phase, seat, orders)


def _ask_bot(position: Position, seat: tables.Seat, bot: str) -> _BotOrders:
    result = autoplay.bot_orders(position.rules, bot, seat.name, position.rules.view(position.state, seat.name))
    return (
        _BotOrders("", result.against)
        if result.against
        else _BotOrders(position.rules.canon(Orders(result.orders.actions)))
    )


def _store_orders(tx: Transaction, phase: tables.Phase, seat: tables.Seat, orders: _BotOrders) -> None:
    row = tables.QueuedOrders(
        phase_id=phase.id or 0,
        seat_id=seat.id or 0,
        revision=1 + queries.orders.last_revision(tx.session, phase, seat),
        text=orders.text,
        received=tx.now,
        origin="bot",
    )
    tx.session.add(row)


def _report_fault(tx: Transaction, position: Position, seat: tables.Seat, bot: str, fault: str) -> None:
    log.error("a bot wrote what cannot be", game=position.game.id, seat=seat.name, bot=bot, why=fault)
    summary = msg("The bot {bot} wrote orders that cannot be, and none of them count.", bot=bot)
    cause = f"bot {position.game.id} {position.number} {seat.name}"
    outbox.write_to_operator(tx, outbox.OperatorNotice(summary, fault, cause=cause, game=position.game.id))
