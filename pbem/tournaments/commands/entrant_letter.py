"""Process a letter to an entrant's address, all or nothing, and answer him alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from pbem.engine.data.messages import msg
from pbem.letters import content, outbox, senders
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import LetterHead
from pbem.letters.reception import AddressState, IncomingFromRole, Role, token_state
from pbem.letters.role_commands import RoleCommands
from pbem.mail.address import SeatAddress
from pbem.runtime import tokens
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import bidding, choosing, post
from pbem.tournaments.commands import captains, challenging, disputing, levels, offers, overview, presence, questions
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand


def answer_help(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with the commands of this address."""
    language = answer.row.language
    available = [entry for entry in COMMANDS if entry.where(answer)]
    pairs = [(entry.form.example, entry.form.spanish) for entry in available]
    lines = [(0, line) for entry in available for line in entry.help]
    answer.say(
        "help",
        msg("One command a line; case and accents do not matter. Orders go to the addresses of your games."),
        blocks=(
            content.titled_block(msg("What you can write"), content.two_columns(pairs, language)),
            content.sentence_block(msg("Help on tournaments"), lines),
        ),
    )


HELP = EntrantCommand(CommandForm("help", ("HELP", "AYUDA"), presence.ANYWORD, "HELP", "AYUDA"), answer_help)
COMMANDS: tuple[EntrantCommand, ...] = (
    *overview.COMMANDS,
    HELP,
    *presence.COMMANDS,
    *offers.COMMANDS,
    *captains.COMMANDS,
    *challenging.COMMANDS,
    *bidding.COMMANDS,
    *choosing.COMMANDS,
    *questions.COMMANDS,
    *levels.COMMANDS,
    *disputing.COMMANDS,
)
KNOWN: RoleCommands[EntrantAnswer] = RoleCommands(COMMANDS, HELP)
"""The reader of these commands."""


@dataclass(frozen=True, kw_only=True)
class EntrantRole(Role[EntrantAnswer]):
    """The role of an entrant of a tournament."""

    NAME = "entrant"
    READER = KNOWN
    FALSE = msg("A letter to an entrant's address in {game} was not read: its From is false.")

    event: tables.Tournament
    row: tables.Entrant

    def head(self, answer: EntrantAnswer | None = None) -> LetterHead:
        """Return the head of a letter about his tournament."""
        return post.letter_head_for(self.work, self.event, self.row)

    def envelope(self, answer: EntrantAnswer | None = None) -> outbox.Recipient:
        """Return the envelope to his registered address, in his present format."""
        return outbox.Recipient(self.email, self.row.language, format=self.row.format)

    def answer(self, incoming: IncomingFromRole) -> EntrantAnswer:
        """Return the new answer to a letter."""
        tx = self.work
        return EntrantAnswer(
            **tx.context_fields,
            event=self.event,
            row=self.row,
            inbox=incoming.row,
        )


_NUMBER = re.compile(r"e(\d{1,9})")
"""The seat part of an entrant's address: ``e7``. Nine digits fit into a column of integers."""


def find_role_of_address(tx: Transaction, address: SeatAddress) -> AddressState | None:
    """Return whether a valid, replaced or wrong token names an entrant; else None."""
    number = _NUMBER.fullmatch(address.seat)
    event = queries.tournaments.tournament(tx.session, address.game) if number is not None else None
    if event is None or number is None:
        return None
    row = queries.tournaments.entrant(tx.session, event.id, int(number[1]))
    email = queries.persons.email_of(tx.session, row.person_id) if row is not None else None
    if row is None or email is None:
        return AddressState("wrong")
    token_of = partial(tokens.entrant_token, tx.server.keys.key, event.id, row.number)
    kind = token_state(address.token, row.generation, token_of)
    if kind != "token":
        return AddressState(kind)
    written = senders.count_letters_by(tx, EntrantRole.NAME, email)
    return AddressState(
        "token",
        EntrantRole(work=tx, about=event.id, email=email, zone=row.zone, written=written, event=event, row=row),
    )
