"""Decide when the open phase of a game closes, and manage days of absence.

A phase closes at its deadline, or before it when all orders are in. Plans are rows of `due`; nothing else
closes a phase. A game has at most one such row a cause. A deadline on a day on which a seat is away waits
until the seat is back, or a bot writes for it.
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
from pbem.letters.content import moment_in_words
from pbem.log import closing_times as closing_said
from pbem.play.positions import Position, last_moment
from pbem.runtime import stopped_time
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.seats import PhaseStatus

# VACATION: days on which a seat is away; a deadline that falls on one waits until it is back, or a bot stands in.
#
# Days are those of the seat's own zone. What a seat may be away in a whole game stands in its terms.


DATES = re.compile(rf"({content.DAY_PATTERN})(?: (?:to|a|al|hasta|until) ({content.DAY_PATTERN}))?")
"""Argument of VACATION, folded: the first day, and the last if it differs."""


def read_days_away(text: str) -> tuple[tuple[date, date], ...]:
    """Return the possible first and last days of an absence; none for invalid dates.

    There are two readings where day and month cannot be told apart.
    """
    match = DATES.fullmatch(text)
    if match is None:
        return ()
    readings = content.read_date(match[1], match[2] or match[1])
    return tuple((first, last) for first, last in readings if first <= last)


def unique_days_away(text: str) -> tuple[date, date] | None:
    """Return the first and last day, if they can be read in one way only."""
    readings = read_days_away(text)
    return readings[0] if len(readings) == 1 else None


def end_of_absence(session: Session, seat: tables.Seat, moment: datetime) -> datetime:
    """Return when an absent seat is back: the midnight after its last day.

    Returns `moment` itself if it is not away then.
    """
    zone = ZoneInfo(seat.zone)
    while True:
        day = moment.astimezone(zone).date().isoformat()
        last_days = [row.last for row in queries.persons.absences(session, seat) if row.first <= day <= row.last]
        if not last_days:
            return moment
        moment = datetime.combine(date.fromisoformat(max(last_days)) + timedelta(days=1), time(), zone).astimezone(UTC)


def last_day_away(session: Session, seat: tables.Seat, moment: datetime) -> date | None:
    """Return the last day of an absence at a moment; None if the seat is not away."""
    back = end_of_absence(session, seat, moment)
    return None if back == moment else (back.astimezone(ZoneInfo(seat.zone)) - timedelta(hours=1)).date()


def end_absence(session: Session, seat: tables.Seat, moment: datetime) -> bool:
    """End a seat's absence early; return whether it was away since an earlier day."""
    day = moment.astimezone(ZoneInfo(seat.zone)).date()
    absences = [row for row in queries.persons.absences(session, seat) if row.first < day.isoformat() <= row.last]
    for row in absences:
        row.last = (day - timedelta(days=1)).isoformat()
        session.add(row)
    return bool(absences)


def seats_played_by_stand_in(
    session: Session, game: tables.Game, active: Collection[str], deadline: datetime
) -> dict[str, str]:
    """Return the seats away at a deadline, each with the bot that may write for it."""
    bot = Terms.read(game.terms).stand_in
    seats = queries.games.seats(session, game.id) if bot else ()
    return {
        seat.name: bot
        for seat in seats
        if seat.name in active and seat.person_id is not None and last_day_away(session, seat, deadline) is not None
    }


def count_days(first: date, last: date) -> int:
    """Return the number of days, first and last included."""
    return (last - first).days + 1


def remaining_days_away(session: Session, terms: Terms, seat: tables.Seat) -> int:
    """Return how many days of absence the seat may still announce."""
    rows = queries.persons.absences(session, seat)
    spans = ((date.fromisoformat(row.first), date.fromisoformat(row.last)) for row in rows)
    return terms.vacation_days - sum(count_days(*span) for span in spans)


DEADLINE = "deadline"
ALL_IN = "all-in"
REMIND = "remind"


def awaited_seats(session: Session, position: Position, phase: tables.Phase) -> tuple[str, ...]:
    """Return the seats whose orders the open phase still waits for."""
    return seats_without_orders(position, queries.seats.phase_status(session, phase))


