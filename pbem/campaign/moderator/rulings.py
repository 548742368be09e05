"""The rulings themselves: what each tells everybody, and what it then does to the game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pbem.campaign.base import letters
from pbem.campaign.base.codes import Asker
from pbem.campaign.base.command_words import EXTENSION, hours
from pbem.campaign.base.positions import position
from pbem.campaign.base.server import Broken
from pbem.campaign.commands.seats import takeover
from pbem.campaign.commands.table import appeals, ending
from pbem.campaign.moderator import awards, corrections, readjudication, reopen
from pbem.campaign.people import moderators, outbox
from pbem.campaign.turn import activations, deadlines, holds, phases, resumption
from pbem.campaign.turn.ruling_context import Bench, Order, Ruling, moment, named, open_phase, playing, seat_named
from pbem.core.data.messages import Msg, msg
from pbem.core.orders.lex import fold
from pbem.mail.address import check_address
from pbem.store import tables

__all__ = ["RULINGS"]


def _process_told(bench: Bench, order: Order) -> Sequence[Msg]:
    phase = open_phase(bench)
    if order.rest.casefold() not in (named(phase).casefold(), str(outbox.phase_of(phase)).casefold()):
        raise Broken(msg("The open phase is {phase}; name it: PROCESS {phase}.", phase=named(phase)))
    return (msg("The phase {phase} is closed now, with the orders that are in.", phase=named(phase)),)


def _process(bench: Bench, order: Order) -> None:
    phase = open_phase(bench)
    if bench.game.state == "held":
        bench.game.state, bench.game.held_why = "running", ""
        bench.session.add(bench.game)
        bench.session.flush()
    here = position(bench, bench.game)
    if here.by_letter:
        activations.end(bench.session, here, phase)
    phases.close_and_resolve(bench, here, phase)


def _hold_told(bench: Bench, order: Order) -> Sequence[Msg]:
    playing(bench, "running")
    return (msg("The game is held: no deadline runs until it goes on, and then everybody hears of it."),)


def _hold(bench: Bench, order: Order) -> None:
    holds.stop(bench.session, bench.game, order.because)


def _resume_told(bench: Bench, order: Order) -> Sequence[Msg]:
    to = resumption.resumed_until(bench, bench.game.id)
    if bench.phase is None or to is None:
        return (msg("The game goes on."),)
    when = letters.when(to, bench.game.zone)
    return (msg("The game goes on. The deadline of turn {turn} is {when}.", turn=bench.phase.turn, when=when),)


def _resume(bench: Bench, order: Order) -> None:
    resumption.resume_game(bench, bench.game.id)


def _deadline_told(bench: Bench, order: Order) -> Sequence[Msg]:
    phase, zone, to = open_phase(bench), bench.game.zone, _deadline_of(bench, order)
    if to <= bench.now:
        raise Broken(msg("That moment is past; PROCESS closes a phase at once."))
    playing(bench, "running")
    return (msg("The deadline of turn {turn} is now {when}.", turn=phase.turn, when=letters.when(to, zone)),)


def _deadline(bench: Bench, order: Order) -> None:
    here, to = position(bench, bench.game), _deadline_of(bench, order)
    deadlines.put_off(bench, here, open_phase(bench), to, cause="moderator")


def _deadline_of(bench: Bench, order: Order) -> datetime:
    """The deadline that DEADLINE names, or that EXTEND makes of the one there is."""
    zone, more = bench.game.zone, EXTENSION.fullmatch(fold(order.rest).strip())
    if order.word == "EXTEND":
        if more is None:
            raise Broken(msg("Say by how much: EXTEND 48h, or EXTEND 3 days."))
        return open_phase(bench).deadline + timedelta(hours=hours(more))
    try:
        return moment(order.rest, zone)
    except ValueError as wrong:
        raise Broken(msg("A deadline reads DEADLINE 2031-05-04 20:00, in the zone {zone}.", zone=zone)) from wrong


def _warn_told(bench: Bench, order: Order) -> Sequence[Msg]:
    seat_named(bench, order.rest.split(" ")[0])
    return ()


def _substitute_told(bench: Bench, order: Order) -> Sequence[Msg]:
    _, substitute = _substitution(bench, order)
    try:
        check_address(substitute)
    except ValueError as wrong:
        raise Broken(msg("The seat cannot be given away: {why}", why=str(wrong))) from wrong
    if barred := moderators.barred(bench.session, bench.game.id, substitute):
        raise Broken(barred)
    playing(bench, "running", "held")
    return ()


def _substitute(bench: Bench, order: Order) -> None:
    seat, substitute = _substitution(bench, order)
    asker = Asker(substitute, seat.language, seat.zone)
    takeover.hand_over(bench, bench.game, seat, asker)


def _substitution(bench: Bench, order: Order) -> tuple[tables.Seat, str]:
    found = re.fullmatch(r"(\S+)\s+(?:BY|POR)\s+(\S+)", order.rest, re.IGNORECASE)
    if found is None:
        raise Broken(msg("A substitute is named by his address: SUBSTITUTE spain BY somebody@example.org."))
    return seat_named(bench, found[1]), found[2]


def _adjudicate_told(bench: Bench, order: Order) -> Sequence[Msg]:
    if bench.game.state not in ("running", "held") or not order.rest:
        raise Broken(msg("A game that is played ends with a result that is named: ADJUDICATE Spain wins."))
    return (msg("The game ends with that."),)


def _adjudicate(bench: Bench, order: Order) -> None:
    why = msg("The moderator has ended the game: {result}", result=order.rest)
    ending.end_game(bench, bench.game, bench.phase, why)


def _announce_told(bench: Bench, order: Order) -> Sequence[Msg]:
    if not order.rest:
        raise Broken(msg("There is nothing to announce."))
    return ()


def _ruling_told(bench: Bench, order: Order) -> Sequence[Msg]:
    number, _ = _ruled(order)
    return appeals.answered(bench.session, bench.game, number) if number else ()


def _ruling(bench: Bench, order: Order) -> None:
    number, text = _ruled(order)
    if number:
        appeals.answer(bench.session, bench.game, number, text)


def _ruled(order: Order) -> tuple[int, str]:
    """The number of the appeal, 0 if none is named, and what is ruled."""
    found = re.fullmatch(r"(?:A(\d{1,4})\s+)?(\S.*)", order.rest, re.DOTALL | re.IGNORECASE)
    if found is None:
        raise Broken(msg("A ruling says something: RULING A2 and the answer to appeal 2."))
    return int(found[1] or 0), found[2]


def _nothing(bench: Bench, order: Order) -> None:
    """What is told is all there is to it."""


def _handed_over(bench: Bench, order: Order) -> Sequence[Msg]:
    return (
        msg(
            "The seat gets another address. Its new player gets that, the position and all that was queued; the one "
            "before him is told that he has it no more."
        ),
    )


RULINGS: Mapping[str, Ruling] = {
    "PROCESS": Ruling(_process_told, _process, "PROCESAR", "T3.spain", moves=True),
    "HOLD": Ruling(_hold_told, _hold, "DETENER", moves=True),
    "RESUME": Ruling(_resume_told, _resume, "REANUDAR", moves=True),
    "DEADLINE": Ruling(_deadline_told, _deadline, "PLAZO", "2031-05-04 20:00"),
    "EXTEND": Ruling(_deadline_told, _deadline, "PRORROGAR", "48h"),
    "WARN": Ruling(_warn_told, _nothing, "ADVERTIR", "spain ..."),
    "SUBSTITUTE": Ruling(_substitute_told, _substitute, "SUSTITUIR", "spain BY a@b.org", also=_handed_over),
    "ADJUDICATE": Ruling(_adjudicate_told, _adjudicate, "ADJUDICAR", "...", moves=True),
    "ANNOUNCE": Ruling(_announce_told, _nothing, "ANUNCIAR", "...", bare=True),
    "RULING": Ruling(_ruling_told, _ruling, "DECISION", "A2 ...", bare=True),
    "AWARD": Ruling(awards.award_told, awards.award, "OTORGAR", "spain 2", moves=True),
    "EDIT": Ruling(
        corrections.edit_told, corrections.edit, "CORREGIR", "UNIT ...", moves=True, also=corrections.edit_understood
    ),
    "READJUDICATE": Ruling(
        readjudication.readjudicate_told, readjudication.readjudicate, "RESOLVER", "T3.spain", moves=True
    ),
    "REOPEN": Ruling(reopen.reopen_told, reopen.reopen, "REABRIR", "T3.spain", moves=True),
}
"""By their word. One more ruling is one more row here."""
