"""E3.8 Manage teams: members, captains, line-ups, seats at boards and letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import close_matches, fold
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, post, record, sheets, standings
from pbem.tournaments.arithmetic.entering import half_points_for_missed_rounds
from pbem.tournaments.arithmetic.entrants import BYE, PENDING
from pbem.tournaments.arithmetic.rules.ends import most_rounds
from pbem.tournaments.arithmetic.stages import match_and_board

Lines = list[tuple[int, Msg]]
Match = tuple[int, int]
"""The numbers of two teams; the first one has the first side at odd boards."""


def boards_by_match(
    tx: Transaction, event: tables.Tournament, round_: tables.Round
) -> list[tuple[Match | None, Sequence[tables.Board]]]:
    """Group a round's boards by team match; the key is None without teams."""
    boards, count = queries.tournaments.boards(tx.session, round_.id), record.boards_per_match(event)
    if not count:
        return [(None, boards)]
    groups: list[tuple[Match | None, Sequence[tables.Board]]] = []
    teams = {team.number for team in contenders.teams_of(tx, event)}
    for match, match_boards in groupby(boards, key=lambda board: match_and_board(board.board, count)[0]):
        rows = list(match_boards)
        pair = standings.drawn_pair(round_, match) if rows[0].first not in teams else None
        groups.append(((pair.first, pair.second) if pair is not None else None, rows))
    return groups


def board_lines(
    tx: Transaction,
    event: tables.Tournament,
    round_: tables.Round,
    line: Callable[[tables.Board], Msg],
    language: str,
) -> Lines:
    """Return a round's boards, each worded by `line`, below the line of their match."""
    names, lines, count = record.names_by_number(tx.session, event), Lines(), record.boards_per_match(event)
    teams = contenders.team_numbers(tx, event)
    for match, rows in boards_by_match(tx, event, round_):
        if match is None:
            lines += [(0, line(board)) for board in rows]
            continue
        home, other = (sheets.points_figure(halves, language) for halves in team_points(teams, match, rows))
        lines.append(
            (
                0,
                msg(
                    "{first} - {second}, at the boards {mine} - {his}",
                    first=names[match[0]],
                    second=names[match[1]],
                    mine=home,
                    his=other,
                ),
            )
        )
        lines += [
            (1, msg("{number}. {line}", number=match_and_board(board.board, count)[1], line=line(board)))
            for board in rows
        ]
    return lines


