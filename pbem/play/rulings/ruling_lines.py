"""What a moderator may do to a game: one line a ruling, each numbered, with its reason, and told to all players.

Example::

    PROCESS T3.spain BECAUSE both sides asked for it

    PROCESS T3.spain               the open phase closes now with the orders that are in
    HOLD, RESUME                   no deadline runs; it goes on, with a new deadline if the old one is past
    DEADLINE 2031-05-04 20:00      the deadline of the open phase, in the zone of the game
    EXTEND 48h                     that deadline put off by so much
    WARN spain ...                 a word to one seat, seen by all
    SUBSTITUTE spain BY a@b.c      another player for a seat, with a new address
    ADJUDICATE ...                 the game ends with this result
    RULING A2 ...                  the answer to an appeal
    ANNOUNCE ...                   a word to all
    FORBID PRESS spain             a seat may not write to others; ALLOW PRESS spain
    AWARD spain 2                  victory points to a side, or from it
    BEACON CHANGE T3.spain none    what dice follow from if the beacon's round does not come
    EDIT, READJUDICATE, REOPEN     what has happened is changed (corrections.py, readjudication.py)

PREDICT and EXPORT only look, and are no rulings. A ruling may be made from the command line or by letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine.data.languages import chosen, heard, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.block import ends
from pbem.engine.orders.lex import close_matches, fold
from pbem.letters import outbox
from pbem.letters.commands import CLOSING, SIGNATURE
from pbem.letters.content import Mistake, mistake
from pbem.play import log_entries
from pbem.play.commands.questions import forecast
from pbem.play.replay import Difference, differences
from pbem.play.rulings import ruling_context
from pbem.play.rulings.ruling_context import SPANISH, Order, RulingContext, context_of
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime.limits import LIMITS, Excess, Limits
from pbem.runtime.transaction import Act, Broken, Kind, Work
from pbem.store import queries, tables, writes


class Ruled(NamedTuple):
    """A ruling that was made: its number, ``M4``, and what everybody was told."""

    name: str
    sentences: tuple[Msg, ...]


LOOKS = ("PREDICT", "EXPORT")
"""What only looks: no ruling, no reason, and nobody is told."""

_LOOKED = {"PREVER": "PREDICT", "EXPORTAR": "EXPORT"}
_SPANISH = _LOOKED | {spanish: word for word, spanish in ruling_context.SPANISH.items()}
_LINE = re.compile(r"\s*(\w+)\b(.*)", re.DOTALL)
_REASON = re.compile(r"\b(?:BECAUSE|PORQUE)\b\s*", re.IGNORECASE)
# Where no reason is asked for, what follows is prose, in which the same word may stand.
_REASON_IN_PROSE = re.compile(r"\b(?:BECAUSE|PORQUE)\b\s*")
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")


def word(text: str) -> str:
    """The word that a line of a moderator's may begin with, in English whatever it was written in; empty for others."""
    plain = heard((*RULINGS, *LOOKS), fold)(fold(text)).upper()
    plain = _SPANISH.get(plain, plain)
    return plain if plain in RULINGS or plain in LOOKS else ""


def read_line(line: str) -> Order:
    """Read a moderator's line; Broken with the way out if it is none or lacks its reason."""
    found = _LINE.fullmatch(line)
    begins = word(found[1]) if found else ""
    if found is None or not begins:
        known = (
            *map(ruling_context.ruling_word, RULINGS),
            *(in_each(partial(chosen, english=one, spanish=other)) for other, one in _LOOKED.items()),
        )
        raise Broken(msg("{line} is no moderator's line; there are: {words}.", line=repr(line[:60]), words=known))
    bare = begins in LOOKS or RULINGS[begins].bare
    rest, *because = (_REASON_IN_PROSE if bare else _REASON).split(found[2], maxsplit=1)
    order = Order(begins, rest.strip(), "".join(because).strip())
    if not order.because and not bare:
        raise Broken(msg("A ruling has a reason: {word} ... BECAUSE and why.", word=ruling_context.ruling_word(begins)))
    return order


