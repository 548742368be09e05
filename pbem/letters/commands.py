"""The written forms of commands, prepared for reading letters.

The commands themselves are not known here: `commands.catalogue` passes their forms in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from pbem.engine.data import languages
from pbem.engine.data.languages import words_to_english
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import LONGEST_WORD, close_matches, fold
from pbem.engine.orders.names import near_enough
from pbem.letters.content import Mistake, make_mistake
from pbem.runtime.limits import Limits


class EnclosedForm(NamedTuple):
    """A command of several lines: patterns of its first and last one.

    The groups of the first pattern are `word`, the command's word, and `to`, the rest; the lines between are its
    text. `unclosed` is the message for a missing last line.
    """

    head: re.Pattern[str]
    end: re.Pattern[str]
    unclosed: Msg


class CommandForm(NamedTuple):
    """The written form of a command: phrases, the rest, two examples.

    Phrases are in all languages. The rest is compared folded (no case, no accents). A command without examples is
    not suggested. `bare` is a line that is the command without its phrase; `prose` marks one whose rest is not
    split and holds no comment; `numbered` is its beginning, after which a # begins a number and not a comment;
    `enclosed` makes it a command of several lines.
    """

    name: str
    phrases: tuple[str, ...]
    rest: re.Pattern[str]
    example: str = ""
    spanish: str = ""
    bare: re.Pattern[str] | None = None
    prose: bool = False
    numbered: re.Pattern[str] | None = None
    enclosed: EnclosedForm | None = None

    def phrase(self, language: str) -> str:
        """Return the phrase of the command in a language, the one of its example."""
        example = fold(self.spanish if language == "es" else self.example) + " "
        candidates = [phrase for phrase in self.phrases if example.startswith(fold(phrase) + " ")]
        return languages.translate_phrase(language, max(candidates, key=len, default=self.phrases[0]))

    def example_in(self, language: str) -> str:
        """Return the example in a language."""
        return languages.pick_phrase(language, self.example, self.spanish or self.example)

    def language(self, word: str) -> str:
        """Return the shipped language in which a folded word begins the command."""
        return "es" if fold(self.spanish).split()[:1] == [word] else "en"

    def first_phrases(self) -> Iterator[tuple[str, str]]:
        """Yield every phrase that it begins with, and its language."""
        for phrase in self.phrases:
            yield phrase, self.language(fold(phrase).split()[0])
        for language in languages.supported_languages():
            phrase_lists = (languages.language_of(language).words.get(phrase, ()) for phrase in self.phrases)
            yield from ((phrase, language) for phrases in phrase_lists for phrase in phrases)


class CommandPhrase(NamedTuple):
    """A phrase of a command: as written, its folded words, their language."""

    form: CommandForm
    written: str
    words: list[str]
    language: str


class CommandForms:
    """The forms of all commands, indexed for reading, in all languages."""

    def __init__(self, every: Iterable[CommandForm]) -> None:
        self.every = tuple(every)
        self.bare = tuple((form, form.bare) for form in self.every if form.bare is not None)
        self.numbered = tuple(form.numbered for form in self.every if form.numbered is not None)
        self.enclosed = tuple((form, form.enclosed) for form in self.every if form.enclosed is not None)
        self.offered: dict[str, str] = {}
        self._phrases: dict[str, list[CommandPhrase]] = {}
        self._check_starts: tuple[str, ...] = ()
        self._listen()
        languages.on_language_change(self._listen)
        prose = [re.escape(fold(phrase)) for form in self.every if form.prose for phrase in form.phrases]
        self._prose = re.compile(rf"(?:{'|'.join(prose)})\s") if prose else None

    def _listen(self) -> None:
        """Index the phrases of all languages by their first words."""
        entries = [(form, phrase, language) for form in self.every for phrase, language in form.first_phrases()]
        self.offered = {fold(phrase): form.example_in(language) for form, phrase, language in entries if form.example}
        self._phrases = {}
        for form, phrase, language in entries:
            words = fold(phrase).split()
            self._phrases.setdefault(words[0], []).append(CommandPhrase(form, phrase, words, language))
        self._check_starts = tuple(fold(phrase) + " " for _, phrase, _ in entries)

    def beginning(self, word: str) -> Iterable[CommandPhrase]:
        """Return the phrases that begin with a folded word, in the order of the commands."""
        return self._phrases.get(word, ())

    def begins_with_command(self, part: str) -> bool:
        """Return whether folded words begin with a command's phrase."""
        return f"{part} ".startswith(self._check_starts)

    def is_message(self, line: str) -> bool:
        """Return whether a folded line is a message to others."""
        return self._prose is not None and self._prose.match(line) is not None


