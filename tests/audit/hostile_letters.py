"""Letters as they should never be: three hundred and more, the same each time, and what is to be said of each.

`HOSTILE` has, by name, the bytes of a file and the verdict: HONEST (it says what the letter that it was made of says),
FALSE (what it shows is not what was signed), or UNREAD (it is said that it could not be read). Nothing of it may stop a
verifier, nor keep it for long. `python -m tests.audit.hostile_letters` measures each in a process of its own.
"""

from __future__ import annotations

import base64
import quopri
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pbem.verifier.build import build_script
from tests.audit.simulated import first_phase
from tests.audit.small_server import Item, Server

HONEST, FALSE, UNREAD = "honest", "FALSE", "NOT CHECKED"
SECONDS, BYTES, LARGE = 10, 300 << 20, 4 << 20
STAMP = b"Received: from a.example by b.example; Wed, 23 Aug 2023 17:05:00 +0200\n"
HEAD = STAMP + b"From: pbem@example.org\nSubject: report\nMIME-Version: 1.0\n"


class Hostile(NamedTuple):
    """A file, and the verdict on it."""

    data: bytes
    verdict: str


@cache
def kept() -> list[Item]:
    """An honest mailbox, of which the last letter is the one that hostile ones are made of."""
    return first_phase(Server(public=False))


def report() -> bytes:
    return kept()[-1].data


def attached(text: bytes, how: str = "7bit", name: bytes = b'filename="pbemdice.txt"', of: bytes = b"") -> bytes:
    """A part with the attachment; `of` is its content type's parameters."""
    coded = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(how, bytes)(text)
    head = b"Content-Type: text/plain" + of + b"\nContent-Disposition: attachment; " + name + b"\n"
    return head + b"Content-Transfer-Encoding: " + how.encode() + b"\n\n" + coded


def mixed(*parts: bytes, mark: bytes = b"=_b1", kind: bytes = b"mixed", last: bool = True) -> bytes:
    """A multipart: its header field, and its body."""
    body = b"".join(b"--" + mark + b"\n" + part + b"\n" for part in parts)
    return (
        b"Content-Type: multipart/"
        + kind
        + b'; boundary="'
        + mark
        + b'"\n\n'
        + body
        + (b"--" + mark + b"--\n" if last else b"")
    )


PROSE = b"Content-Type: text/plain; charset=utf-8\n\nThe report.\n"


def letter(text: bytes, **more: object) -> bytes:
    return HEAD + mixed(PROSE, attached(text, **more))  # type: ignore[arg-type]


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


NAMES = {
    "plain": b"filename=pbemdice.txt",
    "quoted": b'filename="pbemdice.txt"',
    "in capitals": b'filename="PBEMDICE.TXT"',
    "with blanks": b'filename = "pbemdice.txt" ; size=9',
    "folded": b'\n filename="pbemdice.txt"',
    "escaped": b'filename="pbem\\dice.txt"',
    "RFC 2231": b"filename*=utf-8''pbemdice.txt",
    "RFC 2231 with percents": b"filename*=utf-8'en'%70bemdice%2Etxt",
    "RFC 2231 in pieces": b'filename*0="pbem"; filename*1="dice.txt"',
    "RFC 2231 in pieces of both kinds": b"filename*0*=us-ascii'en'pbem%64; filename*1=\"ice.txt\"",
    "RFC 2231 in pieces out of order": b'filename*1="dice.txt"; filename*0="pbem"',
    "RFC 2231 beside another": b"filename=\"x.txt\"; filename*=utf-8''pbemdice.txt",
    "RFC 2047 in Q": b'filename="=?utf-8?Q?pbemdice=2Etxt?="',
    "RFC 2047 in B": b'filename="=?utf-8?B?cGJlbWRpY2UudHh0?="',
}


