"""Read letters from files, mboxes, folders and saved `pbemdice.txt` files.

Letters are not trusted, and no letter can stop the reading of others: unreadable files and letters are reported one
by one. Lines may end with LF or CRLF. All sizes have limits.
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
"""Octets of a file, which is read into memory. A larger mailbox must be split."""
MOST_TEXT = 16 << 20
"""Octets of one `pbemdice.txt`, as sent and decoded: far more than a server sends; checking takes time and memory."""
MOST_LETTERS = 50_000
"""Letters of a mailbox in one file: no player's mailbox has so many lines `From `."""
# Bounds against files made to exhaust the verifier; no mailbox of a game comes near them.
MOST_FILES, MOST_PARTS, MOST_DEPTH, MOST_HEADERS = 100_000, 1000, 20, 1000
MOST_HEADER_BYTES = 256 << 10
"""Octets of a header: four times what the server reads (`mail.mime.MOST_HEADER_OCTETS`), since providers add to it."""


class LetterToCheck(NamedTuple):
    """A letter to check: its place, time of receipt, and `pbemdice.txt`.

    The time is in unix seconds, None if unknown. `trouble` says why there is no attachment where one should be: a
    sentence, and the values for its gaps. It is `undated` if it may be part of another letter, whose author
    invented its time of receipt.
    """

    where: str
    received: int | None
    data: bytes
    trouble: tuple[object, ...] = ()
    undated: bool = False


class MailPart(NamedTuple):
    """A part of a letter: its header, and the text below it."""

    header: dict[str, str]
    body: bytes
    depth: int


def read_paths(paths: Sequence[str | Path]) -> Iterator[LetterToCheck]:
    """Yield the letters of files, folders and Maildirs.

    A file is a letter, an mbox or a saved attachment.
    """
    for path in files_of(paths):
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                yield LetterToCheck(str(path), None, b"", ("it is no file",))
            elif status.st_size > MOST_BYTES:
                yield LetterToCheck(str(path), None, b"", ("it is larger than {} MiB: part it", MOST_BYTES >> 20))
            else:
                yield from letters_in_file(str(path), path.read_bytes())
        # One file that cannot be read does not keep the others from being checked.
        except OSError as error:
            yield LetterToCheck(str(path), None, b"", ("it cannot be read: {}", error.strerror))


def files_of(paths: Sequence[str | Path]) -> Iterator[Path]:
    """Return the files, and all files of folders in the order of their names.

    Links to folders are not followed.
    """
    for top in map(Path, paths):
        if not top.is_dir():
            yield top
            continue
        files: list[Path] = []
        waiting = [top]
        while waiting and len(files) <= MOST_FILES:
            try:
                for path in waiting.pop().iterdir():
                    if path.is_dir() and not path.is_symlink():
                        waiting.append(path)
                    elif not path.is_dir():
                        files.append(path)
            # A folder that may not be read, or has gone since, does not keep the others from being checked.
            except OSError:
                continue
        yield from sorted(files)[:MOST_FILES]


def letters_in_file(where: str, data: bytes) -> Iterator[LetterToCheck]:
    """Return the items to check in a file."""
    data = data.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
    if data.startswith(BUNDLE_HEAD):
        yield letter_of_attachment(where, None, data)
        return
    is_mbox = data.startswith(b"From ")
    for number, (letter, dated) in enumerate(split_mbox(data) if is_mbox else [(data, True)], 1):
        if number > MOST_LETTERS:
            yield LetterToCheck(where, None, b"", ("it has more than {} letters: part it", MOST_LETTERS))
            return
        for item in letters_in_mail(f"{where}#{number}" if is_mbox else where, letter):
            yield item if dated else item._replace(received=None, undated=True)


