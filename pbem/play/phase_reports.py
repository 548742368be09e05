"""Write all seats' reports when a phase or letter was resolved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlmodel import Session

from pbem.audit import rolls
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg, percent
from pbem.engine.data.report import Report
from pbem.engine.data.situation import Situation, position_to_named_json
from pbem.engine.game import AnyGame, view_events
from pbem.engine.orders.block import DONE, END, ORDERS
from pbem.engine.orders.wrapped import fold_form
from pbem.engine.parts import FormTerms
from pbem.engine.terms import Orders
from pbem.letters import content, outbox
from pbem.log import grades
from pbem.play import (
    adjudication,
    brief,
    deadlines,
    history,
    outcome,
    pauses,
    positions,
    promises,
    revealed_orders,
    scheduled_orders,
    war_progress,
)
from pbem.play.adjudication import LetterResult, Resolution
from pbem.play.positions import Position
from pbem.play.scheduled_orders import ScheduledOrdersReport
from pbem.runtime import tokens
from pbem.runtime.transaction import DATA_SUFFIX, DESK_SUFFIX, Transaction
from pbem.store import queries, tables

# A report as data, for programs: what the letter tells its seat, before it is put into words (docs/report-json.md).
#
# It goes with a report to a seat that asked for it (`FORMAT JSON`), and holds nothing that `view` and `see` would keep
# from that seat.


REPORT_FILE = "report.json"
"""The name of the attached file with a report as data."""

REPORT_FORMAT = "pbem-report/1"
"""Format name in the data. Keys may be added to version 1; existing keys keep their meaning."""


GROUND, GROUND_FORMAT = "ground.json", "pbem-ground/1"
"""File name and format name of the map. An edition has one map, so it is sent once, not with each report."""


class RequestedForm(NamedTuple):
    """The open phase's request to a seat: order form lines, and the deadline.

    There is no form if no orders are expected now, and no deadline if no phase is open.
    """

    form: Sequence[str] = ()
    until: datetime | None = None


def report_as_data(
    position: Position, seat: tables.Seat, seen_events: Sequence[tuple[Event, object]], request: RequestedForm
) -> Json:
    """Return a seat's report as data: position, seen events, and expected orders."""
    rules = position.rules
    phase, view = rules.phase(position.state), rules.view(position.state, seat.name)
    return {
        "format": REPORT_FORMAT,
        "game": position.game.id,
        "rules": position.game.system,
        "scenario": position.game.scenario,
        "edition": position.edition.digest,
        "seat": seat.name,
        "seats": dict(rules.seats(position.state)),
        "resolved": position.number,
        "phase": None if phase is None else {"name": phase[0], "turn": phase[1]},
        "active": [] if phase is None else list(position.active),
        "deadline": None if request.until is None else _rfc3339(request.until),
        "form": list(request.form),
        "offers": form_offers(rules, view, seat.name, FormTerms(position.begun)) if request.form else [],
        "events": [{"kind": event.kind, "rule": event.cite, "data": dict(event.data)} for event, _ in seen_events],
        "stakes": rules.telling.stakes(view, seat.name, seen_events).to_json(),
        "position": position_to_named_json(view) if isinstance(view, Situation) else rules.encode(view),
    }


def form_offers(rules: AnyGame, view: object, seat: str, terms: FormTerms, *, attacks: bool = False) -> Json:
    """Return the order form's offers: canonical lines, and their attack's chance.

    The lines can be sent alone. With `attacks` only offers with a known chance are returned.
    """
    form_entries = []
    for text, chance in rules.aids.offers(view, seat, terms):
        if attacks and chance is None:
            continue
        lines = rules.canon(Orders(rules.parse(text, view, seat).orders.actions)).splitlines()
        form_entries.append({"orders": lines, "wins": None if chance is None else int(percent(chance))})
    return form_entries


def map_block(position: Position) -> Json | None:
    """Return a block with the map as a file; None if the game shows none."""
    ground = position.rules.rulebook.ground(position.edition)
    if ground is None:
        return None
    map_data = {
        "format": GROUND_FORMAT,
        "rules": position.game.system,
        "edition": position.edition.digest,
        "map": ground,
    }
    block = content.titled_block(msg("The map for programs"), [GROUND])
    return {**block, "file": GROUND, "text": report_text(map_data)}


def report_text(stored: Json) -> str:
    """Return data as the text of the file.

    It is sorted ASCII JSON (RFC 8259), a line for each value, so that equal data give equal bytes.
    """
    return json.dumps(stored, indent=1, sort_keys=True) + "\n"