def in_every_way() -> Iterator[tuple[str, Hostile]]:
    """The honest letter as mail programs might write it."""
    text = report()
    for how in ("7bit", "8bit", "quoted-printable", "base64"):
        for called, name in NAMES.items():
            for ends, write in (("LF", bytes), ("CRLF", crlf)):
                yield f"honest: {how}, {called}, {ends}", Hostile(write(letter(text, how=how, name=name)), HONEST)
    inline = b"Content-Type: text/plain; name=pbemdice.txt\n\n" + text
    inner = mixed(PROSE, b"Content-Type: text/html\n\n<p>x</p>\n", mark=b"in", kind=b"alternative")
    forms = {
        "the name in the content type": HEAD + mixed(PROSE, inline),
        "no multipart": HEAD + inline,
        "an alternative beside": HEAD + mixed(inner, attached(text)),
        "a mixed in a mixed": HEAD + mixed(PROSE, mixed(attached(text), mark=b"in")),
        "a boundary that begins with another": HEAD + mixed(PROSE, mixed(attached(text), mark=b"=_b1x"), mark=b"=_b1"),
        "no last boundary": HEAD + mixed(PROSE, attached(text), last=False),
        "text before and after": HEAD
        + mixed(PROSE, attached(text)).replace(b"\n\n--", b"\n\nHello\n--", 1)
        + b"\nBye\n",
        "forwarded": HEAD + mixed(PROSE, b"Content-Type: message/rfc822\n\n" + letter(text)),
        "forwarded in base64": HEAD
        + mixed(
            b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(letter(text))
        ),
        "a mark of byte order": b"\xef\xbb\xbf" + text,
        "saved": text,
        "saved with CRLF": crlf(text),
        "attached twice": HEAD + mixed(PROSE, attached(text), attached(text)),
        "blanks behind the boundary": letter(text).replace(b"\n--=_b1\n", b"\n--=_b1 \t\n"),
        "an unknown encoding": letter(text, how="x-none"),
        "empty lines at the end": letter(text + b"\n\n\n"),
        "no line end": letter(text.rstrip(b"\n")),
        "another charset": letter(text, of=b"; charset=iso-8859-15"),
        "a charset that is none": letter(text, of=b"; charset=klingon"),
    }
    yield from ((f"honest: {name}", Hostile(data, HONEST)) for name, data in forms.items())
    line = b"From pbem@example.org Wed Aug 23 15:06:40 2023\n"
    for ends, write in (("LF", bytes), ("CRLF", crlf)):
        box = b"".join(line + letter(item.data) + b"\n" for item in kept())
        yield f"honest: an mbox with {ends}", Hostile(write(box), HONEST)
        yield f"honest: an mbox with {ends}, without an end", Hostile(write(box.rstrip(b"\n")), HONEST)


