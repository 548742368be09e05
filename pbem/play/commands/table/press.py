"""PRESS and SAY: letters between those at the table, passed on without anybody's address.

A letter goes to seats, sides or all; what is said to all goes to observers too. By the terms of a game it is passed
on at once, with the next report, or not at all. Every line is passed on behind a bar, so that none can be taken for
an order, a template or a letter of the server's own. Its author is shown in his answer what is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import Called
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.speech import ARTICLES, meant
from pbem.letters import content, outbox
from pbem.letters.command_words import ANYTHING, NOTHING, Enclosed, Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.mail.address import strike
from pbem.play.commands import fitting
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command, Often
from pbem.play.commands.table import riders
from pbem.runtime.acts import Act, Kind
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes

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


def press(answer: Answer, command: Line) -> None:
    """Pass a letter on to seats, to the seats of a side, or to all."""
    _pass_on(answer, command, readers(answer, command.rest))


def say(answer: Answer, command: Line) -> None:
    """Pass a line on to everybody at the table and to observers."""
    _pass_on(answer, command, "*")


def press_wrong(answer: Answer, command: Line) -> Mistake | None:
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
    elif spent := riders.ridden_out(answer, "*" if command.name != _PRESS else readers(answer, command.rest)):
        why = msg(
            "Riders carry {count} letters a turn from one commander to another; none is left to {seats} this turn.",
            count=riders.MOST_A_TURN,
            seats=spent,
        )
    elif _today(answer) >= MOST_A_DAY:
        why = msg("You have had {count} letters passed on in a day; that is all I do.", count=MOST_A_DAY)
    return None if why is None else command.wrong(why)


def deliver_kept(work: Work, act: Act) -> None:
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


def _pass_on(answer: Answer, command: Line, to: str) -> None:
    game, sent = answer.game, riders.copies(answer, to)
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


def _kept(answer: Answer, command: Line, copy: riders.Copy) -> tables.Press:
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
    return answer.session.get_one(tables.Press, writes.add_row(answer.session, row))


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


def _deliver(work: Work, game: tables.Game, phase: tables.Phase | None, row: tables.Press) -> None:
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


def readers(answer: Answer, said: str) -> str:
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


def _others(answer: Answer, to: str) -> Sequence[str]:
    return [seat.name for seat in answer.seats if seat.name in to.split()]


def _today(answer: Answer) -> int:
    answer.session.flush()
    return queries.outbox.press_since(answer.session, answer.seat, answer.now - timedelta(days=1))


COMMANDS = (
    Command(
        Form(_PRESS, (), NOTHING, "PRESS TO side ... ENDPRESS", "PRENSA A bando ... FINPRENSA", enclosed=_LINES),
        press,
        check=press_wrong,
        often=Often(letter=5),
        fits=fitting.has_press,
    ),
    Command(
        Form("say", ("SAY", "ANUNCIAR"), ANYTHING, "SAY words", "ANUNCIAR palabras", prose=True),
        say,
        check=press_wrong,
        often=Often(letter=5),
        fits=fitting.has_press,
    ),
)