def _rfc3339(moment: datetime) -> str:
    """Return a moment by RFC 3339, in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# The subject of a report: what is wanted of its reader, by when, and how the points stand.
#
# ``[ceuta-1] T5 your move by Mon 20:00, 10-10`` or ``[ceuta-1] T5 waiting for Morocco, 10-10``.


_DAYS = (msg("Mon"), msg("Tue"), msg("Wed"), msg("Thu"), msg("Fri"), msg("Sat"), msg("Sun"))
_WEEKDAY_ENOUGH = timedelta(days=6)
"""Within this time a day of the week alone is unambiguous."""

_YEAR_NEEDED = timedelta(days=180)
"""Beyond this time a date needs its year, and no hour: half a year, so that a day and month are of the nearest one."""


def subject_of_ended_game(position: Position, seat: str, view: object, part: Msg | None = None) -> Msg:
    """Return the subject of an ended game, or `part` of a war, with points."""
    return _with_points(part or msg("the game is over"), position, seat, view)


def subject_of_phase(
    tx: Transaction, position: Position, phase: tables.Phase, seat: tables.Seat, missing: Sequence[str] | None = None
) -> Msg:
    """Return the subject for an open phase: the expected orders and their deadline.

    `missing` are the seats whose orders it waits for if none are expected of this one.
    """
    if phase.state == "closed":
        news = msg("waiting for a player")
    elif seat.name in position.active and missing is None:
        news = msg("your move by {when}", when=_short_time(phase.deadline, seat.zone, tx.now))
    else:
        news = _awaited_text(position, missing or ())
    return _with_points(news, position, seat.name, position.rules.view(position.state, seat.name))


def _awaited_text(position: Position, missing: Sequence[str]) -> Msg:
    """Return the seats that the phase waits for, in words."""
    missing = tuple(missing)
    if not missing and not position.begun:
        return msg("all orders are in")
    return msg("waiting for {seats}", seats=missing or position.active)


def _short_time(moment: datetime, zone: str, now: datetime) -> Msg:
    """Return a near moment as briefly as possible.

    A later one has its date, a distant one its year.
    """
    local = moment.astimezone(ZoneInfo(zone))
    day, hour = _DAYS[local.weekday()], f"{local:%H:%M}"
    if moment - now < _WEEKDAY_ENOUGH:
        return msg("{day} {hour}", day=day, hour=hour)
    if moment - now > _YEAR_NEEDED:
        return msg("{number}/{month}/{year}", number=local.day, month=local.month, year=str(local.year))
    return msg("{day} {number}/{month} {hour}", day=day, number=local.day, month=local.month, hour=hour)


def _with_points(news: Msg, position: Position, seat: str, view: object) -> Msg:
    """Return a subject with the points that the seat sees, and how many it misses."""
    situation = position.rules.telling.stakes(view, seat, ())
    points = "-".join(str(score.points) for score in situation.scores)
    if points and situation.hidden:
        return msg("{what}, {points} ({n} unseen)", what=news, points=points, n=situation.hidden)
    return msg("{what}, {points}", what=news, points=points) if points else news


class PhaseReport(NamedTuple):
    """The facts of a report: position, phase, and the resolution before it.

    `phase` is None once the game is over, `done` if nothing was resolved. `notes` come first in the letter; `cause`
    distinguishes it from others about the same position; `wrote` reports on orders that the seat sent before the
    phase opened. With `brief` the reader is new to the game, and the letter introduces it. `closing` are the last
    sentences, which `closing_sentences` returns for all seats.
    """

    here: Position
    phase: tables.Phase | None
    done: Resolution | LetterResult | None = None
    notes: Sequence[Msg] = ()
    cause: str = ""
    wrote: ScheduledOrdersReport = ScheduledOrdersReport()
    brief: bool = False
    closing: Sequence[Msg] = ()


def closing_sentences(
    session: Session,
    position: Position,
    resolution: Resolution | LetterResult | None,
    resolved: tables.Phase | None = None,
) -> Sequence[Msg]:
    """Return the end of all reports: grade of the dice, and whose orders are open.

    The resolved phase is looked up if it is not given.
    """
    if resolution is None:
        return ()
    row = resolved or queries.phases.phase_or_ruled_state(session, position.game.id, position.number)
    return (_grade(session, position.game, resolution), *_opened_sentences(session, row))


def write_report(tx: Transaction, seat: tables.Seat, report: PhaseReport) -> None:
    """Write one seat's letter on past events and the next phase."""
    position, phase, resolution, notes, cause, early_report, is_new, closing = report
    after = position.rules.view(position.state, seat.name)
    events = resolution.events_and_states if resolution else ()
    seen_events = view_events(position.rules, seat.name, events)
    shown_report = _with_head(tx, seat, report, position.rules.telling.report(after, seat.name, seen_events))
    opening: list[Msg] = list(notes)
    template, form = [], None
    missing: Sequence[str] | None = None
    # The former template is invalid now, whether or not there is a new one.
    seat.nonce, seat.template = "", ""
    if phase is None:
        enclosed = revealed_orders.describe_disclosure(tx, position.game)
        opening += (*outcome.result_sentences(tx, position.game), *outcome.farewell_sentences(tx, position.game))
        opening += enclosed.sentences
        early_report = early_report._replace(blocks=(*early_report.blocks, *enclosed.blocks))
    elif phase.state == "closed":
        opening.append(pauses.waiting_sentence(tx.session, phase))
    else:
        active, limit = position.active, content.moment_in_words(phase.deadline, seat.zone)
        if position.begun:
            opening.insert(0, _letter_done_sentence(seat.name in active, limit))
            template, form = _template(tx, position, seat, phase, ()) if seat.name in active else ([], None)
        elif seat.name in active:
            request = () if early_report.firm else (msg("Send your orders by {when}.", when=limit),)
            opening[:0] = [*request, *deadlines.clock_sentences(position.game, seat)]
            first_lines = scheduled_orders.template_lines(tx.session, position.rules, seat, phase)
            template, form = _template(tx, position, seat, phase, first_lines)
            missing = deadlines.awaited_seats(tx.session, position, phase) if early_report.firm else None
        else:
            missing = deadlines.awaited_seats(tx.session, position, phase)
            opening.insert(0, _no_orders_needed(tx.session, position, seat, phase, missing))
        opening += (*history.voiding_sentences(tx.session, phase), *outcome.safe_lead_sentences(tx, position, seat))
    tx.session.add(seat)
    opening += early_report.notes
    head = outbox.head_of(tx.server, position.game, seat, phase)
    if phase is None:
        subject = subject_of_ended_game(position, seat.name, after, war_progress.ended_part_text(tx, position.game))
    else:
        subject = subject_of_phase(tx, position, phase, seat, missing)
    letter = content.Letter(
        "report",
        head,
        opening=opening,
        report=shown_report,
        blocks=early_report.blocks,
        closing=[line for line in closing if line not in opening],
        template=template,
        form=form,
        what=subject,
        wanted=_count_requests(position, phase, early_report),
        picture=positions.scene_for_letter(tx, position, seat, after, seen_events),
    )
    if DESK_SUFFIX in seat.format and template and phase is not None and promises.has_desk(tx, position):
        letter = letter._replace(blocks=(*letter.blocks, promises.promise_desk(tx, position, seat, phase.turn)))
    if DATA_SUFFIX in seat.format:
        requested = RequestedForm(template, None if phase is None else phase.deadline)
        ground_block = map_block(position) if is_new else None
        blocks = letter.blocks if ground_block is None else (*letter.blocks, ground_block)
        letter = letter._replace(data=report_as_data(position, seat, seen_events, requested), blocks=blocks)
    outbox.write_to_seat(tx, letter.to_json(), seat, position.game, cause=cause or f"phase {position.number}")


