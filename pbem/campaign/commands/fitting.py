"""What the game at hand has, and this server: HELP lists no command that could only be refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.campaign.base.server import Work
from pbem.campaign.base.terms import Terms
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.questions import hint
from pbem.campaign.turn import desk_block
from pbem.core.game import Game
from pbem.kit.war import chain
from pbem.store import queries


def is_offered(work: Work, name: str) -> bool:
    """Return whether HELP lists a command: for a seat by its game and this server, else by this server alone."""
    if name in _SERVED and not _SERVED[name](work):
        return False
    return not isinstance(work, Answer) or name not in _FITS or _FITS[name](work)


def _rules(answer: Answer) -> Game:
    return answer.server.rules_of(answer.game)


def _terms(answer: Answer) -> Terms:
    return Terms.read(answer.game.terms)


def _has_opponent(answer: Answer) -> bool:
    return any(seat.id != answer.seat.id and not seat.bot for seat in answer.seats)


def _has_press(answer: Answer) -> bool:
    return _has_opponent(answer) and _terms(answer).press != "none"


def _has_camp(answer: Answer) -> bool:
    return answer.game.system == chain.CAMP


def _has_forecast(answer: Answer) -> bool:
    return _rules(answer).forecast is not None


def _has_desk(answer: Answer) -> bool:
    return answer.here is not None and desk_block.can(answer, answer.here)


def _has_tournaments(work: Work) -> bool:
    if isinstance(work, Answer):
        return queries.tournaments.board_of(work.session, work.game.id) is not None
    return queries.tournaments.next_wake(work.session) is not None


_FITS: Mapping[str, Callable[[Answer], bool]] = {
    "done": lambda answer: answer.here is not None and answer.here.by_letter,
    "chart": lambda answer: bool(_rules(answer).rulebook.charts()),
    "odds": _has_forecast,
    "trial": _has_forecast,
    "hint": lambda answer: hint.objection(answer.game, _rules(answer)) is None,
    "desk": _has_desk,
    "extend": lambda answer: _terms(answer).extend_hours > 0,
    "vacation": lambda answer: _terms(answer).vacation_days > 0,
    "here": lambda answer: _has_opponent(answer) and "standby" in _terms(answer).ladder,
    "press": _has_press,
    "say": _has_press,
    "mute": _has_press,
    "unmute": _has_press,
    "report-press": _has_press,
    "draw": _has_opponent,
    "claim": lambda answer: _has_opponent(answer) and _terms(answer).claim_after > 0,
    "sue": _has_camp,
    "accept": _has_camp,
}
"""By name: what a game must have for a command."""

_SERVED: Mapping[str, Callable[[Work], bool]] = {
    "review": lambda work: work.server.reviewer is not None,
    "play": lambda work: work.server.play.who != "off",
    "seek": lambda work: work.server.play.who != "off",
    "standings": _has_tournaments,
    "crosstable": _has_tournaments,
    "round": _has_tournaments,
    "rating": _has_tournaments,
}
"""By name: what this server must have for a command."""
