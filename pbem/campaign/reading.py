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
from typing import NamedTuple

from pbem.campaign.letters import Mistake, mistake
from pbem.core.lex import fold
from pbem.core.messages import msg

__all__ = ["COMMANDS", "MOST_LINES", "Block", "Command", "Form", "Understood", "read"]

MOST_LINES = 4_000
"""A letter with more lines is refused unread."""


class Form(NamedTuple):
    """How a command is written: its phrases in all languages, what may follow them, and an example in two of them."""

    name: str
    phrases: tuple[str, ...]
    rest: re.Pattern[str]
    example: str
    spanish: str


_NOTHING = re.compile("")
_LANGUAGE = re.compile(r"(en|english|ingles)|(es|espanol|spanish|castellano)")

COMMANDS: tuple[Form, ...] = (
    Form("status", ("STATUS", "ESTADO"), _NOTHING, "STATUS", "ESTADO"),
    Form("help", ("HELP", "AYUDA"), re.compile(r"(\S+ ?){0,3}"), "HELP", "AYUDA"),
    Form("cancel", ("CANCEL", "CANCELAR"), _NOTHING, "CANCEL", "CANCELAR"),
    Form(
        "cancel-standing",
        ("CANCEL STANDING", "CANCELAR DOCTRINA"),
        _NOTHING,
        "CANCEL STANDING",
        "CANCELAR DOCTRINA",
    ),
    Form("replace", ("REPLACE", "REEMPLAZAR"), _NOTHING, "REPLACE", "REEMPLAZAR"),
    Form("language", ("SET LANG", "SET LANGUAGE", "FIJAR IDIOMA"), _LANGUAGE, "SET LANG en", "FIJAR IDIOMA es"),
)
"""The commands of one line; one more is one more row here and one more handler in `commands`."""


class Command(NamedTuple):
    """A command of one line: its name, its line in the letter, and what follows its phrase, folded."""

    name: str
    line: int
    rest: str


class Block(NamedTuple):
    """A block of orders: the line of its header, what the header says, the lines between header and end.

    `turn` is None if the header names none. `standing` marks a block of standing orders alone, whose lines hold its
    own first and last line. ``lines[0]`` is line `first` of the letter; `end` is empty if the block has none.
    """

    line: int
    header: str
    turn: int | None
    nonce: str
    first: int
    lines: tuple[str, ...]
    end: str
    standing: bool = False

    @property
    def text(self) -> str:
        """What the game reads."""
        return "".join(line + "\n" for line in self.lines)


class Understood(NamedTuple):
    """What a letter says: its commands, at most one block, what is wrong with it."""

    commands: tuple[Command, ...] = ()
    block: Block | None = None
    wrong: tuple[Mistake, ...] = ()
    too_long: bool = False

    @property
    def empty(self) -> bool:
        """True if there is nothing to do and nothing to complain of."""
        return not (self.commands or self.block or self.wrong or self.too_long)


_ORDERS = re.compile(
    r"\W{0,3}(?:orders?|ordenes)(?:\s+t\s?(\d{1,4}))?\s*:?(?:\s*#\s?([a-z0-9]{2,16}))?\s*\W{0,3}\s*(?:(?:#|//)\s.*)?"
)
_ORDERS_WORD = re.compile(r"(?:orders?|ordenes)\b")
_END = re.compile(r"\W{0,3}(?:end|fin)\s*\W{0,3}\s*(?:(?:#|//).*)?")
_STANDING = re.compile(r"(?:standing|doctrina)\b.*")
_END_STANDING = re.compile(r"(?:endstanding|findoctrina)\s*[.;]?\s*(?:(?:#|//).*)?")
_SIGNATURE = re.compile(r"--\s*|__+|##-.*|\*\*+")
_CLOSING = re.compile(
    r"(?:(?:best|kind|warm|many)?\s*(?:regards|wishes)|best|cheers|thanks|thank you|yours|sincerely|bye"
    r"|(?:un |muchos |muchas |cordiales )?(?:saludos?|gracias|abrazo|abrazos)|atentamente|adios|hasta (?:luego|pronto))"
    r"\b.{0,40}"
)


