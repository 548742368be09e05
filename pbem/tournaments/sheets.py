"""Word standings, crosstables, ranks and pairings for letters.

`names` maps entrants' numbers to their names, ``Ana (e3)``. Points are counted in halves and written with
the decimal mark of the reader's language.

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
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, by_number, msg
from pbem.lazy import lazily
from pbem.letters import content
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import round_states
from pbem.tournaments.arithmetic.entrants import FIRST, NOBODY, UNPLAYED, PairingRecord, entrant_label
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingReason
from pbem.tournaments.arithmetic.pairing.knockout import BracketLevel, half_points_in_games
from pbem.tournaments.arithmetic.standings import (
    CrosstableCell,
    CrosstableRow,
    RankReasons,
    StandingsTable,
    TieBreakComparison,
    crosstable,
)

with lazily():
    from pbem.letters import catalogue

Names = Mapping[int, str]

CRITERIA: Mapping[str, Msg] = MappingProxyType(
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
        "third": msg("game for third place"),
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
"""Short headings of the columns of the standings; only WHY RANK shows lots."""
_IN_HALVES = frozenset({"points", "buchholz", "direct", "median", "cut", "progress"})
_IN_QUARTERS = frozenset({"sonneborn"})
_FROM_THE_TOP = frozenset({"place", "division"})
"""Criteria whose values count from the top, so that lower is better."""


def points_figure(halves: int, language: str) -> str:
    """Return points as a figure: ``2.5``, ``2,5`` in Spanish, ``2``."""
    return _figure(halves, 2, language)


def _figure(value: int, parts: int, language: str) -> str:
    """Return a value counted in parts of a point as a decimal figure."""
    whole, rest = divmod(abs(value), parts)
    tail = f"{rest / parts:.2f}"[2:].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}{pick_phrase(language, '.', ',')}{tail}" if tail else f"{sign}{whole}"


def value_text(name: str, value: int, language: str) -> str:
    """Return the value of a tie-break criterion as a figure."""
    if name in _IN_HALVES:
        return _figure(value, 2, language)
    if name in _IN_QUARTERS:
        return _figure(value, 4, language)
    return str(-value if name in _FROM_THE_TOP else value)


def points_text(halves: int, language: str) -> Msg:
    """Return points in words: ``2.5 points``."""
    return by_number(
        halves // 2 if halves % 2 == 0 else 0,
        msg("1 point"),
        msg("{points} points", points=points_figure(halves, language)),
    )


def standings_block(title: Msg, table: StandingsTable, names: Names, language: str) -> Json:
    """Return the table from the top: rank, name, points and tie-breaks."""
    return content.titled_block(title, [*standings_lines(table, names, language), standings_legend(table)])


def standings_lines(table: StandingsTable, names: Names, language: str) -> list[str]:
    """Return the table as lines, the line of column signs first."""
    return _align_columns(standings_rows(table, names, language))


def standings_legend(table: StandingsTable) -> Msg:
    """Return the meaning of each column's sign."""
    columns = (msg("{sign} {what}", sign=_SHORT[name], what=CRITERIA[name]) for name in _columns(table))
    heads = msg("Columns: {heads}.", heads=(msg("= points"), *columns))
    return msg("In the order of the ladder [E3.6]. {heads}", heads=heads) if "place" in table.order else heads


def _columns(table: StandingsTable) -> list[str]:
    """Return the criteria that have a column.

    A ladder has no columns: its places break all ties first.
    """
    return [] if "place" in table.order else [name for name in table.order if name in _SHORT]


def standings_rows(table: StandingsTable, names: Names, language: str) -> list[list[str]]:
    """Return the table as rows of cells, their heads first."""
    columns = _columns(table)
    rows = [["", "", "=", *(_SHORT[name] for name in columns)]]
    for row in table.rows:
        values = [value_text(name, row.values[name], language) if name in row.values else "" for name in columns]
        rows.append([f"{row.rank}.", names[row.number], points_figure(row.tally.halves, language), *values])
    return rows


def crosstable_block(title: Msg, table: StandingsTable, names: Names, language: str) -> Json:
    """Return the crosstable: a line for each entrant by rank, a cell for each round.

    ``+7s`` is a win against the entrant of line 7, with the second side.
    """
    return content.titled_block(title, [*_align_columns(crosstable_rows(table, names, language)), *_CELLS])


_CELLS = (
    msg("A cell a round: + won, = drawn, - lost, * not over, the opponent's line,"),
    msg("f on the first side, s on the second; without a line + a bye, ½ or - rested."),
)


def crosstable_rows(table: StandingsTable, names: Names, language: str) -> list[list[str]]:
    """Return the crosstable as rows of cells."""
    return [_cross_row(row, names, language) for row in crosstable(table)]


