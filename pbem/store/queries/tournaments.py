"""Query tournaments: entrants, rounds, boards, disputes, ratings, due times."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import BindParameter, bindparam
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.store import tables as t
from pbem.store.queries.games import READING
from pbem.store.session_cache import cached_rows, forget_rows, forget_when_written

_KEPT = (t.Entrant, t.Round, t.Dispute)
"""Tables that a transaction queries repeatedly; their rows are cached until one is written."""
forget_when_written(*_KEPT)

_EVENT: BindParameter[str] = bindparam("event")
_ROUND: BindParameter[int] = bindparam("round")
_NAMED = select(t.Tournament).where(t.Tournament.id == _EVENT)
_NAMED_ALONE = _NAMED.with_for_update().execution_options(populate_existing=True)
_NAMED_IF_FREE = _NAMED.with_for_update(skip_locked=True).execution_options(populate_existing=True)
_ENTRANTS = select(t.Entrant).where(t.Entrant.tournament_id == _EVENT).order_by(col(t.Entrant.number))
_ROUNDS = select(t.Round).where(t.Round.tournament_id == _EVENT, t.Round.state != "void").order_by(col(t.Round.number))
_BOARDS = select(t.Board).where(t.Board.round_id == _ROUND).order_by(col(t.Board.board), col(t.Board.leg))
_SCORED = (
    select(t.Round, t.Board)
    .join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    .where(t.Round.tournament_id == _EVENT, t.Round.stage == bindparam("stage"), t.Round.state != "void")
    .order_by(col(t.Round.number), col(t.Board.board), col(t.Board.leg))
)
_REOPENED = (
    select(t.Round)
    .join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    .distinct()
    .where(t.Round.tournament_id == _EVENT, t.Round.state == "closed", t.Board.state == "playing")
    .order_by(col(t.Round.number))
)
_SILENCES = (
    select(t.Silence)
    .join(t.Board, col(t.Board.id) == col(t.Silence.board_id))
    .join(t.Round, col(t.Round.id) == col(t.Board.round_id))
    .where(t.Round.tournament_id == _EVENT, col(t.Silence.state).in_(bindparam("states", expanding=True)))
    .order_by(col(t.Silence.id))
)
_FOLLOWERS = select(t.Follower).where(t.Follower.tournament_id == _EVENT).order_by(col(t.Follower.id))


def tournament(session: Session, name: str) -> t.Tournament | None:
    """Return a tournament, its row locked unless the transaction only reads.

    After a wait for the lock the row is fresh, even if it was read before.
    """
    if session.info.get(READING):
        return session.exec(_NAMED, params={"event": name}).one_or_none()
    return _lock_tournament(session, name, _NAMED_ALONE)


def lock_tournament_if_free(session: Session, name: str) -> t.Tournament | None:
    """Return a tournament, its row locked.

    None if there is none, or if another transaction has locked it.
    """
    return _lock_tournament(session, name, _NAMED_IF_FREE)


def _lock_tournament(session: Session, name: str, query: SelectOfScalar[t.Tournament]) -> t.Tournament | None:
    # Rows read before the lock may be out of date.
    forget_rows(session, *_KEPT)
    return session.exec(query, params={"event": name}).one_or_none()


def exists(session: Session, name: str) -> bool:
    """Return whether there is a tournament of that name; its row is not locked."""
    return session.exec(select(t.Tournament.id).where(t.Tournament.id == name)).first() is not None


def all_tournaments(session: Session) -> Sequence[t.Tournament]:
    """Return all tournaments by name."""
    return session.exec(select(t.Tournament).order_by(col(t.Tournament.id))).all()


def next_wake(session: Session) -> datetime | None:
    """Return when a tournament is due next; None if nothing is scheduled."""
    return session.exec(select(func.min(t.Tournament.wake))).one()


def entrants(session: Session, name: str) -> Sequence[t.Entrant]:
    """Return all past and present entrants and applicants of a tournament, by number."""
    return cached_rows(session, t.Entrant, name, lambda: session.exec(_ENTRANTS, params={"event": name}).all())


def entrant(session: Session, name: str, number: int) -> t.Entrant | None:
    """Return an entrant by number."""
    query = select(t.Entrant).where(t.Entrant.tournament_id == name, t.Entrant.number == number)
    return session.exec(query).one_or_none()


def entrant_of(session: Session, name: str, person: int | None) -> t.Entrant | None:
    """Return the entrant who is this person."""
    query = select(t.Entrant).where(t.Entrant.tournament_id == name, t.Entrant.person_id == person)
    return session.exec(query).one_or_none()


def entries_of_person(session: Session, person: int) -> Sequence[t.Entrant]:
    """Return all entrants who are this person, by tournament."""
    query = select(t.Entrant).where(t.Entrant.person_id == person)
    return session.exec(query.order_by(col(t.Entrant.tournament_id))).all()


def teams(session: Session, name: str) -> Sequence[t.Team]:
    """Return all teams that ever entered a tournament, by number."""
    return session.exec(select(t.Team).where(t.Team.tournament_id == name).order_by(col(t.Team.number))).all()


def members(session: Session, team: t.Team) -> Sequence[t.Entrant]:
    """Return all past and present members and applicants of a team, by number."""
    query = select(t.Entrant).where(t.Entrant.tournament_id == team.tournament_id, t.Entrant.team_id == team.id)
    return session.exec(query.order_by(col(t.Entrant.number))).all()


def latest_line_up(session: Session, team: int | None, number: int) -> t.Lineup | None:
    """Return a team's line-up for a round, or else for the last round before it."""
    query = select(t.Lineup).where(t.Lineup.team_id == team, t.Lineup.number <= number)
    return session.exec(query.order_by(col(t.Lineup.number).desc())).first()


