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
from collections.abc import Callable

from pbem.audit import sealing
from pbem.audit.sealing import commit

__all__ = ["PROVEN", "SCHEME", "Secret", "blinded", "commit", "of_key", "order_salt", "secret"]

Secret = Callable[[bytes], bytes]
"""A block -> the 64 bytes that belong to it, by the key of the game's scheme; of an alpha block they are beta."""

PROVEN = "pbemdice/v1"
"""The scheme whose secrets come with proofs: `vrf`."""

SCHEME = "hmac/v0"
SHORTEST_KEY = 32


def secret(key: bytes, of: bytes) -> bytes:
    """The 64 bytes that belong to a block under the server key; ValueError for a key below 32 bytes.

    Of an alpha block it is beta.
    """
    if len(key) < SHORTEST_KEY:
        raise ValueError(f"a server key has at least {SHORTEST_KEY} bytes, got {len(key)}")
    return hmac.new(key, of, hashlib.sha512).digest()


def of_key(key: bytes) -> Secret:
    """The secrets of scheme hmac/v0; ValueError for a key below 32 bytes."""
    secret(key, b"")
    return lambda of: secret(key, of)


def order_salt(of: Secret, *, game: str, phase: str, seat: str, revision: int) -> bytes:
    """The 32 bytes that keep a commitment to a guessable order set from being guessed."""
    return sealing.order_salt(of(sealing.salt(game=game, phase=phase, seat=seat)), revision)


def blinded(of: Secret, *, game: str, phase: str, text: str) -> str:
    """``hmac:`` and the hex digest of a secret text, such as the canonical JSON of a state."""
    return sealing.blinded(of(sealing.blind(game=game, phase=phase)), text)
