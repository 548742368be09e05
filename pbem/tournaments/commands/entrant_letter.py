"""A letter to an entrant's address: all or nothing, answered at his registered address alone, wherever it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from pbem.engine.data.messages import msg
from pbem.letters import content, outbox, senders
from pbem.letters.commands import Form, Line
from pbem.letters.content import Head
from pbem.letters.reception import Claim, Incoming, Role, worth
from pbem.letters.role_commands import RoleCommands
from pbem.mail.address import SeatAddress
from pbem.runtime import tokens
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import bidding, post
from pbem.tournaments.commands import captains, challenging, disputing, levels, offers, overview, presence, questions
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand


def help_(answer: EntrantAnswer, command: Line) -> None:
    """What can be written to this address."""
    language = answer.row.language
    there = [one for one in COMMANDS if one.where(answer)]
    pairs = [(one.form.example, one.form.spanish) for one in there]
    lines = [(0, line) for one in there for line in one.help]
    answer.say(
        "help",
        msg("One command a line; case and accents do not matter. Orders go to the addresses of your games."),
        blocks=(
            content.block(msg("What you can write"), content.beside(pairs, language)),
            content.sentences(msg("Help on tournaments"), lines),
        ),
    )


HELP = EntrantCommand(Form("help", ("HELP", "AYUDA"), presence.ANYWORD, "HELP", "AYUDA"), help_)
COMMANDS: tuple[EntrantCommand, ...] = (
    *overview.COMMANDS,
    HELP,
    *presence.COMMANDS,
    *offers.COMMANDS,
    *captains.COMMANDS,
    *challenging.COMMANDS,
    *bidding.COMMANDS,
    *questions.COMMANDS,
    *levels.COMMANDS,
    *disputing.COMMANDS,
)
KNOWN: RoleCommands[EntrantAnswer] = RoleCommands(COMMANDS, HELP)
"""How they are written and carried out."""


@dataclass(frozen=True, kw_only=True)
class EntrantRole(Role[EntrantAnswer]):
    """An entrant of a tournament, its row locked."""

    NAME = "entrant"
    READER = KNOWN
    FALSE = msg("A letter to an entrant's address in {game} was not read: its From is false.")

    event: tables.Tournament
    row: tables.Entrant

    def head(self, answer: EntrantAnswer | None = None) -> Head:
        """What heads a letter about his tournament."""
        return post.head_for(self.work, self.event, self.row)

    def envelope(self, answer: EntrantAnswer | None = None) -> outbox.Envelope:
        """His registered address, as he wants his letters by now."""
        return outbox.Envelope(self.email, self.row.language, format=self.row.format)

    def answer(self, incoming: Incoming) -> EntrantAnswer:
        """Begin the answer."""
        work = self.work
        return EntrantAnswer(
            **work.shared,
            event=self.event,
            row=self.row,
            inbox=incoming.row,
        )


_NUMBER = re.compile(r"e(\d{1,9})")
"""What stands in the place of a seat in an entrant's address: ``e7``."""


def claim(work: Work, address: SeatAddress) -> Claim | None:
    """Find out which entrant an address speaks for; None if it is that of no entrant."""
    number = _NUMBER.fullmatch(address.seat)
    event = queries.tournaments.tournament(work.session, address.game) if number is not None else None
    if event is None or number is None:
        return None
    row = queries.tournaments.entrant(work.session, event.id, int(number[1]))
    email = queries.persons.email_of(work.session, row.person_id) if row is not None else None
    if row is None or email is None:
        return Claim("wrong")
    token_of = partial(tokens.entrant, work.server.keys.key, event.id, row.number)
    kind = worth(address.token, row.generation, token_of)
    if kind != "token":
        return Claim(kind)
    written = senders.written_by(work, EntrantRole.NAME, email)
    return Claim(
        "token",
        EntrantRole(work=work, about=event.id, email=email, zone=row.zone, written=written, event=event, row=row),
    )
