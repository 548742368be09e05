"""Make the pace and the terms of something to be played: as the settings have them, but for what the command says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pbem.audit import beacon
from pbem.cli.checks_network import recent
from pbem.cli.exit_codes import Stop
from pbem.cli.options import pairs
from pbem.cli.relays import fetch, http
from pbem.play import beacons
from pbem.runtime.clock import Pace
from pbem.runtime.terms import ACTIVATION, Terms

if TYPE_CHECKING:
    from pbem.cli.settings import Settings
    from pbem.runtime.transaction import Server


def is_dark(server: Server, read: Settings, game: str) -> bool:
    """Whether a game is to wait for a beacon of which no relay answers. Not to be asked in a transaction."""
    with server.work() as work:
        waits = beacons.will_wait(work, game)
    return waits and fetch(read.beacon.relays, *recent(server.clock.now()), http, beacon.check).signature is None


def pace_of(read: Settings, told: Mapping[str, object]) -> Pace:
    """Return the pace of the settings, but for what was told: zone, hour, weekdays, grace, undo, None where nothing."""
    said = {word: value for word, value in told.items() if value is not None}
    wanted: dict[str, Any] = {**read.games.model_dump(), **said}
    try:
        return Pace(
            zone=wanted["zone"],
            weekdays=_days(wanted["weekdays"]),
            hour=wanted["hour"],
            grace_hours=wanted["grace"],
            undo_minutes=wanted["undo"],
        )
    except ValueError as wrong:
        raise Stop(str(wrong)) from None


def terms_of(read: Settings, name: str, told: Sequence[str], dice: str, delta: int | None) -> Terms:
    """The terms that were told, else those of the settings; Stop if they cannot be, or no relays for their beacon.

    Deadlines fall at a minute of their own, the same whenever the `name` is told.
    """
    spread = read.games.spread
    minute = [f"minute={int.from_bytes(sha256(name.encode()).digest()) % spread}"] if spread else []
    own = [f"beacon={dice}"] * bool(dice) + ([] if delta is None else [f"delta={delta}"])
    words = pairs([*minute, *told, *own], "a term reads NAME=VALUE")
    try:
        agreed = Terms.from_words({"delta": str(read.beacon.delta), **words})
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    if "beacon" not in words and read.beacon.relays and beacon.available() and agreed.pace != ACTIVATION:
        agreed = agreed._replace(beacon=read.beacon.default)
    if agreed.beacon != "none" and not read.beacon.relays:
        raise Stop("no relays of the beacon are named: put some under [beacon] in the settings, or leave --beacon out")
    return agreed


def why_foreseen(read: Settings, terms: Terms) -> str:
    """Why dice wait for no beacon although the settings would have them wait for one; empty if they would not."""
    if read.beacon.default == "none":
        return ""
    if terms.pace == ACTIVATION:
        return "at pace=activation every letter has dice of its own at once"
    if not read.beacon.relays:
        return "no relays are named under [beacon] in the settings"
    return "" if beacon.available() else 'the library that checks its rounds is not installed ("pbem[beacon]")'


def _days(weekdays: str | Sequence[int]) -> tuple[int, ...]:
    if isinstance(weekdays, str):
        if not weekdays or not set(weekdays) <= set("0123456"):
            raise Stop(f"weekdays are digits from 0 (Monday) to 6, such as 01234, got {weekdays!r}")
        return tuple(int(digit) for digit in weekdays)
    return tuple(weekdays)
