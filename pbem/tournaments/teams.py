"""E3.8 Teams: who is in them and how they are led, lined up, seated and told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import close_matches, fold
from pbem.letters import content
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, post, record, sheets, standings
from pbem.tournaments.arithmetic.entering import halves_for_missed
from pbem.tournaments.arithmetic.entrants import BYE, PENDING
from pbem.tournaments.arithmetic.rules.ends import most_rounds
from pbem.tournaments.arithmetic.stages import match_and_board

Lines = list[tuple[int, Msg]]
Match = tuple[int, int]
"""The numbers of two teams, who has the first side at odd boards first."""


def matches(
    work: Work, event: tables.Tournament, round_: tables.Round
) -> list[tuple[Match | None, Sequence[tables.Board]]]:
    """The boards of a round by their matches; with None those of nobody's, as all are where nobody is of a team."""
    boards, count = queries.tournaments.boards(work.session, round_.id), record.boards_a_match(event)
    if not count:
        return [(None, boards)]
    found: list[tuple[Match | None, Sequence[tables.Board]]] = []
    teams = {team.number for team in contenders.teams_of(work, event)}
    for match, some in groupby(boards, key=lambda board: match_and_board(board.board, count)[0]):
        rows = list(some)
        pair = standings.pair_of(round_, match) if rows[0].first not in teams else None
        found.append(((pair.first, pair.second) if pair is not None else None, rows))
    return found


def board_lines(
    work: Work, event: tables.Tournament, round_: tables.Round, line: Callable[[tables.Board], Msg], language: str
) -> Lines:
    """The boards of a round, each put into words by `line`; those of a match stand below it."""
    names, found, count = record.names_of(work.session, event), Lines(), record.boards_a_match(event)
    teams = contenders.team_numbers(work, event)
    for match, rows in matches(work, event, round_):
        if match is None:
            found += [(0, line(board)) for board in rows]
            continue
        mine, his = (sheets.points(halves, language) for halves in team_points(teams, match, rows))
        found.append(
            (
                0,
                msg(
                    "{first} - {second}, at the boards {mine} - {his}",
                    first=names[match[0]],
                    second=names[match[1]],
                    mine=mine,
                    his=his,
                ),
            )
        )
        found += [
            (1, msg("{number}. {line}", number=match_and_board(board.board, count)[1], line=line(board)))
            for board in rows
        ]
    return found


def places_at_boards(work: Work, event: tables.Tournament, round_: tables.Round) -> dict[int, int]:
    """In which of `board_lines`, from 0, everybody's board stands."""
    found, at = dict[int, int](), 0
    for match, rows in matches(work, event, round_):
        at += match is not None
        for board in rows:
            found |= dict.fromkeys((board.first, board.second), at)
            at += 1
    return found


def team_points(teams: Mapping[int, int], match: Match, rows: Sequence[tables.Board]) -> tuple[int, int]:
    """How many halves each of two teams has at the boards of their match; `teams` are those of all members."""
    both = dict.fromkeys(match, 0)
    for board in rows:
        for number, halves in ((board.first, board.first_halves), (board.second, board.second_halves)):
            if teams.get(number) in both:
                both[teams[number]] += halves
    return both[match[0]], both[match[1]]


def made_by_members(work: Work, event: tables.Tournament, stage: int = 0) -> list[tuple[tables.Entrant, int, int]]:
    """Each who had a board of a stage decided, with his halves and how many those were; who has most first."""
    results = record.board_results(work.session, event, stage or event.stage or 1)
    halves, games = dict[int, int](), dict[int, int]()
    for one in results:
        if one.how == PENDING:
            continue
        for number, value in zip((one.first, one.second), one.halves, strict=True):
            halves[number] = halves.get(number, 0) + value
            games[number] = games.get(number, 0) + 1
    rows = [row for row in queries.tournaments.entrants(work.session, event.id) if row.number in games]
    found = [(row, halves[row.number], games[row.number]) for row in rows if row.team_id is not None]
    return sorted(found, key=lambda one: (-one[1], one[2], one[0].number))


