"""Translate canonical orders to a language, and read names in any.

Orders are stored and committed in English, and echoed in their owner's language. The result is read as the
same orders again, in whatever language a letter is written::

    translate("ASSAULT Loma WITH Leon LED BY Prim", VOCABULARY, "es", CALLED)    ASALTAR Loma CON León AL MANDO DE Prim

Keywords of canonical text are in capitals and names are not, so that neither is taken for the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from pbem.engine.data import languages
from pbem.engine.data.languages import NO_DISPLAY_NAMES, DisplayNames
from pbem.engine.data.messages import Msg
from pbem.engine.orders import block, luck
from pbem.engine.orders.lex import Vocabulary, fold

Speaks = Callable[[str, str], str]
"""(canonical text, language) -> the text in its words, as a game says it (`Reporting.spoken`)."""

ARTICLES = frozenset({"the", "el", "la", "los", "las"})
_COUNTED = ("PF", "STEPS", "UNITS")
"""Keywords for what MY counts in numbers, not units."""
_AT = "AT"
"""The keyword that canonical text uses in place of TO before a target."""
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


def translate(text: str, vocabulary: Vocabulary, language: str, called: Mapping[str, DisplayNames]) -> str:
    """Return canonical text in the words of a language."""
    names = called.get(language, NO_DISPLAY_NAMES)
    if language not in languages.SHIPPED_LANGUAGES:
        names = names.read_alike(fold)
    return names.with_names(_pattern(vocabulary, language)(text))


def order_text(text: str, speak: Speaks) -> Msg:
    """Return canonical text for a gap, shown in the reader's language."""
    return languages.in_each_language(lambda language: text if language == "en" else speak(text, language))


def id_of_name(name: str, called: Mapping[str, DisplayNames]) -> str:
    """Return the id of a name in any language, with an article or without.

    An unknown name is returned as it was written.
    """
    wanted = _without_article(name)
    for names in called.values():
        for ident in names.names.keys() | names.also.keys():
            if wanted in map(_without_article, (names.names.get(ident, ident), *names.also.get(ident, ()))):
                return ident
    return name


def _without_article(name: str) -> str:
    words = fold(name).split()
    return " ".join(words[1:] if words[:1] and words[0] in ARTICLES else words)


def echo_lines(lines: Iterable[str], speak: Speaks, language: str) -> list[str]:
    """Return the lines of a block, with its first and last lines, in a language."""
    return [_translate_header(line, language) if _HEAD.match(line) else speak(line, language) for line in lines]


def reword_lines(lines: Iterable[str], speak: Speaks, language: str) -> list[str]:
    """Translate canonical words in a player's lines; comments and LUCK words stay."""
    return [
        _translate_header(line, language)
        if luck.word_of_line(line) is not None
        else _reword_line(line, speak, language)
        for line in lines
    ]


def _reword_line(line: str, speak: Speaks, language: str) -> str:
    comment = _COMMENT.search(line)
    end = len(line) if comment is None else comment.start()
    return "".join(echo_lines([line[:end]], speak, language)) + line[end:]


def _translate_header(line: str, language: str) -> str:
    return _HEAD.sub(lambda head: languages.pick_phrase(language, *_HEADS[head[0]][:2]), line, count=1)


@cache
def _pattern(vocabulary: Vocabulary, language: str) -> Callable[[str], str]:
    """Return a function that translates the keywords of a line.

    The longest phrase comes first; parts of names are left alone.
    """
    words = {phrases[0]: vocabulary.word(keyword, language).upper() for keyword, phrases in vocabulary.table.items()}
    if "TO" in vocabulary.table:
        # TO covers AT in what is read, so that a language which has no word of its own for AT says TO.
        words[_AT] = _AT if words["TO"] == "TO" else words["TO"]
    if language != "es":
        words = {canonical: word for canonical, word in words.items() if word != canonical.upper()}
        if not words:
            return str
    else:
        words |= {f"MY {noun}": f"MIS {words[noun]}" for noun in _COUNTED if {"MY", noun} <= words.keys()}
    # The longest first, since the first alternative that fits is taken.
    phrases = "|".join(re.escape(phrase) for phrase in sorted(words, key=lambda phrase: (-len(phrase), phrase)))
    keyword = re.compile(rf"(?<![\w/])(?:{phrases})(?![\w/])")
    return lambda line: keyword.sub(lambda match: words[match[0]], line)


languages.on_language_change(_pattern.cache_clear)
