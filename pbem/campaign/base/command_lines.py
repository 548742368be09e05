"""From the cleaned text of a letter to commands, with the lines they stand on.

Example::

    Dear server,                 greeting, skipped
    SET LANG es                  a command
    ORDERS T3 #k7q2              a block: header, the game's own lines, END
    MOVE Leon TO C
    END                          reading stops here

Words are compared without case, accents or typography, in English and Spanish alike. Nothing is executed here and no
game is known: a block's lines go to the game as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import NamedTuple

from pbem.campaign.base.command_words import ANSWERS, COMMANDS, PRESETS
from pbem.campaign.base.letters import Mistake, mistake
from pbem.core.data.messages import Msg, msg
from pbem.core.game import Rejected
from pbem.core.orders import block as bounds
from pbem.core.orders.lex import column_of, fold

__all__ = ["CLOSING", "MOST_LINES", "SIGNATURE", "Block", "Command", "Understood", "read"]

MOST_LINES = 4_000
"""A letter with more lines is refused unread."""


class Command(NamedTuple):
    """A command of one line: its name, its line in the letter, and what follows its phrase, folded and as written.

    `text` is the whole line, `phrase` the command's own words in capitals; `spanish` is True if those are Spanish.
    """

    name: str
    line: int
    rest: str
    said: str = ""
    text: str = ""
    phrase: str = ""
    spanish: bool = False

    def wrong(self, why: Msg, *suggestions: str, word: str = "") -> Mistake:
        """This command refused; the caret goes under a `word` of it, or under all of it."""
        return mistake(self.line, self.text, word or self.text.strip(), why, suggestions)


class Block(NamedTuple):
    """A block of orders: the line of its header, what the header says, the lines between header and end.

    `turn` is None if the header names none. `standing` marks a block of standing orders alone, whose lines hold its
    own first and last line. ``lines[0]`` is line `first` of the letter; `end` is empty if the block has none. `word`
    is the header's, in capitals: ORDERS, ORDENES, VERIFY, VERIFICAR, or LATER, DESPUES, MAS TARDE.
    """

    line: int
    header: str
    turn: int | None
    nonce: str
    first: int
    lines: tuple[str, ...]
    end: str
    standing: bool = False
    word: str = "ORDERS"

    @property
    def verify(self) -> bool:
        """True if the block is to be looked at and not to be queued."""
        return self.word in bounds.VERIFY

    @property
    def later(self) -> bool:
        """True if the block is for a turn to come."""
        return self.word in bounds.LATER

    @property
    def text(self) -> str:
        """What the game reads: the lines without the marks of those that are repeated."""
        return "".join(_REPEATED.sub(_blank, line) + "\n" for line in self.lines)

    @property
    def repeated(self) -> str:
        """The same with the lines alone that are to be repeated, each where it stands; empty if there are none."""
        marked = [_REPEATED.match(line) is not None for line in self.lines]
        lines = [_REPEATED.sub(_blank, line) if mark else "" for line, mark in zip(self.lines, marked, strict=True)]
        return "".join(line + "\n" for line in lines) if any(line.strip() for line in lines) else ""

    def mistakes(self, rejected: Iterable[Rejected]) -> list[Mistake]:
        """Refused lines, which a game counts from the block's first, as those of the letter."""
        found = []
        for bad in rejected:
            inside = 1 <= bad.line <= len(self.lines)
            line = bad.line + self.first - 1 if inside else self.line
            text = self.lines[bad.line - 1] if inside else self.header
            column = bad.column if bad.column >= 0 else column_of(text, bad.word)
            found.append(Mistake(bad._replace(line=line, column=column), text))
        return found


class Understood(NamedTuple):
    """What a letter says: its commands, at most one block, those for turns to come, what is wrong with it."""

    commands: tuple[Command, ...] = ()
    block: Block | None = None
    wrong: tuple[Mistake, ...] = ()
    too_long: bool = False
    later: tuple[Block, ...] = ()

    @property
    def empty(self) -> bool:
        """True if there is nothing to do and nothing to complain of."""
        return not (self.commands or self.block or self.later or self.wrong or self.too_long)


_REPEATED = re.compile(r"^(\s*)[@\uff20]")
# A temper's name after STANDING is a command of one line, no block.
_TEMPER = re.compile(rf"\s+(?:{'|'.join(word.lower() for words in PRESETS.values() for word in words)})\b")
_PRESS = re.compile(r"(?P<word>press|prensa) (?:to|a|para)\b(?P<to>.{0,100})")
_END_PRESS = re.compile(r"(?:endpress|finprensa)\s*[.;]?")
_PROSE = re.compile(r"(?:say|anunciar|appeal|recurso)\s")
_WITHDRAW = re.compile(r"withdraw|retirar(?:se|me)?")
_TWO_MEANINGS = msg(
    "WITHDRAW can mean two things and is not carried out: CANCEL takes your orders back, RESIGN gives your seat up."
)
_COMMENT = re.compile(r"#|//")
# The number of a happening is written as in the report, where the mark begins no comment.
_HAPPENING = re.compile(r"\b(why|por\s*qu(?:e\u0301|[e\u00e9]))\s*#\s*(?=\d)", re.IGNORECASE)
_SEMICOLON = re.compile(r"[;\uff1b]")
SIGNATURE = re.compile(r"--\s*|__+|##-.*|\*\*+")
CLOSING = re.compile(
    r"(?:(?:best|kind|warm|many)?\s*(?:regards|wishes)|best|cheers|thanks|thank you|yours|sincerely|bye"
    r"|(?:un |muchos |muchas |cordiales )?(?:saludos?|gracias|abrazo|abrazos)|atentamente|adios|hasta (?:luego|pronto))"
    r"\b.{0,40}"
)
"""Folded lines with which what somebody wrote ends: the second, a farewell, only after something was said."""


