"""Make a director's other rulings: ANNOUNCE, AWARD, WARN, private reasons.

::

    ANNOUNCE The hall is closed. ES: La sala cierra.         mailed to all, each in his language
    AWARD 7 0.5 BECAUSE her bye was lost                     points in the standings; AWARD 9 -1 takes one
    WARN 9 BECAUSE rude letters                              an entrant is warned, and all are told
    EXPEL 9 BECAUSE rude letters PRIVATELY see mine of May 3 only e9 reads what follows
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import in_each_language
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine, UndoableRuling
from pbem.letters.rulings import gives_no_reason
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables
from pbem.tournaments import closing, entrant_rulings, post, record, sheets, standings, verdicts
from pbem.tournaments.arithmetic.awards import AMOUNT, half_points_of_amount
from pbem.tournaments.entrant_rulings import ONE, DirectorContext

# Reasons that only those are told whom a ruling names, below the reason for all.


_PRIVATE = re.compile(r"\s*\b(?:PRIVATELY|EN PRIVADO)\b\s*:?\s*")
"""The word between a reason for all and one for those concerned, in capitals, so that prose has none."""


def public_and_private_reason(order: RulingLine) -> tuple[str, str]:
    """Return a ruling's reason for all, and the reason for those concerned."""
    public, *private = _PRIVATE.split(order.because, maxsplit=1)
    return public, "".join(private)


def require_concerned(tx: DirectorContext, order: RulingLine) -> list[tables.Entrant]:
    """Return the entrants that a ruling names.

    Raise UserError if it names none, or if no reason for all stands before the private one.
    """
    if gives_no_reason(public_and_private_reason(order)[0]):
        raise UserError(msg("Give all a reason too, before PRIVATELY."))
    numbers = numbers_concerned(tx, order)
    if not numbers:
        raise UserError(msg("{word} is about nobody alone: leave out PRIVATELY.", word=order.ruling.name))
    rows = queries.tournaments.entrants(tx.session, tx.event.id)
    return [row for row in rows if row.number in numbers]


def numbers_concerned(tx: DirectorContext, order: RulingLine) -> list[int]:
    """Return the numbers of the entrants that a ruling concerns.

    It names them by number, by their game, or by their dispute.
    """
    groups = (order.ruling.form.groupindex if order.ruling.form is not None else {}).keys()
    if {"number", "word"} <= groups:
        known = queries.tournaments.disputes(tx.session, tx.event.id)
        return _players(tx, next(row for row in known if row.number == int(order["number"])))
    game = next((order[name] for name in ("game", "scope") if name in groups), "")
    if record.is_table_name(game):
        _, board = entrant_rulings.table_by_game(tx, tx.event, game)
        return [board.first, board.second]
    parts = [order[name] for name in ("one", "other") if name in groups]
    return [row.number for part in parts for row in entrant_rulings.entrants_by_number(tx, tx.event, part)[1]]


def _players(tx: DirectorContext, dispute: tables.Dispute) -> list[int]:
    board = queries.tournaments.board_of_dispute(tx.session, dispute)
    return [board.first, board.second] if board is not None else []


class RulingNotice(NamedTuple):
    """A ruling to be mailed: its docket row, sentences, and whom it concerns.

    Those it names by `numbers` are told also if they are out, or with `is_told_apart` by another letter, which tells
    more.
    """

    row: tables.Docket
    sentences: Sequence[Msg]
    numbers: Sequence[int]
    is_told_apart: bool

    def block(self, number: int) -> Json:
        """Return the ruling as a block for an entrant, among other rulings."""
        return content.sentence_block(self.sentences[0], [(0, text) for text in self.lines_for(number)[1:]], whole=True)

    def lines_for(self, number: int) -> Sequence[Msg]:
        """Return the ruling for an entrant; only those it names read its private reason."""
        return (*self.sentences, *(verdicts.private_reason_lines(self.row) if number in self.numbers else ()))

    def reaches(self, entrant: tables.Entrant) -> bool:
        """Return whether an entrant is told of the ruling by this letter."""
        if entrant.number in self.numbers:
            return not self.is_told_apart
        return entrant.state in post.RECIPIENT_STATES


