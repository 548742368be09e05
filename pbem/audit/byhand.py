"""Throwing a die again by hand: the command that gives its bytes, and how they are read.

::

    printf '%s\\n' pbemdice/v1/die 'label B>C/shock attacker' 'block 0' |
        openssl dgst -sha256 -mac HMAC -macopt hexkey:000102...

on one line prints the first 32 bytes of the label's stream (see `dice`) in hex.
"""

from __future__ import annotations

import hmac
import shlex
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.dice import face, width


class Word(NamedTuple):
    """A word of the stream in hex, and the face 1..sides that it shows; None if it is thrown away."""

    text: str
    face: int | None


class ByHand(NamedTuple):
    """A roll taken apart: the commands whose outputs follow one another, and the words that were looked at."""

    commands: tuple[str, ...]
    words: tuple[Word, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the roll."""
        return tuple(word.face for word in self.words if word.face is not None)


def by_hand(beta: bytes, label: str, n: int, sides: int) -> ByHand:
    """Take the roll of `n` dice of `sides` sides apart that `label` has under `beta`, the 64 bytes of its phase."""
    size = width(sides)
    commands: list[str] = []
    words: list[Word] = []
    left = n
    while left:
        part = hmac.digest(beta, blocks.die(label, len(commands)), "sha256")
        commands.append(command(beta, label, len(commands)))
        for at in range(0, len(part), size):
            word = part[at : at + size]
            shown = face(int.from_bytes(word, "big"), sides)
            words.append(Word(word.hex(), shown))
            left -= shown is not None
            if not left:
                break
    return ByHand(tuple(commands), tuple(words))


def command(beta: bytes, label: str, count: int) -> str:
    """The shell command that prints block `count` (from 0) of a label's stream."""
    lines = " ".join(shlex.quote(line) for line in blocks.die(label, count).decode("utf-8").splitlines())
    return f"printf '%s\\n' {lines} | openssl dgst -sha256 -mac HMAC -macopt hexkey:{beta.hex()}"
