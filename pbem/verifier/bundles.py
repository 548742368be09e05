"""What one letter shows: its `pbemdice.txt`, read strictly. Nothing of it is believed yet."""

from __future__ import annotations

import re
from typing import NamedTuple

from .contest_lists import board_of, draw_of
from .fields import (
    CONTEST,
    EVENT,
    LEAF_KINDS,
    PART_ORDER,
    SERVER_LEAVES,
    Bad,
    Block,
    TooMuch,
    b64,
    cut_rightly,
    sha,
    sorted_once,
)
from .mailbox import Item
from .notes import Cosigned, Sees, Tree, cosigned_of, leaf_hash, log_key, sees_of

MOST_LEAVES, MOST_PROOFS, MOST_SEEN, MOST_BLOCKS = 20_000, 4000, 500, 60_000
MOST_DICE = 10_000
"""Of one roll."""


class Leaf:
    """A leaf of the log: where it stands, the hashes that prove it, and what it says, as far as that is shown.

    `says` has the public lines, and those of the body where `known`. A phase is "" where it is not told.
    """

    __slots__ = ("at", "body", "data", "game", "hash", "kind", "known", "more", "path", "prev", "says", "seq")

    def __init__(self, head: Block, body: Block | None, proof: Block) -> None:
        self.kind, self.data, self.says = head.kind, head.data, dict(head.says)
        self.game, self.seq, self.prev = head["game"], head.num("seq"), head["prev"]
        self.at, self.path = proof.num("index"), [b64(one) for one in proof.all("hash")]
        self.hash, self.known, self.body = leaf_hash(head.data).hex(), self.kind in SERVER_LEAVES, b""
        self.more: list[str] = []
        if (self.prev == "-") != (self.seq == 0) or (self.kind in SERVER_LEAVES) != (self.game == "-"):
            raise Bad("leaf {} of {} contradicts itself", self.seq, self.game)
        if (self.kind in CONTEST) != bool(re.fullmatch(EVENT, self.game)):
            raise Bad("leaf {} of {} contradicts itself", self.seq, self.game)
        if "groups" in self.says and not sorted_once(self["groups"].split(" ")):
            raise Bad("the groups of leaf {} of {} are not in order, each once", self.seq, self.game)
        if self.kind in ("genesis", "rotate"):
            log_key(self["log"])
        if body is not None:
            self.open(body)

    def open(self, body: Block) -> None:
        """Take what the leaf says in."""
        if self.kind in SERVER_LEAVES or sha(body.data) != self.says.get("body"):
            raise Bad("this is not the body of leaf {} of {}", self.seq, self.game)
        self.known, self.body = True, body.data
        self.says |= {key: value for key, value in body.says.items() if key != "salt"}
        self.more = body.all("group")
        for key in ("orders", "standing", "commit"):
            if key in body.says:
                b64(body[key])
        if not self.agrees():
            raise Bad("leaf {} of {} contradicts itself", self.seq, self.game)

    def agrees(self) -> bool:
        """Whether what it says in several lines hangs together."""
        good = True
        if self.kind in ("open", "beacon-change"):
            good = (self["chain"] == "none") == (self["round"] == "0")
        if self.kind in CONTEST:
            good = contest_agrees(self)
        if self.kind == "open":
            seats = self["seats"].split(" ")
            bots = [one.split(":")[0] for one in self["bots"].split(" ")] if self["bots"] != "-" else []
            good &= sorted_once(seats) and bots == sorted(set(bots) & set(seats))
        if self.kind == "order":
            good = (self["eml"] == "-") == (self["recv"] == "0")
        if self.kind == "roll":
            names = [one.split(" ")[0] for one in self.more]
            good = names == self["groups"].split(" ") and len(self["manifest"].split(" ")) == len(names)
        return good

    def __getitem__(self, key: str) -> str:
        return self.says[key]

    def get(self, key: str) -> str:
        """The value of a key, "" if it is not told."""
        return self.says.get(key, "")

    def num(self, key: str) -> int:
        return int(self.says[key])

    @property
    def groups(self) -> list[tuple[str, bytes]]:
        """Of a roll: its groups, each with its proof or, while hidden, the hash of that."""
        return [(name, bytes.fromhex(proof)) for name, proof in (one.split(" ") for one in self.more)]


