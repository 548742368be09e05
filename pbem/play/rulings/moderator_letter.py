"""A moderator's letter: questions are answered at once, rulings made when the code mailed for them comes back.

A letter is all or nothing. Whatever comes of it goes to the registered address of the moderator alone, wherever it
came from; a letter whose From is known to be false is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.letters import moderators, outbox, senders
from pbem.letters.content import Head
from pbem.letters.moderators import Moderator
from pbem.letters.reception import Claim, Incoming, Role
from pbem.letters.rulings import Offer, Redeemed, RulingLine, Rulings, carry_out, is_something
from pbem.mail.address import SeatAddress
from pbem.play.rulings import ruling_lines
from pbem.play.rulings.briefing import QUESTIONS, ModeratorLetter
from pbem.play.rulings.ruling_context import RulingContext, context_of
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime import tokens
from pbem.runtime.transaction import MODERATOR, Broken, Server, Work
from pbem.store import queries, tables, writes

# Rulings asked for by letter: kept until a code comes back that was mailed to the moderator, and then made.
#
# A code is good once, for some hours, for the lines it was given for, and for the game as it stood then: when a phase
# has closed since, or something else was ruled, what was foretold may not be true any more, and another code is given.
#
# A draft is looked at for as long as somebody may still ask of its code, and no longer: what it made is a ruling of its
# own. A later draft of the same number has another code, for its day is another.


HOURS = 48
"""How long a code is good."""

KEPT = timedelta(days=30)
"""How long it is known of a code what it was for, and that it was used or is too old."""

_LAST = 200
"""Drafts among which a code is looked for."""


class DraftedAt(NamedTuple):
    """The game as it stood when a draft was made: the phase going on, and the number of the last ruling."""

    phase_id: int | None
    after: int


def keep_draft(work: Work, moderator: Moderator, orders: Sequence[RulingLine]) -> tables.Draft:
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


def draft_code(server: Server, row: tables.Draft) -> str:
    """The code that makes a draft so: 8 characters of base32, of no other draft and no other lines."""
    day = row.asked.toordinal()
    return tokens.code(server.key, day, "ruling", row.game_id, str(row.generation), str(row.id), row.lines)


def good_until(row: tables.Draft) -> datetime:
    """The last moment at which its code is good."""
    return row.asked + timedelta(hours=HOURS)


def find_draft(work: Work, moderator: Moderator, code: str) -> tables.Draft | None:
    """The draft that a code was given for, made or not; None if it is none that this moderator was sent."""
    rows = queries.rulings.drafts(work.session, moderator.row, _LAST)
    return next((row for row in rows if tokens.same(draft_code(work.server, row), code)), None)


def drafted_orders(row: tables.Draft) -> tuple[RulingLine, ...]:
    """The rulings of a draft."""
    return tuple(ruling_lines.read_line(line) for line in row.lines.split("\n"))


def why_unfit(row: tables.Draft, said: Sequence[RulingLine]) -> Msg | None:
    """Why a draft that was found is not made: its code was used, or came under other lines than its own."""
    if row.made is not None:
        return msg("This code was used, and made {rulings}. A code is good once.", rulings=tuple(row.numbers.split()))
    if said and "\n".join(order.line for order in said) != row.lines:
        return msg("This code was given for other lines than those above it. Send it alone, or the new lines alone.")
    return None


def why_outdated(work: Work, row: tables.Draft, game: tables.Game) -> Msg | None:
    """Why its code is not good any more, though its lines may be."""
    if work.now > good_until(row):
        return msg("This code is too old: a code is good for {hours} hours.", hours=HOURS)
    if _stand(work.session, game) != DraftedAt(row.phase_id, row.after):
        return msg("The game has gone on since you were sent this code: another phase is open, or something was ruled.")
    return None


def _stand(session: Session, game: tables.Game) -> DraftedAt:
    phase = queries.phases.played_phase(session, game.id)
    return DraftedAt(phase.id if phase else None, queries.rulings.last_ruling(session, game.id))


KNOWN: Rulings[RulingContext] = Rulings(RULINGS, QUESTIONS)
"""All that a moderator may write."""


@dataclass
class ModeratorAnswer(ModeratorLetter):
    """A moderator's letter being worked on: what rulings do to his game, and the draft that a code was given for."""

    KNOWN = KNOWN

    draft: tables.Draft | None = None
    made: list[str] = field(default_factory=list)

    @property
    def place(self) -> tuple[str, str]:
        return self.moderator.row.language, self.moderator.row.zone

    def context(self) -> RulingContext:
        return context_of(self, self.moderator.game.id)

    def preview(self, context: RulingContext, order: RulingLine) -> Sequence[Msg]:
        if order.ruling.private and moderators.seats_of(self.session, context.game.id, self.moderator.email):
            raise Broken(_NOT_HIS)
        return super().preview(context, ruling_lines.by_ids(context, order))

    def audience(self) -> Sequence[Msg]:
        seats = queries.games.seats(self.session, self.moderator.game.id)
        players = tuple(seat.name for seat in seats if seat.person_id is not None)
        told = [msg("Players of: {seats}.", seats=players or ("-",))]
        if watching := len(queries.people.observers(self.session, self.moderator.game.id)):
            told.append(msg("Observers: {count}.", count=watching))
        return told

    def offer(self, orders: Sequence[RulingLine]) -> Offer:
        row = keep_draft(self, self.moderator, orders)
        return Offer(draft_code(self.server, row), good_until(row))

    def redeem(self, code: str, said: Sequence[RulingLine]) -> Redeemed:
        row = self.draft = find_draft(self, self.moderator, code)
        if row is None:
            why = msg("This code is not one that I gave you for {game}.", game=self.moderator.game.id)
            return Redeemed(why=(why, _AGAIN))
        if (why_not := why_unfit(row, said)) is not None:
            return Redeemed(why=(why_not,))
        outdated = why_outdated(self, row, self.moderator.game)
        return Redeemed(drafted_orders(row), () if outdated is None else (outdated,))

    def rule(self, order: RulingLine) -> Sequence[Msg]:
        ruled = ruling_lines.rule(self, self.moderator.game.id, order)
        self.made.append(ruled.name)
        return ruled.sentences

    def note_made(self) -> None:
        if self.draft is not None:
            self.draft.made, self.draft.numbers = self.now, " ".join(self.made)
            self.session.add(self.draft)
            self.session.flush()


