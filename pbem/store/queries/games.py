"""Query games, their editions and seats, and the wars that games are parts of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, select

from pbem.store import tables as t
from pbem.store.queries.phases import IS_GOING_ON
from pbem.store.session_cache import cache_of

READING = "reading"
"""The key in `info` of a session that only reads."""

_GAME = select(t.Game).where(t.Game.id == bindparam("game"))
_GAME_ALONE = _GAME.with_for_update()
_GAME_IF_FREE = _GAME.with_for_update(skip_locked=True)
# The job is locked as well: PostgreSQL then reads it as it is once both locks are there, or not if it is gone.
_OF_JOB_IF_FREE = select(t.Game, t.Due).join(t.Due).where(t.Due.id == bindparam("job"))
_OF_JOB_IF_FREE = _OF_JOB_IF_FREE.with_for_update(skip_locked=True)
_SEATS = select(t.Seat).where(t.Seat.game_id == bindparam("game")).order_by(col(t.Seat.id))
_SEAT = select(t.Seat).where(t.Seat.game_id == bindparam("game"), t.Seat.name == bindparam("seat"))


def game(session: Session, name: str) -> t.Game | None:
    """Return a game, its row locked until the transaction ends unless it only reads."""
    query = _GAME if session.info.get(READING) else _GAME_ALONE
    return session.exec(query, params={"game": name}).one_or_none()


def free_game(session: Session, name: str) -> t.Game | None:
    """Return a game, its row locked.

    None if there is none, or if another transaction has locked it.
    """
    return session.exec(_GAME_IF_FREE, params={"game": name}).one_or_none()


def free_game_of_job(session: Session, job: int) -> tuple[t.Game, t.Due] | None:
    """Return the game of a job and the job, their rows locked.

    None if the job is gone, or if another transaction has locked one of them.
    """
    return session.exec(_OF_JOB_IF_FREE, params={"job": job}).one_or_none()


def seats(session: Session, name: str) -> Sequence[t.Seat]:
    """Return all seats of a game in the order of play, cached in the session."""
    cache = cache_of(session, "seats")
    game_seats: Sequence[t.Seat] = cache.get(name, ())
    if not game_seats or any(seat not in session for seat in game_seats):
        game_seats = cache[name] = session.exec(_SEATS, params={"game": name}).all()
    return game_seats


def seat(session: Session, name: str, seat_name: str) -> t.Seat | None:
    """Return one seat of a game."""
    return session.exec(_SEAT, params={"game": name, "seat": seat_name}).one_or_none()


def all_games(session: Session) -> Sequence[t.Game]:
    """Return all games by name."""
    return session.exec(select(t.Game).order_by(col(t.Game.id))).all()


def names_of_begun(session: Session) -> Sequence[str]:
    """Return the names of the games that have begun, in order."""
    return session.exec(select(t.Game.id).where(t.Game.state != "forming").order_by(col(t.Game.id))).all()


def unfinished_games(session: Session) -> Sequence[t.Game]:
    """Return the games that are not over, forming ones too."""
    return session.exec(select(t.Game).where(col(t.Game.state).in_(("forming", "running", "held")))).all()


def games_under_way(session: Session) -> Sequence[t.Game]:
    """Return the games that have begun and are not over, held ones too."""
    return session.exec(select(t.Game).where(col(t.Game.state).in_(("running", "held")))).all()


def names_of_ended(session: Session, before: datetime) -> Sequence[str]:
    """Return ended games, by name, whose last letter is before a moment.

    Games without stored letters are left out.
    """
    last = select(func.max(t.Outbox.created)).where(t.Outbox.game_id == t.Game.id).scalar_subquery()
    query = select(t.Game.id).where(t.Game.state == "over", col(t.Game.emptied).is_(None))
    return session.exec(query.where(func.coalesce(last, t.Game.created) < before).order_by(col(t.Game.id))).all()


def games_with_phases(session: Session) -> Sequence[tuple[t.Game, t.Phase]]:
    """Return games with their open phase, or one that waits for answers, by name."""
    query = select(t.Game, t.Phase).join(t.Phase, col(t.Phase.game_id) == t.Game.id).where(IS_GOING_ON)
    return session.exec(query.order_by(col(t.Phase.game_id))).all()


def games_against_bots(session: Session) -> Sequence[t.Game]:
    """Return unfinished games against a bot that somebody asked for by letter."""
    query = select(t.Game).where(col(t.Game.asked_by).is_not(None), col(t.Game.state).in_(("running", "held")))
    return session.exec(query.order_by(t.Game.id)).all()


def yielding_games(session: Session, names: Collection[str]) -> frozenset[str]:
    """Return those of some games that yield: against bots, asked for by letter."""
    query = select(t.Game.id).where(col(t.Game.asked_by).is_not(None), col(t.Game.id).in_(names))
    return frozenset(session.exec(query).all()) if names else frozenset()


# Queries about wars and their games.


def war(session: Session, name: str) -> t.War | None:
    """Return the war of a name."""
    return session.get(t.War, name)


def wars(session: Session) -> Sequence[t.War]:
    """Return all wars by name."""
    return session.exec(select(t.War).order_by(col(t.War.id))).all()


def war_of(session: Session, game: str) -> tuple[t.War, t.WarGame] | None:
    """Return a game's war, and its place in it; None if it is in no war."""
    place = session.get(t.WarGame, game)
    return None if place is None else (session.get_one(t.War, place.war_id), place)


def games_of_war(session: Session, name: str) -> Sequence[t.WarGame]:
    """Return the games of a war in order, from the first leg to the present one."""
    query = select(t.WarGame).where(t.WarGame.war_id == name, col(t.WarGame.place) > 0)
    return session.exec(query.order_by(col(t.WarGame.place))).all()


def void_games(session: Session, name: str) -> Sequence[t.WarGame]:
    """Return the games of a war that were abandoned, in that order."""
    query = select(t.WarGame).where(t.WarGame.war_id == name, col(t.WarGame.place) < 0)
    return session.exec(query.order_by(col(t.WarGame.place).desc())).all()