def _with_head(tx: Transaction, seat: tables.Seat, report: PhaseReport, report_part: Report) -> Report:
    """Return a report below the brief of a new game, or with an ended game's account."""
    position, phase, resolution, is_new = report.here, report.phase, report.done, report.brief
    if is_new:
        # Who the enemy is the map shows, and MAP lists.
        others = [block for block in report_part.blocks if block.table is not None][1:]
        blocks = tuple(block._replace(lines=()) if block in others else block for block in report_part.blocks)
        summary = report_part.summary if report_part.entries else ()
        head = brief.brief_blocks(position, seat, short=True)
        return report_part._replace(head=head, blocks=blocks, summary=summary)
    if phase is None:
        account = outcome.points_account(tx, position.game)
        accounts = () if account is None else (account,)
        return report_part._replace(
            head=(*report_part.head, *accounts), blocks=(*report_part.blocks, *outcome.war_blocks(tx, position, seat))
        )
    if resolution is None and (seen_corrections := _seen_corrections(tx, position, seat.name)):
        after = position.rules.view(position.state, seat.name)
        return report_part._replace(head=position.rules.telling.report(after, seat.name, seen_corrections).head)
    return report_part


def _count_requests(position: Position, phase: tables.Phase | None, early_report: ScheduledOrdersReport) -> int:
    """Return how many of the first sentences request orders: one if they are awaited."""
    return int(phase is not None and phase.state != "closed" and (position.begun or not early_report.firm))


