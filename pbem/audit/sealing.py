"""How secrets are sealed: orders by salted commitments, states and reports by digests that cannot be guessed.

What is written in capitals are the 64 bytes that belong to a block, by the key of the scheme (`keys`, `vrf`)::

    salt   = HMAC-SHA256(SALT(game, phase, seat), ordersalt block: rev)
    commit = SHA-256("pbemdice/v1/order" LF || salt || canonical order text)
    digest = "hmac:" hex HMAC-SHA256(BLIND(game, phase), text)

Whoever gets those 64 bytes, with the proof that they are the right ones, can open one seat's orders of a phase, or one
phase's digests, and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac

from pbem.audit.blocks import FORMAT, block

__all__ = ["blind", "blinded", "commit", "order_salt", "salt"]


def salt(*, game: str, phase: str, seat: str) -> bytes:
    """The block whose secret opens all that a seat has sent for a phase."""
    return block("salt", (("game", game), ("phase", phase), ("seat", seat)))


def blind(*, game: str, phase: str) -> bytes:
    """The block whose secret opens the digests of a phase."""
    return block("blind", (("game", game), ("phase", phase)))


def order_salt(secret: bytes, revision: int) -> bytes:
    """The 32 bytes that keep a commitment to orders that can be guessed from being guessed."""
    return hmac.digest(secret, block("ordersalt", (("rev", str(revision)),)), "sha256")


def commit(salted: bytes, text: str) -> bytes:
    """The 32 bytes that bind a seat to the canonical text of its orders and standing orders."""
    return hashlib.sha256(f"{FORMAT}/order\n".encode() + salted + text.encode("utf-8")).digest()


def blinded(secret: bytes, text: str) -> str:
    """``hmac:`` and the hex digest of a secret text.

    A bare hash of a small state could be found by trying all states.
    """
    return "hmac:" + hmac.new(secret, text.encode("utf-8"), hashlib.sha256).hexdigest()
