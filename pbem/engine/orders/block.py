"""The first and last lines of a block of orders, in English and Spanish.

::

    ORDERS T3 #k7q2 # the second try     the word, the turn, the nonce of the order form, a comment
    MOVE Leon TO C
    END

All code that looks for a block in a letter uses these functions, so that it agrees. Lines are compared as
`bare` writes them. A nonce is ``#`` followed at once by `NONCE_SIGNS` characters as the server issues them;
other text after ``#`` or ``//`` is a comment.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pbem.engine.data.languages import first_word_to_english, on_language_change
from pbem.engine.orders.lex import close_matches, fold

ORDERS = ("ORDERS", "ORDENES")
VERIFY = ("VERIFY", "VERIFICAR")
LATER = ("LATER", "DESPUES", "MAS TARDE")
"""The words of a header for orders of a later turn."""
END = ("END", "FIN")
DONE = ("DONE", "LISTO", "READY")
"""The words of each line, in English and in Spanish; of each language the first is the one that the program writes."""
NONCE_SIGNS = 4
"""Characters of a nonce, in base32 with small letters: a million, enough to tell the forms of one game apart."""

_OPENING = ("ORDERS", "VERIFY", "LATER", "END", "DONE", "STANDING", "ENDSTANDING")
"""The English words of these lines; words of additional languages are translated to them before the comparison."""
LONGEST_LINE = 300
"""Characters of a line that are compared: recognised lines have under a hundred with their comment, and the patterns
are tried on every line of a letter."""
_COMMENT = r"(?:(?:#|//).*)?"
_MARKS = r"(?:(?!//)[^\w#]){0,3}"
"""Characters that mail programs set around a word, such as stars; nothing that begins a comment."""
# Numbers of turns have up to four digits: no game has ten thousand turns.
_HEADER = re.compile(
    rf"{_MARKS}(?:(?P<word>orders?|ordenes|verify|verificar)(?:\s+t\s?(?P<turn>[0-9]{{1,4}}))?"
    # Without a turn these are words of a letter.
    r"|(?P<later>later|despues|mas\s+tarde)\s+t\s?(?P<then>[0-9]{1,4}))"
    rf"\s*:?(?:\s*#(?P<nonce>[a-z2-7]{{{NONCE_SIGNS}}}))?\s*{_MARKS}\s*{_COMMENT}"
)
# A word that may be a misspelt one of `_SAME`, which have four to nine letters.
_NEARLY = re.compile(
    rf"{_MARKS}(?P<word>[a-z]{{4,12}})\s+t\s?(?P<turn>[0-9]{{1,4}})\s*:?(?:\s*#[a-z2-7]{{{NONCE_SIGNS}}})?\s*{_MARKS}\s*{_COMMENT}"
)
# A turn without its T.
_NUMBERED = re.compile(
    rf"{_MARKS}(?P<word>orders?|ordenes)\s+(?:(?:for|del?|para el)\s+)?(?:turno?\s+)?(?P<turn>[0-9]{{1,4}})"
    rf"\s*:?\s*{_COMMENT}"
)
_SAME = {word.lower(): word for word in (*ORDERS, *VERIFY, *LATER)}
_SAME |= {"orden": "ORDENES"} | dict.fromkeys(("check", "test"), "VERIFY")
_SAME |= dict.fromkeys(("comprobar", "comprueba", "revisar", "chequear"), "VERIFICAR")
_LIKE = 0.75
"""Least similarity of a word and the word for which it is taken: of four letters one may be wrong."""
_MEANT = re.compile(r"(?:orders?|ordenes|verify|verificar)\b|(?P<later>(?:later|despues|mas tarde) t?[0-9])")
_DONE = re.compile(rf"\s*(?:done|listo|ready)\s*[.!;]?\s*{_COMMENT}")
_END = re.compile(rf"{_MARKS}(?:end|fin)\s*{_MARKS}\s*{_COMMENT}")
_STANDING = re.compile(r"(?:standing|doctrina)\b(?P<rest>.*)")
_END_STANDING = re.compile(rf"(?:endstanding|findoctrina)\s*[.;]?\s*{_COMMENT}")
_NONCE = re.compile(rf"\s*[#\uff03](?:\W?\w){{{NONCE_SIGNS}}}")


class Header(NamedTuple):
    """A block's first line: word in capitals, turn or None, nonce or empty."""

    word: str
    turn: int | None = None
    nonce: str = ""

    @property
    def verify(self) -> bool:
        """Return whether the block is to be checked only, and not queued."""
        return self.word in VERIFY

    @property
    def later(self) -> bool:
        """Return whether the block is for a later turn."""
        return self.word in LATER


