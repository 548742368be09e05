"""Values that somebody may hand in who means harm, in one list, and what every output must make of them.

An output is a function of a value that returns what comes out, registered under a name::

    @output("what it is", LINES)
    def letter(value, folder): ...

`tests/test_hostile.py` runs every value through every output. Whoever adds an output adds it there, and nothing else.
"""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TOKEN = "abcdefghijklmnop"
"""A token of a seat that has no business in any output here."""

VALUES = {
    "terminal": "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m\x9b31m",
    "control": "a\x01\x02\x07\x08\x0b\x0c\x0e\x7f\x80\x85z",
    "nul": "before\x00after",
    "bidi": "txt.\u202egpj\u202c \u2066left\u2069 \u200fmark\u200e \u061c",
    "invisible": "adm\u200bin\ufeff\u2060\u00ad \u180e\u061c\U000e0041\U000e0101\u3164",
    "new line": "x\nFORGED: yes\nORDERS T1",
    "header": "x\r\nBcc: all@evil.test\r\n\r\nFORGED: body",
    "odd line ends": "x\rFORGED: yes\u2028FORGED: yes\u2029FORGED: yes\x85FORGED: yes\x1eFORGED: yes",
    "template": "{{7*7}} {% for x in y %} ${7*7} #{7*7} {0.__class__} {game}",
    "format": "%(x)s %s %n %d {} {0} {x!r:>99}",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>'\"&lt; </pre></style><!--",
    "link": 'javascript:alert(1) <a href="javascript:alert(1)">x</a> http://evil.test/',
    "sql": "'; DROP TABLE game; -- \" OR 1=1 %' _%",
    "path": "../../../../etc/passwd ..\\..\\x /etc/shadow file:///etc/passwd",
    "shell": "$(touch owned) `touch owned` ; touch owned | touch owned & -rf --help",
    "long": "A" * 20_000,
    "long words": "word " * 2_000,
    "full width": "\uff1cscript\uff1e \uff0e\uff0e\uff0f pbem\uff0bg1\uff0dnorth",
    "encoded": "=?utf-8?B?DQpCY2M6IGFsbEBldmlsLnRlc3Q=?= =?utf-8?q?=0d=0aFORGED:_yes?=",
    "marks": "Z\u0351\u036b" * 300,
    "surrogates": "\ud83d \udcff".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    "formula": '=cmd|"/c calc"!A1 @SUM(1) +1 -1',
}

ONE_LINE, LINES, HEADERS, PAGE = "one line", "lines", "headers", "page"
"""What an output is: a line of ours, that no value may end; text; a whole letter; a page of HTML."""


class Output(NamedTuple):
    """Something that comes out of the server: what it is, and how it is made of a value in a folder of its own."""

    kind: str
    make: Callable[[str, Path], str | bytes]


OUTPUTS: dict[str, Output] = {}


def output(name: str, kind: str) -> Callable[[Callable[[str, Path], str | bytes]], Callable[[str, Path], str | bytes]]:
    """Register what makes an output."""

    def register(make: Callable[[str, Path], str | bytes]) -> Callable[[str, Path], str | bytes]:
        assert name not in OUTPUTS
        OUTPUTS[name] = Output(kind, make)
        return make

    return register


def objections(kind: str, made: str | bytes) -> list[str]:
    """What is wrong with an output, nothing if it does no harm."""
    if kind == HEADERS:
        assert isinstance(made, bytes)
        return _of_letter(made)
    assert isinstance(made, str)
    faults = [f"the character {c!a} reaches the reader" for c in sorted(_harmful(made))]
    if TOKEN in made:
        faults.append("a token is shown")
    if kind == ONE_LINE and any(line.lstrip().startswith(("FORGED", "Bcc")) for line in made.split("\n")):
        faults.append("a value makes a line of its own")
    if kind == PAGE:
        faults += [
            f"{tag} is in the page"
            for tag in ("<script", "<img src=x", 'href="javascript', "onerror=alert(1)>")
            if tag in made.casefold()
        ]
    return faults


def _harmful(text: str) -> set[str]:
    """Characters that move a cursor, turn the writing round or cannot be seen."""
    return {c for c in text if not c.isprintable() and c not in "\n\t"}


def _of_letter(raw: bytes) -> list[str]:
    head, _, _ = raw.partition(b"\r\n\r\n")
    faults = []
    if b"\n" in raw.replace(b"\r\n", b"") or b"\r" in raw.replace(b"\r\n", b""):
        faults.append("a line does not end in CR LF")
    if any(len(line) > 998 for line in raw.split(b"\r\n")):
        faults.append("a line is longer than 998 octets (RFC 5322, 2.1.1)")
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    if forged := {"bcc", "forged"} & {name.casefold() for name in letter}:
        faults.append(f"fields were forged: {sorted(forged)}")
    if re.search(rb"^(bcc|forged):", head, re.IGNORECASE | re.MULTILINE):
        faults.append("a field was forged")
    for name, value in letter.items():
        faults += [f"{c!a} in {name}" for c in sorted(_harmful(str(value)))]
    for part in letter.walk():
        kind = part.get_content_type()
        if kind.startswith("text/") and kind != "text/html":
            text = str(part.get_content()).replace("\r\n", "\n")
            faults += [f"{c!a} in the text" for c in sorted(_harmful(text))]
        elif kind.endswith("/html"):
            faults += objections(PAGE, str(part.get_content()).replace("\r\n", "\n"))
    return faults
