"""The director's desk: one letter a day at most, with what needs him, what happens by itself, and what came since.

Nothing in it has to be done: behind each thing that asks him stands when it is decided without him.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import when
from pbem.log.sequencer import Noted
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, lots, post, record, round_states, suspicions, teams
from pbem.tournaments.verdicts import is_asked

_HOUR = 8
_DAY = timedelta(days=1)
_HALF = timedelta(hours=12)
_SOON = timedelta(hours=36)
"""What happens by itself so soon is worth a letter."""
_COMING = {
    "planned": msg("The list of round {number} shuts."),
    "shut": msg("Round {number} is drawn."),
    "drawn": msg("The games of round {number} begin."),
    "playing": msg("Round {number} ends at the latest; what is unfinished is decided as the rules say."),
}


def desk_moment(work: Work, event: tables.Tournament) -> datetime | None:
    """When the next letter of the desk is due; None where there is no director or nothing goes on."""
    if event.director_id is None or event.state not in round_states.LIVE:
        return None
    zone = ZoneInfo(event.zone)
    after = (event.desk_at or event.created).astimezone(zone)
    due = after.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    return due if due > after else (due + _DAY).replace(hour=_HOUR)


def tell_director(work: Work, event: tables.Tournament) -> bool:
    """Write the letter of the day if it is due and holds anything; whether it was due."""
    due = desk_moment(work, event)
    if due is None or due > work.now:
        return False
    needed, since = _needed(work, event), _since(work, event)
    facts = suspicions.told_once(work, event)
    soon = any(at <= work.now + _SOON for at, _ in _awaited(work, event))
    event.desk_at = work.now
    work.session.add(event)
    work.session.flush()
    if needed or soon or since or facts:
        day = msg("your desk")
        worth = [_told(msg("Worth a look, no verdict [E11]"), facts)] if facts else []
        said = post.Told(day, _opening(needed), [*blocks(work, event, since), *worth])
        post.to_director(work, event, said, f"desk {work.now.isoformat()}")
    return True


def how_it_stands(work: Work, event: tables.Tournament) -> list[Msg]:
    """What STATUS says first."""
    rows = queries.tournaments.entrants(work.session, event.id)
    playing = sum(row.state == "in" for row in rows)
    waiting = sum(row.state in ("waiting", "offered") for row in rows)
    told = msg(
        "{title} ({event}): {playing} play, {waiting} wait.",
        title=event.title,
        event=event.id,
        playing=playing,
        waiting=waiting,
    )
    if record.boards_a_match(event):
        teams = sum(team.state == "in" for team in contenders.teams_of(work, event))
        told = msg(
            "{title} ({event}): {teams} teams play, of {playing} members.",
            title=event.title,
            event=event.id,
            teams=teams,
            playing=playing,
        )
    held = [msg("It is held: RESUME lets it go on.")] if event.state == "held" else []
    return [told, *held, *_opening(_needed(work, event))]


def entered(work: Work, event: tables.Tournament) -> Json:
    """Who plays, who waits and who is out, with the numbers that rulings name them by, as a block of a letter."""
    rows = queries.tournaments.entrants(work.session, event.id)
    said = (
        (msg("They play: {who}."), ("in",)),
        (msg("They wait, in this order: {who}."), ("waiting", "offered")),
        (msg("They ask to play for a team: {who}."), (teams.ASKS,)),
        (msg("They are out: {who}."), record.OUT),
    )
    lines = []
    for line, states in said:
        who = tuple(record.shown_name(row) for row in rows if row.state in states)
        lines += [msg(line.text, who=who)] if who else []
    for team in contenders.teams_of(work, event):
        who = tuple(record.shown_name(row) for row in contenders.members(work, team))
        lines += (
            [
                msg(
                    "{team}: {who}; captain {captain}.",
                    team=record.shown_team(team),
                    who=who,
                    captain=f"e{team.captain}",
                )
            ]
            if who
            else []
        )
    return _told(msg("Entrants"), lines or [msg("Nobody has entered yet.")])


def blocks(work: Work, event: tables.Tournament, since: list[Msg] | None = None) -> list[Json]:
    """What needs him, what happens by itself, what came since he was written to last."""
    found = [(msg("What you may decide"), _needed(work, event)), (msg("By itself"), _coming(work, event))]
    if since:
        found.append((msg("Since your last letter"), since))
    return [_told(title, lines) for title, lines in found if lines]


def _told(title: Msg, lines: list[Msg]) -> Json:
    return content.sentences(title, [(0, line) for line in lines], whole=True)


def _opening(needed: list[Msg]) -> list[Msg]:
    if needed:
        return [
            msg("{count} {count:|thing|things} you may decide; each is decided without you in time.", count=len(needed))
        ]
    return [msg("Nothing needs you.")]


def _needed(work: Work, event: tables.Tournament) -> list[Msg]:
    """What asks the director, with what is done without him and when."""
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    found = []
    for one in queries.tournaments.silences(work.session, event.id, "director"):
        who, then, lines = silent(work, event, one)
        found.append(msg("{who} {then} {lines}", who=who, then=then, lines=lines))
    for dispute in queries.tournaments.disputes(work.session, event.id, "director"):
        board = work.session.get_one(tables.Board, dispute.board_id)
        by, until = record.shown_name(rows[dispute.by]), when(dispute.until, event.zone)
        found.append(
            msg(
                "D{number}, {who} about {game}: {text} (RULING D{number} UPHOLD, DENY or DRAW; at {when} a "
                "jury is asked.)",
                number=dispute.number,
                who=by,
                game=board.game_id or "-",
                text=dispute.text,
                when=until,
            )
        )
    return found


def comes_too_late(work: Work, event: tables.Tournament, until: datetime) -> bool:
    """Whether the letter of the day leaves him less than half a day before something is decided without him."""
    due = desk_moment(work, event)
    return due is None or due + _HALF > until


def silent(work: Work, event: tables.Tournament, silence: tables.Silence) -> tuple[Msg, Msg, Msg]:
    """Who is silent and where, what follows by itself and when, and by which lines he may decide before."""
    board = work.session.get_one(tables.Board, silence.board_id)
    round_ = work.session.get_one(tables.Round, board.round_id)
    row = queries.tournaments.entrant(work.session, event.id, silence.entrant)
    who = record.shown_name(row) if row is not None else f"e{silence.entrant}"
    lines = {"number": silence.entrant, "round": round_.name.upper()}
    decides = msg("FORFEIT {number} {round} decides it before.", **lines)
    if record.can_be_taken_over(record.rules_of(event), record.stage_of(event, round_.stage)):
        decides = msg(
            "SUBSTITUTE {number} BY the number of one who waits, or FORFEIT {number} {round}, decides it before.",
            **lines,
        )
    if record.boards_a_match(event):
        decides = msg(
            "SUBSTITUTE {number} BY the number of a reserve of his team, or FORFEIT {number} {round}, "
            "decides it before.",
            **lines,
        )
    return (
        msg("{who} is silent at {game}.", who=who, game=board.game_id or "-"),
        msg("By itself at {when}: {then}.", when=when(silence.until, event.zone), then=_then(work, event, silence)),
        decides,
    )


def _then(work: Work, event: tables.Tournament, silence: tables.Silence) -> Msg:
    """What follows if somebody stays silent."""
    rules = record.rules_of(event)
    asked = queries.tournaments.silences(work.session, event.id, "asked", "director", "open", "offered")
    if event.version > 1 and sum(one.board_id == silence.board_id for one in asked) > 1:
        return msg("the game counts 0:0 if his opponent stays silent as well [E6.1]")
    board = work.session.get_one(tables.Board, silence.board_id)
    stage = record.stage_of(event, work.session.get_one(tables.Round, board.round_id).stage)
    if rules.teams.boards:
        return msg("his seat is offered to the reserves of his team")
    if record.offers_seat(rules, stage, never=silence.never):
        return msg("his seat is offered to those who wait")
    if not silence.never:
        return msg("the game is lost after {count} phases missed in a row", count=rules.left.forfeit_after)
    return (
        msg("the game counts nothing, and his opponent has a bye")
        if record.gives_bye(event, stage)
        else (msg("the game is lost"))
    )


def _coming(work: Work, event: tables.Tournament) -> list[Msg]:
    """What happens by itself next, with its moment."""
    ordered = sorted(_awaited(work, event), key=lambda one: one[0])
    return [msg("{when}: {what}", when=when(at, event.zone), what=what) for at, what in ordered]


def _awaited(work: Work, event: tables.Tournament) -> list[tuple[datetime, Msg]]:
    """What happens by itself, each with its moment: to entrants, to disputes and lots, to the newest round."""
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    found: list[tuple[datetime, Msg]] = []
    for one in queries.tournaments.silences(work.session, event.id, "asked"):
        who, then = record.shown_name(rows[one.entrant]), _then(work, event, one)
        found.append((one.until, msg("{who} is asked for a word; without it {then}.", who=who, then=then)))
    for row in rows.values():
        if row.offered_until is not None:
            what = msg("What was offered to {who} passes on.", who=record.shown_name(row))
            found.append((row.offered_until, what))
    found += [_decided(work, one) for one in queries.tournaments.disputes(work.session, event.id, "jury", "ruled")]
    found += [
        (lot.draws, msg("The lots {name} are drawn.", name=lot.name))
        for lot in lots.awaited(work, event)
        if not lot.proof and not lot.first and not lot.then
    ]
    if rounds := queries.tournaments.rounds(work.session, event.id):
        found += _of_round(work, event, rounds[-1], rows)
    if event.state == "open" and (closes := record.closing_of(record.rules_of(event))) is not None:
        found.append((closes, msg("The list of entrants shuts.")))
    return found


def _decided(work: Work, dispute: tables.Dispute) -> tuple[datetime, Msg]:
    """What becomes of a dispute that does not lie with the director, and when."""
    if dispute.state == "ruled":
        return dispute.until, msg("D{number} is final, unless one of the two has appealed.", number=dispute.number)
    if not is_asked(work, dispute):
        return dispute.until, msg("Jurors of D{number} are drawn by lot.", number=dispute.number)
    return dispute.until, msg("Jurors of D{number} who have not voted are replaced.", number=dispute.number)


def _of_round(
    work: Work, event: tables.Tournament, last: tables.Round, rows: Mapping[int, tables.Entrant]
) -> Iterator[tuple[datetime, Msg]]:
    """What comes next of the newest round, and the challenges that lapse with its list."""
    at = record.next_moment(last)
    if at is not None:
        yield at, msg(_COMING[last.state].text, number=last.number)
    if last.state != "planned":
        return
    for one in queries.tournaments.challenges(work.session, event.id, last.number):
        if one.state == "open":
            who, other = (record.shown_name(rows[number]) for number in (one.challenger, one.challenged))
            lapses = msg("That {who} challenges {other} lapses unless it is answered.", who=who, other=other)
            yield last.opens, lapses


def _since(work: Work, event: tables.Tournament) -> list[Msg]:
    """What came since he was written to last: entrants, rounds closed, rulings, and how many games are over."""
    last = event.desk_at or event.created
    found = []
    came = [row for row in queries.tournaments.entrants(work.session, event.id) if row.entered > last]
    if came:
        found.append(msg("Entered: {who}.", who=tuple(record.shown_name(row) for row in came)))
    for leaf in queries.log.leaves(work.session, leaves.chain_of(event), "score"):
        if leaf.written > last:
            score = Noted(leaf.seq, leaf.kind, leaf.phase, leaf.body, leaf.says)
            if (score("halves"), score("how")) == ("0 0", "forfeit"):
                found += _both_absent(work, score("table"))
    rounds = queries.tournaments.rounds(work.session, event.id)
    for one in rounds:
        if one.closed is not None and one.closed > last:
            found.append(msg("Round {number} is closed.", number=one.number))
    for row in queries.tournaments.docket(work.session, event.id):
        if row.at > last:
            found.append(msg("Decided, number {number}: {line}", number=row.number, line=row.line))
    if rounds and rounds[-1].state == "playing" and found:
        boards = [board for board in queries.tournaments.boards(work.session, rounds[-1].id) if board.second]
        over = sum(board.state in round_states.DECIDED for board in boards)
        found.append(
            msg(
                "Of round {number} {over} of {all} games are over.",
                number=rounds[-1].number,
                over=over,
                all=len(boards),
            )
        )
    return found


def _both_absent(work: Work, game: str) -> list[Msg]:
    """E6.1 That neither of two came to a table."""
    table = queries.tournaments.board_of(work.session, game)
    if table is None:
        return []
    names = record.names_of(work.session, table[0])
    one, other = (names[number] for number in (table[2].first, table[2].second))
    return [
        msg("Neither {one} nor {other} sent a word at {game}: it counts 0:0 [E6.1].", one=one, other=other, game=game)
    ]
