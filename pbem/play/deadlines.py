"""When the open phase of a game closes: at its deadline, or before it when all orders are in; and days of absence.

What is planned is a row of `due`; nothing else makes a phase close. A game has at most one such row a cause. A deadline
that falls on a day on which a seat is away waits until it is back, or a bot stands in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import when
from pbem.log import closing_times as closing_said
from pbem.play.positions import Position, last_moment
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.seats import Heard

# VACATION: days on which a seat is away; a deadline that falls on one waits until it is back, or a bot stands in.
#
# Days are those of the seat's own zone. What a seat may be away in a whole game stands in its terms.


DATES = re.compile(rf"({content.DAY})(?: (?:to|a|al|hasta|until) ({content.DAY}))?")
"""What follows VACATION, folded: the first day, and the last if it is another."""


def read_days_away(said: str) -> tuple[tuple[date, date], ...]:
    """What the first and the last day of what follows VACATION can be; none for days that no calendar has.

    Two readings there are where days and months can be told apart by nothing.
    """
    found = DATES.fullmatch(said)
    if found is None:
        return ()
    both = content.read_date(found[1], found[2] or found[1])
    return tuple((first, last) for first, last in both if first <= last)


def days_away(said: str) -> tuple[date, date] | None:
    """The first and the last day, if they can be read in one way only."""
    found = read_days_away(said)
    return found[0] if len(found) == 1 else None


def back_at(session: Session, seat: tables.Seat, at: datetime) -> datetime:
    """When the seat is back if it is away at that moment: the midnight after its last day; else `at` itself."""
    zone = ZoneInfo(seat.zone)
    while True:
        day = at.astimezone(zone).date().isoformat()
        over = [row.last for row in queries.persons.absences(session, seat) if row.first <= day <= row.last]
        if not over:
            return at
        at = datetime.combine(date.fromisoformat(max(over)) + timedelta(days=1), time(), zone).astimezone(UTC)


def away_until(session: Session, seat: tables.Seat, at: datetime) -> date | None:
    """The last day on which the seat is away, if it is at that moment."""
    free = back_at(session, seat, at)
    return None if free == at else (free.astimezone(ZoneInfo(seat.zone)) - timedelta(hours=1)).date()


def come_back(session: Session, seat: tables.Seat, at: datetime) -> bool:
    """The seat is here again, before the last day of its absence; whether it was away, since an earlier day."""
    day = at.astimezone(ZoneInfo(seat.zone)).date()
    over = [row for row in queries.persons.absences(session, seat) if row.first < day.isoformat() <= row.last]
    for row in over:
        row.last = (day - timedelta(days=1)).isoformat()
        session.add(row)
    return bool(over)


def stood_in(session: Session, game: tables.Game, active: Collection[str], at: datetime) -> dict[str, str]:
    """The seats whose players are away at a deadline, each with the bot that may write for them."""
    bot = Terms.read(game.terms).stand_in
    seats = queries.games.seats(session, game.id) if bot else ()
    return {
        seat.name: bot
        for seat in seats
        if seat.name in active and seat.person_id is not None and away_until(session, seat, at) is not None
    }


def days_of(first: date, last: date) -> int:
    """How many days that are, both counted."""
    return (last - first).days + 1


def days_left(session: Session, terms: Terms, seat: tables.Seat) -> int:
    """How many days of absence the seat may still announce."""
    rows = queries.persons.absences(session, seat)
    spans = ((date.fromisoformat(row.first), date.fromisoformat(row.last)) for row in rows)
    return terms.vacation_days - sum(days_of(*span) for span in spans)


DEADLINE = "deadline"
ALL_IN = "all-in"
REMIND = "remind"


def waiting(session: Session, here: Position, phase: tables.Phase) -> tuple[str, ...]:
    """The seats whose orders the open phase still waits for."""
    return not_in(here, queries.seats.heard(session, phase))


def not_in(here: Position, heard: Heard) -> tuple[str, ...]:
    """The seats that a phase still waits for, by what it has heard.

    Among them are seats whose orders, written before the phase opened, wait for another look.
    """
    if here.begun:
        return ()
    sent = heard.queued - heard.early.keys()
    if here.commanders:
        # One who says GO and sends nothing leaves it at his standing orders.
        sent |= {seat for seat, word in heard.said.items() if word == "go"}
    return tuple(seat for seat in here.active if seat not in sent and heard.said.get(seat) != "done")


def undecided(here: Position, heard: Heard) -> tuple[str, ...]:
    """The commanders who have not said GO: until all of them have, the phase stays open to its deadline."""
    return tuple(seat for seat in here.commanders if heard.said.get(seat) != "go")


def absent(here: Position, heard: Heard) -> tuple[str, ...]:
    """The seats that have missed the deadline if the phase closes now; orders kept for the turn are orders."""
    return tuple(
        seat for seat in not_in(here, heard) if seat not in heard.queued or heard.early.get(seat) == "repeated"
    )


def done(here: Position, heard: Heard) -> bool:
    """Whether all who move letter by letter have said that they are done."""
    return all(heard.said.get(seat) == "done" for seat in here.active)


def setting(work: Transaction, here: Position) -> datetime:
    """The deadline of a phase that is opened now.

    It falls as the pace of the game says, but never on a day on which a seat that is asked is away, unless a bot writes
    for who is; where the time to think of all who are asked is used up, the phase is a short one.
    """
    game, terms = here.game, Terms.read(here.game.terms)
    pace = pace_of(game)
    asked = [seat for seat in queries.games.seats(work.session, game.id) if seat.name in here.active]
    over = bool(asked) and all(is_used_up(terms, seat) for seat in asked)
    at = pace.deadline(work.now, min(terms.short_hours, game.grace_hours) if over else game.grace_hours)
    if terms.stand_in:
        return at
    while (free := max((back_at(work.session, seat, at) for seat in asked), default=at)) > at:
        at = pace.deadline(free, 0)
    return at


def pace_of(game: tables.Game) -> Pace:
    """Return when the deadlines of a game fall."""
    pace = Pace(game.zone, [int(day) for day in game.weekdays], game.hour, game.grace_hours, game.undo_minutes)
    return pace.past(Terms.read(game.terms).minute)


def is_used_up(terms: Terms, seat: tables.Seat) -> bool:
    """True if the game keeps clocks and that of the seat has run out."""
    return bool(terms.clock_hours) and seat.spent >= terms.clock_hours * 3600


def is_due(work: Transaction, phase: tables.Phase, moment: datetime | None = None) -> bool:
    """Whether the phase is to close by now, or before a moment that is told: from then on it can only be closed."""
    at = queries.schedule.closing(work.session, phase.game_id)
    return at is not None and at <= work.now and (moment is None or at < moment)


def begin(work: Transaction, here: Position, phase: tables.Phase) -> None:
    """Plan the closing of a phase that was opened just now; one that nobody is asked in closes at once."""
    forget(work.session, here.game)
    if not here.active:
        hot_statements.plan(work.session, here.game.id, "close", ALL_IN, work.now)
    _plan(work, here.game, phase)


def await_close(work: Transaction, here: Position, phase: tables.Phase, heard: Heard | None = None) -> datetime:
    """Plan the closing anew after a change of orders or wishes, and return when it will be as things stand.

    When all are in, the phase closes after the undo window, which begins again with every change; at once if all who
    are asked said GO; at the deadline if anybody said WAIT. Else at the deadline, after which late letters may still
    come. Where a side has several commanders it closes before its deadline only if all of them said GO.
    `heard` is what the phase has heard by now, if the caller knows.
    """
    heard = heard or queries.seats.heard(work.session, phase)
    last = last_moment(here.game, phase)
    if here.by_letter:
        # A letter is carried out now, and so is the end of the phase if all who move have said that they are done.
        at = work.now if heard.queued or done(here, heard) else None
    elif here.commanders:
        at = None if undecided(here, heard) else work.now
    else:
        at = None if not_in(here, heard) else min(_closing_moment(here, phase, heard, work.now), last)
    if at is None or (at == last and not here.by_letter):
        hot_statements.forget_due(work.session, here.game.id, ALL_IN)
        return phase.deadline if at is None else last
    hot_statements.plan(work.session, here.game.id, "close", ALL_IN, at)
    return at


def _closing_moment(here: Position, phase: tables.Phase, heard: Heard, now: datetime) -> datetime:
    """When a phase closes that has all orders, by the wishes of the seats."""
    words = heard.said
    if "wait" in words.values() and now < phase.deadline:
        return phase.deadline
    if words and all(words.get(seat) == "go" for seat in here.active):
        return now
    return now + timedelta(minutes=here.game.undo_minutes)


class Delay(NamedTuple):
    """To when a deadline is put off, why, and for whom."""

    to: datetime
    cause: str
    seat: tables.Seat | None = None


def put_off(work: Transaction, here: Position, phase: tables.Phase, delay: Delay) -> None:
    """Move the deadline of the open phase, note why and for whom, and plan its closing and reminder anew."""
    to, cause, seat = delay
    seconds = round((to - phase.deadline).total_seconds())
    hot_statements.add(
        work.session,
        tables.Delay,
        phase_id=phase.id,
        seat_id=seat.id if seat else None,
        cause=cause,
        seconds=seconds,
        at=work.now,
    )
    phase.deadline = to
    work.session.add(phase)
    forget(work.session, here.game)
    _plan(work, here.game, phase)
    await_close(work, here, phase)
    work.session.flush()
    if (at := queries.schedule.closing(work.session, here.game.id)) is not None:
        closing_said.note(work, here.game, phase, at, cause)


def forget(session: Session, game: tables.Game) -> None:
    """Strike out every closing and reminder that was planned."""
    hot_statements.forget_due(session, game.id, DEADLINE, ALL_IN, REMIND)


def _plan(work: Transaction, game: tables.Game, phase: tables.Phase) -> None:
    """The rows of a phase's deadline: its closing, and the reminder if it is not too late for one."""
    hot_statements.plan(work.session, game.id, "close", DEADLINE, last_moment(game, phase))
    hours = Terms.read(game.terms).reminder_hours
    if hours and (at := phase.deadline - timedelta(hours=hours)) > work.now:
        hot_statements.plan(work.session, game.id, REMIND, REMIND, at)


