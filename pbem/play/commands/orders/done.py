"""DONE: no more letters of orders in a phase in which each is carried out at once."""

from __future__ import annotations

from pbem.engine.data.messages import msg
from pbem.engine.orders.block import DONE
from pbem.letters.command_words import NOTHING, Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play import deadlines
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.play.positions import last_moment


def done(answer: Answer, command: Line) -> None:
    """The seat gives no more orders in this phase."""
    phase, here = answer.phase, answer.here
    if phase is None or here is None:
        return
    answer.wish("done")
    if answer.game.state == "running":
        deadlines.await_close(answer, here, phase, answer.heard)
    answer.say("settings", msg("You give no more orders in this phase; it ends when all who move in it have said so."))


def done_wrong(answer: Answer, command: Line) -> Mistake | None:
    """Only the seats of an open phase that is resolved letter by letter can be done with it."""
    if answer.here is not None and answer.phase is not None and answer.here.by_letter:
        if answer.active and answer.inbox.internaldate <= last_moment(answer.game, answer.phase):
            return None
        why = msg("It is not your phase, or its deadline is past.")
    else:
        why = msg("Nothing waits for DONE: here all orders of a phase are carried out together.")
    return command.wrong(why)


COMMANDS = (
    Command(
        Form("done", DONE, NOTHING, "DONE", "LISTO"),
        done,
        check=done_wrong,
        help=(msg("DONE: no more letters of orders in this phase, where each is carried out at once."),),
        fits=lambda answer: answer.here is not None and answer.here.by_letter,
    ),
)
