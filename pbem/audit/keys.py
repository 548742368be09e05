"""Scheme ``pbemdice/v1``: what the key of the dice makes of a closed list, and how orders are sealed.

Every secret is the output of the VRF for a block (`vrf`), and comes with a proof. It fixes the dice by the closed list
alone, so that a second run of the same list gives the same dice, and nobody can say that they were others.

    beta  = SECRET(alpha)                                        the dice (see `dice`)
    seats = `sealing` by SECRET(salt block: game, phase, seat)   two commitments a seat
    blind = `sealing` by SECRET(blind block: game, phase)        digests of secret states
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.audit import sealing
from pbem.audit.blocks import Commitment

Secret = Callable[[bytes], bytes]
"""A block -> the 64 bytes that belong to it, by the key of the dice; of an alpha block they are beta."""

SCHEME = "pbemdice/v1"
"""The scheme of the dice that stands in a game's row: there may be others after it."""


def order_salt(of: Secret, *, game: str, phase: str, seat: str, revision: int) -> bytes:
    """The 32 bytes that keep a commitment to orders that can be guessed from being guessed."""
    return sealing.order_salt(of(sealing.salt(game=game, phase=phase, seat=seat)), revision)


def standing_salt(of: Secret, *, game: str, phase: str, seat: str, revision: int) -> bytes:
    """The 32 bytes that do the same for the commitment to standing orders."""
    return sealing.standing_salt(of(sealing.salt(game=game, phase=phase, seat=seat)), revision)


def sealed(of: Secret, salt: bytes, revision: int, text: str, rules: Sequence[str] | None = None) -> Commitment:
    """What a slate says of the seat of a `sealing.salt` block; of answers, where there are no `rules`."""
    return sealing.sealed(of(salt), revision, text, rules)


def blinded(of: Secret, *, game: str, phase: str, text: str) -> str:
    """``hmac:`` and the hex digest of a secret text, such as the canonical JSON of a state."""
    return sealing.blinded(of(sealing.blind(game=game, phase=phase)), text)
