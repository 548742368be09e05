"""E3 Compute stages: ranking, qualification, team matches and sides.

Each format ranks its entrants by a criterion of its own first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import FIRST, NOBODY, PENDING, Lots, TableResult, entrant_label
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingManner, PairingReason, RoundInput
from pbem.tournaments.arithmetic.pairing.knockout import bracket_seed_order, exit_rounds, rounds_survived, third_places
from pbem.tournaments.arithmetic.pairing.ladder import ladder_before, without_pending_boards
from pbem.tournaments.arithmetic.pairing.robin import divisions_of, promote_and_relegate
from pbem.tournaments.arithmetic.rules.records import StageRules
from pbem.tournaments.arithmetic.standings import RankingInput, StandingsTable, rank_entrants

# E5.4 E5.5 Tables of a board: mirrored tables, and sides by bids.


class SeatedTable(NamedTuple):
    """A table of a board with its players by side.

    `letter` is ``a`` or ``b`` where the board is mirrored, else empty.
    """

    letter: str
    first: int
    second: int


def tables_of_board(pair: Pair, sides: str) -> tuple[SeatedTable, ...]:
    """E5.4 Return the tables of a board; none for a bye.

    On a mirrored board table ``b`` has the sides exchanged.
    """
    if pair.second == NOBODY:
        return ()
    if sides == "mirror":
        return SeatedTable("a", pair.first, pair.second), SeatedTable("b", pair.second, pair.first)
    return (SeatedTable("", pair.first, pair.second),)


class SideBid(NamedTuple):
    """The price that an entrant would pay for a side, in points of the scenario."""

    by: int
    side: int
    amount: int


class SideAward(NamedTuple):
    """Sides after bids: players, payer and price (NOBODY and 0 if none), reason."""

    first: int
    second: int
    payer: int
    amount: int
    why: PairingReason


def award_sides(pair: Pair, bids: Sequence[SideBid]) -> SideAward:
    """E5.5 Award the sides: the higher bid for a side gets it and pays.

    On equal bids `pair.first`, who was drawn first, gets the side. Bids for different sides are both met and cost
    nothing; so does a lone bid. Without bids the sides are as drawn. The last bid of each player counts; bids of
    anybody else are ignored.
    """
    last = {offer.by: offer for offer in bids if offer.by in (pair.first, pair.second)}
    own, other = last.get(pair.first), last.get(pair.second)
    values = {entrant_label(bid.by): bid.amount for bid in (own, other) if bid}
    if own and other and own.side == other.side:
        best = own if own.amount >= other.amount else other
        word = "alike" if own.amount == other.amount else "bid"
        return _award(pair, best.by, best.side, (best.amount, PairingReason("E5.5", word, values)))
    if lone := own or other:
        why = PairingReason("E5.5", "other sides" if own and other else "one bid", values)
        return _award(pair, lone.by, lone.side, (0, why))
    return SideAward(pair.first, pair.second, NOBODY, 0, PairingReason("E5.5", "no bid", values))


def _award(pair: Pair, winner: int, side: int, price: tuple[int, PairingReason]) -> SideAward:
    opponent = pair.second if winner == pair.first else pair.first
    amount, why = price
    first, second = (winner, opponent) if side == FIRST else (opponent, winner)
    return SideAward(first, second, winner if amount else NOBODY, amount, why)


# E3.8 Teams: the pairing is of teams, their boards are filled by line-ups, and a match is won by boards.
#
# Teams are paired as entrants are (`pairing.draw`), by their own numbers. On odd boards the member of the team drawn
# first has the first side, on even ones the other.


# Points in halves: a game won, a game drawn.
_WIN, _DRAW = 2, 1


class TeamBoard(NamedTuple):
    """A board of a match: the players by side, NOBODY where a team has no player."""

    board: int
    first: int
    second: int


def board_number(match: int, board: int, boards: int) -> int:
    """Return the number of a match's board, both from 1, in the whole round."""
    return (match - 1) * boards + board


def match_and_board(number: int, boards: int) -> tuple[int, int]:
    """Return a board's match and its number in it, both from 1."""
    match, board = divmod(number - 1, boards)
    return match + 1, board + 1


def fill_line_up(wanted: Sequence[int], present: Sequence[int], boards: int) -> tuple[int, ...]:
    """E3.11 Return the members at the boards.

    First come the `wanted` members who are `present`, then the other present ones in the order of entry.
    """
    first = [member for member in wanted if member in present]
    return (*first, *(member for member in present if member not in first))[:boards]


