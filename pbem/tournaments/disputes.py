"""Settle disputes by director, then jury, with a result even without answers.

::

    director   until the director rules or his hours are up
    jury       jurors by lot, from other score groups; silent ones are replaced; the majority decides, at once
               when no more votes can change the result
    ruled      either side may appeal, once, to a jury of other members
    final      the ruling is applied to the table

A dispute about a ruling of the director goes to a jury at once (`ruling_disputes`). A game cut off by the end of
its round may go to a jury without a disputant: the jury awards it to a side, or makes it a draw. If no jurors are
left to vote, the result stands; on an appeal the earlier ruling stands; an unfinished game is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import (
    clocks,
    contenders,
    founding,
    leaves,
    lots,
    post,
    record,
    round_states,
    ruling_disputes,
    standings,
    unfinished_tables,
)
from pbem.tournaments.evidence import evidence_about_game
from pbem.tournaments.substitution import end_game_of_board
from pbem.tournaments.verdicts import (
    DENY,
    DRAW,
    FORFEIT,
    HOURS,
    UPHOLD,
    WARN,
    next_step_of_dispute,
    penalty_hours,
    private_reason_lines,
    record_verdict,
    verdict_text,
    vote_in_language,
    votes_on,
)

_SILENT = "silent"
_NO_VOTES = "nobody voted"


_OPENED = msg("Once it is decided the log shows the lots, and thereby who was asked.")


class _Case(NamedTuple):
    """A dispute with its tournament, its parties, and its board or ruling.

    The first party has the first side, or is the first entrant named by the ruling. `stage` is the stage of the
    board, or the present one.
    """

    event: tables.Tournament
    dispute: tables.Dispute
    parties: tuple[int, ...]
    stage: int
    board: tables.Board | None = None
    ruling: tables.Docket | None = None

    @property
    def name(self) -> str:
        """Return the dispute's name in letters."""
        return f"D{self.dispute.number}"

    @property
    def respondent(self) -> int:
        """Return the entrant on the other side of a dispute.

        0 if a disputed ruling names only one entrant.
        """
        return next((number for number in self.parties if number != self.dispute.by), 0)

    @property
    def about(self) -> str | Msg:
        """Return the game or the ruling that is disputed."""
        return disputed_game_or_ruling(self.dispute, self.board)


def advance_disputes(tx: Transaction, event: tables.Tournament) -> bool:
    """Advance the first dispute that is due; return False if there is none."""
    return any(
        _advance(tx, _case(tx, event, dispute)) for dispute in queries.tournaments.open_disputes(tx.session, event.id)
    )


def dispute_times(tx: Transaction, event: tables.Tournament) -> list[datetime]:
    """Return the deadlines of the open disputes."""
    return [dispute.until for dispute in queries.tournaments.open_disputes(tx.session, event.id)]


def _case(tx: Transaction, event: tables.Tournament, dispute: tables.Dispute) -> _Case:
    board = queries.tournaments.board_of_dispute(tx.session, dispute)
    ruling = ruling_disputes.ruling_by_number(tx, event, dispute.docket)
    if board is not None:
        stage = tx.session.get_one(tables.Round, board.round_id).stage
        return _Case(event, dispute, (board.first, board.second), stage, board, ruling)
    named = ruling_disputes.entrants_named_in_ruling(tx, event, ruling) if ruling is not None else ()
    return _Case(event, dispute, tuple(named), event.stage, None, ruling)


def parties_of(tx: Transaction, event: tables.Tournament, dispute: tables.Dispute) -> tuple[int, ...]:
    """Return who may appeal: the board's entrants, or those the ruling names."""
    return _case(tx, event, dispute).parties


def disputed_game_or_ruling(dispute: tables.Dispute, board: tables.Board | None) -> str | Msg:
    """Return the game or the ruling that a dispute is about."""
    if board is None:
        return msg("ruling {number}", number=dispute.docket or 0)
    return board.game_id or "-"


