"""A server in small, for tests of those who check it: a log, one game of two seats, and its letters.

It writes what it is told, also what no honest server would. What is done at once by the honest ways of `Server` can be
bent at its hooks: `alter` changes what leaves of a kind say before they are written, `free` are commitments of seats
that seal nothing, `hides` is which bodies a seat is not shown, `terms` is what an opening says besides, `groups` are
those that a list is closed for. Letters are bent by what `send` is given: a part told to it stands for the honest one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pbem.audit import beacon, blocks, bundle, checkpoint, epoch_names, leaves, merkle, rolls, sealing, signing, vrf
from pbem.audit.blocks import Commitment, Malformed, sha256_hex
from pbem.audit.bundle import Bundle, IncludedLeaf
from pbem.audit.bundle_parts import (
    FiredRule,
    GroupProof,
    OpenedOrders,
    PlayedEdition,
    PlayedOrders,
    Reveal,
    TreeExtension,
)
from pbem.audit.checkpoint import CosignedLeaf
from pbem.audit.dice import DiceStream
from pbem.audit.leaves import Leaf
from pbem.audit.merkle import Tree
from pbem.audit.note import COSIGNATURE, encode64
from pbem.audit.note import parse as parse_note
from pbem.audit.rolls import NumberedRoll
from pbem.engine.data.canon import dumps
from tests.harness.leaf_chain import LeafChain

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["drand_quicknet"]
ROUNDS = {vector["round"]: bytes.fromhex(vector["signature"]) for vector in VECTORS["rounds"]}
GAME, SEATS = "wt-042", ("morocco", "spain")
PLAYED = PlayedEdition("toy", "phase", dumps({"chart": "x" * 117 + "  two spaces at the cut", "turns": 9}))
EDITION = "sha256:" + sha256_hex(PLAYED.text.encode("ascii"))
DELTA = 600
FIRST, SECOND = "T1.spain~1", "T1.morocco~1"
THROWS = (("Nudos>Cresta/shock attacker", 3, 6), ("Nudos>Cresta/fire X > Y", 8, 2))
WITNESS, WITNESS_SECRET = signing.make_signer("witness.example.com/w1", b"w" * 32, COSIGNATURE)
SALTS = b"s" * 32

check_signature = lru_cache(maxsize=4096)(signing.verify)
check_proof = lru_cache(maxsize=4096)(vrf.verify_proof)
check_beacon = lru_cache(maxsize=4096)(beacon.verify_round)

Says = tuple[tuple[str, str], ...]


class Item(NamedTuple):
    """A letter to be checked: where it lay, when it was received (unix seconds, if known), its `pbemdice.txt`."""

    where: str
    received: int | None
    data: bytes


class Logged(NamedTuple):
    """A leaf of the log, with the bytes of its body."""

    kind: str
    data: bytes
    body: bytes
    leaf: Leaf


def closing(number: int) -> int:
    """A closing time whose round is `number`."""
    return beacon.round_time(beacon.QUICKNET, number) - DELTA - 1


class Server:
    """The log of a server, its keys, and what each seat has seen of it."""

    def __init__(self, *, public: bool = True, secret: bytes = b"l" * 32, game: str = GAME) -> None:
        self.game = game
        self.chain = beacon.QUICKNET.hash if public else "none"
        self.log, self.sign = signing.make_signer("example.com/pbem", secret)
        self.vrf = vrf.expand_key(b"v" * 32)
        self.tree = Tree()
        self.chains = {"-": LeafChain("-"), game: LeafChain(game)}
        self.leaves: list[Logged] = []
        self.shown: dict[str, int] = {}
        self.owed: dict[str, list[int]] = {}
        self.heads: dict[str, checkpoint.Checkpoint] = {}
        self.slates: dict[tuple[str, int], bytes] = {}
        self.manifests: list[bytes] = []
        self.sent: dict[tuple[str, int, str, int], OpenedOrders] = {}
        self.states: dict[str, tuple[str, str]] = {}
        self.outdone: list[tuple[str, str]] = []
        self.seen = "-"
        self.terms = {"system": "toy", "pace": "phase", "opened": "all", "bots": "-"}
        self.standing: dict[str, tuple[str, ...]] = {"morocco": ("WHEN assaulted: STAND\n", "WHEN shelled: LIE DOWN\n")}
        self.groups: tuple[str, ...] = ("all",)
        self.free: dict[str, Commitment] = {}
        self.alter: dict[str, Callable[[Says], Iterable[tuple[str, str]]]] = {}
        self.hides: Callable[[str, Logged], bool] = self.unclosed
        fields = (("log", self.log.text), ("vrf", self.vrf.public.hex()), ("chain", self.chain))
        self.act("genesis", fields, game="-")

    # The log.

    def act(self, kind: str, says: Iterable[tuple[str, str]], game: str = "") -> None:
        game = game or self.game
        fields, chain = tuple(says), self.chains[game]
        if kind in self.alter:
            fields = tuple(self.alter[kind](fields))
        salt = b"" if kind in leaves.SERVER_KINDS else sealing.body_salt(SALTS, game, len(chain.leaves))
        data = chain.append(kind, fields, salt)
        self.tree.append(data)
        self.leaves.append(Logged(kind, data, chain.bodies[-1], chain.leaves[-1]))

    def of(self, kind: str, phase: str = "", segment: int = 0) -> list[Leaf]:
        """The leaves of a kind, of one phase and segment if these are told."""
        of_kind = (leaf.leaf for leaf in self.leaves if leaf.kind == kind)
        of_phase = (leaf for leaf in of_kind if not phase or leaf("phase") == phase)
        return [leaf for leaf in of_phase if not segment or leaf.number("segment") == segment]

    def recover(self, size: int, root: bytes, number: int = 2, **other: str) -> None:
        """Begin the log anew, as its `number`-th epoch; before it had `size` leaves. `other` is said in its place."""
        name = epoch_names.epoch_name(self.log.name.partition("/2")[0], number)
        self.log = self.log._replace(name=name)
        tree = {"size": str(size), "root": root.hex()}
        fields = {"log": self.log.text, "vrf": self.vrf.public.hex(), **tree, "why": "recovery"}
        self.act("rotate", tuple((fields | other).items()), game="-")

    # Secrets.

    def secret(self, block: bytes) -> bytes:
        return vrf.output_of(vrf.prove(self.vrf, block))

    def blinded(self, phase: str, text: str) -> str:
        return sealing.blinded_digest(self.secret(sealing.blind_block(game=self.game, phase=phase)), text)

    def blind(self, phase: str) -> bytes:
        """The proof that opens the digests of a phase."""
        return vrf.prove(self.vrf, sealing.blind_block(game=self.game, phase=phase))

    def salt(self, phase: str, segment: int, seat: str) -> bytes:
        return sealing.salt_block(game=self.game, phase=phase if segment == 1 else f"{phase}/{segment}", seat=seat)

    def commit(self, phase: str, seat: str, rev: int, text: str, segment: int = 1) -> Commitment:
        """What seals a seat's orders and the standing orders that it has now, or its answers."""
        secret = self.secret(self.salt(phase, segment, seat))
        return sealing.seat_commitment(secret, rev, text, self.standing.get(seat, ()) if segment == 1 else None)

    def opened(self, phase: str, segment: int, seat: str, rev: int, text: str) -> OpenedOrders:
        """Orders or answers, and the standing orders that the seat has now."""
        proof = vrf.prove(self.vrf, self.salt(phase, segment, seat))
        return OpenedOrders(phase, segment, seat, rev, proof, text, self.standing.get(seat, ()) if segment == 1 else ())

    def played(self, phase: str, segment: int, seat: str, rev: int, text: str) -> PlayedOrders:
        salt = sealing.order_salt(self.secret(self.salt(phase, segment, seat)), rev)
        return PlayedOrders(phase, segment, seat, rev, salt, text)

    def fired(self, phase: str, seat: str, rev: int, number: int) -> FiredRule:
        """A standing order that the seat has now."""
        salt, rules = sealing.standing_salt(self.secret(self.salt(phase, 1, seat)), rev), self.standing[seat]
        whole, own = (sealing.rule_salt(salt, rule) for rule in (0, number))
        path = sealing.rule_path(salt, rules, number)
        return FiredRule(phase, seat, rev, whole, len(rules), number, own, rules[number - 1], path)

    # Acts.

    def round(self, due: int) -> int:
        return 0 if self.chain == "none" else beacon.first_round_from(beacon.QUICKNET, due + DELTA)

    def open(
        self, phase: str, due: int, *, number: int | None = None, state: str = "before", ruling: str = "-"
    ) -> None:
        fields = {
            "phase": phase,
            "D": str(due),
            "delta": str(DELTA),
            "chain": self.chain,
            "round": str(self.round(due) if number is None else number),
            "edition": EDITION,
            "state": self.blinded(phase, state),
            "seats": " ".join(SEATS),
            **self.terms,
            "ruling": ruling,
        }
        self.states[phase] = (state, "")
        self.act("open", fields.items())

    def deadline(self, phase: str, due: int, cause: str = "extend", number: int | None = None) -> None:
        round_text = str(self.round(due) if number is None else number)
        self.act("deadline", (("phase", phase), ("D", str(due)), ("round", round_text), ("cause", cause)))

    def ruling(self, phase: str, number: int, text: str) -> None:
        digest = f"sha256:{sha256_hex(text.encode())}"
        self.act("ruling", (("phase", phase), ("number", str(number)), ("text", digest)))

    def sealed(self, phase: str, segment: int, seat: str, rev: int, text: str) -> Commitment:
        """The commitments as they are written: `free` ones if the seat has them."""
        self.sent[phase, segment, seat, rev] = self.opened(phase, segment, seat, rev, text)
        free = self.free.get(seat)
        made = free or self.commit(phase, seat, rev, text, segment)
        return made._replace(revision=rev, standing=made.standing if segment == 1 else b"")

    def order(self, phase: str, seat: str, rev: int, text: str, recv: int) -> None:
        """Orders that a letter brought, or none did if `recv` is 0."""
        made = self.sealed(phase, 1, seat, rev, text)
        eml = sha256_hex(text.encode()) if recv else "-"
        seals = (("orders", encode64(made.orders)), ("standing", encode64(made.standing)))
        fields = (("phase", phase), ("seat", seat), ("rev", str(rev)), *seals)
        self.act("order", (*fields, ("eml", eml), ("recv", str(recv))))

    def answer(self, phase: str, segment: int, seat: str, text: str, rev: int = 1) -> None:
        made = self.sealed(phase, segment, seat, rev, text)
        fields = (("phase", phase), ("segment", str(segment)), ("seat", seat), ("rev", str(rev)))
        self.act("answer", (*fields, ("commit", encode64(made.orders))))

    def slate(
        self, phase: str, segment: int, orders: dict[str, tuple[int, str]], number: int, state: str = "before"
    ) -> bytes:
        before = self.slates.get((phase, segment - 1))
        closed = blocks.ClosedOrders(
            game=self.game,
            phase=phase,
            segment=segment,
            previous=sha256_hex(before) if before else "-",
            edition=EDITION,
            state=self.blinded(phase, state),
            beacon=f"{self.chain} {number}" if number else "none",
            seats={seat: self.sealed(phase, segment, seat, *sent) for seat, sent in orders.items()},
            groups=self.groups,
        )
        return blocks.closed_orders_block(closed)

    def silent(self, phase: str, segment: int, slate: bytes) -> None:
        """A leaf of revision 0 for each seat that sent nothing, unless it has one."""
        kind = "order" if segment == 1 else "answer"
        has = {leaf("seat") for leaf in self.of(kind, phase, 0 if segment == 1 else segment)}
        for seat, sealed in rolls.parse_closed_orders(slate).seats.items():
            if sealed.revision == 0 and seat not in has and segment == 1:
                self.order(phase, seat, 0, "", 0)
            elif sealed.revision == 0 and seat not in has:
                self.answer(phase, segment, seat, "", 0)

    def close(self, phase: str, segment: int, slate: bytes, *, silent: bool = True) -> None:
        """Close a list; who was silent has his leaf first, unless `silent` is False."""
        if silent:
            self.silent(phase, segment, slate)
        self.slates[phase, segment] = slate
        groups = " ".join(rolls.parse_closed_orders(slate).groups)
        head = (("phase", phase), ("segment", str(segment)), ("groups", groups))
        self.act("close", (*head, ("slate", sha256_hex(slate)), ("seen", self.seen)))

    def beta(self, phase: str, segment: int, group: str = "all") -> bytes:
        return self.secret(self.alpha(phase, segment, group))

    def alpha(self, phase: str, segment: int, group: str = "all") -> bytes:
        return blocks.vrf_input(self.slates[phase, segment], self.signature(phase, segment), group)

    def signature(self, phase: str, segment: int) -> bytes | None:
        """What the beacon said, of the round of the slate, or of that which a `beacon-change` named after it."""
        changes = self.of("beacon-change", phase, segment)
        number = (
            changes[-1].number("round")
            if changes
            else rolls.parse_closed_orders(self.slates[phase, segment]).beacon_round
        )
        return ROUNDS[number] if number else None

    def change_beacon(self, phase: str, segment: int, ruling: int, number: int = 0) -> None:
        """A closed list waits for another round, or for none."""
        where = (("phase", phase), ("segment", str(segment)), ("ruling", str(ruling)))
        chain = beacon.QUICKNET.hash if number else "none"
        self.act("beacon-change", (*where, ("chain", chain), ("round", str(number))))

    def throw(
        self, phase: str, segment: int, wanted: Sequence[tuple[str, int, int]], first: int = 1, group: str = "all"
    ) -> bytes:
        """The manifest of what these labels roll."""
        dice = DiceStream(self.beta(phase, segment, group))
        rolled = [NumberedRoll(first + index, *roll, dice.roll(*roll)) for index, roll in enumerate(wanted)]
        made = rolls.manifest_block(game=self.game, phase=phase, segment=segment, group=group, rolls=rolled)
        self.manifests.append(made)
        return made

    def again(self, phase: str, run: int, wanted: Sequence[tuple[str, int, int]], ruling: int = 1) -> bytes:
        """Resolve a phase of one segment once more; the manifest of what is rolled then."""
        group, dice = f"all~{run}", DiceStream(self.beta(phase, 1))
        rolled = [NumberedRoll(index, *roll, dice.roll(*roll)) for index, roll in enumerate(wanted, 1)]
        manifest = rolls.manifest_block(game=self.game, phase=phase, segment=1, group=group, rolls=rolled)
        self.manifests.append(manifest)
        self.said_again(phase, run, manifest, ruling)
        return manifest

    def said_again(self, phase: str, run: int, manifest: bytes, ruling: int = 1) -> None:
        fields = (
            ("phase", phase),
            ("run", str(run)),
            ("ruling", str(ruling)),
            ("state", self.blinded(phase, "mended")),
        )
        self.act("again", (*fields, ("manifest", f"sha256:{sha256_hex(manifest)}")))

    def roll(self, phase: str, segment: int, *manifests: bytes) -> None:
        """What was rolled, a manifest for each group; all groups but ``all`` are hidden."""
        signature = self.signature(phase, segment)
        by_group = {rolls.parse_manifest(manifest).group: manifest for manifest in manifests}
        groups, digests = [], []
        for name in sorted(by_group):
            proof = vrf.prove(self.vrf, self.alpha(phase, segment, name))
            manifest = by_group[name]
            groups.append(("group", f"{name} {proof.hex() if name == 'all' else sha256_hex(proof)}"))
            digests.append(
                f"sha256:{sha256_hex(manifest)}" if name == "all" else self.blinded(phase, manifest.decode())
            )
        head = (("phase", phase), ("segment", str(segment)), ("groups", " ".join(sorted(by_group))))
        drawn = ("sig", signature.hex() if signature else "none")
        self.act("roll", (*head, drawn, *groups, ("manifest", " ".join(digests))))

    def result(self, phase: str, after: str = "after") -> None:
        before, outdone = self.states.get(phase, ("before", ""))
        if outdone:
            self.outdone.append((phase, outdone))
        self.states[phase] = (before, after)
        digests = (("state", self.blinded(phase, after)), ("report", self.blinded(phase, "reports")))
        self.act("result", (("phase", phase), *digests))

    # Letters.

    def head(self) -> checkpoint.Checkpoint:
        size = len(self.tree)
        return checkpoint.Checkpoint(self.log.name, size, merkle.tree_root(self.tree.node, size))

    def signed(self) -> bytes:
        """The checkpoint of the tree as it is now."""
        return checkpoint.sign(self.head(), self.log, self.sign)

    def unclosed(self, seat: str, logged: Logged) -> bool:
        """Whether a leaf says what others have sent to a list that is not closed yet: `hides` of an honest server."""
        leaf = logged.leaf
        if leaf.kind not in ("order", "answer") or leaf("seat") == seat:
            return False
        return not self.of("close", leaf("phase"), 1 if leaf.kind == "order" else leaf.number("segment"))

    def bundle(self, seat: str, letter: str, phase: str = "-", grade: str = "-", **more: object) -> Bundle:
        """A letter with all leaves that the seat has not seen yet, on the tree as it is now.

        What was withheld from it, and is not any more, is shown again. A report shows the keys and the whole phase
        again, so that it can be checked alone, and a disclosure all there is.
        """
        head, last = self.head(), self.heads.get(seat)
        owed = [index for index in self.owed.get(seat, []) if not self.hides(seat, self.leaves[index])]
        again = {index for index, leaf in enumerate(self.leaves) if self._again(letter, leaf, phase)}
        wanted = sorted({*range(self.shown.get(seat, 0), len(self.leaves)), *owed, *again})
        hidden = [index for index in wanted if self.hides(seat, self.leaves[index])]
        self.owed[seat] = sorted({*self.owed.get(seat, []), *hidden} - {*owed})
        placed = tuple(
            IncludedLeaf(
                self.leaves[index].data,
                index,
                merkle.prove_inclusion(self.tree.node, index, head.size),
                b"" if index in hidden else self.leaves[index].body,
            )
            for index in wanted
        )
        grown = last and TreeExtension(
            last.size, last.root, merkle.prove_consistency(self.tree.node, last.size, head.size)
        )
        self.shown[seat], self.heads[seat] = head.size, head
        note = checkpoint.sign(head, self.log, self.sign)
        made = Bundle(self.game, seat, letter, phase, grade, placed, note, grown=grown)
        return made._replace(**more)  # type: ignore[arg-type]

    def send(
        self, seat: str, letter: str, phase: str = "-", grade: str = "-", received: int | None = None, **more: object
    ) -> Item:
        return Item(
            f"{seat}-{len(self.leaves)}", received, bundle.write(self.bundle(seat, letter, phase, grade, **more))
        )

    def own(self, seat: str, phase: str) -> tuple[OpenedOrders, ...]:
        """All that a seat has sent for a phase, and what it was closed with."""
        return tuple(order_set for key, order_set in sorted(self.sent.items()) if (key[0], key[2]) == (phase, seat))

    def of_both(self, phase: str) -> dict[str, Any]:
        """What a report opens where nothing is hidden: what all seats were played by, and their standing orders."""
        closed = [
            self.sent[phase, segment, seat, sealed.revision]
            for (name, segment), slate in self.slates.items()
            for seat, sealed in rolls.parse_closed_orders(slate).seats.items()
            if name == phase
        ]
        played = tuple(
            self.played(phase, order_set.segment, order_set.seat, order_set.rev, order_set.text) for order_set in closed
        )
        rules = [(order_set, number) for order_set in closed for number in range(1, len(order_set.rules) + 1)]
        return {
            "played": played,
            "fired": tuple(self.fired(phase, order_set.seat, order_set.rev, number) for order_set, number in rules),
        }

    def disclose(self) -> dict[str, Any]:
        """Say of every phase that it is opened; return the parts of a letter that opens them."""
        phases = list(dict.fromkeys(leaf("phase") for leaf in self.of("open")))
        for phase in phases:
            self.act("disclose", (("phase", phase),))
        hidden = [(leaf("phase"), leaf.number("segment"), name) for leaf in self.of("roll") for name, _ in leaf.groups]
        return {
            "slates": tuple(self.slates.values()),
            "manifests": tuple(dict.fromkeys(self.manifests)),
            "orders": tuple(
                self.sent[phase, segment, seat, sealed.revision]
                for (phase, segment), slate in self.slates.items()
                for seat, sealed in _seats(slate)
            ),
            "groups": tuple(
                GroupProof(*where, vrf.prove(self.vrf, self.alpha(*where))) for where in hidden if where[2] != "all"
            ),
            "reveals": tuple(
                Reveal(phase, self.blind(phase), *states)
                for phase, states in [
                    *((phase, self.states[phase]) for phase in phases),
                    *((phase, ("", after)) for phase, after in self.outdone),
                ]
            ),
            "edition": PLAYED,
        }

    def watched(self, note: bytes, index: int | None = None) -> CosignedLeaf:
        """An earlier tree as a later letter shows it, for a leaf: the last that closed a list, without `index`."""
        size = checkpoint.parse_checkpoint(parse_note(note)).size
        closes = [place for place, leaf in enumerate(self.leaves) if leaf.kind == "close"]
        leaf = closes[-1] if index is None else index
        path = merkle.prove_inclusion(self.tree.node, leaf, size) if leaf < size else ()
        return CosignedLeaf(leaf, path, merkle.prove_consistency(self.tree.node, size, len(self.tree)), note)

    def _again(self, letter: str, logged: Logged, phase: str) -> bool:
        about = logged.kind in ("genesis", "rotate") or ("phase", phase) in logged.leaf.says
        return letter == "disclosure" or (letter == "report" and about)


def _seats(slate: bytes) -> list[tuple[str, Any]]:
    """The seats of a slate with what each sealed; none of one that a crook has written as no slate is."""
    try:
        return [*rolls.parse_closed_orders(slate).seats.items()]
    except Malformed:
        return []
