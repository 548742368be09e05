"""Run DISPUTE, CLAIM, ANSWER, APPEAL and VOTE of entrants and jurors.

The next steps are taken when the tournament is advanced (`tournaments.disputes`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import hours_in_words, moment_in_words
from pbem.mail.address import GAME_ID
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables
from pbem.tournaments import clocks, disputes, post, record, round_states
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.ruling_disputes import DisputedRuling, find_disputable_ruling
from pbem.tournaments.verdicts import (
    DISPUTED,
    WORDS,
    next_step_of_dispute,
    vote_in_language,
    vote_words,
    votes_on,
    wrong_vote_text,
)

_MOST_OPEN = 3
"""Disputes that one entrant may have open at once: a director or a jury decides each by hand."""
_SOON = 36
"""With fewer hours left, the director is written to at once: the daily letter might come too late."""
# The lines of disputes and claims. A text of theirs has at most 401 characters: it is quoted in letters.
# Numbers are bounded well above those of any tournament, so that their columns hold them. A choice.
_DISPUTE = re.compile(
    rf"(?:(?:ruling|decision|fallo) (?P<ruling>\d{{1,5}})|(?P<game>{GAME_ID})) (?P<text>\S.{{0,400}})"
)
_CLAIM = re.compile(rf"(?P<game>{GAME_ID}) (?:(?P<win>win|victoria)|draw|tablas) (?P<text>\S.{{0,400}})")
_NUMBER = re.compile(r"d ?(?P<number>\d{1,4})")
_ANSWER = re.compile(r"d ?(?P<number>\d{1,4}) (?P<text>\S.{0,400})")
_VOTE = re.compile(
    rf"d ?(?P<number>\d{{1,4}}) (?P<word>{'|'.join(WORDS)})(?: (?:because|porque) (?P<reason>\S.{{0,300}}))?"
)


def _board(answer: EntrantAnswer, game: str) -> tables.Board | Msg:
    """Return the board of a dispute, or why it cannot be disputed."""
    row = queries.tournaments.board_of(answer.session, game)
    if row is None or row[0].id != answer.event.id:
        return msg("{game} is no table of {event}.", game=game, event=answer.event.id)
    _, round_, board = row
    if answer.row.number not in (board.first, board.second):
        return _not_party_text(answer, game, board)
    limit_hours = record.rules_of(answer.event).disputes.appeal_hours
    if (
        round_.closed is not None
        and record.later_on_tournament_clock(answer.event, round_.closed, limit_hours) <= answer.now
    ):
        return msg(
            "The round of {game} is closed for longer than {hours} hours: its result stands.",
            game=game,
            hours=limit_hours,
        )
    if board.state == "due" or answer.event.state not in ("playing", "held"):
        return msg("Nothing can be disputed at {game} now.", game=game)
    return board


def _not_party_text(answer: EntrantAnswer, game: str, board: tables.Board) -> Msg:
    """Return who may dispute a table that he does not play at, and his own tables."""
    own_number = answer.row.number
    names = record.names_by_number(answer.session, answer.event)
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


def _find_subject(answer: EntrantAnswer, command: CommandLine) -> DisputedRuling | tables.Board | Msg:
    """Return the ruling or board that a letter disputes, or why it cannot be."""
    match = _DISPUTE.fullmatch(command.rest)
    if match is None:
        return msg("Name a table of yours, or RULING and a number.")
    if not match["ruling"]:
        return _board(answer, match["game"])
    if answer.event.state not in ("playing", "held"):
        return msg("Rulings are disputed while {event} is played.", event=answer.event.id)
    try:
        return find_disputable_ruling(answer, answer.event, answer.row, int(match["ruling"]))
    except UserError as error:
        return error.why


def dispute_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why a dispute is refused: not his table, too late, or disputed before."""
    disputed = _find_subject(answer, command)
    if isinstance(disputed, Msg):
        return disputed
    rows = queries.tournaments.disputes(answer.session, answer.event.id)
    if isinstance(disputed, tables.Board):
        mine = [row for row in rows if row.board_id == disputed.id]
        if any(row.docket is None and not row.claim for row in mine):
            game = disputed.game_id or "-"
            return msg("A dispute about {game} was raised before; APPEAL is what is left of it.", game=game)
        if open_text := _open_text(mine, disputed):
            return open_text
    return _too_many_text(answer, rows)


