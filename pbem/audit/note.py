"""Write and check signed notes (C2SP signed-note).

A note is a text, a blank line, and a line for each signature::

    This is an example message.

    — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=

A key is its name, its algorithm and its bytes; its id are the first four bytes of their hash, which stand before
the signature. Signing and verifying are functions passed in, so that this module needs no library.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pbem.audit.blocks import Malformed

Sign = Callable[[bytes], bytes]
"""The bytes of a message -> its signature, 64 bytes."""

Verify = Callable[[bytes, bytes, bytes], bool]
"""(public key, message, signature of 64 bytes) -> whether the signature is valid."""

ED25519, COSIGNATURE = 1, 4
"""The algorithm bytes: a plain Ed25519 signature, and a witness's signature with the time."""

MOST_SIGNATURES = 64
"""Signatures of a note that are read: anybody can add some, and each costs a check on a curve. The format has the same
limit (docs/dice-log-checks.md), and no log has as many witnesses."""
_DASH = "\u2014"
# C2SP signed-note: a key's name has no blank and no plus; a note has no control character but the line feed.
_NAME = re.compile(r"[^\s+]+")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_KEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)")


class Key(NamedTuple):
    """A public key under its name; `kind` is ED25519 or COSIGNATURE."""

    name: str
    public: bytes
    kind: int = ED25519

    @property
    def id(self) -> bytes:
        """Return the four bytes that come before the key's signatures."""
        # The format has four octets (C2SP signed-note): they tell which key to try, and prove nothing.
        return hashlib.sha256(self.name.encode("utf-8") + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    @property
    def label(self) -> str:
        """Return name and id, by which people recognise a key: ``name+id``."""
        return f"{self.name}+{self.id.hex()}"

    @property
    def text(self) -> str:
        """Return the key as one word, ``name+id+base64``, as given to verifiers."""
        return f"{self.label}+{encode64(bytes([self.kind]) + self.public)}"


class Signature(NamedTuple):
    """A signature line: name and id of the claimed key, and the bytes after them."""

    name: str
    id: bytes
    signed: bytes

    @property
    def text(self) -> str:
        """Return the line after its dash: the name, and in base64 id and bytes."""
        return f"{self.name} {encode64(self.id + self.signed)}"


class Note(NamedTuple):
    """A text, which ends with LF, and its signatures, none of them verified."""

    text: str
    signatures: tuple[Signature, ...]


def encode64(data: bytes) -> str:
    """Encode as base64 with padding (RFC 4648 4)."""
    return base64.b64encode(data).decode("ascii")


def decode64(text: str) -> bytes:
    """Decode base64; raise Malformed for any other encoding of the same bytes."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"{text[:80]!r} is no base64") from None
    if encode64(data) != text:
        raise Malformed(f"{text[:80]!r} is not how its bytes are written in base64")
    return data


def parse_key(text: str) -> Key:
    """Parse a key written as one word; raise Malformed for a wrong id or algorithm."""
    match = _KEY.fullmatch(text)
    data = decode64(match[3]) if match else b""
    if match is None or len(data) != 33 or data[0] not in (ED25519, COSIGNATURE):
        raise Malformed(f"{text[:120]!r} is no key: it reads name+8 hex digits+base64")
    key = Key(match[1], data[1:], data[0])
    if key.id.hex() != match[2]:
        raise Malformed(f"the key {key.name} has the id {key.id.hex()}, not {match[2]}")
    return key


def write(note: Note) -> bytes:
    """Return the bytes of a note; raise Malformed if they would not be read back."""
    lines = [f"{_DASH} {signature.text}\n" for signature in note.signatures]
    data = (note.text + "\n" + "".join(lines)).encode("utf-8")
    if parse(data) != note:
        raise Malformed("the note would be read as another one")
    return data


def parse(data: bytes) -> Note:
    """Parse a note; raise Malformed unless it is canonical."""
    try:
        whole = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("a note is UTF-8") from None
    if _CONTROL.search(whole):
        raise Malformed("a note has no control characters but line ends")
    text, blank, signature_lines = whole.rpartition("\n\n")
    if not blank or not signature_lines.endswith("\n") or not text:
        raise Malformed("a note is a text, a blank line, and signatures")
    lines = signature_lines[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise Malformed(f"a note has at most {MOST_SIGNATURES} signatures")
    return Note(text + "\n", tuple(_signature(line) for line in lines))


def _signature(line: str) -> Signature:
    dash, _, rest = line.partition(" ")
    if dash != _DASH:
        raise Malformed(f"{line[:80]!r} is no signature line")
    return parse_signature(rest)


def parse_signature(text: str) -> Signature:
    """Parse the text of a signature line; raise Malformed for anything else."""
    name, _, coded = text.partition(" ")
    data = decode64(coded) if _NAME.fullmatch(name) else b""
    if len(data) < 5:
        raise Malformed(f"{text[:80]!r} is no signature line")
    # The id of the key comes first (`Key.id`).
    return Signature(name, data[:4], data[4:])


def add_signatures(data: bytes, *more: Signature) -> bytes:
    """Return a note with more signatures below those it has."""
    note = parse(data)
    return write(note._replace(signatures=(*note.signatures, *more)))


def valid_signers(note: Note, keys: Iterable[Key], verify: Verify) -> tuple[Key, ...]:
    """Return the plain keys that have signed.

    Raise Malformed for a false signature of one of them. Signatures of unknown keys are ignored, even if the name
    alone or the id alone is known.
    """
    valid = []
    for key in keys:
        own_signatures = [
            signature.signed for signature in note.signatures if (signature.name, signature.id) == (key.name, key.id)
        ]
        if key.kind != ED25519 or not own_signatures:
            continue
        if not all(verify(key.public, note.text.encode("utf-8"), signed) for signed in own_signatures):
            raise Malformed(f"the signature of {key.name} is false")
        valid.append(key)
    return tuple(valid)
