"""The marks by which clients set quotes and signatures apart, told by a line of its own.

Their words come in every language, so the shapes decide; words are only listed where there is no shape to go by. A line
longer than `LONGEST` is nobody's mark. Who wrote and when, which stands above most quotes, is told by `boundaries`.
"""

from __future__ import annotations

import re

LONGEST = 1_000
"""Characters that a line of marks has at most; a client's header in one line has some hundred."""

_SENTINEL = re.compile(r"##-.{1,200}-##")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_RUN = 4
"""Dashes in a row with which a client's line begins and goes on."""
_RULE = 10
"""Signs of a rule across the page at least."""
_WORDS = 200
"""Characters between two such runs at most."""
_KNOWN = re.compile(
    r"\b(?:original|forwarded|reply (?:message|above)|originale?|reenviado|d['’]origine|transféré|réexpédié"
    r"|ursprüngliche|weitergeleitete[nr]?|inoltrato|encaminhada|reencaminhada|oorspronkelijk|doorgestuurd"
    r"|ursprungligt|vidarebefordrat|oprindelig|opprinnelig|videresendt|alkuperäinen|välitetty|oryginalna"
    r"|przekaz(?:an|ywan)(?:a|ej)|původní|přeposlan(?:á|é)|přeposílan(?:á|é)|pôvodná|preposlan(?:á|ej)|eredeti|továbbított"
    r"|redirecționat(?:ului)?|izvorna|proslijeđen[ae]?|reenviat|orijinal|özgün|iletilen|yönlendirilen|αρχικό|προωθημένο"
    r"|исходное|пересылаемое|пересланно(?:е|го)|переадресованно(?:е|го)|оригинално|препратено|вихідне|оригінальне|переслане)\b"
    r"|原始|转发|轉寄|転送|元の|원본|전달",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\W{0,12}(?:please )?(?:(?:type|write) your )?reply above this line\W{0,12}", re.IGNORECASE)
_FOOTER = re.compile(
    r"\s{0,4}(?:sent (?:from|via|with) |enviado (?:desde|con|do|pelo|a partir) |envoyé (?:de|depuis|à partir) "
    r"|gesendet (?:von|mit) |von mein(?:em|er) .{1,40} gesendet|inviato (?:da|dal|con) "
    r"|verzonden (?:vanaf|vanuit|met|via) |verstuurd vanaf "
    r"|get outlook for |obtener outlook para |obtenga outlook para |descargar outlook para |obtenir outlook pour "
    r"|télécharger outlook pour |outlook für .{1,60} beziehen|scarica outlook per |ottieni outlook per "
    r"|obter o outlook para |outlook voor .{1,60} downloaden|diese nachricht wurde von meinem )"
    r"[^\n]{0,80}",
    re.IGNORECASE,
)


def sentinel(line: str) -> bool:
    """Whether the line is the first of a letter of ours, ``##- ... -##`` in whatever language."""
    return len(line) <= LONGEST and _SENTINEL.search(line[:400]) is not None


def separator(line: str) -> bool:
    """Whether the line is a ``-----Original Message-----`` in words that are known, with text behind it or none.

    Letters of other servers begin with "Reply above this line", as ours do with the sentinel.
    """
    if len(line) <= LONGEST and _ABOVE.fullmatch(line):
        return True
    words = _between_runs(line, "-", 2) or _between_runs(line, "=", _RUN)
    return bool(words) and _KNOWN.search(words) is not None


def announces(line: str) -> bool:
    """Whether the line is "Forwarded message:" or the like, which says by itself what the lines below it are."""
    return len(line) <= 60 and line.rstrip().endswith((":", "：")) and _KNOWN.search(line) is not None


def weak_separator(line: str) -> bool:
    """Whether the line has any words between two runs of dashes; its author may have written so himself."""
    words = _between_runs(line, "-", _RUN)
    return any(character.isalpha() for character in words)


def heading(line: str) -> bool:
    """Whether the line is words between dashes, two or more, or one and one: ``--- Plan ---``, ``-message-``."""
    bare = line.strip(" \t*<>").translate(_DASHES)
    return len(bare) <= _WORDS and bare[:1] == bare[-1:] == "-" and any(map(str.isalpha, bare))


def rule(line: str) -> bool:
    """Whether the line is a rule across the page, of dashes, underscores or the like and nothing else."""
    bare = line.strip().translate(_DASHES)
    return len(bare) >= _RULE and not bare.strip(bare[0]) and bare[0] in "_-=*"


def footer(line: str) -> bool:
    """Whether the line is what a telephone adds at the end: ``Sent from my iPhone``."""
    return len(line) <= 130 and _FOOTER.fullmatch(line) is not None


def _between_runs(line: str, sign: str, least: int) -> str:
    """What stands between the run of signs that a line begins with and the next one; nothing if it has no two."""
    if len(line) > LONGEST:
        return ""
    text = line.strip(" \t*<>").translate(_DASHES)
    rest = text.lstrip(sign)
    if len(text) - len(rest) < least:
        return ""
    end = rest.find(sign * least, 0, _WORDS)
    return rest[: max(end, 0)]
