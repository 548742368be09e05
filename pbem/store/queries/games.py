"""Questions about games, their editions and seats, and about the wars that games are parts of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, select

from pbem.store import tables as t
from pbem.store.queries.phases import IS_GOING_ON
from pbem.store.session_cache import cache_of

READING = "reading"
"""What the `info` of a session has that only reads."""

_GAME = select(t.Game).where(t.Game.id == bindparam("game"))
_GAME_ALONE = _GAME.with_for_update()
_GAME_IF_FREE = _GAME.with_for_update(skip_locked=True)
_SEATS = select(t.Seat).where(t.Seat.game_id == bindparam("game")).order_by(col(t.Seat.id))
_SEAT = select(t.Seat).where(t.Seat.game_id == bindparam("game"), t.Seat.name == bindparam("seat"))


def game(session: Session, name: str) -> t.Game | None:
    """The game, its row locked until the transaction ends where the database locks rows, unless it only reads."""
    asked = _GAME if session.info.get(READING) else _GAME_ALONE
    return session.exec(asked, params={"game": name}).one_or_none()


def free_game(session: Session, name: str) -> t.Game | None:
    """The game, its row locked; None also while another transaction has it, which is not waited for."""
    return session.exec(_GAME_IF_FREE, params={"game": name}).one_or_none()


def seats(session: Session, name: str) -> Sequence[t.Seat]:
    """All seats of a game in the order of play; a session asks for them once, and they are made with their game."""
    known = cache_of(session, "seats")
    found: Sequence[t.Seat] = known.get(name, ())
    if not found or any(seat not in session for seat in found):
        found = known[name] = session.exec(_SEATS, params={"game": name}).all()
    return found


def seat(session: Session, name: str, seat_name: str) -> t.Seat | None:
    """One seat of a game."""
    return session.exec(_SEAT, params={"game": name, "seat": seat_name}).one_or_none()


def every(session: Session) -> Sequence[t.Game]:
    """All games by name."""
    return session.exec(select(t.Game).order_by(col(t.Game.id))).all()


def begun(session: Session) -> Sequence[str]:
    """The names of the games that have begun, in order."""
    return session.exec(select(t.Game.id).where(t.Game.state != "forming").order_by(col(t.Game.id))).all()


def unfinished(session: Session) -> Sequence[t.Game]:
    """The games that are not over, those that form among them."""
    return session.exec(select(t.Game).where(col(t.Game.state).in_(("forming", "running", "held")))).all()


def under_way(session: Session) -> Sequence[t.Game]:
    """The games that have begun and are not over, those that are held among them."""
    return session.exec(select(t.Game).where(col(t.Game.state).in_(("running", "held")))).all()


def ended(session: Session, before: datetime) -> Sequence[str]:
    """The names of games that are over, whose last letter was written before a moment, and whose letters are kept."""
    last = select(func.max(t.Outbox.created)).where(t.Outbox.game_id == t.Game.id).scalar_subquery()
    found = select(t.Game.id).where(t.Game.state == "over", col(t.Game.emptied).is_(None))
    return session.exec(found.where(func.coalesce(last, t.Game.created) < before).order_by(col(t.Game.id))).all()


def with_phases(session: Session) -> Sequence[tuple[t.Game, t.Phase]]:
    """The games of which a phase is open or waits for answers, each with that phase, by name."""
    found = select(t.Game, t.Phase).join(t.Phase, col(t.Phase.game_id) == t.Game.id).where(IS_GOING_ON)
    return session.exec(found.order_by(col(t.Phase.game_id))).all()


def against_bots(session: Session) -> Sequence[t.Game]:
    """The games that somebody had set up by letter to play against a bot, and that go on."""
    found = select(t.Game).where(col(t.Game.asked_by).is_not(None), col(t.Game.state).in_(("running", "held")))
    return session.exec(found.order_by(t.Game.id)).all()


def asked_for(session: Session, names: Collection[str]) -> frozenset[str]:
    """Of some games those that somebody had set up by letter to play against a bot; they yield to the others."""
    found = select(t.Game.id).where(col(t.Game.asked_by).is_not(None), col(t.Game.id).in_(names))
    return frozenset(session.exec(found).all()) if names else frozenset()


# Questions about wars and the games that they are made of.


def war(session: Session, name: str) -> t.War | None:
    """The war of that name."""
    return session.get(t.War, name)


def wars(session: Session) -> Sequence[t.War]:
    """All wars by name."""
    return session.exec(select(t.War).order_by(col(t.War.id))).all()


def war_of(session: Session, game: str) -> tuple[t.War, t.WarGame] | None:
    """The war that a game belongs to, and its place there; None if it belongs to none."""
    place = session.get(t.WarGame, game)
    return None if place is None else (session.get_one(t.War, place.war_id), place)


def games_of_war(session: Session, name: str) -> Sequence[t.WarGame]:
    """The games of a war in order, from the first leg to the one that is played."""
    line = select(t.WarGame).where(t.WarGame.war_id == name, col(t.WarGame.place) > 0)
    return session.exec(line.order_by(col(t.WarGame.place))).all()


def void_games(session: Session, name: str) -> Sequence[t.WarGame]:
    """The games of a war that led to nothing, those first that became so first."""
    left = select(t.WarGame).where(t.WarGame.war_id == name, col(t.WarGame.place) < 0)
    return session.exec(left.order_by(col(t.WarGame.place).desc())).all()
