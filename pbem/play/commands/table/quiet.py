"""MUTE and REPORT PRESS: what a player can do against letters that he does not want.

What a muted seat writes is passed on to others as ever and kept from who muted it; UNMUTE shows what was kept. The one
who is muted is not told. What is reported goes to the moderator with the letters themselves; he may forbid the seat to
write to others, which everybody is told, and allow it again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox
from pbem.letters.command_words import ANYTHING, Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.mail.address import strike
from pbem.play.commands import fitting
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command, Often
from pbem.play.commands.table import press
from pbem.store import tables

MOST_SHOWN = 10
"""Letters that UNMUTE and REPORT PRESS show at most, the last ones."""

REPORTS_A_DAY = 3
"""How often a seat may report press in a day."""

_REPORTED = re.compile(r"(\S+)\s*(.*)", re.DOTALL)


def mute(answer: Answer, command: Line) -> None:
    """Keep letters of seats from this one."""
    names = _seats(answer, command.rest)
    answer.seat.muted = " ".join(sorted({*answer.seat.muted.split(), *names}))
    answer.session.add(answer.seat)
    answer.say(
        "settings",
        msg("From now on what these seats write to you is kept and not sent: {seats}. They are not told.", seats=names),
        msg("UNMUTE and the name undo that, and show what was kept."),
    )


def unmute(answer: Answer, command: Line) -> None:
    """Let letters of seats come again, and show what was kept."""
    session, mine, names = answer.session, answer.seat.name, _seats(answer, command.rest)
    answer.seat.muted = " ".join(name for name in answer.seat.muted.split() if name not in names)
    session.add(answer.seat)
    kept = [row for row in press.between(session, answer.game, names, mine) if mine in row.kept_from.split()]
    answer.say("settings", msg("What these seats write to you is sent to you again: {seats}.", seats=names))
    answer.opening.append(msg("Letters that were kept from you: {count}.", count=len(kept)))
    for row in kept:
        row.kept_from = " ".join(name for name in row.kept_from.split() if name != mine)
        session.add(row)
    answer.blocks += [press.lines_of(session, row) for row in kept[-MOST_SHOWN:]]
    if len(kept) > MOST_SHOWN:
        answer.opening.append(msg("The last {count} stand below; HISTORY shows all of a turn.", count=MOST_SHOWN))


def quiet_wrong(answer: Answer, command: Line) -> Mistake | None:
    """A word that names nobody else at the table."""
    if _seats(answer, command.rest):
        return None
    return command.wrong(_nobody(answer, command.rest))


def report(answer: Answer, command: Line) -> None:
    """Pass the last letters of a seat to this one on to the moderator, with what is said of them."""
    game, (name, words) = answer.game, _reported(command)
    (accused,) = _seats(answer, name)
    shown = press.between(answer.session, game, (accused,), answer.seat.name)[-MOST_SHOWN:]
    said = strike(words)[:1000]
    what = msg("{seat} of {game} reports letters of {other}.", seat=answer.seat.name, game=game.id, other=accused)
    how = msg(
        "FORBID PRESS {seat} BECAUSE ... keeps the seat from writing to others, ALLOW PRESS {seat} undoes that.",
        seat=accused,
    )
    answer.say("answer", msg("Your report is passed on to the moderator, with the letters of {seat}.", seat=accused))
    blocks = [press.lines_of(answer.session, row) for row in shown]
    blocks = [content.block(msg("What is said of them"), [f"| {said}"]), *blocks] if said else blocks
    cause = f"press reported {answer.inbox.id} {accused}"
    if not _plays(answer) and moderators.notify(answer, game, moderators.Memo((what, how), cause=cause, blocks=blocks)):
        return
    detail = "\n".join([*([f"| {said}", ""] if said else []), *(line for row in shown for line in _lines(row))])
    title = msg("letters are reported")
    outbox.to_operator(answer, outbox.Notice(what, detail, cause=cause, game=game.id, title=title))


def report_wrong(answer: Answer, command: Line) -> Mistake | None:
    """Nobody of that name, or one who has written nothing to this seat."""
    name, _ = _reported(command)
    found = _seats(answer, name)
    if len(found) != 1:
        return command.wrong(_nobody(answer, name))
    if not press.between(answer.session, answer.game, found, answer.seat.name):
        return command.wrong(msg("{seat} has written nothing to you.", seat=found[0]))
    return None


def _reported(command: Line) -> tuple[str, str]:
    """The seat that is reported, and what is said of it."""
    found = _REPORTED.fullmatch(command.said)
    return (found[1].strip(".,:").lower(), found[2].strip()) if found is not None else ("", "")


def _seats(answer: Answer, said: str) -> tuple[str, ...]:
    """The other seats that words name, in the order of play."""
    named = press.readers(answer, said)
    others = [seat.name for seat in answer.seats if seat.id != answer.seat.id]
    return tuple(name for name in others if named == "*" or name in named.split())


def _nobody(answer: Answer, said: str) -> Msg:
    names = tuple(seat.name for seat in answer.seats if seat.id != answer.seat.id)
    return msg("Nobody else here is called {name}; there are: {seats}.", name=said or "-", seats=names)


def _plays(answer: Answer) -> bool:
    """Whether the moderator has a seat himself: then whoever runs the server is told."""
    moderator = moderators.moderator_of(answer.session, answer.game)
    return moderator is not None and bool(moderators.seats_of(answer.session, answer.game.id, moderator.email))


def _lines(row: tables.Press) -> Sequence[str]:
    return [f"{row.at:%Y-%m-%d %H:%M} {row.to}", *(f"| {line}".rstrip() for line in row.text.split("\n"))]


COMMANDS = (
    Command(
        Form("mute", ("MUTE", "SILENCIAR"), ANYTHING, "MUTE side", "SILENCIAR bando"),
        mute,
        check=quiet_wrong,
        help=(
            msg(
                "MUTE side: its letters are kept, UNMUTE side shows them. REPORT PRESS side words: the moderator hears."
            ),
        ),
        often=Often(letter=5),
        fits=fitting.has_press,
    ),
    Command(
        Form("unmute", ("UNMUTE", "ESCUCHAR"), ANYTHING, "UNMUTE side", "ESCUCHAR bando"),
        unmute,
        check=quiet_wrong,
        often=Often(letter=5),
        fits=fitting.has_press,
    ),
    Command(
        Form(
            "report-press",
            ("REPORT PRESS", "DENUNCIAR PRENSA", "DENUNCIAR"),
            ANYTHING,
            "REPORT PRESS side words",
            "DENUNCIAR bando palabras",
            prose=True,
        ),
        report,
        check=report_wrong,
        often=Often(day=REPORTS_A_DAY),
        fits=fitting.has_press,
    ),
)
