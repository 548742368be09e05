"""Begin the log anew after a restore: find what is lost, and log it.

The new epoch has another name and the same keys (`audit.epoch_names`). Its first leaf, `rotate`, names the last
tree signed before the restore; leaves that waited for a number come after it. Every seat of a running game gets a
letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import epoch_names, leaves
from pbem.audit.checkpoint import Checkpoint
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.log import log_health, sequencer
from pbem.log.log_health import Trouble
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries
from pbem.store.tables import log as t


class AffectedGame(NamedTuple):
    """A game that missing leaves may be about: its phase and state, and its seats.

    Each entry of `seats` has the seat's name, the size of the log that it was shown, and the kind and time of the
    last letter to it.
    """

    game: str
    phase: str
    state: str
    seats: tuple[tuple[str, int, str, datetime | None], ...]


class Standstill(NamedTuple):
    """A stopped log: why, when its newest tree was signed, which games it affects."""

    trouble: Trouble | None
    here: Checkpoint
    signed: datetime | None
    waiting: int
    games: tuple[AffectedGame, ...]


def look(tx: Transaction) -> Standstill:
    """Return the state of the log and what the loss of leaves may affect."""
    row = queries.log.newest_checkpoint(tx.session)
    return Standstill(
        log_health.look(tx),
        log_health.stored_tree(tx),
        row.signed if row else None,
        len(queries.log.waiting_leaves(tx.session)),
        tuple(_affected_games(tx.session)),
    )


def _affected_games(session: Session) -> Iterator[AffectedGame]:
    for game in queries.games.all_games(session):
        if game.state in ("forming", "over"):
            continue
        phase = queries.phases.present_phase(session, game.id)
        seats = []
        for seat in queries.games.seats(session, game.id):
            tree = session.get(t.Shown, seat.id)
            last = queries.outbox.last_to_seat(session, seat)
            seats.append(
                (seat.name, tree.size if tree else 0, last.kind if last else "-", last.created if last else None)
            )
        name = str(outbox.phase_of(phase)) if phase else "-"
        yield AffectedGame(game.id, name, phase.state if phase else game.state, tuple(seats))


def record_intact(tx: Transaction) -> None:
    """Record the newest tree of a database that lost nothing.

    Raise UserError if it has lost leaves.
    """
    state = look(tx)
    if state.trouble is None or tx.server.keys.signed is None:
        raise UserError(msg("The log is whole: there is nothing to do."))
    if state.trouble.known is not None:
        raise UserError(msg("The database lacks leaves that were signed: run it without --intact."))
    tx.server.keys.signed.begin(state.here)


def recover(tx: Transaction, known: Checkpoint | None = None) -> tuple[Checkpoint, Checkpoint]:
    """Begin the log anew; return the tree stated as lost, and the new one.

    `known` is the newest tree that anybody has seen, if it is newer than the known ones. Raise UserError if nothing
    is wrong and no tree is named, if no signed tree is known, or if another process signs. After its commit the
    caller records the tree (`signed_tree.Signed.begin`).
    """
    state = look(tx)
    secrets, admitted = tx.server.keys.secrets, largest_signed(state, known)
    if not sequencer.take_lease(tx):
        raise UserError(msg("Another process is signing; try again in half a minute."))
    sequencer.begin(tx)
    names = [
        state.here.origin,
        admitted.origin,
        *(sequencer.epoch(leaf) for _, leaf in sequencer.rotates(tx.session)),
    ]
    number = 1 + max(epoch_names.epoch_number(name, secrets.log.name) for name in names)
    key = secrets.log._replace(name=epoch_names.epoch_name(secrets.log.name, number))
    says = (
        ("log", key.text),
        ("vrf", secrets.dice.public.hex()),
        ("size", str(admitted.size)),
        ("root", admitted.root.hex()),
        ("why", "recovery"),
    )
    sequencer.append(tx, sequencer.Note("rotate", says, leaves.SERVER_CHAIN))
    tx.session.flush()
    tree = sequencer.sign_waiting(tx, queries.log.waiting_leaves(tx.session), sequencer.head(tx.session))
    _notify_seats(tx, state.signed, number)
    return admitted, tree


def largest_signed(state: Standstill, known: Checkpoint | None) -> Checkpoint:
    """Return the largest tree known to have been signed."""
    if state.trouble is None and known is None:
        raise UserError(
            msg(
                "The log is whole as far as is known. If it is not, name a tree that a player has seen: --size N "
                "--root ROOT."
            )
        )
    trees = [tree for tree in (known, state.trouble.known if state.trouble else None) if tree is not None]
    if not trees:
        raise UserError(
            msg(
                "What was signed last is not known. Name the newest tree that a player has seen, from the line SEEN of "
                "his last letter: --size and --root; or say --intact if the database was not put back."
            )
        )
    return max(trees, key=lambda tree: tree.size)


def _notify_seats(tx: Transaction, since: datetime | None, number: int) -> None:
    """Notify the seats and observers of games that leaves may be lost."""
    now = tx.now
    for game in queries.games.games_under_way(tx.session):

        def sentences(zone: str) -> tuple[Msg, ...]:
            when = content.moment_in_words(since or now, zone)
            return (
                msg(
                    "This server was put back from a backup: what came and went after {when} it may not know.",
                    when=when,
                ),
                msg(
                    "If you have written since then, look with STATUS whether your orders are here, and send them "
                    "again if they are not. Letters of mine that came since then may not hold any more."
                ),
                msg("The log of this game goes on under another name, and says so to whoever checks his letters."),
            )

        phase = queries.phases.present_phase(tx.session, game.id)
        outbox.announce_to_all(tx, game, phase, outbox.Announcement(sentences, cause=f"epoch {number}"))
