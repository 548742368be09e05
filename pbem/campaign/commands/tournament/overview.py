"""STATUS: how a tournament stands for one entrant, with his games and where he writes for each."""

from __future__ import annotations

from pbem.campaign.base import letters
from pbem.campaign.base.command_lines import Line
from pbem.campaign.base.command_words import NOTHING, Form
from pbem.campaign.base.letters import when
from pbem.campaign.commands.tournament.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.campaign.contest import challenges
from pbem.campaign.contest.ladder_sheets import ladder_told
from pbem.core.data.messages import Msg, msg
from pbem.store import queries, tables

__all__ = ["COMMANDS"]

_ROUNDS = {
    "planned": msg("The list of round {number} shuts at {when}."),
    "shut": msg("The list of round {number} is shut; it is drawn at {when}."),
    "drawn": msg("Round {number} is drawn; its games begin at {when}."),
    "playing": msg("Round {number} is played; it ends at {when} at the latest."),
    "closed": msg("Round {number} is over."),
}
_MINE = {
    "in": msg("You play."),
    "waiting": msg("You are on the waiting list."),
    "offered": msg("Something is offered to you: ACCEPT or DECLINE."),
    "withdrawn": msg("You have left it."),
    "left": msg("You are out of it: RETURN brings you back."),
    "expelled": msg("You were expelled from it."),
}


def status(answer: EntrantAnswer, command: Line) -> None:
    """How it stands, what comes next, and one's games."""
    event, row = answer.event, answer.row
    told = [msg("{title} ({event}); you are e{number}.", title=event.title, event=event.id, number=row.number)]
    told.append(_MINE[row.state])
    rounds = queries.tournaments.rounds(answer.session, event.id)
    if event.state == "held":
        told.append(msg("The tournament is held: nothing is drawn until it goes on."))
    elif rounds and event.state == "playing":
        told.append(_round(rounds[-1], row.zone))
    games = [line for one in rounds for line in _games(answer, one, row)]
    here = challenges.here_of(answer, event)
    ladder = [] if isinstance(here, Msg) else [(0, line) for line in ladder_told(here, row)]
    told_in = ((msg("Your games"), games), (msg("The ladder"), ladder))
    blocks = [letters.sentences(title, lines, whole=True) for title, lines in told_in if lines]
    answer.say("status", *told, blocks=blocks)


def _round(round_: tables.Round, zone: str) -> Msg:
    at = {"planned": round_.opens, "shut": round_.draws, "drawn": round_.starts, "playing": round_.ends}
    moment = at.get(round_.state)
    said = _ROUNDS[round_.state]
    if moment is None:
        return msg(said.text, number=round_.number)
    return msg(said.text, number=round_.number, when=when(moment, zone))


def _games(answer: EntrantAnswer, round_: tables.Round, row: tables.Entrant) -> list[tuple[int, Msg]]:
    """The games of an entrant in a round that are played, with the addresses of his seats."""
    found = []
    for board in queries.tournaments.boards(answer.session, round_.id):
        if row.number not in (board.first, board.second) or board.state not in ("due", "playing") or not board.game_id:
            continue
        seats = queries.games.seats(answer.session, board.game_id)
        for seat in seats:
            if seat.person_id == row.person_id:
                address = answer.server.seat_address(seat)
                found.append((0, msg("{game}, {seat}: {address}", game=board.game_id, seat=seat.name, address=address)))
    return found


COMMANDS = (
    EntrantCommand(
        Form("status", ("STATUS", "ESTADO"), NOTHING, "STATUS", "ESTADO"),
        status,
        help=(msg("STATUS: how it stands, and where you write for each of your games."),),
    ),
)
