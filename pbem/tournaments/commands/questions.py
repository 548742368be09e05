"""STANDINGS, CROSSTABLE, ROUND, WHY RANK, WHY PAIRING: how a tournament goes, and why; nothing is changed by asking.

Entrants ask at the address that they have there; anybody else by naming it (`anonymous_questions`).
"""

from __future__ import annotations

import re

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NOTHING, Form, Line
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, record, sheets, standings, teams
from pbem.tournaments.arithmetic.stages import match_and_board
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand

_ROUND = re.compile(r"(?:r ?(?P<round>\d{1,3}))?")
_PLACE = re.compile(r"(?P<rank>\d{1,4})|e(?P<number>\d{1,4})")


def standing_blocks(work: Work, event: tables.Tournament, language: str) -> list[Json]:
    """How all stand by now, in the stage that is played."""
    seen = standings.seen(work, event)
    title = msg("Standings of {event}", event=event.id)
    return [
        sheets.standings_block(title, seen.table, seen.names, language),
        *teams.members_block(work, event, language),
    ]


def cross_blocks(work: Work, event: tables.Tournament, language: str) -> list[Json]:
    """Who met whom, in the stage that is played."""
    seen = standings.seen(work, event)
    title = msg("Crosstable of {event}", event=event.id)
    return [sheets.crosstable_block(title, seen.table, seen.names, language)]


def round_blocks(work: Work, event: tables.Tournament, number: int, language: str) -> list[Json] | Msg:
    """The boards of a round with what came of them, or why there is none; the newest one that was drawn if 0."""
    found = sheets.drawn_round(work, event, number)
    if isinstance(found, Msg):
        return found
    names = record.names_of(work.session, event)

    def told(board: tables.Board) -> Msg:
        line = sheets.board_line(board, names, language)
        return msg("{game}: {line}", game=board.game_id, line=line) if board.game_id else line

    lines = teams.board_lines(work, event, found, told, language)
    return [content.sentences(msg("Round {number}", number=found.number), lines, whole=True)]


def round_of(rest: str) -> int:
    """The round that is named behind a command; 0 if none is."""
    found = re.search(r"\br ?(\d{1,3})\b", rest)
    return int(found[1]) if found else 0


def tell_standings(answer: EntrantAnswer, command: Line) -> None:
    """How all stand."""
    answer.say("answer", blocks=standing_blocks(answer, answer.event, answer.row.language))


def crosstable(answer: EntrantAnswer, command: Line) -> None:
    """Who met whom in which round."""
    answer.say("answer", blocks=cross_blocks(answer, answer.event, answer.row.language))


def round_(answer: EntrantAnswer, command: Line) -> None:
    """The boards of a round."""
    found = round_blocks(answer, answer.event, round_of(command.rest), answer.row.language)
    if isinstance(found, Msg):
        answer.say("answer", found)
    else:
        answer.say("answer", blocks=found)


def why_this_rank(answer: EntrantAnswer, command: Line) -> None:
    """Why somebody has his rank: by that, by his number, or the asker's own."""
    seen = standings.seen(answer, answer.event)
    wanted = _PLACE.fullmatch(command.rest)
    rows = seen.table.rows
    if wanted is not None and wanted["number"]:
        asked = int(wanted["number"])
        its = contenders.team_numbers(answer, answer.event).get(asked, asked)
        found = [row for row in rows if row.number == its]
    elif wanted is not None and wanted["rank"]:
        found = list(rows[int(wanted["rank"]) - 1 : int(wanted["rank"])]) if int(wanted["rank"]) else []
    else:
        found = [row for row in rows if row.number == contenders.mine(answer, answer.row)]
    if not found:
        answer.say("answer", msg("Nobody stands there. STANDINGS lists who does."))
        return
    why = standings.why(answer, answer.event, found[0].number)
    block = sheets.why_rank(why, seen.names, answer.row.language)
    answer.say("answer", blocks=[block])


def why_this_pairing(answer: EntrantAnswer, command: Line) -> None:
    """Why he meets whom he meets, in the newest round that was drawn or in the one that is named."""
    drawn = sheets.drawn_round(answer, answer.event, round_of(command.rest))
    if isinstance(drawn, Msg):
        answer.say("answer", drawn)
        return
    boards, mine = queries.tournaments.boards(answer.session, drawn.id), contenders.mine(answer, answer.row)
    board = next((one for one in boards if {answer.row.number, mine} & {one.first, one.second}), None)
    if board is None:
        teams = contenders.team_numbers(answer, answer.event)
        board = next((one for one in boards if mine in (teams.get(one.first), teams.get(one.second))), None)
    if board is None:
        answer.say("answer", msg("You were in no draw of that round."))
        return
    names, count = record.names_of(answer.session, answer.event), record.boards_a_match(answer.event)
    pair = standings.pair_of(drawn, match_and_board(board.board, count)[0] if count else board.board)
    why = sheets.why_pairing(pair, names, answer.row.language) if pair is not None else []
    title = msg("Why this pairing, round {number}", number=drawn.number)
    lines = [(0, one) for one in why or [msg("You passed that round of your own will.")]]
    answer.say("answer", blocks=[content.sentences(title, lines, whole=True)])


COMMANDS = (
    EntrantCommand(
        Form("standings", ("STANDINGS", "CLASIFICACION"), NOTHING, "STANDINGS", "CLASIFICACION"),
        tell_standings,
        help=(msg("STANDINGS, CROSSTABLE, ROUND R2: how all stand, who met whom, the boards of a round."),),
    ),
    EntrantCommand(Form("crosstable", ("CROSSTABLE", "CUADRO"), NOTHING, "CROSSTABLE", "CUADRO"), crosstable),
    EntrantCommand(Form("round", ("ROUND", "RONDA"), _ROUND, "ROUND R2", "RONDA R2"), round_),
    EntrantCommand(
        Form(
            "why rank",
            ("WHY RANK", "PORQUE LUGAR"),
            re.compile(rf"(?:{_PLACE.pattern})?"),
            "WHY RANK 3",
            "PORQUE LUGAR 3",
        ),
        why_this_rank,
        help=(msg("WHY RANK 3, WHY PAIRING: why somebody stands there, why you met whom you met, rule by rule."),),
    ),
    EntrantCommand(
        Form("why pairing", ("WHY PAIRING", "PORQUE RIVAL"), _ROUND, "WHY PAIRING", "PORQUE RIVAL"), why_this_pairing
    ),
)
