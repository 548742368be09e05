"""Sign with the log's secret key by PyNaCl, and verify signatures fast."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from pbem.audit import vrf
from pbem.audit.note import ED25519, Key, Sign

MOST_CACHED_PROOFS = 1024
"""Proofs by the dice key that are cached: those of the phases for which letters come. More than a thousand phases are
hardly open at once, and a dropped proof is only made again."""


class LogSecrets(NamedTuple):
    """The keys of the log and of the dice.

    There are two keys, because a key with two uses has two ways to be misused.
    """

    log: Key
    sign: Sign
    dice: vrf.ExpandedKey
    prove: Callable[[bytes], bytes]
    """`vrf.prove` by the key of the dice; the last proofs are cached, because a seat's salt is needed often."""
    secret: Callable[[bytes], bytes]
    """`vrf.output_of` such a proof, cached as well."""
    former: tuple[LogSecrets, ...] = ()
    """The earlier keys, the oldest first: what was sealed by them is proven by them."""

    @property
    def first(self) -> LogSecrets:
        """Return the keys that the log was begun with."""
        return self.former[0] if self.former else self


def secrets_of(name: str, log: bytes, dice: bytes) -> LogSecrets:
    """Return both keys from their 32 bytes, for the log of that name.

    Raise ValueError if they are the same.
    """
    if log == dice:
        raise ValueError("the log and the dice must not have one key")
    key = vrf.expand_key(dice)
    prove = lru_cache(maxsize=MOST_CACHED_PROOFS)(partial(vrf.prove, key))
    secret = lru_cache(maxsize=MOST_CACHED_PROOFS)(lambda of: vrf.output_of(prove(of)))
    return LogSecrets(*make_signer(name, log), key, prove, secret)


def make_signer(name: str, secret: bytes, kind: int = ED25519) -> tuple[Key, Sign]:
    """Return the public key of 32 secret bytes, and the signing function."""
    own = SigningKey(secret)
    return Key(name, bytes(own.verify_key), kind), lambda message: own.sign(message).signature


def verify(public: bytes, message: bytes, signed: bytes) -> bool:
    """Return whether `signed` is the signature of `message` under `public`."""
    try:
        VerifyKey(public).verify(message, signed)
    # ValueError: the library refuses a key or a signature of another length.
    except (BadSignatureError, ValueError):
        return False
    return True