def rounds(session: Session, name: str) -> Sequence[t.Round]:
    """Return all rounds that are not void, in order."""
    return cached_rows(session, t.Round, name, lambda: session.exec(_ROUNDS, params={"event": name}).all())


def reopened_rounds(session: Session, name: str) -> Sequence[t.Round]:
    """Return the closed rounds with a reopened game."""
    return session.exec(_REOPENED, params={"event": name}).all()


def round_numbered(session: Session, name: str, number: int) -> t.Round | None:
    """Return the round of a number that is not void."""
    query = select(t.Round).where(t.Round.tournament_id == name, t.Round.number == number, t.Round.state != "void")
    return session.exec(query).one_or_none()


def awaited_rounds(session: Session, now: datetime) -> Sequence[str]:
    """Return overdue beacon rounds that draws and lots wait for."""
    draw_query = select(t.Round.beacon).where(
        t.Round.state == "shut", t.Round.beacon != "none", col(t.Round.draws) <= now
    )
    lot_query = select(t.Lot.beacon).where(t.Lot.proof == "", t.Lot.beacon != "none", col(t.Lot.draws) <= now)
    lot_query = lot_query.where(col(t.Lot.shown).is_(False))
    return [*session.exec(draw_query.distinct()).all(), *session.exec(lot_query.distinct()).all()]


def lots(session: Session, name: str, stem: str = "") -> Sequence[t.Lot]:
    """Return a tournament's lots drawn after the pairing, in order.

    With `stem` only lots of one purpose.
    """
    query = select(t.Lot).where(t.Lot.tournament_id == name)
    query = query.where(t.Lot.stem == stem) if stem else query
    return session.exec(query.order_by(col(t.Lot.id))).all()


def boards(session: Session, round_id: int | None) -> Sequence[t.Board]:
    """Return the boards of a round in order, mirrored tables one after the other."""
    return session.exec(_BOARDS, params={"round": round_id}).all()


def count_boards(session: Session, round_id: int | None, state: str) -> int:
    """Return how many boards of a round are in a state."""
    query = select(func.count()).select_from(t.Board).where(t.Board.round_id == round_id, t.Board.state == state)
    return session.exec(query).one()


def boards_of_stage(session: Session, name: str, stage: int) -> Sequence[tuple[t.Round, t.Board]]:
    """Return all boards of the drawn rounds of a stage, with their rounds, in order."""
    return session.exec(_SCORED, params={"event": name, "stage": stage}).all()


def board_of(session: Session, game: str) -> tuple[t.Tournament, t.Round, t.Board] | None:
    """Return tournament, round and board of a table's game; None for any other game.

    It locks nothing and does not cache.
    """
    query = select(t.Tournament, t.Round, t.Board).join(t.Round, col(t.Round.tournament_id) == col(t.Tournament.id))
    query = query.join(t.Board, col(t.Board.round_id) == col(t.Round.id)).where(t.Board.game_id == game)
    return session.exec(query.execution_options(populate_existing=True)).one_or_none()


def table_games(session: Session, round_id: int | None) -> dict[str, t.Game]:
    """Return the games of a round's boards by name, without locking them."""
    query = select(t.Game).join(t.Board, col(t.Board.game_id) == col(t.Game.id)).where(t.Board.round_id == round_id)
    return {game.id: game for game in session.exec(query.execution_options(populate_existing=True))}


