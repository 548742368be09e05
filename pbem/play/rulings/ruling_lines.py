"""What a moderator may do to a game: one line a ruling, each numbered, with its reason, and told to all players.

Example::

    PROCESS T3.spain BECAUSE both sides asked for it

    PROCESS T3.spain               the open phase closes now with the orders that are in
    HOLD, RESUME                   no deadline runs; it goes on, with a new deadline if the old one is past
    DEADLINE 2031-05-04 20:00      the deadline of the open phase, in the zone of the game
    EXTEND 48h                     that deadline put off by so much
    WARN spain ...                 a word to one seat, seen by all
    SUBSTITUTE spain BY a@b.c      another player for a seat, with a new address
    ADJUDICATE ...                 the game ends with this result
    RULING A2 ...                  the answer to an appeal
    ANNOUNCE ...                   a word to all
    FORBID PRESS spain             a seat may not write to others; ALLOW PRESS spain
    AWARD spain 2                  victory points to a side, or from it
    BEACON CHANGE T3.spain none    what dice follow from if the beacon's round does not come
    EDIT, READJUDICATE, REOPEN     what has happened is changed (corrections.py, readjudication.py)

PREDICT and EXPORT only look, and are no rulings. A ruling may be made from the command line or by letter.
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
from pbem.letters.rulings import Making, Ruled, Ruling, RulingLine, Rulings, reason
from pbem.mail.address import check_address
from pbem.play import beacons, deadlines, holds, log_entries, phase_states, phases, rollback, war_progress
from pbem.play.commands.seats import takeover
from pbem.play.commands.table import appeals, ending
from pbem.play.commands.table.time import EXTENSION, extension
from pbem.play.positions import position
from pbem.play.replay import Difference, differences
from pbem.play.rulings import corrections, readjudication
from pbem.play.rulings.ruling_context import (
    RulingContext,
    context_of,
    moment,
    name_of,
    open_phase,
    playing,
    seat_named,
)
from pbem.runtime.terms import BEACONS
from pbem.runtime.transaction import Act, Kind, Transaction, UserError
from pbem.store import hot_statements, queries, tables

# BEACON CHANGE: what the dice of a closed list follow from if the beacon's round does not come.
#
#     BEACON CHANGE T3.spain none BECAUSE ...
#     BEACON CHANGE T3.spain quicknet BECAUSE ...
#
# It can be ruled only once the round is hours late, so that no game waits for ever; with quicknet they wait for a round
# of that chain that is still to come. The orders stay closed as they are, and the dice of that phase have grade C.


_NONE = ("ninguno",)
"""What ``none`` is called in Spanish."""


def _beacon(context: RulingContext, order: RulingLine) -> Making:
    """Let dice follow from something else, and go on with a phase that waits for no round any more.

    Broken if no round is late enough for that.
    """
    playing(context, "running")
    phase, wanted = _phase_and_beacon(context, order)
    number, out = _waited_for(context, phase)
    if context.now < out + context.server.settings.late:
        raise UserError(
            msg(
                "Round {round} of the beacon should come out at {when}; only {late} after that can another take its "
                "place.",
                round=number,
                when=content.when(out, context.game.zone),
                late=content.hours(int(context.server.settings.late.total_seconds()) // 3600),
            )
        )
    what = msg(
        "The dice of {phase} wait for round {round} of the beacon no longer, which has not come. They follow "
        "from the closed orders and a key of this server alone.",
        phase=name_of(phase),
        round=number,
    )
    if wanted != "none":
        what = msg(
            "The dice of {phase} wait for round {round} of the beacon no longer, which has not come, but for a "
            "later one.",
            phase=name_of(phase),
            round=number,
        )
    grade = msg(
        "The orders stay closed as they are. These dice are of grade C: whoever runs this server could foresee "
        "them, or choose when this was ruled."
    )
    yield what, grade
    beacons.wait_for_another(context, context.game, phase, beacon.CHAINS[wanted], rollback.number(context))
    if wanted == "none":
        phases.carry_on(context, position(context, context.game), phase)


def _phase_and_beacon(context: RulingContext, order: RulingLine) -> tuple[tables.Phase, str]:
    """The phase that a line names, which waits for a round, and what its dice are to wait for."""
    word = "none" if order["beacon"].casefold() in _NONE else order["beacon"].casefold()
    if word not in BEACONS:
        raise UserError(msg("A beacon is one of {beacons}, not {word}.", beacons=BEACONS, word=order["beacon"]))
    phase = queries.phases.closed_phase(context.session, context.game.id)
    if phase is None or beacons.so_far(context, phase).waits_for is None:
        raise UserError(msg("No dice of {game} wait for a beacon.", game=context.game.id))
    if beacons.board_of(context, phase):
        raise UserError(
            msg(
                "The dice of {phase} are those of other tables too; REOPEN gives this one its own.",
                phase=name_of(phase),
            )
        )
    if order["phase"].casefold() not in (name_of(phase).casefold(), str(outbox.phase_of(phase)).casefold()):
        raise UserError(msg("The dice of {phase} wait for a beacon; name that phase.", phase=name_of(phase)))
    return phase, word


def _waited_for(context: RulingContext, phase: tables.Phase) -> tuple[int, datetime]:
    """The number of the round that is waited for, and when it should have come out."""
    held = beacons.so_far(context, phase).waits_for
    if held is None:
        raise LookupError(f"no list of {phase.game_id} waits for a round")
    chain, number = held
    return number, datetime.fromtimestamp(beacon.moment(beacon.KNOWN[chain], number), UTC)


# FORBID PRESS and ALLOW PRESS: a moderator keeps a seat from writing to others, or lets it again.


def _press(context: RulingContext, order: RulingLine) -> Making:
    """Refuse a seat's letters to others from now on, or pass them on again; Broken if it is so already."""
    seat, forbidden = seat_named(context, order["seat"]), order.word == "FORBID"
    if seat.press_forbidden == forbidden:
        if forbidden:
            raise UserError(msg("{seat} may not write to others already.", seat=seat.name))
        raise UserError(msg("{seat} may write to others; there is nothing to allow.", seat=seat.name))
    if forbidden:
        told = msg("{seat} may not write to others any more: PRESS and SAY of that seat are refused.", seat=seat.name)
        yield (told,)
    else:
        yield (msg("{seat} may write to others again.", seat=seat.name),)
    seat.press_forbidden = forbidden
    context.session.add(seat)


