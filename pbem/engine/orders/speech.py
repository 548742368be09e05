"""Canonical orders in the words of a language, and names read as it writes them.

What is stored and committed in English is echoed as its owner speaks. What comes out is read as the same orders
again, in whatever language a letter is written::

    spoken("ASSAULT Loma WITH Leon LED BY Prim", VOCABULARY, "es", CALLED)    ASALTAR Loma CON León AL MANDO DE Prim

Keywords of canonical text are in capitals and names are not, so that neither is taken for the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from pbem.engine.data import languages
from pbem.engine.data.languages import NOTHING, Called
from pbem.engine.data.messages import Msg
from pbem.engine.orders import block, luck
from pbem.engine.orders.lex import Vocabulary, fold

Speaks = Callable[[str, str], str]
"""(canonical text, language) -> the text in its words, as a game says it (`Telling.spoken`)."""

ARTICLES = frozenset({"the", "el", "la", "los", "las"})
_COUNTED = ("PF", "STEPS", "UNITS")
"""What MY counts many of."""
_AT = "AT"
"""What canonical text writes for TO before what is shot at or charged."""
_HEADS = {
    "ORDERS": block.ORDERS,
    "VERIFY": block.VERIFY,
    "LATER": block.LATER,
    "END": block.END,
    "DONE": block.DONE,
    "LUCK": luck.WORDS,
}
_HEAD = re.compile(rf"({'|'.join(_HEADS)})\b(?!\.)")
_COMMENT = re.compile(r"#|//")


def spoken(text: str, vocabulary: Vocabulary, language: str, called: Mapping[str, Called]) -> str:
    """Return canonical text in the words of a language."""
    one = called.get(language, NOTHING)
    if language not in languages.SHIPPED:
        one = one.read_alike(fold)
    return one.written(_pattern(vocabulary, language)(text))


def told(text: str, speak: Speaks) -> Msg:
    """Return canonical text for the gap of a sentence, where it is said in the reader's language."""
    return languages.in_each(lambda language: text if language == "en" else speak(text, language))


def meant(name: str, called: Mapping[str, Called]) -> str:
    """Return the id that a language calls so, with an article or without; what no language does, as it was written."""
    wanted = _bare(name)
    for one in called.values():
        for ident in one.names.keys() | one.also.keys():
            if wanted in map(_bare, (one.names.get(ident, ident), *one.also.get(ident, ()))):
                return ident
    return name


def _bare(name: str) -> str:
    words = fold(name).split()
    return " ".join(words[1:] if words[:1] and words[0] in ARTICLES else words)


def echoed(lines: Iterable[str], speak: Speaks, language: str) -> list[str]:
    """Return the lines of a block as its owner would write them, with those that begin and end it."""
    return [_framed(line, language) if _HEAD.match(line) else speak(line, language) for line in lines]


def reworded(lines: Iterable[str], speak: Speaks, language: str) -> list[str]:
    """Return lines that a player wrote, canonical words in them as he speaks; comments and words for dice stay."""
    return [
        _framed(line, language) if luck.given(line) is not None else _reworded(line, speak, language) for line in lines
    ]


def _reworded(line: str, speak: Speaks, language: str) -> str:
    comment = _COMMENT.search(line)
    end = len(line) if comment is None else comment.start()
    return "".join(echoed([line[:end]], speak, language)) + line[end:]


def _framed(line: str, language: str) -> str:
    return _HEAD.sub(lambda head: languages.chosen(language, *_HEADS[head[0]][:2]), line, count=1)


@cache
def _pattern(vocabulary: Vocabulary, language: str) -> Callable[[str], str]:
    """What puts the keywords of a line into a language; the longest phrase first, and none that is part of a name."""
    said = {phrases[0]: vocabulary.word(keyword, language).upper() for keyword, phrases in vocabulary.table.items()}
    if "TO" in vocabulary.table:
        # TO covers AT in what is read, so that a language which has no word of its own for AT says TO.
        said[_AT] = _AT if said["TO"] == "TO" else said["TO"]
    if language != "es":
        said = {canonical: word for canonical, word in said.items() if word != canonical.upper()}
        if not said:
            return str
    else:
        said |= {f"MY {noun}": f"MIS {said[noun]}" for noun in _COUNTED if {"MY", noun} <= said.keys()}
    phrases = "|".join(re.escape(phrase) for phrase in sorted(said, key=lambda phrase: (-len(phrase), phrase)))
    keyword = re.compile(rf"(?<![\w/])(?:{phrases})(?![\w/])")
    return lambda line: keyword.sub(lambda found: said[found[0]], line)


languages.follow(_pattern.cache_clear)
