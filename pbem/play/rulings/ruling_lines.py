"""Define the moderator's rulings: numbered lines with a reason, sent to all.

Example::

    PROCESS T3.spain BECAUSE both sides asked for it

    PROCESS T3.spain               close the open phase now with the orders that are in
    HOLD, RESUME                   stop all deadlines; go on, with a new deadline if the old one is past
    DEADLINE 2031-05-04 20:00      set the deadline of the open phase, in the zone of the game
    EXTEND 48h                     put that deadline off
    WARN spain ...                 say something to one seat, visible to all
    SUBSTITUTE spain BY a@b.c      give a seat to another player with a new address
    ADJUDICATE ...                 end the game with this result
    RULING A2 ...                  answer an appeal
    ANNOUNCE ...                   say something to all
    FORBID PRESS spain             refuse a seat's letters to others; ALLOW PRESS spain
    AWARD spain 2                  give victory points to a side, or take them
    BEACON CHANGE T3.spain none    change the dice's source if the beacon's round does not come
    EDIT, READJUDICATE, REOPEN     change what has happened (corrections.py, readjudication.py)

PREDICT and EXPORT only read, and are no rulings. A ruling may be made from the command line or by letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.engine.war import chain
from pbem.letters import content, moderators, outbox
from pbem.letters.codes import Asker
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine, finish_ruling
from pbem.letters.rulings import MadeRuling, Rulings, reason_sentence
from pbem.mail.address import check_address
from pbem.play import beacons, deadlines, holds, log_entries, phase_states, phases, rollback, war_progress
from pbem.play.commands.seats import takeover
from pbem.play.commands.table import appeals, ending
from pbem.play.commands.table.time import EXTENSION, extension_hours
from pbem.play.positions import read_position
from pbem.play.replay import ReplayDifference, all_differences
from pbem.play.rulings import corrections, readjudication
from pbem.play.rulings.ruling_context import (
    RulingContext,
    context_of,
    find_seat,
    parse_moment,
    phase_name,
    require_open_phase,
    require_state,
)
from pbem.runtime.terms import BEACON_CHOICES
from pbem.runtime.transaction import Act, ActKind, Transaction, UserError
from pbem.store import hot_statements, queries, tables

# BEACON CHANGE: what the dice of a closed list follow from if the beacon's round does not come.
#
#     BEACON CHANGE T3.spain none BECAUSE ...
#     BEACON CHANGE T3.spain quicknet BECAUSE ...
#
# It can be ruled only once the round is hours late, so that no game waits for ever; with quicknet they wait for a round
# of that chain that is still to come. The orders stay closed as they are, and the dice of that phase have grade C.


_NONE = ("ninguno",)
"""The Spanish words for ``none``."""


def _change_beacon(context: RulingContext, order: RulingLine) -> RulingInProgress:
    """Change the source of dice, and continue a phase that need not wait.

    Raise UserError if no round is late enough.
    """
    require_state(context, "running")
    phase, chain_name = _phase_and_beacon(context, order)
    number, publication = _awaited_round(context, phase)
    if context.now < publication + context.server.settings.late:
        raise UserError(
            msg(
                "Round {round} of the beacon should come out at {when}; only {late} after that can another take its "
                "place.",
                round=number,
                when=content.moment_in_words(publication, context.game.zone),
                late=content.hours_in_words(int(context.server.settings.late.total_seconds()) // 3600),
            )
        )
    notice = msg(
        "The dice of {phase} wait for round {round} of the beacon no longer, which has not come. They follow "
        "from the closed orders and a key of this server alone.",
        phase=phase_name(phase),
        round=number,
    )
    if chain_name != "none":
        notice = msg(
            "The dice of {phase} wait for round {round} of the beacon no longer, which has not come, but for a "
            "later one.",
            phase=phase_name(phase),
            round=number,
        )
    grade_notice = msg(
        "The orders stay closed as they are. These dice are of grade C: whoever runs this server could foresee "
        "them, or choose when this was ruled."
    )
    yield notice, grade_notice
    beacons.replace_awaited_round(
        context, context.game, phase, beacon.CHAINS_OF_TERMS[chain_name], rollback.current_ruling(context)
    )
    if chain_name == "none":
        phases.continue_phase(context, read_position(context, context.game), phase)


def _phase_and_beacon(context: RulingContext, order: RulingLine) -> tuple[tables.Phase, str]:
    """Return the named phase, which waits for a round, and its new beacon."""
    word = "none" if order["beacon"].casefold() in _NONE else order["beacon"].casefold()
    if word not in BEACON_CHOICES:
        raise UserError(msg("A beacon is one of {beacons}, not {word}.", beacons=BEACON_CHOICES, word=order["beacon"]))
    phase = queries.phases.waiting_phase(context.session, context.game.id)
    if phase is None or beacons.closed_orders_with_beacons(context, phase).waits_for is None:
        raise UserError(msg("No dice of {game} wait for a beacon.", game=context.game.id))
    if beacons.board_sharing_dice(context, phase):
        raise UserError(
            msg(
                "The dice of {phase} are those of other tables too; REOPEN gives this one its own.",
                phase=phase_name(phase),
            )
        )
    if order["phase"].casefold() not in (phase_name(phase).casefold(), str(outbox.phase_of(phase)).casefold()):
        raise UserError(msg("The dice of {phase} wait for a beacon; name that phase.", phase=phase_name(phase)))
    return phase, word


def _awaited_round(context: RulingContext, phase: tables.Phase) -> tuple[int, datetime]:
    """Return the number of the awaited round, and when it should have come out."""
    awaited = beacons.closed_orders_with_beacons(context, phase).waits_for
    if awaited is None:
        raise LookupError(f"no list of {phase.game_id} waits for a round")
    chain, number = awaited
    return number, datetime.fromtimestamp(beacon.round_time(beacon.KNOWN_CHAINS[chain], number), UTC)


# FORBID PRESS and ALLOW PRESS: a moderator keeps a seat from writing to others, or lets it again.


def _set_press(context: RulingContext, order: RulingLine) -> RulingInProgress:
    """Refuse a seat's letters to others from now on, or pass them on again.

    Raise UserError if nothing would change.
    """
    seat, forbidden = find_seat(context, order["seat"]), order.word == "FORBID"
    if seat.press_forbidden == forbidden:
        if forbidden:
            raise UserError(msg("{seat} may not write to others already.", seat=seat.name))
        raise UserError(msg("{seat} may write to others; there is nothing to allow.", seat=seat.name))
    if forbidden:
        notice = msg("{seat} may not write to others any more: PRESS and SAY of that seat are refused.", seat=seat.name)
        yield (notice,)
    else:
        yield (msg("{seat} may write to others again.", seat=seat.name),)
    seat.press_forbidden = forbidden
    context.session.add(seat)


def _process(context: RulingContext, order: RulingLine) -> RulingInProgress:
    phase = require_open_phase(context)
    if order.rest.casefold() not in (phase_name(phase).casefold(), str(outbox.phase_of(phase)).casefold()):
        raise UserError(
            msg("The open phase is {phase}; name it: PROCESS {name}.", phase=phase_name(phase), name=phase_name(phase))
        )
    yield (msg("The phase {phase} is closed now, with the orders that are in.", phase=phase_name(phase)),)
    if context.game.state == "held":
        phase_states.continue_game(context.session, context.game)
        context.session.flush()
    current = read_position(context, context.game)
    if current.by_letter:
        phases.mark_all_done(context.session, current, phase)
    phases.close_and_resolve(context, current, phase)


def _hold(context: RulingContext, order: RulingLine) -> RulingInProgress:
    require_state(context, "running")
    yield (msg("The game is held: no deadline runs until it goes on, and then everybody hears of it."),)
    phase_states.hold_game(context.session, context.game, order.because)


def _resume(context: RulingContext, order: RulingLine) -> RulingInProgress:
    deadline = holds.deadline_if_resumed(context, context.game.id)
    if context.phase is None or deadline is None:
        yield (msg("The game goes on."),)
    else:
        when = content.moment_in_words(deadline, context.game.zone)
        yield (msg("The game goes on. The deadline of turn {turn} is {when}.", turn=context.phase.turn, when=when),)
    holds.resume_game(context, context.game.id)


def _set_deadline(context: RulingContext, order: RulingLine) -> RulingInProgress:
    phase, zone, deadline = require_open_phase(context), context.game.zone, _deadline_of(context, order)
    if deadlines.is_due(context, phase):
        raise UserError(
            msg(
                "The closing time of {phase} is past, and it can only be closed now. REOPEN lets its players write "
                "again.",
                phase=phase_name(phase),
            )
        )
    if deadline <= context.now:
        raise UserError(msg("That moment is past; PROCESS closes a phase at once."))
    max_days = context.server.settings.limits.deadline_days
    if deadline > (latest := context.now + timedelta(days=max_days)):
        refusal = msg(
            "A deadline is {days} away at most, by {when} now; HOLD stops a game for as long as it takes.",
            days=content.days_in_words(max_days),
            when=content.moment_in_words(latest, zone),
        )
        raise UserError(refusal)
    require_state(context, "running")
    yield (
        msg(
            "The deadline of turn {turn} is now {when}.", turn=phase.turn, when=content.moment_in_words(deadline, zone)
        ),
    )
    deadlines.move_deadline(
        context, read_position(context, context.game), phase, deadlines.DeadlineMove(deadline, cause="moderator")
    )


def _deadline_of(context: RulingContext, order: RulingLine) -> datetime:
    """Return the deadline that DEADLINE names, or that EXTEND computes."""
    zone, match = context.game.zone, EXTENSION.fullmatch(fold(order.rest).strip())
    if order.word == "EXTEND":
        if match is None:
            raise UserError(msg("Say by how much: EXTEND 48h, or EXTEND 3 days."))
        return require_open_phase(context).deadline + timedelta(hours=extension_hours(match))
    try:
        return parse_moment(order.rest, zone)
    except ValueError as fault:
        raise UserError(msg("A deadline reads DEADLINE 2031-05-04 20:00, in the zone {zone}.", zone=zone)) from fault


def _warn(context: RulingContext, order: RulingLine) -> RulingInProgress:
    find_seat(context, order["seat"])
    yield ()


def _substitute(context: RulingContext, order: RulingLine) -> RulingInProgress:
    seat, substitute = find_seat(context, order["seat"]), order["who"]
    try:
        check_address(substitute)
    except ValueError as fault:
        raise UserError(msg("The seat cannot be given away: {why}", why=str(fault))) from fault
    if objection := moderators.why_barred(context.session, context.game.id, substitute):
        raise UserError(objection)
    require_state(context, "running", "held")
    yield ()
    takeover.hand_over(context, context.game, seat, Asker(substitute, seat.language, seat.zone))


def _adjudicate(context: RulingContext, order: RulingLine) -> RulingInProgress:
    require_state(context, "running", "held")
    notice = msg("The game ends with that.")
    is_war_battle = (
        context.game.system != chain.CAMP and war_progress.war_progress_of(context, context.game.id) is not None
    )
    yield (notice, _BY_POINTS) if is_war_battle else (notice,)
    reason_text = msg("The moderator has ended the game: {result}", result=order.rest)
    ending.end_game(context, context.game, context.phase, ending.GameEnd(reason_text, "adjudicate"))


_BY_POINTS = msg("It is a battle of a war: for the war it counts as its points stand, whatever result is named [K7].")


def _announce(context: RulingContext, order: RulingLine) -> RulingInProgress:
    """Make a ruling that changes nothing: its announcement is all."""
    yield ()


def _answer_appeal(context: RulingContext, order: RulingLine) -> RulingInProgress:
    appeal = order["appeal"]
    yield appeals.appeal_answer_sentences(context.session, context.game, int(appeal)) if appeal else ()
    if appeal:
        appeals.store_appeal_answer(context.session, context.game, int(appeal), order["text"])


def _address_notice(context: RulingContext, order: RulingLine) -> Sequence[Msg]:
    return (
        msg(
            "The seat gets another address. Its new player gets that, the position and all that was queued; the one "
            "before him is told that he has it no more."
        ),
    )


_PRESS_WORD = (("PRESS", "PRENSA"),)
_OF_PRESS = re.compile(r"(?:PRESS|PRENSA)\s+(?P<seat>\S+)", re.IGNORECASE)
"""Argument of FORBID PRESS and ALLOW PRESS: the seat."""
# The words after the verb of each kind of ruling, in English or Spanish.
_SUBSTITUTE = re.compile(r"(?P<seat>\S+)\s+(?:BY|POR)\s+(?P<who>\S+)", re.IGNORECASE)
_BEACON = re.compile(r"(?:CHANGE|CAMBIAR)\s+(?P<phase>\S+)\s+(?P<beacon>\S+)", re.IGNORECASE)
_APPEAL = re.compile(r"(?:A(?P<appeal>\d{1,4})\s+)?(?P<text>\S.*)", re.DOTALL | re.IGNORECASE)
_TO_SEAT = re.compile(r"(?P<seat>\S+).*", re.DOTALL)
_SOMETHING = re.compile(r"\S.*", re.DOTALL)

RULINGS = (
    Ruling("PROCESS", "PROCESAR", _process, "T3.spain", moves=True),
    Ruling("HOLD", "DETENER", _hold, moves=True),
    Ruling("RESUME", "REANUDAR", _resume, moves=True),
    Ruling("DEADLINE", "PLAZO", _set_deadline, "2031-05-04 20:00"),
    Ruling("EXTEND", "PRORROGAR", _set_deadline, "48h"),
    Ruling("WARN", "ADVERTIR", _warn, "spain ...", _TO_SEAT, seat=True, often=10),
    Ruling(
        "SUBSTITUTE",
        "SUSTITUIR",
        _substitute,
        "spain BY a@b.org",
        _SUBSTITUTE,
        within=(("BY", "POR"),),
        also=_address_notice,
        seat=True,
        often=3,
    ),
    Ruling("ADJUDICATE", "ADJUDICAR", _adjudicate, "...", _SOMETHING, moves=True),
    Ruling("ANNOUNCE", "ANUNCIAR", _announce, "...", _SOMETHING, bare=True, often=3),
    Ruling("RULING", "DECISION", _answer_appeal, "A2 ...", _APPEAL, bare=True, often=10),
    Ruling("FORBID", "PROHIBIR", _set_press, "PRESS spain", _OF_PRESS, within=_PRESS_WORD, seat=True, often=3),
    Ruling("ALLOW", "PERMITIR", _set_press, "PRESS spain", _OF_PRESS, within=_PRESS_WORD, seat=True, often=3),
    Ruling(
        "BEACON",
        "FARO",
        _change_beacon,
        "CHANGE T3.spain none",
        _BEACON,
        within=(("CHANGE", "CAMBIAR"),),
        moves=True,
    ),
    *corrections.RULINGS,
    *readjudication.RULINGS,
)
"""All rulings of a moderator; a new one is a record next to its functions."""

LINES: Rulings[RulingContext] = Rulings(RULINGS)
"""The parser of ruling lines."""
read_line = LINES.read_line

# Whatever may be an address: it is replaced before others read the line.
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")
_TURN = re.compile(r"T(\d+)\.")
EVER = 10_000
"""A turn number that no game reaches: the open end of a range."""


def with_seat_ids(context: RulingContext, order: RulingLine) -> RulingLine:
    """Return a line with its seat given by id."""
    return order.by_ids(context.server.rules_of(context.game).telling.called)


def make_ruling(tx: Transaction, name: str, order: RulingLine, joins: str = "") -> MadeRuling:
    """Make a ruling on a game: number and store it, notify everybody, and apply it.

    Its notice `joins` that of an earlier ruling of the same letter, ``M3``. Raise UserError, without any change, if it
    is impossible. The numbers of a game's rulings count from 1 and are never given twice.
    """
    context = context_of(tx, name)
    order = with_seat_ids(context, order)
    making = order.ruling.make(context, order)
    notices = next(making)
    number = 1 + queries.rulings.last_ruling(tx.session, name)
    current_phase = context.phase or queries.phases.waiting_phase(tx.session, name)
    phase = str(outbox.phase_of(current_phase)) if current_phase else ""
    # Addresses are neither announced nor stored where an export shows them.
    text, because = hide_addresses(order.text), hide_addresses(order.because)
    row = tables.Ruling(game_id=name, number=number, at=tx.now, phase=phase, line=text, reason=because)
    hot_statements.insert_object(tx.session, row)
    log_entries.record_ruling(tx, context.game, row, public_ruling_text(row))
    sentences = [ruling_sentence(row), *notices, *([reason_sentence(because)] if because else [])]

    def opening(zone: str) -> Sequence[Msg]:
        return sentences

    # Everybody is notified before it takes effect: letters are sent in the order they are written.
    notice = outbox.Announcement(opening, f"ruling {number}", joins=joins and f"ruling {joins.removeprefix('M')}")
    outbox.announce_to_all(tx, context.game, current_phase, notice)
    finish_ruling(making)
    tx.notify_listeners(Act(ActKind.RULED, context.game, current_phase, cause=f"ruling {number}"))
    return MadeRuling(f"M{number}", tuple(sentences))


def hide_addresses(text: str) -> str:
    """Return a text with dots for each mail address."""
    return _ADDRESS.sub("...", text)


def ruling_history(session: Session, game: tables.Game, first: int, last: int) -> list[tuple[int, Msg]]:
    """Return the rulings of turns `first` to `last`, each line with its depth.

    Turn 0 is before the game.
    """
    lines: list[tuple[int, Msg]] = []
    for row in queries.rulings.rulings(session, game.id):
        turn = _TURN.match(row.phase)
        if first <= (int(turn[1]) if turn else 0) <= last:
            lines.append((0, ruling_sentence(row)))
            lines += [(1, reason_sentence(row.reason))] if row.reason else []
    return lines


def ruling_sentence(row: tables.Ruling) -> Msg:
    """Return the sentence with which everybody is notified of a ruling."""
    return msg(
        "Ruling {number} of the moderator: {text}",
        number=f"M{row.number}",
        text=LINES.message_of(public_ruling_text(row)),
    )


def public_ruling_text(row: tables.Ruling) -> str:
    """Return the public part of a ruling's line."""
    word = row.line.partition(" ")[0]
    return word if LINES.is_private(word) else row.line


# Check how the installed rules would change stored games, and apply them to one.


class RulesCheck(NamedTuple):
    """A game checked by the installed rules: its phases, and changed results."""

    game: str
    state: str
    phases: int
    differences: tuple[ReplayDifference, ...]


def check_rules(tx: Transaction, name: str) -> RulesCheck:
    """Resolve every phase of a game again, each from its stored state.

    Raise UserError if there is no such game.
    """
    changed_phases = all_differences(tx, name)
    row = tx.session.get_one(tables.Game, name)
    return RulesCheck(name, row.state, len(queries.phases.resolved_phases(tx.session, name)), changed_phases)


def readjudicate_by_new_rules(tx: Transaction, name: str, because: str) -> MadeRuling:
    """Run READJUDICATE with its reason on the first phase that comes out otherwise.

    Letters are sent as for any such ruling. Raise UserError if there is no such phase.
    """
    changed_phases = check_rules(tx, name).differences
    if not changed_phases:
        raise UserError(msg("Nothing of {game} comes out otherwise; there is nothing to apply.", game=name))
    line = f"READJUDICATE {changed_phases[0].phase} BECAUSE {because}"
    return make_ruling(tx, name, read_line(line))
