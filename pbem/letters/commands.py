"""How commands are written: what a command says of itself, and all of that made ready to read letters by.

Which commands there are is not known here: `commands.catalogue` hands their forms in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from pbem.engine.data import languages
from pbem.engine.data.languages import among
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.orders.names import near_enough
from pbem.letters.content import Mistake, mistake
from pbem.runtime.limits import Limits


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
        self._check_starts: tuple[str, ...] = ()
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
        self._check_starts = tuple(fold(phrase) + " " for _, phrase, _ in every)

    def beginning(self, word: str) -> Iterable[Phrase]:
        """The phrases that begin with a folded word, in the order of the commands."""
        return self._phrases.get(word, ())

    def begin(self, part: str) -> bool:
        """True if folded words begin with a command's phrase, whatever follows."""
        return f"{part} ".startswith(self._check_starts)

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


# The lines of a letter that stand outside of blocks: which of them are commands, which are wrong, which only prose.
#
# A greeting stands above what is meant, a farewell, a name and a signature below it. Whatever between them looks like a
# command is carried out, refused, or told of as left undone::
#
#     Dear server,                 prose
#     EXTEND 24h                   a command
#     EXTNED 24h                   below a command: refused
#     Regards, Ana                 what is said ends here
#     CANCEL                       left, and the answer says so
#
# Beside a block of orders, above it or below its end, ``Status is fine`` may be prose: it is left, and the
# answer says so; ``EXTEND a while`` has its word in capitals, and is refused.


WORD = 60
"""Characters of an unknown word that are compared with the words of commands."""
SIGNATURE = re.compile(r"--\s*|__+|##-.*|\*\*+")
CLOSING = re.compile(
    r"(?:(?:best|kind|warm|many)?\s*(?:regards|wishes)|best|cheers|thanks|thank you|yours|sincerely|bye"
    r"|(?:un |muchos |muchas |cordiales )?(?:saludos?|gracias|abrazo|abrazos)|atentamente|adios|hasta (?:luego|pronto))"
    r"\b.{0,40}"
)
"""Folded lines with which what somebody wrote ends: the second, a farewell, only after something was said."""
_WITHDRAW = re.compile(r"withdraw|retirar(?:se|me)?")
_TWO_MEANINGS = msg(
    "WITHDRAW can mean two things and is not carried out: CANCEL takes your orders back, RESIGN gives your seat up."
)
COMMENT = re.compile(r"#|//")
SEMICOLON = re.compile(r"[;\uff1b]")
_WORDS = 5
"""Words of a line that may be a command gone wrong; a longer one is a sentence."""
_MARKS = "*_:.,;\u00a1\u00bf!"


_LINKS = ("ACCEPT", "AFTER", "AGAINST", "AS", "CODE", "DEPLOY", "LANG", "NAME", "PACE", "TABLES", "TEAM", "TO", "ZONE")
"""English words within what follows a command, in the place of which those of languages laid beside may stand."""


class Line(NamedTuple):
    """A command as written: its name, its line in the letter, and what follows its phrase, folded and as it stands.

    `text` is the whole line, `phrase` the command's own words in capitals, `language` the one that they are of.
    `last` is the line that it ends with, if it is one of several lines.
    """

    name: str
    line: int
    rest: str
    said: str = ""
    text: str = ""
    phrase: str = ""
    language: str = "en"
    last: int = 0

    def wrong(self, why: Msg, *suggestions: str, word: str = "") -> Mistake:
        """Return a refusal of this command; the caret goes under `word` in it, or under the whole line."""
        return mistake(self.line, self.text, word or self.text.strip(), why, suggestions)


class Left(NamedTuple):
    """A line that says nothing to the server, with its number; `meant` if it begins as a command does."""

    line: int
    text: str
    meant: bool = False


class Outside(NamedTuple):
    """What lines outside of blocks say: commands, mistakes, and what was left."""

    said: tuple[Line, ...] = ()
    wrong: tuple[Mistake, ...] = ()
    left: tuple[Left, ...] = ()


class Surroundings(NamedTuple):
    """Where lines stand: in a letter with a `block`, and `below` its end or an END by itself."""

    block: bool = False
    below: bool = False


def longer(number: int, line: str, most: int) -> Mistake:
    """Refuse a line for its length."""
    why = msg("This line has more than {count} characters; put the rest of it on lines of their own.", count=most)
    return mistake(number, line, line[:WORD], why)


