"""The rows of a tournament as its arithmetic wants them: rules, stages, results.

A round passed without an opponent is a board too, whose `second` is 0; so results are rows and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlmodel import Session

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import when
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables
from pbem.tournaments import round_states
from pbem.tournaments.arithmetic.entrants import NOBODY, PENDING, Result
from pbem.tournaments.arithmetic.pairing.drawn import Pair
from pbem.tournaments.arithmetic.rules.reading import rules_from_json
from pbem.tournaments.arithmetic.rules.records import LATE_FORMATS, Rules, Stage
from pbem.tournaments.arithmetic.stages import match_and_board, result_of_match

_TABLE = re.compile(r"-r\d{1,2}[a-z]?-\d{2,3}[ab]?$")
"""How the names of tables end."""

OUT = ("withdrawn", "expelled", "left")
"""The states of who entered and does not play any more."""


class Seed(NamedTuple):
    """An entrant of a stage, by his number, and the halves that he brought along."""

    number: int
    start: int


@lru_cache(maxsize=64)
def _read(text: str) -> Rules:
    return rules_from_json(loads(text))


def rules_of(event: tables.Tournament) -> Rules:
    """The rules of a tournament."""
    return _read(event.rules)


def stage_of(event: tables.Tournament, stage: int = 0) -> Stage:
    """A stage by its number from 1, or the one that is played."""
    return rules_of(event).stage[(stage or event.stage or 1) - 1]


def tournament_named(session: Session, name: str) -> tables.Tournament:
    """The row of a tournament, locked; Broken if there is none of that name."""
    found = queries.tournaments.tournament(session, name)
    if found is None:
        names = tuple(one.id for one in queries.tournaments.every(session))
        raise Broken(msg("There is no tournament {event}; there are: {events}.", event=name, events=names or ("-",)))
    return found


def order_of(event: tables.Tournament, stage: int) -> tuple[Seed, ...]:
    """The entrants of a stage in the order of their seeds; empty before its first draw."""
    return tuple(Seed(number, start) for number, start in loads(event.fields).get(str(stage), ()))


def keep_order(event: tables.Tournament, stage: int, order: Sequence[Seed]) -> None:
    """Write down who is in a stage, in the order of their seeds."""
    event.fields = dumps({**loads(event.fields), str(stage): [[one.number, one.start] for one in order]})


def boards_a_match(event: tables.Tournament) -> int:
    """E3.8 How many boards a match of two teams has; 0 where everybody plays for himself."""
    return rules_of(event).teams.boards


def results_of(session: Session, event: tables.Tournament, stage: int, before: int = 0) -> tuple[Result, ...]:
    """The results of what is paired in a stage, its rounds counted from 1; only of rounds `before` a number if told.

    Where teams play they are those of matches.
    """
    if boards_a_match(event):
        return tuple(_matches(session, event, stage, before))
    return board_results(session, event, stage, before)


def board_results(session: Session, event: tables.Tournament, stage: int, before: int = 0) -> tuple[Result, ...]:
    """The results of all boards of a stage, whoever sits there."""
    rows = queries.tournaments.scored(session, event.id, stage)
    return tuple(_result(round_, board) for round_, board in rows if not before or round_.number < before)


def _result(round_: tables.Round, board: tables.Board) -> Result:
    halves = (board.first_halves, board.second_halves)
    done = board.state in round_states.DECIDED or board.how != PENDING
    how = board.how if done else PENDING
    return Result(round_.within, board.board, board.first, board.second, halves, board.margin, how)


def _matches(session: Session, event: tables.Tournament, stage: int, before: int) -> Iterator[Result]:
    """E3.8 The results of matches from those of their boards; a team without opponent has a board of its own."""
    boards = boards_a_match(event)
    teams = {one.id: one.number for one in queries.tournaments.teams(session, event.id)}
    members = {
        row.number: teams[row.team_id]
        for row in queries.tournaments.entrants(session, event.id)
        if row.team_id is not None
    }
    rows = queries.tournaments.scored(session, event.id, stage)
    for round_, several in groupby(rows, key=lambda one: one[0]):
        if before and round_.number >= before:
            continue
        pairs = loads(round_.drawn)["pairs"]
        drawn = {pair["board"]: Pair(pair["board"], pair["first"], pair["second"]) for pair in pairs}
        played = [_result(round_, board) for _, board in several]
        for match, some in groupby(played, key=lambda one: match_and_board(one.board, boards)[0]):
            results = list(some)
            if results[0].first in members:
                yield result_of_match(drawn[match], round_.within, results, members)
            else:
                yield results[0]._replace(board=match, second=NOBODY)


def first_round_of(session: Session, event: tables.Tournament, stage: int) -> int:
    """The number of the first round of a stage that has one."""
    return min(one.number for one in queries.tournaments.rounds(session, event.id) if one.stage == stage)


def shown_name(row: tables.Entrant) -> str:
    """What others see of an entrant: ``Ana (e3)``, or his number alone."""
    return f"{row.name} (e{row.number})" if row.name else f"e{row.number}"


def shown_team(row: tables.Team) -> str:
    """What others see of a team: ``Lions (e2)``."""
    return f"{row.name} (e{row.number})"


def numbers_in(text: str) -> frozenset[int]:
    """The numbers of a column that holds some, parted by blanks."""
    return frozenset(int(one) for one in text.split())


def words_of(numbers: Collection[int]) -> str:
    """Numbers as a column holds them."""
    return " ".join(str(one) for one in sorted(numbers))


class Table(NamedTuple):
    """A game as the table of a board: its tournament, its row locked, the round and the board."""

    event: tables.Tournament
    round: tables.Round
    board: tables.Board


def table_of(work: Work, game: str) -> Table | None:
    """The board that a game is the table of; None for any other game, which costs no question.

    Whoever holds the game takes the tournament after it; whoever holds that leaves games that are taken alone.
    """
    if _TABLE.search(game) is None or (found := queries.tournaments.board_of(work.session, game)) is None:
        return None
    event = queries.tournaments.tournament(work.session, found[0].id)
    # What was read before the lock is what somebody else may just have changed.
    found = queries.tournaments.board_of(work.session, game)
    return None if event is None or found is None else Table(event, found[1], found[2])


def wake(work: Work, table: Table) -> None:
    """Have the tournament look at a table now."""
    if table.event.state == "playing":
        table.event.wake = work.now
    work.session.add(table.event)
    work.session.flush()


_ROUNDS = {
    "planned": msg("The list of round {number} shuts on {when}."),
    "shut": msg("The list of round {number} is shut; it is drawn at {when}."),
    "drawn": msg("Round {number} is drawn; its games begin at {when}."),
    "playing": msg("Round {number} is played; it ends at {when} at the latest."),
    "closed": msg("Round {number} is over."),
}


def next_moment(round_: tables.Round) -> datetime | None:
    """When something comes next of a round by itself; None if nothing does, or it is not known when."""
    named = {"planned": round_.opens, "shut": round_.draws, "drawn": round_.starts, "playing": round_.ends}
    return named.get(round_.state)


def round_told(round_: tables.Round, zone: str) -> Msg:
    """How a round stands, and when what comes next of it comes, in a zone."""
    at, number = next_moment(round_), round_.number
    said = _ROUNDS[round_.state].text
    return msg(said, number=number) if at is None else msg(said, number=number, when=when(at, zone))


def names_of(session: Session, event: tables.Tournament) -> dict[int, str]:
    """What is seen of entrants, and of teams, by number."""
    names = {row.number: shown_name(row) for row in queries.tournaments.entrants(session, event.id)}
    if boards_a_match(event):
        names |= {row.number: shown_team(row) for row in queries.tournaments.teams(session, event.id)}
    return names


def closing_of(rules: Rules) -> datetime | None:
    """When the list of entrants shuts by itself, in UTC; a date alone is its end, in the zone of the tournament."""
    if not rules.entry.closes:
        return None
    read = datetime.fromisoformat(rules.entry.closes)
    if len(rules.entry.closes) == len("2030-02-01"):
        read += timedelta(days=1)
    return read.replace(tzinfo=ZoneInfo(rules.zone)).astimezone(ZoneInfo("UTC"))


def can_be_taken_over(rules: Rules, stage: Stage) -> bool:
    """E6 Whether somebody can take over a seat in a stage: not where the places of a circle or bracket are filled once
    and for all, nor where both sides are played at once; of a team's seats a reserve of it always can."""
    return bool(rules.teams.boards) or (stage.format in LATE_FORMATS and stage.sides != "mirror")


def offers_seat(rules: Rules, stage: Stage, *, never: bool) -> bool:
    """E6 Whether the seat of who leaves a stage or falls silent in it, or of who `never` came, is offered to those who
    wait, or to the reserves of his team."""
    if rules.teams.boards:
        return True
    wanted = "substitute" in rules.left.no_show if never else rules.left.substitute == "waiting"
    return wanted and can_be_taken_over(rules, stage)


def gives_bye(event: tables.Tournament, stage: Stage) -> bool:
    """E6 Whether the game of who never came counts nothing, with a bye for the other: else it is lost.

    A bye is of a whole board: of one of its two tables there is none from version 2 on.
    """
    first = next((one for one in rules_of(event).left.no_show if one in ("bye", "forfeit")), "forfeit")
    return first == "bye" and (event.version == 1 or stage.sides != "mirror")
