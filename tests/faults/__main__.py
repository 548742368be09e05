"""Plant small faults in the package and ask which tier of tests catches them: ``python -m tests.faults``.

Ends with 1 if the first tier catches less than 85 percent of what either tier catches, with 2 if nothing can be said.
Style, types and tests/house read sources rather than run them, and catch nothing here. Of a fault that no test catches
in ``--patience`` CPU seconds of tests a tier, the line says how many tests were run, and how many there are.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.faults.hunting import TIERS, Hunt, Outcome
from tests.faults.planting import Fault, choose_faults, read_sources

ROOT = Path(__file__).resolve().parents[2]
MEMORY = Path("/dev/shm")
WANTED = 85
"""Percent."""


def judge(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """Return what came of one fault, and how."""
    for outcome in outcomes:
        if outcome.what:
            # Each tier collects the test files of both: what hinders that stops the first as well.
            tier = 1 if outcome.what in ("not collected", "not started") else outcome.tier
            return f"tier {tier}", f"{outcome.what} {outcome.test}".rstrip()
    if any(outcome.all_tests for outcome in outcomes):
        return "SURVIVED", ", ".join(
            f"{outcome.tests} of {outcome.all_tests} tests of tier {outcome.tier}" for outcome in outcomes
        )
    return "UNREACHED", ""


def report(faults: Sequence[Fault], outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield two lines a fault, then what the tiers catch in all."""
    verdicts = Counter[str]()
    for number, fault in enumerate(faults):
        verdict, how = judge(sorted(outcome for outcome in outcomes if outcome.fault == number))
        verdicts[verdict] += 1
        yield f"{number:3}  {fault}\n     {verdict}: {how}".removesuffix(": ")
    caught = [verdicts[f"tier {tier}"] for tier in TIERS]
    yield f"{len(faults)} faults: {verdicts['SURVIVED']} survived, {verdicts['UNREACHED']} unreached"
    yield f"caught by either tier: {sum(caught)}; of these by the first: {caught[0]} ({share(outcomes):.0f} %)"


def share(outcomes: Sequence[Outcome]) -> float:
    """Return what the first tier catches, in percent of all that is caught."""
    caught = [judge([outcome])[0] for outcome in outcomes if outcome.what]
    return 100 * caught.count("tier 1") / len(caught) if caught else 0


def main() -> None:
    """Plant the faults, hunt them and print what came of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("tests", nargs="*", help="files and folders of tests; all if none are named")
    parser.add_argument("--faults", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="pbem", metavar="FOLDER", help="plant faults in this folder only")
    parser.add_argument(
        "--record", type=Path, metavar="FOLDER", help="keeps what was learnt; build/faults/SEED if not named"
    )
    parser.add_argument("--patience", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the faults and plant none")
    wanted = parser.parse_args()
    sources, began = read_sources(ROOT, wanted.only), time.perf_counter()
    faults = choose_faults(sources, wanted.faults, wanted.seed)
    if wanted.list:
        print(*faults, sep="\n")
        return
    record = (wanted.record or ROOT / "build" / "faults" / str(wanted.seed)).resolve()
    memory = MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(prefix="faults-", dir=memory, ignore_cleanup_errors=True) as scratch:
        hunt = Hunt(ROOT, read_sources(ROOT, "pbem"), faults, record, Path(scratch))
        hunt.tests, hunt.workers, hunt.patience = wanted.tests, wanted.workers, wanted.patience
        try:
            outcomes = hunt.hunt_all()
        except ValueError as wrong:
            print(f"nothing can be said: {wrong}", file=sys.stderr)
            sys.exit(2)
    print(*report(faults, outcomes), sep="\n")
    print(f"{time.perf_counter() - began:.0f} s")
    sys.exit(share(outcomes) < WANTED)


if __name__ == "__main__":
    main()
