"""A moderator's letter: questions are answered at once, rulings made when the code mailed for them comes back.

A letter is all or nothing. Whatever comes of it goes to the registered address of the moderator alone, wherever it
came from; a letter whose From is known to be false is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbem.engine.data.messages import Msg, msg
from pbem.letters import moderators, outbox, senders
from pbem.letters.content import Head
from pbem.letters.moderators import Moderator
from pbem.letters.reception import Claim, Incoming
from pbem.letters.rulings import Offer, Redeemed, RulingLine, RulingRole, Rulings
from pbem.mail.address import SeatAddress
from pbem.play.rulings import ruling_lines
from pbem.play.rulings.briefing import QUESTIONS, ModeratorLetter
from pbem.play.rulings.ruling_context import RulingContext, context_of
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime import tokens
from pbem.runtime.transaction import MODERATOR, Broken, Server, Work
from pbem.store import changes, queries, tables

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

KNOWN: Rulings[RulingContext] = Rulings(RULINGS, QUESTIONS)
"""All that a moderator may write."""

_NOT_HIS = msg("You have a seat in this game: whoever runs the server corrects what not everybody may know.")
_AGAIN = msg("Send your lines without a code, and I mail you what they would do, with a new one.")
_USED = msg("This code was used, and made {rulings}. A code is good once.")
_OTHER_LINES = msg("This code was given for other lines than those above it. Send it alone, or the new lines alone.")
_GONE_ON = msg("The game has gone on since you were sent this code: another phase is open, or something was ruled.")


@dataclass(kw_only=True)
class ModeratorAnswer(ModeratorLetter):
    """A moderator's letter being worked on: what rulings do to his game, and the draft that a code was given for."""

    KNOWN = KNOWN

    draft: tables.Draft | None = None
    made: list[str] = field(default_factory=list)

    def context(self) -> RulingContext:
        """His game as it stands."""
        return context_of(self, self.moderator.game.id)

    def preview(self, context: RulingContext, order: RulingLine) -> Sequence[Msg]:
        """What a ruling would do; what not everybody may know is not told to one who plays."""
        if order.ruling.private and moderators.seats_of(self.session, context.game.id, self.moderator.email):
            raise Broken(_NOT_HIS)
        return super().preview(context, ruling_lines.by_ids(context, order))

    def audience(self) -> Sequence[Msg]:
        """The players of his game, and who watches it."""
        seats = queries.games.seats(self.session, self.moderator.game.id)
        players = tuple(seat.name for seat in seats if seat.person_id is not None)
        watching = len(queries.people.observers(self.session, self.moderator.game.id))
        told = msg("Players of: {seats}.", seats=players or ("-",))
        return [told, msg("Observers: {count}.", count=watching)] if watching else [told]

    def offer(self, orders: Sequence[RulingLine]) -> Offer:
        """Keep rulings until their code comes back, and forget those, of all games, that were asked for long ago."""
        changes.forget_drafts(self.session, self.now - KEPT)
        phase, after = self._stand()
        lines = "\n".join(order.line for order in orders)
        game, generation = self.moderator.game.id, self.moderator.row.generation
        row = tables.Draft(
            game_id=game, generation=generation, lines=lines, asked=self.now, phase_id=phase, after=after
        )
        self.session.add(row)
        self.session.flush()
        return Offer(_code(self.server, row), _good_until(row))

    def redeem(self, code: str, said: Sequence[RulingLine]) -> Redeemed:
        """Find the draft that a code was given for; it is good once, for its lines, and for the game as it stood."""
        rows = queries.rulings.drafts(self.session, self.moderator.row, _LAST)
        row = self.draft = next((row for row in rows if tokens.same(_code(self.server, row), code)), None)
        if row is None:
            why = msg("This code is not one that I gave you for {game}.", game=self.moderator.game.id)
            return Redeemed(why=(why, _AGAIN))
        if row.made is not None:
            return Redeemed(why=(msg(_USED.text, rulings=tuple(row.numbers.split())),))
        if said and "\n".join(order.line for order in said) != row.lines:
            return Redeemed(why=(_OTHER_LINES,))
        why_not: tuple[Msg, ...] = ()
        if self.now > _good_until(row):
            why_not = (msg("This code is too old: a code is good for {hours} hours.", hours=HOURS),)
        elif self._stand() != (row.phase_id, row.after):
            why_not = (_GONE_ON,)
        return Redeemed(tuple(ruling_lines.read_line(line) for line in row.lines.split("\n")), why_not)

    def rule(self, order: RulingLine) -> Sequence[Msg]:
        """Make a ruling on his game."""
        ruled = ruling_lines.rule(self, self.moderator.game.id, order)
        self.made.append(ruled.name)
        return ruled.sentences

    def note_made(self) -> None:
        """Note which rulings the draft became."""
        if self.draft is not None:
            self.draft.made, self.draft.numbers = self.now, " ".join(self.made)
            self.session.add(self.draft)
            self.session.flush()

    def _stand(self) -> tuple[int | None, int]:
        """The game as a code is given for it: the phase going on, and the number of the last ruling."""
        game = self.moderator.game.id
        phase = queries.phases.played_phase(self.session, game)
        return phase.id if phase else None, queries.rulings.last_ruling(self.session, game)


def _code(server: Server, row: tables.Draft) -> str:
    """The code that makes a draft so: 8 characters of base32, of no other draft and no other lines."""
    day = row.asked.toordinal()
    return tokens.code(server.keys.key, day, "ruling", row.game_id, str(row.generation), str(row.id), row.lines)


def _good_until(row: tables.Draft) -> datetime:
    """The last moment at which its code is good."""
    return row.asked + timedelta(hours=HOURS)


@dataclass(frozen=True, kw_only=True)
class ModeratorRole(RulingRole[ModeratorAnswer]):
    """The moderator of a game, its row locked."""

    NAME = "moderator"
    KNOWN_RULINGS = KNOWN
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
        work, language = self.work, self.moderator.row.language
        return ModeratorAnswer(
            session=work.session,
            server=work.server,
            now=work.now,
            meter=work.meter,
            language=language,
            zone=self.zone,
            moderator=self.moderator,
        )


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
