"""What commands print with ``--json``: one object a command, declared here and explained in docs/json.md.

Each object says by ``schema`` what it is; the number behind the stroke rises when a field goes or changes its meaning,
and stays when one is added. Moments are RFC 3339 in UTC; what is not there is null.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, TypedDict

import typer


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


AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON; docs/json.md tells the fields.")]


class GameRow(TypedDict):
    """A game of `pbem game list`."""

    name: str
    game: str
    scenario: str
    state: str
    phase: str | None
    deadline: str | None


class GamesJson(TypedDict):
    """`pbem game list`, schema ``games/1``."""

    schema: str
    games: list[GameRow]


class SeatJson(TypedDict):
    """A seat of a game; `revision` is that of its orders, 0 while none are in."""

    seat: str
    side: str
    person: str | None
    email: str | None
    address: str | None
    language: str
    awaited: bool
    revision: int
    missed: int
    letters_come_back: str | None


class DueJson(TypedDict):
    """What happens by itself, and when."""

    at: str | None
    kind: str
    cause: str


class VoidJson(TypedDict):
    """A phase that a ruling made void."""

    phase: str
    ruling: str


class GameJson(TypedDict):
    """`pbem game show`, schema ``game/1``."""

    schema: str
    name: str
    game: str
    scenario: str
    state: str
    phase: str | None
    deadline: str | None
    edition: str
    dice: str
    held_because: str | None
    moderator: str | None
    seats: list[SeatJson]
    due: list[DueJson]
    void: list[VoidJson]


class WarRow(TypedDict):
    """A war of `pbem campaign list`; `played` is the game that is played now, or was last."""

    name: str
    game: str
    war: str
    state: str
    played: str


class WarsJson(TypedDict):
    """`pbem campaign list`, schema ``wars/1``."""

    schema: str
    wars: list[WarRow]


class WarGameRow(TypedDict):
    """A battle or a camp of a war; `ended` says how it ended before its time."""

    game: str
    what: str
    state: str
    ended: str | None


class WarJson(TypedDict):
    """`pbem campaign show`, schema ``war/1``; `standing` are lines in English."""

    schema: str
    name: str
    game: str
    war: str
    state: str
    played: str
    games: list[WarGameRow]
    standing: list[str]


class ScenarioRow(TypedDict):
    """What can be played; `turns` is null where the battle has no fixed number."""

    game: str
    scenario: str
    turns: int | None
    seats: list[str]
    about: str


class ScenariosJson(TypedDict):
    """`pbem scenarios`, schema ``scenarios/1``."""

    schema: str
    scenarios: list[ScenarioRow]


class LetterRow(TypedDict):
    """A letter that is not delivered; `next_try` is null once it is given up."""

    number: int
    to: str
    kind: str
    game: str | None
    given_up: bool
    tries: int
    next_try: str | None
    last_reply: str


class LettersJson(TypedDict):
    """`pbem mail queue`, schema ``letters/1``."""

    schema: str
    letters: list[LetterRow]


class ServerCheck(TypedDict):
    """One thing that `pbem doctor` looked at; `verdict` is ok, mind, WRONG or not checked."""

    verdict: str
    area: str
    found: str
    todo: str | None


class ServerChecks(TypedDict):
    """`pbem doctor`, schema ``doctor/1``; `to_mend` counts what is WRONG."""

    schema: str
    to_mend: int
    checks: list[ServerCheck]


class CheckJson(TypedDict):
    """A check of letters: ok, FALSE or NOT CHECKED, how many facts held, and in English what was found otherwise."""

    check: str
    status: str
    held: int
    why: list[str]


class PhaseJson(TypedDict):
    """What letters prove of a phase: its grade A, B or C, or FALSE."""

    game: str
    phase: str
    grade: str
    attempts: int


class ChecksJson(TypedDict):
    """`pbem verify`, schema ``verdict/1``; log, leaves and root are what is to be compared with others."""

    schema: str
    status: str
    checks: list[CheckJson]
    phases: list[PhaseJson]
    log: str | None
    leaves: int | None
    root: str | None


class ChartJson(TypedDict):
    """`pbem chart`, schema ``chart/1``: the chart as its rulebook has it, line by line."""

    schema: str
    game: str
    chart: str
    lines: list[str]


Printed = (
    GamesJson
    | GameJson
    | WarsJson
    | WarJson
    | TournamentsJson
    | TournamentJson
    | StandingsJson
    | RatingsJson
    | RecountedJson
    | ScenariosJson
    | LettersJson
    | ServerChecks
    | ChecksJson
    | ChartJson
)


def instant(at: datetime | None) -> str | None:
    """A moment by RFC 3339, in UTC."""
    return None if at is None else at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def print_json(value: Printed) -> None:
    """Print an object: letters beyond ASCII as they are, control characters escaped as JSON has it."""
    print(json.dumps(value, ensure_ascii=False, indent=2).replace("\x7f", "\\u007f"))
