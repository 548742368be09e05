"""How all stand, from rows; `sheets` has the words for letters.

field(work, event, stage)      entrants, results and what they brought, as the arithmetic takes them
standing(work, event, stage)   the table of the stage that is played, or of another
as_json(table)                 what the leaf ``standing`` opens
pair_of(round_, board)         a board as it was drawn, with its reasons
why(work, event, 3)            why e3 has his rank
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.audit import vrf
from pbem.engine.data.canon import Json, loads
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, lots, record
from pbem.tournaments.arithmetic.entrants import Entrant, Lots
from pbem.tournaments.arithmetic.pairing.drawn import Cost, Field, Pair, Reason
from pbem.tournaments.arithmetic.rules.records import manner_of
from pbem.tournaments.arithmetic.stages import stage_table
from pbem.tournaments.arithmetic.standings import Table, Why, why_rank

TIES = "ties"
"""What lots are needed for that part those level: the stem is this and the round, ``ties/r2``."""


class SeenTable(NamedTuple):
    """A table with what its entrants are called."""

    table: Table
    names: Mapping[int, str]


def lots_now(work: Work, event: tables.Tournament, stage: int) -> Lots:
    """The lots that part those level in a stage; all alike before the first.

    They are those that were drawn when its last round was over; before version 2 those of its newest draw.
    """
    if event.version > 1:
        rounds = {
            f"{TIES}/{one.name}" for one in queries.tournaments.rounds(work.session, event.id) if one.stage == stage
        }
        later = [lot for lot in queries.tournaments.lots(work.session, event.id) if lot.stem in rounds and lot.proof]
        return lots.lots_from(later[-1]) if later else lots.no_lots
    drawn = [one for one in queries.tournaments.rounds(work.session, event.id) if one.stage == stage and one.lots]
    return lots.lots_of(vrf.output_of(bytes.fromhex(drawn[-1].lots))) if drawn else lots.no_lots


def ties_are_parted(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    """E7.6 Whether the table after a round needs no lots that are still to be drawn; they are asked for if it does.

    Lots that were asked for before the last score are not those of this table.
    """
    if event.version == 1:
        return True
    order, stem = record.rules_of(event).ties.order, f"{TIES}/{round_.name}"
    table = stage_table(field(work, event, round_.stage), order, lots.no_lots)
    if any("lot" in row.values for row in table.rows):
        scored = queries.log.last_of(work.session, leaves.chain_of(event), "score")
        since = scored.seq if scored is not None else -1
        lot = lots.ready(work, event, stem, is_stale=lambda lot: lot.seq < since)
        if lot is None:
            return False
        lots.show(work, event, lot)
    for before in lots.awaited(work, event, TIES, round_.name):
        lots.drop(work, before)
    return True


def field(work: Work, event: tables.Tournament, stage: int = 0) -> Field:
    """The entrants of a stage in the order of their seeds with all its results: of that which is played, or another.

    Before the first draw all who are in stand in the order of their numbers.
    """
    stage = stage or event.stage or 1
    rows = contenders.contenders(work, event)
    order = record.order_of(event, stage)
    listed = [one.number for one in order] or [number for number, one in rows.items() if not one.out]
    entrants = tuple(Entrant(number, rows[number].strength) for number in listed)
    results = record.results_of(work.session, event, stage)
    last = max((one.round for one in results), default=0)
    start = {one.number: one.start for one in order}
    return Field(last + 1, entrants, results, start=start, manner=manner_of(record.stage_of(event, stage)))


def standing(work: Work, event: tables.Tournament, stage: int = 0) -> Table:
    """How the entrants of a stage stand, by what is scored: of that which is played unless another is told."""
    stage = stage or event.stage or 1
    order = record.rules_of(event).ties.order
    return stage_table(field(work, event, stage), order, lots_now(work, event, stage))


def seen(work: Work, event: tables.Tournament, stage: int = 0) -> SeenTable:
    """The same with what the entrants are called."""
    return SeenTable(standing(work, event, stage), record.names_of(work.session, event))


def as_json(table: Table) -> Json:
    """A table as data: rank, entrant, halves, and the values of the criteria that were asked."""
    return [
        {"rank": row.rank, "entrant": f"e{row.number}", "halves": row.tally.halves, "values": dict(row.values)}
        for row in table.rows
    ]


def pair_of(round_: tables.Round, board: int) -> Pair | None:
    """A board as it was drawn, with its reasons; None for who passes the round of his own will."""
    found = _pairs_of(round_.drawn).get(board)
    if found is None:
        return None
    why_ = tuple(Reason(one["rule"], one["what"], one["values"]) for one in found["why"])
    return Pair(found["board"], found["first"], found["second"], Cost(*found["cost"]), why_)


@lru_cache(maxsize=8)
def _pairs_of(drawn: str) -> Mapping[int, Any]:
    """The pairs of a round by their boards, as it keeps them: each letter of a large round asks for one."""
    return {pair["board"]: pair for pair in loads(drawn)["pairs"]} if drawn else {}


def why(work: Work, event: tables.Tournament, number: int, stage: int = 0) -> Why:
    """E7 Why an entrant has his rank; KeyError if he is not in the table."""
    return why_rank(standing(work, event, stage), number)
