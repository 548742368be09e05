"""From the cleaned text of a letter to commands, with the lines they stand on.

Example::

    Dear server,                 greeting, skipped
    SET LANG es                  a command
    ORDERS T3 #k7q2              a block: header, the game's own lines, END
    MOVE Leon TO C
    END                          reading stops here

Words are compared without case, accents or typography, in English and Spanish alike. Nothing is executed here,
and neither games nor commands are known: a block's lines are left to the game, the forms of commands are handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import NamedTuple

from pbem.campaign.base.budgets import LIMITS, Excess, Limits
from pbem.campaign.base.command_words import PRESETS, Form, Forms
from pbem.campaign.base.letters import Mistake, mistake, refused
from pbem.core.data.messages import Msg, msg
from pbem.core.game import Rejected
from pbem.core.orders import block as bounds
from pbem.core.orders import luck
from pbem.core.orders.lex import column_of, fold

__all__ = ["CLOSING", "SIGNATURE", "Block", "Line", "Understood", "read"]


class Line(NamedTuple):
    """A command as written: its name, its line in the letter, and what follows its phrase, folded and as it stands.

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
        """Return a refusal of this command; the caret goes under `word` in it, or under the whole line."""
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
        """What the game reads: the lines without the marks of those that are repeated, empty where LUCK is given, and
        where it says that it is the last."""
        return "".join(_REPEATED.sub(_blank, line) + "\n" for line in self.orders_alone.lines)

    @property
    def luck(self) -> tuple[tuple[int, str], ...]:
        """The words for the dice (`orders.luck`), each with its line."""
        return tuple((at, word) for at, line in enumerate(self.lines, 1) if (word := luck.given(line)) is not None)

    @property
    def done(self) -> tuple[int, ...]:
        """The lines that say that no more orders follow (DONE)."""
        return tuple(
            at for at, line in enumerate(self.lines, 1) if not self.standing and bounds.done(bounds.bare(line))
        )

    @property
    def orders_alone(self) -> Block:
        """The block with those lines made empty that give words for the dice, or say that no more orders follow."""
        others = {*self.done, *(at for at, _ in self.luck)}
        return self._replace(lines=tuple("" if at in others else line for at, line in enumerate(self.lines, 1)))

    @property
    def repeated(self) -> str:
        """The block's text with every line emptied that is not to be repeated (@); empty if none is."""
        marked = ((line, _REPEATED.match(line) is not None) for line in self.orders_alone.lines)
        lines = [_REPEATED.sub(_blank, line) if mark else "" for line, mark in marked]
        return "".join(line + "\n" for line in lines) if any(line.strip() for line in lines) else ""

    def mistakes(self, rejected: Iterable[Rejected]) -> list[Mistake]:
        """Refused lines, which a game counts from the block's first, as those of the letter."""
        found = []
        for bad in rejected:
            inside = 1 <= bad.line <= len(self.lines)
            line = bad.line + self.first - 1 if inside else self.line
            text = self.lines[bad.line - 1] if inside else self.header
            column = bad.column if bad.column >= 0 else column_of(text, bad.word[:_WORD])
            found.append(refused(bad._replace(line=line, column=column), text))
        return found


class Understood(NamedTuple):
    """What a letter says: its commands, at most one block, those for turns to come, what is wrong with it.

    With an `excess` it passes a limit, and nothing else of it is told.
    """

    commands: tuple[Line, ...] = ()
    block: Block | None = None
    wrong: tuple[Mistake, ...] = ()
    excess: Excess | None = None
    later: tuple[Block, ...] = ()

    @property
    def empty(self) -> bool:
        """True if there is nothing to do and nothing to complain of."""
        return not (self.commands or self.block or self.later or self.wrong or self.excess)


