"""Letters that come back: counted for the seat they were for, until it counts as out of reach.

One failure may be a moment's trouble of its mail server. After the second letter that came back for good the operator
is told; any letter of the player sets all of it back. If it was our own mail server that refused the address, the open
phase waits once for one deadline more if it waits for that seat. A report that came by letter does not do that: whoever
got the letter can write one, and so put off his own deadline. The operator may.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox
from pbem.letters.content import Head, when
from pbem.letters.outbox import Rhythm
from pbem.mail import delivery
from pbem.mail.address import SeatAddress, format, strike
from pbem.mail.delivery import Failure
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines
from pbem.play.positions import read_position
from pbem.runtime import tokens
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables

TOO_MANY = 2
"""Letters in a row that came back for good after which a seat is out of reach."""

CAUSE = "unreachable"


def take_bounce(tx: Transaction, letter: IncomingLetter, raw: bytes) -> str:
    """Take in a report of non-delivery; what came of it, for the letter's row."""
    row = _about(tx, letter, raw)
    failed = delivery.failure(raw)
    if row is None or failed is None:
        return "silent"
    return count(tx, row, failed)


def count(tx: Transaction, row: tables.Outbox, failed: Failure, seen: bool = False) -> str:
    """Count the failure of a letter of ours, once, against the seat that it was for.

    It is `seen` if the mail server that we hand letters to said so itself.
    """
    if row.bounced.startswith("5"):
        return "bounced-before"
    hot_statements.change(tx.session, row, bounced=failed.status)
    if not failed.hard:
        return "bounced-for-now"
    seat = tx.session.get(tables.Seat, row.seat_id) if row.seat_id is not None else None
    if seat is None:
        _moderators(tx, row, failed)
        return "bounced"
    if queries.persons.email_of(tx.session, seat.person_id) != row.recipient:
        return "bounced"
    hot_statements.change(tx.session, seat, bounces=seat.bounces + 1)
    if seat.bounces >= TOO_MANY and seat.unreachable is None:
        hot_statements.change(tx.session, seat, unreachable=tx.now)
        _write_off(tx, row, seat, failed, seen)
    return "bounced"


def _moderators(tx: Transaction, row: tables.Outbox, failed: Failure) -> None:
    """Tell the operator if a letter to the moderator of a game came back, unless another did within a day before."""
    game = queries.games.game(tx.session, row.game_id) if row.game_id is not None else None
    moderator = moderators.moderator_of(tx.session, game) if game is not None else None
    if game is None or moderator is None or moderator.email != row.recipient:
        return
    if not queries.outbox.others_bounced(tx.session, row, tx.now - timedelta(days=1)):
        what = msg("Letters to the moderator of {game} come back.", game=game.id)
        said = strike(f"{failed.status} {failed.text}")
        outbox.to_operator(tx, outbox.Notice(what, said, cause=f"{CAUSE} {row.message_id}", game=game.id))


def forget_bounces(session: Session, seat: tables.Seat) -> None:
    """Its player wrote: what came back before is behind him."""
    if seat.bounces or seat.unreachable is not None:
        hot_statements.change(session, seat, bounces=0, unreachable=None)


def _about(tx: Transaction, letter: IncomingLetter, raw: bytes) -> tables.Outbox | None:
    """The letter that a report is about."""
    if letter.bounced is not None:
        found = (queries.outbox.by_envelope(tx.session, one) for one in tx.server.own.bounces(letter.bounced))
        return next((row for row in found if row is not None), None)
    names = delivery.returned(raw)
    return next(iter(queries.outbox.by_names(tx.session, names)), None) if names else None


def _write_off(tx: Transaction, row: tables.Outbox, seat: tables.Seat, failed: Failure, seen: bool) -> None:
    """Tell the operator, and put the deadline off if that was `seen`, it waits for this seat and was not before."""
    game = queries.games.game(tx.session, seat.game_id)
    if game is None:
        return
    what = msg(
        "Letters to the seat {seat} of {game} come back, {count} so far: its player is out of reach at {email}.",
        seat=seat.name,
        game=game.id,
        count=seat.bounces,
        email=row.recipient,
    )
    said = strike(f"{failed.status} {failed.text}")
    if not seen:
        said += f'\nThe deadline stays. To put it off: pbem game rule {game.id} "EXTEND 24h BECAUSE letters come back"'
    cause, title = f"{CAUSE} {row.message_id}", msg("a player is out of reach")
    outbox.to_operator(tx, outbox.Notice(what, said, cause=cause, game=game.id, title=title))
    phase = queries.phases.open_phase(tx.session, game.id)
    if phase is None or game.state != "running" or not seen:
        return
    here = read_position(tx, game)
    if seat.name not in deadlines.awaited_seats(tx.session, here, phase) or deadlines.is_due(tx, phase):
        return
    if len(here.commanders) > 1:
        # The others of his side go on without him, and so does the enemy.
        return
    if any(delay.seat_id == seat.id for delay in queries.schedule.delays(tx.session, phase, CAUSE)):
        return
    pace = deadlines.pace_of(game)
    to = pace.deadline(phase.deadline, 0)
    deadlines.move_deadline(tx, here, phase, deadlines.DeadlineMove(to, cause=CAUSE, seat=seat))

    def told(zone: str) -> tuple[Msg, ...]:
        return (
            msg("Letters to {seat} come back. The deadline is put off once because of that.", seat=seat.name),
            msg("Turn {turn}: it is now {when}.", turn=phase.turn, when=when(to, zone)),
        )

    outbox.to_all(
        tx, game, phase, outbox.Circular(told, cause=f"{CAUSE} {phase.id} {seat.id}", but=seat, may_wait=True)
    )