def _advance(tx: Transaction, case: _Case) -> bool:
    if case.board is None and ruling_disputes.is_taken_back(tx, case.event, case.dispute.docket):
        _settle(tx, case)
        return True
    if case.dispute.state == "jury":
        return _advance_jury(tx, case)
    if case.dispute.until > tx.now:
        return False
    if case.dispute.state == "director":
        _refer_to_jury(tx, case)
    else:
        _finish(tx, case)
    return True


def _refer_to_jury(tx: Transaction, case: _Case) -> None:
    """Refer a dispute to a jury, after the director's silence or an appeal."""
    case.dispute.state, case.dispute.until = "jury", tx.now
    tx.session.add(case.dispute)
    tx.session.flush()


def _advance_jury(tx: Transaction, case: _Case) -> bool:
    """Ask or replace jurors, decide by votes; return False while they have time."""
    rules = record.rules_of(case.event).disputes
    votes = [vote for vote in queries.tournaments.votes(tx.session, case.dispute.id) if _is_of_jury(case, vote)]
    late = [vote for vote in votes if not vote.word and vote.until <= tx.now]
    for late_vote in late:
        late_vote.word = _SILENT
        tx.session.add(late_vote)
    counts = Counter(vote.word for vote in votes if vote.word not in ("", _SILENT))
    sitting = [vote for vote in votes if not vote.word]
    missing_jurors = rules.jurors - sum(counts.values()) - len(sitting)
    if _is_decided(counts, len(sitting), rules.jurors):
        _decide(tx, case, counts)
        return True
    could_be_asked = _candidates(tx, case, [vote.entrant for vote in votes]) if missing_jurors else []
    if could_be_asked is None:
        return _wait_for_lots(tx, case)
    newly_asked = could_be_asked[:missing_jurors]
    for number in newly_asked:
        _ask_juror(tx, case, number)
    if not newly_asked and not sitting:
        _decide(tx, case, counts)
        return True
    until = min(vote.until for vote in queries.tournaments.votes(tx.session, case.dispute.id) if not vote.word)
    changed = bool(newly_asked or late) or case.dispute.until != until
    case.dispute.until = until
    tx.session.add(case.dispute)
    tx.session.flush()
    return changed


def _is_of_jury(case: _Case, vote: tables.Vote) -> bool:
    """Return whether a vote belongs to the present jury; an appeal has a new jury."""
    return vote.appeal == case.dispute.appealed


def _is_decided(counts: Counter[str], sitting: int, jurors: int) -> bool:
    """Return whether pending votes can no longer change the majority."""
    if not counts:
        return False
    ranked = [count for _, count in counts.most_common()] + [0]
    return ranked[0] > jurors // 2 or (not sitting and sum(counts.values()) >= jurors)


def _lots_name(case: _Case) -> str:
    """Return the name of a jury's lots in the log."""
    kind = "appeal" if case.dispute.appealed else "jury"
    about = f"ruling-{case.dispute.docket}" if case.board is None else case.board.game_id or "-"
    return f"{kind}/{case.name}/{about}"


def _wait_for_lots(tx: Transaction, case: _Case) -> bool:
    """Wait for the beacon round of a jury's lots, and notify both sides once."""
    lot = lots.newest_lot(tx, case.event, _lots_name(case))
    if lot is None or case.dispute.until == lot.draws:
        return False
    case.dispute.until = lot.draws
    tx.session.add(case.dispute)
    tx.session.flush()
    _notify_of_lots(tx, case, lot)
    return True


def _notify_of_lots(tx: Transaction, case: _Case, lot: tables.Lot) -> None:
    for number in case.parties:
        row = queries.tournaments.entrant(tx.session, case.event.id, number)
        if row is not None:
            about = msg("a jury is drawn for {dispute}", dispute=case.name)
            sentences = (
                msg(
                    "Jurors of {dispute} about {game} are drawn by lot.",
                    dispute=case.name,
                    game=case.about,
                ),
                lots.lot_method_text(lot, row.zone),
            )
            post.mail_entrant(tx, case.event, row, post.LetterContent(about, sentences), f"lots {lot.id}")