NO_ARGUMENT = re.compile("")
ANY_ARGUMENT = re.compile(r"\S.*")
TURN_ARGUMENT = re.compile(r"(?:t ?\d{1,4})?")
"""What follows a command that concerns now, or a turn: of four digits at most, more than any game has."""
TURNS_ARGUMENT = re.compile(r"(?:t ?\d{1,4}(?: ?- ?t? ?\d{1,4})?)?")
"""What follows a command that concerns the last turn, another one, or several."""

STANDING_PRESETS = {
    "cautious": ("CAUTIOUS", "PRUDENTE"),
    "balanced": ("BALANCED", "EQUILIBRADA", "EQUILIBRADO"),
    "aggressive": ("AGGRESSIVE", "AGRESIVA", "AGRESIVO"),
}
"""Ready-made standing orders by the name a game knows them by; other standing orders begin with PLACE or another
scope."""


def key_of_word(table: Mapping[str, tuple[str, ...]], word: str) -> str:
    """Return the key of the entry that lists a word in lower case, or ""."""
    return next((name for name, words in table.items() if word in (w.lower() for w in words)), "")


# The lines of a letter outside of blocks: commands, mistakes, and prose.
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


SIGNATURE_LINE = re.compile(r"--\s*|__+|##-.*|\*\*+")
FAREWELL = re.compile(
    r"(?:(?:best|kind|warm|many)?\s*(?:regards|wishes)|best|cheers|thanks|thank you|yours|sincerely|bye"
    r"|(?:un |muchos |muchas |cordiales )?(?:saludos?|gracias|abrazo|abrazos)|atentamente|adios|good luck|see you"
    r"|(?:buena )?suerte|nos vemos|hasta (?:luego|pronto|manana))"
    r"\b.{0,40}"
)
"""Lines that end a letter, in lower case without accents; the second pattern, a farewell, only after something was
said. A name may follow it; a line with more than forty characters behind it goes on as a sentence."""
_NAME = re.compile(r"[^\W\d_][a-z\u00df-\u024f.]*")
"""A line that may be the author's name: one word, not in capitals."""
# It would be CANCEL or RESIGN: see below.
_WITHDRAW = re.compile(r"withdraw|retirar(?:se|me)?")
_TWO_MEANINGS = msg(
    "WITHDRAW can mean two things and is not carried out: CANCEL takes your orders back, RESIGN gives your seat up."
)
# As in a block of orders; the second semicolon is the full-width one of East Asian keyboards.
COMMENT_MARK = re.compile(r"#|//")
SEMICOLON = re.compile(r"[;\uff1b]")
_WORDS = 5
"""Words of a line that may be a misspelt command; a longer line is a sentence."""
_MARKS = "*_:.,;\u00a1\u00bf!"


_LINKS = ("ACCEPT", "AFTER", "AGAINST", "AS", "CODE", "DEPLOY", "LANG", "NAME", "PACE", "TABLES", "TEAM", "TO", "ZONE")
"""English words between the parts of a command, where the words of additional languages may stand instead."""


