"""Check Merkle trees (RFC 9162 2.1), checkpoints, and their signatures.

Formats are C2SP signed-note, tlog-checkpoint and tlog-cosignature.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .bls import is_bls_signature_valid
from .curve import is_ed25519_signature_valid, vrf_output
from .fields import NUM, Block, FormatError, decode_base64, sha256_hex

PLAIN, COSIGNATURE = 1, 4
"""The kinds of keys: a log's, and a witness's, whose signatures contain the time."""

MOST_SIGNATURES = 64
"""Signatures of a note that are read (docs/dice-log-checks.md): each may cost a check on a curve."""


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root over leaf hashes (RFC 9162 2.1.1).

    The root of no leaves is the hash of nothing.
    """
    if not leaves:
        return hashlib.sha256(b"").digest()
    row = list(leaves)
    while len(row) > 1:
        pairs = [node_hash(row[index], row[index + 1]) for index in range(0, len(row) - 1, 2)]
        row = pairs + row[len(pairs) * 2 :]
    return row[0]


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that a path leads to from a leaf (RFC 9162 2.1.3).

    The leaf is the one at `index` of `size`. None means that the path does not fit.
    """
    if index >= size:
        return None
    digest, width, remaining = leaf, size, list(path)
    while width > 1:
        if index % 2 or index + 1 < width:
            if not remaining:
                return None
            digest = node_hash(remaining[0], digest) if index % 2 else node_hash(digest, remaining[0])
            del remaining[0]
        index, width = index // 2, (width + 1) // 2
    return None if remaining else digest


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether a leaf with this hash is at `index` of a tree of `size` leaves."""
    return root_from_path(leaf, index, size, path) == root


def is_extension(old: int, size: int, roots: tuple[bytes, bytes], path: Sequence[bytes]) -> bool:
    """Return whether a tree begins with an older one (RFC 9162 2.1.4).

    The trees have `size` and `old` leaves; `roots` are theirs, old first.
    """
    if not 0 < old <= size:
        return False
    if old == size:
        return not path and roots[0] == roots[1]
    last, width, remaining = old - 1, size, list(path)
    while last % 2:
        last, width = last // 2, (width + 1) // 2
    if last and not remaining:
        return False
    old_root = new_root = remaining.pop(0) if last else roots[0]
    while width > 1:
        if last % 2 or last + 1 < width:
            if not remaining:
                return False
            old_root, new_root = (
                (node_hash(remaining[0], old_root), node_hash(remaining[0], new_root))
                if last % 2
                else (old_root, node_hash(new_root, remaining[0]))
            )
            del remaining[0]
        last, width = last // 2, (width + 1) // 2
    return not remaining and (old_root, new_root) == roots


class VerifyingFunctions(NamedTuple):
    """The functions that verify signatures, VRF proofs and beacon signatures.

    Libraries may replace the slow ones here, with the same results.
    """

    signed: Callable[[bytes, bytes, bytes], bool] = is_ed25519_signature_valid
    output: Callable[[bytes, bytes, bytes], bytes | None] = vrf_output
    beacon: Callable[[bytes, bytes, bytes], bool] = is_bls_signature_valid


class LogKey(NamedTuple):
    """A public key with its name."""

    name: str
    kind: int
    public: bytes
    text: str

    @property
    def ident(self) -> str:
        """Return the four bytes, in hex, that precede its signatures."""
        return key_id(self.name, self.kind, self.public)


def key_id(name: str, kind: int, public: bytes) -> str:
    # Four octets (C2SP signed-note).
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).hexdigest()[:8]


def parse_log_key(text: str) -> LogKey:
    """Parse a key as it is written: name+id+base64."""
    name, _, rest = text.partition("+")
    ident, _, coded = rest.partition("+")
    try:
        raw = decode_base64(coded, 33)
    # The message below shows the key as it was given, or its beginning: it may be any text.
    except FormatError:
        raw = b""
    if not raw or not re.fullmatch(r"[^\s+]+", name) or raw[0] not in (PLAIN, COSIGNATURE):
        raise FormatError("no key: {}", text[:80])
    key = LogKey(name, raw[0], raw[1:], text)
    if key.ident != ident:
        raise FormatError("no key: {}", text[:80])
    return key


class SignedTree:
    """A checkpoint: name, size and root of a log, and its signatures.

    A signature has name, id and bytes; it is not verified here.
    """

    def __init__(self, body: bytes, signatures: bytes) -> None:
        # Missing lines are read as empty ones, which are refused below.
        origin, size, root, *extra = [*body.decode("ascii")[:-1].split("\n"), "", "", ""][: max(3, body.count(b"\n"))]
        if not origin or not all(extra) or not re.fullmatch(NUM, size):
            raise FormatError("a checkpoint has a name, a size and a root")
        self.body, self.origin, self.size, self.root = body, origin, int(size), decode_base64(root)
        lines = signatures.decode("ascii").split("\n")
        if lines.pop() or len(lines) > MOST_SIGNATURES or (self.size == 0 and self.root.hex() != sha256_hex(b"")):
            raise FormatError("a checkpoint ends with signatures")
        self.signatures = [parse_signature_line(line.removeprefix("-- ")) for line in lines if line.startswith("-- ")]
        if len(self.signatures) != len(lines) or not lines:
            raise FormatError("a signature reads -- name base64")


def parse_signature_line(text: str) -> tuple[str, str, bytes]:
    """Return name, id and bytes of a signature line."""
    match = re.fullmatch(r"([^\s+]+) (\S+)", text)
    raw = decode_base64(match[2], 0) if match else b""
    if match is None or len(raw) < 5:
        raise FormatError("a signature reads -- name base64")
    # The id of the key comes first (`key_id`).
    return match[1], raw[:4].hex(), raw[4:]


class CosignedTree(NamedTuple):
    """A tree that witnesses signed.

    `path` proves that it has the leaf `at`, and `grown` that the letter's tree begins with it.
    """

    at: int
    path: list[bytes]
    grown: list[bytes]
    tree: SignedTree


def cosigned_tree_of(part: Block) -> CosignedTree:
    text = "".join(f"{value}\n" for value in part.all("text"))
    signature_lines = "".join(f"-- {value}\n" for value in part.all("by"))
    tree = SignedTree(text.encode(), signature_lines.encode())
    return CosignedTree(
        part.num("index"),
        [decode_base64(digest) for digest in part.all("hash")],
        [decode_base64(digest) for digest in part.all("grown")],
        tree,
    )


class WitnessStatement(NamedTuple):
    """A witness's signed statement: at `time` a tree, and leaves that close a list.

    `by` has its signature: name, id, bytes.
    """

    told: bytes
    origin: str
    size: int
    root: bytes
    time: int
    closes: list[tuple[str, str, int, str]]
    by: tuple[str, str, bytes]


def witness_statement_of(part: Block) -> WitnessStatement:
    closes = []
    for line in part.all("close"):
        game, phase, segment, digest = line.split(" ")
        closes.append((game, phase, int(segment), digest))
    signed_text = part.data[: part.data.index(b"\nby ") + 1]
    signature = parse_signature_line(part["by"])
    # Game, phase and segment, for which there is one list.
    if len({closed[:3] for closed in closes}) < len(closes) or len(signature[2]) != 64:
        raise FormatError("a witness sees one list of a segment, and signs that")
    return WitnessStatement(
        signed_text, part["log"], part.num("size"), decode_base64(part["root"]), part.num("time"), closes, signature
    )