def _process(context: RulingContext, order: RulingLine) -> Making:
    phase = open_phase(context)
    if order.rest.casefold() not in (name_of(phase).casefold(), str(outbox.phase_of(phase)).casefold()):
        raise UserError(
            msg("The open phase is {phase}; name it: PROCESS {name}.", phase=name_of(phase), name=name_of(phase))
        )
    yield (msg("The phase {phase} is closed now, with the orders that are in.", phase=name_of(phase)),)
    if context.game.state == "held":
        phase_states.continue_game(context.session, context.game)
        context.session.flush()
    here = position(context, context.game)
    if here.by_letter:
        phases.end_letters(context.session, here, phase)
    phases.close_and_resolve(context, here, phase)


def _hold(context: RulingContext, order: RulingLine) -> Making:
    playing(context, "running")
    yield (msg("The game is held: no deadline runs until it goes on, and then everybody hears of it."),)
    phase_states.hold_game(context.session, context.game, order.because)


def _resume(context: RulingContext, order: RulingLine) -> Making:
    to = holds.deadline_after(context, context.game.id)
    if context.phase is None or to is None:
        yield (msg("The game goes on."),)
    else:
        when = content.when(to, context.game.zone)
        yield (msg("The game goes on. The deadline of turn {turn} is {when}.", turn=context.phase.turn, when=when),)
    holds.resume_game(context, context.game.id)


def _deadline(context: RulingContext, order: RulingLine) -> Making:
    phase, zone, to = open_phase(context), context.game.zone, _deadline_of(context, order)
    if deadlines.is_due(context, phase):
        raise UserError(
            msg(
                "The closing time of {phase} is past, and it can only be closed now. REOPEN lets its players write "
                "again.",
                phase=name_of(phase),
            )
        )
    if to <= context.now:
        raise UserError(msg("That moment is past; PROCESS closes a phase at once."))
    most = context.server.settings.limits.deadline_days
    if to > (last := context.now + timedelta(days=most)):
        why = msg(
            "A deadline is {days} away at most, by {when} now; HOLD stops a game for as long as it takes.",
            days=content.days(most),
            when=content.when(last, zone),
        )
        raise UserError(why)
    playing(context, "running")
    yield (msg("The deadline of turn {turn} is now {when}.", turn=phase.turn, when=content.when(to, zone)),)
    deadlines.put_off(context, position(context, context.game), phase, deadlines.Delay(to, cause="moderator"))


