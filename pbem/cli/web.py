"""Ask other hosts by HTTP: only https, with limits, and without redirections.

On this machine http is allowed too. A redirection is an answer like any other, and is not followed. An answer has a
largest length and a longest time.
"""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlsplit

from pbem.audit.beacon import Beacon, VerifyRound, parse_round
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key, parse_key
from pbem.audit.submission import SUBMISSION_PATH
from pbem.lazy import Logger, lazily

with lazily():
    from pbem.log import witnesses

if TYPE_CHECKING:
    from pbem.play.beacons import Ask
    from pbem.runtime.transaction import Server


SECONDS = 30.0
"""Seconds that each read from a host may take: the caller does nothing else meanwhile. A choice."""


class HttpAnswer(NamedTuple):
    """An answer: status and bytes."""

    status: int
    body: bytes


def check_address(address: str) -> str:
    """Return a URL without its last slash.

    Raise ValueError unless it is https (http only for this machine), with host and path and nothing else.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.netloc.isascii():
        raise ValueError(f"{address} is no address; one is https://log.example.org/pbem")
    if parts.username or parts.query or parts.fragment or any(c <= " " or c > "~" for c in address):
        raise ValueError(f"{address} is more than an address: host and path are all")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError(f"{address} is not https: whoever is on the line might answer")
    _ = parts.port
    return address.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        # A name, not a number: only the one name above is known to be this machine's.
        return False


class HttpConnection:
    """A connection to a host, kept while it lasts; paths are below the address."""

    def __init__(self, address: str, seconds: float = SECONDS) -> None:
        parts = urlsplit(check_address(address))
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._base, self._seconds = parts.path, seconds
        self._here = kind(parts.hostname or "", parts.port, timeout=seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._here.close()

    def get(self, path: str, most: int) -> HttpAnswer:
        """Get a path, at most `most` octets; raise OSError if that fails."""
        return self._ask("GET", path, None, most)

    def post(self, path: str, data: bytes, most: int) -> HttpAnswer:
        """Post data to a path; raise OSError if there is no answer."""
        return self._ask("POST", path, data, most)

    def _ask(self, method: str, path: str, data: bytes | None, most: int) -> HttpAnswer:
        try:
            return self._request(method, path, data, most)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # The other side had closed a line that stood open: it is asked once more.
            self._here.close()
        try:
            return self._request(method, path, data, most)
        except http.client.HTTPException as wrong:
            # RemoteDisconnected alone comes through `_request`; the second time it is an error like any other.
            raise OSError(f"that is no HTTP: {wrong!r}") from None

    def _request(self, method: str, path: str, data: bytes | None, most: int) -> HttpAnswer:
        end = threading.Timer(self._seconds, self._cut)
        end.daemon = True
        end.start()
        try:
            self._here.request(method, f"{self._base}/{path.lstrip('/')}", data)
            answer = self._here.getresponse()
            body = answer.read(most + 1)
            if len(body) > most:
                raise OSError(f"the answer is longer than {most} octets")
            if answer.length:
                raise OSError("the answer breaks off")
            return HttpAnswer(answer.status, body)
        except http.client.RemoteDisconnected:
            # As it is: `_ask` tries once more. It is an HTTPException too, so that it comes first.
            raise
        except http.client.HTTPException as wrong:
            self._here.close()
            raise OSError(f"that is no HTTP: {wrong!r}") from None
        except OSError:
            # The rest of a late answer would be read as that to the next question.
            self._here.close()
            raise
        finally:
            end.cancel()

    def _cut(self) -> None:
        with suppress(OSError, AttributeError):
            self._here.sock.shutdown(socket.SHUT_RDWR)


# What the server asks of others by HTTP: the beacon's rounds of relays, cosignatures of witnesses.
#
# A relay is believed in nothing: a round counts if it is the one that was asked for and its signature is the chain's.
# As long as no relay has it, it is waited for; no other round, chain or number ever takes its place.


log = Logger(__name__)

Get = Callable[[str], bytes]
"""A function from an address to the bytes there; raises OSError if it gets none now."""

Post = Callable[[str, bytes], HttpAnswer]
"""A function from an address and the posted bytes to the answer; raises OSError if it gets none now."""

_SECONDS = 10
"""Seconds that each read from a relay may take: relays are asked one after another, and rounds come every three
seconds."""
_LONGEST_REST = 600
"""Seconds of the longest pause after failures of a witness, so that phases after an outage do not wait longer for it.
"""
_LONGEST_ANSWER = 65_536
"""Octets of an answer: a beacon's round has some hundred, a witness's signatures some thousand. Longer answers are
refused, since the other host is not trusted."""


class FetchedRound(NamedTuple):
    """The result of asking relays: the signature or None, and each relay's reason."""

    signature: bytes | None
    reasons: tuple[str, ...]