# What follows a missed deadline: a ladder of steps, agreed on in the terms of a game, each explained to the seat.
#
# ``standing``   the seat's forces do nothing but follow its standing orders, and the game goes on
# ``standby``    the same, and others may take the seat over, unless a letter comes from it within the hours agreed on
# ``moderator``  the game is held before the phase closes, until its moderator has decided
# ``close``      the game is over before the phase closes: nobody else waits for it


OFFER = "offer"
"""The kind of the row at whose time a seat from which no word came is offered to others."""


def stopped_by(session: Session, here: Position, phase: tables.Phase, seats: Sequence[tables.Seat]) -> tuple[str, ...]:
    """The seats without orders for whom the game is to be held, were the phase closed now."""
    return _without_orders(session, here, phase, seats, "moderator")


def ended_by(session: Session, here: Position, phase: tables.Phase, seats: Sequence[tables.Seat]) -> tuple[str, ...]:
    """The seats without orders for whom the game is to end, were the phase closed now."""
    return _without_orders(session, here, phase, seats, "close")


def _without_orders(
    session: Session, here: Position, phase: tables.Phase, seats: Sequence[tables.Seat], step: str
) -> tuple[str, ...]:
    terms = Terms.read(here.game.terms)
    near = [seat.name for seat in seats if terms.step(seat.missed + 1) == step]
    missing = absent(here, queries.seats.heard(session, phase)) if near else ()
    if here.commanders and not {*here.commanders} <= {*missing}:
        # A silent commander holds nobody up: the others of his side go on.
        return ()
    return tuple(seat for seat in near if seat in missing)


