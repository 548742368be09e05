"""`pbem event show`: what there is to know of one tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.event_json import BoardRow, ChallengeRow, EntrantRow, RoundRow, TeamRow
from pbem.cli.json_output import AsJson, instant, print_json
from pbem.cli.options import HERE, Config

if TYPE_CHECKING:
    from pbem.tournaments.cards import BoardLine, ChallengeLine, EntrantLine, RoundLine, TeamLine

app = typer.Typer()
EventName = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name on this server, such as cup60.")]


@app.command()
def show(name: EventName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show one tournament: entrants and where they write to, teams, rounds, boards, results."""
    from pbem.cli.server.assembly import opened
    from pbem.tournaments.cards import show_event

    with opened(config) as server, server.reading() as work:
        card = show_event(work, name)
    if as_json:
        print_json(
            {
                "schema": "tournament/1",
                "name": card.name,
                "title": card.title,
                "state": card.state,
                "held_why": card.held_why or None,
                "stage": card.stage,
                "rules": card.digest,
                "scenario": card.scenario,
                "director": card.director,
                "next": instant(card.wake),
                "entrants": [_entrant(one) for one in card.entrants],
                "teams": [_team(one) for one in card.teams],
                "rounds": [_round(one) for one in card.rounds],
                "challenges": [_challenge(one) for one in card.challenges],
            }
        )
        return
    print(
        f"{card.name}: {card.title}, {card.scenario}, {card.state}" + (f" ({card.held_why})" if card.held_why else "")
    )
    print(f"rules {card.digest}")
    print(f"director {card.director}, who writes to {card.address}")
    if card.wake is not None:
        print(f"looked at next: {moment(card.wake)}")
    if card.entrants:
        print_table(
            [("ENTRANT", "NAME", "STATE", "STRENGTH", "MAIL", "WRITES TO")]
            + [(e.entrant, e.name or "-", e.state, str(e.strength), e.email, e.address) for e in card.entrants]
        )
    if card.teams:
        print_table(
            [("TEAM", "NAME", "STATE", "STRENGTH", "CAPTAIN", "MEMBERS")]
            + [(t.team, t.name, t.state, str(t.strength), t.captain, " ".join(t.members) or "-") for t in card.teams]
        )
    for row in card.rounds:
        print(f"{row.name}: {row.state}, list shuts {moment(row.opens)}, ends {moment(row.ends)}")
        if row.boards:
            print_table(
                [("BOARD", "FIRST", "SECOND", "GAME", "STATE", "POINTS", "MARGIN", "HOW")]
                + [(b.board, b.first, b.second, b.game, b.state, b.points, str(b.margin), b.how) for b in row.boards]
            )
    if card.challenges:
        print_table([("ROUND", "CHALLENGER", "CHALLENGED", "CHALLENGE")] + [(*one,) for one in card.challenges])


def _entrant(one: EntrantLine) -> EntrantRow:
    return EntrantRow(
        entrant=one.entrant,
        name=one.name,
        state=one.state,
        strength=one.strength,
        email=one.email,
        address=one.address,
    )


def _team(one: TeamLine) -> TeamRow:
    return TeamRow(
        team=one.team,
        name=one.name,
        state=one.state,
        captain=one.captain,
        members=list(one.members),
        strength=one.strength,
    )


def _round(one: RoundLine) -> RoundRow:
    return RoundRow(
        name=one.name,
        attempt=one.attempt,
        state=one.state,
        list_shuts=instant(one.opens),
        draws=instant(one.draws),
        starts=instant(one.starts),
        ends=instant(one.ends),
        boards=[_board(board) for board in one.boards],
    )


def _challenge(one: ChallengeLine) -> ChallengeRow:
    return ChallengeRow(round=one.round, challenger=one.challenger, challenged=one.challenged, state=one.state)


def _board(one: BoardLine) -> BoardRow:
    return BoardRow(
        board=one.board,
        first=one.first,
        second=one.second,
        game=one.game,
        state=one.state,
        points=one.points,
        margin=one.margin,
        how=one.how,
    )
