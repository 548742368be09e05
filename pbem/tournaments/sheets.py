"""Tables and reasons as letters show them: standings, crosstables, and why somebody stands or plays where he does.

`names` are how entrants are called, ``Ana (e3)`` by their numbers. Points are kept in halves; they are written with the
mark of the reader's language.

    WHY RANK 3
      3. Ana (e3), 2.5 points.
         e9 won, e7 lost, e12 won, rested 0.5
         Ahead of Luis (e4): Buchholz 9.5 (e7 3, e9 2.5, e12 4) against 9 [E7.2]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, by_number, msg
from pbem.lazy import lazily
from pbem.letters import content
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import round_states
from pbem.tournaments.arithmetic.entrants import FIRST, NOBODY, UNPLAYED, Meeting, name_of
from pbem.tournaments.arithmetic.pairing.drawn import Pair, Reason
from pbem.tournaments.arithmetic.standings import Cell, CrossRow, Parted, Table, Why, crosstable

with lazily():
    from pbem.letters import catalogue

Names = Mapping[int, str]

_CRITERIA: Mapping[str, Msg] = MappingProxyType(
    {
        "points": msg("points"),
        "buchholz": msg("Buchholz"),
        "direct": msg("direct meetings"),
        "sonneborn": msg("Sonneborn"),
        "margin": msg("margin"),
        "lot": msg("lot"),
        "median": msg("median"),
        "cut": msg("Buchholz without the worst"),
        "wins": msg("wins"),
        "progress": msg("progress"),
        "luck": msg("margin without luck"),
        "reached": msg("rounds gone on from"),
        "survived": msg("rounds before he was out"),
        "place": msg("place on the ladder"),
        "division": msg("division"),
    }
)
_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "buchholz": "Bh",
        "direct": "D",
        "sonneborn": "SB",
        "margin": "M",
        "median": "Md",
        "cut": "Bh-",
        "wins": "W",
        "progress": "Pr",
    }
)
"""Columns of the standings; lots are told by WHY RANK alone."""
_IN_HALVES = frozenset({"points", "buchholz", "direct", "median", "cut", "progress"})
_IN_QUARTERS = frozenset({"sonneborn"})
_FROM_THE_TOP = frozenset({"place", "division"})
"""What is counted from the top: the lower the better."""


def points(halves: int, language: str) -> str:
    """Points as a figure: ``2.5``, ``2,5`` in Spanish, ``2``."""
    return _figure(halves, 2, language)


def _figure(value: int, parts: int, language: str) -> str:
    """A value that is counted in parts of a point."""
    whole, rest = divmod(abs(value), parts)
    tail = f"{rest / parts:.2f}"[2:].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}{chosen(language, '.', ',')}{tail}" if tail else f"{sign}{whole}"


def _valued(name: str, value: int, language: str) -> str:
    """The value of a criterion as it is shown."""
    if name in _IN_HALVES:
        return _figure(value, 2, language)
    if name in _IN_QUARTERS:
        return _figure(value, 4, language)
    return str(-value if name in _FROM_THE_TOP else value)


def points_told(halves: int, language: str) -> Msg:
    """Points in words: ``2.5 points``."""
    return by_number(
        halves // 2 if halves % 2 == 0 else 0, msg("1 point"), msg("{points} points", points=points(halves, language))
    )


def standings_block(title: Msg, table: Table, names: Names, language: str) -> Json:
    """The table from the top: rank, name, points, and what parts those level."""
    return content.block(title, [*standings_lines(table, names, language), standings_heads(table)])


def standings_lines(table: Table, names: Names, language: str) -> list[str]:
    """The same as lines, that of the columns' signs first."""
    return _aligned(standings_rows(table, names, language))


def standings_heads(table: Table) -> Msg:
    """What stands above each column."""
    columns = (msg("{sign} {what}", sign=_SHORT[one], what=_CRITERIA[one]) for one in _columns(table))
    heads = msg("What stands above: {heads}.", heads=(msg("= points"), *columns))
    return msg("In the order of the ladder [E3.6]. {heads}", heads=heads) if "place" in table.order else heads


