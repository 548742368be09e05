"""Read blocks strictly: lines in a fixed order, each value in its only form.

A block is a text: `pbemdice/v1/KIND`, then lines `key value`. Nothing else is read, and no statement is trusted
here.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from functools import lru_cache
from itertools import count
from typing import Any

TOP = "pbemdice/v1/"


class FormatError(Exception):
    """An error of format: `why` is a sentence with gaps, `said` the values for them."""

    def __init__(self, why: str, *values: object) -> None:
        super().__init__(why.format(*values))
        self.why, self.said = why, values


class LimitExceeded(FormatError):
    """Raised for more parts than are read here."""


class NewerFormat(LimitExceeded):
    """Raised for a version of the format newer than this program."""


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hmac_sha256(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def write_block(kind: str, *pairs: tuple[str, object]) -> bytes:
    return "".join([TOP, kind, "\n", *(f"{key} {value}\n" for key, value in pairs)]).encode()


def throw_dice(beta: bytes, label: str, n: int, sides: int) -> list[int]:
    """Return the dice of a label: HMAC-SHA-256 of its blocks, read word by word.

    Words have 1, 2 or 4 bytes; those at the end of the range, which would favour some values, are skipped.
    """
    size = 1 if sides <= 256 else 2 if sides <= 65536 else 4
    values: list[int] = []
    for number in count():
        chunk = hmac_sha256(beta, write_block("die", ("label", label), ("block", number)))
        for offset in range(0, 32, size):
            word = int.from_bytes(chunk[offset : offset + size], "big")
            if word < 256**size - 256**size % sides:
                values.append(1 + word % sides)
                if len(values) == n:
                    return values
    return values


def decode_base64(text: str, length: int = 32) -> bytes:
    """Decode canonical base64 of `length` bytes, or of any length if that is 0."""
    try:
        raw = base64.b64decode(text, validate=True)
    # Characters that base64 does not have, or wrong padding.
    except ValueError:
        # Whoever wrote it chose its length: messages show no more than the beginning, here and below.
        raise FormatError("no base64: {}", text[:60]) from None
    if base64.b64encode(raw).decode() != text or (length and len(raw) != length):
        raise FormatError("no base64 of {} bytes: {}", length, text[:60])
    return raw


# One spelling a number, since its text is hashed; 18 digits fit a signed integer of 64 bits.
COUNT = "[1-9][0-9]{0,17}"
NUM = f"(?:0|{COUNT})"
ID, HEX = r"[A-Za-z0-9._/~-]{1,64}", "[0-9a-f]{64}"
HASH, VRF = r"[A-Za-z0-9+/]{43}=", "[0-9a-f]{160}"
PHASE, SEGMENT, SEAT, REV = f"phase {ID}", f"segment {COUNT}", f"seat {ID}", f"rev {NUM}"
CHAIN, ROUND, STATE = f"chain (?:{HEX}|none)", f"round {NUM}", f"state hmac:{HEX}"
KEY = r"log \S+\+[0-9a-f]{8}\+\S+"
DIGESTS = f"manifest (?:sha256|hmac):{HEX}(?: (?:sha256|hmac):{HEX})*"
GROUPS = f"groups {ID}(?: {ID})*"

HEAD = [f"game {ID}", f"seq {NUM}", f"prev (?:-|{HEX})"]
"""The first lines of every leaf in a game's chain."""

SERVER_LEAVES = {
    "genesis": [KEY, f"vrf {HEX}", CHAIN],
    "rotate": [KEY, f"vrf {HEX}", f"size {NUM}", f"root {HEX}", "why (?:recovery|keys)"],
    "beacon": [CHAIN],
}
"""Leaves about the server; all their lines are public.

A star means any number of such lines, a plus one or more, a question mark at most one.
"""

PUBLIC = {"close": [PHASE, SEGMENT, GROUPS], "roll": [PHASE, SEGMENT, GROUPS]}
"""The public lines of a game's leaf, after its head."""