def read(text: str) -> Understood:
    """Read what is left of a letter when quotes and signatures are cut.

    Of several different blocks none is taken: that is an error; one that stands there twice counts once.
    """
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        return Understood(too_long=True)
    found = tuple(_blocks(lines))
    taken = {number for block in found for number in _extent(block)}
    blocks = list({(block.turn, _squeezed(block)): block for block in reversed(found)}.values())[::-1]
    wrong = [_unclosed(block) for block in blocks if not block.end]
    if len(blocks) > 1:
        wrong.append(_two(blocks))
    stop = blocks[0].line if blocks else len(lines) + 1
    rest = ((number, line) for number, line in enumerate(lines, 1) if number < stop and number not in taken)
    commands, unknown = _commands(rest, strict=not blocks)
    return Understood(commands, blocks[0] if blocks else None, (*unknown, *wrong))


def _squeezed(block: Block) -> str:
    return "\n".join(" ".join(fold(line).split()) for line in block.lines)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Every block, closed or not; an unclosed one ends before the next header or with the letter."""
    at = 0
    while at < len(lines):
        head = _folded(lines[at])
        orders = _ORDERS.fullmatch(head)
        if orders is None and not _STANDING.fullmatch(head):
            at += 1
            continue
        stop = _END if orders else _END_STANDING
        end = at + 1
        while end < len(lines) and not (stop.fullmatch(word := _folded(lines[end])) or _ORDERS.fullmatch(word)):
            end += 1
        closed = end < len(lines) and stop.fullmatch(_folded(lines[end])) is not None
        header, body = lines[at].strip(), tuple(line.rstrip() for line in lines[at + 1 : end])
        last = lines[end].strip() if closed else ""
        if orders:
            turn = int(orders[1]) if orders[1] else None
            yield Block(at + 1, header, turn, orders[2] or "", at + 2, body, last)
        else:
            yield Block(at + 1, header, None, "", at + 1, (header, *body, last), last, standing=True)
        at = end + 1 if closed else end


def _folded(line: str) -> str:
    return fold(line[:300]).strip()


def _extent(block: Block) -> range:
    """The line numbers that a block takes up."""
    return range(block.line, block.first + len(block.lines) + (1 if block.end and not block.standing else 0))


def _unclosed(block: Block) -> Mistake:
    if block.standing:
        why = msg("These standing orders have no ENDSTANDING: the letter may have lost its end.")
    else:
        why = msg("These orders have no END: the letter may have lost its end.")
    return mistake(block.line, block.header, block.header, why)


def _two(blocks: Sequence[Block]) -> Mistake:
    second = blocks[1]
    why = msg(
        "There are two different blocks of orders, in lines {one} and {other}; send the one that counts.",
        one=blocks[0].line,
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
        if _SIGNATURE.fullmatch(bare) or (started and _CLOSING.fullmatch(bare)):
            break
        for part in _parts(bare):
            command = _command(number, part)
            if command is not None:
                said.append(command)
            elif started or said or (strict and _begins_like_one(part)):
                wrong.append(_unknown(number, line, part))
    return tuple(said), tuple(wrong)


def _parts(bare: str) -> Iterator[str]:
    """The commands of a folded line, without its comment."""
    bare = re.split(r"#|//", bare, maxsplit=1)[0]
    for part in bare.split(";"):
        words = " ".join(part.split()).rstrip(".!")
        if words:
            yield words


def _command(number: int, part: str) -> Command | None:
    for form in COMMANDS:
        for phrase in form.phrases:
            word = fold(phrase)
            if part == word or part.startswith(word + " "):
                rest = part[len(word) :].strip()
                if form.rest.fullmatch(rest):
                    return Command(form.name, number, rest)
    return None


def _begins_like_one(part: str) -> bool:
    known = (fold(phrase) + " " for form in COMMANDS for phrase in form.phrases)
    return bool(_ORDERS_WORD.match(part)) or any((part + " ").startswith(phrase) for phrase in known)


def _unknown(number: int, line: str, part: str) -> Mistake:
    """A line that is no command, with what may have been meant: only whole examples are offered."""
    if _ORDERS_WORD.match(part):
        why = msg("A block of orders begins with ORDERS and the turn, such as ORDERS T3.")
        return mistake(number, line, line.strip(), why, ())
    words = {fold(phrase): form.example for form in COMMANDS for phrase in form.phrases}
    near = get_close_matches(part, words, n=3, cutoff=0.75)
    near += [word for word in words if part.startswith(word + " ") and word not in near]
    why = msg("This is not a command I know; nothing in the letter was carried out.")
    return mistake(number, line, line.strip(), why, tuple(dict.fromkeys(words[word] for word in near))[:3])
