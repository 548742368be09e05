"""DISPUTE, APPEAL, VOTE: what is disputed about a game, and how jurors judge it.

What follows is done when the tournament is looked at next (`tournaments.disputes`).
"""

from __future__ import annotations

import re
from datetime import timedelta

from pbem.campaign.base.command_lines import Line
from pbem.campaign.base.command_words import Form
from pbem.campaign.base.letters import when
from pbem.campaign.commands.tournament.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.campaign.contest import record
from pbem.core.data.messages import Msg, msg
from pbem.store import queries, tables

__all__ = ["COMMANDS", "WORDS"]

WORDS = {
    "uphold": "UPHOLD", "estimar": "UPHOLD", "deny": "DENY", "desestimar": "DENY", "draw": "DRAW", "tablas": "DRAW",
}  # fmt: skip
"""Votes in both languages, folded."""
_MOST = 3
"""Disputes that one entrant may have open at once."""
_DISPUTE = re.compile(r"(?P<game>[a-z0-9-]{1,20}) (?P<text>\S.{0,400})")
_NUMBER = re.compile(r"d ?(?P<number>\d{1,4})")
_VOTE = re.compile(
    rf"d ?(?P<number>\d{{1,4}}) (?P<word>{'|'.join(WORDS)})(?: (?:because|porque) (?P<reason>\S.{{0,300}}))?"
)


def _board(answer: EntrantAnswer, command: Line) -> tables.Board | Msg:
    """The board that a dispute is about, or why none can be raised about it."""
    found = _DISPUTE.fullmatch(command.rest)
    known = queries.tournaments.board_of(answer.session, found["game"]) if found is not None else None
    if found is None or known is None or known[0].id != answer.event.id:
        return msg("{game} is no table of {event}.", game=found["game"] if found else "-", event=answer.event.id)
    _, round_, board = known
    if answer.row.number not in (board.first, board.second):
        return msg("You are not at {game}.", game=found["game"])
    hours = record.rules_of(answer.event).disputes.appeal_hours
    if round_.closed is not None and round_.closed + timedelta(hours=hours) <= answer.now:
        return msg("The round of {game} is closed for longer than {hours} hours: its result stands.",
                   game=found["game"], hours=hours)  # fmt: skip
    if board.state == "due" or answer.event.state not in ("playing", "held"):
        return msg("Nothing can be disputed at {game} now.", game=found["game"])
    return board


def dispute_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """A table of his own, of a round that is not long closed, not disputed already."""
    board = _board(answer, command)
    if isinstance(board, Msg):
        return board
    known = queries.tournaments.disputes(answer.session, answer.event.id)
    if any(one.board_id == board.id for one in known):
        return msg("A dispute about {game} was raised before; APPEAL is what is left of it.", game=board.game_id or "-")
    if sum(one.by == answer.row.number and one.state != "final" for one in known) >= _MOST:
        return msg("You have {count} disputes open; wait until one is decided.", count=_MOST)
    return None


def dispute(answer: EntrantAnswer, command: Line) -> None:
    """Raise a dispute: the director has it first, then a jury."""
    board, event = _board(answer, command), answer.event
    found = _DISPUTE.fullmatch(command.rest)
    if isinstance(board, Msg) or found is None:
        raise ValueError(f"not what follows DISPUTE: {command.rest!r}")
    number = 1 + max((one.number for one in queries.tournaments.disputes(answer.session, event.id)), default=0)
    hours = record.rules_of(event).disputes.director_hours
    until = answer.now + timedelta(hours=hours)
    text = command.text.strip().split(maxsplit=2)[-1][:400]
    row = tables.Dispute(
        tournament_id=event.id, number=number, board_id=board.id or 0, by=answer.row.number, text=text, until=until
    )
    board.state = "disputed"
    answer.session.add_all((row, board))
    answer.session.flush()
    answer.wake()
    answer.say(
        "settings",
        msg("Dispute D{number} about {game} is put to the director.", number=number, game=board.game_id or "-"),
        msg("If he has not ruled by {when}, a jury by lot decides. The game goes on meanwhile.",
            when=when(until, answer.row.zone)),
    )  # fmt: skip


