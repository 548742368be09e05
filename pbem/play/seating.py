"""Giving a seat to somebody: by the command line, or to whoever asked for a free one and confirmed it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.languages import language_of
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox
from pbem.mail.address import check_address
from pbem.play.positions import game_named
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import HTML, ON, Transaction, UserError
from pbem.store import hot_statements, queries, tables

REPLACED = msg("What is sent to the old one from now on is not read. Answering this letter is enough.")
"""What somebody is told whose address was replaced by another: letters to the old one do nothing any more."""


def person_of(session: Session, email: str, name: str = "", language: str = "en", zone: str = "UTC") -> tables.Person:
    """Return the person with this address; if there is none, a new one with this name, language and zone."""
    who = queries.persons.person_by_email(session, email)
    if who is None:
        who = tables.Person(name=plain(name or email.partition("@")[0]), language=language, zone=zone)
        session.add(who)
        session.flush()
        session.add(tables.Address(person_id=who.id or 0, email=email.casefold()))
        session.flush()
    return who


class Invitation(NamedTuple):
    """The seat that somebody is to be given, and his address; name, language and zone count only if he is new here."""

    game: str
    seat: str
    email: str
    person: str = ""
    language: str = "en"
    zone: str = "UTC"


def invite_seat(work: Transaction, invitation: Invitation) -> str:
    """Give a seat to somebody, write him a letter, and return the seat's address; Broken if it cannot be.

    A seat that was somebody else's gets a new token: the old address is worthless from then on.
    """
    game, seat, email, person, language, zone = invitation
    row, place = seat_named(work.session, game, seat)
    try:
        check_address(email)
        Pace(zone=zone)
        language_of(language)
    except ValueError as wrong:
        raise UserError(msg("The seat cannot be given away: {why}", why=str(wrong))) from wrong
    if barred := moderators.why_barred(work.session, game, email):
        raise UserError(barred)
    who = person_of(work.session, email, person, language, zone)
    if place.last_letter and place.person_id != who.id:
        place.generation += 1
        place.last_letter = ""
    if place.person_id != who.id:
        place.notify, place.reminded, place.format, place.map = "", True, HTML, ON
        # What one player lets be shown another has not agreed to.
        place.published = place.pen_name = ""
    place.person_id, place.language, place.zone, place.bot = who.id, language, zone, ""
    work.session.add(place)
    # Whoever plays watches from his seat.
    for watching in queries.persons.watched_by(work.session, who.id):
        if watching.game_id == game:
            work.session.delete(watching)
    work.session.flush()
    head = outbox.head_of(work.server, row, place, None)
    opening = [
        msg("You have the seat {seat} in the game {game}: {title}.", seat=seat, game=game, title=head.title or game),
        msg("All letters of this seat go to {address}.", address=head.address),
        msg("Whoever knows this address can give orders for you: keep it to yourself. HELP lists what you can write."),
    ]
    moderator = work.session.get(tables.Moderator, game)
    opening += [moderators.OPENLY] if moderator is not None and moderator.plays else []
    letter = content.Letter("invitation", head, opening=opening).to_json()
    outbox.to_seat(work, letter, place, row, cause=f"{place.generation} {work.now.isoformat()}")
    return head.address


def plain(name: str) -> str:
    """Return a name as it may stand anywhere: letters, digits and a few marks, at most 40 of them."""
    return " ".join("".join(c if c.isalnum() or c in " .'-_" else " " for c in name).split())[:40] or "player"


def rotate(session: Session, seat: tables.Seat) -> None:
    """Make the address of a seat worthless and give it another one."""
    hot_statements.change(session, seat, generation=seat.generation + 1)


def rotation_notice(address: str) -> tuple[Msg, ...]:
    """Return what a seat's player is told when its address is replaced."""
    return msg("Your seat has another address now: {address}.", address=address), REPLACED


def rotate_seat(work: Transaction, *, game: str, seat: str) -> str:
    """Give a seat another address, write to its player, and return the address; Broken if there is no such seat."""
    row, place = seat_named(work.session, game, seat)
    if place.person_id is None:
        raise UserError(msg("Nobody sits at: {seats}.", seats=(seat,)))
    rotate(work.session, place)
    head = outbox.head_of(work.server, row, place, None)
    letter = content.Letter("settings", head, opening=rotation_notice(head.address)).to_json()
    outbox.to_seat(work, letter, place, row, cause=f"rotated {place.generation}")
    return head.address


def seat_named(session: Session, game: str, seat: str) -> tuple[tables.Game, tables.Seat]:
    """A game and a seat of it; Broken if there is none of that name."""
    row, place = game_named(session, game), queries.games.seat(session, game, seat)
    if place is None:
        names = tuple(other.name for other in queries.games.seats(session, game))
        raise UserError(
            msg("There is no seat {seat} in {game}; there are: {seats}.", seat=seat, game=game, seats=names)
        )
    return row, place


# All addresses made anew at once: the server has moved to another one, or has another key for its tokens.
#
# Whoever has a part in a game that is not over is written to; the address in such a letter is his own.


Told = Callable[[str], Sequence[Msg]]
"""(the address that somebody writes to from now on) -> what he is told."""


def tell_of_move(work: Transaction, before: str) -> int:
    """Tell everybody that the server has moved here from another address; how many letters that makes."""

    def told(address: str) -> Sequence[Msg]:
        return (
            msg("This server has moved from {before} to {address}.", before=before, address=work.server.address),
            msg("Write to {address} from now on; answering this letter is enough.", address=address),
            msg("The game goes on as it was: orders that you have sent still count, and so does the log."),
        )

    cause = f"moved {work.server.address}"
    return _tell(work, told, cause) + _tell_observers(work, told, cause)


def tell_of_new_key(work: Transaction) -> int:
    """Tell everybody his new address after the key of all tokens was replaced; how many letters that makes."""

    def told(address: str) -> Sequence[Msg]:
        return (
            msg("The key of this server was replaced: all who play here have other addresses to write to."),
            msg("Write to {address} from now on; answering this letter is enough.", address=address),
            REPLACED,
            msg("Orders that you have sent still count. Codes that I have mailed you are not good any more."),
        )

    return _tell(work, told, f"rekeyed {work.now.isoformat()}")


def _tell(work: Transaction, told: Told, cause: str) -> int:
    count = 0
    for game in queries.games.unfinished(work.session):
        phase = queries.phases.played_phase(work.session, game.id) if game.state != "forming" else None
        for seat in queries.games.seats(work.session, game.id):
            head = outbox.head_of(work.server, game, seat, phase)
            letter = content.Letter("settings", head, opening=told(head.address)).to_json()
            count += bool(outbox.to_seat(work, letter, seat, game, cause))
        moderator = moderators.moderator_of(work.session, game)
        if moderator is not None:
            address = work.server.moderator_address(moderator.row)
            count += moderators.notify(work, game, moderators.Memo(told(address), cause=cause))
    return count


def _tell_observers(work: Transaction, told: Told, cause: str) -> int:
    """Those who watch have no address but the server's own."""
    count = 0
    for game in queries.games.unfinished(work.session):
        for one in queries.persons.observers(work.session, game.id):
            recipient = queries.persons.email_of(work.session, one.person_id)
            if recipient is not None:
                head = outbox.head_of(work.server, game, None, None)._replace(address=work.server.address)
                letter = content.Letter("settings", head, opening=told(work.server.address)).to_json()
                to = outbox.Envelope(recipient, one.language, game=game)
                count += bool(outbox.queue(work, letter, to, f"{cause} observer {one.id}"))
    return count