class CommandLine(NamedTuple):
    """A command as written: name, line in the letter, and the rest.

    The rest is folded (`rest`) and as written (`said`). `text` is the whole line, `phrase` are the command's own
    words in capitals, and `language` is their language. `last` is the last line of a command of several lines.
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
        """Return a refusal of this command.

        The caret goes under `word` in it, or under the whole line.
        """
        return make_mistake(self.line, self.text, word or self.text.strip(), why, suggestions)


class UnparsedLine(NamedTuple):
    """A line without a command, with its number; `meant` if it begins like a command.

    `below` marks a line below the end of a block: its author may have meant an order, even in prose. `ended` marks one
    below a farewell: only an order is meant there.
    """

    line: int
    text: str
    meant: bool = False
    below: bool = False
    ended: bool = False


class OutsideLines(NamedTuple):
    """The lines outside of blocks: commands, mistakes, and unparsed lines."""

    said: tuple[CommandLine, ...] = ()
    wrong: tuple[Mistake, ...] = ()
    left: tuple[UnparsedLine, ...] = ()


class LinePlace(NamedTuple):
    """The place of lines: in a letter with a `block`, and `below` its end or an END."""

    block: bool = False
    below: bool = False


def too_long_mistake(number: int, line: str, most: int) -> Mistake:
    """Return the mistake of a line with more than `most` characters."""
    why = msg("This line has more than {count} characters; put the rest of it on lines of their own.", count=most)
    return make_mistake(number, line, line[:LONGEST_WORD], why)


def read_outside_lines(
    lines: Iterable[tuple[int, str]], forms: CommandForms, limits: Limits, place: LinePlace
) -> OutsideLines:
    """Read the commands in lines outside of blocks, up to a signature.

    Reading also stops one command or mistake above the limit.
    """
    reading = _LineReader(forms, limits, place)
    lines = list(takewhile(lambda entry: not SIGNATURE_LINE.fullmatch(fold(entry[1]).strip()), lines))
    first_added = _added_below(lines, forms)
    for number, line in lines:
        bare = fold(line).strip()
        if number >= first_added and reading.has_started:
            # The first added line is reported, in case its author wrote it.
            reading.left += [UnparsedLine(number, line, True)] if number == first_added else []
            continue
        reading.ended |= bool((reading.has_started or place.below) and FAREWELL.fullmatch(bare))
        if len(line) > limits.line and not forms.is_message(bounds.bare(line)):
            reading.too_long(number, line, SEMICOLON.split(bare[:LONGEST_WORD])[0].strip())
            continue
        for words in _parts(line, forms):
            if reading.full:
                return reading.result
            reading.take(number, line, words)
    return reading.result


_ADDED = re.compile(
    r"https?:|www\.|@|\[external|confiden|disclaimer|aviso legal|destinatario|intended recipient|privileged|virus"
    r"|\bspam\b|\bprint(?:ing)?\b|imprimir|medio ambiente|unsubscribe|darse de baja|yahoo|gmail|outlook|proton"
    r"|\b(?:sent|get) .{1,40}\b(?:mail|app)\b"
)
"""Words of advertisements, disclaimers and warnings that mail servers add below a letter, in lower case without
accents."""
_SENTENCE = 8
"""Words of a line that is no misspelt command, unless it begins like one. A choice: words of commands are fewer."""
_PARAGRAPHS = 6
"""Paragraphs from the end that programs may have added, each of at most `_LINES` lines. A choice: enough for the
author's program, his company and a mailing list."""
_LINES = 30
"""Lines of such a paragraph. A choice: a longer one is taken for the author's own words, and read."""


