"""Check teams: members, strength, line-ups of available members, and boards.

The sides alternate from board to board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from .bundles import Leaf
from .record import LogPlace
from .tournament_lists import DrawList, number_of

Say = Callable[..., bool | None]
"""Records whether a fact is true of a place, and the reason if not."""


def team_of_members(leaves: Iterable[Leaf]) -> dict[str, str]:
    """Return each member's team by the leaves; the last leaf counts."""
    return {leaf["entrant"]: leaf["team"] for leaf in leaves if leaf.kind == "member"}


def pattern_of_expelling_rulings(name: str, team_of: Mapping[str, str]) -> str:
    """Return the rulings that expel an entrant or a team, as a pattern.

    They may also name his team, or a member of it: a team leaves with its last expelled member.
    """
    named = {name, team_of.get(name, name), *(member for member, team in team_of.items() if team == name)}
    return f"EXPEL E?0*(?:{'|'.join(sorted(number[1:] for number in named))})"


def members_for_strength(team: str, before: list[Leaf], gone: set[str]) -> list[str]:
    """Return the members who count for a team's strength, in order of number.

    They are the present members, or all if none is present.
    """
    entered = {leaf["entrant"] for leaf in before if leaf.kind == "enter"}
    members = [name for name, team_name in team_of_members(before).items() if team_name == team and name in entered]
    # `number_of`, since e10 would sort before e2 as text.
    return sorted([name for name in members if name not in gone] or members, key=number_of)


# The numbered lines of rulings as the log has them; only their fixed English form counts.
_UNDO = re.compile("[1-9][0-9]{0,8}[.] UNDO ([1-9][0-9]{0,8}) BECAUSE ")
_SEED = re.compile("[1-9][0-9]{0,8}[.] SEED ([E0-9, ]+) BECAUSE ")


def rulings_not_undone(leaves: list[Leaf], texts: Mapping[str, str]) -> list[str] | None:
    """Return the rulings that were not undone; None if a text is in no letter."""
    ruled = [texts.get(leaf["text"].removeprefix("sha256:")) for leaf in leaves if leaf.kind == "verdict"]
    known = [text for text in ruled if text is not None]
    undone = {match[1] for text in known if (match := _UNDO.match(text))}
    return [text for text in known if text.partition(".")[0] not in undone] if len(known) == len(ruled) else None


def seeded_strengths(rulings: list[str]) -> dict[str, str]:
    """Return the strengths that rulings give entrants; the last ruling counts."""
    pairs = [pair for text in rulings if (match := _SEED.match(text)) for pair in match[1].split(",")]
    return {f"e{int(words[0].lstrip('E'))}": str(int(words[1])) for words in map(str.split, pairs) if len(words) == 2}


def strength_of_team(team: str, before: list[Leaf], gone: set[str], seeds: Mapping[str, str]) -> str:
    """Return the average strength of a team's members, rounded down."""
    enters = [leaf for leaf in before if leaf.kind == "enter"]
    entered = {leaf["entrant"]: int(seeds.get(leaf["entrant"], leaf["strength"])) for leaf in enters}
    counted = [entered[name] for name in members_for_strength(team, before, gone)]
    return str(sum(counted) // len(counted)) if counted else "0"


def check_lineups(say: Say, place: LogPlace, before: list[Leaf], closed: DrawList, away: set[str]) -> None:
    """Check that a line-up has present members, and no board empty without need."""
    team_of = team_of_members(before)
    teams = {leaf["entrant"] for leaf in before if leaf.kind == "team"}
    for leaf in (leaf for leaf in before if leaf.kind == "member"):
        same = leaf["team"] in teams and team_of[leaf["entrant"]] == leaf["team"]
        say(same, place, "{} plays for two teams, or for one that never entered", leaf["entrant"])
    for team, members in closed.lineups.items():
        available = [name for name, team_name in team_of.items() if team_name == team and name not in away]
        for name in members:
            say(name in available, place, "{} is lined up for {}, and is away or no member of it", name, team)
        expected = min(closed.boards, len(available))
        say(len(members) == expected, place, "{} lines up {}, where {} could sit", team, len(members), expected)


def check_matches(say: Say, place: LogPlace, drawn: list[Leaf], closed: DrawList, *, whole: bool) -> None:
    """Check that each match has all its boards, of the members lined up.

    Sides alternate from board to board. `whole` means that letters show all leaves.
    """
    boards = {pair.num("board"): pair for pair in drawn}
    team_of = {name: team for team, members in closed.lineups.items() for name in members}
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
        for offset in range(max(map(len, lines))):
            check_match_board(
                say, place, (first + offset, boards.get(first + offset)), players_at(lines, offset), whole=whole
            )
        surplus = [number for number in numbers if number >= first + max(map(len, lines))]
        say(not surplus, place, "board {} is one that neither team has anybody for", *surplus[:1] or (0,))


def players_at(lines: list[list[str]], offset: int) -> tuple[str, str]:
    """Return the players at a board of a match, counted from 0.

    They are the first and the second, or a single one and ``-``.
    """
    home, guest = (line[offset] if offset < len(line) else "-" for line in lines)
    if "-" in (home, guest):
        return (home, guest) if guest == "-" else (guest, home)
    return (guest, home) if offset % 2 else (home, guest)


def check_match_board(
    say: Say, place: LogPlace, board: tuple[int, Leaf | None], wanted: tuple[str, str], *, whole: bool
) -> None:
    number, pair = board
    if pair is None:
        say(False if whole else None, place, "board {} of two line-ups is in no pair", number)
        return
    same = (pair["first"], pair["second"]) == wanted
    say(same, place, "board {} is not of {} and {}, as they were lined up", number, *wanted)


def teams_in(drawn: list[Leaf], closed: DrawList) -> set[str]:
    """Return the teams that have a match or a bye in a draw."""
    team_of = {name: team for team, members in closed.lineups.items() for name in members}
    names = {name for pair in drawn for name in (pair["first"], pair["second"])}
    return {team_of.get(name, name) for name in names}


def pairs_of_teams(drawn: list[Leaf], closed: DrawList) -> list[tuple[str, str]]:
    """Return the pairs of teams in a draw, the lower number first."""
    team_of = {name: team for team, members in closed.lineups.items() for name in members}
    team_pairs = {(team_of.get(pair["first"], ""), team_of.get(pair["second"], "")) for pair in drawn}
    both = {(min(pair_, key=number_of), max(pair_, key=number_of)) for pair_ in team_pairs if "" not in pair_}
    return sorted(both)
