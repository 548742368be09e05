"""The machine by hand: ``python -m tests.machine --machines 300 --seed 7``. Ends with 1 where a promise is broken."""

from __future__ import annotations

import argparse
import logging
import sys

import structlog

from tests.machine.rules import run


def main() -> int:
    """Run machines and return the exit code; the shortest way to what is wrong is printed."""
    parser = argparse.ArgumentParser(prog="python -m tests.machine")
    parser.add_argument("--machines", type=int, default=200, help="how many servers are played to their end")
    parser.add_argument("--steps", type=int, default=25, help="what happens to each at most")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        run(arguments.machines, arguments.steps, arguments.seed)
    except Exception as error:
        print("\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]))
        return 1
    print(f"{arguments.machines} servers kept what they promise")
    return 0


if __name__ == "__main__":
    sys.exit(main())
