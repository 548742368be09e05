"""The lines that a block of orders begins and ends with, in English and Spanish.

::

    ORDERS T3 #k7q2 # the second try     the word, the turn, the nonce of the order form, a comment
    MOVE Leon TO C
    END

All code that looks for a block in a letter uses these functions, so that they agree on what is one. Lines are compared
as `bare` writes them. A nonce is ``#`` followed at once by `NONCE_SIGNS` characters as the server issues them; whatever
else follows a ``#`` or ``//`` is a comment.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pbem.engine.data.languages import follow, heard
from pbem.engine.orders.lex import close_matches, fold

ORDERS = ("ORDERS", "ORDENES")
VERIFY = ("VERIFY", "VERIFICAR")
LATER = ("LATER", "DESPUES", "MAS TARDE")
END = ("END", "FIN")
DONE = ("DONE", "LISTO", "READY")
"""The words of each line, in English and in Spanish; the first of a language is the one that we write."""
NONCE_SIGNS = 4
"""How many signs of base32, in small letters, make a nonce."""

_OPENING = ("ORDERS", "VERIFY", "LATER", "END", "DONE", "STANDING", "ENDSTANDING")
"""The English words of these lines: what another language calls them is compared as if it were they."""
_LONGEST = 300
"""Characters of a line that are looked at."""
_COMMENT = r"(?:(?:#|//).*)?"
_MARKS = r"(?:(?!//)[^\w#]){0,3}"
"""What mail programs set around a word, such as stars; nothing that begins a comment."""
_HEADER = re.compile(
    rf"{_MARKS}(?:(?P<word>orders?|ordenes|verify|verificar)(?:\s+t\s?(?P<turn>[0-9]{{1,4}}))?"
    # Without a turn these are words of a letter.
    r"|(?P<later>later|despues|mas\s+tarde)\s+t\s?(?P<then>[0-9]{1,4}))"
    rf"\s*:?(?:\s*#(?P<nonce>[a-z2-7]{{{NONCE_SIGNS}}}))?\s*{_MARKS}\s*{_COMMENT}"
)
_NEARLY = re.compile(
    rf"{_MARKS}(?P<word>[a-z]{{4,12}})\s+t\s?(?P<turn>[0-9]{{1,4}})\s*:?(?:\s*#[a-z2-7]{{{NONCE_SIGNS}}})?\s*{_MARKS}\s*{_COMMENT}"
)
_NUMBERED = re.compile(
    rf"{_MARKS}(?P<word>orders?|ordenes)\s+(?:(?:for|del?|para el)\s+)?(?:turno?\s+)?(?P<turn>[0-9]{{1,4}})"
    rf"\s*:?\s*{_COMMENT}"
)
_SAME = {word.lower(): word for word in (*ORDERS, *VERIFY, *LATER)}
_SAME |= {"orden": "ORDENES"} | dict.fromkeys(("check", "test"), "VERIFY")
_SAME |= dict.fromkeys(("comprobar", "comprueba", "revisar", "chequear"), "VERIFICAR")
_LIKE = 0.75
"""How much a word must be like the one that it is taken for."""
_MEANT = re.compile(r"(?:orders?|ordenes|verify|verificar)\b|(?P<later>(?:later|despues|mas tarde) t?[0-9])")
_DONE = re.compile(rf"\s*(?:done|listo|ready)\s*[.!;]?\s*{_COMMENT}")
_END = re.compile(rf"{_MARKS}(?:end|fin)\s*{_MARKS}\s*{_COMMENT}")
_STANDING = re.compile(r"(?:standing|doctrina)\b(?P<rest>.*)")
_END_STANDING = re.compile(rf"(?:endstanding|findoctrina)\s*[.;]?\s*{_COMMENT}")
_NONCE = re.compile(rf"\s*[#\uff03](?:\W?\w){{{NONCE_SIGNS}}}")


class Header(NamedTuple):
    """What the first line of a block says: its word in capitals, the turn if it names one, the nonce or nothing."""

    word: str
    turn: int | None = None
    nonce: str = ""

    @property
    def verify(self) -> bool:
        """True if the block is to be looked at and not to be queued."""
        return self.word in VERIFY

    @property
    def later(self) -> bool:
        """True if the block is for a turn to come."""
        return self.word in LATER


def bare(line: str) -> str:
    """Return a line as it is compared here: folded, without the blanks around it, and as much as can matter."""
    return _bare(line[:_LONGEST])


@lru_cache(maxsize=1024)
def _bare(line: str) -> str:
    """Every reader of a letter asks this of each of its lines, several times."""
    return heard(_OPENING, fold)(fold(line).strip())


def header(line: str) -> Header | None:
    """Return what a bare line says if it begins a block of orders, of orders to be checked, or of those for later."""
    found = _HEADER.fullmatch(line)
    if found is None:
        return None
    word, turn = found["word"] or " ".join(found["later"].split()), found["turn"] or found["then"]
    word = ORDERS[0] if word == "order" else word.upper()
    return Header(word, int(turn) if turn else None, found["nonce"] or "")


def meant(line: str) -> str:
    """Return what a bare line that is no header was meant to begin, ORDERS or LATER; empty if nothing."""
    found = _MEANT.match(line)
    return "" if found is None else LATER[0] if found["later"] else ORDERS[0]


def nearly(line: str) -> str:
    """Return the first line of a block that a bare line comes near, a word and a turn: ``ORDERS T3`` for ``ordres t3``.

    It is empty for what is none, and for what is one.
    """
    numbered = _NUMBERED.fullmatch(line)
    if numbered is not None:
        return f"{ORDERS[0] if numbered['word'].startswith('order') else ORDERS[1]} T{int(numbered['turn'])}"
    found = _NEARLY.fullmatch(line)
    if found is None or header(line) is not None:
        return ""
    like = close_matches(found["word"], _SAME, n=1, cutoff=_LIKE)
    return f"{_SAME[like[0]]} T{int(found['turn'])}" if like else ""


def done(line: str) -> bool:
    """Whether a bare line says that no more orders follow; it may stand in the block that is the last."""
    return _DONE.fullmatch(line) is not None


def ends(line: str) -> bool:
    """Whether a bare line ends a block."""
    return _END.fullmatch(line) is not None


def standing(line: str) -> str | None:
    """Return what follows the word on a bare line that begins a block of standing orders; None if it is no such."""
    found = _STANDING.fullmatch(line)
    return found["rest"] if found else None


def ends_standing(line: str) -> bool:
    """Whether a bare line ends a block of standing orders."""
    return _END_STANDING.fullmatch(line) is not None


def without_nonce(line: str) -> str:
    """Return a header as it is written but for its nonce, if it has one."""
    found = header(bare(line))
    return _NONCE.sub("", line, count=1) if found and found.nonce else line


follow(_bare.cache_clear)


# The lines between which words to others stand: ``PRESS TO morocco`` and ``ENDPRESS``, in English and Spanish.
#
# Nothing between them is an order, a command, a quote or a signature, whatever it looks like. Lines are compared as
# `block.bare` writes them.


PRESS_HEAD = re.compile(r"(?P<word>press|prensa) (?:to|a|para)\b(?P<to>.{0,100})")
"""The first line: `word` is its word, and `to` what follows, for whom the lines are."""
PRESS_END = re.compile(r"(?:endpress|finprensa)\s{0,4}[.;]?")
"""The last line."""

LESSON_HEAD = re.compile(r"(?P<word>lesson|leccion)\b(?P<to>[a-z0-9 -]{0,40}) (?:orders|ordenes)\s*:?")
"""The first line of an answer to a lesson, which ends as a block of orders does; `to` names game and lesson."""
LESSON_END = _END
