"""Process a director's letter: rulings, which a code confirms, and questions.

The answer goes to his registered address alone.

::

    EXTEND R2 48h BECAUSE a mail server was away       previewed, with a code
    CODE abcdefgh                                      confirmed
    STATUS, STANDINGS, DOCKET, RULES, ROTATE, HELP     answered at once

A letter is carried out whole or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pbem.engine.data.messages import Msg, msg
from pbem.letters import codes, content, outbox, senders
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import LetterHead
from pbem.letters.reception import AddressState, IncomingFromRole, Role, token_state
from pbem.letters.role_commands import RoleCommand
from pbem.letters.ruling_records import Ruling, RulingLine
from pbem.letters.rulings import HELP_QUESTION, MadeRuling, RulingAnswer, Rulings
from pbem.mail.address import SeatAddress
from pbem.play.seating import REPLACED
from pbem.runtime import tokens
from pbem.runtime.transaction import DIRECTOR, Transaction
from pbem.store import queries, tables
from pbem.tournaments import director_desk, entrant_rulings, office_rulings, post, record, rulings
from pbem.tournaments.commands.entrant_answer import EntrantAnswer
from pbem.tournaments.commands.questions import RULE_NUMBER, round_blocks, rules_error, rules_of_event, standing_blocks
from pbem.tournaments.entrant_rulings import DirectorContext

_LAST = 20
"""Lines of the docket in an answer, the last ones: a screen."""


def _answer_status(answer: DirectorAnswer, command: CommandLine) -> None:
    event = answer.event
    boards = round_blocks(answer, event, 0, event.director_language)
    status_blocks = [*director_desk.desk_blocks(answer, event), director_desk.entrants_block(answer, event)]
    status_blocks += [] if isinstance(boards, Msg) else boards
    answer.say("status", *director_desk.state_lines(answer, event), blocks=status_blocks)


def _answer_standings(answer: DirectorAnswer, command: CommandLine) -> None:
    answer.say("answer", blocks=standing_blocks(answer, answer.event, answer.event.director_language))


def _answer_docket(answer: DirectorAnswer, command: CommandLine) -> None:
    rows = queries.tournaments.docket(answer.session, answer.event.id)[-_LAST:]
    lines = [f"{row.number}. {rulings.docket_line(row, answer.event.director_language)}" for row in rows]
    notice = () if lines else (msg("Nothing has been ruled yet."),)
    blocks = [content.titled_block(msg("The docket"), lines)] if lines else []
    answer.say("answer", *notice, blocks=[*blocks, *director_desk.guest_blocks(answer, answer.event)])


def _answer_rules(answer: DirectorAnswer, command: CommandLine) -> None:
    language = answer.event.director_language
    answer.say("answer", blocks=rules_of_event(answer.server, answer.event, command.rest, language))


def _rotate_address(answer: DirectorAnswer, command: CommandLine) -> None:
    event, official = answer.event, answer.official
    if official is not None:
        official.generation += 1
        answer.session.add(official)
    else:
        event.director_generation += 1
        answer.session.add(event)
    answer.session.flush()
    address = answer.server.director_address(event, official)
    sentence = msg("You direct {event} from another address now: {address}.", event=event.id, address=address)
    answer.say("settings", sentence, REPLACED)


QUESTIONS = (
    RoleCommand(CommandForm("status", ("STATUS", "ESTADO"), NO_ARGUMENT, "STATUS", "ESTADO"), _answer_status),
    RoleCommand(
        CommandForm("standings", ("STANDINGS", "CLASIFICACION"), NO_ARGUMENT, "STANDINGS", "CLASIFICACION"),
        _answer_standings,
    ),
    RoleCommand(CommandForm("docket", ("DOCKET", "REGISTRO"), NO_ARGUMENT, "DOCKET", "REGISTRO"), _answer_docket),
    RoleCommand(
        CommandForm("rules", ("RULES", "RULE", "REGLAS", "REGLA"), RULE_NUMBER, "RULES E3.10", "REGLAS E3.10"),
        _answer_rules,
        rules_error,
    ),
    RoleCommand(CommandForm("rotate", ("ROTATE", "ROTAR"), NO_ARGUMENT, "ROTATE", "ROTAR"), _rotate_address),
    HELP_QUESTION,
)
"""The questions of a director."""

KNOWN: Rulings[DirectorContext] = Rulings(rulings.RULINGS, QUESTIONS)
"""All commands of a director."""


@dataclass(kw_only=True)
class DirectorAnswer(RulingAnswer, DirectorContext):
    """A letter of the director or a co-director.

    It has his locked tournament and the answer so far.
    """

    KNOWN = KNOWN
    CALLED = EntrantAnswer.CALLED

    official: tables.Appointment | None
    notices: list[office_rulings.RulingNotice] = field(default_factory=list)

    def context(self) -> DirectorContext:
        return self

    def number_names(self, ruling: Ruling[Any], rest: str) -> str:
        return entrant_rulings.with_numbers(self, self.event, ruling, rest)

    def preview(self, context: DirectorContext, order: RulingLine) -> Sequence[Msg]:
        """Return a ruling's effect, and the part of its reason that only some are told."""
        effects = super().preview(context, order)
        private = office_rulings.public_and_private_reason(order)[1]
        if not private:
            return effects
        names = tuple(record.public_entrant_name(row) for row in office_rulings.require_concerned(context, order))
        return [*effects, msg("To {who} alone: {reason}", who=names, reason=private)]

    def audience(self) -> Sequence[Msg]:
        rows = queries.tournaments.entrants(self.session, self.event.id)
        count = sum(row.state in post.RECIPIENT_STATES for row in rows)
        return [
            msg("One letter, with the number and the reason of each ruling."),
            msg("All who play or wait to play: {count}.", count=count),
        ]

    def draft(self) -> tables.Draft:
        """Return a new draft of rulings, valid for the present docket."""
        return tables.Draft(
            tournament_id=self.about,
            generation=self.event.director_generation,
            lines="",
            asked=self.now,
            after=len(queries.tournaments.docket(self.session, self.about)),
        )

    def is_older_code(self, code: str, lines: Sequence[str]) -> bool:
        """Return whether a code confirms these lines on the present docket."""
        draft = self.draft()
        return bool(lines) and codes.is_valid_code(
            self.server, code, "director", self.about, str(draft.generation), str(draft.after), *lines
        )

    def rule(self, order: RulingLine, *, is_last: bool = True) -> MadeRuling:
        """Make a ruling about his tournament."""
        return rulings.make_ruling(self, self.event, order, self.by, self.notices, is_last=is_last)


