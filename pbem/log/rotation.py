"""The log goes on with other keys: after somebody else may have read those that it had.

The leaf `rotate` names the new keys and the tree that it follows. It is the last that the key before signs, and so the
key before vouches for it; the tree is shown to witnesses as any other. From the next leaf on the new key signs, under
the name of a new epoch (`audit.epochs`). What was opened before keeps the dice of the key before (`chain.keyring`).
"""

from __future__ import annotations

from pbem.audit import epochs, leaves
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.note import Key, parse_key
from pbem.engine.data.messages import Msg, msg
from pbem.letters import outbox
from pbem.log import log_health, sequencer
from pbem.runtime.transaction import Broken, Work
from pbem.store import logrows, queries


def pending(work: Work) -> tuple[bytes, str] | None:
    """The keys (the log's public bytes, the dice's in hex) that the log goes on with; None if it never changed them."""
    told = [leaf for _, leaf in sequencer.rotates(work.session) if leaf("why") == "keys"]
    return (parse_key(told[-1]("log")).public, told[-1]("vrf")) if told else None


def rotate(work: Work, log: bytes, dice: bytes) -> Checkpoint:
    """Go on with these public keys; the tree by which the key before vouches for them.

    Broken if nothing was signed yet, if the log stands still, or if somebody else signs. Once the caller has committed
    he has it remembered (`signed_tree.Signed.begin`), and puts the new keys in the place of the old.
    """
    secrets, found = work.server.secrets, log_health.look(work)
    if found is not None:
        raise Broken(found.why)
    if not sequencer.take_lease(work):
        raise Broken(msg("Another process is signing; try again in half a minute."))
    waiting, head = logrows.waiting(work.session), sequencer.head(work.session)
    if waiting:
        sequencer.put_in(work, waiting, head)
        head = sequencer.head(work.session)
    if head is None:
        raise Broken(msg("Nothing is signed yet: new keys are two new files, in the place of the old."))
    base = secrets.log.name
    names = [head.log, *(sequencer.epoch(leaf) for _, leaf in sequencer.rotates(work.session))]
    number = 1 + max(epochs.number_of(name, base) for name in names)
    says = (
        ("log", Key(epochs.name_of(base, number), log).text),
        ("vrf", dice.hex()),
        ("size", str(head.size)),
        ("root", sequencer.root(work.session, head.size).hex()),
        ("why", "keys"),
    )
    before = sequencer.name_now(work)
    sequencer.append(work, sequencer.Note("rotate", says, leaves.SERVER))
    work.session.flush()
    made = sequencer.put_in(work, logrows.waiting(work.session), head, before)
    _tell(work, number)
    return made


def _tell(work: Work, number: int) -> None:
    """Write to the seats and observers of games that the keys were changed, and what that is worth."""

    def told(zone: str) -> tuple[Msg, ...]:
        return (
            msg("The keys of this server's log and dice were changed; its log says so, and has another name now."),
            msg(
                "If somebody had read the keys before, he could read orders that were sealed with them, and compute "
                "dice of grade C. Phases that are open now keep the key of their dice until they are resolved."
            ),
            msg("Ask whoever runs this server for the new key by another way than these letters, and compare it."),
        )

    for game in queries.games.under_way(work.session):
        phase = queries.phases.played_phase(work.session, game.id)
        outbox.to_all(work, game, phase, outbox.Circular(told, cause=f"keys {number}"))
