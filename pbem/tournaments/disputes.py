"""Disputes: put to the director, then to a jury by lot, and decided in the end whoever stays silent.

::

    director   until he rules or his hours are up
    jury       jurors by lot, of other score groups; who stays silent is replaced; most votes decide, at once where
               they cannot change any more
    ruled      an appeal by either side brings a jury of others, once
    final      the table counts what was ruled

A dispute that nobody raised is about a game that the end of its round cut off: its jury gives it to a side or draws it.
Where nobody is left to vote a result stands, on an appeal what was ruled before, and what is unfinished is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Report
from pbem.engine.terms import ONLOOKER
from pbem.letters import content
from pbem.letters.content import when
from pbem.play import history
from pbem.play.game_standing import standing_of
from pbem.play.positions import Position, position
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, founding, lots, post, record, round_states, standings, unfinished_tables
from pbem.tournaments.verdicts import DENY, DRAW, UPHOLD, VOTES, next_step, note_verdict, vote_word, would_be

# E10 What a juror may look at: what both sides of a game know, and nothing that is hidden from either of them.
#
# How the game stands or ended, which deadlines were missed, and where nothing is hidden the report that an onlooker
# has.


class Evidence(NamedTuple):
    """A block of facts, and the onlooker's report of the newest phase, None where anything is hidden."""

    facts: Json
    report: Report | None = None


def evidence(work: Work, event: tables.Tournament, board: tables.Board, zone: str) -> Evidence | None:
    """What is shown of a board's game to somebody who has no seat in it; None if there is none, or it has not begun."""
    game = queries.games.game(work.session, board.game_id or "")
    if game is None:
        return None
    try:
        here = position(work, game)
    except LookupError:
        return None
    report = None if _is_secret(game) else _report(work, here)
    lines = [*_stands(work, here, zone), *_missed(work, event, board), _shown(here, report)]
    return Evidence(content.sentences(msg("What both sides know"), [(0, line) for line in lines]), report)


def _is_secret(game: tables.Game) -> bool:
    """Whether other tables still have its dice, at which the juror may play."""
    return bool(Terms.read(game.terms).board) and game.state != "over"


def _stands(work: Work, here: Position, zone: str) -> list[Msg]:
    """Whether the game is over and how it ended, or whom it waits for."""
    game, standing = here.game, standing_of(work, here.game, here)
    if standing.state == "over":
        return [msg("{game} is over.", game=game.id), *standing.result]
    if standing.deadline is None:
        return [msg("{game} is being played, and is stopped for now.", game=game.id)]
    return [
        msg(
            "{game} is being played, turn {turn}: orders are awaited from {seats} by {when}.",
            game=game.id,
            turn=standing.turn,
            seats=standing.active,
            when=when(standing.deadline, zone),
        ),
    ]


def _missed(work: Work, event: tables.Tournament, board: tables.Board) -> list[Msg]:
    """Which side each has, and which deadlines he missed."""
    played = founding.at_tables(work, event)
    names = record.names_of(work.session, event)
    seats = queries.games.seats(work.session, board.game_id or "")
    told = []
    for number, side in zip((board.first, board.second), played.sides, strict=True):
        own = [seat for seat in seats if seat.side == side]
        told.append(
            msg(
                "{who} has {side}; deadlines missed: {count}, in a row by now: {row}.",
                who=names[number],
                side=played.rules.telling.side(side),
                count=sum(seat.strikes for seat in own),
                row=max((seat.missed for seat in own), default=0),
            )
        )
    return told


def _shown(here: Position, report: Report | None) -> Msg:
    """Where the rest is to be seen, or why it is not."""
    if report is None:
        return msg(
            "Of the positions you are shown nothing: who plays does not know all of them, or other tables have "
            "the same dice. Judge by what was written and by what stands here."
        )
    if here.game.state == "over":
        return msg("How it ended is in this letter, as anybody may see it.")
    return msg(
        "How it stands is in this letter, as anybody may see it; OBSERVE {game} brings you what comes.",
        game=here.game.id,
    )


def _report(work: Work, here: Position) -> Report | None:
    """The report of the newest phase that an onlooker has; None where there is none for him."""
    view = here.rules.view(here.state, ONLOOKER)
    if view is None:
        return None
    resolved = queries.phases.resolved(work.session, here.game.id)
    happened = history.events_with_states(work, here.game, resolved[-1]) if resolved else ()
    return here.rules.telling.report(view, ONLOOKER, history.view_events(here.rules, ONLOOKER, happened))


_SILENT = "silent"
_NO_VOTES = "nobody voted"


