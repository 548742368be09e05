"""Which key of the dice is in force for what: a log that goes on with other keys keeps those before.

A phase has the key that was in force when it was first opened, for all attempts at it and until it is disclosed: with
another one a list that is closed already would have other dice, and seals that were given could not be opened. A block
says itself which phase it is about, or which closed list; that of a war is about the first phase of its first game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from pbem.audit import blocks, leaves
from pbem.audit.keys import Secret
from pbem.audit.signing import Secrets
from pbem.runtime.transaction import Work
from pbem.store import logrows, queries, tables

Prove = Callable[[bytes], bytes]
"""A block -> the proof of its secret, 80 bytes."""


def secret_of(work: Work, game: tables.Game) -> Secret:
    """What the dice and seals of a game come from; LookupError for a scheme that is not ours."""
    now = work.server.secret_of(game)
    return _InForce(work, game.id).secret if work.server.secrets.former else now


def prove_of(work: Work, game: str) -> Prove:
    """What proves the secrets of a game."""
    return _InForce(work, game).prove if work.server.secrets.former else work.server.secrets.prove


def rekeyed(work: Work) -> list[int]:
    """The numbers of the leaves by which the log went on with other keys, in order."""
    told = ((row, leaves.parse(row.body)) for row in logrows.of_kind(work.session, leaves.SERVER, "rotate"))
    return [row.number or 0 for row, leaf in told if leaf("why") == "keys"]


def in_force(work: Work, number: int | None, changes: Sequence[int] | None = None) -> Secrets:
    """Return the keys that were in force when the leaf of a number was written; None: it has no number yet.

    `changes` are the numbers of `rekeyed`, which are looked up if they are not given.
    """
    now = work.server.secrets
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
