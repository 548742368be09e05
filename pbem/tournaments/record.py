"""Convert the rows of a tournament for its arithmetic: rules, stages, results.

A bye or rest is stored as a board whose `second` is 0, so that all results are rows of boards.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlmodel import Session

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import date_in_words, moment_in_words
from pbem.runtime.stopped_time import Spans, add_time, join_spans, read_spans
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import round_states
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.arithmetic.entrants import NOBODY, PENDING, TableResult
from pbem.tournaments.arithmetic.pairing.drawn import Pair
from pbem.tournaments.arithmetic.rules.reading import rules_from_json
from pbem.tournaments.arithmetic.rules.records import (
    LATE_FORMATS,
    StageRules,
    TournamentRules,
    battle_word,
    scenario_of,
    scenarios_of,
)
from pbem.tournaments.arithmetic.stages import match_and_board, result_of_match

# Rounds are below 100; 4,096 entrants, the most there can be, have 2,048 boards.
_TABLE = re.compile(r"-r\d{1,2}[a-z]?-\d{2,4}[ab]?$")
"""The end of a table's name: round, attempt, board and, on mirrored boards, a letter."""

BRACKETS = ("knockout", "double")
"""Formats of a stage in which who loses goes out."""
OUT = ("withdrawn", "expelled", "left")
"""The states of entrants who do not play any more."""
OFFICE = ("director", "deputy")
"""The roles of appointees, who rule beside the director now or later."""


class StageSeed(NamedTuple):
    """An entrant of a stage: number and start half points."""

    number: int
    start: int


# The rules of the tournaments under way: they never change, and every letter needs them.
@lru_cache(maxsize=64)
def _read(text: str) -> TournamentRules:
    return rules_from_json(loads(text))


def rules_of(event: tables.Tournament) -> TournamentRules:
    """Return the rules of a tournament."""
    return _read(event.rules)


def stage_of(event: tables.Tournament, stage: int = 0) -> StageRules:
    """Return a stage by its number from 1, or the present one."""
    return rules_of(event).stage[(stage or event.stage or 1) - 1]


def tournament_by_name(session: Session, name: str) -> tables.Tournament:
    """Return the locked row of a tournament; raise UserError if unknown."""
    row = queries.tournaments.tournament(session, name)
    if row is None:
        names = tuple(known_row.id for known_row in queries.tournaments.all_tournaments(session))
        raise UserError(msg("There is no tournament {event}; there are: {events}.", event=name, events=names or ("-",)))
    return row


def stage_seeds(event: tables.Tournament, stage: int) -> tuple[StageSeed, ...]:
    """Return the entrants of a stage by seed; empty before its first draw."""
    return tuple(StageSeed(number, start) for number, start in loads(event.fields).get(str(stage), ()))


def store_stage_seeds(event: tables.Tournament, stage: int, order: Sequence[StageSeed]) -> None:
    """Store the entrants of a stage by seed."""
    event.fields = dumps({**loads(event.fields), str(stage): [[seed.number, seed.start] for seed in order]})


_EDITIONS = "editions"
"""Where `fields` has editions, beside the stages by number; only if stages name battles."""


def editions_of(event: tables.Tournament) -> dict[str, str]:
    """Return the digests of the editions of the founding, by scenario."""
    editions = loads(event.fields).get(_EDITIONS, {})
    return {rules_of(event).table.scenario: event.edition, **editions}


def store_editions(event: tables.Tournament, editions: Mapping[str, str]) -> None:
    """Store the digests of the editions of several scenarios, by scenario."""
    if len(editions) > 1:
        event.fields = dumps({**loads(event.fields), _EDITIONS: dict(editions)})


def battle_of(event: tables.Tournament, round_: tables.Round) -> str:
    """E2.3 Return the scenario of a drawn round; empty if each table has its own."""
    if battle_word(stage_of(event, round_.stage), round_.within) != "turn":
        return str(loads(round_.drawn).get("battle", ""))
    return scenario_of(rules_of(event), round_.stage, round_.within)


_RULES_OF_BATTLES = {"turn": "E2.2", "lot": "E2.3"}


def battle_lines(event: tables.Tournament, round_: tables.Round) -> tuple[Msg, ...]:
    """E2.3 Return of which battle a drawn round is.

    Empty where there is only one, or each table has its own.
    """
    if len(scenarios_of(rules_of(event))) < 2 or not round_.drawn or not battle_of(event, round_):
        return ()
    rule = _RULES_OF_BATTLES[battle_word(stage_of(event, round_.stage), round_.within)]
    return (msg("This round is of {scenario} [{rule}].", scenario=battle_of(event, round_), rule=rule),)


def boards_per_match(event: tables.Tournament) -> int:
    """E3.8 Return the boards of a team match; 0 in individual tournaments."""
    return rules_of(event).teams.boards


