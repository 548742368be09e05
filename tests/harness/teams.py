"""Tournaments of teams to test with: formed by letters, their captains admitting who asks."""

from collections.abc import Mapping

from tests.harness.tournament import CUP, PlayedTournament, done_once, with_values

TEAMS = with_values(CUP, waiting="0").replace("rounds = 3", "rounds = 3\n[teams]\nboards = 2\nreserves = 1")


def member(team: str, number: int) -> str:
    """The address of a team's member, 1 its captain."""
    return f"{team.lower()}{number}@players.example"


@done_once
def form(hall: PlayedTournament, *teams: str, **sizes: int) -> Mapping[str, list[str]]:
    """Teams of two, or of as many as is told by name; the addresses of each, captains first."""
    numbers = {}
    for team in (*teams, *sizes):
        people = [member(team, number) for number in range(1, sizes.get(team, 2) + 1)]
        for who in people:
            hall.enter(who, f'TEAM "{team}" NAME {team[0]}{who[-17]}')
            if who != people[0]:
                hall.say(people[0], f"ADMIT {hall.number(who)}")
        numbers[team] = people
    hall.sent()
    return numbers


def number_of(hall: PlayedTournament, team: str) -> int:
    """The number of a team."""
    from pbem.store import queries

    with hall.opened.session() as session:
        return next(row.number for row in queries.tournaments.teams(session, hall.name) if row.name == team)
