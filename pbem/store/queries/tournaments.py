"""Questions about tournaments: who has entered, how rounds and their boards stand, what is to be looked at."""

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
"""Tables whose rows a transaction asks for again and again; it is given those that it has until it writes one."""
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
    """The tournament, its row locked until the transaction ends where the database locks rows, unless it only reads.

    Whoever had to wait for it is given the row as it is now, also where he had read it before.
    """
    if session.info.get(READING):
        return session.exec(_NAMED, params={"event": name}).one_or_none()
    return _locked(session, name, _NAMED_ALONE)


def free_tournament(session: Session, name: str) -> t.Tournament | None:
    """The tournament, its row locked; None also while another transaction has it, which is not waited for."""
    return _locked(session, name, _NAMED_IF_FREE)


def _locked(session: Session, name: str, asked: SelectOfScalar[t.Tournament]) -> t.Tournament | None:
    # What was read before the lock is what somebody else may just have changed.
    forget_rows(session, *_KEPT)
    return session.exec(asked, params={"event": name}).one_or_none()


def known(session: Session, name: str) -> bool:
    """Whether there is a tournament of that name; its row is not locked."""
    return session.exec(select(t.Tournament.id).where(t.Tournament.id == name)).first() is not None


def every(session: Session) -> Sequence[t.Tournament]:
    """All tournaments by name."""
    return session.exec(select(t.Tournament).order_by(col(t.Tournament.id))).all()


def next_wake(session: Session) -> datetime | None:
    """When anything about a tournament is to be looked at next; None if nothing will happen by itself."""
    return session.exec(select(func.min(t.Tournament.wake))).one()


def entrants(session: Session, name: str) -> Sequence[t.Entrant]:
    """All who ever entered a tournament or wait, by number."""
    return cached_rows(session, t.Entrant, name, lambda: session.exec(_ENTRANTS, params={"event": name}).all())


def entrant(session: Session, name: str, number: int) -> t.Entrant | None:
    """An entrant by number."""
    asked = select(t.Entrant).where(t.Entrant.tournament_id == name, t.Entrant.number == number)
    return session.exec(asked).one_or_none()


def entrant_of(session: Session, name: str, person: int | None) -> t.Entrant | None:
    """The entrant who is this person."""
    asked = select(t.Entrant).where(t.Entrant.tournament_id == name, t.Entrant.person_id == person)
    return session.exec(asked).one_or_none()


def of_person(session: Session, person: int) -> Sequence[t.Entrant]:
    """All entrants who are this person, by tournament."""
    asked = select(t.Entrant).where(t.Entrant.person_id == person)
    return session.exec(asked.order_by(col(t.Entrant.tournament_id))).all()


def teams(session: Session, name: str) -> Sequence[t.Team]:
    """All teams that ever entered a tournament, by number."""
    return session.exec(select(t.Team).where(t.Team.tournament_id == name).order_by(col(t.Team.number))).all()


def members(session: Session, team: t.Team) -> Sequence[t.Entrant]:
    """All who ever played for a team or asked to, by number."""
    asked = select(t.Entrant).where(t.Entrant.tournament_id == team.tournament_id, t.Entrant.team_id == team.id)
    return session.exec(asked.order_by(col(t.Entrant.number))).all()


def line_up(session: Session, team: int | None, number: int) -> t.Lineup | None:
    """The last line-up that a team's captain sent for a round or one before it."""
    asked = select(t.Lineup).where(t.Lineup.team_id == team, t.Lineup.number <= number)
    return session.exec(asked.order_by(col(t.Lineup.number).desc())).first()


def rounds(session: Session, name: str) -> Sequence[t.Round]:
    """All rounds that are not void, in order."""
    return cached_rows(session, t.Round, name, lambda: session.exec(_ROUNDS, params={"event": name}).all())


def reopened(session: Session, name: str) -> Sequence[t.Round]:
    """The closed rounds of which a board is played: its game was opened again."""
    return session.exec(_REOPENED, params={"event": name}).all()


def round_named(session: Session, name: str, number: int) -> t.Round | None:
    """The round of a number that is not void."""
    asked = select(t.Round).where(t.Round.tournament_id == name, t.Round.number == number, t.Round.state != "void")
    return session.exec(asked).one_or_none()


def rounds_awaited(session: Session, now: datetime) -> Sequence[str]:
    """The beacon's rounds that draws and later lots wait for and that should be out: each as its chain and number."""
    asked = select(t.Round.beacon).where(t.Round.state == "shut", t.Round.beacon != "none", col(t.Round.draws) <= now)
    later = select(t.Lot.beacon).where(t.Lot.proof == "", t.Lot.beacon != "none", col(t.Lot.draws) <= now)
    later = later.where(col(t.Lot.shown).is_(False))
    return [*session.exec(asked.distinct()).all(), *session.exec(later.distinct()).all()]