@dataclass(frozen=True, kw_only=True)
class DirectorRole(Role[DirectorAnswer]):
    """The director of a tournament (locked), or a co-director."""

    NAME = "director"
    READER = KNOWN
    FALSE = msg("A letter to the director's address of {game} was not read: its From is false.")

    event: tables.Tournament
    official: tables.Appointment | None = None

    def head(self, answer: DirectorAnswer | None = None) -> LetterHead:
        """Return the head of a letter about his tournament.

        Who has handed over is not told the address of who directs now.
        """
        if self.official is None and queries.persons.email_of(self.work.session, self.event.director_id) != self.email:
            return LetterHead(game=self.event.id, rules=self.event.system, address=self.work.server.address)
        return post.letter_head_for(self.work, self.event, official=self.official)

    def envelope(self, answer: DirectorAnswer | None = None) -> outbox.Recipient:
        """Return the envelope to his registered address."""
        return outbox.Recipient(self.email, self.event.director_language)

    def answer(self, incoming: IncomingFromRole) -> DirectorAnswer:
        """Return the new answer to a letter."""
        tx, language = self.work, self.event.director_language
        return DirectorAnswer(
            **tx.context_fields,
            about=self.about,
            language=language,
            zone=self.zone,
            event=self.event,
            official=self.official,
            by=self.official.name if self.official is not None else "",
        )


def find_role_of_address(tx: Transaction, address: SeatAddress) -> AddressState | None:
    """Return whether a valid, replaced or wrong token names a director; else None."""
    event = queries.tournaments.tournament(tx.session, address.game) if address.seat == DIRECTOR else None
    if event is None:
        return None
    kind, official = _owner_of(tx, event, address.token)
    person = official.person_id if official is not None else event.director_id
    email = queries.persons.email_of(tx.session, person) if kind == "token" else None
    if email is None:
        return AddressState("rotated" if kind == "rotated" else "wrong")
    written = senders.count_letters_by(tx, DirectorRole.NAME, email)
    role = DirectorRole(
        work=tx, about=event.id, email=email, zone=event.zone, written=written, event=event, official=official
    )
    return AddressState("token", role)


def _owner_of(tx: Transaction, event: tables.Tournament, token: str) -> tuple[str, tables.Appointment | None]:
    """Return whether a token is valid, replaced or wrong, and whose it is.

    The owner is a co-director, or None for the director.
    """
    key = tx.server.keys.key
    kind = token_state(token, event.director_generation, partial(tokens.director_token, key, event.id))
    if kind != "wrong":
        return kind, None
    for official in queries.tournaments.appointments(tx.session, event.id, DIRECTOR):
        kind = token_state(
            token, official.generation, partial(tokens.co_director_token, key, event.id, official.id or 0)
        )
        if kind != "wrong":
            return kind, official
    return "wrong", None