def _deadline_of(context: RulingContext, order: RulingLine) -> datetime:
    """The deadline that DEADLINE names, or that EXTEND makes of the one there is."""
    zone, more = context.game.zone, EXTENSION.fullmatch(fold(order.rest).strip())
    if order.word == "EXTEND":
        if more is None:
            raise UserError(msg("Say by how much: EXTEND 48h, or EXTEND 3 days."))
        return open_phase(context).deadline + timedelta(hours=extension(more))
    try:
        return moment(order.rest, zone)
    except ValueError as wrong:
        raise UserError(msg("A deadline reads DEADLINE 2031-05-04 20:00, in the zone {zone}.", zone=zone)) from wrong


def _warn(context: RulingContext, order: RulingLine) -> Making:
    seat_named(context, order["seat"])
    yield ()


def _substitute(context: RulingContext, order: RulingLine) -> Making:
    seat, substitute = seat_named(context, order["seat"]), order["who"]
    try:
        check_address(substitute)
    except ValueError as wrong:
        raise UserError(msg("The seat cannot be given away: {why}", why=str(wrong))) from wrong
    if barred := moderators.why_barred(context.session, context.game.id, substitute):
        raise UserError(barred)
    playing(context, "running", "held")
    yield ()
    takeover.hand_over(context, context.game, seat, Asker(substitute, seat.language, seat.zone))


def _adjudicate(context: RulingContext, order: RulingLine) -> Making:
    playing(context, "running", "held")
    ends = msg("The game ends with that.")
    of_war = context.game.system != chain.CAMP and war_progress.course_of(context, context.game.id) is not None
    yield (ends, _BY_POINTS) if of_war else (ends,)
    why = msg("The moderator has ended the game: {result}", result=order.rest)
    ending.end_game(context, context.game, context.phase, ending.End(why, "adjudicate"))


_BY_POINTS = msg("It is a battle of a war: for the war it counts as its points stand, whatever result is named [K7].")


def _announce(context: RulingContext, order: RulingLine) -> Making:
    """Make a ruling that changes nothing: its announcement is all."""
    yield ()


def _ruling(context: RulingContext, order: RulingLine) -> Making:
    appeal = order["appeal"]
    yield appeals.sentences(context.session, context.game, int(appeal)) if appeal else ()
    if appeal:
        appeals.keep_answer(context.session, context.game, int(appeal), order["text"])


def _handed(context: RulingContext, order: RulingLine) -> Sequence[Msg]:
    return (
        msg(
            "The seat gets another address. Its new player gets that, the position and all that was queued; the one "
            "before him is told that he has it no more."
        ),
    )


_PRESS_WORD = (("PRESS", "PRENSA"),)
_OF_PRESS = re.compile(r"(?:PRESS|PRENSA)\s+(?P<seat>\S+)", re.IGNORECASE)
_SUBSTITUTE = re.compile(r"(?P<seat>\S+)\s+(?:BY|POR)\s+(?P<who>\S+)", re.IGNORECASE)
_BEACON = re.compile(r"(?:CHANGE|CAMBIAR)\s+(?P<phase>\S+)\s+(?P<beacon>\S+)", re.IGNORECASE)
_APPEAL = re.compile(r"(?:A(?P<appeal>\d{1,4})\s+)?(?P<text>\S.*)", re.DOTALL | re.IGNORECASE)
_TO_SEAT = re.compile(r"(?P<seat>\S+).*", re.DOTALL)
_SOMETHING = re.compile(r"\S.*", re.DOTALL)

RULINGS = (
    Ruling("PROCESS", "PROCESAR", _process, "T3.spain", moves=True),
    Ruling("HOLD", "DETENER", _hold, moves=True),
    Ruling("RESUME", "REANUDAR", _resume, moves=True),
    Ruling("DEADLINE", "PLAZO", _deadline, "2031-05-04 20:00"),
    Ruling("EXTEND", "PRORROGAR", _deadline, "48h"),
    Ruling("WARN", "ADVERTIR", _warn, "spain ...", _TO_SEAT, seat=True, often=10),
    Ruling(
        "SUBSTITUTE",
        "SUSTITUIR",
        _substitute,
        "spain BY a@b.org",
        _SUBSTITUTE,
        within=(("BY", "POR"),),
        also=_handed,
        seat=True,
        often=3,
    ),
    Ruling("ADJUDICATE", "ADJUDICAR", _adjudicate, "...", _SOMETHING, moves=True),
    Ruling("ANNOUNCE", "ANUNCIAR", _announce, "...", _SOMETHING, bare=True, often=3),
    Ruling("RULING", "DECISION", _ruling, "A2 ...", _APPEAL, bare=True, often=10),
    Ruling("FORBID", "PROHIBIR", _press, "PRESS spain", _OF_PRESS, within=_PRESS_WORD, seat=True, often=3),
    Ruling("ALLOW", "PERMITIR", _press, "PRESS spain", _OF_PRESS, within=_PRESS_WORD, seat=True, often=3),
    Ruling(
        "BEACON",
        "FARO",
        _beacon,
        "CHANGE T3.spain none",
        _BEACON,
        within=(("CHANGE", "CAMBIAR"),),
        moves=True,
    ),
    *corrections.RULINGS,
    *readjudication.RULINGS,
)
"""All rulings of a moderator; a new one is a record beside its functions."""