def changed() -> Iterator[tuple[str, Hostile]]:
    """What somebody did to the text on its way."""
    text, chance = report(), random.Random(7)
    for index in sorted(chance.sample(range(len(text)), 90)):
        flipped = text[:index] + bytes([text[index] ^ 1 << chance.randrange(7)]) + text[index + 1 :]
        yield f"a flip at {index}", Hostile(letter(flipped), FALSE)
    for index in sorted(chance.sample(range(100, len(text) - 50), 30)):
        yield f"cut at {index}", Hostile(letter(text[:index]), FALSE)
    parts = text.split(b"\n\n")
    leaves = [index for index, part in enumerate(parts) if part.startswith((b"pbemdice/v1/says", b"pbemdice/v1/proof"))]
    for index in sorted(chance.sample(leaves, 14)):
        yield f"part {index} twice", Hostile(letter(b"\n\n".join([*parts[: index + 1], *parts[index:]])), FALSE)
        less = letter(b"\n\n".join([*parts[:index], *parts[index + 1 :]]))
        # What a leaf says may be withheld, and other letters show it.
        yield f"part {index} left out", Hostile(less, FALSE if b"/proof" in parts[index] else HONEST)
    numbers: dict[str, tuple[bytes, bytes]] = {
        "a place beyond all": (b"index 0\n", b"index " + b"9" * 18 + b"\n"),
        "a place of many digits": (b"index 0\n", b"index " + b"9" * 5000 + b"\n"),
        "a place with a nought before it": (b"index 0\n", b"index 00\n"),
        "a place below nought": (b"index 0\n", b"index -1\n"),
        "a place with a plus": (b"index 0\n", b"index +0\n"),
        "a seq of many digits": (b"seq 0\n", b"seq " + b"1" * 4000 + b"\n"),
        "a segment 0": (b"segment 1\n", b"segment 0\n"),
        "a revision of many digits": (b"rev 2\n", b"rev " + b"2" * 400 + b"\n"),
        "dice without end": (b" 3d6 ", b" 999999999d6 "),
        "dice of many digits": (b" 3d6 ", b" " + b"3" * 400 + b"d6 "),
        "sides without end": (b" 3d6 ", b" 3d9999999999 "),
        "no dice": (b" 3d6 ", b" 0d6 "),
        "no sides": (b" 3d6 ", b" 3d0 "),
        "a time of many digits": (b"\nD ", b"\nD 1" + b"0" * 300),
        "a hash in capitals": (b"\nbody ", b"\nbody A"),
        "a line of a megabyte": (b"\ngame wt-042\n", b"\ngame " + b"w" * (1 << 20) + b"\n"),
        "a key twice": (b"\nseat spain\n", b"\nseat spain\nseat spain\n"),
        "a key of its own": (b"\nseat spain\n", b"\nseat spain\nnote x\n"),
        "a sentence of the verifier, with a gap": (b"\ngame wt-042\n", b"\nno base64: {}\n"),
        "two blanks": (b"\nseat spain\n", b"\nseat  spain\n"),
        "a blank at the end": (b"\nseat spain\n", b"\nseat spain \n"),
        "a tab": (b"\nseat spain\n", b"\nseat\tspain\n"),
        "another version": (b"pbemdice/v1/bundle", b"pbemdice/0/bundle"),
        "a kind that is none": (b"pbemdice/v1/close", b"pbemdice/v1/closed"),
        "an empty head": (b"pbemdice/v1/bundle\n", b"\n"),
        "signatures that are none": (b"\n-- ", b"\n- "),
        "65 signatures": (b"\n-- example.com/pbem ", b"\n-- x.example AAAAAAA=" * 65 + b"\n-- example.com/pbem "),
        "a root that is no base64": (b"=\n\n-- ", b"!\n\n-- "),
    }
    for name, (old, new) in numbers.items():
        if old not in text:
            raise ValueError(f"the honest letter has no {old!r}")
        yield name, Hostile(letter(text.replace(old, new, 1)), FALSE)
    strange = {
        "bad UTF-8": text.replace(b"spain", b"sp\xc3in", 1),
        "a NUL": text.replace(b"spain", b"sp\0in", 1),
        "latin 1": text.replace(b"spain", b"espa\xf1a", 1),
        "UTF-16": text.decode().encode("utf-16"),
        "a line end of its own": text.replace(b"\n", b"\r"),
        "a bell": text.replace(b"spain", b"spain\x07", 1),
        "an escape": text.replace(b"spain", b"\x1b[2Jspain", 1),
        "full-width digits": text.replace(b"segment 1", "segment １".encode(), 1),
        "a line of Unicode": text.replace(b"\nseat", "\u2028seat".encode(), 1),
        "nothing": b"",
        "a blank": b" ",
        "empty lines": b"\n" * 1000,
        "a page": b"<html><body>pbemdice</body></html>",
        "JSON": b"[" * 100_000,
        "only a head": text[: text.index(b"\n\n")],
    }
    yield from ((name, Hostile(letter(data, how="base64"), FALSE)) for name, data in strange.items())


@cache
def mails() -> tuple[tuple[str, Hostile], ...]:
    return tuple(_mails())


