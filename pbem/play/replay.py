"""Replay a game's stored orders and compare the result with the stored one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import dumps, loads, text_digest
from pbem.engine.data.messages import msg
from pbem.engine.edition import other_release_notice
from pbem.letters import outbox
from pbem.log import keyring
from pbem.play import adjudication, history, phases
from pbem.play.adjudication import InvalidResult, Resolution
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class ReplayDifference(NamedTuple):
    """A replay's first difference: phase, kind, stored and new value.

    `what` is slate, slate N of a later segment, pause N, event N, roll N, events, state or fault.
    """

    phase: str
    what: str
    stored: str
    now: str


class ReplayResult(NamedTuple):
    """The number of equal phases, and the first difference if there is one."""

    phases: int
    difference: ReplayDifference | None = None


def replay(tx: Transaction, name: str) -> ReplayResult:
    """Run all phases of a game's line of play again, and write nothing.

    Raise UserError if there is no such game. Changes by rulings are applied again. A phase that was resolved
    again has the dice that it was closed with.
    """
    game = _playable(tx, name)
    rules, edition = tx.server.rules_of(game), tx.server.edition_of(tx.session, game)
    states, count = {0: rules.start(edition)}, 0
    for step in history.line_of_play(tx.session, game):
        if isinstance(step, tables.Basis):
            state = states[step.after]
            for event in history.corrections_at(step):
                state = rules.rules.apply(state, event)
            states[step.number] = state
            continue
        state, difference = _rerun_phase(tx, game, step, states[step.number - 1])
        if difference is not None:
            return ReplayResult(count, ReplayDifference(str(outbox.phase_of(step)), *difference))
        states[step.number] = state
        count += 1
    return ReplayResult(count)


def other_release_of(tx: Transaction, name: str) -> str:
    """Return the release of its package a game was begun with; empty if installed."""
    return other_release_notice(tx.server.edition_of(tx.session, _playable(tx, name)))


def all_differences(tx: Transaction, name: str) -> tuple[ReplayDifference, ...]:
    """Return each phase's first difference by today's rules; write nothing.

    Each phase is resolved from its stored state, with the dice fixed at its closing; differences of earlier phases
    do not matter. Raise UserError if there is no such game.
    """
    game = _playable(tx, name)
    changed = []
    for row in queries.phases.resolved_phases(tx.session, game.id):
        state_before = history.state_after(tx, game, row.number - 1)
        _, difference = _rerun_phase(tx, game, row, state_before, history.closed_orders_of(tx.session, row))
        if difference is not None:
            changed.append(ReplayDifference(str(outbox.phase_of(row)), *difference))
    return tuple(changed)


def _playable(tx: Transaction, name: str) -> tables.Game:
    game = tx.session.get(tables.Game, name)
    if game is None:
        raise UserError(msg("There is no game {game}.", game=name))
    try:
        keyring.secret_of(tx, game)
    except LookupError:
        raise UserError(msg("The dice scheme {scheme} is not known here.", scheme=game.scheme)) from None
    return game


def _rerun_phase(
    tx: Transaction, game: tables.Game, row: tables.Phase, state: object, slates: tuple[bytes, ...] = ()
) -> tuple[object, tuple[str, str, str] | None]:
    """Resolve a phase again; return the new state, and the first difference.

    If `slates` are given, the dice follow from them.
    """
    rules, edition = tx.server.rules_of(game), tx.server.edition_of(tx.session, game)
    position = Position(game, rules, edition, state, row.number - 1, Terms.read(game.terms).pace == ACTIVATION_PACE)
    stored = queries.phases.events(tx.session, row)
    try:
        inputs = phases.phase_input_of(tx, position, row)
        rerun = adjudication.resolve(inputs._replace(slates=slates) if slates else inputs)
        if not isinstance(rerun, Resolution):
            raise InvalidResult("it waits for more than was stored")
        encoded_state = rules.encode(rerun.states[-1])
        # Events mailed at a pause are those of the first run: another run may differ.
        difference = None if row.again_of is not None else _compare_pauses(tx.session, row, rerun)
        return rules.decode(encoded_state, edition), difference or _compare(row, stored, rerun, dumps(encoded_state))
    except Exception as fault:
        # Whatever today's rules raise is itself a difference from what was played.
        return None, ("fault", "", f"{type(fault).__name__}: {fault}")


def _compare_pauses(session: Session, row: tables.Phase, rerun: Resolution) -> tuple[str, str, str] | None:
    """Compare closed orders by segment, and the events mailed at each pause."""
    first_slate, *later_slates = (slate.decode("utf-8") for slate in rerun.slates)
    if row.slate != first_slate:
        return "slate", row.slate or "", first_slate
    segments = queries.phases.segments(session, row)
    for segment, slate in zip(segments, (first_slate, *later_slates), strict=bool(segments)):
        if segment.slate != slate:
            return f"slate {segment.number}", segment.slate, slate
        mailed = loads(segment.events)
        new_events = dumps([event.to_json() for event in rerun.events[: len(mailed)]])
        if segment.events != new_events:
            return f"pause {segment.number}", segment.events, new_events
    return None


def _compare(
    row: tables.Phase, stored: Sequence[tables.Event], rerun: Resolution, state: str
) -> tuple[str, str, str] | None:
    """Return the first difference: events and rolls one by one, then the digests."""
    new_events = [dumps(event.to_json()) for event in rerun.events]
    for number in range(max(len(stored), len(new_events))):
        old_event = stored[number].body if number < len(stored) else ""
        new_event = new_events[number] if number < len(new_events) else ""
        if old_event != new_event:
            return f"event {number + 1}", old_event, new_event
    rolls, rolled = loads(row.rolls or "[]"), rerun.rolls_json
    for number in range(max(len(rolls), len(rolled))):
        roll_before, roll_after = (
            dumps(roll_list[number]) if number < len(roll_list) else "" for roll_list in (rolls, rolled)
        )
        if roll_before != roll_after:
            return f"roll {number + 1}", roll_before, roll_after
    if row.events_digest != rerun.events_digest:
        return "events", row.events_digest or "", rerun.events_digest
    if row.state_digest != text_digest(state):
        return "state", row.state_digest or "", state
    return None