def _cross_row(row: CrosstableRow, names: Names, language: str) -> list[str]:
    cells = ["" if cell is None else _cell(cell) for cell in row.cells]
    return [f"{row.line}.", names[row.number], *cells, points_figure(row.halves, language)]


def _cell(cell: CrosstableCell) -> str:
    if cell.opponent == NOBODY:
        return {0: "-", 1: "½"}.get(cell.halves, "+")
    if cell.how == "pending":
        return f"*{cell.line}"
    # Two half points a table; a bye has no side, and counts as one table.
    won = 2 * max(1, len(cell.sides))
    sign = "+" if cell.halves == won else "-" if cell.halves == 0 else "="
    side = "" if len(cell.sides) != 1 else "f" if cell.sides[0] == FIRST else "s"
    return f"{sign}{cell.line}{side}"


def _align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows with aligned columns: names to the left, figures to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = []
    for row in rows:
        cells = [
            f"{cell:<{width}}" if column == 1 else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def rank_block(why: RankReasons, names: Names, language: str) -> Json:
    """Return the answer to WHY RANK: rounds, and tie-breaks against both neighbours."""
    rounds = tuple(_meeting_text(meeting, language) for meeting in why.meetings)
    lines = [
        (
            0,
            msg(
                "{rank}. {name}, {points}.",
                rank=why.rank,
                name=names[why.number],
                points=points_text(why.halves, language),
            ),
        )
    ]
    if why.start:
        brought = points_text(why.start, language)
        lines.append((1, msg("Brought along or given for rounds before he came: {points}.", points=brought)))
    if rounds:
        lines.append((1, msg("{rounds}", rounds=rounds)))
    if why.ahead is not None:
        lines.append((1, _tie_break_text(why.ahead, names, language, ahead=True)))
    if why.behind is not None:
        lines.append((1, _tie_break_text(why.behind, names, language, ahead=False)))
    return content.sentence_block(msg("Why this rank"), lines)


def _meeting_text(meeting: PairingRecord, language: str) -> Msg:
    """Return a round in a few words: ``e9 won``."""
    scored = points_figure(meeting.halves, language)
    if meeting.how in UNPLAYED or meeting.opponent == NOBODY:
        return msg("a bye, {points}", points=scored) if meeting.how == "bye" else msg("rested, {points}", points=scored)
    opponent = entrant_label(meeting.opponent)
    if meeting.how == "pending":
        return msg("{who} not over", who=opponent)
    if meeting.how == "forfeit" and not meeting.halves + meeting.against:
        return msg("{who}: neither came", who=opponent)
    if meeting.halves == meeting.against:
        return msg("{who} drawn", who=opponent)
    if meeting.halves < meeting.against:
        return msg("{who} lost", who=opponent)
    return msg("{who} won by forfeit", who=opponent) if meeting.how == "forfeit" else msg("{who} won", who=opponent)


def _tie_break_text(tie_break: TieBreakComparison, names: Names, language: str, *, ahead: bool) -> Msg:
    """Return the difference between two neighbours in the table."""
    neighbour = names[tie_break.other]
    if not tie_break.rule:
        return msg("Level with {other}: nothing that the rules name parts them.", other=neighbour)
    own_value = value_text(tie_break.criterion, tie_break.mine, language)
    if tie_break.parts:
        adds = tuple(
            f"{entrant_label(number)} {value_text(tie_break.criterion, part, language)}"
            for number, part in tie_break.parts
        )
        mine_told: Msg | str = msg("{value} ({parts})", value=own_value, parts=adds)
    else:
        mine_told = own_value
    values = {
        "other": neighbour,
        "what": CRITERIA[tie_break.criterion],
        "mine": mine_told,
        "his": value_text(tie_break.criterion, tie_break.his, language),
        "rule": tie_break.rule,
    }
    if ahead:
        return msg("Ahead of {other}: {what} {mine} against {his} [{rule}].", **values)
    return msg("Behind {other}: {what} {mine} against {his} [{rule}].", **values)


def pairing_reasons(pair: Pair, names: Names, language: str) -> list[Msg]:
    """Return the answer to WHY PAIRING: a sentence for each reason, with its rule."""
    sentences = [_reason_text(reason, pair, language) for reason in pair.why]
    return [msg("{why} [{rule}]", why=why, rule=reason.rule) for why, reason in zip(sentences, pair.why, strict=True)]


def _pairs(values: Mapping[str, int | str]) -> tuple[str, ...]:
    return tuple(f"{name} {value}" for name, value in values.items())


def _in_points(values: Mapping[str, int | str], language: str) -> tuple[str, ...]:
    return tuple(f"{name} {points_figure(int(value), language)}" for name, value in values.items())


_BY_PLACES: Mapping[str, Msg] = MappingProxyType(
    {
        "bracket": msg("The bracket has them meet, by their seeds: {places}."),
        "third": msg("The losers of the semi-finals play for third place, by their seeds: {places}."),
        "lower": msg("The lower bracket has them meet, by their seeds and how often they met: {places}."),
        "neighbours": msg(
            "On the ladder the nearest meet, past those whom a challenge takes or whom one met last round: {places}."
        ),
        "circle": msg("All meet all, in the order of a circle: {places}."),
    }
)


_BYES: Mapping[str, Msg] = MappingProxyType(
    {
        "E3.2": msg("One has a bye in each round, in the order of the circle."),
        "E3.3": msg("The bracket has nobody opposite: such byes are of the best seeds."),
        "E3.4": msg("One has a bye in his bracket: the fewest byes, then the better seed."),
        "E3.5": msg("One has a bye: the fewest byes, then the lowest place."),
    }
)


_BY_VALUES: Mapping[str, Msg] = MappingProxyType(
    {
        "owed": msg("How often more each had the second side than the first: {owed}."),
        "both owed": msg("Both are due the same side, and nothing else was possible: {owed}."),
        "floats": msg("Their points differ, and neither was paired so in the last two rounds."),
        "floated": msg("Their points differ, and one of them was paired so before."),
        "one half": msg("Both are of one half of those with as many points."),
        "pace": msg("Their pace and hour are not alike."),
        "lots": msg("Lots, the lowest sum of all decides: {lots}."),
        "alternate": msg("Sides: both are due alike; they have them other than when they last differed."),
        "neither": msg("Of the two who played for the place opposite neither goes on."),
        "exchanged": msg("Sides: those of their last game, exchanged."),
    }
)
"""The wording of reasons that need both entrants' values, or no values."""


_BY_LOT: Mapping[str, Msg] = MappingProxyType(
    {
        **dict.fromkeys(("lot", "mirror", "bid"), msg("Sides by lot: {lot}.")),
        "battle": msg("The battle, by the lowest lot: {lot}."),
        "battles": msg("The battles in the order of their lots: {lot}."),
    }
)


_GAMES_OF_TIES: Mapping[str, Msg] = MappingProxyType(
    {
        "game": msg("Game {number} of their tie, of {most} at most; points so far: {points}."),
        "replay": msg("Their tie is drawn: replay {number} of {most} at most; points so far: {points}."),
    }
)


def _reason_text(reason: PairingReason, pair: Pair, language: str) -> Msg:
    """Return a reason in words; an unknown one by its rule and values."""
    values = dict(reason.values)
    if reason.what in _BY_VALUES:
        text = _BY_VALUES[reason.what].text
        return msg(text, **dict.fromkeys(catalogue.gap_names(text), _pairs(values)))
    if reason.what == "points":
        return msg("Points: {points}.", points=_in_points(values, language))
    if reason.what == "opened":
        return msg(
            "Nothing else was possible than to let {a} and {b} meet, which is forbidden else.",
            a=entrant_label(pair.first),
            b=entrant_label(pair.second),
        )
    if reason.what == "challenge":
        challenger = str(values.pop("by"))
        challenged = next(name for name in values if name != challenger)
        return msg(
            "{who} challenged {other}, and the ladder allows it: {places}.",
            who=challenger,
            other=challenged,
            places=_pairs(values),
        )
    if reason.what in _GAMES_OF_TIES:
        number, most = values.pop("game"), values.pop("most")
        so_far = _in_points(values, language)
        return msg(_GAMES_OF_TIES[reason.what].text, number=number, most=most, points=so_far)
    if reason.what in _BY_PLACES:
        return msg(_BY_PLACES[reason.what].text, places=_pairs(values))
    if reason.what == "away":
        return msg("The opponent that {other} was to have is away.", other=values["with"])
    if reason.what in _BY_LOT:
        lots = dict(sorted(values.items(), key=lambda pair: int(pair[1])))
        return msg(_BY_LOT[reason.what].text, lot=_pairs(lots))
    if reason.what == "bye":
        return _bye_text(reason, language)
    return msg("{what}: {values}", what=reason.what, values=_pairs(values))


def _bye_text(reason: PairingReason, language: str) -> Msg:
    """Return why somebody has a bye in words."""
    if reason.rule in _BYES:
        return _BYES[reason.rule]
    values = dict(reason.values)
    halves = points_figure(int(values.pop("points", 0)), language)
    byes_before = values.pop("before", 0)
    return msg(
        "The bye: the fewest byes ({before}), then the fewest points ({points}), then the lot {lot}.",
        before=byes_before,
        points=halves,
        lot=_pairs(values),
    )


# Ties of several games, a line each.


def tie_lines(level: BracketLevel, names: Names, language: str) -> Iterator[Msg]:
    """E3.17 Yield how the ties of a level stand, and who plays on.

    In the next game whoever is named first has the first side.
    """
    for tie in (tie for tie in level.ties if tie.games):
        own_points, other = (points_figure(half_points_in_games(tie.games, number), language) for number in tie.couple)
        first, second = (names[number] for number in tie.couple)
        line = msg("{first} - {second}: {mine} - {his}", first=first, second=second, mine=own_points, his=other)
        if tie.winner is None:
            last = tie.games[-1][0]
            yield msg(
                "{line}; next game: {first} - {second}", line=line, first=names[last.second], second=names[last.first]
            )
        elif tie.winner == NOBODY:
            yield msg("{line}; over, neither goes on", line=line)
        else:
            yield msg("{line}; over, won by {who}", line=line, who=names[tie.winner])


# Results of the boards of a round, a line each, for letters and questions.


_UNDECIDED = {"due": msg("{both}, not begun"), "disputed": msg("{both}, disputed")}
_ALONE = {
    "bye": msg("{who} has a bye: {points}"),
    "half-bye": msg("{who} rested: {points}"),
    "rest": msg("{who} rested: {points}"),
    "forfeit": msg("{who} with nobody opposite: {points}"),
    "absent": msg("{who} was replaced or did not show up: {points}"),
}
_HOW = {
    "forfeit": msg("by forfeit"),
    "adjudicated": msg("adjudicated"),
}


def drawn_round(tx: Transaction, event: tables.Tournament, number: int) -> tables.Round | Msg:
    """Return the drawn round with a number, or the newest one for 0.

    Return the reason if it is not drawn.
    """
    drawn_rounds = [row for row in queries.tournaments.rounds(tx.session, event.id) if row.drawn]
    matching = [row for row in drawn_rounds if row.number == number] if number else drawn_rounds[-1:]
    if not matching:
        return msg("Round {number} is not drawn.", number=number) if number else msg("No round is drawn yet.")
    return matching[0]


def board_line(board: tables.Board, names: Mapping[int, str], language: str) -> Msg:
    """Return one board in words: its players and its result."""
    first = names.get(board.first, f"e{board.first}")
    own_points, other = (points_figure(halves, language) for halves in (board.first_halves, board.second_halves))
    if not board.second:
        alone = _ALONE.get(board.how, msg("{who} without an opponent: {points}"))
        return msg(alone.text, who=first, points=own_points)
    second = names.get(board.second, f"e{board.second}")
    if board.state not in round_states.DECIDED:
        players = msg("{first} - {second}", first=first, second=second)
        state = _UNDECIDED.get(board.state, msg("{both}, being played"))
        return msg(state.text, both=players)
    line = msg("{first} - {second}: {mine} - {his}", first=first, second=second, mine=own_points, his=other)
    if board.how == "forfeit" and not board.first_halves + board.second_halves:
        return msg("{line}, neither came", line=line)
    if board.how in _HOW:
        return msg("{line}, {how}", line=line, how=_HOW[board.how])
    return msg("{line}, margin {margin}", line=line, margin=board.margin)


# Long lists in letters: the top, the lines around the reader, and the number of lines left out.
#
# Of a thousand entrants nobody reads a thousand lines, and a thousand letters of them are a million lines. Up to
# `MOST_LINES` are shown as they are.


T = TypeVar("T")

MOST_LINES = 80
"""Lines of a list that is shown in full: some screens; nobody reads a thousand."""
# Rows of a long table in a letter: from the top, and on both sides of the reader's own. A choice.
_TOP, _AROUND = 30, 5


def fits_in_letter(lines: Sequence[T]) -> bool:
    """Return whether a list is shown in full."""
    return len(lines) <= MOST_LINES


def excerpt_around_own_line(lines: Sequence[T], own_index: int | None = None) -> Iterator[T | Msg]:
    """Yield lines from the top and around the reader's own line.

    `own_index` is the index of that line. Sentences between them count the lines left out.
    """
    ranges = [range(len(lines))] if fits_in_letter(lines) else _excerpt_ranges(len(lines), own_index)
    position = 0
    for run in ranges:
        if run.start > position:
            yield msg("{n} lines left out", n=run.start - position)
        yield from lines[run.start : run.stop]
        position = run.stop
    if position < len(lines):
        yield msg("{n} lines left out", n=len(lines) - position)


def _excerpt_ranges(count: int, own_index: int | None) -> list[range]:
    if own_index is None or own_index + _AROUND < _TOP:
        return [range(_TOP)]
    begin = max(_TOP, own_index - _AROUND)
    return [range(_TOP), range(begin, min(count, own_index + _AROUND + 1))]