def _mails() -> Iterator[tuple[str, Hostile]]:
    """Letters that are more, or less, than letters."""
    text, part = report(), attached(report())
    deep = part
    for number in range(300):
        deep = mixed(deep, mark=b"d%d" % number)
    nested = part
    for _ in range(300):
        nested = b"Content-Type: message/rfc822\n\n" + nested
    unread = {
        "a newer version": letter(text.replace(b"pbemdice/v1/", b"pbemdice/v2/")),
        "a part of a newer version": letter(text.replace(b"pbemdice/v1/roll", b"pbemdice/v17/roll")),
        "parts in parts, 300 deep": HEAD + deep,
        "letters in letters, 300 deep": HEAD + nested,
        "5000 parts": HEAD + mixed(*[PROSE] * 5000, part),
        "1001 parts of nothing": HEAD + mixed(*[b"\n"] * 1001),
        "a header of 2000 lines": b"X-A: b\n" * 2000 + letter(text),
        "a header line of 300 KiB": b"X-A: " + b"b" * (300 << 10) + b"\n" + letter(text),
        "a header without an end": HEAD + b"X-A: b\n" * 100_000,
        "noise": random.Random(3).randbytes(100_000),
        "nothing at all": b"",
        "a page": b"<!DOCTYPE html><p>pbemdice.txt</p>",
        "a zip": b"PK\x03\x04" + bytes(2000),
        "one long line": b"x" * (2 << 20),
        "a mailbox of noise": b"From x\n" + b"\xff" * 1000,
        "an attachment of 17 MiB": HEAD + mixed(attached(b"x" * (17 << 20))),
        "a saved attachment of 17 MiB": text[:19] + b"x" * (17 << 20),
        "an attachment of 17 MiB in base64": HEAD + mixed(attached(b"x" * (17 << 20), "base64")),
        "an attachment of 17 MiB in quoted-printable": HEAD
        + mixed(attached(b"", "quoted-printable") + b"=78" * (17 << 20)),
        "100,000 leaves": letter(many_leaves(100_000)),
    }
    yield from ((f"unread: {name}", Hostile(data, UNREAD)) for name, data in unread.items())
    dates = (
        b"; Fri, 99 Foo 99999999999 99:99:99 +9999",
        b"; Wed, 23 Aug 99999 17:05:00 +0200",
        b"; " + b"9" * 5000,
        b";;;;;",
        b"",
        b"; =?utf-8?Q?x?=",
        b"; Wed, 23 Aug 2023 17:05:00 +999999",
    )
    for number, stamp in enumerate(dates):
        yield (
            f"honest: a date that is none, {number}",
            Hostile(letter(text).replace(STAMP, b"Received: x" + stamp + b"\n"), HONEST),
        )
    odd = {
        "a field without a name": letter(text).replace(STAMP, STAMP + b": x\n"),
        "a field with bad bytes": letter(text).replace(STAMP, STAMP + b"X-A: \xff\xfe\n"),
        "a field folded 500 times": letter(text).replace(STAMP, STAMP + b"X-A: b\n" + b" c\n" * 500),
        "a parameter 1000 times": letter(text, of=b"; x=y" * 1000),
        "pieces of a name beyond all": letter(text, name=b'filename="pbemdice.txt"; filename*999="x"'),
        "quotes without an end": letter(text, of=b'; charset="utf-8', name=b'filename="pbemdice.txt"'),
        "a boundary of signs": HEAD + mixed(PROSE, part, mark=b"(.*)+[a-z]?$"),
    }
    yield from ((f"honest: {name}", Hostile(data, HONEST)) for name, data in odd.items())


def many_leaves(count: int) -> bytes:
    """A letter of so many leaves, well-formed each."""
    leaf = "pbemdice/v1/result\ngame wt-042\nseq {0}\nprev {1}\nbody {1}\n\npbemdice/v1/proof\nindex {0}\n\n"
    middle = "".join(leaf.format(number + 9, "ab" * 32) for number in range(count)).encode()
    head, rest = report().split(b"\n\n", 1)
    return head + b"\n\n" + middle + rest


@cache
def heavy() -> tuple[tuple[str, Hostile], ...]:
    return tuple(_heavy())


