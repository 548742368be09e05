"""Count what a letter, its lines, a closing and a report cost.

``python -m benchmarks.counts [FILE]`` prints, or writes to a file, a line for each act: calls of Python's functions,
statements of the database, and bytes written to its log, the same on every machine. Each act is that of the second
battle; the first one's fills caches. A report is one of the first position of a battle of each game, as text and page
with its order form, a map that of the same position for a phone. The lines are those of W2, read and checked once more.
A command is a process of its own, from its first import to its end.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from cProfile import Profile
from dataclasses import replace
from functools import partial
from pathlib import Path
from pstats import Stats
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sqlalchemy import Engine

from benchmarks import ours, start_up
from benchmarks.due import EVENING, Clock, Sink
from benchmarks.letters import NOW, letter_to, new_game, new_server, quiet
from pbem.cli.rulebooks import game_by_name
from pbem.engine.run.odds import Memory
from pbem.letters.catalogue import load_catalogue
from pbem.maps import png
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import LIGHT
from pbem.play import phase_reports, positions, seating
from pbem.play.commands.table import founding
from pbem.runtime.transaction import HTML, Server
from pbem.server import outbox_sender
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.scheduler import run_due_jobs
from pbem.store import queries, tables
from tests.harness.server import changed
from tests.plans import listening


class Counted(NamedTuple):
    """The cost of an act: calls of functions, statements, bytes written."""

    calls: int
    statements: int
    bytes: int


def count_all(folder: Path) -> dict[str, Counted]:
    """Count the acts of one battle from its orders to its first reports."""
    clock = Clock()
    server = replace(new_server(folder), clock=clock)
    for number in range(2):
        clock.at = NOW
        address = new_game(server, number)
        _send(server)
        letter, again = (letter_to(address, number, 2 * number + uid) for uid in (1, 2))
        acts: dict[str, Callable[[], object]] = {
            "a letter of orders": partial(take_and_commit, server, letter),
            "its receipt": partial(_send, server),
            "orders that replace them": partial(take_and_commit, server, again),
            "a closing": partial(run_due_jobs, server),
            "its reports": partial(_send, server),
        }
        counted = {}
        for name, act in acts.items():
            if name == "a closing":
                _send(server)
                clock.at = NOW + EVENING
                with server.work() as work:
                    work.session.merge(tables.Poll(account="file", folder="", begun=work.now))
            counted[name] = count(server.engine, folder, act)
    for game, scenario in REPORTED.items():
        _begin(server, game, scenario)
        for time in "12":
            reporting = changed(server, weighed=Memory())
            counted[f"a report of {game}"] = count(server.engine, folder, partial(_report, reporting, game, time))
        for _ in range(2):
            counted[f"a map of {game}"] = count(server.engine, folder, partial(_draw, game, scenario))
    counted["lines read and checked"] = count(server.engine, folder, partial(ours.validate(), 0))
    server.close()
    return counted


REPORTED = {"africa1860": "castillejos", "peninsular": "barrosa"}
"""A scenario of each game."""


def _begin(server: Server, game: str, scenario: str) -> None:
    """Begin a battle, named after its game, and send all that its beginning writes."""
    with server.work() as work:
        founding.new_game(work, founding.NewGame(name=game, game=game, scenario=scenario))
        for seat in queries.games.seats(work.session, game):
            address = f"{seat.name}@{game}.example"
            seating.invite_seat(work, seating.Invitation(game=game, seat=seat.name, email=address))
        founding.start_game(work, game)
    _send(server)


def _report(server: Server, name: str, cause: str) -> None:
    """Write and send a report, as text and page, to the first seat that is to move."""
    with server.work() as work:
        position = positions.read_position(work, positions.lock_game(work.session, name))
        phase = queries.phases.open_phase(work.session, name)
        seat = next(row for row in queries.games.seats(work.session, name) if row.name in position.active)
        seat.format = HTML
        phase_reports.write_report(work, seat, phase_reports.PhaseReport(position, phase, cause=cause))
    _send(server)


def _draw(name: str, scenario: str) -> bytes:
    """Draw the first position of a battle as a letter brings it to a phone."""
    rules, words = game_by_name(name), load_catalogue("en", name)
    edition = rules.edition(scenario, {}, {})
    if rules.pictured is None:
        raise LookupError(f"{name} has no pictures")
    scene = rules.pictured.picture(rules.start(edition), "", ())
    ground = prepare_ground(rules.pictured.ground(edition), scene, edition.digest, True)
    return png.encode_png(scene, ground, Style(words.say, words.called.with_names, LIGHT))


_COMMAND = """import sys
from cProfile import Profile
from pstats import Stats
profile = Profile(builtins=False)
profile.enable()
from pbem.cli.main import main
try:
    main(sys.argv[1:])
finally:
    profile.disable()
    print(Stats(profile).total_calls, file=sys.stderr)
"""


def count_commands(folder: Path) -> dict[str, Counted]:
    """Count the calls of commands, each in a process with its bytecode written."""
    start_up.prepare(folder)
    # The first run writes the bytecode.
    calls = {
        row.words: [start_up.read_number(_COMMAND, row.words, folder) for _ in range(2)][1] for row in start_up.ROWS
    }
    return {f"pbem {' '.join(words)}": Counted(number, 0, 0) for words, number in calls.items()}


def count(engine: Engine, folder: Path, act: Callable[[], object]) -> Counted:
    """Count what an act costs on a database in a folder."""
    with engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.exec_driver_sql("BEGIN")
    statements, profile = [0], Profile(builtins=False)

    def note(*_: object) -> None:
        statements[0] += 1

    with listening(engine, before_cursor_execute=note):
        profile.enable()
        act()
        profile.disable()
    calls = Stats(profile).total_calls - statements[0]  # type: ignore[attr-defined]
    return Counted(calls, statements[0], (folder / "pbem.db-wal").stat().st_size)


def _send(server: Server) -> None:
    asyncio.run(outbox_sender.send_due_letters(server, Sink(Clock())))


def write(counted: dict[str, Counted]) -> str:
    """Return the figures as text, an act a line."""
    return "".join(
        f"{name}: {figures.calls} calls, {figures.statements} statements, {figures.bytes} bytes\n"
        for name, figures in counted.items()
    )


def main() -> int:
    """Print the figures, or write them to a file."""
    with quiet(), TemporaryDirectory() as folder:
        text = write(count_all(Path(folder)) | count_commands(Path(folder)))
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, "utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
