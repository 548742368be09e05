"""What came of the boards of a round, a line each, as letters and questions tell it; and which drawn round is meant."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.messages import Msg, msg
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import round_states, sheets

_ALONE = {
    "bye": msg("{who} has a bye: {points}"),
    "half-bye": msg("{who} rested: {points}"),
    "rest": msg("{who} rested: {points}"),
    "forfeit": msg("{who} with nobody opposite: {points}"),
    "absent": msg("{who} was replaced or never came: {points}"),
}
_HOW = {
    "forfeit": msg("by forfeit"),
    "adjudicated": msg("adjudicated"),
}


def drawn_round(work: Work, event: tables.Tournament, number: int) -> tables.Round | Msg:
    """The round of a number, or the newest one if that is 0; why there is none if it is not drawn."""
    drawn = [one for one in queries.tournaments.rounds(work.session, event.id) if one.drawn]
    found = [one for one in drawn if one.number == number] if number else drawn[-1:]
    if not found:
        return msg("Round {number} is not drawn.", number=number) if number else msg("No round is drawn yet.")
    return found[0]


def board_line(board: tables.Board, names: Mapping[int, str], language: str) -> Msg:
    """One board: who sits there, and what came of it."""
    first = names.get(board.first, f"e{board.first}")
    mine, his = (sheets.points(halves, language) for halves in (board.first_halves, board.second_halves))
    if not board.second:
        alone = _ALONE.get(board.how, msg("{who} without an opponent: {points}"))
        return msg(alone.text, who=first, points=mine)
    second = names.get(board.second, f"e{board.second}")
    if board.state not in round_states.DECIDED:
        both = msg("{first} - {second}", first=first, second=second)
        return (
            msg("{both}, disputed", both=both) if board.state == "disputed" else msg("{both}, being played", both=both)
        )
    line = msg("{first} - {second}: {mine} - {his}", first=first, second=second, mine=mine, his=his)
    if board.how == "forfeit" and not board.first_halves + board.second_halves:
        return msg("{line}, neither came", line=line)
    if board.how in _HOW:
        return msg("{line}, {how}", line=line, how=_HOW[board.how])
    return msg("{line}, margin {margin}", line=line, margin=board.margin)
