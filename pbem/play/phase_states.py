"""What a phase can be and what moves it: the states of phases, of their segments and of games are written here alone.

A phase is *open* while its seats may send orders. It is *closed* once they may not and its outcome is not known: it is
being resolved, or waits for answers, for a round of a beacon or for other tables. It is *resolved* when its events are
stored, and *void* when a ruling took it back; void and resolved phases keep all that they had. A game has at most one
phase that is open or closed. A segment is *asking* while seats may answer its questions, then *closed*.

    act              row      from                         to        what moves it
    start_game       game     forming                      running   its last seat is taken, or its war goes on with it
    open_phase       phase    -                            open      the position waits for orders
    close_phase      phase    open                         closed    the deadline, all orders are in, or PROCESS
    keep_waiting     phase    open, closed                 closed    its dice wait, or seats are asked
    await_letter     phase    open, closed                 open      a letter was carried out, and others may come
    resolve          phase    open, closed                 resolved  its last die is rolled
    repeat_phase     phase    -                            closed    READJUDICATE resolves its orders once more
    break_off        phase    open, closed                 closed    its game ends before its last turn
    make_void        phase    open, closed, resolved       void      REOPEN, EDIT, READJUDICATE take it back
    ask              segment  -                            asking    questions are put by letter
    stop_asking      segment  asking, closed               closed    all is answered, its deadline, or its phase is void
    end_segment      segment  -                            closed    a letter is carried out, or a paused phase resolved
    hold_game        game     forming, running, held       held      HOLD, missed deadlines, an outage, a fault
    continue_game    game     running, held, over          running   RESUME, PROCESS, or a ruling that takes it back
    end_game         game     forming, running, held, over over      its last turn, CONCEDE, DRAW, CLAIM, or a ruling

`PHASE`, `SEGMENT` and `GAME` list the states; an act from a state that its line does not name raises. Nothing here
sends letters or writes the log: whoever moves a phase does that beside it, in the same transaction.

What moves a phase by itself is a row of the table `due`. `pbem.server.scheduler` runs it when its moment has come:

    due      what it waits for                      what happens then
    close    the deadline, or the undo window       the phase closes with the orders that are in
    answers  the answers, or their deadline         the phase goes on with the answers that came
    round    a round of a public beacon             the phase goes on with its dice
    board    tables whose dice are the same         the phase goes on once all have closed
    late     a round that is hours late             everybody is told, and the phase still waits
    remind   some hours before the deadline          seats that sent nothing are reminded
    bot      the moment at which a bot writes       its orders come in, and the phase may close
    offer    the time to write after a missed one   who stands by is offered the seat
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlmodel import Session

from pbem.letters import outbox
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

PHASE = ("open", "closed", "resolved", "void")
SEGMENT = ("asking", "closed")
GAME = ("forming", "running", "held", "over")


def _move(row: tables.Phase | tables.Segment | tables.Game, came_from: tuple[str, ...], to: str) -> None:
    """Write a state; LookupError if the row is in none of those that it may come from."""
    if row.state not in came_from:
        raise LookupError(f"{type(row).__name__} {row.id} is {row.state} and cannot become {to}")
    row.state = to


# Phases


def open_phase(
    work: Transaction, game: tables.Game, number: int, of: tuple[str, int], deadline: datetime
) -> tables.Phase:
    """Open the next phase of a game, `of` a name and a turn, as the next attempt at it."""
    name, turn = of
    phase = tables.Phase(
        game_id=game.id,
        number=number,
        turn=turn,
        name=name,
        attempt=1 + queries.phases.last_attempt(work.session, game.id, turn, name),
        state="open",
        opened=work.now,
        deadline=deadline,
    )
    work.session.add(phase)
    work.session.flush()
    return phase


def close_phase(work: Transaction, phase: tables.Phase, orders: str) -> None:
    """Close a phase with the orders of all seats."""
    _move(phase, ("open",), "closed")
    phase.closed, phase.orders = work.now, orders
    work.session.add(phase)
    work.session.flush()


def keep_waiting(session: Session, phase: tables.Phase) -> None:
    """Let a phase take no more letters until what it waits for has come."""
    _move(phase, ("open", "closed"), "closed")
    session.add(phase)
    session.flush()


def await_letter(session: Session, phase: tables.Phase) -> None:
    """Let a phase take the next letter, after one was carried out."""
    _move(phase, ("open", "closed"), "open")
    session.add(phase)
    session.flush()


def resolve(session: Session, phase: tables.Phase) -> None:
    """Take a phase as resolved; the caller stores its outcome."""
    _move(phase, ("open", "closed"), "resolved")
    session.add(phase)


def repeat_phase(session: Session, phase: tables.Phase, number: int) -> tables.Phase:
    """Add the next run of a phase, from the same closed orders, which is resolved at once."""
    told = phase.model_dump(exclude={"id", "number", "run", "again_of", "state", "void_by", "events_digest"})
    run = 1 + queries.phases.last_run(session, phase)
    again = tables.Phase(**told, number=number, run=run, again_of=phase.again_of or phase.id, state="closed")
    session.add(again)
    session.flush()
    return again


def break_off(work: Transaction, phase: tables.Phase) -> None:
    """Close a phase whose game is over before it could be resolved."""
    _move(phase, ("open", "closed"), "closed")
    phase.closed = work.now
    work.session.add(phase)


def make_void(session: Session, first: tables.Phase, ruling: int) -> list[tables.Phase]:
    """Make a phase and all that came after it void, and return them in order; questions that wait are dropped."""
    rows = list(queries.phases.from_on(session, first))
    # Nothing of what was void is due any more: no closing, no answers, no round of a beacon.
    for due in queries.schedule.of_game(session, first.game_id):
        session.delete(due)
    for row in rows:
        _move(row, ("open", "closed", "resolved"), "void")
        row.void_by = ruling
        session.add(row)
        if (segment := queries.phases.asking(session, row)) is not None:
            stop_asking(session, segment)
    session.flush()
    return rows


# Segments


def ask(session: Session, phase: tables.Phase, told: Mapping[str, Any]) -> tables.Segment:
    """Add the segment that a phase stops at to ask; `told` are its other columns."""
    segment = tables.Segment(phase_id=phase.id or 0, state="asking", **told)
    session.add(segment)
    session.flush()
    return segment


def stop_asking(session: Session, segment: tables.Segment) -> None:
    """Take no more answers: what was not answered is silence."""
    _move(segment, ("asking", "closed"), "closed")
    session.add(segment)
    session.flush()


def end_segment(session: Session, phase: tables.Phase, told: Mapping[str, Any]) -> tables.Segment:
    """Add a segment that asks nothing; `told` are its other columns."""
    segment = tables.Segment(phase_id=phase.id or 0, state="closed", **told)
    session.add(segment)
    session.flush()
    return segment


# Games, whose state says whether their phases move


def start_game(session: Session, game: tables.Game) -> None:
    """Let a game begin; the caller opens its first phase."""
    _move(game, ("forming",), "running")
    session.add(game)
    session.flush()


def hold_game(session: Session, game: tables.Game, why: str) -> None:
    """Hold a game and strike out all that was due of it but the news gathered for its seats; tell nobody."""
    _move(game, ("forming", "running", "held"), "held")
    game.held_why = why[:1000]
    session.add(game)
    hot_statements.forget_due(session, game.id, but=outbox.NEWS_DUE)


def continue_game(session: Session, game: tables.Game) -> None:
    """Let a game go on, whatever had stopped it; the caller plans what is due."""
    _move(game, ("running", "held", "over"), "running")
    game.held_why = ""
    session.add(game)


def end_game(session: Session, game: tables.Game, result: str | None = None) -> None:
    """End a game, with a `result` if it did not come to its last turn; only gathered news are due still."""
    _move(game, ("forming", "running", "held", "over"), "over")
    game.held_why = ""
    if result is not None:
        game.result = result
    session.add(game)
    hot_statements.forget_due(session, game.id, but=outbox.NEWS_DUE)