def _added_below(lines: Sequence[tuple[int, str]], forms: CommandForms) -> int:
    """Return the number of the first line of paragraphs that programs added."""
    paragraphs = [list(group) for full, group in groupby(lines, lambda entry: bool(entry[1].strip())) if full]
    first_added = lines[-1][0] + 1 if lines else 1
    for paragraph in reversed(paragraphs[1:][-_PARAGRAPHS:]):
        texts = [line for _, line in paragraph[: _LINES + 1]]
        if len(texts) > _LINES or _may_be_meant(texts[0], forms) or any(_is_command(line, forms) for line in texts):
            break
        if not any(_ADDED.search(fold(line)) or len(line.split()) >= _SENTENCE for line in texts):
            break
        first_added = paragraph[0][0]
    return first_added


def _is_command(line: str, forms: CommandForms) -> bool:
    return any(_command(0, line, words, forms) is not None for words in _parts(line, forms))


def _may_be_meant(line: str, forms: CommandForms) -> bool:
    """Return whether a line begins nearly like a command, or in capitals like orders."""
    bare, words = fold(line).strip(), line.split()
    if _begins_like_one(bare, forms):
        return True
    if _ADDED.search(bare):
        return False
    near = len(words) <= _WORDS and _is_near_command(words[0].upper(), forms)
    return near or (words[0].isupper() and words[0].isalpha() and len(words[0]) > 2)


def _is_near_command(word: str, forms: CommandForms) -> bool:
    """Return whether a word in capitals begins a command, or nearly does."""
    heads = {phrase.split()[0] for phrase in forms.offered}
    return word.isupper() and bool(close_matches(fold(word).strip(_MARKS)[:LONGEST_WORD], heads, 1, 0.75))


class _LineReader:
    """The state of reading lines: `ended` after a farewell."""

    def __init__(self, forms: CommandForms, limits: Limits, place: LinePlace) -> None:
        self.forms, self.limits, self.place, self.ended = forms, limits, place, False
        self.said: list[CommandLine] = []
        self.wrong: list[Mistake] = []
        self.left: list[UnparsedLine] = []

    @property
    def has_started(self) -> bool:
        """Return whether a command or mistake came, after which no line is a greeting."""
        return bool(self.said or self.wrong)

    @property
    def full(self) -> bool:
        """Return whether a limit is exceeded."""
        return len(self.said) > self.limits.commands or len(self.wrong) > self.limits.mistakes

    @property
    def result(self) -> OutsideLines:
        """Return the result."""
        return OutsideLines(tuple(self.said), tuple(self.wrong), tuple(self.left))

    def too_long(self, number: int, line: str, part: str) -> None:
        """Add a mistake for a line that is too long.

        Where prose is allowed, it is none.
        """
        if not self.ended and (self.has_started or self._wrong(line.split()[0], part)):
            self.wrong.append(too_long_mistake(number, line, self.limits.line))

    def take(self, number: int, line: str, words: Sequence[tuple[str, str]]) -> None:
        """Read one command of a line, or a possible one."""
        command = _command(number, line, words, self.forms)
        part = " ".join(key for key, _ in words)
        if self.ended:
            if command is not None and not self.forms.is_message(part):
                self.left.append(UnparsedLine(number, line, True))
            elif len(words) > 1:
                self.left.append(UnparsedLine(number, line, ended=True))
        elif command is not None:
            self.said.append(command)
        elif self.has_started or part.startswith("@") or self._wrong(words[0][1], part):
            self.wrong.append(_unknown(number, line, part, self.forms))
        elif self.place.block or self.place.below:
            is_meant = len(words) <= _WORDS and (
                self.forms.begins_with_command(part) or _is_near_command(words[0][1], self.forms)
            )
            is_below = self.place.below and not _ADDED.search(fold(line)) and not _NAME.fullmatch(line.strip())
            self.left.append(UnparsedLine(number, line, is_meant, is_below))

    def _wrong(self, first: str, part: str) -> bool:
        """Return whether a first line that is no command is refused.

        Near a block it may be prose.
        """
        if not (self.place.block or self.place.below):
            return _begins_like_one(part, self.forms)
        likeness = _begins_like_one(part, self.forms) if self.place.below else self.forms.begins_with_command(part)
        return likeness and first.strip(_MARKS).isupper()


