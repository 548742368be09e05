"""The costliest letters, searched for: which letter takes most processor time, which most memory, place by place.

``python -m tests.costly_letters --runs 40`` hands each place that reads letters the letters that were found costly
before (`letter_seeds.SEEDS`), changes the costliest at random, keeps what costs more, and prints a table, one line a
place. What passes a budget, ends its process or raises is written to ``--out``, and ends the search with 1.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import structlog

from tests.letter_costs import MEGABYTES, SECONDS, Cost, measure
from tests.letter_places import PLACES, House, Place, opened
from tests.letter_seeds import SEEDS

PIECES = (
    *("STATUS\n", "HELP;", "xq;", "ODDS ASSAULT ", "WHY #1 T1\n", "LATER T4\n", "ORDERS T1\n", "END\n", "PASS\n"),
    *("STANDING ALL\n", "ENDSTANDING\n", "WHEN ASSAULTED ", "IF TURN 1\n", "ENDIF\n", "(", ")", "NOT ", " AND TURN 1"),
    *(
        "PRESS TO ALL\n",
        "ENDPRESS\n",
        "SAY ",
        "> ",
        "-- \n",
        "##- x -##\n",
        "1A ",
        "@ ",
        "# ",
        ";",
        ",",
        "\n",
        " ",
        "\t",
    ),
    *("<b>", "</b>", "<p>", "<td>", "&lt;", "\u0301", "\u2026", "\u00e9", "a", "=41", "\r\n--b\r\n", "Content-Type: "),
    *("\ufdfa", "\u0390", "\uac01", "Vregara, ", "Cuenac ", "attack ", "x\u0336", "<s>", "<style>", " style='a:b' "),
    *(".c, ", "{text-decoration:line-through}", "-----BEGIN PGP SIGNED MESSAGE-----\n", "1. ", "<https://x>"),
    *("From: a@b.c\nSent: x\nTo: y\n", "On 1 Jan 2026 a@b.c wrote:\n", "HOLD BECAUSE x\n", "ANNOUNCE ", "LIST\n"),
)
LARGEST = 1_000_000
KEPT = 4
"""Letters of a place that are changed further: the costliest in time and in memory."""


class Found(NamedTuple):
    """A letter's text and what it cost."""

    text: str
    cost: Cost


def changed(text: str, others: list[str], dice: random.Random) -> str:
    """A letter changed here and there; what is dear is mostly much of the same."""
    for _ in range(dice.choice((1, 1, 2, 3))):
        start = dice.randrange(len(text) + 1)
        to = min(len(text), start + int(dice.expovariate(1 / 40)))
        way = dice.randrange(6)
        if way == 0:
            text = text[:start] + dice.choice(PIECES) * dice.choice((1, 10, 500, 5_000)) + text[start:]
        elif way == 1:
            text = text[:start] + text[start:to] * dice.choice((2, 50, 2_000)) + text[to:]
        elif way == 2:
            other = dice.choice(others)
            text = text[:start] + other[: len(other) // 2] + text[start:]
        elif way == 3:
            text = text[: len(text) // dice.choice((2, 3, 10))]
        elif way == 4:
            text = text[:start] + text[to:]
        else:
            lines = text.split("\n")[: dice.choice((40, 390, 3_900))]
            text = "\n".join(lines)
    return text[:LARGEST]


def search(house: House, place: Place, known: int, runs: int, dice: random.Random) -> Iterator[Found]:
    """The letters tried at a place, in the order in which they were: `known` ones, then changed ones."""
    best: list[Found] = []
    pool = dice.sample(SEEDS, min(known, len(SEEDS)))
    for run in range(len(pool) + runs):
        text = pool[run] if run < len(pool) else changed(dice.choice(best).text, list(SEEDS), dice)
        candidate = Found(text, measure(house, place, text))
        yield candidate
        best.append(candidate)
        dear = sorted(best, key=lambda candidate: -candidate.cost.seconds)[: KEPT // 2]
        best = [
            *dear,
            *(
                candidate
                for candidate in sorted(best, key=lambda candidate: -candidate.cost.megabytes)
                if candidate not in dear
            ),
        ][:KEPT]


def broken(cost: Cost) -> bool:
    """Whether a letter passed a budget, or was not taken in at all."""
    ended = cost.outcome.startswith(("RAISED", "ENDED", "fault"))
    return ended or cost.seconds > SECONDS or cost.megabytes > MEGABYTES


def _shown(text: str) -> str:
    return repr(text[:28]).replace("|", "/")


def _line(name: str, candidates: list[Found]) -> str:
    dear = max(candidates, key=lambda candidate: candidate.cost.seconds)
    wide = max(candidates, key=lambda candidate: candidate.cost.megabytes)
    longest = max(candidate.cost.answer for candidate in candidates)
    return (
        f"| {name} | {dear.cost.seconds:.2f} | `{_shown(dear.text)}` {len(dear.text) // 1000} KB "
        f"| {wide.cost.megabytes:.0f} | `{_shown(wide.text)}` {len(wide.text) // 1000} KB | {longest // 1000} |"
    )


def main() -> int:
    """Search every place; 1 if a letter was found that costs too much."""
    reader = argparse.ArgumentParser(prog="python -m tests.costly_letters")
    reader.add_argument("--runs", type=int, default=40, help="changed letters a place, after the known ones")
    reader.add_argument("--known", type=int, default=len(SEEDS), help="so many of the known letters a place, by lot")
    reader.add_argument("--place", action="append", help="this place alone; several times for several")
    reader.add_argument("--first", type=int, default=0, help="the seed of the dice")
    reader.add_argument("--out", type=Path, default=Path(".hypothesis/costly-letters"))
    arguments = reader.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    print(f"At most {SECONDS:g} s of processor time and {MEGABYTES} MB a letter.\n", flush=True)
    print("| read by | s | the costliest | MB | the widest | answer, KB |\n|---|---|---|---|---|---|", flush=True)
    bad = False
    for game in dict.fromkeys(place.game for place in PLACES.values()):
        with opened(game) as house:
            for name, place in PLACES.items():
                if place.game != game or (arguments.place and name not in arguments.place):
                    continue
                candidates = list(
                    search(house, place, arguments.known, arguments.runs, random.Random(f"{arguments.first} {name}"))
                )
                print(_line(name, candidates), flush=True)
                for candidate in filter(lambda candidate: broken(candidate.cost), candidates):
                    bad = True
                    arguments.out.mkdir(parents=True, exist_ok=True)
                    path = (
                        arguments.out
                        / f"{hashlib.sha256(candidate.text.encode('utf-8', 'replace')).hexdigest()[:12]}.txt"
                    )
                    path.write_text(candidate.text, "utf-8", "replace")
                    print(f"FOUND {name}: {candidate.cost}: {path}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
