"""A server's own languages: folders with words, sentences, names, rules.

All files are checked when they are read.

::

    locale/eo/language.toml       name = "Esperanto", locale = "eo"; [words] MOVE = "MOVU", END = ["FINO", "FIN."]
    locale/eo/house.po            sentences of the server, by the English ones
    locale/eo/GAME.po       those of a game
    locale/eo/GAME.names.toml, GAME.rules.txt, GAME.briefs.toml

Missing texts are in English. A folder ``en`` or ``es`` replaces shipped sentences, and has no words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.messages.pofile import PoFileError
from jinja2 import Environment, TemplateSyntaxError, nodes

from pbem.data import data
from pbem.engine.data.languages import SHIPPED_LANGUAGES, DisplayNames, Language, language_of
from pbem.engine.orders.lex import fold
from pbem.installed import folder_of, packaged_games, shipped_games
from pbem.letters.catalogue import gap_names, parse_po

# Templates of a server's own: read from a folder, held to what a letter needs, refused with file, line and reason.
#
# They stand in for the shipped ones of the same name. None can reach anything but the letter: they run in a sandbox,
# and what a letter says is escaped in a page whatever they do.


_FORBIDDEN = (nodes.EvalContextModifier, nodes.Extends, nodes.Import, nodes.FromImport)


class UnusableFile(ValueError):
    """Raised for a file that cannot be used: file, line and reason."""


def read_own_templates(folder: Path | None, first: Path | None = None) -> Mapping[str, str]:
    """Return the templates in ``FOLDER/templates`` by name.

    Templates in the folder `first` replace them. Without a folder the result is empty. Raises Unfit with the
    reason.
    """
    place = folder / "templates" if folder else None
    templates = dict(_templates_in(place)) if place is not None and place.is_dir() else {}
    if first is not None and not first.is_dir():
        raise UnusableFile(f"{first}: there is no such folder")
    return {**templates, **dict(_templates_in(first))} if first is not None else templates


def _templates_in(place: Path) -> Iterator[tuple[str, str]]:
    shipped = sorted(path.name for path in data("templates").iterdir())
    for path in sorted(place.iterdir()):
        if path.name not in shipped:
            raise UnusableFile(f"{path}: there is no such template; there are {', '.join(shipped)}")
        yield path.name, _read(path)


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
        tree = Environment(line_statement_prefix="%%", autoescape=True).parse(text)
    # Here and below: the operator gets file, line and reason of whatever the readers of each format raise.
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableFile(f"{path}: it cannot be read: {error}") from None
    except TemplateSyntaxError as error:
        raise UnusableFile(f"{path}:{error.lineno}: {error.message}") from None
    for node in tree.find_all(nodes.Filter):
        if node.name in ("safe", "attr"):
            raise UnusableFile(
                f"{path}:{node.lineno}: {node.name} is not allowed: what a letter says is always escaped"
            )
    for kind in _FORBIDDEN:
        for other in tree.find_all(kind):
            raise UnusableFile(f"{path}:{other.lineno}: a template may include others and no more")
    return text


# A language tag (RFC 5646) of a language and at most one subtag.
_CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})?")
_KEPT = ("LUCK", "PRESS", "ENDPRESS")
"""English words that are not translated: they mark prose of players."""
_FIRST = "language.toml"
_HOUSE = "house"


def read_languages(folder: Path | None) -> tuple[Language, ...]:
    """Return the languages in a folder, by their codes; empty without a folder.

    Raises Unfit with the reason, OSError if the folder is named and cannot be read.
    """
    if folder is None:
        return ()
    if not folder.is_dir():
        raise UnusableFile(f"{folder}: there is no such folder")
    return tuple(_language(place) for place in sorted(folder.iterdir()) if not place.name.startswith("."))


def translated_percentage(language: Language, name: str = _HOUSE) -> int:
    """Return the percentage of a language's sentences of the server, or a game."""
    if language.code in SHIPPED_LANGUAGES:
        return 100
    every = _english_sentences(name)
    return 100 * len(_own_sentences(language, name) & every) // max(1, len(every))


def unused_lines(language: Language) -> Mapping[str, tuple[str, ...]]:
    """Return by file the sentences that nothing says, and rules that nobody has."""
    games, result = sorted(_game_names()), dict[str, tuple[str, ...]]()
    shared = frozenset().union(*map(_english_sentences, games))
    for name in (_HOUSE, *games):
        known = _english_sentences(name) if name == _HOUSE else shared | _english_sentences(_HOUSE)
        result[f"{name}.po"] = tuple(sorted(_own_sentences(language, name) - known))
    for name in games:
        path = _game_folders()[name] / "rules.txt"
        shipped = _rule_numbers(path.read_text("utf-8")) if path.is_file() else frozenset[str]()
        own = _rule_numbers(language.files.get(f"{name}.rules.txt", ""))
        result[f"{name}.rules.txt"] = tuple(sorted(own - shipped))
    return {file: unused for file, unused in result.items() if unused}


def _own_sentences(language: Language, name: str) -> frozenset[str]:
    """Return the English of what a language has of the server or a game."""
    return frozenset(parse_po(language.files.get(f"{name}.po", "").encode("utf-8"), language.locale))


def _english_sentences(name: str) -> frozenset[str]:
    """Return all sentences of the server or a game, as its Spanish has them."""
    path = (Path(__file__).parent if name == _HOUSE else _game_folders()[name]) / "locale" / "es.po"
    return frozenset(parse_po(path.read_bytes(), language_of("es").locale)) if path.is_file() else frozenset()


