"""Serve metrics, health and status of a running server by HTTP.

``GET /metrics`` is for Prometheus, ``/healthz`` for health checks, ``/status`` for people (`status_page`). The alert
rules and the dashboard in config/ use the names of these metrics.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import os
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from pbem import __version__
from pbem.cli.alerts import SENTENCES
from pbem.lazy import Logger
from pbem.runtime.transaction import TRANSIENT_ERRORS
from pbem.server.health import Health

log = Logger(__name__)


class ServerFigures(NamedTuple):
    """The figures of a running server at the moment `now`.

    `health` is what its tables say, `troubles` the words for what needs a person, `failures` the failures in a row
    of each chore. `last_letter` is when the last letter was taken in; in the mailbox `waiting` letters are still to
    be taken, `unmoved` are taken and cannot be moved, and the share `used` of its room is used, None if its server
    does not say. Sizes are in octets, the database's 0 if unknown.
    """

    now: datetime
    started: datetime
    health: Health
    troubles: Collection[str] = ()
    failures: Mapping[str, int] = {}
    last_letter: datetime | None = None
    waiting: int = 0
    unmoved: int = 0
    used: float | None = None
    last_backup: datetime | None = None
    database_size: int = 0
    disk_size: int = 0
    disk_free: int = 0


class Timings:
    """How long the server's work takes, in seconds since the start of the process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        buckets = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
        self.turn, self.poll, self.send = (
            Histogram(f"pbem_{name}_seconds", what, registry=self.registry, buckets=buckets)
            for name, what in (
                ("turn", "A turn: due jobs are run and queued letters are sent."),
                ("poll", "A look into the mailbox, and the letters taken in by it."),
                ("send", "Letters handed to the mail server together."),
            )
        )


class _ServerNumbers(Collector):
    """The server's metrics, from its figures at one moment."""

    def __init__(self, figures: ServerFigures) -> None:
        self.figures = figures

    def collect(self) -> Iterator[Metric]:
        """Yield each metric with its help."""
        figures, health = self.figures, self.figures.health
        yield _labelled_metric(
            "pbem_letters_in", "Letters taken in.", "verdict", health.letters_in, CounterMetricFamily
        )
        yield _labelled_metric(
            "pbem_letters_out", "Letters a mail server took.", "kind", health.letters_out, CounterMetricFamily
        )
        yield _labelled_metric("pbem_games", "Games.", "state", health.games)
        states = {word: int(word in figures.troubles) for word in SENTENCES}
        yield _labelled_metric(
            "pbem_trouble", "1 while something needs a person (docs/settings.md, Alerts).", "trouble", states
        )
        yield _labelled_metric("pbem_chore_failures", "Failures in a row.", "chore", figures.failures)
        yield InfoMetricFamily("pbem_build", "The program's release.", {"version": __version__})
        for name, what, number in (
            ("pbem_queue_oldest_seconds", "Age of the oldest letter that waits, 0 if none does.", self._age("oldest")),
            (
                "pbem_poll_age_seconds",
                "Since the last whole look into the mailbox began, NaN before the first.",
                self._age("polled", math.nan),
            ),
            ("pbem_rounds_late", "Rounds of a beacon that should be out and that dice wait for.", health.rounds),
            ("pbem_rounds_late_seconds", "For how long the first of them, 0 if none.", self._age("waited")),
            ("pbem_queue_letters", "Letters that wait to be sent.", health.queued),
            ("pbem_sender_refused", "1 while the mail server refuses what we send.", int(health.refused is not None)),
            ("pbem_letters_given_up", "Letters given up and not tried again since.", health.failed),
            ("pbem_dues", "Things that will happen by themselves.", health.dues),
            ("pbem_dues_overdue", "Those whose moment has passed.", health.overdue),
            ("pbem_start_timestamp_seconds", "When the server was started.", figures.started.timestamp()),
            (
                "pbem_last_backup_timestamp_seconds",
                "When the last backup was made, 0 if none ever was.",
                figures.last_backup.timestamp() if figures.last_backup else 0,
            ),
            ("pbem_database_bytes", "Size of the database.", figures.database_size),
            ("pbem_disk_size_bytes", "Size of the disk of the data folder.", figures.disk_size),
            ("pbem_disk_free_bytes", "Room on it.", figures.disk_free),
            ("pbem_mailbox_letters", "Letters in the mailbox that are still to be taken in.", figures.waiting),
            ("pbem_mailbox_unmoved_letters", "Those taken in that cannot be moved.", figures.unmoved),
            (
                "pbem_mailbox_used_ratio",
                "Share of the mailbox's quota that is used, NaN if unknown.",
                math.nan if figures.used is None else figures.used,
            ),
        ):
            yield GaugeMetricFamily(name, what, number)
        # The library's own collector needs /proc/stat, which the unit hides (ProcSubset=pid).
        yield CounterMetricFamily("process_cpu_seconds", "Time of the processor.", sum(os.times()[:2]))
        with suppress(OSError):
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
            memory = pages * os.sysconf("SC_PAGE_SIZE")
            yield GaugeMetricFamily("process_resident_memory_bytes", "Memory of the process.", memory)
            yield GaugeMetricFamily("process_open_fds", "Open files.", len(os.listdir("/proc/self/fd")))

    def _age(self, field: str, otherwise: float = 0) -> float:
        moment: datetime | None = getattr(self.figures.health, field)
        return otherwise if moment is None else (self.figures.now - moment).total_seconds()


