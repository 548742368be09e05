"""Ports for servers that tests start in processes of their own."""

import secrets
import socket
from contextlib import ExitStack

# Below those that systems give to connections that go out: one of these is not taken between the look and the start.
LOWEST, HIGHEST = 10_000, 32_000


def free_ports(count: int) -> tuple[int, ...]:
    """So many ports of loopback, no two alike, that nobody listened on a moment ago."""
    with ExitStack() as held:
        found: set[int] = set()
        while len(found) < count:
            port = LOWEST + secrets.randbelow(HIGHEST - LOWEST)
            door = held.enter_context(socket.socket())
            try:
                door.bind(("127.0.0.1", port))
            except OSError:
                continue
            found.add(port)
        return tuple(found)


def free_port() -> int:
    """One such port."""
    return free_ports(1)[0]