def read(text: str) -> Understood:
    """Read what is left of a letter when quotes and signatures are cut.

    Of several different blocks none is taken: that is an error; one that stands there twice counts once, and blocks of
    standing orders alone, one a scope, count together.
    """
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        return Understood(too_long=True)
    lines, notes, unclosed = _press(lines)
    found = tuple(_blocks(lines))
    taken = {number for block in found for number in _extent(block)}
    written = {(block.turn, block.verify, block.later, _squeezed(block)): block for block in reversed(found)}
    blocks = [block for block in reversed(written.values()) if not block.later]
    later = sorted((block for block in written.values() if block.later), key=lambda block: (block.turn, block.line))
    if len(blocks) > 1 and all(block.standing and block.end for block in blocks):
        blocks = [_joined(blocks)]
    wrong = [_unclosed(block) for block in (*blocks, *later) if not block.end]
    if len(blocks) > 1:
        wrong.append(_two(*blocks[:2]))
    wrong += [_two(one, other) for one, other in pairwise(later) if one.turn == other.turn]
    # END below commands alone ends the letter; above a block it ends nothing, or orders would be lost.
    ends = {number for number, line in enumerate(lines, 1) if number not in taken and bounds.ends(bounds.bare(line))}
    stop = min((block.line for block in found), default=min(ends, default=len(lines) + 1))
    left = ends | taken
    rest = ((number, line) for number, line in enumerate(lines, 1) if number < stop and number not in left)
    commands, unknown = _commands(rest, strict=not found)
    said = tuple(sorted((*commands, *notes), key=lambda command: command.line))
    wrong = [*unknown, *wrong, *unclosed]
    return Understood(said, blocks[0] if blocks else None, tuple(wrong), later=tuple(later))


def _press(lines: Sequence[str]) -> tuple[list[str], tuple[Command, ...], tuple[Mistake, ...]]:
    """Take the letters to others out of a letter, wherever they stand: what is in them is no command and no order.

    What they leave behind is empty lines. Each is a command whose `said` is its text.
    """
    left, notes, wrong, at = list(lines), [], [], 0
    while at < len(lines):
        head = _PRESS.fullmatch(bounds.bare(lines[at]))
        if head is None:
            at += 1
            continue
        end = at + 1
        while end < len(lines) and not _END_PRESS.fullmatch(bounds.bare(lines[end])):
            end += 1
        text = "\n".join(lines[at + 1 : end])
        if end == len(lines):
            why = msg("This letter to others has no ENDPRESS: I do not know where it ends, and passed nothing on.")
            wrong.append(mistake(at + 1, lines[at], lines[at].strip(), why))
        else:
            spanish = head["word"] == "prensa"
            notes.append(Command("press", at + 1, head["to"].strip(), text, lines[at], head["word"].upper(), spanish))
        left[at : end + 1] = [""] * len(left[at : end + 1])
        at = end + 1
    return left, tuple(notes), tuple(wrong)


def _joined(blocks: Sequence[Block]) -> Block:
    """Standing orders of several scopes, each between its own two lines, as one block that keeps their line numbers."""
    first, last = blocks[0], blocks[-1]
    lines = [""] * (last.first + len(last.lines) - first.first)
    for block in blocks:
        at = block.first - first.first
        lines[at : at + len(block.lines)] = block.lines
    return first._replace(lines=tuple(lines), end=last.end)


