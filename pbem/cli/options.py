"""Define options and arguments of several commands, and read repeatable ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.exit_codes import CommandError
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

OWN_BATTLES = Path("battles")
OwnBattles = Annotated[
    Path, typer.Option("--folder", metavar="DIR", help="Where your battles are, as `folder` in pbem.toml.")
]


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


def read_name_value_pairs(options_given: Iterable[str], form: str) -> dict[str, str]:
    """Return NAME=VALUE options by name; raise CommandError if malformed."""
    values = {}
    for option in options_given:
        name, equals, value = option.partition("=")
        if not (name and equals and value):
            raise CommandError(f"{form}, got {option!r}")
        values[name] = value
    return values


def check_language(language: str) -> str:
    """Return a language that letters can have; raise CommandError for any other."""
    try:
        return language_of(language).code
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None


def confirm_by_typing(prompt: str, word: str) -> bool:
    """Return whether the requested word is typed.

    Raise CommandError if nobody is there to type, as in cron.
    """
    try:
        return bool(typer.prompt(prompt, default="", show_default=False) == word)
    except typer.Abort:
        print()
        raise CommandError("nothing was done; where nobody can type, --yes answers") from None


# The pace and the terms of something to be played: as the settings have them, but for what the command says.


def is_beacon_silent(server: Server, settings: Settings, game: str) -> bool:
    """Return whether a game waits for a beacon and no relay answers.

    It must not be called in a transaction.
    """
    with server.work() as tx:
        waits = beacons.new_game_uses_beacon(tx, game)
    return (
        waits
        and web.fetch_round_from_relays(
            settings.beacon.relays, *checks_network.recent_round(server.clock.now()), web.get_round, beacon.verify_round
        ).signature
        is None
    )


def pace_of(settings: Settings, changes: Mapping[str, object]) -> clock.Pace:
    """Return the pace of the settings with the given changes.

    `changes` has zone, hour, weekdays, grace and undo; None leaves a setting as it is.
    """
    given = {word: value for word, value in changes.items() if value is not None}
    values: dict[str, Any] = {**settings.games.model_dump(), **given}
    try:
        return clock.Pace(
            zone=values["zone"],
            weekdays=_days(values["weekdays"]),
            hour=values["hour"],
            grace_hours=values["grace"],
            undo_minutes=values["undo"],
        )
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None


def terms_of(settings: Settings, name: str, term_words: Sequence[str], dice: str, delta: int | None) -> terms.Terms:
    """Return the terms as given, else as in the settings.

    Deadlines fall at a minute that depends only on `name`. Raise CommandError for malformed terms, or for a beacon
    without relays.
    """
    spread = settings.games.spread
    minute = [f"minute={int.from_bytes(sha256(name.encode()).digest()) % spread}"] if spread else []
    beacon_words = [f"beacon={dice}"] * bool(dice) + ([] if delta is None else [f"delta={delta}"])
    words = read_name_value_pairs([*minute, *term_words, *beacon_words], "a term reads NAME=VALUE")
    try:
        agreed = terms.Terms.from_words({"delta": str(settings.beacon.delta), **words})
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None
    if (
        "beacon" not in words
        and settings.beacon.relays
        and beacon.is_library_installed()
        and agreed.pace != terms.ACTIVATION_PACE
    ):
        agreed = agreed._replace(beacon=settings.beacon.default)
    if agreed.beacon != "none" and not settings.beacon.relays:
        raise CommandError(
            "no relays of the beacon are named: put some under [beacon] in the settings, or leave --beacon out"
        )
    return agreed


def why_no_beacon(settings: Settings, agreed: terms.Terms) -> str:
    """Return why dice wait for no beacon although the settings ask for one, or ""."""
    if settings.beacon.default == "none":
        return ""
    if agreed.pace == terms.ACTIVATION_PACE:
        return "at pace=activation every letter has dice of its own at once"
    if not settings.beacon.relays:
        return "no relays are named under [beacon] in the settings"
    return (
        "" if beacon.is_library_installed() else 'the library that checks its rounds is not installed ("pbem[beacon]")'
    )


def _days(weekdays: str | Sequence[int]) -> tuple[int, ...]:
    if isinstance(weekdays, str):
        if not weekdays or not set(weekdays) <= set("0123456"):
            raise CommandError(f"weekdays are digits from 0 (Monday) to 6, such as 01234, got {weekdays!r}")
        return tuple(int(digit) for digit in weekdays)
    return tuple(weekdays)
