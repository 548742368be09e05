"""Replay: the stored orders of a game run again from its start must give the stored events, rolls and states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import digest, dumps, loads
from pbem.engine.data.messages import msg
from pbem.engine.edition import other_release
from pbem.letters import outbox
from pbem.log import keyring
from pbem.play import adjudication, history, phases
from pbem.play.adjudication import Resolution, Unsound
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class Difference(NamedTuple):
    """Where a replay first came out otherwise: the phase, what differs, as stored and as it is now.

    `what` is slate, slate N of a later segment, pause N, event N, roll N, events, state or fault.
    """

    phase: str
    what: str
    stored: str
    now: str


class Replayed(NamedTuple):
    """How many phases came out the same, and the first difference if there is one."""

    phases: int
    difference: Difference | None = None


def replay(work: Transaction, name: str) -> Replayed:
    """Run all phases again that a game as it stands came by; Broken if there is no such game. Nothing is written.

    What rulings changed is changed again. A phase that was resolved once more has the dice that it was closed with.
    """
    game = _playable(work, name)
    rules, edition = work.server.rules_of(game), work.server.edition_of(work.session, game)
    states, done = {0: rules.start(edition)}, 0
    for step in history.line_of_play(work.session, game):
        if isinstance(step, tables.Basis):
            state = states[step.after]
            for happened in history.corrections(step):
                state = rules.rules.apply(state, happened)
            states[step.number] = state
            continue
        state, found = _again(work, game, step, states[step.number - 1])
        if found is not None:
            return Replayed(done, Difference(str(outbox.phase_of(step)), *found))
        states[step.number] = state
        done += 1
    return Replayed(done)


def begun_otherwise(work: Transaction, name: str) -> str:
    """Say under which release of its package a game was begun, where another is here; empty where not."""
    return other_release(work.server.edition_of(work.session, _playable(work, name)))


def differences(work: Transaction, name: str) -> tuple[Difference, ...]:
    """Where the phases of a game as it stands would come out otherwise by the rules of today, the first of each.

    Each is resolved from its stored state and with the dice it was closed with, whatever the phases before it come to.
    Broken if there is no such game. Nothing is written.
    """
    game = _playable(work, name)
    out = []
    for row in queries.phases.resolved(work.session, game.id):
        before = history.state_after(work, game, row.number - 1)
        _, found = _again(work, game, row, before, history.slates(work.session, row))
        if found is not None:
            out.append(Difference(str(outbox.phase_of(row)), *found))
    return tuple(out)


def _playable(work: Transaction, name: str) -> tables.Game:
    game = work.session.get(tables.Game, name)
    if game is None:
        raise UserError(msg("There is no game {game}.", game=name))
    try:
        keyring.secret_of(work, game)
    except LookupError:
        raise UserError(msg("The dice scheme {scheme} is not known here.", scheme=game.scheme)) from None
    return game


def _again(
    work: Transaction, game: tables.Game, row: tables.Phase, state: object, slates: tuple[bytes, ...] = ()
) -> tuple[object, tuple[str, str, str] | None]:
    """The state after a phase resolved again from a state, and what differs first; with `slates` from those dice."""
    rules, edition = work.server.rules_of(game), work.server.edition_of(work.session, game)
    here = Position(game, rules, edition, state, row.number - 1, Terms.read(game.terms).pace == ACTIVATION)
    stored = queries.phases.events(work.session, row)
    try:
        inputs = phases.input_of(work, here, row)
        again = adjudication.resolve(inputs._replace(slates=slates) if slates else inputs)
        if not isinstance(again, Resolution):
            raise Unsound("it waits for more than was stored")
        after = rules.encode(again.states[-1])
        # What was mailed at a pause was mailed by the first run: another one may have gone otherwise.
        found = None if row.again_of is not None else _compare_pauses(work.session, row, again)
        return rules.decode(after, edition), found or _compare(row, stored, again, dumps(after))
    except Exception as fault:
        return None, ("fault", "", f"{type(fault).__name__}: {fault}")


def _compare_pauses(session: Session, row: tables.Phase, again: Resolution) -> tuple[str, str, str] | None:
    """The slates, which fix the dice, segment by segment, and what was mailed at each pause."""
    first, *later = (slate.decode("utf-8") for slate in again.slates)
    if row.slate != first:
        return "slate", row.slate or "", first
    segments = queries.phases.segments(session, row)
    for segment, slate in zip(segments, (first, *later), strict=bool(segments)):
        if segment.slate != slate:
            return f"slate {segment.number}", segment.slate, slate
        told = loads(segment.events)
        now = dumps([happened.to_json() for happened in again.events[: len(told)]])
        if segment.events != now:
            return f"pause {segment.number}", segment.events, now
    return None


def _compare(
    row: tables.Phase, stored: Sequence[tables.Event], again: Resolution, state: str
) -> tuple[str, str, str] | None:
    """What differs first: events and rolls one by one, then the sums."""
    now = [dumps(happened.to_json()) for happened in again.events]
    for number in range(max(len(stored), len(now))):
        old = stored[number].body if number < len(stored) else ""
        new = now[number] if number < len(now) else ""
        if old != new:
            return f"event {number + 1}", old, new
    rolls, rolled = loads(row.rolls or "[]"), again.rolls_json
    for number in range(max(len(rolls), len(rolled))):
        before, after = (dumps(some[number]) if number < len(some) else "" for some in (rolls, rolled))
        if before != after:
            return f"roll {number + 1}", before, after
    if row.events_digest != again.events_digest:
        return "events", row.events_digest or "", again.events_digest
    if row.state_digest != digest(loads(state)):
        return "state", row.state_digest or "", state
    return None