def _open_text(rows: Sequence[tables.Dispute], board: tables.Board) -> Msg | None:
    """Return the error that a table has an open dispute; None if it has none."""
    row = next((row for row in rows if row.state != "final"), None)
    if row is None:
        return None
    return msg(
        "D{number} about {game} is open: wait until it is decided.", number=row.number, game=board.game_id or "-"
    )


def _too_many_text(answer: EntrantAnswer, rows: Sequence[tables.Dispute]) -> Msg | None:
    if sum(row.by == answer.row.number and row.state != "final" for row in rows) >= _MOST_OPEN:
        return msg("You have {count} disputes open; wait until one is decided.", count=_MOST_OPEN)
    return None


def dispute(answer: EntrantAnswer, command: CommandLine) -> None:
    """Dispute a game before the director, or his ruling before a jury."""
    disputed = _find_subject(answer, command)
    if isinstance(disputed, Msg):
        raise ValueError(f"not what follows DISPUTE: {command.rest!r}")
    row = _new_dispute(answer)
    if isinstance(disputed, tables.Board):
        row.board_id, row.text = disputed.id, _words_after(command, 2)
        _raise_dispute(answer, row, disputed)
        return
    row.board_id = disputed.board.id if disputed.board is not None else None
    row.docket, row.text, row.state, row.until = disputed.row.number, _words_after(command, 3), "jury", answer.now
    _raise_dispute(answer, row, disputed.board)


def _words_after(command: CommandLine, count: int) -> str:
    """Return what is written after the first words of a command."""
    # Cut anew: the pattern has bounded the folded text, which may have another length.
    return command.text.strip().split(maxsplit=count)[-1][:400]


def _new_dispute(answer: EntrantAnswer) -> tables.Dispute:
    rows = queries.tournaments.disputes(answer.session, answer.event.id)
    number = 1 + max((earlier.number for earlier in rows), default=0)
    return tables.Dispute(tournament_id=answer.event.id, number=number, by=answer.row.number, text="", until=answer.now)


def _raise_dispute(answer: EntrantAnswer, row: tables.Dispute, board: tables.Board | None) -> None:
    """Store and confirm a dispute, and notify the other side.

    The director is notified at once if time is short.
    """
    event, hours_left = answer.event, record.rules_of(answer.event).disputes.director_hours
    if row.state == "director":
        row.until = clocks.later_on_board_clock(answer, event, board, hours_left)
    if board is not None:
        round_states.dispute_table(board)
        answer.session.add(board)
    answer.session.add(row)
    answer.session.flush()
    answer.wake()
    about = disputes.disputed_game_or_ruling(row, board)
    put = msg("Dispute D{number} about {game} is put to the director.", number=row.number, game=about)
    if row.state == "jury":
        put = msg("Dispute D{number} about {game} is put to a jury by lot.", number=row.number, game=about)
    texts = (
        msg("The game goes on meanwhile, and your opponent is told."),
        msg("The game is over; what came of it stands meanwhile, and your opponent is told."),
    )
    meanwhile = _interim_text(answer, board, *texts) if board is not None else msg("The ruling stands meanwhile.")
    answer.say("settings", put, next_step_of_dispute(answer, event, row, answer.row.zone), meanwhile)
    raised = _raised_text(answer, row, about)
    if board is not None:
        texts = (msg("The game goes on meanwhile."), msg("The game is over; what came of it stands meanwhile."))
        meanwhile = _interim_text(answer, board, *texts)
    reply = msg("ANSWER D{number} and your words puts your side before the director and the jurors.", number=row.number)
    _notify_opponents(answer, row, raised, meanwhile, reply)
    if row.state == "jury" or hours_left < _SOON:
        words = vote_words(row)
        decide = msg("RULING D{number} with one of {words} decides it.", number=row.number, words=words)
        if row.state == "jury":
            decide = msg("UNDO {number} takes the ruling back, and settles it.", number=row.docket or 0)
        sentences = (raised, decide, next_step_of_dispute(answer, event, row, event.zone))
        letter = post.LetterContent(msg("D{number} is raised", number=row.number), sentences)
        post.mail_director(answer, event, letter, f"D{row.number}")


def _raised_text(answer: EntrantAnswer, row: tables.Dispute, about: str | Msg) -> Msg:
    """Return what an entrant disputes or claims, in his own words."""
    who = record.public_entrant_name(answer.row)
    values = {"who": who, "number": row.number, "game": about, "text": row.text}
    if not row.claim:
        return msg("{who} disputes, as D{number}, about {game}: {text}", **values)
    if row.claim == "win":
        return msg("{who} claims, as D{number}, to have won {game}: {text}", **values)
    return msg("{who} claims, as D{number}, that {game} is drawn: {text}", **values)


