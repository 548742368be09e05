"""What the game at hand must have for a command, and this server: HELP lists none that could only be refused."""

from __future__ import annotations

from pbem.engine.war import chain
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries


def is_offered(work: Work, command: Command) -> bool:
    """Return whether HELP lists a command: for a seat by its game and this server, else by this server alone."""
    if command.served is not None and not command.served(work):
        return False
    return not isinstance(work, Answer) or command.fits is None or command.fits(work)


def terms_of(answer: Answer) -> Terms:
    """Return the terms of the game."""
    return Terms.read(answer.game.terms)


def has_opponent(answer: Answer) -> bool:
    """Return whether anybody else plays, other than bots."""
    return any(seat.id != answer.seat.id and not seat.bot for seat in answer.seats)


def has_press(answer: Answer) -> bool:
    """Return whether letters are passed on to anybody."""
    return has_opponent(answer) and terms_of(answer).press != "none"


def has_camp(answer: Answer) -> bool:
    """Return whether peace can be made: in the camps of a war alone."""
    return answer.game.system == chain.CAMP


def has_forecast(answer: Answer) -> bool:
    """Return whether the game reckons odds."""
    return answer.server.rules_of(answer.game).forecast is not None


def has_tournament(work: Work) -> bool:
    """Return whether the game is of a tournament; for others, whether one goes on here."""
    if isinstance(work, Answer):
        return queries.tournaments.board_of(work.session, work.game.id) is not None
    return queries.tournaments.next_wake(work.session) is not None


def founds_games(work: Work) -> bool:
    """Return whether games are set up by letter here."""
    return work.server.play.who != "off"
