"""Giving a game a moderator who writes letters, another one, another address, or none; its players are told."""

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
from pbem.play.positions import game_named
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class Appointment(NamedTuple):
    """Who is to moderate a game: his address, how he is written to, and whether he may have a seat himself."""

    game: str
    email: str
    language: str = "en"
    zone: str = "UTC"
    plays: bool = False


def appoint(work: Transaction, wanted: Appointment) -> str:
    """Let somebody moderate a game by letter, and return the address that he writes to; Broken if he cannot.

    He is written to, and all players are told, of `plays` too: that he may have a seat himself. What another moderator
    had is worthless from then on.
    """
    game, email, language, zone, plays = wanted
    row, now = game_named(work.session, game), work.now
    try:
        check_address(email)
        Pace(zone=zone)
        language_of(language)
    except ValueError as wrong:
        raise UserError(msg("The game cannot have that moderator: {why}", why=str(wrong))) from wrong
    own = moderators.seats_of(work.session, game, email)
    if own and not plays:
        raise UserError(
            msg(
                "Whoever has the seat {seats} of {game} cannot moderate it unhidden; --plays tells all players.",
                seats=own,
                game=game,
            )
        )
    who = seating.person_of(work.session, email, "", language, zone)
    before = work.session.get(tables.Moderator, game)
    seat = before or tables.Moderator(game_id=game)
    another = seat.person_id != who.id
    openly = plays and (another or not seat.plays)
    if before is not None and another:
        _release(work, row)
        seat.generation += 1
    seat.person_id, seat.language, seat.zone, seat.plays = who.id, language, zone, plays
    work.session.add(seat)
    work.session.flush()
    address = work.server.moderator_address(seat)
    said_first = [*welcome(address, game), *_of_the_parts_before(work, row, seat)]
    cause = f"{language} {_cause(game, said_first, now)}"
    moderators.notify(work, row, moderators.Memo(said_first, kind="chair", cause=cause))
    said = [*([_APPOINTED] if another else []), *([moderators.OPENLY] if openly else [])]
    said += [msg("He has the seat {seats}.", seats=own)] if own else []
    _tell(work, row, seat, said)
    return address


def rotate(work: Transaction, game: str) -> str:
    """Give a game's moderator another address, write to him, and return it; Broken if the game has none."""
    row, seat = game_named(work.session, game), _moderator(work.session, game)
    address, now = replace_address(work, seat), work.now
    told = rotation_notice(game, address)
    moderators.notify(work, row, moderators.Memo(told, kind="settings", cause=_cause(game, told, now)))
    return address


def replace_address(work: Transaction, row: tables.Moderator) -> str:
    """Make a moderator's address and every code that he was sent worthless, and return his new address."""
    row.generation += 1
    work.session.add(row)
    work.session.flush()
    return work.server.moderator_address(row)


def rotation_notice(game: str, address: str) -> Sequence[Msg]:
    """Return what a moderator is told when his address is replaced."""
    return (
        msg("You moderate {game} from another address now: {address}.", game=game, address=address),
        seating.REPLACED,
    )


def dismiss(work: Transaction, game: str) -> None:
    """Let nobody moderate a game by letter any more; Broken if nobody did."""
    row, seat = game_named(work.session, game), _moderator(work.session, game)
    _release(work, row)
    # The row stays: were its generations counted from 1 again, an old address would be good once more.
    seat.person_id, seat.generation = None, seat.generation + 1
    work.session.add(seat)
    work.session.flush()
    _of_the_parts_before(work, row, seat)
    _tell(work, row, seat, (_DISMISSED,))


_APPOINTED = msg(
    "This game has a moderator, who rules on appeals and may close a phase, hold the game or end it. Each of his "
    "rulings has a number and a reason, and you are told it before it takes effect."
)
_DISMISSED = msg("This game has no moderator of its own any more; whoever runs the server decides.")


def welcome(address: str, game: str) -> Sequence[Msg]:
    """Return what whoever moderates a game is told first."""
    return (
        msg("You moderate the game {game}. Your letters about it go to {address}.", game=game, address=address),
        msg("Whoever knows this address can write as you: keep it to yourself. My answers come to you alone."),
        msg("A ruling is one line with its reason. I mail back what I understood, and a code that makes it so."),
    )


def _of_the_parts_before(work: Transaction, game: tables.Game, now: tables.Moderator) -> Sequence[Msg]:
    """K8 A war is moderated as one: let its parts that are over be moderated by who does so now, and tell him how."""
    told = []
    for part in war_progress.behind(work, game):
        row = work.session.get(tables.Moderator, part)
        if row is None and now.person_id is None:
            continue
        if row is None or row.person_id != now.person_id:
            before = row or tables.Moderator(game_id=part, generation=0)
            before.person_id, before.language, before.zone, before.plays = (
                now.person_id,
                now.language,
                now.zone,
                now.plays,
            )
            before.generation += 1
            work.session.add(before)
            work.session.flush()
            row = before
        told.append(
            msg(
                "What is to be ruled of {game}, which is over, goes to {address}.",
                game=part,
                address=work.server.moderator_address(row),
            )
        )
    return told


def _release(work: Transaction, game: tables.Game) -> None:
    told = (msg("You do not moderate {game} any more.", game=game.id),)
    moderators.notify(work, game, moderators.Memo(told, cause=_cause(game.id, told, work.now)))


def _tell(work: Transaction, game: tables.Game, seat: tables.Moderator, said: Sequence[Msg]) -> None:
    def told(zone: str) -> Sequence[Msg]:
        return said

    phase = queries.phases.played_phase(work.session, game.id)
    if said:
        outbox.to_all(
            work, game, phase, outbox.Circular(told, cause=f"{seat.generation} {_cause(game.id, said, work.now)}")
        )


def _cause(game: str, said: Sequence[Msg], now: datetime) -> str:
    """Return a cause by which two letters written in one moment have different Message-IDs."""
    return f"{game} {now.isoformat()} {dumps([one.to_json() for one in said])}"


def _moderator(session: Session, game: str) -> tables.Moderator:
    row = session.get(tables.Moderator, game)
    if row is None or row.person_id is None:
        raise UserError(msg("The game {game} has no moderator who writes letters.", game=game))
    return row