def claim_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why a claim is refused: the game is over, or was claimed before."""
    match = _CLAIM.fullmatch(command.rest)
    board = _board(answer, match["game"]) if match is not None else msg("Name a table of yours, then WIN or DRAW.")
    if isinstance(board, Msg):
        return board
    rows = queries.tournaments.disputes(answer.session, answer.event.id)
    mine = [row for row in rows if row.board_id == board.id]
    if open_text := _open_text(mine, board):
        return open_text
    if board.state != "playing" or _is_over(answer, board):
        return msg("{game} is over: DISPUTE puts its result in question.", game=board.game_id or "-")
    if any(row.claim and row.by == answer.row.number for row in mine):
        return msg("You have claimed {game} before: once is allowed.", game=board.game_id or "-")
    return _too_many_text(answer, rows)


def claim(answer: EntrantAnswer, command: CommandLine) -> None:
    """Put a claim of a win or of a draw before the director."""
    match = _CLAIM.fullmatch(command.rest)
    board = _board(answer, match["game"]) if match is not None else None
    if match is None or not isinstance(board, tables.Board):
        raise ValueError(f"not what follows CLAIM: {command.rest!r}")
    row = _new_dispute(answer)
    row.board_id, row.claim, row.text = board.id, "win" if match["win"] else "draw", _words_after(command, 3)
    _raise_dispute(answer, row, board)


def _is_over(answer: EntrantAnswer, board: tables.Board) -> bool:
    game = queries.games.game(answer.session, board.game_id or "")
    return game is not None and game.state == "over"


def _interim_text(answer: EntrantAnswer, board: tables.Board, running: Msg, finished: Msg) -> Msg:
    """Return one of two texts: for a running game, or for a finished one."""
    return finished if _is_over(answer, board) else running


def _notify_opponents(answer: EntrantAnswer, dispute: tables.Dispute, *sentences: Msg) -> None:
    """Notify the other parties of a dispute or appeal, and of its next step."""
    about = _about(answer, dispute)
    for number in disputes.parties_of(answer, answer.event, dispute):
        opponent = queries.tournaments.entrant(answer.session, answer.event.id, number)
        if opponent is not None and number != answer.row.number:
            step = next_step_of_dispute(answer, answer.event, dispute, opponent.zone)
            title = msg("D{number}, about {game}", number=dispute.number, game=about)
            letter = post.LetterContent(title, (sentences[0], step, *sentences[1:]))
            post.mail_entrant(answer, answer.event, opponent, letter, f"D{dispute.number} {dispute.state} {number}")


def _about(answer: EntrantAnswer, dispute: tables.Dispute) -> str | Msg:
    return disputes.disputed_game_or_ruling(dispute, queries.tournaments.board_of_dispute(answer.session, dispute))


def _dispute_by_number(answer: EntrantAnswer, number: str) -> tables.Dispute | None:
    disputes = queries.tournaments.disputes(answer.session, answer.event.id)
    return next((row for row in disputes if row.number == int(number)), None)


def answer_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why an answer is refused: not concerned, answered before, or decided."""
    match = _ANSWER.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if row is None:
        return msg("There is no such dispute in {event}.", event=answer.event.id)
    if answer.row.number not in disputes.parties_of(answer, answer.event, row) or row.by in (0, answer.row.number):
        return msg("D{number} is not about you: only the other side answers it.", number=row.number)
    if row.answer:
        return msg("You have answered D{number} already.", number=row.number)
    if row.state not in ("director", "jury"):
        return msg("D{number} is decided; APPEAL D{number} puts it before other jurors in time.", number=row.number)
    return None


def answer_dispute(answer: EntrantAnswer, command: CommandLine) -> None:
    """Put his side of a dispute before the director and the jurors."""
    match = _ANSWER.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if row is None:
        raise ValueError(f"not what follows ANSWER: {command.rest!r}")
    disputes.store_answer_to_dispute(answer, answer.event, row, _words_after(command, 2))
    answer.wake()
    answer.say(
        "settings",
        msg("Your answer to D{number} is put beside what was disputed.", number=row.number),
        next_step_of_dispute(answer, answer.event, row, answer.row.zone),
    )


