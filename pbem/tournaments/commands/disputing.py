"""Run DISPUTE, ANSWER, APPEAL and VOTE: raise a dispute, answer it, appeal it, vote as a juror.

The next steps are taken when the tournament is advanced (`tournaments.disputes`).
"""

from __future__ import annotations

import re

from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import Form, Line
from pbem.letters.content import hours, when
from pbem.store import queries, tables
from pbem.tournaments import clocks, disputes, post, record, round_states
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.verdicts import DISPUTED, VOTES, WORDS, next_step, vote_word

_MOST_OPEN = 3
"""Disputes that one entrant may have open at once: a director or a jury decides each by hand."""
_SOON = 36
"""With fewer hours the director is written to at once: the daily letter might come too late."""
_DISPUTE = re.compile(r"(?P<game>[a-z0-9-]{1,20}) (?P<text>\S.{0,400})")
_NUMBER = re.compile(r"d ?(?P<number>\d{1,4})")
_ANSWER = re.compile(r"d ?(?P<number>\d{1,4}) (?P<text>\S.{0,400})")
_VOTE = re.compile(
    rf"d ?(?P<number>\d{{1,4}}) (?P<word>{'|'.join(WORDS)})(?: (?:because|porque) (?P<reason>\S.{{0,300}}))?"
)


def _board(answer: EntrantAnswer, command: Line) -> tables.Board | Msg:
    """Return the board of a dispute, or why it cannot be disputed."""
    match = _DISPUTE.fullmatch(command.rest)
    row = queries.tournaments.board_of(answer.session, match["game"]) if match is not None else None
    if match is None or row is None or row[0].id != answer.event.id:
        return msg("{game} is no table of {event}.", game=match["game"] if match else "-", event=answer.event.id)
    _, round_, board = row
    if answer.row.number not in (board.first, board.second):
        return _not_party_text(answer, match["game"], board)
    limit_hours = record.rules_of(answer.event).disputes.appeal_hours
    if round_.closed is not None and record.later(answer.event, round_.closed, limit_hours) <= answer.now:
        return msg(
            "The round of {game} is closed for longer than {hours} hours: its result stands.",
            game=match["game"],
            hours=limit_hours,
        )
    if board.state == "due" or answer.event.state not in ("playing", "held"):
        return msg("Nothing can be disputed at {game} now.", game=match["game"])
    return board


def _not_party_text(answer: EntrantAnswer, game: str, board: tables.Board) -> Msg:
    """Return who may dispute a table that he does not play at, and his own tables."""
    own_number = answer.row.number
    names = record.names_of(answer.session, answer.event)
    players = tuple(names[number] for number in (board.first, board.second) if number)
    own_games = tuple(
        board.game_id
        for round_ in queries.tournaments.rounds(answer.session, answer.event.id)
        for board in queries.tournaments.boards(answer.session, round_.id)
        if own_number in (board.first, board.second) and board.game_id
    )
    if not own_games:
        return msg("You are not at {game}: only those who sit there dispute it, {who}.", game=game, who=players)
    return msg(
        "You are not at {game}: only those who sit there dispute it, {who}. Yours are {games}.",
        game=game,
        who=players,
        games=own_games,
    )


