"""Measure a log of years: ``python -m benchmarks.long_log [LEAVES]``, a million.

It writes the log of many games into a database of its own and prints what signing one more leaf costs at a thousand
leaves and at the end, and how long `log check`, `log tiles` and `pbem monitor` take over all of it, each in a process
of its own whose memory is measured.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.audit import leaves
from pbem.audit.merkle import leaf_hash
from pbem.log import sequencer
from pbem.runtime.transaction import Server
from pbem.store import hot_statements
from tests.harness.server import open_server

BATCH, GAMES, ONE_BY_ONE = 10_000, 500, 200


class Chains:
    """Games whose leaves are written in turn, a closed list in every fourth."""

    def __init__(self) -> None:
        self.seqs, self.heads = [-1] * GAMES, [leaves.NO_LEAF_BEFORE] * GAMES
        self.count = 0

    def next(self) -> tuple[str, sequencer.Noted]:
        """Return the next leaf, of the next game."""
        index = self.count % GAMES
        self.count += 1
        self.seqs[index] += 1
        seq, game = self.seqs[index], f"game-{index}"
        says: tuple[tuple[str, str], ...] = (("phase", f"T{seq}~1"),)
        kind = "disclose"
        if seq % 4 == 0:
            kind = "close"
            says = (*says, ("segment", "1"), ("groups", "all"), ("slate", "0" * 64), ("seen", "-"))
        written = leaves.write(leaves.Leaf(kind, game, seq, self.heads[index], says, "5" * 64))
        self.heads[index] = leaf_hash(written.data).hex()
        return game, sequencer.Noted(seq, kind, f"T{seq}~1", *written)


def grow(server: Server, chains: Chains, count: int) -> float:
    """Write so many leaves and sign them as one batch; return the seconds it took."""
    with server.work() as work:
        for _ in range(count):
            game, noted = chains.next()
            hot_statements.add_leaves(work.session, game, ((noted, ""),), work.now)
    start = time.perf_counter()
    sequencer.sign(server)
    return time.perf_counter() - start


def one_by_one(server: Server, chains: Chains) -> float:
    """Return the median milliseconds that signing a single leaf takes."""
    taken = sorted(grow(server, chains, 1) for _ in range(ONE_BY_ONE))
    return 1000 * taken[len(taken) // 2]


def apart(label: str, do: Callable[[], object]) -> None:
    """Do something in a process of its own; print its time and memory."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        result = do()
        took, most = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(
            f"{label:34}{took:8.1f} s {before / 1024:7.0f} MB before, {most / 1024:.0f} MB at most   {result}",
            flush=True,
        )
        os._exit(0)
    os.waitpid(child, 0)


def check(folder: Path) -> str:
    """Recompute the log."""
    from pbem.log import log_check

    result = log_check.check(open_server(folder))
    return f"{result.leaves} leaves, {result.nodes} nodes, wrong: {len(result.wrong)}"


def publish(folder: Path) -> str:
    """Write the log as files."""
    from pbem.log import published

    return f"{published.publish(open_server(folder), folder / 'www')} leaves"


def watch(folder: Path) -> str:
    """Read those files as anybody may."""
    from pbem.audit.monitor import TrustedState
    from pbem.cli.monitor import LogFiles, open_files, read_log

    reading = read_log(LogFiles(open_files(str(folder / "www"))), TrustedState())
    return f"{reading.leaves} leaves, findings: {len(reading.findings)}"


def main(count: int) -> None:
    """Write the log, and measure."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        server, chains = open_server(folder), Chains()
        grow(server, chains, 1000)
        early = one_by_one(server, chains)
        begun = time.perf_counter()
        while chains.count < count:
            grow(server, chains, min(BATCH, count - chains.count))
        took = time.perf_counter() - begun
        print(f"{chains.count} leaves written and signed, {BATCH} at a time, in {took:.0f} s")
        late = one_by_one(server, chains)
        print(f"signing one leaf: {early:.2f} ms at 1,000 leaves, {late:.2f} ms at {chains.count:,}")
        server.engine.dispose()
        apart("pbem log check", lambda: check(folder))
        apart("pbem log tiles, from nothing", lambda: publish(folder))
        apart("pbem log tiles, nothing new", lambda: publish(folder))
        apart("pbem monitor, from a folder", lambda: watch(folder))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
