"""The marks by which clients set quotes and signatures apart, told line by line.

Their words come in every language, so the shapes decide: a date, an address, a colon at the end, a column of
``Word: value``. Words are only listed where there is no shape to go by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["attribution_above", "attribution_begins", "footer", "reply_header_begins", "sentinel", "separator"]

_SENTINEL = re.compile(r"##-.{1,200}-##")
_FIELD = re.compile(r"[\s*]{0,4}[^\W\d_]{1,24}(?:[ .'’-][^\W\d_]{1,24}){0,3}\*?\s?[:：](?:[\s*]|$)")
_ADDRESS = re.compile(r"[^\s<>@]@[\w-]")
_YEAR_TIME = re.compile(
    r"\b(?:19|20)[0-9]{2}\b|\b[0-9]{1,2}[:.h][0-9]{2}\b|\b[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}\b"
)
_WROTE = re.compile(
    r"\b(?:wrote|writes|escribió|escribio|écrit|ecrit|schrieb|scritto|escreveu|skrev|schreef|napisał|kirjoitti)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"\s{0,4}-{2,20}\s{0,4}(?:original message|mensaje original|message d'origine|ursprüngliche nachricht"
    r"|messaggio originale|mensagem original|original appointment|forwarded message|mensaje reenviado|message transféré"
    r"|weitergeleitete nachricht|messaggio inoltrato|mensagem encaminhada|reply message|reply above)\s{0,4}-{2,20}\s*",
    re.IGNORECASE,
)
_FOOTER = re.compile(
    r"\s{0,4}(?:sent (?:from|via|with) |enviado (?:desde|con|do|pelo|a partir) |envoyé (?:de|depuis|à partir) "
    r"|gesendet (?:von|mit) |von meinem .{1,40} gesendet|inviato (?:da|dal|con) "
    r"|get outlook for |obtener outlook para |obtenga outlook para |descargar outlook para |obtenir outlook pour "
    r"|télécharger outlook pour |outlook für .{1,60} beziehen|scarica outlook per |ottieni outlook per "
    r"|obter o outlook para |diese nachricht wurde von meinem )"
    r"[^\n]{0,80}",
    re.IGNORECASE,
)


def sentinel(line: str) -> bool:
    """Whether the line is the first of a letter of ours, ``##- ... -##`` in whatever language."""
    return _SENTINEL.search(line[:400]) is not None


def separator(line: str) -> bool:
    """Whether the line is a ``-----Original Message-----``."""
    return len(line) <= 120 and _SEPARATOR.fullmatch(line) is not None


def footer(line: str) -> bool:
    """Whether the line is what a telephone adds at the end: ``Sent from my iPhone``."""
    return len(line) <= 130 and _FOOTER.fullmatch(line) is not None


def reply_header_begins(lines: Sequence[str]) -> bool:
    """Whether a mail header begins at the first of these lines: three ``Word: value`` or more, with address or date.

    A field may go on in an indented line; at most six lines are looked at.
    """
    fields = 0
    told = False
    for line in lines:
        if _FIELD.match(line[:120]):
            fields += 1
        elif not (fields and line[:1] in (" ", "\t") and line.strip()):
            break
        told = told or _has_address(line) or _has_date(line)
    return fields >= 3 and told


def attribution_above(lines: Sequence[str], quote_follows: bool) -> int:
    """How many of these lines, counted from the last, are an ``On 3 May 2026, Ana <a@example.org> wrote:``; 0: none.

    It ends in a colon and holds a date with an address or a verb of writing, in as few lines as will do; failing a
    date, address and verb. Before a quoted line a date or a verb is enough.
    """
    if not lines or not lines[-1].rstrip().endswith((":", "：")) or len(lines[-1]) > 400:
        return 0
    lone = 0
    for height in range(1, len(lines) + 1):
        some = lines[-height:]
        if not some[0].strip() or len(some[0]) > 400:
            break
        text = " ".join(some)
        address, verb = _has_address(text), _WROTE.search(text) is not None
        if _has_date(text) and (address or verb or quote_follows):
            return height
        lone = lone or (height if verb and (address or quote_follows) else 0)
    return lone


def attribution_begins(line: str) -> bool:
    """Whether the line alone is an attribution that its client ended without a colon."""
    return len(line) <= 400 and _has_date(line) and _has_address(line) and line.rstrip().endswith(("wrote", "escribió"))


def _has_address(text: str) -> bool:
    return _ADDRESS.search(text[:1200]) is not None


def _has_date(text: str) -> bool:
    return _YEAR_TIME.search(text[:1200]) is not None
