"""W6 Measure audited dice: labels derived, phases proven, phases verified."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.measure import Workload, spend
from pbem.audit import blocks, checkpoint, rolls, signing, vrf
from pbem.audit.blocks import Commitment, sha256_hex
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.dice import DiceStream
from pbem.audit.merkle import Tree, is_included, leaf_hash, prove_inclusion, tree_root
from pbem.audit.rolls import NumberedRoll
from tests.harness.leaf_chain import LeafChain

LABELS = [f"Nudos>Cresta.{number}/shock attacker" for number in range(1000)]
# About as many as a phase of the stored game has.
ROLLS = 30
GAME, PHASE = "wt-042", "T3.spain~1"
# Any 32 octets, but always the same ones: runs are to be alike.
LOG, SECRET = signing.make_signer("example.com/pbem", b"l" * 32)
KEY = vrf.expand_key(b"v" * 32)


class Unfit(Exception):
    """A phase that does not verify."""


class Phase(NamedTuple):
    """The parts of a phase that a letter shows.

    They are closed orders, manifest, the roll's leaf and body, its place and path, and the checkpoint.
    """

    slate: bytes
    manifest: bytes
    leaf: bytes
    body: bytes
    at: int
    path: tuple[bytes, ...]
    note: bytes


def labels() -> Workload:
    """Derive rolls of 3d6, each by a label of its own."""
    count = 0

    def derive() -> int:
        nonlocal count
        count += 1
        roll = DiceStream(count.to_bytes(64, "big")).roll
        for label in LABELS:
            roll(label, 3, 6)
        return len(LABELS)

    return lambda budget: spend(budget, derive)


def prove_phase(chain: LeafChain, tree: Tree, number: int) -> Phase:
    """Close a phase, prove its secret, throw 30 rolls, log and sign.

    That is everything but the rules.
    """
    commit, salt = number.to_bytes(32, "big"), b"s" * 32
    seats = {seat: Commitment(1, commit, commit) for seat in ("morocco", "spain")}
    edition, state = "sha256:" + "e" * 64, "hmac:" + "5" * 64
    slate = blocks.closed_orders_block(blocks.ClosedOrders(GAME, PHASE, 1, "-", edition, state, "none", seats))
    proof = vrf.prove(KEY, blocks.vrf_input(slate))
    roll = DiceStream(vrf.output_of(proof)).roll
    listed = [
        NumberedRoll(number_listed + 1, LABELS[number_listed], 3, 6, roll(LABELS[number_listed], 3, 6))
        for number_listed in range(ROLLS)
    ]
    manifest = rolls.manifest_block(game=GAME, phase=PHASE, segment=1, group="all", rolls=listed)
    segment = (("phase", PHASE), ("segment", "1"), ("groups", "all"))
    tree.append(chain.append("close", (*segment, ("slate", sha256_hex(slate)), ("seen", "-")), salt))
    says = (("sig", "none"), ("group", f"all {proof.hex()}"), ("manifest", f"sha256:{sha256_hex(manifest)}"))
    leaf = chain.append("roll", (*segment, *says), salt)
    index, size = tree.append(leaf), len(tree)
    note = checkpoint.sign(Checkpoint(LOG.name, size, tree_root(tree.node, size)), LOG, SECRET)
    return Phase(slate, manifest, leaf, chain.bodies[-1], index, prove_inclusion(tree.node, index, size), note)


def proven() -> Workload:
    """Close, prove, throw, log and sign phases."""
    chain, tree, count = LeafChain(GAME), Tree(), 0

    def phase() -> int:
        nonlocal count
        count += 1
        prove_phase(chain, tree, count)
        return 1

    return lambda budget: spend(budget, phase)


def check(shown: Phase) -> None:
    """Check signature, inclusion, closed orders, proof, manifest and every die.

    That is as `pbem verify` with the libraries of the server.
    """
    head = checkpoint.read_signed(shown.note, LOG, signing.verify)
    body = blocks.parse(shown.body)[1]
    proof = bytes.fromhex(dict(body)["group"].split(" ")[1])
    rolls.parse_closed_orders(shown.slate)
    beta = vrf.verify_proof(KEY.public, blocks.vrf_input(shown.slate), proof)
    listed = rolls.parse_manifest(shown.manifest)
    if beta is None or dict(body)["manifest"] != f"sha256:{sha256_hex(shown.manifest)}":
        raise Unfit("proof or manifest")
    roll = DiceStream(beta).roll
    dice = all(roll(throw.label, throw.n, throw.sides) == throw.values for throw in listed.rolls)
    if f"\nbody {sha256_hex(shown.body)}\n".encode() not in shown.leaf:
        raise Unfit("body")
    if not dice or not is_included(leaf_hash(shown.leaf), shown.at, head.size, shown.path, head.root):
        raise Unfit("dice or log")


def verify_phases() -> Workload:
    """Verify phases from what letters show."""
    chain, tree = LeafChain(GAME), Tree()
    phases = [prove_phase(chain, tree, number) for number in range(50)]

    def all_of_them() -> int:
        for shown in phases:
            check(shown)
        return len(phases)

    return lambda budget: spend(budget, all_of_them)
