"""Letters as they lie about: a file, an mbox, a folder, a saved `pbemdice.txt`; whatever mail programs did to them.

Nothing in here believes a letter, and nothing in a letter can stop it: what cannot be read is told as such, file by
file and letter by letter. Lines may end with LF or CRLF. How much is read of anything is bounded.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple

ATTACHMENT = "pbemdice.txt"
BUNDLE_HEAD = b"pbemdice/v1/bundle\n"

MOST_BYTES = 64 << 20
"""Of a file; a larger mailbox is to be parted."""
MOST_TEXT = 16 << 20
"""Of one `pbemdice.txt`, as it was sent and decoded."""
MOST_LETTERS = 50_000
"""Of a mailbox that is one file."""
MOST_FILES, MOST_PARTS, MOST_DEPTH, MOST_HEADERS = 100_000, 1000, 20, 1000
MOST_HEADER_BYTES = 256 << 10


class Item(NamedTuple):
    """A letter to be checked: where it lay, when it was received (unix seconds, if known), its `pbemdice.txt`.

    `trouble` says why there is none, where a letter should be and cannot be read: a sentence, and what fills its gaps.
    It is `undated` where another letter may have brought it with the time that it names.
    """

    where: str
    received: int | None
    data: bytes
    trouble: tuple[object, ...] = ()
    undated: bool = False


class Part(NamedTuple):
    """A part of a letter: its header, and the text below it."""

    header: dict[str, str]
    body: bytes
    depth: int


def read_paths(paths: Sequence[str | Path]) -> Iterator[Item]:
    """The letters of files (a letter, an mbox, a saved attachment) and of all files of folders and Maildirs."""
    for path in files_of(paths):
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                yield Item(str(path), None, b"", ("it is no file",))
            elif found.st_size > MOST_BYTES:
                yield Item(str(path), None, b"", ("it is larger than {} MiB: part it", MOST_BYTES >> 20))
            else:
                yield from items_of(str(path), path.read_bytes())
        except OSError as wrong:
            yield Item(str(path), None, b"", ("it cannot be read: {}", wrong.strerror))


def files_of(paths: Sequence[str | Path]) -> Iterator[Path]:
    """The files; of folders all that are in them, in the order of their names. No link to a folder is followed."""
    for top in map(Path, paths):
        if not top.is_dir():
            yield top
            continue
        found: list[Path] = []
        waiting = [top]
        while waiting and len(found) <= MOST_FILES:
            try:
                for path in waiting.pop().iterdir():
                    if path.is_dir() and not path.is_symlink():
                        waiting.append(path)
                    elif not path.is_dir():
                        found.append(path)
            except OSError:
                continue
        yield from sorted(found)[:MOST_FILES]


def items_of(where: str, data: bytes) -> Iterator[Item]:
    """What is to be checked in a file."""
    data = data.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
    if data.startswith(BUNDLE_HEAD):
        yield item_of(where, None, data)
        return
    many = data.startswith(b"From ")
    for number, (letter, dated) in enumerate(split_mbox(data) if many else [(data, True)], 1):
        if number > MOST_LETTERS:
            yield Item(where, None, b"", ("it has more than {} letters: part it", MOST_LETTERS))
            return
        for item in items_of_letter(f"{where}#{number}" if many else where, letter):
            yield item if dated else item._replace(received=None, undated=True)


def split_mbox(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """The letters of an mbox, one after another, each with whether it begins where the reader's own machine began it.

    So it is of the first, and of those after letters whose length is told (Content-Length). A line "From " in a text
    that nobody quoted begins a letter too, which brings its own time. No line of a bundle begins with From: nothing in
    it is quoted.
    """
    begin, dated = data.find(b"\n") + 1 or len(data), True
    while begin < len(data):
        end = end_by_length(data, begin)
        told = end is not None
        if end is None:
            found = data.find(b"\n\nFrom ", begin - 1)
            end = len(data) if found < 0 else found + 1
        yield data[begin:end], dated
        dated = dated and told
        begin = data.find(b"\n", data.find(b"From ", end)) + 1 if end < len(data) else len(data)
        begin = begin or len(data)


def end_by_length(data: bytes, begin: int) -> int | None:
    """Where a letter of an mbox ends by the length in its header, if another begins there or nothing follows."""
    text = data.find(b"\n\n", begin) + 2
    found = LENGTH.findall(data[begin - 1 : text]) if text > 1 else []
    if len(found) != 1:
        return None
    end = text + int(found[0])
    rest = data[end : end + 6]
    return end if end <= len(data) and (rest in (b"", b"\n") or rest.startswith((b"From ", b"\nFrom "))) else None


LENGTH = re.compile(rb"\ncontent-length[ \t]*:[ \t]*([0-9]{1,9})[ \t]*(?=\n)", re.IGNORECASE)


def items_of_letter(where: str, data: bytes) -> Iterator[Item]:
    """The attachments of a letter that bear the name; what is no letter at all is said to be none."""
    try:
        header = header_of(data)[0]
        if not header:
            yield Item(where, None, b"", ("it is no letter",))
            return
        received = received_at(header.get("received", ""))
        found = 0
        for part in leaves_of(data):
            if part.header.get("content-type", "").lower().lstrip().startswith("multipart/"):
                continue
            if name_of(part.header).strip().lower() == ATTACHMENT:
                found += 1
                place = where if found == 1 else f"{where} ({found})"
                yield item_of(place, received, part.body if len(part.body) > MOST_TEXT else decoded(part))
    except TooMuchMail as wrong:
        yield Item(where, None, b"", wrong.args)


def item_of(where: str, received: int | None, text: bytes) -> Item:
    """An attachment as it was written: mail turns line ends into CRLF, and adds or drops empty lines at the end."""
    if len(text) > MOST_TEXT:
        return Item(where, received, b"", ("its {} is larger than {} MiB", ATTACHMENT, MOST_TEXT >> 20))
    return Item(where, received, text.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n")


class TooMuchMail(Exception):
    """A letter has more in it than is read."""


def header_of(data: bytes) -> tuple[dict[str, str], int]:
    """The fields of a header by their names in small letters, the first of a name; and where the text begins.

    There is none where the first line is no field.
    """
    end = 0 if data.startswith(b"\n") else data.find(b"\n\n") + 1
    head = data if end == 0 and not data.startswith(b"\n") else data[:end]
    if len(head) > MOST_HEADER_BYTES:
        # What is no letter at all may be one long line.
        if re.match(rb"[!-9;-~]+[ \t]*:", head) is None:
            return {}, 0
        raise TooMuchMail("its header is too long")
    lines = head.decode("utf-8", "replace").split("\n")
    if len(lines) > MOST_HEADERS:
        raise TooMuchMail("its header has too many lines")
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if line[:1] in (" ", "\t") and name:
            fields[name] += line
            continue
        found = re.match(r"([!-9;-~]+)[ \t]*:(.*)", line)
        if found is None:
            name = ""
        elif (key := found[1].lower()) not in fields:
            name = key
            fields[key] = found[2]
        else:
            name = ""
    return fields, min(len(head) + 1, len(data))


def leaves_of(data: bytes) -> Iterator[Part]:
    """All parts of a letter that have no parts themselves, in their order; letters in letters are opened too."""
    waiting, seen = [(data, 0)], 0
    while waiting:
        raw, depth = waiting.pop()
        seen += 1
        if seen > MOST_PARTS or depth > MOST_DEPTH:
            raise TooMuchMail("it has too many parts, or parts in parts")
        header, start = header_of(raw)
        part = Part(header, raw[start:], depth)
        kind = header.get("content-type", "").strip().lower()
        boundary = parameter(header.get("content-type", ""), "boundary") if kind.startswith("multipart/") else ""
        if boundary:
            inside = between(part.body, boundary)
        elif kind.startswith("message/rfc822"):
            inside = [decoded(part)]
        else:
            yield part
            continue
        if len(inside) > MOST_PARTS:
            raise TooMuchMail("it has too many parts")
        waiting += ((one, depth + 1) for one in reversed(inside))


def between(body: bytes, boundary: str) -> list[bytes]:
    """What stands between the lines `--boundary`, to the line `--boundary--` or the end."""
    mark = b"--" + boundary.encode("utf-8", "replace")
    start, parts = -1, list[bytes]()
    at = 0 if body.startswith(mark) else body.find(b"\n" + mark) + 1 or -1
    while at >= 0 and len(parts) <= MOST_PARTS:
        end = body.find(b"\n", at)
        line = body[at : len(body) if end < 0 else end].rstrip(b" \t\r")
        if line in (mark, mark + b"--"):
            if start >= 0:
                parts.append(body[start : max(start, at - 1)])
            start = len(body) if end < 0 else end + 1
            if line != mark:
                return parts
        at = body.find(b"\n" + mark, at + 1) + 1 or -1
    return [*parts, body[start:]] if start >= 0 else parts


def decoded(part: Part) -> bytes:
    """The text of a part without its encoding for the way; what is not as it says is taken as it is."""
    how = part.header.get("content-transfer-encoding", "").strip().lower()
    try:
        if how == "base64":
            return lenient64(part.body)
        if how == "quoted-printable":
            return quopri.decodestring(part.body)
    except (binascii.Error, ValueError):
        pass
    return part.body


def lenient64(text: bytes) -> bytes:
    """Base64 as mail has it: up to the signs = that fill a group of four; Error if a group is left open.

    From one Python to the next what stands behind such signs is passed over or an error: no verdict may hang on that.
    """
    digits = bytearray()
    for more, signs in re.findall(rb"([^=]+)(=*)", re.sub(rb"[^A-Za-z0-9+/=]", b"", text)):
        digits += more
        over = len(digits) % 4
        if over >= 2 and over + len(signs) >= 4:
            return base64.b64decode(digits + b"=" * (4 - over))
    return base64.b64decode(digits)


def name_of(header: dict[str, str]) -> str:
    """The file name of a part, by either of the fields that may tell it."""
    return (
        parameter(header.get("content-disposition", ""), "filename")
        or parameter(header.get("content-type", ""), "name")
        or ""
    )


PARAMETER = re.compile(
    r';[ \t]*([^\s=;*"]+)(\*[0-9]{1,3})?(\*)?[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))', re.DOTALL
)


def parameter(field: str, name: str) -> str:
    """A parameter of a header field: plain, quoted, in pieces or with percent signs (RFC 2231), or RFC 2047 words."""
    plain, pieces = "", dict[int, str]()
    coded = ""
    for key, piece, star, quoted, bare in PARAMETER.findall(field):
        if key.lower() != name:
            continue
        value = re.sub(r"\\(.)", r"\1", quoted) if quoted else bare.strip()
        if piece:
            pieces.setdefault(int(piece[1:]), percent(value, first=piece == "*0") if star else value)
        elif star:
            coded = coded or percent(value, first=True)
        else:
            plain = plain or value
    joined = "".join(pieces[at] for at in range(len(pieces)) if at in pieces)
    return coded or joined or words(plain)


def percent(value: str, *, first: bool) -> str:
    """RFC 2231 4: charset'language'text with percent signs. All of our names are ASCII."""
    text = value.split("'", 2)[-1] if first and value.count("'") >= 2 else value
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode("utf-8", "replace"))
    return raw.decode("utf-8", "replace")


def words(value: str) -> str:
    """RFC 2047 words, which do not belong in a file name, and are found there."""

    def word(found: re.Match[str]) -> str:
        raw = found[2].encode("utf-8", "replace")
        try:
            plain = lenient64(raw) if found[1] in "bB" else quopri.decodestring(raw, header=True)
        except (binascii.Error, ValueError):
            return found[0]
        return plain.decode("utf-8", "replace")

    return re.sub(r"=\?[^?\s]{1,40}\?([bBqQ])\?([^?\s]*)\?=", word, value)


def received_at(field: str) -> int | None:
    """When the reader's own mail server took a letter: it writes the topmost field, with a time at its end."""
    try:
        moment = parsedate_to_datetime(field.rpartition(";")[2].strip()[:200])
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