def outside(lines: Iterable[tuple[int, str]], forms: Forms, limits: Limits, place: Surroundings) -> Outside:
    """Read lines up to a signature, or up to one command or mistake more than there may be."""
    reading = _Reading(forms, limits, place)
    lines = list(takewhile(lambda one: not SIGNATURE.fullmatch(fold(one[1]).strip()), lines))
    added = _added_below(lines, forms)
    for number, line in lines:
        bare = fold(line).strip()
        if number >= added and reading.started:
            # Of what programs add the first line is named, in case that its author wrote it.
            reading.left += [Left(number, line, True)] if number == added else []
            continue
        reading.ended |= bool((reading.started or place.below) and CLOSING.fullmatch(bare))
        if len(line) > limits.line and not forms.prose(bounds.bare(line)):
            reading.too_long(number, line, SEMICOLON.split(bare[:WORD])[0].strip())
            continue
        for words in _parts(line, forms):
            if reading.full:
                return reading.found
            reading.take(number, line, words)
    return reading.found


_ADDED = re.compile(
    r"https?:|www\.|@|\[external|confiden|disclaimer|aviso legal|destinatario|intended recipient|privileged|virus"
    r"|\bspam\b|\bprint(?:ing)?\b|imprimir|medio ambiente|unsubscribe|darse de baja|yahoo|gmail|outlook|proton"
    r"|\b(?:sent|get) .{1,40}\b(?:mail|app)\b"
)
"""Folded words of advertisements, disclaimers and warnings that mail servers set below what somebody wrote."""
_SENTENCE = 8
"""Words of a line that is no command gone wrong, unless it begins like one."""
_PARAGRAPHS = 6
"""Paragraphs that programs may have added, each of at most `_LINES` lines."""
_LINES = 30


def _added_below(lines: Sequence[tuple[int, str]], forms: Forms) -> int:
    """Return the number of the line from which on a letter is nothing but paragraphs that programs add."""
    paragraphs = [list(group) for full, group in groupby(lines, lambda one: bool(one[1].strip())) if full]
    added = lines[-1][0] + 1 if lines else 1
    for paragraph in reversed(paragraphs[1:][-_PARAGRAPHS:]):
        texts = [line for _, line in paragraph[: _LINES + 1]]
        if len(texts) > _LINES or _may_be_meant(texts[0], forms) or any(_is_command(line, forms) for line in texts):
            break
        if not any(_ADDED.search(fold(line)) or len(line.split()) >= _SENTENCE for line in texts):
            break
        added = paragraph[0][0]
    return added


def _is_command(line: str, forms: Forms) -> bool:
    return any(_command(0, line, words, forms) is not None for words in _parts(line, forms))


def _may_be_meant(line: str, forms: Forms) -> bool:
    """Whether a line begins nearly like a command, or with a word in capitals as orders do."""
    bare, words = fold(line).strip(), line.split()
    if _begins_like_one(bare, forms):
        return True
    if _ADDED.search(bare):
        return False
    heads = {phrase.split()[0] for phrase in forms.offered}
    first = fold(words[0]).strip(_MARKS)[:WORD]
    near = len(words) <= _WORDS and close_matches(first, heads, 1, 0.75)
    return bool(near) or (words[0].isupper() and words[0].isalpha() and len(words[0]) > 2)


class _Reading:
    """Lines as they are read: `ended` once there was a farewell."""

    def __init__(self, forms: Forms, limits: Limits, place: Surroundings) -> None:
        self.forms, self.limits, self.place, self.ended = forms, limits, place, False
        self.said: list[Line] = []
        self.wrong: list[Mistake] = []
        self.left: list[Left] = []

    @property
    def started(self) -> bool:
        """Whether something was said already, so that what follows is no greeting."""
        return bool(self.said or self.wrong)

    @property
    def full(self) -> bool:
        """Whether there is more than there may be."""
        return len(self.said) > self.limits.commands or len(self.wrong) > self.limits.mistakes

    @property
    def found(self) -> Outside:
        """What was read."""
        return Outside(tuple(self.said), tuple(self.wrong), tuple(self.left))

    def too_long(self, number: int, line: str, part: str) -> None:
        """A line longer than may be is wrong where one of its kind would be."""
        if not self.ended and (self.started or self._wrong(line.split()[0], part)):
            self.wrong.append(longer(number, line, self.limits.line))

    def take(self, number: int, line: str, words: Sequence[tuple[str, str]]) -> None:
        """One command of a line, or what might be one."""
        command = _command(number, line, words, self.forms)
        part = " ".join(key for key, _ in words)
        if self.ended:
            if command is not None and not self.forms.prose(part):
                self.left.append(Left(number, line, True))
        elif command is not None:
            self.said.append(command)
        elif self.started or part.startswith("@") or self._wrong(words[0][1], part):
            self.wrong.append(_unknown(number, line, part, self.forms))
        elif self.place.block or self.place.below:
            self.left.append(Left(number, line, self.forms.begin(part) and len(words) <= _WORDS))

    def _wrong(self, first: str, part: str) -> bool:
        """Whether a line that is no command is refused before anything was said: beside a block it may be prose."""
        if not (self.place.block or self.place.below):
            return _begins_like_one(part, self.forms)
        likeness = _begins_like_one(part, self.forms) if self.place.below else self.forms.begin(part)
        return likeness and first.strip(_MARKS).isupper()