def _named(answer: EntrantAnswer, number: str) -> tables.Dispute | None:
    known = queries.tournaments.disputes(answer.session, answer.event.id)
    return next((one for one in known if one.number == int(number)), None)


def appeal_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Once, by one of the two, before it is final."""
    found = _NUMBER.fullmatch(command.rest)
    row = _named(answer, found["number"]) if found else None
    if row is None:
        return msg("There is no dispute {dispute} in {event}.", dispute=command.rest.upper(), event=answer.event.id)
    board = answer.session.get_one(tables.Board, row.board_id)
    if answer.row.number not in (board.first, board.second):
        return msg("You are not at the table of D{number}.", number=row.number)
    if row.state != "ruled" or row.appealed or not row.by or row.until <= answer.now:
        return msg("D{number} cannot be appealed now.", number=row.number)
    return None


def appeal(answer: EntrantAnswer, command: Line) -> None:
    """Put what was ruled to a jury of others."""
    found = _NUMBER.fullmatch(command.rest)
    row = _named(answer, found["number"]) if found else None
    if row is None:
        raise ValueError(f"not what follows APPEAL: {command.rest!r}")
    row.appealed, row.state, row.until = True, "jury", answer.now
    answer.session.add(row)
    answer.session.flush()
    answer.wake()
    answer.say(
        "settings", msg("D{number} is put to a jury of others, by lot. What it says is final.", number=row.number)
    )


def _ballot(answer: EntrantAnswer, command: Line) -> tables.Vote | Msg:
    """The vote that is wanted of him, or why none is."""
    found = _VOTE.fullmatch(command.rest)
    row = _named(answer, found["number"]) if found else None
    if found is None or row is None:
        return msg("There is no such dispute in {event}.", event=answer.event.id)
    mine = [one for one in queries.tournaments.votes(answer.session, row.id) if one.entrant == answer.row.number]
    if row.state != "jury" or not mine or mine[-1].word or mine[-1].until <= answer.now:
        return msg("No vote of yours is wanted about D{number} now.", number=row.number)
    return mine[-1]


def vote_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Jurors vote once, while they are asked, and say why."""
    found = _VOTE.fullmatch(command.rest)
    if found is not None and not found["reason"]:
        return msg("Say why: {line} BECAUSE ...", line=command.text.strip())
    vote = _ballot(answer, command)
    return vote if isinstance(vote, Msg) else None


def vote(answer: EntrantAnswer, command: Line) -> None:
    """Judge a dispute."""
    found, ballot = _VOTE.fullmatch(command.rest), _ballot(answer, command)
    if found is None or isinstance(ballot, Msg):
        raise ValueError(f"not what follows VOTE: {command.rest!r}")
    ballot.word, ballot.reason = WORDS[found["word"]], found["reason"][:300]
    answer.session.add(ballot)
    answer.session.flush()
    answer.wake()
    answer.say("settings", msg("Your vote is taken: {word}. Nobody is told how you voted.", word=ballot.word))


COMMANDS = (
    EntrantCommand(
        Form("dispute", ("DISPUTE", "DISPUTA"), _DISPUTE, "DISPUTE game words", "DISPUTA partida palabras"),
        dispute,
        dispute_wrong,
        (msg("DISPUTE game words: put to the director, then to a jury. APPEAL D4: once, after it is ruled."),),
    ),
    EntrantCommand(Form("appeal", ("APPEAL", "APELAR"), _NUMBER, "APPEAL D4", "APELAR D4"), appeal, appeal_wrong),
    EntrantCommand(
        Form("vote", ("VOTE", "VOTAR"), _VOTE, "VOTE D4 UPHOLD BECAUSE words", "VOTAR D4 ESTIMAR PORQUE palabras"),
        vote,
        vote_wrong,
        (msg("VOTE D4 UPHOLD BECAUSE words: for jurors, when they are asked."),),
    ),
)
