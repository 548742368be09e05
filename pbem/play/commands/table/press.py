"""Pass on letters between participants (PRESS, SAY) without addresses.

A letter goes to seats, sides or all; letters to all go to observers too. By the terms of a game it is passed
on at once, with the next report, or not at all. Every line follows a bar, so that none can be taken for an
order, a template or a letter of the server. The author's answer shows the letter as it is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import DisplayNames
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.speech import ARTICLES, id_of_name
from pbem.letters import content, moderators, outbox
from pbem.letters.commands import ANY_ARGUMENT, NO_ARGUMENT, CommandForm, CommandLine, EnclosedForm
from pbem.letters.content import Mistake
from pbem.mail.address import strike_tokens
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.runtime.clock import DAY
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, ActKind, Transaction
from pbem.store import hot_statements, queries, tables

# Letters between the commanders of a side that ride: how late each is there, and how many may leave.


MOST_A_TURN = 2
"""Maximum letters of a commander to another in a turn where couriers ride.

A choice: one letter and its correction. Without a limit, a flood of letters would undo the delay that couriers bring.
"""


class PressCopy(NamedTuple):
    """One copy of a letter, with its readers and its delay.

    `to` has the readers' names separated by blanks, or a star. `rides` is the number of reports to wait for, None
    if it is not carried by a rider.
    """

    to: str
    rides: int | None = None


def copies_by_courier(answer: SeatAnswer, to: str) -> tuple[PressCopy, ...]:
    """Return the copies of a letter: one by rider for each commander of the side.

    All other readers share one copy. A copy by rider names one reader only, so that nobody learns who is near whom.
    """
    riders = _rider_copies(answer, to)
    if not riders:
        return (PressCopy(to),)
    ridden_to = {copy.to for copy in riders}
    remaining = [seat.name for seat in answer.seats if seat.name != answer.seat.name and seat.name not in ridden_to]
    others = " ".join(name for name in remaining if to == "*" or name in to.split())
    return (*riders, *((PressCopy(others),) if others else ()))


def readers_out_of_couriers(answer: SeatAnswer, to: str) -> tuple[str, ...]:
    """Return the commanders to whom no rider is left this turn."""
    if answer.phase is None:
        return ()
    answer.session.flush()
    rows = queries.outbox.press_of_turns(answer.session, answer.game.id, answer.phase.turn, answer.phase.turn)
    sent_to = [row.to for row in rows if row.seat_id == answer.seat.id]
    return tuple(copy.to for copy in _rider_copies(answer, to) if sent_to.count(copy.to) >= MOST_A_TURN)


def _rider_copies(answer: SeatAnswer, to: str) -> Sequence[PressCopy]:
    """Return a copy for each reader reached by a rider."""
    position, writer = answer.here, answer.seat
    if position is None or answer.phase is None:
        return ()
    names = [seat.name for seat in answer.seats if seat.name != writer.name and (to == "*" or seat.name in to.split())]
    delays = {name: position.rules.rides(position.state, writer.name, name) for name in names}
    return [PressCopy(name, rides) for name, rides in sorted(delays.items()) if rides is not None]


MOST_LINES = 80
"""Lines of a letter to others: a page or two. Both numbers keep reports readable (docs/limits.md)."""

LONGEST_LINE = 400
"""Characters of a line behind its bar; a paragraph fits. Longer ones are wrapped, and count as several."""

MOST_A_DAY = 20
"""Letters of a seat passed on in a day: a conversation has room, and nobody can flood others through us."""

_ALL = ("all", "todos", "todas", "everybody")

_PRESS = "press"
_LINES = EnclosedForm(
    bounds.PRESS_HEAD,
    bounds.PRESS_END,
    msg("This letter to others has no ENDPRESS: I do not know where it ends, and passed nothing on."),
)


def pass_letter_on(answer: SeatAnswer, command: CommandLine) -> None:
    """Pass a letter on to seats, to the seats of a side, or to all."""
    _pass_on(answer, command, press_readers(answer, command.rest))


def pass_line_on(answer: SeatAnswer, command: CommandLine) -> None:
    """Pass a line on to all seats and observers."""
    _pass_on(answer, command, "*")


def check_press(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a letter without readers, too many letters, or a game without press."""
    terms = Terms.read(answer.game.terms)
    reason: Msg | None = None
    if terms.press == "none":
        reason = msg("In this game no letters are passed on between players.")
    elif answer.seat.press_forbidden:
        reason = msg("The moderator has ruled that your seat may not write to others.")
    elif command.name == _PRESS and press_readers(answer, command.rest) == "":
        names = tuple(dict.fromkeys(name for seat in answer.seats for name in (seat.name, seat.side)))
        reason = msg("Nobody here is called {name}; there are: {seats}, ALL.", name=command.rest or "-", seats=names)
    elif not command.said.strip():
        reason = msg("There is nothing between PRESS and ENDPRESS to pass on.")
    elif len(_wrap_lines(command.said)) > MOST_LINES:
        reason = msg(
            "A letter that is passed on has {count} lines at most. A line of more than {length} characters counts as "
            "several.",
            count=MOST_LINES,
            length=LONGEST_LINE,
        )
    elif without_rider := readers_out_of_couriers(
        answer, "*" if command.name != _PRESS else press_readers(answer, command.rest)
    ):
        reason = msg(
            "Riders carry {count} letters a turn from one commander to another; none is left to {seats} this turn.",
            count=MOST_A_TURN,
            seats=without_rider,
        )
    elif _count_today(answer) >= MOST_A_DAY:
        reason = msg("You have had {count} letters passed on in a day; that is all I do.", count=MOST_A_DAY)
    return None if reason is None else command.wrong(reason)