def team_strength(strengths: Sequence[int]) -> int:
    """E3.13 Return the average strength of members, rounded down; 0 without members."""
    return sum(strengths) // len(strengths) if strengths else 0


def line_up_faults(line_up: Sequence[int], members: Sequence[int], boards: int) -> tuple[tuple[str, int], ...]:
    """E3.8 Return the faults of a line-up.

    ``stranger`` or ``twice`` with the member, ``many`` with their count.
    """
    faults = [("stranger", member) for member in line_up if member not in members]
    faults += [("twice", member) for place, member in enumerate(line_up) if member in line_up[:place]]
    return (*faults, ("many", len(line_up))) if len(line_up) > boards else tuple(faults)


def boards_of_match(pair: Pair, line_ups: Mapping[int, Sequence[int]], boards: int) -> tuple[TeamBoard, ...]:
    """E3.8 Return the boards of a team match, from 1 in the match; none for a bye.

    `line_ups` maps teams to their members in order; boards without a player of either team are left out.
    """
    if pair.second == NOBODY:
        return ()
    team_boards = []
    for index in range(boards):
        home, away = (_at(line_ups.get(team, ()), index) for team in (pair.first, pair.second))
        first, second = (away, home) if index % 2 else (home, away)
        if first or second:
            team_boards.append(TeamBoard(index + 1, first, second))
    return tuple(team_boards)


def _at(line_up: Sequence[int], place: int) -> int:
    return line_up[place] if place < len(line_up) else NOBODY


def result_of_match(pair: Pair, round_: int, tables: Sequence[TableResult], members: Mapping[int, int]) -> TableResult:
    """E3.8 Return the result of a match from its boards.

    `members` maps players to teams. The team with more half points at the boards wins; equal half points are a
    draw. The margin is the lead in half points. The result is pending while a board is, and a forfeit if all boards
    were forfeited.
    """
    halves = {pair.first: 0, pair.second: 0}
    for table in tables:
        for member, value in zip((table.first, table.second), table.halves, strict=True):
            if member != NOBODY:
                halves[members[member]] += value
    if not tables or any(result.how == PENDING for result in tables):
        return TableResult(round_, pair.board, pair.first, pair.second, how=PENDING)
    ahead = halves[pair.first] - halves[pair.second]
    match_halves = (_DRAW, _DRAW) if not ahead else (_WIN, 0) if ahead > 0 else (0, _WIN)
    forfeit = all(result.how == "forfeit" for result in tables)
    if forfeit and not any(halves.values()):
        match_halves = (0, 0)
    return TableResult(
        round_, pair.board, pair.first, pair.second, match_halves, ahead, "forfeit" if forfeit else "played"
    )


# E3 The table of a stage: the first criterion of its format, then the criteria of the rules.


_PERCENT = 100
"""Margins are multiplied by it, so that the weight of luck can be whole percent."""


def _places(round_input: RoundInput) -> dict[int, int]:
    """Return the places on the ladder, 1 as -1, so that higher is better.

    Entrants who are not on it yet are below all others.
    """
    last = max((result.round for result in round_input.results), default=0)
    ladder = ladder_before(without_pending_boards(round_input), last + 1)
    ladder += [entrant.number for entrant in round_input.entrants if entrant.number not in ladder]
    return {number: -place for place, number in enumerate(ladder, start=1)}


def _finished_rounds(round_input: RoundInput) -> RoundInput:
    """Return the input up to the last finished round; a running one is undecided."""
    pending_rounds = [result.round for result in round_input.results if result.how == PENDING]
    return round_input._replace(
        results=tuple(
            result for result in round_input.results if not pending_rounds or result.round < min(pending_rounds)
        )
    )


def _count_rounds_survived(round_input: RoundInput) -> dict[int, int]:
    """Return the rounds that each entrant survived, in finished rounds."""
    return rounds_survived(_finished_rounds(round_input))


def _find_rounds_of_exit(round_input: RoundInput) -> dict[int, int]:
    """Return the round in which each entrant went out, in finished rounds."""
    return exit_rounds(_finished_rounds(round_input))


def _divisions(round_input: RoundInput) -> dict[int, int]:
    """Return the divisions of entrants, the first as -1, so that higher is better."""
    return {entrant.number: -rank for rank, group in enumerate(divisions_of(round_input), start=1) for entrant in group}


_FIRST: Mapping[str, tuple[str, Callable[[RoundInput], dict[int, int]]]] = MappingProxyType(
    {
        "knockout": ("reached", _count_rounds_survived),
        "double": ("survived", _find_rounds_of_exit),
        "ladder": ("place", _places),
        "league": ("division", _divisions),
    }
)
"""The first criterion of a format, before those of the rules."""


