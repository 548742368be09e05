"""PRESS and SAY: letters between those at the table, passed on without anybody's address.

A letter goes to seats, sides or all; what is said to all goes to observers too. By the terms of a game it is passed
on at once, with the next report, or not at all. Every line is passed on behind a bar, so that none can be taken for
an order, a template or a letter of the server's own. Its author is shown in his answer what is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import Called
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.speech import ARTICLES, meant
from pbem.letters import content, moderators, outbox
from pbem.letters.commands import ANYTHING, NOTHING, Enclosed, Form, Line
from pbem.letters.content import Mistake
from pbem.mail.address import strike
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Kind, Transaction
from pbem.store import hot_statements, queries, tables

# Letters between the commanders of a side that ride: how late each is there, and how many may leave.


MOST_A_TURN = 2
"""Letters that one commander may send another in a turn where couriers ride."""


class Copy(NamedTuple):
    """A letter as it goes to some of its readers: their seats parted by blanks, or a star; the reports that it rides.

    It is None where no letter of the kind rides.
    """

    to: str
    rides: int | None = None


def ridden_copies(answer: SeatAnswer, to: str) -> tuple[Copy, ...]:
    """Return how a letter goes to its readers: by a rider to each commander of the writer's side, else as ever.

    A copy names one reader alone: who is near whom is nobody's business.
    """
    riders = _riders(answer, to)
    if not riders:
        return (Copy(to),)
    mates = {copy.to for copy in riders}
    rest = [seat.name for seat in answer.seats if seat.name != answer.seat.name and seat.name not in mates]
    others = " ".join(name for name in rest if to == "*" or name in to.split())
    return (*riders, *((Copy(others),) if others else ()))


def ridden_out(answer: SeatAnswer, to: str) -> tuple[str, ...]:
    """Return the commanders to whom no rider is left this turn."""
    if answer.phase is None:
        return ()
    answer.session.flush()
    written = queries.outbox.press_of_turns(answer.session, answer.game.id, answer.phase.turn, answer.phase.turn)
    sent = [row.to for row in written if row.seat_id == answer.seat.id]
    return tuple(copy.to for copy in _riders(answer, to) if sent.count(copy.to) >= MOST_A_TURN)


def _riders(answer: SeatAnswer, to: str) -> Sequence[Copy]:
    """A copy for each reader to whom letters of this seat ride."""
    here, own = answer.here, answer.seat
    if here is None or answer.phase is None:
        return ()
    names = [seat.name for seat in answer.seats if seat.name != own.name and (to == "*" or seat.name in to.split())]
    late = {name: here.rules.rides(here.state, own.name, name) for name in names}
    return [Copy(name, rides) for name, rides in sorted(late.items()) if rides is not None]


MOST_LINES = 80
"""Lines that one letter to others may have."""

LONGEST = 400
"""Characters of a line behind its bar: what is longer goes on in the next one, and counts as several."""

MOST_A_DAY = 20
"""Letters that a seat may have passed on in a day."""

_ALL = ("all", "todos", "todas", "everybody")

_PRESS = "press"
_LINES = Enclosed(
    bounds.PRESS_HEAD,
    bounds.PRESS_END,
    msg("This letter to others has no ENDPRESS: I do not know where it ends, and passed nothing on."),
)


def press(answer: SeatAnswer, command: Line) -> None:
    """Pass a letter on to seats, to the seats of a side, or to all."""
    _pass_on(answer, command, readers(answer, command.rest))


def say(answer: SeatAnswer, command: Line) -> None:
    """Pass a line on to everybody at the table and to observers."""
    _pass_on(answer, command, "*")


def press_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Nobody to write to, too much at once, or a game without such letters."""
    terms = Terms.read(answer.game.terms)
    why: Msg | None = None
    if terms.press == "none":
        why = msg("In this game no letters are passed on between players.")
    elif answer.seat.press_forbidden:
        why = msg("The moderator has ruled that your seat may not write to others.")
    elif command.name == _PRESS and readers(answer, command.rest) == "":
        names = tuple(dict.fromkeys(name for seat in answer.seats for name in (seat.name, seat.side)))
        why = msg("Nobody here is called {name}; there are: {seats}, ALL.", name=command.rest or "-", seats=names)
    elif not command.said.strip():
        why = msg("There is nothing between PRESS and ENDPRESS to pass on.")
    elif len(_lines(command.said)) > MOST_LINES:
        why = msg(
            "A letter that is passed on has {count} lines at most. A line of more than {length} characters counts as "
            "several.",
            count=MOST_LINES,
            length=LONGEST,
        )
    elif spent := ridden_out(answer, "*" if command.name != _PRESS else readers(answer, command.rest)):
        why = msg(
            "Riders carry {count} letters a turn from one commander to another; none is left to {seats} this turn.",
            count=MOST_A_TURN,
            seats=spent,
        )
    elif _today(answer) >= MOST_A_DAY:
        why = msg("You have had {count} letters passed on in a day; that is all I do.", count=MOST_A_DAY)
    return None if why is None else command.wrong(why)