def results_of(session: Session, event: tables.Tournament, stage: int, before: int = 0) -> tuple[TableResult, ...]:
    """Return the results of a stage; in team tournaments those of matches.

    Rounds count from 1 in the stage. With `before`, only rounds of lower numbers.
    """
    if boards_per_match(event):
        return tuple(_matches(session, event, stage, before))
    return board_results(session, event, stage, before)


def board_results(session: Session, event: tables.Tournament, stage: int, before: int = 0) -> tuple[TableResult, ...]:
    """Return the results of all boards of a stage, in team tournaments too."""
    rows = queries.tournaments.boards_of_stage(session, event.id, stage)
    return tuple(_result(round_, board) for round_, board in rows if not before or round_.number < before)


def _result(round_: tables.Round, board: tables.Board) -> TableResult:
    halves = (board.first_halves, board.second_halves)
    is_decided = board.state in round_states.DECIDED or board.how != PENDING
    how = board.how if is_decided else PENDING
    return TableResult(round_.within, board.board, board.first, board.second, halves, board.margin, how)


def _matches(session: Session, event: tables.Tournament, stage: int, before: int) -> Iterator[TableResult]:
    """E3.8 Yield the results of matches from those of their boards.

    A team without an opponent has a board of its own.
    """
    boards = boards_per_match(event)
    teams = {team.id: team.number for team in queries.tournaments.teams(session, event.id)}
    members = {
        row.number: teams[row.team_id]
        for row in queries.tournaments.entrants(session, event.id)
        if row.team_id is not None
    }
    rows = queries.tournaments.boards_of_stage(session, event.id, stage)
    for round_, several in groupby(rows, key=lambda row_pair: row_pair[0]):
        if before and round_.number >= before:
            continue
        pairs = loads(round_.drawn)["pairs"]
        pairs_by_board = {pair["board"]: Pair(pair["board"], pair["first"], pair["second"]) for pair in pairs}
        board_scores = [_result(round_, board) for _, board in several]
        for match, match_boards in groupby(board_scores, key=lambda result: match_and_board(result.board, boards)[0]):
            results = list(match_boards)
            if results[0].first in members:
                yield result_of_match(pairs_by_board[match], round_.within, results, members)
            else:
                yield results[0]._replace(board=match, second=NOBODY)


def public_entrant_name(row: tables.Entrant) -> str:
    """Return an entrant's public name: ``Ana (e3)``, or his number alone."""
    return f"{row.name} (e{row.number})" if row.name else f"e{row.number}"


def public_team_name(row: tables.Team) -> str:
    """Return a team's public name: ``Lions (e2)``."""
    return f"{row.name} (e{row.number})"


def numbers_from_column(text: str) -> frozenset[int]:
    """Return the numbers that a column of text holds, separated by blanks."""
    return frozenset(int(word) for word in text.split())


def numbers_to_column(numbers: Collection[int]) -> str:
    """Return numbers as a column of text holds them, separated by blanks."""
    return " ".join(str(number) for number in sorted(numbers))


class TournamentTable(NamedTuple):
    """A game as the table of a board: tournament (locked), round and board."""

    event: tables.Tournament
    round: tables.Round
    board: tables.Board


def is_table_name(game: str) -> bool:
    """Return whether a game's name ends as those of tables do."""
    return _TABLE.search(game) is not None


def tournament_table_of(tx: Transaction, game: str) -> TournamentTable | None:
    """Return the board of a game, or None for other games, without a query.

    A caller that locks the game locks the tournament after it; a caller that has locked the tournament skips
    locked games.
    """
    if not is_table_name(game) or (board_row := queries.tournaments.board_of(tx.session, game)) is None:
        return None
    event = queries.tournaments.tournament(tx.session, board_row[0].id)
    # Read again: another worker may have changed the row before the lock.
    board_row = queries.tournaments.board_of(tx.session, game)
    return None if event is None or board_row is None else TournamentTable(event, board_row[1], board_row[2])


def wake_tournament(tx: Transaction, table: TournamentTable) -> None:
    """Have the tournament check a table now."""
    if table.event.state == "playing":
        table.event.wake = tx.now
    tx.session.add(table.event)
    tx.session.flush()


_ROUNDS = {
    "planned": msg("The list of round {number} shuts on {when}."),
    "shut": msg("The list of round {number} is shut; the draw is on {when}."),
    "drawn": msg("Round {number} is drawn; its games begin at {when}."),
    "playing": msg("Round {number} is under way; it ends on {when} at the latest."),
    "closed": msg("Round {number} is over."),
}


def next_round_time(round_: tables.Round) -> datetime | None:
    """Return the time of a round's next automatic step, or None."""
    times = {"planned": round_.opens, "shut": round_.draws, "drawn": round_.starts, "playing": round_.ends}
    return times.get(round_.state)