def lots(session: Session, name: str, stem: str = "") -> Sequence[t.Lot]:
    """The later lots of a tournament, in order; those of one stem if that is told."""
    asked = select(t.Lot).where(t.Lot.tournament_id == name)
    asked = asked.where(t.Lot.stem == stem) if stem else asked
    return session.exec(asked.order_by(col(t.Lot.id))).all()


def boards(session: Session, round_id: int | None) -> Sequence[t.Board]:
    """The boards of a round in order, mirrored tables one after the other."""
    return session.exec(_BOARDS, params={"round": round_id}).all()


def count_boards(session: Session, round_id: int | None, state: str) -> int:
    """How many boards of a round are in a state."""
    asked = select(func.count()).select_from(t.Board).where(t.Board.round_id == round_id, t.Board.state == state)
    return session.exec(asked).one()


def scored(session: Session, name: str, stage: int) -> Sequence[tuple[t.Round, t.Board]]:
    """All boards of the rounds of a stage that were drawn, with their rounds, in order."""
    return session.exec(_SCORED, params={"event": name, "stage": stage}).all()


def board_of(session: Session, game: str) -> tuple[t.Tournament, t.Round, t.Board] | None:
    """The board that a game is the table of, with its round and tournament; None for any other game.

    It locks nothing; what is asked twice is read twice.
    """
    asked = select(t.Tournament, t.Round, t.Board).join(t.Round, col(t.Round.tournament_id) == col(t.Tournament.id))
    asked = asked.join(t.Board, col(t.Board.round_id) == col(t.Round.id)).where(t.Board.game_id == game)
    return session.exec(asked.execution_options(populate_existing=True)).one_or_none()


def table_games(session: Session, round_id: int | None) -> dict[str, t.Game]:
    """The games of a round's boards by name; no row is locked."""
    asked = select(t.Game).join(t.Board, col(t.Board.game_id) == col(t.Game.id)).where(t.Board.round_id == round_id)
    return {game.id: game for game in session.exec(asked.execution_options(populate_existing=True))}


def at_tables(
    session: Session, round_id: int | None, states: Sequence[str] = ("running", "held")
) -> Sequence[tuple[t.Board, t.Seat]]:
    """The seats of a round's games that are played, each with its board; of those in other states if these are told."""
    asked = select(t.Board, t.Seat).join(t.Game, col(t.Game.id) == col(t.Board.game_id))
    asked = asked.join(t.Seat, col(t.Seat.game_id) == col(t.Game.id)).where(t.Board.round_id == round_id)
    asked = asked.where(col(t.Game.state).in_(states), t.Board.state == "playing")
    return session.exec(asked.order_by(col(t.Board.id), col(t.Seat.id)).execution_options(populate_existing=True)).all()


def seats_of(session: Session, name: str) -> Sequence[t.Seat]:
    """The seats of all tables of a tournament, in order."""
    asked = select(t.Seat).join(t.Board, col(t.Board.game_id) == col(t.Seat.game_id))
    asked = asked.join(t.Round, col(t.Round.id) == col(t.Board.round_id)).where(t.Round.tournament_id == name)
    return session.exec(asked.order_by(col(t.Seat.id))).all()


def bids(session: Session, board: int | None) -> Sequence[t.Bid]:
    """What was bid for the sides of a board."""
    return session.exec(select(t.Bid).where(t.Bid.board_id == board).order_by(col(t.Bid.id))).all()


def silences(session: Session, name: str, *states: str) -> Sequence[t.Silence]:
    """The silences of a tournament in these states, the oldest first."""
    return session.exec(_SILENCES, params={"event": name, "states": states}).all()


def last_asked(session: Session, board: int | None, entrant: int) -> datetime | None:
    """When an entrant was asked last about his seat at a board."""
    asked = select(t.Silence.asked).where(t.Silence.board_id == board, t.Silence.entrant == entrant)
    return session.exec(asked.order_by(col(t.Silence.id).desc()).limit(1)).first()


def open_disputes(session: Session, name: str) -> Sequence[t.Dispute]:
    """The disputes of a tournament that somebody still has to decide, or that one may appeal, by number."""
    return disputes(session, name, "director", "jury", "ruled")


def disputes(session: Session, name: str, *states: str) -> Sequence[t.Dispute]:
    """The disputes of a tournament in these states, all if none is told, by number."""
    return cached_rows(session, t.Dispute, (name, states), lambda: _disputes(session, name, states))


