"""A letter to an entrant's address: all or nothing, answered at his registered address alone, wherever it came from."""

from __future__ import annotations

from pbem.engine.data.messages import msg
from pbem.letters import command_lines, content, outbox, senders
from pbem.letters.command_lines import Understood
from pbem.letters.commands import Form, Forms, Line
from pbem.letters.reception import Role
from pbem.runtime import limits
from pbem.runtime.transaction import Work
from pbem.store import tables
from pbem.tournaments import bidding, post
from pbem.tournaments.commands import captains, challenging, disputing, levels, offers, overview, presence, questions
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
    *bidding.COMMANDS,
    *questions.COMMANDS,
    *levels.COMMANDS,
    *disputing.COMMANDS,
)
ENTRANT_FORMS = Forms(command.form for command in COMMANDS)
BY_NAME = {command.form.name: command for command in COMMANDS}


def role_of(work: Work, inbox: tables.Inbox, writer: senders.EntrantWriter) -> Role[EntrantAnswer]:
    """Return what is done with letters of an entrant."""
    event, row, email = writer
    answer = EntrantAnswer(work.session, work.server, work.now, meter=work.meter, event=event, row=row, inbox=inbox)
    return Role(
        name="entrant",
        about=event.id,
        zone=row.zone,
        written=senders.written_by(work, "entrant", email),
        to=outbox.Envelope(email, row.language, format=row.format),
        answer=answer,
        head=lambda: post.head_for(work, event, row),
        wants=lambda text: bool(command_lines.read(text, ENTRANT_FORMS, work.server.limits).commands),
        carry_out=_do,
    )


def _do(answer: EntrantAnswer, text: str) -> bool:
    said = command_lines.read(text, ENTRANT_FORMS, answer.server.limits)
    _carry_out(answer, said)
    return said.empty


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