def contest_agrees(leaf: Leaf) -> bool:
    """Whether what a leaf of a tournament says in several lines hangs together."""
    none, table, last = [leaf.get(key) == "-" for key in ("second", "table", "leaf")]
    if leaf.kind in ("shut", "bind", "lot-needed"):
        return (leaf["chain"] == "none") == (leaf["beacon"] == "0")
    if leaf.kind == "challenge":
        return leaf["challenger"] != leaf["challenged"]
    if leaf.kind == "pair":
        return leaf["first"] != leaf["second"] and (none or not table) and sorted_once(leaf["table"].split(" "))
    return leaf.kind != "score" or table == last or (last and leaf["how"] != "played")


class Slate(NamedTuple):
    """A closed list; of each seat the revision and the two commitments, of which answers have one."""

    block: Block
    digest: str
    seats: dict[str, tuple[int, bytes, bytes]]
    groups: list[str]

    @property
    def chain(self) -> str:
        return self.block["beacon"].split(" ")[0]

    @property
    def board(self) -> str:
        """The board whose dice it has; "" for its own."""
        return self.block["dice"].partition(" ")[2]

    @property
    def round(self) -> int:
        return int(self.block["beacon"].partition(" ")[2] or 0)


class Roll(NamedTuple):
    number: int
    label: str
    n: int
    sides: int
    values: list[int]


class Manifest(NamedTuple):
    """What was rolled for one group in one segment."""

    block: Block
    rolls: list[Roll]


class Letter(Tree):
    """A letter: its head, its leaves, the other parts by their kinds, and as a tree the checkpoint at its end."""

    def __init__(self, item: Item) -> None:
        self.where, self.received, self.undated = item.where, item.received, item.undated
        data = item.data
        if not re.fullmatch(rb"[\n -~]*", data):
            raise Bad("a bundle is ASCII")
        text, blank, signatures = data.rpartition(b"\n\n")
        above, between, body = text.rpartition(b"\n\n")
        if not blank or not between:
            raise Bad("a bundle has a checkpoint at its end")
        if above.count(b"\n\n") > MOST_BLOCKS:
            raise TooMuch("it has more parts than are read here")
        super().__init__(body + b"\n", signatures)
        raw = [part + b"\n" for part in above.split(b"\n\n")]
        self.head = Block(raw[0])
        if self.head.kind != "bundle":
            raise Bad("a bundle begins with its head")
        self.leaves: list[Leaf] = []
        rest = self.read_leaves(raw)
        kinds = [one.kind for one in rest]
        if any(kind not in PART_ORDER for kind in kinds) or kinds != sorted(kinds, key=PART_ORDER.index):
            raise Bad("the parts of a bundle have one order")
        if max(kinds.count("consistency"), kinds.count("edition")) > 1:
            raise Bad("a bundle has one edition, and one proof of what went before")
        self.parts = {kind: [one for one in rest if one.kind == kind] for kind in PART_ORDER}
        self.slates = [slate_of(one) for one in self.parts["slate"]]
        self.draws = [draw_of(one) for one in self.parts["draw"]]
        self.boards = [board_of(one) for one in self.parts["board"]]
        self.manifests = [manifest_of(one) for one in self.parts["manifest"]]
        self.cosigned: list[Cosigned] = [cosigned_of(one) for one in self.parts["cosigned"]]
        self.sees: list[Sees] = [sees_of(one) for one in self.parts["sees"]]
        for one in rest:
            check_part(one)
        proofs = sum(kinds.count(kind) for kind in ("orders", "group", "reveal"))
        if proofs > MOST_PROOFS or kinds.count("cosigned") + kinds.count("sees") > MOST_SEEN:
            raise TooMuch("it has more proofs than are checked here")

    def read_leaves(self, raw: list[bytes]) -> list[Block]:
        """Read the leaves, each with its body and its proof; return the parts after them."""
        at = 1
        while at < len(raw):
            head = Block(raw[at])
            if head.kind not in LEAF_KINDS:
                break
            at += 1
            body = None
            if at < len(raw) and raw[at].startswith(b"pbemdice/v1/says\n"):
                body = Block(raw[at], head.kind)
                at += 1
            if at >= len(raw) or not raw[at].startswith(b"pbemdice/v1/proof\n"):
                raise Bad("after a leaf come its body, unless it is withheld, and its proof")
            self.leaves.append(Leaf(head, body, Block(raw[at])))
            at += 1
            if len(self.leaves) > MOST_LEAVES:
                raise TooMuch("it has more leaves than are read here")
        return [Block(part) for part in raw[at:]]

    @property
    def game(self) -> str:
        return self.head["game"]

    @property
    def seat(self) -> str:
        return self.head["seat"]

    def shows(self, leaf: Leaf) -> bool:
        return any(one.data == leaf.data for one in self.leaves)