_WORD = 60
"""Characters of an unknown word that are compared with the words of commands."""
_REPEATED = re.compile(r"^(\s*)[@\uff20]")
# A temper's name after STANDING is a command of one line, no block.
_TEMPER = re.compile(rf"\s+(?:{'|'.join(word.lower() for words in PRESETS.values() for word in words)})\b")
_WITHDRAW = re.compile(r"withdraw|retirar(?:se|me)?")
_TWO_MEANINGS = msg(
    "WITHDRAW can mean two things and is not carried out: CANCEL takes your orders back, RESIGN gives your seat up."
)
_COMMENT = re.compile(r"#|//")
_SEMICOLON = re.compile(r"[;\uff1b]")
SIGNATURE = re.compile(r"--\s*|__+|##-.*|\*\*+")
CLOSING = re.compile(
    r"(?:(?:best|kind|warm|many)?\s*(?:regards|wishes)|best|cheers|thanks|thank you|yours|sincerely|bye"
    r"|(?:un |muchos |muchas |cordiales )?(?:saludos?|gracias|abrazo|abrazos)|atentamente|adios|hasta (?:luego|pronto))"
    r"\b.{0,40}"
)
"""Folded lines with which what somebody wrote ends: the second, a farewell, only after something was said."""


def read(text: str, forms: Forms, limits: Limits = LIMITS) -> Understood:
    """Read what is left of a letter when quotes and signatures are cut, by the forms that commands have.

    What passes one of the `limits` is not read; behind so many mistakes nothing is.

    Of several different blocks none is taken: that is an error; one that stands there twice counts once, and blocks of
    standing orders alone, one a scope, count together.
    """
    lines = text.split("\n")
    if len(lines) > limits.lines:
        return Understood(excess=Excess("lines", limits.lines))
    lines, notes, unclosed = _enclosed(lines, forms)
    found = tuple(_blocks(lines))
    if sum(map(_orders_in, found)) > limits.orders:
        return Understood(excess=Excess("orders", limits.orders))
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
    commands, unknown = _commands(rest, forms, limits, strict=not found)
    within = (_done(block, at, forms) for block in found for at in block.done)
    said = tuple(sorted((*commands, *notes, *filter(None, within)), key=lambda command: command.line))
    if len(said) > limits.commands:
        return Understood(excess=Excess("commands", limits.commands))
    wrong = [*unknown, *wrong, *unclosed, *(bad for block in found for bad in _too_long(block, limits.line))]
    return Understood(said, blocks[0] if blocks else None, tuple(wrong[: limits.mistakes]), later=tuple(later))


def _done(block: Block, at: int, forms: Forms) -> Line | None:
    """DONE in a block as the command that it is above one."""
    line = block.lines[at - 1]
    return _command(block.first + at - 1, line, next(iter(_parts(line, forms))), forms)


def _orders_in(block: Block) -> int:
    """The orders of a block: its lines that say something, each as often as semicolons part it."""
    return sum(1 + len(_SEMICOLON.findall(line)) for line in block.lines if line and not _COMMENT.match(line))


def _too_long(block: Block, most: int) -> Iterator[Mistake]:
    for number, line in enumerate(block.lines, block.first):
        if len(line) > most:
            yield _longer(number, line, most)


def _longer(number: int, line: str, most: int) -> Mistake:
    why = msg("This line has more than {count} characters; put the rest of it on lines of their own.", count=most)
    return mistake(number, line, line[:_WORD], why)


def _enclosed(lines: Sequence[str], forms: Forms) -> tuple[list[str], tuple[Line, ...], tuple[Mistake, ...]]:
    """Take the commands of several lines out of a letter, wherever they stand: nothing in them is a command or order.

    What they leave behind is empty lines. What each says is the lines between its first and its last.
    """
    left, notes, wrong, at = list(lines), [], [], 0
    while at < len(lines):
        form, head = _opened(bounds.bare(lines[at]), forms)
        if form is None or head is None or form.enclosed is None:
            at += 1
            continue
        end = at + 1
        while end < len(lines) and not form.enclosed.end.fullmatch(bounds.bare(lines[end])):
            end += 1
        text = "\n".join(lines[at + 1 : end])
        if end == len(lines):
            wrong.append(mistake(at + 1, lines[at], lines[at].strip(), form.enclosed.unclosed))
        else:
            word = head["word"]
            spanish = form.in_spanish(word)
            notes.append(Line(form.name, at + 1, head["to"].strip(), text, lines[at], word.upper(), spanish))
        left[at : end + 1] = [""] * len(left[at : end + 1])
        at = end + 1
    return left, tuple(notes), tuple(wrong)


