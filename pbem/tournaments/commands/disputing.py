"""DISPUTE, APPEAL, VOTE: what is disputed about a game, and how jurors judge it.

What follows is done when the tournament is looked at next (`tournaments.disputes`).
"""

from __future__ import annotations

import re
from datetime import timedelta

from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import Form, Line
from pbem.letters.content import hours, when
from pbem.store import queries, tables
from pbem.tournaments import post, record, round_states
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.verdicts import VOTES, WORDS, next_step, vote_word

_MOST = 3
"""Disputes that one entrant may have open at once."""
_SOON = 36
"""A director who has fewer hours is written to at once: the letter of the day might come too late."""
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
        return _not_yours(answer, found["game"], board)
    most = record.rules_of(answer.event).disputes.appeal_hours
    if round_.closed is not None and round_.closed + timedelta(hours=most) <= answer.now:
        return msg(
            "The round of {game} is closed for longer than {hours} hours: its result stands.",
            game=found["game"],
            hours=most,
        )
    if board.state == "due" or answer.event.state not in ("playing", "held"):
        return msg("Nothing can be disputed at {game} now.", game=found["game"])
    return board


def _not_yours(answer: EntrantAnswer, game: str, board: tables.Board) -> Msg:
    """Who may dispute a table that he is not at, and at which he is."""
    mine = answer.row.number
    names = record.names_of(answer.session, answer.event)
    who = tuple(names[one] for one in (board.first, board.second) if one)
    own = tuple(
        board.game_id
        for round_ in queries.tournaments.rounds(answer.session, answer.event.id)
        for board in queries.tournaments.boards(answer.session, round_.id)
        if mine in (board.first, board.second) and board.game_id
    )
    if not own:
        return msg("You are not at {game}: only those who sit there dispute it, {who}.", game=game, who=who)
    return msg(
        "You are not at {game}: only those who sit there dispute it, {who}. Yours are {games}.",
        game=game,
        who=who,
        games=own,
    )


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
    left = record.rules_of(event).disputes.director_hours
    until = answer.now + timedelta(hours=left)
    text = command.text.strip().split(maxsplit=2)[-1][:400]
    row = tables.Dispute(
        tournament_id=event.id, number=number, board_id=board.id or 0, by=answer.row.number, text=text, until=until
    )
    round_states.dispute_table(board)
    answer.session.add_all((row, board))
    answer.session.flush()
    answer.wake()
    answer.say(
        "settings",
        msg("Dispute D{number} about {game} is put to the director.", number=number, game=board.game_id or "-"),
        next_step(answer, event, row, answer.row.zone),
        _meanwhile(
            answer,
            board,
            msg("The game goes on meanwhile, and your opponent is told."),
            msg("The game is over; what came of it stands meanwhile, and your opponent is told."),
        ),
    )
    raised = msg(
        "{who} disputes, as D{number}, about {game}: {text}",
        who=record.shown_name(answer.row),
        number=number,
        game=board.game_id or "-",
        text=text,
    )
    meanwhile = _meanwhile(
        answer,
        board,
        msg("The game goes on meanwhile. You need do nothing."),
        msg("The game is over; what came of it stands meanwhile. You need do nothing."),
    )
    _tell_other(answer, (row, board), raised, meanwhile)
    if left < _SOON:
        told = (
            raised,
            msg("RULING D{number} UPHOLD, DENY or DRAW decides it.", number=number),
            next_step(answer, event, row, event.zone),
        )
        post.to_director(answer, event, post.Told(msg("D{number} is raised", number=number), told), f"D{number}")


def _meanwhile(answer: EntrantAnswer, board: tables.Board, goes_on: Msg, over: Msg) -> Msg:
    """What becomes of a game while it is disputed."""
    game = queries.games.game(answer.session, board.game_id or "")
    return over if game is not None and game.state == "over" else goes_on


def _tell_other(answer: EntrantAnswer, case: tuple[tables.Dispute, tables.Board], *told: Msg) -> None:
    """Tell who sits opposite what an entrant did about a dispute, and what comes next."""
    dispute, board = case
    number = board.second if board.first == answer.row.number else board.first
    other = queries.tournaments.entrant(answer.session, answer.event.id, number)
    if other is not None:
        step = next_step(answer, answer.event, dispute, other.zone)
        about = msg("D{number}, about {game}", number=dispute.number, game=board.game_id or "-")
        said = post.Told(about, (told[0], step, *told[1:]))
        post.to_entrant(answer, answer.event, other, said, f"D{dispute.number} {dispute.state} {number}")


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
    return _not_yet(answer, row)


def _not_yet(answer: EntrantAnswer, row: tables.Dispute) -> Msg | None:
    """Why a dispute cannot be appealed now; None if it can."""
    number, until = row.number, when(row.until, answer.row.zone)
    if not row.by:
        return msg(
            "D{number} is about a game that the end of its round cut off: what its jury decides is final.",
            number=number,
        )
    if row.appealed:
        return (
            msg("D{number} was appealed before, and what was decided then is final.", number=number)
            if (row.state != "jury")
            else msg("D{number} was appealed before: a jury decides, and finally.", number=number)
        )
    if row.state == "director":
        return msg("D{number} is not decided yet: the director has it until {when}.", number=number, when=until)
    if row.state == "jury":
        return msg("D{number} is not decided yet: a jury has it.", number=number)
    if row.state != "ruled" or row.until <= answer.now:
        return msg("D{number} is final: it could be appealed until {when}.", number=number, when=until)
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
    rules = record.rules_of(answer.event).disputes
    put = msg("D{number} is put to a jury of others.", number=row.number)
    then = (
        msg(
            "{count} jurors by lot, none of whom was asked before, have {hours} each: most votes decide, and finally.",
            count=rules.jurors,
            hours=hours(rules.jury_hours),
        ),
        msg("Who stays silent is replaced; where nobody is left to vote, what was decided stands."),
    )
    answer.say("settings", put, *then)
    board = answer.session.get_one(tables.Board, row.board_id)
    appealed = msg(
        "{who} has appealed D{number}, about {game}.",
        who=record.shown_name(answer.row),
        number=row.number,
        game=board.game_id or "-",
    )
    _tell_other(answer, (row, board), appealed, *then)


def _ballot(answer: EntrantAnswer, command: Line) -> tables.Vote | Msg:
    """The vote that is wanted of him, or why none is."""
    found = _VOTE.fullmatch(command.rest)
    row = _named(answer, found["number"]) if found else None
    if found is None or row is None:
        return msg("There is no such dispute in {event}.", event=answer.event.id)
    mine = [one for one in queries.tournaments.votes(answer.session, row.id) if one.entrant == answer.row.number]
    if not mine:
        return msg("You are no juror of D{number}.", number=row.number)
    last = mine[-1]
    if last.word in VOTES:
        return msg("You have voted about D{number} already.", number=row.number)
    if row.state != "jury" or last.appeal != row.appealed:
        return msg("D{number} is decided: your vote is not wanted any more.", number=row.number)
    if last.word or last.until <= answer.now:
        return msg(
            "Your time to vote about D{number} was up at {when}, and another is asked.",
            number=row.number,
            when=when(last.until, answer.row.zone),
        )
    return last


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
    told = vote_word(ballot.word, answer.row.language)
    answer.say("settings", msg("Your vote is taken: {word}. Nobody is told how you voted.", word=told))


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
