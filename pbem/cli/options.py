"""Options and arguments that several commands have, and how the repeatable ones are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.exit_codes import Stop
from pbem.engine.data.languages import language_of
from pbem.lazy import lazily

with lazily():
    from pbem.audit import beacon
    from pbem.cli import checks_network, web
    from pbem.play import beacons
    from pbem.runtime import clock, terms

if TYPE_CHECKING:
    from pbem.cli.settings import Settings
    from pbem.runtime.transaction import Server

FILE_NAME = "pbem.toml"
HERE: Path = Path(FILE_NAME)
Config = Annotated[
    Path, typer.Option("--config", "-c", metavar="FILE", envvar="PBEM_CONFIG", help="The server's settings.")
]
GameName = Annotated[str, typer.Argument(metavar="NAME", help="The game's name on this server, such as ceuta-1.")]


# What is to be played, and at which pace: the options of `pbem game new` and `pbem campaign new`.

RuleOptions = Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the rules.")]
Zone = Annotated[str | None, typer.Option(help="Time zone of the deadlines, such as Europe/Madrid.")]
Hour = Annotated[int | None, typer.Option(min=0, max=23, help="Hour of the deadlines.")]
Weekdays = Annotated[str | None, typer.Option(metavar="DIGITS", help="Days with deadlines, 0 is Monday.")]
Grace = Annotated[int | None, typer.Option(min=0, metavar="HOURS", help="At least so long for a phase.")]
Undo = Annotated[int | None, typer.Option(min=0, metavar="MINUTES", help="To change one's mind in.")]
TermWords = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="What differs from the usual terms of time.")
]
BeaconName = Annotated[
    str, typer.Option(help="What the dice wait for besides the orders, none or quicknet; else as the settings say.")
]
Delta = Annotated[
    int | None, typer.Option(min=0, max=86_400, metavar="SECONDS", help="From the close to the beacon's round.")
]
OpenSeats = Annotated[bool, typer.Option("--open", help="Whoever asks by letter (JOIN) gets a free seat.")]
Bots = Annotated[
    list[str] | None, typer.Option(metavar="SEAT=BOT", help="A seat that a bot plays, as morocco=forward.")
]
Moderating = Annotated[str, typer.Option(metavar="ADDRESS", help="Who moderates it by letter.")]


def pairs(given: Iterable[str], form: str) -> dict[str, str]:
    """NAME=VALUE options by name; Stop says the form of one that is none."""
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals and value):
            raise Stop(f"{form}, got {one!r}")
        found[name] = value
    return found


def spoken(language: str) -> str:
    """Return a language that letters can be written in, by the settings that were read; Stop for any other."""
    try:
        return language_of(language).code
    except ValueError as wrong:
        raise Stop(str(wrong)) from None


def typed(asked: str, word: str) -> bool:
    """Whether the word is typed that was asked for; not if nobody is there to type, or breaks off."""
    try:
        return bool(typer.prompt(asked, default="", show_default=False) == word)
    except typer.Abort:
        print()
        return False


# The pace and the terms of something to be played: as the settings have them, but for what the command says.


def is_dark(server: Server, read: Settings, game: str) -> bool:
    """Whether a game is to wait for a beacon of which no relay answers. Not to be asked in a transaction."""
    with server.work() as tx:
        waits = beacons.will_wait(tx, game)
    return (
        waits
        and web.fetch(
            read.beacon.relays, *checks_network.recent(server.clock.now()), web.get_round, beacon.check
        ).signature
        is None
    )


def pace_of(read: Settings, told: Mapping[str, object]) -> clock.Pace:
    """Return the pace of the settings, but for what was told: zone, hour, weekdays, grace, undo, None where nothing."""
    said = {word: value for word, value in told.items() if value is not None}
    wanted: dict[str, Any] = {**read.games.model_dump(), **said}
    try:
        return clock.Pace(
            zone=wanted["zone"],
            weekdays=_days(wanted["weekdays"]),
            hour=wanted["hour"],
            grace_hours=wanted["grace"],
            undo_minutes=wanted["undo"],
        )
    except ValueError as wrong:
        raise Stop(str(wrong)) from None


def terms_of(read: Settings, name: str, told: Sequence[str], dice: str, delta: int | None) -> terms.Terms:
    """The terms that were told, else those of the settings; Stop if they cannot be, or no relays for their beacon.

    Deadlines fall at a minute of their own, the same whenever the `name` is told.
    """
    spread = read.games.spread
    minute = [f"minute={int.from_bytes(sha256(name.encode()).digest()) % spread}"] if spread else []
    own = [f"beacon={dice}"] * bool(dice) + ([] if delta is None else [f"delta={delta}"])
    words = pairs([*minute, *told, *own], "a term reads NAME=VALUE")
    try:
        agreed = terms.Terms.from_words({"delta": str(read.beacon.delta), **words})
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    if "beacon" not in words and read.beacon.relays and beacon.available() and agreed.pace != terms.ACTIVATION:
        agreed = agreed._replace(beacon=read.beacon.default)
    if agreed.beacon != "none" and not read.beacon.relays:
        raise Stop("no relays of the beacon are named: put some under [beacon] in the settings, or leave --beacon out")
    return agreed


def why_foreseen(read: Settings, agreed: terms.Terms) -> str:
    """Why dice wait for no beacon although the settings would have them wait for one; empty if they would not."""
    if read.beacon.default == "none":
        return ""
    if agreed.pace == terms.ACTIVATION:
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
