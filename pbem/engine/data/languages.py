"""The languages of letters, English, Spanish and those laid beside them, and what things are called in each.

English is what sentences, orders and commands are known by. Spanish words stand beside the English ones in the code,
since both have to be read in every letter of every game; any other language is data: a folder says what it calls each
English word, and has its sentences, names and rules in files (`pbem.letters.own_languages` reads it). What it does not
say is said in English, whose words are read in every language::

    lay([Language("eo", "Esperanto", "eo", {"MOVE": ("MOVU",), "END": ("FINO",)}, files)])
    chosen("eo", "ORDERS T3", "ORDENES T3")     ORDERS T3
    in_words("eo", "MOVE")                      MOVU

What keeps something that hangs on the languages follows them: it is made anew whenever others are laid.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from weakref import WeakMethod, ref

from pbem.engine.data.messages import Arg, Msg, msg

SHIPPED = ("en", "es")
"""The languages of the house: all that it says has words in both."""


class Language(NamedTuple):
    """A language: its code, what it calls itself, whose way of writing numbers it has, what it calls English words.

    `words` are in capitals, of each the phrase that is written first, then others that are read. `files` are texts of
    its folder by their names, such as ``house.po`` and ``GAME.rules.txt``.
    """

    code: str
    name: str
    locale: str
    words: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    files: Mapping[str, str] = MappingProxyType({})


_HOUSE = (Language("en", "English", "en_GB"), Language("es", "Español", "es_ES"))
_LAID: dict[str, Language] = {one.code: one for one in _HOUSE}
_FOLLOWERS: list[Callable[[], Callable[[], Any] | None]] = []


def known() -> tuple[str, ...]:
    """The codes of the languages that letters can be written in, those of the house first."""
    return tuple(_LAID)


def language_of(code: str) -> Language:
    """Return a language; ValueError if it is not spoken here."""
    if code not in _LAID:
        raise ValueError(f"letters are written in {' or '.join(known())}, not in {code!r}")
    return _LAID[code]


def at_hand(code: str) -> str:
    """Return a language, or English in the place of one whose folder went."""
    return code if code in _LAID else "en"


def lay(languages: Iterable[Language]) -> None:
    """From now on these are spoken beside those of the house; of one of the house they have other sentences."""
    found = {one.code: one for one in languages}
    house = {one.code: found.pop(one.code, one)._replace(name=one.name, locale=one.locale) for one in _HOUSE}
    if {**house, **found} == _LAID:
        return
    _LAID.clear()
    _LAID.update(house | found)
    for follower in list(_FOLLOWERS):
        made = follower()
        if made is None:
            _FOLLOWERS.remove(follower)
        else:
            made()


@contextmanager
def laid(languages: Iterable[Language]) -> Iterator[None]:
    """Speak these as well for a while."""
    before = [*_LAID.values()]
    lay(languages)
    try:
        yield
    finally:
        lay(before)


def follow(anew: Callable[[], object]) -> None:
    """Call a function whenever other languages are laid, as long as the object is there that it is of."""
    method = getattr(anew, "__self__", None) is not None and hasattr(anew, "__func__")
    _FOLLOWERS.append(WeakMethod(anew) if method else ref(anew) if hasattr(anew, "__code__") else lambda: anew)


def phrases(english: str) -> tuple[str, ...]:
    """Return all that languages laid beside those of the house say for an English word or phrase."""
    return tuple(phrase for one in _LAID.values() for phrase in one.words.get(english, ()))


def in_words(language: str, english: str) -> str:
    """Return an English word or phrase as a language laid beside writes it; as it is if that says nothing else."""
    said = _LAID[language].words.get(english, ()) if language in _LAID else ()
    return said[0] if said else english


def chosen(language: str, english: str, spanish: str) -> str:
    """Return a line as a language has it: one of the house as given, another by its words for English ones."""
    if language == "es":
        return spanish
    return english if language == "en" or language not in _LAID else _writer(language)(english)


def in_each(say: Callable[[str], Arg]) -> Msg:
    """Return what is said otherwise in each language, for the gap of a sentence; its reader gets his own."""
    return msg("{en}", **{language: say(language) for language in known()})


def lines_of(language: str, file: str) -> str | None:
    """Return the text of a file of a language's folder; None if it has none of that name."""
    return _LAID[language].files.get(file) if language in _LAID else None


@cache
def _writer(language: str) -> Callable[[str], str]:
    words = {english: said[0] for english, said in _LAID[language].words.items() if said}
    if not words:
        return str
    phrases = "|".join(re.escape(one) for one in sorted(words, key=lambda one: (-len(one), one)))
    found = re.compile(rf"(?<![\w/])(?:{phrases})(?![\w/])")
    return lambda line: found.sub(lambda word: words[word[0]], line)