def fetch_round_from_relays(
    relays: Sequence[str], chain: Beacon, number: int, get: Get, check: VerifyRound
) -> FetchedRound:
    """Ask relays in order for one round; never raise for a relay's fault."""
    reasons: list[str] = []
    for relay in relays:
        try:
            round_ = parse_round(get(f"{relay.rstrip('/')}/{chain.hash}/public/{number}"))
        except (OSError, Malformed) as wrong:
            reasons.append(f"{relay}: {wrong}")
            continue
        if round_.number != number:
            reasons.append(f"{relay}: it answered with round {round_.number}, not {number}")
        elif not (verified := check(chain, number, round_.signature)):
            reasons.append(
                f"{relay}: " + ("the signature is false" if verified is False else "no library to check with")
            )
        else:
            return FetchedRound(round_.signature, tuple(reasons))
    return FetchedRound(None, tuple(reasons))


def make_relay_fetcher(relays: Sequence[str], get: Get, check: VerifyRound) -> Ask:
    """Return a function that asks these relays for rounds, and logs their faults."""

    def ask(chain: Beacon, number: int) -> bytes | None:
        fetched = fetch_round_from_relays(relays, chain, number, get, check)
        for why in fetched.reasons:
            log.warning("a relay was of no help", round=number, why=why)
        return fetched.signature

    return ask


def get_round(address: str) -> bytes:
    """Return a relay's answer to GET; raise OSError unless successful and short."""
    if not address.startswith(("https://", "http://")):
        raise OSError(f"{address} is no address of a relay")
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:  # noqa: S310 - the scheme was looked at
            body: bytes = answer.read(_LONGEST_ANSWER + 1)
    except urllib.error.HTTPError as refused:
        # It holds the connection open. The usual case is a round that is not out yet.
        refused.close()
        raise OSError(f"not yet there: HTTP {refused.code}") from None
    except ValueError as wrong:
        # The settings may name anything, such as http://[, which is cut short.
        raise OSError(f"{address}: {wrong}") from None
    if len(body) > _LONGEST_ANSWER:
        raise OSError("the answer is too long")
    return body


def submit_tree(address: str, data: bytes) -> HttpAnswer:
    """Submit a tree to a witness; raise OSError if there is no answer."""
    with HttpConnection(address) as line:
        return line.post(SUBMISSION_PATH, data, _LONGEST_ANSWER)


class HttpCosigners:
    """Witnesses asked by HTTP; one that fails rests for a while, longer each time."""

    def __init__(self, named: Sequence[tuple[str, str]], post: Post = submit_tree) -> None:
        self._named = [(url, parse_key(key)) for url, key in named]
        self._post = post
        self._held: dict[str, int] = {}
        self._failures: dict[str, int] = {}
        self._rests: dict[str, datetime] = {}

    def __call__(self, server: Server, goes_on: Callable[[], bool]) -> None:
        """Submit the newest tree to each witness that needs it; store cosignatures."""
        for url, key in self._named:
            now = server.clock.now()
            if not goes_on() or now < self._rests.get(url, now):
                continue
            try:
                self._submit(server, url, key)
                self._failures[url] = 0
            except (OSError, Malformed) as wrong:
                self._failures[url] = failures = self._failures.get(url, 0) + 1
                self._rests[url] = now + timedelta(seconds=min(_LONGEST_REST, 2**failures))
                log.warning("a witness was of no help", witness=url, why=str(wrong))

    def _submit(self, server: Server, url: str, key: Key) -> None:
        for _ in range(2):
            with server.work() as tx:
                submission = witnesses.what_to_submit(
                    tx, max(self._held.get(url, 0), witnesses.size_at_witness(tx.session, key))
                )
            if submission is None:
                return
            answer = self._post(url, submission.body)
            if answer.status == 200:
                with server.work() as tx:
                    witnesses.take_cosignature(tx, key, submission.size, answer.body)
                return
            if answer.status != 409:
                break
            # He holds another tree than is known here: his answer says which, and he is asked from there.
            self._held[url] = _size(answer.body)
        # A stranger wrote it: the log has no more than a line of it.
        raise OSError(f"HTTP {answer.status}: {answer.body[:200]!r}")


def _size(body: bytes) -> int:
    text = body.decode("ascii", "replace").removesuffix("\n")
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Malformed("he does not say which tree he holds")
    return int(text)
