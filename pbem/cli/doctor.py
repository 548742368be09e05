"""`pbem doctor`: everything that a server needs, looked at once, and what to do about what is wrong.

    ok            key        /srv/pbem/pbem.key, for its owner alone
    WRONG         mailbox    LoginError: authentication failed
                             to do: look at imap.user and imap.password; many providers want a password for programs
    not checked   DNS        no resolver named: pbem doctor --resolver 9.9.9.9

Ends with 0 if nothing is wrong, 1 if something is, 2 if the settings cannot be read and so nothing could be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pbem.cli import checks_beacon, checks_home, checks_mail
from pbem.cli.checks_home import Found
from pbem.cli.ends import FINDING, USAGE, Stop
from pbem.cli.settings import Misconfigured, Settings, load
from pbem.mail.dns import Resolver

__all__ = ["examine", "look"]


def look(config: Path, resolver: str, selector: str, letter: bool) -> None:
    """Print what was found; Stop with a finding if something is wrong."""
    asked = _resolver(resolver)
    try:
        read = load(config)
    except Misconfigured as wrong:
        _say(Found("WRONG", "settings", str(wrong)))
        raise Stop("nothing else can be looked at before the settings are mended", USAGE) from None
    ill = 0
    for found in examine(config, read, asked, selector, letter):
        _say(found)
        ill += found.verdict == "WRONG"
    if ill:
        raise Stop(f"things to mend: {ill}", FINDING)


def examine(
    config: Path, read: Settings, resolver: Resolver | None, selector: str = "", letter: bool = False
) -> Iterator[Found]:
    """Look at one thing after the other, those on this machine first; with `letter` one is sent to ourselves."""
    yield Found("ok", "settings", f"{config} is complete")
    yield from checks_home.key(read)
    yield from checks_home.folder(read)
    yield from checks_home.database(read)
    yield from checks_home.log(read)
    yield from checks_home.clock(read)
    yield from checks_home.daemon(read)
    now = checks_home.moment(read)
    if now is not None:
        yield from checks_beacon.relays(read, now)
        yield from checks_beacon.late(checks_home.health_of(read, now), read.beacon.late, now)
    yield from checks_mail.mailbox(read)
    yield from checks_mail.way_out(read)
    if letter:
        yield from checks_mail.round_trip(read)
    yield from checks_mail.policy(read, resolver, selector)


def _say(found: Found) -> None:
    first, *more = found.what.split("\n")
    print(f"{found.verdict:<13} {found.area:<10} {first}")
    for line in more:
        print(f"{'':<24} {line}")
    if found.todo:
        print(f"{'':<24} to do: {found.todo}")


def _resolver(text: str) -> Resolver | None:
    """HOST, HOST:PORT or [HOST]:PORT of a resolver."""
    if not text:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.startswith("[")):
        return Resolver(text.strip("[]"))
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise Stop(f"a resolver is HOST or HOST:PORT, got {text!r}")
    return Resolver(host.strip("[]"), int(port))
