"""E2 Hold the rules of a tournament as frozen records, with all defaults.

Fields are named as the keys of the file, which `tables` documents one by one. Hours are whole hours,
points half points, shares whole percents; 0, empty text and no words mean that nothing was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.pairing.drawn import PairingManner

LATE_FORMATS = ("swiss", "ladder")
"""The formats with late entries."""


class EntryRules(NamedTuple):
    """E1 The rules of entry: limits, closing time, and points for missed rounds.

    `by` is ``all``, ``invitation`` or ``approval``; `least` and `most` are the lowest and highest strength that
    may enter, 0 meaning no limit.
    """

    places: int
    waiting: int
    closes: str
    games: int
    misses: int
    late_rounds: int
    late_points: int
    seeds: str
    by: str = "all"
    least: int = 0
    most: int = 0


class TableRules(NamedTuple):
    """The game at a table and its clock; `terms` are handed to the games unchanged."""

    game: str
    scenario: str
    beacon: str
    bank_hours: int
    step_hours: int
    terms: Mapping[str, str]


class RoundRules(NamedTuple):
    """E6 The calendar of rounds.

    If `days` is 0, a round ends at the certain end of E2.1.
    """

    days: int
    list_hours: int
    start_hours: int
    gap_hours: int


class StageRules(NamedTuple):
    """E3 A stage: its format and the settings of the format.

    `take` 0 means everybody, unless `each` says how many of each division of the stage before go on; `rounds` 0 means
    as many as the format has; without `scenarios` that of `[table]` is played; `best` are the games of a tie; `battle`
    says round by round how its battle is found, ``turn``, ``lot`` or ``choice``.
    """

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
    scenarios: tuple[str, ...] = ()
    third: bool = False
    deal: str = "rank"
    each: int = 0
    replays: int = 0
    best: int = 1
    battle: tuple[str, ...] = ()


class TieBreakRules(NamedTuple):
    """E7 The criteria in order, and the percentage of luck taken off margins (E7.11)."""

    order: tuple[str, ...]
    luck_weight: int


class NoShowRules(NamedTuple):
    """E6 The rules for no-shows; `no_show` is in the order in which ways are tried."""

    here_hours: int
    offer_hours: int
    substitute: str
    forfeit_after: int
    no_show: tuple[str, ...]
    ask: str
    ask_hours: int


class UnfinishedGameMethod(NamedTuple):
    """E10 A way to decide an unfinished game.

    ``points:4``, ``continue:200:75%``, ``jury`` or ``draw``. `number` is the margin that decides, or how many
    continuations; `percent` how many of these must agree.
    """

    word: str
    number: int = 0
    percent: int = 0


class UnfinishedGameRules(NamedTuple):
    """E10 The ways in the order of trying; empty if the rules give none."""

    order: tuple[UnfinishedGameMethod, ...]


class DisputeRules(NamedTuple):
    """E6 The deadlines and jurors of disputes."""

    director_hours: int
    jurors: int
    jury_hours: int
    appeal_hours: int


class TableLimits(NamedTuple):
    """The limits on tables at once, and on rests that score half a point."""

    tables: int
    half_byes: int


class TeamRules(NamedTuple):
    """E3.8 The boards of a team match, 0 in individual tournaments, and reserves.

    Captains are asked for a line-up `lineup_hours` before a list closes.
    """

    boards: int
    reserves: int
    lineup_hours: int


class RatingRules(NamedTuple):
    """E9 The pool in which results count, empty if they do not."""

    pool: str


class Prize(NamedTuple):
    """A prize for a `place`, or for the best of a range of strength at entry.

    The range is from `above` up to and not including `below`, where 0 means no limit. A prize for the best of a
    range has 0 as `place`.
    """

    place: int
    above: int
    below: int
    text: str


class DeputyRules(NamedTuple):
    """E2 Days of the director's silence after which the deputy directs too."""

    deputy_days: int = 7


class Holiday(NamedTuple):
    """Days on which no deadline runs, the `first` and the `last` included."""

    first: str
    last: str


class TournamentRules(NamedTuple):
    """E2 All rules of a tournament."""

    title: str
    code: str
    zone: str
    entry: EntryRules
    table: TableRules
    round: RoundRules
    stage: tuple[StageRules, ...]
    ties: TieBreakRules
    left: NoShowRules
    unfinished: UnfinishedGameRules
    disputes: DisputeRules
    limits: TableLimits
    teams: TeamRules
    rating: RatingRules
    office: DeputyRules = DeputyRules()
    prizes: tuple[Prize, ...] = ()
    holidays: tuple[Holiday, ...] = ()

    @property
    def late_rounds(self) -> int:
        """E1.1 Return the last round with late entries; 0 if the format has none."""
        return self.entry.late_rounds if self.stage[0].format in LATE_FORMATS else 0


def battle_word(stage: StageRules, within: int) -> str:
    """E2.3 Return how the battle of a round is found; `within` counts from 1."""
    return stage.battle[(within - 1) % len(stage.battle)] if stage.battle else "turn"


def scenario_of(rules: TournamentRules, stage: int, within: int) -> str:
    """E2.2 Return the scenario of a round whose battles come in turn.

    Stage and round in it count from 1.
    """
    names = rules.stage[stage - 1].scenarios
    return names[(within - 1) % len(names)] if names else rules.table.scenario


def scenarios_of(rules: TournamentRules) -> tuple[str, ...]:
    """Return the scenarios that may be played, each once, that of the tables first."""
    return tuple(dict.fromkeys((rules.table.scenario, *(name for stage in rules.stage for name in stage.scenarios))))


def most_entrants(rules: TournamentRules, stage: int) -> int:
    """E3.9 Return the highest possible number of entrants of a stage, from 0."""
    count = rules.entry.places
    for before, after in pairwise(rules.stage[: stage + 1]):
        count = min(count, after.each * before.divisions or after.take or count)
    return count


def manner_of(stage: StageRules) -> PairingManner:
    """Return the manner of pairing of a stage, for `pairing.draw.draw`."""
    return PairingManner(**{name: getattr(stage, name) for name in PairingManner._fields})


def _circle(count: int) -> int:
    # Without entrants there are no rounds, here and in a bracket.
    return max(0, count - 1 + count % 2)


def _bracket(count: int) -> int:
    return max(0, count - 1).bit_length()


def _both_brackets(count: int) -> int:
    return 2 * _bracket(count) + 1


_ROUNDS: Mapping[str, Callable[[int], int]] = MappingProxyType(
    {"robin": _circle, "league": _circle, "knockout": _bracket, "double": _both_brackets}
)


def most_rounds_of(stage: StageRules, count: int) -> int:
    """Return the most rounds of a stage of so many entrants, if nobody leaves."""
    if stage.format not in _ROUNDS:
        return stage.rounds
    size = -(-count // stage.divisions) if stage.format == "league" else count
    return _ROUNDS[stage.format](size) * (2 if stage.double else stage.best + stage.replays)


def tables_sharing_dice(stage: StageRules, count: int) -> int:
    """E5.4 E8 Return the tables that share dice and wait for one another.

    There are two on a mirrored board; in a duplicate round all share them.
    """
    # A single entrant, with a bye, counts as a table.
    return {"mirror": 2, "duplicate": max(1, count // 2)}.get(stage.sides, 1)
