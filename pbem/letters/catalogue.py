"""The wording of letters in the reader's language.

English is the key itself; every other language is one ``.po`` file of the server and one of each game, read
at start and kept in memory. Example of an entry::

    msgid "Your orders for {phase} are queued."
    msgstr "Sus órdenes para {phase} están en cola."

Ids in gaps are replaced by the names in the game's ``names.toml``: ``morocco`` is Morocco, ``T4.spain``
turn 4, Spanish phase.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import (
    NO_DISPLAY_NAMES,
    DisplayNames,
    games_sharing_names,
    language_file_text,
    language_of,
    on_language_change,
    read_display_names,
)
from pbem.engine.data.messages import Arg, Msg, PluralText, count_of, msg
from pbem.installed import folder_of, shipped_games

_PACKAGE = Path(__file__).resolve().parent.parent
_EACH = "{en}"
"""A gap in a sentence that is repeated for each language, and said in the reader's."""
_CODE = re.compile(r"code|cell|c\d+")
"""Gaps in which codes of charts stand."""
_SEVERAL = (tuple, list)
"""Kept as a constant, because making a union each time is slower than the check."""
_DECIMAL = re.compile(r"\d,\d")
"""A decimal comma: commas between the items of a list would be confused with it."""
# The name of a phase: turn, phase, and the number of the attempt after a ruling has reopened it.
_PHASE = re.compile(r"T(?P<turn>\d+)\.(?P<name>[a-z0-9]+)(?:~(?P<attempt>\d+))?")