LINES: Rulings[RulingContext] = Rulings(RULINGS)
"""What lines of rulings are read by."""
read_line = LINES.read_line

_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")
_TURN = re.compile(r"T(\d+)\.")
EVER = 10_000
"""A turn later than any that a game reaches: the open end of a range."""


def by_ids(context: RulingContext, order: RulingLine) -> RulingLine:
    """A line with the seat in it by its id."""
    return order.by_ids(context.server.rules_of(context.game).telling.called)


def rule(work: Transaction, name: str, order: RulingLine) -> Ruled:
    """Make a ruling on a game: number and keep it, tell everybody, and do it; Broken if it cannot be, with no change.

    The numbers of a game's rulings count from 1 and are never given twice.
    """
    context = context_of(work, name)
    order = by_ids(context, order)
    making = order.ruling.make(context, order)
    told = next(making)
    number = 1 + queries.rulings.last_ruling(work.session, name)
    going = context.phase or queries.phases.closed_phase(work.session, name)
    phase = str(outbox.phase_of(going)) if going else ""
    # Nobody's address is told to the table, nor kept where an export shows it.
    text, because = (_ADDRESS.sub("...", part) for part in (order.text, order.because))
    row = tables.Ruling(game_id=name, number=number, at=work.now, phase=phase, line=text, reason=because)
    hot_statements.add_row(work.session, row)
    log_entries.note_ruling(work, context.game, row, text_of(row))
    said = [sentence(row), *told, *([reason(because)] if because else [])]

    def opening(zone: str) -> Sequence[Msg]:
        return said

    # Everybody is told before it takes effect: letters go out in the order in which they are written.
    outbox.to_all(work, context.game, going, outbox.Circular(opening, cause=f"ruling {number}"))
    next(making, None)
    work.tell(Act(Kind.RULED, context.game, going, cause=f"ruling {number}"))
    return Ruled(f"M{number}", tuple(said))


def made(session: Session, game: tables.Game, first: int, last: int) -> list[tuple[int, Msg]]:
    """What was ruled in the turns from `first` to `last`, 0 being before the game, each line with its depth."""
    lines: list[tuple[int, Msg]] = []
    for row in queries.rulings.rulings(session, game.id):
        turn = _TURN.match(row.phase)
        if first <= (int(turn[1]) if turn else 0) <= last:
            lines.append((0, sentence(row)))
            lines += [(1, reason(row.reason))] if row.reason else []
    return lines


def sentence(row: tables.Ruling) -> Msg:
    """A ruling as everybody is told it."""
    return msg(
        "Ruling {number} of the moderator: {text}",
        number=f"M{row.number}",
        text=LINES.told(text_of(row)),
    )


def text_of(row: tables.Ruling) -> str:
    """The line of a ruling, as far as everybody may know it."""
    word = row.line.partition(" ")[0]
    return word if LINES.is_private(word) else row.line


# What the rules installed here would change in stored games, before anything is changed; and applying it to one.


class Checked(NamedTuple):
    """A game held against the rules of today: how many phases it came by, and those that come out otherwise."""

    game: str
    state: str
    phases: int
    differences: tuple[Difference, ...]


def check_rules(work: Transaction, name: str) -> Checked:
    """Resolve every phase of a game again, each from its stored state; Broken if there is no such game."""
    found = differences(work, name)
    row = work.session.get_one(tables.Game, name)
    return Checked(name, row.state, len(queries.phases.resolved(work.session, name)), found)


def apply_rules(work: Transaction, name: str, because: str) -> Ruled:
    """READJUDICATE the first phase that comes out otherwise, with its reason and letters; Broken if there is none."""
    found = check_rules(work, name).differences
    if not found:
        raise UserError(msg("Nothing of {game} comes out otherwise; there is nothing to apply.", game=name))
    line = f"READJUDICATE {found[0].phase} BECAUSE {because}"
    return rule(work, name, read_line(line))
