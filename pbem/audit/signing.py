"""The server's own signatures, by PyNaCl: the secret key of the log, and a verifier that is fast."""

from __future__ import annotations

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from pbem.audit.note import ED25519, Key, Sign

__all__ = ["signer", "verify"]


def signer(name: str, secret: bytes, kind: int = ED25519) -> tuple[Key, Sign]:
    """The public key of 32 secret bytes under a name, and the function that signs with them."""
    own = SigningKey(secret)
    return Key(name, bytes(own.verify_key), kind), lambda message: own.sign(message).signature


def verify(public: bytes, message: bytes, signed: bytes) -> bool:
    """`pbem.audit.verifier.signature.verify`, by libsodium."""
    try:
        VerifyKey(public).verify(message, signed)
    except (BadSignatureError, ValueError):
        return False
    return True
