"""What a seat may set for itself: language, time zone, format of letters, a ready-made temper, another address."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from zoneinfo import available_timezones

from pbem.campaign.base.command_lines import Command
from pbem.campaign.base.command_words import PRESETS, from_table
from pbem.campaign.base.letters import Mistake
from pbem.campaign.base.server import HTML, READER, TEXT
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.orders import order_block, standing
from pbem.campaign.people import news, seating
from pbem.core.data.messages import msg
from pbem.core.orders.lex import fold
from pbem.store import writes

__all__ = ["format_", "language", "preset", "preset_wrong", "rotate", "zone", "zone_wrong"]


def language(answer: Answer, command: Command) -> None:
    """The language of all letters from this answer on."""
    answer.seat.language = "es" if command.rest.startswith(("es", "spanish", "castellano")) else "en"
    answer.session.add(answer.seat)
    answer.say("settings", msg("From now on I write to you in this language."))


def rotate(answer: Answer, command: Command) -> None:
    """Another address for the seat; this answer, which goes to the registered address alone, is the first to have it.

    Whoever has the old token can ask for that, but only the player gets to know the new one.
    """
    seating.rotate(answer.session, answer.seat)
    address = answer.server.seat_address(answer.seat)
    answer.say("settings", *seating.rotated(address))


def zone(answer: Answer, command: Command) -> None:
    """The time zone of all letters from this answer on."""
    answer.seat.zone = _zones()[_key(command.rest)]
    answer.session.add(answer.seat)
    news.plan(answer, answer.game, answer.seat)
    now = answer.when(answer.now)
    answer.say(
        "settings", msg("From now on I write times as in {zone}; now it is {now}.", zone=answer.seat.zone, now=now)
    )


def zone_wrong(answer: Answer, command: Command) -> Mistake | None:
    """A zone that the world does not have; a city's name finds its zone."""
    if (wanted := _key(command.rest)) in _zones():
        return None
    why = msg("There is no time zone {zone}; one reads Europe/Madrid or UTC.", zone=command.said)
    offered = tuple(f"{command.phrase} {name}" for name in _near(wanted)[:3])
    return command.wrong(why, *offered, word=command.said)


def format_(answer: Answer, command: Command) -> None:
    """The format of all letters from this answer on."""
    wanted, said = _FORMATS[command.rest]
    writes.change(answer.session, answer.seat, format=wanted)
    answer.say("settings", said)


_PLAIN = TEXT, msg("I write to you in plain text.")
_PAGE = (
    HTML,
    msg("From now on each letter has a page of HTML besides its text; your mail program shows the one it prefers."),
)
_ALOUD = (
    READER,
    msg("From now on I write for a screen reader: each fact on a line of its own, and nothing that is drawn."),
)
_FORMATS = {"text": _PLAIN, "texto": _PLAIN, "html": _PAGE, "reader": _ALOUD, "lector": _ALOUD}


def preset(answer: Answer, command: Command) -> None:
    """Replace the standing orders for all by a ready-made set of the game's."""
    if not order_block.in_time(answer, standing_alone=True) or answer.here is None:
        return
    here, seat = answer.here, answer.seat.name
    text = here.rules.rulebook.preset(from_table(PRESETS, command.rest))
    if text is None:
        raise LookupError(f"{here.rules.name} has no standing orders {command.rest}")
    read = here.rules.parse(text, here.rules.view(here.state, seat), seat)
    in_force = standing.keep(answer, here, read.orders.standing)
    answer.say("receipt", msg("Your standing orders are now the ready-made ones: {name}.", name=command.said.upper()))
    if not answer.has_block:
        answer.warnings += standing.second_thoughts(here, seat, (), in_force)
        standing.echo(answer)


def preset_wrong(answer: Answer, command: Command) -> Mistake | None:
    """A game that has no such ready-made orders, or whose ready-made orders do not fit the position."""
    if answer.here is None:
        return None
    rules, seat = answer.here.rules, answer.seat.name
    text = rules.rulebook.preset(from_table(PRESETS, command.rest))
    if text is not None and not rules.parse(text, rules.view(answer.here.state, seat), seat).rejected:
        return None
    why = msg("This game has no ready-made standing orders of that name.")
    return command.wrong(why, word=command.said)


def _near(wanted: str) -> list[str]:
    """The zones of the city that is named, else those of cities that are written nearly so."""
    zones, named = _zones(), dict[str, list[str]]()
    for key in sorted(zones):
        named.setdefault(key.rpartition("/")[2], []).append(zones[key])
    city = wanted.rpartition("/")[2]
    found = [city] if city in named else get_close_matches(city, named, n=3, cutoff=0.8)
    return [name for one in found for name in named[one]]


@cache
def _zones() -> dict[str, str]:
    """The zones of the world by their names as they are compared."""
    return {_key(name): name for name in available_timezones() if "/" in name or name.isupper()}


def _key(name: str) -> str:
    return fold(name).replace(" ", "_")
