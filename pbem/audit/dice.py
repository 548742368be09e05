"""Derive dice from labels: 64 secret bytes and a name always give the same.

The stream of a label is ``HMAC-SHA256(beta, block)`` for the blocks 0, 1, ... of `blocks.stream_block`, one after the
other. It is read in big-endian words; a word above the last whole multiple of the number of sides is thrown away, so
that every face has exactly as many words as any other.
"""

from __future__ import annotations

import hashlib
import hmac
import shlex
from functools import lru_cache
from typing import NamedTuple

from pbem.audit import blocks

MOST_DICE = 10_000
"""Dice of one label: more than any rulebook throws at once, so that a larger number is a bug and no roll."""


def word_octets(sides: int) -> int:
    """Return the bytes of a word for `sides` faces; raise ValueError past 2**32.

    It is 1 byte up to 256 faces, 2 up to 65,536, 4 beyond. A die of one face is a die: the choice among one is
    rolled like any other, so that its label is in the log.
    """
    if not 1 <= sides <= 256**4:
        raise ValueError(f"a die has 1 to 4294967296 sides, got {sides}")
    return 1 if sides <= 256 else 2 if sides <= 65_536 else 4


def face_of_word(word: int, sides: int) -> int | None:
    """Return the face 1..`sides` that a word shows, or None if it is discarded.

    The word has `word_octets(sides)` bytes.
    """
    words = 256 ** word_octets(sides)
    if not 0 <= word < words:
        raise ValueError(f"a word for {sides} sides is below {words}, got {word}")
    return 1 + word % sides if word < words - words % sides else None


# One byte has words for at most 256 sides.
@lru_cache(maxsize=256)
def _small(sides: int) -> tuple[bytes, bytes]:
    """Return the face of each one-byte word, and the words to discard.

    Both are for `bytes.translate`, which is faster than a loop.
    """
    shown = [face_of_word(word, sides) for word in range(256)]
    return bytes(value or 0 for value in shown), bytes(word for word in range(256) if shown[word] is None)


# The tables by which HMAC makes its inner and outer key (RFC 2104, 2: ipad and opad).
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class DiceStream:
    """The dice of one segment, as `engine.run.runners.Dice`.

    `beta` are the 64 secret bytes.
    """

    def __init__(self, beta: bytes) -> None:
        if len(beta) != 64:
            raise ValueError(f"beta has 64 bytes, got {len(beta)}")
        # HMAC as RFC 2104 writes it. The key fills a block of SHA-256 exactly, so the two hashes that begin with it
        # are the same for every roll: made once and copied, a roll takes a third of the time.
        self._inner = hashlib.sha256(beta.translate(_INNER))
        self._outer = hashlib.sha256(beta.translate(_OUTER))

    def _part(self, label: str, count: int) -> bytes:
        """Return block `count` of the stream of a label."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(blocks.stream_block(label, count))
        outer.update(inner.digest())
        return outer.digest()

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the `n` values 1..`sides` of `label`.

        The first k of a longer roll are those of a roll of k.
        """
        if not 1 <= n <= MOST_DICE:
            raise ValueError(f"a roll has 1 to {MOST_DICE} dice, got {n}")
        count = 0
        if 1 <= sides < 256:
            shown, thrown = _small(sides)
            shown_values = self._part(label, count).translate(shown, thrown)
            while len(shown_values) < n:
                count += 1
                shown_values += self._part(label, count).translate(shown, thrown)
            return tuple(shown_values[:n])
        size = word_octets(sides)
        values: list[int] = []
        while len(values) < n:
            # 32 bytes hold whole words of every size, so no word crosses two blocks.
            part = self._part(label, count)
            words = (int.from_bytes(part[offset : offset + size], "big") for offset in range(0, 32, size))
            values += [value for word in words if (value := face_of_word(word, sides)) is not None]
            count += 1
        return tuple(values[:n])


# Throwing a die again by hand: the command that gives its bytes, and how they are read.
#
# ::
#
#     printf '%s\n' pbemdice/v1/die 'label B>C/shock attacker' 'block 0' |
#         openssl dgst -sha256 -mac HMAC -macopt hexkey:000102...
#
# on one line prints the first 32 bytes of the label's stream (see `dice`) in hex.


class StreamWord(NamedTuple):
    """A word of the stream in hex, and the face 1..sides that it shows.

    The face is None if the word is discarded.
    """

    text: str
    face: int | None


class HandRoll(NamedTuple):
    """A roll in steps: commands whose outputs follow one another, and the words read."""

    commands: tuple[str, ...]
    words: tuple[StreamWord, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """Return the values of the roll."""
        return tuple(word.face for word in self.words if word.face is not None)


def steps_by_hand(beta: bytes, label: str, n: int, sides: int) -> HandRoll:
    """Divide a label's roll into steps for a shell.

    It has `n` dice of `sides` sides; `beta` are the 64 bytes of its phase.
    """
    size = word_octets(sides)
    commands: list[str] = []
    words: list[StreamWord] = []
    missing = n
    while missing:
        part = hmac.digest(beta, blocks.stream_block(label, len(commands)), "sha256")
        commands.append(shell_command(beta, label, len(commands)))
        for offset in range(0, len(part), size):
            word = part[offset : offset + size]
            shown = face_of_word(int.from_bytes(word, "big"), sides)
            words.append(StreamWord(word.hex(), shown))
            missing -= shown is not None
            if not missing:
                break
    return HandRoll(tuple(commands), tuple(words))


def shell_command(beta: bytes, label: str, count: int) -> str:
    """Return the shell command that prints block `count` of a label's stream."""
    lines = " ".join(shlex.quote(line) for line in blocks.stream_block(label, count).decode("utf-8").splitlines())
    return f"printf '%s\\n' {lines} | openssl dgst -sha256 -mac HMAC -macopt hexkey:{beta.hex()}"