def _columns(table: Table) -> list[str]:
    """The criteria that have a column; none of a ladder, whose places part all before anything else is asked."""
    return [] if "place" in table.order else [name for name in table.order if name in _SHORT]


def standings_rows(table: Table, names: Names, language: str) -> list[list[str]]:
    """The same as rows of cells, their heads first."""
    columns = _columns(table)
    rows = [["", "", "=", *(_SHORT[name] for name in columns)]]
    for row in table.rows:
        values = [_valued(name, row.values[name], language) if name in row.values else "" for name in columns]
        rows.append([f"{row.rank}.", names[row.number], points(row.tally.halves, language), *values])
    return rows


def crosstable_block(title: Msg, table: Table, names: Names, language: str) -> Json:
    """A line for each by rank, a cell a round: ``+7s`` a win against who stands in line 7, with the second side."""
    return content.block(title, [*_aligned(crosstable_rows(table, names, language)), *_CELLS])


_CELLS = (
    msg("A cell a round: + won, = drawn, - lost, * not over, the opponent's line,"),
    msg("f on the first side, s on the second; without a line + a bye, ½ or - rested."),
)


def crosstable_rows(table: Table, names: Names, language: str) -> list[list[str]]:
    """The same as rows of cells."""
    return [_crossed(row, names, language) for row in crosstable(table)]


def _crossed(row: CrossRow, names: Names, language: str) -> list[str]:
    cells = ["" if cell is None else _cell(cell) for cell in row.cells]
    return [f"{row.line}.", names[row.number], *cells, points(row.halves, language)]