def round_text(round_: tables.Round, zone: str) -> Msg:
    """Return the state of a round in words, with its next time in a zone."""
    moment, number = next_round_time(round_), round_.number
    template = _ROUNDS[round_.state].text
    return (
        msg(template, number=number)
        if moment is None
        else msg(template, number=number, when=moment_in_words(moment, zone))
    )


def names_by_number(session: Session, event: tables.Tournament) -> dict[int, str]:
    """Return the public names of entrants and teams by number."""
    names = {row.number: public_entrant_name(row) for row in queries.tournaments.entrants(session, event.id)}
    if boards_per_match(event):
        names |= {row.number: public_team_name(row) for row in queries.tournaments.teams(session, event.id)}
    return names


def is_director(tx: Transaction, event: tables.Tournament, person: int | None) -> bool:
    """Return whether a person directs a tournament.

    The director, a co-director and the deputy do.
    """
    rows = queries.tournaments.appointments(tx.session, event.id, *OFFICE)
    return person in (event.director_id, *(row.person_id for row in rows))


def closing_time(event: tables.Tournament) -> datetime | None:
    """Return when the list of entrants closes by itself, in UTC, or None.

    A ruling may have moved it.
    """
    return event.closes or closing_by_rules(rules_of(event))


def closing_by_rules(rules: TournamentRules) -> datetime | None:
    """Return when the list of entrants closes by the rules, in UTC, or None.

    A date without an hour means the end of that day, in the zone of the tournament.
    """
    if not rules.entry.closes:
        return None
    local = datetime.fromisoformat(rules.entry.closes)
    if len(rules.entry.closes) == len("2030-02-01"):
        local += timedelta(days=1)
    return local.replace(tzinfo=ZoneInfo(rules.zone)).astimezone(ZoneInfo("UTC"))


def holidays_of(rules: TournamentRules) -> Spans:
    """Return the holidays of rules, whole days in the zone of the tournament."""
    zone = ZoneInfo(rules.zone)

    def midnight(day: str, days_later: int = 0) -> datetime:
        return (datetime.fromisoformat(day) + timedelta(days=days_later)).replace(tzinfo=zone).astimezone(UTC)

    return join_spans(*((midnight(holiday.first), midnight(holiday.last, 1)) for holiday in rules.holidays))


def holiday_lines(rules: TournamentRules) -> list[Msg]:
    """Return the sentences on a tournament's holidays, which lengthen its rounds."""
    return [
        msg(
            "Holidays from {first} to {last}: no deadline runs, and a round is as much longer.",
            first=date_in_words(date.fromisoformat(holiday.first)),
            last=date_in_words(date.fromisoformat(holiday.last)),
        )
        for holiday in rules.holidays
    ]


def later_on_tournament_clock(event: tables.Tournament, moment: datetime, hours: int) -> datetime:
    """Return the moment after so many hours in which a tournament's clocks run."""
    return add_time(moment, timedelta(hours=hours), read_spans(event.stopped))


def next_closing(event: tables.Tournament, last: tables.Round, now: datetime) -> datetime:
    """Return when the list of the round after `last` closes."""
    return later_on_tournament_clock(event, last.closed or now, rules_of(event).round.gap_hours)


def can_be_taken_over(rules: TournamentRules, stage: StageRules) -> bool:
    """E6 Return whether a seat of a stage can be taken over.

    It cannot where places in a circle or bracket are fixed, nor where an entrant plays both sides at once. In team
    tournaments a reserve of the team always can.
    """
    return bool(rules.teams.boards) or (stage.format in LATE_FORMATS and stage.sides != "mirror")


def rules_offer_seat(rules: TournamentRules, stage: StageRules, *, never: bool) -> bool:
    """E6 Return whether the seat of a no-show is offered to others.

    The seat goes to the waiting list, or to the reserves of the team; `never` is whether the player never came.
    Whom the director has not admitted is offered none.
    """
    if rules.teams.boards:
        return True
    if needs_approval(rules):
        return False
    is_offered = "substitute" in rules.left.no_show if never else rules.left.substitute == "waiting"
    return is_offered and can_be_taken_over(rules, stage)


def can_offer_seat(session: Session, event: tables.Tournament, stage: StageRules, *, never: bool) -> bool:
    """Return whether a no-show's seat could be offered to a present entrant."""
    rules = rules_of(event)
    return rules_offer_seat(rules, stage, never=never) and (
        bool(rules.teams.boards)
        or any(row.state == "waiting" for row in queries.tournaments.entrants(session, event.id))
    )


def gives_bye(event: tables.Tournament, stage: StageRules) -> bool:
    """E6 Return whether an absent player's game counts as a bye for the other.

    Otherwise it counts as a forfeit. From version 2 on, a single table of a mirrored board gives no bye.
    """
    first = next((measure for measure in rules_of(event).left.no_show if measure in ("bye", "forfeit")), "forfeit")
    return first == "bye" and (event.version == 1 or stage.sides != "mirror")
