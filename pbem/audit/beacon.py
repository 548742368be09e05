"""Read drand's public randomness: rounds by number and moment.

A chain is known by its hash, which covers the public key, the period and the first moment. Its round R appears at
``genesis + (R - 1) * period`` and is a signature of the number R, which nobody can make, or know, before. A relay
answers in JSON::

    {"round": 1000, "randomness": "fe29...", "signature": "b446..."}

Which round a phase takes is fixed before anybody knows the round. `verify_round` verifies signatures.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pbem.audit.blocks import Malformed

# Whole octets in lower-case hexadecimal: there is one way only to write a value.
_HEX = re.compile(r"(?:[0-9a-f]{2})+")


class Beacon(NamedTuple):
    """A chain: period in seconds, unix second of round 1, public key, seed and name."""

    period: int
    genesis: int
    public: bytes
    seed: bytes
    name: str

    @property
    def hash(self) -> str:
        """Return the hex hash that names the chain and covers all its parameters."""
        head = self.period.to_bytes(4, "big") + self.genesis.to_bytes(8, "big", signed=True) + self.public + self.seed
        name = b"" if self.name in ("", "default") else self.name.encode("utf-8")
        return hashlib.sha256(head + name).hexdigest()


VerifyRound = Callable[[Beacon, int, bytes], bool | None]
"""(chain, round, signature) -> whether the signature is the round's; None if that cannot be checked here."""


class BeaconRound(NamedTuple):
    """A round's number and its signature of 48 bytes."""

    number: int
    signature: bytes


QUICKNET = Beacon(
    period=3,
    genesis=1692803367,
    public=bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    seed=bytes.fromhex("f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e"),
    name="quicknet",
)
"""The network of the League of Entropy with a round every three seconds and signatures of 48 bytes."""

KNOWN_CHAINS = {QUICKNET.hash: QUICKNET}
"""The chains that are public: any other beacon may have been made by the server."""
CHAINS_OF_TERMS = {"none": "none", "quicknet": QUICKNET.hash}
"""The values in leaves for the chains that terms of play name."""


def first_round_from(chain: Beacon, second: int) -> int:
    """Return the number of the first round at or after a unix second."""
    # There is no round before the first, which comes out at `genesis`; the negative quotient rounds up.
    return max(1, 1 - (chain.genesis - second) // chain.period)


def round_time(chain: Beacon, number: int) -> int:
    """Return the unix second of a round; raise ValueError below round 1."""
    if number < 1:
        raise ValueError(f"a chain has no round {number}")
    return chain.genesis + (number - 1) * chain.period


def parse_info(data: bytes) -> Beacon:
    """Parse a relay's description of its chain.

    Raise Malformed if it describes no chain, or not the one of the hash that it names.
    """
    info = _object(data)
    metadata = info.get("metadata")
    name = metadata.get("beaconID") if isinstance(metadata, dict) else ""
    chain = Beacon(
        period=_whole(info, "period"),
        genesis=_whole(info, "genesis_time"),
        public=_bytes(info, "public_key"),
        seed=_bytes(info, "groupHash"),
        name=name if isinstance(name, str) else "",
    )
    if not 0 < chain.period < 1 << 32 or info.get("hash") != chain.hash:
        # A hash has 64 characters; a relay may send anything.
        raise Malformed(f"a chain with the hash {str(info.get('hash'))[:64]} has other parameters")
    return chain


def parse_round(data: bytes) -> BeaconRound:
    """Parse a relay's round without verifying it; raise Malformed for anything else."""
    answer = _object(data)
    drawn = BeaconRound(_whole(answer, "round"), _bytes(answer, "signature"))
    randomness = answer.get("randomness")
    if len(drawn.signature) != 48 or (
        randomness is not None and randomness != hashlib.sha256(drawn.signature).hexdigest()
    ):
        raise Malformed("a round has a signature of 48 bytes, and its hash for randomness")
    return drawn


def _object(data: bytes) -> dict[str, object]:
    try:
        answer = json.loads(data)
    # The standard parser is recursive: brackets nested deep enough end in RecursionError.
    except (ValueError, RecursionError):
        raise Malformed("a relay answers in JSON") from None
    if not isinstance(answer, dict):
        raise Malformed("a relay answers with an object")
    return answer


def _whole(answer: dict[str, object], key: str) -> int:
    value = answer.get(key)
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise Malformed(f"{key} is no number")
    return value


def _bytes(answer: dict[str, object], key: str) -> bytes:
    value = answer.get(key)
    if not isinstance(value, str) or _HEX.fullmatch(value) is None:
        raise Malformed(f"{key} is no hex")
    return bytes.fromhex(value)


# Whether a beacon's signature is one: BLS on BLS12-381, signatures in G1, by the optional extra `beacon`.
#
# A round is right if ``e(signature, g2) == e(H(SHA-256(round as 8 bytes, big-endian)), public key)``.


_DST = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
"""The domain separation tag of signatures in G1, by the suite of RFC 9380 (8.8.1) that drand signs with."""


@cache
def is_library_installed() -> bool:
    """Return whether the library of the extra `beacon` is installed."""
    # An extra, which may not be installed.
    try:
        import py_arkworks_bls12381  # noqa: F401
    except ImportError:
        return False
    return True


def verify_round(chain: Beacon, number: int, signature: bytes) -> bool | None:
    """Return whether `signature` is that of a round; None without the library."""
    return verify_bls(chain.public, hashlib.sha256(number.to_bytes(8, "big")).digest(), signature)


def verify_bls(public: bytes, message: bytes, signature: bytes) -> bool | None:
    """Verify a 48-byte BLS signature under a 96-byte key; None without the library."""
    if not is_library_installed():
        return None
    # An extra, which may not be installed.
    from py_arkworks_bls12381 import GT, G1Point, G2Point

    try:
        # Both readers hold the point against curve and subgroup.
        point, key = G1Point.from_compressed_bytes(signature), G2Point.from_compressed_bytes(public)
    except ValueError:
        return False
    if point == G1Point.identity() or key == G2Point.identity():
        return False
    left = GT.pairing(point, G2Point())
    return bool(left == GT.pairing(G1Point.hash_to_curve(message, _DST), key))
