"""The lists of tournaments, of a draw and of a board of duplicate dice: read strictly, and nothing of them believed."""

from __future__ import annotations

import re
from typing import NamedTuple

from .fields import Bad, Block, sha, sorted_once

MOST_NAME = 64


class DrawList(NamedTuple):
    """Who stands in a draw: of each his line in words, the name first; who is away; who is barred from whom.

    Where teams play, how many boards a match has, and whom each team lines up; 0 and nothing else.
    `challenges` are those of a ladder that stand, the challenger first.
    """

    block: Block
    digest: str
    entrants: list[list[str]]
    away: list[str]
    barred: list[tuple[str, str]]
    challenges: list[tuple[str, str]]
    boards: int
    lineups: dict[str, list[str]]

    @property
    def names(self) -> list[str]:
        return [one[0] for one in self.entrants]

    @property
    def round(self) -> int:
        return int(self.block["round"][1:])

    @property
    def present(self) -> list[str]:
        """Those who are to be paired."""
        return [one[0] for one in self.entrants if one[0] not in self.away and int(one[6]) <= self.round]


class BoardList(NamedTuple):
    """The tables of a board, each with the hash of its closed list, or ``-``; their common name, phase and segment."""

    block: Block
    digest: str
    tables: dict[str, str]
    name: str
    phase: str
    segment: str


def number_of(name: str) -> int:
    return int(name[1:])


def draw_of(one: Block) -> DrawList:
    entrants = [line.split(" ") for line in one.all("entrant")]
    names = [words[0] for words in entrants]
    away = [] if one["away"] == "-" else one["away"].split(" ")
    told = [] if one["barred"] == "-" else one["barred"].split(" ")
    barred = [(low, high) for low, _, high in (pair.partition("-") for pair in told)]
    numbers = [(number_of(low), number_of(high)) for low, high in barred]
    once = len(set(names)) == len(names) and [number_of(name) for name in away] == sorted(set(map(number_of, away)))
    once = once and numbers == sorted(set(numbers)) and all(low < high for low, high in numbers)
    if not once or not {*away, *(name for pair in barred for name in pair)} <= set(names):
        raise Bad("a list of a draw has everybody once, and others in their order")
    met = [(challenger, challenged) for challenger, challenged in (line.split(" ") for line in one.all("challenge"))]
    found = DrawList(one, sha(one.data), entrants, away, barred, met, *teams_of(one, names))
    in_two = [name for pair in met for name in pair]
    numbers = [(number_of(challenger), number_of(challenged)) for challenger, challenged in met]
    if len(set(in_two)) < len(in_two) or not set(in_two) <= set(found.present) or numbers != sorted(numbers):
        raise Bad("a list of a draw has everybody once, and others in their order")
    return found


def teams_of(one: Block, names: list[str]) -> tuple[int, dict[str, list[str]]]:
    """How many boards a match has, and the line-ups, one for each team in the order of the list."""
    told = one.all("boards")
    lines = [line.split(" ") for line in one.all("lineup")]
    lineups = {team: [name for name in some if name != "-"] for team, *some in lines}
    members = [name for some in lineups.values() for name in some]
    if not told and not lines:
        return 0, {}
    good = len(told) == 1 and [line[0] for line in lines] == names and len(set(members)) == len(members)
    if not good or any(len(some) > int(told[0]) for some in lineups.values()):
        raise Bad("a list of teams has a line-up for each, nobody in two, and no more than there are boards")
    return int(told[0]), lineups


def belongs(table: str, name: str) -> bool:
    """Whether a table is one of a board: the board's name, with nothing, a letter, or a dash and more behind it."""
    return table.startswith(name) and re.fullmatch("|[a-z]|-.+", table[len(name) :]) is not None


def board_of(one: Block) -> BoardList:
    name, phase, segment = one["board"].rsplit("/", 2)
    lines = [(table, digest) for table, _, digest in (line.partition(" ") for line in one.all("table"))]
    names = [table for table, _ in lines]
    good = len(one["board"]) <= MOST_NAME and sorted_once(names) and all(belongs(table, name) for table in names)
    if not good or all(digest == "-" for _, digest in lines):
        raise Bad("a board has its own tables in order, each once, and one that plays")
    return BoardList(one, sha(one.data), dict(lines), name, phase, segment)
