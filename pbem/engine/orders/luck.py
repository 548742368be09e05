"""``LUCK word``: a line by which a player adds his own chance to the dice.

The word is part of the sealed orders, on which the dice depend, so that nobody can compute the dice before the
letter comes. No game reads it. It is the first line of the canonical text::

    LUCK 7 blue herons
    MOVE Leon TO C
"""

from __future__ import annotations

import re
import unicodedata

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.block import LONGEST_LINE

LONGEST_WORD = 64
"""Characters of the word. With LUCK before it the line is shorter than the 72 at which mail programs break lines."""

WORDS = ("LUCK", "SUERTE")
"""The word in English and in Spanish; other languages write the English one, since any text may follow."""
# An order about luck, perhaps after the mark of a repetition (also in full width, as phones write it).
_LINE = re.compile(rf"\s*(?P<again>[@\uff20]\s*)?(?:{'|'.join(WORDS)})(?:[\s:]+(?P<word>.*))?\s*", re.IGNORECASE)
_COMMENT = re.compile(r"(?:#|//).*")
_HEAD = "LUCK "


def word_of_line(line: str) -> str | None:
    """Return the word of a LUCK line, or None for other lines.

    Accents, double blanks and the comment are removed. It is empty if nothing follows LUCK; in a repeated line it
    begins with the mark @.
    """
    match = _LINE.fullmatch(line[:LONGEST_LINE])
    if match is None:
        return None
    plain = unicodedata.normalize("NFKD", _COMMENT.sub("", match["word"] or ""))
    word = "".join(char for char in plain if not unicodedata.combining(char))
    return ("@ " if match["again"] else "") + " ".join(word.split())


def objection(word: str) -> Msg | None:
    """Return why a word cannot be used, or None."""
    if word.startswith("@ "):
        return msg("LUCK is for one block and is not repeated: take the @ away.")
    if not word:
        return msg("A word belongs behind LUCK, any you like.")
    if ";" in word:
        return msg("LUCK stands on a line of its own.")
    if not word.isascii() or not word.isprintable():
        return msg("The word behind LUCK is made of the letters A to Z, figures and the signs of a keyboard.")
    if len(word) > LONGEST_WORD:
        return msg("The word behind LUCK has {count} characters at most.", count=LONGEST_WORD)
    return None


def above(word: str, text: str) -> str:
    """Return the canonical text of orders below its LUCK word, if there is one."""
    return f"{_HEAD}{word}\n{text}" if word else text


def apart(text: str) -> tuple[str, str]:
    """Return the LUCK word of a canonical text, maybe empty, and the rest."""
    if not text.startswith(_HEAD):
        return "", text
    first, _, rest = text.partition("\n")
    return first.removeprefix(_HEAD), rest
