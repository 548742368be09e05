"""The languages of letters, and the names of things in each.

Sentences, orders and commands have English keys. Spanish words are next to the English ones in the code,
since both have to be read in every letter of every game; any other language is data: a folder has the
translation of each English word, and sentences, names and rules in files (`pbem.letters.own_languages`
reads it). Missing words are English, whose words are read in every language::

    set_languages([Language("eo", "Esperanto", "eo", {"MOVE": ("MOVU",), "END": ("FINO",)}, files)])
    pick_phrase("eo", "ORDERS T3", "ORDENES T3")     ORDERS T3
    translate_phrase("eo", "MOVE")                   MOVU

Caches that depend on the languages follow them: they are cleared whenever the languages change.
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

SHIPPED_LANGUAGES = ("en", "es")
"""The languages of the program: all that it says has words in both."""


class Language(NamedTuple):
    """A language: code, own name, number format, translations of English words.

    `words` are in capitals, each with the phrase that is written first, then others that are read. `files` are
    texts of its folder by their names, such as ``house.po`` and ``GAME.rules.txt``.
    """

    code: str
    name: str
    locale: str
    words: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    files: Mapping[str, str] = MappingProxyType({})


_BUILT_IN = (Language("en", "English", "en_GB"), Language("es", "Español", "es_ES"))
_LANGUAGES: dict[str, Language] = {language.code: language for language in _BUILT_IN}
_FOLLOWERS: list[Callable[[], Callable[[], Any] | None]] = []


def supported_languages() -> tuple[str, ...]:
    """Return the codes of the languages of letters, the shipped ones first."""
    return tuple(_LANGUAGES)


def language_of(code: str) -> Language:
    """Return a language; raise ValueError if it is not available."""
    if code not in _LANGUAGES:
        raise ValueError(f"letters are written in {' or '.join(supported_languages())}, not in {code!r}")
    return _LANGUAGES[code]


def available_language(code: str) -> str:
    """Return a language code, or English if the language is not available now."""
    return code if code in _LANGUAGES else "en"


def set_languages(languages: Iterable[Language]) -> None:
    """Replace all additional languages by these.

    A language with the code of a shipped one replaces sentences of that.
    """
    by_code = {language.code: language for language in languages}
    built_in = {
        language.code: by_code.pop(language.code, language)._replace(name=language.name, locale=language.locale)
        for language in _BUILT_IN
    }
    if {**built_in, **by_code} == _LANGUAGES:
        return
    _LANGUAGES.clear()
    _LANGUAGES.update(built_in | by_code)
    for follower in list(_FOLLOWERS):
        callback = follower()
        if callback is None:
            _FOLLOWERS.remove(follower)
        else:
            callback()


@contextmanager
def with_languages(languages: Iterable[Language]) -> Iterator[None]:
    """Add languages within a context."""
    former = [*_LANGUAGES.values()]
    set_languages(languages)
    try:
        yield
    finally:
        set_languages(former)


def on_language_change(anew: Callable[[], object]) -> None:
    """Register a function to be called whenever the languages change.

    A method is called as long as its object exists.
    """
    method = getattr(anew, "__self__", None) is not None and hasattr(anew, "__func__")
    _FOLLOWERS.append(WeakMethod(anew) if method else ref(anew) if hasattr(anew, "__code__") else lambda: anew)


def phrases_for(english: str) -> tuple[str, ...]:
    """Return all phrases of additional languages for an English word or phrase."""
    return tuple(phrase for language in _LANGUAGES.values() for phrase in language.words.get(english, ()))


def translate_phrase(language: str, english: str) -> str:
    """Return an English phrase in an additional language, unchanged if untranslated."""
    words = _LANGUAGES[language].words.get(english, ()) if language in _LANGUAGES else ()
    return words[0] if words else english


def pick_phrase(language: str, english: str, spanish: str) -> str:
    """Return a line in a language: English or Spanish as given, others translated.

    English words of the line are replaced by those of the language.
    """
    if language == "es":
        return spanish
    return english if language == "en" or language not in _LANGUAGES else _writer(language)(english)


def in_each_language(say: Callable[[str], Arg]) -> Msg:
    """Return a message that has its own text in each language, for a gap."""
    return msg("{en}", **{language: say(language) for language in supported_languages()})


def language_file_text(language: str, file: str) -> str | None:
    """Return the text of a file in a language's folder, or None."""
    return _LANGUAGES[language].files.get(file) if language in _LANGUAGES else None


