"""EDIT: the position that the open phase begins from is corrected by a moderator. AWARD: he gives a side points.

    EDIT UNIT Leon AT Sierra STEPS 2 BECAUSE ...

What may be corrected, and in which words, is the game's; so is what its players see of it, which each of them is told.
In the line of the ruling nobody is told what it was about. The phase is opened anew, as its next attempt, which has
other dice, and all are told so: nothing was rolled in the one before. While a phase waits for answers there is nothing
to correct; its players write again (REOPEN), or it is done first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pbem.engine import edits
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.rulings import Making, Ruling, RulingLine
from pbem.play import corrected, history, phase_states, positions, rollback
from pbem.play.commands.questions import forecast
from pbem.play.corrected import text_of
from pbem.play.rulings.ruling_context import RulingContext, open_phase
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables


def edit_understood(context: RulingContext, order: RulingLine) -> Sequence[Msg]:
    """What would be corrected, whole, for its moderator alone."""
    here = positions.before(context, context.game)
    events, _ = correct(context, here.state, order.rest)
    return [entry.text for entry in here.rules.telling.happenings([(happened, here.state) for happened in events])]


def edit(context: RulingContext, order: RulingLine) -> Making:
    """Open the phase anew on the corrected position; Broken if it cannot be corrected so, or no phase is open."""
    phase, here = _open_phase(context), positions.before(context, context.game)
    correct(context, here.state, order.rest)
    attempt = 1 + queries.phases.last_attempt(context.session, context.game.id, phase.turn, phase.name)
    what = msg(
        "The position that {phase} begins from is corrected; each of you is told what he can see of it.",
        phase=history.name_of(phase),
    )
    anew = msg(
        "Nothing of the phase had been rolled. It is opened anew as attempt {attempt}, and each attempt has dice "
        "of its own: orders that still stand are rolled for with other dice than they would have had.",
        attempt=attempt,
    )
    yield what, anew, *rollback.goes_on(context)
    ruling = rollback.number(context)
    events, state = correct(context, here.state, order.rest, f"M{ruling}")
    voided = phase_states.make_void(context.session, phase, ruling)
    after = rollback.begin_from(context, here.number, events, state, ruling)
    deadline = phase.deadline if phase.deadline > context.now else None
    notes: dict[str, Sequence[Msg]] = {}
    blocks: dict[str, Sequence[Json]] = {}
    for seat in queries.games.seats(context.session, context.game.id):
        entries = history.correction_entries(here.rules, seat.name, here.state, events)
        unseen = [] if entries else [msg("Nothing of it is for you to see.")]
        notes[seat.name] = [rollback.by(ruling, order), *unseen]
        title = msg("What is corrected")
        blocks[seat.name] = [content.sentences(title, forecast.as_lines(entries))] if entries else []
    rollback.go_on(context, after, voided, rollback.Start(phase, None, notes, blocks, deadline=deadline))


def correct(context: RulingContext, state: object, text: str, cite: str = "") -> tuple[tuple[Event, ...], object]:
    """The events of a correction, citing its ruling, and the state after them; Broken if it cannot be."""
    rules = context.server.rules_of(context.game)
    if rules.edit is None:
        raise UserError(
            msg("Positions of {game} cannot be corrected; READJUDICATE and REOPEN can be.", game=rules.title)
        )
    done = corrected.apply_correction(rules, state, text, cite)
    for bad in done.rejected:
        near = tuple(bad.suggestions)
        if near:
            raise UserError(msg("{word}: {why} Perhaps you mean: {near}.", word=bad.word, why=bad.why, near=near))
        raise UserError(msg("{word}: {why}", word=bad.word, why=bad.why))
    if done.wrong:
        raise UserError(
            msg("The position would be wrong after it: {what}. Correct all of it in one line.", what=done.wrong)
        )
    return done.events, done.state


def since(context: RulingContext, row: tables.Phase) -> dict[str, str]:
    """What was corrected in the position after a phase and still holds: by the ruling, what it said."""
    found: dict[str, str] = {}
    for step in history.line_of_play(context.session, context.game):
        if isinstance(step, tables.Basis) and step.number > row.number:
            for cite in dict.fromkeys(happened.cite for happened in history.corrections(step)):
                ruling = queries.rulings.ruling(context.session, context.game.id, int(cite[1:]))
                word, _, rest = ruling.line.partition(" ")
                found[cite] = text_of(word, rest)
    return found


def _open_phase(context: RulingContext) -> tables.Phase:
    """The open phase, before anything of it was carried out; Broken if there is none."""
    if context.phase is None or context.game.state not in ("running", "held"):
        closed = queries.phases.closed_phase(context.session, context.game.id)
        if closed is not None and context.game.state in ("running", "held"):
            raise UserError(
                msg(
                    "{phase} is closed and goes on: correct the position after it, or REOPEN {name} first.",
                    phase=history.name_of(closed),
                    name=history.name_of(closed),
                )
            )
        raise UserError(msg("No phase of {game} is open.", game=context.game.id))
    if queries.phases.midway(context.session, context.game.id) is not None:
        raise UserError(
            msg(
                "Letters of {phase} are carried out already: correct the position after it, or REOPEN {name} first.",
                phase=history.name_of(context.phase),
                name=history.name_of(context.phase),
            )
        )
    return context.phase


# AWARD: victory points that a moderator gives to a side, or takes from it, told to everybody in full.
#
#     AWARD spain 2 BECAUSE the convoy was misplaced by a fault of the server
#
# A game says whether it has such points; they count like all others from then on. It is a correction of the position
# (corrections.py), and is stored, replayed and taken back as one.


def award(context: RulingContext, order: RulingLine) -> Making:
    """Give a side points, or take some; all are told those given now, and in all with these.

    Broken if the game has no such points.
    """
    open_phase(context)
    here = positions.before(context, context.game)
    rules, found = here.rules, edits.award(order.rest)
    if rules.awards is None:
        raise UserError(msg("{game} has no points that a moderator could give.", game=rules.title))
    had = rules.awards(here.state)
    if found is None or found[0] not in had:
        raise UserError(
            msg("Say which side, and how many points: AWARD spain 2, or -2. The sides are: {sides}.", sides=tuple(had))
        )
    side, points = found
    told = msg(
        "Victory points awarded to {side}: {points}; by awards it then has {now}.",
        side=side,
        points=points,
        now=had[side] + points,
    )
    making = edit(context, replace(order, rest=text_of(order.word, order.rest)))
    yield told, *next(making)
    next(making, None)


RULINGS = (
    Ruling("AWARD", "OTORGAR", award, "spain 2", within=(("VP", "PV"),), seat=True, moves=True),
    Ruling(
        "EDIT",
        "CORREGIR",
        edit,
        "UNIT ...",
        within=(("UNIT", "UNIDAD"),),
        also=edit_understood,
        moves=True,
        private=True,
    ),
)
