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
from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.letters import outbox
from pbem.letters.rulings import Ruled, RulingLine, Rulings, reason
from pbem.play import log_entries
from pbem.play.replay import Difference, differences
from pbem.play.rulings.ruling_context import RulingContext, context_of
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime.transaction import Act, Broken, Kind, Work
from pbem.store import hot_statements, queries, tables

LINES: Rulings[RulingContext] = Rulings(RULINGS)
"""What lines of rulings are read by."""
read_line = LINES.read_line

_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")
_TURN = re.compile(r"T(\d+)\.")
EVER = 10_000
"""A turn later than any that a game reaches: the open end of a range."""


def by_ids(context: RulingContext, order: RulingLine) -> RulingLine:
    """A line with the seat in it by its id."""
    return order.by_ids(context.server.rules_of(context.game).telling.called)


def rule(work: Work, name: str, order: RulingLine) -> Ruled:
    """Make a ruling on a game: number and keep it, tell everybody, and do it; Broken if it cannot be, with no change.

    The numbers of a game's rulings count from 1 and are never given twice.
    """
    context = context_of(work, name)
    order = by_ids(context, order)
    told = order.ruling.preview(context, order)
    number = 1 + queries.rulings.last_ruling(work.session, name)
    going = context.phase or queries.phases.closed_phase(work.session, name)
    phase = str(outbox.phase_of(going)) if going else ""
    # Nobody's address is told to the table, nor kept where an export shows it.
    text, because = (_ADDRESS.sub("...", part) for part in (order.text, order.because))
    row = tables.Ruling(game_id=name, number=number, at=work.now, phase=phase, line=text, reason=because)
    hot_statements.add_row(work.session, row)
    log_entries.note_ruling(work, context.game, row, text_of(row))
    said = [sentence(row), *told, *([reason(because)] if because else [])]

    def opening(zone: str) -> Sequence[Msg]:
        return said

    # Everybody is told before it takes effect: letters go out in the order in which they are written.
    outbox.to_all(work, context.game, going, outbox.Circular(opening, cause=f"ruling {number}"))
    order.ruling.do(context, order)
    work.tell(Act(Kind.RULED, context.game, going, cause=f"ruling {number}"))
    return Ruled(f"M{number}", tuple(said))


def made(session: Session, game: tables.Game, first: int, last: int) -> list[tuple[int, Msg]]:
    """What was ruled in the turns from `first` to `last`, 0 being before the game, each line with its depth."""
    lines: list[tuple[int, Msg]] = []
    for row in queries.rulings.rulings(session, game.id):
        turn = _TURN.match(row.phase)
        if first <= (int(turn[1]) if turn else 0) <= last:
            lines.append((0, sentence(row)))
            lines += [(1, reason(row.reason))] if row.reason else []
    return lines


def sentence(row: tables.Ruling) -> Msg:
    """A ruling as everybody is told it."""
    return msg(
        "Ruling {number} of the moderator: {text}",
        number=f"M{row.number}",
        text=LINES.told(text_of(row)),
    )


def text_of(row: tables.Ruling) -> str:
    """The line of a ruling, as far as everybody may know it."""
    word = row.line.partition(" ")[0]
    return word if LINES.is_private(word) else row.line


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
