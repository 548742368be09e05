"""The tree of the log, RFC 9162 2.1, as Certificate Transparency has it; its checkpoints, and who has signed them:
C2SP signed-note, tlog-checkpoint, tlog-cosignature."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .bls import bls_signed
from .curve import ed25519, vrf_output
from .fields import Bad, Block, b64, sha

PLAIN, COSIGNATURE = 1, 4
"""The kinds of keys: of a log, and of a witness, who signs with the time."""

MOST_SIGNATURES = 64


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """The root over the hashes of leaves, RFC 9162 2.1.1; of no leaf the hash of nothing."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    row = list(leaves)
    while len(row) > 1:
        pairs = [node(row[at], row[at + 1]) for at in range(0, len(row) - 1, 2)]
        row = pairs + row[len(pairs) * 2 :]
    return row[0]


def root_by(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """RFC 9162 2.1.3: the root that a path leads to from the hash of a leaf at `index` of `size`; None if to none."""
    if index >= size:
        return None
    got, width, left = leaf, size, list(path)
    while width > 1:
        if index % 2 or index + 1 < width:
            if not left:
                return None
            got = node(left[0], got) if index % 2 else node(got, left[0])
            del left[0]
        index, width = index // 2, (width + 1) // 2
    return None if left else got


def included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether the leaf of this hash stands at `index` in the tree of `size` leaves."""
    return root_by(leaf, index, size, path) == root


def grown(old: int, size: int, roots: tuple[bytes, bytes], path: Sequence[bytes]) -> bool:
    """RFC 9162 2.1.4: whether the tree of `size` leaves begins with that of `old`; `roots` are theirs, old first."""
    if not 0 < old <= size:
        return False
    if old == size:
        return not path and roots[0] == roots[1]
    last, width, left = old - 1, size, list(path)
    while last % 2:
        last, width = last // 2, (width + 1) // 2
    if last and not left:
        return False
    small = big = left.pop(0) if last else roots[0]
    while width > 1:
        if last % 2 or last + 1 < width:
            if not left:
                return False
            small, big = (node(left[0], small), node(left[0], big)) if last % 2 else (small, node(big, left[0]))
            del left[0]
        last, width = last // 2, (width + 1) // 2
    return not left and (small, big) == roots


class Means(NamedTuple):
    """How signatures, VRF proofs and the beacon's signatures are checked; libraries do it faster, and say the same."""

    signed: Callable[[bytes, bytes, bytes], bool] = ed25519
    output: Callable[[bytes, bytes, bytes], bytes | None] = vrf_output
    beacon: Callable[[bytes, bytes, bytes], bool] = bls_signed


class LogKey(NamedTuple):
    """A public key under its name."""

    name: str
    kind: int
    public: bytes
    text: str

    @property
    def ident(self) -> str:
        """The four bytes, in hex, that stand before its signatures."""
        return key_ident(self.name, self.kind, self.public)


def key_ident(name: str, kind: int, public: bytes) -> str:
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).hexdigest()[:8]


def log_key(text: str) -> LogKey:
    """A key as it is told: name+id+base64."""
    name, _, rest = text.partition("+")
    ident, _, coded = rest.partition("+")
    try:
        raw = b64(coded, 33)
    except Bad:
        raw = b""
    if not raw or not re.fullmatch(r"[^\s+]+", name) or raw[0] not in (PLAIN, COSIGNATURE):
        raise Bad("no key: {}", text[:80])
    key = LogKey(name, raw[0], raw[1:], text)
    if key.ident != ident:
        raise Bad("no key: {}", text[:80])
    return key


class Tree:
    """A checkpoint: name, size and root of a log, and who is said to have signed that: name, id, signature."""

    def __init__(self, body: bytes, signatures: bytes) -> None:
        origin, size, root, *extra = [*body.decode("ascii")[:-1].split("\n"), "", "", ""][: max(3, body.count(b"\n"))]
        if not origin or not all(extra) or not re.fullmatch("0|[1-9][0-9]{0,17}", size):
            raise Bad("a checkpoint has a name, a size and a root")
        self.body, self.origin, self.size, self.root = body, origin, int(size), b64(root)
        lines = signatures.decode("ascii").split("\n")
        if lines.pop() or len(lines) > MOST_SIGNATURES or (self.size == 0 and self.root.hex() != sha(b"")):
            raise Bad("a checkpoint ends with signatures")
        self.signatures = [signature_of(line.removeprefix("-- ")) for line in lines if line.startswith("-- ")]
        if len(self.signatures) != len(lines) or not lines:
            raise Bad("a signature reads -- name base64")


def signature_of(text: str) -> tuple[str, str, bytes]:
    """Name, id and signature of a line."""
    found = re.fullmatch(r"([^\s+]+) (\S+)", text)
    raw = b64(found[2], 0) if found else b""
    if found is None or len(raw) < 5:
        raise Bad("a signature reads -- name base64")
    return found[1], raw[:4].hex(), raw[4:]


class Cosigned(NamedTuple):
    """A tree that others have signed: it has the leaf `at` by `path`, and by `grown` the letter's begins with it."""

    at: int
    path: list[bytes]
    grown: list[bytes]
    tree: Tree


def cosigned_of(part: Block) -> Cosigned:
    text = "".join(f"{value}\n" for value in part.all("text"))
    by = "".join(f"-- {value}\n" for value in part.all("by"))
    tree = Tree(text.encode(), by.encode())
    return Cosigned(
        part.num("index"), [b64(one) for one in part.all("hash")], [b64(one) for one in part.all("grown")], tree
    )


class Sees(NamedTuple):
    """What a witness says that he sees: at `time` a tree, and these leaves that close a list; who signed it."""

    told: bytes
    origin: str
    size: int
    root: bytes
    time: int
    closes: list[tuple[str, str, int, str]]
    by: tuple[str, str, bytes]


def sees_of(part: Block) -> Sees:
    closes = []
    for line in part.all("close"):
        game, phase, segment, digest = line.split(" ")
        closes.append((game, phase, int(segment), digest))
    told = part.data[: part.data.index(b"\nby ") + 1]
    by = signature_of(part["by"])
    if len({one[:3] for one in closes}) < len(closes) or len(by[2]) != 64:
        raise Bad("a witness sees one list of a segment, and signs that")
    return Sees(told, part["log"], part.num("size"), b64(part["root"]), part.num("time"), closes, by)
