"""Read the `pbemdice.txt` of one letter strictly; no statement is trusted yet."""

from __future__ import annotations

import re
from typing import NamedTuple

from .fields import (
    EVENT,
    LEAF_KINDS,
    PART_ORDER,
    SERVER_LEAVES,
    TOURNAMENT_LEAVES,
    Block,
    FormatError,
    LimitExceeded,
    check_text_pieces,
    decode_base64,
    is_sorted_unique,
    sha256_hex,
)
from .mailbox import LetterToCheck
from .notes import (
    CosignedTree,
    SignedTree,
    WitnessStatement,
    cosigned_tree_of,
    leaf_hash,
    parse_log_key,
    witness_statement_of,
)
from .tournament_lists import parse_board_list, parse_draw_list

MOST_LEAVES, MOST_PROOFS, MOST_SEEN, MOST_BLOCKS = 20_000, 4000, 500, 60_000
"""Limits of a letter: leaves, opened secrets and orders, statements of witnesses, and parts. Choices: a letter of a
game has far fewer, and they stop a letter that was made to keep a reader busy. The page has the same numbers
(`page/bundle.js`)."""
MOST_DICE = 10_000
"""Dice of one roll, as in the format (docs/dice-log-checks.md): no roll of a game has more."""


class Leaf:
    """A leaf of the log: its index, the hashes that prove it, and its lines.

    `says` has the public lines, and those of the body where `known`. The phase is "" if the leaf has none.
    """

    __slots__ = ("at", "body", "data", "game", "hash", "kind", "known", "more", "path", "prev", "says", "seq")

    def __init__(self, head: Block, body: Block | None, proof: Block) -> None:
        self.kind, self.data, self.says = head.kind, head.data, dict(head.says)
        self.game, self.seq, self.prev = head["game"], head.num("seq"), head["prev"]
        self.at, self.path = proof.num("index"), [decode_base64(digest) for digest in proof.all("hash")]
        self.hash, self.known, self.body = leaf_hash(head.data).hex(), self.kind in SERVER_LEAVES, b""
        self.more: list[str] = []
        if (self.prev == "-") != (self.seq == 0) or (self.kind in SERVER_LEAVES) != (self.game == "-"):
            raise FormatError("leaf {} of {} contradicts itself", self.seq, self.game)
        if (self.kind in TOURNAMENT_LEAVES) != bool(re.fullmatch(EVENT, self.game)):
            raise FormatError("leaf {} of {} contradicts itself", self.seq, self.game)
        if "groups" in self.says and not is_sorted_unique(self["groups"].split(" ")):
            raise FormatError("the groups of leaf {} of {} are not in order, each once", self.seq, self.game)
        if self.kind in ("genesis", "rotate"):
            parse_log_key(self["log"])
        if body is not None:
            self.open(body)

    def open(self, body: Block) -> None:
        """Read the body of the leaf."""
        if self.kind in SERVER_LEAVES or sha256_hex(body.data) != self.says.get("body"):
            raise FormatError("this is not the body of leaf {} of {}", self.seq, self.game)
        self.known, self.body = True, body.data
        self.says |= {key: value for key, value in body.says.items() if key != "salt"}
        self.more = body.all("group")
        for key in ("orders", "standing", "commit"):
            if key in body.says:
                decode_base64(body[key])
        if not self.is_consistent():
            raise FormatError("leaf {} of {} contradicts itself", self.seq, self.game)

    def is_consistent(self) -> bool:
        """Return whether its lines agree with each other."""
        good = True
        if self.kind in ("open", "beacon-change"):
            good = (self["chain"] == "none") == (self["round"] == "0")
        if self.kind in TOURNAMENT_LEAVES:
            good = is_consistent_tournament_leaf(self)
        if self.kind == "open":
            seats = self["seats"].split(" ")
            bots = [bot.split(":")[0] for bot in self["bots"].split(" ")] if self["bots"] != "-" else []
            good &= is_sorted_unique(seats) and bots == sorted(set(bots) & set(seats))
        if self.kind == "order":
            good = (self["eml"] == "-") == (self["recv"] == "0")
        if self.kind == "roll":
            names = [group.split(" ")[0] for group in self.more]
            good = names == self["groups"].split(" ") and len(self["manifest"].split(" ")) == len(names)
        return good

    def __getitem__(self, key: str) -> str:
        return self.says[key]

    def get(self, key: str) -> str:
        """Return the value of a key, "" if it is withheld or missing."""
        return self.says.get(key, "")

    def num(self, key: str) -> int:
        return int(self.says[key])

    @property
    def groups(self) -> list[tuple[str, bytes]]:
        """Return the groups of a roll with their proofs.

        A hidden group has the hash of its proof.
        """
        return [(name, bytes.fromhex(proof)) for name, proof in (line.split(" ") for line in self.more)]


