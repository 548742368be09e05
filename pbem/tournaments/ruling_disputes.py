"""Find the ruling that an entrant disputes, and take it back for a jury.

::

    DISPUTE RULING 7 words      EXPEL, BAR, WARN, AWARD: a jury takes ruling 7 back, or lets it stand
                                ADJUDICATE, CORRECT, FORFEIT: a jury gives the game a result

The director does not decide about his own ruling, but may end the dispute by UNDO 7 at any time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import moment_in_words
from pbem.letters.ruling_records import Ruling, finish_ruling
from pbem.letters.rulings import Rulings
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import entrant_rulings, office_rulings, post, record, round_states, scoring
from pbem.tournaments.entrant_rulings import DirectorContext
from pbem.tournaments.verdicts import record_verdict

_PERSONAL: Rulings[DirectorContext] = Rulings((*entrant_rulings.RULINGS, *office_rulings.RULINGS))
"""The rulings about entrants; those about a game are found by their line."""
# What a ruling's line concerns, to find the dispute that it ends.
_GAME = re.compile(r"(?:ADJUDICATE|CORRECT) (?P<game>\S+) \S+")
_FORFEIT = re.compile(r"FORFEIT E?(?P<one>\d+) R ?(?P<round>\d+)")
_JUDGED = re.compile(r"RULING D ?(?P<number>\d+) .*")


class DisputedRuling(NamedTuple):
    """A disputable line of the docket, and the board whose result it decided."""

    row: tables.Docket
    board: tables.Board | None = None


def ruling_by_number(tx: Transaction, event: tables.Tournament, number: int | None) -> tables.Docket | None:
    """Return the ruling with a number; None if there is none."""
    return next((row for row in queries.tournaments.docket(tx.session, event.id) if row.number == number), None)


def is_taken_back(tx: Transaction, event: tables.Tournament, number: int | None) -> bool:
    """Return whether the director has taken a ruling back."""
    return any(row.line == f"UNDO {number}" for row in queries.tournaments.docket(tx.session, event.id))


def require_newest(
    tx: Transaction, event: tables.Tournament, row: tables.Docket, ruling: Ruling[DirectorContext]
) -> None:
    """Raise UserError if only the last ruling about the same counts, not this."""
    rows = queries.tournaments.docket(tx.session, event.id)
    undone = {other.line for other in rows}
    for other in rows:
        is_later = other.number > row.number and f"UNDO {other.number}" not in undone
        if ruling.last_counts and is_later and _matter(other) == _matter(row):
            raise UserError(
                msg(
                    "Ruling {other} came after ruling {number} and stands: UNDO {other} before.",
                    other=other.number,
                    number=row.number,
                )
            )


def _matter(row: tables.Docket) -> list[str]:
    """Return what a ruling is about: its word, and the game or entrant after it."""
    return re.sub(r"\bE(?=\d)", "", row.line).split()[:2]


def entrants_named_in_ruling(tx: Transaction, event: tables.Tournament, row: tables.Docket) -> list[int]:
    """Return the entrants that a ruling names; for a team, its members."""
    ruling = _PERSONAL.ruling_of(row.line.partition(" ")[0])
    if ruling is None or ruling.form is None or "one" not in ruling.form.groupindex:
        return []
    context = DirectorContext(**tx.context_fields, event=event)
    order = _PERSONAL.read_line(f"{row.line} BECAUSE {row.reason}")
    before = record.numbers_from_column(row.before) if row.line.startswith("EXPEL ") else set()
    return sorted({*office_rulings.numbers_concerned(context, order), *before})


def find_disputable_ruling(
    tx: Transaction, event: tables.Tournament, entrant: tables.Entrant, number: int
) -> DisputedRuling:
    """Return the ruling that an entrant may dispute now.

    Raise UserError, with the reason, if he may not.
    """
    row = ruling_by_number(tx, event, number)
    if row is None:
        last = len(queries.tournaments.docket(tx.session, event.id))
        raise UserError(msg("There is no ruling {number}; the last is {last}.", number=number, last=last))
    if judged := _JUDGED.fullmatch(row.line):
        raise UserError(msg("APPEAL D{number} is how a decided dispute is disputed.", number=int(judged["number"])))
    if is_taken_back(tx, event, number):
        raise UserError(msg("Ruling {number} is taken back already.", number=number))
    earlier = next((row for row in queries.tournaments.disputes(tx.session, event.id) if row.docket == number), None)
    if earlier is not None:
        raise UserError(msg("Ruling {number} was disputed before, as D{other}.", number=number, other=earlier.number))
    until = record.later_on_tournament_clock(event, row.at, record.rules_of(event).disputes.appeal_hours)
    if until <= tx.now:
        deadline = moment_in_words(until, entrant.zone)
        raise UserError(msg("Ruling {number} stands: it could be disputed until {when}.", number=number, when=deadline))
    board = _decided_board(tx, event, entrant, row)
    if board is not None:
        return DisputedRuling(row, board)
    if entrant.number not in entrants_named_in_ruling(tx, event, row):
        raise UserError(msg("Ruling {number} is about neither you nor a game of yours.", number=number))
    ruling = _PERSONAL.ruling_of(row.line.partition(" ")[0])
    if ruling is None or not callable(ruling.undo):
        raise UserError(msg("Nobody can take back what ruling {number} did.", number=number))
    return DisputedRuling(row)


def _decided_board(
    tx: Transaction, event: tables.Tournament, entrant: tables.Entrant, row: tables.Docket
) -> tables.Board | None:
    """Return the entrant's board whose result a ruling decided; None without one."""
    boards: list[tables.Board] = []
    if match := _GAME.fullmatch(row.line):
        boards = [row_of_game[2]] if (row_of_game := queries.tournaments.board_of(tx.session, match["game"])) else []
    elif match := _FORFEIT.fullmatch(row.line):
        round_ = entrant_rulings.round_by_number(tx, event, match["round"])
        losers = {loser.number for loser in entrant_rulings.entrants_by_number(tx, event, match["one"])[1]}
        boards = [
            board
            for board in queries.tournaments.boards(tx.session, round_.id)
            if board.ended.startswith(scoring.FORFEIT) and losers & {board.first, board.second}
        ]
    own = [board for board in boards if entrant.number in (board.first, board.second)]
    if len(own) > 1:
        games = tuple(board.game_id or "-" for board in own)
        raise UserError(
            msg("Ruling {number} decided {games}: DISPUTE and one of them.", number=row.number, games=games)
        )
    if own and own[0].state not in ("playing", *round_states.DECIDED):
        raise UserError(msg("Nothing can be disputed at {game} now.", game=own[0].game_id or "-"))
    return own[0] if own else None


def take_back_ruling(tx: Transaction, event: tables.Tournament, row: tables.Docket, why: str) -> Msg | None:
    """Undo a ruling as UNDO does, and notify all; return what prevents it, or None."""
    order = _PERSONAL.read_line(f"{row.line} BECAUSE {row.reason}")
    context = DirectorContext(**tx.context_fields, event=event)
    undo = order.ruling.undo
    if not callable(undo):
        raise ValueError(f"a ruling that cannot be taken back is disputed: {row.line}")
    try:
        with tx.session.begin_nested():
            require_newest(tx, event, row, order.ruling)
            making = undo(context, order, row.before)
            effects = next(making)
            undone = record_verdict(tx, event, f"UNDO {row.number}", why)
            head = msg("Ruling {number} is taken back: {text}", number=row.number, text=_PERSONAL.message_of(row.line))
            letter = post.LetterContent(msg("a ruling"), (head, *effects))
            post.mail_all(tx, event, lambda _: letter, f"ruling {undone.number}")
            finish_ruling(making)
    except UserError as error:
        # What was changed until then is undone with the savepoint.
        return error.why
    return None
