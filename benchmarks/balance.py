"""Play a scenario by bots many times: winners, length, speed.

``python -m benchmarks.balance``

Each game follows from its number. Shares are those of decided games with their 95 % interval. ``--keep FILE`` keeps
every game with its leads, and plays none that is there already; ``python -m benchmarks.terms`` reckons such games by
other leads.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.battles import Battle, Played, longest
from benchmarks.kept import keep, read
from pbem.engine.data.sums import share_with_interval


def table(played: Sequence[Played]) -> list[str]:
    """Return the figures, one a line."""
    won = Counter(game.winner for game in played)
    decided = len(played) - won["draw"]
    lines = [f"{len(played)} games, {decided} decided, {won.pop('draw', 0)} drawn"]
    for side, count in sorted(won.items()):
        interval = share_with_interval(count, decided)
        lines.append(
            f"  {side:10} {count:5}   {interval.value:6.1%} of decided, {interval.low:.1%} to {interval.high:.1%}"
        )
    phases = sorted(game.phases for game in played)
    seconds = sorted(game.seconds for game in played)
    lines.append(f"  phases a game {phases[0]} to {phases[-1]}")
    middle = seconds[len(seconds) // 2]
    lines.append(f"  CPU seconds a game {middle:.3f} (median), {seconds[-1]:.3f} (slowest)")
    return [*lines, *_settling_lines(played), *_losses(played)]


def _settling_lines(played: Sequence[Played]) -> list[str]:
    """Return the turns from which the winner leads for good: 10, 50 and 90 %."""
    turns = sorted(game.settled_turn for game in played if game.settled_turn and game.ahead)
    if not turns:
        return []
    tenth, half, most = (turns[len(turns) * share // 10] for share in (1, 5, 9))
    length = max(len(game.ahead) for game in played)
    late = share_with_interval(sum(3 * turn > 2 * length for turn in turns), len(turns)).value
    lines = [f"  settled at turn {tenth}, {half}, {most} of {length} (10, 50, 90 %), {late:.0%} in the last third"]
    for turn in range(length):
        lines.append(f"  who wins, told by the lead at the end of turn {turn + 1}: {_lead_accuracy(played, turn):.0%}")
    return lines


def _lead_accuracy(played: Sequence[Played], turn: int) -> float:
    """Return how often the lead at a turn's end tells the winner.

    It takes the lead that parts winners best; only decided games count.
    """
    decided = [game for game in played if game.winner != "draw" and turn < len(game.points)]
    side = min(decided[0].points[turn])
    leads = [(2 * game.points[turn][side] - sum(game.points[turn].values()), game.winner == side) for game in decided]
    return max(sum((lead >= least) == won for lead, won in leads) for least, _ in leads) / len(leads)


def rule_lines(played: Sequence[Played], rules: Iterable[str]) -> list[str]:
    """Return how often rules are cited: in how many games, and on average."""
    lines = []
    for rule in rules:
        counts = [game.cited.get(rule, 0) for game in played]
        lines.append(f"  {rule} in {sum(map(bool, counts))} games, {sum(counts) / len(counts):.1f} a game")
    return lines


def _losses(played: Sequence[Played]) -> list[str]:
    """Return the mean steps lost by each turn's end, over games that lasted so long."""
    lines = []
    for turn in range(max(len(game.dead) for game in played)):
        there = [game.dead[turn] for game in played if turn < len(game.dead)]
        sides = sorted({side for dead in there for side in dead})
        means = (f"{side} {sum(dead.get(side, 0) for dead in there) / len(there):.1f}" for side in sides)
        lines.append(f"  steps lost by the end of turn {turn + 1}: {', '.join(means)}")
    return lines


def played_or_kept(battle: Battle, numbers: Iterable[int], workers: int, file: Path | None) -> list[Played]:
    """Return games by number: kept ones of this kind from a file, others played.

    Played games are added to the file.
    """
    stored = read(file).get(battle.key, {}) if file is not None else {}
    games = {number: stored[number] for number in numbers if number in stored}
    for number, game in battle.each([number for number in numbers if number not in stored], workers):
        games[number] = game
        if file is not None:
            keep(file, battle.key, number, game)
    return [games[number] for number in numbers]


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.balance", description=__doc__)
    parser.add_argument("--game", default="africa1860")
    parser.add_argument("--scenario", default="", help="the longest of the game where none is named")
    parser.add_argument("--games", type=int, default=200, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--bot", action="append", default=[], metavar="SEAT=NAME", help="forward where none is named")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the rules")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help="how often is this one cited?")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep games there, and play none twice")
    wanted = parser.parse_args()
    scenario = wanted.scenario or longest(wanted.game)
    players, options = (dict(pair.split("=", 1) for pair in pairs) for pairs in (wanted.bot, wanted.option))
    numbers = range(wanted.first, wanted.first + wanted.games)
    played = played_or_kept(Battle(wanted.game, scenario, players, options), numbers, wanted.workers, wanted.keep)
    print("\n".join([*table(played), *rule_lines(played, wanted.rule)]))


if __name__ == "__main__":
    main()
