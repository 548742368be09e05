"""What was: states and events of phases that are behind us, their answers and attempts, read from what is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from sqlmodel import Session

from pbem.engine.data.canon import loads
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.game import AnyGame
from pbem.engine.run.questions import Value
from pbem.engine.terms import Phase, Step
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.play.adjudication import Pause, SeatAnswers
from pbem.runtime.transaction import TRANSIENT_ERRORS, Transaction
from pbem.store import queries, tables

log = Logger(__name__)


def line_of_play(session: Session, game: tables.Game) -> list[tables.Phase | tables.Basis]:
    """What the position of a game came by, in order: its resolved phases, and the states that rulings made.

    What a ruling made void is no part of it.
    """
    done = queries.phases.resolved(session, game.id)
    steps: dict[int, tables.Phase | tables.Basis] = {row.number: row for row in done}
    steps |= {row.number: row for row in queries.phases.bases(session, game.id)}
    found: list[tables.Phase | tables.Basis] = []
    # Not by the latest snapshot, which is a cache: numbers grow, so the latest that counts is where the game stands.
    number = max(steps, default=0)
    while number:
        step = steps[number]
        found.append(step)
        number = step.after if isinstance(step, tables.Basis) else number - 1
    return found[::-1]


def _step(session: Session, game: tables.Game, number: int) -> tables.Phase | tables.Basis:
    """What has a number in a game: a phase, or the state that a ruling made."""
    step = queries.phases.numbered(session, game.id, number)
    if step is not None:
        return step
    raise LookupError(f"nothing in game {game.id} has the number {number}")


def state_after(work: Transaction, game: tables.Game, number: int) -> Any:
    """The state after `number`, 0 being the start, void or not: the nearest snapshot before it and the events since."""
    steps: list[tables.Phase | tables.Basis] = []
    while (kept := work.session.get(tables.Snapshot, (game.id, number))) is None:
        if number < 1:
            raise LookupError(f"game {game.id} has no state to begin from")
        step = _step(work.session, game, number)
        steps.append(step)
        number = step.after if isinstance(step, tables.Basis) else number - 1
    state, apply = work.server.state_of(work.session, game, kept.body), work.server.rules_of(game).rules.apply
    for step in reversed(steps):
        for happened in corrections(step) if isinstance(step, tables.Basis) else events_of(work.session, step):
            state = apply(state, happened)
    return state


def states_after(work: Transaction, wanted: Set[tuple[str, int]]) -> dict[tuple[str, int], Any]:
    """States by the game's name and the number of the phase before them; of games that are not there, none.

    Nor of those whose rules are not: letters of other games are made in the same breath.
    """
    kept = {(game.id, one.number): (game, one.body) for game, one in queries.phases.states_kept(work.session, wanted)}
    found: dict[tuple[str, int], Any] = {}
    for name, number in sorted(wanted):
        game, body = kept.get((name, number)) or (work.session.get(tables.Game, name), None)
        if game is None:
            continue
        try:
            found[name, number] = (
                state_after(work, game, number) if body is None else work.server.state_of(work.session, game, body)
            )
        except TRANSIENT_ERRORS:
            raise
        except Exception:
            log.exception("the position of a game cannot be read", game=name)
    return found


def steps(work: Transaction, game: tables.Game) -> Iterator[tuple[tables.Phase | tables.Basis, Step]]:
    """What the position of a game came by, in order, each with the positions before and after it."""
    rules, state = work.server.rules_of(game), state_after(work, game, 0)
    for row in line_of_play(work.session, game):
        after = state_after(work, game, row.number)
        if isinstance(row, tables.Phase):
            yield row, Step(row.turn, row.name, state, after)
        else:
            now = rules.phase(after)
            yield row, Step(now[1] if now else 0, "", state, after)
        state = after


def corrected(work: Transaction, game: tables.Game, basis: tables.Basis) -> list[tuple[Event, Any]]:
    """What a ruling corrected in the position, each with the state before it."""
    found, state = [], state_after(work, game, basis.after)
    for one in corrections(basis):
        found.append((one, state))
        state = work.server.rules_of(game).rules.apply(state, one)
    return found


def corrections(basis: tables.Basis) -> tuple[Event, ...]:
    """What a ruling corrected in the position, in order."""
    return tuple(Event.from_json(value) for value in loads(basis.events))


def events_of(session: Session, phase: tables.Phase) -> tuple[Event, ...]:
    """The events of a resolved phase in order."""
    return tuple(Event.from_json(loads(row.body)) for row in queries.phases.events(session, phase))


def events_with_states(work: Transaction, game: tables.Game, phase: tables.Phase) -> list[tuple[Event, Any]]:
    """The events of a resolved phase in order, each with the state before it."""
    rules, state = work.server.rules_of(game), state_after(work, game, phase.number - 1)
    found = []
    for one in events_of(work.session, phase):
        found.append((one, state))
        state = rules.rules.apply(state, one)
    return found


def view_events(rules: AnyGame, seat: str, happened: Iterable[tuple[Event, object]]) -> list[tuple[Event, Any]]:
    """What a seat saw of events given with the states before them, as it is told it: each with its view before it."""
    found = []
    for one, before in happened:
        shown = rules.see(one, seat, before)
        if shown is not None:
            found.append((shown, rules.view(before, seat)))
    return rules.telling.in_order(seat, found)


def entries(
    work: Transaction, game: tables.Game, phase: tables.Phase, seat: str
) -> tuple[tuple[Entry, ...], list[tuple[Event, Any]]]:
    """The entries of a seat's report on a resolved phase, and what it saw: the events that they tell of."""
    rules = work.server.rules_of(game)
    found = view_events(rules, seat, events_with_states(work, game, phase))
    return rules.telling.happenings(found), found