def _heavy() -> Iterator[tuple[str, Hostile]]:
    """What takes a verifier long, or much memory, if it lets it."""
    text = report()
    above, _, below = text.rpartition(b"\n\nexample.com/pbem\n")
    whole = above + b"\n\n{}example.com/pbem\n" + below
    position = text.index(b"pbemdice/v1/orders")
    end = text.index(b"\n\n", position)
    orders = text[position:end]
    proofs = b"\n\n".join(orders.replace(b"rev ", b"rev 1%d" % n) for n in range(3000))
    yield "3000 false proofs", Hostile(letter(text[:end] + b"\n\n" + proofs + text[end:]), FALSE)
    yield "19,000 leaves", Hostile(letter(many_leaves(19_000)), FALSE)
    dice = ",".join(["1"] * 10_000)
    rolls = "".join(f"roll {n} a/b {n} 10000d6 {dice}\n" for n in range(3, 400)).encode()
    manifest = text.index(b"\n\n", text.index(b"pbemdice/v1/manifest")) + 1
    yield "four million dice", Hostile(letter(text[:manifest] + rolls + text[manifest:]), FALSE)
    part = "pbemdice/v1/said\nnumber 1\ntext " + "[" * 110 + "\n"
    yield "5000 rulings", Hostile(letter(whole.replace(b"{}", (part + "\n").encode() * 5000)), FALSE)
    text_lines = b"\ntext HOLD" * 400_000
    yield "400,000 lines of orders", Hostile(letter(text[:end] + text_lines + text[end:]), FALSE)
    yield "a mailbox of 20,000 letters", Hostile(b"From x\n" + b"Subject: x\n\nx\n\nFrom x\n" * 20_000, HONEST)
    yield "half a million lines From", Hostile(b"From x\n\n" * 500_000, UNREAD)
    pieces = b"; ".join(b'filename*%d="x"' % n for n in range(900)) + b'; filename="x.txt"'
    yield "a name of 900 pieces", Hostile(letter(text, name=pieces), HONEST)
    yield "boundaries that end nothing", Hostile(HEAD + mixed(PROSE + b"\n--=_b1x" * 300_000, attached(text)), HONEST)


@cache
def hostile() -> dict[str, Hostile]:
    """All of them."""
    return dict([*in_every_way(), *changed(), *mails(), *heavy()])


HEAVY = (
    "3000 false proofs",
    "19,000 leaves",
    "four million dice",
    "5000 rulings",
    "400,000 lines of orders",
    "a mailbox of 20,000 letters",
    "half a million lines From",
    "a name of 900 pieces",
    "boundaries that end nothing",
    "unread: an attachment of 17 MiB",
    "unread: a saved attachment of 17 MiB",
    "unread: an attachment of 17 MiB in base64",
    "unread: an attachment of 17 MiB in quoted-printable",
    "unread: 100,000 leaves",
)
"""Those that are large, or take long: by name, for they take long to make."""


def measured(name: str) -> tuple[float, int, int]:
    """Seconds, bytes and exit code of the bare script over one hostile letter beside the honest mailbox."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "verify.py"
        program.write_text(build_script(), "utf-8")
        box = Path(folder) / "box"
        box.mkdir()
        for index, item in enumerate(kept()):
            (box / f"{index}.eml").write_bytes(letter(item.data))
        (box / "hostile.eml").write_bytes(hostile()[name].data)

        def bounded() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

        begin = time.monotonic()
        command = [sys.executable, "-I", "-S", str(program), str(box)]
        done = subprocess.run(command, capture_output=True, check=False, preexec_fn=bounded)
        if b"Traceback" in done.stderr or done.returncode not in (1, 2):
            raise AssertionError(f"{name}: {done.returncode} {done.stderr[-2000:].decode('utf-8', 'replace')}")
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        return time.monotonic() - begin, most, done.returncode


def main() -> int:
    """Measure all, say which take longest, and of all that is not as it should be."""
    timings, wrong, most = [], 0, 0
    for name, case in hostile().items():
        try:
            seconds, most, code = measured(name)
            timings.append((seconds, name))
            if (code == 1) == (case.verdict == FALSE):
                continue
            why = f"{name}: ended with {code}, where it is {case.verdict}"
        except AssertionError as broken:
            why = str(broken)
        wrong += 1
        print(f"WRONG  {why}", flush=True)
    for seconds, name in sorted(timings, reverse=True)[:10]:
        print(f"{seconds:6.2f} s  {name}")
    print(
        f"{len(timings)} letters, none above {SECONDS} s of time and {BYTES >> 20} MiB; the most taken {most >> 20} MiB"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
