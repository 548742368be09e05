"""Write the director's letter: decisions, next steps, and news.

It comes in the morning if there is anything to decide, else on Mondays. The director has to do nothing: each
question says when it is decided without an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.log.sequencer import Noted
from pbem.runtime.clock import DAY, WEEK
from pbem.runtime.stopped_time import end_of_stop, read_spans
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, leaves, lots, post, record, round_states, suspicions, teams
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.verdicts import has_jury, vote_words

_HOUR = 8
"""The hour of the daily letter, in the tournament's time zone. A choice: before a working day."""
_HALF = timedelta(hours=12)
"""Time that a decision needs after the daily letter: half a day. With less, the director is written to at once."""
_COMING = {
    "planned": msg("The list of round {number} shuts."),
    "shut": msg("Round {number} is drawn."),
    "drawn": msg("The games of round {number} begin."),
    "playing": msg("Round {number} ends at the latest; what is unfinished is decided as the rules say."),
}

_CLAIMS = {"": msg("{text}"), "win": msg("claims a win: {text}"), "draw": msg("claims a draw: {text}")}


def next_desk_time(tx: Transaction, event: tables.Tournament) -> datetime | None:
    """Return the next morning of a letter; None without director or activity."""
    if event.director_id is None or event.state not in round_states.LIVE:
        return None
    zone = ZoneInfo(event.zone)
    after = (event.desk_at or event.created).astimezone(zone)
    due = after.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    return due if due > after else (due + DAY).replace(hour=_HOUR)


def send_desk_letter(tx: Transaction, event: tables.Tournament) -> bool:
    """Send the morning's letter if it is due and wanted; return whether it was due."""
    due = next_desk_time(tx, event)
    if due is None or due > tx.now:
        return False
    last, monday = event.desk_at or event.created, _monday_morning(tx.now, event.zone)
    decisions, is_weekly = _decisions(tx, event), monday > last
    event.desk_at = tx.now
    tx.session.add(event)
    tx.session.flush()
    if not decisions and not is_weekly:
        return True
    news = _news(tx, event, min(last, monday - WEEK) if is_weekly else last)
    blocks = desk_blocks(tx, event)
    if news:
        title = msg("In the last seven days") if is_weekly else msg("Since your last letter")
        blocks.append(_lines_block(title, news))
    if facts := suspicions.new_fact_lines(tx, event, monday - WEEK):
        blocks.append(_lines_block(msg("Worth a look, no verdict [E11]"), facts))
    if blocks:
        day = content.date_in_words(tx.now.astimezone(ZoneInfo(event.zone)).date())
        subject = msg("{day}: nothing to decide", day=day)
        if decisions:
            subject = msg("{day}: {count} {count:|decision|decisions}", day=day, count=len(decisions))
        letter = post.LetterContent(subject, _opening(decisions), blocks)
        post.mail_director(tx, event, letter, f"desk {tx.now.isoformat()}")
    return True


def _monday_morning(now: datetime, zone: str) -> datetime:
    """Return the last Monday, at the hour of the letter, that is not in the future."""
    local = now.astimezone(ZoneInfo(zone))
    morning = (local - DAY * local.weekday()).replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    return morning if morning <= local else morning - WEEK


def state_lines(tx: Transaction, event: tables.Tournament) -> list[Msg]:
    """Return the first lines of STATUS."""
    rows = queries.tournaments.entrants(tx.session, event.id)
    playing = sum(row.state == "in" for row in rows)
    waiting = sum(row.state in ("waiting", "offered") for row in rows)
    sentence = msg(
        "{title} ({event}): {playing} play, {waiting} wait.",
        title=event.title,
        event=event.id,
        playing=playing,
        waiting=waiting,
    )
    if record.boards_per_match(event):
        team_count = sum(team.state == "in" for team in contenders.teams_of(tx, event))
        sentence = msg(
            "{title} ({event}): {teams} teams play, of {playing} members.",
            title=event.title,
            event=event.id,
            teams=team_count,
            playing=playing,
        )
    held_lines = [msg("It is held: RESUME lets it go on.")] if event.state == "held" else []
    return [sentence, *held_lines, *_stopped_lines(tx, event), *_opening(_decisions(tx, event))]


def _stopped_lines(tx: Transaction, event: tables.Tournament) -> list[Msg]:
    """Return which parts of the tournament have no deadlines now, and until when."""
    lines = []
    games = queries.tournaments.games_in_play(tx.session, event.id)
    for name, stopped in ((event.id, event.stopped), *((game.id, game.stopped) for game in games)):
        end = end_of_stop(tx.now, read_spans(stopped))
        if end > tx.now and (name == event.id or stopped != event.stopped):
            lines.append(
                msg("No deadline of {what} runs until {when}.", what=name, when=moment_in_words(end, event.zone))
            )
    return lines


