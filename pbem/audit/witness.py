"""Define a server's request to a witness, the witness's answer, and the refusal.

A server shows its newest checkpoint, the proof that the tree continues the one that the witness is believed to
hold, and the leaves of closed lists, each with its path into this tree; the notes are those of `checkpoint`::

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

A witness keeps one tree of a log, the largest that he cosigned, and for each segment of a phase the one list that
he was shown. He cosigns the next tree if it continues his, and answers with his key and his cosignature (C2SP
tlog-cosignature, cosignature/v1); below it stands his statement about the lists (`sees`)::

    pbemdice/v1/saw
    key friend.example.net/witness+5f12ab34+BHp0...
    size 25
    root tbkJ2o...
    by friend.example.net/witness Tq0dZg...

    pbemdice/v1/sees
    ...

Otherwise he shows the note that he holds: two contradicting notes signed by the log prove that it was forked. `why`
is ``fork``, ``smaller``, or ``gap`` if the proof only does not begin at his tree::

    pbemdice/v1/refuses
    key friend.example.net/witness+5f12ab34+BHp0...
    why gap
    text ...
    by ...

or it is ``doubled`` if a segment was closed by two lists. Then both leaves are shown, each with its path into a
tree that the log has signed, which proves it to anybody::

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

from pbem.audit import blocks, checkpoint, note, witness_statement
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Pairs, note_lines, signed_note, split_by_key
from pbem.audit.note import COSIGNATURE, ED25519, Key, Signature, decode64, encode64

WITNESS_FILE = "pbemwitness.txt"
"""The name of the attachment of both letters."""

LONGEST_TEXT = 16_384
"""Octets of either text. A proof of 63 hashes takes three thousand, so that there is still room for some hundred
signatures or lists."""

REFUSAL_REASONS = ("fork", "smaller", "gap", "doubled")


class ShownList(NamedTuple):
    """The leaf of a closed list: index, bytes, and path into the tree shown with it."""

    at: int
    data: bytes
    path: tuple[bytes, ...]


class ProvenList(NamedTuple):
    """The leaf of a closed list with the note of a tree that holds it."""

    shown: ShownList
    note: bytes


class WitnessRequest(NamedTuple):
    """A server's request: key, proof from a size, note and lists.

    `size` is where the proof begins; 0 means no proof.
    """

    log: Key
    old: int
    path: tuple[bytes, ...]
    note: bytes
    closes: tuple[ShownList, ...] = ()


class WitnessAnswer(NamedTuple):
    """A witness's answer: key, tree, cosignature, and statement about the lists.

    The statement's block is empty if he was shown no list.
    """

    key: Key
    size: int
    root: bytes
    line: Signature
    sees: bytes = b""

    @property
    def at(self) -> int:
        """Return the unix second of the cosignature."""
        # A cosignature begins with its time, in eight octets (C2SP tlog-cosignature).
        return int.from_bytes(self.line.signed[:8], "big")


class WitnessRefusal(NamedTuple):
    """A witness's refusal: one of REASONS and the note that he holds.

    For a segment that was closed twice it is the note that he was shown, with both lists.
    """

    key: Key
    why: str
    note: bytes
    doubled: tuple[ProvenList, ...] = ()


def write(message: WitnessRequest | WitnessAnswer | WitnessRefusal) -> bytes:
    """Return the text of a request, an answer or a refusal."""
    if isinstance(message, WitnessRequest):
        proof = [("hash", encode64(digest)) for digest in message.path]
        lists = [line for closed in message.closes for line in _list_lines(closed)]
        lines = (("log", message.log.text), ("old", str(message.old)), *proof, *lists, *note_lines(message.note))
        return blocks.block("ask", lines)
    if isinstance(message, WitnessRefusal):
        held = note_lines(message.note)
        if message.why == "doubled":
            held = [
                line for proven in message.doubled for line in (*_list_lines(proven.shown), *note_lines(proven.note))
            ]
        return blocks.block("refuses", (("key", message.key.text), ("why", message.why), *held))
    lines = (
        ("key", message.key.text),
        ("size", str(message.size)),
        ("root", encode64(message.root)),
        ("by", message.line.text),
    )
    return blocks.block("saw", lines) + (b"\n" + message.sees if message.sees else b"")


def _list_lines(shown: ShownList) -> list[tuple[str, str]]:
    return [("close", f"{shown.at} {encode64(shown.data)}"), *(("path", encode64(digest)) for digest in shown.path)]


def parse(data: bytes) -> WitnessRequest | WitnessAnswer | WitnessRefusal:
    """Parse such a text without verifying; raise Malformed unless it is canonical."""
    if len(data) > LONGEST_TEXT:
        raise Malformed(f"it is longer than {LONGEST_TEXT} octets")
    first, blank, statement = data.partition(b"\n\n")
    kind, pairs = blocks.parse(first + b"\n" if blank else data)
    reader = _READERS.get(kind)
    if reader is None:
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"{kind[:20]!r} is not what a server and a witness write")
    message = reader(pairs)
    if blank and isinstance(message, WitnessAnswer):
        message = message._replace(sees=_check_statement(statement, message))
    if write(message) != data:
        raise Malformed("it is not how it would be written")
    return message


def _check_statement(statement: bytes, answer: WitnessAnswer) -> bytes:
    """Return the statement's block.

    Raise Malformed unless tree and key are the cosignature's.
    """
    read, own = witness_statement.read(statement), witness_statement.plain_key(answer.key)
    tree = read.said.tree
    if (tree.size, tree.root, read.by.name, read.by.id) != (answer.size, answer.root, own.name, own.id):
        raise Malformed("what is said of the lists is of another tree, or by another key")
    return statement


def _read_request(pairs: Pairs) -> WitnessRequest:
    (log, old, path), lines = split_by_key(pairs, "log", "old", "hash")
    closes, lines = _read_lists(lines)
    signed = signed_note(lines)
    checkpoint.parse_checkpoint(note.parse(signed))
    return WitnessRequest(_key(log, ED25519), _number(old), checkpoint.decode_hashes(path), signed, closes)


def _read_lists(lines: list[tuple[str, str]]) -> tuple[tuple[ShownList, ...], list[tuple[str, str]]]:
    """Split off the closed lists at the beginning of some lines."""
    lists = []
    while lines and lines[0][0] == "close":
        (path,), remaining = split_by_key(lines[1:], "path")
        index, _, data = lines[0][1].partition(" ")
        lists.append(ShownList(_number([index]), decode64(data), checkpoint.decode_hashes(path)))
        lines = remaining
    return tuple(lists), lines


def _read_answer(pairs: Pairs) -> WitnessAnswer:
    (key, size, root, by), rest = split_by_key(pairs, "key", "size", "root", "by")
    if rest or len(root) != 1 or len(by) != 1:
        raise Malformed("a witness says whose key, which tree, and signs it")
    read, line = _key(key, COSIGNATURE), note.parse_signature(by[0])
    (root_hash,) = checkpoint.decode_hashes(root)
    if (line.name, line.id) != (read.name, read.id) or len(line.signed) != 72:
        raise Malformed("the cosignature is not of the key that is named")
    return WitnessAnswer(read, _number(size), root_hash, line)


def _read_refusal(pairs: Pairs) -> WitnessRefusal:
    (key, why), lines = split_by_key(pairs, "key", "why")
    if len(why) != 1 or why[0] not in REFUSAL_REASONS:
        raise Malformed(f"a witness refuses because of {', '.join(REFUSAL_REASONS)}")
    if why[0] == "doubled":
        proven = tuple(_read_proven(lines))
        if len(proven) != 2:
            raise Malformed("two lists are shown of a segment that was closed twice")
        return WitnessRefusal(_key(key, COSIGNATURE), why[0], proven[1].note, proven)
    signed = signed_note(lines)
    checkpoint.parse_checkpoint(note.parse(signed))
    return WitnessRefusal(_key(key, COSIGNATURE), why[0], signed)


def _read_proven(lines: list[tuple[str, str]]) -> Iterator[ProvenList]:
    while lines:
        shown, lines = _read_lists(lines)
        (text, by), lines = split_by_key(lines, "text", "by")
        signed = signed_note([*(("text", line) for line in text), *(("by", line) for line in by)])
        checkpoint.parse_checkpoint(note.parse(signed))
        if len(shown) != 1:
            raise Malformed("each list is shown with a note of its own")
        yield ProvenList(shown[0], signed)


_READERS: Mapping[str, Callable[[Pairs], WitnessRequest | WitnessAnswer | WitnessRefusal]] = {
    "ask": _read_request,
    "saw": _read_answer,
    "refuses": _read_refusal,
}


def _key(values: Sequence[str], kind: int) -> Key:
    if len(values) != 1 or (key := note.parse_key(values[0])).kind != kind:
        raise Malformed("there is one key, of the kind that signs here")
    return key


def _number(values: Sequence[str]) -> int:
    if len(values) != 1 or not values[0].isascii() or not values[0].isdigit() or len(values[0]) > 18:
        raise Malformed("a number is missing")
    return int(values[0])
