"""Append the leaves of a tournament to its own log, ``event/cup60``.

Each is written in the transaction of its event. The caller holds the lock of the tournament, so that
nobody else writes to its log at the same time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pbem.audit import sealing
from pbem.audit.merkle import leaf_hash
from pbem.audit.tournament_leaves import CHAIN_PREFIX
from pbem.engine.data.canon import dumps
from pbem.log import sequencer
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, tables
from pbem.tournaments import contenders, record


def log_name_of(event: tables.Tournament) -> str:
    """Return the name of a tournament's own log."""
    return f"{CHAIN_PREFIX}{event.id}"


def sha256_of(text: str) -> str:
    """Return the digest of a text in leaves: ``sha256:`` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def record_leaf(
    tx: Transaction, event: tables.Tournament, kind: str, says: tuple[tuple[str, str], ...], opens: str = ""
) -> sequencer.Noted:
    """Append the next leaf of a tournament's log; `opens` is the text it digests."""
    return sequencer.append(tx, sequencer.Note(kind, says, log_name_of(event), opens))


def record_founding(tx: Transaction, event: tables.Tournament) -> None:
    """Record the founding; the leaf holds the digest of the rules' canonical JSON."""
    says = (("rules", event.digest), ("name", event.id))
    extra = (("version", str(event.version)),)
    record_leaf(tx, event, "found", (*says, *extra) if event.version > 1 else says, event.rules)


def record_entry(tx: Transaction, event: tables.Tournament, row: tables.Entrant, email: str) -> None:
    """Record an entry: the sealed address, and the first possible round.

    From version 2 on, the leaf has all values that lists of draws have of an entrant.
    """
    person = sealing.blind_in_phase(
        tx.server.keys.secrets.secret, game=log_name_of(event), phase=f"e{row.number}", text=email
    )
    says = (
        ("entrant", f"e{row.number}"),
        ("person", person),
        ("accepted", row.accepted),
        ("strength", str(row.strength)),
        ("round", str(row.since)),
    )
    extra = (
        ("pace", str(row.pace)),
        ("zone", str(contenders.minutes_east(row, event.created))),
        ("halves", str(row.start)),
    )
    record_leaf(tx, event, "enter", (*says, *extra) if event.version > 1 else says)


def record_team(tx: Transaction, event: tables.Tournament, team: tables.Team) -> None:
    """Record a team's first round and the points it starts with, in halves.

    Tournaments of version 1 have no such points.
    """
    says = (("entrant", f"e{team.number}"), ("round", str(team.since)))
    record_leaf(tx, event, "team", (*says, ("halves", str(team.start))) if event.version > 1 else says)


def record_line_up(tx: Transaction, event: tables.Tournament, stored: tables.Lineup, team: int) -> None:
    """Record a captain's line-up from a round on; nothing before version 2."""
    if event.version > 1:
        members = " ".join(f"e{number}" for number in stored.boards.split()) or "-"
        record_leaf(tx, event, "lineup", (("team", f"e{team}"), ("round", str(stored.number)), ("boards", members)))


def record_member(tx: Transaction, event: tables.Tournament, number: int, team: int) -> None:
    """Record that an entrant plays for a team."""
    record_leaf(tx, event, "member", (("entrant", f"e{number}"), ("team", f"e{team}")))


def record_departure(tx: Transaction, event: tables.Tournament, number: int, round_: int, reason: str) -> None:
    """Record that an entrant leaves, rests or returns from a round on.

    The reason is ``withdrew``, ``rest``, ``return``, ``expelled``, ``silent`` or ``replaced``.
    """
    record_leaf(tx, event, "leave", (("entrant", f"e{number}"), ("round", str(round_)), ("why", reason)))


def record_pair(
    tx: Transaction,
    event: tables.Tournament,
    round_: tables.Round,
    pair: tuple[int, int, int],
    names: Sequence[str],
    battle: str = "",
) -> None:
    """Record board, first and second player, and their tables.

    A bye or rest has no tables. After replacements the last leaf of a board counts. It names the battle where the
    rules say how each is found [E2.3]: `battle`, or that of the round.
    """
    board, first, second = pair
    says = (
        ("round", round_.name),
        ("attempt", str(round_.attempt)),
        ("board", str(board)),
        ("first", f"e{first}"),
        ("second", f"e{second}" if second else "-"),
        ("table", " ".join(sorted(names)) or "-"),
    )
    if names and record.stage_of(event, round_.stage).battle:
        battle = battle or record.battle_of(event, round_)
    record_leaf(tx, event, "pair", (*says, ("battle", battle)) if battle else says)


def record_score(tx: Transaction, event: tables.Tournament, round_: tables.Round, board: tables.Board) -> None:
    """Record the score of a board, with the last leaf of its table's own log."""
    last = hot_statements.last_leaf(tx.session, board.game_id) if board.game_id else None
    says = (
        ("round", round_.name),
        ("board", str(board.board)),
        ("table", board.game_id or "-"),
        ("halves", f"{board.first_halves} {board.second_halves}"),
        ("margin", str(board.margin)),
        ("how", board.how),
        ("leaf", leaf_hash(last.body).hex() if last is not None else "-"),
    )
    record_leaf(tx, event, "score", says)


def record_standing(tx: Transaction, event: tables.Tournament, round_: tables.Round, table: object) -> None:
    """Record a round's table; the leaf holds the digest of its canonical JSON."""
    text = dumps(table)
    record_leaf(tx, event, "standing", (("round", round_.name), ("table", sha256_of(text))), text)
