"""``python -m benchmarks [--quick]``: one table of ours beside the peers.

Each figure is units of work per second of CPU, in a process of its own. Ours and the peer are measured in turns, some
rounds of each; the figures are medians, and a ratio is the median of the ratios of the rounds, so that a busy machine
slows both. Targets are ratios, since seconds differ from machine to machine: where no registry has a program that does
the same, the peer is phases of `diplomacy`, which stand for how fast the machine is. With STRICT=1 in the environment a
missed target ends with 1, unless its row says why it is not reached.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.peers import environment

HERE = Path(__file__).parent


BARE = "servers alone"
"""The peer of a row that is measured against the very servers it goes through."""
ALONE = "one game"
"""The peer of a row that is measured against ourselves with less to do."""
PAGES = "without maps"
"""The peer of a row that is measured against ourselves where nobody draws."""
MACHINE = ("diplomacy", "phase")
"""The peer of a row that no registry has a program for: it says how fast the machine is."""


class Row(NamedTuple):
    """A line of the table.

    `unit` is counted; `ours` and `peer` (script, name) are workloads; `times` is the ratio to the peer that is wanted
    (0: none); `handicap` says what is not alike, `short` why the target is not reached so far, empty where it is.
    """

    what: str
    unit: str
    ours: str
    peer: tuple[str, str]
    times: float
    handicap: str
    short: str = ""


# A target is what 1.0.0 came to, where it was measured, else what was measured since; less a fifth, for chance.
ROWS = (
    Row(
        "W1 order letters",
        "letters",
        "letters",
        MACHINE,
        0.06,
        "bytes in to answer rendered and queued, SQLite on disk, 10 games stored, the odds of the one attack in it"
        " remembered from the first; each a leaf of the log, which is signed before the receipts of a poll are rendered"
        " with their proofs; the proof of a seat's salt, which its first letter of a phase pays for (about half a"
        " millisecond), remembered from the first as well; for reference, measured elsewhere: GalaxyNG in C 118-150"
        " with a forecast and no database, Eressea's intake 7.8",
    ),
    Row(
        "W1 none weighed before",
        "letters",
        "letters-anew",
        MACHINE,
        0.02,
        "the same letters, the odds of the attack reckoned anew for each",
    ),
    Row(
        "W1 by mail",
        "letters",
        "post",
        (BARE, "post-bare"),
        0.2,
        "by the clock: from the player's hand through Exim and Dovecot to the daemon, and the receipt back the same"
        " way; beside it Exim and Dovecot alone, which take each letter once and not twice",
    ),
    Row(
        "W8 assault weighed",
        "assaults",
        "odds",
        MACHINE,
        0.04,
        "the assault of those letters, exactly, up to the checks after the shock",
    ),
    Row(
        "W8 assault on hexes",
        "assaults",
        "hex-odds",
        MACHINE,
        0.04,
        "three battalions on one, exactly, from the defensive fire to the tests after the shock",
    ),
    Row(
        "W2 orders validated",
        "lines",
        "lines",
        ("diplomacy", "lines"),
        1.4,
        "ours: a battle's letter of 21 lines, run up to its first die; theirs: the 22 orders of the opening",
    ),
    Row(
        "W3 phase of battle",
        "phases",
        "battle",
        ("diplomacy", "phase"),
        0.4,
        "ours: 21 order lines, 34 units, 2 assaults, some 130 events with their rules, about 30 rolls by HMAC, an event"
        " costing about 8 us all told; theirs: 22 orders, nothing to roll, no events",
    ),
    Row(
        "W3 half on hexes",
        "phases",
        "hex-half",
        MACHINE,
        0.2,
        "20 order lines, nine of them ways the server finds, 36 counters, an assault, a charge, fire of both sides",
    ),
    Row(
        "W3 phase of marches",
        "phases",
        "march",
        ("pydip", "phase"),
        0.5,
        "ours: 22 order lines, 34 units, each line held against who may act, ways, room and interceptors, and told as"
        " events with rules; theirs: 22 moves of the opening, two spaces wanted twice, units where they end, no events",
    ),
    Row(
        "W4 game replayed",
        "games",
        "game",
        ("diplomacy", "game"),
        2.1,
        "28 phases each, orders of bots; ours: canonical texts read, some 700 events and 100 rolls, events compared as"
        " bytes; theirs: random legal orders, states compared",
    ),
    Row(
        "W4 battle on hexes replayed",
        "games",
        "hex-game",
        ("diplomacy", "game"),
        1,
        "up to 18 halves each, orders of bots that do anything legal; canonical texts read, events compared as bytes",
    ),
    Row(
        "W5 phases fall due",
        "games",
        "due",
        MACHINE,
        0.012,
        "four games at a time: closed, resolved, reports of both sides made as text and page with their proofs, sent to"
        " a sink, SQLite on disk",
    ),
    Row(
        "W5 with maps",
        "games",
        "due-maps",
        (PAGES, "due"),
        0.4,
        "the same, each game with a map of its own that both sides are sent, drawn in the same process so that all CPU"
        " is counted; what the ratio lacks to 1 is the share of drawing",
    ),
    Row(
        "W9 idle turns",
        "turns",
        "idle",
        (ALONE, "idle-alone"),
        0.8,
        "a look at the clocks that finds nothing, beside 10,000 stored games (quick: 1,000), and beside one; one is"
        " done each second, so that 100 a second of CPU are a hundredth of a core; memory tells `benchmarks.idle`",
    ),
    Row(
        "W6 labels derived",
        "labels",
        "labels",
        MACHINE,
        400,
        "3d6 of a label, found by HMAC; for reference, measured elsewhere: a dice server's signed rolls 540-805",
    ),
    Row(
        "W6 phases proven",
        "phases",
        "proven",
        MACHINE,
        0.8,
        "slate, VRF proof, 30 rolls, manifest, two leaves, signed checkpoint; without the rules",
    ),
    Row(
        "W6 phases verified",
        "phases",
        "verified",
        MACHINE,
        0.6,
        "signature, inclusion, VRF proof, manifest and 30 rolls, by libsodium",
    ),
)


class Result(NamedTuple):
    """A measured row: our figure, the peer's, and their ratio.

    Each is None if it could not be measured here.
    """

    row: Row
    ours: float | None
    peer: float | None
    ratio: float | None

    @property
    def is_missed(self) -> bool:
        """Return whether the ratio is missed; without the peer there is none."""
        return self.ratio is not None and self.ratio < self.row.times

    @property
    def surprises(self) -> bool:
        """Return whether a target is missed that was reached before."""
        return self.is_missed and not self.row.short

    @property
    def verdict(self) -> str:
        """Return the last word of its line."""
        if self.ratio is None or not self.row.times:
            return ""
        return "reached" if not self.is_missed else "missed" if self.surprises else "short"


def rate(command: Sequence[str | Path], seconds: float) -> float | None:
    """Return a workload's units per CPU second; None if it cannot run here."""
    done = subprocess.run([*command, str(seconds)], cwd=HERE.parent, check=True, stdout=subprocess.PIPE, text=True)
    measured = json.loads(done.stdout)
    return None if measured is None else float(measured[0] / measured[1])


