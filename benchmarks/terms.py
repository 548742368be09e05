"""Evaluate kept games by other leads: ``python -m benchmarks.terms FILE``.

``python -m benchmarks.balance --keep FILE`` keeps them. Bots that know the needs might have played otherwise by others:
what is reckoned here is a first answer, and games by the new terms give the last.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.balance import table
from benchmarks.battles import Key, Played, lead_of
from benchmarks.kept import read
from pbem.engine.data.sums import share_with_interval


def by_terms(played: Iterable[Played], first: int, second: int) -> Iterator[Played]:
    """Yield games as they would stand by other leads.

    The first side wins with a lead of `first` and more over the second, and the second with one of `second` and
    less: this gives the winner at the end, and who was ahead at each turn's end.
    """
    for game in played:
        sides = sides_of(game)
        ahead = tuple(
            sides[0] if lead_of(points, sides) >= first else sides[1] if lead_of(points, sides) <= second else "draw"
            for points in game.points
        )
        yield game._replace(winner=ahead[-1], ahead=ahead)


def sides_of(game: Played) -> tuple[str, str]:
    """Return the two sides of a game, in its own order."""
    first, second = game.points[-1]
    return first, second


def scan(played: Sequence[Played]) -> Iterator[str]:
    """Yield a line for each lead: how often the first side is ahead by so much."""
    leads = sorted(lead_of(game.points[-1], sides_of(game)) for game in played)
    tenths = ", ".join(str(leads[len(leads) * tenth // 10]) for tenth in (1, 3, 5, 7, 9))
    yield f"  lead of {sides_of(played[0])[0]} at the end (10, 30, 50, 70, 90 %): {tenths}"
    for least in range(leads[len(leads) // 5], leads[len(leads) * 4 // 5] + 1):
        interval = share_with_interval(sum(lead >= least for lead in leads), len(leads))
        yield f"  {least:+} and more in {interval.value:.1%} of {len(leads)}, {interval.low:.1%} to {interval.high:.1%}"


def points_by_kind(played: Sequence[Played]) -> Iterator[str]:
    """Yield the average points by kind, and how often who holds each place."""
    points: Counter[tuple[str, str]] = Counter()
    held: Counter[tuple[str, str]] = Counter()
    for game in played:
        for side, kind, place, worth, _ in game.counted:
            points[kind, side] += worth
            if kind == "place":
                held[place, side] += 1
    for (kind, side), sum_of in sorted(points.items()):
        yield f"  {kind} {side} {sum_of / len(played):.2f} points a game"
    first = sides_of(played[0])[0]
    places = sorted({counted_place for counted_place, _ in held})
    yield f"  {first} holds at the end: " + ", ".join(
        f"{place_held} {held[place_held, first] / len(played):.0%}" for place_held in places
    )


def report_lines(key: Key, games: Mapping[int, Played], needs: Sequence[int]) -> Iterator[str]:
    """Yield the report of a kind of games, by other needs if given."""
    named = ", ".join(f"{seat} {bot}" for seat, bot in key.players) or "forward"
    # Eight hex digits of the digest tell editions apart.
    yield f"{key.scenario}, edition {key.edition[:8]}, {named}" + (f", {key.options}" if key.options else "")
    played = list(games.values())
    if needs:
        played = list(by_terms(played, *needs))
        yield f"by leads of {needs[0]:+} and {needs[1]:+}"
    yield from table(played)
    yield from scan(played)
    yield from points_by_kind(played)


def main() -> None:
    """Read and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kept", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--scenario", default="", help="this alone")
    parser.add_argument(
        "--needs", type=int, nargs=2, default=(), metavar=("FIRST", "SECOND"), help="other leads that win"
    )
    wanted = parser.parse_args()
    for key, games in read(wanted.file).items():
        if wanted.scenario in ("", key.scenario):
            print("\n".join(report_lines(key, games, wanted.needs)))


if __name__ == "__main__":
    main()
