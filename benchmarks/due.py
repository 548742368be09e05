"""W5 Measure phases that fall due together, until their reports are sent.

They are resolved, and reports of both sides are written as text and page and sent to a sink. A server as it
runs, on SQLite with every commit synced and its log signed. What players wrote came in before and is not
counted. ``python -m benchmarks.due GAMES`` lets so many games fall due in one minute, draws their maps in
processes of their own as the daemon does, and reports what that costs and how long reports waited; with
``--bare`` nobody draws.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time

from benchmarks.letters import NOW, Unanswered, letter_to, new_game, new_server, quiet
from benchmarks.measure import Elsewhere, Measured
from pbem.cli.assembly import PictureRenderer, draw_picture_as_png, picture_renderer
from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import letter_pictures
from pbem.mail.smtp import Envelope, OnReply, SmtpReply
from pbem.maps.png import missing_libraries
from pbem.maps.worker_pool import InlineRenderer
from pbem.runtime.page_makers import PictureMaker, PictureRequest
from pbem.runtime.transaction import Server
from pbem.server import outbox_sender
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.scheduler import run_due_jobs
from pbem.store import queries, tables
from tests.harness.server import changed

# A choice: few, so that a measurement ends near its budget.
TOGETHER = 4
"""Games of one measurement."""
# Counted from `NOW`, which is noon; the phases of all games are due by then.
EVENING = timedelta(hours=9)


class Undrawn(Exception):
    """A report went without the map that it should have had."""


class Clock:
    """A clock that stands still where it is put, and runs once it was started."""

    def __init__(self) -> None:
        self.at, self._since = NOW, 0.0

    def now(self) -> datetime:
        """Return the moment that it shows."""
        return self.at + timedelta(seconds=monotonic() - self._since if self._since else 0.0)

    def start(self) -> None:
        """Let it run."""
        self._since = monotonic()

    def stop(self) -> None:
        """Let it stand still."""
        self.at, self._since = self.now(), 0.0


class CountingRenderer:
    """A renderer that counts its pictures, and the CPU seconds of this process."""

    def __init__(self, renderer: PictureRenderer) -> None:
        self._whom = renderer
        self.drawn, self.seconds = 0, 0.0

    def draw(self, wanted: Sequence[PictureRequest], until: datetime) -> Sequence[bytes | None]:
        """Draw, and count."""
        began = process_time()
        pictures = self._whom.draw(wanted, until)
        self.seconds += process_time() - began
        self.drawn += sum(picture is not None for picture in pictures)
        return pictures

    def close(self) -> None:
        """Close the renderer."""
        self._whom.close()


class Sink:
    """A sink that takes every letter, and records its delay and whether it has a map."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self.letters = clock, list[tuple[float, bool]]()
        self._check_starts = clock.now()

    async def __call__(self, envelopes: Sequence[Envelope], on_reply: OnReply) -> None:
        """Take letters."""
        for envelope in envelopes:
            waited = (self._clock.now() - self._check_starts).total_seconds()
            self.letters.append((waited, b"image/png" in envelope.raw))
            await on_reply(SmtpReply(250, "taken", "sent", "data"))


def phases(drawn: bool) -> Elsewhere:
    """Measure phases of a few games that fall due together, with maps or without.

    None where maps are wanted and what draws them is not installed.
    """

    def run(budget: float) -> Measured | None:
        if drawn and missing_libraries():
            return None
        with quiet(), TemporaryDirectory() as folder:
            clock = Clock()
            renderer = (
                CountingRenderer(PictureRenderer(InlineRenderer(partial(draw_picture_as_png, None), clock.now, _fail)))
                if drawn
                else None
            )
            server = changed(new_server(Path(folder)), clock=clock, artist=renderer)
            try:
                # The first time grounds are drawn, which are kept.
                fall_due(server, clock, range(TOGETHER))
                units, seconds = 0, 0.0
                while seconds < budget:
                    more, took = fall_due(server, clock, range(units + TOGETHER, units + 2 * TOGETHER))
                    units, seconds = units + more, seconds + took
                return Measured(units, seconds)
            finally:
                server.engine.dispose()

    return run


