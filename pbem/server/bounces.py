"""Count bounced letters of each seat until it counts as unreachable.

One failure may be a passing trouble of its mail server. After the second permanent bounce the operator is notified;
any letter of the player resets the count. If our own mail server refused the address and the open phase waits for
that seat, the deadline moves once to the next one. A bounce report by letter does not move it, because the
recipient could write such a report himself to delay his own deadline. The operator may move it by hand.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox
from pbem.letters.content import LetterHead, moment_in_words
from pbem.letters.outbox import Rhythm
from pbem.mail import delivery
from pbem.mail.address import SeatAddress, format_address, strike_tokens
from pbem.mail.delivery import DeliveryFailure
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines
from pbem.play.positions import read_position
from pbem.runtime import tokens
from pbem.runtime.clock import DAY
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables

UNREACHABLE_AFTER = 2
"""Permanent bounces in a row after which a seat is unreachable: a single one may be a mistake of the player's mail
server."""

UNREACHABLE_CAUSE = "unreachable"


def process_bounce(tx: Transaction, letter: IncomingLetter, raw: bytes) -> str:
    """Process a delivery report; return the outcome for the letter's row."""
    row = _bounced_letter(tx, letter, raw)
    failure = delivery.read_failure(raw)
    if row is None or failure is None:
        return "silent"
    return count_failure(tx, row, failure)


def count_failure(tx: Transaction, row: tables.Outbox, failure: DeliveryFailure, at_handover: bool = False) -> str:
    """Count the failure of a letter to a seat, once for each letter.

    `at_handover` is True if our own mail server refused the letter at once.
    """
    if row.bounced.startswith("5"):
        return "bounced-before"
    hot_statements.update_row(tx.session, row, bounced=failure.status)
    if not failure.hard:
        return "bounced-for-now"
    seat = tx.session.get(tables.Seat, row.seat_id) if row.seat_id is not None else None
    if seat is None:
        _notify_of_moderator(tx, row, failure)
        return "bounced"
    if queries.persons.email_of(tx.session, seat.person_id) != row.recipient:
        return "bounced"
    hot_statements.update_row(tx.session, seat, bounces=seat.bounces + 1)
    if seat.bounces >= UNREACHABLE_AFTER and seat.unreachable is None:
        hot_statements.update_row(tx.session, seat, unreachable=tx.now)
        _mark_unreachable(tx, row, seat, failure, at_handover)
    return "bounced"


def _notify_of_moderator(tx: Transaction, row: tables.Outbox, failure: DeliveryFailure) -> None:
    """Notify the operator, once a day, of a bounced letter to a moderator."""
    game = queries.games.game(tx.session, row.game_id) if row.game_id is not None else None
    moderator = moderators.moderator_of(tx.session, game) if game is not None else None
    if game is None or moderator is None or moderator.email != row.recipient:
        return
    if not queries.outbox.has_other_bounced(tx.session, row, tx.now - DAY):
        sentence = msg("Letters to the moderator of {game} come back.", game=game.id)
        reply_text = strike_tokens(f"{failure.status} {failure.text}")
        outbox.write_to_operator(
            tx, outbox.OperatorNotice(sentence, reply_text, cause=f"{UNREACHABLE_CAUSE} {row.message_id}", game=game.id)
        )


def forget_bounces(session: Session, seat: tables.Seat) -> None:
    """Reset the bounces of a seat whose player wrote."""
    if seat.bounces or seat.unreachable is not None:
        hot_statements.update_row(session, seat, bounces=0, unreachable=None)


def _bounced_letter(tx: Transaction, letter: IncomingLetter, raw: bytes) -> tables.Outbox | None:
    """Return the letter that a report is about."""
    if letter.bounced is not None:
        rows = (
            queries.outbox.letter_by_envelope(tx.session, address) for address in tx.server.own.bounces(letter.bounced)
        )
        return next((row for row in rows if row is not None), None)
    names = delivery.returned_message_ids(raw)
    return next(iter(queries.outbox.letters_by_names(tx.session, names)), None) if names else None


def _mark_unreachable(
    tx: Transaction, row: tables.Outbox, seat: tables.Seat, failure: DeliveryFailure, at_handover: bool
) -> None:
    """Notify the operator of an unreachable seat, and perhaps move the deadline.

    The deadline moves once, if the phase waits for this seat, and only after a refusal `at_handover`.
    """
    game = queries.games.game(tx.session, seat.game_id)
    if game is None:
        return
    sentence = msg(
        "Letters to the seat {seat} of {game} come back, {count} so far: its player is out of reach at {email}.",
        seat=seat.name,
        game=game.id,
        count=seat.bounces,
        email=row.recipient,
    )
    reply_text = strike_tokens(f"{failure.status} {failure.text}")
    if not at_handover:
        reply_text += (
            f'\nThe deadline stays. To put it off: pbem game rule {game.id} "EXTEND 24h BECAUSE letters come back"'
        )
    cause, title = f"{UNREACHABLE_CAUSE} {row.message_id}", msg("a player is out of reach")
    outbox.write_to_operator(tx, outbox.OperatorNotice(sentence, reply_text, cause=cause, game=game.id, title=title))
    phase = queries.phases.open_phase(tx.session, game.id)
    if phase is None or game.state != "running" or not at_handover:
        return
    position = read_position(tx, game)
    if seat.name not in deadlines.awaited_seats(tx.session, position, phase) or deadlines.is_due(tx, phase):
        return
    if len(position.commanders) > 1:
        # The others of his side continue without him, and so does the enemy.
        return
    if any(delay.seat_id == seat.id for delay in queries.schedule.delays(tx.session, phase, UNREACHABLE_CAUSE)):
        return
    pace = deadlines.pace_of(game)
    new_deadline = pace.deadline(phase.deadline, 0)
    deadlines.move_deadline(
        tx, position, phase, deadlines.DeadlineMove(new_deadline, cause=UNREACHABLE_CAUSE, seat=seat)
    )

    def write_notice(time_zone: str) -> tuple[Msg, ...]:
        return (
            msg("Letters to {seat} come back. The deadline is put off once because of that.", seat=seat.name),
            msg("Turn {turn}: it is now {when}.", turn=phase.turn, when=moment_in_words(new_deadline, time_zone)),
        )

    outbox.announce_to_all(
        tx,
        game,
        phase,
        outbox.Announcement(write_notice, cause=f"{UNREACHABLE_CAUSE} {phase.id} {seat.id}", but=seat, may_wait=True),
    )


