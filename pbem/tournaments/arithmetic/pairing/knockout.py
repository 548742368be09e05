"""E3.3 Pair a knockout, seeded one against last, and a double elimination.

An entrant without an opponent goes on by a bye, which is in his result. An absent one, or one without a
result in a round, is out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import (
    BYE,
    FIRST,
    NOBODY,
    PENDING,
    SECOND,
    EntrantRecord,
    Lots,
    TableResult,
    entrant_label,
    entrant_records,
)
from pbem.tournaments.arithmetic.pairing.boards import bye_pair, number_boards, pair_with_sides, present_numbers
from pbem.tournaments.arithmetic.pairing.costs import pair_lot_label
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingManner, PairingReason, RoundDraw, RoundInput
from pbem.tournaments.arithmetic.pairing.matching import Edge, minimum_weight_matching

# E3.10 The winner of two: more points, else the greater margin, else the better seed.
#
# If both have forfeited neither goes on. A pending table decides nothing.


class UndecidedRound(ValueError):
    """A round needed for the next one has a pending table."""


def tables_by_pair(results: Iterable[TableResult], round_: int) -> Mapping[frozenset[int], list[TableResult]]:
    """Return the tables of a round by pair of entrants."""
    by_pair: dict[frozenset[int], list[TableResult]] = {}
    for result in results:
        if result.round == round_ and result.second != NOBODY:
            by_pair.setdefault(frozenset((result.first, result.second)), []).append(result)
    return by_pair


def byes_in(results: Iterable[TableResult], round_: int) -> frozenset[int]:
    """Return the entrants with a bye in a round, without those who rest by choice."""
    return frozenset(result.first for result in results if result.round == round_ and result.how == BYE)


def winner_of(tables: Sequence[TableResult], seeds: Mapping[int, int]) -> int:
    """E3.10 Return the winner of a board, NOBODY if both forfeited.

    Raise UndecidedRound if a table is pending. `seeds` are places by number, the best the lowest.
    """
    a, b = tables[0].first, tables[0].second
    if any(table.how == PENDING for table in tables):
        raise UndecidedRound(f"round {tables[0].round}: e{a} and e{b} are still at it")
    seats = [FIRST if table.first == a else SECOND for table in tables]
    own_halves = sum(table.halves[seat] for table, seat in zip(tables, seats, strict=True))
    other_halves = sum(table.halves[1 - seat] for table, seat in zip(tables, seats, strict=True))
    if not own_halves and not other_halves and all(table.how == "forfeit" for table in tables):
        return NOBODY
    ahead = sum(-table.margin if seat else table.margin for table, seat in zip(tables, seats, strict=True))
    return a if (own_halves, ahead, -seeds[a]) > (other_halves, -ahead, -seeds[b]) else b


def entrants_knocked_out(tables: Sequence[TableResult], seeds: Mapping[int, int]) -> tuple[int, ...]:
    """Return the entrants who are out: one, or both."""
    winner = winner_of(tables, seeds)
    return tuple(number for number in (tables[0].first, tables[0].second) if number != winner)


def bracket_seed_order(count: int) -> list[int]:
    """Return the seeds from 1 in bracket order, for all places: 1 8 4 5 2 7 3 6."""
    order = [1]
    while len(order) < count:
        order = [seed for low in order for seed in (low, 2 * len(order) + 1 - low)]
    return order


def seeds_by_entrant(round_input: RoundInput) -> dict[int, int]:
    """Return the seeds of all entrants, from 1."""
    return {entrant.number: seed for seed, entrant in enumerate(round_input.entrants, start=1)}


class BracketTie(NamedTuple):
    """Two places of a bracket, and who goes on: None before that is decided.

    `rule` is the rule by which they meet, `games` are the tables of each round that they played.
    """

    couple: tuple[int, int]
    rule: str = "E3.3"
    winner: int | None = None
    games: tuple[tuple[TableResult, ...], ...] = ()


class BracketLevel(NamedTuple):
    """A level of a bracket: its places, NOBODY where nobody went on, and its ties.

    A tie for third place comes last. A level has as many rounds as its longest tie has games.
    """

    slots: tuple[int, ...]
    ties: tuple[BracketTie, ...]

    @property
    def is_over(self) -> bool:
        """Return whether it is known of all ties who goes on."""
        return all(tie.winner is not None for tie in self.ties)


def levels_after(round_input: RoundInput, rounds: int) -> list[BracketLevel]:
    """Return the levels of the bracket after some rounds.

    The last one is to be played. The winner of all stands alone in a last level without ties.
    """
    seeds = seeds_by_entrant(round_input)
    slots = [
        round_input.entrants[seed - 1].number if seed <= len(seeds) else NOBODY
        for seed in bracket_seed_order(len(seeds))
    ]
    levels = [BracketLevel(tuple(slots), neighbours_as_ties(slots))]
    manner = round_input.manner
    for round_ in range(1, rounds + 1):
        tables, byes = tables_by_pair(round_input.results, round_), byes_in(round_input.results, round_)
        if _is_past(levels[-1], tables):
            levels[-1] = _close_level(levels[-1], tables, seeds)
            levels.append(_next_level(levels[-1], third=manner.third))
        ties = tuple(_decide_tie(tie, tables, byes, (manner, seeds)) for tie in levels[-1].ties)
        levels[-1] = levels[-1]._replace(ties=ties)
    if rounds and levels[-1].ties and levels[-1].is_over:
        levels.append(_next_level(levels[-1], third=manner.third))
    return levels


def _is_past(level: BracketLevel, tables: Mapping[frozenset[int], list[TableResult]]) -> bool:
    """Return whether a round is of the next level, by its ties or by its draw.

    What was drawn stands, whatever is corrected later: a round in which a couple meets is of their level, and one in
    which others meet is not.
    """
    if not level.ties or any(frozenset(tie.couple) in tables for tie in level.ties):
        return False
    return level.is_over or (bool(tables) and any(tie.games for tie in level.ties))


def _close_level(
    level: BracketLevel, tables: Mapping[frozenset[int], list[TableResult]], seeds: Mapping[int, int]
) -> BracketLevel:
    """Return a level with its open ties decided, because the next one was drawn.

    Whoever was drawn there goes on, else whoever is ahead so far.
    """
    drawn = {number for pair in tables for number in pair}
    ties = []
    for tie in level.ties:
        winner = tie.winner
        if winner is None:
            winner = next((number for number in tie.couple if number in drawn), _leader_of(tie.games, seeds))
        ties.append(tie._replace(winner=winner))
    return level._replace(ties=tuple(ties))


def neighbours_as_ties(slots: Sequence[int], rule: str = "E3.3") -> tuple[BracketTie, ...]:
    """Return the neighbours of a bracket as ties."""
    return (
        tuple(BracketTie(couple, rule) for couple in zip(slots[::2], slots[1::2], strict=True))
        if len(slots) > 1
        else ()
    )


def _decide_tie(
    tie: BracketTie,
    tables: Mapping[frozenset[int], list[TableResult]],
    byes: frozenset[int],
    context: tuple[PairingManner, Mapping[int, int]],
) -> BracketTie:
    """Return a tie after a round: E3.16, E3.17 one that is not over has another game."""
    manner, seeds = context
    if tie.winner is not None:
        return tie
    pair_tables = tables.get(frozenset(tie.couple))
    if pair_tables:
        tie = tie._replace(games=(*tie.games, tuple(pair_tables)))
        return tie._replace(winner=winner_of_games(tie.games, manner, seeds))
    # Where nobody came a tie stands as it was left.
    return tie._replace(winner=next((number for number in tie.couple if number in byes), _leader_of(tie.games, seeds)))


def _leader_of(games: Sequence[Sequence[TableResult]], seeds: Mapping[int, int]) -> int:
    """E3.10 Return who is ahead after some games, NOBODY without any."""
    return winner_of([table for game in games for table in game], seeds) if games else NOBODY


def winner_of_games(
    games: Sequence[Sequence[TableResult]], manner: PairingManner, seeds: Mapping[int, int]
) -> int | None:
    """E3.16 E3.17 Return the winner of a tie after some games, None if it goes on.

    Neither goes on if both forfeited the last game. Raise UndecidedRound if a table is pending.
    """
    if winner_of(games[-1], seeds) == NOBODY:
        return NOBODY
    first, second = games[0][0].first, games[0][0].second
    # Two half points a table: as many as the other may still win in the games to come.
    open_halves = 2 * len(games[-1]) * max(0, manner.best - len(games))
    ahead = abs(half_points_in_games(games, first) - half_points_in_games(games, second))
    return None if ahead <= open_halves and len(games) < manner.best + manner.replays else _leader_of(games, seeds)


def half_points_in_games(games: Sequence[Sequence[TableResult]], number: int) -> int:
    """Return the half points of an entrant in some games."""
    return sum(table.halves[FIRST if table.first == number else SECOND] for game in games for table in game)


def _next_level(level: BracketLevel, *, third: bool) -> BracketLevel:
    """E3.14 Return the level of the winners, with the game for third place."""
    slots = tuple(tie.winner or NOBODY for tie in level.ties if tie.rule == "E3.3")
    ties = neighbours_as_ties(slots)
    if third and len(slots) == 2 and all(slots):
        first, second = (sum(tie.couple) - slot for tie, slot in zip(level.ties, slots, strict=True))
        ties += (BracketTie((first, second), "E3.14"),) if first and second else ()
    return BracketLevel(slots, ties)


def newest_played_level(round_input: RoundInput) -> BracketLevel:
    """Return the level of the last round with results.

    It has ties that are over, and ties that go on.
    """
    last = max((result.round for result in round_input.results), default=0)
    levels = levels_after(round_input, last)
    return (
        levels[-2]
        if len(levels) > 1 and all(tie.winner is None and not tie.games for tie in levels[-1].ties)
        else levels[-1]
    )


def rounds_survived(round_input: RoundInput) -> dict[int, int]:
    """Return the rounds that each entrant survived, in the rounds with results."""
    last = max((result.round for result in round_input.results), default=0)
    counts = dict.fromkeys(seeds_by_entrant(round_input), 0)
    for number, level in enumerate(levels_after(round_input, last), start=1):
        counts |= {tie.winner: number for tie in level.ties if tie.winner and tie.rule == "E3.3"}
    return counts


def third_places(round_input: RoundInput) -> dict[int, int]:
    """E3.14 Return 1 for the winner of the game for third place, 0 for all others."""
    last = max((result.round for result in round_input.results), default=0)
    ties = [tie for level in levels_after(round_input, last) for tie in level.ties if tie.rule == "E3.14"]
    return {number: int(any(number == tie.winner for tie in ties)) for number in seeds_by_entrant(round_input)}


def pair_knockout(round_input: RoundInput, lots: Lots) -> RoundDraw:
    """E3.3 Draw the round.

    The stage is over when one entrant is left, or after the last round of the rules.
    """
    if 0 < round_input.manner.rounds < round_input.round:
        return RoundDraw(round_input.round, over=True)
    level = levels_after(round_input, round_input.round - 1)[-1]
    if sum(number != NOBODY for number in level.slots) < 2:
        return RoundDraw(round_input.round, over=True)
    return number_boards(round_input, bracket_pairs(round_input, level.ties, lots))


def bracket_pairs(round_input: RoundInput, ties: Iterable[BracketTie], lots: Lots) -> Iterator[Pair]:
    """Yield the pairs of ties that are not decided, and byes for lone entrants."""
    seeds, present = seeds_by_entrant(round_input), present_numbers(round_input)
    counted = entrant_records(round_input.entrants, round_input.results, round_input.start)
    for tie in (tie for tie in ties if tie.winner is None):
        (a, b), rule = tie.couple, tie.rule
        if tie.games and a in present and b in present:
            yield _next_game(tie, round_input.manner)
        elif a in present and b in present:
            why = PairingReason(
                rule,
                "third" if rule == "E3.14" else "bracket",
                {entrant_label(a): seeds[a], entrant_label(b): seeds[b]},
            )
            yield pair_with_sides(a, b, (why,), (round_input, counted, lots))
        elif a in present or b in present:
            yield bye_pair(a, rule, b, round_input.round) if a in present else bye_pair(b, rule, a, round_input.round)


def _next_game(tie: BracketTie, manner: PairingManner) -> Pair:
    """E3.16 E3.17 Return the next game of a tie: the sides of its last one exchanged."""
    last, number = tie.games[-1][0], len(tie.games) + 1
    halves = {entrant_label(player): half_points_in_games(tie.games, player) for player in (last.second, last.first)}
    why = PairingReason("E3.17", "game", {"game": number, "most": manner.best, **halves})
    if number > manner.best:
        why = PairingReason("E3.16", "replay", {"game": number - manner.best, "most": manner.replays, **halves})
    return Pair(0, last.second, last.first, why=(why, PairingReason(why.rule, "exchanged", {})))


# E3.4 Double elimination: the first loss leads to the lower bracket, the second one out.
#
# The upper bracket is that of a knockout. In the lower one, every round, the best seed meets the last as far as they
# have not met. The last of the upper waits for the last of the lower; if he then loses, they meet again. An absence
# is a loss.


# A choice: the number of all pairs grows with the square. If these do not pair all, the others are weighed too.
_NEAR = 12
"""In a large lower bracket, the opponents weighed for each entrant: so many around the opponent opposite in the fold.
"""


class Brackets(NamedTuple):
    """The state before a round: upper bracket, lower bracket, and who is out.

    `upper` are the places of the upper bracket, `lower` the entrants of the lower one by seed, `out` the rounds in
    which the others went out.
    """

    upper: tuple[int, ...]
    lower: tuple[int, ...]
    out: Mapping[int, int]

    @property
    def unbeaten(self) -> tuple[int, ...]:
        """Return the entrants of the upper bracket."""
        return tuple(number for number in self.upper if number != NOBODY)

    @property
    def final(self) -> bool:
        """Return whether one entrant of each bracket is left, so that they meet."""
        return len(self.unbeaten) == 1 == len(self.lower)


def brackets_before(round_input: RoundInput, round_: int) -> Brackets:
    """Return the brackets before a round.

    Raise UndecidedRound if an earlier table is pending.
    """
    seeds = seeds_by_entrant(round_input)
    brackets = Brackets(levels_after(round_input, 0)[0].slots, (), {})
    for number in range(1, round_):
        if len(brackets.unbeaten) + len(brackets.lower) > 1:
            brackets = _apply_round(brackets, round_input, number, seeds)
    return brackets


def _apply_round(brackets: Brackets, round_input: RoundInput, round_: int, seeds: Mapping[int, int]) -> Brackets:
    tables, byes = tables_by_pair(round_input.results, round_), byes_in(round_input.results, round_)
    survivors = set(byes)
    for board_tables in tables.values():
        survivors |= {board_tables[0].first, board_tables[0].second} - set(entrants_knocked_out(board_tables, seeds))
    upper = brackets.upper
    if len(brackets.unbeaten) > 1:
        couples = zip(upper[::2], upper[1::2], strict=True)
        upper = tuple(next((number for number in couple if number in survivors), NOBODY) for couple in couples)
    else:
        upper = tuple(number for number in brackets.unbeaten if number in survivors)
    fallen = [number for number in brackets.unbeaten if number not in upper]
    lost = [number for number in brackets.lower if number not in survivors]
    # By seed, since the best meets the last of them.
    lower = sorted([*(number for number in brackets.lower if number in survivors), *fallen], key=seeds.__getitem__)
    return Brackets(upper, tuple(lower), {**brackets.out, **dict.fromkeys(lost, round_)})


def exit_rounds(round_input: RoundInput) -> dict[int, int]:
    """Return the round in which each went out; one past the last for those still in."""
    last = max((result.round for result in round_input.results), default=0)
    out = brackets_before(round_input, last + 1).out
    remaining = {number: last + 1 for number in seeds_by_entrant(round_input)}
    return {**remaining, **out}


def pair_double_elimination(round_input: RoundInput, lots: Lots) -> RoundDraw:
    """E3.4 Draw the round in both brackets; over when one entrant is left."""
    brackets = brackets_before(round_input, round_input.round)
    if len(brackets.unbeaten) + len(brackets.lower) < 2 or 0 < round_input.manner.rounds < round_input.round:
        return RoundDraw(round_input.round, over=True)
    if brackets.final:
        return number_boards(
            round_input,
            bracket_pairs(round_input, neighbours_as_ties((*brackets.unbeaten, *brackets.lower), "E3.4"), lots),
        )
    present = present_numbers(round_input)
    pairs: list[Pair] = []
    if len(brackets.unbeaten) > 1:
        pairs += bracket_pairs(round_input, neighbours_as_ties(brackets.upper, "E3.4"), lots)
    else:
        pairs += [bye_pair(number, "E3.4") for number in brackets.unbeaten if number in present]
    pairs += _lower_pairs(round_input, [number for number in brackets.lower if number in present], lots)
    return number_boards(round_input, pairs)


def _lower_pairs(round_input: RoundInput, lower: Sequence[int], lots: Lots) -> Iterator[Pair]:
    """Yield the pairs of the lower bracket: one against last.

    There are no rematches if possible. If the number is odd, the best seed with the fewest byes rests.
    """
    seeds = seeds_by_entrant(round_input)
    counted = entrant_records(round_input.entrants, round_input.results, round_input.start)
    order = sorted(lower, key=lambda number: (counted[number].byes, seeds[number])) if len(lower) % 2 else [NOBODY]
    # Another entrant has the bye if the others could otherwise only have rematches.
    attempts = (
        (number, _pairs_without_rematch([candidate for candidate in lower if candidate != number], counted, lots))
        for number in order
    )
    resting, pairs = next(
        ((rested, fresh_pairs) for rested, fresh_pairs in attempts if fresh_pairs is not None), (order[0], None)
    )
    if pairs is None:
        pairs = _pairs_with_rematches([number for number in lower if number != resting], counted, lots)
    for a, b in pairs:
        why = PairingReason(
            "E3.4",
            "lower",
            {entrant_label(a): seeds[a], entrant_label(b): seeds[b], "met": counted[a].opponents.count(b)},
        )
        yield pair_with_sides(a, b, (why,), (round_input, counted, lots))
    if resting != NOBODY:
        yield bye_pair(resting, "E3.4")


def _pairs_without_rematch(
    entrants: Sequence[int], counted: Mapping[int, EntrantRecord], lots: Lots
) -> list[tuple[int, int]] | None:
    """Return the pairs nearest to the fold without rematches.

    None if every pairing has one.
    """
    last = len(entrants) - 1
    for reach in (_NEAR, last):
        near_places = [(a, b) for a, b in combinations(range(last + 1), 2) if abs(a + b - last) <= reach]
        edges = [
            _edge(entrants, pair, lots)
            for pair in near_places
            if entrants[pair[1]] not in counted[entrants[pair[0]]].opponents
        ]
        if (pairs := minimum_weight_matching(len(entrants), edges)) is not None:
            return [(entrants[a], entrants[b]) for a, b in pairs]
    return None


def _pairs_with_rematches(
    entrants: Sequence[int], counted: Mapping[int, EntrantRecord], lots: Lots
) -> list[tuple[int, int]]:
    """Return the pairs with the fewest rematches."""
    edges = [_edge(entrants, pair, lots) for pair in combinations(range(len(entrants)), 2)]
    meeting_counts = [counted[entrants[edge.a]].opponents.count(entrants[edge.b]) for edge in edges]
    costs = [edge._replace(cost=edge.cost + (times << 80)) for edge, times in zip(edges, meeting_counts, strict=True)]
    return [(entrants[a], entrants[b]) for a, b in minimum_weight_matching(len(entrants), costs) or ()]


def _edge(entrants: Sequence[int], pair: tuple[int, int], lots: Lots) -> Edge:
    """Return the pair as an edge: its squared distance from the fold, and its lot."""
    a, b = pair
    return Edge(a, b, (a + b - len(entrants) + 1) ** 2 << 48 | lots(pair_lot_label(entrants[a], entrants[b])))
