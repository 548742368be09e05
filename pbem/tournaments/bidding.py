"""E5.5 Sides that are bid for: asked for with the pairing, sealed, settled when both have bid or the games begin."""

from __future__ import annotations

import re

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import meant
from pbem.letters.commands import Form, Line
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import founding, leaves, post, record
from pbem.tournaments.arithmetic.pairing.drawn import Pair
from pbem.tournaments.arithmetic.stages import Award, Bid, award_sides
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.draw import table_named


def ask_for_bids(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Where sides are bid for, tell those who meet that they may, and until when."""
    if record.stage_of(event, round_.stage).sides != "bid" or round_.starts is None:
        return
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    here, until = founding.at_tables(work, event), round_.starts
    for board in queries.tournaments.boards(work.session, round_.id):
        for number, other in ((board.first, board.second), (board.second, board.first)):
            if not board.second or number not in rows:
                continue
            row = rows[number]
            told = (
                msg("Your opponent is {who}.", who=record.shown_name(rows[other])),
                msg(
                    "The sides are {sides}: bid points for one by {when}, as BID 3 FOR {side}. Nobody sees your bid "
                    "before both have bid or the time is up; the last one counts.",
                    sides=tuple(here.rules.telling.side(side) for side in here.sides),
                    side=here.sides[0],
                    when=when(until, row.zone),
                ),
                msg("Who bids more for a side has it, and what he bid is taken off his points there [E5.5]."),
                msg(
                    "If you bid for different sides each has his, and nobody pays. If only one of you bids he has his "
                    "side for nothing, and the other has what is left [E5.5]."
                ),
                msg(
                    "As drawn you have {side}: so it stays if nobody bids. Of two bids alike for one side that of "
                    "{who} counts.",
                    side=here.rules.telling.side(here.sides[number != board.first]),
                    who=record.shown_name(rows[board.first]),
                ),
            )
            about = msg("Round {number}: bid for a side", number=round_.number)
            said = post.Told(about, told, wanted=2)
            post.to_entrant(work, event, row, said, f"{round_.name} {round_.attempt} bid")


def is_settled(work: Work, round_: tables.Round, board: tables.Board) -> bool:
    """Whether the sides of a board can be settled: both have bid, or the games begin."""
    mine = {one.entrant for one in queries.tournaments.bids(work.session, board.id)}
    return {board.first, board.second} <= mine or (round_.starts is not None and round_.starts <= work.now)


def settle(work: Work, event: tables.Tournament, round_: tables.Round, board: tables.Board) -> tuple[Msg, ...]:
    """Give the sides by what was bid, and return what both are told of it."""
    sides = founding.at_tables(work, event).sides
    rows = queries.tournaments.bids(work.session, board.id)
    bids = [Bid(one.entrant, sides.index(one.side), one.points) for one in rows]
    award = award_sides(Pair(board.board, board.first, board.second), bids)
    swapped = award.first != board.first
    board.first, board.second = award.first, award.second
    board.price = award.amount if award.payer == award.first else -award.amount
    work.session.add(board)
    work.session.flush()
    if swapped:
        named = [table_named(event.id, round_, board.board, board.leg)]
        leaves.note_pair(work, event, round_, (board.board, board.first, board.second), named)
    return _told(award)


def _told(award: Award) -> tuple[Msg, ...]:
    bids = tuple(f"{name} {points}" for name, points in award.why.values.items())
    if not bids:
        return (msg("Nobody bid: the sides are as drawn [E5.5]."),)
    said = msg("Bids: {bids} [E5.5].", bids=bids)
    if not award.amount:
        return said, msg("Nobody pays anything.")
    return said, msg(
        "e{number} pays {points}: so much is taken off his points.", number=award.payer, points=award.amount
    )


# BID: points for a side of one's board, sealed until both have bid or the games begin.


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
    rules = answer.server.plugins.games(answer.event.system)
    start = rules.start(answer.server.edition(answer.session, rules, answer.event.edition))
    return tuple(dict.fromkeys(rules.seats(start).values()))


def _asked(answer: EntrantAnswer, command: Line) -> tuple[tables.Board | None, str, int]:
    """The board of his that waits for bids, the side and the points that he says."""
    found = _BID.fullmatch(command.rest)
    if found is None:
        raise ValueError(f"not what follows BID: {command.rest!r}")
    side = meant(found["side"], answer.server.plugins.games(answer.event.system).telling.called)
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
        lambda answer: any(stage.sides == "bid" for stage in record.rules_of(answer.event).stage),
    ),
)
