"""Answer STANDINGS, CROSSTABLE, ROUND, WHY RANK, WHY PAIRING and RULES.

Nothing is changed by asking. Entrants ask at the address that they have there; anybody else by naming the
tournament (`anonymous_questions`).
"""

from __future__ import annotations

import re

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.reception import Answer
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, prospects, record, sheets, standings, teams
from pbem.tournaments.arithmetic.rulebook import rules_below
from pbem.tournaments.arithmetic.stages import match_and_board
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand

# The round, or the place in the table (rank or entrant), that a question names.
_ROUND = re.compile(r"(?:r ?(?P<round>\d{1,3}))?")
_PLACE = re.compile(r"(?P<rank>\d{1,4})|e(?P<number>\d{1,4})")
RULE_NUMBER = re.compile(r"(?:e?\d{1,2}(?:\.\d{1,2})?)?")
"""The number of a rule of tournaments, or nothing: all chapters."""


def standing_blocks(tx: Transaction, event: tables.Tournament, language: str) -> list[Json]:
    """Return the present standings of the present stage."""
    standing = standings.named_table(tx, event)
    title = msg("Standings of {event}", event=event.id)
    return [
        sheets.standings_block(title, standing.table, standing.names, language),
        *teams.members_block(tx, event, language),
    ]


def crosstable_blocks(tx: Transaction, event: tables.Tournament, language: str) -> list[Json]:
    """Return the crosstable of the present stage."""
    standing = standings.named_table(tx, event)
    title = msg("Crosstable of {event}", event=event.id)
    return [sheets.crosstable_block(title, standing.table, standing.names, language)]


def round_blocks(tx: Transaction, event: tables.Tournament, number: int, language: str) -> list[Json] | Msg:
    """Return the boards of a round (0: the newest drawn) with results, or the fault."""
    round_row = sheets.drawn_round(tx, event, number)
    if isinstance(round_row, Msg):
        return round_row
    battle = [(0, line) for line in record.battle_lines(event, round_row)]
    names = record.names_by_number(tx.session, event)

    def board_text(board: tables.Board) -> Msg:
        line = sheets.board_line(board, names, language)
        game = tx.session.get(tables.Game, board.game_id) if board.game_id and not battle else None
        if game is not None and record.stage_of(event, round_row.stage).battle:
            line = msg("{line}; {what}", line=line, what=game.scenario)
        return msg("{game}: {line}", game=board.game_id, line=line) if board.game_id else line

    lines = [*battle, *teams.board_lines(tx, event, round_row, board_text, language)]
    return [content.sentence_block(msg("Round {number}", number=round_row.number), lines, whole=True)]


def round_in_command(rest: str) -> int:
    """Return the round named in a command, or 0."""
    match = re.search(r"\br ?(\d{1,3})\b", rest)
    return int(match[1]) if match else 0