@cache
def _writer(language: str) -> Callable[[str], str]:
    words = {english: own_words[0] for english, own_words in _LANGUAGES[language].words.items() if own_words}
    if not words:
        return str
    # The longest first: an alternative takes the first that fits, and a phrase may begin with another one.
    phrases = "|".join(re.escape(phrase) for phrase in sorted(words, key=lambda phrase: (-len(phrase), phrase)))
    pattern = re.compile(rf"(?<![\w/])(?:{phrases})(?![\w/])")
    return lambda line: pattern.sub(lambda word: words[word[0]], line)


@cache
def first_word_to_english(wanted: Sequence[str], fold: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that translates the first word of a folded line to English.

    `wanted` are the possible words; punctuation before it stays.
    """
    table = {fold(phrase): fold(english) for english in wanted for phrase in phrases_for(english)}
    if not table:
        return str
    alternatives = "|".join(re.escape(phrase) for phrase in sorted(table, key=lambda phrase: (-len(phrase), phrase)))
    # Up to three marks before the word, as `orders.block` takes them for those of mail programs.
    pattern = re.compile(rf"(\W{{0,3}})({alternatives})(?!\w)")
    return lambda line: (
        pattern.sub(lambda word: word[1] + table[word[2]], line, count=1) if pattern.match(line) else line
    )


@cache
def words_to_english(wanted: Sequence[str], fold: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that translates words anywhere in a folded line to English."""
    table = {fold(phrase): fold(english) for english in wanted for phrase in phrases_for(english)}
    if not table:
        return str
    alternatives = "|".join(re.escape(phrase) for phrase in sorted(table, key=lambda phrase: (-len(phrase), phrase)))
    pattern = re.compile(rf"(?<!\S)(?:{alternatives})(?!\S)")
    return lambda line: pattern.sub(lambda word: table[word[0]], line)


on_language_change(_writer.cache_clear)
on_language_change(words_to_english.cache_clear)
on_language_change(first_word_to_english.cache_clear)


# Names of seats, phases, units and places in each language, where they differ from those in orders.
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


class DisplayNames(NamedTuple):
    """Display names in a language, by id.

    `names` are those of seats, units and places; `phases` those of phases; `codes` those of codes in charts. `also`
    are other spellings that players may write.
    """

    names: Mapping[str, str]
    phases: Mapping[str, str]
    codes: Mapping[str, str] = MappingProxyType({})
    also: Mapping[str, Sequence[str]] = MappingProxyType({})

    def with_names(self, line: str) -> str:
        """Return a line with ids replaced by names; parts of longer words stay."""
        if not self.names:
            return line
        return _WORD.sub(lambda word: self.names.get(word[0], word[0]), line)

    def read_alike(self, fold: Callable[[str], str]) -> DisplayNames:
        """Return only the names that differ from their ids by accents or case."""
        return DisplayNames({ident: name for ident, name in self.names.items() if fold(ident) == fold(name)}, {})


# A name may hold a slash, as 2/87 does; one at its end separates it from the next name.
_WORD = re.compile(r"[\w/]*\w")
NO_DISPLAY_NAMES = DisplayNames({}, {})


def read_display_names(path: Path) -> Mapping[str, DisplayNames]:
    """Return a file's names by language; empty if there is no such file.

    Additional languages have files of their own, ``GAME.names.toml``, without the language's code before its
    tables. The returned mapping is updated whenever the languages change.
    """
    names = _FILES.get(path)
    if names is None:
        names = _FILES[path] = _read(path)
    return names


_FILES: dict[Path, dict[str, DisplayNames]] = {}


def _reread() -> None:
    for path, names in _FILES.items():
        names.clear()
        names.update(_read(path))


def _read(path: Path) -> dict[str, DisplayNames]:
    data = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    for language in supported_languages():
        text = language_file_text(language, f"{path.parents[1].name}.names.toml")
        for part, names in tomllib.loads(text).items() if text else ():
            data.setdefault(language, {}).setdefault(part, {}).update(names)
    others = [read_display_names(_file_of_game(path, game)) for game in data.pop("beside", ())]
    by_language = {language: DisplayNames(**{"names": {}, "phases": {}} | part) for language, part in data.items()}
    for language, called in by_language.items():
        for base in (other[language] for other in others if language in other):
            called = DisplayNames(
                {**base.names, **called.names},
                {**base.phases, **called.phases},
                {**base.codes, **called.codes},
                {**base.also, **called.also},
            )
        by_language[language] = called
    return by_language


on_language_change(_reread)


def games_sharing_names(path: Path) -> tuple[str, ...]:
    """Return the games whose names are also used for a file."""
    return tuple(tomllib.loads(path.read_text("utf-8")).get("beside", ())) if path.is_file() else ()


def _file_of_game(path: Path, game: str) -> Path:
    """Return the file of another game: the same name, in the folder next to this one."""
    return path.parents[2] / game / path.parent.name / path.name
