"""The leaves of a tournament's own chain in the log, ``event/cup60``: written in the transaction of what they tell.

The caller holds the tournament, so that nobody else writes to its chain at the same time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pbem.audit import sealing
from pbem.audit.merkle import leaf_hash
from pbem.audit.tournament_leaves import CHAIN
from pbem.engine.data.canon import dumps
from pbem.log import sequencer
from pbem.runtime.transaction import Work
from pbem.store import hot_statements, tables
from pbem.tournaments import contenders


def chain_of(event: tables.Tournament) -> str:
    """What the log calls the chain of a tournament."""
    return f"{CHAIN}{event.id}"


def sha256_of(text: str) -> str:
    """The digest of a text as leaves have it: ``sha256:`` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def note(
    work: Work, event: tables.Tournament, kind: str, says: tuple[tuple[str, str], ...], opens: str = ""
) -> sequencer.Noted:
    """Write the next leaf of a tournament's chain."""
    return sequencer.append(work, sequencer.Note(kind, says, chain_of(event), opens))


def note_found(work: Work, event: tables.Tournament) -> None:
    """It is founded, by rules whose canonical JSON the leaf opens."""
    says = (("rules", event.digest), ("name", event.id))
    stated = (("version", str(event.version)),)
    note(work, event, "found", (*says, *stated) if event.version > 1 else says, event.rules)


def note_entered(work: Work, event: tables.Tournament, row: tables.Entrant, email: str) -> None:
    """Somebody entered: his address is sealed, and the round is the first that he may play.

    From version 2 on the leaf says all that the lists of draws have of him.
    """
    person = sealing.blinded_by(
        work.server.keys.secrets.secret, game=chain_of(event), phase=f"e{row.number}", text=email
    )
    says = (
        ("entrant", f"e{row.number}"),
        ("person", person),
        ("accepted", row.accepted),
        ("strength", str(row.strength)),
        ("round", str(row.since)),
    )
    stated = (
        ("pace", str(row.pace)),
        ("zone", str(contenders.minutes_east(row, event.created))),
        ("halves", str(row.start)),
    )
    note(work, event, "enter", (*says, *stated) if event.version > 1 else says)


def note_team(work: Work, event: tables.Tournament, team: tables.Team) -> None:
    """A team may be paired from a round on; from version 2 on with the halves that it begins with."""
    says = (("entrant", f"e{team.number}"), ("round", str(team.since)))
    note(work, event, "team", (*says, ("halves", str(team.start))) if event.version > 1 else says)


def note_line_up(work: Work, event: tables.Tournament, kept: tables.Lineup, team: int) -> None:
    """A captain has said who sits at the boards from a round on; nothing before version 2."""
    if event.version > 1:
        sits = " ".join(f"e{number}" for number in kept.boards.split()) or "-"
        note(work, event, "lineup", (("team", f"e{team}"), ("round", str(kept.number)), ("boards", sits)))


def note_member(work: Work, event: tables.Tournament, number: int, team: int) -> None:
    """Somebody who entered plays for a team."""
    note(work, event, "member", (("entrant", f"e{number}"), ("team", f"e{team}")))


def note_left(work: Work, event: tables.Tournament, number: int, round_: int, why: str) -> None:
    """Somebody left, rests or comes back from a round on: ``withdrew``, ``rest``, ``return``, ``expelled``,
    ``silent``, ``replaced``."""
    note(work, event, "leave", (("entrant", f"e{number}"), ("round", str(round_)), ("why", why)))


def note_pair(
    work: Work, event: tables.Tournament, round_: tables.Round, pair: tuple[int, int, int], named: Sequence[str]
) -> None:
    """Board, first and second, and the tables that they play at, none for who passes the round; a later leaf of a board
    holds: somebody has taken another's place."""
    board, first, second = pair
    says = (
        ("round", round_.name),
        ("attempt", str(round_.attempt)),
        ("board", str(board)),
        ("first", f"e{first}"),
        ("second", f"e{second}" if second else "-"),
        ("table", " ".join(sorted(named)) or "-"),
    )
    note(work, event, "pair", says)


def note_score(work: Work, event: tables.Tournament, round_: tables.Round, board: tables.Board) -> None:
    """What a board counts, with the last leaf of its table's own chain."""
    last = hot_statements.last_leaf(work.session, board.game_id) if board.game_id else None
    says = (
        ("round", round_.name),
        ("board", str(board.board)),
        ("table", board.game_id or "-"),
        ("halves", f"{board.first_halves} {board.second_halves}"),
        ("margin", str(board.margin)),
        ("how", board.how),
        ("leaf", leaf_hash(last.body).hex() if last is not None else "-"),
    )
    note(work, event, "score", says)


def note_standing(work: Work, event: tables.Tournament, round_: tables.Round, table: object) -> None:
    """How all stand after a round; the leaf opens the canonical JSON of the table."""
    text = dumps(table)
    note(work, event, "standing", (("round", round_.name), ("table", sha256_of(text))), text)