SAYS = {
    "open": [
        PHASE,
        f"D {NUM}",
        f"delta {NUM}",
        CHAIN,
        ROUND,
        f"edition sha256:{HEX}",
        STATE,
        f"seats {ID}(?: {ID})*",
        f"system {ID}",
        "pace (?:phase|activation)",
        "opened (?:played|all)",
        f"bots (?:-|{ID}:{ID}(?: {ID}:{ID})*)",
        f"ruling (?:-|{COUNT})",
    ],
    "deadline": [PHASE, f"D {NUM}", ROUND, "cause (?:go|all-in|extend|outage|vacation|bounce|moderator)"],
    "order": [PHASE, SEAT, REV, f"orders {HASH}", f"standing {HASH}", f"eml (?:-|{HEX})", f"recv {NUM}"],
    "answer": [PHASE, SEGMENT, SEAT, REV, f"commit {HASH}"],
    "close": [f"slate {HEX}", f"seen (?:-|{ID}:{NUM}:{HEX}(?: {ID}:{NUM}:{HEX})*)"],
    "roll": ["sig (?:[0-9a-f]{96}|none)", f"+group {ID} (?:{VRF}|{HEX})", DIGESTS],
    "result": [PHASE, STATE, f"report hmac:{HEX}"],
    "again": [PHASE, f"run {COUNT}", f"ruling {COUNT}", STATE, DIGESTS],
    "disclose": [PHASE],
    "ruling": [PHASE, f"number {COUNT}", f"text sha256:{HEX}"],
    "war": [f"war {ID}", f"terms sha256:{HEX}"],
    "link": [f"war {ID}", f"after {ID}", f"seq {NUM}", f"leaf {HEX}"],
    "beacon-change": [PHASE, SEGMENT, f"ruling {COUNT}", CHAIN, ROUND],
}
"""The lines in the body of a leaf."""

EVENT, ENTRANT, TABLE = "event/[A-Za-z0-9._~-]+", "e[1-9][0-9]{0,8}", f"(?!-(?: |$)){ID}"
DRAWN, WAITS = ["round r[1-9][0-9]{0,5}", f"attempt {COUNT}"], [f"slate {HEX}", CHAIN, f"beacon {NUM}"]
BATTLE = "[A-Za-z0-9][A-Za-z0-9_-]{0,59}"
SOME = f"(?:-|{ENTRANT}(?: {ENTRANT})*)"
SIG, SIGNED = "sig (?:[0-9a-f]{96}|none)", f"(?:0|-?{COUNT})"

TOURNAMENT_LEAVES = {
    "found": [f"rules sha256:{HEX}", f"name {ID}", f"?version {COUNT}"],
    "enter": [
        f"entrant {ENTRANT}",
        f"person hmac:{HEX}",
        f"accepted sha256:{HEX}",
        f"strength {NUM}",
        f"round {COUNT}",
        f"?pace {NUM}",
        f"?zone {SIGNED}",
        f"?halves {NUM}",
    ],
    "team": [f"entrant {ENTRANT}", f"round {COUNT}", f"?halves {NUM}"],
    "lineup": [f"team {ENTRANT}", f"round {COUNT}", f"boards {SOME}"],
    "member": [f"entrant {ENTRANT}", f"team {ENTRANT}"],
    "leave": [f"entrant {ENTRANT}", f"round {NUM}", "why (?:withdrew|rest|return|expelled|silent|replaced)"],
    "challenge": [DRAWN[0], f"challenger {ENTRANT}", f"challenged {ENTRANT}"],
    "shut": [*DRAWN, *WAITS],
    "lot": [*DRAWN, SIG, f"group draw {VRF}"],
    "lot-needed": [f"lot {ID}", f"first {SOME}", f"then {SOME}", *WAITS[1:]],
    "lot-drawn": [f"lot {ID}", f"asked {SOME}", SIG, f"group later {VRF}"],
    "pair": [
        *DRAWN,
        f"board {COUNT}",
        f"first {ENTRANT}",
        f"second (?:-|{ENTRANT})",
        f"table (?:-|{TABLE}(?: {TABLE})*)",
        f"?battle {BATTLE}(?: {ENTRANT}:(?:-|{BATTLE}(?:,{BATTLE})*) {ENTRANT}:(?:-|{BATTLE}(?:,{BATTLE})*))?",
    ],
    "score": [
        DRAWN[0],
        f"board {COUNT}",
        f"table {ID}",
        f"halves {NUM} {NUM}",
        f"margin {SIGNED}",
        "how [a-z]+(?:-[a-z]+)*",
        f"leaf (?:-|{HEX})",
    ],
    "standing": [DRAWN[0], f"table sha256:{HEX}"],
    "rated": [f"pool {ID}", f"period {ID}", f"ratings sha256:{HEX}"],
    "verdict": [f"number {COUNT}", f"text sha256:{HEX}"],
    "bind": [f"board {ID}", *WAITS],
    "deal": [f"board {ID}", SIG, f"group dup {VRF}"],
}
"""The lines of a tournament's leaves, which have a chain of their own."""

