"""The life of a phase: opened with a report to every seat, closed by the clock or by consent, resolved, followed.

Everything happens in the caller's transaction. Whoever resolves a phase leaves behind either the next open phase and
its deadline, or a game that is over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sqlmodel import Session

from pbem.audit import rolls
from pbem.campaign.base import adjudication, history, letters, positions, tokens
from pbem.campaign.base.adjudication import Between, Closed, Matter, Resolution, Waiting
from pbem.campaign.base.positions import Position
from pbem.campaign.base.server import Office
from pbem.campaign.base.terms import Terms
from pbem.campaign.chain import grades, ledger
from pbem.campaign.commands.seats import observe
from pbem.campaign.commands.seats.observe import Shown
from pbem.campaign.commands.table import press
from pbem.campaign.people import outbox
from pbem.campaign.proofs import disclosure
from pbem.campaign.turn import activations, attempts, beacons, deadlines, early_orders, ladder, pauses
from pbem.campaign.turn.early_orders import Came
from pbem.core.data.canon import Json, digest, dumps, loads
from pbem.core.data.messages import Msg, msg
from pbem.core.data.report import Report
from pbem.core.orders.block import END, ORDERS
from pbem.store import queries, tables
from pbem.store.queries.sittings import Heard

__all__ = ["carry_on", "close_and_resolve", "keep", "matter_of", "open_next", "report_again"]

_NOTHING = Came()


def open_next(
    session: Session, office: Office, here: Position, now: datetime, done: Resolution | None = None,
    notes: Mapping[str, Sequence[Msg]] | None = None, blocks: Mapping[str, Sequence[Json]] | None = None,
    deadline: datetime | None = None, bring: Callable[[tables.Phase], None] | None = None,
) -> tables.Phase | None:  # fmt: skip
    """Open the phase that `here.state` waits for and report to all seats and observers; None if the game is over.

    `done` is the resolution that led here, if any, `notes` and `blocks` what else each seat is to be told; without a
    `deadline` the phase gets one as if nothing had been before. `bring` queues orders that it is to begin with.
    """
    game = here.game
    deadlines.forget(session, game)
    waits_for = here.rules.phase(here.state)
    phase: tables.Phase | None = None
    if waits_for is None:
        game.state = "over"
    else:
        name, turn = waits_for
        phase = tables.Phase(
            game_id=game.id,
            number=here.number + 1,
            turn=turn,
            name=name,
            attempt=1 + queries.phases.last_attempt(session, game.id, turn, name),
            opened=now,
            deadline=deadline or deadlines.setting(session, here, now),
        )
        session.add(phase)
        session.flush()
        deadlines.begin(session, here, phase, now)
        ledger.opened(session, office, here, phase, now)
        if bring is not None:
            bring(phase)
    session.add(game)
    came = early_orders.become(session, office, here, phase, now) if phase is not None else {}
    for seat in queries.games.seats(session, game.id):
        told, more = ((by_seat or {}).get(seat.name, ()) for by_seat in (notes, blocks))
        wrote = came.get(seat.name) or early_orders.unused(session, seat, None)
        wrote = wrote._replace(blocks=(*wrote.blocks, *more))
        _report(session, office, here, seat, phase, now, done, told, wrote=wrote)
    press.deliver_kept(session, office, game, phase, now)
    happened = zip(done.events, done.states, strict=False) if done else ()
    observe.tell(session, office, Shown(game, here.state, happened, phase, here.number), now)
    if phase is None:
        disclosure.disclose(session, office, game, now)
    session.flush()
    return phase


def close_and_resolve(session: Session, office: Office, here: Position, phase: tables.Phase, now: datetime) -> None:
    """Close the phase with the orders that are queued, and resolve it as `carry_on` does.

    A seat that sent nothing does nothing but what its standing orders say, and gets a strike. Any exception means a
    fault in the rules or in this program; the caller rolls back.
    """
    here = positions.before(session, office, here.game)
    heard = queries.sittings.heard(session, phase)
    if here.by_letter and phase.orders is not None:
        if taken := activations.take_letter(session, here, phase):
            activations.note(session, phase, taken, here.active[0])
        elif activations.is_over(here, phase, heard, now):
            activations.note(session, phase, None, here.active[0])
        else:
            return
        carry_on(session, office, here, phase, now, heard=heard)
        return
    closed, notes = _close(session, here, phase, heard, now)
    if here.by_letter:
        activations.carry(session, phase)
    ledger.close(session, office, here, phase, closed, now)
    phase.state, phase.closed = "closed", now
    phase.orders = dumps({seat: list(orders) for seat, orders in closed.items()})
    session.add(phase)
    session.flush()
    carry_on(session, office, here, phase, now, notes, heard)


def carry_on(
    session: Session,
    office: Office,
    here: Position,
    phase: tables.Phase,
    now: datetime,
    notes: Mapping[str, Sequence[Msg]] | None = None,
    heard: Heard | None = None,
) -> None:
    """Roll and adjudicate a closed phase with the answers that came; report, and open what follows, or ask and wait.

    Where the dice wait for a beacon the list is closed now, and the rest follows once its round has come.
    After a pause all is resolved again from the phase's start; Diverged if that gives not what was mailed. `heard` is
    what the phase heard of its seats, if the caller knows.
    """
    here = positions.before(session, office, here.game)
    matter = matter_of(session, office, here, phase)
    if beacons.is_used(here.game) and beacons.shut(session, office, here, phase, matter, now, notes or {}):
        return
    asks, sent = pauses.asks_of(session, here.game, phase), pauses.sent(session, phase)
    found = adjudication.resolve(matter, asks, sent)
    ledger.rolled(session, office, here, phase, found, matter.values, now)
    if isinstance(found, Waiting):
        phase.state = "closed"
        session.add(phase)
        session.flush()
        pauses.pause(session, office, here, phase, found, now, notes or {})
        return
    if isinstance(found, Between):
        _between(session, office, here, phase, now, found, notes or {}, heard or queries.sittings.heard(session, phase))
        return
    _finish(session, office, here, phase, now, found, {**(notes or {}), **_unasked(here.game, found, notes or {})})


def matter_of(session: Session, office: Office, here: Position, phase: tables.Phase) -> Matter:
    """What a closed or resolved phase is resolved from; `here` is the position before it."""
    closed = {seat: Closed(*orders) for seat, orders in loads(phase.orders or "{}").items()}
    name, came = outbox.phase_of(phase), pauses.pauses(session, phase)
    key, (game, rules, edition, state, *_) = office.secret_of(here.game), here
    slates = attempts.slates(session, phase) if phase.again_of is not None else ()
    matter = Matter(key, game.id, rules, edition, state, name, closed, came, here.by_letter, slates)
    if not beacons.is_used(game):
        return matter
    # A phase that is resolved once more has the lists, and so the rounds, that it was closed with.
    held = beacons.so_far(session, office, phase, slates)
    return matter._replace(slates=held.slates, values=held.values)


def _between(
    session: Session,
    office: Office,
    here: Position,
    phase: tables.Phase,
    now: datetime,
    found: Between,
    notes: Mapping[str, Sequence[Msg]],
    heard: Heard,
) -> None:
    """A letter is carried out: end the phase if no more can come, else report and wait for the next."""
    segment = activations.store(session, here, phase, found, now)
    if activations.is_over(here, phase, heard, now):
        activations.note(session, phase, None, here.active[0])
        carry_on(session, office, here, phase, now, notes)
        return
    phase.state = "open"
    session.add(phase)
    session.flush()
    after = positions.position(session, office, here.game)
    deadlines.begin(session, after, phase, now)
    cause = f"phase {phase.number} letter {segment.number}"
    for seat in queries.games.seats(session, here.game.id):
        _report(session, office, after, seat, phase, now, found, notes.get(seat.name, ()), cause)
    happened = zip(found.events, found.states, strict=False)
    observe.tell(session, office, Shown(here.game, after.state, happened, phase, here.number, cause), now)


def _unasked(game: tables.Game, done: Resolution, notes: Mapping[str, Sequence[Msg]]) -> dict[str, list[Msg]]:
    """What those are told who were to be asked when their questions were used up."""
    return {
        seat: [
            *notes.get(seat, ()),
            msg(
                "Your questions of this turn are used up (letters: {most}): {count} more were left to silence.",
                most=Terms.read(game.terms).asks,
                count=count,
            ),
        ]
        for seat, count in done.unasked.items()
    }


def _finish(
    session: Session,
    office: Office,
    here: Position,
    phase: tables.Phase,
    now: datetime,
    done: Resolution,
    notes: Mapping[str, Sequence[Msg]],
) -> None:
    """Store what happened and go on to the next phase."""
    after = keep(session, office, here, phase, now, done)
    told = attempts.told(session, phase)
    seats = queries.games.seats(session, here.game.id)
    open_next(session, office, after, now, done, {seat.name: [*told, *notes.get(seat.name, ())] for seat in seats})


def keep(
    session: Session, office: Office, here: Position, phase: tables.Phase, now: datetime, done: Resolution
) -> Position:
    """Store what happened in a phase, and return the position after it; `here` is that before it."""
    for number, happened in enumerate(done.events, 1):
        body = dumps(happened.to_json())
        row = tables.Event(phase_id=phase.id or 0, number=number, kind=happened.kind, cite=happened.cite, body=body)
        session.add(row)
    if phase.again_of is None:
        pauses.finish(session, phase, done.slates, now)
    after = dumps(here.rules.encode(done.states[-1]))
    session.add(tables.Snapshot(game_id=here.game.id, number=phase.number, body=after))
    phase.state = "resolved"
    phase.slate = done.slates[0].decode("utf-8")
    phase.rolls = dumps(done.rolls_json)
    phase.events_digest = done.events_digest
    phase.state_digest = digest(loads(after))
    session.add(phase)
    session.flush()
    if phase.again_of is None:
        ledger.resulted(session, office, here, phase, done, after, now)
    # The next phase starts from the state as it is stored, so that a restart cannot make a difference.
    return here._replace(state=here.rules.decode(loads(after), here.edition), number=phase.number)


def _close(
    session: Session, here: Position, phase: tables.Phase, heard: Heard, now: datetime
) -> tuple[dict[str, Closed], dict[str, list[Msg]]]:
    """What every seat's orders are, and what each is to be told about that."""
    queued = queries.orders.active_sets(session, phase)
    active = here.active
    # Where letters come one by one the phase goes on after the first, and whoever has not written yet still may.
    going_on = here.by_letter and not activations.is_over(here, phase, heard, now)
    missing = () if going_on else deadlines.absent(here, heard)
    closed: dict[str, Closed] = {}
    notes: dict[str, list[Msg]] = {}
    for seat in queries.games.seats(session, here.game.id):
        found = queued.get(seat.id or 0)
        standing = queries.orders.standing_texts(session, seat)
        text, lost = adjudication.together(here.rules, here.state, seat.name, found.text if found else "", standing)
        closed[seat.name] = Closed(found.revision if found else 0, text)
        early_orders.settle(session, seat, found)
        told = notes.setdefault(seat.name, [])
        if seat.name in active:
            ladder.clock(phase, seat, found.received if found and seat.name not in missing else now)
            if seat.name in missing:
                told += ladder.missed(here, seat, found is not None)
            else:
                ladder.came(seat)
            session.add(seat)
        told += [
            msg("This standing order could not be read any more and was left out: {order}", order=order.split("\n")[0])
            for order in lost
        ]
    return closed, notes