# What came of a phase's pauses, read from its rows: answers, letters that were carried out, what was mailed.


def pauses(session: Session, phase: tables.Phase) -> tuple[Pause, ...]:
    """What came of the pauses that are over, in order."""
    return tuple(
        answers(session, segment) for segment in queries.phases.segments(session, phase) if _is_paused(segment)
    )


def mailed_events(session: Session, phase: tables.Phase) -> tuple[Event, ...]:
    """The events that were mailed at the last pause."""
    rows = [segment for segment in queries.phases.segments(session, phase) if segment.deadline or segment.letter]
    return tuple(Event.from_json(value) for value in loads(rows[-1].events)) if rows else ()


def _is_paused(segment: tables.Segment) -> bool:
    return segment.state == "closed" and (segment.deadline is not None or "answer" in loads(segment.letter or "{}"))


def answers(session: Session, segment: tables.Segment) -> Pause:
    """What came of a pause so far, by seat."""
    if segment.letter is not None:
        letter = loads(segment.letter)
        answer: tuple[tuple[str, Value], ...] = ((letter["window"], (letter["answer"],)),)
        return {seat: SeatAnswers(revision, answer, text) for seat, (revision, text) in letter["orders"].items()}
    said: dict[str, SeatAnswers] = {}
    for seat, row in queries.phases.questions(session, segment):
        before = said.get(seat, SeatAnswers())
        value: Value = () if row.answer is None else tuple(loads(row.answer))
        said[seat] = SeatAnswers(max(before.revision, row.revision), (*before.answers, (row.window, value)))
    return said


def next_window(session: Session, phase: tables.Phase) -> tuple[int, str]:
    """The number of the segment that the next letter begins, and the window that it answers."""
    last = queries.phases.segments(session, phase)[-1]
    return last.number + 1, str(loads(last.letter or "{}")["window"])


# How often a phase was opened, and what of it a ruling made void: counted, told, never thrown away.
#
# A phase is opened anew with the next attempt whenever a ruling changes what it began from or takes its orders back.
# What was void stays stored: its reports, its closed orders and its events.


def name_of(row: tables.Phase) -> str:
    """``T3.spain``; of a later attempt ``T3.spain~2``."""
    return str(outbox.phase_of(row)).removesuffix("~1")


def voided_by(session: Session, phase: tables.Phase) -> list[Msg]:
    """That a phase is not the first attempt, and by which rulings those before it are void; nothing of a first one."""
    if phase.attempt == 1:
        return []
    before = queries.phases.before(session, phase)
    rulings = tuple(dict.fromkeys(f"M{row.void_by}" for row in before if row.void_by))
    first = str(Phase(phase.turn, phase.name)).removesuffix("~1")
    return [
        msg(
            "{phase} is at attempt {attempt}; what was before is void by ruling: {rulings}.",
            attempt=phase.attempt,
            phase=first,
            rulings=rulings,
        )
    ]


def correction_entries(rules: AnyGame, seat: str, state: object, events: Sequence[Event]) -> tuple[Entry, ...]:
    """Corrections as a seat saw them."""
    happened = []
    for one in events:
        happened.append((one, state))
        state = rules.rules.apply(state, one)
    return rules.telling.happenings(view_events(rules, seat, happened))


def slates(session: Session, phase: tables.Phase) -> tuple[bytes, ...]:
    """The slates that a phase was closed with, segment by segment."""
    later = [segment.slate for segment in queries.phases.segments(session, phase)]
    return tuple(slate.encode("utf-8") for slate in later or [phase.slate or ""])
