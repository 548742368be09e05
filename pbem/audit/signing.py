"""Sign with the log's secret key by PyNaCl, and verify signatures fast."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from pbem.audit import vrf
from pbem.audit.note import ED25519, Key, Sign

REMEMBERED = 1024
"""Proofs of the dice's key that are remembered: those of the phases that letters come for. More than a thousand
phases are hardly open at once, and a proof that was dropped is only made again."""


class Secrets(NamedTuple):
    """The keys of the log and of the dice.

    They are two, because a key with two uses has two ways to be misused.
    """

    log: Key
    sign: Sign
    dice: vrf.ExpandedKey
    prove: Callable[[bytes], bytes]
    """`vrf.prove` by the key of the dice; what was proven last is remembered, for a seat's salt is wanted often."""
    secret: Callable[[bytes], bytes]
    """`vrf.output_of` what is proven, remembered as well."""
    former: tuple[Secrets, ...] = ()
    """The keys before these, the oldest first: what was opened by them is proven by them."""

    @property
    def first(self) -> Secrets:
        """Return the keys that the log was begun with."""
        return self.former[0] if self.former else self


def secrets_of(name: str, log: bytes, dice: bytes) -> Secrets:
    """Return both keys from their 32 bytes, for the log of that name.

    Raise ValueError if they are the same.
    """
    if log == dice:
        raise ValueError("the log and the dice must not have one key")
    key = vrf.key(dice)
    prove = lru_cache(maxsize=REMEMBERED)(partial(vrf.prove, key))
    secret = lru_cache(maxsize=REMEMBERED)(lambda of: vrf.output_of(prove(of)))
    return Secrets(*signer(name, log), key, prove, secret)


def signer(name: str, secret: bytes, kind: int = ED25519) -> tuple[Key, Sign]:
    """Return the public key of 32 secret bytes, and the signing function."""
    own = SigningKey(secret)
    return Key(name, bytes(own.verify_key), kind), lambda message: own.sign(message).signature


def verify(public: bytes, message: bytes, signed: bytes) -> bool:
    """Return whether `signed` is the signature of `message` under `public`."""
    try:
        VerifyKey(public).verify(message, signed)
    except (BadSignatureError, ValueError):
        return False
    return True
