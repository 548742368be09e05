"""Read a game's past: stored states, events, answers and attempts of its phases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any

from sqlmodel import Session

from pbem.engine.data.canon import loads
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.game import AnyGame, pair_with_states, view_events
from pbem.engine.run.questions import Value
from pbem.engine.terms import Phase, PositionChange
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.play.adjudication import Pause, SeatAnswers
from pbem.runtime.transaction import TRANSIENT_ERRORS, Transaction
from pbem.store import queries, tables

log = Logger(__name__)


def line_of_play(session: Session, game: tables.Game) -> list[tables.Phase | tables.Basis]:
    """Return the steps to a position: resolved phases, and states set by rulings.

    Void steps are left out.
    """
    resolved = queries.phases.resolved_phases(session, game.id)
    steps: dict[int, tables.Phase | tables.Basis] = {row.number: row for row in resolved}
    steps |= {row.number: row for row in queries.phases.ruled_states(session, game.id)}
    path: list[tables.Phase | tables.Basis] = []
    # Not by the latest snapshot, which is a cache: numbers grow, so the highest valid one is the present position.
    number = max(steps, default=0)
    while number:
        step = steps[number]
        path.append(step)
        number = step.after if isinstance(step, tables.Basis) else number - 1
    return path[::-1]


def _step(session: Session, game: tables.Game, number: int) -> tables.Phase | tables.Basis:
    """Return the phase with a number in a game, or the state set by a ruling."""
    step = queries.phases.phase_or_ruled_state(session, game.id, number)
    if step is not None:
        return step
    raise LookupError(f"nothing in game {game.id} has the number {number}")


def state_after(tx: Transaction, game: tables.Game, number: int) -> Any:
    """Return the state after step `number`, void or not; 0 is the start.

    It is computed from the nearest snapshot before it and the events since.
    """
    steps: list[tables.Phase | tables.Basis] = []
    while (snapshot := tx.session.get(tables.Snapshot, (game.id, number))) is None:
        if number < 1:
            raise LookupError(f"game {game.id} has no state to begin from")
        step = _step(tx.session, game, number)
        steps.append(step)
        number = step.after if isinstance(step, tables.Basis) else number - 1
    state, apply = tx.server.state_of(tx.session, game, snapshot.body), tx.server.rules_of(game).rules.apply
    for step in reversed(steps):
        for event in corrections_at(step) if isinstance(step, tables.Basis) else events_of(tx.session, step):
            state = apply(state, event)
    return state


def states_after(tx: Transaction, keys: Set[tuple[str, int]]) -> dict[tuple[str, int], Any]:
    """Return states by the game's name and the number of the phase before them.

    Games that do not exist, or without their rules, are left out: letters of other games are rendered in the
    same run.
    """
    stored = {
        (game.id, snapshot.number): (game, snapshot.body)
        for game, snapshot in queries.phases.stored_states(tx.session, keys)
    }
    states: dict[tuple[str, int], Any] = {}
    for name, number in sorted(keys):
        game, body = stored.get((name, number)) or (tx.session.get(tables.Game, name), None)
        if game is None:
            continue
        try:
            states[name, number] = (
                state_after(tx, game, number) if body is None else tx.server.state_of(tx.session, game, body)
            )
        except TRANSIENT_ERRORS:
            # The database is away or busy: all of it is tried again later.
            raise
        except Exception:
            # Left out like a game without its rules, for the sake of the other letters.
            log.exception("the position of a game cannot be read", game=name)
    return states


def position_changes(
    tx: Transaction, game: tables.Game
) -> Iterator[tuple[tables.Phase | tables.Basis, PositionChange]]:
    """Yield the steps to a game's position, in order, each with the states around it."""
    rules, state = tx.server.rules_of(game), state_after(tx, game, 0)
    for row in line_of_play(tx.session, game):
        after = state_after(tx, game, row.number)
        if isinstance(row, tables.Phase):
            yield row, PositionChange(row.turn, row.name, state, after)
        else:
            phase = rules.phase(after)
            yield row, PositionChange(phase[1] if phase else 0, "", state, after)
        state = after


def corrections_with_states(tx: Transaction, game: tables.Game, basis: tables.Basis) -> list[tuple[Event, Any]]:
    """Return a ruling's corrections of the position, each with the state before it."""
    return pair_with_states(tx.server.rules_of(game), state_after(tx, game, basis.after), corrections_at(basis))


def corrections_at(basis: tables.Basis) -> tuple[Event, ...]:
    """Return a ruling's corrections of the position, in order."""
    return tuple(Event.from_json(value) for value in loads(basis.events))


