"""PUBLISH: whether the game may be shown on the server's pages, and under which name."""

from __future__ import annotations

import re

from pbem.engine.data.messages import msg
from pbem.engine.orders.lex import fold
from pbem.engine.terms import ONLOOKER
from pbem.letters.command_words import Form
from pbem.letters.unparsed_lines import Line
from pbem.play import publicity, seating
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.store import queries, writes

_WHAT = re.compile(r"(?P<what>on|off|press|si|no|prensa)(?: (?:as|como) (?P<name>[\w][\w' .-]{0,39}))?")
_OFF = ("off", "no")
_PRESS = ("press", "prensa")


def publish(answer: Answer, command: Line) -> None:
    """Agree to the game being shown, or not any more; press goes with it only where that is said."""
    wanted = _WHAT.fullmatch(fold(command.rest))
    if wanted is None:
        raise ValueError(f"not what follows PUBLISH: {command.rest!r}")
    if wanted["what"] in _OFF:
        writes.change(answer.session, answer.seat, published=publicity.NOTHING, pen_name="")
        answer.say(
            "settings", msg("The game is shown to nobody any more; what was copied of it cannot be called back.")
        )
        return
    press = wanted["what"] in _PRESS
    # As he wrote it, with its capitals and accents.
    name = seating.plain(command.said.split(maxsplit=2)[2]) if wanted["name"] else ""
    writes.change(answer.session, answer.seat, published=publicity.PRESS if press else publicity.GAME, pen_name=name)
    seats = queries.games.seats(answer.session, answer.game.id)
    answer.say("settings", msg("You agree to the game being shown on this server's pages, once all who play it do."))
    if press:
        answer.opening.append(msg("What you write to other players is shown with it, once the game is over."))
    if name:
        answer.opening.append(msg("You are called {name} there.", name=name))
    else:
        answer.opening.append(
            msg(
                "You are called {name} there; PUBLISH ON AS and a name gives you another.",
                name=publicity.player_names(answer.server.key, seats)[answer.seat.name],
            )
        )
    if others := publicity.waited_for(seats):
        answer.opening.append(msg("These have not agreed: {seats}.", seats=others))
    if answer.here is not None and answer.here.rules.view(answer.here.state, ONLOOKER) is None:
        answer.opening.append(msg("While it goes on nothing of it is shown but that it does: not all may be known."))


COMMANDS = (
    Command(
        Form("publish", ("PUBLISH", "PUBLICAR"), _WHAT, "PUBLISH ON", "PUBLICAR SI"),
        publish,
    ),
)
