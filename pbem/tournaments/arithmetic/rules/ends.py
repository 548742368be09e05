"""E2.1 Compute the certain end of a round, and the cost of several tables.

::

    End(hours=1152, tables=1)      # 14 phases a side: 2 x (240 + 14 x 24) hours, 48 days
"""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.tournaments.arithmetic.rules.records import (
    Holiday,
    TournamentRules,
    most_entrants,
    most_rounds_of,
    tables_sharing_dice,
)

DAY = 24
"""Hours of a day."""
_MEDIANS = ((1, 1000), (2, 1398), (8, 1705))
"""Tables of a board that wait for one another, and how much longer the board usually takes, in thousandths: 16.6 days
alone, 23.2 and 28.3 with two and eight tables. They are medians of simulated games of 28 phases."""


class LatestRoundEnd(NamedTuple):
    """The latest end of a round of a stage.

    `hours` count from its first phase; `tables` is how many wait together.
    """

    hours: int
    tables: int

    @property
    def days(self) -> int:
        """Return the number of days, a day that has begun counting as a whole one."""
        return -(-self.hours // DAY)


class StageDurationCost(NamedTuple):
    """The cost of a stage's sides in time.

    `alone` is the certain end of one table, `board` that of a board of several, both in days; `usual` is the usual
    length of a board in thousandths of a single game's (1398: four tenths longer).
    """

    alone: int
    board: int
    usual: int


def latest_round_end(rules: TournamentRules, phases: int, stage: int = 0) -> LatestRoundEnd:
    """E2.1 Return the certain end of a round.

    `stage` counts from 0; `phases` are those of one side in a game. Every phase has its step, and every seat of the
    board uses up its bank once: tables that wait for one another may wait for each other's banks one after another.
    """
    # E3.8 Each board of a team match is a table.
    # Without teams `boards` is 0, and a pair has one table.
    players = most_entrants(rules, stage) * max(1, rules.teams.boards)
    tables = tables_sharing_dice(rules.stage[stage], players)
    table_rules = rules.table
    return LatestRoundEnd(2 * phases * table_rules.step_hours + 2 * tables * table_rules.bank_hours, tables)


def duration_cost(rules: TournamentRules, phases: int, stage: int = 0) -> StageDurationCost:
    """Return the cost in time of a mirrored or duplicate stage."""
    balanced_rules = rules._replace(stage=(rules.stage[stage]._replace(sides="balanced", take=0),))
    end = latest_round_end(rules, phases, stage)
    return StageDurationCost(latest_round_end(balanced_rules, phases).days, end.days, _usual_length(end.tables))


def short_round_objections(rules: TournamentRules, phases: int) -> tuple[tuple[str, Msg, Msg], ...]:
    """E2.1 Return the objections to rounds that may end before their games.

    There are none if the rules decide unfinished games.
    """
    if rules.unfinished.order:
        return ()
    objections = []
    for index, stage in enumerate(rules.stage):
        end = latest_round_end(rules, phases, index)
        days = stage.days or rules.round.days
        if 0 < days * DAY < end.hours:
            key = f"stage {index + 1}.days" if stage.days else "round.days"
            fault = msg("games of {phases} phases a side may take {days} days", phases=phases, days=end.days)
            objections.append(
                (
                    key,
                    fault,
                    msg(
                        "write {days} or more, or say in {table} what decides then", days=end.days, table="[unfinished]"
                    ),
                )
            )
    return tuple(objections)


def longest_duration_in_days(rules: TournamentRules, phases: int) -> int:
    """Return the longest duration in days.

    It includes lists, starts, gaps between rounds and all holidays.
    """
    hours = sum(DAY * _holiday_days(holiday) for holiday in rules.holidays)
    for index, stage in enumerate(rules.stage):
        end = stage.days * DAY or rules.round.days * DAY or latest_round_end(rules, phases, index).hours
        round_hours = rules.round.list_hours + rules.round.start_hours + end + rules.round.gap_hours
        hours += round_hours * most_rounds_of(stage, most_entrants(rules, index))
    return -(-hours // DAY)


def _holiday_days(holiday: Holiday) -> int:
    return (date.fromisoformat(holiday.last) - date.fromisoformat(holiday.first)).days + 1


def most_rounds(rules: TournamentRules) -> int:
    """Return the highest number of rounds of all stages, if every place is taken."""
    return sum(most_rounds_of(stage, most_entrants(rules, index)) for index, stage in enumerate(rules.stage))


def _usual_length(tables: int) -> int:
    """Return the usual length, interpolated between measurements."""
    for (few, low), (many, high) in pairwise(_MEDIANS):
        if tables <= many:
            # Below the first measurement nothing is taken off.
            return low + (high - low) * max(0, tables - few) // (many - few)
    return _MEDIANS[-1][1]
