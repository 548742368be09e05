"""E2.1 When a round is over for certain, what a shorter one wants, and what a board of several tables costs in days.

::

    End(hours=1152, tables=1)      # 14 phases a side: 2 x (240 + 14 x 24) hours, 48 days
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.tournaments.arithmetic.rules.records import Rules, Stage, rounds_of, tables_a_board

DAY = 24
_MEDIANS = ((1, 1000), (2, 1398), (8, 1705))
"""How much longer boards took as a rule whose tables wait for one another, in thousandths: 16.6 days alone, 23.2 and
28.3 with two and eight tables, in games of 28 phases with answers as simulated ones come."""


class End(NamedTuple):
    """The latest end of a round of a stage: hours from its first phase, and on how many tables that wait together."""

    hours: int
    tables: int

    @property
    def days(self) -> int:
        """Whole days, begun ones counted."""
        return -(-self.hours // DAY)


class Price(NamedTuple):
    """What the sides of a stage cost: the certain ends in days of one table and of its boards, and thousandths of the
    usual length of a game (1398: four tenths longer as a rule)."""

    alone: int
    board: int
    usual: int


def certain_end(rules: Rules, phases: int, stage: int = 0) -> End:
    """E2.1 Return when a round of a stage, from 0, ends for certain; `phases` are those of one side in a game.

    Every phase has its step, and every seat of the board its bank once: tables that wait for one another may wait for
    each other's banks one after another.
    """
    # E3.8 A match of teams has a table a board.
    players = _count(rules, stage) * max(1, rules.teams.boards)
    tables = tables_a_board(rules.stage[stage], players)
    table = rules.table
    return End(2 * phases * table.step_hours + 2 * tables * table.bank_hours, tables)


def price_of(rules: Rules, phases: int, stage: int = 0) -> Price:
    """Return what is told before a tournament is founded of stages that are mirrored or duplicate."""
    alone = rules._replace(stage=(rules.stage[stage]._replace(sides="balanced", take=0),))
    end = certain_end(rules, phases, stage)
    return Price(certain_end(alone, phases).days, end.days, _usual(end.tables))


def too_short(rules: Rules, phases: int) -> tuple[tuple[str, Msg, Msg], ...]:
    """E2.1 Return what is against rounds that may end before their games and do not say what decides these then."""
    if rules.unfinished.order:
        return ()
    found = []
    for at, stage in enumerate(rules.stage):
        end = certain_end(rules, phases, at)
        days = stage.days or rules.round.days
        if 0 < days * DAY < end.hours:
            key = f"stage {at + 1}.days" if stage.days else "round.days"
            what = msg("games of {phases} phases a side may take {days} days", phases=phases, days=end.days)
            found.append(
                (
                    key,
                    what,
                    msg(
                        "write {days} or more, or say in {table} what decides then", days=end.days, table="[unfinished]"
                    ),
                )
            )
    return tuple(found)


def length_in_days(rules: Rules, phases: int) -> int:
    """Return how long the whole may take: all rounds of all stages, with lists, starts and gaps."""
    hours = 0
    for at, stage in enumerate(rules.stage):
        end = stage.days * DAY or rules.round.days * DAY or certain_end(rules, phases, at).hours
        each = rules.round.list_hours + rules.round.start_hours + end + rules.round.gap_hours
        hours += each * rounds_of(stage, _count(rules, at))
    return -(-hours // DAY)


def most_rounds(rules: Rules) -> int:
    """Return how many rounds all stages have at most, if every place is taken."""
    return sum(rounds_of(stage, _count(rules, at)) for at, stage in enumerate(rules.stage))


def _count(rules: Rules, stage: int) -> int:
    """How many a stage has at most."""
    taken: list[Stage] = [one for one in rules.stage[1 : stage + 1] if one.take]
    return min([rules.entry.places, *(one.take for one in taken)])


def _usual(tables: int) -> int:
    """Between what was measured, straight; beyond it, the last."""
    for (few, low), (many, high) in pairwise(_MEDIANS):
        if tables <= many:
            return low + (high - low) * max(0, tables - few) // (many - few)
    return _MEDIANS[-1][1]
