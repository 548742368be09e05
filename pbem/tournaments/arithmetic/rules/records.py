"""E2 The rules of a tournament as they are used: frozen, whole, every default filled in.

Fields are called as the keys of the file, which `tables` documents one by one. Hours are whole hours, points halves,
shares whole percents; 0, no text and no words mean that nothing was said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.pairing.drawn import Manner

LATE_FORMATS = ("swiss", "ladder")
"""The formats that somebody may enter late."""


class EntryRules(NamedTuple):
    """E1 Who may enter, how many, until when, and what rounds missed are worth."""

    places: int
    waiting: int
    closes: str
    games: int
    misses: int
    late_rounds: int
    late_points: int
    seeds: str


class TableRules(NamedTuple):
    """What is played at a table, and its clock; `terms` are handed on to the games as they stand."""

    game: str
    scenario: str
    beacon: str
    bank_hours: int
    step_hours: int
    terms: Mapping[str, str]


class RoundRules(NamedTuple):
    """E6 The calendar: `days` 0 is the certain end of E2.1."""

    days: int
    list_hours: int
    start_hours: int
    gap_hours: int


class Stage(NamedTuple):
    """E3 A stage: its format and what belongs to it; `take` 0 is everybody, `rounds` 0 as many as the format has."""

    format: str
    rounds: int
    sides: str
    double: bool
    challenge: str
    reach: int
    divisions: int
    moving: int
    take: int
    carry: str
    days: int
    luck: str = "own"


class TieRules(NamedTuple):
    """E7 The criteria in order, and how many percent of what luck gave is taken off margins (E7.11)."""

    order: tuple[str, ...]
    luck_weight: int


class LeftRules(NamedTuple):
    """E6 What follows when somebody falls silent; `no_show` in the order in which it is tried."""

    here_hours: int
    offer_hours: int
    substitute: str
    forfeit_after: int
    no_show: tuple[str, ...]
    ask: str
    ask_hours: int


class Way(NamedTuple):
    """E10 A way to decide what is unfinished: ``points:4``, ``continue:200:75%``, ``jury``, ``draw``.

    `number` is the margin that decides, or how many continuations; `percent` how many of these must agree.
    """

    word: str
    number: int = 0
    percent: int = 0


class UnfinishedRules(NamedTuple):
    """E10 The ways in the order in which they are tried; none: what is unfinished at the end was not foreseen."""

    order: tuple[Way, ...]


class DisputeRules(NamedTuple):
    """E6 Who decides a dispute by when."""

    director_hours: int
    jurors: int
    jury_hours: int
    appeal_hours: int


class Limits(NamedTuple):
    """How many tables at once, and how many rounds rested are worth half a point."""

    tables: int
    half_byes: int


class TeamRules(NamedTuple):
    """E3.8 Boards of a team's match, 0 where everybody plays for himself; how long before a list captains are asked."""

    boards: int
    reserves: int
    lineup_hours: int


class RatingRules(NamedTuple):
    """E9 The pool that results are counted in, none if they are not."""

    pool: str


class Prize(NamedTuple):
    """A prize: of a `place`, or of the best whose strength at entry lies from `above` up to and not at `below`.

    0 as `place` is a prize of the best of those; 0 as a bound is none.
    """

    place: int
    above: int
    below: int
    text: str


class Rules(NamedTuple):
    """E2 All of it."""

    title: str
    code: str
    zone: str
    entry: EntryRules
    table: TableRules
    round: RoundRules
    stage: tuple[Stage, ...]
    ties: TieRules
    left: LeftRules
    unfinished: UnfinishedRules
    disputes: DisputeRules
    limits: Limits
    teams: TeamRules
    rating: RatingRules
    prizes: tuple[Prize, ...] = ()

    @property
    def late_rounds(self) -> int:
        """E1.1 The last round that somebody may still enter before; 0 where the first stage cannot take him."""
        return self.entry.late_rounds if self.stage[0].format in LATE_FORMATS else 0


def manner_of(stage: Stage) -> Manner:
    """Return how a stage is paired, for `pairing.draw.draw`."""
    rounds = stage.rounds
    return Manner(
        stage.format, rounds, stage.sides, stage.double, stage.challenge, stage.reach, stage.divisions, stage.moving
    )


def _circle(count: int) -> int:
    return max(0, count - 1 + count % 2)


def _bracket(count: int) -> int:
    return max(0, count - 1).bit_length()


def _both_brackets(count: int) -> int:
    return 2 * _bracket(count) + 1


_ROUNDS: Mapping[str, Callable[[int], int]] = MappingProxyType(
    {"robin": _circle, "league": _circle, "knockout": _bracket, "double": _both_brackets}
)


def rounds_of(stage: Stage, count: int) -> int:
    """Return how many rounds a stage of so many entrants has at most, where nobody leaves it."""
    if stage.format not in _ROUNDS:
        return stage.rounds
    size = -(-count // stage.divisions) if stage.format == "league" else count
    return _ROUNDS[stage.format](size) * (2 if stage.double else 1)


def tables_a_board(stage: Stage, count: int) -> int:
    """E5.4 E8 Return how many tables have one luck and wait for one another: 2 mirrored, all of a round duplicate."""
    return {"mirror": 2, "duplicate": max(1, count // 2)}.get(stage.sides, 1)
