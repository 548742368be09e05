"""What a server asks of a witness, what a witness answers, and when he must not cosign.

A server shows its newest checkpoint, that the tree goes on from the one that the witness is believed to hold, and the
leaves of lists that it has closed, each with its way into this tree; the notes are those of `checkpoint`::

    pbemdice/v1/ask
    log example.com/pbem+84d8366d+AWkr...
    old 20
    hash 9xQz...
    close 22 cGJlbWRpY2Uv...
    path tE4n...
    text example.com/pbem
    text 25
    text tbkJ2o...
    by example.com/pbem hI2DJw...

A witness has one tree of a log in hand, the largest that he cosigned, and of each segment of a phase the one list that
he was shown. He cosigns the next tree if it goes on from that, and says so with his key and his cosignature (C2SP
tlog-cosignature, cosignature/v1); below it stands what he says of the lists (`sees`)::

    pbemdice/v1/saw
    key friend.example.net/witness+5f12ab34+BHp0...
    size 25
    root tbkJ2o...
    by friend.example.net/witness Tq0dZg...

    pbemdice/v1/sees
    ...

Else he shows the note that he holds: two notes that the log has signed and that do not agree prove that it was forked.
`why` is ``fork``, ``smaller``, or ``gap`` where the letter merely does not begin at what he holds::

    pbemdice/v1/refuses
    key friend.example.net/witness+5f12ab34+BHp0...
    why gap
    text ...
    by ...

or it is ``doubled`` where a segment was closed by two lists. Both leaves are shown then, each with its way into a tree
that the log has signed, which proves it to anybody::

    pbemdice/v1/refuses
    key friend.example.net/witness+5f12ab34+BHp0...
    why doubled
    close 22 cGJlbWRpY2Uv...
    path ...
    text ...
    by ...
    close 27 cGJlbWRpY2Uv...
    path ...
    text ...
    by ...

A server shows as many lists as there is room for, and asks again for others: each letter stands for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.audit import blocks, checkpoint, note, sees
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Pairs, note_lines, parted, signed_note
from pbem.audit.note import COSIGNATURE, ED25519, Key, Signature, decode64, encode64

FILE = "pbemwitness.txt"
"""What the attachment of both letters is called."""

LONGEST = 16_384
"""Octets that either text may have: a proof has 63 hashes at most."""

REASONS = ("fork", "smaller", "gap", "doubled")


class ShownList(NamedTuple):
    """The leaf of a closed list: its number in the log, its bytes, its way into the tree that it is shown with."""

    at: int
    data: bytes
    path: tuple[bytes, ...]


class Proven(NamedTuple):
    """The leaf of a closed list with the note of a tree that holds it."""

    shown: ShownList
    note: bytes


class Asked(NamedTuple):
    """What a server shows: its key, the size that its proof begins at (0: with nothing), the proof, the note, lists."""

    log: Key
    old: int
    path: tuple[bytes, ...]
    note: bytes
    closes: tuple[ShownList, ...] = ()


class Saw(NamedTuple):
    """What a witness has cosigned: his key, the tree, the cosignature's line, and the block of what he says of lists.

    The block is empty if he was shown none.
    """

    key: Key
    size: int
    root: bytes
    line: Signature
    sees: bytes = b""

    @property
    def at(self) -> int:
        """The unix second that the cosignature says."""
        return int.from_bytes(self.line.signed[:8], "big")


class Refused(NamedTuple):
    """Why a witness has not cosigned (one of REASONS), and the note that he holds.

    Of a segment that was closed twice it is the note that he was shown, and both lists go with it.
    """

    key: Key
    why: str
    note: bytes
    doubled: tuple[Proven, ...] = ()


def write(told: Asked | Saw | Refused) -> bytes:
    """The text of either letter."""
    if isinstance(told, Asked):
        proof = [("hash", encode64(one)) for one in told.path]
        lists = [line for one in told.closes for line in _list_lines(one)]
        lines = (("log", told.log.text), ("old", str(told.old)), *proof, *lists, *note_lines(told.note))
        return blocks.block("ask", lines)
    if isinstance(told, Refused):
        held = note_lines(told.note)
        if told.why == "doubled":
            held = [line for one in told.doubled for line in (*_list_lines(one.shown), *note_lines(one.note))]
        return blocks.block("refuses", (("key", told.key.text), ("why", told.why), *held))
    lines = (("key", told.key.text), ("size", str(told.size)), ("root", encode64(told.root)), ("by", told.line.text))
    return blocks.block("saw", lines) + (b"\n" + told.sees if told.sees else b"")


def _list_lines(shown: ShownList) -> list[tuple[str, str]]:
    return [("close", f"{shown.at} {encode64(shown.data)}"), *(("path", encode64(one)) for one in shown.path)]


def parse(data: bytes) -> Asked | Saw | Refused:
    """Read either text; Malformed unless it is written exactly as `write` does. No signature is verified."""
    if len(data) > LONGEST:
        raise Malformed(f"it is longer than {LONGEST} octets")
    first, blank, said = data.partition(b"\n\n")
    kind, pairs = blocks.parse(first + b"\n" if blank else data)
    reader = _READERS.get(kind)
    if reader is None:
        raise Malformed(f"{kind[:20]!r} is not what a server and a witness write")
    told = reader(pairs)
    if blank and isinstance(told, Saw):
        told = told._replace(sees=_of_tree(said, told))
    if write(told) != data:
        raise Malformed("it is not how it would be written")
    return told


def _of_tree(said: bytes, told: Saw) -> bytes:
    """The block of what is said of lists; Malformed unless it is about the tree, by the key of the cosignature."""
    read, own = sees.read(said), sees.plain(told.key)
    tree = read.said.tree
    if (tree.size, tree.root, read.by.name, read.by.id) != (told.size, told.root, own.name, own.id):
        raise Malformed("what is said of the lists is of another tree, or by another key")
    return said


def _asked(pairs: Pairs) -> Asked:
    (log, old, path), lines = parted(pairs, "log", "old", "hash")
    closes, lines = _lists(lines)
    signed = signed_note(lines)
    checkpoint.body(note.parse(signed))
    return Asked(_key(log, ED25519), _number(old), checkpoint.hashes(path), signed, closes)


def _lists(lines: list[tuple[str, str]]) -> tuple[tuple[ShownList, ...], list[tuple[str, str]]]:
    """The closed lists that lines begin with, and the lines that are left."""
    out = []
    while lines and lines[0][0] == "close":
        (path,), left = parted(lines[1:], "path")
        index, _, data = lines[0][1].partition(" ")
        out.append(ShownList(_number([index]), decode64(data), checkpoint.hashes(path)))
        lines = left
    return tuple(out), lines


def _saw(pairs: Pairs) -> Saw:
    (key, size, root, by), rest = parted(pairs, "key", "size", "root", "by")
    if rest or len(root) != 1 or len(by) != 1:
        raise Malformed("a witness says whose key, which tree, and signs it")
    read, line = _key(key, COSIGNATURE), note.signature(by[0])
    (found,) = checkpoint.hashes(root)
    if (line.name, line.id) != (read.name, read.id) or len(line.signed) != 72:
        raise Malformed("the cosignature is not of the key that is named")
    return Saw(read, _number(size), found, line)


def _refused(pairs: Pairs) -> Refused:
    (key, why), lines = parted(pairs, "key", "why")
    if len(why) != 1 or why[0] not in REASONS:
        raise Malformed(f"a witness refuses because of {', '.join(REASONS)}")
    if why[0] == "doubled":
        proven = tuple(_proven(lines))
        if len(proven) != 2:
            raise Malformed("two lists are shown of a segment that was closed twice")
        return Refused(_key(key, COSIGNATURE), why[0], proven[1].note, proven)
    signed = signed_note(lines)
    checkpoint.body(note.parse(signed))
    return Refused(_key(key, COSIGNATURE), why[0], signed)


def _proven(lines: list[tuple[str, str]]) -> Iterator[Proven]:
    while lines:
        shown, lines = _lists(lines)
        (text, by), lines = parted(lines, "text", "by")
        signed = signed_note([*(("text", one) for one in text), *(("by", one) for one in by)])
        checkpoint.body(note.parse(signed))
        if len(shown) != 1:
            raise Malformed("each list is shown with a note of its own")
        yield Proven(shown[0], signed)


_READERS: Mapping[str, Callable[[Pairs], Asked | Saw | Refused]] = {"ask": _asked, "saw": _saw, "refuses": _refused}


def _key(found: Sequence[str], kind: int) -> Key:
    if len(found) != 1 or (key := note.parse_key(found[0])).kind != kind:
        raise Malformed("there is one key, of the kind that signs here")
    return key


def _number(found: Sequence[str]) -> int:
    if len(found) != 1 or not found[0].isascii() or not found[0].isdigit() or len(found[0]) > 18:
        raise Malformed("a number is missing")
    return int(found[0])