def _fail(fault: str) -> None:
    raise Undrawn(fault)


def fall_due(server: Server, clock: Clock, numbers: range) -> Measured:
    """Begin games, take orders in, let them fall due; return games and CPU seconds."""
    clock.at = NOW
    begin(server, numbers)
    clock.at = NOW + EVENING
    sink = Sink(clock)
    began = process_time()
    _close(server)
    seconds = process_time() - began
    _distinguish_maps(server)
    began = process_time()
    asyncio.run(outbox_sender.send_due_letters(server, sink))
    seconds += process_time() - began
    maps = sum(drawn for _, drawn in sink.letters)
    if len(sink.letters) < 2 * len(numbers) or (server.plugins.artist is not None and maps < 2 * len(numbers)):
        raise Undrawn(f"{len(sink.letters)} letters with {maps} maps of {len(numbers)} games")
    return Measured(len(numbers), seconds)


def begin(server: Server, numbers: range) -> None:
    """Start games, send their letters without pictures, and take their orders in."""
    bare = changed(server, artist=None)
    for number in numbers:
        outcome = take_and_commit(bare, letter_to(new_game(bare, number), number, number + 1))
        if outcome.outcome != "receipt":
            raise Unanswered(f"{outcome.verdict}: {outcome.outcome}")
    asyncio.run(outbox_sender.send_due_letters(bare, Sink(Clock())))


def _close(server: Server) -> None:
    """Close the phases that are due."""
    with server.work() as work:
        work.session.merge(tables.Poll(account="file", folder="", begun=work.now))
    run_due_jobs(server)


def _distinguish_maps(server: Server) -> None:
    """Give each game a map of its own.

    Games alike came out alike, and what is drawn once is not drawn again.
    """
    with server.work() as work:
        for row in queries.outbox.due_letters(work.session, work.now, 10**6):
            letter = loads(row.model)
            for shown in letter_pictures(letter):
                shown["scene"]["heading"] = msg("Castillejos, " + (row.game_id or "")).to_json()
            row.content.model = dumps(letter)
            work.session.add(row)


def _seconds() -> tuple[float, float]:
    """Return the present clock and CPU seconds of this process."""
    return monotonic(), process_time()


def _children_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main() -> int:
    """Let many games fall due, and print what that took."""
    games, bare = int(sys.argv[1]), "--bare" in sys.argv
    with quiet(), TemporaryDirectory() as folder:
        clock = Clock()
        server = changed(new_server(Path(folder)), clock=clock)
        begin(server, range(games))
        clock.at = NOW + EVENING
        clock.start()
        renderer: PictureMaker | None = None if bare else picture_renderer(clock.now)
        server, sink = changed(server, artist=renderer), Sink(clock)
        spent = [_seconds()]
        _close(server)
        spent.append(_seconds())
        clock.stop()
        _distinguish_maps(server)
        clock.start()
        spent.append(_seconds())
        asyncio.run(outbox_sender.send_due_letters(server, sink))
        spent.append(_seconds())
        if renderer is not None:
            renderer.close()
        child_cpu = _children_seconds()
        server.engine.dispose()
    (wall, ours), (wall_out, ours_out) = (
        (after[0] - before[0], after[1] - before[1]) for before, after in (spent[:2], spent[2:])
    )
    maps = sum(drawn for _, drawn in sink.letters)
    print(f"{games} games, {len(sink.letters)} letters, {maps} with a map; load {os.getloadavg()[0]:.1f}")
    print(f"  closed and resolved: {wall:.1f} s by the clock, {ours:.1f} s of CPU")
    print(
        f"  made and sent: {wall_out:.1f} s by the clock, {ours_out:.1f} s of CPU, and {child_cpu:.1f} s of who draws"
    )
    print(f"  the last letter went out after {max(waited for waited, _ in sink.letters):.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
