"""The text of a moderator's letter read: one ruling or question a line, or the code that makes rulings so.

Example::

    Dear server,                                   greeting, skipped
    PROCESS T1.north BECAUSE both asked for it     a ruling
    ANNOUNCE The next phase will be longer, since so many
    are away.                                      the rest of a long line, as mail programs break them
    STATUS                                         a question
    CODE abcdefgh                                  makes so what was asked before, alone or under the same lines

Words are compared without case and accents, in English and Spanish alike. Nothing is carried out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.block import ends
from pbem.engine.orders.lex import close_matches, fold
from pbem.letters.content import Mistake, mistake
from pbem.letters.unparsed_lines import CLOSING, SIGNATURE
from pbem.play.rulings import ruling_lines
from pbem.play.rulings.context import Order
from pbem.play.rulings.rulings import RULINGS
from pbem.play.rulings.words import SPANISH
from pbem.runtime.limits import LIMITS, Excess, Limits
from pbem.runtime.transaction import Broken

QUESTIONS = {
    "STATUS": ("ESTADO", ""),
    "HISTORY": ("HISTORIA", "T1-T3"),
    "PREDICT": ("PREVER", ""),
    "DICE": ("DADOS", ""),
    "EXPORT": ("EXPORTAR", ""),
    "ROTATE": ("ROTAR", ""),
    "HELP": ("AYUDA", ""),
}
"""What is answered at once, with its word in Spanish and what may follow either."""

OFTEN = {"HISTORY": 3}
"""How often a question may stand in a letter; the others once."""

WRAPPED = 50
"""A line at least so long may have been broken by a mail program, and go on in the next."""

_WORDS = {word: word for word in QUESTIONS} | {spanish: word for word, (spanish, _) in QUESTIONS.items()}
_KNOWN = (*RULINGS, *SPANISH.values(), *_WORDS)
_CODE = re.compile(r"(?:code|codigo)\s*:?\s*(?P<code>\w*)\W*")
_COMMENT = ("#", "//")
_LONGEST = 30
"""Signs that are held against the words known here."""


class Question(NamedTuple):
    """Something to be answered at once: its word in English and what follows, folded; or a code, with the word CODE."""

    line: int
    text: str
    word: str
    rest: str


class Dictated(NamedTuple):
    """A ruling that is asked for, with the line of the letter that it begins on, and all of its text."""

    line: int
    text: str
    order: Order


class Dictation(NamedTuple):
    """What a moderator's letter says. With anything `wrong`, or a limit passed (`excess`), nothing of it counts."""

    rulings: tuple[Dictated, ...] = ()
    questions: tuple[Question, ...] = ()
    codes: tuple[Question, ...] = ()
    wrong: tuple[Mistake, ...] = ()
    excess: Excess | None = None


class _Part(NamedTuple):
    """One command with the number of its first line, and its whole text."""

    line: int
    text: str


def read(text: str, limits: Limits = LIMITS) -> Dictation:
    """Read what is left of a moderator's letter when quotes and signatures are cut; what passes a limit is not read."""
    lines = text.split("\n")
    if len(lines) > limits.lines:
        return Dictation(excess=Excess("lines", limits.lines))
    rulings: list[Dictated] = []
    questions: list[Question] = []
    codes: list[Question] = []
    wrong: list[Mistake] = []
    for part in _parts(lines):
        found = _one(part) if len(part.text) <= limits.line else _told(part.line, part.text, _longer(limits.line))
        if isinstance(found, Dictated):
            rulings.append(found)
        elif isinstance(found, Mistake):
            wrong.append(found)
        else:
            (codes if found.word == "CODE" else questions).append(found)
        if len(rulings) + len(questions) + len(codes) > limits.commands:
            return Dictation(excess=Excess("commands", limits.commands))
        if len(wrong) >= limits.mistakes:
            break
    wrong += [_told(code.line, code.text, _TWO_CODES) for code in codes[1:]]
    return Dictation(tuple(rulings), tuple(questions), tuple(codes[:1]), tuple(wrong))


def _longer(most: int) -> Msg:
    return msg("What a line of yours says, with what it goes on with, may have {count} characters.", count=most)


_TWO_CODES = msg("One code a letter; nothing of this one was carried out.")


def _parts(lines: list[str]) -> Iterator[_Part]:
    """The commands of a letter, each put together from its lines; what comes before the first is a greeting."""
    begun, pieces, going = 0, list[str](), False
    for number, line in enumerate(lines, 1):
        bare, said = fold(line).strip(), line.strip()
        if SIGNATURE.fullmatch(bare) or ends(bare) or (pieces and CLOSING.fullmatch(bare)):
            break
        goes_on, going = going, bool(bare)
        if not bare:
            continue
        if goes_on and len(pieces[-1]) >= WRAPPED and not (_head(said).isupper() and _like_one(said)):
            pieces.append(said)
        elif not bare.startswith(_COMMENT) and (pieces or _like_one(said)):
            if pieces:
                yield _Part(begun, " ".join(pieces))
            begun, pieces = number, [said]
        else:
            going = False
    if pieces:
        yield _Part(begun, " ".join(pieces))


def _one(part: _Part) -> Dictated | Question | Mistake:
    head, _, rest = fold(part.text).strip().partition(" ")
    code = _CODE.fullmatch(fold(part.text).strip())
    if code is not None:
        if re.fullmatch(r"[a-z2-7]{8}", code["code"]):
            return Question(part.line, part.text, "CODE", code["code"])
        return _told(part.line, part.text, msg("A code has 8 letters and digits, as it was mailed to you."))
    word = _WORDS.get(head.strip(".:!?").upper())
    if word is not None:
        return Question(part.line, part.text, word, rest.strip())
    try:
        order = ruling_lines.read(part.text)
    except Broken as wrong:
        return _told(part.line, part.text, wrong.why)
    if order.word in ruling_lines.LOOKS:
        # With a sign at its end the word was not found above; it is a question all the same.
        return Question(part.line, part.text, order.word, fold(order.rest))
    return Dictated(part.line, part.text, order)


def _told(line: int, text: str, why: Msg) -> Mistake:
    return mistake(line, text, text, why)


def _head(said: str) -> str:
    return re.split(r"\W", said[:_LONGEST], maxsplit=1)[0]


def _like_one(said: str) -> bool:
    """Whether a line begins with a word that is meant here, or nearly so."""
    head = fold(_head(said)).upper()
    return head in ("CODE", "CODIGO") or bool(close_matches(head, _KNOWN, n=1, cutoff=0.8))