def deliver_kept(work: Transaction, act: Act) -> None:
    """Pass on what was kept for the next report, if there is one; what has longer to ride comes a report nearer."""
    if act.state is not None:
        for row in queries.outbox.press_kept(work.session, act.game.id):
            if row.rides > _NEXT and act.kind is Kind.OPENED:
                row.rides -= 1
                work.session.add(row)
            else:
                _deliver(work, act.game, act.phase, row)


def passed_between(session: Session, game: tables.Game, seat: tables.Seat, first: int, last: int) -> list[tables.Press]:
    """The letters that a seat has sent or was sent on these turns, in order."""
    rows = queries.outbox.press_of_turns(session, game.id, first, last)
    return [row for row in rows if row.seat_id == seat.id or (row.delivered and _reaches(row, seat.name))]


def between(session: Session, game: tables.Game, writers: Sequence[str], reader: str) -> list[tables.Press]:
    """The letters of seats to another that were passed on, those among them that were kept from it, in order."""
    rows = queries.outbox.press_of_writers(session, game.id, writers)
    return [row for row in rows if {"*", reader} & set(row.to.split())]


def _reaches(row: tables.Press, reader: str) -> bool:
    return bool({"*", reader} & set(row.to.split())) and reader not in row.kept_from.split()


def lines_of(session: Session, row: tables.Press) -> Json:
    """A letter as it is passed on: who wrote to whom, and each line behind a bar."""
    writer = session.get_one(tables.Seat, row.seat_id).name
    title = msg("{seat} to {readers}", seat=writer, readers=tuple(row.to.split()))
    if row.rides:
        title = msg("{seat} to {readers}, turn {turn}", seat=writer, readers=tuple(row.to.split()), turn=row.turn)
    if row.to == "*":
        title = msg("{seat} to all", seat=writer)
    return content.block(title, [f"| {line}".rstrip() for line in row.text.split("\n")])


def _pass_on(answer: SeatAnswer, command: Line, to: str) -> None:
    game, sent = answer.game, ridden_copies(answer, to)
    at_once = Terms.read(game.terms).press == "at-once" or answer.phase is None
    kept = [_kept(answer, command, copy) for copy in sent]
    for row, copy in zip(kept, sent, strict=True):
        if copy.rides == 0 or (copy.rides is None and at_once):
            _deliver(answer, game, answer.phase, row)
    if any(copy.rides is not None for copy in sent):
        answer.say("answer", _RIDES)
    elif at_once:
        told = msg("Your letter is passed on to {seats}.", seats=tuple(_others(answer, to)))
        answer.say("answer", told if to != "*" else msg("Your letter is passed on to all."))
    else:
        answer.say("answer", msg("Your letter will be passed on with the next report."))
    answer.blocks += [lines_of(answer.session, row) for row in kept]


_NEXT = 2
"""How a letter is kept that is there with the next report."""
_RIDES = msg(
    "Your letter rides to the commanders of your side, and is there by the spaces between the leaders: at once, with "
    "the next report, or with the one after."
)


def _kept(answer: SeatAnswer, command: Line, copy: Copy) -> tables.Press:
    """A letter as it is kept for some of its readers."""
    row = tables.Press(
        game_id=answer.game.id,
        seat_id=answer.seat.id or 0,
        inbox_id=answer.inbox.id or 0,
        turn=answer.phase.turn if answer.phase else 0,
        to=copy.to,
        text="\n".join(_lines(command.said)),
        at=answer.now,
        rides=0 if copy.rides is None else copy.rides + 1,
    )
    return answer.session.get_one(tables.Press, hot_statements.add_row(answer.session, row))


