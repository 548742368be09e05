"""K7.1 Peace in a camp: SUE FOR PEACE offers the other side to end the war, ACCEPT takes that up before the deadline.

Each asks for a code first, and is a side's word once all its commanders have said it (M5). A side may sue once in a
camp; silence is no. If both sue, the war is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.war.chain import CAMP
from pbem.letters.command_words import Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play import war_progress
from pbem.play.commands import fitting
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.play.commands.table import confirmed, ending
from pbem.play.war_progress import Course
from pbem.store import tables

_SUES, _ACCEPTS = "concede", "draw"
"""What a commander who wants so is kept to have proposed (`tables.Proposal`)."""
_SUE = Form("sue", ("SUE FOR PEACE", "PEDIR LA PAZ"), confirmed.CODE, "SUE FOR PEACE", "PEDIR LA PAZ")
_ACCEPT = Form("accept", ("ACCEPT", "ACEPTAR"), confirmed.CODE, "ACCEPT", "ACEPTAR")


def sue(answer: Answer, command: Line) -> None:
    """Offer peace to the other side; if that has sued already, the war is over and drawn."""
    side, course = answer.seat.side, _course(answer)
    asked = msg(
        "You want to sue for peace for {side}. If the other side accepts, the war is over, and it gets a point of war.",
        side=side,
    )
    if not confirmed.is_so(
        answer, command, _SUE.phrase(answer.seat.language), asked, msg("The line that sues for peace")
    ):
        return
    if not ending.agree(answer, _SUES, _side(answer)):
        answer.say("settings", msg("Your side sues for peace once all its commanders have said so in this camp."))
        return
    sued = [*course.war.sued.split(), side]
    if len(sued) > 1:
        ending.end_by(answer, msg("Both sides have sued for peace."), " ".join((war_progress.PEACE, *sued)))
        return
    course.war.sued = side
    answer.session.add(course.war)
    answer.session.flush()
    answer.say("settings", msg("Your offer is passed on. If it is not accepted by the deadline, the war goes on."))

    def told(zone: str) -> Sequence[Msg]:
        return (
            msg("{side} sues for peace [K7.1].", side=side),
            msg(
                "ACCEPT ends the war as it stands, with a point of war more for you, and nobody wins it decisively. "
                "Nothing has to be done to refuse: with the deadline the offer lapses."
            ),
        )

    answer.announce(told, f"sue {answer.inbox.id}", may_wait=False)


def accept(answer: Answer, command: Line) -> None:
    """Take the offered peace: the war is over."""
    asked = msg("You want to accept the peace that is offered: the war is over then.")
    if confirmed.is_so(
        answer, command, _ACCEPT.phrase(answer.seat.language), asked, msg("The line that accepts the peace")
    ):
        if not ending.agree(answer, _ACCEPTS, _side(answer)):
            answer.say("settings", msg("Your side accepts the peace once all its commanders have said so."))
            return
        sued = _course(answer).war.sued
        why = msg("{side} has accepted the peace that {other} sued for.", side=answer.seat.side, other=sued)
        ending.end_by(answer, why, f"{war_progress.PEACE} {sued}")


def _side(answer: Answer) -> list[tables.Seat]:
    return [seat for seat in answer.seats if seat.side == answer.seat.side]


def _course(answer: Answer) -> Course:
    found = war_progress.course_of(answer, answer.game.id)
    if found is None:
        raise LookupError(f"the camp {answer.game.id} belongs to no war")
    return found


def sue_wrong(answer: Answer, command: Line) -> Mistake | None:
    """There is no camp, or this side has sued in it."""
    if wrong := _no_camp(answer, command):
        return wrong
    if answer.seat.side in _course(answer).war.sued.split():
        return command.wrong(msg("Your side has sued for peace in this camp; it may once."))
    return confirmed.wrong(answer, command, _SUE.phrase(answer.seat.language))


def accept_wrong(answer: Answer, command: Line) -> Mistake | None:
    """There is no camp, or nobody else has sued in it."""
    if wrong := _no_camp(answer, command):
        return wrong
    if not {*_course(answer).war.sued.split()} - {answer.seat.side}:
        return command.wrong(msg("The other side has not sued for peace: there is nothing to accept."))
    return confirmed.wrong(answer, command, _ACCEPT.phrase(answer.seat.language))


def _no_camp(answer: Answer, command: Line) -> Mistake | None:
    if answer.game.system != CAMP:
        return command.wrong(msg("Peace is made in the camps between the battles of a war."))
    if answer.current is None or answer.current.state != "open" or answer.game.state == "over":
        return command.wrong(msg("This camp is over."))
    return None


COMMANDS = (
    Command(_SUE, sue, check=sue_wrong, fits=fitting.has_camp),
    Command(_ACCEPT, accept, check=accept_wrong, fits=fitting.has_camp),
)