def is_offered(game: tables.Game, seat: tables.Seat, now: datetime) -> bool:
    """Whether others may take the seat over now: nobody sits there, or who does was asked for a word and sent none."""
    return seat.is_free or (seat.silent is not None and now >= seat.silent + _asked_for(game))


def note_presence(work: Transaction, seat: tables.Seat) -> None:
    """A letter came from the seat, whatever it says: whoever sits there is there."""
    if seat.silent is not None:
        hot_statements.change(work.session, seat, silent=None)
        hot_statements.forget_due(work.session, seat.game_id, _cause(seat))


def _asked_for(game: tables.Game) -> timedelta:
    return timedelta(hours=Terms.read(game.terms).here_hours)


def _cause(seat: tables.Seat) -> str:
    return f"{OFFER} {seat.name}"


def count_missed(work: Transaction, here: Position, seat: tables.Seat, repeated: bool = False) -> list[Msg]:
    """Count a deadline that a seat missed, and say what that means now and what the next one would mean.

    `repeated` says that the lines were carried out which it has repeated each turn. Where others may now take the seat
    over, it is asked for a word first.
    """
    terms = Terms.read(here.game.terms)
    seat.strikes += 1
    seat.missed += 1
    did = msg(
        "No orders came from you by the deadline: your forces did nothing but follow standing orders. "
        "Missed so far: {count}.",
        count=seat.strikes,
    )
    if repeated:
        did = msg(
            "No word came from you by the deadline: the lines that you repeat were carried out, and your standing "
            "orders. Missed so far: {count}.",
            count=seat.strikes,
        )
    told = [did]
    if terms.step(seat.missed) != "standing":
        told.append(_ask_for_word(work, here, seat))
    ahead = terms.step(seat.missed + 1)
    if ahead == "moderator":
        told.append(msg("If none come next time either, the game is held and its moderator decides."))
    elif ahead == "standby" and terms.step(seat.missed) == "standing":
        told.append(msg("If none come next time either, others may take your seat over."))
    return told


