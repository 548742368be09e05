"""E10 What a juror may look at: what both sides of a game know, and nothing that is hidden from either of them.

How the game stands or ended, which deadlines were missed, and where nothing is hidden the report that an onlooker has.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Report
from pbem.engine.terms import ONLOOKER
from pbem.letters import content
from pbem.letters.content import when
from pbem.play import history
from pbem.play.commands.table import ending
from pbem.play.positions import Position, position
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import founding, record


class Evidence(NamedTuple):
    """A block of facts, and the onlooker's report of the newest phase, None where anything is hidden."""

    facts: Json
    report: Report | None = None


def evidence(work: Work, event: tables.Tournament, board: tables.Board, zone: str) -> Evidence | None:
    """What is shown of a board's game to somebody who has no seat in it; None if there is none, or it has not begun."""
    game = queries.games.game(work.session, board.game_id or "")
    if game is None:
        return None
    try:
        here = position(work, game)
    except LookupError:
        return None
    report = None if _is_secret(game) else _report(work, here)
    lines = [*_stands(work, here, zone), *_missed(work, event, board), _shown(here, report)]
    return Evidence(content.sentences(msg("What both sides know"), [(0, line) for line in lines]), report)


def _is_secret(game: tables.Game) -> bool:
    """Whether other tables still have its dice, at which the juror may play."""
    return bool(Terms.read(game.terms).board) and game.state != "over"


def _stands(work: Work, here: Position, zone: str) -> list[Msg]:
    """Whether the game is over and how it ended, or whom it waits for."""
    game = here.game
    if game.state == "over":
        return [msg("{game} is over.", game=game.id), *ending.result(game)]
    phase = queries.phases.open_phase(work.session, game.id)
    if phase is None:
        return [msg("{game} is being played, and is stopped for now.", game=game.id)]
    return [
        msg(
            "{game} is being played, turn {turn}: orders are awaited from {seats} by {when}.",
            game=game.id,
            turn=phase.turn,
            seats=here.active,
            when=when(phase.deadline, zone),
        ),
    ]


def _missed(work: Work, event: tables.Tournament, board: tables.Board) -> list[Msg]:
    """Which side each has, and which deadlines he missed."""
    played = founding.at_tables(work, event)
    names = record.names_of(work.session, event)
    seats = queries.games.seats(work.session, board.game_id or "")
    told = []
    for number, side in zip((board.first, board.second), played.sides, strict=True):
        own = [seat for seat in seats if seat.side == side]
        told.append(
            msg(
                "{who} has {side}; deadlines missed: {count}, in a row by now: {row}.",
                who=names[number],
                side=played.rules.telling.side(side),
                count=sum(seat.strikes for seat in own),
                row=max((seat.missed for seat in own), default=0),
            )
        )
    return told


def _shown(here: Position, report: Report | None) -> Msg:
    """Where the rest is to be seen, or why it is not."""
    if report is None:
        return msg(
            "Of the positions you are shown nothing: who plays does not know all of them, or other tables have "
            "the same dice. Judge by what was written and by what stands here."
        )
    if here.game.state == "over":
        return msg("How it ended is in this letter, as anybody may see it.")
    return msg(
        "How it stands is in this letter, as anybody may see it; OBSERVE {game} brings you what comes.",
        game=here.game.id,
    )


def _report(work: Work, here: Position) -> Report | None:
    """The report of the newest phase that an onlooker has; None where there is none for him."""
    view = here.rules.view(here.state, ONLOOKER)
    if view is None:
        return None
    resolved = queries.phases.resolved(work.session, here.game.id)
    happened = history.events_with_states(work, here.game, resolved[-1]) if resolved else ()
    return here.rules.telling.report(view, ONLOOKER, history.view_events(here.rules, ONLOOKER, happened))