_OPENED = msg("Once it is decided the log shows the lots, and thereby who was asked.")


class _Case(NamedTuple):
    """A dispute, its tournament and board, and the round of that."""

    event: tables.Tournament
    dispute: tables.Dispute
    board: tables.Board
    round: tables.Round

    @property
    def name(self) -> str:
        """How letters call it."""
        return f"D{self.dispute.number}"

    @property
    def parties(self) -> tuple[int, int]:
        """The entrants at the board."""
        return self.board.first, self.board.second


def step_disputes(work: Work, event: tables.Tournament) -> bool:
    """Take the next step of the first dispute for which it is time; False if there is none."""
    return any(
        _next(work, _case(work, event, one)) for one in queries.tournaments.open_disputes(work.session, event.id)
    )


def dispute_moments(work: Work, event: tables.Tournament) -> list[datetime]:
    """When disputes are to be looked at."""
    return [one.until for one in queries.tournaments.open_disputes(work.session, event.id)]


def _case(work: Work, event: tables.Tournament, dispute: tables.Dispute) -> _Case:
    board = work.session.get_one(tables.Board, dispute.board_id)
    return _Case(event, dispute, board, work.session.get_one(tables.Round, board.round_id))


def _next(work: Work, case: _Case) -> bool:
    if case.dispute.state == "jury":
        return _jury(work, case)
    if case.dispute.until > work.now:
        return False
    if case.dispute.state == "director":
        _to_jury(work, case)
    else:
        _end(work, case)
    return True


def _to_jury(work: Work, case: _Case) -> None:
    """The director has said nothing, or somebody has appealed: others decide."""
    case.dispute.state, case.dispute.until = "jury", work.now
    work.session.add(case.dispute)
    work.session.flush()


def _jury(work: Work, case: _Case) -> bool:
    """Ask jurors, replace who stays silent, and decide as soon as votes do; False while they have time."""
    rules = record.rules_of(case.event).disputes
    votes = [one for one in queries.tournaments.votes(work.session, case.dispute.id) if _sits(case, one)]
    late = [one for one in votes if not one.word and one.until <= work.now]
    for one in late:
        one.word = _SILENT
        work.session.add(one)
    said = Counter(one.word for one in votes if one.word not in ("", _SILENT))
    sitting = [one for one in votes if not one.word]
    wanted = rules.jurors - sum(said.values()) - len(sitting)
    if _is_decided(said, len(sitting), rules.jurors):
        _decide(work, case, said)
        return True
    could_be_asked = _candidates(work, case, [one.entrant for one in votes]) if wanted else []
    if could_be_asked is None:
        return _waits_for_lots(work, case)
    asked = could_be_asked[:wanted]
    for number in asked:
        _ask(work, case, number)
    if not asked and not sitting:
        _decide(work, case, said)
        return True
    until = min(one.until for one in queries.tournaments.votes(work.session, case.dispute.id) if not one.word)
    changed = bool(asked or late) or case.dispute.until != until
    case.dispute.until = until
    work.session.add(case.dispute)
    work.session.flush()
    return changed


def _sits(case: _Case, vote: tables.Vote) -> bool:
    """Whether a vote is of the jury that sits now: an appeal goes to others."""
    return vote.appeal == case.dispute.appealed


def _is_decided(said: Counter[str], sitting: int, jurors: int) -> bool:
    """Whether no vote that is still to come can change what most say."""
    if not said:
        return False
    ranked = [count for _, count in said.most_common()] + [0]
    return ranked[0] > jurors // 2 or (not sitting and sum(said.values()) >= jurors)


def _stem(case: _Case) -> str:
    """What the log calls the lots of a jury."""
    kind = "appeal" if case.dispute.appealed else "jury"
    return f"{kind}/{case.name}/{case.board.game_id or '-'}"


def _waits_for_lots(work: Work, case: _Case) -> bool:
    """The lots of a jury wait for their round of the beacon: both sides are told, once."""
    lot = lots.newest(work, case.event, _stem(case))
    if lot is None or case.dispute.until == lot.draws:
        return False
    case.dispute.until = lot.draws
    work.session.add(case.dispute)
    work.session.flush()
    _tell_of_lots(work, case, lot)
    return True


def _tell_of_lots(work: Work, case: _Case, lot: tables.Lot) -> None:
    for number in case.parties:
        row = queries.tournaments.entrant(work.session, case.event.id, number)
        if row is not None:
            about = msg("a jury is drawn for {dispute}", dispute=case.name)
            told = (
                msg(
                    "Jurors of {dispute} about {game} are drawn by lot.",
                    dispute=case.name,
                    game=case.board.game_id or "-",
                ),
                lots.how_drawn(lot, row.zone),
            )
            post.to_entrant(work, case.event, row, post.Told(about, told), f"lots {lot.id}")