def _ask_for_word(work: Transaction, here: Position, seat: tables.Seat) -> Msg:
    """Plan that the seat is offered to others, unless it is already, and say until when a word keeps it."""
    if seat.silent is None:
        seat.silent = work.now
        hot_statements.plan(work.session, here.game.id, OFFER, _cause(seat), work.now + _asked_for(here.game))
    until = seat.silent + _asked_for(here.game)
    if work.now >= until:
        return msg("Others may take your seat over now; as soon as any letter of yours comes in, they no longer can.")
    return msg(
        "Are you there? HERE is enough, or any other letter. If none comes by {when}, others may take your seat over.",
        when=when(until, seat.zone),
    )


def forget_missed(seat: tables.Seat) -> None:
    """Orders of the seat were in: what it missed before is behind it."""
    seat.missed = 0


def count_time(phase: tables.Phase, seat: tables.Seat, until: datetime) -> None:
    """Charge a seat with the time that the phase waited for it."""
    seat.spent += max(0, round((until - phase.opened).total_seconds()))


def time_sentences(game: tables.Game, seat: tables.Seat) -> list[Msg]:
    """How much of its time a seat has used, where the game keeps clocks."""
    terms = Terms.read(game.terms)
    if not terms.clock_hours:
        return []
    used = seat.spent // 3600
    if is_used_up(terms, seat):
        return [
            msg(
                "Your clock has run out: {used} of {all} hours are used. Your phases last {short} hours at least, "
                "and you can put no deadline off.",
                used=used,
                all=terms.clock_hours,
                short=terms.short_hours,
            )
        ]
    return [msg("Your clock: {used} of {all} hours are used.", used=used, all=terms.clock_hours)]