def foretold(context: RulingContext, order: Order) -> tuple[Msg, ...]:
    """What everybody would be told of a ruling besides its line; Broken if it cannot be made. Nothing is changed."""
    return tuple(RULINGS[order.word].told(context, _by_ids(context, order)))


def _by_ids(context: RulingContext, order: Order) -> Order:
    called = context.server.rules_of(context.game).telling.called
    return order._replace(rest=ruling_context.by_ids(order.word, order.rest, called))


def rule(work: Work, name: str, order: Order) -> Ruled:
    """Make a ruling on a game: number and keep it, tell everybody, and do it; Broken if it cannot be, with no change.

    The numbers of a game's rulings count from 1 and are never given twice.
    """
    context = context_of(work, name)
    order = _by_ids(context, order)
    told = foretold(context, order)
    number = 1 + queries.rulings.last_ruling(work.session, name)
    going = context.phase or queries.phases.closed_phase(work.session, name)
    phase = str(outbox.phase_of(going)) if going else ""
    # Nobody's address is told to the table, nor kept where an export shows it.
    text, because = (_ADDRESS.sub("...", part) for part in (order.text, order.because))
    row = tables.Ruling(game_id=name, number=number, at=work.now, phase=phase, line=text, reason=because)
    writes.add_row(work.session, row)
    log_entries.note_ruling(work, context.game, row, forecast.text_of(row))
    said = [forecast.sentence(row), *told, *([forecast.reason(because)] if because else [])]

    def opening(zone: str) -> Sequence[Msg]:
        return said

    # Everybody is told before it takes effect: letters go out in the order in which they are written.
    outbox.to_all(work, context.game, going, outbox.Circular(opening, cause=f"ruling {number}"))
    RULINGS[order.word].make(context, order)
    work.tell(Act(Kind.RULED, context.game, going, cause=f"ruling {number}"))
    return Ruled(f"M{number}", tuple(said))


# What the rules installed here would change in stored games, before anything is changed; and applying it to one.


class Checked(NamedTuple):
    """A game held against the rules of today: how many phases it came by, and those that come out otherwise."""

    game: str
    state: str
    phases: int
    differences: tuple[Difference, ...]


def check_rules(work: Work, name: str) -> Checked:
    """Resolve every phase of a game again, each from its stored state; Broken if there is no such game."""
    found = differences(work, name)
    row = work.session.get_one(tables.Game, name)
    return Checked(name, row.state, len(queries.phases.resolved(work.session, name)), found)


def apply_rules(work: Work, name: str, because: str) -> Ruled:
    """READJUDICATE the first phase that comes out otherwise, with its reason and letters; Broken if there is none."""
    found = check_rules(work, name).differences
    if not found:
        raise Broken(msg("Nothing of {game} comes out otherwise; there is nothing to apply.", game=name))
    line = f"READJUDICATE {found[0].phase} BECAUSE {because}"
    return rule(work, name, read_line(line))


# The text of a moderator's letter read: one ruling or question a line, or the code that makes rulings so.
#
# Example::
#
#     Dear server,                                   greeting, skipped
#     PROCESS T1.north BECAUSE both asked for it     a ruling
#     ANNOUNCE The next phase will be longer, since so many
#     are away.                                      the rest of a long line, as mail programs break them
#     STATUS                                         a question
#     CODE abcdefgh                                  makes so what was asked before, alone or under the same lines
#
# Words are compared without case and accents, in English and Spanish alike. Nothing is carried out here.


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


def read_letter(text: str, limits: Limits = LIMITS) -> Dictation:
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
        order = read_line(part.text)
    except Broken as wrong:
        return _told(part.line, part.text, wrong.why)
    if order.word in LOOKS:
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
