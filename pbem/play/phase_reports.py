"""What every seat is written when a phase is over, or a letter of it carried out, and the next may begin."""

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
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg, percent
from pbem.engine.data.report import Report
from pbem.engine.data.situation import Situation, by_name
from pbem.engine.game import AnyGame
from pbem.engine.orders.block import DONE, END, ORDERS
from pbem.engine.orders.wrapped import fold_form
from pbem.engine.parts import FormTerms
from pbem.engine.terms import Orders
from pbem.engine.war import chain
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
from pbem.play.adjudication import AfterLetter, Resolution
from pbem.play.positions import Position
from pbem.play.scheduled_orders import EarlyReport
from pbem.runtime import tokens
from pbem.runtime.transaction import DATA, DESK, Transaction
from pbem.store import queries, tables

# A report as data, for programs: what the letter tells its seat, before it is put into words (docs/report-json.md).
#
# It goes with a report to a seat that asked for it (`FORMAT JSON`), and holds nothing that `view` and `see` would keep
# from that seat.


REPORT_FILE = "report.json"
"""The name of the file."""

REPORT_FORMAT = "pbem-report/1"
"""What the data says of itself. Keys may be added to version 1; what stands in it keeps its meaning."""


GROUND, GROUND_FORMAT = "ground.json", "pbem-ground/1"
"""The file with the map, and what it says of itself. An edition has one map: it is sent once, not with each report."""


class Wanted(NamedTuple):
    """What the open phase wants of the seat: the lines of its order form as they stand, and until when.

    There is no form if nothing is wanted now, and no moment if no phase is open.
    """

    form: Sequence[str] = ()
    until: datetime | None = None


def report_as_data(here: Position, seat: tables.Seat, seen: Sequence[tuple[Event, object]], wanted: Wanted) -> Json:
    """What a seat is told: the position now, what it saw happen before it, and what is wanted of it."""
    rules = here.rules
    now, view = rules.phase(here.state), rules.view(here.state, seat.name)
    return {
        "format": REPORT_FORMAT,
        "game": here.game.id,
        "rules": here.game.system,
        "scenario": here.game.scenario,
        "edition": here.edition.digest,
        "seat": seat.name,
        "seats": dict(rules.seats(here.state)),
        "resolved": here.number,
        "phase": None if now is None else {"name": now[0], "turn": now[1]},
        "active": [] if now is None else list(here.active),
        "deadline": None if wanted.until is None else _moment(wanted.until),
        "form": list(wanted.form),
        "offers": form_offers(rules, view, seat.name, FormTerms(here.begun)) if wanted.form else [],
        "events": [{"kind": one.kind, "rule": one.cite, "data": dict(one.data)} for one, _ in seen],
        "stakes": rules.telling.stakes(view, seat.name, seen).to_json(),
        "position": by_name(view) if isinstance(view, Situation) else rules.encode(view),
    }


def form_offers(rules: AnyGame, view: object, seat: str, terms: FormTerms, *, attacks: bool = False) -> Json:
    """What the order form offers: canonical lines that can be sent alone, and how often the attack in them wins.

    With `attacks` only those whose chance is known.
    """
    found = []
    for text, chance in rules.aids.offers(view, seat, terms):
        if attacks and chance is None:
            continue
        lines = rules.canon(Orders(rules.parse(text, view, seat).orders.actions)).splitlines()
        found.append({"orders": lines, "wins": None if chance is None else int(percent(chance))})
    return found


def map_block(here: Position) -> Json | None:
    """A block of a letter that brings the map as a file; None if the game shows none."""
    drawn = here.rules.rulebook.ground(here.edition)
    if drawn is None:
        return None
    made = {"format": GROUND_FORMAT, "rules": here.game.system, "edition": here.edition.digest, "map": drawn}
    block = content.block(msg("The map for programs"), [GROUND])
    return {**block, "file": GROUND, "text": report_text(made)}