def _rule_numbers(text: str) -> frozenset[str]:
    """Return the numbers of the rules in a text, one a line."""
    return frozenset(line.split()[0] for line in text.splitlines() if line.strip())


def _language(place: Path) -> Language:
    if not place.is_dir() or _CODE.fullmatch(place.name) is None:
        raise UnusableFile(f"{place}: a folder of a language is wanted here, called by its code, such as fr or pt-br")
    files = {path.name: _text(path) for path in sorted(place.iterdir()) if not path.name.startswith(".")}
    house = place.name in SHIPPED_LANGUAGES
    settings = _toml(place / _FIRST, files.pop(_FIRST, "")) if house or _FIRST in files else None
    if settings is None:
        raise UnusableFile(f"{place / _FIRST}: it is missing: it says what the language calls itself, name = ...")
    if house and settings:
        raise UnusableFile(f"{place / _FIRST}: name and words of {place.name} are those of the program")
    name, locale = str(settings.pop("name", "")).strip(), str(settings.pop("locale", place.name))
    if not (name or house):
        raise UnusableFile(f"{place / _FIRST}: name = ... is missing: what the language calls itself")
    try:
        Locale.parse(locale, sep="-" if "-" in locale else "_")
    except (UnknownLocaleError, ValueError) as error:
        raise UnusableFile(f"{place / _FIRST}: locale: {error}") from None
    words = dict(_words(place / _FIRST, settings.pop("words", {})))
    if settings:
        raise UnusableFile(f"{place / _FIRST}: there are name, locale and words, and no {', '.join(settings)}")
    locale = language_of(place.name).locale if house else locale.replace("-", "_")
    for file, text in files.items():
        _check(place / file, text, locale)
    return Language(place.name, name, locale, words, files)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableFile(f"{path}: it cannot be read: {error}") from None


def _toml(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnusableFile(f"{path}: {error}") from None


def _words(path: Path, table: object) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not isinstance(table, Mapping):
        raise UnusableFile(f"{path}: words is a table")
    for english, phrases in table.items():
        every = tuple([phrases] if isinstance(phrases, str) else phrases if isinstance(phrases, list) else [])
        if english in _KEPT:
            raise UnusableFile(f"{path}: words: {english} stays as it is")
        if not every or not all(isinstance(phrase, str) and fold(phrase).split() for phrase in every):
            raise UnusableFile(f"{path}: words: {english} is a word, or a list of words of which the first is written")
        yield english, every


def _check(path: Path, text: str, locale: str) -> None:
    """Raise Unfit if a file is not allowed in a language, or cannot be used."""
    for ending, check in _FILES.items():
        name = path.name.removesuffix(ending)
        if name != path.name:
            if name not in _game_names() and (name, ending) != (_HOUSE, ".po"):
                allowed = ", ".join((*((_HOUSE,) if ending == ".po" else ()), *sorted(_game_names())))
                raise UnusableFile(f"{path}: {name} is none of {allowed}")
            check(path, text, locale)
            return
    raise UnusableFile(f"{path}: there are {_FIRST} and NAME followed by {', '.join(_FILES)}")


def _game_names() -> set[str]:
    """Return the names that files of games may have: the folders of games."""
    return {*_game_folders()}


def _game_folders() -> Mapping[str, Path]:
    """Return the folders of games by their names."""
    folders = map(folder_of, (*packaged_games(), *shipped_games()))
    return {folder.name: folder for folder in folders if folder}


def _sentences(path: Path, text: str, locale: str) -> None:
    try:
        translations = parse_po(text.encode("utf-8"), locale)
    except (PoFileError, ValueError) as error:
        raise UnusableFile(f"{path}:{getattr(error, 'lineno', 0)}: {error}") from None
    for english, translation in translations.items():
        try:
            same = gap_names(english) == gap_names(translation)
        except ValueError as error:
            raise UnusableFile(f"{path}:{_line(text, translation)}: {error}") from None
        if not same:
            wanted = ", ".join(f"{{{gap}}}" for gap in sorted(gap_names(english))) or "none"
            raise UnusableFile(
                f"{path}:{_line(text, translation)}: the gaps are to be those of the English sentence: {wanted}"
            )


def _line(text: str, translation: str) -> int:
    # A file may break a long sentence into several lines: its first forty characters are likely on one.
    beginning = translation.split("\n")[0][:40]
    return next((number for number, line in enumerate(text.splitlines(), 1) if beginning and beginning in line), 0)


def _names(path: Path, text: str, locale: str) -> None:
    tables = _toml(path, text)
    if unknown := tables.keys() - set(DisplayNames._fields):
        raise UnusableFile(f"{path}: there are {', '.join(DisplayNames._fields)}, and no {', '.join(sorted(unknown))}")


def _rules(path: Path, text: str, locale: str) -> None:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and len(line.split()) < 2:
            raise UnusableFile(f"{path}:{number}: a line is the number of a rule and what it says")


def _briefs(path: Path, text: str, locale: str) -> None:
    for scenario, brief in _toml(path, text).items():
        if not isinstance(brief, Mapping) or not all(isinstance(sentence, str) for sentence in brief.values()):
            raise UnusableFile(f"{path}: {scenario} is to be a table of sentences")


_FILES: Mapping[str, Callable[[Path, str, str], None]] = {
    ".po": _sentences,
    ".names.toml": _names,
    ".rules.txt": _rules,
    ".briefs.toml": _briefs,
}
