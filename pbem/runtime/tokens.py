"""Derive tokens, nonces and keys for each purpose from the server's key.

None of them is stored. The token in a seat's address proves that its author plays the seat; a new generation makes
the old address invalid.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from functools import lru_cache

from pbem.engine.orders.block import NONCE_SIGNS


@lru_cache(maxsize=64)
def derive_key(key: bytes, name: str) -> bytes:
    """Return a 32-byte key for one purpose; no two purposes share a key."""
    return hmac.digest(key, b"pbem/" + name.encode("ascii"), hashlib.sha256)


def seat_token(key: bytes, game: str, seat: str, generation: int) -> str:
    """Return the token of a seat: 16 lower-case characters of base32, 80 bits."""
    return _base32(derive_key(key, "token"), f"{game}\n{seat}\n{generation}", 10)


def moderator_token(key: bytes, game: str, generation: int) -> str:
    """Return the token of a game's moderator, which no seat's can equal."""
    return _base32(derive_key(key, "moderator"), f"{game}\n{generation}", 10)


def witness_token(key: bytes, game: str, number: int) -> str:
    """Return the token of a game's witness, which only the invitation shows."""
    return _base32(derive_key(key, "witness"), f"{game}\n{number}", 10)


def unsubscribe_token(key: bytes, game: str, seat: str, secret: str) -> str:
    """Return a token that can only reduce the letters to a seat."""
    return _base32(derive_key(key, "unsubscribe"), f"{game}\n{seat}\n{secret}", 10)


def entrant_token(key: bytes, tournament: str, number: int, generation: int) -> str:
    """Return the token of an entrant of a tournament; his seat is ``e7``."""
    return _base32(derive_key(key, "entrant"), f"{tournament}\n{number}\n{generation}", 10)


def director_token(key: bytes, tournament: str, generation: int) -> str:
    """Return the token of a tournament's director."""
    return _base32(derive_key(key, "director"), f"{tournament}\n{generation}", 10)


def co_director_token(key: bytes, tournament: str, appointment: int, generation: int) -> str:
    """Return the token of a tournament's co-director."""
    return _base32(derive_key(key, "director"), f"{tournament}\n{appointment}\n{generation}", 10)


def confirmation_code(key: bytes, day: int, *words: str) -> str:
    """Return the code that confirms a request, in the form of `mail.CODE_PATTERN`.

    It is good for those words and that day only.
    """
    return _base32(derive_key(key, "code"), "\n".join((str(day), *words)), 5)


def form_mark(key: bytes, game: str, phase: str, seat: str) -> str:
    """Return the mark of an order form: 4 characters, other than in older forms."""
    return _base32(derive_key(key, "nonce"), f"{game}\n{phase}\n{seat}", 3)[:NONCE_SIGNS]


def page_name(key: bytes, game: str, seat: str) -> str:
    """Return the name of a seat's own page: 128 bits, which nobody can guess."""
    return _base32(derive_key(key, "page"), f"{game}\n{seat}", 16)


def rating_pseudonym(key: bytes, pool: str, person: int) -> str:
    """Return a person's lasting pseudonym in a pool of ratings."""
    return "p" + _base32(derive_key(key, "rated"), f"{pool}\n{person}", 10)


def is_same_secret(secret: str, other: str) -> bool:
    """Compare secrets in constant time."""
    return hmac.compare_digest(secret.encode("utf-8"), other.encode("utf-8"))


def _base32(key: bytes, text: str, size: int) -> str:
    mac = hmac.digest(key, text.encode("utf-8"), hashlib.sha256)[:size]
    return base64.b32encode(mac).decode("ascii").lower().rstrip("=")
