"""Write and read `pbemdice.txt`, which has all that proves a letter later.

Blocks with a blank line between them, and the checkpoint at the end, its dashes written as two hyphens so that no
mail program has to encode anything::

    pbemdice/v1/bundle
    game wt-042
    seat spain
    letter report
    phase T3.spain~1
    grade C

    pbemdice/v1/open
    ...

    pbemdice/v1/says
    ...

    pbemdice/v1/proof
    index 17
    hash tE4n...

    pbemdice/v1/slate
    ...

    example.com/pbem
    109482
    sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

    -- example.com/pbem hI2DJw...

After every leaf comes its body, unless it is withheld from this reader, and the proof that it is in the tree. A
bundle has every leaf of the game since the last one that its reader was shown, with or without its body, so that a
missing leaf means a missing letter; a body that may be known later is shown in a later bundle. Then, in this order:
slates, lists of draws, boards, manifests, opened orders, used order sets and standing orders, revealed groups,
revealed states, rulings, texts of a tournament, the edition, the proof that the tree continues the one of the
reader's last letter, cosigned trees (see `cosigned`), and statements of witnesses. A bundle can be written in one
way only, and nothing else is read.

When a game is over everything is opened in one letter, a disclosure, from which alone it can be played again: all
leaves of the game with their bodies and the log's keys, all slates and manifests, the orders of every seat in every
segment, the proofs of hidden groups, the state that each phase began with (and the one that it led to, where the
next phase did not begin with it), and the edition::

    pbemdice/v1/reveal
    phase T1.spain~1
    proof 91ab...
    before {"bands":[...

    pbemdice/v1/edition
    system GAME
    pace phase
    text {"charts":{"charge":...

In segment 1 the `text` of orders is the canonical order set, as the game's rules read it, and standing orders are
rules of their own. In later segments it has the answers of the pause before, one line for each window, ``WINDOW =
VALUE``, with an empty value for silence; if the pace is `activation`, the only window's line is followed by the
canonical orders of the letter that was carried out, if there was one. A seat without a text was not asked. JSON is
cut in pieces of 120, to be put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from pbem.audit import blocks, bundle_parts, checkpoint
from pbem.audit.blocks import Malformed
from pbem.audit.bundle_parts import (
    FiredRule,
    GroupProof,
    OpenedOrders,
    OpenedText,
    Part,
    PlayedEdition,
    PlayedOrders,
    Reveal,
    Ruling,
    TreeExtension,
    first_values,
    hash_lines,
    parse_number,
    read_hashes,
    remaining_values,
)
from pbem.audit.checkpoint import CosignedLeaf
from pbem.audit.leaves import EVERY_KIND

BUNDLE_FILE = "pbemdice.txt"
LETTER_KINDS = ("welcome", "receipt", "closed", "report", "disclosure", "tournament")
GRADES = ("A", "B", "C", "-")
_RAW = ("slate", "draw", "board", "manifest", "sees")

# Printable ASCII and line feeds: the only octets that a bundle may have.
_PLAIN = re.compile(rb"[\n -~]*")
_ID = re.compile(blocks.ID_PATTERN)


class IncludedLeaf(NamedTuple):
    """A leaf, its index in the log and its inclusion path to the root.

    `body` holds the bytes that the leaf commits to; it is empty for leaves about the server and for withheld bodies.
    """

    data: bytes
    at: int
    path: tuple[bytes, ...]
    body: bytes = b""


class Bundle(NamedTuple):
    """The proofs that go with a letter.

    `letter` is one of LETTERS, `phase` the letter's phase or "-", `grade` the claimed grade or "-". `note` is the
    checkpoint as a signed note; `sees` are blocks of witnesses as they were received.
    """

    game: str
    seat: str
    letter: str
    phase: str
    grade: str
    leaves: tuple[IncludedLeaf, ...]
    note: bytes
    slates: tuple[bytes, ...] = ()
    manifests: tuple[bytes, ...] = ()
    orders: tuple[OpenedOrders, ...] = ()
    played: tuple[PlayedOrders, ...] = ()
    fired: tuple[FiredRule, ...] = ()
    groups: tuple[GroupProof, ...] = ()
    reveals: tuple[Reveal, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    edition: PlayedEdition | None = None
    grown: TreeExtension | None = None
    witnessed: tuple[CosignedLeaf, ...] = ()
    sees: tuple[bytes, ...] = ()
    draws: tuple[bytes, ...] = ()
    boards: tuple[bytes, ...] = ()
    opens: tuple[OpenedText, ...] = ()


def write(bundle: Bundle) -> bytes:
    """Return the bytes of `pbemdice.txt`; raise Malformed beyond plain ASCII."""
    pieces = [*_parts(bundle)]
    text, _, signatures = bundle.note.decode("utf-8").rpartition("\n\n")
    pieces += [f"{text}\n".encode(), _swap(signatures, "\u2014 ", "-- ").encode("utf-8")]
    data = b"\n".join(pieces)
    if _PLAIN.fullmatch(data) is None:
        raise Malformed("a bundle is plain ASCII")
    return data


def _parts(bundle: Bundle) -> Iterator[bytes]:
    head = ("game", "seat", "letter", "phase", "grade")
    # The first five fields of a bundle are its head.
    yield blocks.block("bundle", tuple(zip(head, bundle[:5], strict=True)))
    for leaf in bundle.leaves:
        yield leaf.data
        if leaf.body:
            yield leaf.body
        yield blocks.block("proof", (("index", str(leaf.at)), *hash_lines(leaf.path)))
    yield from bundle.slates
    yield from bundle.draws
    yield from bundle.boards
    yield from bundle.manifests
    opened = (bundle.orders, bundle.played, bundle.fired, bundle.groups, bundle.reveals, bundle.rulings, bundle.opens)
    for several in opened:
        yield from map(bundle_parts.write, several)
    yield from (bundle_parts.write(single) for single in (bundle.edition, bundle.grown) if single is not None)
    yield from map(checkpoint.write_cosigned, bundle.witnessed)
    yield from bundle.sees


def _swap(signatures: str, old: str, new: str) -> str:
    lines = signatures.splitlines(keepends=True)
    if not all(line.startswith(old) for line in lines):
        raise Malformed("the signatures of a checkpoint begin with a dash")
    return "".join(new + line[len(old) :] for line in lines)


def parse(data: bytes) -> Bundle:
    """Parse `pbemdice.txt` without verifying; raise Malformed unless it is canonical."""
    if _PLAIN.fullmatch(data) is None:
        raise Malformed("a bundle is plain ASCII")
    before_signatures, blank, signatures = data.rpartition(b"\n\n")
    body, between, text = before_signatures.rpartition(b"\n\n")
    if not blank or not between:
        raise Malformed("a bundle ends with a checkpoint")
    note = text + b"\n\n" + _swap(signatures.decode("ascii"), "-- ", "\u2014 ").encode("utf-8")
    parts = [(part + b"\n", *blocks.parse(part + b"\n")) for part in body.split(b"\n\n")]
    bundle = _collect(parts, note)
    if write(bundle) != data:
        raise Malformed("the parts of a bundle have one order")
    return bundle


def _collect(parts: list[Part], note: bytes) -> Bundle:
    head = parts[0]
    if head[1] != "bundle" or [key for key, _ in head[2]] != ["game", "seat", "letter", "phase", "grade"]:
        raise Malformed("a bundle says game, seat, letter, phase and grade first")
    game, seat, letter, phase, grade = (value for _, value in head[2])
    if (
        letter not in LETTER_KINDS
        or grade not in GRADES
        or not all(_ID.fullmatch(name) for name in (game, seat, phase))
    ):
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"there is no letter {letter[:20]!r} of grade {grade[:20]!r}")
    leaves, other_parts = _leaves(parts)
    raw = {kind: tuple(data for data, other, _ in other_parts if other == kind) for kind in _RAW}
    cosigned = tuple(checkpoint.read_cosigned(pairs) for _, kind, pairs in other_parts if kind == "cosigned")
    opened = [bundle_parts.read(part) for part in other_parts if part[1] not in (*raw, "cosigned")]
    return Bundle(
        game,
        seat,
        letter,
        phase,
        grade,
        leaves,
        note,
        slates=raw["slate"],
        manifests=raw["manifest"],
        orders=_all(opened, OpenedOrders),
        played=_all(opened, PlayedOrders),
        fired=_all(opened, FiredRule),
        groups=_all(opened, GroupProof),
        reveals=_all(opened, Reveal),
        rulings=_all(opened, Ruling),
        edition=next(iter(_all(opened, PlayedEdition)), None),
        grown=next(iter(_all(opened, TreeExtension)), None),
        witnessed=cosigned,
        sees=raw["sees"],
        draws=raw["draw"],
        boards=raw["board"],
        opens=_all(opened, OpenedText),
    )


_Kind = TypeVar("_Kind")


def _all(opened: Sequence[object], kind: type[_Kind]) -> tuple[_Kind, ...]:
    return tuple(part for part in opened if isinstance(part, kind))


def _leaves(parts: list[Part]) -> tuple[tuple[IncludedLeaf, ...], list[Part]]:
    """Split the parts into the leaves after the first block and all later blocks."""
    out: list[IncludedLeaf] = []
    index_of_leaf = 1
    while index_of_leaf < len(parts) and parts[index_of_leaf][1] in EVERY_KIND:
        has_body = index_of_leaf + 1 < len(parts) and parts[index_of_leaf + 1][1] == "says"
        proof = index_of_leaf + 1 + has_body
        if proof >= len(parts) or parts[proof][1] != "proof":
            raise Malformed("after a leaf come its body, unless it is withheld, and its proof")
        (index,) = first_values(parts[proof], "index")
        path = read_hashes(remaining_values(parts[proof], 1, "hash"))
        out.append(
            IncludedLeaf(
                parts[index_of_leaf][0], parse_number(index), path, parts[index_of_leaf + 1][0] if has_body else b""
            )
        )
        index_of_leaf = proof + 1
    return tuple(out), parts[index_of_leaf:]