def _disputes(session: Session, name: str, states: tuple[str, ...]) -> Sequence[t.Dispute]:
    asked = select(t.Dispute).where(t.Dispute.tournament_id == name)
    if states:
        asked = asked.where(col(t.Dispute.state).in_(states))
    return session.exec(asked.order_by(col(t.Dispute.number))).all()


def votes(session: Session, dispute: int | None) -> Sequence[t.Vote]:
    """The votes of a dispute, in the order in which jurors were asked."""
    return session.exec(select(t.Vote).where(t.Vote.dispute_id == dispute).order_by(col(t.Vote.id))).all()


def docket(session: Session, name: str) -> Sequence[t.Docket]:
    """The lines of the director, and of the rules in his place, by number."""
    return session.exec(select(t.Docket).where(t.Docket.tournament_id == name).order_by(col(t.Docket.number))).all()


def challenges(session: Session, name: str, number: int) -> Sequence[t.Challenge]:
    """The challenges of a ladder for a round, those that were accepted in that order behind the others."""
    asked = select(t.Challenge).where(t.Challenge.tournament_id == name, t.Challenge.number == number)
    return session.exec(asked.order_by(col(t.Challenge.accepted), col(t.Challenge.id))).all()


def all_challenges(session: Session, name: str) -> Sequence[t.Challenge]:
    """The challenges of a ladder, by rounds, in the order in which they were made."""
    asked = select(t.Challenge).where(t.Challenge.tournament_id == name)
    return session.exec(asked.order_by(col(t.Challenge.number), col(t.Challenge.id))).all()


def followers(session: Session, name: str) -> Sequence[t.Follower]:
    """Who watches a tournament, in the order in which they came."""
    return session.exec(_FOLLOWERS, params={"event": name}).all()


def followed_by(session: Session, person: int | None) -> Sequence[t.Follower]:
    """The tournaments that a person watches."""
    return session.exec(select(t.Follower).where(t.Follower.person_id == person)).all()


def rating(session: Session, person: int, pool: str) -> t.Rating | None:
    """The newest rating of a person in a pool."""
    asked = select(t.Rating).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(asked.order_by(col(t.Rating.period).desc())).first()


def games_finished(session: Session, person: int | None) -> tuple[int, int, int]:
    """How many games of a person are over, how many deadlines he missed in all of his, and how many phases they had."""
    over = select(func.count()).select_from(t.Seat).join(t.Game, col(t.Game.id) == col(t.Seat.game_id))
    finished = session.exec(over.where(t.Seat.person_id == person, t.Game.state == "over")).one()
    missed = session.exec(select(func.coalesce(func.sum(t.Seat.strikes), 0)).where(t.Seat.person_id == person)).one()
    phases = select(func.count()).select_from(t.Phase).join(t.Seat, col(t.Seat.game_id) == col(t.Phase.game_id))
    return finished, int(missed), session.exec(phases.where(t.Seat.person_id == person)).one()


def heard_since(session: Session, seat: int | None, moment: datetime) -> bool:
    """Whether a letter of a seat was taken in since a moment."""
    asked = select(t.Inbox.id).where(t.Inbox.seat_id == seat, t.Inbox.taken >= moment, t.Inbox.verdict == "seat")
    return session.exec(asked).first() is not None


def heard_in_round(session: Session, board: t.Board, person: int, senders: Sequence[str]) -> bool:
    """Whether a person wrote since the table of a board was founded: to a table of that round, or as an entrant."""
    since = session.exec(select(t.Game.created).where(t.Game.id == board.game_id)).one()
    seats = select(t.Seat.id).join(t.Board, col(t.Board.game_id) == col(t.Seat.game_id))
    seats = seats.where(t.Board.round_id == board.round_id, t.Seat.person_id == person)
    letters = select(t.Inbox.id).where(t.Inbox.taken >= since).limit(1)
    at_table = letters.where(t.Inbox.verdict == "seat", col(t.Inbox.seat_id).in_(seats))
    as_entrant = letters.where(t.Inbox.verdict == "entrant", col(t.Inbox.sender).in_(senders))
    return any(session.exec(asked).first() is not None for asked in (at_table, as_entrant))


def wrote_ever(session: Session, seat: int | None) -> bool:
    """Whether a seat ever wrote."""
    return session.exec(select(t.Inbox.id).where(t.Inbox.seat_id == seat)).first() is not None


def last_turn(session: Session, game: str) -> int:
    """The last turn of a game that began; 0 if none did."""
    return session.exec(select(func.coalesce(func.max(t.Phase.turn), 0)).where(t.Phase.game_id == game)).one()


# Questions about ratings: what is to be rated, how all of a pool are rated, what the log says of it.


