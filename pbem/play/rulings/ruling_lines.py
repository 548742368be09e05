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
    FORBID PRESS spain             a seat may not write to others; ALLOW PRESS spain (press_rulings.py)
    AWARD spain 2                  victory points to a side, or from it (awards.py)
    BEACON CHANGE T3.spain none    what dice follow from if the beacon's round does not come (beacon_change.py)
    EDIT, READJUDICATE, REOPEN     what has happened is changed (corrections.py, readjudication.py, reopen.py)

PREDICT and EXPORT only look, and are no rulings. A ruling may be made from the command line or by letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine.data.languages import chosen, heard, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import outbox
from pbem.play import log_entries
from pbem.play.commands.questions import prediction
from pbem.play.rulings import words
from pbem.play.rulings.context import Order, RulingContext, context_of
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime.acts import Act, Kind
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables, writes


class Ruled(NamedTuple):
    """A ruling that was made: its number, ``M4``, and what everybody was told."""

    name: str
    sentences: tuple[Msg, ...]


LOOKS = ("PREDICT", "EXPORT")
"""What only looks: no ruling, no reason, and nobody is told."""

_LOOKED = {"PREVER": "PREDICT", "EXPORTAR": "EXPORT"}
_SPANISH = _LOOKED | {spanish: word for word, spanish in words.SPANISH.items()}
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


def read(line: str) -> Order:
    """Read a moderator's line; Broken with the way out if it is none or lacks its reason."""
    found = _LINE.fullmatch(line)
    begins = word(found[1]) if found else ""
    if found is None or not begins:
        known = (
            *map(words.word, RULINGS),
            *(in_each(partial(chosen, english=one, spanish=other)) for other, one in _LOOKED.items()),
        )
        raise Broken(msg("{line} is no moderator's line; there are: {words}.", line=repr(line[:60]), words=known))
    bare = begins in LOOKS or RULINGS[begins].bare
    rest, *because = (_REASON_IN_PROSE if bare else _REASON).split(found[2], maxsplit=1)
    order = Order(begins, rest.strip(), "".join(because).strip())
    if not order.because and not bare:
        raise Broken(msg("A ruling has a reason: {word} ... BECAUSE and why.", word=words.word(begins)))
    return order


def foretold(context: RulingContext, order: Order) -> tuple[Msg, ...]:
    """What everybody would be told of a ruling besides its line; Broken if it cannot be made. Nothing is changed."""
    return tuple(RULINGS[order.word].told(context, _by_ids(context, order)))


def _by_ids(context: RulingContext, order: Order) -> Order:
    called = context.server.rules_of(context.game).telling.called
    return order._replace(rest=words.by_ids(order.word, order.rest, called))


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
    log_entries.note_ruling(work, context.game, row, prediction.text_of(row))
    said = [prediction.sentence(row), *told, *([prediction.reason(because)] if because else [])]

    def opening(zone: str) -> Sequence[Msg]:
        return said

    # Everybody is told before it takes effect: letters go out in the order in which they are written.
    outbox.to_all(work, context.game, going, outbox.Circular(opening, cause=f"ruling {number}"))
    RULINGS[order.word].make(context, order)
    work.tell(Act(Kind.RULED, context.game, going, cause=f"ruling {number}"))
    return Ruled(f"M{number}", tuple(said))
