"""Hold the kinds of rulings, and lines of them as they are written and stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from pbem.engine.data.languages import DisplayNames, in_each_language, pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.engine.orders.speech import id_of_name

C = TypeVar("C")


RulingInProgress = Generator[Sequence[Msg], None, None]
"""A ruling in progress: it first yields the sentences to everybody, and makes the ruling when it is resumed."""
UndoableRuling = Generator[Sequence[Msg], None, str]
"""A ruling in progress, as `RulingInProgress`, that returns what it changed, so that UNDO can restore it."""


def finish_ruling(making: RulingInProgress | UndoableRuling) -> str:
    """Resume a ruling after its sentences; return what it changed."""
    try:
        next(making)
    # The return value of a generator comes with the exception that ends it.
    except StopIteration as end:
        return end.value or ""
    raise ValueError("a ruling yields its sentences once")


_LABEL = re.compile(r"(?:^|\s+)(EN|ES):\s*")


def order_languages(text: str) -> str:
    """Return a text with ``EN:`` or ``ES:`` as English, and Spanish after ``ES:``.

    What stands before the label is in the other language.
    """
    first, *labelled = _LABEL.split(text)
    texts = dict(zip(labelled[::2], labelled[1::2], strict=True))
    if not texts or len(labelled) > 2 * len(texts) or (first and len(texts) > 1):
        return text
    texts.setdefault("ES" if "EN" in texts else "EN", first)
    both = [texts[label] for label in ("EN", "ES") if texts[label]]
    return " ES: ".join(both)


@dataclass(frozen=True)
class Ruling(Generic[C]):
    """A kind of ruling: its form, its preview, its action.

    `example` is a possible text after its word. `form` is the pattern of that text; without it the text is not
    checked before the preview. The text is stored in a `spelling`: ``capitals``, ``small``, ``as written``, or
    ``names``, which is as written except for the words `within`. `within` are keywords in the text, in English and
    in Spanish. With `seat`, the text begins with a seat. `make` yields the sentences to everybody besides the line
    itself, or raises UserError if the ruling is impossible; before that it changes nothing, and when resumed it
    makes the ruling. `also` returns sentences for its author alone. `bare` means that no reason is needed. `moves`
    means that it changes the situation for the lines after it; `private` that players read only its word;
    `bilingual` that readers of Spanish get the text after ``ES:``; `each` that several of its texts, with commas, are
    as many rulings. `often` is how many times a letter may have it; 0 is any number. `undo` reverses it,
    with what `make` returned; a sentence in its place says what to do instead.
    """

    word: str
    spanish: str
    make: Callable[[C, RulingLine], RulingInProgress | UndoableRuling]
    example: str = ""
    form: re.Pattern[str] | None = None
    spelling: str = "as written"
    within: tuple[tuple[str, str], ...] = ()
    also: Callable[[C, RulingLine], Sequence[Msg]] | None = None
    seat: bool = False
    bare: bool = False
    moves: bool = False
    private: bool = False
    often: int = 1
    bilingual: bool = False
    each: bool = False
    undo: Callable[[C, RulingLine, str], RulingInProgress] | Msg | None = None
    last_counts: bool = False

    @property
    def name(self) -> Msg:
        """Return its word in the reader's language."""
        return in_each_language(partial(pick_phrase, english=self.word, spanish=self.spanish))

    def translate_rest(self, rest: str, language: str) -> str:
        """Return the text after its word, with the words within it in a language."""
        if self.bilingual:
            text, _, spanish_text = rest.partition(" ES: ")
            return spanish_text if language == "es" and spanish_text else text
        for english, spanish in self.within:
            word = spanish if language == "es" else english
            rest = re.sub(rf"\b(?:{english}|{spanish})\b", word, rest, count=1, flags=re.IGNORECASE)
        return rest

    def match(self, rest: str) -> re.Match[str] | None:
        """Match the text with its form: folded, unless it is stored as written."""
        if self.form is None:
            return None
        return self.form.fullmatch(rest if self.spelling in ("as written", "names") else " ".join(fold(rest).split()))

    def example_in(self, language: str) -> str:
        """Return an example of it in English or Spanish."""
        return RulingLine(self, self.example).line_in(language)


# A line of a ruling that concerns a seat, or its press.
_SEAT = re.compile(r"((?:PRESS|PRENSA)\s)?\s*(\S+)(.*)", re.IGNORECASE | re.DOTALL)


def with_reason(line: str, reason: str, language: str) -> str:
    """Return a line followed by its reason, in English or Spanish words."""
    return f"{line} PORQUE {reason}" if language == "es" else f"{line} BECAUSE {reason}"


@dataclass(frozen=True)
class RulingLine:
    """A line of a ruling: its kind, the text after its word, and the reason.

    Text and reason may be empty.
    """

    ruling: Ruling[Any]
    rest: str
    because: str = ""

    def __getitem__(self, part: str) -> str:
        """Return a named part of the text by the ruling's form; empty if left out."""
        match = self.ruling.match(self.rest)
        if match is None:
            raise LookupError(f"{self.text} has no {part}")
        return match[part] or ""

    @property
    def word(self) -> str:
        """Return its word in English."""
        return self.ruling.word

    @property
    def text(self) -> str:
        """Return the line without its reason, in English words."""
        return f"{self.word} {self.rest}".strip()

    @property
    def line(self) -> str:
        """Return the line to be sent again."""
        return f"{self.text} BECAUSE {self.because}" if self.because else self.text

    def line_in(self, language: str) -> str:
        """Return the line in English or Spanish words; both are read as the same."""
        spanish = language == "es"
        line = (
            f"{self.ruling.spanish if spanish else self.word} {self.ruling.translate_rest(self.rest, language)}".strip()
        )
        return with_reason(line, self.because, language) if self.because else line

    def by_ids(self, called: Mapping[str, DisplayNames]) -> RulingLine:
        """Return the line with its seat, named in any language, replaced by the id."""
        match = _SEAT.fullmatch(self.rest) if self.ruling.seat else None
        if match is None:
            return self
        return RulingLine(self.ruling, f"{match[1] or ''}{id_of_name(match[2], called)}{match[3]}", self.because)

    def message(self) -> Msg:
        """Return the line in the reader's language; the author's own words stay."""
        line = msg("{word} {rest}", word=self.ruling.name, rest=self._rest()) if self.rest else self.ruling.name
        return msg("{line} BECAUSE {reason}", line=line, reason=self.because) if self.because else line

    def _rest(self) -> Msg:
        if self.ruling.private:
            return msg("{rest}", rest=self.rest)
        match = _SEAT.fullmatch(self.rest) if self.ruling.seat else None
        before, seat, after = match.groups("") if match else ("", "", self.rest)
        start, end = (in_each_language(partial(self.ruling.translate_rest, part)) for part in (before, after))
        return msg("{before}{seat}{after}", before=start, seat=seat, after=end)