def _squeezed(block: Block) -> str:
    return "\n".join(" ".join(fold(line).split()) for line in block.lines)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Every block, closed or not; an unclosed one ends before the next header or with the letter."""
    at = 0
    while at < len(lines):
        head = bounds.bare(lines[at])
        orders = bounds.header(head)
        if orders is None and not _opens_standing(head):
            at += 1
            continue
        ends = bounds.ends if orders else bounds.ends_standing
        end, closed = at + 1, False
        while end < len(lines) and not (closed := ends(word := bounds.bare(lines[end]))) and not bounds.header(word):
            end += 1
        header, body = lines[at].strip(), tuple(line.rstrip() for line in lines[at + 1 : end])
        last = lines[end].strip() if closed else ""
        if orders:
            yield Block(at + 1, header, orders.turn, orders.nonce, at + 2, body, last, word=orders.word)
        else:
            yield Block(at + 1, header, None, "", at + 1, (header, *body, last), last, standing=True)
        at = end + 1 if closed else end


def _opens_standing(line: str) -> bool:
    rest = bounds.standing(line)
    return rest is not None and not _TEMPER.match(rest)


def _blank(mark: re.Match[str]) -> str:
    """What stands in the place of a mark, so that every word stays where it is."""
    return f"{mark[1]} "


def _extent(block: Block) -> range:
    """The line numbers that a block takes up."""
    return range(block.line, block.first + len(block.lines) + (1 if block.end and not block.standing else 0))


def _unclosed(block: Block) -> Mistake:
    if block.standing:
        why = msg("ENDSTANDING is missing, on a line of its own; the letter may have been cut short.")
    else:
        why = msg("END is missing, on a line of its own below the orders; the letter may have been cut short.")
    return mistake(block.line, block.header, block.header, why)


def _two(first: Block, second: Block) -> Mistake:
    if first.standing != second.standing:
        why = msg(
            "Standing orders stand above the END of the orders, or in a letter of their own; here are two blocks, in "
            "lines {one} and {other}.",
            one=first.line,
            other=second.line,
        )
        return mistake(second.line, second.header, second.header, why)
    why = msg(
        "There are two different blocks of orders, in lines {one} and {other}; send the one that counts.",
        one=first.line,
        other=second.line,
    )
    return mistake(second.line, second.header, second.header, why)


def _commands(lines: Iterable[tuple[int, str]], *, strict: bool) -> tuple[tuple[Command, ...], tuple[Mistake, ...]]:
    """Read the lines outside blocks, up to a signature.

    With `strict` a line that begins like a command and goes on otherwise is an error from the start; in front of a
    block it may be a greeting ("Status: all is well here").
    """
    said: list[Command] = []
    wrong: list[Mistake] = []
    for number, line in lines:
        bare = fold(line).strip()
        started = bool(said or wrong)
        if SIGNATURE.fullmatch(bare) or (started and CLOSING.fullmatch(bare)):
            break
        for words in _parts(line):
            command = _command(number, line, words)
            part = " ".join(key for key, _ in words)
            if command is not None:
                said.append(command)
            elif started or said or part.startswith("@") or (strict and _begins_like_one(part)):
                wrong.append(_unknown(number, line, part))
    return tuple(said), tuple(wrong)


def _parts(line: str) -> Iterator[list[tuple[str, str]]]:
    """The commands of a line without its comment, each as its words, folded and as written."""
    bare = _COMMENT.split(_HAPPENING.sub(r"\1 ", line), maxsplit=1)[0]
    # What is said to others is prose: nothing in it parts commands or begins a comment.
    for part in [line] if _PROSE.match(bounds.bare(line)) else _SEMICOLON.split(bare):
        said = part.lstrip("¡¿ \t\xa0").rstrip(".!… \t\xa0")
        words = [(key, word) for word in said.split() if (key := fold(word).strip())]
        if words:
            yield words


def _command(number: int, line: str, words: Sequence[tuple[str, str]]) -> Command | None:
    keys = [key for key, _ in words]
    if ANSWERS.fullmatch(" ".join(keys)):
        return Command("respond", number, " ".join(keys), " ".join(word for _, word in words), line)
    for form in COMMANDS:
        for phrase in form.phrases:
            phrased = fold(phrase).split()
            length = len(phrased)
            rest = " ".join(keys[length:])
            if keys[:length] == phrased and form.rest.fullmatch(rest):
                said = " ".join(word for _, word in words[length:])
                spanish = fold(form.spanish).split()[:1] == phrased[:1]
                return Command(form.name, number, rest, said, line, phrase, spanish)
    return None


def _begins_like_one(part: str) -> bool:
    known = (fold(phrase) + " " for form in COMMANDS for phrase in form.phrases)
    return bool(bounds.meant(part) or _WITHDRAW.fullmatch(part)) or any(
        (part + " ").startswith(phrase) for phrase in known
    )


def _unknown(number: int, line: str, part: str) -> Mistake:
    """A line that is no command, with what may have been meant: only whole examples are offered."""
    meant = bounds.meant(part)
    if meant == bounds.ORDERS[0]:
        why = msg("A block of orders begins with ORDERS and the turn, such as ORDERS T3.")
        return mistake(number, line, line.strip(), why, ())
    if meant == bounds.LATER[0]:
        why = msg("A block for a turn to come begins with LATER and the turn, such as LATER T5.")
        return mistake(number, line, line.strip(), why, ())
    if part.startswith("@"):
        why = msg("@ marks a line to be repeated, within a block of orders; this one stands outside of one.")
        return mistake(number, line, line.strip(), why, ())
    if _WITHDRAW.fullmatch(part):
        return mistake(number, line, line.strip(), _TWO_MEANINGS, ())
    words = {fold(phrase): form.example for form in COMMANDS if form.example for phrase in form.phrases}
    near = get_close_matches(part, words, n=3, cutoff=0.75)
    near += [word for word in words if part.startswith(word + " ") and word not in near]
    why = msg("This is not a command I know; nothing in the letter was carried out.")
    return mistake(number, line, line.strip(), why, tuple(dict.fromkeys(words[word] for word in near))[:3])