def report_text(stored: Json) -> str:
    """The file: JSON in ASCII (RFC 8259), keys sorted, a line a value, the same for the same data."""
    return json.dumps(stored, indent=1, sort_keys=True) + "\n"


def _moment(at: datetime) -> str:
    """RFC 3339, in UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# The subject of a report: what is wanted of its reader, by when, and how the points stand.
#
# ``[ceuta-1] T5 your move by Mon 20:00, 10-10`` or ``[ceuta-1] T5 waiting for Morocco, 10-10``.


_DAYS = (msg("Mon"), msg("Tue"), msg("Wed"), msg("Thu"), msg("Fri"), msg("Sat"), msg("Sun"))
_NEAR = timedelta(days=6)
"""So far ahead a day of the week alone is no other week's."""

_FAR = timedelta(days=180)
"""So far ahead a date is taken for one of this year, and its hour matters to nobody."""


def subject_at_end(here: Position, seat: str, view: object, *, goes_on: bool = False) -> Msg:
    """A game that has ended, with its points, or a part of a war that goes on."""
    ended = msg("the game is over")
    if goes_on:
        ended = msg("this camp is over") if here.game.system == chain.CAMP else msg("this battle is over")
    return _with_points(ended, here, seat, view)


def subject_of_phase(
    work: Transaction, here: Position, phase: tables.Phase, seat: tables.Seat, missing: Sequence[str] | None = None
) -> Msg:
    """What an open phase wants of a seat; `missing` are those whose orders it waits for if nothing is wanted of it."""
    if phase.state == "closed":
        told = msg("waiting for a player")
    elif seat.name in here.active and missing is None:
        told = msg("your move by {when}", when=_soon(phase.deadline, seat.zone, work.now))
    else:
        told = _waiting(here, missing or ())
    return _with_points(told, here, seat.name, here.rules.view(here.state, seat.name))


def _waiting(here: Position, missing: Sequence[str]) -> Msg:
    """Whom the phase waits for."""
    missing = tuple(missing)
    if not missing and not here.begun:
        return msg("all orders are in")
    return msg("waiting for {seats}", seats=missing or here.active)


def _soon(at: datetime, zone: str, now: datetime) -> Msg:
    """A moment of these days as briefly as can be; a later one with its date, and one far ahead with its year."""
    local = at.astimezone(ZoneInfo(zone))
    day, hour = _DAYS[local.weekday()], f"{local:%H:%M}"
    if at - now < _NEAR:
        return msg("{day} {hour}", day=day, hour=hour)
    if at - now > _FAR:
        return msg("{number}/{month}/{year}", number=local.day, month=local.month, year=str(local.year))
    return msg("{day} {number}/{month} {hour}", day=day, number=local.day, month=local.month, hour=hour)


def _with_points(told: Msg, here: Position, seat: str, view: object) -> Msg:
    """What the report says of the points: as far as the seat sees them, and how many it does not."""
    stakes = here.rules.telling.stakes(view, seat, ())
    points = "-".join(str(one.points) for one in stakes.scores)
    if points and stakes.hidden:
        return msg("{what}, {points} ({n} unseen)", what=told, points=points, n=stakes.hidden)
    return msg("{what}, {points}", what=told, points=points) if points else told


class PhaseReport(NamedTuple):
    """What a report tells of: the position now, the phase that is open or closed, and what was resolved to get there.

    `phase` is None once the game is over, `done` if nothing was resolved. `notes` stand first in the letter; `cause`
    tells it from others about the same position; `wrote` is what the seat had written before the phase opened. With
    `brief` the reader is new to the game, and is told what it is about.
    """

    here: Position
    phase: tables.Phase | None
    done: Resolution | AfterLetter | None = None
    notes: Sequence[Msg] = ()
    cause: str = ""
    wrote: EarlyReport = EarlyReport()
    brief: bool = False