def members_block(work: Work, event: tables.Tournament, language: str, stage: int = 0) -> list[Json]:
    """What each member has made at the boards; nothing where everybody plays for himself."""
    if not record.boards_a_match(event):
        return []
    names, teams = record.names_of(work.session, event), contenders.team_numbers(work, event)
    lines = [
        msg(
            "{who}, {team}: {points} of {count}",
            who=names[row.number],
            team=names[teams[row.number]],
            points=sheets.points(halves, language),
            count=count,
        )
        for row, halves, count in made_by_members(work, event, stage)
    ]
    return (
        [content.sentences(msg("Members, by points at the boards"), [(0, one) for one in sheets.excerpt(lines)])]
        if lines
        else []
    )


def sits_at(names: sheets.Names, line_up: Sequence[int], boards: int) -> Lines:
    """E3.12 A line-up, a board a line, those that nobody is left for too; who has nobody at all is away."""
    if not line_up:
        return [(0, msg("Nobody: your team is away then."))]
    sits = [(0, msg("{number}. {who}", number=at, who=names[one])) for at, one in enumerate(line_up, start=1)]
    empty = range(len(line_up) + 1, boards + 1)
    return [*sits, *((0, msg("{number}. nobody: that board is lost [E3.12]", number=at)) for at in empty)]


def line_up_block(work: Work, event: tables.Tournament, team: tables.Team, number: int, title: Msg) -> Json:
    """Who sits at the boards of a team in a round, as it stands now, as a block of a letter."""
    sits = contenders.line_up(work, event, team, number)
    lines = sits_at(record.names_of(work.session, event), sits, record.boards_a_match(event))
    return content.sentences(title, lines, whole=True)


# E3.8 Teams formed and left: founded by who names one, joined by whom the captain admits, handed on when he goes.
#
# Nobody is in a team whom its captain has not admitted by letter; who still asks when the list of a round shuts is out.
# The caller holds the tournament.


ASKS = "asks"
"""The state of who asks to play for a team."""


def named(work: Work, event: tables.Tournament, name: str) -> tables.Team | None:
    """The team of a name, compared without case and accents; None if there is none, or none was named."""
    rows = contenders.teams_of(work, event)
    return next((row for row in rows if name and fold(row.name) == fold(name)), None)


def near(work: Work, event: tables.Tournament, name: str) -> tables.Team | None:
    """The team that plays and whose name comes nearest to one that none has; None if none comes near."""
    there = {fold(row.name): row for row in contenders.teams_of(work, event) if row.state == "in"}
    found = close_matches(fold(name), there, n=1, cutoff=0.7)
    return there[found[0]] if found else None


def free_places(work: Work, event: tables.Tournament, team: tables.Team) -> int:
    """How many more members a team may have."""
    rules = record.rules_of(event).teams
    return rules.boards + rules.reserves - len(contenders.members(work, team))


def form(work: Work, event: tables.Tournament, row: tables.Entrant, name: str) -> None:
    """A new team, whose captain is who has just entered."""
    team = tables.Team(
        tournament_id=event.id, number=contenders.next_number(work, event), name=name, state="left", entered=work.now
    )
    work.session.add(team)
    work.session.flush()
    row.team_id = team.id
    work.session.add(row)
    work.session.flush()


def bring_in(work: Work, event: tables.Tournament, team: tables.Team, row: tables.Entrant) -> None:
    """Somebody plays for a team from now on: one that has nobody else begins, or begins again, with him as captain."""
    if team.state == "in":
        return
    if not row.left_once:
        team.start = halves_for_missed(record.rules_of(event), row.since)
    team.state, team.captain, team.since = "in", row.number, row.since
    work.session.add(team)
    work.session.flush()
    leaves.note_team(work, event, team)


