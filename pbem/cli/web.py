"""One host asked by HTTP, as strangers are to be asked: https alone (http for this machine), bounded, never led away.

A redirection is an answer like any other and nothing is fetched from where it points; an answer has a length and a time
that it may take, whatever comes over the line.
"""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import suppress
from ipaddress import ip_address
from typing import NamedTuple, Self
from urllib.parse import urlsplit

SECONDS = 30.0
"""How long one answer may take."""


class Answer(NamedTuple):
    """What was answered: the status, the bytes."""

    status: int
    body: bytes


def check_address(address: str) -> str:
    """The address without a slash at its end; ValueError unless it is one that is asked."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.netloc.isascii():
        raise ValueError(f"{address} is no address; one is https://log.example.org/pbem")
    if parts.username or parts.query or parts.fragment or any(c <= " " or c > "~" for c in address):
        raise ValueError(f"{address} is more than an address: host and path are all")
    if parts.scheme == "http" and not _is_here(parts.hostname):
        raise ValueError(f"{address} is not https: whoever is on the line might answer")
    _ = parts.port
    return address.rstrip("/")


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class Line:
    """A connection to a host, kept while it lasts; `get` and `post` take paths below the address."""

    def __init__(self, address: str, seconds: float = SECONDS) -> None:
        parts = urlsplit(check_address(address))
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._base, self._seconds = parts.path, seconds
        self._here = kind(parts.hostname or "", parts.port, timeout=seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._here.close()

    def get(self, path: str, most: int) -> Answer:
        """Ask for what is below the address, `most` octets of it; OSError if it cannot be had."""
        return self._ask("GET", path, None, most)

    def post(self, path: str, data: bytes, most: int) -> Answer:
        """Hand something in; OSError if no answer is to be had."""
        return self._ask("POST", path, data, most)

    def _ask(self, method: str, path: str, data: bytes | None, most: int) -> Answer:
        try:
            return self._once(method, path, data, most)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # The other side had closed a line that stood open: it is asked once more.
            self._here.close()
        try:
            return self._once(method, path, data, most)
        except http.client.HTTPException as wrong:
            raise OSError(f"that is no HTTP: {wrong!r}") from None

    def _once(self, method: str, path: str, data: bytes | None, most: int) -> Answer:
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
            return Answer(answer.status, body)
        except http.client.RemoteDisconnected:
            raise
        except http.client.HTTPException as wrong:
            self._here.close()
            raise OSError(f"that is no HTTP: {wrong!r}") from None
        except OSError:
            self._here.close()
            raise
        finally:
            end.cancel()

    def _cut(self) -> None:
        with suppress(OSError, AttributeError):
            self._here.sock.shutdown(socket.SHUT_RDWR)
