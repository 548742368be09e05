"""Give seats to persons: by the command line, or to a confirmed request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.languages import language_of
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox
from pbem.mail.address import check_address
from pbem.play.positions import lock_game
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import HTML, MAP_ON, Transaction, UserError
from pbem.store import hot_statements, queries, tables

REPLACED = msg("What is sent to the old one from now on is not read. Answering this letter is enough.")
"""Notice that letters to a replaced address are not read any more."""


def find_or_create_person(
    session: Session, email: str, name: str = "", language: str = "en", zone: str = "UTC"
) -> tables.Person:
    """Return the person with this address.

    If there is none, create one with this name, language and zone.
    """
    person = queries.persons.person_by_email(session, email)
    if person is None:
        person = tables.Person(name=plain_name(name or email.partition("@")[0]), language=language, zone=zone)
        session.add(person)
        session.flush()
        session.add(tables.Address(person_id=person.id or 0, email=email.casefold()))
        session.flush()
    return person


class Invitation(NamedTuple):
    """A seat and its new address; name, language and zone are for new persons."""

    game: str
    seat: str
    email: str
    person: str = ""
    language: str = "en"
    zone: str = "UTC"


def invite_seat(tx: Transaction, invitation: Invitation) -> str:
    """Give a seat to a person, write to him, and return the seat's address.

    Raise UserError if that is impossible.
    """
    row, place = give_seat(tx, invitation)
    game, seat = row.id, place.name
    head = outbox.head_of(tx.server, row, place, None)
    opening = [
        msg("You have the seat {seat} in the game {game}: {title}.", seat=seat, game=game, title=head.title or game),
        msg("All letters of this seat go to {address}.", address=head.address),
        KEEP_ADDRESS,
    ]
    moderator = tx.session.get(tables.Moderator, game)
    opening += [moderators.MAY_PLAY_NOTICE] if moderator is not None and moderator.plays else []
    letter = content.Letter("invitation", head, opening=opening).to_json()
    outbox.write_to_seat(tx, letter, place, row, cause=f"{place.generation} {tx.now.isoformat()}")
    return head.address


KEEP_ADDRESS = msg(
    "Anyone who knows this address can give your orders: keep it to yourself. HELP lists what you can write."
)


def give_seat(tx: Transaction, invitation: Invitation) -> tuple[tables.Game, tables.Seat]:
    """Give a seat to a person without a letter; return the game and the seat.

    Raise UserError if that is impossible. A seat taken from somebody else gets a new token: the old address is
    invalid from then on.
    """
    game, seat, email, person, language, zone = invitation
    row, place = find_seat(tx.session, game, seat)
    try:
        check_address(email)
        Pace(zone=zone)
        language_of(language)
    except ValueError as fault:
        # Each of the three checks raises it, with its reason.
        raise UserError(msg("The seat cannot be given away: {why}", why=str(fault))) from fault
    if objection := moderators.why_barred(tx.session, game, email):
        raise UserError(objection)
    player = find_or_create_person(tx.session, email, person, language, zone)
    if place.last_letter and place.person_id != player.id:
        place.generation += 1
        place.last_letter = ""
    if place.person_id != player.id:
        place.notify, place.reminded, place.format, place.map = "", True, HTML, MAP_ON
        # A new player has not agreed to the former one's publication.
        place.published = place.pen_name = ""
    place.person_id, place.language, place.zone, place.bot = player.id, language, zone, ""
    tx.session.add(place)
    # A player does not observe his own game.
    for observer in queries.persons.watched_by(tx.session, player.id):
        if observer.game_id == game:
            tx.session.delete(observer)
    tx.session.flush()
    return row, place


def plain_name(name: str) -> str:
    """Return a name reduced to letters, digits and a few marks.

    It has 40 characters at most, so that it fits into one line of a letter.
    """
    return (
        " ".join(
            "".join(character if character.isalnum() or character in " .'-_" else " " for character in name).split()
        )[:40]
        or "player"
    )


def rotate_token(session: Session, seat: tables.Seat) -> None:
    """Replace the address of a seat by another one."""
    hot_statements.update_row(session, seat, generation=seat.generation + 1)


def seat_rotation_notice(address: str) -> tuple[Msg, ...]:
    """Return the notice to a seat's player when its address is replaced."""
    return msg("Your seat has another address now: {address}.", address=address), REPLACED