_NOT_HIS = msg("You have a seat in this game: whoever runs the server corrects what not everybody may know.")
_AGAIN = msg("Send your lines without a code, and I mail you what they would do, with a new one.")


@dataclass(frozen=True, kw_only=True)
class ModeratorRole(Role[ModeratorAnswer]):
    """The moderator of a game, its row locked."""

    NAME = "moderator"
    FALSE = msg("A letter to the moderator's address of {game} was not read: its From is false.")

    moderator: Moderator

    def head(self, answer: ModeratorAnswer | None = None) -> Head:
        """What heads a letter about his game."""
        return moderators.head_for(self.work, self.moderator)

    def envelope(self, answer: ModeratorAnswer | None = None) -> outbox.Envelope:
        """His registered address."""
        return outbox.Envelope(self.email, self.moderator.row.language, game=self.moderator.game)

    def answer(self, incoming: Incoming) -> ModeratorAnswer:
        """Begin the answer."""
        work = self.work
        return ModeratorAnswer(work.session, work.server, work.now, meter=work.meter, moderator=self.moderator)

    def wants(self, text: str) -> bool:
        """Tell whether a text holds a ruling, a question or a code."""
        return is_something(KNOWN, text, self.work.server.limits)

    def carry_out(self, answer: ModeratorAnswer, text: str) -> bool:
        """Rule, ask for a code or answer; return whether a text says nothing."""
        return carry_out(answer, text)


def claim(work: Work, address: SeatAddress) -> Claim | None:
    """Find out whether an address speaks for a game's moderator; None if it is none of his."""
    game = queries.games.game(work.session, address.game) if address.seat == MODERATOR else None
    if game is None:
        return None
    moderator = moderators.moderator_of(work.session, game)
    good = moderator is not None and moderators.has_token(work.server, moderator.row, address.token)
    if moderator is None or not good:
        return Claim("rotated" if good is None else "wrong")
    written = senders.written_by_moderator(work, moderator)
    role = ModeratorRole(
        work=work,
        about=game.id,
        email=moderator.email,
        zone=moderator.row.zone,
        written=written,
        game=game.id,
        moderator=moderator,
    )
    return Claim("token", role)