def games_in_play(session: Session, name: str) -> Sequence[t.Game]:
    """Return a tournament's games that are not over, by name, without locking them."""
    query = select(t.Game).join(t.Board, col(t.Board.game_id) == col(t.Game.id)).join(t.Round)
    query = query.where(t.Round.tournament_id == name, t.Game.state != "over").order_by(col(t.Game.id))
    return session.exec(query).all()


def seats_at_boards(
    session: Session, round_id: int | None, states: Sequence[str] = ("running", "held")
) -> Sequence[tuple[t.Board, t.Seat]]:
    """Return a round's boards with seats, if their games run or are in given states."""
    query = select(t.Board, t.Seat).join(t.Game, col(t.Game.id) == col(t.Board.game_id))
    query = query.join(t.Seat, col(t.Seat.game_id) == col(t.Game.id)).where(t.Board.round_id == round_id)
    query = query.where(col(t.Game.state).in_(states), t.Board.state == "playing")
    return session.exec(query.order_by(col(t.Board.id), col(t.Seat.id)).execution_options(populate_existing=True)).all()


def seats_of(session: Session, name: str) -> Sequence[t.Seat]:
    """Return the seats of all tables of a tournament, in order."""
    query = select(t.Seat).join(t.Board, col(t.Board.game_id) == col(t.Seat.game_id))
    query = query.join(t.Round, col(t.Round.id) == col(t.Board.round_id)).where(t.Round.tournament_id == name)
    return session.exec(query.order_by(col(t.Seat.id))).all()


def bids(session: Session, board: int | None) -> Sequence[t.Bid]:
    """Return the bids for the sides of a board."""
    return session.exec(select(t.Bid).where(t.Bid.board_id == board).order_by(col(t.Bid.id))).all()


def silences(session: Session, name: str, *states: str) -> Sequence[t.Silence]:
    """Return a tournament's silent players in some states, the oldest first."""
    return session.exec(_SILENCES, params={"event": name, "states": states}).all()


def last_inquiry(session: Session, board: int | None, entrant: int) -> datetime | None:
    """Return when an entrant was last asked about a seat at a board."""
    query = select(t.Silence.asked).where(t.Silence.board_id == board, t.Silence.entrant == entrant)
    return session.exec(query.order_by(col(t.Silence.id).desc()).limit(1)).first()


def open_disputes(session: Session, name: str) -> Sequence[t.Dispute]:
    """Return a tournament's disputes that are undecided or may be appealed."""
    return disputes(session, name, "director", "jury", "ruled")


def disputes(session: Session, name: str, *states: str) -> Sequence[t.Dispute]:
    """Return the disputes of a tournament in these states, or all, by number."""
    return cached_rows(session, t.Dispute, (name, states), lambda: _select_disputes(session, name, states))


def _select_disputes(session: Session, name: str, states: tuple[str, ...]) -> Sequence[t.Dispute]:
    query = select(t.Dispute).where(t.Dispute.tournament_id == name)
    if states:
        query = query.where(col(t.Dispute.state).in_(states))
    return session.exec(query.order_by(col(t.Dispute.number))).all()


def board_of_dispute(session: Session, dispute: t.Dispute) -> t.Board | None:
    """Return the board of a dispute; None for a ruling that decided no game."""
    return session.get_one(t.Board, dispute.board_id) if dispute.board_id is not None else None


def votes(session: Session, dispute: int | None) -> Sequence[t.Vote]:
    """Return the votes of a dispute, in the order in which jurors were asked."""
    return session.exec(select(t.Vote).where(t.Vote.dispute_id == dispute).order_by(col(t.Vote.id))).all()


def docket(session: Session, name: str) -> Sequence[t.Docket]:
    """Return the rulings of the director, and decisions by the rules, by number."""
    return session.exec(select(t.Docket).where(t.Docket.tournament_id == name).order_by(col(t.Docket.number))).all()


def challenges(session: Session, name: str, number: int) -> Sequence[t.Challenge]:
    """Return a ladder's challenges for a round.

    Accepted ones come last, in the order of acceptance.
    """
    query = select(t.Challenge).where(t.Challenge.tournament_id == name, t.Challenge.number == number)
    return session.exec(query.order_by(col(t.Challenge.accepted), col(t.Challenge.id))).all()


def all_challenges(session: Session, name: str) -> Sequence[t.Challenge]:
    """Return a ladder's challenges, by rounds and in the order of making."""
    query = select(t.Challenge).where(t.Challenge.tournament_id == name)
    return session.exec(query.order_by(col(t.Challenge.number), col(t.Challenge.id))).all()