class Catalogue:
    """One language's words: `say` renders a `Msg`."""

    def __init__(self, language: str, words: Mapping[str, str], called: DisplayNames = NO_DISPLAY_NAMES) -> None:
        self.language = language
        self._locale = language_of(language).locale
        self._words = words
        self.called = called

    def word(self, text: str) -> str:
        """Return the translation of an English sentence, gaps open; else the English."""
        return self._words.get(text, text)

    def say(self, message: Msg | Json) -> str:
        """Return the sentence, which may be one as stored, with its gaps filled.

        Raise TypeError for a wrong value.
        """
        text = message["text"] if type(message) is dict else message.text
        sentence = self._fill_message(message)
        return capitalize_first(sentence) if text.startswith(("{phase}", "{seat}")) else sentence

    def phase(self, ident: str) -> str:
        """Return the name of a phase by its id (``T4.spain`` or ``spain``), else the id."""
        match = _PHASE.fullmatch(ident)
        if match is None or match["name"] not in self.called.phases:
            return self.called.phases.get(ident, ident)
        gaps = {"turn": int(match["turn"]), "phase": self.called.phases[match["name"]]}
        attempt = int(match["attempt"] or 1)
        if attempt > 1:
            return self._fill_message(msg("turn {turn}, {phase}, attempt {number}", **gaps, number=attempt))
        return self._fill_message(msg("turn {turn}, {phase}", **gaps))

    def number(self, value: int) -> str:
        """Return a whole number with the language's digit groups."""
        # Nothing is grouped below a thousand, and most numbers are.
        return str(value) if 0 <= value < 1000 else str(format_decimal(value, locale=self._locale))

    def _fill_message(self, message: Msg | Json) -> str:
        if type(message) is dict:
            text, args = message["text"], message["args"]
        else:
            text, args = message.text, dict(message.args)
        if text == _EACH:
            return self.fill(args.get(self.language, args["en"]))
        sentence = self._words.get(text, text)
        if not args and "{" not in sentence:
            return sentence
        gaps = {name: self._gap(name, value) for name, value in args.items()}
        # Only a sentence that says after a colon how a gap is shown needs the numbers of gaps.
        if ":" in sentence:
            gaps = {name: PluralText(gap, count_of(args[name])) for name, gap in gaps.items()}
        return sentence.format(**gaps)

    def _gap(self, name: str, value: Arg) -> str:
        if not isinstance(value, str):
            return self.fill(value)
        if name == "phase":
            return self.phase(value)
        return (self.called.codes if _is_code(name) else self.called.names).get(value, value)

    def fill(self, value: Arg | Json) -> str:
        """Return the text of a gap or cell, also as stored; raise TypeError if wrong."""
        if isinstance(value, str):
            return self.called.names.get(value, value)
        if isinstance(value, dict) and "msg" in value:
            return self._fill_message(value["msg"])
        if isinstance(value, Msg):
            return self._fill_message(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self.number(value)
        if isinstance(value, _SEVERAL):
            return self._join_values(value)
        raise TypeError(f"a gap takes text, a number, a message or several of them, got {value!r}")

    def _join_values(self, values: Sequence[Arg]) -> str:
        texts = [self.fill(value) for value in values]
        return ("; " if any(map(_DECIMAL.search, texts)) else ", ").join(texts)


@cache
def _is_code(gap: str) -> bool:
    """Return whether codes of charts stand in a gap of this name."""
    return _CODE.fullmatch(gap) is not None


def capitalize_first(sentence: str) -> str:
    """Return a sentence with a capital first letter."""
    return sentence[:1].upper() + sentence[1:]


def read_po_file(path: Path, language: str) -> dict[str, str]:
    """Return the sentences of a ``.po`` file by their English.

    Empty and fuzzy entries are left out. Raise FileNotFoundError if it is missing, ValueError if it is no
    catalogue.
    """
    return parse_po(path.read_bytes(), language_of(language).locale)


def parse_po(data: bytes, locale: str) -> dict[str, str]:
    """Return the sentences of a ``.po`` file's bytes by their English."""
    catalogue = read_po(BytesIO(data), locale=locale, abort_invalid=True)
    return {
        entry.id: entry.string
        for entry in catalogue
        if isinstance(entry.id, str) and isinstance(entry.string, str) and entry.id and entry.string and not entry.fuzzy
    }


@cache
def load_catalogue(language: str, game: str = "", kind: type[Catalogue] = Catalogue) -> Catalogue:
    """Return the server's words, overlaid by those of a game, in `language`.

    Raise ValueError for an unavailable language. A game without a catalogue is read in English; a game that uses
    the names of other games has their words too. A letter about no game may name any game: then the words of all
    shipped games are added. The server's own texts replace shipped ones. `kind` is the class of the catalogue.

    Queued letters may hold sentences of earlier versions: ``former/en.po`` next to a catalogue maps replaced
    sentences to new ones, ``former/es.po`` has the Spanish of removed ones.
    """
    locale = language_of(language).locale
    folder = folder_of(game) if game else None
    file = folder / "locale" / "names.toml" if folder else None
    words: dict[str, str] = {}
    renamed: dict[str, str] = {}
    above = (*map(folder_of, games_sharing_names(file) if file else ()), folder)
    below = () if game else tuple(map(folder_of, reversed(shipped_games())))
    for base in (*below, _PACKAGE / "letters", *above):
        for place in (base / "locale", base / "locale" / "former") if base else ():
            if (place / f"{language}.po").is_file():
                words |= read_po_file(place / f"{language}.po", language)
        if base and (base / "locale" / "former" / "en.po").is_file():
            renamed |= read_po_file(base / "locale" / "former" / "en.po", "en")
    others = tuple(game_folder.name for game_folder in below if game_folder)
    for name in (*others, "house", *(games_sharing_names(file) if file else ()), *((folder.name,) if folder else ())):
        if text := language_file_text(language, f"{name}.po"):
            words |= parse_po(text.encode("utf-8"), locale)
    for former, sentence in renamed.items():
        words[former] = words.setdefault(sentence, words.get(former, sentence))
    names = read_display_names(file) if file else {}
    return kind(language, words, names.get(language, NO_DISPLAY_NAMES))


on_language_change(load_catalogue.cache_clear)


def gap_names(text: str) -> frozenset[str]:
    """Return the names of a sentence's gaps; a translation must have the same."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)