def write(work: Transaction, seat: tables.Seat, report: PhaseReport) -> None:
    """One seat's letter on what happened and what comes next."""
    here, phase, done, notes, cause, wrote, new = report
    after = here.rules.view(here.state, seat.name)
    happened = done.happened if done else ()
    seen = history.view_events(here.rules, seat.name, happened)
    shown = _with_head(work, seat, report, here.rules.telling.report(after, seat.name, seen))
    opening: list[Msg] = list(notes)
    template, form = [], None
    missing: Sequence[str] | None = None
    # What was sent before is of the past, whether or not there is a new one.
    seat.nonce, seat.template = "", ""
    if phase is None:
        opening += (*outcome.result(work, here.game), *outcome.farewell(work, here.game))
    elif phase.state == "closed":
        opening.append(pauses.waiting_for(work.session, phase))
    else:
        active, by = here.active, content.when(phase.deadline, seat.zone)
        if here.begun:
            opening.insert(0, _more(seat.name in active, by))
            template, form = _template(work, here, seat, phase, ()) if seat.name in active else ([], None)
        elif seat.name in active:
            wanted = () if wrote.firm else (msg("Your orders are wanted by {when}.", when=by),)
            opening[:0] = [*wanted, *deadlines.time_sentences(here.game, seat)]
            first = scheduled_orders.template_lines(work.session, here.rules, seat, phase)
            template, form = _template(work, here, seat, phase, first)
            missing = deadlines.waiting(work.session, here, phase) if wrote.firm else None
        else:
            missing = deadlines.waiting(work.session, here, phase)
            opening.insert(0, _not_asked(work.session, here, seat, phase, missing))
        opening += history.voided_by(work.session, phase)
    work.session.add(seat)
    opening += wrote.notes
    head = outbox.head_of(work.server, here.game, seat, phase)
    if phase is None:
        what = subject_at_end(here, seat.name, after, goes_on=war_progress.goes_on(work, here.game))
    else:
        what = subject_of_phase(work, here, phase, seat, missing)
    closing = [_grade(work.session, here.game, done), *_opened(work.session, here)] if done is not None else []
    closing = [line for line in closing if line not in opening]
    letter = content.Letter(
        "report",
        head,
        opening=opening,
        report=shown,
        blocks=wrote.blocks,
        closing=closing,
        template=template,
        form=form,
        what=what,
        wanted=_wanted(here, phase, wrote),
        picture=positions.scene_for_letter(work, here, seat, after, seen),
    )
    if DESK in seat.format and template and phase is not None and promises.can_lay_desk(work, here):
        letter = letter._replace(blocks=(*letter.blocks, promises.promise_desk(work, here, seat, phase.turn)))
    if DATA in seat.format:
        asked = Wanted(template, None if phase is None else phase.deadline)
        drawn = map_block(here) if new else None
        blocks = letter.blocks if drawn is None else (*letter.blocks, drawn)
        letter = letter._replace(data=report_as_data(here, seat, seen, asked), blocks=blocks)
    outbox.to_seat(work, letter.to_json(), seat, here.game, cause=cause or f"phase {here.number}")


def _with_head(work: Transaction, seat: tables.Seat, report: PhaseReport, shown: Report) -> Report:
    """What happened, below the brief of a new game, or with the account of one that is over."""
    here, phase, done, *_, new = report
    if new:
        return shown._replace(head=brief.blocks(here, seat))
    if phase is None:
        account = outcome.account(work, here.game)
        accounts = () if account is None else (account,)
        return shown._replace(
            head=(*shown.head, *accounts), blocks=(*shown.blocks, *outcome.war_account(work, here, seat))
        )
    if done is None and (ruled := _corrected(work, here, seat.name)):
        after = here.rules.view(here.state, seat.name)
        return shown._replace(head=here.rules.telling.report(after, seat.name, ruled).head)
    return shown


def _wanted(here: Position, phase: tables.Phase | None, wrote: EarlyReport) -> int:
    """How many sentences at the head of the letter say what is wanted and by when: where orders are awaited, one."""
    return int(phase is not None and phase.state != "closed" and (here.begun or not wrote.firm))


