"""E3.8 Teams formed and left: founded by who names one, joined by whom the captain admits, handed on when he goes.

Nobody is in a team whom its captain has not admitted by letter; who still asks when the list of a round shuts is out.
The caller holds the tournament.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import close_matches, fold
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, event_leaves, post, record, team_sheets
from pbem.tournaments.arithmetic.entering import halves_for_missed
from pbem.tournaments.arithmetic.rules.ends import most_rounds

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


def places(work: Work, event: tables.Tournament, team: tables.Team) -> int:
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
    event_leaves.note_team(work, event, team)


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
        event_leaves.note_left(work, event, team.number, out[2], out[1])
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
        shown = (team_sheets.line_up_block(work, event, team, out[2], title),) if _has_round(event, out[2]) else ()
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
    said = post.Told(about, told, (team_sheets.line_up_block(work, event, team, number, title),))
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