def deliver_kept_press(tx: Transaction, act: Act) -> None:
    """Deliver letters kept for the next report; count down the rides of the others."""
    if act.state is not None:
        for row in queries.outbox.waiting_press(tx.session, act.game.id):
            if row.rides > _NEXT and act.kind is ActKind.OPENED:
                row.rides -= 1
                tx.session.add(row)
            else:
                _deliver(tx, act.game, act.phase, row)


def press_of_turns(session: Session, game: tables.Game, seat: tables.Seat, first: int, last: int) -> list[tables.Press]:
    """Return the letters that a seat sent or received in these turns, in order."""
    rows = queries.outbox.press_of_turns(session, game.id, first, last)
    return [row for row in rows if row.seat_id == seat.id or (row.delivered and _reaches(row, seat.name))]


def press_to(session: Session, game: tables.Game, writers: Sequence[str], reader: str) -> list[tables.Press]:
    """Return the delivered letters of seats to a reader in order, also muted ones."""
    rows = queries.outbox.press_of_writers(session, game.id, writers)
    return [row for row in rows if {"*", reader} & set(row.to.split())]


def _reaches(row: tables.Press, reader: str) -> bool:
    return bool({"*", reader} & set(row.to.split())) and reader not in row.kept_from.split()


def press_block(session: Session, row: tables.Press) -> Json:
    """Return a letter as passed on: writer, readers, each line behind a bar."""
    writer = session.get_one(tables.Seat, row.seat_id).name
    title = msg("{seat} to {readers}", seat=writer, readers=tuple(row.to.split()))
    if row.rides:
        title = msg("{seat} to {readers}, turn {turn}", seat=writer, readers=tuple(row.to.split()), turn=row.turn)
    if row.to == "*":
        title = msg("{seat} to all", seat=writer)
    return content.titled_block(title, [f"| {line}".rstrip() for line in row.text.split("\n")])


def _pass_on(answer: SeatAnswer, command: CommandLine, to: str) -> None:
    game, copies = answer.game, copies_by_courier(answer, to)
    at_once = Terms.read(game.terms).press == "at-once" or answer.phase is None
    rows = [_store_copy(answer, command, copy) for copy in copies]
    for row, copy in zip(rows, copies, strict=True):
        if copy.rides == 0 or (copy.rides is None and at_once):
            _deliver(answer, game, answer.phase, row)
    if any(copy.rides is not None for copy in copies):
        answer.say("answer", _RIDES)
    elif at_once:
        notice = msg("Your letter is passed on to {seats}.", seats=tuple(_seats_among(answer, to)))
        answer.say("answer", notice if to != "*" else msg("Your letter is passed on to all."))
    else:
        answer.say("answer", msg("Your letter will be passed on with the next report."))
    answer.blocks += [press_block(answer.session, row) for row in rows]