# Letters to the address of the unsubscribe button: fewer letters from now on, and one answer that says how to leave.
#
# Mail programs write such letters themselves, with words and marks of their own, so only the address counts. It speaks
# for nothing else: whoever has it can neither order nor give a seat up. The answer goes to the registered address.


ONLOOKER = "mail"
"""Stands in the place of a seat's name in the addresses of those who have none."""
UNSUBSCRIBED = "unsubscribed"
_LEAST = Rhythm("weekly")
_DAY = timedelta(days=1)


class Subscription(NamedTuple):
    """Whose letters about a game are to become fewer: those to a seat, or to somebody without one."""

    game: tables.Game
    seat: tables.Seat | None
    person_id: int


def address_for(server: Server, row: tables.Outbox) -> str:
    """Return the address of the unsubscribe button of a letter; empty if it has none."""
    seat = server.own.seat(row.reply_to) if row.seat_id is not None else None
    if row.game_id is None or (seat is None and row.reply_to != server.address):
        # A moderator leaves by the command line: nothing that he could write would end his letters.
        return ""
    name, secret = (seat.seat, seat.token) if seat is not None else (ONLOOKER, row.recipient)
    token = tokens.unsubscribe(server.keys.key, row.game_id, name, secret)
    return format(SeatAddress(server.settings.local, row.game_id, name, token, server.settings.domain))


def subscription(tx: Transaction, address: SeatAddress | None) -> Subscription | None:
    """Return whose button an address is; None if it is nobody's, any more."""
    game = queries.games.game(tx.session, address.game) if address is not None else None
    if address is None or game is None:
        return None
    key = tx.server.keys.key
    if address.seat == ONLOOKER:
        for person, email in queries.persons.onlookers(tx.session, game.id):
            if tokens.is_same(tokens.unsubscribe(key, game.id, ONLOOKER, email), address.token):
                return Subscription(game, None, person)
        return None
    seat = queries.games.seat(tx.session, game.id, address.seat)
    if seat is None or seat.person_id is None:
        return None
    secret = tokens.token(key, game.id, seat.name, seat.generation)
    good = tokens.is_same(tokens.unsubscribe(key, game.id, seat.name, secret), address.token)
    return Subscription(game, seat, seat.person_id) if good else None


def unsubscribe(tx: Transaction, found: Subscription, row: tables.Inbox) -> None:
    """Make somebody's letters fewer and tell him, at his registered address."""
    if found.seat is None:
        _end(tx, found, row)
        return
    seat, game = found.seat, found.game
    hot_statements.change(tx.session, seat, notify=_LEAST.text, reminded=False)
    outbox.plan_news(tx, game, seat)
    if queries.inbox.answered_unread_since(tx.session, seat, tx.now - _DAY):
        return
    opening = (
        msg("The unsubscribe button of one of my letters was used. You get fewer letters from now on."),
        msg("News come once a week, and no reminders. Reports, questions, rulings and answers still come at once."),
        msg("You still have your seat, and the game waits for your orders. To leave it, answer with the line RESIGN."),
        msg("SET NOTIFY ALL and SET NOTIFY REMINDERS bring all letters back."),
    )
    phase = queries.phases.open_phase(tx.session, game.id)
    letter = content.Letter("settings", outbox.head_of(tx.server, game, seat, phase), opening=opening).to_json()
    to = outbox.envelope_for(tx, seat, game)
    if to is not None:
        outbox.queue(tx, letter, to, _cause(row), row)


def _end(tx: Transaction, found: Subscription, row: tables.Inbox) -> None:
    """End the letters about a game to somebody who has no seat in it."""
    person = tx.session.get_one(tables.Person, found.person_id)
    email = queries.persons.email_of(tx.session, person.id)
    game = found.game.id
    for watched in queries.persons.observers(tx.session, game):
        if watched.person_id == person.id:
            tx.session.delete(watched)
    for waiting in queries.persons.waiting_for(tx.session, game):
        if waiting.person_id == person.id:
            tx.session.delete(waiting)
    tx.session.flush()
    opening = (
        msg("You get no more letters about {game}: the unsubscribe button of one of them was used.", game=game),
        msg("OBSERVE {game}, in a letter to {address}, brings them back.", game=game, address=tx.server.address),
    )
    letter = content.Letter("settings", Head(game=game, address=tx.server.address), opening=opening).to_json()
    if email is not None:
        outbox.queue(tx, letter, outbox.Envelope(email, person.language), _cause(row), row)


def _cause(row: tables.Inbox) -> str:
    return f"{row.message_id} {row.sha256}"