def _candidates(tx: Transaction, case: _Case, already_asked: Sequence[int]) -> list[int] | None:
    """Return the candidates for a jury by lot; None while lots are awaited.

    From version 2 on, the leaf that asks for the lots lists the candidates.
    """
    first, second = _eligible_jurors(tx, case, already_asked)
    if case.event.version == 1:
        lot_of = standings.current_lots(tx, case.event, case.stage)
    else:
        newest = lots.newest_lot(tx, case.event, _lots_name(case))
        if newest is None and not first and not second:
            return []
        lot = lots.request_or_read_lot(tx, case.event, _lots_name(case), lots.LotCandidates(first, second))
        if lot is None:
            return None
        if newest is None:
            _notify_of_lots(tx, case, lot)
        lot_of, free = lots.lots_by_label(lot), {*first, *second}
        first, second = (tuple(number for number in group if number in free) for group in lots.candidates_of(lot))
    by_lot = [sorted(group, key=lambda number: lot_of(f"jury/{case.name}/e{number}")) for group in (first, second)]
    return [*by_lot[0], *by_lot[1]]


def _eligible_jurors(
    tx: Transaction, case: _Case, already_asked: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the eligible jurors who were not asked yet, in two groups.

    The first group are entrants of other score groups, the second all others. The players of the board and their
    team-mates are in neither.
    """
    table = standings.current_table(tx, case.event, case.stage)
    halves = {row.number: row.tally.halves for row in table.rows}
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, case.event.id)}
    team = {row.number: contenders.pairing_number(tx, row) for row in rows.values()}
    sides = {team.get(number, number) for number in case.parties}
    excluded = {halves.get(side) for side in sides}
    earlier_jurors = {vote.entrant for vote in queries.tournaments.votes(tx.session, case.dispute.id)} | set(
        already_asked
    )
    free = [
        number
        for number, row in rows.items()
        if row.state == "in" and team[number] not in sides and number not in earlier_jurors
    ]
    same_group = {number for number in free if halves.get(team[number]) in excluded}
    return tuple(number for number in free if number not in same_group), tuple(same_group)


def _ask_juror(tx: Transaction, case: _Case, number: int) -> None:
    """Ask one juror, naming the dispute but not the other jurors."""
    rules = record.rules_of(case.event).disputes
    until = clocks.later_on_board_clock(tx, case.event, case.board, rules.jury_hours)
    vote = tables.Vote(dispute_id=case.dispute.id or 0, entrant=number, until=until, appeal=case.dispute.appealed)
    tx.session.add(vote)
    tx.session.flush()
    row = queries.tournaments.entrant(tx.session, case.event.id, number)
    if row is None:
        return
    sentences = [
        msg("By lot you are a juror of {dispute}, about {game}.", dispute=case.name, game=case.about),
        *_sides_lines(tx, case),
        msg("Your vote is wanted by {when}; then another is asked.", when=moment_in_words(until, row.zone)),
        msg("Jurors: {count}, each for himself; most votes decide. Nobody is told how you vote.", count=rules.jurors),
        *([_OPENED] if case.event.version > 1 else []),
    ]
    question = _question_block(case, row.language)
    facts_known = evidence_about_game(tx, case.event, case.board, row.zone) if case.board is not None else None
    about, facts = msg("you are asked to judge"), (facts_known.facts,) if facts_known else ()
    letter = post.LetterContent(
        about, sentences, (*facts, question), wanted=2, report=facts_known.report if facts_known else None
    )
    post.mail_entrant(tx, case.event, row, letter, f"juror {case.dispute.id} {number}")


def _sides_lines(tx: Transaction, case: _Case) -> list[Msg]:
    """Return who plays which side, the first side first, and who disputes."""
    names = record.names_by_number(tx.session, case.event)
    disputing = names.get(case.dispute.by, "")
    if case.board is None:
        return [msg("{who} disputes.", who=disputing)]
    first, second = (names[number] for number in case.parties)
    if not disputing:
        return [msg("First side: {first}; second side: {second}.", first=first, second=second)]
    return [
        msg("First side: {first}; second side: {second}; {who} disputes.", first=first, second=second, who=disputing)
    ]


def _question_block(case: _Case, language: str) -> Json:
    """Return the disputed text, and the commands by which a juror votes."""
    votes = ((case.name, vote_in_language(vote, language)) for vote in votes_on(case.dispute))
    lines: list[str | Msg] = []
    if case.ruling is not None:
        text = f"{case.ruling.line} BECAUSE {case.ruling.reason}"
        lines.append(msg("What the director ruled: {text}", text=text))
    if case.dispute.by:
        lines.append(msg("What was written: {text}", text=case.dispute.text))
    if case.dispute.answer:
        lines.append(msg("What the other side answers: {text}", text=case.dispute.answer))
    elif case.dispute.by and case.respondent:
        lines.append(msg("The other side has not answered."))
    lines += _effects_of_votes(case)
    lines += [
        pick_phrase(language, f"VOTE {n} {word} BECAUSE ...", f"VOTAR {n} {word} PORQUE ...") for n, word in votes
    ]
    return content.titled_block(msg("What is asked"), lines)


def _effects_of_votes(case: _Case) -> list[Msg]:
    if not case.dispute.by:
        return [msg("The end of the round cut the game off. UPHOLD gives it to the first side, DENY to the second.")]
    if case.board is None:
        return [msg("UPHOLD takes the ruling back, DENY lets it stand.")]
    if case.dispute.claim:
        return [msg("UPHOLD grants the claim, DENY lets the game go on, DRAW draws it.")]
    return [
        msg("UPHOLD gives the game to who disputes, DENY leaves the result as it is, DRAW draws it."),
        msg("FORFEIT makes it a forfeit of the other side. WARN warns that side; the result stands."),
    ]


def return_to_director(tx: Transaction, event: tables.Tournament, dispute: tables.Dispute) -> None:
    """Give the director a second time limit for deciding a dispute."""
    case = _case(tx, event, dispute)
    dispute.state, dispute.ruling = "director", ""
    dispute.until = clocks.later_on_board_clock(tx, event, case.board, record.rules_of(event).disputes.director_hours)
    tx.session.add(dispute)
    tx.session.flush()


def decide_dispute(
    tx: Transaction, event: tables.Tournament, dispute: tables.Dispute, decided: tuple[str, str]
) -> None:
    """Decide a dispute by a word of `VOTES` and a reason; both sides may appeal once.

    The verdict is added to the docket, unless `reason` is empty, which means that it is there already.
    """
    case, (word, reason) = _case(tx, event, dispute), decided
    _publish_lots(tx, case)
    if reason:
        record_verdict(tx, event, f"{case.name} {word}", reason)
    hours = 0 if dispute.appealed or not dispute.by else record.rules_of(event).disputes.appeal_hours
    dispute.state, dispute.ruling = "ruled", word
    dispute.until = clocks.later_on_board_clock(tx, event, case.board, hours)
    tx.session.add(dispute)
    tx.session.flush()
    sentences = (
        _decision_line(case, reason),
        *_reason_lines(tx, event, reason),
        outcome_text(tx, event, dispute, word),
    )
    for number in case.parties:
        row = queries.tournaments.entrant(tx.session, event.id, number)
        if row is not None:
            about = msg("{dispute} is decided", dispute=case.name)
            letter = post.LetterContent(about, (*sentences, next_step_of_dispute(tx, event, dispute, row.zone)))
            post.mail_entrant(tx, event, row, letter, f"ruled {dispute.id} {dispute.appealed} {tx.now.isoformat()}")


def _publish_lots(tx: Transaction, case: _Case) -> None:
    """Log the lots by which the present jury was drawn."""
    if case.event.version > 1 and (lot := lots.newest_lot(tx, case.event, _lots_name(case))) is not None:
        votes = queries.tournaments.votes(tx.session, case.dispute.id)
        lots.publish_proof(tx, case.event, lot, tuple(vote.entrant for vote in votes if _is_of_jury(case, vote)))


def outcome_text(tx: Transaction, event: tables.Tournament, dispute: tables.Dispute, word: str) -> Msg:
    """Return the effect of an outcome on a dispute, with the names of both sides."""
    case, names = _case(tx, event, dispute), record.names_by_number(tx.session, event)
    return verdict_text(dispute, word, names.get(dispute.by, ""), names.get(case.respondent, ""))


def is_game_running(tx: Transaction, dispute: tables.Dispute) -> bool:
    """Return whether the game of a dispute is not over yet."""
    board = queries.tournaments.board_of_dispute(tx.session, dispute)
    game = queries.games.game(tx.session, (board.game_id if board is not None else None) or "")
    return game is not None and game.state != "over"


def store_answer_to_dispute(tx: Transaction, event: tables.Tournament, dispute: tables.Dispute, text: str) -> None:
    """Store the other side's answer; notify the disputant and sitting jurors.

    A line of the docket, which is logged, has the digest of the answer.
    """
    case = _case(tx, event, dispute)
    dispute.answer = text
    tx.session.add(dispute)
    record_verdict(tx, event, f"{case.name} ANSWER", leaves.sha256_of(text))
    votes, names = queries.tournaments.votes(tx.session, dispute.id), record.names_by_number(tx.session, event)
    readers = [vote.entrant for vote in votes if _is_of_jury(case, vote) and not vote.word]
    sentence = msg("{who} answers to {dispute}: {text}", who=names[case.respondent], dispute=case.name, text=text)
    for number in (dispute.by, *readers):
        row = queries.tournaments.entrant(tx.session, event.id, number)
        if row is not None:
            about = msg("{dispute} is answered", dispute=case.name)
            letter = post.LetterContent(about, (sentence, next_step_of_dispute(tx, event, dispute, row.zone)))
            post.mail_entrant(tx, event, row, letter, f"answer {dispute.id} {number}")


def _decision_line(case: _Case, reason: str) -> Msg:
    """Return who decided a dispute: the director, a jury or nobody."""
    about = {"dispute": case.name, "game": case.about}
    if not reason:
        return msg("The director has decided dispute {dispute} about {game}.", **about)
    if reason == _NO_VOTES:
        return msg("No juror voted about dispute {dispute}, {game}: it is as the rules say.", **about)
    return msg("A jury has decided dispute {dispute} about {game}.", **about)


def _reason_lines(tx: Transaction, event: tables.Tournament, reason: str) -> list[Msg]:
    """Return the director's reason, in the docket, and its private part."""
    docket = queries.tournaments.docket(tx.session, event.id)
    if reason or not docket:
        return []
    return [msg("Reason: {reason}", reason=docket[-1].reason), *private_reason_lines(docket[-1])]


def _decide(tx: Transaction, case: _Case, counts: Counter[str]) -> None:
    """Decide a dispute by majority and release jurors who have not voted.

    Without a majority the result stands, and an unfinished game is drawn.
    """
    usual = case.dispute.ruling or (DENY if case.dispute.by else DRAW)
    top = counts.most_common()
    is_tied = len(top) > 1 and top[0][1] == top[1][1]
    word = usual if not top or is_tied else top[0][0]
    count = sum(counts.values())
    reason = f"a jury of {count} voted" if count else _NO_VOTES
    decide_dispute(tx, case.event, case.dispute, (word, reason))
    _release_jurors(tx, case)


def _release_jurors(tx: Transaction, case: _Case) -> None:
    """Tell jurors who have not voted that their vote is not wanted any more."""
    for vote in queries.tournaments.votes(tx.session, case.dispute.id):
        row = queries.tournaments.entrant(tx.session, case.event.id, vote.entrant)
        if _is_of_jury(case, vote) and not vote.word and row is not None:
            sentence = msg("{dispute} is decided: your vote is not wanted any more.", dispute=case.name)
            about = msg("{dispute} is decided", dispute=case.name)
            post.mail_entrant(tx, case.event, row, post.LetterContent(about, (sentence,)), f"juror freed {vote.id}")


def _settle(tx: Transaction, case: _Case) -> None:
    """End a dispute about a ruling that the director has undone."""
    _publish_lots(tx, case)
    case.dispute.state, case.dispute.ruling = "final", UPHOLD
    tx.session.add(case.dispute)
    tx.session.flush()
    _release_jurors(tx, case)


def _finish_ruling(tx: Transaction, case: _Case) -> None:
    """Undo a ruling if a dispute about it is upheld.

    Notify the parties if it is too late for that.
    """
    if case.dispute.ruling != UPHOLD or case.ruling is None:
        return
    why = ruling_disputes.take_back_ruling(tx, case.event, case.ruling, f"a jury upheld {case.name}")
    if why is None:
        return
    sentence = msg("Ruling {number} cannot be taken back any more: {why}", number=case.ruling.number, why=why)
    letter = post.LetterContent(msg("{dispute} is decided", dispute=case.name), (sentence,))
    for row in queries.tournaments.entrants(tx.session, case.event.id):
        if row.number in case.parties:
            post.mail_entrant(tx, case.event, row, letter, f"{case.name} too late")
    post.mail_director(tx, case.event, letter, f"{case.name} too late")


def _finish(tx: Transaction, case: _Case) -> None:
    """Apply the ruling after the time to appeal, or after the one appeal."""
    dispute, board = case.dispute, case.board
    dispute.state = "final"
    tx.session.add(dispute)
    tx.session.flush()
    if board is None:
        _finish_ruling(tx, case)
        return
    halves = _ruled_half_points(case, board)
    reason = msg("Dispute {dispute} is decided: the game is adjudicated.", dispute=case.name)
    if halves is not None:
        is_done = unfinished_tables.end_with_adjudication(tx, board, halves, reason)
    else:
        is_done = _apply_penalty(tx, case, board)
    if not is_done:
        dispute.state, dispute.until = "ruled", tx.now + timedelta(minutes=1)
        tx.session.add(dispute)
        tx.session.flush()


def _apply_penalty(tx: Transaction, case: _Case, board: tables.Board) -> bool:
    """Apply a penalty to a result; return False while the game is locked."""
    word = case.dispute.ruling
    side = founding.table_game(tx, case.event).sides[0 if case.respondent == board.first else 1]
    game = queries.games.game(tx.session, board.game_id or "")
    if word == FORFEIT and game is not None:
        cause = f"{FORFEIT.lower()} {side}"
        reason = msg("Dispute {dispute} is decided: the game is lost by forfeit.", dispute=case.name)
        if not end_game_of_board(tx, board, reason, cause):
            return False
        board.ended, board.adjudged = cause, ""
    elif word.startswith(HOURS):
        for seat in queries.games.seats(tx.session, board.game_id or ""):
            if seat.side == side:
                seat.spent += 3600 * penalty_hours(word)
                tx.session.add(seat)
    round_states.let_stand(board)
    tx.session.add(board)
    tx.session.flush()
    return True


def _ruled_half_points(case: _Case, board: tables.Board) -> tuple[int, int] | None:
    """Return the half points by the ruling; None if the result stands."""
    word, disputing = case.dispute.ruling, case.dispute.by
    if word == DRAW or (word == UPHOLD and case.dispute.claim == DRAW.lower()):
        return 1, 1
    if not disputing:
        return (2, 0) if word == UPHOLD else (0, 2)
    if word in (DENY, FORFEIT, WARN) or word.startswith(HOURS):
        return None
    return (2, 0) if disputing == board.first else (0, 2)