def _parts(line: str, forms: CommandForms) -> Iterator[list[tuple[str, str]]]:
    """Yield the commands of a line without its comment.

    Each is its words, folded and as written.
    """
    counted = line
    for numbered in forms.numbered:
        counted = numbered.sub(r"\1 ", counted)
    bare = COMMENT_MARK.split(counted, maxsplit=1)[0]
    # A message to others is prose: nothing in it separates commands or begins a comment.
    for part in [line] if forms.is_message(bounds.bare(line)) else SEMICOLON.split(bare):
        text = part.lstrip("¡¿ \t\xa0").rstrip(".!… \t\xa0")
        words = [(key, word) for word in text.split() if (key := fold(word).strip())]
        if words:
            yield words


def _command(number: int, line: str, words: Sequence[tuple[str, str]], forms: CommandForms) -> CommandLine | None:
    keys = [key for key, _ in words]
    for form, bare in forms.bare:
        if bare.fullmatch(" ".join(keys)):
            return CommandLine(form.name, number, " ".join(keys), " ".join(word for _, word in words), line)
    for form, written, phrase_words, language in forms.beginning(keys[0]):
        length = len(phrase_words)
        rest = " ".join(keys[length:])
        if keys[:length] != phrase_words:
            continue
        # What only the forms' own words were translated in is read as they have it.
        for candidate in dict.fromkeys((rest, words_to_english(_LINKS, fold)(rest))):
            if form.rest.fullmatch(candidate):
                rest_written = " ".join(word for _, word in words[length:])
                return CommandLine(form.name, number, candidate, rest_written, line, written, language)
    return None


def _begins_like_one(part: str, forms: CommandForms) -> bool:
    return bool(bounds.intended_block(part) or _WITHDRAW.fullmatch(part)) or forms.begins_with_command(part)


def _unknown(number: int, line: str, part: str, forms: CommandForms) -> Mistake:
    """Return the mistake of an unknown line, with whole examples as suggestions."""
    intended = bounds.intended_block(part)
    if intended == bounds.ORDERS[0]:
        why = msg("A block of orders begins with a line of its own: ORDERS and the turn, such as ORDERS T3.")
        return make_mistake(number, line, line.strip(), why, ())
    if intended == bounds.LATER[0]:
        why = msg("A block for a turn to come begins with LATER and the turn, such as LATER T5.")
        return make_mistake(number, line, line.strip(), why, ())
    if part.startswith("@"):
        why = msg("@ marks a line to be repeated, within a block of orders; this one stands outside of one.")
        return make_mistake(number, line, line.strip(), why, ())
    if _WITHDRAW.fullmatch(part):
        return make_mistake(number, line, line.strip(), _TWO_MEANINGS, ())
    words = forms.offered
    # The longest first: it is the one that the answer names.
    matching = sorted((word for word in words if f"{part} ".startswith(word + " ")), key=len, reverse=True)
    like = close_matches(part[:LONGEST_WORD], words, n=3, cutoff=0.75)
    near = [*matching, *(word for word in like if near_enough(part[:LONGEST_WORD], word))]
    why = msg("I do not know this command.") if near else msg("I do not know this command; HELP lists them all.")
    unlisted = [" ".join(phrase.words) for phrase in forms.beginning(part.partition(" ")[0])]
    known_phrases = matching or [words for words in unlisted if f"{part} ".startswith(f"{words} ")]
    if known_phrases and part == known_phrases[0]:
        why = msg("{command} needs something after it.", command=part.upper())
    elif known_phrases:
        why = msg(
            "{command} is a command, but I do not understand what follows it.",
            command=known_phrases[0].upper(),
        )
    # A choice: three examples fit under the line, and the one that was meant is hardly the fourth.
    return make_mistake(number, line, line.strip(), why, tuple(dict.fromkeys(words[word] for word in near))[:3])