def _seen_corrections(tx: Transaction, position: Position, seat: str) -> list[tuple[Event, object]]:
    """Return a seat's view of the ruling that made the position; empty without one."""
    row = queries.phases.phase_or_ruled_state(tx.session, position.game.id, position.number)
    if not isinstance(row, tables.Basis):
        return []
    return view_events(position.rules, seat, history.corrections_with_states(tx, position.game, row))


def _no_orders_needed(
    session: Session, position: Position, seat: tables.Seat, phase: tables.Phase, missing: Sequence[str]
) -> Msg:
    """Return the sentence on awaited seats, or that all orders are in."""
    bots = {
        other_seat.name: other_seat.bot
        for other_seat in queries.games.seats(session, position.game.id)
        if other_seat.bot
    }
    if missing and set(missing) <= bots.keys():
        return msg(
            "You need do nothing now. The bot {bot} plays {seats} and writes at once; the next report follows.",
            seats=tuple(missing),
            bot=", ".join(sorted({bots[seat] for seat in missing})),
        )
    if missing or not position.active:
        limit = content.moment_in_words(phase.deadline, seat.zone)
        return msg(
            "You need do nothing now. {seats} must send orders by {when}.",
            seats=position.active,
            when=limit,
        )
    closing = queries.schedule.closing_time(session, position.game.id) or phase.deadline
    return msg(
        "You need do nothing now. All orders are in and will be carried out on {when}.",
        when=content.moment_in_words(closing, seat.zone),
    )


def _grade(session: Session, game: tables.Game, resolution: Resolution | LetterResult) -> Msg:
    """Return the sentence on the grade of the resolved phase's or letter's dice."""
    return grades.grade(session, game, rolls.parse_closed_orders(resolution.slates[0]).phase).told


OPENS = msg("The attachment shows every side's orders for this phase.")
"""Sentence of a report that opens everything; left out if another letter has its proofs."""


def _opened_sentences(session: Session, row: tables.Phase | tables.Basis | None) -> Sequence[Msg]:
    """Return what the attachment opens of a phase's orders, and what not."""
    if not isinstance(row, tables.Phase) or row.shown is None:
        return ()
    closed, answers = adjudication.closed_orders_from_json(row.orders), history.answers_of_pauses(session, row)
    sealed_seats = revealed_orders.sealed_seats(closed, answers, revealed_orders.parse_revealed_sets(row.shown))
    if sealed_seats:
        return (msg("Orders secret until the game ends: {seats}.", seats=sealed_seats),)
    return (OPENS,)


def _letter_done_sentence(active: bool, limit: Msg) -> Msg:
    """Return the sentence after an executed letter, for active and for other seats."""
    if active:
        return msg("Your letter is carried out. Another may follow until {when}; DONE ends your phase.", when=limit)
    return msg("A letter of the other side is carried out. Others may follow until {when}.", when=limit)


def _template(
    tx: Transaction, position: Position, seat: tables.Seat, phase: tables.Phase, first_lines: Sequence[str]
) -> tuple[list[str], Json]:
    """Return a seat's order template, stored in its row, and the input for its odds.

    It begins with lines given before, such as repeated ones, and ends with DONE where each letter is executed
    at once. Empty if the game has none for it now.
    """
    view = position.rules.view(position.state, seat.name)
    lines = [
        *fold_form(first_lines),
        *promises.form_lines(position.rules, view, seat.name, seat.language, FormTerms(position.begun)),
    ]
    if not lines:
        return [], None
    seat.nonce = tokens.form_mark(tx.server.keys.key, position.game.id, str(outbox.phase_of(phase)), seat.name)
    begin, end, done_word = (pick_phrase(seat.language, *words[:2]) for words in (ORDERS, END, DONE))
    done_line = [f"# {done_word}"] if position.by_letter else []
    template_lines = [f"{begin} T{phase.turn} #{seat.nonce}", *lines, *done_line, end]
    seat.template = "\n".join(template_lines)
    return template_lines, promises.promise_form(
        position, template_lines, queries.orders.standing_texts(tx.session, seat)
    )
