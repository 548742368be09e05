"""W11 Open the first round of a large tournament.

``python -m benchmarks.round_of 500`` opens 500 games for 1,000 entrants.

A server as it runs, on SQLite with every commit synced and its log signed. The list of the round shuts, it is drawn,
its games are founded and begun, and all letters of that are written and taken by a sink: to every other entrant as
text and page, to the rest as text. Told are the CPU seconds of each part, user and system, and how many letters it
wrote. Who entered came in before and is not counted.

    python -m benchmarks.round_of 250 500       two sizes, one after the other: what grows faster than the round?
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

from benchmarks.due import Clock, Sink
from benchmarks.letters import NOW, Unanswered, new_server, quiet
from pbem.cli.rulebooks import games
from pbem.runtime.transaction import Server
from pbem.server import outbox_sender
from pbem.store import queries
from pbem.tournaments import entry, founding
from pbem.tournaments.arithmetic.rules.reading import read_rules
from pbem.tournaments.founding import NewTournament
from pbem.tournaments.record import tournament_by_name
from pbem.tournaments.running import advance_tournaments

NAME = "cup1000"
RULES = """
title = "A Large Cup"
[entry]
places = {places}
closes = "2030-01-08"
[table]
scenario = "castillejos"
[round]
days = 60
[[stage]]
format = "swiss"
rounds = 9
"""
TARGET = 60.0
"""Seconds that a round of 500 games may take on two processors, as long as an evening of 1,000 (`benchmarks.evening`):
twice so many of CPU."""
PARTS = (("the list shut", "shut"), ("drawn", "drawn"), ("founded and begun", "playing"))


class Part(NamedTuple):
    """A part of a round: name, CPU seconds of steps and of letters, letter count."""

    what: str
    steps: float
    letters: float
    sent: int

    @property
    def seconds(self) -> float:
        """Return all CPU seconds."""
        return self.steps + self.letters


def open_round(boards: int) -> Sequence[Part]:
    """Open a round of so many games; raise LookupError if anything is missing."""
    with quiet(), TemporaryDirectory() as folder:
        clock = Clock()
        server = replace(new_server(Path(folder)), clock=clock)
        try:
            _enter(server, boards)
            clock.at = NOW + timedelta(days=1, hours=12)
            parts = [_part(server, clock, *part) for part in PARTS]
            _see(server, boards)
        finally:
            server.engine.dispose()
    wanted = (2 * boards, 0, 2 * boards)
    if any(part.sent < least for part, least in zip(parts, wanted, strict=True)):
        raise LookupError(f"letters are missing: {parts}")
    return parts


def _enter(server: Server, boards: int) -> None:
    """Found and fill the tournament, and send its letters before measuring."""
    rules = RULES.format(places=2 * boards)
    read = read_rules(rules, "cup.toml", founding.server_check(server, games()))
    with server.work() as work:
        founding.create_tournament(work, NewTournament(NAME, read, "Be kind.", "rosa@players.example", games=games()))
    for number in range(1, 2 * boards + 1):
        with server.work() as work:
            wish = entry.EntryRequest(f"p{number}@players.example", f"Player{number}", ("en", "es")[number % 2])
            row = entry.enter_person(work, tournament_by_name(work.session, NAME), wish)
            if row is None:
                raise Unanswered(f"{number} is not let in")
            row.format, row.strength = ("html", "text")[number // 2 % 2], 1000 + number % 997
            work.session.add(row)
    _send_all(server)


def _part(server: Server, clock: Clock, what: str, state: str) -> Part:
    """Run steps until the round reaches a state, and send their letters."""
    began = process_time()
    while _state(server) != state:
        with server.reading() as work:
            wake = queries.tournaments.next_wake(work.session)
        clock.at = max(clock.at, wake or clock.at)
        advance_tournaments(server, limit=1)
    steps = process_time() - began
    began = process_time()
    count = _send_all(server)
    return Part(what, steps, process_time() - began, count)


def _state(server: Server) -> str:
    with server.reading() as work:
        rounds = queries.tournaments.rounds(work.session, NAME)
    return rounds[-1].state if rounds else ""


def _send_all(server: Server) -> int:
    """Send all queued letters into a sink; return their number."""
    return asyncio.run(outbox_sender.send_due_letters(server, Sink(Clock())))


def _see(server: Server, boards: int) -> None:
    """Raise LookupError unless every entrant plays one running game of the round."""
    with server.reading() as work:
        (round_,) = queries.tournaments.rounds(work.session, NAME)
        rows = queries.tournaments.boards(work.session, round_.id)
        running = sum(game.state == "running" for game in queries.games.all_games(work.session))
    tables_of = Counter(number for row in rows for number in (row.first, row.second))
    if running != boards or len(tables_of) != 2 * boards or {*tables_of.values()} != {1}:
        raise LookupError(f"{running} games run, {len(tables_of)} entrants sit at a table")


def main() -> int:
    """Print a table a size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.round_of", description=__doc__)
    parser.add_argument("boards", nargs="*", type=int, default=[500])
    missed = False
    for boards in parser.parse_args().boards:
        parts = open_round(boards)
        whole = sum(part.seconds for part in parts)
        print(f"a round of {boards} games: {whole:.1f} s of CPU; load {os.getloadavg()[0]:.1f}")
        for what, steps, letters, count in parts:
            print(f"  {what:<18} {steps:6.1f} s, and {letters:6.1f} s for {count} letters", flush=True)
        missed |= whole > 2 * TARGET * boards / 500
    return 1 if missed and os.environ.get("STRICT") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())