_NEXT = 2
"""The stored `rides` of a letter that comes with the next report: one more than the reports to wait for, since 0 is a
letter that no rider carries."""
_RIDES = msg(
    "Your letter rides to the commanders of your side, and is there by the spaces between the leaders: at once, with "
    "the next report, or with the one after."
)


def _store_copy(answer: SeatAnswer, command: CommandLine, copy: PressCopy) -> tables.Press:
    """Store and return a letter's copy."""
    row = tables.Press(
        game_id=answer.game.id,
        seat_id=answer.seat.id or 0,
        inbox_id=answer.inbox.id or 0,
        turn=answer.phase.turn if answer.phase else 0,
        to=copy.to,
        text="\n".join(_wrap_lines(command.said)),
        at=answer.now,
        rides=0 if copy.rides is None else copy.rides + 1,
    )
    return answer.session.get_one(tables.Press, hot_statements.insert_object(answer.session, row))


def _wrap_lines(text: str) -> list[str]:
    """Return the lines to be passed on; long lines are broken between words.

    It may return a few more than the limit. The caller has removed the tokens of addresses, since a broken line
    would hide them from that: most of a token is as good as all of it.
    """
    wrapped: list[str] = []
    for line in strike_tokens(text.strip("\n")).split("\n"):
        rest = line.rstrip()
        while len(rest) > LONGEST_LINE and len(wrapped) <= MOST_LINES:
            cut = rest.rfind(" ", 1, LONGEST_LINE + 1)
            cut = cut if cut > 0 else LONGEST_LINE
            wrapped.append(rest[:cut].rstrip())
            rest = rest[cut:].lstrip(" ")
        wrapped.append(rest)
        if len(wrapped) > MOST_LINES:
            break
    return wrapped


def _deliver(tx: Transaction, game: tables.Game, phase: tables.Phase | None, row: tables.Press) -> None:
    writer, seats = tx.session.get_one(tables.Seat, row.seat_id), queries.games.seats(tx.session, game.id)
    unwanted = [seat.name for seat in seats if writer.name in seat.muted.split()]
    row.delivered = True
    row.kept_from = " ".join(name for name in unwanted if {"*", name} & set(row.to.split()))
    tx.session.add(row)
    block = press_block(tx.session, row)
    instruction = msg("To answer, write PRESS TO {seat}, your lines below it, and ENDPRESS.", seat=writer.name)
    cause = f"press {row.id}"
    if row.to == "*":
        outbox.announce_to_all(
            tx,
            game,
            phase,
            outbox.Announcement(
                lambda zone: (), kind="press", cause=cause, but=writer, spared=unwanted, blocks=(block,), may_wait=True
            ),
        )
        return
    for seat in seats:
        if seat.name in row.to.split() and seat.name not in unwanted:
            head = outbox.head_of(tx.server, game, seat, phase)
            letter = content.Letter("press", head, blocks=(block,), closing=(instruction,)).to_json()
            outbox.send_news(tx, letter, seat, game, cause=cause)


def press_readers(answer: SeatAnswer, header: str) -> str:
    """Return a header's seats, separated by blanks; a star for all, else empty."""
    called = answer.server.rules_of(answer.game).telling.called
    words = [word for part in re.split(r",| and | y | e ", header) for word in _ids_in(part.strip(), called)]
    if words and all(word in _ALL for word in words):
        return "*"
    seats_of_words = [{seat.name for seat in answer.seats if word in (seat.name, seat.side)} for word in words]
    names = set().union(*seats_of_words) - {answer.seat.name}
    return " ".join(sorted(names)) if all(seats_of_words) else ""