def _cell(cell: Cell) -> str:
    if cell.opponent == NOBODY:
        return {0: "-", 1: "½"}.get(cell.halves, "+")
    if cell.how == "pending":
        return f"*{cell.line}"
    won = 2 * max(1, len(cell.sides))
    sign = "+" if cell.halves == won else "-" if cell.halves == 0 else "="
    side = "" if len(cell.sides) != 1 else "f" if cell.sides[0] == FIRST else "s"
    return f"{sign}{cell.line}{side}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their columns below one another: names to the left, figures to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    found = []
    for row in rows:
        cells = [
            f"{cell:<{width}}" if at == 1 else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        found.append("  ".join(cells).rstrip())
    return found


def why_rank(why: Why, names: Names, language: str) -> Json:
    """WHY RANK: his rounds, what puts him before the next one and what behind the one before."""
    rounds = tuple(_met(one, language) for one in why.meetings)
    lines = [
        (
            0,
            msg(
                "{rank}. {name}, {points}.",
                rank=why.rank,
                name=names[why.number],
                points=points_told(why.halves, language),
            ),
        )
    ]
    if why.start:
        brought = points_told(why.start, language)
        lines.append((1, msg("Brought along or given for rounds before he came: {points}.", points=brought)))
    if rounds:
        lines.append((1, msg("{rounds}", rounds=rounds)))
    if why.ahead is not None:
        lines.append((1, _parted(why.ahead, names, language, ahead=True)))
    if why.behind is not None:
        lines.append((1, _parted(why.behind, names, language, ahead=False)))
    return content.sentences(msg("Why this rank"), lines)


def _met(one: Meeting, language: str) -> Msg:
    """A round in a few words: ``e9 won``."""
    got = points(one.halves, language)
    if one.how in UNPLAYED or one.opponent == NOBODY:
        return msg("a bye, {points}", points=got) if one.how == "bye" else msg("rested, {points}", points=got)
    who = name_of(one.opponent)
    if one.how == "pending":
        return msg("{who} not over", who=who)
    if one.how == "forfeit" and not one.halves + one.against:
        return msg("{who}: neither came", who=who)
    if one.halves == one.against:
        return msg("{who} drawn", who=who)
    if one.halves < one.against:
        return msg("{who} lost", who=who)
    return msg("{who} won by forfeit", who=who) if one.how == "forfeit" else msg("{who} won", who=who)


def _parted(found: Parted, names: Names, language: str, *, ahead: bool) -> Msg:
    """What parts two neighbours."""
    other = names[found.other]
    if not found.rule:
        return msg("Level with {other}: nothing that the rules name parts them.", other=other)
    mine = _valued(found.criterion, found.mine, language)
    if found.parts:
        adds = tuple(f"{name_of(number)} {_valued(found.criterion, part, language)}" for number, part in found.parts)
        mine_told: Msg | str = msg("{value} ({parts})", value=mine, parts=adds)
    else:
        mine_told = mine
    told = {
        "other": other,
        "what": _CRITERIA[found.criterion],
        "mine": mine_told,
        "his": _valued(found.criterion, found.his, language),
        "rule": found.rule,
    }
    if ahead:
        return msg("Ahead of {other}: {what} {mine} against {his} [{rule}].", **told)
    return msg("Behind {other}: {what} {mine} against {his} [{rule}].", **told)


def why_pairing(pair: Pair, names: Names, language: str) -> list[Msg]:
    """WHY PAIRING: a sentence for each reason of the draw, with its rule."""
    found = [_reason(one, pair, language) for one in pair.why]
    return [msg("{why} [{rule}]", why=why, rule=one.rule) for why, one in zip(found, pair.why, strict=True)]


def _pairs(values: Mapping[str, int | str]) -> tuple[str, ...]:
    return tuple(f"{name} {value}" for name, value in values.items())


def _in_points(values: Mapping[str, int | str], language: str) -> tuple[str, ...]:
    return tuple(f"{name} {points(int(value), language)}" for name, value in values.items())


_BY_PLACES: Mapping[str, Msg] = MappingProxyType(
    {
        "bracket": msg("The bracket has them meet, by their seeds: {places}."),
        "lower": msg("The lower bracket has them meet, by their seeds and how often they met: {places}."),
        "neighbours": msg(
            "On the ladder the nearest meet, past those whom a challenge takes or whom one met last round: {places}."
        ),
        "circle": msg("All meet all, in the order of a circle: {places}."),
    }
)


_BYES: Mapping[str, Msg] = MappingProxyType(
    {
        "E3.2": msg("One is over in each round, in the order of the circle."),
        "E3.3": msg("The bracket has nobody opposite: such byes are of the best seeds."),
        "E3.4": msg("One is over in his bracket: the fewest byes, then the better seed."),
        "E3.5": msg("One is over: the fewest byes, then the lowest place."),
    }
)


_BY_VALUES: Mapping[str, Msg] = MappingProxyType(
    {
        "owed": msg("How often more each had the second side than the first: {owed}."),
        "both owed": msg("To both the same side is owed, and nothing else was possible: {owed}."),
        "floats": msg("Their points differ, and neither floated so in the last two rounds."),
        "floated": msg("Their points differ, and one of them floated so before."),
        "one half": msg("Both are of one half of those with as many points."),
        "pace": msg("Their pace and hour are not alike."),
        "lots": msg("Lots, the lowest sum of all decides: {lots}."),
        "alternate": msg("Sides: as much is owed to both; they have them other than when they last differed."),
        "neither": msg("Of the two who played for the place opposite neither goes on."),
    }
)
"""Reasons that are told by the values of both, or without any."""


def _reason(one: Reason, pair: Pair, language: str) -> Msg:
    """A reason in words; one that is not known here is told by its rule and values."""
    values = dict(one.values)
    if one.what in _BY_VALUES:
        text = _BY_VALUES[one.what].text
        return msg(text, **dict.fromkeys(catalogue.gaps(text), _pairs(values)))
    if one.what == "points":
        return msg("Points: {points}.", points=_in_points(values, language))
    if one.what == "opened":
        return msg(
            "Nothing else was possible than to let {a} and {b} meet, which is forbidden else.",
            a=name_of(pair.first),
            b=name_of(pair.second),
        )
    if one.what == "challenge":
        who = str(values.pop("by"))
        other = next(name for name in values if name != who)
        return msg(
            "{who} challenged {other}, and the ladder allows it: {places}.", who=who, other=other, places=_pairs(values)
        )
    if one.what in _BY_PLACES:
        return msg(_BY_PLACES[one.what].text, places=_pairs(values))
    if one.what == "away":
        return msg("Who was to meet {other} is away.", other=values["with"])
    if one.what in ("lot", "mirror", "bid"):
        return msg("Sides by lot: {lot}.", lot=_pairs(values))
    if one.what == "bye" and one.rule in _BYES:
        return _BYES[one.rule]
    if one.what == "bye":
        halves = points(int(values.pop("points", 0)), language)
        before = values.pop("before", 0)
        return msg(
            "One is over: the fewest byes ({before}), then the fewest points ({points}), then the lot {lot}.",
            before=before,
            points=halves,
            lot=_pairs(values),
        )
    return msg("{what}: {values}", what=one.what, values=_pairs(values))


# What came of the boards of a round, a line each, as letters and questions tell it; and which drawn round is meant.


_ALONE = {
    "bye": msg("{who} has a bye: {points}"),
    "half-bye": msg("{who} rested: {points}"),
    "rest": msg("{who} rested: {points}"),
    "forfeit": msg("{who} with nobody opposite: {points}"),
    "absent": msg("{who} was replaced or never came: {points}"),
}
_HOW = {
    "forfeit": msg("by forfeit"),
    "adjudicated": msg("adjudicated"),
}


def drawn_round(work: Work, event: tables.Tournament, number: int) -> tables.Round | Msg:
    """The round of a number, or the newest one if that is 0; why there is none if it is not drawn."""
    drawn = [one for one in queries.tournaments.rounds(work.session, event.id) if one.drawn]
    found = [one for one in drawn if one.number == number] if number else drawn[-1:]
    if not found:
        return msg("Round {number} is not drawn.", number=number) if number else msg("No round is drawn yet.")
    return found[0]


def board_line(board: tables.Board, names: Mapping[int, str], language: str) -> Msg:
    """One board: who sits there, and what came of it."""
    first = names.get(board.first, f"e{board.first}")
    mine, his = (points(halves, language) for halves in (board.first_halves, board.second_halves))
    if not board.second:
        alone = _ALONE.get(board.how, msg("{who} without an opponent: {points}"))
        return msg(alone.text, who=first, points=mine)
    second = names.get(board.second, f"e{board.second}")
    if board.state not in round_states.DECIDED:
        both = msg("{first} - {second}", first=first, second=second)
        return (
            msg("{both}, disputed", both=both) if board.state == "disputed" else msg("{both}, being played", both=both)
        )
    line = msg("{first} - {second}: {mine} - {his}", first=first, second=second, mine=mine, his=his)
    if board.how == "forfeit" and not board.first_halves + board.second_halves:
        return msg("{line}, neither came", line=line)
    if board.how in _HOW:
        return msg("{line}, {how}", line=line, how=_HOW[board.how])
    return msg("{line}, margin {margin}", line=line, margin=board.margin)


# Long lists as letters show them: the top, and what stands around the reader; what is left out is counted.
#
# Of a thousand entrants nobody reads a thousand lines, and a thousand letters of them are a million lines. Up to `MOST`
# lines are shown as they are.


T = TypeVar("T")

MOST = 80
_TOP, _AROUND = 30, 5


def whole(lines: Sequence[T]) -> bool:
    """Whether a list is shown as it is."""
    return len(lines) <= MOST


def excerpt(lines: Sequence[T], mine: int | None = None) -> Iterator[T | Msg]:
    """Lines from the top and around the reader's own, by its place; between them sentences that count the others."""
    shown = [range(len(lines))] if whole(lines) else _shown(len(lines), mine)
    at = 0
    for run in shown:
        if run.start > at:
            yield msg("{n} lines left out", n=run.start - at)
        yield from lines[run.start : run.stop]
        at = run.stop
    if at < len(lines):
        yield msg("{n} lines left out", n=len(lines) - at)


def _shown(count: int, mine: int | None) -> list[range]:
    if mine is None or mine + _AROUND < _TOP:
        return [range(_TOP)]
    begin = max(_TOP, mine - _AROUND)
    return [range(_TOP), range(begin, min(count, mine + _AROUND + 1))]
