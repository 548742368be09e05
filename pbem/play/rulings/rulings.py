"""The rulings themselves: what each tells everybody, and what it then does to the game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.engine.war import chain
from pbem.letters import content, moderators, outbox
from pbem.letters.codes import Asker
from pbem.mail.address import check_address
from pbem.play import deadlines, holds, phase_states, phases, war_progress
from pbem.play.commands.seats import takeover
from pbem.play.commands.table import appeals, ending
from pbem.play.commands.table.time import EXTENSION, extension
from pbem.play.positions import position
from pbem.play.rulings import awards, beacon_change, corrections, press_rulings, readjudication, reopen
from pbem.play.rulings.context import Order, Ruling, RulingContext, moment, name_of, open_phase, playing, seat_named
from pbem.runtime.transaction import Broken
from pbem.store import tables


def _process_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    phase = open_phase(context)
    if order.rest.casefold() not in (name_of(phase).casefold(), str(outbox.phase_of(phase)).casefold()):
        raise Broken(
            msg("The open phase is {phase}; name it: PROCESS {name}.", phase=name_of(phase), name=name_of(phase))
        )
    return (msg("The phase {phase} is closed now, with the orders that are in.", phase=name_of(phase)),)


def _process(context: RulingContext, order: Order) -> None:
    phase = open_phase(context)
    if context.game.state == "held":
        phase_states.continue_game(context.session, context.game)
        context.session.flush()
    here = position(context, context.game)
    if here.by_letter:
        phases.end_letters(context.session, here, phase)
    phases.close_and_resolve(context, here, phase)


def _hold_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    playing(context, "running")
    return (msg("The game is held: no deadline runs until it goes on, and then everybody hears of it."),)


def _hold(context: RulingContext, order: Order) -> None:
    phase_states.hold_game(context.session, context.game, order.because)


def _resume_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    to = holds.deadline_after(context, context.game.id)
    if context.phase is None or to is None:
        return (msg("The game goes on."),)
    when = content.when(to, context.game.zone)
    return (msg("The game goes on. The deadline of turn {turn} is {when}.", turn=context.phase.turn, when=when),)


def _resume(context: RulingContext, order: Order) -> None:
    holds.resume_game(context, context.game.id)


def _deadline_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    phase, zone, to = open_phase(context), context.game.zone, _deadline_of(context, order)
    if deadlines.is_due(context, phase):
        raise Broken(
            msg(
                "The closing time of {phase} is past, and it can only be closed now. REOPEN lets its players write "
                "again.",
                phase=name_of(phase),
            )
        )
    if to <= context.now:
        raise Broken(msg("That moment is past; PROCESS closes a phase at once."))
    most = context.server.limits.deadline_days
    if to > (last := context.now + timedelta(days=most)):
        why = msg(
            "A deadline is {days} away at most, by {when} now; HOLD stops a game for as long as it takes.",
            days=content.days(most),
            when=content.when(last, zone),
        )
        raise Broken(why)
    playing(context, "running")
    return (msg("The deadline of turn {turn} is now {when}.", turn=phase.turn, when=content.when(to, zone)),)


def _deadline(context: RulingContext, order: Order) -> None:
    here, to = position(context, context.game), _deadline_of(context, order)
    deadlines.put_off(context, here, open_phase(context), deadlines.Delay(to, cause="moderator"))


def _deadline_of(context: RulingContext, order: Order) -> datetime:
    """The deadline that DEADLINE names, or that EXTEND makes of the one there is."""
    zone, more = context.game.zone, EXTENSION.fullmatch(fold(order.rest).strip())
    if order.word == "EXTEND":
        if more is None:
            raise Broken(msg("Say by how much: EXTEND 48h, or EXTEND 3 days."))
        return open_phase(context).deadline + timedelta(hours=extension(more))
    try:
        return moment(order.rest, zone)
    except ValueError as wrong:
        raise Broken(msg("A deadline reads DEADLINE 2031-05-04 20:00, in the zone {zone}.", zone=zone)) from wrong


def _warn_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    seat_named(context, order.rest.split(" ")[0])
    return ()


def _substitute_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    _, substitute = _substitution(context, order)
    try:
        check_address(substitute)
    except ValueError as wrong:
        raise Broken(msg("The seat cannot be given away: {why}", why=str(wrong))) from wrong
    if barred := moderators.why_barred(context.session, context.game.id, substitute):
        raise Broken(barred)
    playing(context, "running", "held")
    return ()


def _substitute(context: RulingContext, order: Order) -> None:
    seat, substitute = _substitution(context, order)
    asker = Asker(substitute, seat.language, seat.zone)
    takeover.hand_over(context, context.game, seat, asker)


def _substitution(context: RulingContext, order: Order) -> tuple[tables.Seat, str]:
    found = re.fullmatch(r"(\S+)\s+(?:BY|POR)\s+(\S+)", order.rest, re.IGNORECASE)
    if found is None:
        raise Broken(msg("A substitute is named by his address: SUBSTITUTE spain BY somebody@example.org."))
    return seat_named(context, found[1]), found[2]


def _adjudicate_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    if context.game.state not in ("running", "held") or not order.rest:
        raise Broken(msg("A game that is played ends with a result that is named: ADJUDICATE Spain wins."))
    ends = msg("The game ends with that.")
    if context.game.system == chain.CAMP or war_progress.course_of(context, context.game.id) is None:
        return (ends,)
    return ends, _BY_POINTS


_BY_POINTS = msg("It is a battle of a war: for the war it counts as its points stand, whatever result is named [K7].")


def _adjudicate(context: RulingContext, order: Order) -> None:
    why = msg("The moderator has ended the game: {result}", result=order.rest)
    ending.end_game(context, context.game, context.phase, ending.End(why, "adjudicate"))


def _announce_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    if not order.rest:
        raise Broken(msg("There is nothing to announce."))
    return ()


def _ruling_told(context: RulingContext, order: Order) -> Sequence[Msg]:
    number, _ = _appeal_and_ruling(order)
    return appeals.sentences(context.session, context.game, number) if number else ()


def _ruling(context: RulingContext, order: Order) -> None:
    number, text = _appeal_and_ruling(order)
    if number:
        appeals.keep_answer(context.session, context.game, number, text)


def _appeal_and_ruling(order: Order) -> tuple[int, str]:
    """The number of the appeal, 0 if none is named, and what is ruled."""
    found = re.fullmatch(r"(?:A(\d{1,4})\s+)?(\S.*)", order.rest, re.DOTALL | re.IGNORECASE)
    if found is None:
        raise Broken(msg("A ruling says something: RULING A2 and the answer to appeal 2."))
    return int(found[1] or 0), found[2]


def _nothing(context: RulingContext, order: Order) -> None:
    """Make a ruling that changes nothing: its announcement is all."""


def _handed_over(context: RulingContext, order: Order) -> Sequence[Msg]:
    return (
        msg(
            "The seat gets another address. Its new player gets that, the position and all that was queued; the one "
            "before him is told that he has it no more."
        ),
    )


RULINGS: Mapping[str, Ruling] = {
    "PROCESS": Ruling(_process_told, _process, "T3.spain", moves=True),
    "HOLD": Ruling(_hold_told, _hold, moves=True),
    "RESUME": Ruling(_resume_told, _resume, moves=True),
    "DEADLINE": Ruling(_deadline_told, _deadline, "2031-05-04 20:00"),
    "EXTEND": Ruling(_deadline_told, _deadline, "48h"),
    "WARN": Ruling(_warn_told, _nothing, "spain ...", often=10),
    "SUBSTITUTE": Ruling(_substitute_told, _substitute, "spain BY a@b.org", also=_handed_over, often=3),
    "ADJUDICATE": Ruling(_adjudicate_told, _adjudicate, "...", moves=True),
    "ANNOUNCE": Ruling(_announce_told, _nothing, "...", bare=True, often=3),
    "RULING": Ruling(_ruling_told, _ruling, "A2 ...", bare=True, often=10),
    "FORBID": Ruling(press_rulings.forbid_told, press_rulings.forbid, "PRESS spain", often=3),
    "ALLOW": Ruling(press_rulings.allow_told, press_rulings.allow, "PRESS spain", often=3),
    "AWARD": Ruling(awards.award_told, awards.award, "spain 2", moves=True),
    "EDIT": Ruling(corrections.edit_told, corrections.edit, "UNIT ...", moves=True, also=corrections.edit_understood),
    "READJUDICATE": Ruling(readjudication.readjudicate_told, readjudication.readjudicate, "T3.spain", moves=True),
    "BEACON": Ruling(beacon_change.change_told, beacon_change.change, "CHANGE T3.spain none", moves=True),
    "REOPEN": Ruling(reopen.reopen_told, reopen.reopen, "T3.spain", moves=True),
}
"""All rulings by their word; a new ruling is a new row here."""
