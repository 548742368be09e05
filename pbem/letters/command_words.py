"""How commands are written: what a command says of itself, and all of that made ready to read letters by.

Which commands there are is not known here: `commands.catalogue` hands their forms in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pbem.engine.data import languages
from pbem.engine.data.messages import Msg
from pbem.engine.orders.lex import fold


class Enclosed(NamedTuple):
    """A command of several lines: its folded first and last one, and what is said if the last is missing.

    In the first, `word` is its word and `to` what follows it; the lines between are what is said.
    """

    head: re.Pattern[str]
    end: re.Pattern[str]
    unclosed: Msg


class Form(NamedTuple):
    """How a command is written: its phrases in all languages, what may follow them, and an example in two.

    What follows is compared folded (no case, no accents). A command without examples is not offered. `bare` is a line
    that is the command without its phrase; `prose` marks one whose rest is not parted and holds no comment; `numbered`
    is its beginning before a # that begins none; `enclosed` makes it one of several lines.
    """

    name: str
    phrases: tuple[str, ...]
    rest: re.Pattern[str]
    example: str = ""
    spanish: str = ""
    bare: re.Pattern[str] | None = None
    prose: bool = False
    numbered: re.Pattern[str] | None = None
    enclosed: Enclosed | None = None

    def phrase(self, language: str) -> str:
        """The words that begin the command in a language: of its phrases that of the example."""
        example = fold(self.spanish if language == "es" else self.example) + " "
        said = [phrase for phrase in self.phrases if example.startswith(fold(phrase) + " ")]
        return languages.in_words(language, max(said, key=len, default=self.phrases[0]))

    def example_in(self, language: str) -> str:
        """The example as a language writes it."""
        return languages.chosen(language, self.example, self.spanish or self.example)

    def language(self, word: str) -> str:
        """The language of the house in which a folded word begins the command."""
        return "es" if fold(self.spanish).split()[:1] == [word] else "en"

    def begun(self) -> Iterator[tuple[str, str]]:
        """Every phrase that it begins with, and its language."""
        for phrase in self.phrases:
            yield phrase, self.language(fold(phrase).split()[0])
        for language in languages.known():
            said = (languages.language_of(language).words.get(phrase, ()) for phrase in self.phrases)
            yield from ((phrase, language) for some in said for phrase in some)


class Phrase(NamedTuple):
    """One way to begin a command: as it is written, its folded words, their language."""

    form: Form
    written: str
    words: list[str]
    language: str


class Forms:
    """The forms of all commands as letters are read by them, in all languages that are laid."""

    def __init__(self, every: Iterable[Form]) -> None:
        self.every = tuple(every)
        self.bare = tuple((form, form.bare) for form in self.every if form.bare is not None)
        self.numbered = tuple(form.numbered for form in self.every if form.numbered is not None)
        self.enclosed = tuple((form, form.enclosed) for form in self.every if form.enclosed is not None)
        self.offered: dict[str, str] = {}
        self._phrases: dict[str, list[Phrase]] = {}
        self._begun: tuple[str, ...] = ()
        self._listen()
        languages.follow(self._listen)
        prose = [re.escape(fold(phrase)) for form in self.every if form.prose for phrase in form.phrases]
        self._prose = re.compile(rf"(?:{'|'.join(prose)})\s") if prose else None

    def _listen(self) -> None:
        """Index the phrases of all languages."""
        every = [(form, phrase, language) for form in self.every for phrase, language in form.begun()]
        self.offered = {fold(phrase): form.example_in(language) for form, phrase, language in every if form.example}
        self._phrases = {}
        for form, phrase, language in every:
            words = fold(phrase).split()
            self._phrases.setdefault(words[0], []).append(Phrase(form, phrase, words, language))
        self._begun = tuple(fold(phrase) + " " for _, phrase, _ in every)

    def beginning(self, word: str) -> Iterable[Phrase]:
        """The phrases that begin with a folded word, in the order of the commands."""
        return self._phrases.get(word, ())

    def begin(self, part: str) -> bool:
        """True if folded words begin with a command's phrase, whatever follows."""
        return f"{part} ".startswith(self._begun)

    def prose(self, line: str) -> bool:
        """True if a folded line is said to others."""
        return self._prose is not None and self._prose.match(line) is not None


NOTHING = re.compile("")
ANYTHING = re.compile(r"\S.*")
TURN = re.compile(r"(?:t ?\d{1,4})?")
"""What follows a command that is asked of now, or of a turn."""
TURNS = re.compile(r"(?:t ?\d{1,4}(?: ?- ?t? ?\d{1,4})?)?")
"""What follows a command that is asked of the last turn, of another, or of several."""

PRESETS = {
    "cautious": ("CAUTIOUS", "PRUDENTE"),
    "balanced": ("BALANCED", "EQUILIBRADA", "EQUILIBRADO"),
    "aggressive": ("AGGRESSIVE", "AGRESIVA", "AGRESIVO"),
}
"""Ready-made standing orders by the name a game knows them by; a block of standing orders begins otherwise."""


def from_table(table: Mapping[str, tuple[str, ...]], word: str) -> str:
    """The entry that a folded word names; empty if none."""
    return next((name for name, words in table.items() if word in (w.lower() for w in words)), "")