def _labelled_metric(
    name: str,
    what: str,
    label: str,
    numbers: Mapping[str, int],
    family: type[CounterMetricFamily | GaugeMetricFamily] = GaugeMetricFamily,
) -> Metric:
    metric = family(name, what, labels=[label])
    for value, number in sorted(numbers.items()):
        metric.add_metric([value], number)
    return metric


def metrics_text(figures: ServerFigures, timings: Timings) -> str:
    """Return the metrics of server and process in the format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_ServerNumbers(figures))
    return (generate_latest(registry) + generate_latest(timings.registry)).decode("utf-8")


# A web server for a few pages that are read by GET.


class ServedPage(NamedTuple):
    """An answer: status line, text, media type."""

    status: str
    body: str
    kind: str = "text/plain; charset=utf-8"


Route = Callable[[str], Awaitable[ServedPage]]
"""A function that answers a request; its argument is the IP address of the asker."""

_SECONDS = 5
"""Seconds in which a request has to come."""
_HEADERS = (
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
    "Connection: close",
)


def metrics_answer(text: str) -> ServedPage:
    """Return the answer to ``GET /metrics``."""
    return ServedPage("200 OK", text, CONTENT_TYPE_LATEST)


def health_answer(troubles: Collection[str]) -> ServedPage:
    """Return the answer to ``GET /healthz``: ``ok``, or the words of the troubles."""
    if troubles:
        return ServedPage("503 Service Unavailable", f"{' '.join(troubles)}\n")
    return ServedPage("200 OK", "ok\n")


def not_found_answer() -> ServedPage:
    """Return the answer to a request for a page that there is not."""
    return ServedPage("404 Not Found", "GET /metrics or /healthz\n")


def is_this_machine(address: str) -> bool:
    """Return whether an IP address is of the loopback device."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback


async def _ask(route: Route, asker: str) -> ServedPage:
    try:
        return await route(asker)
    except TRANSIENT_ERRORS:
        return ServedPage("503 Service Unavailable", "database\n")
    except Exception:
        # Whoever reads a page stops nothing else.
        log.exception("a page was not made")
        return ServedPage("500 Internal Server Error", "the log says why\n")


async def serve_pages(address: str, port: int, routes: Mapping[str, Route]) -> asyncio.Server:
    """Serve pages on a port (0: a free one); raise OSError if the port is taken."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, asyncio.IncompleteReadError, TimeoutError):
            async with asyncio.timeout(_SECONDS):
                request_line = await reader.readline()
                while (await reader.readline()).strip():
                    pass
            words = request_line.decode("ascii", "replace").split()
            route = routes.get(words[1].partition("?")[0]) if words[:1] == ["GET"] and len(words) > 1 else None
            answered = await _ask(route, writer.get_extra_info("peername")[0]) if route else not_found_answer()
            data = answered.body.encode("utf-8")
            head = (f"HTTP/1.1 {answered.status}", f"Content-Type: {answered.kind}", f"Content-Length: {len(data)}")
            writer.write("\r\n".join([*head, *_HEADERS, "", ""]).encode("ascii") + data)
            await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, address, port)