def seats_without_orders(position: Position, heard: PhaseStatus) -> tuple[str, ...]:
    """Return the seats that the open phase still waits for.

    `heard` is what has come from each seat. The result includes seats whose orders were written before the phase
    opened, and wait for their review.
    """
    if position.begun:
        return ()
    seats_in = heard.queued - heard.early.keys()
    if position.commanders:
        # A commander who says GO without orders relies on his standing orders.
        seats_in |= {seat for seat, word in heard.said.items() if word == "go"}
    return tuple(seat for seat in position.active if seat not in seats_in and heard.said.get(seat) != "done")


def commanders_who_have_not_said_go(position: Position, heard: PhaseStatus) -> tuple[str, ...]:
    """Return the commanders who have not said GO.

    Until all have, the phase stays open to its deadline.
    """
    return tuple(seat for seat in position.commanders if heard.said.get(seat) != "go")


def no_show_seats(position: Position, heard: PhaseStatus) -> tuple[str, ...]:
    """Return the seats that would have no orders at all if the phase closed now.

    Orders written before the phase count as orders here.
    """
    return tuple(
        seat
        for seat in seats_without_orders(position, heard)
        if seat not in heard.queued or heard.early.get(seat) == "repeated"
    )


def is_everybody_done(position: Position, heard: PhaseStatus) -> bool:
    """Return whether all seats that move letter by letter have said DONE."""
    return all(heard.said.get(seat) == "done" for seat in position.active)


def new_deadline(tx: Transaction, position: Position) -> datetime:
    """Return the deadline of a phase that is opened now.

    It follows the pace of the game, but never falls on a day on which an asked seat is away, unless a bot writes
    for it, nor into a pause. If the clocks of all asked seats have run out, the phase gets only the shortest time.
    """
    game, terms = position.game, Terms.read(position.game.terms)
    pace, stopped = pace_of(game), stopped_time.read_spans(game.stopped)
    asked_seats = [seat for seat in queries.games.seats(tx.session, game.id) if seat.name in position.active]
    is_short = bool(asked_seats) and all(is_clock_used_up(terms, seat) for seat in asked_seats)
    hours = min(terms.short_hours, game.grace_hours) if is_short else game.grace_hours
    deadline = stopped_time.deadline_of(pace, tx.now, stopped, hours)
    if terms.stand_in:
        return deadline
    while (
        back := max((end_of_absence(tx.session, seat, deadline) for seat in asked_seats), default=deadline)
    ) > deadline:
        deadline = stopped_time.deadline_of(pace, back, stopped, 0)
    return deadline


def postpone_deadline(game: tables.Game, phase: tables.Phase, hours: int) -> datetime:
    """Return a phase's deadline moved by so many hours in which its clock runs."""
    return stopped_time.add_time(phase.deadline, timedelta(hours=hours), stopped_time.read_spans(game.stopped))


def pace_of(game: tables.Game) -> Pace:
    """Return a game's pace: when its deadlines fall."""
    pace = Pace(game.zone, [int(day) for day in game.weekdays], game.hour, game.grace_hours, game.undo_minutes)
    return pace.past(Terms.read(game.terms).minute)


def is_clock_used_up(terms: Terms, seat: tables.Seat) -> bool:
    """Return whether the game keeps clocks and the seat's clock has run out."""
    return bool(terms.clock_hours) and seat.spent >= terms.clock_hours * 3600


def is_due(tx: Transaction, phase: tables.Phase, moment: datetime | None = None) -> bool:
    """Return whether the phase is to close by now, and before `moment` if given."""
    closing = queries.schedule.closing_time(tx.session, phase.game_id)
    return closing is not None and closing <= tx.now and (moment is None or closing < moment)


def plan_new_phase(tx: Transaction, position: Position, phase: tables.Phase) -> None:
    """Plan the closing of a newly opened phase; at once if no seat is asked."""
    cancel_scheduled_jobs(tx.session, position.game)
    if not position.active:
        hot_statements.schedule_job(tx.session, position.game.id, "close", ALL_IN, tx.now)
    _plan_deadline(tx, position.game, phase)