def answer_standings(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with the standings."""
    answer.say("answer", blocks=standing_blocks(answer, answer.event, answer.row.language))


def answer_crosstable(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with the crosstable."""
    answer.say("answer", blocks=crosstable_blocks(answer, answer.event, answer.row.language))


def answer_round(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with the boards of a round."""
    blocks_or_fault = round_blocks(answer, answer.event, round_in_command(command.rest), answer.row.language)
    if isinstance(blocks_or_fault, Msg):
        answer.say("answer", blocks_or_fault)
    else:
        answer.say("answer", blocks=blocks_or_fault)


def answer_why_rank(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with the reasons of a rank: a given one, a number's, or the asker's own."""
    standing = standings.named_table(answer, answer.event)
    match = _PLACE.fullmatch(command.rest)
    rows = standing.table.rows
    if match is not None and match["number"]:
        number = int(match["number"])
        paired_number = contenders.team_numbers(answer, answer.event).get(number, number)
        matching = [row for row in rows if row.number == paired_number]
    elif match is not None and match["rank"]:
        matching = list(rows[int(match["rank"]) - 1 : int(match["rank"])]) if int(match["rank"]) else []
    else:
        matching = [row for row in rows if row.number == contenders.pairing_number(answer, answer.row)]
    if not matching:
        answer.say("answer", msg("Nobody stands there. STANDINGS lists who does."))
        return
    reasons = standings.rank_reasons(answer, answer.event, matching[0].number)
    block = sheets.rank_block(reasons, standing.names, answer.row.language)
    answer.say("answer", blocks=[block])


def answer_why_pairing(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with the reasons of his pairing, in the named or the newest draw."""
    round_row = sheets.drawn_round(answer, answer.event, round_in_command(command.rest))
    if isinstance(round_row, Msg):
        answer.say("answer", round_row)
        return
    boards, own_number = (
        queries.tournaments.boards(answer.session, round_row.id),
        contenders.pairing_number(answer, answer.row),
    )
    board = next((row for row in boards if {answer.row.number, own_number} & {row.first, row.second}), None)
    if board is None:
        team_numbers = contenders.team_numbers(answer, answer.event)
        board = next(
            (row for row in boards if own_number in (team_numbers.get(row.first), team_numbers.get(row.second))), None
        )
    if board is None:
        answer.say("answer", msg("You were in no draw of that round."))
        return
    names, count = record.names_by_number(answer.session, answer.event), record.boards_per_match(answer.event)
    pair = standings.drawn_pair(round_row, match_and_board(board.board, count)[0] if count else board.board)
    reasons = sheets.pairing_reasons(pair, names, answer.row.language) if pair is not None else []
    title = msg("Why this pairing, round {number}", number=round_row.number)
    lines = [(0, sentence) for sentence in reasons or [msg("You passed that round of your own will.")]]
    answer.say("answer", blocks=[content.sentence_block(title, lines, whole=True)])


def rule_blocks(number: str, language: str) -> list[Json]:
    """Return a rule with those below it; without a number all chapters."""
    title = msg("The rules of tournaments; RULES and a number sends those below it")
    if number:
        title = msg("Rule {number}", number=number.upper())
    return [content.texts(title, [(0, line) for line in rules_below(number, language)], whole=True)]


def rules_of_event(server: Server, event: tables.Tournament, number: str, language: str) -> list[Json]:
    """Return a rule with those below it; without a number how it is played, too."""
    how = [] if number else [prospects.how_it_is_played(server, event)]
    return [*how, *rule_blocks(number, language)]


def rules_error(answer: Answer, command: CommandLine) -> Msg | None:
    """Return the refusal of a number that no rule has."""
    return None if rules_below(command.rest, "en") else unknown_rule_text(command.rest)


def unknown_rule_text(number: str) -> Msg:
    """Return the answer to a number that no rule has."""
    return msg("No rule of tournaments has the number {number}; RULES alone lists them.", number=number.upper())


def answer_rules(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with rules of tournaments."""
    answer.say("answer", blocks=rules_of_event(answer.server, answer.event, command.rest, answer.row.language))


COMMANDS = (
    EntrantCommand(
        CommandForm("standings", ("STANDINGS", "CLASIFICACION"), NO_ARGUMENT, "STANDINGS", "CLASIFICACION"),
        answer_standings,
        help=(msg("STANDINGS, CROSSTABLE, ROUND R2: how all stand, who met whom, the boards of a round."),),
    ),
    EntrantCommand(
        CommandForm("crosstable", ("CROSSTABLE", "CUADRO"), NO_ARGUMENT, "CROSSTABLE", "CUADRO"), answer_crosstable
    ),
    EntrantCommand(CommandForm("round", ("ROUND", "RONDA"), _ROUND, "ROUND R2", "RONDA R2"), answer_round),
    EntrantCommand(
        CommandForm(
            "why rank",
            ("WHY RANK", "PORQUE LUGAR"),
            re.compile(rf"(?:{_PLACE.pattern})?"),
            "WHY RANK 3",
            "PORQUE LUGAR 3",
        ),
        answer_why_rank,
        help=(msg("WHY RANK 3, WHY PAIRING: why somebody stands there, why you met whom you met, rule by rule."),),
    ),
    EntrantCommand(
        CommandForm("why pairing", ("WHY PAIRING", "PORQUE RIVAL"), _ROUND, "WHY PAIRING", "PORQUE RIVAL"),
        answer_why_pairing,
    ),
    EntrantCommand(
        CommandForm("rules", ("RULES", "RULE", "REGLAS", "REGLA"), RULE_NUMBER, "RULES E3.10", "REGLAS E3.10"),
        answer_rules,
        rules_error,
        help=(msg("RULES lists the rules of tournaments; RULES E3.10 sends the one that a letter names."),),
    ),
)
