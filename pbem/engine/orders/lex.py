"""Words of a letter: folding, tokens, statements, and the vocabulary.

Tokens have columns; the vocabulary has several languages. Example: ``tokens("MOVER León, Rey A Serrallo")``
gives the words MOVER, León, the comma, Rey, A, Serrallo, each with the key it is compared by (``mover``,
``leon``) and the column it starts in.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import NamedTuple, Protocol

from pbem.engine.data import languages
from pbem.engine.data.messages import Msg, msg

# Count the effort of reading a letter, inside the loops, so that reading stops at a limit.
#
# Nothing is counted outside of `counted`: replays, bots and reports read as much as there is. There is neither clock
# nor limit here; the counter brings them.


class Exceeded(Exception):
    """Raised when a letter exceeds its limits; nothing in it is carried out."""


class Counter(Protocol):
    """Counts the effort for one letter, and raises `Exceeded` above the limit."""

    def spend(self, characters: int) -> None:
        """Count characters that are folded or split into words."""

    def guess(self) -> None:
        """Count a comparison of a word with all similar ones."""


LONGEST_WORD = 60
"""Characters of a word that is compared with others: no name is longer, and the cost grows with the square of the
length."""
_COUNTER: ContextVar[Counter | None] = ContextVar("effort", default=None)


@contextmanager
def count_effort(counter: Counter) -> Iterator[None]:
    """Use a counter within a context."""
    former = _COUNTER.set(counter)
    try:
        yield
    finally:
        _COUNTER.reset(former)


def spend(characters: int) -> None:
    """Count characters that are folded or split into words."""
    counter = _COUNTER.get()
    if counter is not None:
        counter.spend(characters)


def guess() -> None:
    """Count a comparison of a word with all similar ones."""
    counter = _COUNTER.get()
    if counter is not None:
        counter.guess()


def close_matches(word: str, words: Collection[str], n: int, cutoff: float = 0.6) -> list[str]:
    """Return up to `n` of `words` like `word`, the likest first; counts as a guess."""
    guess()
    return difflib.get_close_matches(word[:LONGEST_WORD], words, n=n, cutoff=cutoff)


class _Plain(dict[int, str | None]):
    """Replacements of typographic characters; invisible ones are removed."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        plain = None if unicodedata.category(char) == "Cf" or char in _SELECTORS else char
        if len(self) < _MOST_CACHED:
            self[code] = plain
        return plain