def _lines(said: str) -> list[str]:
    """The lines that are passed on, none of them cut: long ones are broken between words. A few more than there may be.

    Tokens are struck out before: most of one is as good as all of it.
    """
    out: list[str] = []
    for line in strike(said.strip("\n")).split("\n"):
        rest = line.rstrip()
        while len(rest) > LONGEST and len(out) <= MOST_LINES:
            at = rest.rfind(" ", 1, LONGEST + 1)
            at = at if at > 0 else LONGEST
            out.append(rest[:at].rstrip())
            rest = rest[at:].lstrip(" ")
        out.append(rest)
        if len(out) > MOST_LINES:
            break
    return out


def _deliver(work: Transaction, game: tables.Game, phase: tables.Phase | None, row: tables.Press) -> None:
    writer, seats = work.session.get_one(tables.Seat, row.seat_id), queries.games.seats(work.session, game.id)
    unwanted = [seat.name for seat in seats if writer.name in seat.muted.split()]
    row.delivered = True
    row.kept_from = " ".join(name for name in unwanted if {"*", name} & set(row.to.split()))
    work.session.add(row)
    block = lines_of(work.session, row)
    how = msg("To answer, write PRESS TO {seat}, your lines below it, and ENDPRESS.", seat=writer.name)
    cause = f"press {row.id}"
    if row.to == "*":
        outbox.to_all(
            work,
            game,
            phase,
            outbox.Circular(
                lambda zone: (), kind="press", cause=cause, but=writer, spared=unwanted, blocks=(block,), may_wait=True
            ),
        )
        return
    for seat in seats:
        if seat.name in row.to.split() and seat.name not in unwanted:
            head = outbox.head_of(work.server, game, seat, phase)
            letter = content.Letter("press", head, blocks=(block,), closing=(how,)).to_json()
            outbox.news_to_seat(work, letter, seat, game, cause=cause)


def readers(answer: SeatAnswer, said: str) -> str:
    """The seats that a header names, parted by blanks; a star for all, nothing if one of its words names nobody."""
    called = answer.server.rules_of(answer.game).telling.called
    words = [word for part in re.split(r",| and | y | e ", said) for word in _named(part.strip(), called)]
    if words and all(word in _ALL for word in words):
        return "*"
    found = [{seat.name for seat in answer.seats if word in (seat.name, seat.side)} for word in words]
    names = set().union(*found) - {answer.seat.name}
    return " ".join(sorted(names)) if all(found) else ""


def _named(part: str, called: Mapping[str, Called]) -> list[str]:
    """The ids that a part of a header names: a name of several words, or each word."""
    whole = meant(part, called)
    return [whole] if whole != part else [meant(word, called) for word in part.split() if word not in ARTICLES]


def _others(answer: SeatAnswer, to: str) -> Sequence[str]:
    return [seat.name for seat in answer.seats if seat.name in to.split()]


def _today(answer: SeatAnswer) -> int:
    answer.session.flush()
    return queries.outbox.press_since(answer.session, answer.seat, answer.now - timedelta(days=1))


# MUTE and REPORT PRESS: what a player can do against letters that he does not want.
#
# What a muted seat writes is passed on to others as ever and kept from who muted it; UNMUTE shows what was kept. The
# one who is muted is not told. What is reported goes to the moderator with the letters themselves; he may forbid the
# seat to write to others, which everybody is told, and allow it again.


MOST_SHOWN = 10
"""Letters that UNMUTE and REPORT PRESS show at most, the last ones."""

REPORTS_A_DAY = 3
"""How often a seat may report press in a day."""

_REPORTED = re.compile(r"(\S+)\s*(.*)", re.DOTALL)


def mute(answer: SeatAnswer, command: Line) -> None:
    """Keep letters of seats from this one."""
    names = _seats(answer, command.rest)
    answer.seat.muted = " ".join(sorted({*answer.seat.muted.split(), *names}))
    answer.session.add(answer.seat)
    answer.say(
        "settings",
        msg("From now on what these seats write to you is kept and not sent: {seats}. They are not told.", seats=names),
        msg("UNMUTE and the name undo that, and show what was kept."),
    )


def unmute(answer: SeatAnswer, command: Line) -> None:
    """Let letters of seats come again, and show what was kept."""
    session, mine, names = answer.session, answer.seat.name, _seats(answer, command.rest)
    answer.seat.muted = " ".join(name for name in answer.seat.muted.split() if name not in names)
    session.add(answer.seat)
    kept = [row for row in between(session, answer.game, names, mine) if mine in row.kept_from.split()]
    answer.say("settings", msg("What these seats write to you is sent to you again: {seats}.", seats=names))
    answer.opening.append(msg("Letters that were kept from you: {count}.", count=len(kept)))
    for row in kept:
        row.kept_from = " ".join(name for name in row.kept_from.split() if name != mine)
        session.add(row)
    answer.blocks += [lines_of(session, row) for row in kept[-MOST_SHOWN:]]
    if len(kept) > MOST_SHOWN:
        answer.opening.append(msg("The last {count} stand below; HISTORY shows all of a turn.", count=MOST_SHOWN))


