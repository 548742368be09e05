"""The wording of letters in the reader's language.

English is the key itself; every other language is one ``.po`` file of the house and one of each game, read at start
and kept in memory. Example of an entry::

    msgid "Your orders for {phase} are queued."
    msgstr "Sus órdenes para {phase} están en cola."
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from pbem.core.data.messages import Arg, Msg

__all__ = ["LANGUAGES", "Catalogue", "gaps", "load", "read"]

LANGUAGES = ("en", "es")
"""The languages a letter may be written in."""

_PACKAGE = Path(__file__).resolve().parent.parent
_LOCALES = {"en": "en_GB", "es": "es_ES"}


class Catalogue:
    """One language's words: `say` renders a `Msg`."""

    def __init__(self, language: str, words: Mapping[str, str]) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"letters are written in {' or '.join(LANGUAGES)}, not in {language!r}")
        self.language = language
        self._locale = _LOCALES[language]
        self._words = words

    def word(self, text: str) -> str:
        """Return the sentence for an English one, gaps still open; the English itself if there is none."""
        return self._words.get(text, text)

    def say(self, message: Msg) -> str:
        """Return the sentence with its gaps filled; TypeError for what no sentence can hold."""
        return self.word(message.text).format(**{name: self._fill(value) for name, value in message.args})

    def number(self, value: int) -> str:
        """Return a whole number as the language groups it."""
        # Nothing is grouped below a thousand, and most numbers are.
        return str(value) if 0 <= value < 1000 else str(format_decimal(value, locale=self._locale))

    def _fill(self, value: Arg) -> str:
        if isinstance(value, Msg):
            return self.say(value)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return self.number(value)
        if isinstance(value, tuple | list):
            return self._listed(value)
        raise TypeError(f"a gap takes text, a number, a message or several of them, got {value!r}")

    def _listed(self, values: Sequence[Arg]) -> str:
        return ", ".join(self._fill(value) for value in values)


def read(path: Path, language: str) -> dict[str, str]:
    """Return the sentences of a ``.po`` file by their English; entries empty or marked fuzzy are left out.

    FileNotFoundError if it is not there, ValueError if it is no catalogue.
    """
    found = read_po(BytesIO(path.read_bytes()), locale=_LOCALES[language], abort_invalid=True)
    return {
        entry.id: entry.string
        for entry in found
        if isinstance(entry.id, str) and isinstance(entry.string, str) and entry.id and entry.string and not entry.fuzzy
    }


@cache
def load(language: str, game: str = "", kind: type[Catalogue] = Catalogue) -> Catalogue:
    """Return the house's words, and above them those of a game, in `language`; ValueError if it is not spoken here.

    A game without a catalogue is read in English. `kind` is how the words are put together.
    """
    if language not in LANGUAGES:
        raise ValueError(f"letters are written in {' or '.join(LANGUAGES)}, not in {language!r}")
    words: dict[str, str] = {}
    if language != "en":
        words |= read(_PACKAGE / "reports" / "locale" / f"{language}.po", language)
        own = _PACKAGE / "games" / game / "locale" / f"{language}.po"
        if game and own.is_file():
            words |= read(own, language)
    return kind(language, words)


def gaps(text: str) -> frozenset[str]:
    """Return the names of a sentence's gaps; a translation must have the same."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)