def closed_unrated(session: Session, name: str) -> datetime | None:
    """When the first round of a tournament closed that has a board not rated yet; None if none has."""
    asked = select(func.min(t.Round.closed)).join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    asked = asked.where(t.Round.tournament_id == name, t.Round.state == "closed", t.Board.rated == "")
    return session.exec(asked.where(col(t.Board.state).in_(("scored", "final")))).one()


def unrated(session: Session, name: str, before: datetime) -> Sequence[tuple[t.Round, t.Board]]:
    """The decided boards of a tournament's rounds that closed before a moment and that were not rated yet, in order."""
    asked = select(t.Round, t.Board).join(t.Board, col(t.Board.round_id) == col(t.Round.id))
    asked = asked.where(t.Round.tournament_id == name, t.Round.state == "closed", t.Board.rated == "")
    asked = asked.where(col(t.Round.closed) < before, col(t.Board.state).in_(("scored", "final")))
    return session.exec(asked.order_by(col(t.Board.id)).execution_options(populate_existing=True)).all()


def pools(session: Session) -> Sequence[str]:
    """The pools in which anybody is rated, by name."""
    return session.exec(select(t.Rating.pool).distinct().order_by(col(t.Rating.pool))).all()


def last_period(session: Session, pool: str) -> str:
    """The newest period that a pool was rated for; empty if it never was."""
    return session.exec(select(func.coalesce(func.max(t.Rating.period), "")).where(t.Rating.pool == pool)).one()


def of_period(session: Session, pool: str, period: str) -> Sequence[t.Rating]:
    """All ratings of a pool after a period, by name."""
    asked = select(t.Rating).where(t.Rating.pool == pool, t.Rating.period == period)
    return session.exec(asked.order_by(col(t.Rating.name))).all()


def grounds(session: Session, pool: str, period: str) -> Sequence[t.Ground]:
    """The grounds of a pool after a period, by edition."""
    asked = select(t.Ground).where(t.Ground.pool == pool, t.Ground.period == period)
    return session.exec(asked.order_by(col(t.Ground.edition))).all()


def history_of(session: Session, person: int, pool: str, most: int) -> Sequence[t.Rating]:
    """The newest ratings of a person in a pool, the last first."""
    asked = select(t.Rating).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(asked.order_by(col(t.Rating.period).desc()).limit(most)).all()


def name_of(session: Session, person: int, pool: str) -> str:
    """What the log calls a person in a pool; empty if he is not rated in it."""
    asked = select(t.Rating.name).where(t.Rating.person_id == person, t.Rating.pool == pool)
    return session.exec(asked.limit(1)).first() or ""


def people_in(session: Session, pool: str, period: str) -> Sequence[tuple[t.Rating, t.Person]]:
    """All ratings of a pool after a period, with whose they are."""
    asked = select(t.Rating, t.Person).join(t.Person, col(t.Person.id) == col(t.Rating.person_id))
    asked = asked.where(t.Rating.pool == pool, t.Rating.period == period)
    return session.exec(asked.order_by(col(t.Rating.id))).all()


def rated_leaves(session: Session) -> Sequence[t.Leaf]:
    """The leaves of all tournaments that tell of ratings, in the order in which they were written."""
    asked = select(t.Leaf).where(t.Leaf.kind == "rated", col(t.Leaf.game).startswith("event/"))
    return session.exec(asked.order_by(col(t.Leaf.id))).all()


# Questions about what players of a tournament wrote and ordered, for the facts that its director is told.


class Written(NamedTuple):
    """A letter that came in: whose, when the mail server received it, and the digest of its bytes."""

    sender: str
    at: datetime
    sha256: str


def written(session: Session, senders: Collection[str], since: datetime) -> Sequence[Written]:
    """The letters of some addresses to seats and entrants since a moment, each once, in order."""
    asked = select(t.Inbox.sender, t.Inbox.internaldate, t.Inbox.sha256).where(col(t.Inbox.sender).in_(senders))
    asked = asked.where(col(t.Inbox.verdict).in_(("seat", "entrant")), col(t.Inbox.copy_of).is_(None))
    found = session.exec(asked.where(t.Inbox.taken >= since).order_by(col(t.Inbox.id))).all()
    return [Written(*row) for row in found]


def bodies(session: Session, digests: Collection[str]) -> dict[str, bytes]:
    """The bytes of letters by their digest, of those that are kept."""
    asked = select(t.Raw.sha256, t.Raw.body).where(col(t.Raw.sha256).in_(digests))
    return dict(session.exec(asked).all())


def closed_phases(session: Session, games: Collection[str]) -> Sequence[t.Phase]:
    """The phases of some games that were resolved and that stand, by game and in order."""
    asked = select(t.Phase).where(col(t.Phase.game_id).in_(games), t.Phase.state == "resolved")
    return session.exec(asked.order_by(col(t.Phase.game_id), col(t.Phase.number))).all()