def is_consistent_tournament_leaf(leaf: Leaf) -> bool:
    """Return whether the lines of a tournament's leaf agree with each other."""
    no_second, no_table, no_leaf = [leaf.get(key) == "-" for key in ("second", "table", "leaf")]
    if leaf.kind in ("shut", "bind", "lot-needed"):
        return (leaf["chain"] == "none") == (leaf["beacon"] == "0")
    if leaf.kind == "challenge":
        return leaf["challenger"] != leaf["challenged"]
    if leaf.kind == "pair":
        return (
            leaf["first"] != leaf["second"]
            and (no_second or not no_table)
            and is_sorted_unique(leaf["table"].split(" "))
        )
    return leaf.kind != "score" or no_table == no_leaf or (no_leaf and leaf["how"] != "played")


class ClosedList(NamedTuple):
    """A closed list: for each seat the revision and two commitments.

    For answers there is one commitment.
    """

    block: Block
    digest: str
    seats: dict[str, tuple[int, bytes, bytes]]
    groups: list[str]

    @property
    def chain(self) -> str:
        return self.block["beacon"].split(" ")[0]

    @property
    def board(self) -> str:
        """Return the board whose dice are used; "" if the table has its own."""
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
    """The rolls of one group in one segment."""

    block: Block
    rolls: list[Roll]


class Letter(SignedTree):
    """A letter: its head, leaves and other parts by kind.

    The tree it holds is that of the checkpoint at its end.
    """

    def __init__(self, item: LetterToCheck) -> None:
        self.where, self.received, self.undated = item.where, item.received, item.undated
        data = item.data
        if not re.fullmatch(rb"[\n -~]*", data):
            raise FormatError("a bundle is ASCII")
        text, blank, signatures = data.rpartition(b"\n\n")
        above, between, body = text.rpartition(b"\n\n")
        if not blank or not between:
            raise FormatError("a bundle has a checkpoint at its end")
        if above.count(b"\n\n") > MOST_BLOCKS:
            raise LimitExceeded("it has more parts than are read here")
        super().__init__(body + b"\n", signatures)
        raw = [part + b"\n" for part in above.split(b"\n\n")]
        self.head = Block(raw[0])
        if self.head.kind != "bundle":
            raise FormatError("a bundle begins with its head")
        self.leaves: list[Leaf] = []
        rest = self.read_leaves(raw)
        kinds = [part_block.kind for part_block in rest]
        if any(kind not in PART_ORDER for kind in kinds) or kinds != sorted(kinds, key=PART_ORDER.index):
            raise FormatError("the parts of a bundle have one order")
        if max(kinds.count("consistency"), kinds.count("edition")) > 1:
            raise FormatError("a bundle has one edition, and one proof of what went before")
        self.parts = {kind: [part_block for part_block in rest if part_block.kind == kind] for kind in PART_ORDER}
        self.slates = [closed_list_of(part_block) for part_block in self.parts["slate"]]
        self.draws = [parse_draw_list(part_block) for part_block in self.parts["draw"]]
        self.boards = [parse_board_list(part_block) for part_block in self.parts["board"]]
        self.manifests = [manifest_of(part_block) for part_block in self.parts["manifest"]]
        self.cosigned: list[CosignedTree] = [cosigned_tree_of(part_block) for part_block in self.parts["cosigned"]]
        self.sees: list[WitnessStatement] = [witness_statement_of(part_block) for part_block in self.parts["sees"]]
        for part_block in rest:
            check_part_beyond_form(part_block)
        proofs = sum(kinds.count(kind) for kind in ("orders", "group", "reveal"))
        if proofs > MOST_PROOFS or kinds.count("cosigned") + kinds.count("sees") > MOST_SEEN:
            raise LimitExceeded("it has more proofs than are checked here")

    def read_leaves(self, raw: list[bytes]) -> list[Block]:
        """Read the leaves with body and proof; return the parts after them."""
        index = 1
        while index < len(raw):
            head = Block(raw[index])
            if head.kind not in LEAF_KINDS:
                break
            index += 1
            body = None
            if index < len(raw) and raw[index].startswith(b"pbemdice/v1/says\n"):
                body = Block(raw[index], head.kind)
                index += 1
            if index >= len(raw) or not raw[index].startswith(b"pbemdice/v1/proof\n"):
                raise FormatError("after a leaf come its body, unless it is withheld, and its proof")
            self.leaves.append(Leaf(head, body, Block(raw[index])))
            index += 1
            if len(self.leaves) > MOST_LEAVES:
                raise LimitExceeded("it has more leaves than are read here")
        return [Block(part) for part in raw[index:]]

    @property
    def game(self) -> str:
        return self.head["game"]

    @property
    def seat(self) -> str:
        return self.head["seat"]

    def shows(self, leaf: Leaf) -> bool:
        return any(shown.data == leaf.data for shown in self.leaves)


