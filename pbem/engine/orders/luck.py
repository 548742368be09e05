"""``LUCK word``: a line of a block by which a player puts chance of his own into the dice.

The word is part of what his orders are sealed with, so that whoever has no seat in the game cannot know the dice before
the letter came. No game reads it. It stands first in the canonical text, on a line of its own::

    LUCK 7 blue herons
    MOVE Leon TO C
"""

from __future__ import annotations

import re
import unicodedata

from pbem.engine.data.messages import Msg, msg

MOST = 64
"""Characters of the word."""

WORDS = ("LUCK", "SUERTE")
"""The word in English and in Spanish; other languages write the former, since what follows is anybody's."""
_LINE = re.compile(rf"\s*(?P<again>[@\uff20]\s*)?(?:{'|'.join(WORDS)})(?:[\s:]+(?P<word>.*))?\s*", re.IGNORECASE)
_COMMENT = re.compile(r"(?:#|//).*")
_LONGEST = 300
_HEAD = "LUCK "


def given(line: str) -> str | None:
    """The word that a line gives, as it is kept: without accents, double blanks and a comment; None if it gives none.

    Empty if there is nothing behind LUCK; with the mark of lines that are repeated it begins with that.
    """
    found = _LINE.fullmatch(line[:_LONGEST])
    if found is None:
        return None
    plain = unicodedata.normalize("NFKD", _COMMENT.sub("", found["word"] or ""))
    word = "".join(char for char in plain if not unicodedata.combining(char))
    return ("@ " if found["again"] else "") + " ".join(word.split())


def objection(word: str) -> Msg | None:
    """Why a word that was given cannot be taken, if it cannot."""
    if word.startswith("@ "):
        return msg("LUCK is for one block and is not repeated: take the @ away.")
    if not word:
        return msg("A word belongs behind LUCK, any you like.")
    if ";" in word:
        return msg("LUCK stands on a line of its own.")
    if not word.isascii() or not word.isprintable():
        return msg("The word behind LUCK is made of the letters A to Z, figures and the signs of a keyboard.")
    if len(word) > MOST:
        return msg("The word behind LUCK has {count} characters at most.", count=MOST)
    return None


def above(word: str, text: str) -> str:
    """The canonical text of orders with the word that stands above them, if there is one."""
    return f"{_HEAD}{word}\n{text}" if word else text


def apart(text: str) -> tuple[str, str]:
    """The word above a canonical text, empty if there is none, and the text below it."""
    if not text.startswith(_HEAD):
        return "", text
    first, _, rest = text.partition("\n")
    return first.removeprefix(_HEAD), rest
