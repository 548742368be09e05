#!/usr/bin/env python3
"""Check the letters of a play-by-mail server: python3 verify.py FILE|MBOX|FOLDER... [--log-key KEY] [--witness KEY]

One file, nothing but Python 3.11, and no line of the server's own program: read it, then believe it. Keep all letters
of your game; each has an attachment `pbemdice.txt`. A line is printed for each check, at its head ok, FALSE or NOT
CHECKED. It ends with 0 if all is true, 1 if something is false, 2 if something cannot be checked.

What is checked: the server keeps one log, a Merkle tree (RFC 9162), and signs its root in every letter. Closed orders
are a leaf before the beacon's round comes out that was fixed for them; the dice are HMACs under the output of a VRF
(RFC 9381) of closed orders and beacon. So nobody, the server included, could know or choose them. Not checked: the
beacon's signature (compare it with any drand relay), and whether the rules were applied rightly to the dice.
"""

import base64
import email
import email.policy
import email.utils
import hashlib
import hmac
import re
import shlex
import sys
from datetime import UTC
from itertools import count
from pathlib import Path
from typing import Any

CHECKS = (
    *("form", "keys", "signature", "inclusion", "chain", "consistency", "recovery", "close", "orders", "own"),
    *("round", "beacon", "vrf", "dice", "manifest", "opened", "timing"),
)
QUICKNET, GENESIS, PERIOD = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971", 1692803367, 3
SLACK = 120  # seconds that clocks of mail servers may be wrong
TOP = "pbemdice/v1/"


class Bad(Exception):
    """This letter is not written as it must be."""


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, "sha256").digest()


def block(kind: str, *pairs: tuple[str, object]) -> bytes:
    return "".join([TOP, kind, "\n", *(f"{key} {value}\n" for key, value in pairs)]).encode()


def b64(text: str, length: int = 32) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        raise Bad(f"no base64: {text[:60]}") from None
    if base64.b64encode(raw).decode() != text or (length and len(raw) != length):
        raise Bad(f"no base64 of {length} bytes: {text[:60]}")
    return raw


# The curve edwards25519, RFC 8032. A point is (x, y, z), projective.

Q = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
CURVE_D = -121665 * pow(121666, Q - 2, Q) % Q
ZERO = (0, 1, 1)


def plus(a: Any, b: Any) -> Any:
    z = a[2] * b[2] % Q
    zz, x, y = z * z % Q, a[0] * b[0] % Q, a[1] * b[1] % Q
    e = CURVE_D * x * y % Q
    cross = ((a[0] + a[1]) * (b[0] + b[1]) - x - y) % Q
    return z * (zz - e) * cross % Q, z * (zz + e) * (x + y) % Q, (zz - e) * (zz + e) % Q


def times(n: int, point: Any) -> Any:
    total = ZERO
    for bit in bin(n)[2:]:
        total = plus(total, total)
        if bit == "1":
            total = plus(total, point)
    return total


def minus(point: Any) -> Any:
    return -point[0] % Q, point[1], point[2]


def packed(point: Any) -> bytes:
    inverse = pow(point[2], Q - 2, Q)
    x, y = point[0] * inverse % Q, point[1] * inverse % Q
    return int(y + ((x % 2) << 255)).to_bytes(32, "little")


