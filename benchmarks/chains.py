"""A war played again and again by bots: who wins it, and how much a lost leg weighs.

    python -m benchmarks.chains                 200 chains of the war from Tetuán to Wad-Ras, `veteran` on both sides
    python -m benchmarks.chains --war war       of the whole war
    python -m benchmarks.chains --games 20 --bot morocco=forward

Every chain follows from its number. In the camps each side rebuilds its largest broken units, then feeds what lacks
most.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.battles import played_on
from pbem.engine.data.sums import Share, share
from pbem.engine.war.chain import DRAW, End, broken_up, fought_out, leg_of, opened, standing
from pbem.engine.war.ledger import AWAY, LEADER, READY, Ledger
from pbem.games.camp import GAME as CAMP
from pbem.games.camp.state import camp_edition


class Fought(NamedTuple):
    """A chain that was played: who won each leg and the war, and with what share of its full steps each side began."""

    legs: tuple[str, ...]
    winner: str
    strengths: tuple[Mapping[str, float], ...]


def play_war(name: str, war: str, players: Mapping[str, str], number: int) -> Fought:
    """Play a war to its end by the bots named for its seats, ``veteran`` where none is."""
    game: Any = importlib.import_module(f"pbem.games.{name}").GAME
    linked: Any = importlib.import_module(f"pbem.games.{name}.war").Linked()
    chain, strengths = opened(linked, war, {}), []
    while not chain.over:
        edition = leg_of(linked, chain)
        strengths.append(_strength(chain.ledger))
        bots = {seat: players.get(seat, "veteran") for seat in edition.seats}
        end = _end(game, game.start(edition), bots, f"{number} {chain.number}")
        chain, between = fought_out(linked, chain, End(end), edition.seats)
        if between is not None:
            camp = CAMP.start(camp_edition(between))
            camp = _end(CAMP, camp, dict.fromkeys(edition.seats, "thrifty"), f"{number} camp {chain.number}")
            chain = broken_up(chain, camp.units, camp.works)
    return Fought(tuple(one.winner for one in chain.outcomes), standing(chain).winner, tuple(strengths))


def _end(game: Any, state: Any, bots: Mapping[str, str], number: str) -> Any:
    """The position at the end of a game that is played on."""
    for _, done in played_on(game, state, bots, number, {}):
        state = done.state
    return state


def _strength(ledger: Ledger) -> dict[str, float]:
    """Of the full steps of those who are listed, by side, the share that is there."""
    full: Counter[str] = Counter()
    now: Counter[str] = Counter()
    for unit in ledger.values():
        if unit.role != LEADER and unit.standing != AWAY:
            full[unit.side] += unit.full
            now[unit.side] += unit.now if unit.standing == READY else 0
    return {side: now[side] / full[side] for side in full}


def table(chains: Sequence[Fought]) -> list[str]:
    """Return the figures, one a line."""
    won = Counter(one.winner for one in chains)
    decided = len(chains) - won[DRAW]
    lines = [f"{len(chains)} chains, {won[DRAW]} drawn"]
    for side in sorted(won.keys() - {DRAW}):
        found = share(won[side], decided)
        lines.append(f"  war       {side:10} {_shown(found, decided)}")
    for leg in range(len(chains[0].legs)):
        winners = Counter(one.legs[leg] for one in chains)
        count = len(chains) - winners[DRAW]
        begun = [one.strengths[leg] for one in chains]
        for side in sorted(winners.keys() - {DRAW}):
            found, mean = share(winners[side], count), sum(one[side] for one in begun) / len(begun)
            lines.append(f"  leg {leg + 1}     {side:10} {_shown(found, count)}; begins with {mean:.0%} of its steps")
    turned = [one for one in chains if DRAW not in (one.legs[0], one.winner)]
    back = share(sum(one.legs[0] != one.winner for one in turned), len(turned))
    lines.append(f"  who lost leg 1 takes the war in {_shown(back, len(turned))}")
    return lines


def _shown(found: Share, of: int) -> str:
    return f"{found.value:6.1%} of {of}, {found.low:.1%} to {found.high:.1%}"


def _one(task: tuple[str, str, Mapping[str, str], int]) -> Fought:
    return play_war(*task)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chains", description=__doc__)
    parser.add_argument("--game", default="africa1860")
    parser.add_argument("--war", default="wadras")
    parser.add_argument("--games", type=int, default=200, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--bot", action="append", default=[], metavar="SEAT=NAME", help="veteran where none is named")
    parser.add_argument("--workers", type=int, default=2)
    wanted = parser.parse_args()
    players = dict(pair.split("=", 1) for pair in wanted.bot)
    tasks = [(wanted.game, wanted.war, players, number) for number in range(wanted.first, wanted.first + wanted.games)]
    with multiprocessing.Pool(wanted.workers) as pool:
        print("\n".join(table(pool.map(_one, tasks, chunksize=1))))


if __name__ == "__main__":
    main()
