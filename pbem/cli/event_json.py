"""What commands about tournaments and ratings print with ``--json``; docs/json.md tells the fields.

Told and printed as `json_output` has it.
"""

from __future__ import annotations

from typing import TypedDict


class TournamentRow(TypedDict):
    """A tournament of `pbem event list`: how many play, the round that was planned last, when it is looked at next."""

    name: str
    title: str
    state: str
    entrants: int
    round: str | None
    next: str | None


class TournamentsJson(TypedDict):
    """`pbem event list`, schema ``tournaments/1``."""

    schema: str
    tournaments: list[TournamentRow]


class EntrantRow(TypedDict):
    """An entrant of a tournament, and where he writes to."""

    entrant: str
    name: str
    state: str
    strength: int
    email: str
    address: str


class TeamRow(TypedDict):
    """A team: its captain and members by their numbers."""

    team: str
    name: str
    state: str
    captain: str
    members: list[str]
    strength: int


class MemberRow(TypedDict):
    """What a member of a team has made at its boards; points as text."""

    entrant: str
    name: str
    team: str
    points: str
    boards: int


class BoardRow(TypedDict):
    """A board of a round; `second` and `game` are ``-`` where there is none, `points` as long as nothing is decided."""

    board: str
    first: str
    second: str
    game: str
    state: str
    points: str
    margin: int
    how: str


class RoundRow(TypedDict):
    """A round of a tournament with its moments."""

    name: str
    attempt: int
    state: str
    list_shuts: str | None
    draws: str | None
    starts: str | None
    ends: str | None
    boards: list[BoardRow]


class ChallengeRow(TypedDict):
    """A challenge of a ladder: the round that it is for, who challenges whom, and what has come of it."""

    round: str
    challenger: str
    challenged: str
    state: str


class TournamentJson(TypedDict):
    """`pbem event show`, schema ``tournament/1``."""

    schema: str
    name: str
    title: str
    state: str
    held_why: str | None
    stage: int
    rules: str
    scenario: str
    director: str
    next: str | None
    entrants: list[EntrantRow]
    teams: list[TeamRow]
    rounds: list[RoundRow]
    challenges: list[ChallengeRow]


class RankRow(TypedDict):
    """A line of a table: points as text, the other criteria by name as they were counted."""

    rank: int
    entrant: str
    name: str
    points: str
    values: dict[str, int]


class StandingsJson(TypedDict):
    """`pbem event standings`, schema ``standings/1``."""

    schema: str
    name: str
    table: list[RankRow]
    members: list[MemberRow]


class RatingRow(TypedDict):
    """Somebody in a pool: points and deviation as players see them; who is not named has asked that nobody is told."""

    pool: str
    period: str
    log_name: str
    name: str | None
    points: int
    deviation: int
    public: bool


class RatingsJson(TypedDict):
    """`pbem rating list`, schema ``ratings/1``."""

    schema: str
    ratings: list[RatingRow]


class PeriodRow(TypedDict):
    """A month of a pool counted again: `same` is null where it could not be."""

    pool: str
    period: str
    games: int
    people: int
    digest: str
    same: bool | None
    wrong: list[str]


class RecountedJson(TypedDict):
    """`pbem rating replay`, schema ``recounted/1``."""

    schema: str
    periods: list[PeriodRow]