def _ids_in(part: str, vocabulary: Mapping[str, DisplayNames]) -> list[str]:
    """Return the ids in a part of a header: one name of several words, or each word."""
    ident = id_of_name(part, vocabulary)
    return [ident] if ident != part else [id_of_name(word, vocabulary) for word in part.split() if word not in ARTICLES]


def _seats_among(answer: SeatAnswer, to: str) -> Sequence[str]:
    return [seat.name for seat in answer.seats if seat.name in to.split()]


def _count_today(answer: SeatAnswer) -> int:
    answer.session.flush()
    return queries.outbox.count_press(answer.session, answer.seat, answer.now - DAY)


# MUTE and REPORT PRESS: what a player can do against letters that he does not want.
#
# What a muted seat writes is passed on to others as ever and kept from who muted it; UNMUTE shows what was kept. The
# one who is muted is not told. What is reported goes to the moderator with the letters themselves; he may forbid the
# seat to write to others, which everybody is told, and allow it again.


MOST_SHOWN = 10
"""Letters that UNMUTE and REPORT PRESS show, the last ones: enough to see what it is about."""

REPORTS_A_DAY = 3
"""How often a seat may report press in a day: a person reads each report."""

# The letter that is reported, and the reason.
_REPORTED = re.compile(r"(\S+)\s*(.*)", re.DOTALL)


def mute_seats(answer: SeatAnswer, command: CommandLine) -> None:
    """Keep letters of other seats from this one."""
    names = _other_seats(answer, command.rest)
    answer.seat.muted = " ".join(sorted({*answer.seat.muted.split(), *names}))
    answer.session.add(answer.seat)
    answer.say(
        "settings",
        msg("From now on what these seats write to you is kept and not sent: {seats}. They are not told.", seats=names),
        msg("UNMUTE and the name undo that, and show what was kept."),
    )


def unmute_seats(answer: SeatAnswer, command: CommandLine) -> None:
    """Send letters of other seats again, and show those that were kept."""
    session, own_name, names = answer.session, answer.seat.name, _other_seats(answer, command.rest)
    answer.seat.muted = " ".join(name for name in answer.seat.muted.split() if name not in names)
    session.add(answer.seat)
    kept = [row for row in press_to(session, answer.game, names, own_name) if own_name in row.kept_from.split()]
    answer.say("settings", msg("What these seats write to you is sent to you again: {seats}.", seats=names))
    answer.opening.append(msg("Letters that were kept from you: {count}.", count=len(kept)))
    for row in kept:
        row.kept_from = " ".join(name for name in row.kept_from.split() if name != own_name)
        session.add(row)
    answer.blocks += [press_block(session, row) for row in kept[-MOST_SHOWN:]]
    if len(kept) > MOST_SHOWN:
        answer.opening.append(msg("The last {count} stand below; HISTORY shows all of a turn.", count=MOST_SHOWN))


