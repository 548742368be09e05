"""A letter to an entrant's address: all or nothing, answered at his registered address alone, wherever it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pbem.engine.data.messages import msg
from pbem.letters import command_lines, content, outbox, senders
from pbem.letters.command_lines import Understood
from pbem.letters.commands import Form, Forms, Line
from pbem.letters.content import Head
from pbem.letters.reception import Claim, Incoming, Role
from pbem.mail.address import SeatAddress
from pbem.runtime import limits, tokens
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


COMMANDS: tuple[EntrantCommand, ...] = (
    *overview.COMMANDS,
    EntrantCommand(Form("help", ("HELP", "AYUDA"), presence.ANYWORD, "HELP", "AYUDA"), help_),
    *presence.COMMANDS,
    *offers.COMMANDS,
    *captains.COMMANDS,
    *challenging.COMMANDS,
    *bidding.COMMANDS,
    *questions.COMMANDS,
    *levels.COMMANDS,
    *disputing.COMMANDS,
)
ENTRANT_FORMS = Forms(command.form for command in COMMANDS)
BY_NAME = {command.form.name: command for command in COMMANDS}


@dataclass(frozen=True, kw_only=True)
class EntrantRole(Role[EntrantAnswer]):
    """An entrant of a tournament, its row locked."""

    NAME = "entrant"
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
            work.session, work.server, work.now, meter=work.meter, event=self.event, row=self.row, inbox=incoming.row
        )

    def wants(self, text: str) -> bool:
        """Tell whether a text holds commands."""
        return bool(command_lines.read(text, ENTRANT_FORMS, self.work.server.limits).commands)

    def carry_out(self, answer: EntrantAnswer, text: str) -> bool:
        """Do all of what a text says, or nothing of it; return whether it says nothing."""
        said = command_lines.read(text, ENTRANT_FORMS, answer.server.limits)
        _carry_out(answer, said)
        return said.empty


_NUMBER = re.compile(r"e(\d{1,9})")
"""What stands in the place of a seat in an entrant's address: ``e7``."""


def claim(work: Work, address: SeatAddress) -> Claim | None:
    """Find out which entrant an address speaks for; None if it is that of no entrant."""
    number = _NUMBER.fullmatch(address.seat)
    event = queries.tournaments.tournament(work.session, address.game) if number is not None else None
    if event is None or number is None:
        return None
    row = queries.tournaments.entrant(work.session, event.id, int(number[1]))
    email = queries.people.email_of(work.session, row.person_id) if row is not None else None
    if row is None or email is None:
        return Claim("wrong")
    if not tokens.same(tokens.entrant(work.server.key, event.id, row.number, row.generation), address.token):
        return Claim("wrong")
    written = senders.written_by(work, EntrantRole.NAME, email)
    return Claim(
        "token",
        EntrantRole(work=work, about=event.id, email=email, zone=row.zone, written=written, event=event, row=row),
    )


def _carry_out(answer: EntrantAnswer, said: Understood) -> None:
    if said.excess is not None:
        answer.say("refusal", *limits.told(said.excess))
        return
    if said.block is not None or said.later:
        answer.say(
            "refusal",
            msg(
                "Orders go to the address of the game that they are for; nothing was carried out. "
                "STATUS lists your games with their addresses."
            ),
        )
        return
    answer.errors += said.wrong
    for command in said.commands:
        check = BY_NAME[command.name].check
        if check is not None and (why := check(answer, command)) is not None:
            answer.errors.append(command.wrong(why))
    if answer.errors:
        answer.errors.sort(key=lambda wrong: wrong.rejected.line)
        count = len({wrong.rejected.line for wrong in answer.errors})
        answer.say("refusal", content.nothing_done(count))
        return
    done = set[str]()
    for command in said.commands:
        answer.look()
        record = BY_NAME[command.name]
        why = record.check(answer, command) if record.check is not None and command.name in done else None
        if why is not None:
            answer.say("answer", why)
            continue
        record.do(answer, command)
        done.add(command.name)
    if not answer.kinds:
        answer.say("help", msg("I found nothing to do in your letter, and nothing was changed."))
        help_(answer, Line("help", 0, ""))