def dispute_error(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Return why he cannot dispute: not his table, too late, or disputed before."""
    board = _board(answer, command)
    if isinstance(board, Msg):
        return board
    disputes = queries.tournaments.disputes(answer.session, answer.event.id)
    if any(row.board_id == board.id for row in disputes):
        return msg("A dispute about {game} was raised before; APPEAL is what is left of it.", game=board.game_id or "-")
    if sum(row.by == answer.row.number and row.state != "final" for row in disputes) >= _MOST_OPEN:
        return msg("You have {count} disputes open; wait until one is decided.", count=_MOST_OPEN)
    return None


def dispute(answer: EntrantAnswer, command: Line) -> None:
    """Raise a dispute, which goes to the director first and then to a jury."""
    board, event = _board(answer, command), answer.event
    match = _DISPUTE.fullmatch(command.rest)
    if isinstance(board, Msg) or match is None:
        raise ValueError(f"not what follows DISPUTE: {command.rest!r}")
    number = 1 + max((earlier.number for earlier in queries.tournaments.disputes(answer.session, event.id)), default=0)
    hours_left = record.rules_of(event).disputes.director_hours
    until = clocks.later(answer, event, board, hours_left)
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
        _interim_text(
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
    meanwhile = _interim_text(
        answer,
        board,
        msg("The game goes on meanwhile."),
        msg("The game is over; what came of it stands meanwhile."),
    )
    reply = msg("ANSWER D{number} and your words puts your side before the director and the jurors.", number=number)
    _notify_opponent(answer, (row, board), raised, meanwhile, reply)
    if hours_left < _SOON:
        sentences = (
            raised,
            msg("RULING D{number} UPHOLD, DENY or DRAW decides it.", number=number),
            next_step(answer, event, row, event.zone),
        )
        post.mail_director(
            answer, event, post.LetterContent(msg("D{number} is raised", number=number), sentences), f"D{number}"
        )


def _interim_text(answer: EntrantAnswer, board: tables.Board, running: Msg, finished: Msg) -> Msg:
    """Return one of two texts: for a running game, or for a finished one."""
    game = queries.games.game(answer.session, board.game_id or "")
    return finished if game is not None and game.state == "over" else running


def _notify_opponent(answer: EntrantAnswer, case: tuple[tables.Dispute, tables.Board], *sentences: Msg) -> None:
    """Notify the opponent of a dispute or appeal, and of its next step."""
    dispute, board = case
    number = board.second if board.first == answer.row.number else board.first
    opponent = queries.tournaments.entrant(answer.session, answer.event.id, number)
    if opponent is not None:
        step = next_step(answer, answer.event, dispute, opponent.zone)
        about = msg("D{number}, about {game}", number=dispute.number, game=board.game_id or "-")
        letter = post.LetterContent(about, (sentences[0], step, *sentences[1:]))
        post.mail_entrant(answer, answer.event, opponent, letter, f"D{dispute.number} {dispute.state} {number}")


def _dispute_by_number(answer: EntrantAnswer, number: str) -> tables.Dispute | None:
    disputes = queries.tournaments.disputes(answer.session, answer.event.id)
    return next((row for row in disputes if row.number == int(number)), None)


def answer_error(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Return why he cannot answer a dispute: not about him, answered before, or decided."""
    match = _ANSWER.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if row is None:
        return msg("There is no such dispute in {event}.", event=answer.event.id)
    board = answer.session.get_one(tables.Board, row.board_id)
    if answer.row.number not in (board.first, board.second) or row.by in (0, answer.row.number):
        return msg("D{number} is not about you: only the other side answers it.", number=row.number)
    if row.answer:
        return msg("You have answered D{number} already.", number=row.number)
    if row.state not in ("director", "jury"):
        return msg("D{number} is decided; APPEAL D{number} puts it before other jurors in time.", number=row.number)
    return None


def answer_dispute(answer: EntrantAnswer, command: Line) -> None:
    """Put his side of a dispute before the director and the jurors."""
    match = _ANSWER.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if row is None:
        raise ValueError(f"not what follows ANSWER: {command.rest!r}")
    disputes.hear_answer(answer, answer.event, row, command.text.strip().split(maxsplit=2)[-1][:400])
    answer.wake()
    answer.say(
        "settings",
        msg("Your answer to D{number} is put beside what was disputed.", number=row.number),
        next_step(answer, answer.event, row, answer.row.zone),
    )


def appeal_error(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Return why he cannot appeal: not a party, appealed before, or final."""
    match = _NUMBER.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if row is None:
        return msg("There is no dispute {dispute} in {event}.", dispute=command.rest.upper(), event=answer.event.id)
    board = answer.session.get_one(tables.Board, row.board_id)
    if answer.row.number not in (board.first, board.second):
        return msg("You are not at the table of D{number}.", number=row.number)
    return _appeal_objection(answer, row)


def _appeal_objection(answer: EntrantAnswer, row: tables.Dispute) -> Msg | None:
    """Return why a dispute cannot be appealed now; None if it can."""
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
    """Refer a ruling to another jury."""
    match = _NUMBER.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if row is None:
        raise ValueError(f"not what follows APPEAL: {command.rest!r}")
    row.appealed, row.state, row.until = True, "jury", answer.now
    answer.session.add(row)
    answer.session.flush()
    answer.wake()
    rules = record.rules_of(answer.event).disputes
    confirmation = msg("D{number} is put to a jury of others.", number=row.number)
    next_lines = (
        msg(
            "{count} jurors by lot, none of whom was asked before, have {hours} each: most votes decide, and finally.",
            count=rules.jurors,
            hours=hours(rules.jury_hours),
        ),
        msg("Who stays silent is replaced; where nobody is left to vote, what was decided stands."),
    )
    answer.say("settings", confirmation, *next_lines)
    board = answer.session.get_one(tables.Board, row.board_id)
    appealed = msg(
        "{who} has appealed D{number}, about {game}.",
        who=record.shown_name(answer.row),
        number=row.number,
        game=board.game_id or "-",
    )
    _notify_opponent(answer, (row, board), appealed, *next_lines)


def _ballot(answer: EntrantAnswer, command: Line) -> tables.Vote | Msg:
    """Return the vote that he is asked for, or why there is none."""
    match = _VOTE.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if match is None or row is None:
        return msg("There is no such dispute in {event}.", event=answer.event.id)
    votes = [
        vote_row
        for vote_row in queries.tournaments.votes(answer.session, row.id)
        if vote_row.entrant == answer.row.number
    ]
    if not votes:
        return msg("You are no juror of D{number}.", number=row.number)
    last = votes[-1]
    if not row.by and WORDS[match["word"]] not in VOTES:
        return msg("Nobody disputes with another in D{number}: UPHOLD, DENY or DRAW.", number=row.number)
    if last.word in DISPUTED:
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


def vote_error(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Return why he cannot vote: no reason given, not asked, or too late."""
    match = _VOTE.fullmatch(command.rest)
    if match is not None and not match["reason"]:
        return msg("Say why: {line} BECAUSE ...", line=command.text.strip())
    ballot = _ballot(answer, command)
    return ballot if isinstance(ballot, Msg) else None


def vote(answer: EntrantAnswer, command: Line) -> None:
    """Store a juror's vote."""
    match, ballot = _VOTE.fullmatch(command.rest), _ballot(answer, command)
    if match is None or isinstance(ballot, Msg):
        raise ValueError(f"not what follows VOTE: {command.rest!r}")
    ballot.word, ballot.reason = WORDS[match["word"]], match["reason"][:300]
    answer.session.add(ballot)
    answer.session.flush()
    answer.wake()
    vote_text = vote_word(ballot.word, answer.row.language)
    answer.say("settings", msg("Your vote is taken: {word}. Nobody is told how you voted.", word=vote_text))


COMMANDS = (
    EntrantCommand(
        Form("dispute", ("DISPUTE", "DISPUTA"), _DISPUTE, "DISPUTE game words", "DISPUTA partida palabras"),
        dispute,
        dispute_error,
        (msg("DISPUTE game words: put to the director, then to a jury. APPEAL D4: once, after it is ruled."),),
    ),
    EntrantCommand(
        Form("answer", ("ANSWER", "CONTESTAR"), _ANSWER, "ANSWER D4 words", "CONTESTAR D4 palabras"),
        answer_dispute,
        answer_error,
        (msg("ANSWER D4 words: what you say to a dispute about you; director and jurors read both."),),
    ),
    EntrantCommand(Form("appeal", ("APPEAL", "APELAR"), _NUMBER, "APPEAL D4", "APELAR D4"), appeal, appeal_error),
    EntrantCommand(
        Form("vote", ("VOTE", "VOTAR"), _VOTE, "VOTE D4 UPHOLD BECAUSE words", "VOTAR D4 ESTIMAR PORQUE palabras"),
        vote,
        vote_error,
        (msg("VOTE D4 UPHOLD BECAUSE words: for jurors, when they are asked."),),
    ),
)
