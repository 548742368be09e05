"""E5.5 Run bids for sides: asked with the pairing, sealed, then settled."""

from __future__ import annotations

import re
from collections.abc import Callable

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import id_of_name
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import founding, leaves, post, record
from pbem.tournaments.arithmetic.pairing.drawn import Pair
from pbem.tournaments.arithmetic.rules.records import StageRules
from pbem.tournaments.arithmetic.stages import SideAward, SideBid, award_sides
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.draw import table_name


def ask_for_bids(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Ask the players of a round for bids, where its sides are bid for."""
    if record.stage_of(event, round_.stage).sides != "bid" or round_.starts is None:
        return
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    setup, deadline = founding.table_game(tx, event), round_.starts
    for board in queries.tournaments.boards(tx.session, round_.id):
        for number, opponent in ((board.first, board.second), (board.second, board.first)):
            if not board.second or number not in rows:
                continue
            row = rows[number]
            sentences = (
                msg("Your opponent is {who}.", who=record.public_entrant_name(rows[opponent])),
                msg(
                    "The sides are {sides}: bid points for one by {when}, as BID 3 FOR {side}. Nobody sees your bid "
                    "before both have bid or the time is up; the last one counts.",
                    sides=tuple(setup.rules.telling.side(side) for side in setup.sides),
                    side=setup.sides[0],
                    when=moment_in_words(deadline, row.zone),
                ),
                msg("Who bids more for a side has it, and what he bid is taken off his points there [E5.5]."),
                msg(
                    "If you bid for different sides each has his, and nobody pays. If only one of you bids he has his "
                    "side for nothing, and the other has what is left [E5.5]."
                ),
                msg(
                    "As drawn you have {side}: so it stays if nobody bids. Of two bids alike for one side that of "
                    "{who} counts.",
                    side=setup.rules.telling.side(setup.sides[number != board.first]),
                    who=record.public_entrant_name(rows[board.first]),
                ),
            )
            about = msg("Round {number}: bid for a side", number=round_.number)
            letter = post.LetterContent(about, sentences, wanted=2)
            post.mail_entrant(tx, event, row, letter, f"{round_.name} {round_.attempt} bid")


def can_settle_sides(tx: Transaction, round_: tables.Round, board: tables.Board) -> bool:
    """Return whether both have bid for a board or chosen, or games begin."""
    bidders = {bid_row.entrant for bid_row in queries.tournaments.bids(tx.session, board.id)}
    return {board.first, board.second} <= bidders or (round_.starts is not None and round_.starts <= tx.now)


def award_board_sides(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, board: tables.Board
) -> tuple[Msg, ...]:
    """Award the sides of a board by its bids, and return the text for both."""
    sides = founding.table_game(tx, event).sides
    rows = queries.tournaments.bids(tx.session, board.id)
    bids = [SideBid(row.entrant, sides.index(row.side), row.points) for row in rows]
    award = award_sides(Pair(board.board, board.first, board.second), bids)
    swapped = award.first != board.first
    board.first, board.second = award.first, award.second
    board.price = award.amount if award.payer == award.first else -award.amount
    tx.session.add(board)
    tx.session.flush()
    if swapped:
        names = [table_name(event.id, round_, board.board, board.leg)]
        leaves.record_pair(tx, event, round_, (board.board, board.first, board.second), names)
    return _award_lines(award)


def _award_lines(award: SideAward) -> tuple[Msg, ...]:
    bids = tuple(f"{name} {points}" for name, points in award.why.values.items())
    if not bids:
        return (msg("Nobody bid: the sides are as drawn [E5.5]."),)
    sentence = msg("Bids: {bids} [E5.5].", bids=bids)
    if not award.amount:
        return sentence, msg("Nobody pays anything.")
    return sentence, msg(
        "e{number} pays {points}: so much is taken off his points.", number=award.payer, points=award.amount
    )


# BID: points for a side of one's board, sealed until both have bid or the games begin.


# A bid: points, and the side wanted.
# Up to three digits, as no battle is decided by a thousand points. A choice.
_BID = re.compile(r"(?P<points>\d{1,3}) (?:for|por) (?P<side>\S+)")


def answer_bid(answer: EntrantAnswer, command: CommandLine) -> None:
    """Store his bid in place of an earlier one."""
    board, side, points = _read_bid(answer, command)
    if board is None:
        raise LookupError(f"nothing to bid for in {answer.event.id}")
    store_bid(answer, board, side, points)
    answer.say(
        "settings",
        msg(
            "Your bid is {points} for {side}. Nobody sees it before both have bid or the games begin.",
            points=points,
            side=side,
        ),
    )


def store_bid(answer: EntrantAnswer, board: tables.Board, side: str, points: int) -> None:
    """Store an entrant's bid or choice for his board in place of an earlier one."""
    rows = queries.tournaments.bids(answer.session, board.id)
    row = next((bid_row for bid_row in rows if bid_row.entrant == answer.row.number), None)
    row = row or tables.Bid(board_id=board.id or 0, entrant=answer.row.number, side=side, points=points)
    row.side, row.points = side, points
    answer.session.add(row)
    answer.session.flush()
    answer.wake()


def bid_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why a bid is refused: no board waits for bids, or it lacks the side."""
    board, side, _ = _read_bid(answer, command)
    if board is None:
        return msg("No side is to be bid for in {event} now.", event=answer.event.id)
    if side not in _sides(answer):
        return msg("The sides are: {sides}.", sides=_sides(answer))
    return None


def _sides(answer: EntrantAnswer) -> tuple[str, ...]:
    rules = answer.server.plugins.games(answer.event.system)
    start = rules.start(answer.server.edition(answer.session, rules, answer.event.edition))
    return tuple(dict.fromkeys(rules.seats(start).values()))


def _read_bid(answer: EntrantAnswer, command: CommandLine) -> tuple[tables.Board | None, str, int]:
    """Return his board that waits for bids, with the side and points of the command."""
    match = _BID.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows BID: {command.rest!r}")
    side = id_of_name(match["side"], answer.server.plugins.games(answer.event.system).telling.called)
    board = waiting_board(answer, lambda stage, _: stage.sides == "bid")
    return board, side, int(match["points"])


def waiting_board(answer: EntrantAnswer, is_asked: Callable[[StageRules, tables.Round], bool]) -> tables.Board | None:
    """Return his board of the newest round that waits for such a letter of his."""
    rounds = queries.tournaments.rounds(answer.session, answer.event.id)
    if not rounds or rounds[-1].state != "drawn":
        return None
    if not is_asked(record.stage_of(answer.event, rounds[-1].stage), rounds[-1]):
        return None
    boards = queries.tournaments.boards(answer.session, rounds[-1].id)
    own_boards = (board for board in boards if answer.row.number in (board.first, board.second) and board.second)
    return next((board for board in own_boards if board.game_id is None), None)


COMMANDS = (
    EntrantCommand(
        CommandForm("bid", ("BID", "PUJAR"), _BID, "BID 3 FOR spain", "PUJAR 3 POR spain"),
        answer_bid,
        bid_error,
        (msg("BID 3 FOR side: what you would pay for a side of your board, where sides are bid for."),),
        lambda answer: any(stage.sides == "bid" for stage in record.rules_of(answer.event).stage),
    ),
)
