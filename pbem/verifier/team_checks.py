"""Teams: who plays for whom, line-ups of members who are there, and boards that line-ups fill, sides to and fro."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .bundles import Leaf
from .contest_lists import DrawList, number_of
from .record import Place

Say = Callable[..., bool | None]
"""Says whether something is true of a place, and if not, why."""


def team_of_members(leaves: Iterable[Leaf]) -> dict[str, str]:
    """The team of everybody of whom leaves say it: the last word holds."""
    return {leaf["entrant"]: leaf["team"] for leaf in leaves if leaf.kind == "member"}


def counted_members(team: str, before: list[Leaf], gone: set[str]) -> list[str]:
    """The members that a team is counted by, by numbers: all that are there, or all if none is."""
    entered = {leaf["entrant"] for leaf in before if leaf.kind == "enter"}
    mine = [name for name, its in team_of_members(before).items() if its == team and name in entered]
    return sorted([name for name in mine if name not in gone] or mine, key=number_of)


def strength_of_team(team: str, before: list[Leaf], gone: set[str]) -> str:
    """The average of its members' strengths, rounded down."""
    entered = {leaf["entrant"]: leaf.num("strength") for leaf in before if leaf.kind == "enter"}
    counted = [entered[name] for name in counted_members(team, before, gone)]
    return str(sum(counted) // len(counted)) if counted else "0"


def check_lineups(say: Say, place: Place, before: list[Leaf], closed: DrawList, away: set[str]) -> None:
    """A line-up is of members who are there, and leaves no board empty that one of them could have."""
    team_of = team_of_members(before)
    teams = {leaf["entrant"] for leaf in before if leaf.kind == "team"}
    for leaf in (leaf for leaf in before if leaf.kind == "member"):
        same = leaf["team"] in teams and team_of[leaf["entrant"]] == leaf["team"]
        say(same, place, "{} plays for two teams, or for one that never entered", leaf["entrant"])
    for team, some in closed.lineups.items():
        there = [name for name, its in team_of.items() if its == team and name not in away]
        for name in some:
            say(name in there, place, "{} is lined up for {}, and is away or no member of it", name, team)
        most = min(closed.boards, len(there))
        say(len(some) == most, place, "{} lines up {}, where {} could sit", team, len(some), most)


def check_matches(say: Say, place: Place, drawn: list[Leaf], closed: DrawList, *, whole: bool) -> None:
    """Each match has all its boards, of those lined up, on sides that go to and fro; `whole`: all leaves are told."""
    boards = {pair.num("board"): pair for pair in drawn}
    team_of = {name: team for team, some in closed.lineups.items() for name in some}
    for match in sorted({(number - 1) // closed.boards for number in boards}):
        first = match * closed.boards + 1
        opening = boards.get(first)
        if opening is None:
            say(False if whole else None, place, "board {} is in no pair, and others of its match are", first)
            continue
        numbers = [number for number in boards if first <= number < first + closed.boards]
        if opening["second"] == "-":
            alone = opening["first"] in closed.lineups and len(numbers) == 1
            say(alone, place, "board {} is of a team that meets nobody, or of no team", first)
            continue
        teams = [team_of.get(opening[key], "") for key in ("first", "second")]
        lines = [closed.lineups.get(team, []) for team in teams]
        if not say("" not in teams and teams[0] != teams[1], place, "board {} is not of two teams as lined up", first):
            continue
        for at in range(max(map(len, lines))):
            check_board(say, place, (first + at, boards.get(first + at)), seats_of(lines, at), whole=whole)
        over = [number for number in numbers if number >= first + max(map(len, lines))]
        say(not over, place, "board {} is one that neither team has anybody for", *over[:1] or (0,))


def seats_of(lines: list[list[str]], at: int) -> tuple[str, str]:
    """Who sits at a board of a match, counted from 0: first and second, or one and ``-``."""
    one, other = (line[at] if at < len(line) else "-" for line in lines)
    if "-" in (one, other):
        return (one, other) if other == "-" else (other, one)
    return (other, one) if at % 2 else (one, other)


def check_board(
    say: Say, place: Place, board: tuple[int, Leaf | None], wanted: tuple[str, str], *, whole: bool
) -> None:
    number, pair = board
    if pair is None:
        say(False if whole else None, place, "board {} of two line-ups is in no pair", number)
        return
    same = (pair["first"], pair["second"]) == wanted
    say(same, place, "board {} is not of {} and {}, as they were lined up", number, *wanted)


def teams_in(drawn: list[Leaf], closed: DrawList) -> set[str]:
    """The teams that have a match in a draw, or nobody to meet."""
    team_of = {name: team for team, some in closed.lineups.items() for name in some}
    names = {name for pair in drawn for name in (pair["first"], pair["second"])}
    return {team_of.get(name, name) for name in names}


def pairs_of_teams(drawn: list[Leaf], closed: DrawList) -> list[tuple[str, str]]:
    """Which teams meet, the lower number first."""
    team_of = {name: team for team, some in closed.lineups.items() for name in some}
    found = {(team_of.get(pair["first"], ""), team_of.get(pair["second"], "")) for pair in drawn}
    both = {(min(two, key=number_of), max(two, key=number_of)) for two in found if "" not in two}
    return sorted(both)
