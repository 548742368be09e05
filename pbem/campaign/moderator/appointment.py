"""Giving a game a moderator who writes letters, another one, another address, or none; its players are told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.campaign.base.clock import Pace
from pbem.campaign.base.positions import game_named
from pbem.campaign.base.server import Broken, Office
from pbem.campaign.people import moderators, outbox, seating
from pbem.core.data.canon import dumps
from pbem.core.data.messages import Msg, msg
from pbem.mail.address import check_address
from pbem.store import queries, tables

__all__ = ["appoint", "dismiss", "new_address", "rotate", "rotated"]


def appoint(
    session: Session,
    office: Office,
    *,
    game: str,
    email: str,
    language: str = "en",
    zone: str = "UTC",
    plays: bool = False,
) -> str:
    """Let somebody moderate a game by letter, and return the address that he writes to; Broken if he cannot.

    He is written to, and all players are told, of `plays` too: that he may have a seat himself. What another moderator
    had is worthless from then on.
    """
    row, now = game_named(session, game), office.clock.now()
    try:
        check_address(email)
        Pace(zone=zone)
    except ValueError as wrong:
        raise Broken(msg("The game cannot have that moderator: {why}", why=str(wrong))) from wrong
    own = moderators.seats_of(session, game, email)
    if own and not plays:
        raise Broken(
            msg("Whoever has the seat {seats} of {game} cannot moderate it unhidden; --plays tells all players.",
                seats=own, game=game)
        )  # fmt: skip
    who = seating.person_of(session, email, "", language, zone)
    before = session.get(tables.Moderator, game)
    seat = before or tables.Moderator(game_id=game)
    another = seat.person_id != who.id
    openly = plays and (another or not seat.plays)
    if before is not None and another:
        _release(session, office, row, now)
        seat.generation += 1
    seat.person_id, seat.language, seat.zone, seat.plays = who.id, language, zone, plays
    session.add(seat)
    session.flush()
    address = office.moderator_address(seat)
    welcome = _welcome(address, game)
    cause = f"{language} {_cause(game, welcome, now)}"
    moderators.notify(session, office, row, welcome, kind="chair", cause=cause, now=now)
    said = [*([_APPOINTED] if another else []), *([moderators.OPENLY] if openly else [])]
    said += [msg("He has the seat {seats}.", seats=own)] if own else []
    _tell(session, office, row, seat, said, now)
    return address


def rotate(session: Session, office: Office, game: str) -> str:
    """Give a game's moderator another address, write to him, and return it; Broken if the game has none."""
    row, seat = game_named(session, game), _moderator(session, game)
    address, now = rotated(session, office, seat), office.clock.now()
    told = new_address(game, address)
    moderators.notify(session, office, row, told, kind="settings", cause=_cause(game, told, now), now=now)
    return address


def rotated(session: Session, office: Office, row: tables.Moderator) -> str:
    """Make the address of a moderator worthless, and every code that he was sent; the one he has from then on."""
    row.generation += 1
    session.add(row)
    session.flush()
    return office.moderator_address(row)


def new_address(game: str, address: str) -> Sequence[Msg]:
    """What a moderator is told of that."""
    return (
        msg("You moderate {game} from another address now: {address}.", game=game, address=address),
        seating.REPLACED,
    )


def dismiss(session: Session, office: Office, game: str) -> None:
    """Let nobody moderate a game by letter any more; Broken if nobody did."""
    row, seat, now = game_named(session, game), _moderator(session, game), office.clock.now()
    _release(session, office, row, now)
    # The row stays: were its generations counted from 1 again, an old address would be good once more.
    seat.person_id, seat.generation = None, seat.generation + 1
    session.add(seat)
    session.flush()
    _tell(session, office, row, seat, (_DISMISSED,), now)


_APPOINTED = msg(
    "This game has a moderator, who rules on appeals and may close a phase, hold the game or end it. Each of his "
    "rulings has a number and a reason, and you are told it before it takes effect."
)
_DISMISSED = msg("This game has no moderator of its own any more; whoever runs the server decides.")


def _welcome(address: str, game: str) -> Sequence[Msg]:
    return (
        msg("You moderate the game {game}. Your letters about it go to {address}.", game=game, address=address),
        msg("Whoever knows this address can write as you: keep it to yourself. My answers come to you alone."),
        msg("A ruling is one line with its reason. I mail back what I understood, and a code that makes it so."),
    )


def _release(session: Session, office: Office, game: tables.Game, now: datetime) -> None:
    told = (msg("You do not moderate {game} any more.", game=game.id),)
    moderators.notify(session, office, game, told, cause=_cause(game.id, told, now), now=now)


def _tell(
    session: Session, office: Office, game: tables.Game, seat: tables.Moderator, said: Sequence[Msg], now: datetime
) -> None:
    def told(zone: str) -> Sequence[Msg]:
        return said

    phase = queries.phases.played_phase(session, game.id)
    if said:
        outbox.to_all(
            session, office, game, phase, told, cause=f"{seat.generation} {_cause(game.id, said, now)}", now=now
        )


def _cause(game: str, said: Sequence[Msg], now: datetime) -> str:
    """Two things told in one moment are two letters."""
    return f"{game} {now.isoformat()} {dumps([one.to_json() for one in said])}"


def _moderator(session: Session, game: str) -> tables.Moderator:
    row = session.get(tables.Moderator, game)
    if row is None or row.person_id is None:
        raise Broken(msg("The game {game} has no moderator who writes letters.", game=game))
    return row