def entrants_block(tx: Transaction, event: tables.Tournament) -> Json:
    """Return the block of entrants by state, with the numbers that rulings use."""
    rows = queries.tournaments.entrants(tx.session, event.id)
    groups = (
        (msg("They play: {who}."), ("in",)),
        (msg("They wait, in this order: {who}."), ("waiting", "offered")),
        (msg("They ask to play for a team: {who}."), (teams.ASKS,)),
        (msg("They are out: {who}."), record.OUT),
    )
    lines = []
    for line, states in groups:
        names = tuple(record.public_entrant_name(row) for row in rows if row.state in states)
        lines += [msg(line.text, who=names)] if names else []
    entered = {row.person_id for row in rows}
    guests = queries.tournaments.appointments(tx.session, event.id, "guest")
    emails = tuple(
        queries.persons.email_of(tx.session, guest.person_id) or "-"
        for guest in guests
        if guest.person_id not in entered
    )
    lines += [msg("Invited, and not entered: {who}.", who=emails)] if emails else []
    for team in contenders.teams_of(tx, event):
        names = tuple(record.public_entrant_name(row) for row in contenders.members(tx, team))
        lines += (
            [
                msg(
                    "{team}: {who}; captain {captain}.",
                    team=record.public_team_name(team),
                    who=names,
                    captain=f"e{team.captain}",
                )
            ]
            if names
            else []
        )
    return _lines_block(msg("Entrants"), lines or [msg("Nobody has entered yet.")])


def guest_blocks(tx: Transaction, event: tables.Tournament) -> list[Json]:
    """Return a block of invitations, answered or open; none without any.

    The docket has no addresses, since it is in the log: they are for the director alone.
    """
    entered = {row.person_id: row for row in queries.tournaments.entrants(tx.session, event.id)}
    lines = []
    for guest in queries.tournaments.appointments(tx.session, event.id, "guest"):
        email, row = queries.persons.email_of(tx.session, guest.person_id) or "-", entered.get(guest.person_id)
        if row is not None:
            lines.append(msg("{email}: entered, as {who}.", email=email, who=record.public_entrant_name(row)))
        else:
            invited = content.moment_in_words(guest.since, event.zone)
            lines.append(msg("{email}: invited at {when}, has not entered.", email=email, when=invited))
    return [_lines_block(msg("Invitations"), lines)] if lines else []


def desk_blocks(tx: Transaction, event: tables.Tournament) -> list[Json]:
    """Return the director's decisions and the next steps as blocks."""
    titled_lines = [
        (msg("What you may decide"), _decisions(tx, event)),
        (msg("By itself"), _coming_lines(tx, event)),
    ]
    return [_lines_block(title, lines) for title, lines in titled_lines if lines]


def _lines_block(title: Msg, lines: list[Msg]) -> Json:
    return content.sentence_block(title, [(0, line) for line in lines], whole=True)


def _opening(decisions: list[Msg]) -> list[Msg]:
    if decisions:
        return [
            msg(
                "{count} {count:|thing|things} you may decide; each is decided without you in time.",
                count=len(decisions),
            )
        ]
    return [msg("You have nothing to do.")]


def _decisions(tx: Transaction, event: tables.Tournament) -> list[Msg]:
    """Return the director's possible decisions, with default and deadline."""
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    decisions = []
    for silence in queries.tournaments.silences(tx.session, event.id, "director"):
        silent_line, default_line, decision_line = silence_lines(tx, event, silence)
        decisions.append(msg("{who} {then} {lines}", who=silent_line, then=default_line, lines=decision_line))
    for dispute in queries.tournaments.disputes(tx.session, event.id, "director"):
        board = tx.session.get_one(tables.Board, dispute.board_id)
        disputing, deadline = record.public_entrant_name(rows[dispute.by]), moment_in_words(dispute.until, event.zone)
        decisions.append(
            msg(
                "D{number}, {who} about {game}: {text} (RULING D{number} with one of {words}; at {when} a jury is "
                "asked.)",
                number=dispute.number,
                who=disputing,
                game=board.game_id or "-",
                text=msg(_CLAIMS[dispute.claim].text, text=dispute.text),
                words=vote_words(dispute),
                when=deadline,
            )
        )
        if dispute.answer:
            decisions[-1] = msg("{dispute} Answer: {text}", dispute=decisions[-1], text=dispute.answer)
    return [*decisions, *_applicant_lines(tx, event, list(rows.values()))]


