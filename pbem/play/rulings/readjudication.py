"""READJUDICATE: resolve a phase again, with the same closed orders and dice.

    READJUDICATE T3.spain BECAUSE ...                by today's rules, with the corrections (EDIT) made since
    READJUDICATE T3.spain WITHOUT M4 BECAUSE ...     the same, without one of them

Answers given by letter count again; new questions are answered by standing orders and the default. All later
phases become void, and play goes on after the phase. Each seat is shown the differences that it may see.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from pbem.engine.data.canon import Json, digest, dumps
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.letters import content
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine
from pbem.play import adjudication, history, log_entries, phase_states, phases, positions, rollback, war_progress
from pbem.play.adjudication import InvalidResult, Resolution
from pbem.play.commands.questions import forecast
from pbem.play.rulings import corrections
from pbem.play.rulings.ruling_context import RulingContext
from pbem.runtime.transaction import Act, ActKind, UserError
from pbem.store import queries, tables

_WITHOUT = re.compile(r"(\S*)\s+(?:WITHOUT|SIN)\s+(M\d+(?:[\s,]+M\d+)*)", re.IGNORECASE)


class _Readjudicated(NamedTuple):
    """A phase resolved again: its row, the state before, corrections, outcome.

    `held` are the rulings whose corrections are still applied before the phase, `left` those whose corrections are
    left out.
    """

    row: tables.Phase
    state: object
    events: tuple[Event, ...]
    done: Resolution
    held: tuple[str, ...]
    left: tuple[str, ...]


def readjudicate(context: RulingContext, order: RulingLine) -> RulingInProgress:
    """Resolve a phase again, store the new outcome, and go on from it.

    Raise UserError if that is impossible, or nothing changes.
    """
    rerun = _resolve_again(context, order)
    session, row = context.session, rerun.row
    sentences = [
        msg(
            "{phase} is resolved once more, from the same closed orders and with the same dice.",
            phase=history.phase_label(row),
        )
    ]
    if rerun.held:
        sentences.append(msg("Corrections hold from before it on: {rulings}.", rulings=rerun.held))
    if rerun.left:
        sentences.append(msg("Corrections that hold no longer: {rulings}.", rulings=rerun.left))
    yield [*sentences, *rollback.void_sentences(context, row, but_first=True)]
    ruling, phase_before = rollback.current_ruling(context), context.phase
    earlier = {seat.name: _entries(context, row, seat.name) for seat in queries.games.seats(session, context.game.id)}
    void_rows = phase_states.make_void(session, row, ruling)
    position = rollback.begin_from(context, row.number - 1, rerun.events, rerun.state, ruling)
    new_row = phase_states.repeat_phase(session, row, position.number + 1)
    after = phases.store_resolution(context, position, new_row, rerun.done)
    log_entries.record_rerun(context, position, new_row, rerun.done, ruling)
    notes: dict[str, Sequence[Msg]] = {}
    blocks: dict[str, Sequence[Json]] = {}
    for seat, entries in earlier.items():
        differences = _difference(entries, _entries(context, new_row, seat))
        unchanged = [] if differences else [msg("What you saw of it is as it was.")]
        notes[seat] = [
            rollback.ruling_sentence(ruling, order),
            *unchanged,
            *history.voiding_sentences(session, new_row),
        ]
        title = msg("What comes out otherwise in {phase}", phase=history.phase_label(row))
        blocks[seat] = [content.sentence_block(title, differences)] if differences else []
    open_before = phase_before if phase_before is not None and phase_before.id != row.id else None
    start = rollback.Resumption(open_before, rerun.done, notes, blocks, again=(row.id or 0,))
    rollback.open_next_and_report(context, after, void_rows, start)


def _resolve_again(context: RulingContext, order: RulingLine) -> _Readjudicated:
    """Return the named phase, resolved again.

    Raise UserError if that is impossible, or if the outcome is equal.
    """
    session, game = context.session, context.game
    match = _WITHOUT.fullmatch(order.rest)
    row = rollback.find_phase(context, order, match[1] if match else order.rest)
    if row.state != "resolved":
        raise UserError(
            msg("{phase} is not resolved yet; REOPEN lets its players write again.", phase=history.phase_label(row))
        )
    left_out = _excluded_rulings(context, row, match[2] if match else "")
    state, events = history.state_after(context, game, row.number - 1), list[Event]()
    applied = {
        ruling: text for ruling, text in corrections.corrections_since(context, row).items() if ruling not in left_out
    }
    for ruling, text in applied.items():
        new_events, state = _apply_correction(context, state, text, ruling)
        events += new_events
    position = positions.position_before_phase(context, game)._replace(state=state, number=row.number - 1)
    inputs = phases.phase_input_of(context, position, row)._replace(slates=history.closed_orders_of(session, row))
    try:
        outcome = adjudication.resolve(inputs)
    except InvalidResult as fault:
        raise UserError(
            msg("{phase} cannot be resolved once more: {why}", phase=history.phase_label(row), why=str(fault))
        ) from fault
    if not isinstance(outcome, Resolution):
        raise UserError(
            msg(
                "{phase} would have to wait for answers; REOPEN lets its players write again.",
                phase=history.phase_label(row),
            )
        )
    state_digest = digest(position.rules.encode(outcome.states[-1]))
    if (outcome.events_digest, state_digest) == (row.events_digest, row.state_digest):
        raise UserError(msg("{phase} comes out as it did; nothing is changed.", phase=history.phase_label(row)))
    return _Readjudicated(row, state, tuple(events), outcome, tuple(applied), left_out)


def _apply_correction(
    context: RulingContext, state: object, text: str, ruling: str
) -> tuple[tuple[Event, ...], object]:
    try:
        return corrections.apply_corrections(context, state, text, ruling)
    except UserError as fault:
        reason = msg(
            "The correction {ruling} cannot be made before the phase: {why} Leave it out: WITHOUT {ruling}.",
            ruling=ruling,
            why=fault.why,
        )
        raise UserError(reason) from fault


def _excluded_rulings(context: RulingContext, row: tables.Phase, text: str) -> tuple[str, ...]:
    """Return the rulings that a line leaves out.

    Raise UserError if one is not a correction made since the phase.
    """
    excluded, since = tuple(re.findall(r"M\d+", text.upper())), tuple(corrections.corrections_since(context, row))
    for ruling in excluded:
        if ruling not in since:
            raise UserError(
                msg(
                    "{ruling} corrected nothing since {phase}; that did: {rulings}.",
                    ruling=ruling,
                    phase=history.phase_label(row),
                    rulings=since or "-",
                )
            )
    return excluded


def _entries(context: RulingContext, row: tables.Phase, seat: str) -> tuple[Entry, ...]:
    return history.report_entries(context, context.game, row, seat)[0]


def _difference(entries_before: Sequence[Entry], entries_now: Sequence[Entry]) -> list[tuple[int, Msg]]:
    """Return the changed entries, with their numbers before and now."""
    lines: list[tuple[int, Msg]] = []
    texts_before, texts_now = (
        [
            dumps([entry.rule, entry.text.to_json(), [detail.to_json() for detail in entry.details]])
            for entry in entry_list
        ]
        for entry_list in (entries_before, entries_now)
    )
    for kind, start_before, end_before, start_now, end_now in SequenceMatcher(
        None, texts_before, texts_now, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        for head, part, first in (
            (msg("It was:"), entries_before[start_before:end_before], start_before + 1),
            (msg("It is:"), entries_now[start_now:end_now], start_now + 1),
        ):
            if part:
                lines += [
                    (0, head),
                    *((1 + depth, line) for depth, line in forecast.entries_to_lines(part, first=first)),
                ]
    return lines


# REOPEN: the players of a phase write again, for its next attempt, with a new deadline and new dice.
#
# REOPEN T3.spain BECAUSE ...
#
# What the phase had led to, and all that came after it, is void. A phase that waits for answers may be reopened too;
# what was asked is dropped. How often a phase was opened stands in every report of it.
#
# A table of a tournament that is over may be played on as well: it is scored again at its new end.
#
# K8 A battle or a camp of a war that is over may be taken up again so, as long as turn 1 of the next battle has not
# closed: what has followed from its end is void as well.


def reopen(context: RulingContext, order: RulingLine) -> RulingInProgress:
    """Open a phase again from the position that it began with.

    Raise UserError if there is no such phase, or if its players may write anyway.
    """
    is_table = queries.tournaments.board_of(context.session, context.game.id) is not None
    void_games = (
        war_progress.later_parts(context, context.game) if context.game.state == "over" and not is_table else ()
    )
    row = rollback.find_phase(context, order, order.rest, over=True)
    position = positions.position_before_phase(context, context.game)
    if row.state == "open" and not (
        position.by_letter and queries.phases.midway_state(context.session, context.game.id)
    ):
        raise UserError(
            msg(
                "{phase} is open: its players may write until its deadline, which DEADLINE moves.",
                phase=history.phase_label(row),
            )
        )
    attempt = 1 + queries.phases.last_attempt(context.session, context.game.id, row.turn, row.name)
    notice = msg(
        "{phase} is played again, attempt {attempt}: with new orders, a new deadline and new dice.",
        phase=history.phase_label(row),
        attempt=attempt,
    )
    dropped = tuple(corrections.corrections_since(context, row))
    dropped_notices = [msg("Corrections that hold no longer: {rulings}.", rulings=dropped)] if dropped else []
    void_notices = [
        msg("The war is taken up again here. Void, and kept: {games}.", games=tuple(game.id for game in void_games))
    ]
    yield [notice, *dropped_notices, *(void_notices if void_games else []), *rollback.void_sentences(context, row)]
    ruling = rollback.current_ruling(context)
    if is_table:
        context.game.result = ""
    elif context.game.state == "over":
        context.notify_listeners(Act(ActKind.TAKEN_UP, context.game, row, cause=order.because))
    state = history.state_after(context, context.game, row.number - 1)
    void_rows = phase_states.make_void(context.session, row, ruling)
    position = rollback.begin_from(context, row.number - 1, (), state, ruling)
    notes = {
        seat.name: [rollback.ruling_sentence(ruling, order)]
        for seat in queries.games.seats(context.session, context.game.id)
    }
    rollback.open_next_and_report(context, position, void_rows, rollback.Resumption(notes=notes))


RULINGS = (
    Ruling("READJUDICATE", "RESOLVER", readjudicate, "T3.spain", moves=True),
    Ruling("REOPEN", "REABRIR", reopen, "T3.spain", moves=True),
)
