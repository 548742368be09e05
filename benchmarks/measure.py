"""Measure units of work per CPU second, until a budget of CPU time is spent."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from time import process_time
from typing import NamedTuple


class Measured(NamedTuple):
    """The result of a workload: units (phases, games, lines) and their CPU seconds."""

    units: int
    seconds: float


Workload = Callable[[float], Measured]
"""Works until the given CPU seconds are spent on what is to be measured; what is not, it leaves out of the sum."""

Elsewhere = Callable[[float], Measured | None]
"""A workload that is not for every machine: None says that what it needs is not installed here."""


def spend(budget: float, work: Callable[[], int]) -> Measured:
    """Call `work` until `budget` CPU seconds are spent; it returns its units.

    The first call warms up and is not counted.
    """
    work()
    units, start = 0, process_time()
    while (seconds := process_time() - start) < budget:
        units += work()
    return Measured(units, seconds)


def main(workloads: Mapping[str, Callable[[], Elsewhere]]) -> None:
    """Run a workload as a process: ``python FILE WORKLOAD SECONDS`` prints JSON."""
    name, seconds = sys.argv[1:]
    print(json.dumps(workloads[name]()(float(seconds))))