def check_mute(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a word that names no other seat."""
    if _other_seats(answer, command.rest):
        return None
    return command.wrong(_no_such_seat(answer, command.rest))


def report_press(answer: SeatAnswer, command: CommandLine) -> None:
    """Send the last letters of a seat to this one to the moderator, with a comment."""
    game, (name, words) = answer.game, _parse_report(command)
    (accused,) = _other_seats(answer, name)
    letters = press_to(answer.session, game, (accused,), answer.seat.name)[-MOST_SHOWN:]
    # A choice: a person reads each report, and a thousand characters are half a page.
    comment = strike_tokens(words)[:1000]
    summary = msg("{seat} of {game} reports letters of {other}.", seat=answer.seat.name, game=game.id, other=accused)
    instruction = msg(
        "FORBID PRESS {seat} BECAUSE ... keeps the seat from writing to others, ALLOW PRESS {seat} undoes that.",
        seat=accused,
    )
    answer.say("answer", msg("Your report is passed on to the moderator, with the letters of {seat}.", seat=accused))
    blocks = [press_block(answer.session, row) for row in letters]
    blocks = [content.titled_block(msg("What is said of them"), [f"| {comment}"]), *blocks] if comment else blocks
    cause = f"press reported {answer.inbox.id} {accused}"
    if not _is_moderator_playing(answer) and moderators.notify(
        answer, game, moderators.ModeratorNotice((summary, instruction), cause=cause, blocks=blocks)
    ):
        return
    detail = "\n".join(
        [*([f"| {comment}", ""] if comment else []), *(line for row in letters for line in _quoted_lines(row))]
    )
    title = msg("letters are reported")
    outbox.write_to_operator(answer, outbox.OperatorNotice(summary, detail, cause=cause, game=game.id, title=title))


def check_report(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an unknown seat, or one that has written nothing to this seat."""
    name, _ = _parse_report(command)
    accused = _other_seats(answer, name)
    if len(accused) != 1:
        return command.wrong(_no_such_seat(answer, name))
    if not press_to(answer.session, answer.game, accused, answer.seat.name):
        return command.wrong(msg("{seat} has written nothing to you.", seat=accused[0]))
    return None


def _parse_report(command: CommandLine) -> tuple[str, str]:
    """Return the reported seat and the comment."""
    match = _REPORTED.fullmatch(command.said)
    return (match[1].strip(".,:").lower(), match[2].strip()) if match is not None else ("", "")


def _other_seats(answer: SeatAnswer, words: str) -> tuple[str, ...]:
    """Return the other seats that words name, in the order of play."""
    named_seats = press_readers(answer, words)
    others = [seat.name for seat in answer.seats if seat.id != answer.seat.id]
    return tuple(name for name in others if named_seats == "*" or name in named_seats.split())


def _no_such_seat(answer: SeatAnswer, words: str) -> Msg:
    names = tuple(seat.name for seat in answer.seats if seat.id != answer.seat.id)
    return msg("Nobody else here is called {name}; there are: {seats}.", name=words or "-", seats=names)


def _is_moderator_playing(answer: SeatAnswer) -> bool:
    """Return whether the moderator has a seat himself; then the operator is notified."""
    moderator = moderators.moderator_of(answer.session, answer.game)
    return moderator is not None and bool(moderators.seats_of(answer.session, answer.game.id, moderator.email))


def _quoted_lines(row: tables.Press) -> Sequence[str]:
    return [f"{row.at:%Y-%m-%d %H:%M} {row.to}", *(f"| {line}".rstrip() for line in row.text.split("\n"))]


COMMANDS = (
    LetterCommand(
        CommandForm(
            _PRESS, (), NO_ARGUMENT, "PRESS TO side ... ENDPRESS", "PRENSA A bando ... FINPRENSA", enclosed=_LINES
        ),
        pass_letter_on,
        check=check_press,
        often=RateLimit(letter=5),
        fits=command_records.has_press,
    ),
    LetterCommand(
        CommandForm("say", ("SAY", "ANUNCIAR"), ANY_ARGUMENT, "SAY words", "ANUNCIAR palabras", prose=True),
        pass_line_on,
        check=check_press,
        often=RateLimit(letter=5),
        fits=command_records.has_press,
    ),
    LetterCommand(
        CommandForm("mute", ("MUTE", "SILENCIAR"), ANY_ARGUMENT, "MUTE side", "SILENCIAR bando"),
        mute_seats,
        check=check_mute,
        help=(
            msg(
                "MUTE side: its letters are kept, UNMUTE side shows them. REPORT PRESS side words: the moderator hears."
            ),
        ),
        often=RateLimit(letter=5),
        fits=command_records.has_press,
    ),
    LetterCommand(
        CommandForm("unmute", ("UNMUTE", "ESCUCHAR"), ANY_ARGUMENT, "UNMUTE side", "ESCUCHAR bando"),
        unmute_seats,
        check=check_mute,
        often=RateLimit(letter=5),
        fits=command_records.has_press,
    ),
    LetterCommand(
        CommandForm(
            "report-press",
            ("REPORT PRESS", "DENUNCIAR PRENSA", "DENUNCIAR"),
            ANY_ARGUMENT,
            "REPORT PRESS side words",
            "DENUNCIAR bando palabras",
            prose=True,
        ),
        report_press,
        check=check_report,
        often=RateLimit(day=REPORTS_A_DAY),
        fits=command_records.has_press,
    ),
)