# Letters to the unsubscribe button's address: fewer letters from now on, and one answer that says how to leave.
#
# Mail programs write such letters themselves, with any words and marks, so only the address counts. It is valid for
# nothing else: with it nobody can order or give up a seat. The answer goes to the registered address.


OBSERVER_SEAT = "mail"
"""The seat part of the addresses of observers, who have no seat."""
UNSUBSCRIBED = "unsubscribed"
_LEAST = Rhythm("weekly")


class Subscription(NamedTuple):
    """The recipient of a game's letters that an unsubscribe button reduces.

    It is a seat or an observer.
    """

    game: tables.Game
    seat: tables.Seat | None
    person_id: int


def unsubscribe_address(server: Server, row: tables.Outbox) -> str:
    """Return the address of a letter's unsubscribe button; empty if it has none."""
    seat = server.own.seat(row.reply_to) if row.seat_id is not None else None
    if row.game_id is None or (seat is None and row.reply_to != server.address):
        # A moderator leaves by the command line: nothing that he could write would end his letters.
        return ""
    name, secret = (seat.seat, seat.token) if seat is not None else (OBSERVER_SEAT, row.recipient)
    token = tokens.unsubscribe_token(server.keys.key, row.game_id, name, secret)
    return format_address(SeatAddress(server.settings.local, row.game_id, name, token, server.settings.domain))


def find_subscription(tx: Transaction, address: SeatAddress | None) -> Subscription | None:
    """Return the subscription of a button's address; None if it is not valid."""
    game = queries.games.game(tx.session, address.game) if address is not None else None
    if address is None or game is None:
        return None
    key = tx.server.keys.key
    if address.seat == OBSERVER_SEAT:
        for person, email in queries.persons.observers_and_standbys(tx.session, game.id):
            if tokens.is_same_secret(tokens.unsubscribe_token(key, game.id, OBSERVER_SEAT, email), address.token):
                return Subscription(game, None, person)
        return None
    seat = queries.games.seat(tx.session, game.id, address.seat)
    if seat is None or seat.person_id is None:
        return None
    secret = tokens.seat_token(key, game.id, seat.name, seat.generation)
    is_valid = tokens.is_same_secret(tokens.unsubscribe_token(key, game.id, seat.name, secret), address.token)
    return Subscription(game, seat, seat.person_id) if is_valid else None


def unsubscribe(tx: Transaction, button: Subscription, row: tables.Inbox) -> None:
    """Reduce a recipient's letters, and confirm it to the registered address."""
    if button.seat is None:
        _end_letters(tx, button, row)
        return
    seat, game = button.seat, button.game
    hot_statements.update_row(tx.session, seat, notify=_LEAST.text, reminded=False)
    outbox.plan_news(tx, game, seat)
    if queries.inbox.has_answered_automatic(tx.session, seat, tx.now - DAY):
        return
    opening = (
        msg("The unsubscribe button of one of my letters was used. You get fewer letters from now on."),
        msg("News come once a week, and no reminders. Reports, questions, rulings and answers still come at once."),
        msg("You still have your seat, and the game waits for your orders. To leave it, answer with the line RESIGN."),
        msg("SET NOTIFY ALL and SET NOTIFY REMINDERS bring all letters back."),
    )
    phase = queries.phases.open_phase(tx.session, game.id)
    letter = content.Letter("settings", outbox.head_of(tx.server, game, seat, phase), opening=opening).to_json()
    envelope = outbox.recipient_of_seat(tx, seat, game)
    if envelope is not None:
        outbox.queue_letter(tx, letter, envelope, _cause(row), row)


def _end_letters(tx: Transaction, button: Subscription, row: tables.Inbox) -> None:
    """End the letters about a game to an observer."""
    person = tx.session.get_one(tables.Person, button.person_id)
    email = queries.persons.email_of(tx.session, person.id)
    game = button.game.id
    for observer in queries.persons.observers(tx.session, game):
        if observer.person_id == person.id:
            tx.session.delete(observer)
    for waiting in queries.persons.standbys_for(tx.session, game):
        if waiting.person_id == person.id:
            tx.session.delete(waiting)
    tx.session.flush()
    opening = (
        msg("You get no more letters about {game}: the unsubscribe button of one of them was used.", game=game),
        msg("OBSERVE {game}, in a letter to {address}, brings them back.", game=game, address=tx.server.address),
    )
    letter = content.Letter("settings", LetterHead(game=game, address=tx.server.address), opening=opening).to_json()
    if email is not None:
        outbox.queue_letter(tx, letter, outbox.Recipient(email, person.language), _cause(row), row)


def _cause(row: tables.Inbox) -> str:
    return f"{row.message_id} {row.sha256}"