def _corrected(work: Transaction, here: Position, seat: str) -> list[tuple[Event, object]]:
    """What a seat saw of the ruling by which the position came about; nothing if it came by none."""
    row = queries.phases.numbered(work.session, here.game.id, here.number)
    if not isinstance(row, tables.Basis):
        return []
    return history.view_events(here.rules, seat, history.corrected(work, here.game, row))


def _not_asked(session: Session, here: Position, seat: tables.Seat, phase: tables.Phase, missing: Sequence[str]) -> Msg:
    """Whom the phase waits for, or that it does not any more because all have written before it opened."""
    bots = {one.name: one.bot for one in queries.games.seats(session, here.game.id) if one.bot}
    if missing and set(missing) <= bots.keys():
        return msg(
            "Nothing is wanted of you now: {seats} is played by the program (bot {bot}), which writes at once; the "
            "next report follows this one.",
            seats=tuple(missing),
            bot=", ".join(sorted({bots[seat] for seat in missing})),
        )
    if missing or not here.active:
        by = content.when(phase.deadline, seat.zone)
        return msg(
            "Nothing is wanted of you now; orders are awaited from {seats} by {when}.", seats=here.active, when=by
        )
    at = queries.schedule.closing(session, here.game.id) or phase.deadline
    return msg(
        "Nothing is wanted of you now; all orders are in, and are carried out on {when}.",
        when=content.when(at, seat.zone),
    )


def _grade(session: Session, game: tables.Game, done: Resolution | AfterLetter) -> Msg:
    """What the dice of a phase, or of the letters of it that were carried out, are worth."""
    return grades.grade(session, game, rolls.parse_slate(done.slates[0]).phase).told


OPENS = msg("The attachment opens what all seats had ordered for this phase.")
"""What is said of a report that opens everything; of one whose proofs go with another letter it is not so."""


def _opened(session: Session, here: Position) -> Sequence[Msg]:
    """What the attachment opens of the orders of the phase that led here, and what stays sealed."""
    row = queries.phases.numbered(session, here.game.id, here.number)
    if not isinstance(row, tables.Phase) or row.shown is None:
        return ()
    closed, given = adjudication.read_closed(row.orders), history.pauses(session, row)
    sealed = revealed_orders.sealed_seats(closed, given, revealed_orders.read_openings(row.shown))
    if sealed:
        return (msg("What these seats ordered stays sealed until the game is over: {seats}.", seats=sealed),)
    return (OPENS,)


def _more(active: bool, by: Msg) -> Msg:
    """What follows a letter that was carried out, for who moves and for who does not."""
    if active:
        return msg("Your letter is carried out. Another may follow until {when}; DONE ends your phase.", when=by)
    return msg("A letter of the other side is carried out. Others may follow until {when}.", when=by)


def _template(
    work: Transaction, here: Position, seat: tables.Seat, phase: tables.Phase, first: Sequence[str]
) -> tuple[list[str], Json]:
    """The order template of a seat, noted in its row as what was sent, and what its odds are to be reckoned from.

    It begins with the lines that are there already, such as those that are repeated, and ends with DONE where each
    letter is carried out at once. Empty if the game has none for it now.
    """
    view = here.rules.view(here.state, seat.name)
    lines = [*fold_form(first), *promises.form_lines(here.rules, view, seat.name, seat.language, FormTerms(here.begun))]
    if not lines:
        return [], None
    seat.nonce = tokens.nonce(work.server.keys.key, here.game.id, str(outbox.phase_of(phase)), seat.name)
    begin, end, enough = (chosen(seat.language, *words[:2]) for words in (ORDERS, END, DONE))
    done = [f"# {enough}"] if here.by_letter else []
    whole = [f"{begin} T{phase.turn} #{seat.nonce}", *lines, *done, end]
    seat.template = "\n".join(whole)
    return whole, promises.promise_form(here, whole, queries.orders.standing_texts(work.session, seat))
