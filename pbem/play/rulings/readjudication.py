"""READJUDICATE: a phase is resolved once more, from the same closed orders and with the same dice.

    READJUDICATE T3.spain BECAUSE ...                by the rules of today, with the corrections (EDIT) made since
    READJUDICATE T3.spain WITHOUT M4 BECAUSE ...     the same, but for one of them

Whoever was asked by letter has answered; whatever he would be asked now and was not is left to his standing orders and
the default. All that came after is void, and play goes on behind the phase. Each seat is told what comes out otherwise,
as far as it may see it.
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
from pbem.letters.rulings import Making, Ruling, RulingLine
from pbem.play import adjudication, history, log_entries, phase_states, phases, positions, rollback, war_progress
from pbem.play.adjudication import Resolution, Unsound
from pbem.play.commands.questions import forecast
from pbem.play.rulings import corrections
from pbem.play.rulings.ruling_context import RulingContext
from pbem.runtime.transaction import Act, Kind, UserError
from pbem.store import queries, tables

_WITHOUT = re.compile(r"(\S*)\s+(?:WITHOUT|SIN)\s+(M\d+(?:[\s,]+M\d+)*)", re.IGNORECASE)


class _Again(NamedTuple):
    """A phase resolved once more: its row, the state before it, what was corrected there, the outcome.

    `held` are the rulings whose corrections are applied before the phase, `left` those whose are no longer.
    """

    row: tables.Phase
    state: object
    events: tuple[Event, ...]
    done: Resolution
    held: tuple[str, ...]
    left: tuple[str, ...]


def readjudicate(context: RulingContext, order: RulingLine) -> Making:
    """Resolve a phase again, keep the new outcome, and go on from it; Broken if it cannot be, or nothing changes."""
    again = _resolve_again(context, order)
    session, row = context.session, again.row
    told = [
        msg(
            "{phase} is resolved once more, from the same closed orders and with the same dice.",
            phase=history.name_of(row),
        )
    ]
    if again.held:
        told.append(msg("Corrections hold from before it on: {rulings}.", rulings=again.held))
    if again.left:
        told.append(msg("Corrections that hold no longer: {rulings}.", rulings=again.left))
    yield [*told, *rollback.void_told(context, row, but_first=True)]
    ruling, was = rollback.number(context), context.phase
    earlier = {seat.name: _entries(context, row, seat.name) for seat in queries.games.seats(session, context.game.id)}
    voided = phase_states.make_void(session, row, ruling)
    here = rollback.begin_from(context, row.number - 1, again.events, again.state, ruling)
    once_more = phase_states.repeat_phase(session, row, here.number + 1)
    after = phases.keep(context, here, once_more, again.done)
    log_entries.note_again(context, here, once_more, again.done, ruling)
    notes: dict[str, Sequence[Msg]] = {}
    blocks: dict[str, Sequence[Json]] = {}
    for seat, entries in earlier.items():
        difference = _difference(entries, _entries(context, once_more, seat))
        seen = [] if difference else [msg("What you saw of it is as it was.")]
        notes[seat] = [rollback.by(ruling, order), *seen, *history.voided_by(session, once_more)]
        title = msg("What comes out otherwise in {phase}", phase=history.name_of(row))
        blocks[seat] = [content.sentences(title, difference)] if difference else []
    open_before = was if was is not None and was.id != row.id else None
    start = rollback.Start(open_before, again.done, notes, blocks, again=(row.id or 0,))
    rollback.go_on(context, after, voided, start)


def _resolve_again(context: RulingContext, order: RulingLine) -> _Again:
    """The phase that is named, resolved once more; Broken if it cannot be, or if nothing comes out otherwise."""
    session, game = context.session, context.game
    found = _WITHOUT.fullmatch(order.rest)
    row = rollback.phase_named(context, order, found[1] if found else order.rest)
    if row.state != "resolved":
        raise UserError(
            msg("{phase} is not resolved yet; REOPEN lets its players write again.", phase=history.name_of(row))
        )
    left = _left_out(context, row, found[2] if found else "")
    state, events = history.state_after(context, game, row.number - 1), list[Event]()
    held = {ruling: text for ruling, text in corrections.since(context, row).items() if ruling not in left}
    for ruling, text in held.items():
        more, state = _held_again(context, state, text, ruling)
        events += more
    here = positions.before(context, game)._replace(state=state, number=row.number - 1)
    inputs = phases.input_of(context, here, row)._replace(slates=history.slates(session, row))
    try:
        done = adjudication.resolve(inputs)
    except Unsound as wrong:
        raise UserError(
            msg("{phase} cannot be resolved once more: {why}", phase=history.name_of(row), why=str(wrong))
        ) from wrong
    if not isinstance(done, Resolution):
        raise UserError(
            msg(
                "{phase} would have to wait for answers; REOPEN lets its players write again.",
                phase=history.name_of(row),
            )
        )
    after = digest(here.rules.encode(done.states[-1]))
    if (done.events_digest, after) == (row.events_digest, row.state_digest):
        raise UserError(msg("{phase} comes out as it did; nothing is changed.", phase=history.name_of(row)))
    return _Again(row, state, tuple(events), done, tuple(held), left)


def _held_again(context: RulingContext, state: object, text: str, ruling: str) -> tuple[tuple[Event, ...], object]:
    try:
        return corrections.correct(context, state, text, ruling)
    except UserError as wrong:
        why = msg(
            "The correction {ruling} cannot be made before the phase: {why} Leave it out: WITHOUT {ruling}.",
            ruling=ruling,
            why=wrong.why,
        )
        raise UserError(why) from wrong


def _left_out(context: RulingContext, row: tables.Phase, written: str) -> tuple[str, ...]:
    """The rulings that are left out; Broken if one of them is no correction made since."""
    left, since = tuple(re.findall(r"M\d+", written.upper())), tuple(corrections.since(context, row))
    for ruling in left:
        if ruling not in since:
            raise UserError(
                msg(
                    "{ruling} corrected nothing since {phase}; that did: {rulings}.",
                    ruling=ruling,
                    phase=history.name_of(row),
                    rulings=since or "-",
                )
            )
    return left


def _entries(context: RulingContext, row: tables.Phase, seat: str) -> tuple[Entry, ...]:
    return history.entries(context, context.game, row, seat)[0]


def _difference(old: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[int, Msg]]:
    """The happenings that came out otherwise, as they were numbered and as they are."""
    lines: list[tuple[int, Msg]] = []
    was, now = (
        [dumps([e.rule, e.text.to_json(), [d.to_json() for d in e.details]]) for e in some] for some in (old, new)
    )
    for kind, i, j, k, m in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for head, part, first in ((msg("It was:"), old[i:j], i + 1), (msg("It is:"), new[k:m], k + 1)):
            if part:
                lines += [(0, head), *((1 + depth, line) for depth, line in forecast.as_lines(part, first=first))]
    return lines


# REOPEN: the players of a phase write again, for its next attempt, with a new deadline and new dice.
#
# REOPEN T3.spain BECAUSE ...
#
# What the phase had led to, and all that came after it, is void. A phase that waits for answers may be reopened too;
# what was asked is dropped. How often a phase was opened stands in every report of it.
#
# K8 A battle or a camp of a war that is over may be taken up again so, as long as turn 1 of the next battle has not
# closed: what has followed from its end is void as well.


def reopen(context: RulingContext, order: RulingLine) -> Making:
    """Open a phase again from the position that it began with.

    Broken if there is no such phase, or its players may write anyway.
    """
    void = war_progress.followers(context, context.game) if context.game.state == "over" else ()
    row = rollback.phase_named(context, order, order.rest, over=True)
    here = positions.before(context, context.game)
    if row.state == "open" and not (here.by_letter and queries.phases.midway(context.session, context.game.id)):
        raise UserError(
            msg(
                "{phase} is open: its players may write until its deadline, which DEADLINE moves.",
                phase=history.name_of(row),
            )
        )
    attempt = 1 + queries.phases.last_attempt(context.session, context.game.id, row.turn, row.name)
    again = msg(
        "{phase} is played again, attempt {attempt}: with new orders, a new deadline and new dice.",
        phase=history.name_of(row),
        attempt=attempt,
    )
    dropped = tuple(corrections.since(context, row))
    told = [msg("Corrections that hold no longer: {rulings}.", rulings=dropped)] if dropped else []
    parts = [msg("The war is taken up again here. Void, and kept: {games}.", games=tuple(one.id for one in void))]
    yield [again, *told, *(parts if void else []), *rollback.void_told(context, row)]
    ruling = rollback.number(context)
    if context.game.state == "over":
        context.tell(Act(Kind.TAKEN_UP, context.game, row, cause=order.because))
    state = history.state_after(context, context.game, row.number - 1)
    voided = phase_states.make_void(context.session, row, ruling)
    here = rollback.begin_from(context, row.number - 1, (), state, ruling)
    notes = {seat.name: [rollback.by(ruling, order)] for seat in queries.games.seats(context.session, context.game.id)}
    rollback.go_on(context, here, voided, rollback.Start(notes=notes))


RULINGS = (
    Ruling("READJUDICATE", "RESOLVER", readjudicate, "T3.spain", moves=True),
    Ruling("REOPEN", "REABRIR", reopen, "T3.spain", moves=True),
)
