"""What `pbem doctor` looks at of the beacon: each relay, by a round that came out a minute ago, and what is late."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pbem.audit import bls
from pbem.audit.beacon import QUICKNET, Beacon, Check, at_or_after, parse_info
from pbem.audit.blocks import Malformed
from pbem.cli.server.checks_home import Found
from pbem.cli.server.relays import Get, fetch, http
from pbem.cli.server.settings import Settings
from pbem.server.health import Health

AGO = 60
"""Seconds since the round that relays are tried with came out."""

_OTHERS = "name other relays under [beacon] in the settings, run by different people; none of them is believed"


def relays(read: Settings, now: datetime, get: Get = http, check: Check = bls.check) -> Iterator[Found]:
    """Each relay in the settings has the public chain, by its hash, and a recent round that the chain has signed."""
    named = read.beacon.relays
    if not named:
        yield Found("ok", "beacon", "no relay is named: no game waits for the beacon")
        return
    _, number = recent(now)
    told = [(relay, _wrong(relay, QUICKNET, number, get, check)) for relay in named]
    good = sum(not wrong for _, wrong in told)
    for relay, wrong in told:
        if wrong == _NO_LIBRARY:
            yield Found(
                "WRONG", "beacon", f"{relay}: {wrong}", 'install "pbem[beacon]": no round can be checked without'
            )
        elif wrong:
            todo = _OTHERS if good else f"dice wait as long as no relay answers: {_OTHERS}"
            yield Found("mind" if good else "WRONG", "beacon", f"{relay}: {wrong}", todo)
        else:
            yield Found("ok", "beacon", f"{relay}: round {number}, signed by the chain {QUICKNET.hash[:8]}")


def recent(now: datetime) -> tuple[Beacon, int]:
    """The round that relays are tried with."""
    return QUICKNET, at_or_after(QUICKNET, int(now.timestamp()) - AGO)


_NO_LIBRARY = "no library to check with"


def _wrong(relay: str, chain: Beacon, number: int, get: Get, check: Check) -> str:
    """What is wrong with a relay; empty if nothing is."""
    try:
        said = parse_info(get(f"{relay.rstrip('/')}/{chain.hash}/info"))
    except (OSError, Malformed) as wrong:
        return f"it does not tell the chain {chain.hash[:8]}: {wrong}"
    if said != chain:
        return f"it tells the chain {said.hash[:8]}, not {chain.hash[:8]}"
    found = fetch([relay], chain, number, get, check)
    return "" if found.signature else found.reasons[-1].removeprefix(f"{relay}: ")


def late(found: Health | None, hours: int, now: datetime) -> Iterator[Found]:
    """Rounds that dice wait for and that should be out."""
    if found is None or found.waited is None:
        return
    what = (
        f"dice wait for {found.rounds} rounds that should be out, the first since {found.waited:%Y-%m-%d %H:%M:%S} UTC"
    )
    wrong = (now - found.waited).total_seconds() > 3600 * hours
    yield Found(
        "WRONG" if wrong else "mind", "beacon", what, "nothing is lost; see the relays, and the log of pbem serve"
    )