def left(work: Work, event: tables.Tournament, row: tables.Entrant, out: tuple[str, str, int]) -> None:
    """A member has left: his team has another captain, or is out if nobody else is in it.

    `out` are the state that the member is in now, why, as leaves have it, and the first round without him.
    """
    team = contenders.team_of(work, row)
    if team is None or team.state != "in":
        return
    others = contenders.members(work, team)
    if others and team.captain != row.number:
        tell_captain(work, event, row, out[2], msg("{who} plays no more for your team.", who=record.shown_name(row)))
    if not others:
        team.state, team.captain = out[0], None
        leaves.note_left(work, event, team.number, out[2], out[1])
    elif team.captain == row.number:
        team.captain = others[0].number
        told = (
            msg(
                "{who} has left {team}: you are its captain now, who entered next.",
                who=record.shown_name(row),
                team=record.shown_team(team),
            ),
            msg("LINEUP 7, 3 says who sits at its boards, ADMIT 7 lets in who asks."),
            *asking(work, event, team, others[0].zone),
        )
        title = msg("The line-up for round {number}, as it stands now", number=out[2])
        shown = (line_up_block(work, event, team, out[2], title),) if _has_round(event, out[2]) else ()
        post.to_entrant(work, event, others[0], post.Told(msg("you are captain"), told, shown), f"captain {row.number}")
    work.session.add(team)
    work.session.flush()


def tell_captain(work: Work, event: tables.Tournament, row: tables.Entrant, number: int, what: Msg) -> None:
    """A captain is told what a comrade has said or done, and who sits at the boards of a round to come by itself."""
    team, captain = _led_by(work, row)
    if team is None or captain is None or not _has_round(event, number):
        return
    title = msg(
        "The line-up of {team} in round {number}, if you say nothing", team=record.shown_team(team), number=number
    )
    told = (
        what,
        msg(
            "LINEUP, and the numbers of those who are to sit there, changes it until {until}.",
            until=until(work, event, captain.zone),
        ),
    )
    about = msg("your line-up for round {number}", number=number)
    said = post.Told(about, told, (line_up_block(work, event, team, number, title),))
    post.to_entrant(work, event, captain, said, f"comrade {row.number} {work.now.isoformat()} {number} {what.text}")


def tell_of_seat(
    work: Work, event: tables.Tournament, row: tables.Entrant, tell: Callable[[tables.Entrant], post.Told], cause: str
) -> None:
    """A captain is told of the seat of a comrade, unless it is his own."""
    _, captain = _led_by(work, row)
    if captain is not None:
        post.to_entrant(work, event, captain, tell(captain), cause)


def _led_by(work: Work, row: tables.Entrant) -> tuple[tables.Team | None, tables.Entrant | None]:
    """The team of a member, and its captain; none where that is he himself."""
    team = contenders.team_of(work, row)
    captain = contenders.captain_of(work, team) if team is not None else None
    return team, None if captain is None or captain.number == row.number else captain


def _has_round(event: tables.Tournament, number: int) -> bool:
    """Whether the tournament may still have a round of this number."""
    return event.state in ("open", "playing", "held") and number <= most_rounds(record.rules_of(event))


def _shuts_at(work: Work, event: tables.Tournament) -> datetime | None:
    """When the next list shuts, as far as it is known."""
    rounds = queries.tournaments.rounds(work.session, event.id)
    return rounds[-1].opens if rounds and rounds[-1].state == "planned" else None


def until(work: Work, event: tables.Tournament, zone: str) -> Msg:
    """Until when something counts that has to come before the next list shuts."""
    at = _shuts_at(work, event)
    return msg("the list of the next round shuts") if at is None else msg("{when}", when=when(at, zone))


def welcome(work: Work, event: tables.Tournament, team: tables.Team, row: tables.Entrant) -> list[Msg]:
    """What a member of a team is told first: for whom he plays, and what is his to write."""
    name = record.shown_team(team)
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