def closed_list_of(block: Block) -> ClosedList:
    seats, names = {}, []
    first = block["segment"] == "1"
    for line in block.all("seat"):
        seat, rev, orders, standing = line.split(" ")
        if (standing == "-") == first:
            raise FormatError("a seat has two commitments in the first segment, and one in the others")
        seats[seat] = int(rev), decode_base64(orders), decode_base64(standing) if first else b""
        names.append(seat)
    groups = block["groups"].split(" ")
    if not is_sorted_unique(names) or not is_sorted_unique(groups):
        raise FormatError("a slate has its groups and seats in order, each once")
    if (block["previous"] == "-") != first:
        raise FormatError("the first segment, and no other, has no slate before it")
    return ClosedList(block, sha256_hex(block.data), seats, groups)


def manifest_of(block: Block) -> Manifest:
    rolls = []
    for line in block.all("roll"):
        number, _, rest = line.partition(" ")
        label, dice, values = rest.rsplit(" ", 2)
        n, sides = map(int, dice.split("d"))
        if n > MOST_DICE or sides > 2**32 or values.count(",") != n - 1:
            raise FormatError("a roll has as many values as dice")
        rolls.append(Roll(int(number), label, n, sides, [int(value) for value in values.split(",")]))
    numbers = [roll.number for roll in rolls]
    if numbers and (len(set(numbers)) < len(numbers) or numbers != sorted(numbers)):
        raise FormatError("the numbers of a manifest rise")
    return Manifest(block, rolls)


def check_part_beyond_form(block: Block) -> None:
    """Check a part beyond the form of its lines."""
    if block.kind == "reveal":
        check_text_pieces(block, "before", "after")
    if block.kind in ("edition", "said", "opens"):
        check_text_pieces(block, "text")
    if block.kind == "orders":
        numbers = [int(value.partition(" ")[0]) for value in block.all("rule")]
        rising = sorted(numbers) == numbers and sorted(set(numbers)) == [*range(1, len(set(numbers)) + 1)]
        if not rising or (numbers and block["segment"] != "1"):
            raise FormatError("the rules of the first segment are numbered from 1")
    if block.kind == "fired" and block.num("number") > block.num("size"):
        raise FormatError("a rule is one of so many")
    if block.kind in ("consistency", "fired"):
        for value in block.all("root", "hash"):
            decode_base64(value)


def standing_orders_in_block(block: Block) -> list[str]:
    """Return the texts of the standing orders in a block of orders."""
    rules: dict[int, str] = {}
    for value in block.all("rule"):
        number, _, line = value.partition(" ")
        rules[int(number)] = rules.get(int(number), "") + line + "\n"
    return [rules[number] for number in sorted(rules)]
