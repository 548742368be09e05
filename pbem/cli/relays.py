"""What the server asks of others by HTTP: the beacon's rounds of relays, cosignatures of witnesses.

A relay is believed in nothing: a round counts if it is the one that was asked for and its signature is the chain's. As
long as no relay has it, it is waited for; no other round, chain or number ever takes its place.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.audit.beacon import Beacon, Check, parse_round
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key, parse_key
from pbem.audit.submission import PATH
from pbem.cli.web import Answer, Line
from pbem.lazy import Logger
from pbem.log import witnesses
from pbem.play.beacons import Ask
from pbem.runtime.transaction import Server

log = Logger(__name__)

Get = Callable[[str], bytes]
"""An address -> the bytes there; OSError if there are none to be had now."""

Post = Callable[[str, bytes], Answer]
"""An address, and what is handed in there -> the answer; OSError if there is none to be had now."""

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


def post(address: str, data: bytes) -> Answer:
    """Submit a tree to a witness; OSError if no answer is to be had."""
    with Line(address) as line:
        return line.post(PATH, data, _MOST)


class Cosigners:
    """Witnesses who are asked by HTTP; one that is of no help is left alone for a while, longer each time."""

    def __init__(self, named: Sequence[tuple[str, str]], post: Post = post) -> None:
        self._named = [(url, parse_key(key)) for url, key in named]
        self._post = post
        self._held: dict[str, int] = {}
        self._failures: dict[str, int] = {}
        self._rests: dict[str, datetime] = {}

    def __call__(self, server: Server, goes_on: Callable[[], bool]) -> None:
        """Submit the newest tree to each who has to see it, and keep what they have cosigned."""
        for url, key in self._named:
            now = server.clock.now()
            if not goes_on() or now < self._rests.get(url, now):
                continue
            try:
                self._submit(server, url, key)
                self._failures[url] = 0
            except (OSError, Malformed) as wrong:
                self._failures[url] = failures = self._failures.get(url, 0) + 1
                self._rests[url] = now + timedelta(seconds=min(600, 2**failures))
                log.warning("a witness was of no help", witness=url, why=str(wrong))

    def _submit(self, server: Server, url: str, key: Key) -> None:
        for _ in range(2):
            with server.work() as work:
                asked = witnesses.what_to_submit(
                    work, max(self._held.get(url, 0), witnesses.size_held(work.session, key))
                )
            if asked is None:
                return
            answer = self._post(url, asked.body)
            if answer.status == 200:
                with server.work() as work:
                    witnesses.take_cosignature(work, key, asked.size, answer.body)
                return
            if answer.status != 409:
                break
            # He holds another tree than is known here: his answer says which, and he is asked from there.
            self._held[url] = _size(answer.body)
        raise OSError(f"HTTP {answer.status}: {answer.body[:200]!r}")


def _size(body: bytes) -> int:
    text = body.decode("ascii", "replace").removesuffix("\n")
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Malformed("he does not say which tree he holds")
    return int(text)
