"""Which key of the dice is in force for what: a log that goes on with other keys keeps those before.

A phase has the key that was in force when it was first opened, for all attempts at it and until it is disclosed: with
another one a list that is closed already would have other dice, and seals that were given could not be opened. A block
says itself which phase it is about, or which closed list; that of a war is about the first phase of its first game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from pbem.audit import blocks, epochs, leaves
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.note import Key, parse_key
from pbem.audit.sealing import Secret
from pbem.audit.signing import Secrets
from pbem.engine.data.messages import Msg, msg
from pbem.letters import outbox
from pbem.log import log_health, sequencer
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables

Prove = Callable[[bytes], bytes]
"""A block -> the proof of its secret, 80 bytes."""


def secret_of(work: Work, game: tables.Game) -> Secret:
    """What the dice and seals of a game come from; LookupError for a scheme that is not ours."""
    now = work.server.secret_of(game)
    return _InForce(work, game.id).secret if work.server.keys.secrets.former else now


def prove_of(work: Work, game: str) -> Prove:
    """What proves the secrets of a game."""
    return _InForce(work, game).prove if work.server.keys.secrets.former else work.server.keys.secrets.prove


def rekeyed(work: Work) -> list[int]:
    """The numbers of the leaves by which the log went on with other keys, in order."""
    told = ((row, leaves.parse(row.body)) for row in queries.log.of_kind(work.session, leaves.SERVER, "rotate"))
    return [row.number or 0 for row, leaf in told if leaf("why") == "keys"]


def in_force(work: Work, number: int | None, changes: Sequence[int] | None = None) -> Secrets:
    """Return the keys that were in force when the leaf of a number was written; None: it has no number yet.

    `changes` are the numbers of `rekeyed`, which are looked up if they are not given.
    """
    now = work.server.keys.secrets
    if not now.former or number is None:
        # Nothing is signed between a change of keys and the next leaf: what has no number yet came after it.
        return now
    before = sum(changed < number for changed in (rekeyed(work) if changes is None else changes))
    return [*now.former, now][before]


class _InForce:
    """The keys of a game's phases."""

    def __init__(self, work: Work, game: str) -> None:
        self._work, self._game = work, game

    @cached_property
    def _changes(self) -> list[int]:
        return rekeyed(self._work)

    def secret(self, block: bytes) -> bytes:
        """The secret of a block."""
        return self._keys(block).secret(block)

    def prove(self, block: bytes) -> bytes:
        """The proof of a block's secret."""
        return self._keys(block).prove(block)

    def _keys(self, block: bytes) -> Secrets:
        kind, pairs = blocks.parse(block)
        said = dict(pairs)
        if kind == "war":
            opened = next(iter(queries.log.leaves(self._work.session, said["game"], "open")), None)
        else:
            phase = self._closed_by(said["slate"]) if "slate" in said else said["phase"]
            stem = phase.partition("/")[0].partition("~")[0]
            opened = queries.log.first_opening(self._work.session, self._game, stem)
        return in_force(self._work, opened.number if opened is not None else None, self._changes)

    def _closed_by(self, slate: str) -> str:
        """The phase of a slate; of one whose list is just being closed, the phase that was opened last."""
        row = queries.log.closed_with(self._work.session, self._game, slate)
        last = row or queries.log.last_of(self._work.session, self._game, "open")
        if last is None:
            raise LookupError(f"{self._game} has closed no list {slate}")
        return last.phase


# The log goes on with other keys: after somebody else may have read those that it had.
#
# The leaf `rotate` names the new keys and the tree that it follows. It is the last that the key before signs, and so
# the key before vouches for it; the tree is shown to witnesses as any other. From the next leaf on the new key signs,
# under the name of a new epoch (`audit.epochs`). What was opened before keeps the dice of the key before (`secret_of`).


def next_keys(work: Work) -> tuple[bytes, str] | None:
    """The keys (the log's public bytes, the dice's in hex) that the log goes on with; None if it never changed them."""
    told = [leaf for _, leaf in sequencer.rotates(work.session) if leaf("why") == "keys"]
    return (parse_key(told[-1]("log")).public, told[-1]("vrf")) if told else None


def rotate(work: Work, log: bytes, dice: bytes) -> Checkpoint:
    """Go on with these public keys; the tree by which the key before vouches for them.

    Broken if nothing was signed yet, if the log stands still, or if somebody else signs. Once the caller has committed
    he has it remembered (`signed_tree.Signed.begin`), and puts the new keys in the place of the old.
    """
    secrets, found = work.server.keys.secrets, log_health.look(work)
    if found is not None:
        raise Broken(found.why)
    if not sequencer.take_lease(work):
        raise Broken(msg("Another process is signing; try again in half a minute."))
    waiting, head = queries.log.waiting(work.session), sequencer.head(work.session)
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
    made = sequencer.put_in(work, queries.log.waiting(work.session), head, before)
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
