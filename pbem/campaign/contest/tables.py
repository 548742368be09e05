"""How all stand, the crosstable, and why one stands where he does: from rows, and in words for letters.

standing(work, event)         the table of the stage that is played, or of another
as_json(event, table)         what the leaf ``standing`` opens, and ``--json`` prints
table_block(event, table)     a block of a letter
crosstable_block(event, table)
why_lines(event, table, 3)    why e3 has his rank, with the rules
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.audit import vrf
from pbem.campaign.base import letters
from pbem.campaign.base.server import Work
from pbem.campaign.contest import lots, record
from pbem.core.data.canon import Json
from pbem.core.data.messages import Msg, by_number, decimal, msg
from pbem.store import queries, tables
from pbem.tournament.entrants import BYE, FIRST, NOBODY, PENDING, Entrant, Lots
from pbem.tournament.standings import crosstable, ranking, why
from pbem.tournament.standings.ranking import Contest, Row, Table
from pbem.tournament.tally import Meeting

__all__ = [
    "SeenTable",
    "as_json",
    "crosstable_block",
    "in_points",
    "lots_now",
    "points",
    "shown",
    "standing",
    "table_block",
    "why_lines",
]

CRITERIA: Mapping[str, Msg] = {
    "points": msg("points"),
    "buchholz": msg("Buchholz"),
    "direct": msg("direct"),
    "sonneborn": msg("Sonneborn"),
    "margin": msg("margin"),
    "lot": msg("lot"),
    "median": msg("median"),
    "cut": msg("cut"),
    "wins": msg("wins"),
    "progress": msg("progress"),
    "luck": msg("luck taken off"),
}
"""What criteria are called in letters."""
_HALVES = frozenset({"points", "buchholz", "direct", "median", "cut", "progress"})
_QUARTERS = frozenset({"sonneborn"})


class SeenTable(NamedTuple):
    """A table with what its entrants are called."""

    table: Table
    names: Mapping[int, str]


def lots_now(work: Work, event: tables.Tournament, stage: int) -> Lots:
    """The lots of the newest draw of a stage; all alike before the first."""
    drawn = [one for one in queries.tournaments.rounds(work.session, event.id) if one.stage == stage and one.lots]
    return lots.lots_of(vrf.output_of(bytes.fromhex(drawn[-1].lots))) if drawn else lots.no_lots


def standing(work: Work, event: tables.Tournament, stage: int = 0) -> Table:
    """How the entrants of a stage stand, by what is scored: of that which is played unless another is told."""
    stage = stage or event.stage or 1
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    order = record.order_of(event, stage)
    listed = [one.number for one in order] or [row.number for row in rows.values() if row.state == "in"]
    entrants = [Entrant(number, rows[number].strength) for number in listed]
    start = {one.number: one.start for one in order}
    results = record.results_of(work.session, event, stage)
    asked = Contest(entrants, results, record.rules_of(event).ties.order, start)
    return ranking.standing(asked, lots_now(work, event, stage))


def shown(work: Work, event: tables.Tournament, stage: int = 0) -> SeenTable:
    """The same with what the entrants are called."""
    rows = queries.tournaments.entrants(work.session, event.id)
    return SeenTable(standing(work, event, stage), record.names_of(rows))


def as_json(table: Table) -> Json:
    """A table as data: rank, entrant, halves, and the values of the criteria that were asked."""
    return [
        {"rank": row.rank, "entrant": f"e{row.number}", "halves": row.tally.halves, "values": dict(row.values)}
        for row in table.rows
    ]


def points(halves: int) -> Msg | int:
    """Halves of a point as points."""
    return decimal(halves / 2) if halves % 2 else halves // 2


def in_points(halves: int) -> Msg:
    """Halves of a point, with the word: ``2.5 points``."""
    return by_number(
        halves // 2 if not halves % 2 else 0, msg("1 point"), msg("{points} points", points=points(halves))
    )


def _value(name: str, value: int) -> Msg | int:
    """The value of a criterion as it is read."""
    if name in _HALVES:
        return points(value)
    if name in _QUARTERS and value % 4:
        return decimal(value / 4, 2)
    return value // 4 if name in _QUARTERS else value


def table_block(seen: SeenTable, most: int = 0) -> Json:
    """The table as a block of a letter; its first lines alone if `most` is told."""
    rows = seen.table.rows[:most] if most else seen.table.rows
    return letters.sentences(msg("Standing"), [(0, _line(seen, row)) for row in rows], whole=True)


def _line(seen: SeenTable, row: Row) -> Msg:
    asked = [(name, row.values[name]) for name in seen.table.order if name in row.values and name != "points"]
    said = tuple(msg("{criterion} {value}", criterion=CRITERIA[name], value=_value(name, n)) for name, n in asked)
    mine = in_points(row.tally.halves)
    line = msg("{rank}. {who}: {points}", rank=row.rank, who=seen.names[row.number], points=mine)
    return msg("{line} ({ties})", line=line, ties=said) if said else line


def crosstable_block(seen: SeenTable) -> Json:
    """The crosstable: a line an entrant by rank, a cell a round, as ``3+w`` (line, result, first side or second)."""
    rows = crosstable.crosstable(seen.table)
    width = max((len(seen.names[row.number]) for row in rows), default=0)
    lines = []
    for row in rows:
        cells = " ".join(f"{_cell(cell):>5}" for cell in row.cells)
        halves = f"{row.halves // 2}{'.5' if row.halves % 2 else ''}"
        lines.append(f"{row.line:>3} {seen.names[row.number]:<{width}} {halves:>4} {cells}".rstrip())
    key = msg("Each cell: whose line, + won, = drawn, - lost, ? not over, 1 the first side, 2 the second; "
              "bye, rest or away without an opponent.")  # fmt: skip
    return letters.block(msg("Crosstable"), [*lines, key])


_CELLS = {BYE: "bye", "half-bye": "rest", "rest": "rest", "absent": "away", "late": "late"}


def _cell(cell: crosstable.Cell | None) -> str:
    if cell is None:
        return "."
    if cell.opponent == NOBODY:
        return _CELLS.get(cell.how, ".")
    sides = "".join("1" if side == FIRST else "2" for side in cell.sides)
    tables_ = len(cell.sides)
    mark = "?" if cell.how == PENDING else "+" if cell.halves > tables_ else "=" if cell.halves == tables_ else "-"
    return f"{cell.line}{mark}{sides}"


def why_lines(seen: SeenTable, number: int) -> tuple[tuple[int, Msg], ...]:
    """E7 Why an entrant has his rank, each line with its depth; KeyError if he is not in the table."""
    found = why.why_rank(seen.table, number)
    names = seen.names
    rounds = tuple(_round(names, one) for one in found.meetings)
    if found.start:
        rounds = (msg("brought {points}", points=points(found.start)), *rounds)
    head = msg("{rank}. {who}, {points}: {rounds}", rank=found.rank, who=names[number],
               points=in_points(found.halves), rounds=rounds or (msg("nothing yet"),))  # fmt: skip
    lines = [(0, head)]
    if found.ahead is not None:
        lines.append((1, _parted(names, found.ahead, msg("ahead of {who}", who=names[found.ahead.other]))))
    if found.behind is not None:
        lines.append((1, _parted(names, found.behind, msg("behind {who}", who=names[found.behind.other]))))
    return tuple(lines)


_PASSED = {
    BYE: msg("a bye 1"),
    "half-bye": msg("rested 0.5"),
    "rest": msg("rested 0"),
    "absent": msg("away 0"),
    "late": msg("came late"),
}


def _round(names: Mapping[int, str], one: Meeting) -> Msg:
    if one.opponent == NOBODY:
        return _PASSED.get(one.how, _PASSED["absent"])
    who = names.get(one.opponent, f"e{one.opponent}")
    if one.how == PENDING:
        return msg("{who} not over", who=who)
    if one.halves > one.against:
        return msg("{who} won", who=who)
    return msg("{who} lost", who=who) if one.halves < one.against else msg("{who} drawn", who=who)


def _parted(names: Mapping[int, str], one: why.Parted, where: Msg) -> Msg:
    if not one.rule:
        return msg("{where}: nothing parts them, the numbers decide the line", where=where)
    mine, his = _value(one.criterion, one.mine), _value(one.criterion, one.his)
    called = CRITERIA[one.criterion]
    parts = _sum(names, one)
    if parts:
        return msg("{where}: {criterion} {mine} ({parts}) against {his} [{rule}]", where=where, criterion=called,
                   mine=mine, parts=parts, his=his, rule=one.rule)  # fmt: skip
    return msg("{where}: {criterion} {mine} against {his} [{rule}]", where=where, criterion=called, mine=mine, his=his,
               rule=one.rule)  # fmt: skip


def _sum(names: Mapping[int, str], one: why.Parted) -> Sequence[Msg]:
    return tuple(
        msg("{who} {value}", who=names.get(who, f"e{who}"), value=_value(one.criterion, part))
        for who, part in one.parts
    )