def _candidates(work: Work, case: _Case, asked: Sequence[int]) -> list[int] | None:
    """Who may still be asked, in the order of lots; None while these are awaited.

    From version 2 on the leaf that needs the lots says who may be.
    """
    first, then = _may_be_asked(work, case, asked)
    if case.event.version == 1:
        lot_of = standings.lots_now(work, case.event, case.round.stage)
    else:
        known = lots.newest(work, case.event, _stem(case))
        if known is None and not first and not then:
            return []
        lot = lots.ready(work, case.event, _stem(case), lots.Among(first, then))
        if lot is None:
            return None
        if known is None:
            _tell_of_lots(work, case, lot)
        lot_of, free = lots.lots_from(lot), {*first, *then}
        first, then = (tuple(one for one in some if one in free) for some in lots.among_of(lot))
    by_lot = [sorted(some, key=lambda one: lot_of(f"jury/{case.name}/e{one}")) for some in (first, then)]
    return [*by_lot[0], *by_lot[1]]


def _may_be_asked(work: Work, case: _Case, asked: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Who may be asked and was not yet: those of other score groups, then anybody not at the board, nor of a team that
    is."""
    table = standings.standing(work, case.event, case.round.stage)
    halves = {row.number: row.tally.halves for row in table.rows}
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, case.event.id)}
    team = {row.number: contenders.mine(work, row) for row in rows.values()}
    sides = {team.get(one, one) for one in case.parties}
    apart = {halves.get(one) for one in sides}
    before = {one.entrant for one in queries.tournaments.votes(work.session, case.dispute.id)} | set(asked)
    free = [
        number
        for number, row in rows.items()
        if row.state == "in" and team[number] not in sides and number not in before
    ]
    level = {number for number in free if halves.get(team[number]) in apart}
    return tuple(number for number in free if number not in level), tuple(level)


def _ask(work: Work, case: _Case, number: int) -> None:
    """Ask one juror, who is told what is disputed and not who else is asked."""
    rules = record.rules_of(case.event).disputes
    until = work.now + timedelta(hours=rules.jury_hours)
    vote = tables.Vote(dispute_id=case.dispute.id or 0, entrant=number, until=until, appeal=case.dispute.appealed)
    work.session.add(vote)
    work.session.flush()
    row = queries.tournaments.entrant(work.session, case.event.id, number)
    if row is None:
        return
    told = [
        msg("By lot you are a juror of {dispute}, about {game}.", dispute=case.name, game=case.board.game_id or "-"),
        _sides(work, case),
        msg("Your vote is wanted by {when}; then another is asked.", when=when(until, row.zone)),
        msg("Jurors: {count}, each for himself; most votes decide. Nobody is told how you vote.", count=rules.jurors),
        *([_OPENED] if case.event.version > 1 else []),
    ]
    asked, known = _what_is_asked(case, row.language), evidence(work, case.event, case.board, row.zone)
    about, facts = msg("you are asked to judge"), (known.facts,) if known else ()
    said = post.Told(about, told, (*facts, asked), wanted=2, report=known.report if known else None)
    post.to_entrant(work, case.event, row, said, f"juror {case.dispute.id} {number}")


def _sides(work: Work, case: _Case) -> Msg:
    """Who sits at the table, the first side first, and who of them disputes."""
    rows = {row.number: record.shown_name(row) for row in queries.tournaments.entrants(work.session, case.event.id)}
    first, second = (rows.get(number, f"e{number}") for number in case.parties)
    if not case.dispute.by:
        return msg("First side: {first}; second side: {second}.", first=first, second=second)
    return msg(
        "First side: {first}; second side: {second}; {who} disputes.",
        first=first,
        second=second,
        who=rows.get(case.dispute.by, f"e{case.dispute.by}"),
    )


def _what_is_asked(case: _Case, language: str) -> Json:
    """What is disputed, and the lines by which a juror votes."""
    votes = ((case.name, vote_word(one, language)) for one in VOTES)
    lines: list[str | Msg] = [msg("What was written: {text}", text=case.dispute.text)]
    if not case.dispute.by:
        lines = [msg("The end of the round cut the game off. UPHOLD gives it to the first side, DENY to the second.")]
    else:
        lines.append(msg("UPHOLD gives the game to who disputes, DENY leaves the result as it is, DRAW draws it."))
    lines += [chosen(language, f"VOTE {n} {word} BECAUSE ...", f"VOTAR {n} {word} PORQUE ...") for n, word in votes]
    return content.block(msg("What is asked"), lines)


def rule_on(work: Work, event: tables.Tournament, dispute: tables.Dispute, decided: tuple[str, str]) -> None:
    """Decide a dispute by a word of `VOTES` and a reason: both sides are told, and may appeal once.

    The docket has it; where the reason is empty it has it already.
    """
    case, (word, reason) = _case(work, event, dispute), decided
    if event.version > 1 and (lot := lots.newest(work, event, _stem(case))) is not None:
        votes = queries.tournaments.votes(work.session, dispute.id)
        lots.show(work, event, lot, tuple(one.entrant for one in votes if _sits(case, one)))
    if reason:
        note_verdict(work, event, f"{case.name} {word}", reason)
    hours = 0 if dispute.appealed or not dispute.by else record.rules_of(event).disputes.appeal_hours
    dispute.state, dispute.ruling = "ruled", word
    dispute.until = work.now + timedelta(hours=hours)
    work.session.add(dispute)
    work.session.flush()
    by = queries.tournaments.entrant(work.session, event.id, dispute.by)
    told = (
        _who_decided(case, reason),
        *_why(work, event, reason),
        would_be(word, record.shown_name(by) if by is not None else ""),
    )
    for number in case.parties:
        row = queries.tournaments.entrant(work.session, event.id, number)
        if row is not None:
            about = msg("{dispute} is decided", dispute=case.name)
            said = post.Told(about, (*told, next_step(work, event, dispute, row.zone)))
            post.to_entrant(work, event, row, said, f"ruled {dispute.id} {dispute.appealed}")


def _who_decided(case: _Case, reason: str) -> Msg:
    """Who decided a dispute: the director, whose reason the docket has; a jury; or nobody."""
    about = {"dispute": case.name, "game": case.board.game_id or "-"}
    if not reason:
        return msg("The director has decided dispute {dispute} about {game}.", **about)
    if reason == _NO_VOTES:
        return msg("No juror voted about dispute {dispute}, {game}: it is as the rules say.", **about)
    return msg("A jury has decided dispute {dispute} about {game}.", **about)


def _why(work: Work, event: tables.Tournament, reason: str) -> list[Msg]:
    """The reason that a director gave."""
    docket = queries.tournaments.docket(work.session, event.id)
    return [] if reason or not docket else [msg("Reason: {reason}", reason=docket[-1].reason)]


def _decide(work: Work, case: _Case, said: Counter[str]) -> None:
    """What most votes say; what they do not change stands, an unfinished game is drawn. Who still judged is freed."""
    usual = case.dispute.ruling or (DENY if case.dispute.by else DRAW)
    top = said.most_common()
    level = len(top) > 1 and top[0][1] == top[1][1]
    word = usual if not top or level else top[0][0]
    count = sum(said.values())
    reason = f"a jury of {count} voted" if count else _NO_VOTES
    rule_on(work, case.event, case.dispute, (word, reason))
    for one in queries.tournaments.votes(work.session, case.dispute.id):
        row = queries.tournaments.entrant(work.session, case.event.id, one.entrant)
        if _sits(case, one) and not one.word and row is not None:
            told = msg("{dispute} is decided: your vote is not wanted any more.", dispute=case.name)
            about = msg("{dispute} is decided", dispute=case.name)
            post.to_entrant(work, case.event, row, post.Told(about, (told,)), f"juror freed {one.id}")


def _end(work: Work, case: _Case) -> None:
    """Nobody appealed, or it was appealed before: what was ruled holds."""
    dispute, board = case.dispute, case.board
    dispute.state = "final"
    work.session.add(dispute)
    halves = _halves(case)
    if halves is None:
        round_states.let_stand(board)
        work.session.add(board)
        work.session.flush()
        return
    why = msg("Dispute {dispute} is decided: the game is adjudicated.", dispute=case.name)
    if not unfinished_tables.adjudge(work, board, halves, why):
        dispute.state, dispute.until = "ruled", work.now + timedelta(minutes=1)
        work.session.add(dispute)
        work.session.flush()


def _halves(case: _Case) -> tuple[int, int] | None:
    """What the table counts by what was ruled; None if its result stands."""
    word, by = case.dispute.ruling, case.dispute.by
    if word == DRAW:
        return 1, 1
    if not by:
        return (2, 0) if word == UPHOLD else (0, 2)
    if word == DENY:
        return None
    return (2, 0) if by == case.board.first else (0, 2)