def rotate_seat(tx: Transaction, *, game: str, seat: str) -> str:
    """Give a seat another address, write to its player, and return the address.

    Raise UserError if there is no such seat.
    """
    row, place = find_seat(tx.session, game, seat)
    if place.person_id is None:
        raise UserError(msg("Nobody sits at: {seats}.", seats=(seat,)))
    rotate_token(tx.session, place)
    head = outbox.head_of(tx.server, row, place, None)
    letter = content.Letter("settings", head, opening=seat_rotation_notice(head.address)).to_json()
    outbox.write_to_seat(tx, letter, place, row, cause=f"rotated {place.generation}")
    return head.address


def find_seat(session: Session, game: str, seat: str) -> tuple[tables.Game, tables.Seat]:
    """Return a game and a seat of it; raise UserError if there is none of that name."""
    row, place = lock_game(session, game), queries.games.seat(session, game, seat)
    if place is None:
        names = tuple(other.name for other in queries.games.seats(session, game))
        raise UserError(
            msg("There is no seat {seat} in {game}; there are: {seats}.", seat=seat, game=game, seats=names)
        )
    return row, place


# All addresses made anew at once: the server has moved to another one, or has another key for its tokens.
#
# Every participant of an unfinished game gets a letter with his own address.


AddressNotice = Callable[[str], Sequence[Msg]]
"""(a participant's new address) -> the sentences of his notice."""


def announce_server_address(tx: Transaction, former_address: str) -> int:
    """Notify everybody that the server has moved; return the number of letters."""

    def write_notice(address: str) -> Sequence[Msg]:
        return (
            msg("This server has moved from {before} to {address}.", before=former_address, address=tx.server.address),
            msg("Write to {address} from now on; answering this letter is enough.", address=address),
            msg("The game goes on as it was: orders that you have sent still count, and so does the log."),
        )

    cause = f"moved {tx.server.address}"
    return _notify_participants(tx, write_notice, cause) + _notify_observers(tx, write_notice, cause)


def announce_new_key(tx: Transaction) -> int:
    """Mail each player a new address, after the key of the tokens was replaced.

    Returns how many letters.
    """

    def write_notice(address: str) -> Sequence[Msg]:
        return (
            msg("The key of this server was replaced: all who play here have other addresses to write to."),
            msg("Write to {address} from now on; answering this letter is enough.", address=address),
            REPLACED,
            msg("Orders that you have sent still count. Codes that I have mailed you are not good any more."),
        )

    return _notify_participants(tx, write_notice, f"rekeyed {tx.now.isoformat()}")


def _notify_participants(tx: Transaction, notice: AddressNotice, cause: str) -> int:
    count = 0
    for game in queries.games.unfinished_games(tx.session):
        phase = queries.phases.present_phase(tx.session, game.id) if game.state != "forming" else None
        for seat in queries.games.seats(tx.session, game.id):
            head = outbox.head_of(tx.server, game, seat, phase)
            letter = content.Letter("settings", head, opening=notice(head.address)).to_json()
            count += bool(outbox.write_to_seat(tx, letter, seat, game, cause))
        moderator = moderators.moderator_of(tx.session, game)
        if moderator is not None:
            address = tx.server.moderator_address(moderator.row)
            count += moderators.notify(tx, game, moderators.ModeratorNotice(notice(address), cause=cause))
    return count


def _notify_observers(tx: Transaction, notice: AddressNotice, cause: str) -> int:
    """Notify the observers, who have no address but the server's own."""
    count = 0
    for game in queries.games.unfinished_games(tx.session):
        for observer in queries.persons.observers(tx.session, game.id):
            recipient = queries.persons.email_of(tx.session, observer.person_id)
            if recipient is not None:
                head = outbox.head_of(tx.server, game, None, None)._replace(address=tx.server.address)
                letter = content.Letter("settings", head, opening=notice(tx.server.address)).to_json()
                envelope = outbox.Recipient(recipient, observer.language, game=game)
                count += bool(outbox.queue_letter(tx, letter, envelope, f"{cause} observer {observer.id}"))
    return count
