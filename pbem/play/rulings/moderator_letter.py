"""A moderator's letter: questions are answered at once, rulings made when the code mailed for them comes back.

A letter is all or nothing. Whatever comes of it goes to the registered address of the moderator alone, wherever it
came from; a letter whose From is known to be false is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.engine.data.messages import Msg, msg
from pbem.letters import moderators, outbox, senders
from pbem.letters.content import Head
from pbem.letters.moderators import Moderator
from pbem.letters.reception import Claim, Incoming, Role
from pbem.letters.rulings import Ruled, RulingLine, Rulings
from pbem.mail.address import SeatAddress
from pbem.play.rulings import ruling_lines
from pbem.play.rulings.briefing import QUESTIONS, ModeratorLetter
from pbem.play.rulings.ruling_context import RulingContext, context_of
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime.transaction import MODERATOR, Broken, Work
from pbem.store import queries, tables

KNOWN: Rulings[RulingContext] = Rulings(RULINGS, QUESTIONS)
"""All that a moderator may write."""

_NOT_HIS = msg("You have a seat in this game: whoever runs the server corrects what not everybody may know.")


@dataclass(kw_only=True)
class ModeratorAnswer(ModeratorLetter):
    """A moderator's letter being worked on: what rulings do to his game."""

    KNOWN = KNOWN

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

    def draft(self) -> tables.Draft:
        """Begin a draft of his; his game stands by the phase going on and the last ruling."""
        phase = queries.phases.played_phase(self.session, self.about)
        return tables.Draft(
            game_id=self.about,
            generation=self.moderator.row.generation,
            lines="",
            asked=self.now,
            phase_id=phase.id if phase is not None else None,
            after=queries.rulings.last_ruling(self.session, self.about),
        )

    def rule(self, order: RulingLine) -> Ruled:
        """Make a ruling on his game."""
        return ruling_lines.rule(self, self.about, order)


@dataclass(frozen=True, kw_only=True)
class ModeratorRole(Role[ModeratorAnswer]):
    """The moderator of a game, its row locked."""

    NAME = "moderator"
    READER = KNOWN
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
            **work.shared,
            about=self.about,
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
    written = senders.written_by(work, ModeratorRole.NAME, moderator.email)
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