def quiet_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A word that names nobody else at the table."""
    if _seats(answer, command.rest):
        return None
    return command.wrong(_nobody(answer, command.rest))


def report(answer: SeatAnswer, command: Line) -> None:
    """Pass the last letters of a seat to this one on to the moderator, with what is said of them."""
    game, (name, words) = answer.game, _reported(command)
    (accused,) = _seats(answer, name)
    shown = between(answer.session, game, (accused,), answer.seat.name)[-MOST_SHOWN:]
    said = strike(words)[:1000]
    what = msg("{seat} of {game} reports letters of {other}.", seat=answer.seat.name, game=game.id, other=accused)
    how = msg(
        "FORBID PRESS {seat} BECAUSE ... keeps the seat from writing to others, ALLOW PRESS {seat} undoes that.",
        seat=accused,
    )
    answer.say("answer", msg("Your report is passed on to the moderator, with the letters of {seat}.", seat=accused))
    blocks = [lines_of(answer.session, row) for row in shown]
    blocks = [content.block(msg("What is said of them"), [f"| {said}"]), *blocks] if said else blocks
    cause = f"press reported {answer.inbox.id} {accused}"
    if not _plays(answer) and moderators.notify(answer, game, moderators.Memo((what, how), cause=cause, blocks=blocks)):
        return
    detail = "\n".join([*([f"| {said}", ""] if said else []), *(line for row in shown for line in _quoted_lines(row))])
    title = msg("letters are reported")
    outbox.to_operator(answer, outbox.Notice(what, detail, cause=cause, game=game.id, title=title))


def report_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Nobody of that name, or one who has written nothing to this seat."""
    name, _ = _reported(command)
    found = _seats(answer, name)
    if len(found) != 1:
        return command.wrong(_nobody(answer, name))
    if not between(answer.session, answer.game, found, answer.seat.name):
        return command.wrong(msg("{seat} has written nothing to you.", seat=found[0]))
    return None


def _reported(command: Line) -> tuple[str, str]:
    """The seat that is reported, and what is said of it."""
    found = _REPORTED.fullmatch(command.said)
    return (found[1].strip(".,:").lower(), found[2].strip()) if found is not None else ("", "")


def _seats(answer: SeatAnswer, said: str) -> tuple[str, ...]:
    """The other seats that words name, in the order of play."""
    named = readers(answer, said)
    others = [seat.name for seat in answer.seats if seat.id != answer.seat.id]
    return tuple(name for name in others if named == "*" or name in named.split())


def _nobody(answer: SeatAnswer, said: str) -> Msg:
    names = tuple(seat.name for seat in answer.seats if seat.id != answer.seat.id)
    return msg("Nobody else here is called {name}; there are: {seats}.", name=said or "-", seats=names)


def _plays(answer: SeatAnswer) -> bool:
    """Whether the moderator has a seat himself: then whoever runs the server is told."""
    moderator = moderators.moderator_of(answer.session, answer.game)
    return moderator is not None and bool(moderators.seats_of(answer.session, answer.game.id, moderator.email))


def _quoted_lines(row: tables.Press) -> Sequence[str]:
    return [f"{row.at:%Y-%m-%d %H:%M} {row.to}", *(f"| {line}".rstrip() for line in row.text.split("\n"))]


COMMANDS = (
    Command(
        Form(_PRESS, (), NOTHING, "PRESS TO side ... ENDPRESS", "PRENSA A bando ... FINPRENSA", enclosed=_LINES),
        press,
        check=press_wrong,
        often=Often(letter=5),
        fits=command_records.has_press,
    ),
    Command(
        Form("say", ("SAY", "ANUNCIAR"), ANYTHING, "SAY words", "ANUNCIAR palabras", prose=True),
        say,
        check=press_wrong,
        often=Often(letter=5),
        fits=command_records.has_press,
    ),
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
        fits=command_records.has_press,
    ),
    Command(
        Form("unmute", ("UNMUTE", "ESCUCHAR"), ANYTHING, "UNMUTE side", "ESCUCHAR bando"),
        unmute,
        check=quiet_wrong,
        often=Often(letter=5),
        fits=command_records.has_press,
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
        fits=command_records.has_press,
    ),
)