def events_of(session: Session, phase: tables.Phase) -> tuple[Event, ...]:
    """Return the events of a resolved phase in order."""
    return tuple(Event.from_json(loads(row.body)) for row in queries.phases.events(session, phase))


def events_with_states(tx: Transaction, game: tables.Game, phase: tables.Phase) -> list[tuple[Event, Any]]:
    """Return a resolved phase's events in order, each with the state before it."""
    start = state_after(tx, game, phase.number - 1)
    return pair_with_states(tx.server.rules_of(game), start, events_of(tx.session, phase))


def report_entries(
    tx: Transaction, game: tables.Game, phase: tables.Phase, seat: str
) -> tuple[tuple[Entry, ...], list[tuple[Event, Any]]]:
    """Return a seat's report entries on a resolved phase, and the events it saw."""
    rules = tx.server.rules_of(game)
    seen = view_events(rules, seat, events_with_states(tx, game, phase))
    return rules.telling.happenings(seen), seen


# The results of a phase's pauses, read from its rows: answers, executed letters, mailed events.


def answers_of_pauses(session: Session, phase: tables.Phase) -> tuple[Pause, ...]:
    """Return the answers of completed pauses, in order."""
    return tuple(
        answers_of_segment(session, segment)
        for segment in queries.phases.segments(session, phase)
        if _is_paused(segment)
    )


def mailed_events(session: Session, phase: tables.Phase) -> tuple[Event, ...]:
    """Return the events that were mailed at the last pause."""
    rows = [segment for segment in queries.phases.segments(session, phase) if segment.deadline or segment.letter]
    return tuple(Event.from_json(value) for value in loads(rows[-1].events)) if rows else ()


def _is_paused(segment: tables.Segment) -> bool:
    return segment.state == "closed" and (segment.deadline is not None or "answer" in loads(segment.letter or "{}"))


def answers_of_segment(session: Session, segment: tables.Segment) -> Pause:
    """Return a pause's answers so far, by seat."""
    if segment.letter is not None:
        letter = loads(segment.letter)
        answer: tuple[tuple[str, Value], ...] = ((letter["window"], (letter["answer"],)),)
        return {seat: SeatAnswers(revision, answer, text) for seat, (revision, text) in letter["orders"].items()}
    by_seat: dict[str, SeatAnswers] = {}
    for seat, row in queries.phases.questions(session, segment):
        former = by_seat.get(seat, SeatAnswers())
        value: Value = () if row.answer is None else tuple(loads(row.answer))
        by_seat[seat] = SeatAnswers(max(former.revision, row.revision), (*former.answers, (row.window, value)))
    return by_seat


def next_window(session: Session, phase: tables.Phase) -> tuple[int, str]:
    """Return the next letter's segment number, and the window that it answers."""
    segment = queries.phases.segments(session, phase)[-1]
    return segment.number + 1, str(loads(segment.letter or "{}")["window"])


# How often a phase was opened, and what of it a ruling made void: counted, told, never thrown away.
#
# A phase is opened anew with the next attempt whenever a ruling changes what it began from or takes its orders back.
# Void phases stay stored, with their reports, closed orders and events.


def phase_label(row: tables.Phase) -> str:
    """Return a phase's name as ``T3.spain``, a later attempt as ``T3.spain~2``."""
    return str(outbox.phase_of(row)).removesuffix("~1")


def voiding_sentences(session: Session, phase: tables.Phase) -> list[Msg]:
    """Return the sentence on void attempts before a phase, and their rulings."""
    if phase.attempt == 1:
        return []
    earlier = queries.phases.earlier_attempts(session, phase)
    rulings = tuple(dict.fromkeys(f"M{row.void_by}" for row in earlier if row.void_by))
    name = str(Phase(phase.turn, phase.name)).removesuffix("~1")
    return [
        msg(
            "{phase} is at attempt {attempt}; what was before is void by ruling: {rulings}.",
            attempt=phase.attempt,
            phase=name,
            rulings=rulings,
        )
    ]


def correction_entries(rules: AnyGame, seat: str, state: object, events: Sequence[Event]) -> tuple[Entry, ...]:
    """Return corrections as a seat saw them."""
    return rules.telling.happenings(view_events(rules, seat, pair_with_states(rules, state, events)))


def closed_orders_of(session: Session, phase: tables.Phase) -> tuple[bytes, ...]:
    """Return the closed orders of a phase, segment by segment, as blocks."""
    segment_slates = [segment.slate for segment in queries.phases.segments(session, phase)]
    return tuple(slate.encode("utf-8") for slate in segment_slates or [phase.slate or ""])
