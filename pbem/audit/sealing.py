"""Seal orders, states and reports: the scheme ``pbemdice/v1``.

Orders are sealed by salted commitments, states and reports by digests that nobody can guess.

Every secret is the output of the VRF for a block (`vrf`), and comes with a proof. Names in capitals are these 64
bytes for a block, by the key of the dice; the dice themselves derive from the bytes of the closed list (`dice`)::

    secret   = SALT(game, phase, seat)               in the segments k > 1 the phase reads T3.spain~1/k
    s        = HMAC-SHA256(secret, ordersalt block: rev)
    orders   = SHA-256("pbemdice/v1/order" LF || s || canonical text of the order set, or of the answers)
    t        = HMAC-SHA256(secret, standingsalt block: rev)
    u(i)     = HMAC-SHA256(t, rule block: number i), from i = 0
    leaf(i)  = rule block: number i, salt hex(u(i)), a line `text` for each line of rule i
    standing = SHA-256("pbemdice/v1/standing" LF || u(0) || n LF || tree(leaf(1) ... leaf(n)))
    war salt = the first 32 bytes of WAR(the first game of the war), in hex
    digest   = "hmac:" hex HMAC-SHA256(BLIND(game, phase without its attempt), text)
    salt     = HMAC-SHA256(a key of the server's own, bodysalt block: game, seq)

`tree` is the Merkle tree hash of RFC 9162 2.1.1; n is decimal. The text of an order set begins with its LUCK line,
if it has one.

The 64 bytes of a seat, with their proof, open everything that the seat sent for a phase. `s` alone opens one order
set; u(0), u(i), rule i and its path prove that this rule was in force. Neither reveals anything about earlier
revisions or other rules. The digests of all attempts at a phase are made with one secret: they are equal if, and
only if, the states are.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence

from pbem.audit import merkle
from pbem.audit.blocks import BLOCK_FORMAT, Commitment, Malformed, block

Secret = Callable[[bytes], bytes]
"""A function from a block to its 64 secret bytes, by the key of the dice; those of an alpha block are beta."""

SCHEME = "pbemdice/v1"
"""The scheme of the dice, stored with each game, because there may be others later."""


def salt_block(*, game: str, phase: str, seat: str) -> bytes:
    """Return the block whose secret opens all that a seat has sent for a phase."""
    return block("salt", (("game", game), ("phase", phase), ("seat", seat)))


def blind_block(*, game: str, phase: str) -> bytes:
    """Return the block whose secret opens the digests of every attempt at a phase."""
    return block("blind", (("game", game), ("phase", phase.partition("~")[0])))


def war_block(*, game: str) -> bytes:
    """Return the block whose secret salts a war's editions; `game` is its first."""
    return block("war", (("game", game),))


def war_salt(secret: bytes) -> str:
    """Return the salt that keeps outsiders from guessing a war's record."""
    # 256 bits of the 512, as all salts have.
    return secret[:32].hex()


def order_salt(secret: bytes, revision: int) -> bytes:
    """Return the 32-byte salt of a seat's commitment to its orders."""
    return hmac.digest(secret, block("ordersalt", (("rev", str(revision)),)), "sha256")


def standing_salt(secret: bytes, revision: int) -> bytes:
    """Return the 32-byte salt of the commitment to standing orders."""
    return hmac.digest(secret, block("standingsalt", (("rev", str(revision)),)), "sha256")


def body_salt(key: bytes, game: str, seq: int) -> bytes:
    """Return the 32-byte salt of a leaf's body; `key` is the server's own."""
    return hmac.digest(key, block("bodysalt", (("game", game), ("seq", str(seq)))), "sha256")


def order_commitment(salted: bytes, text: str) -> bytes:
    """Return the 32-byte commitment to the canonical text of orders or answers."""
    return hashlib.sha256(f"{BLOCK_FORMAT}/order\n".encode() + salted + text.encode("utf-8")).digest()


def rule_salt(salted: bytes, number: int) -> bytes:
    """Return the 32-byte salt of one rule; number 0 is the salt of the whole."""
    return hmac.digest(salted, block("rule", (("number", str(number)),)), "sha256")


def rule_leaf(own: bytes, number: int, text: str) -> bytes:
    """Return the tree leaf of rule `number`, from 1, with its own `rule_salt`."""
    lines = (("text", line) for line in text.removesuffix("\n").split("\n"))
    return block("rule", (("number", str(number)), ("salt", own.hex()), *lines))


def standing_commitment(salted: bytes, rules: Sequence[str]) -> bytes:
    """Return the 32-byte commitment to standing orders, each rule in canonical text."""
    tree = _tree(salted, rules)
    return _standing(rule_salt(salted, 0), len(rules), merkle.tree_root(tree.node, len(rules)))


def rule_path(salted: bytes, rules: Sequence[str], number: int) -> tuple[bytes, ...]:
    """Return the hashes from the leaf of a rule to the root over all of them."""
    return merkle.prove_inclusion(_tree(salted, rules).node, number - 1, len(rules))


def standing_from_path(whole: bytes, leaf: bytes, place: tuple[int, int], path: Sequence[bytes]) -> bytes:
    """Return the commitment that a rule's leaf and path lead to.

    `whole` is the `rule_salt` of number 0; `place` is the rule's number and the count of rules. Raise Malformed
    if no tree of that size has such a path.
    """
    number, size = place
    root = merkle.root_from_path(merkle.leaf_hash(leaf), number - 1, size, path)
    if root is None:
        raise Malformed(f"no path leads from rule {number} of {size} to a root like this")
    return _standing(whole, size, root)


def seat_commitment(secret: bytes, revision: int, text: str, rules: Sequence[str] | None = None) -> Commitment:
    """Return a seat's commitment to its orders, or to answers without `rules`."""
    orders = order_commitment(order_salt(secret, revision), text)
    if rules is None:
        return Commitment(revision, orders)
    return Commitment(revision, orders, standing_commitment(standing_salt(secret, revision), rules))


def blinded_digest(secret: bytes, text: str) -> str:
    """Return ``hmac:`` and the hex digest of a secret text.

    A bare hash of a small state could be found by trying all states.
    """
    return "hmac:" + hmac.new(secret, text.encode("utf-8"), hashlib.sha256).hexdigest()


def blind_in_phase(of: Secret, *, game: str, phase: str, text: str) -> str:
    """Return the digest of a text about a phase, by the key in force."""
    return blinded_digest(of(blind_block(game=game, phase=phase)), text)


def _tree(salted: bytes, rules: Sequence[str]) -> merkle.Tree:
    return merkle.Tree([rule_leaf(rule_salt(salted, number), number, text) for number, text in enumerate(rules, 1)])


def _standing(whole: bytes, size: int, root: bytes) -> bytes:
    return hashlib.sha256(f"{BLOCK_FORMAT}/standing\n".encode() + whole + f"{size}\n".encode() + root).digest()
