"""The words that rulings are written with, in English and in Spanish; a ruling is told in those of its reader.

Example::

    line("REOPEN T1.spain")                 REABRIR T1.spain
    line("FORBID PRESS morocco")            PROHIBIR PRENSA Marruecos
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from pbem.engine.data.languages import Called, chosen, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import meant

SPANISH: Mapping[str, str] = {
    "PROCESS": "PROCESAR",
    "HOLD": "DETENER",
    "RESUME": "REANUDAR",
    "DEADLINE": "PLAZO",
    "EXTEND": "PRORROGAR",
    "WARN": "ADVERTIR",
    "SUBSTITUTE": "SUSTITUIR",
    "ADJUDICATE": "ADJUDICAR",
    "ANNOUNCE": "ANUNCIAR",
    "RULING": "DECISION",
    "FORBID": "PROHIBIR",
    "ALLOW": "PERMITIR",
    "AWARD": "OTORGAR",
    "EDIT": "CORREGIR",
    "READJUDICATE": "RESOLVER",
    "BEACON": "FARO",
    "REOPEN": "REABRIR",
}
"""The words of all rulings."""

_AMONG = {
    "SUBSTITUTE": ("BY", "POR"),
    "FORBID": ("PRESS", "PRENSA"),
    "ALLOW": ("PRESS", "PRENSA"),
    "BEACON": ("CHANGE", "CAMBIAR"),
    "AWARD": ("VP", "PV"),
    "EDIT": ("UNIT", "UNIDAD"),
}
"""A word that stands in what follows."""
_SEAT = ("WARN", "SUBSTITUTE", "FORBID", "ALLOW", "AWARD")
"""Rulings on a seat, which is named next."""


_NAMED = re.compile(r"((?:PRESS|PRENSA)\s)?\s*(\S+)(.*)", re.IGNORECASE | re.DOTALL)


def word(english: str) -> Msg:
    """The word of a ruling as its reader would write it."""
    return in_each(lambda language: chosen(language, english, SPANISH.get(english, english)))


def line(text: str, because: str = "") -> Msg:
    """The line of a ruling in the words of its reader; what its moderator says in it stays as he said it."""
    begins, _, rest = text.partition(" ")
    told = msg("{word} {rest}", word=word(begins), rest=_rest(begins, rest)) if rest else word(begins)
    return msg("{line} BECAUSE {reason}", line=told, reason=because) if because else told


def by_ids(begins: str, rest: str, called: Mapping[str, Called]) -> str:
    """What follows the word of a ruling, with the seat in it by its id, whatever language called it so."""
    named = _NAMED.fullmatch(rest) if begins in _SEAT else None
    return f"{named[1] or ''}{meant(named[2], called)}{named[3]}" if named else rest


def in_spanish(begins: str, rest: str) -> str:
    """What follows the English word of a ruling, with the word among it in Spanish."""
    return _among(begins, rest, 1)


def _among(begins: str, rest: str, which: int) -> str:
    pair = _AMONG.get(begins)
    return re.sub(rf"\b(?:{'|'.join(pair)})\b", pair[which], rest, count=1, flags=re.I) if pair else rest


def _in_language(begins: str, rest: str, language: str) -> str:
    return _among(begins, rest, language == "es")


def _rest(begins: str, rest: str) -> Msg:
    if begins == "EDIT":
        # What is corrected is many words, and stays as it was written.
        return msg("{rest}", rest=rest)
    named = _NAMED.fullmatch(rest) if begins in _SEAT else None
    before, seat, after = named.groups("") if named else ("", "", rest)
    one, other = (in_each(partial(_in_language, begins, part)) for part in (before, after))
    return msg("{before}{seat}{after}", before=one, seat=seat, after=other)
