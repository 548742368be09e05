"""Recognise the lines by which clients set quotes and signatures apart.

Their words may be of any language, so that shapes decide; words are only listed for marks without a shape. A line
longer than `LONGEST_MARK` is no mark. Attributions, which stand above most quotes, are found by `boundaries`.
"""

from __future__ import annotations

import re

LONGEST_MARK = 1_000
"""The greatest length of a mark. A one-line header of a client has some hundred characters, and the patterns are tried
on each line."""

# With words in any language between the signs; bounded, since it is tried on every line.
_SENTINEL = re.compile(r"##-.{1,200}-##")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_RUN = 4
"""Dashes in a row at both ends of a client's line: fewer are punctuation of the author."""
_RULE = 10
"""Least number of characters of a rule across the page. A choice: shorter ones count as the author's own."""
_WORDS = 200
"""Most characters between two such runs: the words of a client's line, in any language, are fewer."""
# The words by which programs announce a letter that follows: original, forwarded.
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
# What services draw around these words, dashes or "##", is bounded, since it is tried on every line.
_ABOVE = re.compile(r"\W{0,12}(?:please )?(?:(?:type|write) your )?reply above this line\W{0,12}", re.IGNORECASE)
_LONGEST_FOOTER = 130
"""The greatest length of a footer. A choice: what telephones add has half as many, a longer line is the author's."""
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
"""The one line that a telephone or mail program adds, by its first words; its repetitions have room for names of
devices and shops, and are bounded since it is tried on every line."""


def is_sentinel(line: str) -> bool:
    """Return whether a line is the first of a letter of ours, ``##- ... -##``."""
    # The longest sentinel and as much before it; a search costs more for each "##-" in a line.
    return len(line) <= LONGEST_MARK and _SENTINEL.search(line[:400]) is not None


def is_separator(line: str) -> bool:
    """Return whether a line is a ``-----Original Message-----`` in known words.

    Text may follow it. "Reply above this line" is included, with which letters of other servers begin, as ours do
    with the sentinel.
    """
    if len(line) <= LONGEST_MARK and _ABOVE.fullmatch(line):
        return True
    words = _between_runs(line, "-", 2) or _between_runs(line, "=", _RUN)
    return bool(words) and _KNOWN.search(words) is not None


def announces_forward(line: str) -> bool:
    """Return whether a line is "Forwarded message:" or the like."""
    return len(line) <= 60 and line.rstrip().endswith((":", "：")) and _KNOWN.search(line) is not None


def is_weak_separator(line: str) -> bool:
    """Return whether a line has words between dashes, perhaps the author's own."""
    words = _between_runs(line, "-", _RUN)
    return any(character.isalpha() for character in words)


def is_heading(line: str) -> bool:
    """Return whether a line is words between dashes: ``--- Plan ---``, ``-message-``."""
    bare = line.strip(" \t*<>").translate(_DASHES)
    return len(bare) <= _WORDS and bare[:1] == bare[-1:] == "-" and any(map(str.isalpha, bare))


def is_horizontal_rule(line: str) -> bool:
    """Return whether a line is a rule of dashes, underscores or the like."""
    bare = line.strip().translate(_DASHES)
    return len(bare) >= _RULE and not bare.strip(bare[0]) and bare[0] in "_-=*"


def is_footer(line: str) -> bool:
    """Return whether a line is a telephone's footer: ``Sent from my iPhone``."""
    return len(line) <= _LONGEST_FOOTER and _FOOTER.fullmatch(line) is not None


def _between_runs(line: str, sign: str, least: int) -> str:
    """Return the text between a line's first two runs of a sign; empty without two."""
    if len(line) > LONGEST_MARK:
        return ""
    text = line.strip(" \t*<>").translate(_DASHES)
    rest = text.lstrip(sign)
    if len(text) - len(rest) < least:
        return ""
    end = rest.find(sign * least, 0, _WORDS)
    # Without a second run `end` is -1: there is nothing between.
    return rest[: max(end, 0)]