def asked_in_vain(row: tables.Entrant) -> bool:
    """Whether somebody asked to play for a team, was never let in, and asks no more."""
    return row.state in record.OUT and row.team_id is not None and not row.left_once


def ask(work: Work, event: tables.Tournament, row: tables.Entrant) -> None:
    """The captain is told who asks, until when, and what happens if he says nothing."""
    team = contenders.team_of(work, row)
    captain = contenders.captain_of(work, team) if team is not None else None
    if team is None or captain is None:
        return
    told = (
        msg("{who} asks to play for {team}.", who=record.shown_name(row), team=record.shown_team(team)),
        msg(
            "ADMIT {number} lets him in. If nothing comes until {until}, he is not in your team.",
            number=row.number,
            until=until(work, event, captain.zone),
        ),
    )
    said = post.Told(msg("{who} asks to play for your team", who=record.shown_name(row)), told, wanted=2)
    post.to_entrant(work, event, captain, said, f"asks {row.number} {work.now.isoformat()}")


def asking(work: Work, event: tables.Tournament, team: tables.Team, zone: str) -> list[Msg]:
    """Who asks to play for a team, a sentence each for its captain: by what line he is in, and until when."""
    return [
        msg(
            "{who} asks to play for your team: ADMIT {number} lets him in, until {until}.",
            who=record.shown_name(row),
            number=row.number,
            until=until(work, event, zone),
        )
        for row in contenders.members(work, team, ASKS)
    ]


def lapse(work: Work, event: tables.Tournament) -> None:
    """The list of a round shuts: whom no captain admitted is not in, and is told."""
    for row in queries.tournaments.entrants(work.session, event.id):
        team = contenders.team_of(work, row) if row.state == ASKS else None
        if team is None:
            continue
        row.state = "left"
        work.session.add(row)
        work.session.flush()
        told = (
            msg(
                "The captain of {team} did not let you in before the list shut: you do not play.",
                team=record.shown_team(team),
            ),
            msg("RETURN asks him again, if the rules still let you in."),
        )
        said = post.Told(msg("you are not in {team}", team=record.shown_team(team)), told)
        post.to_entrant(work, event, row, said, f"not admitted {row.number} {work.now.isoformat()}")


# E3.8 A round of teams: captains asked for line-ups before its list shuts, members told what they have when drawn.
#
# Who sits at a board is told by the letter of his table (`rounds`); here are all others.


def asks_at(event: tables.Tournament, round_: tables.Round) -> datetime | None:
    """When captains are asked for the line-ups of a round that is planned; None if they were, or there are no teams."""
    if round_.asked or round_.state != "planned" or not record.boards_a_match(event):
        return None
    return round_.opens - timedelta(hours=record.rules_of(event).teams.lineup_hours)


