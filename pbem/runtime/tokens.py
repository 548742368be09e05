"""What is derived from the server's key: tokens, nonces, and a key for each purpose.

Nothing of it is stored. A token lets whoever writes to a seat's address speak for the seat; a new generation makes
the old address worthless.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from functools import lru_cache

from pbem.engine.orders.block import NONCE_SIGNS


@lru_cache(maxsize=64)
def purpose(key: bytes, name: str) -> bytes:
    """A 32-byte key for one purpose, so that no two of them share one."""
    return hmac.digest(key, b"pbem/" + name.encode("ascii"), hashlib.sha256)


def token(key: bytes, game: str, seat: str, generation: int) -> str:
    """The token of a seat: 16 lower-case characters of base32, 80 bits."""
    return _base32(purpose(key, "token"), f"{game}\n{seat}\n{generation}", 10)


def moderator(key: bytes, game: str, generation: int) -> str:
    """The token of a game's moderator, of a kind of its own: no seat's, whatever the seat is called."""
    return _base32(purpose(key, "moderator"), f"{game}\n{generation}", 10)


def witness(key: bytes, game: str, number: int) -> str:
    """The token of a witness of a game, who has it from the letter that asked him and from nowhere else."""
    return _base32(purpose(key, "witness"), f"{game}\n{number}", 10)


def unsubscribe(key: bytes, game: str, seat: str, secret: str) -> str:
    """The token that makes letters fewer and opens nothing: of a seat's token, or of the address of who has no seat."""
    return _base32(purpose(key, "unsubscribe"), f"{game}\n{seat}\n{secret}", 10)


def entrant(key: bytes, tournament: str, number: int, generation: int) -> str:
    """The token of an entrant of a tournament, in the place of whose seat stands ``e7``."""
    return _base32(purpose(key, "entrant"), f"{tournament}\n{number}\n{generation}", 10)


def director(key: bytes, tournament: str, generation: int) -> str:
    """The token of a tournament's director: nobody's seat, and no moderator's."""
    return _base32(purpose(key, "director"), f"{tournament}\n{generation}", 10)


def code(key: bytes, day: int, *what: str) -> str:
    """What confirms a request by letter: 8 characters of base32, good for those words and that day alone."""
    return _base32(purpose(key, "code"), "\n".join((str(day), *what)), 5)


def nonce(key: bytes, game: str, phase: str, seat: str) -> str:
    """The mark of one order template, 4 characters: tells the block of this letter from that of an older one."""
    return _base32(purpose(key, "nonce"), f"{game}\n{phase}\n{seat}", 3)[:NONCE_SIGNS]


def page(key: bytes, game: str, seat: str) -> str:
    """The name of the page of a seat's own: 128 bits, so that nobody finds it who was not told."""
    return _base32(purpose(key, "page"), f"{game}\n{seat}", 16)


def rated(key: bytes, pool: str, person: int) -> str:
    """What the log calls a person in a pool of ratings: the same for ever, and telling nobody who it is."""
    return "p" + _base32(purpose(key, "rated"), f"{pool}\n{person}", 10)


def same(one: str, other: str) -> bool:
    """Compare secrets in a time that says nothing about where they differ."""
    return hmac.compare_digest(one.encode("utf-8"), other.encode("utf-8"))


def _base32(key: bytes, text: str, size: int) -> str:
    mac = hmac.digest(key, text.encode("utf-8"), hashlib.sha256)[:size]
    return base64.b32encode(mac).decode("ascii").lower().rstrip("=")