def bare(line: str) -> str:
    """Return a line for comparison: folded, stripped, and cut to LONGEST_LINE."""
    return _bare(line[:LONGEST_LINE])


@lru_cache(maxsize=1024)
def _bare(line: str) -> str:
    """Return a folded line; cached, since readers of a letter ask several times."""
    return first_word_to_english(_OPENING, fold)(fold(line).strip())


def header(line: str) -> Header | None:
    """Return the parsed header if a bare line begins a block of any kind, else None."""
    match = _HEADER.fullmatch(line)
    if match is None:
        return None
    word, turn = match["word"] or " ".join(match["later"].split()), match["turn"] or match["then"]
    word = ORDERS[0] if word == "order" else word.upper()
    return Header(word, int(turn) if turn else None, match["nonce"] or "")


def intended_block(line: str) -> str:
    """Return the block of a faulty header, ORDERS or LATER; empty if none."""
    match = _MEANT.match(line)
    return "" if match is None else LATER[0] if match["later"] else ORDERS[0]


def near_header(line: str) -> str:
    """Return the corrected header of a misspelt one: ``ORDERS T3`` for ``ordres t3``.

    It is empty for a correct header, and for any other line.
    """
    numbered = _NUMBERED.fullmatch(line)
    if numbered is not None:
        return f"{ORDERS[0] if numbered['word'].startswith('order') else ORDERS[1]} T{int(numbered['turn'])}"
    match = _NEARLY.fullmatch(line)
    if match is None or header(line) is not None:
        return ""
    matches = close_matches(match["word"], _SAME, n=1, cutoff=_LIKE)
    return f"{_SAME[matches[0]]} T{int(match['turn'])}" if matches else ""


def says_done(line: str) -> bool:
    """Return whether a bare line says that no more orders follow.

    Such a line may also stand in the last block.
    """
    return _DONE.fullmatch(line) is not None


def ends(line: str) -> bool:
    """Return whether a bare line ends a block."""
    return _END.fullmatch(line) is not None


def after_standing(line: str) -> str | None:
    """Return the rest of a line that begins standing orders; None for other lines."""
    match = _STANDING.fullmatch(line)
    return match["rest"] if match else None


def ends_standing(line: str) -> bool:
    """Return whether a bare line ends a block of standing orders."""
    return _END_STANDING.fullmatch(line) is not None


def without_nonce(line: str) -> str:
    """Return a header as written, without its nonce."""
    parsed = header(bare(line))
    return _NONCE.sub("", line, count=1) if parsed and parsed.nonce else line


on_language_change(_bare.cache_clear)


# The lines between which words to others stand: ``PRESS TO morocco`` and ``ENDPRESS``, in English and Spanish.
#
# Nothing between them is an order, a command, a quote or a signature, whatever it looks like. Lines are compared as
# `block.bare` writes them.


# Bounded by choice: a longer line that begins with these words is prose.
PRESS_HEAD = re.compile(r"(?P<word>press|prensa) (?:to|a|para)\b(?P<to>.{0,100})")
"""The first line: `word` is its word, and `to` what follows, for whom the lines are."""
PRESS_END = re.compile(r"(?:endpress|finprensa)\s{0,4}[.;]?")
"""The last line."""

LESSON_HEAD = re.compile(r"(?P<word>lesson|leccion)\b(?P<to>[a-z0-9 -]{0,40}) (?:orders|ordenes)\s*:?")
"""The first line of an answer to a lesson, which ends as a block of orders does; `to` names game and lesson."""
LESSON_END = _END