def ask_for_lineups(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    """Ask the captains whom they line up, by when, and say who sits there else; whether it was time to."""
    at = asks_at(event, round_)
    if at is None or at > work.now:
        return False
    round_.asked = True
    work.session.add(round_)
    work.session.flush()
    for team in contenders.teams_of(work, event):
        captain = contenders.captain_of(work, team)
        if captain is None or team.state != "in":
            continue
        sits = contenders.line_up(work, event, team, round_.number)
        told = (
            msg(
                "Whom do you line up for {team} in round {number}? LINEUP {line} says it, the first board first, until "
                "{when}.",
                team=record.shown_team(team),
                number=round_.number,
                line=", ".join(map(str, sits)) or "7, 3",
                when=when(round_.opens, captain.zone),
            ),
            msg("If nothing comes, these sit there."),
            *asking(work, event, team, captain.zone),
        )
        block = line_up_block(work, event, team, round_.number, msg("By itself"))
        said = post.Told(msg("your line-up for round {number}", number=round_.number), told, (block,), wanted=2)
        post.to_entrant(work, event, captain, said, f"{round_.name} {round_.attempt} line-up")
    return True


def match_told(event: tables.Tournament, round_: tables.Round, board: tables.Board, names: sheets.Names) -> list[Msg]:
    """What stands first in the letter of a table: which teams meet, and which board it is."""
    match, number = match_and_board(board.board, record.boards_a_match(event))
    pair = standings.pair_of(round_, match)
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


class MatchSeen(NamedTuple):
    """A round of teams as letters show its matches: its boards, and what everybody is called."""

    event: tables.Tournament
    round: tables.Round
    boards: Sequence[tables.Board]
    names: sheets.Names

    def blocks(self, board: tables.Board, language: str) -> list[Json]:
        """The boards of the match that a board is of, and why the two teams meet."""
        count, names = record.boards_a_match(self.event), self.names
        match, _ = match_and_board(board.board, count)
        lines = []
        for one in self.boards:
            its, number = match_and_board(one.board, count)
            if its == match:
                other = names[one.second] if one.second else msg("nobody")
                told = msg("{number}. {first} - {second}", number=number, first=names[one.first], second=other)
                lines.append((0, told))
        sits = content.sentences(msg("The boards of the match"), lines)
        return [sits, why_match(self.round, match, names, language)]


def why_match(round_: tables.Round, match: int, names: sheets.Names, language: str) -> Json:
    """Why the two of a pair as it was drawn meet, as a block of a letter."""
    pair = standings.pair_of(round_, match)
    lines = sheets.why_pairing(pair, names, language) if pair is not None else []
    return content.sentences(msg("Why this pairing"), [(0, line) for line in lines], whole=True)


def tell_members(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Write to those who have no table: their team meets nobody, nobody sits opposite, or they are in reserve."""
    boards = queries.tournaments.boards(work.session, round_.id)
    seen = MatchSeen(event, round_, boards, record.names_of(work.session, event))
    alone = {board.first: board for board in boards if not board.second}
    sitting = {number for board in boards if board.second for number in (board.first, board.second)}
    for team in contenders.teams_of(work, event):
        for row in contenders.members(work, team):
            if row.number in sitting or row.since > round_.number:
                continue
            if team.number in alone:
                said = _team_passes(seen, alone[team.number], row)
            elif row.number in alone:
                said = _nobody_opposite(seen, alone[row.number], row)
            else:
                said = _in_reserve(round_, team, row)
            post.to_entrant(work, event, row, said, f"{round_.name} {round_.attempt} pairing")


def _team_passes(seen: MatchSeen, board: tables.Board, row: tables.Entrant) -> post.Told:
    about = msg("Round {number}: your team rests", number=seen.round.number)
    if board.how != BYE:
        return post.Told(about, (msg("Your team rests this round."),))
    match, _ = match_and_board(board.board, record.boards_a_match(seen.event))
    told = msg("Nobody is left for your team in this round: it counts as won.")
    return post.Told(about, (told,), (why_match(seen.round, match, seen.names, row.language),))


def _nobody_opposite(seen: MatchSeen, board: tables.Board, row: tables.Entrant) -> post.Told:
    about = msg("Round {number}: nobody sits opposite", number=seen.round.number)
    told = (
        *match_told(seen.event, seen.round, board, seen.names),
        msg("Nobody sits opposite: your board counts as won [E3.12]."),
    )
    return post.Told(about, told, seen.blocks(board, row.language))


def _in_reserve(round_: tables.Round, team: tables.Team, row: tables.Entrant) -> post.Told:
    if contenders.rests(row, round_.number):
        rests = msg("You rest round {number}: your team plays without you.", number=round_.number)
        return post.Told(msg("Round {number}: you rest", number=round_.number), (rests,))
    told = [
        msg("You are not lined up for {team} in this round.", team=record.shown_team(team)),
        msg("If one of your team falls silent, his seat is offered to you."),
    ]
    return post.Told(msg("Round {number}: you are in reserve", number=round_.number), told)