def split_mbox(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Split an mbox into letters, each with whether its start is certain.

    The start is certain for the first letter, and for those after a letter with a length (Content-Length). An unescaped
    line "From " in a body also starts a letter, and could forge its date: such starts are uncertain. Bundles have no
    line that begins with From.
    """
    begin, dated = data.find(b"\n") + 1 or len(data), True
    while begin < len(data):
        end = mbox_letter_end(data, begin)
        has_length = end is not None
        if end is None:
            position = data.find(b"\n\nFrom ", begin - 1)
            end = len(data) if position < 0 else position + 1
        yield data[begin:end], dated
        dated = dated and has_length
        begin = data.find(b"\n", data.find(b"From ", end)) + 1 if end < len(data) else len(data)
        begin = begin or len(data)


def mbox_letter_end(data: bytes, begin: int) -> int | None:
    """Return the end of an mbox letter by the length in its header, or None.

    The length counts only if another letter begins there, or nothing follows.
    """
    text = data.find(b"\n\n", begin) + 2
    lengths = LENGTH.findall(data[begin - 1 : text]) if text > 1 else []
    if len(lengths) != 1:
        return None
    end = text + int(lengths[0])
    rest = data[end : end + 6]
    return end if end <= len(data) and (rest in (b"", b"\n") or rest.startswith((b"From ", b"\nFrom "))) else None


# Nine digits are more than `MOST_BYTES` has.
LENGTH = re.compile(rb"\ncontent-length[ \t]*:[ \t]*([0-9]{1,9})[ \t]*(?=\n)", re.IGNORECASE)


def letters_in_mail(where: str, data: bytes) -> Iterator[LetterToCheck]:
    """Return the attachments named `pbemdice.txt`; report what is no letter."""
    try:
        header = header_of(data)[0]
        if not header:
            yield LetterToCheck(where, None, b"", ("it is no letter",))
            return
        received = received_at(header.get("received", ""))
        count = 0
        for part in innermost_parts(data):
            if part.header.get("content-type", "").lower().lstrip().startswith("multipart/"):
                continue
            if file_name_of_part(part.header).strip().lower() == ATTACHMENT:
                count += 1
                place = where if count == 1 else f"{where} ({count})"
                yield letter_of_attachment(
                    place, received, part.body if len(part.body) > MOST_TEXT else decode_part(part)
                )
    except TooMuchMail as error:
        yield LetterToCheck(where, None, b"", error.args)


def letter_of_attachment(where: str, received: int | None, text: bytes) -> LetterToCheck:
    """Return an attachment as it was written.

    Mail turns line ends into CRLF, and adds or drops empty lines at the end.
    """
    if len(text) > MOST_TEXT:
        return LetterToCheck(where, received, b"", ("its {} is larger than {} MiB", ATTACHMENT, MOST_TEXT >> 20))
    return LetterToCheck(where, received, text.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n")


class TooMuchMail(Exception):
    """A letter with more parts or headers than are read."""


def header_of(data: bytes) -> tuple[dict[str, str], int]:
    """Return the fields of a header by lower-case name, and where the text begins.

    If a field is repeated, the first counts. There are no fields if the first line is not a field.
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
        match = re.match(r"([!-9;-~]+)[ \t]*:(.*)", line)
        if match is None:
            name = ""
        elif (key := match[1].lower()) not in fields:
            name = key
            fields[key] = match[2]
        else:
            name = ""
    return fields, min(len(head) + 1, len(data))


def innermost_parts(data: bytes) -> Iterator[MailPart]:
    """Return the parts without parts of their own, in order; open nested letters too."""
    waiting, count = [(data, 0)], 0
    while waiting:
        raw, depth = waiting.pop()
        count += 1
        if count > MOST_PARTS or depth > MOST_DEPTH:
            raise TooMuchMail("it has too many parts, or parts in parts")
        header, start = header_of(raw)
        part = MailPart(header, raw[start:], depth)
        kind = header.get("content-type", "").strip().lower()
        boundary = header_parameter(header.get("content-type", ""), "boundary") if kind.startswith("multipart/") else ""
        if boundary:
            inside = split_parts(part.body, boundary)
        elif kind.startswith("message/rfc822"):
            inside = [decode_part(part)]
        else:
            yield part
            continue
        if len(inside) > MOST_PARTS:
            raise TooMuchMail("it has too many parts")
        waiting += ((inner, depth + 1) for inner in reversed(inside))


def split_parts(body: bytes, boundary: str) -> list[bytes]:
    """Return the parts between lines `--boundary`, up to `--boundary--` or the end."""
    mark = b"--" + boundary.encode("utf-8", "replace")
    start, parts = -1, list[bytes]()
    offset = 0 if body.startswith(mark) else body.find(b"\n" + mark) + 1 or -1
    while offset >= 0 and len(parts) <= MOST_PARTS:
        end = body.find(b"\n", offset)
        line = body[offset : len(body) if end < 0 else end].rstrip(b" \t\r")
        if line in (mark, mark + b"--"):
            if start >= 0:
                parts.append(body[start : max(start, offset - 1)])
            start = len(body) if end < 0 else end + 1
            if line != mark:
                return parts
        offset = body.find(b"\n" + mark, offset + 1) + 1 or -1
    return [*parts, body[start:]] if start >= 0 else parts


def decode_part(part: MailPart) -> bytes:
    """Decode the transfer encoding of a part; return it as it is if malformed."""
    encoding = part.header.get("content-transfer-encoding", "").strip().lower()
    try:
        if encoding == "base64":
            return decode_mail_base64(part.body)
        if encoding == "quoted-printable":
            return quopri.decodestring(part.body)
    # A damaged part is searched as it is.
    except (binascii.Error, ValueError):
        pass
    return part.body


def decode_mail_base64(text: bytes) -> bytes:
    """Decode base64 as mail has it, up to the signs = that complete a group of four.

    Raises binascii.Error if a group is left open. Python versions differ in what they do with text after such
    signs: no verdict may depend on that.
    """
    digits = bytearray()
    for more, signs in re.findall(rb"([^=]+)(=*)", re.sub(rb"[^A-Za-z0-9+/=]", b"", text)):
        digits += more
        remainder = len(digits) % 4
        if remainder >= 2 and remainder + len(signs) >= 4:
            return base64.b64decode(digits + b"=" * (4 - remainder))
    return base64.b64decode(digits)


def file_name_of_part(header: dict[str, str]) -> str:
    """Return the file name of a part, by either of the two header fields."""
    return (
        header_parameter(header.get("content-disposition", ""), "filename")
        or header_parameter(header.get("content-type", ""), "name")
        or ""
    )


# A name, the number of a piece, the star of an encoded one, and the value, in quotes or not (RFC 2231).
PARAMETER = re.compile(
    r';[ \t]*([^\s=;*"]+)(\*[0-9]{1,3})?(\*)?[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))', re.DOTALL
)


def header_parameter(field: str, name: str) -> str:
    """Return a header parameter: plain, quoted, RFC 2231 or RFC 2047.

    RFC 2231 allows pieces and percent signs.
    """
    plain, pieces = "", dict[int, str]()
    coded = ""
    for key, piece, star, quoted, bare in PARAMETER.findall(field):
        if key.lower() != name:
            continue
        value = re.sub(r"\\(.)", r"\1", quoted) if quoted else bare.strip()
        if piece:
            pieces.setdefault(int(piece[1:]), decode_percent(value, first=piece == "*0") if star else value)
        elif star:
            coded = coded or decode_percent(value, first=True)
        else:
            plain = plain or value
    joined = "".join(pieces[index] for index in range(len(pieces)) if index in pieces)
    return coded or joined or decode_words(plain)


def decode_percent(value: str, *, first: bool) -> str:
    """RFC 2231 4: Decode charset'language'text with percent signs, as UTF-8."""
    text = value.split("'", 2)[-1] if first and value.count("'") >= 2 else value
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes([int(match[1], 16)]), text.encode("utf-8", "replace"))
    return raw.decode("utf-8", "replace")


def decode_words(value: str) -> str:
    """Decode RFC 2047 words, which do not belong in a file name but occur there."""

    def word(match: re.Match[str]) -> str:
        raw = match[2].encode("utf-8", "replace")
        try:
            plain = decode_mail_base64(raw) if match[1] in "bB" else quopri.decodestring(raw, header=True)
        # What cannot be decoded stays as it is: then the name is not the attachment's.
        except (binascii.Error, ValueError):
            return match[0]
        return plain.decode("utf-8", "replace")

    return re.sub(r"=\?[^?\s]{1,40}\?([bBqQ])\?([^?\s]*)\?=", word, value)


def received_at(field: str) -> int | None:
    """Return when the reader's own mail server took a letter, or None.

    This server writes the topmost field, with a time at its end.
    """
    try:
        # A date has some forty characters; the parser splits all that it gets.
        moment = parsedate_to_datetime(field.rpartition(";")[2].strip()[:200])
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    # What the standard parser raises for other text, in this or that version of Python.
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
