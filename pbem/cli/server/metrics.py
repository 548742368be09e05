"""The numbers of a running daemon, on a port of this machine.

They are given to ``GET /metrics`` as Prometheus reads them (text format 0.0.4).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.server.health import Health

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(found: Health, now: datetime) -> str:
    """The numbers as Prometheus reads them."""
    return "\n".join(_lines(found, now)) + "\n"


def _lines(found: Health, now: datetime) -> Iterator[str]:
    yield from _family("pbem_letters_in_total", "counter", "Letters taken in.", "verdict", found.letters_in)
    yield from _family("pbem_letters_out_total", "counter", "Letters a mail server took.", "kind", found.letters_out)
    yield from _family("pbem_games", "gauge", "Games.", "state", found.games)
    ages = {"pbem_queue_oldest_seconds": found.oldest, "pbem_poll_age_seconds": found.polled}
    told = {"pbem_queue_oldest_seconds": "Age of the oldest letter that waits, 0 if none does."}
    told["pbem_poll_age_seconds"] = "Since the last whole look into the mailbox began, NaN before the first."
    for name, moment in ages.items():
        none = "0" if name.startswith("pbem_queue") else "NaN"
        yield from _one(name, told[name], none if moment is None else f"{(now - moment).total_seconds():.0f}")
    waited = 0 if found.waited is None else (now - found.waited).total_seconds()
    yield from _one(
        "pbem_rounds_late", "Rounds of a beacon that should be out and that dice wait for.", str(found.rounds)
    )
    yield from _one("pbem_rounds_late_seconds", "For how long the first of them, 0 if none.", f"{waited:.0f}")
    yield from _one("pbem_queue_letters", "Letters that wait to be sent.", str(found.queued))
    refused = str(int(found.refused is not None))
    yield from _one("pbem_sender_refused", "1 while the mail server refuses what we send.", refused)
    yield from _one("pbem_letters_given_up", "Letters given up.", str(found.failed))
    yield from _one("pbem_dues", "Things that will happen by themselves.", str(found.dues))
    yield from _one("pbem_dues_overdue", "Those whose moment has passed.", str(found.overdue))


def _family(name: str, kind: str, told: str, label: str, counts: Mapping[str, int]) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"
    for value, number in sorted(counts.items()):
        yield f'{name}{{{label}="{value}"}} {number}'


def _one(name: str, told: str, value: str) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} gauge"
    yield f"{name} {value}"


async def serve_numbers(port: int, numbers: Callable[[], Awaitable[str]]) -> asyncio.Server:
    """Open a port of the loopback address (0: a free one) that gives the numbers; OSError if it is taken."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, asyncio.IncompleteReadError, TimeoutError):
            asked = await asyncio.wait_for(reader.readline(), 5)
            while (await asyncio.wait_for(reader.readline(), 5)).strip():
                pass
            if asked.split()[:2] == [b"GET", b"/metrics"]:
                status, body = "200 OK", await numbers()
            else:
                status, body = "404 Not Found", "GET /metrics\n"
            data = body.encode("utf-8")
            head = (f"HTTP/1.1 {status}", f"Content-Type: {_TYPE}", f"Content-Length: {len(data)}", "Connection: close")
            writer.write("\r\n".join([*head, "", ""]).encode("ascii") + data)
            await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, "127.0.0.1", port)
