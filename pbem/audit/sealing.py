"""Scheme ``pbemdice/v1``: orders are sealed by salted commitments, states and reports by digests nobody can guess.

Every secret is the output of the VRF for a block (`vrf`), and comes with a proof. Written in capitals are the 64 bytes
that belong to a block, by the key of the dice; the dice themselves follow from those of the closed list (`dice`)::

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

`tree` is the Merkle tree hash of RFC 9162 2.1.1; n is decimal. The text of an order set begins with its LUCK line, if
it has one.

Whoever gets the 64 bytes of a seat, with the proof that they are the right ones, can open all that it sent for a phase.
Whoever gets `s` alone can open one order set, and whoever gets u(0), u(i), rule i and its path, that this rule was
among those in force; neither tells him anything of earlier revisions or of the other rules. The digests of all attempts
at a phase are made with one secret: they are equal if, and only if, the states are.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence

from pbem.audit import merkle
from pbem.audit.blocks import FORMAT, Commitment, Malformed, block

Secret = Callable[[bytes], bytes]
"""A block -> the 64 bytes that belong to it, by the key of the dice; of an alpha block they are beta."""

SCHEME = "pbemdice/v1"
"""The scheme of the dice that stands in a game's row: there may be others after it."""


def salt(*, game: str, phase: str, seat: str) -> bytes:
    """The block whose secret opens all that a seat has sent for a phase."""
    return block("salt", (("game", game), ("phase", phase), ("seat", seat)))


def blind(*, game: str, phase: str) -> bytes:
    """The block whose secret opens the digests of a phase, whichever attempt at it."""
    return block("blind", (("game", game), ("phase", phase.partition("~")[0])))


def war(*, game: str) -> bytes:
    """The block whose secret gives the salt of a war's editions; `game` is the first of the war."""
    return block("war", (("game", game),))


def war_salt(secret: bytes) -> str:
    """What keeps a ledger from being guessed from the digest of an edition, by the secret of the war."""
    return secret[:32].hex()


def order_salt(secret: bytes, revision: int) -> bytes:
    """The 32 bytes that keep a commitment to orders that can be guessed from being guessed."""
    return hmac.digest(secret, block("ordersalt", (("rev", str(revision)),)), "sha256")


def standing_salt(secret: bytes, revision: int) -> bytes:
    """The 32 bytes that do the same for the commitment to standing orders."""
    return hmac.digest(secret, block("standingsalt", (("rev", str(revision)),)), "sha256")


def body_salt(key: bytes, game: str, seq: int) -> bytes:
    """The 32 bytes that keep what a leaf says from being guessed from its hash; `key` is the server's alone."""
    return hmac.digest(key, block("bodysalt", (("game", game), ("seq", str(seq)))), "sha256")


def commit(salted: bytes, text: str) -> bytes:
    """The 32 bytes that bind a seat to the canonical text of its order set, or of its answers."""
    return hashlib.sha256(f"{FORMAT}/order\n".encode() + salted + text.encode("utf-8")).digest()


def rule_salt(salted: bytes, number: int) -> bytes:
    """The 32 bytes that keep one rule from being guessed; those of the whole have the number 0."""
    return hmac.digest(salted, block("rule", (("number", str(number)),)), "sha256")


def rule_leaf(own: bytes, number: int, text: str) -> bytes:
    """The leaf of rule `number`, from 1, in the tree of the standing orders, by the `rule_salt` that it has."""
    lines = (("text", line) for line in text.removesuffix("\n").split("\n"))
    return block("rule", (("number", str(number)), ("salt", own.hex()), *lines))


def standing(salted: bytes, rules: Sequence[str]) -> bytes:
    """The 32 bytes that bind a seat to its standing orders, each rule by its canonical text, in their order."""
    tree = _tree(salted, rules)
    return _standing(rule_salt(salted, 0), len(rules), merkle.root(tree.node, len(rules)))


def rule_path(salted: bytes, rules: Sequence[str], number: int) -> tuple[bytes, ...]:
    """The hashes that lead from the leaf of a rule to the root over all of them."""
    return merkle.inclusion(_tree(salted, rules).node, number - 1, len(rules))


def standing_of(whole: bytes, leaf: bytes, place: tuple[int, int], path: Sequence[bytes]) -> bytes:
    """The commitment that the leaf of a rule and its path lead to, by the `rule_salt` of the whole.

    `place` is the rule's number and how many there are. Malformed if no tree of so many rules has such a path.
    """
    number, size = place
    root = merkle.led_to(merkle.leaf_hash(leaf), number - 1, size, path)
    if root is None:
        raise Malformed(f"no path leads from rule {number} of {size} to a root like this")
    return _standing(whole, size, root)


def sealed(secret: bytes, revision: int, text: str, rules: Sequence[str] | None = None) -> Commitment:
    """What a slate says of a seat: order set and standing orders, or of answers where there are no `rules`."""
    orders = commit(order_salt(secret, revision), text)
    if rules is None:
        return Commitment(revision, orders)
    return Commitment(revision, orders, standing(standing_salt(secret, revision), rules))


def blinded(secret: bytes, text: str) -> str:
    """``hmac:`` and the hex digest of a secret text, such as the canonical JSON of a state.

    A bare hash of a small state could be found by trying all states.
    """
    return "hmac:" + hmac.new(secret, text.encode("utf-8"), hashlib.sha256).hexdigest()


def blinded_by(of: Secret, *, game: str, phase: str, text: str) -> str:
    """The same of a text that belongs to a phase, by the key that is in force."""
    return blinded(of(blind(game=game, phase=phase)), text)


def _tree(salted: bytes, rules: Sequence[str]) -> merkle.Tree:
    return merkle.Tree([rule_leaf(rule_salt(salted, at), at, text) for at, text in enumerate(rules, 1)])


def _standing(whole: bytes, size: int, root: bytes) -> bytes:
    return hashlib.sha256(f"{FORMAT}/standing\n".encode() + whole + f"{size}\n".encode() + root).digest()