def report_again(
    session: Session,
    office: Office,
    here: Position,
    seat: tables.Seat,
    phase: tables.Phase | None,
    now: datetime,
    notes: Sequence[Msg],
) -> None:
    """Write to whoever has a seat since a moment ago how things stand, with an order template of his own."""
    _report(session, office, here, seat, phase, now, None, notes, f"hand-over {seat.generation}")


def _report(
    session: Session,
    office: Office,
    here: Position,
    seat: tables.Seat,
    phase: tables.Phase | None,
    now: datetime,
    done: Resolution | Between | None,
    notes: Sequence[Msg],
    cause: str = "",
    wrote: Came = _NOTHING,
) -> None:
    """One seat's letter on what happened and what comes next; `wrote` is what it had written before."""
    after = here.rules.view(here.state, seat.name)
    happened = zip(done.events, done.states, strict=False) if done else ()
    report: Report = here.rules.telling.report(after, seat.name, history.seen(here.rules, seat.name, happened))
    opening: list[Msg] = list(notes)
    template: list[str] = []
    # What was sent before is of the past, whether or not there is a new one.
    seat.nonce, seat.template = "", ""
    if phase is None:
        opening.append(msg("The game is over. Thank you for playing."))
    elif phase.state == "closed":
        opening.append(pauses.told(session, phase))
    else:
        active, by = here.active, letters.when(phase.deadline, seat.zone)
        if here.begun:
            opening.insert(0, _more(seat.name in active, by))
            template = _template(office, here, seat, phase, ()) if seat.name in active else []
        elif seat.name in active:
            wanted = () if wrote.firm else (msg("Your orders are wanted by {when}.", when=by),)
            opening[:0] = [*wanted, *ladder.clock_told(here.game, seat)]
            template = _template(office, here, seat, phase, early_orders.filled(session, seat, phase))
        else:
            opening.insert(0, _not_asked(session, here, seat, phase))
        opening += attempts.told(session, phase)
    session.add(seat)
    opening += wrote.notes
    head = outbox.head_of(office, here.game, seat, phase)
    closing = [_grade(session, here.game, done)] if done is not None else ()
    letter = letters.model(
        "report", head, opening=opening, report=report, blocks=wrote.blocks, closing=closing, template=template
    )
    outbox.to_seat(session, office, letter, seat, here.game, cause=cause or f"phase {here.number}", now=now)


