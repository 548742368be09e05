"""Define the tables of tournaments: entrants, boards, disputes, ratings.

A board's tables are ordinary games (`games.Game`). Decisions are in the log as well (`chain` ``event/NAME``);
the next step is made from these rows.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

import pbem.store.tables.games  # noqa: F401  # these refer to its tables
from pbem.store.tables import one_of


class Team(SQLModel, table=True):
    """A team of a tournament: paired like an entrant, with a number of its own.

    Its captain, one of its members, writes its line-ups. `since` is the first round in which it may be paired,
    `start` are half points given for missed rounds, `barred` the numbers that it is never paired with. `captain` is
    None when nobody is left.
    """

    __table_args__ = (
        one_of("state", "in", "withdrawn", "expelled", "left"),
        UniqueConstraint("tournament_id", "name"),
        UniqueConstraint("tournament_id", "number"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    number: int
    name: str
    state: str = "in"
    captain: int | None = None
    since: int = 1
    start: int = 0
    barred: str = ""
    entered: datetime


class Entrant(SQLModel, table=True):
    """An entrant: his number, ``e7`` in letters and labels, and his wishes.

    `name` is what others see beside the number; `strength` is the rating at entry, `pace` hours between letters,
    `tables` how many games at once at most, `languages` those that he reads, separated by commas. `accepted` is the
    digest of the code of conduct that he accepted.

    `since` is the first round in which he may be paired; `out_after` the last one, if he has said so. `resting` are
    the rounds that he rests, separated by blanks, `left_once` is True if he left and came back. `offered_until` is
    when an offer to an applicant on the waiting list ends, `offered_for` the number of the entrant whose place it
    is, and `declined` the numbers of the offered places that he did not take, 0 for a free place. `start` are half
    points given for missed rounds; `generation` counts his addresses so far.

    `told` is the last leaf of the tournament's chain shown to him in a letter, -1 before the first.

    A team's applicant `asks` until its captain admits him.
    """

    __table_args__ = (
        one_of("state", "asks", "waiting", "offered", "in", "withdrawn", "expelled", "left"),
        UniqueConstraint("tournament_id", "number"),
        UniqueConstraint("tournament_id", "person_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    number: int
    person_id: int = Field(foreign_key="person.id", index=True)
    generation: int = 1
    state: str = "in"
    name: str = ""
    language: str = "en"
    format: str = "html"
    zone: str = "UTC"
    pace: int = 24
    tables: int = 1
    languages: str = ""
    team_id: int | None = Field(default=None, foreign_key="team.id")
    strength: int = 1500
    accepted: str = ""
    since: int = 1
    out_after: int | None = None
    resting: str = ""
    left_once: bool = False
    offered_until: datetime | None = None
    offered_for: int | None = None
    declined: str = ""
    start: int = 0
    barred: str = ""
    told: int = Field(default=-1, sa_column_kwargs={"server_default": "-1"})
    entered: datetime


class Round(SQLModel, table=True):
    """A round of a tournament, by its number and its draw.

    `number` counts the rounds of the tournament, `within` those of the stage, `attempt` the draws of the round.
    `opens` is the moment at which the list of its entrants is closed: from then on it can be drawn. `draws` is when
    it is drawn, `starts` when its games begin, `ends` when it closes at the latest, `closed` when it closed.

    `slate` is the public block of its list, on which its lots depend, `beacon` the chain and the number of the
    round that the draw waits for, or ``none``; `lots` is the proof (hex) of the lots, `sig` the beacon's signature
    (hex); `drawn` is the pairing with its reasons, as canonical JSON. `asked` is True once captains were asked for
    their line-ups.
    """

    __table_args__ = (
        one_of("state", "planned", "shut", "drawn", "playing", "closed", "void"),
        UniqueConstraint("tournament_id", "number", "attempt"),
        Index("ix_round_state_draws", "state", "draws"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    stage: int
    number: int
    within: int
    attempt: int = 1
    state: str = "planned"
    opens: datetime
    draws: datetime | None = None
    starts: datetime | None = None
    ends: datetime | None = None
    closed: datetime | None = None
    slate: str = ""
    beacon: str = "none"
    sig: str = ""
    lots: str = ""
    drawn: str = ""
    asked: bool = False

    @property
    def name(self) -> str:
        """Return its name in the log and in letters: ``r2``."""
        return f"r{self.number}"


class Board(SQLModel, table=True):
    """A table of a round, or a bye or rest (then `second` is 0 and `how` its kind).

    `first` and `second` are entrants' numbers, the first has the scenario's first side. `leg` is ``a`` or ``b``
    where sides are mirrored, else empty; `game_id` the game once it is founded. `how` is a word of
    `pbem.tournaments.arithmetic.entrants` (``pending`` until it is scored), `first_halves` and `second_halves` are
    the half points of each, `margin` the lead of the first. `ended` is the cause of an early end of its game, as
    ``concede spain`` (`Act.cause`); `price` is what the first pays for his side; if it is negative, the second
    pays; `adjudged` are the half points of both if the rules or a ruling decide, as ``2 0``.

    `rated` is the period in which it was rated, ``-`` if it is never rated.
    """

    __table_args__ = (
        one_of("state", "due", "playing", "scored", "disputed", "final"),
        UniqueConstraint("round_id", "board", "leg"),
    )

    id: int | None = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="round.id")
    board: int
    leg: str = ""
    first: int
    second: int = 0
    game_id: str | None = Field(default=None, foreign_key="game.id", unique=True)
    state: str = "due"
    how: str = "pending"
    first_halves: int = 0
    second_halves: int = 0
    margin: int = 0
    turns: int = 0
    ended: str = ""
    price: int = 0
    adjudged: str = ""
    rated: str = ""


class Silence(SQLModel, table=True):
    """A silent player at a board: asked, before the director, seat offered, or out.

    `until` is when the next step is taken. `gave_up` is True after a resignation, `never` if the player never
    wrote.
    """

    __table_args__ = (one_of("state", "asked", "director", "offered", "accepted", "open", "closed"),)

    id: int | None = Field(default=None, primary_key=True)
    board_id: int = Field(foreign_key="board.id", index=True)
    entrant: int
    state: str = "asked"
    asked: datetime
    until: datetime
    gave_up: bool = False
    never: bool = False


class Bid(SQLModel, table=True):
    """An entrant's bid for a side of a board, or his choice of its battle.

    It is secret until both players have bid, or time is up. Of a choice `side` has the names of battles, the best
    first, and `points` is 0.
    """

    __table_args__ = (UniqueConstraint("board_id", "entrant"),)

    id: int | None = Field(default=None, primary_key=True)
    board_id: int = Field(foreign_key="board.id")
    entrant: int
    side: str
    points: int


class Challenge(SQLModel, table=True):
    """A challenge of a ladder: challenger, challenged entrant, round and result.

    ``lapsed``: no answer came before the list of the round closed; ``fallen``: it was accepted, but the ladder did
    not allow it. `accepted` numbers the accepted challenges of the round in order; it is 0 for others.
    """

    __table_args__ = (
        one_of("state", "open", "accepted", "declined", "withdrawn", "lapsed", "fallen"),
        UniqueConstraint("tournament_id", "number", "challenger", "challenged"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    number: int
    challenger: int
    challenged: int
    state: str = "open"
    accepted: int = 0


class Lineup(SQLModel, table=True):
    """A captain's line-up from a round on: numbers of entrants, separated by blanks."""

    __table_args__ = (UniqueConstraint("team_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    team_id: int = Field(foreign_key="team.id")
    number: int
    boards: str


class Dispute(SQLModel, table=True):
    """A dispute about a board or a ruling: author, state, time of the next step.

    `number` counts from 1 in the tournament, ``D4``. `appealed` is True after an appeal. `answer` is what the other
    side wrote to it, if anything. `docket` is the number of the disputed ruling; if that decided no game, the
    dispute has no board. `claim` is ``win`` or ``draw`` if the author claims that result of a running game.
    """

    __table_args__ = (
        one_of("state", "director", "jury", "ruled", "final"),
        UniqueConstraint("tournament_id", "number"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    number: int
    board_id: int | None = Field(default=None, foreign_key="board.id")
    by: int
    text: str
    state: str = "director"
    until: datetime
    appealed: bool = False
    ruling: str = ""
    answer: str = Field(default="", sa_column_kwargs={"server_default": ""})
    docket: int | None = None
    claim: str = Field(default="", sa_column_kwargs={"server_default": ""})


class Lot(SQLModel, table=True):
    """Lots after a draw: for a jury, ties, games that are cut off.

    Tournaments have them from version 2 on. `stem` is their purpose, ``jury/D4/cup60-r2-03``; `name` is their name
    in the log, which numbers the lots of one stem; `seq` is the leaf in the tournament's chain that requests them.
    `first` and `then` are the entrants who may be drawn, numbers separated by blanks. `beacon` is the chain and the
    number of the round, or ``none``, `draws` when it should be out; `proof` (hex) is empty until they are drawn,
    `sig` the beacon's signature. `shown` is True once the log has the proof, or when the lots are no longer needed.
    """

    __table_args__ = (UniqueConstraint("tournament_id", "name"), Index("ix_lot_proof_draws", "proof", "draws"))

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    stem: str
    name: str
    seq: int
    first: str = ""
    then: str = ""
    needed: datetime
    draws: datetime
    beacon: str = "none"
    sig: str = ""
    proof: str = ""
    shown: bool = False


class Vote(SQLModel, table=True):
    """A juror of a dispute: his deadline and his vote.

    It is empty before he votes, and ``silent`` if he was replaced. `appeal` is True for the jury of an appeal.
    """

    __table_args__ = (UniqueConstraint("dispute_id", "entrant"),)

    id: int | None = Field(default=None, primary_key=True)
    dispute_id: int = Field(foreign_key="dispute.id")
    entrant: int
    until: datetime
    word: str = ""
    reason: str = ""
    appeal: bool = False


class Docket(SQLModel, table=True):
    """A numbered decision of the director, or of the rules in place of one.

    It is append-only. `before` is what the ruling changed, as UNDO needs it; `private` is the part of its reason
    that only those concerned are told.
    """

    __table_args__ = (UniqueConstraint("tournament_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    number: int
    at: datetime
    line: str
    reason: str
    code: str = ""
    before: str = Field(default="", sa_column_kwargs={"server_default": ""})
    private: str = Field(default="", sa_column_kwargs={"server_default": ""})


class Appointment(SQLModel, table=True):
    """A person with a part in a tournament besides its director and its entrants.

    A ``deputy`` becomes a ``director`` beside the director after the director's silence; a ``guest`` may enter a
    tournament for invited entrants; ``past`` means dismissed. Rulings name a co-director by `name`; `generation`
    counts his addresses so far.
    """

    __table_args__ = (
        one_of("role", "director", "deputy", "guest", "past"),
        UniqueConstraint("tournament_id", "person_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    role: str
    name: str = ""
    generation: int = 1
    since: datetime


class Follower(SQLModel, table=True):
    """A person who watches a tournament and gets its weekly digest."""

    __table_args__ = (UniqueConstraint("tournament_id", "person_id"),)

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    language: str = "en"
    told: datetime | None = None


class Rating(SQLModel, table=True):
    """A person's rating in a pool after a period, ``2026-11``.

    Numbers are decimal text. The newest period is valid. `name` is his name in the log of this pool, which
    does not identify him.
    """

    __table_args__ = (
        UniqueConstraint("person_id", "pool", "period"),
        Index("ix_rating_pool_period", "pool", "period"),
    )

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    pool: str
    period: str
    name: str
    mu: str
    phi: str
    vol: str


class EditionRating(SQLModel, table=True):
    """How strong an edition's first side is, as a rating of a pool (E9.1).

    A board is rated as if this value were added to the rating of the player of that side. It is computed after each
    period, like ratings.
    """

    __tablename__ = "ground"
    __table_args__ = (UniqueConstraint("pool", "period", "edition"),)

    id: int | None = Field(default=None, primary_key=True)
    edition: str
    pool: str
    period: str
    mu: str
    phi: str
