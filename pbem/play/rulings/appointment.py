"""Appoint, replace or dismiss a game's moderator, and notify its players."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import dumps
from pbem.engine.data.languages import language_of
from pbem.engine.data.messages import Msg, msg
from pbem.letters import moderators, outbox
from pbem.mail.address import check_address
from pbem.play import seating, war_progress
from pbem.play.positions import lock_game
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class Appointment(NamedTuple):
    """A moderator to be appointed: game, address, language, zone, may he play."""

    game: str
    email: str
    language: str = "en"
    zone: str = "UTC"
    plays: bool = False


def appoint(tx: Transaction, wanted: Appointment) -> str:
    """Appoint a game's moderator, and return the address that he writes to.

    Raise UserError if this person cannot be appointed. The moderator gets a letter, and all players are notified,
    with `plays` also that the moderator may have a seat himself. Address and codes of the former moderator are
    invalid from then on.
    """
    game, email, language, zone, plays = wanted
    row, now = lock_game(tx.session, game), tx.now
    try:
        check_address(email)
        Pace(zone=zone)
        language_of(language)
    except ValueError as fault:
        # Each of the three checks raises it, with its reason.
        raise UserError(msg("The game cannot have that moderator: {why}", why=str(fault))) from fault
    own_seats = moderators.seats_of(tx.session, game, email)
    if own_seats and not plays:
        raise UserError(
            msg(
                "Whoever has the seat {seats} of {game} cannot moderate it unhidden; --plays tells all players.",
                seats=own_seats,
                game=game,
            )
        )
    person = seating.find_or_create_person(tx.session, email, "", language, zone)
    former = tx.session.get(tables.Moderator, game)
    seat = former or tables.Moderator(game_id=game)
    is_new_person = seat.person_id != person.id
    must_announce = plays and (is_new_person or not seat.plays)
    if former is not None and is_new_person:
        _notify_former(tx, row)
        seat.generation += 1
    seat.person_id, seat.language, seat.zone, seat.plays = person.id, language, zone, plays
    tx.session.add(seat)
    tx.session.flush()
    address = tx.server.moderator_address(seat)
    first_sentences = [*welcome_sentences(address, game), *_take_earlier_parts(tx, row, seat)]
    cause = f"{language} {_cause(game, first_sentences, now)}"
    moderators.notify(tx, row, moderators.ModeratorNotice(first_sentences, kind="chair", cause=cause))
    notices = [*([_APPOINTED] if is_new_person else []), *([moderators.MAY_PLAY_NOTICE] if must_announce else [])]
    notices += [msg("He has the seat {seats}.", seats=own_seats)] if own_seats else []
    _notify_players(tx, row, seat, notices)
    return address


def rotate_moderator(tx: Transaction, game: str) -> str:
    """Give a game's moderator another address, write to him, and return it.

    Raise UserError if the game has no moderator.
    """
    row, seat = lock_game(tx.session, game), _moderator(tx.session, game)
    address, now = replace_address(tx, seat), tx.now
    notice = rotation_notice(game, address)
    moderators.notify(tx, row, moderators.ModeratorNotice(notice, kind="settings", cause=_cause(game, notice, now)))
    return address


def replace_address(tx: Transaction, row: tables.Moderator) -> str:
    """Return a moderator's new address; the replaced one and its codes end."""
    row.generation += 1
    tx.session.add(row)
    tx.session.flush()
    return tx.server.moderator_address(row)


def rotation_notice(game: str, address: str) -> Sequence[Msg]:
    """Return the notice to a moderator whose address is replaced."""
    return (
        msg("You moderate {game} from another address now: {address}.", game=game, address=address),
        seating.REPLACED,
    )


def dismiss_moderator(tx: Transaction, game: str) -> None:
    """Dismiss a game's moderator; raise UserError if it has none."""
    row, seat = lock_game(tx.session, game), _moderator(tx.session, game)
    _notify_former(tx, row)
    # The row stays: if its generations began at 1 again, an old address would become valid.
    seat.person_id, seat.generation = None, seat.generation + 1
    tx.session.add(seat)
    tx.session.flush()
    _take_earlier_parts(tx, row, seat)
    _notify_players(tx, row, seat, (_DISMISSED,))


_APPOINTED = msg(
    "This game has a moderator, who rules on appeals and may close a phase, hold the game or end it. Each of his "
    "rulings has a number and a reason, and you are told it before it takes effect."
)
_DISMISSED = msg("This game has no moderator of its own any more; whoever runs the server decides.")


def welcome_sentences(address: str, game: str) -> Sequence[Msg]:
    """Return the first sentences to a new moderator."""
    return (
        msg("You moderate the game {game}. Your letters about it go to {address}.", game=game, address=address),
        msg("Whoever knows this address can write as you: keep it to yourself. My answers come to you alone."),
        msg("A ruling is one line with its reason. I mail back what I understood, and a code that makes it so."),
    )


def _take_earlier_parts(tx: Transaction, game: tables.Game, present: tables.Moderator) -> Sequence[Msg]:
    """K8 Give a war's earlier parts to its present moderator; return notices."""
    notices = []
    for part in war_progress.earlier_parts(tx, game):
        row = tx.session.get(tables.Moderator, part)
        if row is None and present.person_id is None:
            continue
        if row is None or row.person_id != present.person_id:
            part_row = row or tables.Moderator(game_id=part, generation=0)
            part_row.person_id, part_row.language, part_row.zone, part_row.plays = (
                present.person_id,
                present.language,
                present.zone,
                present.plays,
            )
            part_row.generation += 1
            tx.session.add(part_row)
            tx.session.flush()
            row = part_row
        notices.append(
            msg(
                "What is to be ruled of {game}, which is over, goes to {address}.",
                game=part,
                address=tx.server.moderator_address(row),
            )
        )
    return notices


def _notify_former(tx: Transaction, game: tables.Game) -> None:
    notice = (msg("You do not moderate {game} any more.", game=game.id),)
    moderators.notify(tx, game, moderators.ModeratorNotice(notice, cause=_cause(game.id, notice, tx.now)))


def _notify_players(tx: Transaction, game: tables.Game, seat: tables.Moderator, sentences: Sequence[Msg]) -> None:
    def write_notice(zone: str) -> Sequence[Msg]:
        return sentences

    phase = queries.phases.present_phase(tx.session, game.id)
    if sentences:
        outbox.announce_to_all(
            tx,
            game,
            phase,
            outbox.Announcement(write_notice, cause=f"{seat.generation} {_cause(game.id, sentences, tx.now)}"),
        )


def _cause(game: str, sentences: Sequence[Msg], now: datetime) -> str:
    """Return a cause that gives two letters to one moderator different Message-IDs."""
    return f"{game} {now.isoformat()} {dumps([sentence.to_json() for sentence in sentences])}"


def _moderator(session: Session, game: str) -> tables.Moderator:
    row = session.get(tables.Moderator, game)
    if row is None or row.person_id is None:
        raise UserError(msg("The game {game} has no moderator who writes letters.", game=game))
    return row
