"""What commands print with ``--json``: one object a command, whose fields stand here and are told in docs/json.md.

Each object says by ``schema`` what it is; the number behind the stroke rises when a field goes or changes its meaning,
and stays when one is added. Moments are RFC 3339 in UTC; what is not there is null.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, TypedDict

import typer

from pbem.cli.event_json import RatingsJson, RecountedJson, StandingsJson, TournamentJson, TournamentsJson

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