def appointments(session: Session, name: str, *roles: str) -> Sequence[t.Appointment]:
    """Return a tournament's appointments in these roles, or all, in order."""
    query = select(t.Appointment).where(t.Appointment.tournament_id == name)
    query = query.where(col(t.Appointment.role).in_(roles)) if roles else query
    return session.exec(query.order_by(col(t.Appointment.id))).all()


def followers(session: Session, name: str) -> Sequence[t.Follower]:
    """Return the followers of a tournament, in order."""
    return session.exec(_FOLLOWERS, params={"event": name}).all()


def followed_by(session: Session, person: int | None) -> Sequence[t.Follower]:
    """Return the tournaments that a person watches."""
    return session.exec(select(t.Follower).where(t.Follower.person_id == person)).all()


def rating(session: Session, person: int, pool: str) -> t.Rating | None:
    """Return the newest rating of a person in a pool."""
    query = select(t.Rating).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(query.order_by(col(t.Rating.period).desc())).first()


def playing_record(session: Session, person: int | None) -> tuple[int, int, int]:
    """Return a person's numbers of finished games, missed deadlines and phases."""
    query = select(func.count()).select_from(t.Seat).join(t.Game, col(t.Game.id) == col(t.Seat.game_id))
    finished = session.exec(query.where(t.Seat.person_id == person, t.Game.state == "over")).one()
    missed = session.exec(select(func.coalesce(func.sum(t.Seat.strikes), 0)).where(t.Seat.person_id == person)).one()
    phases = select(func.count()).select_from(t.Phase).join(t.Seat, col(t.Seat.game_id) == col(t.Phase.game_id))
    return finished, int(missed), session.exec(phases.where(t.Seat.person_id == person)).one()


def has_letter_since(session: Session, seat: int | None, moment: datetime) -> bool:
    """Return whether a letter of a seat was taken in since a moment."""
    query = select(t.Inbox.id).where(t.Inbox.seat_id == seat, t.Inbox.taken >= moment, t.Inbox.verdict == "seat")
    return session.exec(query).first() is not None


def wrote_in_round(session: Session, board: t.Board, person: int, senders: Sequence[str], entrant: str) -> bool:
    """Return whether a person wrote in a round, at its tables or as entrant.

    Letters count from the founding of the table on.
    """
    since = session.exec(select(t.Game.created).where(t.Game.id == board.game_id)).one()
    seats = select(t.Seat.id).join(t.Board, col(t.Board.game_id) == col(t.Seat.game_id))
    seats = seats.where(t.Board.round_id == board.round_id, t.Seat.person_id == person)
    at_table = select(t.Inbox.id).where(
        t.Inbox.taken >= since, t.Inbox.verdict == "seat", col(t.Inbox.seat_id).in_(seats)
    )
    return session.exec(at_table.limit(1)).first() is not None or wrote_as_entrant(session, senders, entrant, since)


def wrote_as_entrant(session: Session, senders: Sequence[str], entrant: str, moment: datetime) -> bool:
    """Return whether a letter to an entrant's address was taken in since a moment.

    `entrant` is the beginning of his addresses in this tournament: a letter to another tournament does not count.
    """
    # A letter's row does not say of which tournament it was; its answer does.
    letters = select(t.Inbox.id).join(t.Outbox, col(t.Outbox.inbox_id) == col(t.Inbox.id))
    query = letters.where(
        t.Inbox.taken >= moment,
        t.Inbox.verdict == "entrant",
        col(t.Inbox.sender).in_(senders),
        col(t.Outbox.reply_to).startswith(entrant, autoescape=True),
    )
    return session.exec(query.limit(1)).first() is not None


def has_written(session: Session, seat: int | None) -> bool:
    """Return whether a seat ever wrote."""
    return session.exec(select(t.Inbox.id).where(t.Inbox.seat_id == seat)).first() is not None


def last_turn(session: Session, game: str) -> int:
    """Return the last turn of a game that has begun; 0 if none has."""
    return session.exec(select(func.coalesce(func.max(t.Phase.turn), 0)).where(t.Phase.game_id == game)).one()


# Queries about ratings: unrated boards, ratings of a pool, leaves of the log.


def first_unrated_closing(session: Session, name: str) -> datetime | None:
    """Return when the first round with an unrated board closed, or None."""
    query = select(func.min(t.Round.closed)).join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    query = query.where(t.Round.tournament_id == name, t.Round.state == "closed", t.Board.rated == "")
    return session.exec(query.where(col(t.Board.state).in_(("scored", "final")))).one()


