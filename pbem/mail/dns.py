"""TXT records of the domain name system, asked of one resolver by UDP (RFC 1035, RFC 6891): what mail policy stands in.

query     id 0100 0001 0000 0000 0001   7"example"3"org"0 0010 0001   and an OPT record: answers up to 4,096 octets
answer    id 8180 0001 0001 ...         c00c 0010 0001 00000e10 0012 11"v=spf1 mx -all"
"""

from __future__ import annotations

import secrets
import socket
import struct
from typing import NamedTuple

__all__ = ["NoAnswer", "Resolver", "txt"]

_TXT, _OPT, _IN = 16, 41, 1
_NO_SUCH_NAME = 3


class NoAnswer(OSError):
    """The resolver gave no usable answer; that there are no records is an answer, and another thing."""


class Resolver(NamedTuple):
    """Whom to ask, and for how many seconds to wait; it is asked twice, for UDP loses packets."""

    host: str
    port: int = 53
    timeout: float = 3.0


def txt(resolver: Resolver, name: str) -> tuple[str, ...]:
    """Return the TXT records of a name, the strings of each joined; empty if there are none. NoAnswer."""
    number = secrets.randbelow(65_536)
    try:
        asked_for = _name(name)
    except ValueError as wrong:
        raise NoAnswer(f"{name} can be nobody's name: {wrong}") from None
    question = asked_for + struct.pack("!HH", _TXT, _IN)
    query = struct.pack("!6H", number, 0x0100, 1, 0, 0, 1) + question + b"\0" + struct.pack("!HHIH", _OPT, 4096, 0, 0)
    try:
        family = socket.getaddrinfo(resolver.host, resolver.port, type=socket.SOCK_DGRAM)[0][0]
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            # Connected, so that nobody else's packets are read.
            asked.connect((resolver.host, resolver.port))
            asked.settimeout(resolver.timeout)
            answer = _ask(asked, query, number)
        return _records(answer)
    except OSError as wrong:
        raise NoAnswer(f"{resolver.host} says nothing of {name}: {wrong}") from None
    except (struct.error, IndexError, ValueError) as wrong:
        raise NoAnswer(f"{resolver.host} answers what is no answer: {wrong}") from None


def _ask(asked: socket.socket, query: bytes, number: int) -> bytes:
    for last in (False, True):
        asked.send(query)
        try:
            while True:
                answer = asked.recv(65_535)
                if len(answer) >= 12 and struct.unpack("!H", answer[:2])[0] == number:
                    return answer
        except TimeoutError:
            if last:
                raise
    raise TimeoutError


def _records(answer: bytes) -> tuple[str, ...]:
    _, flags, questions, answers, _, _ = struct.unpack("!6H", answer[:12])
    if flags & 15 == _NO_SUCH_NAME:
        return ()
    if flags & 15:
        raise NoAnswer(f"code {flags & 15}")
    if flags & 0x0200:
        raise NoAnswer("the answer is too long for UDP")
    at = 12
    for _ in range(questions):
        at = _past_name(answer, at) + 4
    found = []
    for _ in range(answers):
        at = _past_name(answer, at)
        kind, _, _, length = struct.unpack("!HHIH", answer[at : at + 10])
        if kind == _TXT:
            found.append(_joined(answer[at + 10 : at + 10 + length]))
        at += 10 + length
    return tuple(found)


def _joined(data: bytes) -> str:
    """A record's strings, each with its length in front, as one text (RFC 7208, 3.3)."""
    parts, at = [], 0
    while at < len(data):
        parts.append(data[at + 1 : at + 1 + data[at]])
        at += 1 + data[at]
    return b"".join(parts).decode("utf-8", "replace")


def _past_name(answer: bytes, at: int) -> int:
    while answer[at]:
        if answer[at] >= 0xC0:
            return at + 2
        at += 1 + answer[at]
    return at + 1


def _name(name: str) -> bytes:
    labels = name.encode("idna").rstrip(b".").split(b".")
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"