def mail_rulings(tx: DirectorContext, notices: Sequence[RulingNotice]) -> None:
    """Mail rulings that one letter made: one letter to each whom any of them reaches."""

    def content_for(entrant: tables.Entrant) -> post.LetterContent:
        mine = [notice for notice in notices if notice.reaches(entrant)]
        if len(mine) == 1:
            return post.LetterContent(msg("a ruling"), mine[0].lines_for(entrant.number))
        blocks = [notice.block(entrant.number) for notice in mine]
        return post.LetterContent(msg("{count} rulings", count=len(mine)), blocks=blocks)

    rows = queries.tournaments.entrants(tx.session, tx.event.id)
    recipients = [entrant for entrant in rows if any(notice.reaches(entrant) for notice in notices)]
    post.mail_each(tx, tx.event, recipients, content_for, f"ruling {notices[-1].row.number}")


def _announce(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Mail an announcement to all; nothing else happens."""
    yield ()


def _announced_texts(tx: DirectorContext, line: RulingLine) -> list[Msg]:
    """Return what readers of each language get; empty if all get the same."""
    english, spanish = (line.ruling.translate_rest(line.rest, language) for language in ("en", "es"))
    if english == spanish:
        return []
    return [msg("In English: {text}", text=english), msg("In Spanish: {text}", text=spanish)]


def _warn(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Warn an entrant or a team, by letter and in the docket."""
    name, _ = entrant_rulings.entrants_by_number(tx, tx.event, line["one"])
    yield (msg("{who} is warned.", who=name),)


def _undo_warning(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    name, _ = entrant_rulings.entrants_by_number(tx, tx.event, line["one"])
    yield (msg("The warning of {who} does not count.", who=name),)


def _award(tx: DirectorContext, line: RulingLine) -> UndoableRuling:
    """Give or take points of a participant in the current stage's standings."""
    event, halves = tx.event, half_points_of_amount(line["amount"])
    entrant_rulings.require_state(event, "playing", "held")
    row = entrant_rulings.participant_by_number(tx, event, line["one"])
    rounds = queries.tournaments.rounds(tx.session, event.id)
    listed = [round_ for round_ in rounds if round_.slate]
    if not listed or rounds[-1].stage != listed[-1].stage:
        raise UserError(msg("Points are given once the list of the stage is shut."))
    if not halves:
        raise UserError(msg("No points are no award."))
    points = in_each_language(partial(sheets.points_text, abs(halves)))
    name = entrant_rulings.participant_name(row)
    yield (
        msg("{who} gets {points} in the standings.", who=name, points=points)
        if halves > 0
        else msg("{who} loses {points} in the standings.", who=name, points=points),
        msg("Pairings go by points won at the boards, as before."),
    )
    # The table counts an award by its stage, so the docket has it before that is counted.
    row_of_award = queries.tournaments.docket(tx.session, event.id)[-1]
    row_of_award.before = str(listed[-1].stage)
    tx.session.add(row_of_award)
    _count_anew(tx)
    return row_of_award.before


def _undo_award(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    entrant_rulings.require_state(tx.event, "playing", "held")
    rounds = queries.tournaments.rounds(tx.session, tx.event.id)
    if before != str(rounds[-1].stage):
        raise UserError(msg("The stage of that award is over: AWARD gives points in the present one."))
    yield (msg("{line} does not count.", line=line.message()),)
    _count_anew(tx)


def _count_anew(tx: DirectorContext) -> None:
    """Compute and mail the newest table again, unless a round is being played.

    Closing that round does so anyway.
    """
    rounds = queries.tournaments.rounds(tx.session, tx.event.id)
    closed = [row for row in rounds if row.state == "closed"]
    tx.session.flush()
    if closed and rounds[-1].state not in ("drawn", "playing") and standings.are_ties_broken(tx, tx.event, closed[-1]):
        closing.resend_standings(
            tx, tx.event, closed[-1], msg("Points were given or taken. The table is counted anew.")
        )


RULINGS = (
    Ruling(
        "ANNOUNCE",
        "ANUNCIAR",
        _announce,
        "...",
        re.compile(r"\S.*", re.DOTALL),
        also=_announced_texts,
        bare=True,
        often=3,
        bilingual=True,
        undo=msg("ANNOUNCE says something else."),
    ),
    Ruling(
        "AWARD",
        "OTORGAR",
        _award,
        "7 0.5",
        re.compile(rf"{ONE} {AMOUNT}"),
        "capitals",
        often=0,
        undo=_undo_award,
    ),
    Ruling("WARN", "ADVERTIR", _warn, "9", re.compile(ONE), "capitals", often=0, each=True, undo=_undo_warning),
)