def slate_of(one: Block) -> Slate:
    seats, names = {}, []
    first = one["segment"] == "1"
    for line in one.all("seat"):
        seat, rev, orders, standing = line.split(" ")
        if (standing == "-") == first:
            raise Bad("a seat has two commitments in the first segment, and one in the others")
        seats[seat] = int(rev), b64(orders), b64(standing) if first else b""
        names.append(seat)
    groups = one["groups"].split(" ")
    if not sorted_once(names) or not sorted_once(groups):
        raise Bad("a slate has its groups and seats in order, each once")
    if (one["previous"] == "-") != first:
        raise Bad("the first segment, and no other, has no slate before it")
    return Slate(one, sha(one.data), seats, groups)


def manifest_of(one: Block) -> Manifest:
    rolls = []
    for line in one.all("roll"):
        number, _, rest = line.partition(" ")
        label, dice, values = rest.rsplit(" ", 2)
        n, sides = map(int, dice.split("d"))
        if n > MOST_DICE or sides > 2**32 or values.count(",") != n - 1:
            raise Bad("a roll has as many values as dice")
        rolls.append(Roll(int(number), label, n, sides, [int(value) for value in values.split(",")]))
    numbers = [roll.number for roll in rolls]
    if numbers and (len(set(numbers)) < len(numbers) or numbers != sorted(numbers)):
        raise Bad("the numbers of a manifest rise")
    return Manifest(one, rolls)


def check_part(one: Block) -> None:
    """What the form of lines alone does not say."""
    if one.kind == "reveal":
        cut_rightly(one, "before", "after")
    if one.kind in ("edition", "said", "opens"):
        cut_rightly(one, "text")
    if one.kind == "orders":
        numbers = [int(value.partition(" ")[0]) for value in one.all("rule")]
        rising = sorted(numbers) == numbers and sorted(set(numbers)) == [*range(1, len(set(numbers)) + 1)]
        if not rising or (numbers and one["segment"] != "1"):
            raise Bad("the rules of the first segment are numbered from 1")
    if one.kind == "fired" and one.num("number") > one.num("size"):
        raise Bad("a rule is one of so many")
    if one.kind in ("consistency", "fired"):
        for value in one.all("root", "hash"):
            b64(value)


def rules_of(one: Block) -> list[str]:
    """The standing orders of a block of orders: a text each."""
    rules: dict[int, str] = {}
    for value in one.all("rule"):
        number, _, line = value.partition(" ")
        rules[int(number)] = rules.get(int(number), "") + line + "\n"
    return [rules[number] for number in sorted(rules)]