def _not_asked(session: Session, here: Position, seat: tables.Seat, phase: tables.Phase) -> Msg:
    """Whom the phase waits for, or that it does not any more because all have written before it opened."""
    missing = deadlines.waiting(session, here, phase)
    if missing or not here.active:
        by = letters.when(phase.deadline, seat.zone)
        return msg(
            "Nothing is wanted of you now; orders are awaited from {seats} by {when}.", seats=here.active, when=by
        )
    at = queries.dues.closing(session, here.game.id) or phase.deadline
    return msg(
        "Nothing is wanted of you now; all orders are in, and the dice are rolled on {when}.",
        when=letters.when(at, seat.zone),
    )


def _grade(session: Session, game: tables.Game, done: Resolution | Between) -> Msg:
    """What the dice of a phase, or of the letters of it that were carried out, are worth."""
    return grades.graded(session, game, rolls.parse_slate(done.slates[0]).phase)[1]


def _more(active: bool, by: Msg) -> Msg:
    """What follows a letter that was carried out, for who moves and for who does not."""
    if active:
        return msg("Your letter is carried out. Another may follow until {when}; DONE ends your phase.", when=by)
    return msg("A letter of the other side is carried out. Others may follow until {when}.", when=by)


def _template(
    office: Office, here: Position, seat: tables.Seat, phase: tables.Phase, first: Sequence[str]
) -> list[str]:
    """The order template of a seat, and note in its row what was sent; empty if the game has none for it now.

    It begins with the lines that are there already, such as those that are repeated.
    """
    lines = [*first, *here.rules.aids.template(here.rules.view(here.state, seat.name), seat.name, seat.language)]
    if not lines:
        return []
    seat.nonce = tokens.nonce(office.key, here.game.id, str(outbox.phase_of(phase)), seat.name)
    begin, end = (words[seat.language == "es"] for words in (ORDERS, END))
    whole = [f"{begin} T{phase.turn} #{seat.nonce}", *lines, end]
    seat.template = "\n".join(whole)
    return whole
