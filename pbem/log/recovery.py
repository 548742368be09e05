"""The log begun anew after the database was put back from a backup: what is gone, and the leaf that says so.

The new epoch has another name and the same keys (`audit.epochs`). Its first leaf, `rotate`, names the tree that was
signed last before; what waited for its number comes after it. Every seat of a game that goes on is written to.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import epochs, leaves
from pbem.audit.checkpoint import Checkpoint
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.log import log_health, sequencer
from pbem.log.log_health import Trouble
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries
from pbem.store.tables import log as t


class Touched(NamedTuple):
    """A game that the missing leaves may be about: where it stands, and what its seats are known to have.

    Of each of `seats` its name, the size of the log that it was shown, kind and time of the last letter to it.
    """

    game: str
    phase: str
    state: str
    seats: tuple[tuple[str, int, str, datetime | None], ...]


class Standstill(NamedTuple):
    """What a log that stands still is like: why, when the database's newest tree was signed, which games it touches."""

    trouble: Trouble | None
    here: Checkpoint
    signed: datetime | None
    waiting: int
    games: tuple[Touched, ...]


def look(work: Work) -> Standstill:
    """Look at the log and at what the loss of leaves may touch."""
    row = queries.log.newest(work.session)
    return Standstill(
        log_health.look(work),
        log_health.here(work),
        row.signed if row else None,
        len(queries.log.waiting(work.session)),
        tuple(_touched(work.session)),
    )


def _touched(session: Session) -> Iterator[Touched]:
    for game in queries.games.every(session):
        if game.state in ("forming", "over"):
            continue
        phase = queries.phases.played_phase(session, game.id)
        seats = []
        for seat in queries.games.seats(session, game.id):
            shown = session.get(t.Shown, seat.id)
            last = queries.outbox.last_to_seat(session, seat)
            seats.append(
                (seat.name, shown.size if shown else 0, last.kind if last else "-", last.created if last else None)
            )
        name = str(outbox.phase_of(phase)) if phase else "-"
        yield Touched(game.id, name, phase.state if phase else game.state, tuple(seats))


def again(work: Work) -> None:
    """The database is whole and only what was signed last was forgotten: write it anew. Broken if it is not so."""
    found = look(work)
    if found.trouble is None or work.server.keys.signed is None:
        raise Broken(msg("The log is whole: there is nothing to do."))
    if found.trouble.known is not None:
        raise Broken(msg("The database lacks leaves that were signed: run it without --intact."))
    work.server.keys.signed.begin(found.here)


def recover(work: Work, known: Checkpoint | None = None) -> tuple[Checkpoint, Checkpoint]:
    """Begin the log anew; the tree that it admits to have had, and the one that it has now.

    `known` is the newest tree that somebody has seen, if that is known better than here. Broken if nothing is
    wrong and none is named, if nothing is known of what was signed, or if somebody else signs. Once the caller has
    committed he has it remembered (`signed_tree.Signed.begin`).
    """
    found = look(work)
    secrets, admitted = work.server.keys.secrets, largest_signed(found, known)
    if not sequencer.take_lease(work):
        raise Broken(msg("Another process is signing; try again in half a minute."))
    sequencer.begin(work)
    seen = [
        found.here.origin,
        admitted.origin,
        *(sequencer.epoch(leaf) for _, leaf in sequencer.rotates(work.session)),
    ]
    number = 1 + max(epochs.number_of(name, secrets.log.name) for name in seen)
    key = secrets.log._replace(name=epochs.name_of(secrets.log.name, number))
    says = (
        ("log", key.text),
        ("vrf", secrets.dice.public.hex()),
        ("size", str(admitted.size)),
        ("root", admitted.root.hex()),
        ("why", "recovery"),
    )
    sequencer.append(work, sequencer.Note("rotate", says, leaves.SERVER))
    work.session.flush()
    made = sequencer.put_in(work, queries.log.waiting(work.session), sequencer.head(work.session))
    _tell(work, found.signed, number)
    return admitted, made


def largest_signed(found: Standstill, known: Checkpoint | None) -> Checkpoint:
    """The largest tree that is known to have been signed."""
    if found.trouble is None and known is None:
        raise Broken(
            msg(
                "The log is whole as far as is known. If it is not, name a tree that a player has seen: --size N "
                "--root ROOT."
            )
        )
    trees = [tree for tree in (known, found.trouble.known if found.trouble else None) if tree is not None]
    if not trees:
        raise Broken(
            msg(
                "What was signed last is not known. Name the newest tree that a player has seen, from the line SEEN of "
                "his last letter: --size and --root; or say --intact if the database was not put back."
            )
        )
    return max(trees, key=lambda tree: tree.size)


def _tell(work: Work, since: datetime | None, number: int) -> None:
    """Write to the seats and observers of games that something may be lost."""
    now = work.now
    for game in queries.games.under_way(work.session):

        def told(zone: str) -> tuple[Msg, ...]:
            when = content.when(since or now, zone)
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

        phase = queries.phases.played_phase(work.session, game.id)
        outbox.to_all(work, game, phase, outbox.Circular(told, cause=f"epoch {number}"))
