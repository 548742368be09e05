"""Read the lists of tournaments strictly: draws and boards of duplicate dice."""

from __future__ import annotations

import re
from typing import NamedTuple

from .fields import Block, FormatError, is_sorted_unique, sha256_hex

MOST_NAME = 64
"""Characters of a board's name, as many as all names in blocks have (`fields.ID`)."""


class DrawList(NamedTuple):
    """The list of a draw: entrants, who is away, and who is barred from whom.

    Each entrant is a line in words, the name first. With teams, `boards` is the number of boards of a match and
    `lineups` has the line-ups; else they are 0 and empty. `challenges` are the accepted challenges of a ladder, the
    challenger first.
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
        return [words[0] for words in self.entrants]

    @property
    def round(self) -> int:
        return int(self.block["round"][1:])

    @property
    def present(self) -> list[str]:
        """Return the entrants to be paired."""
        return [words[0] for words in self.entrants if words[0] not in self.away and int(words[6]) <= self.round]


class BoardList(NamedTuple):
    """The tables of a board, each with the hash of its closed list, or ``-``.

    `name`, `phase` and `segment` are common to its tables.
    """

    block: Block
    digest: str
    tables: dict[str, str]
    name: str
    phase: str
    segment: str


def number_of(name: str) -> int:
    return int(name[1:])


def parse_draw_list(block: Block) -> DrawList:
    entrants = [line.split(" ") for line in block.all("entrant")]
    names = [words[0] for words in entrants]
    away = [] if block["away"] == "-" else block["away"].split(" ")
    barred_words = [] if block["barred"] == "-" else block["barred"].split(" ")
    barred = [(low, high) for low, _, high in (pair.partition("-") for pair in barred_words)]
    numbers = [(number_of(low), number_of(high)) for low, high in barred]
    canonical = len(set(names)) == len(names) and [number_of(name) for name in away] == sorted(
        set(map(number_of, away))
    )
    canonical = canonical and numbers == sorted(set(numbers)) and all(low < high for low, high in numbers)
    if not canonical or not {*away, *(name for pair in barred for name in pair)} <= set(names):
        raise FormatError("a list of a draw has everybody once, and others in their order")
    challenges = [
        (challenger, challenged) for challenger, challenged in (line.split(" ") for line in block.all("challenge"))
    ]
    draw = DrawList(block, sha256_hex(block.data), entrants, away, barred, challenges, *parse_teams(block, names))
    challenge_names = [name for pair in challenges for name in pair]
    numbers = [(number_of(challenger), number_of(challenged)) for challenger, challenged in challenges]
    if (
        len(set(challenge_names)) < len(challenge_names)
        or not set(challenge_names) <= set(draw.present)
        or numbers != sorted(numbers)
    ):
        raise FormatError("a list of a draw has everybody once, and others in their order")
    return draw


def parse_teams(block: Block, names: list[str]) -> tuple[int, dict[str, list[str]]]:
    """Return the number of boards of a match and the line-ups.

    There is one line-up for each team, in the order of the list.
    """
    boards_values = block.all("boards")
    lines = [line.split(" ") for line in block.all("lineup")]
    lineups = {team: [name for name in names_there if name != "-"] for team, *names_there in lines}
    members = [name for names_there in lineups.values() for name in names_there]
    if not boards_values and not lines:
        return 0, {}
    good = len(boards_values) == 1 and [line[0] for line in lines] == names and len(set(members)) == len(members)
    if not good or any(len(names_there) > int(boards_values[0]) for names_there in lineups.values()):
        raise FormatError("a list of teams has a line-up for each, nobody in two, and no more than there are boards")
    return int(boards_values[0]), lineups


def is_table_of_board(table: str, name: str) -> bool:
    """Return whether a table is one of a board.

    Its name is the board's, followed by nothing, by a letter, or by a dash and more.
    """
    return table.startswith(name) and re.fullmatch("|[a-z]|-.+", table[len(name) :]) is not None


def parse_board_list(block: Block) -> BoardList:
    name, phase, segment = block["board"].rsplit("/", 2)
    lines = [(table, digest) for table, _, digest in (line.partition(" ") for line in block.all("table"))]
    names = [table for table, _ in lines]
    good = (
        len(block["board"]) <= MOST_NAME
        and is_sorted_unique(names)
        and all(is_table_of_board(table, name) for table in names)
    )
    if not good or all(digest == "-" for _, digest in lines):
        raise FormatError("a board has its own tables in order, each once, and one that plays")
    return BoardList(block, sha256_hex(block.data), dict(lines), name, phase, segment)
