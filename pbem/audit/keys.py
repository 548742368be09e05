"""Scheme ``hmac/v0``: what one server key makes of a closed list, and how orders are sealed.

Every secret is ``HMAC-SHA512(server key, block)``. It fixes the dice by the closed list alone, so that a second run
of the same list gives the same dice; that the key was not chosen afterwards can only be believed, not checked, which
is why the scheme stands in the game's row and in every report's grade.

    beta   = HMAC-SHA512(key, alpha)                                                    the dice (see `dice`)
    salt   = HMAC-SHA256(HMAC-SHA512(key, salt block: game, phase, seat), ordersalt block: rev)
    commit = SHA-256("pbemdice/v1/order" LF || salt || canonical order text)
    blind  = HMAC-SHA256(HMAC-SHA512(key, blind block: game, phase), canonical JSON)    digests of secret states
"""

from __future__ import annotations

import hashlib
import hmac

from pbem.audit.blocks import FORMAT, block

__all__ = ["SCHEME", "blinded", "commit", "order_salt", "secret"]

SCHEME = "hmac/v0"
SHORTEST_KEY = 32


def secret(key: bytes, of: bytes) -> bytes:
    """The 64 bytes that belong to a block under the server key; ValueError for a key below 32 bytes.

    Of an alpha block it is beta.
    """
    if len(key) < SHORTEST_KEY:
        raise ValueError(f"a server key has at least {SHORTEST_KEY} bytes, got {len(key)}")
    return hmac.new(key, of, hashlib.sha512).digest()


def order_salt(key: bytes, *, game: str, phase: str, seat: str, revision: int) -> bytes:
    """The 32 bytes that keep a commitment to a guessable order set from being guessed."""
    inner = secret(key, block("salt", (("game", game), ("phase", phase), ("seat", seat))))
    return hmac.new(inner, block("ordersalt", (("rev", str(revision)),)), hashlib.sha256).digest()


def commit(salt: bytes, text: str) -> bytes:
    """The 32 bytes that bind a seat to the canonical text of its orders and standing orders."""
    return hashlib.sha256(f"{FORMAT}/order\n".encode() + salt + text.encode("utf-8")).digest()


def blinded(key: bytes, *, game: str, phase: str, text: str) -> str:
    """``hmac:`` and the hex digest of a secret text, such as the canonical JSON of a state.

    A bare hash of a small state could be found by trying all states.
    """
    inner = secret(key, block("blind", (("game", game), ("phase", phase))))
    return "hmac:" + hmac.new(inner, text.encode("utf-8"), hashlib.sha256).hexdigest()