@cache
def heard(wanted: Sequence[str], fold: Callable[[str], str]) -> Callable[[str], str]:
    """Return what puts the English word in the place of another language's where a folded line begins with it.

    `wanted` are the words that may be; marks before it stay.
    """
    table = {fold(phrase): fold(english) for english in wanted for phrase in phrases(english)}
    if not table:
        return str
    said = "|".join(re.escape(one) for one in sorted(table, key=lambda one: (-len(one), one)))
    found = re.compile(rf"(\W{{0,3}})({said})(?!\w)")
    return lambda line: found.sub(lambda word: word[1] + table[word[2]], line, count=1) if found.match(line) else line


@cache
def among(wanted: Sequence[str], fold: Callable[[str], str]) -> Callable[[str], str]:
    """Return what puts the English words in the place of other languages' wherever they stand in a folded line."""
    table = {fold(phrase): fold(english) for english in wanted for phrase in phrases(english)}
    if not table:
        return str
    said = "|".join(re.escape(one) for one in sorted(table, key=lambda one: (-len(one), one)))
    found = re.compile(rf"(?<!\S)(?:{said})(?!\S)")
    return lambda line: found.sub(lambda word: table[word[0]], line)


follow(_writer.cache_clear)
follow(among.cache_clear)
follow(heard.cache_clear)


# What things are called in each language: seats, phases, units and places, where that is not what orders call them.
#
# A game keeps it in ``locale/names.toml``, beside its sentences and outside its editions: no die hangs on it. Orders,
# log and events have the plain ids; whoever reads a letter reads ``Córdoba`` and ``Spain``::
#
#     [en.names]
#     spain = "Spain"
#     [en.phases]
#     spain = "Spanish phase"
#     [es.names]
#     Cordoba = "Córdoba"
#
# A game that is played with the counters of others says so: ``beside = ["dusk"]`` before its tables; what those
# call otherwise it calls so too, unless it says something else.


class Called(NamedTuple):
    """What is called otherwise in a language, by id: `names` of seats, units and places; `phases`; `codes` of charts.

    `also` is what players may write for a name.
    """

    names: Mapping[str, str]
    phases: Mapping[str, str]
    codes: Mapping[str, str] = MappingProxyType({})
    also: Mapping[str, Sequence[str]] = MappingProxyType({})

    def written(self, line: str) -> str:
        """Return a line with the names in it as the language writes them; what is part of a longer word stays."""
        if not self.names:
            return line
        return _WORD.sub(lambda word: self.names.get(word[0], word[0]), line)

    def read_alike(self, fold: Callable[[str], str]) -> Called:
        """Return these with the names alone that are read as their ids, letters with accents and without being one."""
        return Called({ident: name for ident, name in self.names.items() if fold(ident) == fold(name)}, {})


_WORD = re.compile(r"[\w/]*\w")
NOTHING = Called({}, {})


def read_called(path: Path) -> Mapping[str, Called]:
    """Return what a file says, by language; nothing if there is no such file.

    Languages laid beside those of the house have files of their own, ``GAME.names.toml``, without the language's code
    before its tables. What is returned says what those say that are laid now, whenever it is asked.
    """
    found = _READ.get(path)
    if found is None:
        found = _READ[path] = _read(path)
    return found


_READ: dict[Path, dict[str, Called]] = {}


def _anew() -> None:
    for path, kept in _READ.items():
        kept.clear()
        kept.update(_read(path))


def _read(path: Path) -> dict[str, Called]:
    found = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    for language in known():
        laid = lines_of(language, f"{path.parents[1].name}.names.toml")
        for part, names in tomllib.loads(laid).items() if laid else ():
            found.setdefault(language, {}).setdefault(part, {}).update(names)
    others = [read_called(_beside(path, game)) for game in found.pop("beside", ())]
    own = {language: Called(**{"names": {}, "phases": {}} | part) for language, part in found.items()}
    for language, mine in own.items():
        for one in (other[language] for other in others if language in other):
            mine = Called(
                {**one.names, **mine.names},
                {**one.phases, **mine.phases},
                {**one.codes, **mine.codes},
                {**one.also, **mine.also},
            )
        own[language] = mine
    return own


follow(_anew)


def beside(path: Path) -> tuple[str, ...]:
    """Return the games whose words hold for that of a file too."""
    return tuple(tomllib.loads(path.read_text("utf-8")).get("beside", ())) if path.is_file() else ()


def _beside(path: Path, game: str) -> Path:
    """The file of a game whose folder lies beside that of the file's game."""
    return path.parents[2] / game / path.parent.name / path.name
