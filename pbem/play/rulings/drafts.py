"""Rulings asked for by letter: kept until a code comes back that was mailed to the moderator, and then made.

A code is good once, for some hours, for the lines it was given for, and for the game as it stood then: when a phase has
closed since, or something else was ruled, what was foretold may not be true any more, and another code is given.

A draft is looked at for as long as somebody may still ask of its code, and no longer: what it made is a ruling of its
own. A later draft of the same number has another code, for its day is another.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.letters.moderators import Moderator
from pbem.play.rulings import ruling_lines
from pbem.play.rulings.context import Order
from pbem.runtime import tokens
from pbem.runtime.transaction import Broken, Server, Work
from pbem.store import queries, tables, writes

HOURS = 48
"""How long a code is good."""

KEPT = timedelta(days=30)
"""How long it is known of a code what it was for, and that it was used or is too old."""

_LAST = 200
"""Drafts among which a code is looked for."""


class Unmade(Exception):
    """A draft of which one line, counted from 0, cannot be made any more; none of its rulings was made."""

    def __init__(self, line: int, why: Msg) -> None:
        super().__init__(line, why)
        self.line, self.why = line, why


class Stand(NamedTuple):
    """The game as it stood when a draft was made: the phase going on, and the number of the last ruling."""

    phase_id: int | None
    after: int


def keep(work: Work, moderator: Moderator, orders: Sequence[Order]) -> tables.Draft:
    """Keep rulings until their code comes back, and forget those, of all games, that were asked for long ago."""
    writes.forget_drafts(work.session, work.now - KEPT)
    row = tables.Draft(
        game_id=moderator.game.id,
        generation=moderator.row.generation,
        lines="\n".join(order.line for order in orders),
        asked=work.now,
        **_stand(work.session, moderator.game)._asdict(),
    )
    work.session.add(row)
    work.session.flush()
    return row


def code_of(server: Server, row: tables.Draft) -> str:
    """The code that makes a draft so: 8 characters of base32, of no other draft and no other lines."""
    day = row.asked.toordinal()
    return tokens.code(server.key, day, "ruling", row.game_id, str(row.generation), str(row.id), row.lines)


def until(row: tables.Draft) -> datetime:
    """The last moment at which its code is good."""
    return row.asked + timedelta(hours=HOURS)


def find(work: Work, moderator: Moderator, code: str) -> tables.Draft | None:
    """The draft that a code was given for, made or not; None if it is none that this moderator was sent."""
    rows = queries.rulings.drafts(work.session, moderator.row, _LAST)
    return next((row for row in rows if tokens.same(code_of(work.server, row), code)), None)


def orders_of(row: tables.Draft) -> tuple[Order, ...]:
    """The rulings of a draft."""
    return tuple(ruling_lines.read(line) for line in row.lines.split("\n"))


def unfit(row: tables.Draft, said: Sequence[Order]) -> Msg | None:
    """Why a draft that was found is not made: its code was used, or came under other lines than its own."""
    if row.made is not None:
        return msg("This code was used, and made {rulings}. A code is good once.", rulings=tuple(row.numbers.split()))
    if said and "\n".join(order.line for order in said) != row.lines:
        return msg("This code was given for other lines than those above it. Send it alone, or the new lines alone.")
    return None


def why_outdated(work: Work, row: tables.Draft, game: tables.Game) -> Msg | None:
    """Why its code is not good any more, though its lines may be."""
    if work.now > until(row):
        return msg("This code is too old: a code is good for {hours} hours.", hours=HOURS)
    if _stand(work.session, game) != Stand(row.phase_id, row.after):
        return msg("The game has gone on since you were sent this code: another phase is open, or something was ruled.")
    return None


def make(work: Work, row: tables.Draft) -> list[ruling_lines.Ruled]:
    """Make all rulings of a draft in their order, or none of them: then Unmade says which cannot be made, and why."""
    done: list[ruling_lines.Ruled] = []
    with work.session.begin_nested():
        for number, order in enumerate(orders_of(row)):
            try:
                done.append(ruling_lines.rule(work, row.game_id, order))
            except Broken as wrong:
                raise Unmade(number, wrong.why) from wrong
        row.made, row.numbers = work.now, " ".join(ruled.name for ruled in done)
        work.session.add(row)
        work.session.flush()
    return done


def _stand(session: Session, game: tables.Game) -> Stand:
    phase = queries.phases.played_phase(session, game.id)
    return Stand(phase.id if phase else None, queries.rulings.last_ruling(session, game.id))