def _opened(line: str, forms: Forms) -> tuple[Form | None, re.Match[str] | None]:
    """The command of several lines that a line begins, if any."""
    for form, enclosed in forms.enclosed:
        if head := enclosed.head.fullmatch(line):
            return form, head
    return None, None


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


def _commands(
    lines: Iterable[tuple[int, str]], forms: Forms, limits: Limits, *, strict: bool
) -> tuple[tuple[Line, ...], tuple[Mistake, ...]]:
    """Read the lines outside blocks, up to a signature, or up to one command or mistake more than there may be.

    With `strict` a line that begins like a command and goes on otherwise is an error from the start; in front of a
    block it may be a greeting ("Status: all is well here").
    """
    said: list[Line] = []
    wrong: list[Mistake] = []
    for number, line in lines:
        bare = fold(line).strip()
        started = bool(said or wrong)
        if SIGNATURE.fullmatch(bare) or (started and CLOSING.fullmatch(bare)):
            break
        if len(line) > limits.line and not forms.prose(bounds.bare(line)):
            if started or (strict and _begins_like_one(_SEMICOLON.split(bare[:_WORD])[0].strip(), forms)):
                wrong.append(_longer(number, line, limits.line))
            continue
        for words in _parts(line, forms):
            if len(said) > limits.commands or len(wrong) > limits.mistakes:
                return tuple(said), tuple(wrong)
            command = _command(number, line, words, forms)
            part = " ".join(key for key, _ in words)
            if command is not None:
                said.append(command)
            elif started or said or part.startswith("@") or (strict and _begins_like_one(part, forms)):
                wrong.append(_unknown(number, line, part, forms))
    return tuple(said), tuple(wrong)


def _parts(line: str, forms: Forms) -> Iterator[list[tuple[str, str]]]:
    """The commands of a line without its comment, each as its words, folded and as written."""
    counted = line
    for numbered in forms.numbered:
        counted = numbered.sub(r"\1 ", counted)
    bare = _COMMENT.split(counted, maxsplit=1)[0]
    # What is said to others is prose: nothing in it parts commands or begins a comment.
    for part in [line] if forms.prose(bounds.bare(line)) else _SEMICOLON.split(bare):
        said = part.lstrip("¡¿ \t\xa0").rstrip(".!… \t\xa0")
        words = [(key, word) for word in said.split() if (key := fold(word).strip())]
        if words:
            yield words


def _command(number: int, line: str, words: Sequence[tuple[str, str]], forms: Forms) -> Line | None:
    keys = [key for key, _ in words]
    for form, bare in forms.bare:
        if bare.fullmatch(" ".join(keys)):
            return Line(form.name, number, " ".join(keys), " ".join(word for _, word in words), line)
    for form, written, phrased, spanish in forms.beginning(keys[0]):
        length = len(phrased)
        rest = " ".join(keys[length:])
        if keys[:length] == phrased and form.rest.fullmatch(rest):
            said = " ".join(word for _, word in words[length:])
            return Line(form.name, number, rest, said, line, written, spanish)
    return None


def _begins_like_one(part: str, forms: Forms) -> bool:
    return bool(bounds.meant(part) or _WITHDRAW.fullmatch(part)) or forms.begin(part)


def _unknown(number: int, line: str, part: str, forms: Forms) -> Mistake:
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
    words = forms.offered
    near = get_close_matches(part[:_WORD], words, n=3, cutoff=0.75)
    near += [word for word in words if part.startswith(word + " ") and word not in near]
    why = msg("This is not a command I know; nothing in the letter was carried out.")
    return mistake(number, line, line.strip(), why, tuple(dict.fromkeys(words[word] for word in near))[:3])
