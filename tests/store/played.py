"""A small server as a release left it: ``python -m tests.store.played VERSION`` writes it, once, before the release.

Each is kept for ever as SQL. Every later version must bring it up to date, go on with it, and find its log as signed.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.campaign.house import House

KEPT = Path(__file__).with_name("released")


def play(folder: Path) -> House:
    """A game of two turns: letters, orders in and missing, press, dice."""
    house = House(folder, undo_minutes=0)
    house.write("north", "ORDERS T1\nMOVE Ant TO s2\nEND\n\nPRESS TO south\nGood morning.\nENDPRESS")
    house.tick()
    house.clock.forward(days=3)
    house.tick()
    return house


def dumped(path: Path) -> str:
    """The database at a path as SQL, a statement a line where it fits."""
    with sqlite3.connect(path) as opened:
        return "\n".join(opened.iterdump()) + "\n"


def main() -> None:
    """Write the database of this version."""
    with TemporaryDirectory() as folder:
        house = play(Path(folder))
        house.server.engine.dispose()
        KEPT.mkdir(exist_ok=True)
        (KEPT / f"{sys.argv[1]}.sql").write_text(dumped(Path(folder, "pbem.db")), "utf-8")


if __name__ == "__main__":
    main()
