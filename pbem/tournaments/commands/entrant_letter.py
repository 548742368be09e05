"""A letter to an entrant's address: all or nothing, answered at his registered address alone, wherever it came from."""

from __future__ import annotations

from pbem.engine.data.messages import msg
from pbem.letters import address_leak_warning, command_lines, content, reading_notes, senders
from pbem.letters.command_lines import Understood
from pbem.letters.command_words import Form, Forms
from pbem.letters.unparsed_lines import Line
from pbem.mail.address import base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.runtime import limits
from pbem.runtime.transaction import Work
from pbem.store import tables
from pbem.tournaments import post
from pbem.tournaments.commands import (
    bids,
    captains,
    challenging,
    disputing,
    event_questions,
    levels,
    offers,
    overview,
    presence,
)
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand


def help_(answer: EntrantAnswer, command: Line) -> None:
    """What can be written to this address."""
    language = answer.row.language
    there = [one for one in COMMANDS if one.where(answer.event)]
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
    *bids.COMMANDS,
    *event_questions.COMMANDS,
    *levels.COMMANDS,
    *disputing.COMMANDS,
)
ENTRANT_FORMS = Forms(command.form for command in COMMANDS)
BY_NAME = {command.form.name: command for command in COMMANDS}


def receive(
    work: Work, letter: IncomingLetter, inbox: tables.Inbox, writer: senders.EntrantWriter, evidence: Evidence
) -> str:
    """Do what an entrant's letter says and queue its answer; what came of it."""
    event, row, email = writer
    if evidence == "fail":
        return "unauthentic"
    inbox.sender = base_address(email)
    over = senders.too_many_from(work, "entrant", inbox.sender)
    if over > 1:
        return "over-budget"
    answer = EntrantAnswer(work.session, work.server, work.now, event, row, inbox, meter=work.meter)
    if letter.sender and base_address(letter.sender) != base_address(email):
        answer.opening.append(
            msg("This letter came from {address}, which is not where I write to you.", address=letter.sender)
        )
    if over:
        told = post.too_many(work, row.zone)
        answer.say("refusal", told)
    elif work.meter is not None and work.meter.excess is not None:
        answer.say("refusal", *limits.told(work.meter.excess))
    elif letter.refusal is not None:
        unread = msg("Your letter could not be read, or is larger than I read. Nothing was changed.")
        answer.say("refusal", unread, *reading_notes.of_limit(letter), limits.LARGER)
    else:
        said = command_lines.read(letter.text, ENTRANT_FORMS, work.server.limits)
        _carry_out(answer, said)
        answer.opening += reading_notes.of_letter(letter, nothing=said.empty)
    answer.opening += address_leak_warning.handed_on(letter, email, work.server.entrant_address(row))
    post.answer_to_entrant(work, event, row, answer.to_json(), inbox)
    return "over-budget" if over else answer.kind


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
