"""Letters to the address of the unsubscribe button: fewer letters from now on, and one answer that says how to leave.

Mail programs write such letters themselves, with words and marks of their own, so only the address counts. It speaks
for nothing else: whoever has it can neither order nor give a seat up. The answer goes to the registered address.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.letters import content, outbox
from pbem.letters.content import Head
from pbem.letters.outbox import Rhythm
from pbem.mail.address import SeatAddress, format
from pbem.runtime import tokens
from pbem.runtime.transaction import Server, Work
from pbem.store import queries, tables, writes

ONLOOKER = "mail"
"""Stands in the place of a seat's name in the addresses of those who have none."""
DONE = "unsubscribed"
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
    token = tokens.unsubscribe(server.key, row.game_id, name, secret)
    return format(SeatAddress(server.local, row.game_id, name, token, server.domain))


def subscription(work: Work, address: SeatAddress | None) -> Subscription | None:
    """Return whose button an address is; None if it is nobody's, any more."""
    game = queries.games.game(work.session, address.game) if address is not None else None
    if address is None or game is None:
        return None
    key = work.server.key
    if address.seat == ONLOOKER:
        for person, email in queries.people.onlookers(work.session, game.id):
            if tokens.same(tokens.unsubscribe(key, game.id, ONLOOKER, email), address.token):
                return Subscription(game, None, person)
        return None
    seat = queries.games.seat(work.session, game.id, address.seat)
    if seat is None or seat.person_id is None:
        return None
    secret = tokens.token(key, game.id, seat.name, seat.generation)
    good = tokens.same(tokens.unsubscribe(key, game.id, seat.name, secret), address.token)
    return Subscription(game, seat, seat.person_id) if good else None


def carry_out(work: Work, found: Subscription, row: tables.Inbox) -> None:
    """Make somebody's letters fewer and tell him, at his registered address."""
    if found.seat is None:
        _end(work, found, row)
        return
    seat, game = found.seat, found.game
    writes.change(work.session, seat, notify=_LEAST.text, reminded=False)
    outbox.plan_news(work, game, seat)
    if queries.inbox.answered_unread_since(work.session, seat, work.now - _DAY):
        return
    opening = (
        msg("The unsubscribe button of one of my letters was used. You get fewer letters from now on."),
        msg("News come once a week, and no reminders. Reports, questions, rulings and answers still come at once."),
        msg("You still have your seat, and the game waits for your orders. To leave it, answer with the line RESIGN."),
        msg("SET NOTIFY ALL and SET NOTIFY REMINDERS bring all letters back."),
    )
    phase = queries.phases.open_phase(work.session, game.id)
    letter = content.Letter("settings", outbox.head_of(work.server, game, seat, phase), opening=opening).to_json()
    to = outbox.envelope_for(work, seat, game)
    if to is not None:
        outbox.queue(work, letter, to, _cause(row), row)


def _end(work: Work, found: Subscription, row: tables.Inbox) -> None:
    """End the letters about a game to somebody who has no seat in it."""
    person = work.session.get_one(tables.Person, found.person_id)
    email = queries.people.email_of(work.session, person.id)
    game = found.game.id
    for watched in queries.people.observers(work.session, game):
        if watched.person_id == person.id:
            work.session.delete(watched)
    for waiting in queries.people.waiting_for(work.session, game):
        if waiting.person_id == person.id:
            work.session.delete(waiting)
    work.session.flush()
    opening = (
        msg("You get no more letters about {game}: the unsubscribe button of one of them was used.", game=game),
        msg("OBSERVE {game}, in a letter to {address}, brings them back.", game=game, address=work.server.address),
    )
    letter = content.Letter("settings", Head(game=game, address=work.server.address), opening=opening).to_json()
    if email is not None:
        outbox.queue(work, letter, outbox.Envelope(email, person.language), _cause(row), row)


def _cause(row: tables.Inbox) -> str:
    return f"{row.message_id} {row.sha256}"