def plan_closing(
    tx: Transaction, position: Position, phase: tables.Phase, heard: PhaseStatus | None = None
) -> datetime:
    """Plan the closing anew after a change of orders or wishes, and return its time.

    When all orders are in, the phase closes after the undo window, which begins again with every change; at
    once if all who are asked said GO; at the deadline if anybody said WAIT. Else it closes at the deadline,
    after which late letters may still come. Where a side has several commanders it closes before its deadline
    only if all of them said GO. `heard` is the state of the phase's seats, looked up if not given.
    """
    heard = heard or queries.seats.phase_status(tx.session, phase)
    latest = last_moment(position.game, phase)
    if position.by_letter:
        # A letter is executed now, and the phase ends now if all active seats have said DONE.
        closing = tx.now if heard.queued or is_everybody_done(position, heard) else None
    elif position.commanders:
        closing = None if commanders_who_have_not_said_go(position, heard) else tx.now
    else:
        closing = (
            None
            if seats_without_orders(position, heard)
            else min(_closing_moment(position, phase, heard, tx.now), latest)
        )
    if closing is None or (closing == latest and not position.by_letter):
        hot_statements.delete_jobs(tx.session, position.game.id, ALL_IN)
        return phase.deadline if closing is None else latest
    hot_statements.schedule_job(tx.session, position.game.id, "close", ALL_IN, closing)
    return closing


def _closing_moment(position: Position, phase: tables.Phase, heard: PhaseStatus, now: datetime) -> datetime:
    """Return when a phase with all orders closes, by the wishes of the seats."""
    words = heard.said
    if "wait" in words.values() and now < phase.deadline:
        return phase.deadline
    if words and all(words.get(seat) == "go" for seat in position.active):
        return now
    return now + timedelta(minutes=position.game.undo_minutes)


class DeadlineMove(NamedTuple):
    """A new deadline, its cause, and the seat it is for."""

    to: datetime
    cause: str
    seat: tables.Seat | None = None


def move_deadline(tx: Transaction, position: Position, phase: tables.Phase, delay: DeadlineMove) -> None:
    """Move the open phase's deadline, record its cause, and plan its closing."""
    deadline, cause, seat = delay
    seconds = round((deadline - phase.deadline).total_seconds())
    hot_statements.insert_numbered(
        tx.session,
        tables.Delay,
        phase_id=phase.id,
        seat_id=seat.id if seat else None,
        cause=cause,
        seconds=seconds,
        at=tx.now,
    )
    phase.deadline = deadline
    tx.session.add(phase)
    cancel_scheduled_jobs(tx.session, position.game)
    _plan_deadline(tx, position.game, phase)
    plan_closing(tx, position, phase)
    tx.session.flush()
    if (closing := queries.schedule.closing_time(tx.session, position.game.id)) is not None:
        closing_said.note(tx, position.game, phase, closing, cause)


def cancel_scheduled_jobs(session: Session, game: tables.Game) -> None:
    """Delete every planned closing and reminder."""
    hot_statements.delete_jobs(session, game.id, DEADLINE, ALL_IN, REMIND)


def _plan_deadline(tx: Transaction, game: tables.Game, phase: tables.Phase) -> None:
    """Plan a phase's closing at its deadline, and the reminder if it is not too late."""
    jobs = [("close", DEADLINE, last_moment(game, phase))]
    hours = Terms.read(game.terms).reminder_hours
    if hours and (reminder_time := phase.deadline - timedelta(hours=hours)) > tx.now:
        jobs.append((REMIND, REMIND, reminder_time))
    hot_statements.schedule_jobs(tx.session, game.id, *jobs)


# The NMR policy: steps after a missed deadline, agreed on in the terms of a game, each explained to the seat.
#
# ``standing``   the seat's forces do nothing but follow its standing orders, and the game goes on
# ``standby``    the same, and others may take the seat over, unless a letter comes from it within the hours agreed on
# ``moderator``  the game is held before the phase closes, until its moderator has decided
# ``close``      the game is over before the phase closes: nobody else waits for it


OFFER = "offer"
"""Kind of the due row at whose time a silent seat is offered to others."""


def seats_holding_game(
    session: Session, position: Position, phase: tables.Phase, seats: Sequence[tables.Seat]
) -> tuple[str, ...]:
    """Return the seats without orders that would hold the game at a closing now."""
    return _without_orders(session, position, phase, seats, "moderator")


def seats_ending_game(
    session: Session, position: Position, phase: tables.Phase, seats: Sequence[tables.Seat]
) -> tuple[str, ...]:
    """Return the seats without orders that would end the game at a closing now."""
    return _without_orders(session, position, phase, seats, "close")


