"""BID: points for a side of one's board, sealed until both have bid or the games begin."""

from __future__ import annotations

import re

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import meant
from pbem.letters.command_words import Form
from pbem.letters.unparsed_lines import Line
from pbem.store import queries, tables
from pbem.tournaments import record
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand

_BID = re.compile(r"(?P<points>\d{1,3}) (?:for|por) (?P<side>\S+)")


def bid(answer: EntrantAnswer, command: Line) -> None:
    """Keep what is bid in the place of what was bid before."""
    board, side, points = _asked(answer, command)
    if board is None:
        raise LookupError(f"nothing to bid for in {answer.event.id}")
    rows = queries.tournaments.bids(answer.session, board.id)
    row = next((one for one in rows if one.entrant == answer.row.number), None)
    row = row or tables.Bid(board_id=board.id or 0, entrant=answer.row.number, side=side, points=points)
    row.side, row.points = side, points
    answer.session.add(row)
    answer.session.flush()
    answer.wake()
    answer.say(
        "settings",
        msg(
            "Your bid is {points} for {side}. Nobody sees it before both have bid or the games begin.",
            points=points,
            side=side,
        ),
    )


def bid_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Only while a board of his waits for bids, and for one of its sides."""
    board, side, _ = _asked(answer, command)
    if board is None:
        return msg("No side is to be bid for in {event} now.", event=answer.event.id)
    if side not in _sides(answer):
        return msg("The sides are: {sides}.", sides=_sides(answer))
    return None


def _sides(answer: EntrantAnswer) -> tuple[str, ...]:
    rules = answer.server.games(answer.event.system)
    start = rules.start(answer.server.edition(answer.session, rules, answer.event.edition))
    return tuple(dict.fromkeys(rules.seats(start).values()))


def _asked(answer: EntrantAnswer, command: Line) -> tuple[tables.Board | None, str, int]:
    """The board of his that waits for bids, the side and the points that he says."""
    found = _BID.fullmatch(command.rest)
    if found is None:
        raise ValueError(f"not what follows BID: {command.rest!r}")
    side = meant(found["side"], answer.server.games(answer.event.system).telling.called)
    return _board(answer), side, int(found["points"])


def _board(answer: EntrantAnswer) -> tables.Board | None:
    rounds = queries.tournaments.rounds(answer.session, answer.event.id)
    if not rounds or rounds[-1].state != "drawn" or record.stage_of(answer.event, rounds[-1].stage).sides != "bid":
        return None
    boards = queries.tournaments.boards(answer.session, rounds[-1].id)
    mine = (one for one in boards if answer.row.number in (one.first, one.second) and one.second)
    return next((one for one in mine if one.game_id is None), None)


COMMANDS = (
    EntrantCommand(
        Form("bid", ("BID", "PUJAR"), _BID, "BID 3 FOR spain", "PUJAR 3 POR spain"),
        bid,
        bid_wrong,
        (msg("BID 3 FOR side: what you would pay for a side of your board, where sides are bid for."),),
        lambda event: any(stage.sides == "bid" for stage in record.rules_of(event).stage),
    ),
)