def board_line_index(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> dict[int, int]:
    """Return for each entrant the index in `board_lines`, from 0, of his board."""
    index, position = dict[int, int](), 0
    for match, rows in boards_by_match(tx, event, round_):
        position += match is not None
        for board in rows:
            index |= dict.fromkeys((board.first, board.second), position)
            position += 1
    return index


def team_points(teams: Mapping[int, int], match: Match, rows: Sequence[tables.Board]) -> tuple[int, int]:
    """Return the half points of two teams at the boards of their match.

    `teams` maps all members to their teams.
    """
    half_points = dict.fromkeys(match, 0)
    for board in rows:
        for number, halves in ((board.first, board.first_halves), (board.second, board.second_halves)):
            if teams.get(number) in half_points:
                half_points[teams[number]] += halves
    return half_points[match[0]], half_points[match[1]]


def member_scores(tx: Transaction, event: tables.Tournament, stage: int = 0) -> list[tuple[tables.Entrant, int, int]]:
    """Return the members with decided boards in a stage, and their scores.

    A score is half points and number of boards. The member with most points comes first.
    """
    results = record.board_results(tx.session, event, stage or event.stage or 1)
    halves, games = dict[int, int](), dict[int, int]()
    for result in results:
        if result.how == PENDING:
            continue
        for number, value in zip((result.first, result.second), result.halves, strict=True):
            halves[number] = halves.get(number, 0) + value
            games[number] = games.get(number, 0) + 1
    rows = [row for row in queries.tournaments.entrants(tx.session, event.id) if row.number in games]
    scores = [(row, halves[row.number], games[row.number]) for row in rows if row.team_id is not None]
    # With equal points fewer games are better.
    return sorted(scores, key=lambda score: (-score[1], score[2], score[0].number))


def members_block(tx: Transaction, event: tables.Tournament, language: str, stage: int = 0) -> list[Json]:
    """Return the members' points at the boards; empty in individual tournaments."""
    if not record.boards_per_match(event):
        return []
    names, teams = record.names_by_number(tx.session, event), contenders.team_numbers(tx, event)
    lines = [
        msg(
            "{who}, {team}: {points} of {count}",
            who=names[row.number],
            team=names[teams[row.number]],
            points=sheets.points_figure(halves, language),
            count=count,
        )
        for row, halves, count in member_scores(tx, event, stage)
    ]
    return (
        [
            content.sentence_block(
                msg("Members, by points at the boards"), [(0, line) for line in sheets.excerpt_around_own_line(lines)]
            )
        ]
        if lines
        else []
    )


def line_up_lines(names: sheets.Names, line_up: Sequence[int], boards: int) -> Lines:
    """E3.12 Return a line-up, a line for each board, empty boards too.

    A team with no member to play is away.
    """
    if not line_up:
        return [(0, msg("Nobody: your team is away then."))]
    seated = [
        (0, msg("{number}. {who}", number=board, who=names[member])) for board, member in enumerate(line_up, start=1)
    ]
    empty = range(len(line_up) + 1, boards + 1)
    return [*seated, *((0, msg("{number}. nobody: that board is lost [E3.12]", number=board)) for board in empty)]


def line_up_block(tx: Transaction, event: tables.Tournament, team: tables.Team, number: int, title: Msg) -> Json:
    """Return the block with a team's present line-up for a round."""
    members = contenders.members_at_boards(tx, event, team, number)
    lines = line_up_lines(record.names_by_number(tx.session, event), members, record.boards_per_match(event))
    return content.sentence_block(title, lines, whole=True)


# E3.8 Members: the first to name a team founds it, its captain admits others, and is replaced when he leaves.
#
# Nobody is in a team without his captain's letter; applicants not admitted before a list closes are out.
# The caller holds the lock of the tournament.


ASKS = "asks"
"""The state of an applicant to a team."""


def team_by_name(tx: Transaction, event: tables.Tournament, name: str) -> tables.Team | None:
    """Return the team with a name, compared without case and accents, or None."""
    rows = contenders.teams_of(tx, event)
    return next((row for row in rows if name and fold(row.name) == fold(name)), None)


def closest_team(tx: Transaction, event: tables.Tournament, name: str) -> tables.Team | None:
    """Return the playing team with the most similar name; None if none is similar."""
    playing = {fold(row.name): row for row in contenders.teams_of(tx, event) if row.state == "in"}
    close_names = close_matches(fold(name), playing, n=1, cutoff=0.7)
    return playing[close_names[0]] if close_names else None


def free_team_places(tx: Transaction, event: tables.Tournament, team: tables.Team) -> int:
    """Return the number of members that a team may still admit."""
    rules = record.rules_of(event).teams
    return rules.boards + rules.reserves - len(contenders.members(tx, team))


def create_team(tx: Transaction, event: tables.Tournament, row: tables.Entrant, name: str) -> None:
    """Create a team whose captain is the entrant that has just joined."""
    team = tables.Team(
        tournament_id=event.id, number=contenders.next_number(tx, event), name=name, state="left", entered=tx.now
    )
    tx.session.add(team)
    tx.session.flush()
    row.team_id = team.id
    tx.session.add(row)
    tx.session.flush()


def activate_team(tx: Transaction, event: tables.Tournament, team: tables.Team, row: tables.Entrant) -> None:
    """Activate a team with a new captain; leave an active team as it is."""
    if team.state == "in":
        return
    if not row.left_once:
        team.start = half_points_for_missed_rounds(record.rules_of(event), row.since)
    team.state, team.captain, team.since = "in", row.number, row.since
    tx.session.add(team)
    tx.session.flush()
    leaves.record_team(tx, event, team)


def handle_departure(
    tx: Transaction, event: tables.Tournament, row: tables.Entrant, departure: tuple[str, str, int]
) -> None:
    """Replace a departed member as captain, or end his team if it is empty.

    `departure` holds the new state of the member, the reason in the words of leaves, and the first round without
    the member.
    """
    team = contenders.team_of(tx, row)
    if team is None or team.state != "in":
        return
    others = contenders.members(tx, team)
    if others and team.captain != row.number:
        notify_captain(
            tx, event, row, departure[2], msg("{who} plays no more for your team.", who=record.public_entrant_name(row))
        )
    if not others:
        team.state, team.captain = departure[0], None
        leaves.record_departure(tx, event, team.number, departure[2], departure[1])
    elif team.captain == row.number:
        team.captain = others[0].number
        sentences = (
            msg(
                "{who} has left {team}: you are its captain now, who entered next.",
                who=record.public_entrant_name(row),
                team=record.public_team_name(team),
            ),
            msg("LINEUP 7, 3 says who sits at its boards, ADMIT 7 lets in who asks."),
            *application_lines(tx, event, team, others[0].zone),
        )
        title = msg("The line-up for round {number}, as it stands now", number=departure[2])
        blocks = (line_up_block(tx, event, team, departure[2], title),) if _has_round(event, departure[2]) else ()
        post.mail_entrant(
            tx,
            event,
            others[0],
            post.LetterContent(msg("you are captain"), sentences, blocks),
            f"captain {row.number} {tx.now.isoformat()}",
        )
    tx.session.add(team)
    tx.session.flush()


def notify_captain(tx: Transaction, event: tables.Tournament, row: tables.Entrant, number: int, news: Msg) -> None:
    """Notify a captain of a member's news, with the next default line-up."""
    team, captain = _team_and_captain(tx, row)
    if team is None or captain is None or not _has_round(event, number):
        return
    title = msg(
        "The line-up of {team} in round {number}, if you say nothing", team=record.public_team_name(team), number=number
    )
    sentences = (
        news,
        msg(
            "LINEUP, and the numbers of those who are to sit there, changes it until {until}.",
            until=closing_text(tx, event, captain.zone),
        ),
    )
    about = msg("your line-up for round {number}", number=number)
    letter = post.LetterContent(about, sentences, (line_up_block(tx, event, team, number, title),))
    post.mail_entrant(tx, event, captain, letter, f"comrade {row.number} {tx.now.isoformat()} {number} {news.text}")


def notify_captain_of_seat(
    tx: Transaction,
    event: tables.Tournament,
    row: tables.Entrant,
    letter_for: Callable[[tables.Entrant], post.LetterContent],
    cause: str,
) -> None:
    """Notify a captain of news about a member's seat, unless the seat is his own."""
    _, captain = _team_and_captain(tx, row)
    if captain is not None:
        post.mail_entrant(tx, event, captain, letter_for(captain), cause)


def _team_and_captain(tx: Transaction, row: tables.Entrant) -> tuple[tables.Team | None, tables.Entrant | None]:
    """Return a member's team and its captain; no captain if the member is it."""
    team = contenders.team_of(tx, row)
    captain = contenders.captain_of(tx, team) if team is not None else None
    return team, None if captain is None or captain.number == row.number else captain


def _has_round(event: tables.Tournament, number: int) -> bool:
    """Return whether the tournament may still have a round of this number."""
    return event.state in ("open", "playing", "held") and number <= most_rounds(record.rules_of(event))


def _next_closing(tx: Transaction, event: tables.Tournament) -> datetime | None:
    """Return the closing time of the next list, or None if it is unknown."""
    rounds = queries.tournaments.rounds(tx.session, event.id)
    return rounds[-1].opens if rounds and rounds[-1].state == "planned" else None


def closing_text(tx: Transaction, event: tables.Tournament, zone: str) -> Msg:
    """Return in words the closing time of the next list."""
    closing = _next_closing(tx, event)
    return (
        msg("the list of the next round shuts")
        if closing is None
        else msg("{when}", when=moment_in_words(closing, zone))
    )


def welcome_to_team(tx: Transaction, event: tables.Tournament, team: tables.Team, row: tables.Entrant) -> list[Msg]:
    """Return the first sentences to a member: his team, his role and his commands."""
    name = record.public_team_name(team)
    if row.state == ASKS:
        return [
            msg(
                "You asked to play for {team}. Whom its captain has not let in when the list of the next round "
                "shuts does not play.",
                team=name,
            )
        ]
    if team.captain != row.number:
        return [msg("You play for {team}: its captain says at which board.", team=name)]
    rules = record.rules_of(event).teams
    return [
        msg(
            "You are the captain of {team}. A match has {boards} boards; your team may have {count} members.",
            team=name,
            boards=rules.boards,
            count=rules.boards + rules.reserves,
        ),
        msg(
            'Others ask you by JOIN {event} TEAM "{team}"; ADMIT 7 lets in who asks, LINEUP 7, 3 says who sits at the '
            "boards.",
            event=event.id,
            team=team.name,
        ),
        msg("A board that you have nobody for is lost [E3.12]."),
    ]


def was_never_admitted(row: tables.Entrant) -> bool:
    """Return whether an entrant applied to a team and gave up before an answer."""
    return row.state in record.OUT and row.team_id is not None and not row.left_once


def ask_captain(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> None:
    """Notify the captain of an application: its expiry, and what happens by default."""
    team = contenders.team_of(tx, row)
    captain = contenders.captain_of(tx, team) if team is not None else None
    if team is None or captain is None:
        return
    sentences = (
        msg("{who} asks to play for {team}.", who=record.public_entrant_name(row), team=record.public_team_name(team)),
        msg(
            "ADMIT {number} lets him in. If nothing comes until {until}, he is not in your team.",
            number=row.number,
            until=closing_text(tx, event, captain.zone),
        ),
    )
    letter = post.LetterContent(
        msg("{who} asks to play for your team", who=record.public_entrant_name(row)), sentences, wanted=2
    )
    post.mail_entrant(tx, event, captain, letter, f"asks {row.number} {tx.now.isoformat()}")


def application_lines(tx: Transaction, event: tables.Tournament, team: tables.Team, zone: str) -> list[Msg]:
    """Return a sentence for each applicant, with the command and its expiry."""
    return [
        msg(
            "{who} asks to play for your team: ADMIT {number} lets him in, until {until}.",
            who=record.public_entrant_name(row),
            number=row.number,
            until=closing_text(tx, event, zone),
        )
        for row in contenders.members(tx, team, ASKS)
    ]


def drop_unadmitted_applicants(tx: Transaction, event: tables.Tournament) -> None:
    """Drop and notify applicants whom no captain admitted before the list closed."""
    for row in queries.tournaments.entrants(tx.session, event.id):
        team = contenders.team_of(tx, row) if row.state == ASKS else None
        if team is None:
            continue
        row.state = "left"
        tx.session.add(row)
        tx.session.flush()
        sentences = (
            msg(
                "The captain of {team} did not let you in before the list shut: you do not play.",
                team=record.public_team_name(team),
            ),
            msg("RETURN asks him again, if the rules still let you in."),
        )
        letter = post.LetterContent(msg("you are not in {team}", team=record.public_team_name(team)), sentences)
        post.mail_entrant(tx, event, row, letter, f"not admitted {row.number} {tx.now.isoformat()}")


# E3.8 A round of teams: ask captains for line-ups before its list closes, notify members after the draw.
#
# Members at a board get the letter of their table (`rounds`); this part writes to all others.


def lineup_request_time(event: tables.Tournament, round_: tables.Round) -> datetime | None:
    """Return when captains are asked for line-ups of a planned round.

    Return None if they were asked already, or if there are no teams.
    """
    if round_.asked or round_.state != "planned" or not record.boards_per_match(event):
        return None
    return round_.opens - timedelta(hours=record.rules_of(event).teams.lineup_hours)


def ask_for_lineups(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    """Ask captains for line-ups once it is time; return whether it was."""
    request_time = lineup_request_time(event, round_)
    if request_time is None or request_time > tx.now:
        return False
    round_.asked = True
    tx.session.add(round_)
    tx.session.flush()
    for team in contenders.teams_of(tx, event):
        captain = contenders.captain_of(tx, team)
        if captain is None or team.state != "in":
            continue
        members = contenders.members_at_boards(tx, event, team, round_.number)
        sentences = (
            msg(
                "Whom do you line up for {team} in round {number}? LINEUP {line} says it, the first board first, until "
                "{when}.",
                team=record.public_team_name(team),
                number=round_.number,
                line=", ".join(map(str, members)) or "7, 3",
                when=moment_in_words(round_.opens, captain.zone),
            ),
            msg("If nothing comes, these sit there."),
            *application_lines(tx, event, team, captain.zone),
        )
        block = line_up_block(tx, event, team, round_.number, msg("By itself"))
        letter = post.LetterContent(
            msg("your line-up for round {number}", number=round_.number), sentences, (block,), wanted=2
        )
        post.mail_entrant(tx, event, captain, letter, f"{round_.name} {round_.attempt} line-up")
    return True


def match_text(event: tables.Tournament, round_: tables.Round, board: tables.Board, names: sheets.Names) -> list[Msg]:
    """Return the first sentence of a table's letter: the teams and the board."""
    match, number = match_and_board(board.board, record.boards_per_match(event))
    pair = standings.drawn_pair(round_, match)
    if pair is None:
        return []
    return [
        msg(
            "{first} meet {second}; you have board {number}.",
            first=names[pair.first],
            second=names[pair.second],
            number=number,
        )
    ]


class MatchView(NamedTuple):
    """A round of teams as letters show its matches: its boards and all names."""

    event: tables.Tournament
    round: tables.Round
    boards: Sequence[tables.Board]
    names: sheets.Names

    def blocks(self, board: tables.Board, language: str) -> list[Json]:
        """Return the boards of a board's match, and the reasons for the pairing."""
        count, names = record.boards_per_match(self.event), self.names
        match, _ = match_and_board(board.board, count)
        lines = []
        for row in self.boards:
            row_match, number = match_and_board(row.board, count)
            if row_match == match:
                opponent = names[row.second] if row.second else msg("nobody")
                sentence = msg("{number}. {first} - {second}", number=number, first=names[row.first], second=opponent)
                lines.append((0, sentence))
        boards_block = content.sentence_block(msg("The boards of the match"), lines)
        return [boards_block, match_reasons_block(self.round, match, names, language)]


def match_reasons_block(round_: tables.Round, match: int, names: sheets.Names, language: str) -> Json:
    """Return the block with the reasons of a pairing."""
    pair = standings.drawn_pair(round_, match)
    lines = sheets.pairing_reasons(pair, names, language) if pair is not None else []
    return content.sentence_block(msg("Why this pairing"), [(0, line) for line in lines], whole=True)


def notify_members(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Write to members without a table: team bye, no opponent, or in reserve."""
    boards = queries.tournaments.boards(tx.session, round_.id)
    view = MatchView(event, round_, boards, record.names_by_number(tx.session, event))
    alone = {board.first: board for board in boards if not board.second}
    sitting = {number for board in boards if board.second for number in (board.first, board.second)}
    for team in contenders.teams_of(tx, event):
        for row in contenders.members(tx, team):
            if row.number in sitting or row.since > round_.number:
                continue
            if team.number in alone:
                letter = _team_bye_letter(view, alone[team.number], row)
            elif row.number in alone:
                letter = _unopposed_letter(view, alone[row.number], row)
            else:
                letter = _reserve_letter(round_, team, row)
            post.mail_entrant(tx, event, row, letter, f"{round_.name} {round_.attempt} pairing")


def _team_bye_letter(view: MatchView, board: tables.Board, row: tables.Entrant) -> post.LetterContent:
    about = msg("Round {number}: your team rests", number=view.round.number)
    if board.how != BYE:
        return post.LetterContent(about, (msg("Your team rests this round."),))
    match, _ = match_and_board(board.board, record.boards_per_match(view.event))
    sentence = msg("Nobody is left for your team in this round: it counts as won.")
    return post.LetterContent(about, (sentence,), (match_reasons_block(view.round, match, view.names, row.language),))


def _unopposed_letter(view: MatchView, board: tables.Board, row: tables.Entrant) -> post.LetterContent:
    about = msg("Round {number}: nobody sits opposite", number=view.round.number)
    sentences = (
        *match_text(view.event, view.round, board, view.names),
        msg("Nobody sits opposite: your board counts as won [E3.12]."),
    )
    return post.LetterContent(about, sentences, view.blocks(board, row.language))


def _reserve_letter(round_: tables.Round, team: tables.Team, row: tables.Entrant) -> post.LetterContent:
    if contenders.is_resting(row, round_.number):
        sentence = msg("You rest round {number}: your team plays without you.", number=round_.number)
        return post.LetterContent(msg("Round {number}: you have no game", number=round_.number), (sentence,))
    sentences = [
        msg("You are not lined up for {team} in this round.", team=record.public_team_name(team)),
        msg("If one of your team falls silent, his seat is offered to you."),
    ]
    return post.LetterContent(msg("Round {number}: you are in reserve", number=round_.number), sentences)