def _applicant_lines(tx: Transaction, event: tables.Tournament, rows: Sequence[tables.Entrant]) -> list[Msg]:
    """E1 Return a sentence for each applicant, with the commands and the default."""
    if not needs_approval(record.rules_of(event)) or not entry.may_begin(tx, event):
        return []
    closes = record.closing_time(event) if event.state == "open" else None
    until = moment_in_words(closes, event.zone) if closes is not None else teams.closing_text(tx, event, event.zone)
    return [
        msg(
            "{who} asks to play: ADMIT {number} lets him in, REJECT {number} does not. Without your word he does not "
            "play; the list shuts: {until}.",
            who=record.public_entrant_name(row),
            number=row.number,
            until=until,
        )
        for row in rows
        if row.state == "waiting"
    ]


def notify_of_applicant(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> None:
    """Tell the director of an applicant: at once if the daily letter is too late."""
    event.wake = tx.now
    tx.session.add(event)
    closes = record.closing_time(event)
    lines = _applicant_lines(tx, event, [row])
    if lines and event.state == "open" and closes is not None and is_letter_too_late(tx, event, closes):
        letter = post.LetterContent(msg("somebody asks to play"), lines)
        post.mail_director(tx, event, letter, f"applicant {row.number} {tx.now.isoformat()}")


def is_letter_too_late(tx: Transaction, event: tables.Tournament, deadline: datetime) -> bool:
    """Return whether the daily letter leaves less than half a day to a decision."""
    due = next_desk_time(tx, event)
    return due is None or due + _HALF > deadline


def silence_lines(tx: Transaction, event: tables.Tournament, silence: tables.Silence) -> tuple[Msg, Msg, Msg]:
    """Return who is silent and where, the default with its time, and the commands."""
    board = tx.session.get_one(tables.Board, silence.board_id)
    round_ = tx.session.get_one(tables.Round, board.round_id)
    row = queries.tournaments.entrant(tx.session, event.id, silence.entrant)
    name = record.public_entrant_name(row) if row is not None else f"e{silence.entrant}"
    values = {"number": silence.entrant, "round": round_.name.upper()}
    decides = msg("FORFEIT {number} {round} decides it before.", **values)
    waits = any(row.state == "waiting" for row in queries.tournaments.entrants(tx.session, event.id))
    if waits and record.can_be_taken_over(record.rules_of(event), record.stage_of(event, round_.stage)):
        decides = msg(
            "SUBSTITUTE {number} BY the number of one who waits, or FORFEIT {number} {round}, decides it before.",
            **values,
        )
    if record.boards_per_match(event):
        decides = msg(
            "SUBSTITUTE {number} BY the number of a reserve of his team, or FORFEIT {number} {round}, "
            "decides it before.",
            **values,
        )
    return (
        msg("{who} is silent at {game}.", who=name, game=board.game_id or "-"),
        msg(
            "By itself at {when}: {then}.",
            when=moment_in_words(silence.until, event.zone),
            then=_default_text(tx, event, silence),
        ),
        decides,
    )


def _default_text(tx: Transaction, event: tables.Tournament, silence: tables.Silence) -> Msg:
    """Return the default if a player stays silent."""
    rules = record.rules_of(event)
    silences = queries.tournaments.silences(tx.session, event.id, "asked", "director", "open", "offered")
    if event.version > 1 and sum(other_silence.board_id == silence.board_id for other_silence in silences) > 1:
        return msg("the game counts 0:0 if his opponent stays silent as well [E6.1]")
    board = tx.session.get_one(tables.Board, silence.board_id)
    stage = record.stage_of(event, tx.session.get_one(tables.Round, board.round_id).stage)
    if rules.teams.boards:
        return msg("his seat is offered to the reserves of his team")
    if record.can_offer_seat(tx.session, event, stage, never=silence.never):
        return msg("his seat is offered to those who wait")
    if not silence.never:
        return msg("the game is lost after {count} phases missed in a row", count=rules.left.forfeit_after)
    return (
        msg("the game counts nothing, and his opponent has a bye")
        if record.gives_bye(event, stage)
        else (msg("the game is lost"))
    )


def _coming_lines(tx: Transaction, event: tables.Tournament) -> list[Msg]:
    """Return the next automatic steps, with their times."""
    # By time alone, since sentences have no order.
    ordered = sorted(_automatic_steps(tx, event), key=lambda item: item[0])
    return [
        msg("{when}: {what}", when=moment_in_words(moment, event.zone), what=sentence) for moment, sentence in ordered
    ]


def _automatic_steps(tx: Transaction, event: tables.Tournament) -> list[tuple[datetime, Msg]]:
    """Return the automatic steps with their times: entrants, disputes, lots, round."""
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    steps: list[tuple[datetime, Msg]] = []
    for silence in queries.tournaments.silences(tx.session, event.id, "asked"):
        name, default_text = record.public_entrant_name(rows[silence.entrant]), _default_text(tx, event, silence)
        steps.append(
            (
                silence.until,
                msg("{who} has been asked to answer; if no answer comes, {then}.", who=name, then=default_text),
            )
        )
    for row in rows.values():
        if row.offered_until is not None:
            sentence = msg("What was offered to {who} passes on.", who=record.public_entrant_name(row))
            steps.append((row.offered_until, sentence))
    steps += [
        _dispute_step(tx, dispute) for dispute in queries.tournaments.disputes(tx.session, event.id, "jury", "ruled")
    ]
    steps += [
        (lot.draws, msg("The lots {name} are drawn.", name=lot.name))
        for lot in lots.pending_lots(tx, event)
        if not lot.proof and not lot.first and not lot.then
    ]
    if rounds := queries.tournaments.rounds(tx.session, event.id):
        steps += _round_steps(tx, event, rounds[-1], rows)
    if event.state == "open" and (closes := record.closing_time(event)) is not None:
        steps.append((closes, msg("The list of entrants shuts.")))
    return steps


def _dispute_step(tx: Transaction, dispute: tables.Dispute) -> tuple[datetime, Msg]:
    """Return the next step of a dispute that is past the director, and its time."""
    if dispute.state == "ruled":
        return dispute.until, msg("D{number} is final, unless one of the two has appealed.", number=dispute.number)
    if not has_jury(tx, dispute):
        return dispute.until, msg("Jurors of D{number} are drawn by lot.", number=dispute.number)
    return dispute.until, msg("Jurors of D{number} who have not voted are replaced.", number=dispute.number)


def _round_steps(
    tx: Transaction, event: tables.Tournament, last: tables.Round, rows: Mapping[int, tables.Entrant]
) -> Iterator[tuple[datetime, Msg]]:
    """Yield the newest round's next step, and challenges that lapse with it."""
    moment = record.next_round_time(last)
    if moment is not None:
        yield moment, msg(_COMING[last.state].text, number=last.number)
    if last.state != "planned":
        return
    for challenge_row in queries.tournaments.challenges(tx.session, event.id, last.number):
        if challenge_row.state == "open":
            challenger, challenged = (
                record.public_entrant_name(rows[number])
                for number in (challenge_row.challenger, challenge_row.challenged)
            )
            sentence = msg(
                "That {who} challenges {other} lapses unless it is answered.", who=challenger, other=challenged
            )
            yield last.opens, sentence


def _news(tx: Transaction, event: tables.Tournament, last: datetime) -> list[Msg]:
    """Return the news since a moment: entries, rounds, rulings and games."""
    lines = []
    newcomers = [row for row in queries.tournaments.entrants(tx.session, event.id) if row.entered > last]
    if newcomers:
        lines.append(msg("Entered: {who}.", who=tuple(record.public_entrant_name(row) for row in newcomers)))
    for leaf in queries.log.leaves(tx.session, leaves.log_name_of(event), "score"):
        if leaf.written > last:
            score = Noted(leaf.seq, leaf.kind, leaf.phase, leaf.body, leaf.says)
            if (score("halves"), score("how")) == ("0 0", "forfeit"):
                lines += _double_absence_lines(tx, score("table"))
    rounds = queries.tournaments.rounds(tx.session, event.id)
    for round_row in rounds:
        if round_row.closed is not None and round_row.closed > last:
            lines.append(msg("Round {number} is closed.", number=round_row.number))
    for row in queries.tournaments.docket(tx.session, event.id):
        if row.at > last and not row.line.endswith(" ANSWER"):
            lines.append(msg("Decided, number {number}: {line}", number=row.number, line=row.line))
    if rounds and rounds[-1].state == "playing" and lines:
        boards = [board for board in queries.tournaments.boards(tx.session, rounds[-1].id) if board.second]
        finished = sum(board.state in round_states.DECIDED for board in boards)
        lines.append(
            msg(
                "Games of round {number} that are over: {over} of {all}.",
                number=rounds[-1].number,
                over=finished,
                all=len(boards),
            )
        )
    return lines


def _double_absence_lines(tx: Transaction, game: str) -> list[Msg]:
    """E6.1 Return the notice that both players missed a table."""
    table = queries.tournaments.board_of(tx.session, game)
    if table is None:
        return []
    names = record.names_by_number(tx.session, table[0])
    first, second = (names[number] for number in (table[2].first, table[2].second))
    return [
        msg(
            "Neither {one} nor {other} sent a word at {game}: it counts 0:0 [E6.1].", one=first, other=second, game=game
        )
    ]