_MOST_CACHED = 10_000
"""Characters that are cached: a letter has far fewer different ones."""
_GROWING = re.compile("[\u321d\u321e\u327c\u3300-\u3357\ufdfa\ufdfb]")
"""Characters of which NFKD makes more than four, up to eighteen; no name has one, so they are compared as unknown."""
_UNKNOWN = "\ufffd"
# Unseen marks that select how a character looks. They are no format characters (Cf) to Unicode.
_SELECTORS = frozenset(map(chr, (0x034F, *range(0xFE00, 0xFE10))))
_WRITTEN = (
    ("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
    ("\u2018\u2019\u201a\u201b\u2032\u00b4", "'"),
    ("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
    ("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000", " "),
    ("\u2044\u2215\uff0f", "/"),
    ("\u2236\uff1a", ":"),
    ("\uff1b", ";"),
    ("\uff0c", ","),
    ("\u2026", "..."),
    ("\u00bd", " 1/2 "),
    ("\u00bc", " 1/4 "),
    ("\u00be", " 3/4 "),
)
_PLAIN = _Plain({ord(char): plain for chars, plain in _WRITTEN for char in chars})
# A battalion's name such as "2/87" or "2/3Guards" is one token; any other "/" separates two choices.
_TOKEN = re.compile(r"\d+/\d+\w*|[^\s,;+()/:]+|[,;+()/:]")
"""A number with a slash such as 3/4 is one word; elsewhere a slash is a mark, between preferences."""
_PUNCTUATION = frozenset(",;+()/:")
_QUOTES = "\"'`"
_NO_KEYWORDS: Mapping[str, int] = MappingProxyType({})


class Token(NamedTuple):
    """A word or mark: as written, key for comparison, and column in the line, from 0."""

    text: str
    key: str
    column: int

    @property
    def is_word(self) -> bool:
        """Return whether it is a word, and none of the marks ``, ; + ( ) / :``."""
        return self.text not in _PUNCTUATION


class Statement(NamedTuple):
    """A line or one command of it: the line's number, from 1, and its words."""

    line: int
    tokens: tuple[Token, ...]


def fold(text: str) -> str:
    """Return `text` for comparison.

    It has no case and no accents, and plain dashes, quotes and spaces.
    """
    if text.isascii():
        return text.lower()
    spend(len(text))
    plain = _GROWING.sub(_UNKNOWN, text).translate(_PLAIN)
    plain = unicodedata.normalize("NFKD", plain).translate(_PLAIN)
    return "".join(char for char in plain if not unicodedata.combining(char)).casefold()


def tokens(line: str) -> tuple[Token, ...]:
    """Split one line into words and marks; text after ``#`` or ``//`` is a comment.

    Quotes around a word and a full stop or exclamation mark after it are not part of it.
    """
    spend(len(line))
    columns: Sequence[int] | None = None
    if not line.isascii():
        line, columns = _plain(line)
    line = before_comment(line)
    out: list[Token] = []
    for match in _TOKEN.finditer(line):
        text, start = match[0], match.start()
        if not text.isalnum() and len(text) > 1:
            start, end = _trim(line, start, match.end())
            text = line[start:end]
        if columns is None:
            # Faster than a NamedTuple's keyword constructor.
            out.append(Token(text, text.lower(), start))
        else:
            out.append(Token(text, fold(text), columns[start]))
    return tuple(out)


def _trim(line: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a word without quotes and full stops, if any is left."""
    text = line[start:end]
    left = len(text) - len(text.lstrip(_QUOTES))
    right = len(text.rstrip(".!" + _QUOTES))
    return (start + left, start + right) if left < right else (start, end)


def column_of(line: str, words: str) -> int:
    """Return the column of words in a line, compared as folded; 0 if not found."""
    wanted = [token.key for token in tokens(words)]
    line_tokens = tokens(line)
    for index, token in enumerate(line_tokens):
        if [other.key for other in line_tokens[index : index + len(wanted)]] == wanted:
            return token.column
    return 0


def statements(text: str) -> Iterator[Statement]:
    """Yield the lines of a block with words; `split` divides them at semicolons."""
    for number, line in enumerate(text.split("\n"), start=1):
        words = tokens(line)
        if words:
            yield Statement(number, words)


def split(statement: Statement) -> Iterator[Statement]:
    """Yield the commands of a line: one, or several separated by ``;``."""
    if ";" not in [token.text for token in statement.tokens]:
        yield statement
        return
    part: list[Token] = []
    for token in statement.tokens:
        if token.text != ";":
            part.append(token)
        elif part:
            yield Statement(statement.line, tuple(part))
            part = []
    if part:
        yield Statement(statement.line, tuple(part))


def _plain(line: str) -> tuple[str, list[int]]:
    """Return `line` with plain characters, and the original column of each.

    One character may become none (a soft hyphen) or several (an ellipsis).
    """
    out: list[str] = []
    columns: list[int] = []
    for column, char in enumerate(line):
        plain = char.translate(_PLAIN)
        out.append(plain)
        columns += [column] * len(plain)
    return "".join(out), columns


def before_comment(line: str) -> str:
    """Return a line up to its comment."""
    if "#" in line:
        line = line[: line.index("#")]
    if "//" in line:
        line = line[: line.index("//")]
    return line


class Vocabulary:
    """Keywords and their phrases, in every language at once.

    Several keywords may share a phrase (``SI`` is both IF and YES); the grammar asks for the one it can use.
    """

    def __init__(self, table: Mapping[str, Sequence[str]], shown: Mapping[str, tuple[str, str]] | None = None) -> None:
        """Take keyword -> phrases: English, Spanish if it differs, others.

        A phrase is one or more words, folded here. Raise ValueError if one is empty. `shown` has the English and
        the Spanish phrase of keywords that letters write differently from canonical text. Phrases of additional
        languages are read as well.
        """
        self.shown = dict(shown or {})
        self.table = {keyword: tuple(phrases) for keyword, phrases in table.items()}
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._alone: dict[str, dict[str, int]] = {}
        self._listen()
        languages.on_language_change(self._listen)

    def _listen(self) -> None:
        """Index the phrases of all languages by their first words."""
        self._by_first = {}
        for keyword, own in self.table.items():
            for phrase in dict.fromkeys((*own, *languages.phrases_for(own[0]))):
                words = tuple(fold(phrase).split())
                if not words:
                    raise ValueError(f"keyword {keyword} has an empty phrase")
                self._by_first.setdefault(words[0], []).append((words, keyword))
        for choices in self._by_first.values():
            # The longest phrase first: `lengths` is to yield them so, and its length tells whether all are single
            # words.
            choices.sort(key=lambda choice: (-len(choice[0]), choice[1]))
        self._alone = {
            first: {keyword: 1 for _, keyword in choices}
            for first, choices in self._by_first.items()
            if len(choices[0][0]) == 1
        }

    def lengths(self, words: Sequence[Token], index: int) -> Mapping[str, int]:
        """Return all keywords at `index`, longest phrases first, and their word counts."""
        if index >= len(words):
            return _NO_KEYWORDS
        first = words[index].key
        alone = self._alone.get(first)
        if alone is not None:
            return alone
        choices = self._by_first.get(first)
        if choices is None:
            return _NO_KEYWORDS
        out: dict[str, int] = {}
        for phrase, keyword in choices:
            if keyword not in out and self._fits(words, index, phrase):
                out[keyword] = len(phrase)
        return out

    def length(self, words: Sequence[Token], index: int, keyword: str) -> int:
        """Return the number of words at `index` that say `keyword`, 0 if none."""
        return self.lengths(words, index).get(keyword, 0)

    def word(self, keyword: str, language: str) -> str:
        """Return the phrase for a keyword in a language."""
        phrases = self.shown.get(keyword, self.table[keyword])
        if language == "es":
            return phrases[1] if len(phrases) > 1 else phrases[0]
        return phrases[0] if language == "en" else languages.translate_phrase(language, phrases[0])

    def keyword_text(self, keyword: str) -> Msg:
        """Return a keyword for a gap, shown in the reader's language."""
        return languages.in_each_language(lambda language: self.word(keyword, language))

    def one_of(self, keywords: Iterable[str]) -> Msg:
        """Return a message that one of `keywords` is expected; there is at least one."""
        *words, last = map(self.keyword_text, keywords)
        if not words:
            return msg("expected {word} here", word=last)
        return msg("expected {words} or {last} here", words=words, last=last)

    def keywords_at(self, words: Sequence[Token], index: int) -> tuple[str, ...]:
        """Return all keywords that the words at `index` may mean, longest phrases first."""
        return tuple(self.lengths(words, index))

    def collisions(self) -> Mapping[str, tuple[str, ...]]:
        """Return phrases of more than one keyword, for the test of known collisions."""
        out: dict[str, list[str]] = {}
        for choices in self._by_first.values():
            for phrase, keyword in choices:
                out.setdefault(" ".join(phrase), []).append(keyword)
        return {phrase: tuple(sorted(keywords)) for phrase, keywords in out.items() if len(keywords) > 1}

    @staticmethod
    def _fits(words: Sequence[Token], index: int, phrase: tuple[str, ...]) -> bool:
        # The first word is that of the phrase already.
        return len(phrase) == 1 or tuple([token.key for token in words[index : index + len(phrase)]]) == phrase


# The words that the orders of all games have in common, in English and in Spanish: conditions and standing orders.
#
# The first phrase of a keyword is the canonical one, the second the Spanish one. TO covers AT as well. A game lays its
# own words beside these, or over them.


COMMON: Mapping[str, tuple[str, ...]] = {
    "ORDERS": ("ORDERS", "ORDENES"),
    "PASS": ("PASS", "PASAR"),
    "DEPLOY": ("DEPLOY", "DESPLEGAR"),
    "WITH": ("WITH", "CON"),
    "TO": ("TO", "A", "AT", "EN"),
    "NONE": ("NONE", "NINGUNA", "NADA"),
    "ALL": ("ALL", "Todos", "Todo", "Toda"),
    "STANDING": ("STANDING", "DOCTRINA"),
    "ENDSTANDING": ("ENDSTANDING", "FINDOCTRINA"),
    "FOR": ("FOR", "PARA"),
    "SPACE": ("SPACE", "ESPACIO"),
    "LEADER": ("LEADER", "LIDER"),
    "UNIT": ("UNIT", "UNIDAD"),
    "WHEN": ("WHEN", "CUANDO"),
    "IF": ("IF", "SI"),
    "THEN": ("THEN", "ENTONCES"),
    "ELSE": ("ELSE", "SINO"),
    "ENDIF": ("ENDIF", "FINSI"),
    "STOP IF": ("STOP IF", "PARAR SI", "ALTO SI"),
    "NOT": ("NOT", "NO"),
    "AND": ("AND", "Y"),
    "OR": ("OR", "O"),
    "ODDS": ("ODDS", "PROPORCION"),
    "AT LEAST": ("AT LEAST", "AL MENOS"),
    "AT MOST": ("AT MOST", "COMO MUCHO"),
    "LESS THAN": ("LESS THAN", "MENOS DE"),
    "MORE THAN": ("MORE THAN", "MAS DE"),
    "ASK": ("ASK", "CONSULTAR"),
    "WITHIN": ("WITHIN", "EN"),
    "LIMIT": ("LIMIT", "LIMITE"),
    "STRONGEST": ("STRONGEST", "MASFUERTE"),
    "WEAKEST": ("WEAKEST", "MASDEBIL"),
    "FRESHEST": ("FRESHEST", "MASFRESCA"),
    "MINE": ("MINE", "MIO", "MIA"),
    "ENEMY": ("ENEMY", "ENEMIGO", "ENEMIGA"),
    "EMPTY": ("EMPTY", "VACIO", "VACIA"),
    "FROM": ("FROM", "DESDE"),
    "MY": ("MY", "MI", "MIS"),
    "UNITS": ("UNITS", "UNIDADES"),
    "TURN": ("TURN", "TURNO"),
    "VP": ("VP", "PV"),
    "HERE": ("HERE", "AQUI"),
    "YES": ("YES", "SI"),
    "NO": ("NO",),
    "ORDER OF MARCH": ("ORDER OF MARCH", "ORDEN DE MARCHA"),
    "WAIT FOR": ("WAIT FOR", "ESPERAR A"),
    "SHOW SIDE": ("SHOW SIDE", "MOSTRAR AL BANDO"),
    "JOINT WITH": ("JOINT WITH", "CONJUNTO CON"),
    "ASSIGN": ("ASSIGN", "ASIGNAR"),
    "RELIEVE": ("RELIEVE", "RELEVAR"),
    "COVER": ("COVER", "CUBRIR"),
    "END": ("END", "FIN"),
}
