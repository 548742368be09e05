"""Tournaments for tests: short words for entrants and results, and whole ones played by lots."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from pbem.tournaments.arithmetic.entrants import BYE, NOBODY, Entrant, TableResult
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.pairing.drawn import PairingManner, RoundDraw, RoundInput
from tests.tournament.lots import lots

HALVES = {"1-0": (2, 0), "0-1": (0, 2), "=": (1, 1), "-": (0, 0)}


def entrants(count: int) -> tuple[Entrant, ...]:
    """So many, the first the strongest."""
    return tuple(Entrant(number, 2000 - number) for number in range(1, count + 1))


def results(lines: Iterable[str]) -> tuple[TableResult, ...]:
    """Results as a case writes them: ``1 3-7 1-0 +4`` (round, sides, halves, margin) or ``1 5 bye``."""
    results_built: list[TableResult] = []
    for line in lines:
        number, who, halves, *rest = line.split()
        two = set(map(int, who.split("-"))) if "-" in who else {int(who), NOBODY}
        # Mirrored tables are two of one board.
        before = [result for result in results_built if result.round == int(number)]
        board = next((board.board for board in before if {board.first, board.second} == two), len(before) + 1)
        if "-" not in who:
            worth = {"bye": 2, "forfeit": 2, "half-bye": 1}.get(halves, 0)
            results_built.append(TableResult(int(number), board, int(who), NOBODY, (worth, 0), 0, halves))
            continue
        first, second = map(int, who.split("-"))
        margin = next((int(word) for word in rest if word[0] in "+-"), 0)
        how = next((word for word in rest if word[0] not in "+-"), "played")
        results_built.append(TableResult(int(number), board, first, second, HALVES[halves], margin, how))
    return tuple(results_built)


Away = Callable[[int], Iterable[int]]


def play(
    count: int, manner: PairingManner, seed: int, away: Away = lambda _: ()
) -> tuple[list[RoundDraw], tuple[TableResult, ...]]:
    """Play a tournament to its end, who is away resting; returns its draws and its results."""
    luck = random.Random(seed)
    drawn: list[RoundDraw] = []
    played: list[TableResult] = []
    while True:
        number = len(drawn) + 1
        gone = frozenset(away(number))
        field = RoundInput(number, entrants(count), tuple(played), gone, manner=manner)
        round_ = draw(field, lots(seed * 1000 + number))
        if round_.over:
            return drawn, tuple(played)
        drawn.append(round_)
        for pair in round_.pairs:
            if pair.second == NOBODY:
                played.append(TableResult(number, pair.board, pair.first, NOBODY, (2, 0), 0, BYE))
            else:
                halves = luck.choice(
                    [(2, 0), (0, 2), (1, 1)] if manner.format in ("swiss", "robin") else [(2, 0), (0, 2)]
                )
                margin = luck.randrange(5) * (halves[0] - halves[1])
                played.append(TableResult(number, pair.board, pair.first, pair.second, halves, margin))
