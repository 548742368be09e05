"""Find the dice key in force for a phase; the log keeps its old keys.

A phase has the key that was in force when it was first opened, for all attempts at it and until it is disclosed:
with another key a list that is closed already would have other dice, and earlier seals could not be opened. A block
names its phase or its closed list; the block of a war uses the key of the first phase of its first game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from pbem.audit import blocks, epoch_names, leaves
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.note import Key, parse_key
from pbem.audit.sealing import Secret
from pbem.audit.signing import LogSecrets
from pbem.engine.data.messages import Msg, msg
from pbem.letters import outbox
from pbem.log import log_health, sequencer
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables

Prove = Callable[[bytes], bytes]
"""A function from a block to the proof of its secret, 80 bytes."""


def secret_of(tx: Transaction, game: tables.Game) -> Secret:
    """Return the secret of a game's dice and seals.

    Raise LookupError for another scheme.
    """
    now = tx.server.secret_of(game)
    return _InForce(tx, game.id).secret if tx.server.keys.secrets.former else now


def prove_of(tx: Transaction, game: str) -> Prove:
    """Return the function that proves the secrets of a game."""
    return _InForce(tx, game).prove if tx.server.keys.secrets.former else tx.server.keys.secrets.prove


def key_changes(tx: Transaction) -> list[int]:
    """Return the numbers of the leaves that changed the keys, in order."""
    rotations = (
        (row, leaves.parse(row.body)) for row in queries.log.leaves_of_kind(tx.session, leaves.SERVER_CHAIN, "rotate")
    )
    return [row.number or 0 for row, leaf in rotations if leaf("why") == "keys"]


def in_force(tx: Transaction, number: int | None, changes: Sequence[int] | None = None) -> LogSecrets:
    """Return the keys in force at leaf `number`; None is a leaf without number yet.

    `changes` are the numbers of `key_changes`, which are looked up if they are not given.
    """
    now = tx.server.keys.secrets
    if not now.former or number is None:
        # Nothing is signed between a change of keys and the next leaf: what has no number yet came after it.
        return now
    before = sum(change < number for change in (key_changes(tx) if changes is None else changes))
    return [*now.former, now][before]


class _InForce:
    """The keys of a game's phases."""

    def __init__(self, tx: Transaction, game: str) -> None:
        self._work, self._game = tx, game

    @cached_property
    def _changes(self) -> list[int]:
        return key_changes(self._work)

    def secret(self, block: bytes) -> bytes:
        """Return the secret of a block."""
        return self._keys(block).secret(block)

    def prove(self, block: bytes) -> bytes:
        """Return the proof of a block's secret."""
        return self._keys(block).prove(block)

    def _keys(self, block: bytes) -> LogSecrets:
        kind, pairs = blocks.parse(block)
        values = dict(pairs)
        if kind == "war":
            opened = next(iter(queries.log.leaves(self._work.session, values["game"], "open")), None)
        else:
            phase = self._closed_by(values["slate"]) if "slate" in values else values["phase"]
            stem = phase.partition("/")[0].partition("~")[0]
            opened = queries.log.first_opening(self._work.session, self._game, stem)
        return in_force(self._work, opened.number if opened is not None else None, self._changes)

    def _closed_by(self, slate: str) -> str:
        """Return the phase of closed orders; during closing, the last opened one."""
        row = queries.log.closing_leaf(self._work.session, self._game, slate)
        last = row or queries.log.last_leaf_of_kind(self._work.session, self._game, "open")
        if last is None:
            raise LookupError(f"{self._game} has closed no list {slate}")
        return last.phase


# The log goes on with other keys: after somebody else may have read those that it had.
#
# The leaf `rotate` names the new keys and the tree that it follows. It is the last that the key before signs, and so
# the key before vouches for it; the tree is shown to witnesses as any other. From the next leaf on the new key signs,
# under the name of a new epoch (`audit.epoch_names`). What was opened before keeps the dice of the key before
# (`secret_of`).


def present_keys(tx: Transaction) -> tuple[bytes, str] | None:
    """Return the keys of the log's present epoch; None if they never changed.

    They are the log's public bytes, and the dice's public key in hex.
    """
    rotations = [leaf for _, leaf in sequencer.rotates(tx.session) if leaf("why") == "keys"]
    return (parse_key(rotations[-1]("log")).public, rotations[-1]("vrf")) if rotations else None


def rotate(tx: Transaction, log: bytes, dice: bytes) -> Checkpoint:
    """Start an epoch with new public keys; return the tree that the old key signs.

    Raise UserError if nothing is signed yet, if the log is stopped, or if another process signs. After its commit
    the caller records the tree (`signed_tree.Signed.begin`) and puts the new keys in place of the old ones.
    """
    secrets, trouble = tx.server.keys.secrets, log_health.look(tx)
    if trouble is not None:
        raise UserError(trouble.why)
    if not sequencer.take_lease(tx):
        raise UserError(msg("Another process is signing; try again in half a minute."))
    waiting, head = queries.log.waiting_leaves(tx.session), sequencer.head(tx.session)
    if waiting:
        sequencer.sign_waiting(tx, waiting, head)
        head = sequencer.head(tx.session)
    if head is None:
        raise UserError(msg("Nothing is signed yet: new keys are two new files, in the place of the old."))
    base = secrets.log.name
    names = [head.log, *(sequencer.epoch(leaf) for _, leaf in sequencer.rotates(tx.session))]
    number = 1 + max(epoch_names.epoch_number(name, base) for name in names)
    says = (
        ("log", Key(epoch_names.epoch_name(base, number), log).text),
        ("vrf", dice.hex()),
        ("size", str(head.size)),
        ("root", sequencer.root(tx.session, head.size).hex()),
        ("why", "keys"),
    )
    before = sequencer.current_name(tx)
    sequencer.append(tx, sequencer.Note("rotate", says, leaves.SERVER_CHAIN))
    tx.session.flush()
    tree = sequencer.sign_waiting(tx, queries.log.waiting_leaves(tx.session), head, before)
    _notify_seats(tx, number)
    return tree


def _notify_seats(tx: Transaction, number: int) -> None:
    """Notify the seats and observers of games that the keys changed.

    The letter says what that means.
    """

    def sentences(zone: str) -> tuple[Msg, ...]:
        return (
            msg("The keys of this server's log and dice were changed; its log says so, and has another name now."),
            msg(
                "If somebody had read the keys before, he could read orders that were sealed with them, and compute "
                "dice of grade C. Phases that are open now keep the key of their dice until they are resolved."
            ),
            msg("Ask whoever runs this server for the new key by another way than these letters, and compare it."),
        )

    for game in queries.games.games_under_way(tx.session):
        phase = queries.phases.present_phase(tx.session, game.id)
        outbox.announce_to_all(tx, game, phase, outbox.Announcement(sentences, cause=f"keys {number}"))