def measure(rounds: int, seconds: float) -> Iterator[Result]:
    """Measure all rows, a round of ours beside a round of the peer."""
    python = environment()
    for row in ROWS:
        ours, peer = [], []
        for _ in range(rounds):
            mine = rate([*_OURS, row.ours], seconds)
            if mine is None:
                break
            ours.append(mine)
            if (command := _peer(row, python)) and (theirs := rate(command, seconds)) is not None:
                peer.append(theirs)
        ratios = [mine / theirs for mine, theirs in zip(ours, peer, strict=False)]
        yield Result(
            row, median(ours) if ours else None, median(peer) if peer else None, median(ratios) if ratios else None
        )


_OURS = (sys.executable, "-m", "benchmarks.ours")


def _peer(row: Row, python: Path | None) -> Sequence[str | Path]:
    """Return the command that measures a row's peer; empty if it is not here."""
    script, name = row.peer
    if script in (BARE, PAGES, ALONE):
        return (*_OURS, name)
    return () if python is None else (python, HERE / f"peer_{script}.py", name)


def lines(results: Sequence[Result]) -> Iterator[str]:
    """Yield the table, then what is not alike in each line of it."""
    head = ("workload", "ours", "peer", "ratio", "target", "")
    rows = [head]
    for result in results:
        row, ours, peer, ratio = result
        target = f"{row.times:g}" if row.times else ""
        beside = "not here" if peer is None else f"{peer:,.0f} {row.peer[0]}"
        times = "" if ratio is None else f"{ratio:.3g}"
        if ours is None:
            rows.append((row.what, "not run", "", "", target, "what it needs is not installed here"))
            continue
        rows.append((row.what, f"{ours:,.0f} {row.unit}", beside, times, target, result.verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for cells in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
    yield ""
    machine = f"{platform.python_compiler()}, {platform.machine()}, {os.cpu_count()} processors"
    yield f"Python {platform.python_version()}, {machine}."
    yield f"Built with: {sysconfig.get_config_var('CONFIG_ARGS') or 'no options'}"
    yield "Per second of CPU. What is not alike:"
    for result in results:
        yield f"  {result.row.what}: {result.row.handicap}."
    for result in results:
        if result.row.short:
            yield f"  {result.row.what} is {result.verdict}: {result.row.short}."


def main() -> int:
    """Measure, print, judge."""
    quick = "--quick" in sys.argv[1:]
    results = list(measure(3, 1.2) if quick else measure(5, 2.5))
    print("\n".join(lines(results)))
    return int(os.environ.get("STRICT") == "1" and any(result.surprises for result in results))


if __name__ == "__main__":
    sys.exit(main())