SAYS |= TOURNAMENT_LEAVES

LEAF_KINDS = frozenset(SERVER_LEAVES) | frozenset(SAYS)

PARTS = {
    "bundle": [
        f"game {ID}",
        f"seat {ID}",
        "letter (?:welcome|receipt|closed|report|disclosure|tournament)",
        PHASE,
        "grade [ABC-]",
    ],
    "proof": [f"index {NUM}", f"*hash {HASH}"],
    "slate": [
        f"game {ID}",
        PHASE,
        SEGMENT,
        f"previous (?:{HEX}|-)",
        f"edition sha256:{HEX}",
        STATE,
        f"dice (?:own|board {ID})",
        GROUPS,
        f"beacon (?:none|{HEX} {NUM})",
        f"+seat {ID} {NUM} {HASH} (?:{HASH}|-)",
    ],
    "draw": [
        f"game {EVENT}",
        "round r[1-9][0-9]{0,8}",
        "attempt [1-9][0-9]{0,8}",
        "stage [1-9][0-9]{0,8}",
        f"rules sha256:{HEX}",
        f"beacon (?:none|{HEX} {COUNT})",
        "+entrant e[1-9][0-9]{0,8} (?:0|[1-9][0-9]{0,8}) (?:0|[1-9][0-9]{0,8}) (?:0|-?[1-9][0-9]{0,8}) "
        f"(?:0|[1-9][0-9]{{0,8}}) {ID} [1-9][0-9]{{0,8}}",
        f"away (?:-|{ENTRANT}(?: {ENTRANT})*)",
        f"barred (?:-|{ENTRANT}-{ENTRANT}(?: {ENTRANT}-{ENTRANT})*)",
        f"*challenge {ENTRANT} {ENTRANT}",
        "*boards [1-9][0-9]{0,8}",
        f"*lineup {ENTRANT} (?:-|{ENTRANT}(?: {ENTRANT})*)",
    ],
    "board": [
        f"game {EVENT}",
        "board [A-Za-z0-9._-]+/[A-Za-z0-9._-]+~[1-9][0-9]{0,8}/[1-9][0-9]{0,8}",
        f"+table {ID} (?:-|{HEX})",
        f"beacon (?:none|{HEX} {COUNT})",
    ],
    "manifest": [
        f"game {ID}",
        PHASE,
        SEGMENT,
        f"group {ID}",
        r"*roll [1-9][0-9]{0,8} .+ [1-9][0-9]{0,8}d[1-9][0-9]{0,9} [1-9][0-9]{0,9}(?:,[1-9][0-9]{0,9})*",
    ],
    "orders": ["phase .+", SEGMENT, "seat .+", REV, f"proof {VRF}", "*text .+", "*rule [1-9][0-9]{0,8} .+"],
    "played": ["phase .+", SEGMENT, "seat .+", REV, f"salt {HEX}", "*text .+"],
    "fired": [
        "phase .+",
        "seat .+",
        REV,
        f"salt {HEX}",
        f"size {COUNT}",
        f"number {COUNT}",
        f"own {HEX}",
        "*text .+",
        f"*hash {HASH}",
    ],
    "group": ["phase .+", SEGMENT, "group .+", f"proof {VRF}"],
    "reveal": ["phase .+", f"proof {VRF}", "*before .+", "*after .+"],
    "said": [f"number {NUM}", "*text .+"],
    "opens": [f"game {EVENT}", f"seq {NUM}", "*text .+"],
    "edition": [f"system {ID}", "pace (?:phase|activation)", f"?proof {VRF}", "*text .+"],
    "consistency": [f"from {NUM}", f"root {HASH}", f"*hash {HASH}"],
    "cosigned": [f"index {NUM}", f"*hash {HASH}", f"*grown {HASH}", "+text .+", "+by .+"],
    "sees": [r"log \S+", f"size {NUM}", f"root {HASH}", f"time {COUNT}", f"+close {ID} {ID} {COUNT} {HEX}", "by .+"],
}
"""The parts of a letter other than leaves, in their order."""