def unrated_boards(session: Session, name: str, before: datetime) -> Sequence[tuple[t.Round, t.Board]]:
    """Return decided, unrated boards of rounds closed before a moment, in order."""
    query = select(t.Round, t.Board).join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    query = query.where(t.Round.tournament_id == name, t.Round.state == "closed", t.Board.rated == "")
    query = query.where(col(t.Round.closed) < before, col(t.Board.state).in_(("scored", "final")))
    return session.exec(query.order_by(col(t.Board.id)).execution_options(populate_existing=True)).all()


def pools(session: Session) -> Sequence[str]:
    """Return the pools with ratings, by name."""
    return session.exec(select(t.Rating.pool).distinct().order_by(col(t.Rating.pool))).all()


def last_period(session: Session, pool: str) -> str:
    """Return the newest period that a pool was rated for; empty if it never was."""
    return session.exec(select(func.coalesce(func.max(t.Rating.period), "")).where(t.Rating.pool == pool)).one()


def ratings_of_period(session: Session, pool: str, period: str) -> Sequence[t.Rating]:
    """Return all ratings of a pool after a period, by name."""
    query = select(t.Rating).where(t.Rating.pool == pool, t.Rating.period == period)
    return session.exec(query.order_by(col(t.Rating.name))).all()


def edition_ratings(session: Session, pool: str, period: str) -> Sequence[t.EditionRating]:
    """Return the ratings of a pool's editions after a period, by edition."""
    query = select(t.EditionRating).where(t.EditionRating.pool == pool, t.EditionRating.period == period)
    return session.exec(query.order_by(col(t.EditionRating.edition))).all()


def rating_history(session: Session, person: int, pool: str, limit: int) -> Sequence[t.Rating]:
    """Return a person's newest ratings in a pool, in the order of time."""
    query = select(t.Rating).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(query.order_by(col(t.Rating.period).desc()).limit(limit)).all()


def pseudonym_of(session: Session, person: int, pool: str) -> str:
    """Return a person's name in the log of a pool; empty if he is not rated in it."""
    query = select(t.Rating.name).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(query.limit(1)).first() or ""


def rated_people(session: Session, pool: str, period: str) -> Sequence[tuple[t.Rating, t.Person]]:
    """Return all ratings of a pool after a period, each with its person."""
    query = select(t.Rating, t.Person).join(t.Person, col(t.Person.id) == col(t.Rating.person_id))
    query = query.where(t.Rating.pool == pool, t.Rating.period == period)
    return session.exec(query.order_by(col(t.Rating.id))).all()


def rated_leaves(session: Session) -> Sequence[t.Leaf]:
    """Return the leaves of all tournaments about ratings, in the order of writing."""
    query = select(t.Leaf).where(t.Leaf.kind == "rated", col(t.Leaf.game).startswith("event/"))
    return session.exec(query.order_by(col(t.Leaf.id))).all()


# Queries about the letters and orders of a tournament's players, for the director's facts.


class WrittenLetter(NamedTuple):
    """A received letter: its sender, its arrival at the server, its digest."""

    sender: str
    at: datetime
    sha256: str


def letters_from(session: Session, senders: Collection[str], since: datetime) -> Sequence[WrittenLetter]:
    """Return letters of some addresses to seats and entrants, in order."""
    query = select(t.Inbox.sender, t.Inbox.internaldate, t.Inbox.sha256).where(col(t.Inbox.sender).in_(senders))
    query = query.where(col(t.Inbox.verdict).in_(("seat", "entrant")), col(t.Inbox.copy_of).is_(None))
    result = session.exec(query.where(t.Inbox.taken >= since).order_by(col(t.Inbox.id))).all()
    return [WrittenLetter(*row) for row in result]


def letter_bodies(session: Session, digests: Collection[str]) -> dict[str, bytes]:
    """Return the stored bytes of letters by their digest."""
    query = select(t.Raw.sha256, t.Raw.body).where(col(t.Raw.sha256).in_(digests))
    return dict(session.exec(query).all())


def closed_phases(session: Session, games: Collection[str]) -> Sequence[t.Phase]:
    """Return the resolved phases of some games, by game and in order."""
    query = select(t.Phase).where(col(t.Phase.game_id).in_(games), t.Phase.state == "resolved")
    return session.exec(query.order_by(col(t.Phase.game_id), col(t.Phase.number))).all()
