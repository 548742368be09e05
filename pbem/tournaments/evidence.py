"""E10 Gather evidence for jurors: only facts that both sides of a game know.

The facts are the state or result of the game, missed deadlines, and an observer's report if the game hides nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Report
from pbem.engine.game import view_events
from pbem.engine.terms import ONLOOKER
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.play import history
from pbem.play.game_standing import standing_of
from pbem.play.positions import Position, read_position
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import founding, record


class Evidence(NamedTuple):
    """A block of facts, and an observer's latest report; None if anything is hidden."""

    facts: Json
    report: Report | None = None


def evidence_about_game(tx: Transaction, event: tables.Tournament, board: tables.Board, zone: str) -> Evidence | None:
    """Return the evidence about a board's game; None without a game that has begun."""
    game = queries.games.game(tx.session, board.game_id or "")
    if game is None:
        return None
    try:
        current = read_position(tx, game)
    except LookupError:
        return None
    report = None if _is_secret(game) else _report(tx, current)
    lines = [*_state_lines(tx, current, zone), *_missed_deadlines(tx, event, board), _report_note(current, report)]
    return Evidence(content.sentence_block(msg("What both sides know"), [(0, line) for line in lines]), report)


def _is_secret(game: tables.Game) -> bool:
    """Return whether tables with the same dice, where the juror may play, go on."""
    return bool(Terms.read(game.terms).board) and game.state != "over"


def _state_lines(tx: Transaction, position: Position, zone: str) -> list[Msg]:
    """Return whether the game is over and its result, or the seats it waits for."""
    game, standing = position.game, standing_of(tx, position.game, position)
    if standing.state == "over":
        return [msg("{game} is over.", game=game.id), *standing.result]
    if standing.deadline is None:
        return [msg("{game} is being played, and is stopped for now.", game=game.id)]
    return [
        msg(
            "{game} is being played, turn {turn}: orders are awaited from {seats} by {when}.",
            game=game.id,
            turn=standing.turn,
            seats=standing.active,
            when=moment_in_words(standing.deadline, zone),
        ),
    ]


def _missed_deadlines(tx: Transaction, event: tables.Tournament, board: tables.Board) -> list[Msg]:
    """Return each player's side and missed deadlines."""
    at_tables = founding.table_game(tx, event)
    names = record.names_by_number(tx.session, event)
    seats = queries.games.seats(tx.session, board.game_id or "")
    lines = []
    for number, side in zip((board.first, board.second), at_tables.sides, strict=True):
        player_seats = [seat for seat in seats if seat.side == side]
        lines.append(
            msg(
                "{who} has {side}; deadlines missed: {count}, in a row by now: {row}.",
                who=names[number],
                side=at_tables.rules.telling.side(side),
                count=sum(seat.strikes for seat in player_seats),
                row=max((seat.missed for seat in player_seats), default=0),
            )
        )
    return lines


def _report_note(position: Position, report: Report | None) -> Msg:
    """Return the sentence on where the observer's report is, or why it is hidden."""
    if report is None:
        return msg(
            "Of the positions you are shown nothing: who plays does not know all of them, or other tables have "
            "the same dice. Judge by what was written and by what stands here."
        )
    if position.game.state == "over":
        return msg("How it ended is in this letter, as anybody may see it.")
    return msg(
        "How it stands is in this letter, as anybody may see it; OBSERVE {game} brings you what comes.",
        game=position.game.id,
    )


def _report(tx: Transaction, position: Position) -> Report | None:
    """Return an observer's report of the newest phase; None if there is none."""
    view = position.rules.view(position.state, ONLOOKER)
    if view is None:
        return None
    resolved = queries.phases.resolved_phases(tx.session, position.game.id)
    happened = history.events_with_states(tx, position.game, resolved[-1]) if resolved else ()
    return position.rules.telling.report(view, ONLOOKER, view_events(position.rules, ONLOOKER, happened))
