"""EDIT: correct the open phase's first position. AWARD: give a side points.

    EDIT UNIT Leon AT Sierra STEPS 2 BECAUSE ...

The game defines possible corrections and their words, and what its players see of them; each player is shown that.
The public line of the ruling does not show its content. The phase is opened anew, as its next attempt, which has
other dice, and all are notified; the earlier attempt had not rolled any dice. While a phase waits for answers
nothing can be corrected; its players write again (REOPEN), or it is completed first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pbem.engine import edits
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine
from pbem.play import corrected, history, phase_states, positions, rollback
from pbem.play.commands.questions import forecast
from pbem.play.corrected import correction_text
from pbem.play.rulings.ruling_context import RulingContext, require_open_phase
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables


def preview_edit(context: RulingContext, order: RulingLine) -> Sequence[Msg]:
    """Return the whole correction, for its moderator only."""
    position = positions.position_before_phase(context, context.game)
    events, _ = apply_corrections(context, position.state, order.rest)
    return [entry.text for entry in position.rules.telling.happenings([(event, position.state) for event in events])]


def apply_edit(context: RulingContext, order: RulingLine) -> RulingInProgress:
    """Open the phase anew on the corrected position.

    Raise UserError if the correction is impossible, or no phase is open.
    """
    phase, position = _open_phase(context), positions.position_before_phase(context, context.game)
    apply_corrections(context, position.state, order.rest)
    attempt = 1 + queries.phases.last_attempt(context.session, context.game.id, phase.turn, phase.name)
    notice = msg(
        "The position that {phase} begins from is corrected; each of you is told what he can see of it.",
        phase=history.phase_label(phase),
    )
    new_attempt = msg(
        "Nothing of the phase had been rolled. It is opened anew as attempt {attempt}, and each attempt has dice "
        "of its own: orders that still stand are rolled for with other dice than they would have had.",
        attempt=attempt,
    )
    yield notice, new_attempt, *rollback.resume_sentences(context)
    ruling = rollback.current_ruling(context)
    events, state = apply_corrections(context, position.state, order.rest, f"M{ruling}")
    voided = phase_states.make_void(context.session, phase, ruling)
    after = rollback.begin_from(context, position.number, events, state, ruling)
    deadline = phase.deadline if phase.deadline > context.now else None
    notes: dict[str, Sequence[Msg]] = {}
    blocks: dict[str, Sequence[Json]] = {}
    for seat in queries.games.seats(context.session, context.game.id):
        entries = history.correction_entries(position.rules, seat.name, position.state, events)
        unseen_notice = [] if entries else [msg("Nothing of it is for you to see.")]
        notes[seat.name] = [rollback.ruling_sentence(ruling, order), *unseen_notice]
        title = msg("What is corrected")
        blocks[seat.name] = [content.sentence_block(title, forecast.entries_to_lines(entries))] if entries else []
    rollback.open_next_and_report(
        context, after, voided, rollback.Resumption(phase, None, notes, blocks, deadline=deadline)
    )


def apply_corrections(
    context: RulingContext, state: object, text: str, cite: str = ""
) -> tuple[tuple[Event, ...], object]:
    """Return a correction's events, citing its ruling, and its state.

    Raise UserError if invalid.
    """
    rules = context.server.rules_of(context.game)
    if rules.edit is None:
        raise UserError(
            msg("Positions of {game} cannot be corrected; READJUDICATE and REOPEN can be.", game=rules.title)
        )
    correction = corrected.apply_correction(rules, state, text, cite)
    for rejected in correction.rejected:
        suggestions = tuple(rejected.suggestions)
        if suggestions:
            raise UserError(
                msg("{word}: {why} Perhaps you mean: {near}.", word=rejected.word, why=rejected.why, near=suggestions)
            )
        raise UserError(msg("{word}: {why}", word=rejected.word, why=rejected.why))
    if correction.wrong:
        raise UserError(
            msg("The position would be wrong after it: {what}. Correct all of it in one line.", what=correction.wrong)
        )
    return correction.events, correction.state


def corrections_since(context: RulingContext, row: tables.Phase) -> dict[str, str]:
    """Return the valid corrections after a phase: their texts by ruling."""
    texts: dict[str, str] = {}
    for step in history.line_of_play(context.session, context.game):
        if isinstance(step, tables.Basis) and step.number > row.number:
            for cite in dict.fromkeys(event.cite for event in history.corrections_at(step)):
                ruling = queries.rulings.ruling(context.session, context.game.id, int(cite[1:]))
                word, _, rest = ruling.line.partition(" ")
                texts[cite] = correction_text(word, rest)
    return texts


def _open_phase(context: RulingContext) -> tables.Phase:
    """Return the open phase before its first letter.

    Raise UserError if there is none.
    """
    if context.phase is None or context.game.state not in ("running", "held"):
        closed = queries.phases.waiting_phase(context.session, context.game.id)
        if closed is not None and context.game.state in ("running", "held"):
            raise UserError(
                msg(
                    "{phase} is closed and goes on: correct the position after it, or REOPEN {name} first.",
                    phase=history.phase_label(closed),
                    name=history.phase_label(closed),
                )
            )
        raise UserError(msg("No phase of {game} is open.", game=context.game.id))
    if queries.phases.midway_state(context.session, context.game.id) is not None:
        raise UserError(
            msg(
                "Letters of {phase} are carried out already: correct the position after it, or REOPEN {name} first.",
                phase=history.phase_label(context.phase),
                name=history.phase_label(context.phase),
            )
        )
    return context.phase


# AWARD: victory points that a moderator gives to a side, or takes from it, told to everybody in full.
#
#     AWARD spain 2 BECAUSE the convoy was misplaced by a fault of the server
#
# A game says whether it has such points; they count like all others from then on. It is a correction of the position
# (corrections.py), and is stored, replayed and taken back as one.


def apply_award(context: RulingContext, order: RulingLine) -> RulingInProgress:
    """Give a side points, or take some; announce those and the new sum.

    Raise UserError if the game has no such points.
    """
    require_open_phase(context)
    position = positions.position_before_phase(context, context.game)
    rules, side_and_points = position.rules, edits.read_award(order.rest)
    if rules.awards is None:
        raise UserError(msg("{game} has no points that a moderator could give.", game=rules.title))
    points_before = rules.awards(position.state)
    if side_and_points is None or side_and_points[0] not in points_before:
        raise UserError(
            msg(
                "Say which side, and how many points: AWARD spain 2, or -2. The sides are: {sides}.",
                sides=tuple(points_before),
            )
        )
    side, points = side_and_points
    notice = msg(
        "Victory points awarded to {side}: {points}; by awards it then has {now}.",
        side=side,
        points=points,
        now=points_before[side] + points,
    )
    making = apply_edit(context, replace(order, rest=correction_text(order.word, order.rest)))
    yield notice, *next(making)
    next(making, None)


RULINGS = (
    Ruling("AWARD", "OTORGAR", apply_award, "spain 2", within=(("VP", "PV"),), seat=True, moves=True),
    Ruling(
        "EDIT",
        "CORREGIR",
        apply_edit,
        "UNIT ...",
        within=(("UNIT", "UNIDAD"),),
        also=preview_edit,
        moves=True,
        private=True,
    ),
)
