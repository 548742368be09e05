"""TXT records asked of a resolver, one of the test's own: answers, refusals, silence, nonsense."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import dns.resolver
import pytest

from pbem.mail.dns import NoAnswer, Resolver, read_txt, system_resolver


@contextmanager
def resolving(answer: Callable[[bytes], bytes | None]) -> Iterator[Resolver]:
    """A resolver that answers each question as it is told; None is silence."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.bind(("127.0.0.1", 0))
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                question, asker = door.recvfrom(4096)
                if not ended.is_set() and (answer_bytes := answer(question)) is not None:
                    door.sendto(answer_bytes, asker)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = door.getsockname()[1]
        yield Resolver("127.0.0.1", port, timeout=0.3)
        ended.set()
        door.sendto(b"", ("127.0.0.1", port))
        thread.join()


def asked_name(question: bytes) -> str:
    labels, offset = [], 12
    while question[offset]:
        labels.append(question[offset + 1 : offset + 1 + question[offset]].decode())
        offset += 1 + question[offset]
    return ".".join(labels)


def records(*texts: list[bytes], flags: int = 0x8180, alias: bool = False) -> Callable[[bytes], bytes]:
    """An answer with these records, each of some strings; with `alias` a CNAME stands in front."""

    def answer(question: bytes) -> bytes:
        end = question.index(b"\0", 12) + 5
        rows = [b"\xc0\x0c" + struct.pack("!HHIH", 5, 1, 60, 2) + b"\xc0\x0c"] if alias else []
        for strings in texts:
            data = b"".join(bytes([len(part)]) + part for part in strings)
            rows.append(b"\xc0\x0c" + struct.pack("!HHIH", 16, 1, 60, len(data)) + data)
        head = question[:2] + struct.pack("!5H", flags, 1, len(rows), 0, 0)
        return head + question[12:end] + b"".join(rows)

    return answer


def test_records_are_read_and_their_strings_joined():
    asked = []

    def answer(question: bytes) -> bytes:
        asked.append(asked_name(question))
        return records([b"v=spf1 mx", b" -all"], [b"other"], alias=True)(question)

    with resolving(answer) as resolver:
        assert read_txt(resolver, "games.example.org") == ("v=spf1 mx -all", "other")
    assert asked == ["games.example.org"]


def test_no_such_name_is_no_record():
    with resolving(records(flags=0x8183)) as resolver:
        assert read_txt(resolver, "none.example.org") == ()


def test_a_lost_packet_is_asked_for_again():
    lost = [True]

    def answer(question: bytes) -> bytes | None:
        return None if lost.pop() else records([b"v=spf1"])(question)

    lost.insert(0, False)
    with resolving(answer) as resolver:
        assert read_txt(resolver, "example.org") == ("v=spf1",)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda question: None, "says nothing of example.org within 0.6 seconds"),
        (records(flags=0x8182), "SERVFAIL"),
        (records(flags=0x8380), "nothing of example.org: All nameservers failed"),
        (
            lambda question: question[:2] + struct.pack("!5H", 0x8180, 1, 9, 0, 0) + question[12:],
            "nothing of example.org within",
        ),
        (
            lambda question: b"\0\0" + question[2:] if question[:2] != b"\0\0" else b"\1\1",
            "nothing of example.org within",
        ),
    ],
)
def test_what_is_no_answer_is_not_taken_for_one(answer, why):
    with resolving(answer) as resolver, pytest.raises(NoAnswer, match=why):
        read_txt(resolver, "example.org")


def test_a_name_that_is_none():
    with resolving(records()) as resolver, pytest.raises(NoAnswer):
        read_txt(resolver, "a" * 64 + ".example.org")


@pytest.mark.parametrize(
    ("text", "resolver"),
    [("nameserver 192.0.2.53\nnameserver 192.0.2.54\n", Resolver("192.0.2.53")), ("", None), ("search lan\n", None)],
)
def test_the_resolver_of_this_machine_is_the_first_that_it_names(tmp_path, monkeypatch, text, resolver):
    (tmp_path / "resolv.conf").write_text(text)
    read = dns.resolver.Resolver.read_resolv_conf
    monkeypatch.setattr(dns.resolver.Resolver, "read_resolv_conf", lambda self, f: read(self, tmp_path / "resolv.conf"))
    assert system_resolver() == resolver