PART_ORDER = tuple(PARTS)[2:]


@lru_cache(maxsize=64)
def line_forms_of_block(kind: str, place: str) -> tuple[tuple[str, re.Pattern[str]], ...] | None:
    """Return the lines of a block, each with its quantifier and form, or None.

    None means that there is no block of this kind at this place.
    """
    if place == "says":
        lines = [f"salt {HEX}", *SAYS.get(kind, [])]
    elif kind in SERVER_LEAVES:
        lines = HEAD + SERVER_LEAVES[kind]
    elif kind in LEAF_KINDS:
        lines = [*HEAD, *PUBLIC.get(kind, []), f"body {HEX}"]
    elif kind in PARTS:
        lines = PARTS[kind]
    else:
        return None
    # The sign before a line says how often it comes: any number, once or more, at most once; without a sign once.
    return tuple((line[0] if line[0] in "*+?" else "1", re.compile(line.lstrip("*+?"))) for line in lines)


class Block:
    """A block: its kind, bytes and lines.

    `of` is the kind of the leaf whose body it is, if it is one.
    """

    __slots__ = ("data", "kind", "pairs", "says")

    def __init__(self, data: bytes, leaf_kind: str = "") -> None:
        head, *lines = data.decode("ascii")[:-1].split("\n")
        self.data, self.kind = data, head.removeprefix(TOP)
        form = (
            line_forms_of_block(leaf_kind, "says")
            if leaf_kind and self.kind == "says"
            else None
            if leaf_kind
            else line_forms_of_block(self.kind, "")
        )
        if re.match(r"pbemdice/v(?!1/)[1-9][0-9]{0,3}/", head):
            raise NewerFormat("it is of a newer version of the format than this program knows: check it by a newer one")
        if not head.startswith(TOP) or form is None:
            raise FormatError("there is no block of this kind: {}", head[:60])
        index = 0
        for quantifier, line in form:
            begin = index
            while index < len(lines) and line.fullmatch(lines[index]) and (quantifier in "*+" or index == begin):
                index += 1
            if index == begin and quantifier in "+1":
                raise FormatError(
                    "no {} is written like this: {}", self.kind, lines[index][:60] if index < len(lines) else "it ends"
                )
        if index < len(lines):
            raise FormatError("no {} is written like this: {}", self.kind, lines[index][:60])
        self.pairs = [(key, value) for key, _, value in (line.partition(" ") for line in lines)]
        self.says = dict(reversed(self.pairs))

    def __getitem__(self, key: str) -> str:
        return self.says[key]

    def num(self, key: str) -> int:
        return int(self.says[key])

    def all(self, *keys: str) -> list[str]:
        """Return the values of lines that may repeat."""
        return [value for key, value in self.pairs if key in keys]

    def text(self) -> str:
        """Return its lines `text`, each with its line end, as orders have them."""
        return "".join(f"{value}\n" for value in self.all("text"))


MOST_NESTED = 100
"""Levels of brackets in JSON: Python's parser is recursive and would end by RecursionError. Positions have under ten.
"""
# Strings (skipped), opening and closing brackets of JSON, to measure its depth before it is parsed.
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|([\[{])|([\]}])')


def read_json(text: str) -> Any:
    """Parse JSON as every program does; raise ValueError if malformed or too deep.

    Numbers are floats, because some programs would not read very long integers.
    """
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += bool(bracket[1]) - bool(bracket[2])
        if depth > MOST_NESTED:
            raise ValueError("nested too deep")
    return json.loads(text, parse_int=float, parse_constant=int)


def is_sorted_unique(names: list[str]) -> bool:
    return bool(names) and names == sorted(set(names))


def check_text_pieces(block: Block, *keys: str) -> None:
    """Check that a long text is cut into pieces of 120, so in one way only.

    No piece ends in a space.
    """
    for key in keys:
        pieces = block.all(key)
        if re.findall(r".{119} *[^ ]|.+$", "".join(pieces)) != pieces:
            raise FormatError("a long text is cut in pieces of 120")
