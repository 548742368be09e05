"""The beacon's rounds, fetched by HTTP from relays that the operator names in the settings.

A relay is believed in nothing: a round counts if it is the one that was asked for and its signature is the chain's. As
long as no relay has it, it is waited for; no other round, chain or number ever takes its place.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import NamedTuple

import structlog

from pbem.audit.beacon import Beacon, Check, parse_round
from pbem.audit.blocks import Malformed
from pbem.campaign.turn.beacons import Ask

__all__ = ["Fetched", "Get", "fetch", "http", "network"]

log = structlog.get_logger(__name__)

Get = Callable[[str], bytes]
"""An address -> the bytes there; OSError if there are none to be had now."""

_SECONDS = 10
_MOST = 65_536


class Fetched(NamedTuple):
    """What came of asking: the signature of the round, or None, and why each relay that was asked did not help."""

    signature: bytes | None
    reasons: tuple[str, ...]


def fetch(relays: Sequence[str], chain: Beacon, number: int, get: Get, check: Check) -> Fetched:
    """Ask the relays in order for one round of one chain, until one has it; never raises for what a relay does."""
    reasons: list[str] = []
    for relay in relays:
        try:
            found = parse_round(get(f"{relay.rstrip('/')}/{chain.hash}/public/{number}"))
        except (OSError, Malformed) as wrong:
            reasons.append(f"{relay}: {wrong}")
            continue
        if found.number != number:
            reasons.append(f"{relay}: it answered with round {found.number}, not {number}")
        elif not (right := check(chain, number, found.signature)):
            reasons.append(f"{relay}: " + ("the signature is false" if right is False else "no library to check with"))
        else:
            return Fetched(found.signature, tuple(reasons))
    return Fetched(None, tuple(reasons))


def network(relays: Sequence[str], get: Get, check: Check) -> Ask:
    """What the beacon's rounds are asked of: these relays; why one was of no help is logged."""

    def ask(chain: Beacon, number: int) -> bytes | None:
        found = fetch(relays, chain, number, get, check)
        for why in found.reasons:
            log.warning("a relay was of no help", round=number, why=why)
        return found.signature

    return ask


def http(address: str) -> bytes:
    """What a relay answers to GET; OSError for anything but success, or for more than a relay has to say."""
    if not address.startswith(("https://", "http://")):
        raise OSError(f"{address} is no address of a relay")
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:  # noqa: S310 - the scheme was looked at
            body: bytes = answer.read(_MOST + 1)
    except urllib.error.HTTPError as refused:
        refused.close()
        raise OSError(f"not yet there: HTTP {refused.code}") from None
    except ValueError as wrong:
        raise OSError(f"{address}: {wrong}") from None
    if len(body) > _MOST:
        raise OSError("the answer is too long")
    return body
