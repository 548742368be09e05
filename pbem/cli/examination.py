"""The examination of a server: everything that it needs, looked at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from pbem.cli import checks_network, checks_server
from pbem.cli.alerts import HEARTBEAT, SENTENCES, read_beat
from pbem.cli.checks_server import Found
from pbem.cli.exit_codes import Stop
from pbem.cli.settings import Settings
from pbem.mail.dns import Resolver

LIFELESS = timedelta(minutes=5)
"""After so long without a heartbeat a daemon is taken for dead: a burst of letters keeps a healthy one busy."""


def examine(
    config: Path, read: Settings, resolver: Resolver | None, selector: str = "", letter: bool = False
) -> Iterator[Found]:
    """Look at one thing after the other, those on this machine first; with `letter` one is sent to ourselves."""
    where = config if config.is_file() else f"there is no {config}; the environment alone"
    yield Found("ok", "settings", f"{where} is complete")
    yield from checks_server.key(read)
    yield from checks_server.modes(config, read)
    yield from checks_server.folder(read)
    yield from checks_server.database(read)
    yield from checks_server.log(read)
    now = checks_server.moment(read)
    numbers = None if now is None else checks_server.health_of(read, now)
    yield from checks_server.clock(read, numbers)
    yield from checks_server.daemon(read, numbers)
    yield from checks_server.wording(read)
    yield from checks_server.outside()
    yield from checks_server.deserted(read)
    yield from checks_server.extras(read)
    yield from checks_server.start(read)
    yield from checks_server.pictures()
    yield from checks_server.paper()
    if now is not None:
        yield from checks_network.relays(read, now)
        yield from checks_network.late(numbers, read.beacon.late, now)
    yield from checks_network.mailbox(read)
    yield from checks_network.way_out(read)
    if letter:
        yield from checks_network.round_trip(read)
    yield from checks_network.policy(read, resolver, selector)


def pulse(read: Settings) -> Iterator[Found]:
    """Whether `pbem serve` is alive, by what it wrote down last: nothing is opened, nobody is asked."""
    now, beat = checks_server.moment(read), read_beat(read.server.data / HEARTBEAT)
    if now is None or beat is None or now - beat.at > LIFELESS:
        last = "was never seen" if beat is None else f"was last seen at {beat.at:%Y-%m-%d %H:%M:%S} UTC"
        yield Found("WRONG", "daemon", f"pbem serve {last}", "look at its log, and start it again")
        return
    yield Found("ok", "daemon", f"runs as process {beat.pid}")
    for word in beat.troubles:
        # A server that is alive is not mended by being started again.
        yield Found("mind", word, SENTENCES.get(word, word))


def resolver_of(text: str) -> Resolver | None:
    """HOST, HOST:PORT or [HOST]:PORT of a resolver; Stop if it is none."""
    if not text:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.startswith("[")):
        return Resolver(text.strip("[]"))
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise Stop(f"a resolver is HOST or HOST:PORT, got {text!r}")
    return Resolver(host.strip("[]"), int(port))