def _parts(line: str, forms: Forms) -> Iterator[list[tuple[str, str]]]:
    """The commands of a line without its comment, each as its words, folded and as written."""
    counted = line
    for numbered in forms.numbered:
        counted = numbered.sub(r"\1 ", counted)
    bare = COMMENT.split(counted, maxsplit=1)[0]
    # What is said to others is prose: nothing in it parts commands or begins a comment.
    for part in [line] if forms.prose(bounds.bare(line)) else SEMICOLON.split(bare):
        said = part.lstrip("¡¿ \t\xa0").rstrip(".!… \t\xa0")
        words = [(key, word) for word in said.split() if (key := fold(word).strip())]
        if words:
            yield words


def _command(number: int, line: str, words: Sequence[tuple[str, str]], forms: Forms) -> Line | None:
    keys = [key for key, _ in words]
    for form, bare in forms.bare:
        if bare.fullmatch(" ".join(keys)):
            return Line(form.name, number, " ".join(keys), " ".join(word for _, word in words), line)
    for form, written, phrased, language in forms.beginning(keys[0]):
        length = len(phrased)
        rest = " ".join(keys[length:])
        if keys[:length] != phrased:
            continue
        # What only the forms' own words were translated in is read as they have it.
        for one in dict.fromkeys((rest, among(_LINKS, fold)(rest))):
            if form.rest.fullmatch(one):
                said = " ".join(word for _, word in words[length:])
                return Line(form.name, number, one, said, line, written, language)
    return None


def _begins_like_one(part: str, forms: Forms) -> bool:
    return bool(bounds.meant(part) or _WITHDRAW.fullmatch(part)) or forms.begin(part)


def _unknown(number: int, line: str, part: str, forms: Forms) -> Mistake:
    """A line that is no command, with what may have been meant: only whole examples are offered."""
    meant = bounds.meant(part)
    if meant == bounds.ORDERS[0]:
        why = msg("A block of orders begins with a line of its own: ORDERS and the turn, such as ORDERS T3.")
        return mistake(number, line, line.strip(), why, ())
    if meant == bounds.LATER[0]:
        why = msg("A block for a turn to come begins with LATER and the turn, such as LATER T5.")
        return mistake(number, line, line.strip(), why, ())
    if part.startswith("@"):
        why = msg("@ marks a line to be repeated, within a block of orders; this one stands outside of one.")
        return mistake(number, line, line.strip(), why, ())
    if _WITHDRAW.fullmatch(part):
        return mistake(number, line, line.strip(), _TWO_MEANINGS, ())
    words = forms.offered
    begun = sorted((word for word in words if f"{part} ".startswith(word + " ")), key=len, reverse=True)
    like = close_matches(part[:WORD], words, n=3, cutoff=0.75)
    near = [*begun, *(word for word in like if near_enough(part[:WORD], word))]
    why = msg("I do not know this command.")
    unlisted = [" ".join(one.words) for one in forms.beginning(part.partition(" ")[0])]
    known = begun or [words for words in unlisted if f"{part} ".startswith(f"{words} ")]
    if known and part == known[0]:
        why = msg("{command} needs something after it.", command=part.upper())
    elif known:
        why = msg(
            "{command} is a command, but I do not understand what follows it.",
            command=known[0].upper(),
        )
    return mistake(number, line, line.strip(), why, tuple(dict.fromkeys(words[word] for word in near))[:3])
