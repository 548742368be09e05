"""Play a war again and again by bots: who wins it, and the weight of a lost leg.

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

from benchmarks.battles import play_on
from pbem.engine.data.sums import ShareInterval, share_with_interval
from pbem.engine.war.chain import DRAW, End, finish_camp, finish_leg, leg_of, open_war, present_verdict
from pbem.engine.war.ledger import AWAY, LEADER, READY, Ledger
from pbem.games.camp import GAME as CAMP
from pbem.games.camp.state import camp_edition


class PlayedWar(NamedTuple):
    """A played war: the winners of legs and war, and strengths.

    `strengths` has for each leg the share of its full steps with which each side began.
    """

    legs: tuple[str, ...]
    winner: str
    strengths: tuple[Mapping[str, float], ...]


def play_war(name: str, war: str, players: Mapping[str, str], number: int) -> PlayedWar:
    """Play a war to its end by the named bots, by default ``veteran``."""
    game: Any = importlib.import_module(f"pbem.games.{name}").GAME
    linked: Any = importlib.import_module(f"pbem.games.{name}.war").Linked()
    chain, strengths = open_war(linked, war, {}), []
    while not chain.over:
        edition = leg_of(linked, chain)
        strengths.append(_strength(chain.ledger))
        bots = {seat: players.get(seat, "veteran") for seat in edition.seats}
        end = _end(game, game.start(edition), bots, f"{number} {chain.number}")
        chain, between = finish_leg(linked, chain, End(end), edition.seats)
        if between is not None:
            camp = CAMP.start(camp_edition(between))
            camp = _end(CAMP, camp, dict.fromkeys(edition.seats, "thrifty"), f"{number} camp {chain.number}")
            chain = finish_camp(chain, camp.units, camp.works)
    return PlayedWar(
        tuple(outcome.winner for outcome in chain.outcomes), present_verdict(chain).winner, tuple(strengths)
    )


def _end(game: Any, state: Any, bots: Mapping[str, str], number: str) -> Any:
    """Return the position at the end of a game that is played on."""
    for _, done in play_on(game, state, bots, number, {}):
        state = done.state
    return state


def _strength(ledger: Ledger) -> dict[str, float]:
    """Return by side the present share of the full steps of listed units."""
    full: Counter[str] = Counter()
    now: Counter[str] = Counter()
    for unit in ledger.values():
        if unit.role != LEADER and unit.standing != AWAY:
            full[unit.side] += unit.full
            now[unit.side] += unit.now if unit.standing == READY else 0
    return {side: now[side] / full[side] for side in full}


def table(chains: Sequence[PlayedWar]) -> list[str]:
    """Return the figures, one a line."""
    won = Counter(chain.winner for chain in chains)
    decided = len(chains) - won[DRAW]
    lines = [f"{len(chains)} chains, {won[DRAW]} drawn"]
    for side in sorted(won.keys() - {DRAW}):
        interval = share_with_interval(won[side], decided)
        lines.append(f"  war       {side:10} {_interval_text(interval, decided)}")
    for leg in range(len(chains[0].legs)):
        winners = Counter(chain.legs[leg] for chain in chains)
        count = len(chains) - winners[DRAW]
        begun = [chain.strengths[leg] for chain in chains]
        for side in sorted(winners.keys() - {DRAW}):
            interval, mean = (
                share_with_interval(winners[side], count),
                sum(strengths[side] for strengths in begun) / len(begun),
            )
            lines.append(
                f"  leg {leg + 1}     {side:10} {_interval_text(interval, count)}; begins with {mean:.0%} of its steps"
            )
    turned = [chain for chain in chains if DRAW not in (chain.legs[0], chain.winner)]
    back = share_with_interval(sum(chain.legs[0] != chain.winner for chain in turned), len(turned))
    lines.append(f"  who lost leg 1 takes the war in {_interval_text(back, len(turned))}")
    return lines


def _interval_text(interval: ShareInterval, total: int) -> str:
    return f"{interval.value:6.1%} of {total}, {interval.low:.1%} to {interval.high:.1%}"


def _one(task: tuple[str, str, Mapping[str, str], int]) -> PlayedWar:
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
