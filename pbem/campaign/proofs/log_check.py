"""The stored log recomputed: every leaf hashed again, every node and every signed root held against that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, leaves, merkle
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key, parse_key
from pbem.audit.signing import verify
from pbem.campaign.base.server import Work
from pbem.campaign.chain import logbook
from pbem.store import queries
from pbem.store.tables import log as t

__all__ = ["Result", "check", "leaves_of"]


class Result(NamedTuple):
    """How much was looked at, and what is not as it was signed."""

    leaves: int
    nodes: int
    trees: int
    games: int
    wrong: tuple[str, ...]


def leaves_of(session: Session, game: str) -> tuple[tuple[str, ...], ...]:
    """The leaves of a game in order: number in the log or "-", place in the game, kind, phase, when it was written."""
    rows = queries.log.leaves(session, game)
    return tuple(
        ("-" if row.number is None else str(row.number), str(row.seq), row.kind, row.phase or "-",
         f"{row.written:%Y-%m-%d %H:%M} UTC")
        for row in rows
    )  # fmt: skip


def check(work: Work) -> Result:
    """Recompute everything; nothing is changed."""
    wrong: list[str] = []
    rows = queries.log.every(work.session)
    chains: dict[str, leaves.Chain] = {}
    for row in rows:
        try:
            chains.setdefault(row.game, leaves.Chain(row.game)).follow(row.body, row.says)
        except Malformed as fault:
            wrong.append(f"leaf {row.seq} of {row.game}: {fault}")
    numbered = sorted((row for row in rows if row.number is not None), key=lambda row: row.number or 0)
    if [row.number for row in numbered] != list(range(len(numbered))):
        wrong.append("the leaves are not numbered from 0 on without a gap")
    nodes: dict[tuple[int, int], bytes] = {}
    for number, row in enumerate(numbered):
        for level, place, digest in merkle.grown(lambda *at: nodes[at], number, merkle.leaf_hash(row.body)):
            nodes[level, place] = digest
    stored = {(row.level, row.place): row.digest for row in queries.log.nodes(work.session)}
    wrong += [f"node {level} {place} is not what its leaves give" for level, place in _differing(nodes, stored)]
    trees = queries.log.checkpoints(work.session)
    for signed in trees:
        wrong += _signed(signed, _keys(work), nodes, len(numbered))
    return Result(len(rows), len(nodes), len(trees), len(chains), tuple(wrong))


def _differing(one: dict[tuple[int, int], bytes], other: dict[tuple[int, int], bytes]) -> list[tuple[int, int]]:
    return sorted(at for at in one.keys() | other.keys() if one.get(at) != other.get(at))


def _keys(work: Work) -> tuple[Key, ...]:
    """The keys of all epochs of the log."""
    return (work.server.secrets.log, *(parse_key(leaf("log")) for _, leaf in logbook.rotates(work.session)))


def _signed(row: t.Checkpoint, keys: Sequence[Key], nodes: dict[tuple[int, int], bytes], count: int) -> list[str]:
    name = row.note.split(b"\n", 1)[0].decode("utf-8", "replace")
    key = next((one for one in keys if one.name == name), None)
    if key is None:
        return [f"the tree of {row.size} leaves is signed as {name}, which is no name of this log"]
    try:
        tree = checkpoint.read(row.note, key, verify)
    except Malformed as fault:
        return [f"the tree of {row.size} leaves: {fault}"]
    if tree.size != row.size or row.size > count:
        return [f"a tree of {tree.size} leaves is signed, and there are {count}"]
    right = merkle.root(lambda *at: nodes[at], tree.size) == tree.root
    return [] if right else [f"the tree of {tree.size} leaves was signed with another root"]