def stage_table(
    round_input: RoundInput, order: Sequence[str], lots: Lots, luck: Mapping[int, int] | None = None
) -> StandingsTable:
    """E7 Return the table of a stage from all results, of every round.

    Knockout ranks by rounds survived and the game for third place, double by the round in which one went out, ladder
    by place, league by division, and each then by `order`. `luck` are the margins of E7.11, where the rules name them.
    """
    extra_values: dict[str, Mapping[int, int]] = {} if luck is None else {"luck": luck}
    first: tuple[str, ...] = ()
    if round_input.manner.format in _FIRST:
        name, count = _FIRST[round_input.manner.format]
        extra_values[name], first = count(round_input), (name,)
    if round_input.manner.third:
        extra_values["third"], first = third_places(_finished_rounds(round_input)), (*first, "third")
    ranking_input = RankingInput(
        round_input.entrants, round_input.results, (*first, *order), round_input.start, extra_values
    )
    return rank_entrants(ranking_input, lots)


def adjust_for_luck(margins: Mapping[int, int], luck: Mapping[int, int], weight: int) -> dict[int, int]:
    """E7.11 Return margins in hundredths, less `weight` percent of luck.

    `luck` maps entrants to what they gained by luck at all their tables, in points of margin; it is 0 for entrants
    that it lacks.
    """
    return {number: _PERCENT * margin - weight * luck.get(number, 0) for number, margin in margins.items()}


# E3.9 Qualification for the next stage: entrants, seeds and points carried over.


class QualifiedSeeds(NamedTuple):
    """The entrants of the next stage by seed, and their start half points."""

    seeds: tuple[int, ...]
    start: Mapping[int, int]


def qualifiers_for_next_stage(
    table: StandingsTable, manner_before: PairingManner, stage: StageRules, departed: frozenset[int] = frozenset()
) -> QualifiedSeeds:
    """E3.9 Return the entrants of the next stage: the best `stage.take`, or all if 0.

    E3.15 `stage.each` takes so many of each division.
    Entrants who left are out. If all divisions of a league go on into another league, the seeds are in the order of
    the divisions after moving up and down (E3.7).
    """
    order = [row.number for row in table.rows]
    if manner_before.format == "league" and stage.format == "league" and not stage.take:
        order = _next_season_order(table, manner_before.moving)
    remaining = [number for number in order if number not in departed]
    if stage.each:
        groups = [[number for number in group if number not in departed] for group in _order_by_division(table)]
        remaining = seed_group_winners([group[: stage.each] for group in groups])
    seeds = tuple(remaining[: stage.take] if stage.take else remaining)
    halves = {number: table.ground.tallies[number].halves for number in seeds}
    carried = {"all": halves, "half": {number: (value + 1) // 2 for number, value in halves.items()}}
    return QualifiedSeeds(seeds, {number: value for number, value in carried.get(stage.carry, {}).items() if value})


def _next_season_order(table: StandingsTable, moving: int) -> list[int]:
    """Return all entrants in the order of next season's divisions."""
    return [member for members in promote_and_relegate(_order_by_division(table), moving) for member in members]


def _order_by_division(table: StandingsTable) -> list[list[int]]:
    """Return the entrants of each division by rank."""
    division = table.ground.given["division"]
    orders: dict[int, list[int]] = {}
    for row in table.rows:
        orders.setdefault(-division[row.number], []).append(row.number)
    return [orders[number] for number in sorted(orders)]


def seed_group_winners(groups: Sequence[Sequence[int]]) -> list[int]:
    """E3.15 Return those who go on by seed: all winners, then all seconds, and so on.

    Each place begins with the group by which two of one group meet as late in a bracket as they can.
    """
    group_of = {number: index for index, group in enumerate(groups) for number in group}
    slot_of = {seed - 1: slot for slot, seed in enumerate(bracket_seed_order(len(group_of)))}
    seeds = list[int]()

    def first_meeting(row: Iterable[int]) -> int:
        row_numbers = [*row]
        slots = {number: slot_of[seed] for seed, number in enumerate((*seeds, *row_numbers))}
        mates = (
            (slots[number], slots[mate]) for number in row_numbers for mate in groups[group_of[number]] if mate in seeds
        )
        return min(((slot ^ mate_slot).bit_length() for slot, mate_slot in mates), default=0)

    for place in range(max(map(len, groups), default=0)):
        row = [group[place] for group in groups if len(group) > place]
        rotations = [row[start:] + row[:start] for start in range(len(row))]
        seeds += max(rotations, key=first_meeting)
    return seeds
