"""The wording of letters in the reader's language.

English is the key itself; every other language is one ``.po`` file of the house and one of each game, read at start
and kept in memory. Example of an entry::

    msgid "Your orders for {phase} are queued."
    msgstr "Sus órdenes para {phase} están en cola."

What stands in a gap and is the id of something is called as the game's ``names.toml`` has it: ``morocco`` is Morocco,
``T4.spain`` turn 4, Spanish phase.
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

from pbem.engine.data.languages import NOTHING, Called, beside, follow, language_of, lines_of, read_called
from pbem.engine.data.messages import Arg, Counted, Msg, count_of, msg
from pbem.installed import folder_of, housed

_PACKAGE = Path(__file__).resolve().parent.parent
_EACH = "{en}"
"""What has a gap for each language, and is said in the reader's."""
_CODE = re.compile(r"code|cell|c\d+")
"""Gaps in which codes of charts stand."""
_DECIMAL = re.compile(r"\d,\d")
"""A comma within a number: commas between numbers would be taken for it."""
_PHASE = re.compile(r"T(?P<turn>\d+)\.(?P<name>[a-z0-9]+)(?:~(?P<attempt>\d+))?")


class Catalogue:
    """One language's words: `say` renders a `Msg`."""

    def __init__(self, language: str, words: Mapping[str, str], called: Called = NOTHING) -> None:
        self.language = language
        self._locale = language_of(language).locale
        self._words = words
        self.called = called

    def word(self, text: str) -> str:
        """Return the sentence for an English one, gaps still open; the English itself if there is none."""
        return self._words.get(text, text)

    def say(self, message: Msg) -> str:
        """Return the sentence with its gaps filled; TypeError for what no sentence can hold."""
        said = self._said(message)
        return capital(said) if message.text.startswith(("{phase}", "{seat}")) else said

    def phase(self, ident: str) -> str:
        """Return what a phase is called, by its id with turn (``T4.spain``) or its name alone; else the id itself."""
        found = _PHASE.fullmatch(ident)
        if found is None or found["name"] not in self.called.phases:
            return self.called.phases.get(ident, ident)
        gaps = {"turn": int(found["turn"]), "phase": self.called.phases[found["name"]]}
        again = int(found["attempt"] or 1)
        if again > 1:
            return self._said(msg("turn {turn}, {phase}, attempt {number}", **gaps, number=again))
        return self._said(msg("turn {turn}, {phase}", **gaps))

    def number(self, value: int) -> str:
        """Return a whole number as the language groups it."""
        # Nothing is grouped below a thousand, and most numbers are.
        return str(value) if 0 <= value < 1000 else str(format_decimal(value, locale=self._locale))

    def _said(self, message: Msg) -> str:
        if message.text == _EACH:
            said = dict(message.args)
            return self.fill(said.get(self.language, said["en"]))
        gaps = {name: Counted(self._gap(name, value), count_of(value)) for name, value in message.args}
        return self.word(message.text).format(**gaps)

    def _gap(self, name: str, value: Arg) -> str:
        if name == "phase" and isinstance(value, str):
            return self.phase(value)
        if _CODE.fullmatch(name) and isinstance(value, str):
            return self.called.codes.get(value, value)
        return self.fill(value)

    def fill(self, value: Arg) -> str:
        """Return what fills a gap, or a cell of a table; TypeError for what none can hold."""
        if isinstance(value, Msg):
            return self._said(value)
        if isinstance(value, str):
            return self.called.names.get(value, value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self.number(value)
        if isinstance(value, tuple | list):
            return self._listed(value)
        raise TypeError(f"a gap takes text, a number, a message or several of them, got {value!r}")

    def _listed(self, values: Sequence[Arg]) -> str:
        said = [self.fill(value) for value in values]
        return ("; " if any(map(_DECIMAL.search, said)) else ", ").join(said)


def capital(said: str) -> str:
    """Return a sentence with a capital where it begins."""
    return said[:1].upper() + said[1:]


def read(path: Path, language: str) -> dict[str, str]:
    """Return the sentences of a ``.po`` file by their English; entries empty or marked fuzzy are left out.

    FileNotFoundError if it is not there, ValueError if it is no catalogue.
    """
    return read_text(path.read_bytes(), language_of(language).locale)


def read_text(data: bytes, locale: str) -> dict[str, str]:
    """Return the sentences of a catalogue's bytes by their English, as `read` does."""
    found = read_po(BytesIO(data), locale=locale, abort_invalid=True)
    return {
        entry.id: entry.string
        for entry in found
        if isinstance(entry.id, str) and isinstance(entry.string, str) and entry.id and entry.string and not entry.fuzzy
    }


@cache
def load(language: str, game: str = "", kind: type[Catalogue] = Catalogue) -> Catalogue:
    """Return the house's words, and above them those of a game, in `language`; ValueError if it is not spoken here.

    A game without a catalogue is read in English; one that lies beside others has their words too. A letter of no game
    may name any: below the house's words are those of all its games then. What a language's own folder says comes
    before what is shipped. `kind` is how the words are put together.

    Letters that wait may hold sentences that earlier versions said: ``former/en.po`` beside a catalogue has those that
    others took the place of, ``former/es.po`` the Spanish of those that are gone.
    """
    locale = language_of(language).locale
    folder = folder_of(game) if game else None
    file = folder / "locale" / "names.toml" if folder else None
    words: dict[str, str] = {}
    renamed: dict[str, str] = {}
    above = (*map(folder_of, beside(file) if file else ()), folder)
    below = () if game else tuple(map(folder_of, reversed(housed())))
    for one in (*below, _PACKAGE / "letters", *above):
        for place in (one / "locale", one / "locale" / "former") if one else ():
            if (place / f"{language}.po").is_file():
                words |= read(place / f"{language}.po", language)
        if one and (one / "locale" / "former" / "en.po").is_file():
            renamed |= read(one / "locale" / "former" / "en.po", "en")
    others = tuple(one.name for one in below if one)
    for name in (*others, "house", *(beside(file) if file else ()), *((folder.name,) if folder else ())):
        if laid := lines_of(language, f"{name}.po"):
            words |= read_text(laid.encode("utf-8"), locale)
    for before, sentence in renamed.items():
        words[before] = words.setdefault(sentence, words.get(before, sentence))
    called = read_called(file) if file else {}
    return kind(language, words, called.get(language, NOTHING))


follow(load.cache_clear)


def gaps(text: str) -> frozenset[str]:
    """Return the names of a sentence's gaps; a translation must have the same."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)
