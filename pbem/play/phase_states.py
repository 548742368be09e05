"""Define and change the states of phases, segments and games.

Only the functions here change them. A phase is *open* while its seats may send orders. It is *closed* once
they may not and its outcome is not known: it is being resolved, or waits for answers, for a round of a beacon
or for other tables. It is *resolved* when its events are stored, and *void* when a ruling took it back; void
and resolved phases keep all that they had. A game has at most one phase that is open or closed. A segment is
*asking* while seats may answer its questions, then *closed*.

    act              row      from                         to        cause
    start_game       game     forming                      running   its last seat is taken, or its war reaches it
    open_phase       phase    -                            open      the position waits for orders
    close_phase      phase    open                         closed    the deadline, all orders are in, or PROCESS
    keep_waiting     phase    open, closed                 closed    its dice wait, or seats are asked
    await_letter     phase    open, closed                 open      a letter was executed, and others may come
    resolve          phase    open, closed                 resolved  its last die is rolled
    repeat_phase     phase    -                            closed    READJUDICATE resolves its orders once more
    break_off        phase    open, closed                 closed    its game ends before its last turn
    make_void        phase    open, closed, resolved       void      REOPEN, EDIT, READJUDICATE take it back
    ask              segment  -                            asking    questions are put by letter
    stop_asking      segment  asking, closed               closed    all is answered, its deadline, or its phase is void
    end_segment      segment  -                            closed    a letter is executed, or a paused phase resolved
    hold_game        game     forming, running, held       held      HOLD, missed deadlines, an outage, a fault
    continue_game    game     running, held, over          running   RESUME, PROCESS, or a ruling that takes it back
    end_game         game     forming, running, held, over over      its last turn, CONCEDE, DRAW, CLAIM, or a ruling

`PHASE`, `SEGMENT` and `GAME` list the states; an act from a state that its line does not name raises. Nothing
here sends letters or writes the log: callers do that in the same transaction.

Automatic changes of a phase are rows of the table `due`. `pbem.server.scheduler` runs each at its time:

    due      it waits for                           then
    close    the deadline, or the undo window       the phase closes with the orders that are in
    answers  the answers, or their deadline         the phase goes on with the answers that came
    round    a round of a public beacon             the phase goes on with its dice
    board    tables with the same dice              the phase goes on once all have closed
    late     a round that is hours late             everybody is notified, and the phase still waits
    remind   some hours before the deadline         seats that sent nothing are reminded
    bot      the time at which a bot writes         its orders come in, and the phase may close
    offer    the time to write after a missed one   persons standing by are offered the seat
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


def _move(row: tables.Phase | tables.Segment | tables.Game, former_states: tuple[str, ...], new_state: str) -> None:
    """Write a state; raise LookupError if the row's state allows no such change."""
    if row.state not in former_states:
        raise LookupError(f"{type(row).__name__} {row.id} is {row.state} and cannot become {new_state}")
    row.state = new_state


# Phases


def open_phase(
    tx: Transaction, game: tables.Game, number: int, of: tuple[str, int], deadline: datetime
) -> tables.Phase:
    """Open a game's next phase, `of` a name and a turn, as its next attempt."""
    name, turn = of
    phase = hot_statements.new_row(
        tables.Phase,
        game_id=game.id,
        number=number,
        turn=turn,
        name=name,
        attempt=1 + queries.phases.last_attempt(tx.session, game.id, turn, name),
        state="open",
        opened=tx.now,
        deadline=deadline,
    )
    hot_statements.add_row(tx.session, phase)
    queries.seats.begin_phase(tx.session, phase)
    return phase


def close_phase(tx: Transaction, phase: tables.Phase, orders: str) -> None:
    """Close a phase with the orders of all seats."""
    _move(phase, ("open",), "closed")
    phase.closed, phase.orders = tx.now, orders


def keep_waiting(session: Session, phase: tables.Phase) -> None:
    """Let a phase take no more letters until its dice or answers have come."""
    _move(phase, ("open", "closed"), "closed")
    session.add(phase)
    session.flush()


def await_letter(session: Session, phase: tables.Phase) -> None:
    """Let a phase take the next letter, after one was executed."""
    _move(phase, ("open", "closed"), "open")
    session.add(phase)
    session.flush()


def resolve(session: Session, phase: tables.Phase) -> None:
    """Mark a phase as resolved; the caller stores its outcome."""
    _move(phase, ("open", "closed"), "resolved")
    session.add(phase)


def repeat_phase(session: Session, phase: tables.Phase, number: int) -> tables.Phase:
    """Add a rerun of a phase from the same closed orders, resolved at once."""
    columns = phase.model_dump(exclude={"id", "number", "run", "again_of", "state", "void_by", "events_digest"})
    run = 1 + queries.phases.last_run(session, phase)
    rerun = tables.Phase(**columns, number=number, run=run, again_of=phase.again_of or phase.id, state="closed")
    session.add(rerun)
    session.flush()
    return rerun


def break_off(tx: Transaction, phase: tables.Phase) -> None:
    """Close a phase whose game is over before it could be resolved."""
    _move(phase, ("open", "closed"), "closed")
    phase.closed = tx.now
    tx.session.add(phase)


def make_void(session: Session, first: tables.Phase, ruling: int) -> list[tables.Phase]:
    """Make a phase and all later ones void, drop questions; return them in order."""
    rows = list(queries.phases.phases_from(session, first))
    # Nothing of what was void is due any more: no closing, no answers, no round of a beacon.
    for due in queries.schedule.jobs_of_game(session, first.game_id):
        session.delete(due)
    for row in rows:
        _move(row, ("open", "closed", "resolved"), "void")
        row.void_by = ruling
        session.add(row)
        if (segment := queries.phases.open_pause(session, row)) is not None:
            stop_asking(session, segment)
    session.flush()
    return rows


# Segments


def ask(session: Session, phase: tables.Phase, columns: Mapping[str, Any]) -> tables.Segment:
    """Add the segment at which a phase stops to ask; `columns` are its other columns."""
    segment = tables.Segment(phase_id=phase.id or 0, state="asking", **columns)
    session.add(segment)
    session.flush()
    return segment


def stop_asking(session: Session, segment: tables.Segment) -> None:
    """Take no more answers: unanswered questions count as silence."""
    _move(segment, ("asking", "closed"), "closed")
    session.add(segment)
    session.flush()


def end_segment(session: Session, phase: tables.Phase, columns: Mapping[str, Any]) -> tables.Segment:
    """Add a segment that asks nothing; `columns` are its other columns."""
    segment = tables.Segment(phase_id=phase.id or 0, state="closed", **columns)
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
    """Hold a game and delete its due rows except gathered news; notify nobody."""
    _move(game, ("forming", "running", "held"), "held")
    # A choice: the reason may hold the text of any fault, and is shown in lists.
    game.held_why = why[:1000]
    session.add(game)
    hot_statements.delete_jobs(session, game.id, except_kind=outbox.NEWS_DUE)


def continue_game(session: Session, game: tables.Game) -> None:
    """Let a game go on, whatever had stopped it; the caller plans its due rows."""
    _move(game, ("running", "held", "over"), "running")
    game.held_why = ""
    session.add(game)


def end_game(session: Session, game: tables.Game, result: str | None = None) -> None:
    """End a game, early with a `result`; only gathered news stay due."""
    _move(game, ("forming", "running", "held", "over"), "over")
    game.held_why = ""
    if result is not None:
        game.result = result
    session.add(game)
    hot_statements.delete_jobs(session, game.id, except_kind=outbox.NEWS_DUE)
