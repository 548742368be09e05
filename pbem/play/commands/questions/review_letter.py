"""REVIEW: the turning points of a game that is over, in a letter of their own.

They take minutes, and are reckoned beside the server by whom the command line hands in (`Server.reviewer`), one game
after another. What is asked for is a row that is due: it looks now and then whether they are there, and writes then; so
nothing is lost when the server stops meanwhile. Who asks again is written to again, in a letter of its own: mail
programs show one that they have already no second time.
"""

from __future__ import annotations

from datetime import timedelta

import structlog

from pbem.engine.data.messages import msg
from pbem.letters import content, outbox
from pbem.letters.command_words import NOTHING, Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command, Often
from pbem.play.commands.questions import turning_points
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes

log = structlog.get_logger(__name__)

DUE = "review"
"""The kind of a row that is due when it is to be seen whether a review is there; its cause is the seat that asked."""
_AGAIN = timedelta(seconds=30)
"""After how long it is looked again."""


def review(answer: Answer, command: Line) -> None:
    """Have the game reviewed, and say that a letter follows."""
    writes.plan(answer.session, answer.game.id, DUE, answer.seat.name, answer.now)
    answer.say(
        "answer",
        msg(
            "What turned the game is being worked out. It takes minutes, or longer if others asked before, and comes "
            "in a letter of its own."
        ),
    )


def review_wrong(answer: Answer, command: Line) -> Mistake | None:
    """A game that is not over, or that cannot be reviewed here."""
    wrong = turning_points.objection(answer, answer.game)
    if wrong is None and answer.server.reviewer is None:
        wrong = msg("This server reviews no games by letter; whoever runs it can do it (pbem review).")
    return None if wrong is None else command.wrong(wrong)


def look(work: Work, due: tables.Due, game: tables.Game) -> bool:
    """Write to who asked for a review if it is there, else look again later; what cannot be made is said."""
    seat = queries.games.seat(work.session, game.id, due.cause)
    reviewer = work.server.reviewer
    if seat is None or reviewer is None or turning_points.objection(work, game) is not None:
        work.session.delete(due)
        return True
    try:
        lines = reviewer.look(game.id)
    except (ValueError, OSError) as fault:
        log.error("a game cannot be reviewed", game=game.id, why=str(fault))
        lines = [[0, msg("It could not be worked out; the operator can read why in the log.").to_json()]]
    if lines is None:
        due.at = work.now + _AGAIN
        work.session.add(due)
        return True
    block = {"title": msg("The turning points").to_json(), "lines": lines, "whole": True}
    head = outbox.head_of(work.server, game, seat, None)
    told = content.Letter("review", head, opening=[msg("The game {game} once more.", game=game.id)], blocks=[block])
    outbox.to_seat(work, told.to_json(), seat, game, cause=f"review {work.now.isoformat()}")
    work.session.delete(due)
    return True


COMMANDS = (
    Command(
        Form("review", ("REVIEW", "REPASO"), NOTHING, "REVIEW", "REPASO"),
        review,
        check=review_wrong,
        often=Often(day=3),
        served=lambda work: work.server.reviewer is not None,
    ),
)
