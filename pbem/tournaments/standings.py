"""Compute standings from rows; `sheets` words them for letters.

stage_input(tx, event, stage) entrants, results and start points, as the arithmetic takes them current_table(tx,
event, stage) the table of the present stage, or of another as_json(table) the JSON that the leaf ``standing`` opens
pair_of(round_, board) a board as it was drawn, with its reasons rank_reasons(tx, event, 3) the reasons of e3's rank
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.audit import vrf
from pbem.engine.data.canon import Json, loads
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, lots, record
from pbem.tournaments.arithmetic.awards import awards_by_entrant, is_award
from pbem.tournaments.arithmetic.entrants import PENDING, Entrant, Lots
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingReason, Penalty, RoundInput
from pbem.tournaments.arithmetic.pairing.knockout import (
    BracketLevel,
    UndecidedRound,
    levels_after,
    newest_played_level,
)
from pbem.tournaments.arithmetic.rules.records import manner_of
from pbem.tournaments.arithmetic.stages import stage_table
from pbem.tournaments.arithmetic.standings import RankReasons, StandingsTable, explain_rank

TIES = "ties"
"""First part of the stem of tie-break lots; the round follows, ``ties/r2``."""


class NamedTable(NamedTuple):
    """A table with the names of its entrants."""

    table: StandingsTable
    names: Mapping[int, str]


def current_lots(tx: Transaction, event: tables.Tournament, stage: int) -> Lots:
    """Return the lots that break ties in a stage; before the first draw all are 0.

    They were drawn when the stage's last round was over; before version 2 they are the lots of its newest draw.
    """
    if event.version > 1:
        rounds = {
            f"{TIES}/{row.name}" for row in queries.tournaments.rounds(tx.session, event.id) if row.stage == stage
        }
        drawn_lots = [lot for lot in queries.tournaments.lots(tx.session, event.id) if lot.stem in rounds and lot.proof]
        return lots.lots_by_label(drawn_lots[-1]) if drawn_lots else lots.zero_lots
    drawn_rounds = [row for row in queries.tournaments.rounds(tx.session, event.id) if row.stage == stage and row.lots]
    return (
        lots.lots_from_secret(vrf.output_of(bytes.fromhex(drawn_rounds[-1].lots))) if drawn_rounds else lots.zero_lots
    )


def are_ties_broken(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    """E7.6 Return whether all ties of a round's table are broken; request lots.

    Lots requested before the last score are for an earlier table, so that new ones are requested.
    """
    if event.version == 1:
        return True
    order, stem = record.rules_of(event).ties.order, f"{TIES}/{round_.name}"
    table = stage_table(stage_input(tx, event, round_.stage), order, lots.zero_lots)
    if any("lot" in row.values for row in table.rows):
        last_score = queries.log.last_leaf_of_kind(tx.session, leaves.log_name_of(event), "score")
        since = last_score.seq if last_score is not None else -1
        lot = lots.request_or_read_lot(tx, event, stem, is_stale=lambda lot: lot.seq < since)
        if lot is None:
            return False
        lots.publish_proof(tx, event, lot)
    for old_lot in lots.pending_lots(tx, event, TIES, round_.name):
        lots.retire_lot(tx, old_lot)
    return True


def stage_input(tx: Transaction, event: tables.Tournament, stage: int = 0) -> RoundInput:
    """Return the entrants of a stage by seed with all its results.

    By default the present stage. Before the first draw all active entrants are in the order of their numbers.
    """
    stage = stage or event.stage or 1
    rows = contenders.participants(tx, event)
    order = record.stage_seeds(event, stage)
    numbers = [seed.number for seed in order] or [number for number, participant in rows.items() if not participant.out]
    entrants = tuple(Entrant(number, rows[number].strength) for number in numbers)
    results = record.results_of(tx.session, event, stage)
    last = max((result.round for result in results), default=0)
    start = {seed.number: seed.start for seed in order}
    for number, halves in awards_in_stage(tx, event, stage).items():
        start[number] = start.get(number, 0) + halves
    return RoundInput(last + 1, entrants, results, start=start, manner=manner_of(record.stage_of(event, stage)))


def present_level(tx: Transaction, event: tables.Tournament, stage: int, within: int = 0) -> BracketLevel | None:
    """E3.17 Return the level of the bracket after a round, by default the last one.

    None where ties are single games.
    """
    round_input = stage_input(tx, event, stage)
    if round_input.manner.best + round_input.manner.replays < 2:
        return None
    pending = [result.round for result in round_input.results if result.how == PENDING]
    until = min([within or round_input.round, *(number - 1 for number in pending)])
    results = tuple(result for result in round_input.results if result.round <= until)
    return newest_played_level(round_input._replace(results=results))


def knockout_levels(tx: Transaction, event: tables.Tournament, stage: int, within: int) -> list[BracketLevel]:
    """E3.3 Return the levels of a knockout after some rounds.

    Empty in other formats, and if a table of these rounds is pending.
    """
    if record.stage_of(event, stage).format != "knockout":
        return []
    round_input = stage_input(tx, event, stage)
    results = tuple(result for result in round_input.results if result.round <= within)
    try:
        return levels_after(round_input._replace(results=results), within)
    except UndecidedRound:
        return []


def awards_in_stage(tx: Transaction, event: tables.Tournament, stage: int) -> dict[int, int]:
    """E7.12 Return the half points that the director gave or took in a stage.

    The result maps entrants to half points.
    """
    rows = queries.tournaments.docket(tx.session, event.id)
    lines = ((row.number, row.line) for row in rows if not is_award(row.line) or row.before == str(stage))
    return awards_by_entrant(lines)


def current_table(tx: Transaction, event: tables.Tournament, stage: int = 0) -> StandingsTable:
    """Return the table of a stage by the present scores, by default the present one."""
    stage = stage or event.stage or 1
    order = record.rules_of(event).ties.order
    return stage_table(stage_input(tx, event, stage), order, current_lots(tx, event, stage))


def named_table(tx: Transaction, event: tables.Tournament, stage: int = 0) -> NamedTable:
    """Return a stage's table with the entrants' names; default: the present stage."""
    return NamedTable(current_table(tx, event, stage), record.names_by_number(tx.session, event))


def standings_to_json(table: StandingsTable) -> Json:
    """Return a table as data: rank, entrant, half points and tie-break values."""
    return [
        {"rank": row.rank, "entrant": f"e{row.number}", "halves": row.tally.halves, "values": dict(row.values)}
        for row in table.rows
    ]


def drawn_pair(round_: tables.Round, board: int) -> Pair | None:
    """Return a board as drawn, with its reasons; None for a voluntary rest."""
    pair_data = _pairs_of(round_.drawn).get(board)
    if pair_data is None:
        return None
    reasons = tuple(PairingReason(reason["rule"], reason["what"], reason["values"]) for reason in pair_data["why"])
    return Pair(pair_data["board"], pair_data["first"], pair_data["second"], Penalty(*pair_data["cost"]), reasons)


# The pairs of the last rounds, which one letter asks for several times.
@lru_cache(maxsize=8)
def _pairs_of(drawn: str) -> Mapping[int, Any]:
    """Return the pairs of a round by board, cached.

    The letters of a large round read them once for each entrant; eight rounds are kept, more than are mailed at
    once.
    """
    return {pair["board"]: pair for pair in loads(drawn)["pairs"]} if drawn else {}


def rank_reasons(tx: Transaction, event: tables.Tournament, number: int, stage: int = 0) -> RankReasons:
    """E7 Return the reasons of an entrant's rank.

    Raise KeyError if he is not in the table.
    """
    return explain_rank(current_table(tx, event, stage), number)