def _without_orders(
    session: Session, position: Position, phase: tables.Phase, seats: Sequence[tables.Seat], step: str
) -> tuple[str, ...]:
    terms = Terms.read(position.game.terms)
    candidates = [seat.name for seat in seats if terms.step(seat.missed + 1) == step]
    missing = no_show_seats(position, queries.seats.phase_status(session, phase)) if candidates else ()
    if position.commanders and not {*position.commanders} <= {*missing}:
        # A silent commander delays nobody: the others of his side go on.
        return ()
    return tuple(seat for seat in candidates if seat in missing)


def is_open_to_others(game: tables.Game, seat: tables.Seat, now: datetime) -> bool:
    """Return whether a seat may be taken over: free, or silent for too long."""
    return seat.is_free or (seat.silent is not None and now >= seat.silent + _answer_time(game))


def record_presence(tx: Transaction, seat: tables.Seat) -> None:
    """Record that a letter of any kind came from the seat's player."""
    if seat.silent is not None:
        hot_statements.update_row(tx.session, seat, silent=None)
        hot_statements.delete_jobs(tx.session, seat.game_id, _offer_cause(seat))


def _answer_time(game: tables.Game) -> timedelta:
    return timedelta(hours=Terms.read(game.terms).here_hours)


def _offer_cause(seat: tables.Seat) -> str:
    return f"{OFFER} {seat.name}"


def count_missed(tx: Transaction, position: Position, seat: tables.Seat, repeated: bool = False) -> list[Msg]:
    """Count a missed deadline; return sentences on its effect and that of the next.

    `repeated` says that the seat's repeated lines were executed. If others may now take the seat over, its player
    is asked for a sign of life first.
    """
    terms = Terms.read(position.game.terms)
    seat.strikes += 1
    seat.missed += 1
    effect = msg(
        "You sent no orders by the deadline, so your forces only followed standing orders. Deadlines missed "
        "so far: {count}.",
        count=seat.strikes,
    )
    if repeated:
        effect = msg(
            "You sent nothing by the deadline. Your repeated lines and your standing orders were carried "
            "out. Deadlines missed so far: {count}.",
            count=seat.strikes,
        )
    sentences = [effect]
    if terms.step(seat.missed) != "standing":
        sentences.append(_ask_for_sign_of_life(tx, position, seat))
    next_step = terms.step(seat.missed + 1)
    if next_step == "moderator":
        sentences.append(msg("If none come next time either, the game is held and its moderator decides."))
    elif next_step == "standby" and terms.step(seat.missed) == "standing":
        sentences.append(msg("If none come next time either, others may take your seat over."))
    return sentences


def _ask_for_sign_of_life(tx: Transaction, position: Position, seat: tables.Seat) -> Msg:
    """Plan to offer the seat to others, if not planned.

    Returns until when a letter keeps it.
    """
    if seat.silent is None:
        seat.silent = tx.now
        hot_statements.schedule_job(
            tx.session, position.game.id, OFFER, _offer_cause(seat), tx.now + _answer_time(position.game)
        )
    limit = seat.silent + _answer_time(position.game)
    if tx.now >= limit:
        return msg("Others may take your seat over now; as soon as any letter of yours comes in, they no longer can.")
    return msg(
        "Are you there? HERE is enough, or any other letter. If none comes by {when}, others may take your seat over.",
        when=moment_in_words(limit, seat.zone),
    )


def reset_missed(seat: tables.Seat) -> None:
    """Reset the seat's count of deadlines missed in a row: its orders were in."""
    seat.missed = 0


def charge_clock(game: tables.Game, phase: tables.Phase, seat: tables.Seat, end: datetime) -> None:
    """Charge a seat with the time that the phase waited for it while deadlines ran."""
    waited = stopped_time.running_time(phase.opened, end, stopped_time.read_spans(game.stopped))
    # Orders for a later turn may have come before its phase opened.
    seat.spent += max(0, round(waited.total_seconds()))


def clock_sentences(game: tables.Game, seat: tables.Seat) -> list[Msg]:
    """Return how much of its time a seat has used, where the game keeps clocks."""
    terms = Terms.read(game.terms)
    if not terms.clock_hours:
        return []
    used = seat.spent // 3600
    if is_clock_used_up(terms, seat):
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