def unpacked(raw: bytes) -> Any:
    sign, y = divmod(int.from_bytes(raw, "little"), 2**255)
    if len(raw) != 32 or y >= Q:
        return None
    square = (y * y - 1) * pow(CURVE_D * y * y + 1, Q - 2, Q) % Q
    x = pow(square, (Q + 3) // 8, Q)
    if x * x % Q != square:
        x = x * pow(2, (Q - 1) // 4, Q) % Q
    if x * x % Q != square or (x == 0 and sign):
        return None
    return (x if x % 2 == sign else Q - x), y, 1


BASE = unpacked(bytes([0x58] + [0x66] * 31))


def prime(point: Any) -> bool:
    return point is not None and packed(point) != packed(ZERO) and packed(times(L, point)) == packed(ZERO)


def ed25519(public: bytes, message: bytes, signed: bytes) -> bool:
    """RFC 8032 5.1.7, keys and points of small order refused."""
    a, r, s = unpacked(public), unpacked(signed[:32]), int.from_bytes(signed[32:], "little")
    if len(signed) != 64 or s >= L or a is None or r is None:
        return False
    if packed(ZERO) in (packed(times(8, a)), packed(times(8, r))):
        return False
    h = int.from_bytes(hashlib.sha512(signed[:32] + public + message).digest(), "little")
    return packed(plus(times(s, BASE), minus(times(h % L, a)))) == signed[:32]


def vrf(public: bytes, alpha: bytes, proof: bytes) -> bytes | None:
    """RFC 9381 5.3, ECVRF-EDWARDS25519-SHA512-TAI: the 64 bytes that are proven, or None."""
    y, gamma = unpacked(public), unpacked(proof[:32])
    c, s = (int.from_bytes(part, "little") for part in (proof[32:48], proof[48:]))
    if len(proof) != 80 or s >= L or not prime(y) or not prime(gamma):
        return None
    for n in range(256):
        h = unpacked(hashlib.sha512(b"\3\1" + public + alpha + bytes([n, 0])).digest()[:32])
        h = h and times(8, h)
        if h and packed(h) != packed(ZERO):
            break
    u = plus(times(s, BASE), minus(times(c, y)))
    v = plus(times(s, h), minus(times(c, gamma)))
    seen = b"".join([public, packed(h), proof[:32], packed(u), packed(v)])
    if hashlib.sha512(b"\3\2" + seen + b"\0").digest()[:16] != proof[32:48]:
        return None
    return hashlib.sha512(b"\3\3" + packed(times(8, gamma)) + b"\0").digest()


# The tree, RFC 9162 2.1


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def included(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    if index >= size:
        return False
    got, width, path = hashlib.sha256(b"\0" + leaf).digest(), size, list(path)
    while width > 1:
        if index % 2 or index + 1 < width:
            if not path:
                return False
            got = node(path[0], got) if index % 2 else node(got, path[0])
            del path[0]
        index, width = index // 2, (width + 1) // 2
    return not path and got == root


def grown(old: int, size: int, old_root: bytes, root: bytes, path: list[bytes]) -> bool:
    if not 0 < old <= size:
        return False
    if old == size:
        return not path and old_root == root
    last, width, path = old - 1, size, list(path)
    while last % 2:
        last, width = last // 2, (width + 1) // 2
    if last and not path:
        return False
    small = big = path.pop(0) if last else old_root
    while width > 1:
        if last % 2 or last + 1 < width:
            if not path:
                return False
            small, big = (node(path[0], small), node(path[0], big)) if last % 2 else (small, node(big, path[0]))
            del path[0]
        last, width = last // 2, (width + 1) // 2
    return not path and (small, big) == (old_root, root)


# The dice


def throw(beta: bytes, label: str, n: int, sides: int) -> list[int]:
    size = 1 if sides <= 256 else 2 if sides <= 65536 else 4
    values: list[int] = []
    for j in count():
        part = mac(beta, block("die", ("label", label), ("block", j)))
        for at in range(0, 32, size):
            word = int.from_bytes(part[at : at + size], "big")
            if word < 256**size - 256**size % sides:
                values.append(1 + word % sides)
                if len(values) == n:
                    return values
    return values


# Reading. Every block has its lines in one order, every value its form; a star means any number of such lines, a
# question mark that they may be left out.

ID, NUM, HEX = r"[A-Za-z0-9._/~-]{1,64}", r"(?:0|[1-9][0-9]{0,17})", "[0-9a-f]{64}"
ANY, HASH, VRF = ".+", r"[A-Za-z0-9+/]{43}=", "[0-9a-f]{160}"
PHASE, SEG, KEY = f"phase {ID}", "segment [1-9][0-9]{0,17}", r"\S+\+[0-9a-f]{8}\+\S+"
LEAF = {
    "genesis": [f"log {KEY}", f"vrf {HEX}", f"chain (?:{HEX}|none)"],
    "open": [PHASE, f"D {NUM}", f"delta {NUM}", f"chain (?:{HEX}|none)", f"round {NUM}", f"edition sha256:{HEX}",
             f"state hmac:{HEX}", f"seats {ID}(?: {ID})*", f"?system {ID}\npace (?:phase|activation)"],
    "deadline": [PHASE, f"D {NUM}", f"round {NUM}", "cause (?:go|all-in|extend|outage|vacation|bounce|moderator)"],
    "order": [PHASE, f"seat {ID}", f"rev {NUM}", f"commit {HASH}", f"eml {HEX}", f"recv {NUM}"],
    "answer": [PHASE, SEG, f"seat {ID}", f"commit {HASH}"],
    "close": [PHASE, SEG, f"slate {HEX}", f"seen (?:-|{ID}:{NUM}:{HEX}(?: {ID}:{NUM}:{HEX})*)"],
    "roll": [PHASE, SEG, "sig (?:[0-9a-f]{96}|none)", f"*group {ID} (?:{VRF}|{HEX})",
             f"manifest (?:sha256|hmac):{HEX}(?: (?:sha256|hmac):{HEX})*"],
    "result": [PHASE, f"state hmac:{HEX}", f"report hmac:{HEX}"],
    "again": [PHASE, "run [1-9][0-9]{0,17}", "ruling [1-9][0-9]{0,17}", f"state hmac:{HEX}",
              f"manifest (?:sha256|hmac):{HEX}(?: (?:sha256|hmac):{HEX})*"],
    "disclose": [PHASE],
    "ruling": [PHASE, "number [1-9][0-9]{0,17}", f"text sha256:{HEX}"],
    "rotate": [f"log {KEY}", f"vrf {HEX}", f"size {NUM}", f"root {HEX}"],
    "beacon-change": [f"chain (?:{HEX}|none)"],
}  # fmt: skip
PART = {
    "bundle": [f"game {ID}", f"seat {ID}", "letter (?:welcome|receipt|closed|report|disclosure)", PHASE,
               "grade [ABC-]"],
    "slate": [f"game {ID}", PHASE, SEG, f"previous (?:{HEX}|-)", f"edition sha256:{HEX}",
              f"state hmac:{HEX}", f"beacon (?:none|{HEX} {NUM})", f"*seat {ID} {NUM} {HASH}"],
    "manifest": [f"game {ID}", PHASE, SEG, f"group {ID}",
                 r"*roll [1-9][0-9]{0,8} .+ [1-9][0-9]{0,8}d[1-9][0-9]{0,9} [1-9][0-9]*(?:,[1-9][0-9]*)*"],
    "orders": ["phase .+", SEG, "seat .+", f"rev {NUM}", f"proof {VRF}", "*text .+"],
    "group": ["phase .+", SEG, "group .+", f"proof {VRF}"],
    "reveal": ["phase .+", f"proof {VRF}", "*before .+", "*after .+"],
    "said": [f"number {NUM}", "*text .+"],
    "edition": [f"system {ID}", "pace (?:phase|activation)", "*text .+"],
    "consistency": [f"from {NUM}", f"root {HASH}", f"*hash {HASH}"],
    "proof": [f"index {NUM}", f"*hash {HASH}"],
    "cosigned": [f"index {NUM}", f"*hash {HASH}", f"*grown {HASH}", "*text .+", "*by .+"],
}  # fmt: skip


# What must say the same after a restore: by kind of leaf, which act it is, and what it said.
BOUND = {
    "open": (["phase"], ["edition", "state", "seats"]),
    "close": (["phase", "segment"], ["slate"]),
    "roll": (["phase", "segment"], ["sig", "group", "manifest"]),
    "result": (["phase"], ["state", "report"]),
    "again": (["phase", "run"], ["state", "manifest"]),
    "ruling": (["number"], ["text"]),
    "order": (["phase", "seat"], ["rev", "commit"]),
    "answer": (["phase", "segment", "seat"], ["commit"]),
}


class Block:
    """A block of a bundle: its kind, its bytes, the value of each key; `more` are the lines that may repeat.

    What `Letter.look` finds in a slate, a manifest or a reveal is kept with it.
    """

    seats: dict[str, tuple[int, bytes]]
    rolls: list[tuple[int, str, int, int, list[int]]]
    states: list[str]
    tree: "Tree"

    def __init__(self, data: bytes) -> None:
        kind, *lines = data.decode("ascii")[:-1].split("\n")
        self.data, self.kind = data, kind.removeprefix(TOP)
        head = [f"game {ID}", f"seq {NUM}", f"prev (?:-|{HEX})"] if self.kind in LEAF else []
        form = "".join(
            f"(?:{line[1:]}\n){line[0]}" if line[0] in "*?" else f"{line}\n"
            for line in [*head, *(LEAF.get(self.kind) or PART.get(self.kind) or ["(?!)"])]
        )
        if not kind.startswith(TOP) or re.fullmatch(form, data.decode()[len(kind) + 1 :]) is None:
            raise Bad(f"no block is written like this: {lines[0][:60] if lines else kind[:60]}")
        pairs = [(key, value) for key, _, value in (line.partition(" ") for line in lines)]
        self.says: dict[str, str] = dict(reversed(pairs))
        self.more: list[str] = [value for key, value in pairs if key in ("group", "seat", "roll", "text", "hash")]
        self.pairs = pairs

    def __getitem__(self, key: str) -> str:
        return self.says[key]

    def num(self, key: str, none: int | None = None) -> int:
        return int(self.says[key] if none is None else self.says.get(key, none))

    def told(self, keys: list[str]) -> list[str]:
        return [value for key, value in self.pairs if key in keys]


def log_key(text: str) -> tuple[str, int, bytes]:
    name, ident, raw = text[: text.index("+")], text.split("+")[1], b64("+".join(text.split("+")[2:]), 33)
    if sha(name.encode() + b"\n" + raw)[:8] != ident or raw[0] not in (1, 4):
        raise Bad(f"no key: {text[:80]}")
    return name, raw[0], raw[1:]


def sorted_once(names: list[str]) -> bool:
    return bool(names) and names == sorted(set(names))


class Leaf(Block):
    """A leaf of the log, where it stands in it, and the hashes that prove it."""

    def __init__(self, part: Block, proof: Block) -> None:
        self.__dict__.update(part.__dict__)
        self.game, self.seq = self["game"], self.num("seq")
        self.at, self.path = proof.num("index"), [b64(one) for one in proof.more]
        self.hash = sha(b"\0" + self.data)
        good = (self["prev"] == "-") == (self.seq == 0)
        if self.kind in ("genesis", "rotate", "beacon-change"):
            good &= self.game == "-"
        if self.kind in ("genesis", "rotate"):
            log_key(self["log"])
        if self.kind == "open":
            good &= sorted_once(self["seats"].split(" ")) and (self["chain"] == "none") == (self["round"] == "0")
        if "commit" in self.says:
            b64(self["commit"])
        if self.kind == "roll":
            self.groups = [(one.split(" ")[0], bytes.fromhex(one.split(" ")[1])) for one in self.more]
            names = [name for name, _ in self.groups]
            good &= sorted_once(names) and len(self["manifest"].split(" ")) == len(names)
        if not good:
            raise Bad(f"leaf {self.seq} of {self.game} contradicts itself")


class Tree:
    """A checkpoint (C2SP tlog-checkpoint): name, size and root of a log, and who is said to have signed that."""

    def __init__(self, body: bytes, signatures: bytes) -> None:
        self.body, self.signatures = body, []
        origin, size, root, *extra = [*body.decode()[:-1].split("\n"), "", "", ""][: max(3, body.count(b"\n"))]
        if not origin or not all(extra) or not re.fullmatch("0|[1-9][0-9]{0,18}", size):
            raise Bad("a checkpoint has a name, a size and a root")
        self.origin, self.size, self.root = origin, int(size), b64(root)
        lines = signatures.decode().split("\n")
        if lines.pop() or len(lines) > 64 or (self.size == 0 and self.root.hex() != sha(b"")):
            raise Bad("a checkpoint ends with signatures")
        for line in lines:
            found = re.fullmatch(r"-- ([^\s+]+) (\S+)", line)
            raw = b64(found[2], 0) if found else b""
            if found is None or len(raw) < 5:
                raise Bad("a signature reads -- name base64")
            self.signatures.append((found[1], raw[:4].hex(), raw[4:]))


class Letter(Tree):
    """What one letter shows."""

    def __init__(self, where: str, received: int | None, data: bytes) -> None:
        self.where, self.received = where, received
        text, blank, signatures = data.rpartition(b"\n\n")
        above, between, body = text.rpartition(b"\n\n")
        if not re.fullmatch(rb"[\n -~]*", data) or not blank or not between:
            raise Bad("a bundle is ASCII, and has a checkpoint at its end")
        super().__init__(body + b"\n", signatures)
        blocks = [Block(part + b"\n") for part in above.split(b"\n\n")]
        self.head = blocks.pop(0)
        self.leaves: list[Leaf] = []
        while blocks and blocks[0].kind in LEAF:
            if len(blocks) < 2 or blocks[1].kind != "proof":
                raise Bad("after a leaf comes its proof")
            self.leaves.append(Leaf(blocks.pop(0), blocks.pop(0)))
        order = ["slate", "manifest", "orders", "group", "reveal", "said", "edition", "consistency", "cosigned"]
        kinds = [one.kind for one in blocks]
        twice = max(kinds.count("consistency"), kinds.count("edition")) > 1
        if self.head.kind != "bundle" or set(kinds) - set(order) or twice:
            raise Bad("a part that does not belong here")
        if kinds != sorted(kinds, key=order.index):
            raise Bad("the parts of a bundle have one order")
        self.parts = {kind: [one for one in blocks if one.kind == kind] for kind in order}
        for one in blocks:
            self.look(one)

    def look(self, one: Block) -> None:
        if one.kind == "slate":
            one.seats = {seat: (int(rev), b64(commit)) for seat, rev, commit in (s.split(" ") for s in one.more)}
            if not sorted_once([line.split(" ")[0] for line in one.more]):
                raise Bad("a slate has its seats in order")
        if one.kind == "manifest":
            found = [re.fullmatch(r"(\d+) (.+) (\d+)d(\d+) (\S+)", line) for line in one.more]
            one.rolls = [(int(f[1]), f[2], int(f[3]), int(f[4]), [int(v) for v in f[5].split(",")]) for f in found if f]
            numbers = [roll[0] for roll in one.rolls]
            wrong = [1 for _, _, n, sides, values in one.rolls if n != len(values) or n > 10000 or sides > 2**32]
            if wrong or (numbers and not sorted_once([f"{n:09}" for n in numbers])):
                raise Bad("a manifest has as many values as dice, and its numbers rise")
        if one.kind == "reveal":
            one.states = ["".join(v for key, v in one.pairs if key == word) for word in ("before", "after")]
            for word, state in zip(("before", "after"), one.states, strict=True):
                if re.findall(r".{119} *[^ ]|.+$", state) != [v for key, v in one.pairs if key == word]:
                    raise Bad("a state is cut in pieces of 120")
        if one.kind in ("edition", "said") and re.findall(r".{119} *[^ ]|.+$", "".join(one.more)) != one.more:
            raise Bad("a long text is cut in pieces of 120")
        for key in ("root", "hash", "grown"):
            [b64(value) for name, value in one.pairs if name == key and one.kind in ("consistency", "cosigned")]
        if one.kind == "cosigned":
            lines = [f"{value}\n" if key == "text" else f"-- {value}\n" for key, value in one.pairs]
            text, by = ("".join(lines[at] for at, (key, _) in enumerate(one.pairs) if key == k) for k in ("text", "by"))
            one.tree = Tree(text.encode(), by.encode())


# Letters as they lie in a mailbox


def letters(path: Path) -> Any:
    files = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
    for file in files:
        raw = file.read_bytes()
        if raw.startswith(TOP.encode() + b"bundle"):
            yield str(file), None, raw.replace(b"\r\n", b"\n")
            continue
        mails = re.split(rb"(?:\A|(?<=\n\n))From [^\n]*\n", raw)[1:] if raw.startswith(b"From ") else [raw]
        for number, mail in enumerate(mails, 1):
            # Anybody may write to a player: what would take the parser minutes, or its stack, is none of our letters.
            low, field = mail.lower(), rb"(?m)^content-[a-z-]{1,30}:([^\n]{4096}|([^\n]*\n[ \t]){50})"
            many = any(
                low.count(w) > n for w, n in ((b"multipart/", 20), (b"message/", 20), (b"\n--", 2000), (b"\n", 10**5))
            )
            if b"pbemdice.txt" not in low or many or re.search(field, low):
                continue
            message = email.message_from_bytes(mail, policy=email.policy.compat32)
            try:  # the topmost Received header is that of the reader's own server
                stamp = str(message.get_all("Received", [""])[0]).split(";")[-1].strip()[:100]
                moment = email.utils.parsedate_to_datetime(stamp)
                when = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
            except (ValueError, TypeError):
                when = None
            for part in message.walk():
                if part.get_filename() == "pbemdice.txt":
                    body = part.get_payload(decode=True)
                    text = (body if isinstance(body, bytes) else b"").replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
                    yield (f"{file}#{number}" if len(mails) > 1 else str(file)), when, text


class Judge:
    """Everything that the letters show, and what was found about it: (check, True, False or None, why)."""

    def __init__(self, mails: Any, pin: str, witnesses: list[str]) -> None:
        self.found: list[tuple[str, bool | None, str]] = []
        self.witnesses = [log_key(one) for one in witnesses]
        self.pin, self.by_hand = log_key(pin) if pin else None, ""
        self.all: list[Letter] = []
        for where, when, data in mails:
            try:
                self.all.append(Letter(where, when, data))
                self.say("form", True, "")
            except Bad as bad:
                self.say("form", False, f"{where}: {bad}")
        if not self.found:
            self.say("form", None, "there is no pbemdice.txt here")
        begun = [leaf for letter in self.all for leaf in letter.leaves if leaf.kind == "genesis"]
        names = sorted({letter.origin for letter in self.all}, key=len)
        self.name = log_key(begun[0]["log"])[0] if begun else names[0] if names else ""

    def epoch(self, name: str) -> int:
        """A log that was begun anew after a restore has its first name and a number: name, name/2, name/3."""
        number = name.removeprefix(self.name + "/")
        return 1 if name == self.name else int(number) if re.fullmatch("[2-9]|[1-9][0-9]{1,8}", number) else 0

    def end(self, leaves: list[Leaf], epoch: int) -> Leaf | None:
        """The leaf by which an epoch ended: the first that begins a later one."""
        later = [leaf for leaf in leaves if leaf.kind == "rotate" and self.epoch(log_key(leaf["log"])[0]) > epoch]
        return min(later, key=lambda leaf: leaf.at, default=None)

    def courses(self) -> Any:
        """The letters of each epoch, with those of earlier ones that are of the same tree: up to the leaf `rotate`."""
        last = max((self.epoch(letter.origin) for letter in self.all), default=1) or 1
        own: dict[int, list[Letter]] = {}
        for letter in self.all:
            own.setdefault(self.epoch(letter.origin) or last, []).append(letter)
        for now in sorted(own) or [1]:
            mine, shared = own.get(now, []), []
            for before in sorted(before for before in own if before < now):
                end = self.end([leaf for letter in mine for leaf in letter.leaves], before)
                shared += [letter for letter in own[before] if end is None or letter.size <= end.at]
            yield now, [*shared, *mine]

    def take(self, letters: list[Letter]) -> None:
        self.letters = sorted(letters, key=lambda letter: letter.size)
        self.vrf, self.logs = b"", [self.pin] if self.pin else []
        self.proven: list[tuple[bytes, Tree]] = []
        self.chains: set[str] = set()
        self.leaves: dict[tuple[str, int], Leaf] = {}
        for letter in self.letters:
            for leaf in letter.leaves:
                one = self.leaves.setdefault((leaf.game, leaf.seq), leaf)
                same = (one.data, one.at) == (leaf.data, leaf.at)
                self.say("chain", same, f"{letter.where}: another letter shows another leaf {leaf.seq} of {leaf.game}")
        self.phases: dict[tuple[str, str], list[Leaf]] = {}
        for leaf in sorted(self.leaves.values(), key=lambda leaf: leaf.seq):
            if "phase" in leaf.says:
                self.phases.setdefault((leaf.game, leaf["phase"]), []).append(leaf)
        self.slates = {sha(s.data): s for letter in self.letters for s in letter.parts["slate"]}
        self.rolled = {
            (m["game"], m["phase"], m.num("segment"), m["group"]): m
            for letter in self.letters for m in letter.parts["manifest"]
        }  # fmt: skip

    def say(self, check: str, truth: bool | None, why: str) -> bool | None:
        self.found.append((check, truth if truth is None else bool(truth), why))
        return truth

    def run(self) -> None:
        known: list[tuple[int, list[Letter], dict[tuple[str, int], Leaf]]] = []
        for epoch, letters in self.courses():
            self.take(letters)
            self.course()
            known.append((epoch, letters, self.leaves))
        self.recovery(known[:-1])

    def course(self) -> None:
        self.keys()
        self.log()
        for (game, name), leaves in sorted(self.phases.items()):
            self.phase(game, name, leaves)
        named = {leaf["slate"] for leaf in self.leaves.values() if leaf.kind == "close"}
        for digest, slate in self.slates.items():
            self.say("close", digest in named, f"{slate['phase']}: a slate that was never closed")
        self.reveal()
        for (game, name), leaves in sorted(self.phases.items()):
            self.rolls(game, name, leaves)
        self.strange_keys()
        for letter in self.letters:
            self.own(letter)
            self.grade(letter)
        self.invented()

    def keys(self) -> None:
        first = self.leaves.get(("-", 0))
        if first is None or first.kind != "genesis":
            self.say("keys", None, "no letter shows the log's first leaf: add your welcome letter")
            return
        log = log_key(first["log"])
        self.vrf = bytes.fromhex(first["vrf"])
        self.chains = {leaf["chain"] for leaf in self.leaves.values() if leaf.kind in ("genesis", "beacon-change")}
        self.say("keys", first.at == 0 and log[1] == 1, "the leaf with the keys is not the first, or they are others")
        self.say("keys", prime(unpacked(self.vrf)) and self.vrf != log[2], "the key of the dice is not fit for it")
        self.logs, last = [log], 1
        for leaf in sorted(self.leaves.values(), key=lambda leaf: leaf.seq):
            if leaf.kind == "rotate":
                name, *rest = log_key(leaf["log"])
                fit, number = rest == list(log[1:]) and leaf["vrf"] == first["vrf"], self.epoch(name)
                self.say("keys", fit and number > last, f"leaf {leaf.at} begins the log anew, with other keys or names")
                if fit and number > last:
                    self.logs, last = [*self.logs, (name, *log[1:])], number
        if self.pin:
            self.say("keys", self.pin in self.logs, f"the log's key is {first['log']}, not the one you named")
            self.logs = self.logs if self.pin in self.logs else [self.pin]
        elif all(letter.head["letter"] != "welcome" for letter in self.letters):
            self.say("keys", None, f"no welcome letter: compare with yours that the log's key is {first['log']}")

    def signed(self, letter: Tree) -> tuple[bool | None, str]:
        if not self.logs:
            return None, "the key of the log is not known"
        name, kind, public = next((key for key in self.logs if key[0] == letter.origin), self.logs[0])
        ident = sha(name.encode() + b"\n" + bytes([kind]) + public)[:8]
        mine = [raw for who, by, raw in letter.signatures if (who, by) == (name, ident)]
        good = all(ed25519(public, letter.body, raw) for raw in mine)
        return bool(mine) and letter.origin == name and good and letter.size > 0, "the log has not signed this"

    def log(self) -> None:
        roots: dict[int, bytes] = {}
        later: dict[int, list[int]] = {}
        for letter in self.letters:
            truth, why = self.signed(letter)
            self.say("signature", truth, f"{letter.where}: {why}")
            self.say("inclusion", bool(letter.leaves), f"{letter.where}: it shows no leaf")
            for leaf in letter.leaves:
                inside = included(leaf.data, leaf.at, letter.size, leaf.path, letter.root)
                self.say("inclusion", inside, f"{letter.where}: leaf {leaf.at} is not in the log")
            trees = [(letter.size, letter.root), *self.watched(letter)]
            for old in letter.parts["consistency"]:
                trees.append((old.num("from"), b64(old["root"])))
                more = grown(trees[-1][0], letter.size, trees[-1][1], letter.root, [b64(h) for h in old.more])
                self.say("consistency", more, f"{letter.where}: the log does not go on from an earlier one")
                if more:
                    later.setdefault(old.num("from"), []).append(letter.size)
            for size, root in trees:
                same = roots.setdefault(size, root) == root
                self.say("consistency", same, f"{letter.where}: there are two logs of {size} leaves")
        for leaf in self.leaves.values():
            for shown in leaf["seen"].split() if leaf.kind == "close" and leaf["seen"] != "-" else []:
                seat, many, digest = shown.split(":")
                same = roots.get(int(many), bytes.fromhex(digest)).hex() == digest
                self.say("consistency", same, f"{seat} was shown another log of {many} leaves")
        self.linked(later)
        for (game, seq), leaf in sorted(self.leaves.items()):
            rest = sorted(n for name, n in self.leaves if name == game and n > seq)
            follower = self.leaves[game, rest[0]] if rest else leaf
            if rest and rest[0] > seq + 1:
                self.say("chain", None, f"{game}: leaves {seq + 1} to {rest[0] - 1} are in no letter")
            elif rest:
                self.say("chain", follower["prev"] == leaf.hash, f"{game}: leaf {rest[0]} does not follow {seq}")
            self.say("chain", not rest or leaf.at < follower.at, f"{game}: leaf {rest[:1]} stands before {seq}")

    def watched(self, letter: Letter) -> Any:
        """The trees that witnesses have seen: each the log's own, with a leaf that closed a list, where this begins."""
        for seen in letter.parts["cosigned"]:
            tree, at = seen.tree, f"{letter.where}: what a witness saw of leaf {seen['index']}"
            up, on = ([b64(value) for key, value in seen.pairs if key == name] for name in ("hash", "grown"))
            shut = [leaf for leaf in letter.leaves if leaf.kind == "close" and leaf.at == seen.num("index")]
            own, why = self.signed(tree)
            inside = any(included(leaf.data, leaf.at, tree.size, up, tree.root) for leaf in shut)
            begun = grown(tree.size, letter.size, tree.root, letter.root, on)
            self.say("signature", own, f"{at}: {why}")
            self.say("inclusion", inside, f"{at}: it is not in that tree")
            self.say("consistency", begun, f"{at}: the log of this letter does not begin with that tree")
            if own and inside and begun:
                self.proven.append((shut[0].data, tree))
            yield tree.size, tree.root

    def linked(self, later: dict[int, list[int]]) -> None:
        sizes = {letter.size for letter in self.letters}
        reach = {max(sizes, default=0)}
        while more := {old for old, new in later.items() if reach & set(new)} - reach:
            reach |= more
        for size in sizes - reach:
            self.say("consistency", None, f"no letter proves that the log of {size} leaves is that of {max(sizes)}")

    def recovery(self, before: list[tuple[int, list[Letter], dict[tuple[str, int], Leaf]]]) -> None:
        """What was signed before a restore is held against what the log says now."""
        server = [leaf for leaf in self.leaves.values() if leaf.game == "-"]
        for leaf in (leaf for leaf in server if leaf.kind == "rotate"):
            kept = f"the log was begun anew after a restore: of {leaf['size']} leaves it kept the first {leaf.at}"
            self.say("recovery", None, f"{kept}; nothing proves that it still says what the others said: ask why")
        for epoch, letters, leaves in before:
            end = self.end(server, epoch)
            if end is None:
                self.say("recovery", None, f"no letter shows by which leaf epoch {epoch} of the log ended")
                continue
            for letter in letters:
                good = letter.size <= max(end.num("size"), end.at)
                good &= letter.size != end.num("size") or letter.root.hex() == end["root"]
                self.say("recovery", good, f"{letter.where}: a log of {letter.size} leaves that the server denies")
            for leaf in (leaf for leaf in leaves.values() if leaf.at >= end.at and leaf.kind in BOUND):
                self.say("recovery", *self.kept(leaf, end))

    def kept(self, lost: Leaf, end: Leaf) -> tuple[bool | None, str]:
        which, what = BOUND[lost.kind]
        history = [leaf for leaf in self.leaves.values() if leaf.game == lost.game]
        again = [leaf for leaf in history if leaf.kind == lost.kind and leaf.told(which) == lost.told(which)]
        free, at = lost.kind in ("order", "answer"), f"{lost.kind} {' '.join([lost.game, *lost.told(which)])}"
        later = [leaf for leaf in again if leaf.at > end.at and leaf.num("recv", 0) >= lost.num("recv", 0)]
        if (free and later) or any(leaf.told(what) == lost.told(what) for leaf in again):
            return True, ""
        if again and not free:
            return False, f"{at}: the log said otherwise before the restore"
        name, segment = lost["phase"], lost.num("segment") if lost.kind == "answer" else 1
        gone = free and bool(pick(self.phases.get((lost.game, name), []), "close", segment))
        for leaf in (leaf for leaf in history if leaf.at > end.at):
            gone |= (leaf.kind == "result") if leaf.says.get("phase") == name else leaf.kind == "open"
        return (False if gone else None), f"{at}: signed before the restore, and not in the log any more"

    def phase(self, game: str, name: str, leaves: list[Leaf]) -> None:
        at, opens = f"{game} {name}", [leaf for leaf in leaves if leaf.kind == "open"]
        attempt = re.fullmatch(r"(.+)~([1-9][0-9]*)", name)
        self.say("close", bool(attempt) and len(opens) < 2, f"{at}: opened twice, or no attempt named")
        if attempt and int(attempt[2]) > 1 and opens:
            before = self.phases.get((game, f"{attempt[1]}~{int(attempt[2]) - 1}"), [])
            first = [leaf.seq for leaf in before if leaf.kind == "open"]
            all_known = all((game, seq) in self.leaves for seq in range(opens[0].seq))
            truth = first[0] < opens[0].seq if first else False if all_known else None
            self.say("close", truth, f"{at}: the attempt before it is not to be seen")
        start = opens[0].seq if opens else -1
        self.say("close", all(leaf.seq > start for leaf in leaves if leaf.kind != "open"), f"{at}: a leaf too early")
        done = [leaf for leaf in leaves if leaf.kind in ("close", "roll")]
        for result in (leaf for leaf in leaves if leaf.kind == "result"):
            self.say("close", all(leaf.seq < result.seq for leaf in done), f"{at}: something came after the result")
        results, agains = pick(leaves, "result"), pick(leaves, "again")
        for number, result in enumerate(results):
            said = sum(leaf.seq < result.seq for leaf in agains)
            self.say("close", said == number, f"{at}: it came out {number + 1} times, resolved once more {said} times")
        for again in agains:
            number = 1 + sum(leaf.seq < again.seq for leaf in results)
            self.say("close", again.num("run") == number, f"{at}: this is run {number}, not {again['run']}")
            ruled = [leaf for leaf in self.leaves.values() if (leaf.kind, leaf.game) == ("ruling", game)]
            known = again["ruling"] in [leaf["number"] for leaf in ruled]
            self.say("close", known or None, f"{at}: ruling {again['ruling']} is in no letter")
        for segment in sorted({leaf.num("segment") for leaf in done}):
            closes, rolls, before = (pick(leaves, kind, segment - (kind == "old")) for kind in ("close", "roll", "old"))
            good = len(closes) < 2 and len(rolls) < 2
            if opens and rolls:
                good &= bool(closes) and closes[0].seq < rolls[0].seq
            if opens and closes and segment > 1:
                good &= bool(before) and before[0].seq < closes[0].seq
            self.say("close", good, f"{at}: segment {segment} was not closed once, then rolled once")
        for close in pick(leaves, "close"):
            slate = self.slates.get(close["slate"])
            if slate is None:
                self.say("close", None, f"{at}: a slate is in no letter")
            else:
                self.closed(at, leaves, close, slate, opens)

    def closed(self, at: str, leaves: list[Leaf], close: Leaf, slate: Block, opens: list[Leaf]) -> None:
        segment, said = close.num("segment"), (close.game, close["phase"], close["segment"])
        self.say("close", (slate["game"], slate["phase"], slate["segment"]) == said, f"{at}: a slate of another phase")
        previous = [leaf["slate"] for leaf in pick(leaves, "close", segment - 1)[:1]] if segment > 1 else ["-"]
        self.say("close", slate["previous"] == previous[0] if previous else None, f"{at}: it follows another slate")
        if not opens:
            for check in ("close", "orders", "round"):
                self.say(check, None, f"{at}: the leaf that opened the phase is in no letter")
            return
        for opened in opens:
            same = [slate[key] == opened[key] for key in ("edition", "state")]
            same.append(" ".join(sorted(slate.seats)) == opened["seats"])
            self.say("close", all(same), f"{at}: the slate is not of what was opened")
        since = max((leaf.seq for leaf in pick(leaves, "old", segment - 1) if segment > 1), default=-1)
        due = [leaf for leaf in leaves if leaf.kind == "deadline" and since < leaf.seq < close.seq]
        self.round(at, leaves, slate, opens[0], (due or opens[:1])[-1])
        if not all((close.game, seq) in self.leaves for seq in range(opens[0].seq, close.seq)):
            self.say("orders", None, f"{at}: leaves between opening and closing are in no letter")
            return
        kind = "order" if segment == 1 else "answer"
        given = [leaf for leaf in leaves if leaf.kind == kind and (segment == 1 or leaf.num("segment") == segment)]
        for leaf in given:
            good = leaf.seq < close.seq and (leaf.num("recv") <= (due or opens[:1])[-1].num("D") if segment == 1 else
                                             -1 < since < leaf.seq)  # fmt: skip
            self.say("orders", good, f"{at}: {kind} of {leaf['seat']} out of time")
        for seat, (rev, commit) in slate.seats.items():
            mine = [leaf for leaf in given if leaf["seat"] == seat and leaf.seq < close.seq]
            if segment == 1:
                revs = [leaf.num("rev") for leaf in mine]
                sent = [one for one in revs if one]
                good = sent == sorted(sent) and rev == (revs[-1] if revs else 0)
                self.say("orders", good, f"{at}: revision {rev} of {seat} is not the last")
            self.say("orders", not mine or b64(mine[-1]["commit"]) == commit, f"{at}: {seat} gave other orders")

    def round(self, at: str, leaves: list[Leaf], slate: Block, opened: Leaf, due: Leaf) -> None:
        chain, named = slate["beacon"].split(" ")[0], slate["beacon"].split(" ")[1:] or ["0"]
        good = chain == opened["chain"] and (not self.chains or chain in self.chains | {"none"})
        good &= {leaf["chain"] for leaf in self.leaves.values() if (leaf.kind, leaf.game) == ("open", opened.game)} == {
            chain
        }
        if opened["chain"] == "none":
            good &= {named[0], due["round"], opened["round"]} == {"0"}
            self.say("round", good, f"{at}: a round without a beacon, or another beacon")
            return
        if opened["chain"] != QUICKNET:
            self.say("round", good and None, f"{at}: the chain {opened['chain']} is not quicknet, or not the server's")
            return
        good &= int(named[0]) == due.num("round") and (slate["segment"] == "1" or due.kind == "deadline")
        for leaf in (leaf for leaf in leaves if leaf.kind in ("open", "deadline")):
            wait = leaf.num("D") + opened.num("delta") - GENESIS
            good &= leaf.num("round") == max(1, 1 + -(-wait // PERIOD))
        self.say("round", good, f"{at}: the round is not the one that was fixed before")

    def secret(self, kind: str, letter: Letter, part: Block, check: str) -> bytes | None:
        pairs = [(key, letter.head[key] if key == "game" else part[key]) for key in ("game", "phase")]
        seat = [("seat", part["seat"])] if kind == "salt" else []
        if seat and part["segment"] != "1":
            pairs[1] = ("phase", f"{part['phase']}/{part['segment']}")
        if not self.vrf:
            self.say(check, None, f"{letter.where}: the key of the dice is not known")
            return None
        got = vrf(self.vrf, block(kind, *pairs, *seat), bytes.fromhex(part["proof"]))
        self.say(check, got is not None, f"{letter.where}: a secret of {part['phase']} is not proven")
        return got

    def reveal(self) -> None:
        self.blinds: dict[tuple[str, str], bytes] = {}
        hidden = {
            (leaf.game, leaf["phase"], leaf["segment"], name): proof
            for leaf in self.leaves.values() if leaf.kind == "roll" for name, proof in leaf.groups
        }  # fmt: skip
        for letter in self.letters:
            for shown in letter.parts["reveal"]:
                key = (letter.head["game"], shown["phase"])
                secret = self.secret("blind", letter, shown, "opened")
                if secret is None:
                    continue
                self.blinds[key] = secret
                for kinds, text in zip((["open", "again"], ["result"]), shown.states, strict=True):
                    found = [leaf for leaf in self.phases.get(key, []) if leaf.kind in kinds]
                    truth = f"hmac:{mac(secret, text.encode()).hex()}" in [leaf["state"] for leaf in found]
                    if text:
                        self.say("opened", truth if found else None, f"{key[1]}: the state is not what was logged")
            for one in letter.parts["said"]:
                logged = [
                    leaf for leaf in self.leaves.values() if leaf.kind == "ruling" and leaf.game == letter.head["game"]
                ]
                ruled = ("sha256:" + sha("".join(one.more).encode()), one["number"])
                known = ruled in [(leaf["text"], leaf["number"]) for leaf in logged]
                self.say("opened", known, f"{letter.where}: ruling {one['number']} is not the one that was logged")
            for one in letter.parts["edition"]:
                told = "sha256:" + sha("".join(one.more).encode())
                found = [
                    leaf for leaf in self.leaves.values() if leaf.kind == "open" and leaf.game == letter.head["game"]
                ]
                right = all(leaf["edition"] == told for leaf in found) if found else None
                self.say("opened", right, f"{letter.where}: the edition is not that of every phase")
                for leaf in (leaf for leaf in found if "system" in leaf.says):
                    same = (leaf["system"], leaf["pace"]) == (one["system"], one["pace"])
                    self.say("opened", same, f"{letter.where}: {leaf['phase']} has other rules, or another pace")
            for one in letter.parts["group"]:
                where = (letter.head["game"], one["phase"], one["segment"], one["group"])
                same = hidden.get(where, b"").hex() == sha(bytes.fromhex(one["proof"]))
                self.say("opened", same, f"{one['phase']}: {one['group']} was not hidden under this proof")
        for again in (leaf for leaf in self.leaves.values() if leaf.kind == "again"):
            for segment, _ in enumerate(again["manifest"].split(" "), 1):
                hidden[again.game, again["phase"], str(segment), f"all~{again['run']}"] = b""
        for (game, name, segment, group), _ in sorted(self.rolled.items()):
            known = (game, name, str(segment), group) in hidden
            self.say("manifest", known, f"{name}: a manifest of a roll that is not here")

    def rolls(self, game: str, name: str, leaves: list[Leaf]) -> None:
        opens, whole = [leaf for leaf in leaves if leaf.kind == "open"], True
        for roll in pick(leaves, "roll"):
            segment, at = roll.num("segment"), f"{game} {name} segment {roll['segment']}"
            close = pick(leaves, "close", segment)[:1]
            slate = self.slates.get(close[0]["slate"]) if close else None
            if opens and (roll["sig"] == "none") == (opens[0]["chain"] == "none"):
                note = f"{at}: compare with any relay of the beacon that {slate and slate['beacon']} is {roll['sig']}"
                self.say("beacon", True if roll["sig"] == "none" else None, note)
            else:
                self.say("beacon", False if opens else None, f"{at}: a beacon without a value, or the reverse")
            for (group, proof), digest in zip(roll.groups, roll["manifest"].split(" "), strict=True):
                manifest = self.rolled.get((game, name, segment, group))
                whole &= manifest is not None
                self.listed(f"{at} {group}", manifest, digest, self.blinds.get((game, name)))
                proof = self.proof(roll, group)
                if len(proof) == 32 or slate is None or not self.vrf:
                    self.say("vrf", None, f"{at} {group}: hidden, or slate or key are in no letter")
                    continue
                value = roll["sig"] if roll["sig"] == "none" else sha(bytes.fromhex(roll["sig"]))
                alpha = block("alpha", ("group", group), ("slate", sha(slate.data)), ("beacon", value))
                self.dice(f"{at} {group}", vrf(self.vrf, alpha, proof), manifest)
        mine = [(key, one) for key, one in self.rolled.items() if key[:2] == (game, name)]
        self.numbered(f"{game} {name}", [one for key, one in mine if "~" not in key[3]], whole)
        for again in pick(leaves, "again"):
            self.again(f"{game} {name} run {again['run']}", leaves, again)

    def again(self, at: str, leaves: list[Leaf], again: Leaf) -> None:
        """A phase resolved once more: everything is rolled by the secrets of its rolls, and numbered anew."""
        game, name, group, mine = again.game, again["phase"], f"all~{again['run']}", []
        digests, rolls = again["manifest"].split(" "), pick(leaves, "roll")
        for roll in rolls:
            segment = roll.num("segment")
            if not self.say("manifest", segment <= len(digests), f"{at}: segment {segment} has no manifest"):
                continue
            manifest = self.rolled.get((game, name, segment, group))
            self.listed(f"{at} {group}", manifest, digests[segment - 1], self.blinds.get((game, name)))
            close = pick(leaves, "close", segment)[:1]
            slate, proof = self.slates.get(close[0]["slate"]) if close else None, self.proof(roll, "all")
            if manifest is None or slate is None or len(proof) != 80 or not self.vrf:
                continue
            mine.append(manifest)
            value = roll["sig"] if roll["sig"] == "none" else sha(bytes.fromhex(roll["sig"]))
            beta = vrf(self.vrf, block("alpha", ("group", "all"), ("slate", sha(slate.data)), ("beacon", value)), proof)
            if beta is not None:
                self.dice(at, beta, manifest)
        if len(rolls) < len(digests):
            self.say("manifest", None, f"{at}: a segment of it is in no letter")
        self.numbered(at, mine, len(mine) == len(digests))

    def proof(self, roll: Leaf, name: str) -> bytes:
        """The proof of a group, in the roll or in a letter that opens it; else what the roll has in its place."""
        shown = dict(roll.groups).get(name, b"")
        found = (bytes.fromhex(one["proof"]) for letter in self.letters for one in letter.parts["group"]
                 if (letter.head["game"], one["phase"], one["group"]) == (roll.game, roll["phase"], name))  # fmt: skip
        return next((proof for proof in found if sha(proof) == shown.hex()), shown)

    def numbered(self, at: str, mine: list[Block], whole: bool) -> None:
        listed = [roll for one in mine for roll in one.rolls]
        numbers, labels = sorted(roll[0] for roll in listed), {roll[1] for roll in listed}
        good = len(labels) == len(set(numbers)) == len(numbers)
        good &= not whole or numbers == list(range(1, len(numbers) + 1))
        self.say("manifest", good, f"{at}: rolls are missing, or listed twice")

    def listed(self, at: str, manifest: Block | None, digest: str, blind: bytes | None) -> None:
        truth = None
        if manifest and digest.startswith("sha256:"):
            truth = digest == f"sha256:{sha(manifest.data)}"
        elif manifest and blind:
            truth = digest == f"hmac:{mac(blind, manifest.data).hex()}"
        self.say("manifest", truth, f"{at}: the manifest is hidden, in no letter, or not the logged one")

    def dice(self, at: str, beta: bytes | None, manifest: Block | None) -> None:
        self.say("vrf", beta is not None, f"{at}: the proof is false")
        if beta is None or manifest is None:
            return
        for _, label, n, sides, values in manifest.rolls:
            self.say("dice", throw(beta, label, n, sides) == values, f"{at}: {label} did not roll {values}")
            lines = " ".join(shlex.quote(line) for line in (TOP + "die", f"label {label}", "block 0"))
            shell = f"printf '%s\\n' {lines} | openssl dgst -sha256 -mac HMAC -macopt hexkey:{beta.hex()}"
            self.by_hand = self.by_hand or shell

    def invented(self) -> None:
        """What the log says that a seat has sent was opened to it."""
        opened = set()
        for letter in self.letters:
            for one in letter.parts["orders"]:
                if one["seat"] == letter.head["seat"]:
                    number = one["rev"] if one["segment"] == "1" else "-"
                    opened.add((letter.head["game"], one["seat"], one["phase"], one["segment"], number))
        for letter in self.letters:
            for leaf in letter.leaves if letter.head["letter"] != "disclosure" else []:
                if leaf.kind in ("order", "answer") and leaf["seat"] == letter.head["seat"]:
                    place = ("1", leaf["rev"]) if leaf.kind == "order" else (leaf["segment"], "-")
                    known = (leaf.game, leaf["seat"], leaf["phase"], *place) in opened
                    self.say("own", known, f"{letter.where}: leaf {leaf.seq} says you sent what no letter opens to you")

    def own(self, letter: Letter) -> None:
        mine = self.phases.get((letter.head["game"], letter.head["phase"]), [])
        self.say("own", bool(mine) or letter.head["phase"] == "-", f"{letter.where}: no leaf is about its phase")
        if letter.head["phase"] == "-":
            mine = [leaf for leaf in self.leaves.values() if leaf.game == letter.head["game"]]
        for opened in (leaf for leaf in mine if leaf.kind == "open"):
            seated = letter.head["seat"] in opened["seats"].split(" ")
            self.say("own", seated, f"{letter.where}: it is to no seat of its phase")
        for order in letter.parts["orders"]:
            secret = self.secret("salt", letter, order, "own")
            if secret is None:
                continue
            salt = mac(secret, block("ordersalt", ("rev", order["rev"])))
            text = "".join(f"{value}\n" for key, value in order.pairs if key == "text")
            commit = hashlib.sha256(TOP.encode() + b"order\n" + salt + text.encode()).digest()
            leaves, segment = self.phases.get((letter.head["game"], order["phase"]), []), order.num("segment")
            wanted = [("seat", order["seat"]), ("segment", order["segment"]) if segment > 1 else ("rev", order["rev"])]
            given = [leaf for leaf in leaves if leaf.kind == ("answer" if segment > 1 else "order")
                     and all(leaf[key] == value for key, value in wanted)]  # fmt: skip
            close = pick(leaves, "close", segment)[:1]
            slate = self.slates.get(close[0]["slate"]) if close else None
            rev, shut = slate.seats.get(order["seat"], (-1, b"")) if slate else (-1, b"")
            bound = [shut] if rev == order.num("rev") else []
            logged = [b64(leaf["commit"]) for leaf in given]
            truth: bool | None = all(one == commit for one in bound) and (not logged or commit in logged)
            if not bound and not logged:
                truth = False if any(leaf.kind == "open" for leaf in leaves) else None
            self.say("own", truth, f"{letter.where}: orders of {order['phase']} are not what was logged and closed")

    def strange_keys(self) -> None:
        """Nobody is a witness of himself."""
        for name, _, public in self.witnesses:
            if self.logs and public in (self.logs[0][2], self.vrf):
                self.say("timing", False, f"the witness {name} has a key of the server itself")

    def grade(self, letter: Letter) -> None:
        claim, name = letter.head["grade"], letter.head["phase"]
        leaves = self.phases.get((letter.head["game"], name), [])
        opens = [leaf for leaf in leaves if leaf.kind == "open"]
        if claim == "-":
            return
        if not opens or not pick(leaves, "roll"):
            self.say("timing", False, f"{letter.where}: it grades {name} and shows no roll")
            return
        for close in pick(leaves, "close"):
            if opens[0]["chain"] != QUICKNET:
                self.say("timing", claim == "C", f"{name}: without a public beacon the grade is C, not {claim}")
                continue
            late = [leaf.data for leaf in pick(leaves, "roll", close.num("segment"))]
            shown = [(one, [leaf.data for leaf in one.leaves]) for one in self.letters]
            holders = [one for one, data in shown if close.data in data and not set(late) & set(data)]
            trees = [*holders, *(tree for data, tree in self.proven if data == close.data)]
            seen, strange = [when for one in trees for when in self.cosigned(one)], self.strangers(trees)
            came = [one.received for one in holders if one.received]
            moved = [leaf for leaf in leaves if leaf.kind == "deadline" and leaf.seq < close.seq]
            due = (moved or opens[:1])[-1].num("D")
            self.say("timing", all(when >= due - SLACK for when in seen + came), f"{name}: closed before its time")
            slate, proofs = self.slates.get(close["slate"]), seen if claim == "A" else came
            why = f"{name}: the closed list is not proven to be older than the round"
            if claim == "A" and strange and not seen:
                why = f"{name}: cosigned by {', '.join(strange)}; believe it with --witness KEY, or it is no grade A"
            if slate and " " in slate["beacon"] and slate["beacon"][-2:] != " 0" and claim != "C":
                out = GENESIS + (int(slate["beacon"].split(" ")[1]) - 1) * PERIOD
                truth = min(proofs) < out if proofs else None if strange or claim == "B" else False
                self.say("timing", truth, why)

    def strangers(self, trees: list[Tree]) -> list[str]:
        """Who has signed besides the log and the witnesses that were named."""
        keys = [*self.witnesses, *self.logs]
        known = {(name, sha(name.encode() + b"\n" + bytes([kind]) + public)[:8]) for name, kind, public in keys}
        lines = {(name, ident) for tree in trees for name, ident, _ in tree.signatures}
        return [f"{name}+{ident}" for name, ident in sorted(lines - known)]

    def cosigned(self, letter: Tree) -> list[int]:
        times = []
        for name, kind, public in self.witnesses:
            ident = sha(name.encode() + b"\n" + bytes([kind]) + public)[:8]
            for raw in (raw for who, by, raw in letter.signatures if (who, by, kind) == (name, ident, 4)):
                when = int.from_bytes(raw[:8], "big")
                told = f"cosignature/v1\ntime {when}\n".encode() + letter.body
                good = 0 < when < 2**63 and ed25519(public, told, raw[8:])
                times += [when] if good else []
                if not good:
                    self.say("timing", False, f"a false cosignature of {name} on the log of {letter.size} leaves")
        return times


def pick(leaves: list[Leaf], kind: str, segment: int = 0) -> list[Leaf]:
    """The leaves of a kind and segment; "old" is the roll of the segment before."""
    kind = "roll" if kind == "old" else kind
    return [leaf for leaf in leaves if leaf.kind == kind and (not segment or leaf.num("segment") == segment)]


def harmless(text: str) -> str:
    """What others wrote as a terminal may show it: no letter moves its cursor or makes a line of ours."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def main(arguments: list[str]) -> int:
    options: dict[str, list[str]] = {"": [], "--log-key": [], "--witness": []}
    words = iter(arguments)
    for word in words:
        options[word if word in options else ""].append(next(words, "") if word in options else word)
    try:
        mails = [mail for path in options[""] for mail in letters(Path(path))]
        if [key for key in options["--witness"] if log_key(key)[1] != 4]:
            raise Bad("a key after --witness is no witness's")
        judge = Judge(mails, "".join(options["--log-key"]), options["--witness"])
    except (OSError, Bad, ValueError) as wrong:
        print(f"verify: {harmless(str(wrong))}", file=sys.stderr)
        return 2
    judge.run()
    worst = 0
    for check in CHECKS:
        found = [(truth, why) for name, truth, why in judge.found if name == check]
        status = "FALSE" if (False in dict(found)) else "NOT CHECKED" if None in dict(found) else "ok"
        worst = {"FALSE": 1, "ok": worst, "NOT CHECKED": worst or 2}[status]
        print(f"{status:<11}  {check:<11}  {sum(truth is True for truth, _ in found):>5} true")
        for why in dict.fromkeys(why for truth, why in found if not truth):
            print(f"             {harmless(why)}")
    print(f"One die by hand: {harmless(judge.by_hand)}" if judge.by_hand else "No die was rolled in these letters.")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