def appeal_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why an appeal is refused: not a party, appealed before, or final."""
    match = _NUMBER.fullmatch(command.rest)
    row = _dispute_by_number(answer, match["number"]) if match else None
    if row is None:
        return msg("There is no dispute {dispute} in {event}.", dispute=command.rest.upper(), event=answer.event.id)
    if answer.row.number not in disputes.parties_of(answer, answer.event, row):
        if row.board_id is None:
            return msg("D{number} is about a ruling that does not name you.", number=row.number)
        return msg("You are not at the table of D{number}.", number=row.number)
    return _appeal_objection(answer, row)


def _appeal_objection(answer: EntrantAnswer, row: tables.Dispute) -> Msg | None:
    """Return why a dispute cannot be appealed now; None if it can."""
    number, until = row.number, moment_in_words(row.until, answer.row.zone)
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


def appeal(answer: EntrantAnswer, command: CommandLine) -> None:
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
            hours=hours_in_words(rules.jury_hours),
        ),
        msg("Who stays silent is replaced; where nobody is left to vote, what was decided stands."),
    )
    answer.say("settings", confirmation, *next_lines)
    appealed = msg(
        "{who} has appealed D{number}, about {game}.",
        who=record.public_entrant_name(answer.row),
        number=row.number,
        game=_about(answer, row),
    )
    _notify_opponents(answer, row, appealed, *next_lines)


def _ballot(answer: EntrantAnswer, command: CommandLine) -> tables.Vote | Msg:
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
    if WORDS[match["word"]] not in votes_on(row):
        return wrong_vote_text(row)
    if last.word in DISPUTED:
        return msg("You have voted about D{number} already.", number=row.number)
    if row.state != "jury" or last.appeal != row.appealed:
        return msg("D{number} is decided: your vote is not wanted any more.", number=row.number)
    if last.word or last.until <= answer.now:
        return msg(
            "Your time to vote about D{number} was up at {when}, and another is asked.",
            number=row.number,
            when=moment_in_words(last.until, answer.row.zone),
        )
    return last


def vote_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why a vote is refused: no reason given, not asked, or too late."""
    match = _VOTE.fullmatch(command.rest)
    if match is not None and not match["reason"]:
        return msg("Say why: {line} BECAUSE ...", line=command.text.strip())
    ballot = _ballot(answer, command)
    return ballot if isinstance(ballot, Msg) else None


def vote(answer: EntrantAnswer, command: CommandLine) -> None:
    """Store a juror's vote."""
    match, ballot = _VOTE.fullmatch(command.rest), _ballot(answer, command)
    if match is None or isinstance(ballot, Msg):
        raise ValueError(f"not what follows VOTE: {command.rest!r}")
    # Its first character stands before those that the pattern counts.
    ballot.word, ballot.reason = WORDS[match["word"]], match["reason"][:300]
    answer.session.add(ballot)
    answer.session.flush()
    answer.wake()
    vote_text = vote_in_language(ballot.word, answer.row.language)
    answer.say("settings", msg("Your vote is taken: {word}. Nobody is told how you voted.", word=vote_text))


COMMANDS = (
    EntrantCommand(
        CommandForm("dispute", ("DISPUTE", "DISPUTA"), _DISPUTE, "DISPUTE game words", "DISPUTA partida palabras"),
        dispute,
        dispute_error,
        (
            msg("DISPUTE game words: put to the director, then to a jury. APPEAL D4: once, after it is ruled."),
            msg("DISPUTE RULING 7 words: a ruling of the director about you or a game of yours is put to a jury."),
        ),
    ),
    EntrantCommand(
        CommandForm(
            "claim", ("CLAIM", "RECLAMAR"), _CLAIM, "CLAIM game WIN words", "RECLAMAR partida VICTORIA palabras"
        ),
        claim,
        claim_error,
        (msg("CLAIM game WIN or DRAW, and why: your opponent answers, and the director decides."),),
    ),
    EntrantCommand(
        CommandForm("answer", ("ANSWER", "CONTESTAR"), _ANSWER, "ANSWER D4 words", "CONTESTAR D4 palabras"),
        answer_dispute,
        answer_error,
        (msg("ANSWER D4 words: what you say to a dispute about you; director and jurors read both."),),
    ),
    EntrantCommand(
        CommandForm("appeal", ("APPEAL", "APELAR"), _NUMBER, "APPEAL D4", "APELAR D4"), appeal, appeal_error
    ),
    EntrantCommand(
        CommandForm(
            "vote", ("VOTE", "VOTAR"), _VOTE, "VOTE D4 UPHOLD BECAUSE words", "VOTAR D4 ESTIMAR PORQUE palabras"
        ),
        vote,
        vote_error,
        (msg("VOTE D4 UPHOLD BECAUSE words: for jurors, when they are asked."),),
    ),
)
