"""E2.4 Run choices of battles: asked with the pairing, sealed, then settled."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.audit import vrf
from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import leaves, lots, post, record
from pbem.tournaments.arithmetic.battles import battle_lots, choose_battle
from pbem.tournaments.arithmetic.rules.records import StageRules, battle_word
from pbem.tournaments.bidding import store_bid, waiting_board
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.draw import table_name


def is_asked(stage: StageRules, round_: tables.Round) -> bool:
    """Return whether the two at each table of a round choose their battle."""
    return battle_word(stage, round_.within) == "choice"


def ask_for_choices(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Ask the players of a round for choices, where its battles are chosen."""
    if not is_asked(record.stage_of(event, round_.stage), round_) or round_.starts is None:
        return
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    boards = {board.board: board for board in queries.tournaments.boards(tx.session, round_.id) if board.second}
    for board in boards.values():
        battles = _by_lot(event, round_, board)
        for number, opponent in ((board.first, board.second), (board.second, board.first)):
            row = rows[number]
            sentences = (
                msg("Your opponent is {who}.", who=record.public_entrant_name(rows[opponent])),
                msg(
                    "The battles are {battles}: say by {when} which you like best, as CHOOSE {line}. Those that you "
                    "leave out come after them. Nobody sees your choice before both have chosen or the time is up; "
                    "the last one counts.",
                    battles=battles,
                    line=", ".join(battles[:2]),
                    when=moment_in_words(round_.starts, row.zone),
                ),
                msg(
                    "Each battle counts by the place that it has with the one of you who likes it less, then by the "
                    "places with both together, then by lot, in the order above [E2.4]."
                ),
                msg(
                    "If neither of you chooses you play {battle}; if only one does, the first that he names.",
                    battle=battles[0],
                ),
            )
            about = msg("Round {number}: choose a battle", number=round_.number)
            letter = post.LetterContent(about, sentences, wanted=2)
            post.mail_entrant(tx, event, row, letter, f"{round_.name} {round_.attempt} choice")


def _by_lot(event: tables.Tournament, round_: tables.Round, board: tables.Board) -> tuple[str, ...]:
    """Return the battles of a board, the lowest lot first."""
    lots_by_label = lots.lots_from_secret(vrf.output_of(bytes.fromhex(round_.lots)))
    return tuple(battle_lots(record.stage_of(event, round_.stage).scenarios, lots_by_label, board.board))


def settle_battle(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, legs: Sequence[tables.Board]
) -> tuple[str, tuple[Msg, ...]]:
    """Log and return the battle of a board by its choices, with the text for both."""
    board = legs[0]
    chosen = {row.entrant: row.side.split() for row in queries.tournaments.bids(tx.session, board.id)}
    choices = {number: chosen.get(number, []) for number in (board.first, board.second)}
    battle = choose_battle(_by_lot(event, round_, board), [*choices.values()])
    logged = [battle, *(f"e{number}:{','.join(names) or '-'}" for number, names in choices.items())]
    games = [table_name(event.id, round_, leg.board, leg.leg) for leg in legs]
    leaves.record_pair(tx, event, round_, (board.board, board.first, board.second), games, " ".join(logged))
    rows = {row.number: record.public_entrant_name(row) for row in queries.tournaments.entrants(tx.session, event.id)}
    lines = [
        msg("{who} chose {battles}.", who=rows[number], battles=tuple(names))
        if names
        else msg("{who} chose nothing.", who=rows[number])
        for number, names in choices.items()
    ]
    return battle, (*lines, msg("You play {scenario} [E2.4].", scenario=battle))


# CHOOSE: battles, the best first, sealed until both have chosen or the games begin.


_CHOICE = re.compile(r"[a-z0-9_-]+(?:(?: ?, ?| )[a-z0-9_-]+)*")


def choose(answer: EntrantAnswer, command: CommandLine) -> None:
    """Store his choice in place of an earlier one."""
    board = waiting_board(answer, is_asked)
    if board is None:
        raise LookupError(f"nothing to choose in {answer.event.id}")
    names = _names(command, _battles(answer, board))
    store_bid(answer, board, " ".join(names), 0)
    answer.say(
        "settings",
        msg(
            "Your choice is {battles}. Nobody sees it before both have chosen or the games begin.",
            battles=names,
        ),
    )


def choice_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why a choice is refused: no board waits for one, or battles are not its."""
    board = waiting_board(answer, is_asked)
    if board is None:
        return msg("No battle is to be chosen in {event} now.", event=answer.event.id)
    battles = _battles(answer, board)
    names = _names(command, battles)
    if not {*names} <= {*battles} or len({*names}) < len(names):
        return msg("The battles are {battles}, each once.", battles=battles)
    return None


def _battles(answer: EntrantAnswer, board: tables.Board) -> tuple[str, ...]:
    return _by_lot(answer.event, answer.session.get_one(tables.Round, board.round_id), board)


def _names(command: CommandLine, battles: Sequence[str]) -> tuple[str, ...]:
    """Return the battles that a command names, in its order, written as the rules do."""
    written = {battle.lower(): battle for battle in battles}
    return tuple(written.get(word.lower(), word) for word in command.rest.replace(",", " ").split())


COMMANDS = (
    EntrantCommand(
        CommandForm("choose", ("CHOOSE", "ELEGIR"), _CHOICE, "CHOOSE name, name", "ELEGIR nombre, nombre"),
        choose,
        choice_error,
        (msg("CHOOSE name, name: the battles that you like best, where the two at a table choose theirs."),),
        lambda answer: any("choice" in stage.battle for stage in record.rules_of(answer.event).stage),
    ),
)
